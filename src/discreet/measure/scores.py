"""Propensity scores as two boxes: what may be drawn of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.measure.pairs import Floats
from discreet.measure.propensity import Propensity
from discreet.measure.rounding import Five, coarse_box
from discreet.protect import OrderMeans

__all__ = ["Scores", "boxes_of", "coarse_scores"]

WHISKER = 1.5  # times the height of the box


class Scores(NamedTuple):
    """Propensity scores as the five numbers of a box for each table.

    `k` is how many scores each number is a mean of; None where they are those of single rows.
    """

    original: Five
    released: Five
    k: int | None


def boxes_of(scores: Propensity, guard: int | None = None) -> Scores:
    """Return the boxes of two tables' propensity scores.

    Parameters
    ----------
    scores : Propensity
        The scores of all rows.
    guard : int, optional
        How many neighbouring scores each number is the mean of. Without it they are plain
        quartiles, and whiskers at the last scores within 1.5 heights of the box.

    Raises
    ------
    RefusedError
        If there are fewer scores than `guard`.
    """
    if guard is not None:
        box = OrderMeans(guard)
        return Scores(box(scores.original), box(scores.released), guard)
    return Scores(_box(scores.original), _box(scores.released), None)


def coarse_scores(scores: Scores) -> Scores:
    """Round both boxes; see `discreet.measure.rounding`."""
    return Scores(coarse_box(scores.original), coarse_box(scores.released), scores.k)


def _box(values: Floats) -> Five:
    q1, median, q3 = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    reach = WHISKER * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    return min(float(inside.min()), q1), q1, median, q3, max(float(inside.max()), q3)
