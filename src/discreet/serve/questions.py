"""Questions to the data over HTTP: an analyst puts them on a list, which waits for the custodian.

The server has no data: it keeps the list, in its record, and shows what the study file answers. The
custodian agrees to a question or declines it, takes the list of those agreed to, answers it where
the data are (`discreet answer`), and serves the next revision of the file.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from discreet.errors import InputError, RefusedError
from discreet.explore.answered import Answer, answer_facts, answers_of
from discreet.explore.notes import FIGURES, asked_for
from discreet.explore.pooled import check_question
from discreet.explore.questions import (
    BY_BINS,
    BY_QUANTILES,
    BY_STEPS,
    LONGEST_STATEMENT,
    MEANS,
    MODEL,
    Question,
    Questions,
)
from discreet.explore.table_kinds import TABLES
from discreet.plots import PLOTS
from discreet.policy import PRESETS
from discreet.records.outputs import MOST_LETTERS, check_words
from discreet.serve.answers import Reply, Sent, acted, earlier_request, over, refused
from discreet.serve.record import DECIDED, QUESTION, LogEntry, Put, put_questions
from discreet.serve.record import Answer as SentFile
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import STRICT, Body, ViewId, check, part_of, parted
from discreet.serve.studies import Served
from discreet.serve.titles import title_of
from discreet.serve.tokens import Caller
from discreet.study_file import SUFFIX

MOST_QUESTIONS = 100
"""So many questions of one caller stand on the list of a version."""
NO_REASON = "Say why you decline; whoever asked reads it."
COUNTS = "counts of people"
GIVES: Mapping[str, str] = MappingProxyType(
    {
        BY_BINS: "counts of people in bins",
        BY_STEPS: "counts of people in each step of time, and the curve",
        BY_QUANTILES: "the median, quartiles and ends of each group",
        MEANS: "the mean and the people of each group",
        MODEL: "estimates with their standard errors",
    }
)
"""What an answer gives out, by how people are counted for it, or by its table; else `COUNTS`."""
HOLDS = "yes, no or “cannot be said”, without numbers"
BY_EACH = "The custodian of each study decides and answers it, on the page of that study."
ENOUGH = "You have as many questions on the list as you may; wait for answers to them."


class Asked(BaseModel):
    """A plot or table by the id in its answer, and a statement on it, if one is asked."""

    model_config = STRICT

    id: ViewId
    holds: Annotated[str, Field(max_length=LONGEST_STATEMENT)] = ""


class Decided(BaseModel):
    """What a custodian decides of a question, and why; the analyst reads both."""

    model_config = STRICT

    what: Literal["agreed", "declined"]
    text: str = Field(default="", max_length=MOST_LETTERS)


def ask(served: Served, caller: Caller, _: str, body: Body) -> Reply:
    """Put a question on the list: what a plot or table that the caller was answered shows."""
    found = _question(served, caller, body)
    plain = found.to_plain() if isinstance(found, Question) else {}

    def make() -> Reply:
        if isinstance(found, Refusal):
            return found
        listed = _listed(served)
        known = {id_ for id_, it in listed.items() if caller.name in it.callers}
        if len(known) >= MOST_QUESTIONS and found.id not in known:
            return refusal("request", ENOUGH)
        put = listed.get(found.id, Put(plain, "", ()))
        return {"question": _facts(put, answers_of(served.file))}

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
        check_question(served.file, served.file.policy.derive, question)
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
    listed = _listed(served)
    own = [it for it in listed.values() if caller.name in it.callers]
    there = answers_of(served.file)
    return {"questions": [_facts(it, there) for it in reversed(own)]}


def answers(served: Served, caller: Caller) -> dict[str, Any] | Refusal:
    """Return all answers from the data that the study file has."""
    too_many = over(served, caller, "answers")
    if too_many is not None:
        return too_many
    return {"answers": [answer_facts(it) for it in answers_of(served.file).values()]}


def all_questions(served: Served) -> dict[str, Any]:
    """Return the questions that are not answered, oldest first, and whose they are."""
    return {
        "questions": [
            {**_facts(it, {}), **_said(it.question), "at": it.at, "callers": sorted(it.callers)}
            for it in _unanswered(served).values()
        ],
        "command": _command(served),
    }


def _said(plain: Mapping[str, Any]) -> dict[str, str]:
    """Return what a question asks for as a title, and what its answer would give out."""
    question = Question.from_plain(plain)
    where = [text if not name else f"{name} is {text}" for name, text in question.asks]
    title = title_of(question.kind, {**question.request, "where": where})
    if not question.holds:
        kind = question.kind
        how = PLOTS[kind].answered if kind in PLOTS else kind
        return {"title": title, "gives": GIVES.get(how, COUNTS)}
    return {"title": f"Does “{question.holds}” hold? {title}", "gives": HOLDS}


def _command(served: Served) -> str:
    """Return the command by which the list is answered, with names as they are likely to be."""
    name, policy = served.name, served.file.policy.name
    data = name if PurePath(name).suffix[1:].isalnum() else "DATA"
    rules = policy if policy in PRESETS else f"{policy or 'POLICY'}.toml"
    file = f"{PurePath(name).stem if data == name else name}{SUFFIX}"
    return shlex.join(
        ["discreet", "answer", data, "questions.json", "--policy", rules, "--study", file]
    )


def question_file(served: Served) -> Sent:
    """Return the questions that were agreed to as the file that `discreet answer` takes."""
    if served.sites:
        return refusal("request", BY_EACH)
    agreed = [it.question for it in _unanswered(served).values() if it.said == "agreed"]
    listed = [Question.from_plain(it) for it in agreed]
    text = Questions(served.name, served.version, listed).to_json()
    headers = {"Content-Disposition": 'attachment; filename="questions.json"'}
    return SentFile(200, text.encode(), "application/json", headers)


def decide(served: Served, caller: Caller, id_: str, body: Body) -> Reply:
    """Agree to answer a question, or decline it with a reason."""
    if served.sites:
        return refused(served, caller, DECIDED, refusal("request", BY_EACH))
    waiting = _unanswered(served)
    request = {"id": id_, "said": body["what"], "text": body["text"].strip()}
    request["says"] = waiting[id_].question["says"] if id_ in waiting else ""

    def make() -> Reply:
        if id_ not in waiting:
            return refusal("unknown")
        if not check_words(body["text"]) and body["what"] == "declined":
            return refusal("request", NO_REASON)
        put = replace(waiting[id_], said=body["what"], reason=request["text"])
        return {"question": _facts(put, {})}

    return acted(served, caller, DECIDED, request if id_ in waiting else {}, make)


def _unanswered(served: Served) -> dict[str, Put]:
    there = {*answers_of(served.file)}
    return {id_: it for id_, it in _listed(served).items() if id_ not in there}


def _listed(served: Served) -> dict[str, Put]:
    """Return what the data are asked for; of several studies with what each has decided."""
    listed = put_questions(served.store, served.name, served.version)
    decided = {
        site.name: put_questions(served.store, site.manifest.study, site.manifest.version)
        for site in served.sites
    }
    if not decided:
        return listed
    return {
        id_: _decided(put, {name: it[id_] for name, it in decided.items() if id_ in it})
        for id_, put in listed.items()
    }


def _decided(put: Put, by: Mapping[str, Put]) -> Put:
    """Return a question to several studies: agreed if all agreed, declined if one declined."""
    reasons = [f"{name}: {it.reason}" for name, it in by.items() if it.said == "declined"]
    if reasons:
        return replace(put, said="declined", reason="; ".join(reasons))
    return replace(put, said="agreed" if all(it.said == "agreed" for it in by.values()) else "")


def _facts(put: Put, there: Mapping[str, Answer]) -> dict[str, Any]:
    id_ = put.question["id"]
    facts = {"id": id_, "says": put.question["says"], "state": put.said or "waiting"}
    if id_ in there:
        return {**facts, "state": "answered", "answer": answer_facts(there[id_])}
    return {**facts, "reason": put.reason} if put.said else facts
