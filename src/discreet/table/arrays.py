"""Series as arrays, and cells of text as the one text of a level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

__all__ = ["array_of", "finite_array", "floats_of", "levels_of", "text_of", "texts_of"]


def array_of(values: nw.Series[Any]) -> NDArray[Any]:
    """Return a series as an array; a float that is missing is NaN.

    Numbers of pyarrow go by DLPack: its own way imports pandas wherever that is installed, which
    takes longer than counting a table of a million rows.
    """
    numbers = values.dtype.is_float() or values.dtype.is_integer()
    if values.implementation.is_pyarrow() and numbers and not values.null_count():
        return np.from_dlpack(values.to_native().combine_chunks())
    return values.to_numpy()


def finite_array(values: nw.Series[Any]) -> NDArray[np.float64]:
    """Return numbers with one sign, NaN, for all that are missing or infinite."""
    out = np.array(array_of(values), dtype=np.float64)
    out[~np.isfinite(out)] = np.nan
    return out


def floats_of(values: Any) -> NDArray[np.float64]:
    """Return a pyarrow array of 64-bit floats as one of numpy; what is missing is NaN."""
    known = values.fill_null(np.nan) if values.null_count else values
    return np.asarray(np.from_dlpack(known), dtype=np.float64)


def levels_of(values: Any) -> Any:
    """Return a pyarrow array of cells as a DictionaryArray of their texts, as `texts_of` does."""
    import pyarrow as pa

    coded = values if isinstance(values, pa.DictionaryArray) else values.dictionary_encode()
    texts = [*texts_of(coded.dictionary.to_pylist()), ""]
    codes = coded.indices.cast(pa.int64()).fill_null(len(texts) - 1)
    return pa.DictionaryArray.from_arrays(codes, pa.array(texts, pa.large_string()))


def texts_of(values: Sequence[object]) -> tuple[str, ...]:
    """Return the one text of each level."""
    return tuple(text_of(value) for value in values)


def text_of(value: object) -> str:
    """Return the one text of a level, whatever it is stored as; nothing for a missing one."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
