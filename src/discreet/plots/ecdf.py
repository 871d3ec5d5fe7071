"""The empirical distribution: which share of the rows lies at or below each value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise
from typing import ClassVar

import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError
from discreet.methods import ROW_METHODS
from discreet.plots.counts import Protected
from discreet.plots.curves import Curve, CurvesView, left_out, lines_of, values_by_level
from discreet.plots.facets import PanelsView
from discreet.plots.plot import BY, ROWS, By, How, Plot, column
from discreet.plots.view import Origin
from discreet.render.scene import Axis, Panel, Scene

#: A curve of more different values is drawn in this many steps, which are of one size.
MOST_STEPS = 1000
DIGITS = 6
ROOM = 0.02  # above and below, or half of the line along the edge would be cut off


@dataclass(frozen=True, kw_only=True, repr=False)
class EcdfView(CurvesView):
    """A curve in steps for each level, or one of all rows; see `CurvesView`.

    `x` are the values at which a curve rises, `y` the shares at or below each, up to 1; of more
    than `MOST_STEPS` different values every so many.
    """

    kind: ClassVar[str] = "ecdf"
    height: ClassVar[str] = "share"

    def __post_init__(self) -> None:
        for curve in self.curves:
            rising = all(a < b for a, b in pairwise(curve.x))
            rising &= all(a <= b for a, b in pairwise(curve.y))
            if len(curve.x) != len(curve.y) or not rising or curve.y[-1] != 1:
                raise InputError("an empirical distribution rises from value to value, up to 1")

    def scene(self) -> Scene:
        """Return lines in steps, from the smallest to the largest of all values."""
        ends = [end for curve in self.curves for end in (curve.x[0], curve.x[-1])]
        steps = [_in_steps(curve, min(ends), max(ends)) for curve in self.curves]
        by = self.by and self.label(self.by)
        panel = Panel(
            marks=lines_of(steps),
            x=self.axis(self.columns[0], ends),
            y=Axis("share at or below", (-ROOM, 1 + ROOM)),
            legend=by or "",
            order=self.levels_of(self.by),
        )
        return Scene((panel,), notes=self.notes() + left_out(self.few, self.others))


def _in_steps(curve: Curve, low: float, high: float) -> Curve:
    """Return the corners of a curve that is 0 before its first value and 1 after its last."""
    x = np.repeat((low, *curve.x, high), 2)[1:-1]
    y = np.repeat((0.0, *curve.y), 2)
    corners = dict.fromkeys(zip(x.tolist(), y.tolist(), strict=True))
    across, up = zip(*corners, strict=True)
    return Curve(curve.label, across, up)


def steps_of(level: str, values: Floats, most: int = MOST_STEPS) -> Curve:
    """Return at which values the distribution of rising `values` steps up, and how far.

    Of more than `most` different values those are taken that have a share of 1/most between them,
    so the curve is nowhere further than that from the one of all.
    """
    at, counts = np.unique(values, return_counts=True)
    upto = np.cumsum(counts)
    if len(at) > most:
        ranks = -(-len(values) * np.arange(1, most + 1) // most)
        kept = np.unique([0, *np.searchsorted(upto, ranks)])
        at, upto = at[kept], upto[kept]
    shares = np.round(upto / len(values), DIGITS)
    return Curve(level, tuple(at.tolist()), tuple(shares.tolist()))


@dataclass(frozen=True)
class EcdfPlot(Plot[EcdfView | PanelsView]):
    """Draw which share of the rows lies at or below each value, as a curve in steps.

    Parameters
    ----------
    column : str
        A continuous column, or one of dates.
    by : str or pair of str, optional
        A categorical column: a curve for each of its levels, of at least 10 rows; of more than 12
        levels those with the most rows. The others are named below the plot. Of two, the levels of
        the first have a curve in a panel for each of the second; what has fewer than 50 rows is not
        drawn.

    Returns
    -------
    EcdfView, or PanelsView by two columns
        `curves`: the values at which each rises, and the shares at or below them; of more than
        1,000 different values every thousandth of the rows.

    Raises
    ------
    RefusedError
        Also if no curve has 10 rows.

    Notes
    -----
    Computed from protected rows, so it teaches nothing that the copy does not. It does not say how
    far the copy's distribution is from the raw one: `fidelity` does, and a curve of few rows is
    rough.

    Examples
    --------
    >>> import discreet as dc
    >>> view = dc.open(dc.datasets.diabetes()).ecdf("glucose", by="sex")
    >>> [curve.y[-1] for curve in view.curves]
    [1.0, 1.0]
    """

    name = "ecdf"
    title = "Empirical distribution"
    says = "The share of rows at or below each value."
    methods = tuple(ROW_METHODS)
    divided = (ROWS,)

    column: str = field(metadata=column("The column."))
    _: KW_ONLY
    by: By | None = field(default=None, metadata=BY)

    def from_rows(
        self, rows: Protected, levels: Sequence[str], how: How, origin: Origin
    ) -> EcdfView:
        """Draw which share of the protected rows lies at or below each value."""
        values, shown = values_by_level(rows, levels, self, how)
        return EcdfView(
            **self.made(how, origin, how.row_parameters),
            curves=tuple(steps_of(level, of) for level, of in values),
            by=self.by_name,
            few=shown.few,
            others=shown.others,
        )
