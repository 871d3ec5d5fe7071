"""Rounding: every value of a column is replaced by a point that stands for a region of it.

Three steps. A method finds the regions of a column in order (`groups`, `intervals`, `clusters`,
`resampling`, `supervised`); `rounding_set` says which point stands for each; encoding replaces
values by points. `Rounder` does so for scikit-learn; `discreet.methods.Rounding` rounds rows
jointly.

**Rounding.** Rows are rounded jointly: by methods of columns, rows whose regions k share are a
group, the rest is grouped by MDAV, and each released row is counted again. One column at a time
exists for arrays and under `research`. Points that are released are the different rows of the
released table, no more.

Most methods are those of Senavirathne and Torra, "Rounding based continuous data discretization for
statistical disclosure control", Journal of Ambient Intelligence and Humanized Computing (2019);
other papers are listed in `discreet.methods`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.errors import needing
from discreet.rounding.base import RegionMethod, SortedColumn, sorted_column
from discreet.rounding.choice import (
    METHODS,
    Choice,
    c_of_k,
    freedman_diaconis,
    k_of_c,
    known_method,
    settled,
)
from discreet.rounding.clusters import KMeans, Resampling, kmeans, resampling
from discreet.rounding.groups import Mdav, Optimal, VMdav, optimal
from discreet.rounding.intervals import (
    Base,
    EqualFrequency,
    EqualWidth,
    base,
    equal_frequency,
    equal_width,
)
from discreet.rounding.rounding_set import (
    ENCODINGS,
    REPRESENTATIVES,
    JointSet,
    RoundingSet,
    joint_set,
    load_points,
    rounding_set,
)
from discreet.rounding.supervised import ChiMerge, Mdlp, chimerge, mdlp

if TYPE_CHECKING:
    from discreet.rounding.estimator import Rounder

__all__ = [
    "ENCODINGS",
    "METHODS",
    "REPRESENTATIVES",
    "Base",
    "ChiMerge",
    "Choice",
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
        with needing("scikit-learn", "Rounder"):
            from discreet.rounding.estimator import Rounder

        return Rounder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
