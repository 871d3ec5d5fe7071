"""Rounding one column of a million values, as ratios to peers in the same run.

From unsorted input to written means for everybody, by the way every user goes: a column in order,
its rounding set, and that applied to the column. A peer that gives labels has its means written
by numpy. Peers are microagg1d (the quickest of its methods at each k, found in a first run),
kmeans1d on centred data, scikit-learn's KBinsDiscretizer, and `np.argsort` of the same column,
which gives nothing but an order. Sums of squares are compared first, rounds are interleaved,
medians are compared. Run with `make bench`, or alone; with microagg1d and kmeans1d installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.rounding.base import RegionMethod, sorted_column
from discreet.rounding.clusters import KMeans, Resampling
from discreet.rounding.groups import Mdav, Optimal, VMdav
from discreet.rounding.intervals import EqualFrequency, EqualWidth
from discreet.rounding.rounding_set import rounding_set

__all__ = ["main"]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
Work = Callable[[], Floats]

SMALL, LARGE = 100_000, 1_000_000
SIZES_OF_GROUPS = (3, 10, 100, 1000)
REGIONS, ROUNDS, LONG_ROUNDS = 25, 7, 3
PEER_METHODS = ("simple", "galil_park", "staggered", "wilber")

FIRST_CALL = """
import time
import numpy as np
from discreet.rounding import {name}
from discreet.rounding.rounding_set import rounding_set
from discreet.rounding.base import sorted_column
x = np.random.default_rng(0).normal(size=30_000)
start = time.perf_counter()
rounding_set(sorted_column(x), {name}(5)).encode(x)
print(time.perf_counter() - start)
"""


def main() -> None:
    """Print a line for each method, parameter and peer."""
    load = os.getloadavg()[0]
    print(f"rounding {LARGE:,} lognormal values: load {load:.2f}, median of {ROUNDS} rounds")
    print("method              peer                   discreet ms     peer ms   peer/discreet")
    x = np.random.default_rng(1).lognormal(size=LARGE)
    _microaggregation(x)
    _clusters(x)
    _intervals(x)
    _growth(x)
    _first_calls()


def _microaggregation(x: Floats) -> None:
    for k in SIZES_OF_GROUPS:
        for method in (Optimal(k), Mdav(k), VMdav(k)):
            work: dict[str, Callable[[], Any]] = {
                "discreet": _ours(x, method),
                "np.argsort": lambda: np.argsort(x),
            }
            if isinstance(method, Optimal) and find_spec("microagg1d"):
                name, peer = _quickest_peer(x, k)
                _assert_no_loss(x, work["discreet"](), peer(), name)
                work[name] = peer
            _report(f"{method.name} k={k}", _race(work, ROUNDS))


def _quickest_peer(x: Floats, k: int) -> tuple[str, Work]:
    """Return microagg1d's quickest method, and its work; the first call of each compiles."""
    univariate_microaggregation = import_module("microagg1d").univariate_microaggregation

    def work(method: str) -> Work:
        return lambda: _means(x, univariate_microaggregation(x, k, method=method))

    times = {}
    for method in PEER_METHODS:
        univariate_microaggregation(x[:1000], 3, method=method)
        times[method] = _timed(work(method))
    best = min(times, key=lambda method: times[method])
    return f"microagg1d {best}", work(best)


def _clusters(x: Floats) -> None:
    work = {"discreet": _ours(x, KMeans(REGIONS, exact=True))}
    near = _ours(x, KMeans(REGIONS))
    if find_spec("kmeans1d"):
        kmeans1d = import_module("kmeans1d")

        def peer() -> Floats:
            mean = x.mean()
            labels, points = kmeans1d.cluster(x - mean, REGIONS)
            written: Floats = (np.array(points) + mean)[np.array(labels)]
            return written

        _assert_no_loss(x, work["discreet"](), peer(), "kmeans1d")
        work["kmeans1d"] = peer
    exact_cost, cost = _cost(x, work["discreet"]()), _cost(x, near())
    times = _race(work | {"near": near}, LONG_ROUNDS)
    fast = times.pop("near")
    _report(f"kmeans c={REGIONS} exact", times)
    _report(f"kmeans c={REGIONS}", times | {"discreet": fast})
    print(f"    its cost is {cost / exact_cost:.7f} of the least; rounds: {LONG_ROUNDS}")


