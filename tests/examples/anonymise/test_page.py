"""The page: figures with captions, tables with numbers, and what is missing."""

from __future__ import annotations

from pathlib import Path

from examples.anonymise.drawing import Plate
from examples.anonymise.page import write_page, write_table
from examples.anonymise.tables import TextTable

TABLE = TextTable(2, "Strata", "By class & sex.", ("a", "b"), (("1", "<2e-16"), ("3", "4,5")))


def test_a_page_shows_what_was_made(tmp_path: Path) -> None:
    plate = Plate(1, "The five steps", "k < 4", ())
    text = write_page([plate], [TABLE], tmp_path).read_text(encoding="utf-8")
    assert '<img src="2022_figure_1.png"' in text
    assert "k &lt; 4" in text
    assert "<td>&lt;2e-16</td>" in text
    assert "By class &amp; sex." in text
    assert "missing" not in text


def test_a_page_without_the_passengers_says_so(tmp_path: Path) -> None:
    text = write_page([Plate(5, "Risk", "", ())], [], tmp_path).read_text(encoding="utf-8")
    assert "Figures 1 to 4 and Tables 2 and 3 of the 2022 paper are left out" in text


def test_a_table_is_a_csv(tmp_path: Path) -> None:
    path = write_table(TABLE, tmp_path)
    assert path.name == "2022_table_2.csv"
    assert path.read_text(encoding="utf-8") == 'a,b\n1,<2e-16\n3,"4,5"\n'
