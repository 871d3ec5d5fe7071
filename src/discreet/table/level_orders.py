"""The order of levels that data declare: ordered categories of frames, and of files of Arrow.

What is declared may name levels that no row has. So it is never listed as it is: `discreet.levels`
puts those levels in order that may be shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import narwhals as nw

from discreet.columns import texts_of
from discreet.columns.level_orders import Orders, merged_orders, ordered_columns, orders_in_arrow

if TYPE_CHECKING:
    import pyarrow as pa

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
    from pyarrow.parquet import ParquetFile

    names = ordered_columns(schema)
    if not names:
        return {}
    found: dict[str, list[Sequence[object]]] = {name: [] for name in names}
    for path in files[:MOST_FILES]:
        with ParquetFile(path) as file:
            groups = [*range(min(file.num_row_groups, 1))]
            for batch in islice(file.iter_batches(1, row_groups=groups, columns=names), 1):
                for name in names:
                    found[name].append(batch[name].dictionary.to_pylist())
    return {name: merged_orders(orders) for name, orders in found.items()}
