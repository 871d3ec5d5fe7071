"""The rounding set of one column: its regions, and the point that stands for each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from discreet.errors import BrokenPromiseError, InputError, RefusedError, one_of
from discreet.protect.base import Floats, Labels
from discreet.protect.rounding.base import RegionMethod
from discreet.protect.rounding.coding import cuts_of, encode_sorted, region_means, regions_of
from discreet.protect.rounding.intervals import Base
from discreet.protect.rounding.sorted_column import SortedColumn, as_column
from discreet.render import to_matplotlib
from discreet.render.scene import Axis, Bars, Lines, Panel, Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ENCODINGS", "REPRESENTATIVES", "RoundingSet", "rounding_set"]

REPRESENTATIVES = ("mean", "median", "midpoint")
ENCODINGS = ("region", "nearest", "stochastic")
SCHEMA = 1


@dataclass(frozen=True, eq=False, repr=False)
class RoundingSet:
    """Regions of one column, the point that stands for each, and how many rows fell into each.

    Parameters
    ----------
    method : str
        How the regions were found.
    parameters : mapping of str to plain values
        What the method was called with, and what came of it.
    low, high : float
        The least and the largest value that was seen.
    edges : ndarray of shape (regions - 1,)
        Where regions meet, rising; an edge belongs to the region above. The first region has no
        lower end, and the last no upper one.
    points : ndarray of shape (regions,)
        Rising, each within its region.
    counts : ndarray of int, of shape (regions,)
        How many of the rows it was made of lie in each; may be 0.
    column : str, optional
        The name of the column.

    Notes
    -----
    **What it does not protect.** A rounding set is made of raw values: its ends are two of them,
    and the mean of a region of few rows tells of these. It is for whoever holds the data. Applied
    to new records it promises nothing of how many of them share a point.

    References
    ----------
    Senavirathne and Torra, "Rounding based continuous data discretization for statistical
    disclosure control", Journal of Ambient Intelligence and Humanized Computing (2019),
    section 3, Fig. 1.

    Examples
    --------
    >>> from discreet.protect.rounding import EqualWidth, sorted_column
    >>> found = rounding_set(sorted_column([0.0, 1.0, 2.0, 9.0, 10.0]), EqualWidth(c=2))
    >>> found.edges.tolist(), found.points.tolist(), found.counts.tolist()
    ([5.0], [1.0, 9.5], [3, 2])
    >>> found.encode([4.0, 6.0]).tolist()
    [1.0, 9.5]
    """

    method: str
    parameters: Mapping[str, Any]
    low: float
    high: float
    edges: Floats
    points: Floats
    counts: Labels
    column: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        regions = len(self.points)
        shapes = (self.points.shape, self.edges.shape, self.counts.shape)
        if regions == 0 or shapes != ((regions,), (regions - 1,), (regions,)):
            raise InputError(
                "a rounding set has a point and a count for each region, and an edge"
                " between each two"
            )
        inside = regions_of(self.points, self.edges)
        if not np.isfinite(self.points).all() or (np.diff(self.edges) <= 0).any():
            raise InputError("the edges of a rounding set must be finite and rise")
        if (inside != np.arange(regions)).any():
            raise InputError("each point of a rounding set must lie within its region")
        for array in (self.edges, self.points, self.counts):
            array.flags.writeable = False

    def __repr__(self) -> str:
        name = "" if self.column is None else f"{self.column}: "
        return f"RoundingSet({name}{self.method}, {len(self.points)} points)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RoundingSet) and self.to_dict() == other.to_dict()

    def __reduce__(self) -> tuple[Any, ...]:
        return RoundingSet.from_dict, (self.to_dict(),)

    def __hash__(self) -> int:
        return hash((self.method, self.column, self.points.tobytes()))

    def encode(
        self, x: ArrayLike, encoding: str = "region", uniforms: ArrayLike | None = None
    ) -> Floats:
        """Replace each value by a rounding point.

        Parameters
        ----------
        x : array-like of shape (n,)
            Finite numbers; they need not be those the set was made of.
        encoding : {"region", "nearest", "stochastic"}, default "region"
            "region": the point of the region a value lies in, so that the counts of the set hold.
            "nearest": the point nearest to it, of two equally near ones the lower; regions of
            which many values lie nearer to the next point lose them. "stochastic": one of the
            two points around it, the nearer one more likely, so that its expectation is the value
            itself; a value beyond the outermost points becomes the outermost.
        uniforms : array-like of shape (n,), optional
            Numbers from 0 to 1, keyed by a secret, for "stochastic" alone.

        Returns
        -------
        ndarray of shape (n,)

        Raises
        ------
        InputError
            If a value is not finite, the encoding unknown, or uniforms are missing or no use.
        """
        column = as_column(x)
        if encoding not in ENCODINGS:
            raise InputError(f"encoding is unknown; choose one of {one_of(ENCODINGS)}")
        if (uniforms is not None) != (encoding == "stochastic"):
            raise InputError("uniforms are for the encoding 'stochastic', which needs them")
        if encoding == "region":
            return encode_sorted(column, self.edges, self.points)
        if encoding == "nearest":
            # The middle itself belongs to the lower point, so it starts just above.
            middle = self.points[:-1] / 2 + self.points[1:] / 2
            return encode_sorted(column, np.nextafter(middle, np.inf), self.points)
        return self._drawn(column, np.asarray(uniforms, dtype=np.float64))

    def _drawn(self, column: Floats, uniforms: Floats) -> Floats:
        inside = (uniforms >= 0) & (uniforms <= 1)
        if uniforms.shape != column.shape or not inside.all():
            raise InputError("uniforms must be one number from 0 to 1 for each value")
        if len(self.points) == 1:
            return np.full(len(column), self.points[0])
        above = np.clip(regions_of(column, self.points), 1, len(self.points) - 1)
        low, high = self.points[above - 1], self.points[above]
        share = np.clip((column - low) / (high - low), 0.0, 1.0)
        return np.where((uniforms < share) | (share == 1), high, low)

    def to_dict(self) -> dict[str, Any]:
        """Return the set as plain values."""
        out: dict[str, Any] = {"discreet": SCHEMA, "kind": "rounding-set"}
        for item in fields(self):
            value = getattr(self, item.name)
            out[item.name] = value.tolist() if isinstance(value, np.ndarray) else value
        return out | {"parameters": dict(self.parameters)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> RoundingSet:
        """Make a set of plain values, and check that it is one."""
        names = {item.name for item in fields(cls)}
        due = {"discreet": SCHEMA, "kind": "rounding-set"}
        known = isinstance(given, Mapping) and due.items() <= given.items()
        if not known or given.keys() - due.keys() != names:
            raise InputError("this is no rounding set that this version of discreet can read")
        try:
            parameters = dict(given["parameters"])
            low, high = float(given["low"]), float(given["high"])
            edges, points = (
                np.array(given[name], dtype=np.float64) for name in ("edges", "points")
            )
            counts = np.array(given["counts"], dtype=np.intp)
        except (TypeError, ValueError):
            raise InputError("the rounding set is damaged: its numbers cannot be read") from None
        column = None if given["column"] is None else str(given["column"])
        return cls(str(given["method"]), parameters, low, high, edges, points, counts, column)

    def to_json(self) -> str:
        """Return the set as JSON, for whoever holds the data."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> RoundingSet:
        """Read a set that `to_json` wrote."""
        try:
            given = json.loads(text)
        except ValueError:
            raise InputError("the rounding set is no JSON") from None
        return cls.from_dict(given)

    def scene(self) -> Scene:
        """Return a drawing: a bar for each region, its area the rows in it, and the points."""
        ends = (self.low, *self.edges.tolist(), self.high)
        wide = np.diff(ends)
        heights = [
            int(count) / width if width > 0 else 0.0
            for count, width in zip(self.counts, wide, strict=True)
        ]
        at, top = self.points.tolist(), max(heights)
        stems = Lines(
            tuple((point, point) for point in at),
            tuple((0.0, max(height, top / 20)) for height in heights),
            look="trend",
        )
        marks = (Bars(ends, tuple(heights)), stems)
        return Scene(
            panels=(Panel(marks, Axis(self.column or "value"), Axis("records per unit")),),
            title=f"{self.column or 'Rounding set'}: {self.method}, {len(self.points)} points",
            notes=("A bar is a region, its area the records in it; a line is a rounding point.",),
        )

    def plot(self, ax: Any = None) -> Figure:
        """Draw the set with matplotlib, for whoever holds the data.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a figure of its own.

        Returns
        -------
        matplotlib.figure.Figure
        """
        return to_matplotlib.draw(self.scene(), ax)


