"""What the figures ask of the package: one picture of one data set in several ways.

Every number that is drawn comes from a View; nothing is protected, counted or fitted here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import discreet as dc
from examples.figures import simulate

__all__ = ["K_ANONYMIZATION", "METHODS", "Data", "Way", "diagnostic", "histogram", "picture"]

MODEL = "Y ~ X"
BASELINE_Q = 0.25
SINGLE_RECORDS = ("scatter", "box", "residuals", "qq", "leverage")
#: Where the grid of Fig. 3A begins and ends: outside of the data. On it 164 of 900 cells and 42 of
#: 225 are suppressed, as the paper says; on the observed ranges 187 and 53 would be.
LIMITS_OF_D1 = {
    "X": (7.9342065267480235, 11.709411658395911),
    "Y": (6.1694616886565594, 13.084176611450284),
}
#: Widths of the bars of histograms. The paper gives those of D1 (Fig. 8).
WIDTHS = {"D1": 0.2, "D2": 0.2, "D3": 0.05}


@dataclass(frozen=True)
class Way:
    """How one column of panels is made: its heading, the method and the numbers it is told."""

    head: str
    method: str
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def method_of(self, picture: str) -> str:
        """Name the method of a picture: k = 1 hides nothing, so records show as they are."""
        real = self.numbers.get("k") == 1 and picture in SINGLE_RECORDS
        return "none" if real else self.method


METHODS = (
    Way("(i) real data", "none"),
    Way("(ii) suppressed, k = 3", "suppression"),
    Way("(iii) generalized, k = 3", "generalization"),
    Way("(iv) centroids, k = 3", "deterministic"),
    Way("(v) noise, q = 0.25", "probabilistic"),
)
K_ANONYMIZATION = ("suppression", "generalization")


@dataclass(frozen=True)
class Data:
    """A data set behind the policy `research`, and where its grids begin and end."""

    name: str
    study: dc.Research
    limits: Mapping[str, tuple[float, float]]
    spans: Mapping[str, tuple[float, float, float]]

    @classmethod
    def of(cls, name: str, persons: int = simulate.PERSONS) -> Data:
        """Open one of the simulated data sets; it is public, so nothing is recorded."""
        table = simulate.table(name, persons)
        values = {column: table[column].to_numpy() for column in table.column_names}
        spans = {
            column: (float(v.min()), float(v.max()), float(v.std())) for column, v in values.items()
        }
        own = name == "D1" and persons == simulate.PERSONS
        study = dc.research(table, public=True)
        return cls(name, study, LIMITS_OF_D1 if own else {}, spans)


def picture(
    data: Data, name: str, ways: Sequence[Way], *, trend: bool = False
) -> tuple[dc.View | None, ...]:
    """Ask for a scatter plot, a heat map, a contour plot or a box plot of X and Y in each way."""
    ask = getattr(data.study, name)
    views = []
    for way in ways:
        named = {**way.numbers, "method": way.method_of(name)}
        # Rows that were protected have a range of their own: on the limits of the raw data those
        # beyond would be counted at the edge.
        raw_grid = name in ("heatmap", "contour") and named["method"] == "none"
        if data.limits and (raw_grid or named["method"] in K_ANONYMIZATION):
            named["limits"] = data.limits
        view = shown(ask, "X", "Y", **named)
        if trend and isinstance(view, dc.PointsView) and named["method"] != "none":
            # Points above one another have no trend, but they are shown.
            lined = shown(ask, "X", "Y", **named, trend=True) if view.x else None
            view = lined or view
        views.append(view)
    return tuple(views)


def histogram(data: Data, column: str, ways: Sequence[Way]) -> tuple[dc.View | None, ...]:
    """Ask for a histogram in each way, with bars as wide as the paper's."""
    low, high, sd = data.spans[column]
    # The outer bars are open, so they lie beyond what noise or stretching reaches.
    noise = [way.numbers.get("q", BASELINE_Q) for way in ways if way.method == "probabilistic"]
    reach = (4 * max(noise, default=0.0) + 0.25) * sd
    pair = 2 * WIDTHS[data.name]  # so that generalization joins whole bars
    first, last = math.floor((low - reach) / pair), math.ceil((high + reach) / pair)
    named = {"bins": 2 * (last - first), "limits": {column: (pair * first, pair * last)}}
    ask = data.study.histogram
    return tuple(shown(ask, column, method=way.method, **named, **way.numbers) for way in ways)


def diagnostic(data: Data, name: str, ways: Sequence[Way]) -> tuple[dc.View | None, ...]:
    """Ask for a diagnostic picture of the regression of Y on X in each way."""
    ask = getattr(data.study, name)
    return tuple(shown(ask, MODEL, method=way.method_of(name), **way.numbers) for way in ways)


def shown(ask: Callable[..., dc.View], *columns: str, **named: Any) -> dc.View | None:
    """Return the picture, or None where nothing is left to draw."""
    try:
        return ask(*columns, **named)
    except dc.RefusedError:
        return None
