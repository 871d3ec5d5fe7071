"""Scatter plots of many rows: cells that hold the rows, and lines that are of the rows."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.plots import PointsView, ScatterDensityView, View
from discreet.plots.scatter import ScatterPlot
from discreet.plots.scatter_density import CellsOfLevel, edges_of
from discreet.policy import Policy
from discreet.render.scene import Cells, Lines, scene_to_plain
from tests.plots.cases import OF_COPY, ROWS, rows_of


def drawn(x: Any, y: Any, levels: Any = (), *, trend: bool = False) -> ScatterDensityView:
    """Draw rows as if they were those of a copy."""
    plot = ScatterPlot("a", "b", by="sex" if len(levels) else None, show="density", trend=trend)
    view = plot.from_rows(rows_of(a=x, b=y), tuple(levels), ROWS, OF_COPY)
    assert isinstance(view, ScatterDensityView)
    return view


# --- cells ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "side", "edges"),
    [
        ([0, 1, 2, 3], 4, [-0.5, 0.5, 1.5, 2.5, 3.5]),
        ([0, 5, 10, 35], 4, [-2.5, 7.5, 17.5, 27.5, 37.5]),  # two multiples of 5 in each
        ([1.1, 1.2, 1.3], 20, [1.05, 1.15, 1.25, 1.35]),
        ([7.0, 7.0], 20, [3.5, 10.5]),
        ([0.0, 0.0], 20, [-0.5, 0.5]),
        ([0, 0.31, 1.1, 4], 2, [0, 2, 4]),
    ],
)
def test_cells_end_between_the_steps_of_the_values(
    values: list[float], side: int, edges: list[float]
) -> None:
    assert edges_of(np.array(values, dtype=float), side) == pytest.approx(edges)


@given(
    st.lists(st.integers(-3000, 3000), min_size=1, max_size=60),
    st.sampled_from([1.0, 0.1, 5.0, 0.25]),
    st.integers(2, 40),
)
def test_cells_hold_all_values_and_as_many_steps_each(
    places: list[int], step: float, side: int
) -> None:
    values = np.array(places) * step
    edges = edges_of(values, side)
    assert edges[0] <= values.min()
    assert values.max() <= edges[-1]
    assert np.diff(edges) == pytest.approx(np.full(len(edges) - 1, edges[1] - edges[0]))
    assert len(edges) - 1 <= 2 * side


@given(st.integers(0, 2**32 - 1))
def test_the_cells_of_a_level_hold_its_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = np.round(rng.normal(size=(2, 300)), 1)
    levels = rng.choice(["f", "m", "few"], 300, p=[0.6, 0.39, 0.01])
    view = drawn(x, y, levels)
    for it in view.panels:
        here = [(a, b) for a, b, level in zip(x, y, levels, strict=True) if level == it.level]
        assert it.rows == len(here) >= 10
        for i, row in enumerate(it.counts):
            for j, count in enumerate(row):
                (left, right), (foot, head) = view.x_edges[i : i + 2], view.y_edges[j : j + 2]
                assert count == sum(left <= a < right and foot <= b < head for a, b in here)
    assert View.from_json(view.to_json()) == view


# --- what is drawn --------------------------------------------------------------------------------


def test_colours_are_shares_and_mean_the_same_in_all_panels() -> None:
    # Of 40 women half are at one place, of 20 men all: the darkest colour is that of all.
    x, y = [0, 1] * 20 + [1] * 20, [0, 1] * 20 + [0] * 20
    view = drawn(x, y, ["f"] * 40 + ["m"] * 20)
    women, men = view.scene().panels

    assert (women.title, men.title) == ("sex: f", "sex: m")
    assert [mark.values for mark in (*women.marks, *men.marks) if isinstance(mark, Cells)] == [
        ((50.0, None), (None, 50.0)),
        ((None, None), (100.0, None)),
    ]
    assert {mark.span for mark in (*women.marks, *men.marks) if isinstance(mark, Cells)} == {
        (0.0, 100.0)
    }
    assert view.describe().splitlines()[-3:] == [
        "cells of 1 by 1",
        "f: 40 rows, at most 50 % of them in one cell",
        "m: 20 rows, at most 100 % of them in one cell",
    ]
    scene_to_plain(view.scene())


def test_one_full_cell_does_not_make_all_others_pale() -> None:
    x, y = (it.ravel() for it in np.meshgrid(np.arange(20), np.arange(20)))
    view = drawn([*x, *[0] * 400], [*y, *[0] * 400])
    (cells,) = view.scene().panels[0].marks
    assert isinstance(cells, Cells)
    assert cells.span == (0.0, 0.12)  # one row of 800
    assert "the darkest cells hold 0.12 % or more, at most 50.1 %" in view.scene().notes


def test_trends_are_of_the_rows() -> None:
    x = np.arange(40.0)
    view = drawn(x, 3 + 2 * x, ["f", "m"] * 20, trend=True)
    assert [(it.level, it.slope, it.intercept) for it in view.trends] == [
        ("f", 2.0, 3.0),
        ("m", 2.0, 3.0),
    ]
    (_, line) = view.scene().panels[0].marks
    assert isinstance(line, Lines)
    assert (line.look, line.label) == ("trend", "trend of all rows")
    assert line.x == ((-0.5, 39.5),)


def test_levels_of_few_rows_and_beyond_the_largest_are_named() -> None:
    levels = ["few"] * 9 + [f"level {i:02}" for i in range(13) for _ in range(20 - i // 12)]
    view = drawn(np.arange(len(levels)), np.arange(len(levels)), levels)
    assert len(view.panels) == 12
    assert (view.few, view.others) == (("few",), ("level 12",))
    assert "not drawn, with fewer than 10 rows: few" in view.scene().notes
    assert "not among the 12 largest levels, so not drawn: level 12" in view.scene().notes
    with pytest.raises(RefusedError, match=r"^no level of 'sex' has 10 rows; leave by out"):
        drawn([1, 2], [1, 2], ["f", "m"])


def test_what_is_no_view_of_a_density() -> None:
    given: dict[str, Any] = {
        "columns": ("a", "b"),
        "method": "condensation",
        "parameters": MappingProxyType({}),
        "suppressed": None,
        "origin": OF_COPY,
        "x_edges": (0.0, 1.0),
        "y_edges": (0.0, 1.0),
    }
    with pytest.raises(InputError, match="one edge more along each side"):
        ScatterDensityView(**given, panels=(CellsOfLevel("", 3, ((1, 2),)),))
    with pytest.raises(InputError, match="the cells of a level hold its rows"):
        ScatterDensityView(**given, panels=(CellsOfLevel("", 4, ((3,),)),))


# --- a study --------------------------------------------------------------------------------------


def test_many_rows_of_the_copy_are_cells_and_few_are_points() -> None:
    rng = np.random.default_rng(8)
    age = rng.integers(20, 90, 2600)
    sex = np.where(np.arange(2600) % 4, "f", "m")
    table = pa.table({"age": age, "bmi": rng.normal(20 + age / 10, 3).round(1), "sex": sex})
    study = dc.open(table, Policy.preset("standard", public=True))
    rows, _ = study.session.whole.part(["age", "bmi"], [])

    many = study.scatter("age", "bmi", trend=True)
    assert isinstance(many, ScatterDensityView)
    assert many == study.scatter("age", "bmi", trend=True, show="density")
    assert many.panels[0].rows == many.origin.shown == len(rows["age"])
    # The line is that of the points, one for each row.
    points = study.scatter("age", "bmi", trend=True, show="points")
    assert many.trends[0].slope == pytest.approx(points.trends[0].slope)
    assert np.polyfit(rows["age"], rows["bmi"], 1)[0] == pytest.approx(many.trends[0].slope)
    assert sum(points.size) == len(rows["age"])

    part = study.where("sex == 'm'")
    assert isinstance(part.scatter("age", "bmi"), PointsView)
    assert [it.level for it in study.scatter("age", "bmi", by="sex", show="density").panels] == [
        "f",
        "m",
    ]
    with pytest.raises(InputError, match=r"^show must be 'auto', 'points', 'density'"):
        study.scatter("age", "bmi", show="hexagons")
