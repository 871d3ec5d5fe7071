"""The axes of parallel coordinates: what stands where on each, and in which order they may stand.

For the rows of a copy an axis is cut into cells, each of at least k rows, and nothing finer is
looked at; under `research` every pixel is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.columns import BinAxis, Counted
from discreet.columns.countable import Countable
from discreet.errors import BrokenPromiseError, InputError, RefusedError, one_of
from discreet.methods.counts import LEAST_GAP, merged_bins
from discreet.parallel.ordering import AxisRole, broken_rules, nearest_allowed, propose
from discreet.parallel.pixels import (
    Information,
    Whole,
    bins_of_grid,
    information,
    level_bands,
    level_pixels,
)
from discreet.plots.counts import Levels, ends_of_table, joined, levels_of
from discreet.plots.parallel_view import ParallelAxis
from discreet.plots.plot import How, Plot

STORED_MISSING = ""
CELL_PIXELS = 10
"""How wide a cell is at least; narrower ones are joined to what is above them."""
COMPARED_CELLS = 10


@dataclass(frozen=True)
class AxesRequest:
    """What is asked of the axes of parallel coordinates, settled.

    `sensitive` are the sensitive columns, each with the values that are, all of them where none is
    named; `bins` are those of a histogram of which cells are made.
    """

    plot: Plot[Any]
    how: How
    pixels: int
    diversity: int
    # Names of levels, which a view must not print with its gate.
    sensitive: Mapping[str, tuple[str, ...]] = field(repr=False)
    cost: str
    gradient: bool
    bins: int

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of their axes."""
        return self.plot.names


@dataclass(frozen=True)
class CellAxis:
    """An axis cut into cells: how the table counts them, and between which pixels they lie.

    `bins` and `cell_of_bin` are of a continuous column, `levels` of a categorical one; the i-th
    cell reaches from pixel `edges[i]` to `edges[i + 1]`.
    """

    shown: ParallelAxis
    edges: Whole
    bins: BinAxis | None = None
    cell_of_bin: Labels | None = None
    levels: Levels | None = None

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.edges) - 1


@dataclass(frozen=True)
class PixelAxis:
    """An axis of single pixels, for `research`."""

    shown: ParallelAxis
    bins: BinAxis | None = None
    levels: Levels | None = None

    def pixels(self, values: Floats | tuple[str, ...]) -> Whole:
        """Return the pixel of each value of the column."""
        if self.levels is not None:
            firsts = np.array([low for low, _ in self.shown.bands], dtype=np.int64)
            found: Whole = firsts[np.array(self.levels.at([str(value) for value in values]))]
            return found
        if self.bins is None:
            raise BrokenPromiseError("an axis has neither bins nor levels")
        return self.bins.places(np.asarray(values, dtype=np.float64)).astype(np.int64)

    def known(self, pixels: Whole) -> Whole:
        """Return pixels with -1 where they stand for no value."""
        here = None if self.levels is None else _alone(self.levels)
        return pixels if here is None else np.where(pixels == self.shown.bands[here][0], -1, pixels)


def cell_axis(table: Countable, asked: AxesRequest, name: str) -> CellAxis:
    """Cut the axis of a column into cells of at least k rows each."""
    height, sensitive = asked.pixels, name in asked.sensitive
    if table.columns[name].kind == "categorical":
        order = table.columns[name].order
        found = joined(table.levels(name), asked.how.k, order=order)
        levels = _not_too_many(found, name, height)
        if sensitive:
            levels = _known(levels)
        bands = level_bands(len(levels.names), height)
        shown = ParallelAxis(name, "categorical", None, None, levels.names, bands, sensitive)
        edges = np.array([low for low, _ in bands] + [height], dtype=np.int64)
        return CellAxis(shown, edges, levels=levels)
    groups, bins = _merged_bins(table, asked, name)
    firsts = np.flatnonzero(np.diff(groups, prepend=-1))
    places = np.append(bins.edges[firsts], bins.edges[-1])
    edges = np.rint((places - bins.low) / (bins.high - bins.low) * height).astype(np.int64)
    kept = [0]  # at which edges cells begin, from the foot upwards
    for at in range(1, len(edges) - 1):
        if min(edges[at] - edges[kept[-1]], edges[-1] - edges[at]) >= CELL_PIXELS:
            kept.append(at)
    if len(kept) < 2:
        raise on_one_place(name)
    low, high = float(bins.low), float(bins.high)
    whole = not asked.plot.declared("limits", name) and table.is_whole(name, but_for=asked.how.k)
    shown = ParallelAxis(name, "continuous", low, high, (), (), sensitive, whole)
    cell_of_bin = np.searchsorted(firsts[kept], np.arange(bins.bins), side="right") - 1
    return CellAxis(shown, np.append(edges[kept], height), bins=bins, cell_of_bin=cell_of_bin)


