"""Guarded numbers become the numbers of a View: rounded, hidden or shown, and never raw."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.answers.drawn import box_of, cell_middles, grid_view, histogram_view, public
from discreet.policy import Asked, Policy
from discreet.protect.counts import Guarded
from discreet.views import GridView, Origin

ORIGIN = Origin(
    policy="standard",
    regime="guarded",
    public=False,
    study=None,
    version=None,
    left_out=0,
    counted="records",
)


def asked(picture: str, policy: str = "standard", **named: Any) -> Asked:
    """Settle a picture of columns x and y, or of x."""
    columns = ["x"] if picture == "histogram" else ["x", "y"]
    return Policy.preset(policy).settle(picture, columns, **named)


def guarded(counts: list[list[int]], k: int) -> Guarded:
    """Show what holds k or nobody."""
    given = np.array(counts)
    shown = (given == 0) | (given >= k)
    return Guarded(np.where(shown, given, 0), shown, given.shape, int((~shown).sum()))


# --- histogram --------------------------------------------------------------------------------


def test_guarded_counts_are_rounded_and_densities_are_shares() -> None:
    question = asked("histogram", method="suppression")
    counts, shown = np.array([7, 0, 0, 13]), np.array([True, True, False, True])

    view = histogram_view(np.array([0.0, 1, 2, 3, 5]), counts, shown, 1, question, ORIGIN)

    # 7 -> 5, empty and hidden alike, 13 -> 15; 20 in all, the last bin two wide
    assert view.counts == (5, None, None, 15)
    assert view.density == (0.25, None, None, 0.375)
    assert view.suppressed is None
    assert view.parameters == {"k": 5, "round_to": 5, "bins": 20}
    assert view.edges == (0.0, 1.0, 2.0, 3.0, 5.0)


def test_research_tells_counts_as_they_are_and_empty_bins_too() -> None:
    question = asked("histogram", "research", method="suppression", bins=4)
    counts, shown = np.array([7, 0, 0, 13]), np.array([True, True, False, True])

    view = histogram_view(np.array([0.0, 1, 2, 3, 5]), counts, shown, 1, question, ORIGIN)

    # frequency density, as in Fig. 1 of the 2021 paper: counts by width
    assert view.counts == (7, 0, None, 13)
    assert view.density == (7.0, 0.0, None, 6.5)
    assert view.suppressed == 1
    assert view.parameters == {"k": 3, "bins": 4}


def test_a_policy_may_tell_empty_bins_from_hidden_ones() -> None:
    question = replace(asked("histogram", method="suppression"), show_empty=True)
    counts, shown = np.array([10, 0, 0]), np.array([True, True, False])

    view = histogram_view(np.arange(4.0), counts, shown, 1, question, ORIGIN)

    assert view.counts == (10, 0, None)


def test_nothing_shown_is_drawn_empty() -> None:
    question = asked("histogram", method="suppression")

    view = histogram_view(np.arange(3.0), np.zeros(2, int), np.zeros(2, bool), 2, question, ORIGIN)

    assert view.counts == view.density == (None, None)


@given(st.lists(st.integers(5, 10**6), min_size=1, max_size=30))
def test_densities_of_a_guarded_histogram_sum_to_one(held: list[int]) -> None:
    edges = np.linspace(0.1, 0.7, len(held) + 1) ** 2
    shown = np.ones(len(held), dtype=bool)

    view = histogram_view(edges, np.array(held), shown, 0, asked("histogram"), ORIGIN)

    heights = [height for height in view.density if height is not None]
    assert sum(np.diff(view.edges) * heights) == pytest.approx(1, abs=1e-4)
    assert all(count is not None and count % 5 == 0 and count > 0 for count in view.counts)


def test_no_k_is_told_where_none_protects() -> None:
    raw = asked("histogram", "research", method="none")
    noised = asked("histogram", "research", method="probabilistic")
    counts, shown = np.array([1, 2]), np.ones(2, dtype=bool)

    assert histogram_view(np.arange(3.0), counts, shown, 0, raw, ORIGIN).parameters == {"bins": 20}
    assert histogram_view(np.arange(3.0), counts, shown, 0, noised, ORIGIN).parameters == {
        "q": 0.25,
        "bins": 20,
    }


# --- grid -------------------------------------------------------------------------------------


def test_a_grid_keeps_its_sides_apart() -> None:
    edges = np.array([0.0, 1, 2]), np.array([10.0, 20, 30, 40])
    counts = guarded([[5, 0, 12], [2, 8, 0]], k=5)

    view = grid_view(edges, counts, asked("heatmap"), ORIGIN)

    assert view.x_edges == (0, 1, 2)
    assert view.y_edges == (10, 20, 30, 40)
    assert view.counts == ((5, None, 10), (None, 10, None))
    assert view.parameters == {"k": 5, "round_to": 5, "grid": 30, "drawn": "2 x 3"}


def test_how_many_cells_are_drawn_is_told_where_they_are_fewer() -> None:
    edges = np.arange(3.0), np.arange(3.0)
    question = replace(asked("heatmap", method="suppression"), grid=2)

    view = grid_view(edges, guarded([[5, 5], [5, 5]], 5), question, ORIGIN)

    assert "drawn" not in view.parameters


def grid_of(counts: tuple[tuple[int | None, ...], ...], x: Any, y: Any) -> GridView:
    """Make a grid of counts."""
    return GridView(
        columns=("x", "y"),
        method="suppression",
        parameters=public({"k": 5}),
        suppressed=None,
        origin=ORIGIN,
        x_edges=x,
        y_edges=y,
        counts=counts,
    )


def test_middles_of_the_cells_that_show() -> None:
    grid = grid_of(((5, None, 0), (None, 10, 15)), (0.0, 1.0, 2.0), (10.0, 20.0, 30.0, 40.0))

    assert cell_middles(grid) == ((0.5, 1.5, 1.5), (15.0, 25.0, 35.0), (5, 10, 15))


def test_no_cell_shows() -> None:
    assert cell_middles(grid_of(((None,),), (0.0, 1.0), (0.0, 1.0))) == ((), (), ())


def test_middles_of_narrow_cells_at_large_numbers_stay_apart() -> None:
    edges = tuple(float(1e9 + i / 8) for i in range(4))
    grid = grid_of(((5, 5, 5),) * 3, edges, edges)

    x, y, _ = cell_middles(grid)
    assert x == tuple(1e9 + i / 8 + 1 / 16 for i in (0, 0, 0, 1, 1, 1, 2, 2, 2))
    assert y == tuple(1e9 + i / 8 + 1 / 16 for i in (0, 1, 2) * 3)


# --- box --------------------------------------------------------------------------------------


def test_a_box_of_five_numbers_has_neither_mean_nor_outliers() -> None:
    box = box_of("x", np.array([1e6]), numbers=[1, 2, 3, 4, 5])

    assert (box.low, box.q1, box.median, box.q3, box.high) == (1, 2, 3, 4, 5)
    assert (box.mean, box.outliers) == (None, ())


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
    box = box_of("x", np.array(values, dtype=float))

    assert (box.low, box.q1, box.median, box.q3, box.high, box.mean) == numbers
    assert list(box.outliers) == outliers


def test_public_parameters_cannot_be_written_to() -> None:
    given = {"k": 5}
    frozen = public(given)
    given["k"] = 3

    assert frozen == {"k": 5}
    with pytest.raises(TypeError, match="does not support item assignment"):
        frozen["k"] = 3  # type: ignore[index]
