"""A file tells no more than its picture, and is written whole or not at all."""

import base64
import getpass
import os
import re
import struct
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
import pytest

from discreet.errors import InputError
from discreet.render.scene import (
    Axis,
    Bars,
    Box,
    Boxes,
    Cells,
    Columns,
    Dots,
    Lines,
    Mark,
    Panel,
    Scene,
    Words,
)
from discreet.render.to_matplotlib import figure_bytes
from discreet.unfinished import write_whole
from tests.cases import slow
from tests.forked import ran

X, Y = Axis("age"), Axis("people")
MARKS: dict[str, Mark] = {
    "bars": Bars((0.0, 1.0, 2.0, 5.0, 9.0), (4.0, None, 7.0, 2.5)),
    "dots": Dots((3.0, 1.0, 2.0), (30.0, 10.0, 25.0), (1, 4, 1)),
    "gridded": Dots((1.0, 2.0, 3.0), (1.0, 1.0, 2.0), (5, 20, 10), by_size=True),
    "cells": Cells((0.0, 1.0, 3.0), (0.0, 2.0, 5.0), ((5.0, None), (None, 9.0)), "count"),
    "boxes": Boxes((Box("women", 1.0, 2.0, 3.0, 4.0, 6.0, 3.5, (8.0, 9.0)),)),
    "columns": Columns(((4.0, None, 2.0), (None, 0.0, 1.0)), ("women", "men")),
    "trend": Lines(((0.0, 1.0, 2.0),), ((5.0, 6.0, 4.0),), "trend", "trend of what is drawn"),
    "levels": Lines(((0.0, 1.0),) * 2, ((0.0, 1.0), (1.0, 2.0)), "level", "people", (5.0, 9.0)),
    "words": Words((("5", "hidden"), ("$x", "12")), totals=True),
}
SCENES = {name: Scene((Panel((mark,), X, Y),), name, ("k = 3",)) for name, mark in MARKS.items()}
BARS, DOTS = SCENES["bars"], SCENES["dots"]
KINDS = (".png", ".svg", ".pdf")


@cache
def drawn(name: str, kind: str) -> bytes:
    """Return one of the scenes as a file, which is drawn once for all that look at it."""
    return figure_bytes(SCENES[name], kind)


@pytest.fixture
def odd_settings() -> Iterator[dict[str, Any]]:
    """Settings of a user who likes things otherwise."""
    odd: dict[Any, Any] = {
        "font.size": 23.0,
        "font.family": ["serif"],
        "axes.facecolor": "black",
        "axes.titlesize": 3.0,
        "savefig.dpi": 31.0,
        "savefig.bbox": "tight",
        "svg.fonttype": "path",
        "svg.hashsalt": "mine",
        "pdf.compression": 0,
        "xtick.major.size": 19.0,
        "lines.linewidth": 9.0,
        "path.sketch": (1.0, 100.0, 2.0),
    }
    with matplotlib.rc_context(odd):
        yield odd


