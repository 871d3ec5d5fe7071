"""`Rounder`: rounding column by column, where scikit-learn expects a transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from discreet.arguments import Floats, check_word
from discreet.errors import InputError, RefusedError
from discreet.keys import row_keys
from discreet.rounding.choice import is_supervised
from discreet.rounding.rounding_set import ENCODINGS, RoundingSet, column_sets, encoded
from discreet.secret import load_secret

VERSION = b"discreet.methods.rounding"
LEAST_ROWS = 2


class Rounder(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace every number by a rounding point of its column.

    Stands where `KBinsDiscretizer` stands, and gives numbers instead of codes.

    Parameters
    ----------
    method : str or RegionMethod, default "mdav"
        How the regions of a column are found: a name in `METHODS`, or a value such as `VMdav(k=5,
        gamma=0.3)`, which holds its own numbers. "mdlp" and "chimerge" go by the classes `y`.
    k, c : int or "freedman-diaconis", optional
        The least number of rows in a region (at least 2), or how many regions; without both, k is
        5. A method that takes k is given n / c where c alone is given, and the other way round.
        "freedman-diaconis" chooses for each column: see `freedman_diaconis`.
    representative : {"mean", "median", "midpoint"}, default "mean"
        What stands for a region.
    encoding : {"region", "nearest", "stochastic"}, default "region"
        Which point replaces a value; see `RoundingSet.encode`. What is drawn for "stochastic" is
        keyed by the row's values and the custodian's secret (the environment variable
        DISCREET_SECRET, or the file in the user's configuration folder), so that a row is always
        rounded alike.

    Attributes
    ----------
    sets_ : tuple of RoundingSet
        One for each column.

    Raises
    ------
    InputError (a ValueError)
        If a parameter is unknown or out of range, or a column has fewer rows than k.

    Notes
    -----
    **What it does not protect.** Columns are rounded one at a time, which is not k-anonymity of the
    rows (docs/rounding.md). Points are means of raw values, so points for several k give values
    away, and so do stochastic draws for several sets of points or columns. New records that are
    rounded later are not counted. A fitted rounder holds the extremes and edges of its columns: it
    is private. For a table that is released use `discreet.round`, which rounds rows jointly.

    Examples
    --------
    >>> rounder = Rounder(method="optimal", k=2)
    >>> rounder.fit_transform([[1.0], [2.0], [3.0], [10.0], [11.0]]).ravel().tolist()
    [2.0, 2.0, 2.0, 10.5, 10.5]
    >>> rounder.transform([[4.0], [100.0]]).ravel().tolist()
    [2.0, 10.5]
    """

    def __init__(
        self,
        method: Any = "mdav",
        *,
        k: Any = None,
        c: Any = None,
        representative: str = "mean",
        encoding: str = "region",
    ) -> None:
        self.method = method
        self.k = k
        self.c = c
        self.representative = representative
        self.encoding = encoding

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Rounder:
        """Find the rounding set of each column of X; `y` are classes, for supervised methods."""
        check_word("encoding", self.encoding, ENCODINGS)
        matrix = _matrix(self, X, ensure_min_samples=LEAST_ROWS)
        names = getattr(self, "feature_names_in_", None)
        if y is not None and is_supervised(self.method):
            check_classification_targets(y)
        try:
            self.sets_: tuple[RoundingSet, ...] = column_sets(
                matrix,
                self.method,
                k=self.k,
                c=self.c,
                representative=self.representative,
                names=None if names is None else [str(name) for name in names],
                classes=y,
            )
        except RefusedError as error:  # scikit-learn knows no other than ValueError
            raise InputError(str(error)) from None
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Replace each number of X, in the columns that were fitted, by a point of its column."""
        check_is_fitted(self)
        matrix = _matrix(self, X, reset=False)
        uniforms = None
        if self.encoding == "stochastic":
            owner = load_secret(None)
            names = [str(j) for j in range(matrix.shape[1])]
            uniforms = owner.uniforms(VERSION, row_keys(owner, list(matrix.T)), names)
        return encoded(self.sets_, matrix, self.encoding, uniforms)


def _matrix(rounder: Rounder, X: ArrayLike, **checks: Any) -> Floats:
    """Return X as scikit-learn checks it, but for a message that would quote a cell."""
    try:
        matrix: Floats = validate_data(rounder, X, dtype=np.float64, **checks)
    except ValueError as error:
        if "could not convert" in str(error):
            raise InputError("X must contain only numbers; leave columns of texts out") from None
        raise
    return matrix
