"""How near a copy of a whole table is to the raw table, beside a resample of the raw one.

A bootstrap resample of the raw table is as near to it as the table itself is to the population it
was drawn from: what is no farther is lost in sampling noise. How far a resample is on average is
computed, not drawn: the order of rows changes nothing, and no chance is needed.

Where a class begins and which subsets are looked at is read off the copy, which its readers have:
so one raw row moves each figure a little and no more. `Fidelity.rounded` rests on it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import InputError
from discreet.estimates.fidelity_report import Beside, ColumnFit, Fidelity, PairFit, SubsetFit
from discreet.estimates.figures import MISSING as NO_LEVEL
from discreet.estimates.raw_beside import (
    NamedCodes,
    columns_beside,
    group_fits,
    level_fits,
    moment_fits,
)
from discreet.methods.copies import MISSING, OTHER, Levels
from discreet.progress import advance

FIFTHS = (0.2, 0.4, 0.6, 0.8)
OUTER = (0.01, 0.99)
MOST_CLASSES = 30
"""Of a column of more levels, those that are rarer in the copy are one class in pairs."""
MOST_TERMS, LEAST_ROWS = 8, 20
"""How many levels of a column are terms of the regressions, and of how many rows of the copy."""
RIDGE, LEAST_NOISE = 0.01, 0.01
"""What is added to each term's variance, and the least variance of residuals; both of 1."""
NORMAL = math.sqrt(2 / math.pi)
"""The mean distance of a normal number from its mean, in standard deviations."""
SIZES = (30, 50, 100, 300)
MOST_SUBSETS = 120
FAR, FAR_BY_CHANCE = 2.0, 0.0455
SPAN = 1 << 14


class Columns(Protocol):
    """A table of mixed columns: numbers, NaN where there is none, and levels."""

    @property
    def numbers(self) -> Mapping[str, Floats]:
        """The columns of numbers."""

    @property
    def levels(self) -> Mapping[str, Levels]:
        """The columns of levels."""


class Mixed(NamedTuple):
    """A table of mixed columns; a `WholeCopy` is one too."""

    numbers: Mapping[str, Floats]
    levels: Mapping[str, Levels]


