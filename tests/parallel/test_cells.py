"""Guarded clusters: every box of at least k persons, from counts of whole cells alone."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.errors import BrokenPromiseError, DiscreetError, InputError, RefusedError
from discreet.parallel.cells import (
    CellClusters,
    check_cells,
    check_shared,
    cluster_cells,
    shared,
)

Whole = NDArray[np.int64]
Pair = tuple[bool, bool]

NEITHER, RIGHT, BOTH = (False, False), (False, True), (True, True)


def tens(cells: int) -> Whole:
    return np.arange(0, 10 * cells + 1, 10)


def clustered(grid: Any, k: int, *, sensitive: Pair = NEITHER, diversity: int = 1) -> CellClusters:
    counts = np.array(grid)
    edges = tens(counts.shape[0]), tens(counts.shape[1])
    kinds = ("continuous", "continuous")
    return cluster_cells(
        counts, k, kinds=kinds, edges=edges, sensitive=sensitive, diversity=diversity
    )


BY_HAND: dict[str, tuple[Any, int, Pair, int, Any]] = {  # counts, k, sensitive, l, boxes
    "eight persons in one cell": ([[0, 0], [8, 0]], 5, NEITHER, 1, [(1, 2, 0, 1)]),
    "just k persons in all": ([[2, 0], [0, 3]], 5, NEITHER, 1, [(0, 2, 0, 2)]),
    "l means nothing without a sensitive axis": ([[0, 5]], 5, NEITHER, 3, [(0, 1, 1, 2)]),
    "twelve persons, a cell of six of its own": (
        [[6, 0, 0], [0, 2, 2], [0, 0, 2]],
        6,
        NEITHER,
        1,
        [(0, 1, 0, 1), (1, 3, 1, 3)],
    ),
    "with a sensitive axis the six are not shown by themselves": (
        # two levels each: 6 with 2 (row 0 takes the nearest that brings a level), and the rest
        [[6, 0, 0], [0, 2, 0], [0, 0, 4], [0, 2, 0]],
        4,
        RIGHT,
        2,
        [(0, 2, 0, 2), (2, 4, 1, 3)],
    ),
    "two levels hide nothing": ([[6, 0], [0, 6]], 3, RIGHT, 2, []),
    "all levels hide nothing": ([[6, 2, 0], [0, 1, 6]], 3, RIGHT, 3, []),
    "more levels than there are": ([[6, 4, 4], [0, 1, 6]], 3, RIGHT, 4, []),
    "a level of too few persons is none": ([[6, 4, 1], [0, 1, 1]], 3, RIGHT, 2, []),
    "an empty level is none": ([[6, 0, 1], [0, 0, 6]], 3, RIGHT, 2, []),
    "both axes sensitive, one of them hides nothing": ([[6, 2, 1], [0, 1, 6]], 3, BOTH, 2, []),
    "both axes sensitive": (
        [[3, 0, 0], [0, 3, 0], [0, 0, 3]],
        3,
        BOTH,
        2,
        [(0, 3, 0, 3)],  # two by two, then one is left and goes there
    ),
}


@pytest.mark.parametrize(
    ("grid", "k", "sensitive", "diversity", "boxes"), BY_HAND.values(), ids=BY_HAND
)
def test_by_hand(grid: Any, k: int, sensitive: Pair, diversity: int, boxes: Any) -> None:
    found = clustered(grid, k, sensitive=sensitive, diversity=diversity)

    assert list(found.boxes) == boxes
    check_cells(np.array(grid), found, k, sensitive, diversity)


def test_a_million_persons_in_a_cell() -> None:
    found = clustered([[1_000_000, 1], [0, 1_000_000]], 5)
    assert found.boxes == ((0, 1, 0, 2), (1, 2, 1, 2))


def test_no_cell_is_told_apart_by_repr_and_none_can_be_changed() -> None:
    found = clustered([[5, 1]], 5)

    assert repr(found) == "CellClusters(boxes=((0, 1, 0, 2),))"
    with pytest.raises(ValueError, match="read-only"):
        found.cluster_of[0, 0] = 1


# --- laws ---------------------------------------------------------------------------------------


@st.composite
def grids(draw: st.DrawFn) -> tuple[Whole, int, Pair, int]:
    shape = draw(st.tuples(st.integers(1, 7), st.integers(1, 7)))
    grid = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, draw(st.integers(1, 9)))))
    k = draw(st.integers(2, 8))
    return grid, k, draw(st.sampled_from([NEITHER, RIGHT, BOTH])), draw(st.integers(2, 4))


def levels_of(grid: Whole, k: int, sensitive: Pair) -> list[int]:
    return [int((grid.sum(axis=1 - axis) >= k).sum()) for axis in (0, 1) if sensitive[axis]]


@given(grids())
def test_every_box_holds_k_persons_of_l_levels_and_every_person_is_in_one(
    case: tuple[Whole, int, Pair, int],
) -> None:
    grid, k, sensitive, diversity = case
    held = levels_of(grid, k, sensitive)
    if grid.sum() < k:
        with pytest.raises(RefusedError, match="fewer than k persons"):
            clustered(grid, k, sensitive=sensitive, diversity=diversity)
        return

    found = clustered(grid, k, sensitive=sensitive, diversity=diversity)

    check_cells(grid, found, k, sensitive, diversity)
    assert (len(found.boxes) == 0) == any(many <= diversity for many in held)
    if not found.boxes:
        assert (found.cluster_of == -1).all()
        return
    assert list(found.boxes) == sorted(set(found.boxes))
    assert ((found.cluster_of >= 0) == (grid > 0)).all()
    for number, box in enumerate(found.boxes):
        rows, columns = np.nonzero(found.cluster_of == number)
        assert grid[rows, columns].sum() >= k
        assert (rows.min(), rows.max() + 1, columns.min(), columns.max() + 1) == box
        for of_axis, told in zip((rows, columns), sensitive, strict=True):
            assert not told or len(set(of_axis)) >= diversity


@given(grids(), st.randoms(use_true_random=False))
def test_the_order_of_persons_does_not_matter(
    case: tuple[Whole, int, Pair, int], shuffle: Any
) -> None:
    grid, k, sensitive, diversity = case
    persons = np.repeat(np.argwhere(grid >= 0), grid.ravel(), axis=0).tolist()
    shuffle.shuffle(persons)
    again = np.zeros_like(grid)
    for i, j in persons:
        again[i, j] += 1

    answers: list[Any] = []
    for counts in (grid, again):
        try:
            found = clustered(counts, k, sensitive=sensitive, diversity=diversity)
            answers.append((found.boxes, found.cluster_of.tolist()))
        except DiscreetError as error:
            answers.append((str(error), []))

    assert answers[0] == answers[1]


# --- the check ----------------------------------------------------------------------------------

GRID = np.array([[5, 0, 2], [0, 3, 1]])
GOOD = CellClusters(((0, 1, 0, 1), (0, 2, 1, 3)), np.array([[0, -1, 1], [-1, 1, 1]]))


def with_labels(labels: Any, boxes: Any = GOOD.boxes) -> CellClusters:
    return replace(GOOD, boxes=boxes, cluster_of=np.array(labels))


BREAKS: dict[str, tuple[CellClusters, dict[str, Any], str]] = {
    "too few persons": (GOOD, {"k": 6}, "fewer than k persons"),
    "a level is missing": (
        GOOD,
        {"k": 3, "sensitive": RIGHT, "diversity": 2},
        "fewer than l levels",
    ),
    "shown where l hides nothing": (GOOD, {"sensitive": RIGHT, "diversity": 3}, "hide nothing"),
    "shown where two levels are all": (
        GOOD,
        {"sensitive": (True, False), "diversity": 2},
        "hide nothing",
    ),
    "nothing shown without cause": (with_labels([[-1] * 3] * 2, ()), {}, "none elsewhere"),
    "a person in no cluster": (with_labels([[0, -1, 1], [-1, 1, -1]]), {}, "in no cluster"),
    "nobody in a cluster": (with_labels([[0, 1, 1], [-1, 1, 1]]), {}, "empty one"),
    "a cell in another box": (with_labels([[0, -1, 0], [-1, 1, 1]]), {}, "larger than its box"),
    "a box too small": (
        replace(GOOD, boxes=((0, 1, 0, 1), (0, 2, 1, 2))),
        {},
        "larger than its box",
    ),
    "boxes not sorted": (
        with_labels([[1, -1, 0], [-1, 0, 0]], GOOD.boxes[::-1]),
        {},
        "not sorted",
    ),
    "a box twice": (
        with_labels([[0, -1, 0], [-1, 1, 1]], ((0, 2, 0, 3), (0, 2, 0, 3))),
        {},
        "one is there twice",
    ),
    "a box without a cluster": (
        replace(GOOD, boxes=(*GOOD.boxes, (1, 2, 0, 1))),
        {},
        "not as many",
    ),
    "a cluster without a box": (replace(GOOD, boxes=GOOD.boxes[:1]), {}, "not as many"),
    "another shape": (with_labels([[0, -1, 1]]), {}, "differ in shape"),
}


@pytest.mark.parametrize(("broken", "other", "words"), BREAKS.values(), ids=BREAKS)
def test_the_check_sees_what_is_broken(
    broken: CellClusters, other: dict[str, Any], words: str
) -> None:
    check_cells(GRID, GOOD, 5)
    with pytest.raises(BrokenPromiseError, match=words):
        check_cells(GRID, broken, **{"k": 5, **other})


def test_hidden_clusters_hide_the_cells_too() -> None:
    with pytest.raises(BrokenPromiseError, match="empty one"):
        check_cells(GRID, with_labels(GOOD.cluster_of, ()), 5, RIGHT, 3)


# --- joins --------------------------------------------------------------------------------------

# Ten persons on three axes of two cells: two clusters in the left gap, two in the right one.
LEFT = CellClusters(((0, 1, 0, 2), (1, 2, 1, 2)), np.array([[0, 0], [-1, 1]]))
OTHER = CellClusters(((0, 2, 0, 1), (1, 2, 1, 2)), np.array([[0, -1], [0, 1]]))
TRIPLES = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 1, 0], [1, 1, 1]])
PERSONS = np.array([2, 1, 2, 1, 4])


@pytest.mark.parametrize(
    ("least", "diversity", "joins"),
    [
        (2, 1, ((0, 0), (0, 1), (1, 1))),
        (3, 1, ((0, 0), (1, 1))),
        (4, 1, ((1, 1),)),
        (5, 1, ()),
        (2, 2, ((0, 0),)),  # the others have one cell of the shared axis in common
    ],
)
def test_joins_by_hand(least: int, diversity: int, joins: Any) -> None:
    found = shared(TRIPLES, PERSONS, LEFT, OTHER, least=least, diversity=diversity)

    assert found == joins
    check_shared(TRIPLES, PERSONS, LEFT, OTHER, found, least=least, diversity=diversity)


def test_a_gap_that_shows_nothing_is_joined_to_nothing() -> None:
    nothing = CellClusters((), np.full((2, 2), -1))
    assert shared(TRIPLES, PERSONS, LEFT, nothing, least=2) == ()
    assert shared(TRIPLES, PERSONS, nothing, OTHER, least=2) == ()
    assert shared(TRIPLES[:0], PERSONS[:0], LEFT, OTHER, least=2) == ()


def test_triples_without_persons_do_not_count() -> None:
    triples, persons = np.vstack([TRIPLES, [[1, 0, 0]]]), np.append(PERSONS, 0)
    assert shared(triples, persons, LEFT, OTHER, least=4) == ((1, 1),)


@pytest.mark.parametrize(
    ("joins", "other", "words"),
    [
        (((0, 1),), {"least": 3}, "too few persons in common"),
        (((1, 1),), {"diversity": 2}, "too few persons in common"),
        (((1, 0),), {}, "too few persons in common"),
        (((-1, -1),), {}, "too few persons in common"),
        (((1, 1), (1, 1)), {}, "lit twice"),
    ],
)
def test_the_check_sees_a_join_that_must_not_be_lit(
    joins: Any, other: dict[str, Any], words: str
) -> None:
    with pytest.raises(BrokenPromiseError, match=words):
        check_shared(TRIPLES, PERSONS, LEFT, OTHER, joins, **{"least": 2, **other})


@given(
    hnp.arrays(np.int64, (4, 3, 5), elements=st.integers(0, 3)),
    st.integers(2, 5),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
def test_joins_are_those_that_a_plain_count_gives(
    cube: Whole, k: int, diversity: int, shuffle: Any
) -> None:
    if cube.sum() < k:
        return
    left, right = clustered(cube.sum(axis=2), k), clustered(cube.sum(axis=0), k)
    order = np.arange(cube.size)
    shuffle.shuffle(order)
    triples = np.argwhere(cube >= 0)[order]
    persons = cube.ravel()[order]

    found = shared(triples, persons, left, right, least=k, diversity=diversity)

    common: Counter[tuple[int, int]] = Counter()
    middles: set[tuple[int, int, int]] = set()
    for (i, q, j), held in np.ndenumerate(cube):
        if held:
            pair = int(left.cluster_of[i, q]), int(right.cluster_of[q, j])
            common[pair] += int(held)
            middles.add((*pair, q))
    on = Counter(middle[:2] for middle in middles)
    assert found == tuple(sorted(p for p in common if common[p] >= k and on[p] >= diversity))
    check_shared(triples, persons, left, right, found, least=k, diversity=diversity)


# --- attacks ------------------------------------------------------------------------------------


def test_what_two_gaps_tell_of_a_sensitive_axis_between_them() -> None:
    # Levels 0 to 2 on the left, 2 to 4 on the right: a join alone says "level 2".
    left = CellClusters(
        ((0, 1, 0, 3), (1, 2, 2, 5)), np.array([[0, 0, 0, -1, -1], [-1, -1] + [1] * 3])
    )
    right = CellClusters(
        ((0, 3, 0, 1), (2, 5, 1, 2)), np.array([[0, -1], [0, -1], [0, 1], [-1, 1], [-1, 1]])
    )
    triples = np.array([[0, 0, 0], [0, 1, 0], [0, 2, 1], [1, 2, 1], [1, 3, 1], [1, 4, 1]])
    persons = np.array([5, 5, 5, 5, 5, 5])

    plain = shared(triples, persons, left, right, least=5)
    diverse = shared(triples, persons, left, right, least=5, diversity=2)

    def common(one: int, other: int) -> range:
        boxes = left.boxes[one], right.boxes[other]
        return range(max(boxes[0][2], boxes[1][0]), min(boxes[0][3], boxes[1][1]))

    assert (0, 1) in plain
    assert list(common(0, 1)) == [2]
    assert diverse == ((0, 0), (1, 1))
    assert all(len(common(*join)) >= 2 for join in diverse)


def test_moving_persons_within_their_cells_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    pixels = rng.integers(0, 100, size=(400, 2))
    moved = pixels // 10 * 10 + rng.integers(0, 10, size=(400, 2))

    def boxes(of: Whole) -> Any:
        counts = np.zeros((10, 10), dtype=np.int64)
        np.add.at(counts, tuple(of.T // 10), 1)
        return clustered(counts, 5).boxes

    assert not np.array_equal(pixels, moved)
    assert boxes(pixels) == boxes(moved)


# --- bad input ----------------------------------------------------------------------------------

FINE: dict[str, Any] = {
    "counts": np.array([[3, 1, 1], [0, 2, 4]]),
    "k": 3,
    "kinds": ("continuous", "categorical"),
    "edges": (tens(2), tens(3)),
}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"k": 2.5}, "k must be a whole number"),
        ({"k": True}, "k must be a whole number"),
        ({"counts": np.array([3, 1])}, "grid of two sides"),
        ({"counts": np.array([[3.0, 1.0]])}, "whole numbers of at least 0"),
        ({"counts": np.array([[3, -1]])}, "whole numbers of at least 0"),
        ({"kinds": ("continuous", "ordinal")}, "kind of an axis is one of 'continuous'"),
        ({"edges": (tens(2), tens(2))}, "edges of the right axis"),
        ({"edges": (np.array([0, 5, 5]), tens(3))}, "edges of the left axis"),
        ({"edges": (np.array([0, 5, 9.5]), tens(3))}, "edges of the left axis"),
        ({"sensitive": RIGHT}, "diversity must be a whole number of at least 2"),
        ({"sensitive": RIGHT, "diversity": 2.0}, "diversity must be a whole number"),
    ],
)
def test_bad_input(wrong: dict[str, Any], words: str) -> None:
    cluster_cells(**FINE)
    with pytest.raises(InputError, match=words):
        cluster_cells(**{**FINE, **wrong})


def test_too_few_persons_are_refused_without_saying_how_many() -> None:
    with pytest.raises(RefusedError, match="fewer than k persons") as refused:
        clustered([[3, 0], [0, 1]], 5, sensitive=RIGHT, diversity=3)
    assert not any(letter.isdigit() for letter in str(refused.value))
    with pytest.raises(RefusedError, match="fewer than k persons"):
        clustered(np.zeros((0, 0), dtype=np.int64), 5)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"least": 1}, "least must be a whole number of at least 2"),
        ({"diversity": 0}, "diversity must be a whole number of at least 1"),
        ({"triples": TRIPLES[:, :2]}, "triples must be three cells"),
        ({"persons": PERSONS[:2]}, "as many numbers of persons"),
        ({"persons": PERSONS / 2}, "whole numbers of at least 0"),
        ({"triples": TRIPLES - 1}, "whole numbers of at least 0"),
        ({"triples": TRIPLES + 1}, "cell that the axes do not have"),
        ({"triples": TRIPLES[:, ::-1] * [1, 1, 0] * [1, 0, 1]}, "cell without a cluster"),
        ({"right": clustered([[5]], 5)}, "cells of the shared axis in common"),
    ],
)
def test_bad_joins(wrong: dict[str, Any], words: str) -> None:
    fine: dict[str, Any] = {
        "triples": TRIPLES,
        "persons": PERSONS,
        "left": LEFT,
        "right": OTHER,
        "least": 2,
    }
    shared(**fine)
    with pytest.raises(InputError, match=words):
        shared(**{**fine, **wrong})
