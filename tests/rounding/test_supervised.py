import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chi2
from sklearn.datasets import load_iris

from discreet.errors import InputError
from discreet.rounding.base import sorted_column
from discreet.rounding.supervised import ChiMerge, Mdlp, chimerge, mdlp

Floats = NDArray[np.float64]
Rows = list[tuple[int, str]]

rows_of_two = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from("ab")), min_size=1, max_size=40
)
rows_of_three = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from("abc")), min_size=1, max_size=40
)


def columns(rows: Rows) -> tuple[Floats, list[str]]:
    return np.array([x for x, _ in rows], dtype=float), [y for _, y in rows]


IRIS = {"sepal length": (0, [5.55, 6.15]), "petal length": (2, [2.45, 4.75])}


@pytest.mark.parametrize(("column", "cuts"), IRIS.values(), ids=IRIS)
def test_mdlp_on_iris_is_as_published(column: int, cuts: list[float]) -> None:
    data, target = load_iris(return_X_y=True)
    np.testing.assert_allclose(mdlp(data[:, column], target), cuts, rtol=1e-14)


MDLP_BY_HAND: dict[str, tuple[list[float], str, list[float]]] = {
    # 8 rows: the gain of 1 bit is above (log2 7 + log2 7 - 2) / 8 = 0.45.
    "four and four": ([1, 2, 3, 4, 5, 6, 7, 8], "aaaabbbb", [4.5]),
    # 2 rows: 1 bit is above (0 + log2 7 - 2) / 2 = 0.40.
    "one and one": ([1, 2], "ab", [1.5]),
    # 4 rows: best gain 0.311 is below (log2 3 + log2 7 - ...) / 4.
    "alternating": ([1, 2, 3, 4], "abab", []),
    "one class": ([1, 2, 3, 4], "aaaa", []),
    "three runs": ([*range(12)], "aaaabbbbcccc", [3.5, 7.5]),
    "a run within": ([*range(48)], "a" * 16 + "b" * 16 + "a" * 16, [15.5, 31.5]),
}


@pytest.mark.parametrize(("x", "y", "cuts"), MDLP_BY_HAND.values(), ids=MDLP_BY_HAND)
def test_mdlp_by_hand(x: list[float], y: str, cuts: list[float]) -> None:
    assert mdlp(x, list(y)).tolist() == cuts


def entropy(names: list[str]) -> float:
    shares = [count / len(names) for count in Counter(names).values()]
    return -sum(share * math.log2(share) for share in sorted(shares))


def mdlp_plainly(rows: Rows) -> list[float]:
    """Try every boundary between different values, on plain lists."""
    values = sorted({x for x, _ in rows})
    best, tried = math.inf, None
    for below, above in pairwise(values):
        parts = [y for x, y in rows if x <= below], [y for x, y in rows if x > below]
        mean = sum(len(part) * entropy(part) for part in parts) / len(rows)
        if mean < best - 1e-12:
            best, tried = mean, (below, above, parts)
    if tried is None:
        return []
    below, above, parts = tried
    whole = [y for _, y in rows]
    q, h = len(set(whole)), entropy(whole)
    delta = math.log2(3**q - 2) - q * h + sum(len(set(part)) * entropy(part) for part in parts)
    if h - best <= (math.log2(len(rows) - 1) + delta) / len(rows):
        return []
    lower, upper = [row for row in rows if row[0] <= below], [row for row in rows if row[0] > below]
    return [*mdlp_plainly(lower), (below + above) / 2, *mdlp_plainly(upper)]


@given(rows_of_three)
def test_mdlp_is_as_with_every_boundary_tried(rows: Rows) -> None:
    assert mdlp(*columns(rows)).tolist() == mdlp_plainly(rows)


