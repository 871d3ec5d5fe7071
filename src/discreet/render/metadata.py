"""Words in the metadata of a file, put there and taken out again to the byte.

Without them the file is as it was before, so it can be told whether anything else was changed. A
PNG has them in a text chunk, an SVG in a `metadata` element, a page in a block of data, a text in
its last line, LaTeX in a comment there, and a PDF in its Info dictionary, by an update at its end
as PDF has them. CSV has them in a column (`csv_words`). A Parquet file is read and written in
`parquet_words`, for it may be large.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from typing import NamedTuple

from discreet.errors import BrokenPromiseError, InputError
from discreet.render.csv_words import CSV, with_column, without_column

NAME = "provenance"
PNG_START = b"\x89PNG\r\n\x1a\n"
PNG_HEAD = len(PNG_START) + 25  # and the chunk that says how large it is
PNG_WORDS = b"iTXt" + NAME.encode() + b"\0\0\0\0\0"  # not compressed, in no named language
SVG = (f'<metadata id="{NAME}">'.encode(), b"</metadata>\n", b"</svg>")
HTML = (f'<script type="application/json" id="{NAME}">'.encode(), b"</script>\n", b"</body>")
TEXT = (f"\n{NAME}: ".encode(), b"\n", b"")
TEX = (f"\n% {NAME}: ".encode(), b"\n", b"")
BEGINNINGS = {".png": PNG_START, ".pdf": b"%PDF-"}
"""How files begin that are no text."""
PDF_TRAILER = re.compile(
    rb"trailer\n<< /Size (\d+) /Root (\d+) 0 R /Info (\d+) 0 R >>\nstartxref\n(\d+)\n%%EOF\n\Z"
)
PDF_WORDS = re.compile(
    rb"(?<=%%EOF\n)\d+ 0 obj\n<< /" + NAME.capitalize().encode() + rb" \(([^\n]*)\)\n"
)


def ending_of(file: bytes, ending: str) -> str:
    """Return how a file of this content ends: as it does, where its content does not say more."""
    for suffix, begins in BEGINNINGS.items():
        if file.startswith(begins):
            return suffix
    texts = [it for it in CARRIERS if it not in BEGINNINGS]
    for suffix in sorted(texts, key=lambda it: it != ending):
        try:
            if CARRIERS[suffix].find(file) is not None:
                return suffix
        except ValueError:  # words that begin and do not end
            continue
    return ending


class Carrier(NamedTuple):
    """How the files of one ending have words, and where: `find` says from where to where."""

    write: Callable[[bytes, bytes], bytes]
    find: Callable[[bytes], tuple[int, int, bytes] | None]


def with_words(file: bytes, suffix: str, words: str) -> bytes:
    """Return a file with words in it: one line of ASCII letters without ``<``, ``>`` and ``&``."""
    if suffix == CSV:
        return with_column(file, words)
    return CARRIERS[suffix].write(file, words.encode("ascii"))


def without_words(file: bytes, suffix: str) -> tuple[bytes, str | None]:
    """Return a file as it was before `with_words`, and the words; None where it has none.

    Where the words stand in another place than `with_words` gives them, the file is as it is.

    Raises
    ------
    InputError
        If it is not a file of this kind.
    """
    if suffix == CSV:
        return without_column(file)
    try:
        found = CARRIERS[suffix].find(file)
        if found is None:
            return file, None
        start, end, words = found
        rest = file[:start] + file[end:]
        same = CARRIERS[suffix].write(rest, words) == file
        return rest if same else file, words.decode("ascii")
    except (ValueError, struct.error, BrokenPromiseError):
        raise InputError(f"this is no {suffix[1:]} file, or a broken one") from None


# --- PNG -----------------------------------------------------------------------------------------


def _write_png(file: bytes, words: bytes) -> bytes:
    body = PNG_WORDS + words
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return file[:PNG_HEAD] + chunk + file[PNG_HEAD:]


def _find_png(file: bytes) -> tuple[int, int, bytes] | None:
    if not file.startswith(PNG_START):
        raise ValueError
    at = len(PNG_START)
    while at < len(file):
        (length,) = struct.unpack_from(">I", file, at)
        end = at + length + 12
        body = file[at + 4 : end - 4]
        if body.startswith(PNG_WORDS):
            return at, end, body[len(PNG_WORDS) :]
        at = end
    return None


# --- SVG, pages, texts ---------------------------------------------------------------------------


def _marks(marks: tuple[bytes, bytes, bytes]) -> Carrier:
    """Return how a file has words between two marks, before what it ends with."""
    first, last, ending = marks

    def write(file: bytes, words: bytes) -> bytes:
        at = file.rindex(ending) if ending else len(file)
        return file[:at] + first + words + last + file[at:]

    def find(file: bytes) -> tuple[int, int, bytes] | None:
        start = file.rfind(first)
        if start < 0:
            return None
        begin = start + len(first)
        end = file.index(last, begin)
        return start, end + len(last), file[begin:end]

    return Carrier(write, find)


# --- PDF -----------------------------------------------------------------------------------------


def _write_pdf(file: bytes, words: bytes) -> bytes:
    """Append a new Info dictionary, with what the old one says, and where it is."""
    trailer = PDF_TRAILER.search(file)
    if trailer is None:
        raise BrokenPromiseError("matplotlib ends a PDF in another way than is known")
    size, root, info, before = (int(it) for it in trailer.groups())
    # No pattern, which would take endless on a file that begins such an object again and again.
    _, mark, rest = file[:before].partition(b"\n%d 0 obj\n<<" % info)
    said, end, _ = rest.partition(b">>\nendobj\n")
    if not (mark and end):
        raise BrokenPromiseError("matplotlib writes the Info of a PDF in another way than is known")
    for letter in (b"\\", b"(", b")"):
        words = words.replace(letter, b"\\" + letter)
    name = NAME.capitalize().encode()
    told = b"%d 0 obj\n<< /%b (%b)\n%b>>\nendobj\n" % (info, name, words, said.lstrip())
    free = b"0 1\n0000000000 65535 f \n"  # some readers take a table without it for a broken one
    table = b"xref\n%b%d 1\n%010d 00000 n \n" % (free, info, len(file))
    ends = b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R /Prev %d >>\n" % (
        size,
        root,
        info,
        before,
    )
    return file + told + table + ends + b"startxref\n%d\n%%%%EOF\n" % (len(file) + len(told))


def _find_pdf(file: bytes) -> tuple[int, int, bytes] | None:
    if not file.startswith(b"%PDF-"):
        raise ValueError
    found = [*PDF_WORDS.finditer(file)]
    if not found:
        return None
    return found[-1].start(), len(file), re.sub(rb"\\(.)", rb"\1", found[-1][1])


CARRIERS = {
    ".png": Carrier(_write_png, _find_png),
    ".svg": _marks(SVG),
    ".html": _marks(HTML),
    ".txt": _marks(TEXT),
    ".tex": _marks(TEX),
    ".pdf": Carrier(_write_pdf, _find_pdf),
}
"""How each kind of file has words, by its ending."""
