"""A drawn row with a level that its branch has not is drawn from those who have the level."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.arguments import Labels
from discreet.errors import BrokenPromiseError
from discreet.keys import row_keys
from discreet.methods import column_trees, fitted_columns
from discreet.methods.copies import Draws, Levels, Settings
from discreet.methods.participants import ONE
from discreet.methods.strangers import branches_of
from discreet.methods.whole import WholeCopy, whole_copy
from discreet.secret import Secret

SECRET = Secret.from_bytes(bytes(range(32)))
ALL = np.array([True, True])
# Node 0 parts by feature 0 into nodes 1 and 2, and node 2 by feature 1 into nodes 3 and 4.
FEATURE, CUT, LEFT = (
    np.array(it, dtype=np.int32) for it in ([0, -1, 1, -1, -1], [0] * 5, [1, -1, 3, -1, -1])
)
LEAF = np.repeat([1, 3, 4], [20, 10, 10])
# Level 1 is in leaf 1 alone, level 2 in leaves 1 and 3.
LEVEL = np.array([0] * 4 + [1] * 8 + [2] * 8 + [0] * 2 + [2] * 8 + [0] * 10, dtype=np.uint8)
ONES = np.ones(40, dtype=np.int64)


def test_levels_are_strange_by_hand() -> None:
    # Chance would give node 2 four of the eight of level 1, and node 4 four of eight of level 2.
    found = branches_of((FEATURE, CUT, LEFT), ALL, LEAF, [(LEVEL, 3)], ONES, 8, 1)
    if found is None:
        pytest.fail("nothing was strange")
    pools = found.strangers(np.array([1, 3, 4, 4, 3, 4]), [np.array([1, 1, 1, 2, 2, 0], np.uint8)])
    rows, of = found.rows_of(np.unique(pools[pools >= 0]))

    assert (pools >= 0).tolist() == [False, True, True, True, False, False]
    assert pools[1] == pools[2]
    # Who has level 1 below the first node, and level 2 below node 2.
    assert np.sort(rows[of == 0]).tolist() == [*range(4, 12)]
    assert np.sort(rows[of == 1]).tolist() == [*range(22, 30)]


@pytest.mark.parametrize(
    ("parting", "least", "few", "strangers"),
    [
        ([True, True], 9, 1, 0),  # too few have the level for a pool
        ([True, True], 8, 2, 0),  # chance would give too few of them
        ([True, False], 8, 1, 1),  # a branch that parts by what is sure
        ([False, False], 8, 1, 0),
    ],
)
def test_nobody_is_a_stranger_by_chance(
    parting: list[bool], least: int, few: int, strangers: int
) -> None:
    found = branches_of(
        (FEATURE, CUT, LEFT), np.array(parting), LEAF, [(LEVEL, 3)], ONES, least, few
    )
    drawn = [np.array([1, 2], np.uint8)]
    pools = np.array([-1, -1]) if found is None else found.strangers(np.array([4, 4]), drawn)

    assert (pools >= 0).sum() == strangers


def table(n: int = 3000) -> tuple[dict[str, NDArray[np.float64]], dict[str, Levels]]:
    """Return levels that hang together, and a number that is large for some of them alone."""
    random = np.random.default_rng(5)
    a, b = random.integers(0, 6, n), random.integers(0, 5, n)
    large = (a == 2) & (b < 3)
    x = random.normal(20, 9, n) + np.where(large, 4000 * (1 + b), 0)
    words = tuple("abcdef")
    return {"x": x}, {"a": Levels(words, a), "b": Levels(words[:5], b)}


def copied(order: Labels, persons: Labels | None = None) -> WholeCopy:
    numbers, levels = table()
    numbers = {name: it[order] for name, it in numbers.items()}
    levels = {name: Levels(it.words, it.codes[order]) for name, it in levels.items()}
    keys = row_keys(SECRET, [*numbers.values(), *(it.texts() for it in levels.values())])
    return whole_copy(numbers, levels, Draws(SECRET, b"1", keys), Settings(5, 10), persons)


def test_no_order_of_rows_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(column_trees, "MANY_ROWS", 1000)
    turned = np.random.default_rng(1).permutation(3000)
    found, again = copied(np.arange(3000)), copied(turned)

    for name, column in found.numbers.items():
        np.testing.assert_array_equal(column, again.numbers[name])
    assert {it: of.texts() for it, of in found.levels.items()} == {
        it: of.texts() for it, of in again.levels.items()
    }


def test_pools_are_counted_again() -> None:
    pool, rows = np.array([0, 0, 1, 1]), np.arange(4)

    fitted_columns._check_pools(pool, rows, None, 2 * ONE)
    for persons, least in ((None, 3), (np.array([0, 0, 1, 2]), 2)):
        with pytest.raises(BrokenPromiseError, match="too few persons"):
            fitted_columns._check_pools(pool, rows, persons, least * ONE)
