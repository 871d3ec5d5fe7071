"""Records found by the nearest row, rows by the nearest record, and values next to their own."""

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

from discreet import datasets
from discreet.errors import InputError, RefusedError
from discreet.measure import linkage as module
from discreet.measure.linkage import ddr, far_linkage, idr, interval_risk, nearness, record_linkage
from discreet.measure.pairs import as_pair, keyed_order
from discreet.methods import mdav

Floats = NDArray[np.float64]

BY_HAND: dict[str, tuple[list[Any], list[Any], float]] = {
    "identical": ([1, 2, 4, 8], [1, 2, 4, 8], 4),
    "all equal": ([3, 3, 3, 3], [3, 3, 3, 3], 1),
    "all released rows equal": ([1, 2, 4, 8], [3, 3, 3, 3], 1),
    "turned around": ([1, 2, 4, 8], [8, 4, 2, 1], 0),
    "means of pairs": ([1, 2, 7, 9], [1.5, 1.5, 8, 8], 2),
    "two as near: half of 4": ([1, 4, 9], [1, 3, 5], 1 + 1 / 2 + 1),
    "a tie of two others helps neither 4 nor 9": ([4, 4, 9], [9, 3, 5], 0 + 1 / 2 + 0),
    # sd of the first is 100 times that of the second: unscaled, the second would not count
    "scaled by the original": ([[0, 0], [0, 1], [100, 0], [100, 1]], [[0, 0]] * 4, 1),
    "constant columns tell nothing": ([[1, 7], [2, 7], [4, 7]], [[1, 9], [2, 7], [4, 5]], 3),
    "one row": ([5], [6], 1),
}


