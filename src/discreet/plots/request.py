"""One request, settled: which plot, by which method, with which numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from discreet.errors import InputError
from discreet.levels import in_order
from discreet.methods import COPY_METHODS
from discreet.plots.periods import AUTO, Periods
from discreet.regression import Model

#: What a scatter plot draws: cells of very many rows and points of fewer, or one of the two.
SHOWN = ("auto", "points", "density")
BINS, GRID, PIXELS = 20, 30, 400
"""Bins of a histogram, cells along each side of a grid and pixels of an axis, where nobody says."""

Limits = Mapping[str, tuple[float, float]]
Edges = Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class AxesRequest:
    """What parallel coordinates need beside what every plot does.

    Parameters
    ----------
    pixels : int
        How many pixels every axis has.
    diversity : int
        The least number of different sensitive values (l of l-diversity).
    sensitive : mapping of str to tuple of str
        The sensitive columns, each with the values that are; all of them where none is named.
    cost : str
        How clusters of records grow: by "seed", by "span", or the "smaller" of both.
    fuzzy : bool
        Whether clusters are drawn without sharp edges.
    """

    pixels: int
    diversity: int
    # Names of levels, which a view must not print with its gate.
    sensitive: Mapping[str, tuple[str, ...]] = field(repr=False)
    cost: str
    fuzzy: bool


NO_AXES = AxesRequest(0, 1, MappingProxyType({}), "", True)


@dataclass(frozen=True)
class PlotRequest:
    """One plot as it will be made: the method and every number it needs.

    `of_copy` says whether it is drawn from the copy of the whole table, as the policy decides;
    groups of that are of `m` persons. `event_is` are the levels that are the event of a survival
    curve, `every` how long a period of a line over time is. `percent` draws shares
    instead of counts, `overlay` the levels of `by` on one pair of axes, `show` whether a
    scatter plot has points or cells. `weights` is the column by which rows of the copy are
    weighted. `by_second` is the second column of two that divide it; of a part that is drawn
    beside others, `periods` are those of all, and `until` when the last of survival curves
    ends. `levels` are those of columns in order: all of the copy, and of rows that are drawn of no
    such copy those that the data or the policy declare.
    """

    plot: str
    columns: tuple[str, ...]
    method: str
    k: int
    q: float | None
    bins: int
    grid: int
    limits: Limits
    by: str | None
    edges: Edges
    rounding: str | None = None
    c: int | None = None
    axes: AxesRequest = NO_AXES
    model: Model | None = None
    trend: bool = False
    noise_on: str = "points"
    of_copy: bool = False
    m: int | None = None
    event_is: tuple[str, ...] = field(default=(), repr=False)
    percent: bool = False
    every: str = AUTO
    overlay: bool = False
    show: str = SHOWN[0]
    by_second: str | None = None
    periods: tuple[str, Periods] | None = field(default=None, repr=False)
    until: float = 0.0
    weights: str | None = None
    levels: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: MappingProxyType({}), repr=False
    )

    @property
    def named(self) -> tuple[str, ...]:
        """All columns that the plot says something about."""
        divided = (name for name in (self.by, self.by_second) if name is not None)
        return (*self.columns, *divided)

    @property
    def rests_on(self) -> tuple[str, ...]:
        """All columns that the plot is made of: those that it names, and the weights."""
        weights = () if self.weights in (None, *self.named) else (self.weights,)
        return (*self.named, *(it for it in weights if it))

    def in_order(self, levels: Iterable[str], column: str | None = None) -> tuple[str, ...]:
        """Return different levels of a column, by default of `by`, in order."""
        return in_order(levels, self.levels.get(column or self.by or "", ()))

    @property
    def from_rows(self) -> bool:
        """Whether the plot is drawn from protected rows rather than from counts."""
        return self.method in COPY_METHODS


def columns_of_by(by: object) -> tuple[str, ...]:
    """Return the columns that divide a plot: none, one, or two that are named as a pair.

    Examples
    --------
    >>> columns_of_by(None), columns_of_by("sex"), columns_of_by(["age_band", "sex"])
    ((), ('sex',), ('age_band', 'sex'))
    """
    if by is None:
        return ()
    if isinstance(by, str):
        return (by,)
    names = tuple(by) if isinstance(by, Sequence) else ()
    if not 1 <= len(names) <= 2 or not all(isinstance(name, str) for name in names):
        raise InputError(
            "by takes the name of a column of levels, or of two: by=('age_band', 'sex')",
            parameter="by",
            rule="two",
        )
    return names
