"""Points of a table that was rounded jointly, and files of points."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.protect.rounding import EqualWidth
from discreet.protect.rounding.joint_set import JointSet, joint_set, load_points, points_text
from discreet.protect.rounding.rounding_set import rounding_set
from discreet.protect.rounding.sorted_column import sorted_column

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
