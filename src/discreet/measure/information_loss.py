"""The scores of the rounding paper: information lost, weighed against risk, and entropy.

The paper is Senavirathne and Torra, "Rounding based continuous data discretization for statistical
disclosure control" (2019).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError, RefusedError
from discreet.measure.linkage import check_same_rows, ddr, idr, moments
from discreet.measure.pairs import Estimate, Pair, as_pair, as_side
from discreet.regression.formula import ROUNDING

TOO_WIDE = (
    "a column holds numbers too large, or too near to zero, to be computed with; rescale it, or"
    " leave it out"
)


@dataclass(frozen=True)
class SseShare:
    """The sum of squared errors as a share of the total sum of squares, in percent.

    `columns` has each continuous column that varies in the original, `left_out` names the others.
    """

    columns: Mapping[str, float]
    left_out: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """Over all columns, standardised: each then has the same SST, so this is their mean."""
        return math.fsum(self.columns.values()) / len(self.columns)

    def to_dict(self) -> dict[str, Any]:
        """Return the shares as plain values."""
        return {"total": self.total, "columns": dict(self.columns), "left out": list(self.left_out)}

    def __str__(self) -> str:
        return f"SSE / SST: {self.total:.4g} %"


def sse_share(
    original: object, released: object = None, *, categorical: Sequence[str] = ()
) -> SseShare:
    """Return the squared errors as a percentage of the total sum of squares.

    Parameters
    ----------
    original, released, categorical
        The same records in the same order; see `as_pair`. Only continuous columns count.

    Returns
    -------
    SseShare
        SSE / SST · 100 per column and in total: SSE the sum over records of (x − y)², SST that of
        (x − mean)² of the original. 0 if and only if nothing moved; 100 if each value became the
        mean; there is no upper limit. The total is over columns divided by their standard deviation
        in the original, so that no unit weighs more than another.

    Raises
    ------
    RefusedError
        If every column of the original is constant, or numbers are too large or too small.

    Notes
    -----
    **What it does not tell.** One value moved far weighs as much as many moved a little. What
    columns have to do with one another is not looked at, nor is any risk.

    Examples
    --------
    >>> loss = sse_share([[0.0], [2.0], [6.0], [8.0]], [[1.0], [1.0], [7.0], [7.0]])
    >>> loss.total, dict(loss.columns)  # SSE 4, SST 16 + 4 + 4 + 16
    (10.0, {'0': 10.0})
    """
    pair = as_pair(original, released, categorical=categorical)
    mean, sd = _spread(pair)
    shares = {}
    for name, centre, scale in zip(pair.original.numbers, mean, sd, strict=True):
        if scale == 0:
            continue
        x, y = pair.original.numbers[name], pair.released.numbers[name]
        unit = 2.0 ** (math.frexp(scale)[1] - 1)  # a power of two is divided by without rounding
        with np.errstate(over="ignore", invalid="ignore"):
            sse, sst = (_total(np.square((x - other) / unit)) for other in (y, centre))
            shares[name] = float(100 * sse / sst)
        if not math.isfinite(shares[name]):
            raise RefusedError(TOO_WIDE)
    left_out = tuple(name for name in pair.original.numbers if name not in shares)
    return SseShare(MappingProxyType(shares), left_out)


def il1s(original: object, released: object = None, *, categorical: Sequence[str] = ()) -> float:
    """Return the mean distance of values from their originals, in √2 standard deviations.

    1 / (m n) Σ `|x − y|` / (√2 S) over the n records and m columns, S being the standard deviation
    (divisor n - 1) of the original column: at least 0, without an upper limit. Columns that are
    constant in the original are left out. Parameters and errors are those of `sse_share`.

    Notes
    -----
    √2 S is the standard deviation of the difference of two records drawn at random. (Mateo-Sanz,
    Domingo-Ferrer and Sebé 2005.)

    **What it does not tell.** A mean over all cells: a rare value may have moved far, or not at
    all. It says nothing of means, correlations or risk.

    Examples
    --------
    >>> round(il1s([[0.0], [2.0], [4.0]], [[0.0], [0.0], [4.0]]), 12)  # 2 / 3 / (√2 · 2)
    0.235702260396
    """
    pair = as_pair(original, released, categorical=categorical)
    distance, values = moved_of(pair)
    return distance / values


def moved_of(pair: Pair) -> tuple[float, int]:
    """Return the distances of all values that vary from their originals, in √2 sd, and how many."""
    _, sd = _spread(pair)
    varies = sd > 0
    original, released = pair.original.matrix[:, varies], pair.released.matrix[:, varies]
    with np.errstate(over="ignore"):
        moved = np.abs(original - released) / sd[varies]
        distance = sum(map(_total, moved.T)) / math.sqrt(2)
    if not math.isfinite(distance):
        raise RefusedError(TOO_WIDE)
    return distance, moved.size


@dataclass(frozen=True)
class InformationLoss:
    """How far values, means, covariances and correlations moved, each part as a share (not %).

    Attributes
    ----------
    values, means, covariances, variances : float or None
        The mean over cells of `|x − x'| / |x|`, and the same of the columns' means, of the upper
        triangle of the covariance matrix with its diagonal, and of the diagonal alone. None where
        nothing counts.
    correlations : float or None
        The mean of `|r − r'|` over the upper triangle of the correlation matrix without its
        diagonal; None for a single column.
    left_out : mapping of str to int
        For each part how many entries have zero in the denominator, and were left out.
    """

    values: float | None
    means: float | None
    covariances: float | None
    variances: float | None
    correlations: float | None
    left_out: Mapping[str, int]

    @property
    def parts(self) -> dict[str, float | None]:
        """The five parts by name."""
        return {item.name: getattr(self, item.name) for item in fields(self)[:-1]}

    @property
    def total(self) -> float:
        """The mean of the parts that there are, times 100; above 100 where one explodes."""
        known = [part for part in self.parts.values() if part is not None]
        return 100 * math.fsum(known) / len(known)

    def to_dict(self) -> dict[str, Any]:
        """Return the parts as plain values."""
        return {"total": self.total, **self.parts, "left out": dict(self.left_out)}

    def __str__(self) -> str:
        parts = (
            f"{name} {'none' if part is None else f'{100 * part:.4g}'}"
            for name, part in self.parts.items()
        )
        return f"IL metrics: {self.total:.4g} ({', '.join(parts)})"


def il_metrics(
    original: object, released: object = None, *, categorical: Sequence[str] = ()
) -> InformationLoss:
    """Compare values, means, covariances and correlations with those of the original.

    Parameters and errors are those of `sse_share`; RefusedError also if all values are zero, so
    that no part can be computed.

    Notes
    -----
    Entries with zero in the denominator are left out of their mean and counted: cells that are 0,
    means and covariances that are 0 but for rounding, and correlations of a column that is constant
    in the original. A column that is constant in the released table has correlation 0 with all
    others.

    **Relative errors explode near zero.** One cell near 0 can be most of the total, which is not
    capped (the scores that the rounding paper prints exceed 100, too). It changes when a constant
    is added to a column, and does not when one is multiplied.

    **What it does not tell.** Nothing of risk; and a mean over cells says nothing of any one.

    Examples
    --------
    >>> loss = il_metrics([[1.0], [2.0], [5.0], [8.0]], [[1.5], [1.5], [6.5], [6.5]])
    >>> loss.values, loss.means, loss.correlations  # (1/2 + 1/4 + 3/10 + 3/16) / 4
    (0.309375, 0.0, None)
    """
    pair = as_pair(original, released, categorical=categorical)
    check_same_rows(pair, "this loss")
    before, after = pair.original.matrix, pair.released.matrix
    with np.errstate(over="ignore", invalid="ignore"):
        entries = {"values": _variation(before, after, 0), **_moment_changes(before, after)}
    parts = {
        name: _total(known) / known.size if known.size else None
        for name, (known, _) in entries.items()
    }
    if any(part is not None and not math.isfinite(part) for part in parts.values()):
        raise RefusedError(TOO_WIDE)
    if all(part is None for part in parts.values()):
        raise RefusedError(
            "every value of the original is zero, so that there is nothing to divide a change by;"
            " leave such columns out"
        )
    left_out = {name: int(count) for name, (_, count) in entries.items()}
    return InformationLoss(**parts, left_out=MappingProxyType(left_out))


def covariances(z: Floats) -> Floats:
    """Return the covariances (divisor n - 1) of columns of mean 0.

    Summed in the order of the products, so that permuted rows change no bit.
    """
    n, p = z.shape
    out = np.empty((p, p))
    for i in range(p):
        for j in range(i, p):
            out[i, j] = out[j, i] = _total(z[:, i] * z[:, j]) / (n - 1)
    return out


Entries = tuple[Floats, int]
"""The variations that are known, and how many entries were left out."""


def _moment_changes(original: Floats, released: Floats) -> dict[str, Entries]:
    """Compare means, covariances and correlations, in standard deviations of the original.

    A covariance divided by those of its columns is a correlation, and its variation is the
    same; and zero can be told from rounding.
    """
    mean, sd = moments(original)
    centre = moments(released)[0]
    averages = _variation(mean, centre, ROUNDING * np.abs(original).max(axis=0))
    varies = sd > 0
    p, left = len(sd), int(varies.sum())
    before = covariances((original[:, varies] - mean[varies]) / sd[varies])
    after = covariances((released[:, varies] - centre[varies]) / sd[varies])
    upper, beside = np.triu_indices(left), np.triu_indices(left, k=1)
    known, zero = _variation(before[upper], after[upper], ROUNDING)
    own, _ = _variation(np.diag(before), np.diag(after), 0)
    gaps = np.abs(_correlations(before) - _correlations(after))[beside]
    lost = p * (p + 1) // 2 - left * (left + 1) // 2
    return {
        "means": averages,
        "covariances": (known, zero + lost),
        "variances": (own, p - left),
        "correlations": (gaps, p * (p - 1) // 2 - left * (left - 1) // 2),
    }


def _variation(before: Floats, after: Floats, zero: Floats | float) -> Entries:
    """Return |before − after| / |before|, where that is above what counts as zero."""
    known = np.abs(before) > zero
    return np.abs(before - after)[known] / np.abs(before[known]), int((~known).sum())


def _correlations(of: Floats) -> Floats:
    """Make correlations of covariances; those of a constant column are 0."""
    sd = np.sqrt(np.diag(of))
    sd[sd == 0] = math.inf
    out: Floats = of / sd / sd[:, None]
    return out


def _total(values: Floats) -> float:
    """Return the sum of values, in the order of their size."""
    return float(np.sort(values).sum())


def _spread(pair: Pair) -> tuple[Floats, Floats]:
    """Return mean and sd of the original columns; refuse where none varies."""
    check_same_rows(pair, "this loss")
    mean, sd = moments(pair.original.matrix)
    if not sd.any():
        raise RefusedError(
            "every column is constant in the original table (in the rows without a missing"
            " number), so there is no spread to measure by"
        )
    return mean, sd


@dataclass(frozen=True)
class ILDR:
    """Two losses and two risks, and their mean; the lower the better.

    `loss`, `linked` and `inside` are what `il_metrics`, `ddr` and `idr` give; `distance` is the sum
    of the distances of all values from their originals, in √2 standard deviations, and `values` how
    many those are: `il1s` gives `distance / values`.
    """

    loss: InformationLoss
    distance: float
    values: int
    linked: Estimate
    inside: Estimate

    @property
    def il_metrics(self) -> float:
        """The mean of the five parts of the loss, times 100; not capped."""
        return self.loss.total

    @property
    def il1s(self) -> float:
        """IL1s as printed, a mean over the values, times 100; not capped."""
        return 100 * (self.distance / self.values)

    @property
    def il1s_sum(self) -> float:
        """IL1s as a sum over records and columns; it grows with the table."""
        return self.distance

    @property
    def ddr(self) -> float:
        """The released rows whose nearest record is their own, in percent."""
        return 100 * self.linked.share

    @property
    def idr(self) -> float:
        """The records within intervals about their released values, in percent."""
        return 100 * self.inside.share

    @property
    def score(self) -> float:
        """The four at a weight of 0.25 each, IL1s as a mean."""
        return math.fsum([self.il_metrics, self.il1s, self.ddr, self.idr]) / 4

    @property
    def score_by_sum(self) -> float:
        """The four at a weight of 0.25 each, IL1s as a sum: the scale of the paper's scores."""
        return math.fsum([self.il_metrics, self.il1s_sum, self.ddr, self.idr]) / 4

    def to_dict(self) -> dict[str, Any]:
        """Return the score and what it is made of as plain values."""
        names = ("score", "score_by_sum", "il_metrics", "il1s", "il1s_sum", "ddr", "idr")
        parts: dict[str, InformationLoss | Estimate] = {
            "loss": self.loss,
            "linked": self.linked,
            "inside": self.inside,
        }
        return {
            **{name: getattr(self, name) for name in names},
            **{name: part.to_dict() for name, part in parts.items()},
        }

    def __str__(self) -> str:
        return (
            f"IL-DR score {self.score:.2f} (IL metrics {self.il_metrics:.2f}, IL1s {self.il1s:.2f},"
            f" DDR {self.ddr:.2f}, IDR {self.idr:.2f})"
        )


