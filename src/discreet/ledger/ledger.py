"""What has left, without values; and whether something more may leave beside it.

One SQLite file in a folder of the custodian's. A study's versions are told apart by keyed
sketches of their columns: a sketch says whether a column has changed, and in at least how many
rows, but no value can be read from it without the secret.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from discreet.errors import InputError, LeavingError
from discreet.ledger import rules
from discreet.ledger.rules import Known, ReleaseRecord, Version
from discreet.ledger.schema import LEDGER
from discreet.lines import Lines
from discreet.provenance import Provenance
from discreet.records.chain import stamp
from discreet.records.store import Store
from discreet.secret import WORD, Secret
from discreet.sketch import BUCKETS, WHOLE_ROWS, Sketch

__all__ = ["Ledger"]


class Ledger:
    """The ledger in a folder, every row of which is sealed with the custodian's secret."""

    def __init__(self, folder: Path, secret: Secret) -> None:
        self.store = Store(folder, secret, LEDGER)

    def version(self, study: str) -> int:
        """Return the number of a study's latest version; 1 where nothing of it has left."""
        with self.store.reading() as connection:
            last = latest(connection, study)
        return 1 if last is None else last.number

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
        with self.store.writing() as connection:
            for record in records:
                _release(
                    self.store,
                    connection,
                    record,
                    {**whole, **record.sketches},
                    whole=bool(whole),
                )

    def check(self, record: ReleaseRecord, every: Callable[[], Mapping[str, Sketch]]) -> None:
        """Refuse what `release` would refuse now, and record nothing."""
        whole = self._whole([record], every)
        with self.store.reading() as connection:
            _compared(connection, record, {**whole, **record.sketches}, whole=bool(whole))

    def _whole(
        self, records: Sequence[ReleaseRecord], every: Callable[[], Mapping[str, Sketch]]
    ) -> Mapping[str, Sketch]:
        """Return the sketches of all columns, where what is drawn is not known by its own."""
        drawn = {what: sketch for record in records for what, sketch in record.sketches.items()}
        return {} if self.knows(records[0].study, drawn) else every()

    def open_version(
        self,
        study: str,
        settings: Mapping[str, Any],
        choices: Mapping[str, str],
        sketch: Callable[[str], Sketch | None],
        *,
        k: int,
        most: int,
        every: Callable[[], Mapping[str, Sketch]] = dict,
        opened: Callable[[str], str] = rules.plain_command,
    ) -> int:
        """Open the next version of a study for changed data or a changed policy; return its number.

        `settings` and `choices` are what the policy from now on says. `sketch` sketches anew what a
        recorded sketch is of, or returns None where that is gone; `every` returns all sketches by
        which the data are to be recognised from now on. A changed column must have changed in at
        least 10 `k` rows, there may be `most` versions, and `opened` says how one of a study of
        some name is opened. Refused, too, where nothing was released yet or nothing has changed,
        and where another process opened a version or released something meanwhile.
        """
        with self.store.reading() as connection:
            before = _followed(connection, study, most)
            recorded = sketches_of(connection, before)
        # Before the transaction, for it takes long, and whoever asks the server meanwhile waits.
        tried = {what: sketch(what) for what in recorded}
        again = {what: new for what, new in tried.items() if new is not None}
        fresh = {**every(), **again}
        with self.store.writing() as connection:
            last = _followed(connection, study, most)
            known, chosen = sketches_of(connection, last), choices_of(connection, last)
            rules.check_version(study, before.number, last.number)
            if not known.keys() <= tried.keys():
                raise LeavingError(
                    f"something of study {study!r} was released while its new version was being"
                    " opened; open it again"
                )
            changed = dict(last.settings) != dict(settings)
            changed |= any(chosen.get(what, value) != value for what, value in choices.items())
            changed |= any(new.mark != known[what].mark for what, new in again.items())
            for version in all_versions(connection):
                if version.study == study:
                    rules.check_many_changed(version, sketches_of(connection, version), fresh, k)
            if not changed:
                raise InputError(
                    f"neither the data nor the policy of study {study!r} has changed; say what is"
                    " to change: -k, -m, kinds (--kinds a=categorical) or"
                    " the policy file"
                )
            next_ = ReleaseRecord(study, settings, {}, {}, k, versions=most, new_version=opened)
            others = related(connection, next_, fresh, last)
            number = last.number + 1
            new_version = insert(self.store, connection, study, number, settings)
            remember(self.store, connection, new_version, others, fresh)
            return new_version.number

    def note(
        self, study: str | None, form: str, told: Provenance, lines: Lines | None = None
    ) -> None:
        """Record the provenance of what a study released last in a form, and its lines."""
        with self.store.writing() as connection:
            last = connection.execute(
                "SELECT max(leaving.id) FROM leaving JOIN version ON version.id = leaving.version"
                " WHERE study = ? AND form = ?",
                (study or rules.UNNAMED, form),
            ).fetchone()
            if last[0] is not None:
                _keep(self.store, connection, last[0], told, lines)

    def released(
        self, *, id_: str | None = None, checksum: str | None = None
    ) -> list[tuple[dict[str, Any], Provenance]]:
        """Return what was released with a provenance, oldest first: all, or of one id or checksum.

        Of each its study, version, time (at), kind, columns, method and form, as of `history`.
        """
        asked = {"digest": id_, "checksum": checksum}
        given = {name: it for name, it in asked.items() if it is not None}
        where = " AND ".join(f"provenance.{name} = ?" for name in given) or "TRUE"
        with self.store.reading() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(LEFT)}, told FROM provenance"
                " JOIN leaving ON leaving.id = provenance.leaving"
                " JOIN version ON version.id = leaving.version"
                f" WHERE {where} ORDER BY provenance.id",
                [*given.values()],
            ).fetchall()
        return [(_left(row[:-1]), Provenance.from_text(row[-1])) for row in rows]

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
            (_left(of), Provenance.from_text(told), Lines.from_bytes(digests, many))
            for *of, told, many, digests in rows
        ]

    def settings(self, study: str, number: int) -> Mapping[str, Any]:
        """Return what was to stay the same for all that one version of a study released."""
        with self.store.reading() as connection:
            found = all_versions(connection)
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
        return [_left(row) for row in rows]


