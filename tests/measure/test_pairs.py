"""Two tables side by side: what is compared, what is left out, and what does not fit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from discreet.errors import InputError
from discreet.measure.pairs import Pair, Side, as_pair, as_side

BEFORE: dict[str, list[Any]] = {
    "x": [1.0, 2.0, None, 4.0],
    "sex": ["f", "m", "m", None],
    "n": [1, 2, 3, 4],
    "flag": [True, False, True, True],
}
AFTER: dict[str, list[Any]] = {
    "flag": [True, True, True, True],
    "x": [1.5, None, 3.0, 4.5],
    "sex": ["m", "m", "f", None],
}


def plain(side: Side) -> dict[str, list[Any]]:
    """Return a side as a dict of lists."""
    numbers = {name: values.tolist() for name, values in side.numbers.items()}
    return numbers | {name: list(words) for name, words in side.levels.items()}


def test_rows_without_a_number_are_left_out_of_both(source: Callable[[Any], Any]) -> None:
    """Of four rows the original lacks one, the released table another; a missing level stays."""
    pair = as_pair(source(BEFORE), pd.DataFrame(AFTER))

    assert pair.names == ("x", "flag", "sex")
    assert plain(pair.original) == {"x": [1, 4], "flag": ["True", "True"], "sex": ["f", ""]}
    assert plain(pair.released) == {"x": [1.5, 4.5], "flag": ["True", "True"], "sex": ["m", ""]}
    assert (pair.left_out, pair.same_rows) == (2, True)
    assert pair.whole is not None
    assert (len(pair.whole), len(pair.table)) == (4, 4)
    assert set(pair.table.levels) == {"flag", "sex"}


def test_a_pair_without_a_column_lacks_it_in_all_its_tables() -> None:
    pair = as_pair(pd.DataFrame(BEFORE), pd.DataFrame(AFTER))

    less = pair.without("sex")

    assert (less.names, tuple(less.table.levels)) == (("x", "flag"), ("flag",))
    assert (len(less.table), len(less.released), less.left_out) == (4, 2, 2)
    assert pair.without("town") is pair.without(None) is pair
    alone = as_pair([[1.0], [2.0]], [[1.0], [2.0]])
    assert alone.without("0") is alone, "or nothing would be left"
    assert as_pair([[1.0], [2.0]], [[1.0], [2.0]]).table.matrix.tolist() == [[1.0], [2.0]]


def test_rows_that_do_not_correspond_are_left_out_each_by_itself() -> None:
    pair = as_pair(pd.DataFrame(BEFORE), pd.DataFrame(AFTER).iloc[:3], same_rows=False)

    assert plain(pair.original)["x"] == [1, 2, 4]
    assert plain(pair.released)["x"] == [1.5, 3]
    assert (len(pair.original), len(pair.released), pair.left_out) == (3, 2, 2)


def test_an_array_has_columns_by_number() -> None:
    pair = as_pair(np.array([[1.0, 2.0], [3.0, 4.0]]), [[1, 2], [3, 5]])

    assert pair.names == ("0", "1")
    assert pair.original.matrix.tolist() == [[1, 2], [3, 4]]
    assert pair.released.matrix.tolist() == [[1, 2], [3, 5]]
    assert as_pair([1.0, 2.0], [2.0, 3.0]).names == ("0",)


def test_what_is_dropped_is_not_read() -> None:
    """Neither its gaps nor its kind matter, nor whether the original has it."""
    released = pd.DataFrame(AFTER).assign(sex=[1.0] * 4, x=[None] * 4, w=["Canary"] * 4)

    pair = as_pair(BEFORE_FRAME, released, drop=["x", "sex", "w"])

    assert (pair.names, len(pair.original), pair.left_out) == (("flag",), 4, 0)
    with pytest.raises(InputError, match="drop names columns that the released table lacks: 'n'"):
        as_pair(BEFORE_FRAME, pd.DataFrame(AFTER), drop=["n"])
    with pytest.raises(InputError, match="no column is left to compare; drop fewer"):
        as_pair(BEFORE_FRAME, pd.DataFrame(AFTER), drop=["x", "sex", "flag"])


def test_codes_are_levels_where_they_are_declared() -> None:
    pair = as_pair(pd.DataFrame(BEFORE), pd.DataFrame({"n": [1, 2, 2, 4]}), categorical=["n"])

    assert plain(pair.original) == {"n": ["1", "2", "3", "4"]}
    assert (dict(pair.released.numbers), pair.left_out) == ({}, 0)
    with pytest.raises(InputError, match="there is no continuous column to compare"):
        _ = pair.original.matrix


def test_whole_and_broken_codes_are_one_level() -> None:
    """A released table often comes back from a file with its codes as 1.0, 2.0."""
    frame = pd.DataFrame({"n": [1.0, 2.0, 2.0, 4.0]})

    assert plain(as_pair(BEFORE_FRAME, frame, categorical=["n"]).released)["n"] == list("1224")


BEFORE_FRAME = pd.DataFrame(BEFORE)
# An original, a released table, how they are read, and what is said.
UNFIT: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "more columns": (BEFORE_FRAME, {"w": [1.0] * 4}, {}, "the original lacks: 'w'"),
    "another kind": (BEFORE_FRAME, {"x": list("abcd")}, {}, "'x' is continuous in the original"),
    "another length": (BEFORE_FRAME, {"x": [1.0, 2.0]}, {}, "different numbers of rows"),
    "a level of nobody": (
        BEFORE_FRAME,
        {"sex": ["f", "m", "m", "Canary"]},
        {},
        "column 'sex' of the released table has levels that the original lacks",
    ),
    "a level of nobody, unpaired": (
        BEFORE_FRAME,
        {"sex": ["Canary"]},
        {"same_rows": False},
        "levels that the original lacks",
    ),
    "no complete row": (
        BEFORE_FRAME,
        {"x": [None, None, 2.0, None]},
        {},
        "no row has a finite number in every column",
    ),
    "no such codes": (BEFORE_FRAME, {"x": [1.0] * 4}, {"categorical": ["w"]}, "'w'"),
    "arrays of words": ([["Canary"]], [[1.0]], {}, "an array must hold numbers alone"),
    "a ragged array": ([[1.0], [1.0, 2.0]], [[1.0]], {}, "an array must hold numbers alone"),
    "an empty array": (np.empty((0, 2)), [[1.0]], {}, "at least one row and one column"),
    "an array of three dimensions": (np.zeros((2, 2, 2)), [[1.0]], {}, "at least one row"),
    "dates": (
        pd.DataFrame({"d": pd.to_datetime(["2020-01-01"])}),
        {"d": pd.to_datetime(["2020-01-01"])},
        {},
        "'d'",
    ),
}


@pytest.mark.parametrize(("before", "after", "how", "text"), UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit(before: Any, after: Any, how: dict[str, Any], text: str) -> None:
    after = pd.DataFrame(after) if isinstance(after, dict) else after
    with pytest.raises(InputError, match=text) as refused:
        as_pair(before, after, **how)
    assert "Canary" not in str(refused.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        as_pair(tmp_path / "none.csv", BEFORE_FRAME)


def test_one_table_keeps_its_gaps() -> None:
    side = as_side(BEFORE_FRAME[["x", "sex"]])

    assert np.isnan(side.numbers["x"]).tolist() == [False, False, True, False]
    assert side.levels["sex"] == ("f", "m", "m", "")
    assert len(side) == 4
    kept = side.kept(np.array([True, False, False, True]))
    assert plain(kept) == {"x": [1, 4], "sex": ["f", ""]}


def test_nothing_prints_a_value() -> None:
    pair = as_pair(BEFORE_FRAME, pd.DataFrame(AFTER))

    assert isinstance(pair, Pair)
    assert repr(pair) == "Pair(x, flag, sex)"
    assert repr(pair.original) == "Side(x, flag, sex)"
