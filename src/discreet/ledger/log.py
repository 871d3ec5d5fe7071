"""Who may ask which study on the web, and what was asked, by whom, and what was answered."""

from __future__ import annotations

import hashlib
import hmac
import re
import sqlite3
import zlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from discreet.errors import BrokenPromiseError, InputError, one_of
from discreet.ledger.chain import stamp
from discreet.ledger.store import Store
from discreet.secret import unguessable

__all__ = [
    "ROLES",
    "Answer",
    "Caller",
    "LogEntry",
    "Receipt",
    "Token",
    "add_token",
    "ask",
    "caller_of",
    "callers",
    "change_token",
    "close",
    "keep",
    "kept",
    "list_tokens",
    "log",
    "revoke_token",
]

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
    """Who asks: a name that the ledger knows them by ("token alice"), and a role."""

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

    It opens one `study` of the ledger, to a `role` "analyst" or "custodian", for some `days`: more
    than 0, at most 3660. The `name` says whose it is: 1 to 64 letters, digits and . _ - @ +; used
    once for ever in a study, so that the ledger's record of a name is of one person.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.ledger.log import add_token, caller_of, revoke_token
    >>> from discreet.ledger.store import Store
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
                f"there is or was a token named {name!r} already for study {study!r}; a name is"
                " used once, so take another, such as one with a number"
            )
    return text


def change_token(
    store: Store,
    study: str,
    name: str,
    *,
    days: float,
    now: datetime | None = None,
) -> Token:
    """Let a token of a study hold for some `days` from now; return it.

    One that was revoked stays so, and is refused.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.ledger.log import add_token, caller_of, change_token
    >>> from discreet.ledger.store import Store
    >>> from discreet.secret import Secret
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder), Secret.from_bytes(bytes(range(32))))
    ...     text = add_token(store, "cohort.csv", "alice")
    ...     changed = change_token(store, "cohort.csv", "alice", days=90)
    ...     caller_of(store, "cohort.csv", text)
    Caller(name='token alice', role='analyst')
    """
    _check_days(days)
    with store.writing() as connection:
        at = datetime.fromisoformat(stamp(now))
        row = connection.execute(
            f"SELECT {FIELDS} WHERE study = ? AND name = ?", (study, name)
        ).fetchone()
        if row is None:
            raise InputError(NO_TOKEN)
        found = Token(*row[2:8])
        if found.revoked is not None:
            raise InputError(f"the token {name!r} is revoked and stays so; make another one")
        found = replace(found, expires=stamp(at + timedelta(days=days)))
        terms = {"at": stamp(at), "token": row[0], "expires": found.expires}
        store.append(connection, "terms", terms)
    return found


def _check_days(days: float) -> None:
    """Refuse a time that no token may hold."""
    if not 0 < days <= MOST_DAYS:
        raise InputError(f"days must be more than 0 and at most {MOST_DAYS:g}")


def revoke_token(store: Store, study: str, name: str) -> None:
    """Let a token of a study open nothing from now on; a revoked one stays so."""
    with store.writing() as connection:
        found = connection.execute(
            "SELECT id FROM token WHERE study = ? AND name = ?", (study, name)
        ).fetchone()
        if found is None:
            raise InputError(NO_TOKEN)
        values = {"at": stamp(), "token": found[0]}
        store.append(connection, "revocation", values, unless_there=True)


def list_tokens(store: Store, study: str | None = None) -> tuple[Token, ...]:
    """Return all tokens that were ever added, to one study or to any, oldest first."""
    with store.reading() as connection:
        rows = connection.execute(
            f"SELECT {FIELDS} WHERE ? IS NULL OR study = ? ORDER BY token.id", (study, study)
        ).fetchall()
    return tuple(Token(*row[2:8]) for row in rows)


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
        if row[8] is not None and not store.holds(connection, "terms", row[8]):
            return None
    found = Token(*row[2:8])
    if found.study != study or found.state(now) != "valid":
        return None
    return Caller(f"token {found.name}", found.role)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


MINUTE = timedelta(seconds=60)


