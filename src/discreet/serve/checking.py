"""What of a request is decided before the data are touched: names, kinds, methods, numbers."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.errors import DiscreetError, InputError, RefusedError
from discreet.parallel.pixels import MOST_PIXELS
from discreet.plots import PARAMETERS, PLOTS
from discreet.policy import PlotRequest, Policy, check_group
from discreet.policy.choosing import refuse_unused
from discreet.serve.refusals import Refusal, refusal
from discreet.study import Study
from discreet.study.gate import diversity_of
from discreet.study.session import DrawableColumn

__all__ = [
    "NUMBERS",
    "Wish",
    "allowed_methods",
    "check",
    "has_use",
    "usual_method",
    "usual_number",
]

#: What the policy has a value of.
NUMBERS = ("k", "q", "bins", "grid", "diversity", "pixels")

Columns = Mapping[str, DrawableColumn]
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Wish:
    """A request that the rules let pass which do not depend on the data.

    `request` is the same text for the same question, whatever was left to the policy.
    """

    kind: str
    columns: tuple[str, ...]
    formula: str
    named: Body

    @property
    def body(self) -> Body:
        """The request, without what holds where nobody says."""
        of = {"formula": self.formula} if self.formula else {"columns": [*self.columns]}
        return of | dict(self.named)

    @property
    def request(self) -> str:
        """The question as text, by which its answer is found again."""
        return json.dumps(self.body, sort_keys=True, separators=(",", ":"))


def check(study: Study, columns: Columns, kind: str, body: Body) -> Wish | Refusal:
    """Return what a request wants, or why it is refused whatever the data hold.

    Parameters
    ----------
    study : Study
        What is asked.
    columns : mapping of str to DrawableColumn
        The columns that may be drawn.
    kind : str
        The picture.
    body : mapping
        What the request holds, as its schema lets it.

    Returns
    -------
    Wish or Refusal
        The nearest request of a refusal is one that passes.
    """
    found = _checked(study, columns, kind, body)
    if isinstance(found, Wish):
        return found
    near: Body | None = found.nearest
    while near is not None:  # without what one rule refuses, another may refuse it still
        again = _checked(study, columns, kind, near)
        if isinstance(again, Wish):
            break
        near = again.nearest
    return dataclasses.replace(found, nearest=near)


def usual_method(policy: Policy, kind: str) -> str | None:
    """Return the method a picture is made by where nobody names one; None if it is refused."""
    try:
        return policy.settle(kind, ()).method
    except RefusedError:  # a guarded policy may name a method that no guarded study uses
        return None


def allowed_methods(policy: Policy, kind: str) -> tuple[str, ...]:
    """Return the methods that the policy lets a picture be made by, the usual one first."""
    usual = usual_method(policy, kind)
    found = [] if usual is None else [usual]
    for method in PLOTS[kind].methods:
        try:
            policy.settle(kind, (), method=method)
        except DiscreetError:
            continue
        found.append(method)
    return tuple(dict.fromkeys(found))


def usual_number(policy: Policy, method: str, name: str) -> int | float:
    """Return the value of one of `NUMBERS` that holds where nobody names one."""
    if name == "q":
        return policy.noise(policy.rows if policy.guarded else method)
    if name == "diversity":
        return diversity_of(policy)
    value: int = getattr(policy, name)
    return value


def has_use(policy: Policy, kind: str, method: str, name: str) -> bool:
    """Tell whether a picture by a method has a use for a parameter."""
    if name in NUMBERS:
        try:
            refuse_unused(kind, method, [name])
        except InputError:
            return False
        return True
    if name == "noise_on" and policy.guarded:
        return False  # the copy was protected before any plot
    methods = PARAMETERS[name].methods
    return not methods or method in methods


def _checked(study: Study, columns: Columns, kind: str, body: Body) -> Wish | Refusal:
    """Check a request; the nearest that a rule lets pass may break another."""
    given = {name: value for name, value in body.items() if value is not None}
    names = tuple(given.pop("columns", ()))
    formula = given.pop("formula", "")
    wrong = _names_wrong(columns, kind, names, given)
    if wrong:
        return refusal("request", wrong)
    if formula:
        try:
            formula, names = study.session.formula_of(formula, columns)
        except InputError:
            return refusal(
                "request",
                "formula: it cannot be read; write columns that can be drawn as 'y ~ x + C(group)',"
                " with :, *, log, log10, exp and sqrt",
            )
        except RefusedError:
            return refusal(
                "policy",
                "formula: under this policy levels may stand in it only where they are strata",
            )
    what = {"formula": formula} if formula else {"columns": [*names]}
    asked = _settled(study.policy, kind, names, given, what)
    if isinstance(asked, Refusal):
        return asked
    wrong_rows = _rows_wrong(study, columns, asked, given, what)
    if wrong_rows is not None:
        return wrong_rows
    named = _beside(study.policy, asked, given)
    named |= _sensitive_beside(study, names, given)
    return Wish(kind, names if not formula else (), formula, named)


def _names_wrong(columns: Columns, kind: str, names: Sequence[str], given: Body) -> str:
    """Say what is wrong about the columns of a request; nothing where they can be drawn."""
    if not all(name in columns for name in names):
        return "columns: each is one that can be drawn; /api/study lists them"
    if len({*names}) != len(names):
        return "columns: each is named once"
    wanted = PLOTS[kind].columns
    if wanted in ("continuous", "categorical") and any(
        columns[name].kind != wanted for name in names
    ):
        return f"columns: this picture takes {wanted} columns"
    if not {*given.get("sensitive", ())} <= {*names}:
        return "sensitive: each is one of the columns"
    by = given.get("by")
    if by is None:
        return ""
    if by not in columns or columns[by].kind != "categorical" or by in names:
        return "by: it is a categorical column that can be drawn, and none of the columns"
    if len(names) != PLOTS[kind].least:
        return f"by: a {PLOTS[kind].title.lower()} that is divided draws one column"
    return ""


def _settled(
    policy: Policy, kind: str, names: tuple[str, ...], given: Body, what: Body
) -> PlotRequest | Refusal:
    """Say how the policy lets the picture be made, or refuse a method or number."""
    method = given.get("method")
    if method is not None and method not in PLOTS[kind].methods:
        return refusal("request", "method: this picture has no such method; /api/study lists them")
    allowed, usual = allowed_methods(policy, kind), usual_method(policy, kind)
    if (usual if method is None else method) not in allowed:
        near = {**what, **_without(given, "method")}
        if usual is None:
            near["method"] = allowed[0]
        says = "method: the policy of this study does not allow it; /api/study lists those it does"
        return refusal("policy", says, near)
    numbers = _numbers(given)
    if policy.guarded:
        fixed = {name: usual_number(policy, method or "", name) for name in numbers}
        others = [name for name, value in numbers.items() if value != fixed[name]]
        if others:
            says = f"{' and '.join(others)}: the policy of this study fixes it; leave it out"
            return refusal("policy", says, {**what, **_without(given, *numbers)})
        numbers = {}
    try:
        asked = policy.settle(kind, names, method=method, **numbers)
    except InputError:
        return _out_of_range(*numbers)
    least = {name: PARAMETERS[name].least_of([asked.method]) or 0 for name in numbers}
    few = [name for name in numbers if numbers[name] < least[name]]
    if few:
        return _out_of_range(*few)
    for name in given:
        beside = name in PARAMETERS and name not in NUMBERS
        if beside and given[name] != PARAMETERS[name].usual:
            if name == "noise_on" and policy.guarded:
                says = f"{name}: the policy of this study fixes it; leave it out"
                return refusal("policy", says, {**what, **_without(given, name)})
            if not has_use(policy, kind, asked.method, name):
                return refusal("request", f"{name}: this method has no use for it; leave it out")
    return asked


def _out_of_range(*names: str) -> Refusal:
    said = " and ".join(names)
    return refusal("request", f"{said}: out of range, or without use for this method")


def _rows_wrong(
    study: Study, columns: Columns, asked: PlotRequest, given: Body, what: Body
) -> Refusal | None:
    """Refuse rows that may not be seen together, and levels that rows do not carry."""
    by = given.get("by")
    if by is not None and not asked.from_rows and "counts" not in PLOTS[asked.picture].by:
        return refusal("request", "by: points of a grid have no levels; draw a heat map by it")
    if not study.policy.guarded:
        return None
    if by is not None and asked.from_rows and by not in study.policy.strata:
        says = "by: under this policy rows carry the levels of strata alone"
        return refusal("policy", says, {**what, **_without(given, "by")})
    settled = study.session.groups_settled() if asked.from_rows else ()
    if asked.from_rows and not settled:
        try:
            check_group(study.policy, asked.columns)
        except RefusedError:
            says = "columns: fewer columns may be seen together row by row under this policy"
            return refusal("policy", says)
    apart = not any({*asked.columns} <= {*group} for group in settled)
    if settled and apart:
        says = "columns: rows of these may not be seen together; /api/study lists the groups"
        groups = [[name for name in group if name in columns] for group in settled]
        together = _together(groups, asked.columns) if "columns" in what else []
        return refusal("policy", says, {"columns": together, **given} if together else None)
    if not {*given.get("sensitive", ())} <= {*study.session.sensitive}:
        says = "sensitive: the policy of this study says what is; leave it out"
        return refusal("policy", says, {**what, **_without(given, "sensitive")})
    return None


def _together(groups: Sequence[Sequence[str]], names: Sequence[str]) -> list[str]:
    """Return columns of one group in the place of some, as many of which stay as can."""
    large = [group for group in groups if len(group) >= len(names)]
    if not large:
        return []
    group = max(large, key=lambda group: len({*group} & {*names}))
    others = iter([name for name in group if name not in names])
    return [name if name in group else next(others) for name in names]


def _beside(policy: Policy, asked: PlotRequest, given: Body) -> dict[str, Any]:
    """Return what is asked for beside columns, without what holds where nobody says."""
    named = _without(given, "method", "sensitive", *NUMBERS)
    for name in [name for name in named if name in PARAMETERS]:
        if named[name] == PARAMETERS[name].usual:
            del named[name]
    if asked.method != usual_method(policy, asked.picture):
        named["method"] = asked.method
    for name, value in _numbers(given).items():
        if value != usual_number(policy, asked.method, name):
            named[name] = value
    return named


def _sensitive_beside(study: Study, names: Sequence[str], given: Body) -> dict[str, Any]:
    """Return the columns that are sensitive in this picture and not by their role."""
    declared = study.session.sensitive
    others = [name for name in names if name in given.get("sensitive", ()) and name not in declared]
    return {"sensitive": others} if others else {}


def _numbers(given: Body) -> dict[str, Any]:
    """Return the numbers that were given; more pixels than there may be are the most there may."""
    numbers = {name: given[name] for name in NUMBERS if name in given}
    if "pixels" in numbers:
        numbers["pixels"] = min(numbers["pixels"], MOST_PIXELS)
    return numbers


def _without(given: Body, *names: str) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in names}
