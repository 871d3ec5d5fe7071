"""A kernel that cuts the ordered values of a column into blocks of people."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

Whole = NDArray[np.int64]


@kernel
def blocks_of(
    value: Whole,
    alone: NDArray[np.bool_],
    weights: Whole,
    sizes: Whole,
    least: int,
    ends: tuple[int, int],
) -> Whole:
    """Return the block of each row of ordered values, -1 for rows too few to be one.

    `value` (n) is which of the different values each row has, rising, `alone` (n) whether that is a
    block of its own, `weights` (n) what rows weigh. `sizes` are what blocks weigh at the least, one
    after the other; one for each `least` of weight, which is what a block weighs that takes what is
    left; `ends` are for the first and the last block. Rows between two values of their own that
    weigh less than the next block are too few, and so are those at an end that weigh less than
    that.
    """
    n = len(value)
    out = np.full(n, -1, dtype=np.int64)
    block, drawn, i = 0, 0, 0
    while i < n:
        j = i
        if alone[i]:
            while j < n and value[j] == value[i]:
                out[j] = block
                j += 1
            block += 1
            i = j
            continue
        rest = 0
        while j < n and not alone[j]:
            rest += weights[j]
            j += 1
        last = ends[1] if j == n else least
        want = ends[0] if i == 0 else sizes[drawn]
        if rest < (last if j == n and i > 0 else want):
            i = j
            continue
        acc = 0
        for row in range(i, j):
            if acc >= want and rest >= last:
                block += 1
                drawn += 1
                acc = 0
                want = sizes[drawn]
            out[row] = block
            acc += weights[row]
            rest -= weights[row]
        block += 1
        drawn += 1
        i = j
    return out
