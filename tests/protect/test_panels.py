"""Grids of levels: coarse enough to show every level, and nothing follows from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from discreet.protect.panels import (
    LevelCells,
    cells_of_levels,
    in_blocks,
    shows_enough,
    widths_of_blocks,
)

Counts = NDArray[np.int64]

# counts of two levels; k, share; widths, what is shown of each ("-": hidden)
CELLS: dict[str, tuple[list[list[int]], int, float, Any, Any]] = {
    "every cell shows": ([[5, 4], [3, 9]], 3, 1.0, (1,), [[5, 4], [3, 9]]),
    "enough shows though a cell is hidden": (
        [[50, 50, 2, 50], [50, 50, 9, 50]],
        3,
        0.85,
        (1,),
        [[50, 50, "-", 50], [50, 50, "-", 50]],
    ),
    "one level shows too little": (
        # of the second level 10 of 40 would be shown: in pairs of cells all are
        [[2, 30, 10, 20], [15, 15, 8, 2]],
        3,
        0.85,
        (2,),
        [[32, 30], [30, 10]],
    ),
    "without a share cells stay": (
        [[2, 30, 10, 20], [15, 15, 8, 2]],
        3,
        0.0,
        (1,),
        [["-", 30, 10, "-"], ["-", 15, 8, "-"]],
    ),
    "who is in a hidden cell is left out where the sum would tell of it": (
        # of all 2, 16, 16, 2, 2, 22, 18 and 18: in the first four cells 2 and 2 must make 4
        [[1, 8, 8, 1, 1, 20, 9, 9], [1, 8, 8, 1, 1, 2, 9, 9]],
        3,
        0.85,
        (4,),
        [[16, 38], [16, 20]],
    ),
    "and counts where it would not": (
        [[1, 1, 0, 1, 9, 9, 9, 9], [1, 1, 1, 0, 9, 9, 9, 9]],
        3,
        1.0,
        (4,),
        [[3, 36], [3, 36]],
    ),
    "levels that lie apart": ([[9, 9, 0, 0], [0, 0, 9, 9]], 3, 0.85, None, None),
    "nothing to show": ([[9, 0], [0, 9]], 3, 0.0, None, None),
}


def as_shown(found: LevelCells) -> list[list[Any]]:
    """Return what is shown of each level."""
    pairs = zip(found.counts.tolist(), found.shown.tolist(), strict=True)
    return [[n if seen else "-" for n, seen in zip(*pair, strict=True)] for pair in pairs]


@pytest.mark.parametrize(("counts", "k", "share", "widths", "shown"), CELLS.values(), ids=CELLS)
def test_cells_of_two_levels(
    counts: list[list[int]], k: int, share: float, widths: Any, shown: Any
) -> None:
    each = np.array(counts)
    told = each.sum(axis=0) >= k

    found = cells_of_levels(each, told, k, share)

    assert told.dtype == bool  # and is as it was given
    if widths is None:
        assert found is None
        return
    assert found is not None
    assert found.widths == widths
    assert as_shown(found) == shown


def test_nobody_is_told_only_where_nobody_is() -> None:
    # in the first pair two persons are hidden, who may be of either level
    each = np.array([[30, 2, 9, 9], [0, 0, 9, 9]])
    told = np.array([True, False, True, True])

    one, two = (cells_of_levels(each, told, 3, share, show_empty=True) for share in (0.85, 0.0))

    assert one is not None
    assert two is not None
    assert as_shown(two) == [[30, "-", 9, 9], [0, "-", 9, 9]]
    assert one.widths == (1,)


@pytest.mark.parametrize(
    ("shape", "widths"),
    [
        ((1,), [(1,)]),
        ((2,), [(1,)]),
        ((3,), [(1,), (2,)]),
        ((5, 30), [(1, 1), (2, 2), (2, 4), (2, 8)]),
    ],
)
def test_blocks_get_wider_as_long_as_two_are_left(shape: Any, widths: Any) -> None:
    assert widths_of_blocks(shape) == widths


@given(st.integers(1, 9), st.integers(1, 9), st.randoms(use_true_random=False))
def test_blocks_hold_what_their_cells_hold(rows: int, columns: int, random: Any) -> None:
    counts = np.array([[random.randint(0, 9) for _ in range(columns)] for _ in range(rows)])
    for a, b in widths_of_blocks((rows, columns)):
        plain = [
            [int(counts[i : i + a, j : j + b].sum()) for j in range(0, columns, b)]
            for i in range(0, rows, a)
        ]
        assert in_blocks(counts, (a, b)).tolist() == plain


# --- attacks ----------------------------------------------------------------------------------


@st.composite
def persons(draw: st.DrawFn) -> tuple[Counts, int, bool]:
    """Draw persons of two columns of levels in a small grid: counts[a, b, x, y]; k; show_empty."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = (2, draw(st.integers(2, 3)), draw(st.integers(2, 5)), draw(st.integers(2, 5)))
    busy = rng.gamma(0.5, draw(st.sampled_from([2.0, 6.0])), shape[2:])
    return (
        rng.poisson(busy * rng.gamma(1.0, 1.0, shape)),
        draw(st.integers(2, 4)),
        draw(st.booleans()),
    )


