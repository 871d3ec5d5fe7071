"""Clusters of cells: every box of at least k rows, from counts of whole cells alone."""

from collections import Counter
from collections.abc import Iterable
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
    NOWHERE,
    CellClusters,
    check_cells,
    check_shared,
    cluster_cells,
    grow_cells,
    shared,
)
from discreet.parallel.pixels import bins_of_grid, choose_seeding

Whole = NDArray[np.int64]


def tens(cells: int) -> Whole:
    return np.arange(0, 10 * cells + 1, 10)


def clustered(grid: Any, k: int) -> CellClusters:
    counts = np.array(grid)
    edges = tens(counts.shape[0]), tens(counts.shape[1])
    return cluster_cells(counts, k, kinds=("continuous", "continuous"), edges=edges)


BY_HAND: dict[str, tuple[Any, int, Any]] = {  # counts, k, boxes
    "eight people in one cell": ([[0, 0], [8, 0]], 5, [(1, 2, 0, 1)]),
    "just k people in all": ([[2, 0], [0, 3]], 5, [(0, 2, 0, 2)]),
    "twelve people, a cell of six of its own": (
        [[6, 0, 0], [0, 2, 2], [0, 0, 2]],
        6,
        [(0, 1, 0, 1), (1, 3, 1, 3)],
    ),
}


@pytest.mark.parametrize(("grid", "k", "boxes"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(grid: Any, k: int, boxes: Any) -> None:
    found = clustered(grid, k)
    assert list(found.boxes) == boxes
    check_cells(np.array(grid), found, k)


def test_no_cell_is_told_apart_by_repr_and_none_can_be_changed() -> None:
    found = clustered([[5, 1]], 5)
    assert repr(found) == "CellClusters(boxes=((0, 1, 0, 2),))"
    with pytest.raises(ValueError, match="read-only"):
        found.cluster_of[0, 0] = 1


# --- laws ---------------------------------------------------------------------------------------


@st.composite
def grids(draw: st.DrawFn) -> tuple[Whole, int]:
    shape = draw(st.tuples(st.integers(1, 7), st.integers(1, 7)))
    grid = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, draw(st.integers(1, 9)))))
    return grid, draw(st.integers(2, 8))


@given(grids())
def test_every_box_holds_k_persons_and_every_person_is_in_one(case: tuple[Whole, int]) -> None:
    grid, k = case
    if grid.sum() < k:
        with pytest.raises(RefusedError, match="fewer than k people"):
            clustered(grid, k)
        return
    found = clustered(grid, k)
    check_cells(grid, found, k)
    assert list(found.boxes) == sorted(set(found.boxes))
    assert ((found.cluster_of >= 0) == (grid > 0)).all()
    for number, box in enumerate(found.boxes):
        rows, columns = np.nonzero(found.cluster_of == number)
        assert grid[rows, columns].sum() >= k
        assert (rows.min(), rows.max() + 1, columns.min(), columns.max() + 1) == box


@given(grids(), st.randoms(use_true_random=False))
def test_the_order_of_persons_does_not_matter(case: tuple[Whole, int], shuffle: Any) -> None:
    grid, k = case
    persons = np.repeat(np.argwhere(grid >= 0), grid.ravel(), axis=0).tolist()
    shuffle.shuffle(persons)
    again = np.zeros_like(grid)
    for i, j in persons:
        again[i, j] += 1
    answers: list[Any] = []
    for counts in (grid, again):
        try:
            found = clustered(counts, k)
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
    "too few people": (GOOD, {"k": 6}, "fewer than k people"),
    "a person in no cluster": (with_labels([[0, -1, 1], [-1, 1, -1]]), {}, "in no cluster"),
    "nobody in a cluster": (with_labels([[0, 1, 1], [-1, 1, 1]]), {}, "empty one"),
    "a cell in another box": (with_labels([[0, -1, 0], [-1, 1, 1]]), {}, "larger than its box"),
    "boxes not sorted": (with_labels([[1, -1, 0], [-1, 0, 0]], GOOD.boxes[::-1]), {}, "not sorted"),
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
    "another shape": (with_labels([[0, -1, 1]]), {}, "differ in shape"),
}


