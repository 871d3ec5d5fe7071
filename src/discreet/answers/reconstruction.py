"""What all counts of a version tell of a column of two levels, and of who is in a pair of counts.

The attacker knows everything of everybody but one column. A count then says, with noise, how many
of some known people have a level. The levels that fit all counts best, by absolute errors, are a
linear program. People whose level changes the same counts are one variable of it, and what the copy
says of them, by their other columns, is one more count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from discreet.answers.book import Book
from discreet.arguments import Floats, Labels
from discreet.estimates.intervals import NORMAL, wilson
from discreet.explore.conditions import Asked
from discreet.explore.questions import MODEL, Part, Question, read_question
from discreet.measure.attacks import space_of, told_as
from discreet.measure.pairs import Flags, Side
from discreet.secret import generator

MOST_ABOVE_GUESS = 0.05
"""With all counts no more people are guessed right than without, as a share of them."""
MOST_OF_PAIRS = 0.60
"""Of so many pairs of counts it is told which has a few people more."""
RIDGE, SURE = 1e-3, 0.02
"""What the copy says of a person is not surer than this."""
EXACT = 0.01
"""The noise of counts without noise, in people."""
NEVER = 1e-9


@dataclass(frozen=True)
class Reconstructed:
    """For how many people a column of two levels is guessed right, as shares.

    `guess` is by the copy alone: the commoner level, or by the other columns, whichever is better.
    `found` is with all counts, `low` the lower end of its interval, and `exact` what it would be if
    the counts had no noise and none were few.
    """

    column: str
    guess: float
    found: float
    low: float
    exact: float

    @property
    def is_missed(self) -> bool:
        """Whether counts tell more than they may, and not by chance."""
        return self.low > self.guess + MOST_ABOVE_GUESS

    @property
    def says(self) -> str:
        """It in words, for the custodian."""
        return (
            f"{self.column}, all else known: right for {self.found:.0%} of people with all counts,"
            f" {self.guess:.0%} by the copy alone; without noise {self.exact:.0%}"
        )


@dataclass(frozen=True)
class Differenced:
    """For how many pairs of counts, whose people differ by 1 to k - 1, it is told which has more.

    `found` is the share of them, which is an AUC, and `low` the lower end of its interval.
    """

    pairs: int
    found: float
    low: float

    @property
    def is_missed(self) -> bool:
        """Whether pairs tell more than they may, and not by chance."""
        return self.low > MOST_OF_PAIRS

    @property
    def says(self) -> str:
        """It in words, for the custodian."""
        if not self.pairs:
            return "no two counts differ by fewer than k people"
        return f"which of two counts has a few people more: right for {self.found:.0%} of pairs"


@dataclass(frozen=True)
class OfCounts:
    """What all counts of a version tell on the data at hand, for the custodian alone.

    `columns` has each column of two levels that counts rest on. Where the counts tell more than
    they may, `costliest` is the question without which they would tell least.
    """

    columns: tuple[Reconstructed, ...]
    pairs: Differenced
    costliest: Question | None = None

    @property
    def says(self) -> str:
        """It in words, for the custodian."""
        return "\n".join([*(it.says for it in self.columns), self.pairs.says])

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "columns": [asdict(it) for it in self.columns],
            "pairs": asdict(self.pairs),
            "costliest": None if self.costliest is None else self.costliest.id,
        }


def attack_counts(book: Book, questions: Sequence[Question]) -> OfCounts:
    """Attack the counts of all questions that a version answered; models have none."""
    counts = _counts_of(book, questions)
    unknown = [it for name in _of_two_levels(book, counts) if (it := _unknown(counts, name))]

    def told(cells: Labels) -> tuple[list[Reconstructed], Differenced]:
        return [_reconstructed(it, counts, cells) for it in unknown], _differenced(counts, cells)

    columns, pairs = told(counts.cells())
    costliest = None
    if pairs.is_missed or any(it.is_missed for it in columns):

        def told_without(question: Question) -> float:
            found, of_pairs = told(counts.cells(but=question))
            above = [it.found - it.guess for it in found]
            return max([*above, pairs.is_missed * (of_pairs.found - 0.5)])

        costliest = min(dict.fromkeys(counts.questions), key=told_without)
    return OfCounts(tuple(columns), pairs, costliest)


@dataclass(frozen=True, eq=False)
class _Counts:
    """All counts, cell by cell: whose question each is of, its condition, and its noisy number."""

    book: Book
    tables: list[tuple[Asked, Part]]
    questions: list[Question]
    digests: list[str]
    shown: Floats

    def cells(self, but: Question | None = None) -> Labels:
        """Return the places of the counts of all questions but one, each condition once."""
        first: dict[str, int] = {}
        for at, (digest, question) in enumerate(zip(self.digests, self.questions, strict=True)):
            if question is not but:
                first.setdefault(digest, at)
        return np.array([*first.values()], dtype=np.intp)

    def members(self, name: str = "", people: Flags | None = None, level: int = 0) -> Any:
        """Return who is in which count, as a sparse matrix; or if some people had a level."""
        from scipy import sparse

        records, out = self.book.records, []
        for asked, part in self.tables:
            atoms = records.atoms({it: asked.grid(it) for it in part.columns})
            if name in atoms and people is not None:
                atoms[name] = np.where(people[records.persons], level, atoms[name])
            cells, who = self.book.counter.members(part, atoms)
            size = len(part.conditions), records.people
            out.append(sparse.csr_array((np.ones(len(who)), (cells, who)), size))
        return sparse.vstack(out, format="csr")


def _counts_of(book: Book, questions: Sequence[Question]) -> _Counts:
    tables, of, digests, shown = [], [], list[str](), [np.zeros(0)]
    for question in dict.fromkeys(it.of_numbers for it in questions):
        if question.kind != MODEL:
            asked, parts = read_question(book.file, book.policy.derive, question)
            for part in parts:
                counted = book.counter.count(part, asked)
                tables.append((asked, part))
                of += [question] * counted.size
                digests += [it.digest for it in counted.conditions]
                shown.append(counted.shown.astype(np.float64))
    return _Counts(book, tables, of, digests, np.concatenate(shown))


# --- a column of two levels -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Unknown:
    """A column that the attacker does not know, of people who have one of its levels in all rows.

    Who `has` the second level, and how likely the copy `says` that is; each count if nobody had it
    (`without`), and what each person `changes` of each by having it.
    """

    column: str
    has: Flags
    says: Floats
    without: Floats
    changes: Any


def _of_two_levels(book: Book, counts: _Counts) -> list[str]:
    """Return the columns of two levels that counts rest on."""
    kept = book.file.kept
    used = {name for _, part in counts.tables for name in part.columns}
    return [it for it in sorted(used & {*kept.copy.strata}) if len(kept.levels_of(it)) == 2]


def _unknown(counts: _Counts, name: str) -> _Unknown | None:
    """Return a column that is not known; None where no count hangs on it."""
    records, words = counts.book.records, counts.book.file.kept.levels_of(name)
    place = {word: at for at, word in enumerate(words)}
    of_rows = np.array([place.get(word, -1) for word in records.rows.copy.strata[name]])
    least, most = np.full(records.people, 2), np.full(records.people, -1)
    np.minimum.at(least, records.persons, of_rows)
    np.maximum.at(most, records.persons, of_rows)
    people = (least == most) & (least >= 0)
    bare, full = (counts.members(name, people, level)[:, people] for level in (0, 1))
    changes = (full - bare).tocsc()
    changes.eliminate_zeros()
    if not changes.nnz:
        return None
    known = counts.members()[:, ~people].sum(axis=1)
    rows = np.bincount(records.persons, minlength=records.people)
    says = (np.bincount(records.persons, _by_copy(counts.book, name)) / rows)[people]
    return _Unknown(name, most[people] == 1, says, known + bare.sum(axis=1), changes)


def _by_copy(book: Book, name: str) -> Floats:
    """Return how likely each row has the second level: by a ridge regression on the copy's rows."""
    copy, of = book.file.kept.copy, book.records.rows.copy
    second = book.file.kept.levels_of(name)[1]
    shown = Side.of(copy.columns, copy.strata)
    raw = told_as(Side.of(of.columns, of.strata), shown)
    space = space_of(raw, [shown])
    others = np.ones(max(it.stop for it in space.spans.values()), dtype=np.bool_)
    others[space.spans[name]] = False
    known = np.array([word != "" for word in copy.strata[name]])
    rows = space.of(shown)[known][:, others]
    y = np.array([word == second for word in copy.strata[name]], dtype=np.float64)[known]
    x, size = rows - rows.mean(axis=0), RIDGE * len(rows) * np.eye(rows.shape[1])
    weights = np.linalg.solve(x.T @ x + size, x.T @ (y - y.mean()))
    fitted = (space.of(raw)[:, others] - rows.mean(axis=0)) @ weights + y.mean()
    return np.asarray(np.clip(fitted, SURE, 1 - SURE))


