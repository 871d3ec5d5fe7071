"""The tables of a report: every number that is known, none that is not."""

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from discreet.measure.coefficients import Coefficients
from discreet.measure.estimate import Estimate
from discreet.measure.evaluate import Measured
from discreet.measure.report import listings, told
from discreet.measure.rmd import RmdGrid
from discreet.measure.utility import Preservation

SHARE = Estimate("risky", 5, 100, 0.01)
KEPT = Preservation(
    means=MappingProxyType({"age": 0.05}),
    spreads=MappingProxyType({"age": 0.95}),
    quantiles=MappingProxyType({"age": (0.1, 0.0, 0.0, -0.0, -0.25)}),
    correlations=MappingProxyType({("age", "pay"): -0.1}),
    levels=MappingProxyType({"sex": 0.0}),
)
MODEL = Coefficients(
    "y ~ x", "linear", ("Intercept", "x"), np.array([1.0, 2.0]), np.array([0.5, 0.2]), 9.0,
    np.array([1.0, 2.1]), np.array([0.5, 0.2]), 9.0,
)  # fmt: skip
FULL = Measured(
    columns=("age", "pay"),
    levels=("sex",),
    risks={"near_1": SHARE, "linkage": Estimate("linked", 17.5, 100, None)},
    strata=("sex",),
    sensitive="ill",
    k=4,
    l=2,
    t=0.25,
    displacement={"age": 0.0114},
    u=1e-33,
    ratio=0.5,
    preservation=KEPT,
    model=MODEL,
    grid=RmdGrid((0.01,), (0.05, 0.5), (SHARE,), ((SHARE, SHARE),), ()),
    left_out=5,
)


def rows_of(found: Measured, title: str, **made: Any) -> list[tuple[str, ...]]:
    (listing,) = [one for one in listings(found, made) if one.title.startswith(title)]
    assert all(len(row) == len(listing.head) for row in listing.rows)
    return list(listing.rows)


def test_of_nothing_there_are_no_tables() -> None:
    assert listings(Measured(columns=(), risks={}), {}) == []


def test_what_was_done_is_told_in_its_order() -> None:
    rows = rows_of(FULL, "What was done", method="deterministic", missing={"age": "median"}, q=None)
    assert rows == [("method", "deterministic"), ("missing", "age: median"), ("q", "-")]


def test_risks_stand_in_their_order_with_interval_count_and_guessing() -> None:
    assert rows_of(FULL, "Risks") == [
        ("linked", "17.5 %", "11.3 to 26.1 %", "17.5 of 100", "-"),
        ("risky", "5.0 %", "2.2 to 11.2 %", "5 of 100", "1.0 %"),
    ]


@pytest.mark.parametrize(
    ("to", "title"), [(None, "Risks"), (1, "Risks"), (5, "Risks, of counts rounded to")]
)
def test_rounded_risks_say_so(to: int | None, title: str) -> None:
    found = Measured(columns=("x",), risks={"linkage": SHARE}, rounded_to=to)
    assert listings(found, {})[0].title.startswith(title)


def test_strata_columns_and_summaries() -> None:
    assert [row[1] for row in rows_of(FULL, "Strata of the released table (sex)")] == [
        "4", "2", "0.25",
    ]  # fmt: skip
    assert rows_of(FULL, "Columns") == [("age", "0.0114", "0.05", "0.95")]
    assert rows_of(FULL, "Quantiles") == [("age", "0.1", "0", "0", "0", "-0.25")]
    assert rows_of(FULL, "Correlations") == [("age, pay", "-0.1")]
    assert rows_of(FULL, "Shares of levels") == [("sex", "0")]


def test_what_is_rounding_alone_is_told_as_nothing() -> None:
    assert [row[1] for row in rows_of(FULL, "The whole table")] == ["0", "0.5", "5"]


def test_the_grid_has_a_row_for_each_width() -> None:
    assert rows_of(FULL, "Robust") == [("0.01", "5.0 %", "5.0 %", "5.0 %")]


def test_coefficients_side_by_side() -> None:
    rows = rows_of(FULL, "Regression y ~ x")
    assert [row[:6] for row in rows] == [
        ("Intercept", "1", "0.5", "1", "0.5", "0.00"),
        ("x", "2", "0.2", "2.1", "0.2", "0.50"),
    ]
    assert rows[0][6] == "1.00"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "-"), (False, "no"), (12345, "12345"), (0.25, "0.25"), (1e-20, "0"), ((), "-"),
        ({}, "-"), (["a", 2], "a, 2"), ({"a": ("b", "c")}, "a: b, c"), ("text", "text"),
    ],
)  # fmt: skip
def test_values_are_written_shortly(value: Any, words: str) -> None:
    assert told(value) == words
