"""Counts: what of cells and bins is shown, and which bins are joined."""

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

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.methods.counts import Generalization, Suppression, check_counts, gaps_of, merged_bins
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


SUPPRESSED: dict[str, tuple[int, Any, Any, Any, int]] = {  # k, counts, kept, shown, hidden
    "below k is hidden": (3, [5, 2, 1, 3], [5, 0, 0, 3], [1, 0, 0, 1], 2),
    "empty is not hidden": (3, [0, 2, 0, 9], [0, 0, 0, 9], [1, 0, 1, 1], 1),
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


EIGHT = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]  # one person in each of eight bins
GENERALIZED: dict[str, tuple[Any, Any, tuple[int, ...], tuple[int, ...], Any]] = {
    # method, rows, asked for, used, counts
    "halves": (Generalization(2), EIGHT, (8,), (4,), [2, 2, 2, 2]),
    "halves once, then hides": (Generalization(3), EIGHT, (8,), (4,), [0, 0, 0, 0]),
    "rounds down": (Generalization(1), EIGHT, (5,), (2,), [4, 4]),
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


MERGED: dict[str, tuple[int, list[int], list[int], list[int]]] = {  # k, counts, groups, merged
    "nothing to join": (3, [3, 4, 5], [0, 1, 2], [3, 4, 5]),
    "from the left": (5, [4, 2, 0, 7, 9], [0, 0, 1, 1, 2], [6, 7, 9]),
    "the rest joins the last": (5, [4, 2, 0, 7, 1], [0, 0, 1, 1, 1], [6, 8]),
    "all in one": (10, [3, 3, 4], [0, 0, 0], [10]),
}


@pytest.mark.parametrize(("k", "counts", "groups", "merged"), MERGED.values(), ids=MERGED)
def test_bins_are_joined_until_each_holds_k(
    k: int, counts: list[int], groups: list[int], merged: list[int]
) -> None:
    found = merged_bins(np.array(counts), k)
    assert found.tolist() == groups
    assert np.bincount(found, counts).tolist() == merged
    assert not gaps_of(np.array(counts), k).any()


GAPS: dict[str, tuple[int, list[int], str, list[int], list[int]]] = {  # k, counts, gap, groups
    # and what each group holds, with whom lies in the gap beside it
    "between two humps": (5, [9, 0, 0, 0, 9], ".---.", [0, 0, 0, 0, 1], [9, 9]),
    "of fewer than k in all": (5, [9, 1, 2, 1, 20], ".---.", [0, 1, 1, 1, 1], [9, 24]),
    "of k it is a bin": (5, [9, 1, 2, 2, 20], ".....", [0, 1, 1, 1, 2], [9, 5, 20]),
    "not at the left end": (5, [0, 0, 0, 0, 9], ".....", [0] * 5, [9]),
    "as long as it can be": (5, [8, 2, 0, 0, 0, 2, 7], ".-----.", [0, 0, 0, 0, 0, 0, 1], [12, 7]),
    "small bins beside it are joined": (
        5,
        [9, 3, 4, 0, 0, 0, 4, 2, 9],
        "..----...",
        [0, 0, 0, 0, 0, 0, 1, 1, 2],
        [16, 6, 9],
    ),
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
    held = np.array(counts)
    found = merged_bins(held, k)
    assert "".join(".-"[hole] for hole in gaps_of(held, k).tolist()) == gap
    assert found.tolist() == groups
    assert np.bincount(found, held).tolist() == merged


@settings(deadline=None, derandomize=True, max_examples=examples(200))
@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 12))
def test_a_gap_holds_fewer_than_k_and_its_sides_do_not(counts: list[int], k: int) -> None:
    held = np.array(counts)
    if held.sum() < k:
        return
    groups, gap = merged_bins(held, k), gaps_of(held, k)
    assert set(np.diff(groups, prepend=0).tolist()) <= {0, 1}  # bins stay in order
    assert np.bincount(groups[~gap], held[~gap]).min() >= k
    runs = "".join(".-"[hole] for hole in gap.tolist())
    for found in re.finditer("-+", runs):
        first, last = found.span()
        assert 0 < first < last < len(counts)
        assert last - first >= 3
        assert held[first:last].sum() < k
        assert groups[first - 1] != groups[last]


def test_too_few_in_all_bins_are_refused_without_numbers() -> None:
    with pytest.raises(RefusedError, match="all bins together hold fewer than k") as refused:
        merged_bins(np.array([1, 0, 1]), 3)
    assert not any(character.isdigit() for character in str(refused.value))


BROKEN: dict[str, tuple[Any, Any, str]] = {
    "a small cell": ([5, 2], [True, True], "fewer than k people is about to be shown"),
    "a negative cell": ([5, -1], [True, True], "fewer than k people is about to be shown"),
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


@pytest.mark.parametrize("method", [Suppression, Generalization])
@pytest.mark.parametrize("k", [0, True])
def test_k_is_a_whole_number_of_at_least_one(method: Any, k: Any) -> None:
    with pytest.raises(InputError, match="k must be a whole number of at least 1"):
        method(k)


def test_importing_the_methods_does_not_import_scipy() -> None:
    code = "import sys, discreet.methods; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
