"""What was handed to an output checker, and what was said and decided of it.

An output is one file, known by the digest of its bytes: one that was changed is another output,
of which nothing was decided yet.
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
from discreet.ledger.chain import stamp
from discreet.ledger.store import Store

__all__ = [
    "APPROVED",
    "COMMENT",
    "MOST_LETTERS",
    "REJECTED",
    "REVIEWS",
    "Output",
    "Review",
    "file_of",
    "hand_in",
    "list_outputs",
    "review",
]

COMMENT, APPROVED, REJECTED = "comment", "approved", "rejected"
REVIEWS = (COMMENT, APPROVED, REJECTED)
"""What can be said of an output: a comment, or what a checker decided."""
MOST_LETTERS = 2000
#: A file's bytes are kept up to here, so that the custodian's page can show it.
MOST_BYTES = 2 * 2**20
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True)
class Review:
    """What was said of an output: when (UTC), which of `REVIEWS`, its words, and by whom.

    `caller` is the token it was said with; empty on the command line, where the ledger knows of
    nobody.
    """

    at: str
    what: str
    text: str
    caller: str


@dataclass(frozen=True)
class Output:
    """A file that was handed in: `digest` is its SHA-256, `record` what its checker reads of it.

    `kept` says whether its bytes are in the ledger, too.
    """

    id: int
    at: str
    study: str
    version: int
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

    @property
    def state(self) -> Literal["waiting", "approved", "rejected"]:
        """Say what became of it so far."""
        if self.decision is None:
            return "waiting"
        return "approved" if self.decision.what == APPROVED else "rejected"

    @property
    def comments(self) -> tuple[str, ...]:
        """What was said of it, oldest first."""
        return tuple(it.text for it in self.reviews if it.what == COMMENT)


def hand_in(
    store: Store, study: str, version: int, path: Path, digest: str, record: Mapping[str, Any]
) -> Output:
    """Record a file that is handed to a checker, once; return the output.

    `digest` is the SHA-256 of what was checked, and `record` what the checker reads of it; its
    "status" is "pass" where it passed its checks.

    Raises
    ------
    InputError
        If the file is another by now.
    """
    with path.open("rb") as file:
        start = file.read(MOST_BYTES + 1)
        file.seek(0)
        found = hashlib.file_digest(file, "sha256").hexdigest()
    small = len(start) <= MOST_BYTES
    if found != digest or (small and hashlib.sha256(start).hexdigest() != digest):
        raise InputError(
            f"{path_in_words(path)} was changed while it was collected; collect it again"
        )
    values = {
        "at": stamp(),
        "study": study,
        "version": version,
        "name": path.name,
        "digest": digest,
        "record": json.dumps(record, sort_keys=True),
        "body": zlib.compress(start) if small else None,
    }
    with store.writing() as connection:
        store.append(connection, "output", values, unless_there=True)
        fits = (path.name, digest)
        (now,) = [it for it in _outputs(store, connection, study) if (it.name, it.digest) == fits]
    return now


def review(store: Store, study: str, id_: int, what: str, text: str, caller: str = "") -> Output:
    """Record a comment on an output of a study, or what was decided of it; return the output.

    A comment needs words. So does a rejection, and the approval of what did not pass its checks.

    Examples
    --------
    >>> from hashlib import sha256
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.ledger.outputs import hand_in, review
    >>> from discreet.ledger.store import Store
    >>> from discreet.secret import Secret
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder), Secret.from_bytes(bytes(range(32))))
    ...     file = Path(folder) / "bmi.svg"
    ...     _ = file.write_text("<svg/>")
    ...     digest = sha256(file.read_bytes()).hexdigest()
    ...     before = hand_in(store, "cohort.csv", 1, file, digest, {"status": "pass"})
    ...     after = review(store, "cohort.csv", before.id, "approved", "")
    >>> before.state, after.state
    ('waiting', 'approved')
    """
    if what not in REVIEWS:
        raise InputError(f"what is said of an output is one of {one_of(REVIEWS)}")
    said = text.strip()
    if len(said) > MOST_LETTERS or UNPRINTABLE.search(said):
        raise InputError(
            f"a comment or reason has at most {MOST_LETTERS} letters, and no signs that cannot be"
            " printed"
        )
    with store.writing() as connection:
        found = [it for it in _outputs(store, connection, study) if it.id == id_]
        if not found:
            raise InputError("the study has no such output; `discreet outputs` lists all there are")
        passed = found[0].record.get("status") == "pass"
        if not said and not (what == APPROVED and passed):
            raise InputError(
                "say why: a comment, a rejection, and the approval of what did not pass its checks"
                " need some words"
            )
        values = {"at": stamp(), "output": id_, "what": what, "text": said, "caller": caller}
        store.append(connection, "review", values)
        (now,) = [it for it in _outputs(store, connection, study) if it.id == id_]
    return now


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
        _check(store, connection, "output", id_)
    return zlib.decompress(found[0])


def _outputs(store: Store, connection: sqlite3.Connection, study: str | None) -> tuple[Output, ...]:
    reviews: dict[int, list[Review]] = {}
    query = (
        "SELECT review.id, output, review.at, what, text, caller FROM review"
        " JOIN output ON output.id = output WHERE ?1 IS NULL OR study = ?1 ORDER BY review.id"
    )
    for id_, output, *said in connection.execute(query, (study,)).fetchall():
        _check(store, connection, "review", id_)
        reviews.setdefault(output, []).append(Review(*said))
    query = (
        "SELECT id, at, study, version, name, digest, record, body IS NOT NULL FROM output"
        " WHERE ?1 IS NULL OR study = ?1 ORDER BY id"
    )
    found = []
    for id_, at, of, version, name, digest, record, kept in connection.execute(query, (study,)):
        _check(store, connection, "output", id_)
        read = json.loads(record)
        about = tuple(reviews.get(id_, ()))
        found.append(Output(id_, at, of, version, name, digest, read, bool(kept), about))
    return tuple(found)


def _check(store: Store, connection: sqlite3.Connection, table: str, row: int) -> None:
    """Raise for a row that was changed, or written without the secret: approvals rest on it."""
    if not store.holds(connection, table, row):
        raise ValueError("an output or its review was changed")  # as other damage of the file
