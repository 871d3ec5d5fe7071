"""Strata of a copy: small ones repaired, and counted in persons where these have several rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Labels, as_strata
from discreet.errors import RefusedError
from discreet.policy import Policy, told_to
from discreet.protect.base import persons_in
from discreet.protect.hierarchy import Hierarchy
from discreet.protect.kanonymity import Repair, repair
from discreet.table import Rows

__all__ = [
    "NO_LEVEL",
    "STRATUM_PER_K",
    "repaired",
    "rows_before",
    "rows_like_others",
    "size_step",
    "strata_labels",
]

Mask = NDArray[np.bool_]
Words = Mapping[str, tuple[str, ...]]
STRATUM_PER_K = 2
"""A stratum of a guarded copy has at least this many times k rows, or persons."""
NO_LEVEL = ("(missing)", "(no value)")


def repaired(
    levels: Mapping[str, tuple[str, ...]],
    held: Mapping[str, tuple[str, ...]],
    policy: Policy,
    rows: Rows,
) -> Repair:
    """Repair strata; where persons have several rows, so that they are of persons enough."""
    if rows.persons is None or not levels:
        return _repaired(levels, held, policy, len(rows))
    firsts, at = _told_once({**levels, **held}, rows.persons)
    once, carried = (
        {name: tuple(words[i] for i in firsts.tolist()) for name, words in columns.items()}
        for columns in (levels, held)
    )
    found = _of_persons_enough(
        _repaired(once, carried, policy, len(firsts)), rows.persons[firsts], policy
    )
    return _spread_over(found, at)


def strata_labels(levels: Mapping[str, Sequence[str]], n: int) -> Labels:
    """Return which combination of levels each row has; one for all where there are none."""
    labels = np.zeros(n, dtype=np.intp)
    for words in levels.values():
        codes = as_strata(np.array(words), n)
        labels = as_strata(labels * (int(codes.max(initial=0)) + 1) + codes, n)
    return labels


def size_step(policy: Policy) -> int:
    """Return what sizes of strata are multiples of."""
    return told_to(guarded=policy.guarded, round_to=policy.round_to, k=policy.k)


def rows_before(labels: Labels, persons: Labels, rank: Labels) -> Labels:
    """Return how many rows of the same person and stratum have a lower rank than each row.

    Examples
    --------
    >>> import numpy as np
    >>> same = np.zeros(4, dtype=np.intp)
    >>> rows_before(same, np.array([5, 5, 5, 6]), np.array([2, 0, 1, 3])).tolist()
    [2, 0, 1, 0]
    """
    order = np.lexsort((rank, persons, labels))
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (np.diff(labels[order]) != 0) | (np.diff(persons[order]) != 0)
    starts = np.flatnonzero(new)
    out = np.empty(len(order), dtype=np.intp)
    out[order] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return out


def rows_like_others(labels: Labels, persons: Labels, before: Labels, k: int) -> Mask:
    """Say which rows stay so that nobody has more in a stratum than k persons have.

    Else whoever is known to have very many is found by where most rows lie.

    Parameters
    ----------
    labels, persons : ndarrays of int, of shape (n,)
        The stratum of each row, and whose it is.
    before : ndarray of int, of shape (n,)
        See `rows_before`.
    k : int
        How many persons must have as many rows; each stratum holds as many persons or more.

    Returns
    -------
    ndarray of bool, of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> same, who = np.zeros(6, dtype=np.intp), np.array([1, 1, 1, 2, 2, 3])
    >>> before = rows_before(same, who, np.arange(6))
    >>> rows_like_others(same, who, before, 2).tolist()
    [True, True, False, True, True, True]
    """
    pairs, rows = np.unique(np.stack([labels, persons]), axis=1, return_counts=True)
    order = np.lexsort((-rows, pairs[0]))
    stratum = pairs[0][order]
    starts = np.flatnonzero(np.diff(stratum, prepend=-1))
    most = np.zeros(int(labels.max()) + 1, dtype=np.intp)
    last = np.minimum(starts + k, np.append(starts[1:], len(order))) - 1
    most[stratum[starts]] = rows[order][last]
    stays: Mask = before < most[labels]
    return stays


def _told_once(columns: Words, persons: Labels) -> tuple[Labels, Labels]:
    """Return one row of each person and combination of levels, and which of them each row is like.

    So strata are counted in persons: one who has rows in several strata is in each of them.

    Examples
    --------
    >>> import numpy as np
    >>> firsts, at = _told_once({"sex": ("f", "f", "m")}, np.array([4, 4, 7]))
    >>> firsts.tolist(), at.tolist()
    ([0, 2], [0, 0, 1])
    """
    n = len(persons)
    labels = as_strata(persons, n)
    for words in columns.values():
        codes = as_strata(np.array(words), n)
        labels = as_strata(labels * (int(codes.max(initial=0)) + 1) + codes, n)
    _, firsts, at = np.unique(labels, return_index=True, return_inverse=True)
    return firsts.astype(np.intp), at.astype(np.intp)


def _spread_over(found: Repair, at: Labels) -> Repair:
    """Return a repair of some rows as one of all rows that are like them.

    Examples
    --------
    >>> import numpy as np
    >>> found = Repair({"sex": ("f", "m")}, np.array([True, False]), (), 1, 0.0, True)
    >>> _spread_over(found, np.array([0, 1, 1])).suppressed
    2
    """
    places, kept = at.tolist(), found.kept[at]
    levels = {name: tuple(words[i] for i in places) for name, words in found.levels.items()}
    left_out = int((~kept).sum())
    return dataclasses.replace(found, levels=levels, kept=kept, suppressed=left_out)


def _of_persons_enough(found: Repair, persons: Labels, policy: Policy) -> Repair:
    """Leave out strata that, counted again by persons, hold too few of them.

    Where levels were joined, one who had several of them had been counted as several.

    Raises
    ------
    RefusedError
        If more would be left out than the policy lets be.
    """
    kept, labels = found.kept.copy(), strata_labels(found.levels, len(persons))
    least = _least_in_stratum(policy)
    names, of = np.unique(labels[kept], return_inverse=True)
    few = names[persons_in(of.astype(np.intp), persons[kept]) < least]
    if not few.size:
        return found
    kept &= ~np.isin(labels, few)
    left_out = int((~kept).sum())
    if left_out > policy.most_suppressed * len(kept):
        raise RefusedError(
            "strata hold too few persons, some of whom are in several; declare fewer strata, or a"
            " hierarchy that joins their levels"
        )
    return dataclasses.replace(found, kept=kept, suppressed=left_out)


def _least_in_stratum(policy: Policy) -> int:
    """Return how many rows or persons a stratum has at least, before its size is evened."""
    if not policy.guarded:
        return policy.k
    step = size_step(policy)
    return step * -(-STRATUM_PER_K * policy.k // step)  # so that it is so when evened, too


def _repaired(
    levels: Mapping[str, tuple[str, ...]],
    carried: Mapping[str, tuple[str, ...]],
    policy: Policy,
    n: int,
) -> Repair:
    if not levels:
        return Repair(
            levels={},
            kept=np.ones(n, dtype=np.bool_),
            steps=(),
            suppressed=0,
            loss=0.0,
            complete=True,
        )
    sensitive = next(iter(carried.values()), None)
    return repair(
        levels,
        _least_in_stratum(policy),
        hierarchies={
            name: Hierarchy(name, _steps(_with_missing(lines, levels[name])))
            for name, lines in policy.hierarchies.items()
            if name in levels
        },
        ordered={name: order for name, order in policy.ordered.items() if name in levels},
        sensitive=sensitive,
        # Where nothing is carried, what is sensitive is a stratum itself: a release checks it then.
        diversity=None if policy.diversity == 1 or sensitive is None else policy.diversity,
        closeness=None if policy.closeness == 1 or sensitive is None else policy.closeness,
        most_suppressed=policy.most_suppressed,
    )


def _with_missing(lines: Sequence[Sequence[str]], words: Sequence[str]) -> Sequence[Sequence[str]]:
    """Let a hierarchy know the level of missing values, as one that is merged with no other."""
    known = {line[0] for line in lines}
    own = [name for name in NO_LEVEL if name in words and name not in known]
    return [*lines, *([name] * len(lines[0]) for name in own)]


def _steps(lines: Sequence[Sequence[str]]) -> tuple[Mapping[str, str], ...]:
    return tuple({line[0]: line[i] for line in lines} for i in range(1, len(lines[0])))
