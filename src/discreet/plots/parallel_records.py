"""Parallel coordinates under `research`: clusters of records and pixels, as the paper has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.parallel.clusters import check_clusters, cluster_jointly, cluster_pair, members
from discreet.parallel.diversity import Joins, diverse_joins, joined
from discreet.parallel.pixels import Whole, bin_of_records, pair_bins
from discreet.plots import Origin, ParallelView
from discreet.plots.drawn import public, seen
from discreet.plots.parallel_axes import (
    PixelAxis,
    check_named,
    check_persons,
    check_spread,
    pixel_axis,
    too_diverse,
)
from discreet.plots.parallel_order import axes_to_order, check_order
from discreet.plots.request import PlotRequest
from discreet.table import Rows, Table

__all__ = ["clusters_of_records"]

MOST_CLUSTERS, MOST_JOINT = 20_000, 100_000


@dataclass(frozen=True)
class Gap:
    """The clusters between two axes: their boxes, in order, and the cluster of each record."""

    boxes: Whole
    labels: Labels

    def __repr__(self) -> str:
        return f"Gap({len(self.boxes)} clusters)"


def clusters_of_records(table: Table, asked: PlotRequest, origin: Origin) -> ParallelView:
    """Cluster the records between each two neighbouring axes, and say which light up together."""
    check_persons(table)
    axes = [pixel_axis(table, asked, name) for name in asked.columns]
    check_named(axes, asked.axes.sensitive)
    rows = _rows(table, asked)
    if len(rows) < asked.k:
        raise RefusedError(
            "there are fewer complete records than k; choose a smaller k or other columns"
        )
    if asked.axes.sensitive:
        check_order(table, asked, axes_to_order(table, asked))
    values: dict[str, Floats | tuple[str, ...]] = {**rows.numbers, **rows.texts}
    pixels = [axis.pixels(values[axis.shown.name]) for axis in axes]
    check_spread(asked.columns, pixels)
    if asked.method != "none":
        _check_diversity(axes, pixels, asked)
    gaps = _gaps(asked, axes, pixels)
    return ParallelView(
        columns=asked.columns,
        method=asked.method,
        parameters=public(_stated(asked)),
        suppressed=0,
        origin=seen(origin, asked, len(rows), table.size),
        axes=tuple(axis.shown for axis in axes),
        pixels=asked.axes.pixels,
        clusters=tuple(tuple(map(tuple, gap.boxes.tolist())) for gap in gaps),
        joins=tuple(
            _joins(asked, axes[i : i + 3], pixels[i : i + 3], gaps[i], gaps[i + 1])
            for i in range(len(gaps) - 1)
        ),
        sizes=tuple(tuple(np.bincount(gap.labels).tolist()) for gap in gaps),
        fuzzy=asked.axes.fuzzy,
    )


def _rows(table: Table, asked: PlotRequest) -> Rows:
    """Return the records that have a number on every continuous axis."""
    kinds = {name: table.columns[name].kind for name in asked.columns}
    numbers = [name for name, kind in kinds.items() if kind == "continuous"]
    return table.rows(numbers, levels=[name for name in kinds if name not in numbers])


def _gaps(asked: PlotRequest, axes: Sequence[PixelAxis], pixels: Sequence[Whole]) -> list[Gap]:
    """Cluster by the method asked for, and put the clusters of each gap in order."""
    # Records of one bin are told apart by their other pixels, never by where they stand.
    by_name = sorted(range(len(axes)), key=lambda at: asked.columns[at])
    together = np.column_stack([pixels[at] for at in by_name])
    rank = np.argsort(np.lexsort(together.T[::-1]))  # of each record, its place
    if asked.method == "k-member-joint":
        if len(together) > MOST_JOINT:
            raise RefusedError(
                "there are too many records to cluster over all axes at once, which takes time with"
                " their square; draw a sample, or cluster them pair by pair: method 'k-member'"
            )
        labels = cluster_jointly(together, asked.k)
        return [_ordered(labels, left, right, asked.k) for left, right in pairwise(pixels)]
    heights = (asked.axes.pixels, asked.axes.pixels)
    gaps = []
    for (a, b), (left, right) in zip(pairwise(axes), pairwise(pixels), strict=True):
        bins = pair_bins(left, right, heights)
        of = bin_of_records(bins, left, right)
        if asked.method == "none":
            gaps.append(_ordered(of, left, right, 1))
            continue
        kinds = (a.shown.kind, b.shown.kind)
        found = cluster_pair(bins, asked.k, kinds, cost=asked.axes.cost)
        gaps.append(_ordered(members(found, bins, of, rank), left, right, asked.k))
    return gaps


def _ordered(labels: NDArray[np.integer], left: Whole, right: Whole, k: int) -> Gap:
    """Give clusters numbers by their boxes, so that the order they were made in is not seen."""
    count = int(labels.max()) + 1
    if count > MOST_CLUSTERS:
        raise RefusedError(
            "there are too many clusters to draw; choose a larger k, or fewer records"
        )
    boxes = np.empty((count, 4), dtype=np.int64)
    for column, of, places in ((0, np.minimum, left), (1, np.maximum, left)):
        boxes[:, column] = _ends(of, labels, places, count)
    for column, of, places in ((2, np.minimum, right), (3, np.maximum, right)):
        boxes[:, column] = _ends(of, labels, places, count)
    boxes[:, [1, 3]] += 1
    order = np.lexsort((np.bincount(labels), *boxes.T[::-1]))
    number = np.empty(count, dtype=np.intp)
    number[order] = np.arange(count)
    if k > 1:
        check_clusters(number[labels], boxes[order], left, right, k)
    return Gap(boxes[order], number[labels])


def _ends(of: np.ufunc, labels: NDArray[np.integer], places: Whole, count: int) -> Whole:
    ends = np.full(count, places[0], dtype=np.int64)
    ends[labels] = places
    of.at(ends, labels, places)
    return ends


def _joins(
    asked: PlotRequest, axes: Sequence[PixelAxis], pixels: Sequence[Whole], before: Gap, after: Gap
) -> Joins:
    """Say which clusters on both sides of an axis light up together (section 4.2).

    A sensitive axis is asked for diversity where clusters of the gap before it are selected.
    """
    last, values = axes[2].shown, axes[2].known(pixels[2])
    if not last.sensitive or asked.axes.diversity < 2 or asked.method == "none":
        return joined(before.labels, after.labels)
    bands = dict(zip(last.levels, last.bands, strict=True))
    return diverse_joins(
        before.labels,
        after.labels,
        values,
        before.boxes,
        after.boxes,
        diversity=asked.axes.diversity,
        named=[bands[level][0] for level in asked.axes.sensitive[last.name]],
    )


def _check_diversity(
    axes: Sequence[PixelAxis], pixels: Sequence[Whole], asked: PlotRequest
) -> None:
    for axis, places in zip(axes, pixels, strict=True):
        values = np.unique(axis.known(places))
        if axis.shown.sensitive and np.count_nonzero(values >= 0) < asked.axes.diversity:
            raise too_diverse(axis.shown.name)


def _stated(asked: PlotRequest) -> dict[str, int | str]:
    """Return the parameters that stand beside the picture."""
    if asked.method == "none":
        return {"pixels": asked.axes.pixels}
    stated: dict[str, int | str] = {"k": asked.k, "pixels": asked.axes.pixels}
    # Selecting a cluster lights those of the next gap, and only there is diversity asked for.
    if any(name in asked.axes.sensitive for name in asked.columns[2:]):
        stated["l"] = asked.axes.diversity
    named = [f"{name} = {' or '.join(of)}" for name, of in asked.axes.sensitive.items() if of]
    return stated | ({"sensitive": ", ".join(named)} if named else {})
