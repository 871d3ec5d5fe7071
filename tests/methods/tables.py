"""Tables that copies of whole tables are tested with."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.arguments import Floats
from discreet.methods.copies import Levels


def table(n: int, seed: int = 0) -> tuple[dict[str, Floats], dict[str, Levels]]:
    """Make columns that hang together: numbers, an end after its start, gaps and levels."""
    random = np.random.default_rng(seed)
    age = np.round(random.normal(50, 12, n))
    start = np.round(random.uniform(0, 900, n))
    bmi = np.where(random.uniform(size=n) < 0.2, np.nan, 20 + age / 10 + random.normal(0, 3, n))
    numbers = {"age": age, "start": start, "end": start + random.integers(0, 400, n), "bmi": bmi}
    sex = (random.uniform(size=n) < 1 / (1 + np.exp((50 - age) / 8))).astype(np.intp)
    return numbers, {"sex": Levels(("f", "m"), sex)}


RANDOM = np.random.default_rng(7)
NORMAL = RANDOM.normal(size=400)
TABLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "60 rows": ({"x": NORMAL[:60], "y": NORMAL[60:120]}, {}),
    "six zeros of ten": ({"x": np.where(NORMAL < 0.25, 0.0, NORMAL), "y": NORMAL[::-1]}, {}),
    "gaps": ({"x": np.where(RANDOM.uniform(size=400) < 0.3, np.nan, NORMAL)}, {"g": NORMAL > 0}),
    "constants": ({"c": np.full(400, 3.0), "x": NORMAL}, {"one": np.zeros(400, dtype=bool)}),
    "constants alone": ({"c": np.full(400, 3.0)}, {}),
    "heavy ties": ({"x": np.round(NORMAL), "y": np.round(NORMAL / 2)}, {}),
    "equal columns": ({"x": NORMAL, "y": NORMAL, "z": NORMAL}, {}),
    "equal levels": ({}, {"a": NORMAL > 0, "b": NORMAL > 0}),
    "infinite": ({"x": np.where(NORMAL > 1.5, np.inf, NORMAL), "y": NORMAL * 1e149}, {}),
    "tiny": ({"x": NORMAL * 1e-160, "y": np.round(NORMAL) * 1e-300}, {}),
    "one column": ({"x": NORMAL}, {}),
    "levels alone": ({}, {"a": np.round(NORMAL), "b": np.round(NORMAL[::-1] * 2)}),
    "200 levels": ({"x": NORMAL}, {"a": RANDOM.integers(0, 200, 400), "b": np.arange(400)}),
    "one value and few others": ({"x": np.where(NORMAL > 1.8, NORMAL, 0.0), "y": NORMAL}, {}),
    "nearly empty": ({"x": np.where(NORMAL > 1.6, NORMAL, np.nan), "y": NORMAL}, {}),
}


def coded(column: Any) -> Levels:
    """Give levels their words in order."""
    kinds, codes = np.unique(column, return_inverse=True)
    return Levels(tuple(map(str, kinds.tolist())), codes.astype(np.intp))
