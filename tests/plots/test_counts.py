"""Counts become the numbers of a View: hidden or shown, on axes that end somewhere."""

import math
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.columns import BinAxis
from discreet.errors import RefusedError
from discreet.methods.counts import Bins
from discreet.methods.values import short
from discreet.plots import GridView, How
from discreet.plots.box import tukey_box
from discreet.plots.counts import AxisRange, Shown, ends_of_table, ends_of_values, short_places
from discreet.plots.heatmap import HeatMap, grid_view
from discreet.plots.histogram import HistogramPlot, HistogramView, histogram_view
from discreet.plots.scatter import middles_of_cells
from tests.plots.cases import COPY, OF_RECORDS, ROWS, SUPPRESSED, table_of

BARS, GRID = HistogramPlot("x"), HeatMap("x", "y")


def guarded(counts: list[list[int]], k: int) -> tuple[Bins, Shown]:
    """Show what holds k or nobody."""
    given = np.array(counts)
    shown = (given == 0) | (given >= k)
    return np.where(shown, given, 0), shown


# --- histogram --------------------------------------------------------------------------------


def bars(counts: Any, shown: Any, how: How, edges: Any = None, **asked: Any) -> HistogramView:
    """Draw counts, by default between whole numbers."""
    counts = np.array(counts)
    ends = np.arange(len(counts) + 1.0) if edges is None else np.array(edges)
    plot = replace(BARS, **asked)
    return histogram_view(ends, counts, np.array(shown, dtype=bool), plot, how, OF_RECORDS)


def test_counts_of_a_copy_are_told_and_densities_are_shares() -> None:
    view = bars([7, 0, 0, 13], [1, 1, 1, 1], COPY, [0.0, 1, 2, 3, 5])
    # of 20 in all, the last bin two wide
    assert view.counts == (7, 0, 0, 13)
    assert view.density == (0.35, 0, 0, 0.325)
    assert view.suppressed == 0
    assert view.parameters == {"k": 5, "bins": 20}
    assert view.edges == (0.0, 1.0, 2.0, 3.0, 5.0)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30).filter(any))
def test_densities_of_a_copy_sum_to_one(held: list[int]) -> None:
    view = bars(held, [1] * len(held), COPY, np.linspace(0.1, 0.7, len(held) + 1) ** 2)
    heights = [height for height in view.density if height is not None]
    assert sum(np.diff(view.edges) * heights) == pytest.approx(1, abs=1e-4)
    assert view.counts == tuple(held)


# --- grid -------------------------------------------------------------------------------------


def test_a_grid_keeps_its_sides_apart() -> None:
    edges = np.array([0.0, 1, 2]), np.array([10.0, 20, 30, 40])
    counts = guarded([[5, 0, 12], [2, 8, 0]], k=3)
    view = grid_view(edges, *counts, GRID, SUPPRESSED, OF_RECORDS)
    assert view.x_edges == (0, 1, 2)
    assert view.y_edges == (10, 20, 30, 40)
    assert view.counts == ((5, 0, 12), (None, 8, 0))
    assert view.suppressed == 1
    assert view.parameters == {"k": 3, "grid": 30, "drawn": "2 x 3"}


def grid_of(counts: tuple[tuple[int | None, ...], ...], x: Any, y: Any) -> GridView:
    """Make a grid of counts."""
    return GridView(
        columns=("x", "y"),
        method="suppression",
        parameters=MappingProxyType({"k": 5}),
        suppressed=None,
        origin=OF_RECORDS,
        x_edges=x,
        y_edges=y,
        counts=counts,
    )


def test_middles_of_the_cells_that_show() -> None:
    grid = grid_of(((5, None, 0), (None, 10, 15)), (0.0, 1.0, 2.0), (10.0, 20.0, 30.0, 40.0))
    assert middles_of_cells(grid) == ((0.5, 1.5, 1.5), (15.0, 25.0, 35.0), (5, 10, 15))


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
    "a sum that no float holds": ([1e308] * 4, (1e308,) * 6, []),
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
    "fewer bins than asked for": (AxisRange("x", 0.5, 9.5, True), 7, BinAxis("x", 0.5, 10.5, 5)),
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
    "hundredths": np.arange(-211, 180) / 100,
}


