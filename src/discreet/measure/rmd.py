"""Robust-Mahalanobis risk: who was hardly moved, measured against how far out they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import check_ratio, check_whole, check_word
from discreet.errors import InputError
from discreet.measure.estimate import Estimate, chance_share, keyed_order
from discreet.measure.intervals import check_same_rows, moments
from discreet.measure.linkage import different_rows
from discreet.measure.mcd import robust_covariance, squared_distances
from discreet.measure.pairs import Floats, Pair, as_pair

__all__ = ["RmdGrid", "RmdRisk", "rmd_grid", "rmd_risk"]

Labels = NDArray[np.intp]
Flags = NDArray[np.bool_]

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

    Each table is scaled by its own means and standard deviations (divisor n - 1). The robust
    Mahalanobis distance (RMD) of each original row is taken from the arithmetic mean, by the
    covariance of the rows that lie closest together (MCD). An interval around each original
    value grows with the RMD of its row.

    Parameters
    ----------
    original, released, categorical
        The same records in the same order; see `as_pair`. Only continuous columns count.
    w1 : float, default 0.01
        Scale of the intervals; at least 0.
    w2 : float, default 0.05
        How close another released row must be to hide a risky one, in standard deviations of
        the released table (Euclidean distance); at least 0.
    m : int, default 1
        How many other released rows must be that close.
    variant : {"sdcmicro", "paper"}, default "sdcmicro"
        "sdcmicro", as the function `dRiskRMD` is coded in the releases before 5.7.3, which the
        paper used (5.7.3 marks fewer records): half an interval is w1 * 0.05 * RMD, and a record
        is risky if any of its released values lies strictly inside. "paper", as
        Avraam et al. describe it: the length of an interval is w1 * RMD², and a record is risky
        if its released row lies strictly inside the box that its intervals make.

    Returns
    -------
    RmdRisk
        `risk1`: the risky records. `risk2`: those of them that have fewer than m other released
        rows within w2. Baselines are the shares when each record is given released rows of
        other records (8 each, chosen by a digest of the values): with "any of its values" they
        grow with the number of columns.

    Raises
    ------
    InputError
        If the tables do not fit, their rows do not correspond, or a parameter is out of range.
    RefusedError
        If no column can be used, or one spans more than can be computed with.

    Notes
    -----
    The counts that the paper prints (38 and 8 of 891) are those of the code, of the rows that
    its program releases; its description gives hundreds. So "sdcmicro" is the default. In both,
    "m others close" is read as the code has it for m = 1: at least m rows besides the record's
    own.

    Covariance: the reweighted minimum covariance determinant (MCD) of at most 5000 rows, chosen
    by a digest of their values, as R's `covMcd` has it in the versions that the paper's time
    had; see `discreet.measure.mcd`. All rows are then measured in one pass. No result depends on
    the order of the rows.

    Columns that leave no robust covariance are left out and named in `excluded`: constant ones
    (in either table), those of which more than half the rows have one value, and those that
    follow from columns before them, in all rows or in the half that lies closest.

    **What it does not tell.** Scaling each table by its own moments undoes a shift or stretch
    of the release, and a record at the mean has no interval at all. A record outside its
    intervals may still be the nearest (see `record_linkage`).

    References
    ----------
    Templ and Meindl, "Robust statistics meets SDC", Privacy in Statistical Databases (2008).
    Avraam et al., "A deterministic approach for protecting privacy in sensitive personal data",
    BMC Medical Informatics and Decision Making 22 (2022), "Metrics for disclosure risk".

    Examples
    --------
    >>> before = [[1.0], [2.0], [3.0], [4.0], [5.0], [20.0]]
    >>> found = rmd_risk(before, before)
    >>> found.risk1.count, found.risk2.count, found.excluded
    (6, 6, ())
    """
    pair = as_pair(original, released, categorical=categorical)
    size, (near,), (far,) = check_whole("m", m, least=1), _weights("w1", [w1]), _weights("w2", [w2])
    scaled = _scaled(pair, variant)
    alone = scaled.isolation(size)
    itself = np.arange(len(alone))
    risky1 = scaled.risky(near, itself)
    risky2 = risky1 & (alone > far)
    risk1, risk2 = _risk1(scaled, near), _risk2(scaled, near, far, alone > far)
    return RmdRisk(risk1, risk2, risky1, risky2, scaled.excluded)


