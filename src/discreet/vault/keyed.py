"""Rows and their keys: the keyed digest of each, its partition, and what its noise hangs on.

Nothing here holds the secret: its key was derived of it for one table and one way to protect it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arguments import Labels
from discreet.columns import Rows
from discreet.errors import InputError
from discreet.keys import BLOCK, Column, Keys, coded, row_digests, row_keys, total
from discreet.secret import DerivedKey, Secret, encrypted
from discreet.table import Table

Columns = dict[str, Any]
"""Columns as `Table.in_parts` gives them: floats, and DictionaryArrays of texts."""


def digest_of(secret: Secret, purpose: str, keys: Keys, *parts: bytes) -> bytes:
    """Return what stands for rows in any order, and for what else decides on a version."""
    return secret.digest(f"{purpose} 2", *parts, len(keys).to_bytes(8, "little"), total(keys))


def rows_with_key(
    table: Table,
    names: Sequence[str],
    texts: Sequence[str] = (),
    levels: Sequence[str] = (),
    gaps: Sequence[str] = (),
) -> Rows:
    """Read rows, with the declared key among the texts or numbers."""
    if table.key is None:
        return table.rows(names, texts, levels, gaps)
    if table.columns[table.key].kind == "continuous":
        return table.rows([*names, table.key], texts, levels, gaps)
    return table.rows(names, [*texts, table.key], levels, gaps)


def keys_of(secret: Secret, rows: Rows, key: str | None) -> Keys:
    """Return each record's key: of the declared `key` column, else of all its values.

    Whose it is is one of them, where some person has several.
    """
    columns: list[Column]
    if key is None:
        columns = [*rows.numbers.values(), *rows.texts.values()]
        if rows.persons is not None:
            columns.append(tuple(rows.names[i] for i in rows.persons.tolist()))
    else:
        columns = [rows.numbers[key] if key in rows.numbers else rows.texts[key]]
        _check_key(key, columns[0])
    return row_keys(secret, columns)


def _check_key(name: str, column: Column) -> None:
    """Refuse a key column that has a value twice."""
    if isinstance(column, np.ndarray):
        different = len(np.unique(column))
    else:
        different = len(np.unique(coded(column)[1]))
    if different != len(column):
        raise InputError(
            f"key column {name!r} holds a value twice; a key is different in every row"
        )


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

    def version(self, own: DerivedKey) -> bytes:
        """Return which copy of the rows is made under a key of its own."""
        return own.secret.digest("version", self.rows.to_bytes(8, "little"), self.summed)


@dataclass(frozen=True, repr=False)
class Keyed:
    """How the rows of one large table are keyed, in whatever process.

    Parameters
    ----------
    numbers, texts : tuple of str
        The columns, whose values together are a row.
    own : DerivedKey
        What digests and noise of this table are keyed by.
    unit : str or None
        Who a row belongs to, one of the columns: all rows of a person go to one place.
    key : str or None
        What tells rows apart, one of the columns; rows without it are left out.
    """

    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    own: DerivedKey
    unit: str | None = None
    key: str | None = None

    @staticmethod
    def of(
        table: Table,
        own: DerivedKey,
        unit: str | None,
        numbers: Sequence[str],
        texts: Sequence[str],
    ) -> Keyed:
        """Return how rows of some columns are keyed, with who they belong to and their key."""
        more = {name for name in (table.key, unit) if name is not None}
        counted = sorted(name for name in more if table.is_number(name))
        named = sorted(more - {*counted})
        return Keyed((*numbers, *counted), (*texts, *named), own, unit, table.key)

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

    def placing_of_repeats(self, digests: Keys, repeat: Labels) -> Keys:
        """Return what places rows of which so many of the same digest came before."""
        marked = digests.copy()
        marked[:, 0] ^= repeat.astype(np.uint64)
        key = self.own.secret.digest("repeated")[:BLOCK]
        return np.where(repeat[:, None] > 0, encrypted(key, marked), digests)

    def keys(self, rows: Columns) -> Keys:
        """Return the key of each row of a partition, no two alike."""
        keyed = [rows[name] for name in (*self.numbers, *self.texts)]
        if self.key is not None:
            keyed = [rows[self.key]]
            _check_key(self.key, keyed[0])
        return row_keys(self.own.secret, keyed)

    def noise(self, version: bytes, place: int) -> bytes:
        """Return which noise a partition has: one of its own."""
        return self.own.secret.digest("partition", version, place.to_bytes(8, "little"))


def unit_of(table: Table) -> str | None:
    """Return the column that says who a row belongs to, where persons have several rows."""
    return table.unit if table.persons_repeat() else None


def places(placing: Keys, partitions: int | Labels) -> Labels:
    """Return the partition, of so many (of each row), that digests place rows in."""
    # 32 bits of 128, apart from those that order rows.
    chance = placing[:, 1] & np.uint64(0xFFFFFFFF)
    return ((chance * np.asarray(partitions, dtype=np.uint64)) >> np.uint64(32)).astype(np.intp)


def persons_of(column: Any) -> Labels:
    """Return whose each row is, as a place among the persons."""
    if isinstance(column, np.ndarray):
        return np.unique(column, return_inverse=True)[1]
    return np.asarray(column.indices).astype(np.intp)
