"""Words in the footer of a Parquet file, put there and taken out again without reading it whole.

A file may be larger than memory. So it is written with words of the same length in their place,
read once as a stream, and what is to be said is then put where these stand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

from discreet.errors import BrokenPromiseError, InputError
from discreet.render.sealing import NAME

PARQUET = ".parquet"
MAGIC = b"PAR1"
END = 8
"""Bytes at the end: how long the footer is, and the letters that each such file ends with."""
LONGEST_FOOTER = 2**28
"""Bytes; the footer of a longer one is not read."""
FIELD = b"\x18"
"""How a text begins in a footer (Thrift's compact protocol): one field after the last."""
KEY = FIELD + bytes([len(NAME)]) + NAME.encode() + FIELD
FIRST = b'{"schema": '
"""How the words begin; a name or a level of the table could read as the key."""
MOST_OF_LENGTH, TOO_LONG = 5, 2**40
"""Bytes of a length, and what stands for one of more: no footer holds so much."""
CHUNK = 2**20


class Worded(NamedTuple):
    """What a Parquet file says of itself, and where; and the SHA-256 of the rest, and of all."""

    words: str | None
    at: int
    rest: bytes
    digest: str


def read_words(path: Path) -> Worded:
    """Read the words of a Parquet file, and digests of the file as a stream."""
    with path.open("rb") as file:
        try:
            at, words = _find(file)
            text = None if words is None else words.decode("ascii")
        except ValueError:
            raise InputError("this is not a Parquet file, or it is damaged") from None
        rest, digest = _digests(file, at, words or b"")
    return Worded(text, at, rest, digest)


def put_words(path: Path, before: Worded, words: str) -> None:
    """Put words where others of the same length were read."""
    new = words.encode("ascii")
    if not before.words or len(new) != len(before.words):
        raise BrokenPromiseError(
            "a Parquet file was written with another footer than is known; please report this"
        )
    with path.open("r+b") as file:
        file.seek(before.at)
        file.write(new)


def _find(file: IO[bytes]) -> tuple[int, bytes | None]:
    """Return where the words stand in the footer, and the words; nothing where they do not."""
    size = file.seek(0, 2)
    file.seek(0)
    begins = file.read(len(MAGIC))
    file.seek(max(size - END, 0))
    end = file.read(END)
    long = int.from_bytes(end[:4], "little")
    if begins != MAGIC or end[4:] != MAGIC or not 0 < long <= min(size - END - 4, LONGEST_FOOTER):
        raise ValueError
    start = size - END - long
    file.seek(start)
    footer = file.read(long)
    found = [*islice(_places(footer), 2)]
    if not found:
        return 0, None
    if len(found) > 1:  # another reader might take the other one: they are words that nobody wrote
        return 0, b""
    first, last = found[0]
    return start + first, footer[first:last]


def _places(footer: bytes) -> Iterator[tuple[int, int]]:
    """Yield from where to where words stand in a footer."""
    at = footer.find(KEY)
    while at >= 0:
        begin, many = _length(footer, at + len(KEY))
        if footer.startswith(FIRST, begin) and begin + many <= len(footer):
            yield begin, begin + many
        at = footer.find(KEY, at + 1)


def _length(footer: bytes, at: int) -> tuple[int, int]:
    """Read a length of seven bits a byte, the lowest first; return where it ends, and it."""
    many = 0
    for place, byte in enumerate(footer[at : at + MOST_OF_LENGTH]):
        many |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return at + place + 1, many
    return at, TOO_LONG


def _digests(file: IO[bytes], at: int, words: bytes) -> tuple[bytes, str]:
    """Return SHA-256 of all but the words, and of all, of a file that is read once."""
    rest = hashlib.sha256()
    file.seek(0)
    if not words:
        _add(rest, file, None)
        return rest.digest(), rest.hexdigest()
    _add(rest, file, at)
    whole = rest.copy()
    file.seek(at + len(words))
    tail = file.read()  # what is left of the footer
    rest.update(tail)
    whole.update(words + tail)
    return rest.digest(), whole.hexdigest()


def _add(digest: hashlib._Hash, file: IO[bytes], many: int | None) -> None:
    """Add so many bytes of a file to a digest, or all that follow."""
    while many is None or many > 0:
        part = file.read(CHUNK if many is None else min(CHUNK, many))
        if not part:
            return
        digest.update(part)
        many = None if many is None else many - len(part)
