"""The rows of a study file as a table that any other program reads."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from discreet.columns.dates import Dates, dates_of
from discreet.columns.native import native_frame
from discreet.errors import RefusedError
from discreet.explore.board import TO_BROWSER
from discreet.explore.derived import DerivedCopy
from discreet.explore.notes import check_copied
from discreet.spreadsheet import as_text
from discreet.unfinished import path_to_save, write_whole

FORMS = (".csv", ".parquet")
STAYS = (
    "the policy keeps the copy on a server (copy = {!r}), so its rows are not written out; draw"
    " figures of them, or have the custodian change the policy"
)


def rows_of(of: DerivedCopy) -> Any:
    """Return the rows as a frame, unless the policy keeps them on a server."""
    return native_frame(_table(of), of.session.table.framework)


def save_rows(of: DerivedCopy, path: str | Path) -> Path:
    """Write the rows as CSV, in which a spreadsheet runs nothing, or as Parquet."""
    target = path_to_save(path, FORMS, "a table of rows")
    table, file = _table(of), io.BytesIO()
    if target.suffix.lower() == ".parquet":
        pq.write_table(table, file)
    else:
        safe = [_safe(it) if pa.types.is_dictionary(it.type) else it for it in table.columns]
        names = [as_text(it) for it in table.column_names]
        pa_csv.write_csv(pa.Table.from_arrays(safe, names), file)
    write_whole(file.getvalue(), target)
    return target


def _table(of: DerivedCopy) -> pa.Table:
    check_copied(of.policy)
    if of.policy.copy != TO_BROWSER:
        raise RefusedError(STAYS.format(of.policy.copy))
    copy, raw = of.whole.copy, of.whole.raw
    made: dict[str, pa.Array] = {}
    for name in of.whole.drawable:
        if name in copy.strata:
            words = [word or None for word in copy.strata[name]]
            made[name] = pa.array(words, pa.string()).dictionary_encode()
            continue
        values, dates = copy.columns[name], raw[name].dates
        if dates is not None:
            made[name] = dates_of(values, Dates("day" if _are_whole(values) else "us"))
        else:
            floats = pa.array(np.where(np.isfinite(values), values, np.nan), from_pandas=True)
            made[name] = floats.cast(pa.int64()) if _are_whole(values) else floats
    return pa.table(made)


def _are_whole(values: np.ndarray[Any, np.dtype[np.float64]]) -> bool:
    known = values[np.isfinite(values)]
    return bool((known == np.round(known)).all() and (np.abs(known) < 2.0**53).all())


def _safe(column: pa.ChunkedArray) -> pa.Array:
    """Return levels as texts, of which a spreadsheet runs none."""
    coded = column.combine_chunks()
    levels = pa.array([as_text(it) for it in coded.dictionary.to_pylist()], pa.string())
    return levels.take(coded.indices)