class TestFiles:
    @pytest.mark.parametrize(
        ("name", "kind"),  # each scene as one kind of file, and as all in `make test-all`
        [
            pytest.param(name, kind, marks=slow((i + j) % len(KINDS) > 0))
            for (i, name), (j, kind) in product(enumerate(SCENES), enumerate(KINDS))
        ],
    )
    def test_one_scene_is_the_same_bytes_whoever_draws_it(
        self, name: str, kind: str, odd_settings: dict[str, Any]
    ) -> None:
        before = matplotlib.rcParams.copy()
        odd = figure_bytes(SCENES[name], kind)
        assert dict(matplotlib.rcParams) == dict(before)
        with matplotlib.rc_context({"font.size": 5.0}):
            assert drawn(name, kind) == odd

    @pytest.mark.slow
    def test_another_process_on_another_day_writes_the_same_bytes(self, tmp_path: Path) -> None:
        whole = Scene(tuple(panel for scene in SCENES.values() for panel in scene.panels))
        code = (
            "import sys\n"
            "from discreet.render.scene import *\n"
            "from pathlib import Path\n"
            "from discreet.render.to_matplotlib import figure_bytes\n"
            f"for kind in {KINDS!r}:\n"
            f"    Path(sys.argv[1] + kind).write_bytes(figure_bytes({whole!r}, kind))\n"
        )
        env = {"SOURCE_DATE_EPOCH": "86400", "TZ": "Asia/Tokyo", "USER": "other"}
        assert ran(code, str(tmp_path / "there"), env=env) == (0, "", "")
        for kind in KINDS:
            assert figure_bytes(whole, kind) == (tmp_path / f"there{kind}").read_bytes(), kind

    @pytest.mark.parametrize("name", SCENES)
    def test_a_png_holds_the_picture_and_what_is_said_of_it(self, name: str) -> None:
        raw = drawn(name, ".png")
        assert chunks(raw) <= PICTURE | {b"tEXt"}
        assert raw.count(b"tEXt") == raw.count(b"tEXtDescription\0") <= 1

    @pytest.mark.parametrize("name", SCENES)
    def test_an_svg_tells_neither_day_nor_program(self, name: str, tmp_path: Path) -> None:
        text = drawn(name, ".svg").decode()
        for told in ("<dc:date", "<dc:creator", "<dc:format", "atplotlib v", "<!--", str(tmp_path)):
            assert told not in text
        assert {*re.findall(r"<dc:(\w+)", text)} <= {"description"}
        for picture in re.findall(r"base64,([^\"]*)", text):
            assert chunks(base64.b64decode(picture)) <= PICTURE
        ET.fromstring(text)

    @pytest.mark.parametrize("name", SCENES)
    def test_a_pdf_tells_neither_day_nor_program(self, name: str, tmp_path: Path) -> None:
        raw = drawn(name, ".pdf")
        streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", raw, re.DOTALL)
        whole = b"\n".join([raw, *map(inflated, streams)])
        for told in (b"/CreationDate", b"/ModDate", b"/Creator", b"/Producer", b"/Author", b"/ID"):
            assert told not in whole
        assert b"atplotlib" not in whole
        assert str(tmp_path).encode() not in whole
        assert not re.search(rb"\b" + re.escape(getpass.getuser().encode()) + rb"\b", raw)

    def test_the_words_of_an_svg_are_text(self) -> None:
        scene = Scene(DOTS.panels, "Age & <glucose>")
        tree = ET.fromstring(figure_bytes(scene, ".svg"))
        words = {element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")}
        assert {"Age & <glucose>", "age", "people"} <= words

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", [".svg", ".pdf"])
    def test_digits_beyond_the_picture_are_not_in_the_file(self, kind: str) -> None:
        def told(secret: float) -> bytes:
            x = tuple(round(0.1 * i * i, 1) + secret * i for i in range(1, 40))
            marks: tuple[Mark, ...] = (
                Dots(x, x[::-1], (1,) * 39),
                Bars((*x, 200.0), x),
                Boxes((Box("all", x[0], x[1], x[2], x[3], x[4], x[2], x[6:]),)),
                Columns((x, x[::-1])),
                Lines((x, x[::-1]), (x[::-1], x), "level", "", (1.0, 2.0)),
                Lines((x,), (x[::-1],), "raw"),
            )
            panels = tuple(Panel((mark,), X, Y) for mark in marks)
            return figure_bytes(Scene(panels), kind)

        assert told(0.0) == told(1e-6) == told(-1e-6)

    @pytest.mark.parametrize(("where", "broken"), [(os, "replace"), (Path, "write_bytes")])
    def test_a_write_that_fails_leaves_what_was_there(
        self, where: object, broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object, **__: object) -> None:
            raise OSError("no space left")

        before = b"what was there"
        write_whole(before, tmp_path / "old.svg")
        with monkeypatch.context() as patched:
            patched.setattr(where, broken, full)
            for name in ("old.svg", "new.svg"):
                with pytest.raises(InputError, match=r"cannot be"):
                    write_whole(b"new", tmp_path / name)
        assert [path.name for path in tmp_path.iterdir()] == ["old.svg"]
        assert (tmp_path / "old.svg").read_bytes() == before


PICTURE = {b"IHDR", b"pHYs", b"PLTE", b"tRNS", b"sBIT", b"IDAT", b"IEND"}


def chunks(png: bytes) -> set[bytes]:
    """Name the chunks of a PNG, read by hand."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    names, place = set(), 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        names.add(png[place + 4 : place + 8])
        place += length + 12
    assert place == len(png)
    return names


def inflated(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return stream
