"""Clusters over all axes at once: by hand, and the same however many are made at a time."""

from typing import Any

import numpy as np
import pytest

from discreet.kernels.jointly import CLUSTERS, LEFT, PARTS, RECORDS, SEED, joint_steps, place_strays


def made(rows: Any, counts: Any, seed: int, k: int, step: int = 10**9) -> tuple[Any, Any]:
    """Return parts and boxes of the clusters, the first of which grows from a row."""
    table, left_of = np.array(rows, dtype=np.int64), np.array(counts, dtype=np.int64)
    n, (different, axes) = int(left_of.sum()), table.shape
    boxes = np.zeros((n // k, axes, 2), dtype=np.int64)
    parts = np.zeros((different + n // k + k, 3), dtype=np.int64)
    left, told = np.arange(different, dtype=np.int64), np.zeros(5, dtype=np.int64)
    told[RECORDS], told[LEFT], told[SEED] = n, different, seed
    while told[RECORDS] >= k:
        joint_steps(table, left_of, left, boxes, parts, told, k, int(told[RECORDS]) - step)
    assert told[CLUSTERS] == n // k
    assert left_of.sum() == told[RECORDS] == n % k
    place_strays(table, left_of, boxes, parts, told)
    assert not left_of.any()
    return parts[: told[PARTS]].tolist(), boxes.tolist()


def test_a_cluster_grows_from_the_seed_and_the_next_is_the_farthest_from_it() -> None:
    rows = [[0, 0, 0], [0, 0, 1], [4, 4, 4], [9, 8, 9], [9, 9, 9]]

    parts, boxes = made(rows, [1, 1, 1, 1, 1], 0, 2)

    # 27 pixels from the first seed lies the last row; 14 from it, and 8 from the first, the third
    assert parts == [[0, 0, 1], [1, 0, 1], [4, 1, 1], [3, 1, 1], [2, 0, 1]]
    assert boxes == [[[0, 5], [0, 5], [0, 5]], [[9, 10], [8, 10], [9, 10]]]


def test_rows_that_stand_for_several_records() -> None:
    parts, boxes = made([[0, 0], [3, 0], [9, 9]], [5, 2, 2], 0, 3)

    # 3 of 5; then 18 off the last row, whose two take the row at 15 before that at 18
    assert parts == [[0, 0, 3], [2, 1, 2], [1, 1, 1], [0, 2, 2], [1, 2, 1]]
    assert boxes == [[[0, 1], [0, 1]], [[3, 10], [0, 10]], [[0, 4], [0, 1]]]


def test_ties_go_to_the_lowest_row_and_the_first_cluster() -> None:
    parts, _ = made([[0, 5], [5, 0], [5, 5], [5, 9], [9, 5]], [1, 1, 1, 1, 1], 2, 2)

    # 4 off (5, 5) are (5, 9) and (9, 5), 5 off it (0, 5) and (5, 0); 9 off (0, 5) is (9, 5), and
    # (5, 0) at last is 5 off both boxes
    assert parts == [[2, 0, 1], [3, 0, 1], [0, 1, 1], [4, 1, 1], [1, 0, 1]]


@pytest.mark.parametrize("step", [1, 7, 40])
@pytest.mark.parametrize("k", [2, 5])
def test_some_steps_at_a_time_make_the_same_clusters(k: int, step: int) -> None:
    rng = np.random.default_rng(k)
    rows, counts = np.unique(rng.integers(0, 9, (200, 3)), axis=0, return_counts=True)

    assert made(rows, counts, 3, k, step) == made(rows, counts, 3, k)
