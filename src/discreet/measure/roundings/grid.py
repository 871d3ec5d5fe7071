"""Many ways to round one table, and questions to what came of them: which method is best by what.

Means are compared over the settings at which every method that is compared could be used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from discreet.errors import InputError
from discreet.measure.roundings.trial import MEASURES, MODELS, Gauge, Trial

__all__ = ["EQUAL", "RoundingGrid"]

EQUAL = 1e-9
"""Values this close, relative to them, are equally good."""


@dataclass(frozen=True, repr=False)
class RoundingGrid:
    """Trials of one table, what they are compared with, and what was left out.

    Parameters
    ----------
    name : str
        What the table is called.
    trials : tuple of Trial
        What was tried, each method and setting once.
    columns : tuple of str
        The columns that were rounded.
    rows : int
        How many rows were rounded.
    left_out : int, default 0
        How many rows were left out for a missing value.
    target : str, optional
        The column that was predicted.
    model : {"", "tree", "regression"}
        What predicted it.
    unrounded : mapping of str to float
        The measures of the table itself: entropy, correlation, and the model of it.
    representative : str
        What stands for a region.
    folds : int
        Parts of the cross-validation.
    notes : tuple of str
        What else the reader must know.

    Raises
    ------
    InputError
        If there are no trials, or two of one name.
    """

    name: str
    trials: tuple[Trial, ...]
    columns: tuple[str, ...]
    rows: int
    left_out: int = 0
    target: str | None = None
    model: str = ""
    unrounded: Mapping[str, float] = field(default_factory=dict)
    representative: str = "mean"
    folds: int = 10
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
