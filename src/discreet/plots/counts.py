"""Counts in bins and cells, of a table or of protected rows, and what of them a reader is told."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.errors import RefusedError
from discreet.plots.request import ROWS_PER_K, PlotRequest
from discreet.plots.view import Origin
from discreet.protect import COPY_METHODS, ROW_METHODS, Generalization, NoProtection, Suppression
from discreet.protect.counts import Bins, Guarded, check_counts, rounded
from discreet.protect.values import DIGITS, extreme_mean, safe_ends, short
from discreet.table import BinAxis, Counted, Table

__all__ = [
    "AxisRange",
    "Protected",
    "Shown",
    "cells_of",
    "check_size",
    "count_cells",
    "count_rows",
    "ends_of_table",
    "ends_of_values",
    "gaps_of",
    "parameters_of_counts",
    "parameters_of_rows",
    "seen",
    "short_places",
    "shown_counts",
    "shown_of_rows",
    "too_few",
]


# Numbers whose range is a smaller share of their size have too few digits left for bins.
NARROWEST = 1e-9
MOST_DECIMALS, MOST_WHOLE, MOST_STEPS = 6, 1e15, 1000
ON_STEP = 1e-6
"""Numbers are not further than this from a multiple of their last decimal."""


@dataclass(frozen=True)
class AxisRange:
    """Where the axis of a column begins and ends, and by which step its values go, if by one.

    Whole numbers go by 1, others by tenths; the ends lie half a step beyond the values. `breaks`
    are declared edges of bins, of any widths.
    """

    column: str
    low: float
    high: float
    step: float = 0.0
    breaks: tuple[float, ...] = ()

    def most(self, bins: int) -> int:
        """Return into how many intervals the axis is divided where `bins` are asked for."""
        return len(self.breaks) - 1 if self.breaks else bins

    def axis(self, bins: int) -> BinAxis:
        """Divide the axis into `bins` intervals.

        Values that go by a step get intervals of whole steps, between two steps, so that each can
        hold the same number of different values; there may be fewer than `bins` of them. Of
        declared edges some are left out where fewer are asked for.
        """
        if self.breaks:
            found = np.linspace(0, len(self.breaks) - 1, bins + 1).round().astype(int)
            breaks = tuple(self.breaks[i] for i in found.tolist())
            return BinAxis(self.column, self.low, self.high, bins, breaks)
        if not self.step:
            return BinAxis(self.column, self.low, self.high, bins)
        reach = round((self.high - self.low) / self.step)  # in steps
        width = math.ceil(reach / bins)
        bins = math.ceil(reach / width)
        low = short(self.low - self.step * ((width * bins - reach) // 2))
        return BinAxis(self.column, low, short(low + self.step * width * bins), bins)


def ends_of_table(table: Table, request: PlotRequest, column: str) -> AxisRange:
    """Return the ends of a raw column's axis.

    Where the policy declares no limits they are the means of the k smallest and the k largest
    values (`extreme_mean`), rounded outward to a nice step; under `research` the observed range.
    """
    if column in request.edges or column in request.limits:
        return _declared(request, column)
    if request.shows_exact:
        lows, highs = table.extremes(column, 1)
        return _range(column, lows[0], highs[0])
    # The size is asked first, and with the text of every other picture: what else is wrong with
    # a column of fewer values would say how many there are.
    lows, highs = table.extremes(column, 2 * request.k)
    if not table.has_numbers(column, request.least_persons):
        raise too_few(request)
    low, high = (extreme_mean(inward, request.k) for inward in (lows, highs))
    return _trimmed(column, low, high, float(table.is_whole(column, but_for=request.k)))


def ends_of_values(values: Floats, request: PlotRequest, column: str) -> AxisRange:
    """Return the ends of the axis of a column that is protected already, by the same rule."""
    if column in request.edges or column in request.limits:
        return _declared(request, column)
    if request.of_copy:  # whose ends are those of blocks of persons
        return _trimmed(column, float(values.min()), float(values.max()), step_of(values))
    if request.shows_exact:
        return _range(column, values.min(), values.max())
    ordered, most = np.sort(values), 2 * request.k
    low, high = (extreme_mean(inward[:most], request.k) for inward in (ordered, ordered[::-1]))
    return _trimmed(column, low, high, 0.0)


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


LARGEST = float(np.finfo(np.float64).max)


def short_places(places: Floats) -> tuple[float, ...]:
    """Return ends or middles of bins without the last digits of their arithmetic.

    Where bins are narrow for the size of their numbers they keep as many digits as it takes to
    say to a billionth of a bin which value is in which.
    """
    with np.errstate(over="ignore", divide="ignore"):
        away = np.abs(places).max() / np.diff(places).min() if len(places) > 1 else 1.0
    # Numbers that are hardly apart from 0 have ends that are infinitely far for their width.
    digits = max(DIGITS, 10 + math.ceil(math.log10(min(max(away, 1.0), LARGEST))))
    return tuple(short(place, min(digits, 17)) for place in places)


def _declared(request: PlotRequest, column: str) -> AxisRange:
    breaks = tuple(map(float, request.edges.get(column, ())))
    low, high = (breaks[0], breaks[-1]) if breaks else request.limits[column]
    return replace(_range(column, low, high), breaks=breaks)


def step_of(values: Floats) -> float:
    """Return the largest step by which all values go, 0 of values that go by none.

    A step of which there are very many on the axis is none: bins hold so many that it is not seen.

    Examples
    --------
    >>> step_of(np.array([18.0, 40.0, 73.0, 74.0])), step_of(np.array([200.0, 1700.0, 400.0]))
    (1.0, 100.0)
    >>> step_of(np.array([22.4, 25.0, 31.9])), step_of(np.array([0.25, 1.0, 2.75]))
    (0.1, 0.25)
    >>> step_of(np.array([0.1234567, 2.0])), step_of(np.array([0.001, 40.0, 80.0]))
    (0.0, 0.0)
    """
    largest = float(np.abs(values).max())
    for decimals in range(MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if largest * scale > MOST_WHOLE:  # no digits are left to see a step in
            return float((values == np.floor(values)).all()) if decimals == 0 else 0.0
        scaled = values * scale
        whole = np.round(scaled)
        if (np.abs(scaled - whole) <= (ON_STEP if decimals else 0.0)).all():
            steps = int(np.gcd.reduce((whole - whole.min()).astype(np.int64)))
            many = (values.max() - values.min()) * scale > MOST_STEPS * steps
            return 0.0 if decimals and many else steps / scale
    return 0.0


def _trimmed(column: str, low: float, high: float, step: float) -> AxisRange:
    """Return an axis whose ends are nobody's: of the copy, or means of several."""
    _range(column, low, high, " but for fewer than k values")
    if step and step != 1.0:  # of the copy
        return AxisRange(column, short(low - step / 2), short(high + step / 2), step)
    low, high = safe_ends(low, high, whole=bool(step))
    return AxisRange(column, low - step / 2, high + step / 2, step)


