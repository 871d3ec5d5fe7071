"""Regression diagnostics: how well a model fits, drawn from protected numbers.

Under a guarded policy the model is fitted to the protected copy, and what is drawn teaches
nothing that the copy does not show. Under `research` it is fitted to the real data, as in section
4.2 of the 2021 paper, and what comes of it is protected as the points of any scatter plot.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.columns.countable import Countable
from discreet.columns.grids import ArrayRows
from discreet.errors import InputError
from discreet.methods import COUNT_METHODS
from discreet.plots.counts import short_places
from discreet.plots.curves import Curve
from discreet.plots.plot import (
    CELLS,
    COUNTS,
    NOISY,
    PAPERS,
    POINTS,
    ROWS,
    Plot,
    PlotRequest,
    setting,
)
from discreet.plots.scatter import PointsView, ScatterPlot, points_of_rows
from discreet.plots.view import Origin, Tidy, View
from discreet.regression import Fit, Folds, Model, cook_line, corrected, fit, quantiles
from discreet.render.scene import Axis, Dots, Lines, Mark, Panel, Scene

Protect = Callable[[Mapping[str, Floats]], Mapping[str, Floats]]
"""Protects the columns of a table by the row method that was asked for."""
VARIABLE = "variable"
COOK = (0.5, 1.0)
DIGITS = 6
MOST_POINTS = 20_000
"""More points than these are joined: nobody tells them apart, and a view would carry them all."""
PLACES = 10
"""So many digits are drawn of the largest number, and those at the same places of the others."""
SIDE, QUANTILES = 60, 1000
"""A grid of joined points has so many cells a side; along a QQ plot lie so many points."""

Numbers = Mapping[str, float]
Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, repr=False)
class Diagnostic(View):
    """What the pictures of a regression share: its formula, its points and its estimates.

    Parameters
    ----------
    formula : str
        The regression.
    x, y : tuple of float
        The points; of gridded ones, and of more than 20,000 protected rows, the middle of the cell.
        Of a QQ plot of so many rows, 1,000 of them or so.
    size : tuple of int
        How many records share the point.
    coefficients : mapping of str to float
        The estimate of each term of the model that is drawn.
    corrected : mapping of str to float
        The estimates corrected for the noise of the protected copy; empty where there is no
        correction, of which a remark says why.
    """

    what: ClassVar[str]
    axes: ClassVar[tuple[str, str]]
    slope: ClassVar[float] = 0.0
    by_size: ClassVar[bool] = True

    formula: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    size: tuple[int, ...]
    coefficients: Numbers
    corrected: Numbers

    def __post_init__(self) -> None:
        if not len(self.x) == len(self.y) == len(self.size):
            raise InputError("points have as many x as y coordinates and sizes")

    def describe(self) -> str:
        """Say what is shown, how it was made, what it does not protect, and what was estimated."""
        lines = [super().describe()]
        for of, found in (("", self.coefficients), (" corrected for the noise", self.corrected)):
            if found:
                listed = ", ".join(f"{name} {value:.4g}" for name, value in found.items())
                lines.append(f"estimates{of}: {listed}")
        return "\n".join(lines)

    def tidy(self) -> Tidy:
        """Return a row for each point, and how many rows share it."""
        across, up = self.axes
        return [(across, self.x), (up, self.y), ("count", self.size)]

    def scene(self) -> Scene:
        """Return the points over the line that they are to be compared with."""
        gridded = self.method in COUNT_METHODS and self.method != "none"
        joined = len(self.x) < sum(self.size) > MOST_POINTS
        by_size = gridded or (joined and self.by_size)
        points = Dots(self.x, self.y, self.size, by_size, self.origin.counted)
        low, high = min(self.x, default=0.0), max(self.x, default=0.0)
        ends = (low, high) if low < high else (low, low + (abs(low) or 1.0))
        line = Lines((ends,), (tuple(self.slope * end for end in ends),), "reference")
        marks = (points, line, *self._more_lines())
        dark = joined and not by_size
        signs = ("dark: a point that stands for several rows",) if dark else ()
        panel = Panel(marks, Axis(self.axes[0]), Axis(self.axes[1]))
        return Scene((panel,), notes=self.notes() + signs)

    @staticmethod
    def outcomes(found: Fit) -> tuple[Floats, Floats]:
        """Return what of a fit is drawn along x and along y."""
        raise NotImplementedError

    def _more_lines(self) -> tuple[Mark, ...]:
        return ()

    def _subject(self) -> str:
        return f"{self.what} of {self.formula}"


@dataclass(frozen=True, kw_only=True, repr=False)
class ResidualView(Diagnostic):
    """Residuals of a regression against its fitted values; see `Diagnostic`."""

    kind: ClassVar[str] = "residuals"
    what: ClassVar[str] = "residuals"
    axes: ClassVar[tuple[str, str]] = ("fitted values", "residuals")

    @staticmethod
    def outcomes(found: Fit) -> tuple[Floats, Floats]:
        """Return fitted values and residuals."""
        return found.fitted, found.residuals


@dataclass(frozen=True, kw_only=True, repr=False)
class QQView(Diagnostic):
    """Residuals divided by their standard deviation against normal quantiles; see `Diagnostic`."""

    kind: ClassVar[str] = "qq"
    what: ClassVar[str] = "normal QQ plot"
    axes: ClassVar[tuple[str, str]] = ("normal quantiles", "standardised residuals")
    slope: ClassVar[float] = 1.0
    by_size: ClassVar[bool] = False

    @staticmethod
    def outcomes(found: Fit) -> tuple[Floats, Floats]:
        """Return normal quantiles and sorted residuals."""
        return quantiles(len(found.residuals)), np.sort(found.standardized)


@dataclass(frozen=True, kw_only=True, repr=False)
class LeverageView(Diagnostic):
    """Residuals divided by their standard deviation against leverage; see `Diagnostic`.

    Parameters
    ----------
    curves : tuple of Curve
        Where Cook's distance is 0.5 and 1; too near to zero for a model without an intercept.
    """

    kind: ClassVar[str] = "leverage"
    what: ClassVar[str] = "residuals against leverage"
    axes: ClassVar[tuple[str, str]] = ("leverage", "standardised residuals")

    curves: tuple[Curve, ...]

    @staticmethod
    def outcomes(found: Fit) -> tuple[Floats, Floats]:
        """Return leverage and residuals."""
        return found.leverage, found.standardized

    def _more_lines(self) -> tuple[Mark, ...]:
        lines = []
        for label in dict.fromkeys(curve.label for curve in self.curves):
            same = [curve for curve in self.curves if curve.label == label]
            x, y = tuple(curve.x for curve in same), tuple(curve.y for curve in same)
            lines.append(Lines(x, y, "far reference", label))
        return tuple(lines)


#: The view of each diagnostic.
VIEWS: Mapping[str, type[Diagnostic]] = MappingProxyType(
    {view.kind: view for view in (ResidualView, QQView, LeverageView)}
)


@dataclass(frozen=True)
class KnownNoise:
    """The noise of protected rows: its `share` of each column's sd, and where it was folded."""

    share: float
    folds: Mapping[str, Folds] = field(default_factory=lambda: MappingProxyType({}))


