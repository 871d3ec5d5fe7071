"""Which columns the copy of a whole table is made of, and what is read of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from discreet.arguments import Floats, Labels
from discreet.columns import KINDS
from discreet.columns.dates import DATE, on_clock, parts_of
from discreet.errors import RefusedError
from discreet.levels import as_given
from discreet.methods.alike import persons_alike
from discreet.methods.copies import Draws, Levels, Settings
from discreet.policy import Policy
from discreet.table import Table

HOW = 6
"""Counts the ways in which such copies were made: another way is another copy."""
KEYED = {"how": HOW, "rows": "whole", "metric": "euclidean", "q": 0.0, "round_to": 5, "strata": []}
"""What the text that keys a copy says beside the policy, the same of every copy: with other words
in it each table would have a second copy, of the same persons."""
MOST_CELLS = 6_500_000
"""A table of more cells goes into partitions, each a copy of its own."""
LEAST_PERSONS = 50
"""A partition has about this many times m persons, or more."""
UNREADABLE = "cannot be read"
MOST_COLUMNS = 300
"""A copy of the whole table has at most so many columns: each is compared with pairs of others."""
DRAWN = (*KINDS, DATE)
NO_COLUMN = (
    "no column of this table can be in a protected copy: each identifies persons, numbers the rows,"
    " or is neither numbers nor levels; say what they are (roles=, kinds=)"
)
WHY = {"identifier": "identifies persons", "categorical": "nearly unique"}


@dataclass(frozen=True, eq=False, repr=False)
class RawWhole:
    """A whole table as it was read, the noise of each record, and which copy it makes.

    `numbers` hold NaN where one is missing, `levels` the place -1. `persons` says whose each row
    is, where some person has several; `left_out` why each column is not among them. Of a table of
    several `partitions` it is one of them, and `version` that of the copy of them all. `unit` is
    the column that says whose they are; without it, rows of one person are those that are alike.
    """

    numbers: Mapping[str, Floats]
    levels: Mapping[str, Levels]
    left_out: Mapping[str, str]
    draws: Draws
    version: bytes
    settings: Settings
    persons: Labels | None = None
    partitions: int = 1
    unit: str | None = None


@dataclass(frozen=True)
class Wanted:
    """The columns that a copy is made of, why each other one is not, and how many partitions.

    `unit` is the column that says whose each row is. Where none is given, rows that are alike by no
    chance are one person's.
    """

    numbers: tuple[str, ...]
    levels: tuple[str, ...]
    dated: tuple[str, ...]
    left_out: Mapping[str, str]
    partitions: int = 1
    unit: str | None = None

    def without(self, broken: Collection[str]) -> Wanted:
        """Return the columns but for some that cannot be read."""
        return replace(
            self,
            numbers=tuple(name for name in self.numbers if name not in broken),
            levels=tuple(name for name in self.levels if name not in broken),
            dated=tuple(name for name in self.dated if name not in broken),
            left_out={**self.left_out, **dict.fromkeys(broken, UNREADABLE)},
        )

    def made_by(self, table: Table, policy: Policy, persons: bool) -> bytes:
        """Return all but the rows that decides on a version."""
        out: dict[str, Any] = {**KEYED, **policy.copy_settings()}
        out |= {"numbers": self.numbers, "levels": self.levels}
        out |= {"sensitive": sensitive_of(table, self)}
        out |= {"unit": table.unit} if persons else {}
        out |= {"dates": self.dated} if self.dated else {}
        out |= {"partitions": self.partitions} if self.partitions > 1 else {}
        return json.dumps(out, sort_keys=True).encode()


def wanted_of(table: Table, policy: Policy) -> Wanted:
    """Say which columns can be drawn, and into how many partitions the rows go."""
    drawn = [it for it in table.columns.values() if it.kind in DRAWN and it.role != "identifier"]
    if len(drawn) > MOST_COLUMNS:
        raise RefusedError(
            f"the table has {len(drawn):,} columns that could be in a protected copy, which holds"
            f" {MOST_COLUMNS:,} at most; open a table of those that are needed"
        )
    numbers = table.shown([*table.columns], "continuous")
    counting = {name for name in numbers if table.numbers_rows(name)}
    dated = tuple(sorted(table.shown([*table.columns], DATE)))
    numbers = tuple(sorted({*numbers, *dated} - counting))
    words = tuple(sorted(table.shown([*table.columns], "categorical")))
    if not numbers and not words:
        raise RefusedError(NO_COLUMN)
    left_out = {
        name: _why(table, name, counting)
        for name in table.columns
        if name not in {*numbers, *words, table.unit, table.key}
    }
    partitions = _partitions(table, policy, numbers, words)
    return Wanted(numbers, words, dated, left_out, partitions, table.unit)


def _partitions(table: Table, policy: Policy, numbers: Sequence[str], words: Sequence[str]) -> int:
    """Return how many partitions are small enough, and of enough persons."""
    cells = table.size * (len(numbers) + len(words))
    if cells <= MOST_CELLS:
        return 1  # how many persons there are need not be known
    return partitions_for(cells, MOST_CELLS, table.persons(), policy.members)


def partitions_for(cells: int, most: int, persons: int, least: int) -> int:
    """Return how many partitions are of `most` cells, and of many times the `least` persons."""
    return max(1, min(-(-cells // most), persons // (LEAST_PERSONS * least)))


def settings_of(table: Table, policy: Policy, wanted: Wanted) -> Settings:
    """Return what a copy is made with, as far as no row says it."""
    sensitive = sensitive_of(table, wanted)
    return Settings(
        policy.k,
        policy.members,
        sensitive,
        dict(policy.bounds),
        tables=policy.pairs,
        left_out=policy.left_out,
    )


def raw_of(
    wanted: Wanted,
    settings: Settings,
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Levels],
    persons: Labels | None,
    draws: Draws,
    version: bytes,
) -> RawWhole:
    """Return what was read as what a copy is made of: days as parts of a day.

    Where no `unit` says whose rows are, those that are alike by no chance are one person's.
    """
    if persons is None and wanted.unit is None:
        persons = persons_alike(numbers, levels, draws)
    least = draws.threshold("parts of a day", settings.k)
    told = {name: parts_of(numbers[name], persons, least) for name in wanted.dated}
    parts = {name: of for name, of in told.items() if of is not None}
    return RawWhole(
        {name: on_clock(numbers[name], parts.get(name)) for name in wanted.numbers},
        {name: it._replace(words=tuple(map(as_given, it.words))) for name, it in levels.items()},
        wanted.left_out,
        draws,
        version,
        replace(settings, parts=parts),
        persons,
        wanted.partitions,
        wanted.unit,
    )


def sensitive_of(table: Table, wanted: Wanted) -> tuple[str, ...]:
    """Return the columns of levels that are sensitive."""
    return tuple(name for name in wanted.levels if table.columns[name].role == "sensitive")


def unreadable(table: Table, names: Collection[str]) -> frozenset[str]:
    """Return those of some columns that cannot be read: that of mixed types cannot."""
    return frozenset(name for name in names if not table.can_read(name))


def _why(table: Table, name: str, counting: set[str]) -> str:
    column = table.columns[name]
    if column.role == "identifier":
        return WHY["identifier"]
    if name in counting:
        return "numbers the rows"
    if not table.can_read(name):
        return UNREADABLE
    return WHY.get(column.kind, "neither numbers nor levels")
