"""What a table 1 says of columns, worked by hand and beside the standard library."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.estimates.tables import MOST_LEVELS, RowsToDescribe, summary_of
from discreet.estimates.words import decimals_of, number_words

NAN = math.nan


def test_of_many_levels_the_most_frequent_are_listed_and_the_others_in_one_line() -> None:
    words = tuple(f"w{i}" for i in range(20) for _ in range(i + 1))
    rows = RowsToDescribe({}, {"ward": words})
    found = summary_of(rows, ["ward"])
    lines = [(line.name, line.cells[0]) for line in found.lines][2:]
    assert lines[:2] == [("w8", "9 (4.3 %)"), ("w9", "10 (4.8 %)")]
    assert lines[MOST_LEVELS:] == [("others (8 levels)", "36 (17.1 %)")]
    by = summary_of(rows, ["ward"], by="ward")
    assert by.head == (*(f"w{i}" for i in range(8, 20)), "others (8 levels)", "all")


def test_one_level_is_never_hidden_in_a_line_of_others() -> None:
    rows = RowsToDescribe({}, {"x": tuple(f"{i}" for i in range(MOST_LEVELS + 1))})
    names = [line.name for line in summary_of(rows, ["x"]).lines][2:]
    assert names == [str(i) for i in range(MOST_LEVELS + 1)]


ORDERS = {
    "numbers": ({"10": 5, "9": 2, "1": 3}, (), ["1", "9", "10"]),
    "words, however many": ({"yes": 9, "no": 3, "(other)": 12}, (), ["no", "yes", "(other)"]),
    "as declared": (
        {"low": 1, "new": 7, "high": 5},
        ("low", "mid", "high"),
        ["low", "high", "new"],
    ),
}


@pytest.mark.parametrize(("counts", "declared", "order"), ORDERS.values(), ids=ORDERS)
def test_the_order_of_levels(
    counts: dict[str, int], declared: Sequence[str], order: list[str]
) -> None:
    words = tuple(level for level, many in counts.items() for _ in range(many))
    rows = RowsToDescribe({}, {"x": words}, (), {"x": declared})
    assert [line.name for line in summary_of(rows, ["x"]).lines][2:] == order


WORDS = {
    "as many decimals as the sd has digits": (48.518, 13.109, "48.5"),
    "two digits": (26.376, 4.418, "26.4"),
    "a small sd": (0.01234, 0.00045, "0.01234"),
    "a large one leaves whole numbers": (152_133.48, 1520.0, "152,133"),
    "a year": (2020.846, 0.74, "2020.85"),
    "of a constant": (5.25, 0.0, "5.25"),
    "very large": (1e300, 1e299, "1e+300"),
    "very small": (3e-12, 1e-12, "3e-12"),
    "no number": (None, 1.0, "–"),
    "no sign of a zero": (-0.004, 1.0, "0.00"),
}


@pytest.mark.parametrize(("value", "sd", "word"), WORDS.values(), ids=WORDS)
def test_numbers_have_sensible_digits(value: float | None, sd: float, word: str) -> None:
    assert number_words(value, decimals_of(sd)) == word


CELLS = st.lists(
    st.tuples(
        st.one_of(st.just(NAN), st.floats(-1e6, 1e6).map(lambda it: round(it, 3))),
        st.sampled_from(["", "a", "b", "7"]),
        st.sampled_from(["", "a", "b"]),
    ),
    min_size=1,
    max_size=40,
)


def by_hand(values: list[float]) -> dict[str, float]:
    """Return the figures of numbers, as the standard library has them."""
    known = [x for x in values if not math.isnan(x)]
    found: dict[str, float] = {"n": len(known), "missing": len(values) - len(known)}
    found["mean"] = statistics.fmean(known) if known else NAN
    found["sd"] = statistics.stdev(known) if len(known) > 1 else NAN
    low, mid, high = (
        statistics.quantiles(known, n=4, method="inclusive")
        if len(known) > 1
        else [(known or [NAN])[0]] * 3
    )
    return {**found, "lower quartile": low, "median": mid, "upper quartile": high}


@given(CELLS)
def test_every_figure_is_that_of_the_standard_library(cells: list[tuple[float, str, str]]) -> None:
    x, word, by = (tuple(it) for it in zip(*cells, strict=True))
    rows = RowsToDescribe({"x": np.array(x)}, {"word": word, "by": by})
    for it in summary_of(rows, ["x", "word"], by="by").figures:
        part = [cell for cell in cells if not it.group or cell[2] == (it.group[0][1] or "")]
        words = [word for _, word, _ in part if word]
        expected: dict[str, float] = {"rows": len(part)}
        if it.column == "x":
            expected = by_hand([x for x, _, _ in part])
        elif it.column == "word":
            count = words.count(it.level or "")
            expected = {"n": len(words), "missing": len(part) - len(words), "count": count}
            expected["share"] = count / len(words) if words else NAN
        found = NAN if it.value is None else it.value
        assert found == pytest.approx(expected[it.figure], rel=1e-9, abs=1e-6, nan_ok=True), it
