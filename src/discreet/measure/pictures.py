"""The pictures of a report: functions of plain numbers that somebody decided may be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.errors import InputError
from discreet.measure.coefficients import Coefficients
from discreet.measure.evaluate import Measured
from discreet.measure.rmd import RmdGrid
from discreet.measure.scores import Scores
from discreet.render.scene import Axis, Bars, Box, Boxes, Intervals, Lines, Panel, Scene

__all__ = [
    "Picture",
    "grid_picture",
    "histogram_picture",
    "model_picture",
    "pictures_of",
    "scores_picture",
]

Counts = Sequence[float | None]

INTERVALS = "bars are intervals of 95 %; all divided by the standard error in the original"
GAPS = "hatched below the axis: nobody, or too few to show"


@dataclass(frozen=True)
class Picture:
    """A scene, and the words that stand for it where it cannot be seen."""

    scene: Scene
    words: str


def pictures_of(measured: Measured) -> tuple[Picture, ...]:
    """Return the pictures that what was measured has numbers for."""
    found = []
    if measured.scores is not None:
        found.append(scores_picture(measured.scores))
    if measured.model is not None:
        found.append(model_picture(measured.model))
    if measured.grid is not None:
        found.append(grid_picture(measured.grid))
    return tuple(found)


def scores_picture(scores: Scores) -> Picture:
    """Draw the propensity scores of both tables as boxes side by side (Fig. 3 of the paper)."""
    boxes = (Box("original", *scores.original), Box("released", *scores.released))
    each = "" if scores.k is None else f"; each number is the mean of {scores.k} rows' scores"
    middles = " and ".join(f"{box.label} {box.median:.3g}" for box in boxes)
    panel = Panel((Boxes(boxes),), Axis(""), Axis("propensity score"))
    note = f"the chance that a model gives each row to be a released one{each}"
    return Picture(
        Scene((panel,), "Can a model tell the two tables apart?", (note,)),
        f"Box plots of propensity scores; medians: {middles}."
        " The more alike the boxes, the less a model can tell the tables apart.",
    )


def model_picture(model: Coefficients) -> Picture:
    """Draw the coefficients of both tables with their 95 % intervals (Fig. 4 and 6).

    All are divided by the standard error that the coefficient has in the original table. So the
    terms can be compared, each original interval is equally wide, and the distance of two marks
    is the standardised difference. (The paper standardises the columns instead.)
    """
    rows = []
    for values, (low, high) in (
        (model.original, model.original_interval),
        (model.released, model.released_interval),
    ):
        ends = np.array([low, values, high]) / model.original_se
        known: list[bool] = np.isfinite(ends).all(axis=0).tolist()  # type: ignore[assignment]
        rows.append(
            tuple(
                (float(a), float(b), float(c)) if ok else None
                for a, b, c, ok in zip(*ends, known, strict=True)
            )
        )
    terms = tuple(map(str, model.terms))
    zero = Lines(((0.0, 0.0),), ((-1.0, float(len(terms))),), "reference")
    down = (len(terms) - 0.4, -0.6)  # the first term on top
    panel = Panel(
        (Intervals(tuple(rows), ("original", "released")), zero),
        Axis("coefficient, in its original standard errors"),
        Axis("", down, terms),
    )
    far = [t for t, d in zip(terms, model.difference, strict=True) if np.isfinite(d) and d > 1]
    said = (
        f"more than one standard error apart: {', '.join(far)}"
        if far
        else ("none of them is more than one standard error apart")
    )
    return Picture(
        Scene((panel,), "Does a regression give the same answer?", (model.formula, INTERVALS)),
        f"Coefficients of {model.formula} from the original and the released table: {said}.",
    )


def grid_picture(grid: RmdGrid) -> Picture:
    """Draw the robust Mahalanobis risks against their widths (Fig. 5)."""
    first = tuple(100 * found.share for found in grid.risk1)
    left = Panel(
        (Lines((grid.w1s,), (first,), "trend"),),
        Axis("w1, half width of the interval"),
        _from_zero("risk1, %", first),
        "risk1",
    )
    rows = tuple(tuple(100 * found.share for found in row) for row in grid.risk2)
    right = Panel(
        (Lines((grid.w2s,) * len(rows), rows, "level", "w1", grid.w1s),),
        Axis("w2, distance to other rows"),
        _from_zero("risk2, %", [share for row in rows for share in row]),
        "risk2",
    )
    lowest, highest = min(first), max(first)
    return Picture(
        Scene((left, right), "Rows that the robust distance measure calls risky", ()),
        f"risk1 from {lowest:.1f} % at the narrowest to {highest:.1f} % at the widest interval;"
        " risk2 falls as w2 grows.",
    )


def _from_zero(label: str, shares: Sequence[float]) -> Axis:
    top = max(shares) or 1.0
    return Axis(label, (-0.03 * top, 1.05 * top))  # a line at 0 would lie under the axis


def histogram_picture(
    name: str, edges: Sequence[float], original: Counts, released: Counts
) -> Picture:
    """Draw a column of both tables on the same bins.

    Parameters
    ----------
    name : str
        The column.
    edges : sequence of float
        The ends of the bins, the same for both.
    original, released : sequence of float or None
        Counts or densities that may be shown; None where hidden. The caller has decided that.

    Raises
    ------
    InputError
        If there is not one edge more than there are bins.
    """
    if not len(original) == len(released) == len(edges) - 1:
        raise InputError("both histograms must have one bin fewer than there are edges")
    bars = Bars(tuple(edges), tuple(original))
    xs: list[tuple[float, ...]] = []
    ys: list[tuple[float, ...]] = []
    for low, high, height in zip(edges[:-1], edges[1:], released, strict=True):
        if height is None:
            continue
        if xs and xs[-1][-1] == low:  # one line over bins that touch
            xs[-1], ys[-1] = (*xs[-1], low, high), (*ys[-1], height, height)
        else:
            xs.append((low, high))
            ys.append((height, height))
    top = max((v for v in (*original, *released) if v is not None), default=1.0) or 1.0
    line = Lines(tuple(xs), tuple(ys), "trend", "released")
    panel = Panel(
        (bars, line),
        Axis(name, (edges[0], edges[-1])),
        Axis(f"rows per unit of {name}", (0.0, 1.05 * top)),
    )
    hidden = None in original or None in released
    notes = ("bars: original; line: released", *([GAPS] if hidden else []))
    return Picture(
        Scene((panel,), f"{name}, before and after", notes),
        f"Histogram of {name} in the original table, with that of the released one as a line.",
    )
