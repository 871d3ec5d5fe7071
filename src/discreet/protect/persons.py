"""Persons with several rows: their means, how many there are, and one value of each."""

from __future__ import annotations

import numpy as np

from discreet.errors import BrokenPromiseError, RefusedError
from discreet.protect.base import Floats, Labels, as_strata

__all__ = [
    "by_person",
    "check_groups_of_persons",
    "means_of_persons",
    "persons_in",
    "refuse_persons",
    "several_rows",
]


def several_rows(persons: Labels | None) -> Labels | None:
    """Return `persons`, or None where no two rows are of one person.

    Examples
    --------
    >>> import numpy as np
    >>> several_rows(np.array([4, 7, 9])) is None
    True
    """
    if persons is None or len(np.unique(persons)) == len(persons):
        return None
    return persons


def means_of_persons(
    values: Floats, strata: Labels, persons: Labels
) -> tuple[Floats, Labels, Labels]:
    """Return the mean row of each person in each stratum, so that each of them counts once.

    Parameters
    ----------
    values : ndarray of shape (n, p)
        Rows.
    strata, persons : ndarrays of int, of shape (n,)
        The stratum of each row, and whose it is. Who has rows in several strata has a mean in
        each of them.

    Returns
    -------
    tuple of ndarray of shape (m, p), ndarray of int of shape (m,), ndarray of int of shape (n,)
        The means, the stratum of each, and which of them each row belongs to. Sums are taken in
        an order of their own, so the order of the rows shows in no digit.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0], [3.0], [9.0]])
    >>> means, _, at = means_of_persons(x, np.zeros(3, dtype=np.intp), np.array([5, 5, 6]))
    >>> means.ravel().tolist(), at.tolist()
    ([2.0, 9.0], [0, 0, 1])
    """
    n = len(values)
    who, stratum = as_strata(persons, n), as_strata(strata, n)
    pairs, at = np.unique(stratum * (int(who.max()) + 1) + who, return_inverse=True)
    order = np.lexsort([*values.T, at])
    rows = np.bincount(at)
    means = [np.bincount(at[order], column[order]) / rows for column in values.T]
    return (
        np.column_stack(means),
        (pairs // (int(who.max()) + 1)).astype(np.intp),
        at.astype(np.intp),
    )


def by_person(
    z: Floats, values: Floats, strata: Labels, persons: Labels | None
) -> tuple[Floats, Floats, Labels, Labels | slice]:
    """Return standardised and plain rows with one for each person, and where each row went.

    Where no persons are given the rows are as they were.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0], [3.0], [9.0]])
    >>> by_person(x, x, np.zeros(3, dtype=np.intp), np.array([5, 5, 6]))[1].ravel().tolist()
    [2.0, 9.0]
    """
    if persons is None:
        return z, values, strata, slice(None)
    both, strata_of, at = means_of_persons(np.column_stack([z, values]), strata, persons)
    return both[:, : z.shape[1]].copy(), both[:, z.shape[1] :].copy(), strata_of, at


def persons_in(labels: Labels, persons: Labels | None) -> Labels:
    """Return how many persons have rows of each label, numbered from 0; rows where None is given.

    Examples
    --------
    >>> import numpy as np
    >>> persons_in(np.array([0, 0, 1, 1, 1]), np.array([3, 3, 3, 8, 9])).tolist()
    [1, 3]
    """
    if persons is None:
        return np.bincount(labels)
    pairs = np.unique(np.stack([labels, persons]), axis=1)
    return np.bincount(pairs[0], minlength=int(labels.max(initial=-1)) + 1)


def check_groups_of_persons(groups: Labels, persons: Labels, k: int) -> None:
    """Count again, apart from how they were made, that groups of rows are of k persons or more.

    Raises
    ------
    BrokenPromiseError
        If one is of fewer.

    Examples
    --------
    >>> import numpy as np
    >>> check_groups_of_persons(np.array([0, 0, 0]), np.array([1, 1, 2]), 2)
    """
    members: dict[int, set[int]] = {}
    for group, person in zip(groups.tolist(), persons.tolist(), strict=True):
        members.setdefault(group, set()).add(person)
    if any(len(found) < k for found in members.values()):
        raise BrokenPromiseError(
            "a group was counted again and holds fewer than k persons; please report this"
        )


def refuse_persons(method: str, persons: Labels | None) -> None:
    """Refuse persons with several rows where a method can only count rows.

    Raises
    ------
    RefusedError
        If some person has several rows.

    Examples
    --------
    >>> refuse_persons("probabilistic", None)
    """
    if several_rows(persons) is not None:
        raise RefusedError(
            f"some person has several rows, and method {method!r} knows rows alone; open the study"
            " with rows='condensation', 'microaggregation' or 'rounding', which make groups of"
            " persons, or make one row a person first (a mean or a last value)"
        )
