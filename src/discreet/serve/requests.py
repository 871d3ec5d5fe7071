"""A request to a server: its body, and what is decided of it before anything is drawn."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from discreet.errors import DiscreetError, InputError, RefusedError, about
from discreet.explore.derived import DerivedCopy, check_two
from discreet.explore.facts import NUMBERS, OF_WHOLE, is_fixed, usual_number
from discreet.explore.from_copy import DrawableColumn, settle_from_copy
from discreet.explore.table_kinds import MOST_WORDS
from discreet.parallel.pixels import MOST_PIXELS
from discreet.plots import PLOTS, Plot, PlotRequest, Setting
from discreet.plots.plot import columns_of_by
from discreet.policy import Policy
from discreet.policy.resolve import check_places, method_of
from discreet.regression import Model, read_formula
from discreet.serve.refusals import Place, Refusal, refusal

LONGEST_NAME = 1000
LONGEST_FORMULA = 2000
LONGEST_EXPRESSION = 500
MOST_NEW = 20
"""So many new columns may be asked for at once."""

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
ViewId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_EXPRESSION)]
"""An expression."""
STRICT = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


def body_of(plot: type[Plot[Any]]) -> type[BaseModel]:
    """Return what the body of a request for a plot may hold."""
    fields: dict[str, Any] = {}
    known = {it.type for it in plot.settings().values()}
    if plot.kind() == "formula":
        formula = Field(min_length=1, max_length=LONGEST_FORMULA)
        fields["formula"] = (Annotated[str, formula], ...)
    else:
        listed = Field(min_length=plot.least(), max_length=plot.most())
        fields["columns"] = (Annotated[list[Name], listed], ...)
    if "by" in known:
        pair = Annotated[list[Name], Field(min_length=1, max_length=2)]
        fields["by"] = (Name | pair | None, None)
    if "weights" in known:
        fields["weights"] = (Name | None, None)
    if "sensitive" in known:
        sensitive = Annotated[list[Name], Field(max_length=plot.most())]
        fields["sensitive"] = (sensitive | None, None)
    fields["method"] = (Annotated[str, Field(max_length=40)] | None, None)
    fields |= {name: (_type_of(it) | None, None) for name, it in plot.parameters().items()}
    if plot.uses(OF_WHOLE, "limits"):
        ends = Annotated[float, Field(allow_inf_nan=False)]
        two = Annotated[list[ends], Field(min_length=2, max_length=2)]
        limits = Annotated[dict[Name, two], Field(min_length=1, max_length=plot.most())]
        fields["limits"] = (limits | None, None)
    fields |= derivation_fields()
    title = f"{plot.name.capitalize()}Body"
    model: type[BaseModel] = create_model(title, __config__=STRICT, **fields)
    model.__doc__ = plot.says
    return model


def derivation_fields() -> dict[str, Any]:
    """Return what a body may say of the rows and columns of the copy that are taken."""
    new = Annotated[dict[Name, Text], Field(min_length=1, max_length=MOST_NEW)]
    return {"where": (Text | None, None), "assign": (new | None, None)}


def _type_of(parameter: Setting) -> Any:
    if parameter.type == "yes_no":
        return bool
    if parameter.type == "word":
        return Literal[parameter.choices]
    if parameter.type == "words":
        return Annotated[list[Name], Field(min_length=1, max_length=MOST_WORDS)]
    ends: dict[str, Any] = {"ge": parameter.least}
    ends["le"] = 10**6 if parameter.most is None else parameter.most
    if parameter.type == "number":
        return Annotated[float, Field(**ends, allow_inf_nan=False)]
    if parameter.step is not None and parameter.step > 1:
        # Steps are asked of what is sent, too (section 6.4: step size limits).
        ends["multiple_of"] = int(parameter.step)
    return Annotated[int, Field(**ends)]


BODIES: Mapping[str, type[BaseModel]] = MappingProxyType(
    {name: body_of(plot) for name, plot in PLOTS.items()}
)


Columns = Mapping[str, DrawableColumn]
Body = Mapping[str, Any]

#: Of each parameter that a request is refused for, by a rule where there are several, the words.
FIXED = "{}: the policy of this study fixes it; leave it out"
USELESS = "{}: this method does not use it; leave it out"
WORDS: Mapping[tuple[str, str], str] = {
    ("columns", ""): "columns: each must be one that can be drawn; /api/study lists them",
    ("columns", "twice"): "columns: name each only once",
    ("by", ""): "by: must be a categorical column that can be drawn, and not one of the columns",
    ("by", "one column"): "by: a box plot that is divided draws one column",
    ("by", "points"): "by: points of a grid have no levels; draw a heat map by it",
    ("by", "many"): (
        "by: these two columns have more pairs of levels than can be distinguished; name the "
        "one with fewer levels second, or another column"
    ),
    ("by", "few"): (
        "by: no pair of levels of these two columns has 50 rows of the copy; name one of them"
    ),
    ("formula", ""): (
        "formula: cannot be read; write columns that can be drawn as 'y ~ x + C(group)', with "
        ":, *, log, log10, exp and sqrt; a model may have one random term, (1 | group), a plot none"
    ),
    ("formula", "policy"): (
        "formula: fits no model to these rows of the copy: a term is constant, follows from "
        "others, or tells all events apart; leave a term out, or keep more rows"
    ),
    ("formula", "random"): (
        "formula: a random term, (1 | group), is for linear, logistic and Poisson models of one row"
        " a person, and of 3 levels or more that the other terms do not tell apart"
    ),
    ("formula", "few"): (
        "formula: names columns that fewer than 50 rows of the copy all have a value in; leave one "
        "out, or keep more rows"
    ),
    ("where", ""): ("where: cannot be read; compare columns of the copy: age >= 50 and sex == 'F'"),
    ("where", "few"): "where: too few rows of the copy are left; ask for a larger part",
    ("assign", ""): (
        "assign: cannot be read; give each new name columns of the copy, computed: log(bmi)"
    ),
    ("assign", "taken"): "assign: there is a column of that name; choose another one",
    ("assign", "empty"): "assign: the result has no value in any row of the copy",
    ("cards", ""): (
        "cards: each axis has a column of the copy, with edges that rise or with levels"
    ),
    ("light", ""): "light: columns of the copy, each between two numbers or of some levels",
    ("plot", "policy"): (
        "from a public table only parallel coordinates can be drawn; see discreet research for "
        "others"
    ),
    ("method", ""): "method: this plot has no such method; /api/study lists them",
    ("method", "policy"): (
        "method: the policy of this study does not allow it; /api/study lists those it does"
    ),
    ("sensitive", ""): "sensitive: each is one of the columns",
    ("sensitive", "policy"): (
        "sensitive: for clusters of people in public data, and rows of a copy belong to nobody; "
        "leave it out"
    ),
    ("event_is", ""): (
        "event_is: it is not clear which values of the event column are the event, or one does "
        "not occur in it; name some of its values"
    ),
    ("reference", ""): (
        "reference: columns of levels of the model, each with one of its levels that rows have"
    ),
    ("columns", "event"): (
        "columns: the event is a column of levels, or of a few codes, and this one has too many"
        " different values"
    ),
    ("columns", "times"): (
        "columns: over time the first holds dates, or whole numbers such as years, and the second"
        " numbers"
    ),
    ("every", ""): (
        "every: for dates alone, and no more than 1,000 periods; take longer ones, or leave it out"
    ),
    ("show", "two"): (
        "show: by two columns a scatter plot has points; leave it out, or draw a heat map by them"
    ),
    ("value", ""): "value: a continuous column of the copy, none of dates",
    ("weights", ""): (
        "weights: a continuous column of the copy, none of dates, with 50 weights above 0 or more,"
        " and not the column of by; a Cox model takes none"
    ),
    ("weights", "policy"): (
        "weights: for what is drawn from the copy of the whole table, and 50 or more of its rows"
        " have one above 0; leave them out"
    ),
    ("family", ""): "family: a family of regressions that there is; leave it out for a linear one",
    ("numbers", ""): "{}: out of range, or without use for this method",
    ("numbers", "policy"): FIXED,
    ("noise_on", ""): USELESS,
    ("cost", ""): USELESS,
    ("limits", ""): "limits: of some of the columns, each a lower and a larger upper number",
    ("limits", "policy"): FIXED,
}


@dataclass(frozen=True)
class Accepted:
    """A request that passes the rules which do not depend on the rows, and its plot.

    `body` is the request without what holds where nobody says; `drawn_by` are the rows that it is
    of.
    """

    plot: PlotRequest
    body: Body
    drawn_by: DerivedCopy

    @property
    def text(self) -> str:
        """The same text for the same question, by which its answer is found again."""
        return json.dumps(self.body, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class _Drawable:
    """The columns that may be drawn, as `resolve` takes them."""

    columns: Columns

    def require(self, names: Sequence[str], kind: str | None = None) -> None:
        """Refuse what is none of the columns, named twice, or of another kind."""
        if not all(name in self.columns for name in names):
            raise InputError("unknown")
        if len({*names}) != len(names):
            raise InputError("named twice", rule="twice")
        if kind is not None and any(self.columns[name].kind != kind for name in names):
            raise InputError("of another kind", rule="kind")


def check(copy: DerivedCopy, columns: Columns, kind: str, body: Body) -> Accepted | Refusal:
    """Return what a request wants of a copy, or why it is refused.

    `columns` may be drawn, and `body` holds what its schema lets it. The nearest request of a
    refusal is one that passes.
    """
    found = _tried(copy, columns, kind, body)
    if isinstance(found, Accepted):
        return found
    near: Body | None = found.nearest
    while near is not None:  # without what one rule refuses, another may refuse it still
        again = _tried(copy, columns, kind, near)
        if isinstance(again, Accepted):
            break
        near = again.nearest
    return dataclasses.replace(found, nearest=near)


def _tried(copy: DerivedCopy, columns: Columns, kind: str, body: Body) -> Accepted | Refusal:
    """Check a request; the nearest that a rule lets pass may break another."""
    given = {name: value for name, value in body.items() if value is not None}
    if isinstance(given.get("by"), list) and len(given["by"]) == 1:
        given["by"] = given["by"][0]  # one question has one text
    wanted: tuple[str, ...] = tuple(given.pop("columns", ()))
    formula = given.pop("formula", "")
    what: dict[str, Any] = {"formula": formula} if formula else {"columns": [*wanted]}
    asked = _Asked(what, given)
    try:
        return _settled(copy, columns, kind, asked)
    except (InputError, RefusedError) as error:
        found = _refused(copy, columns, kind, error, asked)
        return dataclasses.replace(found, place=_place_of(error))


@dataclass
class _Asked:
    """What a request is of, and what it says beside it."""

    what: dict[str, Any]
    given: dict[str, Any]


def _settled(copy: DerivedCopy, columns: Columns, kind: str, asked: _Asked) -> Accepted:
    """Say how a plot will be made, or raise what it is refused for."""
    given, derivation = parted(asked.given)
    part = part_of(copy, derivation)
    columns = {**columns, **part.whole.drawable}
    names, model = tuple(asked.what.get("columns", ())), None
    if "formula" in asked.what:
        kinds = {name: column.kind for name, column in columns.items()}
        with about("formula"):
            kinds = part.whole.kinds_in(asked.what["formula"], kinds)
            model = read_formula(asked.what["formula"], kinds)
        asked.what, names = {"formula": model.formula}, tuple(model.numbers)
    how = _how(copy.policy, PLOTS[kind], given)
    settled = _of_copy(copy, columns, kind, names, model, how, part)
    if _too_few(PLOTS[kind], settled.how.method, _numbers(given)):
        raise InputError("fewer than needed", parameter="numbers", rule="least")
    beside = _beside(copy.policy, settled, given)
    return Accepted(settled, asked.what | beside | derivation, part)


def parted(given: Body) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is said of the plot, and what of the rows and columns it is drawn of."""
    derivation = {name: given[name] for name in ("where", "assign") if name in given}
    return _without(given, *derivation), derivation


