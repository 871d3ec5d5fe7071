"""Rounding: every value is replaced by a point that stands for a region of its column.

Three steps. A method finds the regions of a column in order (`groups`, `intervals`, `clusters`,
`resampling`, `supervised`); `rounding_set` says which point stands for each; encoding replaces
values by points. `Rounder` does so for scikit-learn, `Rounding` rounds rows jointly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.protect.rounding.base import RegionMethod
from discreet.protect.rounding.choice import Choice, c_of_k, freedman_diaconis, k_of_c
from discreet.protect.rounding.clusters import KMeans, kmeans
from discreet.protect.rounding.groups import Mdav, Optimal, VMdav, optimal
from discreet.protect.rounding.intervals import (
    Base,
    EqualFrequency,
    EqualWidth,
    base,
    equal_frequency,
    equal_width,
)
from discreet.protect.rounding.joint_set import JointSet, joint_set, load_points
from discreet.protect.rounding.resampling import Resampling, resampling
from discreet.protect.rounding.rounding_set import (
    ENCODINGS,
    REPRESENTATIVES,
    RoundingSet,
    rounding_set,
)
from discreet.protect.rounding.rows import ColumnRounding, Rounding
from discreet.protect.rounding.settling import METHODS, known_method, settled
from discreet.protect.rounding.sorted_column import SortedColumn, sorted_column
from discreet.protect.rounding.supervised import ChiMerge, Mdlp, chimerge, mdlp

if TYPE_CHECKING:
    from discreet.protect.rounding.estimator import Rounder

__all__ = [
    "ENCODINGS",
    "METHODS",
    "REPRESENTATIVES",
    "Base",
    "ChiMerge",
    "Choice",
    "ColumnRounding",
    "EqualFrequency",
    "EqualWidth",
    "JointSet",
    "KMeans",
    "Mdav",
    "Mdlp",
    "Optimal",
    "RegionMethod",
    "Resampling",
    "Rounder",
    "Rounding",
    "RoundingSet",
    "SortedColumn",
    "VMdav",
    "base",
    "c_of_k",
    "chimerge",
    "equal_frequency",
    "equal_width",
    "freedman_diaconis",
    "joint_set",
    "k_of_c",
    "kmeans",
    "known_method",
    "load_points",
    "mdlp",
    "optimal",
    "resampling",
    "rounding_set",
    "settled",
    "sorted_column",
]


def __getattr__(name: str) -> Any:
    if name == "Rounder":  # scikit-learn takes seconds to import
        from discreet.protect.rounding.estimator import Rounder

        return Rounder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
