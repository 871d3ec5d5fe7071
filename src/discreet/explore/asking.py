"""What the methods of a Study take, checked before anything else: a mistake is answered in words.

Whoever comes from another library writes `hue=`, or a list in place of a name, and is told what to
write here. What is checked is read from the annotations of a method, so that a new one needs
nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from numbers import Number
from typing import Any, TypeVar, cast, get_args, get_type_hints

from discreet.arguments import check_ratio
from discreet.errors import InputError, one_of
from discreet.plots import Plot
from discreet.plots.plot import PAPERS

Method = TypeVar("Method", bound=Callable[..., Any])

BY = "by"
BY_ELSEWHERE = (
    *("hue", "color", "colour", "colors", "colours", "c", "fill"),
    *("group", "groups", "groupby", "group_by", "by_", "strata", "split"),
    *("facet", "facets", "facet_row", "facet_col", "row", "col", "style"),
)
"""What other libraries call the column that divides a plot."""
TEXTS = ("str", "str | None")
LISTS = ("Sequence[str]", "Sequence[str] | None")
BYS = ("By | None", "str | Sequence[str]")
NAMES = (
    *("column", "x", "y", "rows", "columns", "time", "event", "date", "value"),
    *("weights", "per", "by", "sensitive"),
)
"""Parameters of text that are the name of a column."""


def asked(method: Method) -> Method:
    """Return a method of a Study that answers what it does not take with a sentence."""

    @wraps(method)
    def answered(self: object, *given: Any, **named: Any) -> Any:
        check_call(method, given, named)
        return method(self, *given, **named)

    return cast("Method", answered)


def plot_method(plot: type[Plot[Any]], door: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method that draws a plot, with the fields of the plot as its parameters.

    It is a Study's or a Research's (`door`), which takes a method and its numbers, too; `draw` is
    given whose it is, the plot that is asked for, and these. As `asked` it checks the call.
    """
    known = plot.settings()
    places, by_name = [], []
    for it in inspect.signature(plot).parameters.values():
        if it.name not in known or known[it.name].only not in ("", door):
            continue
        if it.kind is it.KEYWORD_ONLY:
            one = door == PAPERS and it.name == BY
            by_name.append(it.replace(annotation="str | None") if one else it)
        elif plot.one_by_one():
            places.append(it.replace(kind=it.VAR_POSITIONAL, annotation="str"))
        else:
            places.append(it)
    ways = ("method", *plot.numbers) if door == PAPERS else ("method", "k") if plot.axes else ()
    kinds = {it: "str | None" if it == "method" else "Any" for it in ways}
    by_name += [
        inspect.Parameter(it, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for it, kind in kinds.items()
    ]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)

    def drawn(self: Any, *given: Any, **named: Any) -> Any:
        check_call(drawn, given, named)
        way = {name: named.pop(name) for name in ways if name in named}
        if any(it.kind is it.VAR_POSITIONAL for it in places):
            named[places[0].name], given = given, ()
        return draw(self, plot(*given, **named), way)

    drawn.__name__ = drawn.__qualname__ = plot.name
    drawn.__doc__ = plot.__doc__ if door != PAPERS else _with_ways(plot.__doc__ or "", ways)
    # As `inspect` reads it.
    drawn.__signature__ = inspect.Signature([own, *places, *by_name])  # type: ignore[attr-defined]
    return drawn


def _with_ways(text: str, ways: Sequence[str]) -> str:
    """Add method and numbers to the parameters of a docstring."""
    says = {
        "method": "method : str, optional\n        By which rows or counts are protected.",
        "k": "k : int, optional\n        The least number of records behind anything drawn.",
        "q": "q : float, optional\n        Noise as a share of a column's standard deviation.",
    }
    added = "".join(f"\n    {says[it]}" for it in ways)
    return text.replace("\n\n    Returns\n", f"{added}\n\n    Returns\n", 1)


