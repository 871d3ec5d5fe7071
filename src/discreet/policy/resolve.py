"""What is decided of a request before the data are touched: one set of refusals for everybody.

Each error says which parameter it is about and by which rule, so that who may not repeat its text
(a server) says it in words of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from discreet.arguments import check_whole
from discreet.errors import InputError, RefusedError, about, one_of
from discreet.parallel.pixels import COSTS, resolution
from discreet.plots import PLOTS
from discreet.plots.request import AxesRequest, PlotRequest
from discreet.policy.choosing import LEAST_DIVERSITY, diversity_of, method_of
from discreet.policy.policy import Policy

__all__ = ["Columns", "Sensitive", "resolve"]

NOISE_ON = ("points", "variable")
DRAWN = ("continuous", "categorical")
Sensitive = str | Sequence[str] | Mapping[str, Sequence[Any]]
"""Sensitive columns, and which of their values are."""


class Column(Protocol):
    """What a request needs to know of a column."""

    @property
    def kind(self) -> str:
        """Whether it holds numbers or levels."""

    @property
    def role(self) -> str:
        """Whether it is sensitive."""


class Columns(Protocol):
    """The columns of a table, as far as requests are checked against them."""

    @property
    def columns(self) -> Mapping[str, Column]:
        """Each column by its name."""

    def require(self, names: Sequence[str], kind: str | None = None) -> None:
        """Refuse names that are unknown, named twice, never drawn, or of another kind."""


def resolve(
    policy: Policy,
    columns: Columns,
    plot: str,
    names: Sequence[str],
    *,
    by: str | None = None,
    levels: Sequence[str] = (),
    noise_on: str | None = None,
    sensitive: Sensitive | None = None,
    cost: str | None = None,
    gradient: bool = True,
    **numbers: Any,
) -> PlotRequest:
    """Say how a plot will be made, or refuse it; nothing of the data is looked at.

    Parameters
    ----------
    policy : Policy
        The custodian's rules.
    columns : Columns
        Those of the table.
    plot : str
        Which plot.
    names : sequence of str
        The columns that it draws.
    by : str, optional
        The categorical column that divides it.
    levels : sequence of str
        The categorical columns of a regression's formula.
    noise_on, sensitive, cost, gradient : optional
        As of `Study.qq` and `Study.parallel`.
    **numbers
        `method`, and other values of `k`, `q`, `bins`, `grid`, `limits`, `edges`, `pixels` or
        `diversity`; None leaves them to the policy.

    Returns
    -------
    PlotRequest

    Raises
    ------
    InputError
        If a column, method or number does not exist, or is of no use here.
    RefusedError
        If the policy has another value, or rows do not carry what is asked for.
    """
    if plot not in PLOTS:
        raise InputError(f"there is no plot {plot!r}; there are {one_of(PLOTS)}")
    axes = PLOTS[plot].axes
    if axes:
        names = _axis_names(names, gradient, cost, numbers.get("limits"))
    if not names:
        raise InputError(f"a {plot} needs at least one column", parameter="columns")
    _check_columns(columns, plot, names, by)
    _check_levels(policy, columns, levels)
    if axes:
        named = _named(sensitive, names)
        with about("method"):
            method_of(policy, plot, numbers.get("method"))
        numbers = numbers | _axis_numbers(policy, numbers)
    request = policy.settle(plot, names, by=by, **numbers)
    with about("limits"):
        columns.require([*{**request.limits, **request.edges}], "continuous")
    _check_noise_on(policy, request, noise_on)
    _check_rows(policy, request)
    if not axes:
        return request
    if cost is not None and request.method != "k-member":
        says = "cost says how clusters of 'k-member' grow; leave it out"
        raise InputError(says, parameter="cost", rule="unused")
    drawn = _sensitive(policy, columns, names, named)
    numbers_of = policy.allowed(pixels=numbers["pixels"], diversity=numbers["diversity"])
    diversity = (numbers["diversity"] or diversity_of(numbers_of)) if drawn else 1
    values = MappingProxyType(drawn)
    return dataclasses.replace(
        request,
        axes=AxesRequest(
            numbers_of.pixels, diversity, values, policy.ordered, cost or "smaller", gradient
        ),
    )


# --- columns --------------------------------------------------------------------------------------


def _check_columns(columns: Columns, plot: str, names: Sequence[str], by: str | None) -> None:
    """Refuse columns that are not there, or of another kind than the plot draws."""
    kind = PLOTS[plot].columns
    if kind == "formula":
        kind = "continuous"
    with about("columns"):
        columns.require(names, None if kind == "any" else kind)
        others = [name for name in names if columns.columns[name].kind not in DRAWN]
        columns.require(others, "continuous")  # refused: of no kind that is drawn
    if by is None:
        return
    with about("by"):
        columns.require([by], "categorical")
        if by in names:
            raise InputError("a column is named twice; name each column once")
    if len(names) > PLOTS[plot].least:
        says = "a box plot with by= draws one column; name one"
        raise InputError(says, parameter="by", rule="one column")


def _check_levels(policy: Policy, columns: Columns, levels: Sequence[str]) -> None:
    """Refuse levels in a formula that are none, or that rows of the copy do not carry."""
    with about("formula"):
        columns.require(levels, "categorical")
    for name in levels if policy.from_copy else ():
        if name not in policy.strata:
            raise RefusedError(
                f"a regression has rows of {name!r} only where it is a stratum of the protected"
                " copy; the custodian can open a study with it:"
                f" discreet.open(..., strata=[{name!r}])",
                parameter="formula",
                rule="strata",
            )


def _check_noise_on(policy: Policy, request: PlotRequest, noise_on: str | None) -> None:
    if noise_on is None:
        return
    if noise_on not in NOISE_ON:
        raise InputError(f"noise_on must be {one_of(NOISE_ON)}", parameter="noise_on")
    if policy.fixed or request.method != "probabilistic":
        raise InputError(
            "noise_on is for method 'probabilistic' under the policy 'research'; leave it out:"
            " elsewhere the variables are protected before the plot is made",
            parameter="noise_on",
            rule="fixed" if policy.fixed else "unused",
        )


def _check_rows(policy: Policy, request: PlotRequest) -> None:
    """Refuse levels that the rows of a plot do not carry."""
    by = request.by
    if by is not None and not request.from_rows and "counts" not in PLOTS[request.plot].by:
        raise InputError(
            f"a scatter by {request.method!r} has no rows to colour; draw a heat map with by=",
            parameter="by",
            rule="points",
        )
    if policy.from_copy and by is not None and request.from_rows and by not in policy.strata:
        raise RefusedError(
            f"rows carry the levels of strata alone, and {by!r} is none; draw from counts,"
            f" or the custodian can open a study with it: discreet.open(..., strata=[{by!r}])",
            parameter="by",
            rule="strata",
        )


# --- parallel coordinates -------------------------------------------------------------------------


def _axis_names(
    columns: Sequence[str], gradient: object, cost: object, limits: Iterable[str] | None
) -> list[str]:
    listed = isinstance(columns, Iterable) and not isinstance(columns, str)
    names = list(columns) if listed else []
    if len(names) < 2:
        raise InputError(
            "parallel coordinates need at least two columns, in a list", parameter="columns"
        )
    if not isinstance(gradient, bool):
        raise InputError("gradient must be True or False", parameter="gradient")
    if cost is not None and cost not in COSTS:
        raise InputError(f"cost must be {one_of(COSTS)}", parameter="cost")
    for name in limits or ():
        if name not in names:
            raise InputError(
                f"limits name {name!r}, which is none of the columns; leave it out",
                parameter="limits",
            )
    return names


def _axis_numbers(policy: Policy, numbers: Mapping[str, Any]) -> dict[str, int | None]:
    """Return the pixels and the diversity that were asked for, None where they are the policy's."""
    pixels, diversity = numbers.get("pixels"), numbers.get("diversity")
    if pixels is not None and not policy.fixed:
        pixels = resolution(pixels)
    if diversity is not None:
        diversity = check_whole("diversity", diversity, least=1)
    if policy.fixed and diversity == diversity_of(policy):
        diversity = None
    if policy.fixed and diversity is not None and diversity < LEAST_DIVERSITY:
        raise InputError(
            f"diversity of a guarded study is at least {LEAST_DIVERSITY}",
            parameter="diversity",
            rule="fixed",
        )
    return {"pixels": pixels, "diversity": diversity}


