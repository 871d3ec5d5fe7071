"""Attacks on a released table: what somebody could learn of a person from it, tried and counted.

An attack is made on a copy whose raw rows the custodian has, so its success can be counted. Each
tells who the attacker is and what they know, how often they are right, and how often who has no
copy, or whom the copy was not made from, is right as well. What does not beat that proves nothing,
neither that the copy is safe.

What all attacks share stands here: those that need one copy are in `attacks_on_copy`, those that
compare people in a copy with people held out in `attacks_held_out`, and those that need many
copies in `attacks_by_copies`. Every one takes the raw rows (`Records`, in keyed order, so that the
order of a file changes nothing), or copies made of parts of them (`HeldOut`), and returns an
`Attack`; RefusedError says that there is nobody to try it on. `k` is what the method
promises: 1/k is what it allows of linkage, and what fewer than k people have is rare.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.errors import InputError, RefusedError, one_of
from discreet.estimates.intervals import NORMAL
from discreet.keys import row_keys, total
from discreet.measure.evaluate import COUNT_STEPS
from discreet.measure.linkage import moments
from discreet.measure.pairs import MANY, Estimate, Side, keyed_order
from discreet.methods import Whole
from discreet.methods.alike import persons_alike
from discreet.methods.base import RowMethod
from discreet.methods.copies import LEFT_OUT, MISSING, OTHER, Draws, Levels, Settings, WholeCopy
from discreet.methods.whole import copy_with_tables
from discreet.secret import Secret, generator

BOUNDS = MappingProxyType(
    {
        "member, typical": 0.62,
        "member, marginal": 0.72,
        "member, joint": 0.72,
        "member, level": 0.66,
        "member, rows": 0.72,
        "versions": 0.62,
    }
)
"""How often an attack may be right, by its name: one whose interval lies above it rings.

