"""Figures 1 to 4: the passengers of the Titanic, k = 3."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from discreet.render.marks import SERIES
from discreet.render.scene import Axis, Box, Boxes, Panel
from examples.anonymise import drawing, tables, titanic
from examples.anonymise.compare import Compared, Plan, compared, strata_of
from examples.anonymise.drawing import INK, RED, Cloud, Plate

__all__ = ["PLAN", "TERMS", "figure_1", "figure_2", "figure_3", "figure_4", "of_titanic"]

Floats = NDArray[np.float64]

PLAN = Plan(titanic.COLUMNS, titanic.STRATA, titanic.FORMULA, carried=("Survived",))
#: The terms of the model as the package names them and as the paper does, in its order.
TERMS = {
    "Intercept": "Intercept",
    "C(Pclass)[T.2]": "Pclass (2nd)",
    "C(Pclass)[T.3]": "Pclass (3rd)",
    "C(Sex)[T.male]": "Sex (male)",
    "Age": "Age",
    "Fare": "Fare",
    "C(Family)[T.yes]": "Family (yes)",
}
CLASSES = dict(zip("123", (SERIES[0], SERIES[1], SERIES[3]), strict=True))
SEXES = {"female": "o", "male": "^"}
FAMILIES = {"no": True, "yes": False}  # alone is hollow
UNITS = ("Age (years)", "Fare (pounds)")
SCORES = ("Age (z-score)", "Fare (z-score)")


def of_titanic(table: pd.DataFrame) -> Compared:
    """Anonymise the passengers, and measure."""
    return compared(table, PLAN, titanic.K)


def figure_1(found: Compared) -> Plate:
    """Draw the five steps."""
    original, released = values(found.original), values(found.released)
    z = standardised(original)
    strata = strata_of(found.original, titanic.STRATA)
    keys = (
        *(Cloud((), (), f"class {level}", colour) for level, colour in CLASSES.items()),
        *(Cloud((), (), sex, marker=marker) for sex, marker in SEXES.items()),
        *(
            Cloud((), (), {"no": "alone", "yes": "with family"}[level], hollow=hollow)
            for level, hollow in FAMILIES.items()
        ),
    )
    middles = centroids(released, original, z, strata)
    both = (
        cloud(original, name="original", hollow=True),
        cloud(released, name="anonymised", colour=RED, size=2.4),
    )
    steps: tuple[tuple[str, tuple[Cloud, ...], tuple[str, str], tuple[Cloud, ...]], ...] = (
        ("the data", (cloud(original),), UNITS, ()),
        ("(1) standardised", (cloud(z),), SCORES, ()),
        ("(2) in 12 strata", clouds(z, found.original), SCORES, keys),
        ("(3, 4) centroids of 3 nearest", clouds(middles, found.original), SCORES, ()),
        ("(5) rescaled, put back: released", clouds(released, found.original), UNITS, ()),
        ("the data and what is released", both, UNITS, ()),
    )
    panels = tuple(
        drawing.Panel(marks, x=x, y=y, title=title, keys=legend)
        for title, marks, (x, y), legend in steps
    )
    caption = (
        f"The five steps on {len(z)} passengers of the Titanic, k = {titanic.K}: the continuous"
        " columns (A), standardised over all rows (B), in the strata of class, sex and family (C),"
        " the centroids of each three nearest within a stratum (D), rescaled by the ratio of the"
        " standard deviations and put back (E), and both together (F), as in the paper."
    )
    return Plate(1, "The five steps", caption, panels, across=3, size=(3.4, 2.9))


def figure_2(found: Compared) -> Plate:
    """Draw the points that are risky, and those that are unsafe."""
    risk, original = found.risk, values(found.original)
    panels = []
    for name, name_of, risky, share, paper in (
        ("risk1", "risky", risk.risky1, risk.risk1, 38),
        ("risk2", "unsafe", risk.risky2, risk.risk2, 8),
    ):
        rows = np.asarray(risky)
        panels.append(
            drawing.Panel(
                (
                    cloud(original[~rows], name="others", colour="#9a9a9a", hollow=True),
                    cloud(original[rows], name=name_of, colour=RED, size=4.0),
                ),
                *UNITS,
                title=f"{name}: {share.count:g} of {share.trials} ({share.share:.4f});"
                f" paper: {paper}",
            )
        )
    caption = (
        "Passengers whose released values are risky by the distance-based measure, w1 = 0.01 and"
        " w2 = 0.05, at their original values; several coincide. As in the paper, they lie within"
        " the mass of the data, and far points (Fare above 300) count as safe: the largest fare"
        f" among them is {original[np.asarray(risk.risky1), 1].max():.0f}. They are"
        f" {risk.risk1.count:g} and {risk.risk2.count:g}, with ties='tree', which takes equally"
        " near neighbours in the order of R's search tree. Little hangs on either number: few rows"
        " with such neighbours move the mean and spread by which all released rows are scaled, and"
        " the intervals are narrow. Of 300 orders of ties by chance risk1 counts 23 to 152 rows"
        " (median 33), and risk2 5 to 8."
    )
    return Plate(2, "Risky passengers", caption, tuple(panels), size=(5.0, 3.6))


def figure_3(found: Compared) -> Plate:
    """Draw the propensity scores."""
    scores = found.propensity
    boxes = Boxes((box("original", scores.original), box("anonymised", scores.released)))
    both = np.concatenate([scores.original, scores.released])
    near = float(np.mean(np.abs(both - 0.5) < 0.02))
    caption = (
        "Propensity scores: the chance, by a logistic regression on all columns, that a row is of"
        f" the anonymised table. {100 * near:.0f} % lie within 0.02 of one half. U ="
        f" {scores.u:.6f}, as in the paper (0.000117), where 0 means that nobody can tell the two"
        " tables apart and 0.25 that anybody can. The boxes reach from the first to the third"
        " quartile, the whiskers to the last score within 1.5 of their length; as in the paper,"
        " most scores are very close to 0.5."
    )
    panel = Panel((boxes,), x=Axis(""), y=Axis("propensity score"))
    return Plate(3, "Propensity scores", caption, (panel,), across=1, size=(5.4, 3.6))


def figure_4(found: Compared) -> Plate:
    """Draw the coefficients of Table 3."""
    design = found.original
    sd = {
        "C(Pclass)[T.2]": (design["Pclass"] == "2").std(),
        "C(Pclass)[T.3]": (design["Pclass"] == "3").std(),
        "C(Sex)[T.male]": (design["Sex"] == "male").std(),
        "Age": design["Age"].std(),
        "Fare": design["Fare"].std(),
        "C(Family)[T.yes]": (design["Family"] == "yes").std(),
    }
    worst = max(found.coefficients.difference)
    caption = (
        "Coefficients of the logistic regression of Table 3, each times the standard deviation of"
        " its column, with intervals of 95 %; the intercept is left out. As in the paper, original"
        " and anonymised intervals overlap nearly whole: no coefficient moves by more than"
        f" {worst:.2f} of its standard error (paper: 0.22)."
    )
    panel = tables.intervals(found.coefficients, TERMS, sd, "standardised coefficient")
    return Plate(
        4, "Coefficients", caption, (panel,), across=1, size=(5.4, 3.4), left=1.2, right=1.5
    )


# --- parts of figures ---------------------------------------------------------------------------


def values(table: pd.DataFrame) -> Floats:
    """Return the columns that are moved."""
    found: Floats = table[list(titanic.COLUMNS)].to_numpy(dtype=np.float64)
    return found


def standardised(x: Floats) -> Floats:
    """Return z-scores over all rows."""
    z: Floats = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    return z


def centroids(released: Floats, original: Floats, z: Floats, strata: list[str]) -> Floats:
    """Return the centroids before they were rescaled, which the package does not hand out.

    What is released is a centroid times one number a column. That is read off those rows whose
    neighbours are in no doubt, which are nearly all: it is the median over all.
    """
    back = (released - original.mean(axis=0)) / original.std(axis=0, ddof=1)
    near = np.empty_like(z)
    labels = np.asarray(strata)
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        _, found = cKDTree(z[rows]).query(z[rows], k=titanic.K)
        near[rows] = z[rows][found].mean(axis=1)
    middles: Floats = back / np.median(back / near, axis=0)
    return middles


def cloud(
    x: Floats,
    *,
    name: str = "",
    colour: str = INK,
    marker: str = "o",
    hollow: bool = False,
    size: float = 3.0,
) -> Cloud:
    """Return the points of a table of two columns."""
    places = (tuple(x[:, 0].tolist()), tuple(x[:, 1].tolist()))
    return Cloud(*places, name, colour, marker, hollow, size)


def clouds(x: Floats, table: pd.DataFrame) -> tuple[Cloud, ...]:
    """Return the points of each stratum in a look of its own."""
    found = []
    for level, sex, family in itertools.product(CLASSES, SEXES, FAMILIES):
        rows = (table["Pclass"] == level) & (table["Sex"] == sex) & (table["Family"] == family)
        part = x[rows.to_numpy()]
        look = FAMILIES[family]
        found.append(cloud(part, colour=CLASSES[level], marker=SEXES[sex], hollow=look))
    return tuple(found)


def box(name: str, scores: NDArray[np.float64]) -> Box:
    """Return a box as R draws it: whiskers to the last value within 1.5 lengths of the box."""
    q1, median, q3 = np.quantile(scores, (0.25, 0.5, 0.75)).tolist()
    reach = 1.5 * (q3 - q1)
    inner = scores[(scores >= q1 - reach) & (scores <= q3 + reach)]
    outer = scores[(scores < q1 - reach) | (scores > q3 + reach)]
    low, high = float(inner.min()), float(inner.max())
    return Box(name, low, q1, median, q3, high, outliers=tuple(outer.tolist()))
