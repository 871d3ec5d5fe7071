"""Clusters of whole cells of rows of a copy: by hand, and counted again from the rows."""

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import RefusedError
from discreet.plots import How, ParallelAxis, ParallelView
from discreet.plots.parallel import ParallelPlot
from discreet.table import Table
from tests.plots.cases import OF_RECORDS, table_of

# What made tables may be refused for.
EXPECTED = (
    "lie at one place",
    "is constant",
    "no finite value",
    "hold fewer than k",
    "fewer than k p",
)
Columns = Mapping[str, Sequence[Any]]
Mask = NDArray[np.bool_]


def drawn(
    table: Table, columns: Sequence[str], *, pixels: int = 100, **fields: Any
) -> ParallelView:
    """Draw parallel coordinates of cells, as of a copy."""
    how = How("whole", k=fields.pop("k", 3), of_copy=True)
    plot = ParallelPlot(columns, pixels=pixels, **{"bins": pixels // 10, **fields})
    return plot.from_counts(table, how, OF_RECORDS)


def persons(cells: Sequence[Sequence[int]], left: str = "abcdef", right: str = "uvwxyz") -> Columns:
    """Make so many persons of each level of `one` (rows) and of `two` (columns)."""
    pairs = [
        (row, column)
        for row, held in zip(left, cells, strict=False)
        for column, n in zip(right, held, strict=False)
        for _ in range(n)
    ]
    return {"one": [row for row, _ in pairs], "two": [column for _, column in pairs]}


# --- by hand ----------------------------------------------------------------------------------


def test_small_cells_are_one_cluster_and_large_ones_each_their_own() -> None:
    # 3 + 1 + 1 persons are left beside the cells of five and more, and make five together
    table = table_of(persons([[20, 9, 0], [10, 3, 1], [0, 1, 30]]))

    view = drawn(table, ["one", "two"], k=5, pixels=150)

    bands = ((0, 50), (50, 100), (100, 150))
    assert view.axes == (
        ParallelAxis("one", "categorical", None, None, ("a", "b", "c"), bands),
        ParallelAxis("two", "categorical", None, None, ("u", "v", "w"), bands),
    )
    assert view.clusters == (
        (
            (0, 50, 0, 50),
            (0, 50, 50, 100),
            (50, 100, 0, 50),
            (50, 150, 50, 150),
            (100, 150, 100, 150),
        ),
    )
    assert view.joins == ()
    assert (view.sizes, view.suppressed, view.pixels) == (None, None, 150)
    assert (view.method, view.columns) == ("whole", ("one", "two"))
    assert view.parameters == {"k": 5, "pixels": 150}
    assert view.origin == replace(OF_RECORDS, shown=74, total=74)


def test_clusters_light_up_together_where_they_share_k_persons() -> None:
    held = persons([[20, 9, 0], [10, 3, 1], [0, 1, 30]])
    three = {**held, "three": [{"u": "a", "v": "b", "w": "c"}[level] for level in held["two"]]}
    view = drawn(table_of(three), ["one", "two", "three"], k=5, pixels=150)
    assert view.clusters[1] == ((0, 50, 0, 50), (50, 100, 50, 100), (100, 150, 100, 150))
    # the fourth cluster runs with 3 + 1 persons into one and with 1 into another: with no k
    assert view.joins == (((0, 0), (1, 1), (2, 0), (4, 2)),)


# --- what is missing, joined, declared --------------------------------------------------------


def test_missing_numbers_are_left_out_of_their_gaps_and_missing_levels_are_a_level() -> None:
    columns: Columns = {
        "x": [None if i < 12 else float(i % 20) for i in range(80)],
        "y": [math.nan if i >= 74 else float(i % 17) for i in range(80)],
        "g": [None if i % 8 == 0 else "ab"[i % 2] for i in range(80)],
    }
    view = drawn(table_of(columns), ["g", "x", "y"])
    assert view.axes[0].levels == ("a", "b", "(missing)")
    # 12 records have no x, and 18 not both: the larger number
    assert (view.origin.shown, view.origin.total) == (62, 80)
    check(view, columns, k=3)
    assert drawn(table_of(columns), ["y", "g"]).origin.shown == 74
    assert drawn(table_of({**columns, "z": [*range(80)]}), ["z", "g"]).origin.shown == 80


# --- counted again ----------------------------------------------------------------------------


def between(axis: ParallelAxis, column: Sequence[Any], low: int, high: int, pixels: int) -> Mask:
    """Say which persons are between two pixels of an axis; its end pixels have no end."""
    if axis.levels:
        stored = ["(missing)" if value is None else value for value in column]
        (rest,) = {*axis.levels} - {*stored} or {""}
        shown = [level if level in axis.levels else rest for level in stored]
        bands = dict(zip(axis.levels, axis.bands, strict=True))
        held_at = [bands[level] for level in shown]
        return np.array([low <= first and last <= high for first, last in held_at])
    assert axis.low is not None
    assert axis.high is not None
    values = np.array([math.nan if value is None else value for value in column], dtype=float)
    held = np.isfinite(values)
    place = (values - axis.low) / (axis.high - axis.low) * pixels + 1e-6
    inside: Mask = held & ((low == 0) | (place >= low)) & ((high == pixels) | (place < high))
    return inside


def edges_on(view: ParallelView, name: str) -> set[int]:
    """Return all pixels at which clusters end on an axis."""
    found: set[int] = set()
    for gap, boxes in enumerate(view.clusters):
        for side in (0, 1):
            if view.columns[gap + side] == name:
                found |= {edge for box in boxes for edge in box[2 * side : 2 * side + 2]}
    return found


def check(view: ParallelView, columns: Columns, k: int) -> None:
    """Check what a view promises, knowing its numbers and the raw data alone."""
    inside: list[list[Mask]] = []
    for gap, boxes in enumerate(view.clusters):
        left, right = view.axes[gap : gap + 2]
        inside.append([])
        for a, b, c, d in boxes:
            of = between(left, columns[left.name], a, b, view.pixels)
            of &= between(right, columns[right.name], c, d, view.pixels)
            assert of.sum() >= k
            inside[-1].append(of)
        assert [*boxes] == sorted(set(boxes))
    for axis in view.axes:
        for low, high in itertools.pairwise(sorted({0, view.pixels} | edges_on(view, axis.name))):
            assert between(axis, columns[axis.name], low, high, view.pixels).sum() >= k
    for i, joins in enumerate(view.joins):
        for one, other in joins:
            assert (inside[i][one] & inside[i + 1][other]).sum() >= k


@dataclass(frozen=True)
class Raw:
    """A raw table: two numbers, and two columns of levels."""

    columns: Columns
    k: int

    def view(self, names: Sequence[str]) -> ParallelView:
        """Draw it; pass over tables that are refused."""
        try:
            return drawn(table_of(self.columns), names, k=self.k)
        except RefusedError as error:
            assume(not any(words in str(error) for words in EXPECTED))
            raise


NUMBERS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "ages": lambda rng, n: rng.integers(18, 90, size=n).astype(float),
    "few": lambda rng, n: rng.poisson(1.5, size=n).astype(float),
    "tenths": lambda rng, n: rng.integers(0, 11, size=n) / 10,
    "heavy": lambda rng, n: rng.lognormal(0, 2, size=n),
    "a heap": lambda rng, n: np.where(rng.random(n) < 0.6, 0, rng.exponential(5, size=n)),
}


@st.composite
def raws(draw: st.DrawFn) -> Raw:
    """Draw a table of at least 10 k persons."""
    k = draw(st.integers(3, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(12 * k, 12 * k + 100))
    x, y = (NUMBERS[draw(st.sampled_from(sorted(NUMBERS)))](rng, n) for _ in range(2))
    if draw(st.booleans()):
        y = x + y
    lost = draw(st.sampled_from([0, 0, 0.05]))
    numbers = {
        name: [None if gone else float(v) for gone, v in zip(rng.random(n) < lost, of, strict=True)]
        for name, of in (("x", x), ("y", y))
    }
    words = {}
    for name, most in (("g", 3), ("ill", 6)):
        weights = rng.dirichlet(np.ones(draw(st.integers(2, most))))
        level = rng.choice(len(weights), size=n, p=weights)
        gone = rng.random(n) < lost
        words[name] = [None if g else f"q{i}" for g, i in zip(gone, level, strict=True)]
    return Raw({**numbers, **words}, k)


@given(raws(), st.permutations(["x", "y", "g", "ill"]), st.integers(2, 4))
def test_every_box_and_interval_and_join_stands_on_k_persons(
    raw: Raw, names: list[str], axes: int
) -> None:
    check(raw.view(names[:axes]), raw.columns, raw.k)


def mirrored(view: ParallelView) -> tuple[Any, Any]:
    """Return the boxes of each gap, and of each axis the pairs of boxes that are lit, mirrored."""
    gaps = [[(c, d, a, b) for a, b, c, d in boxes] for boxes in view.clusters]
    joins = [
        {(gaps[i + 1][other], gaps[i][one]) for one, other in pairs}
        for i, pairs in enumerate(view.joins)
    ]
    return [sorted(boxes) for boxes in gaps[::-1]], joins[::-1]


@given(raws(), st.permutations(["x", "y", "g", "ill"]), st.integers(2, 4))
def test_the_mirrored_order_is_the_mirrored_picture(raw: Raw, names: list[str], axes: int) -> None:
    there, back = raw.view(names[:axes]), raw.view(names[:axes][::-1])
    boxes, joins = mirrored(there)
    assert [[*gap] for gap in back.clusters] == boxes
    assert joins == [
        {(back.clusters[i][one], back.clusters[i + 1][other]) for one, other in pairs}
        for i, pairs in enumerate(back.joins)
    ]
    assert back.axes == there.axes[::-1]


def test_what_is_told_depends_on_the_counts_of_cells_and_nothing_finer() -> None:
    # everyone moves within his cell
    rng = np.random.default_rng(2)
    cells = rng.integers(0, 10, size=(2, 120))
    views = [
        drawn(
            table_of(dict(zip("xy", cells * 10 + 9.9 * rng.random((2, 120)), strict=True))),
            ["x", "y"],
            limits={"x": [0, 100], "y": [0, 100]},
        )
        for _ in range(4)
    ]
    assert views[0] == views[1] == views[2] == views[3]
    assert len({json.dumps(view.clusters) for view in views}) == 1