Reports say so, and `outputs` lets nothing of such a copy pass unseen.
"""
FALSE_POSITIVES = (0.01, 0.05)
"""An attacker who may accuse so many wrongly finds how many?"""
WEIGHT = 0.7
"""An indicator of a level counts so much: two different levels are then a sd apart."""
HUGE = 1e150
STEP = 0.05
"""What may be released of an attack are shares to so much."""


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """The raw rows, and whose each is: what a copy is made from.

    Numbers may be missing (NaN); a missing level is the empty text.
    """

    table: Side
    persons: Labels

    @classmethod
    def of(cls, table: Side, persons: Labels | None = None) -> Records:
        """Return the records of a table; without `persons` each row is a person of its own."""
        whose = np.arange(len(table)) if persons is None else np.asarray(persons)
        if whose.shape != (len(table),):
            raise InputError("persons must hold one number for each row of the table")
        return cls(comparable(table), np.unique(whose, return_inverse=True)[1])

    def __len__(self) -> int:
        return len(self.table)

    def taken(self, rows: Labels) -> Records:
        """Return some of the records, by their places."""
        return Records(self.table.taken(rows), self.persons[rows])


def comparable(table: Side) -> Side:
    """Return a table in which numbers that are not finite, or beyond 1e150, are missing."""

    def known(values: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(values) < HUGE, values, np.nan)

    numbers = {name: known(values) for name, values in table.numbers.items()}
    return Side.of(numbers, table.levels)


@dataclass(frozen=True, eq=False, repr=False)
class Copy:
    """A released table; and, for the custodian alone, which raw row each row was drawn for.

    `source` is -1 where a row was drawn for none, and None where that is not known.
    """

    table: Side
    source: Labels | None = None


Make = Callable[[Records, Secret], Copy]
"""Makes a copy of records, as a method would; each secret makes another one."""


def attack_secret(*words: str | int) -> Secret:
    """Return a secret that copies for an attack are made with: no released one ever has it."""
    return Secret.from_bytes(generator("attack", *words).bytes(32))


# --- what an attack came to ---------------------------------------------------------------------


@dataclass(frozen=True)
class Success:
    """How often an attack is right, its interval, and how often one is right without the copy.

    `share` is of the `trials`, from 0 to 1 (an AUC is one too: of pairs of which the attacker says
    which is which); `low` to `high` is its interval of 95 %, or where the baseline was counted as
    well that of their difference, put around it. `baseline` is what somebody else reaches, and
    `against` who; `allowed` what the method's promise allows, `bound` what it may reach (see
    `BOUNDS`), and it `rings` if the interval lies above that. Shares were rounded to a `step`, 0
    where they are exact. Trials may be `copies`, not people or records; how many there are is no
    secret then.
    """

    what: str
    share: float
    low: float
    high: float
    baseline: float
    against: str
    trials: int
    allowed: float | None = None
    step: float = 0.0
    bound: float | None = None
    rings: bool = False
    copies: bool = False

    @property
    def gain(self) -> float:
        """How much more often the attacker is right than the baseline."""
        return self.share - self.baseline

    @property
    def beats(self) -> bool:
        """Whether the interval lies above the baseline."""
        return self.gain > 0 and self.low > self.baseline

    @property
    def verdict(self) -> str:
        """What follows, in words."""
        points = f"{100 * self.gain:.{0 if self.step else 1}f} points"
        if self.gain <= 0:
            return f"proves nothing: no better than {self.against}"
        if not self.beats:
            return f"proves nothing: {points} above {self.against}, which may be chance"
        words = f"beats {self.against} by {points}"
        if self.rings and self.bound is not None:
            return f"{words}; above the {100 * self.bound:.0f} % allowed for it"
        if self.allowed is None:
            return words
        within = "within" if self.share <= self.allowed else "above"
        return f"{words}; {within} the {100 * self.allowed:.0f} % that groups of k allow"

    def rounded(self, to: int) -> Success | None:
        """Return what may be released: to 5 points, and trials to multiples of `to`.

        None where there are too few trials for that to say anything, unless they are copies.
        """
        if self.trials < COUNT_STEPS * to and not self.copies:
            return None
        return replace(
            self,
            share=_to_step(self.share),
            low=_to_step(self.low),
            high=_to_step(self.high),
            baseline=_to_step(self.baseline),
            trials=self.trials if self.copies else to * round(self.trials / to),
            step=STEP,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        names = ("what", "share", "baseline", "against", "trials", "allowed", "bound", "rings")
        plain = {name: getattr(self, name) for name in (*names, "verdict")}
        return {**plain, "interval": [self.low, self.high]}

    @property
    def figure(self) -> str:
        """The share with its interval and baseline, in words."""
        digits = 0 if self.step else 1
        share, low, high, guess = (
            f"{100 * it:.{digits}f}" for it in (self.share, self.low, self.high, self.baseline)
        )
        return f"{share} % ({low} to {high} %; {self.against} {guess} %)"

    def __str__(self) -> str:
        return f"{self.what}: {self.figure}: {self.verdict}"


def _to_step(share: float) -> float:
    return round(round(share / STEP) * STEP, 10)


@dataclass(frozen=True)
class Attack:
    """One attack: who tries it and knows what, and what came of it.

    `name` is its key in a report, such as "linkage", `title` what it is called; `story` says who
    the attacker is, what they know and do, and `assumptions` what it takes for granted or does not
    show. `found` is how often it succeeds, `parts` the same in parts, such as column by column
    (each interval is one of many), and `at`, of an AUC, how many of whom is in the copy are found
    at 1 and 5 % false positives.
    """

    name: str
    title: str
    story: str
    assumptions: tuple[str, ...]
    found: Success
    parts: tuple[Success, ...] = ()
    at: tuple[Success, ...] = ()

    @property
    def verdict(self) -> str:
        """What follows, in words."""
        if not self.at:
            return self.found.verdict
        parts = (f"{100 * it.share:.{0 if it.step else 1}f} % {it.what}" for it in self.at)
        return f"{self.found.verdict}; {' and '.join(parts)}"

    @property
    def rings(self) -> bool:
        """Whether it is more often right than it may be."""
        return self.found.rings

    def rounded(self, to: int) -> Attack | None:
        """Return what may be released of it; None where it rests on too few trials."""
        result = self.found.rounded(to)
        if result is None:
            return None
        parts, at = (
            tuple(it for each in every if (it := each.rounded(to)) is not None)
            for every in (self.parts, self.at)
        )
        return replace(self, found=result, parts=parts, at=at)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        who = {"name": self.name, "title": self.title, "story": self.story}
        parts = [part.to_dict() for part in self.parts]
        return {
            **who,
            "assumptions": list(self.assumptions),
            "found": self.found.to_dict(),
            "true_positives": [it.to_dict() for it in self.at],
            "parts": parts,
        }


def counted_of(
    what: str,
    count: float,
    trials: int,
    baseline: float,
    *,
    against: str = "guessing",
    allowed: float | None = None,
) -> Success:
    """Return a share that was counted, with Wilson's interval, beside a baseline that is known."""
    estimate = Estimate(what, min(count, trials), trials)
    return Success(
        what, estimate.share, estimate.low, estimate.high, baseline, against, trials, allowed
    )


