"""Tokens: who may ask which study on the web, until when, and as what."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from discreet.errors import InputError, one_of
from discreet.ledger.store import Store, stamp
from discreet.secret import unguessable

__all__ = ["ROLES", "Caller", "Token", "add_token", "caller_of", "list_tokens", "revoke_token"]

ROLES = ("analyst", "custodian")
PREFIX = "discreet_"
MOST_DAYS = 3660.0
FIELDS = (
    "token.id, digest, study, name, role, token.at, expires, revocation.at FROM token"
    " LEFT JOIN revocation ON revocation.token = token.id"
)
NAME = re.compile(r"\w[\w.@+-]{0,63}")


@dataclass(frozen=True)
class Caller:
    """Who asks: a name that the ledger and the budget know them by ("token alice"), and a role."""

    name: str
    role: str


@dataclass(frozen=True)
class Token:
    """What the ledger says of a token, times in UTC; the token itself is kept nowhere."""

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
        The ledger's file.
    study : str
        The name of the study that it opens, and no other of the same ledger.
    name : str
        Whose it is: 1 to 64 letters, digits and . _ - @ +; used once for ever in a study, so that
        the ledger's record of a name is of one person.
    role : str, default "analyst"
        "analyst" or "custodian".
    days : float, default 30
        How long it opens the study: more than 0, at most 3660.
    now : datetime or None
        The time; the present by default.

    Raises
    ------
    InputError
        If the name is used, or an argument is not as above.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.ledger import Store, add_token, caller_of, revoke_token
    >>> from discreet.secret import Secret
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder), Secret.from_bytes(bytes(range(32))))
    ...     text = add_token(store, "cohort.csv", "alice", days=7)
    ...     before, elsewhere = (caller_of(store, of, text) for of in ("cohort.csv", "other.csv"))
    ...     revoke_token(store, "cohort.csv", "alice")
    ...     after = caller_of(store, "cohort.csv", text)
    >>> before, elsewhere, after
    (Caller(name='token alice', role='analyst'), None, None)
    """
    if not isinstance(study, str) or not study:
        raise InputError("a token opens one study; name it: study=")
    if not isinstance(name, str) or NAME.fullmatch(name) is None:
        raise InputError("a token's name has 1 to 64 letters, digits and . _ - @ +, a letter first")
    if role not in ROLES:
        raise InputError(f"the role of a token must be one of {one_of(ROLES)}")
    if not 0 < days <= MOST_DAYS:
        raise InputError(f"days must be more than 0 and at most {MOST_DAYS:g}")
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
        if store.append(connection, "token", values, unless_there=True) is None:
            raise InputError(
                f"there is or was a token named {name!r} already for study {study!r}; a name is"
                " used once, so take another, such as one with a number"
            )
    return text


def revoke_token(store: Store, study: str, name: str) -> None:
    """Let a token of a study open nothing from now on; a revoked one stays so.

    Raises
    ------
    InputError
        If the study has no token of that name.
    """
    with store.writing() as connection:
        found = connection.execute(
            "SELECT id FROM token WHERE study = ? AND name = ?", (study, name)
        ).fetchone()
        if found is None:
            raise InputError(
                "the study has no token of that name; `discreet token list` names all there are"
            )
        values = {"at": stamp(), "token": found[0]}
        store.append(connection, "revocation", values, unless_there=True)


def list_tokens(store: Store, study: str | None = None) -> tuple[Token, ...]:
    """Return all tokens that were ever added, to one study or to any, oldest first."""
    with store.reading() as connection:
        rows = connection.execute(
            f"SELECT {FIELDS} WHERE ? IS NULL OR study = ? ORDER BY token.id", (study, study)
        ).fetchall()
    return tuple(Token(*row[2:]) for row in rows)


def caller_of(store: Store, study: str, text: str, *, now: datetime | None = None) -> Caller | None:
    """Return whose token of a study a text is; None for one that is unknown, expired or revoked.

    A token of another study opens nothing here, and neither does one that was written into the
    file without the secret.
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
    found = Token(*row[2:])
    if found.study != study or found.state(now) != "valid":
        return None
    return Caller(f"token {found.name}", found.role)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
