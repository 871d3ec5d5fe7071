"""Parallel coordinates: clusters between neighbouring axes.

Of the rows of a copy clusters are of whole cells, a function of counts; under `research` of records
and pixels, as the paper has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.columns.countable import Countable
from discreet.errors import RefusedError
from discreet.methods import CLUSTER_METHODS
from discreet.parallel.cells import (
    Box,
    CellClusters,
    check_cells,
    check_shared,
    cluster_cells,
    shared,
)
from discreet.parallel.clusters import (
    KMember,
    check_clusters,
    cluster_jointly,
    cluster_pair,
    members,
)
from discreet.parallel.diversity import Joins, diverse_joins, joined
from discreet.parallel.pixels import Whole, bin_of_records, pair_bins
from discreet.plots.descriptor import Plot
from discreet.plots.parallel_axes import (
    CellAxis,
    PixelAxis,
    axes_to_order,
    cell_axis,
    cells_of,
    check_named,
    check_order,
    counted_cells,
    on_one_place,
    pixel_axis,
    remarks_on_order,
    too_diverse,
)
from discreet.plots.parallel_view import ParallelView
from discreet.plots.request import PlotRequest
from discreet.plots.view import Origin

MOST_AXES = 24
MOST_CLUSTERS, MOST_JOINT = 20_000, 100_000


def from_counts(table: Countable, request: PlotRequest, origin: Origin) -> ParallelView:
    """Cluster whole cells of the rows of a copy or, under `research`, records."""
    drawn = clusters_of_cells if request.of_copy else clusters_of_records
    view = drawn(table, request, origin)
    remarks = (*view.origin.remarks, *remarks_on_order(request))
    return replace(view, origin=replace(view.origin, remarks=remarks))


# --- of cells ---------------------------------------------------------------------------------


def clusters_of_cells(table: Countable, request: PlotRequest, origin: Origin) -> ParallelView:
    """Cluster the cells of each two neighbouring axes, and say which light up together."""
    axes = {name: cell_axis(table, request, name) for name in request.columns}
    stated = {"k": request.k, "pixels": request.axes.pixels}
    gaps, complete, persons = [], [], 0
    for left, right in pairwise(axes.values()):
        found, with_both, missing = _gap(table, request, left, right)
        gaps.append(found)
        complete.append(with_both)
        persons = with_both + missing
    joins = [
        _joins(table, request, [*axes.values()][i : i + 3], gaps[i], gaps[i + 1])
        for i in range(len(gaps) - 1)
    ]
    # Of a gap that shows any: all with values on both of its axes are in its clusters.
    shown = min((n for n, gap in zip(complete, gaps, strict=True) if gap.boxes), default=0)
    return ParallelView(
        columns=request.columns,
        method=request.method,
        parameters=MappingProxyType(stated),
        suppressed=None,
        origin=replace(origin, shown=shown, total=persons),
        axes=tuple(axis.shown for axis in axes.values()),
        pixels=request.axes.pixels,
        clusters=tuple(
            _boxes(found, left, right)
            for found, (left, right) in zip(gaps, pairwise(axes.values()), strict=True)
        ),
        joins=tuple(joins),
        sizes=None,
        fuzzy=request.axes.fuzzy,
    )


def _gap(
    table: Countable, request: PlotRequest, left: CellAxis, right: CellAxis
) -> tuple[CellClusters, int, int]:
    """Cluster the cells between two axes; say how many rows have values on both, and how many not.

    Which axis stands on the left must not matter, so clusters are made with the axes in the order
    of their names.
    """
    turned = left.shown.name > right.shown.name
    pair = (right, left) if turned else (left, right)
    counted = counted_cells(table, pair)
    counts = cells_of(counted, pair)
    here = int(counts.sum())
    found = cluster_cells(
        counts,
        request.k,
        kinds=(pair[0].shown.kind, pair[1].shown.kind),
        edges=(pair[0].edges, pair[1].edges),
    )
    if turned:
        counts, found = counts.T, _turned(found)
    check_cells(counts, found, request.k)
    return found, here, counted.left_out + counted.people - here


def _joins(
    table: Countable,
    request: PlotRequest,
    axes: Sequence[CellAxis],
    before: CellClusters,
    after: CellClusters,
) -> Joins:
    """Say which clusters on both sides of the middle axis share at least k rows."""
    counts = cells_of(counted_cells(table, axes), axes)
    triples, rows = np.argwhere(counts), counts[counts > 0]
    joins = shared(triples, rows, before, after, least=request.k)
    check_shared(triples, rows, before, after, joins, least=request.k)
    return joins


def _turned(found: CellClusters) -> CellClusters:
    """Return clusters with the two axes in each other's place."""
    boxes = [(*box[2:], *box[:2]) for box in found.boxes]
    order = sorted(range(len(boxes)), key=lambda at: boxes[at])
    number = np.full(len(boxes) + 1, -1)  # the last stands for cells without a cluster
    number[order] = np.arange(len(boxes))
    return CellClusters(tuple(boxes[at] for at in order), number[found.cluster_of.T])


