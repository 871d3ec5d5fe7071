"""What a board gets of a study: the rows of its copy as bytes, and a small picture of each column.

The rows are the copy's own, and so may be released; that they are is recorded, as of every plot.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from discreet.errors import InputError, LeavingError, LedgerError, RefusedError
from discreet.plots import PLOTS, View
from discreet.plots.bars import BARS
from discreet.plots.histogram import HISTOGRAM
from discreet.plots.request import BASE, COPY
from discreet.policy import Policy
from discreet.protect import Whole
from discreet.render.sealing import Gate
from discreet.study.derived import OfCopy
from discreet.study.from_copy import WholeTable
from discreet.study.gate import RecordedGate, release_together
from discreet.study.new_columns import holds_codes
from discreet.study.session import NO_COPY
from discreet.table import KINDS
from discreet.web.bundle import LevelColumn, NumberColumn, bundle, places_of

__all__ = [
    "ROWS",
    "TO_BROWSER",
    "BoardRows",
    "base_views",
    "board_columns",
    "board_rows",
    "check_there",
    "names_in",
    "overview",
    "stays_on_server",
]

ROWS = "rows"
"""What the ledger calls the rows of a copy that leave as such."""
TO_BROWSER = "browser"
"""What a policy says of a copy whose rows a browser may have."""


@dataclass(frozen=True, repr=False)
class BoardRows:
    """The rows of a copy as bytes, a digest of these, and what is asked before they leave.

    Parameters
    ----------
    data : bytes
        As `discreet.web.bundle` writes them.
    digest : str
        Of the bytes: another copy, and the same one with other new columns, has another.
    rows : int
        How many there are.
    names : tuple of str
        Their columns.
    gate : callable
        Called with the form in which they are released, and with their provenance where there is
        one; raises where they may not be.
    """

    data: bytes
    digest: str
    rows: int
    names: tuple[str, ...]
    gate: Gate = field(compare=False)


def board_rows(of: OfCopy) -> BoardRows:
    """Return the rows of a study's copy, or of what was derived of it; their gate is not asked.

    Raises
    ------
    RefusedError
        If the study has no copy of the whole table.
    """
    check_there(of)
    whole = of.whole
    columns = board_columns(whole)
    data = bundle(whole.copy.version, columns)
    names = tuple(it.name for it in columns)
    digest = hashlib.sha256(data).hexdigest()[:32]
    return BoardRows(data, digest, len(whole), names, of.gate_of_copy(ROWS, names))


def names_in(whole: WholeTable) -> list[str]:
    """Return the columns of a copy in the order of the file, new ones last."""
    return [name for name in whole.raw if name in whole.copy.columns or name in whole.copy.strata]


def board_columns(whole: WholeTable) -> list[NumberColumn | LevelColumn]:
    """Return the columns of a copy as they are written for a board."""
    found: list[NumberColumn | LevelColumn] = []
    for name in names_in(whole):
        if name in whole.copy.columns:
            dates = whole.raw[name].dates is not None
            found.append(NumberColumn(name, whole.copy.columns[name], dates))
        else:
            levels, coded = whole.levels_of(name), holds_codes(whole.raw[name])
            places = places_of(whole.copy.strata[name], levels)
            found.append(LevelColumn(name, places, levels, coded))
    return found


def stays_on_server(policy: Policy, rows: int, size: int = 0) -> bool:
    """Whether a copy of so many rows and bytes is explored on the server, and not in a browser.

    That is where the policy says so, or where it is larger than the policy lets a browser have.
    """
    return policy.copy != TO_BROWSER or rows > policy.copy_rows or size > policy.copy_bytes


def base_views(of: OfCopy) -> dict[str, View]:
    """Draw each column by itself, in the order of the file; no gate is asked.

    As the policy draws it among its base counts; from the copy, where these are held back. A study
    without a copy of the whole table has none: there each plot counts.
    """
    if of.policy.rows_by != Whole.name:
        return {}
    found = ((name, _base_view(of, name)) for name in _drawn_alone(of))
    return {name: view for name, view in found if view is not None}


def overview(of: OfCopy, views: Mapping[str, View], form: str) -> dict[str, Any]:
    """Return `base_views` as plain values, once all of them may be released in a form.

    `views` has them by the names of columns, `sources` says where each comes from, and `levels` are
    those of the copy, as plots order them.
    """
    shown = _released_together(of, views, form)
    plain = {name: replace(it, gate=None).to_json() for name, it in shown.items()}
    return {
        "views": {name: json.loads(text) for name, text in plain.items()},
        "sources": {name: COPY if it.method == Whole.name else BASE for name, it in shown.items()},
        "levels": {name: [*it] for name, it in _levels(of).items()},
    }


def _levels(of: OfCopy) -> Mapping[str, tuple[str, ...]]:
    return of.whole.levels if of.policy.rows_by == Whole.name else {}


def _drawn_alone(of: OfCopy) -> list[str]:
    """Return the columns that are drawn, in the order of the file, new ones last."""
    held = {*of.whole.copy.columns, *of.whole.copy.strata}
    shown = {name for kind in KINDS for name in of.table.shown([*of.table.columns], kind)}
    return [name for name in of.whole.raw if name in held | shown]


def _plot_of(of: OfCopy, name: str) -> str:
    if name in of.whole.copy.columns:
        return HISTOGRAM.name
    if name in of.whole.copy.strata or of.table.columns[name].kind == KINDS[1]:
        return BARS.name
    return HISTOGRAM.name


def _base_view(of: OfCopy, name: str, **how: Any) -> View | None:
    """Draw one column by itself; None where that is refused."""
    plot = PLOTS[_plot_of(of, name)]
    try:
        return of.draw(plot, [name], **how)
    except LeavingError:
        raise
    except (InputError, RefusedError):
        return None


def _released_together(of: OfCopy, views: Mapping[str, View], form: str) -> Mapping[str, View]:
    """Ask the gates of views at once, which takes the time of one; else one by one."""
    gates = [it.gate for it in views.values() if isinstance(it.gate, RecordedGate)]
    if len(gates) == len(views):
        try:
            release_together(gates, form)
            return views
        except LedgerError:
            raise
        except LeavingError:
            pass  # which of them it is, is seen below
    return {name: _released(of, name, view, form) for name, view in views.items()}


def _released(of: OfCopy, name: str, view: View, form: str) -> View:
    """Ask a view's gate; draw the copy where counts do not fit what was released before."""
    try:
        view.ask_to_leave(form)
    except LedgerError:
        raise
    except LeavingError as error:
        if error.what == "version" or view.method == Whole.name:
            raise
        again = _base_view(of, name, source=COPY)
        if again is None:
            raise
        again.ask_to_leave(form)
        return again
    return view


def check_there(of: OfCopy) -> None:
    """Refuse a study that has no copy of the whole table."""
    if of.policy.rows_by != Whole.name:
        raise RefusedError(NO_COPY)
