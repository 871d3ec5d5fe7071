"""The order of levels that data declare: ordered categories of frames, and of files of Arrow.

What is declared may name levels that no row has. So it is never listed as it is: `discreet.levels`
puts those levels in order that may be shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import narwhals as nw

from discreet.table.columns import texts_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Orders",
    "orders_in_arrow",
    "orders_in_dataset",
    "orders_in_parquet",
    "orders_in_schema",
]

Orders = Mapping[str, tuple[str, ...]]
"""Levels from first to last, of each column that declares them."""

MOST_FILES = 20
"""So many files of a table are asked for the order of their levels."""


def orders_in_schema(schema: Mapping[str, nw.dtypes.DType]) -> Orders:
    """Return the orders that types say: ordered categoricals of pandas, Enum of polars, DuckDB."""
    return {
        name: texts_of(dtype.categories)
        for name, dtype in schema.items()
        if isinstance(dtype, nw.Enum)
    }


def orders_in_arrow(table: pa.Table) -> Orders:
    """Return the orders of dictionaries of pyarrow that are marked as ordered."""
    return {
        name: _merged(chunk.dictionary.to_pylist() for chunk in table[name].chunks)
        for name in _ordered(table.schema)
    }


def orders_in_dataset(dataset: pa.dataset.Dataset) -> Orders:
    """Return the orders of the dictionaries that a dataset of pyarrow begins with."""
    names = _ordered(dataset.schema)
    return orders_in_arrow(dataset.head(1, columns=names)) if names else {}


def orders_in_parquet(files: Sequence[Path], schema: pa.Schema) -> Orders:
    """Return the orders of ordered dictionaries that were written as Parquet.

    A file has all levels of a dictionary before its rows, in their order.
    """
    from pyarrow.parquet import ParquetFile

    names = _ordered(schema)
    if not names:
        return {}
    found: dict[str, list[Sequence[object]]] = {name: [] for name in names}
    for path in files[:MOST_FILES]:
        with ParquetFile(path) as file:
            groups = [*range(min(file.num_row_groups, 1))]
            for batch in islice(file.iter_batches(1, row_groups=groups, columns=names), 1):
                for name in names:
                    found[name].append(batch[name].dictionary.to_pylist())
    return {name: _merged(orders) for name, orders in found.items()}


def _ordered(schema: pa.Schema) -> list[str]:
    import pyarrow as pa

    return [it.name for it in schema if pa.types.is_dictionary(it.type) and it.type.ordered]


def _merged(orders: Iterable[Sequence[object]]) -> tuple[str, ...]:
    """Return one order of several; none where they contradict each other."""
    out: list[str] = []
    for order in map(texts_of, orders):
        known = [level for level in order if level in out]
        if known != [level for level in out if level in known]:
            return ()
        at = 0
        for level in order:
            if level not in out:
                out.insert(at, level)
            at = out.index(level) + 1
    return tuple(out)
