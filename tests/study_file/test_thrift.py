"""The compact protocol of Thrift: what it says, and that nothing in it takes much memory."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.study_file.parquet import STRUCT, Reader

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


@pytest.mark.parametrize(("data", "fields"), READ.values(), ids=READ)
def test_fields_are_read(data: bytes, fields: object) -> None:
    reader = Reader(data)
    assert reader.fields() == fields
    assert reader.at == len(data)


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
