"""Tables too large to be protected at once: random partitions, each a table of its own.

Which partition a row, or a person, is in is a keyed digest of its values: a random sample that
nobody can foresee, and the same one whatever engine read the rows, in whatever order. Each is
protected by itself, so all that a copy promises holds of each of them, and the copy of the table
is theirs, one after the other. Nothing of one is looked at to protect another.

Equal rows get a number each, so that a table of few different rows is spread evenly, too.

All rows are read twice: once for the version, and once to write them, by partition, into a file
that has no name, so that it is gone with the process, however that ends.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from discreet.arguments import Labels
from discreet.errors import InputError
from discreet.keys import BLOCK, Keys, row_digests, row_keys, total
from discreet.policy import Policy
from discreet.progress import advance
from discreet.protect.whole import Levels
from discreet.secret import Secret, encrypted
from discreet.table import Table
from discreet.vault.rows import check_key
from discreet.vault.whole_columns import RawWhole, Wanted, raw_of, unreadable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LargeTable"]

Columns = dict[str, Any]
"""Columns as `Table.in_parts` gives them: floats, and DictionaryArrays of texts."""

PURPOSE = "rows of a large table"
DIGEST = ("\0low", "\0high")
"""What the digests of rows are called that are set aside."""
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

    @property
    def placed_by(self) -> str | None:
        """The column that alone says where a row goes: whose it is, or its key."""
        return self.unit or self.key

    def places(self, digests: Keys) -> Labels:
        """Return the partition of each digest."""
        # 32 bits of 128, apart from those that order rows.
        chance = digests[:, 1] & np.uint64(0xFFFFFFFF)
        return ((chance * np.uint64(self.partitions)) >> np.uint64(32)).astype(np.intp)


@dataclass
class _Total:
    """How many rows there are, and the sum of their digests: the same in any order."""

    rows: int = 0
    added: int = 0

    def add(self, digests: Keys) -> None:
        self.rows += len(digests)
        self.added += int.from_bytes(total(digests), "little")

    def digest(self, secret: Secret, settings: bytes) -> bytes:
        summed = (self.added % (1 << 8 * BLOCK)).to_bytes(BLOCK, "little")
        return secret.digest(PURPOSE, settings, self.rows.to_bytes(8, "little"), summed)


@dataclass(eq=False)
class _Aside:
    """Rows in a file, and where those of each partition are in it."""

    file: IO[bytes]
    at: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    end: int = 0
    schema: pa.Schema | None = None

    def add(self, places: Labels, batch: pa.RecordBatch) -> None:
        """Write rows, each to its partition."""
        import pyarrow as pa

        self.schema = batch.schema
        order = np.argsort(places, kind="stable")
        different, starts = np.unique(places[order], return_index=True)
        ends = [*starts[1:].tolist(), len(order)]
        for place, start, end in zip(different.tolist(), starts.tolist(), ends, strict=True):
            rows = batch.take(pa.array(order[start:end]))
            written = self._written(rows.serialize())
            self.at.setdefault(place, []).append((self.end, written))
            self.end += written

    def _written(self, buffer: pa.Buffer) -> int:
        try:
            self.file.seek(self.end)
            self.file.write(buffer)
            self.file.flush()
        except OSError as error:
            raise InputError(
                "rows cannot be set aside while they are protected: the disk of temporary files"
                f" is full or failed ({type(error).__name__}); make room on it"
            ) from None
        return int(buffer.size)

    def taken(self, place: int) -> Iterator[pa.RecordBatch]:
        """Read the rows of a partition, and forget that they are there."""
        import pyarrow as pa

        for start, size in self.at.pop(place, []):
            self.file.seek(start)
            yield pa.ipc.read_record_batch(pa.py_buffer(self.file.read(size)), self.schema)

    def rows(self, place: int) -> Columns:
        """Return the rows of a partition as columns."""
        import pyarrow as pa

        table = pa.Table.from_batches(self.taken(place), self.schema).combine_chunks()
        return {
            name: np.asarray(np.from_dlpack(_one(table[name])))
            if pa.types.is_floating(table[name].type)
            else _one(table[name].dictionary_encode())
            for name in table.column_names
            if name not in DIGEST
        }


@contextmanager
def _set_aside(folder: Path) -> Iterator[_Aside]:
    """Give a file without a name, which is gone with the process."""
    try:
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed below, at the latest)
    except OSError as error:
        raise InputError(
            f"rows cannot be set aside while they are protected ({type(error).__name__}); make"
            f" the folder {str(folder)!r} writable"
        ) from None
    with file:
        yield _Aside(file)


def _batch(part: Columns, digests: Keys) -> pa.RecordBatch:
    """Return rows with their digests; texts as they are, for a dictionary may be longer."""
    import pyarrow as pa

    plain = {
        name: pa.array(it) if isinstance(it, np.ndarray) else it.dictionary_decode()
        for name, it in part.items()
    }
    words = dict(zip(DIGEST, map(pa.array, digests.T.copy()), strict=True))
    return pa.RecordBatch.from_pydict({**plain, **words})


def _spread(reading: Reading, secret: Secret, first: _Aside, then: _Aside) -> None:
    """Move rows that are equal to another to partitions of their own, as if they were different.

    All rows of one digest are in one partition at first. Which of them goes where does not matter.
    """
    for place in range(reading.partitions):
        seen: dict[bytes, int] = {}
        for batch in first.taken(place):
            digests = np.column_stack([np.from_dlpack(batch[name]) for name in DIGEST])
            repeat = _repeats(digests, seen)
            places = np.full(len(digests), place, dtype=np.intp)
            again = np.flatnonzero(repeat)
            marked = digests[again]
            marked[:, 0] ^= repeat[again].astype(np.uint64)
            chance = encrypted(secret.digest(f"{PURPOSE}, repeated")[:BLOCK], marked)
            places[again] = reading.places(chance)
            then.add(places, batch)


def _repeats(digests: Keys, seen: dict[bytes, int]) -> Labels:
    """Return how many rows of the same digest came before each one, and note them."""
    words = np.ascontiguousarray(digests).view([("low", "u8"), ("high", "u8")])[:, 0]
    different, at, counts = np.unique(words, return_inverse=True, return_counts=True)
    order = np.argsort(at, kind="stable")
    out = np.empty(len(at), dtype=np.intp)
    out[order] = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts)
    known = np.zeros(len(different), dtype=np.intp)
    for i, (word, count) in enumerate(zip(different, counts.tolist(), strict=True)):
        key = word.tobytes()
        known[i] = seen.get(key, 0)
        seen[key] = int(known[i]) + count
    return out + known[at]


def _one(column: pa.ChunkedArray) -> Any:
    """Return a column in one piece."""
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


@dataclass(frozen=True, eq=False, repr=False)
class LargeTable:
    """A table of several partitions: its version, and the raw rows of each partition."""

    table: Table
    policy: Policy
    secret: Secret
    wanted: Wanted
    reading: Reading
    settings: bytes
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
        settings = wanted.made_by(table, policy, unit is not None)
        found = _Total()
        for part in reading.parts(table):
            found.add(reading.digests(secret, part))
        version = found.digest(secret, settings)
        return cls(table, policy, secret, wanted, reading, settings, version)

    def first(self) -> RawWhole:
        """Return the rows of the first partition."""
        with self.each(None) as partitions:
            return next(partitions)

    @contextmanager
    def each(self, folder: Path | None) -> Iterator[Iterator[RawWhole]]:
        """Give the rows of each partition, which are set aside in files without a name.

        They are in `folder`, or where the system keeps what is temporary. Refused where the rows
        are not those that the version is of.
        """
        reading = self.reading
        where = Path(tempfile.gettempdir()) if folder is None else folder
        with _set_aside(where) as first, _set_aside(where) as then:
            found = _Total()
            for part in reading.parts(self.table):
                digests = reading.digests(self.secret, part)
                found.add(digests)
                batch = _batch(part, digests)
                if reading.placed_by is not None:
                    digests = row_digests(self.secret, [part[reading.placed_by]])
                first.add(reading.places(digests), batch)
            if found.digest(self.secret, self.settings) != self.version:
                raise InputError("the data have changed while they were read; open them again")
            rows = first
            if reading.placed_by is None:
                _spread(reading, self.secret, first, then)
                rows = then
            yield (self._raw(rows.rows(place), place) for place in range(reading.partitions))

    def _raw(self, rows: Columns, place: int) -> RawWhole:
        reading = self.reading
        keyed = [rows[name] for name in (*reading.numbers, *reading.texts)]
        if reading.key is not None:
            keyed = [rows[reading.key]]
            check_key(reading.key, keyed[0])
        raw = raw_of(
            self.table,
            self.policy,
            self.wanted,
            {name: rows[name] for name in self.wanted.numbers},
            {name: _levels(rows[name]) for name in self.wanted.levels},
            None if reading.unit is None else _persons(rows[reading.unit]),
            row_keys(self.secret, keyed),
            self.version,
        )
        return replace(raw, place=place)


def _levels(column: pa.DictionaryArray) -> Levels:
    """Return levels in order; the empty text is a missing one."""
    found = Levels.of(column.dictionary.to_pylist())
    return found._replace(codes=found.codes[np.asarray(column.indices)])


def _persons(column: Any) -> Labels:
    """Return whose each row is, as a place among the persons."""
    if isinstance(column, np.ndarray):
        return np.unique(column, return_inverse=True)[1]
    return np.asarray(column.indices).astype(np.intp)
