"""Bar charts and cross-tables: by hand, and attacked with linear programs."""

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from discreet.errors import RefusedError
from discreet.plots import BarView, CrossTableView, Origin
from discreet.plots import bars as bar_chart
from discreet.plots import crosstab as cross_table
from discreet.policy import Policy
from discreet.protect.cells import bounds
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
EXACT = Policy.preset("standard", rows="condensation", round_to=1)
RESEARCH = Policy.preset("research")
Cells = Sequence[Sequence[int]]


def table_of(columns: dict[str, Any], unit: str | None = None) -> Table:
    """Put columns behind a table; whoever is counted has words for levels."""
    text = {name: pa.array(values) for name, values in columns.items()}
    return open_table(pa.table(text), kinds={}, roles={}, unit=unit, key=None)


def persons(cells: Cells, rows: str = "abcdefgh", columns: str = "uvwxyz") -> dict[str, Any]:
    """Make persons: so many of each row level (of `one`) and column level (of `two`)."""
    pairs = [
        (row, column)
        for row, held in zip(rows, cells, strict=False)
        for column, n in zip(columns, held, strict=False)
        for _ in range(n)
    ]
    one, two = zip(*pairs, strict=True)
    return {
        "one": pa.array([None if level == "-" else level for level in one], pa.string()),
        "two": pa.array([None if level == "-" else level for level in two], pa.string()),
    }


def bars(
    table: Table, policy: Policy = EXACT, column: str = "one", by: str | None = None, **named: Any
) -> BarView:
    """Draw bars."""
    return bar_chart.from_counts(table, policy.settle("bars", [column], by=by, **named), ORIGIN)


def crosstab(
    table: Table, policy: Policy = EXACT, columns: tuple[str, str] = ("one", "two"), **named: Any
) -> CrossTableView:
    """Count a cross-table."""
    return cross_table.from_counts(table, policy.settle("crosstab", columns, **named), ORIGIN)


# --- bars -------------------------------------------------------------------------------------


def wards(**held: int) -> Table:
    """Make a table of so many persons of each ward."""
    levels = [None if ward == "none" else ward for ward, n in held.items() for _ in range(n)]
    return table_of({"one": levels})


def test_bars_are_counts_of_the_levels() -> None:
    view = bars(wards(n=31, s=17, w=8), Policy.preset("standard", rows="condensation"))

    assert view.levels == ("n", "s", "w")
    assert view.counts == (30, 15, 10)
    assert (view.by, view.by_levels, view.by_counts) == (None, (), ())
    assert view.parameters == {"k": 5, "round_to": 5}
    assert view.suppressed is None
    assert view.origin == dataclasses.replace(ORIGIN, shown=55, total=55)


def test_levels_of_fewer_than_k_are_one_bar() -> None:
    view = bars(wards(n=40, s=7, w=4, e=2, none=3))

    assert (view.levels, view.counts) == (("n", "s", "other"), (40, 7, 9))


def test_a_missing_level_is_a_bar() -> None:
    view = bars(wards(n=40, none=10))

    assert (view.levels, view.counts) == (("n", "(missing)"), (40, 10))


def test_research_names_every_level_and_hides_small_counts() -> None:
    view = bars(wards(n=4, s=2, w=1, none=3), RESEARCH)

    assert (view.levels, view.counts) == (("n", "s", "w", "(missing)"), (4, None, None, 3))
    assert view.suppressed == 2


def test_raw_counts_exist_under_research() -> None:
    view = bars(wards(n=4, s=2, w=1), RESEARCH, method="none")

    assert (view.levels, view.counts, view.suppressed) == (("n", "s", "w"), (4, 2, 1), 0)
    assert view.parameters == {}


def test_a_person_counts_once_a_bar() -> None:
    # 30 persons twice at n, 20 of them once more at s, 5 other at s and w
    who = [*range(30), *range(30), *range(20), *range(100, 125), *range(100, 105)]
    ward = ["n"] * 60 + ["s"] * 45 + ["w"] * 5
    table = table_of({"one": ward, "who": who}, unit="who")

    assert bars(table).counts == (30, 45, 5)


def test_persons_who_share_small_levels_do_not_make_a_large_one() -> None:
    # the same three persons at s and at w: six rows, and still three persons
    who = [*range(60), *range(3), *range(3)]
    ward = ["n"] * 60 + ["s"] * 3 + ["w"] * 3

    with pytest.raises(RefusedError, match="some person has several levels, so small ones cannot"):
        bars(table_of({"one": ward, "who": who}, unit="who"))


