"""Small multiples: each level by itself, in the bins and cells of all together."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import RefusedError
from discreet.plots import GridView, HistogramView, How, MultiplesView
from discreet.plots.contour import ContourPlot
from discreet.plots.counts import Levels, joined, levels_of, panels_of
from discreet.plots.heatmap import HeatMap
from discreet.plots.histogram import HistogramPlot
from tests.plots.cases import COPY, GENERALIZED, OF_COPY, OF_RECORDS, RAW, SUPPRESSED, table_of

BARS = HistogramPlot("x", by="sex", bins=6, limits={"x": (0, 6)})
OF_TWO: dict[str, Any] = {"by": "sex", "grid": 4, "limits": {"x": (0, 6), "y": (0, 6)}}
GRID, LINES = HeatMap("x", "y", **OF_TWO), ContourPlot("x", "y", **OF_TWO)
SQUARE = {"x": (0, 4), "y": (0, 4)}


def people(**held: Mapping[int, int]) -> dict[str, list[Any]]:
    """Make persons: people(f={2: 7}) are seven of level f at x = 2.5, and at y = 2.5."""
    rows = [
        (place + 0.5, None if level == "none" else level)
        for level, places in held.items()
        for place, n in places.items()
        for _ in range(n)
    ]
    x = [value for value, _ in rows]
    return {"x": x, "y": [*x], "sex": [level for _, level in rows]}


def histograms_of(view: Any) -> dict[str, HistogramView]:
    """Return the histogram of each level."""
    assert isinstance(view, MultiplesView)
    assert all(isinstance(one, HistogramView) for one in view.views)
    return dict(zip(view.levels, view.views, strict=True))  # type: ignore[arg-type]


def grids_of(view: Any) -> dict[str, GridView]:
    """Return the grid of each level."""
    assert isinstance(view, MultiplesView)
    assert all(isinstance(one, GridView) for one in view.views)
    return dict(zip(view.levels, view.views, strict=True))  # type: ignore[arg-type]


# --- by hand ----------------------------------------------------------------------------------


def test_research_shows_each_level_by_itself() -> None:
    plot = replace(BARS, limits={"x": (0, 3)}, bins=3)
    table = table_of(people(f={0: 8, 1: 2, 2: 5}, m={0: 2, 1: 9}))
    hidden, raw = (plot.from_counts(table, how, OF_RECORDS) for how in (SUPPRESSED, RAW))
    assert (hidden.by, hidden.columns, hidden.method) == ("sex", ("x",), "suppression")
    assert [one.counts for one in histograms_of(hidden).values()] == [(8, None, 5), (None, 9, 0)]
    assert [one.suppressed for one in hidden.views] == [1, 1]
    assert hidden.suppressed == 2
    assert [one.counts for one in histograms_of(raw).values()] == [(8, 2, 5), (2, 9, 0)]
    assert raw.suppressed == 0


def test_bins_are_generalized_once_for_all_levels() -> None:
    table = table_of(people(f={0: 8, 1: 2, 2: 5}, m={0: 2, 1: 9, 5: 2}))
    found = histograms_of(BARS.from_counts(table, GENERALIZED, OF_RECORDS))
    assert found["f"].edges == found["m"].edges == (0, 2, 4, 6)
    assert [one.counts for one in found.values()] == [(10, 5, 0), (11, 0, None)]


def test_cells_of_each_level_are_those_of_all() -> None:
    table = table_of(people(f={0: 30, 3: 2}, m={0: 30}))
    plain, view = (
        replace(GRID, limits=SQUARE, by=by).from_counts(table, SUPPRESSED, OF_RECORDS)
        for by in (None, "sex")
    )
    assert [grid.counts[3][3] for grid in (plain, *grids_of(view).values())] == [None, None, 0]
    assert [grid.counts[0][0] for grid in (plain, *grids_of(view).values())] == [60, 30, 30]


def test_small_levels_are_joined_and_a_missing_one_is_a_level() -> None:
    table = table_of(people(f={0: 30}, m={0: 20, 1: 9}, x={0: 1}, y={1: 2}, none={0: 9, 1: 1}))
    view = BARS.from_counts(table, RAW, OF_RECORDS)
    assert view.levels == ("f", "m", "(missing)", "other")
    assert [one.counts[:2] for one in histograms_of(view).values()] == [
        (30, 0),
        (20, 9),
        (9, 1),
        (1, 2),
    ]


# --- from protected rows ----------------------------------------------------------------------


def protected(**held: Mapping[int, int]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Make protected rows and their levels."""
    made = people(**held)
    return {"x": np.array(made["x"]), "y": np.array(made["y"])}, tuple(made["sex"])


