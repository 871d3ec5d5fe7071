import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet import datasets
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.protect import Microaggregation, mdav
from discreet.protect.microaggregation import check_shared

Floats = NDArray[np.float64]


def one(n: int) -> NDArray[np.intp]:
    return np.zeros(n, dtype=np.intp)


def protect(x: Floats, k: int, strata: NDArray[np.intp] | None = None) -> Floats:
    return Microaggregation(k)(x, np.zeros_like(x), one(len(x)) if strata is None else strata)


BY_HAND: dict[str, tuple[list[list[float]], int, list[int] | None, list[list[float]]]] = {
    "two clusters": (
        [[1, 5], [2, 5], [3, 8], [10, 1], [11, 1], [12, 4]],
        3,
        None,
        [[2.0, 6.0]] * 3 + [[11.0, 2.0]] * 3,
    ),
    "fewer than 2k rows are one group": ([[1], [2], [3], [10]], 3, None, [[4]] * 4),
    "strata keep apart": (
        [[1], [9], [3], [11], [2], [10]],
        3,
        [0, 1, 0, 1, 0, 1],
        [[2], [10], [2], [10], [2], [10]],
    ),
    "equal rows stay": ([[1], [1], [1], [7], [7], [7]], 3, None, [[1.0]] * 3 + [[7.0]] * 3),
}


@pytest.mark.parametrize(("x", "k", "strata", "means"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(
    x: list[list[float]], k: int, strata: list[int] | None, means: list[list[float]]
) -> None:
    labels = None if strata is None else np.array(strata)

    np.testing.assert_allclose(protect(np.array(x, dtype=float), k, labels), means, rtol=1e-12)


@pytest.mark.parametrize("k", [2, 3, 10])
def test_rows_are_the_means_of_the_groups_that_mdav_makes(k: int) -> None:
    table = datasets.d1()
    x = np.column_stack([table[name].to_numpy() for name in table.column_names])

    out, labels = protect(x, k), mdav(x, k)

    for group in range(labels.max() + 1):
        mean = x[labels == group].mean(axis=0)
        np.testing.assert_allclose(out[labels == group], np.tile(mean, (sum(labels == group), 1)))


@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=12, max_size=60),
    k=st.integers(2, 5),
    shift=st.sampled_from([0.0, 1e8]),
)
def test_every_row_is_shared_means_are_kept_and_order_does_not_matter(
    rows: list[tuple[int, int]], k: int, shift: float
) -> None:
    x = np.array(rows, dtype=float) + shift + np.arange(len(rows))[:, None] * [0.125, 0.0625]
    order = np.argsort(np.sin(np.arange(len(x))))

    out = protect(x, k)

    assert np.unique(out, axis=0, return_counts=True)[1].min() >= k
    np.testing.assert_allclose(out.mean(axis=0), x.mean(axis=0), rtol=1e-9)
    np.testing.assert_array_equal(protect(x[order], k), out[order])


def test_rows_shared_by_too_few_are_seen() -> None:
    rows = np.array([[1.0, 2.0]] * 3 + [[1.0, 3.0]] * 2)

    with pytest.raises(BrokenPromiseError, match="shared by fewer than k"):
        check_shared(rows, one(5), 3)
    with pytest.raises(BrokenPromiseError, match="shared by fewer than k"):
        check_shared(rows[:3], np.array([0, 0, 1]), 3)
    check_shared(rows[:3], one(3), 3)


def test_what_cannot_be_grouped_is_refused() -> None:
    x = np.arange(6.0)[:, None]

    with pytest.raises(RefusedError, match="a stratum holds fewer than k rows"):
        protect(x, 4, np.array([0, 0, 0, 1, 1, 1]))
    with pytest.raises(RefusedError, match="is constant"):
        protect(np.ones((6, 1)), 3)
    with pytest.raises(InputError, match="k must be a whole number of at least 2"):
        Microaggregation(1)
