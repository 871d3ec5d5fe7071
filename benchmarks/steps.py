"""The five steps of deterministic anonymisation (2022), as ratios to peers in the same run.

Twelve strata, k = 3. Peers share one pipeline and differ in how neighbours are found:
scikit-learn's NearestNeighbors on two threads, scipy's cKDTree queried in the order of its tree on
two threads, and, where Rscript and RANN are installed, R's `RANN::nn2` with a loop over rows as
DataSHIELD's server functions have it. Equal results are asserted first, rounds are interleaved,
medians are compared, and growth over the rows is printed. Run with `make bench`, or alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from discreet.protect import deterministic

__all__ = ["main"]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

SIZES = (100_000, 1_000_000)
COLUMNS = (2, 4)
STRATA, K, ROUNDS, THREADS = 12, 3, 3, 2

IN_R = """
library(RANN)
d <- as.integer(commandArgs(TRUE)[1]); n <- as.integer(commandArgs(TRUE)[2])
folder <- commandArgs(TRUE)[3]
x <- matrix(readBin(file.path(folder, "x"), "double", n * d), ncol = d)
s <- readBin(file.path(folder, "s"), "integer", n)
start <- proc.time()[["elapsed"]]
z <- scale(x)
out <- z
for (g in unique(s)) {
  rows <- which(s == g)
  part <- z[rows, , drop = FALSE]
  near <- nn2(part, k = 3)$nn.idx
  centroids <- matrix(NA, nrow(part), d)
  for (i in seq_len(nrow(part))) {
    for (j in seq_len(d)) centroids[i, j] <- mean(part[near[i, ], j])
  }
  out[rows, ] <- centroids
}
for (j in seq_len(d)) out[, j] <- out[, j] * (sd(x[, j]) / sd(out[, j])) + mean(x[, j])
cat(proc.time()[["elapsed"]] - start, "\\n")
writeBin(as.vector(out), file.path(folder, "out"))
"""


def main() -> None:
    """Print a line for each size, number of columns and peer."""
    load = os.getloadavg()[0]
    print(f"five steps, {STRATA} strata, k = {K}: load {load:.2f}, median of {ROUNDS} rounds")
    print("rows        columns  peer                discreet s     peer s   discreet/peer")
    ours: dict[tuple[int, int], float] = {}
    for rows in SIZES:
        for columns in COLUMNS:
            for peer, (own, theirs) in _race(rows, columns).items():
                ratio = own / theirs
                print(f"{rows:<12,}{columns:<9}{peer:<18}{own:12.3f}{theirs:11.3f}{ratio:16.2f}")
                ours[rows, columns] = own
    for columns in COLUMNS:
        growth = np.log(ours[SIZES[1], columns] / ours[SIZES[0], columns])
        exponent = growth / np.log(SIZES[1] / SIZES[0])
        print(f"{columns} columns: grows with rows to the power {exponent:.2f}")


def _race(rows: int, columns: int) -> dict[str, tuple[float, float]]:
    rng = np.random.default_rng(1)
    x, strata = rng.normal(size=(rows, columns)), rng.integers(0, STRATA, rows)
    peers: dict[str, Callable[[], Floats]] = {
        "cKDTree, 2 threads": lambda: _pipeline(x, strata, _scipy),
        "scikit-learn": lambda: _pipeline(x, strata, _sklearn),
    }
    expected = deterministic(x, K, strata)
    for name, peer in peers.items():
        if not np.allclose(peer(), expected, rtol=0, atol=1e-9):
            raise SystemExit(f"the rows of {name} differ")
    times: dict[str, list[float]] = {name: [] for name in ("discreet", *peers)}
    for _ in range(ROUNDS):
        times["discreet"].append(_timed(lambda: deterministic(x, K, strata)))
        for name, peer in peers.items():
            times[name].append(_timed(peer))
    own = median(times.pop("discreet"))
    out = {name: (own, median(found)) for name, found in times.items()}
    seconds = _in_r(x, strata, expected)
    return out if seconds is None else out | {"R, RANN and loop": (own, seconds)}


def _pipeline(x: Floats, strata: Labels, nearest: Callable[[Floats], Floats]) -> Floats:
    mean, sd = x.mean(axis=0), x.std(axis=0, ddof=1)
    z = (x - mean) / sd
    out = np.empty_like(z)
    order = np.argsort(strata, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(strata[order])) + 1):
        out[rows] = nearest(z[rows])
    scaled: Floats = out * (sd / out.std(axis=0, ddof=1)) + mean
    return scaled


def _scipy(z: Floats) -> Floats:
    from scipy.spatial import cKDTree

    tree = cKDTree(z)
    near = tree.query(z[tree.indices], k=K, workers=THREADS)[1]
    out = np.empty_like(z)
    out[tree.indices] = z[near].mean(axis=1)
    return out


def _sklearn(z: Floats) -> Floats:
    from sklearn.neighbors import NearestNeighbors

    found = NearestNeighbors(n_neighbors=K, algorithm="kd_tree", n_jobs=THREADS).fit(z)
    out: Floats = z[found.kneighbors(z, return_distance=False)].mean(axis=1)
    return out


def _in_r(x: Floats, strata: Labels, expected: Floats) -> float | None:
    """Return the seconds that R takes, without reading and writing; None where it is not there."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "x").write_bytes(np.asfortranarray(x).tobytes(order="F"))
        (folder / "s").write_bytes(strata.astype(np.int32).tobytes())
        (folder / "steps.R").write_text(IN_R)
        words = [str(x.shape[1]), str(x.shape[0]), name]
        command = ["Rscript", str(folder / "steps.R"), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:  # RANN is not installed
            return None
        found = np.fromfile(folder / "out").reshape(x.shape, order="F")
        if not np.allclose(found, expected, rtol=0, atol=1e-8):
            raise SystemExit("the rows of R differ")
        return float(done.stdout.split()[-1])


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
