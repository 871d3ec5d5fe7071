"""What a server says when it does not answer: a fixed sentence, a code, and what is allowed.

Nothing of a request is quoted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

#: Of each code its status, its sentence, and the rule behind it.
CODES: Mapping[str, tuple[int, str, str]] = {
    "token": (
        401,
        "A valid token is needed; ask the custodian for one.",
        "Every request needs a token that is neither expired nor revoked.",
    ),
    "role": (
        403,
        "This token may not do that; the custodian's can.",
        "Tokens have a role: analyst or custodian.",
    ),
    "own": (
        403,
        "A custodian's own token is changed by another custodian.",
        "So nobody can lock themselves out or extend their own token.",
    ),
    "unknown": (
        404,
        "There is nothing here that this token may see.",
        "A plot is only given again to whoever asked for it.",
    ),
    "closed": (
        410,
        "This study is not served now; ask its custodian.",
        "A study is served while its file is there and not past its last day.",
    ),
    "method": (405, "This address does not take that method.", "See /api/openapi.json."),
    "request": (
        422,
        "The request cannot be answered.",
        "See /api/study for what can be asked, and /api/openapi.json for how.",
    ),
    "policy": (
        403,
        "The policy of this study does not allow it.",
        "The copy was made once; /api/study says what may be asked of it.",
    ),
    "data": (
        403,
        "These rows of the copy cannot be drawn: they are too few, or all alike; keep more "
        "rows, or draw other columns.",
        "A plot needs rows that differ.",
    ),
    "version": (
        409,
        "The study has a newer version; ask for it again.",
        "Answers come from the version that is being served.",
    ),
    "rate": (
        429,
        "Too many requests within a minute; wait a little.",
        "The number of requests per minute is limited for each token.",
    ),
    "busy": (
        503,
        "The server is busy; try again in a little while.",
        "The amount of work at one time is limited.",
    ),
    "slow": (
        503,
        "The plot is taking long; it is still being made, so ask again in a little while.",
        "There is a time limit for each request.",
    ),
    "record": (
        503,
        "The server's record cannot be written, so nothing is given out; tell the custodian.",
        "What is asked is recorded before it is answered.",
    ),
    "broken": (
        500,
        "Something went wrong; nothing was given out. Tell the custodian.",
        "If a promise does not hold, nothing is answered.",
    ),
}


class Place(BaseModel):
    """Where in a request a mistake is: it counts signs of a text, and quotes none.

    `parameter` is "where", "assign" or "formula"; `entry` says which of several new columns it is
    in, from 0; `start` and `end` are where in an expression, from 0, and null where all of it is
    meant.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    parameter: str
    entry: int | None = None
    start: int | None = None
    end: int | None = None


class ErrorTold(BaseModel):
    """What went wrong, where, by which rule, and what is allowed instead."""

    model_config = ConfigDict(extra="forbid")

    code: str
    says: str
    rule: str
    nearest: dict[str, Any] | None
    place: Place | None


class ErrorBody(BaseModel):
    """What every answer that is none holds."""

    model_config = ConfigDict(extra="forbid")

    error: ErrorTold


@dataclass(frozen=True)
class Refusal:
    """A request that is not answered: its status and what is said.

    `nearest` is the body of a request that the rule would let pass, where there is one, and
    `place` where in an expression a mistake is.
    """

    code: str
    status: int
    says: str
    rule: str
    nearest: Mapping[str, Any] | None = None
    place: Place | None = None

    @property
    def body(self) -> bytes:
        """The JSON that is sent."""
        words = {"code": self.code, "says": self.says, "rule": self.rule}
        nearest = None if self.nearest is None else dict(self.nearest)
        place = None if self.place is None else self.place.model_dump()
        plain = {"error": {**words, "nearest": nearest, "place": place}}
        return json.dumps(plain, ensure_ascii=False).encode()


def refusal(code: str, says: str = "", nearest: Mapping[str, Any] | None = None) -> Refusal:
    """Return the refusal of a code; `says` are fixed words that tell more than the usual ones."""
    status, usual, rule = CODES[code]
    return Refusal(code, status, says or usual, rule, nearest)
