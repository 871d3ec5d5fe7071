"""Means of a column of numbers in the cells of a question: perturbed sums over perturbed counts.

Values beyond the ends of the column's grid count as these ends, so that nobody moves a sum by more
than half the grid. A cell is not given where few people hold most of its sum in the copy:
by the data one person could turn that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.answers.counting import Counted, Counter
from discreet.answers.records import means_of_pairs, places_within
from discreet.arguments import Floats, Labels
from discreet.explore.conditions import Asked
from discreet.explore.questions import Part

DOMINANCE = 0.5
"""The (n, k) rule: the two largest contributors hold less than such a share of the sum."""
P_PERCENT = 0.1
"""The p % rule: what is left of a sum without the two largest is such a share of the largest."""


@dataclass(frozen=True, eq=False)
class Averaged:
    """Means of cells, and the standard deviation of their noise; NaN where none is given.

    `of_sums` is that of means times people.
    """

    counted: Counted
    means: Floats
    noise: Floats
    of_sums: Floats


def average(counter: Counter, part: Part, asked: Asked, value: str) -> Averaged:
    """Average a column over the people in each cell of a part."""
    counted = counter.count(part, asked)
    edges = asked.grid(value).edges
    low, high = edges[0], edges[-1]
    middle, reach = (low + high) / 2, (high - low) / 2
    cells, _, of_people = people_with_values(counter, part, asked, value)
    sums: Floats = np.bincount(cells, of_people - middle, counted.size).astype(np.float64)
    draws = counter.records.noise.normals(f"sum {value}", counted.sums, 1)[:, 0]
    sums += counter.noise.sd * reach * draws
    of_copy, values_of_copy = in_copy(asked, part, value)
    allowed = [no_few_hold_most(values_of_copy[of_copy == it]) for it in range(counted.size)]
    given = counted.given & np.array(allowed, dtype=np.bool_)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(given, np.clip(middle + sums / counted.shown, low, high), np.nan)
        noise = counter.noise.sd * np.hypot(reach, means - middle) / counted.shown
    return Averaged(
        counted, means, noise, counter.noise.sd * np.hypot(reach, np.full_like(means, middle))
    )


def people_with_values(
    counter: Counter, part: Part, asked: Asked, value: str
) -> tuple[Labels, Labels, Floats]:
    """Return pairs of a cell and a person in it, and the mean of the person's values there.

    They are the pairs that are counted: nobody is in more cells than somebody of the copy may be.
    Values beyond the ends of the column's grid count as these.
    """
    edges, records = asked.grid(value).edges, counter.records
    atoms = records.atoms({name: asked.grid(name) for name in part.columns})
    of_rows = part.cells(atoms, len(records.persons))
    values = np.clip(records.rows.copy.columns[value], edges[0], edges[-1])
    # Of few people, where the copy has no gaps: see Grid.
    values = np.where(np.isnan(values), (edges[0] + edges[-1]) / 2, values)
    cells, people, means = means_of_pairs(values, of_rows, records.persons)
    first = places_within(people) < counter.most_cells
    return cells[first], people[first], means[first]


def in_copy(asked: Asked, part: Part, value: str) -> tuple[Labels, Floats]:
    """Return the cell of each row of the copy, -1 of one without a value, and the values."""
    copy = asked.whole.copy
    atoms = {name: asked.grid(name).places_in(copy) for name in part.columns}
    cells = part.cells(atoms, len(copy))
    known = np.isfinite(copy.columns[value])
    return np.where(known, cells, -1), copy.columns[value]


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
