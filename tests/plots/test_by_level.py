"""Small multiples: that nothing follows from them and the picture of all persons together."""

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BrokenPromiseError, RefusedError
from discreet.plots import (
    ContourView,
    GridView,
    HistogramView,
    MultiplesView,
    Origin,
    contour,
    heatmap,
    histogram,
)
from discreet.plots.by_level import Levels, joined, levels_of, panels_of
from discreet.policy import PlotRequest, Policy
from discreet.table import Table, open_table

ORIGIN = Origin(
    policy="standard",
    regime="guarded",
    public=False,
    study=None,
    version=None,
    left_out=0,
    counted="records",
)
# Exact counts, the least k, and a fixed axis: what an attacker would wish for.
EXACT = Policy.preset(
    "standard",
    k=3,
    round_to=1,
    bins=6,
    grid=4,
    limits={"x": [0, 6], "y": [0, 6]},
)
# And cells that stay as they are, however little of a level they show.
FINE = EXACT.changed(shown_share=0)
Columns = Mapping[str, Sequence[Any]]


def table_of(columns: Columns, unit: str | None = None) -> Table:
    """Put columns behind a table."""
    return open_table(pa.table(dict(columns)), kinds={}, roles={}, unit=unit, key=None)


def asked(
    picture: str, policy: Policy = EXACT, by: str | None = "sex", **named: Any
) -> PlotRequest:
    """Settle a picture of column x, or of x and y."""
    columns = ["x"] if picture == "histogram" else ["x", "y"]
    method = named.pop("method", None)
    found = policy.settle(picture, columns, by=by, **named)
    return found if method is None else dataclasses.replace(found, method=method)


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


def histograms_of(view: MultiplesView) -> dict[str, HistogramView]:
    """Return the histogram of each level."""
    found = {}
    for level, one in zip(view.levels, view.views, strict=True):
        assert isinstance(one, HistogramView)
        found[level] = one
    return found


def grids_of(view: MultiplesView) -> dict[str, GridView]:
    """Return the grid of each level."""
    found = {}
    for level, one in zip(view.levels, view.views, strict=True):
        assert isinstance(one, GridView)
        found[level] = one
    return found


# --- by hand ----------------------------------------------------------------------------------


def test_a_bin_is_joined_until_each_level_has_k_persons_in_it() -> None:
    table = table_of(
        people(f={0: 8, 1: 6, 2: 6, 3: 13, 4: 6, 5: 10}, m={0: 2, 1: 10, 2: 9, 3: 2, 4: 6, 5: 2})
    )
    plain = histogram.from_counts(table, asked("histogram", by=None), ORIGIN)
    view = histogram.by_level_from_counts(table, asked("histogram"), ORIGIN)

    assert plain.counts == (10, 16, 15, 15, 12, 12)
    # m: 2 + 10 | 9 | 2 + 6 + 2, for what is left over at the end joins the last
    assert view.levels == ("f", "m")
    found = histograms_of(view)
    assert found["f"].edges == found["m"].edges == (0, 2, 3, 6)
    assert found["f"].counts == (14, 6, 29)
    assert found["m"].counts == (12, 9, 10)
    assert (view.by, view.columns, view.method) == ("sex", ("x",), "merge")
    assert view.suppressed is None


def test_a_bin_by_suppression_is_hidden_for_all_levels_or_none() -> None:
    # at 0 both have 3; at 1 m has 2 and at 2 nobody; at 3 all three; at 4 each has 2
    table = table_of(
        people(
            f={0: 3, 1: 9, 2: 9, 3: 10, 4: 2},
            m={0: 3, 1: 2, 3: 30, 4: 2},
            none={0: 3, 1: 9, 2: 9, 3: 11},
        )
    )

    plain = histogram.from_counts(table, asked("histogram", by=None, method="suppression"), ORIGIN)
    view = histogram.by_level_from_counts(
        table, asked("histogram", FINE, method="suppression"), ORIGIN
    )

    assert plain.counts == (9, 20, 18, 51, 4, None)
    found = histograms_of(view)
    assert found["f"].counts == (3, None, None, 10, None, None)
    assert found["m"].counts == (3, None, None, 30, None, None)
    assert found["(missing)"].counts == (3, None, None, 11, None, None)


