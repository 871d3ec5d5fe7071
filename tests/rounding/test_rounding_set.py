"""Regions of a column and their points, found, applied and kept."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.arguments import Floats
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.render.scene import Bars, Lines
from discreet.rounding import EqualWidth, intervals
from discreet.rounding.base import RegionMethod, SortedColumn, sorted_column
from discreet.rounding.groups import Mdav, Optimal
from discreet.rounding.intervals import Base
from discreet.rounding.rounding_set import (
    FEW,
    REPRESENTATIVES,
    JointSet,
    RoundingSet,
    column_sets,
    encode,
    encoded,
    joint_set,
    load_points,
    region_means,
    regions_of,
    rounding_set,
)

X = [0.0, 1.0, 1.0, 2.0, 9.0, 10.0, 12.0, 40.0]


@dataclasses.dataclass(frozen=True)
class At:
    """Regions with edges that were said."""

    name: ClassVar[str] = "at"
    promises: ClassVar[str] = ""
    leaves_open: ClassVar[str] = ""
    parameter: ClassVar[str] = "k"
    supervised: ClassVar[bool] = False

    edges: tuple[float, ...]
    k: int = 1

    def __call__(self, column: SortedColumn) -> Floats:
        return np.array(self.edges, dtype=np.float64)


def made(*edges: float, representative: str = "mean", name: str | None = None) -> RoundingSet:
    # k = 0: a region may be empty here
    return rounding_set(sorted_column(X), At(edges, k=0), representative, name)


@pytest.mark.parametrize(
    ("representative", "points"),
    [
        ("mean", [1.0, 31 / 3, 40.0]),
        ("median", [1.0, 10.0, 40.0]),
        ("midpoint", [2.5, 12.5, 30.0]),  # of 0 and 5, 5 and 20, 20 and 40
    ],
)
def test_what_stands_for_a_region(representative: str, points: list[float]) -> None:
    found = made(5.0, 20.0, representative=representative)
    assert found.points == pytest.approx(points, rel=1e-15)
    assert found.counts.tolist() == [4, 3, 1]
    assert (found.low, found.high) == (0.0, 40.0)
    assert found.parameters == {"edges": (5.0, 20.0), "k": 0, "representative": representative}


def test_an_empty_region_has_its_middle() -> None:
    found = made(5.0, 20.0, 30.0)
    assert found.counts.tolist() == [4, 3, 0, 1]
    assert found.points[2] == 25.0


def test_an_edge_belongs_to_the_region_above() -> None:
    assert made(9.0).counts.tolist() == [4, 4]
    assert made(9.0).encode([9.0, 8.999]).tolist() == [made(9.0).points[1], made(9.0).points[0]]


@pytest.mark.parametrize("offset", [1e8, -1e12])
def test_an_offset_costs_no_digits(offset: float) -> None:
    x = np.array([1.0, 2.0, 3.0, 50.0, 51.0]) + offset
    found = rounding_set(sorted_column(x), At((offset + 20.0,)))
    assert (found.points - offset).tolist() == [2.0, 50.5]


ENCODED: dict[str, tuple[str, list[float] | None, list[float]]] = {
    # points 1, 31/3, 40; edges 5 and 20; middles 5.67 and 25.17
    "region": ("region", None, [1.0, 31 / 3, 31 / 3, 40.0, 40.0]),
    "nearest": ("nearest", None, [1.0, 1.0, 31 / 3, 31 / 3, 40.0]),
    # shares 0, 0.464, 0.786, 0.393, 1: what is drawn below the share goes up
    "drawn up": ("stochastic", [0.0, 0.4, 0.7, 0.3, 0.9], [1.0, 31 / 3, 31 / 3, 40.0, 40.0]),
    "drawn down": ("stochastic", [0.1, 0.5, 0.8, 0.4, 0.99], [1.0, 1.0, 1.0, 31 / 3, 40.0]),
}


@pytest.mark.parametrize(("encoding", "uniforms", "points"), ENCODED.values(), ids=ENCODED)
def test_encodings(encoding: str, uniforms: list[float] | None, points: list[float]) -> None:
    x = [-3.0, 1 + 0.464 * 28 / 3, 1 + 0.786 * 28 / 3, 22.0, 99.0]
    found = made(5.0, 20.0).encode(x, encoding, uniforms)
    assert found == pytest.approx(points, rel=1e-15)


def test_of_two_equally_near_points_the_lower_is_taken() -> None:
    found = rounding_set(sorted_column([1.0, 3.0]), At((1.5,)))
    assert found.encode([2.0, 2.0 + 1e-12], "nearest").tolist() == [1.0, 3.0]


def test_drawn_points_are_right_on_average() -> None:
    found = made(5.0, 20.0)
    uniforms = (np.arange(10_000) + 0.5) / 10_000
    for value in (1.0, 2.0, 10.0, 10.5, 33.3, 40.0):
        drawn = found.encode(np.full(10_000, value), "stochastic", uniforms)
        assert drawn.mean() == pytest.approx(value, abs=3e-3)
        assert set(drawn) <= set(found.points)


BAD_ENCODINGS: dict[str, tuple[Any, str, Any, str]] = {
    "unknown": ([1.0], "up", None, "encoding is unknown; choose one of 'region'"),
    "no uniforms": ([1.0], "stochastic", None, "uniforms are for the encoding 'stochastic'"),
    "useless uniforms": ([1.0], "region", [0.5], "uniforms are for the encoding 'stochastic'"),
    "too few": ([1.0, 2.0], "stochastic", [0.5], "one number from 0 to 1 for each value"),
    "no share": ([1.0], "stochastic", [1.5], "one number from 0 to 1 for each value"),
}


@pytest.mark.parametrize(
    ("x", "encoding", "uniforms", "message"), BAD_ENCODINGS.values(), ids=BAD_ENCODINGS
)
def test_what_cannot_be_encoded(x: Any, encoding: str, uniforms: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        made(5.0).encode(x, encoding, uniforms)


def test_a_representative_that_is_unknown_is_refused() -> None:
    with pytest.raises(InputError, match="representative is unknown; choose one of 'mean'"):
        made(representative="mode")


def test_a_region_that_is_too_small_is_found_out() -> None:
    with pytest.raises(BrokenPromiseError, match="a region was counted again"):
        rounding_set(sorted_column(X), At((20.0,), k=2))


def test_multiples_of_a_base_that_is_found_are_counted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    column = sorted_column(X)
    found, given_base = rounding_set(column, Base(k=2)), rounding_set(column, Base(b=4.0))
    assert found.counts.min() >= 2
    told = {"k": 2, "digits": 2, "b": found.parameters["b"], "representative": "multiple"}
    assert found.parameters == told
    assert given_base.counts.min() == 0  # nothing is promised, so no k is told
    assert given_base.parameters == {"b": 4.0, "representative": "multiple"}
    monkeypatch.setattr(intervals, "_smallest_base", lambda column, k, exact: 4.0)
    with pytest.raises(BrokenPromiseError, match="a region was counted again"):
        rounding_set(column, Base(k=2))


def test_a_supervised_method_needs_classes() -> None:
    class Supervised(At):
        supervised: ClassVar[bool] = True

    with pytest.raises(RefusedError, match="finds regions by a class; give one for each row"):
        rounding_set(sorted_column(X), Supervised((5.0,)))


def test_it_is_read_back_as_it_was() -> None:
    found = made(5.0, 20.0, name="income")
    again = RoundingSet.from_json(found.to_json())
    assert again.to_json() == found.to_json()
    assert again == RoundingSet.from_json(again.to_json())
    assert hash(again) == hash(found)
    assert again != made(5.0, name="income")
    assert repr(again) == "RoundingSet(income: at, 3 points)"


def test_it_cannot_be_changed() -> None:
    found = made(5.0)
    with pytest.raises(ValueError, match="read-only"):
        found.points[0] = 3.0
    with pytest.raises(TypeError, match="does not support item assignment"):
        found.parameters["k"] = 3  # type: ignore[index]


def test_the_callers_arrays_stay_his() -> None:
    edges, points, counts = np.array([5.0]), np.array([1.0, 9.0]), np.array([2, 1])
    found = RoundingSet("at", {}, 0.0, 9.0, edges, points, counts)
    edges[0], points[0], counts[0] = 100.0, -7.0, 0
    assert found.encode([4.0, 6.0]).tolist() == [1.0, 9.0]
    assert found.counts.tolist() == [2, 1]


DAMAGED: dict[str, tuple[dict[str, Any], str]] = {
    "another kind": ({"kind": "view"}, "this is no rounding set"),
    "something more": ({"secret": 1}, "this is no rounding set"),
    "words": ({"points": ["a", "b"]}, "damaged: its numbers cannot be read"),
    "a point outside": ({"points": [6.0, 7.0]}, "each point of a rounding set must lie within"),
    "edges that do not rise": (
        {"edges": [5.0, 5.0], "points": [1.0, 5.0, 7.0], "counts": [1, 1, 1]},
        "must be finite and rise",
    ),
    "an edge that is no number": ({"edges": [float("nan")]}, "must be finite and rise"),
    "ends that are swapped": ({"low": 41.0}, "must be finite, and at most the largest"),
    "an end without end": ({"high": float("inf")}, "must be finite, and at most the largest"),
    "less than no row": ({"counts": [-1, 9]}, "counts of a rounding set must be at least 0"),
    "an edge too many": ({"edges": [5.0, 6.0]}, "a point and a count for each region"),
}


@pytest.mark.parametrize(("changes", "message"), DAMAGED.values(), ids=DAMAGED)
def test_what_is_damaged_is_refused(changes: dict[str, Any], message: str) -> None:
    given = made(5.0).to_dict() | changes
    with pytest.raises(InputError, match=message):
        RoundingSet.from_json(json.dumps(given))


def test_the_drawing_has_a_bar_for_each_region_and_a_line_for_each_point() -> None:
    scene = made(5.0, 20.0, name="income").scene()
    (panel,) = scene.panels
    bars, stems = panel.marks
    assert bars == Bars((0.0, 5.0, 20.0, 40.0), (0.8, 0.2, 0.05))
    assert isinstance(stems, Lines)
    assert stems.x == ((1.0, 1.0), (31 / 3, 31 / 3), (40.0, 40.0))
    assert stems.y == ((0.0, 0.8), (0.0, 0.2), (0.0, 0.05))
    assert scene.title == "income: at, 3 points"


@pytest.mark.parametrize("unit", [5e-324, 1e-310])
def test_regions_that_are_hardly_wide_have_bars_that_end(unit: float) -> None:
    column = sorted_column(np.repeat([0.0, 1.0, 3.0], 9) * unit)
    found = rounding_set(column, At((unit, 3 * unit)))
    (panel,) = found.scene().panels
    (bars, stems) = panel.marks
    assert isinstance(bars, Bars)
    assert isinstance(stems, Lines)
    assert np.isfinite(np.array(bars.heights, dtype=float)).all()
    assert np.isfinite(np.array(stems.y, dtype=float)).all()


COLUMNS = st.lists(
    st.one_of(st.floats(-1e6, 1e6), st.integers(-5, 5).map(float)), min_size=1, max_size=30
)


@given(COLUMNS, st.lists(st.floats(-1e6, 1e6), max_size=6), st.sampled_from(REPRESENTATIVES))
def test_points_lie_in_their_regions_and_rounding_twice_is_rounding_once(
    x: list[float], edges: list[float], representative: str
) -> None:
    inside = sorted({edge for edge in edges if min(x) < edge <= max(x)})
    found = rounding_set(sorted_column(x), At(tuple(inside), k=0), representative)
    column = np.array(x)

    assert (np.diff(found.points) > 0).all()
    assert found.counts.sum() == len(x)
    for encoding in ("region", "nearest"):
        once = found.encode(column, encoding)
        assert (found.encode(once, encoding) == once).all()
        assert (np.diff(once[np.argsort(column)]) >= 0).all()  # the order is kept
        assert (found.encode(column[::-1], encoding) == once[::-1]).all()
    held = np.searchsorted(found.edges, column, side="right")
    assert (found.encode(column) == found.points[held]).all()
    assert (np.bincount(held, minlength=len(found.points)) == found.counts).all()
    near = found.encode(column, "nearest")
    gaps = np.abs(column[:, None] - found.points)
    assert np.abs(column - near) == pytest.approx(gaps.min(axis=1), rel=1e-12, abs=1e-9)


def rounded(x: Floats, method: RegionMethod) -> Floats:
    return rounding_set(sorted_column(x), method).encode(x)


SIZES = [10, FEW + 70]  # the second goes to the kernels


@pytest.mark.parametrize(("n", "regions"), [(10, 9), (SIZES[1], 1), (SIZES[1], 3000)])
def test_regions_and_points_are_numpys(n: int, regions: int) -> None:
    x = np.random.default_rng(n).normal(size=n).round(3)
    edges = np.linspace(-2, 2, regions - 1)
    points = np.arange(float(regions))
    expected = np.searchsorted(edges, x, side="right")
    assert regions_of(x, edges).tolist() == expected.tolist()
    assert encode(x, edges, points).tolist() == points[expected].tolist()
    assert encode(x[::2], edges, points).tolist() == points[expected[::2]].tolist()


def test_means_lie_within_their_regions_and_lose_no_digits() -> None:
    x = np.array([0.0, 1.0, 1.0, 5.0, 6.0, 6.0, 6.5])
    means = region_means(sorted_column(1e8 + x), np.array([2]))
    assert means == pytest.approx([1e8 + 2 / 3, 1e8 + 5.875], rel=1e-15)
    tenth = sorted_column([0.1] * 3 + [0.7] * 7)
    assert region_means(tenth, np.array([1])).tolist() == [0.1, 0.7]


@pytest.mark.parametrize("n", SIZES)
def test_a_rounded_column_holds_the_means_of_its_regions(n: int) -> None:
    x = np.random.default_rng(n).lognormal(size=n)
    found = rounded(x, Optimal(k=3))
    points, at, sizes = np.unique(found, return_inverse=True, return_counts=True)
    assert sizes.min() >= 3
    assert points == pytest.approx(np.bincount(at, x) / sizes, rel=1e-12)
    assert np.argsort(x).tolist() == np.lexsort((x, found)).tolist()  # order is kept
    assert rounded(x[::-1], Mdav(k=3)).tolist() == rounded(x, Mdav(k=3))[::-1].tolist()


RNG = np.random.default_rng(2)
X_OF_COLUMNS = RNG.lognormal(size=(300, 2))


def test_columns_are_encoded_each_by_its_own() -> None:
    sets = column_sets(X_OF_COLUMNS, EqualWidth(c=4))
    uniforms = RNG.random(X_OF_COLUMNS.shape)
    assert [found.column for found in sets] == [None, None]
    for encoding, chances in (("region", None), ("nearest", None), ("stochastic", uniforms)):
        out = encoded(sets, X_OF_COLUMNS, encoding, chances)
        for j, found in enumerate(sets):
            chance = None if chances is None else chances[:, j]
            assert (out[:, j] == found.encode(X_OF_COLUMNS[:, j], encoding, chance)).all()


def test_classes_are_looked_at_by_supervised_methods_alone() -> None:
    with pytest.raises(InputError, match="a class is needed for each row"):
        column_sets(X_OF_COLUMNS, "mdlp", classes=["a"])
    assert column_sets(X_OF_COLUMNS, "kmeans", c=3, classes=["a"]) == column_sets(
        X_OF_COLUMNS, "kmeans", c=3
    )


# --- points of a table that was rounded jointly, and files of points ------------------------------


ROWS = [[1.0, 500.0], [1.0, 500.0], [3.0, 100.0], [3.0, 100.0], [3.0, 100.0]]


def test_the_different_rows_with_their_counts() -> None:
    found = joint_set(["x", "y"], ROWS)
    assert found.points.tolist() == [[1.0, 500.0], [3.0, 100.0]]
    assert found.counts.tolist() == [2, 3]
    assert repr(found) == "JointSet(x, y: 2 points)"


def test_a_row_becomes_the_nearest_point_in_units_of_the_spread() -> None:
    found = joint_set(["x", "y"], ROWS)
    # 1.2 against 3 is far in x; 290 is nearer to 100 than to 500, but not by as much
    assert found.encode([[1.2, 290.0], [2.9, 310.0]]).tolist() == [[1.0, 500.0], [3.0, 100.0]]
    assert found.encode(found.points).tolist() == found.points.tolist()


def test_other_columns_are_refused() -> None:
    with pytest.raises(InputError, match="rows must have the columns x, y"):
        joint_set(["x", "y"], ROWS).encode([[1.0]])


def damaged(**changes: object) -> str:
    return json.dumps(joint_set(["x", "y"], ROWS).to_dict() | changes)


FILES: dict[str, tuple[str, str]] = {
    "no json": ("x", "holds no rounding points$"),
    "something else": ("[1]", "holds no rounding points that this version can read"),
    "damaged": ('{"discreet": 1, "kind": "joint-rounding-set"}', "are damaged"),
    "less than none": (damaged(counts=[2, -1]), "are damaged"),
    "a point twice": (damaged(points=[[1.0, 5.0], [1.0, 5.0]]), "are damaged"),
    "another order": (damaged(points=[[1.0, 5.0], [1.0, 4.0]]), "are damaged"),
    "shapes": (
        json.dumps(joint_set(["x"], [[1.0]]).to_dict() | {"counts": [1, 2]}),
        "are damaged: they cannot be read",
    ),
}


@pytest.mark.parametrize(("text", "message"), FILES.values(), ids=FILES)
def test_other_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "points.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_points(path)


WRONG: dict[str, tuple[list[list[float]], list[int], str]] = {
    "counts": ([[1.0], [2.0]], [1, 0], "counts of a joint set must be at least 1"),
    "order": ([[2.0], [1.0]], [1, 1], "must differ, in lexicographic order"),
    "shapes": ([[1.0], [2.0]], [1], "a number for each point and column"),
}


@pytest.mark.parametrize(("points", "counts", "message"), WRONG.values(), ids=WRONG)
def test_what_is_no_joint_set(points: list[list[float]], counts: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        JointSet(("x",), np.array(points), np.array(counts))


@pytest.mark.parametrize("make", [pd.DataFrame, pa.table])
def test_columns_of_a_frame_are_found_by_name(make: Any) -> None:
    found = joint_set(["x", "y"], ROWS)
    frame = make({"y": [290.0, 310.0], "id": ["a", "b"], "x": [1.2, 2.9]})
    assert found.encode(frame).tolist() == [[1.0, 500.0], [3.0, 100.0]]
    with pytest.raises(InputError, match="there is no column 'y'; the points are of x, y"):
        found.encode(make({"x": [1.0], "z": [2.0]}))


def test_each_kind_of_points_saves_itself(tmp_path: Path) -> None:
    joint = joint_set(["x", "y"], ROWS)
    single = rounding_set(sorted_column([1.0, 2.0, 8.0]), EqualWidth(c=2), name="a")
    assert load_points(single.save(tmp_path / "single.json")) == (single,)
    again = load_points(joint.save(tmp_path / "joint.json"))
    assert isinstance(again, JointSet)
    assert again.to_dict() == joint.to_dict()
    with pytest.raises(InputError, match="json"):
        single.save(tmp_path / "single.csv")
