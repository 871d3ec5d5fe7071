"""Grids, and persons counted on them, once each."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.table import BinAxis, Counted

Pairs = list[tuple[int, int]]


def of_pairs(pairs: Pairs, shape: tuple[int, ...], left_out: int = 0) -> Counted:
    """Count persons: `pairs` are of a cell and a person in it."""
    cells = np.array([cell for cell, _ in pairs], dtype=np.int64)
    persons = np.array([person for _, person in pairs], dtype=np.intp)
    return Counted(shape, cells, np.ones(len(pairs), dtype=np.int64), persons, left_out)


def of_weights(weights: dict[int, int], shape: tuple[int, ...], left_out: int = 0) -> Counted:
    """Count records: how many there are in each cell that has any."""
    cells = np.array(list(weights), dtype=np.int64)
    return Counted(shape, cells, np.array(list(weights.values()), np.int64), None, left_out)


AXES: dict[str, tuple[BinAxis, float, list[float]]] = {
    "of whole numbers": (BinAxis("age", 0, 40, 4), 10.0, [0, 10, 20, 30, 40]),
    "of a quarter": (BinAxis("age", -0.5, 0.5, 4), 0.25, [-0.5, -0.25, 0, 0.25, 0.5]),
    "of one bin": (BinAxis("age", 3, 5, 1), 2.0, [3, 5]),
}


@pytest.mark.parametrize(("axis", "width", "edges"), AXES.values(), ids=AXES)
def test_an_axis_has_bins_of_one_width(axis: BinAxis, width: float, edges: list[float]) -> None:
    assert axis.width == width
    assert axis.edges.tolist() == edges


def test_the_ends_of_an_axis_are_exact() -> None:
    axis = BinAxis("age", 0.1, 0.7, 7)

    assert axis.edges[0] == 0.1
    assert axis.edges[-1] == 0.7


BETWEEN = BinAxis("age", 0, 120, 3, (0, 18, 65, 120))
PLACES: dict[str, tuple[BinAxis, list[float], list[int]]] = {
    "of one width": (BinAxis("age", 0, 3, 3), [-9, 0, 0.999, 1, 2, 3, 99], [0, 0, 0, 1, 2, 2, 2]),
    "a third of a tenth below": (BinAxis("age", 0, 1, 10), [0.3, 0.1 * 3, 0.29999], [3, 3, 2]),
    "between breaks": (BETWEEN, [-9, 0, 17.9, 18, 64, 65, 120, 999], [0, 0, 0, 1, 1, 2, 2, 2]),
    "of one bin between breaks": (BinAxis("age", 0, 1, 1, (0, 1)), [-9, 0.5, 9], [0, 0, 0]),
}


@pytest.mark.parametrize(("axis", "values", "places"), PLACES.values(), ids=PLACES)
def test_which_bin_a_value_is_in(axis: BinAxis, values: list[float], places: list[int]) -> None:
    assert axis.places(np.array(values, dtype=float)).tolist() == places


def test_breaks_are_the_edges_as_they_were_declared() -> None:
    assert BETWEEN.edges.tolist() == [0, 18, 65, 120]


# Four persons. Ann (0) and Bob (1) are in cells 0 and 1, Cyd (2) is in cell 3, Dan (3) in 1 and 3.
VISITS: Pairs = [(0, 0), (1, 0), (0, 1), (1, 1), (3, 2), (1, 3), (3, 3)]


def test_persons_are_counted_by_cell_and_once_in_all() -> None:
    counted = of_pairs(VISITS, (4,), left_out=2)

    assert counted.counts.tolist() == [2, 3, 0, 2]
    assert counted.people == 4
    assert counted.left_out == 2


@pytest.mark.parametrize(
    ("shown", "persons", "records"),
    [([], 0, 0), ([0], 2, 5), ([0, 1], 3, 5), ([1, 3], 4, 2), ([2], 0, 0), ([0, 1, 2, 3], 4, 7)],
)
def test_who_is_in_several_shown_cells_counts_once(
    shown: list[int], persons: int, records: int
) -> None:
    cells = np.isin(np.arange(4), shown)

    assert of_pairs(VISITS, (4,)).people_in(cells) == persons
    assert of_weights({0: 5, 3: 2}, (2, 2)).people_in(cells.reshape(2, 2)) == records


JOINED: dict[str, tuple[list[int], list[int]]] = {
    "nothing": ([0, 1, 2, 3], [2, 3, 0, 2]),
    "two cells that share persons": ([0, 0, 1, 2], [3, 0, 2]),
    "two cells that share one": ([0, 1, 1, 1], [2, 4]),
    "all": ([0, 0, 0, 0], [4]),
}


@pytest.mark.parametrize(("groups", "counts"), JOINED.values(), ids=JOINED)
def test_who_is_in_two_joined_bins_counts_once(groups: list[int], counts: list[int]) -> None:
    assert of_pairs(VISITS, (4,)).joined(np.array(groups)).tolist() == counts


def test_records_add_up() -> None:
    counted = of_weights({0: 5, 3: 2}, (4,))

    assert counted.counts.tolist() == [5, 0, 0, 2]
    assert counted.people == 7
    assert counted.joined(np.array([0, 0, 1, 1])).tolist() == [5, 2]


def test_cells_of_two_axes_are_counted_by_the_second_one_fastest() -> None:
    counted = of_weights({0: 1, 2: 3, 3: 7}, (2, 3))

    assert counted.counts.tolist() == [[1, 0, 3], [7, 0, 0]]


@pytest.mark.parametrize("counted", [of_pairs([], (3,)), of_weights({}, (3,))])
def test_nobody_is_counted_as_nought(counted: Counted) -> None:
    assert counted.counts.tolist() == [0, 0, 0]
    assert counted.people == 0
    assert counted.joined(np.array([0, 1, 1])).tolist() == [0, 0]


def test_no_count_is_printed() -> None:
    counted = of_weights({0: 987654}, (4,), left_out=123456)

    assert repr(counted) == "Counted(shape=(4,))"
    assert str(counted) == "Counted(shape=(4,))"


def twin(pairs: Pairs, groups: list[int]) -> list[int]:
    """Count the persons of joined bins one person at a time."""
    members: dict[int, set[int]] = defaultdict(set)
    for cell, person in pairs:
        members[groups[cell]].add(person)
    return [len(members[group]) for group in range(max(groups) + 1)]


@st.composite
def joins(draw: st.DrawFn) -> tuple[Pairs, list[int]]:
    bins = draw(st.integers(1, 8))
    pairs = draw(st.sets(st.tuples(st.integers(0, bins - 1), st.integers(0, 6)), max_size=30))
    starts = [0, *draw(st.lists(st.integers(0, 1), min_size=bins - 1, max_size=bins - 1))]
    groups: NDArray[Any] = np.cumsum(starts)
    return sorted(pairs), groups.tolist()


@given(joins())
def test_joining_agrees_with_counting_one_by_one(case: tuple[Pairs, list[int]]) -> None:
    pairs, groups = case
    counted = of_pairs(pairs, (len(groups),))

    assert counted.joined(np.array(groups)).tolist() == twin(pairs, groups)
    assert counted.counts.tolist() == twin(pairs, list(range(len(groups))))
    assert counted.people == len({person for _, person in pairs})


@given(joins())
def test_joined_bins_hold_no_fewer_than_either_and_no_more_than_both(
    case: tuple[Pairs, list[int]],
) -> None:
    pairs, groups = case
    counted = of_pairs(pairs, (len(groups),))
    joined, counts = counted.joined(np.array(groups)), counted.counts

    for group, number in enumerate(joined):
        parts = counts[np.array(groups) == group]
        assert parts.max() <= number <= parts.sum()