def fidelity(raw: Columns, released: Columns) -> Fidelity:
    """Measure how near a released table is to the raw one, column by column and jointly.

    Parameters
    ----------
    raw, released : Mixed, WholeCopy, or what else has `numbers` and `levels`
        Tables of any lengths, in any order of rows. Numbers are arrays, NaN where one is missing;
        levels are words and codes, -1 where one is missing. Columns that the released table does
        not have are not compared.

    Returns
    -------
    Fidelity
        Exact figures of raw data, for the custodian; `Fidelity.rounded` is for release.

    Notes
    -----
    Columns: the Kolmogorov-Smirnov distance of known numbers, or how far the shares of missing ones
    differ if that is more; of levels the total variation. Raw levels that were joined in the
    released table are compared as "(other)".

    Pairs: the total variation of the two-way tables, numbers in the fifths of the released column
    and missing ones a class of their own. A resample's mean is that of binomial counts (de Moivre).

    Correlations: the mean distance of Pearson's coefficients; numbers beyond the outer hundredths
    of the released column count as its ends. A resample's mean follows from the influence of each
    row.

    Coefficients: each number is regressed on all other columns, with a small ridge so that columns
    that nearly follow from others do not decide. The distance of two coefficients is counted in
    standard errors of the raw one that hold for unequal spread; a resample's is .8 on average.

    Subsets: up to 120 conditions of two columns that hold for 30, 50, 100 and 300 released rows:
    how far the number of raw rows is from theirs, and how often a mean is more than two standard
    errors off, which of a resample 5 % are.

    **What it does not tell.** Nothing of risk; nothing of relations of three columns but through
    regressions; nothing of what the outermost numbers do to a correlation. As near as a resample
    says that an error is no larger than sampling noise, not that there is none.

    Examples
    --------
    >>> x = np.arange(100.0)
    >>> near = fidelity(Mixed({"x": x, "y": x % 7}, {}), Mixed({"x": x + 10, "y": x % 7}, {}))
    >>> near.largest, near.pairs[0].first, near.pairs[0].second
    (0.1, 'x', 'y')
    """
    names = [*sorted(released.numbers), *sorted(released.levels)]
    missing = [it for it in released.numbers if it not in raw.numbers]
    missing += [it for it in released.levels if it not in raw.levels]
    if missing or not names:
        raise InputError(
            f"the raw table has no column {missing[0]!r} of this kind; compare tables that belong"
            " together"
            if missing
            else "the released table has no columns, so nothing can be compared"
        )
    pair = _pair_up(raw, released)
    if not pair.raw_rows or not pair.rows:
        raise InputError("a table without rows cannot be compared; give one with rows")
    steps = 5
    alone = tuple(_column_fits(pair))
    advance("measuring fidelity", 1, steps)
    pairs = tuple(_pair_fits(pair))
    columns = tuple(_add_joint(it, pairs) for it in alone)
    advance("measuring fidelity", 2, steps)
    correlations = _correlations(pair)
    advance("measuring fidelity", 3, steps)
    coefficients = _coefficients(pair)
    advance("measuring fidelity", 4, steps)
    subsets = tuple(fit for size in SIZES for fit in _subsets(pair, size))
    advance("measuring fidelity", steps, steps)
    far = {it.name: it.distance or 0.0 for it in columns}
    named = {
        name: NamedCodes(
            [it.names[at] or NO_LEVEL for at in range(it.classes)], it.raw, it.released
        )
        for name, it in pair.levels.items()
    }
    return Fidelity(
        pair.rows,
        max(far.values()),
        columns,
        pairs,
        correlations,
        coefficients,
        subsets,
        moments=tuple(moment_fits(pair.numbers)),
        shares=tuple(level_fits(named)),
        groups=tuple(group_fits(pair.numbers, named)),
        beside=columns_beside(far, pair.numbers, named),
    )


class _Coded(NamedTuple):
    """A column of both tables in classes: of the raw rows, of the released ones, how many.

    Of levels, the class that each is in, with its name.
    """

    raw: Labels
    released: Labels
    classes: int
    names: Mapping[int, str] = MappingProxyType({})


class _Paired(NamedTuple):
    """Both tables with columns in one order: numbers, levels, and all of them in classes."""

    numbers: dict[str, tuple[Floats, Floats]]
    levels: dict[str, _Coded]
    classes: dict[str, _Coded]
    raw_rows: int
    rows: int


def _pair_up(raw: Columns, released: Columns) -> _Paired:
    numbers = {
        name: (_finite(raw.numbers[name]), _finite(released.numbers[name]))
        for name in sorted(released.numbers)
    }
    levels = {
        name: _code_levels(raw.levels[name], released.levels[name])
        for name in sorted(released.levels)
    }
    lengths = [(len(a), len(b)) for a, b in numbers.values()]
    lengths += [(len(it.raw), len(it.released)) for it in levels.values()]
    if len(set(lengths)) > 1:
        raise InputError("the columns of a table have one length; give tables that do")
    classes = {name: _fifths(*both) for name, both in numbers.items()}
    classes |= {name: _common(coded, MOST_CLASSES) for name, coded in levels.items()}
    return _Paired(numbers, levels, classes, *lengths[0])


