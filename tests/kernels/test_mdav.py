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
