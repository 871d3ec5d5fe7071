"""Which people a number is about, in one form: what can be compared without looking at data.

A study file shows the levels of its columns and, of each column of numbers or dates, a grid. A
condition may cut a column only there. So every condition is a set of *atoms*: levels, points and
intervals of the grid, and missing values, of the columns that it rests on. Two texts that mean the
same people have the same form, whatever they look like.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.columns.column import Copy
from discreet.columns.words import each_as
from discreet.errors import InputError, RefusedError, near
from discreet.explore.derived import rows_where
from discreet.explore.from_copy import WholeTable
from discreet.explore.new_columns import parsed, with_column
from discreet.expressions.tree import Applied, Node
from discreet.provenance import checksum_of

Truths = NDArray[np.bool_]

MOST_STEPS = 100
"""A grid has about so many intervals at the most."""
TAILS = (0.005, 0.995)
"""Between these quantiles of the copy a grid has its edges; beyond them are two open intervals."""
MOST_ATOMS = 2_000_000
"""So many combinations of atoms are looked at for one condition at the most."""
NICE = (1.0, 2.0, 5.0, 10.0)
OFF_GRID = (
    "{condition!r} cuts {columns} between the steps of the grid, which the data can be asked at; "
    "{hint}"
)
TOO_MANY = (
    "{condition} compares too many columns at once; ask for fewer, or write conditions that name"
    " one column each, joined by and"
)


@dataclass(frozen=True)
class Grid:
    """Where a column may be cut: at its levels in order, or at steps of its numbers, or of days.

    Of `whole` numbers no point between two has a value. Where the copy has `gaps`, missing values
    are an atom. Where it has none, fewer people than a copy shows have no value; they count as the
    first level, or as the middle of the grid. So do people whose level the copy has not. `ends` are
    the least and the largest number of the copy.
    """

    column: str
    words: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()
    whole: bool = False
    gaps: bool = False
    ends: tuple[float, ...] = ()

    @property
    def known(self) -> int:
        """How many atoms there are of values."""
        if not self.edges:
            return len(self.words)
        return len(self.edges) + 1 if self.whole else 2 * len(self.edges) + 1

    @property
    def size(self) -> int:
        """How many atoms there are; where there are missing values, these are the last one."""
        return self.known + self.gaps

    @property
    def missing(self) -> int:
        """The atom of people without a value."""
        if self.gaps:
            return self.known
        return self.known // 2 if self.edges else 0

    def places(self, values: Floats) -> Labels:
        """Return the atom of each number."""
        right = np.searchsorted(self.edges, values, side="right")
        found = right if self.whole else right + np.searchsorted(self.edges, values, side="left")
        return np.where(np.isfinite(values), found, self.missing).astype(np.intp)

    def places_of_words(self, words: Sequence[str]) -> Labels:
        """Return the atom of each level; one that the file does not show is missing."""
        known = {word: at for at, word in enumerate(self.words)}
        return each_as(words, known, self.missing, np.intp)

    def places_in(self, copy: Copy) -> Labels:
        """Return the atom of each row of a copy, or of raw rows with its columns."""
        if self.column in copy.strata:
            return self.places_of_words(copy.strata[self.column])
        return self.places(copy.columns[self.column])

    def examples(self) -> list[tuple[int, float | str]]:
        """Return values by which a condition is tried: of each atom some, with its place."""
        if not self.edges:
            return [*enumerate((*self.words, *([""] if self.gaps else [])))]
        edges, span = self.edges, max(self.edges[-1] - self.edges[0], 1.0)
        ends = [edges[0] - 10 * span, *edges, edges[-1] + 10 * span]
        out: list[tuple[int, float | str]] = []
        for at, (low, high) in enumerate(pairwise(ends)):
            inner = _inner_whole(low, high, first=at == 0) if self.whole else _inner(low, high)
            place = at if self.whole else 2 * at
            out += [(place, value) for value in inner]
            if not self.whole and at < len(edges):
                out.append((place + 1, edges[at]))
        return [*out, *([(self.known, math.nan)] if self.gaps else [])]

    def bins(self, edges: Sequence[float]) -> Labels:
        """Return for each atom in which of some bins it is; -1 of a missing value.

        `edges` are steps of the grid; the end bins hold what lies beyond them.
        """
        if not {*edges} <= {*self.edges} or [*edges] != sorted({*edges}):
            raise InputError(
                f"the bins of {self.column!r} end between the steps of its grid, or beyond it; take"
                f" ends from {self.edges[0]:g}, {self.edges[1]:g}, ... {self.edges[-1]:g}"
            )
        inner = np.searchsorted(self.edges, edges[1:-1])
        atoms = np.arange(self.size)
        starts = inner + 1 if self.whole else 2 * inner + 1
        out = np.searchsorted(starts, atoms, side="right").astype(np.intp)
        out[self.known :] = -1
        return out

    def has_value(self) -> Factor:
        """Return the condition that there is a value."""
        return Factor((self.column,), np.arange(self.size) < self.known)


def _inner(low: float, high: float) -> list[float]:
    return [low + share * (high - low) for share in (0.003, 0.31, 0.5, 0.77, 0.997)]


def _inner_whole(low: float, high: float, *, first: bool) -> list[float]:
    """Return whole numbers from `low` on, below `high`."""
    least, most = math.ceil(low), math.ceil(high) - 1
    if first:
        least = math.floor(low)
    found = {least, least + 1, (least + most) // 2, most - 1, most}
    return [float(it) for it in sorted(found) if least <= it <= most]


def grid_of(whole: WholeTable, name: str) -> Grid:
    """Return where a column of a copy may be cut: the copy alone says so.

    Of numbers the steps are 1, 2 or 5 times a power of ten, at most about a hundred of them; of
    dates they are the first days of months, quarters or years.
    """
    if name in whole.copy.strata:
        return Grid(name, words=whole.levels_of(name), gaps="" in whole.copy.strata[name])
    known = np.isfinite(whole.copy.columns[name])
    values, gaps = whole.copy.columns[name][known], not bool(known.all())
    if not len(values):
        raise RefusedError(
            f"column {name!r} has no value in any row of the copy, so it has no steps to be cut at;"
            " leave it out",
            rule="grid",
        )
    ends = float(values.min()), float(values.max())
    low, high = np.quantile(values, TAILS, method="nearest").tolist()
    if whole.raw[name].dates is not None:
        return Grid(name, edges=_first_days(low, high), gaps=gaps, ends=ends)
    is_whole = bool((values == np.round(values)).all())
    step = _nice((high - low) / MOST_STEPS)
    if is_whole:
        step = max(step, 1.0)
    first, last = math.floor(low / step), math.ceil(high / step)
    digits = max(0, -math.floor(math.log10(step)))
    edges = [round(at * step, digits) for at in range(first, max(last, first + 1) + 1)]
    return Grid(name, edges=tuple(dict.fromkeys(edges)), whole=is_whole, gaps=gaps, ends=ends)


def _first_days(low: float, high: float) -> tuple[float, ...]:
    """Return the first days of months, quarters or years around two days."""
    first, last = (np.datetime64(math.floor(it), "D").astype("datetime64[M]") for it in (low, high))
    months = np.arange(first, last + 2)
    of_year = months.astype(np.int64) % 12
    for every in (1, 3, 12):
        kept = months[of_year % every == 0]
        if len(kept) <= MOST_STEPS and len(kept) > 1:
            return tuple(kept.astype("datetime64[D]").astype(np.float64).tolist())
    years = months[of_year == 0]
    kept = years if len(years) > 1 else months
    return tuple(kept.astype("datetime64[D]").astype(np.float64).tolist())


def _nice(width: float) -> float:
    """Return the least of 1, 2 and 5 times a power of ten that is no smaller than a width."""
    if not width > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    return next(it for it in (nice * power for nice in NICE) if it >= width * (1 - 1e-9))


# --- conditions -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Factor:
    """A part of a condition: of some columns, in order, which combinations of atoms have it."""

    columns: tuple[str, ...]
    truths: Truths

    def holds(self, atoms: Mapping[str, Labels]) -> Truths:
        """Tell of each record whether it has it."""
        return self.truths[tuple(atoms[name] for name in self.columns)]


@dataclass(frozen=True)
class Condition:
    """All of some factors, each of other columns, in their one form; none is everyone."""

    factors: tuple[Factor, ...] = ()

    @classmethod
    def of(cls, factors: Iterable[Factor]) -> Condition:
        """Return the condition that all of some factors make, in its one form."""
        waiting: list[Factor] = []
        for new in factors:
            shared = [it for it in waiting if {*it.columns} & {*new.columns}]
            waiting = [it for it in waiting if it not in shared]
            waiting.append(reduce(_both, shared, new))
        simple = [part for it in waiting for part in _apart(it)]
        if any(not it.truths.any() for it in simple):  # nobody, whatever else is asked
            return NOBODY
        simple = [it for it in simple if not it.truths.all()]
        return cls(tuple(sorted(simple, key=lambda it: it.columns)))

    def both(self, others: Iterable[Factor]) -> Condition:
        """Return the condition with more factors."""
        return Condition.of((*self.factors, *others))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it rests on."""
        return tuple(dict.fromkeys(name for it in self.factors for name in it.columns))

    @cached_property
    def digest(self) -> str:
        """What it is recognised by: equal for all texts that mean the same."""
        return checksum_of(
            [
                [list(it.columns), list(it.truths.shape), np.packbits(it.truths).tobytes().hex()]
                for it in self.factors
            ]
        )

    def holds(self, atoms: Mapping[str, Labels], rows: int) -> Truths:
        """Tell of each record whether it has all factors."""
        out = np.ones(rows, dtype=np.bool_)
        for it in self.factors:
            out &= it.holds(atoms)
        return out

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


