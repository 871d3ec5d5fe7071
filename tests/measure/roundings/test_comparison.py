"""A comparison leaves as a page, as numbers and as text, and says that it is no release."""

import csv
import io
import json
import math
from pathlib import Path

import pytest

from discreet.errors import InputError
from discreet.measure.roundings_report import SUFFIXES, RoundingComparison
from discreet.measure.trials import RoundingGrid, Trial

VALUES = {
    "sse": 1.5, "il_metrics": 8.0, "il1s": 4.0, "ddr": 50.0, "idr": 2.0, "score": 16.0,
    "entropy": 7.5, "correlation": math.nan, "mse": 2.0, "r2": 0.5,
}  # fmt: skip


def trial(method: str, family: str, rung: int) -> Trial:
    return Trial(
        method, family, k=20 + 5 * rung, c=25 - 5 * rung, rung=rung, points={"x": 3, "y": 5},
        fewest=4, below=0.25, alone=0.125, values=VALUES,
    )  # fmt: skip


GRID = RoundingGrid(
    "<b>toy</b>",
    (
        *(trial("mdav", "k", rung) for rung in range(2)),
        *(trial("kmeans", "c", rung) for rung in range(2)),
        Trial("optimal", "k", k=400, c=1, rung=2, refused="one point for all"),
    ),
    columns=("x", "y"), rows=500, left_out=3, target="y", model="regression",
    unrounded={"mse": 1.25, "r2": 0.75, "entropy": 12.0, "correlation": math.nan},
    notes=("Left out, being constant: z.",),
)  # fmt: skip
FOUND = RoundingComparison(GRID)


def test_json_has_every_number_and_is_no_release() -> None:
    told = json.loads(FOUND.to_json())
    assert (told["kind"], told["release"]) == ("rounding comparison", False)
    assert [each["method"] for each in told["trials"]] == [t.method for t in GRID.trials]
    assert told["trials"][0]["ddr"] == 50.0
    assert told["trials"][0]["correlation"] is None
    assert told["unrounded"] == {"mse": 1.25, "r2": 0.75, "entropy": 12.0, "correlation": None}


def test_csv_has_a_row_for_each_setting_and_one_for_the_table() -> None:
    none, *rows = csv.DictReader(io.StringIO(FOUND.to_csv()))
    assert (none["method"], none["mse"], none["ddr"]) == ("none", "1.25", "")
    assert [(row["method"], row["k"], row["c"]) for row in rows] == [
        ("mdav", "20", "25"), ("mdav", "25", "20"), ("kmeans", "20", "25"), ("kmeans", "25", "20"),
        ("optimal", "400", "1"),
    ]  # fmt: skip
    assert (rows[0]["points_least"], rows[0]["points_most"], rows[0]["correlation"]) == (
        *("3", "5"),
        "",
    )
    assert rows[-1]["refused"] == "one point for all"


def test_it_is_written_by_the_ending(tmp_path: Path) -> None:
    for suffix in SUFFIXES:
        path = FOUND.save(tmp_path / f"found{suffix}")
        assert path.read_text(encoding="utf-8").strip()
    with pytest.raises(InputError, match=r"\.html"):
        FOUND.save(tmp_path / "found.png")
    with pytest.raises(InputError, match="no folder"):
        FOUND.save(tmp_path / "absent" / "found.html")


def test_a_name_is_no_markup() -> None:
    for text in (FOUND.to_html(), FOUND._repr_html_()):
        assert "<b>toy</b>" not in text
        assert "&lt;b&gt;toy&lt;/b&gt;" in text


def test_it_prints_as_its_text() -> None:
    assert str(FOUND) == FOUND.to_text()
    assert repr(FOUND) == "RoundingComparison(<b>toy</b>: 5 settings)"
