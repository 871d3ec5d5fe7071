"""What a study asks of a Parquet file, beside DuckDB's own grouped count of the same cells.

A study is opened for each picture, as a command does, and the file is read where it lies. One
picture asks several questions (who looks like a person, where an axis ends, coarser grids), and
DuckDB answers one here. Limits are declared, and the heat map is by suppression, so that both count
the same cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import discreet as dc
from benchmarks.job import Job, Race
from discreet.policy import Policy
from discreet.study.guesses import proposed_policy
from discreet.table import open_table
from discreet.table.engine import connect

__all__ = ["JOBS"]

SIZES, TINY = (1_000_000, 10_000_000), 20_000
LIMITS = (-5.0, 5.0)
BINS, GRID = 20, 30
RANKS = [(0, 10), (5000, 5010)]

CELL = "least(greatest(floor(({name} - {low}) / {width} + 1e-9), 0), {last})::int"

Row = tuple[Any, ...]


def _written(folder: Path, rows: int) -> Path:
    """Write numbers that nearly all differ, whole ones, and levels."""
    path = folder / f"mixed-{rows}.parquet"
    if not path.exists():
        normal = "sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())"
        kept = connect()  # which is closed with its holder
        kept.connection.execute(
            f"""COPY (SELECT {normal} AS x0, {normal} AS x1, exp(9.8 + 0.7 * {normal}) AS income,
            (18 + floor(73 * pow(random(), 1.3)))::INTEGER AS age,
            ['north', 'south', 'east', 'west'][1 + floor(4 * random())::INT] AS region
            FROM range({rows})) TO '{path}' (FORMAT parquet)"""
        )
    return path


def _asked(path: Path, query: str) -> list[Row]:
    kept = connect()
    found: list[Row] = kept.connection.execute(query.format(path=path)).fetchall()
    return found


def _race(
    ours: Callable[[Path], Any],
    query: str,
    equal: Callable[[Any, list[Row], Path], bool],
    n: int,
    folder: Path,
) -> Race:
    path = _written(folder, n)
    return Race(
        partial(ours, path),
        partial(_asked, path, query),
        lambda found, rows: equal(found, rows, path),
    )


# --- ours -------------------------------------------------------------------------------------


def _policy() -> Policy:
    # Suppression at the full resolution: one count, as DuckDB makes one.
    return Policy.preset(
        "standard",
        limits={"x0": LIMITS, "x1": LIMITS},
        pictures={"histogram": "merge", "heatmap": "suppression"},
    )


OURS: dict[str, Callable[[Path], Any]] = {
    "opening a study": dc.open,
    "histogram": lambda path: dc.open(path, _policy()).histogram("x0"),
    "heat map": lambda path: dc.open(path, _policy()).heatmap("x0", "x1", source="counts"),
    "bars": lambda path: dc.open(path).bars("region"),
    "box of counts": lambda path: dc.open(path).box("income", source="counts"),
    "means by a level, counts": lambda path: dc.open(path).means(
        "income", "region", source="counts"
    ),
    "a proposed policy": proposed_policy,
}

# --- DuckDB's ---------------------------------------------------------------------------------


def _cells(names: Sequence[str], cells: int) -> str:
    width = (LIMITS[1] - LIMITS[0]) / cells
    keys = [CELL.format(name=n, low=LIMITS[0], width=width, last=cells - 1) for n in names]
    finite = " AND ".join(f"isfinite({name})" for name in names)
    return f"SELECT {', '.join(keys)}, count(*) FROM '{{path}}' WHERE {finite} GROUP BY ALL"


INCOME = "least(floor(income / 10), 65535)::int"
# What an axis needs of each column where nobody says its ends: plain ones stand in the file.
OUTERMOST = ", ".join(f"min({it}, 5), max({it}, 5)" for it in ("age", "income", "x0", "x1"))
QUERIES = {
    "opening a study": "DESCRIBE SELECT * FROM '{path}'",
    "histogram": _cells(["x0"], BINS),
    "heat map": _cells(["x0", "x1"], GRID),
    "bars": "SELECT region, count(*) FROM '{path}' GROUP BY 1 ORDER BY 1",
    "box of counts": f"SELECT {INCOME}, count(*), min(income), max(income)"
    " FROM '{path}' GROUP BY 1",
    "means by a level, counts": "SELECT region, count(*), avg(income), max(income)"
    " FROM '{path}' GROUP BY 1 ORDER BY 1",
    "a proposed policy": f"SELECT {OUTERMOST} FROM '{{path}}'",
}

# --- what must be equal -----------------------------------------------------------------------


def _rounded(counts: Iterable[int]) -> list[int]:
    return [5 * ((n + 2) // 5) for n in counts]


def _same_columns(study: dc.Study, rows: list[Row], _: Path) -> bool:
    return list(study.session.table.columns) == [row[0] for row in rows]


def _same_bins(view: dc.HistogramView, rows: list[Row], _: Path) -> bool:
    width = (LIMITS[1] - LIMITS[0]) / BINS
    ends = [round((edge - LIMITS[0]) / width) for edge in view.edges]
    held = {row[0]: row[1] for row in rows}
    joined = [sum(held.get(i, 0) for i in range(a, b)) for a, b in pairwise(ends)]
    return list(view.counts) == _rounded(joined)


def _same_cells(view: dc.GridView, rows: list[Row], _: Path) -> bool:
    shown = {(i, j): c for i, row in enumerate(view.counts) for j, c in enumerate(row) if c}
    counted = [row for row in rows if row[2] >= 5]
    theirs = _rounded(row[2] for row in counted)
    return shown == {row[:2]: n for row, n in zip(counted, theirs, strict=True)}


def _same_levels(view: dc.BarView, rows: list[Row], _: Path) -> bool:
    return [*zip(view.levels, view.counts, strict=True)] == [
        *zip((row[0] for row in rows), _rounded(row[1] for row in rows), strict=True)
    ]


def _same_ranks(_: object, rows: list[Row], path: Path) -> bool:
    """Compare the values at some ranks, on which boxes rest, with those of the sorted column."""
    table = open_table(path, kinds={}, roles={}, unit=None, key=None)
    values = np.sort(table.rows(["income"]).numbers["income"])
    found = table.ordered("income").at(RANKS)
    return sum(row[1] for row in rows) == len(values) and all(
        np.array_equal(one, values[a:b]) for one, (a, b) in zip(found, RANKS, strict=True)
    )


def _same_means(table: Any, rows: list[Row], _: Path) -> bool:
    """Compare means, which are rounded to a number that stands beside them."""
    found = {(it.group, it.figure): it.value for it in table.figures}
    return all(
        math.isclose(
            found[(("region", level),), "mean"],
            mean,
            abs_tol=found[(("region", level),), "rounded to"],
        )
        for level, _, mean, _ in rows
    )


def _same_ends(proposed: str, rows: list[Row], _: Path) -> bool:
    return "limits.age = [10, 90]" in proposed and [it[0] for it in rows[0][:2]] == [18, 90]


EQUAL: dict[str, Callable[[Any, list[Row], Path], bool]] = {
    "opening a study": _same_columns,
    "histogram": _same_bins,
    "heat map": _same_cells,
    "bars": _same_levels,
    "box of counts": _same_ranks,
    "means by a level, counts": _same_means,
    "a proposed policy": _same_ends,
}

JOBS = [
    Job(name, "DuckDB", SIZES, TINY, partial(_race, OURS[name], QUERIES[name], EQUAL[name]), 3)
    for name in OURS
]
