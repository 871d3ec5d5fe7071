"""The rounding points of a table that was rounded jointly, and files of rounding points."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discreet.errors import InputError
from discreet.protect.base import Floats, Labels, as_matrix
from discreet.protect.rounding.rounding_set import RoundingSet

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
        How many rows of the table each stands for.

    Notes
    -----
    It is made of the rounded table alone and tells no more than that. **What it does not
    protect.** New records that are rounded to these points are new information: how many of them
    share a point is not promised. The rows it was made of, rounded again, are no release either:
    some lie nearer to the point of another group, in the order of their file.

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
        for array in (self.points, self.counts):
            array.flags.writeable = False

    def __repr__(self) -> str:
        return f"JointSet({', '.join(self.columns)}: {len(self.points)} points)"

    def encode(self, X: ArrayLike) -> Floats:
        """Replace each row by the nearest point, columns in units of the points' own spread.

        Parameters
        ----------
        X : array-like of shape (n, columns)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n, columns)
        """
        from scipy.spatial import cKDTree

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

    def to_dict(self) -> dict[str, Any]:
        """Return the set as plain values."""
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
        try:
            points = np.array(given["points"], dtype=np.float64)
            counts = np.array(given["counts"], dtype=np.intp)
            return cls(tuple(map(str, given["columns"])), points, counts)
        except (KeyError, TypeError, ValueError):
            raise InputError("the rounding points are damaged: they cannot be read") from None


def joint_set(columns: Sequence[str], rows: ArrayLike) -> JointSet:
    """Return the different rows of a rounded table, and how often each occurs."""
    points, counts = np.unique(as_matrix(rows), axis=0, return_counts=True)
    return JointSet(tuple(columns), points, counts.astype(np.intp))


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
        A file that `Release.save_points` or `discreet round --points` wrote.

    Returns
    -------
    tuple of RoundingSet, or JointSet
        A set for each column, or one of whole rows; both have `encode`.

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
    if due and given.get("kind") == "rounding-sets" and isinstance(given.get("sets"), list):
        return tuple(RoundingSet.from_dict(each) for each in given["sets"])
    raise InputError(f"{str(path)!r} holds no rounding points that this version can read")
