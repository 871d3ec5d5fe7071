"""A protected table with its report, beside the copy of the whole table that it is.

The copy is made anew each time; the peer is a picture of it, which needs no more. A report is
measured on all rows, neighbours on a sample. At most four times the copy is meant: the copy itself,
and a report of three.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

import discreet as dc
from benchmarks.job import Job, Race

__all__ = ["JOBS"]

COLUMNS = 4


def _race(n: int, folder: Path) -> Race:
    x = np.random.default_rng(1).normal(size=(n, COLUMNS)) @ np.eye(COLUMNS).cumsum(axis=0)
    frame = pa.table({f"x{i}": x[:, i] for i in range(COLUMNS)})

    def study() -> dc.Study:
        os.environ["DISCREET_STATE"] = tempfile.mkdtemp(dir=folder)  # no copy is kept there
        return dc.open(frame)

    def equal(release: dc.Release, view: dc.HistogramView) -> bool:
        counted = np.histogram(release.table["x0"], bins=view.edges)[0]
        return bool((counted == np.array(view.counts)).all())

    return Race(lambda: study().anonymize(), lambda: study().histogram("x0"), equal)


JOBS = [Job("copy and report", "the copy alone", (100_000, 1_000_000), 2_000, _race, rounds=1)]
