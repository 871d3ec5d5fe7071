"""The axes of parallel coordinates: where each begins and ends, and which pixels its values have.

Under a guarded policy an axis is cut into cells, each of at least k persons, and nothing finer is
looked at; under `research` every pixel is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.parallel.pixels import Whole, level_bands, level_pixels
from discreet.plots import ParallelAxis
from discreet.plots.axes import ends_of_table
from discreet.plots.from_counts import merged_bins
from discreet.plots.levels import Levels, joined, levels_of
from discreet.plots.request import PlotRequest
from discreet.table import BinAxis, Table

__all__ = [
    "CELL_PIXELS",
    "CellAxis",
    "PixelAxis",
    "cell_axis",
    "check_named",
    "check_persons",
    "check_spread",
    "pixel_axis",
    "too_diverse",
]

STORED_MISSING = ""
CELL_PIXELS = 10
"""How wide a cell is at least; narrower ones are joined to what is above them."""


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


def cell_axis(table: Table, asked: PlotRequest, name: str) -> CellAxis:
    """Cut the axis of a column into cells of at least k persons each."""
    height, sensitive = asked.axes.pixels, name in asked.axes.sensitive
    most = height // CELL_PIXELS
    if table.columns[name].kind == "categorical":
        found = joined(table.levels(name), asked.k)
        _check_levels(table, asked, name, found)
        levels = _ordered(found, asked, name, most if asked.guarded else height)
        if sensitive:
            levels = _known(levels)
        bands = level_bands(len(levels.names), height)
        shown = ParallelAxis(name, "categorical", None, None, levels.names, bands, sensitive)
        edges = np.array([low for low, _ in bands] + [height], dtype=np.int64)
        return CellAxis(shown, edges, levels=levels)
    # The very bins of the column's histogram: a second grid would tell of parts of its bins.
    _, merged, bins = merged_bins(table, replace(asked, columns=(name,)))
    firsts = np.flatnonzero(np.diff(merged.groups, prepend=-1))
    places = np.append(bins.edges[firsts], bins.edges[-1])
    edges = np.rint((places - bins.low) / (bins.high - bins.low) * height).astype(np.int64)
    kept = _wide_apart(edges)
    if len(kept) < 2:
        raise _on_one_place(name)
    low, high = float(bins.low), float(bins.high)
    whole = name not in {**asked.limits, **asked.edges} and table.is_whole(name, but_for=asked.k)
    shown = ParallelAxis(name, "continuous", low, high, (), (), sensitive, whole)
    cell_of_bin = np.searchsorted(firsts[kept], np.arange(bins.bins), side="right") - 1
    return CellAxis(shown, np.append(edges[kept], height), bins=bins, cell_of_bin=cell_of_bin)


def _check_levels(table: Table, asked: PlotRequest, name: str, levels: Levels) -> None:
    """Refuse levels that were joined by sums of persons, and of whom some were counted twice."""
    if table.unit is None or asked.k == 1:
        return
    if table.count((), {name: levels.places}).counts.min() < asked.k:
        raise RefusedError(
            f"some person has several levels of {name!r}, so small ones cannot be joined; make one"
            " row a person first (a last level, or the most frequent)"
        )


def pixel_axis(table: Table, asked: PlotRequest, name: str) -> PixelAxis:
    """Say which pixel each value of a column has, as the paper does."""
    height, sensitive = asked.axes.pixels, name in asked.axes.sensitive
    if table.columns[name].kind == "categorical":
        levels = _ordered(levels_of(table, name, asked), asked, name, height)
        places = level_pixels(len(levels.names), height)
        bands = tuple((place, place + 1) for place in places)
        shown = ParallelAxis(name, "categorical", None, None, levels.names, bands, sensitive)
        return PixelAxis(shown, levels=levels)
    ends = ends_of_table(table, asked, name)
    shown = ParallelAxis(name, "continuous", ends.low, ends.high, (), (), sensitive)
    return PixelAxis(shown, bins=BinAxis(name, ends.low, ends.high, height))


def check_persons(table: Table) -> None:
    """Refuse a table in which some person has several rows, where clusters are of records."""
    if table.persons_repeat():
        raise RefusedError(
            "some person has several rows, and a cluster of records counts rows; take"
            " method='k-member-cells', which counts persons, or make one row a person first (a mean"
            " or a last value)"
        )


def check_named(
    axes: Sequence[CellAxis | PixelAxis], sensitive: Mapping[str, Sequence[str]]
) -> None:
    """Refuse sensitive values that no axis shows; to have none is no value."""
    levels = {axis.shown.name: () if axis.levels is None else _values(axis.levels) for axis in axes}
    for name, values in sensitive.items():
        if values and not levels[name]:
            raise InputError(
                f"sensitive values of {name!r} are levels, and it is continuous; name the column"
                f" alone, or declare its kind: kinds={{{name!r}: 'categorical'}}"
            )
        if not set(values) <= set(levels[name]):
            raise InputError(
                f"a sensitive value of {name!r} is none that its axis shows; name values as they"
                " stand beside the axis"
            )


def check_spread(axes: Sequence[str], pixels: Sequence[NDArray[np.int64]]) -> None:
    """Refuse an axis on which all records have one pixel."""
    for name, places in zip(axes, pixels, strict=True):
        if (places == places[0]).all():
            raise _on_one_place(name)


def too_diverse(name: str) -> InputError:
    """Return the refusal of a diversity that no cluster can have."""
    return InputError(
        f"the diversity (l) is more than the sensitive column {name!r} has values; choose a smaller"
        " one"
    )


def _wide_apart(edges: Whole) -> Labels:
    """Say at which edges cells begin, so that each is wide enough, from the foot upwards."""
    kept = [0]
    for at in range(1, len(edges) - 1):
        if min(edges[at] - edges[kept[-1]], edges[-1] - edges[at]) >= CELL_PIXELS:
            kept.append(at)
    return np.array(kept, dtype=np.intp)


def _ordered(levels: Levels, asked: PlotRequest, name: str, most: int) -> Levels:
    """Put levels in the order that is declared, and refuse none but one, or too many."""
    if len(levels.names) < 2:
        raise _on_one_place(name)
    if len(levels.names) > most:
        raise RefusedError(
            f"column {name!r} has more levels than its axis has room for; join some of them"
        )
    order = asked.axes.ordered.get(name, ())
    rank = {level: place for place, level in enumerate(order)}
    names = sorted(levels.names, key=lambda level: rank.get(level, len(rank)))
    moved = [names.index(level) for level in levels.names]
    return Levels(tuple(names), {level: moved[at] for level, at in levels.places.items()})


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


def _values(levels: Levels) -> tuple[str, ...]:
    here = _alone(levels)
    return tuple(name for at, name in enumerate(levels.names) if at != here)


def _alone(levels: Levels) -> int | None:
    """Return the place of the level that stands for no value, where no other shares it."""
    here = levels.places.get(STORED_MISSING)
    return None if here is None or [*levels.places.values()].count(here) > 1 else here


def _on_one_place(name: str) -> RefusedError:
    return RefusedError(
        f"the values of {name!r} all lie on one place of its axis; leave the column out, or declare"
        " narrower limits for it"
    )