@dataclass(frozen=True)
class LogEntry:
    """What is asked: `what` is a plot's kind, or what else it is ("figure svg", "orders").

    `request` is canonical JSON of what was validated, and of nothing else. `view` is the id of the
    view that it draws; None where it draws none.
    """

    study: str
    version: int
    what: str
    request: str
    view: str | None


@dataclass(frozen=True)
class Answer:
    """An answer that is kept: its HTTP status, and its bytes."""

    status: int
    body: bytes


@dataclass(frozen=True)
class Receipt:
    """What became of a question when it was asked.

    `row` is its row in the ledger, None where it was one too many in a minute; `outcome` is
    "begun", "repeated", "rate", or the code it was refused with; `answer` the one that is kept,
    where it is repeated.
    """

    row: int | None
    outcome: str
    answer: Answer | None


def ask(
    store: Store,
    caller: Caller,
    question: LogEntry,
    a_minute: int,
    *,
    code: str = "",
    now: datetime | None = None,
) -> Receipt:
    """Write down a question before anything is drawn, and say whether it may be answered.

    In one transaction that holds off all others, so that any number of threads and processes
    keep one count. `code` says why it was refused before it reached the data, if it was.

    The outcome is "rate" where the caller asked this study `a_minute` times within the last 60
    seconds (one such row a minute is written, so that nobody floods the ledger); else `code`, if
    there is one; "repeated" with the answer that is kept; or "begun": answer it with `keep`, or end
    it with `close`. If it cannot be written nothing may be answered: a LedgerError.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.ledger.log import Answer, Caller, LogEntry, ask, keep
    >>> from discreet.ledger.store import Store
    >>> from discreet.secret import Secret
    >>> alice = Caller("token alice", "analyst")
    >>> question = LogEntry("s", 1, "histogram", "{}", "a")
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder), Secret.from_bytes(bytes(range(32))))
    ...     receipt = ask(store, alice, question, a_minute=2)
    ...     sent = keep(store, receipt, question, Answer(200, b"drawn"), "answered")
    ...     again, another = (ask(store, alice, question, a_minute=2) for _ in range(2))
    >>> receipt.outcome, again.outcome, again.answer.body, another.outcome
    ('begun', 'repeated', b'drawn', 'rate')
    """
    with store.writing() as connection:
        at = datetime.fromisoformat(stamp(now))

        def written(outcome: str, view: str | None) -> int | None:
            values = {
                "at": stamp(at),
                "caller": caller.name,
                "study": question.study,
                "version": question.version,
                "what": question.what,
                "request": question.request,
                "view": view,
                "outcome": outcome,
            }
            return store.append(connection, "asked", values)

        # Those that were one too many do not count, or who keeps asking would never be let in
        # again.
        often, refused = connection.execute(
            "SELECT count(*) FILTER (WHERE outcome != 'rate'),"
            " count(*) FILTER (WHERE outcome = 'rate')"
            " FROM asked WHERE caller = ? AND study = ? AND at > ?",
            (caller.name, question.study, stamp(at - MINUTE)),
        ).fetchone()
        if often >= a_minute:
            if not refused:
                written("rate", None)
            return Receipt(None, "rate", None)
        if code:
            return Receipt(written(code, None), code, None)
        answer = _answer(store, connection, question.study, question.version, question.view)
        outcome = "begun" if answer is None else "repeated"
        return Receipt(written(outcome, question.view), outcome, answer)


def keep(store: Store, receipt: Receipt, question: LogEntry, answer: Answer, code: str) -> Answer:
    """Write down the answer to a question that was begun, and return the one to send.

    That is another's, byte for byte, if the same view was answered meanwhile. `code` is what the
    log says became of it. If it cannot be written nothing may be answered: a LedgerError.
    """
    with store.writing() as connection:
        if question.view is not None:
            values = {
                "at": stamp(),
                "study": question.study,
                "version": question.version,
                "view": question.view,
                "status": answer.status,
                "body": zlib.compress(answer.body),
            }
            store.append(connection, "answer", values, unless_there=True)
        _end(store, connection, receipt, code)
        found = _answer(store, connection, question.study, question.version, question.view)
    return answer if found is None else found


