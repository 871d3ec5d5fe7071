"""Two tables to be compared, the original and what was released of it; and a share counted on them.

What a share is held against is what chance alone would give: each record with the rows of others.
Which others is decided by the values of the rows, never by their order in the file and never by a
generator, so that the same two tables always give the same baseline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.columns import KINDS
from discreet.columns.dates import DATE
from discreet.errors import InputError, one_of
from discreet.estimates.intervals import wilson
from discreet.levels import as_given
from discreet.methods.base import lexicographic
from discreet.methods.copies import OTHER
from discreet.spreadsheet import as_meant
from discreet.table import Table, open_table


@dataclass(frozen=True, eq=False)
class Side:
    """One of two tables: its continuous columns and its categorical ones, row by row."""

    numbers: Mapping[str, Floats]
    levels: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(
        cls, numbers: Mapping[str, Floats], levels: Mapping[str, tuple[str, ...]] | None = None
    ) -> Side:
        """Return a side of columns that nobody changes afterwards."""
        return cls(MappingProxyType(dict(numbers)), MappingProxyType(dict(levels or {})))

    def __repr__(self) -> str:
        return f"Side({', '.join([*self.numbers, *self.levels])})"

    def __len__(self) -> int:
        columns: list[Sequence[object]] = [*self.numbers.values(), *self.levels.values()]  # type: ignore[list-item]
        return len(columns[0])

    @cached_property
    def matrix(self) -> Floats:
        """The continuous columns side by side, of shape (rows, columns)."""
        if not self.numbers:
            raise InputError("there is no continuous column to compare; name some in both tables")
        return np.column_stack(list(self.numbers.values()))

    def taken(self, places: Labels) -> Side:
        """Return the side with the rows at some places, in their order."""
        numbers = {name: values[places] for name, values in self.numbers.items()}
        at = places.tolist()
        levels = {name: tuple(words[i] for i in at) for name, words in self.levels.items()}
        return Side.of(numbers, levels)


@dataclass(frozen=True, eq=False)
class Pair:
    """An original and a released table of the same columns.

    `left_out` is how many rows were left out for a missing number; `whole` is the released table
    with them.
    """

    original: Side
    released: Side
    same_rows: bool
    left_out: int = 0
    whole: Side | None = None

    def __repr__(self) -> str:
        return f"Pair({', '.join(self.names)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that both tables have."""
        return (*self.original.numbers, *self.original.levels)

    @property
    def table(self) -> Side:
        """The released table as whoever receives it has it, rows with missing numbers too."""
        return self.released if self.whole is None else self.whole

    def without(self, name: str | None) -> Pair:
        """Return the pair without a column, if it has it and another."""
        if name not in self.names or len(self.names) == 1:
            return self

        def side(of: Side) -> Side:
            numbers = {column: v for column, v in of.numbers.items() if column != name}
            levels = {column: v for column, v in of.levels.items() if column != name}
            return Side.of(numbers, levels)

        whole = None if self.whole is None else side(self.whole)
        return replace(
            self, original=side(self.original), released=side(self.released), whole=whole
        )


