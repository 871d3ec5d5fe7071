"""The compact protocol of Thrift, and heads of pages by it: what a stranger may write."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.study_file.parquet import STRUCT, Page, Reader, read_pages

READ = {
    "nothing": (b"\0", {}),
    "yes and no": (b"\x11\x12\0", {1: 1, 2: 0}),
    "a number below 0": (b"\x15\x03\0", {1: -2}),
    "a number of two bytes": (b"\x16\x80\x02\0", {1: 128}),
    "fields that are far apart": (b"\x15\2\x05\x50\4\0", {1: 1, 40: 2}),
    "a text": (b"\x48\3age\0", {4: b"age"}),
    "a list": (b"\x29\x25\2\4\0", {2: (1, 2)}),
    "a struct": (b"\x1c\x15\2\0\0", {1: {1: 1}}),
}
REFUSED = {
    "no end": b"\x15\2",
    "a number without an end": b"\x15" + b"\xff" * 20,
    "a text longer than all": b"\x18\x7fage\0",
    "a text of 2^60 bytes": b"\x18" + b"\xff" * 8 + b"\x0f\0",
    "a list of 2^60 values": b"\x19\xf5" + b"\xff" * 8 + b"\x0f\0",
    "a list of 17 structs": b"\x19\xfc\x11" + bytes(18),
    "structs in structs": b"\x1c" * 1_000,
    "lists in lists": b"\x19" * 1_000,
    "a field twice": b"\x15\2\x05\2\4\0",
    "a type that is none": b"\x1d\0",
    "a map": b"\x1b\0\0",
    "a fraction": b"\x17" + bytes(9),
}


def test_fields_are_read() -> None:
    for data, fields in READ.values():
        reader = Reader(data)
        assert (reader.fields(), reader.at) == (fields, len(data))


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_what_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Reader(data).fields()


def test_list_of_another_length_is_refused() -> None:
    assert Reader(b"\x2c").length(STRUCT, 2) == 2
    for data in (b"\x3c", b"\x25", b""):
        with pytest.raises(InputError, match="cannot be read"):
            Reader(data).length(STRUCT, 2)


@pytest.mark.hypothesis
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(InputError):
        Reader(data).fields()


# --- heads of pages ------------------------------------------------------------------------------

# A field is (how far from the last << 4 | its type); a number is doubled, then in 7 bits a byte.
DICTIONARY = bytes(
    [0x15, 4, 0x15, 48, 0x15, 40, 0x4C, 0x15, 6, 0x15, 0, 0x00, 0x00]
)  # kind 2, 24 bytes, 20 packed, 3 values, plain
DATA = bytes(
    [0x15, 0, 0x15, 0xA0, 1, 0x15, 10, 0x2C, 0x15, 0x80, 2, 0x15, 16, 0x15, 6, 0x15, 6, 0, 0]
)  # kind 0, 80 bytes, 5 packed, 128 values, encoding 8
CHUNK = DICTIONARY + bytes(20) + DATA + bytes(5)

NO_PAGES = {
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


@pytest.mark.parametrize("chunk", NO_PAGES.values(), ids=NO_PAGES)
def test_head_that_is_none_is_refused(chunk: bytes) -> None:
    with pytest.raises(InputError, match=r"page|cannot be read"):
        pages(chunk)