@pytest.mark.parametrize(("broken", "other", "words"), BREAKS.values(), ids=BREAKS)
def test_the_check_sees_what_is_broken(
    broken: CellClusters, other: dict[str, Any], words: str
) -> None:
    check_cells(GRID, GOOD, 5)
    with pytest.raises(BrokenPromiseError, match=words):
        check_cells(GRID, broken, **{"k": 5, **other})


# --- joins --------------------------------------------------------------------------------------

# Ten persons on three axes of two cells: two clusters in the left gap, two in the right one.
LEFT = CellClusters(((0, 1, 0, 2), (1, 2, 1, 2)), np.array([[0, 0], [-1, 1]]))
OTHER = CellClusters(((0, 2, 0, 1), (1, 2, 1, 2)), np.array([[0, -1], [0, 1]]))
TRIPLES = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 1, 0], [1, 1, 1]])
PERSONS = np.array([2, 1, 2, 1, 4])


@pytest.mark.parametrize(
    ("least", "joins"),
    [(2, ((0, 0), (0, 1), (1, 1))), (3, ((0, 0), (1, 1))), (4, ((1, 1),)), (5, ())],
)
def test_joins_by_hand(least: int, joins: Any) -> None:
    found = shared(TRIPLES, PERSONS, LEFT, OTHER, least=least)
    assert found == joins
    check_shared(TRIPLES, PERSONS, LEFT, OTHER, found, least=least)


@pytest.mark.parametrize(
    ("joins", "other", "words"),
    [
        (((0, 1),), {"least": 3}, "too few people in common"),
        (((1, 0),), {}, "too few people in common"),
        (((-1, -1),), {}, "too few people in common"),
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
    st.randoms(use_true_random=False),
)
def test_joins_are_those_that_a_plain_count_gives(cube: Whole, k: int, shuffle: Any) -> None:
    if cube.sum() < k:
        return
    left, right = clustered(cube.sum(axis=2), k), clustered(cube.sum(axis=0), k)
    order = np.arange(cube.size)
    shuffle.shuffle(order)
    triples = np.argwhere(cube >= 0)[order]
    persons = cube.ravel()[order]
    found = shared(triples, persons, left, right, least=k)
    common: Counter[tuple[int, int]] = Counter()
    for (i, q, j), held in np.ndenumerate(cube):
        if held:
            common[int(left.cluster_of[i, q]), int(right.cluster_of[q, j])] += int(held)
    assert found == tuple(sorted(pair for pair in common if common[pair] >= k))
    check_shared(triples, persons, left, right, found, least=k)


# --- attacks ------------------------------------------------------------------------------------


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
        ({"counts": np.array([3, 1])}, "grid of two sides"),
        ({"counts": np.array([[3.0, 1.0]])}, "whole numbers of at least 0"),
        ({"kinds": ("continuous", "ordinal")}, "kind of an axis is one of 'continuous'"),
        ({"edges": (tens(2), tens(2))}, "edges of the right axis"),
        ({"edges": (np.array([0, 5, 5]), tens(3))}, "edges of the left axis"),
    ],
)
def test_bad_input(wrong: dict[str, Any], words: str) -> None:
    cluster_cells(**FINE)
    with pytest.raises(InputError, match=words):
        cluster_cells(**{**FINE, **wrong})


def test_too_few_persons_are_refused_without_saying_how_many() -> None:
    with pytest.raises(RefusedError, match="fewer than k people") as refused:
        clustered([[3, 0], [0, 1]], 5)
    assert not any(letter.isdigit() for letter in str(refused.value))
    with pytest.raises(RefusedError, match="fewer than k people"):
        clustered(np.zeros((0, 0), dtype=np.int64), 5)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"least": 1}, "least must be a whole number of at least 2"),
        ({"triples": TRIPLES[:, :2]}, "triples must be three cells"),
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


# --- how clusters grow ---------------------------------------------------------------------------

Cell = tuple[int, int]
Kinds = tuple[str, str]

CONTINUOUS, CATEGORICAL = "continuous", "categorical"
BOTH_GROWING = (CATEGORICAL, CATEGORICAL)  # seeds by over-plotting
MIXED = (CONTINUOUS, CATEGORICAL)  # seeds by convergence or divergence