@pytest.mark.parametrize(("n", "enough"), [(49, False), (50, True)])
@pytest.mark.parametrize("draw", [bars, crosstab])
def test_ten_k_persons_are_needed(draw: Callable[[Table], Any], n: int, enough: bool) -> None:
    table = table_of({"one": ["a", "b"] * 20 + ["a"] * (n - 40), "two": ["u"] * n})
    if enough:
        assert draw(table)
        return
    with pytest.raises(RefusedError, match=r"too few complete rows: .* at least 10 k") as refused:
        draw(table)
    assert "49" not in str(refused.value)


def test_rows_of_one_person_are_not_ten_k_persons() -> None:
    # 49 persons with 90 rows
    table = table_of({"one": ["n"] * 49 + ["s"] * 41, "who": [*range(49), *range(41)]}, unit="who")

    with pytest.raises(RefusedError, match="too few complete rows"):
        bars(table)


# --- cross-tables -----------------------------------------------------------------------------


def test_a_small_cell_takes_three_others_with_it() -> None:
    # the example of CellSuppression
    view = crosstab(table_of(persons([[20, 3, 9], [12, 30, 7], [8, 25, 40]])))

    assert (view.row_levels, view.column_levels) == (("a", "b", "c"), ("u", "v", "w"))
    assert view.counts == ((20, None, None), (12, None, None), (8, 25, 40))
    assert (view.row_totals, view.column_totals) == ((32, 49, 73), (40, 58, 56))
    assert view.total == 154
    assert view.suppressed is None
    assert view.parameters == {"k": 5}


def test_every_number_is_rounded_by_itself() -> None:
    view = crosstab(
        table_of(persons([[21, 8], [12, 33]])), Policy.preset("standard", rows="condensation")
    )

    assert view.counts == ((20, 10), (10, 35))
    assert (view.row_totals, view.column_totals, view.total) == ((30, 45), (35, 40), 75)
    assert view.parameters == {"k": 5, "round_to": 5}


def test_small_levels_of_either_column_are_joined() -> None:
    cells = [[30, 20, 2], [20, 30, 1], [2, 1, 0], [1, 1, 1]]

    view = crosstab(table_of(persons(cells, columns="uv-")))

    # row levels of 52, 51, 3 and 3 persons; column levels of 53, 52 and 4
    assert view.row_levels == ("a", "b", "other")
    assert view.column_levels == ("u", "v + other")
    assert view.counts == ((30, 22), (20, 31), (None, None)) or None in view.counts[2]
    assert (view.row_totals, view.total) == ((52, 51, 6), 109)


def test_research_names_every_level_and_tells_how_much_is_hidden() -> None:
    view = crosstab(table_of(persons([[9, 1, 4], [3, 5, 6], [7, 8, 2]])), RESEARCH)

    hidden = [cell for row in view.counts for cell in row if cell is None]
    assert view.counts[0][1] is None
    assert view.counts[2][2] is None
    assert view.suppressed == len(hidden)
    assert view.total == 45


def test_raw_tables_exist_under_research() -> None:
    view = crosstab(table_of(persons([[1, 0], [2, 7]])), RESEARCH, method="none")

    assert view.counts == ((1, 0), (2, 7))
    assert (view.row_totals, view.column_totals, view.total) == ((1, 9), (3, 7), 10)
    assert view.suppressed == 0


def test_empty_cells_are_told_where_the_policy_says_so() -> None:
    table = table_of(persons([[30, 0], [20, 9]]))

    assert crosstab(table).counts == ((None, None), (None, None))
    assert crosstab(table, EXACT.changed(show_empty=True)).counts == ((30, 0), (20, 9))


PRINTED: dict[str, tuple[list[list[int]], list[list[int | None]]]] = {  # cells, what is shown
    "a threshold for cells that are not empty": (
        [[20, 2, 9], [12, 30, 7], [8, 25, 40]],
        [[20, None, None], [12, None, None], [8, 25, 40]],
    ),
    "an empty cell, and that of 100 % beside it": ([[20, 0], [10, 15]], [[None, None]] * 2),
    "a line of one cell": (
        [[20, 0, 0], [10, 15, 8], [7, 9, 12]],
        [[None, None, None], [None, None, None], [7, 9, 12]],
    ),
    "nothing to hide": ([[20, 3], [10, 15]], [[20, 3], [10, 15]]),
}


