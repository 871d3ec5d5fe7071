"""Attacks on people in a copy, beside the same attacks on people whom it was not made from.

What can be said of a person who took no part follows from what is so in general; an attack is on
the copy only as far as it says more of those who did. The records are parted in five; five copies
are made, each without one part; so everybody is in four of them, and once held out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels, check_ratio
from discreet.errors import InputError, RefusedError
from discreet.measure import attacks_on_copy
from discreet.measure.attacks import (
    Attack,
    Copy,
    Make,
    Records,
    Space,
    Success,
    attack_secret,
    compared,
    counted_of,
    ranked,
    recognised,
    space_of,
    told_as,
)
from discreet.measure.pairs import Side
from discreet.progress import advance
from discreet.secret import generator

PARTS = 5
WITHIN = 0.05
"""A number is inferred where the guess lies within so many sds of it."""
MOST = 2000
"""Of so many records at most columns are inferred."""
BLOCK = 1 << 22
"""So many distances are held at a time."""
RIDGE = 1e-3
FEW = 20
"""Of a column of numbers with no more different values than this, a model says one of them."""
IN_GENERAL = "What holds in general, and could be inferred about anybody, counts as well."
NEIGHBOURS = 8
"""Of so many nearest rows one is taken to be that of a record that an insider knows."""
TASK = "attacks on people held out"


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut:
    """Five copies, each made without one part of the people.

    Row i took no part in copy `part[i]`; the sources of copies are places among the rows that did.
    """

    records: Records
    part: Labels
    copies: tuple[Copy, ...]

    def targets(self) -> Labels:
        """Return the records that are attacked: not all of very many."""
        return attacks_on_copy.some_of(len(self.records), MOST)


def held_out(records: Records, make: Make) -> HeldOut:
    """Make five copies, each without a fifth of the people."""
    whose, first = np.unique(records.persons, return_index=True)
    rank = np.empty(len(whose), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(whose))
    part = rank[np.searchsorted(whose, records.persons)] % PARTS
    copies = []
    for turn in range(PARTS):
        copies.append(
            make(records.taken(np.flatnonzero(part != turn)), attack_secret("part", turn))
        )
        advance(TASK, turn + 1, PARTS)
    return HeldOut(records, part, tuple(copies))


@dataclass(frozen=True, eq=False)
class _Trial:
    """What an attack on one copy looks at: its rows and the targets, in one space."""

    told: Side  # the targets, in the words of the copy
    table: Side
    space: Space
    at: Floats  # the targets
    rows: Floats  # those of the copy
    out: NDArray[np.bool_]  # which targets were held out


def _trials(held: HeldOut, targets: Labels) -> Iterator[_Trial]:
    few = held.records.table.taken(targets)
    for turn, copy in enumerate(held.copies):
        recoded = told_as(few, copy.table)
        space = space_of(told_as(held.records.table, copy.table), [copy.table])
        rows = space.of(copy.table)
        yield _Trial(
            recoded, copy.table, space, space.of(recoded), rows, held.part[targets] == turn
        )


class _Hits:
    """How often an attack succeeded on each record: in the copies made with it, and held out."""

    def __init__(self, n: int) -> None:
        self._inside, self._turns, self._outside = np.zeros(n), np.zeros(n), np.full(n, np.nan)

    def add(self, out: NDArray[np.bool_], hit: Floats) -> None:
        """Add what came of one copy; NaN where there was nothing to try."""
        self._outside = np.where(out, hit, self._outside)
        use = ~out & ~np.isnan(hit)
        self._inside[use] += hit[use]
        self._turns += use

    @property
    def shares(self) -> tuple[Floats, Floats]:
        """The mean in copies and what came of it held out; NaN where it was not tried."""
        inside = self._inside / np.where(self._turns > 0, self._turns, np.nan)
        return inside, self._outside


# --- inference ----------------------------------------------------------------------------------

Guesses = Callable[[_Trial], Iterator[tuple[str, Floats]]]
"""Says for each column of a copy what of it is guessed: numbers, or places among the words."""


def inference(held: HeldOut, *, by: str = "rows") -> tuple[Attack, ...]:
    """Count how often a column of a person follows from all other columns and the copy.

    By "rows" one takes what the nearest released row has; by "model" what a linear model (ridge)
    says that was fitted to the copy. One attack for columns of numbers, of which a guess within
    .05 sd counts, and one for levels: each the mean over its columns, with these as parts.
    """
    targets = held.targets()
    guesses: Guesses = _guess_by_rows if by == "rows" else _guess_by_model
    tried: dict[str, dict[str, _Hits]] = {"numbers": {}, "levels": {}}
    for turn, trial in enumerate(_trials(held, targets)):
        for name, guess in guesses(trial):
            kind = "numbers" if name in trial.table.numbers else "levels"
            hits = tried[kind].setdefault(name, _Hits(len(targets)))
            hits.add(trial.out, _hits(trial, name, guess))
        advance(f"inference by {by}", turn + 1, PARTS)
    whose = held.records.persons[targets]
    return tuple(
        _inference_attack(kind, by, {name: hits[name].shares for name in sorted(hits)}, whose)
        for kind, hits in tried.items()
        if hits
    )


def inference_of_copy(records: Records, copy: Copy) -> tuple[Attack, ...]:
    """Count how often a column follows from all others, where no other copy can be made.

    As `inference` by rows; the baseline is what a released row at random has.
    """
    parted = HeldOut(records, np.full(len(records), -1), (copy,))
    targets = parted.targets()
    trial = next(_trials(parted, targets))
    whose = records.persons[targets]
    shares: dict[str, tuple[Floats, Floats]] = {}
    for name, guess in _guess_by_rows(trial):
        values = _values(trial, name)
        values = values[~np.isnan(values)]
        by_chance = np.full((1, len(whose)), np.nan)
        if len(values):
            sources = [
                generator("attack", "row", turn, name) for turn in range(attacks_on_copy.TURNS)
            ]
            drawn = [source.choice(values, len(whose)) for source in sources]
            by_chance = np.array([_hits(trial, name, each) for each in drawn])
        shares[name] = _hits(trial, name, guess), by_chance.mean(axis=0)
    attacks = []
    for kind in ("numbers", "levels"):
        if names := sorted(getattr(copy.table, kind)):
            of = {name: shares[name] for name in names}
            made = _inference_attack(kind, "rows", of, whose, "a released row at random")
            attacks.append(replace(made, assumptions=(IN_GENERAL, *made.assumptions[1:])))
    return tuple(attacks)


def _inference_attack(
    kind: str,
    by: str,
    shares: Mapping[str, tuple[Floats, Floats]],
    whose: Labels,
    against: str = "people held out",
) -> Attack:
    """Return the attack on all columns of a kind, with a part for each.

    `shares` are how often it succeeded on each row in copies, and held out.
    """
    right = "within .05 sd" if kind == "numbers" else "right"
    parts = tuple(
        compared(f"{name} {right}", *both, whose, against)
        for name, both in shares.items()
        if not np.isnan(both[0] + both[1]).all()
    )
    inside, outside = (_mean_known([both[i] for both in shares.values()]) for i in (0, 1))
    way = {
        "rows": "takes the released row that is nearest in all other columns, and infers that the "
        "person has its value in this one",
        "model": "fits a linear model of this column to the released table, and infers what it "
        "predicts",
    }[by]
    return Attack(
        f"{kind} by {by}",
        f"Inference of {kind} by {'nearest rows' if by == 'rows' else 'a fitted model'}",
        f"An attacker knows all columns of a person but one, {way}.",
        (
            "People in the copy are compared with people held out of it: each is in four of "
            "five copies.",
            "All other columns are known exactly: few attackers know that much.",
        ),
        compared(f"{kind} inferred {right}, mean over columns", inside, outside, whose, against),
        parts,
    )


def _mean_known(columns: list[Floats]) -> Floats:
    """Return each row's mean over the columns in which it was tried."""
    table = np.column_stack(columns)
    known = ~np.isnan(table)
    total = np.where(known, table, 0.0).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / known.sum(axis=1))


