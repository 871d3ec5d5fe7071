"""The rows of the copy as Parquet: how columns are stored, and how they are read from strangers.

A part is one Parquet file of eight groups of rows. Nothing is in it but the columns of the manifest
in their order: numbers as DOUBLE, days as DATE, moments as TIMESTAMP in millionths of a second,
levels as a dictionary in their order. What a row lacks is null; no number is NaN or infinite.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from discreet.errors import InputError
from discreet.study_file.manifest import MOST_AGAIN_ROWS, Column

Frame: TypeAlias = pa.Table | pa.RecordBatch

GROUPS_A_PART = 8
MOST_ROWS_A_GROUP, LEAST_ROWS_A_GROUP = 2**17, 2**10
CELLS_A_GROUP = 2**22
"""So many values of all columns are in memory at once."""
DICTIONARY_BYTES = 2**30
"""Levels are written as a dictionary, however many there are."""
NO_DATE = np.iinfo(np.int64).min


def rows_a_group(columns: int) -> int:
    """Return how many rows a group has, but for the last.

    Examples
    --------
    >>> rows_a_group(20), rows_a_group(1_000)
    (131072, 4194)
    """
    return max(LEAST_ROWS_A_GROUP, min(MOST_ROWS_A_GROUP, CELLS_A_GROUP // columns))


def part_name(number: int) -> str:
    """Return the name of a part, counted from 0."""
    return f"rows/{number:05}.parquet"


def again_name(number: int) -> str:
    """Return the name of a copy of the copy, counted from 0."""
    return f"again/{number:05}.parquet"


def most_rows_again(columns: int) -> int:
    """Return how many rows a copy of the copy has at most: those of one group.

    Examples
    --------
    >>> most_rows_again(20), most_rows_again(10_000)
    (20000, 1024)
    """
    return min(MOST_AGAIN_ROWS, rows_a_group(columns))


def part_rows(rows: int, columns: int) -> list[int]:
    """Return how many rows each part has.

    Examples
    --------
    >>> part_rows(2_500_000, 20)
    [1048576, 1048576, 402848]
    """
    most = rows_a_group(columns) * GROUPS_A_PART
    return [most] * (rows // most) + ([rows % most] if rows % most else [])


@dataclass(frozen=True)
class Part:
    """A Parquet file in the study file: its name, how many rows it has, and of which columns."""

    name: str
    rows: int
    columns: tuple[Column, ...]

    @property
    def groups(self) -> list[int]:
        """How many rows each of its groups has."""
        most = rows_a_group(len(self.columns))
        return [min(most, self.rows - start) for start in range(0, self.rows, most)]


def type_of(column: Column) -> pa.DataType:
    """Return how Arrow holds a column."""
    if column.kind == "categorical":
        return pa.dictionary(pa.int32(), pa.string())
    if column.kind == "date":
        return pa.date32() if column.dates == "day" else pa.timestamp("us")
    return pa.float64()


# --- writing --------------------------------------------------------------------------------------


def group_rows(batches: Iterable[Frame], columns: Sequence[Column]) -> Iterator[pa.Table]:
    """Give rows as they are stored, in groups, however many come at once."""
    size = rows_a_group(len(columns))
    schema = pa.schema([(it.name, type_of(it)) for it in columns])
    waiting: list[pa.Table] = []
    count = 0
    for batch in batches:
        for start in range(0, batch.num_rows, size):
            stored = _stored_table(batch.slice(start, size), columns, schema)
            waiting.append(stored)
            count += stored.num_rows
            if count >= size:
                whole = pa.concat_tables(waiting)
                yield whole.slice(0, size)
                waiting, count = [whole.slice(size)], count - size
    if count:
        yield pa.concat_tables(waiting)


def _stored_table(batch: Frame, columns: Sequence[Column], schema: pa.Schema) -> pa.Table:
    """Return some rows as they are stored; refuse columns that are not those of the manifest."""
    if batch.schema.names != schema.names:
        raise InputError("the rows have other columns than the manifest lists, or another order")
    try:
        arrays = [_stored(it, _one(batch.column(at))) for at, it in enumerate(columns)]
    except pa.ArrowException:
        raise InputError(
            "the values of a column are not of the kind that the manifest says; numbers are"
            " continuous, texts categorical, dates with or without time are dates"
        ) from None
    return pa.Table.from_arrays(arrays, schema=schema)


def _one(values: Any) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
        return pa.concat_arrays(values.chunks) if isinstance(values, pa.ChunkedArray) else values
    return values


def _stored(column: Column, values: pa.Array) -> pa.Array:
    if column.kind != "categorical":
        stored = values.cast(type_of(column))
        if column.kind == "continuous":
            # Of the two zeros there is one: they are equal, and their digests are not.
            stored = pc.add(stored, pa.scalar(0.0))
        check_values(column, stored)
        return stored
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    levels = pa.array(column.levels, pa.string())
    places = pc.index_in(values.dictionary.cast(pa.string()), levels)
    codes = pc.take(places, values.indices)
    if codes.null_count != values.indices.null_count:
        raise InputError(f"column {column.name!r} has a level that the manifest does not list")
    return pa.DictionaryArray.from_arrays(codes.cast(pa.int32()), levels)


def check_values(column: Column, values: pa.Array) -> None:
    """Refuse numbers that are not finite."""
    if column.kind == "continuous" and pc.all(pc.is_finite(values)).as_py() is False:
        raise InputError(
            f"column {column.name!r} has a number that is not finite; a value that is missing is"
            " null"
        )


def write_part(groups: Iterator[pa.Table], seen: Callable[[pa.Table], None], to: IO[bytes]) -> None:
    """Write the next groups of rows as a Parquet file; each is shown to `seen`."""
    first = next(groups)
    with pq.ParquetWriter(
        pa.PythonFile(to, "w"),
        first.schema,
        compression="zstd",
        version="2.6",
        data_page_version="1.0",
        write_statistics=False,
        store_schema=False,
        dictionary_pagesize_limit=DICTIONARY_BYTES,
    ) as writer:
        for group in itertools.chain((first,), itertools.islice(groups, GROUPS_A_PART - 1)):
            seen(group)
            writer.write_table(group, row_group_size=group.num_rows)


# --- what the values are --------------------------------------------------------------------------


class ValueDigest:
    """The digest of the values of rows, whatever groups they come in, however they are packed."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._digests = [hashlib.sha256() for _ in columns]

    def add(self, rows: Frame) -> None:
        """Take the next rows, as they are stored."""
        for at, (column, digest) in enumerate(zip(self._columns, self._digests, strict=True)):
            digest.update(_bytes_of(column, _one(rows.column(at))))

    def hexdigest(self) -> str:
        """Return the digest of all so far."""
        return hashlib.sha256(b"".join(it.digest() for it in self._digests)).hexdigest()


def _bytes_of(column: Column, values: pa.Array) -> Any:
    """Return values in one way to write them: eight bytes a number, four a level."""
    if column.kind == "categorical":
        return pc.fill_null(values.indices, -1).to_numpy(zero_copy_only=False).astype("<i4").data
    if column.kind == "date":
        whole = values.cast(pa.int32()) if column.dates == "day" else values
        return pc.fill_null(whole.cast(pa.int64()), NO_DATE).to_numpy().astype("<i8").data
    # One NaN stands for what is missing; no number is NaN.
    return pc.fill_null(values, float("nan")).to_numpy().astype("<f8").data
