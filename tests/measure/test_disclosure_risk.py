"""DDR and IDR: worked by hand, against every pair of rows, and laws."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.measure.intervals import idr
from discreet.measure.linkage import ddr, record_linkage
from discreet.measure.pairs import as_pair

Floats = NDArray[np.float64]

DDR: dict[str, tuple[list[Any], list[Any], float]] = {
    "identical": ([1, 2, 4, 8], [1, 2, 4, 8], 4),
    "all equal": ([3, 3, 3, 3], [3, 3, 3, 3], 1),
    # 3 lies between 2 and 4: the rows of both have half a chance, the others none
    "all released rows equal": ([1, 2, 4, 8], [3, 3, 3, 3], 1),
    "turned around": ([1, 2, 4, 8], [8, 4, 2, 1], 0),
    # 1.5 is between 1 and 2, 8 between 7 and 9
    "means of pairs": ([1, 2, 7, 9], [1.5, 1.5, 8, 8], 2),
    # 1.6 is nearest to 2, which is one of its own; 9.4 to 9
    "means of threes": ([1, 2, 1.8, 7, 12, 9.2], [1.6, 1.6, 1.6, 9.4, 9.4, 9.4], 2),
    "halfway between two of its own": ([1, 7, 7.5, 15], [4, 4, 11.25, 11.25], 2),
    # the regions 0, 10 and 4, 14 have the points 5, nearest to 4, and 9, nearest to 10
    "nobody's own is nearest": ([0, 10, 4, 14], [5, 5, 9, 9], 0),
    "equal records share it": ([1, 1, 9, 9], [1, 1, 9, 5], 1 / 2 + 1 / 2 + 1 / 2 + 1 / 4),
    # sd of the first is 100 times that of the second: unscaled, the second would not count
    "scaled by the original": ([[0, 0], [0, 1], [100, 0], [100, 1]], [[0, 0]] * 4, 1),
    "constant columns tell nothing": ([[1, 7], [2, 7], [4, 7]], [[1, 9], [2, 7], [4, 5]], 3),
    "one row": ([5], [6], 1),
}


@pytest.mark.parametrize(("x", "y", "count"), DDR.values(), ids=DDR)
def test_ddr_by_hand(x: list[Any], y: list[Any], count: float) -> None:
    found = ddr(x, y)

    assert found.count == pytest.approx(count, abs=1e-15)
    assert found.trials == len(x)
    assert found.baseline == pytest.approx(1 / len(x))


def test_neither_way_bounds_the_other() -> None:
    means = ([1, 2, 3, 10], [1.5, 1.5, 6.5, 6.5])  # 3 lies nearer to 1.5 than to its own 6.5
    assert (ddr(*means).count, record_linkage(*means).count) == (2, 1.5)
    out = ([0, 10, 20], [0, 14, 40])  # 20 lies nearest to 14, and 40 to 20
    assert (ddr(*out).count, record_linkage(*out).count) == (3, 2)
    back = ([0, 14, 40], [0, 10, 20])  # 40 lies nearest to 20, and 20 to 14
    assert (ddr(*back).count, record_linkage(*back).count) == (2, 3)


LEVELS = ["f", "f", "m", "m"]


def test_levels_count_by_default() -> None:
    before = pa.table({"x": [1.0, 2.0, 1.2, 9.0], "sex": LEVELS})
    after = pa.table({"x": [1.1, 1.3, 1.1, 9.0], "sex": LEVELS})

    assert ddr(before, after).count == 1 + 0 + 1 + 1
    assert ddr(before, after).baseline == 1 / 2
    # 1.1 lies between 1 and 1.2: half of f's first and of m's first
    assert ddr(before, after, within=()).count == pytest.approx(1 / 2 + 0 + 1 / 2 + 1)
    assert ddr(before, after, within=()).baseline == 1 / 4


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


def means(x: Floats, size: int) -> Floats:
    """Round each column to the means of `size` neighbours."""
    frame = pd.DataFrame(x)
    ranks = frame.rank(method="first").sub(1).floordiv(size)
    made = [frame[name].groupby(ranks[name]).transform("mean") for name in frame]
    return np.column_stack(made)


ROUNDED: dict[str, Callable[[Floats], Floats]] = {
    "means of 20": lambda x: means(x, 20),
    "means of 3": lambda x: means(x, 3),
    "whole numbers": lambda x: x.round(0),
    "noise": lambda x: np.random.default_rng(5).normal(x, x.std(axis=0) / 10),
}
DRAWN: dict[str, Callable[[], Floats]] = {
    "normal": lambda: np.random.default_rng(1).normal(size=(500, 2)),
    "exponential": lambda: np.random.default_rng(2).exponential(12.5, (500, 2)),
    "few whole numbers": lambda: np.random.default_rng(3).integers(0, 9, (500, 3)).astype(float),
    "one column": lambda: np.random.default_rng(4).integers(0, 99, (300, 1)).astype(float),
}


@pytest.mark.parametrize("make", DRAWN.values(), ids=DRAWN)
@pytest.mark.parametrize("rounded", ROUNDED.values(), ids=ROUNDED)
def test_brute_force(make: Callable[[], Floats], rounded: Callable[[Floats], Floats]) -> None:
    x = make()
    y = rounded(x)

    assert ddr(x, y).count == pytest.approx(brute_ddr(x, y), rel=1e-12)
    for share in (0.01, 0.05, 0.3):
        assert idr(x, y, share=share).count == brute_idr(x, y, share)


def test_brute_force_on_real_data(shared_data: Callable[[str], Path]) -> None:
    x = pd.read_csv(shared_data("tarragona.csv")).to_numpy(dtype=float)
    y = means(x, 25)

    assert ddr(x, y).count == pytest.approx(brute_ddr(x, y), rel=1e-12)
    assert idr(x, y).count == brute_idr(x, y, 0.05)


# --- IDR --------------------------------------------------------------------------------------

IDR: dict[str, tuple[list[Any], list[Any], float, int]] = {
    "identical": ([-3, -1, 1, 3], [-3, -1, 1, 3], 0.05, 4),
    # released sd sqrt 12 = 3.46, so half a width of .173; the original sd would give .129
    "the released sd counts": ([-3, -1, 1, 3], [-3.15, -2.85, 3.15, 2.85], 0.05, 2),
    "all released rows equal": ([1, 2, 4, 8], [4, 4, 4, 4], 5, 1),
    "every column counts": (
        [[0, 0], [1, 1], [2, 2], [3, 3]],
        [[0, 0], [1, 9], [9, 2], [9, 9]],
        0.05,
        1,
    ),
    "a constant column that stays": ([[0, 7], [1, 7], [2, 7]], [[0, 7], [1, 7], [2, 7]], 0.05, 3),
    # sd 2, so half a width of .4, which is on the end in decimals and beyond it in floats
    "an end counts": ([1.4, 3.4, 4.59], [1, 3, 5], 0.2, 2),
}


@pytest.mark.parametrize(("x", "y", "share", "count"), IDR.values(), ids=IDR)
def test_idr_by_hand(x: list[Any], y: list[Any], share: float, count: int) -> None:
    found = idr(x, y, share=share)

    assert (found.count, found.trials) == (count, len(x))


# --- laws -------------------------------------------------------------------------------------

SMALL = hnp.arrays(np.float64, (8, 2), elements=st.integers(0, 4).map(float))


@given(SMALL, SMALL, st.permutations(range(8)), st.sampled_from([-8.0, 0.25, 3.0, 1e6]))
def test_laws(x: Floats, y: Floats, order: list[int], factor: float) -> None:
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


@given(SMALL)
def test_it_is_record_linkage_with_the_tables_exchanged(x: Floats) -> None:
    assume((x != x[0]).any(axis=0).all())
    y = x[::-1]  # of the same standard deviations

    assert ddr(x, y).count == pytest.approx(record_linkage(y, x).count)


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ddr([1, 2], [1, 2], within=["x"]), "'x' is no column of levels"),
        (lambda: idr([1, 2], [1, 2], share=0), "share must be above 0"),
        (lambda: ddr([1, 2], [1, 2, 3]), "different numbers of rows"),
        (lambda: ddr(as_pair([1, 2], [1], same_rows=False)), "must correspond"),
        (lambda: idr(as_pair([1, 2], [1], same_rows=False)), "must correspond"),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_a_mistake_of_units() -> None:
    with pytest.raises(RefusedError, match="too far from the original to be compared"):
        ddr([1, 2, 3], [1e12, 2e12, 3e12])
