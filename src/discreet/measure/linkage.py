"""Who is found: the record nearest to a released row, and values that lie next to their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.arguments import Floats, Labels, check_ratio, check_whole, check_word
from discreet.errors import InputError, RefusedError, one_of
from discreet.measure.anonymity import combinations_of
from discreet.measure.pairs import Estimate, Pair, as_pair, counted, keyed_order
from discreet.methods.base import different_rows, lexicographic, ordered_spread

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


def record_linkage(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    within: Sequence[str] | None = None,
    sample: int | None = None,
) -> Estimate:
    """Count the records whose nearest released row is their own.

    Somebody holds the original values of every record, and takes for each the released row that is
    nearest to it: Euclidean distance of the continuous columns, each divided by its original
    standard deviation (divisor n - 1), among the released rows of the levels that are known.

    Parameters
    ----------
    original, released, categorical
        The same records in the same order; see `as_pair`.
    within : sequence of str, default all columns of levels
        The columns whose levels are known too. A record is compared with the released rows of its
        own levels; if its own released row has other levels, it cannot be linked.
    sample : int, optional
        Look for so many records, chosen by a digest of the values; all where there are fewer, and
        by default. They are looked for among all released rows.

    Returns
    -------
    Estimate
        Of the records; one whose own row is among t equally near ones counts 1/t. The baseline is
        the share that guessing at random among rows of the same levels links on average.

    Notes
    -----
    Columns that are constant in the original are left out. (Domingo-Ferrer and Torra 2001.)

    **What it does not tell.** A record that is not linked may still be known to within a little
    (see `nearness`), and an attacker who uses how the release was made can do better than the
    nearest row.

    Examples
    --------
    >>> before = [[1.0], [2.0], [3.0], [10.0]]
    >>> linked = record_linkage(before, [[1.5], [1.5], [6.5], [6.5]])
    >>> linked.count, linked.trials, linked.baseline  # 1 and 2: one of two; 3: none; 10: one of two
    (1.5, 4, 0.25)
    """
    pair = as_pair(original, released, categorical=categorical)
    size = None if sample is None else check_whole("sample", sample, least=1)
    check_same_rows(pair)
    return _link_sample(pair, _place(pair, within), size)


def ddr(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    within: Sequence[str] | None = None,
) -> Estimate:
    """Count the released rows whose nearest original record is their own.

    It is `record_linkage` the other way round, with its parameters and errors: somebody has a
    released row, and asks whose it is among the records of its levels.

    Notes
    -----
    Where records are rounded jointly, both ways link about one record a region: there the equal
    rows of a region share the credit, here they all point to the record nearest to their point.
    Otherwise neither bounds the other.

    Examples
    --------
    >>> before = [[1.0], [2.0], [3.0], [10.0]]
    >>> linked = ddr(before, [[1.5], [1.5], [6.5], [6.5]])
    >>> linked.count, linked.trials, linked.baseline  # 1 and 2: one of two; 3: one of two; 10: too
    (2.0, 4, 0.25)
    """
    pair = as_pair(original, released, categorical=categorical)
    check_same_rows(pair)
    every = np.arange(len(pair.original))
    what = "released rows whose nearest original record is their own"
    return _count_linked(what, _place(pair, within, turned=True), every)


def far_linkage(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    far: int = 5,
    within: Sequence[str] | None = None,
) -> Estimate:
    """Count the farthest records whose nearest released row is their own.

    As `record_linkage`, but of the `far` records that are farthest from the mean of the original,
    by the Euclidean norm of their z-scores; ties go to the row whose values come first. They are
    the first to be recognised, and an average over all records hides them. So few trials leave a
    wide interval.

    Examples
    --------
    >>> before = [[1.0], [2.0], [3.0], [10.0]]
    >>> far_linkage(before, [[2.0], [1.0], [3.0], [9.0]], far=1).share
    1.0
    """
    pair = as_pair(original, released, categorical=categorical)
    size = check_whole("far", far, least=1)
    check_same_rows(pair)
    return _link_farthest(_place(pair, within), size)


def linkages(pair: Pair, *, far: int, sample: int | None) -> tuple[Estimate, Estimate]:
    """Return `record_linkage` and `far_linkage` of a pair; its tables are searched as one."""
    check_same_rows(pair)
    placed = _place(pair, None)
    return _link_sample(pair, placed, sample), _link_farthest(placed, far)


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
        Whether the i-th row of one is the i-th row of the other. If so, the record's own released
        row is looked at, whatever its levels; if not, any released row of its levels.

    Returns
    -------
    tuple of Estimate
        One for each share, of the records. The baseline is the share when each record is given
        released rows of other records (8 each, chosen by a digest of the values); there is none
        where rows do not correspond.

    Notes
    -----
    Ends count as inside. **What it does not tell**: an attacker does not know which records are
    among those counted.

    Examples
    --------
    >>> before = [[0.0], [1.0], [2.0], [3.0]]
    >>> [near.count for near in nearness(before, [[0.0], [1.05], [2.5], [4.0]])]
    [1, 2]
    """
    pair = as_pair(original, released, categorical=categorical, same_rows=same_rows)
    limits = [check_ratio("shares", share, zero=False) for share in shares]
    if not limits:
        raise InputError("shares must hold at least one number above 0")
    if not pair.same_rows:
        return _any_row_near(_place(pair, None), limits)
    before, after = in_sds(pair.original.matrix, pair.released.matrix)

    def near(rows: Labels) -> list[int]:
        gap = np.abs(before - after[rows]).max(axis=1)
        return [int((gap <= limit * (1 + EDGE)).sum()) for limit in limits]

    what = "records whose released values all lie within {:g} % of a sd"
    return counted([what.format(100 * each) for each in limits], keyed_order(before, after), near)


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
        "all": in every column the released value lies within `share` standard deviations (divisor n
        - 1) of the original column. "released": of the released column, which is sdcMicro's `dRisk`
        as it is described, and coded since version 5.5.2. "sdcmicro": as it was coded up to 5.5.1:
        the same, and one column of a record may lie outside (so that every record of a table of one
        column counts).

    Returns
    -------
    Estimate
        Of the records; the baseline as in `nearness`.

    Notes
    -----
    Ends count as inside; in a constant column only the same value is. **What it does not tell**: a
    record that lies outside may still be the only one that fits (see `record_linkage`), and a
    record inside may be one of many like it.

    Examples
    --------
    >>> inside = interval_risk([[0.0], [1.0], [2.0], [3.0]], [[0.01], [1.5], [2.0], [2.0]])
    >>> inside.count, inside.trials, round(inside.baseline, 3)
    (2, 4, 0.083)
    """
    pair = as_pair(original, released, categorical=categorical)
    check_word("variant", variant, COUNTED)
    before, after, half = _intervals(pair, share, variant)
    outside = 1 if variant == "sdcmicro" else 0

    def inside(rows: Labels) -> list[int]:
        beyond = np.abs(before - after[rows]) > half
        return [int((beyond.sum(axis=1) <= outside).sum())]

    what = COUNTED[variant].format(share=f"{share:g}")
    return counted([what], keyed_order(before, after), inside)[0]


def idr(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    share: float = 0.05,
) -> Estimate:
    """Count the records whose original values all lie within an interval about the released ones.

    It is the variant "released" of `interval_risk`, with its parameters and errors.

    Notes
    -----
    **What it does not tell.** An attacker does not know which released values are that close.
    Rounding to the mean narrows the released spread, and the interval with it, so that few regions
    look safer than they are.

    Examples
    --------
    >>> inside = idr([[0.0], [1.0], [2.0], [3.0]], [[0.01], [1.5], [2.0], [2.0]])
    >>> inside.count, inside.trials
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

    Parameters and errors are those of `interval_risk`; intervals are those of its variant "all".

    Examples
    --------
    >>> risks = interval_risks([[0, 5], [1, 6], [2, 7]], [[0, 6], [1, 7], [2, 5]])
    >>> {name: risk.share for name, risk in risks.items()}
    {'0': 1.0, '1': 0.0}
    """
    pair = as_pair(original, released, categorical=categorical)
    before, after, half = _intervals(pair, share, "all")
    names = list(pair.original.numbers)
    risks = counted(
        [
            f"records whose released {name} lies within {share:g} sd of the original"
            for name in names
        ],
        keyed_order(before, after),
        lambda rows: (np.abs(before - after[rows]) <= half).sum(axis=0).tolist(),
    )
    return dict(zip(names, risks, strict=True))


def check_same_rows(pair: Pair, what: str = "this risk") -> None:
    """Raise InputError unless the i-th rows of the pair are of one record."""
    if not pair.same_rows:
        raise InputError(
            f"{what} compares each record with its own released row, so the rows of both"
            " tables must correspond; give the rows that were released, in their order"
        )


def moments(matrix: Floats) -> tuple[Floats, Floats]:
    """Return mean and sd (divisor n - 1; 0 if constant) of columns, whatever the order of rows."""
    mean, sd = matrix[0].copy(), np.zeros(matrix.shape[1])
    varying = (matrix != matrix[0]).any(axis=0)
    if varying.any():
        mean[varying], sd[varying] = ordered_spread(matrix[:, varying])
    return mean, sd


def _intervals(pair: Pair, share: float, variant: str) -> tuple[Floats, Floats, Floats]:
    """Return both matrices and half the width of an interval of each column."""
    check_same_rows(pair)
    half = check_ratio("share", share, zero=False) * (1 + EDGE)
    before, after = pair.original.matrix, pair.released.matrix
    return before, after, half * moments(before if variant == "all" else after)[1]


@dataclass(frozen=True, eq=False)
class _Placed:
    """Both tables in standard deviations; where levels are known, the last column tells them.

    Rows of `original` look for their own among those of `released`; where the attack is turned
    round, the two have changed places. Rows of different levels are further apart in the last
    column than any rows are in all others, so that the nearest row of all is the nearest of the
    same levels. `norm` is the distance of a record from the mean, `before` and `after` number the
    combinations of levels.
    """

    original: Floats
    released: Floats
    norm: Floats
    before: Labels
    after: Labels

    @cached_property
    def among(self) -> tuple[Any, Labels, Labels]:
        """A tree of the different rows to look among, how many each is, and rows in its order."""
        from scipy.spatial import cKDTree

        points, inverse, weights = different_rows(self.released)
        tree = cKDTree(points)
        rank = np.empty(len(points), dtype=np.intp)
        rank[tree.indices] = np.arange(len(points))
        return tree, weights, np.argsort(rank[inverse], kind="stable")


def _place(pair: Pair, within: Sequence[str] | None, *, turned: bool = False) -> _Placed:
    levels, n = pair.original.levels, len(pair.original)
    names = list(levels) if within is None else list(within)
    if unknown := [name for name in names if name not in levels]:
        raise InputError(
            f"within: {unknown[0]!r} is no column of levels; the tables have {one_of(levels)}"
        )
    both = np.zeros(n + len(pair.released), dtype=np.intp)
    if names:
        both = combinations_of((*levels[name], *pair.released.levels[name]) for name in names)
    before, after = both[:n], both[n:]
    original, released = in_sds(pair.original.matrix, pair.released.matrix)
    if turned:
        before, after, original, released = after, before, released, original
    norm = np.sqrt(np.square(original).sum(axis=1))
    if both.max() > 0:
        widest = 1 + max(np.abs(original).max(), np.abs(released).max())
        gap = 4 * widest * math.sqrt(original.shape[1])
        original = np.column_stack([original, gap * before])
        released = np.column_stack([released, gap * after])
    return _Placed(original, released, norm, before, after)


def in_sds(original: Floats, released: Floats) -> tuple[Floats, Floats]:
    """Return both tables in original standard deviations; without columns that vary, one place."""
    mean, sd = moments(original)
    telling = sd > 0
    if not telling.any():
        return np.zeros((len(original), 1)), np.zeros((len(released), 1))
    mean, sd = mean[telling], sd[telling]
    with np.errstate(over="ignore"):
        before = (original[:, telling] - mean) / sd
        after = (released[:, telling] - mean) / sd
    if not np.abs(after).max() <= FARTHEST:
        raise RefusedError(
            "a column of the released table lies too far from the original to be compared; check"
            " its unit, or leave it out"
        )
    return before, after


def _link_sample(pair: Pair, placed: _Placed, sample: int | None) -> Estimate:
    """Count the records that are linked, of all or of a sample."""
    n, which = len(pair.original), "records"
    rows = np.arange(n)
    if sample is not None and sample < n:
        rows = keyed_order(pair.original.matrix, pair.released.matrix)[:sample]
        which = f"of a keyed sample of {sample:,} records, those"
    return _count_linked(f"{which} whose nearest released row is their own", placed, rows)


def _link_farthest(placed: _Placed, size: int) -> Estimate:
    """Count those of the farthest records that are linked."""
    norm, n = placed.norm, len(placed.norm)
    least = np.partition(norm, n - size)[n - size] if size < n else 0.0
    far = np.flatnonzero(norm >= least)  # few are left to be put in order
    order = lexicographic(-norm[far], placed.original[far], placed.released[far])
    rows = far[order[:size]]
    return _count_linked(
        f"of the {len(rows)} records farthest from the mean, those whose nearest released row is"
        " their own",
        placed,
        rows,
    )


def _count_linked(what: str, placed: _Placed, rows: Labels) -> Estimate:
    """Count `rows` that are linked, each by its chance: 1 over how many are as near as its own.

    The different released rows are looked among, each with the number of rows that are equal
    to it. Nothing beyond the own row is of interest, so rows are asked for in blocks of like
    distance from it, and within a block in the order in which their own rows lie in the tree.
    """
    before, after = placed.before, placed.after
    guess = np.where(before == after, 1 / np.bincount(after)[after], 0.0)[rows]
    place = np.full(len(after), -1, dtype=np.intp)
    place[rows] = np.where(guess > 0, np.arange(len(rows)), -1)
    tree, weights, in_order = placed.among
    possible = place[in_order]
    possible = possible[possible >= 0]
    at = placed.original[rows[possible]]
    own = np.sqrt(np.square(at - placed.released[rows[possible]]).sum(axis=1))
    parts = np.zeros(len(rows))
    if possible.size:
        parts[possible] = _own_parts(tree, weights, at, own)
    # Correctly rounded sums: neither the order of rows nor parts of counts leave a trace.
    linked, guessed = math.fsum(parts.tolist()), math.fsum(guess.tolist())
    return Estimate(what, linked, len(rows), guessed / len(rows))


def _own_parts(tree: Any, weights: Labels, at: Floats, own: Floats) -> Floats:
    """Return 1/t where the own row, at distance `own`, is among t nearest rows, else 0."""
    out = np.zeros(len(at))
    pending = np.arange(len(at))
    # Linked rows need a second neighbour, to see that it is further off; others do not.
    some = slice(None, None, 1 + len(at) // PROBE)
    nearest, _ = tree.query(at[some], k=1, workers=-1)
    size = 2 if (own[some] <= nearest * (1 + TIED) + SLACK).mean() > 1 / 4 else 1
    while pending.size:
        ranks = range(1, min(size, len(weights)) + 1)
        undecided = []
        # One neighbour is nearer than most own rows, so blocks of like distance are of no use.
        of_like = 1 if size == 1 else min(BLOCKS, pending.size / BLOCK)
        count = math.ceil(max(of_like, pending.size * size / CHUNK))
        in_turn = pending if count == 1 else pending[np.argsort(own[pending], kind="stable")]
        for part in map(np.sort, np.array_split(in_turn, count)):
            bound = 2 * SLACK + (1 + EDGE) * own[part].max()
            gap, near = tree.query(at[part], k=ranks, distance_upper_bound=bound, workers=-1)
            limit = gap[:, 0] * (1 + TIED) + SLACK
            close = gap <= limit[:, None]
            linked = own[part] <= limit
            tied = (np.append(weights, 0)[near] * close).sum(axis=1)
            out[part] = linked / tied
            undecided.append(part[linked & close[:, -1]])
        pending = np.concatenate(undecided) if size < len(weights) else pending[:0]
        size *= 2
    return out


def _any_row_near(placed: _Placed, limits: Sequence[float]) -> tuple[Estimate, ...]:
    """Count the records that any released row of their levels lies next to."""
    from scipy.spatial import cKDTree

    tree = cKDTree(different_rows(placed.released)[0])
    original = placed.original[lexicographic(placed.original)]
    gap, _ = tree.query(original, k=1, p=math.inf, workers=-1)
    return tuple(
        Estimate(
            f"records that some released row lies within {100 * limit:g} % of a sd of",
            int((gap <= limit * (1 + EDGE)).sum()),
            len(original),
        )
        for limit in limits
    )
