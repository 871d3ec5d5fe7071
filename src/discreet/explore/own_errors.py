"""How far what a study shows is off by the copy's own error, in the figures' own units.

All of it comes of copies of the copy (`measure.own_error`): nothing raw plays a part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.errors import InputError, RefusedError
from discreet.estimates.intervals import FEWEST, NORMAL, OwnErrors
from discreet.estimates.tables import MOST_LEVELS, RowsToDescribe, means_by_group, shares_by_group
from discreet.explore.from_copy import WholeTable

if TYPE_CHECKING:
    from discreet.explore.derived import DerivedCopy

Figures = Mapping[object, float]
LOST = 1.25
"""So many times as far off are differences as copies of the copy are: what it has lost they do not
lose again. With it 95 of 100 differences of twenty copies of a table were within what is said."""
MOST_NAMED = 4
"""So many columns are named whose differences are off."""


def own_errors(session: DerivedCopy, figures: Callable[[WholeTable], Figures]) -> OwnErrors:
    """Return figures of some rows of a copy, and the same of copies of these rows.

    Of a copy that cannot have them, as it has lost a column or a level, there are none.
    """
    tables, share = session.copies_again()
    found: list[Figures] = []
    for table in tables:
        try:
            found.append(figures(table))
        except (InputError, RefusedError):
            if not found:
                break
    return OwnErrors(found[0] if found else {}, found[1:], share)


def said_of_own(own: OwnErrors) -> str:
    """Say whether intervals hold the copy's own error.

    Examples
    --------
    >>> said_of_own(OwnErrors({}, (), 1.0))
    'for chance among so many rows alone: so few do not show how far the copy is off'
    """
    if len(own.copies) < FEWEST:
        return "for chance among so many rows alone: so few do not show how far the copy is off"
    return "they are for the population, and hold how far the copy is off"


class _Off(NamedTuple):
    """By how much a difference of two groups may be off, 95 times of 100, and if it is more."""

    words: str
    reliable: bool


def differences(session: DerivedCopy, columns: Sequence[str], by: Sequence[str]) -> tuple[str, ...]:
    """Say by how much differences between groups are off, those that are not reliable first.

    Parameters
    ----------
    session : Session or DerivedCopy
        Whose copy is shown.
    columns : sequence of str
        What is compared: means of numbers and dates, shares of levels.
    by : sequence of str
        The columns whose levels are the groups.

    Returns
    -------
    tuple of str
        One sentence or two; none where nothing is compared.
    """
    compared = [name for name in dict.fromkeys(columns) if name not in by] if by else []
    found = {name: off for name in compared if (off := _off(session, name, by)) is not None}
    groups = f"between levels of {' and '.join(session.labels.get(it, it) for it in by)}"
    if not found:
        unknown = f"differences {groups}: so few rows do not show how far they are off"
        return (unknown,) if compared else ()
    few = [it.words for it in found.values() if not it.reliable]
    others = [it.words for it in found.values() if it.reliable]
    said = [f"not reliable here: differences {groups} in {_listed(few)}"] if few else []
    return (*said, *([f"differences {groups} may be off: {_listed(others)}"] if others else []))


def _listed(words: Sequence[str]) -> str:
    more = len(words) - MOST_NAMED
    return ", ".join(words[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _off(session: DerivedCopy, name: str, by: Sequence[str]) -> _Off | None:
    """Return by how much differences of a column are off; None where it is not known."""
    label = session.labels.get(name, name)
    if name in session.whole.with_levels(by).copy.columns:
        of = own_errors(session, partial(_means, name=name, by=by))
        off, reliable = _difference(of, len(by))
        unit = " days" if name in session.dates else ""
        return _Off(f"{label} ± {rounded_words(off)}{unit}", reliable) if off is not None else None
    if name not in session.whole.copy.strata:
        return None
    found = []
    for level in session.whole.levels_of(name)[:MOST_LEVELS]:
        of = own_errors(session, partial(_shares, name=name, level=level, by=by))
        off, reliable = _difference(of, len(by))
        found += [] if off is None else [(off, reliable)]
    if not found:
        return None
    most = max(off for off, _ in found)
    return _Off(f"{label} ± {rounded_words(100 * most)} points", any(it for _, it in found))


def _means(table: WholeTable, name: str, by: Sequence[str]) -> Figures:
    return means_by_group(_rows(table, by, name), name, by)


def _shares(table: WholeTable, name: str, level: str, by: Sequence[str]) -> Figures:
    return shares_by_group(_rows(table, by, name), name, level, by)


def _rows(table: WholeTable, levels: Sequence[str], name: str) -> RowsToDescribe:
    found = table.with_levels(levels)
    if name not in {*found.copy.columns, *found.copy.strata} or not {*levels} <= {
        *found.copy.strata
    }:
        raise RefusedError("a copy of the copy has lost a column")
    return RowsToDescribe(found.copy.columns, found.copy.strata, (), found.orders)


def _difference(of: OwnErrors, columns: int) -> tuple[float | None, bool]:
    """Return how far the difference of two groups may be off, and if groups differ by more."""
    groups = [it for it in of.rows if isinstance(it, tuple) and len(it) == columns]
    known = {it: own for it in groups if (own := of.of(it)) is not None and _is_level(it)}
    if len(known) < 2:
        return None, False
    off = LOST * NORMAL * math.sqrt(2 * float(np.mean(np.square([*known.values()]))))
    apart = math.sqrt(2.0) * float(np.std([of.rows[it] for it in known], ddof=1))
    return off, apart > off


def _is_level(group: tuple[tuple[str, str | None], ...]) -> bool:
    return all(level is not None for _, level in group)


def rounded_words(off: float) -> str:
    """Return a number of two digits.

    Examples
    --------
    >>> rounded_words(2.518), rounded_words(0.2411), rounded_words(23.12), rounded_words(1840.0)
    ('2.5', '0.24', '23', '1,800')
    """
    places = 1 - math.floor(math.log10(off)) if off > 0 else 0
    return f"{round(off, places):,.{max(places, 0)}f}"