def part_of(copy: DerivedCopy, derivation: Body) -> DerivedCopy:
    """Return the rows and columns that are drawn: all of a copy, or what is derived of it."""
    if "assign" in derivation:
        copy = copy.assign(derivation["assign"])
    return copy.where(derivation["where"]) if "where" in derivation else copy


def _how(policy: Policy, plot: type[Plot[Any]], given: Body) -> dict[str, Any]:
    """Return what is asked for beside columns, as `resolve` takes it."""
    how = _unusual(plot, given) | _numbers(given)
    if how.get("method") == "rows":  # the word of a policy, and no method
        how["method"] = ""
    if not policy.fixed:
        return how
    usual = [it for it in _numbers(given) if how[it] == usual_number(policy, OF_WHOLE, it)]
    return _without(how, *usual)


def _of_copy(
    copy: DerivedCopy,
    columns: Columns,
    kind: str,
    names: Sequence[str],
    model: Model | None,
    how: Body,
    part: DerivedCopy,
) -> PlotRequest:
    """Settle a plot of the copy of the whole table, by the names of its columns alone."""
    plot = PLOTS[kind]
    takes, by = plot.kind(), columns_of_by(how.get("by"))
    drawable = _with_levels(columns, part, [*by, *(names if takes == "categorical" else ())])
    with about("columns"):
        drawable.require(names, {"any": None, "formula": "continuous"}.get(takes, takes))
        if model is None:
            check_places(plot.of_columns(names), drawable.require)
    with about("by"):
        drawable.require(by, "categorical")
    limits: Mapping[str, Sequence[float]] = how.get("limits", {})
    numbers = [name for name in names if columns[name].kind == "continuous"]
    if not limits.keys() <= {*numbers} or any(low >= high for low, high in limits.values()):
        raise InputError("of other columns, or no ends", parameter="limits")
    sensitive = how.get("sensitive", ())
    if not set(sensitive) <= set(names):
        raise InputError("no axis", parameter="sensitive")
    with about("weights"):
        drawable.require([it for it in [how.get("weights")] if it], "continuous")
    if copy.policy.fixed or not plot.axes:  # else it is of clusters of people
        if sensitive:
            raise RefusedError("of clusters of people", parameter="sensitive")
        if "diversity" in how:
            raise RefusedError("without use", parameter="numbers")
        how = _without(how, "sensitive")
    way = {name: how[name] for name in ("method", "k", "q") if name in how}
    fields = _without(how, *way)
    if model is None:
        wanted = plot.of_columns(names, **fields)
    else:
        wanted = plot(formula=model.formula, **fields)  # type: ignore[call-arg]
    asked = settle_from_copy(copy.policy, part.whole, part.table, wanted, model, **way)
    if len(asked.plot.by_names) > 1:
        check_two(asked, part.whole)
    return asked


