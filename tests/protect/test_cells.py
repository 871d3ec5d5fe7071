"""Cross-tables: what is hidden, in which order it is looked for, and what an attacker works out."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.protect import COUNT_METHODS, CellSuppression, GuardedTable
from discreet.protect.cells import bounds, check_table, line_order
from tests.cases import examples

Bins = NDArray[np.int64]
Mask = NDArray[np.bool_]


def with_margins(cells: Any) -> Bins:
    rows = np.vstack([cells, np.sum(cells, axis=0)])
    return np.column_stack([rows, rows.sum(axis=1)])


def picture(table: GuardedTable) -> list[str]:
    return ["".join("x" if shown else "." for shown in row) for row in table.shown]


BY_HAND: dict[str, tuple[Any, int, bool, list[str]]] = {  # cells, k, show_empty, what is shown
    "nothing is small": ([[5, 6], [7, 8]], 5, False, ["xxx", "xxx", "xxx"]),
    "one small cell takes three others": ([[1, 9], [9, 9]], 5, False, ["..x", "..x", "xxx"]),
    "the cheapest three": (
        [[20, 3, 9], [12, 30, 7], [8, 25, 40]],
        5,
        False,
        ["x..x", "x..x", "xxxx", "xxxx"],
    ),
    "small cells protect each other": (
        [[2, 9, 2], [9, 9, 9], [2, 9, 2]],
        5,
        False,
        [".x.x", "xxxx", ".x.x", "xxxx"],
    ),
    "an empty cell is as small as any": ([[0, 9], [9, 9]], 5, False, ["..x", "..x", "xxx"]),
    "an empty cell that may be shown": ([[0, 9], [9, 9]], 5, True, ["xxx", "xxx", "xxx"]),
    "a small margin takes another": ([[1, 2], [20, 30]], 5, False, ["...", "...", "xxx"]),
    "one row: a cell and its margin": ([[1, 9, 20]], 5, False, ["..xx", "..xx"]),
    "one column": ([[1], [9], [20]], 5, False, ["..", "..", "xx", "xx"]),
    "only the grand total is left": ([[1, 2], [2, 1]], 5, False, ["...", "...", "..x"]),
    "a single cell": ([[7]], 5, False, ["xx", "xx"]),
    "all empty, which may be shown": ([[0, 0]], 5, True, ["xxx", "xxx"]),
    "k of 1": ([[1, 2], [3, 4]], 1, False, ["xxx", "xxx", "xxx"]),
    "k of 1 and an empty cell": ([[0, 2], [3, 4]], 1, False, [".xx", "xxx", "xxx"]),
}


@pytest.mark.parametrize(("cells", "k", "show_empty", "shown"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(cells: Any, k: int, show_empty: bool, shown: list[str]) -> None:
    table = CellSuppression(k, show_empty)(np.array(cells))

    assert picture(table) == shown
    assert table.counts.tolist() == np.where(table.shown, with_margins(cells), 0).tolist()
    assert table.hidden == sum(row.count(".") for row in shown)


def test_what_is_guarded_cannot_be_written_to_and_does_not_share_the_counts() -> None:
    counts = np.array([[1, 9], [9, 9]])

    table = CellSuppression()(counts)

    with pytest.raises(ValueError, match="read-only"):
        table.counts[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        table.shown[0, 0] = True
    assert counts.tolist() == [[1, 9], [9, 9]]


def test_it_says_what_it_is() -> None:
    assert CellSuppression() == CellSuppression(k=5, show_empty=False)
    assert CellSuppression.name == "cell-suppression"
    assert CellSuppression.name not in COUNT_METHODS  # a table is not asked of a Counter
    assert "at least k" in CellSuppression.promises
    assert "Another table" in CellSuppression.leaves_open


# --- the attack ---------------------------------------------------------------------------------


def small_only(cells: Any, k: int) -> Mask:
    """Hide the small cells and margins alone, as the plain rule does."""
    full = with_margins(cells)
    shown: Mask = (full == 0) | (full >= k)
    return shown


def given_back(full: Bins, shown: Mask) -> int:
    """Count the hidden entries that the shown ones give back exactly."""
    lows, highs = bounds(np.where(shown, full, 0), shown)
    return int(((lows == highs) & ~shown).sum())


def test_the_margins_give_back_what_the_plain_rule_hides_and_not_what_we_hide() -> None:
    rng = np.random.default_rng(5)
    plain = ours = hidden = 0
    for _ in range(20):
        cells = rng.poisson(rng.lognormal(2.5, 0.8, size=(5, 6)))
        full, shown = with_margins(cells), small_only(cells, 5)
        hidden += int((~shown).sum())
        plain += given_back(full, shown)
        ours += given_back(full, CellSuppression(5)(cells).shown)

    assert plain > 0.5 * hidden > 10
    assert ours == 0


def test_the_plain_rule_does_not_pass_the_check() -> None:
    cells = [[1, 9], [9, 9]]
    shown = small_only(cells, 5)
    with pytest.raises(BrokenPromiseError, match="worked out"):
        check_table(np.where(shown, with_margins(cells), 0), shown, 5)


# --- laws ---------------------------------------------------------------------------------------

laws = settings(deadline=None, derandomize=True, max_examples=examples(120))
shapes = hnp.array_shapes(min_dims=2, max_dims=2, max_side=5)
counts = st.one_of(st.integers(0, 3), st.integers(0, 12), st.sampled_from([0, 1, 4, 5, 30]))
tables = hnp.arrays(np.int64, shapes, elements=counts)
methods = st.builds(CellSuppression, st.integers(1, 7), st.booleans())


def guarded(method: CellSuppression, cells: Bins) -> GuardedTable | None:
    """Guard a table; None if it is too small."""
    try:
        return method(cells)
    except RefusedError:
        return None


@laws
@given(tables, methods)
def test_the_promise(cells: Bins, method: CellSuppression) -> None:
    full, k = with_margins(cells), method.k

    table = guarded(method, cells)

    too_small = cells.sum() < k and not (method.show_empty and not cells.any())
    assert (table is None) == too_small
    if table is None:
        return
    assert (table.counts == np.where(table.shown, full, 0)).all()
    assert not (table.shown & (full > 0) & (full < k)).any()
    assert method.show_empty or not (table.shown & (full == 0)).any()
    lows, highs = bounds(table.counts, table.shown)
    assert ((lows <= full) & (full <= highs)).all()
    assert (highs - lows >= k - 1)[~table.shown].all()
    if cells.any():
        assert table.shown[-1, -1]


@laws
@given(tables, methods)
def test_none_that_is_hidden_for_another_could_be_shown(
    cells: Bins, method: CellSuppression
) -> None:
    full, table = with_margins(cells), guarded(method, cells)
    if table is None:
        return
    small = (full < method.k) & ((full > 0) | (not method.show_empty))
    for i, j in np.argwhere(~table.shown & ~small):
        shown = table.shown.copy()
        shown[i, j] = True
        with pytest.raises(BrokenPromiseError, match="worked out"):
            check_table(np.where(shown, full, 0), shown, method.k)


def mirrors(cells: Bins) -> list[tuple[tuple[int, ...], tuple[int, ...], bool]]:
    """Find the ways to permute and exchange lines that leave a table as it is."""
    r, c = cells.shape
    return [
        (rows, columns, flip)
        for flip in ([False, True] if r == c else [False])
        for rows in permutations(range(r))
        for columns in permutations(range(c))
        if ((cells.T if flip else cells)[np.ix_(rows, columns)] == cells).all()
    ]


@laws
@given(
    hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=3), elements=counts),
    methods,
    st.integers(0, 10**6),
)
def test_the_order_of_lines_does_not_matter_but_between_lines_that_are_alike(
    cells: Bins, method: CellSuppression, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(cells.shape[0]), rng.permutation(cells.shape[1])
    flip = bool(seed % 2)
    moved = cells[np.ix_(rows, columns)]

    table, other = guarded(method, cells), guarded(method, moved.T if flip else moved)

    assert (table is None) == (other is None)
    if table is None or other is None:
        return
    back = other.shown.T if flip else other.shown
    expected = table.shown[np.ix_([*rows, len(rows)], [*columns, len(columns)])]
    assert any(
        ((back.T if turn else back)[np.ix_([*p, len(p)], [*q, len(q)])] == expected).all()
        for p, q, turn in mirrors(moved)
    )


@settings(deadline=None, derandomize=True, max_examples=20)
@given(st.integers(0, 10**6), methods)
def test_where_no_lines_are_alike_order_does_not_matter_at_all(
    seed: int, method: CellSuppression
) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.permutation(63).reshape(7, 9)  # every count is another
    rows, columns = rng.permutation(7), rng.permutation(9)

    shown = method(cells).shown

    moved = method(cells[np.ix_(rows, columns)].T).shown
    assert (shown[np.ix_([*rows, 7], [*columns, 9])] == moved.T).all()


SPARSE: dict[str, float] = {"nearly empty": 1, "thin": 4, "middling": 10, "full": 30}


@pytest.mark.parametrize("mean", SPARSE.values(), ids=SPARSE)
def test_large_tables_lose_few_persons_and_keep_their_margins(mean: float) -> None:
    rng = np.random.default_rng(1)
    row, column = rng.lognormal(size=(30, 1)), rng.lognormal(size=(1, 30))
    cells = rng.poisson(mean * row * column)

    table = CellSuppression(5)(cells)

    complementary = ~table.shown[:-1, :-1] & (cells >= 5)
    assert cells[complementary].sum() <= 0.02 * cells.sum()
    assert (~table.shown & (with_margins(cells) >= 5))[-1].sum() <= 2


def test_cells_are_hidden_for_several_ways_round_where_none_alone_is_wide_enough() -> None:
    cells = np.array([[1, 3, 3, 3], [3, 20, 20, 20], [3, 20, 20, 20], [3, 20, 20, 20]])

    table = CellSuppression(k=9)(cells)

    assert table.shown[-1].all()
    assert table.shown[:, -1].all()
    assert 3 <= (~table.shown[1:4, 1:4]).sum() <= 6


# --- what is wrong ------------------------------------------------------------------------------

WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "one line": (np.array([9, 9]), InputError, "counts must be a table of whole numbers"),
    "no cells": (np.zeros((0, 3), dtype=int), InputError, "counts must be a table"),
    "no whole numbers": (np.array([[9.5]]), InputError, "counts must be a table of whole numbers"),
    "truth values": (np.array([[True]]), InputError, "counts must be a table of whole numbers"),
    "a negative count": (np.array([[-1, 9]]), InputError, "counts must be at least 0"),
    "too many persons": (np.array([[2**41]]), InputError, "together below"),
    "too many cells": (np.full((40, 26), 9), RefusedError, "more than 1000 cells; merge levels"),
    "too few persons": (np.array([[1, 1], [1, 1]]), RefusedError, "too small .* merge levels"),
    "nobody": (np.zeros((2, 2), dtype=int), RefusedError, "too small to show any of it"),
}


@pytest.mark.parametrize(("cells", "error", "message"), WRONG.values(), ids=WRONG)
def test_tables_that_are_wrong_or_too_small(
    cells: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        CellSuppression()(cells)


PARAMETERS: dict[str, tuple[dict[str, Any], str]] = {
    "k of nought": ({"k": 0}, "k must be a whole number of at least 1"),
    "k of a half": ({"k": 0.5}, "k must be a whole number of at least 1"),
    "k beyond measure": ({"k": 10**7}, "k must be at most 1000000"),
    "show_empty is a word": ({"show_empty": "no"}, "show_empty must be True or False"),
}


@pytest.mark.parametrize(("parameters", "message"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameters_that_are_wrong(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CellSuppression(**parameters)


def test_a_table_that_once_never_ended_is_guarded() -> None:
    counts = np.array([[45, 52], [27, 25], [19, 24], [1, 7]])

    table = CellSuppression(k=5, show_empty=True)(counts)

    assert not table.shown[3, 0]
    check_table(table.counts, table.shown, 5)


def ordered(cells: Bins) -> Bins:
    flip, rows, columns = line_order(cells)
    return (cells.T if flip else cells)[np.ix_(rows, columns)]


def permuted(cells: Bins, seed: int) -> Bins:
    rng = np.random.default_rng(seed)
    cells = cells[rng.permutation(len(cells))][:, rng.permutation(cells.shape[1])]
    return cells.T if rng.random() < 0.5 else cells


BY_HAND_OF_LINE_ORDER: dict[str, tuple[Any, Any]] = {
    "columns by their counts": ([[3, 1, 2]], [[1, 2, 3]]),
    "a tall table is flipped": ([[3], [1], [2]], [[1, 2, 3]]),
    "a square one where that comes first": ([[2, 1], [3, 1]], [[1, 1], [2, 3]]),
    "by where the counts lie": ([[0, 1, 0], [2, 0, 0]], [[0, 0, 1], [0, 2, 0]]),
}


@pytest.mark.parametrize(
    ("cells", "out"), BY_HAND_OF_LINE_ORDER.values(), ids=BY_HAND_OF_LINE_ORDER
)
def test_by_hand_of_line_order(cells: Any, out: Any) -> None:
    assert ordered(np.array(cells)).tolist() == out


shapes_of_line_order = hnp.array_shapes(min_dims=2, max_dims=2, max_side=4)


@settings(deadline=None, derandomize=True, max_examples=examples(200))
@given(
    hnp.arrays(np.int64, shapes_of_line_order, elements=st.integers(0, 2)), st.integers(0, 10**6)
)
def test_the_order_that_lines_came_in_does_not_matter(cells: Bins, seed: int) -> None:
    assert ordered(permuted(cells, seed)).tolist() == ordered(cells).tolist()


TWO_RINGS = np.zeros((5, 5), dtype=np.int64)
TWO_RINGS[:2, :2] = 1
TWO_RINGS[2:, 2:] = 1 - np.eye(3, dtype=np.int64)
REGULAR: dict[str, Bins] = {  # every line holds the same counts
    "a diagonal": np.eye(6, dtype=np.int64),
    "a ring": np.eye(6, dtype=np.int64) + np.roll(np.eye(6, dtype=np.int64), 1, axis=1),
    "two rings of unlike size": TWO_RINGS,
    "turned round": (np.arange(5)[:, None] + np.arange(5)) % 5,
}


@pytest.mark.parametrize("cells", REGULAR.values(), ids=REGULAR)
def test_regular_tables(cells: Bins) -> None:
    first = ordered(cells).tolist()

    assert all(ordered(permuted(cells, seed)).tolist() == first for seed in range(20))


INF = float("inf")


def with_margins_of_table_bounds(cells: Any) -> Bins:
    rows = np.vstack([cells, np.sum(cells, axis=0)])
    return np.column_stack([rows, rows.sum(axis=1)])


def mask(*rows: str) -> Mask:
    """Read a picture of what is shown; '.' is hidden."""
    return np.array([[sign != "." for sign in row] for row in rows])


BY_HAND_OF_TABLE_BOUNDS: dict[
    str, tuple[Any, Mask, Any, Any]
] = {  # cells, shown, lows and highs of the hidden
    "one cell alone": ([[2, 8], [9, 9]], mask(".xx", "xxx", "xxx"), [2], [2]),
    "a rectangle": (
        [[2, 8], [9, 9]],
        mask("..x", "..x", "xxx"),
        [0, 0, 1, 7],
        [10, 10, 11, 17],
    ),
    "the smallest margin is the limit": (
        [[2, 3], [1, 50]],
        mask("..x", "..x", "xxx"),
        [0, 2, 0, 48],
        [3, 5, 3, 51],
    ),
    "a cell and its margin": ([[2, 8], [9, 9]], mask(".x.", "xxx", "xxx"), [2, 10], [2, 10]),
    "margins of one line": ([[3, 8]], mask("..x", "..x"), [0, 0, 0, 0], [11, 11, 11, 11]),
    "without a grand total": (
        [[2, 8], [9, 9]],
        mask(".x.", "xxx", ".x."),
        [0, 8, 9, 26],
        [INF, INF, INF, INF],
    ),
}


@pytest.mark.parametrize(
    ("cells", "shown", "low", "high"), BY_HAND_OF_TABLE_BOUNDS.values(), ids=BY_HAND_OF_TABLE_BOUNDS
)
def test_by_hand_of_table_bounds(cells: Any, shown: Mask, low: Any, high: Any) -> None:
    counts = np.where(shown, with_margins_of_table_bounds(cells), 0)

    lows, highs = bounds(counts, shown)

    assert lows[~shown].tolist() == low
    assert highs[~shown].tolist() == high
    assert lows[shown].tolist() == highs[shown].tolist() == counts[shown].tolist()


# --- a twin that tries every table --------------------------------------------------------------


def by_enumeration(counts: Bins, shown: Mask) -> tuple[Bins, Bins]:
    """Find the bounds by trying all tables that have the grand total, which must be shown."""
    r, c = counts.shape[0] - 1, counts.shape[1] - 1
    tries = np.indices((counts[-1, -1] + 1,) * (r * c)).reshape(r, c, -1)
    rows = np.concatenate([tries, tries.sum(axis=0, keepdims=True)])
    tables = np.concatenate([rows, rows.sum(axis=1, keepdims=True)], axis=1)
    fits = (tables[shown] == counts[shown][:, None]).all(axis=0)
    return tables[:, :, fits].min(axis=2), tables[:, :, fits].max(axis=2)


SHAPES = [(1, 1), (1, 2), (1, 4), (2, 2), (3, 1), (2, 3), (3, 2)]
laws_of_table_bounds = settings(deadline=None, derandomize=True, max_examples=examples(80))
tiny = st.sampled_from(SHAPES).flatmap(
    lambda shape: st.tuples(
        hnp.arrays(np.int64, shape, elements=st.integers(0, 3)),
        hnp.arrays(np.bool_, (shape[0] + 1, shape[1] + 1)),
    )
)


@laws_of_table_bounds
@given(tiny, st.integers(1, 6))
def test_bounds_and_verdict_are_those_of_trying_every_table(drawn: Any, k: int) -> None:
    cells, shown = drawn
    shown[-1, -1] = True
    full = with_margins_of_table_bounds(cells)
    assume(full[-1, -1] <= 6)
    counts = np.where(shown, full, 0)

    low, high = by_enumeration(counts, shown)
    lows, highs = bounds(counts, shown)

    assert (lows == low).all()
    assert (highs == high).all()
    small = ((counts > 0) & (counts < k)).any()
    if small or (high - low < k - 1)[~shown].any():
        with pytest.raises(BrokenPromiseError, match=r"fewer than k persons|worked out"):
            check_table(counts, shown, k)
    else:
        check_table(counts, shown, k)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 9))
def test_the_verdict_is_that_of_the_bounds(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    full = with_margins_of_table_bounds(rng.poisson(6, size=rng.integers(2, 7, size=2)))
    shown = rng.random(full.shape) < 0.4
    shown |= full >= 3 * k
    shown &= (full == 0) | (full >= k)
    counts = np.where(shown, full, 0)

    lows, highs = bounds(counts, shown)

    if (highs - lows >= k - 1)[~shown].all():
        check_table(counts, shown, k)
    else:
        with pytest.raises(BrokenPromiseError, match="worked out"):
            check_table(counts, shown, k)


def test_counts_of_whole_populations_are_no_trouble() -> None:
    shown = mask("..x", "..x", "xxx")
    full = with_margins_of_table_bounds([[3, 4 * 10**9], [5 * 10**9, 10**10]])

    check_table(full, shown, 5)
    with pytest.raises(BrokenPromiseError, match="worked out"):
        check_table(full, mask(".xx", "xxx", "xxx"), 5)


# --- what is wrong ------------------------------------------------------------------------------

ALL = mask("xxx", "xxx", "xxx")
CELLS_HIDDEN = mask("..x", "..x", "xxx")
BROKEN: dict[str, tuple[Any, Mask, str]] = {  # counts, shown, message at k = 5
    "a small cell": ([[1, 9, 10], [9, 9, 18], [10, 18, 28]], ALL, "fewer than k persons"),
    "a negative count": ([[-9, 9, 0], [9, 0, 9], [0, 9, 9]], ALL, "fewer than k persons"),
    "a cell that follows": (
        [[0, 9, 10], [9, 9, 18], [10, 18, 28]],
        mask(".xx", "xxx", "xxx"),
        "worked out",
    ),
    "a wrong sum": ([[9, 9, 18], [9, 9, 19], [18, 18, 36]], ALL, "add up"),
    "a wrong sum of margins": ([[0, 0, 9], [0, 0, 9], [9, 10, 19]], CELLS_HIDDEN, "add up"),
    "a hidden count below 0": (
        [[0, 9, 8], [9, 0, 0], [0, 0, 0]],
        mask(".xx", "x..", "..."),
        "add up",
    ),
    "two shapes": ([[9, 9], [9, 9]], mask("xx"), "two shapes"),
}


@pytest.mark.parametrize(("counts", "shown", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_promise_is_found(counts: Any, shown: Mask, message: str) -> None:
    with pytest.raises(BrokenPromiseError, match=message):
        check_table(np.array(counts), shown, 5)


def test_a_range_of_just_k_less_1_is_enough() -> None:
    shown = mask("..xx", "..xx", "xxxx", "xxxx")
    full = with_margins_of_table_bounds(
        [[2, 2, 20], [1, 2, 20], [20, 20, 20]]
    )  # the hidden: 4 and 3 in a line
    counts = np.where(shown, full, 0)

    check_table(counts, shown, k=4)
    with pytest.raises(BrokenPromiseError, match="worked out"):
        check_table(counts, shown, k=5)


WRONG_OF_TABLE_BOUNDS: dict[str, tuple[Any, Any, str]] = {
    "two shapes": ([[9, 9], [9, 9]], [[True, True]], "of one shape"),
    "no margins": ([[9, 9]], [[True, False]], "tables with margins"),
    "counts of no table": (
        [[0, 9, 5], [9, 9, 18], [9, 18, 27]],
        mask(".xx", "xxx", "xxx"),
        "add up",
    ),
}


@pytest.mark.parametrize(
    ("counts", "shown", "message"), WRONG_OF_TABLE_BOUNDS.values(), ids=WRONG_OF_TABLE_BOUNDS
)
def test_bounds_of_no_table(counts: Any, shown: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bounds(np.array(counts), np.array(shown))
