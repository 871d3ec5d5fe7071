"""What has left, without values; and whether something more may leave beside it.

One SQLite file in a folder of the custodian's. A study's versions are told apart by keyed
sketches of their columns: a sketch says whether a column has changed, and in at least how many
rows, but no value can be read from it without the key of the file. It is the file's own, so that
the same people are recognised whatever the secret.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from discreet.errors import InputError, LeavingError
from discreet.lines import Lines
from discreet.provenance import Provenance
from discreet.records.outputs import TABLES, TABLES_MADE, check_words
from discreet.records.store import Schema, Store, stamp
from discreet.register import copies, rules
from discreet.register.copies import CopyThatLeft
from discreet.register.rules import Known, ReleaseRecord, Version
from discreet.secret import WORD, Secret
from discreet.sketch import BUCKETS, Sketch

REGISTER = Schema(
    name="register",
    number=10,
    elsewhere="put the policy beside one that is",
    verify="discreet log --verify",
    again="`discreet register begin --lost REASON` (with --policy FILE, if it lies beside one)"
    " begins another, which knows nothing of what left before",
    tables=(
        *("beginning", "version", "choice", "sketch", "leaving", "withdrawal"),
        *("provenance", "lines", "answer", *TABLES),
    ),
    made=(
        """CREATE TABLE IF NOT EXISTS beginning (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, reason TEXT NOT NULL)""",
        # `secret` is a keyed fingerprint of the one that its copy is made with.
        """CREATE TABLE IF NOT EXISTS version (
        id INTEGER PRIMARY KEY, study TEXT NOT NULL, number INTEGER NOT NULL,
        settings TEXT NOT NULL, secret TEXT NOT NULL, opened TEXT NOT NULL)""",
        """CREATE TABLE IF NOT EXISTS choice (
        version INTEGER NOT NULL REFERENCES version, what TEXT NOT NULL, value TEXT NOT NULL,
        UNIQUE (version, what))""",
        """CREATE TABLE IF NOT EXISTS sketch (
        version INTEGER NOT NULL REFERENCES version, what TEXT NOT NULL, mark TEXT NOT NULL,
        buckets BLOB NOT NULL, UNIQUE (version, what))""",
        """CREATE TABLE IF NOT EXISTS leaving (
        id INTEGER PRIMARY KEY, version INTEGER NOT NULL REFERENCES version, at TEXT NOT NULL,
        kind TEXT NOT NULL, columns TEXT NOT NULL, method TEXT NOT NULL, form TEXT NOT NULL)""",
        "CREATE INDEX IF NOT EXISTS sketch_mark ON sketch (mark)",
        "CREATE INDEX IF NOT EXISTS leaving_version ON leaving (version)",
        # That nothing of a version was given away, by the custodian's word.
        """CREATE TABLE IF NOT EXISTS withdrawal (
        id INTEGER PRIMARY KEY, version INTEGER NOT NULL UNIQUE REFERENCES version,
        at TEXT NOT NULL, reason TEXT NOT NULL)""",
        """CREATE TABLE IF NOT EXISTS provenance (
        id INTEGER PRIMARY KEY, leaving INTEGER NOT NULL REFERENCES leaving, digest TEXT NOT NULL,
        checksum TEXT NOT NULL, told TEXT NOT NULL)""",
        "CREATE INDEX IF NOT EXISTS provenance_digest ON provenance (digest)",
        "CREATE INDEX IF NOT EXISTS provenance_checksum ON provenance (checksum)",
        """CREATE TABLE IF NOT EXISTS lines (
        id INTEGER PRIMARY KEY, provenance INTEGER NOT NULL REFERENCES provenance,
        rows INTEGER NOT NULL, digests BLOB NOT NULL)""",
        # What the data behind a copy were asked, by which terms, and what became of it: never a
        # number. Studies of one copy have the same noise, so they have one list.
        """CREATE TABLE IF NOT EXISTS answer (
        id INTEGER PRIMARY KEY, version INTEGER NOT NULL REFERENCES version, copy TEXT NOT NULL,
        terms TEXT NOT NULL, at TEXT NOT NULL, who TEXT NOT NULL, question TEXT NOT NULL,
        outcome TEXT NOT NULL)""",
        "CREATE INDEX IF NOT EXISTS answer_copy ON answer (copy)",
        *TABLES_MADE,
    ),
)


MARK = "discreet.register"
"""What says in the folder of the policy, or of the user's own secret, that a register was begun."""
MOST_WITHDRAWN = 2


