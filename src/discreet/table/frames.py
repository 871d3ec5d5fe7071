"""Frames of other libraries: how each is taken, and read by parts without holding the whole.

Columns of pandas of types that engines do not know become ones that they do: an interval is a
level, a period the date of its beginning, and a column of Python's objects what all of its objects
are. Columns of anything else stay as they are, and are not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.columns import Column
from discreet.errors import InputError
from discreet.table.arrow import first_days_sql, orders_in_dataset, periods_as_days
from discreet.table.columns import PART, lazy_frame
from discreet.table.databases import Postgres, plain_columns, use_this_python
from discreet.table.engine import Kept, connect, plain_types, quiet, replace_columns

if TYPE_CHECKING:
    import pandas as pd


def take_frame(source: object) -> tuple[nw.LazyFrame[Any], object]:
    """Take a frame of any library; return it, and what must be kept alive for it."""
    kind = type(source)
    if kind.__module__.startswith("pyarrow") and nw.dependencies.get_pyarrow() is not None:
        import pyarrow.dataset as ds

        if isinstance(source, ds.Dataset):
            return _take_dataset(source)
    if nw.dependencies.is_ibis_table(source) and source.get_backend().name == "postgres":
        return plain_columns(source), None
    if nw.dependencies.is_pyspark_dataframe(source):
        return lazy_frame(use_this_python(source)), None
    frame = lazy_frame(source)
    if nw.dependencies.is_pandas_dataframe(source):
        made, zones = plain_frame(source)
        return lazy_frame(made), Zones(zones) if zones else None
    if nw.dependencies.is_pyarrow_table(source):
        return _plain_arrow(source), None
    if nw.dependencies.is_duckdb_relation(source):
        return lazy_frame(plain_types(source)), None
    if frame.implementation.is_polars():
        return _fill_null_types(frame), None
    return frame, None


@dataclass(frozen=True)
class Zones:
    """The time zones of columns whose moments are kept as those of UTC."""

    zones: Mapping[str, str]


def _fill_null_types(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    import polars as pl

    native: pl.LazyFrame = nw.to_native(frame)
    empty = [name for name, it in native.collect_schema().items() if it == pl.Null]
    return lazy_frame(native.with_columns(pl.col(empty).cast(pl.String))) if empty else frame


def _plain_arrow(source: pa.Table) -> nw.LazyFrame[Any]:
    source = periods_as_days(source)
    for i, field in enumerate(source.schema):
        found = source[i]
        made = _plain_column(found)
        if made is not found:
            source = source.set_column(i, field.name, made)
    return lazy_frame(source)


def _plain_column(values: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = values.type
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "arrow.uuid":
            return pa.chunked_array([[it and str(it) for it in values.to_pylist()]], pa.string())
        stored = [it.storage for it in values.chunks]
        values = pa.chunked_array(stored, kind.storage_type)
        return values.cast(pa.bool_()) if kind.extension_name == "arrow.bool8" else values
    if pa.types.is_run_end_encoded(kind):
        return pa.chunked_array([pc.run_end_decode(it) for it in values.chunks], kind.value_type)
    if pa.types.is_dictionary(kind):
        # Chunks may have dictionaries of their own, which not all that is asked of them can join.
        return values.unify_dictionaries()
    if pa.types.is_decimal(kind):
        # The nearest floats, as other engines say; pyarrow is off by a last digit.
        return values.cast(pa.string()).cast(pa.float64())
    if pa.types.is_date64(kind):
        return values.cast(pa.date32())
    return values.cast(pa.string()) if pa.types.is_null(kind) else values


def _take_dataset(source: Any) -> tuple[nw.LazyFrame[Any], Kept]:
    """Take a dataset of pyarrow, which DuckDB reads; refuse a column of a type it does not know."""
    kept = connect()
    kept.orders = orders_in_dataset(source)
    for name in source.schema.names:
        with quiet(f"column {name!r} cannot be read by DuckDB", lambda: CAST):
            kept.connection.from_arrow(source.schema.empty_table().select([name]))
    relation = replace_columns(kept.connection.from_arrow(source), first_days_sql(source.schema))
    return lazy_frame(plain_types(relation)), kept


CAST = "cast it to a type of numbers, text or dates, or leave it out"


def parts(frame: nw.LazyFrame[Any], wanted: Sequence[nw.Expr], keep: object) -> Iterator[Any]:
    """Read columns of a frame as pyarrow batches of rows.

    `keep` is what was kept for it when it was opened.
    """
    if isinstance(keep, Kept | Postgres):
        yield from keep.batches(frame.select(*wanted))
        return
    native = nw.to_native(frame)
    if isinstance(nw.from_native(native, eager_only=True, pass_through=True), nw.DataFrame):
        whole = nw.from_native(native, eager_only=True)
        for start in range(0, len(whole), PART):
            part = whole[start : start + PART].lazy().select(*wanted).collect("pyarrow")
            yield from part.to_native().combine_chunks().to_batches()
        return
    chosen = frame.select(*wanted)
    reader = READERS.get(chosen.implementation.value)
    if reader is None:
        yield from chosen.collect("pyarrow").to_native().to_batches(PART)
    else:
        yield from reader(nw.to_native(chosen))


def yes_no_as_numbers(frame: nw.LazyFrame[Any], columns: Mapping[str, Column]) -> nw.LazyFrame[Any]:
    """Let yes/no that is drawn as numbers be numbers.

    PostgreSQL makes none of it by itself, and DuckDB would look for numbers in a file of text.
    """
    if not (frame.implementation.is_ibis() or frame.implementation.is_duckdb()):
        return frame
    drawn = (it.name for it in columns.values() if it.yes_no and it.kind == "continuous")
    numbers = [
        nw.when(nw.col(name))
        .then(nw.lit(1))
        .otherwise(nw.when(~nw.col(name)).then(nw.lit(0)))
        .cast(nw.Float64)
        .alias(name)
        for name in drawn
    ]
    return frame.with_columns(*numbers) if numbers else frame


@contextmanager
def no_more_of_dask(frame: nw.LazyFrame[Any]) -> Iterator[None]:
    """Say what to do where Dask does not do what narwhals asks of it."""
    try:
        yield
    except (AttributeError, NotImplementedError, TypeError, ValueError) as error:
        if not frame.implementation.is_dask():
            raise
        raise InputError(
            f"Dask cannot make this of several partitions ({type(error).__name__}): write the frame"
            " as Parquet (frame.to_parquet) and open its folder, or where it fits into memory open"
            " frame.compute()"
        ) from None


def _read_duckdb(relation: Any) -> Iterator[pa.RecordBatch]:
    yield from pa.RecordBatchReader.from_stream(relation)


def _read_polars(frame: Any) -> Iterator[pa.RecordBatch]:
    if not hasattr(frame, "collect_batches"):  # polars before 1.34
        yield from frame.collect().to_arrow().to_batches(PART)
        return
    for batch in frame.collect_batches(chunk_size=PART):
        yield from batch.to_arrow().to_batches()


def _read_ibis(table: Any) -> Iterator[pa.RecordBatch]:
    backend = table.get_backend()
    if backend.name == "duckdb":  # ibis 12 asks DuckDB 2 by a name that is gone
        yield from _read_duckdb(backend.con.sql(backend.compile(table)))
        return
    yield from table.to_pyarrow_batches(chunk_size=PART)


def _read_dask(frame: Any) -> Iterator[pa.RecordBatch]:
    for part in frame.partitions:
        table = nw.from_native(part).lazy().collect("pyarrow").select([*frame.columns])
        yield from table.to_native().to_batches(PART)


MOST_CELLS = 1 << 21
"""A partition of Spark that comes to the driver holds no more values: some 16 MB."""


def _split_partitions(frame: Any) -> Any:
    """Return a frame of Spark whose partitions its driver can hold, whatever those of its files.

    Spark keeps what comes of a partition three times on its way, where Parquet may have millions
    of rows in a group.
    """
    import pyspark.sql.functions as of

    sizes = frame.groupBy(of.spark_partition_id().alias("part")).count()
    largest, rows = sizes.agg(of.max("count"), of.sum("count")).first()
    most = max(1, MOST_CELLS // len(frame.columns))
    if not largest or largest <= most:
        return frame
    # By their values: to divide them in turn Spark would order them all first.
    return frame.repartition(-(-rows // most), *frame.columns)


def _read_spark(frame: Any) -> Iterator[pa.RecordBatch]:
    """Let workers write Arrow, and fetch one partition of it after another."""

    def written(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # Workers need pyarrow and nothing of discreet: what is in here travels to them.
        import pyarrow

        # Rows that are equal are in one partition, and what is equal is packed small.
        packed = pyarrow.ipc.IpcWriteOptions(compression="zstd")
        for batch in batches:
            sink = pyarrow.BufferOutputStream()
            with pyarrow.ipc.new_stream(sink, batch.schema, options=packed) as stream:
                stream.write_batch(batch)
            bytes_ = pyarrow.array([sink.getvalue().to_pybytes()], pyarrow.binary())
            yield pyarrow.RecordBatch.from_arrays([bytes_], ["batch"])

    small = _split_partitions(frame)
    for row in small.mapInArrow(written, "batch binary").toLocalIterator():
        with pa.ipc.open_stream(row["batch"]) as stream:
            yield from stream


READERS: dict[str, Callable[[Any], Iterator[Any]]] = {
    "duckdb": _read_duckdb,
    "polars": _read_polars,
    "ibis": _read_ibis,
    "dask": _read_dask,
    "pyspark": _read_spark,
    "pyspark[connect]": _read_spark,
}
"""How lazy frames are read by parts, by narwhals' name for their library."""


