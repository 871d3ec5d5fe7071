"""`discreet tune --methods whole`: copies of the whole table on a map."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.custodian.test_tune_whole import numbers


def test_the_command_draws_the_map(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "raw.csv"
    numbers().write_csv(path)
    words = ["--methods", "whole,mdav", "-k", "4", "-m", "4", "--left-out", ".2,.5"]
    words += ["--risk", "far linkage"]
    code, out, err = run("tune", str(path), *words, "-o", str(tmp_path / "map.svg"), "--json")
    assert code == 0, err
    told = json.loads(out)
    assert [point["name"] for point in told["points"]] == [
        "whole k=4 m=4 left_out=0.2",
        "whole k=4 m=4 left_out=0.5",
        "mdav k=4",
    ]
    assert (tmp_path / "map.svg").read_text().count("whole") >= 1
    assert "--m must be whole numbers" in run("tune", str(path), "-m", "x")[2]
    assert "--left-out must be numbers" in run("tune", str(path), "--left-out", "x")[2]
