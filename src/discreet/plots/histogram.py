"""The histogram: bars on the intervals of one column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import ClassVar

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.columns.countable import Countable
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.methods import Suppression
from discreet.methods.counts import Bins
from discreet.plots.counts import (
    Panels,
    Protected,
    Shown,
    axes_of_rows,
    panels_of_cells,
    panels_of_counts,
    panels_of_rows,
    short_places,
)
from discreet.plots.facets import MOST_OVERLAID, MultiplesView, PanelsView, multiples
from discreet.plots.plot import (
    BINNED,
    BINS,
    BY,
    COUNTS,
    LIMITS,
    ROWS,
    WEIGHTS,
    AnsweredCells,
    By,
    Ends,
    How,
    Plot,
    column,
    setting,
)
from discreet.plots.view import WHERE_SAID, Origin, Tidy, View
from discreet.render.scene import Axis, Bars, Panel, Scene

HIDDEN = "hatched below the axis: none, or fewer than k"


@dataclass(frozen=True, kw_only=True, repr=False)
class HistogramView(View):
    """Bars of one column.

    Parameters
    ----------
    edges : tuple of float
        The ends of the bins, one more than there are bins.
    counts : tuple of int or None
        What each bin holds; None where it is hidden.
    density : tuple of float or None
        The height of each bar: a guarded policy shows shares divided by the bin's width,
        `research` counts divided by it (the frequency density of the 2021 paper).
    weights : str
        The column whose sums the densities are of, where rows are weighted; counts are of rows.
    """

    kind: ClassVar[str] = "histogram"

    edges: tuple[float, ...]
    counts: tuple[int | None, ...]
    density: tuple[float | None, ...]
    weights: str = field(default="", metadata=WHERE_SAID)

    def __post_init__(self) -> None:
        if not len(self.edges) - 1 == len(self.counts) == len(self.density):
            raise InputError("a histogram has one edge more than it has counts and densities")

    def tidy(self) -> Tidy:
        """Return a row for each bin: its ends, what it holds and its density."""
        ends = self.ends(self.columns[0], self.edges)
        return [
            ("low", ends[:-1]),
            ("high", ends[1:]),
            ("count", self.counts),
            ("density", self.density),
        ]

    def scene(self) -> Scene:
        """Return the bars; hidden ones have a sign."""
        label = "frequency density" if self.origin.regime == "research" else "density"
        label += f", weighted by {self.label(self.weights)}" if self.weights else ""
        panel = Panel(
            marks=(Bars(self.edges, self.density),),
            x=self.axis(self.columns[0], self.edges, (self.edges[0], self.edges[-1])),
            y=Axis(label),
        )
        return Scene((panel,), notes=(*self.notes(), *self.signs()))

    def signs(self) -> tuple[str, ...]:
        """Return what hatched bins mean, where there are any."""
        return (HIDDEN,) if None in self.counts else ()


def _overlaid(drawn: MultiplesView, views: Sequence[HistogramView]) -> MultiplesView:
    """Keep the levels with the most in their bars, to be drawn on one pair of axes."""
    held = [sum(count or 0 for count in view.counts) for view in views]
    largest = sorted(range(len(held)), key=lambda i: -held[i])[:MOST_OVERLAID]
    kept = sorted(largest)
    # How many are shown of all levels is not true of those that are drawn.
    origin = drawn.origin if len(kept) == len(held) else replace(drawn.origin, shown=None)
    return replace(
        drawn,
        origin=origin,
        levels=tuple(drawn.levels[i] for i in kept),
        views=tuple(drawn.views[i] for i in kept),
        overlaid=True,
        others=tuple(name for i, name in enumerate(drawn.levels) if i not in largest),
    )


def histogram_view(
    edges: Floats, counts: Bins, shown: Shown, plot: HistogramPlot, how: How, origin: Origin
) -> HistogramView:
    """Turn the shown counts into densities."""
    each = zip(counts.tolist(), shown.tolist(), strict=True)
    told = [n if seen else None for n, seen in each]
    widths = np.diff(edges)
    total = (sum(count or 0 for count in told) or 1) if how.of_copy else 1
    with np.errstate(over="ignore", divide="ignore"):
        density = [
            None if c is None else c / (total * w) for c, w in zip(told, widths, strict=True)
        ]
    if any(d is not None and not math.isfinite(d) for d in density):
        raise RefusedError(
            f"the values of {plot.names[0]!r} lie so close together that their density is too "
            "large to write; rescale the column"
        )
    bins = {} if plot.declared("edges", plot.column) else {"bins": plot.bins or BINS}
    return HistogramView(
        **plot.made(how, origin, how.count_parameters(**bins), suppressed=int((~shown).sum())),
        edges=short_places(edges),
        counts=tuple(told),
        density=tuple(None if d is None else float(f"{d:.6g}") for d in density),
    )


def _weighed(view: HistogramView, places: Labels, weights: Floats, name: str) -> HistogramView:
    sums = np.bincount(places, weights, len(view.counts))
    if len(sums) != len(view.counts):
        raise BrokenPromiseError("rows were weighted in other bins than they were counted in")
    heights = sums / sums.sum() / np.diff(view.edges)
    density = tuple(
        None if count is None else float(f"{height:.6g}")
        for count, height in zip(view.counts, heights.tolist(), strict=True)
    )
    return replace(view, density=density, weights=name)


@dataclass(frozen=True)
class HistogramPlot(Plot[HistogramView | MultiplesView | PanelsView]):
    """Draw the distribution of one column as bars.

    Parameters
    ----------
    column : str
        A continuous column.
    by : str or pair of str, optional
        A categorical column: one histogram for each of its levels, on the same bins. Of two, the
        levels of the first have a row of panels each and those of the second a column; what has
        fewer than 50 rows is not drawn.
    overlay : bool, default False
        Draw the levels of `by` on one pair of axes, as outlines with an area of 1 each; of more
        than six levels the six with the most rows. Without `by` it changes nothing; with two
        columns those of the first are outlines, in a panel for each level of the second.
    bins : int, default 20
        How many bars the axis is divided into.
    limits : mapping of str to (float, float), optional
        The ends of the axis of the column.
    edges : mapping of str to sequence of float, optional
        The ends of bins of any widths: `{"age": [0, 18, 40, 65, 100]}`.
    weights : str, optional
        A column of numbers, a survey's weights, above 0: densities are of the weights of the rows.
        Rows without one are left out; `by` is of one column at most.

    Returns
    -------
    HistogramView, or MultiplesView with `by`, or PanelsView by two columns

    Notes
    -----
    Of a study bins hold rows of the protected copy. By the papers' method "suppression" bins of
    fewer than k are empty, by "generalization" they are joined: Avraam et al. (2021), section 4.1,
    Fig. 1.

    Examples
    --------
    >>> import discreet as dc
    >>> view = dc.research(dc.datasets.d1()).histogram("X", method="deterministic", k=3)
    >>> view.method
    'deterministic'
    """

    name = "histogram"
    title = "Histogram"
    says = "The distribution of one column."
    numbers = ("k", "q")
    methods = (*BINNED, "none")
    method = Suppression.name
    sources = divided = (ROWS, COUNTS)
    small_multiples = each_pair = True
    binned = True
    answered = "bins"

    column: str = field(metadata=column("The column."))
    _: KW_ONLY
    by: By | None = field(default=None, metadata=BY)
    bins: int | None = field(
        default=None,
        metadata=setting(
            "integer", "How many bars the axis is divided into.", least=2, most=1000, step=1
        ),
    )
    overlay: bool = field(
        default=False,
        metadata=setting("yes_no", "Draw the levels of by on one pair of axes, as outlines."),
    )
    limits: Ends | None = field(default=None, metadata=LIMITS)
    edges: Ends | None = field(
        default=None, metadata=setting("edges", "The ends of bins of any widths.")
    )
    weights: str | None = field(default=None, metadata=WEIGHTS)

    def from_rows(
        self, rows: Protected, levels: Sequence[str], how: How, origin: Origin
    ) -> HistogramView | MultiplesView:
        """Count the protected rows in the bins of one column."""
        return self._drawn(panels_of_rows(rows, levels, self, how, origin, self.bins or BINS), how)

    def from_counts(
        self, table: Countable, how: How, origin: Origin
    ) -> HistogramView | MultiplesView:
        """Count one column in bins, and hide those that hold fewer than k."""
        return self._drawn(panels_of_counts(table, self, how, origin, self.bins or BINS), how)

    def from_cells(
        self, cells: AnsweredCells, how: How, origin: Origin
    ) -> HistogramView | MultiplesView | None:
        """Draw answered counts: of each level, and none where two columns divide them."""
        panels = panels_of_cells(cells, self, origin)
        return None if panels is None else self._drawn(panels, how)

    def _drawn(self, panels: Panels, how: How) -> HistogramView | MultiplesView:
        views = [
            histogram_view(panels.edges[0], counts, shown, self, how, panels.origin)
            for counts, shown in zip(panels.counts, panels.shown, strict=True)
        ]
        if self.by_name is None:
            return views[0]
        drawn = multiples(panels.names, views, self.by_name)
        return _overlaid(drawn, views) if self.overlay else drawn

    def weighted(
        self,
        view: HistogramView | MultiplesView,
        rows: Protected,
        levels: Mapping[str, Sequence[str]],
        weights: Floats,
        how: How,
    ) -> HistogramView | MultiplesView:
        """Draw the densities of weights in the same bins, of all rows or of those of each level."""
        (column,) = self.names
        of = np.array(levels[self.by_name] if self.by_name else [column] * len(weights))
        known = np.isfinite(rows[column]) & (of != "")
        values = {column: rows[column][known]}
        (axis,) = axes_of_rows(values, self, how, self.bins or BINS)
        places, of, weights = axis.places(values[column]), of[known], weights[known]
        if isinstance(view, HistogramView):
            return _weighed(view, places, weights, self.weights or "")
        views = []
        for level, each in zip(view.levels, view.views, strict=True):
            if not isinstance(each, HistogramView):
                raise BrokenPromiseError("the panels of a histogram came out as other plots")
            here = of == level
            views.append(_weighed(each, places[here], weights[here], self.weights or ""))
        return replace(view, views=tuple(views))
