"""A released table: in the kind of frame that came in, counted again, and saved by its gate."""

import hashlib
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.columns import Column
from discreet.columns.native import native_frame
from discreet.errors import BrokenPromiseError, InputError, LeavingError
from discreet.measure.evaluate import Measured
from discreet.measure.pairs import Estimate
from discreet.measure.report import Report
from discreet.release import (
    Pieces,
    Points,
    Release,
    arrow_table,
    check_counts_again,
    check_points_path,
)
from discreet.rounding import JointSet, RoundingSet, joint_set, load_points

NUMBER = Column("x", "continuous", numeric=True, floating=True)
WORD = Column("w", "categorical")
CODE = Column("w", "categorical", numeric=True)
FLOAT = Column("w", "categorical", numeric=True, floating=True)
YES_NO = Column("w", "categorical", numeric=True, yes_no=True)

# What a column held, its levels as texts, and what they are in the released table.
LEVELS: dict[str, tuple[Column, list[str], list[Any]]] = {
    "words, one missing": (WORD, ["a", "", "b"], ["a", None, "b"]),
    "whole numbers, one of them missing": (CODE, ["1", "", "10"], [1, None, 10]),
    "whole numbers": (CODE, ["1", "-2", "10"], [1, -2, 10]),
    "whole numbers, merged": (CODE, ["1", "other", "1"], ["1", "other", "1"]),
    "too long for a float": (CODE, ["9007199254740993", "1"], ["9007199254740993", "1"]),
    "decimals": (CODE, ["1.5", "2", "2"], [1.5, 2.0, 2.0]),
    "decimals written at length": (CODE, ["1.50", "2"], ["1.50", "2"]),
    "floats": (FLOAT, ["1", "2.5", "1e-07"], [1.0, 2.5, 1e-07]),
    "whole floats": (FLOAT, ["1", "2", "1"], [1, 2, 1]),
    "not finite": (FLOAT, ["1", "nan", "inf"], ["1", "nan", "inf"]),
    "yes and no": (YES_NO, ["True", "False", "True"], [True, False, True]),
    "yes, no and a gap": (YES_NO, ["True", "(missing)"], ["True", "(missing)"]),
}


@pytest.mark.parametrize(("column", "words", "expected"), LEVELS.values(), ids=LEVELS)
def test_levels_have_the_type_they_had(column: Column, words: list[str], expected: Any) -> None:
    table = arrow_table({}, {"w": words}, {"w": column})
    found = table["w"].to_pylist()
    assert found == expected
    assert [type(value) for value in found] == [type(value) for value in expected]


def test_columns_are_in_the_order_of_the_raw_table() -> None:
    columns = {"w": WORD, "id": WORD, "x": NUMBER, "v": WORD, "y": NUMBER}
    table = arrow_table(
        {"y": np.array([1.0]), "x": np.array([2.0])}, {"v": ["p"], "w": ["q"]}, columns
    )
    assert table.to_pydict() == {"w": ["q"], "x": [2.0], "v": ["p"], "y": [1.0]}
    assert table.schema.metadata is None


TABLE = pa.table({"x": [1.5, 2.5, 2.5], "w": ["a", "b", "b"]})
FRAMES: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "pandas": (pd.DataFrame, lambda frame: frame.to_dict("list")),
    "polars": (pl.DataFrame, lambda frame: frame.to_dict(as_series=False)),
    "pyarrow": (pa.Table, lambda frame: frame.to_pydict()),
    "duckdb": (duckdb.DuckDBPyRelation, lambda frame: frame.to_arrow_table().to_pydict()),
}


@pytest.mark.parametrize("framework", FRAMES)
def test_a_table_becomes_a_frame_of_each_kind(framework: str) -> None:
    kind, plain = FRAMES[framework]
    frame = native_frame(TABLE, framework)
    assert isinstance(frame, kind)
    assert plain(frame) == TABLE.to_pydict()


def test_a_table_is_counted_again() -> None:
    for names, most in ((["w"], 1), (["x", "w"], 1)):
        check_counts_again(TABLE.select(names), most)
        with pytest.raises(BrokenPromiseError, match="counted again and has too few rows"):
            check_counts_again(TABLE.select(names), most + 1)


class Gates:
    """Notes who asked to leave, and lets nobody of `shut` go."""

    def __init__(self, *shut: str) -> None:
        self.asked: list[tuple[str | None, ...]] = []
        self.shut = shut

    def __call__(self, *forms: str | None) -> None:
        """Let a table leave, and its report with it, or neither; or a report alone."""
        self.asked.append(forms)
        if {*forms} & {*self.shut}:
            raise LeavingError("not that")


def release(gates: Gates | None = None, points: Points | None = None) -> Release:
    """Make a release of three rows, whose table and report ask the same gate."""
    found = Measured(columns=("x",), risks={"linkage": Estimate("linked", 5, 10, 0.1)})
    report = Report("three", {"method": "condensation", "k": 5}, found, gate=gates)
    return Release(Pieces.of(TABLE), report, "pandas", gates, points)