def _merged_bins(table: Countable, asked: AxesRequest, name: str) -> tuple[Labels, BinAxis]:
    """Count one column in the bins of a histogram, and join neighbours until each holds k rows."""
    ends = ends_of_table(table, asked.plot, name)
    start = ends.axis(asked.bins)
    least = LEAST_GAP  # of empty bins; of whole numbers narrow bins are empty as a rule
    if start.width < 1 and table.is_whole(name, but_for=asked.how.k):
        least = LEAST_GAP * math.ceil(1 / start.width)
    return merged_bins(table.count((start,)).counts, asked.how.k, least), start


def pixel_axis(table: Countable, asked: AxesRequest, name: str) -> PixelAxis:
    """Say which pixel each value of a column has, as the paper does."""
    height, sensitive = asked.pixels, name in asked.sensitive
    if table.columns[name].kind == "categorical":
        levels = _not_too_many(levels_of(table, name), name, height)
        places = level_pixels(len(levels.names), height)
        bands = tuple((place, place + 1) for place in places)
        shown = ParallelAxis(name, "categorical", None, None, levels.names, bands, sensitive)
        return PixelAxis(shown, levels=levels)
    ends = ends_of_table(table, asked.plot, name)
    shown = ParallelAxis(name, "continuous", ends.low, ends.high, (), (), sensitive)
    return PixelAxis(shown, bins=BinAxis(name, ends.low, ends.high, height))


def check_named(
    axes: Sequence[CellAxis | PixelAxis], sensitive: Mapping[str, Sequence[str]]
) -> None:
    """Refuse sensitive values that no axis shows; to have none is no value."""
    levels: dict[str, tuple[str, ...]] = {axis.shown.name: () for axis in axes}
    for axis in axes:
        if axis.levels is not None:
            here = _alone(axis.levels)
            named = enumerate(axis.levels.names)
            levels[axis.shown.name] = tuple(name for at, name in named if at != here)
    for name, values in sensitive.items():
        if values and not levels[name]:
            raise InputError(
                f"sensitive values of {name!r} must be levels, but it is continuous; name the "
                f"column alone, or declare its kind: kinds={{{name!r}: 'categorical'}}"
            )
        if not set(values) <= set(levels[name]):
            raise InputError(
                f"a sensitive value of {name!r} is not on its axis; name values as they are "
                "written beside the axis"
            )


def too_diverse(name: str) -> InputError:
    """Return the refusal of a diversity that no cluster can have."""
    return InputError(
        f"the diversity (l) is more than the sensitive column {name!r} has values; choose a smaller"
        " one"
    )


def _not_too_many(levels: Levels, name: str, most: int) -> Levels:
    """Refuse a single level, and more than an axis has room for."""
    if len(levels.names) < 2:
        raise on_one_place(name)
    if len(levels.names) > most:
        raise RefusedError(
            f"column {name!r} has more levels than its axis has room for; join some of them"
        )
    return levels


def _known(levels: Levels) -> Levels:
    """Leave out the level that stands for no value, which no cluster is the more diverse by.

    Its place is beyond those of the others.
    """
    here = _alone(levels)
    if here is None or len(levels.names) < 3:
        return levels
    names = tuple(name for at, name in enumerate(levels.names) if at != here)
    places = {level: at - (at > here) for level, at in levels.places.items()}
    return Levels(names, places | {STORED_MISSING: len(names)})


def _alone(levels: Levels) -> int | None:
    """Return the place of the level that stands for no value, where no other shares it."""
    here = levels.places.get(STORED_MISSING)
    return None if here is None or [*levels.places.values()].count(here) > 1 else here


def on_one_place(name: str) -> RefusedError:
    """Return the refusal of an axis that shows nothing."""
    return RefusedError(
        f"the values of {name!r} all lie at one place of its axis; leave the column out, or "
        "declare narrower limits for it"
    )


