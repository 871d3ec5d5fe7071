"""One table, anonymised and compared with itself by all that the paper measures.

Nothing is computed here: the package protects, and the package measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from discreet.measure.coefficients import Coefficients, coefficient_difference
from discreet.measure.propensity import Propensity, propensity
from discreet.measure.rmd import RmdRisk, rmd_risk
from discreet.measure.utility import displacement
from discreet.protect import deterministic

__all__ = ["Compared", "Plan", "anonymised", "compared"]


@dataclass(frozen=True)
class Plan:
    """Which columns of a table are moved, within which strata, and which model is asked for."""

    columns: tuple[str, ...]
    strata: tuple[str, ...]
    formula: str


@dataclass(frozen=True, eq=False, repr=False)
class Compared:
    """A table, what became of it, and what the measures say."""

    plan: Plan
    original: pd.DataFrame
    released: pd.DataFrame
    propensity: Propensity
    displacement: dict[str, float]
    coefficients: Coefficients
    risk: RmdRisk


def strata_of(table: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return the stratum of each row, as one text."""
    columns = (table[name].astype(str) for name in names)
    return [" ".join(levels) for levels in zip(*columns, strict=True)]


def anonymised(table: pd.DataFrame, plan: Plan, k: int) -> pd.DataFrame:
    """Do the five steps to the columns of the plan, and leave the others as they are."""
    columns = list(plan.columns)
    moved = deterministic(table[columns], k, strata_of(table, plan.strata))
    return table.assign(**dict(zip(columns, moved.T, strict=True)))


def compared(table: pd.DataFrame, plan: Plan, k: int) -> Compared:
    """Anonymise a table, and measure what that cost and what it gives away."""
    released = anonymised(table, plan, k)
    columns = list(plan.columns)
    before, after = table[columns], released[columns]
    return Compared(
        plan,
        table,
        released,
        propensity(table, released, categorical=plan.strata),
        displacement(before, after),
        coefficient_difference(table, released, plan.formula, categorical=plan.strata),
        rmd_risk(before, after),
    )
