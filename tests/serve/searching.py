"""Looks for canaries in bytes: as text, as numbers, encoded, and within compressed streams."""

from __future__ import annotations

import base64
import binascii
import html
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote_to_bytes

import numpy as np

__all__ = ["Canaries", "inner"]

DEEPEST = 4
MOST = 32 * 1024 * 1024  # bytes of one stream
ZLIB = re.compile(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08")
BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}={0,2}")
PNG = b"\x89PNG\r\n\x1a\n"
SHOWN = re.compile(rb"\[((?:[^\[\]\\]|\\.)*)\]\s*TJ")  # text of a PDF, kerned between its letters
IN_BRACKETS = re.compile(rb"\(((?:[^()\\]|\\.)*)\)")
NUMBER = re.compile(rb"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
DIGITS = 6
DIGEST = re.compile(rb"(?<![0-9A-Za-z])[0-9a-f]{32,64}(?![0-9A-Za-z])")


@dataclass(frozen=True)
class Canaries:
    """What nothing that leaves may hold.

    Parameters
    ----------
    texts : sequence of str
        In any case, and in any of the usual encodings.
    numbers : sequence of float
        To six significant digits in any notation, or as a binary number.
    exact : sequence of float
        To ten digits alone: there are so many that six of them meet by chance.
    """

    texts: Sequence[str]
    numbers: Sequence[float] = ()
    exact: Sequence[float] = ()

    def found(self, data: bytes | str, digits: int = DIGITS) -> list[str]:
        """Say which canaries data hold, in whatever is packed into them too.

        Parameters
        ----------
        data : bytes or str
            Whatever it is.
        digits : int, default 6
            To how many a number has to be told; a drawing has so many coordinates that some meet
            a planted number to six by chance.
        """
        whole = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        return sorted({it for stream in inner(whole) for it in self._in(stream, digits)})

    def _in(self, data: bytes, digits: int) -> Iterator[str]:
        low = data.lower()
        for text, shapes, cased in self._shapes:
            if any(shape in low for shape in shapes) or any(shape in data for shape in cased):
                yield text
        for number, packed in self._packed:
            if any(one in data for one in packed):
                yield f"{number!r} in binary"
        if self.numbers or self.exact:
            yield from self._numbers_in(data, digits)

    def _numbers_in(self, data: bytes, least: int) -> Iterator[str]:
        words = [it for it in NUMBER.findall(DIGEST.sub(b"", data)) if 5 <= len(it) <= 40]
        if not words:
            return
        size = np.abs(np.array([float(it) for it in words]))
        digits = np.array([_digits(it) for it in words])
        for known, most in ((self._far, least), (self._close, 10)):
            if len(known) == 0:
                continue
            place = np.clip(np.searchsorted(known, size), 1, max(len(known) - 1, 1))
            beside = np.stack([known[place - 1], known[np.minimum(place, len(known) - 1)]])
            near = 0.5 * 10.0 ** (np.floor(np.log10(np.maximum(beside, 1e-300))) + 1 - most)
            hit = (np.abs(beside - size) <= near).any(axis=0)
            for i in np.flatnonzero(hit & (digits >= most)):
                yield f"the number {words[i].decode()}"

    @cached_property
    def _far(self) -> np.ndarray:
        return np.sort(np.abs(np.array(self.numbers, dtype=float)))

    @cached_property
    def _close(self) -> np.ndarray:
        return np.sort(np.abs(np.array(self.exact, dtype=float)))

    @cached_property
    def _shapes(self) -> list[tuple[str, list[bytes], list[bytes]]]:
        return [(text, *_shapes_of(text)) for text in self.texts]

    @cached_property
    def _packed(self) -> list[tuple[float, list[bytes]]]:
        formats = ("<d", ">d", "<f", ">f")
        return [(it, [struct.pack(one, it) for one in formats]) for it in self.numbers]


def inner(data: bytes, deep: int = 0) -> Iterator[bytes]:
    """Give data, and all that can be unpacked from them."""
    yield data
    if deep == DEEPEST:
        return
    for packed in {it for it in _unpacked(data) if it and it != data}:
        yield from inner(packed, deep + 1)


def _unpacked(data: bytes) -> Iterator[bytes]:
    if data.startswith(PNG):
        yield from _png(data)
        return
    for place in (it.start() for it in ZLIB.finditer(data)):
        try:
            yield zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data[place:], MOST)
        except zlib.error:
            continue
    for run in BASE64.findall(data):
        plain = run.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
        plain = plain[: len(plain) - (len(plain) % 4 == 1)]
        try:
            decoded = base64.b64decode(plain + b"=" * (-len(plain) % 4))
        except (ValueError, binascii.Error):
            continue
        yield decoded
    if b"TJ" in data:
        yield b" ".join(b"".join(IN_BRACKETS.findall(line)) for line in SHOWN.findall(data))
    if b"%" in data:
        yield unquote_to_bytes(data)
    if b"&" in data:
        yield html.unescape(data.decode("latin-1")).encode("latin-1", "replace")
    if b"\\u" in data:
        yield re.sub(rb"\\u00([0-9a-fA-F]{2})", lambda it: bytes([int(it[1], 16)]), data)


def _png(data: bytes) -> Iterator[bytes]:
    """Give the chunks of a PNG, and its points unpacked."""
    place, points = len(PNG), b""
    while place + 8 <= len(data):
        (length,), kind = struct.unpack(">I", data[place : place + 4]), data[place + 4 : place + 8]
        chunk = data[place + 8 : place + 8 + length]
        points += chunk if kind == b"IDAT" else b""
        if kind != b"IDAT":
            yield kind + chunk
        place += length + 12
    yield zlib.decompress(points)
    yield data[place:]


def _shapes_of(text: str) -> tuple[list[bytes], list[bytes]]:
    """Return how a text looks in bytes: without regard to case, and where case matters."""
    low = text.lower()
    plain = [low.encode("utf-8"), low.encode("utf-16-le"), low.encode("utf-16-be")]
    plain += [low.encode().hex().encode(), text.encode().hex().encode()]
    cased = []
    for said in {text, low, text.upper()}:
        for shift in range(3):
            # Of a text in the middle of others those letters that it alone settles.
            coded = base64.b64encode(b"\0" * shift + said.encode())
            cased.append(coded[(0, 2, 3)[shift] : len(coded) - 4])
    return plain, [it for it in cased if len(it) >= 8]


def _digits(word: bytes) -> int:
    mantissa = re.split(rb"[eE]", word)[0]
    return len(re.sub(rb"[^\d]", b"", mantissa).lstrip(b"0"))
