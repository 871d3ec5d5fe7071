"""Words in files: taken out they leave the file as it was, and the file is read as before."""

import re
import struct
import zlib
from functools import cache
from io import BytesIO
from xml.etree import ElementTree

import matplotlib.image
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.render.scene import Axis, Bars, Panel, Scene
from discreet.render.sealing import ending_of, with_words, without_words
from discreet.render.to_html import page, paragraph
from discreet.render.to_matplotlib import figure_bytes

BARS = Panel((Bars((0.0, 1.0, 2.0), (3.0, 1.0)),), Axis("age"), Axis("persons"), "all")
DRAWN = Scene((BARS,), "Ages", ("made by (1)",))
WRITTEN = {
    ".html": page("a page", [paragraph("</body> of a page")]).encode(),
    ".txt": b"a text\nof two lines\n",
    ".tex": b"\\begin{table}\n\\end{table}\n",
}
SUFFIXES = (".png", ".svg", ".pdf", *WRITTEN)
WORDS = '{"a": "(b) \\\\ \\u003c"}'
LETTERS = st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="<>&"))


@cache
def file_of(suffix: str) -> bytes:
    return WRITTEN.get(suffix) or figure_bytes(DRAWN, suffix)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(words=LETTERS)
def test_any_words_come_back(suffix: str, words: str) -> None:
    assert without_words(with_words(file_of(suffix), suffix, words), suffix) == (
        file_of(suffix),
        words,
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(data=st.data())
def test_whatever_else_is_changed_is_seen(suffix: str, data: st.DataObject) -> None:
    """A byte that is changed is in the rest, in the words, or both; or the file is broken."""
    file = with_words(file_of(suffix), suffix, WORDS)
    at = data.draw(st.integers(0, len(file) - 1))
    changed = file[:at] + bytes([file[at] ^ data.draw(st.integers(1, 255))]) + file[at + 1 :]
    try:
        found = without_words(changed, suffix)
    except InputError:
        return
    assert found != (file_of(suffix), WORDS)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_added_behind_is_seen(suffix: str) -> None:
    """A PDF with one more update would show other pages."""
    file = with_words(file_of(suffix), suffix, WORDS)
    for added in (file + b" ", file + b"%%EOF\n"):
        rest, _ = without_words(added, suffix)
        assert rest != file_of(suffix)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".html", ".txt"])
def test_words_twice_are_seen(suffix: str) -> None:
    twice = with_words(with_words(file_of(suffix), suffix, WORDS), suffix, '{"other": 1}')
    rest, _ = without_words(twice, suffix)
    assert rest != file_of(suffix)


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_what_is_no_such_file_is_refused(suffix: str) -> None:
    with pytest.raises(InputError, match=f"no {suffix[1:]} file, or a broken one"):
        without_words(b"something else", suffix)


def test_a_pdf_that_begins_again_and_again_is_read_at_once() -> None:
    """With a pattern it took minutes: from each beginning it looked for an end."""
    trailer = file_of(".pdf")[file_of(".pdf").rindex(b"trailer\n") :]
    (info,) = re.findall(rb"/Info (\d+) 0 R", trailer)
    begun = b"%%PDF-1.4\n%b%%%%EOF\n" % (b"\n%b 0 obj\n<<" % info * 200_000)
    size = re.sub(rb"startxref\n\d+", b"startxref\n%d" % len(begun), trailer)
    hostile = begun + size + b"1 0 obj\n<< /Provenance (x)\n"
    with pytest.raises(InputError, match="no pdf file, or a broken one"):
        without_words(hostile, ".pdf")


def test_a_png_is_drawn_as_before_and_says_the_words() -> None:
    file = with_words(file_of(".png"), ".png", WORDS)
    before = matplotlib.image.imread(BytesIO(file_of(".png")))
    assert np.array_equal(matplotlib.image.imread(BytesIO(file)), before)
    at = file.index(b"iTXt")
    (length,) = struct.unpack_from(">I", file, at - 4)
    body = file[at : at + 4 + length]
    assert body.endswith(WORDS.encode())
    assert struct.unpack_from(">I", file, at + 4 + length) == (zlib.crc32(body),)


def test_an_svg_is_well_formed_and_says_the_words() -> None:
    drawn = ElementTree.fromstring(with_words(file_of(".svg"), ".svg", WORDS))
    found = drawn.find("{http://www.w3.org/2000/svg}metadata[@id='provenance']")
    assert found is not None
    assert found.text == WORDS


def test_a_pdf_says_where_its_new_info_is() -> None:
    file = with_words(file_of(".pdf"), ".pdf", WORDS)
    start = int(re.findall(rb"startxref\n(\d+)\n%%EOF\n", file)[-1])
    table = re.match(
        rb"xref\n0 1\n0{10} 65535 f \n(\d+) 1\n(\d{10}) 00000 n \ntrailer\n", file[start:]
    )
    assert table is not None
    number, at = int(table[1]), int(table[2])
    assert file[at:].startswith(b"%d 0 obj\n<< /Provenance (" % number)
    old = int(re.findall(rb"/Prev (\d+)", file)[-1])
    assert file_of(".pdf")[old:].startswith(b"xref\n")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_content_says_how_a_file_with_words_ends(suffix: str) -> None:
    file = with_words(file_of(suffix), suffix, WORDS)
    assert {ending_of(file, other) for other in SUFFIXES} == {suffix}


@pytest.mark.parametrize(
    ("file", "ending", "wanted"),
    [
        (".png", ".svg", ".png"),
        (".pdf", ".png", ".pdf"),
        (".svg", ".html", ".html"),
        (b"a,b\n1,2\n", ".csv", ".csv"),
        (b"\n% provenance: that never ends", ".csv", ".csv"),
    ],
)
def test_the_content_of_a_file_without_words_says_what_it_can(
    file: bytes | str, ending: str, wanted: str
) -> None:
    content = file_of(file) if isinstance(file, str) else file
    assert ending_of(content, ending) == wanted
