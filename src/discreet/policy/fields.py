"""What a field of a policy is: what it may hold, what it says, and what another value changes.

Each stands once, where its dataclass declares it; documents, options and errors read it from there.
"""

from __future__ import annotations

import dataclasses
import math
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal

from discreet.columns.dates import is_form
from discreet.errors import InputError, one_of

MOST_EDGES = 101
METADATA = "field"
Changes = Literal["copy", "answers", "nothing"]
"""What another value changes: the values of the protected copy, what is answered of it, or neither,
such as how a server hands it out."""


@dataclass(frozen=True)
class Rule:
    """What a field may hold: its type, that in words, what tells, and how a value is kept."""

    type: str
    allowed: str
    holds: Callable[[Any], bool]
    freeze: Callable[[Any], Any] = lambda value: value


@dataclass(frozen=True)
class Field:
    """A field of a policy: the rule of what it may hold, and what it holds where nobody says.

    `says` is what it means, for documents and the command line's help; `option` the option that
    says it. `words` are what a policy says by it to a custodian, `otherwise` where it holds
    nothing: the rest of the sentence follows a line, and names of fields stand in braces.
    """

    rule: Rule
    default: Any
    says: str
    changes: Changes
    option: str | None = None
    words: str = ""
    otherwise: str = ""

    def check(self, name: str, value: Any) -> None:
        """Refuse a value that the field may not hold."""
        if not self.rule.holds(value):
            raise InputError(f"{name} of the policy must be {self.rule.allowed}")


def setting(rule: Rule, default: Any, says: str, changes: Changes, **more: str) -> Any:
    """Declare a field in the body of a dataclass; `more` are its option and its words."""
    kept = rule.freeze(default)
    field = Field(rule, default, says, changes, **more)
    return dataclasses.field(default_factory=lambda: kept, metadata={METADATA: field})


def fields_of(kind: type[Any]) -> Mapping[str, Field]:
    """Return the declared fields of a dataclass by name, in their order."""
    declared = [it for it in dataclasses.fields(kind) if it.metadata]
    return MappingProxyType({it.name: it.metadata[METADATA] for it in declared})


def check_fields(of: Any, room: str = "") -> None:
    """Refuse an object one of whose fields may not hold what it does; `room` is its table's name.

    A value that could be changed from outside is refused, too.
    """
    for name, field in fields_of(type(of)).items():
        value = getattr(of, name)
        if type(value) is not type(field.rule.freeze(value)):
            raise InputError(f"{room}{name} of the policy must be frozen; use Policy.from_dict")
        field.check(f"{room}{name}", value)


def from_keys(
    kind: type[Any],
    given: Mapping[str, Any],
    what: str,
    elsewhere: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Make an object of plain values; an unknown key is refused by name.

    `what` is the object's name, and `elsewhere` says of keys of another table what to write.
    """
    known = fields_of(kind)
    for key in given:
        if key in known:
            continue
        close = get_close_matches(str(key), known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {one_of(known)}"
        raise InputError(f"{what} has no key {key!r}; {elsewhere.get(key, hint)}")
    return kind(**{key: known[key].rule.freeze(value) for key, value in given.items()})


def documented(kind: type[Any]) -> None:
    """Write the fields of a dataclass into its docstring, as numpydoc has parameters."""
    lines = []
    for name, field in fields_of(kind).items():
        unset = field.default is None or field.default in ({}, ())
        usual = "optional" if unset else f"default {plain(field.default)!r}"
        indent = " " * 8
        says = textwrap.fill(field.says, 100, initial_indent=indent, subsequent_indent=indent)
        lines += [f"    {name} : {field.rule.type}, {usual}", says]
    text, head = kind.__doc__ or "", "    Parameters\n    ----------\n"
    if head not in text:
        text = text.replace("    Examples\n", f"{head}\n    Examples\n", 1)
    kind.__doc__ = text.replace(head, "\n".join([f"{head}{lines[0]}", *lines[1:], ""]), 1)


def plain(value: Any) -> Any:
    """Return a field's value as TOML and JSON write it."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


# --- how values are kept ------------------------------------------------------------------------


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list | tuple) else value


def _as_tuples(value: Any) -> Any:
    kept = _as_tuple(value)
    return tuple(map(_as_tuple, kept)) if isinstance(kept, tuple) else kept


