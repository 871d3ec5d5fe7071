"""Counts of people in the cells of a question, with noise, and which of them may be given.

**Equal numbers tell nothing.** Two counts that are given are of the same people by definition, or
differ by k + U people or more. U is drawn from 0 to twice the noise for each pair, so that one
person more or less turns it as seldom as it is seen in a count. What differs by
fewer, by nobody included, is not given, and looks like a count of too few people.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from discreet.answers.records import Records, people_in
from discreet.arguments import Floats, Labels
from discreet.explore.conditions import Asked, Condition
from discreet.explore.questions import Part
from discreet.methods import CellKey

Whole = NDArray[np.int64]


WIDTH = 2
"""The least difference of two counts is drawn from k to k and so many times the noise."""


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
        The cell keys.
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

    def members(self, people: int) -> csr_array:
        """Return who is in which cell, a row for each cell."""
        ones = np.ones(len(self.cells), dtype=np.int32)
        return csr_array((ones, (self.cells, self.people)), shape=(self.size, people))


@dataclass(eq=False, repr=False)
class Counter:
    """What counts people for one version, and remembers what was given.

    Parameters
    ----------
    records : Records
    noise : CellKey
    k : int
        The policy's.
    least : int
        Counts that are smaller, with their noise, are shown as few.
    """

    records: Records
    noise: CellKey
    k: int
    least: int
    opened: dict[str, Counted] = field(default_factory=dict)
    """Of each condition that was given, by its digest, the part that gave it."""
    exposure: Floats = field(init=False)
    """Of each person how well all numbers so far tell it from nobody: a squared distance, in
    standard deviations of the noise, between the numbers with the person and without."""
    _told: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.exposure = np.zeros(self.records.people)

    def count(self, part: Part, asked: Asked) -> Counted:
        """Count a part, and remember what is given of it."""
        conditions, records = part.conditions, self.records
        atoms = records.atoms({name: asked.grid(name) for name in part.columns})
        of_rows = part.cells(atoms, len(records.persons))
        cells, people = people_in(of_rows, records.persons, repeat=records.repeat)
        counts = np.bincount(cells, minlength=len(conditions))
        sums = records.noise.sums(cells, people, len(conditions))
        shown = counts + self.noise.drawn(records.noise.uniforms("count", sums))
        large = shown >= self.least
        found = Counted(part, conditions, cells, people, shown, large, sums)
        given = large & self._apart(found, counts)
        found = Counted(part, conditions, cells, people, shown, given, sums)
        new = np.array([it.digest not in self._told for it in conditions])
        self.expose(people, new[cells] / self.noise.sd**2)
        self._told |= {it.digest for it in conditions}
        for cell in np.flatnonzero(given).tolist():
            self.opened.setdefault(conditions[cell].digest, found)
        return found

    def expose(self, people: Labels, distances: Floats) -> None:
        """Add what numbers tell of some people."""
        np.add.at(self.exposure, people, distances)

    def _apart(self, new: Counted, counts: Whole) -> NDArray[np.bool_]:
        """Tell which cells differ from all that was given by enough people, or by definition."""
        out = np.ones(new.size, dtype=np.bool_)
        names = [it.digest for it in new.conditions]
        members = new.members(self.records.people)
        reach = WIDTH * self.noise.sd
        for old in dict.fromkeys(self.opened.values()):
            there = np.flatnonzero(old.given)
            kept = old.members(self.records.people)[there]
            common = (members @ kept.T).toarray()
            sizes = np.asarray(kept.sum(axis=1)).ravel()
            apart = counts[:, None] + sizes[None, :] - 2 * common
            for cell, at in np.argwhere(apart < self.k + reach).tolist():
                other = old.conditions[there[at]].digest
                if names[cell] != other and apart[cell, at] < self._threshold(names[cell], other):
                    out[cell] = False
        return out

    def _threshold(self, *digests: str) -> int:
        what, width = " ".join(sorted(digests)), WIDTH * self.noise.sd
        return self.k + self.records.noise.threshold(what, width) - width
