"""Plots of rows that are protected already: those of a copy, and those of one plot."""

import dataclasses

import numpy as np
import pytest

from discreet.plots import How
from discreet.plots.box import BoxPlot
from discreet.plots.contour import ContourPlot
from discreet.plots.heatmap import HeatMap
from discreet.plots.histogram import HistogramPlot
from discreet.plots.scatter import ScatterPlot
from tests.plots.cases import COPY, OF_COPY, ROWS, rows_of

LIMITS = {"x": (0, 2), "y": (0, 2)}


def test_points_are_different_sorted_and_sized() -> None:
    rows = rows_of(x=[2, 1, 2, 1, 0], y=[5, 7, 5, 6, 9])
    view = ScatterPlot("x", "y").from_rows(rows, (), COPY, OF_COPY)
    assert view.x == (0, 1, 1, 2)
    assert view.y == (9, 6, 7, 5)
    assert view.size == (1, 1, 1, 2)
    assert view.parameters == {"k": 5}
    assert view.suppressed == 0
    assert view.origin == OF_COPY


def test_a_histogram_of_a_copy_shows_shares_of_all_rows() -> None:
    rows = rows_of(x=[0.5] * 5 + [1.5] * 2 + [3.5, 4.0, 77.0])
    view = HistogramPlot("x", bins=4, limits={"x": (0, 4)}).from_rows(rows, (), COPY, OF_COPY)
    assert view.edges == (0, 1, 2, 3, 4)
    assert view.counts == (5, 2, 0, 3)
    assert view.density == (0.5, 0.2, 0, 0.3)
    assert view.suppressed == 0
    assert view.origin == dataclasses.replace(OF_COPY, shown=10)


def test_limits_are_of_the_protected_rows() -> None:
    rows = rows_of(x=np.linspace(10, 20, 101))
    view, raw = (HistogramPlot("x", bins=5).from_rows(rows, (), it, OF_COPY) for it in (COPY, ROWS))
    # of tenths the bins of a copy end between two
    assert (view.edges[0], view.edges[-1]) == (9.75, 20.25)
    assert np.nansum(np.array(view.counts, dtype=float)) == 101
    assert (raw.edges[0], raw.edges[-1]) == (10, 20)


@pytest.mark.parametrize(("how", "k"), [(COPY, 5), (ROWS, 3)])
def test_a_box_draws_mean_and_outliers(how: How, k: int) -> None:
    rows = rows_of(x=[1, 2, 3, 4, 30], y=[1, 2, 3, 4, 5])
    view = BoxPlot(("x", "y")).from_rows(rows, (), how, OF_COPY)
    assert [box.label for box in view.groups] == ["x", "y"]
    assert view.groups[0].mean == 8
    assert view.groups[0].outliers == (30,)
    assert view.parameters == {"k": k}
    assert view.suppressed == 0


# --- of levels, between declared edges, and as lines ------------------------------------------


def test_points_are_coloured_by_their_levels() -> None:
    rows = rows_of(x=[2, 1, 2, 1, 2], y=[5, 7, 5, 6, 5])
    view = ScatterPlot("x", "y", by="sex").from_rows(rows, ("m", "f", "f", "m", "m"), COPY, OF_COPY)
    assert (view.x, view.y) == ((1, 1, 2, 2), (6, 7, 5, 5))
    assert view.level == ("m", "f", "f", "m")
    assert view.size == (1, 1, 1, 2)
    assert view.by == "sex"


def test_a_heat_map_counts_the_two_columns_of_a_row_and_a_contour_has_its_grid() -> None:
    points = [(0.5, 0.5)] * 6 + [(0.5, 1.5)] * 3 + [(1.5, 1.5)] * 31
    rows = rows_of(x=[x for x, _ in points], y=[y for _, y in points])
    grid, lines = (
        plot("x", "y", grid=2, limits=LIMITS).from_rows(rows, (), COPY, OF_COPY)
        for plot in (HeatMap, ContourPlot)
    )
    assert lines.counts == grid.counts == ((6, 3), (0, 31))
    assert lines.x_edges == lines.y_edges == (0, 1, 2)
    assert grid.suppressed == 0
