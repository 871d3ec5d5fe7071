"""How near a copy is, as an analyst would measure it: means, means of groups, pairs, gaps.

Errors are in standard errors of the raw data, so that 1 is as far off as another sample is; pairs
are the distance of two-way tables in times a resample's.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations, product
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import ks_2samp

from discreet.measure.pairs import Side

__all__ = ["frame_of", "nearness"]

FEWEST_ROWS = 30
"""Means and gaps are compared of levels with at least so many rows."""
NEAR_NOUGHT = 0.1
"""A mean below so many sds is not compared as a share of itself."""
EIGHTHS, MOST_LEVELS, MOST_PAIRS = 8, 15, 300
FAR = 4.0
"""So many standard errors are far."""

Codes = NDArray[np.intp]
Whose: TypeAlias = "pd.Series[int] | None"
"""Whose each row of a table is; None where each is a person's."""


def frame_of(side: Side) -> pd.DataFrame:
    """Return a table with missing levels as None."""
    levels = {name: [it or None for it in words] for name, words in side.levels.items()}
    return pd.DataFrame({**side.numbers, **levels})


def nearness(
    raw: Side, copy: Side, noted: Collection[str] = (), persons: Codes | None = None
) -> dict[str, float]:
    """Return how far a copy is from its raw table; `noted` columns are left out of the worst mean.

    `persons` say whose each raw row is: standard errors are then by people.

    "means" and "groups" are root mean squares in standard errors, "worst" is the mean that is
    farthest off in percent of itself, "beyond" the percentage of means of groups that are more
    than 4 standard errors off, "slope" how large differences of groups are in the copy for 1 in
    the data, "pairs" times a resample, "columns" the mean Kolmogorov-Smirnov distance in points,
    "gaps" the mean error of shares of missing values by levels, in points.
    """
    a, b = frame_of(raw), frame_of(copy)
    whose = None if persons is None else pd.Series(persons)
    numbers = [name for name in raw.numbers if name in copy.numbers]
    levels = [name for name in raw.levels if name in copy.levels]
    out = _of_means(a, b, numbers, noted, whose)
    out |= _of_groups(a, b, numbers, levels, whose)
    out["pairs"] = _of_pairs(a, b, numbers, levels)
    distances = [float(ks_2samp(a[name].dropna(), b[name].dropna()).statistic) for name in numbers]
    if distances:
        out["columns"] = 100 * float(np.mean(distances))
    gaps = _gaps(a, b, [*numbers, *levels], levels)
    if gaps:
        out["gaps"] = 100 * float(np.mean(gaps))
    return out


def _of_means(
    a: pd.DataFrame, b: pd.DataFrame, numbers: list[str], noted: Collection[str], whose: Whose
) -> dict[str, float]:
    off, worst = [], [0.0]
    for name in numbers:
        x, y = a[name].dropna(), b[name].dropna()
        if not x.std():
            continue
        off.append((y.mean() - x.mean()) / _error(x, whose))
        if name not in noted and abs(x.mean()) > NEAR_NOUGHT * x.std():
            worst.append(100 * abs(y.mean() / x.mean() - 1))
    return {"means": _root_mean_square(off), "worst": max(worst)} if off else {}


def _of_groups(
    a: pd.DataFrame, b: pd.DataFrame, numbers: list[str], levels: list[str], whose: Whose
) -> dict[str, float]:
    off, weight, raw, copy = list[float](), list[float](), list[float](), list[float]()
    for name, by in product(numbers, levels):
        x, y = (it[[name, by]].dropna() for it in (a, b))
        spread, found = x[name].std(), y.groupby(by)[name].mean()
        for level, part in x.groupby(by)[name]:
            if len(part) < FEWEST_ROWS or level not in found.index or part.min() == part.max():
                continue
            off.append((found[level] - part.mean()) / _error(part, whose))
            weight.append(len(part))
            raw.append((part.mean() - x[name].mean()) / spread)
            copy.append((found[level] - y[name].mean()) / spread)
    if not off:
        return {}
    r, c, w = map(np.array, (raw, copy, weight))
    return {
        "groups": _root_mean_square(off),
        "beyond": 100 * float((np.abs(off) > FAR).mean()),
        "slope": float((w * r * c).sum() / (w * r * r).sum()),
    }


def _error(values: pd.Series[float], whose: Whose) -> float:
    """Return the standard error of a mean: of rows, or of the sums of people."""
    if whose is None:
        return float(values.sem())
    sums = (values - values.mean()).groupby(whose[values.index]).sum()
    return float(np.sqrt((sums**2).sum())) / len(values)


def _of_pairs(a: pd.DataFrame, b: pd.DataFrame, numbers: list[str], levels: list[str]) -> float:
    random = np.random.default_rng(1)
    coded = {name: _in_eighths(a[name], b[name]) for name in numbers}
    coded |= {name: _in_levels(a[name], b[name]) for name in levels}
    pairs = [*combinations(coded, 2)]
    if len(pairs) > MOST_PAIRS:
        pairs = [pairs[it] for it in random.choice(len(pairs), MOST_PAIRS, replace=False)]
    again = random.integers(0, len(a), len(a))
    found, usual = [], []
    for one, two in pairs:
        (x, z), (u, v) = coded[one], coded[two]
        true = _cells(x, u)
        found.append(np.abs(_cells(z, v) - true).sum())
        usual.append(np.abs(_cells(x[again], u[again]) - true).sum())
    return float(np.sum(found) / np.sum(usual)) if pairs else float("nan")


def _in_eighths(x: pd.Series[float], y: pd.Series[float]) -> tuple[Codes, Codes]:
    edges = np.unique(np.nanquantile(x, np.arange(1, EIGHTHS) / EIGHTHS))
    one, two = (np.where(it.isna(), len(edges) + 1, np.digitize(it, edges)) for it in (x, y))
    return one, two


def _in_levels(x: pd.Series[str], y: pd.Series[str]) -> tuple[Codes, Codes]:
    code = {word: i for i, word in enumerate(x.value_counts().index[:MOST_LEVELS])}
    others = (MOST_LEVELS, MOST_LEVELS + 1)
    one, two = (
        np.array([code.get(it, others[1] if it is None else others[0]) for it in each])
        for each in (x, y)
    )
    return one, two


def _cells(x: Codes, y: Codes) -> NDArray[np.float64]:
    wide = MOST_LEVELS + 2
    return np.bincount(x * wide + y, minlength=wide**2) / len(x)


def _gaps(a: pd.DataFrame, b: pd.DataFrame, names: list[str], levels: list[str]) -> list[float]:
    out = []
    for name, by in product(names, levels):
        if name == by or not a[name].isna().any():
            continue
        found = b[name].isna().groupby(b[by]).mean()
        for level, part in a[name].isna().groupby(a[by]):
            if len(part) >= FEWEST_ROWS and level in found.index:
                out.append(abs(float(found[level]) - float(part.mean())))
    return out


def _root_mean_square(values: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
