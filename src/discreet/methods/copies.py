"""What a copy of a whole table is asked for with, and what it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.secret import Secret

LEFT_OUT = 0.2
"""The largest share of persons who are left out, where nothing else is asked for."""
OTHER, MISSING = "(other)", ""
"""Rare levels that were joined; and a missing one, whose name no level has."""


@dataclass(frozen=True)
class Settings:
    """How a whole copy is made.

    Parameters
    ----------
    k : int
        How many persons each level stands on at least.
    m : int
        How many persons a leaf, and a block of values, has at least; k or more.
    sensitive : tuple of str
        Columns of that role: they are drawn from leaves of 2 m persons.
    bounds : mapping of str to pair of float
        Between which numbers a column lies.
    parts : mapping of str to int
        Columns whose numbers are whole multiples of one part of so many: those of dates, in days.
    tables : tuple of pairs of str
        Columns of levels whose cross-table is counted (`protect.listed`).
    left_out : float, default 0.2
        The largest share of persons left out, from 0 to .5; the secret says how many are, from
        half of it on.
    """

    k: int
    m: int
    sensitive: tuple[str, ...] = ()
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    parts: Mapping[str, int] = field(default_factory=dict)
    tables: tuple[tuple[str, str], ...] = ()
    left_out: float = LEFT_OUT


class Levels(NamedTuple):
    """A column of levels: the words, and which of them each row has; -1 where it has none."""

    words: tuple[str, ...]
    codes: Labels

    @classmethod
    def of(cls, texts: Sequence[str]) -> Levels:
        """Return a column of texts, of which the empty one is missing; its words are in order."""
        words = sorted({*texts} - {""})
        place = {word: i for i, word in enumerate(words)} | {"": -1}
        return cls(tuple(words), np.array([place[text] for text in texts], dtype=np.intp))

    def texts(self) -> tuple[str, ...]:
        """Return what each row has: the empty text where it has none."""
        words = (*self.words, "")  # the last is at -1
        return tuple(words[code] for code in self.codes.tolist())


def threshold(chance: float, least: int) -> int:
    """Return a whole number of `least` to 2 `least` - 1 for a number between 0 and 1.

    Examples
    --------
    >>> threshold(0.0, 5), threshold(0.99, 5)
    (5, 9)
    """
    return least + int(chance * least)


@dataclass(frozen=True, repr=False)
class Draws:
    """Numbers between 0 and 1 that hang on the secret, the version and the record alone."""

    secret: Secret
    version: bytes
    keys: NDArray[np.uint64]

    @classmethod
    def before_version(cls, secret: Secret) -> Draws:
        """Return draws of no version and no record: of what is decided before there is one."""
        return cls(secret, b"before a version", np.zeros((0, 2), dtype=np.uint64))

    def of_rows(self, *names: str) -> Floats:
        """Return a row for each record and a column for each name."""
        return self.secret.uniforms(self.version, self.keys, [f"\0whole {name}" for name in names])

    def of_table(self, name: str, count: int) -> Floats:
        """Return `count` numbers that hang on no record."""
        places = np.zeros((count, 2), dtype=np.uint64)
        places[:, 0] = np.arange(count)
        key = self.secret.digest("whole", self.version, name.encode())
        return self.secret.uniforms(key, places, ["\0whole"])[:, 0]

    def threshold(self, name: str, least: int) -> int:
        """Return how many persons decide something: `least` to 2 `least` - 1, the secret says.

        So no count of persons is one at which a single person is sure to turn it.
        """
        return threshold(self.of_table(f"threshold {name}", 1)[0], least)

    def taken(self, rows: Labels) -> Draws:
        """Return the draws of some records."""
        return replace(self, keys=self.keys[rows])


@dataclass(frozen=True, eq=False, repr=False)
class WholeCopy:
    """The protected rows, and what the custodian alone may see: whose each row mostly is.

    `numbers` and `levels` hold a column each, in the order of a draw. `source` is which raw row
    gave most of the columns of each, `takes_part` which raw rows anything was drawn from. `persons`
    says which rows belong together as one drawn person's, where persons have several. `far_out`
    says how the means of columns are off that hang on few persons far out: too low, too high or
    off; `joined` for how many levels or more "(other)" of a column stands.
    """

    numbers: Mapping[str, Floats]
    levels: Mapping[str, Levels]
    source: Labels
    takes_part: NDArray[np.bool_]
    left_out: Mapping[str, str]
    persons: Labels | None = None
    far_out: Mapping[str, str] = field(default_factory=dict)
    joined: Mapping[str, int] = field(default_factory=dict)
