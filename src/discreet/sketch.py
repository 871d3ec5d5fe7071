"""Keyed stand-ins of columns and rows, by which the register recognises data and keeps no value.

All that is added up are whole numbers, so sketches of parts merge into that of the whole, in
whatever order the rows come. The shape of a column of numbers is what another unit of measurement
leaves as it is: a linear change (mmol/l for mg/dl, z-scores, another sign) keeps the order of its
different values, or turns it round; how often each occurs; and the ratios of the gaps between
neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.keys import SPAN, Column, Keys, code_texts
from discreet.secret import WORD, Encryption, Secret, canonical, encrypt

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

ENDS = 1024
"""So many of the smallest different values of a column are looked at, and of the largest."""
RUN = 5
STEP = 1e-3
"""To this share two ratios of gaps are one: arithmetic in double precision moves them by less."""


@dataclass(frozen=True, repr=False)
class Ends:
    """The smallest and the largest different values of a column, in order, and how often each is.

    They are the same values whatever the order of rows, and change places when signs change; so
    a column of any length is looked at in bounded space.
    """

    low: Floats
    low_counts: Counts
    high: Floats
    high_counts: Counts


def ends_of(values: Floats, known: Ends | None = None) -> Ends:
    """Return the ends of a column, or of `known` parts of it and a further one.

    Values that are not finite do not count. What lies between the known ends need not be looked at.
    """
    found = values
    if known is not None and len(known.low) == ENDS:
        found = found[(found <= known.low[-1]) | (found >= known.high[0])]
    found = found + 0.0
    found.sort()  # what is not finite comes first and last
    first, last = np.searchsorted(found, -np.inf, "right"), np.searchsorted(found, np.inf)
    found = found[first:last]
    starts = np.flatnonzero(_new(found))
    low = high = found[starts]
    low_counts = high_counts = np.diff(starts, append=len(found))
    if known is not None:
        low, low_counts = _counted([known.low, low[:ENDS]], [known.low_counts, low_counts[:ENDS]])
        high, high_counts = _counted(
            [known.high, high[-ENDS:]], [known.high_counts, high_counts[-ENDS:]]
        )
    return Ends(low[:ENDS], low_counts[:ENDS], high[-ENDS:], high_counts[-ENDS:])


def run_digests(secret: Secret, ends: Ends) -> Keys:
    """Return a keyed digest of every few neighbouring values, the same after a linear change.

    It is of how often each of them occurs and of the ratios of the gaps between them, in either
    direction; of shape (n, 2).
    """
    runs = [(ends.low, ends.low_counts), (ends.high, ends.high_counts)]
    if len(ends.low) < ENDS or ends.low[-1] >= ends.high[0]:  # the two meet, and are one
        values, first = np.unique(np.concatenate([ends.low, ends.high]), return_index=True)
        runs = [(values, np.concatenate([ends.low_counts, ends.high_counts])[first])]
    key, found = secret.digest("shape")[:16], [np.zeros((0, 2), dtype=WORD)]
    window = np.lib.stride_tricks.sliding_window_view
    for values, counts in runs:
        if len(values) < RUN:
            continue
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            logs = np.log(np.diff(values))
            steps = np.rint(np.diff(logs) / STEP)
        steps = np.nan_to_num(steps, posinf=0.0, neginf=0.0).astype(np.int64)
        ratios, often = window(steps, RUN - 2), window(counts, RUN)
        there = np.hstack([ratios, often])
        words = np.concatenate([there, np.hstack([-ratios[:, ::-1], often[:, ::-1]])])
        state = np.zeros((len(words), 2), dtype=WORD)  # a CBC-MAC of each row
        for j in range(0, words.shape[1], 2):
            state = encrypt(key, state ^ np.ascontiguousarray(words[:, j : j + 2]).view(WORD))
        found.append(state[: len(there)] + state[len(there) :])
    return np.concatenate(found)


def _counted(parts: Sequence[Floats], how_often: Sequence[Counts]) -> tuple[Floats, Counts]:
    """Return the different ones of some values, in order, and how often each is there in all."""
    values, counts = np.concatenate(parts), np.concatenate(how_often)
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    starts = np.flatnonzero(_new(values))
    if not len(starts):
        return values, counts
    return values[starts], np.add.reduceat(counts, starts)


def _new(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each of some values, in order, is another than the one before."""
    new = np.ones(len(values), dtype=np.bool_)
    new[1:] = values[1:] != values[:-1]
    return new


