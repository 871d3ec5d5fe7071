"""What a study asks of a Parquet file, beside DuckDB's own grouped count of the same cells.

A study is opened for each picture, as a command does, and the file is read where it lies. One
picture asks several questions (who looks like a person, where an axis ends, coarser grids), and
DuckDB answers one here. Limits are declared, and the heat map is by suppression, so that both count
the same cells.

Boxes have two peers. One asks what the picture needs: quantiles and ends. The other one holds less:
counts of bins, in which a quantile is still to be found.
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
from discreet.table import Table, open_table
from discreet.table.engine import connect

__all__ = ["JOBS"]

SIZES, TINY = (1_000_000, 10_000_000), 20_000
LIMITS = (-5.0, 5.0)
BINS_OF_HISTOGRAM, GRID = 20, 30
OUTERMOST = 5
QUARTERS = (0.25, 0.5, 0.75)

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


def _policy() -> Policy:
    # Suppression at the full resolution: one count, as DuckDB makes one.
    return Policy.preset(
        "standard",
        rows="condensation",
        limits={"x0": LIMITS, "x1": LIMITS},
        pictures={"histogram": "merge", "heatmap": "suppression"},
    )


OURS: dict[str, Callable[[Path], Any]] = {
    "opening a study": dc.open,
    "histogram": lambda path: dc.open(path, _policy()).histogram("x0"),
    "heat map": lambda path: dc.open(path, _policy()).heatmap("x0", "x1"),
    "bars": lambda path: dc.open(path, rows="condensation").bars("region"),
    "box of counts": lambda path: dc.open(path, rows="condensation").box("income"),
    "boxes of levels, counts": lambda path: dc.open(path, rows="condensation").box(
        "income", by="region"
    ),
    "a proposed policy": proposed_policy,
}

# --- DuckDB's ---------------------------------------------------------------------------------


def _cells(names: Sequence[str], cells: int) -> str:
    width = (LIMITS[1] - LIMITS[0]) / cells
    keys = [CELL.format(name=n, low=LIMITS[0], width=width, last=cells - 1) for n in names]
    finite = " AND ".join(f"isfinite({name})" for name in names)
    return f"SELECT {', '.join(keys)}, count(*) FROM '{{path}}' WHERE {finite} GROUP BY ALL"


COUNTED = "count(*) FROM '{path}'"
FINITE = f"{COUNTED} WHERE isfinite(income)"
ENDS = f"min(income, {OUTERMOST}), max(income, {OUTERMOST})"
BOX = f"quantile_disc(income, [{', '.join(map(str, QUARTERS))}]), {ENDS}"
BINS = "least(floor(income / 10), 65535)::int, min(income), max(income)"
# What an axis needs of each column where nobody says its ends: plain ones stand in the file.
AXES = ", ".join(f"min({it}, 5), max({it}, 5)" for it in ("age", "income", "x0", "x1"))
GROUPED = "GROUP BY 1 ORDER BY 1"

# --- what must be equal -----------------------------------------------------------------------


def _rounded(counts: Iterable[int]) -> list[int]:
    return [5 * ((n + 2) // 5) for n in counts]


def _same_columns(study: dc.Study, rows: list[Row], _: Path) -> bool:
    return list(study.session.table.columns) == [row[0] for row in rows]


def _same_bins(view: dc.HistogramView, rows: list[Row], _: Path) -> bool:
    width = (LIMITS[1] - LIMITS[0]) / BINS_OF_HISTOGRAM
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


def _open(path: Path) -> Table:
    return open_table(path, kinds={}, roles={}, unit=None, key=None)


def _same_quantiles(_: object, rows: list[Row], path: Path) -> bool:
    """Compare the values at some ranks, on which boxes rest, with quantiles and ends."""
    table = _open(path)
    levels = {} if len(rows) == 1 else {"region": {row[0]: i for i, row in enumerate(rows)}}
    values = table.ordered("income", levels)
    spans = []
    for n in values.each:
        ranks = [math.ceil(it * n) - 1 for it in QUARTERS]
        spans.append([(0, OUTERMOST), (n - OUTERMOST, n), *((it, it + 1) for it in ranks)])
    found = values.at_each(spans)
    return values.each == [row[-1] for row in rows] and all(
        [lows.tolist(), highs.tolist()[::-1], [float(it[0]) for it in quarters]]
        == [row[-3], row[-2], row[-4]]
        for row, (lows, highs, *quarters) in zip(rows, found, strict=True)
    )


def _same_ranks(_: object, rows: list[Row], path: Path) -> bool:
    """Compare the values at some ranks, on which boxes rest, with those of the sorted column."""
    table, ranks = _open(path), [(0, 10), (5000, 5010)]
    values = np.sort(table.rows(["income"]).numbers["income"])
    found = table.ordered("income").at(ranks)
    return sum(row[-1] for row in rows) == len(values) and all(
        np.array_equal(one, values[a:b]) for one, (a, b) in zip(found, ranks, strict=True)
    )


def _same_ends(proposed: str, rows: list[Row], _: Path) -> bool:
    return "limits.age = [10, 90]" in proposed and [it[0] for it in rows[0][:2]] == [18, 90]


PLAIN = "DuckDB"
#: What each is compared with: by whom, the statement, and what must be equal.
PEERS: dict[tuple[str, str], tuple[str, Callable[[Any, list[Row], Path], bool]]] = {
    ("opening a study", PLAIN): ("DESCRIBE SELECT * FROM '{path}'", _same_columns),
    ("histogram", PLAIN): (_cells(["x0"], BINS_OF_HISTOGRAM), _same_bins),
    ("heat map", PLAIN): (_cells(["x0", "x1"], GRID), _same_cells),
    ("bars", PLAIN): (f"SELECT region, count(*) FROM '{{path}}' {GROUPED}", _same_levels),
    ("box of counts", "DuckDB, quantiles"): (f"SELECT {BOX}, {FINITE}", _same_quantiles),
    ("box of counts", "DuckDB, bins"): (f"SELECT {BINS}, {COUNTED} GROUP BY 1", _same_ranks),
    ("boxes of levels, counts", "DuckDB, quantiles"): (
        f"SELECT region, {BOX}, {FINITE} {GROUPED}",
        _same_quantiles,
    ),
    ("a proposed policy", PLAIN): (f"SELECT {AXES} FROM '{{path}}'", _same_ends),
}

JOBS = [
    Job(name, peer, SIZES, TINY, partial(_race, OURS[name], *of), 3)
    for (name, peer), of in PEERS.items()
]