def rounding_set(
    column: SortedColumn,
    method: RegionMethod,
    representative: str = "mean",
    name: str | None = None,
) -> RoundingSet:
    """Find the regions of a column and the point that stands for each.

    Parameters
    ----------
    column : SortedColumn
        See `sorted_column`.
    method : RegionMethod
        Such as `Optimal(k=10)` or `EqualWidth(c=20)`.
    representative : {"mean", "median", "midpoint"}, default "mean"
        What stands for a region: the mean or median of its values, or the middle of the interval
        (of the outermost ones, between edge and extreme value). An empty region has its middle.
    name : str, optional
        What the column is called.

    Returns
    -------
    RoundingSet

    Raises
    ------
    InputError
        If the representative is unknown.
    RefusedError
        If the method cannot keep its promise on this column.
    BrokenPromiseError
        If a region, counted again, holds fewer rows than the method promises.
    """
    if representative not in REPRESENTATIVES:
        raise InputError(f"representative is unknown; choose one of {one_of(REPRESENTATIVES)}")
    if method.supervised and column.class_counts is None:
        raise RefusedError(f"{method.name!r} finds regions by a class; give one for each row")
    edges = method(column)
    parted = np.concatenate([[0], cuts_of(column, edges), [len(column.values)]])
    counts = np.diff(column.starts[parted])
    least = getattr(method, "k", None)
    if method.parameter == "k" and least is not None and counts.min() < least:
        raise BrokenPromiseError(
            "a region was counted again and holds fewer than k rows; please report this"
        )
    parameters = {name: value for name, value in vars(method).items() if value is not None}
    if isinstance(method, Base):  # its points are multiples, whatever lies around them
        parameters["b"], representative = method.base_of(column), "multiple"
        points = method.points(column, edges)
    else:
        points = _points(column, parted, _middles(column, edges), representative)
    return RoundingSet(
        method=method.name,
        parameters=parameters | {"representative": representative},
        low=float(column.values[0]),
        high=float(column.values[-1]),
        edges=edges,
        points=points,
        counts=counts.astype(np.intp),
        column=name,
    )


