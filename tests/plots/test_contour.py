"""The contour plot: the grid of a heat map, drawn as lines of equal count."""

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.plots import ContourView, GridView, Origin
from discreet.plots.contour import contour_levels, contour_of, shared_levels
from discreet.render.scene import Axis, Lines

HILL = ((0, 0, 0), (0, 10, 0), (0, 0, 0))


def view(**changes: Any) -> ContourView:
    """Make a hill of ten persons in the middle of three by three cells."""
    given: dict[str, Any] = {
        "method": "generalization",
        "x_edges": (0.0, 2.0, 4.0, 6.0),
        "y_edges": (10.0, 20.0, 30.0, 40.0),
        "counts": HILL,
        "levels": (5.0,),
    }
    return ContourView(
        columns=("age", "bmi"),
        parameters=MappingProxyType({"k": 5}),
        suppressed=None,
        origin=Origin("standard", "guarded", False, None, None, 0, "persons"),
        **given | changes,
    )


def lines_of(drawn: ContourView) -> Lines:
    (panel,) = drawn.scene().panels
    (lines,) = panel.marks
    assert isinstance(lines, Lines)
    return lines


def test_the_scene_is_one_panel_of_lines_between_the_ends_of_the_grid() -> None:
    (panel,) = view().scene().panels
    assert (panel.x, panel.y) == (Axis("age", (0.0, 6.0)), Axis("bmi", (10.0, 40.0)))
    assert lines_of(view()).look == "level"
    assert lines_of(view()).label == "persons a cell"


def test_a_line_runs_half_way_between_the_middles_of_full_and_empty_cells() -> None:
    # the middles are 1, 3, 5 and 15, 25, 35; ten persons are at (3, 25)
    lines = lines_of(view())
    assert lines.levels == (5.0,)
    places = set(zip(lines.x[0], lines.y[0], strict=True))
    assert places == {(2.0, 25.0), (4.0, 25.0), (3.0, 20.0), (3.0, 30.0)}
    assert lines.x[0][0] == lines.x[0][-1], "it is closed"


def test_x_is_the_first_index_of_the_counts() -> None:
    # all who are there have x below 2
    lines = lines_of(view(counts=((10, 10, 10), (0, 0, 0), (0, 0, 0))))
    assert lines.x == ((2.0, 2.0, 2.0),)
    assert sorted(lines.y[0]) == [15.0, 25.0, 35.0]


def test_what_is_hidden_counts_as_nobody() -> None:
    hidden = view(counts=((None, None, None), (None, 10, None), (None, None, None)))
    assert lines_of(hidden) == lines_of(view())
    assert hidden.scene().notes[-1] == "cells of nobody, or too few to show, count as 0"
    assert view().scene().notes == view().notes()


LEVELS: dict[int, tuple[float, ...]] = {
    0: (),
    1: (0.2, 0.4, 0.6, 0.8),
    20: (2.5, 5.0, 7.5, 10.0, 12.5, 15.0, 17.5),
    35: (5.0, 10.0, 15.0, 20.0, 25.0, 30.0),
}


@pytest.mark.parametrize("most", LEVELS)
def test_levels_are_nice(most: int) -> None:
    assert contour_levels(most) == LEVELS[most]


@pytest.mark.parametrize(
    ("most", "least", "levels"),
    [(10, 3, (1.5, 4.0, 6.0, 8.0)), (10, 10, (5.0, 6.0, 8.0)), (5, 5, (2.5, 3.0, 4.0))],
)
def test_the_lowest_level_is_the_edge_of_what_is_shown(
    most: int, least: int, levels: tuple[float, ...]
) -> None:
    assert contour_levels(most, least) == levels


@given(st.integers(1, 10**9))
def test_there_are_some_levels_below_the_largest_count(most: int) -> None:
    levels = contour_levels(most)
    assert 3 <= len(levels) <= 8
    assert levels[0] > 0
    assert levels[-1] < most
    assert np.allclose(np.diff(levels), levels[0], rtol=1e-4)


GRID = GridView(
    columns=("age", "bmi"),
    method="suppression",
    parameters=MappingProxyType({"k": 5, "grid": 2}),
    suppressed=3,
    origin=Origin("standard", "guarded", False, "s", None, 5, "records", ("a remark",)),
    x_edges=(0.0, 1.0, 2.0),
    y_edges=(3.0, 4.0, 5.0),
    counts=((20, None), (None, None)),
)


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=5))
def test_every_panel_has_lines(peaks: list[int]) -> None:
    levels = shared_levels(peaks)
    assert list(levels) == sorted(set(levels))
    assert levels[-1] < max(peaks)
    assert sum(level < min(peaks) for level in levels) >= 2


def test_a_contour_plot_is_a_heat_map_in_all_but_its_lines() -> None:
    drawn = contour_of(GRID)
    assert drawn.levels == contour_levels(20, 20)
    for name in ("columns", "method", "parameters", "suppressed", "origin", "counts"):
        assert getattr(drawn, name) == getattr(GRID, name)
    assert (drawn.x_edges, drawn.y_edges) == (GRID.x_edges, GRID.y_edges)
    assert contour_of(GRID, (7.0,)).levels == (7.0,)