class Register:
    """The register in a folder, of copies made with a secret.

    `home` is where the secret lies, and the `MARK` that it was begun.
    """

    def __init__(self, folder: Path, secret: Secret, home: Path) -> None:
        self._secret = secret
        self.store = Store(folder, REGISTER, home / MARK)

    @property
    def key(self) -> Secret:
        """What data are recognised by: a key of the file's own."""
        return self.store.key

    @cached_property
    def fingerprint(self) -> str:
        """What the secret in force is recognised by."""
        return self.key.digest("secret", self._secret.digest("fingerprint")).hex()[:32]

    def version(self, study: str) -> int:
        """Return the number of a study's version in force; 1 where nothing of it has left."""
        with self.store.reading() as connection:
            last = latest(connection, study)
            return next_number(connection, study) if last is None else last.number

    def knows(self, study: str | None, drawn: Mapping[str, Sketch] = rules.NOTHING) -> bool:
        """Whether something of a study has left, and all that is now drawn was recorded then."""
        if study is None:
            return False
        with self.store.reading() as connection:
            version = latest(connection, study)
            known = {} if version is None else sketches_of(connection, version)
        same = (what in known and known[what].mark == new.mark for what, new in drawn.items())
        return version is not None and all(same)

    def left_under(self, study: str | None) -> Mapping[str, Any] | None:
        """Return the settings of a study's latest version; None where it has none."""
        if study is None:
            return None
        with self.store.reading() as connection:
            last = latest(connection, study)
            return None if last is None else last.settings

    def choices(self, study: str | None, what: str) -> dict[str, str]:
        """Return the choices of one sort that the latest version of a study was released with."""
        if study is None:
            return {}
        with self.store.reading() as connection:
            version = latest(connection, study)
            choices = {} if version is None else choices_of(connection, version)
        return {name: value for name, value in choices.items() if name.startswith(what)}

    def release(
        self, records: Sequence[ReleaseRecord], every: Callable[[], Mapping[str, Sketch]]
    ) -> None:
        """Record that things of one study are released together, or refuse all of them.

        `every` returns the sketches of all columns; it is called when a version is first recorded
        or something is released that it does not know, so that the same data are recognised under
        another name, and other data under a known one.
        """
        whole = self._whole(records, every)
        records = [replace(it, secret=self.fingerprint) for it in records]
        with self.store.writing() as connection:
            for record in records:
                _release(
                    self.store, connection, record, {**whole, **record.sketches}, whole=bool(whole)
                )

    def check(self, record: ReleaseRecord, every: Callable[[], Mapping[str, Sketch]]) -> None:
        """Refuse what `release` would refuse now, and record nothing."""
        whole = self._whole([record], every)
        record = replace(record, secret=self.fingerprint)
        with self.store.reading() as connection:
            _compare(connection, record, {**whole, **record.sketches}, whole=bool(whole))

    def _whole(
        self, records: Sequence[ReleaseRecord], every: Callable[[], Mapping[str, Sketch]]
    ) -> Mapping[str, Sketch]:
        """Return the sketches of all columns, where what is drawn is not known by its own."""
        drawn = {what: sketch for record in records for what, sketch in record.sketches.items()}
        return {} if self.knows(records[0].study, drawn) else every()

    def open_version(
        self,
        record: ReleaseRecord,
        sketch: Callable[[str], Sketch | None],
        every: Callable[[], Mapping[str, Sketch]] = dict,
    ) -> int:
        """Open the next version of a study for changed data or a changed policy; return its number.

        What is to be `record`-ed says what the policy from now on is. `sketch` sketches anew what a
        recorded sketch is of, or returns None where that is gone; `every` returns all sketches by
        which the data are to be recognised from now on. A changed column must have changed in at
        least 10 k rows. Refused, too, where nothing was released yet or nothing has changed, where
        the next copy may not leave, and where another process opened a version or released
        something meanwhile.
        """
        study = record.study or rules.UNNAMED
        with self.store.reading() as connection:
            before = _version_to_follow(connection, study)
            recorded = sketches_of(connection, before)
        # Before the transaction, for it takes long, and whoever asks the server meanwhile waits.
        tried = {what: sketch(what) for what in recorded}
        again = {what: new for what, new in tried.items() if new is not None}
        fresh = {**every(), **again}
        record = replace(record, secret=self.fingerprint)
        with self.store.writing() as connection:
            last = _version_to_follow(connection, study)
            known, chosen = sketches_of(connection, last), choices_of(connection, last)
            rules.check_version(study, before.number, last.number)
            if not known.keys() <= tried.keys():
                raise LeavingError(
                    f"something of study {study!r} was released while its new version was being"
                    " opened; open it again"
                )
            changed = dict(last.settings) != dict(record.settings)
            changed |= any(chosen.get(what, it) != it for what, it in record.choices.items())
            changed |= any(new.mark != known[what].mark for what, new in again.items())
            for version in all_versions(connection):
                if version.study == study:
                    earlier = sketches_of(connection, version)
                    rules.check_many_changed(version, earlier, fresh, record.k)
            if not changed:
                raise InputError(
                    f"neither the data nor the policy of study {study!r} has changed; say what is"
                    " to change: kinds (--kinds a=categorical) or the policy file"
                )
            check_persons(connection, record, fresh)
            version = insert(self.store, connection, record)
            remember(self.store, connection, version, {}, fresh)
            return version.number

    def begin(self, reason: str) -> None:
        """Begin a register in place of one that is lost, and say why in its first row.

        Refused where none is lost. It knows nothing of what left before.
        """
        words = _reason(reason)
        with self.store.beginning_again() as connection:
            self.store.append(connection, "beginning", {"at": stamp(), "reason": words})

    def withdraw(self, study: str, reason: str, number: int | None = None) -> int:
        """Record that nothing of a version of a study was given away; return its number.

        It counts no more among the copies of its people, and the study begins another version; its
        rows and sketches stay, by which the same people are withdrawn twice at most. `number` is
        by default that of the version in force.
        """
        words = _reason(reason)
        with self.store.writing() as connection:
            version = _version_to_withdraw(connection, study, number)
            left = "SELECT 1 FROM leaving WHERE version = ? AND kind = ?"
            if connection.execute(left, (version.id, rules.STUDY_FILE)).fetchone():
                raise LeavingError(
                    f"version {version.number} of study {study!r} was published as a study file, so"
                    " it was given away and cannot be withdrawn; open a new version of it instead:"
                    " `discreet version new`"
                )
            known = sketches_of(connection, version)
            before = [
                it
                for it in withdrawn(connection)
                if it.study == study or copies.share_persons(sketches_of(connection, it), known)
            ]
            if len(before) >= MOST_WITHDRAWN:
                raise LeavingError(
                    f"versions of study {study!r}, or of the same people under other names, were"
                    " withdrawn twice, which is the most; draw by the policy, the secret and the"
                    " version in force"
                )
            row = {"version": version.id, "at": stamp(), "reason": words}
            self.store.append(connection, "withdrawal", row)
            return version.number

    def declared(self) -> list[dict[str, Any]]:
        """Return what the custodian declared, oldest first: beginnings and withdrawals.

        Of each: study, version, time (at), kind and reason; a beginning is of no study.
        """
        with self.store.reading() as connection:
            rows = connection.execute(
                "SELECT '', 0, at, 'beginning', reason FROM beginning UNION ALL"
                " SELECT study, number, at, 'withdrawal', reason FROM withdrawal"
                " JOIN version ON version.id = withdrawal.version ORDER BY at"
            ).fetchall()
        return [dict(zip(DECLARED, row, strict=True)) for row in rows]

    def answered(self, copy: str) -> list[dict[str, str]]:
        """Return what the data behind a copy were asked, by all studies of it, oldest first.

        Of each: when (at), who, the question as JSON, and its outcome, "answered" or a refusal.
        """
        with self.store.reading() as connection:
            return answers_of(connection, copy)

    def record_answers(
        self, study: str, copy: str, terms: str, new: Sequence[Mapping[str, str]], before: int
    ) -> None:
        """Record what the data behind the copy of a study were asked, and what became of it.

        `new` have who, question and outcome; `terms` are the noise and the numbers of the policy,
        which are one for a copy; `before` is how many questions were known when it was decided.
        """
        with self.store.writing() as connection:
            version = latest(connection, study)
            if version is None:
                raise LeavingError(
                    f"nothing of study {study!r} was published yet; publish it before its data are"
                    " asked: discreet protect FILE -o STUDY.discreet"
                )
            earlier = answers_of(connection, copy)
            if len(earlier) != before:
                raise LeavingError(
                    f"study {study!r} was asked by another process meanwhile; answer again"
                )
            if {it["terms"] for it in earlier} - {terms}:
                raise LeavingError(
                    "answer_noise, answers or k of the policy are other ones than those by which "
                    "these data were answered before, maybe for another study of them; set them"
                    " back, or ask when the data have changed"
                )
            for it in new:
                row = {"version": version.id, "copy": copy, "terms": terms, "at": stamp(), **it}
                self.store.append(connection, "answer", row)

    def note(
        self, study: str | None, form: str, provenance: Provenance, lines: Lines | None = None
    ) -> None:
        """Record the provenance of what a study released last in a form, and its lines."""
        with self.store.writing() as connection:
            last = connection.execute(
                "SELECT max(leaving.id) FROM leaving JOIN version ON version.id = leaving.version"
                " WHERE study = ? AND form = ?",
                (study or rules.UNNAMED, form),
            ).fetchone()
            if last[0] is not None:
                _keep(self.store, connection, last[0], provenance, lines)

    def released(
        self, *, id_: str | None = None, checksum: str | None = None
    ) -> list[tuple[dict[str, Any], Provenance]]:
        """Return what was released with a provenance, oldest first: all, or of one id or checksum.

        Of each its study, version, time (at), kind, columns, method and form, as of `history`.
        """
        wanted = {"digest": id_, "checksum": checksum}
        given = {name: it for name, it in wanted.items() if it is not None}
        where = " AND ".join(f"provenance.{name} = ?" for name in given) or "TRUE"
        with self.store.reading() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(LEFT)}, told FROM provenance"
                " JOIN leaving ON leaving.id = provenance.leaving"
                " JOIN version ON version.id = leaving.version"
                f" WHERE {where} ORDER BY provenance.id",
                [*given.values()],
            ).fetchall()
        return [(_history_row(row[:-1]), Provenance.from_text(row[-1])) for row in rows]

    def lines(self) -> list[tuple[dict[str, Any], Provenance, Lines]]:
        """Return what released tables of text are recognised by, oldest first, with `released`."""
        with self.store.reading() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(LEFT)}, told, rows, digests FROM lines"
                " JOIN provenance ON provenance.id = lines.provenance"
                " JOIN leaving ON leaving.id = provenance.leaving"
                " JOIN version ON version.id = leaving.version ORDER BY lines.id"
            ).fetchall()
        return [
            (_history_row(of), Provenance.from_text(told), Lines.from_bytes(digests, many))
            for *of, told, many, digests in rows
        ]

    def settings(self, study: str, number: int) -> Mapping[str, Any]:
        """Return what was to stay the same for all that one version of a study released."""
        with self.store.reading() as connection:
            found = [*all_versions(connection), *withdrawn(connection)]
        of = [it.settings for it in found if (it.study, it.number) == (study, number)]
        return of[0] if of else {}

    def history(self, study: str | None = None) -> list[dict[str, Any]]:
        """Return what has left, of one study or of any, oldest first.

        Of each: study, version, time (at), kind, columns, method and form.
        """
        with self.store.reading() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(LEFT)} FROM leaving"
                " JOIN version ON version.id = leaving.version"
                " WHERE ? IS NULL OR study = ? ORDER BY leaving.id",
                (study, study),
            ).fetchall()
        return [_history_row(row) for row in rows]


