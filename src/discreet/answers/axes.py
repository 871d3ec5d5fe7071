"""The grid a column is counted on: declared by the policy, or drawn around trimmed ends."""

from __future__ import annotations

import math

import numpy as np

from discreet.errors import RefusedError
from discreet.policy import Asked
from discreet.protect.base import Floats
from discreet.protect.order_means import extreme_means, nice_step
from discreet.table import BinAxis, Table

__all__ = ["axis_of_table", "axis_of_values", "guarded_axis", "resized"]


def axis_of_table(table: Table, asked: Asked, column: str, bins: int) -> BinAxis:
    """Return the axis of a raw column.

    Where the policy declares no limits, a guarded axis runs between the means of the k smallest
    and the k largest values, rounded outward; under `research` it is the observed range.
    """
    if column in asked.limits:
        return _declared(asked, column, bins)
    if not asked.guarded:
        lows, highs = table.extremes(column, 1)
        return _spanning(column, float(lows[0]), float(highs[0]), bins)
    lows, highs = table.extremes(column, asked.k)
    if len(lows) < asked.k:
        raise RefusedError(f"column {column!r} has too few finite values for the k of the policy")
    low, high = extreme_means(lows, highs)
    return guarded_axis(column, low, high, bins, whole=table.columns[column].whole)


def axis_of_values(values: Floats, asked: Asked, column: str, bins: int) -> BinAxis:
    """Return the axis of a column that is protected already: declared, or its range."""
    if column in asked.limits:
        return _declared(asked, column, bins)
    return _spanning(column, float(values.min()), float(values.max()), bins)


def guarded_axis(column: str, low: float, high: float, bins: int, *, whole: bool) -> BinAxis:
    """Round `low` and `high` outward to a nice step.

    Whole numbers get bins of whole width between halves, so that every bin can hold the same
    number of different values; there may be fewer than `bins` of them.
    """
    if not high > low:
        raise RefusedError(
            f"column {column!r} is constant but for fewer than k values, so it cannot be drawn"
        )
    if whole:
        first, last = math.floor(low), math.ceil(high)
        width = max(1, math.ceil((last - first + 1) / bins))
        bins = math.ceil((last - first + 1) / width)
        return BinAxis(column, first - 0.5, first - 0.5 + width * bins, bins)
    step = nice_step(high - low, share=0.05)
    start, stop = math.floor(low / step), math.ceil(high / step)
    return BinAxis(column, _multiple(step, start), _multiple(step, stop), bins)


def resized(axis: BinAxis, bins: int, *, whole: bool) -> BinAxis:
    """Return the same ends with another number of bins; whole numbers keep whole widths."""
    if not whole or bins >= axis.bins:
        return BinAxis(axis.column, axis.low, axis.high, min(bins, axis.bins) if whole else bins)
    width = math.ceil((axis.high - axis.low) / bins)
    bins = math.ceil((axis.high - axis.low) / width)
    return BinAxis(axis.column, axis.low, axis.low + width * bins, bins)


def _declared(asked: Asked, column: str, bins: int) -> BinAxis:
    low, high = asked.limits[column]
    return BinAxis(column, float(low), float(high), bins)


def _spanning(column: str, low: float, high: float, bins: int) -> BinAxis:
    if not high > low or not math.isfinite(high - low):
        raise RefusedError(f"column {column!r} is constant or too wide, so it cannot be drawn")
    return BinAxis(column, low, high, bins)


def _multiple(step: float, times: int) -> float:
    """Return step * times as the decimal number that a reader would write."""
    return float(np.format_float_positional(step * times, precision=12, fractional=False))
