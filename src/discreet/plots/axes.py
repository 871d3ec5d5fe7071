"""The ends of a column's axis: declared by the policy, or drawn around trimmed values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.arguments import Floats
from discreet.errors import RefusedError
from discreet.plots.request import ROWS_PER_K, PlotRequest
from discreet.protect.values import DIGITS, extreme_mean, safe_ends, short
from discreet.table import BinAxis, Table

__all__ = ["AxisRange", "ends_of_table", "ends_of_values", "short_places", "too_few"]

# Numbers whose range is a smaller share of their size have too few digits left for bins.
NARROWEST = 1e-9


@dataclass(frozen=True)
class AxisRange:
    """Where the axis of a column begins and ends, and whether it holds whole numbers only.

    `breaks` are declared edges of bins, of any widths.
    """

    column: str
    low: float
    high: float
    whole: bool = False
    breaks: tuple[float, ...] = ()

    def most(self, bins: int) -> int:
        """Return into how many intervals the axis is divided where `bins` are asked for."""
        return len(self.breaks) - 1 if self.breaks else bins

    def axis(self, bins: int) -> BinAxis:
        """Divide the axis into `bins` intervals.

        Whole numbers get intervals of whole width between halves, so that each can hold the same
        number of different values; there may be fewer than `bins` of them. Of declared edges
        some are left out where fewer are asked for.
        """
        if self.breaks:
            found = np.linspace(0, len(self.breaks) - 1, bins + 1).round().astype(int)
            breaks = tuple(self.breaks[i] for i in found.tolist())
            return BinAxis(self.column, self.low, self.high, bins, breaks)
        if not self.whole:
            return BinAxis(self.column, self.low, self.high, bins)
        reach = self.high - self.low
        width = math.ceil(reach / bins)
        bins = math.ceil(reach / width)
        low = self.low - (width * bins - reach) // 2
        return BinAxis(self.column, low, low + width * bins, bins)


def ends_of_table(table: Table, request: PlotRequest, column: str) -> AxisRange:
    """Return the ends of a raw column's axis.

    Where the policy declares no limits they are the means of the k smallest and the k largest
    values (`extreme_mean`), rounded outward to a nice step; under `research` the observed range.
    """
    if column in request.edges or column in request.limits:
        return _declared(request, column)
    if request.shows_exact:
        lows, highs = table.extremes(column, 1)
        return _spanning(column, float(lows[0]), float(highs[0]))
    # The size is asked first, and with the text of every other picture: what else is wrong with
    # a column of fewer values would say how many there are.
    lows, highs = table.extremes(column, request.least_persons)
    if len(lows) < request.least_persons:
        raise too_few(request)
    low, high = (extreme_mean(inward[: 2 * request.k], request.k) for inward in (lows, highs))
    return _trimmed(column, low, high, whole=table.is_whole(column, but_for=request.k))


def ends_of_values(values: Floats, request: PlotRequest, column: str) -> AxisRange:
    """Return the ends of the axis of a column that is protected already, by the same rule."""
    if column in request.edges or column in request.limits:
        return _declared(request, column)
    if request.shows_exact:
        return _spanning(column, float(values.min()), float(values.max()))
    ordered, most = np.sort(values), 2 * request.k
    low, high = (extreme_mean(inward[:most], request.k) for inward in (ordered, ordered[::-1]))
    return _trimmed(column, low, high, whole=False)


def too_few(request: PlotRequest, or_else: str = "") -> RefusedError:
    """Return the refusal of a plot of too few persons, whatever else may be wrong.

    `or_else` is what else may be wrong with a level, where the two must not be told apart.
    """
    need = "at least k" if request.shows_exact else f"at least {ROWS_PER_K} k"
    whose = "" if request.by is None else f" for each level of {request.by!r}{or_else}"
    smaller = "a smaller k"
    if request.bins_share < 1:
        need += f", and for bins that are at most {request.bins_share:g} of them along an axis"
        smaller += " or fewer bins"
    way_out = f"other columns, more rows or {smaller}"
    if not request.shows_exact:
        way_out = f"other columns or more rows; the custodian can declare {smaller}"
    return RefusedError(
        f"columns {', '.join(map(repr, request.columns))} have too few complete rows{whose}: the"
        f" policy asks for {need}; choose {way_out}"
    )


def short_places(places: Floats) -> tuple[float, ...]:
    """Return ends or middles of bins without the last digits of their arithmetic.

    Where bins are narrow for the size of their numbers they keep as many digits as it takes to
    say to a billionth of a bin which value is in which.
    """
    away = np.abs(places).max() / np.diff(places).min() if len(places) > 1 else 1.0
    digits = max(DIGITS, 10 + math.ceil(math.log10(max(away, 1.0))))
    return tuple(short(place, min(digits, 17)) for place in places)


def _declared(request: PlotRequest, column: str) -> AxisRange:
    if column in request.edges:
        breaks = tuple(map(float, request.edges[column]))
        _check_span(column, breaks[0], breaks[-1])
        return AxisRange(column, breaks[0], breaks[-1], breaks=breaks)
    low, high = request.limits[column]
    _check_span(column, low, high)
    return AxisRange(column, float(low), float(high))


def _spanning(column: str, low: float, high: float) -> AxisRange:
    if not high > low:
        raise RefusedError(f"column {column!r} is constant, so it cannot be drawn")
    _check_span(column, low, high)
    return AxisRange(column, low, high)


def _trimmed(column: str, low: float, high: float, *, whole: bool) -> AxisRange:
    if not high > low:
        raise RefusedError(
            f"column {column!r} is constant but for fewer than k values, so it cannot be drawn"
        )
    _check_span(column, low, high)
    low, high = safe_ends(low, high, whole=whole)
    half = 0.5 if whole else 0.0
    return AxisRange(column, low - half, high + half, whole=whole)


def _check_span(column: str, low: float, high: float) -> None:
    """Refuse a range that bins cannot be told apart in."""
    if not math.isfinite(high - low):
        raise RefusedError(f"column {column!r} is too wide to be drawn; rescale it")
    if high - low < NARROWEST * max(abs(low), abs(high)):
        raise RefusedError(
            f"column {column!r} varies too little for the size of its numbers to be drawn;"
            " subtract a constant from it"
        )
