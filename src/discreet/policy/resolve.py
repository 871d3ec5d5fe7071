"""What is decided of a request before the data are touched: one set of refusals for everybody.

Each error says which parameter it is about and by which rule, so that who may not repeat its text
(a server) says it in words of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from discreet.arguments import check_whole
from discreet.columns.countable import NamedColumns
from discreet.errors import BrokenPromiseError, InputError, RefusedError, about, one_of
from discreet.methods import ROW_METHODS, ROW_NAMES, ColumnRounding, Rounding, Whole, named
from discreet.parallel.pixels import COSTS, resolution
from discreet.plots import PLOTS
from discreet.plots.descriptor import NOISY
from discreet.plots.periods import AUTO, check_every
from discreet.plots.request import SHOWN, AxesRequest, PlotRequest
from discreet.plots.scatter import SCATTER, check_show
from discreet.plots.survival import values_named
from discreet.regression import Model
from discreet.rounding import known_method

if TYPE_CHECKING:
    from discreet.policy.policy import Policy

LEAST_DIVERSITY = 2

TABLE = "table"
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


def method_of(policy: Policy, plot: str, method: str | None) -> str:
    """Return the method a plot is made by, or refuse one that the policy does not allow."""
    if plot not in PLOTS:
        raise InputError(f"there is no plot {plot!r}; there are {one_of(PLOTS)}")
    if policy.fixed:
        return method_of_whole(method)
    methods = PLOTS[plot].methods
    if method is None:
        method = PLOTS[PLOTS[plot].like or plot].method
    if method == "rows":
        method = policy.rows_by
    if method not in methods:
        raise InputError(
            f"{PLOTS[plot].phrase} cannot be made by method {method!r}; there are {one_of(methods)}"
        )
    return method


def method_of_whole(method: str | None) -> str:
    """Return the one method of a study with a copy of the whole table, or refuse another."""
    if method not in (None, "rows", Whole.name):
        raise RefusedError(
            "plots of this study are drawn from its protected copy alone; leave method out, or"
            " draw public or simulated data with discreet.research"
        )
    return Whole.name


def refuse_unused(plot: str, method: str, named: Iterable[str]) -> None:
    """Refuse a number that the plot would be drawn without."""
    for name in named:
        if not PLOTS[plot].uses(method, name):
            what = PLOTS[plot].phrase
            raise InputError(f"{what} by {method!r} has no use for {name}=; leave it out")


def allowed_methods(policy: Policy, plot: str) -> tuple[str, ...]:
    """Return the methods that the policy lets a plot be made by, the usual one first."""
    usual = method_of(policy, plot, None)
    others = () if policy.fixed else PLOTS[plot].methods
    return tuple(dict.fromkeys([usual, *others]))


def diversity_of(policy: Policy) -> int:
    """Return how many values of a sensitive column a cluster holds where nobody says."""
    return max(policy.of_papers.diversity, LEAST_DIVERSITY)


def resolve(
    policy: Policy,
    columns: Columns,
    plot: str,
    names: Sequence[str],
    *,
    by: str | None = None,
    model: Model | None = None,
    trend: bool = False,
    noise_on: str | None = None,
    sensitive: Sensitive | None = None,
    cost: str | None = None,
    gradient: bool = True,
    event_is: object = None,
    percent: bool = False,
    every: str = AUTO,
    overlay: bool = False,
    show: str = SHOWN[0],
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
    model : Model, optional
        That of a regression, whose numbers `names` are.
    trend, noise_on, sensitive, cost, gradient, event_is, percent, every, overlay, show : optional
        As of `Study.scatter`, `Study.qq`, `Study.parallel`, `Study.survival`, `Study.bars`,
        `Study.over_time` and `Study.histogram`.
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
        raise InputError(f"{PLOTS[plot].phrase} needs at least one column", parameter="columns")
    _check_columns(policy, columns, plot, names, by, () if model is None else model.levels)
    if axes:
        named = _named(sensitive, names)
        with about("method"):
            method_of(policy, plot, numbers.get("method"))
        numbers = numbers | _axis_numbers(numbers)
    request = policy.settle(plot, names, by=by, **numbers)
    with about("limits"):
        columns.require([*{**request.limits, **request.edges}], "continuous")
    _check_rows(request, noise_on)
    if not axes:
        own: dict[str, Any] = {"percent": percent, "overlay": overlay, "show": check_show(show)}
        own |= {"event_is": values_named(event_is), "every": check_every(every), "trend": trend}
        return dataclasses.replace(request, model=model, noise_on=noise_on or "points", **own)
    if cost is not None and request.method != "k-member":
        says = "cost says how clusters of 'k-member' grow; leave it out"
        raise InputError(says, parameter="cost", rule="unused")
    drawn = MappingProxyType(_sensitive(columns, names, named))
    numbers_of = policy.allowed(pixels=numbers["pixels"], diversity=numbers["diversity"])
    diversity = (numbers["diversity"] or diversity_of(numbers_of)) if drawn else 1
    asked = AxesRequest(numbers_of.of_papers.pixels, diversity, drawn, cost or "smaller", gradient)
    return dataclasses.replace(request, axes=asked)


# --- columns --------------------------------------------------------------------------------------


def _check_columns(
    policy: Policy,
    columns: Columns,
    plot: str,
    names: Sequence[str],
    by: str | None,
    levels: Sequence[str],
) -> None:
    """Refuse columns, and levels of a formula, that are not there or of another kind."""
    kind = PLOTS[plot].columns
    if kind == "formula":
        kind = "continuous"
    with about("columns"):
        columns.require(names, None if kind == "any" else kind)
        PLOTS[plot].check_kinds(names, columns.require)
        others = [name for name in names if columns.columns[name].kind not in DRAWN]
        columns.require(others, "continuous")  # refused: of no kind that is drawn
    if by is not None:
        with about("by"):
            columns.require([by], "categorical")
            if by in names:
                raise InputError("a column is named twice; name each column once")
        if len(names) > PLOTS[plot].least and not PLOTS[plot].places:
            says = "a box plot with by= draws one column; name one"
            raise InputError(says, parameter="by", rule="one column")
    with about("formula"):
        columns.require(levels, "categorical")


def _check_rows(request: PlotRequest, noise_on: str | None) -> None:
    """Refuse noise on what is protected before, and levels that the rows of a plot do not carry."""
    if noise_on is not None and noise_on not in NOISE_ON:
        raise InputError(f"noise_on must be {one_of(NOISE_ON)}", parameter="noise_on")
    if noise_on is not None and request.method not in NOISY:
        raise InputError(
            f"noise_on is for methods {one_of(NOISY)} of discreet.research; leave it out:"
            " elsewhere the variables are protected before the plot is made",
            parameter="noise_on",
            rule="unused",
        )
    by = request.by
    if by is not None and not request.from_rows and "counts" not in PLOTS[request.plot].by:
        raise InputError(
            f"a scatter plot by {request.method!r} has no rows to colour; draw a heat map with by=",
            parameter="by",
            rule="points",
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


def _axis_numbers(numbers: Mapping[str, Any]) -> dict[str, int | None]:
    """Return the pixels and the diversity that were asked for, None where they are the policy's."""
    pixels, diversity = numbers.get("pixels"), numbers.get("diversity")
    return {
        "pixels": None if pixels is None else resolution(pixels),
        "diversity": None if diversity is None else check_whole("diversity", diversity, least=1),
    }