def _reconstructed(it: _Unknown, counts: _Counts, cells: Labels) -> Reconstructed:
    """Guess a column with some counts."""
    counter, true = counts.book.counter, it.without + it.changes @ it.has
    with_noise, exact = (
        _guesses(it, cells, numbers, least, error) == it.has
        for numbers, least, error in (
            (counts.shown, counter.least, float(counter.noise.sd)),
            (true, 0, EXACT),
        )
    )
    by_copy = [it.has == (it.says > 0.5), it.has == (it.says.mean() > 0.5)]
    alone = max(by_copy, key=lambda right: float(right.mean()))
    found, more = float(with_noise.mean()), with_noise.astype(np.float64) - alone
    off = NORMAL * float(more.std()) / len(more) ** 0.5
    return Reconstructed(it.column, float(alone.mean()), found, found - off, float(exact.mean()))


def _guesses(it: _Unknown, cells: Labels, shown: Floats, least: int, error: float) -> Flags:
    """Guess who has the second level, by the linear program of some counts and of the copy.

    Of counts that are few it is known that they are. The copy says how many of each variable's
    people have the level, up to the sampling error of both.
    """
    from scipy import optimize, sparse

    changes = it.changes[cells]
    marks = generator("attack", "counts").integers(1 << 62, size=len(cells))
    _, first, of = np.unique(
        changes.T.astype(np.int64) @ marks, return_index=True, return_inverse=True
    )
    size, says = np.bincount(of).astype(np.float64), np.bincount(of, it.says)
    sampling = np.sqrt(2 * np.bincount(of, it.says * (1 - it.says)))
    few, design = shown[cells] < least, changes[:, first]
    aim = np.where(few, least - 1, shown[cells]) - it.without[cells] - design @ says
    # More or fewer of a variable's people than the copy says, and a count smaller or larger.
    unit = sparse.eye_array(len(cells))
    solved = optimize.linprog(
        np.concatenate([1 / sampling, 1 / sampling, ~few / error, np.full(len(cells), 1 / error)]),
        A_eq=sparse.hstack([design, -design, unit, -unit]),
        b_eq=aim,
        bounds=np.column_stack(
            [
                np.zeros(2 * len(size) + 2 * len(cells)),
                np.concatenate([size - says, says, np.full(2 * len(cells), np.inf)]),
            ]
        ),
        method="highs",
    )
    more, fewer = solved.x[: len(size)], solved.x[len(size) : 2 * len(size)]
    share = np.clip((says + more - fewer) / size, NEVER, 1 - NEVER)
    odds = (share / (1 - share)) / (says / (size - says))
    return np.asarray(odds[of] * it.says / (1 - it.says) > 1)


# --- pairs of counts ------------------------------------------------------------------------------


def _differenced(counts: _Counts, cells: Labels) -> Differenced:
    """Count the pairs of counts of which it is told which has more people."""
    if not len(cells):
        return Differenced(0, 0.5, 0.0)
    members, shown, book = counts.members()[cells], counts.shown[cells], counts.book
    given = shown >= book.counter.least
    members, shown = members[given], shown[given]
    both, people = (members @ members.T).tocoo(), members.sum(axis=1)
    apart = people[both.row] + people[both.col] - 2 * both.data
    larger = people[both.row] > people[both.col]
    near = larger & (apart < book.policy.k)
    off = shown[both.row] - shown[both.col]
    right = ((off > 0) + 0.5 * (off == 0))[near]
    if not len(right):
        return Differenced(0, 0.5, 0.0)
    found = float(right.mean())
    return Differenced(len(right), found, wilson(found, len(right))[0])
