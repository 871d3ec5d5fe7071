"""Many ways to round one table: what came of each, and which method is best by what.

Means are compared over the settings at which every method that is compared could be used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from discreet.errors import InputError
from discreet.rounding.choice import FREEDMAN_DIACONIS

__all__ = ["EQUAL", "FAMILIES", "MODELS", "RoundingGrid", "Trial"]


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

    Attributes
    ----------
    family : {"k", "c", "classes"}
        What the method is steered by.
    rule : {"number", "freedman-diaconis", "classes"}
        How its parameter was chosen: given, for each column, or by the classes of the target.
    k, c : int or None
        The number, and what it comes to in the other family (k is about n / c); None where each
        column has its own.
    rung : int or None
        Its place among the numbers tried, from 0; trials of one rung have groups of about one
        size. None where the parameter is no number.
    below, alone : float or None
        Shares of rows that have all their rounded values in common with fewer than k - 1 other
        rows, and with none.
    """

    method: str
    family: str
    rule: str = "number"
    k: int | None = None
    c: int | None = None
    rung: int | None = None
    points: Mapping[str, int] = field(default_factory=dict)  # in use, by column
    fewest: int | None = None  # rows of the least used point; one row alone is hardly rounded
    below: float | None = None
    alone: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)  # by keys of MEASURES and MODELS
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


EQUAL = 1e-9
"""Values this close, relative to them, are equally good."""


@dataclass(frozen=True, repr=False)
class RoundingGrid:
    """Trials of one table, each method and setting once, and what they are compared with."""

    name: str
    trials: tuple[Trial, ...]
    columns: tuple[str, ...]  # that were rounded
    rows: int
    left_out: int = 0  # rows, for a missing value
    target: str | None = None  # the column that was predicted, by a "tree" or a "regression"
    model: str = ""
    unrounded: Mapping[str, float] = field(default_factory=dict)  # measures of the table itself
    representative: str = "mean"  # what stands for a region
    folds: int = 10  # of the cross-validation
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [trial.name for trial in self.trials]
        if not names:
            raise InputError("a comparison needs at least one method and one setting")
        if len(set(names)) < len(names):
            raise InputError("a comparison has each method and setting once; name each k once")

    def __repr__(self) -> str:
        return f"RoundingGrid({self.name}: {len(self.trials)} settings)"

    @property
    def usable(self) -> tuple[Trial, ...]:
        """The trials that were not refused."""
        return tuple(trial for trial in self.trials if trial.refused is None)

    @property
    def gauges(self) -> Mapping[str, Gauge]:
        """What was measured, by key."""
        return {**MEASURES, **MODELS.get(self.model, {})}

    def methods(self, *families: str) -> tuple[str, ...]:
        """Return the methods that were tried, of some families or of all, in their order."""
        names = (t.method for t in self.trials if t.family in (families or (t.family,)))
        return tuple(dict.fromkeys(names))

    def line(self, method: str) -> tuple[Trial, ...]:
        """Return the usable trials of a method whose parameter is a number, by its rungs."""
        found = [t for t in self.usable if t.method == method and t.rung is not None]
        return tuple(sorted(found, key=lambda trial: trial.rung or 0))

    def by_rule(self, rule: str, *families: str) -> tuple[Trial, ...]:
        """Return the usable trials of a rule, of some families or of all."""
        wanted = [t for t in self.usable if t.rule == rule]
        return tuple(t for t in wanted if t.family in (families or (t.family,)))

    def common(self, measure: str, methods: Sequence[str]) -> tuple[int, ...]:
        """Return the rungs at which a measure is known of every one of these methods."""
        known = [
            {t.rung for t in self.line(method) if math.isfinite(t.value(measure))}
            for method in methods
        ]
        shared = set[int | None].intersection(*known) if known else set()
        return tuple(sorted(rung for rung in shared if rung is not None))

    def means(self, measure: str, *families: str) -> dict[str, float]:
        """Return each method's mean of a measure over the rungs that all have; the best first.

        Methods that are steered by classes have no rungs and are left out; without a common rung
        nothing is returned.
        """
        names = self.methods(*(families or ("k", "c")))
        rungs = self.common(measure, names)
        if not rungs:
            return {}
        found = {}
        for name in names:
            values = [t.value(measure) for t in self.line(name) if t.rung in rungs]
            found[name] = math.fsum(values) / len(values)
        low = self.gauges[measure].low_is_good is not False
        return dict(sorted(found.items(), key=lambda pair: pair[1] if low else -pair[1]))

    def best_at(self, measure: str, rung: int, *families: str) -> tuple[str, ...]:
        """Return the methods, more than one where they tie, that are best at a rung."""
        names = self.methods(*(families or ("k", "c")))
        values = {
            t.method: t.value(measure)
            for name in names
            for t in self.line(name)
            if t.rung == rung and math.isfinite(t.value(measure))
        }
        if not values:
            return ()
        low = self.gauges[measure].low_is_good is not False
        best = min(values.values()) if low else max(values.values())
        return tuple(n for n, v in values.items() if abs(v - best) <= EQUAL * abs(best))

    def as_good_as_unrounded(self, measure: str, trials: Sequence[Trial]) -> tuple[Trial, ...]:
        """Return those of some trials that a model does at least as well on as on the table."""
        level = self.unrounded.get(measure, math.nan)
        low = self.gauges[measure].low_is_good
        return tuple(
            t for t in trials if (t.value(measure) <= level if low else t.value(measure) >= level)
        )
