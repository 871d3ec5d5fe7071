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
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from discreet.arguments import Labels
from discreet.errors import InputError
from discreet.keys import Keys
from discreet.policy import Policy
from discreet.progress import advance
from discreet.secret import Secret
from discreet.table import Reading, Table
from discreet.vault.on_spark import done_on_spark, first_on_spark, total_on_spark
from discreet.vault.protected import Columns, Outcome, Protected, Total, Work, protected
from discreet.vault.whole_columns import RawWhole, Wanted, settings_of, unreadable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LargeTable"]

PURPOSE = "rows of a large table"
DIGEST = ("\0low", "\0high")
"""What the digests of rows are called that are set aside."""
READ = "reading the table"
AT_ONCE = 2
"""So many partitions are protected at a time: compiled loops let other threads run."""


def _parts(table: Table, work: Work) -> Iterator[Columns]:
    """Read the rows, and say how far it is."""
    seen = 0
    for part in table.in_parts(work.numbers, work.texts, work.known):
        yield part
        seen += len(next(iter(part.values())))
        advance(READ, seen, table.size)


def _lying(table: Table, work: Work) -> tuple[Any, Reading]:
    """Return the rows where they lie, and how they are read there."""
    return table.where_it_lies(work.numbers, work.texts, work.known)


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


def _spread(work: Work, first: _Aside, then: _Aside) -> None:
    """Move rows that are equal to another to partitions of their own, as if they were different.

    All rows of one digest are in one partition at first. Which of them goes where does not matter.
    """
    for place in range(work.wanted.partitions):
        seen: dict[bytes, int] = {}
        for batch in first.taken(place):
            digests = np.column_stack([np.from_dlpack(batch[name]) for name in DIGEST])
            then.add(work.places_of_repeats(digests, _repeats(digests, seen)), batch)


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
    """A table of several partitions: how each is protected, its version, and the raw rows."""

    table: Table
    work: Work
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
        made_by = wanted.made_by(table, policy, unit is not None)
        work = Work(
            (*wanted.numbers, *numbers),
            (*wanted.levels, *sorted(more - {*numbers})),
            wanted,
            settings_of(table, policy, wanted),
            secret.derived(PURPOSE, made_by),
            unit,
            table.key,
        )
        found = Total()
        if table.on_spark:
            found = total_on_spark(*_lying(table, work), work)
        else:
            for part in _parts(table, work):
                found.add(work.digests(part))
        return cls(table, work, found.version(work))

    def first(self) -> RawWhole:
        """Return the rows of the first partition."""
        if self.table.on_spark:
            rows = first_on_spark(*_lying(self.table, self.work), self.work)
            return self.work.raw(rows, 0, self.version)
        with self.each(None) as partitions:
            return self.work.raw(next(partitions), 0, self.version)

    def done_on_spark(self, folder: Path) -> list[Outcome]:
        """Let workers of Spark write the copy of each partition into a folder."""
        return done_on_spark(*_lying(self.table, self.work), self.work, self.version, folder)

    @contextmanager
    def each(self, folder: Path | None) -> Iterator[Iterator[Columns]]:
        """Give the rows of each partition, which are set aside in files without a name.

        They are in `folder`, or where the system keeps what is temporary. Refused where the rows
        are not those that the version is of.
        """
        work = self.work
        where = Path(tempfile.gettempdir()) if folder is None else folder
        with _set_aside(where) as first, _set_aside(where) as then:
            found = Total()
            for part in _parts(self.table, work):
                digests = work.digests(part)
                found.add(digests)
                first.add(work.places(work.placing(part, digests)), _batch(part, digests))
            if found.version(work) != self.version:
                raise InputError("the data have changed while they were read; open them again")
            rows = first
            if work.placed_by is None:
                _spread(work, first, then)
                rows = then
            yield (rows.rows(place) for place in range(work.wanted.partitions))

    def protected(self, partitions: Iterator[Columns]) -> Iterator[Protected]:
        """Protect partitions, some at a time; give them in their order."""
        waiting: deque[Future[Protected]] = deque()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for place, rows in enumerate(partitions):
                waiting.append(pool.submit(protected, self.work, rows, place, self.version))
                if len(waiting) == AT_ONCE:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
