"""The bar chart: a bar a level, or one for each pair of levels."""

from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.plots import BarView, Origin
from discreet.plots.bars import BarChart
from discreet.render.scene import Axis, Columns


def view(**changes: Any) -> BarView:
    """Make bars of three levels."""
    given: dict[str, Any] = {"levels": ("a", "b", "other"), "counts": (20, 35, 15)}
    return BarView(
        columns=("ward",),
        method="none",
        parameters=MappingProxyType({}),
        suppressed=0,
        origin=Origin("standard", "guarded", False, None, None, 0, "persons"),
        **given | changes,
    )


DIVIDED: dict[str, Any] = {
    "by": "sex",
    "by_levels": ("f", "m"),
    "by_counts": ((10, 20, 5), (10, 15, 10)),
}


def test_the_scene_is_one_panel_of_upright_bars() -> None:
    (panel,) = view().scene().panels
    assert panel.marks == (Columns(((20, 35, 15),), ("",)),)
    assert panel.x == Axis("ward", ticks=("a", "b", "other"))
    assert panel.y == Axis("persons")


def test_divided_bars_are_a_series_for_each_level() -> None:
    (panel,) = view(**DIVIDED).scene().panels
    assert panel.marks == (Columns(((10, 20, 5), (10, 15, 10)), ("f", "m")),)


def test_percent_is_of_each_level_that_divides_and_of_all_where_none_does() -> None:
    """Of 35 women 10, 20 and 5; and there are no men."""
    whole = view(percent=True, counts=(20, 30, 0)).scene()
    divided = view(**DIVIDED | {"by_counts": ((10, 20, 5), (0, 0, 0))}, percent=True).scene()
    assert whole.panels[0].marks == (Columns(((40.0, 60.0, 0.0),), ("",)),)
    assert whole.panels[0].y == Axis("% of persons")
    women = (28.5714, 57.1429, 14.2857)
    assert divided.panels[0].marks == (Columns((women, (None,) * 3), ("f", "m")),)
    assert divided.panels[0].y == Axis("% of each level of sex")


@given(st.lists(st.integers(0, 10**6), min_size=3, max_size=3).filter(any))
def test_shares_add_up_and_are_in_the_order_of_counts(counts: list[int]) -> None:
    (shares,) = view(counts=tuple(counts), percent=True).shares
    known = [share for share in shares if share is not None]
    assert sum(known) == pytest.approx(100, abs=1e-3)
    assert sorted(zip(counts, known, strict=True)) == sorted(
        zip(sorted(counts), sorted(known), strict=True)
    )


def test_shares_of_records() -> None:
    """Of 60 women 15 are ill, and of 40 men 20."""
    levels = ["f", "f", "m", "m"], ["yes", "no", "yes", "no"]
    sex, ill = ([level for level, n in zip(of, (15, 45, 20, 20), strict=True) for _ in range(n)]
                for of in levels)  # fmt: skip
    papers = dc.research(pa.table({"sex": sex, "ill": ill})).papers
    divided, alone = (papers.draw(BarChart("ill", by=by, percent=True)) for by in ("sex", None))
    assert (divided.by_levels, divided.shares) == (("f", "m"), ((75.0, 25.0), (50.0, 50.0)))
    assert (alone.levels, alone.shares) == (("no", "yes"), ((65.0, 35.0),))
