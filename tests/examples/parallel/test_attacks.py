"""What is left of an axis, worked out by hand on a few records."""

import numpy as np
import pytest

from examples.parallel.attacks import at_edge, lit_by, narrowed, single_joins, unique_paths, widths
from examples.parallel.clustered import Gap

# Records 0, 1 and 2, 3 are clusters between age and duration; 0, 2 and 1, 3 beyond duration.
BEFORE = Gap(
    ("age", "duration"), 100, np.array([[0, 10, 0, 20], [50, 60, 10, 40]]), np.array([0, 0, 1, 1])
)
AFTER = Gap(
    ("duration", "savings"), 100, np.array([[0, 12, 0, 1], [15, 40, 0, 1]]), np.array([0, 1, 0, 1])
)
PLACES = {
    "age": np.array([0, 9, 50, 55]),
    "duration": np.array([0, 19, 11, 39]),
    "savings": np.array([0, 0, 0, 0]),
}


def test_clusters_on_both_sides_leave_what_they_share() -> None:
    assert widths([BEFORE], "duration").tolist() == pytest.approx([0.2, 0.2, 0.3, 0.3])
    assert widths([BEFORE, AFTER], "duration").tolist() == pytest.approx([0.12, 0.05, 0.02, 0.25])
    assert widths([BEFORE, AFTER], "age").tolist() == pytest.approx([0.1] * 4)


def test_a_coarser_resolution_is_a_share_of_the_axis_too() -> None:
    coarse = Gap(("age", "duration"), 10, np.array([[0, 10, 1, 2]]), np.zeros(4, dtype=np.intp))
    assert widths([BEFORE, coarse], "duration").tolist() == pytest.approx([0.1] * 4)


def test_one_per_cent_counts_as_narrowed() -> None:
    assert narrowed([np.array([4 / 400, 5 / 400]), np.array([0.3 - 0.29, 0.5])]) == 0.5


def test_edges_joins_and_paths() -> None:
    assert at_edge(BEFORE, PLACES, "age") == 0.75
    assert at_edge(BEFORE, PLACES, "duration") == 0.75
    assert lit_by(BEFORE, AFTER) == 2
    assert single_joins([BEFORE, AFTER]) == 1
    assert unique_paths([BEFORE, AFTER]) == 1
    assert single_joins([BEFORE, BEFORE]) == 0
    assert unique_paths([BEFORE, BEFORE]) == 0