@pytest.mark.parametrize(("x", "y", "count"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(x: list[Any], y: list[Any], count: float) -> None:
    found = record_linkage(x, y)
    assert found.count == pytest.approx(count, abs=1e-15)
    assert found.trials == len(x)
    assert found.baseline == pytest.approx(1 / len(x))


LEVELS = ["f", "f", "m", "m", "m"]
BEFORE = pa.table({"x": [1.0, 2.0, 1.0, 2.0, 9.0], "sex": LEVELS})


def test_levels_are_known_by_default() -> None:
    # f: 1 is linked, 2 is not (1.2 is nearer). m: 1 and 2 share one place, 9 is linked
    after = pa.table({"x": [1.2, 5.0, 1.5, 1.5, 9.0], "sex": LEVELS})
    found = record_linkage(BEFORE, after)
    assert found.count == 1 + 0 + 1 / 2 + 1 / 2 + 1
    assert found.baseline == pytest.approx((2 * 1 / 2 + 3 * 1 / 3) / 5)
    # without levels 1 (f and m) has 1.2 nearest, 2 has the two 1.5 nearest, which is m's own
    assert record_linkage(BEFORE, after, within=()).count == 1 + 0 + 0 + 1 / 2 + 1
    assert record_linkage(BEFORE, after, within=()).baseline == pytest.approx(1 / 5)


def test_a_row_released_under_other_levels_cannot_be_linked() -> None:
    after = pa.table({"x": BEFORE["x"], "sex": ["f", "m", "m", "m", "m"]})
    found = record_linkage(BEFORE, after)
    # f's second row has gone to m, where it equals m's second
    assert found.count == 1 + 0 + 1 + 1 / 2 + 1
    assert found.baseline == pytest.approx((1 + 0 + 3 / 4) / 5)


def test_no_row_of_its_levels_was_released() -> None:
    after = pa.table({"x": BEFORE["x"], "sex": ["m"] * 5})
    found = record_linkage(BEFORE, after)
    assert found.count == 1 / 2 + 1 / 2 + 1
    assert found.baseline == pytest.approx(3 / 25)
    swapped = record_linkage(
        pa.table({"x": [1.0, 2.0], "sex": ["f", "m"]}),
        pa.table({"x": [1.0, 2.0], "sex": ["m", "f"]}),
    )
    assert (swapped.count, swapped.baseline) == (0, 0)


def test_rounding_makes_no_difference() -> None:
    x = np.arange(12.0) * 0.1
    y = x * 3 / 3 + 1e-15 * np.arange(12)  # equal up to rounding
    assert record_linkage(x, y).share == 1
    assert record_linkage(np.full(12, 0.3), y * 0 + 0.1 * 3).share == 1 / 12
    # 1 and 3 lie equally far from 2 but for the last digit
    assert record_linkage([2, 0.0, 9], [1.1 - 0.1, 0.0, 2.9 + 0.1]).count == 1 / 2 + 1 + 1


def brute(
    x: Floats, y: Floats, groups: NDArray[Any], rows: Any = slice(None), *, scaled: bool = True
) -> float:
    """Compare every record with every released row of its group."""
    if scaled:
        sd = x.std(axis=0, ddof=1)
        x, y = x[:, sd > 0] / sd[sd > 0], y[:, sd > 0] / sd[sd > 0]
    parts = []
    for i in np.arange(len(x))[rows]:
        gaps = np.sqrt(np.square(y - x[i]).sum(axis=1))
        gaps[groups != groups[i]] = np.inf
        near = gaps <= gaps.min() * (1 + 1e-10) + 1e-12
        parts.append(near[i] / near.sum())
    return math.fsum(parts)


def two_columns() -> Floats:
    """Return the columns of D1."""
    table = datasets.d1()
    return np.column_stack([np.asarray(table[name]) for name in table.column_names])


def noisy(x: Floats, sd: float) -> Floats:
    return x + np.random.default_rng(5).normal(0, sd, x.shape)


def means(x: Floats, k: int) -> Floats:
    """Return the mean of each row's MDAV group."""
    groups = mdav(x, k)
    out = np.empty_like(x)
    for group in np.unique(groups):
        out[groups == group] = x[groups == group].mean(axis=0)
    return out


def whole(n: int, p: int, values: int) -> Floats:
    return np.random.default_rng(7).integers(0, values, (n, p)).astype(float)


def some_noise(x: Floats) -> Floats:
    return x + np.random.default_rng(8).integers(-1, 2, x.shape)


NORMAL = np.random.default_rng(3).normal(size=(900, 4))
PAIRS: dict[str, Callable[[], tuple[Floats, Floats]]] = {
    "noise": lambda: (NORMAL, noisy(NORMAL, 0.2)),
    "little noise": lambda: (NORMAL, noisy(NORMAL, 0.01)),
    "tied whole numbers": lambda: (whole(900, 3, 7), some_noise(whole(900, 3, 7))),
    "few whole numbers": lambda: (whole(1000, 2, 4), some_noise(whole(1000, 2, 4))),
    "group means": lambda: (two_columns(), means(two_columns(), 5)),
    "rounded": lambda: (two_columns(), two_columns().round(0)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_brute_force(name: str) -> None:
    x, y = PAIRS[name]()
    strata = 6 if name in ("little noise", "few whole numbers", "rounded") else 1
    groups = np.arange(len(x)) % strata
    sides = [
        pa.table({"x" + str(j): column for j, column in enumerate(m.T)} | {"g": groups.astype(str)})
        for m in (x, y)
    ]
    found = record_linkage(*sides)
    assert found.count == pytest.approx(brute(x, y, groups), rel=1e-12)
    assert found.baseline == pytest.approx(strata / len(x))


@pytest.mark.parametrize("make", PAIRS.values(), ids=PAIRS)
def test_many_blocks_and_chunks(
    make: Callable[[], tuple[Floats, Floats]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = as_pair(*make())
    whole_at_once = record_linkage(pair)
    for name, size in {"BLOCK": 50, "CHUNK": 300, "PROBE": 3}.items():
        monkeypatch.setattr(module, name, size)
    assert record_linkage(pair) == whole_at_once


SMALL = hnp.arrays(np.float64, (8, 2), elements=st.integers(0, 4).map(float))


@pytest.mark.slow
@given(SMALL, SMALL, st.permutations(range(8)))
def test_laws(x: Floats, y: Floats, order: list[int]) -> None:
    found = record_linkage(x, y)
    assert found.count == pytest.approx(brute(x, y, np.zeros(8)), rel=1e-12)
    assert record_linkage(x[order], y[order]) == found
    assert far_linkage(x[order], y[order], far=3) == far_linkage(x, y, far=3)
    assert nearness(x[order], y[order]) == nearness(x, y)
    assert record_linkage(x, x).count == pytest.approx(len(np.unique(x, axis=0)))
    assert record_linkage(3 * x - 7, 3 * y - 7).count == pytest.approx(found.count)
    far = far_linkage(x, y, far=8)
    assert (far.count, far.trials, far.baseline) == (found.count, 8, found.baseline)


@pytest.mark.parametrize("k", [3, 10])
def test_means_of_groups_link_one_in_k_at_most(k: int) -> None:
    x = two_columns()
    found = record_linkage(x, means(x, k))
    assert 0.5 / k < found.share <= 1 / k


# --- the farthest, and nearness ---------------------------------------------------------------


def test_the_farthest_by_hand() -> None:
    x, y = [0, 1, 2, 3, 50, -40], [0, 1, 2, 3, 60, 0.4]
    # 50 and -40 are the farthest of the mean; -40 has 0 nearest
    far = far_linkage(x, y, far=2)
    assert (far.count, far.trials) == (1, 2)
    assert far.baseline == pytest.approx(1 / 6)
    assert far_linkage(x, y, far=1).count == 1
    assert far_linkage(x, y).trials == 5
    assert far_linkage(x, y, far=99).trials == 6


def test_ties_for_the_farthest_go_by_value() -> None:
    # -1 and 1 are as far from the mean; the lower one is taken, and it is linked
    x, y = np.array([-1.0, 1.0, 0.0]), np.array([-1.0, -0.9, 0.0])
    assert far_linkage(x, y, far=1).count == 1
    assert far_linkage(x[::-1], y[::-1], far=1).count == 1
    assert far_linkage(-x, -y, far=1).count == 0


def test_the_farthest_are_farthest_in_values_whatever_their_levels() -> None:
    levels = ["a", "b", "c", "d"]
    table = pa.table({"x": [9.0, 1.0, 2.0, 3.0], "level": levels})
    after = pa.table({"x": [9.0, 1.0, 2.0, 3.0], "level": ["b", *levels[1:]]})
    assert far_linkage(table, after, far=1).count == 0
    assert far_linkage(table, after, far=1, within=()).count == 1


def test_nearness_by_hand() -> None:
    # the sd of each column is 1
    x = [[0, 0], [1, 1], [2, 2]]
    y = [[0.009, 0], [1.05, 0.96], [2, 2.06]]
    close, less = nearness(x, y)
    assert (close.count, less.count) == (1, 2)
    assert (close.baseline, less.baseline) == (0, 0)
    assert [found.count for found in nearness(x, y, shares=(0.001, 1, 0.06))] == [0, 3, 3]


def test_nearness_of_others_is_the_baseline() -> None:
    (found,) = nearness([0, 0, 0, 5, 5], [0, 0, 0, 5, 9], shares=(0.05,))
    assert found.count == 4
    assert found.baseline == pytest.approx((3 * 2 + 1 * 0 + 1 * 1) / 20)


def test_any_released_row_near() -> None:
    x = pa.table({"x": [0.0, 1.0, 2.0, 3.0, 4.0], "g": ["a", "a", "b", "b", "b"]})
    y = pa.table({"x": [2.01, 1.01, 4.0], "g": ["a", "b", "b"]})
    sd = math.sqrt(2.5)
    found = nearness(x, y, shares=(0.05,), same_rows=False)
    assert [(one.count, one.trials, one.baseline) for one in found] == [(1, 5, None)]
    wider = nearness(x, y, shares=(1 / sd, 1.01 / sd), same_rows=False)
    assert [one.count for one in wider] == [3, 4]  # gaps: 2.01 1.01 .99 1 0
    levels = as_pair(x.drop(["g"]), y.drop(["g"]), same_rows=False)
    assert nearness(levels, shares=(0.05,))[0].count == 3


# --- the other way round ----------------------------------------------------------------------


def test_released_levels_that_are_another_record_s() -> None:
    # each released row looks among the records of its released level
    before = pa.table({"x": [1.0, 2.0, 3.0, 5.0], "sex": ["f", "f", "f", "m"]})
    after = pa.table({"x": [2.9, 2.0, 3.0, 2.9], "sex": ["f", "f", "m", "m"]})
    found = ddr(as_pair(before, after))
    # 2.9 is nearest to 3, a record of f; among those of m there is one alone
    assert found.count == 0 + 1 + 0 + 1
    assert found.baseline == pytest.approx((1 / 3 + 1 / 3 + 0 + 1) / 4)
    assert ddr(as_pair(before, after), within=()).count == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: record_linkage(BEFORE, BEFORE, within=["x"]), "'x' is no column of levels"),
        (lambda: far_linkage(BEFORE, BEFORE, far=0), "far must be a whole number of at least 1"),
        (lambda: nearness(BEFORE, BEFORE, shares=()), "at least one number above 0"),
        (lambda: nearness(BEFORE, BEFORE, shares=(-1,)), "shares must be above 0"),
        (
            lambda: record_linkage(BEFORE.drop(["x"]), BEFORE.drop(["x"])),
            "no continuous column to compare",
        ),
        (lambda: record_linkage([1, 2], [1, 2], sample=0), "sample"),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize("measure", [record_linkage, far_linkage])
def test_rows_must_correspond(measure: Callable[..., object]) -> None:
    with pytest.raises(InputError, match="rows of both tables must correspond"):
        measure(as_pair([1, 2, 3], [1, 2], same_rows=False))


# --- DDR and IDR: worked by hand, against every pair of rows, and laws --------------------------


DDR: dict[str, tuple[list[Any], list[Any], float]] = {
    "identical": ([1, 2, 4, 8], [1, 2, 4, 8], 4),
    # 3 lies between 2 and 4: the rows of both have half a chance, the others none
    "all released rows equal": ([1, 2, 4, 8], [3, 3, 3, 3], 1),
    "turned around": ([1, 2, 4, 8], [8, 4, 2, 1], 0),
    # 1.6 is nearest to 2, which is one of its own; 9.4 to 9
    "means of threes": ([1, 2, 1.8, 7, 12, 9.2], [1.6, 1.6, 1.6, 9.4, 9.4, 9.4], 2),
    "halfway between two of its own": ([1, 7, 7.5, 15], [4, 4, 11.25, 11.25], 2),
    # the regions 0, 10 and 4, 14 have the points 5, nearest to 4, and 9, nearest to 10
    "nobody's own is nearest": ([0, 10, 4, 14], [5, 5, 9, 9], 0),
    "equal records share it": ([1, 1, 9, 9], [1, 1, 9, 5], 1 / 2 + 1 / 2 + 1 / 2 + 1 / 4),
}


@pytest.mark.parametrize(("x", "y", "count"), DDR.values(), ids=DDR)
def test_ddr_by_hand(x: list[Any], y: list[Any], count: float) -> None:
    found = ddr(x, y)
    assert found.count == pytest.approx(count, abs=1e-15)
    assert found.trials == len(x)
    assert found.baseline == pytest.approx(1 / len(x))


def brute_ddr(x: Floats, y: Floats) -> float:
    """Compare every released row with every record."""
    sd = x.std(axis=0, ddof=1)
    sd[(x == x[0]).all(axis=0)] = np.inf
    gaps = np.sqrt(np.square(y[:, None] / sd - x[None] / sd).sum(axis=2))
    near = gaps <= gaps.min(axis=1, keepdims=True) * (1 + 1e-10) + 1e-12
    return math.fsum(near.diagonal() / near.sum(axis=1))


def brute_idr(x: Floats, y: Floats, share: float) -> int:
    """Look at every cell."""
    sd = [0.0 if (column == column[0]).all() else np.std(column, ddof=1) for column in y.T]
    return sum(
        all(abs(a - b) <= share * s * (1 + 1e-9) for a, b, s in zip(before, after, sd, strict=True))
        for before, after in zip(x, y, strict=True)
    )


def region_means(x: Floats, size: int) -> Floats:
    """Round each column to the means of `size` neighbours."""
    frame = pd.DataFrame(x)
    ranks = frame.rank(method="first").sub(1).floordiv(size)
    made = [frame[name].groupby(ranks[name]).transform("mean") for name in frame]
    return np.column_stack(made)


ROUNDED: dict[str, Callable[[Floats], Floats]] = {
    "means of 20": lambda x: region_means(x, 20),
    "means of 3": lambda x: region_means(x, 3),
    "whole numbers": lambda x: x.round(0),
    "noise": lambda x: np.random.default_rng(5).normal(x, x.std(axis=0) / 10),
}
DRAWN: dict[str, Callable[[], Floats]] = {
    "normal": lambda: np.random.default_rng(1).normal(size=(500, 2)),
    "exponential": lambda: np.random.default_rng(2).exponential(12.5, (500, 2)),
    "few whole numbers": lambda: np.random.default_rng(3).integers(0, 9, (500, 3)).astype(float),
    "one column": lambda: np.random.default_rng(4).integers(0, 99, (300, 1)).astype(float),
}


@pytest.mark.parametrize(("make", "rounded"), [*zip(DRAWN.values(), ROUNDED.values(), strict=True)])
def test_brute_force_of_ddr_and_idr(
    make: Callable[[], Floats], rounded: Callable[[Floats], Floats]
) -> None:
    x = make()
    y = rounded(x)
    assert ddr(x, y).count == pytest.approx(brute_ddr(x, y), rel=1e-12)
    for share in (0.01, 0.05, 0.3):
        assert idr(x, y, share=share).count == brute_idr(x, y, share)


IDR: dict[str, tuple[list[Any], list[Any], float, int]] = {
    # released sd sqrt 12 = 3.46, so half a width of .173; the original sd would give .129
    "the released sd counts": ([-3, -1, 1, 3], [-3.15, -2.85, 3.15, 2.85], 0.05, 2),
    "all released rows equal": ([1, 2, 4, 8], [4, 4, 4, 4], 5, 1),
    # sd 2, so half a width of .4, which is on the end in decimals and beyond it in floats
    "an end counts": ([1.4, 3.4, 4.59], [1, 3, 5], 0.2, 2),
}


@pytest.mark.parametrize(("x", "y", "share", "count"), IDR.values(), ids=IDR)
def test_idr_by_hand(x: list[Any], y: list[Any], share: float, count: int) -> None:
    found = idr(x, y, share=share)
    assert (found.count, found.trials) == (count, len(x))


@pytest.mark.slow
@given(SMALL, SMALL, st.permutations(range(8)), st.sampled_from([-8.0, 0.25, 3.0, 1e6]))
def test_laws_of_ddr_and_idr(x: Floats, y: Floats, order: list[int], factor: float) -> None:
    scale = np.array([factor, 1])
    linked, inside = ddr(x, y), idr(x, y, share=0.3)
    assert linked.count == pytest.approx(brute_ddr(x, y), rel=1e-12)
    assert inside.count == brute_idr(x, y, 0.3)
    assert (ddr(x[order], y[order]), idr(x[order], y[order], share=0.3)) == (linked, inside)
    assert ddr(x * scale, y * scale).count == pytest.approx(linked.count)
    assert idr(x * scale, y * scale, share=0.3).count == inside.count
    assert inside.count <= idr(x, y, share=0.6).count
    assert idr(x, x).share == 1
    assert ddr(x, x).count == pytest.approx(len(np.unique(x, axis=0)))


# A column of -3, -1, 1, 3 has an sd (n - 1) of sqrt(20 / 3) = 2.58.
INSIDE_BY_HAND: dict[str, tuple[list[Any], list[Any], float, int]] = {
    "within .129, beyond .129": ([-3, -1, 1, 3], [-2.88, -0.86, 1.0, 3.5], 0.05, 2),
    "every column counts": (
        [[-3, 0], [-1, 1], [1, 2], [3, 3]],
        [[-3, 0], [-1, 9], [9, 2], [9, 9]],
        0.05,
        1,
    ),
    "a constant column that moves": ([[0, 7], [1, 7], [2, 7]], [[0, 7], [1, 8], [2, 7]], 0.05, 2),
    # sd 2, so half a width of 0.2 * 2: 0.4 is on the end in decimals, beyond it in floats
    "an end counts": ([1, 3, 5], [1.4, 3.4, 5.41], 0.2, 2),
}


@pytest.mark.parametrize(("x", "y", "share", "count"), INSIDE_BY_HAND.values(), ids=INSIDE_BY_HAND)
def test_intervals_by_hand(x: list[Any], y: list[Any], share: float, count: int) -> None:
    found = interval_risk(x, y, share=share)
    assert (found.count, found.trials) == (count, len(x))


def test_as_sdcmicro_has_it_one_column_of_a_record_may_lie_outside() -> None:
    x = [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]]
    y = [[0, 0, 0], [1, 1, 9], [2, 9, 9], [9, 9, 9]]
    assert interval_risk(x, y).count == 1
    assert interval_risk(x, y, variant="sdcmicro").count == 2
    assert "but one at most" in str(interval_risk(x, y, variant="sdcmicro"))
    assert interval_risk([1, 2, 3], [7, 9, 8], variant="sdcmicro").share == 1


def test_as_sdcmicro_has_it_the_released_sd_counts() -> None:
    x = [[0, 0], [1, 1], [2, 2]]
    y = [[0.06, 0.06], [10, 10], [20, 20]]  # half widths .05 of the original sd, .5 of this one
    assert interval_risk(x, y).count == 0
    assert interval_risk(x, y, variant="sdcmicro").count == 1


def test_as_described_no_column_may_lie_outside_the_released_interval() -> None:
    x = [[0, 0], [1, 1], [2, 2]]
    y = [[0.06, 0.06], [1.4, 10], [20, 20]]  # half widths of .05 released sd: .56 and .5
    found = interval_risk(x, y, variant="released")
    assert (found.count, found.trials) == (1, 3)
    assert interval_risk(x, y).count == 0  # half widths of .05
    assert interval_risk(x, y, variant="sdcmicro").count == 2
    assert "lies within 0.05 released sd of the released one" in str(found)
    # a column that is released constant has an sd of 0: only the same value is inside
    assert interval_risk([1, 2, 3], [2, 2, 2], variant="released").count == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 0}, "share must be above 0"),
        ({"share": float("nan")}, "share must be a finite number"),
        ({"variant": "median"}, "variant is unknown; choose one of 'all', 'sdcmicro', 'released'"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        interval_risk([1, 2, 3], [1, 2, 3], **options)


def test_numbers_too_wide_to_compute_with() -> None:
    with pytest.raises(RefusedError, match="too far from the original to be compared"):
        record_linkage([1, 2, 3], [1e12, 2e12, 3e12])
    with pytest.raises(RefusedError, match="too far from the original to be compared"):
        nearness([1e-200, 2, 3], [1e300, 1e307, 1e308])
    with pytest.raises(RefusedError, match="spans more than can be computed with"):
        interval_risk([-1e308, 0, 1e308], [1, 2, 3])


def test_a_sample_is_linked_among_all_rows_and_says_so() -> None:
    rng = np.random.default_rng(8)
    x = rng.integers(0, 9, (400, 2)).astype(float)
    y = x + rng.integers(-1, 2, x.shape).astype(float)
    sd = x.std(axis=0, ddof=1)
    rows = keyed_order(x, y)[:100]
    parts = []
    for i in rows:
        gaps = np.sqrt(np.square((y - x[i]) / sd).sum(axis=1))
        near = gaps <= gaps.min() * (1 + 1e-10) + 1e-12
        parts.append(near[i] / near.sum())
    found = record_linkage(x, y, sample=100)
    assert found.what.startswith("of a keyed sample of 100 records, those whose nearest")
    assert found.count == pytest.approx(sum(parts), rel=1e-12)
    assert found.trials == 100
    assert record_linkage(x, y, sample=400) == record_linkage(x, y)
