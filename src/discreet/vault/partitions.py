"""Tables too large to be protected at once: random partitions, each a table of its own.

Which partition a row, or a person, is in is a keyed digest of its values: a random sample that
nobody can foresee, and the same one whatever engine read the rows, in whatever order. Each is
protected by itself, so all that a copy promises holds of each of them, and the copy of the table
is theirs, one after the other. Nothing of one is looked at to protect another.

Rows are read in one pass and written, by partition, into one file that has no name, so that it is
gone with the process, however that ends.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from discreet.arguments import Labels
from discreet.errors import InputError
from discreet.keys import BLOCK, Keys, row_digests, row_keys, total
from discreet.policy import Policy
from discreet.progress import advance
from discreet.protect.whole import Levels
from discreet.secret import Secret
from discreet.table import Table
from discreet.vault.rows import check_key
from discreet.vault.whole_columns import RawWhole, Wanted, raw_of, unreadable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LargeTable"]

Columns = dict[str, Any]
"""Columns as `Table.in_parts` gives them: floats, and DictionaryArrays of texts."""

PURPOSE = "rows of a large table"
READ = "reading the table"


@dataclass(frozen=True)
class Reading:
    """What is read of a table, and into how many partitions its rows go.

    Parameters
    ----------
    numbers, texts : tuple of str
        The columns, whose values together are a row.
    partitions : int
        How many there are.
    unit : str or None
        Who a row belongs to, one of the columns: all rows of a person are in one partition.
    key : str or None
        What tells rows apart, one of the columns; rows without it are left out.
    """

    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    partitions: int
    unit: str | None = None
    key: str | None = None

    def parts(self, table: Table) -> Iterator[Columns]:
        """Read the rows, and say how far it is."""
        seen = 0
        known = () if self.key is None else (self.key,)
        for part in table.in_parts(self.numbers, self.texts, known):
            yield part
            seen += len(next(iter(part.values())))
            advance(READ, seen, table.size)

    def digests(self, secret: Secret, part: Columns) -> Keys:
        """Return the keyed digest of each row."""
        return row_digests(secret, [part[name] for name in (*self.numbers, *self.texts)])

    def places(self, secret: Secret, part: Columns) -> Labels:
        """Return the partition of each row."""
        whose = self.digests(secret, part)
        if self.unit is not None:
            whose = row_digests(secret, [part[self.unit]])
        # 32 bits of 128, apart from those that order rows.
        chance = whose[:, 1] & np.uint64(0xFFFFFFFF)
        return ((chance * np.uint64(self.partitions)) >> np.uint64(32)).astype(np.intp)


def digest_of_rows(table: Table, secret: Secret, reading: Reading, *settings: bytes) -> bytes:
    """Return what stands for all rows, in any order, and for what else decides on a version."""
    rows, added = 0, 0
    for part in reading.parts(table):
        digests = reading.digests(secret, part)
        rows += len(digests)
        added += int.from_bytes(total(digests), "little")
    summed = (added % (1 << 8 * BLOCK)).to_bytes(BLOCK, "little")
    return secret.digest(PURPOSE, *settings, rows.to_bytes(8, "little"), summed)


def one_partition(table: Table, secret: Secret, reading: Reading, place: int) -> Columns:
    """Return the rows of one partition."""
    found: list[Columns] = []
    for part in reading.parts(table):
        rows = np.flatnonzero(reading.places(secret, part) == place)
        found.append({name: _taken(column, rows) for name, column in part.items()})
    return _joined(found)


@contextmanager
def partitioned(
    table: Table, secret: Secret, reading: Reading, folder: Path | None
) -> Iterator[Iterator[Columns]]:
    """Give the rows of each partition, one after the other, by way of a file without a name.

    It is made in `folder`, or where the system keeps what is temporary.
    """
    try:
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed below, at the latest)
    except OSError as error:
        raise InputError(
            f"rows cannot be set aside while they are protected ({type(error).__name__}); make"
            f" {'the folder of temporary files' if folder is None else str(folder)!r} writable"
        ) from None
    with file:
        aside = _Aside(file)
        for part in reading.parts(table):
            places = reading.places(secret, part)
            order = np.argsort(places, kind="stable")
            ends = np.searchsorted(places[order], np.arange(reading.partitions + 1))
            for place in range(reading.partitions):
                rows = order[ends[place] : ends[place + 1]]
                if rows.size:
                    aside.add(place, {name: _taken(it, rows) for name, it in part.items()})
        yield (aside.rows(place) for place in range(reading.partitions))


@dataclass(eq=False)
class _Aside:
    """Rows in a file, and where those of each partition are in it."""

    file: IO[bytes]
    at: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    end: int = 0
    schema: pa.Schema | None = None

    def add(self, place: int, columns: Columns) -> None:
        """Write some rows of a partition."""
        import pyarrow as pa

        # As plain texts: a dictionary may be longer than these few rows.
        plain = {
            name: pa.array(it) if isinstance(it, np.ndarray) else it.dictionary_decode()
            for name, it in columns.items()
        }
        batch = pa.RecordBatch.from_pydict(plain)
        self.schema = batch.schema
        written = self._written(batch.serialize())
        self.at.setdefault(place, []).append((self.end, written))
        self.end += written

    def _written(self, buffer: pa.Buffer) -> int:
        try:
            self.file.write(buffer)
        except OSError as error:
            raise InputError(
                "rows cannot be set aside while they are protected: the disk of temporary files"
                f" is full or failed ({type(error).__name__}); make room on it"
            ) from None
        return int(buffer.size)

    def rows(self, place: int) -> Columns:
        """Return the rows of a partition."""
        import pyarrow as pa

        found = []
        for start, size in self.at.pop(place, []):
            self.file.seek(start)
            batch = pa.ipc.read_record_batch(pa.py_buffer(self.file.read(size)), self.schema)
            found.append(batch)
        if self.schema is None or not found:
            return {}
        table = pa.Table.from_batches(found, self.schema).combine_chunks()
        return {
            name: np.asarray(np.from_dlpack(_one(table[name])))
            if pa.types.is_floating(table[name].type)
            else _one(table[name].dictionary_encode())
            for name in table.column_names
        }


def _one(column: pa.ChunkedArray) -> Any:
    """Return a column in one piece."""
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def _taken(column: Any, rows: Labels) -> Any:
    import pyarrow as pa

    return column[rows] if isinstance(column, np.ndarray) else column.take(pa.array(rows))


def _joined(parts: Sequence[Columns]) -> Columns:
    """Return rows of several parts as one."""
    import pyarrow as pa

    out: Columns = {}
    for name, first in parts[0].items():
        if isinstance(first, np.ndarray):
            out[name] = np.concatenate([part[name] for part in parts])
        else:
            texts = pa.chunked_array([part[name].dictionary_decode() for part in parts])
            out[name] = _one(texts.dictionary_encode())
    return out


@dataclass(frozen=True, eq=False, repr=False)
class LargeTable:
    """A table of several partitions: its version, and the raw rows of each partition."""

    table: Table
    policy: Policy
    secret: Secret
    wanted: Wanted
    reading: Reading
    version: bytes

    @classmethod
    def of(cls, table: Table, policy: Policy, secret: Secret, wanted: Wanted) -> LargeTable:
        """Read all rows once, for the version."""
        try:
            return cls._read(table, policy, secret, wanted)
        except InputError:
            broken = unreadable(table, (*wanted.numbers, *wanted.levels))
            if not broken:
                raise
            return cls._read(table, policy, secret, wanted.without(broken))

    @classmethod
    def _read(cls, table: Table, policy: Policy, secret: Secret, wanted: Wanted) -> LargeTable:
        unit = table.unit if table.persons_repeat() else None
        more = {name for name in (table.key, unit) if name is not None}
        numbers = [name for name in sorted(more) if table.is_number(name)]
        texts = sorted(more - {*numbers})
        reading = Reading(
            (*wanted.numbers, *numbers),
            (*wanted.levels, *texts),
            wanted.partitions,
            unit,
            table.key,
        )
        made_by = wanted.made_by(table, policy, unit is not None)
        version = digest_of_rows(table, secret, reading, made_by)
        return cls(table, policy, secret, wanted, reading, version)

    def first(self) -> RawWhole:
        """Return the rows of the first partition."""
        return self._raw(one_partition(self.table, self.secret, self.reading, 0))

    @contextmanager
    def each(self, folder: Path | None) -> Iterator[Iterator[RawWhole]]:
        """Give the rows of each partition, which are set aside in a file without a name."""
        with partitioned(self.table, self.secret, self.reading, folder) as found:
            yield (self._raw(rows) for rows in found)

    def _raw(self, rows: Columns) -> RawWhole:
        reading = self.reading
        keyed = [rows[name] for name in (*reading.numbers, *reading.texts)]
        if reading.key is not None:
            keyed = [rows[reading.key]]
            check_key(reading.key, keyed[0])
        return raw_of(
            self.table,
            self.policy,
            self.wanted,
            {name: rows[name] for name in self.wanted.numbers},
            {name: _levels(rows[name]) for name in self.wanted.levels},
            None if reading.unit is None else _persons(rows[reading.unit]),
            row_keys(self.secret, keyed),
            self.version,
        )


def _levels(column: pa.DictionaryArray) -> Levels:
    """Return levels in order; the empty text is a missing one."""
    words = column.dictionary.to_pylist()
    order = sorted({*words} - {""})
    place = {word: i for i, word in enumerate(order)} | {"": -1}
    at = np.array([place[word] for word in words], dtype=np.intp)
    return Levels(tuple(order), at[np.asarray(column.indices)])


def _persons(column: Any) -> Labels:
    """Return whose each row is, as a place among the persons."""
    if isinstance(column, np.ndarray):
        return np.unique(column, return_inverse=True)[1]
    return np.asarray(column.indices).astype(np.intp)
