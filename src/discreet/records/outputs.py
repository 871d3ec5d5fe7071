"""What was handed to an output checker, and what was said and decided of it.

An output is one file, known by the digest of its bytes: one that was changed is another output,
of which nothing was decided yet. An approval holds for the policy and the study version that were
in force when it was given.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from discreet.errors import InputError, one_of, path_in_words
from discreet.records.store import Store, stamp

TABLES = ("output", "review", "decision")
"""The tables that outputs take, and what makes them.

A file that is changed is another output, so that what was decided of one never holds for the other.
A decision has the policy (a digest) and the version of the study that were in force.
"""
TABLES_MADE = (
    """CREATE TABLE IF NOT EXISTS output (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, study TEXT NOT NULL, version TEXT NOT NULL,
    name TEXT NOT NULL, digest TEXT NOT NULL, record TEXT NOT NULL, body BLOB,
    UNIQUE (study, name, digest))""",
    """CREATE TABLE IF NOT EXISTS review (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, output INTEGER NOT NULL REFERENCES output,
    what TEXT NOT NULL, text TEXT NOT NULL, caller TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS review_output ON review (output)",
    """CREATE TABLE IF NOT EXISTS decision (
    id INTEGER PRIMARY KEY, review INTEGER NOT NULL UNIQUE REFERENCES review,
    policy TEXT NOT NULL, version TEXT NOT NULL)""",
)

COMMENT, APPROVED, REJECTED = "comment", "approved", "rejected"
REVIEWS = (COMMENT, APPROVED, REJECTED)
"""What can be said of an output: a comment, or what a checker decided."""
WAITING = "waiting"
"""How an output stands of which nothing is decided."""
EARLIER = "checked under an earlier policy or version"
MOST_LETTERS = 2000
#: A file's bytes are kept up to here, so that the custodian's page can show it.
MOST_BYTES = 2 * 2**20
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True)
class InForce:
    """The rules in force at a time: a keyed digest of the policy, and the study version."""

    policy: str
    version: str


@dataclass(frozen=True)
class Review:
    """What was said of an output: when (UTC), which of `REVIEWS`, its words, and by whom.

    `caller` is the token it was said with; empty on the command line, where the register knows of
    nobody. `under` are the rules that were in force when it was decided; None of a comment.
    """

    at: str
    what: str
    text: str
    caller: str
    under: InForce | None = None


@dataclass(frozen=True)
class Output:
    """A file that was handed in: `digest` is its SHA-256, `record` what its checker reads of it.

    `version` and the record's "policy" are the rules that it was checked under, and `kept` says
    whether its bytes are here, too.
    """

    id: int
    at: str
    study: str
    version: str
    name: str
    digest: str
    record: Mapping[str, Any]
    kept: bool
    reviews: tuple[Review, ...] = ()

    @property
    def decision(self) -> Review | None:
        """The last decision, which stands; None while it waits for one."""
        decided = [it for it in self.reviews if it.what != COMMENT]
        return decided[-1] if decided else None

    def state(self, now: InForce) -> Literal["waiting", "approved", "outdated", "rejected"]:
        """Say what became of it so far, under the rules that are in force now.

        An approval under other rules is "outdated", and waits for another decision; a rejection
        stands.
        """
        if self.decision is None:
            return "waiting"
        if self.decision.what == REJECTED:
            return "rejected"
        return "approved" if self.decision.under == now else "outdated"

    def status(self, now: InForce) -> Literal["pass", "review"]:
        """Say whether it passed its checks under the rules that are in force now."""
        passed = self.record["status"] == "pass" and self._checked_under(now)
        return "pass" if passed else "review"

    def passes_by_itself(self, now: InForce) -> bool:
        """Say whether it may be approved without a reason: it passed, and nobody rejected it."""
        rejected = self.decision is not None and self.decision.what == REJECTED
        return self.status(now) == "pass" and not rejected

    def says(self, now: InForce) -> tuple[str, ...]:
        """Return what was checked, a few words each."""
        earlier = () if self._checked_under(now) else (EARLIER,)
        return (*self.record["says"], *earlier)

    def _checked_under(self, now: InForce) -> bool:
        return InForce(self.record.get("policy", ""), self.version) == now

    @property
    def comments(self) -> tuple[str, ...]:
        """What was said of it, oldest first."""
        return tuple(it.text for it in self.reviews if it.what == COMMENT)


def hand_in(
    store: Store, study: str, now: InForce, path: Path, digest: str, record: Mapping[str, Any]
) -> Output:
    """Record a file that is handed to a checker, once; return the output.

    `digest` is the SHA-256 of what was checked under the rules in force `now`, and `record` what
    the checker reads of it: its "status" is "pass" where it passed its checks, and "says" is what
    was checked. A file that is another by now is refused.
    """
    with path.open("rb") as file:
        start = file.read(MOST_BYTES + 1)
        file.seek(0)
        found = hashlib.file_digest(file, "sha256").hexdigest()
    small = len(start) <= MOST_BYTES
    if found != digest or (small and hashlib.sha256(start).hexdigest() != digest):
        raise InputError(
            f"{path_in_words(path)} was changed while it was being collected; collect it again"
        )
    return _record_output(store, study, now, path.name, digest, start, record)


