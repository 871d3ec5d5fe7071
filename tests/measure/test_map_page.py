"""A map is read as a browser reads it: its links lead somewhere, and it asks for nothing."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.measure.estimate import Estimate
from discreet.measure.frontier import Point, RiskUtilityMap, Setting, Spot, map_parts, nice_ticks


class Page(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"] or "")
        if tag == "a":
            self.links.append(given["href"] or "")
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def tried(places: list[tuple[float, float]], method: str = "deterministic") -> RiskUtilityMap:
    points = [
        Point(Setting(method, k=k), Estimate("linked", risk, 100, 0.01), loss)
        for k, (risk, loss) in enumerate(places, start=3)
    ]
    return RiskUtilityMap(tuple(points), note="<b>toy</b> & more")


def test_every_point_is_a_link_to_a_row_that_says_how_it_is_made() -> None:
    page = Page(tried([(40, 0.01), (20, 0.02), (30, 0.05)]).to_html())
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} == set(page.ids) == {"map", "p0", "p1", "p2"}
    assert not page.open
    words = "".join(page.words)
    assert 'study.anonymize(method="deterministic", k=4)' in words
    assert "discreet anonymize TABLE --method deterministic -k 4" in words


def test_it_needs_no_script_and_asks_for_nothing() -> None:
    text = tried([(40, 0.01), (20, 0.02)]).to_html()
    assert "script" not in Page(text).tags
    assert "://" not in text
    assert not re.search(r"\son\w+=|src=|@import|url\(", text)


def test_a_note_is_text_and_no_markup() -> None:
    page = Page(tried([(40, 0.01)]).to_html())
    assert "b" not in page.tags
    assert "<b>toy</b> & more" in page.words


def test_the_row_that_is_chosen_is_marked_by_style_alone() -> None:
    text = tried([(40, 0.01)]).to_html()
    assert "tr:target" in text
    assert 'class="under"' in text


@given(
    st.lists(
        st.tuples(st.integers(0, 100), st.floats(0, 1e9, allow_subnormal=False)),
        min_size=1,
        max_size=8,
    )
)
def test_every_sign_lies_within_the_drawing(places: list[tuple[int, float]]) -> None:
    text = tried([(float(risk), loss) for risk, loss in places]).to_html()
    centres = re.findall(r'class="hit" cx="([-\d.e+]+)" cy="([-\d.e+]+)"', text)
    assert len(centres) == len(places)
    for x, y in centres:
        assert 78 <= float(x) <= 528
        assert 16 <= float(y) <= 322


def test_far_losses_stand_on_the_upper_edge_and_leave_the_frontier_readable() -> None:
    text = tried([(40, 0.01), (20, 0.02), (50, 9.0)]).to_html()
    heights = re.findall(r'class="hit" cx="[\d.]+" cy="([\d.]+)"', text)
    assert min(map(float, heights)) == 16
    assert len(set(heights)) == 3
    assert "loss 9" in text  # for who hears it
    assert ">9<" in text  # in the table


def test_methods_have_signs_of_other_shapes() -> None:
    spots = [
        Spot(f"{m} k=3", m, 0.1 * i, 0.1, "10 %", "1 %", None if i else 1, ("a", "b"))
        for i, m in enumerate("abcd")
    ]
    text = "".join(map_parts(spots, [], ("risk", "loss"), "Map", ["own"]))
    shapes = re.findall(r'<li class="s\d"><svg[^>]*><(\w+)', text)
    assert shapes == ["circle", "polygon", "polygon", "polygon"]
    assert len(set(re.findall(r'<li class="s\d"><svg[^>]*>(.*?)</svg>', text))) == 4


@pytest.mark.parametrize(
    ("high", "ticks"),
    [
        (0.037, [0.0, 0.01, 0.02, 0.03, 0.04]),
        (1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.0, [0.0, 1.0]),
        (6.0, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    ],
)
def test_ticks_are_round_and_reach_the_highest(high: float, ticks: list[float]) -> None:
    assert nice_ticks(high) == ticks


@given(st.floats(1e-12, 1e12))
def test_ticks_are_few_and_reach_the_highest(high: float) -> None:
    ticks = nice_ticks(high)
    assert ticks[-1] >= high * (1 - 1e-6)
    assert ticks[0] == 0
    assert 3 <= len(ticks) <= 7
