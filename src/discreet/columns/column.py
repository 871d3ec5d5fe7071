"""What is known of a column, and the one text that each of its levels has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discreet.columns.dates import Dates

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["KINDS", "ROLES", "Column", "text_of", "texts_of", "words_of"]

KINDS = ("continuous", "categorical")
ROLES = ("identifier", "quasi-identifier", "sensitive", "other")


@dataclass(frozen=True)
class Column:
    """A column's name, kind and role, and how its values are stored."""

    name: str
    kind: str
    role: str = "other"
    #: Stored as numbers or yes/no, so that it can be continuous.
    numeric: bool = False
    #: Stored as floating-point numbers, among which NaN may be.
    floating: bool = False
    #: Stored as yes/no.
    yes_no: bool = False
    #: How a column of kind "date" stores its dates.
    dates: Dates | None = None
    #: Stored as whole numbers, none of which is infinite.
    whole: bool = False
    #: Its levels from first to last, as the data or the policy declare them: also such as no row
    #: has, so that a list of levels is never this one.
    order: tuple[str, ...] = field(default=(), repr=False)
    #: The forms in which its texts may be dates, where its rows do not say which it is.
    readings: tuple[str, ...] = ()


def words_of(values: pa.ChunkedArray) -> tuple[str, ...]:
    """Return the text of each cell of a column of pyarrow: one text a level, however often."""
    import pyarrow as pa

    coded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    out: list[str] = []
    for chunk in coded.chunks:
        words = np.array([*texts_of(chunk.dictionary.to_pylist()), ""], dtype=object)
        out += words[chunk.indices.fill_null(len(words) - 1).to_numpy()].tolist()
    return tuple(out)


def texts_of(values: Sequence[object]) -> tuple[str, ...]:
    """Return the one text of each level."""
    return tuple(text_of(value) for value in values)


def text_of(value: object) -> str:
    """Return the one text of a level, whatever it is stored as; nothing for a missing one."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
