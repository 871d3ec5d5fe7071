"""The histogram: bars where something is shown."""

from types import MappingProxyType
from typing import Any

from discreet.plots import HistogramView, Origin
from discreet.render.scene import Axis, Bars


def view(regime: str = "guarded", **changes: Any) -> HistogramView:
    """Make a histogram of three bins."""
    given: dict[str, Any] = {
        "edges": (0.0, 1.0, 3.0, 4.0),
        "counts": (5, None, 10),
        "density": (0.33, None, 0.67),
    }
    return HistogramView(
        columns=("age",),
        method="suppression",
        parameters=MappingProxyType({"k": 5}),
        suppressed=None,
        origin=Origin("standard", regime, False, None, None, 0, "records"),
        **given | changes,
    )


def test_the_scene_is_one_panel_of_bars_on_the_whole_axis() -> None:
    (panel,) = view().scene().panels
    assert panel.marks == (Bars((0.0, 1.0, 3.0, 4.0), (0.33, None, 0.67)),)
    assert panel.x == Axis("age", (0.0, 4.0))
    assert panel.y == Axis("density")


def test_research_draws_frequency_densities() -> None:
    assert view("research").scene().panels[0].y == Axis("frequency density")
