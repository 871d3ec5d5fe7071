"""One cluster grows from a seed: by hand, and as a plain loop over records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.naive_members import naive_clusters
from discreet.kernels.pairs import (
    BAND,
    CLUSTERS,
    PARTS,
    RECORDS,
    ROOM,
    State,
    cluster_bins,
    rows_of_bits,
    seed_by_bins,
    seed_by_pixels,
    sort_parts,
)

Bins = dict[tuple[int, int], int]


def seeds(bins: Bins, k: int, along: int) -> tuple[list[tuple[int, int]], dict[Any, int]]:
    """Return the bin that each cluster grew from, and what is left."""
    places = sorted(bins)
    pixels = np.array(places, dtype=np.int32)
    counts = np.array([bins[place] for place in places], dtype=np.int32)
    height, width = (int(side) + 1 for side in pixels.max(axis=0))
    rows, reached = rows_of_bits(pixels, height, width), np.bincount(pixels[:, 0]).astype(np.int32)
    made = int(counts.sum()) // k
    boxes = np.empty((made, 4), dtype=np.int64)
    parts = np.empty((len(bins) + made, 3), dtype=np.int32)
    told = np.zeros(ROOM + k + 1, dtype=np.int64)
    told[RECORDS] = counts.sum()
    state = State(pixels, counts, rows, reached, boxes, parts, told)
    if along < 0:
        seed_by_bins(state, width, k, False)
    else:
        side = (height, width)[along]
        seed_by_pixels(state, side, along, k, False)
    assert told[CLUSTERS] == made
    assert told[RECORDS] == counts.sum()
    taken = parts[: told[PARTS]]
    assert taken[:, 1].tolist() == sorted(taken[:, 1].tolist())
    firsts = np.unique(taken[:, 1], return_index=True)[1]
    left = {place: int(count) for place, count in zip(places, counts, strict=True) if count}
    return [places[b] for b in taken[firsts, 0]], left


def test_more_records_than_are_told_apart_at_a_time() -> None:
    # In a band and below it by turns: what is at hand is always what has most.
    bins = {(0, 0): BAND + 4, (0, 1): 2 * BAND + 3, (0, 2): BAND}
    k = BAND // 2
    order, left = seeds(bins, k, -1)
    counts, expected = dict(bins), []
    while max(counts.values()) >= k:
        best = max(counts, key=lambda place: (counts[place], -place[1]))
        counts[best] -= k
        expected.append(best)
    assert order == expected
    assert left == {place: count for place, count in counts.items() if count}


Whole = NDArray[np.int64]

ALONG = {"over-plotting": -1, "divergence": 0, "convergence": 1}
METRICS = sorted(ALONG)
COSTS = ["seed", "span"]


def both(left: Any, right: Any, heights: tuple[int, int], k: int, metric: str, cost: str) -> Any:
    """Return boxes and parts of the kernel, and those of the naive algorithm."""
    left, right = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
    bins, bin_of, counts = np.unique(
        left * heights[1] + right, return_inverse=True, return_counts=True
    )
    i, j = np.divmod(bins, heights[1])
    boxes = np.empty((len(left) // k, 4), dtype=np.int64)
    taken = np.empty((len(bins) + len(boxes), 3), dtype=np.int32)
    total, strays = cluster_bins(
        i, j, counts, heights, k, ALONG[metric], cost == "span", boxes, taken
    )
    sorted_parts = np.empty((total + len(strays), 3), dtype=np.int64)
    found = boxes, sorted_parts[: sort_parts(taken[:total], strays, len(bins), sorted_parts)]
    labels, naive_boxes = naive_clusters(left, right, heights, k, metric, cost)
    parts, amounts = np.unique(np.column_stack([bin_of, labels]), axis=0, return_counts=True)
    naive = (naive_boxes, np.column_stack([parts, amounts]))
    return [part.tolist() for part in found], [part.tolist() for part in naive]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[int], list[int], tuple[int, int], int]:
    heights = draw(st.tuples(st.integers(2, 12), st.integers(2, 12)))
    # Few of the pixels, so that bins hold several records, or all.
    used = [draw(st.integers(1, height)) for height in heights]
    k = draw(st.integers(2, 7))
    records = st.tuples(
        *(st.integers(height - few, height - 1) for height, few in zip(heights, used, strict=True))
    )
    drawn = draw(st.lists(records, min_size=k, max_size=60))
    return [i for i, _ in drawn], [j for _, j in drawn], heights, k


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("metric", METRICS)
@given(given=pairs())
def test_as_the_naive_algorithm_on_small_grids(metric: str, cost: str, given: Any) -> None:
    left, right, heights, k = given
    found, naive = both(left, right, heights, k, metric, cost)
    assert found == naive


def columns(kind: str, n: int) -> tuple[Whole, Whole]:
    """Return records on axes of 400 pixels."""
    rng = np.random.default_rng(n)
    x, y = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=n).T

    def spread(values: NDArray[np.float64]) -> Whole:
        low, high = np.quantile(values, [0.001, 0.999])
        return np.asarray(np.clip((values - low) / (high - low) * 399, 0, 399), dtype=np.int64)

    def levels(values: NDArray[np.float64], number: int) -> Whole:
        number_of = np.clip((values + 2) * number / 4, 0, number - 1).astype(np.int64)
        return np.asarray(number_of * 399 // (number - 1))

    made = {
        "normal": (spread(x), spread(y)),
        "mixed": (spread(x), levels(y, 5)),
        "one pixel": (spread(x), np.zeros(n, dtype=np.int64)),
    }
    return made[kind]


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("kind", "k"), [("normal", 2), ("mixed", 10), ("one pixel", 3)])
def test_as_the_naive_algorithm_on_a_thousand(k: int, kind: str, metric: str, cost: str) -> None:
    left, right = columns(kind, 1000)
    found, naive = both(left, right, (400, 400), k, metric, cost)
    assert found == naive