def test_where_empty_bins_are_told_nobody_of_a_level_hides_no_other() -> None:
    policy = FINE.changed(show_empty=True)
    table = table_of(people(f={0: 20, 1: 9, 2: 2, 3: 8}, m={0: 20, 2: 12, 3: 2}))

    view = histogram.by_level_from_counts(
        table, asked("histogram", policy, method="suppression"), ORIGIN
    )

    found = histograms_of(view)
    assert found["f"].counts == (20, 9, None, None, 0, 0)
    assert found["m"].counts == (20, 0, None, None, 0, 0)


def test_a_cell_that_the_grid_of_all_hides_is_hidden_for_every_level() -> None:
    policy = EXACT.changed(show_empty=True, limits={"x": [0, 4], "y": [0, 4]})
    # at (3.5, 3.5) there are two persons of f and none of m: hidden in all three pictures
    table = table_of(people(f={0: 30, 3: 2}, m={0: 30}))

    plain = heatmap.from_counts(
        table, asked("heatmap", policy, by=None, method="suppression"), ORIGIN
    )
    view = heatmap.by_level_from_counts(
        table, asked("heatmap", policy, method="suppression"), ORIGIN
    )

    assert [grid.counts[3][3] for grid in (plain, *grids_of(view).values())] == [None] * 3
    assert [grid.counts[0][0] for grid in (plain, *grids_of(view).values())] == [60, 30, 30]
    assert [grid.counts[1][1] for grid in (plain, *grids_of(view).values())] == [0, 0, 0]


def test_counts_are_rounded_as_everywhere() -> None:
    policy = EXACT.changed(round_to=5)
    table = table_of(people(f={0: 17, 3: 18}, m={0: 33, 3: 7}))

    found = histograms_of(histogram.by_level_from_counts(table, asked("histogram", policy), ORIGIN))

    assert found["f"].counts == (15, 20)
    assert found["m"].counts == (35, 5)
    # shares of 40 as they are told; the second bin is five wide
    assert found["f"].edges == found["m"].edges == (0, 1, 6)
    assert found["m"].density == (0.875, 0.025)


def test_small_levels_are_joined_and_a_missing_one_is_a_level() -> None:
    table = table_of(people(f={0: 30, 1: 30}, m={0: 20, 1: 9}, x={0: 2, 1: 1}, none={0: 9, 1: 1}))

    view = histogram.by_level_from_counts(table, asked("histogram"), ORIGIN)

    # bars: f, m, (missing) and x, whose three are just k; none but f has thirty
    assert view.levels == ("f", "other")
    assert [one.counts for one in histograms_of(view).values()] == [(30, 30), (31, 11)]


def test_contours_have_one_set_of_levels() -> None:
    policy = EXACT.changed(limits={"x": [0, 4], "y": [0, 4]})
    table = table_of(people(f={0: 30, 1: 60}, m={0: 200, 1: 10}))

    view = contour.by_level_from_counts(
        table, asked("contour", policy, method="suppression"), ORIGIN
    )
    grids = heatmap.by_level_from_counts(
        table, asked("heatmap", policy, method="suppression"), ORIGIN
    )

    first, second = view.views
    assert isinstance(first, ContourView)
    assert isinstance(second, ContourView)
    # of f 60 at most, of m 200; the smallest cell that is drawn holds 10
    assert first.levels == second.levels == (5, 20, 50, 100)
    assert [first.counts, second.counts] == [grid.counts for grid in grids_of(grids).values()]


def test_research_shows_each_level_by_itself() -> None:
    policy = Policy.preset("research", bins=3, limits={"x": [0, 3]})
    table = table_of(people(f={0: 8, 1: 2, 2: 5}, m={0: 2, 1: 9}))

    hidden = histograms_of(
        histogram.by_level_from_counts(
            table, asked("histogram", policy, method="suppression"), ORIGIN
        )
    )
    raw = histograms_of(
        histogram.by_level_from_counts(table, asked("histogram", policy, method="none"), ORIGIN)
    )

    assert [one.counts for one in hidden.values()] == [(8, None, 5), (None, 9, 0)]
    assert [one.suppressed for one in hidden.values()] == [1, 1]
    assert [one.counts for one in raw.values()] == [(8, 2, 5), (2, 9, 0)]


# --- gaps, and cells that are made coarser ----------------------------------------------------


