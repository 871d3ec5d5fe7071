"""An order of lines by what they hold: whatever order they came in, the same table comes out."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.protect.line_order import line_order

Bins = NDArray[np.int64]


def ordered(cells: Bins) -> Bins:
    flip, rows, columns = line_order(cells)
    return (cells.T if flip else cells)[np.ix_(rows, columns)]


def permuted(cells: Bins, seed: int) -> Bins:
    rng = np.random.default_rng(seed)
    cells = cells[rng.permutation(len(cells))][:, rng.permutation(cells.shape[1])]
    return cells.T if rng.random() < 0.5 else cells


BY_HAND: dict[str, tuple[Any, Any]] = {
    "columns by their counts": ([[3, 1, 2]], [[1, 2, 3]]),
    "a tall table is flipped": ([[3], [1], [2]], [[1, 2, 3]]),
    "a square one where that comes first": ([[2, 1], [3, 1]], [[1, 1], [2, 3]]),
    "by where the counts lie": ([[0, 1, 0], [2, 0, 0]], [[0, 0, 1], [0, 2, 0]]),
}


@pytest.mark.parametrize(("cells", "out"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(cells: Any, out: Any) -> None:
    assert ordered(np.array(cells)).tolist() == out


shapes = hnp.array_shapes(min_dims=2, max_dims=2, max_side=4)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(hnp.arrays(np.int64, shapes, elements=st.integers(0, 2)), st.integers(0, 10**6))
def test_the_order_that_lines_came_in_does_not_matter(cells: Bins, seed: int) -> None:
    assert ordered(permuted(cells, seed)).tolist() == ordered(cells).tolist()


TWO_RINGS = np.zeros((5, 5), dtype=np.int64)
TWO_RINGS[:2, :2] = 1
TWO_RINGS[2:, 2:] = 1 - np.eye(3, dtype=np.int64)
REGULAR: dict[str, Bins] = {  # every line holds the same counts
    "a diagonal": np.eye(6, dtype=np.int64),
    "a ring": np.eye(6, dtype=np.int64) + np.roll(np.eye(6, dtype=np.int64), 1, axis=1),
    "two rings of unlike size": TWO_RINGS,
    "turned round": (np.arange(5)[:, None] + np.arange(5)) % 5,
}


@pytest.mark.parametrize("cells", REGULAR.values(), ids=REGULAR)
def test_regular_tables(cells: Bins) -> None:
    first = ordered(cells).tolist()

    assert all(ordered(permuted(cells, seed)).tolist() == first for seed in range(20))
