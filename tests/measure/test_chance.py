"""The baseline of guessing: an order that follows from values alone, and other rows by it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.measure.estimate import TURNS, chance_share, keyed_order

Floats = NDArray[np.float64]

TABLES = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9),
    elements=st.integers(-2, 2).map(float),
)


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_the_file_does_not_matter(matrix: Floats, random: object) -> None:
    other = np.array(matrix.tolist())
    random.shuffle(order := list(range(len(matrix))))  # type: ignore[attr-defined]

    assert (matrix[keyed_order(matrix)] == other[order][keyed_order(other[order])]).all()
    assert sorted(keyed_order(matrix)) == list(range(len(matrix)))


def test_minus_zero_is_zero() -> None:
    x = np.array([[0.0], [3.0], [-0.0], [7.0]])

    assert (keyed_order(x) == keyed_order(np.abs(x))).all()


def test_units_do_not_matter() -> None:
    x = np.random.default_rng(1).normal(size=(50, 2))

    assert (keyed_order(x) == keyed_order(x * 1.8 + 32)).all()


def test_a_subsample_resembles_the_whole_also_where_most_rows_are_equal() -> None:
    x = np.repeat([[0.0], [1.0], [2.0]], [6000, 3000, 1000], axis=0)

    some = x[keyed_order(x)[:1000]]

    shares = [float((some == value).mean()) for value in (0, 1, 2)]
    assert shares == pytest.approx([0.6, 0.3, 0.1], abs=0.04)


def test_the_first_rows_are_spread_over_all_values() -> None:
    x = np.arange(10_000.0)[:, None]

    assert x[keyed_order(x)[:1000]].mean() == pytest.approx(5000, abs=300)


def test_few_rows_are_each_compared_with_every_other() -> None:
    values = np.array([1, 1, 1, 2, 2])  # each of three has two like it among four, each of two one

    share = chance_share(
        keyed_order(values[:, None].astype(float)), lambda rows: values == values[rows]
    )

    assert share == (3 * 2 + 2 * 1) / (5 * 4)


def test_many_rows_are_each_compared_with_some_others_and_never_with_themselves() -> None:
    seen: list[NDArray[np.intp]] = []

    def hits(rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        seen.append(rows.copy())
        return np.equal(rows, np.arange(50))

    assert chance_share(keyed_order(np.arange(50.0)[:, None]), hits) == 0
    assert len(seen) == TURNS
    assert all(len({int(rows[i]) for rows in seen}) == TURNS for i in range(50))


def test_one_row_has_no_other() -> None:
    assert chance_share(np.array([0]), lambda rows: rows >= 0) is None
