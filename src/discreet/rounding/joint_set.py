"""The rounding points of a table that was rounded jointly, and files of rounding points."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discreet.arguments import Floats, Labels, as_matrix
from discreet.errors import InputError
from discreet.render.figure_file import path_to_save, write_whole
from discreet.rounding.rounding_set import RoundingSet, whole_numbers

__all__ = ["JointSet", "joint_set", "load_points", "points_text"]

SCHEMA = 1


@dataclass(frozen=True, eq=False, repr=False)
class JointSet:
    """The different rows of a rounded table: each is a point that stands for several records.

    Parameters
    ----------
    columns : tuple of str
        The names of the columns.
    points : ndarray of shape (points, columns)
        The different rows, in lexicographic order.
    counts : ndarray of int, of shape (points,)
        How many rows of the table each stands for; at least 1.

    Raises
    ------
    InputError
        If shapes do not fit, points are not finite, not different or in another order, or a
        count is below 1.

    Notes
    -----
    It is made of the rounded table alone and tells no more than that.

    **What it does not protect.** New records that are rounded to these points are new information:
    how many of them share a point is not promised. Nor are the rows it was made of a release when
    they are encoded: some lie nearer to the point of another group than to that of their own, so
    fewer than k may share a point, and encoded rows come in the order of the rows given.

    Examples
    --------
    >>> found = joint_set(["x"], [[1.5], [1.5], [9.0], [9.0]])
    >>> found.counts.tolist(), found.encode([[2.0], [8.0]]).tolist()
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
        if not _rise(points):
            raise InputError("the points of a joint set must differ, in lexicographic order")
        for name, given in (("points", points), ("counts", self.counts)):
            locked = given.copy()  # the caller may go on with these arrays
            locked.flags.writeable = False
            object.__setattr__(self, name, locked)

    def __repr__(self) -> str:
        return f"JointSet({', '.join(self.columns)}: {len(self.points)} points)"

    def encode(self, X: ArrayLike) -> Floats:
        """Replace each row by the nearest point, columns in units of the points' own spread.

        Parameters
        ----------
        X : frame, or array-like of shape (n, columns)
            Finite numbers. The columns of a frame are found by their names, whatever their order.

        Returns
        -------
        ndarray of shape (n, columns)

        Raises
        ------
        InputError
            If X holds anything but finite numbers, or has other columns.

        Notes
        -----
        Where several points are equally near it is not said which one is taken.

        **What it does not protect.** How many rows share a point is not promised; and a row far
        from all points is drawn to one of them, however little it is like those it stands for.
        """
        from scipy.spatial import cKDTree

        matrix = as_matrix(_by_name(X, self.columns))
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

        Raises
        ------
        InputError
            If the ending is another one, or the folder does not exist.

        Notes
        -----
        What leaves a study leaves by `Release.save_points`, which asks the ledger; this does not.
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

    Parameters
    ----------
    columns : sequence of str
        Their names.
    rows : array-like of shape (n, columns)
        Rows that were rounded, and are released as they are; finite.

    Returns
    -------
    JointSet

    Raises
    ------
    InputError
        If rows are no table of finite numbers, or have not as many columns as there are names.

    Notes
    -----
    **What it does not protect.** Anything: rows come back as they are, with their counts. Of raw
    rows it would be the data.

    Examples
    --------
    >>> joint_set(["x"], [[1.5], [9.0], [1.5]]).counts.tolist()
    [2, 1]
    """
    points, counts = np.unique(as_matrix(rows) + 0.0, axis=0, return_counts=True)
    return JointSet(tuple(columns), points, counts.astype(np.intp))


def _rise(points: Floats) -> bool:
    """Return whether each row comes after the one before it in lexicographic order."""
    differ = points[1:] != points[:-1]
    first = differ.argmax(axis=1)[:, None]
    steps = np.take_along_axis(points[1:], first, 1) > np.take_along_axis(points[:-1], first, 1)
    return bool(steps.all())


def points_text(points: Sequence[RoundingSet] | JointSet) -> str:
    """Return rounding points as the text of a file that `load_points` reads."""
    if isinstance(points, JointSet):
        return json.dumps(points.to_dict(), allow_nan=False)
    told = {
        "discreet": SCHEMA,
        "kind": "rounding-sets",
        "sets": [each.to_dict() for each in points],
    }
    return json.dumps(told, allow_nan=False)


def load_points(path: str | Path) -> tuple[RoundingSet, ...] | JointSet:
    """Read rounding points that were saved, to round new records alike.

    Parameters
    ----------
    path : str or Path
        A file that `Release.save_points` or `discreet anonymize --points` wrote.

    Returns
    -------
    tuple of RoundingSet, or JointSet
        A set for each column (one for the file of `RoundingSet.save`), or one of whole rows; both
        have `encode`.

    Raises
    ------
    InputError
        If there is no such file, or it holds no rounding points.
    """
    try:
        given = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no file {str(path)!r}") from None
    except (OSError, ValueError):
        raise InputError(f"{str(path)!r} holds no rounding points") from None
    due = isinstance(given, dict) and given.get("discreet") == SCHEMA
    if due and given.get("kind") == "joint-rounding-set":
        return JointSet.from_dict(given)
    if due and given.get("kind") == "rounding-set":
        return (RoundingSet.from_dict(given),)
    if due and given.get("kind") == "rounding-sets" and isinstance(given.get("sets"), list):
        return tuple(RoundingSet.from_dict(each) for each in given["sets"])
    raise InputError(f"{str(path)!r} holds no rounding points that this version can read")


def _by_name(X: Any, columns: Sequence[str]) -> Any:
    """Return the columns of a frame in the order of their names; anything else as it is."""
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return X
    for name in columns:
        if name not in frame.columns:
            raise InputError(f"there is no column {name!r}; the points are of {', '.join(columns)}")
    return frame.select(*columns).to_numpy()
