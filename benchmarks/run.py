"""Speed and memory, as ratios to a peer in the same run. Run with `make bench`.

A histogram (bins joined) and a 30 x 30 heat map (small cells suppressed, so that each side counts
once) of a Parquet file, limits declared by the policy, against
DuckDB's own grouped count of the same cells on the same threads. Rounds are interleaved, equal
results are asserted first, medians are compared, and growth over the rows is printed. How much
memory a picture takes is measured in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np

import discreet as dc

SIZES = (1_000_000, 10_000_000)
COLUMNS = 5
ROUNDS = 7
LIMITS = (-5.0, 5.0)
BINS, GRID = 20, 30

CELL = "least(greatest(floor(({name} - {low}) / {width} + 1e-9), 0), {last})::int"


def main() -> None:
    """Print a line for each size and picture."""
    if sys.argv[1:2] == ["--draw"]:
        _draw_and_tell(sys.argv[2], Path(sys.argv[3]))
        return
    _isolate()
    print(f"load {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, median of {ROUNDS} rounds")
    print("rows        picture     discreet s   DuckDB s   ratio   memory MB above start")
    with tempfile.TemporaryDirectory() as folder:
        times: dict[str, list[float]] = {}
        for rows in SIZES:
            path = Path(folder) / f"{rows}.parquet"
            _write(path, rows)
            for picture in ("histogram", "heatmap"):
                ours, theirs = _race(path, picture)
                times.setdefault(picture, []).append(ours)
                memory = _memory(picture, path)
                print(
                    f"{rows:<12,}{picture:<12}{ours:10.3f}{theirs:11.3f}{ours / theirs:8.2f}"
                    f"{memory:14.0f}"
                )
        for picture, (small, large) in times.items():
            exponent = np.log(large / small) / np.log(SIZES[1] / SIZES[0])
            print(f"{picture} grows with rows to the power {exponent:.2f}")


def _isolate() -> None:
    """Keep secret and ledger of this run out of the user's folders."""
    folder = tempfile.mkdtemp(prefix="discreet-bench-")
    os.environ |= {"DISCREET_STATE": folder, "DISCREET_CONFIG": folder}


def _write(path: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    pq.write_table(pa.table({f"x{i}": rng.normal(size=rows) for i in range(COLUMNS)}), path)


def _policy() -> dc.Policy:
    # Suppression at the full resolution: one count, as DuckDB makes one.
    return dc.Policy.preset(
        "standard",
        limits={"x0": LIMITS, "x1": LIMITS},
        pictures={"histogram": "merge", "heatmap": "suppression"},
    )


def _draw(picture: str, path: Path) -> dc.HistogramView | dc.GridView:
    study = dc.open(path, _policy())
    return study.histogram("x0") if picture == "histogram" else study.heatmap("x0", "x1")


def _duckdb(picture: str, path: Path) -> list[tuple[int, ...]]:
    import duckdb

    names, cells = (["x0"], BINS) if picture == "histogram" else (["x0", "x1"], GRID)
    width = (LIMITS[1] - LIMITS[0]) / cells
    keys = [CELL.format(name=n, low=LIMITS[0], width=width, last=cells - 1) for n in names]
    finite = " and ".join(f"isfinite({name})" for name in names)
    query = f"select {', '.join(keys)}, count(*) from '{path}' where {finite} group by all"
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def _race(path: Path, picture: str) -> tuple[float, float]:
    _check_equal(path, picture)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(_timed(lambda: _draw(picture, path)))
        theirs.append(_timed(lambda: _duckdb(picture, path)))
    return median(ours), median(theirs)


def _check_equal(path: Path, picture: str) -> None:
    """Compare what is shown with DuckDB's counts, rounded and suppressed as the policy says."""
    view, counted = _draw(picture, path), _duckdb(picture, path)
    if isinstance(view, dc.GridView):
        shown = {(i, j): c for i, row in enumerate(view.counts) for j, c in enumerate(row) if c}
        theirs = {(i, j): 5 * ((n + 2) // 5) for i, j, n in counted if n >= 5}
        if shown != theirs:
            raise SystemExit("the heat maps differ")
        return
    width = (LIMITS[1] - LIMITS[0]) / BINS
    ends = [round((edge - LIMITS[0]) / width) for edge in view.edges]
    held = {row[0]: row[1] for row in counted}
    joined = [sum(held.get(i, 0) for i in range(a, b)) for a, b in pairwise(ends)]
    if list(view.counts) != [5 * ((n + 2) // 5) for n in joined]:
        raise SystemExit("the histograms differ")


def _memory(picture: str, path: Path) -> float:
    """Return how much a process's peak memory grows when it draws, in MB (Linux)."""
    done = subprocess.run(
        [sys.executable, __file__, "--draw", picture, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


def _draw_and_tell(picture: str, path: Path) -> None:
    """Draw a small file first, so that all is imported, and print what the large one adds."""
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder) / "small.parquet", 1000)
        _draw(picture, Path(folder) / "small.parquet")
    before = _peak_mb()
    _draw(picture, path)
    print(_peak_mb() - before)


def _peak_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line) / 1024


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
