"""What the figures ask of the package: one picture of one data set in several ways.

Every number that is drawn comes from a View; nothing is protected, counted or fitted here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import discreet as dc
from examples.figures import simulate

__all__ = ["K_ANONYMIZATION", "METHODS", "Data", "Way", "diagnostic", "histogram", "picture"]

MODEL = "Y ~ X"
BASELINE_Q = 0.25
SINGLE_RECORDS = ("scatter", "box", "residuals", "qq", "leverage")
#: The grid of Fig. 3A begins and ends outside of the data. With these limits, and with no nicer
#: ones that were tried, 164 of its 900 cells and 42 of its 225 are suppressed, as the paper says.
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
    Way("(iii) generalized, suppressed", "generalization"),
    Way("(iv) centroids, k = 3", "deterministic"),
    Way("(v) noise, q = 0.25", "probabilistic"),
)
K_ANONYMIZATION = ("suppression", "generalization")


@dataclass(frozen=True)
class Data:
    """A data set behind the policy `research`, and where its grids begin and end."""

    name: str
    study: dc.Study
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
        study = dc.open(table, dc.Policy.preset("research", public=True))
        return cls(name, study, LIMITS_OF_D1 if own else {}, spans)


def picture(
    data: Data, name: str, ways: Sequence[Way], *columns: str, trend: bool = False
) -> tuple[dc.View | None, ...]:
    """Ask for a scatter plot, a heat map, a contour plot or a box plot of X and Y in each way."""

    def asked(way: Way) -> dc.View | None:
        method = way.method_of(name)
        named = {**way.numbers, "method": method}
        # Rows that were protected have a range of their own: on limits of the raw data those
        # beyond would be counted at the edge.
        if data.limits and (
            method in K_ANONYMIZATION or (name in ("heatmap", "contour") and method == "none")
        ):
            named["limits"] = data.limits
        ask = getattr(data.study, name)
        if trend and way.method_of(name) != "none":
            found = shown(lambda: ask(*(columns or "XY"), **named, trend=True))
            if found is not None:
                return found  # of a single point there is no trend
        return shown(lambda: ask(*(columns or "XY"), **named))

    return tuple(asked(way) for way in ways)


def histogram(data: Data, column: str, ways: Sequence[Way]) -> tuple[dc.View | None, ...]:
    """Ask for a histogram in each way, with bars as wide as the paper's."""
    width = WIDTHS[data.name]
    low, high, sd = data.spans[column]
    # The last bars are open, so they must lie beyond what noise or stretching reaches.
    noise = max((way.numbers.get("q", BASELINE_Q) for way in ways if is_noise(way)), default=0.0)
    reach = (4 * noise + 0.25) * sd
    first, last = math.floor((low - reach) / (2 * width)), math.ceil((high + reach) / (2 * width))
    limits = {column: (2 * width * first, 2 * width * last)}
    return tuple(
        shown(
            lambda way=way: data.study.histogram(  # type: ignore[misc]
                column, method=way.method, bins=2 * (last - first), limits=limits, **way.numbers
            )
        )
        for way in ways
    )


def diagnostic(data: Data, name: str, ways: Sequence[Way]) -> tuple[dc.View | None, ...]:
    """Ask for a diagnostic picture of the regression of Y on X in each way."""
    ask = getattr(data.study, name)
    return tuple(
        shown(lambda way=way: ask(MODEL, method=way.method_of(name), **way.numbers))  # type: ignore[misc]
        for way in ways
    )


def is_noise(way: Way) -> bool:
    """Say whether a way adds noise."""
    return way.method == "probabilistic"


def shown(ask: Callable[[], dc.View]) -> dc.View | None:
    """Return the picture, or None where nothing is left to draw."""
    try:
        return ask()
    except dc.RefusedError:
        return None
