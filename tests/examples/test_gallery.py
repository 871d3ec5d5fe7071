"""The gallery: every plot is in it, and pictures of the records show the records."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from discreet.plots import PLOTS
from examples import gallery


def test_the_page_is_the_one_that_is_kept() -> None:
    assert (gallery.DOCS / "figures.md").read_text(encoding="utf-8") == gallery.page()


def test_every_picture_is_there() -> None:
    for picture in gallery.PICTURES:
        assert (gallery.DOCS / "images" / f"{picture.name}.png").is_file(), picture.name
        beside: Path = gallery.DOCS / gallery.image_of_records(picture)
        assert beside.is_file() == (picture.records is not None), picture.name


def test_every_plot_is_in_it() -> None:
    drawn = {picture.code.split(".")[1].split("(")[0] for picture in gallery.PICTURES}
    assert {*PLOTS} - drawn == set()


@pytest.mark.slow
def test_pictures_of_the_records_show_the_records() -> None:
    names = gallery.opened()
    gallery.drawn(gallery.PICTURES[0], names)  # of the copy, as the gallery does before
    found = gallery.of_records(names)
    view, cohort = found["study"].scatter("age", "glucose"), names["cohort"]
    shown = np.repeat(np.column_stack([view.x, view.y]), view.size, axis=0)
    assert sorted(map(tuple, shown)) == sorted(
        zip(cohort["age"].to_pylist(), cohort["glucose"].to_pylist(), strict=True)
    )
    entered = found["trial"]._copy.whole.copy.columns["entered"]
    first = names["simulated"]["entered"][0].as_py()
    assert entered[0] == (first - date(1970, 1, 1)).days