@pytest.mark.parametrize(("cells", "shown"), PRINTED.values(), ids=PRINTED)
def test_research_protects_cells_of_0_and_100_per_cent_as_the_paper_prints(
    cells: list[list[int]], shown: list[list[int | None]]
) -> None:
    # Avraam et al. (2021), section 2.1, k = 3
    view = crosstab(table_of(persons(cells)), RESEARCH)

    assert [list(row) for row in view.counts] == shown
    for row, total in zip(view.counts, view.row_totals, strict=True):
        assert total not in row
    for column, total in zip(zip(*view.counts, strict=True), view.column_totals, strict=True):
        assert total not in column


TWICE = {"one": ["a", "b"] * 60, "two": ["u"] * 60 + ["v"] * 60, "who": [*range(60), *range(60)]}


@pytest.mark.parametrize("policy", [EXACT, RESEARCH], ids=["guarded", "research"])
def test_persons_with_several_rows_are_refused_with_advice(policy: Policy) -> None:
    table = table_of(TWICE, unit="who")

    advice = r"several rows.*one row a person first, or draw a bar chart of one column"
    with pytest.raises(RefusedError, match=advice):
        crosstab(table, policy)
    with pytest.raises(RefusedError, match=advice):
        bars(table, policy, by="two")
    assert bars(table, policy).counts == (30, 30)


def test_persons_with_one_row_each_are_counted() -> None:
    table = table_of(TWICE | {"who": [*range(120)]}, unit="who")

    assert crosstab(table).counts == ((30, 30), (30, 30))
    assert crosstab(table).origin.counted == ORIGIN.counted


# --- attacks ----------------------------------------------------------------------------------