def as_pair(
    original: object,
    released: object = None,
    *,
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    same_rows: bool = True,
    dates: Mapping[str, str] = MappingProxyType({}),
) -> Pair:
    """Read two tables, and check that they can be compared.

    Parameters
    ----------
    original, released : array of shape (n, p), frame or path; or a Pair alone, which is returned
        The columns of the released table must be columns of the original; what else the original
        has is not compared. Columns of an array are called "0", "1" and so on.
    categorical, drop : sequence of str
        Columns of codes that are levels (texts and yes/no are levels anyway), and columns of the
        released table that are not compared.
    same_rows : bool, default True
        Whether the i-th row of one is the i-th row of the other.
    dates : mapping of str to str
        How dates in text are written in the original, where its rows do not say it: "%d/%m/%Y".

    Returns
    -------
    Pair
        Without the rows of which a number is missing. A missing level is a level. Levels of the
        original that the released table has joined as "(other)" are joined alike.

    Examples
    --------
    >>> pair = as_pair([[1.0, 2.0], [3.0, 4.0]], [[1.5, 2.5], [2.5, 3.5]])
    >>> pair.names, len(pair.original)
    (('0', '1'), 2)
    """
    if isinstance(original, Pair) and released is None:
        return original
    if released is None or isinstance(original, Pair):
        raise InputError("give two tables, the original and the released one, or a pair of them")
    before = _open(original, categorical, dates)
    after = _open_released(released, categorical, dates)
    joined = _codes_with_joined(before, after)
    if joined:
        before = _open(original, [*categorical, *joined], dates)
    if lacking := [name for name in drop if name not in after.columns]:
        raise InputError(f"drop names columns that the released table lacks: {one_of(lacking)}")
    names = [name for name in after.columns if name not in drop]
    if not names:
        raise InputError("no column is left to compare; drop fewer")
    of = {name: name if name in before.columns else as_meant(name) for name in names}
    if unknown := [name for name in names if of[name] not in before.columns]:
        raise InputError(
            f"the released table has columns that the original lacks: {one_of(unknown)};"
            " leave them out, or make them in the original too"
        )
    for name in names:
        kinds = before.columns[of[name]].kind, after.columns[name].kind
        if kinds[0] != kinds[1]:
            raise InputError(
                f"column {name!r} is {kinds[0]} in the original table and {kinds[1]} in the"
                " released one; declare it categorical, or correct it"
            )
    side = _read(after, names)  # whose file may have marked some names
    numbers = {of[name]: values for name, values in side.numbers.items()}
    marked = Side.of(numbers, {of[name]: words for name, words in side.levels.items()})
    return _match(_read(before, [*of.values()]), marked, same_rows)


def as_side(
    table: object,
    *,
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    only: Set[str] | None = None,
    dates: Mapping[str, str] = MappingProxyType({}),
) -> Side:
    """Read one table; numbers may be missing (NaN), and a missing level is the empty text.

    Dates are numbers of days.

    Columns of `drop` are left out, and those that are not among `only`, where it is given; a Side
    is returned as it is.
    """
    if isinstance(table, Side):
        return table
    opened = _open(table, categorical, dates)
    if lacking := [name for name in drop if name not in opened.columns]:
        raise InputError(f"drop names columns that the table lacks: {one_of(lacking)}")
    names = [name for name in opened.columns if name not in drop]
    return _read(opened, [name for name in names if only is None or name in only])


def _restore_levels(before: Side, after: Side) -> Side:
    """Return a released table with its levels as they were before a file marked some of them."""
    levels = {}
    for name, words in after.levels.items():
        known = {*before.levels[name]}
        meant = {word: word if word in known else as_meant(word) for word in {*words}}
        levels[name] = tuple(meant[word] for word in words)
    return Side.of(after.numbers, levels)


def _codes_with_joined(before: Table, after: Table) -> list[str]:
    """Name the columns of codes that are levels once some were joined: "(other)" is no number."""
    codes = [
        name
        for name, column in after.columns.items()
        if column.kind == "categorical"
        and name in before.columns
        and before.columns[name].kind == "continuous"
    ]
    if not codes:
        return []
    texts = after.rows([], levels=codes, gaps=[]).texts
    return [name for name in codes if OTHER in texts[name]]


def _join_levels(before: Side, after: Side) -> Side:
    """Return the original with those levels joined that the released table has as "(other)".

    They are those that it has no rows of; a missing level stays one.
    """
    levels = dict(before.levels)
    for name, words in after.levels.items():
        there, own = {*words}, {*levels[name]}
        if any(as_given(it) != it and as_given(it) in there for it in own):
            levels[name] = tuple(map(as_given, levels[name]))
        if OTHER in there and OTHER not in levels[name]:
            kept = there | {""}
            levels[name] = tuple(it if it in kept else OTHER for it in levels[name])
    return Side.of(before.numbers, levels)


