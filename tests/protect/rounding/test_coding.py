"""Encoding gives what numpy gives, in short columns and in long ones."""

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import InputError
from discreet.protect.rounding import coding
from discreet.protect.rounding.base import RegionMethod
from discreet.protect.rounding.coding import (
    cuts_of,
    encode,
    region_means,
    regions_of,
)
from discreet.protect.rounding.groups import Mdav, Optimal
from discreet.protect.rounding.rounding_set import rounding_set
from discreet.protect.rounding.sorted_column import sorted_column

Floats = NDArray[np.float64]


def rounded(x: Floats, method: RegionMethod) -> Floats:
    return rounding_set(sorted_column(x), method).encode(x)


SIZES = [10, coding.FEW + 70]  # the second goes to the kernels


def test_an_edge_belongs_to_the_region_above() -> None:
    edges, points = np.array([1.0, 2.0]), np.array([0.5, 1.5, 7.0])

    assert regions_of([2.0, 0.5, 1.0, 9.0], edges).tolist() == [2, 0, 1, 2]
    assert encode([2.0, 0.5, 1.0, 9.0], edges, points).tolist() == [7.0, 0.5, 1.5, 7.0]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("regions", [1, 2, 9, 3000])
def test_regions_and_points_are_numpys(n: int, regions: int) -> None:
    x = np.random.default_rng(n).normal(size=n).round(3)
    edges = np.linspace(-2, 2, regions - 1)
    points = np.arange(float(regions))
    expected = np.searchsorted(edges, x, side="right")

    assert regions_of(x, edges).tolist() == expected.tolist()
    assert encode(x, edges, points).tolist() == points[expected].tolist()
    assert encode(x[::2], edges, points).tolist() == points[expected[::2]].tolist()


@pytest.mark.parametrize("n", SIZES)
def test_locked_edges_are_taken(n: int) -> None:
    edges, points = np.array([0.0]), np.array([-1.0, 1.0])
    for array in (edges, points):
        array.flags.writeable = False

    assert encode(np.arange(float(n)), edges, points).tolist() == [1.0] * n


@pytest.mark.parametrize("n", SIZES)
def test_cuts_are_numpys(n: int) -> None:
    column = sorted_column(np.random.default_rng(n).normal(size=n))
    edges = np.linspace(-9, 9, 2000)

    assert cuts_of(column, edges).tolist() == np.searchsorted(column.values, edges).tolist()


def test_means_lie_within_their_regions_and_lose_no_digits() -> None:
    x = np.array([0.0, 1.0, 1.0, 5.0, 6.0, 6.0, 6.5])
    means = region_means(sorted_column(1e8 + x), np.array([2]))

    assert means == pytest.approx([1e8 + 2 / 3, 1e8 + 5.875], rel=1e-15)
    tenth = sorted_column([0.1] * 3 + [0.7] * 7)
    assert region_means(tenth, np.array([1])).tolist() == [0.1, 0.7]


@pytest.mark.parametrize("n", SIZES)
def test_a_rounded_column_holds_the_means_of_its_regions(n: int) -> None:
    x = np.random.default_rng(n).lognormal(size=n)

    found = rounded(x, Optimal(k=3))

    points, at, sizes = np.unique(found, return_inverse=True, return_counts=True)
    assert sizes.min() >= 3
    assert points == pytest.approx(np.bincount(at, x) / sizes, rel=1e-12)
    assert np.argsort(x).tolist() == np.lexsort((x, found)).tolist()  # order is kept
    assert rounded(x[::-1], Mdav(k=3)).tolist() == rounded(x, Mdav(k=3))[::-1].tolist()


def test_rounding_twice_is_rounding_once() -> None:
    x = np.random.default_rng(1).normal(size=500)
    once = rounded(x, Optimal(k=5))

    assert rounded(once, Optimal(k=5)).tolist() == once.tolist()


def test_only_finite_numbers_are_encoded() -> None:
    with pytest.raises(InputError, match="x holds missing or infinite values"):
        regions_of([1.0, float("nan")], np.array([1.0]))
    with pytest.raises(InputError, match="x must be one column"):
        encode([], np.array([1.0]), np.array([0.0, 2.0]))
