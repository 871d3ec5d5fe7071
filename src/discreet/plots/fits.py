"""Regression diagnostics: how well a model fits, drawn from protected numbers.

Under a guarded policy the model is fitted to the protected copy, and what is drawn teaches
nothing that the copy does not show. Under `research` it is fitted to the real data, as in section
4.2 of the 2021 paper, and what comes of it is protected as the points of any scatter plot.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from discreet.arguments import Floats
from discreet.plots import (
    Curve,
    Diagnostic,
    LeverageView,
    Origin,
    PointsView,
    QQView,
    ResidualView,
    from_counts,
    from_rows,
)
from discreet.plots.drawn import public, seen
from discreet.plots.request import PlotRequest
from discreet.regression import Fit, Model, cook_line, corrected, fit, quantiles
from discreet.table import Rows, Table, open_table

__all__ = ["Protect", "of_protected", "of_records"]

Protect = Callable[[Table, PlotRequest], Mapping[str, Floats]]
"""Protects the columns of a table by the row method that was asked for."""

#: The view of each picture.
VIEWS: Mapping[str, type[Diagnostic]] = MappingProxyType(
    {view.kind: view for view in (ResidualView, QQView, LeverageView)}
)
COOK = (0.5, 1.0)
DIGITS = 6


def of_protected(
    model: Model,
    rows: Mapping[str, Floats],
    texts: Mapping[str, Sequence[str]],
    asked: PlotRequest,
    origin: Origin,
    *,
    residual_df: int,
    noise: float | None,
) -> Diagnostic:
    """Fit the model to protected rows, and draw the points of that.

    `noise` is the share of each column's standard deviation that was added to it, where the
    estimates can be corrected for it.
    """
    numbers = {name: rows[name] for name in model.numbers}
    found = fit(model, numbers, texts, residual_df)
    better = None if noise is None else corrected(model, numbers, texts, noise)
    points = dict(zip(VIEWS[asked.picture].axes, _outcomes(found, asked.picture), strict=True))
    view = from_rows.scatter(points, (), _drawn(asked), origin)
    return _view(view, model, found, asked, {} if better is None else _named(found, better))


def of_records(
    model: Model,
    table: Table,
    asked: PlotRequest,
    origin: Origin,
    protect: Protect,
    *,
    residual_df: int,
    noise_on: str,
) -> Diagnostic:
    """Fit the model to the real data, and protect what comes of it: only under `research`."""
    rows = table.rows(model.numbers, model.levels)
    found = fit(model, *_in_order(rows), residual_df)
    outcomes = dict(zip(VIEWS[asked.picture].axes, _outcomes(found, asked.picture), strict=True))
    if not asked.from_rows:
        view = from_counts.scatter(_table(outcomes), _drawn(asked), origin)
        origin = seen(origin, asked, sum(view.size), table.size)
        return _view(dataclasses.replace(view, origin=origin), model, found, asked, {})
    origin = seen(origin, asked, len(rows), table.size)
    if noise_on == "variable":
        name = QQView.axes[1]
        alone = dataclasses.replace(asked, columns=(name,))
        noised = np.sort(protect(_table({name: outcomes[name]}), alone)[name])
        points: Mapping[str, Floats] = outcomes | {name: noised}
    else:
        points = protect(_table(outcomes), _drawn(asked))
    view = from_rows.scatter(points, (), _drawn(asked), origin)
    if noise_on == "variable":
        parameters = public({**view.parameters, "noise_on": noise_on})
        view = dataclasses.replace(view, parameters=parameters)
    return _view(view, model, found, asked, {})


def _in_order(rows: Rows) -> tuple[dict[str, Floats], dict[str, tuple[str, ...]]]:
    """Return rows in order of their values: sums in another order have other last digits."""
    texts = {name: np.array(words) for name, words in rows.texts.items()}
    order = np.lexsort([*rows.numbers.values(), *texts.values()])
    numbers = {name: values[order] for name, values in rows.numbers.items()}
    return numbers, {name: tuple(words[order].tolist()) for name, words in texts.items()}


def _outcomes(found: Fit, picture: str) -> tuple[Floats, Floats]:
    """Return what is drawn along x and y."""
    if picture == "residuals":
        return found.fitted, found.residuals
    if picture == "leverage":
        return found.leverage, found.standardized
    return quantiles(len(found.residuals)), np.sort(found.standardized)


def _drawn(asked: PlotRequest) -> PlotRequest:
    """Return the question for the points of the diagnostic, as those of a scatter plot."""
    return dataclasses.replace(asked, columns=VIEWS[asked.picture].axes, limits={})


def _table(columns: Mapping[str, Floats]) -> Table:
    import pyarrow as pa

    return open_table(pa.table(dict(columns)), kinds={}, roles={}, unit=None, key=None)


def _view(
    points: PointsView, model: Model, found: Fit, asked: PlotRequest, better: Mapping[str, float]
) -> Diagnostic:
    """Put points, estimates and reference lines into the view of the picture."""
    given: dict[str, Any] = {
        "columns": asked.columns,
        "method": asked.method,
        "parameters": points.parameters,
        "suppressed": points.suppressed,
        "origin": points.origin,
        "formula": model.formula,
        "x": points.x,
        "y": points.y,
        "size": points.size,
        "coefficients": MappingProxyType(_named(found, found.coefficients)),
        "corrected": MappingProxyType(dict(better)),
    }
    if asked.picture == LeverageView.kind:
        given["curves"] = _cook_curves(points, found)
    return VIEWS[asked.picture](**given)


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
