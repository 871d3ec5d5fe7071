"""The shape of a column of numbers: what another unit of measurement leaves as it is.

A linear change (mmol/l for mg/dl, z-scores, another sign) keeps the order of a column's different
values, or turns it round; how often each occurs; and the ratios of the gaps between neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.secret import WORD, Secret, encrypted

__all__ = ["ENDS", "Ends", "ends_of", "run_digests"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Keys = NDArray[np.uint64]

ENDS = 1024
"""So many of the smallest different values of a column are looked at, and of the largest."""
RUN = 5
STEP = 1e-3
"""To this share two ratios of gaps are one: arithmetic in double precision moves them by less."""


@dataclass(frozen=True, repr=False)
class Ends:
    """The smallest and the largest different values of a column, in order, and how often each is.

    They are the same values whatever the order of rows, and change places when signs change; so
    a column of any length is looked at in bounded space.
    """

    low: Floats
    low_counts: Counts
    high: Floats
    high_counts: Counts

    def and_also(self, new: Ends) -> Ends:
        """Return the ends of this and of further rows."""
        low, low_counts = _counted([self.low, new.low], [self.low_counts, new.low_counts])
        high, high_counts = _counted([self.high, new.high], [self.high_counts, new.high_counts])
        return Ends(low[:ENDS], low_counts[:ENDS], high[-ENDS:], high_counts[-ENDS:])

    @property
    def runs(self) -> list[tuple[Floats, Counts]]:
        """The ends as one run of values where they meet, else as two."""
        if len(self.low) < ENDS or self.low[-1] >= self.high[0]:
            values, first = np.unique(np.concatenate([self.low, self.high]), return_index=True)
            return [(values, np.concatenate([self.low_counts, self.high_counts])[first])]
        return [(self.low, self.low_counts), (self.high, self.high_counts)]


def ends_of(values: Floats, known: Ends | None = None) -> Ends:
    """Return the ends of a column, or of part of it.

    Parameters
    ----------
    values : ndarray
        Numbers; those that are not finite do not count.
    known : Ends, optional
        Of other parts of the column: what lies between them need not be looked at.

    Returns
    -------
    Ends
        Of the part, as far as the whole column needs it.
    """
    found = values[np.isfinite(values)]
    if known is not None and len(known.low) == ENDS:
        found = found[(found <= known.low[-1]) | (found >= known.high[0])]
    found = np.sort(found + 0.0)
    starts = np.flatnonzero(_new(found))
    different, counts = found[starts], np.diff(starts, append=len(found))
    return Ends(different[:ENDS], counts[:ENDS], different[-ENDS:], counts[-ENDS:])


def run_digests(secret: Secret, ends: Ends) -> Keys:
    """Return a keyed digest of every few neighbouring values, the same after a linear change.

    It is of how often each of them occurs and of the ratios of the gaps between them, in either
    direction.

    Parameters
    ----------
    secret : Secret
        The custodian's secret.
    ends : Ends
        Of the column.

    Returns
    -------
    ndarray of shape (n, 2)
    """
    found = [_words(values, counts) for values, counts in ends.runs if len(values) >= RUN]
    if not found:
        return np.zeros((0, 2), dtype=WORD)
    key = secret.digest("shape")[:16]
    ratios, counts = (np.concatenate(parts) for parts in zip(*found, strict=True))
    there = _chained(key, np.hstack([ratios, counts]))
    back = _chained(key, np.hstack([-ratios[:, ::-1], counts[:, ::-1]]))
    return there + back


def _words(values: Floats, counts: Counts) -> tuple[Counts, Counts]:
    """Return the ratios of gaps within each few neighbours, as whole steps, and their counts."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        logs = np.log(np.diff(values))
        steps = np.rint(np.diff(logs) / STEP)
    steps = np.nan_to_num(steps, posinf=0.0, neginf=0.0).astype(np.int64)
    window = np.lib.stride_tricks.sliding_window_view
    return window(steps, RUN - 2), window(counts, RUN)


def _chained(key: bytes, words: Counts) -> Keys:
    """Return the CBC-MAC of rows of an even number of words."""
    state = np.zeros((len(words), 2), dtype=WORD)
    for j in range(0, words.shape[1], 2):
        state = encrypted(key, state ^ np.ascontiguousarray(words[:, j : j + 2]).view(WORD))
    return state


def _counted(parts: Sequence[Floats], how_often: Sequence[Counts]) -> tuple[Floats, Counts]:
    """Return the different ones of some values, in order, and how often each is there in all."""
    values, counts = np.concatenate(parts), np.concatenate(how_often)
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    starts = np.flatnonzero(_new(values))
    if not len(starts):
        return values, counts
    return values[starts], np.add.reduceat(counts, starts)


def _new(values: Floats) -> NDArray[np.bool_]:
    """Whether each of some values, in order, is another than the one before."""
    new = np.ones(len(values), dtype=np.bool_)
    new[1:] = values[1:] != values[:-1]
    return new