def known_settings(kind: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Refuse other names than a kind of settings has: one passed on could say something else."""
    for name in given:
        if name not in kind.__annotations__:
            allowed = one_of(kind.__annotations__)
            raise InputError(f"unknown setting {name!r} here; there are {allowed}")
    return dict(given)


def check_call(method: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> None:
    """Refuse a call of a method that cannot be answered, in words."""
    name, taken, settings = method.__name__, _taken(method), _settings(method)
    for key in named:
        if key in taken or key in (settings or ()):
            continue
        if key in BY_ELSEWHERE:  # what those of other libraries are here
            raise InputError(_of_by(name, key, taken), parameter=key)
        if settings is None:  # `**research` is checked against its own names, by the method
            there = [it.name for it in taken.values() if it.kind is not it.VAR_POSITIONAL]
            raise InputError(
                f"unknown setting {key!r} here; there are {one_of(there)}", parameter=key
            )
    places = [it for it in taken.values() if it.kind is it.POSITIONAL_OR_KEYWORD]
    rest = next((it for it in taken.values() if it.kind is it.VAR_POSITIONAL), None)
    if rest is None and len(given) > len(places):
        raise InputError(_too_many(name, taken, places))
    for place, value in zip(places, given, strict=False):
        _check_value(name, place, value)
        if place.name in named:
            raise InputError(
                f"{name} was given {place.name} twice; give it once", parameter=place.name
            )
    for value in given if rest is not None else ():
        if not isinstance(value, str):
            raise InputError(
                f"{name} takes the name of each column by itself, as in"
                f" study.{name}('age', 'bmi'), and was given {_words_of(value)}; write"
                f" study.{name}(*names) where the names are in a list",
                parameter=rest.name if rest else "",
            )
    for it in places[len(given) :]:
        if it.default is it.empty and it.name not in named:
            raise InputError(
                f"{name} needs {it.name}: study.{name}({_example(places)})", parameter=it.name
            )
    for key, value in named.items():
        if key in taken:
            _check_value(name, taken[key], value)


@cache
def _taken(method: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return what a method takes, but for the study itself."""
    found = dict(inspect.signature(method).parameters)
    del found["self"]
    return found


@cache
def _settings(method: Callable[..., Any]) -> frozenset[str] | None:
    """Return the names that `**research` of a method takes, or None where it has none."""
    for it in inspect.signature(method).parameters.values():
        if it.kind is it.VAR_KEYWORD:
            (of,) = get_args(get_type_hints(method)[it.name])
            return frozenset(get_type_hints(of))
    return None


def _of_by(name: str, key: str, taken: Mapping[str, inspect.Parameter]) -> str:
    if BY in taken:
        return (
            f"unknown setting {key!r} here; use by=, which takes the column whose levels divide "
            "it: by='sex'"
        )
    return (
        f"unknown setting {key!r} here, and {name} is not divided by another column, as others "
        "are with by=; study.where(\"sex == 'f'\") makes a part of the study of which it can "
        "be asked for"
    )


def _too_many(
    name: str, taken: Mapping[str, inspect.Parameter], places: Sequence[inspect.Parameter]
) -> str:
    if any(it.annotation in LISTS for it in places[:1]):
        return (
            f"{name} takes its columns as one list: study.{name}(['age', 'bmi']); give all else by"
            " name"
        )
    divided = "; a column that divides it is by='sex'" if BY in taken else ""
    if not places:
        return f"{name} takes only named arguments"
    without = " and ".join(it.name for it in places)
    return f"{name} takes {without} without a name, and was given more{divided}"


def _check_value(name: str, of: inspect.Parameter, value: object) -> None:
    """Refuse a value of another kind than an annotation says; what others say is checked later."""
    kind = of.annotation
    if kind in TEXTS:
        if not (isinstance(value, str) or (value is None and kind != "str")):
            raise _no_text(name, of.name, value)
    elif kind in LISTS:
        _check_list(name, of.name, value, optional=kind != LISTS[0])
    elif kind in BYS:
        _check_by(name, value, optional=kind == BYS[0])
    elif kind == "bool" and not isinstance(value, bool):
        raise InputError(f"{of.name} must be True or False", parameter=of.name)


def _no_text(name: str, parameter: str, value: object) -> InputError:
    if parameter not in NAMES:
        said = f"{parameter} of {name} is text, and {_words_of(value)} was given"
        return InputError(said, parameter=parameter)
    listed = isinstance(value, list | tuple)
    return InputError(
        f"{name} takes the name of one column as {parameter}, such as {parameter}='age', and"
        f" was given {_words_of(value)}{'; write it without brackets' if listed else ''}",
        parameter=parameter,
    )


def _check_list(name: str, parameter: str, value: object, *, optional: bool) -> None:
    if value is None and optional:
        return
    if _are_names(value):
        return
    raise InputError(
        f"{parameter} must be a list of column names, such as ['age', 'bmi'], and {name} was given"
        f" {_words_of(value)}",
        parameter=parameter,
    )


def _check_by(name: str, value: object, *, optional: bool) -> None:
    if isinstance(value, str) or _are_names(value) or (value is None and optional):
        return
    raise InputError(
        f"by takes the name of a column of levels, or of two: {name} with by='sex' or"
        f" by=('age_band', 'sex'); it was given {_words_of(value)}",
        parameter=BY,
        rule="two",
    )


def _are_names(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(it, str) for it in value)


def _words_of(value: object) -> str:
    """Say what was given, and nothing of what is in it."""
    if value is None:
        return "None"
    if isinstance(value, str):
        return "one name, without brackets"
    if isinstance(value, list | tuple):
        return "a list" if _are_names(value) else "a list of something else"
    if isinstance(value, Number):
        return "a number"
    return "something else"


def _example(places: Sequence[inspect.Parameter]) -> str:
    """Write the parameters that a method needs, as a call has them."""
    needed = [it for it in places if it.default is it.empty]
    return ", ".join(f"{it.name}=..." for it in needed)


def check_risk_below(risk_below: float | None) -> None:
    """Refuse what is no share of records that may be linked."""
    if risk_below is not None and check_ratio("risk_below", risk_below, zero=False) > 1:
        raise InputError("risk_below is a share above 0 and at most 1, such as 0.05")
