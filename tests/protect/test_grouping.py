"""MDAV: worked by hand, published results, a naive twin, and groups that are large enough."""

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

from discreet import datasets, progress
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.protect import grouping
from discreet.protect.canonical import standardise
from discreet.protect.grouping import (
    groups_in_order,
    mdav,
    strata_groups,
    strata_variable_groups,
    vmdav,
)

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


@pytest.mark.parametrize(("k", "loss"), [(3, 16.9326), (5, 22.4619), (10, 33.1929)])
def test_the_loss_on_tarragona_is_the_published_one(
    k: int, loss: float, shared_data: Callable[[str], Path]
) -> None:
    x = np.genfromtxt(shared_data("tarragona.csv"), delimiter=",", skip_header=1)

    assert x.shape == (834, 13)
    assert round(information_loss(x, mdav(x, k)), 4) == loss


# --- against a naive twin ---------------------------------------------------------------------


def twin(x: Floats, k: int) -> list[int]:
    """Follow the documented rule with plain lists, over all rows at every step."""
    z = standardise(x)[0]  # where distances tie but for rounding, its last digits decide
    order = sorted(range(len(z)), key=lambda i: tuple(z[i]))
    left = [tuple(z[i].tolist()) for i in order]
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
        return [math.fsum(left[i][j] for i in alive) / len(alive) for j in range(x.shape[1])]

    while len(alive) >= 3 * k:
        r = farthest(centroid())
        take(r, k)
        take(farthest(r), k)
    if len(alive) >= 2 * k:
        take(farthest(centroid()), k)
    take(centroid(), len(alive))
    return [labels[order.index(i)] for i in range(len(order))]


def same_sums(a: Any, b: Any, x: Floats) -> None:
    """Compare two groupings by the means they give, for equal rows may change places."""

    def means(labels: Any) -> list[tuple[float, ...]]:
        rows = [x[np.asarray(labels) == g] for g in np.unique(labels)]
        return sorted((len(r), *np.sort(r, axis=0).sum(axis=0).round(6).tolist()) for r in rows)

    assert means(a) == means(b)


@pytest.mark.parametrize("k", [2, 3, 5, 10, 60])
@pytest.mark.parametrize("load", [datasets.d1, datasets.d2, datasets.d3])
def test_a_naive_twin_agrees_on_the_papers_data(load: Callable[[], Any], k: int) -> None:
    table = load()
    x = np.column_stack([table[name].to_numpy() for name in table.column_names])[:300]

    assert mdav(x, k).tolist() == twin(x, k)


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize(("p", "values"), [(1, 9), (2, 5), (2, 40), (4, 3)])
def test_a_naive_twin_agrees_on_ties_and_duplicates(p: int, values: int, k: int) -> None:
    x = np.random.default_rng(p * values).integers(0, values, size=(211, p)).astype(float)

    same_sums(mdav(x, k), twin(x, k), x)


def test_candidates_are_found_among_many_rows() -> None:
    x = np.random.default_rng(3).normal(size=(1500, 2)).round(1)

    same_sums(mdav(x, 4), twin(x, 4), x)


# --- the kernels ------------------------------------------------------------------------------

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


@pytest.mark.parametrize("p", [1, 2, 4, 6])
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_kernels_make_the_groups_that_numpy_makes(
    make: Callable[[np.random.Generator, int, int], Floats], p: int
) -> None:
    rng = np.random.default_rng(p)
    for k in (2, 3, 10, 75):
        for n in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k, 3 * k + 1, 701):
            x = make(rng, max(n, 3), p)
            x[0], x[1] = -1.5, 1.25  # no column is constant
            z = in_order(x)
            z = z[: max(n, k)]
            expected = grouping._few(z, k, 0, len(z))
            assert grouping._many(z, k, 0, len(z)).tolist() == expected.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_kernels_make_the_groups_that_numpy_makes_of_many_rows(
    make: Callable[[np.random.Generator, int, int], Floats],
) -> None:
    z = in_order(make(np.random.default_rng(9), 5000, 4))

    assert grouping._many(z, 5, 0, 5000).tolist() == grouping._few(z, 5, 0, 5000).tolist()