def close(store: Store, receipt: Receipt, code: str) -> None:
    """Write down how a question ended that has no answer to keep; the first ending stands."""
    with store.writing() as connection:
        _end(store, connection, receipt, code)


def kept(store: Store, study: str, version: int, view: str, caller: str | None) -> Answer | None:
    """Return the answer that is kept of a view, to someone who has asked for that view.

    `caller` has to have asked for it, and not in vain; with None, whoever did. None is returned
    where there is no answer, or none for this caller: which of them is not told.
    """
    with store.reading() as connection:
        if caller is not None and not _asked(connection, caller, study, version, view):
            return None
        return _answer(store, connection, study, version, view)


def callers(store: Store, study: str) -> tuple[str, ...]:
    """Return the names of all who have asked for anything of a study, by name.

    Each is found by a step in the index, however often they asked.
    """
    with store.reading() as connection:
        rows = connection.execute(
            "WITH RECURSIVE found (caller) AS ("
            "SELECT min(caller) FROM asked"
            " UNION ALL SELECT (SELECT min(caller) FROM asked WHERE caller > found.caller)"
            " FROM found WHERE found.caller IS NOT NULL)"
            " SELECT caller FROM found WHERE EXISTS"
            " (SELECT 1 FROM asked WHERE asked.caller = found.caller AND study = ?)",
            (study,),
        )
        return tuple(name for (name,) in rows)


def log(
    store: Store,
    *,
    study: str | None = None,
    most: int | None = None,
    before: int | None = None,
) -> list[dict[str, Any]]:
    """Return what was asked: id, at, caller, study, version, what, request and outcome.

    Of one study, or of any; the newest `most`, newest first, or all, oldest first; those with a
    smaller id than `before` alone. An outcome of "begun" is of a question that has not ended: it is
    being drawn, or its server was killed, and then no answer was sent.
    """
    names = ("id", "at", "caller", "study", "version", "what", "request", "outcome")
    with store.reading() as connection:
        rows = connection.execute(
            "SELECT asked.id, asked.at, caller, study, version, what, request,"
            " coalesce(code, asked.outcome)"
            " FROM asked LEFT JOIN outcome ON outcome.asked = asked.id"
            " WHERE (:before IS NULL OR asked.id < :before) AND (:study IS NULL OR study = :study)"
            f" ORDER BY asked.id {'ASC' if most is None else 'DESC'} LIMIT :most",
            {"before": before, "study": study, "most": -1 if most is None else max(most, 0)},
        ).fetchall()
    return [dict(zip(names, row, strict=True)) for row in rows]


def _asked(
    connection: sqlite3.Connection, caller: str, study: str, version: int, view: str | None
) -> bool:
    # A question that was begun and ended otherwise, or has not ended, was asked in vain.
    found = connection.execute(
        "SELECT 1 FROM asked LEFT JOIN outcome ON outcome.asked = asked.id"
        " WHERE caller = ? AND study = ? AND version = ? AND view = ?"
        " AND coalesce(code, asked.outcome) IN ('repeated', 'answered', 'data') LIMIT 1",
        (caller, study, version, view),
    ).fetchone()
    return found is not None


def _answer(
    store: Store, connection: sqlite3.Connection, study: str, version: int, view: str | None
) -> Answer | None:
    found = connection.execute(
        "SELECT id, status, body FROM answer WHERE study = ? AND version = ? AND view = ?",
        (study, version, view),
    ).fetchone()
    if found is None:
        return None
    row, status, body = found
    if not store.holds(connection, "answer", row):
        raise ValueError("an answer was changed")  # as other damage of the file
    return Answer(status, zlib.decompress(body))


def _end(store: Store, connection: sqlite3.Connection, receipt: Receipt, code: str) -> None:
    if receipt.row is None:
        raise BrokenPromiseError("a question that the ledger does not hold has been answered")
    values = {"at": stamp(), "asked": receipt.row, "code": code}
    store.append(connection, "outcome", values, unless_there=True)
