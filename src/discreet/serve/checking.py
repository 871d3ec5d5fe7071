"""What of a request is decided before the data are touched: names, kinds, methods, numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.errors import DiscreetError, InputError, RefusedError
from discreet.parallel.pixels import MOST_PIXELS
from discreet.policy import PICTURES as METHODS_OF
from discreet.policy import Asked, Policy
from discreet.serve.pictures import PARAMETERS, PICTURES
from discreet.serve.refusals import Refusal, refusal
from discreet.study import Study
from discreet.study.told import ToldColumn, formula_of, sensitive_columns

__all__ = ["NUMBERS", "Wish", "allowed_methods", "check"]

#: What the policy has a value of.
NUMBERS = ("k", "q", "bins", "grid", "diversity", "pixels")


@dataclass(frozen=True)
class Wish:
    """A request that the rules let pass which do not depend on the data.

    `request` is the same text for the same question, whatever was left to the policy.
    """

    kind: str
    columns: tuple[str, ...]
    formula: str
    named: Mapping[str, Any]

    @property
    def request(self) -> str:
        """The question as text, by which its answer is found again."""
        of = {"formula": self.formula} if self.formula else {"columns": [*self.columns]}
        return json.dumps(of | dict(self.named), sort_keys=True, separators=(",", ":"))


def check(
    study: Study, columns: Mapping[str, ToldColumn], kind: str, body: Mapping[str, Any]
) -> Wish | Refusal:
    """Return what a request wants, or why it is refused whatever the data hold.

    Parameters
    ----------
    study : Study
        What is asked.
    columns : mapping of str to ToldColumn
        The columns that may be drawn.
    kind : str
        The picture.
    body : mapping
        What the request holds, as its schema lets it.

    Returns
    -------
    Wish or Refusal
    """
    given = {name: value for name, value in body.items() if value is not None}
    names = tuple(given.pop("columns", ()))
    formula = given.pop("formula", "")
    wrong = _names_wrong(columns, kind, names, given.get("by"))
    if wrong:
        return refusal("request", wrong)
    if formula:
        try:
            formula, names = formula_of(study, formula, columns)
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
    wrong_rows = _rows_wrong(study, asked, given, what)
    if wrong_rows is not None:
        return wrong_rows
    return Wish(kind, names if not formula else (), formula, _beside(study.policy, asked, given))


def allowed_methods(policy: Policy, kind: str) -> tuple[str, ...]:
    """Return the methods that the policy lets a picture be made by, the usual one first."""
    usual = policy.settle(kind, ()).method
    found = [usual]
    for method in METHODS_OF[kind]:
        try:
            policy.settle(kind, (), method=method)
        except DiscreetError:
            continue
        found.append(method)
    return tuple(dict.fromkeys(found))


def _names_wrong(
    columns: Mapping[str, ToldColumn], kind: str, names: Sequence[str], by: str | None
) -> str:
    """Say what is wrong about the columns of a request; nothing where they can be drawn."""
    if not all(name in columns for name in names):
        return "columns: each is one that can be drawn; /api/study lists them"
    if len({*names}) != len(names):
        return "columns: each is named once"
    wanted = PICTURES[kind].columns
    if wanted in ("continuous", "categorical") and any(
        columns[name].kind != wanted for name in names
    ):
        return f"columns: this picture takes {wanted} columns"
    if by is None:
        return ""
    if by not in columns or columns[by].kind != "categorical" or by in names:
        return "by: it is a categorical column that can be drawn, and none of the columns"
    if kind == "box" and len(names) != 1:
        return "by: a box plot that is divided draws one column"
    return ""


def _settled(
    policy: Policy,
    kind: str,
    names: tuple[str, ...],
    given: Mapping[str, Any],
    what: Mapping[str, Any],
) -> Asked | Refusal:
    """Say how the policy lets the picture be made, or refuse a method or number."""
    method = given.get("method")
    if method is not None and method not in METHODS_OF[kind]:
        return refusal("request", "method: this picture has no such method; /api/study lists them")
    if method is not None and method not in allowed_methods(policy, kind):
        rest = {name: value for name, value in given.items() if name != "method"}
        says = "method: the policy of this study does not allow it; /api/study lists those it does"
        return refusal("policy", says, {**what, **rest})
    numbers = _numbers(given)
    said = " and ".join(numbers)
    try:
        asked = policy.settle(kind, names, method=method, **numbers)
    except RefusedError:
        rest = {name: value for name, value in given.items() if name not in NUMBERS}
        says = f"{said}: the policy of this study fixes it; leave it out"
        return refusal("policy", says, {**what, **rest})
    except InputError:
        return refusal("request", f"{said}: out of range, or without use for this method")
    for name in given:
        uses = PARAMETERS[name].methods if name in PARAMETERS and name not in NUMBERS else ()
        if uses and asked.method not in uses:
            return refusal("request", f"{name}: this method has no use for it; leave it out")
    return asked


def _rows_wrong(
    study: Study, asked: Asked, given: Mapping[str, Any], what: Mapping[str, Any]
) -> Refusal | None:
    """Refuse rows that may not be seen together, and levels that rows do not carry."""
    by = given.get("by")
    rest = {name: value for name, value in given.items() if name != "by"}
    if by is not None and asked.picture == "scatter" and not asked.from_rows:
        return refusal("request", "by: points of a grid have no levels; draw a heat map by it")
    if not study.policy.guarded:
        return None
    if by is not None and asked.from_rows and by not in study.policy.strata:
        says = "by: under this policy rows carry the levels of strata alone"
        return refusal("policy", says, {**what, **rest})
    apart = not any({*asked.columns} <= {*group} for group in study.groups)
    if asked.from_rows and study.groups and apart:
        says = "columns: rows of these may not be seen together; /api/study lists the groups"
        together = [group for group in study.groups if len(group) >= len(asked.columns)]
        fits = together and "columns" in what
        near = {"columns": [*together[0][: len(asked.columns)]], **given} if fits else None
        return refusal("policy", says, near)
    if not {*given.get("sensitive", ())} <= {*sensitive_columns(study)}:
        rest = {name: value for name, value in given.items() if name != "sensitive"}
        says = "sensitive: the policy of this study says what is; leave it out"
        return refusal("policy", says, {**what, **rest})
    return None


def _beside(policy: Policy, asked: Asked, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked for beside columns, without what holds where nobody says."""
    named = {name: value for name, value in given.items() if name not in (*NUMBERS, "method")}
    for name in [name for name in named if name in PARAMETERS]:
        if named[name] == PARAMETERS[name].usual:
            del named[name]
    if asked.method != policy.settle(asked.picture, ()).method:
        named["method"] = asked.method
    for name, value in _numbers(given).items():
        usual = policy.noise(asked.method) if name == "q" else getattr(policy, name)
        if value != usual:
            named[name] = value
    if policy.guarded:
        named.pop("sensitive", None)
    return named


def _numbers(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers that were given; more pixels than there may be are the most there may."""
    numbers = {name: given[name] for name in NUMBERS if name in given}
    if "pixels" in numbers:
        numbers["pixels"] = min(numbers["pixels"], MOST_PIXELS)
    return numbers