def of_protected(
    model: Model,
    rows: Mapping[str, Floats],
    texts: Mapping[str, Sequence[str]],
    request: PlotRequest,
    origin: Origin,
    *,
    residual_df: int,
    noise: KnownNoise | str | None,
) -> Diagnostic:
    """Fit the model to protected rows, and draw the points of that.

    `noise` is what the estimates can be corrected for, or why they cannot; None where the rows
    have no noise alone. Where they are not corrected, that is a remark of the view.
    """
    numbers = {name: rows[name] for name in model.numbers}
    found = fit(model, numbers, texts, residual_df)
    better, why = None, noise
    if isinstance(noise, KnownNoise):
        better = corrected(model, numbers, texts, noise.share, folds=noise.folds)
        plain = "it leaves too few degrees of freedom for a correction"
        why = plain if model.additive else "a term is not a plain column"
    if better is None and why is not None:
        said = f"estimates are not corrected for the noise: {why}"
        origin = replace(origin, remarks=(*origin.remarks, said))
    view = _joined(_points(found, request), request, origin)
    return _view(view, model, found, request, {} if better is None else _named(found, better))


def of_records(
    model: Model,
    table: Countable,
    request: PlotRequest,
    origin: Origin,
    protect: Protect,
    *,
    residual_df: int,
) -> Diagnostic:
    """Fit the model to the real data, and protect what comes of it: only under `research`."""
    rows = table.rows(model.numbers, model.levels)
    # Rows in order of their values: sums in another order have other last digits.
    texts = {name: np.array(words) for name, words in rows.texts.items()}
    order = np.lexsort([*rows.numbers.values(), *texts.values()])
    found = fit(
        model,
        {name: values[order] for name, values in rows.numbers.items()},
        {name: tuple(words[order].tolist()) for name, words in texts.items()},
        residual_df,
    )
    outcomes, how = _points(found, request), request.how
    of_points = _of_points(request)
    if not how.from_rows:
        view = of_points.from_counts(ArrayRows(outcomes), how, origin)
        origin = replace(origin, shown=sum(view.size), total=table.size)
        return _view(replace(view, origin=origin), model, found, request, {})
    origin = replace(origin, shown=len(rows), total=table.size)
    noise_on = request.plot.get("noise_on")
    if noise_on == VARIABLE:
        name = QQView.axes[1]
        points: Mapping[str, Floats] = outcomes | {
            name: np.sort(protect({name: outcomes[name]})[name])
        }
    else:
        points = protect(outcomes)
    view = points_of_rows(points, (), of_points, how, origin)
    if noise_on == VARIABLE:
        parameters = MappingProxyType({**view.parameters, "noise_on": noise_on})
        view = replace(view, parameters=parameters)
    return _view(view, model, found, request, {})


