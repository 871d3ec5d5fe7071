"""Random expressions, each computed row by row in plain Python beside what numpy makes of it."""

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.expressions import Days, Levels, Numbers, Values, parse_expression
from tests.cases import examples

Row = Mapping[str, Any]


class Meant(NamedTuple):
    """A text, its value in a row (None is missing, and unknown), and whether it has a column."""

    text: str
    of: Callable[[Row], Any]
    varies: bool = False


KINDS = {"x": "number", "y": "number", "body mass": "number", "s": "level", "t": "level"}
TRUTHS = {"ill": "level", "code": "number"}
YES = {"ill": "Yes", "code": "1"}
DATES = {"visit": "date", "birth": "date"}
START = datetime(1970, 1, 1)
MOMENTS = [datetime(2019, 1, 1), datetime(2019, 1, 1, 18), datetime(1968, 2, 29, 6), None]
ROWS: list[Row] = [
    {
        **{"x": x, "y": y, "body mass": 2.5, "s": s, "t": "a", "visit": visit, "birth": birth},
        **{"ill": y and y > 2, "code": x and x > 0},
    }
    for (x, y), s, (visit, birth) in product(
        [(0.0, 1.0), (-2.0, -2.0), (2.5, None), (None, 3.0), (50.0, 50.5)],
        ["a", "b", None],
        [*pairwise(MOMENTS), (None, MOMENTS[0]), (MOMENTS[1], MOMENTS[1])],
    )
]


def in_days(moment: datetime | None) -> float:
    return math.nan if moment is None else (moment - START) / timedelta(days=1)


COLUMNS: dict[str, Values] = {
    **{
        name: Numbers(np.array([math.nan if row[name] is None else row[name] for row in ROWS]))
        for name in ("x", "y", "body mass")
    },
    **{name: Levels(tuple(row[name] or "" for row in ROWS)) for name in ("s", "t")},
    "ill": Levels(tuple({None: "", True: "Yes", False: "No"}[row["ill"]] for row in ROWS)),
    "code": Numbers(np.array([math.nan if row["code"] is None else row["code"] for row in ROWS])),
    **{name: Days(np.array([in_days(row[name]) for row in ROWS])) for name in DATES},
}


# --- what is meant ----------------------------------------------------------------------------


