"""Tables of text recognised by their lines, though some of these were changed.

A file of CSV has no room for where it comes from. So the register keeps of each that was released a
keyed digest of its first line, and the smallest of the keyed digests of all others: about as many
of them are found again in a changed file as lines were left as they were.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import IO

from discreet.secret import DerivedKey

TABLES = (".csv", ".tsv", ".parquet")
"""How the files of released tables end."""
WORKBOOKS = (".xlsx", ".dta", ".sav")
"""How tables of figures end as files of Excel, Stata and SPSS, known by their digest alone."""
SMALLEST = 64
"""How many digests of lines are kept."""
LONGEST = 2**16
"""Bytes; of a longer line each such part counts as one, so that none fills the memory."""
WIDE = 8
"""Bytes of a digest."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Lines:
    """What a table of text is recognised by: the digest of its first line, and how many follow.

    `smallest` are the smallest different digests of these, in order; empty lines do not count.
    """

    header: int
    rows: int
    smallest: tuple[int, ...]

    def to_bytes(self) -> bytes:
        """Return the digests as the register keeps them."""
        return b"".join(it.to_bytes(WIDE, "big") for it in (self.header, *self.smallest))

    @staticmethod
    def from_bytes(kept: bytes, rows: int) -> Lines:
        """Read what `to_bytes` wrote."""
        starts = range(0, len(kept), WIDE)
        header, *smallest = (int.from_bytes(kept[i : i + WIDE], "big") for i in starts)
        return Lines(header, rows, tuple(smallest))


@dataclass(frozen=True)
class Likeness:
    """How much of a released table of text a file has.

    `header` says whether it has the same first line. It has so many `more` lines, or fewer where
    that is below 0. Of the `of` lines that the register knows, `found` are in it.
    """

    header: bool
    more: int
    found: int
    of: int

    @property
    def is_alike(self) -> bool:
        """Whether the file was made of the table: at least half of the lines are the same.

        Under another header few lines prove nothing: those of a small table may be anybody's.
        """
        return 0 < self.of <= 2 * self.found and (self.header or self.of == SMALLEST)

    @property
    def nearness(self) -> tuple[float, bool, int]:
        """What is larger the more the file is like the table."""
        return self.found / max(self.of, 1), self.header, -abs(self.more)


def lines_of(key: DerivedKey, file: IO[bytes]) -> Lines:
    r"""Return what a table of text is recognised by, read as a stream.

    Examples
    --------
    >>> from io import BytesIO
    >>> from discreet.secret import Secret
    >>> key = Secret.from_bytes(bytes(range(32))).derived("example")
    >>> one = lines_of(key, BytesIO(b"age,sex\n40,f\n51,m\n"))
    >>> likeness(key, BytesIO(b"age,sex\n51,m\n41,f\n60,f\n"), [one])
    [Likeness(header=True, more=1, found=1, of=2)]
    """
    numbers = _digests(key, file)
    header = next(numbers, 0)
    rows, most, smallest = 0, 1 << 8 * WIDE, set[int]()
    for number in numbers:
        rows += 1
        if number < most:
            smallest.add(number)
            if len(smallest) > 2 * SMALLEST:
                smallest = _smallest(smallest)
                most = max(smallest)
    return Lines(header, rows, tuple(sorted(_smallest(smallest))))


def likeness(key: DerivedKey, file: IO[bytes], known: Sequence[Lines]) -> list[Likeness]:
    """Say how much of each of some tables a file has, read as a stream."""
    numbers = _digests(key, file)
    header = next(numbers, 0)
    wanted = frozenset(chain.from_iterable(it.smallest for it in known))
    rows, found = 0, set[int]()
    for number in numbers:
        rows += 1
        if number in wanted:
            found.add(number)
    return [
        Likeness(it.header == header, rows - it.rows, len(found & {*it.smallest}), len(it.smallest))
        for it in known
    ]


def _smallest(numbers: Iterable[int]) -> set[int]:
    return {*sorted(numbers)[:SMALLEST]}


def _digests(key: DerivedKey, file: IO[bytes]) -> Iterator[int]:
    secret = key.secret.digest("lines")
    parts = iter(partial(file.readline, LONGEST), b"")
    first = next(parts, b"").removeprefix(BYTE_ORDER_MARK)
    for part in chain([first], parts):
        line = part.rstrip(b"\r\n")
        if line:
            digest = hashlib.blake2b(line, key=secret, digest_size=WIDE).digest()
            yield int.from_bytes(digest, "big")
