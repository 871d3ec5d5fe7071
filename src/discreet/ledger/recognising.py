"""Which of what left before is of the same data or persons, and not by chance."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.leaving import (
    CHANGED_PER_K,
    COLUMN,
    PERSONS,
    PERSONS_OF,
    SHAPE_OF,
    UNNAMED,
    WHOSE,
    Version,
    check_looks,
    check_not_nearly,
    check_rounded,
    check_unit,
    plain_command,
    rows_a_person,
)
from discreet.ledger.records import all_versions, holding, latest, sketches_of
from discreet.sketch import WHOLE_ROWS, Sketch

__all__ = [
    "EVIDENCE",
    "Said",
    "check_columns",
    "in_another_unit",
    "likelihood_ratio",
    "nearly_the_same",
    "persons_of",
    "related",
    "same_data",
    "same_persons",
]

Known = Mapping[str, Sketch]
NO_VALUES = (PERSONS, SHAPE_OF, WHOLE_ROWS, WHOSE)
EVIDENCE = 100.0
"""So many times likelier must few changed rows be than chance, where there are few levels."""


@dataclass(frozen=True)
class Said:
    """What is said of a table or version that is about to be recorded: as of `Leaving`."""

    study: str | None
    settings: Mapping[str, Any]
    k: int
    versions: int
    new_version: Callable[[str], str] = plain_command

    def fewer_than(self, version: Version) -> int:
        """Return how many rows must differ from a version, by the stricter k of the two."""
        return CHANGED_PER_K * max(self.k, int(version.settings.get("k", self.k)))

    def opened(self, version: Version) -> str:
        """Say how a version after another is opened; what left without a name has none."""
        return f"open a new version: {self.new_version(version.study)}" if version.study else ""


def same_data(
    connection: sqlite3.Connection, sketches: Known, study: str | None, *, whole: bool
) -> list[Version]:
    """Find the latest versions of other studies that hold one of these columns.

    One that could be in any table does not count; but where the `whole` table has none but
    such columns, what holds all of them does.
    """
    held = [holding(connection, sketch) for sketch in sketches.values() if sketch.distinctive]
    found = {id_: version for versions in held for id_, version in versions.items()}
    columns = [sketch for what, sketch in sketches.items() if what.startswith(COLUMN)]
    if columns and whole and not any(sketch.distinctive for sketch in columns):
        held = [holding(connection, sketch) for sketch in columns]
        found |= {id_: held[0][id_] for id_ in set.intersection(*map(set, held))}
    return [
        version
        for version in found.values()
        if version.study == UNNAMED
        or (version.study != study and version == latest(connection, version.study))
    ]


def check_columns(connection: sqlite3.Connection, sketches: Known, said: Said) -> None:
    """Refuse a column, of many different values, of other data but for a few rows."""
    fresh = [it for it in _values(sketches) if it.distinctive]
    for version in _others(connection, said.study) if fresh else ():
        known = _values(sketches_of(connection, version))
        few = said.fewer_than(version)
        nearly = any(old.resembles(new, few) for old in known for new in fresh)
        check_not_nearly(version.study, said.opened(version), nearly)


def related(
    connection: sqlite3.Connection, said: Said, sketches: Known, last: Version | None = None
) -> list[Version]:
    """Return the versions of other studies that are of the same persons, or refuse a new one.

    `last` is the version that it is to follow. The same data again are no further look at them.
    """
    others = [(it, sketches_of(connection, it)) for it in _others(connection, said.study)]
    if any(_fits(known, sketches) for _, known in others):
        return []
    found = []
    for version, known in others:
        opened = said.opened(version)
        nearly = nearly_the_same(known, sketches, said.fewer_than(version))
        check_not_nearly(version.study, opened, nearly)
        check_unit(version.study, opened, in_another_unit(known, sketches))
        # `research` promises nothing of several tables.
        guarded = "guarded" in (version.settings.get("regime"), said.settings.get("regime"))
        if guarded and same_persons(known, sketches):
            check_rounded(version.study, opened, said.settings)
            found.append(version)
    if found:
        looks = _looks(connection, [*found, *([last] if last else [])])
        check_looks(looks, said.versions)
    return found


def persons_of(versions: Sequence[Version]) -> dict[str, str]:
    """Return what is kept of versions that are of the same persons."""
    return {f"{PERSONS_OF}{it.id}": json.dumps([it.study, it.number]) for it in versions}


def nearly_the_same(old: Known, new: Known, fewer_than: int) -> bool:
    """Whether a table is another one with fewer than some rows changed, added or gone.

    By whole rows; and where one of the two has only columns of few levels, by whether the other
    has all of them. Two samples of one population may be much the same there: what chance would
    do as well does not count. What the column says that tells persons apart comes first.
    """
    persons = _persons(old, new)
    if persons is not None and persons <= 1 / 2:
        return False
    one, two = old.get(WHOLE_ROWS), new.get(WHOLE_ROWS)
    least = fewer_than * rows_a_person(old, new, fewer_than)
    if one is not None and two is not None and 0 < one.changed_rows(two) < least:
        if persons is not None:
            return old[PERSONS].changed_persons(new[PERSONS]) < fewer_than
        return _one_row(one, two) or likelihood_ratio(one, two) > EVIDENCE
    mine, theirs = _varied(old), _varied(new)
    pairs = ((theirs, mine), (mine, theirs))
    return any(_nearly_among(few, columns, fewer_than) for few, columns in pairs)


def same_persons(old: Known, new: Known) -> bool:
    """Whether more than half of the persons of a new table are persons of an old one.

    By the column that says who is who, where both have one; else by whole rows, where these tell
    persons apart in both tables.
    """
    persons = _persons(old, new)
    if persons is not None:
        return persons > 1 / 2
    one, two = old.get(WHOLE_ROWS), new.get(WHOLE_ROWS)
    if one is None or two is None or not (one.told_apart and two.told_apart):
        return False
    return one.shared(two) > 1 / 2


def in_another_unit(old: Known, new: Known) -> tuple[str, str] | None:
    """Return a column that is a linear change of an old one, and that one; or None."""
    for what, shape in new.items():
        if not what.startswith(SHAPE_OF):
            continue
        column = COLUMN + what.removeprefix(SHAPE_OF)
        if column not in new or _is_held(new[column], old):
            continue
        for other, before in old.items():
            if other.startswith(SHAPE_OF) and before.shared(shape) > 1 / 2:
                return column, COLUMN + other.removeprefix(SHAPE_OF)
    return None


def likelihood_ratio(old: Sketch, new: Sketch) -> float:
    """Return how many times likelier few changed rows are than two independent samples.

    Of the counts of equal rows in both tables. Rows that are gone are taken to be drawn from the
    old table and those that are new from the new one, each swapped row to be half as likely as
    none; independent samples share out what both hold at random. How much the sizes differ counts
    only where they do: by design two tables may have one size, but they differ by r rows with the
    chance 1 / (2 n) in unrelated tables, and 1 / r (r + 1) in changed ones. Whatever the
    population, among independent samples the ratio is above x in fewer than 1 of x cases.
    """
    some = (old.buckets + new.buckets) > 0
    a, b = old.buckets[some], new.buckets[some]
    lost, gained = np.maximum(a - b, 0), np.maximum(b - a, 0)
    changed = _ways(a, lost) + _ways(b, gained)
    swapped = min(lost.sum(), gained.sum())
    log = changed - _ways(a + b, a) - (swapped + 1) * np.log(2)
    r = abs(int(a.sum()) - int(b.sum()))
    if r:
        log += max(0.0, np.log(2 * min(a.sum(), b.sum()) / (r * (r + 1))))
    return float(np.exp(min(log, 700.0)))


def _ways(held: NDArray[np.int64], drawn: NDArray[np.int64]) -> float:
    """Return the logarithm of the chance to draw so many of each, of so many that are held."""
    from scipy.special import gammaln

    def chosen(n: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))

    return float(chosen(held, drawn).sum() - chosen(held.sum(), drawn.sum()))


def _persons(old: Known, new: Known) -> float | None:
    """Return the share of the new table's persons that are in the old one, where both name them."""
    one, two = old.get(PERSONS), new.get(PERSONS)
    return None if one is None or two is None else one.shared(two)


