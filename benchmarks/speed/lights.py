"""What lights up of a copy in sixteen plots when a mark is pointed at, beside DuckDB's counts.

DuckDB counts the same rows in a table of its own in memory, with one question for each plot.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import discreet as dc
from benchmarks.job import Job, Race
from discreet.explore.lights import Axis, Clause, Lights

__all__ = ["JOBS"]

NUMBERS = ("age", "bmi", "glucose", "ldl")
LEVELS = {"sex": ("F", "M"), "ward": ("east", "north", "south")}
EDGES = tuple(float(it) for it in range(-4, 5))
AXES = (
    *(Axis(name, edges=EDGES) for name in NUMBERS),
    *(Axis(name, levels=of) for name, of in LEVELS.items()),
)
PLOTS = [*([axis] for axis in AXES), *(list(pair) for pair in combinations(AXES, 2))][:16]
POINTED = Clause("age", least=0.0, upto=1.0)


def _race(n: int, _: Path) -> Race:
    rng = np.random.default_rng(1)
    columns = {name: rng.normal(size=n) for name in NUMBERS}
    levels = {name: rng.choice(of, n) for name, of in LEVELS.items()}
    study = dc.open(pa.table(columns | levels))
    lights = Lights(study._copy)
    copy = lights.part((), ())[0].copy
    database = duckdb.connect()
    shown = pa.table({**copy.columns, **{name: list(it) for name, it in copy.strata.items()}})
    database.register("shown", shown)
    database.execute("CREATE TABLE rows AS SELECT * FROM shown")
    return Race(
        lambda: [_held(it) for it in lights.counts(PLOTS, [POINTED])[0]],
        lambda: [_counted(database, axes) for axes in PLOTS],
        lambda ours, theirs: ours == theirs,
        database.close,
    )


def _held(counts: NDArray[np.intp]) -> dict[tuple[int, ...], int]:
    """Return the marks that hold rows, and how many."""
    return {tuple(at): int(counts[tuple(at)]) for at in np.argwhere(counts).tolist()}


def _counted(database: duckdb.DuckDBPyConnection, axes: list[Axis]) -> dict[tuple[int, ...], int]:
    marks = ", ".join(map(_mark, axes))
    asked = f"SELECT {marks}, count(*) FROM rows WHERE age >= 0 AND age < 1 GROUP BY ALL"
    return {row[:-1]: row[-1] for row in database.execute(asked).fetchall()}


def _mark(axis: Axis) -> str:
    if axis.levels:
        return f"list_position([{', '.join(map(repr, axis.levels))}], {axis.column}) - 1"
    last = len(axis) - 1
    return f"least(greatest(floor({axis.column} - {EDGES[0]} + 1e-9), 0), {last})::int"


JOBS = [Job("what lights up in 16 plots", "DuckDB", (50_000, 500_000), 2_000, _race)]
