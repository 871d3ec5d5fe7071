"""Figures of a table as columns of a frame."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from discreet.estimates.figures import REFERENCE, Figure

SUMMARY, MODEL = "summary", "model"
COUNTS = ("n", "missing", "rows", "count", "rows with the event", "persons")
"""Figures that are whole numbers."""


def tidy_figures(figures: Sequence[Figure], kind: str) -> list[tuple[str, list[Any]]]:
    """Return the figures of a table as named columns.

    Of a summary there is a row for each figure, its value in `number`, or in `date`. Of others
    there is a row for each group, or each term of a model, and a column for each figure; those of a
    model as a whole, such as its rows, stand in each of its rows.

    Examples
    --------
    >>> figures = [
    ...     Figure("age", None, (("sex", "f"),), "n", 40),
    ...     Figure("age", None, (("sex", "f"),), "mean", 51.5),
    ...     Figure("age", None, (), "n", 90),
    ...     Figure("age", None, (), "mean", 50.0),
    ... ]
    >>> tidy_figures(figures, "means")
    [('sex', ['f', None]), ('n', [40, 90]), ('mean', [51.5, 50.0])]
    """
    if kind == SUMMARY:
        return _long(figures)
    if kind == MODEL:
        return _of_terms(figures)
    return _of_groups(figures)


def _long(figures: Sequence[Figure]) -> list[tuple[str, list[Any]]]:
    dated = [isinstance(it.value, str) for it in figures]
    found: list[tuple[str, list[Any]]] = [
        ("column", [it.column or None for it in figures]),
        ("level", [it.level for it in figures]),
        *_group_columns(figures),
        ("figure", [it.figure for it in figures]),
        ("number", [None if isinstance(it.value, str) else _float(it.value) for it in figures]),
    ]
    if any(dated):
        found.append(("date", [_day(it.value) for it in figures]))
    return found


def _of_groups(figures: Sequence[Figure]) -> list[tuple[str, list[Any]]]:
    groups = list(dict.fromkeys(it.group for it in figures))
    first = [next(it for it in figures if it.group == group) for group in groups]
    values = {(it.group, it.figure): it.value for it in figures}
    names = dict.fromkeys(it.figure for it in figures)
    return [
        *_group_columns(first),
        *((name, _typed(name, [values.get((of, name)) for of in groups])) for name in names),
    ]


def _of_terms(figures: Sequence[Figure]) -> list[tuple[str, list[Any]]]:
    figures = [it for it in figures if it.figure != REFERENCE]
    terms = list(dict.fromkeys(it.column for it in figures if it.column))
    values = {(it.column, it.figure): it.value for it in figures}
    of_terms = dict.fromkeys(it.figure for it in figures if it.column)
    of_all = [it for it in figures if not it.column]
    return [
        ("term", terms),
        *((name, _typed(name, [values.get((it, name)) for it in terms])) for name in of_terms),
        *((it.figure, _typed(it.figure, [it.value] * len(terms))) for it in of_all),
    ]


def _group_columns(figures: Sequence[Figure]) -> list[tuple[str, list[Any]]]:
    """Return a column for each column that divides, with its level; none where it is of all."""
    names = dict.fromkeys(name for it in figures for name, _ in it.group)
    return [(name, [_level(it, name) for it in figures]) for name in names]


def _level(figure: Figure, name: str) -> str | None:
    found = dict(figure.group)
    return (found[name] or "(missing)") if name in found else None


def _typed(name: str, values: Sequence[Any]) -> list[Any]:
    if name in COUNTS:
        return [None if it is None else int(it) for it in values]
    return [_float(it) if not isinstance(it, str) else it for it in values]


def _float(value: float | str | None) -> float | None:
    return None if value is None else float(value)


def _day(value: float | str | None) -> datetime.date | None:
    """Return a day; None of one that no calendar has."""
    try:
        return datetime.date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
