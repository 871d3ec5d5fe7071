"""Counts in bins and cells, of a table or of protected rows, and what of them a reader is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.errors import RefusedError
from discreet.plots.axes import ends_of_table, ends_of_values, too_few
from discreet.plots.request import PlotRequest
from discreet.plots.view import Origin
from discreet.protect import ROW_METHODS, Generalization, NoProtection, Suppression
from discreet.protect.counts import Bins, Guarded, check_counts, rounded
from discreet.table import BinAxis, Counted, Table

__all__ = [
    "Protected",
    "Shown",
    "cells_of",
    "check_size",
    "count_cells",
    "count_rows",
    "gaps_of",
    "parameters_of_counts",
    "parameters_of_rows",
    "public",
    "seen",
    "seen_of_cells",
    "shown_counts",
    "shown_of_rows",
]

Protected = Mapping[str, Floats]
"""The columns of protected rows."""
Shown = NDArray[np.bool_]
"""Which bins or cells may be shown."""
NO_COUNTS: Bins = np.zeros(0, dtype=np.int64)


# --- counting ---------------------------------------------------------------------------------


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
        # An axis of whole numbers may have fewer intervals than it was asked for.
        room = [(0, cells - axis.bins) for axis, cells in zip(axes, resolution, strict=True)]
        return np.pad(counted.counts, room)

    guarded = _count_method(request)(counts_at, tuple(end.most(bins) for end in ends))
    counted, axes = last["counted"], last["axes"]
    used = tuple(slice(axis.bins) for axis in axes)
    guarded = Guarded(guarded.counts[used], guarded.shown[used], counted.shape, guarded.hidden)
    if request.method != "none":
        check_counts(counted.counts, guarded.shown, request.k)
    return counted, guarded, axes


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
    guarded = method(lambda cells: cells_of(rows, axes_of(cells)), resolution)
    if not (guarded.shown & (guarded.counts > 0)).any():
        raise RefusedError(
            "every bin of the protected rows holds fewer than k of them; draw it from counts"
            " (method='merge' or 'generalization'), or the custodian can declare fewer bins"
        )
    return guarded, axes_of(guarded.resolution)


def cells_of(rows: Protected, axes: tuple[BinAxis, ...]) -> Bins:
    """Count the protected rows in each cell of a grid."""
    shape = tuple(axis.bins for axis in axes)
    places = tuple(axis.places(rows[axis.column]) for axis in axes)
    counts = np.bincount(np.ravel_multi_index(places, shape), minlength=int(np.prod(shape)))
    return counts.astype(np.int64).reshape(shape)


def gaps_of(table: Table, name: str) -> int:
    """Count the persons without a value in a column: for rules, never for showing."""
    if table.columns[name].kind == "continuous":
        return table.count((BinAxis(name, 0.0, 1.0, 1),)).left_out
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

    Parameters
    ----------
    origin : Origin
        Where the plot comes from.
    request : PlotRequest
        What was asked for.
    shown, persons : int
        How many are shown, and how many there are.
    counts : ndarray of int, optional
        The counts that the plot shows, before they are rounded; none that are 0.

    Returns
    -------
    Origin
        With both numbers rounded, so that beside the rounded counts each of all these, and their
        difference, still has as many possible values as the step of rounding is wide. Counts that
        are all rounded down as far as can be would follow from their sum; it is told a little
        smaller then, and a little larger where all are rounded up.
    """
    step = request.count_step
    if request.shows_exact or request.round_to == 1:  # the reader can add up what is shown
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
    coarse = -(-request.k // step) * step
    return replace(origin, shown=_to_step(drawn, coarse), total=_to_step(total, coarse))


def seen_of_cells(
    origin: Origin, counted: Counted, request: PlotRequest, counts: Bins, cells: Shown | None = None
) -> Origin:
    """Say how many a plot shows: in those cells, or in all if none are named.

    `counts` are what its bins or cells hold, of which empty ones are not told.
    """
    shown = counted.people if cells is None else counted.people_in(cells)
    held = counts if cells is None else counts[cells]
    return seen(origin, request, shown, counted.people + counted.left_out, held[held > 0])


def shown_of_rows(origin: Origin, request: PlotRequest, counts: Bins) -> Origin:
    """Say how many protected rows are drawn, given how many of them each shown bin holds."""
    return replace(origin, shown=_to_step(int(counts.sum()), request.count_step))


def _to_step(count: int, step: int) -> int:
    return int(rounded(np.array([count]), step)[0])


def public(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Freeze the parameters that a View tells."""
    return MappingProxyType(dict(parameters))


def parameters_of_counts(request: PlotRequest, **beside: Any) -> Mapping[str, Any]:
    """Return the parameters of a count method that a reader may know, and some beside them."""
    rows = ROW_METHODS.get(request.method)
    by_noise = rows is not None and rows.additive and request.shows_exact
    out: dict[str, Any] = {} if request.method == "none" or by_noise else {"k": request.k}
    if request.q:
        out["q"] = request.q
    if request.round_to > 1:
        out["round_to"] = request.round_to
    return public(out | beside)


def parameters_of_rows(request: PlotRequest) -> Mapping[str, Any]:
    """Return the parameters of a row method that a reader may know."""
    given: dict[str, Any] = {} if ROW_METHODS[request.method].additive else {"k": request.k}
    also = {"q": request.q or None, "rounding": request.rounding, "c": request.c}
    return public(given | {name: value for name, value in also.items() if value is not None})