def _with_levels(columns: Columns, part: DerivedCopy, names: Sequence[str]) -> _Drawable:
    """Return columns, numbers of few different values among some of them as levels."""
    coded = part.whole.with_levels([it for it in names if it in columns]).copy.strata
    codes = {it: DrawableColumn(it, "categorical") for it in names if it in coded}
    return _Drawable({**columns, **codes})


def _too_few(plot: type[Plot[Any]], method: str, numbers: Body) -> list[str]:
    known = plot.parameters()
    least = {name: known[name].least_of([method]) or 0 for name in numbers}
    return [name for name in numbers if numbers[name] < least[name]]


def _refused(
    copy: DerivedCopy, columns: Columns, kind: str, error: DiscreetError, asked: _Asked
) -> Refusal:
    """Say in fixed words why a request is refused, and what may be asked instead."""
    what, given = asked.what, asked.given
    policy, numbers = copy.policy, _numbers(given)
    parameter = "numbers" if error.parameter in NUMBERS else error.parameter
    fixed = isinstance(error, RefusedError)
    said, code = [parameter], "policy" if fixed else "request"
    method = given.get("method") or method_of(policy, PLOTS[kind], None)
    if parameter == "numbers":
        said = _said_of(policy, PLOTS[kind], method, numbers, error)
    if (parameter, error.rule) == ("columns", "kind"):
        return refusal(code, f"columns: this plot takes {PLOTS[kind].takes()}")
    known = [it for it in (error.rule or code, code, "") if (parameter, it) in WORDS]
    words = WORDS[parameter, known[0]].format(" and ".join(said)) if known else ""
    if not fixed or parameter == "formula" or error.rule == "many":
        return refusal(code, words)
    wrong = [it for it in numbers if is_fixed(policy, method, it)]
    left = _without(given, *(wrong if parameter == "numbers" else [parameter]))
    return refusal(code, words, {**what, **left} if len(left) < len(given) else None)


