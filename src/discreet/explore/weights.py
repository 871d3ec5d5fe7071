"""A survey's weights: a column of the copy by which its rows are weighted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.columns import Column
from discreet.columns.column import Copy
from discreet.errors import InputError, RefusedError, about, some_of
from discreet.plots.facets import FEWEST

LARGEST = 1e100
"""Sums of weights times numbers as large as this are numbers still."""


class Weighed(NamedTuple):
    """Which rows have a weight above 0, their weights, and what is said of that."""

    places: Labels
    weights: Floats
    said: str


def weighed(copy: Copy, raw: Mapping[str, Column], name: str) -> Weighed:
    """Return the rows of a copy that have a weight above 0: as survey software does, no others."""
    with about("weights"):
        numbers = [it for it in copy.columns if raw[it].dates is None]
        if name not in numbers:
            what = "dates" if name in copy.columns else "levels"
            others = f"columns of numbers are {some_of(numbers)}" if numbers else "there is none"
            raise InputError(
                f"column {name!r} is one of {what}; weights= takes one of numbers, each the "
                f"number of people that a row stands for: {others}"
            )
        values = copy.columns[name]
        kept = np.isfinite(values) & (values > 0)
        if kept.sum() < FEWEST:
            raise RefusedError(
                f"fewer than {FEWEST} rows of the copy have a weight above 0 in {name!r}: too "
                "few to say anything; take another column of weights",
                rule="few",
            )
        with np.errstate(over="ignore"):
            if not np.isfinite((values[kept] * LARGEST).sum()):
                raise RefusedError(
                    f"the weights in {name!r} are too large to add up; divide them by a number"
                )
    said, share = f"weighted by {name}", 1 - float(kept.mean())
    if not kept.all():
        rows = "less than 1 %" if share < 0.01 else f"about {100 * share:.0f} %"
        said += f"; {rows} of the rows left out, as their weight is not above 0"
    return Weighed(np.flatnonzero(kept), values[kept], said)