def _boxes(found: CellClusters, left: CellAxis, right: CellAxis) -> tuple[Box, ...]:
    """Return the boxes of clusters in pixels."""
    a, b = left.edges.tolist(), right.edges.tolist()
    return tuple((a[i], a[j], b[m], b[n]) for i, j, m, n in found.boxes)


# --- of records -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gap:
    """The clusters between two axes: their boxes, in order, and the cluster of each record."""

    boxes: Whole
    labels: Labels

    def __repr__(self) -> str:
        return f"Gap({len(self.boxes)} clusters)"


def clusters_of_records(table: Countable, request: PlotRequest, origin: Origin) -> ParallelView:
    """Cluster the records between each two neighbouring axes, and say which light up together."""
    if table.persons_repeat():
        raise RefusedError(
            "some person has several rows, and a cluster of records counts rows; make one row a"
            " person first (a mean or a last value)"
        )
    axes = [pixel_axis(table, request, name) for name in request.columns]
    check_named(axes, request.axes.sensitive)
    numbers = [name for name in request.columns if table.columns[name].kind == "continuous"]
    rows = table.rows(numbers, levels=[name for name in request.columns if name not in numbers])
    if len(rows) < request.k:
        raise RefusedError(
            "there are fewer complete records than k; choose a smaller k or other columns"
        )
    if request.axes.sensitive:
        check_order(table, request, axes_to_order(table, request))
    values: dict[str, Floats | tuple[str, ...]] = {**rows.numbers, **rows.texts}
    pixels = [axis.pixels(values[axis.shown.name]) for axis in axes]
    for axis, places in zip(axes, pixels, strict=True):
        if (places == places[0]).all():
            raise on_one_place(axis.shown.name)
    for axis, places in zip(axes, pixels, strict=True):
        few = np.count_nonzero(np.unique(axis.known(places)) >= 0) < request.axes.diversity
        if request.method != "none" and axis.shown.sensitive and few:
            raise too_diverse(axis.shown.name)
    gaps = _gaps(request, axes, pixels)
    return ParallelView(
        columns=request.columns,
        method=request.method,
        parameters=MappingProxyType(_stated_of_records(request)),
        suppressed=0,
        origin=replace(origin, shown=len(rows), total=table.size),
        axes=tuple(axis.shown for axis in axes),
        pixels=request.axes.pixels,
        clusters=tuple(tuple(map(tuple, gap.boxes.tolist())) for gap in gaps),
        joins=tuple(
            _joins_of_records(request, axes[i : i + 3], pixels[i : i + 3], gaps[i], gaps[i + 1])
            for i in range(len(gaps) - 1)
        ),
        sizes=tuple(tuple(np.bincount(gap.labels).tolist()) for gap in gaps),
        fuzzy=request.axes.fuzzy,
    )


