"""The figures and tables of the 2022 paper are made, with and without the passengers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from examples.anonymise import cohort_figures, sensitivity, sensitivity_figures
from examples.anonymise.run import main
from examples.anonymise.sensitivity import Setting, Spread


@pytest.fixture(autouse=True)
def _fewer_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw what a test can wait for: the ends of Figures 5, 7 and 8."""
    for name, value in {"KS": (3, 46), "SIZES": (50, 100)}.items():
        monkeypatch.setattr(sensitivity_figures, name, value)
    monkeypatch.setattr(sensitivity_figures, "SETTINGS_7", ((500, 3), (500, 46)))
    monkeypatch.setattr(sensitivity_figures, "SETTINGS_8", ((50, 5), (100, 5)))
    monkeypatch.setattr(cohort_figures, "W1", (0.01, 0.1))
    monkeypatch.setattr(cohort_figures, "W2", (0.05, 0.2, 0.4, 0.6))


def names(folder: Path) -> set[str]:
    """What was written."""
    return {path.name for path in folder.iterdir()}


def made_up(
    settings: Sequence[Setting], sets: int, *, tell: Callable[[str], None]
) -> dict[Setting, dict[str, Spread]]:
    """Spreads of nothing."""
    tell("nothing was simulated")
    names = [name for _, _, keys in sensitivity_figures.PANELS for name in keys]
    return {setting: dict.fromkeys(names, Spread(sets, 0.0)) for setting in settings}


@pytest.mark.slow
def test_all_is_made(
    shared_data: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DISCREET_SHARED_DATA", str(shared_data("titanic.csv").parent))
    main(tmp_path / "figures", sets=2)

    figures = {f"2022_figure_{number}.png" for number in range(1, 9)}
    tables = {f"2022_table_{number}.csv" for number in (2, 3, 4)}
    assert names(tmp_path / "figures") == {*figures, *tables, "2022.html"}
    assert "2022_figure_8.png" in capsys.readouterr().out


@pytest.mark.slow
def test_without_the_passengers_the_rest_is_made_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISCREET_SHARED_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(sensitivity, "spreads", made_up)
    main(tmp_path / "figures", sets=2)

    figures = {f"2022_figure_{number}.png" for number in range(5, 9)}
    assert names(tmp_path / "figures") == {*figures, "2022_table_4.csv", "2022.html"}
    assert "titanic.csv was not found" in capsys.readouterr().out
