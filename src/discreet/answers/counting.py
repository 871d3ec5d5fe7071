"""Counts of people in the cells of a question, with noise, and which of them may be given.

**Equal numbers tell nothing.** The noise of a cell is drawn by its condition, in its one form, and
by who is in it. So the same condition has the same number in any table of a version, and two
conditions that the same people have are different numbers. Nothing is withheld because of another
count: whether it is could tell who makes the difference.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from discreet.answers.records import Records, people_in
from discreet.arguments import Floats, Labels
from discreet.explore.conditions import Asked, Condition
from discreet.explore.questions import Part
from discreet.methods import CellKey

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Counted:
    """A part of a question as it was counted.

    Parameters
    ----------
    part : Part
    conditions : list of Condition
        That of each cell.
    cells, people : ndarray of int
        Pairs of a cell and a person in it.
    shown : ndarray of int
        The counts with noise.
    given : ndarray of bool
        Which of them may be given.
    sums : ndarray of uint64, shape (cells, 2)
        The cell keys: of the condition and of the people.
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
    """What counts people for one version, and remembers which numbers were given.

    Parameters
    ----------
    records : Records
    noise : CellKey
    k : int
        The policy's: the least number of people on either side of a quantile.
    least : int
        Counts that are smaller, with their noise, are shown as few.
    """

    records: Records
    noise: CellKey
    k: int
    least: int
    exposure: Floats = field(init=False)
    """Of each person how well all numbers so far tell it from nobody: a squared distance, in
    standard deviations of the noise, between the numbers with the person and without."""
    _given: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.exposure = np.zeros(self.records.people)

    def count(self, part: Part, asked: Asked) -> Counted:
        """Count a part, and add up what it says of each person."""
        conditions, records = part.conditions, self.records
        atoms = records.atoms({name: asked.grid(name) for name in part.columns})
        of_rows = part.cells(atoms, len(records.persons))
        cells, people = people_in(of_rows, records.persons, repeat=records.repeat)
        counts = np.bincount(cells, minlength=len(conditions))
        names = [it.digest for it in conditions]
        sums = records.noise.keyed(names, records.noise.sums(cells, people, len(conditions)))
        shown = counts + self.noise.drawn(records.noise.uniforms("count", sums))
        new = np.array([it not in self._given for it in names])
        self.expose(people, new[cells] / self.noise.sd**2)
        self._given |= {*names}
        return Counted(part, conditions, cells, people, shown, shown >= self.least, sums)

    def is_new(self, what: str) -> bool:
        """Say whether a number is given for the first time, and remember it."""
        found = what not in self._given
        self._given.add(what)
        return found

    def expose(self, people: Labels, distances: Floats) -> None:
        """Add what numbers tell of some people."""
        np.add.at(self.exposure, people, distances)
