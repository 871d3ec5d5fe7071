"""Raw rows in, protected ones out: a function of what it is given, in whatever process it runs.

What is given holds no secret. Each partition of a large table is protected by a `Work`, which may
be pickled and sent to another process: it has a key that was derived of the secret for this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.estimates.fidelity_report import Fidelity
from discreet.keys import Keys
from discreet.measure.fidelity import Mixed, fidelity
from discreet.methods.copies import Draws, Levels, Settings, WholeCopy
from discreet.methods.whole import copy_with_tables
from discreet.vault.keyed import Columns, Keyed, persons_of, places
from discreet.vault.whole_columns import RawWhole, Wanted, raw_of

if TYPE_CHECKING:
    import pyarrow as pa


class Outcome(NamedTuple):
    """What is said of one partition: the columns it left out and why, and how near it is.

    `near` is that of the first partition, None of the others. `far_out` says how the means of
    columns are off that hang on few persons far out, `joined` of how many levels or more "(other)"
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
    """How each partition of one large table is found and protected, for whatever process does it.

    Parameters
    ----------
    keyed : Keyed
        How its rows are keyed.
    wanted : Wanted
        The columns that the copy is made of, and how many partitions there are.
    settings : Settings
        What the copy is made with.
    """

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


def protected(work: Work, rows: Columns, place: int, version: bytes) -> Protected:
    """Protect the rows of one partition, that at `place`, of the copy of a version."""
    raw = work.raw(rows, place, version)
    made = copy_of_whole(raw)
    near = nearness_of(raw, made) if place == 0 else None
    outcome = Outcome(made.left_out, near, made.far_out, made.joined)
    return Protected(*columns_of_copy(made), whose_of(raw, made, place), outcome)


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


def whose_of(raw: RawWhole, made: WholeCopy, place: int = 0) -> dict[str, Floats]:
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
