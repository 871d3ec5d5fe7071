"""What may be done with what: the kinds of all that is written are checked before any value is."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, pairwise

from discreet.expressions.tree import KINDS, Applied, Column, Constant, Mistake, Node, Place, nodes

NO_AND_YES = (("no", "yes"), ("n", "y"), ("false", "true"), ("0", "1"))
"""The values of a column that says yes or no, whatever their case; the second of each is true."""
LARGEST_EXPONENT = 10
"""How large the constant may be that a column is raised to."""
NO_EXPONENT = f"an exponent must be a constant of at most {LARGEST_EXPONENT}"
LARGEST_CONSTANT = 1e15
"""How large any other constant may be."""
MOST_ARGUMENTS = 100
"""How many arguments a function may have, and operands a chain of signs, and constants a list."""
MOST_DIGITS = 15
"""So many digits a number is rounded to at most."""
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")
SECONDS = 86_400
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Call:
    """A function as it is written: its name, what stands in its brackets, and where it stands."""

    name: str
    arguments: tuple[Node, ...]
    place: Place


@dataclass(frozen=True)
class Rule:
    """How a function is written, how many arguments it takes, and what is made of a call of it."""

    usage: str
    least: int
    most: int
    made: Callable[[Call], Node]


# --- signs ------------------------------------------------------------------------------------


def constant(text: str, place: Place) -> Constant:
    """Read a number."""
    value = float(text)
    if value > LARGEST_CONSTANT:
        raise Mistake(place, f"a constant must be a number of at most {LARGEST_CONSTANT:g}")
    return Constant(int(text) if text.isdecimal() else value, "number", place, text)


def truth(word: str, place: Place) -> Constant:
    """Read true or false."""
    return Constant(float(word.lower() == "true"), "truth", place, word)


def yes_of(words: Collection[str]) -> str:
    """Return which of a column's values is true, if they say yes or no and nothing else.

    Examples
    --------
    >>> yes_of({"No", "Yes"}), yes_of({"False"}), yes_of({"yes", "no", "unknown"})
    ('Yes', 'True', '')
    """
    for pair in NO_AND_YES:
        given = {word.casefold(): word for word in words}
        if given and len(given) == len(words) and {*given} <= {*pair}:
            return given.get(pair[1]) or _copy_case(pair[1], given[pair[0]])
    return ""


def _copy_case(word: str, like: str) -> str:
    """Write a word as another one is written: no, No or NO."""
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word.capitalize() if like[0].isupper() else word


def condition_of(node: Node) -> Node:
    """Return a column that says yes or no as the condition that it is yes; all else as it is."""
    if not isinstance(node, Column) or not node.yes:
        return node
    number = node.kind == "number"
    yes = Constant(float(node.yes) if number else node.yes, node.kind, node.place, node.yes)
    return Applied("compare", (node, yes), "truth", node.place, ("==",))


def joined(word: str, operands: Sequence[Node]) -> Node:
    """Join conditions by `and` or `or`."""
    known = [_condition(it, f"{word!r} joins conditions") for it in operands]
    return Applied(word, tuple(known), "truth", _around(operands))


def opposite(operand: Node, place: Place) -> Node:
    """Return `not` of a condition."""
    known = _condition(operand, "'not' stands before a condition")
    return Applied("not", (known,), "truth", (place[0], operand.place[1]))


def compared(signs: Sequence[str], operands: Sequence[Node]) -> Node:
    """Compare neighbours, each operand with the next."""
    if any(_is_truth(it) for it in operands):
        return _compare_with_truth(signs, operands)
    known = _dates_read(operands)
    for sign, (left, right) in zip(signs, pairwise(known), strict=True):
        _are_alike(left, right)
        if left.kind == "level" and sign not in {"==", "!="}:
            raise Mistake(right.place, "text has no order; compare it by ==, != or in")
    return Applied("compare", tuple(known), "truth", _around(operands), tuple(signs))


def _compare_with_truth(signs: Sequence[str], operands: Sequence[Node]) -> Node:
    """Read `smoker == true` as a condition, or as one that does not hold."""
    constants = [it for it in operands if isinstance(it, Constant) and _is_truth(it)]
    others = [it for it in operands if it not in constants]
    if len(operands) != 2 or len(others) != 1 or signs[0] not in {"==", "!="}:
        place = constants[0].place
        raise Mistake(place, "true and false stand beside one condition: smoker == true")
    says = f"{constants[0].text!r} is compared with a condition, or a column of yes and no"
    condition = _condition(others[0], says)
    holds = (constants[0].value == 1.0) == (signs[0] == "==")
    around = _around(operands)
    return (
        replace(condition, place=around) if holds else Applied("not", (condition,), "truth", around)
    )


def _is_truth(node: Node) -> bool:
    return isinstance(node, Constant) and node.kind == "truth"


def among(operand: Node, choices: Sequence[Node], place: Place) -> Node:
    """Tell whether something is one of some constants."""
    known = _dates_read([operand, *choices])
    for choice in known[1:]:
        if not isinstance(choice, Constant):
            raise Mistake(choice.place, "the list behind 'in' holds constants alone; use == and or")
        _are_alike(known[0], choice)
    return Applied("in", tuple(known), "truth", (operand.place[0], place[1]))


def total(signs: Sequence[str], operands: Sequence[Node]) -> Node:
    """Add and take away; of two dates the difference in days, and days may be added to a date."""
    known = _dates_read(operands)
    kind = known[0].kind
    for sign, (before, right) in zip(signs, pairwise(known), strict=True):
        if kind != "date":
            _is_number(before, f"{sign!r} stands between numbers, or a date and a number of days")
        if kind == right.kind == "date" and sign == "-":
            kind = "number"
        elif kind == "number" and right.kind == "date" and sign == "+":
            kind = "date"
        elif kind == right.kind == "date" or right.kind == "date":
            raise Mistake(right.place, "of dates only the difference can be taken: date - date")
        else:
            _is_number(right, f"{sign!r} stands between numbers, or a date and a number of days")
    return Applied("sum", tuple(known), kind, _around(operands), tuple(signs))


def product(signs: Sequence[str], operands: Sequence[Node]) -> Node:
    """Multiply and divide numbers."""
    for operand in operands:
        _is_number(operand, f"{signs[0]!r} stands between numbers")
    return Applied("product", tuple(operands), "number", _around(operands), tuple(signs))


def negative(operand: Node, place: Place) -> Node:
    """Return a number with the other sign; that of a constant is a constant."""
    _is_number(operand, "'-' stands before a number")
    around = (place[0], operand.place[1])
    if isinstance(operand, Constant) and not operand.text.startswith("-"):
        value = -float(operand.value) if isinstance(operand.value, str) else -operand.value
        return replace(operand, value=value, text=f"-{operand.text}", place=around)
    return Applied("minus", (operand,), "number", around)


def power(base: Node, exponent: Node) -> Node:
    """Raise what has a column to a constant."""
    _is_number(base, "a power is taken of a number")
    value = exponent.value if isinstance(exponent, Constant) else None
    if (
        exponent.kind != "number"
        or not isinstance(value, int | float)
        or abs(value) > LARGEST_EXPONENT
    ):
        raise Mistake(exponent.place, NO_EXPONENT)
    if not any(isinstance(node, Column) for node in nodes(base)):
        raise Mistake(base.place, "a power must be one of a column, not of a constant")
    return Applied("power", (base, exponent), "number", _around([base, exponent]))


def _dates_read(operands: Sequence[Node]) -> list[Node]:
    """Read texts as dates where they stand beside a date."""
    if not any(operand.kind == "date" for operand in operands):
        return list(operands)
    return [_date(it) if isinstance(it, Constant) and it.kind == "level" else it for it in operands]


def _date(constant: Constant) -> Constant:
    text = str(constant.value)
    try:
        if not DATE.fullmatch(text):
            raise ValueError
        moment = datetime.fromisoformat(text)
    except ValueError:  # such as a 30th of February
        raise Mistake(
            constant.place, "a date is written '2019-01-31', with a time '2019-01-31 14:30'"
        ) from None
    days = (moment - datetime(1970, 1, 1)).total_seconds() / SECONDS
    return Constant(days, "date", constant.place, text)


def _are_alike(left: Node, right: Node) -> None:
    """Refuse to compare what is of two kinds, or what stands for a missing value."""
    if "truth" in (left.kind, right.kind):
        place = (left if left.kind == "truth" else right).place
        raise Mistake(place, "what is true or false is not compared; join conditions by and, or")
    if left.kind != right.kind:
        says = f"{KINDS[left.kind]} is not compared with {KINDS[right.kind]}"
        if {left.kind, right.kind} == {"number", "level"}:
            text = left if left.kind == "level" else right
            if isinstance(text, Column) and text.yes:
                says += f"; write {text.name} == true, or the text {text.yes!r}"
            elif isinstance(text, Column):
                says += f"; column {text.name!r} has levels, which are written in quotation marks"
            elif isinstance(text, Constant):
                says += "; write numbers without quotation marks"
        raise Mistake(right.place, says)
    for one in (left, right):
        if isinstance(one, Constant) and one.value == "":
            raise Mistake(one.place, "an empty text is a missing value; ask missing(x)")


def _is_number(node: Node, says: str) -> None:
    if node.kind != "number":
        raise Mistake(node.place, f"{says}; this is {KINDS[node.kind]}")


def _condition(node: Node, says: str) -> Node:
    condition = condition_of(node)
    if condition.kind != "truth":
        raise Mistake(node.place, f"{says}, such as age >= 50; this is {KINDS[node.kind]}")
    if _is_truth(condition):
        raise Mistake(node.place, f"{says}, such as age >= 50; this is the same in all rows")
    return condition


def _around(operands: Sequence[Node]) -> Place:
    return operands[0].place[0], operands[-1].place[1]


# --- functions --------------------------------------------------------------------------------


def _number_call(call: Call) -> Node:
    _is_number(call.arguments[0], f"{call.name}() takes a number")
    return Applied(call.name, call.arguments, "number", call.place)


def _date_call(call: Call) -> Node:
    (date,) = call.arguments
    if date.kind != "date":
        raise Mistake(date.place, f"{call.name}() takes a date; this is {KINDS[date.kind]}")
    weekday = call.name == "weekday"
    levels = WEEKDAYS if weekday else ()
    return Applied(
        call.name, call.arguments, "level" if weekday else "number", call.place, levels=levels
    )


def _between_call(call: Call) -> Node:
    value, low, high = call.arguments
    made = compared(("<=", "<="), (low, value, high))
    return replace(made, place=call.place)


def _round(call: Call) -> Node:
    value, digits, *_ = (*call.arguments, Constant(0, "number", call.place))
    _is_number(value, "round() takes a number")
    given = digits.value if isinstance(digits, Constant) else None
    if not isinstance(given, int) or abs(given) > MOST_DIGITS:
        raise Mistake(
            digits.place, f"round() takes a whole number of digits, at most {MOST_DIGITS}"
        )
    return Applied("round", (value, digits), "number", call.place)


def _extreme(call: Call) -> Node:
    known = _dates_read(call.arguments)
    for one in known:
        if one.kind not in {"number", "date"}:
            raise Mistake(one.place, f"{call.name}() takes numbers; this is {KINDS[one.kind]}")
        _are_alike(known[0], one)
    return Applied(call.name, tuple(known), known[0].kind, call.place)


def _cut(call: Call) -> Node:
    value, *edges = _dates_read(call.arguments)
    if value.kind not in {"number", "date"}:
        raise Mistake(value.place, f"cut() takes a number or a date; this is {KINDS[value.kind]}")
    for edge in edges:
        if not isinstance(edge, Constant):
            raise Mistake(edge.place, "the edges of cut() are constants, as in cut(age, 40, 60)")
        _are_alike(value, edge)
    for left, right in pairwise(edges):
        if not left.value < right.value:  # type: ignore[union-attr, operator]
            raise Mistake(right.place, "the edges of cut() must rise")
    texts = [edge.text for edge in edges if isinstance(edge, Constant)]
    first, last = ("before", "or later") if value.kind == "date" else ("under", "or more")
    inner = [f"{left} to {first} {right}" for left, right in pairwise(texts)]
    levels = (f"{first} {texts[0]}", *inner, f"{texts[-1]} {last}")
    return Applied("cut", (value, *edges), "level", call.place, levels=levels)


def _case(call: Call) -> Node:
    *pairs, otherwise = call.arguments
    if len(pairs) % 2:
        raise Mistake(
            call.place,
            "case() ends with the value of all other rows: case(age < 18, 'child', 'adult')",
        )
    says = "case() takes a condition before each value"
    conditions = [_condition(it, says) for it in pairs[::2]]
    values = [*pairs[1::2], otherwise]
    for value in values:
        if value.kind == "truth":
            raise Mistake(value.place, "the values of case() are text, numbers or dates")
        if value.kind != values[0].kind:
            raise Mistake(
                value.place,
                "the values of case() must be of one kind; the first is"
                f" {KINDS[values[0].kind]}, this is {KINDS[value.kind]}",
            )
    known = (*chain.from_iterable(zip(conditions, values, strict=False)), otherwise)
    return Applied("case", known, values[0].kind, call.place, levels=_levels_of(values))


def _levels_of(values: Sequence[Node]) -> tuple[str, ...]:
    """List the levels that can come out, in order of their first appearance, if all are known."""
    levels: list[str] = []
    for value in values:
        if isinstance(value, Constant):
            levels.append(str(value.value))
        elif isinstance(value, Applied) and value.levels:
            levels += value.levels
        else:
            return ()
    return tuple(level for level in dict.fromkeys(levels) if level)


NUMERIC: Mapping[str, Rule] = {
    name: Rule(f"{name}(x)", 1, 1, _number_call)
    for name in ("log", "log2", "log10", "sqrt", "exp", "abs")
}
FUNCTIONS: Mapping[str, Rule] = {
    **NUMERIC,
    "round": Rule("round(x, digits)", 1, 2, _round),
    "min": Rule("min(x, y, ...)", 2, MOST_ARGUMENTS, _extreme),
    "max": Rule("max(x, y, ...)", 2, MOST_ARGUMENTS, _extreme),
    "missing": Rule(
        "missing(x)", 1, 1, lambda it: Applied("missing", it.arguments, "truth", it.place)
    ),
    "between": Rule("between(x, low, high)", 3, 3, _between_call),
    "cut": Rule("cut(x, edge, ...)", 2, MOST_ARGUMENTS, _cut),
    "case": Rule("case(condition, value, ..., otherwise)", 3, MOST_ARGUMENTS, _case),
    **{
        name: Rule(f"{name}(date)", 1, 1, _date_call)
        for name in ("year", "quarter", "month", "day", "weekday", "hour")
    },
}
