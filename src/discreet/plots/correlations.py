"""Correlations: how far pairs of columns go together, along a line and in rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import ClassVar

import numpy as np

from discreet.arguments import Floats
from discreet.errors import InputError
from discreet.methods import ROW_METHODS
from discreet.plots.counts import Protected
from discreet.plots.curves import LEAST_ROWS
from discreet.plots.plot import How, Plot, setting
from discreet.plots.view import Origin, Tidy, View
from discreet.render.scene import Axis, Cells, Panel, Scene

#: More numbers than those of so many columns are not read in one plot.
MOST_COLUMNS = 20
DIGITS = 6

Matrix = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class CorrelationsView(View):
    """Two matrices of correlations, each of all pairs of columns.

    Parameters
    ----------
    pearson, spearman : tuple of tuples of float or None
        The correlation of the i-th and the j-th column, -1 to 1: of their values, and of their
        ranks. None where fewer than ten rows have both, or one of them does not vary.
    """

    kind: ClassVar[str] = "correlations"

    pearson: Matrix
    spearman: Matrix

    def __post_init__(self) -> None:
        size = len(self.columns)
        for matrix in (self.pearson, self.spearman):
            if len(matrix) != size or any(len(row) != size for row in matrix):
                raise InputError("there is a correlation of each two columns")
            if any(not -1 <= value <= 1 for row in matrix for value in row if value is not None):
                raise InputError("a correlation is from -1 to 1")

    def tidy(self) -> Tidy:
        """Return a row for each two columns: Pearson's and Spearman's correlation."""
        places = [(i, j) for i in range(len(self.columns)) for j in range(i)]
        return [
            ("column", [self.columns[j] for _, j in places]),
            ("other", [self.columns[i] for i, _ in places]),
            ("pearson", [self.pearson[i][j] for i, j in places]),
            ("spearman", [self.spearman[j][i] for i, j in places]),
        ]

    def scene(self) -> Scene:
        """Return cells: Pearson's below the diagonal, Spearman's above."""
        size, names = len(self.columns), tuple(map(self.label, self.columns))
        edges = tuple(place - 0.5 for place in range(size + 1))
        # The first row stands on top, which is the last upward.
        values = tuple(
            tuple(self._at(row, column) for row in reversed(range(size))) for column in range(size)
        )
        texts = tuple(tuple(_words(value) for value in line) for line in values)
        panel = Panel(
            marks=(Cells(edges, edges, values, "correlation", (-1.0, 1.0), texts, signed=True),),
            x=Axis("", ticks=names),
            y=Axis("", ticks=names[::-1]),
        )
        signs = ["below the diagonal: Pearson, of values; above: Spearman, of ranks"]
        if any(value is None for row in range(size) for value in self.pearson[row][:row]):
            signs.append(f"empty: fewer than {LEAST_ROWS} rows with both values, or only one value")
        return Scene((panel,), notes=(*self.notes(), *signs))

    def _at(self, row: int, column: int) -> float | None:
        if row == column:
            return None
        return (self.pearson if row > column else self.spearman)[row][column]


def _words(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _ranks(values: Floats) -> Floats:
    """Return the rank of each value, those of equal ones shared."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(values)
    return ranks


@np.errstate(all="ignore")  # numbers beyond all measure have no correlation
def correlation_of(x: Floats, y: Floats) -> float | None:
    """Return Pearson's correlation, None of too few rows or of what does not vary."""
    if len(x) < LEAST_ROWS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    dx, dy = x - x.mean(), y - y.mean()
    # Scaled first: squares of very large or small numbers have no digits.
    dx, dy = dx / np.abs(dx).max(), dy / np.abs(dy).max()
    found = float((dx @ dy) / np.sqrt((dx @ dx) * (dy @ dy)))
    return round(min(max(found, -1.0), 1.0), DIGITS) if np.isfinite(found) else None


@dataclass(frozen=True)
class CorrelationPlot(Plot[CorrelationsView]):
    """Draw how far each two columns go together, as a matrix of correlations.

    Parameters
    ----------
    columns : sequence of str, optional
        2 to 20 continuous columns; by default all of the copy.

    Returns
    -------
    CorrelationsView
        `pearson` and `spearman`, each a whole matrix.

    Raises
    ------
    InputError
        Also if there are more than 20 columns and none are named.

    Notes
    -----
    Pearson's correlations of values stand below the diagonal and Spearman's of ranks above: where
    two mirrored cells differ, the relation is no straight line, or few rows far out decide it. In
    the copy of the whole table each correlation is of the rows that have both values; one of fewer
    than ten such rows, or of a column that does not vary, is empty. Computed from protected rows,
    they teach nothing that the copy does not; `fidelity` says how far its correlations are from the
    raw ones.

    Examples
    --------
    >>> import discreet as dc
    >>> view = dc.open(dc.datasets.diabetes()).correlations(["age", "bmi", "glucose"])
    >>> view.pearson[0][0], view.pearson[0][1] == view.pearson[1][0]
    (1.0, True)
    """

    name = "correlations"
    title = "Correlations"
    noun = "correlation plot"
    says = "How closely each two columns are related, linearly and by rank."
    methods = tuple(ROW_METHODS)
    pairwise = True

    columns: Sequence[str] | None = field(
        default=None,
        metadata=setting("columns", "The columns.", kind="continuous", least=2, most=MOST_COLUMNS),
    )

    def from_rows(
        self, rows: Protected, levels: Sequence[str], how: How, origin: Origin
    ) -> CorrelationsView:
        """Correlate columns of the protected rows, each two by the rows that have both."""
        names = self.names
        whole = {name: _ranks(rows[name]) for name in names if np.isfinite(rows[name]).all()}
        pearson = np.full((len(names), len(names)), None, dtype=object)
        spearman = pearson.copy()
        for i, j in combinations_with_replacement(range(len(names)), 2):
            first, second = rows[names[i]], rows[names[j]]
            both = np.isfinite(first) & np.isfinite(second)
            x, y = first[both], second[both]
            if both.all():
                of_x, of_y = whole[names[i]], whole[names[j]]
            else:
                of_x, of_y = _ranks(x), _ranks(y)
            pearson[i, j] = pearson[j, i] = correlation_of(x, y)
            spearman[i, j] = spearman[j, i] = correlation_of(of_x, of_y)
        return CorrelationsView(
            **self.made(how, origin, how.row_parameters),
            pearson=tuple(map(tuple, pearson.tolist())),
            spearman=tuple(map(tuple, spearman.tolist())),
        )
