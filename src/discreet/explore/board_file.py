"""The board of a study in one file: a release of its copy, as the gate records it."""

from __future__ import annotations

from typing import Any

from discreet.errors import RefusedError
from discreet.explore.board import (
    TO_BROWSER,
    BoardRows,
    board_columns,
    board_rows,
    check_there,
    names_in,
    stays_on_server,
)
from discreet.explore.derived import DerivedCopy
from discreet.explore.facts import board_facts
from discreet.explore.provenance import BOARD, FIGURES
from discreet.render.sealing import sealed_file
from discreet.web.board import Board
from discreet.web.page import board_page

FORM = "html"
STAYS = (
    "the policy keeps the copy on a server (copy = {!r}), and a board in a file holds its rows;"
    " serve the study (`discreet serve`), or have the custodian change the policy"
)
TOO_LARGE = (
    "the copy is larger than the policy lets a browser have (copy_rows, copy_bytes); make the board"
    " of a part of it (where), serve the study, or have the custodian raise them"
)


def board_of(of: DerivedCopy) -> Board:
    """Return the board of a study's copy, or of what was derived of it.

    Raises
    ------
    RefusedError
        If the study has no copy of the whole table, or the policy keeps it on a server.
    """
    check_there(of)
    if of.policy.copy != TO_BROWSER:
        raise RefusedError(STAYS.format(of.policy.copy))
    size = len(of.whole)
    least = size * len(names_in(of.whole))  # bytes: a value is one, or more
    if stays_on_server(of.policy, size, least):
        raise RefusedError(TOO_LARGE)
    rows = board_rows(of)
    if stays_on_server(of.policy, rows.rows, len(rows.data)):
        raise RefusedError(TOO_LARGE)
    title = of.name or "table"
    columns = tuple(it.name for it in board_columns(of.whole))

    def make() -> str:
        """Ask the gate, put the page together, and seal it."""
        sealer = of.sealer_of_copy({FIGURES: BOARD, "columns": [*columns]})
        provenance = sealer.provenance(rows.digest)
        rows.gate(FORM, provenance)
        made = board_page(_facts(of, title, rows), rows.data, f"{title} · discreet")
        return sealed_file(provenance, sealer, made.encode(), f".{FORM}").decode()

    return Board(title, rows.rows, columns, make)


def rows_facts(rows: int, data: bytes) -> dict[str, int]:
    """Say how large the rows are that a page holds."""
    return {"rows": rows, "bytes": len(data)}


def _facts(of: DerivedCopy, title: str, rows: BoardRows) -> dict[str, Any]:
    steps = of.steps if isinstance(of, DerivedCopy) else ()
    return {
        "study": title,
        "part": "; ".join(steps) or f"copy {of.whole.copy.version[:8]}",
        "python": _call(of),
        **board_facts(of, of.whole.drawable),
        "rows": rows_facts(rows.rows, rows.data),
    }


def _call(of: DerivedCopy) -> str:
    """Return what stands for the study, or the part of it, in Python."""
    asks = of.asks if isinstance(of, DerivedCopy) else ()
    return "study" + "".join(_step(name, text) for name, text in asks)


def _step(name: str, text: str) -> str:
    if not name:
        return f".where({text!r})"
    said = f"{name}={text!r}" if name.isidentifier() else f"**{ {name: text}!r}"
    return f".assign({said})"
