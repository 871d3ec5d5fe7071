"""The whole, with few draws: everything is judged, printed and saved."""

from pathlib import Path

import pytest

from examples.rounding import run
from examples.rounding.data import Plan


@pytest.mark.slow
def test_a_small_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISCREET_SHARED_DATA", str(tmp_path))
    plans = (Plan("boston", "medv", (20,)), Plan("iris", "class", (5, 20)))
    monkeypatch.setattr(run, "PLANS", plans)
    found = run.main(tmp_path / "build", draws=1)
    out = capsys.readouterr().out
    assert "Table 7 of the paper on rounding is left out, because boston.csv was not found" in out
    assert all(f"Table {number}: " in out for number in range(1, 7))
    assert all(f"[{each.verdict}]" in out for each in found)
    assert f"Of {len(found)} conclusions" in out
    names = {path.name for path in (tmp_path / "build").iterdir()}
    assert names == {
        "conclusions.txt", "exponential.html", "uniform.html", "normal.html", "iris.html",
    }  # fmt: skip
