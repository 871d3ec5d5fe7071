"""Which metric seeds are chosen by: steps 1 to 5 of the paper on 6 to 12 records each."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.parallel.pixels import (
    KINDS,
    METRICS,
    Seeding,
    bins_of_grid,
    choose_seeding,
    pair_metrics,
)

Grid = NDArray[np.int64]

FUNNEL = [[1], [1], [1], [1], [1], [1]]
FAN = [[1, 1, 1, 1, 1, 1]]
APART = [[6, 0], [0, 6]]
FULL = [[1, 1, 1], [1, 1, 1], [1, 1, 1]]

CONTINUOUS, CATEGORICAL = "continuous", "categorical"
NUMBERS = (CONTINUOUS, CONTINUOUS)
LEVELS = (CATEGORICAL, CATEGORICAL)
MIXED = (CONTINUOUS, CATEGORICAL)
MIXED_BACK = (CATEGORICAL, CONTINUOUS)

# Degrees of over-plotting, divergence and convergence in the name.
CASES: dict[str, tuple[list[list[int]], tuple[str, str], str]] = {
    "step 2, two categorical, 1 1 6": (FUNNEL, LEVELS, "over-plotting"),
    "step 2, two categorical, 6 1 1": (APART, LEVELS, "over-plotting"),
    "step 4, mixed, 1 1 6": (FUNNEL, MIXED, "convergence"),
    "step 4, mixed, categorical first, 1 1 6": (FUNNEL, MIXED_BACK, "convergence"),
    "step 4, mixed, 1 6 1": (FAN, MIXED, "divergence"),
    "step 4, mixed, categorical first, 1 6 1": (FAN, MIXED_BACK, "divergence"),
    "step 4, mixed, tie, 1 3 3": (FULL, MIXED, "divergence"),
    "step 2, mixed, whatever the over-plotting, 6 1 1": (APART, MIXED, "divergence"),
    "step 4, mixed, 8/5 5/2 5/3": ([[3, 1, 0], [1, 2, 1]], MIXED, "divergence"),
    "step 4, mixed, 8/5 5/3 5/2": ([[3, 1], [1, 2], [0, 1]], MIXED, "convergence"),
    "step 5, two continuous, 6 1 1": (APART, NUMBERS, "over-plotting"),
    "step 5, two continuous, 1 1 6": (FUNNEL, NUMBERS, "convergence"),
    "step 5, two continuous, 1 6 1": (FAN, NUMBERS, "divergence"),
    "step 5, two continuous, 1 3 3": (FULL, NUMBERS, "divergence"),
    "step 5, two continuous, tie, 2 2 1": ([[2, 2, 0, 0], [0, 0, 2, 2]], NUMBERS, "over-plotting"),
    "step 5, one record less, 7/4 2 1": ([[2, 2, 0, 0], [0, 0, 2, 1]], NUMBERS, "divergence"),
    "step 5, tie, 2 1 2": ([[2, 0], [2, 0], [0, 2], [0, 2]], NUMBERS, "over-plotting"),
    "step 5, one record less, 7/4 1 2": ([[2, 0], [2, 0], [0, 2], [0, 1]], NUMBERS, "convergence"),
    "step 5, all on one pixel, 6 1 1": ([[6]], NUMBERS, "over-plotting"),
    "step 5, all records apart, 1 1 1": (np.eye(6, dtype=int).tolist(), NUMBERS, "over-plotting"),
}


@pytest.mark.parametrize(("grid", "kinds", "metric"), CASES.values(), ids=CASES)
def test_by_hand(grid: list[list[int]], kinds: tuple[str, str], metric: str) -> None:
    assert choose_seeding(bins_of_grid(np.array(grid)), *kinds) == Seeding(metric)


def test_axis() -> None:
    axes = [Seeding(metric).axis for metric in METRICS]

    assert dict(zip(METRICS, axes, strict=True)) == {
        "over-plotting": "both",
        "convergence": "right",
        "divergence": "left",
    }


def chosen_by_loops(grid: Grid, left_kind: str, right_kind: str) -> str:
    """Choose as the paper says, with degrees as fractions."""
    cells = [(i, j) for i, j in np.ndindex(*grid.shape) if grid[i, j]]
    over = Fraction(int(grid.sum()), len(cells))
    div = Fraction(len(cells), len({i for i, _ in cells}))
    conv = Fraction(len(cells), len({j for _, j in cells}))
    if left_kind == right_kind == CATEGORICAL:
        return "over-plotting"
    if left_kind == right_kind and over >= max(conv, div):
        return "over-plotting"
    return "convergence" if conv > div else "divergence"


GRIDS = hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 3))


@given(GRIDS.filter(lambda grid: bool(grid.any())))
def test_as_by_loops(grid: Grid) -> None:
    bins = bins_of_grid(grid)
    degrees = pair_metrics(bins)
    mirror = {"convergence": "divergence", "divergence": "convergence"}

    for kinds in product(KINDS, repeat=2):
        found = choose_seeding(bins, *kinds)
        assert found.metric == chosen_by_loops(grid, *kinds)
        if degrees.convergence != degrees.divergence:
            flipped = choose_seeding(bins_of_grid(grid.T), *kinds[::-1])
            assert flipped.metric == mirror.get(found.metric, found.metric)


def test_empty_pixels_count_for_nothing() -> None:
    grid = np.zeros((9, 9), dtype=int)
    grid[::4, 5] = 2

    assert choose_seeding(bins_of_grid(grid), *NUMBERS) == Seeding("convergence")


@pytest.mark.parametrize("kinds", [("number", CATEGORICAL), (CONTINUOUS, ""), (None, None)])
def test_another_kind(kinds: Any) -> None:
    with pytest.raises(InputError, match="kind of an axis is one of 'continuous', 'categorical'"):
        choose_seeding(bins_of_grid(np.ones((2, 2), dtype=int)), *kinds)


def test_another_metric() -> None:
    with pytest.raises(InputError, match="'over-plotting', 'convergence', 'divergence'"):
        Seeding("density")


def test_no_record() -> None:
    with pytest.raises(RefusedError, match="no record has a pixel on both axes"):
        choose_seeding(bins_of_grid(np.zeros((2, 2), dtype=int)), *LEVELS)
