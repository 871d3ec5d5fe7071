"""Robust-Mahalanobis risk: who was hardly moved, measured against how far out they lie.

Distances go by the minimum covariance determinant (MCD): the covariance of the rows that lie
closest together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arguments import Floats, Labels, check_ratio, check_whole, check_word
from discreet.errors import InputError, RefusedError
from discreet.measure.linkage import check_same_rows, moments
from discreet.measure.pairs import Estimate, Flags, Pair, as_pair, counted, keyed_order, mixed
from discreet.methods.base import distance_to_others

VARIANTS = ("sdcmicro", "paper")
CHUNK = 1 << 20
"""How many distances are held at a time."""


@dataclass(frozen=True, eq=False)
class RmdRisk:
    """The two risks, which rows are risky by each, and the columns that could not be used."""

    risk1: Estimate
    risk2: Estimate
    risky1: Flags
    risky2: Flags
    excluded: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RmdGrid:
    """The two risks for every w1 and w2: `risk1[i]` for `w1s[i]`, `risk2[i][j]` for `w2s[j]`."""

    w1s: tuple[float, ...]
    w2s: tuple[float, ...]
    risk1: tuple[Estimate, ...]
    risk2: tuple[tuple[Estimate, ...], ...]
    excluded: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the widths and the risks as plain values."""
        return {
            "w1s": list(self.w1s),
            "w2s": list(self.w2s),
            "risk1": [risk.to_dict() for risk in self.risk1],
            "risk2": [[risk.to_dict() for risk in row] for row in self.risk2],
        }


def rmd_risk(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    w1: float = 0.01,
    w2: float = 0.05,
    m: int = 1,
    variant: str = "sdcmicro",
) -> RmdRisk:
    """Count the records whose released row lies in an interval that grows with their oddity.

    Each table is scaled by its own means and standard deviations (divisor n - 1). An interval
    around each original value grows with the robust Mahalanobis distance (RMD) of its row from the
    arithmetic mean, by the covariance of `robust_covariance`.

    Parameters
    ----------
    original, released, categorical
        The same records in the same order; see `as_pair`. Only continuous columns count.
    w1 : float, default 0.01
        Scale of the intervals; at least 0.
    w2 : float, default 0.05
        How close another released row must be to hide a risky one: the Euclidean distance in
        standard deviations of the released table; at least 0.
    m : int, default 1
        How many released rows besides the record's own must be that close.
    variant : {"sdcmicro", "paper"}, default "sdcmicro"
        "sdcmicro", as the function `dRiskRMD` is coded in the releases before 5.7.3, which the
        paper used: half an interval is w1 * 0.05 * RMD, and a record is risky if any of its
        released values lies strictly inside. "paper", as Avraam et al. (2022) describe it: the
        length of an interval is w1 * RMD², and a record is risky if its released row lies strictly
        inside the box that its intervals make. The counts that the paper prints are those of the
        code.

    Returns
    -------
    RmdRisk
        `risk1`: the risky records. `risk2`: those of them that have fewer than m other released
        rows within w2. Baselines are the shares when each record is given released rows of other
        records. `excluded` names constant columns (in either table) and those that
        `robust_covariance` leaves out; if none is left, RefusedError is raised.

    Notes
    -----
    **What it does not tell.** Scaling each table by its own moments undoes a shift or stretch, and
    a record at the mean has no interval at all. A record outside its intervals may still be the
    nearest (see `record_linkage`).

    Examples
    --------
    >>> before = [[1.0], [2.0], [3.0], [4.0], [5.0], [20.0]]
    >>> risk = rmd_risk(before, before)
    >>> risk.risk1.count, risk.risk2.count, risk.excluded
    (6, 6, ())
    """
    pair = as_pair(original, released, categorical=categorical)
    size = check_whole("m", m, least=1)
    near, far = check_ratio("w1", w1, zero=True), check_ratio("w2", w2, zero=True)
    scaled = _scale(pair, variant)
    every = np.arange(len(scaled.order))
    alone = distance_to_others(scaled.released, size, every)
    grid = _grid(scaled, scaled.order, alone[scaled.order], (near,), (far,))
    risky = np.less(scaled.gap(every, every), near * scaled.unit)
    return RmdRisk(grid.risk1[0], grid.risk2[0][0], risky, risky & (alone > far), scaled.excluded)