NOBODY = Condition((Factor((), np.zeros((), dtype=np.bool_)),))
"""The condition that no record has, whatever the data are."""


def _both(a: Factor, b: Factor) -> Factor:
    """Return what two factors say together, of the columns of either."""
    columns = tuple(sorted({*a.columns, *b.columns}))
    sizes = {**dict(zip(a.columns, a.truths.shape, strict=True))}
    sizes |= dict(zip(b.columns, b.truths.shape, strict=True))
    if math.prod(sizes.values()) > MOST_ATOMS:
        raise RefusedError(TOO_MANY.format(condition="these conditions together"), rule="atoms")
    return Factor(columns, _spread(a, columns) & _spread(b, columns))


def _spread(it: Factor, columns: Sequence[str]) -> Truths:
    """Return the truths of a factor so that they fit more columns."""
    order = sorted(range(len(it.columns)), key=lambda at: it.columns[at])
    truths = it.truths.transpose(order)
    sizes = iter(truths.shape)
    return truths.reshape([next(sizes) if name in it.columns else 1 for name in columns])


def _apart(it: Factor) -> list[Factor]:
    """Take a factor apart into factors that no column is shared by, as small as they can be."""
    order = sorted(range(len(it.columns)), key=lambda at: it.columns[at])
    columns, truths = tuple(it.columns[at] for at in order), it.truths.transpose(order)
    for axis in reversed(range(len(columns))):  # a column that changes nothing
        first = truths.take([0], axis=axis)
        if bool((truths == first).all()):
            truths, columns = first.squeeze(axis), columns[:axis] + columns[axis + 1 :]
    for size in range(1, len(columns) // 2 + 1):
        for inner in combinations(range(len(columns)), size):
            outer = tuple(at for at in range(len(columns)) if at not in inner)
            a = np.asarray(truths.any(axis=outer))
            b = np.asarray(truths.any(axis=inner))
            one = Factor(tuple(columns[at] for at in inner), a)
            other = Factor(tuple(columns[at] for at in outer), b)
            if bool((_both(one, other).truths == truths).all()):
                return [*_apart(one), *_apart(other)]
    return [Factor(columns, np.ascontiguousarray(truths))]


# --- read from texts ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A copy, and the new columns that were made of it, by whose grid conditions are read."""

    whole: WholeTable
    made: Mapping[str, str]

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that are not there, or are named twice."""
        there = [*self.whole.drawable, *self.made]
        for name in names:
            if name not in there:
                raise InputError(f"there is no column {name!r}; {near(name, there)}")
        if len({*names}) < len(names):
            raise InputError("a column is named twice; name each once")

    def grid(self, name: str) -> Grid:
        """Return where a column of the copy may be cut."""
        found = self._grids.get(name)
        if found is None:
            found = self._grids[name] = grid_of(self.whole, name)
        return found

    @cached_property
    def _grids(self) -> dict[str, Grid]:
        return {}

    @cached_property
    def _all(self) -> WholeTable:
        """The copy with all new columns."""
        whole = self.whole
        for name, text in self.made.items():
            whole = with_column(whole, name, text)
        return whole

    def with_made(self, rows: WholeTable, names: Sequence[str]) -> WholeTable:
        """Return other rows with those new columns that some names need."""
        wanted = {*self._all.beneath(names)}
        for name, text in self.made.items():
            if name in wanted:
                rows = with_column(rows, name, text)
        return rows

    def condition(self, text: str) -> tuple[Factor, ...]:
        """Return the factors of a condition, refusing one that cuts between the steps of a grid."""
        tree = parsed(self._all, "where", text).as_condition().tree
        parts = [(it, text[slice(*it.place)]) for it in _conjuncts(tree)]
        if not all(self._reads_as(part, it) for it, part in parts):
            parts = [(tree, text)]  # a bracket was cut through
        return tuple(self._factor(part) for _, part in parts)

    def _reads_as(self, text: str, tree: Node) -> bool:
        try:
            return parsed(self._all, "where", text).as_condition().tree == tree
        except InputError:
            return False

    def _factor(self, text: str) -> Factor:
        columns, rows, places = self._examples(text, parsed(self._all, "where", text).names)
        _, found = rows_where(rows, text)
        truths = np.zeros(len(rows), dtype=np.int64)
        truths[found] = 1
        return Factor(columns, self._of_atoms(text, columns, places, truths).astype(np.bool_))

    def levels(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...], Labels]:
        """Return of a column of levels its words, the columns it rests on, and each atom's word.

        The place of the word is -1 where a value is missing, or the file does not show it.
        """
        if name not in self._all.copy.strata:
            return self._codes(name)
        words = self._all.levels_of(name)
        if not words:
            raise InputError(f"column {name!r} has no level in any row of the copy")
        if name not in self.made:
            grid = self.grid(name)
            table = np.arange(grid.size)
            table[grid.known :] = -1
            return words, (name,), table
        columns, rows, places = self._examples(name, [name])
        known = {word: at for at, word in enumerate(words)}
        of = each_as(rows.copy.strata[name], known, -1, np.intp)
        return words, columns, self._of_atoms(name, columns, places, of)

    def _codes(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...], Labels]:
        """Return the same of numbers of few different values, such as codes."""
        coded = self.whole.with_levels([name])
        if name not in coded.copy.strata:
            raise InputError(
                f"column {name!r} has numbers; make levels of it by study.assign and cut(...)"
            )
        words, grid = coded.levels_of(name), self.grid(name)
        places = grid.places(np.array([float(it) for it in words]))
        if len({*places.tolist()}) < len(words):
            raise RefusedError(
                f"two codes of {name!r} lie between the same steps of its grid; make levels of it"
                " by study.assign and cut(...)",
                rule="grid",
            )
        table = np.full(grid.size, -1)
        table[places] = np.arange(len(words))
        return words, (name,), table

    def _examples(
        self, text: str, names: Sequence[str]
    ) -> tuple[tuple[str, ...], WholeTable, list[Labels]]:
        """Return the columns beneath some, rows by which these are tried, and their atoms.

        There is a row for each combination of examples of the columns' atoms.
        """
        columns = tuple(sorted(self._all.sources(names)))
        for it in columns:
            if it not in self.whole.copy.strata and it not in self.whole.copy.columns:
                raise InputError(f"there is no column {it!r} in the copy")
        examples = [self.grid(name).examples() for name in columns]
        if math.prod(map(len, examples)) > MOST_ATOMS:
            raise RefusedError(TOO_MANY.format(condition=text), rule="atoms")
        at = np.indices([len(it) for it in examples]).reshape(len(columns), -1)
        numbers: dict[str, Floats] = {}
        strata: dict[str, tuple[str, ...]] = {}
        places = []
        for name, some, here in zip(columns, examples, at, strict=True):
            places.append(np.array([place for place, _ in some])[here])
            values = [value for _, value in some]
            if name in self.whole.copy.strata:
                strata[name] = tuple(str(values[i]) for i in here.tolist())
            else:
                numbers[name] = np.array(values, dtype=np.float64)[here]
        copy = Copy(numbers, strata, self.whole.copy.version, 0)
        raw = {name: self.whole.raw[name] for name in columns}
        rows = replace(self.whole, copy=copy, raw=raw, within=None)
        return columns, self.with_made(rows, names), places

    def _of_atoms(
        self, text: str, columns: Sequence[str], places: Sequence[Labels], values: Labels
    ) -> Labels:
        """Return one value for each combination of atoms; refuse a text by which it has several."""
        shape = tuple(self.grid(name).size for name in columns)
        cell = np.ravel_multi_index(tuple(places), shape) if columns else np.zeros(len(values), int)
        least = np.full(math.prod(shape), np.iinfo(np.int64).max)
        most = np.full(math.prod(shape), np.iinfo(np.int64).min)
        np.minimum.at(least, cell, values)
        np.maximum.at(most, cell, values)
        if not bool((least == most).all()):
            cut = [name for name in columns if self.grid(name).edges]
            raise RefusedError(
                OFF_GRID.format(condition=text, columns=" and ".join(cut), hint=self._hint(cut)),
                rule="grid",
            )
        return least.reshape(shape)

    def _hint(self, columns: Sequence[str]) -> str:
        """Say where columns may be cut."""
        said = []
        for name in columns:
            first, second, *_, last = (*self.grid(name).edges, self.grid(name).edges[-1])
            if self.whole.raw[name].dates is None:
                said.append(f"{name} at {first:g}, {second:g}, ... {last:g}")
            else:
                said.append(f"{name} at first days of months or years")
        return "cut " + "; ".join(said)


def _conjuncts(tree: Node) -> list[Node]:
    """Return what is joined by `and` in a condition; each may be read by itself."""
    if isinstance(tree, Applied) and tree.name == "and":
        return [part for it in tree.arguments for part in _conjuncts(it)]
    return [tree]
