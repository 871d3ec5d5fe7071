"""Quantiles of a column of numbers in the cells of a question: steps of its grid at noisy ranks.

The rank is moved by keyed noise of the size of a count's, and the step of the grid is given in
which the person of that rank lies. So a person, who moves every rank by one at the most, is hidden
as in a count. A rank that fewer than k people lie beyond is not given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.answers.averages import in_copy, people_with_values
from discreet.answers.counting import Counted, Counter
from discreet.arguments import Floats
from discreet.estimates.intervals import NORMAL
from discreet.explore.conditions import Asked
from discreet.explore.questions import Part

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


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
    cells, _, of_people = people_with_values(counter, part, asked, value)
    sd, noise = counter.noise.sd, counter.records.noise
    draws = noise.normals(f"quantiles {value}", counted.sums, len(SHARES))
    low, middle, high = (np.full((counted.size, len(SHARES)), np.nan) for _ in range(3))
    of_copy, values_of_copy = in_copy(asked, part, value)
    for cell in np.flatnonzero(counted.given).tolist():
        copy = np.sort(values_of_copy[of_copy == cell])
        if not len(copy):
            continue
        values = np.sort(of_people[cells == cell])
        ranks = np.sort(np.array(SHARES) * len(values) + sd * draws[cell])
        middle[cell] = steps_at(values, ranks, asked.grid(value).edges, counter.k)
        below, above = _reach(copy, float(counted.shown[cell]), sd)
        step = float(np.diff(asked.grid(value).edges).max())  # the value lies within it
        low[cell], high[cell] = middle[cell] - below, middle[cell] + step + above
    return Quantiles(counted, low, middle, high)


def steps_at(values: Floats, ranks: Floats, edges: Sequence[float], k: int) -> Floats:
    """Return the steps of a grid in which the values of some ranks lie, NaN of ranks near an end.

    Examples
    --------
    >>> steps_at(np.arange(100.0), np.array([3.0, 50.4, 97.0]), (0, 20, 40, 60, 80, 100), 5)
    array([nan, 40., nan])
    """
    steps, out = np.asarray(edges, dtype=np.float64), np.full(len(ranks), np.nan)
    inside = (ranks >= k) & (ranks <= len(values) - k)
    found = values[np.floor(ranks[inside]).astype(np.intp)] if inside.any() else np.zeros(0)
    places = np.searchsorted(steps, found, side="right") - 1
    out[inside] = steps[np.clip(places, 0, len(steps) - 1)]
    return out


def _reach(copy: Floats, people: float, sd: int) -> tuple[Floats, Floats]:
    """Return how far quantiles may be off, below and above: by how the copy lies around them."""
    shares = np.array(SHARES)
    off = NORMAL * np.sqrt(shares * (1 - shares) / people + (sd / people) ** 2)
    at = _quantile(copy, shares)
    return at - _quantile(copy, shares - off), _quantile(copy, shares + off) - at


def _quantile(values: Floats, shares: Sequence[float] | Floats) -> Floats:
    found: Floats = np.quantile(values, np.clip(shares, 0.0, 1.0))
    return found