def rmd_grid(
    pair: Pair, *, w1s: Sequence[float], w2s: Sequence[float], m: int = 1, sample: int | None = None
) -> RmdGrid:
    """Return the risks of `rmd_risk` for every w1 and w2 (one of each at least), from one fit.

    With a `sample`, of so many records, chosen by a digest of their values, if there are more;
    whether they are alone is decided by all released rows.
    """
    size = check_whole("m", m, least=1)
    most = None if sample is None else check_whole("sample", sample, least=1)
    near, far = (
        tuple(check_ratio(name, value, zero=True) for value in values)
        for name, values in (("w1s", w1s), ("w2s", w2s))
    )
    if not near or not far:
        raise InputError(f"{'w2s' if near else 'w1s'} must hold at least one number")
    scaled = _scale(pair, VARIANTS[0])
    rows = scaled.order[:most]
    return _grid(scaled, rows, distance_to_others(scaled.released, size, rows), near, far)


@dataclass(frozen=True, eq=False)
class _Scaled:
    """Both tables in their own standard deviations; `unit` is half an interval for w1 = 1."""

    original: Floats
    released: Floats
    unit: Floats
    every: bool
    order: Labels
    excluded: tuple[str, ...]

    def gap(self, records: Labels, rows: Labels) -> Floats:
        """Return how far records lie from released rows: in the column that decides."""
        gaps = np.abs(self.original[records] - self.released[rows])
        gap: Floats = gaps.max(axis=1) if self.every else gaps.min(axis=1)
        return gap


def _grid(
    scaled: _Scaled, rows: Labels, alone: Floats, w1s: tuple[float, ...], w2s: tuple[float, ...]
) -> RmdGrid:
    """Count for each w1 the records in their interval, and for each w2 those of them alone.

    `rows` are the records in keyed order, `alone` says of each how far it is from others.
    """

    def table(others: Labels) -> list[int]:
        gap, apart = scaled.gap(rows, rows[others]), alone[others]
        found = []
        for w1 in w1s:
            inside = gap < w1 * scaled.unit[rows]
            found += [inside.sum(), *((inside & (apart > w2)).sum() for w2 in w2s)]
        return found

    head = f"of a keyed sample of {len(rows):,} " if len(rows) < len(scaled.order) else ""
    what = f"{head}records released within their interval"
    whats = [
        f"{what} (risk1, w1 = {w1:g})"
        if w2 is None
        else f"{what} and alone (risk2, w1 = {w1:g}, w2 = {w2:g})"
        for w1 in w1s
        for w2 in (None, *w2s)
    ]
    risks, step = counted(whats, np.arange(len(rows)), table), 1 + len(w2s)
    risk2 = tuple(risks[i + 1 : i + step] for i in range(0, len(risks), step))
    return RmdGrid(w1s, w2s, risks[::step], risk2, scaled.excluded)


def _scale(pair: Pair, variant: str) -> _Scaled:
    """Scale both tables, leave out what cannot be used, and measure every original row."""
    check_same_rows(pair)
    check_word("variant", variant, VARIANTS)
    original, released = pair.original.matrix, pair.released.matrix
    (mean, sd), (mean_after, sd_after) = moments(original), moments(released)
    usable = np.flatnonzero((sd > 0) & (sd_after > 0))
    before = (original[:, usable] - mean[usable]) / sd[usable]
    after = (released[:, usable] - mean_after[usable]) / sd_after[usable]
    kept, covariance = robust_covariance(before)
    before, after = np.ascontiguousarray(before[:, kept]), np.ascontiguousarray(after[:, kept])
    squared = squared_distances(before, covariance)
    names = list(pair.original.numbers)
    left = {names[j] for j in usable[kept]}
    return _Scaled(
        before,
        after,
        0.05 * np.sqrt(squared) if variant == "sdcmicro" else squared / 2,
        variant == "paper",
        keyed_order(before, after),
        tuple(name for name in names if name not in left),
    )


# --- the covariance of the rows that lie closest together -----------------------------------------

