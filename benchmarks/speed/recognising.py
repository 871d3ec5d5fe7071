"""Recognising data: sketches of a table, keys of its rows, and its first save.

Beside a bare read of the same columns, and the picture that is saved. What a read returns is how
many rows it saw.
"""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import discreet as dc
from benchmarks.job import Job, Race
from discreet.keys import row_keys
from discreet.secret import Secret
from discreet.sketch import Sketched, sketched
from discreet.table import Table, open_table

__all__ = ["JOBS"]

SIZES, TINY = (1_000_000, 10_000_000), 1_000
NAMES = ("x0", "x1", "x2", "x3")
SECRET = Secret.from_bytes(bytes(range(32)))


def _written(folder: Path, rows: int) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / f"normal-{rows}.parquet"
    if not path.exists():
        rng = np.random.default_rng(1)
        pq.write_table(pa.table({name: rng.normal(size=rows) for name in NAMES}), path)
    return path


def _table(path: Path) -> Table:
    return open_table(path, kinds={}, roles={}, unit=None, key=None)


def _read(path: Path) -> int:
    """Read all columns part by part, as what does something with them."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        return sum(part.num_rows for part in file.iter_batches(columns=[*NAMES]))


def _sketches_race(n: int, folder: Path) -> Race:
    path = _written(folder, n)

    def equal(found: Sketched, rows: int) -> bool:
        """Compare with the sketches of the batches from the last to the first."""
        parts = list(_table(path).batches(NAMES))
        back = sketched(SECRET, parts[::-1], rows=NAMES)
        marks = [[it.rows.mark, *(one.mark for one in it.columns.values())] for it in (found, back)]
        return rows == n and marks[0] == marks[1]

    return Race(
        lambda: sketched(SECRET, _table(path).batches(NAMES), rows=NAMES),
        partial(_read, path),
        equal,
    )


def _keys_race(n: int, folder: Path) -> Race:
    path = _written(folder, n)
    return Race(
        lambda: row_keys(SECRET, [*_table(path).rows(NAMES).numbers.values()]),
        partial(_read, path),
        lambda keys, rows: len(keys) == rows,
    )


def _save_race(n: int, folder: Path) -> Race:
    path = _written(folder, n)

    def picture() -> dc.View:
        home = tempfile.mkdtemp(dir=folder)  # a register of its own, and the mark that it was begun
        os.environ |= {"DISCREET_STATE": home, "DISCREET_CONFIG": home}
        return dc.research(path).histogram("x0")

    def saved() -> dc.View:
        view = picture()
        view.to_json()
        return view

    return Race(saved, picture, lambda ours, theirs: ours.counts == theirs.counts)


JOBS = [
    Job("sketches of all columns", "a bare read", SIZES, TINY, _sketches_race, rounds=3),
    Job("keys of rows", "a bare read", SIZES, TINY, _keys_race, rounds=3),
    Job("a histogram and its first save", "the histogram", SIZES, TINY, _save_race, rounds=3),
]
