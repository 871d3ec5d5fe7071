"""Trees split where a search in plain Python does, whatever the order of rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.kernels.blocks import blocks_of
from discreet.kernels.trees import SMALL, grow, leaves_of


class Rows(NamedTuple):
    """Features, targets and weights of rows."""

    codes: NDArray[np.uint8]
    kinds: NDArray[np.int64]
    targets: NDArray[np.int64]
    weights: NDArray[np.int64]

    def taken(self, at: NDArray[np.intp]) -> Rows:
        return Rows(self.codes[:, at], self.kinds, self.targets[at], self.weights[at])


def drawn(n: int, features: int, targets: int, seed: int) -> Rows:
    random = np.random.default_rng(seed)
    kinds = random.choice([1, 2, 5, 256], features).astype(np.int64)
    codes = np.array([random.integers(0, kind, n) for kind in kinds], dtype=np.uint8)
    wanted = random.integers(-9, 10, (n, targets)) + codes[0, :, None] * random.integers(0, 9)
    return Rows(codes, kinds, wanted, random.integers(1, 4, n))


def gain(rows: Rows, at: list[int]) -> float:
    total, weight = [0] * rows.targets.shape[1], int(rows.weights[at].sum())
    for j in range(len(total)):
        total[j] = sum(int(rows.weights[i]) * int(rows.targets[i, j]) for i in at)
    return sum(it * it for it in total) / weight


def leaves(rows: Rows, at: list[int], least: int) -> list[list[int]]:
    """Return the rows of each leaf: each node is split where all splits are tried."""

    def weight(some: list[int]) -> int:
        return int(rows.weights[some].sum())

    best, found = gain(rows, at), None
    if len({*map(tuple, rows.targets[at].tolist())}) == 1:
        return [at]
    for feature, kinds in enumerate(rows.kinds.tolist()):
        for cut in range(kinds - 1):
            low = [i for i in at if rows.codes[feature, i] <= cut]
            high = [i for i in at if rows.codes[feature, i] > cut]
            if not low or not high or min(weight(low), weight(high)) < least:
                continue
            now = gain(rows, low) + gain(rows, high)
            if now > best * (1 + 1e-8) + 1e-8:
                best, found = now, (low, high)
    if found is None:
        return [at]
    return [leaf for side in found for leaf in leaves(rows, side, least)]


def parts(rows: Rows, least: int) -> NDArray[np.int32]:
    return leaves_of(grow(*rows, least), rows.codes)


CASES = [(1, 1, 1, 1), (30, 3, 2, 6), (SMALL, 4, 1, 20), (SMALL + 1, 4, 3, 9), (120, 3, 2, 25)]


@pytest.mark.parametrize("seed", range(1))
@pytest.mark.parametrize(("n", "features", "targets", "least"), CASES)
def test_leaves_are_those_of_a_search_through_all_splits(
    n: int, features: int, targets: int, least: int, seed: int
) -> None:
    rows = drawn(n, features, targets, seed)
    found = parts(rows, least)
    own = {tuple(np.flatnonzero(found == leaf).tolist()) for leaf in np.unique(found)}
    assert own == {tuple(sorted(leaf)) for leaf in leaves(rows, [*range(n)], least)}


@given(st.integers(1, 150), st.integers(1, 4), st.integers(1, 40), st.integers(0, 2**20))
def test_leaves_weigh_enough_and_no_order_of_rows_matters(
    n: int, features: int, least: int, seed: int
) -> None:
    rows = drawn(n, features, 2, seed)
    least = min(least, int(rows.weights.sum()))
    turned = np.random.default_rng(seed).permutation(n)
    tree, found = grow(*rows, least), parts(rows, least)
    again = grow(*rows.taken(turned), least)
    assert np.bincount(found, rows.weights)[np.unique(found)].min() >= least
    assert (tree.feature[found] == -1).all()
    for one, two in zip(tree, again, strict=True):
        np.testing.assert_array_equal(one, two)


BLOCKS: dict[str, tuple[list[int], set[int], list[int], tuple[int, int], list[int]]] = {
    "ends of more": ([*range(9)], set(), [2] * 9, (3, 3), [0, 0, 0, 1, 1, 2, 2, 2, 2]),
    "of the sizes drawn": ([*range(9)], set(), [2, 3, 2, 2], (2, 2), [0, 0, 1, 1, 1, 2, 2, 3, 3]),
    "one of its own": ([0, 0, 1, 2, 3], {0}, [2] * 9, (2, 2), [0, 0, 1, 1, 1]),
    "too few between two": ([0, 0, 1, 2, 2], {0, 2}, [2] * 9, (2, 2), [0, 0, -1, 1, 1]),
    "too few for two": ([*range(4)], set(), [2] * 9, (3, 3), [0] * 4),
    "enough for ends": ([0, 1, 1, 2], {1}, [3] * 9, (1, 1), [0, 1, 1, 2]),
    "too few for ends": ([0, 1, 1, 2], {1}, [1] * 9, (2, 2), [-1, 0, 0, -1]),
}


@pytest.mark.parametrize("case", BLOCKS.values(), ids=BLOCKS)
def test_blocks(case: tuple[list[int], set[int], list[int], tuple[int, int], list[int]]) -> None:
    value, alone, sizes, ends, wanted = case
    held = np.array([it in alone for it in value])
    ones = np.ones(len(value), dtype=np.int64)
    found = blocks_of(np.array(value), held, ones, np.array(sizes), 2, ends)
    assert found.tolist() == wanted