def test_a_gap_is_the_same_for_all_levels() -> None:
    table = table_of(people(f={0: 20, 5: 20}, m={0: 10, 2: 1, 4: 1, 5: 30}))
    plain = histogram.from_counts(table, asked("histogram", by=None), ORIGIN)

    view = histogram.by_level_from_counts(table, asked("histogram"), ORIGIN)

    # the two of m in the gap are counted in the larger bin beside it
    assert plain.edges == (0, 1, 5, 6)
    assert plain.counts == (30, None, 52)
    found = histograms_of(view)
    assert found["f"].edges == found["m"].edges == plain.edges
    assert [found[level].counts for level in "fm"] == [(20, None, 20), (10, None, 32)]
    assert any("nothing is joined across a gap" in note for note in view.scene().notes)
    assert "hatched below the axis: none, or fewer than k" in view.scene().notes


def test_a_level_that_lies_on_one_side_of_a_gap_is_not_joined_across_it() -> None:
    table = table_of(people(f={0: 40, 5: 20}, m={0: 40, 5: 2}))

    found = histograms_of(histogram.by_level_from_counts(table, asked("histogram", FINE), ORIGIN))

    assert found["f"].edges == (0, 1, 5, 6)
    assert [found[level].counts for level in "fm"] == [(40, None, None)] * 2
    with pytest.raises(RefusedError, match="the levels of 'sex' lie too far apart"):
        histogram.by_level_from_counts(table, asked("histogram"), ORIGIN)


def cohort() -> Table:
    """Make 6302 persons of 0 to 80 years: the pressure of children is alike, of adults is not."""
    rng, n = np.random.default_rng(6302), 6302
    age = rng.integers(0, 81, n).astype(float)
    adult = age >= 20
    pressure = 100 + 0.5 * age + rng.normal(0, np.where(adult, 15 + 0.1 * age, 4))
    return table_of(
        {
            "age": age.tolist(),
            "pressure": pressure.round(1).tolist(),
            "sex": rng.choice(list("abcd"), n, p=[0.45, 0.25, 0.2, 0.1]).tolist(),
            "school": [
                level if old else None
                for level, old in zip(rng.choice(["low", "middle", "high"], n), adult, strict=True)
            ],
        }
    )


@pytest.mark.parametrize("picture", ["heatmap", "contour"])
@pytest.mark.parametrize("round_to", [1, 5])
def test_a_cohort_of_all_ages_does_not_come_out_as_one_of_children(
    picture: str, round_to: int
) -> None:
    draw = heatmap if picture == "heatmap" else contour
    table = cohort()
    policy = Policy.preset("standard", k=10, round_to=round_to)
    question = policy.settle(picture, ["age", "pressure"], by="sex")

    view = draw.by_level_from_counts(table, question, ORIGIN)

    assert view.levels == tuple("abcd")
    sizes = table.levels("sex")
    for level, one in zip(view.levels, view.views, strict=True):
        assert isinstance(one, GridView | ContourView)
        shown = [sum(count or 0 for count in row) for row in one.counts]
        assert sum(shown) >= 0.85 * sizes[level] - 5 * len(one.counts)
        assert one.x_edges[0] < 0
        assert one.x_edges[-1] > 80
        of_22 = sum(n for n, left in zip(shown, one.x_edges, strict=False) if left > 20)
        assert 0.6 < of_22 / sum(shown) < 0.75  # of all persons 71 %


def test_levels_of_other_ages_are_refused_in_words() -> None:
    question = Policy.preset("standard", k=10).settle("heatmap", ["age", "pressure"], by="school")

    with pytest.raises(RefusedError, match="the levels of 'school' lie too far apart") as refused:
        heatmap.by_level_from_counts(cohort(), question, ORIGIN)
    assert not any(character.isdigit() for character in str(refused.value))


def test_protected_rows_are_drawn_coarser_until_each_level_shows_enough() -> None:
    policy = EXACT.changed(limits={"x": [0, 4]}, bins=4)
    rows, levels = protected(m={0: 20, 1: 2, 2: 2, 3: 20}, f={0: 2, 1: 9, 2: 2, 3: 2})
    question = asked("histogram", policy, method="condensation")

    found = histograms_of(histogram.by_level_from_rows(rows, levels, question, ORIGIN))

    # bins of one would show 9 of the 15 of f
    assert found["f"].edges == found["m"].edges == (0, 2, 4)
    assert [found[level].counts for level in "fm"] == [(11, 4), (22, 22)]


# --- from protected rows ----------------------------------------------------------------------


