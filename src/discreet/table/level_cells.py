"""Cells that the levels of columns make, in frames whose i-th column of levels is `level i`."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.columns import Levels, text_of

Whole = NDArray[np.int64]


def cells_of_levels(out: nw.DataFrame[Any], levels: Levels) -> Whole:
    """Return the cell of each row of a frame, in which the i-th column of levels is `level i`."""
    cell = np.zeros(len(out), dtype=np.int64)
    for i, places in enumerate(levels.values()):
        here = [places[text_of(level)] for level in out[f"level {i}"].to_list()]
        cell = cell * (max(places.values()) + 1) + np.array(here, dtype=np.int64)
    return cell
