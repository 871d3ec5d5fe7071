"""Quantiles of a column of numbers in the cells of a question: means of neighbours at noisy ranks.

The rank is moved by keyed noise of the size of a count's, k people who lie around it are averaged,
and the mean is put on the column's grid. So a person, who moves every rank by one at the most, is
hidden as in a count, and no value is anybody's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.answers.averages import in_copy, people_with_values
from discreet.answers.counting import Counted, Counter
from discreet.arguments import Floats
from discreet.explore.conditions import Asked
from discreet.explore.questions import Part

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
CERTAIN = 1.959963984540054


@dataclass(frozen=True, eq=False)
class Quantiles:
    """Quantiles of cells, and the ends of their intervals: of shape (cells, shares), or NaN."""

    counted: Counted
    low: Floats
    middle: Floats
    high: Floats


def quantiles(counter: Counter, part: Part, asked: Asked, value: str) -> Quantiles:
    """Return the quantiles of a column over the people in each cell of a part."""
    counted = counter.count(part, asked)
    cells, people, of_people = people_with_values(counter.records, part, asked, value)
    sd, noise = counter.noise.sd, counter.records.noise
    counter.expose(people, np.full(len(people), len(SHARES) / sd**2))
    draws = noise.normals(f"quantiles {value}", counted.sums, len(SHARES))
    shape = (counted.size, len(SHARES))
    low, middle, high = (np.full(shape, np.nan) for _ in range(3))
    of_copy, values_of_copy = in_copy(asked, part, value)
    for cell in np.flatnonzero(counted.given).tolist():
        copy = np.sort(values_of_copy[of_copy == cell])
        if not len(copy):
            continue
        values = np.sort(of_people[cells == cell])
        if len(values) < 2 * counter.k:  # seldom: the noise made them many
            values = copy
        ranks = np.array(SHARES) * len(values) + sd * draws[cell]
        found = np.sort([mean_around(values, rank, counter.k) for rank in ranks])
        middle[cell] = _on_grid(found, asked.grid(value).edges)
        below, above = _reach(copy, float(counted.shown[cell]), sd)
        low[cell], high[cell] = middle[cell] - below, middle[cell] + above
    return Quantiles(counted, low, middle, high)


def mean_around(values: Floats, rank: float, k: int) -> float:
    """Return the mean of k values in order around a rank, fewer where there are fewer.

    Examples
    --------
    >>> mean_around(np.arange(10.0), 5.0, 3), mean_around(np.arange(10.0), 99.0, 3)
    (5.0, 8.0)
    """
    first = min(max(math.ceil(rank - k / 2), 0), max(len(values) - k, 0))
    return float(values[first : first + k].mean())


def _reach(copy: Floats, people: float, sd: int) -> tuple[Floats, Floats]:
    """Return how far quantiles may be off, below and above: by how the copy lies around them."""
    shares = np.array(SHARES)
    off = CERTAIN * np.sqrt(shares * (1 - shares) / people + (sd / people) ** 2)
    at = _quantile(copy, shares)
    return at - _quantile(copy, shares - off), _quantile(copy, shares + off) - at


def _on_grid(values: Floats, edges: Sequence[float]) -> Floats:
    """Return the nearest steps of a grid: between them a mean would tell whose it is."""
    steps = np.asarray(edges)
    return np.array([float(steps[np.abs(steps - it).argmin()]) for it in values])


def _quantile(values: Floats, shares: Sequence[float] | Floats) -> Floats:
    found: Floats = np.quantile(values, np.clip(shares, 0.0, 1.0))
    return found
