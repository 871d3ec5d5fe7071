"""Copies of a whole table by other methods, made as `measure.attacks` wants them: a method each.

The papers' methods protect numbers; levels and gaps travel with their rows, as strata do.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.measure.attacks import Copy, Make, Records, whole_maker
from discreet.measure.pairs import Side
from discreet.methods import Deterministic, Microaggregation, Probabilistic
from discreet.methods.base import RowMethod
from discreet.methods.column_trees import usual_donor
from discreet.secret import Secret

__all__ = ["MAKERS", "random_of"]

K = 5

Random = np.random.Generator
Values = dict[str, np.ndarray]


def random_of(secret: Secret) -> Random:
    """Return the generator of a copy made with a secret."""
    return np.random.default_rng(np.frombuffer(secret.digest("benchmark"), dtype=np.uint32))


def _columns(side: Side) -> Values:
    """Return all columns as arrays; a missing level is an empty text."""
    out: Values = dict(side.numbers)
    return out | {name: np.array(words, dtype=object) for name, words in side.levels.items()}


def _side(columns: Mapping[str, np.ndarray], like: Side) -> Side:
    numbers = {name: np.asarray(columns[name], dtype=np.float64) for name in like.numbers}
    levels = {name: tuple(map(str, columns[name])) for name in like.levels}
    return Side(MappingProxyType(numbers), MappingProxyType(levels))


def resample(records: Records, secret: Secret) -> Copy:
    """Draw rows with replacement: no protection at all."""
    rows = random_of(secret).integers(0, len(records), len(records))
    return Copy(records.table.taken(rows), rows)


# --- others' synthesis --------------------------------------------------------------------------


def cart(leaf: int, records: Records, secret: Secret) -> Copy:
    """Draw one column after the other, each from the leaf of a tree on those before it.

    A row of the copy counts as that of the raw row which gave most of its columns.
    """
    random, raw = random_of(secret), _columns(records.table)
    made: Values = {}
    donors: list[Labels] = []
    for name, column in raw.items():
        donors.append(_donors_by_tree(leaf, column, raw, made, random))
        made[name] = column[donors[-1]]
    return Copy(_side(made, records.table), usual_donor(donors))


def _donors_by_tree(
    leaf: int, column: np.ndarray, raw: Values, made: Values, random: Random
) -> Labels:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    n = len(column)
    if not made:
        return random.integers(0, n, n)
    seed = int(random.integers(2**31))
    if column.dtype == object:
        tree = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=seed)
        y = column
    else:
        tree = DecisionTreeRegressor(min_samples_leaf=leaf, random_state=seed)
        y = np.where(np.isnan(column), np.nanmean(column), column)
    design = np.column_stack([_design(raw[name], raw[name]) for name in made])
    leaves = tree.fit(design, y).apply(design)
    to = tree.apply(np.column_stack([_design(made[name], raw[name]) for name in made]))
    # The raw rows of each leaf stand together; each drawn row takes one of its own.
    order = np.argsort(leaves, kind="stable")
    begins, ends = (np.searchsorted(leaves[order], to, side) for side in ("left", "right"))
    donors: Labels = order[begins + (random.random(n) * (ends - begins)).astype(np.intp)]
    return donors


def _design(column: np.ndarray, raw: np.ndarray) -> Floats:
    """Return a column for a tree: numbers with gaps far below, an indicator for each level."""
    if column.dtype != object:
        below = np.nanmin(raw) - np.nanstd(raw) - 1
        return np.where(np.isnan(column), below, column)[:, None]
    has: Floats = (column[:, None] == np.unique(raw.astype(str))[None, :]).astype(np.float64)
    return has


def copula(records: Records, secret: Secret) -> Copy:
    """Draw normal scores with the correlations of the raw ones, and go back by ranks."""
    from scipy.special import ndtri
    from scipy.stats import norm, rankdata

    random, raw = random_of(secret), _columns(records.table)
    n = len(records)
    ordered = {
        name: np.unique(column.astype(str), return_inverse=True)[1].astype(float)
        if column.dtype == object
        else column
        for name, column in raw.items()
    }
    scores = []
    for column in ordered.values():
        known = ~np.isnan(column)
        z = np.zeros(n)
        z[known] = ndtri((rankdata(column[known]) - 0.5) / known.sum())
        scores.append(z)
    correlation = np.corrcoef(np.array(scores)) + 1e-6 * np.eye(len(scores))
    drawn = random.multivariate_normal(np.zeros(len(scores)), correlation, n, method="cholesky")
    made: Values = {}
    for (name, column), z in zip(raw.items(), drawn.T, strict=True):
        share = norm.cdf(z / z.std())
        if column.dtype == object:
            made[name] = np.sort(column.astype(str))[(share * n).astype(int).clip(0, n - 1)]
        else:
            known = np.sort(column[~np.isnan(column)])
            gap = random.random(n) < np.isnan(column).mean()
            made[name] = np.where(gap, np.nan, np.quantile(known, share))
    return Copy(_side(made, records.table))


# --- the papers' methods ------------------------------------------------------------------------


def by_rows(method: RowMethod, records: Records, secret: Secret) -> Copy:
    """Protect all numbers jointly by a row method; levels and gaps stay with their rows."""
    table = records.table
    if not table.numbers:
        return Copy(table, np.arange(len(records)))
    made = _protected(method, list(table.numbers.values()), random_of(secret))
    numbers = {
        name: np.where(np.isnan(raw), np.nan, column)
        for (name, raw), column in zip(table.numbers.items(), made.T, strict=True)
    }
    return Copy(Side(MappingProxyType(numbers), table.levels), np.arange(len(records)))


def _protected(method: RowMethod, columns: list[Floats], random: Random) -> Floats:
    """Protect columns, a missing number at the median."""
    filled = np.column_stack([np.where(np.isnan(x), np.nanmedian(x), x) for x in columns])
    strata: Labels = np.zeros(len(filled), dtype=np.intp)
    return method(filled, random.normal(size=filled.shape), strata)


MAKERS: Mapping[str, Make] = MappingProxyType(
    {
        "a resample": resample,
        "**discreet**, m = 20": whole_maker(K),
        "CART, leaves of 5": partial(cart, 5),
        "CART, leaves of 20": partial(cart, 20),
        "Gaussian copula": copula,
        "MDAV": partial(by_rows, Microaggregation(k=K)),
        "deterministic": partial(by_rows, Deterministic(k=K)),
        "probabilistic, q = .25": partial(by_rows, Probabilistic(q=0.25)),
    }
)
"""All methods without a promise of differential privacy, with k = 5."""