SAMPLE = 5000
"""The covariance is fitted to at most this many rows."""
SINGULAR = 1e-10
"""A column of which less than this share of its variance is its own follows from the others."""
INNER = 0.975
"""Rows beyond this quantile of the distance do not count towards the covariance."""
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
    """Return the columns that have a robust covariance (MCD), and that covariance.

    `scaled` are rows in standard deviations of their columns, none of which is constant. Left out
    are columns of which more than half the rows have one value, and those that follow from columns
    before them, in all rows or in the half that lies closest; RefusedError if none is left.

    Of at most 5000 rows, chosen by a digest of their values, the half whose covariance has the
    least determinant is looked for by steps to the rows nearest to a subset (Rousseeuw and Van
    Driessen 1999), then by exchanges of one row for another (Hawkins 1994). Its covariance is made
    consistent for normal data, then that of all rows within its 97.5 % ellipsoid (Croux and
    Haesbroeck 1999); each with the factor for small samples (Pison, Van Aelst and Willems 2002).

    That is R's `covMcd` by default, of robustbase up to 0.93, but for the starts, which it draws at
    random. Here the values of the rows decide. The half that is found need not be the best there
    is.
    """
    from scipy.stats import chi2

    rows = scaled[keyed_order(scaled)[:SAMPLE]] if scaled.size else scaled
    n, kept = len(rows), np.arange(scaled.shape[1])
    half = (n + 2) // 2
    kept = kept[[np.unique(column, return_counts=True)[1].max() < half for column in rows.T]]
    if kept.size:
        kept = kept[_independent(np.atleast_2d(np.cov(rows[:, kept].T)))]
    while kept.size:
        x, p = rows[:, kept], len(kept)
        most = min(n, (n + p + 1) // 2)
        support = _support(x, most)
        inner = x[support]
        covariance = np.atleast_2d(np.cov(inner.T))
        own = _independent(covariance)
        if not own.all():
            kept = kept[own]
            continue
        raw = covariance * _consistency(p, most / n) * _small_sample(p, n, RAW, RAW_ABOVE)
        counts = support | (squared_distances(x - inner.mean(axis=0), raw) < chi2.ppf(INNER, p))
        reweighted = np.atleast_2d(np.cov(x[counts].T))
        if not counts.all():
            reweighted *= _consistency(p, float(counts.mean()))
            reweighted *= _small_sample(p, n, REWEIGHTED, REWEIGHTED_ABOVE)
        return kept, reweighted
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
    """Return what makes up for few rows: 1 / (1 - e^a / n^b), of Pison et al. for half of them.

    For more than two columns a and b follow from the loss at n = q p², known for q = 2 and 3.
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
    if p == 1:  # the values in a row that have the least variance
        order = np.argsort(rows[:, 0], kind="stable")
        powers = np.cumsum(rows[order] ** [1, 2], axis=0)
        sums = np.concatenate([np.zeros((1, 2)), powers])
        total, squares = (sums[half:] - sums[:-half]).T
        start = int((squares - total**2 / half).argmin())
        support[order[start : start + half]] = True
        return support
    few = rows[:FEW]
    part = max(min(len(few), p + 1), half * len(few) // n)
    settled = [_settle(few, start, part) for start in _starts(few, part)]
    settled.sort(key=lambda each: each[0])
    if len(few) < n:
        nearer = (_nearest(rows, few[inner][None], half)[0] for _, inner in settled[:FINISHED])
        settled = [_settle(rows, start, half) for start in nearer]
    support[min(settled, key=lambda each: each[0])[1]] = True
    return support


def _starts(rows: Floats, size: int) -> list[Labels]:
    """Return the subsets to go on from: the best of many small ones, and one about the medians."""
    n, p = rows.shape
    gaps = np.abs(rows - np.median(rows, axis=0))
    middle = np.median(gaps, axis=0)
    from_medians = np.square(gaps / np.where(middle > 0, middle, 1.0)).sum(axis=1)
    starts, volumes = [], []
    step = max(1, CHUNK // (n * p))
    for start in range(0, STARTS, step):
        turns = np.arange(start, min(start + step, STARTS), dtype=np.uint64)[:, None]
        digests = mixed(mixed(turns + np.uint64(1)) ^ np.arange(n, dtype=np.uint64))
        subsets: Labels = np.argsort(digests, axis=1, kind="stable")[:, : p + 1]
        for _ in range(FIRST_STEPS):
            subsets = _nearest(rows, rows[subsets], size)
        starts.append(subsets)
        volumes.append(_volume(rows[subsets]))
    # Starts that have come to the same rows have the same determinant but for rounding.
    first = np.unique(np.round(np.concatenate(volumes), 9), return_index=True)[1][:KEPT]
    about = np.argpartition(from_medians, size - 1)[:size]
    return [about, *np.concatenate(starts)[first]]


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


def _settle(rows: Floats, subset: Labels, size: int) -> tuple[float, Labels]:
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
    inside = np.zeros(len(rows), dtype=np.bool_)
    inside[inner] = True
    h = len(inner)
    # A row inside is exchanged for one outside, the pair that is best, until none is of use.
    for _ in range(len(rows) if h < len(rows) else 0):
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
    inner = inner if h == len(rows) else np.flatnonzero(inside)
    return float(_volume(rows[inner][None])[0]), inner
