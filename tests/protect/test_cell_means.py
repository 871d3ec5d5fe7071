"""Means of cells: the rules by hand and by a twin, the rounding, and attacks that must fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.protect.cell_means import CellMeans, GuardedMeans, windows
from discreet.table import Magnitudes
from tests.cases import examples

Floats = NDArray[np.float64]

AXIS = (0.0, 60.0)
OTHERS = np.tile([10.0, 20, 30, 40, 50, 25], 6)

BY_HAND: dict[str, tuple[Any, bool]] = {  # the values of a cell, and whether it is shown
    "five persons": ([10, 20, 30, 45, 50], True),
    "four persons": ([10, 20, 30, 45], False),
    "all alike": ([30] * 9, False),
    "all but four alike": ([20] * 16 + [10, 30, 40, 50], False),
    "all but five alike": ([20] * 16 + [10, 30, 40, 50, 45], True),
    "one has 54 % of all": ([60, 10, 11, 9, 8, 12], False),
    "one has 52 % of the distances from the middle": ([55, 31, 29, 35, 25, 41, 30], False),
    "two have 86 %": ([45, 45, 3, 3, 4, 4], False),
    "two have 80 %": ([45, 45, 5, 6, 7, 5], True),
    "half of them alike": ([20, 20, 20, 10, 31, 45], True),
    "more than half of them alike": ([20, 20, 20, 20, 10, 31, 45], False),
    "a value as far beyond the axis as that is wide": ([120.0, *OTHERS], True),
    "a value that lies farther": ([121.0, *OTHERS], False),
    "a value that lies farther below": ([-61.0, *OTHERS], False),
    "below 0 distances from 0 count": ([-55, 6, 5, 9, 10, 7], False),
}


def places_of(*sizes: int) -> NDArray[np.intp]:
    return np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize(("values", "is_shown"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(values: Any, is_shown: bool) -> None:
    held = np.concatenate([values, OTHERS, OTHERS])
    places = places_of(len(values), len(OTHERS), len(OTHERS))
    means = CellMeans(k=5)(held, places, (3, 1), AXIS)

    assert means.shown[0, 0] == is_shown
    # One of three that is hidden takes another one with it, or the total.
    assert means.shown[:, 0].sum() == (4 if is_shown else 2)
    for n, mean, unit, shown in zip(
        means.counts.flat, means.means.flat, means.units.flat, means.shown.flat, strict=True
    ):
        assert (n > 0, np.isfinite(mean), np.isfinite(unit)) == (shown,) * 3


def test_the_rules_are_the_parameters() -> None:
    values = np.concatenate([[60.0, 10, 11, 9, 8, 12], OTHERS, OTHERS])
    places = places_of(6, len(OTHERS), len(OTHERS))

    lax = CellMeans(dominance=((1, 60.0),), p_percent=1)(values, places, (3, 1), AXIS)
    by_p = CellMeans(dominance=((1, 60.0),), p_percent=70)(values, places, (3, 1), AXIS)

    assert lax.shown.all()
    assert not by_p.shown[0, 0]
    with pytest.raises(InputError, match="means of cells need a k of 2 or more"):
        CellMeans(dominance=())
    with pytest.raises(RefusedError, match="more than 200 means"):
        CellMeans()(values, places, (201, 1), AXIS)


def known(method: CellMeans, values: Floats, places: NDArray[np.intp], shape: Any) -> Magnitudes:
    return Magnitudes.of(values, places, shape, AXIS, method.most)


def twin(values: list[float], k: int, dominance: Any, p: float, axis: tuple[float, float]) -> bool:
    """Say by the words of the rules whether a mean may be shown by itself."""
    low, high = axis
    if len(values) < k or min(values) < 2 * low - high or max(values) > 2 * high - low:
        return False
    for one in values:
        others = [it for it in values if it != one]
        if len(others) < k and len(others) < len(values) / 2:
            return False
    for middle in (0.0, (low + high) / 2):
        parts = sorted([abs(it - middle) for it in values], reverse=True)
        rest = sum(parts[2:])
        if rest < p / 100 * parts[0]:
            return False
        if any(sum(parts[:n]) > share / 100 * sum(parts) for n, share in dominance):
            return False
    return True


@given(
    values=st.lists(st.integers(-30, 150).map(float), min_size=1, max_size=12),
    k=st.integers(3, 6),
    n=st.integers(1, 3),
    share=st.sampled_from([45.0, 75.0, 85.0]),
    p=st.sampled_from([5.0, 15.0, 60.0]),
)
@settings(max_examples=examples(100), deadline=None)
def test_a_twin_says_the_same(values: list[float], k: int, n: int, share: float, p: float) -> None:
    method = CellMeans(k=k, dominance=((n, share),), p_percent=p)

    held = known(method, np.array(values), np.zeros(len(values), dtype=np.intp), (1, 1))
    assert method._is_safe(held.cells[0], AXIS) == twin(values, k, ((n, share),), p, AXIS)


@given(seed=st.integers(0, 10**6), n=st.integers(60, 300), step=st.sampled_from([3, 5, 10]))
@settings(max_examples=examples(25), deadline=None)
def test_what_is_shown_is_rounded_and_the_order_of_rows_does_not_matter(
    seed: int, n: int, step: int
) -> None:
    rng = np.random.default_rng(seed)
    values, places = rng.normal(30, 10, n).round(1), rng.integers(0, 6, n)
    method = CellMeans(k=5, step=step)
    means = method(values, places, (3, 2), AXIS)
    order = rng.permutation(n)
    again = method(values[order], places[order], (3, 2), AXIS)

    for name in ("counts", "means", "units", "shown"):
        np.testing.assert_array_equal(getattr(means, name), getattr(again, name))
    for i, j in np.argwhere(means.shown):
        inside = values[((i == 3) | (places // 2 == i)) & ((j == 2) | (places % 2 == j))]
        unit = means.units[i, j]
        assert f"{unit:e}"[0] in "125"
        assert len(inside) * unit >= (60 if i < 3 and j < 2 else 120)
        assert abs(inside.mean() - means.means[i, j]) <= unit * (0.5 + 1e-9)
        assert means.counts[i, j] % step == 0
        assert abs(means.counts[i, j] - len(inside)) <= step // 2


def test_what_is_about_to_be_shown_is_counted_again() -> None:
    values = np.concatenate([OTHERS, OTHERS + 1])
    places, method = places_of(36, 36), CellMeans()
    good = method(values, places, (2, 1), AXIS)
    wrong: list[dict[str, Any]] = [
        {"means": good.means + good.units},
        {"units": good.units / 100},
        {"counts": good.counts + 5},
    ]

    held = known(method, values, places, (2, 1))
    method._count_again(held, AXIS, good)
    for changed in wrong:
        with pytest.raises(BrokenPromiseError, match="a mean is about to be shown that may not be"):
            method._count_again(held, AXIS, replace(good, **changed))
    for strict in (CellMeans(k=40), CellMeans(dominance=((1, 2.0),)), CellMeans(p_percent=1e5)):
        with pytest.raises(BrokenPromiseError, match="a mean is about to be shown that may not be"):
            strict._count_again(held, AXIS, good)


def test_windows_by_hand() -> None:
    # Of two cells of 6 and their total one is hidden: what is left of the total is 3 units wide.
    sizes = np.array([[6, 6], [6, 6], [12, 12]])
    shown = np.array([[False, False], [True, True], [True, True]])
    means, units = np.where(shown, 7.0, np.nan), np.where(shown, 1.0, np.nan)
    guarded = GuardedMeans(sizes, means, units, shown)
    low, high = windows(sizes, guarded, (0.0, 10.0))

    # The total is 12 x (7 +- .5 - 5), the other one 6 x (7 +- .5 - 5): their difference.
    assert (low[0, 0], high[0, 0]) == pytest.approx(((18 - 15) / 10, (30 - 9) / 10), abs=1e-5)
    _, bounded = windows(sizes, guarded, (0.0, 10.0), (0.0, 8.0))
    assert bounded[0, 0] == pytest.approx(6 * 3 / 10, abs=1e-5)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_hidden_sum_is_open_by_the_width_of_the_axis(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 250))
    values, rows = rng.normal(30, 10, n), rng.integers(0, 3, n)
    columns = rng.choice(3, n, p=[0.85, 0.1, 0.05])
    means = CellMeans()(values, rows * 3 + columns, (3, 3), AXIS)
    inside = [
        [((i == 3) | (rows == i)) & ((j == 3) | (columns == j)) for j in range(4)] for i in range(4)
    ]
    sizes = np.array([[it.sum() for it in line] for line in inside])
    sums = np.array([[(values[it] - 30).sum() / 60 for it in line] for line in inside])
    low, high = windows(sizes, means, AXIS)

    assert (low - 1e-6 <= sums).all()
    assert (sums <= high + 1e-6).all()
    hidden = ~means.shown & (sizes > 0)
    assert ((high - low)[hidden] >= 1 - 1e-6).all()


# --- attacks that must fail -----------------------------------------------------------------------


def people(seed: int, n: int = 400) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
    rng = np.random.default_rng(seed)
    return rng.normal(30, 10, n), rng.integers(0, 4, n), rng.choice(3, n, p=[0.6, 0.3, 0.1])


def window_of_the_last(means: GuardedMeans, values: Floats, inside: Any, at: int) -> float:
    """Return how wide, in axes, the window is that an insider has who knows all others."""
    low, high = -np.inf, np.inf
    for (i, j), held in inside.items():
        if means.shown[i, j] and held[at]:
            n, others = held.sum(), values[held].sum() - values[at]
            ends = (means.means[i, j] + sign * means.units[i, j] / 2 for sign in (-1, 1))
            down, up = (n * end - others for end in ends)
            low, high = max(low, down), min(high, up)
    return float(high - low) / 60


def test_whoever_knows_all_but_one_knows_the_last_one_roughly() -> None:
    found: list[float] = []
    for seed in range(6):
        values, rows, columns = people(seed)
        means = CellMeans()(values, rows * 3 + columns, (4, 3), AXIS)
        inside = {
            (i, j): ((i == 4) | (rows == i)) & ((j == 3) | (columns == j))
            for i in range(5)
            for j in range(4)
        }
        found += [window_of_the_last(means, values, inside, at) for at in range(0, 400, 4)]

    # In widths of the axis, which is six standard deviations.
    assert np.median(found) > 0.8
    assert np.mean(np.array(found) < 0.1) < 0.03


def test_who_joins_between_two_versions_is_hardly_told_by_the_difference() -> None:
    method, guesses, newcomers = CellMeans(), [], np.random.default_rng(1).normal(30, 10, 60)
    for at, new in enumerate(newcomers):
        if at % 6 == 0:  # other data
            values, rows, _ = people(at, 200)
            before, n = method(values, rows, (4, 1), AXIS), (rows == 2).sum()
        after = method(np.append(values, new), np.append(rows, 2), (4, 1), AXIS)
        guesses.append((n + 1) * after.means[2, 0] - n * before.means[2, 0])  # n is taken as known

    # Nearer than the mean of all, which everybody knows, by less than a sixth.
    error = np.abs(newcomers - 30).mean()
    slope, offset = np.polyfit(guesses, newcomers, 1)  # the best of such guesses
    assert np.abs(np.array(guesses) - newcomers).mean() > error
    assert np.abs(slope * np.array(guesses) + offset - newcomers).mean() > 0.83 * error


def test_how_far_out_somebody_is_changes_nothing() -> None:
    values, rows, columns = people(3)
    seen = []
    for far in (130.0, 1e4, 1e9):
        values[7] = far
        means = CellMeans()(values, rows * 3 + columns, (4, 3), AXIS)
        seen.append([means.counts.tolist(), np.nan_to_num(means.means).tolist()])

    assert seen[0] == seen[1] == seen[2]
    assert not means.shown[4, 3]


def test_a_mean_of_zeros_and_ones_says_nobody_s() -> None:
    # A cell of ones alone, or of all but a few, says of each of them that it is one.
    rng = np.random.default_rng(2)
    places = np.repeat(np.arange(6), 30)
    values = (rng.uniform(size=180) < 0.5).astype(float)
    values[:30], values[30:60] = 1.0, 0.0
    values[60:63], values[63:90] = 0.0, 1.0
    means = CellMeans()(values, places, (6, 1), (-0.5, 1.5))

    assert not means.shown[:3, 0].any()
    assert means.shown[3:6, 0].sum() >= 2


def test_of_two_values_k_counts_of_one_are_left_open() -> None:
    # 20 persons a cell, of whom 8 have a one; the axis is as wide as one person's answer.
    values = np.tile(np.repeat([0.0, 1.0], [12, 8]), 2)
    found = CellMeans(k=5, step=5)(values, np.repeat([0, 1], 20), (2, 1), (0.0, 1.0))

    assert found.shown.all()
    # unit * n is 4 = (k - 1) * 1 at least: 8 ones may be 6, 7, 8, 9 or 10
    assert (found.units[:2, 0] * 18 >= 4).all()
    # with a third value that most persons have the step is not of two values alone
    spread = np.linspace(0.0, 1.0, 40)
    even = CellMeans(k=5, step=5)(spread, np.tile([0, 1], 20), (2, 1), (0.0, 1.0))
    assert (even.units[:2, 0] < found.units[:2, 0]).all()
