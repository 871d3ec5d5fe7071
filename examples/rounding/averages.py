"""Scores of several draws of one distribution: their means, and in how many draws one is best."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from discreet.measure.roundings_report import RoundingGrid

__all__ = ["Draws"]


@dataclass(frozen=True)
class Draws:
    """The comparisons of one kind of data, one for each draw (of a data set, one alone)."""

    kind: str
    found: tuple[RoundingGrid, ...]

    def methods(self, *families: str) -> tuple[str, ...]:
        """Name the methods that were tried."""
        return self.found[0].methods(*families)

    def mean(self, measure: str, method: str, rungs: Collection[int] | None = None) -> float:
        """Return the mean of a measure over the draws and over some rungs, or over all."""
        values = [one for found in self.found for one in _values(found, measure, method, rungs)]
        return math.fsum(values) / len(values) if values else math.nan

    def ranked(
        self,
        measure: str,
        methods: Sequence[str],
        rungs: Collection[int] | None = None,
        high: bool = False,
    ) -> dict[str, float]:
        """Return the means of methods, the best first: the lowest, or the highest if `high`."""
        means = {method: self.mean(measure, method, rungs) for method in methods}
        sign = -1 if high else 1
        return dict(sorted(means.items(), key=lambda pair: sign * pair[1]))

    def times(
        self,
        method: str,
        measure: str,
        methods: Sequence[str],
        rungs: Collection[int] | None = None,
    ) -> int:
        """Count the draws in which a method has the lowest mean."""
        each = [Draws(self.kind, (found,)) for found in self.found]
        return sum(next(iter(draw.ranked(measure, methods, rungs))) == method for draw in each)


def _values(
    found: RoundingGrid, measure: str, method: str, rungs: Collection[int] | None
) -> list[float]:
    wanted = [t for t in found.line(method) if rungs is None or t.rung in rungs]
    return [t.value(measure) for t in wanted if math.isfinite(t.value(measure))]
