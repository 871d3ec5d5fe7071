"""How a request is answered: checked, recorded, drawn, let out by the ledger, kept, and sent.

What is sent was recorded before; a question that was answered is answered from the ledger, byte
for byte. Only what a View holds is ever sent.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from discreet.errors import InputError, LeavingError, RefusedError
from discreet.ledger import Ledger
from discreet.ledger.requests import (
    Allowance,
    Answer,
    Asked,
    Question,
    ask,
    close,
    keep,
    kept,
    used,
)
from discreet.ledger.tokens import Caller
from discreet.serve.checking import Wish, check
from discreet.serve.describing import study_told
from discreet.serve.drawing import drawn, orders_told, picture_told
from discreet.serve.refusals import Refusal, refusal
from discreet.study import Study
from discreet.study.told import (
    ToldColumn,
    axis_moves,
    drawable,
    ledger_of_study,
    name_of,
    settle_anew,
)

__all__ = ["Served", "answer_again", "answer_orders", "answer_view", "refused", "study_json"]

FORM = "web"
MOST_WAITING = 16  # requests that wait for their turn
# What is held back because of the data is told at the end of one of these, whenever it was found.
SLOT_SECONDS = 0.25
OVER = ("rate", "budget")  # of the allowance

#: Makes what is sent, or says why not; called while no other picture is made.
Maker = Callable[[], bytes | Refusal]


@dataclass(frozen=True)
class Served:
    """A study that is served: one picture of it is made at a time, the others wait."""

    study: Study
    turn: threading.Lock = field(default_factory=threading.Lock)
    waiting: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(MOST_WAITING)
    )

    @cached_property
    def columns(self) -> Mapping[str, ToldColumn]:
        """The columns that may be drawn."""
        return {it.name: it for it in drawable(self.study)}

    @cached_property
    def name(self) -> str:
        """The name by which the ledger knows the study."""
        return name_of(self.study)

    @property
    def ledger(self) -> Ledger:
        """Where all is recorded."""
        return ledger_of_study(self.study)

    @property
    def allowance(self) -> Allowance:
        """How much one caller may ask for."""
        policy = self.study.policy
        return Allowance(policy.budget, policy.requests_a_minute)


def study_json(served: Served, caller: Caller) -> dict[str, Any]:
    """Return what a form is made of, and how much of the allowance is used."""
    version = served.ledger.version(served.name)
    # A picture that is being made has settled it anew: to wait for it would let many who only look
    # at the form keep all others waiting.
    if served.turn.acquire(blocking=False):
        try:
            settle_anew(served.study)
        finally:
            served.turn.release()
    told = study_told(served.study, served.columns)
    allowance = served.allowance
    return {
        "study": served.name,
        "version": version,
        "caller": {"name": caller.name, "role": caller.role},
        **told,
        "allowance": {
            "views": allowance.views,
            "used": used(served.ledger.store, caller.name, served.name, version),
            "a_minute": allowance.a_minute,
        },
    }


def answer_view(
    served: Served, caller: Caller, kind: str, body: Mapping[str, Any]
) -> Answer | Refusal:
    """Answer a request for a picture, and record it first.

    Parameters
    ----------
    served : Served
        The study.
    caller : Caller
        Who asks.
    kind : str
        Which picture.
    body : mapping
        What the schema of the picture let pass.

    Returns
    -------
    Answer or Refusal
        The bytes that are kept in the ledger, or why there are none.
    """
    wish = check(served.study, served.columns, kind, body)
    if isinstance(wish, Refusal):
        return refused(served, caller, kind, wish)
    version = served.ledger.version(served.name)
    view = _name_of(served, version, wish)
    question = Question(served.name, version, kind, wish.request, view)
    asked = ask(served.ledger.store, caller, question, served.allowance)
    if asked.outcome in OVER:
        return refusal(asked.outcome)
    return asked.answer or _made(served, asked, question, lambda: _picture(served, wish, view))


def answer_again(served: Served, caller: Caller, view: str, what: str) -> Answer | Refusal:
    """Answer with a picture that the caller has asked for before; a custodian sees any.

    Parameters
    ----------
    served, caller
        As of `answer_view`.
    view : str
        The name of the picture.
    what : str
        What the record says that it is wanted for.

    Returns
    -------
    Answer or Refusal
    """
    version, store = served.ledger.version(served.name), served.ledger.store
    own = None if caller.role == "custodian" else caller.name
    found = kept(store, served.name, version, view, own)
    if found is None:
        return refused(served, caller, what, refusal("unknown"))
    question = Question(served.name, version, what, json.dumps({"view": view}), None)
    asked = ask(store, caller, question, served.allowance, code="answered")
    return refusal(asked.outcome) if asked.outcome in OVER else found


def answer_orders(served: Served, caller: Caller, columns: list[str]) -> Answer | Refusal:
    """Say which orders of axes are allowed that are one move away from this one."""
    wish = check(served.study, served.columns, "parallel", {"columns": columns})
    if isinstance(wish, Refusal):
        return refused(served, caller, "orders", wish)
    version = served.ledger.version(served.name)
    question = Question(served.name, version, "orders", wish.request, None)
    asked = ask(served.ledger.store, caller, question, served.allowance)
    if asked.outcome in OVER:
        return refusal(asked.outcome)
    return _made(served, asked, question, lambda: _orders(served, wish))


def refused(served: Served, caller: Caller, what: str, found: Refusal) -> Refusal:
    """Record a request that is refused whatever the data hold, and return what is said."""
    question = Question(served.name, served.ledger.version(served.name), what, "", None)
    asked = ask(served.ledger.store, caller, question, served.allowance, code=found.code)
    return refusal(asked.outcome) if asked.outcome in OVER else found


def _made(served: Served, asked: Asked, question: Question, make: Maker) -> Answer | Refusal:
    """Make what was asked for when it is its turn, and keep it."""
    store, began = served.ledger.store, time.monotonic()
    if not served.waiting.acquire(blocking=False):
        close(store, asked, "busy")
        return refusal("busy")
    try:
        with served.turn:
            settle_anew(served.study)
            found: bytes | Refusal = make()
    except LeavingError as error:
        found = refusal("leaving", _differs(error.what))
    except RefusedError:
        found = refusal("data")
    except InputError:
        # Of the data, or of a file that cannot be had just now: the same words, but not for ever.
        found, question = refusal("data"), replace(question, view=None)
    except BaseException:
        with suppress(LeavingError):
            close(store, asked, "broken")
        raise
    finally:
        served.waiting.release()
    return _recorded(served, asked, question, found, began)


def _recorded(
    served: Served, asked: Asked, question: Question, found: bytes | Refusal, began: float
) -> Answer | Refusal:
    """Record how a question ended, before anybody is told."""
    store = served.ledger.store
    if isinstance(found, bytes):
        answer = Answer(200, found)
        if question.view is None:
            close(store, asked, "answered")
            return answer
        return keep(store, asked, question, answer, "answered")
    if found.code != "data":
        close(store, asked, found.code)
        return found
    # How long it took would tell which rule held it back.
    time.sleep(SLOT_SECONDS - (time.monotonic() - began) % SLOT_SECONDS)
    if question.view is None:
        close(store, asked, found.code)
        return found
    return keep(store, asked, question, Answer(found.status, found.body), found.code)


def _differs(what: str) -> str:
    """Say which choice is another than when these columns left before, where it is one."""
    if not what:
        return ""
    return (
        f"The {what} is another than when a picture of it left before, and the two together tell"
        " too much; draw the one that was drawn."
    )


def _picture(served: Served, wish: Wish, name: str) -> bytes | Refusal:
    """Draw a picture and let it leave; what is returned may be sent."""
    again = check(served.study, served.columns, wish.kind, wish.body)
    if isinstance(again, Refusal):
        return again  # another process has settled the groups since
    try:
        view = drawn(served.study, wish)
    except LeavingError:
        raise
    except RefusedError:
        found = _out_of_order(served, wish) if wish.kind == "parallel" else None
        if found is None:
            raise
        return found
    told = picture_told(view, name)
    view.ask_to_leave(FORM)
    return told


def _orders(served: Served, wish: Wish) -> bytes:
    return orders_told(wish.columns, axis_moves(served.study, wish.columns))


def _out_of_order(served: Served, wish: Wish) -> Refusal | None:
    """Say that it is the order of the axes that is refused, where it is."""
    found = axis_moves(served.study, wish.columns, wish.named.get("sensitive"))
    if not found.why:
        return None
    allowed = found.nearest != wish.columns and not found.nearest_why
    return refusal(
        "order", nearest={"columns": [*found.nearest], **wish.named} if allowed else None
    )


def _name_of(served: Served, version: int, wish: Wish) -> str:
    """Name a picture: the same question of the same version has the same name."""
    told = json.dumps([served.name, version, wish.kind, wish.request])
    return hashlib.sha256(told.encode()).hexdigest()[:32]
