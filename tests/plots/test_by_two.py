"""Plots by two columns: which pairs of levels are drawn, and what their panels share."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import RefusedError
from discreet.plots import BarView, DensityView, HistogramView, PanelsView
from discreet.plots.curves import Curve
from discreet.plots.facets import FEWEST, pairs_of
from discreet.plots.view import Origin, View
from discreet.render.scene import Axis, Beneath, Columns, Grid, Lines, Panel, Scene, scene_to_plain
from discreet.render.to_matplotlib import draw

ORIGIN = Origin("standard", "guarded", False, "s", "1", None, "protected rows", ("near",), 200, 240)
SHARED: dict[str, Any] = {
    "columns": ("bmi",),
    "method": "whole",
    "parameters": MappingProxyType({"k": 5}),
    "suppressed": 0,
    "origin": ORIGIN,
}
LEVELS = st.sampled_from(["a", "b", "c"])


def panels(*views: View | None, **changes: Any) -> PanelsView:
    """Return plots by the levels of two columns."""
    given: dict[str, Any] = {"by": ("age", "sex"), "first": ("30", "40"), "second": ("f", "m")}
    given |= {"rough": 0, "drawn": 4, "each_pair": True, "views": views}
    return PanelsView(**SHARED | given | changes)


def histogram(*heights: float) -> HistogramView:
    edges = tuple(float(it) for it in range(len(heights) + 1))
    counts = tuple(int(10 * it) for it in heights)
    return HistogramView(**SHARED, edges=edges, counts=counts, density=heights)


def density(*labels: str, ends: tuple[float, float] = (0.0, 1.0)) -> DensityView:
    curves = tuple(Curve(name, ends, (1.0, 1.0)) for name in labels)
    return DensityView(**SHARED, curves=curves, bandwidths=(1.0,) * len(labels), by="age")


@given(st.lists(st.tuples(LEVELS, LEVELS, st.integers(1, 120)), min_size=1, max_size=9))
def test_pairs_of_fifty_rows_are_drawn_and_no_others(groups: list[tuple[str, str, int]]) -> None:
    sizes: Counter[tuple[str, str]] = Counter()
    for first, second, many in groups:
        sizes[first, second] += many
    rows = [pair for pair, many in sizes.items() for _ in range(many)]
    one, two = ([pair[way] for pair in rows] for way in (0, 1))
    large = {pair for pair, many in sizes.items() if many >= FEWEST}
    if not large:
        with pytest.raises(RefusedError, match="has 50 rows of the copy"):
            pairs_of(one, two, ("p", "q"), grid=True, beside=False)
        return

    found = pairs_of(one, two, ("p", "q"), grid=True, beside=False)

    assert found.sizes == {pair: many for pair, many in sizes.items() if pair in large}
    assert found.first == tuple(sorted({a for a, _ in large}))
    assert found.second == tuple(sorted({b for _, b in large}))
    assert {*found.few} | large == {*sizes}
    assert not {*found.few} & large


@pytest.mark.parametrize(
    ("rows", "columns", "how", "allowed"),
    [
        (6, 6, {"grid": True, "beside": False}, True),
        (2, 7, {"grid": True, "beside": False}, False),
        (7, 6, {"grid": False, "beside": True}, False),
        (3, 12, {"grid": False, "beside": False}, True),
        (2, 13, {"grid": False, "beside": False}, False),
    ],
)
def test_more_pairs_than_can_be_told_apart_are_refused(
    rows: int, columns: int, how: dict[str, Any], allowed: bool
) -> None:
    pairs = [(str(i), str(j)) for i in range(rows) for j in range(columns)] * FEWEST
    first, second = zip(*pairs, strict=True)
    if allowed:
        assert len(pairs_of(first, second, ("p", "q"), **how).sizes) == rows * columns
        return
    with pytest.raises(RefusedError, match=rf"{rows} by {columns} levels.*fewer levels second"):
        pairs_of(first, second, ("p", "q"), **how)


def test_each_pair_has_a_panel_in_its_row_and_column() -> None:
    view = panels(
        histogram(0.5, 0.5),
        histogram(0.25, 0.75),
        None,
        histogram(1.0, 0.0),
        few=(("40", "f"),),
        drawn=3,
        rough=1,
    )

    scene = view.scene()

    assert scene.grid == Grid(("age: 30", "age: 40"), ("sex: f", "sex: m"))
    titles = ["age: 30, sex: f", "age: 30, sex: m", "age: 40, sex: f", "age: 40, sex: m"]
    assert [panel.title for panel in scene.panels] == titles
    assert {panel.y.limits for panel in scene.panels} == {(0.0, 1.05)}
    assert {panel.x.limits for panel in scene.panels} == {(0.0, 2.0)}
    assert [panel.says for panel in scene.panels] == ["", "", "fewer than 50 rows", ""]
    assert [bool(panel.marks) for panel in scene.panels] == [True, True, False, True]
    assert scene.notes == (
        "histogram of bmi by age and sex: whole (k = 5), policy standard",
        "shown: 200 of 240 rows, from the protected copy",
        "protected rows are drawn anew; with few distinct values, some equal a record by chance",
        "near",
        "not drawn, with fewer than 50 rows: 40 with f",
        "rough, with fewer than 300 rows: 1 of 3 parts",
    )
    assert "parts drawn: 3, of 2 levels of age by 2 of sex" in view.describe()
    assert View.from_json(view.to_json()) == view
    assert scene_to_plain(scene)["grid"] == {
        "rows": ["age: 30", "age: 40"],
        "columns": ["sex: f", "sex: m"],
    }


def test_the_rows_and_columns_are_named_once_on_paper() -> None:
    figure = draw(panels(*[histogram(0.5, 0.5)] * 4).scene())
    axes = figure.axes
    assert [ax.get_title(loc="left") for ax in axes] == ["sex: f", "sex: m", "", ""]
    assert [ax.get_ylabel() for ax in axes] == ["density", "", "density", ""]
    assert [ax.get_xlabel() for ax in axes] == ["", "", "bmi", "bmi"]
    named = [[text.get_text() for text in ax.texts] for ax in axes]
    assert named == [["age: 30"], [], ["age: 40"], []]


def test_a_level_has_the_same_colour_in_each_panel_and_axes_are_shared() -> None:
    view = panels(density("30"), density("30", "40", ends=(0.5, 3.0)), each_pair=False)
    one, two = view.scene().panels
    assert [(m.label, len(m.x)) for m in one.marks if isinstance(m, Lines)] == [
        ("30", 1),
        ("40", 0),
    ]
    assert [m.label for m in two.marks if isinstance(m, Lines)] == ["30", "40"]
    assert one.x.limits == two.x.limits == pytest.approx((-0.15, 3.15))
    assert (one.title, two.title) == ("sex: f", "sex: m")
    assert view.scene().grid is None


def test_bars_stand_at_the_same_ticks_in_each_panel() -> None:
    women = BarView(
        **SHARED, levels=("no", "(missing)"), counts=(3, 4), by="age", by_levels=("40",),
        by_counts=((3, 4),),
    )  # fmt: skip
    men = BarView(
        **SHARED, levels=("no", "yes"), counts=(7, 8), by="age", by_levels=("30", "40"),
        by_counts=((1, 2), (6, 6)),
    )  # fmt: skip
    one, two = panels(women, men, each_pair=False).scene().panels
    assert one.x.ticks == two.x.ticks == ("no", "yes", "(missing)")
    assert one.marks == (Columns(((0, 0, 0), (3, 0, 4)), ("30", "40")),)
    assert two.marks == (Columns(((1, 2, 0), (6, 6, 0)), ("30", "40")),)
    assert one.y.limits == two.y.limits == pytest.approx((0.0, 1.05 * 6))


@pytest.mark.parametrize(("millimetres", "kept"), [(240, 6), (85, 2)])
def test_numbers_beneath_a_narrow_axis_do_not_touch(millimetres: int, kept: int) -> None:
    times = tuple(float(20 * it) for it in range(6))
    beneath = Beneath("60 or more", tuple((at, "1,234") for at in times))
    line = Lines((times,), (times,), "curve", "60 or more")
    panel = Panel((line,), Axis("years", (0.0, 110.0), beneath=(beneath,)), Axis("share"))
    first, second = draw(Scene((panel, panel)), across=millimetres / 25.4).axes
    for ax in (first, second):
        assert [text.get_text() for text in ax.texts].count("1,234") == kept
        assert len(ax.get_xticks()) == kept
