"""Which method makes a plot, and which numbers it has a use for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from discreet.errors import DiscreetError, InputError, RefusedError, one_of
from discreet.parallel.methods import KMemberCells
from discreet.plots import PLOTS
from discreet.protect import (
    CLUSTER_METHODS,
    ROW_METHODS,
    Microaggregation,
    named,
)
from discreet.rounding import Mdav

if TYPE_CHECKING:
    from discreet.policy.policy import Policy

__all__ = [
    "LEAST_DIVERSITY",
    "allowed_methods",
    "check_group",
    "diversity_of",
    "method_of",
    "refuse_unused",
    "row_choice",
    "usual_method",
]

LEAST_DIVERSITY = 2

K_OF_MANY_COLUMNS = 5
"""From this k on a group of many columns holds far records as well as a small one.

Of a group of ten columns at k = 3 the five farthest records were recognised in 60 %.
"""
FEW_COLUMNS = 4


def check_group(policy: Policy, columns: Sequence[str]) -> None:
    """Refuse rows of more columns together than the policy allows."""
    most = policy.most_columns
    if most is None:
        redrawn = policy.from_copy and not ROW_METHODS[policy.rows].shared_by_k
        most = FEW_COLUMNS if redrawn and policy.k < K_OF_MANY_COLUMNS else len(columns)
    if len(columns) > most:
        raise RefusedError(
            f"rows of more than {most} columns are not shown together at k = {policy.k}, because"
            " far records are recognised by many columns; open a study with groups of at most"
            f" {most} columns (groups=, --groups a,b,c) or with k = {K_OF_MANY_COLUMNS} or more;"
            " a study that was released with larger ones goes on with most_columns of the policy",
            parameter="columns",
            rule="many",
        )


def row_choice(policy: Policy, method: str | None) -> tuple[str | None, str | None]:
    """Return the method that was asked for, and which way to round where its name says that."""
    if method == Mdav.name and policy.rows == Microaggregation.name:
        return policy.rows, None
    return named(method) if isinstance(method, str) else (method, None)


def method_of(policy: Policy, plot: str, method: str | None) -> str:
    """Return the method a plot is made by, or refuse one that the policy does not allow."""
    if plot not in PLOTS:
        raise InputError(f"there is no plot {plot!r}; there are {one_of(PLOTS)}")
    methods, alone = PLOTS[plot].methods, PLOTS[plot].research_alone
    if method is None:
        method = policy.pictures.get(plot) or policy.pictures[PLOTS[plot].like]
    if method == "rows":
        method = policy.rows
    if method not in methods:
        raise InputError(
            f"a {plot} cannot be made by method {method!r}; there are {one_of(methods)}"
        )
    if not policy.fixed:
        return method
    if method == "none":
        raise RefusedError(
            "method 'none' draws raw data and exists under the policy 'research' alone,"
            " for public or simulated data"
        )
    if method in CLUSTER_METHODS and method != KMemberCells.name:
        raise RefusedError(
            f"{method!r} tells pixels of single records and exists under the policy 'research'"
            f" alone; a guarded study draws {KMemberCells.name!r}"
        )
    if method in ROW_METHODS and method != policy.rows:
        raise RefusedError(
            f"the protected copy of this study is made by {policy.rows!r}; for {method!r} the"
            f" custodian can open a study with it: discreet.open(..., rows={method!r})"
        )
    if method in alone:
        raise RefusedError(alone[method])
    return method


def refuse_unused(plot: str, method: str, named: Iterable[str]) -> None:
    """Refuse a number that the plot would be drawn without."""
    for name in named:
        if not PLOTS[plot].uses(method, name):
            raise InputError(f"a {plot} by {method!r} has no use for {name}=; leave it out")


def usual_method(policy: Policy, plot: str) -> str | None:
    """Return the method a plot is made by where nobody names one; None if it is refused."""
    try:
        return method_of(policy, plot, None)
    except RefusedError:  # a guarded policy may name a method that no guarded study uses
        return None


def allowed_methods(policy: Policy, plot: str) -> tuple[str, ...]:
    """Return the methods that the policy lets a plot be made by, the usual one first."""
    usual = usual_method(policy, plot)
    found = [] if usual is None else [usual]
    for method in PLOTS[plot].methods:
        try:
            found.append(method_of(policy, plot, method))
        except DiscreetError:
            continue
    return tuple(dict.fromkeys(found))


def diversity_of(policy: Policy) -> int:
    """Return how many values of a sensitive column a cluster holds where nobody says."""
    return max(policy.diversity, LEAST_DIVERSITY)
