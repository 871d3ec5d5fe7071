"""Parallel coordinates: clusters of people between neighbouring axes, as boxes of pixels."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

from discreet.errors import InputError
from discreet.parallel.cells import Box
from discreet.parallel.pixels import KINDS, MOST_PIXELS
from discreet.plots.view import Tidy, View
from discreet.render.dates import date_ticks, date_words
from discreet.render.scene import Axis, Mark, Panel, Scene, Strands, Trapezoids, Upright, Uprights

BAND, PIECE = 0.3, 0.03  # how much of its band, and of the axis at most, a level is drawn as
RAW = "none"  # each record by itself
# As shares of an axis, both ends of a cluster together; and how far apart the colours' ends are.
NARROWEST, LEAST_SPAN = 0.02, 4.0

LARGEST = sys.float_info.max

Ends = tuple[float, float, float, float]


@dataclass(frozen=True)
class ParallelAxis:
    """One axis: a column, and what of it stands at which height.

    Parameters
    ----------
    name : str
        The column.
    kind : str
        "continuous" or "categorical".
    low, high : float or None
        The values at the foot and at the head of a continuous axis; None of a categorical one.
    levels : tuple of str
        The levels of a categorical axis, from the foot upwards; small ones may be joined.
    bands : tuple of (int, int)
        The pixels of each level, half-open.
    sensitive : bool, default False
        Whether the column is a secret, which the picture says.
    whole : bool, default False
        Whether a continuous axis ends between whole numbers: those within stand at its ends.
    """

    name: str
    kind: str
    low: float | None = None
    high: float | None = None
    levels: tuple[str, ...] = ()
    bands: tuple[tuple[int, int], ...] = ()
    sensitive: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"the axis {self.name!r} is continuous or categorical")
        if self.kind == "continuous":
            if self.levels or self.bands:
                raise InputError(f"the axis {self.name!r} is continuous and has no levels")
            low, high = self.low, self.high
            if low is None or high is None or not -LARGEST <= low <= high <= LARGEST:
                raise InputError(f"the axis {self.name!r} goes from a finite low to a finite high")
            return
        if self.low is not None or self.high is not None:
            raise InputError(f"the axis {self.name!r} has levels, so it has no low and no high")
        if not self.levels or len(set(self.levels)) != len(self.levels):
            raise InputError(f"the axis {self.name!r} has different levels, and one at least")
        if len(self.bands) != len(self.levels):
            raise InputError(f"the axis {self.name!r} has a band of pixels for each level")
        rising = all(0 <= low < high for low, high in self.bands)
        if not rising or any(a[0] > b[0] or a[1] > b[1] for a, b in pairwise(self.bands)):
            raise InputError(f"the bands of the axis {self.name!r} are pixels that rise")

    def upright(self, pixels: int, *, dates: bool = False) -> Upright:
        """Return the axis as it is drawn: its ends, or its levels in the middle of their bands.

        Where its numbers are of `dates`, they stand beside it as such.
        """
        if self.low is not None and self.high is not None:
            low, high = self.low, self.high
            if self.whole:
                low, high = math.ceil(low), math.floor(high)
            ends = (f"{low:.7g}", f"{high:.7g}")
            scale = (float(self.low), float(self.high)) if self.low < self.high else None
            ticks: tuple[tuple[float, str], ...] = ()
            if dates:
                ends = (date_words(low), date_words(high))
                if scale is not None:
                    span = scale[1] - scale[0]
                    ticks = tuple(((at - scale[0]) / span, it) for at, it in date_ticks(*scale))
            return Upright(self.name, ends, apart=self.sensitive, scale=scale, dates=ticks)
        middles = tuple((low + high) / (2 * pixels) for low, high in self.bands)
        levels = tuple(zip(middles, self.levels, strict=True))
        return Upright(self.name, None, levels, self.sensitive)

    def place(self, low: int, high: int, pixels: int) -> tuple[float, float]:
        """Return where a half-open interval of pixels is drawn, 0 to 1.

        A level is drawn as a short piece in the middle of its band. Bands fill the axis, and
        clusters that did so too would look as if they told nothing.
        """
        first, last = low / pixels, high / pixels
        for one, other in self.bands:
            half = min(other - one, max(1.0, min(BAND * (other - one), PIECE * pixels))) / 2
            if one <= low < other:
                first = ((one + other) / 2 - half) / pixels
            if one < high <= other:
                last = ((one + other) / 2 + half) / pixels
        return first, last


@dataclass(frozen=True, kw_only=True, repr=False)
class ParallelView(View):
    """Clusters in each gap between two axes, and which of them light up together.

    Parameters
    ----------
    axes : tuple of ParallelAxis
        From left to right, two at least; `columns` are their names.
    pixels : int
        How many pixels high each axis is, 1 to 500.
    clusters : tuple of tuples of (int, int, int, int)
        Of each gap the boxes (left low, left high, right low, right high), half-open pixels from
        the foot, sorted. A gap without any shows nothing.
    joins : tuple of tuples of (int, int)
        Of each inner axis the pairs (cluster of the gap before, cluster of the gap after) that
        light up together, sorted.
    sizes : tuple of tuples of int, or None
        The records of each cluster; None under a guarded policy, which does not tell.
    fuzzy : bool, default True
        Whether clusters fade towards their edges.
    selected : (int, int) or None
        Gap and number of the cluster that is lit with all it is joined to.

    Notes
    -----
    The shapes are those of section 4.1 of Dasgupta and Kosara, "Adaptive Privacy-Preserving
    Visualization Using Parallel Coordinates" (IEEE TVCG 17(12), 2011). A box hides who is in it
    but not that somebody is: `describe` says what each method does not protect.
    """

    kind: ClassVar[str] = "parallel"

    axes: tuple[ParallelAxis, ...]
    pixels: int
    clusters: tuple[tuple[Box, ...], ...]
    joins: tuple[tuple[tuple[int, int], ...], ...]
    sizes: tuple[tuple[int, ...], ...] | None = None
    fuzzy: bool = True
    selected: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        self._check_axes()
        self._check_clusters()
        self._check_joins()
        self._check_sizes()
        if self.selected is not None:
            self._check_cluster(self.selected)

    def lit(self, gap: int, cluster: int) -> frozenset[tuple[int, int]]:
        """Return the (gap, place) of a cluster, and of those beside it that light up with it.

        Parameters
        ----------
        gap, cluster : int
            Between the gap-th axis and the next, and the place in `clusters[gap]`, both from 0.
        """
        self._check_cluster((gap, cluster))
        found = {(gap, cluster)}
        if gap > 0:
            found |= {(gap - 1, left) for left, right in self.joins[gap - 1] if right == cluster}
        if gap < len(self.joins):
            found |= {(gap + 1, right) for left, right in self.joins[gap] if left == cluster}
        return frozenset(found)

    def select(self, gap: int, cluster: int) -> ParallelView:
        """Return a copy whose picture lights a cluster and its joins; see `lit`."""
        return replace(self, selected=(gap, cluster))

    def flat(self) -> ParallelView:
        """Return a copy whose clusters are drawn with rigid edges instead of fading ones."""
        return replace(self, fuzzy=False)

    def tidy(self) -> Tidy:
        """Return a row for each cluster: the axes it lies between, and its ends on both, 0 to 1."""
        boxes = [(gap, box) for gap, found in enumerate(self.clusters) for box in found]
        ends = [
            (f"{side} {end}", [box[2 * i + j] / self.pixels for _, box in boxes])
            for i, side in enumerate(("left", "right"))
            for j, end in enumerate(("low", "high"))
        ]
        found: Tidy = [
            ("left", [self.axes[gap].name for gap, _ in boxes]),
            ("right", [self.axes[gap + 1].name for gap, _ in boxes]),
            *ends,
        ]
        if self.sizes is None:
            return found
        return [*found, ("count", [it for sizes in self.sizes for it in sizes])]

    def scene(self) -> Scene:
        """Return the axes, and between them the clusters, or strands of single records."""
        of_dates = self.origin.dates
        uprights = Uprights(
            tuple(
                replace(
                    axis.upright(self.pixels, dates=axis.name in of_dates),
                    label=self.label(axis.name),
                )
                for axis in self.axes
            )
        )
        marks = (uprights, *(self._gap(gap) for gap in range(len(self.clusters))))
        return Scene((Panel(marks, Axis(""), Axis("")),), notes=(*self.notes(), *self._signs()))

    def _gap(self, gap: int) -> Mark:
        """Return what is drawn in a gap."""
        boxes, lit = self.clusters[gap], None
        if self.selected is not None:
            bright = self.lit(*self.selected)
            lit = tuple((gap, number) in bright for number in range(len(boxes)))
        ends = self._ends(gap)
        joins = self.joins[gap] if gap < len(self.joins) else ()
        if self.method == RAW:
            middles = tuple(((a + b) / 2, (c + d) / 2) for a, b, c, d in ends)
            return Strands(gap, middles, lit, joins)
        return Trapezoids(gap, ends, self.fuzzy, lit, self._span(), joins)

    def _ends(self, gap: int) -> tuple[Ends, ...]:
        """Return where the clusters of a gap are drawn, 0 to 1."""
        left, right = self.axes[gap : gap + 2]
        return tuple(
            (*left.place(a, b, self.pixels), *right.place(c, d, self.pixels))
            for a, b, c, d in self.clusters[gap]
        )

    def _span(self) -> tuple[float, float]:
        """Return how wide the narrowest and the widest clusters are, at both ends together."""
        widths = [
            b - a + d - c for gap in range(len(self.clusters)) for a, b, c, d in self._ends(gap)
        ]
        narrowest = max(min(widths, default=NARROWEST), NARROWEST)
        return narrowest, max([*widths, LEAST_SPAN * narrowest])

    def _signs(self) -> tuple[str, ...]:
        """Say in plain words what is to be seen."""
        who = self._who()
        if self.method == RAW:
            signs = ["a line goes from where a record is on one axis to where it is on the next"]
        else:
            signs = [
                f"a shape is a cluster of {who}, from where they are on one axis to where they"
                " are on the next",
                f"blue: wide, orange: narrow clusters; colour does not show the number of {who}",
            ]
        if self.selected is not None:
            left, right = self.columns[self.selected[0] :][:2]
            signs.append(
                f"lit: one cluster between {left} and {right}, and those beside it that share"
                f" {who} with it"
            )
        return tuple(signs)

    def notes(self) -> tuple[str, ...]:
        """Return the lines that stand below the picture: those of any view, and of empty gaps."""
        lines = [*super().notes()]
        for gap in (gap for gap, boxes in enumerate(self.clusters) if not boxes):
            left, right = self.columns[gap : gap + 2]
            lines.append(
                f"nothing shown between {left} and {right}: too few {self._who()} for a cluster"
            )
        return tuple(lines)

    def _guarded(self) -> bool:
        return self.origin.regime == "guarded"

    def _who(self) -> str:
        return "rows of the copy" if self._guarded() else "records"

    def _source(self) -> str:
        source = super()._source()
        return source if self._guarded() or self.method == RAW else "from clusters of records"

    def _subject(self) -> str:
        return super()._subject().replace("parallel of", "parallel coordinates of", 1)

    def _check_axes(self) -> None:
        if len(self.axes) < 2 or self.columns != tuple(axis.name for axis in self.axes):
            raise InputError("parallel coordinates have two axes or more, named like the columns")
        if len(set(self.columns)) != len(self.columns):
            raise InputError("each column has one axis")
        if not 1 <= self.pixels <= MOST_PIXELS:
            raise InputError(f"the axes are 1 to {MOST_PIXELS} pixels high")
        if any(band[1] > self.pixels for axis in self.axes for band in axis.bands):
            raise InputError("the bands of levels lie within the pixels of the axes")

    def _check_clusters(self) -> None:
        if len(self.clusters) != len(self.axes) - 1:
            raise InputError("parallel coordinates have clusters for each gap between two axes")
        for boxes in self.clusters:
            sides = [side for a, b, c, d in boxes for side in ((a, b), (c, d))]
            if not all(0 <= low < high <= self.pixels for low, high in sides):
                raise InputError(
                    "a cluster goes from a low pixel to a higher one, within the axes on both sides"
                )
            if self.method == RAW and any(b - a != 1 or d - c != 1 for a, b, c, d in boxes):
                raise InputError(f"a record that is shown by itself, as {RAW!r} does, is one pixel")
            if any(one > other for one, other in pairwise(boxes)):
                raise InputError("the clusters of a gap are sorted")
            if self._guarded() and len(set(boxes)) != len(boxes):
                raise InputError("under a guarded policy clusters with the same box are one")

    def _check_joins(self) -> None:
        if len(self.joins) != len(self.axes) - 2:
            raise InputError("parallel coordinates have joins for each axis between two others")
        for (before, after), pairs in zip(pairwise(self.clusters), self.joins, strict=True):
            if not all(0 <= a < len(before) and 0 <= b < len(after) for a, b in pairs):
                raise InputError("a join names clusters that there are, on both sides of its axis")
            if any(one >= other for one, other in pairwise(pairs)):
                raise InputError("the joins of an axis are different and sorted")

    def _check_sizes(self) -> None:
        if self.sizes is None:
            return
        if self._guarded():
            raise InputError("under a guarded policy clusters have no sizes")
        if [*map(len, self.sizes)] != [*map(len, self.clusters)]:
            raise InputError("clusters have a size each, or none of them has")
        if any(size < 1 for row in self.sizes for size in row):
            raise InputError("the size of a cluster is a number of records, 1 or more")

    def _check_cluster(self, place: tuple[int, int]) -> None:
        gap, number = place
        whole = type(gap) is type(number) is int
        if not (whole and 0 <= gap < len(self.clusters) and 0 <= number < len(self.clusters[gap])):
            raise InputError(
                "a cluster is named by its gap and its place in the gap, both counted from 0;"
                " there is none at that place"
            )
