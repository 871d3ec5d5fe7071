"""Outputs over HTTP: what analysts hand in and say of it, and what a custodian decides.

An analyst hands in what she was answered, as a file that the server makes, or as the page drew it:
then the server reads it strictly, so that it holds marks and words alone, and seals it. She sees
her own outputs alone, and of others' words the decisions alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from discreet.outputs.folder import Finding, judged
from discreet.outputs.of_answers import PLOT_FORMS, TABLE_FORMS, Answered, file_name
from discreet.outputs.page import PICTURES
from discreet.records.outputs import (
    COMMENT,
    MOST_LETTERS,
    WAITING,
    InForce,
    Output,
    Review,
    check_words,
    file_of,
    hand_in_bytes,
    list_outputs,
    review,
)
from discreet.serve.answers import Reply, Sent, acted, earlier_request, over, remake
from discreet.serve.drawings import DRAWN_FORMS, Text, drawn_file
from discreet.serve.record import Answer, Download, downloads, entry_of_view
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import STRICT, Body, ViewId
from discreet.serve.studies import Served
from discreet.serve.titles import title_of
from discreet.serve.tokens import Caller

HAND_IN, COMMENTED = "output handed in", "output commented"
REVIEWED, COLLECTED = "output reviewed", "outputs collected"
OUTPUTS = (HAND_IN, COMMENTED, REVIEWED, COLLECTED)
"""What the record calls what is done here."""
MOST_WAITING = 100
"""So many outputs of one caller may wait for a decision."""
MOST_COMMENTS = 50
"""So many comments a caller may write on one output."""
ENOUGH = "Too many of your outputs await a decision; hand in more once some are decided."
SAID_ENOUGH = "You have reached the number of comments allowed on this output."
BY_PAGE = "drawn by the page of who handed it in: compare it with the plot drawn by the server"
OTHER_FORM = "form: this plot or table is not given in this form"

Words = Annotated[str, Field(max_length=MOST_LETTERS, pattern=r"\S")]


class Said(BaseModel):
    """A comment on an output, or what is decided of it, and why."""

    model_config = STRICT

    what: Literal["comment", "approved", "rejected"]
    text: str = Field(default="", max_length=MOST_LETTERS)


def _handed_in() -> type[BaseModel]:
    """Return what a body holds that hands something in."""
    fields: dict[str, Any] = {
        "id": (ViewId, ...),
        "form": (Literal[(*PLOT_FORMS, *TABLE_FORMS, *DRAWN_FORMS["table"])], ...),
        "text": (Words, ...),
        "drawing": (Text | None, None),
    }
    model: type[BaseModel] = create_model("HandedIn", __config__=STRICT, **fields)
    model.__doc__ = (
        "A plot or table by the id in its answer, the format to hand in, what it is for, and for "
        "a picture the page's own drawing."
    )
    return model


HandedIn = _handed_in()


class Comment(BaseModel):
    """What is said of an output."""

    model_config = STRICT

    text: Words


class Collect(BaseModel):
    """Whose downloads are collected, as the record names them; everybody's where it is null."""

    model_config = STRICT

    caller: Annotated[str, Field(max_length=300)] | None = None


# --- what there is to see -------------------------------------------------------------------------


def outputs(served: Served) -> dict[str, Any]:
    """Return what was handed in, newest first, what was said of it, and what is still missing."""
    all_outputs = list_outputs(served.store, served.name)
    now = rules_in_force(served)
    missing = Counter(
        it for all_outputs in _not_handed_in(served, None) for it in all_outputs.callers
    )
    return {
        "outputs": [_facts(served, it, now) for it in reversed(all_outputs)],
        "downloaded": [{"caller": name, "files": missing[name]} for name in sorted(missing)],
    }


def seen(served: Served, caller: Caller) -> dict[str, Any] | Refusal:
    """Return a caller's own outputs, newest first; a custodian's are all."""
    too_many = over(served, caller, "outputs")
    if too_many is not None:
        return too_many
    all_outputs = list_outputs(served.store, served.name)
    now = rules_in_force(served)
    return {
        "outputs": [
            _facts_for(served, caller, it, now)
            for it in reversed(all_outputs)
            if _is_own(caller, it)
        ]
    }


