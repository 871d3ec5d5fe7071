"""What is decided of a request before the data are touched: one set of refusals for everybody.

Each error says which parameter it is about and by which rule, so that who may not repeat its text
(a server) says it in words of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from discreet.arguments import check_whole
from discreet.columns.countable import NamedColumns
from discreet.errors import BrokenPromiseError, InputError, RefusedError, about, one_of
from discreet.methods import (
    ROW_METHODS,
    ROW_NAMES,
    ColumnRounding,
    Microaggregation,
    Rounding,
    Whole,
    named,
)
from discreet.parallel.pixels import resolution
from discreet.plots import How, Plot, PlotRequest
from discreet.plots.parallel import Sensitive as Sensitive
from discreet.plots.plot import NOISY
from discreet.plots.scatter import ScatterPlot
from discreet.plots.survival import values_named
from discreet.policy.paper_settings import PAPER_FIELDS
from discreet.policy.policy import FIELDS, Policy
from discreet.regression import Model
from discreet.rounding import Mdav, known_method

LEAST_DIVERSITY = 2
TABLE = "table"
"""What a released table is called beside plots."""
DRAWN = ("continuous", "categorical")
OF_POLICY = ("bins", "grid", "limits", "edges", "pixels", "diversity")
"""Settings of plots that the policy has a value of."""


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


def method_of(policy: Policy, plot: type[Plot[Any]], method: str | None) -> str:
    """Return the method a plot is made by, or refuse one that the policy does not allow."""
    if policy.fixed:
        return method_of_whole(method)
    if method is None:
        method = plot.method
    if method == "rows":
        method = policy.rows_by
    if method not in plot.methods:
        raise InputError(
            f"{plot.phrase()} cannot be made by method {method!r}; there are {one_of(plot.methods)}"
        )
    return method


def method_of_whole(method: str | None) -> str:
    """Return the one method of a study with a copy of the whole table, or refuse another."""
    if method not in (None, "rows", Whole.name):
        raise RefusedError(
            "plots of this study are drawn only from its protected copy; leave method out, or "
            "draw public or simulated data with discreet.research"
        )
    return Whole.name


def allowed_methods(policy: Policy, plot: type[Plot[Any]]) -> tuple[str, ...]:
    """Return the methods that the policy lets a plot be made by, the usual one first."""
    usual = method_of(policy, plot, None)
    others = () if policy.fixed else plot.methods
    return tuple(dict.fromkeys([usual, *others]))


def diversity_of(policy: Policy) -> int:
    """Return how many values of a sensitive column a cluster holds where nobody says."""
    return max(policy.of_papers.diversity, LEAST_DIVERSITY)


def resolve(
    policy: Policy,
    columns: Columns,
    plot: Plot[Any],
    *,
    model: Model | None = None,
    method: str | None = None,
    k: int | None = None,
    q: float | None = None,
) -> PlotRequest:
    """Say how a plot, or that of a model, will be made, or refuse it; no data are looked at.

    Method, k and q are the policy's where they are not said. What is returned has a plot with a
    value of each setting that the policy says. It is an input error if a column, method or number
    does not exist or is of no use here, and refused if the policy has another value.
    """
    plot = checked(columns, plot, model)
    if plot.axes:
        with about("method"):
            method_of(policy, type(plot), method)
    request = settle(policy, plot, method=method, k=k, q=q)
    plot, how = request.plot, request.how
    if plot.get("noise_on") is not None and how.method not in NOISY:
        raise InputError(
            f"noise_on is for methods {one_of(NOISY)} of discreet.research; leave it out:"
            " elsewhere the variables are protected before the plot is made",
            parameter="noise_on",
            rule="unused",
        )
    if plot.by_names and not how.from_rows and "counts" not in plot.divided:
        raise InputError(
            f"a scatter plot by {how.method!r} has no rows to colour; draw a heat map with by=",
            parameter="by",
            rule="points",
        )
    if plot.axes:
        return dataclasses.replace(request, plot=_settled_axes(policy, columns, plot, how))
    return dataclasses.replace(request, model=model)


def checked(columns: Columns, plot: Plot[Any], model: Model | None = None) -> Plot[Any]:
    """Return a plot whose columns are there and whose settings have values, or refuse it."""
    if plot.axes:
        plot = _with_axes(plot)
    names = plot.names if model is None else tuple(model.numbers)
    if not names:
        raise InputError(f"{plot.phrase()} needs at least one column", parameter="columns")
    kind = "continuous" if plot.kind() == "formula" else plot.kind()
    with about("columns"):
        columns.require(names, None if kind == "any" else kind)
        check_places(plot, columns.require)
        others = [name for name in names if columns.columns[name].kind not in DRAWN]
        columns.require(others, "continuous")  # refused: of no kind that is drawn
    if plot.by_names:
        _check_by(columns, plot, names)
    with about("formula"):
        columns.require(() if model is None else model.levels, "categorical")
    values: dict[str, Any] = {}
    for name, it in plot.settings().items():
        value = plot.get(name)
        if name in OF_POLICY and value is not None:
            values[name] = _frozen(name, value)
        elif it.type == "word" and value not in (None, *it.choices):
            raise InputError(f"{name} must be {one_of(it.choices)}", parameter=name)
        elif it.type == "words":
            values[name] = values_named(value)
        elif it.type == "sensitive":
            values[name] = _named(value, names)
    plot = plot.changed(**values)
    with about("limits"):
        ends = {**(plot.get("limits") or {}), **(plot.get("edges") or {})}
        columns.require([*ends], "continuous")
    return plot


def _frozen(name: str, value: Any) -> Any:
    """Return a number, or ends of axes, as the policy would keep it; refuse what it could not."""
    rule = {**FIELDS, **PAPER_FIELDS}[name].rule
    kept = rule.freeze(value)
    if not rule.holds(kept):
        raise InputError(f"{name} must be {rule.allowed}", parameter="numbers")
    return kept


def settle(
    policy: Policy,
    plot: Plot[Any],
    *,
    method: str | None = None,
    k: int | None = None,
    q: float | None = None,
) -> PlotRequest:
    """Give a plot its method and numbers, or refuse what the caller may not choose.

    Raises
    ------
    InputError
        If a name or number is not one that exists, or the method does not use it.
    RefusedError
        If the policy is guarded and has another value.
    """
    way = None
    with about("method"):
        if method == Mdav.name and policy.rows_by == Microaggregation.name:
            method = policy.rows_by
        elif isinstance(method, str):
            method, way = named(method)
        method = method_of(policy, type(plot), method)
    declared = ROW_METHODS[method].declared if method in ROW_METHODS else ()
    numbers = {"k": k, "q": q, **{name: plot.get(name) for name in OF_POLICY}}
    given = {name: value for name, value in numbers.items() if value is not None}
    with about("numbers"):
        chosen = policy.allowed(**given)
        for name in given if not policy.fixed else ():
            if not plot.uses(method, name):
                what = plot.phrase()
                raise InputError(f"{what} by {method!r} does not use {name}=; leave it out")
    own = chosen.of_papers
    values = {"limits": chosen.limits} | {name: getattr(own, name) for name in OF_POLICY[:2]}
    values |= {name: getattr(own, name) for name in ("edges", "pixels")}
    has = {it.name for it in dataclasses.fields(plot)}
    plot = plot.changed(**{name: it for name, it in values.items() if name in has})
    how = How(
        method=method,
        k=chosen.k,
        q=own.noise(method) if method in ROW_METHODS else None,
        rounding=(way or own.way) if "rounding" in declared else None,
        c=own.c if "c" in declared else None,
    )
    return PlotRequest(plot, how)


# --- columns --------------------------------------------------------------------------------------


def _check_by(columns: Columns, plot: Plot[Any], names: Sequence[str]) -> None:
    """Refuse columns that cannot divide a plot of others."""
    by, *second = plot.by_names
    with about("by"):
        columns.require([by], "categorical")
        if by in names or {*second} & {by, *names}:
            raise InputError("a column is named twice; name each column once")
    if len(names) > plot.least() and not plot.unlike():
        says = "a box plot with by= draws one column; name one"
        raise InputError(says, parameter="by", rule="one column")


def check_places(plot: Plot[Any], require: Callable[[Sequence[str], str], None]) -> None:
    """Let `require` refuse columns of another kind than that of their place."""
    for name, it in plot.places().items():
        if it.type == "column" and it.kind != "any" and (value := plot.get(name)) is not None:
            require([value], it.kind)


# --- parallel coordinates -------------------------------------------------------------------------


def _with_axes(plot: Plot[Any]) -> Plot[Any]:
    """Return parallel coordinates whose columns are a list, or refuse other settings of them."""
    columns = plot.get("columns")
    listed = isinstance(columns, Iterable) and not isinstance(columns, str)
    names = tuple(columns) if listed else ()
    if len(names) < 2:
        raise InputError(
            "parallel coordinates need at least two columns, in a list", parameter="columns"
        )
    if not isinstance(plot.get("gradient"), bool):
        raise InputError("gradient must be True or False", parameter="gradient")
    for name in plot.get("limits") or ():
        if name not in names:
            raise InputError(
                f"limits name {name!r}, which is none of the columns; leave it out",
                parameter="limits",
            )
    pixels, diversity = plot.get("pixels"), plot.get("diversity")
    return plot.changed(
        columns=names,
        pixels=None if pixels is None else resolution(pixels),
        diversity=None if diversity is None else check_whole("diversity", diversity, least=1),
    )


def _settled_axes(policy: Policy, columns: Columns, plot: Plot[Any], how: How) -> Plot[Any]:
    """Return parallel coordinates with all sensitive columns, and how diverse clusters are."""
    if plot.get("cost") != plot.usual()["cost"] and how.method != "k-member":
        says = "cost says how clusters of 'k-member' grow; leave it out"
        raise InputError(says, parameter="cost", rule="unused")
    named_so: Mapping[str, tuple[str, ...]] = plot.get("sensitive")
    declared = [name for name in plot.names if columns.columns[name].role == "sensitive"]
    sensitive = {
        name: named_so.get(name, ()) for name in plot.names if name in {*declared, *named_so}
    }
    diversity = (plot.get("diversity") or diversity_of(policy)) if sensitive else 1
    return plot.changed(sensitive=sensitive, diversity=diversity)


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


# --- tables ---------------------------------------------------------------------------------------


class Records(NamedColumns, Protocol):
    """The columns of a table of records, some of which may number its rows."""

    def numbering(self, names: Sequence[str]) -> frozenset[str]:
        """Return which columns hold whole numbers that follow one another, each once."""


@dataclass(frozen=True)
class TableRequest:
    """Which columns a table will have, and how its rows will be made.

    Its rows are made as those of a scatter plot, within the combinations of `strata`; `by` is the
    method where it is not one of the policy's. What is `carried` travels along without being a
    stratum.
    """

    how: How
    policy: Policy
    columns: tuple[str, ...]
    strata: tuple[str, ...]
    sensitive: str | None
    carried: tuple[str, ...]
    by: Rounding | ColumnRounding | None = None


def resolve_table(
    policy: Policy,
    table: Records,
    columns: Sequence[str] | None = None,
    *,
    drop: Sequence[str] = (),
    sensitive: str | None = None,
    method: str | None = None,
    k: int | None = None,
    q: float | None = None,
    **prepare: Any,
) -> TableRequest:
    """Say how a protected table will be made, or refuse it, as `resolve` does of a plot.

    All is as of `Study.anonymize`, `prepare` its settings that say how rows are prepared.
    """
    if policy.fixed:
        raise BrokenPromiseError("a guarded study only releases its copy of the whole table")
    check_columns(table, columns, drop)
    prepared = policy.changed(papers=prepare)
    sensitive, own = _sensitive_column(table, sensitive), prepared.of_papers
    if sensitive is None and (own.diversity > 1 or own.closeness < 1):
        raise InputError("diversity and closeness are of a sensitive column; name it: sensitive=")
    strata = _strata(policy, table, drop, sensitive)
    taken = {*drop, *strata, *([sensitive] if sensitive else [])}
    names = tuple(columns) if columns is not None else _continuous(table, taken)
    if not names:
        raise InputError("a released table needs at least one continuous column; name some")
    if both := taken & set(names):
        raise InputError(
            f"{one_of(sorted(both))} cannot be released as numbers: it is dropped, a stratum or"
            " sensitive"
        )
    if method is not None and named(method)[0] not in ROW_METHODS:
        says = f"a table cannot be made by method {method!r}; there are {one_of(ROW_NAMES)}"
        raise InputError(says)
    used = method or policy.rows_by
    if q is not None and not ROW_METHODS[named(used)[0]].by_noise:
        raise InputError(f"a table by {used!r} does not use q=; leave it out")
    with about("columns"):
        table.require(names, "continuous")
    how = settle(policy, ScatterPlot("", ""), method=used, k=k, q=q).how
    carried = () if sensitive is None else (sensitive,)
    return TableRequest(how, prepared, names, strata, sensitive, carried)


def check_columns(table: NamedColumns, columns: Sequence[str] | None, drop: Sequence[str]) -> None:
    """Refuse what is no list of columns, and columns to be dropped that are not there."""
    for what, given in (("columns", columns), ("drop", drop)):
        listed = isinstance(given, Sequence) and not isinstance(given, str)
        if not listed and (given is not None or what == "drop"):  # a text would be read by letters
            says = f"{what} must be a list of column names, such as ['age', 'bmi']"
            raise InputError(says)
    for name in drop:
        table.known(name)  # a column that identifies persons may be named to be dropped


def _continuous(table: Records, taken: set[str]) -> tuple[str, ...]:
    """Return the columns that are released when none is named."""
    shown = table.shown([name for name in table.columns if name not in taken], "continuous")
    numbering = table.numbering(shown)
    return tuple(name for name in shown if name not in numbering)


def _strata(
    policy: Policy, table: NamedColumns, drop: Sequence[str], sensitive: str | None
) -> tuple[str, ...]:
    """Return the strata: those declared, or else every column of levels."""
    declared = policy.of_papers.strata
    if declared:
        if set(drop) & set(declared):
            raise InputError(
                "drop names a stratum; the custodian can open a study without it: strata="
            )
        return tuple(name for name in declared if name != sensitive)
    names = [name for name in table.columns if name not in drop and name != sensitive]
    return table.shown(names, "categorical")


def _sensitive_column(table: NamedColumns, given: str | None) -> str | None:
    if given is not None:
        table.require([given])
        return given
    roles = [name for name, column in table.columns.items() if column.role == "sensitive"]
    if len(roles) > 1:
        raise InputError(f"several columns are sensitive; name one of {one_of(roles)}: sensitive=")
    return roles[0] if roles else None


def resolve_rounding(
    policy: Policy,
    table: Records,
    columns: Sequence[str] | None = None,
    *,
    method: str | None = None,
    k: int | str | None = None,
    c: int | str | None = None,
    per_column: bool = False,
    representative: str | None = None,
    encoding: str | None = None,
    **of: Any,
) -> TableRequest:
    """Say how a rounded table will be made, or refuse it.

    `of` is as of `resolve_table`, and all else as of `Research.round`.
    """
    name = None if method is None else known_method(method).name
    if not per_column and (representative, encoding) != (None, None):
        raise InputError(
            "representative and encoding are of columns rounded by themselves; rows rounded"
            " jointly become the mean of their group: leave them out, or ask per column"
        )
    if not per_column:
        check_numbers(k, c)
    if policy.fixed:
        raise RefusedError(
            "only discreet.research rounds tables, for public or simulated data; a guarded "
            "study releases its copy of the whole table: anonymize()"
        )
    least = None if k is None or isinstance(k, str) else check_whole("k", k, least=1)
    request = resolve_table(policy, table, columns, method="rounding", k=least, **of)
    own = policy.of_papers
    name = name or own.way
    if c is None and name == own.way and not (per_column and k is not None):
        c = own.c  # of the policy's own way to round alone
    if not per_column:
        joint = Rounding(name, request.how.k, None if isinstance(c, str) else c)
        return dataclasses.replace(request, by=joint)
    usual = request.how.k if c is None and known_method(name).parameter else None
    by = ColumnRounding(
        method=name,
        k=usual if k is None else k,
        c=c,
        representative="mean" if representative is None else representative,
        encoding="region" if encoding is None else encoding,
    )
    how = dataclasses.replace(request.how, method=by.name)
    return dataclasses.replace(request, how=how, by=by)


def check_numbers(k: object, c: object) -> None:
    """Refuse a rule that chooses numbers column by column where rows are rounded jointly."""
    for name, given in (("k", k), ("c", c)):
        if isinstance(given, str):
            raise InputError(
                f"{name} must be a whole number where rows are rounded jointly; a rule chooses it"
                " for columns rounded by themselves: per_column (--per-column)"
            )