def refused_in_words(error: DiscreetError) -> Refusal:
    """Say in fixed words why a table of the copy is refused."""
    code = "policy" if isinstance(error, RefusedError) else "request"
    known = [it for it in (error.rule or code, code, "") if (error.parameter, it) in WORDS]
    words = WORDS[error.parameter or "", known[0]] if known else ""
    return dataclasses.replace(refusal(code, words), place=_place_of(error))


def _place_of(error: DiscreetError) -> Place | None:
    """Say where in an expression of a request a mistake is."""
    if error.parameter not in ("where", "assign", "formula"):
        return None
    start, end = error.place or (None, None)
    return Place(parameter=error.parameter, entry=error.entry, start=start, end=end)


def _said_of(
    policy: Policy, plot: type[Plot[Any]], method: str, numbers: Body, error: DiscreetError
) -> list[str]:
    """Name the numbers that a rule is about: those that are fixed, too small, or without use."""
    if error.rule == "least":
        return _too_few(plot, method, numbers)
    if isinstance(error, RefusedError):
        return [
            it
            for it in numbers
            if is_fixed(policy, method, it) and numbers[it] != usual_number(policy, method, it)
        ]
    return [*numbers]


def _beside(policy: Policy, asked: PlotRequest, given: Body) -> dict[str, Any]:
    """Return what is asked for beside columns, without what holds where nobody says."""
    plot, method = asked.plot, asked.how.method
    named = _without(_unusual(type(plot), given), "method", "sensitive")
    if method != method_of(policy, type(plot), None):
        named["method"] = method
    for name, value in _numbers(given).items():
        if value != usual_number(policy, method, name):
            named[name] = value
    sensitive = [name for name in plot.names if name in given.get("sensitive", ())]
    return named | ({"sensitive": sensitive} if sensitive else {})


def _unusual(plot: type[Plot[Any]], given: Body) -> dict[str, Any]:
    """Return what is no number of the policy and is not as where nobody says."""
    usual = {name: it.choices[0] for name, it in plot.parameters().items() if it.choices}
    usual |= {name: it for name, it in plot.usual().items() if it is not None}
    return {
        name: it
        for name, it in given.items()
        if name not in NUMBERS and not (name in usual and it == usual[name])
    }


def _numbers(given: Body) -> dict[str, Any]:
    """Return the numbers that were given; more pixels than there may be are the most there may."""
    numbers = {name: given[name] for name in NUMBERS if name in given}
    if "pixels" in numbers:
        numbers["pixels"] = min(numbers["pixels"], MOST_PIXELS)
    return numbers


def _without(given: Body, *names: str) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in names}
