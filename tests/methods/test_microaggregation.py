"""Groups of at least k rows, their means, and rows redrawn from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from discreet import datasets, progress
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.methods import Microaggregation, microaggregation
from discreet.methods.base import standardise
from discreet.methods.microaggregation import (
    Condensation,
    check_shared,
    groups_in_order,
    mdav,
    strata_groups,
    vmdav,
)
from tests.cases import examples

Floats = NDArray[np.float64]

BY_HAND: dict[str, tuple[list[Any], int, list[int]]] = {
    "two clusters": ([[1, 1], [9, 9], [1, 2], [8, 9], [2, 1], [9, 8]], 3, [0, 1, 0, 1, 0, 1]),
    # mean 17/6: 9 is the farthest, then 0 from it, and the two left are one group
    "farthest, then farthest from it": ([0, 1, 2, 4, 6, 9], 2, [1, 1, 2, 2, 0, 0]),
    "farther of two sides, the lower of ties": ([1, 0, 3, 2, 5, 4], 2, [0, 0, 2, 2, 1, 1]),
    "fewer than 3k: one around the farthest, the rest": ([0, 1, 2, 3, 9], 2, [1, 1, 1, 0, 0]),
    "fewer than 2k: one group": ([0, 1, 9], 2, [0, 0, 0]),
    "exactly k": ([4, 7], 2, [0, 0]),
    "equal rows": ([0, 0, 0, 0, 5, 5], 2, [1, 1, 2, 2, 0, 0]),
}


@pytest.mark.parametrize(("x", "k", "labels"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(x: list[Any], k: int, labels: list[int]) -> None:
    assert mdav(x, k).tolist() == labels


def information_loss(x: Floats, labels: Any) -> float:
    """Return the sum of squares within groups in per cent of that of the standardised table."""
    z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    within = sum(
        ((z[labels == g] - z[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels)
    )
    return float(100 * within / (z**2).sum())


@pytest.mark.parametrize(("k", "loss"), [(3, 16.9326), (10, 33.1929)])
def test_the_loss_on_tarragona_is_the_published_one(
    k: int, loss: float, shared_data: Callable[[str], Path]
) -> None:
    x = np.genfromtxt(shared_data("tarragona.csv"), delimiter=",", skip_header=1)
    assert x.shape == (834, 13)
    assert round(information_loss(x, mdav(x, k)), 4) == loss


def twin(x: Floats, k: int) -> list[int]:
    """Follow the documented rule with plain lists, over all rows at every step."""
    z = standardise(x)[0]  # where distances tie but for rounding, its last digits decide
    order = sorted(range(len(z)), key=lambda i: tuple(z[i]))
    labels = twin_in_order(z[order], k)
    return [labels[order.index(i)] for i in range(len(order))]


def twin_in_order(ordered: Floats, k: int) -> list[int]:
    """Return the groups of standardised rows that are in order."""
    left = [tuple(row) for row in ordered.tolist()]
    alive, labels, group = list(range(len(left))), [-1] * len(left), 0

    def squared(i: int, point: Any) -> float:
        total = 0.0
        for a, b in zip(left[i], point, strict=True):
            total += (a - b) * (a - b)
        return total

    def farthest(point: Any) -> Any:
        return left[max(alive, key=lambda i: (squared(i, point), -i))]

    def take(point: Any, size: int) -> None:
        nonlocal group
        for i in sorted(alive, key=lambda i: (squared(i, point), i))[:size]:
            alive.remove(i)
            labels[i] = group
        group += 1

    def centroid() -> list[float]:
        return [math.fsum(left[i][j] for i in alive) / len(alive) for j in range(ordered.shape[1])]

    while len(alive) >= 3 * k:
        r = farthest(centroid())
        take(r, k)
        take(farthest(r), k)
    if len(alive) >= 2 * k:
        take(farthest(centroid()), k)
    if alive:
        take(centroid(), len(alive))
    return labels


@pytest.mark.parametrize(("load", "k"), [(datasets.d1, 2), (datasets.d2, 5), (datasets.d3, 60)])
def test_a_naive_twin_agrees_on_the_papers_data(load: Callable[[], Any], k: int) -> None:
    table = load()
    x = np.column_stack([table[name].to_numpy() for name in table.column_names])[:300]
    assert mdav(x, k).tolist() == twin(x, k)


MAKE: dict[str, Callable[[np.random.Generator, int, int], Floats]] = {
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "skewed": lambda rng, n, p: rng.lognormal(sigma=2, size=(n, p)),
    "rounded": lambda rng, n, p: rng.normal(size=(n, p)).round(1),
    "mass ties": lambda rng, n, p: rng.integers(0, 3, size=(n, p)).astype(float),
    "grid": lambda rng, n, p: rng.integers(0, 30, size=(n, p)).astype(float),
    "a sphere": lambda rng, n, p: on_sphere(rng.normal(size=(n, p))),
    "few far away": lambda rng, n, p: (
        np.where(rng.random((n, 1)) < 0.02, 1e6, 1.0) * rng.normal(size=(n, p))
    ),
}


def on_sphere(x: Floats) -> Floats:
    scaled: Floats = x / np.sqrt((x**2).sum(axis=1))[:, None]
    return scaled


def in_order(x: Floats) -> Floats:
    z = standardise(x)[0]
    ordered: Floats = z[np.lexsort(z.T[::-1])]
    return ordered


@pytest.mark.parametrize("p", [2, 4])
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_kernels_make_the_groups_of_the_twin(
    make: Callable[[np.random.Generator, int, int], Floats], p: int
) -> None:
    rng = np.random.default_rng(p)
    for k in (2, 3, 10, 75):
        for n in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k, 3 * k + 1, 201):
            x = make(rng, max(n, 3), p)
            x[0], x[1] = -1.5, 1.25  # no column is constant
            z = in_order(x)
            z = z[: max(n, k)]
            assert strata_groups(z, [len(z)], k).tolist() == twin_in_order(z, k)


def test_rows_that_are_all_as_far_from_the_centre_come_to_an_end() -> None:
    turn = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    x = np.repeat(circle, 100, axis=0)
    sizes = np.bincount(mdav(x, 3))
    assert sizes.min() >= 3
    assert sizes.sum() == len(x)
    assert np.bincount(vmdav(x, 3)).min() >= 3


@pytest.mark.parametrize("group", [mdav, vmdav])
def test_permuted_rows_give_the_same_groups_of_many_rows(group: Callable[..., Any]) -> None:
    x = np.random.default_rng(4).normal(size=(2500, 3)).round(2)
    order = np.random.default_rng(5).permutation(len(x))

    def rows(x: Floats) -> list[Any]:
        return sorted(zip(map(tuple, x.tolist()), group(x, 4).tolist(), strict=True))

    assert rows(x[order]) == rows(x)


def test_strata_of_many_rows_are_grouped_apart() -> None:
    rng = np.random.default_rng(6)
    parts = [in_order(rng.normal(size=(size, 2))) for size in (1500, 4, 700)]
    expected, made = [], 0
    for part in parts:
        expected += [made + label for label in twin_in_order(part, 3)]
        made = max(expected) + 1
    assert strata_groups(np.concatenate(parts), [1500, 4, 700], 3).tolist() == expected


VARIABLE: dict[str, tuple[list[Any], int, float, list[int]]] = {
    "gamma 0: groups of k": ([0, 1, 2, 3, 10, 10.5], 2, 0.0, [1, 1, 2, 2, 0, 0]),
    "a near row joins": ([9, 0, 7, 1, 10, 2], 2, 0.5, [0, 1, 0, 1, 0, 1]),
    "a row left at last": ([0, 0.5, 7, 8, 9, 10, 11], 2, 100, [0, 0, 0, 1, 1, 1, 1]),
    "exactly k": ([4, 7], 2, 0.2, [0, 0]),
    "two clusters": ([[1, 1], [9, 9], [1, 2], [8, 9], [2, 1], [9, 8]], 2, 1.1, [0, 1, 0, 1, 0, 1]),
}


@pytest.mark.parametrize(("x", "k", "gamma", "labels"), VARIABLE.values(), ids=VARIABLE)
def test_vmdav_by_hand(x: list[Any], k: int, gamma: float, labels: list[int]) -> None:
    assert vmdav(x, k, gamma).tolist() == labels


def variable_twin(ordered: Floats, k: int, gamma: float) -> list[int]:
    """Follow the documented rule with plain lists, over all rows at every step."""
    rows = [tuple(row) for row in ordered.tolist()]
    alive, groups = list(range(len(rows))), []
    centroid = [math.fsum(row[j] for row in rows) / len(rows) for j in range(len(rows[0]))]

    def squared(row: Any, point: Any) -> float:
        total = 0.0
        for a, b in zip(row, point, strict=True):
            total += (a - b) * (a - b)
        return total

    def apart(i: int, j: int) -> float:
        return math.sqrt(squared(rows[i], rows[j]))

    while len(alive) >= k:
        r = max(alive, key=lambda i: (squared(rows[i], centroid), -i))
        group = sorted(alive, key=lambda i: (squared(rows[i], rows[r]), i))[:k]
        alive = [i for i in alive if i not in group]
        while alive and len(group) < 2 * k - 1 and gamma > 0:
            near = min(alive, key=lambda i: (min(squared(rows[i], rows[j]) for j in group), i))
            inward = min(apart(near, j) for j in group)
            outward = min((apart(near, j) for j in alive if j != near), default=math.inf)
            if not inward < gamma * outward:
                break
            group.append(near)
            alive.remove(near)
        groups.append(sorted(group))
    labels = [-1] * len(rows)
    means = []
    for name, group in enumerate(groups):
        for i in group:
            labels[i] = name
        means.append([sum(rows[i][j] for i in group) / len(group) for j in range(len(centroid))])
    for i in alive:
        labels[i] = min(range(len(groups)), key=lambda g: (squared(rows[i], means[g]), g))
    return labels


def read(z: Floats, labels: Any) -> list[Any]:
    """Return labels as they are; of one column, in which it does not matter which of equal rows
    are where, values with the means of their groups."""
    of = np.asarray(labels)
    if z.shape[1] > 1:
        return list(of.tolist())
    means = np.bincount(of, z[:, 0]) / np.bincount(of)
    return sorted(zip(z[:, 0].tolist(), means[of].round(9).tolist(), strict=True))


@pytest.mark.parametrize(("p", "gamma"), [(1, 0.2), (2, 1.1), (4, 4.0)])
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_a_variable_twin_agrees(
    make: Callable[[np.random.Generator, int, int], Floats], p: int, gamma: float
) -> None:
    rng = np.random.default_rng(p)
    for k, n in ((2, 30), (5, 41)):
        z = in_order(make(rng, n, p))
        found = strata_groups(z, [n], k, gamma)
        assert read(z, found) == read(z, variable_twin(z, k, gamma))


laws = settings(deadline=None, derandomize=True, max_examples=examples(100))
tables = st.tuples(st.integers(4, 40), st.integers(1, 3)).flatmap(
    lambda shape: st.one_of(
        hnp.arrays(np.float64, shape, elements=st.integers(-3, 3).map(float)),
        hnp.arrays(np.float64, shape, elements=st.floats(-1e3, 1e3)),
    )
)


@laws
@given(tables, st.integers(2, 6))
def test_groups_hold_k_to_2k_less_1_and_every_row_is_in_one(x: Floats, k: int) -> None:
    before = x.tobytes()
    try:
        labels = mdav(x, k)
    except RefusedError:
        return
    sizes = np.bincount(labels)
    assert labels.shape == (len(x),)
    assert sizes.min() >= k
    assert sizes.max() < 2 * k
    assert x.tobytes() == before


@laws
@given(tables, st.integers(2, 6), st.randoms(use_true_random=False))
def test_permuted_rows_give_the_same_groups(x: Floats, k: int, random: Any) -> None:
    order = list(range(len(x)))
    random.shuffle(order)
    try:
        labels = mdav(x, k)
    except RefusedError:
        return
    again = mdav(x[order], k)
    rows = sorted(zip(map(tuple, x.tolist()), labels.tolist(), strict=True))
    assert sorted(zip(map(tuple, x[order].tolist()), again.tolist(), strict=True)) == rows


@laws
@given(tables, st.integers(2, 6), st.sampled_from([0.0, 0.2, 1.1, 9.0]))
def test_variable_groups_hold_k_to_3k_less_2_and_agree_with_the_twin(
    x: Floats, k: int, gamma: float
) -> None:
    try:
        labels = vmdav(x, k, gamma)
    except RefusedError:
        return
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= 3 * k - 2
    z = standardise(x)[0]
    order = np.lexsort((*x.T[::-1], *z.T[::-1]))
    if x.shape[1] > 1:  # of one column ties are told by other sums; see tests of `rounding.groups`
        assert labels[order].tolist() == variable_twin(z[order], k, gamma)


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "k is 1": ({"k": 1}, InputError, "k must be a whole number of at least 2"),
    "k is above n": ({"k": 8}, RefusedError, "^k must be at most the number of rows; choose a"),
    "a missing value": ({"X": [[1.0], [np.inf]]}, InputError, "missing or infinite"),
    "a constant column": ({"X": [[1.0], [1.0]]}, RefusedError, "column 0 of X is constant"),
}


@pytest.mark.parametrize(("change", "error", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_or_not_allowed(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        mdav(**{"X": [1, 2, 3, 4, 5, 6, 7], "k": 2, **change})


def test_a_group_that_comes_out_small_is_a_broken_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = np.repeat([0, 1], [18, 2])
    monkeypatch.setattr(microaggregation, "_fixed", lambda *_: labels)
    with pytest.raises(BrokenPromiseError, match="counted again and holds fewer than k rows"):
        mdav([[i, i * i] for i in range(20)], 3)


@pytest.mark.parametrize(("group", "n"), [(mdav, 3000), (vmdav, 1000)])
def test_progress_is_told_up_to_the_end(group: Callable[..., Any], n: int) -> None:
    told: list[tuple[str, int, int]] = []
    x = np.random.default_rng(0).normal(size=(n, 2))
    group(x, 3)  # compiled by now
    with progress.listening(lambda *step: told.append(step)):
        group(x, 3)
    done = [step[1] for step in told]
    assert {(step[0], step[2]) for step in told} == {("grouping", n)}
    assert done == sorted(done)
    assert done[-1] == n
    assert 50 < len(done) <= 102


def test_groups_in_order_are_those_of_each_stratum_by_itself() -> None:
    z = np.array([[0.0], [5.0], [0.1], [5.1], [9.0], [0.2], [9.1], [5.2], [9.2], [9.3]])
    strata = np.array([0, 1, 0, 1, 1, 0, 1, 1, 1, 1])
    order, groups = groups_in_order(z, strata, 3)
    by_row = dict(zip(order.tolist(), groups.tolist(), strict=True))
    made = {frozenset(i for i in by_row if by_row[i] == g) for g in set(by_row.values())}
    assert made == {frozenset({0, 2, 5}), frozenset({1, 3, 7}), frozenset({4, 6, 8, 9})}
    assert strata[order].tolist() == sorted(strata.tolist())
    assert groups_in_order(z, strata, 3, gamma=0.0)[1].tolist() == groups.tolist()
    assert set(groups_in_order(z, strata, 2, gamma=9.0)[1][:3].tolist()) == {0}
    with pytest.raises(RefusedError, match="a stratum holds fewer than k rows"):
        groups_in_order(z, strata, 4)


def one(n: int) -> NDArray[np.intp]:
    return np.zeros(n, dtype=np.intp)


def protect(x: Floats, k: int, strata: NDArray[np.intp] | None = None) -> Floats:
    return Microaggregation(k)(x, np.zeros_like(x), one(len(x)) if strata is None else strata)


@pytest.mark.parametrize("k", [3])
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
    # No two rows are equal: one of equal rows may be in another group than the other.
    x = np.array(rows, dtype=float) + shift + np.arange(len(rows))[:, None] * [0.125, 1 / 64]
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


def condensed(x: Floats, k: int, normals: Floats, strata: Any = None) -> Floats:
    """Call the method with one stratum unless told otherwise."""
    given = np.zeros(len(x), dtype=np.intp) if strata is None else np.asarray(strata)
    return Condensation(k)(x, normals, given)


def matrix(table: Any, *names: str) -> Floats:
    """Return the named columns of a table, or all."""
    return np.column_stack([table[name].to_numpy() for name in names or table.column_names])


# one column: x, k, normals, what comes out; the sd of 1, 2, 3 by divisor 3 is sqrt(2/3)
R = (2 / 3) ** 0.5
BY_HAND_OF_CONDENSATION: dict[str, tuple[list[float], int, list[float], list[float]]] = {
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


@pytest.mark.parametrize(
    ("x", "k", "normals", "out"), BY_HAND_OF_CONDENSATION.values(), ids=BY_HAND_OF_CONDENSATION
)
def test_by_hand_of_condensation(
    x: list[float], k: int, normals: list[float], out: list[float]
) -> None:
    got = condensed(np.array(x, float)[:, None], k, np.array(normals, float)[:, None])
    np.testing.assert_allclose(got[:, 0], out, rtol=1e-12)


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
        for seed in range(4)
    ]
    assert np.mean(shares) <= 1 / k + 0.03


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


NINE = np.arange(9.0)[:, None]
ONE = np.zeros(9, dtype=np.intp)
WRONG_OF_CONDENSATION: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "noise of another shape": ({"normals": NINE[:3]}, InputError, "normals must hold one finite"),
    "strata of other rows": ({"strata": ONE[:3]}, InputError, "one label for each row"),
    "a small stratum": ({"strata": ONE + (NINE[:, 0] > 6)}, RefusedError, "a stratum holds fewer"),
    "a missing value": ({"values": NINE * np.nan}, InputError, "missing or infinite"),
}


@pytest.mark.parametrize(
    ("change", "error", "message"), WRONG_OF_CONDENSATION.values(), ids=WRONG_OF_CONDENSATION
)
def test_what_is_wrong_or_not_allowed_of_condensation(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Condensation(3)(**{"values": NINE, "normals": NINE, "strata": ONE, **change})
