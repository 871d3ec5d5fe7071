"""The covariance of the rows that lie closest together: the minimum covariance determinant."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.errors import RefusedError
from discreet.measure.estimate import keyed_order, mixed
from discreet.measure.pairs import Floats

__all__ = ["robust_covariance", "squared_distances"]

Labels = NDArray[np.intp]
Flags = NDArray[np.bool_]

SAMPLE = 5000
"""The covariance is fitted to at most this many rows."""
SINGULAR = 1e-10
"""A column of which less than this share of its variance is its own follows from the others."""
INNER = 0.975
"""Rows beyond this quantile of the distance do not count towards the covariance."""
CHUNK = 1 << 20
"""How many distances are held at a time."""
FEW = 1500
"""Starts are compared on at most this many rows."""
STARTS, FIRST_STEPS, KEPT, FINISHED = 200, 4, 10, 2
"""Starts, steps from each, how many of them go on to the end, and how many of those on all rows."""
BORDER = 60
"""As many rows inside and outside are tried for an exchange."""
GAIN = 1e-9
"""A determinant that falls by less than this share of itself is at its least."""
RIDGE = 1e-13
"""Share of its variance that is added to each column of covariances, some of which are singular."""

RAW = {1: (0.262024211897096, 0.604756680630497), 2: (0.673292623522027, 0.691365864961895)}
RAW_ABOVE = ((2, -1.42764571687802, 1.26263336932151), (3, -1.06141115981725, 1.28907991440387))
REWEIGHTED = {1: (1.11098143415027, 1.5182890270453), 2: (3.11101712909049, 1.91401056721863)}
REWEIGHTED_ABOVE = (
    (2, -1.02842572724793, 1.67659883081926),
    (3, -0.26800273450853, 1.35968562893582),
)
LEAST_SHARE = 0.32
"""What few rows make of a covariance is not taken to be less than this share of it."""


def robust_covariance(scaled: Floats) -> tuple[Labels, Floats]:
    """Return the columns that have a robust covariance, and that covariance.

    Parameters
    ----------
    scaled : ndarray of shape (n, p)
        Rows in standard deviations of their columns, none of which is constant.

    Returns
    -------
    tuple of ndarray
        Which columns are used, of shape (q,), and their reweighted MCD covariance, (q, q).

    Raises
    ------
    RefusedError
        If no column is left.

    Notes
    -----
    The half of the rows, (n + q + 1) // 2, whose covariance has the least determinant is looked
    for from `STARTS` subsets of q + 1 rows and from the half nearest to the medians: by steps to
    the rows that lie nearest to a subset, until nothing changes, then by exchanges of one row for
    another. Its covariance is made consistent for normal data, then that of all rows within its
    97.5 % ellipsoid, by the share of rows that lie there; each with the factor for small samples.
    That is R's `covMcd` by default, of robustbase up to 0.93 (from 0.99 on it takes 97.5 % for
    that share, which gives less where many rows lie outside), but for the starts, which it draws
    at random. Here the values of the rows decide which of them make a start, so no result
    depends on the order of the rows. The half that is found need not be the best there is.

    Left out are columns of which more than half the rows have one value, and those that follow
    from columns before them, in all rows or in the half that lies closest.

    References
    ----------
    Rousseeuw and Van Driessen, "A fast algorithm for the minimum covariance determinant
    estimator", Technometrics 41 (1999), for the steps. Hawkins, "The feasible solution algorithm
    for the minimum covariance determinant estimator in multivariate data", Computational
    Statistics & Data Analysis 17 (1994), for the exchanges. Croux and Haesbroeck, Journal of
    Multivariate Analysis 71 (1999), and Pison, Van Aelst and Willems, Metrika 55 (2002), for the
    factors.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[-3.0], [-1.0], [1.0], [3.0], [100.0]])
    >>> kept, covariance = robust_covariance(x / x.std(ddof=1))
    >>> kept.tolist(), bool(covariance[0, 0] < 0.1)
    ([0], True)
    """
    rows = scaled[keyed_order(scaled)[:SAMPLE]] if scaled.size else scaled
    n, kept = len(rows), np.arange(scaled.shape[1])
    half = (n + 2) // 2
    kept = kept[[np.unique(column, return_counts=True)[1].max() < half for column in rows.T]]
    if kept.size:
        kept = kept[_independent(np.atleast_2d(np.cov(rows[:, kept].T)))]
    while kept.size:
        covariance, support = _mcd(rows[:, kept])
        own = _independent(support)
        if own.all():
            return kept, covariance
        kept = kept[own]
    raise RefusedError(
        "no column is left to measure distances by: each is constant, has one value in more than"
        " half of the rows, or follows from the others; measure `interval_risk` or `record_linkage`"
    )


def squared_distances(centred: Floats, covariance: Floats) -> Floats:
    """Return the squared Mahalanobis distance of each row from zero, in chunks."""
    whiten = np.linalg.inv(np.linalg.cholesky(covariance))
    out = np.empty(len(centred))
    step = max(1, CHUNK // centred.shape[1])
    for start in range(0, len(centred), step):
        part = centred[start : start + step]
        out[start : start + step] = np.square(np.einsum("ni,ji->nj", part, whiten)).sum(axis=1)
    return out


def _independent(covariance: Floats) -> Flags:
    """Say which columns do not follow from those before them."""
    left, out = covariance.copy(), np.zeros(len(covariance), dtype=np.bool_)
    for j, variance in enumerate(np.diag(covariance)):
        out[j] = left[j, j] > SINGULAR * variance
        if out[j]:
            left -= np.outer(left[:, j], left[j]) / left[j, j]
    return out


def _mcd(rows: Floats) -> tuple[Floats, Floats]:
    """Return the reweighted MCD covariance, and the covariance of its support."""
    from scipy.stats import chi2

    n, p = rows.shape
    half = min(n, (n + p + 1) // 2)
    support = _support(rows, half)
    inner = rows[support]
    covariance = np.atleast_2d(np.cov(inner.T))
    if not _independent(covariance).all():
        return covariance, covariance
    raw = covariance * _consistency(p, half / n) * _small_sample(p, n, RAW, RAW_ABOVE)
    near = squared_distances(rows - inner.mean(axis=0), raw) < chi2.ppf(INNER, p)
    kept = near | support
    reweighted = np.atleast_2d(np.cov(rows[kept].T))
    if not kept.all():
        reweighted *= _consistency(p, float(kept.mean()))
        reweighted *= _small_sample(p, n, REWEIGHTED, REWEIGHTED_ABOVE)
    return reweighted, covariance


def _consistency(p: int, share: float) -> float:
    """Return what makes the covariance of the innermost `share` of normal rows that of all."""
    from scipy.stats import chi2

    return 1.0 if share >= 1 else float(share / chi2.cdf(chi2.ppf(share, p), p + 2))


def _small_sample(
    p: int,
    n: int,
    fitted: dict[int, tuple[float, float]],
    above: tuple[tuple[int, float, float], ...],
) -> float:
    """Return what makes up for few rows: 1 / (1 - e^a / n^b).

    The curves of Pison et al. (2002) for half of the rows: a and b are given for one and two
    columns; for more they are those for which the loss at n = q p² is known for q = 2 and 3.
    """
    if p in fitted:
        a, b = fitted[p]
    else:
        (_, loss, power), (_, other_loss, other_power) = above
        low, high = (q * p**2 for q, _, _ in above)
        y, other = (math.log(-at / p**by) for at, by in ((loss, power), (other_loss, other_power)))
        b = (y - other) / math.log(high / low)
        a = y + b * math.log(low)
    share: float = 1 - math.exp(a) / n**b
    return 1 / max(LEAST_SHARE, share)


# --- the half of the rows of least determinant ----------------------------------------------------


def _support(rows: Floats, half: int) -> Flags:
    """Say which `half` of the rows, which come in an order of their own, are closest together."""
    n, p = rows.shape
    support = np.zeros(n, dtype=np.bool_)
    if p == 1:
        support[_closest_values(rows[:, 0], half)] = True
        return support
    few = rows[:FEW]
    part = max(min(len(few), p + 1), half * len(few) // n)
    found = [_settled(few, start, part) for start in _starts(few, part)]
    found.sort(key=lambda each: each[0])
    if len(few) < n:
        nearer = (_nearest(rows, few[inner][None], half)[0] for _, inner in found[:FINISHED])
        found = [_settled(rows, start, half) for start in nearer]
    support[min(found, key=lambda each: each[0])[1]] = True
    return support


def _closest_values(column: Floats, half: int) -> Labels:
    """Return the `half` rows of a column that have the least variance."""
    order: Labels = np.argsort(column, kind="stable")
    sums = np.concatenate([np.zeros((1, 2)), np.cumsum(column[order, None] ** [1, 2], axis=0)])
    total, squares = (sums[half:] - sums[:-half]).T
    start = int((squares - total**2 / half).argmin())
    return order[start : start + half]


def _starts(rows: Floats, size: int) -> list[Labels]:
    """Return the subsets to go on from: the best of many small ones, and one about the medians."""
    n, p = rows.shape
    gaps = np.abs(rows - np.median(rows, axis=0))
    middle = np.median(gaps, axis=0)
    from_medians = np.square(gaps / np.where(middle > 0, middle, 1.0)).sum(axis=1)
    found, volumes = [], []
    step = max(1, CHUNK // (n * p))
    for start in range(0, STARTS, step):
        turns = np.arange(start, min(start + step, STARTS), dtype=np.uint64)[:, None]
        digests = mixed(mixed(turns + np.uint64(1)) ^ np.arange(n, dtype=np.uint64))
        subsets: Labels = np.argsort(digests, axis=1, kind="stable")[:, : p + 1]
        for _ in range(FIRST_STEPS):
            subsets = _nearest(rows, rows[subsets], size)
        found.append(subsets)
        volumes.append(_volume(rows[subsets]))
    # Starts that have come to the same rows have the same determinant but for rounding.
    first = np.unique(np.round(np.concatenate(volumes), 9), return_index=True)[1][:KEPT]
    about = np.argpartition(from_medians, size - 1)[:size]
    return [about, *np.concatenate(found)[first]]


def _nearest(rows: Floats, subsets: Floats, size: int) -> Labels:
    """Return for each subset (b, m, p) which `size` rows are nearest to it by its covariance."""
    mean, covariance = _moments(subsets)
    own = np.diagonal(covariance, axis1=1, axis2=2)
    ridge = RIDGE * np.where(own > 0, own, 1.0)
    ridged = covariance + ridge[:, None] * np.eye(rows.shape[1])
    whiten = np.linalg.inv(np.linalg.cholesky(ridged)).transpose(0, 2, 1)
    gaps = np.square((rows - mean[:, None]) @ whiten).sum(axis=2)
    nearest: Labels = np.argpartition(gaps, size - 1, axis=1)[:, :size]
    return nearest


def _moments(subsets: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the covariance of each subset of rows."""
    mean = subsets.mean(axis=1)
    centred = subsets - mean[:, None]
    return mean, centred.transpose(0, 2, 1) @ centred / max(1, subsets.shape[1] - 1)


