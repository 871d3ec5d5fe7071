"""A picture as a page drew it: read strictly, so that a file holds marks and words alone.

The page (`web/static/app/paper.js`) writes few elements, each with few attributes. Whatever else an
SVG may hold (scripts, styles, links, fonts, comments, elements of other programs) is refused here,
not taken out. What is read is a flat list of marks, from which a PDF is drawn (`page_pdf`).
"""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from xml.etree import ElementTree

from discreet.errors import InputError

BY_PAGE: Mapping[str, str] = MappingProxyType({"by": "a page"})
"""What a provenance says of a picture that a page drew."""
MOST_BYTES = 2 * 2**20
"""So large is a drawing at most."""
MOST_PIXELS = 40_000_000
LARGEST, DEEPEST = 20_000, 12
"""Pixels of a drawing; groups within groups."""
NAMESPACE = "http://www.w3.org/2000/svg"

NUMBER = r"-?\d{1,6}(?:\.\d{1,16})?(?:e-\d{1,3})?"
NUMBERS = re.compile(NUMBER)
COLOUR = r"#[0-9a-f]{6}|none"
WORDS = r"[\w\s\"',.-]{1,600}"
IMAGE = "data:image/png;base64,"
PLACES = {
    "rect": ("x", "y", "width", "height", "rx"),
    "line": ("x1", "y1", "x2", "y2"),
    "circle": ("cx", "cy", "r"),
    "path": ("d",),
    "text": ("x", "y"),
    "image": ("x", "y", "width", "height", "href"),
    "g": (),
}
LOOK: Mapping[str, str] = {
    "fill": COLOUR,
    "stroke": COLOUR,
    "fill-opacity": NUMBER,
    "stroke-opacity": NUMBER,
    "opacity": NUMBER,
    "stroke-width": NUMBER,
    "stroke-dasharray": rf"{NUMBER}(?:[ ,]+{NUMBER}){{0,7}}",
    "stroke-linejoin": "round|miter|bevel",
    "stroke-linecap": "butt|round|square",
    "paint-order": "stroke|normal",
    "font-size": NUMBER,
    "font-weight": "[1-9]00|[1-9][1-9]0",
    "text-anchor": "start|middle|end",
    "transform": rf"translate\({NUMBER} {NUMBER}\)",
}
ROOT = {"width", "height", "viewBox", "font-family", "font-size", "role", "aria-labelledby"}
OTHER = {
    "d": r"[MmLlHhVvCcQqZz0-9eE ,.\-]{1,500000}",
    "href": IMAGE + r"[A-Za-z0-9+/]+={0,2}",
    "viewBox": rf"0 0 {NUMBER} {NUMBER}",
    "font-family": WORDS,
    "role": "img",
    "aria-labelledby": "title desc",
    "id": "title|desc",
}
PATTERNS = {name: re.compile(it) for name, it in {**LOOK, **OTHER}.items()}
ALLOWED = {
    **{tag: {*places, *LOOK} for tag, places in PLACES.items()},
    "svg": ROOT,
    "title": {"id"},
    "desc": {"id"},
}
"""The attributes of each element that a page writes."""
NOT_DRAWN = (
    "this is not a drawing of the board: it must be the picture as the page drew it, of at most "
    f"{MOST_BYTES // 2**20} MB; save it again"
)


@dataclass(frozen=True)
class Mark:
    """A mark or a line of words, with the look that it has from all that it stands in.

    `at` is how far it is moved, and `seen` how much of it is seen, from 0 to 1.
    """

    tag: str
    at: tuple[float, float]
    seen: float
    place: Mapping[str, str]
    look: Mapping[str, str]
    words: str = ""


