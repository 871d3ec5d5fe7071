"""Rows in memory are counted as a table of them is, whatever engine counts that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.columns import KINDS, BinAxis, Column
from discreet.columns.grids import ArrayRows
from discreet.errors import InputError, RefusedError
from discreet.table import Table, open_table

NUMBERS = st.one_of(st.just(np.nan), st.integers(-4, 4).map(float), st.floats(-4, 4))
ROWS = st.lists(
    st.tuples(NUMBERS, NUMBERS, st.sampled_from(["", "a", "b", "other"])), min_size=1, max_size=40
)


def both(rows: list[tuple[float, float, str]]) -> tuple[ArrayRows, Table]:
    """Return rows in memory, and a table of the same."""
    x, y, words = (list(it) for it in zip(*rows, strict=True))
    numbers = {"x": np.array(x), "y": np.array(y)}
    frame = pa.table({**numbers, "arm": pa.array([it or None for it in words], pa.string())})
    kinds = {"x": KINDS[0], "y": KINDS[0], "arm": KINDS[1]}
    roles = dict.fromkeys(kinds, "quasi-identifier")
    table = open_table(frame, kinds=kinds, roles=roles, unit=None, key=None, least=None)
    return ArrayRows(numbers, {"arm": tuple(words)}), table


def answered(ask: Callable[[Any], Any], of: ArrayRows | Table) -> Any:
    """Return what rows answer, or why they do not."""
    try:
        return ask(of)
    except RefusedError as error:
        return str(error)


@given(ROWS, st.integers(1, 6))
def test_cells_are_those_of_a_table(rows: list[tuple[float, float, str]], bins: int) -> None:
    memory, table = both(rows)
    places = {"arm": {"": 0, "a": 1, "b": 2, "other": 1}}
    grids: list[tuple[list[BinAxis], dict[str, dict[str, int]]]] = [
        ([BinAxis("x", -3, 3, bins)], {}),
        ([BinAxis("x", -3, 3, bins), BinAxis("y", -4, 4, 2, (-4.0, 0.5, 4.0))], {}),
        ([BinAxis("y", 0, 1, bins)], places),
        ([], places),
    ]
    for axes, levels in grids:
        one, other = memory.count(axes, levels), table.count(axes, levels)
        assert one.counts.tolist() == other.counts.tolist()
        assert (one.people, one.left_out) == (other.people, other.left_out)


@given(ROWS, st.integers(1, 5))
def test_levels_ends_and_rows_are_those_of_a_table(
    rows: list[tuple[float, float, str]], k: int
) -> None:
    memory, table = both(rows)
    assert memory.size == table.size
    assert memory.levels("arm") == table.levels("arm")
    assert memory.levels("arm", ["x"]) == table.levels("arm", ["x"])
    assert memory.is_whole("x", k) == table.is_whole("x", k)
    asks: list[Any] = [
        lambda of: [it.tolist() for it in of.extremes("x", k)],
        lambda of: (lambda it: ({n: v.tolist() for n, v in it.numbers.items()}, it.texts))(
            of.rows(["x", "y"], levels=["arm"])
        ),
        lambda of: of.rows(["x"], ["arm"]).left_out,
    ]
    for ask in asks:
        assert answered(ask, memory) == answered(ask, table)


def test_names_are_refused_as_those_of_a_table() -> None:
    memory, table = both([(1.0, 2.0, "a"), (2.0, 3.0, "b")])
    wrong: list[tuple[list[Any], str | None]] = [
        (["xx"], None),
        (["x", "x"], None),
        ([3], None),
        (["arm"], KINDS[0]),
        (["x"], KINDS[1]),
    ]
    for names, kind in wrong:
        with pytest.raises(InputError, match="column") as told:
            table.require(names, kind)
        with pytest.raises(InputError, match="column") as found:
            memory.require(names, kind)
        assert str(found.value) == str(told.value)
    assert memory.shown(["x", "arm"], KINDS[1]) == ("arm",)
    assert not memory.persons_repeat()


def test_columns_may_be_known_without_rows() -> None:
    known = ArrayRows({}, {}, {"x": Column("x", KINDS[0])})
    assert (known.size, repr(known)) == (0, "ArrayRows(x)")
    known.require(["x"], KINDS[0])


def test_a_level_without_a_place_is_in_no_cell() -> None:
    """It may lack one where none of its rows is counted, and nowhere else."""
    rows = ArrayRows({"x": np.array([0.5, np.nan])}, {"arm": ("a", "b")})
    axis = BinAxis("x", 0.0, 1.0, 1)
    assert rows.count([axis], {"arm": {"a": 0}}).weights.tolist() == [1]
    with pytest.raises(KeyError, match="a"):
        rows.count([axis], {"arm": {"b": 0}})
