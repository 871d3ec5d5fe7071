"""The page holds each figure with its caption and its numbers, and needs nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from matplotlib.image import imread, imsave

from examples.figures.contact_sheet import Shown, write_page, write_sheet


def shown(number: int) -> Shown:
    """Say something of a figure that was drawn."""
    heads, numbers = ("(i) real", "k < 3"), (("500 points", "nothing is left"),)
    return Shown(
        number, f"{number}.png", "Title", "A & B.", heads, ("scatter of X and Y",), numbers
    )


def test_the_page_names_what_lies_beside_it(tmp_path: Path) -> None:
    text = write_page([shown(1), shown(2)], tmp_path).read_text(encoding="utf-8")

    linked = set(re.findall(r'(?:src|href)="([^"]+)"', text))
    assert linked == {"1.png", "2.png", "contact_sheet.png"}
    for part in ("Figure 2: Title", "A &amp; B.", "k &lt; 3", "scatter of X and Y", "500 points"):
        assert part in text
    assert "prefers-color-scheme: dark" in text


def test_the_page_of_the_next_paper_is_linked_where_it_lies_beside(tmp_path: Path) -> None:
    (tmp_path / "2022.html").write_text("", encoding="utf-8")
    assert 'href="2022.html"' in write_page([shown(1)], tmp_path).read_text(encoding="utf-8")


def test_the_sheet_shows_all(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        imsave(tmp_path / f"{number}.png", np.full((40, 80, 3), 0.5))

    path = write_sheet([shown(number) for number in (1, 2, 3)], tmp_path)

    grey = np.isclose(imread(path)[..., :3], 0.5, atol=0.01).all(axis=-1)
    starts = np.flatnonzero(np.diff(grey.any(axis=0).astype(int)) == 1)
    assert len(starts) == 3
