"""The heat map: cells where something is shown."""

from types import MappingProxyType
from typing import Any

from discreet.plots import GridView, Origin
from discreet.render.scene import Axis, Cells


def view(**changes: Any) -> GridView:
    """Make a grid of two by three cells."""
    given: dict[str, Any] = {
        "x_edges": (0.0, 1.0, 2.0),
        "y_edges": (10.0, 20.0, 30.0, 40.0),
        "counts": ((5, None, 0), (10, 15, None)),
    }
    return GridView(
        columns=("age", "bmi"),
        method="suppression",
        parameters=MappingProxyType({"k": 5}),
        suppressed=None,
        origin=Origin("standard", "guarded", False, None, None, 0, "persons"),
        **given | changes,
    )


def test_the_scene_is_one_panel_of_cells() -> None:
    (panel,) = view().scene().panels
    (cells,) = panel.marks
    assert isinstance(cells, Cells)
    assert (cells.x_edges, cells.y_edges) == ((0.0, 1.0, 2.0), (10.0, 20.0, 30.0, 40.0))
    assert cells.label == "persons"
    assert panel.x == Axis("age", (0.0, 2.0))
    assert panel.y == Axis("bmi", (10.0, 40.0))


def test_an_empty_cell_is_drawn_as_a_hidden_one() -> None:
    (cells,) = view().scene().panels[0].marks
    assert isinstance(cells, Cells)
    assert cells.values == ((5, None, None), (10, 15, None))
