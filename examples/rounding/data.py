"""The paper's data sets: public tables, scikit-learn's own, and simulated columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from examples.public import find

__all__ = ["CS", "DRAWS", "FILES", "KINDS", "KS", "MODEL_KS", "NEEDS", "Plan", "read", "simulated"]

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
#: What is left out without a file.
NEEDS = {
    "tarragona": "Figures 2 and 3 of the paper on rounding are",
    "boston": "Table 7 of the paper on rounding is",
    "faithful": "The table of faithful, as Table 7 of the paper on rounding, is",
}


@dataclass(frozen=True)
class Plan:
    """A data set, what is predicted in it, and the k of its microaggregations."""

    name: str
    target: str | None
    ks: tuple[int, ...]


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