def _gaps(request: PlotRequest, axes: Sequence[PixelAxis], pixels: Sequence[Whole]) -> list[Gap]:
    """Cluster by the method asked for, and put the clusters of each gap in order."""
    # Records of one bin are told apart by their other pixels, never by where they stand.
    by_name = sorted(range(len(axes)), key=lambda at: request.columns[at])
    together = np.column_stack([pixels[at] for at in by_name])
    rank = np.argsort(np.lexsort(together.T[::-1]))  # of each record, its place
    if request.method == "k-member-joint":
        if len(together) > MOST_JOINT:
            raise RefusedError(
                "there are too many records to cluster over all axes at once, which takes time with"
                " their square; draw a sample, or cluster them pair by pair: method 'k-member'"
            )
        labels = cluster_jointly(together, request.k)
        return [_ordered(labels, left, right, request.k) for left, right in pairwise(pixels)]
    heights = (request.axes.pixels, request.axes.pixels)
    gaps = []
    for (a, b), (left, right) in zip(pairwise(axes), pairwise(pixels), strict=True):
        bins = pair_bins(left, right, heights)
        of = bin_of_records(bins, left, right)
        if request.method == "none":
            gaps.append(_ordered(of, left, right, 1))
            continue
        kinds = (a.shown.kind, b.shown.kind)
        found = cluster_pair(bins, request.k, kinds, cost=request.axes.cost)
        gaps.append(_ordered(members(found, bins, of, rank), left, right, request.k))
    return gaps


def _ordered(labels: NDArray[np.integer], left: Whole, right: Whole, k: int) -> Gap:
    """Give clusters numbers by their boxes, so that the order they were made in is not seen."""
    count = int(labels.max()) + 1
    if count > MOST_CLUSTERS:
        raise RefusedError(
            "there are too many clusters to draw; choose a larger k, or fewer records"
        )
    by_label = np.argsort(labels, kind="stable")
    firsts = np.flatnonzero(np.diff(labels[by_label], prepend=-1))
    ends = (
        of.reduceat(places[by_label], firsts)
        for places in (left, right)
        for of in (np.minimum, np.maximum)
    )
    boxes = np.column_stack([*ends]).astype(np.int64)
    boxes[:, [1, 3]] += 1
    order = np.lexsort((np.bincount(labels), *boxes.T[::-1]))
    number = np.empty(count, dtype=np.intp)
    number[order] = np.arange(count)
    if k > 1:
        check_clusters(number[labels], boxes[order], left, right, k)
    return Gap(boxes[order], number[labels])


def _joins_of_records(
    request: PlotRequest,
    axes: Sequence[PixelAxis],
    pixels: Sequence[Whole],
    before: Gap,
    after: Gap,
) -> Joins:
    """Say which clusters on both sides of an axis light up together (section 4.2).

    A sensitive axis is asked for diversity where clusters of the gap next but one are selected:
    that before it or, where it does not come last, that after it.
    """
    turned = axes[0].shown.sensitive and not axes[2].shown.sensitive
    at = 0 if turned else 2
    shown, values = axes[at].shown, axes[at].known(pixels[at])
    if not shown.sensitive or request.axes.diversity < 2 or request.method == "none":
        return joined(before.labels, after.labels)
    bands = dict(zip(shown.levels, shown.bands, strict=True))
    selected, lit = (after, before) if turned else (before, after)
    sides = [2, 3, 0, 1] if turned else [0, 1, 2, 3]
    found = diverse_joins(
        selected.labels,
        lit.labels,
        values,
        selected.boxes[:, sides],
        lit.boxes[:, sides],
        diversity=request.axes.diversity,
        named=[bands[level][0] for level in request.axes.sensitive[shown.name]],
    )
    return tuple(sorted((b, a) for a, b in found)) if turned else found


def _stated_of_records(request: PlotRequest) -> dict[str, int | str]:
    """Return the parameters that stand beside the picture."""
    if request.method == "none":
        return {"pixels": request.axes.pixels}
    stated: dict[str, int | str] = {"k": request.k, "pixels": request.axes.pixels}
    # Selecting a cluster lights those of the next gap, and only there is diversity asked for, on an
    # axis that is not beside the selected one.
    if any(
        name in request.axes.sensitive for name in (*request.columns[2:], *request.columns[:-2])
    ):
        stated["l"] = request.axes.diversity
    named = [f"{name} = {' or '.join(of)}" for name, of in request.axes.sensitive.items() if of]
    return stated | ({"sensitive": ", ".join(named)} if named else {})


PARALLEL = Plot(
    name="parallel",
    title="Parallel coordinates",
    noun="plot of parallel coordinates",
    says="Several columns as axes side by side, and clusters between them.",
    columns="any",
    least=2,
    most=MOST_AXES,
    parameters=("k", "diversity", "pixels", "cost", "gradient"),
    axes=True,
    methods=(*CLUSTER_METHODS, "none"),
    method=KMember.name,
    from_counts=from_counts,
)
