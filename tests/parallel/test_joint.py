"""Clusters over all axes at once: by hand, as a naive loop over records, and laws."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.parallel.clusters import cluster_jointly, joint_boxes, joint_ranges
from discreet.progress import listening

Whole = NDArray[np.int64]

CASES: dict[str, tuple[Any, int, list[int]]] = {
    # mean (4.8, 5.2), so (5, 5): (0, 0) is 10 off it, (9, 9) 8; then (9, 9) is the farthest
    "two ends, the rest to the nearest": (
        [[0, 0], [9, 9], [1, 0], [9, 8], [5, 9]],
        2,
        [0, 1, 0, 1, 1],
    ),
    # mean 3.5, rounded up: 0 is 4 off, 7 is 3
    "a half is rounded up": ([[0], [1], [6], [7]], 2, [0, 0, 1, 1]),
    # mean 3: both ends are 3 off; the lower goes first
    "the lowest of ties": ([[6], [0], [6], [0]], 2, [1, 0, 1, 0]),
    # mean (9, 9): (20, 20) is 22 off it, (0, 0) is 18; (0, 3) is left over
    "the farthest first, what is left over to the nearest box": (
        [[0, 0], [2, 0], [3, 0], [0, 3], [20, 20], [20, 20], [20, 20]],
        3,
        [1, 1, 1, 1, 0, 0, 0],
    ),
    "one cluster": ([[3, 3], [1, 1], [2, 2]], 2, [0, 0, 0]),
    "all alike": ([[3, 3]] * 5, 2, [0, 0, 0, 1, 1]),
}


@pytest.mark.parametrize(("pixels", "k", "labels"), CASES.values(), ids=CASES)
def test_by_hand(pixels: Any, k: int, labels: list[int]) -> None:
    found = cluster_jointly(np.array(pixels), k).tolist()

    # Of equal rows any may be the one.
    assert sorted(zip(pixels, found, strict=True)) == sorted(zip(pixels, labels, strict=True))


def naively(pixels: Whole, k: int) -> list[tuple[list[int], int]]:
    """Return the rows, sorted, each with its cluster."""
    rows = sorted(pixels.tolist())
    table = np.array(rows)
    there, labels = np.ones(len(rows), dtype=np.bool_), np.full(len(rows), -1)
    mean = [(2 * total + len(rows)) // (2 * len(rows)) for total in table.sum(axis=0).tolist()]
    seed = int(np.abs(table - mean).sum(axis=1).argmax())
    boxes: list[tuple[Whole, Whole]] = []

    def growth(low: Whole, high: Whole) -> Whole:
        grown = np.maximum(np.maximum(low - table, table - high), 0)
        return np.asarray(grown.sum(axis=1))

    while there.sum() >= k:
        low = high = table[seed]
        for _ in range(k):
            costs = np.where(there, growth(low, high), 10**9)
            if not (labels == len(boxes)).any():
                costs = np.where(np.arange(len(rows)) == seed, -1, costs)
            taken = int(costs.argmin())
            there[taken], labels[taken] = False, len(boxes)
            low, high = np.minimum(low, table[taken]), np.maximum(high, table[taken])
        boxes.append((low, high))
        away = np.abs(table - table[seed]).sum(axis=1)
        seed = int(np.where(there, away, -1).argmax())
    for row in np.flatnonzero(there):
        costs = np.array([growth(low, high)[row] for low, high in boxes])
        best = int(costs.argmin())
        labels[row] = best
        low, high = boxes[best]
        boxes[best] = np.minimum(low, table[row]), np.maximum(high, table[row])
    return sorted(zip(rows, labels.tolist(), strict=True))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Whole, int]:
    k, axes = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    pixel = st.integers(0, draw(st.sampled_from([1, 3, 20, 400])))
    rows = draw(st.lists(st.tuples(*[pixel] * axes), min_size=k, max_size=40))
    return np.array(rows, dtype=np.int64), k


@given(tables(), st.randoms(use_true_random=False))
def test_laws(given: tuple[Whole, int], chance: Any) -> None:
    pixels, k = given
    labels = cluster_jointly(pixels, k)
    boxes = joint_boxes(labels, pixels)

    assert sorted(zip(pixels.tolist(), labels.tolist(), strict=True)) == naively(pixels, k)
    sizes = np.bincount(labels)
    assert len(sizes) == len(pixels) // k
    assert sizes.min() >= k
    assert (boxes[labels, :, 0] <= pixels).all()
    assert (pixels < boxes[labels, :, 1]).all()
    order = np.array(chance.sample(range(len(pixels)), len(pixels)))
    again = cluster_jointly(pixels[order], k)
    assert sorted(zip(pixels[order].tolist(), again.tolist(), strict=True)) == sorted(
        zip(pixels.tolist(), labels.tolist(), strict=True)
    )


@pytest.mark.parametrize("k", [3, 10])
def test_as_the_naive_algorithm_on_a_thousand(k: int) -> None:
    pixels = np.random.default_rng(k).normal(200, 60, (1000, 5)).astype(np.int64).clip(0, 399)
    labels = cluster_jointly(pixels, k)

    assert sorted(zip(pixels.tolist(), labels.tolist(), strict=True)) == naively(pixels, k)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    pixels = np.arange(600).reshape(300, 2)

    with listening(lambda task, done, total: told.append((done, total))):
        cluster_jointly(pixels, 3)

    steps = [done for done, total in told if total == 300]
    assert steps == sorted(steps)
    assert 10 < len(steps) <= 100
    assert steps[-1] == 300


def test_ranges_are_spans_of_both_axes() -> None:
    boxes = joint_boxes(np.array([0, 0, 1]), np.array([[0, 4, 9], [1, 4, 5], [7, 7, 7]]))

    # spans 2, 1, 5 and 1, 1, 1
    assert joint_ranges(boxes).tolist() == [5, 8]


@pytest.mark.parametrize("k", [1, 0, 2.0, True, None])
def test_k_is_a_whole_number_of_at_least_two(k: Any) -> None:
    with pytest.raises(InputError, match="k must be a whole number of at least 2"):
        cluster_jointly(np.zeros((5, 2), dtype=np.int64), k)


def test_k_above_the_number_of_records() -> None:
    with pytest.raises(RefusedError, match="fewer records than k"):
        cluster_jointly(np.zeros((5, 2), dtype=np.int64), 6)


@pytest.mark.parametrize(
    "pixels", [np.zeros(4, dtype=np.int64), np.zeros((4, 2)), np.array([[0, 1], [2, -1]])]
)
def test_pixels_are_a_table_of_whole_numbers(pixels: Any) -> None:
    with pytest.raises(InputError, match="pixels must be a table of whole numbers"):
        cluster_jointly(pixels, 2)


@pytest.mark.parametrize(
    "pixels",
    [
        np.array([[2**62, 2**62], [0, 0], [2**62, 0]]),
        np.array([[0, 0], [0, 2**13], [1, 1]]),
        np.array([[0, 0], [0, 2**64 - 1], [1, 1]], dtype=np.uint64),
    ],
)
def test_pixels_are_no_more_than_clusters_can_hold(pixels: Any) -> None:
    with pytest.raises(InputError, match="pixels must be below 8192"):
        cluster_jointly(pixels, 3)


def test_the_greatest_pixels() -> None:
    top = 2**13 - 1

    assert (
        cluster_jointly(np.array([[top, top], [0, 0], [top, 0]], dtype=np.uint16), 3).tolist()
        == [0] * 3
    )


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        ([0, 0], "one label for each record"),
        ([], "one label for each record"),
        ([0, 2, 2], "numbered from 0"),
        ([-1, 0, 0], "numbered from 0"),
    ],
)
def test_boxes_of_other_labels(labels: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        joint_boxes(np.array(labels, dtype=np.intp), np.zeros((3, 2), dtype=np.int64))
