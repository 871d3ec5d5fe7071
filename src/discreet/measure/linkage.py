"""Record linkage: who knows the original values looks for the released row nearest to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import check_ratio, check_whole
from discreet.errors import InputError, RefusedError, one_of
from discreet.measure.anonymity import combinations_of
from discreet.measure.estimate import Estimate, chance_share, keyed_order
from discreet.measure.intervals import EDGE, check_same_rows, moments
from discreet.measure.pairs import Floats, Pair, as_pair
from discreet.protect.base import lexicographic

__all__ = ["ddr", "different_rows", "far_linkage", "nearness", "record_linkage"]

Labels = NDArray[np.intp]
Flags = NDArray[np.bool_]

TIED = 1e-10
"""Distances that differ by less than this share of themselves count as equal."""
SLACK = 1e-12
"""So do distances that differ by less than this many standard deviations (rounding)."""
PROBE = 1000
"""About how many rows are asked for to see how many will be linked."""
CHUNK = 1 << 21
"""How many neighbours are held at a time."""
BLOCKS, BLOCK = 8, 100_000
"""Rows are asked for in at most so many blocks of like distance, of at least so many rows."""
FARTHEST = 1e9
"""Released values further off than this many standard deviations are a mistake of units."""


def record_linkage(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    within: Sequence[str] | None = None,
) -> Estimate:
    """Count the records whose nearest released row is their own.

    Somebody holds the original values of every record, and takes for each the released row that
    is nearest to it: Euclidean distance of the continuous columns, each divided by its original
    standard deviation (divisor n - 1), among the released rows of the levels that are known.

    Parameters
    ----------
    original, released, categorical
        The same records in the same order; see `as_pair`.
    within : sequence of str, default all columns of levels
        The columns whose levels are known too. A record is compared with the released rows of
        its own levels; if its own released row has other levels, it cannot be linked.

    Returns
    -------
    Estimate
        Of the records; one whose own row is among t equally near ones counts 1/t. The baseline
        is the share that guessing at random among rows of the same levels links on average.

    Raises
    ------
    InputError
        If the tables do not fit, their rows do not correspond, no column is continuous, or
        `within` names another column than one of levels.
    RefusedError
        If a column spans more than can be computed with.

    Notes
    -----
    Distances within a relative 1e-10, or within 1e-12 standard deviations, are equal. A column
    that is constant in the original tells nothing and is left out of the distance.

    **What it does not tell.** A record that is not linked may still be known to within a little
    (see `nearness`), and an attacker who uses how the release was made can do better than the
    nearest row.

    References
    ----------
    Domingo-Ferrer and Torra, "A quantitative comparison of disclosure control methods for
    microdata", in Confidentiality, Disclosure and Data Access (2001), section 6.4
    (distance-based record linkage).

    Examples
    --------
    >>> before = [[1.0], [2.0], [3.0], [10.0]]
    >>> found = record_linkage(before, [[1.5], [1.5], [6.5], [6.5]])
    >>> found.count, found.trials, found.baseline  # 1 and 2: one of two; 3: none; 10: one of two
    (1.5, 4, 0.25)
    """
    pair = as_pair(original, released, categorical=categorical)
    placed = _placed(pair, within)
    return _estimate(
        "records whose nearest released row is their own", placed, np.arange(len(placed.guess))
    )


def ddr(
    original: object,
    released: object = None,
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
    original, released, categorical
        The same records in the same order; see `as_pair`.
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
    pair = as_pair(original, released, categorical=categorical)
    placed = _placed(pair, within, turned=True)
    return _estimate(
        "released rows whose nearest original record is their own",
        placed,
        np.arange(len(placed.guess)),
    )


def far_linkage(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    far: int = 5,
    within: Sequence[str] | None = None,
) -> Estimate:
    """Count the farthest records whose nearest released row is their own.

    Parameters
    ----------
    original, released, categorical, within
        As in `record_linkage`.
    far : int, default 5
        How many records: those farthest from the mean of the original, by the Euclidean norm of
        their z-scores; ties go to the row whose values come first. All of them where there are
        fewer.

    Returns
    -------
    Estimate
        As in `record_linkage`, of the farthest records.

    Raises
    ------
    InputError
        As in `record_linkage`, or if `far` is no whole number of at least 1.
    RefusedError
        If a column spans more than can be computed with.

    Notes
    -----
    Records far from all others are the first to be recognised, and an average over all records
    hides them. So few trials leave a wide interval.

    Examples
    --------
    >>> before = [[1.0], [2.0], [3.0], [10.0]]
    >>> far_linkage(before, [[2.0], [1.0], [3.0], [9.0]], far=1).share
    1.0
    """
    pair = as_pair(original, released, categorical=categorical)
    size = check_whole("far", far, least=1)
    placed = _placed(pair, within)
    rows = _farthest(placed, size)
    return _estimate(
        f"of the {len(rows)} records farthest from the mean, those whose nearest released row is"
        " their own",
        placed,
        rows,
    )


def nearness(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    shares: Sequence[float] = (0.01, 0.05),
    same_rows: bool = True,
) -> tuple[Estimate, ...]:
    """Count the records that a released row lies next to, in every continuous column.

    Parameters
    ----------
    original, released, categorical
        See `as_pair`.
    shares : sequence of float, default (0.01, 0.05)
        How close, in standard deviations (divisor n - 1) of each original column; above 0.
    same_rows : bool, default True
        Whether the i-th row of one is the i-th row of the other. If so, the record's own
        released row is looked at, whatever its levels; if not, any released row of its levels.

    Returns
    -------
    tuple of Estimate
        One for each share, of the records. The baseline is the share when each record is given
        released rows of other records (8 each, chosen by a digest of the values); there is none
        where rows do not correspond.

    Raises
    ------
    InputError
        If the tables do not fit, no column is continuous, or a share is not above 0.
    RefusedError
        If a column spans more than can be computed with.

    Notes
    -----
    Ends count as inside (up to a relative 1e-9, for rounding). **What it does not tell**: an
    attacker does not know which records are among those counted.

    Examples
    --------
    >>> before = [[0.0], [1.0], [2.0], [3.0]]
    >>> [found.count for found in nearness(before, [[0.0], [1.05], [2.5], [4.0]])]
    [1, 2]
    """
    pair = as_pair(original, released, categorical=categorical, same_rows=same_rows)
    limits = [check_ratio("shares", share, zero=False) for share in shares]
    if not limits:
        raise InputError("shares must hold at least one number above 0")
    if not pair.same_rows:
        return _any_row_near(pair, limits)
    original, released = _standardised(pair)
    order = keyed_order(np.hstack([original, released]))
    out = []
    for limit in limits:

        def hits(rows: Labels, limit: float = limit) -> Flags:
            gaps = np.abs(original - released[rows])
            near: Flags = gaps.max(axis=1) <= limit * (1 + EDGE)
            return near

        found = int(hits(np.arange(len(original))).sum())
        out.append(
            Estimate(
                f"records whose released values all lie within {100 * limit:g} % of a sd",
                found,
                len(original),
                chance_share(order, hits),
            )
        )
    return tuple(out)


@dataclass(frozen=True, eq=False)
class _Placed:
    """Both tables in standard deviations; where levels are known, the last column tells them.

    Rows of `original` look for their own among those of `released`; where the attack is turned
    round, the two have changed places.

    Rows of different levels are further apart in that column than any rows are in all others,
    so that the nearest row of all is the nearest of the same levels. `norm` is the distance of
    a record from the mean, `guess` the chance to link it by guessing, 0 where its released row
    has other levels.
    """

    original: Floats
    released: Floats
    norm: Floats
    guess: Floats


def _placed(pair: Pair, within: Sequence[str] | None, *, turned: bool = False) -> _Placed:
    check_same_rows(pair)
    before, after = _combinations(pair, within)
    original, released = _standardised(pair)
    if turned:
        before, after, original, released = after, before, released, original
    norm = np.sqrt(np.square(original).sum(axis=1))
    guess = np.where(before == after, 1 / np.bincount(after)[after], 0.0)
    return _Placed(*_apart(original, released, before, after), norm, guess)


def _standardised(pair: Pair) -> tuple[Floats, Floats]:
    """Return both tables in original standard deviations; constant columns tell nothing.

    With no telling column, all rows are at one place.
    """
    original, released = pair.original.matrix, pair.released.matrix
    mean, sd = moments(original)
    telling = sd > 0
    if not telling.any():
        return np.zeros((len(original), 1)), np.zeros((len(released), 1))
    mean, sd = mean[telling], sd[telling]
    with np.errstate(over="ignore"):
        before = (original[:, telling] - mean) / sd
        after = (released[:, telling] - mean) / sd
    if np.abs(after).max() > FARTHEST:
        raise RefusedError(
            "a column of the released table lies too far from the original to be compared; check"
            " its unit, or leave it out"
        )
    return before, after


def _combinations(pair: Pair, within: Sequence[str] | None) -> tuple[Labels, Labels]:
    """Return the combination of known levels of each original and each released row."""
    held = pair.original.levels
    names = list(held) if within is None else list(within)
    unknown = [name for name in names if name not in held]
    if unknown:
        raise InputError(
            f"within: {unknown[0]!r} is no column of levels; the tables have {one_of(held)}"
        )
    n = len(pair.original)
    if not names:
        return np.zeros(n, dtype=np.intp), np.zeros(len(pair.released), dtype=np.intp)
    both = combinations_of((*held[name], *pair.released.levels[name]) for name in names)
    return both[:n], both[n:]


def _apart(
    original: Floats, released: Floats, before: Labels, after: Labels
) -> tuple[Floats, Floats]:
    """Add a column that keeps rows of different combinations apart, if there are several."""
    if max(before.max(), after.max()) == 0:
        return original, released
    widest = 1 + max(np.abs(original).max(), np.abs(released).max())
    gap = 4 * widest * math.sqrt(original.shape[1])
    return np.column_stack([original, gap * before]), np.column_stack([released, gap * after])


def _estimate(what: str, placed: _Placed, rows: Labels) -> Estimate:
    # Correctly rounded sums: neither the order of rows nor parts of counts leave a trace.
    linked = math.fsum(_linked(placed, rows).tolist())
    guessed = math.fsum(placed.guess[rows].tolist())
    return Estimate(what, linked, len(rows), guessed / len(rows))


def _farthest(placed: _Placed, size: int) -> Labels:
    """Return the `size` rows farthest from the mean; equal ones by their values."""
    return lexicographic(-placed.norm, placed.original, placed.released)[:size]


def _linked(placed: _Placed, rows: Labels) -> Floats:
    """Return for each of `rows` its chance to be linked: 1 over how many are as near as its own.

    The different released rows are looked among, each with the number of rows that are equal
    to it. Nothing beyond the own row is of interest, so rows are asked for in blocks of like
    distance from it, and within a block in the order in which their own rows lie in the tree.
    """
    from scipy.spatial import cKDTree

    points, inverse, weights = different_rows(placed.released)
    tree = cKDTree(points)
    place = np.full(len(placed.guess), -1, dtype=np.intp)
    place[rows] = np.where(placed.guess[rows] > 0, np.arange(len(rows)), -1)
    in_order = tree.indices
    if len(points) < len(inverse):
        rank = np.empty(len(points), dtype=np.intp)
        rank[tree.indices] = np.arange(len(points))
        in_order = np.argsort(rank[inverse], kind="stable")
    possible = place[in_order]
    possible = possible[possible >= 0]
    at = placed.original[rows[possible]]
    own = np.sqrt(np.square(at - placed.released[rows[possible]]).sum(axis=1))
    out = np.zeros(len(rows))
    if possible.size:
        out[possible] = _own_parts(tree, weights, at, own)
    return out


def _own_parts(tree: Any, weights: Labels, at: Floats, own: Floats) -> Floats:
    """Return 1/t where the own row, at distance `own`, is among t nearest rows, else 0."""
    out = np.zeros(len(at))
    size, pending = _first_size(tree, at, own), np.arange(len(at))
    while pending.size:
        ranks = range(1, min(size, len(weights)) + 1)
        undecided = []
        for part in _blocks(pending, own, size):
            bound = 2 * SLACK + (1 + EDGE) * own[part].max()
            gap, found = tree.query(at[part], k=ranks, distance_upper_bound=bound, workers=-1)
            limit = gap[:, 0] * (1 + TIED) + SLACK
            close = gap <= limit[:, None]
            linked = own[part] <= limit
            tied = (np.append(weights, 0)[found] * close).sum(axis=1)
            out[part] = linked / tied
            undecided.append(part[linked & close[:, -1]])
        pending = np.concatenate(undecided) if size < len(weights) else pending[:0]
        size *= 2
    return out


def _first_size(tree: Any, at: Floats, own: Floats) -> int:
    """Return how many neighbours to ask for at first: two where many rows will be linked.

    Linked rows need a second neighbour, to see that it is further off; others do not.
    """
    some = slice(None, None, 1 + len(at) // PROBE)
    nearest, _ = tree.query(at[some], k=1, workers=-1)
    return 2 if (own[some] <= nearest * (1 + TIED) + SLACK).mean() > 1 / 4 else 1


def _blocks(places: Labels, own: Floats, size: int) -> list[Labels]:
    """Split places, each of `size` neighbours, into blocks of like distance from their own row.

    For one neighbour, which is nearer than most own rows, such blocks are of no use.
    """
    of_like = 1 if size == 1 else min(BLOCKS, places.size / BLOCK)
    count = math.ceil(max(of_like, places.size * size / CHUNK))
    by_distance = places if count == 1 else places[np.argsort(own[places], kind="stable")]
    return [np.sort(block) for block in np.array_split(by_distance, count)]


def different_rows(values: Floats) -> tuple[Floats, Labels, Labels]:
    """Return the different rows, which one each row is, and how many rows each one is."""
    if (np.diff(np.sort(values[:, 0])) != 0).all():  # a sort of values alone is quick
        n = len(values)
        return values, np.arange(n, dtype=np.intp), np.ones(n, dtype=np.intp)
    order = lexicographic(values)
    ordered = values[order]
    first = np.ones(len(values), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    inverse = np.empty(len(values), dtype=np.intp)
    inverse[order] = np.cumsum(first) - 1
    return ordered[first], inverse, np.bincount(inverse)


def _any_row_near(pair: Pair, limits: Sequence[float]) -> tuple[Estimate, ...]:
    """Count the records that any released row of their levels lies next to."""
    from scipy.spatial import cKDTree

    before, after = _combinations(pair, None)
    original, released = _apart(*_standardised(pair), before, after)
    tree = cKDTree(different_rows(released)[0])
    gap, _ = tree.query(original[lexicographic(original)], k=1, p=math.inf, workers=-1)
    return tuple(
        Estimate(
            f"records that some released row lies within {100 * limit:g} % of a sd of",
            int((gap <= limit * (1 + EDGE)).sum()),
            len(original),
        )
        for limit in limits
    )
