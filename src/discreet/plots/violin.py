"""Violins: mirrored densities of a column side by side, with their medians and quartiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError
from discreet.methods import ROW_METHODS
from discreet.plots.counts import Protected
from discreet.plots.curves import Curve, CurvesView, named
from discreet.plots.density import DensityPlot, said_of
from discreet.plots.facets import PanelsView
from discreet.plots.plot import BY, ROWS, By, How, Plot, column
from discreet.plots.view import Origin
from discreet.render.dates import date_words
from discreet.render.scene import Axis, Panel, Scene, Violin, Violins

HALF = 0.42
"""The widest place of the widest violin, to each side of its tick."""
ROUGH = 50
"""A violin of fewer rows is called rough."""
DIGITS = 6

Quarters = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True, repr=False)
class ViolinView(CurvesView):
    """A mirrored density for each level, or one of all rows, as of `DensityView`.

    Parameters
    ----------
    quarters : tuple of (float, float, float)
        The first quartile, the median and the third quartile of each.
    rows : tuple of int
        How many rows each is of.
    constant : tuple of str
        Levels that are not drawn as their rows have one value alone.
    """

    kind: ClassVar[str] = "violin"
    height: ClassVar[str] = "density"

    quarters: tuple[Quarters, ...]
    rows: tuple[int, ...]
    constant: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        alike = all(len(curve.x) == len(curve.y) for curve in self.curves)
        if not (alike and len(self.curves) == len(self.quarters) == len(self.rows) > 0):
            raise InputError("violins have as many heights as places, and three quartiles each")
        for curve, (q1, median, q3) in zip(self.curves, self.quarters, strict=True):
            if not curve.x[0] <= q1 <= median <= q3 <= curve.x[-1]:
                raise InputError("the quartiles of a violin are in order, and within its ends")

    def scene(self) -> Scene:
        """Return shapes of one area, so that the widest is where most of a level's rows are."""
        widest = max(height for curve in self.curves for height in curve.y)
        shapes = tuple(
            Violin(it.x, tuple(float(f"{HALF * y / widest:.4g}") for y in it.y), *quarters)
            for it, quarters in zip(self.curves, self.quarters, strict=True)
        )
        ends = [end for it in self.curves for end in (it.x[0], it.x[-1])]
        of, by = self.columns[0], self.by and self.label(self.by)
        names = tuple(it.label for it in self.curves) if by else (self.label(of),)
        y = self.axis(of, ends, label=None if by else "")
        panel = Panel((Violins(shapes),), Axis(by or "", ticks=names), y)
        signs = ["dot: median, bar: quartiles"]
        signs += ["all violins have the same area"] if len(names) > 1 else []
        pairs = zip(names, self.rows, strict=True)
        if rough := [name for name, rows in pairs if rows < ROUGH]:
            signs.append(f"rough, with fewer than {ROUGH} rows: {named(rough)}")
        said = said_of(self.few, self.others, self.constant)
        return Scene((panel,), notes=(*self.notes(), *signs, *said))

    def describe(self) -> str:
        """Say what is shown, and of each violin its quartiles and of how many rows it is."""
        lines = [super().describe()]
        words = date_words if self.columns[0] in self.origin.dates else _short
        for it, quarters, rows in zip(self.curves, self.quarters, self.rows, strict=True):
            q1, median, q3 = map(words, quarters)
            lines.append(f"{it.label}: {rows:,} rows, median {median}, quartiles {q1} and {q3}")
        return "\n".join(lines)


def _short(value: float) -> str:
    return f"{value:.{DIGITS}g}"


def _quarters(values: Floats) -> Quarters:
    """Return the quartiles of rows."""
    q1, median, q3 = (
        float(f"{it:.{DIGITS}g}") for it in np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    )
    low, high = float(values.min()), float(values.max())
    # In six digits a quartile may come to lie beyond an end.
    q1, median, q3 = (min(max(it, low), high) for it in (q1, median, q3))
    return q1, median, q3


@dataclass(frozen=True)
class ViolinPlot(Plot[ViolinView | PanelsView]):
    """Draw the density of a column as a violin, or one violin for each level of another.

    Parameters
    ----------
    column : str
        A continuous column.
    by : str or pair of str, optional
        A categorical column: a violin for each of its levels of at least 10 rows; of more than 12
        levels for those with the most rows. The others are named below the plot. A pair of columns
        draws a panel for each level of the second one.

    Returns
    -------
    ViolinView, or PanelsView by two columns
        `curves`: the density of each; `quarters`: its quartiles and median; `rows`: of how many
        rows it is.

    Raises
    ------
    RefusedError
        Also if no level has 10 rows, or the column has one value alone.

    Notes
    -----
    The curves are those of `density`, mirrored. All have the same area, so that levels of any size
    compare. Computed from protected rows, so they teach nothing that the copy does not. Hintze and
    Nelson, "Violin plots: a box plot-density trace synergism", The American Statistician 52 (1998).

    Examples
    --------
    >>> import discreet as dc
    >>> view = dc.open(dc.datasets.diabetes()).violin("glucose", by="sex")
    >>> [curve.label for curve in view.curves], view.rows[0] > 200
    (['1', '2'], True)
    """

    name = "violin"
    title = "Violins"
    noun = "violin plot"
    says = "The distribution of one column as mirrored curves side by side, with quartiles."
    methods = tuple(ROW_METHODS)
    divided = (ROWS,)

    column: str = field(metadata=column("The column."))
    _: KW_ONLY
    by: By | None = field(default=None, metadata=BY)

    def from_rows(
        self, rows: Protected, levels: Sequence[str], how: How, origin: Origin
    ) -> ViolinView:
        """Draw a violin of the protected rows, or of those of each level."""
        found = DensityPlot(self.column, by=self.by).from_rows(rows, levels, how, origin)
        values, of = rows[self.names[0]], np.array(levels)
        held = [values if self.by_name is None else values[of == it.label] for it in found.curves]
        return ViolinView(
            **found.made(),
            curves=tuple(
                it if self.by_name else Curve(self.names[0], it.x, it.y) for it in found.curves
            ),
            quarters=tuple(_quarters(each) for each in held),
            rows=tuple(len(each) for each in held),
            by=found.by,
            few=found.few,
            others=found.others,
            constant=found.constant,
        )