BY_HAND_GROWING: dict[str, tuple[Any, int, Kinds, Any, Any]] = {
    # grid, k, kinds, edges on the right (None: tens), boxes
    "cells of k are clusters of their own, the rest is one": (
        [[6, 0, 0], [0, 2, 1], [0, 2, 7]],
        5,
        BOTH_GROWING,
        None,
        [(0, 1, 0, 1), (1, 3, 1, 3), (2, 3, 2, 3)],
    ),
    "of two it goes to the one made first": (
        [[5, 1, 5]],
        5,
        BOTH_GROWING,
        None,
        [(0, 1, 0, 2), (0, 1, 2, 3)],
    ),
    "of two it goes to the nearer in pixels, though as near in cells": (
        [[5, 0, 1, 0, 5]],
        5,
        BOTH_GROWING,
        [0, 10, 70, 80, 90, 100],
        [(0, 1, 0, 1), (0, 1, 2, 5)],
    ),
    "the seed is where most people are, not the first": (
        # 3 takes its neighbour of 2; the two outer ones are left and make one.
        [[2, 2, 3, 2]],
        4,
        BOTH_GROWING,
        None,
        [(0, 1, 0, 4), (0, 1, 1, 3)],
    ),
    "one person each: the seed is where two cells side by side hold most": (
        # blocks of two hold 1, 1, 2: the seed is the fifth cell; then blocks of 8 alone hold 2
        [[1, 0, 0, 1, 1, 1]],
        2,
        BOTH_GROWING,
        None,
        [(0, 1, 0, 6), (0, 1, 3, 5)],
    ),
    "blocks double in width: 2, 4, not 3": (
        # blocks of two hold one each, the first block of four two; one of three would hold 3 and 4
        [[1, 0, 0, 1, 1, 0, 0, 1]],
        2,
        BOTH_GROWING,
        None,
        [(0, 1, 0, 4), (0, 1, 4, 8)],
    ),
    "no row reaches two: the seed is where two rows hold most": (
        # the same on the diagonal, in rows 0, 3, 4 and 5
        [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        2,
        MIXED,
        None,
        [(0, 6, 0, 4), (3, 5, 1, 3)],
    ),
    "divergence: the row that reaches most, though people are elsewhere": (
        # row 1 reaches three, its first cell is the seed and takes the second; the third goes
        # down to row 2 (20 pixels), for which row 0 is as near but not there any more
        [[0, 0, 3], [1, 1, 1], [0, 0, 1]],
        2,
        MIXED,
        None,
        [(0, 1, 2, 3), (1, 2, 0, 2), (1, 3, 2, 3)],
    ),
}


@pytest.mark.parametrize(
    ("grid", "k", "kinds", "edges", "boxes"), BY_HAND_GROWING.values(), ids=BY_HAND_GROWING
)
def test_by_hand_growing(grid: Any, k: int, kinds: Kinds, edges: Any, boxes: Any) -> None:
    counts = np.array(grid)
    right = tens(counts.shape[1]) if edges is None else np.array(edges)
    found, cluster_of = grow_cells(counts, k, kinds=kinds, edges=(tens(len(counts)), right))
    assert list(found) == boxes
    assert ((cluster_of == NOWHERE) == (counts == 0)).all()


# --- the naive twin -----------------------------------------------------------------------------


def box_of(cells: Iterable[Cell]) -> tuple[int, int, int, int]:
    rows, columns = zip(*cells, strict=True)
    return min(rows), max(rows) + 1, min(columns), max(columns) + 1


def span(cells: Iterable[Cell], edges: tuple[Whole, Whole]) -> int:
    a, b, c, d = box_of(cells)
    return int(edges[0][b] - edges[0][a] + edges[1][d] - edges[1][c])


def naive_seed(left: dict[Cell, int], metric: str, shape: Cell) -> Cell:
    """Find the seed as steps 1 to 6 say, word by word."""
    axis = {"divergence": 0, "convergence": 1}.get(metric)
    if axis is None:
        best = max(left, key=lambda cell: (left[cell], -cell[0], -cell[1]))
        if left[best] > 1:
            return best
    else:
        lines = {cell[axis] for cell in left}
        reach = {line: sum(cell[axis] == line for cell in left) for line in lines}
        line = max(lines, key=lambda line: (reach[line], -line))
        if reach[line] > 1:
            there = [cell for cell in left if cell[axis] == line]
            return max(there, key=lambda cell: (left[cell], -cell[1 - axis]))
    width = 2
    while True:
        blocks: dict[tuple[int, ...], int] = {}
        for cell, held in left.items():
            block = tuple(place // width for place in (cell if axis is None else (cell[axis],)))
            blocks[block] = blocks.get(block, 0) + held
        if max(blocks.values()) > 1 or width >= max(shape):
            break
        width *= 2
    most = max(blocks.values())
    block = min(b for b in blocks if blocks[b] == most)
    inside = [
        cell
        for cell in left
        if tuple(place // width for place in (cell if axis is None else (cell[axis],))) == block
    ]
    return min(inside, key=lambda cell: cell[::-1] if axis == 1 else cell)


def naive(
    grid: Whole, k: int, kinds: Kinds, edges: tuple[Whole, Whole], cost: str
) -> list[list[Cell]]:
    """Cluster as the rules say, word by word; clusters in the order of making."""
    left = {(i, j): held for (i, j), held in np.ndenumerate(grid.tolist()) if held}
    made = [[cell] for cell in left if left[cell] >= k]
    left = {cell: held for cell, held in left.items() if [cell] not in made}
    if left:
        rest = np.zeros_like(grid)
        for cell, held in left.items():
            rest[cell] = held
        metric = choose_seeding(bins_of_grid(rest), *kinds).metric

    def price(seed: Cell, cells: list[Cell], cell: Cell) -> int:
        if cost == "span":
            return span([*cells, cell], edges)
        middles = [edges[axis][:-1] + edges[axis][1:] for axis in (0, 1)]
        return sum(abs(int(middles[a][cell[a]] - middles[a][seed[a]])) for a in (0, 1))

    while sum(left.values()) >= k:
        seed = naive_seed(left, metric, (grid.shape[0], grid.shape[1]))
        cells, persons = [seed], left.pop(seed)
        while persons < k:
            best = min(left, key=lambda cell: (price(seed, cells, cell), cell))
            cells.append(best)
            persons += left.pop(best)
        made.append(cells)
    for cell in sorted(left):
        growth = [span([*cells, cell], edges) - span(cells, edges) for cells in made]
        made[growth.index(min(growth))].append(cell)
    return made


def spread(made: list[list[Cell]], grid: Whole, edges: tuple[Whole, Whole]) -> int:
    return sum(span(cells, edges) * int(grid[cell]) for cells in made for cell in cells)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Whole, int, Kinds, tuple[Whole, Whole]]:
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    most = draw(st.sampled_from([1, 2, 6]))
    grid = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, most)))
    k = draw(st.integers(2, 6))
    grid[draw(st.integers(0, shape[0] - 1)), draw(st.integers(0, shape[1] - 1))] += k
    kinds = draw(st.tuples(*[st.sampled_from([CONTINUOUS, CATEGORICAL])] * 2))
    widths = [draw(st.lists(st.integers(1, 4), min_size=cells, max_size=cells)) for cells in shape]
    edges = np.cumsum([0, *widths[0]]), np.cumsum([0, *widths[1]])
    return grid, k, kinds, edges


@given(cases())
def test_it_grows_as_the_naive_twin(case: tuple[Whole, int, Kinds, tuple[Whole, Whole]]) -> None:
    grid, k, kinds, edges = case
    boxes, cluster_of = grow_cells(grid, k, kinds=kinds, edges=edges)
    ways = [naive(grid, k, kinds, edges, cost) for cost in ("span", "seed")]
    made = min(ways, key=lambda way: spread(way, grid, edges))
    assert list(boxes) == sorted({box_of(cells) for cells in made})
    for cells in made:
        assert {int(cluster_of[cell]) for cell in cells} == {boxes.index(box_of(cells))}
    assert ((cluster_of == NOWHERE) == (grid == 0)).all()
