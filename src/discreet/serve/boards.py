"""Boards with a name that analysts keep on a server, each for itself.

A board is what the address of the page holds: filters, new columns, cards and what was written of
them; nothing of the data. It is kept in the server's record, to which rows are only added: the last
of a name is the one that stands, and one without a state is deleted.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, Field

from discreet.serve.answers import Reply, over
from discreet.serve.record import BOARD, LogEntry, kept_boards, write_board
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import STRICT, Body
from discreet.serve.studies import Served
from discreet.serve.tokens import Caller

MOST_BOARDS = 50
LONGEST_STATE, LONGEST_TITLE = 20_000, 120
ENOUGH = f"You keep {MOST_BOARDS} boards, as many as you may; delete one first."


class KeptBoard(BaseModel):
    """A board's name, and its state as the address of the page has it; an empty one deletes it."""

    model_config = STRICT

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE)]
    state: Annotated[str, Field(max_length=LONGEST_STATE)]


def own_boards(served: Served, caller: Caller) -> dict[str, Any] | Refusal:
    """Return a caller's boards, those that were kept last first; nobody sees another's here."""
    too_many = over(served, caller, "boards")
    return _listed(served, caller) if too_many is None else too_many


def keep_board(served: Served, caller: Caller, _: str, body: Body) -> Reply:
    """Keep a board under a name, in place of the one that has it, or delete that."""
    too_many = over(served, caller, BOARD)
    if too_many is not None:
        return too_many
    text = json.dumps(body, sort_keys=True)
    entry = LogEntry(served.name, served.version, BOARD, text, None)
    if not write_board(served.store, caller, entry, MOST_BOARDS):
        return refusal("request", ENOUGH)
    return _listed(served, caller)


def _listed(served: Served, caller: Caller) -> dict[str, Any]:
    kept = kept_boards(served.store, served.name, caller.name)
    return {"boards": [{"name": name, "state": state} for name, state in reversed(kept.items())]}