def _sensitive(
    columns: Columns, names: Sequence[str], named: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Return the sensitive columns of a plot, each with the values that are."""
    declared = [name for name in names if columns.columns[name].role == "sensitive"]
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


# --- tables ---------------------------------------------------------------------------------------


class Records(NamedColumns, Protocol):
    """The columns of a table of records, some of which may number its rows."""

    def numbers_rows(self, name: str) -> bool:
        """Whether a column holds whole numbers that follow one another, each once."""


@dataclass(frozen=True)
class TableRequest:
    """Which columns a table will have, and how its rows will be made.

    Parameters
    ----------
    rows : PlotRequest
        How they are made: those of a table are those that a scatter plot would draw.
    policy : Policy
        With what was chosen of how rows are prepared.
    columns, strata : tuple of str
        The columns of numbers, and of levels within whose combinations rows are protected.
    sensitive : str or None
        A column that must stay unknown.
    carried : tuple of str
        What travels along without being a stratum.
    by : Rounding or ColumnRounding, optional
        The method, where it is not one of the policy's.
    """

    rows: PlotRequest
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
        raise BrokenPromiseError("a guarded study releases its copy of the whole table alone")
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
        raise InputError(f"a table by {used!r} has no use for q=; leave it out")
    rows = resolve(policy, table, SCATTER.name, names, method=used, k=k, q=q)
    carried = () if sensitive is None else (sensitive,)
    rows = dataclasses.replace(rows, plot=TABLE)
    return TableRequest(rows, prepared, names, strata, sensitive, carried)


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
    return tuple(name for name in shown if not table.numbers_rows(name))


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
            "tables are rounded by discreet.research alone, for public or simulated data; a guarded"
            " study releases its copy of the whole table: anonymize()"
        )
    least = None if k is None or isinstance(k, str) else check_whole("k", k, least=1)
    request = resolve_table(policy, table, columns, method="rounding", k=least, **of)
    own = policy.of_papers
    name = name or own.way
    if c is None and name == own.way and not (per_column and k is not None):
        c = own.c  # of the policy's own way to round alone
    if not per_column:
        joint = Rounding(name, request.rows.k, None if isinstance(c, str) else c)
        return dataclasses.replace(request, by=joint)
    usual = request.rows.k if c is None and known_method(name).parameter else None
    by = ColumnRounding(
        method=name,
        k=usual if k is None else k,
        c=c,
        representative="mean" if representative is None else representative,
        encoding="region" if encoding is None else encoding,
    )
    return dataclasses.replace(
        request, rows=dataclasses.replace(request.rows, method=by.name), by=by
    )


def check_numbers(k: object, c: object) -> None:
    """Refuse a rule that chooses numbers column by column where rows are rounded jointly."""
    for name, given in (("k", k), ("c", c)):
        if isinstance(given, str):
            raise InputError(
                f"{name} must be a whole number where rows are rounded jointly; a rule chooses it"
                " for columns rounded by themselves: per_column (--per-column)"
            )
