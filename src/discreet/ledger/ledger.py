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
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from discreet.errors import InputError, LeavingError
from discreet.leaving import (
    CHANGED_PER_K,
    COUNT_METHOD_OF,
    FORMAT_OF_ROWS,
    GROUP_OF,
    PAIR_OF,
    UNNAMED,
    Leaving,
    Version,
    check_many_changed,
    check_names,
    check_one_order,
    check_same_table,
    check_unchanged,
    check_version,
    compare,
    format_of,
)
from discreet.ledger.store import Store, stamp
from discreet.secret import FORMAT, WORD, Secret
from discreet.sketch import BUCKETS, WHOLE_ROWS, Sketch

__all__ = ["Ledger"]

NOTHING: Mapping[str, Sketch] = MappingProxyType({})


class Ledger:
    """The ledger in a folder, made with owner-only rights when the first thing leaves.

    Parameters
    ----------
    folder : Path
        Where the ledger's file lies.
    secret : Secret
        The custodian's, with which every row is sealed.
    """

    def __init__(self, folder: Path, secret: Secret) -> None:
        self._store = Store(folder, secret)

    @property
    def store(self) -> Store:
        """The file, which holds what was asked of the study on the web too."""
        return self._store

    def version(self, study: str) -> int:
        """Return the number of a study's latest version; 1 where nothing of it has left."""
        with self._store.reading() as connection:
            latest = _latest(connection, study)
        return 1 if latest is None else latest.number

    def knows(self, study: str | None, drawn: Mapping[str, Sketch] = NOTHING) -> bool:
        """Whether something of a study has left, and all that is now drawn was recorded then."""
        if study is None:
            return False
        with self._store.reading() as connection:
            version = _latest(connection, study)
            known = {} if version is None else _sketches(connection, version)
        same = (what in known and known[what].mark == new.mark for what, new in drawn.items())
        return version is not None and all(same)

    def left_under(self, study: str | None) -> tuple[int | None, Mapping[str, Any]]:
        """Return how the rows of a study's latest version are keyed, and its settings."""
        if study is None:
            return None, {}
        with self._store.reading() as connection:
            last = _latest(connection, study)
            return (None, {}) if last is None else (_format_of(connection, [last]), last.settings)

    def format_of_data(
        self, study: str | None, every: Callable[[], Mapping[str, Sketch]]
    ) -> int | None:
        """Return how rows of the same data are keyed that left under other names, or None.

        `every` returns the sketches of all columns; called where anything is of an old format.
        """
        with self._store.reading() as connection:
            (old,) = connection.execute(
                "SELECT EXISTS (SELECT 1 FROM version WHERE id NOT IN"
                " (SELECT version FROM choice WHERE what = ? AND value = ?))",
                (FORMAT_OF_ROWS, str(FORMAT)),
            ).fetchone()
        sketches = every() if old else {}
        with self._store.reading() as connection:
            return _format_of(connection, _same_data(connection, sketches, study, whole=True))

    def groups(self, study: str | None) -> tuple[tuple[str, ...], ...]:
        """Return the column groups that the latest version of a study has released rows of."""
        groups = set(self._chosen(study, GROUP_OF))
        return tuple(tuple(json.loads(value)) for value in sorted(groups))

    def pairs(self, study: str | None) -> tuple[tuple[str, ...], ...]:
        """Return the pairs of columns that the latest version of a study drew as neighbours."""
        return tuple(sorted(tuple(json.loads(pair)) for pair in self._chosen(study, PAIR_OF)))

    def count_methods(self, study: str | None) -> dict[str, str]:
        """Return the count methods that the latest version of a study left by, each of columns."""
        return dict(self._named(study, COUNT_METHOD_OF))

    def _chosen(self, study: str | None, what: str) -> list[str]:
        """Return the choices of one sort that the latest version of a study left with."""
        return [value for _, value in self._named(study, what)]

    def _named(self, study: str | None, what: str) -> list[tuple[str, str]]:
        """Return them with what each is the choice of."""
        if study is None:
            return []
        with self._store.reading() as connection:
            version = _latest(connection, study)
            choices = {} if version is None else _choices(connection, version)
        return [(name, value) for name, value in choices.items() if name.startswith(what)]

    def leave(self, leavings: Sequence[Leaving], every: Callable[[], Mapping[str, Sketch]]) -> None:
        """Record that things of one study leave together, or refuse all of them.

        Parameters
        ----------
        leavings : sequence of Leaving
            What is about to leave: all of it, or nothing.
        every : callable
            Returns the sketches of all columns; called when a version is first recorded or
            something of it leaves that it does not know, so that the same data are recognised
            under another name, and other data under a known one.

        Raises
        ------
        LeavingError
            If the data have changed, left under other settings, or rest on another version than
            the latest.
        """
        drawn = {what: sketch for leaving in leavings for what, sketch in leaving.sketches.items()}
        whole = {} if self.knows(leavings[0].study, drawn) else every()
        with self._store.writing() as connection:
            for leaving in leavings:
                _leave(
                    self._store,
                    connection,
                    leaving,
                    {**whole, **leaving.sketches},
                    whole=bool(whole),
                )

    def open_version(
        self,
        study: str,
        settings: Mapping[str, Any],
        choices: Mapping[str, str],
        sketch: Callable[[str], Sketch | None],
        *,
        k: int,
        most: int,
    ) -> int:
        """Open the next version of a study for changed data or a changed policy.

        Parameters
        ----------
        study : str
            The study's name; something of it must have left before.
        settings, choices : mapping
            What the policy from now on says.
        sketch : callable
            Sketches anew what a recorded sketch is of; None where that is gone.
        k, most : int
            A changed column must have changed in at least 10 k rows, and there may be `most`
            versions.

        Returns
        -------
        int
            The number of the new version.

        Raises
        ------
        InputError
            If nothing has left yet, or nothing has changed.
        LeavingError
            If there may be no further version, too few rows have changed, or another process
            opened one or let something leave meanwhile.
        """
        with self._store.reading() as connection:
            before = _followed(connection, study, most)
            recorded = _sketches(connection, before)
        # Before the transaction, for it takes long, and whoever asks the server meanwhile waits.
        tried = {what: sketch(what) for what in recorded}
        fresh = {what: new for what, new in tried.items() if new is not None}
        with self._store.writing() as connection:
            last = _followed(connection, study, most)
            known, chosen = _sketches(connection, last), _choices(connection, last)
            check_version(study, before.number, last.number)
            if not known.keys() <= tried.keys():
                raise LeavingError(
                    f"something of study {study!r} left while its new version was being opened;"
                    " open it again"
                )
            changed = dict(last.settings) != dict(settings)
            changed |= any(chosen.get(what, value) != value for what, value in choices.items())
            changed |= any(new.mark != known[what].mark for what, new in fresh.items())
            for version in _versions(connection, study):
                check_many_changed(version, _sketches(connection, version), fresh, k)
            if not changed:
                raise InputError(f"neither the data nor the policy of study {study!r} has changed")
            number = last.number + 1
            new_version = _insert(self._store, connection, study, number, settings, FORMAT)
            _remember(self._store, connection, new_version, {}, fresh)
            return number

    def history(self, study: str | None = None) -> list[dict[str, Any]]:
        """Return what has left, of one study or of any, oldest first.

        Of each: study, version, time (at), kind, columns, method and form.
        """
        with self._store.reading() as connection:
            rows = connection.execute(
                "SELECT study, number, at, kind, columns, method, form FROM leaving"
                " JOIN version ON version.id = leaving.version"
                " WHERE ? IS NULL OR study = ? ORDER BY leaving.id",
                (study, study),
            ).fetchall()
        names = ("study", "version", "at", "kind", "columns", "method", "form")
        return [
            dict(zip(names, row, strict=True)) | {"columns": json.loads(row[4])} for row in rows
        ]