def rmd_grid(
    original: object,
    released: object = None,
    *,
    w1s: Sequence[float],
    w2s: Sequence[float],
    categorical: Sequence[str] = (),
    m: int = 1,
    variant: str = "sdcmicro",
) -> RmdGrid:
    """Return the risks of `rmd_risk` for every w1 and w2 (one of each at least), from one fit.

    Examples
    --------
    >>> before, after = [[1.0], [2.0], [3.0], [5.0]], [[1.1], [2.1], [2.9], [5.0]]
    >>> grid = rmd_grid(before, after, w1s=(0.1, 1.0, 100.0), w2s=(0.5,))
    >>> [found.count for found in grid.risk1]
    [0, 2, 4]
    """
    size, near, far = check_whole("m", m, least=1), _weights("w1s", w1s), _weights("w2s", w2s)
    scaled = _scaled(as_pair(original, released, categorical=categorical), variant)
    alone = scaled.isolation(size)
    return RmdGrid(
        near,
        far,
        tuple(_risk1(scaled, w1) for w1 in near),
        tuple(tuple(_risk2(scaled, w1, w2, alone > w2) for w2 in far) for w1 in near),
        scaled.excluded,
    )


@dataclass(frozen=True, eq=False)
class _Scaled:
    """Both tables in their own standard deviations; `unit` is half an interval for w1 = 1."""

    original: Floats
    released: Floats
    unit: Floats
    every: bool
    order: Labels
    excluded: tuple[str, ...]

    def risky(self, w1: float, rows: Labels) -> Flags:
        """Say which records are risky if each is given the released row at `rows`."""
        gaps = np.abs(self.original - self.released[rows])
        gap = gaps.max(axis=1) if self.every else gaps.min(axis=1)
        inside: Flags = gap < w1 * self.unit
        return inside

    def isolation(self, m: int) -> Floats:
        """Return how far each released row is from the m-th nearest of the others."""
        from scipy.spatial import cKDTree

        points, inverse, weights = different_rows(self.released)
        tree = cKDTree(points)
        alone = np.where(weights > m, 0.0, np.inf)
        asked = np.asarray(tree.indices)[weights[tree.indices] <= m]
        size = min(m + 1, len(points))
        step = max(1, CHUNK // size)
        for start in range(0, len(asked), step):
            part = asked[start : start + step]
            gap, near = tree.query(points[part], k=range(1, size + 1), workers=-1)
            reached = np.cumsum(weights[near], axis=1) > m
            first = reached.argmax(axis=1)
            found = gap[np.arange(len(part)), first]
            alone[part] = np.where(reached[:, -1], found, np.inf)
        return alone[inverse]


def _risk1(scaled: _Scaled, w1: float) -> Estimate:
    return Estimate(
        f"records released within their interval (risk1, w1 = {w1:g})",
        int(scaled.risky(w1, np.arange(len(scaled.order))).sum()),
        len(scaled.order),
        chance_share(scaled.order, lambda rows: scaled.risky(w1, rows)),
    )


def _risk2(scaled: _Scaled, w1: float, w2: float, alone: Flags) -> Estimate:
    def hits(rows: Labels) -> Flags:
        unsafe: Flags = scaled.risky(w1, rows) & alone[rows]
        return unsafe

    return Estimate(
        f"records released within their interval and alone (risk2, w1 = {w1:g}, w2 = {w2:g})",
        int(hits(np.arange(len(scaled.order))).sum()),
        len(scaled.order),
        chance_share(scaled.order, hits),
    )


def _weights(name: str, values: Sequence[float]) -> tuple[float, ...]:
    if not len(values):
        raise InputError(f"{name} must hold at least one number")
    return tuple(check_ratio(name, value, zero=True) for value in values)


def _scaled(pair: Pair, variant: str) -> _Scaled:
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
        keyed_order(np.hstack([before, after])),
        tuple(name for name in names if name not in left),
    )
