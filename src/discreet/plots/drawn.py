"""The last step of both streams: guarded numbers become the numbers of a View."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.plots import GridView, HistogramView, Origin
from discreet.plots.axes import short_places
from discreet.plots.request import PlotRequest
from discreet.protect import ROW_METHODS
from discreet.protect.counts import Bins, Guarded, rounded
from discreet.render.scene import Box

__all__ = [
    "box_of",
    "cell_middles",
    "grid_view",
    "histogram_view",
    "public",
    "seen",
    "shown_counts",
    "stated",
]

NO_COUNTS: Bins = np.zeros(0, dtype=np.int64)


def histogram_view(
    edges: Floats,
    counts: Bins,
    shown: NDArray[np.bool_],
    hidden: int,
    asked: PlotRequest,
    origin: Origin,
) -> HistogramView:
    """Round the shown counts and turn them into densities."""
    told = shown_counts(counts, shown, asked)
    widths = np.diff(edges)
    total = (sum(count or 0 for count in told) or 1) if asked.guarded else 1
    density = [None if c is None else c / (total * w) for c, w in zip(told, widths, strict=True)]
    return HistogramView(
        columns=asked.columns,
        method=asked.method,
        parameters=public(stated(asked) | _bins(asked)),
        suppressed=None if asked.guarded else hidden,
        origin=origin,
        edges=short_places(edges),
        counts=tuple(told),
        density=tuple(None if d is None else float(f"{d:.6g}") for d in density),
    )


def grid_view(
    edges: tuple[Floats, Floats], guarded: Guarded, asked: PlotRequest, origin: Origin
) -> GridView:
    """Round the shown counts of a grid."""
    flat = shown_counts(guarded.counts.ravel(), guarded.shown.ravel(), asked)
    columns = guarded.counts.shape[1]
    rows = [tuple(flat[i : i + columns]) for i in range(0, len(flat), columns)]
    return GridView(
        columns=asked.columns,
        method=asked.method,
        parameters=public(stated(asked) | {"grid": asked.grid} | _drawn(edges, asked)),
        suppressed=None if asked.guarded else guarded.hidden,
        origin=origin,
        x_edges=short_places(edges[0]),
        y_edges=short_places(edges[1]),
        counts=tuple(rows),
    )


def cell_middles(grid: GridView) -> tuple[tuple[float, ...], tuple[float, ...], tuple[int, ...]]:
    """Return the middle and the count of every cell that shows one."""
    x_mid, y_mid = _middles(grid.x_edges), _middles(grid.y_edges)
    cells = [
        (x_mid[i], y_mid[j], count)
        for i, row in enumerate(grid.counts)
        for j, count in enumerate(row)
        if count
    ]
    x, y, size = zip(*cells, strict=True) if cells else ((), (), ())
    return tuple(x), tuple(y), tuple(size)


def box_of(label: str, values: Floats, numbers: Sequence[float] | None = None) -> Box:
    """Return a box of five given `numbers`, or Tukey's box of `values` with mean and outliers."""
    if numbers is not None:
        low, q1, median, q3, high = numbers
        return Box(label, low, q1, median, q3, high)
    values = np.sort(values)  # sums in another order have other last digits
    q1, median, q3 = (float(q) for q in np.quantile(values, [0.25, 0.5, 0.75]))
    reach = 1.5 * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    outliers = values[(values < q1 - reach) | (values > q3 + reach)]
    # A quartile is interpolated: the nearest value within reach may lie on its other side.
    low, high = min(float(inside.min()), q1), max(float(inside.max()), q3)
    mean = float(values.mean())
    return Box(label, low, q1, median, q3, high, mean, tuple(outliers.tolist()))


def seen(
    origin: Origin,
    asked: PlotRequest,
    shown: int,
    persons: int,
    counts: Bins = NO_COUNTS,
) -> Origin:
    """Say beside a picture how many it shows of how many, as far as a reader may know.

    Parameters
    ----------
    origin : Origin
        Where the picture comes from.
    asked : PlotRequest
        The question.
    shown, persons : int
        How many are shown, and how many there are.
    counts : ndarray of int, optional
        The counts that the picture shows, before they are rounded; none that are 0.

    Returns
    -------
    Origin
        With both numbers rounded, so that beside the rounded counts each of all these, and their
        difference, still has as many possible values as the step of rounding is wide. Counts that
        are all rounded down as far as can be would follow from their sum; it is told a little
        smaller then, and a little larger where all are rounded up.
    """
    step = asked.told_to
    if not asked.guarded or asked.round_to == 1:  # the reader can add up what is shown
        told = _to_step(shown, step)
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
    coarse = -(-asked.k // step) * step
    return replace(origin, shown=_to_step(drawn, coarse), total=_to_step(total, coarse))


def _to_step(count: int, step: int) -> int:
    return int(rounded(np.array([count]), step)[0])


def public(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Freeze the parameters that a View tells."""
    return MappingProxyType(dict(parameters))


def stated(asked: PlotRequest) -> dict[str, Any]:
    """Return the parameters of the method that a reader may know."""
    rows = ROW_METHODS.get(asked.method)
    keyless = asked.method == "none" or (rows is not None and rows.additive and not asked.guarded)
    out: dict[str, Any] = {} if keyless else {"k": asked.k}
    if asked.q:
        out["q"] = asked.q
    if asked.round_to > 1:
        out["round_to"] = asked.round_to
    return out


def _drawn(edges: tuple[Floats, Floats], asked: PlotRequest) -> dict[str, str]:
    """Say how many cells are drawn, where they are fewer than the policy's."""
    cells = [len(ends) - 1 for ends in edges]
    return {} if cells == [asked.grid] * 2 else {"drawn": f"{cells[0]} x {cells[1]}"}


def _bins(asked: PlotRequest) -> dict[str, Any]:
    """Say how many bins were asked for, unless their edges are declared."""
    return {} if asked.columns[0] in asked.edges else {"bins": asked.bins}


def shown_counts(counts: Bins, shown: NDArray[np.bool_], asked: PlotRequest) -> list[int | None]:
    """Round the shown counts; empty cells are hidden too unless the policy tells them apart."""
    visible = shown & ((counts > 0) | asked.show_empty)
    told = rounded(counts, asked.round_to).tolist()
    return [count if seen else None for count, seen in zip(told, visible.tolist(), strict=True)]


def _middles(edges: Sequence[float]) -> tuple[float, ...]:
    return short_places(np.convolve(edges, [0.5, 0.5], mode="valid"))