def _followed(connection: sqlite3.Connection, study: str, most: int) -> Version:
    """Return the latest version of a study, which another is to follow, if one may."""
    last = _latest(connection, study)
    if last is None:
        raise InputError(
            f"nothing of study {study!r} has left yet, so there is no version to follow;"
            " just save what shall leave"
        )
    if last.number >= most:
        raise LeavingError(
            f"study {study!r} has had all the versions its policy allows, because"
            " versions together give the changed rows away; `versions` of the policy"
            " says how many"
        )
    return last


def _leave(
    store: Store,
    connection: sqlite3.Connection,
    leaving: Leaving,
    sketches: Mapping[str, Sketch],
    *,
    whole: bool,
) -> None:
    """Compare what is about to leave with what has left before, and record it."""
    own = None if leaving.study is None else _latest(connection, leaving.study)
    check_version(leaving.study, leaving.version, 1 if own is None else own.number)
    # By the whole table: the columns that are drawn may be such as any table could hold.
    table = sketches if own is None else {**_sketches(connection, own), **sketches}
    alike = _same_data(connection, table, leaving.study, whole=whole or own is not None)
    _check_not_nearly(connection, sketches, leaving)
    left: dict[str, str] = {}
    for version in [*([own] if own else []), *alike]:
        chosen = _choices(connection, version)
        compare(leaving, version, chosen)
        left.update(chosen)
        known = _sketches(connection, version)
        check_names(leaving.sketches, known)
        if version.study == (leaving.study or UNNAMED):
            check_unchanged(version, leaving.sketches, known)
    if own is not None and whole:
        check_same_table(own, sketches, _sketches(connection, own))
    check_one_order({**left, **leaving.choices})
    if own is None and leaving.study is None and alike:
        own = alike[0]
    if own is None:
        format = _format_of(connection, alike) or leaving.format or FORMAT
        study = leaving.study or UNNAMED
        own = _insert(store, connection, study, 1, leaving.settings, format)
    _remember(store, connection, own, leaving.choices, sketches)
    values = {
        "version": own.id,
        "at": stamp(),
        "kind": leaving.kind,
        "columns": json.dumps(leaving.columns),
        "method": leaving.method,
        "form": leaving.form,
    }
    store.append(connection, "leaving", values)


def _latest(connection: sqlite3.Connection, study: str) -> Version | None:
    return max(_versions(connection, study), key=lambda it: it.number, default=None)


