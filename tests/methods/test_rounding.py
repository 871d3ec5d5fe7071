"""Rounding as row methods: jointly, every row is shared by k; per column, none need be."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.methods.rounding import ColumnRounding, Rounding
from discreet.rounding import METHODS

Floats = NDArray[np.float64]
JOINT = [name for name, kind in METHODS.items() if not kind.supervised]
NO_STRATA = np.zeros(400, dtype=np.intp)
RNG = np.random.default_rng(3)
X = RNG.lognormal(size=(400, 3))
STRATA = RNG.integers(0, 3, 400)


def none(x: Floats) -> Floats:
    return np.zeros_like(x)


def shares(rows: Floats, strata: Any) -> NDArray[np.intp]:
    """Count for each row how many of its stratum are equal to it."""
    table = np.column_stack([strata, rows])
    inverse, counts = np.unique(table, axis=0, return_inverse=True, return_counts=True)[1:]
    return np.asarray(counts[inverse.ravel()])


@pytest.mark.parametrize("method", JOINT)
def test_every_row_is_shared_by_k_of_its_stratum(method: str) -> None:
    k = 10
    out = Rounding(method=method, k=k)(X, none(X), STRATA)
    assert shares(out, STRATA).min() >= k
    assert out.mean(axis=0) == pytest.approx(X.mean(axis=0), rel=1e-12)
    assert (out >= X.min(axis=0)).all()
    assert (out <= X.max(axis=0)).all()


@pytest.mark.parametrize("method", ["mdav", "kmeans", "base"])
def test_permuted_rows_give_the_permuted_result(method: str) -> None:
    order = np.random.default_rng(1).permutation(400)
    rounding = Rounding(method=method, k=5)
    once = rounding(X, none(X), STRATA)
    assert (rounding(X[order], none(X), STRATA[order]) == once[order]).all()


def test_rows_that_share_their_regions_with_k_are_a_group() -> None:
    # two columns of two intervals: cells (low, low) x 3, (high, high) x 3 and one (low, high)
    x = np.array([[0, 0], [1, 1], [2, 0], [9, 9], [10, 10], [9, 10], [1, 9]], dtype=float)
    method = Rounding(method="equal_width", k=3, c=2)
    out = method(x, none(x), NO_STRATA[:7])
    # the one that is left over joins the nearer of the two
    assert out[:3].tolist() == [[1.0, 2.5]] * 3
    assert out[6].tolist() == [1.0, 2.5]
    assert out[3:6] == pytest.approx(np.array([[28 / 3, 29 / 3]] * 3))


def test_rows_of_small_cells_are_grouped_among_themselves() -> None:
    x = np.array([[0.0], [0.1], [0.2], [5.0], [9.8], [9.9], [10.0], [3.0], [4.0]])
    method = Rounding(method="equal_width", k=3, c=10)
    out = method(x, none(x), NO_STRATA[:9]).ravel()
    assert out == pytest.approx([0.1, 0.1, 0.1, 4.0, 9.9, 9.9, 9.9, 4.0, 4.0])


BAD_JOINT: dict[str, tuple[dict[str, Any], str]] = {
    "supervised": ({"method": "mdlp"}, "rounds one column at a time, by a class"),
    "k": ({"k": 1}, "k must be a whole number of at least 2"),
    "c": ({"method": "kmeans", "c": 0}, "c must be a whole number of at least 1"),
    "c of mdav": ({"method": "mdav", "c": 3}, "'mdav' groups rows by k alone and does not use c"),
}


@pytest.mark.parametrize(("parameters", "message"), BAD_JOINT.values(), ids=BAD_JOINT)
def test_bad_parameters_of_joint_rounding(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Rounding(**parameters)


@pytest.mark.parametrize("method", ["mdav", "optimal", "equal_width"])
def test_a_stratum_below_k_is_refused(method: str) -> None:
    strata = np.array([0] * 396 + [1] * 4)
    with pytest.raises(RefusedError, match="a stratum holds fewer than k rows"):
        Rounding(method=method, k=5)(X, none(X), strata)


@pytest.mark.parametrize("method", METHODS)
def test_each_column_has_points_of_its_own(method: str) -> None:
    rounding = ColumnRounding(method=method, k=10 if METHODS[method].parameter else None)
    out = rounding(X, none(X), STRATA)
    sets = rounding.sets(X, STRATA, ["a", "b", "c"])
    for j, found in enumerate(sets):
        assert (out[:, j] == found.encode(X[:, j])).all()
    assert [found.column for found in sets] == ["a", "b", "c"]


def test_rows_are_not_shared_though_values_are() -> None:
    out = ColumnRounding(method="optimal", k=10)(X, none(X), NO_STRATA)
    for j in range(3):
        assert shares(out[:, j : j + 1], NO_STRATA).min() >= 10
    assert (shares(out, NO_STRATA) < 10).mean() > 0.95


def test_what_is_drawn_follows_the_normals() -> None:
    rounding = ColumnRounding(method="kmeans", c=4, encoding="stochastic")
    low, high = (rounding(X, np.full_like(X, side), NO_STRATA) for side in (9.0, -9.0))
    for j, found in enumerate(rounding.sets(X, NO_STRATA, ["a", "b", "c"])):
        inside = (X[:, j] > found.points[0]) & (X[:, j] < found.points[-1])
        assert (low[inside, j] <= X[inside, j]).all()  # equal where a record is a point
        assert (high[inside, j] >= X[inside, j]).all()
        assert (low[inside, j] < high[inside, j]).mean() > 0.95
        assert (low[~inside, j] == high[~inside, j]).all()


def test_supervised_methods_take_strata_for_classes() -> None:
    x = np.concatenate([np.arange(100.0), 1000 + np.arange(100.0)])[:, None]
    classes = np.repeat([0, 1], 100)
    out = ColumnRounding(method="mdlp")(x, none(x), classes)
    assert sorted(set(out.ravel())) == [49.5, 1049.5]
    with pytest.raises(RefusedError, match="name the column that holds it as a stratum"):
        ColumnRounding(method="mdlp")(x, none(x), np.zeros(200, dtype=np.intp))


BAD_COLUMNS: dict[str, tuple[dict[str, Any], str]] = {
    "k": ({"k": 0}, "k must be a whole number of at least 1"),
    "a rule": ({"k": "sturges"}, "k must be a whole number"),
    "c": ({"method": "kmeans", "c": 0}, "c must be a whole number of at least 1"),
}


@pytest.mark.parametrize(("parameters", "message"), BAD_COLUMNS.values(), ids=BAD_COLUMNS)
def test_bad_parameters_of_column_rounding(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ColumnRounding(**parameters)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=6, max_size=40).filter(
        lambda rows: all(len(set(column)) > 1 for column in zip(*rows, strict=True))
    ),
    st.sampled_from(JOINT),
)
def test_joint_rounding_keeps_its_promise_on_few_values(
    rows: list[tuple[int, int]], method: str
) -> None:
    x = np.array(rows, dtype=float)
    out = Rounding(method=method, k=3)(x, none(x), NO_STRATA[: len(x)])
    assert shares(out, NO_STRATA[: len(x)]).min() >= 3
