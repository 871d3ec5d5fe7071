"""Who may ask which study on the web: callers, and the tokens that they have."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from discreet.errors import InputError, one_of
from discreet.records.store import Store, stamp
from discreet.secret import unguessable

ROLES = ("analyst", "custodian")
PREFIX = "discreet_"
MOST_DAYS = 3660.0
# Of several terms the last hold; where there are none, what the token was made with.
FIELDS = (
    "token.id, digest, study, name, role, token.at, coalesce(terms.expires, token.expires),"
    " revocation.at, terms.id FROM token"
    " LEFT JOIN revocation ON revocation.token = token.id"
    " LEFT JOIN terms ON terms.id = (SELECT max(id) FROM terms AS of WHERE of.token = token.id)"
)
NO_TOKEN = "the study has no token of that name; `discreet token list` names all there are"
TOKEN_NAME = re.compile(r"\w[\w.@+-]{0,63}")


@dataclass(frozen=True)
class Caller:
    """Who asks: a name that the record knows them by ("token alice"), and a role."""

    name: str
    role: str


@dataclass(frozen=True)
class Token:
    """What the record says of a token, times in UTC; the token itself is kept nowhere."""

    study: str
    name: str
    role: str
    made: str
    expires: str
    revoked: str | None

    def state(self, now: datetime | None = None) -> Literal["valid", "expired", "revoked"]:
        """Say whether it opens the study at a time, now by default."""
        if self.revoked is not None:
            return "revoked"
        return "valid" if stamp(now) < self.expires else "expired"


def add_token(
    store: Store,
    study: str,
    name: str,
    role: str = "analyst",
    *,
    days: float = 30.0,
    now: datetime | None = None,
) -> str:
    """Make a token of 256 random bits, keep its SHA-256 alone, and return it.

    Parameters
    ----------
    store : Store
        The server's record.
    study : str
        The study that it opens, by its name.
    name : str
        Whose the token is: 1 to 64 letters, digits and . _ - @ +; a name is used once for ever.
    role : {"analyst", "custodian"}
        What it may do: analyst or custodian.
    days : float
        How long it is valid: more than 0, at most 3660.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.serve.tokens import add_token, caller_of, revoke_token
    >>> from discreet.serve.record import open_record
    >>> with TemporaryDirectory() as folder:
    ...     store = open_record(Path(folder))
    ...     text = add_token(store, "cohort", "alice", days=7)
    ...     before = caller_of(store, text)
    ...     revoke_token(store, "cohort", "alice")
    ...     after = caller_of(store, text)
    >>> before, after
    ((Caller(name='token alice', role='analyst'), 'cohort'), None)
    """
    if not isinstance(study, str) or not study:
        raise InputError("a token opens one study; name it: study=")
    if not isinstance(name, str) or TOKEN_NAME.fullmatch(name) is None:
        raise InputError("a token's name has 1 to 64 letters, digits and . _ - @ +, a letter first")
    if role not in ROLES:
        raise InputError(f"the role of a token must be one of {one_of(ROLES)}")
    _check_days(days)
    text = f"{PREFIX}{unguessable()}"
    with store.writing() as connection:
        # The time within, so that later rows are never of an earlier time.
        at = datetime.fromisoformat(stamp(now))
        values = {
            "at": stamp(at),
            "study": study,
            "name": name,
            "role": role,
            "digest": _digest(text),
            "expires": stamp(at + timedelta(days=days)),
        }
        id_ = store.append(connection, "token", values, unless_there=True)
        if id_ is None:
            raise InputError(
                f"there is or was a token named {name!r} already for study {study!r}; names "
                "cannot be reused, so choose another, such as one with a number"
            )
    return text


def change_token(
    store: Store, study: str, name: str, *, days: float, now: datetime | None = None
) -> Token:
    """Let a token of a study hold for some `days` from now; return it.

    One that was revoked stays so, and is refused.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.serve.tokens import add_token, caller_of, change_token
    >>> from discreet.serve.record import open_record
    >>> with TemporaryDirectory() as folder:
    ...     store = open_record(Path(folder))
    ...     text = add_token(store, "cohort", "alice")
    ...     changed = change_token(store, "cohort", "alice", days=90)
    ...     caller_of(store, text)
    (Caller(name='token alice', role='analyst'), 'cohort')
    """
    _check_days(days)
    with store.writing() as connection:
        at = datetime.fromisoformat(stamp(now))
        row = connection.execute(
            f"SELECT {FIELDS} WHERE study = ? AND name = ?", (study, name)
        ).fetchone()
        if row is None:
            raise InputError(NO_TOKEN)
        token = Token(*row[2:8])
        if token.revoked is not None:
            raise InputError(f"the token {name!r} is revoked for good; make another one")
        token = replace(token, expires=stamp(at + timedelta(days=days)))
        terms = {"at": stamp(at), "token": row[0], "expires": token.expires}
        store.append(connection, "terms", terms)
    return token


def _check_days(days: float) -> None:
    """Refuse a time that no token may hold."""
    if not 0 < days <= MOST_DAYS:
        raise InputError(f"days must be more than 0 and at most {MOST_DAYS:g}")


def revoke_token(store: Store, study: str, name: str) -> None:
    """Let a token of a study open nothing from now on; a revoked one stays so."""
    with store.writing() as connection:
        row = connection.execute(
            "SELECT id FROM token WHERE study = ? AND name = ?", (study, name)
        ).fetchone()
        if row is None:
            raise InputError(NO_TOKEN)
        values = {"at": stamp(), "token": row[0]}
        store.append(connection, "revocation", values, unless_there=True)


def list_tokens(store: Store, study: str | None = None) -> tuple[Token, ...]:
    """Return all tokens that were ever added, to one study or to any, oldest first."""
    with store.reading() as connection:
        rows = connection.execute(
            f"SELECT {FIELDS} WHERE ? IS NULL OR study = ? ORDER BY token.id", (study, study)
        ).fetchall()
    return tuple(Token(*row[2:8]) for row in rows)


def caller_of(store: Store, text: str, *, now: datetime | None = None) -> tuple[Caller, str] | None:
    """Return whose token a text is, and of which study; None where it opens nothing.

    That is one that is unknown, expired or revoked, or was written into the file without the key.
    """
    digest = _digest(text)
    with store.reading() as connection:
        # Looked up in an index, however many tokens there are. How long that takes may tell how a
        # digest that is kept begins, but nobody can find a text for a digest, nor choose digests
        # to search by: they are SHA-256 of what is sent. What is found is compared in constant
        # time.
        row = connection.execute(f"SELECT {FIELDS} WHERE digest = ?", (digest,)).fetchone()
        if row is None or not hmac.compare_digest(row[1], digest):
            return None
        if not store.holds(connection, "token", row[0]):
            return None
        if row[8] is not None and not store.holds(connection, "terms", row[8]):
            return None
    token = Token(*row[2:8])
    if token.state(now) != "valid":
        return None
    return Caller(f"token {token.name}", token.role), token.study


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