BUCKETS = 1 << 14
# A column of fewer different values may well be the same in two unrelated tables.
DISTINCTIVE = 20
TOLD_APART = 0.75
"""Rows are told apart by what they hold where so many of them, as a share, are different."""
HELD = 0.05
"""So much of a part, as a share of its rows, may differ from what it is a part of."""
SMALLEST = 8192
"""How many of the smallest digests a sketch of rows or people keeps: 64 kB, however many are.

Of small tables these are all; of two large ones, those of the same people.
"""
MOST_CUT = 2
"""Of more digests than so many times those that are kept, the smallest are looked for first."""
NONE = np.zeros(0, dtype=WORD)
ALL = np.uint64(2**64 - 1)
WHOLE_ROWS = "whole rows"
"""What the register calls the sketch of all columns together."""
LARGEST_WHOLE = 2.0**53
FEW = 100
WIDE = 128


@dataclass(frozen=True)
class Sketch:
    """A keyed stand-in of a column or of rows: equal for equal values in any order.

    `mark` is the sum of their keyed digests, `buckets` how many fall into each bucket, and
    `smallest` the first words of the smallest different digests, in order: of rows and people
    alone, by which the share that two tables have in common can be estimated.
    """

    mark: str
    buckets: NDArray[np.int64]
    smallest: NDArray[np.uint64] = field(default_factory=lambda: NONE)

    @property
    def rows(self) -> int:
        """How many rows it is of."""
        return int(self.buckets.sum())

    @property
    def distinctive(self) -> bool:
        """Whether there are so many different values that no unrelated column is the same."""
        return bool(np.count_nonzero(self.buckets) >= DISTINCTIVE)

    @property
    def different(self) -> float:
        """How many different digests there are: exact below `SMALLEST`, else within about 2 %."""
        if len(self.smallest) < SMALLEST:
            return float(len(self.smallest))
        return (SMALLEST - 1) / (float(self.smallest[-1]) / 2.0**64)

    @property
    def told_apart(self) -> bool:
        """Whether so few are alike that few of another sample would be like any of these.

        What two samples of one population have in common by chance is about what each has in
        common with itself: the share of its rows that are like another of its rows.
        """
        return self.different >= max(DISTINCTIVE, TOLD_APART * self.rows)

    def shared(self, new: Sketch) -> float:
        """Return the share of what is in `new` that is in this, too.

        Exact where both keep all their digests. Else estimated from those that are below the
        largest digest that either keeps: of 8192 digests with a standard error of .6 % at one
        half, and more where `new` is the smaller one, of which fewer are below.
        """
        mine = new.sampled_with([self])
        return float(np.isin(mine, self.smallest).mean()) if len(mine) else 0.0

    def sampled_with(self, others: Iterable[Sketch]) -> NDArray[np.uint64]:
        """Return the digests of this that each of some others keeps, too, if it has them."""
        full = [it.smallest[-1] for it in others if len(it.smallest) == SMALLEST]
        return self.smallest[self.smallest <= min(full, default=ALL)]

    @property
    def alike(self) -> float:
        """The share of what it is of that is like another part of it; of rows, not of people."""
        return max(0.0, 1 - self.different / max(self.rows, 1))

    def holds(self, new: Sketch) -> bool:
        """Whether nearly all of a sketch is in this one: of another column most falls elsewhere."""
        beside = int(np.maximum(new.buckets - self.buckets, 0).sum())
        return beside <= HELD * new.rows

    def mostly_other(self, new: Sketch) -> bool:
        """Whether more than half of the rows differ between this and `new`."""
        return self.changed_rows(new) > max(self.rows, new.rows) / 2

    def resembles(self, new: Sketch, fewer_than: int) -> bool:
        """Whether `new` is this column with fewer than some rows changed.

        Two samples of one population may have much the same values too, if these are few; they
        differ by about the square root of how often each occurs, changed data by less.
        """
        by_chance = np.minimum(self.buckets, 0.56 * np.sqrt(self.buckets)).sum()
        return bool(0 < self.changed_rows(new) < min(fewer_than, by_chance / 2))

    def changed_rows(self, new: Sketch) -> int:
        """Return how many rows at least differ between this and `new`."""
        difference = new.buckets - self.buckets
        gained, lost = difference[difference > 0].sum(), -difference[difference < 0].sum()
        return int(max(gained, lost))

    def changed_persons(self, new: Sketch) -> int:
        """Return of how many people at least the number of rows differs; of people alone."""
        return int(np.count_nonzero(self.buckets != new.buckets))

    @property
    def most_rows(self) -> int:
        """How many rows one person has at most, or a few more; 1 where each has one."""
        alone = self.rows <= (1.0 if len(self.smallest) < SMALLEST else 1.05) * self.different
        return 1 if alone else int(self.buckets.max())


