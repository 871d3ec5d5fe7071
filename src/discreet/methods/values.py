"""Values of one column: box plots and ends that are nobody's, filled gaps, bounds that are kept."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arguments import CheckedParameters, Floats, check_word, whole
from discreet.errors import BrokenPromiseError, InputError, RefusedError, one_of

STEP_IN_SDS = 0.02
SHARES = (0.25, 0.5, 0.75)
DIGITS = 12
# An extreme value that makes up more than this of what k of them reach beyond the next one would
# be read back from their mean: of 500 normal values and one at 100 sd, to 0.6 % at k = 5.
DOMINANT = 0.8


@dataclass(frozen=True)
class OrderMeans(CheckedParameters):
    """Five numbers of a column, each the mean of `k` neighbouring order statistics (at least 1).

    The quartiles and the median rest on the k values nearest to the quantile's position, the
    whiskers on the k smallest and the k largest; where one of these dominates the others, on
    the next k (`extreme_mean`). No outlier is returned.

    Notes
    -----
    Whiskers retreat from the true range by 0.3 to 0.6 standard deviations at k = 3 and 500
    records. Someone who knows k - 1 of the values behind a number knows the last one up to the
    step that the number is rounded to. Not from the papers, whose box plots draw single records.

    Examples
    --------
    >>> import numpy as np
    >>> OrderMeans(k=3)(np.arange(1.0, 10.0))
    (2.0, 3.0, 5.0, 7.0, 8.0)
    """

    k: int = whole(1, default=5)

    name: ClassVar[str] = "order-means"
    promises: ClassVar[str] = (
        "Every number of the box is the mean of at least k neighbouring values, rounded; no"
        " record is drawn as an outlier."
    )
    leaves_open: ClassVar[str] = (
        "Somebody who knows all but one of the values behind a number roughly knows the last "
        "one; whiskers are shorter than the range of the data."
    )

    def __call__(self, values: Floats) -> tuple[float, float, float, float, float]:
        """Return low whisker, quartile, median, quartile and high whisker of `values`."""
        ordered, n = np.sort(values), len(values)
        if n < self.k:
            raise RefusedError("k is larger than the number of values; choose a smaller k")
        reach = max(self.k, min(2 * self.k, n // 4))  # few values have no next ones
        centres = [share * (n - 1) for share in SHARES]
        starts = [math.floor(centre - (self.k - 1) / 2 + 0.5) for centre in centres]
        starts = [min(max(start, 0), n - self.k) for start in starts]
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused later
            q1, median, q3 = (float(ordered[at : at + self.k].mean()) for at in starts)
        low = extreme_mean(ordered[:reach], self.k)
        high = extreme_mean(ordered[n - reach :][::-1], self.k)
        if not low <= q1 <= median <= q3 <= high:
            raise BrokenPromiseError("the numbers of a box are not in order")
        return low, q1, median, q3, high


def extreme_mean(inward: Floats, k: int) -> float:
    """Return the mean of the k most extreme values of a column that none of them dominates.

    It stands for an end of the column wherever one is shown or used. `inward` are the k to 2 k
    most extreme values, from the extreme one inward.
    """
    first = 0
    with np.errstate(over="ignore", invalid="ignore"):
        while first + k < len(inward):
            beyond = np.abs(inward[first : first + k] - inward[first + k])
            if not beyond[0] > DOMINANT * beyond.sum():
                break
            first += 1
        return float(np.sort(inward[first : first + k]).mean())


def safe_ends(low: float, high: float, *, whole: bool) -> tuple[float, float]:
    """Return the ends of a column rounded outward, so that they are nobody's values.

    What is given are the means of the k smallest and largest values. The ends of a column of
    `whole` numbers are such.

    Examples
    --------
    >>> safe_ends(18.4, 88.8, whole=True), safe_ends(18.4, 88.8, whole=False)
    ((18.0, 89.0), (18.0, 90.0))
    """
    step = 1.0 if whole else nice_step(high - low, share=0.05)
    return short(np.floor(low / step) * step) + 0.0, short(np.ceil(high / step) * step) + 0.0


def short(value: float, digits: int = DIGITS) -> float:
    """Return a number without the last digits of its arithmetic, as a reader would write it."""
    return float(np.format_float_positional(value, digits, fractional=False))


def nice_step(sd: float, share: float = STEP_IN_SDS) -> float:
    """Return the step of 1, 2 or 5 times a power of ten next below `share` of `sd`: 0.2 of 13."""
    target = share * sd
    if not np.isfinite(target) or target <= 0:
        raise RefusedError("a column is constant, or too wide for a number, and cannot be drawn")
    power = float(np.floor(np.log10(target)))
    factor = next(f for f in (5.0, 2.0, 1.0) if f * 10.0**power <= target * (1 + 1e-12))
    return float(f"{factor:.0f}e{power:.0f}")


def stepped(values: Floats, step: float) -> Floats:
    """Return `values` rounded to the nearest multiple of a nice `step`, and no digit beyond it."""
    decimals = max(0, -int(np.floor(np.log10(step))))
    out = np.round(values / step) * step
    # numpy rounds by the power of ten itself, which is infinite for the smallest numbers there are.
    return (np.round(out, decimals) if decimals < sys.float_info.max_10_exp else out) + 0.0


MISSING_NUMBERS = ("complete", "median", "mean")
"""What happens to rows without a number: left out, or filled with a value of the column."""
MISSING_LEVELS = ("complete", "level", "drawn")
"""What happens to rows without a level: left out, a level of their own, or a level drawn."""


def filled(values: Floats, how: str) -> Floats:
    """Return `values` with the missing ones (NaN) replaced by the median or mean of the others.

    Every missing value becomes the same one, so the column's spread and its correlations shrink,
    and the filled rows can be told apart: right for few missing values alone (Avraam et al., "A
    deterministic approach for protecting privacy in sensitive personal data", BMC Medical
    Informatics and Decision Making 22:24, 2022, Discussion).
    """
    if how not in ("median", "mean"):
        raise InputError(f"how must be one of {one_of(('median', 'mean'))}")
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        raise RefusedError("no value of a column is known; leave the column out")
    out: Floats = values.copy()
    out[np.isnan(values)] = np.median(known) if how == "median" else known.mean()
    return out


def drawn_levels(words: Sequence[str], uniforms: Floats) -> tuple[str, ...]:
    """Return `words` with the missing ones (no text) drawn from the shares of the others.

    `uniforms` are numbers between 0 and 1, keyed by the secret: a record's own decides its level.
    Shares are kept on average; what the level has to do with other columns is lost for the rows
    that were filled. The paper names a binomial distribution fitted to the known values: for two
    levels this is it.
    """
    counts = Counter(word for word in words if word)
    if not counts:
        raise RefusedError("no level of a column is known; leave the column out")
    names = sorted(counts)
    ends = np.cumsum([counts[name] for name in names]) / counts.total()
    drawn = np.minimum(np.searchsorted(ends, uniforms, side="right"), len(names) - 1)
    return tuple(word or names[i] for word, i in zip(words, drawn.tolist(), strict=True))


OUTSIDE = ("keep", "reflect", "clip")
"""What may be done with values outside the bounds of their column."""

LARGEST = float(np.finfo(np.float64).max)


def outside(values: Floats, low: float, high: float, rule: str) -> Floats:
    """Keep, reflect or clip the values that lie outside the theoretical bounds of a column.

    Noise and rescaling do not know that a share ends at 0 and 1, or that no time is negative.
    Values from low to high are unchanged, bit for bit.

    Parameters
    ----------
    values : ndarray of float
        Protected values of one column, finite.
    low, high : float
        The bounds that the column has by its meaning, not by its data; low below high. An end
        that the column does not have is -inf or inf.
    rule : {"keep", "reflect", "clip"}
        "keep" changes nothing: some values are impossible. "reflect" folds a value back by as much
        as it lies outside, from bound to bound until it lies inside: the shape stays smooth, but
        the part near a bound is mixed with what lay beyond it, which draws the mean inward and
        makes the spread smaller. "clip" puts a value on the bound it has passed: least of the
        spread is lost, but the bound gets a spike that is not in the data.

    Notes
    -----
    **What it does not protect.** Nothing more than the values that come in. Bounds taken from the
    data (a smallest or largest value) give a record away. A spike after "clip" says about how many
    records lie within the noise of the bound.

    References
    ----------
    Avraam et al. (2021), section 4.1: both methods "can generate anonymized values that fall
    outside the original (or theoretically defined) ranges"; its pictures keep them.

    Examples
    --------
    >>> import numpy as np
    >>> share = np.array([-0.25, 0.5, 1.25, 2.25])
    >>> outside(share, 0.0, 1.0, "reflect").tolist(), outside(share, 0.0, np.inf, "clip").tolist()
    ([0.25, 0.5, 0.75, 0.25], [0.0, 0.5, 1.25, 2.25])
    """
    check_word("outside", rule, OUTSIDE)
    if not low < high:
        raise InputError("low must be a number below high; an end that is open is -inf or inf")
    given = np.array(values, dtype=np.float64)
    if not np.isfinite(given).all():
        raise InputError("values are missing or infinite; leave them out before bounds are kept")
    if rule == "keep":
        return given
    beyond = (given < low) | (given > high)
    moved = given[beyond]
    if rule == "reflect":  # rounding may leave a value just there
        with np.errstate(over="ignore"):
            if np.isinf(low):
                moved = high - (moved - high)
            elif np.isinf(high):
                moved = low + (low - moved)
            else:
                there_and_back = min(2 * (high - low), LARGEST)
                gone = np.mod(np.clip(moved - low, -LARGEST, LARGEST), there_and_back)
                moved = low + np.minimum(gone, there_and_back - gone)
    given[beyond] = np.clip(moved, max(low, -LARGEST), min(high, LARGEST))
    return given
