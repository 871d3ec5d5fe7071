"""Figures of groups of rows: one number after the other, as a tidy frame, and as a plot."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from discreet.estimates.words import nice_above
from discreet.render.scene import Axis, Intervals, Lines, Panel, Scene

SUMMARY, MODEL, META = "summary", "model", "meta_analysis"
MISSING = "(missing)"
ALL = "all"
OF_INTERVAL = ("mean, low end", "mean", "mean, high end")
"""The figures that a dot and its interval are drawn of."""
OF_RATIO = ("ratio, low end", "ratio", "ratio, high end")
OF_SHARE = ("share, low end", "share", "share, high end")
"""The same of which share of the rows has a level."""
OF_MODEL = ("estimate, low end", "estimate", "estimate, high end")
"""The figures that a term of a model and its interval are drawn of."""
OF_WEIGHTS = ("sum of weights", "effective n")
"""The figures that weighted means have beside the others."""
COUNTS = ("n", "missing", "rows", "count", "rows with the event", "persons", "levels")
"""Figures that are whole numbers."""
INTERCEPT = "Intercept"
REFERENCE = "reference"
"""The figure whose level is what the other levels of a column of a model are compared with."""
RATIOS = ("odds ratio", "rate ratio", "hazard ratio")
CORRELATION = "correlation"
NO_LABELS: Mapping[str, str] = MappingProxyType({})
NO_ORDERS: Mapping[str, Sequence[str]] = MappingProxyType({})
TERM = re.compile(r"(?:C\()?(?:`([^`]*)`|([^\s:`()\[\]]+))\)?\[(T\.)?(.*?)\](?=:|$)")
"""A level of a column in a term of a model."""
ROUND, MOST_POWERS = (1.0, 2.0, 5.0), 4
FEWEST_RATIOS, LARGEST_POWER, WIDE_RANGE = 3, 300, 5.0
STEPS = 6
MOST_SERIES = 6
"""Of more levels of the second column each pair of levels has a line of its own."""
WIDE, ROW = 7.0, 0.34
"""Inches: of a plot of means, and of one of its rows."""

Group = tuple[tuple[str, str | None], ...]


def group_words(group: Group) -> str:
    """Return what a group is called in a line; all rows together are "all".

    Examples
    --------
    >>> group_words((("sex", "F"), ("smoker", "no"))), group_words(())
    ('F, no', 'all')
    """
    return ", ".join(str(level) for _, level in group) or ALL


class Figure(NamedTuple):
    """One number in full: of which column (and level), of which rows, and what it is.

    `group` are columns and the levels that the rows have of them, None for a missing one; () are
    all rows. `value` is None where it is not known, such as the sd of one row; of dates it is text.
    """

    column: str
    level: str | None
    group: Group
    figure: str
    value: float | str | None

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON has it: its group by the names of columns."""
        return self._asdict() | {"group": dict(self.group)}

    @classmethod
    def from_plain(cls, given: Mapping[str, Any]) -> Self:
        """Return what `to_plain` gave."""
        return cls(**dict(given) | {"group": tuple(given["group"].items())})


# --- as a frame ---------------------------------------------------------------------------------


def tidy_figures(figures: Sequence[Figure], kind: str) -> list[tuple[str, list[Any]]]:
    """Return the figures of a table as named columns.

    Of a summary there is a row for each figure, its value in `number`, or in `date`. Of others
    there is a row for each group, or each term of a model, and a column for each figure; those of a
    model as a whole, such as its rows, stand in each of its rows.
    """
    if kind == SUMMARY:
        return _long(figures)
    if kind == MODEL:
        return _of_terms(figures, "term")
    if kind == META:
        return _of_terms(figures, "study")
    return _of_groups(figures)


def _long(figures: Sequence[Figure]) -> list[tuple[str, list[Any]]]:
    dated = [isinstance(it.value, str) for it in figures]
    columns: list[tuple[str, list[Any]]] = [
        ("column", [it.column or None for it in figures]),
        ("level", [it.level for it in figures]),
        *_group_columns(figures),
        ("figure", [it.figure for it in figures]),
        ("number", [None if isinstance(it.value, str) else _float(it.value) for it in figures]),
    ]
    if any(dated):
        columns.append(("date", [_day(it.value) for it in figures]))
    return columns


def _of_groups(figures: Sequence[Figure]) -> list[tuple[str, list[Any]]]:
    groups = list(dict.fromkeys(it.group for it in figures))
    first = [next(it for it in figures if it.group == group) for group in groups]
    values = {(it.group, it.figure): it.value for it in figures}
    names = dict.fromkeys(it.figure for it in figures)
    return [
        *_group_columns(first),
        *((name, _typed(name, [values.get((of, name)) for of in groups])) for name in names),
    ]


