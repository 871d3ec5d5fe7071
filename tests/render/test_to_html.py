"""A page stands by itself: escaped, well-formed, without script or request."""

import base64
import re
from html.parser import HTMLParser

from discreet.render.scene import Axis, Bars, Panel, Scene
from discreet.render.to_html import Html, fragment, heading, items, page, paragraph, picture, table

BARS = Panel((Bars((0.0, 1.0, 2.0), (3.0, 1.0)),), Axis("age"), Axis("persons"), "all")
SCENE = Scene((BARS,), "Ages", ("made by <hand>",))
NASTY = '<script>alert("x")</script> & \u0007 more'


class Balanced(HTMLParser):
    """Fails where a tag is closed that is not the last one opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.found if name == tag]


def every_part() -> list[Html]:
    return [
        heading(NASTY, 1),
        paragraph(NASTY),
        paragraph(NASTY, "stamp"),
        paragraph(NASTY, "soft"),
        items([NASTY]),
        table(["a", NASTY], [[NASTY, "1"]], caption=NASTY),
        picture(Scene((BARS,), NASTY, (NASTY,)), NASTY),
    ]


def test_a_page_is_well_formed_and_asks_for_nothing() -> None:
    text = page(NASTY, every_part())
    read = Balanced(text)
    tags = {tag for tag, _ in read.found}
    assert not tags & {"script", "link", "iframe", "object", "base", "form"}
    assert "://" not in text
    assert not re.search(r"url\(|@import|javascript:", text)
    assert all((image["src"] or "").startswith("data:") for image in read.of("img"))
    assert read.of("html") == [{"lang": "en"}]
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in read.of("meta")


def test_what_is_given_is_text() -> None:
    text = page(NASTY, every_part())
    assert "<script" not in text
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; more" in text
    assert "\u0007" not in text


def test_a_fragment_styles_nothing_but_itself() -> None:
    text = fragment([paragraph("x")])
    style = text[: text.index("</style>")]
    rules = re.findall(r"(?:^|[}{\n])([^{}@\n][^{}]*)\{", style.replace("<style>", ""))
    assert rules
    for rule in rules:
        assert all(part.strip().startswith(".discreet") for part in rule.split(",")), rule
    assert "<body" not in text


class TestTables:
    def test_columns_and_rows_have_heads(self) -> None:
        read = Balanced(table(["risk", "share"], [["linkage", "17 %"]], caption="Risks"))
        assert [attrs["scope"] for attrs in read.of("th")] == ["col", "col", "row"]
        assert read.of("caption") == [{}]
        assert read.of("div")[0]["aria-label"] == "Risks"

    def test_numbers_stand_to_the_right_and_words_to_the_left(self) -> None:
        read = Balanced(table(["a", "b", "c"], [["x", "1", "y"]], caption="t", words=(0, 2)))
        assert [attrs.get("class") for attrs in read.of("td")] == ["n", None]


class TestPictures:
    def test_each_panel_is_a_drawing_with_words_for_who_cannot_see_it(self) -> None:
        other = Panel(BARS.marks, BARS.x, BARS.y)
        read = Balanced(picture(Scene((BARS, other), "Ages"), "ages of all"))
        assert [image["alt"] for image in read.of("img")] == ["all: ages of all", "ages of all"]

    def test_the_drawing_is_an_svg_without_title_and_notes_which_stand_below(self) -> None:
        text = picture(SCENE, "ages")
        (image,) = Balanced(text).of("img")
        data = base64.b64decode((image["src"] or "").split(",")[1]).decode()
        assert data.startswith("<?xml")
        assert "age" in data
        assert "Ages" not in data
        assert "hand" not in data
        assert "<figcaption><strong>Ages</strong> made by &lt;hand&gt;</figcaption>" in text

    def test_many_named_rows_make_a_drawing_higher(self) -> None:
        names = tuple(f"term {i}" for i in range(30))
        tall = Scene((Panel(BARS.marks, BARS.x, Axis("", ticks=names)),))
        heights = []
        for scene in (SCENE, tall):
            (image,) = Balanced(picture(scene, "x")).of("img")
            data = base64.b64decode((image["src"] or "").split(",")[1]).decode()
            heights.append(float(re.findall(r'height="([\d.]+)pt"', data)[0]))
        assert heights[1] > 3 * heights[0]
