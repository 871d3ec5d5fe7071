"""What is known of the numbers in cells: the same by brute force, on every engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import Mock

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.table import Contributions, Magnitudes, Table, open_table
from discreet.table.magnitudes import Question
from tests.cases import examples

ENGINES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": lambda columns: pa.table(columns).to_pandas(),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
}
AXIS = (-2.0, 10.0)
MIDDLE, MOST = 4.0, 3
ASKED = Question.of(AXIS, MOST)
NAN, INF = math.nan, math.inf
LEVELS = {
    "sex": {"f": 0, "m": 1, "": 2},
    "site": {"north": 0, "south": 1, "west": 1},  # two levels that are joined
}


def opened(source: Any, **how: Any) -> Table:
    given: dict[str, Any] = {"kinds": {"x": "continuous"}, "roles": {}, "unit": None, "key": None}
    return open_table(source, **given | how)


def columns(seed: int = 3, n: int = 600) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(4, 3, n).round(2)
    x[:9] = [NAN, INF, -INF, -0.0, 0.0, MIDDLE, 1e-9, -1e6, 0.1]
    x[10:13] = [-64.0, 64.0, math.nextafter(64, 0)]  # where 64 digits of the axis' unit end
    held = [None if i % 50 == 9 else it for i, it in enumerate(x.tolist())]
    sites = [*LEVELS["site"]]
    return {
        "x": held,
        "sex": [["f", "m", None][i] for i in rng.integers(0, 3, n)],
        "site": [sites[i] for i in rng.integers(0, 3, n)],
    }


def exactly(values: Sequence[float], asked: Question = ASKED) -> Contributions:
    """Return what is to be known of a cell, by brute force."""
    low, high = asked.cuts
    sides = [
        [it for it in values if it < low],
        [it for it in values if low <= it < high],
        [it for it in values if it >= high],
    ]
    ordered = np.sort(np.array(values, dtype=np.float64))
    return Contributions(
        asked.cuts,
        tuple(map(len, sides)),
        tuple(sum((added(it, asked.unit) for it in side), Fraction(0)) for side in sides),
        ordered[:MOST],
        ordered[-MOST:],
    )


def added(value: float, unit: float) -> Fraction:
    """Return a number in whole units; nothing of one that has more than 64 digits of them."""
    whole = math.trunc(Fraction(value) / Fraction(unit))
    return whole * Fraction(unit) if -(2**63) <= whole < 2**63 else Fraction(0)


def told(cell: Contributions) -> tuple[Any, ...]:
    ends = tuple((it + 0.0).tolist() for it in (cell.lows, cell.highs))
    return cell.cuts, cell.sizes, cell.sums, *ends


def by_force(held: dict[str, Any]) -> list[list[float]]:
    out: list[list[float]] = [[] for _ in range(6)]
    for x, sex, site in zip(*held.values(), strict=True):
        if x is not None and math.isfinite(x):
            out[LEVELS["sex"][sex or ""] * 2 + LEVELS["site"][site]].append(x)
    return out


@pytest.mark.parametrize("most_levels", [10_000, 5], ids=["where the data are", "by parts"])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_says_the_same(
    engine: str, most_levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.table.table.MOST_LEVELS", most_levels)
    held = columns()
    found = opened(ENGINES[engine](held)).magnitudes("x", LEVELS, AXIS, MOST)

    cells = by_force(held)
    assert found.shape == (3, 2)
    assert [told(it) for it in found.cells] == [told(exactly(it)) for it in cells]
    assert found.again[0].tolist() == [len(it) for it in cells]
    for i, values in enumerate(cells):
        away = math.fsum(it - MIDDLE for it in values), math.fsum(map(abs, values))
        assert found.again[1:, i] == pytest.approx(away)
    assert found.pair is None


@pytest.mark.parametrize("engine", ["duckdb", "pandas"])
@pytest.mark.parametrize("between", [(-90, -3), (1, 3), (5, 90), (-90, 3), (1, 90)])
def test_numbers_that_are_on_some_sides_of_the_cuts_alone(
    between: tuple[int, int], engine: str
) -> None:
    held = columns(n=60)
    held["x"] = np.linspace(*between, 60).tolist()
    found = opened(ENGINES[engine](held)).magnitudes("x", LEVELS, AXIS, MOST)

    assert [told(it) for it in found.cells] == [told(exactly(it)) for it in by_force(held)]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_rows_of_persons_who_are_known(engine: str) -> None:
    held = columns(n=90)
    who = [None if i % 7 == 0 else f"p{i}" for i in range(90)]
    table = opened(ENGINES[engine](held | {"who": who}), unit="who")
    found = table.magnitudes("x", {"site": LEVELS["site"]}, AXIS, MOST)

    known = {k: [it for it, p in zip(v, who, strict=True) if p] for k, v in held.items()}
    sizes = [len(it) for it in by_force(known)]
    assert [it.size for it in found.cells] == [sum(sizes[::2]), sum(sizes[1::2])]
    assert table.known_numbers("x") == sum(sizes)


PAIRS: dict[str, tuple[list[float], tuple[float, float] | None]] = {
    "all different": ([0.0, 1, 2, 3, 4, 5], None),
    "half have one of two": ([1.0, 1, 2, 2, 3, 4, 5, 6], None),
    "one more": ([1.0, 1, 2, 2, 2, 3, 4, 5, 6], (2.0, 1.0)),
    "both signs of nothing are one": ([0.0, -0.0, 7, 3, -0.0], (0.0, 3.0)),
    "more than half alike: the smallest of the others": ([9.0, 9, 9, 9, 4, 5, 3], (9.0, 3.0)),
    "all alike": ([2.0, 2, 2], None),
    "two far apart": ([1e9, -1e9, 1e9, -1e9, 5], (-1e9, 1e9)),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("values", "pair"), PAIRS.values(), ids=PAIRS)
def test_the_two_most_frequent_numbers(
    engine: str, values: list[float], pair: tuple[float, float] | None
) -> None:
    table = opened(ENGINES[engine]({"x": values, "sex": ["f"] * len(values)}))
    places = {"sex": {"f": 0}}
    here = np.zeros(len(values), dtype=np.intp)

    assert table.magnitudes("x", places, AXIS, MOST).pair == pair
    assert Magnitudes.of(np.array(values), here, (1, 1), AXIS, MOST).pair == pair


def test_data_that_change_while_they_are_read_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame(columns())
    table = opened(frame)
    table.known_numbers("x")
    fewer = opened(frame.head(500))
    monkeypatch.setattr(table, "_in_cells", fewer._in_cells)

    with pytest.raises(InputError, match="the data have changed while they were read"):
        table.magnitudes("x", LEVELS, AXIS, MOST)


AXES = [AXIS, (-9.0, 3.0), (-3.0, 3.0), (0.0, 0.0), (-1e308, 1e308), (0.0, 1e-320), (1e9, 1e9 + 1)]


@given(
    values=st.lists(
        st.floats(-1e9, 1e9)
        | st.integers(-5, 9).map(float)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.sampled_from([-64.0, 64.0, math.nextafter(64, 0), 5e-324]),  # where digits end
        max_size=30,
    ),
    cuts=st.lists(st.integers(0, 30), max_size=3).map(sorted),
    axis=st.sampled_from(AXES),
    at_once=st.sampled_from([3, 1 << 20]),
)
@settings(max_examples=examples(100), deadline=None)
def test_parts_and_their_order_do_not_matter(
    values: list[float], cuts: list[int], axis: tuple[float, float], at_once: int
) -> None:
    held, places = np.array(values), np.arange(len(values)) % 2
    asked = Question.of(axis, MOST)
    parts = [*zip(np.split(held, cuts), np.split(places, cuts), strict=True)]

    whole = asked.of_parts([(held, places)], 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.table.magnitudes.AT_ONCE", at_once)
        assert [told(it) for it in asked.of_parts(parts[::-1], 2)] == [told(it) for it in whole]
    for place, cell in enumerate(whole):
        assert told(cell) == told(exactly(held[places == place].tolist(), asked))
    joined = Contributions.joined(whole, MOST)
    assert joined.size == len(values)
    assert joined.total == sum((it.total for it in whole), Fraction(0))
    assert (joined.lows + 0.0).tolist() == (np.sort(held)[:MOST] + 0.0).tolist()


def test_distances_and_ends_by_hand() -> None:
    cell = exactly([-2.0, 1, 3, 5, 9])

    assert cell.total == 16
    assert [float(cell.away(it)) for it in (0.0, 4.0)] == [2 + 1 + 3 + 5 + 9, 6 + 3 + 1 + 1 + 5]
    assert cell.ends.tolist() == [-2, 1, 3, 5, 9]  # all, and the middle one once
    assert exactly([1.0, 2]).ends.tolist() == [1, 2]
    assert exactly([*map(float, range(9))]).ends.tolist() == [0, 1, 2, 6, 7, 8]
    assert exactly([]).ends.tolist() == []


@pytest.fixture
def _few_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows are the first ones, so that small tables have values beyond where few are."""
    monkeypatch.setattr("discreet.table.extremes.FIRST", 200)
    monkeypatch.setattr("discreet.table.extremes.FEW", 10)


