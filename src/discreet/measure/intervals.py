"""Interval disclosure: how many released values lie next to the value they were made from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import check_ratio, check_word
from discreet.errors import InputError
from discreet.measure.estimate import Estimate, chance_share, keyed_order
from discreet.measure.pairs import Floats, Pair, as_pair
from discreet.protect.base import ordered_spread

__all__ = ["EDGE", "check_same_rows", "idr", "interval_risk", "interval_risks", "moments"]

EDGE = 1e-9
"""A value this share of an interval's half width beyond its end still counts as on the end."""

COUNTED = {
    "all": "records of which every released value lies within {share} sd of the original",
    "sdcmicro": "records of which every released value but one at most lies within {share} sd of"
    " the original",
    "released": "records of which every original value lies within {share} released sd of the"
    " released one",
}
"""What each variant counts."""
VARIANTS = tuple(COUNTED)


def interval_risk(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    share: float = 0.05,
    variant: str = "all",
) -> Estimate:
    """Count the records of which every released value lies close to its original value.

    Parameters
    ----------
    original, released, categorical
        The same records in the same order; see `as_pair`. Only continuous columns count.
    share : float, default 0.05
        Half the width of an interval, in standard deviations of its column; above 0.
    variant : {"all", "sdcmicro", "released"}, default "all"
        "all": every released value lies within `share` standard deviations (divisor n - 1, of
        the original column) of the original value. "released": the original value lies in
        intervals around the released ones, by the standard deviations of the released columns,
        in every column: sdcMicro's `dRisk` as it is described, and as it is coded since version
        5.5.2. "sdcmicro": as it was coded up to 5.5.1: the same intervals, and one column of a
        record may lie outside (so that every record of a table of one column counts).

    Returns
    -------
    Estimate
        Of the records. Its baseline is the share when each record is given released rows of
        other records (8 each, chosen by a digest of the values).

    Raises
    ------
    InputError
        If the tables do not fit, or a parameter is out of its range.
    RefusedError
        If a column spans more than can be computed with.

    Notes
    -----
    Ends count as inside (up to a relative 1e-9, for rounding). In a constant column only the
    same value is inside. **What it does not tell**: a record that lies outside may still be the
    only one that fits (see `record_linkage`), and a record inside may be one of many like it.

    References
    ----------
    Mateo-Sanz, Sebé, Domingo-Ferrer, "Outlier protection in continuous microdata masking",
    Privacy in Statistical Databases (2004), standard-deviation based intervals.

    Examples
    --------
    >>> found = interval_risk([[0.0], [1.0], [2.0], [3.0]], [[0.01], [1.5], [2.0], [2.0]])
    >>> found.count, found.trials, round(found.baseline, 3)
    (2, 4, 0.083)
    """
    pair = as_pair(original, released, categorical=categorical)
    original, released, half = _prepared(pair, share, variant)
    allowed = 1 if variant == "sdcmicro" else 0

    def hits(rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        outside = np.abs(original - released[rows]) > half
        close: NDArray[np.bool_] = outside.sum(axis=1) <= allowed
        return close

    n = len(original)
    return Estimate(
        COUNTED[variant].format(share=f"{share:g}"),
        int(hits(np.arange(n)).sum()),
        n,
        chance_share(keyed_order(np.hstack([original, released])), hits),
    )


def idr(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    share: float = 0.05,
) -> Estimate:
    """Count the records whose original values all lie within an interval about the released ones.

    Parameters
    ----------
    original, released, categorical
        The same records in the same order; see `as_pair`. Only continuous columns count.
    share : float, default 0.05
        Half the width of an interval, in standard deviations (divisor n - 1) of the released
        column; above 0.

    Returns
    -------
    Estimate
        Of the records. Its baseline is the share when each record is given released rows of
        other records (8 each, chosen by a digest of the values).

    Raises
    ------
    InputError
        If the tables do not fit, their rows do not correspond, no column is continuous, or
        `share` is not above 0.
    RefusedError
        If a column spans more than can be computed with.

    Notes
    -----
    This is `interval_risk` of the variant "released": what sdcMicro's `dRisk` does since version
    5.5.2. (Before, one column of a record could lie outside: variant "sdcmicro".) Ends count as
    inside.
    In a column that is released constant, only a value equal to it is inside.

    **What it does not tell.** An attacker does not know which of the released values are that
    close. Rounding to the mean narrows the released spread, and the interval with it, so that
    few regions look safer than they are. A record inside may be one of many like it.

    References
    ----------
    Templ, Statistical Disclosure Control for Microdata (2017). Mateo-Sanz, Sebé and
    Domingo-Ferrer, "Outlier protection in continuous microdata masking", Privacy in Statistical
    Databases (2004). Senavirathne and Torra, "Rounding based continuous data discretization for
    statistical disclosure control" (2019), section 3.3.2.

    Examples
    --------
    >>> found = idr([[0.0], [1.0], [2.0], [3.0]], [[0.01], [1.5], [2.0], [2.0]])
    >>> found.count, found.trials
    (2, 4)
    """
    pair = as_pair(original, released, categorical=categorical)
    return interval_risk(pair, share=share, variant="released")


def interval_risks(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    share: float = 0.05,
) -> dict[str, Estimate]:
    """Count for each continuous column the records whose released value lies close.

    Parameters
    ----------
    original, released, categorical, share
        As in `interval_risk`.

    Returns
    -------
    dict of str to Estimate
        By column; the intervals of variant "all".

    Raises
    ------
    InputError, RefusedError
        As in `interval_risk`.

    Examples
    --------
    >>> found = interval_risks([[0, 5], [1, 6], [2, 7]], [[0, 6], [1, 7], [2, 5]])
    >>> {name: estimate.share for name, estimate in found.items()}
    {'0': 1.0, '1': 0.0}
    """
    pair = as_pair(original, released, categorical=categorical)
    original, released, half = _prepared(pair, share, "all")
    order = keyed_order(np.hstack([original, released]))
    out = {}
    for j, name in enumerate(pair.original.numbers):

        def hits(rows: NDArray[np.intp], j: int = j) -> NDArray[np.bool_]:
            close: NDArray[np.bool_] = np.abs(original[:, j] - released[rows, j]) <= half[j]
            return close

        out[name] = Estimate(
            f"records whose released {name} lies within {share:g} sd of the original",
            int(hits(np.arange(len(original))).sum()),
            len(original),
            chance_share(order, hits),
        )
    return out


def check_same_rows(pair: Pair) -> None:
    """Raise InputError unless the i-th rows of the pair are of one record."""
    if not pair.same_rows:
        raise InputError(
            "this risk compares each record with its own released row, so the rows of both"
            " tables must correspond; give the rows that were released, in their order"
        )


def moments(matrix: Floats) -> tuple[Floats, Floats]:
    """Return mean and sd (divisor n - 1) of each column, whatever the order of the rows.

    A constant column has its value for a mean, and an sd of 0. RefusedError if a column spans more
    than can be computed with.
    """
    mean, sd = matrix[0].copy(), np.zeros(matrix.shape[1])
    varying = (matrix != matrix[0]).any(axis=0)
    if varying.any():
        mean[varying], sd[varying] = ordered_spread(matrix[:, varying])
    return mean, sd


def _prepared(pair: Pair, share: float, variant: str) -> tuple[Floats, Floats, Floats]:
    """Return both matrices and half the width of an interval of each column."""
    check_same_rows(pair)
    check_word("variant", variant, VARIANTS)
    half = check_ratio("share", share, zero=False) * (1 + EDGE)
    original, released = pair.original.matrix, pair.released.matrix
    by = original if variant == "all" else released
    return original, released, half * moments(by)[1]
