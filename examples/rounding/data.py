"""The paper's data sets: files beside the checkout, scikit-learn's own, and simulated columns.

The files are not ours to copy: they lie in the folder that DISCREET_SHARED_DATA names, or in
shared/data beside the checkout.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

__all__ = ["CS", "DRAWS", "FILES", "KINDS", "KS", "MODEL_KS", "Plan", "find", "read", "simulated"]

#: The paper's k and c for 500 rows (section 4.3), by rising k.
KS = (20, 25, 34, 50, 100, 167)
CS = (25, 20, 15, 10, 5, 3)
#: The k of its models: its mean accuracy of 0.93 on 178 wines cannot be one of k = 167, and it
#: writes of "k as high as 25", so that k must have been numbered as c.
MODEL_KS = (3, 5, 10, 15, 20, 25)
KINDS = ("exponential", "uniform", "normal")
DRAWS = 20
ROWS, COLUMNS, RATE = 500, 2, 0.08
FILES = ("tarragona", "boston", "faithful")


@dataclass(frozen=True)
class Plan:
    """A data set, what is predicted in it, and the k of its microaggregations."""

    name: str
    target: str | None
    ks: tuple[int, ...]


def find(name: str) -> Path | None:
    """Find the file of a data set; None where it is not to be had."""
    beside = Path(__file__).parents[3] / "shared" / "data"
    path = Path(os.environ.get("DISCREET_SHARED_DATA") or beside) / f"{name}.csv"
    return path if path.is_file() else None


def read(name: str) -> pd.DataFrame | None:
    """Read a data set; None where its file is not to be had."""
    if name in FILES:
        path = find(name)
        return None if path is None else pd.read_csv(path)
    from sklearn.datasets import load_iris, load_wine

    loaded: pd.DataFrame = {"wine": load_wine, "iris": load_iris}[name](as_frame=True).frame
    return loaded.rename(columns={"target": "class"})


def simulated(kind: str, seed: int) -> pd.DataFrame:
    """Draw two columns of 500 values: exponential (rate 0.08), uniform on (0, 1) or normal."""
    draws = np.random.default_rng([KINDS.index(kind), seed])
    size = ROWS, COLUMNS
    values = {
        "exponential": lambda: draws.exponential(1 / RATE, size),
        "uniform": lambda: draws.uniform(size=size),
        "normal": lambda: draws.normal(size=size),
    }[kind]()
    return pd.DataFrame(values, columns=["first", "second"])
