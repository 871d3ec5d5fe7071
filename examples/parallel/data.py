"""The German credit data, as the paper uses them: seven columns of a thousand account holders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

import discreet as dc
from discreet.parallel.pixels import Whole, level_pixels

__all__ = [
    "CATEGORICAL",
    "COLUMNS",
    "CONTINUOUS",
    "HEIGHT",
    "NAME",
    "NEEDS",
    "Credit",
    "Places",
    "kind_of",
    "kinds_of",
    "open_study",
    "places_of",
    "read",
]

NAME = "german_credit"
#: What is left out without the file.
NEEDS = {NAME: "All figures and statements of the 2011 paper are"}
COLUMNS = (
    "checking_status",
    "duration",
    "credit_history",
    "savings",
    "credit_amount",
    "personal_status",
    "age",
)
CATEGORICAL = ("checking_status", "credit_history", "savings", "personal_status")
CONTINUOUS = ("duration", "credit_amount", "age")
HEIGHT = 400  # pixels of an axis, the usual number of the package

#: The pixel of each record on the axis of each column.
Places = dict[str, Whole]


@dataclass(frozen=True, eq=False)
class Credit:
    """The table, and what is asked of it: by its study, or by the pixels of its records."""

    table: pd.DataFrame

    @cached_property
    def study(self) -> dc.Research:
        """A study of the table under `research`."""
        return open_study(self.table)

    @cached_property
    def places(self) -> Places:
        """The pixel of each record on each axis of the usual height."""
        return places_of(self.table)


def read(path: Path) -> pd.DataFrame:
    """Read the seven columns."""
    return pd.read_csv(path, usecols=list(COLUMNS))[list(COLUMNS)]


def kind_of(column: str) -> str:
    """Say whether a column is continuous or categorical."""
    return "categorical" if column in CATEGORICAL else "continuous"


def kinds_of(pair: Sequence[str]) -> tuple[str, str]:
    """Say of what kinds the columns of a pair are."""
    return kind_of(pair[0]), kind_of(pair[1])


def open_study(table: pd.DataFrame) -> dc.Research:
    """Open the table as public data."""
    kinds = {name: "categorical" for name in CATEGORICAL if name in table}
    return dc.research(table, kinds=kinds)


def places_of(table: pd.DataFrame, height: int = HEIGHT) -> Places:
    """Return the pixel of each record on each axis, as `research` has them.

    What is asked of single clusters, their seeds and their records no View tells, so it is asked
    of `discreet.parallel` itself.
    """
    places: Places = {}
    for name in table:
        values = table[name]
        if name in CATEGORICAL:
            levels = sorted(values.unique())
            pixels = np.array(level_pixels(len(levels), height), dtype=np.int64)
            places[name] = pixels[np.searchsorted(levels, values)]
            continue
        low, high = float(values.min()), float(values.max())
        share = (values.to_numpy(dtype=float) - low) / (high - low)
        places[name] = np.minimum((share * height).astype(np.int64), height - 1)
    return places
