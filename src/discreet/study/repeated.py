"""Rows that are alike in all columns by no chance: nobody said whose they are, so somebody must."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.errors import InputError, RefusedError
from discreet.protect.alike import BY_CHANCE, CELLS, Alike, alike
from discreet.table import KINDS, Table
from discreet.table.dates import DATE

__all__ = ["refuse_repeated_rows"]

MOST_ROWS, MOST_CELLS = 100_000, 2_000_000
"""So many rows, and cells, are looked at: the first ones."""
REPEATED = 0.05
"""A table in which so large a share of the rows repeats another one is not opened unasked."""
LEAST = 10
"""Fewer repeats than this say nothing."""


def refuse_repeated_rows(table: Table) -> None:
    """Refuse a table in which persons stand several times, as it seems, where nobody said so.

    The first rows are looked at. What is alike among them is a part of what is alike in all, so
    the fewer they are of all rows, the fewer repeats it takes.
    """
    columns = _first_rows(table)
    if not columns:
        return
    numbers = {name: it for name, it in columns.items() if isinstance(it, np.ndarray)}
    codes = {name: np.asarray(it.indices) for name, it in columns.items() if name not in numbers}
    if not any(_says_persons(alike(numbers, codes, cell), table.size) for cell in CELLS):
        return
    raise RefusedError(
        "many rows are alike in all columns, far more than chance would make: persons seem to have"
        " several rows, as in a table that was joined with visits, and then k must count persons."
        " Name the column that says whose a row is by unit='...' (in a policy file unit = \"...\","
        " on the command line --unit ...); or say that each row is a person of its own by"
        " unit=False (unit = false, --no-unit): a protected copy counts rows that are alike as one"
        " person's nevertheless"
    )


def _says_persons(found: Alike, size: int) -> bool:
    seen = len(found.rows)
    least = max(LEAST, REPEATED * seen * seen / size)
    return found.repeats >= least and found.by_chance <= BY_CHANCE[0] * found.pairs


def _first_rows(table: Table) -> dict[str, Any]:
    """Read the columns that may be in a copy, as far as they can be read."""
    kinds = {
        name: it.kind
        for name, it in table.columns.items()
        if it.role != "identifier" and it.kind in (*KINDS, DATE)
    }
    if not kinds:
        return {}
    most = max(1, min(MOST_ROWS, MOST_CELLS // len(kinds)))

    def read(names: list[str]) -> dict[str, Any]:
        texts = [name for name in names if kinds[name] == "categorical"]
        return table.first_rows([name for name in names if name not in texts], texts, most)

    try:
        return read([*kinds])
    except InputError:  # of a column of mixed types, which is in no copy
        readable = [name for name in kinds if table.can_read(name)]
        return read(readable) if readable else {}
