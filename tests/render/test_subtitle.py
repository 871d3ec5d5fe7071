"""What stands below a picture: two lines, what warns first, how it was made last and small."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from discreet.render.figure_file import line_below, with_minus
from discreet.render.scene import (
    Axis,
    Dots,
    Lines,
    Panel,
    Scene,
    Subtitle,
    scene_to_plain,
    subtitle_of,
)
from discreet.render.to_matplotlib import draw

MADE = "scatter of age and bmi: whole (k = 5, m = 10), policy standard"
SHOWN = "shown: 296 of 296 rows, from the protected copy"
ANEW = "protected rows are drawn anew; with few distinct values, some equal a record by chance"
NEAR = "the copy: shares of single columns are off by at most 2.0 points"
ROUGH = "rough: only 296 rows of the copy; the number of people is 10 % off"
CODES = "income may hold codes for missing values, drawn here as numbers; the custodian can declare"
SAID: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "a part": ([MADE, SHOWN, ANEW, "where sex == 'm'", NEAR], ("where sex == 'm'", NEAR)),
    "a warning before a part": (
        [MADE, "where sex == 'm'", ROUGH],
        ("rough: only 296 rows of the copy", "where sex == 'm'"),
    ),
    "two warnings": (
        [MADE, NEAR, CODES, ROUGH],
        (
            "rough: only 296 rows of the copy",
            "income may hold codes for missing values, drawn here as numbers",
            NEAR,
        ),
    ),
    "signs before gaps": (
        [MADE, "rows without a value: 3 of bmi", "hatched below the axis: none"],
        ("hatched below the axis: none", "rows without a value: 3 of bmi"),
    ),
    "levels that are left out": (
        [MADE, NEAR, "not drawn, with fewer than 10 rows: x"],
        ("not drawn, with fewer than 10 rows: x", NEAR),
    ),
    "nothing but how it was made": ([MADE, SHOWN], ()),
}


@pytest.mark.parametrize(("notes", "says"), SAID.values(), ids=SAID)
def test_what_warns_is_said_first(notes: list[str], says: tuple[str, ...]) -> None:
    found = subtitle_of(notes)
    assert found.says[: len(says)] == says
    assert found.code.endswith(MADE)
    assert MADE not in found.says


def test_one_line_holds_what_it_has_room_for() -> None:
    below = Subtitle(("rough, as few rows are drawn", "a" * 300, "where sex == 'm'"))
    line = line_below(below, 400.0, 7.5)
    assert line == "rough, as few rows are drawn · where sex == 'm'"
    assert line_below(Subtitle(("a" * 300,)), 200.0, 7.5).endswith("a…")
    assert line_below(Subtitle(), 200.0, 7.5) == ""


def scene() -> Scene:
    panel = Panel(
        (
            Dots((1.0, 2.0), (1.0, 2.0), (1, 1), series="f"),
            Dots((1.0, 2.0), (2.0, 1.0), (1, 1), series="m"),
            Lines(((1.0, 2.0),), ((1.0, 2.0),), "trend", "trend (f)", group="f"),
            Lines(((1.0, 2.0),), ((2.0, 1.0),), "trend", "trend (m)", group="m"),
        ),
        Axis("age"),
        Axis("bmi"),
    )
    return Scene((panel,), "", (MADE, SHOWN, NEAR, ROUGH, CODES))


def test_a_figure_has_two_lines_below_and_the_last_is_smaller() -> None:
    figure = draw(scene())
    texts = [it for it in figure.texts if it.get_text().strip()]
    (said,) = [it for it in texts if it.get_text().startswith("rough")]
    (code,) = [it for it in texts if "policy standard" in it.get_text()]
    assert said.get_text().strip().count("\n") == code.get_text().count("\n") == 0
    assert float(code.get_fontsize()) < float(said.get_fontsize())
    assert scene_to_plain(scene())["subtitle"]["code"] == code.get_text()


def test_trends_have_the_colour_of_their_group() -> None:
    (axes, *_) = draw(scene()).axes
    lines = [to_rgb(it.get_color()) for it in axes.lines if it.get_color() != "white"]
    dots = [to_rgb(tuple(np.asarray(it.get_facecolor())[0])) for it in axes.collections]
    assert lines == dots


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-3 (-5–-1)", "−3 (−5–−1)"),
        ("2020-01-01", "2020-01-01"),
        ("x-1, A-2", "x-1, A-2"),
        ("1e-5", "1e-5"),
    ],
)
def test_negative_numbers_have_a_minus_sign(text: str, shown: str) -> None:
    assert with_minus(text) == shown