LEFT = ("study", "number", "at", "kind", "columns", "method", "form")
"""What the ledger says of a release."""


def _left(row: Sequence[Any]) -> dict[str, Any]:
    study, number, at, kind, columns, method, form = row
    told = {"study": study, "version": number, "at": at, "kind": kind}
    return told | {"columns": json.loads(columns), "method": method, "form": form}


def _followed(connection: sqlite3.Connection, study: str, most: int) -> Version:
    """Return the latest version of a study, which another is to follow, if one may."""
    last = latest(connection, study)
    if last is None:
        raise InputError(
            f"nothing of study {study!r} was released yet, so there is no version to follow;"
            " just save what is to be released"
        )
    if last.number >= most:
        raise LeavingError(
            f"study {study!r} has had all the versions its policy allows, because"
            " versions together give the changed rows away; `versions` of the policy"
            " says how many"
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
    own, alike, others = _compared(connection, record, sketches, whole=whole)
    if own is None and record.study is None and alike:
        own = alike[0]
    if own is None:
        own = insert(store, connection, record.study or rules.UNNAMED, 1, record.settings)
    remember(store, connection, own, {**record.choices, **others}, sketches)
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
    told: Provenance,
    lines: Lines | None = None,
) -> None:
    """Record what the files of a release carry, or are recognised by."""
    kept = {"leaving": leaving, "digest": told.id, "checksum": told.checksum}
    row = store.append(connection, "provenance", {**kept, "told": told.to_text()})
    if lines is not None:
        of = {"provenance": row, "rows": lines.rows}
        store.append(connection, "lines", {**of, "digests": lines.to_bytes()})


