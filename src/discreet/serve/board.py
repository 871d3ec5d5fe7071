"""What a board asks a server for beside single plots: the rows of the copy, and plots of it.

What is drawn of the copy was released with it. So it is recorded once that a caller explores the
copy, and how often anybody asks is bounded in memory alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from discreet.errors import InputError, LeavingError, LedgerError, RefusedError
from discreet.ledger.entries import ON_THE_WEB
from discreet.ledger.log import Answer, Caller, LogEntry, ask, kept
from discreet.serve.answers import differs, made, refused
from discreet.serve.facts import Served
from discreet.serve.files import drawn
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import (
    LONGEST_NAME,
    MOST_NEW,
    STRICT,
    WORDS,
    Name,
    Text,
    check,
    refused_in_words,
)
from discreet.study.board import ROWS, BoardRows, names_in
from discreet.study.derived import FEWEST
from discreet.study.lights import Axis, Clause
from discreet.study.new_columns import holds_codes

__all__ = [
    "LightBody",
    "PartBody",
    "answer_copy",
    "answer_light",
    "answer_part",
    "answer_rows",
]

EXPLORED = "copy"
STAYS = "rows: the policy of this study keeps its copy on the server; ask /api/copy for pictures"
NO_COPY = "this study has no copy of the whole table; ask /api/views for its plots"
NOT_DRAWN = (
    "these rows of the copy cannot be drawn so: they are too few, or alike; keep more rows, or draw"
    " other columns"
)
MOST_CARDS = 64
MOST_CLAUSES = 100
MOST_MARKS = 5000
MOST_AXES = 4


Number = Annotated[float, Field(allow_inf_nan=False)]
Conditions = Annotated[list[Text], Field(max_length=MOST_NEW)]
NewColumns = Annotated[list[tuple[Name, Text]], Field(max_length=MOST_NEW)]
Listed = Annotated[list[Name], Field(min_length=1, max_length=MOST_MARKS)]


class AxisBody(BaseModel):
    """The marks of a plot along one column: edges of bins that rise, or levels."""

    model_config = STRICT

    column: Name
    edges: Annotated[list[Number], Field(min_length=2, max_length=MOST_MARKS)] | None = None
    levels: Listed | None = None


class MarksBody(BaseModel):
    """The axes of a plot, whose marks are counted row by row of the first."""

    model_config = STRICT

    axes: Annotated[list[AxisBody], Field(min_length=1, max_length=MOST_AXES)]


class CardBody(BaseModel):
    """A plot, of which its marks alone are looked at."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True, hide_input_in_errors=True)

    marks: MarksBody


class ClauseBody(BaseModel):
    """Between two numbers (`to` belongs to it where it is `closed`), or of a level."""

    model_config = STRICT

    column: Name
    level: Annotated[str, Field(max_length=LONGEST_NAME)] | None = None
    least: Annotated[Number | None, Field(alias="from")] = None
    upto: Annotated[Number | None, Field(alias="to")] = None
    closed: bool = False


class ConditionBody(BaseModel):
    """Clauses that all have to hold."""

    model_config = STRICT

    all: Annotated[list[ClauseBody], Field(max_length=MOST_CLAUSES)]


class PartBody(BaseModel):
    """Which rows of the copy there are, and which new columns."""

    model_config = STRICT

    where: Conditions = []
    assign: NewColumns = []


class LightBody(BaseModel):
    """Which rows of the copy there are, which of them light up, and the marks they are in."""

    model_config = STRICT

    where: Conditions = []
    assign: NewColumns = []
    light: ConditionBody | None = None
    cards: Annotated[list[CardBody], Field(max_length=MOST_CARDS)] = []


def answer_rows(served: Served, caller: Caller) -> BoardRows | Refusal:
    """Hand out the rows of the copy, to each caller recorded once."""
    rows = served.held.rows
    if rows is None:
        why = STAYS if served.held.there else NO_COPY
        return refused(served, caller, ROWS, refusal("policy", why))

    def make() -> bytes:
        rows.gate(ON_THE_WEB)
        return json.dumps({"rows": rows.digest}).encode()

    return _explored(served, caller, ROWS, make) or rows


