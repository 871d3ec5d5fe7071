"""What is left of a table's use: how far values moved, which summaries stayed, can a model tell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.errors import InputError, RefusedError
from discreet.measure.pairs import Pair, Side, as_pair
from discreet.regression.formula import LARGEST_VALUE, ROUNDING

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Where distributions are compared."""


@dataclass(frozen=True)
class Preservation:
    """How the summaries of a released table differ from those of the original.

    Attributes
    ----------
    means, spreads : mapping of str to float
        Per continuous column the mean released less the mean before, in standard deviations
        (divisor n - 1) of the original; and the standard deviation released by that before.
    quantiles : mapping of str to tuple of float
        The differences at the quantiles `QUANTILES`, in standard deviations of the original.
    correlations : mapping of pairs of str to float
        The correlation (Pearson) of two columns released, less that before; a column that is
        constant in the released table has correlation 0 with all.
    levels : mapping of str to float
        Per categorical column the total variation distance of the shares of its levels: half
        the sum of absolute differences, from 0 (none) to 1 (no level in common).
    """

    means: Mapping[str, float]
    spreads: Mapping[str, float]
    quantiles: Mapping[str, tuple[float, ...]]
    correlations: Mapping[tuple[str, str], float]
    levels: Mapping[str, float]

    @property
    def correlation(self) -> float:
        """The largest absolute difference of a correlation; 0 if there is no pair of columns."""
        return max(map(abs, self.correlations.values()), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the differences as plain values."""
        return {
            "means": dict(self.means),
            "spreads": dict(self.spreads),
            "at": list(QUANTILES),
            "quantiles": {name: list(values) for name, values in self.quantiles.items()},
            "correlations": [[*names, value] for names, value in self.correlations.items()],
            "largest correlation": self.correlation,
            "levels": dict(self.levels),
        }


def displacement(
    original: object, released: object = None, *, categorical: Sequence[str] = ()
) -> dict[str, float]:
    """Return by how much the values of each continuous column moved, as a share of its variance.

    δ = mean((x_or − x_an)²) / var(x_or) of each column, the variance with divisor n - 1: 0 if and
    only if nothing moved, (n − 1) / n if each value became the mean, 2 (n − 1) / n on average if
    the values were shuffled; there is no upper limit (Avraam et al. 2022).

    Parameters
    ----------
    original, released, categorical
        The same rows in the same order; see `as_pair`.

    Raises
    ------
    RefusedError
        If a column of the original is constant, or holds numbers above 1e70.

    Notes
    -----
    **What it does not tell.** A mean over rows: rare values may have moved far, or not at all. A
    large δ is no protection, and a small one no disclosure: see the measures of risk.

    Examples
    --------
    >>> displacement([[1.0], [2.0], [3.0]], [[1.5], [2.0], [2.5]])
    {'0': 0.16666666666666666}
    """
    pair = as_pair(original, released, categorical=categorical)
    if not pair.same_rows:
        raise InputError(
            "displacement compares row by row, and the rows of these tables do not correspond;"
            " give the same rows in the same order"
        )
    moved = {}
    for name, before in pair.original.numbers.items():
        after = pair.released.numbers[name]
        _, spread = _moments(name, before, varies=True)
        _moments(name, after)  # refuses numbers that are too large
        moved[name] = float(np.sort(((before - after) / spread) ** 2).mean())
    return moved


def preservation(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    same_rows: bool = True,
    k: int = 1,
) -> Preservation:
    """Compare means, spreads, quantiles, correlations and shares of levels of two tables.

    Parameters
    ----------
    original, released, categorical, same_rows
        Two tables of the same columns; see `as_pair`. The summaries do not ask whether rows
        correspond, but if they do, a row with a missing number in one is left out of both.
    k : int, default 1
        Of how many neighbouring values a quantile is the mean, so that none is one record's.

    Raises
    ------
    RefusedError
        If a continuous column of the original is constant, or holds numbers above 1e70.

    Notes
    -----
    **What it does not tell.** What three columns have to do with one another may be lost while all
    of these stay. Correlations are of the whole table, not within levels. Nothing here speaks of
    risk.

    Examples
    --------
    >>> kept = preservation([[1, 4], [2, 1], [3, 7]], [[1.5, 4], [2.5, 1], [3.5, 7]])
    >>> kept.means, kept.spreads
    (mappingproxy({'0': 0.5, '1': 0.0}), mappingproxy({'0': 1.0, '1': 1.0}))
    >>> round(kept.correlation, 12)
    0.0
    """
    pair = as_pair(original, released, categorical=categorical, same_rows=same_rows)
    before, after = pair.original, pair.released
    means, spreads, quantiles = {}, {}, {}
    for name, values in before.numbers.items():
        mean, spread = _moments(name, values, varies=True)
        mean_after, spread_after = _moments(name, after.numbers[name])
        means[name] = (mean_after - mean) / spread
        spreads[name] = spread_after / spread
        moved = _quantiles(after.numbers[name], k) - _quantiles(values, k)
        quantiles[name] = tuple((moved / spread).tolist())
    correlations = _correlations(after) - _correlations(before)
    pairs = combinations(enumerate(before.numbers), 2)
    return Preservation(
        means=MappingProxyType(means),
        spreads=MappingProxyType(spreads),
        quantiles=MappingProxyType(quantiles),
        correlations=MappingProxyType(
            {(one, other): float(correlations[i, j]) for (i, one), (j, other) in pairs}
        ),
        levels=MappingProxyType(
            {name: _variation(words, after.levels[name]) for name, words in before.levels.items()}
        ),
    )


def _quantiles(values: Floats, k: int) -> Floats:
    if k == 1:
        return np.quantile(values, QUANTILES)
    ordered = np.sort(values)
    size = min(k, len(ordered))
    starts = np.round(np.array(QUANTILES) * (len(ordered) - 1) - (size - 1) / 2).astype(int)
    out: Floats = np.array(
        [ordered[i : i + size].mean() for i in np.clip(starts, 0, len(ordered) - size)]
    )
    return out


def _moments(name: str, values: Floats, varies: bool = False) -> tuple[float, float]:
    """Return mean and standard deviation (0 if it is rounding alone), in whatever order of rows."""
    if max(float(values.max()), -float(values.min())) > LARGEST_VALUE:
        raise RefusedError(f"column {name!r} has numbers too large to be computed with; rescale it")
    ordered = np.sort(values)
    mean = float(ordered.mean())
    spread = float(ordered.std(ddof=1)) if len(values) > 1 else 0.0
    if spread <= max(ROUNDING * float(np.abs(ordered[[0, -1]]).max()), 1 / LARGEST_VALUE):
        if varies:
            raise RefusedError(
                f"column {name!r} is constant in the original table, so there is no spread to"
                " measure by; leave it out"
            )
        spread = 0.0
    return mean, spread


def _correlations(side: Side) -> Floats:
    """Return the correlations of all columns; those of a constant column are 0."""
    columns = []
    for name, values in side.numbers.items():
        mean, spread = _moments(name, values)
        columns.append((values - mean) / spread if spread else np.zeros_like(values))
    z = np.array(columns).reshape(len(columns), len(side))
    out: Floats = z @ z.T / max(len(side) - 1, 1)
    return out


def _variation(before: Sequence[str], after: Sequence[str]) -> float:
    """Return half the sum of the differences of the shares of levels."""
    shares, others = Counter(before), Counter(after)
    return (
        sum(
            abs(shares[level] / len(before) - others[level] / len(after))
            for level in sorted(shares | others)
        )
        / 2
    )


MOST_TERMS = 1000
"""How many terms the model may have."""
DEPENDENT = 1e-11
"""A term of which no more than this share varies given the terms before it follows from them."""
SEPARATED = 1e-8
"""A mean loss below this ends the fit: U is nearer than this to what it is at no loss."""
NEAR = 1e-10
"""How far U may be from that of the exact fit, as a share of itself."""
FLAT = 1e-13
"""Directions in which the likelihood bends less than this, relatively, are not searched."""
SLACK = 1e-12
"""By what share of itself rounding may let the loss rise."""
MOST_STEPS, MOST_HALVINGS, MOST_IDLE = 200, 40, 5
"""How many steps there may be, how often one is halved, and how many may lower no loss."""
CELLS, FEWEST = 1 << 15, 64
"""How many cells of the design are held at a time, and at least how many rows."""

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class Propensity:
    """Propensity scores of two tables, and their summaries. Prints the summaries alone.

    `original` and `released` are for each row of a table the estimated chance that it is one of the
    released: raw data, not to be shown but as counts or bins. `u` is the mean of (score − c)² over
    all rows, c being the share of released rows: 0 where nothing tells the tables apart, c (1 − c),
    that is 1/4 for tables of one length, where the model does so without fail. `ratio` is U divided
    by its expectation for a table drawn from the distribution of the original; `terms` how many
    parameters the model has, without the intercept and those that were left out.
    """

    original: Floats
    released: Floats
    u: float
    ratio: float
    terms: int

    def __repr__(self) -> str:
        return f"Propensity(u={self.u:.3g}, ratio={self.ratio:.3g}, terms={self.terms})"


def propensity(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    same_rows: bool = True,
) -> Propensity:
    """Estimate for each row the chance that it is a released one, from all columns.

    Parameters
    ----------
    original, released, categorical, same_rows
        As in `preservation`.

    Returns
    -------
    Propensity
        Scores, U, the standardised ratio, and how many terms the model has.

    Raises
    ------
    RefusedError
        If there are more than 1000 terms, or numbers above 1e70, or no fit is found.

    Notes
    -----
    The two tables are stacked, and "is a released row" is regressed on main effects of all columns
    by logistic regression: continuous columns linearly, categorical ones by a term for each level
    but the first. Left out are columns that are constant (to rounding) over both tables, and terms
    of which less than 1e-11 of the variance is left given the terms before them.

    Newton's method, with steps halved while the loss rises. It ends when U is known to 1e-10 of
    itself (the change of every row's logit bounds the change of the Hessian, and so the error after
    the step), when the mean loss is below 1e-8 (the tables are separated), or when five steps in a
    row have lowered the loss by less than 1e-12 of itself (some rows can be told apart without
    fail).

    The ratio is U · N / (terms (1 − c)² c). The divisor is what U is on average if the released
    rows are drawn, each by itself, from the distribution fitted to the original: 1 is then
    expected, and larger values are loss. A fresh sample of the population has 1 / (1 − c), that is
    2 for tables of one length. (Woo et al. 2009; Snoke et al. 2018, section 3.)

    **What it does not tell.** The model sees means only: tables of the same means of all columns
    have U = 0, however much spreads, correlations and shapes differ. It knows nothing of the
    pairing of rows, and nothing of risk.

    Examples
    --------
    >>> scores = propensity([[1.0], [2.0], [3.0], [4.0]], [[1.5], [2.5], [3.5], [4.5]])
    >>> round(scores.u, 4), scores.terms, scores.original.round(2).tolist()
    (0.0119, 1, [0.33, 0.43, 0.52, 0.62])
    >>> propensity([[1.0], [2.0]], [[1.0], [2.0]]).u
    0.0
    """
    pair = as_pair(original, released, categorical=categorical, same_rows=same_rows)
    sizes = len(pair.original), len(pair.released)
    rows, share = sum(sizes), sizes[1] / sum(sizes)
    tables, terms = _stack(pair, share)
    terms, sums = _begin(tables, terms)
    beta = _fit(tables, terms, sums)
    before, after = (
        np.concatenate([_scores(beta @ x) for x in _chunks(table, terms)]) for table in tables
    )
    u = sum(float(np.sum((scores - share) ** 2)) for scores in (before, after)) / rows
    expected = len(terms) * (1 - share) ** 2 * share / rows
    return Propensity(before, after, u, u / expected if terms else 0.0, len(terms))


def propensity_u(
    original: object, released: object, *, categorical: Sequence[str] = (), same_rows: bool = True
) -> float:
    """Return U alone, with the parameters and errors of `propensity`.

    Examples
    --------
    >>> round(propensity_u([[1.0], [2.0]], [[8.0], [9.0]]), 6)
    0.25
    """
    return propensity(original, released, categorical=categorical, same_rows=same_rows).u


class _Table(NamedTuple):
    """The columns of one table: numbers as they are, and which level each row has."""

    numbers: tuple[Floats, ...]
    codes: tuple[Codes, ...]
    rows: int


Tables = tuple[_Table, _Table]


class _Term(NamedTuple):
    """A column of the design: (number − centre) · factor, or whether a row has a level."""

    place: int
    level: int | None = None
    centre: float = 0.0
    factor: float = 1.0


class _Sums(NamedTuple):
    """Gradient and Hessian of the log-likelihood (their signs turned), and the loss."""

    gradient: Floats
    hessian: Floats
    loss: float


def _stack(pair: Pair, share: float) -> tuple[Tables, list[_Term]]:
    """Find what brings each column of numbers into −1 to 1, and number the levels."""
    sides = (pair.original, pair.released)

    def scaling(name: str) -> tuple[float, float] | None:  # None of a constant column
        before, after = (side.numbers[name] for side in sides)
        low = min(float(before.min()), float(after.min()))
        high = max(float(before.max()), float(after.max()))
        largest = max(-low, high)
        if largest > LARGEST_VALUE:
            raise RefusedError(
                f"column {name!r} has numbers too large to be computed with; rescale it"
            )
        centre = (1 - share) * float(before.mean()) + share * float(after.mean())
        reach = max(high - centre, centre - low)
        constant = reach <= max(ROUNDING * largest, 1 / LARGEST_VALUE)
        return None if constant else (centre, 1 / reach)

    scaled = map(scaling, pair.original.numbers)
    terms = [_Term(place, None, *how) for place, how in enumerate(scaled) if how is not None]
    codes: tuple[list[Codes], list[Codes]] = ([], [])
    for place, name in enumerate(pair.original.levels):
        words = [side.levels[name] for side in sides]
        rank = {level: i for i, level in enumerate(sorted({*words[0], *words[1]}))}
        if len(terms) + len(rank) > MOST_TERMS:
            raise RefusedError(
                f"with the levels of column {name!r} there are more than {MOST_TERMS} terms to"
                " tell the tables apart by; merge levels, or leave the column out"
            )
        terms += [_Term(place, level) for level in range(1, len(rank))]
        for made, column in zip(codes, words, strict=True):
            made.append(np.fromiter(map(rank.__getitem__, column), np.int32, len(column)))
    original, released = (
        _Table(tuple(side.numbers[name] for name in pair.original.numbers), tuple(made), len(side))
        for side, made in zip(sides, codes, strict=True)
    )
    return (original, released), terms


def _begin(tables: Tables, terms: list[_Term]) -> tuple[list[_Term], _Sums]:
    """Leave out the terms that follow from others, and sum up the model of no effects."""
    grams: list[Floats] = [
        reduce(np.add, (x @ x.T for x in _chunks(table, terms))) for table in tables
    ]
    left = grams[0] + grams[1]
    own = np.diag(left).copy()
    kept = np.zeros(len(left), dtype=np.bool_)
    for j in range(len(left)):
        kept[j] = left[j, j] > DEPENDENT * own[j]
        if kept[j]:
            left -= np.outer(left[j] / left[j, j], left[j])
    original, released = (gram[np.ix_(kept, kept)] for gram in grams)
    sizes = [table.rows for table in tables]
    rows, c = sum(sizes), sizes[1] / sum(sizes)
    # Where the tables are equal, so are these sums to the last bit, and the gradient is 0.
    gradient = (sizes[0] * released[0] - sizes[1] * original[0]) / rows
    loss = -rows * (c * math.log(c) + (1 - c) * math.log(1 - c))
    chosen = [term for term, stays in zip(terms, kept[1:], strict=True) if stays]
    return chosen, _Sums(gradient, c * (1 - c) * (original + released), loss)


def _fit(tables: Tables, terms: list[_Term], sums: _Sums) -> Floats:
    """Fit the logistic model by Newton's method: see `propensity` for when it ends."""
    rows = tables[0].rows + tables[1].rows
    share = tables[1].rows / rows
    start: Floats = np.zeros(len(terms) + 1)
    start[0] = math.log(share / (1 - share))
    beta, idle = start, 0
    for _ in range(MOST_STEPS):
        # Newton's step, without directions in which next to nothing changes.
        size = np.sqrt(np.diag(sums.hessian))
        size[size == 0] = 1.0
        values, vectors = np.linalg.eigh(sums.hessian / np.outer(size, size))
        steep = values > FLAT * values[-1]
        along = vectors[:, steep]
        step: Floats = along @ ((along.T @ (sums.gradient / size)) / values[steep]) / size
        moved = beta + step - start
        left, way = float(step @ sums.hessian @ step), float(moved @ sums.hessian @ moved)
        # As no column exceeds 1, no logit changes by more than `change`, no weight by more than
        # its exponential: half of it bounds what the step leaves, as a share of the step.
        change = min(1.0, float(np.abs(step).sum()))
        if change * math.sqrt(left) <= NEAR * math.sqrt(way):
            return beta + step
        for _ in range(MOST_HALVINGS):
            tried = _sums_of(tables, terms, beta + step)
            if tried.loss <= sums.loss * (1 + SLACK) + SLACK * SEPARATED * rows:
                break
            step = step / 2
        else:  # no step lowers the loss: it is at its least
            return beta
        idle = idle + 1 if tried.loss >= sums.loss * (1 - SLACK) else 0
        beta, sums = beta + step, tried
        if idle == MOST_IDLE or sums.loss <= SEPARATED * rows:
            return beta
    raise RefusedError(
        "the model that is to tell the tables apart could not be fitted; leave out columns with"
        " few extreme values, or transform them"
    )


def _sums_of(tables: Tables, terms: list[_Term], beta: Floats) -> _Sums:
    """Sum up the model of given coefficients over both tables."""
    size = len(terms) + 1
    gradient, hessian, loss = np.zeros(size), np.zeros((size, size)), 0.0
    for table, sign in zip(tables, (-1.0, 1.0), strict=True):
        for x in _chunks(table, terms):
            logit = beta @ x
            likely, unlikely = _chances(logit)
            wrong = sign * logit < 0
            missed = np.where(wrong, likely, unlikely)  # one less the chance given to the truth
            gradient += sign * (x @ missed)
            hessian += (x * (likely * unlikely)) @ x.T
            loss += float(np.abs(logit[wrong]).sum() - np.log(likely).sum())
    return _Sums(gradient, hessian, loss)


def _scores(logit: Floats) -> Floats:
    """Return the chance of being a released row."""
    likely, unlikely = _chances(logit)
    return np.where(logit < 0, unlikely, likely)


def _chances(logit: Floats) -> tuple[Floats, Floats]:
    """Return the chance of the likelier of two outcomes, and that of the other."""
    odds = np.exp(-np.abs(logit))
    likely = 1 / (1 + odds)
    return likely, odds * likely


def _chunks(table: _Table, terms: list[_Term]) -> Iterator[Floats]:
    """Yield the design of some rows at a time, its columns as rows, each in the same memory."""
    rows = max(FEWEST, CELLS // (len(terms) + 1))
    room = np.empty((len(terms) + 1, min(rows, table.rows)))
    room[0] = 1.0
    for low in range(0, table.rows, rows):
        high = min(low + rows, table.rows)
        x = room[:, : high - low]
        for row, term in zip(x[1:], terms, strict=True):
            if term.level is None:
                np.subtract(table.numbers[term.place][low:high], term.centre, out=row)
                row *= term.factor
            else:
                np.equal(table.codes[term.place][low:high], term.level, out=row)
        yield x
