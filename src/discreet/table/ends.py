"""The ends of a column of values, found where the data are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import narwhals as nw

Collect = Callable[[nw.LazyFrame[Any]], nw.DataFrame[Any]]


def ends_of(values: nw.LazyFrame[Any], collect: Collect) -> tuple[int, float, float]:
    """Return how many values there are, the smallest and the largest: NaN where there are none."""
    value = nw.col("value")
    out = collect(values.select(n=nw.len(), low=value.min(), high=value.max()))
    size = int(out["n"][0])
    low, high = (float(out[end][0]) if size else math.nan for end in ("low", "high"))
    return size, low, high
