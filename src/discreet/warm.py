"""Compiling all kernels ahead, so that nobody waits for them later.

Kernels are compiled for the types that they are called with. So what calls them is called here,
with made-up numbers, of as few rows as need a kernel.
"""

from __future__ import annotations

import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError
from discreet.keys import row_keys
from discreet.methods import deterministic, mdav, vmdav
from discreet.methods.copies import Draws, Levels, Settings
from discreet.methods.whole import whole_copy
from discreet.parallel import bin_of_records, cluster_jointly, cluster_pair, members, pair_bins
from discreet.progress import advance, listening
from discreet.rounding import EqualWidth, KMeans, chimerge, optimal, rounding_set, sorted_column
from discreet.rounding.rounding_set import regions_of
from discreet.secret import Secret

NOWHERE = (
    "compiled kernels can be kept nowhere: neither beside the package nor in the user's cache"
    " folder may be written; let one of them be writable, or name a folder in the environment"
    " variable NUMBA_CACHE_DIR"
)
K = 5
FEW, MANY = 3_000, 20_001
"""Rows that are enough for kernels of rows, and of columns."""
HEIGHT = 400


def warm() -> int:
    """Compile all kernels, and return how many were not compiled before.

    They are kept for the next start, beside the package or in the user's cache folder; where there
    is neither, that is refused.
    """
    from discreet.kernels.compiled import kept_kernels

    before = kept_kernels()
    if not before.writable:
        raise InputError(NOWHERE)
    if before.missing:
        for done, step in enumerate(STEPS):
            advance("compiling kernels", done, len(STEPS))
            with listening(_to_nobody):
                step()
    return len(before.missing) - len(kept_kernels().missing)


def _to_nobody(task: str, done: int, total: int) -> None:
    """Keep the progress of each step from whoever is shown that of all."""


def _numbers(rows: int) -> Floats:
    """Return numbers below 1 that all differ: what is left of multiples of irrational ones."""
    numbers: Floats = np.arange(float(rows))[:, None] * np.sqrt([2.0, 3.0, 5.0]) % 1.0
    return numbers


def _group_rows() -> None:
    mdav(_numbers(FEW), K)


def _group_rows_by_gain() -> None:
    vmdav(_numbers(FEW), K)


def _find_near_rows_as_r() -> None:
    deterministic(_numbers(FEW // 10), K, ties="tree")


def _group_a_column() -> None:
    column = _numbers(FEW)[:, 0]
    mdav(column, K)
    vmdav(column, K)
    optimal(column, K)


def _round_a_column() -> None:
    column = _numbers(MANY)[:, 0]
    rounding_set(sorted_column(column), KMeans(MANY // 20))
    many = rounding_set(sorted_column(column), EqualWidth(MANY // K))
    many.encode(column)
    regions_of(column, many.edges)


def _round_by_a_class() -> None:
    chimerge(_numbers(FEW)[:, 0], np.arange(FEW) % 3)


def _cluster_pairs() -> None:
    left, right, _ = np.floor(_numbers(FEW) * HEIGHT).astype(int).T
    bins = pair_bins(left, right, (HEIGHT, HEIGHT))
    for kinds in (("continuous", "continuous"), ("continuous", "categorical")):
        clusters = cluster_pair(bins, K, kinds)
    members(clusters, bins, bin_of_records(bins, left, right), np.arange(FEW))


def _cluster_jointly() -> None:
    cluster_jointly(np.floor(_numbers(FEW // 10) * HEIGHT).astype(int), K)


def _copy_a_table() -> None:
    left, right, _ = _numbers(FEW // 10).T
    secret = Secret.from_bytes(bytes(range(32)))  # of made-up numbers, which nobody is shown
    draws = Draws(secret, b"warm", row_keys(secret, [left, right]))
    levels = {"half": Levels(("no", "yes"), (left < 0.5).astype(np.intp))}
    whole_copy({"left": left, "right": right}, levels, draws, Settings(K, 4 * K))


STEPS = (
    _group_rows,
    _group_rows_by_gain,
    _find_near_rows_as_r,
    _group_a_column,
    _round_a_column,
    _round_by_a_class,
    _cluster_pairs,
    _cluster_jointly,
    _copy_a_table,
)
