"""Two tables side by side, and a share that is counted on them."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.stats import binomtest

from discreet.errors import InputError
from discreet.measure import Estimate
from discreet.measure import pairs as MODULE
from discreet.measure.pairs import TURNS, Side, as_pair, counted, keyed_order

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


JOINED: dict[str, tuple[list[Any], list[Any], list[str]]] = {
    "texts": (
        ["a", "a", "x", "y", "b"],
        ["b", "a", "(other)", "a", "(other)"],
        ["a", "a", "(other)", "(other)", "b"],
    ),
    "codes": (
        [1, 1, 91, 92, 2],
        ["2", "1", "(other)", "1", "1"],
        ["1", "1", "(other)", "(other)", "2"],
    ),
    "with gaps": (
        ["a", None, "x", "a", "a"],
        ["a", "(other)", None, "a", "a"],
        ["a", "", "(other)", "a", "a"],
    ),
    "a level of that name": (
        ["a", "(other)", "b", "b", "a"],
        ["a", "(other)", "b", "b", "a"],
        ["a", "(other)", "b", "b", "a"],
    ),
}


@pytest.mark.parametrize(("before", "after", "joined"), JOINED.values(), ids=JOINED)
def test_levels_that_a_release_joined_are_joined_in_the_original(
    before: list[Any], after: list[Any], joined: list[str]
) -> None:
    number = [1.0, 2.0, 3.0, 4.5, 6.5]
    original = pd.DataFrame({"x": number, "ward": before})
    pair = as_pair(original, pd.DataFrame({"x": number, "ward": after}))
    assert plain(pair.original)["ward"] == joined
    assert plain(pair.released)["ward"] == ["" if it is None else it for it in after]


BEFORE_FRAME = pd.DataFrame(BEFORE)
# An original, a released table, how they are read, and what is said.
UNFIT: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "more columns": (BEFORE_FRAME, {"w": [1.0] * 4}, {}, "the original lacks: 'w'"),
    "another kind": (BEFORE_FRAME, {"x": list("abcd")}, {}, "'x' is continuous in the original"),
    "another length": (BEFORE_FRAME, {"x": [1.0, 2.0]}, {}, "numbers of rows.*--no-same"),
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
    "arrays of words": ([["Canary"]], [[1.0]], {}, "an array must contain only numbers"),
    "lists": (pa.table({"d": [[3.0]]}), pa.table({"d": [[3.0]]}), {}, "'d'"),
}


@pytest.mark.parametrize(("before", "after", "how", "text"), UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit(before: Any, after: Any, how: dict[str, Any], text: str) -> None:
    after = pd.DataFrame(after) if isinstance(after, dict) else after
    with pytest.raises(InputError, match=text) as refused:
        as_pair(before, after, **how)
    assert "Canary" not in str(refused.value)


# --- a share that was counted ---------------------------------------------------------------

# Count, trials, baseline; and the share and Wilson's interval to three digits.
BY_HAND: dict[str, tuple[float, int, float | None, tuple[float, float, float]]] = {
    "a fifth of a hundred": (20, 100, 0.01, (0.2, 0.133, 0.289)),
    "none of ten": (0, 10, None, (0.0, 0.0, 0.278)),
    "ties as parts": (2.5, 4, 0.25, (0.625, 0.219, 0.908)),
}


@pytest.mark.parametrize(("count", "trials", "baseline", "found"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(count: float, trials: int, baseline: float | None, found: Any) -> None:
    estimate = Estimate("w", count, trials, baseline)
    assert (estimate.share, round(estimate.low, 3), round(estimate.high, 3)) == found


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilsons(counted: tuple[int, int]) -> None:
    count, trials = counted
    estimate = Estimate("w", count, trials)
    wilson = binomtest(count, trials).proportion_ci(method="wilson")
    assert estimate.low == pytest.approx(wilson.low, abs=1e-12)
    assert estimate.high == pytest.approx(wilson.high, abs=1e-12)
    assert 0 <= estimate.low <= estimate.share <= estimate.high <= 1


ROUNDED: dict[str, tuple[float, int, int, tuple[float, int]]] = {
    "nearest": (12, 98, 5, (10, 100)),
    "up": (13, 98, 5, (15, 100)),
    "never none at all": (1, 2, 5, (0, 5)),
    "never above the trials": (8, 8, 5, (10, 10)),
    "parts": (2.6, 11, 5, (5, 10)),
    "by one": (2.6, 11, 1, (3, 11)),
}


@pytest.mark.parametrize(("count", "trials", "to", "found"), ROUNDED.values(), ids=ROUNDED)
def test_rounded(count: float, trials: int, to: int, found: tuple[float, int]) -> None:
    estimate = Estimate("w", count, trials, 0.5).rounded(to)
    assert (estimate.count, estimate.trials) == found
    assert (estimate.what, estimate.baseline) == ("w", 0.5)
    assert estimate.rounded(to) == estimate


@pytest.mark.parametrize(("count", "trials"), [(1, 0), (-1, 5), (6, 5), (math.nan, 5), (0, -1)])
def test_what_cannot_have_been_counted(count: float, trials: int) -> None:
    with pytest.raises(InputError, match="a count between 0 and its trials, of at least one"):
        Estimate("w", count, trials)


# --- The baseline of guessing: an order that follows from values alone, and other rows by it ----


Floats = NDArray[np.float64]

TABLES = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9),
    elements=st.integers(-2, 2).map(float),
)


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_the_file_does_not_matter(matrix: Floats, random: object) -> None:
    other = np.array(matrix.tolist())
    random.shuffle(order := list(range(len(matrix))))  # type: ignore[attr-defined]
    assert (matrix[keyed_order(matrix)] == other[order][keyed_order(other[order])]).all()
    assert sorted(keyed_order(matrix)) == list(range(len(matrix)))


@pytest.mark.parametrize("many", [0, 10**9])
def test_a_subsample_resembles_the_whole_also_where_most_rows_are_equal(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULE, "MANY", many)
    x = np.repeat([[0.0], [1.0], [2.0]], [6000, 3000, 1000], axis=0)
    some = x[keyed_order(x)[:1000]]
    shares = [float((some == value).mean()) for value in (0, 1, 2)]
    assert shares == pytest.approx([0.6, 0.3, 0.1], abs=0.04)


def test_few_rows_are_each_compared_with_every_other() -> None:
    values = np.array([1, 1, 1, 2, 2])  # each of three has two like it among four, each of two one
    order = keyed_order(values[:, None].astype(float))
    (found,) = counted(["alike"], order, lambda rows: [(values == values[rows]).sum()])
    assert (found.count, found.trials) == (5, 5)
    assert found.baseline == (3 * 2 + 2 * 1) / (5 * 4)


def test_many_rows_are_each_compared_with_some_others_and_never_with_themselves() -> None:
    seen: list[NDArray[np.intp]] = []

    def hits(rows: NDArray[np.intp]) -> list[int]:
        seen.append(rows.copy())
        return [int(np.equal(rows, np.arange(50)).sum())]

    (found,) = counted(["own"], keyed_order(np.arange(50.0)[:, None]), hits)
    assert (found.count, found.baseline) == (50, 0)
    del seen[0]
    assert len(seen) == TURNS
    assert all(len({int(rows[i]) for rows in seen}) == TURNS for i in range(50))


@given(TABLES, st.randoms(use_true_random=False))
def test_nor_does_it_where_values_are_digested(matrix: Floats, random: object) -> None:
    other = np.array(matrix.tolist())
    random.shuffle(order := list(range(len(matrix))))  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MODULE, "MANY", 0)
        mine, again = keyed_order(matrix), keyed_order(other[order])
        parts = keyed_order(matrix[:, :1], matrix[:, 1:])
    assert (matrix[mine] == other[order][again]).all()
    assert sorted(mine) == list(range(len(matrix)))
    assert parts.tolist() == mine.tolist()


def test_a_level_of_our_name_is_compared_with_what_it_is_in_a_copy() -> None:
    given = "(other) as given"
    before = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "l": ["(other)", "rare", "b", "(other)"]})
    pair = as_pair(before, before.assign(l=[given, "(other)", "b", given]))
    assert pair.original.levels["l"] == pair.released.levels["l"]
    assert as_pair(before, before).released.levels["l"] == tuple(before["l"])
