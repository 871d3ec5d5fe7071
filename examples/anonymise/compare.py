"""One table, anonymised and compared with itself by all that the paper measures.

Nothing is computed here: the package protects, and the package measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from discreet.measure import Coefficients, Propensity, RmdRisk
from discreet.measure.models import coefficient_difference
from discreet.measure.pairs import as_pair
from discreet.measure.rmd import rmd_risk
from discreet.measure.utility import displacement, propensity
from discreet.methods import deterministic

__all__ = ["Compared", "Plan", "anonymised", "compared"]


@dataclass(frozen=True)
class Plan:
    """Which columns of a table are moved, within which strata, and which model is asked for.

    `carried` are columns of codes that are released as they are and make no strata.
    """

    columns: tuple[str, ...]
    strata: tuple[str, ...]
    formula: str
    carried: tuple[str, ...] = ()


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
    """Do the five steps to the columns of the plan, and leave the others as they are.

    Of equally near rows those count that the paper's program takes.
    """
    columns = list(plan.columns)
    moved = deterministic(table[columns], k, strata_of(table, plan.strata), ties="tree")
    return table.assign(**dict(zip(columns, moved.T, strict=True)))


def compared(table: pd.DataFrame, plan: Plan, k: int) -> Compared:
    """Anonymise a table, and measure what that cost and what it gives away."""
    released = anonymised(table, plan, k)
    # Read once, for all measures: there are two thousand such tables in Figures 7 and 8.
    pair = as_pair(table, released, categorical=(*plan.strata, *plan.carried))
    return Compared(
        plan,
        table,
        released,
        propensity(pair),
        displacement(pair),
        coefficient_difference(pair, formula=plan.formula),
        rmd_risk(pair),
    )
