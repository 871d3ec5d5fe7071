"""The columns that the copy of a whole table is made of, and how their rows become protected ones.

It is a function of what it is given, in whatever process it runs, and what is given holds no
secret. Each partition of a large table is protected by a `Work`, which may be pickled and sent to
another process: it has a key that was derived of the secret for this table.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from discreet.arguments import Floats, Labels
from discreet.columns import KINDS
from discreet.columns.dates import DATE, on_clock, parts_of
from discreet.errors import RefusedError
from discreet.estimates.fidelity_report import Fidelity
from discreet.keys import Keys
from discreet.levels import as_given
from discreet.measure.fidelity import Mixed, fidelity
from discreet.methods.alike import persons_alike
from discreet.methods.copies import Draws, Levels, Settings, WholeCopy
from discreet.methods.whole import copy_with_tables
from discreet.policy import Policy
from discreet.table import Table
from discreet.vault.keyed_rows import Columns, Keyed, persons_of, places

HOW = 6
"""Counts the ways in which such copies were made: another way is another copy."""
KEYED = {"how": HOW, "rows": "whole", "metric": "euclidean", "q": 0.0, "round_to": 5, "strata": []}
"""What the text that keys a copy says beside the policy, the same of every copy: with other words
in it each table would have a second copy, of the same people."""
MOST_CELLS = 6_500_000
"""A table of more cells goes into partitions, each a copy of its own."""
LEAST_PERSONS = 50
"""A partition has about this many times m people, or more."""
UNREADABLE = "cannot be read"
MOST_COLUMNS = 300
"""A copy of the whole table has at most so many columns: each is compared with pairs of others."""
DRAWN = (*KINDS, DATE)
NO_COLUMN = (
    "no column of this table can be in a protected copy: each identifies people, numbers the rows,"
    " or is neither numbers nor levels; say what they are (roles=, kinds=)"
)
WHY = {"identifier": "identifies people", "categorical": "nearly unique"}


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


def choose_columns(table: Table, policy: Policy) -> Wanted:
    """Say which columns can be drawn, and into how many partitions the rows go."""
    drawn = [it for it in table.columns.values() if it.kind in DRAWN and it.role != "identifier"]
    if len(drawn) > MOST_COLUMNS:
        raise RefusedError(
            f"the table has {len(drawn):,} columns that could be in a protected copy, which holds"
            f" {MOST_COLUMNS:,} at most; open a table of those that are needed"
        )
    numbers = table.shown([*table.columns], "continuous")
    counting = table.numbering(numbers)
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
    cells = table.size * (len(numbers) + len(words))
    if cells <= MOST_CELLS:
        return 1  # how many persons there are need not be known
    return partitions_for(cells, MOST_CELLS, table.persons(), policy.members)


def partitions_for(cells: int, most: int, persons: int, least: int) -> int:
    """Return how many partitions are of `most` cells, and of many times the `least` people."""
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
    day_parts = {name: parts_of(numbers[name], persons, least) for name in wanted.dated}
    parts = {name: of for name, of in day_parts.items() if of is not None}
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


def unreadable_columns(table: Table, names: Collection[str]) -> frozenset[str]:
    """Return those of some columns that cannot be read: that of mixed types cannot."""
    return frozenset(name for name in names if not table.can_read(name))


def _why(table: Table, name: str, counting: frozenset[str]) -> str:
    column = table.columns[name]
    if column.role == "identifier":
        return WHY["identifier"]
    if name in counting:
        return "numbers the rows"
    if not table.can_read(name):
        return UNREADABLE
    return WHY.get(column.kind, "neither numbers nor levels")


# --- rows that are protected ----------------------------------------------------------------------


class Outcome(NamedTuple):
    """What is said of one partition: the columns it left out and why, and how near it is.

    `near` is that of the first partition, None of the others. `far_out` says how the means of
    columns are off that hang on few people far out, `joined` of how many levels or more "(other)"
    of a column stands.
    """

    left_out: Mapping[str, str]
    near: Fidelity | None
    far_out: Mapping[str, str]
    joined: Mapping[str, int]


class Protected(NamedTuple):
    """The protected rows of one partition, whose each is, and what is said of them."""

    numbers: dict[str, Floats]
    levels: dict[str, tuple[str, ...]]
    whose: dict[str, Floats]
    outcome: Outcome


@dataclass(frozen=True, repr=False)
class Work:
    """How each partition of one large table is keyed and protected, whatever process does it."""

    keyed: Keyed
    wanted: Wanted
    settings: Settings

    @property
    def whose(self) -> tuple[str, ...]:
        """The column that says which rows of the copy are one person's, if there is one."""
        return () if self.keyed.unit is None else (self.keyed.unit,)

    @property
    def columns(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The columns of numbers, and those of levels, that the copy is written with."""
        return (*self.wanted.numbers, *self.whose), self.wanted.levels

    def places(self, placing: Keys) -> Labels:
        """Return the partition of each row, of what places it."""
        return places(placing, self.wanted.partitions)

    def raw(self, rows: Columns, place: int, version: bytes) -> RawWhole:
        """Return the rows of a partition as what a copy is made of; its noise is its own."""
        keyed = self.keyed
        noise, unit = keyed.noise(version, place), keyed.unit
        return raw_of(
            self.wanted,
            self.settings,
            {name: rows[name] for name in self.wanted.numbers},
            {name: _levels(rows[name]) for name in self.wanted.levels},
            None if unit is None else persons_of(rows[unit]),
            Draws(keyed.own.secret, noise, keyed.keys(rows)),
            version,
        )


def protect_partition(work: Work, rows: Columns, place: int, version: bytes) -> Protected:
    """Protect the rows of one partition, that at `place`, of the copy of a version."""
    raw = work.raw(rows, place, version)
    made = copy_of_whole(raw)
    near = nearness_of(raw, made) if place == 0 else None
    outcome = Outcome(made.left_out, near, made.far_out, made.joined)
    return Protected(*columns_of_copy(made), person_numbers(raw, made, place), outcome)


def copy_of_whole(raw: RawWhole) -> WholeCopy:
    """Protect a whole table, or one partition of it."""
    alike = raw.unit is None
    return copy_with_tables(
        raw.numbers, raw.levels, raw.draws, raw.settings, raw.persons, alike=alike
    )


def columns_of_copy(made: WholeCopy) -> tuple[dict[str, Floats], dict[str, tuple[str, ...]]]:
    """Return the numbers of a copy, and its levels as words: the empty text for a missing one."""
    words = {name: of.texts() for name, of in made.levels.items()}
    return dict(made.numbers), words


def person_numbers(raw: RawWhole, made: WholeCopy, place: int = 0) -> dict[str, Floats]:
    """Return the column that says which rows of a copy are one drawn person's; or none.

    It has the name of that of the raw rows, and numbers from 1 that are of the copy alone: those of
    the partition at a `place` are no other's.
    """
    if raw.unit is None or raw.persons is None:
        return {}
    # Of a partition in which nobody has several rows each row is a person's.
    persons = np.arange(len(made.source)) if made.persons is None else made.persons
    return {raw.unit: (1.0 + place) + raw.partitions * persons.astype(np.float64)}


def nearness_of(raw: RawWhole, made: WholeCopy) -> Fidelity:
    """Measure how near a copy is, in figures that may be released with it."""
    return exact_nearness(raw, made).rounded(raw.draws, raw.persons)


def exact_nearness(raw: RawWhole, made: WholeCopy) -> Fidelity:
    """Measure how near a copy is, in exact figures of the raw data: for the custodian."""
    return fidelity(Mixed(raw.numbers, raw.levels), made)


def _levels(column: pa.DictionaryArray) -> Levels:
    """Return levels in order; the empty text is a missing one."""
    found = Levels.of(column.dictionary.to_pylist())
    return found._replace(codes=found.codes[np.asarray(column.indices)])
