"""Lists of columns: what is counted, and how it is printed."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import RefusedError
from discreet.estimates.column_list import BINS, ColumnFacts, ColumnList, bars_in_text, facts_of
from discreet.estimates.tables import RowsToDescribe


@given(st.lists(st.one_of(st.integers(-300, 300), st.floats(-1e6, 1e6), st.none()), max_size=40))
def test_every_row_is_counted_once_or_missing(values: list[float | None]) -> None:
    column = np.array([np.nan if it is None else it for it in values], dtype=float)
    found = facts_of(RowsToDescribe({"x": column}, {}), "x")
    known = [it for it in values if it is not None]
    assert sum(found.counts) == len(known)
    assert len(found.counts) <= BINS
    assert found.missing == (1 - len(known) / len(values) if values else None) or (
        found.missing == pytest.approx(1 - len(known) / len(values))
    )
    if known:
        assert (found.least, found.most) == (min(known), max(known))
        assert found.counts[0]
        assert (found.kind == "whole number") == all(float(it).is_integer() for it in known)


def test_whole_numbers_stand_in_bins_of_as_many_of_them() -> None:
    rows = RowsToDescribe({"x": np.arange(25.0), "grade": np.array([1.0, 1.0, 3.0])}, {})
    assert facts_of(rows, "x").counts == (3, 3, 3, 3, 3, 3, 3, 3, 1)
    assert facts_of(rows, "grade").counts == (2, 0, 1)


def test_levels_stand_in_their_order_and_gaps_are_no_level() -> None:
    words = ("b", "", "a", "b", "b", "")
    ordered = RowsToDescribe({}, {"x": words}, ordered={"x": ("a", "b", "c")})
    found = facts_of(RowsToDescribe({}, {"x": words}), "x")
    assert (found.levels, found.counts) == (("a", "b"), (1, 3))
    assert found.missing == pytest.approx(1 / 3)
    assert facts_of(ordered, "x").levels == ("a", "b")


@given(st.lists(st.integers(0, 1000), max_size=12))
def test_bars_are_as_high_as_counts_say(counts: list[int]) -> None:
    bars = bars_in_text(counts)
    assert len(bars) == len(counts)
    for bar, count in zip(bars, counts, strict=True):
        assert (bar == " ") == (count == 0)
        assert (bar == "█") >= (count == max(counts) > 0)


def listed() -> ColumnList:
    """Return a list with a long name, a wide one, many levels, and one that is not in the copy."""
    levels = tuple(f"region number {i}" for i in range(40))
    return ColumnList(
        "Columns of <b>",
        (
            ColumnFacts("a name that is longer than there is room for", "number", in_copy=True),
            ColumnFacts("名前", "level", None, ("男", "女"), 0.0, counts=(3, 1), in_copy=True),
            ColumnFacts("r", "level", None, levels, 0.25, counts=(1,) * 40, in_copy=True),
            ColumnFacts("all", "whole number", None, (), 0.0, 1.0, 1.0, (4,), in_copy=True),
            ColumnFacts("id", "identifier"),
        ),
        ("a note",),
    )


def test_it_prints_as_a_table_of_88_columns() -> None:
    text = str(listed())
    assert text.startswith("Columns of <b>\n--------------\ncolumn                    kind  ")
    assert "a name that is longer\n  than there is room for  number" in text
    assert "名前                      level             0 %  █▃            男, 女\n" in text
    assert "25.0 %  ████████████  region number 0, region\n" in text
    assert "and 36" in text
    assert "–                not in a copy\n\n- a note" in text


def test_on_a_page_a_histogram_is_a_picture_to_who_hears_it() -> None:
    page = listed()._repr_html_()
    assert page.count('<span role="img" aria-label="histogram">') == 3
    assert "Columns of &lt;b&gt;" in page


def test_it_is_a_mapping_that_a_notebook_completes() -> None:
    found = listed()
    assert [*found] == found._ipython_key_completions_()
    assert found["r"].levels[1] == "region number 1"
    with pytest.raises(KeyError, match="there is no column 'x'; there are"):
        found["x"]
    with pytest.raises(RefusedError, match="cannot be pickled; to_json writes it"):
        pickle.dumps(found)


def test_json_is_asked_for_and_has_it_in_full() -> None:
    asked: list[str] = []
    told = json.loads(ColumnList("t", listed().figures, (), gate=asked.append).to_json())
    assert asked == ["json"]
    assert told["columns"][2]["missing"] == 0.25
    assert len(told["columns"][2]["levels"]) == 40
