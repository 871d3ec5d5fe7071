"""The whole: figures, page and conclusions, or a word on why there are none."""

from collections.abc import Callable
from pathlib import Path

import pytest

from examples.parallel import run
from examples.rounding.judged import judged


def test_without_the_data_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISCREET_SHARED_DATA", str(tmp_path / "nowhere"))
    assert run.main(tmp_path / "figures") == []
    assert "german_credit.csv was not found" in capsys.readouterr().out
    assert not (tmp_path / "figures").exists()


def test_how_many_hold_is_counted() -> None:
    told = run.told_of([judged("1", "So.", [True], "1."), judged("2", "Not so.", [False], "2.")])
    assert told.endswith("Of 2 statements 1 hold, 0 hold in part, 1 do not hold.")


@pytest.mark.slow
def test_all_is_made(
    shared_data: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DISCREET_SHARED_DATA", str(shared_data("german_credit.csv").parent))
    found = run.main(tmp_path / "figures")
    figures = {f"2011_figure_{number:02d}.png" for number in (1, 2, 3, *range(5, 13))}
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert names == {*figures, "2011_beside.png", "index.html", "conclusions.txt"}
    out = capsys.readouterr().out
    assert all(f"[{each.verdict}]" in out for each in found)
