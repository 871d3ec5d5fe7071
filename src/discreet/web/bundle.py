"""The rows of a protected copy as bytes that a browser reads as typed arrays.

`b"dscr"`, the length of the header (four bytes, the lowest first), the header (JSON, filled with
spaces so that what follows begins at a multiple of 8), then each column at a multiple of 8. All
numbers have their lowest byte first.

A column of numbers is stored as whole numbers over a power of ten where that gives back the very
same floats, else as floats; a column of levels as their places. A missing value is NaN, the least
of the whole numbers, or the largest place of its type.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.errors import InputError

MARK = b"dscr"
STEP = 8
"""Header and columns begin at multiples of so many bytes, as typed arrays need it."""
POWERS = tuple(10**i for i in range(10))
LOOK = 1000
"""So many values are tried first: most columns of decimals are told by them."""
WHOLE: tuple[type[np.signedinteger[Any]], ...] = (np.int8, np.int16, np.int32)
MOST_LEVELS = np.iinfo(np.uint16).max
"""One place is for missing levels."""


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers, NaN where one is missing; of `dates` they are days since 1970-01-01."""

    name: str
    values: Floats
    dates: bool = False


@dataclass(frozen=True)
class LevelColumn:
    """A column of levels: the place of each row's among `levels`, and -1 where it has none.

    Levels that are `coded` are stored as numbers, and an expression may take them as such.
    """

    name: str
    places: NDArray[np.integer]
    levels: tuple[str, ...]
    coded: bool = False


def bundle(version: str, columns: Sequence[NumberColumn | LevelColumn]) -> bytes:
    """Return columns of as many rows each, of a version of the copy, as bytes.

    Examples
    --------
    >>> found = bundle("a1", [NumberColumn("age", np.array([41.0, 7.5]))])
    >>> found[:4], len(found) % 8, b'"type": "i2", "per": 10, "at": 0' in found
    (b'dscr', 0, True)
    """
    sizes = {len(it.values if isinstance(it, NumberColumn) else it.places) for it in columns}
    if len(sizes) > 1:
        raise InputError("the columns of a bundle have as many rows each")
    described, parts, at = [], [], 0
    for column in columns:
        of, array = _numbers(column) if isinstance(column, NumberColumn) else _levels(column)
        data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        described.append({"name": column.name, "kind": of.pop("kind"), **of, "at": at})
        parts.append(_filled(data, b"\0"))
        at += len(parts[-1])
    told = {"rows": max(sizes, default=0), "version": version, "columns": described}
    # ASCII alone, so that no name can be one that UTF-8 has no bytes for.
    header = json.dumps(told).encode("ascii")
    header += b" " * (-(len(MARK) + 4 + len(header)) % STEP)
    return b"".join([MARK, len(header).to_bytes(4, "little"), header, *parts])


def _filled(data: bytes, by: bytes) -> bytes:
    return data + by * (-len(data) % STEP)


Stored = tuple[dict[str, Any], NDArray[Any]]


def _numbers(column: NumberColumn) -> Stored:
    told: dict[str, Any] = {"kind": "number"}
    if column.dates:
        told["dates"] = True
    found = _as_whole(column.values)
    if found is None:
        return {**told, "type": "f8"}, column.values.astype(np.float64, copy=False)
    whole, per = found
    known = ~np.isnan(column.values)
    most = float(np.abs(whole[known]).max(initial=0.0))
    kind = next(it for it in WHOLE if most <= np.iinfo(it).max)
    array = np.full(len(whole), np.iinfo(kind).min, dtype=kind)
    array[known] = whole[known].astype(kind)
    return {**told, "type": f"i{array.itemsize}", "per": per}, array


def _as_whole(values: Floats) -> tuple[Floats, int] | None:
    """Return whole numbers and the power of ten over which they are the same floats, if any."""
    if np.isinf(values).any() or (np.signbit(values) & (values == 0)).any():
        return None
    known = values[~np.isnan(values)]
    for per in POWERS:
        if _is_whole(known[:LOOK], per) and _is_whole(known, per):
            return np.rint(values * per), per
    return None


def _is_whole(values: Floats, per: int) -> bool:
    """Whether values are whole numbers of 32 bits over a power of ten, to the last bit."""
    with np.errstate(over="ignore"):
        found = np.rint(values * per)
    small = bool((np.abs(found) <= np.iinfo(np.int32).max).all())
    return small and bool((found / per == values).all())


def _levels(column: LevelColumn) -> Stored:
    if len(column.levels) > MOST_LEVELS:
        raise InputError(f"column {column.name!r} has more than {MOST_LEVELS:,} levels")
    kind: type[np.unsignedinteger[Any]] = np.uint8
    if len(column.levels) >= np.iinfo(np.uint8).max:
        kind = np.uint16
    missing = np.iinfo(kind).max
    array = np.where(column.places < 0, missing, column.places).astype(kind)
    name = f"u{array.itemsize}"
    coded = {"coded": True} if column.coded else {}
    return {"kind": "level", "type": name, "levels": [*column.levels], **coded}, array
