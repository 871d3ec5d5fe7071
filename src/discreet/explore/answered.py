"""Answers from the data as a study file has them: tables, plots and verdicts, with their noise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from discreet.errors import DiscreetError, InputError, near
from discreet.estimates.copy_table import CopyTable
from discreet.explore.from_file import FileSession
from discreet.explore.notes import ANSWER, ANSWERS, FIGURES
from discreet.explore.questions import Question
from discreet.plots import View

SCHEMA = 1
HOLDS, DOES_NOT, UNKNOWN = "holds", "does not hold", "cannot be said"
VERDICTS = (HOLDS, DOES_NOT, UNKNOWN)
UNREADABLE = (
    "an answer in the study file cannot be read; ask the custodian for a new copy of the file"
)
FIELDS = ("schema", "question", "noise", "rules", "verdict", "table", "view")


@dataclass(frozen=True, repr=False)
class Answer:
    """An answer from the data.

    `noise` says how large the noise is, in the answer's own units, and `rules` which rules it
    passed, in the standard terms of output checking. Of a statement there is a `verdict` alone:
    "holds", "does not hold" or "cannot be said". Figures have intervals that hold the noise, and of
    counts a plot.
    """

    question: Question
    noise: str
    rules: tuple[str, ...]
    verdict: str = ""
    table: CopyTable | None = None
    view: View | None = None

    def __repr__(self) -> str:
        head = f"From the data: {self.question.says}"
        if self.verdict:
            return f"{head}\n{self.verdict}"
        return f"{head}\n{self.noise}\n\n{self.table!r}"

    @property
    def figures(self) -> tuple[CopyTable | View, ...]:
        """Its table and its plot, as far as it has them."""
        return tuple(it for it in (self.table, self.view) if it is not None)

    def plot(self) -> Any:
        """Draw it: counts as their plot, means and models as dots with intervals."""
        drawn = self.view or self.table
        if drawn is None:
            raise InputError("a verdict has no figures to draw")
        return drawn.plot()

    def to_plain(self) -> dict[str, Any]:
        """Return it as a study file has it."""
        return {
            "schema": SCHEMA,
            "question": self.question.to_plain(),
            "noise": self.noise,
            "rules": [*self.rules],
            "verdict": self.verdict,
            "table": None if self.table is None else json.loads(self.table.to_json()),
            "view": None if self.view is None else json.loads(self.view.to_json()),
        }

    @classmethod
    def from_plain(cls, plain: object) -> Answer:
        """Read what `to_plain` wrote; refuse anything else."""
        if not isinstance(plain, dict) or {*plain} != {*FIELDS} or plain["schema"] != SCHEMA:
            raise InputError(UNREADABLE)
        noise, rules, verdict = plain["noise"], plain["rules"], plain["verdict"]
        texts = isinstance(rules, list) and all(isinstance(it, str) for it in [*rules, noise])
        if not texts or verdict not in ("", *VERDICTS):
            raise InputError(UNREADABLE)
        try:
            table, view = plain["table"], plain["view"]
            return cls(
                Question.from_plain(plain["question"]),
                noise,
                tuple(rules),
                verdict,
                None if table is None else CopyTable.from_json(json.dumps(table)),
                None if view is None else View.from_json(json.dumps(view)),
            )
        except (DiscreetError, TypeError, ValueError, LookupError, AttributeError):
            raise InputError(UNREADABLE) from None


class Answers(dict[str, Answer]):
    """The answers of a study file, by the ids of their questions."""

    def __repr__(self) -> str:
        if not self:
            return (
                "no answers from the data; put questions on a list by study.ask(...), save it by "
                "study.questions.save('questions.json') and give it to the custodian"
            )
        lines = [
            f"  {id_}  {it.verdict or it.noise}: {it.question.says}" for id_, it in self.items()
        ]
        return "\n".join([f"{len(self)} answers from the data:", *lines])

    def __missing__(self, id_: str) -> Answer:
        some = near(id_, [*self]) if self else "there is none"
        raise InputError(f"there is no answer {id_!r}; {some}")


def answers_of(session: FileSession) -> Answers:
    """Return the answers from the data that a study file has, to be saved as figures of it are."""
    file = session.file
    found = {name: Answer.from_plain(file.answer(name)) for name in file.answers}
    return Answers({name: _sealed(it, session) for name, it in found.items()})


def answer_facts(answer: Answer) -> dict[str, Any]:
    """Return what a page shows of an answer: its figures, in words too, and what was asked."""
    plain = answer.to_plain()
    return {
        "id": answer.question.id,
        "says": answer.question.says,
        "request": dict(answer.question.request),
        "noise": answer.noise,
        "verdict": answer.verdict,
        "rules": [*answer.rules],
        "text": "" if answer.table is None else answer.table.to_text(),
        "table": plain["table"],
        "view": plain["view"],
    }


def _sealed(answer: Answer, session: FileSession) -> Answer:
    columns = [*answer.question.columns, *answer.question.by]
    asked = {FIGURES: ANSWER, "question": answer.question.to_plain()}
    more: dict[str, Any] = {
        "gate": session.gate_of_copy(ANSWER, columns),
        "sealer": session.sealer_of_copy(asked),
    }
    table, view = answer.table, answer.view
    return replace(
        answer,
        table=None if table is None else replace(table, **more),
        view=None if view is None else replace(view, **more),
    )


def answered_again(session: FileSession, request: Mapping[str, Any]) -> list[View]:
    """Return the plot of an answer that the provenance of a figure names, of the study file."""
    id_ = Question.from_plain(request.get("question")).id
    found = answers_of(session)
    view = found[id_].view if id_ in found else None
    if view is None:
        raise InputError("this study file has no such answer; take its latest revision")
    return [view]


def question_of(figure: object, holds: str = "") -> Question:
    """Return the question that asks the data for what a figure of the copy shows."""
    sealer = getattr(figure, "sealer", None)
    if not isinstance(figure, View | CopyTable) or sealer is None or sealer.begun is None:
        raise InputError(
            "ask takes a plot, a table of means or a model of this study, as its methods return it:"
            " study.ask(study.bars('sex'))"
        )
    request = {name: it for name, it in sealer.begun().request.items() if name != ANSWERS}
    return Question(request, holds)
