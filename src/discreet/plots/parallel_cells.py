"""Parallel coordinates under a guarded policy: clusters of whole cells, a function of counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from discreet.arguments import Labels
from discreet.errors import BrokenPromiseError
from discreet.parallel.cell_growth import Box
from discreet.parallel.cells import (
    CellClusters,
    check_cells,
    check_shared,
    cluster_cells,
    shared,
)
from discreet.parallel.diversity import Joins
from discreet.plots import Origin, ParallelView
from discreet.plots.axes import too_few
from discreet.plots.drawn import public, seen
from discreet.plots.from_counts import check_size
from discreet.plots.parallel_axes import (
    CellAxis,
    cell_axis,
    check_named,
    too_diverse,
)
from discreet.plots.parallel_order import (
    PersonsInCells,
    cells_of,
    check_order,
    counted_cells,
    persons_in_cells,
)
from discreet.plots.request import ROWS_PER_K, PlotRequest
from discreet.table import Table

__all__ = ["clusters_of_cells"]


def clusters_of_cells(table: Table, asked: PlotRequest, origin: Origin) -> ParallelView:
    """Cluster the cells of each two neighbouring axes, and say which light up together."""
    axes = {name: cell_axis(table, asked, name) for name in asked.columns}
    check_named([*axes.values()], asked.axes.sensitive)
    _check_diversity(axes.values(), asked)
    check_order(table, asked, axes)
    gaps, complete, persons = [], [], 0
    for left, right in pairwise(axes.values()):
        found, with_both, missing = _gap(table, asked, left, right)
        gaps.append(found)
        complete.append(with_both)
        persons = with_both + missing
    joins = [
        _joins(table, asked, [*axes.values()][i : i + 3], gaps[i], gaps[i + 1])
        for i in range(len(gaps) - 1)
    ]
    return ParallelView(
        columns=asked.columns,
        method=asked.method,
        parameters=public(_stated(asked)),
        suppressed=None,
        origin=seen(
            origin,
            asked,
            # Of a gap that shows any: all with values on both of its axes are in its clusters.
            min((n for n, gap in zip(complete, gaps, strict=True) if gap.boxes), default=0),
            persons,
        ),
        axes=tuple(axis.shown for axis in axes.values()),
        pixels=asked.axes.pixels,
        clusters=tuple(
            _boxes(found, left, right)
            for found, (left, right) in zip(gaps, pairwise(axes.values()), strict=True)
        ),
        joins=tuple(joins),
        sizes=None,
        fuzzy=asked.axes.fuzzy,
    )


def _gap(
    table: Table, asked: PlotRequest, left: CellAxis, right: CellAxis
) -> tuple[CellClusters, int, int]:
    """Cluster the cells between two axes; none where diversity lets nothing be shown.

    Beside the clusters: how many persons have values on both axes, and how many have not.

    Which axis stands on the left must not matter, so clusters are made with the axes in the order
    of their names.
    """
    turned = left.shown.name > right.shown.name
    pair = (right, left) if turned else (left, right)
    counted = counted_cells(table, pair)
    check_size(counted, asked)
    counts, persons = cells_of(counted, pair, asked.k), persons_in_cells(counted, pair)
    here = int(counts.sum()) if persons is None else persons.people
    left_out = counted.left_out + counted.people - here
    if asked.guarded and here < ROWS_PER_K * asked.k:
        raise too_few(asked)
    sensitive = (pair[0].shown.sensitive, pair[1].shown.sensitive)
    found = cluster_cells(
        counts,
        asked.k,
        kinds=(pair[0].shown.kind, pair[1].shown.kind),
        edges=(pair[0].edges, pair[1].edges),
        sensitive=sensitive,
        diversity=asked.axes.diversity,
    )
    if persons is not None:
        _check_persons(persons, found.cluster_of, asked.k)
    if turned:
        counts, found, sensitive = counts.T, _turned(found), sensitive[::-1]
    check_cells(counts, found, asked.k, sensitive, asked.axes.diversity)
    return found, here, left_out


def _joins(
    table: Table,
    asked: PlotRequest,
    axes: Sequence[CellAxis],
    before: CellClusters,
    after: CellClusters,
) -> Joins:
    """Say which clusters on both sides of the middle axis share at least k persons."""
    counted = counted_cells(table, axes)
    several = persons_in_cells(counted, axes)
    if several is None:
        counts = cells_of(counted, axes, asked.k)
    else:
        both = before.cluster_of[:, :, None] >= 0, after.cluster_of[None] >= 0
        several = several.within(both[0] & both[1])
        counts = several.counts(asked.k)
    triples, persons = np.argwhere(counts), counts[counts > 0]
    diversity = asked.axes.diversity if axes[1].shown.sensitive else 1
    joins = shared(triples, persons, before, after, least=asked.k, diversity=diversity)
    check_shared(triples, persons, before, after, joins, least=asked.k, diversity=diversity)
    if several is not None:
        # Of each triple of cells which of the pairs that are lit it is of, if of any.
        lit = {pair: number for number, pair in enumerate(joins)}
        ones, others = np.broadcast_arrays(before.cluster_of[:, :, None], after.cluster_of[None])
        pairs = zip(ones.ravel().tolist(), others.ravel().tolist(), strict=True)
        _check_persons(several, np.array([lit.get(pair, -1) for pair in pairs]), asked.k)
    return joins


def _check_persons(several: PersonsInCells, shown_as: Labels, k: int) -> None:
    """Count again, apart from how they were made, that what is shown stands on k persons.

    `shown_as` is the number of what is shown of each cell; -1 where it is nothing.
    """
    members: dict[int, set[int]] = {}
    numbers = shown_as.ravel()[several.cells].tolist()
    for number, person in zip(numbers, several.persons.tolist(), strict=True):
        members.setdefault(number, set()).add(person)
    if any(len(found) < k for number, found in members.items() if number >= 0):
        raise BrokenPromiseError(
            "a cluster was counted again and holds fewer than k persons; please report this"
        )


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


def _check_diversity(axes: Iterable[CellAxis], asked: PlotRequest) -> None:
    for axis in axes:
        if axis.shown.sensitive and axis.cells < asked.axes.diversity:
            raise too_diverse(axis.shown.name)


def _stated(asked: PlotRequest) -> dict[str, int]:
    """Return the parameters that a reader may know."""
    stated = {"k": asked.k, "pixels": asked.axes.pixels}
    return stated | ({"l": asked.axes.diversity} if asked.axes.sensitive else {})
