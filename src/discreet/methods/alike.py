"""Rows alike in all columns: whether that may be chance, or says that people stand several times.

A table that was joined with visits, its id dropped, has rows of one person that nothing tells
apart: counted as people they fill a leaf with one person. Two people may be alike as well,
where columns hold few levels. What chance does is seen from rows that agree in all columns but
two: where those two have nothing to do with one another, agreeing in both is as frequent as its
parts say (N10 N01 / N00 pairs, of pairs that agree in one, in the other, and in neither). Rows of
one person agree in both far more often, whichever two columns are looked at. And where numbers
hang together closely, rows are near each other in all of them by chance: then far more rows are
nearly as near, and of one person's there are no more.

Of rows that are alike two are counted, so that nobody weighs more than another, however many rows
are theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.methods.copies import Draws, Levels

Hashes = NDArray[np.uint64]

CELLS = (0.1, 0.02, 0.002)
"""Numbers this near, in standard deviations, are alike: the wider, as far as chance allows it."""
WITHIN = (0.05, 0.95)
"""The spread of a column is that of its different values between these quantiles."""
OF_NORMAL = 3.29
"""So many standard deviations lie between them in a normal distribution."""
BY_CHANCE = (0.1, 0.2)
"""So large a share of the pairs that are alike may be so by chance."""
FEW = 0.25
"""Or so much of that share of the rows: then hardly anybody is like another by chance."""
MANY, UNEVEN, TWICE = 100, 0.5, 2
"""Numbers of many values with uneven gaps do not all stand so often by chance."""


NEARLY_ALL = 0.9
WIDER = 5
"""In cells so much wider, pairs that chance makes are at least so many times as many."""


class Alike(NamedTuple):
    """Which rows are alike, how many have another before them, and what chance makes of it.

    Of two rows of each, so many `pairs` are alike and so many are expected `by_chance`: as many
    where nothing can be said.
    """

    rows: Labels
    repeats: int
    counted: int
    pairs: int
    by_chance: float


def as_codes(values: Floats, cell: float) -> Labels:
    """Return which numbers of a column are alike; missing ones are alike, too.

    A cell is so wide in standard deviations, of the middle of the column's different values, so
    that nobody far out makes others alike; it ends where values are far apart, so that noise
    parts few.
    """
    different, at = np.unique(values, return_inverse=True)
    known = different[np.isfinite(different)]
    if len(known) < 2:
        return at.astype(np.intp)
    low, high = np.quantile(known, WITHIN, method="inverted_cdf")
    with np.errstate(over="ignore", invalid="ignore"):
        width = cell / OF_NORMAL * (high - low if high > low else known[-1] - known[0])
        starts = _starts(known, float(width))
    is_start = np.zeros(len(different), dtype=np.intp)
    is_start[np.searchsorted(different, known[starts])] = 1
    is_start[~np.isfinite(different)] = 1
    return (np.cumsum(is_start) - 1)[at].astype(np.intp)


def _starts(ordered: Floats, width: float) -> list[int]:
    """Return where cells of different values begin that are `width` wide at most.

    A cell ends at the largest gap of its second half.
    """
    if not 0 < width < np.inf:
        return [*range(len(ordered))]
    far = np.flatnonzero(np.diff(ordered) > width) + 1
    starts = []
    for first, end in zip([0, *far.tolist()], [*far.tolist(), len(ordered)], strict=True):
        starts.append(first)
        while ordered[end - 1] - ordered[first] > width:
            middle, last = np.searchsorted(
                ordered[first:end], ordered[first] + np.array([width / 2, width]), side="right"
            )
            cut = np.diff(ordered[first + middle - 1 : first + last + 1]).argmax()
            first += int(middle + cut)
            starts.append(first)
    return starts


def alike(
    numbers: Mapping[str, Floats], codes: Mapping[str, Labels], cell: float, least: int = 1
) -> Alike:
    """Return which rows are alike in all columns, and whether that may be chance.

    Of `numbers`, NaN where one is missing, whole ones that are all different number rows, whosever
    they are, and are left aside; `codes` are levels as numbers. Numbers are alike within a `cell`,
    in standard deviations. Of fewer than `least` repeats it is not asked whether they are chance.
    """
    columns = [*_columns(numbers, codes, cell)]
    rows = len(next(iter({**numbers, **codes}.values()), ()))
    if not columns:
        return Alike(np.arange(rows), 0, rows, 0, 0.0)
    whole = _sum([it.hashes for it in columns], rows)
    _, first, labels, sizes = np.unique(
        whole, return_index=True, return_inverse=True, return_counts=True
    )
    repeats = rows - len(sizes)
    if repeats < least:
        return Alike(labels.astype(np.intp), repeats, rows, 0, 0.0)
    again = np.setdiff1d(np.arange(rows), first)
    second = again[np.unique(labels[again], return_index=True)[1]]
    counted = np.sort(np.concatenate([first, second]))
    # One after the other, so that a large table is not in memory twice.
    by_chance = _chance_pairs([columns.pop(0).of(counted) for _ in range(len(columns))])
    wide = _sum((it.hashes for it in _columns(numbers, codes, WIDER * cell)), rows)[counted]
    by_chance = max(by_chance, (_pairs(wide) - len(second)) / (WIDER - 1))  # near in numbers
    return Alike(labels.astype(np.intp), repeats, len(counted), len(second), by_chance)


def persons_of_alike(
    numbers: Mapping[str, Floats], codes: Mapping[str, Labels], uniform: float
) -> Labels | None:
    """Return rows that are alike by no chance as one person's; None where there are none.

    `uniform`, between 0 and 1 and the secret's, draws how much may be chance. One person more
    moves what is compared with it by little, for two rows of one at most are counted.
    """
    low, high = BY_CHANCE
    share = low + uniform * (high - low)
    for cell in CELLS:
        result = alike(numbers, codes, cell)
        few = max(result.pairs, FEW * result.counted)
        if result.repeats and result.by_chance <= share * few:
            return result.rows
    return None


def persons_alike(
    numbers: Mapping[str, Floats], levels: Mapping[str, Levels], draws: Draws
) -> Labels | None:
    """Return the people of a table as its copy takes them; see `persons_of_alike`."""
    codes = {name: it.codes for name, it in levels.items()}
    return persons_of_alike(numbers, codes, float(draws.of_table("alike", 1)[0]))


class _Column(NamedTuple):
    """A column as random numbers of its cells, and whether its values are too fine for chance."""

    hashes: Hashes
    fine: bool

    def of(self, rows: Labels) -> _Column:
        return _Column(self.hashes[rows], self.fine)


def _columns(
    numbers: Mapping[str, Floats], codes: Mapping[str, Labels], cell: float
) -> Iterator[_Column]:
    """Give the columns that are of people, in the order of their names."""
    for i, name in enumerate(sorted({*numbers, *codes})):
        if name in codes:
            column = np.unique(codes[name], return_inverse=True)[1]
            if 0 < column.max(initial=0) < len(column) - 1:  # neither constant nor all different
                yield _Column(_hashes(column, i), False)
            continue
        values = numbers[name]
        known = np.unique(values[np.isfinite(values)])
        if len(known) > 1 and not (len(known) == len(values) and (known == np.rint(known)).all()):
            yield _Column(_hashes(as_codes(values, cell), i), _is_fine(known, len(values)))


def _is_fine(different: Floats, rows: int) -> bool:
    """Whether values are many, on no grid that they fill, and yet each in several rows."""
    if not MANY <= len(different) <= rows / TWICE:
        return False
    small, middle = np.quantile(np.diff(different), (0.1, 0.5))
    return bool(small <= UNEVEN * middle)


def _hashes(cells: Labels, column: int) -> Hashes:
    """Return a random number of 64 bits for each cell of a column: that of splitmix64."""
    with np.errstate(over="ignore"):
        x = (cells.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x += np.uint64(column + 1) * np.uint64(0xD1342543DE82EF95)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
        return x ^ (x >> np.uint64(31))


def _sum(hashes: Iterable[Hashes], rows: int) -> Hashes:
    total = np.zeros(rows, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for each in hashes:
            total += each
    return total


def _chance_pairs(columns: Sequence[_Column]) -> float:
    """Return how many pairs are expected to be alike by chance: the most that two columns say.

    A column that tells nearly all rows apart that any does is no evidence, for it may be all that
    there is to them (a place and its code); but one too fine for chance says it by itself.
    """
    rows = len(columns[0].hashes)
    whole = _sum([it.hashes for it in columns], rows)
    different = len(np.unique(whole))
    for i, it in enumerate(columns):
        if len(np.unique(it.hashes)) >= NEARLY_ALL * different:
            others = [*columns[:i], *columns[i + 1 :]]
            if not others:
                return float(_pairs(whole))
            return 0.0 if it.fine else _chance_pairs(others)
    return _most_by_chance([it.hashes for it in columns], _pairs)


def _most_by_chance(columns: Sequence[Hashes], pairs: Callable[[Hashes], int]) -> float:
    """Return how many pairs would be alike if two neighbouring columns were independent: the most.

    They are N10 N01 / N00, of pairs that agree in all other columns.
    """
    whole = _sum(columns, len(columns[0]))
    both, most = pairs(whole), 0.0
    for one, two in zip(columns, [*columns[1:], columns[0]], strict=True):
        with np.errstate(over="ignore"):
            but_one, but_two, but_both = whole - one, whole - two, whole - one - two
        in_two, in_one = pairs(but_one) - both, pairs(but_two) - both
        neither = pairs(but_both) - both - in_one - in_two
        most = max(most, (in_one + 0.5) * (in_two + 0.5) / (neither + 0.5))
    return most


def _pairs(hashes: Hashes) -> int:
    sizes = np.unique(hashes, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())
