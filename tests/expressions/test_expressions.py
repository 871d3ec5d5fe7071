"""Expressions: what they mean, worked out by hand, and what is refused."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.expressions import Days, Levels, Numbers, Truth, Values, parse_expression, yes_of

KINDS: Mapping[str, str] = {
    "age": "number",
    "body mass": "number",
    "log": "number",
    "größe": "number",
    "sex": "level",
    "in": "level",
    "smoker": "level",
    "dead": "number",
    "visit": "date",
    "birth": "date",
}
YES = {"smoker": "True", "dead": "1"}
Row = Sequence[float | str | None]
NOTHING = None


def numbers(*values: float | None) -> Numbers:
    return Numbers(np.array([np.nan if it is None else it for it in values], dtype=np.float64))


def day(text: str | None) -> float:
    if text is None:
        return np.nan
    return (datetime.fromisoformat(text) - datetime(1970, 1, 1)).total_seconds() / 86_400


def days(*texts: str | None) -> Days:
    return Days(np.array([day(text) for text in texts]))


# four rows, the last of which has gaps
COLUMNS: Mapping[str, Values] = {
    "age": numbers(34, 50, 61.5, None),
    "body mass": numbers(20, 0, -8, 2),
    "log": numbers(1, 10, 100, None),
    "größe": numbers(1.5, 2.5, -0.5, 0.5),
    "sex": Levels(("F", "M", "", "it's")),
    "in": Levels(("a", "b", "a", "")),
    "smoker": Levels(("True", "False", "", "True")),
    "dead": numbers(1, 0, None, 0),
    "visit": days("2019-01-01", "2019-01-01T14:00", "1968-02-29T23:59:59", None),
    "birth": days("1985-01-01", "1969-01-01", "1969-12-31", "2000-02-29"),
}


def evaluated(text: str) -> list[float | str | None]:
    found = parse_expression(text, KINDS, YES).evaluate(COLUMNS)
    if isinstance(found, Levels):
        return [word or None for word in found.words]
    return [None if np.isnan(value) else float(value) for value in found.values]


def rounded(value: float | str | None) -> str | None:
    return f"{value + 0.0:.12g}" if isinstance(value, int | float) else value


YES_NO: dict[str, Row] = {
    "not smoker": (0, 1, NOTHING, 0),
    "smoker == true": (1, 0, NOTHING, 1),
    "smoker == FALSE": (0, 1, NOTHING, 0),
    "smoker == 'True'": (1, 0, NOTHING, 1),  # as text, as before
    "dead == 1": (1, 0, NOTHING, 0),  # as a number, as before
    "dead == true": (1, 0, NOTHING, 0),
    "smoker and not dead": (0, 0, NOTHING, 1),
    "smoker and dead or age > 61": (1, 0, 1, NOTHING),
    "missing(smoker)": (0, 0, 1, 0),
    "(age > 40) == true": (0, 1, 1, NOTHING),
    "(age > 40) != true": (1, 0, 0, NOTHING),
    "case(smoker, age, -1)": (34, -1, NOTHING, NOTHING),
    "smoker": ("True", "False", NOTHING, "True"),  # a column as it is, unless a condition is due
}
TRUE, NO = 1, 0
CONDITIONS: dict[str, Row] = {
    "age >= 50": (NO, TRUE, TRUE, NOTHING),
    "40 <= age < 61.5": (NO, TRUE, NO, NOTHING),
    "100 > age > `body mass` >= 0": (TRUE, TRUE, NO, NOTHING),
    "0 > `body mass` > age": (NO, NO, NO, NO),  # false however old
    "between(age, 34, 50)": (TRUE, TRUE, NO, NOTHING),
    "sex == 'F'": (TRUE, NO, NOTHING, NO),
    "sex == 'it''s'": (NO, NO, NOTHING, TRUE),
    'sex == "it\'s"': (NO, NO, NOTHING, TRUE),
    "sex == 'no such level'": (NO, NO, NOTHING, NO),
    "sex == `in`": (NO, NO, NOTHING, NOTHING),
    "`in` in ('b', 'c')": (NO, TRUE, NO, NOTHING),
    "`in` not in ('b')": (TRUE, NO, TRUE, NOTHING),
    "age in (34, -1, 61.5)": (TRUE, NO, TRUE, NOTHING),
    "missing(sex)": (NO, NO, TRUE, NO),
    "missing(age)": (NO, NO, NO, TRUE),
    "missing(log(`body mass`))": (NO, TRUE, TRUE, NO),
    "age > 40 and sex == 'F'": (NO, NO, NOTHING, NO),  # false and unknown is false
    "age > 40 or sex == 'M'": (NO, TRUE, TRUE, NOTHING),  # true or unknown is true
    "age < 0 or age < 40 and age < 0": (NO, NO, NO, NOTHING),
    "age < 40 or age < 0 and age < 0": (TRUE, NO, NO, NOTHING),
    "(age < 40 or age < 0) and age < 0": (NO, NO, NO, NOTHING),
    "not age < 40 and age < 60": (NO, TRUE, NO, NOTHING),
    "visit == '2019-01-01'": (TRUE, TRUE, NO, NOTHING),  # a day is all of it
    "visit > '2019-01-01'": (NO, NO, NO, NOTHING),
    "visit > '2019-01-01 00:00'": (NO, TRUE, NO, NOTHING),
    "visit in ('1968-02-29', '2000-01-01')": (NO, NO, TRUE, NOTHING),
    "between(visit, '1968-01-01', '2019-01-01')": (TRUE, TRUE, TRUE, NOTHING),
    "visit > birth": (TRUE, TRUE, NO, NOTHING),
}
NUMBERS: dict[str, Row] = {
    "-age": (-34, -50, -61.5, NOTHING),
    "+age": (34, 50, 61.5, NOTHING),
    "100 - age - 1": (65, 49, 37.5, NOTHING),
    "1 + 2 * größe": (4, 6, 0, 2),
    "(1 + 2) * größe": (4.5, 7.5, -1.5, 1.5),
    "8 / 4 / größe": (2 / 1.5, 0.8, -4, 4),
    "8 / (4 / größe)": (3, 5, -1, 1),
    "-größe ** 2": (-2.25, -6.25, -0.25, -0.25),
    "2 * größe ** -1": (2 / 1.5, 0.8, -4, 4),
    "`body mass` ** -1": (0.05, NOTHING, -0.125, 0.5),  # 1 / 0 has no value
    "`body mass` ** 0.5": (20**0.5, 0, NOTHING, 2**0.5),
    "age ** 0": (1, 1, 1, NOTHING),
    "0 * age": (0, 0, 0, NOTHING),
    "1 / `body mass`": (0.05, NOTHING, -0.125, 0.5),
    "1 / (1 / `body mass`)": (20, NOTHING, -8, 2),
    "exp(1000 * größe)": (NOTHING, NOTHING, np.exp(-500), np.exp(500)),
    "exp(-exp(1000 * größe))": (NOTHING, NOTHING, 1, 0),  # what has no value is not 0 again
    "log(log)": (0, np.log(10), np.log(100), NOTHING),
    "log10(log)": (0, 1, 2, NOTHING),
    "log2(`body mass`)": (np.log2(20), NOTHING, NOTHING, 1),
    "sqrt(`body mass`)": (20**0.5, 0, NOTHING, 2**0.5),
    "abs(`body mass`)": (20, 0, 8, 2),
    "round(größe)": (2, 2, 0, 0),  # halves to the even neighbour
    "round(log / 7, 2)": (0.14, 1.43, 14.29, NOTHING),
    "round(age, -1)": (30, 50, 60, NOTHING),
    "round(age * 1e15 * 1e15, 15)": (3.4e31, 5e31, 6.15e31, NOTHING),
    "max(age, 50, `body mass`)": (50, 50, 61.5, NOTHING),
    "min(age, log)": (1, 10, 61.5, NOTHING),
    "case(sex == 'F', age, -1)": (34, -1, NOTHING, -1),
    "case(missing(sex), 0, sex == 'F', 1, 2)": (1, 2, 0, 2),
    "visit - '2018-12-31'": (1, 1 + 14 / 24, day("1968-02-29T23:59:59") - 17896, NOTHING),
    "'1986-01-01' - birth": (365, 6209, 5845, -5172),
    "year(visit)": (2019, 2019, 1968, NOTHING),
    "quarter(birth)": (1, 1, 4, 1),
    "month(visit)": (1, 1, 2, NOTHING),
    "day(visit)": (1, 1, 29, NOTHING),
    "hour(visit)": (0, 14, 23, NOTHING),
    "hour(visit + 0.5)": (12, 2, 11, NOTHING),
}
TEXTS: dict[str, Row] = {
    "sex": ("F", "M", NOTHING, "it's"),
    "cut(age, 50)": ("under 50", "50 or more", "50 or more", NOTHING),
    "cut(age, 40, 60)": ("under 40", "40 to under 60", "60 or more", NOTHING),
    "cut(`body mass`, -8, 0, 2.5)": (
        *("2.5 or more", "0 to under 2.5", "-8 to under 0", "0 to under 2.5"),
    ),
    "cut(birth, '1969-12-31', '1985-01-01')": (
        "1985-01-01 or later",
        "before 1969-12-31",
        "1969-12-31 to before 1985-01-01",
        "1985-01-01 or later",
    ),
    "weekday(visit)": ("Tuesday", "Tuesday", "Thursday", NOTHING),
    "case(age < 40, 'young', 'old')": ("young", "old", "old", NOTHING),
    "case(age < 40, '', 'old')": (NOTHING, "old", "old", NOTHING),
    "case(log == 1, sex, `in`)": ("F", "b", "a", NOTHING),
}


@pytest.mark.parametrize(("text", "expected"), {**CONDITIONS, **YES_NO, **NUMBERS, **TEXTS}.items())
def test_worked_by_hand(text: str, expected: Row) -> None:
    assert [rounded(value) for value in evaluated(text)] == [rounded(it) for it in expected]


def test_days_are_added_to_dates() -> None:
    found = parse_expression("birth + 30 - `body mass`", KINDS).evaluate(COLUMNS)
    assert isinstance(found, Days)
    np.testing.assert_allclose(
        found.values, days("1985-01-11", "1969-01-31", "1970-02-07", "2000-03-28").values
    )


def test_a_date_past_the_calendar_is_missing() -> None:
    assert np.isnan(parse_expression("visit + 1e9", KINDS).evaluate(COLUMNS).values).all()
    assert evaluated("year(visit + 1e15)") == [None] * 4


def test_a_condition_as_levels() -> None:
    found = parse_expression("age > 40", KINDS).evaluate(COLUMNS)
    assert isinstance(found, Truth)
    assert found.as_levels() == Levels(("no", "yes", "yes", ""), ("no", "yes"))


ORDERS = {
    "cut(age, 9, 10)": ("under 9", "9 to under 10", "10 or more"),
    "case(age < 40, 'young', age < 60, 'middle', 'old')": ("young", "middle", "old"),
    "case(sex == 'F', cut(age, 9), '')": ("under 9", "9 or more"),
    "case(age < 40, sex, 'old')": (),
    "sex": (),
}


@pytest.mark.parametrize(("text", "order"), ORDERS.items())
def test_levels_come_in_an_order_that_reads_well(text: str, order: tuple[str, ...]) -> None:
    found = parse_expression(text, KINDS).evaluate(COLUMNS)
    assert isinstance(found, Levels)
    assert found.order == order


def test_names_come_in_order_of_first_use() -> None:
    text = "between(log, age, `body mass`) and missing(sex) or log == 2"
    read = parse_expression(text, KINDS)
    assert (read.names, read.kind, read.text) == (("log", "age", "body mass", "sex"), "truth", text)


def test_infinite_numbers_are_missing() -> None:
    found = parse_expression("0 * x", {"x": "number"}).evaluate({"x": numbers(np.inf, -np.inf)})
    assert isinstance(found, Numbers)
    assert np.isnan(found.values).all()


MISTAKES = {
    "": "something is missing here",
    "age >": "something is missing here",
    "age in ()": "something is missing here",
    "(age > 1": "a bracket is not closed",
    "age > 1)": "a bracket is closed that was not opened",
    "max(age 1)": "a bracket is not closed, or a comma is missing",
    "age 1": "cannot be read on from here",
    "1 + 1 > 0": "names at least one column",
    "Age > 1": "no column 'Age'; did you mean 'age'",
    "grösse > 1": "no column 'grösse'; did you mean 'größe'",
    "gro\u0308ße > 1": "the sign '\u0308' has no place",
    "`body  mass` > 1": "no column 'body  mass'; did you mean 'body mass'",
    "q > 1": "no column 'q'; there are 'age', 'body mass'",
    "sqrt > 1": r"no column 'sqrt'; the function is sqrt\(x\)",
    "log(age, 2)": r"the function is log\(x\)",
    "between(age, 1)": r"the function is between\(x, low, high\)",
    "age = 1": "the sign '=' has no place in an expression; write ==",
    "age > 1 & age < 3": "the sign '&' has no place in an expression; write 'and'",
    "age ^ 2": r"the sign '\^' has no place in an expression; write \*\*",
    "sex in ['F']": r"the sign '\[' has no place in an expression; write round brackets",
    "sex == ‘F’": "write a plain quotation mark",  # noqa: RUF001
    "sex == 'F": "the quotation mark is not closed",
    "age > 1 AND age < 3": "write 'and' in small letters",
    "age between 1 and 3": r"write between\(x, low, high\)",
    "age not 3": "'not' stands before a condition, or before 'in'",
    "sex in 'F'": "behind 'in' stands a list in brackets",
    "age in (1, log)": "holds constants alone",
    "age == 'F'": "a number is not compared with text; write numbers without quotation marks",
    "sex == 1": "column 'sex' has levels, which are written in quotation marks",
    "sex == age": "text is not compared with a number",
    "visit == 2019": "a date is not compared with a number",
    "visit == '2019-02-29'": "a date is written '2019-01-31'",
    "sex < 'F'": "text has no order",
    "sex == ''": r"an empty text is a missing value; ask missing\(x\)",
    "(age > 1) == (age > 2)": "what is true or false is not compared",
    "not age": "'not' stands before a condition, such as age >= 50; this is a number",
    "sex and age > 1": "'and' joins conditions, such as age >= 50; this is text",
    "(age > 1) + 1": r"'\+' stands between numbers.*this is true or false",
    "visit + birth": "of dates only the difference",
    "visit * 2": r"'\*' stands between numbers; this is a date",
    "log(sex)": r"log\(\) takes a number; this is text",
    "year(age)": r"year\(\) takes a date; this is a number",
    "max(sex, 'F')": r"max\(\) takes numbers; this is text",
    "age ** log": "an exponent must be a constant of at most 10",
    "age ** 11": "an exponent must be a constant of at most 10",
    "2 ** 2 * age": "a power must be one of a column",
    "age > 1e16": "a constant must be a number of at most 1e.15",
    "round(age, 1.5)": "a whole number of digits, at most 15",
    "cut(age, 3, 2)": "must rise",
    "cut(age, log)": r"the edges of cut\(\) are constants",
    "cut(sex, 'F')": r"cut\(\) takes a number or a date; this is text",
    "case(age, 1, 2)": r"case\(\) takes a condition before each value",
    "case(age > 1, 1, 'a')": "must be of one kind; the first is a number, this is text",
    "case(age > 1, 1, age > 2, 2)": r"case\(\) ends with the value of all other rows",
    "case(age > 1, age > 2, age > 3)": r"the values of case\(\) are text, numbers or dates",
}


@pytest.mark.parametrize(("text", "message"), MISTAKES.items())
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_expression(text, KINDS)


MISTAKES_OF_TRUTH = {
    "true": "names at least one column",
    "age > 1 and true": "'and' joins conditions.*this is the same in all rows",
    "case(true, age, 1)": r"case\(\) takes a condition.*the same in all rows",
    "age == true": "'true' is compared with a condition, or a column of yes and no.*a number",
    "sex == True": "'True' is compared with a condition, or a column of yes and no.*text",
    "smoker == true == dead": "stand beside one condition: smoker == true",
    "true == false": "stand beside one condition: smoker == true",
    "smoker < true": "stand beside one condition: smoker == true",
    "smoker in (true, false)": "what is true or false is not compared",
    "smoker == 1": "write smoker == true, or the text 'True'",
    "age + true > 1": r"'\+' stands between numbers.*this is true or false",
    "age ** true > 1": "an exponent must be a constant",
    "round(age, true)": "a whole number of digits",
    "cut(age, false, true)": "what is true or false is not compared",
    "sex and dead": "'and' joins conditions, such as age >= 50; this is text",
    "not age": "'not' stands before a condition, such as age >= 50; this is a number",
    "smoker + 1": r"'\+' stands between numbers.*this is text",
}


@pytest.mark.parametrize(("text", "message"), MISTAKES_OF_TRUTH.items())
def test_mistakes_of_truth(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_expression(text, KINDS, YES)


def test_a_column_is_a_condition_where_one_is_due() -> None:
    read = parse_expression("smoker", KINDS, YES)
    assert (read.kind, read.as_condition().kind) == ("level", "truth")
    np.testing.assert_array_equal(read.as_condition().evaluate(COLUMNS).values, [1, 0, np.nan, 1])
    assert parse_expression("sex", KINDS, YES).as_condition().kind == "level"


PAIRS = {
    ("yes", "no"): "yes",
    ("No", "Yes"): "Yes",
    ("TRUE",): "TRUE",
    ("FALSE",): "TRUE",
    ("False",): "True",
    ("N",): "Y",
    ("0", "1"): "1",
    ("1", "2"): "",
    ("no", "yes", "unknown"): "",
    ("Yes", "yes"): "",  # which of them is true is not known
    ("no", "true"): "",
    (): "",
}


@pytest.mark.parametrize(("words", "yes"), PAIRS.items())
def test_columns_of_yes_and_no_are_known_by_their_values(words: tuple[str, ...], yes: str) -> None:
    assert yes_of(words) == yes


MARKED = {
    "age >= 50 and sec == 'F'": """
  age >= 50 and sec == 'F'
                ^^^""",
    "age >": """
  age >
       ^""",
    "sex == '日本' and age = 1": """
  sex == '日本' and age = 1
                        ^""",
    "age\n+ \0": """
  age + ·
        ^""",
    "age > 1 and " * 5 + "sex > 'F'" + " and age > 2" * 5: """
  … age > 1 and age > 1 and sex > 'F' and age > 2 and age > 2 and a …
                                  ^^^""",
}


@pytest.mark.parametrize(("text", "marked"), MARKED.items())
def test_the_place_is_marked(text: str, marked: str) -> None:
    with pytest.raises(InputError, match=r"\^") as caught:
        parse_expression(text, KINDS)
    assert str(caught.value).partition("\n")[2] == marked[1:]


def test_what_is_given_is_checked() -> None:
    read = parse_expression("age > 40 and sex == 'F'", KINDS)
    with pytest.raises(InputError, match="column 'sex' of the expression must be given as Levels"):
        read.evaluate({"age": numbers(1)})
    with pytest.raises(InputError, match="column 'age' of the expression must be given as Numbers"):
        read.evaluate({"age": days("2019-01-01"), "sex": Levels(("F",))})
    with pytest.raises(InputError, match="must be of one length"):
        read.evaluate({"age": numbers(1, 2), "sex": Levels(("F",))})
    with pytest.raises(InputError, match="one of 'number', 'date', 'level'"):
        parse_expression("age > 1", {"age": "continuous"})
    with pytest.raises(InputError, match="must be text"):
        parse_expression(None, KINDS)  # type: ignore[arg-type]


def test_a_column_may_have_any_name() -> None:
    names = ["and", "not", "case", "None", "__class__", "a.b", "{x}", " ", "1", "'", "x; import os"]
    kinds = dict.fromkeys(names, "number")
    text = " + ".join(f"`{name}`" for name in names)
    found = parse_expression(text, kinds).evaluate(dict.fromkeys(names, numbers(2)))
    assert isinstance(found, Numbers)
    assert found.values.tolist() == [2 * len(names)]
