"""Noise of answers: as large in every answer, and the same wherever the same cell is counted.

**Cell keys.** Each record has a keyed number. A cell's key is the sum of the numbers of the people
in it and of a number of its condition; a function of the secret, the version and that key draws the
cell's noise. So the same cell has the same noise in any table of a version, and one person more or
less has other noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.secret import Secret

Words = NDArray[np.uint64]
DIGITS = 1000
"""A figure is given in steps of about its noise through so many."""


def in_steps(values: Floats, noise: Floats) -> Floats:
    """Return figures without the digits that their noise does not hide.

    A draw has 52 bits: by all digits of a figure it is told which number without noise has a draw
    that leads to it. `noise` follows from what is known to everybody.

    Examples
    --------
    >>> in_steps(np.array([1.23456789, 1.23456789]), np.array([1.0, 40.0]))
    array([1.235, 1.23 ])
    """
    known = np.isfinite(noise) & (noise > 0)
    powers = np.floor(np.log10(np.where(known, noise, 1.0) / DIGITS))
    scale = 10.0 ** np.abs(powers)
    found = np.where(powers < 0, np.rint(values * scale) / scale, np.rint(values / scale) * scale)
    return np.where(known, found, values)


@dataclass(frozen=True, repr=False)
class KeyedNoise:
    """Draws that hang on the secret, the version, what is asked and who is in it alone.

    The records of another version have other noise. `keys` has a keyed digest of each person.
    """

    secret: Secret
    version: bytes
    keys: Words

    def sums(self, cells: Labels, people: Labels, count: int) -> Words:
        """Return the cell keys of `count` cells: sums of their people's keys, each modulo 2^64.

        `cells` and `people` are pairs of a cell and a person in it.
        """
        out = np.zeros((count, 2), dtype=np.uint64)
        for word in range(2):
            np.add.at(out[:, word], cells, self.keys[people, word])
        return out

    def keyed(self, names: Sequence[str], sums: Words) -> Words:
        """Return the cell keys of conditions, by their digests, and of who is in the cells."""
        of_names = [self.secret.digest("cell", self.version, it.encode())[:16] for it in names]
        marks = np.frombuffer(b"".join(of_names), dtype="<u8").reshape(-1, 2)
        return (sums + marks.astype(np.uint64)).astype(np.uint64)

    def uniforms(self, what: str, sums: Words) -> Floats:
        """Return a number between 0 and 1 for each cell key, of what is asked."""
        return self.secret.uniforms(self.version, sums, [f"\0answer {what}"])[:, 0]

    def normals(self, what: str, sums: Words, count: int) -> Floats:
        """Return `count` standard normal numbers for each cell key."""
        names = [f"\0answer {what} {i}" for i in range(count)]
        return self.secret.normals(self.version, sums, names)
