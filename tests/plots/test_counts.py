"""Guarded numbers become the numbers of a View: rounded, hidden or shown, and never raw."""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import RefusedError
from discreet.plots import GridView, Origin
from discreet.plots.box import tukey_box
from discreet.plots.counts import (
    AxisRange,
    Shown,
    ends_of_table,
    ends_of_values,
    seen,
    short_places,
)
from discreet.plots.heatmap import grid_view
from discreet.plots.histogram import histogram_view
from discreet.plots.scatter import middles_of_cells
from discreet.policy import PlotRequest, Policy
from discreet.protect.counts import Bins
from discreet.table import BinAxis, Table, open_table
from tests.cases import of_groups

ORIGIN = Origin(
    policy="standard",
    regime="guarded",
    public=False,
    study=None,
    version=None,
    left_out=0,
    counted="records",
)


def asked(picture: str, policy: str = "standard", **named: Any) -> PlotRequest:
    """Settle a picture of columns x and y, or of x."""
    columns = ["x"] if picture == "histogram" else ["x", "y"]
    return Policy.preset(policy, **of_groups({}, policy)).settle(picture, columns, **named)


def guarded(counts: list[list[int]], k: int) -> tuple[Bins, Shown]:
    """Show what holds k or nobody."""
    given = np.array(counts)
    shown = (given == 0) | (given >= k)
    return np.where(shown, given, 0), shown


# --- how many are shown -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "shown", "persons", "told"),
    [
        ({}, 432, 442, (430, 440)),
        ({}, 0, 442, (0, 440)),
        ({"round_to": 10}, 432, 445, (430, 450)),
        # unrounded: multiples of k, and the others fewer than k apart are told alike
        ({"round_to": 1}, 432, 436, (430, 430)),
        ({"round_to": 1}, 432, 437, (430, 435)),
        ({"round_to": 1, "k": 7}, 432, 445, (434, 441)),
    ],
)
def test_how_many_are_shown_is_told_as_counts_are(
    policy: dict[str, int], shown: int, persons: int, told: tuple[int, int]
) -> None:
    question = Policy.preset("standard", **of_groups(policy)).settle("box", ["x"])

    found = seen(ORIGIN, question, shown, persons)

    assert (found.shown, found.total) == told


def test_research_tells_how_many_exactly() -> None:
    found = seen(ORIGIN, asked("heatmap", "research"), 432, 443, np.array([432]))
    assert (found.shown, found.total) == (432, 443)


Told = Callable[[list[int], int], tuple[int | None, int | None]]


