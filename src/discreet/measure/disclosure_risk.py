"""Disclosure risk as the rounding paper has it: DDR by distance, IDR by intervals."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.measure.estimate import Estimate
from discreet.measure.intervals import interval_risk_of
from discreet.measure.linkage import released_linkage_of
from discreet.measure.pairs import Pair, pair_of

__all__ = ["ddr", "ddr_of", "idr", "idr_of"]


def ddr(
    original: object,
    released: object,
    *,
    categorical: Sequence[str] = (),
    within: Sequence[str] | None = None,
) -> Estimate:
    """Count the released rows whose nearest original record is their own.

    Somebody holds the original values of every record, and takes for each released row the
    record that is nearest to it: Euclidean distance of the continuous columns, each divided by
    its original standard deviation (divisor n - 1), among the records of the levels that were
    released.

    Parameters
    ----------
    original, released : array of shape (n, p), frame, or path
        The same records in the same order; see `pair_of`.
    categorical : sequence of str, default none
        Columns of codes that are levels.
    within : sequence of str, default all columns of levels
        The columns whose levels count too: a released row is compared with the records of its
        own levels. The paper's tables have continuous columns alone.

    Returns
    -------
    Estimate
        Of the released rows; one whose own record is among t equally near ones counts 1/t. The
        baseline is the share that guessing at random among records of the same levels links on
        average.

    Raises
    ------
    InputError
        If the tables do not fit, their rows do not correspond, no column is continuous, or
        `within` names another column than one of levels.
    RefusedError
        If a column spans more than can be computed with.

    Notes
    -----
    `record_linkage` goes the other way. There, somebody has a person's values and asks which
    row was made of them; here, somebody has a released row and asks whose it is. Where records
    are rounded jointly, both link about one record a region: there, the equal rows of a region
    share the credit; here, they all point to the record nearest to their point, which is one of
    theirs or (where none lies near it) none. Otherwise neither bounds the other: a row that was
    moved far out is here nearest to some extreme record, whoever that is, and there to none.

    Distances within a relative 1e-10, or within 1e-12 standard deviations, are equal. A column
    that is constant in the original tells nothing and is left out of the distance.

    **What it does not tell.** A row that is not linked may still give a record's values away to
    within a little (see `idr`), and an attacker who uses how the release was made can do better
    than the nearest record.

    References
    ----------
    Domingo-Ferrer and Torra, "A quantitative comparison of disclosure control methods for
    microdata", in Confidentiality, Disclosure and Data Access (2001), section 6.4. The rounding
    paper, section 3.3.2.

    Examples
    --------
    >>> before = [[1.0], [2.0], [3.0], [10.0]]
    >>> found = ddr(before, [[1.5], [1.5], [6.5], [6.5]])
    >>> found.count, found.trials, found.baseline  # 1 and 2: one of two; 3: one of two; 10: too
    (2.0, 4, 0.25)
    """
    return ddr_of(pair_of(original, released, categorical=categorical), within=within)


def ddr_of(pair: Pair, *, within: Sequence[str] | None = None) -> Estimate:
    """Count the released rows whose nearest original record is their own; see `ddr`."""
    return released_linkage_of(pair, within=within)


def idr(
    original: object,
    released: object,
    *,
    categorical: Sequence[str] = (),
    share: float = 0.05,
) -> Estimate:
    """Count the records whose original values all lie within an interval about the released ones.

    Parameters
    ----------
    original, released : array of shape (n, p), frame, or path
        The same records in the same order; see `pair_of`. Only continuous columns count.
    categorical : sequence of str, default none
        Columns of codes that are levels.
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
    return idr_of(pair_of(original, released, categorical=categorical), share=share)


def idr_of(pair: Pair, *, share: float = 0.05) -> Estimate:
    """Count the records that lie within intervals about the released values; see `idr`."""
    return interval_risk_of(pair, share=share, variant="released")
