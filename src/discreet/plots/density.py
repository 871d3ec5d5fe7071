"""The density: the distribution of a column as a smooth curve, by a Gaussian kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError, RefusedError
from discreet.methods import ROW_METHODS
from discreet.plots.counts import Protected
from discreet.plots.curves import Curve, CurvesView, left_out, lines_of, named, values_by_level
from discreet.plots.facets import PanelsView
from discreet.plots.plot import BY, ROWS, By, How, Plot, column
from discreet.plots.view import Origin
from discreet.render.scene import Axis, Panel, Scene

CELLS, POINTS = 1024, 256
#: Of what a curve spans: where nearly all rows have one value, the rules give hardly any width.
NARROWEST = 1 / 200
HEADROOM = 1.05
DIGITS = 6


@dataclass(frozen=True, kw_only=True, repr=False)
class DensityView(CurvesView):
    """A smooth curve for each level, or one of all rows; see `CurvesView`.

    Each has the density at some hundred values, the first of which is the smallest and the last
    the largest of its rows; the area below is 1.

    Parameters
    ----------
    bandwidths : tuple of float
        The standard deviation of the kernel of each curve.
    constant : tuple of str
        Levels that are not drawn as their rows have one value alone.
    """

    kind: ClassVar[str] = "density"
    height: ClassVar[str] = "density"

    bandwidths: tuple[float, ...]
    constant: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        alike = all(len(curve.x) == len(curve.y) for curve in self.curves)
        if not alike or len(self.bandwidths) != len(self.curves) or not self.curves:
            raise InputError(
                "a density has curves with as many heights as places and a bandwidth each"
            )
        if not all(height >= 0 for curve in self.curves for height in curve.y):
            raise InputError("a density is nowhere below 0")

    def scene(self) -> Scene:
        """Return smooth lines, which fall to 0 where the values of their rows end."""
        ends = [end for curve in self.curves for end in (curve.x[0], curve.x[-1])]
        highest = max(height for curve in self.curves for height in curve.y)
        drawn = [
            Curve(it.label, (it.x[0], *it.x, it.x[-1]), (0.0, *it.y, 0.0)) for it in self.curves
        ]
        by = self.by and self.label(self.by)
        per = " (per day)" if self.columns[0] in self.origin.dates else ""
        panel = Panel(
            marks=lines_of(drawn),
            x=self.axis(self.columns[0], ends),
            y=Axis(f"density{per}", (0.0, HEADROOM * highest)),
            legend=by or "",
            order=self.levels_of(self.by),
        )
        said = said_of(self.few, self.others, self.constant)
        signs = ("curves end at the smallest and largest value of their rows",)
        return Scene((panel,), notes=self.notes() + signs + said)


def said_of(few: Sequence[str], others: Sequence[str], constant: Sequence[str]) -> tuple[str, ...]:
    """Say which levels have no curve or violin."""
    said = left_out(few, others)
    if constant:
        said += (f"not drawn, as all their rows have one value: {named(constant)}",)
    return said


@np.errstate(all="ignore")  # what comes of numbers beyond all measure is looked at in the end
def bandwidth_of(values: Floats) -> float:
    """Return the width of the kernel for rising values that are not all the same.

    Silverman's rule of thumb, of the smaller of standard deviation and quartiles' range; the
    latter is 0 where half of the rows have one value, and then it is not looked at.
    """
    low, high = np.quantile(values, [0.25, 0.75])
    spreads = [float(values.std()), float(high - low) / 1.34]
    # Squares of numbers next to 0 are 0, and then there is no spread.
    least = min((it for it in spreads if not it <= 0), default=0.0)
    rule: float = 0.9 * least * len(values) ** -0.2
    return max(rule, NARROWEST * float(values[-1] - values[0]))


@np.errstate(all="ignore")
def density_of(level: str, values: Floats, width: float) -> Curve:
    """Return the density of rising values by a Gaussian kernel that is reflected at both ends."""
    from scipy.ndimage import gaussian_filter1d

    low, high = float(values[0]), float(values[-1])
    cell = (high - low) / CELLS
    if not 0 < cell < np.inf or not width < np.inf:
        return Curve(level, (low, high), (np.inf, np.inf))
    places = np.minimum((values - low) / cell, CELLS - 1).astype(np.intp)
    heights = np.bincount(places, minlength=CELLS) / (len(values) * cell)
    # A mirror at the outer edge of the first and of the last cell.
    smooth = gaussian_filter1d(heights, width / cell, mode="reflect", truncate=6.0)
    kept = np.unique([0, *range(CELLS // POINTS // 2, CELLS, CELLS // POINTS), CELLS - 1])
    x = low + (kept + 0.5) * cell
    y = [float(f"{height:.{DIGITS}g}") for height in smooth[kept].tolist()]
    return Curve(level, (low, *x[1:-1].tolist(), high), tuple(y))


@dataclass(frozen=True)
class DensityPlot(Plot[DensityView | PanelsView]):
    """Draw the distribution of one column as a smooth curve.

    Parameters
    ----------
    column : str
        A continuous column, or one of dates.
    by : str or pair of str, optional
        As of `ecdf`. Levels whose rows have one value alone have no curve either.

    Returns
    -------
    DensityView, or PanelsView by two columns
        `curves` and the `bandwidths` of their Gaussian kernels.

    Raises
    ------
    RefusedError
        Also if no curve has 10 rows of different values.

    Notes
    -----
    The bandwidth is 0.9 times the standard deviation, or the quartiles' range divided by 1.34 where
    that is smaller and not 0, divided by the fifth root of the number of rows (Silverman 1986,
    equation 3.31), and at least a 200th of what the curve spans. Kernels are reflected at the
    smallest and the largest value of each curve, so that nothing is drawn where no row lies, and
    every curve has an area of 1. Computed from protected rows, it teaches nothing that the copy
    does not. A peak of few rows may be chance.

    Examples
    --------
    >>> import discreet as dc
    >>> view = dc.open(dc.datasets.diabetes()).density("bmi", by="sex")
    >>> len(view.curves), len(view.bandwidths)
    (2, 2)
    """

    name = "density"
    title = "Density"
    noun = "density curve"
    says = "The distribution of one column as a smooth curve."
    methods = tuple(ROW_METHODS)
    divided = (ROWS,)

    column: str = field(metadata=column("The column."))
    _: KW_ONLY
    by: By | None = field(default=None, metadata=BY)

    def from_rows(
        self, rows: Protected, levels: Sequence[str], how: How, origin: Origin
    ) -> DensityView:
        """Draw the density of the protected rows, or of those of each level."""
        by_level, shown = values_by_level(rows, levels, self, how)
        spread = [(level, values) for level, values in by_level if values[0] < values[-1]]
        if not spread:
            raise RefusedError(
                f"column {self.names[0]!r} has only one value, so it has no density; draw "
                "another column, or bars of it"
            )
        widths = [bandwidth_of(values) for _, values in spread]
        drawn = zip(spread, widths, strict=True)
        curves = tuple(density_of(level, values, width) for (level, values), width in drawn)
        if not np.isfinite([end for curve in curves for end in (*curve.x, *curve.y)]).all():
            raise RefusedError(
                f"the values of {self.names[0]!r} lie too close together or too far apart for a"
                " density; rescale the column"
            )
        return DensityView(
            **self.made(how, origin, how.row_parameters),
            curves=curves,
            bandwidths=tuple(float(f"{width:.{DIGITS}g}") for width in widths),
            by=self.by_name,
            few=shown.few,
            others=shown.others,
            constant=tuple(name for name, values in by_level if values[0] == values[-1]),
        )