def _intervals(x: Floats) -> None:
    """Compare with scikit-learn, whose codes numpy replaces by means.

    Its equal frequencies part no ties either, and differ by the rank at which a quantile lies, so
    costs are held together loosely there.
    """
    from sklearn.preprocessing import KBinsDiscretizer

    pairs: dict[str, tuple[RegionMethod, float]] = {
        "uniform": (EqualWidth(REGIONS), 1e-9),
        "quantile": (EqualFrequency(REGIONS), 1e-3),
    }
    for strategy, (method, tolerance) in pairs.items():

        def peer(strategy: str = strategy) -> Floats:
            bins = KBinsDiscretizer(
                REGIONS, encode="ordinal", strategy=strategy, subsample=None, **_QUANTILES
            )
            return _means(x, bins.fit_transform(x[:, None])[:, 0].astype(np.intp))

        ours = _ours(x, method)
        if not np.isclose(_cost(x, ours()), _cost(x, peer()), rtol=tolerance, atol=0):
            raise SystemExit(f"the costs of {method.name} and KBinsDiscretizer differ")
        work = {"discreet": ours, "KBinsDiscretizer": peer}
        _report(f"{method.name} c={REGIONS}", _race(work, ROUNDS))
    seconds = _race({"discreet": _ours(x, Resampling(REGIONS))}, LONG_ROUNDS)["discreet"]
    print(f"resampling c={REGIONS}: {seconds:.3f} s")


_QUANTILES = {"quantile_method": "averaged_inverted_cdf"}


def _growth(x: Floats) -> None:
    methods = (Optimal(10), Mdav(10), VMdav(10), KMeans(REGIONS), KMeans(REGIONS, exact=True))
    for method in methods:
        work = {"small": _ours(x[:SMALL], method), "large": _ours(x, method)}
        times = _race(work, LONG_ROUNDS)
        exponent = np.log(times["large"] / times["small"]) / np.log(LARGE / SMALL)
        print(f"{method}: grows with rows to the power {exponent:.2f}")


def _first_calls() -> None:
    """Print what the first call costs: compiled anew, and found compiled."""
    for name in ("Optimal", "Mdav", "VMdav", "KMeans"):
        seconds = []
        command = [sys.executable, "-c", FIRST_CALL.format(name=name)]
        with TemporaryDirectory() as folder:  # empty at first, and what was compiled at last
            for _ in range(2):
                env = os.environ | {"NUMBA_CACHE_DIR": folder}
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
                seconds.append(float(done.stdout))
        print(
            f"{name}: first call {seconds[0]:.2f} s compiling, {seconds[1]:.2f} s compiled before"
        )


def _ours(x: Floats, method: RegionMethod) -> Work:
    return lambda: rounding_set(sorted_column(x), method).encode(x)


def _means(x: Floats, labels: Labels) -> Floats:
    """Write the mean of each group over its rows."""
    sizes = np.bincount(labels)
    means = np.bincount(labels, x) / np.maximum(sizes, 1)
    written: Floats = means[labels]
    return written


def _cost(x: Floats, written: Floats) -> float:
    return float(((x - written) ** 2).sum())


def _assert_no_loss(x: Floats, ours: Floats, theirs: Floats, peer: str) -> None:
    """Stop if the peer found a better partition; say so if it found a worse one."""
    ratio = _cost(x, theirs) / _cost(x, ours)
    if ratio < 1 - 1e-9:
        raise SystemExit(f"{peer} has a lower cost")
    if ratio > 1 + 1e-9:
        print(f"    {peer} has {ratio:.9f} of our cost")


def _race(work: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    for each in work.values():
        each()  # whatever is compiled is compiled now
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, each in work.items():
            times[name].append(_timed(each))
    return {name: median(found) for name, found in times.items()}


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _report(name: str, times: Mapping[str, float]) -> None:
    own = times["discreet"]
    for peer, theirs in times.items():
        if peer != "discreet":
            line = f"{name:<20}{peer:<22}{1000 * own:12.1f}{1000 * theirs:12.1f}"
            print(f"{line}{theirs / own:16.2f}")


if __name__ == "__main__":
    main()
