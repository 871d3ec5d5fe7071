"""Multivariate MDAV and V-MDAV, as ratios to a plain numba MDAV in the same run.

The plain one passes over all rows that are left: once for the farthest from the centroid, and
for each group once for distances and the nearest and once to close the gaps and find the
farthest. Both go from unsorted input to labels and share how rows are standardised and ordered.
Equal labels are asserted first, rounds are interleaved, medians are compared, of seconds of the
processor, for both run on one thread; shapes where it gains least stand beside the others. A
million rows are grouped by ours alone, in seconds of the clock beside them. Compiling (or
loading what was compiled) is timed apart. sdcMicro 5.8.1 (C++, not run here) took 1.15 s for
20,000 x 4, k = 3, where a forerunner of ours took 0.045 s in turns with it, and grows with the
square of the rows. Run with `make bench`, or alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from discreet.protect.base import lexicographic, standardise
from discreet.protect.microaggregation import mdav, vmdav

__all__ = ["main"]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
Function = TypeVar("Function", bound=Callable[..., Any])

ROUNDS = 5
LARGE = 1_000_000

MAKE: dict[str, Callable[[np.random.Generator, int, int], Floats]] = {
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "skewed": lambda rng, n, p: rng.lognormal(size=(n, p)),
    "rounded": lambda rng, n, p: rng.normal(size=(n, p)).round(1),
    "mass ties": lambda rng, n, p: rng.integers(0, 5, size=(n, p)).astype(float),
}

RACES = (
    ("normal", 10_000, 4, 3),
    ("normal", 20_000, 4, 3),
    ("normal", 20_000, 4, 10),
    ("skewed", 20_000, 4, 3),
    ("rounded", 20_000, 4, 3),
    ("mass ties", 20_000, 4, 3),
    ("normal", 20_000, 2, 3),
    ("normal", 20_000, 6, 3),
    ("normal", 100_000, 4, 3),
    ("normal", 100_000, 4, 10),
)


def main() -> None:
    """Print a line for each shape, then one for each method and k that is run alone."""
    _cold()
    print(f"MDAV, load {os.getloadavg()[0]:.2f}, median of {ROUNDS} rounds, one thread")
    print("data        rows       columns   k   discreet s   plain numba s   plain/discreet")
    ours: dict[tuple[int, int], float] = {}
    for kind, rows, columns, k in RACES:
        own, plain = _race(MAKE[kind](np.random.default_rng(1), rows, columns), k)
        print(
            f"{kind:<12}{rows:<11,}{columns:<10}{k:<4}{own:10.3f}{plain:16.3f}{plain / own:17.1f}"
        )
        if rows == 100_000:
            ours[columns, k] = own
    _alone(ours)


def _cold() -> None:
    """Time the first call with nothing compiled, and with all of it kept on the disk."""
    code = (
        "import sys, time, numpy as np\n"
        "from discreet.protect.microaggregation import mdav, vmdav\n"
        "import numba\n"
        "x = np.random.default_rng(0).normal(size=(3000, 4))\n"
        "call = mdav if sys.argv[1] == 'mdav' else vmdav\n"
        "start = time.perf_counter()\n"
        "call(x, 3)\n"
        "first = time.perf_counter() - start\n"
        "call(x, 3)\n"
        "print(first - (time.perf_counter() - start - first))\n"
    )
    for name in ("mdav", "vmdav"):
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"NUMBA_CACHE_DIR": folder}
            command = [sys.executable, "-c", code, name]
            taken = [
                subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                for _ in range(2)
            ]
        compiling, loading = (float(done.stdout) for done in taken)
        print(f"{name}: compiling {compiling:.1f} s, once; loading it again {loading:.2f} s")


def _race(x: Floats, k: int) -> tuple[float, float]:
    if not np.array_equal(mdav(x, k), _plain(x, k)):
        raise SystemExit("the groups differ")
    own, plain = [], []
    for _ in range(ROUNDS):
        own.append(_timed(lambda: mdav(x, k)))
        plain.append(_timed(lambda: _plain(x, k)))
    return median(own), median(plain)


def _alone(ours: dict[tuple[int, int], float]) -> None:
    x = np.random.default_rng(1).normal(size=(LARGE, 4))
    for k in (3, 10):
        _print_growth("MDAV", k, lambda k=k: mdav(x, k), ours[4, k])  # type: ignore[misc]
    vmdav(x[:3000], 3)
    small = median(_timed(lambda: vmdav(x[:100_000], 3)) for _ in range(ROUNDS))
    _print_growth("V-MDAV", 3, lambda: vmdav(x, 3), small)


def _print_growth(name: str, k: int, work: Callable[[], object], small: float) -> None:
    start = time.perf_counter()
    large = _timed(work)
    clock = time.perf_counter() - start
    power = np.log(large / small) / np.log(LARGE / 100_000)
    print(
        f"{name}, k = {k}: {LARGE:,} x 4 in {large:.1f} s ({clock:.1f} s by the clock);"
        f" 100,000 x 4 in {small:.2f} s; grows to the power {power:.2f}"
    )


def _timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


# --- the plain version ------------------------------------------------------------------------


def _plain(x: Floats, k: int) -> Labels:
    z = standardise(x)[0]
    order = lexicographic(z, x)
    labels = np.empty(len(x), dtype=np.intp)
    labels[order] = _plain_groups(z[order], k)
    return labels


def compiled(function: Function) -> Function:
    return cast("Function", numba.njit(nogil=True)(function))


@compiled
def _add(sums: Floats, j: int, value: float) -> None:
    high = sums[0, j] + value
    back = high - sums[0, j]
    low = (sums[0, j] - (high - back)) + (value - back) + sums[1, j]
    sums[0, j] = high + low
    sums[1, j] = low - (sums[0, j] - high)


@compiled
def _farthest(rows: Floats, left: int, point: Floats) -> int:
    far, found = -1.0, 0
    for i in range(left):
        gap = 0.0
        for j in range(point.size):
            gap += (rows[i, j] - point[j]) * (rows[i, j] - point[j])
        if gap > far:
            far, found = gap, i
    return found


@compiled
def _nearest(
    rows: Floats, left: int, point: Floats, gaps: Floats, least: Floats, found: Labels
) -> None:
    held = 0
    for i in range(left):
        gap = 0.0
        for j in range(point.size):
            gap += (rows[i, j] - point[j]) * (rows[i, j] - point[j])
        gaps[i] = gap
        if held < found.size or gap < least[held - 1]:
            held = min(held + 1, found.size)
            at = held - 1
            while at and least[at - 1] > gap:
                least[at], found[at] = least[at - 1], found[at - 1]
                at -= 1
            least[at], found[at] = gap, i


@compiled
def _close_gaps(rows: Floats, names: Labels, gaps: Floats, left: int) -> tuple[int, int]:
    """Move up the rows that stay; return how many do, and the farthest of them."""
    stay, far, found = 0, -1.0, 0
    for i in range(left):
        if gaps[i] < 0.0:
            continue
        if gaps[i] > far:
            far, found = gaps[i], stay
        if stay != i:
            for j in range(rows.shape[1]):
                rows[stay, j] = rows[i, j]
            names[stay] = names[i]
        stay += 1
    return stay, found


@compiled
def _plain_groups(ordered: Floats, k: int) -> Labels:
    n, p = ordered.shape
    rows, names = ordered.copy(), np.arange(n)
    labels = np.empty(n, dtype=np.intp)
    gaps, least, found = np.empty(n), np.empty(k), np.empty(k, dtype=np.intp)
    sums, point = np.zeros((2, p)), np.empty(p)
    for i in range(n):
        for j in range(p):
            _add(sums, j, rows[i, j])
    left, made = n, 0
    while left >= 2 * k:
        for j in range(p):
            point[j] = sums[0, j] / left
        far = _farthest(rows, left, point)
        for _ in range(2 if left >= 3 * k else 1):
            for j in range(p):
                point[j] = rows[far, j]
            _nearest(rows, left, point, gaps, least, found)
            for one in found:
                labels[names[one]] = made
                gaps[one] = -1.0
                for j in range(p):
                    _add(sums, j, -rows[one, j])
            made += 1
            left, far = _close_gaps(rows, names, gaps, left)
    for i in range(left):
        labels[names[i]] = made
    return labels


if __name__ == "__main__":
    main()
