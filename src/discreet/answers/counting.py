"""Counts of people in the cells of a question, with noise, and which of them may be given.

**Equal numbers tell nothing.** The noise of a cell is drawn by its condition, in its one form, and
by who is in it. So the same condition has the same number in any table of a version, and two
conditions that the same people have are different numbers. Nothing is withheld because of another
count: whether it is could tell who makes the difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.answers.records import Records, people_in, places_within
from discreet.arguments import Labels
from discreet.explore.conditions import Asked, Condition
from discreet.explore.questions import Part
from discreet.methods import CellKey

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Counted:
    """A part of a question as it was counted: pairs of a cell and a person in it.

    Each cell has its condition, its count with noise (`shown`), whether that may be given, and its
    cell keys (`sums`): of the condition and of the people.
    """

    part: Part
    conditions: list[Condition]
    cells: Labels
    people: Labels
    shown: Whole
    given: NDArray[np.bool_]
    sums: NDArray[np.uint64]

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.conditions)


@dataclass(eq=False, repr=False)
class Counter:
    """What counts people for one version.

    The policy's `k` is the least number of people on either side of a quantile; counts below
    `least`, with their noise, are shown as few. In `most_cells` of a table a person is counted, who
    has several rows: the most rows that a person of the copy has.
    """

    records: Records
    noise: CellKey
    k: int
    least: int
    most_cells: int = 1

    def count(self, part: Part, asked: Asked) -> Counted:
        """Count the people in each cell of a part."""
        conditions, records = part.conditions, self.records
        atoms = records.atoms({name: asked.grid(name) for name in part.columns})
        cells, people = self.members(part, atoms)
        counts = np.bincount(cells, minlength=len(conditions))
        names = [it.digest for it in conditions]
        sums = records.noise.keyed(names, records.noise.sums(cells, people, len(conditions)))
        shown = counts + self.noise.drawn(records.noise.uniforms("count", sums))
        return Counted(part, conditions, cells, people, shown, shown >= self.least, sums)

    def members(self, part: Part, atoms: Mapping[str, Labels]) -> tuple[Labels, Labels]:
        """Return pairs of a cell of a part and a person counted there, by the atoms of rows."""
        records = self.records
        of_rows = part.cells(atoms, len(records.persons))
        cells, people = people_in(of_rows, records.persons, repeat=records.repeat)
        if not records.repeat:
            return cells, people
        first = places_within(people) < self.most_cells
        return cells[first], people[first]
