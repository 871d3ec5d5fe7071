"""Bar charts and cross-tables: by hand, and as each other."""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import RefusedError
from discreet.plots import BarView, CrossTableView
from discreet.plots.bars import BarChart
from discreet.plots.crosstab import CrossTable
from discreet.table import Table
from tests.plots.cases import OF_RECORDS, RAW, table_of

Cells = Sequence[Sequence[int]]


def persons(cells: Cells, rows: str = "abcdefgh", columns: str = "uvwxyz") -> dict[str, Any]:
    """Make persons: so many of each row level (of `one`) and column level (of `two`)."""
    pairs = [
        (row, column)
        for row, held in zip(rows, cells, strict=False)
        for column, n in zip(columns, held, strict=False)
        for _ in range(n)
    ]
    one, two = zip(*pairs, strict=True)
    return {
        "one": pa.array([None if level == "-" else level for level in one], pa.string()),
        "two": pa.array([None if level == "-" else level for level in two], pa.string()),
    }


def bars(table: Table, column: str = "one", by: str | None = None) -> BarView:
    """Draw bars."""
    return BarChart(column, by=by).from_counts(table, RAW, OF_RECORDS)


def crosstab(table: Table, columns: tuple[str, str] = ("one", "two")) -> CrossTableView:
    """Count a cross-table."""
    return CrossTable(*columns).from_counts(table, RAW, OF_RECORDS)


# --- bars -------------------------------------------------------------------------------------


def wards(**held: int) -> Table:
    """Make a table of so many persons of each ward."""
    levels = [None if ward == "none" else ward for ward, n in held.items() for _ in range(n)]
    return table_of({"one": levels})


def test_bars_are_counts_of_all_levels() -> None:
    view = bars(wards(n=31, s=7, w=1))
    assert view.levels == ("n", "s", "w")
    assert view.counts == (31, 7, 1)
    assert (view.by, view.by_levels, view.by_counts) == (None, (), ())
    assert view.parameters == {}
    assert view.suppressed == 0
    assert view.origin == dataclasses.replace(OF_RECORDS, shown=39, total=39)


def test_a_person_counts_once_a_bar() -> None:
    # 30 persons twice at n, 20 of them once more at s, 5 other at s and w
    who = [*range(30), *range(30), *range(20), *range(100, 125), *range(100, 105)]
    ward = ["n"] * 60 + ["s"] * 45 + ["w"] * 5
    table = table_of({"one": ward, "who": who}, unit="who")
    assert bars(table).counts == (30, 45, 5)


# --- cross-tables -----------------------------------------------------------------------------


def test_a_table_has_all_counts_and_their_sums() -> None:
    view = crosstab(table_of(persons([[1, 0], [2, 7]])))
    assert (view.row_levels, view.column_levels) == (("a", "b"), ("u", "v"))
    assert view.counts == ((1, 0), (2, 7))
    assert (view.row_totals, view.column_totals, view.total) == ((1, 9), (3, 7), 10)
    assert view.suppressed == 0
    assert view.parameters == {}
    assert view.origin == dataclasses.replace(OF_RECORDS, shown=10, total=10)


TWICE = {"one": ["a", "b"] * 60, "two": ["u"] * 60 + ["v"] * 60, "who": [*range(60), *range(60)]}


def test_persons_with_several_rows_are_refused_with_advice() -> None:
    table = table_of(TWICE, unit="who")

    advice = r"several rows.*one row per person first, or draw a bar chart of one column"
    with pytest.raises(RefusedError, match=advice):
        crosstab(table)
    with pytest.raises(RefusedError, match=advice):
        bars(table, by="two")
    assert bars(table).counts == (30, 30)


# --- laws -------------------------------------------------------------------------------------


@st.composite
def cells_of(draw: st.DrawFn) -> list[list[int]]:
    """Draw a small table that is not empty."""
    r, c = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    count = st.sampled_from([0, 0, 1, 2, 3, 4, 5, 8, 13, 40])
    held = draw(st.lists(st.lists(count, min_size=c, max_size=c), min_size=r, max_size=r))
    held[draw(st.integers(0, r - 1))][draw(st.integers(0, c - 1))] += 1
    return held


@pytest.mark.slow
@given(cells_of())
def test_divided_bars_are_the_table_whichever_way_it_is_asked_for(held: list[list[int]]) -> None:
    table = table_of(persons(held, rows="abc-", columns="uvw-"))
    across, down = crosstab(table), crosstab(table, ("two", "one"))
    upright, lying = bars(table, "one", by="two"), bars(table, "two", by="one")
    assert upright.levels == lying.by_levels == across.row_levels == down.column_levels
    assert lying.levels == upright.by_levels == across.column_levels == down.row_levels
    assert down.counts == tuple(zip(*across.counts, strict=True))
    assert upright.by_counts == tuple(zip(*across.counts, strict=True))
    assert lying.by_counts == across.counts
    assert upright.counts == across.row_totals == down.column_totals == bars(table, "one").counts
    assert lying.counts == across.column_totals == down.row_totals == bars(table, "two").counts
    assert across.total == down.total == sum(map(sum, held))


def test_every_count_is_what_it_says() -> None:
    rng = np.random.default_rng(5)
    one, two = rng.choice(list("abcd"), 300), rng.choice(list("uvw"), 300, p=[0.9, 0.07, 0.03])
    view = crosstab(table_of({"one": one, "two": two}))
    pairs = list(zip(one.tolist(), two.tolist(), strict=True))
    for (i, row), (j, column) in itertools.product(
        enumerate(view.row_levels), enumerate(view.column_levels)
    ):
        assert view.counts[i][j] == pairs.count((row, column))


# --- very many levels -------------------------------------------------------------------------


def test_five_thousand_levels_are_refused_before_anything_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They were drawn as a black band, in a hundred seconds."""
    n = 5000
    columns = {"one": [f"c{i % n}" for i in range(6 * n)], "two": ["u", "v"] * (3 * n)}
    table = table_of(columns)
    monkeypatch.setattr(Table, "count", None)
    with pytest.raises(RefusedError, match=r"'one' has more than 200 levels.*; merge levels"):
        bars(table)
    for column, by in (("one", "two"), ("two", "one")):
        with pytest.raises(RefusedError, match=r"more than 200 pairs of levels.*; merge levels"):
            bars(table, column, by)
    with pytest.raises(RefusedError, match=r"'one' by 'two' has more than 1000 pairs of levels"):
        crosstab(table)
