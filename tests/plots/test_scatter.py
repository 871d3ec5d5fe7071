"""The scatter plot: different points in order, and how many records each stands for."""

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import RefusedError
from discreet.plots import Origin, PointsView
from discreet.plots.scatter import ScatterPlot, with_raw_trend
from discreet.plots.trends import DRAWN, RAW, Trend
from discreet.render.scene import Axis, Dots, Lines
from tests.plots.cases import OF_ROWS, ROWS, rows_of


def view(method: str = "condensation", **changes: Any) -> PointsView:
    """Make three points."""
    given: dict[str, Any] = {"x": (1.0, 1.0, 2.0), "y": (3.0, 4.0, 0.0), "size": (1, 2, 1)}
    return PointsView(
        columns=("age", "bmi"),
        method=method,
        parameters=MappingProxyType({"k": 5}),
        suppressed=None,
        origin=Origin("standard", "guarded", False, None, "0" * 16, 0, "protected rows"),
        **given | changes,
    )


def test_the_scene_is_one_panel_of_dots_without_limits_of_its_own() -> None:
    (panel,) = view().scene().panels
    assert panel.marks == (
        Dots((1.0, 1.0, 2.0), (3.0, 4.0, 0.0), (1, 2, 1), False, "protected rows"),
    )
    assert (panel.x, panel.y) == (Axis("age"), Axis("bmi"))


@pytest.mark.parametrize(
    ("method", "by_size"),
    [("suppression", True), ("generalization", True), ("none", False), ("deterministic", False)],
)
def test_points_of_cells_are_sized_by_their_count(method: str, by_size: bool) -> None:
    (dots,) = view(method).scene().panels[0].marks
    assert isinstance(dots, Dots)
    assert dots.by_size == by_size


# --- levels and trends ------------------------------------------------------------------------

COLOURED: dict[str, Any] = {"by": "sex", "level": ("m", "f", "m")}


def test_points_of_a_level_are_a_series_in_order_of_its_name() -> None:
    coloured = view(**COLOURED)
    assert coloured.scene().panels[0].marks == (
        Dots((1.0,), (4.0,), (2,), False, "protected rows", "f"),
        Dots((1.0, 2.0), (3.0, 0.0), (1, 1), False, "protected rows", "m"),
    )
    assert coloured.scene().notes[-1] == "dark: more than one protected row at the same place"


def test_a_trend_runs_over_the_points_it_is_of() -> None:
    trends = (Trend(DRAWN, "f", 2.0, 1.0), Trend(DRAWN, "m", -1.0, 0.0), Trend(RAW, "", 0.5, 10.0))
    lines = view(**COLOURED, trends=trends).scene().panels[0].marks[2:]
    assert lines == (
        Lines(((1.0, 1.0),), ((3.0, 3.0),), "trend", "trend of what is drawn (f)", group="f"),
        Lines(((1.0, 2.0),), ((-1.0, -2.0),), "trend", "trend of what is drawn (m)", group="m"),
        Lines(((1.0, 2.0),), ((10.5, 11.0),), "raw", "trend of raw records"),
    )


# --- trends --------------------------------------------------------------------------------------

Points = list[tuple[float, float, int]]


def trends_of(points: Points, levels: list[str] | None = None, raw: Any = None) -> Any:
    """Draw rows at points (x, y, how many), and trends of them, and of `raw` records."""
    sizes = [size for *_, size in points]
    rows = rows_of(
        x=np.repeat([x for x, *_ in points], sizes), y=np.repeat([y for _, y, _ in points], sizes)
    )
    of = np.repeat(levels or [""] * len(points), sizes).tolist()
    plot = ScatterPlot("x", "y", by=None if levels is None else "sex", trend=True)
    view: Any = plot.from_rows(rows, of, ROWS, OF_ROWS)
    return view.trends if raw is None else with_raw_trend(view, *raw).trends


def floats(*values: float) -> NDArray[np.float64]:
    """Make an array."""
    return np.array(values, dtype=float)