def _compared(
    connection: sqlite3.Connection,
    record: ReleaseRecord,
    sketches: Mapping[str, Sketch],
    *,
    whole: bool,
) -> tuple[Version | None, list[Version], dict[str, str]]:
    """Refuse what may not be released beside what was before.

    Returns the study's latest version, those of the same data under other names, and what is kept
    of those of the same persons.
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
    return own, alike, related(connection, record, sketches) if own is None else {}


def latest(connection: sqlite3.Connection, study: str) -> Version | None:
    """Return the latest version of a study, where there is one."""
    row = connection.execute(
        "SELECT id, study, number, settings FROM version WHERE study = ? ORDER BY number DESC",
        (study,),
    ).fetchone()
    return None if row is None else Version(row[0], row[1], row[2], json.loads(row[3]))


def all_versions(connection: sqlite3.Connection, but_for: str | None = None) -> list[Version]:
    """Return the versions of all studies, or all but one, oldest first.

    What has no name is other than all that left.
    """
    rows = connection.execute("SELECT id, study, number, settings FROM version ORDER BY id")
    found = [Version(row[0], row[1], row[2], json.loads(row[3])) for row in rows.fetchall()]
    return [
        version for version in found if version.study == rules.UNNAMED or version.study != but_for
    ]


def choices_of(connection: sqlite3.Connection, version: Version) -> dict[str, str]:
    """Return what was chosen for a version."""
    rows = connection.execute("SELECT what, value FROM choice WHERE version = ?", (version.id,))
    return dict(rows.fetchall())


def sketches_of(connection: sqlite3.Connection, version: Version) -> dict[str, Sketch]:
    """Return by what a version is recognised."""
    rows: Sequence[tuple[str, str, bytes]] = connection.execute(
        "SELECT what, mark, buckets FROM sketch WHERE version = ?", (version.id,)
    ).fetchall()
    return {what: _unpacked(mark, packed) for what, mark, packed in rows}


@lru_cache(maxsize=128)  # 20 MB; each release looks at all that its study is recognised by
def _unpacked(mark: str, packed: bytes) -> Sketch:
    """Unpack a sketch: buckets, and the smallest digests, where it has any."""
    held, ends = zlib.decompress(packed), BUCKETS * WORD.itemsize
    return Sketch(mark, np.frombuffer(held[:ends], np.int64), np.frombuffer(held[ends:], WORD))


def insert(
    store: Store,
    connection: sqlite3.Connection,
    study: str,
    number: int,
    settings: Mapping[str, Any],
) -> Version:
    """Record a version."""
    kept = json.dumps(settings, sort_keys=True)
    values = {"study": study, "number": number, "settings": kept, "opened": stamp()}
    id_ = store.append(connection, "version", values) or 0
    return Version(id_, study, number, settings)


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
    held = {}
    for what, sketch in sketches.items():
        if sketch.distinctive or what.startswith(rules.COLUMN):
            rows = connection.execute("SELECT version FROM sketch WHERE mark = ?", (sketch.mark,))
            held[what] = [id_ for (id_,) in rows]
    found = dict.fromkeys(id_ for what in held if sketches[what].distinctive for id_ in held[what])
    columns = [what for what in held if what.startswith(rules.COLUMN)]
    if columns and whole and not any(sketches[what].distinctive for what in columns):
        found |= dict.fromkeys(set.intersection(*(set(held[what]) for what in columns)))
    versions = {version.id: version for version in all_versions(connection)}
    return [
        version
        for version in (versions[id_] for id_ in found if id_ in versions)
        if version.study == rules.UNNAMED
        or (version.study != study and version == latest(connection, version.study))
    ]


def related(
    connection: sqlite3.Connection,
    record: ReleaseRecord,
    sketches: Known,
    last: Version | None = None,
) -> dict[str, str]:
    """Return what is kept of the versions of other studies that are of the same persons.

    Or refuse a new one. `last` is the version that it is to follow. The same data again are no
    further look at them.
    """
    others = all_versions(connection, record.study)
    known_of = {version.id: sketches_of(connection, version) for version in others}
    if any(rules.fits(known, sketches) for known in known_of.values()):
        return {}
    found = [
        version
        for version in others
        if rules.of_same_persons(record, version, known_of[version.id], sketches)
    ]
    looks_at = [*found, *([last] if last else [])]
    if looks_at and _looks(connection, looks_at) >= record.versions:
        raise LeavingError(
            "the policy allows no more tables and versions of these persons, because many together"
            " give them away; draw from one that was released" + rules.more_versions(record)
        )
    return {f"{rules.PERSONS_OF}{it.id}": json.dumps([it.study, it.number]) for it in found}


def _looks(connection: sqlite3.Connection, versions: Sequence[Version]) -> int:
    """Count the tables and versions that are of the same persons as some, those included.

    Two studies of the same data are one.
    """
    every = {version.id: version for version in all_versions(connection)}
    rows = connection.execute(
        "SELECT version, what FROM choice WHERE what LIKE ?", (f"{rules.PERSONS_OF}%",)
    )
    pairs = [(version, int(what.removeprefix(rules.PERSONS_OF))) for version, what in rows]
    for name in {version.study for version in every.values()} - {rules.UNNAMED}:
        pairs += pairwise(version.id for version in every.values() if version.study == name)
    found, new = set[int](), {version.id for version in versions}
    while new:
        found |= new
        new = {b for pair in pairs for a, b in (pair, pair[::-1]) if a in found} - found
    looks = set()
    for version in (every[id_] for id_ in found):
        rows_sketch = sketches_of(connection, version).get(WHOLE_ROWS)
        data = version.study if rows_sketch is None else rows_sketch.mark
        looks.add((data, version.number))
    return len(looks)
