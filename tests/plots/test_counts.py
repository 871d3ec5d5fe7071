"""Guarded numbers become the numbers of a View: rounded, hidden or shown, and never raw."""

import itertools
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.plots import GridView, Origin
from discreet.plots.box import tukey_box
from discreet.plots.counts import Shown, seen
from discreet.plots.heatmap import grid_view
from discreet.plots.histogram import histogram_view
from discreet.plots.scatter import middles_of_cells
from discreet.policy import PlotRequest, Policy
from discreet.protect.counts import Bins

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
    return Policy.preset(policy).settle(picture, columns, **named)


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
    question = Policy.preset("standard", **policy).settle("box", ["x"])

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
    question = Policy.preset("standard", round_to=step).settle("histogram", ["x"])

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
    question = Policy.preset("standard", round_to=round_to).settle("histogram", ["x"])

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
