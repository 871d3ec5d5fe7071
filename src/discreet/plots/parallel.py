"""Parallel coordinates: clusters between neighbouring axes.

Of the rows of a copy clusters are of whole cells, a function of counts; under `research` of records
and pixels, as the paper has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.columns.countable import Countable
from discreet.errors import BrokenPromiseError, RefusedError
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
from discreet.parallel.pixels import (
    COSTS,
    MOST_PIXELS,
    PIXEL_STEP,
    Whole,
    bin_of_records,
    pair_bins,
)
from discreet.plots.parallel_axes import (
    AxesRequest,
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
    proposed_order,
    remarks_on_order,
    too_diverse,
)
from discreet.plots.parallel_view import ParallelView
from discreet.plots.plot import BINS, COUNTS, LIMITS, PIXELS, Ends, How, Plot, PlotRequest, setting
from discreet.plots.view import Origin

Sensitive = str | Sequence[str] | Mapping[str, Sequence[Any]]
"""Sensitive columns, and which of their values are."""
MOST_AXES = 24
MOST_CLUSTERS, MOST_JOINT = 20_000, 100_000


# --- of cells ---------------------------------------------------------------------------------


def clusters_of_cells(table: Countable, asked: AxesRequest, origin: Origin) -> ParallelView:
    """Cluster the cells of each two neighbouring axes, and say which light up together."""
    axes = {name: cell_axis(table, asked, name) for name in asked.names}
    stated = {"k": asked.how.k, "pixels": asked.pixels}
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
    # Of a gap that shows any: all with values on both of its axes are in its clusters.
    shown = min((n for n, gap in zip(complete, gaps, strict=True) if gap.boxes), default=0)
    return ParallelView(
        **asked.plot.made(asked.how, replace(origin, shown=shown, total=persons), stated, None),
        axes=tuple(axis.shown for axis in axes.values()),
        pixels=asked.pixels,
        clusters=tuple(
            _boxes(found, left, right)
            for found, (left, right) in zip(gaps, pairwise(axes.values()), strict=True)
        ),
        joins=tuple(joins),
        sizes=None,
        fuzzy=asked.gradient,
    )


def _gap(
    table: Countable, asked: AxesRequest, left: CellAxis, right: CellAxis
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
        asked.how.k,
        kinds=(pair[0].shown.kind, pair[1].shown.kind),
        edges=(pair[0].edges, pair[1].edges),
    )
    if turned:
        counts, found = counts.T, _turned(found)
    check_cells(counts, found, asked.how.k)
    return found, here, counted.left_out + counted.people - here


def _joins(
    table: Countable,
    asked: AxesRequest,
    axes: Sequence[CellAxis],
    before: CellClusters,
    after: CellClusters,
) -> Joins:
    """Say which clusters on both sides of the middle axis share at least k rows."""
    counts = cells_of(counted_cells(table, axes), axes)
    triples, rows = np.argwhere(counts), counts[counts > 0]
    joins = shared(triples, rows, before, after, least=asked.how.k)
    check_shared(triples, rows, before, after, joins, least=asked.how.k)
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


def clusters_of_records(table: Countable, asked: AxesRequest, origin: Origin) -> ParallelView:
    """Cluster the records between each two neighbouring axes, and say which light up together."""
    if table.persons_repeat():
        raise RefusedError(
            "some people have several rows, and a cluster of records counts rows; make one row "
            "per person first (a mean or a last value)"
        )
    axes = [pixel_axis(table, asked, name) for name in asked.names]
    check_named(axes, asked.sensitive)
    numbers = [name for name in asked.names if table.columns[name].kind == "continuous"]
    rows = table.rows(numbers, levels=[name for name in asked.names if name not in numbers])
    if len(rows) < asked.how.k:
        raise RefusedError(
            "there are fewer complete records than k; choose a smaller k or other columns"
        )
    if asked.sensitive:
        check_order(table, asked, axes_to_order(table, asked))
    values: dict[str, Floats | tuple[str, ...]] = {**rows.numbers, **rows.texts}
    pixels = [axis.pixels(values[axis.shown.name]) for axis in axes]
    for axis, places in zip(axes, pixels, strict=True):
        if (places == places[0]).all():
            raise on_one_place(axis.shown.name)
    for axis, places in zip(axes, pixels, strict=True):
        few = np.count_nonzero(np.unique(axis.known(places)) >= 0) < asked.diversity
        if asked.how.method != "none" and axis.shown.sensitive and few:
            raise too_diverse(axis.shown.name)
    gaps = _gaps(asked, axes, pixels)
    origin = replace(origin, shown=len(rows), total=table.size)
    return ParallelView(
        **asked.plot.made(asked.how, origin, _stated_of_records(asked)),
        axes=tuple(axis.shown for axis in axes),
        pixels=asked.pixels,
        clusters=tuple(tuple(map(tuple, gap.boxes.tolist())) for gap in gaps),
        joins=tuple(
            _joins_of_records(asked, axes[i : i + 3], pixels[i : i + 3], gaps[i], gaps[i + 1])
            for i in range(len(gaps) - 1)
        ),
        sizes=tuple(tuple(np.bincount(gap.labels).tolist()) for gap in gaps),
        fuzzy=asked.gradient,
    )


def _gaps(asked: AxesRequest, axes: Sequence[PixelAxis], pixels: Sequence[Whole]) -> list[Gap]:
    """Cluster by the method asked for, and put the clusters of each gap in order."""
    # Records of one bin are told apart by their other pixels, never by where they stand.
    by_name = sorted(range(len(axes)), key=lambda at: asked.names[at])
    together = np.column_stack([pixels[at] for at in by_name])
    rank = np.argsort(np.lexsort(together.T[::-1]))  # of each record, its place
    if asked.how.method == "k-member-joint":
        if len(together) > MOST_JOINT:
            raise RefusedError(
                "there are too many records to cluster over all axes at once, which takes time "
                "quadratic in their number; draw a sample, or cluster them pair by pair: method "
                "'k-member'"
            )
        labels = cluster_jointly(together, asked.how.k)
        return [_ordered(labels, left, right, asked.how.k) for left, right in pairwise(pixels)]
    heights = (asked.pixels, asked.pixels)
    gaps = []
    for (a, b), (left, right) in zip(pairwise(axes), pairwise(pixels), strict=True):
        bins = pair_bins(left, right, heights)
        of = bin_of_records(bins, left, right)
        if asked.how.method == "none":
            gaps.append(_ordered(of, left, right, 1))
            continue
        kinds = (a.shown.kind, b.shown.kind)
        found = cluster_pair(bins, asked.how.k, kinds, cost=asked.cost)
        gaps.append(_ordered(members(found, bins, of, rank), left, right, asked.how.k))
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
    asked: AxesRequest, axes: Sequence[PixelAxis], pixels: Sequence[Whole], before: Gap, after: Gap
) -> Joins:
    """Say which clusters on both sides of an axis light up together (section 4.2).

    A sensitive axis is asked for diversity where clusters of the gap next but one are selected:
    that before it or, where it does not come last, that after it.
    """
    turned = axes[0].shown.sensitive and not axes[2].shown.sensitive
    at = 0 if turned else 2
    shown, values = axes[at].shown, axes[at].known(pixels[at])
    if not shown.sensitive or asked.diversity < 2 or asked.how.method == "none":
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
        diversity=asked.diversity,
        named=[bands[level][0] for level in asked.sensitive[shown.name]],
    )
    return tuple(sorted((b, a) for a, b in found)) if turned else found


def _stated_of_records(asked: AxesRequest) -> dict[str, int | str]:
    """Return the parameters that stand beside the picture."""
    if asked.how.method == "none":
        return {"pixels": asked.pixels}
    stated: dict[str, int | str] = {"k": asked.how.k, "pixels": asked.pixels}
    # Selecting a cluster lights those of the next gap, and only there is diversity asked for, on an
    # axis that is not beside the selected one.
    if any(name in asked.sensitive for name in (*asked.names[2:], *asked.names[:-2])):
        stated["l"] = asked.diversity
    named = [f"{name} = {' or '.join(of)}" for name, of in asked.sensitive.items() if of]
    return stated | ({"sensitive": ", ".join(named)} if named else {})


@dataclass(frozen=True)
class ParallelPlot(Plot[ParallelView]):
    """Draw columns as axes side by side, and clusters of records between neighbouring ones.

    Parameters
    ----------
    columns : sequence of str
        At least two columns, in the order of their axes; continuous or categorical. `axis_order`
        proposes an order.
    sensitive : str, sequence of str, or mapping of str to sequence, optional
        Of a public table, sensitive columns, and which of their values are; by default the columns
        whose role is "sensitive".
    gradient : bool, default True
        Draw clusters with edges that fade (Fig. 6b), or flat (Fig. 6a).
    limits : mapping of str to (float, float), optional
        The ends of axes.
    pixels : int, optional
        Of an axis, a multiple of 50, of which more than 500 are answered as 500 (section 6.4).
    diversity : int, optional
        Of a public table, the least number of different sensitive values of a cluster (l; at least
        2 by default).
    cost : {"seed", "span", "smaller"}, optional
        Of a public table, how clusters of "k-member" grow: by the distance to their seed, by their
        span, or whichever gives the smaller ones (the default).

    Returns
    -------
    ParallelView
        `axes`, `clusters` between each two, and `joins`: which light up together.

    Raises
    ------
    RefusedError
        Also if an order breaks a rule about a sensitive axis; the text names the nearest allowed
        one.

    Notes
    -----
    Of the copy clusters are of whole cells of its rows, k in each, and no column is sensitive. Of a
    public table they are of its records, as the paper has them: by method "k-member" (the default:
    pair by pair) or "k-member-joint" (over all axes at once).

    **What it does not protect.** Clusters of records: their edges are pixels of single records,
    most paths of clusters are of one record, and a value of a sensitive column may be by far the
    most frequent one in a cluster, or in those that light up with it.

    Dasgupta and Kosara, "Adaptive privacy-preserving visualization using parallel coordinates",
    IEEE Transactions on Visualization and Computer Graphics 17(12), 2011.

    Examples
    --------
    >>> import discreet as dc
    >>> cohort = dc.research(dc.datasets.diabetes())
    >>> cohort.parallel(["age", "sex", "glucose"], k=6).method
    'k-member'
    """

    name = "parallel"
    title = "Parallel coordinates"
    noun = "plot of parallel coordinates"
    says = "Several columns as axes side by side, and clusters between them."
    numbers = ("k",)
    methods = (*CLUSTER_METHODS, "none")
    method = KMember.name
    sources = (COUNTS,)
    axes = True

    columns: Sequence[str] = field(
        metadata=setting("columns", "The axes, in their order.", least=2, most=MOST_AXES)
    )
    _: KW_ONLY
    sensitive: Sensitive | None = field(
        default=None, metadata=setting("sensitive", "Sensitive columns, or values of such columns.")
    )
    diversity: int | None = field(
        default=None,
        metadata=setting(
            "integer",
            "The least number of different sensitive values of a cluster.",
            least=1,
            most=1000,
            step=1,
        ),
    )
    pixels: int | None = field(
        default=None,
        metadata=setting(
            "integer",
            f"Pixels of an axis; more than {MOST_PIXELS} are drawn as {MOST_PIXELS}.",
            least=PIXEL_STEP,
            step=PIXEL_STEP,
        ),
    )
    cost: str = field(
        default="smaller",
        metadata=setting("word", "How clusters grow.", choices=COSTS, methods=(KMember.name,)),
    )
    gradient: bool = field(
        default=True, metadata=setting("yes_no", "Let clusters fade towards their edges.")
    )
    limits: Ends | None = field(default=None, metadata=LIMITS)
    bins: int = field(default=BINS, repr=False)
    """Those of a histogram, of which the cells of an axis are made: the policy's."""

    def request(self, how: How) -> AxesRequest:
        """Return what is asked of the axes, once the policy has settled it."""
        sensitive = self.sensitive if isinstance(self.sensitive, Mapping) else {}
        return AxesRequest(
            plot=self,
            how=how,
            pixels=self.pixels or PIXELS,
            diversity=self.diversity or 1,
            sensitive={name: tuple(map(str, values)) for name, values in sensitive.items()},
            cost=self.cost,
            gradient=self.gradient,
            bins=self.bins,
        )

    def from_counts(self, table: Countable, how: How, origin: Origin) -> ParallelView:
        """Cluster whole cells of the rows of a copy or, under `research`, records."""
        asked = self.request(how)
        drawn = clusters_of_cells if how.of_copy else clusters_of_records
        view = drawn(table, asked, origin)
        remarks = (*view.origin.remarks, *remarks_on_order(asked))
        return replace(view, origin=replace(view.origin, remarks=remarks))


def order_of_axes(table: Countable, request: PlotRequest) -> tuple[str, ...]:
    """Propose an order of the columns of settled parallel coordinates."""
    plot = request.plot
    if not isinstance(plot, ParallelPlot):
        raise BrokenPromiseError("axes of another plot were to be put in order")
    asked = plot.request(request.how)
    return proposed_order(table, asked, axes_to_order(table, asked))
