"""The answers of one version: which questions were asked, what is answered, and what is left.

The same questions in the same order get the same answers, so that a register need only keep the
questions. A question is answered, or refused in a sentence.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from discreet.answers.averages import average, divide
from discreet.answers.counting import Counter
from discreet.answers.exposure import (
    LEAST_OF_COPY,
    LEAST_OF_FAR_OUT,
    MOST_ABOVE,
    MOST_GUESSED,
    Exposure,
    exposure_of,
    gain_of,
)
from discreet.answers.models import ToFit, as_in_copy, check_formula, check_in_copy, model_of
from discreet.answers.quantiles import SHARES, quantiles
from discreet.answers.records import Records
from discreet.answers.words import (
    boxes_of,
    counts_table,
    means_table,
    model_table,
    noise_in_words,
    quantiles_table,
    ratios_table,
    shares_table,
    view_of,
)
from discreet.arguments import Labels
from discreet.errors import InputError, RefusedError
from discreet.estimates.figures import group_words
from discreet.estimates.intervals import NORMAL
from discreet.explore.answered import DOES_NOT, HOLDS, UNKNOWN, Answer
from discreet.explore.conditions import Asked, Condition
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import WholeTable
from discreet.explore.from_file import FileSession
from discreet.explore.model import asked_model, check_weights, rows_of_model
from discreet.explore.questions import (
    BY_QUANTILES,
    MEANS,
    MODEL,
    Part,
    Question,
    read_question,
    where_of,
)
from discreet.methods import CellKey
from discreet.policy import Policy
from discreet.provenance import canonical_text
from discreet.regression import Asked as Model

RULES_OF_COUNTS = (
    "threshold: cells of fewer than {least} people, with noise, are shown as few",
    "cell-key perturbation: noise with a standard deviation of {sd} people, the same for the same "
    "cell",
    "differencing: two conditions have other noise, also where the same people have both",
)
RULES_OF_MEANS = (
    "dominance: in the copy the two largest contributors hold less than half of a sum",
    "p %: in the copy a sum without its two largest contributors is at least 10 % of the largest",
)
RULES_OF_QUANTILES = ("quantiles: steps of the grid, at ranks that noise moves",)
RULES_OF_MODELS = (
    "residual degrees of freedom: at least ten people for each term",
    "frequency: 8 k people of the copy on each side of a level",
    "influence: nobody moves the estimates by more than a bound; standard errors are the copy's",
)
SPENT = (
    "the answers of this version are used up: {cost} more numbers about one person are asked, and"
    " {left} of {all} are left; ask for less, or wait for the next version"
)
TOO_MUCH = (
    "this and the earlier answers would tell too much of people who stand out, together with the"
    " copy; ask for a model with fewer terms, or wait for the next version"
)
TOO_MUCH_OF_COLUMN = (
    "with this and the earlier answers too many people's {column!r} could be guessed; ask for fewer"
    " answers about it, or wait for the next version"
)
MOVED_BY_COUNT, MOVED_BY_SUM, MOVED_BY_MODEL = 2.0, 4.0, 4.0
"""How far an answer moves, as a squared distance, where a person has another level: one count less
and one more; a sum of yes and no; a model, for each term where it is the outcome, else once."""
NOT_ABOVE_0 = (
    "the weights of an answer are above 0, and {weights!r} has others in the copy; leave weights"
    " out"
)
STATEMENT = re.compile(r"\s*([<>])\s*")


class Number(NamedTuple):
    """A number about one person that an answer has.

    `cells` says in how many cells somebody who has several rows may be; `moved`, as a squared
    distance, how far it moves where the person has another level of a column.
    """

    cells: int
    moved: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class Prepared:
    """A question that the study file does not refuse: its numbers about one person, by name.

    `compute` looks at the data, and returns the answer.
    """

    numbers: Mapping[str, Number]
    compute: Callable[[], Answer]
    model: ToFit | None = None

    @property
    def more_at_most(self) -> float:
        """How many more numbers a model is worth for who moves it most."""
        return 0.0 if self.model is None else self.model.checked.most - len(self.numbers)


@dataclass(eq=False, repr=False)
class Book:
    """What answers questions to one version of a study, and keeps count.

    `file` has its levels, its grids and its protected rows, `records` the raw ones. `auc_of_copy`
    is how well the copy alone tells who is in the data: typical people, and those who stand out.

    `spent` counts the numbers about one person that were given; `moved` is how far all answers
    move, on average, where a person has another level of a column. `distances` are how well all
    answers tell somebody from nobody, on average and at most: squared distances, in standard
    deviations of the noise, between the numbers with the person and without. They follow from the
    questions and the copy, so that no data decide what is refused.
    """

    file: FileSession
    policy: Policy
    records: Records
    auc_of_copy: tuple[float, float] = (LEAST_OF_COPY, LEAST_OF_FAR_OUT)
    answers: dict[str, Answer] = field(default_factory=dict)
    spent: int = 0
    distances: tuple[float, float] = (0.0, 0.0)
    moved: dict[str, float] = field(default_factory=dict)
    counter: Counter = field(init=False)
    _asked: set[str] = field(default_factory=set)
    _known_shares: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        noise = CellKey(self.policy.noise_of_answers)
        least = max(self.policy.k, 2 * noise.sd)
        self.counter = Counter(self.records, noise, self.policy.k, least, self._rows[1])

    @cached_property
    def _rows(self) -> tuple[float, int]:
        """How many rows a person of the copy has, on average and at most."""
        persons = self.file.kept.persons
        if persons is None:
            return 1.0, 1
        counts = np.unique(persons, return_counts=True)[1]
        return float(counts.mean()), int(counts.max())

    @property
    def left(self) -> int:
        """How many more numbers about one person may be given."""
        return self.policy.numbers_of_answers - self.spent

    @property
    def exposure(self) -> Exposure:
        """How well the copy and all answers so far tell who is in the data."""
        return exposure_of(*self.distances, *self.auc_of_copy)

    def cost(self, question: Question) -> int:
        """Return how many numbers about one person a question adds: those that were not given.

        It hangs on the question and the study file alone, so it says nothing of the data.
        """
        return len(self._new(self.prepared(question.of_numbers)))

    def _new(self, it: Prepared) -> dict[str, Number]:
        return {name: number for name, number in it.numbers.items() if name not in self._asked}

    def answer(self, question: Question) -> Answer:
        """Answer a question, or refuse it in a sentence; the same one is answered again for free.

        What is refused by the question and the study file alone costs nothing. Once the data were
        looked at, the question costs what it costs, whatever comes out.

        Raises
        ------
        InputError
            If it does not fit the study file.
        RefusedError
            If the version's numbers are used up, or a rule refuses it.
        """
        plain = question.of_numbers
        if plain.id not in self.answers:
            it = self.prepared(plain)
            self._charge(it)
            self.answers[plain.id] = it.compute()
        found = self.answers[plain.id]
        if not question.holds:
            return found
        return Answer(question, "", found.rules, verdict_of(found, question.holds))

    def _charge(self, it: Prepared) -> None:
        """Add what a question costs, or refuse it: by the question and the copy alone."""
        new = self._new(it)
        if not new:
            return
        if len(new) > self.left:
            numbers = {"cost": len(new), "left": self.left, "all": self.policy.numbers_of_answers}
            raise RefusedError(SPENT.format(**numbers), rule="budget")
        exposure = exposure_of(*self._distances_with(it), *self.auc_of_copy)
        if exposure.above > MOST_ABOVE:
            raise RefusedError(TOO_MUCH, rule="exposure")
        for name, distance in self._moved_with(it).items():
            if gain_of(distance, self._shares(name)) > MOST_GUESSED:
                raise RefusedError(TOO_MUCH_OF_COLUMN.format(column=name), rule="exposure")
        self._add(it)

    def recall(self, question: Question) -> None:
        """Add what a question costs that was answered before, whatever is left now."""
        self._add(self.prepared(question.of_numbers))

    def _add(self, it: Prepared) -> None:
        new = self._new(it)
        self.spent, self.distances = self.spent + len(new), self._distances_with(it)
        self.moved |= self._moved_with(it)
        self._asked |= {*new}

    def _distances_with(self, it: Prepared) -> tuple[float, float]:
        """Return the distances with another answer: who has several rows is in several cells."""
        new, (usual, most) = self._new(it).values(), self._rows
        on_average = sum(min(number.cells, usual) for number in new)
        at_most = sum(min(number.cells, most) for number in new) + it.more_at_most * bool(new)
        one = self.counter.noise.sd**-2
        return self.distances[0] + one * on_average, self.distances[1] + one * at_most

    def _moved_with(self, it: Prepared) -> dict[str, float]:
        """Return how far all move with another answer, of each of its columns of levels."""
        one, out = self.counter.noise.sd**-2, dict[str, float]()
        for cells, moved in self._new(it).values():
            for name in (it for it in moved if self._shares(it)):
                more = one * min(cells, self._rows[0]) * moved[name]
                out[name] = out.get(name, self.moved.get(name, 0.0)) + more
        return out

    def _shares(self, name: str) -> list[float]:
        """Return the share of the copy's rows with each level or code of a column; else none."""
        if name not in self._known_shares:
            of = self.file.kept.with_levels([name]).copy.strata
            words = [it for it in of.get(name, ()) if it]
            self._known_shares[name] = [words.count(it) / len(words) for it in sorted({*words})]
        return self._known_shares[name]

    def prepared(self, question: Question) -> Prepared:
        """Check a question by the study file alone."""
        asked, parts = read_question(self.file, self.policy.derive, question)
        if question.kind == MODEL:
            it = self._to_fit(question, asked)
            count = len(it.checked.terms) + 2  # with the numbers of people and of events
            of_each = Number(1, {name: all_ / count for name, all_ in it.moved.items()})
            numbers = {f"model {it.digest} {i}": of_each for i in range(count)}
            return Prepared(numbers, lambda: self._of_model(question, asked, it), it)
        compute = self._of_counts
        if question.is_of_shares(asked.whole):
            compute = self._of_shares
        elif question.per is not None:
            compute = self._of_ratios
        elif question.kind == MEANS:
            compute = self._of_means
        elif question.plot.answered == BY_QUANTILES:
            compute = self._of_quantiles
        numbers = _numbers(question, asked, parts)
        return Prepared(numbers, lambda: compute(question, asked, parts))

    def _rules(self, more: Sequence[str] = ()) -> tuple[str, ...]:
        numbers = {"least": self.counter.least, "sd": self.counter.noise.sd}
        return tuple(it.format(**numbers) for it in (*RULES_OF_COUNTS, *more))

    def _of_counts(self, question: Question, asked: Asked, parts: Sequence[Part]) -> Answer:
        sd, counted = self.counter.noise.sd, [self.counter.count(it, asked) for it in parts]
        table = counts_table(question, counted, sd, self.counter.least)
        largest = max(counted, key=lambda it: len(it.part.dims))
        view = view_of(question, largest, self.policy, self.file)
        return Answer(question, noise_in_words(question, sd), self._rules(), table=table, view=view)

    def _of_means(self, question: Question, asked: Asked, parts: Sequence[Part]) -> Answer:
        (value,) = question.columns
        means = [average(self.counter, it, asked, value) for it in parts]
        noise = noise_in_words(question, self.counter.noise.sd)
        table = means_table(question, means, self.file)
        return Answer(question, noise, self._rules(RULES_OF_MEANS), table=table)

    def _of_ratios(self, question: Question, asked: Asked, parts: Sequence[Part]) -> Answer:
        (value,), per = question.columns, str(question.per)
        found = [divide(self.counter, it, asked, value, per) for it in parts]
        noise = noise_in_words(question, self.counter.noise.sd)
        table = ratios_table(question, found, asked)
        return Answer(question, noise, self._rules(RULES_OF_MEANS), table=table)

    def _of_shares(self, question: Question, asked: Asked, parts: Sequence[Part]) -> Answer:
        sd, counted = self.counter.noise.sd, [self.counter.count(it, asked) for it in parts]
        table = shares_table(question, counted, sd)
        return Answer(question, noise_in_words(question, sd), self._rules(), table=table)

    def _of_quantiles(self, question: Question, asked: Asked, parts: Sequence[Part]) -> Answer:
        (value,) = question.columns
        found = [quantiles(self.counter, it, asked, value) for it in parts]
        noise = noise_in_words(question, self.counter.noise.sd)
        table = quantiles_table(question, found)
        boxes = boxes_of(question, found[-1], self.policy, self.file)
        return Answer(question, noise, self._rules(RULES_OF_QUANTILES), table=table, view=boxes)

    # --- models ---------------------------------------------------------------------------------

    def _of_model(self, question: Question, asked: Asked, it: ToFit) -> Answer:
        table, share = model_table(question, model_of(self.counter, asked, it))
        noise = f"{noise_in_words(question, self.counter.noise.sd)}, {share}"
        return Answer(question, noise, self._rules(RULES_OF_MODELS), table=table)

    def _to_fit(self, question: Question, asked: Asked) -> ToFit:
        """Return the model that is asked for, or refuse it by the copy.

        Rows of the copy are chosen by their atoms, as those of the data are: a text that means
        the same of all atoms can choose no other rows of the copy.
        """
        session = DerivedCopy(self.file, self.file.whole)
        for name, text in question.asks:
            session = session.assign({name: text}) if name else session
        model, events, _ = asked_model(session, question.request)
        weights = question.weights
        used = [*model.numbers, *([] if weights is None else [weights])]
        numbers = [name for name in used if name in asked.made]
        if numbers:
            raise RefusedError(
                f"column {numbers[0]!r} is new and has numbers; write its expression in the "
                "formula, or make levels of it by cut(...)",
                rule="made",
            )
        if weights is not None:
            check_weights(session, model, weights)
        grids = {name: asked.grid(name) for name in used}
        check_formula(model, grids)
        if weights is not None and grids[weights].ends[0] <= 0:
            raise RefusedError(NOT_ABOVE_0.format(weights=weights), rule="weights")
        columns = [*model.levels, *([model.event] if model.event else [])]
        tables = {name: asked.levels(name) for name in columns}
        where, kept = where_of(question, asked), self.file.kept
        used_in = {*where.columns, *(it for _, of, _ in tables.values() for it in of)}
        atoms = {it: asked.grid(it).places_in(kept.copy) for it in used_in}
        inside = np.flatnonzero(where.holds(atoms, len(kept)))
        part = as_in_copy(kept, grids, _words(tables, atoms)).rows(inside)
        of_copy = rows_of_model(part, model, events, weights)
        persons = None if part.persons is None else part.persons[of_copy.at]
        ends = [_ends_of(it, used) for it in self.file.copies_of_copy[1:]]
        checked = check_in_copy(model, of_copy, self.policy.k, weights, persons, ends)
        named = canonical_text(
            [
                [model.family, model.formula, [*events], weights],
                [
                    [name, *words, *of, table.tolist()]
                    for name, (words, of, table) in tables.items()
                ],
                [[name, *it] for name, it in sorted(model.orders.items())],
            ]
        )
        of_data = self.records.atoms({it: asked.grid(it) for it in used_in})
        rows = as_in_copy(self.records.rows, grids, _words(tables, of_data))
        moved = _moved_by(model, where, tables, grids, len(checked.terms))
        return ToFit(
            model, events, where, rows, named, checked, moved, weights, persons is not None
        )