def _finite(column: Floats) -> Floats:
    values = np.asarray(column, dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def _code_levels(raw: Levels, released: Levels) -> _Coded:
    """Give levels of both tables the same numbers; those that were joined have one."""
    place: dict[str, int] = {}
    for word in (*released.words, MISSING):
        place.setdefault(word, len(place))
    joined = OTHER in released.words
    missing = place[OTHER] if joined and MISSING not in released.words else place[MISSING]
    for word in raw.words:
        place.setdefault(word, place[OTHER] if joined else len(place))

    def codes(column: Levels, gap: int) -> Labels:
        table = np.array([*(place[word] for word in column.words), gap], dtype=np.intp)
        return np.asarray(table[np.where(column.codes < 0, len(column.words), column.codes)])

    names = {at: word for word, at in reversed(place.items())}  # the released table's own names
    return _Coded(codes(raw, missing), codes(released, place[MISSING]), len(names), names)


def _common(column: _Coded, most: int) -> _Coded:
    """Keep the levels that are most common in the released table, and join all others."""
    if column.classes <= most:
        return column
    counts = np.bincount(column.released, minlength=column.classes)
    place = np.full(column.classes, most - 1, dtype=np.intp)
    place[np.argsort(-counts, kind="stable")[: most - 1]] = np.arange(most - 1)
    return _Coded(place[column.raw], place[column.released], most)


def _fifths(raw: Floats, released: Floats) -> _Coded:
    """Put numbers into fifths of the released ones; those that are missing are a class."""
    known = released[~np.isnan(released)]
    cuts = np.unique(np.quantile(known, FIFTHS)) if known.size else np.zeros(0)
    gap = len(cuts) + 1

    def codes(values: Floats) -> Labels:
        return np.where(np.isnan(values), gap, np.searchsorted(cuts, values, side="left"))

    return _Coded(codes(raw), codes(released), gap + 1)


# --- columns and pairs --------------------------------------------------------------------------


def _column_fits(pair: _Paired) -> Iterator[ColumnFit]:
    for name, (raw, released) in pair.numbers.items():
        yield ColumnFit(name, "number", _largest_gap(raw, released))
    for name, coded in pair.levels.items():
        shares = _shares(coded.raw, coded.classes), _shares(coded.released, coded.classes)
        yield ColumnFit(name, "levels", _variation(*shares))


def _largest_gap(raw: Floats, released: Floats) -> float:
    """Return the Kolmogorov-Smirnov distance, or that of the shares of missing numbers."""
    a, b = (np.sort(values[~np.isnan(values)]) for values in (raw, released))
    gaps = abs(len(a) / len(raw) - len(b) / len(released))
    if not a.size or not b.size:
        return float(gaps)
    at = np.union1d(a, b)
    below = [np.searchsorted(x, at, side="right") / len(x) for x in (a, b)]
    return round(max(float(np.abs(below[0] - below[1]).max()), gaps), 12)


def _shares(codes: Labels, count: int) -> Floats:
    shares: Floats = np.bincount(codes, minlength=count) / len(codes)
    return shares


def _variation(p: Floats, q: Floats) -> float:
    return float(min(np.abs(p - q).sum() / 2, 1.0))


def _pair_fits(pair: _Paired) -> Iterator[PairFit]:
    for (first, a), (second, b) in itertools.combinations(pair.classes.items(), 2):
        count = a.classes * b.classes
        raw = _shares(a.raw * b.classes + b.raw, count)
        released = _shares(a.released * b.classes + b.released, count)
        resample = mean_deviation(raw, pair.raw_rows).sum() / 2
        yield PairFit(first, second, _variation(raw, released), float(resample))


def _add_joint(column: ColumnFit, pairs: Sequence[PairFit]) -> ColumnFit:
    own = [(it.distance, it.resample) for it in pairs if column.name in (it.first, it.second)]
    if not own:
        return column
    joint, resample = np.mean(own, axis=0).tolist()
    return column._replace(joint=joint, resample=resample)


def mean_deviation(share: Floats, n: int) -> Floats:
    """Return how far the share of a binomial count of n is from its own, on average (de Moivre)."""
    from scipy.special import gammaln, xlog1py, xlogy

    above = np.minimum(np.floor(n * share) + 1, n)
    ways = gammaln(n + 1) - gammaln(above + 1) - gammaln(n - above + 1)
    log = ways + xlogy(above, share) + xlog1py(n - above + 1, -share)
    inside = (share > 0) & (share < 1)
    return np.where(inside, 2 * above / n * np.exp(np.where(inside, log, 0.0)), 0.0)


# --- correlations and coefficients --------------------------------------------------------------


def _within(pair: _Paired) -> dict[str, tuple[Floats, Floats]]:
    """Return numbers, those beyond the outer hundredths of the released ones at their ends."""
    out = {}
    for name, (raw, released) in pair.numbers.items():
        if not np.isnan(released).all():
            ends = np.nanquantile(released, OUTER)
            out[name] = np.clip(raw, *ends), np.clip(released, *ends)
    return out


def _correlations(pair: _Paired) -> Beside | None:
    fits = []
    for (a, x), (b, y) in itertools.combinations(_within(pair).values(), 2):
        raw, spread = _correlation(a, b)
        if math.isnan(raw):
            continue
        released, _ = _correlation(x, y)
        distance = abs(raw - (0.0 if math.isnan(released) else released))
        fits.append((distance, NORMAL * spread))
    return Beside(*np.mean(fits, axis=0).tolist()) if fits else None


def _correlation(x: Floats, y: Floats) -> tuple[float, float]:
    """Return Pearson's coefficient of rows with both numbers, and its standard error."""
    both = ~(np.isnan(x) | np.isnan(y))
    if both.sum() < 3 or not (np.ptp(x[both]) and np.ptp(y[both])):
        return math.nan, math.nan
    u, v = (_standard(values[both]) for values in (x, y))
    r = float(np.mean(u * v))
    influence = u * v - r / 2 * (u * u + v * v)
    return r, float(np.sqrt(np.mean(influence**2) / both.sum()))


def _standard(values: Floats) -> Floats:
    centred = values - values.mean()
    largest = np.abs(centred).max()  # or squares of very small numbers would be 0
    scaled = centred / largest if largest else centred
    return np.asarray(scaled / np.sqrt(np.mean(scaled**2)))


def _coefficients(pair: _Paired) -> Beside | None:
    """Compare the regressions of each number on all others."""
    raw, released, numbers = _designs(pair)
    if not numbers or raw.shape[1] < 2 or min(len(raw), len(released)) <= raw.shape[1] + 1:
        return None
    (of_raw, errors), (of_released, _) = (_regressions(it, numbers) for it in (raw, released))
    off = np.abs(of_raw - of_released) / errors
    others = ~np.eye(numbers, raw.shape[1], dtype=np.bool_)
    return Beside(float(off[others].mean()), NORMAL)


def _designs(pair: _Paired) -> tuple[Floats, Floats, int]:
    """Return the terms of both tables, centred, in standard deviations of the raw; numbers first.

    The most common level of a column is what others are compared with.
    """
    sides: list[tuple[Floats, Floats]] = []
    for raw, released in _within(pair).values():
        sd = np.nanstd(raw) if not np.isnan(raw).all() else 0.0
        if sd > 0:
            sides.append((_centre(raw) / sd, _centre(released) / sd))
    numbers = len(sides)
    for coded in pair.levels.values():
        counts = np.bincount(coded.released, minlength=coded.classes)
        order = np.argsort(-counts, kind="stable")[1 : MOST_TERMS + 1]
        for level in order[counts[order] >= LEAST_ROWS].tolist():
            has = coded.raw == level
            if sd := float(has.std()):
                both = (side.astype(float) for side in (has, coded.released == level))
                a, b = (_centre(side) / sd for side in both)
                sides.append((a, b))
    if not sides:
        return np.zeros((0, 0)), np.zeros((0, 0)), 0
    raws, copies = zip(*sides, strict=True)
    return np.column_stack(raws), np.column_stack(copies), numbers


def _centre(values: Floats) -> Floats:
    return np.nan_to_num(values - np.nanmean(values))


def _regressions(x: Floats, numbers: int) -> tuple[Floats, Floats]:
    """Regress each of the first columns (a row) on all others: coefficients, standard errors.

    Column y of the inverse P of the (ridged) moments is the regression of y: its coefficients are
    -P[j, y] / P[y, y], and (x P)[:, y] / P[y, y] are its residuals. With them the variances are
    sums of products of columns of x P, whatever the number of regressions.
    """
    n, terms = x.shape
    p = np.linalg.inv(x.T @ x + RIDGE * n * np.eye(terms))
    own = np.diag(p)[:numbers, None]
    ratio = p[:numbers] / own
    squares, cubes = np.zeros((numbers, terms)), np.zeros((numbers, terms))
    fourths = np.zeros((numbers, 1))
    for start in range(0, n, SPAN):
        u = x[start : start + SPAN] @ p
        mine = u[:, :numbers]
        squares += (mine**2).T @ u**2
        cubes += (mine**3).T @ u
        fourths += (mine**4).sum(axis=0)[:, None]
    variance = (squares - 2 * ratio * cubes + ratio**2 * fourths) / own**2
    least = LEAST_NOISE * (np.diag(p)[None, :] - ratio * p[:numbers])
    error = np.sqrt(np.maximum(np.maximum(variance, least), 1e-300))
    return -ratio, error


# --- subsets ------------------------------------------------------------------------------------


def _subsets(pair: _Paired, size: int) -> list[SubsetFit]:
    """Look at subsets of `size` released rows: a class of a column, between two numbers."""
    sizes, far = [], []
    for rows, raw_rows, used in _conditions(pair, size):
        count, raw_count = int(rows.sum()), int(raw_rows.sum()) * pair.rows / pair.raw_rows
        sizes.append(abs(raw_count - count) / count)
        far += _far_means(pair, raw_rows, rows, used)
    if not sizes:
        return []
    by_chance = float(mean_deviation(np.array([size / pair.rows]), pair.rows)[0])
    return [
        SubsetFit(
            persons=size,
            subsets=len(sizes),
            size=float(np.mean(sizes)),
            size_p90=float(np.quantile(sizes, 0.9)),
            size_of_resample=by_chance * pair.rows / size,
            far_means=float(np.mean(far)) if far else 0.0,
            far_of_resample=FAR_BY_CHANCE,
        )
    ]


def _conditions(
    pair: _Paired, size: int
) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_], tuple[str, str]]]:
    """Yield the released and the raw rows of each subset, and the columns it is made by.

    They are spread evenly over all pairs of columns, and over the range of the second.
    """
    conditions = [
        (first, place, second)
        for first, coded in pair.classes.items()
        for place in np.flatnonzero(np.bincount(coded.released) >= size).tolist()
        for second in pair.numbers
        if second != first
    ]
    chosen = np.unique(
        np.linspace(0, len(conditions) - 1, min(len(conditions), MOST_SUBSETS)).astype(int)
    )
    for turn, (first, place, second) in enumerate(conditions[i] for i in chosen.tolist()):
        coded, (raw, released) = pair.classes[first], pair.numbers[second]
        within = coded.released == place
        values = np.sort(released[within])
        room = int((~np.isnan(values)).sum()) - size
        if room < 0:
            continue
        start = int((turn * 0.6180339887 % 1.0) * (room + 1))
        low, high = values[start], values[start + size - 1]
        rows = within & (released >= low) & (released <= high)
        if rows.sum() <= 1.5 * size:  # more where many rows have one number
            yield rows, (coded.raw == place) & (raw >= low) & (raw <= high), (first, second)


def _far_means(
    pair: _Paired, raw_rows: NDArray[np.bool_], rows: NDArray[np.bool_], used: Sequence[str]
) -> list[bool]:
    """Say of each number's mean over a subset whether it is more than two standard errors off."""
    far = []
    for name, (raw, released) in pair.numbers.items():
        a, b = raw[raw_rows], released[rows]
        a, b = a[~np.isnan(a)], b[~np.isnan(b)]
        if name in used or min(len(a), len(b)) < 5:
            continue
        error = a.std(ddof=1) / math.sqrt(len(a))
        far.append(bool(abs(a.mean() - b.mean()) > FAR * error + 1e-12 * abs(a.mean())))
    return far