def compared(
    what: str, inside: Floats, outside: Floats, persons: Labels, against: str = "people held out"
) -> Success:
    """Return how often an attack succeeds on rows in a copy, beside the same rows left out of one.

    `inside` and `outside` say of each row how often, in the copies made with it and without; NaN
    where it was not tried. The interval is that of the mean difference by person, because rows of
    one are not independent: normal, with half a success added to its spread, so that what never
    varies is not taken for certain.
    """
    known = ~np.isnan(inside + outside)
    rows = int(known.sum())
    if not rows:
        raise RefusedError("there is nobody to try it on")
    gain = (inside - outside)[known]
    share, baseline = _mean(inside[known]), _mean(outside[known])
    of = np.unique(persons[known], return_inverse=True)[1]
    apart = np.bincount(of, gain - gain.mean())
    error = math.sqrt(math.fsum((apart**2).tolist()) + 0.5) / rows
    low, high = max(0.0, share - NORMAL * error), min(1.0, share + NORMAL * error)
    return Success(what, share, low, high, baseline, against, len(apart))


def _mean(values: Floats) -> float:
    return math.fsum(values.tolist()) / len(values)


def ranked(
    what: str, groups: Sequence[tuple[Floats, Floats]], *, folds: int = 0, copies: bool = False
) -> Success:
    """Return the AUC: how often a score of who is in a copy is above that of who is not.

    It is the mean over several groups of both, whose scores compare with those of their own group
    alone. Equal scores count a half. `folds` is in how many folds they were cross-validated, 0
    where they were not learned. The interval is Wilson's for as many trials as have DeLong's
    variance (1988); of cross-validated scores it is enlarged as Nadeau and Bengio (2003) do, since
    folds share what they learned from.
    """
    if not all(len(inside) and len(outside) for inside, outside in groups):
        raise RefusedError("there is nobody to try it on")

    def above(values: Floats, others: Floats) -> Floats:
        others = np.sort(others)
        below = np.searchsorted(others, values, "left") + np.searchsorted(others, values, "right")
        out: Floats = below / (2 * len(others))
        return out

    shares, spread, least = [], 0.0, 0
    for inside, outside in groups:
        over, under = above(inside, outside), 1 - above(outside, inside)
        shares.append(_mean(over))
        spread += sum(x.var(ddof=1) / len(x) for x in (over, under) if len(x) > 1)
        least += min(len(inside), len(outside))
    share = math.fsum(shares) / len(groups)
    spread *= (1 + folds / (folds - 1) if folds > 1 else 1) / len(groups) ** 2
    trials = least if spread <= 0 else min(round(share * (1 - share) / spread), 4 * least)
    ends = Estimate(what, share * max(trials, 1), max(trials, 1))
    return Success(what, share, ends.low, ends.high, 0.5, "guessing", least, copies=copies)


def recognised(
    groups: Sequence[tuple[Floats, Floats]], *, folds: int = 0, copies: bool = False
) -> tuple[Success, ...]:
    """Return how many of who is in a copy are found where few others are, wrongly.

    `groups` and `folds` are as in `ranked`. Whose score is above that of the i-th highest of
    n who are not in it is found: of others it is i in n + 1 by chance, which is 1 or 5 % or less.
    With too few of them for a rate there is none of it. The interval is Wilson's, with as many
    trials as leave the limit its own chance.

    Examples
    --------
    >>> import numpy as np
    >>> (found,) = recognised([(np.array([3.0, 30.0]), np.arange(19.0))])
    >>> found.share, found.baseline
    (0.5, 0.05)
    """
    successes = []
    for rate in FALSE_POSITIVES:
        places = [math.floor(rate * (len(outside) + 1) + 1e-9) for _, outside in groups]
        if not all(places):
            continue
        hits, trials, worth, chance = 0, 0, 0.0, 0.0
        for place, (inside, outside) in zip(places, groups, strict=True):
            limit = np.sort(outside)[-place]
            hits += int((inside > limit).sum())
            trials += len(inside)
            worth += 1 / (1 / len(inside) + 1 / len(outside))
            chance += len(inside) * place / (len(outside) + 1)
        worth /= 1 + folds / (folds - 1) if folds > 1 else 1
        share, many = hits / trials, max(1, round(worth))
        ends = Estimate("", share * many, many)
        what = f"true positives at {100 * rate:.0f} % false positives"
        by_chance = Success(what, share, ends.low, ends.high, chance / trials, "guessing", trials)
        successes.append(replace(by_chance, copies=copies))
    return tuple(successes)