Tables = Mapping[str, tuple[tuple[str, ...], tuple[str, ...], Labels]]
"""Of columns of levels the words, the columns they rest on, and each atom's word."""


def _moved_by(
    model: Model, where: Condition, tables: Tables, numbers: Iterable[str], terms: int
) -> dict[str, float]:
    """Return how far a model moves where a person has another level or code of a column."""
    moved = dict.fromkeys(where.columns, MOVED_BY_COUNT + terms)  # who is not in it at all
    beneath = {name: (name,) for name in numbers} | {
        name: of for name, (_, of, _) in tables.items()
    }
    for name, of in beneath.items():
        times = terms if name in (model.event, *model.parsed.outcome.columns) else 1
        more = MOVED_BY_COUNT + MOVED_BY_MODEL * times
        moved |= {it: moved.get(it, 0.0) + more for it in of}
    return moved


def _words(tables: Tables, atoms: Mapping[str, Labels]) -> dict[str, list[str]]:
    """Return the levels of rows by their atoms alone: no expression is computed of them."""
    out = {}
    for name, (words, columns, table) in tables.items():
        places = table[tuple(atoms[it] for it in columns)]
        known = (*words, "")  # the last is at -1
        out[name] = [known[place] for place in places.tolist()]
    return out


def _ends_of(table: WholeTable, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return the least and the largest of columns of a copy of the copy."""
    columns = table.copy.columns
    there = {name: columns[name] for name in names if name in columns}  # others it has lost
    known = {name: it for name, it in there.items() if np.isfinite(it).any()}
    out = dict.fromkeys(names, (-math.inf, math.inf))
    return out | {name: (float(np.nanmin(it)), float(np.nanmax(it))) for name, it in known.items()}


def _numbers(question: Question, asked: Asked, parts: Sequence[Part]) -> dict[str, Number]:
    """Return what numbers about one person are called that a question by counts asks for."""
    of_sums = question.kind == MEANS and not question.is_of_shares(asked.whole)
    named = [*question.columns, *([question.per] if question.per else [])]
    # Of yes and no a sum moves by 1, which is twice the reach of its noise.
    more = {f"sum {it}": {it: MOVED_BY_SUM} for it in named if of_sums}
    if question.kind != MEANS and question.plot.answered == BY_QUANTILES:
        (value,) = named
        more = {f"quantile {it} {value}": {value: MOVED_BY_COUNT} for it in SHARES}
    numbers = dict[str, Number]()
    for part in parts:
        cells, count = " ".join(sorted(it.digest for it in part.conditions)), len(part.conditions)
        moved = dict.fromkeys(part.columns, MOVED_BY_COUNT)
        numbers[f"count {cells}"] = Number(count, moved)
        for name, own in more.items():
            numbers[f"{name} {cells}"] = Number(count, moved | own)
    return numbers


# --- statements -----------------------------------------------------------------------------------


def verdict_of(answer: Answer, statement: str) -> str:
    """Decide a statement by the figures of an answer: with noise and sampling error in them.

    A comparison holds, or does not, where the difference is further from 0 than its 95 % interval
    reaches; a chain holds where each of its comparisons does.
    """
    named = STATEMENT.split(statement.strip())
    names, signs = named[::2], named[1::2]
    estimates = _estimates(answer)
    verdicts = []
    for (left, right), sign in zip(itertools.pairwise(names), signs, strict=True):
        a, b = (_estimate(estimates, it) for it in (left, right))
        if a is None or b is None:
            verdicts.append(UNKNOWN)
            continue
        off = (a[0] - b[0]) * (1 if sign == ">" else -1)
        reach = NORMAL * float(np.hypot(a[1], b[1]))
        verdicts.append(HOLDS if off > reach else DOES_NOT if off < -reach else UNKNOWN)
    if DOES_NOT in verdicts:
        return DOES_NOT
    return UNKNOWN if UNKNOWN in verdicts else HOLDS


def _estimate(
    estimates: Mapping[str, tuple[float, float] | None], name: str
) -> tuple[float, float] | None:
    if name == "0":
        return 0.0, 0.0
    if name not in estimates:
        known = ", ".join([*estimates][:20])
        raise InputError(f"the statement names {name!r}, which the answer has not; it has {known}")
    return estimates[name]


def _estimates(answer: Answer) -> dict[str, tuple[float, float] | None]:
    """Return of each term or group its estimate and standard error; None of what is not given."""
    out: dict[str, tuple[float, float] | None] = {}
    if answer.table is None:
        return out
    found: dict[str, dict[str, Any]] = {}
    for it in answer.table.figures:
        name = it.column if answer.table.kind == MODEL else group_words(it.group)
        found.setdefault(name, {})[it.figure] = it.value
    for name, of in found.items():
        named = [of[it] for it in ("estimate", "mean", "ratio", "share", "count") if it in of]
        middle, error = (*named, None)[0], of.get("std. error")
        if name and "std. error" in of:
            known = middle is not None and error is not None
            out[name] = (float(middle), float(error)) if known else None  # type: ignore[arg-type]
    return out