def _versions(connection: sqlite3.Connection, study: str) -> list[Version]:
    rows = connection.execute(
        "SELECT id, study, number, settings FROM version WHERE study = ?", (study,)
    )
    return [Version(row[0], row[1], row[2], json.loads(row[3])) for row in rows.fetchall()]


def _same_data(
    connection: sqlite3.Connection,
    sketches: Mapping[str, Sketch],
    study: str | None,
    *,
    whole: bool,
) -> list[Version]:
    """Find the latest versions of other studies that hold one of these columns.

    One that could be in any table does not count; but where the `whole` table has none but
    such columns, what holds all of them does.
    """
    held = [_holding(connection, sketch) for sketch in sketches.values() if sketch.distinctive]
    found = {id_: version for versions in held for id_, version in versions.items()}
    columns = [sketch for what, sketch in sketches.items() if what != WHOLE_ROWS]
    if columns and whole and not any(sketch.distinctive for sketch in columns):
        held = [_holding(connection, sketch) for sketch in columns]
        found |= {id_: held[0][id_] for id_ in set.intersection(*map(set, held))}
    return [
        version
        for version in found.values()
        if version.study == UNNAMED
        or (version.study != study and version == _latest(connection, version.study))
    ]


def _holding(connection: sqlite3.Connection, sketch: Sketch) -> dict[int, Version]:
    rows = connection.execute(
        "SELECT version.id, study, number, settings FROM sketch"
        " JOIN version ON version.id = sketch.version WHERE mark = ?",
        (sketch.mark,),
    )
    return {row[0]: Version(row[0], row[1], row[2], json.loads(row[3])) for row in rows}


def _check_not_nearly(
    connection: sqlite3.Connection, sketches: Mapping[str, Sketch], leaving: Leaving
) -> None:
    """Refuse data that left under another name, or under none, but for a few rows."""
    fresh = [sketch for sketch in sketches.values() if sketch.distinctive]
    rows = connection.execute(
        "SELECT study, settings, mark, buckets"
        " FROM sketch JOIN version ON version.id = sketch.version"
        " WHERE study != ? OR study = ?",
        (leaving.study or UNNAMED, UNNAMED),
    )
    for study, settings, mark, packed in rows:
        old = _sketch(mark, packed)
        # The stricter of the two: `research` may have a smaller k than what left before.
        k = max(leaving.k, json.loads(settings).get("k", leaving.k))
        if any(old.resembles(new, CHANGED_PER_K * k) for new in fresh):
            name = f"as study {study!r}" if study else "without a name"
            raise LeavingError(
                f"nearly the same data have left before, {name}, and the difference gives the"
                " changed rows away; give all states of one table one name (study=) before the"
                " first picture leaves, and open versions of it (discreet version new)"
            )


def _choices(connection: sqlite3.Connection, version: Version) -> dict[str, str]:
    rows = connection.execute("SELECT what, value FROM choice WHERE version = ?", (version.id,))
    return dict(rows.fetchall())


def _format_of(connection: sqlite3.Connection, versions: Sequence[Version]) -> int | None:
    """Return the oldest format that rows of some versions are keyed in; None if there is none."""
    return min((format_of(_choices(connection, version)) for version in versions), default=None)


def _sketches(connection: sqlite3.Connection, version: Version) -> dict[str, Sketch]:
    rows: Sequence[tuple[str, str, bytes]] = connection.execute(
        "SELECT what, mark, buckets FROM sketch WHERE version = ?", (version.id,)
    ).fetchall()
    return {what: _sketch(mark, packed) for what, mark, packed in rows}


def _sketch(mark: str, packed: bytes) -> Sketch:
    """Read a sketch: its buckets, and after them the smallest digests, where it has any."""
    held = zlib.decompress(packed)
    ends = BUCKETS * WORD.itemsize
    return Sketch(
        mark, np.frombuffer(held[:ends], dtype=np.int64), np.frombuffer(held[ends:], dtype=WORD)
    )


def _insert(
    store: Store,
    connection: sqlite3.Connection,
    study: str,
    number: int,
    settings: Mapping[str, Any],
    format: int,
) -> Version:
    kept = json.dumps(settings, sort_keys=True)
    values = {"study": study, "number": number, "settings": kept, "opened": stamp()}
    version = Version(store.append(connection, "version", values) or 0, study, number, settings)
    _remember(store, connection, version, {FORMAT_OF_ROWS: str(format)}, {})
    return version


def _remember(
    store: Store,
    connection: sqlite3.Connection,
    version: Version,
    choices: Mapping[str, str],
    sketches: Mapping[str, Sketch],
) -> None:
    for what, value in choices.items():
        of = {"version": version.id, "what": what}
        store.append(connection, "choice", {**of, "value": value}, unless_there=True)
    for what, sketch in sketches.items():
        of = {"version": version.id, "what": what, "mark": sketch.mark}
        packed = zlib.compress(sketch.buckets.tobytes() + sketch.smallest.tobytes())
        store.append(connection, "sketch", {**of, "buckets": packed}, unless_there=True)
