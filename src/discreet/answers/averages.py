"""Means and ratios in the cells of a question: perturbed sums over perturbed counts, or sums.

Values beyond the ends of the column's grid count as these ends, so that nobody moves a sum by more
than half the grid. A cell is not given where few people hold most of its sum in the copy:
by the data one person could turn that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.answers.counting import Counted, Counter
from discreet.answers.noise import in_steps
from discreet.answers.records import means_of_pairs, places_within
from discreet.arguments import Floats, Labels
from discreet.explore.conditions import Asked, Truths
from discreet.explore.from_copy import WholeTable
from discreet.explore.questions import Part, value_of

DOMINANCE = 0.5
"""The (n, k) rule: the two largest contributors hold less than such a share of the sum."""
P_PERCENT = 0.1
"""The p % rule: what is left of a sum without the two largest is such a share of the largest."""

SURELY = 4
"""A sum that others are divided by is so many times its noise, or more."""


@dataclass(frozen=True, eq=False)
class Averaged:
    """Means of cells, and the standard deviation of their noise; NaN where none is given.

    `of_sums` is that of means times people.
    """

    counted: Counted
    means: Floats
    noise: Floats
    of_sums: Floats


@dataclass(frozen=True, eq=False)
class Divided:
    """Sums of cells divided by others, and the standard deviation of their noise; NaN if not given.

    `totals` are both sums, and `of_totals` the standard deviations of their noise.
    """

    counted: Counted
    ratios: Floats
    noise: Floats
    totals: tuple[Floats, Floats]
    of_totals: tuple[float, float]


@dataclass(frozen=True, eq=False)
class _Sums:
    """The sums of a column over the people of cells, without the middle of its grid of each.

    Each has noise of so many people as a count has, at `reach` from the `middle`.
    """

    sums: Floats
    allowed: Truths
    middle: float
    reach: float

    def totals(self, people: Floats) -> Floats:
        """Return the sums themselves, none beyond what so many people can have."""
        low, high = self.middle - self.reach, self.middle + self.reach
        return np.clip(self.sums + self.middle * people, low * people, high * people)

    def of_totals(self, sd: float) -> float:
        """Return the standard deviation of the noise of a sum itself."""
        return sd * math.hypot(self.reach, self.middle)


def average(counter: Counter, part: Part, asked: Asked, value: str) -> Averaged:
    """Average a column over the people in each cell of a part."""
    counted, sd = counter.count(part, asked), counter.noise.sd
    of = _sums(counter, counted, asked, value)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = of.totals(counted.shown.astype(np.float64)) / counted.shown
        means = in_steps(means, sd * of.reach / counted.shown)
        means = np.where(counted.given & of.allowed, means, np.nan)
        noise = sd * np.hypot(of.reach, means - of.middle) / counted.shown
    return Averaged(counted, means, noise, np.full_like(means, of.of_totals(sd)))


def divide(counter: Counter, part: Part, asked: Asked, value: str, per: str) -> Divided:
    """Divide the sum of a column by that of another, over the people in each cell of a part."""
    counted, sd = counter.count(part, asked), counter.noise.sd
    above, below = (_sums(counter, counted, asked, it) for it in (value, per))
    people = counted.shown.astype(np.float64)
    total, of = above.totals(people), below.totals(people)
    given = counted.given & above.allowed & below.allowed
    given &= of > SURELY * below.of_totals(sd)
    if value not in asked.whole.copy.columns:  # people with it are a count, too
        given &= total >= counter.least
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.where(given, total / of, np.nan)
        by_people = above.middle - ratios * below.middle
        noise = sd * np.sqrt(by_people**2 + above.reach**2 + (ratios * below.reach) ** 2) / of
    ends = above.of_totals(sd), below.of_totals(sd)
    return Divided(counted, ratios, noise, (total, of), ends)


def _sums(counter: Counter, counted: Counted, asked: Asked, value: str) -> _Sums:
    part = counted.part
    low, high = _ends(asked, value)
    middle, reach = (low + high) / 2, (high - low) / 2
    cells, _, of_people = people_with_values(counter, part, asked, value)
    sums: Floats = np.bincount(cells, of_people - middle, counted.size).astype(np.float64)
    draws = counter.records.noise.normals(f"sum {value}", counted.sums, 1)[:, 0]
    sd = counter.noise.sd * reach
    sums = in_steps(sums + sd * draws, np.full(counted.size, sd))
    of_copy, values_of_copy = in_copy(asked, part, value)
    allowed = [no_few_hold_most(values_of_copy[of_copy == it]) for it in range(counted.size)]
    return _Sums(sums, np.array(allowed, dtype=np.bool_), middle, reach)


def _ends(asked: Asked, value: str) -> tuple[float, float]:
    """Return the ends of the grid of a column; of yes and no, which count as 0 and 1, these."""
    grid, level = value_of(asked, value)
    return (grid.edges[0], grid.edges[-1]) if level is None else (0.0, 1.0)


def values_in(asked: Asked, rows: WholeTable, value: str) -> Floats:
    """Return the values of rows, NaN of none; of yes and no 1 and 0."""
    grid, level = value_of(asked, value)
    if level is None:
        return rows.copy.columns[value]
    places = grid.places_in(rows.copy)
    has = (places == grid.words.index(level)).astype(np.float64)
    return np.where(places < grid.known, has, np.nan)


def people_with_values(
    counter: Counter, part: Part, asked: Asked, value: str
) -> tuple[Labels, Labels, Floats]:
    """Return pairs of a cell and a person in it, and the mean of the person's values there.

    They are the pairs that are counted: nobody is in more cells than somebody of the copy may be.
    Values beyond the ends of the column's grid count as these.
    """
    (low, high), records = _ends(asked, value), counter.records
    atoms = records.atoms({name: asked.grid(name) for name in part.columns})
    of_rows = part.cells(atoms, len(records.persons))
    values = np.clip(values_in(asked, records.rows, value), low, high)
    # Of few people, where the copy has no gaps: see Grid.
    values = np.where(np.isnan(values), (low + high) / 2, values)
    cells, people, means = means_of_pairs(values, of_rows, records.persons)
    first = places_within(people) < counter.most_cells
    return cells[first], people[first], means[first]


def in_copy(asked: Asked, part: Part, value: str) -> tuple[Labels, Floats]:
    """Return the cell of each row of the copy, -1 of one without a value, and the values."""
    copy = asked.whole.copy
    atoms = {name: asked.grid(name).places_in(copy) for name in part.columns}
    cells = part.cells(atoms, len(copy))
    values = values_in(asked, asked.whole, value)
    return np.where(np.isfinite(values), cells, -1), values


def no_few_hold_most(values: Floats) -> bool:
    """Tell whether no few people hold most of a sum, by the rules (n, k) and p %.

    Examples
    --------
    >>> no_few_hold_most(np.full(40, 3.0)), no_few_hold_most(np.array([90.0, 3, 3, 3]))
    (True, False)
    """
    sizes = np.sort(np.abs(values))[::-1]
    total = float(sizes.sum())
    if total == 0:
        return True
    first, second = (*sizes[:2].tolist(), 0.0, 0.0)[:2]
    dominant = first + second >= DOMINANCE * total
    return not (dominant or total - first - second < P_PERCENT * first)