def _sensitive(
    policy: Policy, columns: Columns, names: Sequence[str], named: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Return the sensitive columns of a plot, each with the values that are."""
    declared = [name for name in names if columns.columns[name].role == "sensitive"]
    for name in named:
        if policy.fixed and name not in declared:
            raise RefusedError(
                f"what is sensitive is said when a study is opened; open one that says so:"
                f" discreet.open(..., roles={{{name!r}: 'sensitive'}})",
                parameter="sensitive",
                rule="fixed",
            )
    return {name: named.get(name, ()) for name in names if name in {*declared, *named}}


def _named(given: Sensitive | None, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns that are called sensitive, each with its sensitive values."""
    named: dict[str, tuple[str, ...]]
    if isinstance(given, str):
        named = {given: ()}
    elif isinstance(given, Mapping):
        for name, values in given.items():
            if isinstance(values, str) or not isinstance(values, Sequence):
                raise InputError(f"the sensitive values of {name!r} are a list")
        named = {name: tuple(dict.fromkeys(map(str, of))) for name, of in given.items()}
    elif given is None:
        named = {}
    elif not isinstance(given, Sequence) or not all(isinstance(name, str) for name in given):
        says = "sensitive is a column, a list of columns, or columns and their values"
        raise InputError(says, parameter="sensitive")
    else:
        named = dict.fromkeys(given, ())
    for name in named:
        if name not in names:
            says = f"{name!r} is sensitive, but none of the columns; name it among them"
            raise InputError(says, parameter="sensitive")
    return named
