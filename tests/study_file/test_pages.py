"""Heads of pages, byte by byte: what is written, and what a stranger may write."""

from __future__ import annotations

import pytest

from discreet.errors import InputError
from discreet.study_file.parquet import Page, read_pages

# A field is (how far from the last << 4 | its type); a number is doubled, then in 7 bits a byte.
DICTIONARY = bytes(
    [0x15, 4, 0x15, 48, 0x15, 40, 0x4C, 0x15, 6, 0x15, 0, 0x00, 0x00]
)  # kind 2, 24 bytes, 20 packed, 3 values, plain
DATA = bytes(
    [0x15, 0, 0x15, 0xA0, 1, 0x15, 10, 0x2C, 0x15, 0x80, 2, 0x15, 16, 0x15, 6, 0x15, 6, 0, 0]
)  # kind 0, 80 bytes, 5 packed, 128 values, encoding 8
CHUNK = DICTIONARY + bytes(20) + DATA + bytes(5)

REFUSED = {
    "cut off in a head": CHUNK[:5],
    "cut off in a page": CHUNK[:-1],
    "a byte more": CHUNK + b"\0",
    "a kind that is none": bytes([0x15, 2, *DATA[2:]]),
    "a size below 0": bytes([0x15, 0, 0x15, 1, *DATA[5:]]),
    "a packed size below 0": bytes([*DATA[:6], 9, *DATA[7:]]),
    "no number of values": bytes([*DATA[:8], 0, 0]),
    "a number of eleven bytes": bytes([0x15, *[0xFF] * 11, 0]),
    "a text": bytes([0x18, 1, 65, 0]),
    "a list": bytes([0x19, 0xF5, 0xFF, 0xFF, 0xFF, 0x7F]),
    "structs in structs": b"\x1c" * 200,
    "a struct where a number is": bytes([0x1C, 0, *DATA[2:]]),
    "a number where a struct is": bytes([*DATA[:7], 0x25, 2, 0]),
}


def pages(chunk: bytes) -> list[Page]:
    return list(read_pages(lambda at, size: chunk[at : at + size], 0, len(chunk)))


def test_pages_say_their_sizes_and_values() -> None:
    assert pages(CHUNK) == [Page(2, 24, 20, 3, 0), Page(0, 80, 5, 128, 8)]


@pytest.mark.parametrize("chunk", REFUSED.values(), ids=REFUSED)
def test_head_that_is_none_is_refused(chunk: bytes) -> None:
    with pytest.raises(InputError, match=r"page|cannot be read"):
        pages(chunk)
