"""One protected copy of a whole table: its columns drawn one after the other.

**Who takes part.** A share of persons, drawn by the secret, stays out of everything
(`protect.participants`).
**Safe values.** What may be drawn of a column is safe by itself: levels of enough persons
(`protect.safe_levels`), values of many as they are, others as block means whose sums stay true
(`protect.safe_values`).
**Leaves.** Each column is drawn from the leaves of a tree over the columns before it, of m persons
or more (`protect.column_trees`): a drawn row takes a donor of its leaf (`protect.donors`) and the
donor's safe value, drawn anew. Levels come before numbers, gaps of a column before its values.
What has no exception in a leaf has none in the copy: skip patterns, and levels that imply another.

**Draws.** Each is a keyed function of the version and the record, or of the version and a name:
neither the order of rows nor that of columns changes anything. Rows are taken in the order of
their keys.

**Thresholds.** Whatever a number of persons decides (a level, a gap, a sum, an order, a whole
number, a column that is shown) is decided by one that the secret draws, of k to 2 k - 1 or of 4 k
to 8 k - 1: so no single person is sure to turn it. Of relations, of gaps and of columns that are
nearly empty there is one draw for all columns: who is rare in many of them in the same way is
seen no more often than who is so in one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.methods.base import several_rows
from discreet.methods.copies import Draws, Levels, Settings, WholeCopy
from discreet.methods.far_out import far_out_together, words_of_ends
from discreet.methods.fitted_columns import safe_values_of
from discreet.methods.participants import (
    PERSONS_PER_K,
    Rows,
    finite,
    least_known,
    participants,
    persons_of,
    usual_rows,
)
from discreet.methods.person_rows import rows_by_themselves, rows_of_persons
from discreet.methods.recount import check_whole
from discreet.methods.relations import relations_of

PERSONS_PER_M = 2
"""A copy is of at least so many times m persons, and up to k more; and of 4 k."""
ROWS_NOISE, WIDEST_NOISE = 2.0, 3.0
"""The noise of how many rows a copy has, in times k, and how many of its sds it is at most."""


def whole_copy(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Levels],
    draws: Draws,
    settings: Settings,
    persons: Labels | None = None,
    *,
    together: bool = False,
) -> WholeCopy:
    """Draw every row of a table anew, column after column, from leaves of at least m persons.

    Parameters
    ----------
    numbers : mapping of str to ndarray of shape (n,)
        Columns of numbers; what is not finite, or beyond 1e150, is missing.
    levels : mapping of str to Levels
        Columns of levels.
    draws : Draws
        What the noise of each record is keyed by.
    settings : Settings
        k, m, and what is declared of columns.
    persons : ndarray of int of shape (n,), optional
        Whose each row is, where a person may have several. Of one who has more than four times
        the median, some rows take no part; and all rows of a person weigh as much as the one of
        another.
    together : bool, default False
        Whether drawn rows belong together as a person's, in an order as in the data: where
        `persons` are declared, not where rows that are alike count as one's.

    Returns
    -------
    WholeCopy
        About as many rows as the table has, with noise of 2 k persons', in the order of a draw.
        Columns with numbers of few persons (fewer than a draw of 4 k to 8 k - 1), and levels of
        which none is shared by k, are left out and named.

    Raises
    ------
    RefusedError
        If the table has fewer than 2 m or 4 k persons, or up to k more, which the secret draws; or
        no column that can be shown.
    BrokenPromiseError
        If a promise, counted again (`protect.recount`), does not hold.

    Notes
    -----
    Each leaf holds rows of m persons or more, each level and each gap stands on k, and each value
    is that of m persons, or drawn around the mean of a block of m, with noise. A tenth to a fifth
    of the persons, drawn by the secret, take no part in a copy.

    **What it does not protect.** It is not differential privacy. What a leaf has in common shows:
    who knows most of a person's values infers the last one a little better than from others. Who
    knows the whole table but for one person tells whether the person is in it somewhat better
    than by guessing, more so where rows are few and columns many. Copies of the same persons
    add up: make few. A column whose mean hangs on few persons far out is named (`far_out` of the
    copy) where they are k to 2 k - 1 or more, which the secret draws: of fewer nothing is said.

    References
    ----------
    Columns drawn one after the other from the leaves of trees: Reiter, "Using CART to generate
    partially synthetic public use microdata", Journal of Official Statistics 21, 2005. Our own
    are: leaves of persons, safe values that keep sums, a linear prediction among the features,
    persons left out, and whole numbers throughout, so that the same rows make the same copy.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.keys import row_keys
    >>> from discreet.secret import Secret
    >>> secret, x = Secret.from_bytes(bytes(range(32))), np.arange(100.0)
    >>> draws = Draws(secret, b"1", row_keys(secret, [x, x % 7]))
    >>> made = whole_copy({"x": x, "day": x % 7}, {}, draws, Settings(k=5, m=10))
    >>> sorted(made.numbers), made.left_out
    (['day', 'x'], {})
    """
    persons, k = several_rows(persons), settings.k
    everyone = len(draws.keys) if persons is None else len(np.unique(persons))
    _check_persons(everyone, settings, draws)
    cleaned = {name: finite(numbers[name]) for name in sorted(numbers)}
    least = least_known(everyone, k, draws)
    shown = {n: it for n, it in cleaned.items() if persons_of(persons, ~np.isnan(it)) >= least}
    relations = relations_of(shown, k, draws.of_table, persons, settings.parts)
    ordered = {name: levels[name] for name in sorted(levels)}
    rows = Rows(relations.apart(shown), ordered, draws, persons, np.arange(len(draws.keys)))
    usual = usual_rows(persons, draws)
    part, could = participants(
        rows, usual, min(everyone, PERSONS_PER_M * settings.m), settings.left_out
    )
    if together and persons is not None:
        out = rows_of_persons(part, _about(everyone, 1, settings, draws), settings)
    else:
        out = rows_by_themselves(part, _about(could, usual, settings, draws), settings)
    left_out = dict.fromkeys(sorted(cleaned.keys() - shown.keys()), "nearly empty") | out.left_out
    left_out |= dict.fromkeys(relations.unmade({*left_out}), "stands on a column left out")

    def safe(name: str, latent: Floats) -> Floats:
        return safe_values_of(name, shown[name][part.at], part, settings, "end ").by_ranks(latent)

    again = relations.together(out.numbers, settings.bounds, safe, settings.parts)
    takes_part = np.zeros(len(draws.keys), dtype=np.bool_)
    takes_part[part.at] = True
    far = words_of_ends(far_out_together(out.safe.far, relations))
    made = WholeCopy(
        {name: column for name, column in again.items() if name not in left_out},
        out.levels,
        out.source,
        takes_part,
        left_out,
        out.persons,
        {name: how for name, how in far.items() if name in again and name not in left_out},
        {name: count for name, count in out.safe.joined.items() if count and name in out.levels},
    )
    check_whole(cleaned, levels, relations.within(made.numbers), made, settings, persons)
    return made


def _check_persons(persons: int, settings: Settings, draws: Draws) -> None:
    k, fewest = settings.k, max(PERSONS_PER_M * settings.m, PERSONS_PER_K * settings.k)
    if persons < fewest + draws.threshold("persons", k) - k:
        raise RefusedError(
            f"the table has too few persons for a copy of all its columns: {PERSONS_PER_M} times m"
            f" are needed, {PERSONS_PER_K} times k, and up to k more, which the secret draws;"
            " choose a smaller k"
        )


def _about(rows: int, usual: int, settings: Settings, draws: Draws) -> int:
    """Return how many rows, or persons, are drawn: about as many as there are."""
    from scipy.special import ndtri

    off = float(np.clip(ndtri(draws.of_table("rows", 1)[0]), -WIDEST_NOISE, WIDEST_NOISE))
    return max(settings.m, round(rows + ROWS_NOISE * settings.k * usual * off))
