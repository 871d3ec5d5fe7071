"""What a study asks of a Parquet file, beside DuckDB's own grouped count of the same cells.

A study is opened for each picture, as a command does, and the file is read where it lies. One
picture asks several questions (who looks like a person, which levels there are), and DuckDB
answers one here. Counts of public data are exact. Limits are declared, and the heat map is by
suppression, so that both count the same cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import discreet as dc
from benchmarks.job import Job, Race
from discreet.custodian.guesses import propose_policy
from discreet.plots.bars import BarChart
from discreet.table.engine import connect

__all__ = ["JOBS"]

SIZES, TINY = (1_000_000, 10_000_000), 20_000
LIMITS = (-5.0, 5.0)
BINS_OF_HISTOGRAM, GRID = 20, 30
LEAST = 5

CELL = "least(greatest(floor(({name} - {low}) / {width} + 1e-9), 0), {last})::int"

Row = tuple[Any, ...]


def _written(folder: Path, rows: int) -> Path:
    """Write numbers that nearly all differ, whole ones, and levels."""
    path = folder / f"mixed-{rows}.parquet"
    if not path.exists():
        normal = "sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())"
        kept = connect()  # which is closed with its holder
        # By chance alone one table in a hundred has a mean that the rules hide.
        kept.connection.execute("SET threads = 1")
        kept.connection.execute("SELECT setseed(0.5)")
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


def _open(path: Path) -> dc.Research:
    limits = {"x0": LIMITS, "x1": LIMITS}
    return dc.research(path, k=LEAST, bins=BINS_OF_HISTOGRAM, grid=GRID, limits=limits)


OURS: dict[str, Callable[[Path], Any]] = {
    "opening a study": dc.open,
    "histogram": lambda path: _open(path).histogram("x0", method="none"),
    "heat map": lambda path: _open(path).heatmap("x0", "x1", method="suppression"),
    "bars": lambda path: _open(path).papers.draw(BarChart("region")),
    "a proposed policy": propose_policy,
}

# --- DuckDB's ---------------------------------------------------------------------------------


def _cells(names: Sequence[str], cells: int) -> str:
    width = (LIMITS[1] - LIMITS[0]) / cells
    keys = [CELL.format(name=n, low=LIMITS[0], width=width, last=cells - 1) for n in names]
    finite = " AND ".join(f"isfinite({name})" for name in names)
    return f"SELECT {', '.join(keys)}, count(*) FROM '{{path}}' WHERE {finite} GROUP BY ALL"


# What an axis needs of each column where nobody says its ends: plain ones stand in the file.
AXES = ", ".join(f"min({it}, 5), max({it}, 5)" for it in ("age", "income", "x0", "x1"))
GROUPED = "GROUP BY 1 ORDER BY 1"

# --- what must be equal -----------------------------------------------------------------------


def _same_columns(study: dc.Study, rows: list[Row], _: Path) -> bool:
    return list(study.session.table.columns) == [row[0] for row in rows]


def _same_bins(view: dc.HistogramView, rows: list[Row], _: Path) -> bool:
    held = {row[0]: row[1] for row in rows}
    return list(view.counts) == [held.get(i, 0) for i in range(BINS_OF_HISTOGRAM)]


def _same_cells(view: dc.GridView, rows: list[Row], _: Path) -> bool:
    shown = {(i, j): c for i, row in enumerate(view.counts) for j, c in enumerate(row) if c}
    return shown == {row[:2]: row[2] for row in rows if row[2] >= LEAST}


def _same_levels(view: dc.BarView, rows: list[Row], _: Path) -> bool:
    return [*zip(view.levels, view.counts, strict=True)] == rows


def _same_ends(proposed: str, rows: list[Row], _: Path) -> bool:
    return "limits.age = [10, 90]" in proposed and [it[0] for it in rows[0][:2]] == [18, 90]


PLAIN = "DuckDB"
#: What each is compared with: by whom, the statement, and what must be equal.
PEERS: dict[tuple[str, str], tuple[str, Callable[[Any, list[Row], Path], bool]]] = {
    ("opening a study", PLAIN): ("DESCRIBE SELECT * FROM '{path}'", _same_columns),
    ("histogram", PLAIN): (_cells(["x0"], BINS_OF_HISTOGRAM), _same_bins),
    ("heat map", PLAIN): (_cells(["x0", "x1"], GRID), _same_cells),
    ("bars", PLAIN): (f"SELECT region, count(*) FROM '{{path}}' {GROUPED}", _same_levels),
    ("a proposed policy", PLAIN): (f"SELECT {AXES} FROM '{{path}}'", _same_ends),
}

JOBS = [
    Job(name, peer, SIZES, TINY, partial(_race, OURS[name], *of), 3)
    for (name, peer), of in PEERS.items()
]
