"""What a copy of a whole table is asked for with, who takes part in it, and what it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels, check_parameters, whole
from discreet.errors import InputError
from discreet.methods.values import nice_step
from discreet.secret import Secret

LEFT_OUT = 0.2
"""The largest share of people who are left out, where nothing else is asked for."""
OTHER, MISSING = "(other)", ""
"""Rare levels that were joined; and a missing one, whose name no level has."""


@dataclass(frozen=True)
class Settings:
    """How a whole copy is made.

    `k` and `m` are the least numbers of people of a level, and of a leaf or a block of values; `m`
    is k or more. `sensitive` columns are drawn from leaves of 2 m people. `bounds` are numbers
    between which a column lies, `parts` columns whose numbers are whole multiples of one part of so
    many (those of dates, in days). `tables` are pairs of columns of levels whose cross-table is
    counted (`with_tables`). `left_out`, from 0 to .5, is the largest share of people left out; the
    secret says how many are, from half of it on.
    """

    k: int
    m: int
    sensitive: tuple[str, ...] = ()
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    parts: Mapping[str, int] = field(default_factory=dict)
    tables: tuple[tuple[str, str], ...] = ()
    left_out: float = LEFT_OUT


class Levels(NamedTuple):
    """A column of levels: the words, and which of them each row has; -1 where it has none."""

    words: tuple[str, ...]
    codes: Labels

    @classmethod
    def of(cls, texts: Sequence[str]) -> Levels:
        """Return a column of text, of which the empty one is missing; its words are in order."""
        words = sorted({*texts} - {""})
        place = {word: i for i, word in enumerate(words)} | {"": -1}
        return cls(tuple(words), np.array([place[text] for text in texts], dtype=np.intp))

    def texts(self) -> tuple[str, ...]:
        """Return what each row has: the empty text where it has none."""
        words = (*self.words, "")  # the last is at -1
        return tuple(words[code] for code in self.codes.tolist())


class LevelsInParts:
    """A column of levels whose texts come part after part, each as a few different ones.

    Examples
    --------
    >>> column = LevelsInParts()
    >>> column.add(["b", ""], np.array([0, 1]))
    >>> column.add(["a", "b"], np.array([1, 0]))
    >>> column.levels()
    Levels(words=('a', 'b'), codes=array([ 1, -1,  1,  0], dtype=int8))
    """

    def __init__(self) -> None:
        self._words: dict[str, int] = {}
        self._parts: list[Labels] = []

    def add(self, different: Iterable[str], places: Labels) -> None:
        """Add rows that have some of the different texts, at their places."""
        words = self._words
        own = np.array([words.setdefault(it, len(words)) for it in different], dtype=np.intp)
        self._parts.append(own[places].astype(np.min_scalar_type(-len(words) - 1)))

    def levels(self) -> Levels:
        """Return the column, and forget the parts."""
        ordered = sorted({*self._words} - {""})
        of = {word: at for at, word in enumerate(ordered)} | {"": -1}
        kind = np.min_scalar_type(-len(ordered) - 1)
        table = np.array([of[word] for word in self._words], dtype=kind)
        parts = [table[self._parts.pop(0)] for _ in [*self._parts]]
        return Levels(tuple(ordered), np.concatenate(parts) if parts else np.zeros(0, kind))


def threshold(chance: float, least: int) -> int:
    """Return a whole number of `least` to 2 `least` - 1 for a number between 0 and 1."""
    return least + int(chance * least)


@dataclass(frozen=True, repr=False)
class Draws:
    """Numbers between 0 and 1 that hang on the secret, the version and the record alone."""

    secret: Secret
    version: bytes
    keys: NDArray[np.uint64]

    @classmethod
    def before_version(cls, secret: Secret) -> Draws:
        """Return draws of no version and no record: of what is decided before there is one."""
        return cls(secret, b"before a version", np.zeros((0, 2), dtype=np.uint64))

    def of_rows(self, *names: str) -> Floats:
        """Return a row for each record and a column for each name."""
        return self.secret.uniforms(self.version, self.keys, [f"\0whole {name}" for name in names])

    def of_table(self, name: str, count: int) -> Floats:
        """Return `count` numbers that hang on no record."""
        places = np.zeros((count, 2), dtype=np.uint64)
        places[:, 0] = np.arange(count)
        key = self.secret.digest("whole", self.version, name.encode())
        return self.secret.uniforms(key, places, ["\0whole"])[:, 0]

    def threshold(self, name: str, least: int) -> int:
        """Return how many people decide something: `least` to 2 `least` - 1, the secret says.

        So no count of people is one at which a single person is sure to turn it.
        """
        return threshold(self.of_table(f"threshold {name}", 1)[0], least)

    def taken(self, rows: Labels) -> Draws:
        """Return the draws of some records."""
        return replace(self, keys=self.keys[rows])


@dataclass(frozen=True, eq=False, repr=False)
class WholeCopy:
    """The protected rows, and what the custodian alone may see: whose each row mostly is.

    `numbers` and `levels` hold a column each, in the order of a draw. `source` is which raw row
    gave most of the columns of each, `takes_part` which raw rows anything was drawn from. `persons`
    says which rows belong together as one drawn person's, where people have several. `far_out`
    says how the means of columns are off that hang on few people far out: too low, too high or
    off; `joined` for how many levels or more "(other)" of a column stands.
    """

    numbers: Mapping[str, Floats]
    levels: Mapping[str, Levels]
    source: Labels
    takes_part: NDArray[np.bool_]
    left_out: Mapping[str, str]
    persons: Labels | None = None
    far_out: Mapping[str, str] = field(default_factory=dict)
    joined: Mapping[str, int] = field(default_factory=dict)


# --- who takes part in a copy: all but a share of persons that the secret leaves out --------------
# Who is left out is nowhere in the copy: nothing is fitted to, counted of or drawn from their rows.
# So even who knows everybody else cannot be sure that a person is in it.


HUGE = 1e150
PERSONS_PER_K = 4
"""A column of numbers has at least so many times k people, to twice, who have one."""
ROWS_OF_ONE = 4
"""Of a person so many times as many rows as usual take part at the most."""
USUAL = (0.4, 0.6)
"""Between these quantiles is what is usual: where, the secret says."""
ONE = 1 << 20
"""What the rows of a person weigh together: more than anyone has rows, as each weighs 1 or more."""


class Rows(NamedTuple):
    """Rows of the raw table: their columns, draws, whose they are, and their places in it."""

    numbers: Mapping[str, Floats]
    levels: Mapping[str, Levels]
    draws: Draws
    persons: Labels | None
    at: Labels

    def taken(self, at: Labels) -> Rows:
        """Return some of the rows."""
        return self._replace(
            numbers={name: column[at] for name, column in self.numbers.items()},
            levels={name: Levels(it.words, it.codes[at]) for name, it in self.levels.items()},
            draws=self.draws.taken(at),
            persons=None if self.persons is None else self.persons[at],
            at=self.at[at],
        )

    def chance(self, name: str) -> Chance:
        """Return the draws of a column that hang on no record."""
        return lambda what, count: self.draws.of_table(f"{what} of {name}", count)

    def persons_with(self, rows: NDArray[np.bool_]) -> int:
        """Return how many people have some of the rows."""
        return persons_of(self.persons, rows)

    def weights(self) -> Labels:
        """Return what each row weighs: those of a person `ONE` together, at the most."""
        if self.persons is None:
            return np.full(len(self.at), ONE, dtype=np.int64)
        _, whose, rows = np.unique(self.persons, return_inverse=True, return_counts=True)
        return np.maximum(ONE // rows, 1)[whose].astype(np.int64)


def persons_of(persons: Labels | None, rows: NDArray[np.bool_]) -> int:
    """Return how many people have some of the rows; `persons` says whose each row is."""
    return int(rows.sum()) if persons is None else len(np.unique(persons[rows]))


def finite(column: Floats) -> Floats:
    """Return a column in which what is not finite, or beyond 1e150, is missing."""
    values = np.asarray(column, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(values) < HUGE, values, np.nan) + 0.0


def least_known(persons: int, k: int, draws: Draws) -> int:
    """Return how many people have a number in a column that is shown; what all have always is."""
    wide = max(1, min(PERSONS_PER_K * k, persons - PERSONS_PER_K * k + 1))
    return PERSONS_PER_K * k + int(draws.of_table("known numbers", 1)[0] * wide)


def usual_rows(persons: Labels | None, draws: Draws) -> int:
    """Return how many rows a person usually has: about the median, at a quantile by chance."""
    if persons is None:
        return 1
    rows = np.sort(np.unique(persons, return_counts=True)[1])
    low, high = USUAL
    share = low + (high - low) * float(draws.of_table("usual rows", 1)[0])
    return int(rows[int(share * len(rows))])


def participants(rows: Rows, usual: int, least: int, left_out: float) -> tuple[Rows, int]:
    """Return the rows that take part, in the order of their keys, and how many could.

    Of no person very many more rows than are `usual` take part, and `least` people at the least;
    `left_out` is the largest share of people left out: between half of it and it, the secret says.
    """
    some = rows.taken(_rows_in_key_order(rows.draws, rows.persons, usual))
    return some.taken(_participants(some, least, left_out)), len(some.at)


def _rows_in_key_order(draws: Draws, persons: Labels | None, usual: int) -> Labels:
    """Return rows in the order of their keys, of no person very many more than `usual`."""
    order: Labels = np.lexsort(draws.keys.T)
    if persons is None:
        return order
    _, whose, count = np.unique(persons[order], return_inverse=True, return_counts=True)
    by_person = np.argsort(whose, kind="stable")
    place = np.empty(len(order), dtype=np.intp)
    place[by_person] = np.arange(len(order)) - np.repeat(np.cumsum(count) - count, count)
    return order[place < ROWS_OF_ONE * usual]


def _participants(rows: Rows, least: int, left_out: float) -> Labels:
    chance: Floats = rows.draws.of_rows("apart")[:, 0]
    whose = np.arange(len(chance))
    if rows.persons is not None:  # a sum of uniform numbers, less its whole part, is one too
        whose = np.unique(rows.persons, return_inverse=True)[1]
        chance = np.bincount(whose, chance).astype(np.float64) % 1.0
    low = left_out / 2
    share = low + (left_out - low) * float(rows.draws.of_table("apart", 1)[0])
    out = max(0, min(int(share * len(chance)), len(chance) - least))
    left = np.argsort(chance, kind="stable")[:out]
    return np.flatnonzero(~np.isin(whose, left))


# --- what values of a column are rounded to: their own grain, or a step that hides last digits ----


Chance = Callable[[str, int], Floats]
"""Returns so many numbers between 0 and 1 that hang on a name and on no record."""

FINER = 0.01
"""About this share of the values of a column may be finer than its grain."""
GRAINS = (1000.0, 500.0, 100.0, 50.0, 10.0, 5.0, 1.0, 0.5, 0.25, 0.2, 0.1, 0.01)
TINY = 1e-290


def shortened(values: Floats) -> Floats:
    """Return numbers without the last digits of a sum."""
    size = 10.0 ** (11 - np.floor(np.log10(np.maximum(np.abs(values), 1e-290))))
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(np.abs(values) < 1e-290, values, np.round(values * size) / size) + 0.0


def step_of(raw: Floats, out: Floats, chance: Chance, k: int) -> Floats:
    """Return what each number is rounded to: a fiftieth of an sd, or two digits, or its grain.

    A number of a column of quarters is one, too, as one of whole numbers is. Of a column that is
    nearly all 0 anything is a grain: none beyond its sd counts but 1.

    A grain is one that all raw numbers have but for a few: fewer than k to 2 k - 1, or than about
    a hundredth. The sd is that of safe quantiles. So no person decides on a step.
    """
    draws = chance("step", 3)
    few = max(threshold(draws[0], k), FINER * (0.5 + draws[1]) * len(raw))
    sd = float(np.std(np.sort(out), ddof=1)) if len(out) > 1 else 0.0
    sd *= 0.8 + 0.4 * draws[2]
    step = nice_step(max(sd, 1e-6 * float(np.ptp(out)), TINY))

    def has(grain: float) -> bool:
        return bool((np.abs(raw / grain - np.round(raw / grain)) >= 1e-6).sum() < few)

    grain = next((it for it in GRAINS if (it <= sd or it == 1.0) and has(it)), 0.0)
    step = next((it for it in GRAINS if it >= step and has(it)), step)
    digits = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(out), TINY))) - 1)
    return np.maximum(np.maximum(np.minimum(step, digits), grain), TINY)


# --- what the copy of a whole table says of itself, beside the other row methods ------------------


MEMBERS_PER_K = 4
"""A leaf of a copy has so many times k people."""


@dataclass(frozen=True)
class Whole:
    """One protected copy of all columns, drawn one after the other from leaves of m people.

    It is no function of a matrix, as other row methods are: `methods.whole.whole_copy` makes it.

    Parameters
    ----------
    k : int, default 5
        The least number of people that each level, and each place of a column, stands on.
    m : int, optional
        The least number of people in a leaf; at least k, and 4 k where it is not given.

    Examples
    --------
    >>> Whole(k=5).members
    20
    """

    name: ClassVar[str] = "whole"
    promises: ClassVar[str] = (
        "One copy of the whole table: each value is drawn anew from at least m people who are "
        "alike in the columns before it, and each level and each value has at least k behind "
        "it. Whatever is drawn from the copy reveals nothing that the copy does not."
    )
    leaves_open: ClassVar[str] = (
        "What a leaf has in common: somebody who knows a person's other values learns a little "
        "about the last one. Several copies of the same people add up, so the number of "
        "versions is limited. It is not differential privacy."
    )
    least_k: ClassVar[int] = 2
    noise: ClassVar[float] = 0.0
    by_noise: ClassVar[bool] = False
    shared_by_k: ClassVar[bool] = False
    averages: ClassVar[bool] = False
    declared: ClassVar[tuple[str, ...]] = ("m",)
    sentence: ClassVar[str] = (
        "every row of the whole table was drawn anew, column after column, each value from at"
        " least {m} people who are alike in the columns before it"
    )
    not_claimed: ClassVar[tuple[str, ...]] = (
        "that a person cannot be recognised from several copies of the same table",
        "differential privacy",
    )

    k: int = whole(2, default=5)
    m: int | None = whole(2, default=None)

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.members < self.k:
            raise InputError("m must be at least k: a leaf holds m people")

    @property
    def members(self) -> int:
        """How many people a leaf has at least: m, or 4 k where that is not given."""
        return MEMBERS_PER_K * self.k if self.m is None else self.m
