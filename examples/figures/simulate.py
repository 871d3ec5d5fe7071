"""The simulated data of the 2021 paper: its own at 500 people, by its formulas at other sizes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import discreet as dc

__all__ = ["NAMES", "PERSONS", "table"]

NAMES = ("D1", "D2", "D3")
PERSONS = 500
SEED = 1234


def table(name: str, persons: int = PERSONS) -> pa.Table:
    """Return D1, D2 or D3 of so many hypothetical people, with the columns X and Y.

    At 500 it is the paper's own table, which comes with the package. The others are drawn here by
    the formulas of section 3, because the paper's smaller ones were not published; so they are
    alike in what they show, and no number of theirs is the paper's.
    """
    if persons == PERSONS:
        return {"D1": dc.datasets.d1, "D2": dc.datasets.d2, "D3": dc.datasets.d3}[name]()
    chance = np.random.default_rng(SEED)
    if name == "D1":
        x = chance.normal(10, 0.5, persons)
        y = x + chance.normal(0, 1, persons)
    elif name == "D2":
        x = chance.lognormal(0, 0.5, persons)
        y = np.log(x) + chance.uniform(0, 1, persons)
    else:
        x = chance.beta(5, 2, persons)
        y = chance.beta(0.5, 0.5, persons)
    return pa.table({"X": x, "Y": y})