def known(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make missing of what is computed of a missing value, or has no value."""

    def found(*values: Any) -> Any:
        if any(value is None for value in values):
            return None
        try:
            value = function(*values)
        except (ArithmeticError, ValueError):
            return None
        return None if isinstance(value, float | complex) and not abs(value) < math.inf else value

    return found


def applied(pattern: str, function: Callable[..., Any], *parts: Meant) -> Meant:
    text = pattern.format(*(part.text for part in parts))
    varies = any(part.varies for part in parts)
    return Meant(text, lambda row: function(*(part.of(row) for part in parts)), varies)


def built(
    pattern: str, function: Callable[..., Any], *parts: st.SearchStrategy[Meant]
) -> st.SearchStrategy[Meant]:
    return st.builds(applied, st.just(pattern), st.just(function), *parts)


def all_of(*values: bool | None) -> bool | None:
    return False if False in values else None if None in values else True


def any_of(*values: bool | None) -> bool | None:
    return True if True in values else None if None in values else False


COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
EQUAL = ("==", "!=")
UNARY: dict[str, Callable[[float], Any]] = {
    "-({})": lambda a: -a,
    "abs({})": abs,
    "sqrt({})": math.sqrt,
    "round({})": lambda a: float(round(a)),
    "round({}, -1)": lambda a: round(a / 10) * 10.0,
    "log2({})": math.log2,
    "exp({})": math.exp,
}
BINARY: dict[str, Callable[[float, float], float]] = {
    "({} + {})": lambda a, b: a + b,
    "({} - {})": lambda a, b: a - b,
    "({} * {})": lambda a, b: a * b,
    "({} / {})": lambda a, b: a / b,
    "min({}, {})": min,
    "max({}, {})": max,
}
POWERS: dict[str, Callable[[float], float]] = {
    "({}) ** 2": lambda a: a * a,
    "({}) ** -1": lambda a: 1 / a,
}
PARTS: dict[str, Callable[[datetime], float]] = {
    "year": lambda it: it.year,
    "quarter": lambda it: (it.month - 1) // 3 + 1,
    "month": lambda it: it.month,
    "day": lambda it: it.day,
    "hour": lambda it: it.hour,
}


def column(name: str) -> Meant:
    return Meant(f"`{name}`" if " " in name else name, lambda row: row[name], True)


def constant(value: Any) -> Meant:
    return Meant(repr(value), lambda row: value)


def whole(moment: datetime | date | None, other: Any) -> Any:
    """Return a date without its time where it is compared with one that has none."""
    days = type(other) is date and isinstance(moment, datetime)
    return moment.date() if days and isinstance(moment, datetime) else moment


def dated(sign: str) -> Callable[[Any, Any], Any]:
    return known(lambda a, b: COMPARED[sign](whole(a, b), whole(b, a)))


def cut_at(low: float, high: float) -> Callable[[float], str]:
    names = f"under {low}", f"{low} to under {high}", f"{high} or more"
    return lambda a: names[0 if a < low else 1 if a < high else 2]


def chosen(first: bool | None, a: Any, second: bool | None, b: Any, c: Any) -> Any:
    if first is None:
        return None
    if first:
        return a
    return None if second is None else b if second else c


# --- random ones ------------------------------------------------------------------------------

COLUMNS_OF_NUMBERS = st.sampled_from([column(name) for name in ("x", "y", "body mass")])
WRITTEN = st.sampled_from([constant(value) for value in (0, 1, 2.5, 50, 1e6)])
TRUE_COLUMNS = st.sampled_from([column("ill"), column("code")])
LEVELS = st.sampled_from([constant(value) for value in ("a", "b", "c")])
MOMENTS_WRITTEN = st.sampled_from(
    [
        Meant("'2019-01-01'", lambda row: date(2019, 1, 1)),
        Meant("'1968-02-29'", lambda row: date(1968, 2, 29)),
        Meant("'2019-01-01 18:00'", lambda row: datetime(2019, 1, 1, 18)),
    ]
)


def varies(meant: Meant) -> bool:
    return meant.varies


def numbers(depth: int) -> st.SearchStrategy[Meant]:
    if depth == 0:
        return COLUMNS_OF_NUMBERS | WRITTEN
    inner, when = numbers(depth - 1), dates(depth - 1)
    return st.one_of(
        inner,
        *(built(pattern, known(function), inner) for pattern, function in UNARY.items()),
        *(built(pattern, known(it), inner.filter(varies)) for pattern, it in POWERS.items()),
        *(built(pattern, known(function), inner, inner) for pattern, function in BINARY.items()),
        *(built(f"{name}({{}})", known(function), when) for name, function in PARTS.items()),
        built("({} - {})", known(lambda a, b: (a - b) / timedelta(days=1)), when, when),
        cases(conditions(depth - 1), inner),
    )


def cases(
    of: st.SearchStrategy[Meant], inner: st.SearchStrategy[Meant]
) -> st.SearchStrategy[Meant]:
    return built("case({}, {}, {}, {}, {})", chosen, of, inner, of, inner, inner)


def texts(depth: int) -> st.SearchStrategy[Meant]:
    plain = st.sampled_from([column("s"), column("t")])
    if depth == 0:
        return plain
    return st.one_of(
        plain,
        built("cut({}, -1, 2.5)", known(cut_at(-1, 2.5)), numbers(depth - 1)),
        built("weekday({})", known(lambda it: f"{it:%A}"), dates(depth - 1)),
        cases(conditions(depth - 1), texts(depth - 1) | LEVELS),
    )


def dates(depth: int) -> st.SearchStrategy[Meant]:
    plain = st.sampled_from([column("visit"), column("birth")])
    if depth == 0:
        return plain
    inner = dates(depth - 1)
    return st.one_of(
        plain,
        built("({} + 30.25)", known(lambda it: it + timedelta(days=30.25)), inner),
        built("max({}, {})", known(max), plain, inner),
        cases(conditions(depth - 1), inner),
    )


def conditions(depth: int) -> st.SearchStrategy[Meant]:
    below = max(depth - 1, 0)
    number, text, when = numbers(below), texts(below), dates(below)
    at_most, less = known(COMPARED["<="]), known(COMPARED["<"])
    simple = st.one_of(
        *(built(f"{{}} {sign} {{}}", known(of), number, number) for sign, of in COMPARED.items()),
        *(built(f"{{}} {it} {{}}", known(COMPARED[it]), text, text | LEVELS) for it in EQUAL),
        *(built(f"{{}} {it} {{}}", dated(it), when, when | MOMENTS_WRITTEN) for it in COMPARED),
        built("{} in (1, -2, 50)", known(lambda it: it in (1, -2, 50)), number),
        built("{} not in ('b', 'c')", known(lambda it: it not in ("b", "c")), text),
        built("{} <= {} < 50", lambda a, b: all_of(at_most(a, b), less(b, 50)), number, number),
        built(
            "between({}, 0, {})", lambda a, b: all_of(at_most(0, a), at_most(a, b)), number, number
        ),
        built("missing({})", lambda it: it is None, number | text | when),
    )
    if depth == 0:
        return simple
    inner = conditions(depth - 1) | TRUE_COLUMNS
    return st.one_of(
        simple,
        built("{} == true", known(bool), TRUE_COLUMNS),
        built("(({}) != True)", known(lambda it: not it), inner),
        built("({} and {})", all_of, inner, inner),
        built("({} or {} or {})", any_of, inner, inner, inner),
        built("(not {})", known(lambda it: not it), inner),
    )


EXPRESSIONS = st.one_of(conditions(2), numbers(2), texts(2), dates(2))


def agree(meant: Meant) -> None:
    """Compute it both ways; numbers agree but for the last digits."""
    if not meant.varies:
        return
    expected = [meant.of(row) for row in ROWS]
    read = parse_expression(meant.text, {**KINDS, **TRUTHS, **DATES}, YES)
    found = read.evaluate(COLUMNS)
    if isinstance(found, Levels):
        assert list(found.words) == [word or "" for word in expected]
        assert not found.order or set(found.words) <= {*found.order, ""}
        return
    values = [in_days(it) if isinstance(it, datetime) else it for it in expected]
    wanted = np.array([math.nan if it is None else float(it) for it in values])
    np.testing.assert_allclose(found.values, wanted, rtol=1e-9, atol=0, err_msg=meant.text)


@settings(max_examples=examples(400))
@given(EXPRESSIONS)
def test_computed_as_meant(meant: Meant) -> None:
    agree(meant)


# --- what binds more tightly: as in Python, which is asked here ---------------------------------

OPERANDS = st.sampled_from(["x", "y", "2", "0.5", "(x", "(y", "-x", "not x", "x ** 2", "-y ** -1"])
SIGNS = ["+", "-", "*", "/", "<", "<=", "==", "!=", "and", "or", ") +", ") *", ") and", ") <"]


@settings(max_examples=examples(600))
@given(st.lists(st.tuples(OPERANDS, st.sampled_from(SIGNS)), min_size=2, max_size=7), OPERANDS)
def test_signs_bind_as_in_python(parts: list[tuple[str, str]], last: str) -> None:
    text = " ".join([*(f"{operand} {sign}" for operand, sign in parts), last])
    text += ")" * max(text.count("(") - text.count(")"), 0)
    try:
        read = parse_expression(text, KINDS)
    except ValueError:
        return  # of the wrong kinds, or brackets
    rows = [(1.0, 3.0), (2.5, -2.0), (-0.5, 0.25)]
    x, y = (Numbers(np.array(column)) for column in zip(*rows, strict=True))
    found = read.evaluate({"x": x, "y": y})
    expected = [float(eval(text, {}, {"x": x, "y": y})) for x, y in rows]
    assert not isinstance(found, Levels)
    np.testing.assert_allclose(found.values, expected, rtol=1e-12, err_msg=text)