def _match(before: Side, after: Side, same_rows: bool) -> Pair:
    after = _restore_levels(before, after)
    before = _join_levels(before, after)
    if same_rows and len(before) != len(after):
        raise InputError(
            "the two tables have different numbers of rows, so rows cannot be compared one by one;"
            " give the rows that were released, in their order, or say that they do not correspond,"
            " as rows of a copy of the whole table never do (--no-same-rows, same_rows=False)"
        )
    for name, words in after.levels.items():
        if set(words) - set(before.levels[name]):
            raise InputError(
                f"column {name!r} of the released table has levels that the original lacks;"
                " merge the levels of the original in the same way, or leave the column out"
            )
    known_before, known_after = (
        np.logical_and.reduce(
            [np.ones(len(side), dtype=np.bool_), *map(np.isfinite, side.numbers.values())]
        )
        for side in (before, after)
    )
    left_out = int((~known_before).sum() + (~known_after).sum())
    if same_rows:
        known_before = known_after = known_before & known_after
        left_out = int((~known_before).sum())
    if not known_before.any() or not known_after.any():
        raise InputError("no row has a finite number in every column; leave a column out")
    return Pair(
        before.taken(np.flatnonzero(known_before)),
        after.taken(np.flatnonzero(known_after)),
        same_rows,
        left_out,
        after,
    )


def _open_released(source: object, categorical: Sequence[str], dates: Mapping[str, str]) -> Table:
    """Open a released table: its dates are such, or written as in the original."""
    table = _open(source, categorical)
    texts = {name for name, it in table.columns.items() if it.kind == KINDS[1]}
    as_original = {name: form for name, form in dates.items() if name in texts}
    return _open(source, categorical, as_original) if as_original else table


def _open(
    source: object, categorical: Sequence[str], dates: Mapping[str, str] = MappingProxyType({})
) -> Table:
    if isinstance(source, np.ndarray | list | tuple):
        source = _frame(source)
    kinds = dict.fromkeys(categorical, "categorical")
    return open_table(source, kinds=kinds, roles={}, unit=None, key=None, dates=dates)


def _frame(values: object) -> object:
    """Make a frame of an array."""
    import pyarrow as pa

    try:
        matrix = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):  # numpy's message quotes the cell
        raise InputError("an array must contain only numbers, as many in each row") from None
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError("an array must have at least one row and one column")
    return pa.table({str(j): matrix[:, j] for j in range(matrix.shape[1])})


def _read(table: Table, names: Sequence[str]) -> Side:
    kinds = {name: table.columns[name].kind for name in names}
    if odd := [name for name in names if kinds[name] not in ("continuous", "categorical", DATE)]:
        raise InputError(f"column {odd[0]!r} holds neither numbers nor levels; leave it out")
    numbers = [name for name in names if kinds[name] in ("continuous", DATE)]
    levels = [name for name in names if kinds[name] == "categorical"]
    rows = table.rows([], levels=levels, gaps=numbers)
    return Side.of(rows.numbers, rows.texts)


