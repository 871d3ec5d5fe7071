"""What a board asks a server for beside single plots: the first pictures, and the copy itself.

What is drawn of the copy was released with it. So it is recorded once that a caller explores the
copy, and how often anybody asks is bounded in memory alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from discreet.errors import LeavingError, LedgerError
from discreet.ledger.log import UNCOUNTED, Answer, Caller, LogEntry, ask, asked_before
from discreet.serve.answers import FORM, OVER, differs, made, refused
from discreet.serve.facts import Served
from discreet.serve.refusals import Refusal, refusal
from discreet.study.board import ROWS, TO_BROWSER, BoardRows, overview

__all__ = ["answer_overview", "answer_rows"]

OVERVIEW = "overview"
STAYS = "rows: the policy of this study keeps its copy on the server; ask /api/copy for pictures"
NO_COPY = "rows: this study has no copy of the whole table"


def answer_overview(served: Served, caller: Caller) -> Answer | Refusal:
    """Answer with a picture of each column by itself; kept in the ledger, as every plot is."""

    def make() -> bytes:
        found = overview(served.study.session, served.held.views, FORM)
        return json.dumps(found, allow_nan=False, ensure_ascii=False).encode()

    return _recorded(served, caller, OVERVIEW, make)


def answer_rows(served: Served, caller: Caller) -> BoardRows | Refusal:
    """Hand out the rows of the copy, to each caller recorded once."""
    rows = served.held.rows
    if rows is None or served.held.way != TO_BROWSER:
        return refused(served, caller, ROWS, refusal("policy", NO_COPY if rows is None else STAYS))

    def make() -> bytes:
        rows.gate(FORM)
        return json.dumps({"rows": rows.digest}).encode()

    return _explored(served, caller, ROWS, make) or rows


def _explored(
    served: Served, caller: Caller, what: str, make: Callable[[], bytes]
) -> Refusal | None:
    """Let a caller explore the copy: recorded the first time, and bounded by a rate."""
    held = served.held
    if not held.rate.lets(caller.name):
        return refusal("rate")
    if (caller.name, what) not in held.known:
        if not asked_before(served.ledger.store, caller, _question(served, what)):
            found = _recorded(served, caller, what, make)
            if isinstance(found, Refusal):
                return found
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
    receipt = ask(served.ledger.store, caller, question, served.allowance)
    if receipt.outcome in OVER:
        return refusal(receipt.outcome)
    return receipt.answer or made(served, receipt, question, make)


def _question(served: Served, what: str) -> LogEntry:
    """Return what is recorded: the same question of the same copy has the same name."""
    told = json.dumps([served.name, served.version, served.edition, what])
    name = UNCOUNTED + hashlib.sha256(told.encode()).hexdigest()[1:32]
    return LogEntry(served.name, served.version, what, "{}", name)
