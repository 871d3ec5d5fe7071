"""How far figures of rows may be off by chance, where several rows are one person's.

Rows of one person are alike, so that a hundred rows of ten persons say less than those of a
hundred. Persons are drawn independently, and their rows come along: each person's part in a figure
is summed first, and the variance is that of these sums (linearisation, or the sandwich, by
clusters). Where each has one row, all is as it is without persons.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.estimates.weighted import rows_worth


def sums_by_person(parts: Floats, persons: Labels) -> Floats:
    """Return the sum of the parts of each person.

    Examples
    --------
    >>> sums_by_person(np.array([1.0, 2.0, 4.0]), np.array([7, 7, 3])).tolist()
    [4.0, 3.0]
    """
    names, place = np.unique(persons, return_inverse=True)
    sums: Floats = np.bincount(place, parts, len(names)).astype(float)
    return sums


def error_by_persons(
    values: Floats, persons: Labels, weights: Floats | None = None
) -> tuple[float, int]:
    """Return the standard error of a mean, and how many persons it is of.

    References
    ----------
    Binder, "On the variances of asymptotically normal estimators from complex surveys",
    International Statistical Review 51 (1983); Liang and Zeger, "Longitudinal data analysis using
    generalized linear models", Biometrika 73 (1986).

    Examples
    --------
    The rows of two persons have the means 2 and 6: these are 4 ± 2.

    >>> error_by_persons(np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, 1]))
    (2.0, 2)
    """
    of = np.ones(len(values)) if weights is None else weights / weights.max()
    shares = of / of.sum()
    sums = sums_by_person(shares * (values - shares @ values), persons)
    count = len(sums)
    if count < 2:
        return math.nan, count
    return math.sqrt(count / (count - 1) * float(sums @ sums)), count


def rows_worth_by_persons(has: Floats, persons: Labels, weights: Floats | None = None) -> float:
    """Return how many rows, each a person of its own, say as much of a share as these do.

    `has` is 1 of rows that have what the share is of, and 0 of others. They are no more than the
    rows are worth; of a share of 0 or 1, where nothing varies, as if each person's rows agreed.

    Examples
    --------
    >>> has, persons = np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1])
    >>> rows_worth_by_persons(has, persons)  # .5 (1 - .5) / .5², as .5 is the error of two persons
    1.0
    >>> rows_worth_by_persons(np.ones(4), persons)
    2.0
    """
    of = np.ones(len(has)) if weights is None else weights / weights.max()
    share = float(of @ has) / float(of.sum())
    most = rows_worth(of)
    agreed = rows_worth(sums_by_person(of, persons))
    error, count = error_by_persons(has, persons, weights)
    if not 0 < share < 1 or count < 2 or not error:
        return agreed
    return min(most, share * (1 - share) / error**2)


def rows_worth_of_bars(bars: Labels, persons: Labels, weights: Floats | None = None) -> Floats:
    """Return the same of the share of each of some bars, of which each row lies in one.

    Examples
    --------
    >>> rows_worth_of_bars(np.array([1, 1, 0, 0]), np.array([0, 0, 1, 1])).tolist()
    [1.0, 1.0]
    """
    of = np.ones(len(bars)) if weights is None else weights / weights.max()
    size, (names, place) = int(bars.max()) + 1, np.unique(persons, return_inverse=True)
    pairs, at = np.unique(place.astype(np.int64) * size + bars, return_inverse=True)
    held, of_person = np.bincount(at, of), np.bincount(place, of)
    total, squares, bar = of.sum(), float(of_person @ of_person), pairs % size
    shares = np.bincount(bars, of, size) / total
    both = np.bincount(bar, held * of_person[pairs // size], size)
    spread = np.bincount(bar, held**2, size) - 2 * shares * both + shares**2 * squares
    count = len(names)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = shares * (1 - shares) * total**2 * (count - 1) / count / spread
    varies = (shares > 0) & (shares < 1) & (spread > 0) & (count > 1)
    worth: Floats = np.where(varies, np.minimum(found, rows_worth(of)), total**2 / squares)
    return worth


def log_minus_log_errors(
    times: Floats, happened: NDArray[np.bool_], persons: Labels, at: Floats
) -> Floats:
    """Return the standard error of log(-log(share)) of the product limit at some times.

    Each row's part in the logarithm of the share is summed by persons (the infinitesimal
    jackknife). Of persons with one row each it is Greenwood's. Where the share is 0 or 1 there is
    none, and it is not a number.

    References
    ----------
    Williams, "Product-limit survival functions with correlated survival times", Lifetime Data
    Analysis 1 (1995).

    Examples
    --------
    >>> ends, happened = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, True, False, False])
    >>> error = log_minus_log_errors(ends, happened, np.arange(4), np.array([2.0]))
    >>> bool(np.isclose(error[0], math.sqrt(1 / (4 * 3) + 1 / (3 * 2)) / math.log(2)))
    True
    """
    fell, events = np.unique(times[happened], return_counts=True)
    at_risk = len(times) - np.searchsorted(np.sort(times), fell)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_event = 1.0 / (at_risk - events)
        so_far = np.cumsum(events * of_event / at_risk)
        logs = np.cumsum(np.log1p(-events / at_risk))
    names, place = np.unique(persons, return_inverse=True)
    steps = np.searchsorted(fell, times, "right") - 1
    found = np.full(len(at), np.nan)
    for i, until in enumerate((np.searchsorted(fell, at, "right") - 1).tolist()):
        if until < 0 or not math.isfinite(logs[until]):
            continue
        reached = np.minimum(steps, until)
        parts = np.where(reached >= 0, -so_far[reached], 0.0)
        fallen = happened & (steps <= until)
        parts[fallen] += of_event[steps[fallen]]
        sums = np.bincount(place, parts, len(names))
        found[i] = math.sqrt(float(sums @ sums)) / -logs[until]
    return found