def _range(column: str, low: float, high: float, but_for: str = "") -> AxisRange:
    """Return an axis from low to high; refuse what bins cannot be told apart in."""
    low, high = float(low), float(high)  # of which a difference is infinite without a warning
    if not high > low:
        raise RefusedError(f"column {column!r} is constant{but_for}, so it cannot be drawn")
    if not math.isfinite(high - low):
        raise RefusedError(f"column {column!r} is too wide to be drawn; rescale it")
    if high - low < NARROWEST * max(abs(low), abs(high)):
        raise RefusedError(
            f"column {column!r} varies too little for the size of its numbers to be drawn;"
            " subtract a constant from it"
        )
    return AxisRange(column, low, high)


# --- counting -----------------------------------------------------------------------------------

Protected = Mapping[str, Floats]
"""The columns of protected rows."""
Shown = NDArray[np.bool_]
"""Which bins or cells may be shown."""
NO_COUNTS: Bins = np.zeros(0, dtype=np.int64)


def count_cells(
    table: Table, request: PlotRequest, bins: int
) -> tuple[Counted, Guarded, tuple[BinAxis, ...]]:
    """Count by the method asked for; return what it counted last, what may show, and where."""
    ends = [ends_of_table(table, request, name) for name in request.columns]
    last: dict[str, Any] = {}

    def counts_at(resolution: tuple[int, ...]) -> Bins:
        """Count where the data are, and remember on which axes."""
        axes = tuple(end.axis(cells) for end, cells in zip(ends, resolution, strict=True))
        counted = table.count(axes)
        check_size(counted, request)
        last.update(axes=axes, counted=counted)
        return _with_room(counted.counts, resolution)

    guarded = _count_method(request)(counts_at, tuple(end.most(bins) for end in ends))
    counted, axes = last["counted"], last["axes"]
    guarded = _without_room(guarded, counted.shape)
    if request.method != "none":
        check_counts(counted.counts, guarded.shown, request.k)
    return counted, guarded, axes