def bounded(name: str, found: Success) -> Success:
    """Return what came of an attack of a name, with the bound that it may reach."""
    bound = BOUNDS.get(name)
    return replace(found, bound=bound, rings=bound is not None and found.low > bound)


# --- where rows lie for an attacker -------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Space:
    """Columns as an attacker compares rows by them: numbers in sds, levels and gaps as indicators.

    `centre` holds mean and sd of each column of numbers, `words` the levels of each other column,
    `spans` where each column lies in the matrix of rows.
    """

    centre: Mapping[str, tuple[float, float]]
    gaps: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    spans: Mapping[str, slice]

    def of(self, table: Side) -> Floats:
        """Return the rows of a table as a matrix; a missing number lies at the mean."""
        columns: list[Floats] = []
        nothing, none = np.full(len(table), np.nan), (OTHER,) * len(table)
        for name, (mean, sd) in self.centre.items():
            values = table.numbers.get(name, nothing)  # a copy may leave a column out
            z = (values - mean) / (sd or 1.0)
            columns.append(np.where(np.isnan(z), 0.0, z)[:, None])
            if name in self.gaps:
                columns.append(WEIGHT * np.isnan(values)[:, None])
        for name, words in self.words.items():
            codes = self.codes(name, table.levels.get(name, none))
            columns.append(WEIGHT * (codes[:, None] == np.arange(len(words))))
        return np.hstack(columns)

    def codes(self, name: str, words: Sequence[str]) -> Labels:
        """Return the places of words among the levels of a column; -1 of one that it lacks."""
        place = {word: j for j, word in enumerate(self.words[name])}
        return np.fromiter((place.get(word, -1) for word in words), np.intp)

    def coded(self, table: Side) -> Floats:
        """Return the rows of a table with the place of each level in place of indicators."""
        columns = [table.numbers[name] for name in self.centre]
        columns += [self.codes(name, table.levels[name]).astype(np.float64) for name in self.words]
        return np.column_stack(columns)


def space_of(raw: Side, copies: Sequence[Side]) -> Space:
    """Return the space of the columns that copies have, in sds of the raw table.

    Raises
    ------
    InputError
        If a copy has a column that the raw table lacks, or none.
    """
    first = copies[0]
    lacking = {*first.numbers} - {*raw.numbers} | {*first.levels} - {*raw.levels}
    if lacking:
        raise InputError(
            f"the released table has columns that the raw one lacks: {one_of(sorted(lacking))};"
            " leave them out"
        )
    numbers, levels = sorted(first.numbers), sorted(first.levels)
    if not numbers and not levels:
        raise InputError("the released table has no column to attack")
    centre, gaps, words = {}, [], {}
    for name in numbers:
        known = raw.numbers[name][~np.isnan(raw.numbers[name])]
        mean, sd = moments(known[:, None]) if len(known) else (np.zeros(1), np.zeros(1))
        centre[name] = float(mean[0]), float(sd[0])
        if any(np.isnan(each.numbers[name]).any() for each in (raw, *copies)):
            gaps.append(name)
    for name in levels:
        there = {word for each in (raw, *copies) for word in each.levels[name]}
        words[name] = tuple(sorted(there | {OTHER, MISSING}))
    spans, at = {}, 0
    for name in numbers:
        spans[name] = slice(at, at + 1 + (name in gaps))
        at = spans[name].stop
    for name in levels:
        spans[name] = slice(at, at + len(words[name]))
        at = spans[name].stop
    return Space(centre, tuple(gaps), words, spans)