def test_rows_that_are_all_as_far_from_the_centre_come_to_an_end() -> None:
    turn = np.linspace(0, 2 * np.pi, 466, endpoint=False)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    x = np.repeat(circle, 100, axis=0)

    sizes = np.bincount(mdav(x, 3))

    assert sizes.min() >= 3
    assert sizes.sum() == len(x)
    assert np.bincount(vmdav(x, 3)).min() >= 3


@pytest.mark.parametrize("group", [mdav, vmdav])
def test_permuted_rows_give_the_same_groups_of_many_rows(group: Callable[..., Any]) -> None:
    x = np.random.default_rng(4).normal(size=(grouping.FEW + 500, 3)).round(2)
    order = np.random.default_rng(5).permutation(len(x))

    def rows(x: Floats) -> list[Any]:
        return sorted(zip(map(tuple, x.tolist()), group(x, 4).tolist(), strict=True))

    assert rows(x[order]) == rows(x)


def test_strata_of_many_rows_are_grouped_apart() -> None:
    rng = np.random.default_rng(6)
    parts = [in_order(rng.normal(size=(size, 2))) for size in (1500, 4, 700)]
    expected, made = [], 0
    for part in parts:
        expected += [made + label for label in grouping._few(part, 3, 0, len(part)).tolist()]
        made = max(expected) + 1

    assert strata_groups(np.concatenate(parts), [1500, 4, 700], 3).tolist() == expected


# --- V-MDAV -----------------------------------------------------------------------------------

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


@pytest.mark.parametrize("gamma", [0.0, 0.2, 1.1, 4.0])
@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_a_variable_twin_agrees(
    make: Callable[[np.random.Generator, int, int], Floats], p: int, gamma: float
) -> None:
    rng = np.random.default_rng(p)
    for k, n in ((2, 30), (3, 61), (5, 70), (8, 20)):
        z = in_order(make(rng, n, p))
        found = strata_variable_groups(z, [n], k, gamma)
        assert read(z, found) == read(z, variable_twin(z, k, gamma))


# --- laws -------------------------------------------------------------------------------------

laws = settings(deadline=None, derandomize=True, max_examples=100)
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


@pytest.mark.parametrize("k", [3, 5, 10])
def test_groups_lose_less_than_groups_by_chance(k: int) -> None:
    x = np.random.default_rng(k).normal(size=(300, 2))
    labels = mdav(x, k)

    losses = [information_loss(x, np.random.default_rng(i).permutation(labels)) for i in range(5)]
    assert 0 < information_loss(x, labels) < 0.5 * min(losses)


def test_strata_are_grouped_apart() -> None:
    z = np.array([[0.0], [1.0], [2.0], [0.0], [0.5], [5.0], [6.0]])

    assert strata_groups(z, [3, 4], 2).tolist() == [0, 0, 0, 2, 2, 1, 1]


# --- what is refused, checked and told --------------------------------------------------------

WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "k is 1": ({"k": 1}, InputError, "k must be a whole number of at least 2"),
    "k is a bool": ({"k": True}, InputError, "k must be a whole number"),
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


def test_a_gain_factor_is_not_negative() -> None:
    with pytest.raises(InputError, match="gamma must be at least 0"):
        vmdav([1, 2, 3], 2, -0.1)
    with pytest.raises(RefusedError, match="k must be at most the number of rows"):
        vmdav([1, 2, 3], 4)


def test_a_group_that_comes_out_small_is_a_broken_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = grouping._smallest
    monkeypatch.setattr(grouping, "_smallest", lambda values, k: honest(values, k)[:-1])

    with pytest.raises(BrokenPromiseError, match="counted again and holds fewer than k rows"):
        mdav([[i, i * i] for i in range(20)], 3)


@pytest.mark.parametrize("group", [mdav, vmdav])
@pytest.mark.parametrize("n", [1000, 3000])
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