@pytest.mark.usefixtures("_few_first")
def test_cells_with_few_numbers_far_out_have_theirs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    held = columns(n=900)
    held["sex"] = ["f" if i % 2 else None for i in range(900)]
    for i in range(9):  # all in the middle, one of them far from the others
        held["x"][300 + i], held["sex"][300 + i] = 4.0 + i % 7 / 100, "m"
    table = opened(ENGINES["duckdb"](held))
    collect = Mock(side_effect=table._collect)
    monkeypatch.setattr(table, "_collect", collect)
    found = table.magnitudes("x", LEVELS, AXIS, MOST)

    low, high = table._ends["x"].few_beyond
    assert -2 < low < 4 < high < 10
    assert [told(it) for it in found.cells] == [told(exactly(it)) for it in by_force(held)]
    assert "IN (" in nw.to_native(collect.call_args.args[0]).sql_query()


PROVED: dict[str, tuple[list[float], bool]] = {
    "numbers that differ": ([i / 7 for i in range(600)], True),
    "whole ones, in order": ([float(i // 10) for i in range(600)], True),
    "two are more than half": ([0.0, -0.0, 1.0] * 200, False),
    "and so are they where others differ": (
        [i / 7 if i % 9 < 4 else i % 2 for i in range(600)],
        False,
    ),
    "far beyond the axis": ([1e30 * i for i in range(600)], False),
}


@pytest.mark.parametrize(("values", "proved"), PROVED.values(), ids=PROVED)
def test_two_numbers_are_sought_only_where_they_may_be_half_of_all(
    values: list[float], proved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = {"x": values, "sex": ["f"] * len(values)}
    table = opened(ENGINES["duckdb"](held))
    sought = Mock(side_effect=table._pair)
    monkeypatch.setattr(table, "_pair", sought)
    found = table.magnitudes("x", {"sex": {"f": 0}}, AXIS, MOST)

    here = np.zeros(len(values), dtype=np.intp)
    assert found.pair == Magnitudes.of(np.array(values), here, (1, 1), AXIS, MOST).pair
    assert sought.called != proved


def _other_largest(table: Table) -> None:
    ends = table._extremes("x")
    table._ends["x"] = replace(ends, highs=ends.highs + 1)


def _other_smallest(table: Table) -> None:
    ends = table._extremes("x")
    table._ends["x"] = replace(ends, lows=ends.lows - 1)


def _fewer_of_a_level(table: Table) -> None:
    table._levels["site"] = {it: 3 if it == "north" else 90 for it in LEVELS["site"]}


STALE: dict[str, Callable[[Table], None]] = {
    "the largest": _other_largest,
    "the smallest": _other_smallest,
    "how many have a number": lambda table: table._numbers.update(x=54),
    "how many have a level": _fewer_of_a_level,
}


@pytest.mark.parametrize("engine", ["duckdb", "pandas"])
@pytest.mark.parametrize("make_stale", STALE.values(), ids=STALE)
def test_what_does_not_fit_the_counts_before_is_refused(
    make_stale: Callable[[Table], None], engine: str
) -> None:
    table = opened(ENGINES[engine](columns(n=60)))
    assert table.magnitudes("x", {"site": LEVELS["site"]}, AXIS, MOST).shape == (2, 1)
    make_stale(table)

    with pytest.raises(InputError, match="the data have changed while they were read"):
        table.magnitudes("x", {"site": LEVELS["site"]}, AXIS, MOST)
