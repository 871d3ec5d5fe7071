"""The board of a table without a study: one that was released, or one that somebody else made."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from discreet.columns import KINDS, Column
from discreet.columns.dates import DATE
from discreet.columns.words import places_of
from discreet.errors import InputError
from discreet.estimates.units import unit_in
from discreet.explore.new_columns import holds_codes
from discreet.levels import in_order
from discreet.plots import PLOTS
from discreet.release import Release
from discreet.render.sealing import sealed_file
from discreet.table import Table, levels_of_two_values, open_table
from discreet.web.board import Board
from discreet.web.bundle import LevelColumn, NumberColumn, bundle
from discreet.web.page import board_page

FORM = "html"
BINS = 20
NOTHING = "discreet did not make this table, and promises nothing about it."
OF_FRAME = {
    "policy": {"promise": NOTHING, "drawn_from": "a table that discreet did not make"},
    "copy": {"promises": NOTHING, "leaves_open": "Whatever the table says about the people in it."},
}


def board(table: Any, *, title: str | None = None) -> Board:
    """Return the board of a table that may be released: a page on which its rows are explored.

    Parameters
    ----------
    table : Release or frame
        What `Study.anonymize` or `round` returned; or a pandas, polars, pyarrow or DuckDB table, of
        which the board says that nothing is promised.
    title : str, optional
        What it is called; by default the title of the release's report.

    Returns
    -------
    Board
        `save` writes it as one .html file, `widget` shows it in a notebook.

    Raises
    ------
    InputError
        If it is a file, of which nobody knows whether it was released; if the table cannot be read,
        or has no column that can be drawn.

    Notes
    -----
    Every row of it is in the board, as it is. The board of a `Release` asks its study before it is
    saved or shown, as `Release.save` does; of a frame nobody is asked. Texts that are different in
    each row are left out. For raw data there is `Study.board`, which has the protected copy.

    Examples
    --------
    >>> import discreet as dc
    >>> release = dc.open(dc.datasets.diabetes()).anonymize(columns=["age", "bmi"])
    >>> dc.board(release, title="Two columns").columns
    ('age', 'bmi')
    """
    if isinstance(table, str | Path):
        raise InputError(
            "a file may hold raw records, which a board would give out; for a cohort take"
            " discreet.open(file).board(), and read a table that was released before"
        )
    released = table if isinstance(table, Release) else None
    source = table if released is None else released.table
    opened = open_table(source, kinds={}, roles={}, unit=None, key=None)
    found = _columns(levels_of_two_values(opened, ()))
    if not found:
        raise InputError(
            "the table has no column that can be drawn; give one with numbers or levels"
        )
    origin = OF_FRAME if released is None else _of_release(released)
    named = title or (opened.name if released is None else released.report.title) or "Table"
    data = bundle("", found)
    facts = {
        "study": named,
        "part": "",
        "python": None,
        **origin,
        "columns": [_column_facts(it) for it in found],
        "pictures": _pictures(),
        "drawn": {"k": origin["policy"].get("k") or 1, "bins": BINS, "axes": {}},
        "rows": {"rows": opened.size, "bytes": len(data)},
    }
    make = partial(_made, released, facts, data, f"{named} · discreet")
    return Board(named, opened.size, tuple(it.name for it in found), make)


def _made(released: Release | None, facts: Mapping[str, Any], data: bytes, title: str) -> str:
    """Ask the gate of a release, put the page together, and seal it."""
    if released is not None and released.gate is not None:
        released.gate(FORM, None)
    made = board_page(facts, data, title)
    if released is None or released.sealer is None:
        return made
    provenance = released.sealer.provenance(hashlib.sha256(data).hexdigest())
    if released.note is not None and provenance is not None:
        released.note(FORM, provenance, None)
    return sealed_file(provenance, released.sealer, made.encode(), f".{FORM}").decode()


def _columns(table: Table) -> list[NumberColumn | LevelColumn]:
    known = table.columns
    shown = {name for kind in KINDS for name in table.shown([*known], kind)}
    levels = [name for name, it in known.items() if name in shown and it.kind == KINDS[1]]
    names = [name for name, it in known.items() if name in shown or it.kind == DATE]
    numbers = [name for name in names if name not in levels]
    if not names:
        return []
    rows = table.rows((), levels=levels, gaps=numbers)
    return [
        _level(known[name], rows.texts[name])
        if name in levels
        else NumberColumn(name, rows.numbers[name], known[name].kind == DATE)
        for name in names
    ]


def _level(column: Column, words: tuple[str, ...]) -> LevelColumn:
    levels = in_order({*words} - {""}, column.order)
    return LevelColumn(column.name, places_of(words, levels), levels, holds_codes(column))


def _column_facts(column: NumberColumn | LevelColumn) -> dict[str, Any]:
    is_number = isinstance(column, NumberColumn)
    return {
        "name": column.name,
        "kind": KINDS[not is_number],
        "role": "other",
        "stratum": False,
        "sources": [],
        "label": None,
        "unit": unit_in(column.name),
        "dates": isinstance(column, NumberColumn) and column.dates,
    }


def _pictures() -> list[dict[str, Any]]:
    return [
        {"kind": it.name, "title": it.title, "says": it.says, "sources": [], "methods": []}
        for it in PLOTS.values()
        if it.kind() != "formula"
    ]


def _of_release(release: Release) -> dict[str, Any]:
    """Say what the report on a released table says of how it was made."""
    made = release.report.made
    numbers = ", ".join(f"{name} = {made[name]}" for name in ("k", "m", "q") if made.get(name))
    method = f"{made.get('method')} ({numbers})" if numbers else f"{made.get('method')}"
    return {
        "policy": {
            "k": made.get("k"),
            "m": made.get("m"),
            "promise": f"A protected table, made by {method}.",
            "drawn_from": "a protected table",
        },
        "copy": {
            "promises": made.get("promises", ""),
            "leaves_open": made.get("does not protect", ""),
        },
    }