# --- frames of pandas: columns of types that engines do not know become ones that they do ---------


DAYS = "date32[day][pyarrow]"
WORDS = "string"
LARGEST = 2**63
"""A larger whole number is a float."""
HOUR = 3_600.0
NUMBERS = (int, float, np.integer, np.floating, Decimal)
TOLD = (*NUMBERS, bool, np.bool_, str, date, time, timedelta)
"""Kinds of objects that have a text of their own."""


def plain_frame(source: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a frame of plain columns, and the time zones of those of moments.

    What is changed in the frame afterwards is not seen (pandas 3 copies what is written to): counts
    of two states of it would give away who is in one of them.
    """
    made, zones = source.copy(deep=False), dict[str, str]()
    for name in source.columns:
        found = source[name]
        column = _plain(found)
        zone = getattr(column.dtype, "tz", None)
        if zone is not None and (known := _name_of_zone(column)) is not None:
            column, zones[name] = column.dt.tz_convert("UTC"), known
        if column is not found:
            made[name] = column
    return made, zones


def _name_of_zone(column: pd.Series[Any]) -> str | None:
    """Return what pyarrow calls the time zone of a column; None where it knows it not."""
    try:
        values = pa.array(column[:1])
        pc.local_timestamp(values)
    except (pa.ArrowException, ValueError, TypeError, AttributeError):
        return None
    return str(values.type.tz)


def _plain(column: pd.Series[Any]) -> pd.Series[Any]:
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pd.SparseDtype):
        return _plain(column.sparse.to_dense())
    if isinstance(kind, pd.CategoricalDtype):
        of = kind.categories.dtype
        if isinstance(of, pd.IntervalDtype):
            return column.cat.rename_categories([str(it) for it in kind.categories])
        if isinstance(of, pd.PeriodDtype) or of.kind in "mM":
            return _plain(column.astype(of))
        return _plain_categories(column) if of.kind == "O" else column
    if isinstance(kind, pd.IntervalDtype):
        return _plain(column.astype("category"))
    if isinstance(kind, pd.PeriodDtype):
        return column.dt.to_timestamp()
    if isinstance(kind, pd.ArrowDtype):
        return _plain_arrow_type(column, kind)
    if kind == np.longdouble:
        return column.astype(np.float64)
    objects = kind.kind == "O" and not isinstance(kind, pd.api.extensions.ExtensionDtype)
    return _plain_objects(column) if objects else column


def _plain_categories(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return levels of Python's objects as texts in their order; what no level is stays objects."""
    import pandas as pd

    kinds = [type(it) for it in column.cat.categories]
    if all(issubclass(it, str) for it in kinds):
        return column
    words = [text_of(it) for it in column.cat.categories]
    if all(issubclass(it, TOLD) for it in kinds) and len({*words}) == len(words):
        return column.cat.rename_categories(pd.Index(words, dtype=WORDS))
    return _plain(column.astype(object))


def _plain_arrow_type(column: pd.Series[Any], kind: pd.ArrowDtype) -> pd.Series[Any]:
    import pandas as pd

    of = kind.pyarrow_dtype
    if pa.types.is_null(of):
        return column.astype(WORDS)
    if pa.types.is_dictionary(of):
        return column.astype("category")
    if pa.types.is_time(of):
        return _plain_objects(column.astype(object))
    if pa.types.is_decimal(of):
        return column.astype("string").astype("Float64")
    return column.astype(pd.ArrowDtype(pa.date32())) if pa.types.is_date64(of) else column


def _plain_objects(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of Python's objects as what all of them are, where that is one kind."""
    known = column[column.notna()]
    kinds = {type(it) for it in known}
    if kinds == {str}:
        return column
    try:
        return _convert(column, known, kinds)
    except (ValueError, TypeError, OverflowError):  # naive moments among those of a zone, say
        return column


def _convert(column: pd.Series[Any], known: pd.Series[Any], held: set[type]) -> pd.Series[Any]:
    import pandas as pd

    def all_are(*kinds: type) -> bool:
        return all(issubclass(it, kinds) for it in held)

    if not held:
        return column.astype(WORDS)
    if all_are(bool, np.bool_):
        return column.astype("boolean")
    if all_are(*NUMBERS) and not held & {bool, np.bool_}:
        whole = all_are(int, np.integer) and all(-LARGEST <= it < LARGEST for it in known)
        values: Any = [int(it) if whole else float(it) for it in known]
        return _fill_known(column, pd.array(values, "Int64" if whole else "Float64"))
    if all_are(date, np.datetime64):
        if all_are(date) and not any(issubclass(it, datetime) for it in held):
            return column.astype(DAYS)
        return _fill_known(column, _moments(list(known)))
    if all_are(timedelta, np.timedelta64):
        return pd.to_timedelta(column)
    if all_are(time):
        hours = [
            it.hour + it.minute / 60 + (it.second + it.microsecond / 1e6) / HOUR for it in known
        ]
        return _fill_known(column, pd.array(hours, "Float64"))
    if all_are(pd.Period):
        return _fill_known(column, pd.PeriodIndex(list(known)).to_timestamp().array)
    if all_are(pd.Interval):
        return _plain(column.astype("category"))
    if all_are(*TOLD):
        return _fill_known(column, pd.array([text_of(it) for it in known], WORDS))
    return column


def _moments(known: list[Any]) -> Any:
    """Return moments; those of several offsets are of UTC, as in text.

    Days are the midnights at which they begin, beside moments.
    """
    import pandas as pd

    try:
        return pd.to_datetime(known).array
    except ValueError:
        if any(getattr(it, "tzinfo", None) is None for it in known):
            raise
        return pd.to_datetime(known, utc=True).array


def _fill_known(column: pd.Series[Any], known: Any) -> pd.Series[Any]:
    import pandas as pd

    places = np.where(column.notna(), np.cumsum(column.notna()) - 1, -1)
    made: pd.Series[Any] = pd.Series(known.take(places, allow_fill=True), index=column.index)
    return made


def text_of(value: object) -> str:
    """Return a cell as text; a whole number without its decimals."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
