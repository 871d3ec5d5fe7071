"""What is left of a table's use: how far values moved, and which summaries stayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError, RefusedError
from discreet.measure.pairs import Side, as_pair
from discreet.regression.formula import LARGEST_VALUE, ROUNDING

__all__ = ["QUANTILES", "Preservation", "displacement", "preservation"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Where distributions are compared."""


@dataclass(frozen=True)
class Preservation:
    """How the summaries of a released table differ from those of the original.

    Attributes
    ----------
    means : mapping of str to float
        Per continuous column the mean released less the mean before, in standard deviations
        (divisor n - 1) of the original. 0 where nothing changed.
    spreads : mapping of str to float
        The standard deviation released divided by that before. 1 where nothing changed.
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

    Parameters
    ----------
    original, released, categorical
        The same rows in the same order; see `as_pair`.

    Returns
    -------
    dict of str to float
        δ = mean((x_or − x_an)²) / var(x_or) of each column, the variance with divisor n - 1: 0 if
        and only if nothing moved, (n − 1) / n if each value became the mean, 2 (n − 1) / n on
        average if the values were shuffled; there is no upper limit.

    Raises
    ------
    InputError
        If the tables do not fit each other, or their rows do not correspond.
    RefusedError
        If a column of the original is constant, or holds numbers above 1e70.

    Notes
    -----
    The paper reads δ = 0.4 as "40 % of the variability of the released column was introduced
    by the anonymisation". That holds where what was added has mean 0 and is independent of the
    original; a shrinking or a shift counts as well.

    **What it does not tell.** A mean over rows: rare values may have moved far, or not at all.
    A large δ is no protection, and a small one no disclosure: see the measures of risk.

    References
    ----------
    Avraam et al., "A deterministic approach for protecting privacy in sensitive personal data",
    BMC Med. Inform. Decis. Mak. 22:24 (2022), "Metrics for utility loss".

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
    found = {}
    for name, before in pair.original.numbers.items():
        after = pair.released.numbers[name]
        _, spread = _moments(name, before, varies=True)
        _check_size(name, after)
        found[name] = float(np.sort(((before - after) / spread) ** 2).mean())
    return found


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
    original, released, categorical
        Two tables of the same columns; see `as_pair`.
    same_rows : bool, default True
        Whether rows correspond; the summaries do not ask for it. If they do, a row with a
        missing number in one table is left out of both.
    k : int, default 1
        Of how many neighbouring values a quantile is the mean, so that none is one record's.

    Returns
    -------
    Preservation
        Differences, per column and per pair of columns.

    Raises
    ------
    InputError
        If the tables do not fit each other.
    RefusedError
        If a continuous column of the original is constant, or holds numbers above 1e70.

    Notes
    -----
    Columns are centred before they are squared, so that 1e8 added to both tables changes no
    more than the last digits of the data do. Quantiles are linear between ordered values (type
    7 of R). Permuted rows give the same means, spreads, quantiles and levels to the last bit,
    and correlations but for rounding.

    **What it does not tell.** Columns and pairs alone: what three columns have to do with one
    another may be lost while all of these stay. Correlations are of the whole table, not within
    levels. Nothing here speaks of risk, and a difference of 0 everywhere may be no protection.

    Examples
    --------
    >>> found = preservation([[1, 4], [2, 1], [3, 7]], [[1.5, 4], [2.5, 1], [3.5, 7]])
    >>> found.means, found.spreads
    (mappingproxy({'0': 0.5, '1': 0.0}), mappingproxy({'0': 1.0, '1': 1.0}))
    >>> round(found.correlation, 12)
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
    _check_size(name, values)
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


def _check_size(name: str, values: Floats) -> None:
    if max(float(values.max()), -float(values.min())) > LARGEST_VALUE:
        raise RefusedError(f"column {name!r} has numbers too large to be computed with; rescale it")


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