def il_dr_score(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    share: float = 0.05,
) -> ILDR:
    """Weigh the information that was lost against the risk that is left.

    Parameters
    ----------
    original, released, categorical
        The same records in the same order; see `as_pair`. Levels count in the linkage alone: a row
        is compared with records of its levels. The paper's tables are continuous.
    share : float, default 0.05
        Half the width of the intervals of `idr`, in standard deviations of the released column.

    Returns
    -------
    ILDR
        IL metrics, IL1s, DDR and IDR, times 100, and `.score`, their mean: the lower the better.
        The losses have no upper limit. `.score_by_sum` is the same with IL1s as a sum over all
        values in place of 100 times their mean: the scale of the scores that the paper prints. It
        grows with the table (docs/papers/rounding.md).

    Notes
    -----
    The original released as it is scores 50 if no two records are equal.

    **What it does not tell.** A mean of four things that have no common unit. A low score may hide
    a high risk behind a small loss, and the IL metrics explode near zero (see `il_metrics`), so
    that scores of different data cannot be compared. Look at the parts.

    Examples
    --------
    >>> before = [[1.0], [2.0], [5.0], [8.0]]
    >>> print(il_dr_score(before, [[1.5], [1.5], [6.5], [6.5]]))
    IL-DR score 22.11 (IL metrics 16.07, IL1s 22.36, DDR 50.00, IDR 0.00)
    """
    pair = as_pair(original, released, categorical=categorical)
    return ILDR(il_metrics(pair), *moved_of(pair), ddr(pair), idr(pair, share=share))


