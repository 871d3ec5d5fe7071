"""Which plot columns have, where nobody says: the table of choices, by the kinds of the columns."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from discreet.columns import KINDS
from discreet.columns.dates import DATE
from discreet.errors import InputError, near
from discreet.explore.derived import DerivedCopy
from discreet.plots import PLOTS, Plot, View
from discreet.plots.bars import BarChart
from discreet.plots.box import BoxPlot
from discreet.plots.correlations import MOST_COLUMNS, CorrelationPlot
from discreet.plots.histogram import HistogramPlot
from discreet.plots.over_time import OverTimePlot
from discreet.plots.parallel import MOST_AXES, ParallelPlot
from discreet.plots.scatter import ScatterPlot

CHOICES: Mapping[tuple[str, ...], str] = MappingProxyType(
    {
        ("number",): HistogramPlot.name,
        ("category",): BarChart.name,
        ("date",): OverTimePlot.name,
        ("number", "number"): ScatterPlot.name,
        ("category", "number"): BoxPlot.name,
        ("category", "category"): BarChart.name,
        ("date", "number"): OverTimePlot.name,
        ("category", "date"): OverTimePlot.name,
        ("date", "date"): ScatterPlot.name,
        ("category", "number", "number"): ScatterPlot.name,
        ("category", "date", "number"): OverTimePlot.name,
    }
)
"""The plot of one to three columns of these kinds, in any order. A category beside another column
divides the plot, as `by` does; of two categories the second one. Other three columns or more are
correlations if all are numbers, else parallel axes."""
KIND_OF: Mapping[str, str] = {KINDS[0]: "number", KINDS[1]: "category", DATE: "date"}
FEW = 8
"""So many axes an overview has at most."""
MOST_LEVELS = 12
"""A category of more levels is no axis of an overview."""

V = TypeVar("V", bound=View)


@dataclass(frozen=True)
class Choice:
    """A plot that was chosen: its columns in their places, and what divides it.

    `says` is which plot it is, and for columns of which kinds.
    """

    plot: str
    columns: tuple[str, ...]
    by: str | Sequence[str] | None
    says: str

    def request(self) -> Plot[Any]:
        """Return the plot."""
        divided = {} if self.by is None else {"by": self.by}
        return PLOTS[self.plot].of_columns(self.columns, **divided)


def chosen(kinds: Mapping[str, str], by: str | Sequence[str] | None = None) -> Choice:
    """Choose the plot of columns, whose kinds are given in the order they were named in.

    Examples
    --------
    >>> chosen({"sex": "category", "bmi": "number"})
    Choice(plot='box', columns=('bmi',), by='sex', says='box, for a category and a number')
    >>> chosen({"age": "number", "bmi": "number", "sbp": "number"}).plot
    'correlations'
    """
    key = tuple(sorted(kinds.values()))
    if key in CHOICES:
        plot, columns, divides = CHOICES[key], [*kinds], by
        if len(kinds) > 1 and "category" in key:
            if by is not None:
                raise _divided_twice(kinds, by)
            divides = [name for name, kind in kinds.items() if kind == "category"][-1]
            columns.remove(divides)
        if plot == OverTimePlot.name:  # its first column is the time
            columns.sort(key=lambda name: kinds[name] != "date")
        return Choice(plot, tuple(columns), divides, f"{plot}, for {_in_words(kinds)}")
    if not kinds:
        raise InputError("name columns to plot")
    if by is not None:
        raise _divided_twice(kinds, by)
    plot = CorrelationPlot.name if {*key} == {"number"} else ParallelPlot.name
    most = MOST_COLUMNS if plot == CorrelationPlot.name else MOST_AXES
    if len(kinds) > most:
        raise InputError(f"plot takes up to {most} columns such as these; name fewer")
    return Choice(plot, tuple(kinds), None, f"{plot}, for {_in_words(kinds)}")


def _divided_twice(kinds: Mapping[str, str], by: str | Sequence[str]) -> InputError:
    first = by if isinstance(by, str) else [*by, ""][0]
    return InputError(
        f"no plot of {_in_words(kinds)} can be divided by a further column; leave by={by!r} "
        f"out, or draw parts of the study: study.where(\"{first} == '...'\").plot(...)"
    )


def _in_words(kinds: Mapping[str, str]) -> str:
    """Say how many columns there are of each kind."""
    many = {kind: [*kinds.values()].count(kind) for kind in sorted({*kinds.values()})}
    plural = {"category": "categories"}
    words = [
        f"a {kind}" if n == 1 else f"{n} {plural.get(kind, f'{kind}s')}" for kind, n in many.items()
    ]
    return " and ".join([*([", ".join(words[:-1])] if words[:-1] else []), words[-1]])


def kinds_of(session: DerivedCopy, names: Sequence[str]) -> dict[str, str]:
    """Return of which kind each of some columns is, where plots of it are drawn from."""
    if not all(isinstance(name, str) for name in names):
        raise InputError("name a column by its name, as text")
    if len({*names}) != len(names):
        raise InputError("a column is named twice; name each column once")
    return {name: _kind_of(session, name) for name in names}


def _kind_of(session: DerivedCopy, name: str) -> str:
    whole = session.whole
    whole.check_made([name])
    if name in whole.copy.strata:
        return KIND_OF[KINDS[1]]
    if name not in whole.raw:
        raise InputError(f"there is no column {name!r}; {near(name, [*whole.raw])}")
    column = whole.raw[name]
    if column.dates is not None:
        return KIND_OF[DATE]
    return KIND_OF.get(column.kind, column.kind)  # other kinds are refused by the plot


def overview(session: DerivedCopy) -> Choice:
    """Choose axes for a study of which no column is named: the first of the copy that fit."""
    whole = session.whole
    few = [n for n, words in whole.copy.strata.items() if len({*words}) <= MOST_LEVELS]
    names = [name for name in whole.raw if name in whole.copy.columns or name in few]
    if len(names) < ParallelPlot.least():
        return chosen(kinds_of(session, names))
    first = tuple(names[:FEW])
    which = "all columns" if len(names) <= FEW else f"the first {FEW} of {len(names)} columns"
    return Choice(ParallelPlot.name, first, None, f"{ParallelPlot.name}, for {which}")


def with_choice(view: V, choice: Choice) -> V:
    """Return a view that says how it was chosen."""
    return dataclasses.replace(view, origin=dataclasses.replace(view.origin, chosen=choice.says))