def told_as(raw: Side, copy: Side) -> Side:
    """Return the raw rows in the columns and words of a copy: who has it knows what it joins."""
    levels = {}
    for name in sorted(copy.levels):
        have = set(copy.levels[name])

        def said(word: str, have: set[str] = have) -> str:
            if word in have:
                return word
            if not word and MISSING in have:
                return MISSING
            return OTHER if OTHER in have else word

        turned = {word: said(word) for word in set(raw.levels[name])}
        levels[name] = tuple(turned[word] for word in raw.levels[name])
    numbers = {name: raw.numbers[name] for name in sorted(copy.numbers)}
    return Side.of(numbers, levels)


def in_keyed_order(records: Records) -> tuple[Records, Labels]:
    """Return the records in an order that follows from their values alone, and whose place it is.

    What is drawn by place is then drawn by record: the order of the file changes nothing.
    """
    space = space_of(records.table, [records.table])
    # Of many rows, indicators of thousands of levels would not fit into memory.
    matrix = space.coded(records.table) if len(records) > MANY else space.of(records.table)
    order = keyed_order(matrix)
    return records.taken(order), order


def first_rows(records: Records) -> Labels:
    """Return the place of each person's first row, in the order of the records."""
    return np.sort(np.unique(records.persons, return_index=True)[1])


def first_of(records: Records, rows: int) -> Records:
    """Return whole people from the beginning of the records, so that there are `rows` at most."""
    if len(records) <= rows:
        return records
    whose, first = np.unique(records.persons, return_index=True)
    rows_of = np.bincount(np.searchsorted(whose, records.persons))
    order = np.argsort(first)
    kept = whose[order[: max(1, int((np.cumsum(rows_of[order]) <= rows).sum()))]]
    return records.taken(np.flatnonzero(np.isin(records.persons, kept)))


# --- how copies are made for attacks: a method as a callable of records and a secret --------------


def whole_maker(
    k: int,
    m: int | None = None,
    *,
    sensitive: tuple[str, ...] = (),
    left_out: float = LEFT_OUT,
    unit: bool = False,
) -> Make:
    """Return what makes a copy of a whole table of records, by a secret.

    m is 4 k where it is not given. With a `unit` the people of records are declared, and have rows
    that belong together; otherwise rows that are alike by no chance are one person's. InputError is
    raised if k is no whole number of at least 2, or m below it.
    """
    return maker_of(Settings(k, Whole(k, m).members, sensitive, left_out=left_out), unit)


def maker_of(settings: Settings, unit: bool = False) -> Make:
    """Return what makes copies of whole tables by some settings; `unit` is as in `whole_maker`."""

    def make(records: Records, secret: Secret) -> Copy:
        drawn = drawn_of(records, secret, settings, unit)
        texts = {name: column.texts() for name, column in drawn.levels.items()}
        return Copy(Side.of(drawn.numbers, texts), drawn.source)

    return make


def drawn_of(records: Records, secret: Secret, settings: Settings, unit: bool = False) -> WholeCopy:
    """Return the copy of a whole table by a secret, with what is said of it."""
    table = records.table
    numbers = {name: table.numbers[name] for name in sorted(table.numbers)}
    words = {name: table.levels[name] for name in sorted(table.levels)}
    keys = row_keys(secret, [*numbers.values(), *words.values()])
    draws = Draws(secret, secret.digest("attack", total(keys)), keys)
    levels = {name: Levels.of(texts) for name, texts in words.items()}
    persons = records.persons if unit else persons_alike(numbers, levels, draws)
    return copy_with_tables(numbers, levels, draws, settings, persons, alike=not unit)


def rows_maker(method: RowMethod) -> Make:
    """Return what protects the complete rows of numbers by a row method, all columns jointly."""

    def make(records: Records, secret: Secret) -> Copy:
        if records.table.levels:
            raise RefusedError("it protects only numbers, and this table has columns of levels")
        names = sorted(records.table.numbers)
        rows = np.column_stack([records.table.numbers[name] for name in names])
        known = np.flatnonzero(~np.isnan(rows).any(axis=1))
        if not len(known):
            raise RefusedError("no row has a number in every column")
        keys = row_keys(secret, [*rows[known].T])
        normals = secret.normals(secret.digest("attack", total(keys)), keys, names)
        made = method(rows[known], normals, np.zeros(len(known), dtype=np.intp))
        return Copy(Side.of(dict(zip(names, made.T, strict=True))), known)

    return make