def _middles(column: SortedColumn, edges: Floats) -> Floats:
    """Return the middle of each interval; beyond the values, of edge and edge."""
    ends = np.concatenate([[column.values[0]], edges, [column.values[-1]]])
    low, high = np.minimum(ends[:-1], ends[1:]), np.maximum(ends[:-1], ends[1:])
    middle = low / 2 + high / 2
    out: Floats = np.where((middle >= low) & (middle < high), middle, low)
    return out


def _points(column: SortedColumn, parted: Labels, middles: Floats, representative: str) -> Floats:
    """Return what stands for each region: of its members, or its middle if it has none."""
    held = np.flatnonzero(np.diff(parted))
    out = middles.copy()
    if representative == "midpoint":
        return out
    begins, ends = parted[:-1][held], parted[1:][held]
    if representative == "median":
        out[held] = _medians(column, begins, ends)
        return out
    out[held] = region_means(column, column.values[begins[1:]])
    return out


def _medians(column: SortedColumn, begins: Labels, ends: Labels) -> Floats:
    """Return the median of the members of each region; of two middle values their mean."""
    before, after = column.starts[begins], column.starts[ends]
    low = np.searchsorted(column.starts, (before + after - 1) // 2, side="right") - 1
    high = np.searchsorted(column.starts, (before + after) // 2, side="right") - 1
    below, above = column.values[low], column.values[high]
    middles: Floats = np.clip(below / 2 + above / 2, below, above)
    return middles
