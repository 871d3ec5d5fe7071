"""How a request is answered: checked, made of the study file, written into the log, and sent.

Nothing is sent that was not written down before. What is made is the same whenever it is asked for,
so a plot or table that was asked for before is made again, by its id.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, create_model

from discreet.errors import InputError, LeavingError, RefusedError
from discreet.explore.derived import DerivedCopy
from discreet.explore.facts import study_facts
from discreet.explore.pooled import own_columns, studies_facts
from discreet.explore.table_kinds import TABLES, TableAsked, TableField
from discreet.render.scene import scene_to_plain
from discreet.serve.files import drawn, picture_json
from discreet.serve.record import (
    ANSWERED,
    DONE,
    KIND,
    QUESTION,
    Answer,
    LogEntry,
    entry_of_view,
    write_entry,
)
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import (
    LONGEST_FORMULA,
    STRICT,
    Body,
    Name,
    check,
    derivation_fields,
    part_of,
    parted,
    refused_in_words,
)
from discreet.serve.studies import Served
from discreet.serve.tokens import Caller

VIEW, TABLE = "view", "table"
"""What the answer of a plot holds, and that of a table."""

Sent = Answer | Refusal
Reply = Sent | Mapping[str, Any]
"""What is sent; of an object its JSON."""
T = TypeVar("T")
#: Makes what is sent, or says why not; called while nothing else is made.
Maker = Callable[[], bytes | Refusal]


def study_json(served: Served, caller: Caller) -> dict[str, Any] | Refusal:
    """Return what a form is made of."""
    return recorded(
        served,
        caller,
        "study",
        "",
        lambda: {
            "study": served.name,
            "version": served.version,
            "caller": {"name": caller.name, "role": caller.role},
            **study_facts(served.copy, served.columns),
            **studies_facts(served.file),
            "rows": served.kept.facts(),
            "suggestions": served.kept.suggestions,
        },
    )


def answer(served: Served, caller: Caller, kind: str, body: Body) -> Sent:
    """Answer a request for a plot or table that its schema let pass."""
    checked = _checked(served, kind, body)
    if isinstance(checked, Refusal):
        return refused(served, caller, kind, checked)
    text, make = checked
    name = served.id_of(kind, text)

    def work() -> bytes | Refusal:
        return heavy(served, caller, name, lambda: make(name))

    return _sent(recorded(served, caller, kind, text, work, name))


def answer_again(served: Served, caller: Caller, view: str, what: str, held: str = VIEW) -> Sent:
    """Answer with a plot or table that the caller has asked for before; a custodian sees any.

    `what` says in the record what it is wanted for, `held` whether it is a plot or a table.
    """
    before = earlier_request(served, caller, view, held)
    if isinstance(before, Refusal):
        return refused(served, caller, what, before)
    request = json.dumps({"view": view})
    return _sent(recorded(served, caller, what, request, lambda: remake(served, caller, before)))


def earlier_request(
    served: Served, caller: Caller, view: str, held: str | None = None
) -> LogEntry | Refusal:
    """Return what a caller asked for when a plot or table was made, by its id."""
    own = None if caller.role == "custodian" else caller.name
    entry = entry_of_view(served.store, served.name, view, own)
    if entry is None or held not in (None, TABLE if entry.what in TABLES else VIEW):
        return refusal("unknown")
    # By the content of the file, of which another version has another.
    same = entry.view == served.id_of(entry.what, entry.request)
    return entry if same else refusal("version")


def remake(served: Served, caller: Caller, entry: LogEntry) -> bytes | Refusal:
    """Make a plot or table again that was asked for."""
    checked, name = _checked(served, entry.what, json.loads(entry.request)), str(entry.view)
    if isinstance(checked, Refusal):
        return checked
    _, make = checked
    return heavy(served, caller, name, lambda: make(name))


def _checked(
    served: Served, kind: str, body: Body
) -> tuple[str, Callable[[str], bytes | Refusal]] | Refusal:
    """Return a request as the one text that it has, and what makes its answer by its id."""
    if kind in TABLES:
        given = {name: it for name, it in body.items() if it is not None}
        text = json.dumps(given, sort_keys=True, separators=(",", ":"))
        return text, lambda name: table_sent(served.copy, kind, given, name)
    accepted = check(served.copy, served.columns, kind, body)
    if isinstance(accepted, Refusal):
        return accepted
    return accepted.text, lambda name: picture_json(drawn(accepted).sealed(), name)


def recorded(
    served: Served,
    caller: Caller,
    what: str,
    request: str,
    make: Callable[[], T | Refusal],
    view: str | None = None,
    done: str = ANSWERED,
) -> T | Refusal:
    """Make what is asked for, and record what became of it before it is sent.

    Where it is one too many in a minute, nothing is made.
    """
    too_many = over(served, caller, what)
    if too_many is not None:
        return too_many
    try:
        result = make()
    except BaseException:
        if view is not None:
            with suppress(LeavingError):
                _write(served, caller, what, request, view, "broken")
        raise
    outcome = result.code if isinstance(result, Refusal) else done
    _write(served, caller, what, request, view, outcome)
    return result


def refused(served: Served, caller: Caller, what: str, reason: Refusal) -> Refusal:
    """Record a request that is refused whatever the rows hold, and return what is said."""
    return recorded(served, caller, what, "", lambda: reason)


def acted(
    served: Served,
    caller: Caller,
    what: str,
    request: Mapping[str, Any],
    make: Callable[[], T | Refusal],
) -> T | Refusal:
    """Do something that shows nothing of the rows, and record how it ended."""

    def act() -> T | Refusal:
        try:
            return make()
        except InputError as error:
            return refusal("request", f"{error}.")

    text = json.dumps(request, sort_keys=True) if request else ""
    return recorded(served, caller, what, text, act, done=DONE)


def over(served: Served, caller: Caller, what: str) -> Refusal | None:
    """Count a request; refuse one too many in a minute, of which the first is written down."""
    rate = served.desk.rate
    count = rate.count(who(served, caller))
    if count <= rate.most:
        return None
    if count == rate.most + 1:
        _write(served, caller, what, "", None, "rate")
    return refusal("rate")


def _write(
    served: Served, caller: Caller, what: str, request: str, view: str | None, outcome: str
) -> None:
    parts: tuple[LogEntry, ...] = ()
    if outcome == ANSWERED and what != "study":
        parts = parts_of(served, what, request)
    elif outcome == DONE and what == QUESTION:  # which each study is asked, and answers
        parts = tuple(
            LogEntry(it.manifest.study, it.manifest.version, what, request, None)
            for it in served.sites
        )
    entry = LogEntry(served.name, served.version, what, request, view, parts)
    write_entry(served.store, caller, entry, outcome)


def parts_of(served: Served, what: str, request: str = "") -> tuple[LogEntry, ...]:
    """Return what was looked at of each study that a study is made of, and nothing of the others.

    Of the rows it is all columns that the study has, else those of them that the request names.
    """
    if not served.sites:
        return ()
    kind, texts = what, None
    if request:
        asked = json.loads(request)
        if "view" in asked:  # a file of a plot or table that was asked for before
            made = entry_of_view(served.store, served.name, asked["view"], None)
            kind, asked = (what, {}) if made is None else (made.what, json.loads(made.request))
        texts = [*_texts_in(asked)]
    return tuple(
        LogEntry(
            site.manifest.study,
            site.manifest.version,
            what,
            json.dumps({"through": served.name, KIND: kind, "columns": own_columns(site, texts)}),
            None,
        )
        for site in served.sites
    )


def _texts_in(asked: object) -> Iterator[str]:
    """Yield all texts in a request, names among them."""
    if isinstance(asked, str):
        yield asked
    elif isinstance(asked, Mapping):
        yield from chain(asked, *map(_texts_in, asked.values()))
    elif isinstance(asked, Sequence):
        yield from chain(*map(_texts_in, asked))


def heavy(served: Served, caller: Caller, name: str, make: Maker) -> bytes | Refusal:
    """Make something in the caller's turn, unless it is kept under its name."""
    kept = served.kept.answers
    known = kept.get((name,))
    if known is not None:
        return known
    with served.desk.turns.of(who(served, caller)) as mine:
        if not mine:
            return refusal("busy")
        known = kept.get((name,))  # whose turn it was before may have wanted the same
        if known is not None:
            return known
        try:
            made = make()
        except (RefusedError, InputError):
            return refusal("data")
    if isinstance(made, bytes):
        kept.put((name,), made)
    return made


