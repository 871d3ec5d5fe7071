"""What plots of curves share: which levels have one, and how they are drawn and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from discreet.arguments import Floats
from discreet.columns.words import counts_of, is_word
from discreet.errors import RefusedError
from discreet.levels import in_order
from discreet.plots.counts import Protected
from discreet.plots.plot import How, Plot
from discreet.plots.view import Tidy, View
from discreet.render.scene import Lines

Own = Callable[[str, float], float]
"""Says of a level, and of where its line is, half of the 95 % interval that the copy's own error
would have alone: 0 where it is not known."""

Chance = Callable[[str, float], float | None]
"""Says the same of chance, where it is not that of rows which are a person each: None where that is
not known."""

#: A curve of fewer rows would be drawn finer than it is known.
LEAST_ROWS = 10
#: More colours and dashes are not told apart.
MOST_CURVES = 12
MOST_NAMES = 8


@dataclass(frozen=True)
class Curve:
    """A line: its label and the points it goes through."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


class ShownLevels(NamedTuple):
    """Levels that are drawn, in order; those of too few rows; those beyond the largest ones."""

    drawn: tuple[str, ...]
    few: tuple[str, ...]
    others: tuple[str, ...]


def shown_levels(words: Sequence[str], order: Sequence[str] = ()) -> ShownLevels:
    """Say which levels are drawn: at most `MOST_CURVES`, those with the most rows.

    Each has `LEAST_ROWS` at least; `words` are the levels of the rows.

    Examples
    --------
    >>> shown_levels(["b"] * 12 + ["a"] * 10 + ["c"] * 9)
    ShownLevels(drawn=('a', 'b'), few=('c',), others=())
    """
    sizes = counts_of(words)
    names = in_order(sizes, order)
    few = tuple(name for name in names if sizes[name] < LEAST_ROWS)
    enough = sorted((name for name in names if name not in few), key=lambda it: -sizes[it])
    largest = {*enough[:MOST_CURVES]}
    drawn = tuple(name for name in names if name in largest)
    return ShownLevels(drawn, few, tuple(it for it in names if it not in {*few, *largest}))


def values_by_level(
    rows: Protected, levels: Sequence[str], plot: Plot[Any], how: How
) -> tuple[list[tuple[str, Floats]], ShownLevels]:
    """Return the rising values of each level that has a curve, and which levels these are.

    Of a plot that is not divided it is one, without a name.
    """
    values, by = rows[plot.names[0]], plot.by_name
    words = ("",) * len(values) if by is None else levels
    shown = shown_levels(words, how.orders.get(by or "", ()))
    if not shown.drawn:
        which = "column" if by is None else f"level of {by!r}"
        raise RefusedError(
            f"no {which} has {LEAST_ROWS} rows with a value, the least that a curve needs; "
            f"choose another column{'' if by is None else ', or leave by out'}"
        )
    if by is None:
        return [("", np.sort(values))], shown
    return [(name, np.sort(values[is_word(levels, name)])) for name in shown.drawn], shown


@dataclass(frozen=True, kw_only=True, repr=False)
class CurvesView(View):
    """What plots of a column's distribution share: a curve for each level, or one of all rows.

    Parameters
    ----------
    curves : tuple of Curve
        The curves; `label` is the level, or empty.
    by : str or None
        The column whose levels have a curve each.
    few, others : tuple of str
        Levels that are not drawn: of fewer than ten rows, and beyond the twelve largest.
    """

    height: ClassVar[str]

    curves: tuple[Curve, ...]
    by: str | None = None
    few: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def tidy(self) -> Tidy:
        """Return a row for each point of each curve."""
        column = self.columns[0]
        x = self.values(column, [it for curve in self.curves for it in curve.x])
        y = [it for curve in self.curves for it in curve.y]
        found: Tidy = [(column, x), (self.height, y)]
        if self.by is None:
            return found
        return [(self.by, [curve.label for curve in self.curves for _ in curve.x]), *found]


def lines_of(curves: Sequence[Curve]) -> tuple[Lines, ...]:
    """Return curves as lines, each with a colour and dashes of its own."""
    return tuple(Lines((curve.x,), (curve.y,), "curve", curve.label) for curve in curves)


def left_out(few: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Say which levels have no curve."""
    said = []
    if few:
        said.append(f"not drawn, with fewer than {LEAST_ROWS} rows: {named(few)}")
    if others:
        said.append(f"not among the {MOST_CURVES} largest levels, so not drawn: {named(others)}")
    return tuple(said)


def intervals_for(counted: str, own_error: bool, by_persons: bool = False) -> str:
    """Say what intervals are for; `own_error` is whether they hold how far the copy is off.

    `by_persons` is whether chance is that of people, who may have several rows.

    Examples
    --------
    >>> intervals_for("protected rows", True)
    "for the population: they include sampling error and the copy's own error"
    """
    of = " (clustered by person)" if by_persons else ""
    if own_error:
        return f"for the population: they include sampling error{of} and the copy's own error"
    beyond = ", without the copy's own error" if counted == "protected rows" else ""
    return f"for sampling error alone{of}{beyond}"


def named(levels: Sequence[str]) -> str:
    """Return the names of levels, of many the first."""
    beyond = len(levels) - MOST_NAMES
    return ", ".join(levels[:MOST_NAMES]) + (f" and {beyond} more" if beyond > 0 else "")
