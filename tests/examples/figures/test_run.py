"""The figures scripts run."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.figures.run import drawn, main


@pytest.mark.slow
@pytest.mark.parametrize("number", [6, 16])
def test_a_figure_of_each_family_is_drawn(number: int, tmp_path: Path) -> None:
    shown = drawn(number, tmp_path)
    assert (tmp_path / shown.file).stat().st_size > 100_000
    assert len(shown.rows) == len(shown.numbers)
    assert all(len(texts) == len(shown.heads) for texts in shown.numbers)


@pytest.mark.slow
def test_the_page_has_what_was_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "figures"
    main(folder, [4, 17])
    names = {"figure_04.png", "figure_17.png", "contact_sheet.png", "index.html"}
    assert {path.name for path in folder.iterdir()} == names
    said = capsys.readouterr().out
    assert " 2 of 2  figure_17.png" in said
    assert str(folder / "index.html") in said
