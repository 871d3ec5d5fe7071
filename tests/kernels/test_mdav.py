"""The steps of MDAV and V-MDAV: by hand, and the same however many are made at a time."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.kernels.mdav import mdav_steps, rows_left, sow, vmdav_steps

Floats = NDArray[np.float64]


def mdav_labels(rows: Any, k: int, step: int = 0) -> list[int]:
    left = sow(np.asarray(rows, dtype=np.float64).reshape(len(rows), -1), k)
    while rows_left(left):
        mdav_steps(left, k, max(0, rows_left(left) - step) if step else 0)
    labels: list[int] = left.labels.tolist()
    return labels


def vmdav_labels(rows: Any, k: int, gamma: float, step: int = 0) -> list[int]:
    left = sow(np.asarray(rows, dtype=np.float64).reshape(len(rows), -1), k)
    while rows_left(left) >= k:
        vmdav_steps(left, k, gamma, max(0, rows_left(left) - step) if step else 0)
    labels: list[int] = left.labels.tolist()
    return labels


MDAV: dict[str, tuple[list[Any], int, list[int]]] = {
    "farthest, then farthest from it": ([0, 1, 2, 4, 6, 9], 2, [1, 1, 2, 2, 0, 0]),
    "farther of two sides, the lower of ties": ([0, 1, 2, 3, 4, 5], 2, [0, 0, 2, 2, 1, 1]),
    "fewer than 3k": ([0, 1, 2, 3, 9], 2, [1, 1, 1, 0, 0]),
    "fewer than 2k": ([0, 1, 9], 2, [0, 0, 0]),
    "exactly k": ([4, 7], 2, [0, 0]),
    "equal rows": ([0, 0, 0, 0, 5, 5], 2, [1, 1, 2, 2, 0, 0]),
    "all rows equal": ([3, 3, 3, 3, 3, 3, 3], 2, [0, 0, 1, 1, 2, 2, 2]),
}


@pytest.mark.parametrize(("rows", "k", "labels"), MDAV.values(), ids=MDAV)
def test_mdav_by_hand(rows: list[Any], k: int, labels: list[int]) -> None:
    assert mdav_labels(rows, k) == labels


VMDAV: dict[str, tuple[list[Any], int, float, list[int]]] = {
    # mean 4.4: 10.5 with 10; then 0 with 1; then 2 with 3
    "gamma 0: groups of k": ([0, 1, 2, 3, 10, 10.5], 2, 0.0, [1, 1, 2, 2, 0, 0]),
    # mean 4.8: 10 with 9; 7 is 2 from them and 5 from 2, and 2 < 0.5 * 5
    "a near row joins": ([0, 1, 2, 7, 9, 10], 2, 0.5, [1, 1, 1, 0, 0, 0]),
    # nor does 2 join 0 and 1: 1 is not less than 0.2 * 5
    "not with a small gamma": ([0, 1, 2, 7, 9, 10], 2, 0.2, [1, 1, 2, 2, 0, 0]),
    # mean 6.5: 0 with 0.5, and 7; 11 with 10, and 9; 8 has no group yet
    "up to 2k - 1": ([0, 0.5, 7, 8, 9, 10, 11], 2, 100.0, [0, 0, 0, -1, 1, 1, 1]),
    "the last row left joins": ([0, 1, 3], 2, 0.01, [0, 0, 0]),
    "unless gamma is 0": ([0, 2, 3], 2, 0.0, [0, 0, -1]),
    # 9 from 0, 0 from its equals: none joins, but at last the last
    "equal rows": ([0, 0, 0, 0, 0, 9, 9], 2, 5.0, [1, 1, 2, 2, 2, 0, 0]),
}


@pytest.mark.parametrize(("rows", "k", "gamma", "labels"), VMDAV.values(), ids=VMDAV)
def test_vmdav_by_hand(rows: list[Any], k: int, gamma: float, labels: list[int]) -> None:
    assert vmdav_labels(rows, k, gamma) == labels


@pytest.mark.parametrize("step", [1, 2, 7, 40, 100, 1000])
@pytest.mark.parametrize("k", [2, 3, 10])
def test_some_steps_at_a_time_make_the_same_groups(k: int, step: int) -> None:
    rows = np.random.default_rng(k).normal(size=(300, 2)).round(1)
    rows = rows[np.lexsort(rows.T[::-1])]

    assert mdav_labels(rows, k, step) == mdav_labels(rows, k)
    assert vmdav_labels(rows, k, 0.8, step) == vmdav_labels(rows, k, 0.8)


def test_the_sum_of_what_is_left_stays_exact() -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(400, 2)) * 10.0 ** rng.integers(-8, 3, size=(400, 2))
    rows = rows[np.lexsort(rows.T[::-1])]
    left = sow(rows, 3)

    mdav_steps(left, 3, 30)

    stay = rows[left.labels < 0]
    assert len(stay) == rows_left(left)
    for j in range(2):
        exact = sum((Fraction(v) for v in stay[:, j].tolist()), Fraction())
        assert left.sums[0, j] == float(exact)
