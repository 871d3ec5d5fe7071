"""Smeared lines: nothing is lost, and what stands alone is counted."""

import numpy as np
import pytest

from examples.parallel.blur import ACROSS, UP, blurred, near

LEFT, RIGHT = np.array([100, 102, 300]), np.array([100, 101, 200])


def test_each_line_passes_each_column_once() -> None:
    grid = blurred(LEFT, RIGHT, 400, 10)
    assert grid.shape == (ACROSS, UP)
    assert grid.sum(axis=1).tolist() == pytest.approx([3.0] * ACROSS)
    assert grid[0, 25] > grid[0, 24] > 0 == grid[0, 28]


def test_lines_near_at_both_ends_are_counted() -> None:
    assert near(LEFT, RIGHT, 2).tolist() == [2, 2, 1]
    assert near(LEFT, RIGHT, 1).tolist() == [1, 1, 1]