def read(path: Path) -> Any:
    """Read a saved table as a dict of lists."""
    if path.suffix.lower() == ".parquet":
        return pq.read_table(path).to_pydict()
    return pd.read_csv(path, sep="\t" if path.suffix == ".tsv" else ",").to_dict("list")


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.parquet", "OUT.CSV"])
def test_a_release_is_saved_with_its_report(tmp_path: Path, name: str) -> None:
    gates = Gates()
    path = release(gates).save(tmp_path / name, tmp_path / "report.json")
    assert path == tmp_path / name
    assert read(path) == TABLE.to_pydict()
    made = json.loads((tmp_path / "report.json").read_text())["made"]
    assert made["file"] == name
    assert made["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert gates.asked == [(path.suffix.lower()[1:], "json")], "once, for both"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([name, "report.json"])


def test_a_csv_file_is_plain(tmp_path: Path) -> None:
    release().save(str(tmp_path / "a.csv"))
    assert (tmp_path / "a.csv").read_bytes() == b"x,w\n1.5,a\n2.5,b\n2.5,b\n"


def test_a_release_is_saved_without_its_report(tmp_path: Path) -> None:
    gates = Gates("html")
    release(gates).save(tmp_path / "a.parquet")
    assert gates.asked == [("parquet", None)]
    assert [each.name for each in tmp_path.iterdir()] == ["a.parquet"]


@pytest.mark.parametrize("shut", ["csv", "html"])
def test_nothing_is_written_that_may_not_leave(tmp_path: Path, shut: str) -> None:
    gates = Gates(shut)
    with pytest.raises(LeavingError, match="not that"):
        release(gates).save(tmp_path / "a.csv", tmp_path / "r.html")
    assert gates.asked == [("csv", "html")]
    assert list(tmp_path.iterdir()) == []


PLACES: dict[str, tuple[str, str | None, str]] = {
    "another ending": ("a.xlsx", None, "a released table is saved as one of '.csv', '.tsv'"),
    "no folder": ("no/a.csv", None, "there is no folder .* to save into; make it first"),
    "a folder": ("here.csv", None, "is a folder; name a file"),
    "another ending of the report": ("a.csv", "r.pdf", "a report is saved as one of '.html'"),
    "a report in no folder": ("a.csv", "no/r.html", "there is no folder"),
}


@pytest.mark.parametrize(("table", "report", "text"), PLACES.values(), ids=PLACES)
def test_a_place_that_cannot_be_written_is_refused_before_the_gate(
    tmp_path: Path, table: str, report: str | None, text: str
) -> None:
    (tmp_path / "here.csv").mkdir()
    gates = Gates()
    with pytest.raises(InputError, match=text):
        release(gates).save(tmp_path / table, None if report is None else tmp_path / report)
    assert gates.asked == []
    assert [each.name for each in tmp_path.iterdir()] == ["here.csv"]


def test_a_release_prints_no_value() -> None:
    assert repr(release()) == "Release(x, w; three)"
    assert repr(release(points=ROWS)) == repr(release(points=(OF_X,))) == "Release(x, w; three)"


# --- rounding points ------------------------------------------------------------------------------

ROWS = joint_set(["x"], [[1.5], [2.5], [2.5]])
OF_X = RoundingSet(
    method="mdav",
    parameters={"k": 1},
    low=1.0,
    high=3.0,
    edges=np.array([2.0]),
    points=np.array([1.5, 2.5]),
    counts=np.array([1, 2]),
    column="x",
)


def same(one: Points | None, two: Points | None) -> bool:
    """Tell whether points are alike: joint ones hold arrays and are compared by them."""
    if isinstance(one, JointSet) and isinstance(two, JointSet):
        return one.to_dict() == two.to_dict()
    return one == two


@pytest.mark.parametrize("points", [ROWS, (OF_X,)], ids=["of rows", "of a column"])
def test_points_are_saved_by_the_gate_of_the_table_and_read_back(
    tmp_path: Path, points: Points
) -> None:
    gates = Gates()
    path = release(gates, points).save_points(str(tmp_path / "points.json"))
    assert path == tmp_path / "points.json"
    assert gates.asked == [("points", None)], "once, and for no report"
    assert same(load_points(path), points)
    assert [each.name for each in tmp_path.iterdir()] == ["points.json"]
    with pytest.raises(LeavingError, match="not that"):
        release(Gates("points"), points).save_points(tmp_path / "others.json")
    assert not (tmp_path / "others.json").exists()


def test_a_table_that_was_not_rounded_has_no_points_to_save(tmp_path: Path) -> None:
    gates = Gates()
    assert release(gates).points is None
    with pytest.raises(InputError, match=r"was not rounded and has no points; make one by round()"):
        release(gates).save_points(tmp_path / "points.json")
    assert gates.asked == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("points.csv", r"rounding points is saved as one of '\.json'"),
        ("no/points.json", "there is no folder .* to save into; make it first"),
        ("here.json", "is a folder; name a file"),
    ],
)
def test_a_place_that_points_cannot_be_written_to_is_refused_before_the_gate(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / "here.json").mkdir()
    gates = Gates()
    with pytest.raises(InputError, match=text):
        check_points_path(tmp_path / name)
    with pytest.raises(InputError, match=text):
        release(gates, ROWS).save_points(tmp_path / name)
    assert gates.asked == []
    assert [each.name for each in tmp_path.iterdir()] == ["here.json"]


@pytest.mark.parametrize("points", [ROWS, (OF_X,), None], ids=["of rows", "of a column", "none"])
def test_a_pickle_asks_leaves_the_gate_behind_and_has_the_points(points: Points | None) -> None:
    gates = Gates()
    again = pickle.loads(pickle.dumps(release(gates, points)))
    assert gates.asked == [("pickle", None), ("pickle",)], "the table, and its report for itself"
    assert (again.gate, again.report.gate) == (None, None)
    assert again.table.equals(TABLE)
    assert again.frame.equals(release().frame)
    assert same(again.points, points)
    with pytest.raises(LeavingError, match="not that"):
        pickle.dumps(release(Gates("pickle")))
