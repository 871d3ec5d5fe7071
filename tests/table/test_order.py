"""Values at ranks, found by counts, are those of the sorted column on every engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.protect.values import nice_step, winsorised
from discreet.table import Ordered, open_table

ENGINES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda data: duckdb.connect().from_arrow(pa.table(data)),
}
RNG = np.random.default_rng(7)
SHAPES: dict[str, np.ndarray] = {
    "even": RNG.uniform(size=3000),
    "skewed": np.exp(4 * RNG.normal(size=3000)),
    "one far beyond": np.append(RNG.normal(size=2999), 1e12),
    "one far below": np.append(RNG.normal(size=2999), -1e20),
    "few values": RNG.integers(18, 90, 3000).astype(float),
    "mostly nought": np.where(RNG.uniform(size=3000) < 0.9, 0.0, RNG.normal(size=3000)),
    "constant": np.full(3000, 2.5),
    "as wide as floats are": np.append(RNG.normal(size=2998), [1e308, -1e308]),
    "as small as floats are": RNG.integers(0, 40, 3000) * 5e-324,
}
RANKS = [(0, 10), (740, 760), (1499, 1501), (1500, 1500), (2990, 3000), (0, 3000)]


@pytest.fixture(autouse=True)
def _coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few bins, and few rows at once, so that small tables are counted several times."""
    monkeypatch.setattr("discreet.table.order.FINE", 16)
    monkeypatch.setattr("discreet.table.order.MOST", 20)
    monkeypatch.setattr("discreet.table.order.AT_ONCE", 200)


def ordered(source: object) -> Ordered:
    return open_table(source, kinds={}, roles={}, unit=None, key=None).ordered("x")


@pytest.mark.parametrize("make", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("values", SHAPES.values(), ids=SHAPES)
def test_values_at_ranks_are_those_of_the_sorted_column(
    make: Callable[[dict[str, Any]], Any], values: np.ndarray
) -> None:
    found = ordered(make({"x": values}))

    parts = found.at(RANKS)

    in_order = np.sort(values)
    assert (found.size, found.low, found.high) == (3000, in_order[0], in_order[-1])
    for part, (start, stop) in zip(parts, RANKS, strict=True):
        np.testing.assert_array_equal(part, in_order[start:stop])


@given(
    values=st.lists(
        st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False, allow_infinity=False)),
        min_size=1,
        max_size=120,
    ),
    ranks=st.lists(st.tuples(st.integers(0, 120), st.integers(0, 9)), max_size=4),
)
def test_whatever_the_values_and_the_ranks(
    values: list[float], ranks: list[tuple[int, int]]
) -> None:
    spans = [(min(start, len(values)), min(start + count, len(values))) for start, count in ranks]

    parts = ordered(pl.DataFrame({"x": values})).at(spans)

    for part, (start, stop) in zip(parts, spans, strict=True):
        np.testing.assert_array_equal(part, np.sort(values)[start:stop])


PLACES = {"a": 0, "b": 1, "c": 1, "": 2}  # two levels that are joined, and a missing one


