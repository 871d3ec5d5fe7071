"""One way to round a table that was tried: its setting, what it keeps and what it gives away."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from discreet.errors import InputError
from discreet.rounding.choice import FREEDMAN_DIACONIS

__all__ = ["FAMILIES", "MEASURES", "MODELS", "RULES", "Gauge", "Trial"]


class Gauge(NamedTuple):
    """What a number measures: its short name, what it is in plain words, and its good end."""

    name: str
    words: str
    low_is_good: bool | None


#: What is measured of every trial.
MEASURES: Mapping[str, Gauge] = MappingProxyType(
    {
        "sse": Gauge(
            "SSE, %",
            "squared distance of the rounded values from the original ones, as a share of their"
            " spread",
            True,
        ),
        "il_metrics": Gauge(
            "IL metrics",
            "information loss: how far values, means, variances, covariances and correlations"
            " moved, as a mean relative change in %",
            True,
        ),
        "il1s": Gauge(
            "IL1s",
            "information loss: mean distance of a value from its original, in % of its column's"
            " standard deviation times the root of 2",
            True,
        ),
        "ddr": Gauge(
            "DDR, %",
            "linkage by distance: rounded rows whose nearest original row is their own",
            True,
        ),
        "idr": Gauge(
            "IDR, %",
            "disclosure by interval: original rows that lie, in all columns, close to their rounded"
            " values",
            True,
        ),
        "score": Gauge("score", "the IL-DR score: the mean of IL metrics, IL1s, DDR and IDR", True),
        "score_by_sum": Gauge(
            "score by sum",
            "the same with IL1s as a sum over all values, as in the scores of Senavirathne and"
            " Torra (2019); it grows with the number of rows and columns",
            True,
        ),
        "entropy": Gauge("entropy, bits", "Shannon entropy, summed over the columns", None),
        "correlation": Gauge("mean |r|", "mean absolute correlation between the columns", None),
    }
)
#: What is measured where a target is given, by the kind of model.
MODELS: Mapping[str, Mapping[str, Gauge]] = MappingProxyType(
    {
        "tree": {
            "acc_o": Gauge(
                "accuracy on original rows",
                "original rows that a decision tree puts in the right class, having learned from"
                " rounded rows, never from the same ones",
                False,
            ),
            "acc_v": Gauge(
                "accuracy on rounded rows",
                "rounded rows that the tree puts in the right class, having learned from others",
                False,
            ),
        },
        "regression": {
            "mse": Gauge(
                "MSE",
                "mean squared error on original rows of a linear regression that was fitted to"
                " rounded rows, never to the same ones",
                True,
            ),
            "r2": Gauge(
                "R²", "share of the rounded target's variance that the regression explains", None
            ),
        },
    }
)
#: What a method is steered by: the least number of rows at a point, how many points, the classes.
FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "k": "steered by k, the least number of rows at a rounding point",
        "c": "steered by c, the number of rounding points",
        "classes": "steered by the classes of the target",
    }
)
RULES = ("number", FREEDMAN_DIACONIS, "classes")


@dataclass(frozen=True)
class Trial:
    """A rounding method with its setting, and what came of it or why it was refused.

    Parameters
    ----------
    method : str
        The name of a method of rounding.
    family : str
        What it is steered by: "k", "c" or "classes".
    rule : str
        How its parameter was chosen: a given "number", "freedman-diaconis" for each column, or by
        the "classes" of the target.
    k, c : int or None
        The number, and what it comes to in the other family (k is about n / c); None where each
        column has its own.
    rung : int or None
        Its place among the numbers tried, from 0; trials of one rung have groups of about one
        size. None where the parameter is no number.
    points : mapping of str to int
        How many rounding points are in use, by column.
    fewest : int or None
        How many rows the least used point of any column has; one row alone is hardly rounded.
    below, alone : float or None
        Shares of rows that have all their rounded values in common with fewer than k - 1 other
        rows, and with none.
    values : mapping of str to float
        What was measured, by the keys of `MEASURES` and `MODELS`; NaN where it is not defined.
    refused : str or None
        Why the setting cannot be used.

    Raises
    ------
    InputError
        If the family or the rule is not one of those, or a trial has neither values nor a reason.
    """

    method: str
    family: str
    rule: str = "number"
    k: int | None = None
    c: int | None = None
    rung: int | None = None
    points: Mapping[str, int] = field(default_factory=dict)
    fewest: int | None = None
    below: float | None = None
    alone: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    refused: str | None = None

    def __post_init__(self) -> None:
        if self.family not in FAMILIES or self.rule not in RULES:
            raise InputError(f"no trial is {self.family!r} by {self.rule!r}")
        if bool(self.values) == (self.refused is not None):
            raise InputError("a trial has values, or the reason why it was refused")

    @property
    def setting(self) -> str:
        """The parameter as a table shows it."""
        if self.rule != "number":
            return {FREEDMAN_DIACONIS: "Freedman-Diaconis", "classes": "by classes"}[self.rule]
        return f"k = {self.k}" if self.family == "k" else f"c = {self.c}"

    @property
    def name(self) -> str:
        """What the trial is called: its method and its setting."""
        return f"{self.method} ({self.setting})"

    def value(self, measure: str) -> float:
        """Return a number that was measured; NaN where it is not known."""
        return self.values.get(measure, math.nan)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, None where a number is not defined."""
        known = {key: value if math.isfinite(value) else None for key, value in self.values.items()}
        return {
            "method": self.method,
            "family": self.family,
            "rule": self.rule,
            "k": self.k,
            "c": self.c,
            "points": dict(self.points),
            "fewest": self.fewest,
            "below": self.below,
            "alone": self.alone,
            **known,
            "refused": self.refused,
        }