LEFT = ("study", "number", "at", "kind", "columns", "method", "form")
"""What the register says of a release."""
ANSWERED = ("at", "who", "question", "outcome", "terms")
DECLARED = ("study", "version", "at", "kind", "reason")


def _history_row(row: Sequence[Any]) -> dict[str, Any]:
    study, number, at, kind, columns, method, form = row
    row_of = {"study": study, "version": number, "at": at, "kind": kind}
    return row_of | {"columns": json.loads(columns), "method": method, "form": form}


def _reason(reason: str) -> str:
    words = check_words(reason)
    if not words:
        raise InputError("give a reason in some words: it is kept, and `discreet log` shows it")
    return words


def _version_to_withdraw(connection: sqlite3.Connection, study: str, number: int | None) -> Version:
    live = [it for it in all_versions(connection) if study and it.study == study]
    found = [it for it in live if number in (None, it.number)]
    if not found:
        which = f"study {study!r}" if number is None else f"version {number} of study {study!r}"
        gone = any(it.study == study and number == it.number for it in withdrawn(connection))
        raise InputError(
            f"{which} was already withdrawn"
            if gone
            else f"nothing of {which} was released; `discreet log --released` lists what was"
        )
    return found[-1]


def _version_to_follow(connection: sqlite3.Connection, study: str) -> Version:
    """Return the latest version of a study, which another is to follow, if one may."""
    last = latest(connection, study)
    if last is None:
        raise InputError(
            f"nothing of study {study!r} was released yet, so no new version is needed; just "
            "save what is to be released"
        )
    return last


