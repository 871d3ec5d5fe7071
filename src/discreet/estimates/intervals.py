"""How far figures of rows are off: weights, people with several rows, a copy's own error.

Values come in as arrays; whose rows they are is for the caller to say. Weights are a survey's:
finite and above 0, one for each value, and only their ratios matter.

Rows of one person are alike, so that a hundred rows of ten people say less than those of a
hundred. Persons are drawn independently, and their rows come along: each person's part in a figure
is summed first, and the variance is that of these sums (linearisation, or the sandwich, by
clusters). Where each has one row, all is as it is without people.

A copy's own error is found from copies of the copy; nothing raw plays a part. A copy of rows that
are protected already stands to them about as they stand to the data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels

NORMAL = 1.959963984540054
LEVEL = 0.975
"""The interval of a mean lies between the quantiles 1 - LEVEL and LEVEL of t."""
FEWEST = 3
"""So many copies of the copy must have a figure, that it can be said how far it is off."""
NEARLY = 1e-12
"""So near to a share, of all weights, the sum of weights has reached it: sums are rounded."""


# --- weights ------------------------------------------------------------------------------------


def mean_by(values: Floats, weights: Floats) -> float:
    """Return the weighted mean (Hájek's)."""
    return float(_shares(weights, len(values)) @ values)


def sd_by(values: Floats, weights: Floats) -> float:
    """Return the standard deviation in the population, as it is estimated from n rows.

    The weighted mean square around the weighted mean, times n / (n - 1), as `svyvar` of R's package
    survey has it. It does not change where all weights are multiplied by a number.
    """
    n = len(values)
    shares = _shares(weights, n)
    return math.sqrt(n / (n - 1) * float(shares @ (values - shares @ values) ** 2))


def quantiles_by(values: Floats, weights: Floats, shares: tuple[float, ...]) -> tuple[float, ...]:
    """Return quantiles: the least value that holds such a share of all weights, with those below.

    Where the values up to it hold that share and no more, it is the middle between it and the next
    one: `qrule="school"` of `svyquantile` in R's package survey (Francisco and Fuller 1991).

    Examples
    --------
    >>> quantiles_by(np.array([30.0, 10.0, 20.0]), np.array([1.0, 2.0, 1.0]), (0.25, 0.5, 0.6))
    (10.0, 15.0, 20.0)
    """
    order = np.argsort(values, kind="stable")
    ordered, reached = values[order], np.cumsum(_shares(weights, len(values))[order])
    last = len(values) - 1
    quantiles = []
    for share in shares:
        at = min(int(np.searchsorted(reached, share - NEARLY)), last)
        after = min(at + 1, last) if reached[at] <= share + NEARLY else at
        low, high = float(ordered[at]), float(ordered[after])
        quantiles.append(low + (high - low) / 2)
    return tuple(quantiles)


def rows_worth(weights: Floats) -> float:
    """Return how many rows of equal weights say as much of a mean (Kish's effective n)."""
    shares = _shares(weights, len(weights))
    return 1 / float(shares @ shares)


def _relative(weights: Floats | None, n: int) -> Floats:
    """Return weights divided by the largest, for very large ones; 1 for each row without any."""
    return np.ones(n) if weights is None else weights / weights.max()


def _shares(weights: Floats | None, n: int) -> Floats:
    relative = _relative(weights, n)
    shares: Floats = relative / relative.sum()
    return shares


# --- persons with several rows ------------------------------------------------------------------


def sums_by_person(parts: Floats, persons: Labels) -> Floats:
    """Return the sum of the parts of each person."""
    names, place = np.unique(persons, return_inverse=True)
    sums: Floats = np.bincount(place, parts, len(names)).astype(float)
    return sums


def error_by_persons(
    values: Floats, persons: Labels | None, weights: Floats | None = None
) -> tuple[float, int]:
    """Return the standard error of a mean, and how many people it is of; of None each row is one.

    References
    ----------
    Binder, "On the variances of asymptotically normal estimators from complex surveys",
    International Statistical Review 51 (1983); Liang and Zeger, "Longitudinal data analysis using
    generalized linear models", Biometrika 73 (1986).
    """
    shares = _shares(weights, len(values))
    parts = shares * (values - shares @ values)
    sums = parts if persons is None else sums_by_person(parts, persons)
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
    of = _relative(weights, len(has))
    share = float(of @ has) / float(of.sum())
    most = rows_worth(of)
    agreed = rows_worth(sums_by_person(of, persons))
    error, count = error_by_persons(has, persons, weights)
    if not 0 < share < 1 or count < 2 or not error:
        return agreed
    return min(most, share * (1 - share) / error**2)


def rows_worth_of_bars(bars: Labels, persons: Labels, weights: Floats | None = None) -> Floats:
    """Return the same of the share of each of some bars, of which each row lies in one."""
    of = _relative(weights, len(bars))
    size, (names, place) = int(bars.max()) + 1, np.unique(persons, return_inverse=True)
    pairs, at = np.unique(place.astype(np.int64) * size + bars, return_inverse=True)
    of_pair, of_person = np.bincount(at, of), np.bincount(place, of)
    total, squares, bar = of.sum(), float(of_person @ of_person), pairs % size
    shares = np.bincount(bars, of, size) / total
    both = np.bincount(bar, of_pair * of_person[pairs // size], size)
    spread = np.bincount(bar, of_pair**2, size) - 2 * shares * both + shares**2 * squares
    count = len(names)
    with np.errstate(divide="ignore", invalid="ignore"):
        rows = shares * (1 - shares) * total**2 * (count - 1) / count / spread
    varies = (shares > 0) & (shares < 1) & (spread > 0) & (count > 1)
    worth: Floats = np.where(varies, np.minimum(rows, rows_worth(of)), total**2 / squares)
    return worth


def log_minus_log_errors(
    times: Floats, happened: NDArray[np.bool_], persons: Labels, at: Floats
) -> Floats:
    """Return the standard error of log(-log(share)) of the product limit at some times.

    Each row's part in the logarithm of the share is summed by person (the infinitesimal jackknife;
    Williams, Lifetime Data Analysis 1, 1995). Of people with one row each it is Greenwood's. Where
    the share is 0 or 1 there is none, and it is not a number.
    """
    fell, events = np.unique(times[happened], return_counts=True)
    at_risk = len(times) - np.searchsorted(np.sort(times), fell)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_event = 1.0 / (at_risk - events)
        so_far = np.cumsum(events * of_event / at_risk)
        logs = np.cumsum(np.log1p(-events / at_risk))
    names, place = np.unique(persons, return_inverse=True)
    steps = np.searchsorted(fell, times, "right") - 1
    errors = np.full(len(at), np.nan)
    for i, until in enumerate((np.searchsorted(fell, at, "right") - 1).tolist()):
        if until < 0 or not math.isfinite(logs[until]):
            continue
        reached = np.minimum(steps, until)
        parts = np.where(reached >= 0, -so_far[reached], 0.0)
        fallen = happened & (steps <= until)
        parts[fallen] += of_event[steps[fallen]]
        sums = np.bincount(place, parts, len(names))
        errors[i] = math.sqrt(float(sums @ sums)) / -logs[until]
    return errors


# --- a copy's own error -------------------------------------------------------------------------


def own_variance(off: Sequence[float], share: float) -> float:
    """Return the variance of a figure that is the copy's own, chance and bias together.

    `off` is how far copies of some rows of the copy are from these rows, three or more; `share` is
    which share of the copy the rows are: chance in all of them is less by it. That a sample of the
    sample says how far this is from all is the bootstrap's reasoning (Efron 1979).

    Examples
    --------
    >>> own_variance([1.0, 1.0, 1.0], 1.0), own_variance([-1.0, 0.0, 1.0], 0.5)
    (1.0, 0.5)
    """
    chance = float(np.var(off, ddof=1))
    bias = max(float(np.mean(off)) ** 2 - chance / len(off), 0.0)
    return bias + chance * share


class OwnErrors(NamedTuple):
    """Figures of some rows of a copy by their names, and the same of copies of these rows.

    `share` is which share of the copy the rows are.
    """

    rows: Mapping[Any, float]
    copies: Sequence[Mapping[Any, float]]
    share: float

    def of(self, figure: object) -> float | None:
        """Return the standard error of a figure that is the copy's own; None if it is not known."""
        if figure not in self.rows:
            return None
        off = [it[figure] - self.rows[figure] for it in self.copies if figure in it]
        return math.sqrt(own_variance(off, self.share)) if len(off) >= FEWEST else None


# --- intervals ----------------------------------------------------------------------------------


def interval_of(
    values: Floats, weights: Floats | None = None, own: float = 0.0, persons: Labels | None = None
) -> tuple[float, float] | None:
    """Return the 95 % interval of a mean, by t; None of fewer than two values.

    `own` is the copy's own standard error, which is added in squares. `persons` are whose each
    value is, where some have several: of fewer than two there is no interval.
    """
    from scipy.special import stdtrit

    n = len(values)
    if n < 2:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(values.mean()) if weights is None else mean_by(values, weights)
        error, n = error_by_persons(values, persons, weights)
    if not (math.isfinite(mean) and math.isfinite(error)):
        return None
    half = math.hypot(float(stdtrit(n - 1, LEVEL)) * error, NORMAL * own)
    return mean - half, mean + half


def wilson(share: float, n: float) -> tuple[float, float]:
    """Return the interval of 95 % of a share of n rows (Wilson 1927).

    Examples
    --------
    >>> low, high = wilson(0.2, 100)
    >>> round(low, 3), round(high, 3)
    (0.133, 0.289)
    """
    z = NORMAL * NORMAL
    middle = (share * n + z / 2) / (n + z)
    half = NORMAL * math.sqrt(share * (1 - share) * n + z / 4) / (n + z)
    return max(0.0, middle - half), min(1.0, middle + half)


def share_interval(share: float, n: float, own: float = 0.0) -> tuple[float, float]:
    """Return Wilson's interval, each end as much farther as the copy's own error makes it."""
    below, above = (math.hypot(end - share, NORMAL * own) for end in wilson(share, n))
    return max(0.0, share - below), min(1.0, share + above)
