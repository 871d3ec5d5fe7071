"""Files of columns: Parquet, of which there may be several, and Arrow's own, Feather.

The order of levels that data declare may name levels that no row has. So it is never listed as it
is: `discreet.levels` puts those levels in order that may be shown. Periods of pandas are whole
numbers in files and tables of Arrow, with their type beside them, which pyarrow knows where pandas
is imported alone; here they are their first days.
"""

from __future__ import annotations

import glob
import json
import math
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.columns import texts_of
from discreet.columns.column import Orders, merge_orders, ordered_columns, orders_in_arrow
from discreet.errors import InputError
from discreet.table.engine import (
    Kept,
    Source,
    check_different,
    load_table,
    plain_types,
    quote_name,
    replace_columns,
    time_zones,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation


DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
"""So many of each unit are a day."""
FILE = b"ARROW1"


def read_parquet(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read Parquet where it lies: files of the same columns are one table."""
    schema = pq.read_schema(source.file)
    check_different(schema.names)
    for other in source.files[1:]:
        _check_same(source, schema, other, pq.read_schema(other))
    parted = _are_columns(source, {name.lower(): name for name in schema.names})
    return relation_of(kept, source.files, schema, parted=parted)


def _are_columns(source: Source, columns: Mapping[str, str]) -> bool:
    """Whether folders are columns, as where a table was parted: year=2020/part-0.parquet.

    Not where the files hold these columns themselves: what they say counts.
    """
    folders = [path.relative_to(source.folder).parts[:-1] for path in source.files]
    if not all(path and all("=" in part for part in path) for path in folders):
        return False
    parted = {part.partition("=")[0].lower() for path in folders for part in path}
    both = sorted(columns[name] for name in parted & columns.keys())
    if both and not parted <= columns.keys():
        raise InputError(
            f"column {both[0]!r} of {source.name!r} stands in its files and in the names of their"
            " folders, and another column in one of the two alone; write all or none into the files"
        )
    return not both


def relation_of(
    kept: Kept, files: tuple[Path, ...], schema: pa.Schema, *, parted: bool = False
) -> DuckDBPyRelation:
    """Return Parquet files of one schema as a relation."""
    kept.zones, kept.files = time_zones(schema), files
    kept.orders = {**kept.orders, **orders_in_parquet(files, schema)}
    relation = kept.connection.read_parquet(
        [glob.escape(str(path)) for path in files], hive_partitioning=parted
    )
    relation = plain_types(relation)
    # Parquet has no durations: its file holds whole numbers, and says what they are elsewhere.
    spans = {it.name: it.type.unit for it in schema if pa.types.is_duration(it.type)}
    made = {name: f"{quote_name(name)} / {DAY[unit]}" for name, unit in spans.items()}
    return replace_columns(relation, made | first_days_sql(schema))


def ends_of_groups(files: tuple[Path, ...], name: str) -> list[tuple[float, float]]:
    """Return the smallest and the largest number of a column in each group of rows that says so.

    They stand at the end of a file of Parquet. Files may be wrong about them.
    """
    out: list[tuple[float, float]] = []
    for said in map(pq.read_metadata, files):
        names = [said.schema.column(i).path for i in range(said.num_columns)]
        if name in names:
            groups = (said.row_group(i) for i in range(said.num_row_groups))
            out += filter(None, (_ends(it.column(names.index(name)).statistics) for it in groups))
    return out


def _ends(statistics: Any) -> tuple[float, float] | None:
    if statistics is None or not statistics.has_min_max:
        return None
    numbers = type(statistics.min) in (int, float) and math.isfinite(
        statistics.min + statistics.max
    )
    return (statistics.min, statistics.max) if numbers else None


def _check_same(source: Source, first: pa.Schema, path: Path, other: pa.Schema) -> None:
    differ = [name for name in first.names if name not in other.names]
    differ += [name for name in other.names if name not in first.names]
    both = [it for it in first if it.name in other.names]
    differ += [it.name for it in both if it.type != other.field(it.name).type]
    if differ:
        raise InputError(
            f"file {path.name!r} of {source.name!r} has not the columns of {source.file.name!r}:"
            f" column {differ[0]!r} is missing in one of them, or of another type; write all files"
            " with the same columns"
        )


def names_in_parquet(source: Source) -> list[str]:
    """Return the names of the columns of Parquet files."""
    return list(pq.read_schema(source.file).names)


def names_in_arrow(source: Source) -> list[str]:
    """Return the names of the columns of a file or stream of Arrow."""
    with pa.memory_map(str(source.file)) as file:
        return list(_arrow(source, file).schema.names)


def read_arrow(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read a file of Arrow (Feather), or a stream of it, and hold it."""
    with pa.memory_map(str(source.file)) as file:
        reader = _arrow(source, file)
        check_different(reader.schema.names)
        table = periods_as_days(reader.read_all())
        kept.orders = orders_in_arrow(table)
        return load_table(kept, table)


def _arrow(source: Source, file: pa.MemoryMappedFile) -> Any:
    whole = source.start(len(FILE)) == FILE
    return pa.ipc.open_file(file) if whole else pa.ipc.open_stream(file)


# --- the order of levels that files declare -------------------------------------------------------


MOST_FILES = 20
"""So many files of a table are asked for the order of their levels."""


def orders_in_schema(schema: Mapping[str, nw.dtypes.DType]) -> Orders:
    """Return the orders that types say: ordered categoricals of pandas, Enum of polars, DuckDB."""
    return {
        name: texts_of(dtype.categories)
        for name, dtype in schema.items()
        if isinstance(dtype, nw.Enum)
    }


def orders_in_dataset(dataset: pa.dataset.Dataset) -> Orders:
    """Return the orders of the dictionaries that a dataset of pyarrow begins with."""
    names = ordered_columns(dataset.schema)
    return orders_in_arrow(dataset.head(1, columns=names)) if names else {}


def orders_in_parquet(files: Sequence[Path], schema: pa.Schema) -> Orders:
    """Return the orders of ordered dictionaries that were written as Parquet.

    A file has all levels of a dictionary before its rows, in their order.
    """
    names = ordered_columns(schema)
    if not names:
        return {}
    found: dict[str, list[Sequence[object]]] = {name: [] for name in names}
    for path in files[:MOST_FILES]:
        with pq.ParquetFile(path) as file:
            groups = [*range(min(file.num_row_groups, 1))]
            for batch in islice(file.iter_batches(1, row_groups=groups, columns=names), 1):
                for name in names:
                    found[name].append(batch[name].dictionary.to_pylist())
    return {name: merge_orders(orders) for name, orders in found.items()}


# --- periods of pandas, as their first days -------------------------------------------------------


PERIOD = "pandas.period"
NAME, METADATA = b"ARROW:extension:name", b"ARROW:extension:metadata"


class Step(NamedTuple):
    """How long a period is: so many days or months, and where that of number 0 begins."""

    length: int
    of: str
    first: int = 0


STEPS: Mapping[str, Step] = MappingProxyType(
    {
        "D": Step(1, "D"),
        "W-SUN": Step(7, "D", -10),
        "M": Step(1, "M"),
        "Q-DEC": Step(3, "M"),
        "Y-DEC": Step(12, "M"),
        "A-DEC": Step(12, "M"),
    }
)


def _periods_in(schema: pa.Schema) -> dict[str, Step]:
    """Return the columns of periods; refuse periods of another length than days to years."""
    frequencies = {field.name: _frequency(field) for field in schema}
    for name, frequency in frequencies.items():
        if frequency is not None and frequency not in STEPS:
            raise InputError(
                f"column {name!r} holds periods of pandas that are not read from here (days, weeks"
                " to Sunday, months, quarters and years are); write their first moments:"
                f" frame[{name!r}].dt.to_timestamp()"
            )
    return {
        name: STEPS[frequency] for name, frequency in frequencies.items() if frequency is not None
    }


def _frequency(field: Any) -> str | None:
    if getattr(field.type, "extension_name", None) == PERIOD:
        return str(field.type.freq)
    metadata = field.metadata or {}
    if metadata.get(NAME) != PERIOD.encode():
        return None
    return str(json.loads(metadata[METADATA])["freq"])


def first_days_sql(schema: pa.Schema) -> dict[str, str]:
    """Return what DuckDB makes the first days of the columns of periods by."""
    return {
        name: _first_day_sql(quote_name(name), step) for name, step in _periods_in(schema).items()
    }


def _first_day_sql(column: str, step: Step) -> str:
    number = f"{step.length} * {column} + {step.first}"
    if step.of == "D":
        return f"DATE '1970-01-01' + CAST({number} AS INTEGER)"
    return f"CAST(DATE '1970-01-01' + to_months(CAST({number} AS INTEGER)) AS DATE)"


def periods_as_days(table: pa.Table) -> pa.Table:
    """Return a table of pyarrow whose periods are their first days."""
    for name, step in _periods_in(table.schema).items():
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, _first_days(table.column(place), step))
    return table


def _first_days(values: pa.ChunkedArray, step: Step) -> pa.ChunkedArray:
    if isinstance(values.type, pa.BaseExtensionType):
        stored = [it.storage for it in values.chunks]
        values = pa.chunked_array(stored, values.type.storage_type)
    missing = np.asarray(values.is_null())
    number = np.asarray(values.fill_null(0)).astype(np.int64) * step.length + step.first
    days = number.astype(f"datetime64[{step.of}]").astype("datetime64[D]")
    return pa.chunked_array([pa.array(days, pa.date32(), mask=missing)])
