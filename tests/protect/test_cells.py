"""Cross-tables: what is hidden cannot be worked out, and no more is hidden than that takes."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.protect import COUNT_METHODS, CellSuppression, GuardedTable, check_table
from discreet.protect.cells import bounds

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

laws = settings(deadline=None, derandomize=True, max_examples=120)
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