def _volume(subsets: Floats) -> Floats:
    """Return the logarithm of the determinant of each subset's covariance."""
    sign, volume = np.linalg.slogdet(_moments(subsets)[1])
    return np.where(sign > 0, volume, -np.inf)


def _settled(rows: Floats, subset: Labels, size: int) -> tuple[float, Labels]:
    """Go from a subset to one that no step and no exchange makes better."""
    best, inner = math.inf, subset
    while True:
        subset = _nearest(rows, rows[subset][None], size)[0]
        volume = float(_volume(rows[subset][None])[0])
        if not volume < best - GAIN:
            break
        best, inner = volume, subset
    if not _independent(_moments(rows[inner][None])[1][0]).all():
        return -math.inf, inner
    if size < len(rows):
        inner = _exchanged(rows, inner)
    return float(_volume(rows[inner][None])[0]), inner


def _exchanged(rows: Floats, inner: Labels) -> Labels:
    """Exchange a row inside for one outside, the pair that is best, until none is of use."""
    inside = np.zeros(len(rows), dtype=np.bool_)
    inside[inner] = True
    h = len(inner)
    for _ in range(len(rows)):
        (mean,), (covariance,) = _moments(rows[inside][None])
        scatter = (h - 1) * covariance
        placed = (rows - mean) @ np.linalg.inv(np.linalg.cholesky(scatter)).T
        gaps = np.square(placed).sum(axis=1)
        out, into = np.flatnonzero(inside), np.flatnonzero(~inside)
        out = out[np.argsort(-gaps[out], kind="stable")[:BORDER]]
        into = into[np.argsort(gaps[into], kind="stable")[:BORDER]]
        # The determinant without the one and with the other row, by the lemma for rank one.
        between, without = placed[out] @ placed[into].T, gaps[out, None]
        both = between + without / (h - 1)
        added = gaps[into] + 2 * between / (h - 1) + without / (h - 1) ** 2
        left = 1 - h / (h - 1) * without
        ratio = left * (1 + (h - 1) / h * added) + both**2
        best = int(ratio.argmin())
        if not ratio.flat[best] < 1 - GAIN:
            break
        i, j = divmod(best, len(into))
        inside[out[i]], inside[into[j]] = False, True
    return np.flatnonzero(inside)
