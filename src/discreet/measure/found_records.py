"""Raw records that stand in a released table, as it was or nearly, more often than by chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.arguments import Floats
from discreet.measure.anonymity import combinations_of
from discreet.measure.attacks import Attack, Copy, Records, counted_of, told_as
from discreet.measure.pairs import Estimate, Side

WHAT = "records that a released row is like in every column"
AGAINST = "what is no record"
NEAR = 0.02
"""So near in standard deviations are numbers that are alike."""
MOST, AWAY = 1000, 1e4


def found_records(raw: Side, released: Side) -> Estimate:
    """Count the raw records that some released row is like: in all levels, and nearly in numbers.

    Parameters
    ----------
    raw, released : Side
        Any numbers of rows, of the same columns; see `told_as`.

    Returns
    -------
    Estimate
        Of the raw rows; of very many of a sample. The baseline is how often a released row is like
        what is no record, but lies among them: halfway between a record and its nearest other one
        of the same levels, at values that the columns have. Where there is none it is the record.

    Notes
    -----
    Numbers are alike that are a fiftieth of a standard deviation apart, or less.

    **What it does not tell.** A record that is found by chance is found all the same: where columns
    hold few levels, most are.

    Examples
    --------
    >>> from discreet.measure.pairs import as_side
    >>> raw = as_side(np.random.default_rng(0).normal(size=(200, 3)))
    >>> found = found_records(raw, raw)
    >>> found.share, found.baseline
    (1.0, 0.0)
    """
    from scipy.spatial import cKDTree

    points, there = _points(raw, released)
    at = np.linspace(0, len(points) - 1, min(MOST, len(points))).astype(np.intp)
    different = np.unique(points, axis=0)
    tree = cKDTree(there)

    def hits(of: Floats) -> int:
        gap = tree.query(of, k=1, p=np.inf, distance_upper_bound=NEAR)[0]
        return int(np.isfinite(gap).sum())

    between = _between(points[at], different)
    return Estimate(WHAT, hits(points[at]), len(at), hits(between) / len(at))


def _points(raw: Side, released: Side) -> tuple[Floats, Floats]:
    """Return the rows of both as points: numbers in standard deviations, other levels far off."""
    columns = []
    for name in sorted(raw.numbers):
        both = np.concatenate([raw.numbers[name], released.numbers[name]])
        spread = float(np.nanstd(raw.numbers[name])) or 1.0
        columns.append(np.nan_to_num((both - np.nanmean(raw.numbers[name])) / spread, nan=AWAY))
    if raw.levels:
        words = [(*raw.levels[name], *released.levels[name]) for name in sorted(raw.levels)]
        columns.append(AWAY * combinations_of(words).astype(np.float64))
    points = np.column_stack(columns)
    return points[: len(raw)], points[len(raw) :]


def _between(points: Floats, different: Floats) -> Floats:
    """Return points halfway to the nearest other one, at values that each column has."""
    from scipy.spatial import cKDTree

    if len(different) < 2:
        return points
    gap, near = cKDTree(different).query(points, k=2)
    middle = (points + different[near[:, 1]]) / 2
    for j, column in enumerate(middle.T):
        values = np.unique(different[:, j])
        right = np.clip(np.searchsorted(values, column), 1, max(len(values) - 1, 1))
        if len(values) > 1:
            left = column - values[right - 1] < values[right] - column
            middle[:, j] = np.where(left, values[right - 1], values[right])
    return np.where((gap[:, 1] < AWAY / 2)[:, None], middle, points)


def records_in_copy(records: Records, copy: Copy) -> Attack:
    """Count the records that a released row is like, beside what chance explains."""
    found = found_records(told_as(records.table, copy.table), copy.table)
    success = counted_of(
        found.what, found.count, found.trials, found.baseline or 0.0, against=AGAINST
    )
    return Attack(
        "records",
        "Records in the table",
        "Somebody knows most of a person's values, looks for a released row that has them, and"
        " takes the rest of that row for the person's.",
        (
            "Numbers are alike that are a fiftieth of a standard deviation apart, or less.",
            "What is no record lies halfway between two; where columns hold few levels, most"
            " records are found by chance.",
        ),
        replace(success, what=WHAT),
    )
