"""Questions to the data over HTTP: an analyst puts them on a list, which waits for the custodian.

The server has no data: it keeps the list, in its record, and shows what the study file answers. The
custodian takes the list from here, answers it where the data are (`discreet answer`), and serves
the next revision of the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from discreet.errors import InputError, RefusedError
from discreet.explore.answered import Answer, answer_facts, answers_of
from discreet.explore.notes import FIGURES, asked_for
from discreet.explore.questions import LONGEST_STATEMENT, Question, Questions, read_question
from discreet.explore.table_kinds import TABLES
from discreet.serve.answers import Reply, Sent, acted, earlier_request, over
from discreet.serve.record import QUESTION, LogEntry, put_questions
from discreet.serve.record import Answer as SentFile
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import Body, check, part_of, parted
from discreet.serve.studies import Served
from discreet.serve.tokens import Caller

ID = r"^[0-9a-f]{32}$"
MOST_QUESTIONS = 100
"""So many questions of one caller stand on the list of a version."""
ENOUGH = "You have as many questions on the list as you may; wait for answers to them."


class Asked(BaseModel):
    """A plot or table by the id in its answer, and a statement on it, if one is asked."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)

    id: Annotated[str, Field(pattern=ID)]
    holds: Annotated[str, Field(max_length=LONGEST_STATEMENT)] = ""


def ask(served: Served, caller: Caller, _: str, body: Body) -> Reply:
    """Put a question on the list: what a plot or table that the caller was answered shows."""
    found = _question(served, caller, body)
    plain = found.to_plain() if isinstance(found, Question) else {}

    def make() -> Reply:
        if isinstance(found, Refusal):
            return found
        listed = put_questions(served.store, served.name, served.version)
        known = {question["id"] for name, question in listed if name == caller.name}
        if len(known) >= MOST_QUESTIONS and found.id not in known:
            return refusal("request", ENOUGH)
        return {"question": _facts(plain, answers_of(served.file))}

    return acted(served, caller, QUESTION, plain, make)


def _question(served: Served, caller: Caller, body: Body) -> Question | Refusal:
    """Return what the data are asked for by an earlier request; it looks at the copy alone."""
    entry = earlier_request(served, caller, body["id"])
    if isinstance(entry, Refusal):
        return entry
    try:
        request = _request(served, entry)
        if isinstance(request, Refusal):
            return request
        question = Question(request, body["holds"])
        read_question(served.file, served.file.policy.derive, question)
    except (InputError, RefusedError) as error:
        return refusal("request", f"{error}.")
    return question


def _request(served: Served, entry: LogEntry) -> dict[str, Any] | Refusal:
    """Return an earlier request as the provenance of its figures has it."""
    body = json.loads(entry.request)
    if entry.what in TABLES:
        given, derivation = parted(body)
        asks = part_of(served.copy, derivation).asks
        columns = {"columns": [given.pop("value")]} if "value" in given else {}
        return {FIGURES: entry.what, **columns, **given, "derived": [[*it] for it in asks]}
    accepted = check(served.copy, served.columns, entry.what, body)
    if isinstance(accepted, Refusal):
        return accepted
    return asked_for(accepted.plot, served.file.policy, accepted.drawn_by.asks)


# --- what there is to see -------------------------------------------------------------------------


def own_questions(served: Served, caller: Caller) -> dict[str, Any] | Refusal:
    """Return a caller's questions, newest first, each with its answer where the file has one."""
    too_many = over(served, caller, "questions")
    if too_many is not None:
        return too_many
    listed = put_questions(served.store, served.name, served.version)
    own = {question["id"]: question for name, question in listed if name == caller.name}
    there = answers_of(served.file)
    return {"questions": [_facts(it, there) for it in reversed(own.values())]}


def answers(served: Served, caller: Caller) -> dict[str, Any] | Refusal:
    """Return all answers from the data that the study file has."""
    too_many = over(served, caller, "answers")
    if too_many is not None:
        return too_many
    return {"answers": [answer_facts(it) for it in answers_of(served.file).values()]}


def all_questions(served: Served) -> dict[str, Any]:
    """Return the questions that are not answered, oldest first, and whose they are."""
    waiting = _waiting(served)
    return {
        "questions": [
            {**_facts(question, {}), "callers": sorted({*callers})}
            for question, callers in waiting.values()
        ]
    }


def question_file(served: Served) -> Sent:
    """Return the questions that wait as the file that `discreet answer` takes."""
    listed = [Question.from_plain(question) for question, _ in _waiting(served).values()]
    text = Questions(served.name, served.version, listed).to_json()
    headers = {"Content-Disposition": 'attachment; filename="questions.json"'}
    return SentFile(200, text.encode(), "application/json", headers)


def _waiting(served: Served) -> dict[str, tuple[dict[str, Any], list[str]]]:
    there = {*answers_of(served.file)}
    found: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for name, question in put_questions(served.store, served.name, served.version):
        if question["id"] not in there:
            found.setdefault(question["id"], (question, []))[1].append(name)
    return found


def _facts(question: Mapping[str, Any], there: Mapping[str, Answer]) -> dict[str, Any]:
    facts = {"id": question["id"], "says": question["says"], "state": "waiting"}
    if facts["id"] not in there:
        return facts
    return {**facts, "state": "answered", "answer": answer_facts(there[facts["id"]])}
