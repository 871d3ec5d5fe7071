"""Condensation: moments kept, nobody linked more often than one in k, whatever the row order."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from discreet import datasets
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.protect import grouping
from discreet.protect.condensation import Condensation
from discreet.protect.grouping import mdav

Floats = NDArray[np.float64]


def condensed(x: Floats, k: int, normals: Floats, strata: Any = None) -> Floats:
    """Call the method with one stratum unless told otherwise."""
    given = np.zeros(len(x), dtype=np.intp) if strata is None else np.asarray(strata)
    return Condensation(k)(x, normals, given)


def matrix(table: Any, *names: str) -> Floats:
    """Return the named columns of a table, or all."""
    return np.column_stack([table[name].to_numpy() for name in names or table.column_names])


# one column: x, k, normals, what comes out; the sd of 1, 2, 3 by divisor 3 is sqrt(2/3)
R = (2 / 3) ** 0.5
BY_HAND: dict[str, tuple[list[float], int, list[float], list[float]]] = {
    "means where the noise is nought": ([1, 2, 3, 7, 8, 9], 3, [0] * 6, [2, 2, 2, 8, 8, 8]),
    "its own noise for each": (
        [1, 2, 3, 7, 8, 9],
        3,
        [1, 0, -1, 2, 0, 0.5],
        [2 + R, 2, 2 - R, 8 + 2 * R, 8, 8 + R / 2],
    ),
    "a group of equal rows stays": ([4, 4, 4, 7, 8, 9], 3, [1] * 6, [4, 4, 4] + [8 + R] * 3),
    "one group of all": ([1, 2, 3], 2, [1, 1, -1], [2 + R, 2 + R, 2 - R]),
}


@pytest.mark.parametrize(("x", "k", "normals", "out"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(x: list[float], k: int, normals: list[float], out: list[float]) -> None:
    got = condensed(np.array(x, float)[:, None], k, np.array(normals, float)[:, None])

    np.testing.assert_allclose(got[:, 0], out, rtol=1e-12)


def test_strata_are_condensed_apart() -> None:
    x = np.array([[1.0], [2.0], [3.0], [3.0], [5.0], [7.0]])

    out = condensed(x, 3, np.zeros((6, 1)), ["a", "b", "a", "b", "a", "b"])

    np.testing.assert_allclose(out[:, 0], [3, 4, 3, 4, 3, 4], rtol=1e-12)


def test_one_group_has_the_mean_and_covariance_of_its_members() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 3)) @ [[2.0, 1, 0], [0, 1, 0.5], [0, 0, 0.1]] + [10, 0, -5]

    out = condensed(x, 3000, rng.normal(size=x.shape))

    sd = x.std(axis=0)
    assert (np.abs(out.mean(axis=0) - x.mean(axis=0)) < 0.06 * sd).all()
    np.testing.assert_allclose(
        np.cov(out.T) / np.outer(sd, sd), np.cov(x.T) / np.outer(sd, sd), atol=0.08
    )


def test_without_noise_every_row_is_shared_by_its_mdav_group() -> None:
    x = matrix(datasets.d1())
    labels = mdav(x, 5)
    means = np.stack([x[labels == g].mean(axis=0) for g in range(labels.max() + 1)])

    out = condensed(x, 5, np.zeros_like(x))

    np.testing.assert_allclose(out, means[labels], rtol=1e-12)
    assert np.unique(out, axis=0, return_counts=True)[1].min() >= 5


PLANE = np.array([[i, j] for i in range(9) for j in range(7)], dtype=float)  # full of ties


@pytest.mark.parametrize("x", [matrix(datasets.d1()), PLANE], ids=["D1", "tied"])
def test_the_rows_of_a_group_are_exchangeable(x: Floats) -> None:
    labels = mdav(x, 5)
    noise = np.random.default_rng(1).normal(size=(labels.max() + 1, 2))

    out = condensed(x, 5, noise[labels])  # what a row becomes depends on group and noise alone

    assert len(np.unique(out, axis=0)) == labels.max() + 1


def correlation_of(x: Floats) -> float:
    """Return the correlation of the first two columns."""
    return float(np.corrcoef(x[:, 0], x[:, 1]).item(1))


def test_standard_deviation_and_correlation_are_kept_to_one_per_cent() -> None:
    x = matrix(datasets.d1())
    drawn = [
        condensed(x, 5, np.random.default_rng(seed).normal(size=x.shape)) for seed in range(20)
    ]

    kept = np.mean([out.std(axis=0, ddof=1) for out in drawn], axis=0) / x.std(axis=0, ddof=1)
    correlation = np.mean([correlation_of(out) for out in drawn])
    assert kept == pytest.approx([1, 1], abs=0.01)
    assert correlation == pytest.approx(correlation_of(x), abs=0.02)


# --- the attack -------------------------------------------------------------------------------


def winsorised(x: Floats, k: int) -> Floats:
    """Draw the k smallest and largest of each column in to their means."""
    ordered = np.sort(x, axis=0)
    return np.clip(x, ordered[:k].mean(axis=0), ordered[-k:].mean(axis=0))


def linked(x: Floats, released: Floats) -> float:
    """Share of records whose nearest released row is their own; of t tied ones, one in t."""
    sd = x.std(axis=0, ddof=1)
    distance = cdist(x / sd, released / sd)
    nearest = distance <= distance.min(axis=1, keepdims=True) * (1 + 1e-12)
    own = np.diag(nearest)
    return float((own / nearest.sum(axis=1)).mean())


def heavy() -> Floats:
    """Make a skewed cloud with five records far from it."""
    rng = np.random.default_rng(11)
    far = np.array([[30.0, 2], [2, 40], [60, 60], [25, -20], [100, 5]])
    return np.vstack([rng.lognormal(0, 0.5, size=(495, 2)), far])


ATTACKED: dict[str, Callable[[], Floats]] = {
    "D1": lambda: matrix(datasets.d1()),
    "diabetes": lambda: matrix(datasets.diabetes(), "age", "bmi", "glucose"),
    "heavy tails": heavy,
}


@pytest.mark.parametrize("load", ATTACKED.values(), ids=ATTACKED)
def test_nobody_is_linked_more_often_than_one_in_k(load: Callable[[], Floats]) -> None:
    x, k = load(), 5
    clipped = winsorised(x, k)

    shares = [
        linked(x, condensed(clipped, k, np.random.default_rng(seed).normal(size=x.shape)))
        for seed in range(10)
    ]

    assert np.mean(shares) <= 1 / k + 0.03


# --- laws -------------------------------------------------------------------------------------

laws = settings(deadline=None, derandomize=True, max_examples=80)
tables = st.tuples(st.integers(4, 40), st.integers(1, 3)).flatmap(
    lambda shape: st.one_of(
        hnp.arrays(np.float64, shape, elements=st.integers(-3, 3).map(float)),
        hnp.arrays(np.float64, shape, elements=st.floats(-1e3, 1e3)),
    )
)


@laws
@given(tables, st.integers(2, 6), st.booleans(), st.randoms(use_true_random=False))
def test_permuted_rows_with_their_noise_give_the_permuted_result(
    x: Floats, k: int, parted: bool, random: Any
) -> None:
    order = list(range(len(x)))
    random.shuffle(order)
    normals = np.random.default_rng(random.getrandbits(32)).normal(size=x.shape)
    strata = np.array([random.choice("ab") if parted else "a" for _ in order])
    before = (x.tobytes(), normals.tobytes())
    try:
        out = condensed(x, k, normals, strata)
    except RefusedError:
        return

    again = condensed(x[order], k, normals[order], strata[order])

    assert again.tobytes() == out[order].tobytes()
    assert (x.tobytes(), normals.tobytes()) == before


@laws
@given(tables, st.integers(2, 6))
def test_means_are_kept_where_the_noise_is_nought(x: Floats, k: int) -> None:
    try:
        out = condensed(x, k, np.zeros_like(x))
    except RefusedError:
        return

    scale = np.abs(x).max()
    np.testing.assert_allclose(out.mean(axis=0), x.mean(axis=0), atol=1e-9 * scale)
    assert (out.std(axis=0) <= x.std(axis=0) + 1e-9 * scale).all()


# --- what is refused and checked --------------------------------------------------------------

NINE = np.arange(9.0)[:, None]
ONE = np.zeros(9, dtype=np.intp)
WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "noise of another shape": ({"normals": NINE[:3]}, InputError, "normals must hold one finite"),
    "noise that is missing": ({"normals": NINE * np.nan}, InputError, "normals must hold one fin"),
    "strata of other rows": ({"strata": ONE[:3]}, InputError, "one label for each row"),
    "a small stratum": ({"strata": ONE + (NINE[:, 0] > 6)}, RefusedError, "a stratum holds fewer"),
    "a constant column": ({"values": NINE * 0}, RefusedError, "column 0 of X is constant"),
    "a missing value": ({"values": NINE * np.nan}, InputError, "missing or infinite"),
}


@pytest.mark.parametrize(("change", "error", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_or_not_allowed(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Condensation(3)(**{"values": NINE, "normals": NINE, "strata": ONE, **change})


@pytest.mark.parametrize("k", [1, True, 5.0, "5"])
def test_k_is_a_whole_number_of_at_least_two(k: Any) -> None:
    with pytest.raises(InputError, match="k must be a whole number of at least 2"):
        Condensation(k)


def test_a_group_that_comes_out_small_is_a_broken_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = grouping._smallest
    monkeypatch.setattr(grouping, "_smallest", lambda values, k: honest(values, k)[:-1])

    with pytest.raises(BrokenPromiseError, match="counted again and holds fewer than k rows"):
        condensed(np.hstack([NINE, NINE**2]), 3, np.hstack([NINE, NINE]))
