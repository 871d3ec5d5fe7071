"""Persons who break what all others keep: a level that implies another, a column skipped by some.

Where two columns have hardly any row together that chance would give many, that is a rule. One
person who breaks it would be seen by a row of the copy that nobody else could have made. So those
who are fewer than a number that the secret draws give no value of the later column.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Labels
from discreet.methods.base import persons_in

EXPECTED = 3
"""Chance would give so many times as many rows as are few, where a rule is seen."""
MOST_CELLS = 100_000
"""Two columns of more cells have hardly one in which chance would give many."""


def exceptions(
    columns: Mapping[str, Labels], name: str, least: int, persons: Labels | None
) -> NDArray[np.bool_]:
    """Say which rows break a rule between a column and one before it.

    Parameters
    ----------
    columns : mapping of str to ndarray of int of shape (n,)
        Columns in the order they are drawn in, as codes from 0.
    name : str
        The later column.
    least : int
        Of so many persons a combination is no exception.
    persons : ndarray of int of shape (n,) or None
        Whose each row is, where a person may have several.

    Examples
    --------
    >>> import numpy as np
    >>> sex = np.repeat([0, 1], 100)
    >>> pregnant = np.where((sex == 1) & (np.arange(200) % 2 == 0), 1, 0)
    >>> pregnant[7] = 1
    >>> np.flatnonzero(exceptions({"sex": sex, "pregnant": pregnant}, "pregnant", 5, None)).tolist()
    [7]
    """
    own = columns[name]
    kinds = int(own.max(initial=0)) + 1
    share = np.bincount(own, minlength=kinds) / max(len(own), 1)
    out = np.zeros(len(own), dtype=np.bool_)
    for other, codes in columns.items():
        if other == name:
            break
        size = np.bincount(codes)
        if len(size) * kinds > MOST_CELLS:
            continue
        cell = codes * kinds + own
        usual = np.outer(size, share).ravel()
        held = persons_in(cell, persons)
        out |= ((held < least) & (usual[: len(held)] >= EXPECTED * least))[cell]
    return out