def _points(found: Fit, request: PlotRequest) -> dict[str, Floats]:
    """Return what is drawn along x and y, without the last digits, which hang on the processor."""
    view = VIEWS[request.plot.name]
    return {
        name: np.round(values, PLACES - math.ceil(math.log10(np.abs(values).max() or 1.0)))
        for name, values in zip(view.axes, view.outcomes(found), strict=True)
    }


def _joined(points: Mapping[str, Floats], request: PlotRequest, origin: Origin) -> PointsView:
    """Return the points as those of a scatter plot; very many are joined."""
    (x, y), of_points = points.values(), _of_points(request)
    if len(x) <= MOST_POINTS:
        return points_of_rows(points, (), of_points, request.how, origin)
    join = _along if request.plot.name == QQView.kind else _in_cells
    across, up, size = (tuple(it.tolist()) for it in join(x, y))
    nothing = {name: it[:0] for name, it in points.items()}
    none = points_of_rows(nothing, (), of_points, request.how, origin)
    return replace(none, x=across, y=up, size=size)


def _along(x: Floats, y: Floats) -> tuple[Floats, Floats, Counts]:
    """Return the middle one of the points that lie close along x, in order, and how many do."""
    place = np.floor((x - x[0]) / (x[-1] - x[0]) * QUANTILES)
    first = np.flatnonzero(np.diff(place, prepend=-1.0))
    size = np.diff(first, append=len(x))
    middle = first + size // 2
    return x[middle], y[middle], size


def _in_cells(x: Floats, y: Floats) -> tuple[Floats, Floats, Counts]:
    """Return the middles of the cells of a grid that hold points, and how many each holds."""
    held, *edges = np.histogram2d(x, y, bins=SIDE)
    counts = held.astype(np.int64)
    across, up = np.nonzero(counts)
    middles = [np.array(short_places(0.5 * (it[1:] + it[:-1]))) for it in edges]
    return middles[0][across], middles[1][up], counts[across, up]


def _of_points(request: PlotRequest) -> ScatterPlot:
    """Return the plot of the points of a diagnostic."""
    x, y = VIEWS[request.plot.name].axes
    return ScatterPlot(x, y, grid=request.plot.get("grid"))


def _view(
    points: PointsView, model: Model, found: Fit, request: PlotRequest, better: Mapping[str, float]
) -> Diagnostic:
    given: dict[str, Any] = {
        **points.made(),
        "columns": request.columns,
        "formula": model.formula,
        "x": points.x,
        "y": points.y,
        "size": points.size,
        "coefficients": MappingProxyType(_named(found, found.coefficients)),
        "corrected": MappingProxyType(dict(better)),
    }
    if request.plot.name == LeverageView.kind:
        given["curves"] = _cook_curves(points, found)
    return VIEWS[request.plot.name](**given)


def _named(found: Fit, estimates: Floats) -> dict[str, float]:
    return {
        term: float(f"{value:.{DIGITS}g}")
        for term, value in zip(found.terms, estimates.tolist(), strict=True)
    }


