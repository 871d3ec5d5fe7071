"""The protected copies of a study version, in memory and in a folder of the custodian's."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import narwhals as nw
import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError
from discreet.secret import FORMAT, unguessable
from discreet.table.arrays import array_of

__all__ = ["Copy", "load", "store"]

DONE = b"discreet: how the rows were prepared"


@dataclass(frozen=True, repr=False)
class Copy:
    """Protected rows: their columns, the levels of their strata, and the version they are of.

    `remarks` are sentences on how the rows were prepared, and `format` is how they were keyed.
    """

    columns: Mapping[str, Floats]
    strata: Mapping[str, tuple[str, ...]]
    version: str
    left_out: int
    remarks: tuple[str, ...] = ()
    format: int = FORMAT


def store(path: Path, copy: Copy) -> None:
    """Keep a copy as Parquet that its owner alone may read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    partial = path.with_name(f"{path.name}.{unguessable()}")  # another thread may make it, too
    table = pa.table({**copy.columns, **copy.strata})
    table = table.replace_schema_metadata({DONE: json.dumps([copy.left_out, *copy.remarks])})
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            pq.write_table(table, file)
        os.replace(partial, path)
    except OSError as error:
        raise InputError(
            f"the protected copy cannot be kept in {str(path.parent)!r} ({type(error).__name__});"
            " make the folder writable"
        ) from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def load(path: Path, group: Sequence[str], version: bytes, format: int = FORMAT) -> Copy:
    """Read a copy that was kept."""
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:  # read_table imports what data sets of many files need
            stored = file.read()
        left_out, *remarks = json.loads(stored.schema.metadata[DONE])
        series = nw.from_native(stored, eager_only=True)
        columns = {name: array_of(series[name]).astype(np.float64) for name in group}
        strata = [name for name in stored.column_names if name not in columns]
        levels = {name: tuple(stored[name].to_pylist()) for name in strata}
        return Copy(columns, levels, version.hex()[:16], int(left_out), tuple(remarks), format)
    except Exception:
        raise InputError(
            f"the protected copy {str(path)!r} cannot be read; move it away to have it made again"
        ) from None
