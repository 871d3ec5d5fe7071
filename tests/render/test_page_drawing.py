"""A picture as a page drew it is read strictly, and drawn again into a PDF."""

from __future__ import annotations

import base64
import re
import struct
import zlib

import pytest

from discreet.errors import InputError
from discreet.render.page_drawing import read_drawing, read_png, with_about
from discreet.render.page_pdf import missing_in, pdf_of

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="80" viewBox="0 0 100 80"'
    ' font-family="Inter, &quot;DejaVu Sans&quot;, sans-serif" font-size="11" role="img"'
    ' aria-labelledby="title desc"><title id="title">Age</title><desc id="desc">All rows</desc>'
)
MARKS = (
    '<g transform="translate(10 20)"><g fill="#3576ab"><rect x="0" y="0" width="30" height="40"/>'
    '</g><path d="M1 2L3 4" fill="none" stroke="#000000" stroke-width="2"/></g>'
    '<text x="5" y="70" fill="#454c55" text-anchor="end">Age &amp; sex</text>'
)


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(*more: bytes, rows: int = 2, after: bytes = b"", tail: bytes = b"") -> bytes:
    """Two pixels by two, red, with more chunks, more rows, or more after its pixels."""
    head = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
    pixels = zlib.compress((b"\0" + b"\xff\0\0" * 2) * rows) + after
    parts = (chunk(b"IHDR", head), *more, chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + tail


def drawing(inside: str = MARKS, head: str = HEAD) -> bytes:
    return f"{head}{inside}</svg>\n".encode()


def test_marks_have_the_place_and_the_look_of_all_that_they_stand_in() -> None:
    found = read_drawing(drawing())
    assert (found.width, found.height, found.title) == (100.0, 80.0, "Age")
    bar, line, words = found.marks
    assert (bar.tag, bar.at, bar.look["fill"]) == ("rect", (10.0, 20.0), "#3576ab")
    assert (line.at, dict(line.look)["stroke-width"]) == ((10.0, 20.0), "2")
    assert (words.at, found.words) == ((0.0, 0.0), ("Age & sex",))


IMAGE = base64.b64encode(png()).decode()
REFUSED = {
    "a script": "<script>alert(1)</script>",
    "a handler": '<rect x="0" y="0" width="1" height="1" onload="alert(1)"/>',
    "a style": "<style>@import 'http://a.example'</style>",
    "a look by style": '<rect style="fill:url(http://a.example)"/>',
    "a fill from elsewhere": '<rect fill="url(http://a.example#b)"/>',
    "an image from elsewhere": '<image href="http://a.example/b.png" x="0" y="0"/>',
    "an image that is SVG": '<image href="data:image/svg+xml;base64,AAAA"/>',
    "a foreign object": "<foreignObject><p>1</p></foreignObject>",
    "a link": '<a href="http://a.example"><text x="1" y="2">1</text></a>',
    "a use": '<use href="#title"/>',
    "another namespace": '<rect xmlns="http://a.example" x="1"/>',
    "a comment": "<!-- hidden -->",
    "CDATA": "<![CDATA[hidden]]>",
    "an instruction": "<?xml-stylesheet href='http://a.example'?>",
    "loose words": "hidden",
    "words after a mark": '<rect x="1"/>hidden',
    "words in a mark": '<rect x="1">hidden</rect>',
    "metadata": "<metadata>hidden</metadata>",
    "another id": '<title id="other">hidden</title>',
    "deep groups": "<g>" * 20 + "</g>" * 20,
    "an unclosed group": "<g>",
    "an image with a comment": '<image href="data:image/png;base64,'
    + base64.b64encode(png(chunk(b"tEXt", b"a\0b"))).decode()
    + '"/>',
}


@pytest.mark.parametrize("inside", REFUSED.values(), ids=[*REFUSED])
def test_what_no_page_draws_is_refused(inside: str) -> None:
    with pytest.raises(InputError, match="not a drawing of the board"):
        read_drawing(drawing(MARKS + inside))


def test_what_pages_draw_is_read() -> None:  # the control of the attacks
    image = f'<image x="0" y="0" width="2" height="2" href="data:image/png;base64,{IMAGE}"/>'
    assert len(read_drawing(drawing(MARKS + image)).marks) == 4


@pytest.mark.parametrize(
    "head",
    [
        HEAD.replace('width="100"', 'width="1e9"'),
        HEAD.replace("<svg", '<!DOCTYPE a [<!ENTITY b "c">]><svg'),
        HEAD.replace("<svg", '<svg onload="alert(1)"'),
        HEAD.replace("http://www.w3.org/2000/svg", "http://a.example"),
    ],
    ids=["huge", "an entity", "a handler", "another namespace"],
)
def test_other_files_are_refused(head: str) -> None:
    with pytest.raises(InputError, match="not a drawing of the board"):
        read_drawing(drawing(head=head))


def test_an_image_keeps_its_pixels_alone() -> None:
    plain = read_png(png(chunk(b"sRGB", b"\0")))
    assert plain == png()
    assert read_png(plain) == plain
    assert "größe".encode() in with_about(plain, ["größe"])


@pytest.mark.parametrize(
    "image",
    [
        png(chunk(b"tEXt", b"a\0hidden")),
        png(rows=3),
        png(rows=1),
        png(after=b"hidden"),
        png(tail=b"hidden"),
        png()[:-4],
        b"GIF89a",
        b"",
    ],
    ids=["words", "more rows", "fewer rows", "after pixels", "after all", "cut", "a GIF", "none"],
)
def test_an_image_with_more_is_refused(image: bytes) -> None:
    with pytest.raises(InputError, match="not a drawing of the board"):
        read_png(image)


# --- as a PDF -------------------------------------------------------------------------------------


def page_of(inside: str) -> str:
    """Return what a PDF paints, as the steps of its page."""
    pdf = pdf_of(read_drawing(drawing(inside)), "about it")
    parts = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    texts = []
    for part in parts:
        try:
            texts.append(zlib.decompress(part).decode("latin-1"))
        except zlib.error:
            continue
    return next(it for it in texts if " m\n" in it or "BT" in it)


SHAPES = {  # of a page of 100 by 80 pixels, in points of 3/4 of a pixel from below
    "a bar": ('<rect x="10" y="20" width="30" height="40"/>', ["7.5 45 m", "30 45 l", "30 15 l"]),
    "a line": ('<line x1="0" y1="0" x2="100" y2="80" stroke="#ff0000"/>', ["0 60 m", "75 0 l"]),
    "steps beside": ('<path d="m10 10h20v-10l-4 8z"/>', ["7.5 52.5 m", "22.5 60 l", "19.5 54 l"]),
    "a curve": ('<path d="M0 0C4 4 8 8 12 4"/>', ["0 60 m", "3 57 6 54 9 57 c"]),
    "lines that follow a start": ('<path d="M0 0 4 8 8 0"/>', ["0 60 m", "3 54 l", "6 60 l"]),
    "moved": ('<g transform="translate(4 8)"><path d="M0 0L4 0"/></g>', ["3 54 m", "6 54 l"]),
}


@pytest.mark.parametrize(("svg", "steps"), SHAPES.values(), ids=[*SHAPES])
def test_marks_stand_in_a_pdf_where_they_stand_on_the_page(svg: str, steps: list[str]) -> None:
    painted = iter(page_of(svg).splitlines())
    assert all(step in painted for step in steps)  # one after the other


def test_a_pdf_has_its_words_as_text_and_its_colours() -> None:
    painted = page_of(MARKS)
    assert "BT" in painted
    assert f"{0x35 / 255:.4f} "[:-1] in painted


def test_one_drawing_has_one_pdf() -> None:
    first, second = (pdf_of(read_drawing(drawing()), "a") for _ in range(2))
    assert first == second


def test_letters_without_a_font_are_named_by_their_script() -> None:
    words = '<text x="0" y="9">\ua000 \U00013000</text>'
    assert missing_in(read_drawing(drawing(words))) == ("Egyptian", "Yi")