def test_rows_of_a_copy_are_counted_level_by_level() -> None:
    rows, levels = protected(m={0: 5, 1: 2, 2: 1}, f={0: 4, 1: 7, 3: 1})
    view = BARS.from_rows(rows, levels, COPY, OF_COPY)
    assert view.levels == ("f", "m")
    found = histograms_of(view)
    assert [one.counts for one in found.values()] == [(4, 7, 0, 1, 0, 0), (5, 2, 1, 0, 0, 0)]
    assert found["m"].density == (0.625, 0.25, 0.125, 0, 0, 0)
    assert (view.suppressed, view.origin.shown) == (0, 20)


# --- refusals ---------------------------------------------------------------------------------

EACH = pytest.mark.parametrize("plot", [BARS, GRID, LINES], ids=lambda it: it.name)


@EACH
def test_a_level_of_fewer_than_k_complete_rows_is_joined(plot: Any) -> None:
    columns: dict[str, Any] = people(f={0: 40, 1: 40}, g={0: 40, 1: 40}, m={0: 2, 1: 2})
    x = np.array(columns["x"])

    def levels() -> Any:
        table = table_of(columns | {"x": x})
        return plot.from_counts(table, replace(SUPPRESSED, k=3), OF_RECORDS).levels

    x[-2:] = np.nan  # two of m; two are left
    assert levels() == ("g", "f + other")
    x[-2:-1] = 1.5
    assert levels() == ("f", "g", "m")
    x[2:] = np.nan  # of all levels together 2 are left
    with pytest.raises(RefusedError, match="have fewer than k complete rows for some level of 'se"):
        levels()


VISITS = {
    "who": [*range(80), *range(80)],
    "x": [0.5] * 40 + [1.5] * 40 + [2.5] * 80,
    "y": [0.5, 1.5] * 80,
    "sex": ["f", "m"] * 40 + ["f"] * 78 + ["m"] * 2,
}


@EACH
def test_persons_with_several_rows_are_refused(plot: Any) -> None:
    with pytest.raises(
        RefusedError, match=r"several rows.*the levels do not add up.*one row per pe"
    ):
        plot.from_counts(table_of(VISITS, unit="who"), SUPPRESSED, OF_RECORDS)


