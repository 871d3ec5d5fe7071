"""The order of levels that dictionaries of pyarrow declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from discreet.columns.column import texts_of

if TYPE_CHECKING:
    import pyarrow as pa

Orders = Mapping[str, tuple[str, ...]]
"""Levels from first to last, of each column that declares them."""


def orders_in_arrow(table: pa.Table) -> Orders:
    """Return the orders of dictionaries of pyarrow that are marked as ordered."""
    return {
        name: merged_orders(chunk.dictionary.to_pylist() for chunk in table[name].chunks)
        for name in ordered_columns(table.schema)
    }


def ordered_columns(schema: pa.Schema) -> list[str]:
    """Name the columns that are ordered dictionaries."""
    import pyarrow as pa

    return [it.name for it in schema if pa.types.is_dictionary(it.type) and it.type.ordered]


def merged_orders(orders: Iterable[Sequence[object]]) -> tuple[str, ...]:
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