def _with_room(counts: Bins, resolution: tuple[int, ...]) -> Bins:
    """Add empty cells where an axis of whole numbers has fewer intervals than it was asked for."""
    return np.pad(counts, [(0, n - m) for n, m in zip(resolution, counts.shape, strict=True)])


def _without_room(guarded: Guarded, shape: tuple[int, ...]) -> Guarded:
    """Take away the cells that `_with_room` added."""
    used = tuple(slice(cells) for cells in shape)
    return Guarded(guarded.counts[used], guarded.shown[used], shape, guarded.hidden)


def _count_method(request: PlotRequest) -> Suppression | Generalization | NoProtection:
    if request.method == "suppression":
        return Suppression(request.k)
    if request.method == "generalization":
        return Generalization(request.k, request.shown_share or None)
    if request.method == "none":
        return NoProtection()
    raise RefusedError(f"method {request.method!r} does not count")


def check_size(counted: Counted, request: PlotRequest) -> None:
    """Refuse a grid of too few persons, or of too many bins for them."""
    if not request.shows_exact and counted.people < request.least_persons:
        raise too_few(request)
    if request.bins_share < 1 and max(counted.shape) > request.bins_share * counted.people:
        raise too_few(request)


def count_rows(
    rows: Protected, request: PlotRequest, bins: int
) -> tuple[Guarded, tuple[BinAxis, ...]]:
    """Count the rows; a guarded grid gets coarser, as one of raw counts does by default."""
    ends = [ends_of_values(rows[name], request, name) for name in request.columns]

    def axes_of(resolution: tuple[int, ...]) -> tuple[BinAxis, ...]:
        return tuple(end.axis(cells) for end, cells in zip(ends, resolution, strict=True))

    method: Suppression | Generalization | NoProtection = NoProtection()
    if not request.shows_exact:
        coarser = Generalization(request.k, request.shown_share or None)
        method = Suppression(request.k) if len(ends) == 1 else coarser
    resolution = tuple(end.most(bins) for end in ends)
    guarded = method(lambda n: _with_room(cells_of(rows, axes_of(n)), n), resolution)
    axes = axes_of(guarded.resolution)
    guarded = _without_room(guarded, tuple(axis.bins for axis in axes))
    if not (guarded.shown & (guarded.counts > 0)).any():
        raise RefusedError(
            "every bin of the protected rows holds fewer than k of them; draw it from counts"
            " (method='merge' or 'generalization'), or the custodian can declare fewer bins"
        )
    return guarded, axes


