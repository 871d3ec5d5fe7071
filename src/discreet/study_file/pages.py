"""What the pages of a Parquet file say of themselves, read before anything of them is unpacked.

A page says how large it is once it is unpacked, and whoever unpacks it takes that much memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from discreet.errors import InputError
from discreet.study_file.thrift import Reader

DATA, DICTIONARY = 0, 2
"""The two kinds of pages that are written."""
HEAD_BYTES = 256
"""A head without statistics is shorter."""
OF_KIND = {DATA: 5, DICTIONARY: 7}
"""In which field a head tells of a page of its kind; no head has other fields than these."""
BESIDE: dict[Any, tuple[dict[int, Any], ...]] = {
    DATA: ({3: 3, 4: 3}, {3: 3, 4: 3, 5: {}}),
    DICTIONARY: ({}, {3: 0}, {3: 1}),
}
"""What a head may tell beside the number of values and their encoding: how it is said which are
missing, and statistics that are empty; whether a dictionary is in order."""
LARGEST = 2**31 - 1


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
        reader = Reader(read(start, min(HEAD_BYTES, end - start)))
        page = _page(reader.fields())
        start += reader.at + page.packed
        yield page
    if start != end:
        raise InputError("the pages of a column do not end where it does")


def _page(fields: Any) -> Page:
    """Return what a head says; refuse one that says too little or too much."""
    kind = fields.get(1)
    place = OF_KIND.get(kind) if isinstance(kind, int) else None
    of = fields.get(place)
    if set(fields) != {1, 2, 3, place} or not isinstance(of, dict):
        raise InputError("a page is of a kind that is not written")
    beside = {key: value for key, value in of.items() if key > 2}
    if beside not in BESIDE[kind]:
        raise InputError("a page says too little or too much")
    numbers: tuple[Any, ...] = (kind, fields[2], fields[3], of.get(1), of.get(2))
    if not all(isinstance(it, int) and 0 <= it <= LARGEST for it in numbers):
        raise InputError("a page says no size")
    return Page(*numbers)
