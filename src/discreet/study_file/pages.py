"""What the pages of a Parquet file say of themselves, read before anything of them is unpacked.

A page says how large it is once it is unpacked, and whoever unpacks it takes that much memory. Here
the heads of all pages are read (they are written in the compact protocol of Thrift) and compared
with what the columns can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from discreet.errors import InputError

__all__ = ["DATA", "DICTIONARY", "Page", "read_pages"]

DATA, DICTIONARY = 0, 2
"""The two kinds of pages that are written."""
HEAD_BYTES = 256
"""A head without statistics is shorter."""
DEEPEST, MOST_VARINT = 4, 10
STOP, TRUE, FALSE, BYTE, INT16, INT32, INT64, STRUCT = 0, 1, 2, 3, 4, 5, 6, 12
KIND, UNPACKED, PACKED, OF_DATA, OF_DICTIONARY = 1, 2, 3, 5, 7
VALUES, ENCODING = 1, 2
"""Which fields of a head say what."""

Fields = dict[int, "int | Fields"]


@dataclass(frozen=True)
class Page:
    """What a page says of itself: its kind, bytes unpacked and packed, values and encoding."""

    kind: int
    unpacked: int
    packed: int
    values: int
    encoding: int


def read_pages(read: Callable[[int, int], bytes], start: int, end: int) -> Iterator[Page]:
    """Give what each page says that lies between two places of a file.

    Parameters
    ----------
    read : callable
        Returns bytes from a place on, of a number.
    start, end : int
        Where the first begins, and the last ends.

    Raises
    ------
    InputError
        A head is none, or the pages do not end where they should.
    """
    while start < end:
        head = _Reader(read(start, min(HEAD_BYTES, end - start)))
        try:
            page = _page(head.fields(DEEPEST))
        except (IndexError, KeyError, TypeError):
            raise InputError("the head of a page of Parquet cannot be read") from None
        if page.packed < 0 or page.unpacked < 0 or page.values < 0:
            raise InputError("a page of Parquet says a size below 0")
        start += head.at + page.packed
        yield page
    if start != end:
        raise InputError("the pages of Parquet do not end where their column does")


def _page(fields: Fields) -> Page:
    """Return what a head says; KeyError or TypeError where it says too little."""
    of = fields[{DATA: OF_DATA, DICTIONARY: OF_DICTIONARY}[_number(fields[KIND])]]
    if isinstance(of, int):
        raise TypeError
    return Page(
        *(_number(fields[it]) for it in (KIND, UNPACKED, PACKED)),
        *(_number(of[it]) for it in (VALUES, ENCODING)),
    )


def _number(value: int | Fields) -> int:
    if not isinstance(value, int):
        raise TypeError
    return value


class _Reader:
    """Reads the compact protocol of Thrift from bytes; IndexError where they end."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def fields(self, deep: int) -> Fields:
        """Return the fields of a struct: numbers, and structs."""
        found: Fields = {}
        last = 0
        while (head := self._byte()) != STOP:
            kind, ahead = head & 15, head >> 4
            last = last + ahead if ahead else self._signed()
            if kind in (TRUE, FALSE):
                found[last] = int(kind == TRUE)
            elif kind == BYTE:
                found[last] = self._byte()
            elif kind in (INT16, INT32, INT64):
                found[last] = self._signed()
            elif kind == STRUCT and deep:
                found[last] = self.fields(deep - 1)
            else:  # lists, texts and fractions: no head that is written has any
                raise TypeError
        return found

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _signed(self) -> int:
        """Return a number in as many bytes as it takes, its sign in the last bit."""
        number = 0
        for place in range(MOST_VARINT):
            byte = self._byte()
            number |= (byte & 127) << 7 * place
            if byte < 128:
                return (number >> 1) ^ -(number & 1)
        raise TypeError
