"""What a board asks a server for beside single plots: the rows of the copy, and plots of it.

It is written down once that a caller explores the copy, and how often anybody asks is bounded in
memory alone.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from discreet.errors import InputError, RefusedError
from discreet.explore.board import ROWS, BoardRows
from discreet.explore.lights import Axis, Clause
from discreet.explore.new_columns import holds_codes
from discreet.plots.facets import FEWEST
from discreet.serve.answers import Sent, heavy, over, parts_of, refused, who
from discreet.serve.files import drawn
from discreet.serve.record import ANSWERED, Answer, LogEntry, explored, write_entry
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import (
    MOST_NEW,
    STRICT,
    WORDS,
    Body,
    Name,
    Text,
    check,
    refused_in_words,
)
from discreet.serve.studies import Served
from discreet.serve.tokens import Caller

EXPLORED = "copy"
STAYS = "rows: the copy of this study stays on the server; ask /api/copy for pictures"
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
    """Between two numbers (`to` belongs to it where it is `closed`), or of one of some levels."""

    model_config = STRICT

    column: Name
    levels: Listed | None = None
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
    """Hand out the rows of the copy; that a caller has them is written down once."""
    rows = served.kept.rows
    if rows is None:
        return refused(served, caller, ROWS, refusal("policy", STAYS))
    return _let_explore(served, caller, ROWS) or rows


def answer_copy(served: Served, caller: Caller, kind: str, body: Body) -> Sent:
    """Answer with a plot of the copy, of any rows and new columns."""
    stop = _let_explore(served, caller)
    if stop is not None:
        return stop
    accepted = check(served.copy, served.columns, kind, body)
    if isinstance(accepted, Refusal):
        return accepted

    def make() -> bytes:
        return f'{{"view":{replace(drawn(accepted), gate=None).to_json()}}}'.encode()

    result = heavy(served, caller, f"copy {kind} {accepted.text}", make)
    return result if isinstance(result, Refusal) else Answer(200, result)


def answer_light(served: Served, caller: Caller, _: str, body: Body) -> Sent:
    """Count the rows of the copy in each mark of some plots that fulfil a condition."""
    stop = _let_explore(served, caller)
    if stop is not None:
        return stop
    cards = [[Axis(**_given(axis)) for axis in card["marks"]["axes"]] for card in body["cards"]]
    light = [Clause(**_given(it)) for it in (body["light"] or {"all": ()})["all"]]
    try:
        counts, rows = served.kept.lights.counts(cards, light, body["where"], body["assign"])
    except (InputError, RefusedError) as error:
        return refused_in_words(error)
    answer = {"cards": [{"counts": it.ravel().tolist()} for it in counts], "rows": rows}
    return Answer(200, json.dumps(answer, separators=(",", ":")).encode())


def answer_part(served: Served, caller: Caller, _: str, body: Body) -> Sent:
    """Say how many rows of the copy some conditions keep, and which columns there are."""
    stop = _let_explore(served, caller)
    if stop is not None:
        return stop
    try:
        whole, rows = served.kept.lights.part(body["where"], body["assign"])
    except (InputError, RefusedError) as error:
        return refused_in_words(error)
    if body["where"] and rows < FEWEST:
        return refusal("policy", WORDS["where", "few"])
    levels = {name: whole.levels_of(name) for name in whole.copy.strata}
    columns = [
        {
            "name": name,
            "kind": "level" if name in levels else "number",
            "dates": name not in levels and whole.raw[name].dates is not None,
            "levels": [*levels[name]] if name in levels else None,
            "coded": name in levels and holds_codes(whole.raw[name]),
        }
        for name in whole.drawable
    ]
    answer = {"size": rows, "total": len(whole), "columns": columns}
    return Answer(200, json.dumps(answer, ensure_ascii=False).encode())


def _given(body: Body) -> dict[str, Any]:
    """Return what is said, lists as tuples."""
    given = {name: it for name, it in body.items() if it is not None}
    return {name: tuple(it) if isinstance(it, list) else it for name, it in given.items()}


def _let_explore(served: Served, caller: Caller, what: str = EXPLORED) -> Refusal | None:
    """Let a caller explore the copy: written down the first time, and bounded by a rate."""
    kept = served.kept
    if not served.desk.rate_of_copy.lets(who(served, caller)):
        return refusal("rate")
    if (caller.name, what) in kept.known:
        return None
    if not explored(served.store, served.name, served.version, what, caller.name):
        too_many = over(served, caller, what)
        if too_many is not None:
            return too_many
        entry = LogEntry(served.name, served.version, what, "", None, parts_of(served, what))
        write_entry(served.store, caller, entry, ANSWERED)
    kept.known.add((caller.name, what))
    return None