LINES: dict[str, tuple[Points, float, float]] = {
    # points (x, y, size); slope, intercept
    "two points": ([(0, 1, 1), (2, 5, 1)], 2, 1),
    # four records around (3/4, 5/4): 9 - 4 * 15/16 of x and y, 5 - 4 * 9/16 of x
    "a point that counts twice": ([(0, 0, 2), (1, 1, 1), (2, 4, 1)], 21 / 11, -2 / 11),
    "of numbers far from nought": ([(1e8, 5, 1), (1e8 + 1, 6, 1), (1e8 + 2, 7, 1)], 1, 5 - 1e8),
}


@pytest.mark.parametrize(("points", "slope", "intercept"), LINES.values(), ids=LINES)
def test_a_line_by_hand(points: Points, slope: float, intercept: float) -> None:
    (trend,) = trends_of(points)
    assert (trend.of, trend.level) == (DRAWN, "")
    assert trend.slope == pytest.approx(slope, abs=1e-11)
    assert trend.intercept == pytest.approx(intercept, rel=1e-11, abs=1e-11)


def test_each_level_has_a_line_in_order_of_names() -> None:
    points: Points = [(0, 0, 1), (1, 1, 1), (0, 5, 1), (1, 3, 1), (0, 1, 4), (2, 2, 1)]
    assert trends_of(points, ["m", "m", "f", "f", "x", "x"]) == (
        Trend(DRAWN, "f", -2.0, 5.0),
        Trend(DRAWN, "m", 1.0, 0.0),
        Trend(DRAWN, "x", 0.5, 1.0),
    )


def test_the_raw_records_have_a_line_of_their_own() -> None:
    found = trends_of([(0, 1, 1), (2, 5, 1)], raw=(floats(0, 1, 2), floats(3, 2, 1)))
    assert found == (Trend(DRAWN, "", 2.0, 1.0), Trend(RAW, "", -1.0, 3.0))


UPRIGHT: dict[str, tuple[Points, list[str] | None, Any]] = {
    "one point": ([(1, 2, 9)], None, None),
    "points above one another": ([(1, 2, 1), (1, 3, 1)], None, None),
    "a level of one point": ([(0, 1, 1), (1, 1, 1), (2, 3, 7)], ["f", "f", "m"], None),
    "raw records above one another": ([(0, 1, 1), (1, 1, 1)], None, (floats(2, 2), floats(0, 1))),
}


@pytest.mark.parametrize(("points", "levels", "raw"), UPRIGHT.values(), ids=UPRIGHT)
def test_no_line_goes_through_points_above_one_another(
    points: Points, levels: list[str] | None, raw: Any
) -> None:
    with pytest.raises(RefusedError, match="all points have the same x, so there is no tr"):
        trends_of(points, levels, raw)


@pytest.mark.parametrize("scale", [1e-320, 1e200])
def test_no_line_goes_through_points_whose_squares_are_no_numbers(scale: float) -> None:
    points = [(i * scale, float(i % 3), 1) for i in range(5)]
    with pytest.raises(RefusedError, match="too close together or too far apart for a trend"):
        trends_of(points)


def test_no_points_have_no_line() -> None:
    with pytest.raises(RefusedError, match="no point is shown, so there is no trend to draw"):
        trends_of([])


places = st.integers(-40, 40)


@given(
    st.lists(st.tuples(places, places, st.integers(1, 9)), min_size=2, max_size=30),
    st.sampled_from([0.0, 1e3, -1e8]),
)
def test_lines_are_those_of_numpy(found: list[tuple[int, int, int]], offset: float) -> None:
    sizes = {(x / 8 + offset, y / 8 - offset): n for x, y, n in found}
    points: Points = [(x, y, n) for (x, y), n in sizes.items()]
    x, y, n = np.array(points).T
    if np.ptp(x) == 0:
        return
    (trend,) = trends_of(points)
    # numpy weighs residuals, not their squares
    slope, height = np.polyfit(x - offset, y + offset, 1, w=np.sqrt(n))
    assert trend.slope == pytest.approx(slope, rel=1e-9, abs=1e-9)
    # the last digits of numbers as large as these, and no more, where 1e8 is added to them
    at = trend.intercept + trend.slope * x
    digits = 1e-9 + 2e-14 * abs(offset) * (1 + abs(slope))
    assert np.abs(at - (slope * (x - offset) + height - offset)).max() <= digits
