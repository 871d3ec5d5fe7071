"""The people of a table as answers see them: atoms of its columns, and a key for each person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.answers.noise import KeyedNoise
from discreet.arguments import Floats, Labels
from discreet.columns.column import Copy, Unread
from discreet.explore.conditions import Grid
from discreet.explore.from_copy import WholeTable
from discreet.methods.copies import Levels
from discreet.secret import Secret
from discreet.vault.whole_columns import RawWhole


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """Raw records with the columns of the copy, by whose atoms people are counted.

    `persons` says whose each row is, as places among the people. From the codes of `levels` the
    words of rows are made where they are needed.
    """

    rows: WholeTable
    persons: Labels
    noise: KeyedNoise
    levels: Mapping[str, Levels]

    @classmethod
    def of(cls, raw: RawWhole, kept: WholeTable, secret: Secret) -> Records:
        """Return the records of a raw table, read with the columns that the copy has."""
        names = [name for name in kept.raw if name in kept.copy.columns or name in kept.copy.strata]
        numbers = {name: raw.numbers[name] for name in names if name in raw.numbers}
        levels = {name: raw.levels[name] for name in names if name in raw.levels}
        words = Unread([*levels], lambda name: levels[name].texts())
        copy = Copy(numbers, words, kept.copy.version, 0)
        rows = WholeTable(copy, {name: kept.raw[name] for name in names})
        keys = np.ascontiguousarray(raw.draws.keys)
        noise, persons = KeyedNoise(secret, b"answers" + raw.version, keys), np.arange(len(keys))
        if raw.persons is not None:
            each, persons = np.unique(raw.persons, return_inverse=True)
            noise = replace(noise, keys=noise.sums(persons, np.arange(len(keys)), len(each)))
        return cls(rows, persons, noise, levels)

    @property
    def people(self) -> int:
        """How many people there are."""
        return len(self.noise.keys)

    @cached_property
    def repeat(self) -> bool:
        """Whether some person has several rows."""
        return self.people < len(self.persons)

    def atoms(self, grids: Mapping[str, Grid]) -> dict[str, Labels]:
        """Return the atom of each row in some columns."""
        out = {}
        for name, grid in grids.items():
            if name not in self._atoms or self._atoms[name][0] is not grid:
                self._atoms[name] = (grid, self._places(name, grid))
            out[name] = self._atoms[name][1]
        return out

    def _places(self, name: str, grid: Grid) -> Labels:
        """Return the atoms of a column, in as few bytes as these take."""
        small = np.min_scalar_type(grid.size)
        if name not in self.levels:
            return grid.places(self.rows.copy.columns[name]).astype(small)
        words, codes = self.levels[name]
        return grid.places_of_words((*words, "")).astype(small)[codes]  # the last is at -1

    @cached_property
    def _atoms(self) -> dict[str, tuple[Grid, Labels]]:
        return {}


def people_in(cells: Labels, persons: Labels, *, repeat: bool) -> tuple[Labels, Labels]:
    """Return pairs of a cell and a person with a row in it, each once.

    `cells` has that of each row, -1 of none; `repeat` says whether some person has several rows.
    """
    inside = cells >= 0
    if not repeat:
        return cells[inside], persons[inside]
    size = int(persons.max()) + 1
    pairs = np.unique(cells[inside] * size + persons[inside])
    return pairs // size, pairs % size


def places_within(people: Labels) -> Labels:
    """Return of each pair the how manieth of its person it is, from 0.

    Examples
    --------
    >>> places_within(np.array([4, 2, 4, 4, 2]))
    array([0, 0, 1, 2, 1])
    """
    order = np.argsort(people, kind="stable")
    sizes = np.bincount(people)
    starts = np.cumsum(sizes) - sizes
    out = np.empty(len(people), dtype=np.intp)
    out[order] = np.arange(len(people)) - starts[people[order]]
    return out


def means_of_pairs(values: Floats, cells: Labels, persons: Labels) -> tuple[Labels, Labels, Floats]:
    """Return pairs of a cell and a person in it, in order, and the mean of the person's values."""
    inside = np.flatnonzero(cells >= 0)
    size = int(persons.max()) + 1
    pairs, place = np.unique(cells[inside] * size + persons[inside], return_inverse=True)
    means = np.bincount(place, values[inside]) / np.bincount(place)
    return pairs // size, pairs % size, means