CHIMERGE_BY_HAND: dict[str, tuple[list[float], str, list[float]]] = {
    # Chi-square of the two runs is 8, above 3.84.
    "four and four": ([1, 2, 3, 4, 5, 6, 7, 8], "aaaabbbb", [4.5]),
    # Of one and one it is 2, below 3.84.
    "one and one": ([1, 2], "ab", []),
    "equal values are not parted": ([1, 1, 1, 1, 5, 5, 5, 5], "aaaabbbb", [3.0]),
}


@pytest.mark.parametrize(("x", "y", "cuts"), CHIMERGE_BY_HAND.values(), ids=CHIMERGE_BY_HAND)
def test_chimerge_by_hand(x: list[float], y: str, cuts: list[float]) -> None:
    assert chimerge(x, list(y)).tolist() == cuts


@given(rows_of_two, st.sampled_from([0.0, 0.5, 0.95]))
def test_neighbours_that_chimerge_leaves_differ_by_more_than_the_quantile(
    rows: Rows, significance: float
) -> None:
    x, y = columns(rows)
    edges = chimerge(x, y, significance=significance)
    region = np.searchsorted(edges, x, side="right")
    table = [
        [sum(name == c for name in np.array(y)[region == i]) for c in sorted(set(y))]
        for i in range(len(edges) + 1)
    ]
    for above, below in pairwise(table):
        both = np.array([above, below], dtype=float)
        expected = both.sum(axis=1)[:, None] * both.sum(axis=0) / both.sum()
        terms = np.where(expected > 0, (both - expected) ** 2 / np.maximum(expected, 1e-9), 0.1)
        assert terms.sum() > chi2.ppf(significance, len(set(y)) - 1)


def test_chimerge_keeps_to_the_numbers_of_regions_it_is_given() -> None:
    x, y = np.arange(12.0), list("aaabbbaaabbb")
    assert len(chimerge(x, y, significance=0.5)) == 3
    assert len(chimerge(x, y, significance=0.5, most=2)) == 1
    assert len(chimerge(x, y, significance=0.999, fewest=3)) == 2
    assert len(chimerge(x, y, significance=0.999)) == 0


@given(rows=rows_of_three, seed=st.integers(0, 99), shift=st.sampled_from([0.0, 1e8]))
@pytest.mark.parametrize("method", [mdlp, chimerge])
def test_laws(method: type, rows: Rows, seed: int, shift: float) -> None:
    x, y = columns(rows)
    order = np.random.default_rng(seed).permutation(len(x))
    names = {"a": "z", "b": "y", "c": "x"}
    edges = method(x + shift, y)
    assert (np.diff(edges) > 0).all()
    assert ((edges > x.min() + shift) & (edges <= x.max() + shift)).all()
    np.testing.assert_array_equal(method(x[order] + shift, np.array(y)[order]), edges)
    np.testing.assert_array_equal(method(x, y) + shift, edges)
    np.testing.assert_array_equal(method(x + shift, [names[name] for name in y]), edges)


@pytest.mark.parametrize("method", [Mdlp(), ChiMerge()])
def test_a_column_without_classes_is_refused(method: Mdlp | ChiMerge) -> None:
    with pytest.raises(InputError, match="give the class of each row"):
        method(sorted_column([1.0, 2.0]))


def test_parameters_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match="significance must be below 1"):
        ChiMerge(significance=1.0)
    with pytest.raises(InputError, match="significance must be a finite number"):
        ChiMerge(significance=math.nan)
    with pytest.raises(InputError, match="most must be at least `fewest`"):
        ChiMerge(most=2, fewest=3)
    with pytest.raises(InputError, match="fewest must be a whole number of at least 1"):
        ChiMerge(fewest=0)
    with pytest.raises(InputError, match="a class is needed for each row"):
        mdlp([1.0, 2.0], ["a"])


def test_many_classes_are_no_number_too_large() -> None:
    rows = [(i, str(i)) for i in range(660)]  # 3^660 is no float
    assert mdlp(*columns(rows)).tolist() == mdlp_plainly(rows)
