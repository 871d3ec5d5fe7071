"""Figures 5 and 6 on the stand-in cohort, k = 3."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from discreet.measure.pairs import as_pair
from discreet.measure.rmd import RmdGrid, rmd_grid
from discreet.render.marks import RAMP
from examples.anonymise import cohort, tables
from examples.anonymise.compare import Compared, Plan, compared
from examples.anonymise.drawing import INK, Curve, Panel, Plate

__all__ = ["PLAN", "TERMS", "figure_5", "figure_6", "of_cohort", "risk_grid"]

K = 3
PLAN = Plan(cohort.COLUMNS, ("Sex", "Smoker"), cohort.FORMULA)
#: The terms of the model as the package names them and as the paper does, in its order.
TERMS = {
    "Intercept": "Intercept",
    "C(Sex)[T.1]": "Sex (female)",
    "C(Smoker)[T.1]": "Smoker (yes)",
    "HDL": "HDL",
    "Height": "Height",
    "Weight": "Weight",
}
COLUMNS_OF_MODEL = ("Sex", "Smoker", "HDL", "Height", "Weight")
W1 = (0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1)
W2 = (0.05, 0.2, 0.4, 0.6)
STAND_IN = "The 1958 cohort is not public: these are 1211 people simulated to stand in for it"


def of_cohort(table: pd.DataFrame) -> Compared:
    """Anonymise the stand-in cohort, and measure."""
    return compared(table, PLAN, K)


def risk_grid(found: Compared, w1: Sequence[float], w2: Sequence[float]) -> RmdGrid:
    """Return both risks for every w1 and w2."""
    columns = list(found.plan.columns)
    pair = as_pair(found.original[columns], found.released[columns])
    return rmd_grid(pair, w1s=w1, w2s=w2)


def figure_5(found: Compared) -> Plate:
    """Draw both risks against w1 and w2."""
    grid = risk_grid(found, W1, W2)
    first = Curve(W1, tuple(risk.share for risk in grid.risk1), colour=INK)
    second = tuple(
        Curve(W1, tuple(risk.share for risk in risks), name=f"w2 = {near:g}", colour=colour)
        for near, risks, colour in zip(W2, zip(*grid.risk2, strict=True), RAMP[1:], strict=True)
    )
    risk = found.risk
    caption = (
        "The distance-based risks of the anonymised cohort for other weights: risk1 (A; the same"
        " for every w2) and risk2 (B). As in the paper, risk1 rises with w1, for the boxes around"
        " the original values grow; risk2 rises with it, and falls as w2 grows, for more of the"
        f" others count as near. {STAND_IN}; at w1 = 0.01 and w2 = 0.05 they have risk1 ="
        f" {risk.risk1.share:.4f} and risk2 = {risk.risk2.share:.4f}, where the paper's cohort had"
        " 0.0140 and 0.0099. The paper does not say which weights it drew."
    )
    w1, share, ticks = (
        "w1, width of the boxes",
        "share of people",
        (0, 0.02, 0.04, 0.06, 0.08, 0.1),
    )
    panels = (
        Panel((first,), x=w1, y=share, title="risk1", ticks=ticks, zero=True),
        Panel(second, x=w1, y=share, title="risk2", ticks=ticks, zero=True),
    )
    return Plate(5, "Risk by w1 and w2, on the stand-in cohort", caption, panels)


def figure_6(found: Compared) -> Plate:
    """Draw the coefficients of the model of Table 4."""
    design = found.original
    outcome = float(design["Glucose"].std())
    sd = {
        term: float(design[column].std()) / outcome
        for term, column in zip(list(TERMS)[1:], design[list(COLUMNS_OF_MODEL)], strict=True)
    }
    worst = max(found.coefficients.difference)
    caption = (
        "Coefficients of the linear regression of fasting glucose (Table 4's model), each times"
        " the standard deviation of its column and divided by that of glucose, with intervals of"
        f" 95 %; the intercept is left out. {STAND_IN}; on average of many such draws, but not in"
        " one, the slopes are about the paper's. As in the paper, the intervals overlap; the"
        f" largest standardised difference is {worst:.2f} (paper: 1.10)."
    )
    panel = tables.intervals(found.coefficients, TERMS, sd, "standardised coefficient")
    return Plate(
        6, "Coefficients, on the stand-in cohort", caption, (panel,), across=1,
        size=(5.4, 3.0), left=1.2, right=1.5,
    )  # fmt: skip