def answer_copy(
    served: Served, caller: Caller, kind: str, body: Mapping[str, Any]
) -> Answer | Refusal:
    """Answer with a plot of the copy, of any rows and new columns; it is not kept."""
    stop = _let_explore(served, caller)
    if stop is not None:
        return stop
    asked = check(served.study, served.columns, kind, body)
    if isinstance(asked, Refusal):
        return asked
    name, held = (kind, asked.text), served.held.pictures
    found = held.get(name)
    if found is None:
        try:
            with served.turn:
                view = drawn(asked)
            plain = replace(view, gate=None).to_json()
        except (InputError, RefusedError):
            return refusal("data", NOT_DRAWN)
        found = f'{{"view":{plain}}}'.encode()
        held.put(name, found)
    return Answer(200, found)


def answer_light(served: Served, caller: Caller, body: Mapping[str, Any]) -> Answer | Refusal:
    """Count the rows of the copy in each mark of some plots that fulfil a condition."""
    stop = _let_explore(served, caller)
    if stop is not None:
        return stop
    cards = [[Axis(**_given(axis)) for axis in card["marks"]["axes"]] for card in body["cards"]]
    light = [Clause(**_given(it)) for it in (body["light"] or {"all": ()})["all"]]
    try:
        found, rows = served.held.lights.counts(cards, light, body["where"], body["assign"])
    except (InputError, RefusedError) as error:
        return refused_in_words(error)
    told = {"cards": [{"counts": it.ravel().tolist()} for it in found], "rows": rows}
    return Answer(200, json.dumps(told, separators=(",", ":")).encode())


def answer_part(served: Served, caller: Caller, body: Mapping[str, Any]) -> Answer | Refusal:
    """Say how many rows of the copy some conditions keep, and which columns there are."""
    stop = _let_explore(served, caller)
    if stop is not None:
        return stop
    try:
        whole, rows = served.held.lights.part(body["where"], body["assign"])
    except (InputError, RefusedError) as error:
        return refused_in_words(error)
    if body["where"] and rows < FEWEST:
        return refusal("policy", WORDS["where", "few"])
    levels = whole.levels
    columns = [
        {
            "name": name,
            "kind": "level" if name in levels else "number",
            "dates": name not in levels and whole.raw[name].dates is not None,
            "levels": [*levels[name]] if name in levels else None,
            "coded": name in levels and holds_codes(whole.raw[name]),
        }
        for name in names_in(whole)
    ]
    told = {"size": rows, "total": len(whole), "columns": columns}
    return Answer(200, json.dumps(told, ensure_ascii=False).encode())


def _given(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said, lists as tuples."""
    given = {name: it for name, it in said.items() if it is not None}
    return {name: tuple(it) if isinstance(it, list) else it for name, it in given.items()}


def _let_explore(served: Served, caller: Caller) -> Refusal | None:
    """Let a caller explore the copy where it is, or say why not."""
    if not served.held.there:
        return refused(served, caller, EXPLORED, refusal("policy", NO_COPY))

    def make() -> bytes:
        session = served.study.session
        session.gate_of_copy(EXPLORED, names_in(session.whole))(ON_THE_WEB)
        return json.dumps({"copy": session.whole.copy.version}).encode()

    return _explored(served, caller, EXPLORED, make)


def _explored(
    served: Served, caller: Caller, what: str, make: Callable[[], bytes]
) -> Refusal | None:
    """Let a caller explore the copy: recorded the first time, and bounded by a rate."""
    held = served.held
    if not held.rate.lets(caller.name):
        return refusal("rate")
    if (caller.name, what) not in held.known:
        view, store = str(_question(served, what).view), served.ledger.store
        before = kept(store, served.name, served.version, view, caller.name)
        found = _recorded(served, caller, what, make) if before is None else before
        if isinstance(found, Refusal):
            return found
        if found.status != 200:
            return refusal("data")
        held.known.add((caller.name, what))
    try:
        served.study.session.release_gate.check_unchanged()
    except LedgerError:
        raise
    except LeavingError as error:
        return refusal("leaving", differs(error.what))
    return None


def _recorded(
    served: Served, caller: Caller, what: str, make: Callable[[], bytes]
) -> Answer | Refusal:
    """Record that a caller asks, and answer as before, or with what is made."""
    question = _question(served, what)
    receipt = ask(served.ledger.store, caller, question, served.a_minute)
    if receipt.outcome == "rate":
        return refusal("rate")
    return receipt.answer or made(served, receipt, question, make)


def _question(served: Served, what: str) -> LogEntry:
    """Return what is recorded: the same question of the same copy has the same name."""
    told = json.dumps([served.name, served.version, served.edition, what])
    name = hashlib.sha256(told.encode()).hexdigest()[:32]
    return LogEntry(served.name, served.version, what, "{}", name)
