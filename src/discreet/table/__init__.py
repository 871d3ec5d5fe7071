"""Any frame or file becomes a Table: the only room that knows what the data lie in.

Inside there is one kind of frame (narwhals, lazily; DuckDB for files). Columns are read on
demand and by name, counts are made where the data are, and the only values that count are finite
ones: engines disagree about NaN, null and infinity, `is_finite` means the same on all of them.
"""

from discreet.table.columns import KINDS, ROLES, Column, with_levels_of_two
from discreet.table.table import BinAxis, Counted, Rows, Table, open_table

__all__ = [
    "KINDS",
    "ROLES",
    "BinAxis",
    "Column",
    "Counted",
    "Rows",
    "Table",
    "open_table",
    "with_levels_of_two",
]
