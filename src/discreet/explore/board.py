"""What a board gets of a study: the rows of its copy as bytes, or a page in one file with them.

The rows are the copy's own, and so may be released; that they are is recorded, as of every plot.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from discreet.columns.words import places_of
from discreet.errors import RefusedError
from discreet.explore.answered import answer_facts, answers_of
from discreet.explore.derived import DerivedCopy
from discreet.explore.facts import board_facts
from discreet.explore.from_copy import WholeTable
from discreet.explore.new_columns import holds_codes
from discreet.explore.notes import BOARD, FIGURES, check_copied
from discreet.explore.pooled import studies_facts
from discreet.explore.suggestions import suggestions
from discreet.policy import Policy
from discreet.render.sealing import Gate, sealed_file
from discreet.web.board import Board
from discreet.web.bundle import LevelColumn, NumberColumn, bundle
from discreet.web.page import board_page

ROWS = "rows"
"""What the register calls the rows of a copy that leave as such."""
TO_BROWSER = "browser"
"""What a policy says of a copy whose rows a browser may have."""
FORM = "html"
STAYS = (
    "the policy keeps the copy on a server (copy = {!r}), and a board in a file holds its rows;"
    " serve the study (`discreet serve`), or have the custodian change the policy"
)
TOO_LARGE = (
    "the copy is larger than the policy lets a browser have (copy_rows, copy_bytes); make the board"
    " of a part of it (where), serve the study, or have the custodian raise them"
)


@dataclass(frozen=True, repr=False)
class BoardRows:
    """The rows of a copy as bytes, their columns, and what is asked before they leave.

    The digest is of the bytes: another copy, and the same one with other new columns, has another.
    The gate is called with the form in which they are released, and with their provenance.
    """

    data: bytes
    digest: str
    rows: int
    names: tuple[str, ...]
    gate: Gate = field(compare=False)


def board_rows(of: DerivedCopy) -> BoardRows:
    """Return the rows of a study's copy, or of what was derived of it; their gate is not asked."""
    check_copied(of.policy)
    data = bundle(of.whole.copy.version, board_columns(of.whole))
    names = tuple(of.whole.drawable)
    digest = hashlib.sha256(data).hexdigest()[:32]
    return BoardRows(data, digest, len(of.whole), names, of.gate_of_copy(ROWS, names))


def board_columns(whole: WholeTable) -> list[NumberColumn | LevelColumn]:
    """Return the columns of a copy as they are written for a board."""
    columns: list[NumberColumn | LevelColumn] = []
    for name in whole.drawable:
        if name in whole.copy.columns:
            dates = whole.raw[name].dates is not None
            columns.append(NumberColumn(name, whole.copy.columns[name], dates))
        else:
            levels, coded = whole.levels_of(name), holds_codes(whole.raw[name])
            places = places_of(whole.copy.strata[name], levels)
            columns.append(LevelColumn(name, places, levels, coded))
    return columns


def stays_on_server(policy: Policy, rows: int, size: int = 0) -> bool:
    """Whether a copy of so many rows and bytes is explored on the server, and not in a browser.

    That is where the policy says so, or where it is larger than the policy lets a browser have.
    """
    return policy.copy != TO_BROWSER or rows > policy.copy_rows or size > policy.copy_bytes


def board_of(of: DerivedCopy) -> Board:
    """Return the board of a study's copy, or of what was derived of it."""
    check_copied(of.policy)
    if of.policy.copy != TO_BROWSER:
        raise RefusedError(STAYS.format(of.policy.copy))
    size = len(of.whole)
    least = size * len(of.whole.drawable)  # bytes: a value is one, or more
    if stays_on_server(of.policy, size, least):
        raise RefusedError(TOO_LARGE)
    rows = board_rows(of)
    if stays_on_server(of.policy, rows.rows, len(rows.data)):
        raise RefusedError(TOO_LARGE)
    title = of.name or "table"

    def make() -> str:
        """Ask the gate, put the page together, and seal it."""
        sealer = of.sealer_of_copy({FIGURES: BOARD, "columns": [*rows.names]})
        provenance = sealer.provenance(rows.digest)
        rows.gate(FORM, provenance)
        page = board_page(_facts(of, title, rows), rows.data, f"{title} · discreet")
        return sealed_file(provenance, sealer, page.encode(), f".{FORM}").decode()

    return Board(title, rows.rows, rows.names, make)


def _facts(of: DerivedCopy, title: str, rows: BoardRows) -> dict[str, Any]:
    return {
        "study": title,
        "part": "; ".join(of.steps) or f"copy {of.whole.copy.version[:8]}",
        "python": "study" + "".join(_call(name, text) for name, text in of.asks),
        **board_facts(of, of.whole.drawable),
        **studies_facts(of.session),
        "rows": {"rows": rows.rows, "bytes": len(rows.data)},
        "suggestions": suggestions(of),
        "asks": [[*it] for it in of.asks],
        "answers": [answer_facts(it) for it in answers_of(of.session).values()],
    }


def _call(name: str, text: str) -> str:
    """Return the call that derives something of a study, in Python."""
    if not name:
        return f".where({text!r})"
    said = f"{name}={text!r}" if name.isidentifier() else f"**{ {name: text}!r}"
    return f".assign({said})"