def _of_terms(figures: Sequence[Figure], called: str) -> list[tuple[str, list[Any]]]:
    figures = [it for it in figures if it.figure != REFERENCE]
    terms = list(dict.fromkeys(it.column for it in figures if it.column))
    values = {(it.column, it.figure): it.value for it in figures}
    of_terms = dict.fromkeys(it.figure for it in figures if it.column)
    of_all = [it for it in figures if not it.column]
    return [
        (called, terms),
        *((name, _typed(name, [values.get((it, name)) for it in terms])) for name in of_terms),
        *((it.figure, _typed(it.figure, [it.value] * len(terms))) for it in of_all),
    ]


def _group_columns(figures: Sequence[Figure]) -> list[tuple[str, list[Any]]]:
    """Return a column for each column that divides, with its level; none where it is of all."""
    names = dict.fromkeys(name for it in figures for name, _ in it.group)
    levels = [{name: level or MISSING for name, level in it.group} for it in figures]
    return [(name, [it.get(name) for it in levels]) for name in names]


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


# --- as a plot ----------------------------------------------------------------------------------


def dots_of(
    figures: Sequence[Figure],
    labels: Mapping[str, str] = NO_LABELS,
    orders: Mapping[str, Sequence[str]] = NO_ORDERS,
) -> Panel | None:
    """Return the panel that means, or a model's terms, are drawn in; None where there are none.

    `labels` are drawn in place of the names of columns; `orders` are all levels of columns, by
    which they have their colours.

    Levels of a first column stand one below the other, those of a second beside each other, or as
    lines of their own where they are many.
    """
    if any(it.figure in OF_MODEL for it in figures):
        return _forest(figures, labels)
    of_groups: dict[Group, dict[str, Any]] = {}
    kinds = (OF_SHARE, OF_RATIO, OF_INTERVAL)
    of = next((it for it in kinds if any(found.figure in it for found in figures)), OF_INTERVAL)
    for it in figures:
        if it.figure in of:
            of_groups.setdefault(it.group, {})[it.figure] = it.value
    if not any(of[0] in values for values in of_groups.values()):
        return None
    ends = {group: _ends(values, of) for group, values in of_groups.items()}
    deepest = max(map(len, ends))
    groups = [group for group in ends if len(group) == deepest]
    first = list(dict.fromkeys(group[:1] for group in groups))
    second = list(dict.fromkeys(group[1:] for group in groups))
    if len(second) > MOST_SERIES:
        first, second = groups, [()]
    names = [*map(_name, first), ALL] if second == [()] else [*map(_name, first)]
    rows = [[ends.get(a + b) for a in first] for b in second]
    if second == [()]:
        rows[0].append(ends.get(()))
    beside = "" if second == [()] else second[0][0][0]
    before = f"{labels.get(beside, beside)}: "
    series = tuple(f"{before}{_name(b)}" if b else "" for b in second)
    order = tuple(f"{before}{level}" for level in orders.get(beside, ()))
    marks = Intervals(tuple(map(tuple, rows)), series)
    drawn = next(it for it in figures if it.figure in of)
    column = labels.get(drawn.column, drawn.column)
    names_of = dict.fromkeys(name for group in first for name, _ in group)
    label = ", ".join(labels.get(name, name) for name in names_of)
    weighted = "weighted " if any(it.figure in OF_WEIGHTS for it in figures) else ""
    what = f"{of[1]} of {column}" + (f" = {drawn.level}" if of == OF_SHARE else "")
    down = (len(names) - 0.4, -0.6)  # the first level on top
    return Panel(
        (marks,),
        Axis(f"{weighted}{what}, with its 95 % interval"),
        Axis(label, down, tuple(names)),
        order=order,
    )


def _forest(figures: Sequence[Figure], labels: Mapping[str, str]) -> Panel | None:
    """Return the panel of a model's terms one below the other, the intercept aside.

    Where there are ratios their numbers stand beside the axis, which is that of their logarithms,
    and where there are correlations theirs, beside that of Fisher's z.
    """
    terms: dict[str, list[float]] = {}
    for it in figures:
        if it.figure in OF_MODEL and it.column != INTERCEPT and isinstance(it.value, float | int):
            terms.setdefault(it.column, []).append(it.value)
    if not terms or any(len(three) != len(OF_MODEL) for three in terms.values()):
        return None
    shown = next((it.figure for it in figures if it.figure in (*RATIOS, CORRELATION)), "")
    reach = [0.0, *(end for three in terms.values() for end in three)]
    low, high = min(reach), max(reach)
    room = 0.04 * (high - low)
    across = (low - room, high + room)
    down = (len(terms) - 0.4, -0.6)  # the first term on top
    marks = (
        Lines(((0.0, 0.0),), (down,), "reference"),
        Intervals((tuple((low, middle, high) for low, middle, high in terms.values()),)),
    )
    axis = Axis(f"{shown or 'estimate'}, with its 95 % interval", across)
    if shown:
        between = _correlations_between if shown == CORRELATION else _ratios_between
        axis = replace(axis, dates=between(*across))
    against = {it.column: it.level for it in figures if it.figure == REFERENCE}
    names = tuple(level_words(it, labels, against) for it in terms)
    return Panel(marks, axis, Axis("", down, names))


