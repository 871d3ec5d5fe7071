"""The cross-table: counts of pairs of levels, and their sums."""

from types import MappingProxyType
from typing import Any

from discreet.plots import CrossTableView, Origin
from discreet.render.scene import Axis, Words


def view(**changes: Any) -> CrossTableView:
    """Make a table of two by three levels."""
    given: dict[str, Any] = {
        "row_levels": ("f", "m"),
        "column_levels": ("a", "b", "other"),
        "counts": ((1200, 20, 20), (10, 10, 0)),
        "row_totals": (1240, 20),
        "column_totals": (1210, 30, 20),
        "total": 1260,
    }
    return CrossTableView(
        columns=("sex", "ward"),
        method="none",
        parameters=MappingProxyType({}),
        suppressed=0,
        origin=Origin("standard", "guarded", False, None, None, 0, "records"),
        **given | changes,
    )


def test_the_scene_is_a_table_of_words_with_its_sums() -> None:
    (panel,) = view().scene().panels
    assert panel.marks == (
        Words(
            (
                ("1\u2009200", "20", "20", "1\u2009240"),
                ("10", "10", "0", "20"),
                ("1\u2009210", "30", "20", "1\u2009260"),
            ),
            totals=True,
        ),
    )
    assert panel.x == Axis("ward", ticks=("a", "b", "other", "total"))
    assert panel.y == Axis("sex", ticks=("f", "m", "total"))
