"""Raw records that stand in a released table, as it was or nearly, more often than by chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.measure.anonymity import combinations_of
from discreet.measure.attacks import Attack, Copy, Records, counted_of, told_as
from discreet.measure.pairs import Estimate, Side
from discreet.protect.alike import found_in

__all__ = ["found_records", "records_in_copy"]

WHAT = "records that a released row is like in every column"
AGAINST = "chance"
NEAR = 0.02
"""So near in standard deviations are numbers that are alike."""


def found_records(raw: Side, released: Side) -> Estimate:
    """Count the raw rows that some released row is like: in all levels, and in all numbers nearly.

    Parameters
    ----------
    raw, released : Side
        Any numbers of rows, of the same columns; see `told_as`.

    Returns
    -------
    Estimate
        Of the raw rows. The baseline is what part of it chance explains. Of pairs of a raw and a
        released row that agree in all columns but two, those that agree in both of them are as many
        as these columns say by themselves; of a copy that repeats records they are far more.

    Notes
    -----
    Numbers within a fiftieth of a standard deviation, of the middle of the column, may be alike.

    **What it does not tell.** A record that is found by chance is found all the same: where columns
    hold few levels, most are.

    Examples
    --------
    >>> from discreet.measure.pairs import as_side
    >>> raw = as_side(np.random.default_rng(0).normal(size=(200, 3)))
    >>> found = found_records(raw, raw)
    >>> found.share, found.baseline < 0.05
    (1.0, True)
    """
    numbers = {
        name: np.concatenate([raw.numbers[name], released.numbers[name]]) for name in raw.numbers
    }
    codes = {
        name: combinations_of([(*raw.levels[name], *released.levels[name])]) for name in raw.levels
    }
    found = found_in(numbers, codes, len(raw), NEAR)
    count = int(found.rows.sum())
    return Estimate(WHAT, count, len(raw), found.by_chance * count / len(raw))


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
            "Chance is what pairs of columns say by themselves; where columns hold few levels, most"
            " records are found by chance.",
        ),
        replace(success, what=WHAT),
    )
