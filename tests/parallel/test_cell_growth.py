"""Clusters of whole cells: grown as the rules say, cell by cell."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.parallel.cells import NOWHERE, grow_cells
from discreet.parallel.pixels import bins_of_grid, choose_seeding

Whole = NDArray[np.int64]
Cell = tuple[int, int]
Kinds = tuple[str, str]

CONTINUOUS, CATEGORICAL = "continuous", "categorical"
BOTH = (CATEGORICAL, CATEGORICAL)  # seeds by over-plotting
MIXED = (CONTINUOUS, CATEGORICAL)  # seeds by convergence or divergence


def tens(cells: int) -> Whole:
    return np.arange(0, 10 * cells + 1, 10)


BY_HAND: dict[str, tuple[Any, int, Kinds, tuple[int, int], Any, Any]] = {
    # grid, k, kinds, levels, edges on the right (None: tens), boxes
    "all in one cell": ([[9]], 5, BOTH, (0, 0), None, [(0, 1, 0, 1)]),
    "cells of k are clusters of their own, the rest is one": (
        [[6, 0, 0], [0, 2, 1], [0, 2, 7]],
        5,
        BOTH,
        (0, 0),
        None,
        [(0, 1, 0, 1), (1, 3, 1, 3), (2, 3, 2, 3)],
    ),
    "what is left goes to a cell of k": ([[5, 0, 1]], 5, BOTH, (0, 0), None, [(0, 1, 0, 3)]),
    "of two it goes to the one made first": (
        [[5, 1, 5]],
        5,
        BOTH,
        (0, 0),
        None,
        [(0, 1, 0, 2), (0, 1, 2, 3)],
    ),
    "of two it goes to the nearer in pixels, though as near in cells": (
        [[5, 0, 1, 0, 5]],
        5,
        BOTH,
        (0, 0),
        [0, 10, 70, 80, 90, 100],
        [(0, 1, 0, 1), (0, 1, 2, 5)],
    ),
    "the seed is where most persons are, not the first": (
        # 3 takes its neighbour of 2; the two outer ones are left and make one.
        [[2, 2, 3, 2]],
        4,
        BOTH,
        (0, 0),
        None,
        [(0, 1, 0, 4), (0, 1, 1, 3)],
    ),
    "one person each: the seed is where two cells side by side hold most": (
        # blocks of two hold 1, 1, 2: the seed is the fifth cell; then blocks of 8 alone hold 2
        [[1, 0, 0, 1, 1, 1]],
        2,
        BOTH,
        (0, 0),
        None,
        [(0, 1, 0, 6), (0, 1, 3, 5)],
    ),
    "blocks double in width: 2, 4, not 3": (
        # blocks of two hold one each, the first block of four two; one of three would hold 3 and 4
        [[1, 0, 0, 1, 1, 0, 0, 1]],
        2,
        BOTH,
        (0, 0),
        None,
        [(0, 1, 0, 4), (0, 1, 4, 8)],
    ),
    "no row reaches two: the seed is where two rows hold most": (
        # the same on the diagonal, in rows 0, 3, 4 and 5
        [
            [1, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 1, 0, 0],
            [0, 0, 1, 0],
            [0, 0, 0, 1],
        ],
        2,
        MIXED,
        (0, 0),
        None,
        [(0, 6, 0, 4), (3, 5, 1, 3)],
    ),
    "divergence: the row that reaches most, though persons are elsewhere": (
        # row 1 reaches three, its first cell is the seed and takes the second; the third goes
        # down to row 2 (20 pixels), for which row 0 is as near but not there any more
        [[0, 0, 3], [1, 1, 1], [0, 0, 1]],
        2,
        MIXED,
        (0, 0),
        None,
        [(0, 1, 2, 3), (1, 2, 0, 2), (1, 3, 2, 3)],
    ),
    "levels: no cell by itself, and the cheapest that brings a level": (
        [[3, 1, 0], [0, 2, 3]],
        2,
        MIXED,
        (0, 2),
        None,
        [(0, 1, 0, 2), (1, 2, 1, 3)],
    ),
    "levels before nearness: the same level one row on would be nearer": (
        # seed (0, 0) of 4; (1, 0) is 10 pixels off, (0, 2) 20, but brings a level
        [[4, 0, 1], [4, 1, 0]],
        5,
        MIXED,
        (0, 2),
        None,
        [(0, 1, 0, 3), (1, 2, 0, 2)],
    ),
    "levels are there, persons are not": (
        [[1, 1, 1, 1]],
        3,
        MIXED,
        (0, 2),
        None,
        [(0, 1, 0, 4)],
    ),
    "one level is left, which makes no cluster": (
        [[3, 1, 0], [0, 0, 3]],
        2,
        MIXED,
        (0, 2),
        None,
        [(0, 2, 0, 3)],
    ),
    "levels on both axes": (
        # (0, 0), then (0, 1) brings a right level, (1, 0) a left one; then the same below
        [[2, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]],
        2,
        BOTH,
        (2, 2),
        None,
        [(0, 2, 0, 2), (2, 4, 1, 3)],
    ),
}


@pytest.mark.parametrize(
    ("grid", "k", "kinds", "diversity", "edges", "boxes"), BY_HAND.values(), ids=BY_HAND
)
def test_by_hand(
    grid: Any, k: int, kinds: Kinds, diversity: tuple[int, int], edges: Any, boxes: Any
) -> None:
    counts = np.array(grid)
    right = tens(counts.shape[1]) if edges is None else np.array(edges)

    found, cluster_of = grow_cells(
        counts, k, kinds=kinds, edges=(tens(len(counts)), right), diversity=diversity
    )

    assert list(found) == boxes
    assert ((cluster_of == NOWHERE) == (counts == 0)).all()


def test_two_clusters_with_the_same_box_are_one() -> None:
    # By nearness to the seed; the second and the third both reach from corner to corner.
    grid = np.array([[1, 1, 0, 2, 1], [1, 1, 3, 0, 3], [0, 2, 0, 2, 1]])
    edges, diversity = (tens(3), tens(5)), (2, 3)
    made = naive(grid, 4, BOTH, edges, diversity, "seed")
    assert [box_of(cells) for cells in made] == [(0, 2, 1, 4), (0, 3, 0, 5), (0, 3, 0, 5)]

    boxes, cluster_of = grow_cells(grid, 4, kinds=BOTH, edges=edges, diversity=diversity)

    assert boxes == ((0, 2, 1, 4), (0, 3, 0, 5))
    assert cluster_of.tolist() == [[1, 0, -1, 0, 1], [1, 0, 0, -1, 1], [-1, 1, -1, 1, 1]]


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
    grid: Whole,
    k: int,
    kinds: Kinds,
    edges: tuple[Whole, Whole],
    diversity: tuple[int, int],
    cost: str,
) -> list[list[Cell]]:
    """Cluster as the rules say, word by word; clusters in the order of making."""
    left = {(i, j): held for (i, j), held in np.ndenumerate(grid.tolist()) if held}
    made = [] if any(diversity) else [[cell] for cell in left if left[cell] >= k]
    left = {cell: held for cell, held in left.items() if [cell] not in made}
    if left:
        rest = np.zeros_like(grid)
        for cell, held in left.items():
            rest[cell] = held
        metric = choose_seeding(bins_of_grid(rest), *kinds).metric

    def lacks(cells: Iterable[Cell], axis: int) -> bool:
        return len({cell[axis] for cell in cells}) < diversity[axis]

    def price(seed: Cell, cells: list[Cell], cell: Cell) -> int:
        if cost == "span":
            return span([*cells, cell], edges)
        middles = [edges[axis][:-1] + edges[axis][1:] for axis in (0, 1)]
        return sum(abs(int(middles[a][cell[a]] - middles[a][seed[a]])) for a in (0, 1))

    while sum(left.values()) >= k and not lacks(left, 0) and not lacks(left, 1):
        seed = naive_seed(left, metric, (grid.shape[0], grid.shape[1]))
        cells, persons = [seed], left.pop(seed)
        while persons < k or lacks(cells, 0) or lacks(cells, 1):
            missing = [axis for axis in (0, 1) if lacks(cells, axis)]
            offered = [
                cell
                for cell in left
                if not missing or any(cell[a] not in {c[a] for c in cells} for a in missing)
            ]
            best = min(offered, key=lambda cell: (price(seed, cells, cell), cell))
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
def cases(draw: st.DrawFn) -> tuple[Whole, int, Kinds, tuple[Whole, Whole], tuple[int, int]]:
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    most = draw(st.sampled_from([1, 2, 6]))
    grid = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, most)))
    k = draw(st.integers(2, 6))
    grid[draw(st.integers(0, shape[0] - 1)), draw(st.integers(0, shape[1] - 1))] += k
    kinds = draw(st.tuples(*[st.sampled_from([CONTINUOUS, CATEGORICAL])] * 2))
    widths = [draw(st.lists(st.integers(1, 4), min_size=cells, max_size=cells)) for cells in shape]
    edges = np.cumsum([0, *widths[0]]), np.cumsum([0, *widths[1]])
    most_levels = [int(grid.any(axis=1 - axis).sum()) for axis in (0, 1)]
    diversity = tuple(draw(st.sampled_from([0, *range(2, most + 1)])) for most in most_levels)
    return grid, k, kinds, edges, (diversity[0], diversity[1])


@given(cases())
def test_it_grows_as_the_naive_twin(
    case: tuple[Whole, int, Kinds, tuple[Whole, Whole], tuple[int, int]],
) -> None:
    grid, k, kinds, edges, diversity = case

    boxes, cluster_of = grow_cells(grid, k, kinds=kinds, edges=edges, diversity=diversity)

    ways = [naive(grid, k, kinds, edges, diversity, cost) for cost in ("span", "seed")]
    made = min(ways, key=lambda way: spread(way, grid, edges))
    assert list(boxes) == sorted({box_of(cells) for cells in made})
    for cells in made:
        assert {int(cluster_of[cell]) for cell in cells} == {boxes.index(box_of(cells))}
    assert ((cluster_of == NOWHERE) == (grid == 0)).all()


def test_the_grid_is_left_as_it_was() -> None:
    grid = np.array([[1, 2], [3, 1]])
    grow_cells(grid, 3, kinds=BOTH, edges=(tens(2), tens(2)))
    assert grid.tolist() == [[1, 2], [3, 1]]
