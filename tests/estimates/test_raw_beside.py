"""Raw beside copy: which columns are drawn, in which bars, as a plot and as text."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.estimates.raw_beside import (
    MOST_DRAWN,
    ColumnBeside,
    NamedCodes,
    bins_of,
    columns_beside,
    panels_beside,
)
from discreet.render.scene import Bars, Columns, Lines

BINS = {
    "whole numbers, one a bar": ([1, 2, 4], [2, 3], [0.5, 1.5, 2.5, 3.5, 4.5]),
    "one number that is not whole": ([0.25], [0.25], [0.0, 1.0]),
    "tenths, one a bar": ([0.1, 0.3, 0.4], [0.2], [0.05, 0.15, 0.25, 0.35, 0.45]),
    # 100 / 24 = 4.2, so bars of 5; of whole numbers the first holds 0 to 4
    "many whole numbers": ([*range(101)], [0], [-0.5 + 5 * i for i in range(22)]),
    # in no even steps: from 0 to 1 by .05
    "numbers in no steps": ([0.0, 0.31, 1.0, 0.1234567], [0.7], [0.05 * i for i in range(21)]),
    "of the copy alone": ([], [2, 3], [1.5, 2.5, 3.5]),
    "too far apart to tell": ([-1.7e308, 1.7e308], [0.0], None),
}


@pytest.mark.parametrize(("raw", "copy", "edges"), BINS.values(), ids=BINS)
def test_bins(raw: list[float], copy: list[float], edges: list[float] | None) -> None:
    found = bins_of(np.array(raw, dtype=float), np.array(copy, dtype=float))
    assert (None if found is None else found.tolist()) == (
        None if edges is None else pytest.approx(edges)
    )


def test_shares_are_of_all_rows_and_the_ends_hold_what_is_beyond() -> None:
    raw = np.array([0.0] * 500 + [1.0] * 499 + [900.0])  # one row in a thousand is far out
    copy = np.array([0.0] * 2 + [1.0] * 2 + [math.nan])
    (found,) = columns_beside({"visits": 0.1}, {"visits": (raw, copy)}, {})
    assert found.edges == (-0.5, 0.5, 1.5)
    assert found.raw == (0.5, 0.5)  # 499 rows of 1, and the one beyond
    assert found.of_copy == (0.4, 0.4)
    assert (found.missing, found.missing_of_copy) == pytest.approx((0.0, 0.2))
    assert found.beyond


def test_rare_levels_are_one_bar() -> None:
    names = tuple("abcdefghij")
    codes = np.repeat(np.arange(10), np.arange(10, 0, -1))  # 10 of a, 9 of b ... 1 of j: 55
    (found,) = columns_beside({"ward": 0.0}, {}, {"ward": NamedCodes(names, codes, codes)})
    assert found.names == (*"abcdefg", "(3 more)")
    assert found.raw == pytest.approx([n / 55 for n in (10, 9, 8, 7, 6, 5, 4, 3 + 2 + 1)])


def test_the_farthest_columns_come_first_and_no_more_than_have_room() -> None:
    values = np.arange(5.0)
    off = {f"x{i:02}": i / 100 for i in range(20)} | {"too wide": 0.5}
    numbers = {name: (values, values) for name in off}
    numbers["too wide"] = (np.array([-1.7e308, 1.7e308]),) * 2
    found = columns_beside(off, numbers, {})
    assert [it.name for it in found] == [f"x{i:02}" for i in range(19, 19 - MOST_DRAWN, -1)]


AGE = ColumnBeside("age", 0.5, (0.5, 1.5, 2.5), (), (0.25, 0.5), (0.75, 0.25), 0.25, 0.0, True)
SEX = ColumnBeside("sex", 0.25, (), ("f", "m"), (0.5, 0.5), (0.25, 0.75))
SEEN = ColumnBeside("seen", 0.0, (18261.5, 18444.5, 18627.5), (), (1.0, 0.0), (0.5, 0.5))


def test_the_plot_has_bars_of_the_copy_and_lines_of_the_raw_table() -> None:
    age, sex, seen = panels_beside([AGE, SEX, SEEN], ["seen"])
    assert age.title == "age: off by 50.0 points"
    assert age.marks == (
        Bars((0.5, 1.5, 2.5), (75.0, 25.0)),
        Lines(((0.5, 0.5, 1.5, 1.5, 2.5, 2.5),), ((0.0, 25.0, 25.0, 50.0, 50.0, 0.0),), "trend"),
    )
    assert age.x.label == "missing 25.0 %, copy 0.0 %; the end bins include what lies beyond"
    assert (age.y.label, age.y.limits) == ("% of rows", (0.0, 81.0))
    assert sex.marks[0] == Columns(((25.0, 75.0),))
    assert sex.x.ticks == ("f", "m")
    assert sex.marks[1] == Lines(
        ((-0.4, -0.4, 0.4, 0.4), (0.6, 0.6, 1.4, 1.4)), ((0.0, 50.0, 50.0, 0.0),) * 2, "trend"
    )
    assert [words for _, words in seen.x.dates] == ["2020-01", "2020-04", "2020-07", "2020-10"]
