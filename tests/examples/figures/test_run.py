"""The figures scripts run."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.figures.run import NUMBERS, drawn, main, plate_of

ROWS = {1: 6, 2: 3, 3: 6, 4: 3, 8: 6, 9: 6, 12: 6, 14: 6, 16: 6, 18: 6, 20: 6}


@pytest.mark.slow
def test_there_are_as_many_rows_and_columns_as_in_the_paper() -> None:
    for number in NUMBERS:
        plate = plate_of(number)
        assert plate.number == number
        assert plate.name == f"figure_{number:02}.png"
        assert len(plate.rows) == ROWS.get(number, 3)
        assert all(len(row.views) == len(plate.heads) == 5 for row in plate.rows)


@pytest.mark.slow
@pytest.mark.parametrize("number", [3, 6, 16])
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