def held_at(everyone: Counts, told: NDArray[np.bool_], k: int, widths: Any, least: int) -> Any:
    """Say which cells count at some width, block by block: a plain loop."""
    held = told.copy()
    for a, b in widths_of_blocks(told.shape)[1:]:
        if a > widths[0] or b > widths[1]:
            break
        for i in range(0, told.shape[0], a):
            for j in range(0, told.shape[1], b):
                block = (slice(i, i + a), slice(j, j + b))
                rest = everyone[block][~held[block]]
                if rest.sum() >= k and all(
                    least * (rest.size - 1) + n <= rest.sum() <= (k - 1) * (rest.size - 1) + n
                    for n in range(least, k)
                ):
                    held[block] = True
    return held


@settings(deadline=None, max_examples=40)
@given(persons(), st.sampled_from([0.5, 0.85]))
def test_panels_by_two_columns_tell_nothing_of_a_hidden_cell(
    drawn: tuple[Counts, int, bool], share: float
) -> None:
    """Who adds up the panels and takes the picture of all from them is as wise as before.

    He is given which cells were counted, and that a hidden one holds fewer than k.
    """
    counts, k, show_empty = drawn
    everyone, least = counts.sum(axis=(0, 1)), int(show_empty)
    told = (everyone >= k) | ((everyone == 0) & show_empty)
    known, values = [], []
    for each in (counts.sum(axis=1), counts.sum(axis=0)):
        panels = cells_of_levels(each, told, k, share, show_empty=show_empty)
        if panels is None:
            continue
        assert shows_enough(panels.counts, each.sum(axis=(1, 2)), share)
        assert ((panels.counts >= k) | (panels.counts == 0)).all()
        assert (panels.shown == panels.shown[0]).all()
        held = held_at(everyone, told, k, panels.widths, least)
        a, b = panels.widths
        for i, j in np.argwhere(panels.shown[0]).tolist():
            block = np.zeros(told.shape, dtype=np.bool_)
            block[i * a : (i + 1) * a, j * b : (j + 1) * b] = True
            sum_of = int(panels.counts[:, i, j].sum())
            assert sum_of == everyone[block & held].sum()
            known.append((block & held & ~told).ravel())
            values.append(sum_of - int(everyone[block & told].sum()))
    hidden = ~told.ravel()
    if not known or not hidden.any():
        return
    bounds = [(least, k - 1) if cell else (0, 0) for cell in hidden.tolist()]
    for cell in np.flatnonzero(np.any(known, axis=0)).tolist():
        for sign, end in ((1, least), (-1, k - 1)):
            aim = sign * np.eye(told.size)[cell]
            found = linprog(aim, A_eq=np.array(known), b_eq=values, bounds=bounds)
            assert found.success
            assert sign * found.fun == pytest.approx(end, abs=1e-6)
