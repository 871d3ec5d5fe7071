"""Small multiples: a picture a level, on axes and colours that all of them share."""

from types import MappingProxyType
from typing import Any

import pyarrow as pa

import discreet as dc
from discreet.plots import GridView, HistogramView, MultiplesView, Origin, View
from discreet.render.scene import Axis, Bars, Cells, Lines

ORIGIN = Origin("standard", "guarded", False, None, None, 0, "records", ("a remark",))
SHARED: dict[str, Any] = {
    "method": "suppression",
    "parameters": MappingProxyType({"k": 5}),
    "suppressed": None,
    "origin": ORIGIN,
}


def histogram(*density: float | None) -> HistogramView:
    """Make a histogram of bins of width one."""
    return HistogramView(
        columns=("age",),
        edges=tuple(map(float, range(len(density) + 1))),
        counts=tuple(None if d is None else 10 for d in density),
        density=density,
        **SHARED,
    )


def grid(*counts: int | None) -> GridView:
    """Make a grid of one cell along y."""
    return GridView(
        columns=("age", "bmi"),
        x_edges=tuple(map(float, range(len(counts) + 1))),
        y_edges=(0.0, 1.0),
        counts=tuple((count,) for count in counts),
        **SHARED,
    )


def view(*views: View, **changes: Any) -> MultiplesView:
    """Put views side by side."""
    given: dict[str, Any] = {
        "columns": views[0].columns if views else ("age",),
        "by": "sex",
        "levels": ("f", "m", "other")[: len(views)],
        "views": views,
    }
    return MultiplesView(**SHARED | given | changes)


def test_panels_are_named_by_level_and_bars_share_their_height() -> None:
    panels = view(histogram(0.2, 0.4), histogram(0.8, None)).scene().panels
    assert [panel.title for panel in panels] == ["sex: f", "sex: m"]
    assert [panel.marks[0] for panel in panels] == [
        Bars((0.0, 1.0, 2.0), (0.2, 0.4)),
        Bars((0.0, 1.0, 2.0), (0.8, None)),
    ]
    assert [panel.y for panel in panels] == [Axis("density", (0.0, 1.05 * 0.8))] * 2
    assert [panel.x for panel in panels] == [Axis("age", (0.0, 2.0))] * 2


def test_cells_share_their_colours_and_keep_their_axes() -> None:
    panels = view(grid(5, None), grid(40, 10)).scene().panels
    cells = [panel.marks[0] for panel in panels]
    assert [cell.span for cell in cells if isinstance(cell, Cells)] == [(5.0, 40.0)] * 2
    assert [panel.y for panel in panels] == [Axis("bmi", (0.0, 1.0))] * 2


# --- on one pair of axes --------------------------------------------------------------------------


def test_overlaid_histograms_are_outlines_of_an_area_of_one() -> None:
    """Heights of 1 and 3 are shares of a quarter and three; a hidden bar leaves a gap."""
    whole = histogram(1.0, 3.0, 0.0)
    gap = histogram(2.0, None, 2.0)
    drawn = view(whole, gap, overlaid=True, others=("older",))
    scene = drawn.scene()

    (panel,) = scene.panels
    up_and_down = (0.0, 0.25, 0.25, 0.75, 0.75, 0.0, 0.0, 0.0)
    assert panel.marks == (
        Lines(((0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0),), (up_and_down,), "curve", "f"),
        Lines(((0.0, 0.0, 1.0), (2.0, 3.0, 3.0)), ((0.0, 0.5, 0.5), (0.5, 0.5, 0.0)), "curve", "m"),
    )
    assert (panel.title, panel.y) == ("", Axis("density", (0.0, 1.05 * 0.75)))
    assert scene.notes[-2:] == (
        "not among the 6 largest levels: older",
        "gaps in an outline: none, or fewer than k",
    )
    assert View.from_json(drawn.to_json()) == drawn


def test_of_many_levels_the_six_largest_are_overlaid() -> None:
    """Levels a to h have 20, 30, ... rows; the two smallest are named."""
    sizes = {name: 20 + 10 * i for i, name in enumerate("abcdefgh")}
    word = [name for name, size in sizes.items() for _ in range(size)]
    table = pa.table({"ward": word, "x": [float(i % 17) for i in range(len(word))]})
    found = dc.research(table).histogram("x", by="ward", overlay=True, method="none")
    assert (found.levels, found.others) == (tuple("cdefgh"), ("a", "b"))
    assert found.origin.shown is None
    assert len(found.scene().panels) == 1
