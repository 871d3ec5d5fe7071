"""The tree holds all points, in tight boxes, while points leave."""

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.kernels.tree import WIDTH, Tree, extreme_box, measure, plant, recentre, remove

Floats = NDArray[np.float64]


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


@pytest.mark.parametrize("m", [1, WIDTH, WIDTH + 1, WIDTH**2, WIDTH**2 + 1, 3000])
def test_each_point_is_in_one_leaf_where_its_home_says(m: int) -> None:
    points = np.random.default_rng(m).normal(size=(m, 3)).round(1)
    tree = grown(points)

    assert held(tree) == list(range(m))
    for number, (leaf, place) in enumerate(tree.homes.tolist()):
        assert tree.numbers[leaf, place] == number
        assert tree.points[leaf, :3, place].tolist() == points[number].tolist()


@pytest.mark.parametrize("m", [1, WIDTH, WIDTH**2 + 1, 3000])
def test_the_root_bounds_all_points(m: int) -> None:
    points = np.random.default_rng(m).normal(size=(m, 2))
    tree = grown(points)

    for j in range(2):
        assert extreme_box(tree.boxes, 0, 0, j) == points[:, j].min()
        assert extreme_box(tree.boxes, 0, 1, j) == points[:, j].max()
    radius = np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).max())
    assert extreme_box(tree.boxes, 0, 1, 2) == pytest.approx(radius, rel=1e-15)


def test_distances_of_a_leaf_are_squared() -> None:
    tree = grown(np.array([[0.0, 0.0], [3.0, 4.0], [1.0, -1.0]]))

    measure(tree.points, 0, np.zeros(2), tree.room)

    assert sorted(tree.room[:3].tolist()) == [0.0, 2.0, 25.0]


def test_boxes_are_tight_after_points_left() -> None:
    points = np.random.default_rng(2).normal(size=(900, 3)).round(1)
    tree = grown(points)
    gone = np.random.default_rng(3).permutation(900)[:500].astype(np.intp)
    remove(tree, gone, len(gone))
    boxes = tree.boxes.copy()

    recentre(tree, tree.centre.copy())

    np.testing.assert_array_equal(boxes, tree.boxes)
    assert held(tree) == sorted(set(range(900)) - set(gone.tolist()))