def _release(
    store: Store,
    connection: sqlite3.Connection,
    record: ReleaseRecord,
    sketches: Mapping[str, Sketch],
    *,
    whole: bool,
) -> None:
    """Compare what is about to be released with what was before, and record it."""
    own, alike = _compare(connection, record, sketches, whole=whole)
    if own is None and record.study is None and alike:
        own = alike[0]
    if own is None:
        own = insert(store, connection, record)
    remember(store, connection, own, record.choices, sketches)
    left_now = {
        "version": own.id,
        "at": stamp(),
        "kind": record.kind,
        "columns": json.dumps(record.columns),
        "method": record.method,
        "form": record.form,
    }
    leaving = store.append(connection, "leaving", left_now)
    for text in record.provenance:
        _keep(store, connection, leaving, Provenance.from_text(text), record.lines)


def _keep(
    store: Store,
    connection: sqlite3.Connection,
    leaving: int | None,
    provenance: Provenance,
    lines: Lines | None = None,
) -> None:
    kept = {"leaving": leaving, "digest": provenance.id, "checksum": provenance.checksum}
    row = store.append(connection, "provenance", {**kept, "told": provenance.to_text()})
    if lines is not None:
        of = {"provenance": row, "rows": lines.rows}
        store.append(connection, "lines", {**of, "digests": lines.to_bytes()})