def _cook_curves(points: PointsView, found: Fit) -> tuple[Curve, ...]:
    """Return where Cook's distance is 0.5 and 1, as far as leverage reaches."""
    if not points.x or max(points.x) <= 0:
        return ()
    reach = np.linspace(0.02, 1.0, 50) * min(1.1 * max(points.x), 0.99)
    curves = []
    for distance in COOK:
        height = cook_line(distance, found.rank_p, found.residual_df, reach)
        for sign in (1, -1):
            label, x = f"Cook's distance {distance:g}", tuple(reach.tolist())
            curves.append(Curve(label, x, tuple((sign * height).tolist())))
    return tuple(curves)


GRID_OF_POINTS = setting("integer", CELLS["setting"].says, least=2, most=1000, step=1, only=PAPERS)
FORMULA = setting("formula", "The formula of the model.")


@dataclass(frozen=True)
class ResidualPlot(Plot[ResidualView]):
    """Draw the residuals of a linear regression against its fitted values.

    Parameters
    ----------
    formula : str
        The model: `"y ~ x1 + x2 + C(group)"`. Columns, their products with `:` and `*`, and log,
        log10, exp, sqrt and arithmetic of them.
    grid : int, optional
        Of the papers' methods that count, cells along each side of the grid.

    Returns
    -------
    ResidualView

    Raises
    ------
    InputError
        Also if the formula cannot be read.
    RefusedError
        Also if too few residual degrees of freedom are left, or the terms depend on each other.

    Notes
    -----
    Of a study the model is fitted to the protected copy, so that its pictures and estimates teach
    nothing that the copy does not show. By the papers' methods it is fitted to the real data, whose
    estimates the view states; the points are then protected like those of a scatter plot: Avraam et
    al. (2021), section 4.2, Fig. 5A.
    """

    name = "residuals"
    title = "Residuals"
    noun = "residual plot"
    says = "The residuals of a linear regression against its fitted values."
    numbers = ("k", "q")
    methods = POINTS
    sources = (ROWS, COUNTS)

    formula: str = field(metadata=FORMULA)
    _: KW_ONLY
    grid: int | None = field(default=None, metadata=GRID_OF_POINTS)


@dataclass(frozen=True)
class QQPlot(Plot[QQView]):
    """Draw quantiles of the residuals of a linear regression against normal ones.

    Parameters
    ----------
    formula, grid
        As of `residuals`.
    noise_on : {"points", "variable"}, optional
        Of the papers' method "probabilistic": noise on the points of the finished plot (the
        default, and the paper's way: the line becomes a cloud), or on the residuals before it is
        made (the line stays a line, but the more noise, the more normal it looks, whatever the
        residuals are; section 5.2).

    Returns
    -------
    QQView

    Notes
    -----
    Residuals are divided by their standard deviation. Avraam et al. (2021), section 4.2, Fig. 5B.
    """

    name = "qq"
    title = noun = "Q-Q plot"
    says = "Whether the residuals of a linear regression are normal."
    numbers = ("k", "q")
    methods = POINTS
    sources = (ROWS, COUNTS)

    formula: str = field(metadata=FORMULA)
    _: KW_ONLY
    grid: int | None = field(default=None, metadata=GRID_OF_POINTS)
    noise_on: str | None = field(
        default=None,
        metadata=setting(
            "word",
            "Noise on the points of the plot, or on the residuals before it is made.",
            choices=("points", VARIABLE),
            methods=NOISY,
            only=PAPERS,
        ),
    )


@dataclass(frozen=True)
class LeveragePlot(Plot[LeverageView]):
    """Draw the residuals of a linear regression against leverage, with Cook's distance.

    Parameters
    ----------
    formula, grid
        As of `residuals`.

    Returns
    -------
    LeverageView

    Notes
    -----
    Residuals are divided by their standard deviation; the lines say where Cook's distance of the
    model is 0.5 and 1. Avraam et al. (2021), section 4.2, Fig. 5C.
    """

    name = "leverage"
    title = "Leverage"
    noun = "leverage plot"
    says = "Which points influence a linear regression, with Cook's distance."
    numbers = ("k", "q")
    methods = POINTS
    sources = (ROWS, COUNTS)

    formula: str = field(metadata=FORMULA)
    _: KW_ONLY
    grid: int | None = field(default=None, metadata=GRID_OF_POINTS)
