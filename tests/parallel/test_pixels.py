"""Bins of pixel pairs and their metrics: worked by hand, counted by loops, beside scikit-learn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from sklearn.metrics import mutual_info_score

from discreet.errors import InputError
from discreet.parallel.pixels import (
    KINDS,
    METRICS,
    PairBins,
    PairMetrics,
    Seeding,
    bin_of_records,
    bins_of_grid,
    choose_seeding,
    information,
    level_bands,
    level_pixels,
    pair_bins,
    pair_metrics,
    resolution,
)

Whole = NDArray[np.int64]
Records = list[tuple[int, int]]

T = 3 / 8 * math.log2(8 / 3)

# Records as (left pixel, right pixel): over-plotting, divergence and convergence as degrees,
# mutual information, left, right and joint entropy; corrected information and its error.
BY_HAND: dict[str, tuple[Records, tuple[float, ...], tuple[float, float]]] = {
    "all on one pixel": ([(2, 1)] * 6, (6, 1, 1, 0, 0, 0, 0), (0, 0)),
    "a fan": ([(0, i) for i in range(6)], (1, 6, 1, 0, 0, math.log2(6), math.log2(6)), (0, 0)),
    "a funnel": ([(i, 0) for i in range(6)], (1, 1, 6, 0, math.log2(6), 0, math.log2(6)), (0, 0)),
    "independent": (
        [(0, 0), (0, 5), (0, 5), (3, 0), (3, 5), (3, 5)],
        (1.5, 2, 2, 0, 1, math.log2(3) - 2 / 3, math.log2(3) + 1 / 3),
        (-1 / (12 * math.log(2)), 0),
    ),
    "one from the other": (
        [(0, 5)] * 4 + [(1, 3)] * 2 + [(2, 2)] * 2,
        (8 / 3, 1, 1, 1.5, 1.5, 1.5, 1.5),
        (1.5 + 2 / (16 * math.log(2)), math.sqrt(0.25 / 8)),
    ),
    "something of each": (
        [(0, 0), (0, 0), (0, 2), (1, 2), (5, 1), (5, 1), (5, 1), (5, 2)],
        (8 / 5, 5 / 3, 5 / 3, 2 * T - 0.25, T + 0.875, 2 * T + 0.5, T + 1.625),
        (
            2 * T - 0.25,  # as many bins as pixels less one: nothing is taken off
            math.sqrt(
                (
                    2 * math.log2(8 / 3) ** 2
                    + math.log2(8 / 9) ** 2
                    + math.log2(8 / 3) ** 2
                    + 3 * 1
                    + math.log2(2 / 3) ** 2
                )
                / 64
                - (2 * T - 0.25) ** 2 / 8
            ),
        ),
    ),
}


def bins_of(records: Records, heights: tuple[int, int] = (6, 6)) -> PairBins:
    pixels = np.array(records, dtype=np.int64).reshape(-1, 2)
    return pair_bins(pixels[:, 0], pixels[:, 1], heights)


def plain(bins: PairBins) -> tuple[list[int], list[int], list[int], tuple[int, int]]:
    return bins.left.tolist(), bins.right.tolist(), bins.counts.tolist(), bins.heights


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Records, tuple[int, int]]:
    heights = draw(st.sampled_from([(1, 1), (3, 2), (6, 5), (2, 40), (400, 500)]))
    one = st.tuples(st.integers(0, heights[0] - 1), st.integers(0, heights[1] - 1))
    few = draw(st.lists(one, min_size=1, max_size=12))
    return few * draw(st.sampled_from([1, 2, 50])), heights


@pytest.mark.parametrize(("records", "metrics", "found"), BY_HAND.values(), ids=BY_HAND)
def test_by_hand(records: Records, metrics: tuple[float, ...], found: tuple[float, float]) -> None:
    bins = bins_of(records)
    got = pair_metrics(bins)
    assert tuple(vars(got).values()) == pytest.approx(metrics, abs=1e-12)
    assert all(math.copysign(1, value) == 1 for value in vars(got).values())
    assert tuple(vars(information(bins)).values()) == pytest.approx(found, abs=1e-12)


def test_bins_by_hand() -> None:
    bins = bins_of([(3, 0), (0, 4), (3, 0), (0, 1), (3, 2), (0, 4)], (4, 5))
    assert plain(bins) == ([0, 0, 3, 3], [1, 4, 0, 2], [1, 2, 2, 1], (4, 5))
    assert bins.size == 6
    assert repr(bins) == "PairBins(heights=(4, 5))"


@given(pairs())
def test_as_counted_by_loops(given_pairs: tuple[Records, tuple[int, int]]) -> None:
    records, heights = given_pairs
    bins = bins_of(records, heights)
    counted = sorted(Counter(records).items())
    assert list(zip(bins.left, bins.right, strict=True)) == [pair for pair, _ in counted]
    assert bins.counts.tolist() == [count for _, count in counted]
    assert (bins.size, bins.heights) == (len(records), heights)
    assert {bins.left.dtype, bins.right.dtype, bins.counts.dtype} == {np.dtype(np.int64)}
    left, right = (list(side) for side in zip(*records, strict=True))
    where = bin_of_records(bins, np.array(left), np.array(right))
    assert bins.left[where].tolist() == left
    assert bins.right[where].tolist() == right


@given(pairs(), st.randoms(use_true_random=False))
def test_laws(given_pairs: tuple[Records, tuple[int, int]], random: Any) -> None:
    records, heights = given_pairs
    bins = bins_of(records, heights)
    assert plain(bins_of(random.sample(records, len(records)), heights)) == plain(bins)
    dense = np.zeros(heights, dtype=np.int64)
    np.add.at(dense, tuple(zip(*records, strict=True)), 1)
    assert plain(bins_of_grid(dense)) == plain(bins)


def metrics_by_loops(dense: Whole) -> PairMetrics:
    """Count every metric cell by cell on the whole grid."""
    n = int(dense.sum())
    rows = [int(dense[i].sum()) for i in range(dense.shape[0])]
    columns = [int(dense[:, j].sum()) for j in range(dense.shape[1])]
    cells = [
        (i, j, int(dense[i, j]))
        for i in range(dense.shape[0])
        for j in range(dense.shape[1])
        if dense[i, j]
    ]
    reach = [sum(1 for i, _, _ in cells if i == k) for k, held in enumerate(rows) if held]
    reached = [sum(1 for _, j, _ in cells if j == k) for k, held in enumerate(columns) if held]

    def entropy(counts: list[int]) -> float:
        return -math.fsum(c / n * math.log2(c / n) for c in counts if c)

    return PairMetrics(
        over_plotting=sum(c for _, _, c in cells) / len(cells),
        divergence=sum(reach) / len(reach),
        convergence=sum(reached) / len(reached),
        mutual_information=math.fsum(
            c / n * math.log2((c / n) / (rows[i] / n * (columns[j] / n))) for i, j, c in cells
        ),
        left_entropy=entropy(rows),
        right_entropy=entropy(columns),
        joint_entropy=entropy([c for _, _, c in cells]),
    )


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=30))
def test_metrics_as_by_loops(records: Records) -> None:
    dense = np.zeros((6, 4), dtype=np.int64)
    np.add.at(dense, tuple(zip(*records, strict=True)), 1)
    found, wanted = pair_metrics(bins_of_grid(dense)), metrics_by_loops(dense)
    assert tuple(vars(found).values()) == pytest.approx(tuple(vars(wanted).values()), abs=1e-12)
    parts = found.left_entropy + found.right_entropy - found.joint_entropy
    assert found.mutual_information == pytest.approx(parts, abs=1e-12)
    assert min(found.over_plotting, found.divergence, found.convergence) >= 1
    assert 0 <= found.mutual_information <= min(found.left_entropy, found.right_entropy) + 1e-12
    nats = mutual_info_score(*zip(*records, strict=True))
    assert found.mutual_information == pytest.approx(nats / math.log(2), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=30))
def test_information_is_entropies_corrected(records: Records) -> None:
    """Miller and Madow: (occupied - 1) / 2n nats are added to each of the three entropies."""
    left, right = (list(side) for side in zip(*records, strict=True))
    n = len(records)

    def entropy(values: list[Any]) -> float:
        counts = Counter(values).values()
        plug_in = -math.fsum(c / n * math.log(c / n) for c in counts)
        return (plug_in + (len(counts) - 1) / (2 * n)) / math.log(2)

    def gain(pair: tuple[int, int]) -> float:
        alone = left.count(pair[0]) * right.count(pair[1])
        return math.log2(records.count(pair) * n / alone)

    found = information(bins_of(records))
    assert found.bits == pytest.approx(entropy(left) + entropy(right) - entropy(records), abs=1e-12)
    error = float(np.std([gain(pair) for pair in records])) / math.sqrt(n)
    assert found.error == pytest.approx(error, abs=1e-9)


def test_information_holds_its_error() -> None:
    """Drawn again and again from known shares: no bias, and the error is the spread."""
    shares = np.array([[0.20, 0.05, 0.05], [0.05, 0.25, 0.05], [0.05, 0.10, 0.20]])
    alone = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    truth = float(np.sum(shares * np.log2(shares / alone)))
    rng = np.random.default_rng(6)
    tables = [bins_of_grid(c.reshape(3, 3)) for c in rng.multinomial(400, shares.ravel(), 2000)]
    found = [information(bins) for bins in tables]
    bits = np.array([one.bits for one in found])
    plug_in = np.array([pair_metrics(bins).mutual_information for bins in tables])
    spread = float(bits.std())
    # The error of a mean of 2000 is a 45th of the spread, that of a spread a 63rd of it.
    assert abs(float(bits.mean()) - truth) < 4 * spread / math.sqrt(2000)
    assert float(plug_in.mean()) - truth > 6 * spread / math.sqrt(2000)
    assert float(np.mean([one.error for one in found])) == pytest.approx(spread, rel=0.08)


def test_error_is_that_of_the_bootstrap() -> None:
    rng = np.random.default_rng(3)
    left = rng.integers(0, 8, 600)
    right = np.where(rng.random(600) < 0.4, left // 2, rng.integers(0, 4, 600))
    again = [
        information(pair_bins(left[rows], right[rows], (8, 4))).bits
        for rows in rng.integers(0, 600, (400, 600))
    ]
    error = information(pair_bins(left, right, (8, 4))).error
    assert error == pytest.approx(float(np.std(again)), rel=0.2)


def test_dependence_is_told_from_chance() -> None:
    """On fine pixels, columns that have nothing in common seem to have a lot."""
    rng = np.random.default_rng(1)
    left, right = rng.integers(0, 40, 4000), rng.integers(0, 5, 4000)
    bins = pair_bins(left, right, (40, 5))
    assert pair_metrics(bins).mutual_information > 0.02
    assert abs(information(bins).bits) < 2 * information(bins).error


# PlotRequest for: what is given, or the nearest that is allowed.
ALLOWED = {50: 50, 100: 100, 400: 400, 500: 500, 501: 500, 523: 500, 1080: 500, 10**9: 500}
NEAREST = {0: 50, -300: 50, 1: 50, 49: 50, 74: 50, 75: 100, 76: 100, 399: 400, 424: 400, 499: 500}


@pytest.mark.parametrize(("asked", "given_"), ALLOWED.items())
def test_resolution(asked: int, given_: int) -> None:
    assert resolution(asked) == given_
    assert resolution(resolution(asked)) == given_
    assert type(resolution(np.int64(asked))) is int  # type: ignore[arg-type]


@pytest.mark.parametrize(("asked", "nearest"), NEAREST.items())
def test_resolution_names_the_nearest(asked: int, nearest: int) -> None:
    with pytest.raises(InputError, match=rf"multiple of 50.*nearest\s+allowed is {nearest}$"):
        resolution(asked)


LEVELS = {
    (1, 1): ((0,), ((0, 1),)),
    (1, 9): ((4,), ((0, 9),)),
    (1, 400): ((200,), ((0, 400),)),
    (2, 400): ((0, 399), ((0, 200), (200, 400))),
    (3, 9): ((0, 4, 8), ((0, 3), (3, 6), (6, 9))),
    (3, 10): ((0, 5, 9), ((0, 3), (3, 6), (6, 10))),
    (4, 4): ((0, 1, 2, 3), ((0, 1), (1, 2), (2, 3), (3, 4))),
    (5, 400): ((0, 100, 200, 299, 399), ((0, 80), (80, 160), (160, 240), (240, 320), (320, 400))),
}


@pytest.mark.parametrize(("given_", "wanted"), LEVELS.items())
def test_levels(given_: tuple[int, int], wanted: tuple[Any, Any]) -> None:
    assert (level_pixels(*given_), level_bands(*given_)) == wanted


@given(st.integers(1, 60), st.integers(0, 500))
def test_levels_apart(levels: int, more: int) -> None:
    height = levels + more
    pixels, bands = level_pixels(levels, height), level_bands(levels, height)
    assert len(pixels) == len(bands) == levels
    assert all(a < b for a, b in pairwise(pixels))
    if levels > 1:
        assert (pixels[0], pixels[-1]) == (0, height - 1)
        steps = {b - a for a, b in pairwise(pixels)}
        assert max(steps) - min(steps) <= 1
    assert (bands[0][0], bands[-1][1]) == (0, height)
    assert all(a[1] == b[0] for a, b in pairwise(bands))
    widths = {high - low for low, high in bands}
    assert min(widths) >= 1
    assert max(widths) - min(widths) <= 1


ONE = np.array([1])
NONE = np.array([], dtype=np.int64)

BAD: dict[str, tuple[Callable[[], object], str]] = {
    "pixel at the height": (lambda: pair_bins(ONE, ONE, (2, 1)), "right axis must be from 0"),
    "pixel below 0": (lambda: pair_bins(-ONE, ONE, (2, 2)), "left axis must be from 0"),
    "no height": (lambda: pair_bins(NONE, NONE, (0, 2)), "left axis must be from 0"),
    "another number of records": (
        lambda: pair_bins(ONE, np.array([1, 1]), (2, 2)),
        "as many pixels on the left axis as on the right",
    ),
    "no grid": (lambda: bins_of_grid(ONE), "counts must be a grid"),
    "grid below 0": (lambda: bins_of_grid(np.array([[-1, 2]])), "at least 0"),
    "record of no bin": (
        lambda: bin_of_records(pair_bins(ONE, ONE, (3, 3)), ONE, ONE + 1),
        "in none of the bins",
    ),
    "record of no bin, between two": (
        lambda: bin_of_records(bins_of([(0, 0), (399, 9)], (400, 10)), ONE, ONE),
        "in none of the bins",
    ),
    "no levels": (lambda: level_pixels(0, 9), "at least one level"),
    "more levels than pixels": (lambda: level_bands(10, 9), "no more levels than pixels"),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


Grid = NDArray[np.int64]

FUNNEL = [[1], [1], [1], [1], [1], [1]]
FAN = [[1, 1, 1, 1, 1, 1]]
APART = [[6, 0], [0, 6]]
FULL = [[1, 1, 1], [1, 1, 1], [1, 1, 1]]

CONTINUOUS, CATEGORICAL = "continuous", "categorical"
NUMBERS = (CONTINUOUS, CONTINUOUS)
TWO_LEVELS = (CATEGORICAL, CATEGORICAL)
MIXED = (CONTINUOUS, CATEGORICAL)
MIXED_BACK = (CATEGORICAL, CONTINUOUS)

# Degrees of over-plotting, divergence and convergence in the name.
CASES: dict[str, tuple[list[list[int]], tuple[str, str], str]] = {
    "step 2, two categorical, 1 1 6": (FUNNEL, TWO_LEVELS, "over-plotting"),
    "step 2, two categorical, 6 1 1": (APART, TWO_LEVELS, "over-plotting"),
    "step 4, mixed, 1 1 6": (FUNNEL, MIXED, "convergence"),
    "step 4, mixed, categorical first, 1 1 6": (FUNNEL, MIXED_BACK, "convergence"),
    "step 4, mixed, 1 6 1": (FAN, MIXED, "divergence"),
    "step 4, mixed, categorical first, 1 6 1": (FAN, MIXED_BACK, "divergence"),
    "step 4, mixed, tie, 1 3 3": (FULL, MIXED, "divergence"),
    "step 2, mixed, whatever the over-plotting, 6 1 1": (APART, MIXED, "divergence"),
    "step 4, mixed, 8/5 5/2 5/3": ([[3, 1, 0], [1, 2, 1]], MIXED, "divergence"),
    "step 4, mixed, 8/5 5/3 5/2": ([[3, 1], [1, 2], [0, 1]], MIXED, "convergence"),
    "step 5, two continuous, 6 1 1": (APART, NUMBERS, "over-plotting"),
    "step 5, two continuous, 1 1 6": (FUNNEL, NUMBERS, "convergence"),
    "step 5, two continuous, 1 6 1": (FAN, NUMBERS, "divergence"),
    "step 5, two continuous, 1 3 3": (FULL, NUMBERS, "divergence"),
    "step 5, two continuous, tie, 2 2 1": ([[2, 2, 0, 0], [0, 0, 2, 2]], NUMBERS, "over-plotting"),
    "step 5, one record less, 7/4 2 1": ([[2, 2, 0, 0], [0, 0, 2, 1]], NUMBERS, "divergence"),
    "step 5, tie, 2 1 2": ([[2, 0], [2, 0], [0, 2], [0, 2]], NUMBERS, "over-plotting"),
    "step 5, one record less, 7/4 1 2": ([[2, 0], [2, 0], [0, 2], [0, 1]], NUMBERS, "convergence"),
    "step 5, all on one pixel, 6 1 1": ([[6]], NUMBERS, "over-plotting"),
    "step 5, all records apart, 1 1 1": (np.eye(6, dtype=int).tolist(), NUMBERS, "over-plotting"),
}


@pytest.mark.parametrize(("grid", "kinds", "metric"), CASES.values(), ids=CASES)
def test_seeding_by_hand(grid: list[list[int]], kinds: tuple[str, str], metric: str) -> None:
    assert choose_seeding(bins_of_grid(np.array(grid)), *kinds) == Seeding(metric)


def test_axis() -> None:
    axes = [Seeding(metric).axis for metric in METRICS]
    assert dict(zip(METRICS, axes, strict=True)) == {
        "over-plotting": "both",
        "convergence": "right",
        "divergence": "left",
    }


def chosen_by_loops(grid: Grid, left_kind: str, right_kind: str) -> str:
    """Choose as the paper says, with degrees as fractions."""
    cells = [(i, j) for i, j in np.ndindex(*grid.shape) if grid[i, j]]
    over = Fraction(int(grid.sum()), len(cells))
    div = Fraction(len(cells), len({i for i, _ in cells}))
    conv = Fraction(len(cells), len({j for _, j in cells}))
    if left_kind == right_kind == CATEGORICAL:
        return "over-plotting"
    if left_kind == right_kind and over >= max(conv, div):
        return "over-plotting"
    return "convergence" if conv > div else "divergence"


GRIDS = hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 3))


@given(GRIDS.filter(lambda grid: bool(grid.any())))
def test_as_by_loops(grid: Grid) -> None:
    bins = bins_of_grid(grid)
    degrees = pair_metrics(bins)
    mirror = {"convergence": "divergence", "divergence": "convergence"}
    for kinds in product(KINDS, repeat=2):
        found = choose_seeding(bins, *kinds)
        assert found.metric == chosen_by_loops(grid, *kinds)
        if degrees.convergence != degrees.divergence:
            flipped = choose_seeding(bins_of_grid(grid.T), *kinds[::-1])
            assert flipped.metric == mirror.get(found.metric, found.metric)