def _sent(result: bytes | Refusal) -> Sent:
    return result if isinstance(result, Refusal) else Answer(200, result)


def who(served: Served, caller: Caller) -> str:
    """Return what tells a caller of one study from one of the same name of another."""
    return f"{served.name}\0{caller.name}"


# --- tables ---------------------------------------------------------------------------------------

LONGEST_WORD = 40


def table_body(table: TableAsked) -> type[BaseModel]:
    """Return what the body of a request for a table may hold."""
    fields: dict[str, Any] = {
        it.name: (_type_of(it), ...) if it.least else (_type_of(it) | None, None)
        for it in table.fields
    }
    title = f"{table.name.capitalize()}TableBody"
    model: type[BaseModel] = create_model(title, __config__=STRICT, **fields, **derivation_fields())
    model.__doc__ = table.says
    return model


def _type_of(it: TableField) -> Any:
    if it.type in ("columns", "words"):
        return Annotated[list[Name], Field(min_length=1, max_length=it.most)]
    if it.type == "levels":
        return Annotated[dict[Name, Name], Field(min_length=1, max_length=it.most)]
    if it.type == "formula":
        return Annotated[str, Field(min_length=1, max_length=LONGEST_FORMULA)]
    return Name if it.type == "column" else Annotated[str, Field(max_length=LONGEST_WORD)]


def table_sent(copy: DerivedCopy, kind: str, body: Body, name: str) -> bytes | Refusal:
    """Return what is sent of a table; why there is none is said in fixed words."""
    given, derivation = parted(body)
    try:
        table = TABLES[kind].make(part_of(copy, derivation), given).sealed()
    except (InputError, RefusedError) as error:
        return refused_in_words(error)
    plain = replace(table, gate=None)
    answer = {
        "id": name,
        "kind": kind,
        "table": json.loads(plain.to_json()),
        "text": plain.to_text(),
        "scene": scene_to_plain(plain.scene()) if plain.has_plot else None,
    }
    return json.dumps(answer, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