@dataclass(frozen=True)
class Entropy:
    """Entropies of continuous columns in bits, from 0 (constant) to log2 n (no value twice)."""

    columns: Mapping[str, float]

    @property
    def total(self) -> float:
        """The sum over columns, as if they had nothing to do with one another."""
        return math.fsum(self.columns.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the entropies as plain values."""
        return {"total": self.total, "columns": dict(self.columns)}

    def __str__(self) -> str:
        return f"entropy: {self.total:.4g} bits"


def entropy(table: object, *, categorical: Sequence[str] = ()) -> Entropy:
    """Return the Shannon entropy of the values of each continuous column.

    −Σ p log2 p over the different values of each column, p being the share of rows that have a
    value; and the sum over columns as `.total`. A missing or infinite value is left out of its
    column.

    Parameters
    ----------
    table : array, frame or path
        One table; see `as_side`.
    categorical : sequence of str, default none
        Columns of codes that are levels, and are left out; texts and yes/no are left out anyway.

    Notes
    -----
    Rounding lowers the entropy, noise raises it: n different values have log2 n, however close.

    **What it does not tell.** The entropy of the rows: the paper's total counts what columns have
    in common once for each. Nor does a low entropy protect; a single value alone in its region
    hardly changes it.

    Examples
    --------
    >>> bits = entropy([[1.0, 5.0], [1.0, 6.0], [2.0, 7.0], [2.0, 8.0]])
    >>> dict(bits.columns), bits.total
    ({'0': 1.0, '1': 2.0}, 3.0)
    """
    side = as_side(table, categorical=categorical)
    if not side.numbers:
        raise InputError("there is no continuous column whose entropy could be taken")
    bits = {}
    for name, values in side.numbers.items():
        known = values[np.isfinite(values)]
        if not known.size:
            raise InputError(f"column {name!r} has no finite number; leave it out")
        shares = np.unique(known, return_counts=True)[1] / known.size
        # The sum may be −0 or a rounding below 0.
        bits[name] = max(0.0, -math.fsum((shares * np.log2(shares)).tolist()))
    return Entropy(MappingProxyType(bits))


def mean_absolute_correlation(table: object, *, categorical: Sequence[str] = ()) -> float:
    """Return the mean of `|r|` (Pearson) over all pairs of continuous columns, from 0 to 1.

    Parameters are those of `entropy`. Columns that are constant are left out, and so is a row of
    which a number is missing or infinite. RefusedError is raised if fewer than two columns vary, or
    one spans more than can be computed with.

    Notes
    -----
    **What it does not tell.** Which pairs, and in which direction. On few rows it is above 0 by
    chance alone.

    Examples
    --------
    >>> round(mean_absolute_correlation([[1, 1, 0], [2, 2, 0], [3, 1, 0], [4, 2, 0]]), 12)
    0.4472135955
    """
    side = as_side(table, categorical=categorical)
    known = side.matrix[np.isfinite(side.matrix).all(axis=1)] if side.numbers else np.empty((0, 0))
    varies = (known != known[:1]).any(axis=0)
    if varies.sum() < 2:
        raise RefusedError("fewer than two continuous columns vary, so there is no correlation")
    mean, sd = moments(known[:, varies])
    if not sd.all():
        raise RefusedError("a column varies too little to be computed with; rescale it")
    r = np.abs(covariances((known[:, varies] - mean) / sd))
    above = r[np.triu_indices(len(r), k=1)]
    return math.fsum(np.minimum(above, 1.0).tolist()) / above.size
