"""Series as arrays."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

__all__ = ["array_of"]


def array_of(values: nw.Series[Any]) -> NDArray[Any]:
    """Return a series as an array; a float that is missing is NaN.

    Numbers of pyarrow go by DLPack: its own way imports pandas wherever that is installed, which
    takes longer than counting a table of a million rows.
    """
    numbers = values.dtype.is_float() or values.dtype.is_integer()
    if values.implementation.is_pyarrow() and numbers and not values.null_count():
        return np.from_dlpack(values.to_native().combine_chunks())
    return values.to_numpy()
