"""What k and the number of people do: many data sets simulated like the stand-in cohort.

As in the paper: the moments of each stratum as observed, a hundred data sets of each size.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import numpy as np

from examples.anonymise import cohort
from examples.anonymise.cohort_figures import PLAN, TERMS
from examples.anonymise.compare import compared

__all__ = ["KS", "PERSONS", "SETS", "SIZES", "Setting", "Spread", "measured", "spreads"]

KS = (3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 46)
SIZES = (50, 100, 200, 500, 1000, 1500, 2000, 2500, 3000)
PERSONS, K_OF_SIZES, SETS = 500, 5, 100
SEED = 2022

Setting = tuple[int, int]
"""How many people a data set has, and its k."""


@dataclass(frozen=True)
class Spread:
    """The mean and the standard deviation of one measure over data sets."""

    mean: float
    sd: float


def measured(number: int, persons: int, ks: Sequence[int]) -> list[dict[str, float]]:
    """Simulate one data set, and measure what each k does to it.

    The same data set serves every k, so that what differs between two k is the k.
    """
    chance = np.random.default_rng([SEED, persons, number])
    table = cohort.drawn(cohort.observed(), cohort.sizes(persons), chance)
    rows = []
    for k in ks:
        found = compared(table, PLAN, k)
        rows.append(
            {
                "U": found.propensity.u,
                **{f"δ {name}": value for name, value in found.displacement.items()},
                **{
                    f"d {TERMS[term]}": moved
                    for term, moved in zip(
                        found.coefficients.terms, found.coefficients.difference, strict=True
                    )
                },
                "risk1": found.risk.risk1.share,
                "risk2": found.risk.risk2.share,
            }
        )
    return rows


def spreads(
    settings: Sequence[Setting],
    sets: int = SETS,
    *,
    workers: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[Setting, dict[str, Spread]]:
    """Simulate so many data sets of each size, and gather each measure of each setting.

    Work is spread over all cores; the answer does not depend on how many there are. `tell` hears
    how far it is.
    """
    by_size: dict[int, list[int]] = {}
    for persons, k in dict.fromkeys(settings):
        by_size.setdefault(persons, []).append(k)
    # A process has one thread, or those of their linear algebra would be in each other's way.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    gathered: dict[Setting, dict[str, Spread]] = {}
    cores = workers or os.cpu_count() or 1
    own = get_context("spawn")  # works on every system
    with ProcessPoolExecutor(cores, mp_context=own, initializer=trust_own_data) as pool:
        found = {
            persons: pool.map(
                partial(measured, persons=persons, ks=ks),
                range(sets),
                chunksize=math.ceil(sets / (4 * cores)),
            )
            for persons, ks in by_size.items()
        }
        for persons, sets_of_size in found.items():
            # One list for each data set, of one entry for each k: turned round.
            for k, rows in zip(by_size[persons], zip(*sets_of_size, strict=True), strict=True):
                gathered[persons, k] = gather(rows)
            tell(f"{sets} data sets of {persons} people")
    return gathered


def trust_own_data() -> None:
    """Have scikit-learn skip its checks, which take longer than its sums on tables this small."""
    import sklearn

    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)


def gather(rows: Sequence[dict[str, float]]) -> dict[str, Spread]:
    """Return the mean and the standard deviation of each measure over data sets."""
    ddof = min(1, len(rows) - 1)
    return {
        name: Spread(
            float(np.mean([row[name] for row in rows])),
            float(np.std([row[name] for row in rows], ddof=ddof)),
        )
        for name in rows[0]
    }
