"""Any frame or file becomes a Table: the only room that knows what the data lie in.

Inside there is one kind of frame (narwhals, lazily; DuckDB for files). Columns are read on
demand and by name, counts are made where the data are, and the only values that count are finite
ones: engines disagree about NaN, null and infinity, `is_finite` means the same on all of them.

**Finite values only.** Engines disagree about NaN, null and infinity. `is_finite` on a 64-bit
float is the only way in, for counts and rows alike.

**One bin arithmetic.** `floor((x - low) / width + 1e-9)`, the ends open, on every engine, so
that a value on an edge falls on the same side everywhere; a column of whole numbers gets bins
of whole width where no limits are declared. Counts are checked again before they become a View.
"""

from discreet.table.databases import is_url, shown
from discreet.table.private import forget
from discreet.table.table import Reading, Table, levels_of_two_values, open_table

__all__ = ["Reading", "Table", "forget", "is_url", "levels_of_two_values", "open_table", "shown"]
