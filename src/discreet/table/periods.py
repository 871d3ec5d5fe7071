"""Periods of pandas in files and tables of Arrow: whole numbers there, and here their first days.

The type stands beside the numbers, and is known to pyarrow where pandas is imported alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.errors import InputError
from discreet.table.engine import quoted

if TYPE_CHECKING:
    import pyarrow as pa

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
    said = {field.name: _frequency(field) for field in schema}
    for name, frequency in said.items():
        if frequency is not None and frequency not in STEPS:
            raise InputError(
                f"column {name!r} holds periods of pandas that are not read from here (days, weeks"
                " to Sunday, months, quarters and years are); write their first moments:"
                f" frame[{name!r}].dt.to_timestamp()"
            )
    return {name: STEPS[frequency] for name, frequency in said.items() if frequency is not None}


def _frequency(field: Any) -> str | None:
    if getattr(field.type, "extension_name", None) == PERIOD:
        return str(field.type.freq)
    said = field.metadata or {}
    if said.get(NAME) != PERIOD.encode():
        return None
    return str(json.loads(said[METADATA])["freq"])


def first_days_in_duckdb(schema: pa.Schema) -> dict[str, str]:
    """Return what DuckDB makes the first days of the columns of periods by."""
    return {name: _in_duckdb(quoted(name), step) for name, step in _periods_in(schema).items()}


def _in_duckdb(column: str, step: Step) -> str:
    number = f"{step.length} * {column} + {step.first}"
    if step.of == "D":
        return f"DATE '1970-01-01' + CAST({number} AS INTEGER)"
    return f"CAST(DATE '1970-01-01' + to_months(CAST({number} AS INTEGER)) AS DATE)"


def with_first_days(table: pa.Table) -> pa.Table:
    """Return a table of pyarrow whose periods are their first days."""
    for name, step in _periods_in(table.schema).items():
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, _first_days(table.column(place), step))
    return table


def _first_days(values: pa.ChunkedArray, step: Step) -> pa.ChunkedArray:
    """Return the first days of periods."""
    import pyarrow as pa

    if isinstance(values.type, pa.BaseExtensionType):
        stored = [it.storage for it in values.chunks]
        values = pa.chunked_array(stored, values.type.storage_type)
    missing = np.asarray(values.is_null())
    number = np.asarray(values.fill_null(0)).astype(np.int64) * step.length + step.first
    days = number.astype(f"datetime64[{step.of}]").astype("datetime64[D]")
    return pa.chunked_array([pa.array(days, pa.date32(), mask=missing)])