def _hits(trial: _Trial, name: str, guess: Floats) -> Floats:
    """Say of each target whether a guess is right: 1, 0, or NaN where there is nothing to guess."""
    if name in trial.table.numbers:
        true = trial.told.numbers[name]
        near = np.abs(true - guess) <= WITHIN * trial.space.centre[name][1] * (1 + 1e-9)
        return np.where(np.isnan(true), np.nan, 1.0 * near)
    codes = trial.space.codes(name, trial.told.levels[name])
    return np.asarray(codes == guess, dtype=np.float64)


def _values(trial: _Trial, name: str) -> Floats:
    """Return a column of the copy as guesses are given: numbers, or places among the words."""
    if name in trial.table.numbers:
        return trial.table.numbers[name]
    return trial.space.codes(name, trial.table.levels[name]).astype(np.float64)


def _guess_by_rows(trial: _Trial) -> Iterator[tuple[str, Floats]]:
    """Guess what the released row has that is nearest in all other columns."""
    at, rows, spans = trial.at, trial.rows, trial.space.spans
    columns = {name: _values(trial, name) for name in spans}
    known = {name: ~np.isnan(column) for name, column in columns.items()}
    guess = {name: np.full(len(at), np.nan) for name in spans}
    size = max(1, BLOCK // len(rows))
    length = np.square(rows).sum(axis=1)
    for start in range(0, len(at), size):
        part = at[start : start + size]
        whole = np.square(part).sum(axis=1)[:, None] + length - 2 * part @ rows.T
        for name, span in spans.items():
            if not known[name].any():
                continue
            own = rows[:, span]
            less = np.square(part[:, span]).sum(axis=1)[:, None] + np.square(own).sum(axis=1)
            less -= 2 * part[:, span] @ own.T
            # Rounded, so that rows that are as near are taken in their order; and from 1 on,
            # where the steps of the rounding are even.
            gap = (1 + whole - less).astype(np.float32)
            gap[:, ~known[name]] = np.inf
            guess[name][start : start + size] = columns[name][gap.argmin(axis=1)]
    yield from guess.items()


def _guess_by_model(trial: _Trial) -> Iterator[tuple[str, Floats]]:
    """Guess what a ridge regression says, for levels that of the largest fitted indicator."""
    centre = trial.rows.mean(axis=0)
    rows, at = trial.rows - centre, trial.at - centre
    for name, span in trial.space.spans.items():
        values = _values(trial, name)
        known = ~np.isnan(values)
        if known.sum() < 2:
            continue
        keep = np.ones(rows.shape[1], dtype=np.bool_)
        keep[span] = False
        x, to = rows[known][:, keep], at[:, keep]
        number = name in trial.table.numbers
        y = values[known][:, None] if number else trial.rows[known][:, span]
        mean = y.mean(axis=0)
        size = RIDGE * len(x) * np.eye(x.shape[1])
        weights = np.linalg.solve(x.T @ x + size, x.T @ (y - mean))
        predicted = to @ weights + mean
        if not number:
            yield name, predicted.argmax(axis=1).astype(np.float64)
            continue
        different = np.unique(values[known])
        if len(different) <= FEW:  # codes and counts: what is nearest of what there is
            middle = (different[1:] + different[:-1]) / 2
            yield name, different[np.searchsorted(middle, predicted[:, 0])]
        else:
            yield name, predicted[:, 0]


# --- whole rows and rare combinations -----------------------------------------------------------


def verbatim(held: HeldOut) -> Attack:
    """Count the people whose very row is in a copy, beside those held out of it."""
    inside, outside = _try_all(
        held, lambda trial: 1.0 * attacks_on_copy.same_rows_as(trial.told, trial.table)
    )
    return Attack(
        "verbatim",
        "Exact match of a person's row",
        "An attacker knows a person's whole row, and takes a released row that equals it in "
        "every column as proof that the person is in the table.",
        ("People in the copy are compared with people held out of it.",),
        compared("people whose row is in the copy", inside, outside, held.records.persons),
    )


def rare_persons(held: HeldOut, k: int) -> Attack:
    """Count how often a copy has a rare combination of people in it, and of those held out."""
    inside, outside = _try_all(held, lambda trial: _rare_found(held, trial, k))
    if np.isnan(inside + outside).all():
        raise RefusedError("nobody has a rare combination of levels")
    return Attack(
        "rare persons",
        "Persons with a rare combination",
        f"An attacker knows that a person has a combination of levels that fewer than {k} "
        "people have, and takes a released row with it as proof that the person is in the "
        "table.",
        (
            "People in the copy are compared with people held out of it.",
            "Levels that the copy merges are merged before combinations are counted.",
        ),
        compared("rare combinations that the copy has", inside, outside, held.records.persons),
    )


def _try_all(held: HeldOut, tried: Callable[[_Trial], Floats]) -> tuple[Floats, Floats]:
    """Try something on every record and copy; return the mean in copies, and held out."""
    hits = _Hits(len(held.records))
    nothing = np.zeros(
        (0, 0)
    )  # places of all rows would take much memory, and nobody asks for them
    for turn, copy in enumerate(held.copies):
        recoded = told_as(held.records.table, copy.table)
        space = space_of(recoded, [copy.table])
        trial = _Trial(recoded, copy.table, space, nothing, nothing, held.part == turn)
        hits.add(trial.out, tried(trial))
    return hits.shares


def _rare_found(held: HeldOut, trial: _Trial, k: int) -> Floats:
    """Return for each record the share of its rare combinations that the copy has, or NaN."""
    n = len(held.records)
    rare, released = np.zeros(n), np.zeros(n)
    raw, table = attacks_on_copy.codes_of(trial.told, trial.table)
    for chosen, codes in attacks_on_copy.combined(raw):
        few = attacks_on_copy.shared_by_few(codes, held.records.persons, k)
        rare += few
        released += few & np.isin(codes, attacks_on_copy.combination(table, chosen))
    return np.where(rare > 0, released / np.maximum(rare, 1), np.nan)


# --- an insider ---------------------------------------------------------------------------------


def insider(held: HeldOut, share: float, *, k: int | None = None) -> Attack:
    """See how near somebody who knows a share of the people gets to the others.

    Who is unknown is compared with who is held out: of how many pairs is the one in the copy
    nearer to a row that is left (AUC). Where sources are known, its part is the share of unknown
    records whose nearest such row is their own.
    """
    from scipy.spatial import cKDTree

    if check_ratio("share", share, zero=False) >= 1:
        raise InputError("share must be below 1: someone who knows everybody has nobody to find")
    near, far = list[Floats](), list[Floats]()
    linked, trials, guess, sourced = 0.0, 0, 0.0, True
    for turn, trial in enumerate(_trials(held, np.arange(len(held.records)))):
        inside = np.flatnonzero(~trial.out)
        known = _known(held, inside, share, turn)
        left = _left_over(trial.at[inside[known]], trial.rows)
        advance("an insider", turn + 1, PARTS)
        if not left.size:
            continue
        rows = trial.rows[left]
        gap = np.round(cKDTree(rows).query(trial.at, k=1)[0], 9)
        unknown = inside[~known]
        near.append(gap[unknown])
        far.append(gap[trial.out])
        source = held.copies[turn].source
        if source is None:
            sourced = False
            continue
        place = np.flatnonzero(~known)
        own = attacks_on_copy.own_parts(trial.at[unknown], rows, source[left], place)
        linked += float(own.sum())
        guess += float(np.isin(source[left], place).sum()) / len(left)
        trials += len(unknown)
    if not near:
        raise RefusedError("no released row is left for an unknown person")
    scores = -np.concatenate(near), -np.concatenate(far)
    parts: tuple[Success, ...] = ()
    if sourced and trials:
        what = "unknown records linked to the row drawn for them, among the rows left"
        allowed = None if k is None else 1 / k
        parts = (counted_of(what, linked, trials, guess / trials, allowed=allowed),)
    return Attack(
        f"insider, {100 * share:.0f} %",
        f"An insider who knows {100 * share:.0f} % of the records",
        f"An attacker knows the whole records of {100 * share:.0f} % of the people, removes the "
        "released rows that fit them best, and looks for the others near the rows that are "
        "left.",
        (
            "Each known record removes one row, nearest pairs first.",
            "Unknown people are compared with people held out of the copy.",
            "An attacker who knows all other records is that of membership.",
        ),
        ranked("unknown people distinguished from people held out (AUC)", [scores]),
        parts,
        recognised([scores]),
    )


def _known(held: HeldOut, inside: Labels, share: float, turn: int) -> NDArray[np.bool_]:
    """Say which of the rows in a copy an insider knows: all rows of some people."""
    whose = held.records.persons[inside]
    persons, first = np.unique(whose, return_index=True)
    persons = persons[np.argsort(first)]
    by_chance = generator("attack", "insider", turn).permutation(len(persons))
    return np.isin(whose, persons[by_chance < round(share * len(persons))])


def _left_over(known: Floats, rows: Floats) -> Labels:
    """Return the released rows that are left when each known record has taken out the nearest."""
    from scipy.spatial import cKDTree

    if not len(known):
        return np.arange(len(rows))
    few = min(NEIGHBOURS, len(rows))
    gap, near = cKDTree(rows).query(known, k=[*range(1, few + 1)])
    who = np.repeat(np.arange(len(known)), few)
    gap, near = np.round(gap, 9).ravel(), near.ravel()
    taken, done = np.zeros(len(rows), dtype=np.bool_), np.zeros(len(known), dtype=np.bool_)
    for i in np.lexsort([near, who, gap]).tolist():
        if not taken[near[i]] and not done[who[i]]:
            taken[near[i]] = done[who[i]] = True
    return np.flatnonzero(~taken)