def least_possible(told: Told, step: int, cells: int, missing: int) -> tuple[int, int, int]:
    """Return how few values a cell, their sum and the number of the others can have at least.

    The attacker sees that each of so many cells is told as 20, and both numbers of the note; it is
    tried which counts lead to that.
    """
    off = range(-(step // 2), (step - 1) // 2 + 1)
    found: dict[Any, Any] = defaultdict(lambda: [set() for _ in range(cells + 2)])
    for shifts in itertools.product(off, repeat=cells):
        counts = [20 + shift for shift in shifts]
        for others in range(missing + 1):
            possible = found[told(counts, others)]
            for values, value in zip(possible, [*counts, sum(counts), others], strict=True):
                values.add(value)
    # where more are missing than were tried, not all possible ones were
    seen_whole = [
        [len(values) for values in possible]
        for (_, total), possible in found.items()
        if not missing or total <= 20 * cells + missing - 3 * step - 2 * cells * (step // 2)
    ]
    assert seen_whole
    least = [min(column) for column in zip(*seen_whole, strict=True)]
    return min(least[:cells]), least[cells], least[cells + 1]


@pytest.mark.parametrize(("step", "cells"), [(5, 1), (5, 2), (5, 3), (5, 4), (4, 3), (10, 2)])
def test_the_note_beside_the_counts_leaves_each_number_as_open_as_rounding_does(
    step: int, cells: int
) -> None:
    question = Policy.preset("standard", rows="condensation", round_to=step).settle(
        "histogram", ["x"]
    )

    def told(counts: list[int], others: int) -> tuple[int | None, int | None]:
        shown = sum(counts)
        found = seen(ORIGIN, question, shown, shown + others, np.array(counts))
        return found.shown, found.total

    missing = 4 * step + 2 * cells * (step // 2)
    assert min(least_possible(told, step, cells, missing)) >= step
    assert min(least_possible(told, step, cells, 0)[:2]) >= step  # as of bars, where nobody is


def test_sums_that_are_rounded_by_themselves_would_give_counts_exactly() -> None:
    def rounded_alone(counts: list[int], others: int) -> tuple[int, int]:
        shown = sum(counts)
        return (shown + 2) // 5 * 5, (shown + others + 2) // 5 * 5

    assert least_possible(rounded_alone, 5, 4, 0)[0] == 1


@given(
    st.lists(st.integers(5, 60), min_size=1, max_size=30),
    st.integers(0, 40),
    st.sampled_from([1, 5]),
    st.data(),
)
def test_one_person_less_changes_a_number_by_one_step_at_most(
    counts: list[int], others: int, round_to: int, data: Any
) -> None:
    policy = Policy.preset("standard", rows="condensation", round_to=round_to)
    question = policy.settle("histogram", ["x"])

    def told(counts: list[int], others: int) -> list[int]:
        shown = sum(counts)
        found = seen(ORIGIN, question, shown, shown + others, np.array(counts))
        return [n for n in (found.shown, found.total) if n is not None]

    place = data.draw(st.integers(0, len(counts)))
    less = [n - (i == place and n > 5) for i, n in enumerate(counts)]
    fewer = max(0, others - 1) if place == len(counts) else others
    steps = [abs(a - b) for a, b in zip(told(counts, others), told(less, fewer), strict=True)]
    assert all(step in (0, 5) for step in steps)


# --- histogram --------------------------------------------------------------------------------


def test_guarded_counts_are_rounded_and_densities_are_shares() -> None:
    question = asked("histogram", method="suppression")
    counts, shown = np.array([7, 0, 0, 13]), np.array([True, True, False, True])

    view = histogram_view(np.array([0.0, 1, 2, 3, 5]), counts, shown, question, ORIGIN)

    # 7 -> 5, empty and hidden alike, 13 -> 15; 20 in all, the last bin two wide
    assert view.counts == (5, None, None, 15)
    assert view.density == (0.25, None, None, 0.375)
    assert view.suppressed is None
    assert view.parameters == {"k": 5, "round_to": 5, "bins": 20}
    assert view.edges == (0.0, 1.0, 2.0, 3.0, 5.0)


def test_research_tells_counts_as_they_are_and_empty_bins_too() -> None:
    question = asked("histogram", "research", method="suppression", bins=4)
    counts, shown = np.array([7, 0, 0, 13]), np.array([True, True, False, True])

    view = histogram_view(np.array([0.0, 1, 2, 3, 5]), counts, shown, question, ORIGIN)

    # frequency density, as in Fig. 1 of the 2021 paper: counts by width
    assert view.counts == (7, 0, None, 13)
    assert view.density == (7.0, 0.0, None, 6.5)
    assert view.suppressed == 1
    assert view.parameters == {"k": 3, "bins": 4}


def test_a_policy_may_tell_empty_bins_from_hidden_ones() -> None:
    question = replace(asked("histogram", method="suppression"), show_empty=True)
    counts, shown = np.array([10, 0, 0]), np.array([True, True, False])

    view = histogram_view(np.arange(4.0), counts, shown, question, ORIGIN)

    assert view.counts == (10, 0, None)


def test_nothing_shown_is_drawn_empty() -> None:
    question = asked("histogram", method="suppression")

    view = histogram_view(np.arange(3.0), np.zeros(2, int), np.zeros(2, bool), question, ORIGIN)

    assert view.counts == view.density == (None, None)


@given(st.lists(st.integers(5, 10**6), min_size=1, max_size=30))
def test_densities_of_a_guarded_histogram_sum_to_one(held: list[int]) -> None:
    edges = np.linspace(0.1, 0.7, len(held) + 1) ** 2
    shown = np.ones(len(held), dtype=bool)

    view = histogram_view(edges, np.array(held), shown, asked("histogram"), ORIGIN)

    heights = [height for height in view.density if height is not None]
    assert sum(np.diff(view.edges) * heights) == pytest.approx(1, abs=1e-4)
    assert all(count is not None and count % 5 == 0 and count > 0 for count in view.counts)


def test_no_k_is_told_where_none_protects() -> None:
    raw = asked("histogram", "research", method="none")
    noised = asked("histogram", "research", method="probabilistic")
    counts, shown = np.array([1, 2]), np.ones(2, dtype=bool)

    assert histogram_view(np.arange(3.0), counts, shown, raw, ORIGIN).parameters == {"bins": 20}
    assert histogram_view(np.arange(3.0), counts, shown, noised, ORIGIN).parameters == {
        "q": 0.25,
        "bins": 20,
    }


# --- grid -------------------------------------------------------------------------------------


def test_a_grid_keeps_its_sides_apart() -> None:
    edges = np.array([0.0, 1, 2]), np.array([10.0, 20, 30, 40])
    counts = guarded([[5, 0, 12], [2, 8, 0]], k=5)

    view = grid_view(edges, *counts, asked("heatmap"), ORIGIN)

    assert view.x_edges == (0, 1, 2)
    assert view.y_edges == (10, 20, 30, 40)
    assert view.counts == ((5, None, 10), (None, 10, None))
    assert view.parameters == {"k": 5, "round_to": 5, "grid": 30, "drawn": "2 x 3"}


def test_how_many_cells_are_drawn_is_told_where_they_are_fewer() -> None:
    edges = np.arange(3.0), np.arange(3.0)
    question = replace(asked("heatmap", method="suppression"), grid=2)

    view = grid_view(edges, *guarded([[5, 5], [5, 5]], 5), question, ORIGIN)

    assert "drawn" not in view.parameters


def grid_of(counts: tuple[tuple[int | None, ...], ...], x: Any, y: Any) -> GridView:
    """Make a grid of counts."""
    return GridView(
        columns=("x", "y"),
        method="suppression",
        parameters=MappingProxyType({"k": 5}),
        suppressed=None,
        origin=ORIGIN,
        x_edges=x,
        y_edges=y,
        counts=counts,
    )


def test_middles_of_the_cells_that_show() -> None:
    grid = grid_of(((5, None, 0), (None, 10, 15)), (0.0, 1.0, 2.0), (10.0, 20.0, 30.0, 40.0))

    assert middles_of_cells(grid) == ((0.5, 1.5, 1.5), (15.0, 25.0, 35.0), (5, 10, 15))


def test_no_cell_shows() -> None:
    assert middles_of_cells(grid_of(((None,),), (0.0, 1.0), (0.0, 1.0))) == ((), (), ())


def test_middles_of_narrow_cells_at_large_numbers_stay_apart() -> None:
    edges = tuple(float(1e9 + i / 8) for i in range(4))
    grid = grid_of(((5, 5, 5),) * 3, edges, edges)

    x, y, _ = middles_of_cells(grid)
    assert x == tuple(1e9 + i / 8 + 1 / 16 for i in (0, 0, 0, 1, 1, 1, 2, 2, 2))
    assert y == tuple(1e9 + i / 8 + 1 / 16 for i in (0, 1, 2) * 3)


# --- box --------------------------------------------------------------------------------------


TUKEY: dict[str, tuple[list[float], tuple[float, ...], list[float]]] = {
    # values, (low, q1, median, q3, high, mean), outliers
    "no outlier": ([1, 2, 3, 4, 5], (1, 2, 3, 4, 5, 3), []),
    "one above": ([1, 2, 3, 4, 30], (1, 2, 3, 4, 4, 8), [30]),
    "one on either side, in order": (
        [40, 1, 2, 3, 4, 5, -30, 6],
        (1, 1.75, 3.5, 5.25, 6, 3.875),
        [-30, 40],
    ),
    "the whisker never lies within the box": ([0, 0, 0, 100], (0, 0, 0, 25, 25, 25), [100]),
    "one value": ([7], (7, 7, 7, 7, 7, 7), []),
}


@pytest.mark.parametrize(("values", "numbers", "outliers"), TUKEY.values(), ids=TUKEY)
def test_tukeys_box(values: list[float], numbers: tuple[float, ...], outliers: list[float]) -> None:
    box = tukey_box("x", np.array(values, dtype=float))

    assert (box.low, box.q1, box.median, box.q3, box.high, box.mean) == numbers
    assert list(box.outliers) == outliers


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 1.5, 4.0]), st.integers(1001, 3000))
def test_of_many_outliers_one_is_kept_for_each_place_on_the_axis(
    seed: int, spread: float, n: int
) -> None:
    beyond = np.random.default_rng(seed).lognormal(1, spread, n)  # of no spread all are equal

    kept = np.array(tukey_box("x", np.concatenate([np.zeros(10_000), beyond])).outliers)

    assert np.isin(kept, beyond).all()
    assert kept[0] == beyond.min()
    assert len(kept) <= 1001
    place = np.ptp(beyond) / 1000 * 1.001
    assert (np.abs(beyond[:, None] - kept[None]).min(axis=1) <= place).all()


# --- the ends of axes ----------------------------------------------------------------------------

Floats = NDArray[np.float64]


def asked_of_axes(policy: str = "standard", **fields: Any) -> PlotRequest:
    """Settle a histogram of column x."""
    return Policy.preset(policy, **of_groups(fields, policy)).settle("histogram", ["x"])


def table_of(values: Any, *, unit: Any = None) -> Table:
    """Put one column behind a table, with a person for each row if `unit` says so."""
    columns = {"x": values} | ({} if unit is None else {"person": unit})
    return open_table(
        pa.table(columns),
        kinds={},
        roles={},
        unit=None if unit is None else "person",
        key=None,
    )


# --- whole and divided axes -------------------------------------------------------------------

AXES: dict[str, tuple[AxisRange, int, BinAxis]] = {
    "as it is": (AxisRange("x", 0.0, 10.0), 4, BinAxis("x", 0.0, 10.0, 4)),
    "ten ages, ten bins": (AxisRange("x", 0.5, 10.5, True), 20, BinAxis("x", 0.5, 10.5, 10)),
    "two ages a bin": (AxisRange("x", 0.5, 10.5, True), 5, BinAxis("x", 0.5, 10.5, 5)),
    "three ages a bin, one too many on either side": (
        AxisRange("x", 0.5, 10.5, True),
        4,
        BinAxis("x", -0.5, 11.5, 4),
    ),
    "one age too many goes to the right": (
        AxisRange("x", 0.5, 5.5, True),
        3,
        BinAxis("x", 0.5, 6.5, 3),
    ),
    "fewer bins than asked_of_axes for": (
        AxisRange("x", 0.5, 9.5, True),
        7,
        BinAxis("x", 0.5, 10.5, 5),
    ),
}


@pytest.mark.parametrize(("ends", "bins", "axis"), AXES.values(), ids=AXES)
def test_axis(ends: AxisRange, bins: int, axis: BinAxis) -> None:
    assert ends.axis(bins) == axis


@given(st.integers(-1000, 1000), st.integers(1, 1000), st.integers(1, 60))
def test_every_interval_of_whole_numbers_holds_as_many_of_them(
    first: int, many: int, bins: int
) -> None:
    axis = AxisRange("x", first - 0.5, first + many - 0.5, step=1.0).axis(bins)

    assert axis.bins <= bins
    assert axis.width == math.ceil(many / bins)
    assert axis.low % 1 == 0.5
    assert axis.low <= first - 0.5
    assert axis.high >= first + many - 0.5
    # no interval is beyond the numbers altogether
    assert axis.bins * axis.width < many + axis.width


STEPPED = {
    "whole numbers": np.arange(20.0, 97.0),
    "tenths": np.arange(150, 402) / 10,
    "halves": np.arange(-31, 77) / 2,
    "quarters": np.arange(0, 123) / 4,
    "hundreds": np.arange(8.0, 91.0) * 100,
    "hundredths": np.arange(-211, 180) / 100,
    "halves between": np.arange(18.5, 91.0),
}


@pytest.mark.parametrize("bins", [7, 20, 33])
@pytest.mark.parametrize("values", STEPPED.values(), ids=STEPPED)
def test_values_that_go_by_a_step_have_no_false_combs(values: Floats, bins: int) -> None:
    """One of each: all bins but the outer ones hold as many."""
    request = replace(asked_of_axes(), of_copy=True)

    axis = ends_of_values(values, request, "x").axis(bins)

    counts = np.bincount(axis.places(values), minlength=axis.bins)
    assert len({*counts[1:-1].tolist()}) == 1
    assert counts.max() == counts[1]
    assert axis.bins <= bins


# --- where they end ---------------------------------------------------------------------------


def test_a_guarded_axis_ends_beyond_the_means_of_the_k_extremes() -> None:
    # smallest 1.1 to 1.5: mean 1.3; largest 8.5 to 8.9: mean 8.7; a twentieth of 7.4 is 0.37,
    # the step below it 0.2
    values = [1.1, 1.2, 1.3, 1.4, 1.5, *([5.0] * 40), 8.5, 8.6, 8.7, 8.8, 8.9]

    assert ends_of_table(table_of(values), asked_of_axes(), "x") == AxisRange("x", 1.2, 8.8)


def test_protected_values_follow_the_same_rule() -> None:
    values = np.array([8.5, 8.6, 8.7, 8.8, 8.9, 1.1, 1.2, 1.3, 1.4, 1.5])

    assert ends_of_values(values, asked_of_axes(), "x") == AxisRange("x", 1.2, 8.8)


def test_whole_numbers_end_at_halves() -> None:
    values = list(range(1, 101))  # means of the extremes: 3 and 98

    assert ends_of_table(table_of(values), asked_of_axes(), "x") == AxisRange(
        "x", 2.5, 98.5, step=1.0
    )


def test_a_person_counts_once_at_each_end() -> None:
    # person 0 has the five smallest values of all, person 1 the five largest
    values = [0.51, 0.52, 0.53, 0.54, 0.55, *[2.4] * 5, *np.linspace(1, 2, 50).tolist()]
    persons = [0] * 5 + [1] * 5 + list(range(2, 52))

    ends = ends_of_table(table_of(values, unit=persons), asked_of_axes(), "x")

    # means of 0.51 (once) and the four next to it, of 2.4 and the four before it
    low, high = np.mean([0.51, *values[10:14]]), np.mean([*values[-4:], 2.4])
    assert low - 0.05 < ends.low <= low
    assert high <= ends.high < high + 0.05


def test_a_far_record_says_nothing_of_where_the_axis_ends() -> None:
    values = np.linspace(0, 1, 100)
    ends = {
        far: ends_of_table(table_of([*values[:-1], far]), asked_of_axes(), "x")
        for far in (1e3, 1e4, 1e9)
    }

    assert len(set(ends.values())) == 1
    assert ends[1e9].high < 1.1
    assert ends_of_values(np.append(values[:-1], 1e9), asked_of_axes(), "x") == ends[1e9]


def test_numbers_that_are_whole_but_for_fewer_than_k_end_at_halves() -> None:
    values = [*range(1, 97), 50.1, 50.2, 50.3, 50.4]

    assert ends_of_table(table_of([float(v) for v in values]), asked_of_axes(), "x").step
    assert not ends_of_table(table_of([*map(float, values), 50.5]), asked_of_axes(), "x").step


def test_research_spans_the_observed_range() -> None:
    values = [1.25, 7.5, 3.0]

    assert ends_of_table(table_of(values), asked_of_axes("research"), "x") == AxisRange(
        "x", 1.25, 7.5
    )
    assert ends_of_values(np.array(values), asked_of_axes("research"), "x") == AxisRange(
        "x", 1.25, 7.5
    )


@pytest.mark.parametrize("policy", ["standard", "research"])
def test_declared_limits_come_first(policy: str) -> None:
    question = asked_of_axes(policy, limits={"x": [0, 20]})

    assert ends_of_table(table_of([5.5] * 60), question, "x") == AxisRange("x", 0.0, 20.0)
    assert ends_of_values(np.array([5.5]), question, "x") == AxisRange("x", 0.0, 20.0)


REFUSED: dict[str, tuple[str, Any, str]] = {
    "constant": ("standard", [4.5] * 60, "'x' is constant but for fewer than k"),
    "constant, research": ("research", [4.5] * 60, "'x' is constant, so"),
    "too wide": ("standard", [-1.7e308] * 30 + [1.7e308] * 30, "'x' is too wide"),
    "too wide, research": ("research", [-1.7e308, 1.7e308], "'x' is too wide"),
    "too narrow for its size": (
        "standard",
        (1e12 + np.linspace(0, 1, 60)).tolist(),
        "'x' varies too little for the size of its numbers",
    ),
    "fewer than 10 k values": ("standard", [1.5] * 49 + [None] * 9, "'x' have too few complete"),
    "none at all": ("standard", [None, float("nan"), float("inf")], "'x' has no finite value"),
}


@pytest.mark.parametrize(("policy", "values", "message"), REFUSED.values(), ids=REFUSED)
def test_a_column_that_cannot_be_drawn_is_refused_by_name(
    policy: str, values: Any, message: str
) -> None:
    with pytest.raises(RefusedError, match=message):
        ends_of_table(table_of(values), asked_of_axes(policy), "x")


def test_limits_too_narrow_for_bins_are_refused() -> None:
    question = asked_of_axes(limits={"x": [1e12, 1e12 + 1]})

    with pytest.raises(RefusedError, match="'x' varies too little for the size of its numbers"):
        ends_of_table(table_of([1e12] * 60), question, "x")


def end_of(inward: list[float], k: int = 5) -> float:
    """Return the mean of k extreme values of which none makes up four fifths of their reach."""
    for start in range(k):
        reach = [abs(value - inward[start + k]) for value in inward[start : start + k]]
        if reach[0] <= 0.8 * sum(reach):
            return float(np.mean(inward[start : start + k]))
    return float(np.mean(inward[k:]))


@given(st.lists(st.floats(-1e4, 1e4).map(lambda v: v + math.pi * 1e-9), min_size=10, max_size=60))
def test_ends_lie_outside_of_the_means_by_less_than_a_step(values: list[float]) -> None:
    ordered = sorted(values)
    low, high = end_of(ordered[:10]), end_of(ordered[:-11:-1])
    if high - low < 1e-3:
        return
    ends = ends_of_values(np.array(values), asked_of_axes(), "x")

    step = 0.05 * (high - low)
    assert low - step <= ends.low <= low + 1e-9
    assert high - 1e-9 <= ends.high <= high + step
    # a nice number, as a reader writes it
    assert len(f"{ends.low:.12g}".replace("-", "")) <= 12


def test_ends_say_nothing_of_the_k_minus_one_most_extreme_values() -> None:
    values = np.linspace(0, 10, 60) + 0.0123
    shifted = values.copy()
    shifted[:4] -= np.array([3.0, 1.0, -1.0, -3.0]) * 0.01  # the mean of the five stays
    question = replace(asked_of_axes(), k=5)

    assert ends_of_values(values, question, "x") == ends_of_values(shifted, question, "x")


# --- digits -----------------------------------------------------------------------------------


@given(st.floats(-1e9, 1e9), st.floats(1e-2, 1e6), st.integers(1, 200))
def test_places_keep_the_digits_that_tell_bins_apart(low: float, span: float, bins: int) -> None:
    edges = np.linspace(low, low + span, bins + 1)
    if span < 1e-9 * np.abs(edges).max():
        return
    places = np.array(short_places(edges))

    half_a_digit = np.spacing(np.abs(edges).max())
    assert np.abs(places - edges).max() <= max(1e-9 * span / bins, half_a_digit)
    assert (np.diff(places) > 0).all()


def test_places_of_wide_bins_are_short() -> None:
    assert short_places(np.linspace(0.1, 0.7, 4)) == (0.1, 0.3, 0.5, 0.7)
    assert short_places(np.array([1 / 3])) == (0.333333333333,)