def file(served: Served, id_: str) -> Sent:
    """Return an output's bytes, where the register has them."""
    data = file_of(served.store, served.name, _number(id_))
    if data is None:
        return refusal("unknown")
    # Never a page of this origin.
    return Answer(200, data, "application/octet-stream", {"Content-Disposition": "attachment"})


def rules_in_force(served: Served) -> InForce:
    """Return the content and the version of the file that is served."""
    return InForce(served.content, served.version)


# --- what is done ---------------------------------------------------------------------------------


def hand_in(served: Served, caller: Caller, _: str, body: Body) -> Reply:
    """Hand in a plot or table that the caller was answered, with what it is for."""
    view, form = body["id"], body["form"]
    store, now = served.store, rules_in_force(served)

    def make() -> Reply:
        text = check_words(body["text"])
        entry = earlier_request(served, caller, view)
        if isinstance(entry, Refusal):
            return entry
        if _waiting(served, caller, now) >= MOST_WAITING:
            return refusal("request", ENOUGH)
        made = _made(served, caller, view, form, [caller.name], body["drawing"])
        if isinstance(made, Refusal):
            return made
        finding, data = made
        name = file_name(view, form)
        output = hand_in_bytes(store, served.name, now, name, data, finding.record)
        if _comments(caller, output) >= MOST_COMMENTS:
            return refusal("request", SAID_ENOUGH)
        after = review(store, served.name, output.id, COMMENT, text, now, caller.name)
        return {"output": _facts_for(served, caller, after, now)}

    return acted(served, caller, HAND_IN, {"output": file_name(view, form)}, make)


def comment(served: Served, caller: Caller, id_: str, body: Body) -> Reply:
    """Comment on an output of one's own."""
    store, now = served.store, rules_in_force(served)
    output = _output(served, id_)
    own = output if output is not None and _is_own(caller, output) else None

    def make() -> Reply:
        if own is None:
            return refusal("unknown")
        if _comments(caller, own) >= MOST_COMMENTS:
            return refusal("request", SAID_ENOUGH)
        after = review(store, served.name, own.id, COMMENT, body["text"], now, caller.name)
        return {"output": _facts_for(served, caller, after, now)}

    return acted(served, caller, COMMENTED, {"output": own.name if own else ""}, make)


def review_output(served: Served, caller: Caller, id_: str, body: Body) -> Reply:
    """Comment on an output that was handed in, approve or reject it."""
    store, now, output = served.store, rules_in_force(served), _output(served, id_)
    request = {"output": output.name if output else "", "said": body["what"]}

    def make() -> Mapping[str, Any]:
        what, text = body["what"], body["text"]
        after = review(store, served.name, _number(id_), what, text, now, caller.name)
        return {"output": _facts(served, after, now)}

    return acted(served, caller, REVIEWED, request, make)


def collect(served: Served, caller: Caller, _: str, body: Body) -> Reply:
    """Hand in what was downloaded from the server but not yet handed in."""
    of, store, now = body["caller"], served.store, rules_in_force(served)

    def make() -> Reply:
        count = 0
        for it in _not_handed_in(served, of):
            made = _made(served, caller, it.view, it.form, it.callers)
            if isinstance(made, Refusal):
                return made  # such as "busy": what was made so far is handed in
            finding, data = made
            name = file_name(it.view, it.form)
            hand_in_bytes(store, served.name, now, name, data, finding.record)
            count += 1
        return {"collected": count}

    return acted(served, caller, COLLECTED, {"caller": of or ""}, make)


def _not_handed_in(served: Served, caller: str | None) -> Iterator[Download]:
    """Yield what was downloaded, by one caller or by anybody, and is no output yet."""
    store, name = served.store, served.name
    there = {it.name for it in list_outputs(store, name)}
    forms = (*PLOT_FORMS, *TABLE_FORMS, *DRAWN_FORMS["table"])
    for it in downloads(store, name, served.version, forms):
        if caller in (None, *it.callers) and file_name(it.view, it.form) not in there:
            # The server draws plots, and no tables.
            made = replace(it, form="table.html") if it.form in DRAWN_FORMS["table"] else it
            if file_name(made.view, made.form) not in there:
                yield made


