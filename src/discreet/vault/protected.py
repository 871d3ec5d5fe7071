"""Raw rows in, protected ones out: a function of what it is given, in whatever process it runs.

What is given holds no secret. Each partition of a large table is protected by a `Work`, which may
be pickled and sent to another process: it has a key that was derived of the secret for this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.keys import BLOCK, Keys, row_digests, row_keys, total
from discreet.measure.fidelity import Mixed, fidelity
from discreet.measure.fidelity_report import Fidelity
from discreet.protect.whole import MISSING, Draws, Levels, Settings, WholeCopy, whole_copy
from discreet.secret import DerivedKey, encrypted
from discreet.vault.rows import check_key
from discreet.vault.whole_columns import RawWhole, Wanted, raw_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Columns",
    "Outcome",
    "Protected",
    "Total",
    "Work",
    "columns_of_copy",
    "copy_of_whole",
    "nearness_of",
    "protected",
]

Columns = dict[str, Any]
"""Columns as `Table.in_parts` gives them: floats, and DictionaryArrays of texts."""


class Outcome(NamedTuple):
    """What is said of one partition: the columns it left out and why, and how near it is.

    `near` is that of the first partition, None of the others.
    """

    left_out: Mapping[str, str]
    near: Fidelity | None


class Protected(NamedTuple):
    """The protected rows of one partition, and what is said of them."""

    numbers: dict[str, Floats]
    levels: dict[str, tuple[str, ...]]
    outcome: Outcome


@dataclass
class Total:
    """How many rows there are, and the sum of their digests: the same in any order."""

    rows: int = 0
    added: int = 0

    def add(self, digests: Keys) -> None:
        """Add rows."""
        self.rows += len(digests)
        self.added += int.from_bytes(total(digests), "little")

    @property
    def summed(self) -> bytes:
        """The sum of the digests, modulo 2^128."""
        return (self.added % (1 << 8 * BLOCK)).to_bytes(BLOCK, "little")

    def version(self, work: Work) -> bytes:
        """Return which copy of the rows `work` makes."""
        return work.own.secret.digest("version", self.rows.to_bytes(8, "little"), self.summed)


@dataclass(frozen=True, repr=False)
class Work:
    """How each partition of one large table is found and protected, for whatever process does it.

    Parameters
    ----------
    numbers, texts : tuple of str
        The columns, whose values together are a row.
    wanted : Wanted
        Those that the copy is made of, and how many partitions there are.
    settings : Settings
        What the copy is made with.
    own : DerivedKey
        What digests and noise of this table are keyed by.
    unit : str or None
        Who a row belongs to, one of the columns: all rows of a person are in one partition.
    key : str or None
        What tells rows apart, one of the columns; rows without it are left out.
    """

    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    wanted: Wanted
    settings: Settings
    own: DerivedKey
    unit: str | None = None
    key: str | None = None

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that every row has something in."""
        return () if self.key is None else (self.key,)

    @property
    def placed_by(self) -> str | None:
        """The column that alone says where a row goes: whose it is, or its key."""
        return self.unit or self.key

    def digests(self, rows: Columns) -> Keys:
        """Return the keyed digest of each row."""
        return row_digests(self.own.secret, [rows[name] for name in (*self.numbers, *self.texts)])

    def placing(self, rows: Columns, digests: Keys) -> Keys:
        """Return the digests that say in which partition each row is."""
        if self.placed_by is None:
            return digests
        return row_digests(self.own.secret, [rows[self.placed_by]])

    def places(self, digests: Keys) -> Labels:
        """Return the partition of each digest."""
        # 32 bits of 128, apart from those that order rows.
        chance = digests[:, 1] & np.uint64(0xFFFFFFFF)
        return ((chance * np.uint64(self.wanted.partitions)) >> np.uint64(32)).astype(np.intp)

    def places_of_repeats(self, digests: Keys, repeat: Labels) -> Labels:
        """Return the partition of rows of which so many of the same digest came before."""
        marked = digests.copy()
        marked[:, 0] ^= repeat.astype(np.uint64)
        key = self.own.secret.digest("repeated")[:BLOCK]
        return np.where(repeat > 0, self.places(encrypted(key, marked)), self.places(digests))

    def raw(self, rows: Columns, place: int, version: bytes) -> RawWhole:
        """Return the rows of a partition as what a copy is made of; its noise is its own."""
        keyed = [rows[name] for name in (*self.numbers, *self.texts)]
        if self.key is not None:
            keyed = [rows[self.key]]
            check_key(self.key, keyed[0])
        secret = self.own.secret
        noise = secret.digest("partition", version, place.to_bytes(8, "little"))
        return raw_of(
            self.wanted,
            self.settings,
            {name: rows[name] for name in self.wanted.numbers},
            {name: _levels(rows[name]) for name in self.wanted.levels},
            None if self.unit is None else _persons(rows[self.unit]),
            Draws(secret, noise, row_keys(secret, keyed)),
            version,
        )


def protected(work: Work, rows: Columns, place: int, version: bytes) -> Protected:
    """Protect the rows of one partition, that at `place`, of the copy of a version."""
    raw = work.raw(rows, place, version)
    made = copy_of_whole(raw)
    near = nearness_of(raw, made) if place == 0 else None
    return Protected(*columns_of_copy(made), Outcome(made.left_out, near))


def copy_of_whole(raw: RawWhole) -> WholeCopy:
    """Protect a whole table, or one partition of it."""
    return whole_copy(raw.numbers, raw.levels, raw.draws, raw.settings, raw.persons)


def columns_of_copy(made: WholeCopy) -> tuple[dict[str, Floats], dict[str, tuple[str, ...]]]:
    """Return the numbers of a copy, and its levels as words: the empty text for a missing one."""
    words = {
        name: of._replace(words=tuple("" if it == MISSING else it for it in of.words)).texts()
        for name, of in made.levels.items()
    }
    return dict(made.numbers), words


def nearness_of(raw: RawWhole, made: WholeCopy) -> Fidelity:
    """Measure how near a copy is, in figures that may be released with it."""
    return fidelity(Mixed(raw.numbers, raw.levels), made).rounded(raw.draws, raw.persons)


def _levels(column: pa.DictionaryArray) -> Levels:
    """Return levels in order; the empty text is a missing one."""
    found = Levels.of(column.dictionary.to_pylist())
    return found._replace(codes=found.codes[np.asarray(column.indices)])


def _persons(column: Any) -> Labels:
    """Return whose each row is, as a place among the persons."""
    if isinstance(column, np.ndarray):
        return np.unique(column, return_inverse=True)[1]
    return np.asarray(column.indices).astype(np.intp)
