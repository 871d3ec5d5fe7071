"""Pictures from counts of public data: by hand, by brute force, and as the paper prints them."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet import datasets
from discreet.errors import RefusedError
from discreet.plots import How, Plot
from discreet.plots.box import BoxPlot
from discreet.plots.heatmap import HeatMap
from discreet.plots.histogram import HistogramPlot
from discreet.plots.scatter import ScatterPlot
from discreet.table import Table
from tests.plots.cases import GENERALIZED, OF_RECORDS, RAW, SUPPRESSED, table_of

# The grid of Fig. 3A of the 2021 paper.
LIMITS = {
    "X": (7.9342065267480235, 11.709411658395911),
    "Y": (6.1694616886565594, 13.084176611450284),
}


# --- the paper's numbers ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "grid", "limits", "cells", "suppressed"),
    [
        (SUPPRESSED, 30, LIMITS, 900, 164),
        (SUPPRESSED, 15, LIMITS, 225, 42),
        (GENERALIZED, 30, LIMITS, 225, 42),
        (SUPPRESSED, 30, None, 900, 187),
        (SUPPRESSED, 15, None, 225, 53),
        (GENERALIZED, 30, None, 225, 53),
    ],
)
def test_the_cells_that_fig_3a_suppresses(
    how: How, grid: int, limits: Any, cells: int, suppressed: int
) -> None:
    table = table_of({name: datasets.d1()[name] for name in "XY"})
    view = HeatMap("X", "Y", grid=grid, limits=limits).from_counts(table, how, OF_RECORDS)
    flat = [count for row in view.counts for count in row]
    assert len(flat) == cells
    assert view.suppressed == flat.count(None) == suppressed
    assert all(count == 0 or count >= 3 for count in flat if count is not None)


# --- histogram --------------------------------------------------------------------------------


def ages(**held: int) -> Table:
    """Make a table of so many persons of each age: ages(a20=7) are seven of 20."""
    return table_of({"age": [int(age[1:]) for age, n in held.items() for _ in range(n)]})


AGES = HistogramPlot("age", bins=6, limits={"age": (19.5, 25.5)})


def test_a_histogram_by_suppression_hides_what_holds_fewer_than_k() -> None:
    table = ages(a20=12, a21=3, a22=9, a23=26, a24=4, a25=1)
    view = AGES.from_counts(table, replace(SUPPRESSED, k=5), OF_RECORDS)
    assert view.method == "suppression"
    assert view.edges == tuple(19.5 + i for i in range(7))
    assert view.counts == view.density == (12, None, 9, 26, None, None)
    assert view.suppressed == 3
    assert (view.origin.shown, view.origin.total) == (47, 55)


def test_a_histogram_by_generalization_halves_once() -> None:
    table = ages(a20=12, a21=3, a22=9, a23=26, a24=2, a25=1)
    view = AGES.from_counts(table, replace(GENERALIZED, k=5), OF_RECORDS)
    assert view.edges == (19.5, 21.5, 23.5, 25.5)
    assert view.counts == (15, 35, None)


def test_a_person_with_several_rows_in_a_bin_counts_once_in_it() -> None:
    # 7 persons with three rows at 0.5 and one at 1.5, 50 others at 2.5
    persons = [*range(7), *range(7), *range(7), *range(7), *range(100, 150)]
    values = [0.5] * 21 + [1.5] * 7 + [2.5] * 50
    table = table_of({"x": values, "who": persons}, unit="who")
    view = HistogramPlot("x", limits={"x": (0, 3)}, bins=3).from_counts(
        table, SUPPRESSED, OF_RECORDS
    )
    assert view.edges == (0, 1, 2, 3)
    assert view.counts == (7, 7, 50)
    assert view.origin.shown == 57


# --- heat map and scatter ---------------------------------------------------------------------

CLOUD = np.random.default_rng(7).normal(size=(400, 2)) + 1e-3
CLOUD_TABLE = table_of({"x": CLOUD[:, 0], "y": CLOUD[:, 1]})


def brute_force(view: Any, values: NDArray[np.float64]) -> Counter[tuple[int, int]]:
    """Count rows in the drawn cells, one by one; end cells are open."""
    held: Counter[tuple[int, int]] = Counter()
    for x, y in values.tolist():
        i = sum(x >= edge for edge in view.x_edges[1:-1])
        j = sum(y >= edge for edge in view.y_edges[1:-1])
        held[i, j] += 1
    return held


@pytest.mark.parametrize("how", [SUPPRESSED, GENERALIZED])
def test_every_cell_that_shows_holds_what_it_says(how: How) -> None:
    view = HeatMap("x", "y").from_counts(CLOUD_TABLE, how, OF_RECORDS)
    held = brute_force(view, CLOUD)
    for i, row in enumerate(view.counts):
        for j, count in enumerate(row):
            assert count == (None if 0 < held[i, j] < 3 else held[i, j])


def test_raw_points_are_sorted() -> None:
    table = table_of({"x": [3.0, 1.0, 1.0, 2.0], "y": [1.0, 2.0, 2.0, None]})
    view = ScatterPlot("x", "y").from_counts(table, RAW, OF_RECORDS)
    assert (view.x, view.y, view.size) == ((1, 3), (2, 1), (2, 1))
    assert view.parameters == {}


# --- box --------------------------------------------------------------------------------------


def test_a_box_by_suppression_leaves_out_the_rows_of_small_cells() -> None:
    # research, 2 x 2 cells, k = 3: the row at (9, 9) is alone in its cell
    table = table_of({"x": [1.0, 2, 3, 9], "y": [1.0, 3, 2, 9]})
    view = BoxPlot(("x", "y"), grid=2).from_counts(table, SUPPRESSED, OF_RECORDS)
    assert [(b.low, b.median, b.high, b.mean) for b in view.groups] == [(1, 2, 3, 2), (1, 2, 3, 2)]
    assert view.suppressed == 1
    assert view.parameters == {"k": 3, "grid": 2}


REFUSED: dict[str, tuple[dict[str, Any], How, str]] = {
    "more than two columns": (
        {name: [1.0, 2, 3] for name in "xyz"},
        SUPPRESSED,
        "grid of one or two columns; name at most two",
    ),
    "suppressed cells alone": (
        {"x": [1.0, 5.0, 9.0]},
        SUPPRESSED,
        "every cell of the grid is suppressed",
    ),
    "a constant column": (
        {"x": np.arange(60.0), "same": [4.5] * 60},
        SUPPRESSED,
        "column 'same' is constant",
    ),
}


@pytest.mark.parametrize(("columns", "how", "message"), REFUSED.values(), ids=REFUSED)
def test_boxes_that_are_refused(columns: dict[str, Any], how: How, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        BoxPlot(tuple(columns)).from_counts(table_of(columns), how, OF_RECORDS)


# --- of levels, between declared edges, and as lines ------------------------------------------


EDGES: dict[str, tuple[How, list[float], tuple[float, ...], tuple[int | None, ...]]] = {
    # 12 of 20, 3 of 21, 9 of 22, 26 of 23, 4 of 24, 1 of 25; what is declared, edges and counts
    "as they are": (RAW, [20, 21, 22, 24, 30], (20, 21, 22, 24, 30), (12, 3, 35, 5)),
    "hidden": (SUPPRESSED, [20, 21, 22, 24, 30], (20, 21, 22, 24, 30), (12, None, 35, 5)),
    "the end bins are open": (SUPPRESSED, [22, 23, 24], (22, 23, 24), (24, 31)),
    "generalized by leaving edges out": (GENERALIZED, [20, 21, 22, 24, 30], (20, 22, 30), (15, 40)),
    "one bin": (SUPPRESSED, [0, 99], (0, 99), (55,)),
}


@pytest.mark.parametrize(("how", "edges", "drawn", "counts"), EDGES.values(), ids=EDGES)
def test_a_histogram_between_declared_edges(
    how: How, edges: list[float], drawn: tuple[float, ...], counts: tuple[int | None, ...]
) -> None:
    table = ages(a20=12, a21=3, a22=9, a23=26, a24=4, a25=1)
    plot = HistogramPlot("age", edges={"age": edges})
    view = plot.from_counts(table, replace(how, k=5), OF_RECORDS)
    assert (view.edges, view.counts) == (drawn, counts)
    assert "bins" not in view.parameters


# --- left out ---------------------------------------------------------------------------------


@pytest.mark.parametrize("plot", [HistogramPlot("x"), BoxPlot(("x", "y"))])
def test_how_many_are_shown_of_how_many_is_told(plot: Plot[Any]) -> None:
    x = np.random.default_rng(3).normal(size=100)
    x[:3] = [np.nan, np.inf, -np.inf]
    table = table_of({"x": x, "y": np.arange(100.0)})
    view = plot.from_counts(table, RAW, OF_RECORDS)
    assert view.origin == replace(OF_RECORDS, shown=97, total=100)


def test_persons_in_hidden_cells_are_not_among_the_shown() -> None:
    # 20 at one corner, 20 at the other, and 3 beside them; who has several rows counts once
    places = [(0, 0)] * 20 + [(9, 9)] * 20 + [(0, 9)] * 3
    x, y = zip(*places, strict=True)
    twice = {name: [*values, *values] for name, values in {"x": x, "y": y}.items()}
    limits = {"x": (-0.5, 9.5), "y": (-0.5, 9.5)}
    plot = HeatMap("x", "y", grid=2, limits=limits)
    for table in (
        table_of({"x": x, "y": y}),
        table_of({**twice, "who": [*range(43)] * 2}, unit="who"),
    ):
        view = plot.from_counts(table, replace(SUPPRESSED, k=4), OF_RECORDS)
        assert view.counts == ((20, None), (0, 20))
        assert (view.origin.shown, view.origin.total) == (40, 43)