def known(view: CrossTableView) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return what a reader knows of a table: counts with margins, and which of them."""
    rows = [[*row, total] for row, total in zip(view.counts, view.row_totals, strict=True)]
    rows.append([*view.column_totals, view.total])
    shown = np.array([[count is not None for count in row] for row in rows])
    return np.array([[count or 0 for count in row] for row in rows]), shown


def narrowest(counts: NDArray[np.int64], shown: NDArray[np.bool_]) -> float:
    """Return how many lie between the least and the largest value of the best known hidden count.

    A twin of `discreet.protect.cells.bounds`, with the cells as unknowns and each margin that is
    shown as an equation.
    """
    r, c = (size - 1 for size in counts.shape)
    cell = np.arange(r * c).reshape(r, c)
    sums = {(i, j): cell[i, j : j + 1] for i in range(r) for j in range(c)}
    sums |= {(i, c): cell[i] for i in range(r)} | {(r, j): cell[:, j] for j in range(c)}
    sums[r, c] = cell.ravel()

    def weights(of: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.isin(np.arange(r * c), of).astype(float)

    given = [place for place in sums if shown[place]]
    equations = np.array([weights(sums[place]) for place in given]) if given else None
    totals = [counts[place] for place in given] if given else None
    widths = [np.inf]
    for place in [place for place in sums if not shown[place]]:
        ends = []
        for sign in (1, -1):
            found = linprog(sign * weights(sums[place]), A_eq=equations, b_eq=totals)
            ends.append(sign * found.fun if found.status == 0 else np.inf)
        widths.append(ends[1] - ends[0])
    return min(widths)


@st.composite
def cells_of(draw: st.DrawFn) -> list[list[int]]:
    """Draw a small table, sparse enough for some of it to be hidden."""
    r, c = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    count = st.sampled_from([0, 0, 1, 2, 3, 4, 5, 8, 13, 40])
    held = draw(st.lists(st.lists(count, min_size=c, max_size=c), min_size=r, max_size=r))
    held[draw(st.integers(0, r - 1))][draw(st.integers(0, c - 1))] += 60
    return held


@given(cells_of(), st.sampled_from(["guarded", "research"]), st.booleans(), st.integers(3, 6))
def test_no_hidden_count_is_narrowed_below_k_minus_1(
    held: list[list[int]], regime: str, show_empty: bool, k: int
) -> None:
    policy = (EXACT if regime == "guarded" else RESEARCH).changed(k=k, show_empty=show_empty)
    try:
        view = crosstab(table_of(persons(held, rows="abc-", columns="uvw-")), policy)
    except RefusedError:
        return
    counts, shown = known(view)

    assert all(count == 0 or count >= k for count in counts[shown].tolist())
    assert show_empty or counts[shown].all()
    lows, highs = bounds(counts, shown)
    width = min((highs - lows)[~shown].tolist(), default=np.inf)
    assert width >= k - 1
    assert narrowest(counts, shown) == pytest.approx(width)


@given(cells_of(), st.booleans())
def test_bars_of_a_table_and_bars_of_its_columns_give_nothing_back(
    held: list[list[int]], show_empty: bool
) -> None:
    """The margins are shown as bars as well: a cross-table must stand with all of them known."""
    policy = EXACT.changed(show_empty=show_empty)
    table = table_of(persons(held, rows="abc-", columns="uvw-"))
    try:
        view = crosstab(table, policy)
    except RefusedError:
        return
    counts, shown = known(view)
    for place, margin in (((slice(None, -1), -1), "one"), ((-1, slice(None, -1)), "two")):
        of = bars(table, policy, margin).counts
        told = np.array([count is not None for count in of])
        counts[place] = np.where(told, [count or 0 for count in of], counts[place])
        shown[place] |= told
    counts[-1, -1], shown[-1, -1] = sum(map(sum, held)), True

    lows, highs = bounds(counts, shown)
    assert min((highs - lows)[~shown].tolist(), default=np.inf) >= 4


@given(cells_of(), st.sampled_from(["guarded", "research"]))
def test_divided_bars_are_the_table_whichever_way_it_is_asked_for(
    held: list[list[int]], regime: str
) -> None:
    policy = EXACT if regime == "guarded" else RESEARCH
    table = table_of(persons(held, rows="abc-", columns="uvw-"))
    answers: list[Any] = []
    for ask in (
        lambda: crosstab(table, policy),
        lambda: crosstab(table, policy, ("two", "one")),
        lambda: bars(table, policy, "one", by="two"),
        lambda: bars(table, policy, "two", by="one"),
    ):
        try:
            answers.append(ask())
        except RefusedError:
            answers.append(None)
    if None in answers:
        assert answers == [None] * 4
        return
    across, down, upright, lying = answers

    assert upright.levels == lying.by_levels == across.row_levels == down.column_levels
    assert lying.levels == upright.by_levels == across.column_levels == down.row_levels
    assert down.counts == tuple(zip(*across.counts, strict=True))
    assert upright.by_counts == tuple(zip(*across.counts, strict=True))
    assert lying.by_counts == across.counts
    assert upright.counts == across.row_totals == down.column_totals
    assert lying.counts == across.column_totals == down.row_totals
    assert across.total == down.total
    assert len({view.suppressed for view in answers}) == 1


def test_hiding_the_small_cells_alone_would_not_do() -> None:
    """The attack that complementary hiding is there for: the sums give the cell back."""
    cells = np.array([[20, 3, 9, 32], [12, 30, 7, 49], [8, 25, 40, 73], [40, 58, 56, 154]])

    assert narrowest(cells, cells != 3) == 0


@given(cells_of(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(held: list[list[int]], random: Any) -> None:
    made = persons(held)
    order = list(range(len(made["one"])))
    random.shuffle(order)
    shuffled = {name: values.take(pa.array(order)) for name, values in made.items()}
    found: list[Any] = []
    for columns in (made, shuffled):
        try:
            found.append(crosstab(table_of(columns)))
        except RefusedError as refused:
            found.append(str(refused))

    assert found[0] == found[1]


def test_every_shown_count_is_what_it_says() -> None:
    rng = np.random.default_rng(5)
    one, two = rng.choice(list("abcd"), 300), rng.choice(list("uvw"), 300, p=[0.9, 0.07, 0.03])
    view = crosstab(table_of({"one": one, "two": two}))

    pairs = list(zip(one.tolist(), two.tolist(), strict=True))
    for (i, row), (j, column) in itertools.product(
        enumerate(view.row_levels), enumerate(view.column_levels)
    ):
        assert view.counts[i][j] in (pairs.count((row, column)), None)
    assert sum(count is None for row in view.counts for count in row) > 0


# --- very many levels -------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [EXACT, RESEARCH], ids=["guarded", "research"])
def test_five_thousand_levels_are_refused_before_anything_is_counted(
    policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were drawn as a black band, in a hundred seconds."""
    n = 5000
    columns = {"one": [f"c{i % n}" for i in range(6 * n)], "two": ["u", "v"] * (3 * n)}
    table = table_of(columns)
    monkeypatch.setattr(Table, "count", None)

    with pytest.raises(RefusedError, match=r"'one' has more than 200 levels.*; join levels"):
        bars(table, policy)
    for column, by in (("one", "two"), ("two", "one")):
        with pytest.raises(RefusedError, match=r"more than 200 pairs of levels.*; join levels"):
            bars(table, policy, column, by)
    with pytest.raises(RefusedError, match=r"'one' by 'two' has more than 1000 pairs of levels"):
        crosstab(table, policy)


def test_as_many_levels_as_can_be_told_apart_are_drawn() -> None:
    columns = {"one": [f"c{i % 200}" for i in range(1000)]}

    assert len(bars(table_of(columns)).levels) == 200
