"""What docs/expressions.md shows is read as it says."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.expressions import Days, Levels, Numbers, Values, parse_expression
from discreet.expressions.expression import LONGEST
from discreet.expressions.grammar import EXPRESSIONS
from discreet.expressions.meaning import LARGEST_CONSTANT, LARGEST_EXPONENT, MOST_ARGUMENTS

PAGE = Path(__file__).parents[2] / "docs" / "expressions.md"
TEXT = PAGE.read_text(encoding="utf-8")
KINDS = {
    **dict.fromkeys(["age", "bmi", "glucose", "body mass"], "number"),
    **dict.fromkeys(["sex", "smoker"], "level"),
    **dict.fromkeys(["visit", "birth"], "date"),
}
GIVEN: dict[str, Values] = {
    "number": Numbers(np.array([50.0])),
    "level": Levels(("F",)),
    "date": Days(np.array([17897.0])),
}


def rows(title: str) -> list[tuple[str, str]]:
    """Return the expressions of a section's table, and what stands behind each."""
    section = TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^\| (?:`` ?(.+?) ?``|`([^`]+)`) \| (.+) \|$", section, flags=re.MULTILINE)
    return [(one or other, says) for one, other, says in found]


def test_the_new_columns_are_computed() -> None:
    assert len(rows("New columns")) == 13
    for text, says in rows("New columns"):
        read = parse_expression(text, KINDS)
        found = read.evaluate({name: GIVEN[KINDS[name]] for name in read.names})
        if isinstance(found, Levels) and text.startswith("cut"):
            assert says == f"the levels {', '.join(f'`{level}`' for level in found.order)}"


def test_what_has_no_value_is_missing() -> None:
    for text in ("log(bmi - bmi)", "1 / (age - age)"):
        assert f"`{text}`" in TEXT
        found = parse_expression(text, KINDS).evaluate(dict.fromkeys(KINDS, GIVEN["number"]))
        assert isinstance(found, Numbers)
        assert np.isnan(found.values).all()


def test_the_mistake_looks_as_shown() -> None:
    shown = TEXT.partition("```\n")[2].partition("```")[0]
    written = shown.splitlines()[1].strip()
    with pytest.raises(InputError, match="did you mean 'glucose'") as caught:
        parse_expression(written, KINDS)
    assert f"{caught.value}\n" == shown


def test_the_limits_are_those_of_the_code() -> None:
    assert f"at most {LONGEST:,} characters" in TEXT
    assert f"at most {EXPRESSIONS.deepest} deep, {MOST_ARGUMENTS} operands" in TEXT
    assert LARGEST_CONSTANT == 10**15
    assert "10^15" in TEXT
    assert f"a constant of at most {LARGEST_EXPONENT}" in TEXT


def test_the_python_prints_what_it_says() -> None:
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0
