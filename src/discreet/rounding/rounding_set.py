"""Rounding points: of one column, its regions and what stands for each; of a table, its rows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import Floats, Labels, as_column, as_matrix, check_word
from discreet.errors import BrokenPromiseError, InputError, RefusedError, path_in_words
from discreet.render import to_matplotlib
from discreet.render.scene import Axis, Bars, Lines, Panel, Scene
from discreet.rounding.base import RegionMethod, Regions, SortedColumn, sorted_column
from discreet.rounding.choice import is_supervised, settled
from discreet.rounding.intervals import Base
from discreet.unfinished import path_to_save, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW = 20_000
"""Up to so many rows numpy is quick enough, and nothing needs to be compiled."""


def regions_of(x: ArrayLike, edges: Floats) -> Labels:
    """Return the region of each number: how many of the rising inner edges it is not below."""
    column = as_column(x)
    if len(column) <= FEW or len(edges) == 0:
        return np.searchsorted(edges, column, side="right")
    from discreet.kernels.columns import regions_of as search

    return search(column, np.require(edges, requirements=["C", "W"]))


def encode(x: ArrayLike, edges: Floats, points: Floats) -> Floats:
    """Return the point of the region of each number.

    `edges` are the m - 1 inner edges of regions, rising, each of which belongs to the region above;
    `points` are m.
    """
    column = as_column(x)
    return np.asarray(points[regions_of(column, edges)], dtype=np.float64)


def region_means(column: SortedColumn, cuts: Labels) -> Floats:
    """Return the mean of the rows in each region of a column, between its least and largest.

    Summed about the least value of each region, so that neither an offset nor the length of the
    column costs digits.
    """
    begins = np.concatenate([[0], cuts])
    first = np.repeat(column.values[begins], np.diff(begins, append=len(column.values)))
    sums = np.add.reduceat((column.values - first) * column.counts, begins)
    rows = np.diff(column.starts[begins], append=column.n)
    means: Floats = column.values[begins] + sums / rows
    np.minimum(means, np.append(column.values[cuts - 1], column.values[-1]), out=means)
    return means


REPRESENTATIVES = ("mean", "median", "midpoint")
ENCODINGS = ("region", "nearest", "stochastic")
SCHEMA = 1
TALLEST = 1e300
"""The tallest bar of a picture: regions may be too narrow for a number of records per unit."""


@dataclass(frozen=True, eq=False, repr=False)
class RoundingSet:
    """Regions of one column, the point that stands for each, and how many rows fell into each.

    `method` and `parameters` say how the regions were found; `low` and `high` are the least and the
    largest value that was seen. `edges` are where regions meet, rising; an edge belongs to the
    region above. `points` lie each within its region; `counts` of the rows it was made of lie in
    each, maybe 0. `column` is the column's name.

    Notes
    -----
    **What it does not protect.** A rounding set is made of raw values: its ends are two of them,
    and the mean of a region of few rows tells of these. It is for whoever holds the data. Applied
    to new records it promises nothing of how many of them share a point.

    Examples
    --------
    >>> from discreet.rounding import EqualWidth, sorted_column
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
        for each in ("edges", "points", "counts"):
            object.__setattr__(self, each, _locked(getattr(self, each)))
        regions = len(self.points)
        shapes = (self.points.shape, self.edges.shape, self.counts.shape)
        if regions == 0 or shapes != ((regions,), (regions - 1,), (regions,)):
            raise InputError(
                "a rounding set has a point and a count for each region, and an edge"
                " between each two"
            )
        finite = np.isfinite(self.points).all() and np.isfinite(self.edges).all()
        if not finite or (self.edges[1:] <= self.edges[:-1]).any():
            raise InputError("the edges of a rounding set must be finite and rise")
        below, above = self.points[:-1] < self.edges, self.edges <= self.points[1:]
        if not (below.all() and above.all()):
            raise InputError("each point of a rounding set must lie within its region")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise InputError(
                "the least value of a rounding set must be finite, and at most the largest"
            )
        if (self.counts < 0).any():
            raise InputError("the counts of a rounding set must be at least 0")

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
        """Replace each value by a rounding point; values need not be those the set was made of.

        `encoding` is "region": the point of the region a value lies in, so that the counts of the
        set hold. "nearest": the point nearest to it, of two equally near ones the lower; regions of
        which many values lie nearer to the next point lose them. "stochastic": one of the two
        points around it, the nearer one more likely, so that its expectation is the value itself; a
        value beyond the outermost points becomes the outermost. It alone needs `uniforms`, numbers
        from 0 to 1, keyed by a secret.
        """
        check_word("encoding", encoding, ENCODINGS)
        if (uniforms is not None) != (encoding == "stochastic"):
            raise InputError(
                "uniforms are for the encoding 'stochastic', which needs one number from 0 to 1 for"
                " each value; Rounder and discreet.round draw them from the custodian's secret"
            )
        if encoding == "region":
            return encode(x, self.edges, self.points)
        if encoding == "nearest":
            # The middle itself belongs to the lower point, so it starts just above.
            middle = self.points[:-1] / 2 + self.points[1:] / 2
            return encode(x, np.nextafter(middle, np.inf), self.points)
        return self._drawn(as_column(x), np.asarray(uniforms, dtype=np.float64))

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
        """Return the set as plain values: all that it tells, for whoever holds the data."""
        out: dict[str, Any] = {"discreet": SCHEMA, "kind": "rounding-set"}
        for item in fields(self):
            value = getattr(self, item.name)
            out[item.name] = value.tolist() if isinstance(value, np.ndarray) else value
        return out | {"parameters": dict(self.parameters)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> RoundingSet:
        """Make a set of the plain values that `to_dict` returned, and check that it is one.

        InputError is raised if it is none, or a damaged one: of other shapes, edges that do not
        rise, points outside their regions, counts below 0 or of no whole rows. Whether any data
        were rounded so it does not tell: counts and extremes are believed.
        """
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
            counts = whole_numbers(given["counts"])
        except (TypeError, ValueError, OverflowError):
            raise InputError("the rounding set is damaged: its numbers cannot be read") from None
        column = None if given["column"] is None else str(given["column"])
        return cls(str(given["method"]), parameters, low, high, edges, points, counts, column)

    def to_json(self) -> str:
        """Return the set as JSON, for whoever holds the data."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def save(self, path: str | Path) -> Path:
        """Write the set to a file of your own, which `load_points` reads.

        **What it does not protect.** It is written as it is, with the least and largest value, and
        no register knows of it.
        """
        target = path_to_save(path, (".json",), "a rounding set")
        write_whole(self.to_json().encode(), target)
        return target

    @classmethod
    def from_json(cls, text: str) -> RoundingSet:
        """Read a set that `to_json` wrote, as `from_dict` does."""
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
            min(count / width, TALLEST) if width > 0 else 0.0
            for count, width in zip(self.counts.tolist(), wide.tolist(), strict=True)
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
        """Draw the set with matplotlib, for whoever holds the data."""
        return to_matplotlib.draw(self.scene(), ax)


def _locked(given: Any) -> Any:
    """Return a copy that nobody changes: the caller may go on with the array."""
    locked = given.copy()
    locked.flags.writeable = False
    return locked


def whole_numbers(given: Any) -> Labels:
    """Return numbers of a file as whole ones, or raise ValueError where they are not."""
    numbers = np.array(given)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise ValueError("counts are whole numbers")
    return numbers.astype(np.intp)


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
        Such as `Optimal(k=10)` or `EqualWidth(c=20)`. If it cannot keep its promise on this column,
        that is refused; regions are counted again. What it found out is among the set's parameters:
        the base of `Base`, whose points are multiples whatever `representative` says, or the `law`
        of `Resampling`.
    representative : {"mean", "median", "midpoint"}, default "mean"
        What stands for a region: the mean or median of its values, or the middle of the interval
        (of the outermost ones, between edge and extreme value). An empty region has its middle.
    name : str, optional
        What the column is called.
    """
    check_word("representative", representative, REPRESENTATIVES)
    if method.supervised and column.class_counts is None:
        raise RefusedError(f"{method.name!r} finds regions by a class; give one for each row")
    find_regions = getattr(method, "regions", None)
    regions: Regions = Regions(method(column)) if find_regions is None else find_regions(column)
    edges = regions.edges
    parted = np.concatenate([[0], np.searchsorted(column.values, edges), [len(column.values)]])
    counts = np.diff(column.starts[parted])
    given = {name: value for name, value in vars(method).items() if value is not None}
    if not regions.held:
        for name in ("k", "digits"):  # they would say what is not so
            given.pop(name, None)
    if method.parameter == "k" and counts.min() < given.get("k", 0):
        raise BrokenPromiseError(
            "a region was counted again and holds fewer than k rows; please report this"
        )
    points = regions.points
    if points is not None:  # whatever lies around them
        representative = "multiple"
    else:
        points = _points(column, parted, edges, representative)
    return RoundingSet(
        method=method.name,
        parameters={**given, **regions.found, "representative": representative},
        low=float(column.values[0]),
        high=float(column.values[-1]),
        edges=edges,
        points=points,
        counts=counts.astype(np.intp),
        column=name,
    )


def _points(column: SortedColumn, parted: Labels, edges: Floats, representative: str) -> Floats:
    """Return what stands for each region: of its members, or its middle if it has none."""
    occupied = np.flatnonzero(np.diff(parted))
    if representative == "mean" and len(occupied) == len(parted) - 1:
        return region_means(column, parted[1:-1])
    # The middle of each interval; beyond the values, of edge and edge.
    ends = np.concatenate([[column.values[0]], edges, [column.values[-1]]])
    low, high = np.minimum(ends[:-1], ends[1:]), np.maximum(ends[:-1], ends[1:])
    middle = low / 2 + high / 2
    out: Floats = np.where((middle >= low) & (middle < high), middle, low)
    if representative == "mean":
        out[occupied] = region_means(column, parted[:-1][occupied][1:])
    elif representative == "median":  # of two middle values their mean
        rows = column.starts[parted[:-1][occupied]] + column.starts[parted[1:][occupied]]
        lower = np.searchsorted(column.starts, (rows - 1) // 2, side="right") - 1
        upper = np.searchsorted(column.starts, rows // 2, side="right") - 1
        below, above = column.values[lower], column.values[upper]
        out[occupied] = np.clip(below / 2 + above / 2, below, above)
    return out


def column_sets(
    matrix: Floats,
    method: Any,
    *,
    k: Any = None,
    c: Any = None,
    representative: str = "mean",
    names: Sequence[str | None] | None = None,
    classes: ArrayLike | None = None,
    exact: bool = False,
) -> tuple[RoundingSet, ...]:
    """Return the rounding set of each column of a table.

    `method`, `k` and `c` are as of `settled`, `representative` as of `rounding_set`; `classes` are
    looked at by supervised methods alone. With `exact` a base that is looked for is the smallest
    there is, and not of two digits: for public data.
    """
    of = classes if is_supervised(method) else None
    out = []
    for name, values in zip(names or [None] * matrix.shape[1], matrix.T, strict=True):
        column = sorted_column(values, of)
        chosen = settled(method, column, k=k, c=c)
        if exact and isinstance(chosen, Base):
            chosen = replace(chosen, digits=None)
        out.append(rounding_set(column, chosen, representative, name))
    return tuple(out)


def encoded(
    sets: Sequence[RoundingSet], matrix: Floats, encoding: str, uniforms: Floats | None
) -> Floats:
    """Return a table whose columns are replaced by points of their sets."""
    columns = [
        each.encode(matrix[:, j], encoding, None if uniforms is None else uniforms[:, j])
        for j, each in enumerate(sets)
    ]
    return np.column_stack(columns)


@dataclass(frozen=True, eq=False, repr=False)
class JointSet:
    """The different rows of a rounded table: each is a point that stands for several records.

    `points`, of shape (points, columns), are in lexicographic order; `counts` are how many rows of
    the table each stands for, at least 1. It is made of the rounded table alone and tells no more
    than that.

    Notes
    -----
    **What it does not protect.** New records that are rounded to these points are new information:
    how many of them share a point is not promised. Nor are the rows it was made of a release when
    they are encoded: some lie nearer to the point of another group than to that of their own, so
    fewer than k may share a point, and encoded rows come in the order of the rows given.

    Examples
    --------
    >>> points = joint_set(["x"], [[1.5], [1.5], [9.0], [9.0]])
    >>> points.counts.tolist(), points.encode([[2.0], [8.0]]).tolist()
    ([2, 2], [[1.5], [9.0]])
    """

    columns: tuple[str, ...]
    points: Floats
    counts: Labels

    def __post_init__(self) -> None:
        points = as_matrix(self.points)
        if points.shape != (len(self.counts), len(self.columns)) or np.ndim(self.points) != 2:
            raise InputError(
                "a joint set has a number for each point and column, and a count a point"
            )
        if (self.counts < 1).any():
            raise InputError("the counts of a joint set must be at least 1")
        differ = points[1:] != points[:-1]
        first = differ.argmax(axis=1)[:, None]
        rise = np.take_along_axis(points[1:], first, 1) > np.take_along_axis(points[:-1], first, 1)
        if not rise.all():
            raise InputError("the points of a joint set must differ, in lexicographic order")
        object.__setattr__(self, "points", _locked(points))
        object.__setattr__(self, "counts", _locked(self.counts))

    def __repr__(self) -> str:
        return f"JointSet({', '.join(self.columns)}: {len(self.points)} points)"

    def encode(self, X: ArrayLike) -> Floats:
        """Replace each row by the nearest point, columns in units of the points' own spread.

        `X` is a frame, whose columns are found by their names, or an array of shape (n, columns).
        Where several points are equally near it is not said which one is taken.

        **What it does not protect.** How many rows share a point is not promised; and a row far
        from all points is drawn to one of them, however little it is like those it stands for.
        """
        import narwhals as nw
        from scipy.spatial import cKDTree

        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            for name in self.columns:
                if name not in frame.columns:
                    raise InputError(
                        f"there is no column {name!r}; the points are of {', '.join(self.columns)}"
                    )
            X = frame.select(*self.columns).to_numpy()
        matrix = as_matrix(X)
        if matrix.shape[1] != len(self.columns):
            raise InputError(f"rows must have the columns {', '.join(self.columns)}")
        share = self.counts / self.counts.sum()
        mean = share @ self.points
        spread = np.sqrt(share @ np.square(self.points - mean))
        spread[spread == 0] = 1.0
        near = cKDTree(self.points / spread).query(matrix / spread)[1]
        nearest: Floats = self.points[near]
        return nearest

    def save(self, path: str | Path) -> Path:
        """Write the points to a file, which `load_points` reads.

        What is released from a study goes by `Release.save_points`, which asks the register; this
        does not.
        """
        target = path_to_save(path, (".json",), "a file of rounding points")
        write_whole(points_text(self).encode(), target)
        return target

    def to_dict(self) -> dict[str, Any]:
        """Return the set as plain values, which tell no more than the rounded table."""
        return {
            "discreet": SCHEMA,
            "kind": "joint-rounding-set",
            "columns": list(self.columns),
            "points": self.points.tolist(),
            "counts": self.counts.tolist(),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> JointSet:
        """Make a set of plain values."""
        due = {"discreet": SCHEMA, "kind": "joint-rounding-set"}
        if not (isinstance(given, Mapping) and due.items() <= given.items()):
            raise InputError("these are no joint rounding points that this version can read")
        try:
            points = np.array(given["points"], dtype=np.float64)
            counts = whole_numbers(given["counts"])
            return cls(tuple(map(str, given["columns"])), points, counts)
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError("the rounding points are damaged: they cannot be read") from None


def joint_set(columns: Sequence[str], rows: ArrayLike) -> JointSet:
    """Return the different rows of a rounded table, and how often each occurs.

    **What it does not protect.** Anything: rows come back as they are, with their counts. Of raw
    rows it would be the data.
    """
    points, counts = np.unique(as_matrix(rows) + 0.0, axis=0, return_counts=True)
    return JointSet(tuple(columns), points, counts.astype(np.intp))


def points_text(points: Sequence[RoundingSet] | JointSet) -> str:
    """Return rounding points as the text of a file that `load_points` reads."""
    if isinstance(points, JointSet):
        return json.dumps(points.to_dict(), allow_nan=False)
    content = {
        "discreet": SCHEMA,
        "kind": "rounding-sets",
        "sets": [each.to_dict() for each in points],
    }
    return json.dumps(content, allow_nan=False)


def load_points(path: str | Path) -> tuple[RoundingSet, ...] | JointSet:
    """Read rounding points that were saved, to round new records alike by `encode`.

    Returns a set for each column (one for the file of `RoundingSet.save`), or a `JointSet`.
    """
    try:
        given = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no file {path_in_words(path)}") from None
    except (OSError, ValueError):
        raise InputError(f"{path_in_words(path)} holds no rounding points") from None
    due = isinstance(given, dict) and given.get("discreet") == SCHEMA
    if due and given.get("kind") == "joint-rounding-set":
        return JointSet.from_dict(given)
    if due and given.get("kind") == "rounding-set":
        return (RoundingSet.from_dict(given),)
    if due and given.get("kind") == "rounding-sets" and isinstance(given.get("sets"), list):
        return tuple(RoundingSet.from_dict(each) for each in given["sets"])
    raise InputError(f"{path_in_words(path)} holds no rounding points that this version can read")
