"""What tests of plots begin with: tables, rows that are protected, and how plots are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.plots import How, Origin
from discreet.table import Table, open_table

OF_RECORDS = Origin("research", "research", False, None, None, 0, "records")
OF_ROWS = Origin("research", "research", True, None, "0" * 16, None, "protected rows")
OF_COPY = Origin("standard", "guarded", False, None, "0" * 16, 5, "protected rows")

RAW = How("none", k=3)
ROWS = How("condensation", k=3)
COPY = How("whole", k=5, of_copy=True)
SUPPRESSED, GENERALIZED = How("suppression", k=3), How("generalization", k=3)


def table_of(
    columns: Mapping[str, Any],
    unit: str | None = None,
    ordered: Mapping[str, Sequence[str]] | None = None,
) -> Table:
    """Put columns behind a table, whose levels may be ordered."""
    frame = pa.table({name: pa.array(values) for name, values in columns.items()})
    return open_table(frame, kinds={}, roles={}, unit=unit, key=None, ordered=ordered or {})


def rows_of(**columns: Any) -> dict[str, NDArray[np.float64]]:
    """Make protected rows."""
    return {name: np.array(values, dtype=float) for name, values in columns.items()}
