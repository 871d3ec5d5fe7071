"""The cross-table: counts of pairs of levels, their sums, and a sign where one is hidden."""

from types import MappingProxyType
from typing import Any

import pytest

from discreet.errors import InputError
from discreet.plots import CrossTableView, Origin
from discreet.render.scene import Axis, Words

SIGN = "· nobody, too few to show, or hidden so that sums do not give others back"


def view(**changes: Any) -> CrossTableView:
    """Make a table of two by three levels, two cells of which are hidden."""
    given: dict[str, Any] = {
        "row_levels": ("f", "m"),
        "column_levels": ("a", "b", "other"),
        "counts": ((1200, None, 20), (10, None, 0)),
        "row_totals": (1240, None),
        "column_totals": (1210, 30, 20),
        "total": 1234565,
    }
    return CrossTableView(
        columns=("sex", "ward"),
        method="cell-suppression",
        parameters=MappingProxyType({"k": 5}),
        suppressed=None,
        origin=Origin("standard", "guarded", False, None, None, 0, "records"),
        **given | changes,
    )


def test_the_scene_is_a_table_of_words_with_its_sums() -> None:
    (panel,) = view().scene().panels

    assert panel.marks == (
        Words(
            (
                ("1\u2009200", "·", "20", "1\u2009240"),
                ("10", "·", "0", "·"),
                ("1\u2009210", "30", "20", "1\u2009234\u2009565"),
            ),
            totals=True,
        ),
    )
    assert panel.x == Axis("ward", ticks=("a", "b", "other", "total"))
    assert panel.y == Axis("sex", ticks=("f", "m", "total"))


def test_the_notes_explain_the_sign_where_it_stands() -> None:
    shown = view(counts=((1, 2, 3), (4, 5, 6)), row_totals=(6, 15))

    assert view().scene().notes[-1] == SIGN
    assert shown.scene().notes == shown.notes()
    assert (
        view(counts=((1, 2, 3), (4, 5, 6)), row_totals=(6, 15), total=None).scene().notes[-1]
        == SIGN
    )


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a row too few": ({"counts": ((1, 2, 3),)}, "a count for each pair of levels"),
    "a cell too few": ({"counts": ((1, 2, 3), (4, 5))}, "a count for each pair of levels"),
    "a row sum too many": ({"row_totals": (1, 2, 3)}, "a sum for each level"),
    "a column sum too few": ({"column_totals": (1, 2)}, "a sum for each level"),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=WRONG)
def test_levels_counts_and_sums_belong_together(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        view(**changes)