@pytest.mark.parametrize("bins", [7, 33])
@pytest.mark.parametrize("values", STEPPED.values(), ids=STEPPED)
def test_values_that_go_by_a_step_have_no_false_combs(values: Floats, bins: int) -> None:
    """One of each: all bins but the outer ones hold as many."""
    axis = ends_of_values(values, BARS, COPY, "x").axis(bins)
    counts = np.bincount(axis.places(values), minlength=axis.bins)
    assert len({*counts[1:-1].tolist()}) == 1
    assert counts.max() == counts[1]
    assert axis.bins <= bins


# --- where they end ---------------------------------------------------------------------------


COPIED: dict[str, tuple[list[float], AxisRange]] = {
    # from 1.31 to 8.7 a twentieth is 0.37, and the step below it 0.2
    "of no step": ([1.3123456, 5.0, 8.7], AxisRange("x", 1.2, 8.8)),
    "whole numbers end at halves": ([3.0, 98.0, 4.0], AxisRange("x", 2.5, 98.5, step=1.0)),
    "tenths end between them": ([1.1, 1.2, 8.9], AxisRange("x", 1.05, 8.95, step=0.1)),
}


@pytest.mark.parametrize(("values", "ends"), COPIED.values(), ids=COPIED)
def test_the_axis_of_a_copy_ends_beyond_its_values(values: list[float], ends: AxisRange) -> None:
    found = ends_of_values(np.array(values), BARS, COPY, "x")
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=1e-12)
    assert found.step == pytest.approx(ends.step)


def test_research_spans_the_observed_range() -> None:
    values = [1.25, 7.5, 3.0]
    assert ends_of_table(table_of({"x": values}), BARS, "x") == AxisRange("x", 1.25, 7.5)
    assert ends_of_values(np.array(values), BARS, ROWS, "x") == AxisRange("x", 1.25, 7.5)


@pytest.mark.parametrize("how", [COPY, ROWS])
def test_declared_limits_come_first(how: How) -> None:
    plot = HistogramPlot("x", limits={"x": (0, 20)})
    assert ends_of_table(table_of({"x": [5.5] * 60}), plot, "x") == AxisRange("x", 0.0, 20.0)
    assert ends_of_values(np.array([5.5]), plot, how, "x") == AxisRange("x", 0.0, 20.0)


REFUSED: dict[str, tuple[Any, str]] = {
    "constant": ([4.5] * 60, "'x' is constant, so"),
    "too wide": ([-1.7e308, 1.7e308], "'x' is too wide"),
    "too narrow for its size": (
        (1e12 + np.linspace(0, 1, 60)).tolist(),
        "'x' varies too little for the size of its numbers",
    ),
    "of the smallest numbers": ([0.0, 5e-324, 1e-310], "'x' varies too little to be drawn; resc"),
    "none at all": ([None, float("nan"), float("inf")], "'x' has no finite value"),
}


@pytest.mark.parametrize(("values", "message"), REFUSED.values(), ids=REFUSED)
def test_a_column_that_cannot_be_drawn_is_refused_by_name(values: Any, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        ends_of_table(table_of({"x": values}), BARS, "x")


@given(st.lists(st.floats(-1e4, 1e4).map(lambda v: v + math.pi * 1e-9), min_size=2, max_size=60))
def test_ends_of_a_copy_lie_just_outside_of_its_values(values: list[float]) -> None:
    low, high = min(values), max(values)
    if high - low < 1e-3:
        return
    ends = ends_of_values(np.array(values), BARS, COPY, "x")
    step = max(0.05 * (high - low), ends.step)
    # Whole but for their last digits, numbers have an end half a step beyond the next whole one.
    beyond = 1.5 * step if ends.step == 1 else step
    assert low - beyond <= ends.low <= low + 1e-9
    assert high - 1e-9 <= ends.high <= high + beyond
    assert (ends.low, ends.high) == (short(ends.low), short(ends.high))  # as a reader writes them


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