# --- laws --------------------------------------


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """Draw persons of two categorical columns with missing levels, some without a value."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(60, 260))
    shape = draw(st.sampled_from([0.4, 1.0, 5.0]))

    def levels(names: str) -> list[str | None]:
        share = rng.dirichlet([shape] * len(names))
        return [None if name == "-" else name for name in rng.choice(list(names), n, p=share)]

    sex, ward = levels("fm-"), levels("nswe-")
    middle = np.array([{"f": 1.0, "m": 4.0}.get(level or "", 2.0) for level in sex])
    x = np.floor(rng.normal(middle, 1.5)) + 0.5
    x[rng.random(n) < 0.03] = np.nan
    y = np.floor(rng.normal(3, draw(st.sampled_from([0.7, 2.0])), n)) + 0.5
    return {"x": x, "y": y, "sex": sex, "ward": ward}


METHODS = st.sampled_from([RAW, SUPPRESSED, GENERALIZED])


@given(tables(), st.sampled_from(["sex", "ward"]), METHODS, st.integers(1, 5))
def test_what_is_told_of_a_level_is_so(columns: dict[str, Any], by: str, how: How, k: int) -> None:
    table, plot, how = table_of(columns), replace(BARS, by=by), replace(how, k=k)
    view = plot.from_counts(table, how, OF_RECORDS)
    levels = panels_of(table, plot, how)
    assert view.levels == levels.names
    names = np.array(levels.named(tuple(level or "" for level in columns[by])))
    for level, one in histograms_of(view).items():
        x = columns["x"][(names == level) & np.isfinite(columns["x"])]
        # the end bins are open
        held = np.histogram(np.clip(x, one.edges[0], one.edges[-1]), one.edges)[0].tolist()
        few = [how.method != "none" and 0 < number < k for number in held]
        told = [None if small else number for small, number in zip(few, held, strict=True)]
        assert list(one.counts) == told


@pytest.mark.slow
@given(tables(), st.sampled_from(["sex", "ward"]))
def test_grids_of_all_levels_together_are_that_of_all(columns: dict[str, Any], by: str) -> None:
    table = table_of(columns)
    view, plain = (replace(GRID, by=it).from_counts(table, RAW, OF_RECORDS) for it in (by, None))
    grids = list(grids_of(view).values())
    assert {(grid.x_edges, grid.y_edges) for grid in grids} == {(plain.x_edges, plain.y_edges)}
    each = np.array([grid.counts for grid in grids])
    assert each.sum(axis=0).tolist() == np.array(plain.counts).tolist()


# --- levels --------------------------------------------------------------------------------------

JOINED: dict[str, tuple[dict[str, int], int, tuple[str, ...], list[str]]] = {
    # counts, least; names, and the name of each level in the order given
    "none is small": ({"f": 9, "m": 7}, 5, ("f", "m"), ["f", "m"]),
    "two small ones suffice together": (
        {"a": 9, "b": 2, "c": 3},
        5,
        ("a", "other"),
        ["a", "other", "other"],
    ),
    "the smallest of the rest joins those that do not": (
        {"a": 9, "b": 7, "c": 2},
        3,
        ("a", "b + other"),
        ["a", "b + other", "b + other"],
    ),
    "of two that are smallest the first by name": (
        {"c": 7, "b": 7, "z": 1},
        3,
        ("c", "b + other"),
        ["c", "b + other", "b + other"],
    ),
    "all are small": ({"a": 2, "b": 2}, 3, ("other",), ["other", "other"]),
    "a missing value is a level": ({"a": 9, "": 5}, 5, ("a", "(missing)"), ["a", "(missing)"]),
    "numbers in their order, before words": (
        {"10": 9, "b": 9, "9": 9, "-1.5": 9, "a": 9},
        5,
        ("-1.5", "9", "10", "a", "b"),
        ["10", "b", "9", "-1.5", "a"],
    ),
    "what only looks like a number is a word": (
        {"nan": 9, "inf": 9, "m": 9, "1": 9},
        5,
        ("1", "inf", "m", "nan"),
        ["nan", "inf", "m", "1"],
    ),
    "a large level is called other": (
        {"other": 9, "a": 3, "b": 4},
        5,
        ("other", "other levels"),
        ["other", "other levels", "other levels"],
    ),
    "a level is called missing": (
        {"(missing)": 9, "": 9},
        5,
        ("(missing)", "(no value)"),
        ["(missing)", "(no value)"],
    ),
    "without a least all are named": ({"a": 1, "b": 9}, 0, ("a", "b"), ["a", "b"]),
}


@pytest.mark.parametrize(("counts", "least", "names", "of"), JOINED.values(), ids=JOINED)
def test_small_levels_are_joined(
    counts: dict[str, int], least: int, names: tuple[str, ...], of: list[str]
) -> None:
    levels = joined(counts, least)
    assert levels.names == names
    assert levels.named(tuple(counts)) == tuple(of)


# --- laws -------------------------------------------------------------------------------------

# Words that cannot be part of what joined levels are called.
words = st.sampled_from(["", "q1", "q2", "q3", "q4", "q5", "7", "10", "-2", "nan", "X y", "Ä"])
tallies = st.dictionaries(words, st.integers(1, 30), min_size=1)
leasts_of = st.integers(1, 12)


def groups_of(levels: Levels, counts: Mapping[str, int]) -> list[set[str]]:
    """Return the stored levels of each shown one."""
    groups: list[set[str]] = [set() for _ in levels.names]
    for level in counts:
        groups[levels.places[level]].add(level)
    return groups


def persons_of(group: set[str], counts: Mapping[str, int]) -> int:
    """Count those of a group."""
    return sum(counts[level] for level in group)


@given(tallies, leasts_of)
def test_a_group_is_large_enough_unless_all_are_too_few(counts: dict[str, int], least: int) -> None:
    sizes = [persons_of(group, counts) for group in groups_of(joined(counts, least), counts)]
    assert sum(sizes) == sum(counts.values())
    assert min(sizes) >= least or len(sizes) == 1


@given(tallies, leasts_of, st.randoms(use_true_random=False))
def test_the_order_of_levels_does_not_matter(
    counts: dict[str, int], least: int, random: Any
) -> None:
    shuffled = list(counts.items())
    random.shuffle(shuffled)
    assert joined(dict(shuffled), least) == joined(counts, least)


@given(tallies, leasts_of)
def test_no_name_tells_a_small_level(counts: dict[str, int], least: int) -> None:
    small = {level or "(missing)" for level, count in counts.items() if count < least}
    names = joined(counts, least).names
    for name in names:
        assert not small & {name, name.removesuffix(" + other")}
    assert len(set(names)) == len(names)


# --- of a table -------------------------------------------------------------------------------


WARDS = HistogramPlot("x", by="ward")


def table_of_levels(held: dict[str | None, int]) -> Any:
    """Make a table of so many persons of each level."""
    wards = [ward for ward, n in held.items() for _ in range(n)]
    return table_of({"ward": wards, "x": [float(place) for place in range(len(wards))]})


def test_tables_name_all_levels_and_panels_those_of_k() -> None:
    table = table_of_levels({"n": 60, "s": 51, "w": 40, "e": 6, "x": 3, None: 4})
    everyone = ("e", "n", "s", "w", "x", "(missing)")
    assert levels_of(table, "ward").names == everyone
    assert panels_of(table, WARDS, SUPPRESSED).names == everyone
    assert panels_of(table, WARDS, replace(SUPPRESSED, k=5)).names == ("e", "n", "s", "w", "other")


def test_panels_count_those_who_have_what_is_drawn() -> None:
    """A level of 72 persons without a value was refused, and is joined as a small one is."""
    wards = ["n"] * 200 + ["s"] * 200 + [None] * 72
    table = table_of({"ward": wards, "x": [1.0] * 400 + [None] * 70 + [2.0] * 2})
    assert panels_of(table, WARDS, SUPPRESSED).names == ("s", "n + other")
    assert levels_of(table, "ward").names == ("n", "s", "(missing)")


def test_a_level_of_which_nobody_has_what_is_drawn_is_joined() -> None:
    table = table_of({"ward": ["n"] * 9 + ["s"] * 9, "x": [1.0] * 9 + [None] * 9})
    assert panels_of(table, WARDS, SUPPRESSED).names == ("n + other",)


def test_more_levels_than_can_be_told_apart_are_refused() -> None:
    held: dict[str | None, int] = {f"w{i}": 60 for i in range(61)}
    assert len(levels_of(table_of_levels(held), "ward").names) == 61
    with pytest.raises(RefusedError, match="'ward' has more than 60 levels, too many to dis"):
        panels_of(table_of_levels(held), WARDS, SUPPRESSED)
    del held["w60"]
    assert len(panels_of(table_of_levels(held), WARDS, SUPPRESSED).names) == 60