def _as_table(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return MappingProxyType({column: _as_tuple(it) for column, it in value.items()})


# --- what values may be -------------------------------------------------------------------------


def whole(low: int, high: int) -> Rule:
    """Allow whole numbers between two."""
    return Rule(
        "int",
        f"a whole number from {low} to {high}",
        lambda v: isinstance(v, int) and not isinstance(v, bool) and low <= v <= high,
    )


def number(low: float, high: float) -> Rule:
    """Allow numbers between two."""
    allowed = f"a number from {low:g} to {high:g}"
    return Rule("float", allowed, lambda v: _is_number(v) and low <= v <= high)


def word(allowed: Iterable[str]) -> Rule:
    """Allow one of some words."""
    words = tuple(allowed)
    listed = ", ".join(f'"{it}"' for it in words)
    return Rule(f"{{{listed}}}", f"one of {one_of(words)}", lambda v: _is_text(v) and v in words)


def optional(rule: Rule) -> Rule:
    """Allow that nothing is said, too."""
    return dataclasses.replace(rule, holds=lambda v: v is None or rule.holds(v))


def table_of(type_: str, allowed: str, holds: Callable[[str, Any], bool]) -> Rule:
    """Allow a table of columns, each with something that `holds` beside the column's name."""
    return Rule(
        f"mapping of str to {type_}",
        allowed,
        lambda v: (
            isinstance(v, Mapping) and all(_is_text(name) and holds(name, v[name]) for name in v)
        ),
        _as_table,
    )


def texts(allowed: str, longest: float = math.inf) -> Rule:
    """Allow a table of columns, each with a text of so many letters at most."""
    return table_of(
        "str",
        allowed,
        lambda name, it: bool(name.strip() and _is_text(it) and it.strip()) and len(it) <= longest,
    )


def column_words(allowed: Sequence[str]) -> Rule:
    """Allow a table of columns, each with one of some words."""
    says = f"a table of columns, each one of {one_of(allowed)}"
    return table_of("str", says, lambda _, it: it in allowed)


def _tuples(type_: str, each: str, holds: Callable[[tuple[Any, ...]], bool]) -> Rule:
    """Allow a table of columns, each with a tuple that holds something."""
    return table_of(
        type_, f"a table of columns, each {each}", lambda _, it: isinstance(it, tuple) and holds(it)
    )


def _is_text(v: Any) -> bool:
    return isinstance(v, str)


def _is_number(v: Any) -> bool:
    # A whole number of TOML may be too large for a float; NaN is not below anything.
    return isinstance(v, int | float) and not isinstance(v, bool) and abs(v) <= sys.float_info.max


def _are_names(v: Any) -> bool:
    return isinstance(v, tuple) and all(isinstance(name, str) and name for name in v)


def _are_pairs(v: Any) -> bool:
    return isinstance(v, tuple) and all(_are_names(it) and len({*it}) == len(it) == 2 for it in v)


def _rise(numbers: tuple[Any, ...]) -> bool:
    return all(map(_is_number, numbers)) and all(low < high for low, high in pairwise(numbers))


def _are_bounds(ends: tuple[Any, ...]) -> bool:
    """Tell whether a column's ends are in order; an open end is infinite."""
    known = all(_is_number(end) or end in (-math.inf, math.inf) for end in ends)
    return len(ends) == 2 and known and ends[0] < ends[1]


NAME = Rule("str", "a name", lambda v: isinstance(v, str) and bool(v))
YES_NO = Rule("bool", "true or false", lambda v: isinstance(v, bool))
NAMES = Rule("sequence of str", "a list of column names", _are_names, _as_tuple)
PAIRS = Rule(
    "sequence of pairs of str", "a list of pairs of different column names", _are_pairs, _as_tuples
)
FORMS = table_of(
    "str",
    "a table of columns, each with how its dates are written, such as '%d/%m/%Y'",
    lambda name, it: bool(name) and is_form(it),
)
EXPRESSIONS = texts("a table of new columns, each an expression of others")
LIMITS = _tuples(
    "(float, float)",
    "with a lower and a larger upper number",
    lambda it: len(it) == 2 and _rise(it),
)
BOUNDS = _tuples("(float, float)", "with a lower and a larger upper number, or inf", _are_bounds)
EDGES = _tuples(
    "sequence of float",
    f"with 2 to {MOST_EDGES} numbers that rise",
    lambda it: 2 <= len(it) <= MOST_EDGES and _rise(it),
)
DIFFERENT = _tuples(
    "sequence of float",
    "with a list of different numbers",
    lambda it: all(map(_is_number, it)) and len(set(it)) == len(it),
)
LEVELS = _tuples(
    "sequence of str",
    "with its levels from first to last",
    lambda it: _are_names(it) and len(set(it)) == len(it),
)
