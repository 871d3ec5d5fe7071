"""What a custodian says and decides over HTTP of outputs that were handed in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from discreet.ledger.log import Answer, Caller
from discreet.ledger.outputs import MOST_LETTERS, Output, file_of, list_outputs, review
from discreet.outputs.page import PICTURES
from discreet.serve.facts import Served
from discreet.serve.refusals import Refusal, refusal

__all__ = ["Said", "file", "name_of", "outputs", "said_of"]


class Said(BaseModel):
    """A comment on an output, or what is decided of it, and why."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    what: Literal["comment", "approved", "rejected"]
    text: str = Field(default="", max_length=MOST_LETTERS)


def outputs(served: Served) -> dict[str, Any]:
    """Return what was handed in, newest first, and what was said of it."""
    found = list_outputs(served.ledger.store, served.name)
    return {"outputs": [_told(it) for it in reversed(found)]}


def name_of(served: Served, id_: str) -> str:
    """Return the name of an output, for the record; nothing where there is none."""
    found = list_outputs(served.ledger.store, served.name)
    return next((it.name for it in found if it.id == _number(id_)), "")


def said_of(served: Served, caller: Caller, id_: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Record what is said of an output."""
    store = served.ledger.store
    now = review(store, served.name, _number(id_), body["what"], body["text"], caller.name)
    return {"output": _told(now)}


def file(served: Served, id_: str) -> Answer | Refusal:
    """Return an output's bytes, where the ledger has them."""
    found = file_of(served.ledger.store, served.name, _number(id_))
    return refusal("unknown") if found is None else Answer(200, found)


def _number(id_: str) -> int:
    """Return the number that an address holds; one that no output has for other words."""
    return int(id_) if id_.isascii() and id_.isdigit() and len(id_) < 16 else 0


def _told(output: Output) -> dict[str, Any]:
    record = output.record
    return {
        "id": output.id,
        "at": output.at,
        "version": output.version,
        "name": output.name,
        "digest": output.digest,
        "status": record["status"],
        "kind": record["kind"],
        "command": record["command"],
        "says": [*record["says"]],
        "state": output.state,
        "kept": output.kept,
        "picture": output.kept and PurePath(output.name).suffix.lower() in PICTURES,
        "reviews": [
            {"at": it.at, "what": it.what, "text": it.text, "caller": it.caller}
            for it in output.reviews
        ],
    }