# --- the order of axes ----------------------------------------------------------------------


def axes_to_order(table: Countable, asked: AxesRequest) -> dict[str, CellAxis]:
    """Cut the axes into the cells on which they are compared, of any size."""
    compared = replace(asked, how=replace(asked.how, k=1))
    return {name: cell_axis(table, compared, name) for name in asked.names}


def check_order(table: Countable, asked: AxesRequest, axes: Mapping[str, CellAxis]) -> None:
    """Refuse an order of the axes that breaks a rule about a sensitive one."""
    roles = _roles(asked, axes)
    known = _information(table, asked, axes)
    broken = broken_rules(roles, known, anywhere=True)
    if broken:
        nearest = nearest_allowed(roles, known)
        raise RefusedError(f"{'; '.join(broken)}; the nearest allowed order is {one_of(nearest)}")


def remarks_on_order(asked: AxesRequest) -> tuple[str, ...]:
    """Say which sensitive axes do not come last."""
    names = asked.names
    early = [
        name
        for place, name in enumerate(names)
        if name in asked.sensitive and {*names[place:]} - {*asked.sensitive}
    ]
    if not early:
        return ()
    return (
        f"sensitive: {', '.join(early)}, not the last of the axes, so both sides reveal "
        "something about it",
    )


def proposed_order(
    table: Countable, asked: AxesRequest, axes: Mapping[str, CellAxis]
) -> tuple[str, ...]:
    """Return the order of the axes that keeps the rules and alternates kinds."""
    return propose(_roles(asked, axes), _information(table, asked, axes))


def counted_cells(table: Countable, axes: Sequence[CellAxis]) -> Counted:
    """Count the people in each bin that axes share, levels first, where the data are."""
    bins = [axis.bins for axis in axes if axis.bins is not None]
    levels = {axis.shown.name: axis.levels.places for axis in axes if axis.levels is not None}
    return table.count(bins, levels)


def cells_of(counted: Counted, axes: Sequence[CellAxis]) -> Whole:
    """Return the counts of the cells that axes share, one dimension for each, in their order."""
    stands = _as_counted(axes)
    counts: Whole = counted.counts.transpose([stands.index(axis) for axis in axes])
    for place, axis in enumerate(axes):
        if axis.cell_of_bin is not None:
            firsts = np.flatnonzero(np.diff(axis.cell_of_bin, prepend=-1))
            counts = np.add.reduceat(counts, firsts, axis=place)
        # Beyond the cells of a sensitive axis are those of whom nothing is known.
        counts = counts.take(range(axis.cells), axis=place)
    return counts


def _as_counted(axes: Sequence[CellAxis]) -> list[CellAxis]:
    """Return axes in the order in which the table counts them: levels first."""
    stands = [axis for axis in axes if axis.levels is not None]
    return stands + [axis for axis in axes if axis.levels is None]


def _roles(asked: AxesRequest, axes: Mapping[str, CellAxis]) -> list[AxisRole]:
    return [AxisRole(name, axes[name].shown.kind, name in asked.sensitive) for name in asked.names]


def _information(
    table: Countable, asked: AxesRequest, axes: Mapping[str, CellAxis]
) -> dict[str, Information]:
    """Measure what each continuous axis tells of the first sensitive one."""
    sensitive = [name for name in asked.names if name in asked.sensitive]
    if not sensitive:
        return {}
    known = {}
    for name in asked.names:
        if name in sensitive or axes[name].shown.kind != "continuous":
            continue
        pair = (axes[name], axes[sensitive[0]])
        counted = counted_cells(table, pair)
        counts = cells_of(counted, pair)
        # Many cells of few persons tell much by chance, more than can be corrected for: those of
        # continuous axes are joined into about ten that hold as many persons each.
        for place, axis in enumerate(pair):
            if axis.cell_of_bin is not None:
                held = counts.sum(axis=1 - place)
                before = np.cumsum(held) - held / 2  # the middle of each cell
                part = (before * COMPARED_CELLS / held.sum()).astype(np.int64)
                firsts = np.flatnonzero(np.diff(part, prepend=-1))
                counts = np.add.reduceat(counts, firsts, axis=place)
        known[name] = information(bins_of_grid(counts))
    return known