def _is_held(column: Sketch, old: Known) -> bool:
    """Whether an old table holds most of the values of a column as they are."""
    return any(what.startswith(COLUMN) and not it.mostly_other(column) for what, it in old.items())


def _values(known: Known) -> list[Sketch]:
    """Return what is known of columns and of rows of groups."""
    return [it for what, it in known.items() if not what.startswith(NO_VALUES)]


def _varied(known: Known) -> list[Sketch]:
    """Return the columns of a table, but for those of one value: they tell its size alone."""
    columns = [it for what, it in known.items() if what.startswith(COLUMN)]
    return [it for it in columns if np.count_nonzero(it.buckets) > 1]


def _nearly_among(few: Sequence[Sketch], columns: Sequence[Sketch], fewer_than: int) -> bool:
    """Whether each of some columns, all of few levels, is nearly one of another table."""
    if any(it.distinctive for it in few):
        return False
    pairs = [[(one, two, one.changed_rows(two)) for two in columns] for one in few]
    near = [[it for it in row if it[2] < fewer_than] for row in pairs]
    if not few or not all(near) or all(any(it[2] == 0 for it in row) for row in near):
        return False
    if all(any(_one_row(one, two) for one, two, _ in row) for row in near):
        return True
    # Of ratios whose mean is at most 1 by chance, the mean is, too, however they hang together.
    ratios = [likelihood_ratio(one, two) for row in near for one, two, changed in row if changed]
    return sum(ratios) / (len(few) * len(columns)) > EVIDENCE


def _one_row(old: Sketch, new: Sketch) -> bool:
    """Whether one row is gone or was added: too little to ask what is likely."""
    return abs(old.rows - new.rows) == 1 == old.changed_rows(new)


def _others(connection: sqlite3.Connection, study: str | None) -> list[Version]:
    """Return the versions of other studies; what has no name is other than all that left."""
    found = all_versions(connection)
    return [version for version in found if version.study == UNNAMED or version.study != study]


def _fits(known: Known, sketches: Known) -> bool:
    """Whether some data are known ones, perhaps with other columns beside them."""
    columns = {what: it for what, it in sketches.items() if what.startswith(COLUMN)}
    common = columns.keys() & known.keys()
    same = all(known[what].mark == columns[what].mark for what in common)
    rows = known.get(WHOLE_ROWS), sketches.get(WHOLE_ROWS)
    if rows[0] and rows[1] and rows[0].mark != rows[1].mark:
        same = same and rows[0].mostly_other(rows[1])  # else some are paired otherwise
    told = any(columns[what].distinctive for what in common)
    return same and bool(common) and (told or len(common) == len(columns))


def _looks(connection: sqlite3.Connection, versions: Sequence[Version]) -> int:
    """Count the tables and versions that are of the same persons as some, those included.

    Two studies of the same data are one.
    """
    every = {version.id: version for version in all_versions(connection)}
    rows = connection.execute(
        "SELECT version, what FROM choice WHERE what LIKE ?", (f"{PERSONS_OF}%",)
    )
    pairs = [(version, int(what.removeprefix(PERSONS_OF))) for version, what in rows]
    for name in {version.study for version in every.values()} - {UNNAMED}:
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
