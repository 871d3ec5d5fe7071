"""A study file as it is read: the manifest at once, columns when they are asked for.

It comes from others. Sizes, names and places are looked at first, then the signature, then digests;
a byte of Parquet is unpacked only once all that it says of itself fits the manifest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from discreet.arguments import Floats
from discreet.columns import words_of
from discreet.columns.column import CopiedRows, Unread, codes_of
from discreet.columns.dates import Dates, days_of
from discreet.columns.words import Coded
from discreet.errors import InputError, near
from discreet.study_file.archive import Archive, open_archive
from discreet.study_file.manifest import (
    LAYOUT,
    MANIFEST,
    PRIVATE_SCHEMA,
    SCHEMA,
    Column,
    Manifest,
    columns_again,
    read_manifest,
)
from discreet.study_file.parquet import open_part
from discreet.study_file.rows import (
    Part,
    ValueDigest,
    again_name,
    check_values,
    most_rows_again,
    part_name,
    part_rows,
    type_of,
)
from discreet.study_file.signing import MOST_BYTES, read_json

NEARNESS = "nearness.json"
ANSWER = re.compile(r"answers/(.+)\.json")
ROWS_WITHOUT_DOUBT, MOST_ROWS_A_BYTE = 1_000_000, 1_000
"""More rows than the first are told by at least a byte a thousand."""


@dataclass(frozen=True)
class StudyFile:
    """An open study file. Nothing of its rows is read before it is asked for.

    Examples
    --------
    >>> with open_study_file("cohort.discreet") as file:  # doctest: +SKIP
    ...     file.column("age").to_numpy()
    """

    path: Path
    manifest: Manifest
    _archive: Archive = field(repr=False)
    _fitting: dict[str, tuple[int, int]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(it.name for it in self.manifest.columns)

    @property
    def answers(self) -> tuple[str, ...]:
        """The names of the answers."""
        found = (ANSWER.fullmatch(it.name) for it in self.manifest.entries)
        return tuple(it[1] for it in found if it)

    @property
    def says_nearness(self) -> bool:
        """Whether the file says how near the copy is."""
        return any(it.name == NEARNESS for it in self.manifest.entries)

    @property
    def about(self) -> tuple[str, ...]:
        """Nothing more is said of a file in the notes of its figures."""
        return ()

    def nearness(self) -> Any:
        """Return how near the copy is, as JSON has it; None if the file does not say."""
        return self._json(NEARNESS) if self.says_nearness else None

    def answer(self, name: str) -> Any:
        """Return an answer from the data, as JSON has it."""
        if name not in self.answers:
            known = near(name, self.answers) if self.answers else "there is none"
            raise InputError(f"there is no answer {name!r} in the study file; {known}")
        return self._json(f"answers/{name}.json")

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column; only its bytes are read."""
        return self.columns((name,)).column(0)

    def columns(self, names: Sequence[str]) -> pa.Table:
        """Return some columns, in the order in which they are named."""
        chosen = self._chosen(names)
        schema = pa.schema([(it.name, type_of(it)) for it in chosen])
        return pa.Table.from_batches(self.batches(names), schema)

    def batches(self, names: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Give rows in groups, so that only one is in memory; of all columns by default."""
        chosen = self._chosen(self.names if names is None else names)
        for part in self._parts():
            state = self._archive.state()
            is_known = self._fitting.get(part.name) == state
            if not is_known:
                self._check_digest(part.name)
            file = open_part(self._archive, part, is_known=is_known)
            self._fitting[part.name] = state
            yield from _groups(file, part, chosen)

    def again(self) -> tuple[pa.Table, ...]:
        """Return the copies of the first rows of the copy; one that lost a column is without it."""
        return tuple(self.copy_again(number) for number in range(len(self.manifest.again)))

    def copy_again(self, number: int) -> pa.Table:
        """Return one copy of the copy, its values compared with their digest."""
        again, name = self.manifest.again[number], again_name(number)
        part = Part(name, again.rows, columns_again(self.manifest.columns, again.without))
        self._check_digest(name)
        digest, batches = ValueDigest(part.columns), []
        for batch in _groups(open_part(self._archive, part), part, part.columns):
            digest.add(batch)
            batches.append(batch)
        if digest.hexdigest() != again.values:
            raise _changed(f"the digest of the values of {name} is not the one that was signed")
        return pa.Table.from_batches(batches)

    def floats(self, name: str) -> Floats:
        """Return a column of numbers, or of dates as days; NaN where a value is missing."""
        (column,) = self._chosen((name,))
        return _as_floats(self.column(name), column)

    def coded(self, name: str) -> Coded:
        """Return the levels that a column has, and of each row the place of its own."""
        return codes_of(self.column(name))

    def copies(self) -> tuple[CopiedRows, ...]:
        """Return the copies of the first rows of the copy, as columns of numbers and of levels."""
        return tuple(self._copied(table) for table in self.again())

    def _copied(self, table: pa.Table) -> CopiedRows:
        chosen = self._chosen(table.column_names)
        levels = [it.name for it in chosen if it.kind == "categorical"]
        numbers = {it.name: it for it in chosen if it.name not in levels}
        return (
            Unread([*numbers], lambda it: _as_floats(table[it], numbers[it]), len(chosen)),
            Unread(levels, lambda it: words_of(table[it]), len(chosen)),
        )

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def __enter__(self) -> StudyFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _chosen(self, names: Sequence[str]) -> list[Column]:
        known = {it.name: it for it in self.manifest.columns}
        for name in names:
            if name not in known:
                raise InputError(
                    f"there is no column {name!r} in the study file; {near(name, self.names)}"
                )
        return [known[it] for it in names]

    def _parts(self) -> list[Part]:
        """Return the Parquet files, and what the manifest says of each."""
        counts = part_rows(self.manifest.rows, len(self.manifest.columns))
        return [
            Part(entry.name, rows, self.manifest.columns)
            for entry, rows in zip(self.manifest.row_entries, counts, strict=True)
        ]

    def _json(self, name: str) -> Any:
        """Return an entry that is JSON, once its digest fits."""
        self._check_digest(name)
        return read_json(self._archive.read(name), name)

    def _check_digest(self, name: str) -> None:
        (entry,) = (it for it in self.manifest.entries if it.name == name)
        if self._archive.digest(name) != entry.sha256:
            raise _changed(f"the digest of {name} is not the one that was signed")


def open_study_file(path: str | Path, *, private: bool = False) -> StudyFile:
    """Open a study file; refuse one that is not as discreet writes it, or not signed.

    Who signed it is not asked here: see `check`. A `private` one is the copy that is kept beside
    the data. To be closed, by `with` or `close`.
    """
    archive = open_archive(Path(path), _is_known)
    try:
        if MANIFEST not in archive.stretches:
            raise _changed(f"there is no {MANIFEST} in it")
        if archive.stretches[MANIFEST].size > MOST_BYTES:
            raise InputError(f"{MANIFEST} is larger than the {MOST_BYTES} bytes that are allowed")
        archive.digest(MANIFEST)
        schema = PRIVATE_SCHEMA if private else SCHEMA
        manifest = read_manifest(archive.read(MANIFEST), schema)
        _check_entries(manifest, archive)
    except BaseException:
        archive.close()
        raise
    return StudyFile(Path(path), manifest, archive)


def _as_floats(values: pa.ChunkedArray, column: Column) -> Floats:
    joined = pa.chunked_array(values).combine_chunks()
    if column.dates is not None:
        numbers = days_of(joined, Dates(column.dates))
    else:
        numbers = pc.fill_null(joined, float("nan")).to_numpy(zero_copy_only=False)
    floats = np.asarray(numbers, dtype=np.float64)
    floats.setflags(write=False)
    return floats


def _is_known(name: str) -> bool:
    return name == MANIFEST or LAYOUT.fullmatch(name) is not None


def _check_entries(manifest: Manifest, archive: Archive) -> None:
    """Refuse entries that the manifest does not list, or of another size, and too many rows."""
    listed = {it.name: it.size for it in manifest.entries}
    found = {it.name: it.size for it in archive.stretches.values() if it.name != MANIFEST}
    if listed != found:
        raise _changed("the manifest lists other entries, or of other sizes, than the file has")
    if any(it.size > MOST_BYTES for it in manifest.entries if it.name.endswith(".json")):
        raise InputError(f"an entry is larger than the {MOST_BYTES} bytes that are allowed")
    counts = part_rows(manifest.rows, len(manifest.columns))
    if [it.name for it in manifest.row_entries] != [part_name(at) for at in range(len(counts))]:
        raise _changed("the parts of the rows are not as many as so many rows have")
    again = [again_name(at) for at in range(len(manifest.again))]
    if [it.name for it in manifest.again_entries] != again:
        raise _changed("the copies of the copy are not as many as the manifest says")
    if any(it.rows > most_rows_again(len(manifest.columns)) for it in manifest.again):
        raise _changed("a copy of the copy has more rows than so many columns leave it")
    most = max(ROWS_WITHOUT_DOUBT, MOST_ROWS_A_BYTE * sum(it.size for it in manifest.row_entries))
    if manifest.rows > most:
        raise _changed("the manifest says more rows than the bytes of the file can hold")


def _changed(what: str) -> InputError:
    return InputError(
        f"{what}: the study file was changed, or not made by discreet; ask the custodian for a "
        "new copy of it"
    )


def _groups(file: pq.ParquetFile, part: Part, chosen: Sequence[Column]) -> Iterator[pa.RecordBatch]:
    schema = pa.schema([(it.name, type_of(it)) for it in chosen])
    levels = [pa.array(it.levels, pa.string()) for it in chosen]
    for group in range(file.metadata.num_row_groups):
        try:
            read = file.read_row_group(group, columns=schema.names, use_threads=False)
            arrays = [
                _checked(column, words, read.column(column.name), part.groups[group])
                for column, words in zip(chosen, levels, strict=True)
            ]
        except (pa.ArrowException, OSError) as error:
            # Among them is a code beyond the levels, which Arrow does not see as it unpacks it.
            kind = type(error).__name__
            raise _changed(f"the rows in {part.name} cannot be unpacked ({kind})") from None
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _checked(column: Column, levels: pa.Array, values: pa.ChunkedArray, rows: int) -> pa.Array:
    """Return the values of a column in a group of rows; refuse what the manifest rules out."""
    if len(values) != rows or values.type != type_of(column):
        raise _changed(f"column {column.name!r} has other values than the manifest says")
    if column.kind == "categorical":
        if not all(it.dictionary.equals(levels) for it in values.chunks):
            raise _changed(f"column {column.name!r} has other levels than the manifest lists")
        codes = pa.chunked_array([it.indices for it in values.chunks], pa.int32())
        return pa.DictionaryArray.from_arrays(codes.combine_chunks(), levels)
    whole = values.combine_chunks()
    check_values(column, whole)
    return whole


def check_values_of(file: StudyFile) -> None:
    """Read all of a file, and refuse it where values or JSON are not those that were signed."""
    digest = ValueDigest(file.manifest.columns)
    for batch in file.batches():
        digest.add(batch)
    if digest.hexdigest() != file.manifest.values:
        raise _changed("the digest of the values is not the one that was signed")
    for number in range(len(file.manifest.again)):
        file.copy_again(number)
    file.nearness()
    for name in file.answers:
        file.answer(name)
