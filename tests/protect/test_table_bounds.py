"""The attack on a cross-table: what the shown counts leave open of the hidden ones."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.errors import BrokenPromiseError, InputError
from discreet.protect.table_bounds import bounds, check_table

INF = float("inf")
Bins = NDArray[np.int64]
Mask = NDArray[np.bool_]


def with_margins(cells: Any) -> Bins:
    rows = np.vstack([cells, np.sum(cells, axis=0)])
    return np.column_stack([rows, rows.sum(axis=1)])


def mask(*rows: str) -> Mask:
    """Read a picture of what is shown; '.' is hidden."""
    return np.array([[sign != "." for sign in row] for row in rows])


BY_HAND: dict[str, tuple[Any, Mask, Any, Any]] = {  # cells, shown, lows and highs of the hidden
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


@pytest.mark.parametrize(("cells", "shown", "low", "high"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(cells: Any, shown: Mask, low: Any, high: Any) -> None:
    counts = np.where(shown, with_margins(cells), 0)

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
laws = settings(deadline=None, derandomize=True, max_examples=80)
tiny = st.sampled_from(SHAPES).flatmap(
    lambda shape: st.tuples(
        hnp.arrays(np.int64, shape, elements=st.integers(0, 3)),
        hnp.arrays(np.bool_, (shape[0] + 1, shape[1] + 1)),
    )
)


@laws
@given(tiny, st.integers(1, 6))
def test_bounds_and_verdict_are_those_of_trying_every_table(drawn: Any, k: int) -> None:
    cells, shown = drawn
    shown[-1, -1] = True
    full = with_margins(cells)
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
    full = with_margins(rng.poisson(6, size=rng.integers(2, 7, size=2)))
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
    full = with_margins([[3, 4 * 10**9], [5 * 10**9, 10**10]])

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
    full = with_margins([[2, 2, 20], [1, 2, 20], [20, 20, 20]])  # the hidden: 4 and 3 in a line
    counts = np.where(shown, full, 0)

    check_table(counts, shown, k=4)
    with pytest.raises(BrokenPromiseError, match="worked out"):
        check_table(counts, shown, k=5)


WRONG: dict[str, tuple[Any, Any, str]] = {
    "two shapes": ([[9, 9], [9, 9]], [[True, True]], "of one shape"),
    "no margins": ([[9, 9]], [[True, False]], "tables with margins"),
    "counts of no table": (
        [[0, 9, 5], [9, 9, 18], [9, 18, 27]],
        mask(".xx", "xxx", "xxx"),
        "add up",
    ),
}


@pytest.mark.parametrize(("counts", "shown", "message"), WRONG.values(), ids=WRONG)
def test_bounds_of_no_table(counts: Any, shown: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bounds(np.array(counts), np.array(shown))
