"""Levels of a column that may be drawn: those of enough persons, and the others joined."""

from __future__ import annotations

import numpy as np

from discreet.arguments import Labels
from discreet.methods.base import persons_in
from discreet.methods.copies import MISSING, OTHER, Levels
from discreet.methods.participants import persons_of


def safe_levels(column: Levels, least: int, persons: Labels | None) -> Levels:
    """Return levels of `least` persons or more, rarer ones joined; -1 for rows that give none.

    A missing level is one of its own, never joined with others. Where all that are rare together
    are of too few persons, their rows give no level: they are drawn like the others of a leaf.

    Parameters
    ----------
    column : Levels
        The raw column.
    least : int
        How many persons a level stands on.
    persons : ndarray of int of shape (n,) or None
        Whose each row is, where a person may have several.

    Examples
    --------
    >>> import numpy as np
    >>> raw = Levels.of(["a"] * 6 + ["b"] * 3 + ["c"] * 3 + ["", ""])
    >>> made = safe_levels(raw, 5, None)
    >>> made.words, made.codes.tolist()
    (('(other)', 'a'), [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, -1, -1])
    """
    missing = len(column.words)
    codes = np.where(column.codes < 0, missing, column.codes)
    held = persons_in(codes, persons)
    enough = np.append(held, np.zeros(missing + 1 - len(held), dtype=np.intp)) >= least
    if not enough[:missing].all():  # a level that has the name of those that are joined is one
        enough[:missing] &= [word != OTHER for word in column.words]
    rare = np.isin(codes, np.flatnonzero(~enough[:missing]))
    words = [(word, i) for i, word in enumerate((*column.words, MISSING)) if enough[i]]
    if persons_of(persons, rare) >= least:
        words.append((OTHER, -1))
    words.sort()
    place = np.full(missing + 2, -1, dtype=np.intp)
    for at, (_, code) in enumerate(words):
        place[code if code >= 0 else missing + 1] = at
    out = place[np.where(rare, missing + 1, codes)]
    return Levels(tuple(word for word, _ in words), out)


def joined_levels(
    column: Levels, made: Levels, k: int, chance: float, persons: Labels | None
) -> int:
    """Return of how many levels or more "(other)" stands: k, 2 k, 4 k and so on, or 0 of fewer.

    It is the largest of these of which there are between as many and twice as many, by `chance`:
    so one person, who brings a level or takes one away, turns it for one draw in k at the most. Of
    the levels of a person one is counted.

    Parameters
    ----------
    column, made : Levels
        The raw column, and its safe levels.
    k : int
        The least number that is said.
    chance : float
        A number between 0 and 1 that hangs on no record.
    persons : ndarray of int of shape (n,) or None
        Whose each row is, where a person may have several.

    Examples
    --------
    >>> import numpy as np
    >>> raw = Levels.of(["a"] * 9 + list("bcdefghijklm"))
    >>> made = safe_levels(raw, 5, None)
    >>> [joined_levels(raw, made, 5, chance, None) for chance in (0.0, 0.2, 0.3, 0.9)]
    [10, 10, 5, 5]
    """
    if OTHER not in made.words:
        return 0
    joined = np.flatnonzero((made.codes == made.words.index(OTHER)) & (column.codes >= 0))
    if persons is not None:
        joined = joined[np.unique(persons[joined], return_index=True)[1]]
    levels = len(np.unique(column.codes[joined]))
    found = 0
    while levels >= max(2 * found, k) * (1 + chance):
        found = max(2 * found, k)
    return found