def level_words(
    term: str, labels: Mapping[str, str], against: Mapping[str, str | None] = NO_LABELS
) -> str:
    """Return a term of a model as a reader has it: its levels in full, and what they are against.

    Examples
    --------
    >>> level_words("C(sex)[T.m]", {"sex": "Sex"}, {"sex": "f"}), level_words("log(bmi)", {})
    ('Sex: m (against f)', 'log(bmi)')
    >>> level_words("C(sex)[T.m]:age", {}, {"sex": "f"}), level_words("C(`age group`)[60+]", {})
    ('sex: m × age', 'age group: 60+')
    """
    factors = TERM.findall(term)
    if not factors:
        return labels.get(term.strip("`"), term)
    parts, rest = [], TERM.sub("\0", term)
    levels = iter(factors)
    for part in rest.split(":"):
        if part != "\0":
            parts.append(labels.get(part.strip("`"), part))
            continue
        quoted, bare, coding, level = next(levels)
        name = quoted or bare
        parts.append(f"{labels.get(name, name)}: {level}")
        reference = against.get(name)
        if len(factors) == 1 and rest == "\0" and coding and reference is not None:
            parts[-1] += f" (against {reference})"
    return " × ".join(parts)


def term_words(term: str, labels: Mapping[str, str]) -> str:
    """Return a term of a model with the labels of its columns.

    Examples
    --------
    >>> labels = {"bmi": "Body mass index", "sex": "Sex"}
    >>> [term_words(it, labels) for it in ("bmi", "sex[T.M]:bmi", "C(sex)[T.2]", "log(bmi)")]
    ['Body mass index', 'Sex [T.M]:Body mass index', 'Sex [T.2]', 'log(bmi)']
    """
    if not labels:
        return term
    return ":".join(_factor_words(it, labels) for it in term.split(":"))


def _factor_words(factor: str, labels: Mapping[str, str]) -> str:
    name, bracket, level = factor.partition("[")
    inner = name[2:-1] if name.startswith("C(") and name.endswith(")") else name
    label = labels.get(inner.strip("`"))
    if label is None or (inner != name and not bracket):
        return factor
    return f"{label} [{level}" if bracket else label


def size_of(scene: Scene) -> tuple[float, float]:
    """Return how large a plot of means is, in inches: each of its rows is to be read."""
    (panel,) = scene.panels
    series = sum(len(it.series) for it in panel.marks if isinstance(it, Intervals))
    rows = len(panel.y.ticks) * (series + 1) / 2
    return WIDE, max(2.4, 1.2 + ROW * rows)


def _ratios_between(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Return round ratios whose logarithms lie between two numbers, each with its place."""
    powers = range(math.floor(low / math.log(10)), math.ceil(high / math.log(10)))
    few = (1.0,) if len(powers) > MOST_POWERS else ROUND
    every = math.ceil(len(powers) / STEPS)
    writable = [it for it in powers if it % every == 0 and abs(it) <= LARGEST_POWER]
    ratios = [base * 10.0**power for power in writable for base in few]
    ratios = [it for it in ratios if low <= math.log(it) <= high]
    if (
        len(ratios) < FEWEST_RATIOS and low < high < WIDE_RANGE
    ):  # so narrow that steps are nearly even
        step = nice_above((math.exp(high) - math.exp(low)) / STEPS, (1, 2, 5))
        ends = range(max(math.ceil(math.exp(low) / step), 1), math.floor(math.exp(high) / step) + 1)
        ratios = [round(i * step, 12) for i in ends]
    return tuple((math.log(it), f"{it:.6g}") for it in ratios)


def _correlations_between(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Return round correlations whose Fisher's z lie between two numbers, each with its place.

    Examples
    --------
    >>> [word for _, word in _correlations_between(-0.05, 0.4)]
    ['0', '0.1', '0.2', '0.3']
    """
    low, high = math.tanh(low), math.tanh(high)
    step = nice_above((high - low) / STEPS, (1, 2, 5))
    ends = range(math.ceil(low / step), math.floor(high / step) + 1)
    found = [round(i * step, 12) for i in ends]
    return tuple((math.atanh(it), f"{it:.6g}") for it in found if abs(it) < 1)


def _ends(values: Mapping[str, Any], of: Sequence[str]) -> tuple[float, float, float] | None:
    low, mean, high = (values.get(name) for name in of)
    return None if low is None or mean is None or high is None else (low, mean, high)


def _name(group: Group) -> str:
    return ", ".join(MISSING if level is None else level for _, level in group) or ALL
