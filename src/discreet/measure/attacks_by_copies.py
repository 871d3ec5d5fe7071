"""Attacks that make many copies: was a person in the table, and who left it between versions.

The attacker has the method, knows everybody else, and makes copies of their own with the person
and without; what tells these apart tells whether the released one was made with the person.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from discreet.arguments import Floats, Labels, check_ratio, check_whole, check_word
from discreet.errors import RefusedError
from discreet.measure.attacks import (
    Attack,
    Make,
    Records,
    Space,
    attack_secret,
    counted_of,
    first_of,
    ranked,
    ranked_within,
    space_of,
    told_as,
)
from discreet.measure.pairs import Side
from discreet.progress import advance
from discreet.secret import generator

__all__ = ["FEWEST_PAIRS", "WHO", "membership", "versions"]

ROWS = 1000
"""Copies are made of so many records at most."""
FOLDS = 5
FEWEST_PAIRS = 2 * FOLDS
PENALTY = 20.0
STEPS = 12
MARGINAL_SDS, JOINT_SDS, LEAST_VARIANCE = 8.0, 6.0, 0.05
CORRELATED = 12
TYPICAL = (0.4, 0.5, 0.6)
"""Typical persons have these places among all, by their distance from the mean."""
NEAREST = 3
TOLD_APART = "copies with and without the person told apart (AUC)"

#: Whose membership is asked for, in words.
WHO = MappingProxyType(
    {
        "typical": "a typical person",
        "marginal": "a person who is 8 sd off in one column",
        "joint": "a person whose numbers do not go together",
    }
)


def membership(
    records: Records, make: Make, *, who: str = "typical", pairs: int = 100, rows: int = ROWS
) -> Attack:
    """See whether copies made with a person can be told from copies made without.

    `who` is "typical": three records, each by itself, whose distance from the mean is near the
    median; "marginal": that at the median with one number 8 sd off; or "joint": with its numbers
    6 sd off along the direction in which they vary least. `pairs` (at least 10) copies of at most
    `rows` records are made with the person, and as many without.

    The AUC is that of a ridge-regularised logistic regression on distances, moments, correlations
    and shares of levels of the copies, cross-validated; its part is the nearest distance alone.
    """
    check_word("who", who, WHO)
    check_whole("pairs", pairs, least=FEWEST_PAIRS)
    some = first_of(records, rows)
    at = space_of(some.table, [some.table]).of(some.table)
    order = np.argsort(np.round(np.square(at - at.mean(axis=0)).sum(axis=1), 9), kind="stable")
    seen = []
    for place in TYPICAL if who == "typical" else (0.5,):
        row = int(order[int(place * len(order))])
        rest = some.taken(np.flatnonzero(some.persons != some.persons[row]))
        person = _changed(some.table.taken(np.array([row])), rest.table, who)
        seen.append(_seen(rest, person, make, pairs, f"{who} {place}"))
    near = ranked_within(
        "told apart by the distance of the nearest row alone (AUC)",
        [(-beside[:, 0], -without[:, 0]) for without, beside in seen],
    )
    of = f" of each of {len(seen)} such persons" if len(seen) > 1 else ""
    return Attack(
        f"member, {who}",
        f"Membership of {WHO[who]}",
        "Somebody knows the records of all other persons and of this one, makes copies of their"
        " own with the person and without, and learns from them to tell whether the released one"
        " was made with the person.",
        (
            "Nobody knows as much; who knows less can say less.",
            f"{pairs} pairs of copies of {len(some)} records{of}; with more pairs more is learned.",
            "Another attacker may look at something else in a copy.",
        ),
        ranked_within(TOLD_APART, [_scores(*each)[::-1] for each in seen], folds=FOLDS),
        (near,),
    )


def _seen(rest: Records, person: Side, make: Make, pairs: int, name: str) -> tuple[Floats, Floats]:
    """Return the statistics of copies made without a person, and of as many made with."""
    beside = _beside(rest, person)
    look: _Look | None = None
    seen: tuple[list[Floats], list[Floats]] = ([], [])
    for i in range(pairs):
        for place, of in enumerate((rest, beside)):
            copy = make(of, attack_secret("membership", name, i, place)).table
            look = look or _look(beside.table, copy, person)
            seen[place].append(_statistics(look, copy, person))
        advance("membership", i + 1, pairs)
    return np.array(seen[0]), np.array(seen[1])


def _beside(rest: Records, person: Side) -> Records:
    """Return the records with one more, of a person of its own."""
    numbers = {
        name: np.append(values, person.numbers[name]) for name, values in rest.table.numbers.items()
    }
    levels = {name: (*words, *person.levels[name]) for name, words in rest.table.levels.items()}
    side = Side.of(numbers, levels)
    return Records(side, np.append(rest.persons, rest.persons.max() + 1))


def _changed(person: Side, rest: Side, who: str) -> Side:
    """Return the person, far off in a column or along the direction of least variance."""
    if who == "typical":
        return person
    names = [name for name, values in rest.numbers.items() if _varies(values)]
    if len(names) < (1 if who == "marginal" else 2):
        raise RefusedError(
            "there are too few columns of numbers that such a person could be off in"
        )
    table = np.column_stack([rest.numbers[name] for name in names])
    mean, sd = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
    numbers = dict(person.numbers)
    if who == "marginal":
        different = [len(np.unique(column[~np.isnan(column)])) for column in table.T]
        j = int(np.argmax(different))
        numbers[names[j]] = np.array([mean[j] + MARGINAL_SDS * sd[j]])
    else:
        z = np.where(np.isnan(table), 0.0, (table - mean) / sd)
        sizes, axes = np.linalg.eigh(z.T @ z / len(z))
        axis = axes[:, 0] * np.sign(axes[np.abs(axes[:, 0]).argmax(), 0])
        off = JOINT_SDS * axis * math.sqrt(max(float(sizes[0]), LEAST_VARIANCE))
        for j, name in enumerate(names):
            numbers[name] = np.array([mean[j] + off[j] * sd[j]])
    return Side.of(numbers, person.levels)


def _varies(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return bool(known.size and np.ptp(known) > 0)


@dataclass(frozen=True, eq=False)
class _Look:
    """How copies are looked at: one space for all, and the way that leads to the person."""

    space: Space
    numbers: Labels  # where the columns of numbers lie
    way: Floats
    most: Labels  # the columns whose correlations are looked at


def _look(table: Side, copy: Side, person: Side) -> _Look:
    space = space_of(table, [copy])
    at = np.array([space.spans[name].start for name in space.centre], dtype=np.intp)
    rows, row = space.of(table)[:, at], space.of(person)[0, at]
    if not len(at):
        return _Look(space, at, np.zeros(0), at)
    spread = rows.T @ rows / len(rows) + 0.01 * np.eye(len(at))
    way = np.linalg.solve(spread, row)
    size = float(np.sqrt(way @ spread @ way)) or 1.0
    return _Look(space, at, way / size, np.argsort(-np.abs(row), kind="stable")[:CORRELATED])


def _statistics(look: _Look, copy: Side, person: Side) -> Floats:
    """Return what the attacker looks at in a copy: first the distance of the nearest row."""
    rows = look.space.of(copy)
    row = look.space.of(told_as(person, copy))[0]
    gap = np.sort(np.sqrt(np.square(rows - row).sum(axis=1)))
    found = [gap[:1], [gap[:5].mean(), gap[min(10, len(gap) - 1)]]]
    if len(look.numbers):
        z = rows[:, look.numbers]
        along = np.sort(z @ look.way)
        found += [z.mean(axis=0), z.std(axis=0), z.max(axis=0), z.min(axis=0)]
        found += [np.abs(z - row[look.numbers]).min(axis=0)]
        found += [[along[-1], along[-5:].mean(), along[0], along.mean(), along.std()]]
        some = z[:, look.most]
        some = (some - some.mean(axis=0)) / np.maximum(some.std(axis=0), 1e-12)
        found += [(some.T @ some / len(some))[np.triu_indices(some.shape[1], 1)]]
    own = row > 0
    own[look.numbers] = False
    found += [rows[:, own].mean(axis=0)]
    return np.concatenate([np.asarray(part, dtype=np.float64) for part in found])


def _scores(without: Floats, beside: Floats) -> tuple[Floats, Floats]:
    """Return cross-validated scores: each pair is scored by what was learned from other pairs."""
    pairs = len(without)
    out = np.zeros(pairs), np.zeros(pairs)
    fold = np.arange(pairs) % FOLDS
    for turn in range(FOLDS):
        use = fold != turn
        x = np.vstack([without[use], beside[use]])
        y = np.repeat([0.0, 1.0], int(use.sum()))
        mean, sd = x.mean(axis=0), x.std(axis=0)
        sd = np.where(sd > 1e-9 * np.maximum(np.abs(mean), 1e-9), sd, np.inf)
        weights = ridge_logistic((x - mean) / sd, y, PENALTY)
        for place, each in enumerate((without, beside)):
            out[place][~use] = (each[~use] - mean) / sd @ weights
    return out


def ridge_logistic(x: Floats, y: Floats, penalty: float) -> Floats:
    """Return the slopes of a logistic regression with a ridge, by Newton's method.

    `x` is centred, `y` 0 or 1, as many of each; half the `penalty` times the squared length of the
    slopes is added to the loss.
    """
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (y - chance) - penalty * weights
        bend = (x * (chance * (1 - chance))[:, None]).T @ x + penalty * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max(initial=0.0) < 1e-8:
            break
    return weights


# --- who left ------------------------------------------------------------------------------------


def versions(
    records: Records,
    make: Make,
    *,
    copies: int = 4,
    leave: float = 0.05,
    repeats: int = 10,
    rows: int = ROWS,
) -> Attack:
    """See whether several versions of a table give away who left it between them.

    Of at most `rows` records a share `leave` of the persons leaves between the first and the last
    of `copies` versions (at least 2), as many each time; it is tried `repeats` times with others
    who leave. The AUC is that of leavers beside stayers; its part is the share of leavers among as
    many persons as left, those who are suspected most.
    """
    count = check_whole("copies", copies, least=2)
    share = check_ratio("leave", leave, zero=False)
    some = first_of(records, rows)
    persons, first = np.unique(some.persons, return_index=True)
    first = np.sort(first)
    persons = some.persons[first]
    few = max(1, round(share * len(persons)))
    if few >= len(persons):
        raise RefusedError("more persons would leave than there are; choose a smaller share")
    gone: list[Floats] = []
    there: list[Floats] = []
    caught = 0
    for turn in range(check_whole("repeats", repeats, least=1)):
        leavers = generator("attack", "leavers", turn).permutation(len(persons))[:few]
        score = _suspicion(some, make, first, persons[leavers], count, turn)
        left = np.isin(np.arange(len(persons)), leavers)
        gone.append(score[left])
        there.append(score[~left])
        caught += int(left[np.argsort(-score, kind="stable")[:few]].sum())
        advance("versions", turn + 1, repeats)
    found = ranked(
        f"pairs of who left and who stayed told apart in {count} versions (AUC)",
        np.concatenate(gone),
        np.concatenate(there),
    )
    what = f"of the {few} persons suspected most, those who left"
    return Attack(
        "versions",
        f"Who left between {count} versions",
        f"Somebody knows the records of all who were in the first of {count} versions, and takes"
        " those for gone whose nearest released rows lie farther off from version to version.",
        (
            f"{100 * share:.0f} % leave between the first and the last version, as many each time.",
            f"Tried {repeats} times with {len(persons)} persons.",
            "Who knows when somebody may have left knows more.",
        ),
        found,
        (counted_of(what, caught, few * repeats, few / len(persons)),),
    )


def _suspicion(
    records: Records, make: Make, first: Labels, leavers: Labels, count: int, turn: int
) -> Floats:
    """Return for each person how much farther off the nearest rows are in later versions."""
    from scipy.spatial import cKDTree

    away: list[Floats] = []
    for version in range(count):
        so_far = leavers[: round(len(leavers) * version / (count - 1))]
        here = records.taken(np.flatnonzero(~np.isin(records.persons, so_far)))
        copy = make(here, attack_secret("version", turn, version)).table
        told = told_as(records.table.taken(first), copy)
        space = space_of(told, [copy])
        few = min(NEAREST, len(copy))
        gap = cKDTree(space.of(copy)).query(space.of(told), k=[*range(1, few + 1)])[0]
        away.append(gap.mean(axis=1))
    table = np.column_stack(away)
    weights = np.arange(count) - (count - 1) / 2
    out: Floats = np.round(table @ weights / np.maximum(table.mean(axis=1), 1e-9), 9)
    return out
