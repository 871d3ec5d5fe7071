"""The compact protocol of Thrift, in which Parquet says what is where: read byte by byte.

What reads it for Parquet itself (pyarrow) was not made for what strangers write: an unknown number
in a footer ends the whole process. Here every mistake is an InputError, and no list is longer and
no struct deeper than what reads it asks for.
"""

from __future__ import annotations

from collections.abc import Iterator

from discreet.errors import InputError

STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT = (*range(10), 12)
WHOLE = (I16, I32, I64)
MOST_VARINT = 10
"""Bytes of a number of 64 bits."""
DEEPEST, LONGEST = 5, 16
"""Structs and lists may lie so deep in one another, and lists may be so long."""

Fields = dict[int, "int | bytes | tuple[object, ...] | Fields"]


class Reader:
    """Reads bytes from a place on, which goes ahead; InputError where they are no Thrift."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def heads(self) -> Iterator[tuple[int, int]]:
        """Give number and type of each field of a struct; whoever asks reads its value."""
        last = 0
        while (head := self._byte()) != STOP:
            last = last + (head >> 4) if head >> 4 else self.number()
            yield last, head & 15

    def fields(self, deep: int = DEEPEST) -> Fields:
        """Return the fields of a struct by their numbers; refuse one that stands twice."""
        found: Fields = {}
        for number, kind in self.heads():
            if number in found:
                raise _no_thrift()
            found[number] = self._value(kind, deep)
        return found

    def length(self, kind: int, expected: int) -> int:
        """Return how long a list is whose values are of a type; refuse another length."""
        found, of = self._list_head()
        if of != kind or found != expected:
            raise _no_thrift()
        return found

    def number(self) -> int:
        """Return a number in as many bytes as it takes, its sign in the last bit."""
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def text(self) -> bytes:
        """Return bytes that say how many they are."""
        size = self._unsigned()
        self.at += size
        if self.at > len(self._data):
            raise _no_thrift()
        return self._data[self.at - size : self.at]

    def value(self, kind: int, longest: int = LONGEST) -> object:
        """Return a value of a type; a list may be so long, and lists in it sixteen values."""
        if kind != LIST:
            return self._value(kind, DEEPEST)
        length, of = self._list_head()
        if length > longest:
            raise _no_thrift()
        return tuple(self._value(of, DEEPEST) for _ in range(length))

    def _value(self, kind: int, deep: int) -> int | bytes | tuple[object, ...] | Fields:
        if kind in (TRUE, FALSE):
            return int(kind == TRUE)
        if kind == BYTE:
            return self._byte()
        if kind in WHOLE:
            return self.number()
        if kind == BINARY:
            return self.text()
        if kind == STRUCT and deep:
            return self.fields(deep - 1)
        if kind == LIST and deep:
            length, of = self._list_head()
            if length > LONGEST:
                raise _no_thrift()
            return tuple(self._value(of, deep - 1) for _ in range(length))
        raise _no_thrift()

    def _list_head(self) -> tuple[int, int]:
        """Return how many values a list has, and their type."""
        head = self._byte()
        return (self._unsigned() if head >> 4 == 15 else head >> 4), head & 15

    def _unsigned(self) -> int:
        number = 0
        for place in range(MOST_VARINT):
            byte = self._byte()
            number |= (byte & 127) << 7 * place
            if byte < 128:
                return number
        raise _no_thrift()

    def _byte(self) -> int:
        self.at += 1
        if self.at > len(self._data):
            raise _no_thrift()
        return self._data[self.at - 1]


def _no_thrift() -> InputError:
    return InputError("what it says of itself cannot be read")