@dataclass(frozen=True)
class Sketched:
    """What one pass over a table gives: sketches of its columns and of its whole rows.

    `numbering` are the columns of whole numbers that follow one another, each once, as those of
    any table as long do; `persons` those that say who is who, but for whole numbers that
    fill half of their range, as those of other people may. `shapes` are what a linear change of a
    column leaves as it is.
    """

    columns: Mapping[str, Sketch]
    rows: Sketch
    numbering: frozenset[str]
    persons: frozenset[str]
    shapes: Mapping[str, Sketch]


def sketch_of(marks: Keys, smallest: int = 0) -> Sketch:
    """Sketch the keyed marks of a column's values (`Secret.marks`), whatever their order.

    So many of the `smallest` different digests are kept.
    """
    sums = _Sums(smallest)
    sums.add(marks)
    return sums.sketch


def sketched(
    secret: Secret,
    batches: Iterable[Mapping[str, Column]],
    *,
    rows: Collection[str],
    persons: Collection[str] = (),
) -> Sketched:
    """Sketch every column of a table, and its whole rows, of parts of it in any order."""
    sketching = Sketching(secret, rows, persons)
    for batch in batches:
        sketching.add(batch)
    return sketching.found


class Sketching:
    """Sketches of a table that comes by part after part: of every column, and of whole rows.

    `secret` is what marks are keyed by. The values of the columns `rows` together are a whole row,
    whatever their order and names; the shapes of those of numbers are taken, too. Of the columns
    that say whose a row is, `persons`, the smallest digests are kept as well.
    """

    def __init__(
        self, secret: Secret, rows: Collection[str], persons: Collection[str] = ()
    ) -> None:
        self._secret, self._rows, self._persons = secret, rows, persons
        self._marking = secret.marking()
        self._encryption = Encryption(secret.digest("whole rows")[:16])
        self._whole = _Sums(SMALLEST)
        self._row = np.zeros((SPAN, 2), dtype=WORD)
        self._columns: dict[str, _Seen] = {}

    def add(self, batch: Mapping[str, Column]) -> None:
        """Add a part, as `Table.batches` gives it."""
        marks = {name: self._marks_of(column) for name, column in batch.items()}
        for name, column in batch.items():
            smallest = SMALLEST if name in self._persons else 0
            seen = self._columns.setdefault(name, _Seen(_Sums(smallest)))
            seen.widen(column)
            if name in self._rows and isinstance(column, np.ndarray):
                seen.ends = ends_of(column, seen.ends)
        size = len(next(iter(batch.values())))
        # Few rows at a time, with all of their columns: so they stay in a processor's own cache.
        for start in range(0, size, SPAN):
            sums = self._row[: size - start]
            sums[:] = 0
            for name, of in marks.items():
                found = of(slice(start, start + SPAN))
                self._columns[name].sums.add(found)
                if name in self._rows:
                    sums += found
            if self._rows:
                self._whole.add(self._encryption(sums))

    def _marks_of(self, column: Column) -> Callable[[slice], Keys]:
        if isinstance(column, np.ndarray):
            return lambda rows: self._marking(column[rows])
        texts, codes = code_texts(column)
        marks = self._secret.marks(texts.to_pylist())
        return lambda rows: marks[codes[rows]]

    @property
    def found(self) -> Sketched:
        """The sketches of all that came by."""
        columns, secret = self._columns, self._secret
        ends = {name: seen.ends for name, seen in columns.items() if seen.ends is not None}
        shapes = {name: sketch_of(run_digests(secret, it), SMALLEST) for name, it in ends.items()}
        return Sketched(
            {name: seen.sums.sketch for name, seen in columns.items()},
            self._whole.sketch,
            frozenset(name for name, seen in columns.items() if seen.numbers_rows(secret)),
            frozenset(it for it in self._persons if it in columns and not columns[it].counts_up),
            {name: shape for name, shape in shapes.items() if shape.told_apart},
        )


