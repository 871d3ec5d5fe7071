"""Pictures from counts of the raw data: by hand, by brute force, and as the paper prints them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from discreet import datasets
from discreet.errors import BrokenPromiseError, RefusedError
from discreet.plots import Origin, contour, counts, heatmap, histogram, scatter
from discreet.plots import box as box_plot
from discreet.policy import PlotRequest, Policy
from discreet.protect import Merge, Merged
from discreet.table import Table, open_table
from tests.cases import of_groups

ORIGIN = Origin(
    policy="standard",
    regime="guarded",
    public=False,
    study=None,
    version=None,
    left_out=0,
    counted="records",
)
# The grid of Fig. 3A of the 2021 paper.
LIMITS = {
    "X": (7.9342065267480235, 11.709411658395911),
    "Y": (6.1694616886565594, 13.084176611450284),
}


DRAWN = {
    "box": box_plot.from_counts,
    "contour": contour.from_counts,
    "heatmap": heatmap.from_counts,
    "histogram": histogram.from_counts,
    "scatter": scatter.from_counts,
}


def table_of(columns: Mapping[str, Any], unit: str | None = None) -> Table:
    """Put columns behind a table."""
    return open_table(pa.table(dict(columns)), kinds={}, roles={}, unit=unit, key=None)


def asked(
    picture: str, columns: list[str], policy: Policy | str = "standard", **named: Any
) -> PlotRequest:
    """Settle a picture under a preset or a policy."""
    if isinstance(policy, str):
        policy = Policy.preset(policy, **of_groups({}, policy))
    return policy.settle(picture, columns, **named)


# --- the paper's numbers ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "grid", "limits", "cells", "suppressed"),
    [
        ("suppression", 30, LIMITS, 900, 164),
        ("suppression", 15, LIMITS, 225, 42),
        ("generalization", 30, LIMITS, 225, 42),
        ("suppression", 30, None, 900, 187),
        ("suppression", 15, None, 225, 53),
        ("generalization", 30, None, 225, 53),
    ],
)
def test_the_cells_that_fig_3a_suppresses(
    method: str, grid: int, limits: Any, cells: int, suppressed: int
) -> None:
    table = table_of({name: datasets.d1()[name] for name in "XY"})
    question = asked("heatmap", ["X", "Y"], "research", method=method, grid=grid, limits=limits)

    view = heatmap.from_counts(table, question, ORIGIN)

    flat = [count for row in view.counts for count in row]
    assert len(flat) == cells
    assert view.suppressed == flat.count(None) == suppressed
    assert all(count == 0 or count >= 3 for count in flat if count is not None)


# --- histogram --------------------------------------------------------------------------------


def ages(**held: int) -> Table:
    """Make a table of so many persons of each age: ages(a20=7) are seven of 20."""
    return table_of({"age": [int(age[1:]) for age, n in held.items() for _ in range(n)]})


def test_a_histogram_merges_neighbours_until_each_holds_k() -> None:
    # one bin an age from 20 to 25; 24 and 25 together make the five
    table = ages(a20=12, a21=3, a22=9, a23=26, a24=4, a25=1)
    policy = Policy.preset("standard", rows="condensation", limits={"age": [19.5, 25.5]}, bins=6)

    view = histogram.from_counts(table, asked("histogram", ["age"], policy), ORIGIN)

    # 12 | 3 + 9 | 26 + 4 + 1: what is left over at the end joins the last
    assert view.edges == (19.5, 20.5, 22.5, 23.5, 25.5)
    assert view.counts == (10, 10, 25, 5)
    assert view.suppressed is None


def test_a_histogram_by_suppression_hides_what_holds_fewer_than_k() -> None:
    table = ages(a20=12, a21=3, a22=9, a23=26, a24=4, a25=1)
    policy = Policy.preset("standard", rows="condensation", limits={"age": [19.5, 25.5]}, bins=6)

    view = histogram.from_counts(
        table, asked("histogram", ["age"], policy, method="suppression"), ORIGIN
    )

    assert view.edges == tuple(19.5 + i for i in range(7))
    assert view.counts == (10, None, 10, 25, None, None)


def test_a_histogram_by_generalization_halves_until_enough_shows() -> None:
    # six bins would show 47 of 55; three show 15 + 35 + 5 of 55
    table = ages(a20=12, a21=3, a22=9, a23=26, a24=4, a25=1)
    policy = Policy.preset("standard", rows="condensation", limits={"age": [19.5, 25.5]}, bins=6)

    view = histogram.from_counts(
        table, asked("histogram", ["age"], policy, method="generalization"), ORIGIN
    )

    assert view.edges == (19.5, 21.5, 23.5, 25.5)
    assert view.counts == (15, 35, 5)


def test_end_bins_are_open() -> None:
    policy = Policy.preset("standard", rows="condensation", limits={"x": [0, 2]}, bins=2)
    table = table_of({"x": [-100.5] * 20 + [0.5] * 5 + [1.5] * 5 + [2.0, 99.0] * 10})

    view = histogram.from_counts(
        table, asked("histogram", ["x"], policy, method="suppression"), ORIGIN
    )

    assert view.counts == (25, 25)


def test_a_person_with_several_rows_in_a_bin_counts_once_in_it() -> None:
    # 7 persons with three rows at 0.5 and one at 1.5, 50 others at 2.5
    persons = [*range(7), *range(7), *range(7), *range(7), *range(100, 150)]
    values = [0.5] * 21 + [1.5] * 7 + [2.5] * 50
    policy = Policy.preset(
        "standard", rows="condensation", round_to=1, limits={"x": [0, 3]}, bins=3
    )

    view = histogram.from_counts(
        table_of({"x": values, "who": persons}, unit="who"),
        asked("histogram", ["x"], policy),
        ORIGIN,
    )

    assert view.edges == (0, 1, 2, 3)
    assert view.counts == (7, 7, 50)


def test_joined_bins_count_a_person_in_both_once() -> None:
    # 4 persons at 0.5, the same 4 and 2 more at 1.5: joined they are 6, not 10
    persons = [*range(4), *range(4), 4, 5, *range(100, 150)]
    values = [0.5] * 4 + [1.5] * 6 + [2.5] * 50
    policy = Policy.preset(
        "standard", rows="condensation", round_to=1, limits={"x": [0, 3]}, bins=3
    )

    view = histogram.from_counts(
        table_of({"x": values, "who": persons}, unit="who"),
        asked("histogram", ["x"], policy),
        ORIGIN,
    )

    assert view.edges == (0, 2, 3)
    assert view.counts == (6, 50)


def test_what_was_merged_is_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    table = ages(a20=12, a21=3, a22=40)
    policy = Policy.preset("standard", rows="condensation", limits={"age": [19.5, 22.5]}, bins=3)
    apart = Merged(np.arange(3), np.array([12, 12, 40]), np.zeros(3, dtype=np.bool_))
    monkeypatch.setattr(Merge, "__call__", lambda *_: apart)

    with pytest.raises(BrokenPromiseError, match="fewer than k persons is about to be shown"):
        histogram.from_counts(table, asked("histogram", ["age"], policy), ORIGIN)


# --- heat map and scatter ---------------------------------------------------------------------

CLOUD = np.random.default_rng(7).normal(size=(400, 2)) + 1e-3


def brute_force(view: Any, values: NDArray[np.float64]) -> Counter[tuple[int, int]]:
    """Count rows in the drawn cells, one by one; end cells are open."""
    held: Counter[tuple[int, int]] = Counter()
    for x, y in values.tolist():
        i = sum(x >= edge for edge in view.x_edges[1:-1])
        j = sum(y >= edge for edge in view.y_edges[1:-1])
        held[i, j] += 1
    return held


@pytest.mark.parametrize("method", ["suppression", "generalization"])
def test_every_cell_that_shows_holds_what_it_says(method: str) -> None:
    table = table_of({"x": CLOUD[:, 0], "y": CLOUD[:, 1]})

    view = heatmap.from_counts(table, asked("heatmap", ["x", "y"], method=method), ORIGIN)

    held = brute_force(view, CLOUD)
    for i, row in enumerate(view.counts):
        for j, count in enumerate(row):
            assert count == (None if held[i, j] < 5 else 5 * ((held[i, j] + 2) // 5))


def test_generalization_says_how_many_cells_it_drew() -> None:
    table = table_of({"x": CLOUD[:, 0], "y": CLOUD[:, 1]})

    view = heatmap.from_counts(table, asked("heatmap", ["x", "y"]), ORIGIN)

    assert view.parameters["grid"] == 30
    assert view.parameters["drawn"] == "7 x 7"
    assert len(view.x_edges) == len(view.y_edges) == 8
    # at 15 x 15 fewer than 85 % of the records would show
    finer = heatmap.from_counts(
        table,
        asked(
            "heatmap",
            ["x", "y"],
            Policy.preset("standard", rows="condensation", grid=15),
            method="suppression",
        ),
        ORIGIN,
    )
    held = brute_force(finer, CLOUD)
    assert sum(n for n in held.values() if n >= 5) < 0.85 * 400


def test_a_column_of_few_whole_numbers_makes_fewer_cells() -> None:
    table = table_of({"x": CLOUD[:, 0], "n": [0, 1, 2, 3] * 100})

    view = heatmap.from_counts(table, asked("heatmap", ["x", "n"], method="suppression"), ORIGIN)

    assert view.y_edges == (-0.5, 0.5, 1.5, 2.5, 3.5)
    assert len(view.x_edges) == 31
    assert {len(row) for row in view.counts} == {4}


def test_scatter_by_cells_draws_their_middles_sized_by_their_counts() -> None:
    table = table_of({"x": CLOUD[:, 0], "y": CLOUD[:, 1]})
    grid = heatmap.from_counts(table, asked("heatmap", ["x", "y"]), ORIGIN)

    points = scatter.from_counts(
        table, asked("scatter", ["x", "y"], method="generalization"), ORIGIN
    )

    shown = [count for row in grid.counts for count in row if count is not None]
    assert list(points.size) == shown
    assert points.parameters == grid.parameters
    middles = {(a + b) / 2 for a, b in zip(grid.x_edges, grid.x_edges[1:], strict=False)}
    assert all(min(abs(x - middle) for middle in middles) < 1e-9 for x in points.x)


def test_raw_points_exist_under_research_and_are_sorted() -> None:
    table = table_of({"x": [3.0, 1.0, 1.0, 2.0], "y": [1.0, 2.0, 2.0, None]})

    view = scatter.from_counts(
        table, asked("scatter", ["x", "y"], "research", method="none"), ORIGIN
    )

    assert (view.x, view.y, view.size) == ((1, 3), (2, 1), (2, 1))
    assert view.parameters == {}


# --- box --------------------------------------------------------------------------------------


def test_a_box_is_made_of_means_of_k_values_rounded_to_a_nice_step() -> None:
    values = np.arange(1.0, 101.0)  # winsorised to 3 and 98 the sd is 28.7: a step of 0.5
    table = table_of({"x": values, "y": values * 1000})

    view = box_plot.from_counts(table, asked("box", ["x", "y"]), ORIGIN)

    x, y = view.groups
    # places 24.75, 49.5 and 74.25 of 0 to 99
    assert (x.low, x.q1, x.median, x.q3, x.high) == (3, 26, 51, 75, 98)
    assert (y.low, y.q1, y.median, y.q3, y.high) == (3000, 26000, 51000, 75000, 98000)
    assert (x.mean, x.outliers) == (None, ())
    assert view.parameters == {"k": 5}
    assert view.suppressed is None


def test_a_box_by_suppression_leaves_out_the_rows_of_small_cells() -> None:
    # research, 2 x 2 cells, k = 3: the row at (9, 9) is alone in its cell
    table = table_of({"x": [1.0, 2, 3, 9], "y": [1.0, 3, 2, 9]})
    question = asked("box", ["x", "y"], "research", method="suppression", grid=2)

    view = box_plot.from_counts(table, question, ORIGIN)

    assert [(b.low, b.median, b.high, b.mean) for b in view.groups] == [(1, 2, 3, 2), (1, 2, 3, 2)]
    assert view.suppressed == 1
    assert view.parameters == {"k": 3, "grid": 2}


def test_a_box_without_protection_draws_outliers() -> None:
    table = table_of({"x": [1.0, 2, 3, 4, 30]})

    view = box_plot.from_counts(table, asked("box", ["x"], "research", method="none"), ORIGIN)

    assert view.groups[0].outliers == (30,)
    assert view.parameters == {}


def test_a_box_by_cells_is_of_one_or_two_columns() -> None:
    table = table_of({name: [1.0, 2, 3] for name in "xyz"})
    question = asked("box", ["x", "y", "z"], "research", method="suppression")

    with pytest.raises(RefusedError, match="grid of one or two columns; name at most two"):
        box_plot.from_counts(table, question, ORIGIN)


def test_a_box_of_suppressed_cells_alone_is_refused() -> None:
    table = table_of({"x": [1.0, 5.0, 9.0]})
    question = asked("box", ["x"], "research", method="suppression")

    with pytest.raises(RefusedError, match="every cell of the grid is suppressed"):
        box_plot.from_counts(table, question, ORIGIN)


@pytest.mark.parametrize("policy", ["standard", "research"])
def test_a_box_counts_persons_and_not_their_rows(policy: str) -> None:
    # Of fifty persons, each with two values 50 apart, the lowest five have 0 to 4.
    table = table_of({"x": np.arange(100.0), "who": [*range(50), *range(50)]}, unit="who")
    question = asked("box", ["x"], policy, method="order-means")

    box = box_plot.from_counts(table, question, ORIGIN).groups[0]
    k = question.k
    assert (box.low, box.high) == ((2, 97) if k == 5 else (1, 98))
    few = table_of({"x": np.arange(100.0), "who": [i % 49 for i in range(100)]}, unit="who")
    if policy == "standard":
        with pytest.raises(RefusedError, match="too few complete rows"):
            box_plot.from_counts(few, question, ORIGIN)


def test_a_box_of_persons_with_one_row_each_is_drawn() -> None:
    table = table_of({"x": np.arange(100.0), "who": range(100)}, unit="who")

    assert box_plot.from_counts(table, asked("box", ["x"]), ORIGIN).groups[0].low == 2


@pytest.mark.parametrize("policy", ["standard", "research"])
def test_a_constant_column_is_refused_by_name(policy: str) -> None:
    table = table_of({"x": np.arange(60.0), "same": [4.5] * 60})

    with pytest.raises(RefusedError, match="column 'same' is constant"):
        box_plot.from_counts(table, asked("box", ["x", "same"], policy), ORIGIN)


# --- of levels, between declared edges, and as lines ------------------------------------------


def in_wards(**held: int) -> dict[str, Any]:
    """Make columns of persons with wards, x from 1 to their number in each."""
    ward = [None if name == "none" else name for name, n in held.items() for _ in range(n)]
    return {"x": [float(i + 1) for n in held.values() for i in range(n)], "ward": ward}


def test_a_box_of_each_level_is_made_of_its_values_alone() -> None:
    view = box_plot.from_counts(
        table_of(in_wards(s=100, n=200)), asked("box", ["x"], by="ward"), ORIGIN
    )

    assert [box.label for box in view.groups] == ["n", "s"]
    n, s = view.groups
    # without whiskers: those of several levels, solved together, reveal outliers
    assert (s.low, s.q1, s.median, s.q3, s.high) == (26, 26, 51, 75, 75)
    assert (n.low, n.median, n.high) == (n.q1, 101, n.q3)
    assert view.by == "ward"
    assert view.columns == ("x",)


def test_small_levels_share_a_box() -> None:
    columns = in_wards(n=100, s=49, w=3, none=8)

    view = box_plot.from_counts(table_of(columns), asked("box", ["x"], by="ward"), ORIGIN)

    assert [box.label for box in view.groups] == ["n", "other"]


def test_a_level_of_too_few_values_is_joined_for_a_box() -> None:
    """A level with 72 rows that lack the value was refused, though smaller ones were joined."""
    columns = in_wards(n=100, s=100, w=75)
    columns["x"][-72:] = [None] * 72

    view = box_plot.from_counts(table_of(columns), asked("box", ["x"], by="ward"), ORIGIN)

    assert [box.label for box in view.groups] == ["s", "n + other"]
    columns["x"][49:] = [None] * len(columns["x"][49:])
    match = r"too few complete rows for each level of 'ward', or hardly vary .* at least 10 k"
    with pytest.raises(RefusedError, match=match):
        box_plot.from_counts(table_of(columns), asked("box", ["x"], by="ward"), ORIGIN)


@pytest.mark.parametrize("value", [0.0, 0.1, 3.3, -7.7, 1e16])
@pytest.mark.parametrize("by", [None, "ward"])
def test_a_constant_column_is_called_constant_and_not_too_small(
    value: float, by: str | None
) -> None:
    columns = in_wards(n=501, s=502)
    table = table_of(columns | {"x": [value] * 1003})

    with pytest.raises(RefusedError, match="column 'x' is constant") as refused:
        box_plot.from_counts(table, asked("box", ["x"], by=by), ORIGIN)
    assert str(value) not in str(refused.value)


def test_a_research_box_of_each_level() -> None:
    columns = in_wards(s=4, n=3) | {"x": [1.0, 2, 3, 90, 2, 3, 4]}
    table = table_of(columns)

    raw = box_plot.from_counts(
        table, asked("box", ["x"], "research", method="none", by="ward"), ORIGIN
    )
    cells = box_plot.from_counts(
        table, asked("box", ["x"], "research", method="suppression", grid=2, by="ward"), ORIGIN
    )

    assert [(box.label, box.mean) for box in raw.groups] == [("n", 3), ("s", 24)]
    # 90 is alone in its half of the axis
    assert [(box.label, box.mean) for box in cells.groups] == [("n", 3), ("s", 2)]
    assert cells.suppressed == 1


EDGES: dict[str, tuple[str, list[float], tuple[float, ...], tuple[int | None, ...]]] = {
    # 12 of 20, 3 of 21, 9 of 22, 26 of 23, 4 of 24, 1 of 25; what is declared, edges and counts
    "joined": ("merge", [20, 21, 22, 24, 30], (20, 21, 24, 30), (12, 38, 5)),
    "hidden": ("suppression", [20, 21, 22, 24, 30], (20, 21, 22, 24, 30), (12, None, 35, 5)),
    "the end bins are open": ("suppression", [22, 23, 24], (22, 23, 24), (24, 31)),
    "generalized by leaving edges out": (
        "generalization",
        [20, 21, 22, 24, 30],
        (20, 22, 30),
        (15, 40),
    ),
    "one bin": ("suppression", [0, 99], (0, 99), (55,)),
}


@pytest.mark.parametrize(("method", "edges", "drawn", "counts"), EDGES.values(), ids=EDGES)
def test_a_histogram_between_declared_edges(
    method: str,
    edges: list[float],
    drawn: tuple[float, ...],
    counts: tuple[int | None, ...],
) -> None:
    table = ages(a20=12, a21=3, a22=9, a23=26, a24=4, a25=1)
    policy = Policy.preset("standard", rows="condensation", edges={"age": edges}, round_to=1)

    view = histogram.from_counts(table, asked("histogram", ["age"], policy, method=method), ORIGIN)

    assert (view.edges, view.counts) == (drawn, counts)
    assert "bins" not in view.parameters


def test_a_contour_is_drawn_from_the_grid_of_the_heat_map() -> None:
    table = table_of({"x": CLOUD[:, 0], "y": CLOUD[:, 1]})

    lines = contour.from_counts(table, asked("contour", ["x", "y"]), ORIGIN)
    grid = heatmap.from_counts(table, asked("heatmap", ["x", "y"]), ORIGIN)

    assert (lines.counts, lines.x_edges, lines.y_edges) == (grid.counts, grid.x_edges, grid.y_edges)
    assert lines.parameters == grid.parameters
    assert 0 < min(lines.levels) < max(lines.levels) < max(c or 0 for r in grid.counts for c in r)


@pytest.mark.parametrize("method", ["merge", "suppression"])
def test_a_policy_may_ask_for_so_many_persons_a_bin(method: str) -> None:
    table = ages(a20=12, a21=3, a22=9, a23=26, a24=4, a25=1)  # 55 persons
    limits = {"age": [19.5, 25.5]}
    enough = Policy.preset("standard", rows="condensation", bins=18, bins_share=0.33, limits=limits)

    assert histogram.from_counts(table, asked("histogram", ["age"], enough, method=method), ORIGIN)
    with pytest.raises(RefusedError, match=r"for bins that are at most 0\.33 of them along an axi"):
        histogram.from_counts(
            table, asked("histogram", ["age"], enough.changed(bins=19), method=method), ORIGIN
        )


@pytest.mark.parametrize("policy", ["standard", "research"])
def test_without_a_share_there_may_be_more_bins_than_persons(policy: str) -> None:
    table = ages(a20=12, a21=3, a22=9, a23=26, a24=4, a25=1)
    many = Policy.preset(
        policy, **of_groups({"bins": 200, "limits": {"age": [19.5, 25.5]}}, policy)
    )

    assert histogram.from_counts(table, asked("histogram", ["age"], many), ORIGIN)


# --- too few, and left out --------------------------------------------------------------------

FEW: dict[str, tuple[str, list[str], dict[str, str]]] = {
    "histogram": ("histogram", ["x"], {}),
    "histogram by suppression": ("histogram", ["x"], {"method": "suppression"}),
    "heat map": ("heatmap", ["x", "y"], {}),
    "scatter by cells": ("scatter", ["x", "y"], {"method": "suppression"}),
    "box": ("box", ["x"], {}),
}


@pytest.mark.parametrize(("picture", "columns", "named"), FEW.values(), ids=FEW)
def test_fewer_than_ten_k_complete_rows_are_refused_without_a_number(
    picture: str, columns: list[str], named: dict[str, str]
) -> None:
    def draw(n: int) -> Any:
        rng = np.random.default_rng(1)
        x, y = rng.normal(size=(2, n + 40))
        x[n:] = np.nan
        table = table_of({"x": x, "y": y})
        return DRAWN[picture](table, asked(picture, columns, **named), ORIGIN)

    with pytest.raises(RefusedError, match=r"too few complete rows: .* at least 10 k") as refused:
        draw(49)
    assert "49" not in str(refused.value)
    assert draw(50).kind == picture


def test_persons_are_what_the_ten_k_are_of() -> None:
    values = np.random.default_rng(2).normal(size=100)
    few = table_of({"x": values, "who": [i % 49 for i in range(100)]}, unit="who")
    enough = table_of({"x": values, "who": [i % 50 for i in range(100)]}, unit="who")

    with pytest.raises(RefusedError, match="too few complete rows"):
        histogram.from_counts(few, asked("histogram", ["x"]), ORIGIN)
    assert histogram.from_counts(enough, asked("histogram", ["x"]), ORIGIN)


@pytest.mark.parametrize(("missing", "shown"), [(0, 100), (2, 100), (3, 95), (7, 95), (8, 90)])
@pytest.mark.parametrize("picture", ["histogram", "heatmap", "box"])
def test_how_many_are_shown_of_how_many_is_told_to_the_nearest_five(
    picture: str, missing: int, shown: int
) -> None:
    x = np.random.default_rng(3).normal(size=100)
    x[:missing] = [np.nan, np.inf, -np.inf, np.nan, np.nan, np.inf, np.nan, np.nan][:missing]
    table = table_of({"x": x, "y": np.arange(100.0)})
    columns = ["x"] if picture == "histogram" else ["x", "y"]
    policy = Policy.preset(
        "standard", rows="condensation", grid=2
    )  # four large cells, of which none is hidden

    view = DRAWN[picture](table, asked(picture, columns, policy), ORIGIN)

    assert view.origin == replace(ORIGIN, shown=shown, total=100)


def test_persons_in_hidden_cells_are_not_among_the_shown() -> None:
    # 20 at one corner, 20 at the other, and 3 beside them; who has several rows counts once
    places = [(0, 0)] * 20 + [(9, 9)] * 20 + [(0, 9)] * 3
    x, y = zip(*places, strict=True)
    twice = {name: [*values, *values] for name, values in {"x": x, "y": y}.items()}
    limits = {"x": (-0.5, 9.5), "y": (-0.5, 9.5)}
    policy = Policy.preset("standard", rows="condensation", k=4, grid=2, limits=limits)
    question = asked("heatmap", ["x", "y"], policy, method="suppression")
    for table in (
        table_of({"x": x, "y": y}),
        table_of({**twice, "who": [*range(43)] * 2}, unit="who"),
    ):
        view = heatmap.from_counts(table, question, ORIGIN)
        assert view.counts == ((20, None), (None, 20))
        assert (view.origin.shown, view.origin.total) == (40, 45)


def test_a_method_that_does_not_count_is_refused() -> None:
    table = table_of({"x": np.arange(100.0)})
    counted = asked("histogram", ["x"])
    question = replace(counted, method="condensation")

    with pytest.raises(RefusedError, match="method 'condensation' does not count"):
        histogram.from_counts(table, question, ORIGIN)


# --- gaps -------------------------------------------------------------------------------------


def test_two_humps_are_not_joined() -> None:
    """They were, by a bar from 15 to 90."""
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.normal(10, 3, 300), [40.0, 41.0], rng.normal(90, 3, 300)])

    view = histogram.from_counts(table_of({"x": x}), asked("histogram", ["x"]), ORIGIN)

    (gap,) = [i for i, count in enumerate(view.counts) if count is None]
    assert 13 < view.edges[gap] < 22
    assert 75 < view.edges[gap + 1] < 85
    assert view.density[gap] is None
    widths = np.diff(view.edges)
    assert max(np.delete(widths, gap)) <= 10
    assert sum(count or 0 for count in view.counts) == pytest.approx(602, abs=10)
    assert view.scene().notes[-1] == "hatched below the axis: none, or fewer than k"
    assert "counted in the bar beside it" in view.scene().notes[-2]


def test_a_code_far_away_is_a_bar_of_its_own() -> None:
    """It was one of a thousand wide."""
    rng = np.random.default_rng(1)
    age = np.concatenate([rng.integers(0, 81, 900), np.full(40, -999)]).astype(float)

    view = histogram.from_counts(table_of({"age": age}), asked("histogram", ["age"]), ORIGIN)

    assert view.counts[:2] == (40, None)
    assert view.edges[1] - view.edges[0] < 100
    assert view.edges[2] > -100


@pytest.mark.parametrize("inside", [0, 1, 2])
def test_counts_do_not_tell_how_many_lie_in_a_gap(inside: int) -> None:
    policy = Policy.preset(
        "standard", rows="condensation", k=3, round_to=1, bins=6, limits={"x": [0, 6]}
    )
    x = [0.5] * 40 + [3.5] * inside + [5.5] * (30 - inside)

    view = histogram.from_counts(table_of({"x": x}), asked("histogram", ["x"], policy), ORIGIN)

    assert view.edges == (0, 1, 5, 6)
    # of 70 and what is shown nothing is left
    assert sum(count or 0 for count in view.counts) == 70


def test_gaps_are_of_persons_without_any_value() -> None:
    columns = {
        "who": ["a", "a", "b", "b", "c", None],
        "x": [1.0, None, np.nan, np.inf, 2.0, None],
        "sex": ["f", "f", None, None, None, "m"],
    }
    rows, persons = table_of(columns), table_of(columns, unit="who")

    assert [counts.gaps_of(rows, name) for name in ("x", "sex")] == [4, 3]
    assert [counts.gaps_of(persons, name) for name in ("x", "sex")] == [1, 2]


def test_narrow_bins_between_whole_numbers_are_no_gap() -> None:
    """Of 0 to 6 children in bins of 0.3 those from 2.1 to 3 can hold nobody."""
    policy = Policy.preset("standard", rows="condensation", limits={"children": [0, 6]})
    column = np.random.default_rng(1).poisson(1.4, 1200).clip(0, 6).astype(float)
    far = np.where(column == 6, 40.0, column)

    def counts(values: Any, wide: float) -> tuple[int | None, ...]:
        limits = policy.changed(limits={"children": [0, wide]})
        question = asked("histogram", ["children"], limits)
        return histogram.from_counts(table_of({"children": values}), question, ORIGIN).counts

    assert None not in counts(column, 6)
    assert None in counts(far, 41)
