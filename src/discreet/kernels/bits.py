"""Rows of bits: which pixels of a row are occupied, and which of those comes next.

Rows are an array (h, words, 3) of 64 bits; column j of row i is bit j & 63 of word j >> 6. The
first of the three says what is set now, the second what was set at first, the third how many
were set at first in all words before. Words are signed, for numba makes a float of a signed and
an unsigned number; no bit is lost by that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

__all__ = ["FAR", "clear_bit", "first_from", "last_to", "merged_in", "place_of", "rows_of_bits"]

Whole = NDArray[np.int64]
Short = NDArray[np.int32]
Function = TypeVar("Function", bound=Callable[..., Any])

FAR = 1 << 30
"""As far as no column is: where nothing is found."""


def merged_in(function: Function) -> Function:
    """Compile `function` into those that call it, as one with them.

    A loop that calls nothing need not count the references to the arrays it works on, which
    takes longer than what is done with them here.
    """
    return cast("Function", numba.njit(forceinline=True, nogil=True)(function))


def _instruction(name: str, *flags: int) -> Callable[[int], int]:
    """Return one instruction of the processor that counts bits of a word."""

    def typed(context: Any, word: Any) -> tuple[Any, Any]:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            constants = [context.get_constant(types.boolean, flag) for flag in flags]
            return getattr(builder, name)(arguments[0], *constants)

        return types.int64(types.int64), generate

    return cast("Callable[[int], int]", intrinsic(typed))


_zeros_below = _instruction("cttz", 0)
_zeros_above = _instruction("ctlz", 0)
_ones = _instruction("ctpop")


@kernel
def rows_of_bits(pixels: Short, height: int, width: int) -> Whole:
    """Return rows in which pixels (b, 2), row and column, are set; they are sorted."""
    rows = np.zeros((height, (width + 63) >> 6, 3), dtype=np.int64)
    for b in range(len(pixels)):
        rows[pixels[b, 0], pixels[b, 1] >> 6, 0] |= 1 << (pixels[b, 1] & 63)
    place = 0
    for i in range(height):
        for word in range(rows.shape[1]):
            rows[i, word, 1], rows[i, word, 2] = rows[i, word, 0], place
            place += _ones(rows[i, word, 0])
    return rows


@merged_in
def clear_bit(rows: Whole, i: int, j: int) -> None:
    """Clear the bit of row i and column j."""
    rows[i, j >> 6, 0] &= ~(1 << (j & 63))


@merged_in
def place_of(rows: Whole, i: int, j: int) -> int:
    """Return how many bits were set at first before that of row i and column j."""
    return int(rows[i, j >> 6, 2] + _ones(rows[i, j >> 6, 1] & ~(-1 << (j & 63))))


@merged_in
def first_from(rows: Whole, i: int, j: int) -> int:
    """Return the first column from j on, 0 or more, that is set in row i, else `FAR`."""
    at = j >> 6
    if at >= rows.shape[1]:
        return FAR
    word = rows[i, at, 0] & (-1 << (j & 63))
    while word == 0:
        at += 1
        if at == rows.shape[1]:
            return FAR
        word = rows[i, at, 0]
    return (at << 6) + _zeros_below(word)


@merged_in
def last_to(rows: Whole, i: int, j: int) -> int:
    """Return the last column up to j, which is one of the row's or -1, that is set, else `-FAR`."""
    if j < 0:
        return -FAR
    at = j >> 6
    word = rows[i, at, 0] & ~((-1 << (j & 63)) << 1)
    while word == 0:
        at -= 1
        if at < 0:
            return -FAR
        word = rows[i, at, 0]
    return (at << 6) + 63 - _zeros_above(word)