@dataclass(frozen=True)
class PageDrawing:
    """What a page drew: its size in pixels, its title, and its marks, the lowest first."""

    width: float
    height: float
    title: str
    marks: tuple[Mark, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The lines that are read in it."""
        return tuple(it.words for it in self.marks if it.words)


def read_drawing(svg: bytes) -> PageDrawing:
    """Read an SVG as pages draw it, or refuse it.

    Examples
    --------
    >>> svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><title>Age</title>'
    >>> svg += '<g fill="#3576ab"><text x="5" y="20">Age</text></g></svg>'
    >>> [mark] = read_drawing(svg.encode()).marks
    >>> mark.words, mark.look["fill"]
    ('Age', '#3576ab')
    >>> read_drawing(svg.replace("<g", "<script/><g").encode())
    Traceback (most recent call last):
    discreet.errors.InputError: this is not a drawing of the board: ...
    """
    try:
        # No declaration, comment or instruction: nothing is defined, and nothing stands unseen.
        if len(svg) > MOST_BYTES or b"<!" in svg or b"<?" in svg:
            raise ValueError
        root = ElementTree.fromstring(svg.decode("utf-8"))
        if _tag(root) != "svg":
            raise ValueError
        _check_attributes(root)
        width, height = float(root.get("width", "")), float(root.get("height", ""))
        if not (0 < width <= LARGEST and 0 < height <= LARGEST):
            raise ValueError
        marks = tuple(_marks(root, (0.0, 0.0), 1.0, MappingProxyType({}), 0))
        titles = [it.text or "" for it in root if _tag(it) == "title"]
        return PageDrawing(width, height, "".join(titles), marks)
    except (ValueError, ElementTree.ParseError, RecursionError):
        raise InputError(NOT_DRAWN) from None


def _tag(element: ElementTree.Element) -> str:
    return str(element.tag).removeprefix(f"{{{NAMESPACE}}}")


def _check_attributes(element: ElementTree.Element) -> None:
    """Refuse an attribute that no page writes, and a value that is none of it."""
    allowed = ALLOWED.get(_tag(element), set())
    for name, value in element.attrib.items():
        pattern = PATTERNS.get(name, NUMBERS)
        if name not in allowed or pattern.fullmatch(value) is None:
            raise ValueError


def _marks(
    group: ElementTree.Element,
    at: tuple[float, float],
    seen: float,
    look: Mapping[str, str],
    depth: int,
) -> Iterator[Mark]:
    if depth > DEEPEST or (group.text or "").strip():
        raise ValueError
    for it in group:
        tag = _tag(it)
        _check_attributes(it)
        if (it.tail or "").strip():
            raise ValueError
        if depth == 0 and tag in ("title", "desc") and not len(it):
            continue
        if tag not in PLACES or (len(it) and tag != "g"):
            raise ValueError
        own = {name: value for name, value in it.attrib.items() if name in LOOK}
        x, y = map(float, NUMBERS.findall(own.pop("transform", "0 0")))
        moved, share = (at[0] + x, at[1] + y), seen * float(own.pop("opacity", "1"))
        inherited = MappingProxyType({**look, **own})
        if tag == "g":
            yield from _marks(it, moved, share, inherited, depth + 1)
            continue
        if tag != "text" and (it.text or "").strip():
            raise ValueError
        if tag == "image":
            check_png(png_in(it.get("href", "")))
        place = {name: it.get(name, "0") for name in PLACES[tag]}
        yield Mark(tag, moved, share, MappingProxyType(place), inherited, it.text or "")


def png_in(href: str) -> bytes:
    """Return the image that stands in a drawing as text."""
    return base64.b64decode(href.removeprefix(IMAGE), validate=True)


# --- pixels ---------------------------------------------------------------------------------------

START = b"\x89PNG\r\n\x1a\n"
KEPT, DROPPED = (b"IHDR", b"IDAT", b"IEND"), (b"sRGB", b"gAMA", b"cHRM", b"pHYs", b"sBIT", b"iCCP")
CHANNELS = {0: 1, 2: 3, 6: 4}


def read_png(png: bytes) -> bytes:
    """Return a PNG as pages draw it with its pixels alone, or refuse it."""
    try:
        return check_png(png)
    except (ValueError, struct.error, zlib.error):
        raise InputError(NOT_DRAWN) from None


def check_png(png: bytes) -> bytes:
    """Return a PNG with its pixels alone; raise a ValueError, or the like, where it is none."""
    if len(png) > MOST_BYTES or not png.startswith(START):
        raise ValueError
    chunks = [*_chunks(png)]
    names = [name for name, _ in chunks]
    if names[0] != b"IHDR" or names[-1] != b"IEND" or {*names} - {*KEPT, *DROPPED}:
        raise ValueError
    if names.count(b"IHDR") + names.count(b"IEND") != 2 or chunks[-1][1]:
        raise ValueError
    head = chunks[0][1]
    width, height, bits, colour, *rest = struct.unpack(">IIBBBBB", head)
    if bits != 8 or colour not in CHANNELS or any(rest) or not 0 < width * height <= MOST_PIXELS:
        raise ValueError
    packed = b"".join(body for name, body in chunks if name == b"IDAT")
    size = height * (1 + width * CHANNELS[colour])
    unpacking = zlib.decompressobj()
    if len(unpacking.decompress(packed, size + 1)) != size or not unpacking.eof:
        raise ValueError
    if unpacking.unused_data:
        raise ValueError
    return START + b"".join(
        _chunk(name, body) for name, body in ((b"IHDR", head), (b"IDAT", packed), (b"IEND", b""))
    )


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(START)
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        name, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        (check,) = struct.unpack_from(">I", png, at + 8 + length)
        if zlib.crc32(name + body) != check:
            raise ValueError
        yield name, body
        at += length + 12


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def with_about(png: bytes, words: Sequence[str]) -> bytes:
    """Return a PNG with sentences about it, which are not seen."""
    body = b"Description\0\0\0\0\0" + "\n".join(words).encode()
    at = len(START) + 25
    return png[:at] + _chunk(b"iTXt", body) + png[at:]
