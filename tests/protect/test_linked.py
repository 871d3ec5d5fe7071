"""Tables that are shown together: what follows from all of them, and what follows from none."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.protect.cells import bounds
from discreet.protect.linked import (
    MOST_JOINT,
    LinkedTable,
    bins_give_away,
    in_circles,
    tables_give_away,
)

K = 3
CUBES = st.lists(st.integers(0, 4), min_size=8, max_size=8).map(lambda it: np.array(it))


def table(names: str, counts: object, hidden: object = ()) -> LinkedTable:
    """Return a table of two columns, of which some cells are hidden."""
    cells = np.array(counts, dtype=np.int64)
    shown = np.ones(cells.shape, dtype=np.bool_)
    for place in list(hidden):  # type: ignore[call-overload]
        shown[place] = False
    return LinkedTable((names[0], names[1]), cells, shown)


ALL = [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_rectangle_of_hidden_cells_leaves_values_enough() -> None:
    one = table("ab", [[20, 3], [9, 30]], ALL)

    assert not tables_give_away([one], k=5)
    # Sums of 10 and 13 leave the cell of 3 the values 0 to 10, of which there are 11.
    small = table("ab", [[3, 7], [10, 30]], ALL)
    assert not tables_give_away([small], k=11)
    assert tables_give_away([small], k=12)


def test_a_hidden_cell_beside_sums_that_are_known_is_given_away() -> None:
    assert tables_give_away([table("ab", [[20, 3], [9, 30]], [(0, 1)])], k=2)
    assert tables_give_away([table("ab", [[20, 3], [9, 30]], [(0, 1), (1, 1)])], k=2)


def test_nothing_hidden_gives_nothing_away() -> None:
    assert not tables_give_away([table("ab", [[20, 3], [9, 30]])], k=5)


def test_tables_in_a_circle_give_away_what_each_of_them_hides() -> None:
    """All of a, b and c are the same 0 or 1 for all persons but three."""
    cube = np.zeros((2, 2, 2), dtype=np.int64)
    cube[0, 0, 0], cube[1, 1, 1], cube[0, 1, 1] = 20, 30, 3
    ab, ac, bc = (cube.sum(axis) for axis in (2, 1, 0))
    hides = table("ab", ab, ALL)
    others = [table("ac", ac), table("bc", bc)]

    assert not tables_give_away([hides], k=3)
    assert tables_give_away([hides, *others], k=3)
    assert not tables_give_away([hides, others[0]], k=3)


def test_a_large_joint_table_is_taken_to_give_a_cell_away() -> None:
    side = int(MOST_JOINT**0.5) + 1
    counts = np.full((side, side), 9)

    assert tables_give_away([table("ab", counts)], k=5)
    assert not tables_give_away([table("ab", counts[:-1, :-1])], k=5)


def test_tables_of_other_persons_are_refused() -> None:
    with pytest.raises(InputError, match=r"^the tables are not of the same persons: their margins"):
        tables_give_away([table("ab", [[5, 5]]), table("ac", [[5, 6]])], k=3)


@given(st.lists(st.integers(0, 9), min_size=6, max_size=9), st.data())
def test_one_table_is_as_bounds_of_its_cells_say(cells: list[int], data: st.DataObject) -> None:
    counts = np.array(cells[: len(cells) // 3 * 3], dtype=np.int64).reshape(-1, 3)
    drawn = data.draw(st.lists(st.booleans(), min_size=counts.size, max_size=counts.size))
    shown = np.array(drawn).reshape(counts.shape)
    full = np.column_stack([counts, counts.sum(1)])
    full = np.vstack([full, full.sum(0)])
    known = np.pad(shown, ((0, 1), (0, 1)), constant_values=True)

    low, high = bounds(full, known)
    narrow = ((high - low)[~known] < K - 1).any()

    assert tables_give_away([LinkedTable(("a", "b"), counts, shown)], K) == bool(narrow)


def ranges_by_trying(cube: np.ndarray, hidden: dict[str, np.ndarray]) -> int:
    """Return the fewest values that a hidden cell has among all cubes with the same sums."""
    axes = {"ab": 2, "ac": 1, "bc": 0}

    def seen(it: np.ndarray) -> tuple[object, ...]:
        of = []
        for name in hidden:
            cells = it.sum(axes[name])
            of += [*cells.sum(0), *cells.sum(1), *cells[~hidden[name]]]
        return tuple(of)

    own, most = seen(cube), int(cube.sum())
    values: dict[tuple[str, int], set[int]] = {}
    for cells in itertools.product(range(most + 1), repeat=7):
        last = most - sum(cells)
        if last < 0:
            continue
        other = np.array([*cells, last]).reshape(2, 2, 2)
        if seen(other) == own:
            for name, mask in hidden.items():
                for place, value in enumerate(other.sum(axes[name])[mask].tolist()):
                    values.setdefault((name, place), set()).add(value)
    return min((len(found) for found in values.values()), default=K)


@pytest.mark.parametrize("seed", range(8))
def test_three_tables_are_as_all_cubes_with_their_sums_say(seed: int) -> None:
    """Of 2 x 2 x 2 the bounds of real numbers are those of whole ones nearly everywhere.

    Where they are not, whole numbers are narrower: what is said to be safe then is not looked for.
    """
    random = np.random.default_rng(seed)
    cube = np.bincount(random.integers(0, 8, 6), minlength=8).reshape(2, 2, 2)
    axes = {"ab": 2, "ac": 1, "bc": 0}
    hidden = {name: random.integers(0, 3, (2, 2)) > 0 for name in axes}
    if not any(mask.any() for mask in hidden.values()):
        hidden["ab"][:] = True
    tables = [LinkedTable((n[0], n[1]), cube.sum(axes[n]), ~hidden[n]) for n in axes]

    fewest = ranges_by_trying(cube, hidden)

    for k in (2, 3, 4):
        if tables_give_away(tables, k):
            assert fewest < k
    assert tables_give_away(tables, fewest + 1)


@given(CUBES)
def test_a_path_of_tables_tells_no_more_than_each_of_them(cells: np.ndarray) -> None:
    cube = cells.reshape(2, 2, 2)
    hidden = [table("ab", cube.sum(2), ALL), table("bc", cube.sum(0), ALL)]

    together = tables_give_away(hidden, K)

    assert together == any(tables_give_away([one], K) for one in hidden)


# --- which tables go round in circles -------------------------------------------------------------

NAMES = st.sampled_from("abcdef")
PAIRS = st.lists(
    st.tuples(NAMES, NAMES).filter(lambda it: it[0] < it[1]), unique=True, min_size=1, max_size=10
)


def ways(pairs: list[tuple[str, str]], start: str) -> set[str]:
    found, new = set[str](), {start}
    while new:
        found |= new
        new = {n for pair in pairs for n in pair if {*pair} & found} - found
    return found


@given(PAIRS, st.data())
def test_what_goes_round_is_what_can_be_reached_without_it(
    pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    """A table is in a circle where its columns hang together without it, and then all of that."""
    one = data.draw(st.sampled_from(pairs))
    without = [pair for pair in pairs if pair != one]

    found = in_circles(pairs, one)

    assert one in found
    if one[1] in ways(without, one[0]):
        assert len(found) >= 3
    ends = Counter(name for pair in found for name in pair)
    assert len(found) == 1 or min(ends.values()) > 1
    assert set(found) <= set(pairs)


# --- bins -----------------------------------------------------------------------------------------


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=5),
    st.booleans(),
)
def test_hidden_bins_are_as_all_that_add_up_say(held: list[int], show_empty: bool) -> None:
    k = 5
    held = [max(it, int(show_empty)) for it in held]
    counts = np.array([9, *held, 7])
    shown = np.array([True, *[False] * len(held), True])
    some = [
        it
        for it in itertools.product(range(int(show_empty), k), repeat=len(held))
        if sum(it) == sum(held)
    ]
    fewest = min(len({it[place] for it in some}) for place in range(len(held)))
    wanted = k - int(show_empty)

    told = bins_give_away(counts, shown, k, show_empty=show_empty)

    assert told == (sum(held) > 0 and fewest < wanted)


def test_bins_that_hide_nothing_give_nothing_away() -> None:
    assert not bins_give_away(np.array([9, 8]), np.array([True, True]), 5)
