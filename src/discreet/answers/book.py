"""The answers of one version: which questions were asked, what is answered, and what is left.

The same questions in the same order get the same answers, so that a register need only keep the
questions. A question is answered, or refused in a sentence.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.answers.averages import average
from discreet.answers.counting import Counted, Counter
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
    view_of,
)
from discreet.arguments import Floats, Labels
from discreet.errors import InputError, RefusedError
from discreet.explore.answered import DOES_NOT, HOLDS, UNKNOWN, Answer
from discreet.explore.conditions import Asked, Condition, as_told
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import WholeTable
from discreet.explore.from_file import FileSession
from discreet.explore.model import asked_model, fit_rows, rows_of_model
from discreet.explore.questions import BY_QUANTILES, MEANS, MODEL, Question, asked_of, parts_of
from discreet.methods import CellKey
from discreet.policy import Policy

CERTAIN = 1.959963984540054
RULES_OF_COUNTS = (
    "threshold: cells of fewer than {least} people, with noise, are shown as few",
    "cell-key perturbation: noise with a standard deviation of {sd} people, the same for the same "
    "cell",
    "differencing: two conditions have other noise, also where the same people have both",
)
RULES_OF_MEANS = (
    "dominance: the two largest contributors hold less than about half of a sum",
    "p %: a sum without its two largest contributors is more than 10 to 20 % of the largest",
)
RULES_OF_QUANTILES = ("quantiles: steps of the grid, at ranks that noise moves",)
RULES_OF_MODELS = (
    "residual degrees of freedom: at least ten people for each term",
    "k people on each side of a level; terms do not separate the outcome",
    "influence: nobody moves the estimates by more than a bound, times what people move them by",
)
SPENT = (
    "the answers of this version are used up: {cost} more numbers about one person are asked, and"
    " {left} of {all} are left; ask for less, or wait for the next version"
)
STATEMENT = re.compile(r"\s*([<>])\s*")


@dataclass(eq=False, repr=False)
class Book:
    """What answers questions to one version of a study, and keeps count.

    Parameters
    ----------
    file : FileSession
        The study file: its levels, its grids, and its rows, which are protected.
    policy : Policy
    records : Records
        The raw records of the version.
    """

    file: FileSession
    policy: Policy
    records: Records
    answers: dict[str, Answer] = field(default_factory=dict)
    spent: int = 0
    counter: Counter = field(init=False)
    _asked: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        noise = CellKey(self.policy.noise_of_answers)
        least = max(self.policy.k, 2 * noise.sd)
        self.counter = Counter(self.records, noise, self.policy.k, least)

    @property
    def left(self) -> int:
        """How many more numbers about one person may be given."""
        return self.policy.numbers_of_answers - self.spent

    @property
    def exposure(self) -> Floats:
        """What all answers so far tell of each person: see `Counter`."""
        return self.counter.exposure

    def cost(self, question: Question) -> int:
        """Return how many numbers about one person a question adds: those that were not given.

        It hangs on the question and the study file alone, so it says nothing of the data.
        """
        return len(self._new(question))

    def _new(self, question: Question) -> set[str]:
        asked = self._asked_of(question)
        if question.kind == MODEL:
            name = question.of_numbers.id
            return {f"{name} {i}" for i in range(self._model_terms(question) + 2)} - self._asked
        of_column = ["sum"] if question.kind == MEANS else []
        if question.kind != MEANS and question.plot.answered == BY_QUANTILES:
            of_column = [f"quantile {share}" for share in SHARES]
        told = set()
        for part in parts_of(question, asked):
            cells = " ".join(sorted(it.digest for it in part.conditions))
            told |= {f"count {cells}", *(f"{it} {question.columns[0]} {cells}" for it in of_column)}
        return told - self._asked

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
            compute, new = self.prepared(plain), self._new(plain)
            if len(new) > self.left:
                raise RefusedError(
                    SPENT.format(cost=len(new), left=self.left, all=self.policy.numbers_of_answers),
                    rule="budget",
                )
            self.spent += len(new)
            self._asked |= new
            self.answers[plain.id] = compute()
        found = self.answers[plain.id]
        if not question.holds:
            return found
        return Answer(question, "", found.rules, verdict_of(found, question.holds))

    def _asked_of(self, question: Question) -> Asked:
        self.file.whole.check_made([*question.columns, *question.by])
        return asked_of(self.file.kept, self.policy.derive or {}, question)

    def _derived(self, question: Question) -> DerivedCopy:
        out = DerivedCopy(self.file, self.file.whole)
        for name, text in question.asks:
            out = out.assign({name: text}) if name else out
        return out

    def prepared(self, question: Question) -> Callable[[], Answer]:
        """Check a question by the study file alone, and return what computes its answer."""
        asked = self._asked_of(question)
        if question.kind == MODEL:
            it = self.to_fit(question)
            return lambda: self._computed(question, asked, it)
        return lambda: self._computed(question, asked)

    def _computed(self, question: Question, asked: Asked, it: ToFit | None = None) -> Answer:
        noise = self.counter.noise
        numbers: dict[str, Any] = {"least": self.counter.least, "sd": noise.sd}
        rules = tuple(it.format(**numbers) for it in RULES_OF_COUNTS)
        told = noise_in_words(question, noise.sd, self.counter.least)
        if it is not None:
            model = model_of(self.counter, asked, it)
            rules += tuple(it.format(**numbers) for it in RULES_OF_MODELS)
            table, share = model_table(question, model, self.file)
            return Answer(question, told + share, rules, table=table)
        parts = parts_of(question, asked)
        if question.kind == MEANS:
            (value,) = question.columns
            means = [average(self.counter, it, asked, value) for it in parts]
            rules += RULES_OF_MEANS
            return Answer(question, told, rules, table=means_table(question, means, self.file))
        if question.plot.answered == BY_QUANTILES:
            (value,) = question.columns
            found = [quantiles(self.counter, it, asked, value) for it in parts]
            table = quantiles_table(question, found)
            boxes = boxes_of(question, found[-1], self.policy, self.file)
            return Answer(question, told, (*rules, *RULES_OF_QUANTILES), table=table, view=boxes)
        counted = [self.counter.count(it, asked) for it in parts]
        table = counts_table(question, counted, noise.sd, self.file)
        view = view_of(question, max(counted, key=_dims), self.policy, self.file)
        return Answer(question, told, rules, table=table, view=view)

    # --- models ---------------------------------------------------------------------------------

    def _model_terms(self, question: Question) -> int:
        """Return how many terms a model has, by the copy."""
        model, events, whole = asked_model(self._derived(question), question.request)
        return len(fit_rows(model, rows_of_model(whole, model, events)).terms)

    def to_fit(self, question: Question) -> ToFit:
        """Return the model that is asked for, or refuse it by the copy."""
        asked = self._asked_of(question)
        model, events, _ = asked_model(self._derived(question), question.request)
        numbers = [name for name in model.numbers if name in asked.made]
        if numbers:
            raise RefusedError(
                f"column {numbers[0]!r} is new and has numbers; write its expression in the "
                "formula, or make levels of it by cut(...)",
                rule="made",
            )
        where = Condition.of(
            it for name, text in question.asks if not name for it in asked.condition(text)
        )
        grids = {name: asked.grid(name) for name in model.numbers}
        check_formula(model, grids)
        named = [*model.levels, *([model.event] if model.event else [])]
        tables = {name: asked.levels(name) for name in named}
        orders = [[name, *it] for name, it in sorted(model.orders.items())]
        parts = [
            [name, *words, *columns, table.tolist()]
            for name, (words, columns, table) in tables.items()
        ]
        told = as_told([model.family, model.formula, [*events], parts, orders])
        rows = as_in_copy(self.records.rows, grids, self._words(asked, tables))
        copy = self._in_copy(question)
        checked_rows = as_in_copy(copy, grids, {name: copy.copy.strata[name] for name in named})
        of_copy = rows_of_model(checked_rows, model, events)
        whose = copy.persons
        persons = None if whose is None else whose[of_copy.at]
        checked = check_in_copy(model, of_copy, persons, self.policy.k)
        return ToFit(model, events, where, rows, told, checked, whose is not None)

    def _words(
        self, asked: Asked, tables: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], Labels]]
    ) -> dict[str, list[str]]:
        """Return the levels of raw rows by their atoms alone: no expression is computed of them."""
        out = {}
        for name, (words, columns, table) in tables.items():
            atoms = self.records.atoms({it: asked.grid(it) for it in columns})
            places = table[tuple(atoms[it] for it in columns)]
            known = (*words, "")  # the last is at -1
            out[name] = [known[place] for place in places.tolist()]
        return out

    def _in_copy(self, question: Question) -> WholeTable:
        """Return the rows of the copy that a question is about, with codes as levels."""
        part = self._derived(question)
        for name, text in question.asks:
            part = part if name else part.where(text)
        model, _, _ = asked_model(self._derived(question), question.request)
        return part.whole.with_levels([*model.levels, *([model.event] if model.event else [])])


def _dims(counted: Counted) -> int:
    return len(counted.part.dims)


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
        reach = CERTAIN * float(np.hypot(a[1], b[1]))
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
        of_group = ", ".join(str(level) for _, level in it.group) or "all"
        name = it.column if answer.table.kind == MODEL else of_group
        found.setdefault(name, {})[it.figure] = it.value
    for name, of in found.items():
        middle, error = of.get("estimate", of.get("mean", of.get("count"))), of.get("std. error")
        if name and "std. error" in of:
            known = middle is not None and error is not None
            out[name] = (float(middle), float(error)) if known else None  # type: ignore[arg-type]
    return out