def _made(
    served: Served,
    caller: Caller,
    view: str,
    form: str,
    callers: Sequence[str],
    drawing: str | None = None,
) -> tuple[Finding, bytes] | Refusal:
    """Return a file of a plot or table, and what its checker reads; or say why there is none.

    What a page drew is for a checker to look at: nobody but people can say whether it shows the
    numbers of its provenance.
    """
    entry = earlier_request(served, caller, view)
    if isinstance(entry, Refusal):
        return entry
    body = remake(served, caller, entry)
    if isinstance(body, Refusal):
        return body
    answer = Answered(view, body, entry.request)
    policy = served.file.policy
    settings = {"k": policy.k, "m": policy.members, "regime": policy.regime}
    judge = partial(judged, settings=settings, policy=policy, same=True)
    if drawing is not None:
        drawn = drawn_file(served, caller, entry, {"form": form, "drawing": drawing})
        if isinstance(drawn, Refusal):
            return drawn
        finding = answer.finding(drawn.data, judge, callers)
        says = (BY_PAGE, *finding.says[1:])
        return replace(finding, status="review", type="plot", says=says), drawn.data
    if not answer.has(form):
        return refusal("request", OTHER_FORM)
    data = served.desk.files.made(view, body, form, served.file.key)
    if isinstance(data, Refusal):
        return data
    return answer.finding(data, judge, callers), data


def _number(id_: str) -> int:
    """Return the number that an address holds; one that no output has for other words."""
    return int(id_) if id_.isascii() and id_.isdigit() and len(id_) < 16 else 0


def _output(served: Served, id_: str) -> Output | None:
    handed_in = list_outputs(served.store, served.name)
    return next((it for it in handed_in if it.id == _number(id_)), None)


def _is_own(caller: Caller, output: Output) -> bool:
    """Tell whether a caller handed an output in, or it was collected of what he downloaded."""
    own = caller.name in output.record.get("callers", ()) or _comments(caller, output) > 0
    return own or caller.role == "custodian"


def _comments(caller: Caller, output: Output) -> int:
    return sum(it.what == COMMENT and it.caller == caller.name for it in output.reviews)


def _waiting(served: Served, caller: Caller, now: InForce) -> int:
    """Count the outputs that a caller has handed in and that wait for a decision."""
    handed_in = list_outputs(served.store, served.name)
    return sum(_comments(caller, it) > 0 and it.state(now) == WAITING for it in handed_in)


def _facts(served: Served, output: Output, now: InForce) -> dict[str, Any]:
    record = output.record
    return {
        "id": output.id,
        "at": output.at,
        "version": output.version,
        "name": output.name,
        "digest": output.digest,
        "status": output.status(now),
        "kind": record["kind"],
        "title": _title(served, output),
        "view": record.get("view", ""),
        "says": [*output.says(now)],
        "state": output.state(now),
        "kept": output.kept,
        "picture": output.kept and PurePath(output.name).suffix.lower() in PICTURES,
        "callers": [*record.get("callers", ())],
        "reviews": [_review_facts(it) | {"caller": it.caller} for it in output.reviews],
    }


def _facts_for(served: Served, caller: Caller, output: Output, now: InForce) -> dict[str, Any]:
    """Return what the one who handed an output in is told of it: nobody else's comments."""
    record = output.record
    own = [it for it in output.reviews if it.what != COMMENT or it.caller == caller.name]
    return {
        "id": output.id,
        "at": output.at,
        "name": output.name,
        "view": record.get("view", ""),
        "title": _title(served, output),
        "state": output.state(now),
        "reviews": [_review_facts(it) for it in own],
    }


def _title(served: Served, output: Output) -> str:
    """Return what an output is called: by what was asked for, where the server was asked for it."""
    record = output.record
    entry = entry_of_view(served.store, served.name, record.get("view", ""), None)
    if entry is not None:
        return title_of(entry.what, json.loads(entry.request or "{}"))
    return title_of(record["kind"], {"columns": record.get("columns", ())}) or output.name


def _review_facts(it: Review) -> dict[str, str]:
    return {"at": it.at, "what": it.what, "text": it.text}
