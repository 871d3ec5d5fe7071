"""The page says first whose it is, then what was found, then what must not be claimed."""

import re
from html.parser import HTMLParser

import pytest

from discreet.measure.roundings_report import OWN_WORK, page_parts, text_of, title_of
from discreet.measure.trials import MEASURES, RoundingGrid, Trial
from discreet.render.to_html import page

VALUES = dict.fromkeys(MEASURES, 2.5)


def trial(method: str, family: str, rung: int, score: float) -> Trial:
    return Trial(
        method, family, k=20 + 5 * rung, c=25 - 5 * rung, rung=rung, points={"x": 3},
        fewest=4, below=1.0, alone=0.125, values={**VALUES, "acc_o": 80.0, "acc_v": 90.0}
        | {"score": score},
    )  # fmt: skip


def by_classes(method: str) -> Trial:
    return Trial(
        method, "classes", "classes", points={"x": 2}, fewest=1, alone=0.0,
        values={**VALUES, "acc_o": 70.0, "acc_v": 99.0},
    )  # fmt: skip


GRID = RoundingGrid(
    "wine.csv",
    (
        *(trial(m, "k", rung, 9.0) for m in ("mdav", "optimal") for rung in (0, 1)),
        *(trial(m, "c", rung, 8.0) for m in ("kmeans", "equal_width") for rung in (0, 1)),
        by_classes("mdlp"),
        Trial("mdav", "k", k=100, c=5, rung=2, refused="one point for all"),
    ),
    columns=("x", "y"), rows=500, left_out=7, target="class", model="tree",
    unrounded={"acc_o": 88.0, "acc_v": 88.0, "entropy": 9.0},
    notes=("Left out, being constant: z.",),
)  # fmt: skip


class Headings(HTMLParser):
    """Collects headings, and whether tags close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.heads: list[str] = []
        self.images: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.images.append(dict(attrs)["alt"] or "")
        elif tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("h1", "h2"):
            self.heads.append(data)


@pytest.fixture(scope="module")
def text() -> str:
    return page(title_of(GRID), page_parts(GRID))


def test_the_parts_stand_in_their_order(text: str) -> None:
    found = Headings(text)
    assert not found.open
    assert found.heads == [
        "Rounding methods compared: wine.csv",
        "In short",
        "What must not be claimed",
        "Methods that put at least k rows at each rounding point",
        "Methods that make c rounding points",
        "Mean score by method",
        "How well decision trees of rounded rows tell the class",
        "Tables",
        "What was measured",
        "The methods",
    ]


def test_every_drawing_has_words(text: str) -> None:
    images = Headings(text).images
    assert len(images) == 6 + 6 + 1 + 4
    assert all(len(words) > 20 for words in images)


def test_it_needs_no_other_file_and_no_script(text: str) -> None:
    assert not re.search(r"<script|https?://(?!www\.w3\.org)|src=\"(?!data:)", text)


def test_it_says_whose_it_is_and_what_was_left_out(text: str) -> None:
    for said in (text, text_of(GRID)):
        assert OWN_WORK in said
        assert "7 rows were left out" in said
        assert "Left out, being constant: z." in said
        assert "12.5 %" in said  # of the rows stay alone
        assert "one point for all" in said


def test_text_has_all_settings_in_columns() -> None:
    lines = text_of(GRID).splitlines()
    assert (
        sum(line.startswith(("mdav ", "optimal ", "kmeans ", "equal_width ")) for line in lines)
        == 9
    )
    assert max(len(line) for line in lines) <= 110
    assert all(line == line.rstrip() for line in lines)
