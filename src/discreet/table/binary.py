"""Files of columns: Parquet, of which there may be several, and Arrow's own, Feather."""

from __future__ import annotations

import glob
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.columns.level_orders import orders_in_arrow
from discreet.errors import InputError
from discreet.table.engine import (
    Kept,
    Source,
    check_different,
    held,
    in_zones,
    plain_types,
    quoted,
    with_made,
)
from discreet.table.level_orders import orders_in_parquet
from discreet.table.periods import first_days_in_duckdb, with_first_days

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyRelation

DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
"""So many of each unit are a day."""
FILE = b"ARROW1"


def read_parquet(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read Parquet where it lies: files of the same columns are one table."""
    from pyarrow.parquet import read_schema

    schema = read_schema(source.file)
    check_different(schema.names)
    for other in source.files[1:]:
        _check_same(source, schema, other, read_schema(other))
    parted = _are_columns(source, {name.lower(): name for name in schema.names})
    return relation_of(kept, source.files, schema, parted=parted)


def _are_columns(source: Source, held: Mapping[str, str]) -> bool:
    """Whether folders are columns, as where a table was parted: year=2020/part-0.parquet.

    Not where the files hold these columns themselves: what they say counts.
    """
    folders = [path.relative_to(source.folder).parts[:-1] for path in source.files]
    if not all(path and all("=" in part for part in path) for path in folders):
        return False
    parted = {part.partition("=")[0].lower() for path in folders for part in path}
    both = sorted(held[name] for name in parted & held.keys())
    if both and not parted <= held.keys():
        raise InputError(
            f"column {both[0]!r} of {source.name!r} stands in its files and in the names of their"
            " folders, and another column in one of the two alone; write all or none into the files"
        )
    return not both


def relation_of(
    kept: Kept, files: tuple[Path, ...], schema: pa.Schema, *, parted: bool = False
) -> DuckDBPyRelation:
    """Return Parquet files of one schema as a relation."""
    import pyarrow as pa

    kept.zones, kept.files = in_zones(schema), files
    kept.orders = {**kept.orders, **orders_in_parquet(files, schema)}
    relation = kept.connection.read_parquet(
        [glob.escape(str(path)) for path in files], hive_partitioning=parted
    )
    relation = plain_types(relation)
    # Parquet has no durations: its file holds whole numbers, and says what they are elsewhere.
    spans = {it.name: it.type.unit for it in schema if pa.types.is_duration(it.type)}
    made = {name: f"{quoted(name)} / {DAY[unit]}" for name, unit in spans.items()}
    return with_made(relation, made | first_days_in_duckdb(schema))


def ends_of_groups(files: tuple[Path, ...], name: str) -> list[tuple[float, float]]:
    """Return the smallest and the largest number of a column in each group of rows that says so.

    They stand at the end of a file of Parquet. Files may be wrong about them.
    """
    from pyarrow.parquet import read_metadata

    out: list[tuple[float, float]] = []
    for said in map(read_metadata, files):
        names = [said.schema.column(i).path for i in range(said.num_columns)]
        if name in names:
            groups = (said.row_group(i) for i in range(said.num_row_groups))
            out += filter(None, (_ends(it.column(names.index(name)).statistics) for it in groups))
    return out


def _ends(said: Any) -> tuple[float, float] | None:
    if said is None or not said.has_min_max:
        return None
    numbers = type(said.min) in (int, float) and math.isfinite(said.min + said.max)
    return (said.min, said.max) if numbers else None


def _check_same(source: Source, first: pa.Schema, path: Path, other: pa.Schema) -> None:
    """Refuse files of other columns, or of other types, than the first one has."""
    differ = [name for name in first.names if name not in other.names]
    differ += [name for name in other.names if name not in first.names]
    differ += [it.name for it in first if it.name in other.names and it.type != _type(other, it)]
    if differ:
        raise InputError(
            f"file {path.name!r} of {source.name!r} has not the columns of {source.file.name!r}:"
            f" column {differ[0]!r} is missing in one of them, or of another type; write all files"
            " with the same columns"
        )


def _type(schema: pa.Schema, of: Any) -> Any:
    return schema.field(of.name).type


def names_in_parquet(source: Source) -> list[str]:
    """Return the names of the columns of Parquet files."""
    from pyarrow.parquet import read_schema

    return list(read_schema(source.file).names)


def names_in_arrow(source: Source) -> list[str]:
    """Return the names of the columns of a file or stream of Arrow."""
    import pyarrow as pa

    with pa.memory_map(str(source.file)) as file:
        return list(_arrow(source, file).schema.names)


def read_arrow(kept: Kept, source: Source) -> DuckDBPyRelation:
    """Read a file of Arrow (Feather), or a stream of it, and hold it."""
    import pyarrow as pa

    with pa.memory_map(str(source.file)) as file:
        reader = _arrow(source, file)
        check_different(reader.schema.names)
        table = with_first_days(reader.read_all())
        kept.orders = orders_in_arrow(table)
        return held(kept, table)


def _arrow(source: Source, file: pa.MemoryMappedFile) -> Any:
    import pyarrow as pa

    whole = source.start(len(FILE)) == FILE
    return pa.ipc.open_file(file) if whole else pa.ipc.open_stream(file)