def _compare(
    connection: sqlite3.Connection,
    record: ReleaseRecord,
    sketches: Mapping[str, Sketch],
    *,
    whole: bool,
) -> tuple[Version | None, list[Version]]:
    """Refuse what may not be released beside what was before.

    Returns the study's latest version, and those of the same data under other names.
    """
    own = None if record.study is None else latest(connection, record.study)
    # By the whole table: the columns that are drawn may be such as any table could hold.
    table = sketches if own is None else {**sketches_of(connection, own), **sketches}
    alike = same_data(connection, table, record.study, whole=whole or own is not None)
    fresh = [it for it in rules.values_of(sketches) if it.distinctive]
    for version in all_versions(connection, record.study) if fresh else ():
        values, few = rules.values_of(sketches_of(connection, version)), record.fewer_than(version)
        nearly = any(old.resembles(new, few) for old in values for new in fresh)
        rules.check_not_nearly(record, version, nearly)
    for version in [*([own] if own else []), *alike]:
        rules.compare(record, version, choices_of(connection, version))
        known = sketches_of(connection, version)
        rules.check_names(record.sketches, known)
        if version.study == (record.study or rules.UNNAMED):
            rules.check_unchanged(record, version, known, sketches)
    if own is not None and whole:
        rules.check_same_table(own, sketches, sketches_of(connection, own))
    for version in [*([own] if own else []), *alike]:
        rules.check_copy(record, version, choices_of(connection, version))
    check_ways(connection, record, table)
    if own is None:
        check_persons(connection, record, sketches)
    else:
        check_copies(connection, record, table)
    return own, alike


