"""Univariate microaggregation against literal twins, and its laws."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.methods.base import standardise
from discreet.methods.microaggregation import mdav, vmdav
from discreet.rounding import groups
from discreet.rounding.base import RegionMethod, sorted_column
from discreet.rounding.groups import Mdav, Optimal, VMdav, optimal

Grouping = Callable[[Any, int], NDArray[np.intp]]


def regions(method: RegionMethod, x: Any) -> list[int]:
    """Return the region of each row."""
    found: list[int] = np.searchsorted(method(sorted_column(x)), x, side="right").tolist()
    return found


def loss(x: Any, labels: Any) -> Fraction:
    """Return the exact sum of squares within groups."""
    total = Fraction(0)
    for group in set(labels):
        rows = [Fraction(float(v)) for v, label in zip(x, labels, strict=True) if label == group]
        mean = sum(rows, Fraction(0)) / len(rows)
        total += sum(((v - mean) ** 2 for v in rows), Fraction(0))
    return total


class Left:
    """The rows not yet grouped, by number in the order of their values."""

    def __init__(self, x: Any) -> None:
        self.values = sorted(Fraction(float(v)) for v in x)
        self.alive = list(range(len(self.values)))
        self.labels = [-1] * len(self.values)
        self.made = 0

    def centroid(self) -> Fraction:
        return sum((self.values[i] for i in self.alive), Fraction(0)) / len(self.alive)

    def farthest(self, point: Fraction) -> Fraction:
        return self.values[max(self.alive, key=lambda i: (abs(self.values[i] - point), -i))]

    def take(self, point: Fraction, k: int) -> list[int]:
        nearest = sorted(self.alive, key=lambda i: (abs(self.values[i] - point), i))[:k]
        for i in nearest:
            self.join(i, self.made)
        self.made += 1
        return nearest

    def join(self, i: int, group: int) -> None:
        self.labels[i] = group
        self.alive.remove(i)


def mdav_twin(x: Any, k: int) -> list[int]:
    left = Left(x)
    while len(left.alive) >= 3 * k:
        r = left.farthest(left.centroid())
        left.take(r, k)
        left.take(left.farthest(r), k)
    if len(left.alive) >= 2 * k:
        left.take(left.farthest(left.centroid()), k)
    left.take(left.centroid(), len(left.alive))
    return left.labels


def vmdav_twin(x: Any, k: int, gamma: float) -> list[int]:
    left = Left(x)
    centroid = left.centroid()
    means = []
    while len(left.alive) >= k:
        group = left.take(left.farthest(centroid), k)
        while left.alive and len(group) < 2 * k - 1:
            inward = {
                i: min(abs(left.values[i] - left.values[j]) for j in group) for i in left.alive
            }
            near = min(left.alive, key=lambda i: (inward[i], i))
            others = [abs(left.values[i] - left.values[near]) for i in left.alive if i != near]
            joins = inward[near] < gamma * float(min(others)) if others else gamma > 0
            if not joins:
                break
            left.join(near, left.made - 1)
            group.append(near)
        means.append(sum((left.values[i] for i in group), Fraction(0)) / len(group))
    for i in list(left.alive):
        near = min(range(len(means)), key=lambda g: (abs(means[g] - left.values[i]), g))
        left.join(i, near)
    return left.labels


def in_order(x: Any, labels: Any) -> list[int]:
    """Return labels by rising value, and by label among equal values."""
    return [label for _, label in sorted(zip(list(x), list(labels), strict=True))]


halves = st.integers(-30, 30).map(lambda i: i / 2)
some = st.lists(halves, min_size=2, max_size=40)
different = st.lists(st.integers(-500, 500), min_size=2, max_size=40, unique=True)
least = st.integers(2, 6)


def told_apart(x: list[float]) -> bool:
    """Tell whether different values have different z-scores, which MDAV and V-MDAV look at."""
    try:
        z = standardise(np.array(x)[:, None])[0]
    except RefusedError:  # constant, or too wide
        return False
    return len(set(z.ravel().tolist())) == len(set(x))


def partition(labels: Any) -> list[list[int]]:
    """Return the places of each group, whatever they are called."""
    return sorted([i for i, label in enumerate(labels) if label == g] for g in set(labels))


@given(different, least, st.sampled_from([0.0, 0.2, 1.0]))
def test_regions_are_the_literal_groups_where_all_values_differ(
    x: list[int], k: int, gamma: float
) -> None:
    assume(len(x) >= k)
    x = sorted(x)
    assert partition(regions(Mdav(k), x)) == partition(mdav_twin(x, k))
    assert partition(regions(VMdav(k, gamma), x)) == partition(vmdav_twin(x, k, gamma))
    assert partition(regions(Optimal(k), x)) == partition(optimal(x, k))


def test_by_hand() -> None:
    assert optimal([3, 1, 2, 9, 8, 10, 7], 3).tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert optimal([5, 5, 5, 5, 5, 5], 2).tolist().count(0) in (2, 3)
    assert optimal([5, 1, 5], 2).tolist() == [0, 0, 0]
    assert mdav([1, 0, 3, 2, 5, 4], 2).tolist() == [0, 0, 2, 2, 1, 1]
    assert mdav([0, 0, 0, 0, 5, 5], 2).tolist() == [1, 1, 2, 2, 0, 0]


values = st.one_of(halves, st.floats(-1e3, 1e3), st.floats(1e8, 1e8 + 100), st.just(-1e150))
columns = st.lists(values, min_size=2, max_size=60)
METHODS: dict[str, Callable[[int], RegionMethod]] = {
    "optimal": Optimal,
    "mdav": Mdav,
    "vmdav": VMdav,
    "vmdav, gamma 2": lambda k: VMdav(k, 2.0),
}
GROUPINGS: dict[str, Grouping] = {
    "optimal": optimal,
    "mdav": mdav,
    "vmdav": vmdav,
    "vmdav, gamma 2": lambda x, k: vmdav(x, k, 2.0),
}


@pytest.mark.parametrize("name", METHODS)
@given(columns, least)
def test_every_region_holds_k_rows(name: str, x: list[float], k: int) -> None:
    assume(len(x) >= k)
    edges = METHODS[name](k)(sorted_column(x))
    sizes = np.bincount(np.searchsorted(edges, x, side="right"))
    assert sizes.min() >= k
    assert len(sizes) == len(edges) + 1
    assert (np.diff(edges) > 0).all()
    if len(set(x)) == len(x):
        assert sizes.max() < (3 * k - 1 if name.startswith("vmdav") else 2 * k)


@pytest.mark.parametrize("name", GROUPINGS)
@given(some, least, st.randoms(use_true_random=False))
def test_groups_hold_k_rows_keep_order_and_do_not_heed_that_of_rows(
    name: str, x: list[float], k: int, random: Any
) -> None:
    assume(len(x) >= k)
    assume(name == "optimal" or told_apart(x))
    labels = GROUPINGS[name](x, k)

    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() < (3 * k - 1 if name.startswith("vmdav") else 2 * k)
    ends = sorted(
        (min(rows), max(rows))
        for rows in (
            [v for v, g in zip(x, labels, strict=True) if g == group] for group in range(len(sizes))
        )
    )
    assert all(upper <= lower for (_, upper), (lower, _) in pairwise(ends))
    order = list(range(len(x)))
    random.shuffle(order)
    again = GROUPINGS[name]([x[i] for i in order], k)
    assert in_order([x[i] for i in order], again) == in_order(x, labels)


@given(st.lists(st.one_of(halves, st.floats(-1e3, 1e3)), min_size=2, max_size=40), least)
def test_optimal_never_loses_to_mdav_or_vmdav(x: list[float], k: int) -> None:
    assume(len(x) >= k)
    slack = 1 + Fraction(1, 10**12)
    best = loss(x, regions(Optimal(k), x))
    assert best <= loss(x, regions(Mdav(k), x)) * slack
    assert best <= loss(x, regions(VMdav(k), x)) * slack
    single = loss(x, optimal(x, k))
    assert single <= best * slack
    if not told_apart(x):
        return
    assert single <= loss(x, vmdav(x, k)) * slack


@pytest.mark.parametrize("scale", [1e-300, 1e140])
@pytest.mark.parametrize("name", METHODS)
def test_no_scale_loses_the_groups(name: str, scale: float) -> None:
    x = np.round(np.random.default_rng(4).lognormal(size=50), 3)
    scaled = x * 2.0 ** round(np.log2(scale))
    assert regions(METHODS[name](3), scaled) == regions(METHODS[name](3), x)


@pytest.mark.parametrize("k", [2, 10])
@pytest.mark.parametrize("name", METHODS)
def test_an_offset_changes_nothing(name: str, k: int) -> None:
    x = np.random.default_rng(k).integers(0, 2**20, 300) / 2**20  # exact with the offset
    assert regions(METHODS[name](k), x + 1e8) == regions(METHODS[name](k), x)


PUBLISHED = """
import json, sys
from microagg1d import univariate_microaggregation
given = json.load(sys.stdin)
print(json.dumps([univariate_microaggregation(x, k, method="wilber").tolist() for k, x in given]))
"""


@pytest.mark.slow
def test_a_published_implementation_agrees() -> None:
    if find_spec("microagg1d") is None:  # to import it here would compile it
        pytest.skip("microagg1d is not installed")
    asked = [
        (k, np.sort(np.random.default_rng(seed).normal(size=3 * k + 40 * seed)))
        for k in (2, 5)
        for seed in range(3)
    ]
    # As Python in a process of its own: compiled it would be a minute to compile.
    found = subprocess.run(
        [sys.executable, "-c", PUBLISHED],
        input=json.dumps([(k, x.tolist()) for k, x in asked]),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    for (k, x), peer in zip(asked, json.loads(found.stdout), strict=True):
        assert float(loss(x, optimal(x, k))) == pytest.approx(
            float(loss(x, np.array(peer))), rel=1e-9
        )


def test_equal_values_are_never_parted() -> None:
    x = [1.0] * 7 + [2.0] + [3.0] * 5
    assert Optimal(2)(sorted_column(x)).tolist() in ([1.5], [2.5])
    assert Mdav(2)(sorted_column([4.0] * 9)).tolist() == []


def test_neighbouring_floats_have_an_edge_between_them() -> None:
    x = np.repeat([1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 2.0) + 1e-15], 3)
    edges = Optimal(3)(sorted_column(x))
    assert np.bincount(np.searchsorted(edges, x, side="right")).tolist() == [3, 3, 3]


@pytest.mark.parametrize("name", METHODS)
def test_too_few_rows_are_refused(name: str) -> None:
    with pytest.raises(RefusedError, match=r"^k must be at most the number of rows; choose a"):
        METHODS[name](4)(sorted_column([1.0, 2.0, 3.0]))
    with pytest.raises(RefusedError, match=r"^k must be at most the number of rows; choose a"):
        GROUPINGS[name]([1.0, 2.0, 3.0], 4)


@pytest.mark.parametrize("k", [1, True])
@pytest.mark.parametrize("name", ["optimal", "vmdav"])
def test_k_must_be_a_whole_number(name: str, k: Any) -> None:
    with pytest.raises(InputError, match="k must be a whole number of at least 2"):
        METHODS[name](k)
    with pytest.raises(InputError, match="k must be a whole number of at least 2"):
        GROUPINGS[name]([1.0, 2.0, 3.0], k)


def test_gamma_must_not_be_negative() -> None:
    with pytest.raises(InputError, match="gamma must be at least 0"):
        VMdav(3, -0.1)
    with pytest.raises(InputError, match="gamma must be a finite number"):
        vmdav([1.0, 2.0, 3.0], 2, float("nan"))


def test_a_region_that_comes_out_small_is_a_broken_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "_changes", lambda labels: np.arange(1, len(labels)))
    with pytest.raises(BrokenPromiseError, match="counted again and holds fewer than k rows"):
        Mdav(3)(sorted_column(np.arange(9.0)))