@pytest.mark.parametrize("make", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("shape", [*SHAPES])
def test_each_part_has_its_own_order_and_spread(
    make: Callable[[dict[str, Any]], Any], shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.table.extremes.FIRST", 300)  # of which few may be different
    monkeypatch.setattr("discreet.table.order.FINE", 128)
    values = SHAPES[shape]
    levels = [["a", "b", "c", None][i] for i in np.arange(3000) * 37 % 101 % 4]
    table = open_table(make({"x": values, "of": levels}), kinds={}, roles={}, unit=None, key=None)
    parts = [np.sort(values[[PLACES[it or ""] == place for it in levels]]) for place in range(3)]

    found = table.ordered("x", {"of": PLACES})

    alike = ("few values", "mostly nought", "constant")
    assert np.isfinite(found.same).any() == (shape in alike)
    assert found.each == [len(it) for it in parts]
    spans = [[(0, 10), (n // 2, n // 2 + 7), (n - 10, n)] for n in found.each]
    for place, (ranks, part) in enumerate(zip(found.at_each(spans), parts, strict=True)):
        for rank, (start, stop) in zip(ranks, spans[place], strict=True):
            np.testing.assert_array_equal(rank, part[start:stop])
        low, high = float(part[9]), float(part[-10])
        sd = found.spread(low, high, place)
        if math.isfinite(high - low):
            assert sd == pytest.approx(np.std(np.clip(part, low, high), ddof=1), rel=1e-9)
        least, most = found.spread_within(low, high, place)
        assert least <= sd <= most
    np.testing.assert_array_equal(found.together.at([(5, 9)])[0], np.sort(values)[5:9])


@given(
    values=st.lists(st.floats(-1e6, 1e6) | st.integers(0, 5).map(float), min_size=21, max_size=90),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
)
def test_the_spread_lies_where_the_bins_say(values: list[float], ends: list[float]) -> None:
    found, held = ordered(pl.DataFrame({"x": values})), np.array(values)
    low, high = (float(held.min() + it * np.ptp(held)) for it in ends)

    least, most = found.spread_within(low, high)

    sd = found.spread(low, high)
    assert least <= sd <= most
    if math.isfinite(most):  # two of 16 bins apart at most
        assert most - least <= 3 * np.ptp(held) / 15


@pytest.mark.parametrize(("edges", "off"), [((4.0, 9.99), 0.49), ((4.99, 9.0), -0.49)])
def test_values_at_the_edges_of_bins_are_half_a_bin_from_their_middles(
    edges: tuple[float, float], off: float
) -> None:
    found = ordered(pl.DataFrame({"x": [0.0, 15.0, *np.repeat(edges, 500)]}))
    assert found.width == 1.0

    least, most = found.spread_within(4.0, 9.99)

    # The middles are 4.5 and 9.5, of which the standard deviation is 2.5.
    assert (least + most) / 2 == pytest.approx(2.5, abs=0.01)
    assert (most - least) / 2 == pytest.approx(0.5, abs=0.01)
    sd = found.spread(4.0, 9.99)
    assert sd == pytest.approx(2.5 + off, abs=0.01)
    assert least <= sd <= most


def test_values_beyond_the_ends_that_are_said_are_in_order_too() -> None:
    values = SHAPES["skewed"]
    found = ordered(pl.DataFrame({"x": values}))
    said = Ordered.of(found.values, found.collect, 1.0, 1.5)

    assert [it.tolist() for it in said.at(RANKS)] == [it.tolist() for it in found.at(RANKS)]


@pytest.mark.parametrize("make", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("shape", ["even", "skewed", "one far beyond", "few values"])
def test_the_spread_is_that_of_the_values_drawn_in(
    make: Callable[[dict[str, Any]], Any], shape: str
) -> None:
    values = SHAPES[shape]
    drawn = winsorised(values, 5)

    found = ordered(make({"x": values})).spread(float(drawn.min()), float(drawn.max()))

    assert found == pytest.approx(np.std(drawn, ddof=1), rel=1e-12)
    assert nice_step(found) == nice_step(float(np.std(drawn, ddof=1)))


def test_values_that_are_missing_or_infinite_do_not_count() -> None:
    found = ordered(pl.DataFrame({"x": [3.0, None, float("nan"), 1.0, float("inf"), 2.0]}))

    assert found.size == 3
    assert found.at([(0, 3)])[0].tolist() == [1.0, 2.0, 3.0]


def test_of_no_values_there_are_none() -> None:
    assert ordered(pl.DataFrame({"x": [None, None, 1.0]}).head(3)).at([(0, 1)])[0].tolist() == [1.0]
    none = ordered(pl.DataFrame({"x": pl.Series([None, None], dtype=pl.Float64)}))
    assert none.size == 0
    assert none.spread(0.0, 1.0) == 0.0


def test_data_that_change_between_two_questions_are_no_answer() -> None:
    found = ordered(pl.DataFrame({"x": np.arange(100.0)}))
    changed = replace(found, values=nw.from_native(pl.LazyFrame({"value": [1.0, 2.0]})))

    with pytest.raises(InputError, match="the data have changed while they were read"):
        changed.at([(0, 100)])
