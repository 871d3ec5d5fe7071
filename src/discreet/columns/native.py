"""Frames that go out: plain columns as a frame of the kind that came in."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arguments import Floats
from discreet.columns.column import orders_in_arrow

if TYPE_CHECKING:
    import pyarrow as pa

MOST_WHOLE = 2.0**53
"""Larger numbers are whole because a float has no room for a fraction."""
FIRST = datetime.datetime(1970, 1, 1)


def frame_of(columns: Sequence[tuple[str, Sequence[Any]]], framework: str = "pandas") -> Any:
    """Return named columns as a frame; of two of one name the second has another.

    Examples
    --------
    >>> frame_of([("level", ["a", "b"]), ("count", [3, None]), ("level", [1.5, 2.0])])
      level  count  level_2
    0     a      3      1.5
    1     b   <NA>      2.0
    """
    import pyarrow as pa

    made = {name: pa.array(values) for name, values in distinct_names(columns)}
    return native_frame(pa.table(made), framework)


def distinct_names(columns: Sequence[tuple[str, Sequence[Any]]]) -> list[tuple[str, Sequence[Any]]]:
    """Return named columns, of which the second of one name has another."""
    made: dict[str, Sequence[Any]] = {}
    for name, values in columns:
        free, number = name, 1
        while free in made:
            number += 1
            free = f"{name}_{number}"
        made[free] = values
    return [*made.items()]


def moments(days: Sequence[float | None]) -> list[Any]:
    """Return days since 1970-01-01 as dates, or with their times where they have some.

    Examples
    --------
    >>> moments([18262.0, None])
    [datetime.date(2020, 1, 1), None]
    """
    try:
        found = [None if it is None else FIRST + datetime.timedelta(days=it) for it in days]
    except OverflowError:  # no calendar has such days
        return [*days]
    if all(it is None or it == int(it) for it in days):
        return [None if it is None else it.date() for it in found]
    return found


def integer_columns(numbers: Mapping[str, Floats]) -> set[str]:
    """Name the columns of which every known number is whole, and some is known.

    Examples
    --------
    >>> columns = {"age": [40.0, np.nan], "bmi": [22.5, 30.0], "none": [np.nan], "far": [1e300]}
    >>> integer_columns({name: np.array(values) for name, values in columns.items()})
    {'age'}
    """
    return {name for name, values in numbers.items() if are_whole(values)}


def are_whole(values: Floats) -> bool:
    """Say whether all known numbers are whole, and some is known."""
    known = values[~np.isnan(values)]
    return bool(
        known.size and (np.abs(known) <= MOST_WHOLE).all() and (known == known.round()).all()
    )


def native_frame(table: pa.Table, framework: str) -> Any:
    """Return a table as a frame of pandas, polars, pyarrow or DuckDB."""
    if framework == "pyarrow":
        return table
    if framework == "polars":
        import polars as pl

        # As Categorical, which is what polars makes of dictionaries, levels would have no order.
        ordered = [pl.col(it).cast(pl.Enum([*of])) for it, of in orders_in_arrow(table).items()]
        return pl.DataFrame(table).with_columns(ordered)
    if framework == "duckdb":
        import duckdb

        return duckdb.connect().from_arrow(table)
    import pandas as pd

    # Or a column of whole numbers would have 3.0 in it where a value is missing.
    gaps = {it.name for it in table.schema if str(it.type) == "int64" and table[it.name].null_count}
    frame = table.drop_columns([*gaps]).to_pandas(date_as_object=False)
    for place, name in enumerate(table.column_names):
        if name in gaps:
            frame.insert(place, name, pd.array(table[name].to_pylist(), dtype="Int64"))
    return frame