def protected(**held: Mapping[int, int]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Make protected rows and their levels."""
    made = people(**held)
    return {"x": np.array(made["x"]), "y": np.array(made["y"])}, tuple(made["sex"])


def test_protected_rows_are_counted_level_by_level() -> None:
    rows, levels = protected(m={0: 5, 1: 2, 2: 1}, f={0: 4, 1: 7, 3: 1})
    question = asked("histogram", FINE, method="condensation")

    view = histogram.by_level_from_rows(rows, levels, question, ORIGIN)

    # of all rows 9, 9, 1, 1: bins of fewer than three rows are hidden, of a level too
    assert view.levels == ("f", "m")
    assert [one.counts for one in histograms_of(view).values()] == [
        (4, 7, None, None, None, None),
        (5, None, None, None, None, None),
    ]


def test_protected_rows_in_cells_and_contours() -> None:
    policy = FINE.changed(limits={"x": [0, 4], "y": [0, 4]})
    rows, levels = protected(m={0: 5, 1: 2}, f={0: 4, 1: 7, 3: 1})

    grids = heatmap.by_level_from_rows(
        rows, levels, asked("heatmap", policy, method="condensation"), ORIGIN
    )
    lines = contour.by_level_from_rows(
        rows, levels, asked("contour", policy, method="condensation"), ORIGIN
    )

    # the grid of all is generalized to two by two: 18 rows in one cell and 1 in another
    f, m = grids_of(grids).values()
    assert (f.counts, m.counts) == (((11, None), (None, None)), ((7, None), (None, None)))
    assert [getattr(one, "counts", None) for one in lines.views] == [f.counts, m.counts]


def test_research_counts_every_protected_row() -> None:
    policy = Policy.preset("research", bins=2, limits={"x": [0, 2]})
    rows, levels = protected(f={0: 1}, m={0: 2, 1: 1})

    view = histogram.by_level_from_rows(
        rows, levels, asked("histogram", policy, method="rows"), ORIGIN
    )

    assert [one.counts for one in histograms_of(view).values()] == [(1, 0), (2, 1)]


# --- refusals ---------------------------------------------------------------------------------

DRAW: dict[str, tuple[str, Callable[..., MultiplesView]]] = {
    "histogram": ("histogram", histogram.by_level_from_counts),
    "heatmap": ("heatmap", heatmap.by_level_from_counts),
    "contour": ("contour", contour.by_level_from_counts),
}
BOTH = people(f={0: 40, 1: 40}, m={0: 40, 1: 40})


@pytest.mark.parametrize(("picture", "draw"), DRAW.values(), ids=DRAW)
def test_without_a_column_there_are_no_multiples(
    picture: str, draw: Callable[..., MultiplesView]
) -> None:
    with pytest.raises(BrokenPromiseError, match="small multiples were asked for without by="):
        draw(table_of(BOTH), asked(picture, by=None), ORIGIN)


@pytest.mark.parametrize(("picture", "draw"), DRAW.values(), ids=DRAW)
def test_a_level_of_fewer_than_ten_k_complete_rows_is_joined(
    picture: str, draw: Callable[..., MultiplesView]
) -> None:
    columns: dict[str, Any] = people(f={0: 40, 1: 40}, g={0: 40, 1: 40}, m={0: 15, 1: 16})
    x = np.array(columns["x"])
    x[-2:] = np.nan  # two of m; 29 are left

    found = draw(table_of(columns | {"x": x}), asked(picture), ORIGIN)
    assert found.levels == ("g", "f + other")
    x[-2:-1] = 1.5
    assert draw(table_of(columns | {"x": x}), asked(picture), ORIGIN).levels == ("f", "g", "m")
    x[30:] = np.nan  # of all levels together 30 are left, then one fewer
    assert draw(table_of(columns | {"x": x}), asked(picture), ORIGIN).levels == ("f + other",)
    x[29:] = np.nan
    with pytest.raises(
        RefusedError, match=r"too few complete rows.*; the custodian can"
    ) as refused:
        draw(table_of(columns | {"x": x}), asked(picture), ORIGIN)
    assert "29" not in str(refused.value)


@pytest.mark.parametrize(("picture", "draw"), DRAW.values(), ids=DRAW)
def test_where_too_little_of_a_level_shows_the_way_out_is_named(
    picture: str, draw: Callable[..., MultiplesView]
) -> None:
    table = table_of(people(f={0: 40, 1: 2}, m={4: 40}))
    with pytest.raises(RefusedError, match=r"levels of 'sex' lie too far apart.*; draw a box plot"):
        draw(table, asked(picture, method="suppression"), ORIGIN)


def test_joined_bins_that_never_suffice_are_one() -> None:
    table = table_of(people(f={0: 39, 2: 3}, m={4: 40}))

    found = histograms_of(histogram.by_level_from_counts(table, asked("histogram"), ORIGIN))

    assert [one.counts for one in found.values()] == [(42,), (40,)]
    assert [one.edges for one in found.values()] == [(0, 6), (0, 6)]


VISITS = {
    "who": [*range(80), *range(80)],
    "x": [0.5] * 40 + [1.5] * 40 + [2.5] * 80,
    "y": [0.5, 1.5] * 80,
    # at x = 2.5, of all 80 minus those of f two would be left
    "sex": ["f", "m"] * 40 + ["f"] * 78 + ["m"] * 2,
}


@pytest.mark.parametrize("policy", [EXACT, Policy.preset("research")], ids=["guarded", "research"])
@pytest.mark.parametrize(("picture", "draw"), DRAW.values(), ids=DRAW)
def test_persons_with_several_rows_are_refused(
    picture: str, draw: Callable[..., MultiplesView], policy: Policy
) -> None:
    with pytest.raises(RefusedError, match=r"several rows.*the levels do not add up.*one row a pe"):
        draw(table_of(VISITS, unit="who"), asked(picture, policy), ORIGIN)


def test_persons_with_one_row_each_are_drawn() -> None:
    once = {name: values[80:] for name, values in (VISITS | {"sex": ["f", "m"] * 80}).items()}

    view = histogram.by_level_from_counts(table_of(once, unit="who"), asked("histogram"), ORIGIN)

    assert [one.counts for one in histograms_of(view).values()] == [(40,), (40,)]


def test_a_share_of_bins_is_of_the_persons_of_each_level() -> None:
    table = table_of(BOTH)  # 80 persons of each level, 6 bins

    assert histogram.by_level_from_counts(
        table, asked("histogram", EXACT.changed(bins_share=0.08)), ORIGIN
    )
    with pytest.raises(RefusedError, match=r"for bins that are at most 0\.07 of them along an"):
        histogram.by_level_from_counts(
            table, asked("histogram", EXACT.changed(bins_share=0.07)), ORIGIN
        )


def test_rows_without_a_value_are_told_as_beside_the_picture_of_all() -> None:
    columns = people(f={0: 40, 1: 40}, m={0: 40, 1: 40})
    columns["x"][:7] = [None] * 7

    view = histogram.by_level_from_counts(table_of(columns), asked("histogram"), ORIGIN)

    # 153 of 160, to multiples of k = 3 where counts are not rounded
    assert (view.origin.shown, view.origin.total) == (153, 159)
    assert {one.origin.shown for one in view.views} == {None}


# --- laws: what follows from several pictures together ---------------------------------------


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


def drawn(
    draw: Callable[..., MultiplesView], table: Table, question: PlotRequest
) -> MultiplesView | None:
    """Return the pictures, or nothing where they are refused."""
    try:
        return draw(table, question, ORIGIN)
    except RefusedError:
        return None


def told(edges: Sequence[float], counts: Sequence[int | None]) -> dict[tuple[float, float], int]:
    """Return what is told of each stretch of the axis that shown bins make up together."""
    out = {}
    for i, j in itertools.combinations(range(len(edges)), 2):
        parts = counts[i:j]
        if None not in parts:
            out[edges[i], edges[j]] = sum(part or 0 for part in parts)
    return out


METHODS = st.sampled_from(["merge", "suppression", "generalization"])


@given(tables(), METHODS, st.booleans(), st.integers(3, 5))
def test_no_difference_of_histograms_is_of_fewer_than_k(
    columns: dict[str, Any], method: str, show_empty: bool, k: int
) -> None:
    table, policy = table_of(columns), FINE.changed(k=k, show_empty=show_empty)
    try:
        plain = histogram.from_counts(
            table, asked("histogram", policy, by=None, method=method), ORIGIN
        )
    except RefusedError:
        return
    whole = told(plain.edges, plain.counts)
    for by in ("sex", "ward"):
        view = drawn(
            histogram.by_level_from_counts, table, asked("histogram", policy, by, method=method)
        )
        if view is None:
            continue
        found = histograms_of(view)
        (edges,) = {one.edges for one in found.values()}
        assert set(edges) <= set(plain.edges)
        counts = [count for one in found.values() for count in one.counts if count]
        assert min(counts) >= k
        parts = [told(edges, one.counts) for one in found.values()]
        # a bin is shown for all levels or for none
        assert all(part.keys() == parts[0].keys() for part in parts)
        for stretch in parts[0].keys() & whole.keys():
            assert whole[stretch] == sum(part[stretch] for part in parts)
            for size in range(1, len(parts)):
                for some in itertools.combinations(parts, size):
                    rest = whole[stretch] - sum(part[stretch] for part in some)
                    assert rest == 0 or rest >= k
        # a stretch that the picture of all hides is not told by those of the levels
        assert method == "merge" or parts[0].keys() <= whole.keys()


@given(tables(), st.sampled_from(["sex", "ward"]), METHODS)
def test_what_is_told_of_a_level_is_so(columns: dict[str, Any], by: str, method: str) -> None:
    table, question = table_of(columns), asked("histogram", FINE, by, method=method)
    view = drawn(histogram.by_level_from_counts, table, question)
    if view is None:
        return
    levels = panels_of(table, question)
    assert view.levels == levels.names
    names = np.array(levels.named(tuple(level or "" for level in columns[by])))
    for level, one in histograms_of(view).items():
        x = columns["x"][(names == level) & np.isfinite(columns["x"])]
        # the end bins are open
        held = np.histogram(np.clip(x, one.edges[0], one.edges[-1]), one.edges)[0]
        beside = one.counts.count(None) if method == "merge" else 0  # who is in a gap
        for count, number in zip(one.counts, held.tolist(), strict=True):
            assert count is None or number <= count <= number + 2 * beside


@given(
    tables(),
    st.sampled_from(["sex", "ward"]),
    st.sampled_from(["suppression", "generalization"]),
    st.booleans(),
)
def test_no_difference_of_grids_is_of_fewer_than_k(
    columns: dict[str, Any], by: str, method: str, show_empty: bool
) -> None:
    table, policy = table_of(columns), FINE.changed(show_empty=show_empty)
    view = drawn(heatmap.by_level_from_counts, table, asked("heatmap", policy, by, method=method))
    if view is None:
        return
    plain = heatmap.from_counts(table, asked("heatmap", policy, by=None, method=method), ORIGIN)
    grids = list(grids_of(view).values())

    assert {(grid.x_edges, grid.y_edges) for grid in grids} == {(plain.x_edges, plain.y_edges)}
    for i, row in enumerate(plain.counts):
        for j, everyone in enumerate(row):
            cells = [grid.counts[i][j] for grid in grids]
            if None in cells:
                assert set(cells) == {None}
                continue
            numbers = [cell or 0 for cell in cells]
            assert everyone == sum(numbers)
            assert all(number == 0 or number >= 3 for number in numbers)


@given(tables(), st.sampled_from(["merge", "suppression"]), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(
    columns: dict[str, Any], method: str, random: Any
) -> None:
    order = list(range(len(columns["x"])))
    random.shuffle(order)
    shuffled = {name: [values[i] for i in order] for name, values in columns.items()}
    question = asked("histogram", method=method)

    assert drawn(histogram.by_level_from_counts, table_of(shuffled), question) == drawn(
        histogram.by_level_from_counts, table_of(columns), question
    )


# --- levels --------------------------------------------------------------------------------------

JOINED: dict[str, tuple[dict[str, int], tuple[int, ...], tuple[str, ...], list[str]]] = {
    # counts, leasts; names, and the name of each level in the order given
    "none is small": ({"f": 9, "m": 7}, (5,), ("f", "m"), ["f", "m"]),
    "two small ones suffice together": (
        {"a": 9, "b": 2, "c": 3},
        (5,),
        ("a", "other"),
        ["a", "other", "other"],
    ),
    "the smallest of the rest joins those that do not": (
        {"a": 9, "b": 7, "c": 2},
        (3,),
        ("a", "b + other"),
        ["a", "b + other", "b + other"],
    ),
    "of two that are smallest the first by name": (
        {"c": 7, "b": 7, "z": 1},
        (3,),
        ("c", "b + other"),
        ["c", "b + other", "b + other"],
    ),
    "all are small": ({"a": 2, "b": 2}, (3,), ("other",), ["other", "other"]),
    "all together are small": ({"a": 1, "b": 1}, (3,), ("other",), ["other", "other"]),
    "one level": ({"a": 5}, (5,), ("a",), ["a"]),
    "one small level": ({"a": 4}, (5,), ("other",), ["other"]),
    "a missing value is a level": ({"a": 9, "": 5}, (5,), ("a", "(missing)"), ["a", "(missing)"]),
    "and may be small": ({"a": 9, "": 1, "b": 4}, (5,), ("a", "other"), ["a", "other", "other"]),
    "what is missing comes after words": (
        {"": 9, "~": 9, "1": 9},
        (5,),
        ("1", "~", "(missing)"),
        ["(missing)", "~", "1"],
    ),
    "numbers in their order, before words": (
        {"10": 9, "b": 9, "9": 9, "-1.5": 9, "a": 9},
        (5,),
        ("-1.5", "9", "10", "a", "b"),
        ["10", "b", "9", "-1.5", "a"],
    ),
    "what only looks like a number is a word": (
        {"nan": 9, "inf": 9, "m": 9, "1": 9},
        (5,),
        ("1", "inf", "m", "nan"),
        ["nan", "inf", "m", "1"],
    ),
    "a large level is called other": (
        {"other": 9, "a": 3, "b": 4},
        (5,),
        ("other", "other levels"),
        ["other", "other levels", "other levels"],
    ),
    "a level is called missing": (
        {"(missing)": 9, "": 9},
        (5,),
        ("(missing)", "(no value)"),
        ["(missing)", "(no value)"],
    ),
    "without a least all are named": ({"a": 1, "b": 9}, (), ("a", "b"), ["a", "b"]),
    "panels are joined from bars": (
        # bars: a, b, c and other (d + e = 4 + 2); panels of 10: b, c and the others together
        {"a": 50, "b": 8, "c": 6, "d": 4, "e": 2},
        (5, 10),
        ("a", "other"),
        ["a", "other", "other", "other", "other"],
    ),
    "what bars have joined stays joined": (
        # bars: a, b + other (8 + 1); panels of 20: a and those 9 are all, for 9 < 20
        {"a": 50, "b": 8, "c": 1},
        (5, 20),
        ("a + other",),
        ["a + other", "a + other", "a + other"],
    ),
    "what bars have joined may be enough": (
        {"a": 50, "b": 30, "c": 1},
        (5, 20),
        ("a", "b + other"),
        ["a", "b + other", "b + other"],
    ),
    "a panel joins what bars have joined": (
        # bars: a, b, other (4 + 4 + 4); panels of 12: b joins though the other are enough
        {"a": 50, "b": 6, "c": 4, "d": 4, "e": 4},
        (5, 12),
        ("a", "other"),
        ["a", "other", "other", "other", "other"],
    ),
}


@pytest.mark.parametrize(("counts", "leasts", "names", "of"), JOINED.values(), ids=JOINED)
def test_small_levels_are_joined(
    counts: dict[str, int], leasts: tuple[int, ...], names: tuple[str, ...], of: list[str]
) -> None:
    levels = joined(counts, *leasts)

    assert levels.names == names
    assert levels.named(tuple(counts)) == tuple(of)


def test_levels_cannot_be_changed() -> None:
    levels = joined({"a": 9, "b": 9}, 3)

    with pytest.raises(AttributeError, match="cannot assign to field 'names'"):
        levels.names = ()  # type: ignore[misc]
    with pytest.raises(TypeError, match="does not support item assignment"):
        levels.places["c"] = 1  # type: ignore[index]


# --- laws -------------------------------------------------------------------------------------

# Words that cannot be part of what joined levels are called.
words = st.sampled_from(["", "q1", "q2", "q3", "q4", "q5", "7", "10", "-2", "nan", "X y", "Ä"])
tallies = st.dictionaries(words, st.integers(1, 30), min_size=1)
leasts_of = st.tuples(st.integers(1, 12), st.integers(1, 4)).map(lambda t: (t[0], t[0] * t[1]))


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
def test_a_group_is_large_enough_unless_all_are_too_few(
    counts: dict[str, int], leasts: tuple[int, int]
) -> None:
    for least in ((leasts[0],), leasts):
        sizes = [persons_of(group, counts) for group in groups_of(joined(counts, *least), counts)]
        assert sum(sizes) == sum(counts.values())
        assert min(sizes) >= least[-1] or len(sizes) == 1


@given(tallies, leasts_of)
def test_panels_are_unions_of_bars(counts: dict[str, int], leasts: tuple[int, int]) -> None:
    bars = groups_of(joined(counts, leasts[0]), counts)
    panels = groups_of(joined(counts, *leasts), counts)

    for bar in bars:
        assert any(bar <= panel for panel in panels)


@given(tallies, leasts_of)
def test_bars_and_panels_together_give_no_fewer_than_k(
    counts: dict[str, int], leasts: tuple[int, int]
) -> None:
    if sum(counts.values()) < leasts[0]:
        return
    shown = groups_of(joined(counts, leasts[0]), counts)
    shown += groups_of(joined(counts, *leasts), counts)

    for one, other in itertools.permutations(shown, 2):
        if other < one:
            assert persons_of(one - other, counts) >= leasts[0]


@given(tallies, leasts_of, st.randoms(use_true_random=False))
def test_the_order_of_levels_does_not_matter(
    counts: dict[str, int], leasts: tuple[int, int], random: Any
) -> None:
    shuffled = list(counts.items())
    random.shuffle(shuffled)

    assert joined(dict(shuffled), *leasts) == joined(counts, *leasts)


@given(tallies, leasts_of)
def test_no_name_tells_a_small_level(counts: dict[str, int], leasts: tuple[int, int]) -> None:
    small = {level or "(missing)" for level, count in counts.items() if count < leasts[0]}
    for least in ((leasts[0],), leasts):
        names = joined(counts, *least).names
        for name in names:
            assert not small & {name, name.removesuffix(" + other")}
        assert len(set(names)) == len(names)


@given(tallies, leasts_of)
def test_a_level_that_stands_alone_keeps_its_name(
    counts: dict[str, int], leasts: tuple[int, int]
) -> None:
    levels = joined(counts, *leasts)
    for name, group in zip(levels.names, groups_of(levels, counts), strict=True):
        (level, *more) = group
        assert bool(more) or name in (level or "(missing)", "other")


# --- of a table -------------------------------------------------------------------------------


def table_of_levels(held: dict[str | None, int]) -> Table:
    """Make a table of so many persons of each level."""
    wards = [ward for ward, n in held.items() for _ in range(n)]
    x = [float(place) for place in range(len(wards))]
    return open_table(pa.table({"ward": wards, "x": x}), kinds={}, roles={}, unit=None, key=None)


def asked_of_levels(policy: str = "standard", **named: Any) -> PlotRequest:
    """Settle a histogram for each level."""
    return Policy.preset(policy).settle("histogram", ["x"], by="ward", **named)


HELD: dict[str | None, int] = {"n": 60, "s": 51, "w": 40, "e": 6, "x": 3, None: 4}


def test_bars_name_levels_of_k_persons() -> None:
    assert levels_of(table_of_levels(HELD), "ward", asked_of_levels()).names == (
        "e",
        "n",
        "s",
        "w",
        "other",
    )


def test_panels_name_levels_of_ten_k_persons() -> None:
    assert panels_of(table_of_levels(HELD), asked_of_levels()).names == ("n", "s", "other")


def test_research_names_all_levels_in_tables_and_those_of_k_persons_in_panels() -> None:
    everyone = ("e", "n", "s", "w", "x", "(missing)")

    assert levels_of(table_of_levels(HELD), "ward", asked_of_levels("research")).names == everyone
    assert panels_of(table_of_levels(HELD), asked_of_levels("research")).names == everyone
    assert panels_of(table_of_levels(HELD), asked_of_levels("research", k=5)).names == (
        "e",
        "n",
        "s",
        "w",
        "other",
    )


def test_panels_count_those_who_have_what_is_drawn() -> None:
    """A level of 72 persons without a value was refused, and is joined as a small one is."""
    wards = ["n"] * 200 + ["s"] * 200 + [None] * 72
    x = [1.0] * 400 + [None] * 69 + [2.0] * 3
    table = open_table(pa.table({"ward": wards, "x": x}), kinds={}, roles={}, unit=None, key=None)

    assert panels_of(table, asked_of_levels()).names == ("s", "n + other")
    assert levels_of(table, "ward", asked_of_levels()).names == ("n", "s", "(missing)")


def test_more_levels_than_can_be_told_apart_are_refused() -> None:
    held: dict[str | None, int] = {f"w{i}": 60 for i in range(61)}

    assert len(levels_of(table_of_levels(held), "ward", asked_of_levels()).names) == 61
    with pytest.raises(RefusedError, match="'ward' has more than 60 levels, too many to be told"):
        panels_of(table_of_levels(held), asked_of_levels())
    del held["w60"]
    assert len(panels_of(table_of_levels(held), asked_of_levels()).names) == 60
