"""Points of a table that was rounded jointly, and files of points."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.errors import InputError
from discreet.rounding import EqualWidth
from discreet.rounding.base import sorted_column
from discreet.rounding.rounding_set import (
    JointSet,
    joint_set,
    load_points,
    points_text,
    rounding_set,
)

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


def test_a_constant_column_is_no_distance() -> None:
    found = joint_set(["x", "y"], [[1.0, 5.0], [2.0, 5.0]])

    assert found.encode([[1.9, 7.0]]).tolist() == [[2.0, 5.0]]


def test_other_columns_are_refused() -> None:
    with pytest.raises(InputError, match="rows must have the columns x, y"):
        joint_set(["x", "y"], ROWS).encode([[1.0]])


@pytest.mark.parametrize("joint", [False, True])
def test_a_file_is_read_back(joint: bool, tmp_path: Path) -> None:
    sets = tuple(
        rounding_set(sorted_column([1.0, 2.0, 8.0]), EqualWidth(c=2), name=name) for name in "ab"
    )
    points: Any = joint_set(["x", "y"], ROWS) if joint else sets
    path = tmp_path / "points.json"
    path.write_text(points_text(points))

    again = load_points(path)

    if isinstance(again, JointSet):
        assert again.to_dict() == points.to_dict()
    else:
        assert again == sets


def damaged(**changes: object) -> str:
    return json.dumps(joint_set(["x", "y"], ROWS).to_dict() | changes)


FILES: dict[str, tuple[str, str]] = {
    "no json": ("x", "holds no rounding points$"),
    "something else": ("[1]", "holds no rounding points that this version can read"),
    "another schema": ('{"discreet": 9, "kind": "rounding-sets", "sets": []}', "this version"),
    "another kind": ('{"discreet": 1, "kind": "report"}', "this version"),
    "no list": ('{"discreet": 1, "kind": "rounding-sets", "sets": 3}', "this version"),
    "damaged": ('{"discreet": 1, "kind": "joint-rounding-set"}', "are damaged"),
    "words": (
        json.dumps(joint_set(["x"], [[1.0]]).to_dict() | {"points": [["Alice"]]}),
        "are damaged: they cannot be read",
    ),
    "no row": (damaged(counts=[0, 3]), "are damaged"),
    "less than none": (damaged(counts=[2, -1]), "are damaged"),
    "half a row": (damaged(counts=[2, 2.7]), "are damaged"),
    "too many rows": (damaged(counts=[2, 2**70]), "are damaged"),
    "a point twice": (damaged(points=[[1.0, 5.0], [1.0, 5.0]]), "are damaged"),
    "another order": (damaged(points=[[1.0, 5.0], [1.0, 4.0]]), "are damaged"),
    "no number": (damaged(points=[[1.0, float("nan")], [2.0, 4.0]]), "are damaged"),
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


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        load_points(tmp_path / "none.json")


def test_it_cannot_be_changed() -> None:
    found = joint_set(["x", "y"], np.array(ROWS))

    with pytest.raises(ValueError, match="read-only"):
        found.points[0, 0] = 3.0


def test_the_callers_arrays_stay_his() -> None:
    points, counts = np.array([[1.0], [2.0]]), np.array([1, 1])
    found = JointSet(("x",), points, counts)

    points[0], counts[0] = 7.0, 0

    assert found.points.tolist() == [[1.0], [2.0]]
    assert found.counts.tolist() == [1, 1]


def test_there_is_one_zero() -> None:
    found = joint_set(["x", "y"], [[-0.0, 1.0], [0.0, 1.0], [-0.0, -1.0]])

    assert found.points.tolist() == [[0.0, -1.0], [0.0, 1.0]]
    assert found.counts.tolist() == [1, 2]


@pytest.mark.parametrize("given", [{}, {"kind": "rounding-set"}, {"discreet": 9}])
def test_a_mapping_says_what_it_is(given: dict[str, Any]) -> None:
    plain = joint_set(["x", "y"], ROWS).to_dict()

    assert JointSet.from_dict(plain).to_dict() == plain
    with pytest.raises(InputError, match="no joint rounding points that this version can read"):
        JointSet.from_dict(plain | given if given else {})


WRONG: dict[str, tuple[list[list[float]], list[int], str]] = {
    "counts": ([[1.0], [2.0]], [1, 0], "counts of a joint set must be at least 1"),
    "order": ([[2.0], [1.0]], [1, 1], "must differ, in lexicographic order"),
    "shapes": ([[1.0], [2.0]], [1], "a number for each point and column"),
}


@pytest.mark.parametrize(("points", "counts", "message"), WRONG.values(), ids=WRONG)
def test_what_is_no_joint_set(points: list[list[float]], counts: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        JointSet(("x",), np.array(points), np.array(counts))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
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
