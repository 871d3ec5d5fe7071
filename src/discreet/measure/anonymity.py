"""How many people share what is known of each, and what that gives away of a sensitive column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from discreet.arguments import Floats, Labels, check_whole
from discreet.errors import InputError, one_of
from discreet.measure.pairs import Estimate, Side, as_side
from discreet.progress import advance

TASK = "combinations"  # what `uniqueness_of_every` calls its work


class Known(NamedTuple):
    """Some columns that may be known of a person, and how well they point at one."""

    columns: tuple[str, ...]
    k: int
    uniqueness: Estimate


def combinations_of(columns: Iterable[Sequence[str] | Floats | Labels]) -> Labels:
    """Return the number of each row's combination of values: from 0, in the order of the values.

    The first column counts first; missing numbers are equal to one another.
    """
    labels: Labels | None = None
    for column in columns:
        codes = _codes(column)
        if labels is None:
            labels = codes
            continue
        joined = labels * (int(codes.max(initial=0)) + 1) + codes
        labels = np.unique(joined, return_inverse=True)[1]
    if labels is None:
        raise InputError("name at least one column whose combinations are to be counted")
    return labels


def anonymity(table: object, quasi: Sequence[str], *, categorical: Sequence[str] = ()) -> int:
    """Return k: the size of the smallest combination of quasi-identifiers.

    Each row shares its combination with at least k - 1 others.

    Parameters
    ----------
    table : array, frame or path
        One table; see `as_side`.
    quasi : sequence of str
        The columns that an attacker may know. Equal values are one value, in numbers too; missing
        values are equal to one another.
    categorical : sequence of str, default none
        Columns of codes that are levels.

    Notes
    -----
    **What it does not protect.** What all rows of a combination have in common (see `diversity`,
    `closeness`), columns not named, and a second release.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"sex": ["f", "f", "m", "m", "m"], "ill": ["a", "b", "a", "a", "a"]})
    >>> anonymity(table, ["sex"])
    2
    """
    return int(np.bincount(_labels(table, quasi, categorical)).min())


def combination_sizes(
    table: object, quasi: Sequence[str], *, categorical: Sequence[str] = ()
) -> dict[int, int]:
    """Return how many combinations of quasi-identifiers there are of each size in rows.

    Smallest first. Parameters and errors are those of `anonymity`.

    Examples
    --------
    >>> combination_sizes([[1, 1], [1, 2], [2, 1], [2, 2], [2, 2]], ["0", "1"])
    {1: 3, 2: 1}
    """
    sizes = np.bincount(_labels(table, quasi, categorical))
    sizes, counts = np.unique(sizes, return_counts=True)
    return dict(zip(sizes.tolist(), counts.tolist(), strict=True))


def uniqueness(table: object, quasi: Sequence[str], *, categorical: Sequence[str] = ()) -> Estimate:
    """Count the rows that are alone in their combination of quasi-identifiers.

    Parameters and errors are those of `anonymity`. There is no baseline, as there is nothing to
    guess. Unique in the table is not unique in the population it was drawn from.

    Examples
    --------
    >>> print(uniqueness([[1], [1], [2], [3]], ["0"]))
    rows alone in their combination of values: 50.0 % (15.0 to 85.0 %)
    """
    return _unique(_labels(table, quasi, categorical))


def shared_by_fewer(table: object, columns: Sequence[str], k: int) -> Estimate:
    """Count the rows that fewer than `k` rows share: none means that rows are k-anonymous."""
    labels = _labels(table, columns)
    sizes = np.bincount(labels)
    few = int(sizes[sizes < k].sum())
    what = f"released rows that fewer than {k} rows share in all columns"
    return Estimate(what, few, len(labels))


def uniqueness_of_every(
    table: object, columns: Sequence[str], *, categorical: Sequence[str] = (), most: int = 3
) -> tuple[Known, ...]:
    """Measure uniqueness and k of every combination of up to `most` columns, the smallest first.

    `table`, `categorical` and errors are as in `anonymity`; the work grows with the number of
    columns to the power `most`.

    Examples
    --------
    >>> for known in uniqueness_of_every([[1, 1], [1, 2], [2, 1], [2, 1]], ["0", "1"]):
    ...     print(known.columns, known.k, known.uniqueness.share)
    ('0',) 2 0.0
    ('1',) 1 0.25
    ('0', '1') 1 0.5
    """
    known = _columns(as_side(table, categorical=categorical), columns)
    size = check_whole("most", most, least=1)
    chosen = [some for m in range(1, size + 1) for some in combinations(known, m)]
    codes = {name: _codes(column) for name, column in known.items()}
    out = []
    for done, some in enumerate(chosen, start=1):
        labels = combinations_of([codes[name] for name in some])
        out.append(Known(some, int(np.bincount(labels).min()), _unique(labels)))
        advance(TASK, done, len(chosen))
    return tuple(out)


def diversity(
    table: object, quasi: Sequence[str], sensitive: str, *, categorical: Sequence[str] = ()
) -> int:
    """Return distinct l: the fewest different sensitive values in a combination.

    1 means that some combination gives its sensitive value away.

    Parameters
    ----------
    table, quasi, categorical
        As in `anonymity`.
    sensitive : str
        The column that is to stay unknown; not among `quasi`. A missing value is a value.

    Notes
    -----
    **What it does not protect.** One value may be far commoner than the others
    (`entropy_diversity`), or they may all mean much the same (`closeness`).

    Examples
    --------
    >>> diversity([[1, 7], [1, 8], [2, 7], [2, 7]], ["0"], "1")
    1
    """
    labels, values = _combinations_and_sensitive(
        as_side(table, categorical=categorical), quasi, sensitive
    )
    return int(np.bincount(_cells(labels, values)[0]).min())


def entropy_diversity(
    table: object, quasi: Sequence[str], sensitive: str, *, categorical: Sequence[str] = ()
) -> float:
    """Return entropy l: how many equally common sensitive values would be as uncertain.

    It is the exponential of the smallest entropy of the sensitive values of a combination, from 1
    to the distinct l. Parameters and errors are those of `diversity`, of whose paper this is
    definition 4.1.

    Examples
    --------
    >>> round(entropy_diversity([[1, 7], [1, 8], [2, 7], [2, 7], [2, 8]], ["0"], "1"), 3)
    1.89
    """
    labels, values = _combinations_and_sensitive(
        as_side(table, categorical=categorical), quasi, sensitive
    )
    groups, _, counts = _cells(labels, values)
    share = counts / np.bincount(labels)[groups]
    return math.exp(max(0.0, float(np.bincount(groups, -share * np.log(share)).min())))


def closeness(
    table: object, quasi: Sequence[str], sensitive: str, *, categorical: Sequence[str] = ()
) -> float:
    """Return t: how far the sensitive values of a combination are from those of the table.

    It is the largest distance of a combination, from 0 to 1. Levels: half the sum of the
    differences of the shares. Numbers: the earth mover's distance over the ranks of the different
    values, neighbours being 1 / (m - 1) apart. Parameters and errors are those of `diversity`; a
    continuous sensitive column may not miss a value.

    References
    ----------
    Li, Li, Venkatasubramanian, ICDE 2007, section 4 (ordered distance and equal distance).

    Examples
    --------
    >>> import pyarrow as pa
    >>> pay = [3, 4, 5, 6, 11, 8, 7, 9, 10]  # the salaries of the paper, in thousands
    >>> table = pa.table({"group": [1, 1, 1, 2, 2, 2, 3, 3, 3], "pay": pay})
    >>> closeness(table, ["group"], "pay")
    0.375
    """
    side = as_side(table, categorical=categorical)
    labels, values = _combinations_and_sensitive(side, quasi, sensitive)
    if sensitive in side.levels:
        whole = np.bincount(values) / len(values)
        groups, value, counts = _cells(labels, values)
        share = counts / np.bincount(labels)[groups]
        # A value that a combination lacks differs by its whole share: those are all but the rest.
        there = np.bincount(groups, np.abs(share - whole[value]) - whole[value])
        return max(0.0, float((1 + there).max()) / 2)
    if np.isnan(side.numbers[sensitive]).any():
        raise InputError(
            f"a value of the sensitive column {sensitive!r} is missing and has no place among"
            " the numbers; leave such rows out, or declare the column categorical"
        )
    return _earth_mover(labels, values)


def attribute_disclosure(
    table: object, quasi: Sequence[str], sensitive: str, *, categorical: Sequence[str] = ()
) -> Estimate:
    """Count the rows whose combination of quasi-identifiers gives the sensitive value away.

    They are those in combinations of which all rows have one sensitive value (a row alone in its
    combination is one of them). The baseline is the share there would be if sensitive values were
    dealt out to the rows at random. Parameters and errors are those of `diversity`.

    Notes
    -----
    The attacker knows that a person is in the table, and the quasi-identifiers. **What it does
    not tell**: a combination of which all but one row agree gives nearly as much away.

    Examples
    --------
    >>> result = attribute_disclosure([[1, 7], [1, 8], [2, 7], [2, 7]], ["0"], "1")
    >>> result.share, round(result.baseline, 3)
    (0.5, 0.5)
    """
    labels, values = _combinations_and_sensitive(
        as_side(table, categorical=categorical), quasi, sensitive
    )
    sizes = np.bincount(labels)
    alike = np.bincount(_cells(labels, values)[0]) == 1
    return Estimate(
        "rows whose combination of values gives the sensitive value away",
        int(sizes[alike].sum()),
        len(labels),
        _alike_by_chance(sizes, np.bincount(values)),
    )


def _alike_by_chance(sizes: Labels, counts: Labels) -> float:
    """Return the share of rows given away if sensitive values were dealt out at random."""
    from scipy.special import gammaln

    n = int(counts.sum())
    size, times = np.unique(sizes[sizes > 0], return_counts=True)
    # Of each count once: few different ones can add up to n, so that the table below stays small.
    count, values = np.unique(counts[counts > 0], return_counts=True)
    enough = count[:, None] >= size
    left = np.where(enough, count[:, None] - size, 0)
    # The chance that as many rows drawn without replacement all have one value, for each value.
    chance = np.exp(
        gammaln(count + 1)[:, None] - gammaln(left + 1) + gammaln(n - size + 1) - gammaln(n + 1)
    )
    alike = values @ np.where(enough, chance, 0)
    return min(1.0, float((times * size * alike).sum() / n))


def _codes(column: Sequence[str] | Floats | Labels) -> Labels:
    """Return numbers for the different values of a column from 0 on, in their order."""
    if isinstance(column, np.ndarray):
        return np.unique(column, return_inverse=True)[1]
    place = {word: code for code, word in enumerate(sorted(set(column)))}
    return np.fromiter(map(place.__getitem__, column), dtype=np.intp, count=len(column))


def _columns(side: Side, names: Sequence[str]) -> dict[str, Sequence[str] | Floats]:
    """Return the columns of these names: at least one, and each one once."""
    chosen = [names] if isinstance(names, str) else list(names)
    every: dict[str, Sequence[str] | Floats] = {**side.numbers, **side.levels}
    if not chosen or len(set(chosen)) < len(chosen):
        raise InputError("name at least one column, and each column once")
    if unknown := [name for name in chosen if name not in every]:
        raise InputError(f"column {unknown[0]!r} is not in the table; it has {one_of(every)}")
    return {name: every[name] for name in chosen}


def _labels(table: object, quasi: Sequence[str], categorical: Sequence[str] = ()) -> Labels:
    side = as_side(table, categorical=categorical)
    return combinations_of(_columns(side, quasi).values())


def _combinations_and_sensitive(
    side: Side, quasi: Sequence[str], sensitive: str
) -> tuple[Labels, Labels]:
    """Return the combination and the number of the sensitive value of each row."""
    known, (unknown,) = _columns(side, quasi), _columns(side, [sensitive]).values()
    if sensitive in known:
        raise InputError(
            f"the sensitive column {sensitive!r} is among the columns that are known; leave it"
            " out of them"
        )
    return combinations_of(known.values()), _codes(unknown)


def _unique(labels: Labels) -> Estimate:
    alone = int((np.bincount(labels) == 1).sum())
    return Estimate("rows alone in their combination of values", alone, len(labels))


def _cells(labels: Labels, values: Labels) -> tuple[Labels, Labels, Labels]:
    """Return combination, sensitive value and size of each pair of them that occurs."""
    different = int(values.max()) + 1
    cells, counts = np.unique(labels * different + values, return_counts=True)
    return cells // different, cells % different, counts


def _earth_mover(labels: Labels, values: Labels) -> float:
    """Return the largest ordered distance, by running sums.

    A combination's cumulative share is flat between two of its values; on such a stretch the
    table's cumulative share crosses it once at most.
    """
    different = int(values.max()) + 1
    if different == 1:
        return 0.0
    whole = np.cumsum(np.bincount(values)) / len(values)
    running = np.concatenate([[0.0], np.cumsum(whole)])
    groups, value, counts = _cells(labels, values)
    sizes = np.bincount(labels)
    before = np.cumsum(np.bincount(labels)) - sizes
    reached = (np.cumsum(counts) - before[groups]) / sizes[groups]
    last = np.append(groups[1:] != groups[:-1], True)
    start, end = value, np.where(last, different, np.append(value[1:], different))
    cross = np.clip(np.searchsorted(whole, reached), start, end)
    below = reached * (cross - start) - (running[cross] - running[start])
    above = running[end] - running[cross] - reached * (end - cross)
    flat = np.bincount(groups, below + above)
    first = np.append(True, last[:-1])
    flat += running[value[first]]  # before its first value a combination has reached nothing
    return float(flat.max()) / (different - 1)