def latest(connection: sqlite3.Connection, study: str) -> Version | None:
    """Return the latest version of a study that was not withdrawn, where there is one."""
    query = f"{VERSIONS} AND study = ? ORDER BY number DESC"
    row = connection.execute(query, (study,)).fetchone()
    return None if row is None else _version(row)


def next_number(connection: sqlite3.Connection, study: str) -> int:
    """Return the number of the next version of a study, whatever was withdrawn."""
    query = "SELECT coalesce(max(number), 0) + 1 FROM version WHERE study = ? AND study != ''"
    return int(connection.execute(query, (study,)).fetchone()[0])


def all_versions(connection: sqlite3.Connection, but_for: str | None = None) -> list[Version]:
    """Return the versions of all studies, or all but one, oldest first; none that was withdrawn.

    What has no name is other than all that left.
    """
    found = map(_version, connection.execute(f"{VERSIONS} ORDER BY id").fetchall())
    return [
        version for version in found if version.study == rules.UNNAMED or version.study != but_for
    ]


def withdrawn(connection: sqlite3.Connection) -> list[Version]:
    """Return the versions that were withdrawn, oldest first."""
    query = VERSIONS.replace("NOT IN", "IN")
    return [*map(_version, connection.execute(f"{query} ORDER BY id").fetchall())]


def check_ways(connection: sqlite3.Connection, record: ReleaseRecord, known: Known) -> None:
    """Refuse what may not leave beside what the papers' methods made of the same people."""
    names = (rules.COPY_OF_TABLE, *rules.WAYS)
    rows = connection.execute(
        f"SELECT version, what, value FROM choice WHERE what IN ({', '.join('?' * len(names))})"
        " AND version IN (SELECT version FROM leaving)",
        names,
    )
    chosen: dict[int, dict[str, str]] = {}
    for id_, what, value in rows.fetchall():
        chosen.setdefault(id_, {})[what] = value
    for version in all_versions(connection):
        refused = rules.other_way(record, version, chosen.get(version.id, {}))
        if refused is None:
            continue
        own = record.study is not None and version.study == record.study
        if own or copies.share_persons(sketches_of(connection, version), known):
            raise refused


def check_copies(connection: sqlite3.Connection, record: ReleaseRecord, known: Known) -> None:
    """Refuse a copy that may not leave beside those of which something was released.

    The same copy once more tells no more, and what is no copy adds up to none.
    """
    rows = connection.execute(
        "SELECT version, value FROM choice WHERE what = ?"
        " AND version IN (SELECT version FROM leaving)"
        " AND version NOT IN (SELECT version FROM withdrawal)",
        (rules.COPY_OF_TABLE,),
    )
    found = dict(rows.fetchall())
    if record.choices.get(rules.COPY_OF_TABLE) in {None, *found.values()}:
        return
    left = [
        CopyThatLeft(version, found[version.id], sketches_of(connection, version))
        for version in all_versions(connection)
        if version.id in found
    ]
    copies.check_copies(record, known, left)


VERSIONS = (
    "SELECT id, study, number, settings, secret FROM version"
    " WHERE id NOT IN (SELECT version FROM withdrawal)"
)


def _version(row: Sequence[Any]) -> Version:
    id_, study, number, settings, secret = row
    return Version(id_, study, number, json.loads(settings), secret)


def choices_of(connection: sqlite3.Connection, version: Version) -> dict[str, str]:
    """Return what was chosen for a version."""
    rows = connection.execute("SELECT what, value FROM choice WHERE version = ?", (version.id,))
    return dict(rows.fetchall())


def answers_of(connection: sqlite3.Connection, copy: str) -> list[dict[str, str]]:
    """Return what the data behind a copy were asked, oldest first."""
    rows = connection.execute(
        f"SELECT {', '.join(ANSWERED)} FROM answer WHERE copy = ? ORDER BY id", (copy,)
    )
    return [dict(zip(ANSWERED, row, strict=True)) for row in rows.fetchall()]


