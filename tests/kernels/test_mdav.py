"""The steps of MDAV and V-MDAV: by hand, and the same however many are made at a time."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.kernels.mdav import (
    WIDTH,
    Found,
    Tree,
    farthest,
    mdav_steps,
    nearest,
    plant,
    recentre,
    remove,
    rows_left,
    sow,
    vmdav_steps,
)

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


@pytest.mark.parametrize(("k", "step"), [(2, 1), (3, 7), (10, 100)])
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


# --- the tree holds all points, in tight boxes, while points leave --------------------------------


def grown(points: Floats) -> Tree:
    tree = plant(points)
    recentre(tree, points.mean(axis=0))
    return tree


def held(tree: Tree) -> list[int]:
    """Return the numbers of the points in the leaves."""
    return sorted(
        int(number)
        for numbers, size in zip(tree.numbers, tree.sizes, strict=True)
        for number in numbers[:size]
    )


def test_boxes_are_tight_after_points_left() -> None:
    points = np.random.default_rng(2).normal(size=(900, 3)).round(1)
    tree = grown(points)
    gone = np.random.default_rng(3).permutation(900)[:500].astype(np.intp)
    remove(tree, gone, len(gone))
    boxes = tree.boxes.copy()
    recentre(tree, tree.centre.copy())
    np.testing.assert_array_equal(boxes, tree.boxes)
    assert held(tree) == sorted(set(range(900)) - set(gone.tolist()))


Labels = NDArray[np.intp]

MAKE: dict[str, Callable[[np.random.Generator, int, int], Floats]] = {
    "normal": lambda rng, m, p: rng.normal(size=(m, p)),
    "skewed": lambda rng, m, p: rng.lognormal(sigma=2, size=(m, p)),
    "grid": lambda rng, m, p: rng.integers(-4, 5, size=(m, p)).astype(float),
    "sphere": lambda rng, m, p: _on_sphere(rng.normal(size=(m, p))),
    "far from the origin": lambda rng, m, p: rng.normal(size=(m, p)) + 1e6,
    "of all sizes": lambda rng, m, p: (
        rng.normal(size=(m, p)) * 10.0 ** rng.integers(-20, 3, m)[:, None]
    ),
}
SIZES = (1, WIDTH, WIDTH + 1, 9 * WIDTH)


def _on_sphere(x: Floats) -> Floats:
    scaled: Floats = x / np.sqrt((x**2).sum(axis=1))[:, None]
    return scaled


def squared(points: Floats, at: Floats) -> Floats:
    total = np.zeros(len(points))
    for j in range(points.shape[1]):
        total += (points[:, j] - at[j]) * (points[:, j] - at[j])
    return total


def check_searches(tree: Tree, points: Floats, stay: Labels, at: Floats, near: int) -> None:
    """Compare with a sort of all that is left, by distance and number."""
    gaps = squared(points[stay], at)
    assert farthest(tree, at)[0] == stay[np.lexsort((stay, -gaps))[0]]
    order = np.lexsort((stay, gaps))
    counts = np.ones(len(points), dtype=np.intp)
    for k in (1, 3, 10, 50):
        found = Found(np.empty(k + 1), np.empty(k + 1, dtype=np.intp))
        size, rows = nearest(tree, at, near, counts, k, found)
        assert size == rows == min(k, len(stay))
        expected = order[:size]
        assert found.numbers[0] == stay[expected[-1]]
        assert sorted(found.numbers[:size].tolist()) == sorted(stay[expected].tolist())
        assert sorted(found.gaps[:size].tolist()) == gaps[expected].tolist()


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("p", [1, 4])
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_searches_find_what_brute_force_finds(
    make: Callable[[np.random.Generator, int, int], Floats], p: int, m: int
) -> None:
    rng = np.random.default_rng(m * p)
    points = make(rng, m, p)
    tree = grown(points)
    stay = np.arange(m)
    while stay.size:
        near = int(rng.integers(m))
        check_searches(tree, points, stay, points[near], near)
        check_searches(tree, points, stay, points.mean(axis=0), near)
        outer = rng.permutation(stay)[: stay.size // 2 + 1]
        if stay.size % 2:  # those on one side, as grouping does
            outer = stay[np.argsort(points[stay, 0])[: stay.size // 3 + 1]]
        remove(tree, outer, len(outer))
        stay = np.setdiff1d(stay, outer)
    assert farthest(tree, points[0])[0] == -1


def test_points_that_stand_for_rows_are_as_few_as_hold_k() -> None:
    points = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    tree = grown(points)
    counts = np.array([1, 5, 1, 1, 9])

    def those(at: float, k: int) -> tuple[int, int, list[int]]:
        found = Found(np.empty(k + 1), np.empty(k + 1, dtype=np.intp))
        size, rows = nearest(tree, np.array([at]), 0, counts, k, found)
        return size, rows, [int(found.numbers[0]), *sorted(found.numbers[1:size].tolist())]

    assert those(0.0, 1) == (1, 1, [0])
    assert those(0.0, 2) == (2, 6, [1, 0])
    assert those(0.0, 7) == (3, 7, [2, 0, 1])
    assert those(4.0, 9) == (1, 9, [4])
    assert those(4.0, 12) == (4, 16, [1, 2, 3, 4])
    assert those(1.0, 6) == (2, 6, [0, 1])  # 0 and 2 are as near: the lower
    assert those(1.0, 40) == (5, 17, [4, 0, 1, 2, 3])  # all there are