@dataclass(frozen=True)
class Estimate:
    """A share with what it was counted from, its interval, and what guessing would give.

    Parameters
    ----------
    what : str
        What was counted, in plain words.
    count : float
        How many; ties may count as parts.
    trials : int
        Of how many; at least 1, and the count is no more, or InputError is raised.
    baseline : float or None
        The share that who knows nothing but the question would reach by guessing; None where
        guessing makes no sense.

    Notes
    -----
    The interval is Wilson's of 95 % for a share of independent trials. The records of one table
    are not independent, so it says how far a count of this size is from certain, no more.

    Examples
    --------
    >>> linked = Estimate("records recognised by the nearest released row", 20, 100, 0.01)
    >>> linked.share, round(linked.low, 3), round(linked.high, 3)
    (0.2, 0.133, 0.289)
    >>> print(linked)
    records recognised by the nearest released row: 20.0 % (13.3 to 28.9 %; guessing 1.0 %)
    """

    what: str
    count: float
    trials: int
    baseline: float | None = None

    def __post_init__(self) -> None:
        if self.trials < 1 or not 0 <= self.count <= self.trials:
            raise InputError("an estimate needs a count between 0 and its trials, of at least one")

    @property
    def share(self) -> float:
        """The count as a share of the trials."""
        return self.count / self.trials

    @property
    def low(self) -> float:
        """The lower end of the interval of 95 %."""
        return min(self.share, wilson(self.share, self.trials)[0])

    @property
    def high(self) -> float:
        """The upper end of the interval of 95 %."""
        return max(self.share, wilson(self.share, self.trials)[1])

    def rounded(self, to: int) -> Estimate:
        """Return the estimate made of a count and trials that are multiples of `to`."""
        trials = max(to, to * round(self.trials / to))
        count = min(trials, to * round(self.count / to))
        return Estimate(self.what, count, trials, self.baseline)

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as plain values."""
        counted = {"what": self.what, "count": self.count, "trials": self.trials}
        ends = {"estimate": self.share, "interval": [self.low, self.high]}
        return {**counted, **ends, "baseline": self.baseline}

    def __str__(self) -> str:
        ends = f"{100 * self.low:.1f} to {100 * self.high:.1f} %"
        guess = "" if self.baseline is None else f"; guessing {100 * self.baseline:.1f} %"
        return f"{self.what}: {100 * self.share:.1f} % ({ends}{guess})"


Flags = NDArray[np.bool_]
Digests = NDArray[np.uint64]

TURNS = 8
"""With how many other rows each record is compared."""
MANY = 200_000
"""Of more rows than this the order is by values in place of ranks, and neighbours are sampled."""
SAMPLED = 100_000
"""Of how many of so many rows neighbours are looked for."""

KEY = 0x9E3779B97F4A7C15
STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))  # the finisher of splitmix64


def sample_size(pair: Pair) -> int | None:
    """Return of how many records a report looks for neighbours; None of all, where few."""
    return SAMPLED if len(pair.original) > MANY else None


def keyed_order(*blocks: Floats) -> Labels:
    """Return the rows in an order that looks random and follows from their values alone.

    By a digest, under a public key, of the ranks of their values in each column (so that a change
    of units changes nothing) and of how many equal rows come before. Of more than `MANY` rows the
    values themselves are digested: ranks would take ten times as long.
    """
    if len(blocks[0]) > MANY:
        return _order_by_values([column for block in blocks for column in block.T])
    matrix = np.hstack(blocks)
    order = lexicographic(matrix)
    ordered = matrix[order]
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.arange(len(ordered))
    copies = place - np.maximum.accumulate(np.where(first, place, 0))
    digest = mixed(copies.astype(np.uint64) + np.uint64(KEY))
    for column in ordered.T:
        rank = np.unique(column, return_inverse=True)[1]
        digest = mixed(digest ^ rank.astype(np.uint64))
    return order[np.argsort(digest, kind="stable")]


def _order_by_values(columns: Sequence[Floats]) -> Labels:
    """Order rows by a digest of their values and of how many equal rows come before."""
    digest = np.full(len(columns[0]), KEY, dtype=np.uint64)
    for column in columns:
        digest = mixed(digest ^ (column + 0.0).view(np.uint64))  # one zero, not two
    order = np.argsort(digest)
    ordered = digest[order]
    again = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
    if not again.size:
        return order
    place = np.arange(len(ordered))
    first = place.copy()
    first[again] = 0
    copies = place - np.maximum.accumulate(first)
    return order[np.argsort(mixed(ordered ^ mixed(copies.astype(np.uint64))))]


def counted(
    whats: Sequence[str], order: Labels, counts: Callable[[Labels], Sequence[Any]]
) -> tuple[Estimate, ...]:
    """Count records in several ways, beside the shares when each is given another record's row.

    `order` has the rows in keyed order; `counts`, given for each record the place of a row, says
    how many records are hit, one number for each of `whats`. The baseline is the mean over the
    next `TURNS` rows in the order, or all others where there are no more; None for a single row,
    which has no other.
    """
    n = len(order)
    turns = min(TURNS, n - 1)
    hits = counts(np.arange(n))
    chance = np.zeros(len(whats), dtype=np.int64)
    other = np.empty(n, dtype=np.intp)
    for turn in range(1, turns + 1):
        other[order] = np.roll(order, turn)
        chance += np.asarray(counts(other), dtype=np.int64)
    return tuple(
        Estimate(what, int(hit), n, int(by_chance) / (turns * n) if turns else None)
        for what, hit, by_chance in zip(whats, hits, chance, strict=True)
    )


def mixed(values: Digests) -> Digests:
    """Return another whole number of 64 bits for each, by a public rule: it hides nothing."""
    for shift, factor in STEPS:
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return values ^ (values >> np.uint64(31))
