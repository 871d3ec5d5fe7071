"""Pictures of rows that are protected already: those of a copy, and those of one picture."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from discreet.columns import BinAxis
from discreet.plots import Origin, contour, counts, heatmap, histogram, scatter
from discreet.plots import box as box_plot
from discreet.policy import PlotRequest, Policy
from tests.cases import policy_of

ORIGIN = Origin(
    policy="standard",
    regime="guarded",
    public=False,
    study=None,
    version="0" * 16,
    left_out=5,
    counted="protected rows",
)


def asked(
    picture: str, columns: list[str], policy: str = "standard", by: str | None = None, **named: Any
) -> PlotRequest:
    """Settle a picture by the row method of `research`, or one of a copy."""
    found = policy_of(**named).settle(picture, columns, method="rows", by=by)
    if policy == "research":
        return found
    return dataclasses.replace(found, method="whole", k=5, q=None, of_copy=True)


def rows(**columns: Any) -> dict[str, Any]:
    """Make protected rows."""
    return {name: np.array(values, dtype=float) for name, values in columns.items()}


def test_points_are_different_sorted_and_sized() -> None:
    view = scatter.points_of_rows(
        rows(x=[2, 1, 2, 1, 0], y=[5, 7, 5, 6, 9]), (), asked("scatter", ["x", "y"]), ORIGIN
    )

    assert view.x == (0, 1, 1, 2)
    assert view.y == (9, 6, 7, 5)
    assert view.size == (1, 1, 1, 2)
    assert view.parameters == {"k": 5}
    assert view.suppressed == 0
    assert view.origin == ORIGIN


def test_points_follow_the_order_of_the_columns_asked_for() -> None:
    view = scatter.points_of_rows(
        rows(x=[1, 2], y=[9, 8]), (), asked("scatter", ["y", "x"]), ORIGIN
    )

    assert (view.x, view.y) == ((8, 9), (2, 1))


def test_a_histogram_of_a_copy_shows_shares_of_all_rows() -> None:
    question = asked("histogram", ["x"], bins=4, limits={"x": [0, 4]})

    view = histogram.from_rows(
        rows(x=[0.5] * 5 + [1.5] * 2 + [3.5, 4.0, 77.0]), (), question, ORIGIN
    )

    assert view.edges == (0, 1, 2, 3, 4)
    assert view.counts == (5, 2, 0, 3)
    assert view.density == (0.5, 0.2, 0, 0.3)
    assert view.suppressed == 0
    assert view.origin == dataclasses.replace(ORIGIN, shown=10)


def test_research_shows_every_bin() -> None:
    question = asked("histogram", ["x"], "research", bins=2)

    view = histogram.from_rows(rows(x=[0, 1, 1, 4]), (), question, ORIGIN)

    assert view.edges == (0, 2, 4)
    assert view.counts == (3, 1)
    assert view.density == (1.5, 0.5)
    assert view.suppressed == 0


def test_a_heat_map_counts_the_two_columns_of_a_row() -> None:
    question = asked("heatmap", ["x", "y"], grid=2, limits={"x": [0, 2], "y": [0, 2]})
    points = [(0.5, 0.5)] * 6 + [(0.5, 1.5)] * 3 + [(1.5, 1.5)] * 11

    view = heatmap.from_rows(
        rows(x=[x for x, _ in points], y=[y for _, y in points]), (), question, ORIGIN
    )

    assert view.counts == ((6, 3), (0, 11))
    assert view.suppressed == 0


def test_limits_are_of_the_protected_rows() -> None:
    values = np.linspace(10, 20, 101)

    view = histogram.from_rows(rows(x=values), (), asked("histogram", ["x"], bins=5), ORIGIN)
    raw = histogram.from_rows(
        rows(x=values), (), asked("histogram", ["x"], "research", bins=5), ORIGIN
    )

    # of tenths the bins of a copy end between two
    assert (view.edges[0], view.edges[-1]) == (9.75, 20.25)
    assert sum(count or 0 for count in view.counts) == 101
    assert (raw.edges[0], raw.edges[-1]) == (10, 20)


@pytest.mark.parametrize(("policy", "k"), [("standard", 5), ("research", 3)])
def test_a_box_draws_mean_and_outliers(policy: str, k: int) -> None:
    view = box_plot.from_rows(
        rows(x=[1, 2, 3, 4, 30], y=[1, 2, 3, 4, 5]), (), asked("box", ["x", "y"], policy), ORIGIN
    )

    assert [box.label for box in view.groups] == ["x", "y"]
    assert view.groups[0].mean == 8
    assert view.groups[0].outliers == (30,)
    assert view.parameters == {"k": k}
    assert view.suppressed == 0


def test_noise_is_told_where_there_is_some() -> None:
    question = Policy.preset("research").settle("scatter", ["x", "y"], method="probabilistic")

    view = scatter.points_of_rows(rows(x=[1], y=[2]), (), question, ORIGIN)

    assert view.parameters == {"q": 0.25}


# --- of levels, between declared edges, and as lines ------------------------------------------


def test_points_are_coloured_by_their_levels() -> None:
    view = scatter.points_of_rows(
        rows(x=[2, 1, 2, 1, 2], y=[5, 7, 5, 6, 5]),
        ("m", "f", "f", "m", "m"),
        asked("scatter", ["x", "y"], by="sex"),
        ORIGIN,
    )

    assert (view.x, view.y) == ((1, 1, 2, 2), (6, 7, 5, 5))
    assert view.level == ("m", "f", "f", "m")
    assert view.size == (1, 1, 1, 2)
    assert view.by == "sex"


def test_each_level_has_a_box_in_order_of_names() -> None:
    values = np.arange(1.0, 101.0)

    view = box_plot.from_rows(
        rows(x=np.concatenate([values, values + 100])),
        ("m",) * 100 + ("f",) * 100,
        asked("box", ["x"], by="sex"),
        ORIGIN,
    )

    assert [(box.label, box.low, box.median) for box in view.groups] == [
        ("f", 101, 150.5),
        ("m", 1, 50.5),
    ]
    assert view.by == "sex"


def test_a_research_box_of_a_level_draws_the_outliers_of_that() -> None:
    view = box_plot.from_rows(
        rows(x=[1, 2, 3, 4, 30, 30, 31, 32]),
        ("f",) * 5 + ("m",) * 3,
        asked("box", ["x"], "research", by="sex"),
        ORIGIN,
    )

    assert [(box.label, box.mean, box.outliers) for box in view.groups] == [
        ("f", 8, (30,)),
        ("m", 31, ()),
    ]


def test_declared_edges_are_those_of_the_bins() -> None:
    question = asked("histogram", ["x"], edges={"x": [0, 1, 10]})

    view = histogram.from_rows(rows(x=[0.5] * 10 + [1.0] * 5 + [77.0] * 5), (), question, ORIGIN)

    assert view.edges == (0, 1, 10)
    assert view.counts == (10, 10)
    assert view.density == (0.5, 0.0555556)
    assert "bins" not in view.parameters


def test_a_contour_is_the_grid_of_the_heat_map() -> None:
    limits = {"x": [0, 2], "y": [0, 2]}
    points = [(0.5, 0.5)] * 6 + [(0.5, 1.5)] * 3 + [(1.5, 1.5)] * 31
    given = rows(x=[x for x, _ in points], y=[y for _, y in points])

    view = contour.from_rows(given, (), asked("contour", ["x", "y"], grid=2, limits=limits), ORIGIN)

    grid = heatmap.from_rows(given, (), asked("heatmap", ["x", "y"], grid=2, limits=limits), ORIGIN)
    assert view.counts == grid.counts == ((6, 3), (0, 31))
    assert view.x_edges == view.y_edges == (0, 1, 2)


def test_rows_are_counted_in_the_cells_of_their_columns() -> None:
    axes = (BinAxis("y", 0, 2, 2), BinAxis("x", 0, 9, 3, (0, 1, 5, 9)))
    given = rows(x=[0.5, 1, 7, 99], y=[-1, 0.5, 1, 5], z=[9, 9, 9, 9])

    assert counts.cells_of(given, axes).tolist() == [[1, 1, 0], [0, 0, 2]]
