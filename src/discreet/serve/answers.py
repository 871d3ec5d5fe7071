"""How a request is answered: checked, recorded, drawn, let out by the ledger, kept, and sent.

What is sent was recorded before; a question that was answered is answered from the ledger, byte
for byte. Only what a View holds is ever sent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from discreet.errors import InputError, LeavingError, LedgerError, RefusedError
from discreet.ledger.entries import ON_THE_WEB
from discreet.ledger.log import (
    Answer,
    Caller,
    LogEntry,
    Receipt,
    ask,
    close,
    keep,
    kept,
)
from discreet.plots import PLOTS
from discreet.protect import Whole
from discreet.serve.facts import Served
from discreet.serve.files import drawn, orders_told, picture_told
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import Accepted, check
from discreet.serve.tables import table_sent
from discreet.study.facts import study_facts
from discreet.study.session import orders, orders_of_copy

__all__ = [
    "TABLE",
    "VIEW",
    "acted",
    "answer_again",
    "answer_orders",
    "answer_table",
    "answer_view",
    "differs",
    "made",
    "own_answer",
    "refused",
    "study_json",
]

VIEW, TABLE = "view", "table"
"""What the answer of a plot holds, and that of a table."""

T = TypeVar("T")
#: Makes what is sent, or says why not; called while no other picture is made.
Maker = Callable[[], bytes | Refusal]


def study_json(served: Served, caller: Caller) -> dict[str, Any] | Refusal:
    """Return what a form is made of; record who looks."""
    over = _at_once(served, caller, "study", None, "answered")
    if over is not None:
        return over
    return {
        "study": served.name,
        "version": served.version,
        "caller": {"name": caller.name, "role": caller.role},
        **study_facts(served.study.session, served.columns),
        "rows": served.held.facts(),
    }


def answer_view(
    served: Served, caller: Caller, kind: str, body: Mapping[str, Any]
) -> Answer | Refusal:
    """Answer a request for a plot that its schema let pass, and record it first.

    The bytes of an answer are kept in the ledger.
    """
    asked = check(served.study, served.columns, kind, body)
    if isinstance(asked, Refusal):
        return refused(served, caller, kind, asked)
    view = _name_of(served, asked)
    question = LogEntry(served.name, served.version, kind, asked.text, view)
    receipt = ask(served.ledger.store, caller, question, served.a_minute)
    if receipt.outcome == "rate":
        return refusal("rate")
    if receipt.answer is None:
        return made(served, receipt, question, lambda: _picture(served, asked, view))
    return receipt.answer


def answer_table(
    served: Served, caller: Caller, kind: str, body: Mapping[str, Any]
) -> Answer | Refusal:
    """Answer a request for a table that its schema let pass, and record it first."""
    given = {name: it for name, it in body.items() if it is not None}
    text = json.dumps(given, sort_keys=True, separators=(",", ":"))
    told = json.dumps([served.name, served.version, served.edition, f"table {kind}", text])
    name = hashlib.sha256(told.encode()).hexdigest()[:32]
    question = LogEntry(served.name, served.version, kind, text, name)
    receipt = ask(served.ledger.store, caller, question, served.a_minute)
    if receipt.outcome == "rate":
        return refusal("rate")
    if receipt.answer is not None:
        return receipt.answer
    return made(served, receipt, question, lambda: table_sent(served.study, kind, given, name))


def answer_again(
    served: Served, caller: Caller, view: str, what: str, held: str = VIEW
) -> Answer | Refusal:
    """Answer with a plot that the caller has asked for before; a custodian sees any.

    `what` says in the record what it is wanted for, `held` whether it is a plot or a table.
    """
    found = own_answer(served, caller, view)
    if found is None or (found.status == 200 and held not in json.loads(found.body)):
        return refused(served, caller, what, refusal("unknown"))
    return _at_once(served, caller, what, found, "answered", json.dumps({"view": view}))


def answer_orders(served: Served, caller: Caller, view: str) -> Answer | Refusal:
    """Say which orders of the axes of a plot are allowed that are one move away from its own.

    That tells of the data, so it is told beside plots alone.
    """
    found = own_answer(served, caller, view)
    sent = {} if found is None or found.status != 200 else json.loads(found.body)
    if not (sent.get("kind") in PLOTS and PLOTS[sent["kind"]].axes):
        return refused(served, caller, "orders", refusal("unknown"))
    axes = sent["view"]["axes"]
    columns = tuple(axis["name"] for axis in axes)
    of_copy = sent["view"]["method"] == Whole.name
    sensitive = [axis["name"] for axis in axes if axis["sensitive"]]
    question = LogEntry(served.name, served.version, "orders", json.dumps({"view": view}), None)
    receipt = ask(served.ledger.store, caller, question, served.a_minute)
    if receipt.outcome == "rate":
        return refusal("rate")

    def make() -> bytes:
        if of_copy:
            return orders_told(columns, orders_of_copy(columns))
        return orders_told(columns, orders(served.study.session, columns, sensitive or None))

    return made(served, receipt, question, make)


def refused(served: Served, caller: Caller, what: str, found: Refusal) -> Refusal:
    """Record a request that is refused whatever the data hold, and return what is said."""
    return _at_once(served, caller, what, found, found.code)


def _at_once(
    served: Served, caller: Caller, what: str, found: T, code: str, request: str = ""
) -> T | Refusal:
    """Record a request together with how it ends, and return that unless it was one too many."""
    question = LogEntry(served.name, served.version, what, request, None)
    receipt = ask(served.ledger.store, caller, question, served.a_minute, code=code)
    return refusal("rate") if receipt.outcome == "rate" else found


def own_answer(served: Served, caller: Caller, view: str) -> Answer | None:
    """Return what was answered of a view that the caller asked for; to a custodian of any."""
    own = None if caller.role == "custodian" else caller.name
    return kept(served.ledger.store, served.name, served.version, view, own)


def acted(
    served: Served,
    caller: Caller,
    what: str,
    request: Mapping[str, Any],
    make: Callable[[], T | Refusal],
) -> T | Refusal:
    """Record what somebody does that shows nothing of the data, do it, and record how it ended."""
    told = json.dumps(request, sort_keys=True) if request else ""
    question = LogEntry(served.name, served.version, what, told, None)
    receipt = ask(served.ledger.store, caller, question, served.a_minute)
    if receipt.outcome == "rate":
        return refusal("rate")
    try:
        found = make()
    except InputError as error:
        found = refusal("request", f"{error}.")
    close(served.ledger.store, receipt, found.code if isinstance(found, Refusal) else "done")
    return found


def made(served: Served, receipt: Receipt, question: LogEntry, make: Maker) -> Answer | Refusal:
    """Make what was asked for when it is its turn, and keep it."""
    store = served.ledger.store
    if not served.places.take():
        close(store, receipt, "busy")
        return refusal("busy")
    try:
        with served.turn:
            before = _made_meanwhile(served, receipt, question)
            if before is not None:
                return before
            found, lasts = _tried(served, make)
            answer = _recorded(
                served, receipt, question if lasts else replace(question, view=None), found
            )
    except LedgerError:
        raise  # it cannot be written, so how this ended cannot be either
    except BaseException:
        with suppress(LeavingError):
            close(store, receipt, "broken")
        raise
    finally:
        served.places.give_back()
    return answer


def _tried(served: Served, make: Maker) -> tuple[bytes | Refusal, bool]:
    """Return what was made, or why it was not; and whether that stays so."""
    session = served.study.session
    try:
        session.release_gate.check_unchanged()
        found: tuple[bytes | Refusal, bool]
        try:
            found = make(), True
        except LeavingError:
            raise
        except RefusedError:
            found = refusal("data"), True
        except InputError:
            # Of the data, or of a file that cannot be had just now: the same words, not for ever.
            found = refusal("data"), False
        session.release_gate.check_unchanged()  # of other data not even a refusal is told
        return found
    except LedgerError:
        raise
    except LeavingError as error:
        return refusal("leaving", differs(error.what)), False


def _made_meanwhile(served: Served, receipt: Receipt, question: LogEntry) -> Answer | None:
    """Return what somebody else was answered who asked for the same, and was first."""
    if question.view is None:
        return None
    store = served.ledger.store
    found = kept(store, question.study, question.version, question.view, None)
    if found is not None:
        close(store, receipt, "repeated")
    return found


def _recorded(
    served: Served, receipt: Receipt, question: LogEntry, found: bytes | Refusal
) -> Answer | Refusal:
    """Record how a question ended, before anybody is told; keep what stays so."""
    store = served.ledger.store
    code = "answered" if isinstance(found, bytes) else found.code
    if question.view is None or code not in ("answered", "data"):
        close(store, receipt, code)
        return Answer(200, found) if isinstance(found, bytes) else found
    answer = Answer(200, found) if isinstance(found, bytes) else Answer(found.status, found.body)
    return keep(store, receipt, question, answer, code)


def differs(what: str) -> str:
    """Say which choice is not that of the plot of these columns released before."""
    if not what:
        return ""
    if what == "version":
        return "A new version of the study was opened; the server must be started again with it."
    return (
        f"The {what} is not that of the plot released before, and the two together reveal too much;"
        " draw that one."
    )


def _picture(served: Served, asked: Accepted, name: str) -> bytes | Refusal:
    """Draw a plot and release it; what is returned may be sent."""
    try:
        view = drawn(asked).sealed()
    except LeavingError:
        raise
    except RefusedError:
        if not PLOTS[asked.plot.plot].axes or asked.plot.of_copy:
            raise
        found = orders(served.study.session, asked.plot.columns, asked.body.get("sensitive"))
        if not found.why:
            raise
        allowed = found.nearest != asked.plot.columns and not found.nearest_why
        near = {**asked.body, "columns": [*found.nearest]} if allowed else None
        return refusal("order", f"The axes may not stand in this order: {found.why}.", near)
    told = picture_told(view, name)
    view.ask_to_leave(ON_THE_WEB)
    return told


def _name_of(served: Served, asked: Accepted) -> str:
    """Name a picture: the same question of the same data and policy has the same name."""
    told = json.dumps([served.name, served.version, served.edition, asked.plot.plot, asked.text])
    return hashlib.sha256(told.encode()).hexdigest()[:32]