@dataclass(eq=False, repr=False)
class _Sums:
    """What is added up of marks, in whatever order they come."""

    smallest: int = 0
    added: Keys = field(default_factory=lambda: np.zeros(2, dtype=WORD))
    buckets: Counts = field(default_factory=lambda: np.zeros(BUCKETS, dtype=np.int64))
    kept: NDArray[np.uint64] = field(default_factory=lambda: NONE)

    def add(self, marks: Keys) -> None:
        """Add those of further values."""
        first = marks[:, 0]
        self.added += _sum_of(marks)
        low_bits = np.uint64(BUCKETS - 1)  # quicker than a remainder
        np.add.at(self.buckets, (first & low_bits).view(np.int64), 1)  # quicker than np.bincount
        if self.smallest:
            # Of nearly all it is enough to know that they are above the largest that is kept.
            full = len(self.kept) == self.smallest
            new = first[first < self.kept[-1]] if full else first
            if len(new):
                self.kept = _cut(np.concatenate([self.kept, new]), self.smallest)

    @property
    def sketch(self) -> Sketch:
        """The sketch of all that were added."""
        mark = "".join(f"{one:016x}" for one in self.added.tolist())
        return Sketch(mark, self.buckets.copy(), self.kept)


def _sum_of(marks: Keys) -> NDArray[np.uint64]:
    """Return the sums of the first and of the second words, many rows at a time: it is quicker."""
    wide = len(marks) // WIDE * WIDE
    sums = marks[:wide].reshape(WIDE, -1).sum(axis=0, dtype=WORD).reshape(-1, 2)
    found: NDArray[np.uint64] = np.concatenate([sums, marks[wide:]]).sum(axis=0, dtype=WORD)
    return found


@dataclass(eq=False, repr=False)
class _Seen:
    """What is held of a column between its parts; low and high: NaN where not all is whole."""

    sums: _Sums
    low: float = np.inf
    high: float = -np.inf
    ends: Ends | None = None

    def widen(self, column: Column) -> None:
        """Take in where the whole numbers of a part end."""
        if not len(column) or np.isnan(self.low):
            return
        # Of nearly all columns the first values tell.
        numbers = isinstance(column, np.ndarray) and _are_whole(column[:FEW])
        if numbers and _are_whole(column):
            self.low = min(self.low, float(column.min()) + 0.0)
            self.high = max(self.high, float(column.max()) + 0.0)
        else:
            self.low = self.high = np.nan

    @property
    def counts_up(self) -> bool:
        """Whether whole numbers fill half of their range or more."""
        return self.sums.sketch.different >= (self.high - self.low + 1) / 2

    def numbers_rows(self, secret: Secret) -> bool:
        """Tell without sorting: so many whole numbers from end to end, and the sum of them all."""
        n = self.sums.sketch.rows
        if n < 2 or self.high - self.low != n - 1 or max(-self.low, self.high) > LARGEST_WHOLE:
            return False
        found = _Sums()
        for start in range(0, n, SPAN):
            numbers = self.low + np.arange(start, min(n, start + SPAN), dtype=np.float64)
            found.add(secret.marks(numbers))
        return found.sketch.mark == self.sums.sketch.mark


def _are_whole(column: Floats) -> bool:
    values = canonical(column)
    return bool((values == np.floor(values)).all())


def all_different(column: Column) -> bool:
    """Whether a column of text or of whole numbers has another value wherever it has one.

    As names and numbers of rows do: such a column says who a row is, not what is known of it.
    """
    if not isinstance(column, np.ndarray):
        texts, codes = code_texts(column)
        counts = np.bincount(codes, minlength=len(texts))
        return all(count < 2 for text, count in zip(texts.to_pylist(), counts, strict=True) if text)
    values = np.sort(column[np.isfinite(column)])
    return bool((values == np.floor(values)).all() and (np.diff(values) > 0).all())


def _cut(digests: NDArray[np.uint64], smallest: int) -> NDArray[np.uint64]:
    if not smallest:
        return NONE
    if len(digests) > MOST_CUT * smallest:  # far quicker than to sort all
        few = np.partition(digests, MOST_CUT * smallest)[: MOST_CUT * smallest]
        found = _cut(few, smallest)
        if len(found) == smallest:  # else there are many of one
            return found
    found = np.sort(digests)  # np.unique is many times slower where most are different
    return found[_new(found)][:smallest]
