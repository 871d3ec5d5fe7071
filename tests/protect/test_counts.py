"""Counts: cells and bins of all persons, and of each level beside them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.protect import COUNT_METHODS, ROW_METHODS
from discreet.protect.counts import (
    Generalization,
    LevelCells,
    Merge,
    NoProtection,
    Suppression,
    cells_of_levels,
    check_counts,
    gaps_of,
    in_blocks,
    rounded,
    shows_enough,
    widths_of_blocks,
)
from tests.cases import examples

Bins = NDArray[np.int64]


def grid(values: Any, *ends: float) -> Callable[[tuple[int, ...]], Bins]:
    """Count rows on a grid from 0 to `ends`, at whatever resolution is asked for."""
    rows = np.asarray(values, dtype=float).reshape(-1, len(ends))

    def count(resolution: tuple[int, ...]) -> Bins:
        ranges = [(0.0, end) for end in ends]
        return np.histogramdd(rows, bins=resolution, range=ranges)[0].astype(np.int64)

    return count


def fixed(counts: Any) -> Callable[[tuple[int, ...]], Bins]:
    """Give the same counts whatever is asked for."""
    return lambda resolution: np.array(counts)


# --- suppression ------------------------------------------------------------------------------

SUPPRESSED: dict[str, tuple[int, Any, Any, Any, int]] = {  # k, counts, kept, shown, hidden
    "below k is hidden": (3, [5, 2, 1, 3], [5, 0, 0, 3], [1, 0, 0, 1], 2),
    "empty is not hidden": (3, [0, 2, 0, 9], [0, 0, 0, 9], [1, 0, 1, 1], 1),
    "k of 1 hides nothing": (1, [0, 1, 2], [0, 1, 2], [1, 1, 1], 0),
    "all are hidden": (5, [4, 4], [0, 0], [0, 0], 2),
    "a grid": (2, [[1, 2], [0, 3]], [[0, 2], [0, 3]], [[0, 1], [1, 1]], 1),
}


@pytest.mark.parametrize(
    ("k", "counts", "kept", "shown", "hidden"), SUPPRESSED.values(), ids=SUPPRESSED
)
def test_suppression(k: int, counts: Any, kept: Any, shown: Any, hidden: int) -> None:
    resolution = np.shape(counts)

    guarded = Suppression(k)(fixed(counts), resolution)

    assert guarded.counts.tolist() == kept
    assert guarded.shown.astype(int).tolist() == shown
    assert (guarded.resolution, guarded.hidden) == (resolution, hidden)


def test_what_is_guarded_cannot_be_written_to_and_does_not_share_the_counts() -> None:
    counts = np.array([5, 1])
    guarded = Suppression(3)(lambda resolution: counts, (2,))

    with pytest.raises(ValueError, match="read-only"):
        guarded.counts[1] = 1
    with pytest.raises(ValueError, match="read-only"):
        guarded.shown[1] = True
    counts[0] = 7
    assert guarded.counts.tolist() == [5, 0]


def test_no_protection_shows_everything() -> None:
    guarded = NoProtection()(fixed([0, 1, 7]), (3,))

    assert guarded.counts.tolist() == [0, 1, 7]
    assert guarded.shown.all()
    assert guarded.hidden == 0


# --- generalization ---------------------------------------------------------------------------

EIGHT = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]  # one person in each of eight bins
GENERALIZED: dict[str, tuple[Any, Any, tuple[int, ...], tuple[int, ...], Any]] = {
    # method, rows, asked for, used, counts
    "halves": (Generalization(2), EIGHT, (8,), (4,), [2, 2, 2, 2]),
    "halves once, then hides": (Generalization(3), EIGHT, (8,), (4,), [0, 0, 0, 0]),
    "rounds down": (Generalization(1), EIGHT, (5,), (2,), [4, 4]),
    "stays at one": (Generalization(1), EIGHT, (1,), (1,), [8]),
    "goes on until enough is shown": (Generalization(3, 0.5), EIGHT, (8,), (2,), [4, 4]),
    "stops where enough is shown": (
        Generalization(2, 0.5),
        [*EIGHT[:6], 6.1],
        (8,),
        (4,),
        [2, 2, 2, 0],
    ),
    "ends at one, hidden or not": (Generalization(9, 1.0), EIGHT, (8,), (1,), [0]),
    "an empty table": (Generalization(3, 0.9), [], (8,), (4,), [0, 0, 0, 0]),
}


@pytest.mark.parametrize(
    ("method", "rows", "asked", "used", "counts"), GENERALIZED.values(), ids=GENERALIZED
)
def test_generalization(
    method: Generalization, rows: Any, asked: Any, used: Any, counts: Any
) -> None:
    guarded = method(grid(rows, 8.0), asked)

    assert guarded.resolution == used
    assert guarded.counts.tolist() == counts


@pytest.mark.parametrize(
    ("share", "asked"),
    [(None, [(15, 10)]), (1.0, [(15, 10), (7, 5), (3, 2), (1, 1)])],
)
def test_each_axis_is_halved(share: float | None, asked: list[tuple[int, int]]) -> None:
    seen: list[tuple[int, ...]] = []

    def count(resolution: tuple[int, ...]) -> Bins:
        seen.append(resolution)
        return np.ones(resolution, dtype=np.int64)

    Generalization(3, share)(count, (30, 20))

    assert seen == asked


# --- merge ------------------------------------------------------------------------------------

MERGED: dict[str, tuple[int, list[int], list[int], list[int]]] = {  # k, counts, groups, merged
    "nothing to join": (3, [3, 4, 5], [0, 1, 2], [3, 4, 5]),
    "from the left": (5, [4, 2, 0, 7, 9], [0, 0, 1, 1, 2], [6, 7, 9]),
    "the rest joins the last": (5, [4, 2, 0, 7, 1], [0, 0, 1, 1, 1], [6, 8]),
    "empty bins join": (3, [0, 0, 3, 0, 0, 3, 0], [0, 0, 0, 1, 1, 1, 1], [3, 3]),
    "all in one": (10, [3, 3, 4], [0, 0, 0], [10]),
    "one bin": (3, [3], [0], [3]),
}


@pytest.mark.parametrize(("k", "counts", "groups", "merged"), MERGED.values(), ids=MERGED)
def test_merge(k: int, counts: list[int], groups: list[int], merged: list[int]) -> None:
    result = Merge(k)(
        fixed(counts), (len(counts),), lambda g: np.bincount(g, counts).astype(np.int64)
    )

    assert result.groups.tolist() == groups
    assert result.counts.tolist() == merged
    assert not result.gap.any()


GAPS: dict[str, tuple[int, list[int], str, list[int], list[int]]] = {  # k, counts, gap, groups
    # and what each group holds, with whom lies in the gap beside it
    "between two humps": (5, [9, 0, 0, 0, 9], ".---.", [0, 0, 0, 0, 1], [9, 9]),
    "of fewer than k in all": (5, [9, 1, 2, 1, 20], ".---.", [0, 1, 1, 1, 1], [9, 24]),
    "of k it is a bin": (5, [9, 1, 2, 2, 20], ".....", [0, 1, 1, 1, 2], [9, 5, 20]),
    "two bins are none": (5, [9, 0, 0, 9], "....", [0, 1, 1, 1], [9, 9]),
    "not at the left end": (5, [0, 0, 0, 0, 9], ".....", [0] * 5, [9]),
    "nor at the right one": (5, [9, 0, 0, 1, 0], ".....", [0] * 5, [10]),
    "as long as it can be": (5, [8, 2, 0, 0, 0, 2, 7], ".-----.", [0, 0, 0, 0, 0, 0, 1], [12, 7]),
    "small bins beside it are joined": (
        5,
        [9, 3, 4, 0, 0, 0, 4, 2, 9],
        "..----...",
        [0, 0, 0, 0, 0, 0, 1, 1, 2],
        [16, 6, 9],
    ),
    "two gaps": (5, [9, 0, 0, 0, 5, 0, 0, 1, 6], ".---.---.", [0] * 4 + [1] + [2] * 4, [9, 5, 7]),
    "a thin stretch is none": (
        5,
        [9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9],
        "...........",
        [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2],
        [9, 5, 13],
    ),
    "too few between are in no gap of their own": (
        5,
        [9, 0, 0, 0, 3, 0, 0, 0, 9],
        ".-------.",
        [0] * 8 + [1],
        [12, 9],
    ),
}


@pytest.mark.parametrize(("k", "counts", "gap", "groups", "merged"), GAPS.values(), ids=GAPS)
def test_nothing_is_joined_across_a_gap(
    k: int, counts: list[int], gap: str, groups: list[int], merged: list[int]
) -> None:
    result = Merge(k)(
        fixed(counts), (len(counts),), lambda g: np.bincount(g, counts).astype(np.int64)
    )

    assert "".join(".-"[hole] for hole in result.gap.tolist()) == gap
    assert result.groups.tolist() == groups
    assert result.counts.tolist() == merged


def test_a_gap_between_bins_of_the_same_persons_is_joined() -> None:
    # the sides of the gap hold two each, who are the same: k of them are in no bin
    bins = [set("abc"), set("ab"), set("a"), set(), set(), set(), set("abc"), set("defgh")]
    count, count_groups = persons_in(bins)

    result = Merge(4)(count, (8,), count_groups)

    assert gaps_of(np.array([3, 2, 1, 0, 0, 0, 3, 5]), 4).tolist() == [0, 0, 1, 1, 1, 1, 0, 0]
    assert not result.gap.any()
    assert result.counts.tolist() == [8]


@settings(deadline=None, derandomize=True, max_examples=examples(200))
@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 12))
def test_a_gap_holds_fewer_than_k_and_its_sides_do_not(counts: list[int], k: int) -> None:
    held = np.array(counts)
    if held.sum() < k:
        return
    result = Merge(k)(fixed(counts), (len(counts),), lambda g: np.bincount(g, held).astype(int))

    assert result.counts.sum() == held.sum()  # nobody is left out, so no total tells of a gap
    own = np.bincount(result.groups[~result.gap], held[~result.gap])
    assert own.min() >= k
    runs = "".join(".-"[hole] for hole in result.gap.tolist())
    for found in re.finditer("-+", runs):
        first, last = found.span()
        assert 0 < first < last < len(counts)
        assert last - first >= 3
        assert held[first:last].sum() < k
        assert result.groups[first - 1] != result.groups[last]


def persons_in(bins: list[set[str]]) -> tuple[Any, Any]:
    """Count persons, of whom one may be in several bins, in bins and in joined bins."""

    def count_groups(groups: Any) -> Bins:
        joined: list[set[str]] = [set() for _ in range(max(groups) + 1)]
        for group, persons in zip(groups, bins, strict=True):
            joined[group] |= persons
        return np.array([len(persons) for persons in joined])

    return fixed([len(persons) for persons in bins]), count_groups


def test_joined_bins_are_counted_anew_until_each_holds_k_persons() -> None:
    # 2 and 2 would make 4, but a and b are in both: joined on with the next
    count, count_groups = persons_in([set("ab"), set("ab"), set("cdef"), set("ghij")])

    result = Merge(4)(count, (4,), count_groups)

    assert result.groups.tolist() == [0, 0, 0, 1]
    assert result.counts.tolist() == [6, 4]


def test_too_few_persons_in_all_bins_are_refused_without_numbers() -> None:
    count, count_groups = persons_in([set("ab"), set("ab"), set("ab")])

    with pytest.raises(RefusedError, match="all bins together hold fewer than k") as refused:
        Merge(3)(count, (3,), count_groups)
    assert not any(character.isdigit() for character in str(refused.value))


def test_merge_is_for_one_axis() -> None:
    with pytest.raises(InputError, match="merge joins the bins of one axis"):
        Merge(3)(fixed([[3]]), (1, 1), lambda groups: np.array([3]))


@settings(deadline=None, derandomize=True, max_examples=examples(100))
@given(
    st.lists(st.sets(st.sampled_from("abcdefghijkl")), min_size=1, max_size=12), st.integers(1, 6)
)
def test_every_merged_bin_holds_k_persons_and_bins_stay_in_order(bins: Any, k: int) -> None:
    count, count_groups = persons_in(bins)
    try:
        result = Merge(k)(count, (len(bins),), count_groups)
    except RefusedError:
        assert len(set().union(*bins)) < k
        return

    assert result.counts.min() >= k
    assert result.counts.tolist() == count_groups(result.groups).tolist()
    assert set(np.diff(result.groups, prepend=0)) <= {0, 1}


# --- what is checked --------------------------------------------------------------------------

BROKEN: dict[str, tuple[Any, Any, str]] = {
    "a small cell": ([5, 2], [True, True], "fewer than k persons is about to be shown"),
    "a negative cell": ([5, -1], [True, True], "fewer than k persons is about to be shown"),
    "another shape": ([5, 2], [True], "differ in shape"),
}


@pytest.mark.parametrize(("counts", "shown", "message"), BROKEN.values(), ids=BROKEN)
def test_a_small_cell_that_is_shown_is_a_broken_promise(
    counts: Any, shown: Any, message: str
) -> None:
    with pytest.raises(BrokenPromiseError, match=message):
        check_counts(np.array(counts), np.array(shown), k=3)


def test_hidden_empty_and_large_cells_pass() -> None:
    check_counts(np.array([0, 2, 3]), np.array([True, False, True]), k=3)
    check_counts(np.array([2]), np.array([False]), k=3)


@pytest.mark.parametrize("counts", [[1, 2, 3], [1.5, 2.0], [-1, 2], [np.nan, 2]])
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_counts_that_are_none_are_a_broken_promise(counts: Any) -> None:
    with pytest.raises(BrokenPromiseError, match="one whole number for each cell"):
        Suppression(3)(fixed(counts), (2,))


@pytest.mark.parametrize("resolution", [(), (0,), (2, 0), (True,), (2.0,)])
def test_a_resolution_is_of_whole_numbers(resolution: Any) -> None:
    with pytest.raises(InputError, match="resolution must"):
        Suppression(3)(fixed([1, 2]), resolution)


@pytest.mark.parametrize("method", [Suppression, Generalization, Merge])
@pytest.mark.parametrize("k", [0, -1, True, 3.0, "3", None])
def test_k_is_a_whole_number_of_at_least_one(method: Any, k: Any) -> None:
    with pytest.raises(InputError, match="k must be a whole number of at least 1"):
        method(k)


@pytest.mark.parametrize(
    ("share", "message"),
    [(0.0, "shown_share must be above 0"), (1.1, "at most 1"), (True, "must be a finite number")],
)
def test_the_share_that_is_shown_lies_between_0_and_1(share: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Generalization(3, share)


ROUNDED: list[tuple[int, list[int], list[int]]] = [
    (1, [0, 1, 7], [0, 1, 7]),
    (2, [0, 1, 2, 3], [0, 2, 2, 4]),
    (3, [0, 1, 2, 3, 4], [0, 0, 3, 3, 3]),
    (5, [0, 2, 3, 7, 8], [0, 0, 5, 5, 10]),
    (10, [4, 5, 14, 15], [0, 10, 10, 20]),
]


@pytest.mark.parametrize(("base", "counts", "out"), ROUNDED)
def test_counts_are_rounded_to_the_nearest_multiple(
    base: int, counts: list[int], out: list[int]
) -> None:
    once = rounded(np.array(counts), base)

    assert once.tolist() == out
    assert rounded(once, base).tolist() == out


@pytest.mark.parametrize("base", [0, 2.5, True])
def test_the_base_is_a_whole_number(base: Any) -> None:
    with pytest.raises(InputError, match="base must be a whole number of at least 1"):
        rounded(np.array([1]), base)


# --- the registries ---------------------------------------------------------------------------


def test_methods_are_registered_by_name_and_say_what_they_promise() -> None:
    assert list(ROW_METHODS) == [
        "deterministic",
        "probabilistic",
        "multiplicative",
        "condensation",
        "microaggregation",
        "rounding",
    ]
    assert list(COUNT_METHODS) == ["suppression", "generalization", "merge", "none"]
    for methods in (ROW_METHODS, COUNT_METHODS):
        for name, method in methods.items():
            assert method.name == name
            assert method.promises.endswith(".")
            assert method.leaves_open.endswith(".")


def test_importing_the_methods_does_not_import_scipy() -> None:
    code = "import sys, discreet.protect; sys.exit('scipy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


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


# --- hidden bins ------------------------------------------------------------------------------
