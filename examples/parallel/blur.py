"""Binning and blurring, the first of the paper's approaches: lines in a grid, smeared upwards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from discreet.parallel.pixels import Whole

__all__ = ["blurred", "near"]

ACROSS, UP = 40, 100  # cells of a gap


def blurred(left: Whole, right: Whole, height: int, radius: int) -> NDArray[np.float64]:
    """Return how many lines pass each cell of a gap, shape (across, up), smeared by a cone.

    `radius` is in pixels: what lies so far off adds nothing.
    """
    shares = (np.arange(ACROSS) + 0.5) / ACROSS
    places = np.rint(np.outer(1 - shares, left) + np.outer(shares, right)).astype(np.int64)
    grid = np.zeros((ACROSS, height))
    for across, column in enumerate(places):
        grid[across] = np.bincount(column, minlength=height)
    cone = radius - np.abs(np.arange(1 - radius, radius))
    smeared = np.apply_along_axis(np.convolve, 1, grid, cone / cone.sum(), "same")
    return np.asarray(smeared.reshape(ACROSS, UP, -1).sum(axis=2))


def near(left: Whole, right: Whole, radius: int) -> NDArray[np.intp]:
    """Count for each record the lines, its own too, within `radius` pixels on both axes."""
    points = np.column_stack([left, right])
    found = cKDTree(points).query_ball_point(points, radius, p=np.inf, return_length=True)
    return np.asarray(found, dtype=np.intp)