def hand_in_bytes(
    store: Store, study: str, now: InForce, name: str, body: bytes, record: Mapping[str, Any]
) -> Output:
    """Record a file that was just made and is handed to a checker, as `hand_in` does."""
    digest = hashlib.sha256(body).hexdigest()
    return _record_output(store, study, now, name, digest, body, record)


def _record_output(
    store: Store,
    study: str,
    now: InForce,
    name: str,
    digest: str,
    body: bytes,
    record: Mapping[str, Any],
) -> Output:
    values = {
        "at": stamp(),
        "study": study,
        "version": now.version,
        "name": name,
        "digest": digest,
        "record": json.dumps({**record, "policy": now.policy}, sort_keys=True),
        "body": zlib.compress(body) if len(body) <= MOST_BYTES else None,
    }
    with store.writing() as connection:
        store.append(connection, "output", values, unless_there=True)
        fits = (name, digest)
        (found,) = [it for it in _outputs(store, connection, study) if (it.name, it.digest) == fits]
    return found


def review(
    store: Store, study: str, id_: int, what: str, text: str, now: InForce, caller: str = ""
) -> Output:
    """Record a comment on an output of a study, or what was decided of it; return the output.

    A comment needs words. So does a rejection, and the approval of what did not pass its checks or
    was rejected.
    `now` are the rules in force: an approval holds for as long as they do.

    Examples
    --------
    >>> from hashlib import sha256
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.register.register import REGISTER
    >>> from discreet.records.outputs import InForce, hand_in, review
    >>> from discreet.records.store import Store
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder), REGISTER)
    ...     file = Path(folder) / "bmi.svg"
    ...     _ = file.write_text("<svg/>")
    ...     digest = sha256(file.read_bytes()).hexdigest()
    ...     now, later = InForce("a", "1"), InForce("b", "1")
    ...     before = hand_in(store, "cohort.csv", now, file, digest, {"status": "pass", "says": []})
    ...     after = review(store, "cohort.csv", before.id, "approved", "", now)
    >>> before.state(now), after.state(now), after.state(later)
    ('waiting', 'approved', 'outdated')
    """
    if what not in REVIEWS:
        raise InputError(f"a review of an output must be one of {one_of(REVIEWS)}")
    words = check_words(text)
    with store.writing() as connection:
        found = [it for it in _outputs(store, connection, study) if it.id == id_]
        if not found:
            raise InputError("the study has no such output; `discreet outputs` lists all there are")
        if not words and not (what == APPROVED and found[0].passes_by_itself(now)):
            raise InputError(
                "give a reason: a comment, a rejection, and the approval of something that "
                "failed its checks or was rejected need some words"
            )
        values = {"at": stamp(), "output": id_, "what": what, "text": words, "caller": caller}
        row = store.append(connection, "review", values)
        if what != COMMENT:
            under = {"review": row, "policy": now.policy, "version": now.version}
            store.append(connection, "decision", under)
        (after,) = [it for it in _outputs(store, connection, study) if it.id == id_]
    return after


def check_words(text: str) -> str:
    """Return a comment or a reason without the space around it, or refuse it."""
    words = text.strip()
    if len(words) > MOST_LETTERS or UNPRINTABLE.search(words):
        raise InputError(
            f"a comment or reason has at most {MOST_LETTERS} letters, and no characters that "
            "cannot be printed"
        )
    return words


def list_outputs(store: Store, study: str | None = None) -> tuple[Output, ...]:
    """Return what was handed in of one study or of any, oldest first."""
    with store.reading() as connection:
        return _outputs(store, connection, study)


def file_of(store: Store, study: str, id_: int) -> bytes | None:
    """Return the bytes of an output that are kept; None where there are none."""
    with store.reading() as connection:
        found = connection.execute(
            "SELECT body FROM output WHERE study = ? AND id = ? AND body IS NOT NULL", (study, id_)
        ).fetchone()
        if found is None:
            return None
        store.check(connection, "output", id_)
    return zlib.decompress(found[0])


def _outputs(store: Store, connection: sqlite3.Connection, study: str | None) -> tuple[Output, ...]:
    # Of the bytes, whatever name they have: a rejected file is not another one by another name.
    reviews: dict[tuple[str, str], list[Review]] = {}
    query = (
        "SELECT review.id, study, digest, review.at, what, text, caller, decision.id,"
        " decision.policy, decision.version FROM review JOIN output ON output.id = output"
        " LEFT JOIN decision ON decision.review = review.id"
        " WHERE ?1 IS NULL OR study = ?1 ORDER BY review.id"
    )
    for row in connection.execute(query, (study,)):
        id_, of, digest, at, what, text, caller, decision, policy, version = row
        store.check(connection, "review", id_)
        if decision is not None:
            store.check(connection, "decision", decision)
        under = None if decision is None else InForce(policy, version)
        reviews.setdefault((of, digest), []).append(Review(at, what, text, caller, under))
    query = (
        "SELECT id, at, study, version, name, digest, record, body IS NOT NULL FROM output"
        " WHERE ?1 IS NULL OR study = ?1 ORDER BY id"
    )
    found = []
    for id_, at, of, version, name, digest, record, kept in connection.execute(query, (study,)):
        store.check(connection, "output", id_)
        read = json.loads(record)
        about = tuple(reviews.get((of, digest), ()))
        found.append(Output(id_, at, of, version, name, digest, read, bool(kept), about))
    return tuple(found)
