"""The columns of a kept copy in one file that processes map: what one has read, all have.

The processes of a server draw from it, so that a copy takes memory once however many they are, and
none of them holds it. It lies beside the copy and has its rows: of each column of numbers 64-bit
floats, of each of levels their places in 32 bits, the lowest byte first; then, as JSON, what there
is and where, and in the last eight bytes how long that is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.unfinished import being_written, delete_unfinished
from discreet.vault.columns import HELD, Unread
from discreet.vault.stored import batches_in, is_kept, kept_in, kind_of, readable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["mapped"]

SUFFIX = ".columns"
NUMBER, PLACE = np.dtype("<f8"), np.dtype("<i4")
END = 8
WORDS = 32 * 2**20
"""So many bytes of words a process holds: they are made of places, and cannot be shared."""


def mapped(
    path: Path, numbers: Sequence[str], levels: Sequence[str]
) -> tuple[Mapping[str, Floats], Mapping[str, tuple[str, ...]]]:
    """Return columns of numbers and of levels of the copy in a Parquet file.

    They are read from the file beside it, which is written on the first call. A column is mapped
    while somebody uses it; the last few of levels are held as words, where these are not many.
    """
    file = path.with_suffix(SUFFIX)
    if not is_kept(file):
        with kept_in(file.parent):
            delete_unfinished(file.parent, kind_of(file))
            with being_written(file) as out:
                _write(path, numbers, levels, out)
    with readable(file):
        rows, at, words = _description(file, numbers, levels)
    held = min(HELD, WORDS // (8 * max(rows, 1)))
    return (
        Unread(numbers, lambda name: _mapped(file, NUMBER, at[name], rows), 0),
        Unread(levels, lambda name: _words(file, at[name], rows, words[name]), held),
    )


def _write(path: Path, numbers: Sequence[str], levels: Sequence[str], out: IO[bytes]) -> None:
    """Write columns one after the other, a part of one at a time.

    Numbers are first, so that each begins at a multiple of eight.
    """
    at: dict[str, int] = {}
    words: dict[str, list[str]] = {}
    for name in numbers:
        at[name] = out.tell()
        for part in _parts(path, name):
            out.write(np.from_dlpack(part).astype(NUMBER, copy=False).tobytes())
    for name in levels:
        at[name], places = out.tell(), dict[str, int]()
        for part in _parts(path, name):
            out.write(_places(part, places).tobytes())
        words[name] = [*places]
    end = out.tell()
    rows = [*at.values(), end][1] // (NUMBER if numbers else PLACE).itemsize
    told = json.dumps({"rows": rows, "at": at, "end": end, "words": words}).encode()
    out.write(told + len(told).to_bytes(END, "little"))


def _parts(path: Path, name: str) -> Iterator[Any]:
    with readable(path):
        for batch in batches_in(path, [name]):
            yield batch.column(0)


def _places(part: pa.Array, known: dict[str, int]) -> NDArray[np.int32]:
    """Return the place of each word among those that are known, -1 of a missing one."""
    coded = part.dictionary_encode()
    found = [known.setdefault(it, len(known)) for it in coded.dictionary.to_pylist()]
    place: NDArray[np.int32] = np.array([*found, -1], PLACE)
    return place.take(np.asarray(coded.indices.fill_null(len(found))))


def _description(
    file: Path, numbers: Sequence[str], levels: Sequence[str]
) -> tuple[int, dict[str, int], dict[str, list[str]]]:
    """Return how many rows a file has, where each column is, and the words of those of levels."""
    with file.open("rb") as opened:
        opened.seek(-END, os.SEEK_END)
        size = int.from_bytes(opened.read(END), "little")
        end = opened.seek(-END - size, os.SEEK_END)
        told = json.loads(opened.read(size))
    if (told["end"], [*told["at"]], [*told["words"]]) != (end, [*numbers, *levels], [*levels]):
        raise ValueError("the columns are not whole, or those of another copy")
    return told["rows"], told["at"], told["words"]


def _mapped(file: Path, kind: np.dtype[Any], at: int, rows: int) -> NDArray[Any]:
    with readable(file):
        return np.asarray(np.memmap(file, kind, "r", at, (rows,)))


def _words(file: Path, at: int, rows: int, words: Sequence[str]) -> tuple[str, ...]:
    of_place = np.array([*words, ""], dtype=object)
    return tuple(of_place[_mapped(file, PLACE, at, rows)].tolist())