def sketches_of(connection: sqlite3.Connection, version: Version) -> dict[str, Sketch]:
    """Return by what a version is recognised."""
    rows: Sequence[tuple[str, str, bytes]] = connection.execute(
        "SELECT what, mark, buckets FROM sketch WHERE version = ?", (version.id,)
    ).fetchall()
    return {what: _unpack_sketch(mark, packed) for what, mark, packed in rows}


@lru_cache(maxsize=128)  # 20 MB; each release looks at all that its study is recognised by
def _unpack_sketch(mark: str, packed: bytes) -> Sketch:
    """Unpack a sketch: buckets, and the smallest digests, where it has any."""
    unpacked, ends = zlib.decompress(packed), BUCKETS * WORD.itemsize
    return Sketch(
        mark, np.frombuffer(unpacked[:ends], np.int64), np.frombuffer(unpacked[ends:], WORD)
    )


def insert(store: Store, connection: sqlite3.Connection, record: ReleaseRecord) -> Version:
    """Record the next version of a study."""
    study = record.study or rules.UNNAMED
    number, kept = next_number(connection, study), json.dumps(record.settings, sort_keys=True)
    values = {"study": study, "number": number, "settings": kept, "secret": record.secret}
    id_ = store.append(connection, "version", {**values, "opened": stamp()}) or 0
    return Version(id_, study, number, record.settings, record.secret)


def remember(
    store: Store,
    connection: sqlite3.Connection,
    version: Version,
    choices: Mapping[str, str],
    sketches: Mapping[str, Sketch],
) -> None:
    """Record what was chosen for a version and by what it is recognised, as far as it is new."""
    for what, value in choices.items():
        of = {"version": version.id, "what": what}
        store.append(connection, "choice", {**of, "value": value}, unless_there=True)
    query = "SELECT what FROM sketch WHERE version = ?"
    there = {what for (what,) in connection.execute(query, (version.id,))}
    for what, sketch in sketches.items():
        if what in there:
            continue  # packing it takes longer than all else that a release writes
        of = {"version": version.id, "what": what, "mark": sketch.mark}
        packed = zlib.compress(sketch.buckets.tobytes() + sketch.smallest.tobytes(), 1)
        store.append(connection, "sketch", {**of, "buckets": packed})


def same_data(
    connection: sqlite3.Connection, sketches: Known, study: str | None, *, whole: bool
) -> list[Version]:
    """Find the latest versions of other studies that hold one of these columns.

    One that could be in any table does not count; but where the `whole` table has none but
    such columns, what holds all of them does.
    """
    versions_with = {}
    for what, sketch in sketches.items():
        if sketch.distinctive or what.startswith(rules.COLUMN):
            rows = connection.execute("SELECT version FROM sketch WHERE mark = ?", (sketch.mark,))
            versions_with[what] = [id_ for (id_,) in rows]
    found = dict.fromkeys(
        id_ for what in versions_with if sketches[what].distinctive for id_ in versions_with[what]
    )
    columns = [what for what in versions_with if what.startswith(rules.COLUMN)]
    if columns and whole and not any(sketches[what].distinctive for what in columns):
        found |= dict.fromkeys(set.intersection(*(set(versions_with[what]) for what in columns)))
    versions = {version.id: version for version in all_versions(connection)}
    return [
        version
        for version in (versions[id_] for id_ in found if id_ in versions)
        if version.study == rules.UNNAMED
        or (version.study != study and version == latest(connection, version.study))
    ]


def check_persons(connection: sqlite3.Connection, record: ReleaseRecord, sketches: Known) -> None:
    """Refuse a new version that may not be released beside what left of the same people.

    The same data again are no further look at them.
    """
    others = all_versions(connection, record.study)
    known_of = {version.id: sketches_of(connection, version) for version in others}
    if not any(rules.fits(known, sketches) for known in known_of.values()):
        for version in others:
            rules.check_beside(record, version, known_of[version.id], sketches)
    check_copies(connection, record, sketches)
