"""Rows and their keys, and rows that are set aside by partition.

Of each row there is a keyed digest, its partition, and what its noise hangs on. Nothing here holds
the secret: its key was derived of it for one table and one way to protect it.

Rows are set aside in files without a name, which are gone with the process. Those of which others
are equal get a number each, so that a table of few different rows is spread evenly, too: all rows
of one digest are in one partition at first, and then moved by a second file.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
import pyarrow as pa

from discreet.arguments import Labels
from discreet.columns import Rows
from discreet.columns.column import Unread
from discreet.errors import InputError
from discreet.keys import BLOCK, Column, Keys, code_texts, row_digests, row_keys, total
from discreet.progress import advance
from discreet.secret import DerivedKey, Secret, encrypt
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
    if isinstance(column, np.ndarray):
        different = len(np.unique(column))
    else:
        different = len(np.unique(code_texts(column)[1]))
    if different != len(column):
        raise InputError(
            f"key column {name!r} holds a value twice; a key must be different in every row"
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

    The values of `numbers` and `texts` together are a row. `own` is what its digests and noise are
    keyed by. `unit` says who a row belongs to: all rows of a person go to one place. `key` tells
    rows apart; those without it are left out.
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
        return np.where(repeat[:, None] > 0, encrypt(key, marked), digests)

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
    """Return the column that says who a row belongs to, where people have several rows."""
    return table.unit if table.persons_repeat() else None


def places(placing: Keys, partitions: int | Labels) -> Labels:
    """Return the partition, of so many (of each row), that digests place rows in."""
    # 32 bits of 128, apart from those that order rows.
    chance = placing[:, 1] & np.uint64(0xFFFFFFFF)
    return ((chance * np.asarray(partitions, dtype=np.uint64)) >> np.uint64(32)).astype(np.intp)


def persons_of(column: Any) -> Labels:
    """Return whose each row is, as a place among the people."""
    if isinstance(column, np.ndarray):
        return np.unique(column, return_inverse=True)[1]
    return np.asarray(column.indices).astype(np.intp)


# --- rows that are set aside by partition ---------------------------------------------------------


P = TypeVar("P")

DIGEST = ("\0low", "\0high")
"""What the digests of rows are called that are set aside."""
READ = "reading the table"
AT_ONCE = 2
"""So many partitions are protected at a time, or fewer where they take much memory: compiled loops
let other threads run."""


Reader = Callable[[Sequence[str], Sequence[str], Sequence[str]], Iterator[Columns]]
"""What reads numbers and texts of rows as `Table.in_parts` does."""


def parts_of(table: Table, keyed: Keyed, read: Reader | None = None) -> Iterator[Columns]:
    """Read the rows, by `read` if there is one, and say how far it is."""
    seen = 0
    for part in (read or table.in_parts)(keyed.numbers, keyed.texts, keyed.known):
        yield part
        seen += len(next(iter(part.values())))
        advance(READ, seen, table.size)


@dataclass(eq=False)
class _Aside:
    """Rows in a file, and where those of each partition are in it."""

    file: IO[bytes]
    at: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    end: int = 0
    schema: pa.Schema | None = None

    def add(self, places: Labels, batch: pa.RecordBatch) -> None:
        """Write rows, each to its partition."""
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
        for start, size in self.at.pop(place, []):
            self.file.seek(start)
            yield pa.ipc.read_record_batch(pa.py_buffer(self.file.read(size)), self.schema)

    def rows(self, place: int) -> Columns:
        """Return the rows of a partition as columns."""
        table = pa.Table.from_batches(self.taken(place), self.schema).combine_chunks()
        return {**_columns(table)}


@contextmanager
def _file_without_name(folder: Path) -> Iterator[_Aside]:
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
    plain = {
        name: pa.array(it) if isinstance(it, np.ndarray) else it.dictionary_decode()
        for name, it in part.items()
    }
    words = dict(zip(DIGEST, map(pa.array, digests.T.copy()), strict=True))
    return pa.RecordBatch.from_pydict({**plain, **words})


def _columns(table: pa.Table) -> Mapping[str, Any]:
    def column(name: str) -> Any:
        values = table[name]
        if pa.types.is_floating(values.type):
            return np.asarray(np.from_dlpack(_one(values)))
        return _one(values.dictionary_encode())

    return Unread([name for name in table.column_names if name not in DIGEST], column)


def _spread(placed: Callable[[Keys], Labels], keyed: Keyed, first: _Aside, then: _Aside) -> None:
    """Move rows that are equal to another to partitions of their own, as if they were different.

    All rows of one digest are in one partition at first. Which of them goes where does not matter.
    """
    for place in [*first.at]:
        seen: dict[bytes, int] = {}
        for batch in first.taken(place):
            digests = np.column_stack([np.from_dlpack(batch[name]) for name in DIGEST])
            then.add(placed(keyed.placing_of_repeats(digests, _repeats(digests, seen))), batch)


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
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


@contextmanager
def set_aside(
    table: Table,
    keyed: Keyed,
    version: bytes,
    placed: Callable[[Keys], Labels],
    folder: Path | None,
) -> Iterator[Callable[[int], Columns]]:
    """Set the rows of each partition aside in files without a name; give what reads those of one.

    `placed` says where rows go, of the digests that place them.
    They are in `folder`, or where the system keeps what is temporary. Refused where the rows are
    not those that the version is of.
    """
    where = Path(tempfile.gettempdir()) if folder is None else folder
    with _file_without_name(where) as first, _file_without_name(where) as then:
        found = Total()
        for part in parts_of(table, keyed):
            digests = keyed.digests(part)
            found.add(digests)
            first.add(placed(keyed.placing(part, digests)), _batch(part, digests))
        if found.version(keyed.own) != version:
            raise InputError("the data changed while they were being read; open them again")
        rows = first
        if keyed.placed_by is None:
            _spread(placed, keyed, first, then)
            rows = then
        yield rows.rows


def protect_in_order(
    protect: Callable[[Columns, int], P], partitions: Iterator[Columns], at_once: int
) -> Iterator[P]:
    """Protect partitions, so many at a time; give them in their order."""
    waiting: deque[Future[P]] = deque()
    with ThreadPoolExecutor(at_once) as pool:
        for place, rows in enumerate(partitions):
            waiting.append(pool.submit(protect, rows, place))
            if len(waiting) == at_once:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
