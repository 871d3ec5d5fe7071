"""What views, tables of figures and reports do to be released: ask their gate, and carry a seal.

Each is a frozen value with a `gate`, a `sealer` and, once it was released, a `provenance`; none of
the three where it was made outside a study.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar

from discreet.errors import BrokenPromiseError, InputError
from discreet.provenance import Provenance, Sealer
from discreet.render.csv_words import CSV, with_column, without_column

#: Called with the form in which something is to be released ("svg", "json", ...), and with its
#: provenance where it has one; raises if it may not be.
Gate = Callable[..., None]


class Sealable(Protocol):
    """What can be released with a provenance."""

    @property
    def gate(self) -> Gate | None:
        """What is asked before it is released."""

    @property
    def sealer(self) -> Sealer | None:
        """What gives it its provenance."""

    @property
    def provenance(self) -> Provenance | None:
        """Where its numbers come from."""

    def checksum(self) -> str:
        """Return the SHA-256 of all that its JSON holds."""


S = TypeVar("S", bound=Sealable)


def sealed(of: S) -> S:
    """Return something with its provenance, where it has what gives it one."""
    if of.sealer is None or of.provenance is not None:
        return of
    provenance = of.sealer.provenance(of.checksum())
    return replace(of, provenance=provenance)  # type: ignore[type-var]  # each is a dataclass


def ask_to_leave(of: Sealable, form: str) -> None:
    """Ask the gate, where there is one, whether something may be released as `form`."""
    if of.gate is None:
        return
    provenance = sealed(of).provenance
    of.gate(form) if provenance is None else of.gate(form, provenance)


def sealed_file(
    provenance: Provenance | None,
    sealer: Sealer | None,
    made: bytes,
    suffix: str,
    drawing: Mapping[str, Any] | None = None,
) -> bytes:
    """Return a file with a provenance in it; sealed, where there is what seals it.

    `drawing` is how it was drawn into the file, which is said where it is sealed.
    """
    if provenance is None:
        return made
    if sealer is not None:
        rest = hashlib.sha256(made).digest()
        told = replace(provenance, drawing=drawing) if drawing else provenance
        provenance = told.sealed_file(sealer.key, rest, suffix)
    return with_words(made, suffix, provenance.to_text())


def released(of: Sealable, form: str, make: Callable[[], str | bytes], suffix: str = "") -> bytes:
    """Return a file of something, made and sealed once it may be released."""
    whole = sealed(of)
    ask_to_leave(whole, form)
    made = make()
    data = made.encode() if isinstance(made, str) else made
    return sealed_file(whole.provenance, whole.sealer, data, suffix or f".{form}")


def json_of(plain: Mapping[str, Any], provenance: Provenance | None) -> str:
    """Return plain values as JSON, with their provenance where they have one."""
    held = {} if provenance is None else {"provenance": provenance.to_plain()}
    return json.dumps({**plain, **held}, allow_nan=False, ensure_ascii=False)


# --- words in the metadata of a file, put there and taken out again to the byte ------------------

# Without them the file is as it was before, so it can be told whether anything else was changed. A
# PNG has them in a text chunk, an SVG in a `metadata` element, a page in a block of data, a text in
# its last line, LaTeX in a comment there, and a PDF in its Info dictionary, by an update at its end
# as PDF has them. CSV has them in a column (`csv_words`). A Parquet file is read and written in
# `parquet_words`, for it may be large.

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