def cells_of(rows: Protected, axes: tuple[BinAxis, ...]) -> Bins:
    """Count the protected rows in each cell of a grid."""
    shape = tuple(axis.bins for axis in axes)
    places = tuple(axis.places(rows[axis.column]) for axis in axes)
    counts = np.bincount(np.ravel_multi_index(places, shape), minlength=int(np.prod(shape)))
    return counts.astype(np.int64).reshape(shape)


def gaps_of(table: Table, name: str) -> int:
    """Count the persons without a value in a column: for rules, never for showing."""
    if table.columns[name].kind == "continuous":
        return table.gaps(name)
    return table.levels(name).get("", 0)


# --- what is told -----------------------------------------------------------------------------


def shown_counts(counts: Bins, shown: Shown, request: PlotRequest) -> list[int | None]:
    """Round the shown counts; empty cells are hidden too unless the policy tells them apart."""
    visible = shown & ((counts > 0) | request.show_empty)
    told = rounded(counts, request.round_to).tolist()
    return [count if seen else None for count, seen in zip(told, visible.tolist(), strict=True)]


def seen(
    origin: Origin, request: PlotRequest, shown: int, persons: int, counts: Bins = NO_COUNTS
) -> Origin:
    """Say beside a plot how many it shows of how many, as far as a reader may know.

    `shown` and `persons` are how many are shown, and how many there are; `counts` those that the
    plot shows, before they are rounded. Both numbers are rounded so that beside the rounded counts
    each of all these, and their difference, still has as many possible values as the step of
    rounding is wide. Counts that are all rounded down as far as can be would follow from their sum;
    it is told a little smaller then, and a little larger where all are rounded up.
    """
    step, counts = request.count_step, counts[counts > 0]
    if request.shows_exact or request.round_to == 1:  # the reader can add up what is shown
        (told,) = rounded(np.array([shown]), step).tolist()
        return replace(origin, shown=told, total=told + (persons - shown) // step * step)
    drawn = shown
    if len(counts):
        below, above = (max(0, len(counts) * n - step + 1) for n in (step // 2, (step - 1) // 2))
        sum_told = int(rounded(counts, step).sum())
        # A person who is in several cells makes the sum larger, which says nothing of the others.
        low = sum_told - below if counts.sum() == shown else 0
        drawn = min(max(shown, low), sum_told + above)
    total = drawn if persons == shown else max(persons, drawn)
    # No finer than k, or a hidden cell would be known to fewer than k values from the sum.
    coarse = -(-request.k // step) * step
    drawn, total = rounded(np.array([drawn, total]), coarse).tolist()
    return replace(origin, shown=drawn, total=total)


def shown_of_rows(origin: Origin, request: PlotRequest, counts: Bins) -> Origin:
    """Say how many protected rows are drawn, given how many of them each shown bin holds."""
    (drawn,) = rounded(np.array([counts.sum()]), request.count_step).tolist()
    return replace(origin, shown=drawn)


def parameters_of_counts(request: PlotRequest, **beside: Any) -> Mapping[str, Any]:
    """Return the parameters of a count method that a reader may know, and some beside them."""
    rows = ROW_METHODS.get(request.method)
    by_noise = rows is not None and rows.by_noise and request.shows_exact
    out: dict[str, Any] = {} if request.method == "none" or by_noise else {"k": request.k}
    if request.m is not None:
        out["m"] = request.m
    if request.q:
        out["q"] = request.q
    if request.round_to > 1:
        out["round_to"] = request.round_to
    return MappingProxyType(out | beside)


def parameters_of_rows(request: PlotRequest) -> Mapping[str, Any]:
    """Return the parameters of a row method that a reader may know."""
    given: dict[str, Any] = {} if COPY_METHODS[request.method].by_noise else {"k": request.k}
    also = {"m": request.m, "q": request.q or None, "rounding": request.rounding, "c": request.c}
    given |= {name: value for name, value in also.items() if value is not None}
    return MappingProxyType(given)
