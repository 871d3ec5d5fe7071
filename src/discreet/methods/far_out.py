"""Columns whose mean hangs on few persons far out: what they give up of it in a copy is said.

`protect.safe_values` caps how far the values at an end lie beyond the rest, so that nobody is
seen by them: the mean of a column with a heavy tail is lower in a copy, and of no noise that would
show how much. That this is so is said of the column where it hangs on a number of persons that
the secret draws, and not on how far out the farthest of them are: one person more moves what is
looked at by one place.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.methods.participants import ONE
from discreet.methods.relations import Relations
from discreet.methods.safe_values import SafeColumn, usual_excess

Ends = tuple[bool, bool]
"""Whether something is so at the lower, and at the upper end of a column."""

FAR = 3.0
"""So many times the usual excess of an end is far out: half of where it is capped."""
MATTERS = 0.5
"""So many standard errors of a mean are moved by k persons who are as far out, or more."""


def far_out(values: Floats, weights: Labels, safe: SafeColumn, k: int, few: int) -> Ends:
    """Say at which ends of a column its mean hangs on persons far out, whose values are capped.

    It does where `few` persons or more lie beyond the inner edge of the end by three times what
    those inside let expect, and k persons as far out as the last of them would move the mean by
    half a standard error. Those who lie beyond a value of many, and are too few for an end of
    their own, are drawn as that value: of them the second alone is asked.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The known values of a column.
    weights : ndarray of int of shape (n,)
        What each row weighs: those of a person `ONE` together, at the most.
    safe : SafeColumn
        Where each may be drawn.
    k : int
        How many persons move a mean.
    few : int
        How many persons lie far out, of k to 2 k - 1 that the secret draws.

    Notes
    -----
    One person more, however far out, takes the place of another: so the answer changes for one of
    the k numbers that may be drawn, at each end, but for what moves the edge and the spread.
    **What it does not say.** Of fewer than k persons nothing is said, whatever hangs on them.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.append(np.zeros(90), [50.0] * 6)
    >>> kept = SafeColumn(np.zeros(96), np.zeros(96), np.zeros(96), np.arange(96))
    >>> weights = np.full(96, ONE)
    >>> far_out(values, weights, kept, 5, 6), far_out(values, weights, kept, 5, 7)
    ((False, True), (False, False))
    """
    persons = float(weights.sum()) / ONE
    least = MATTERS * float(safe.centre.std()) * np.sqrt(persons) / k
    lower = _at_upper(-values, -safe.centre, safe.step, weights, least, few)
    return lower, _at_upper(values, safe.centre, safe.step, weights, least, few)


def _at_upper(
    values: Floats, centre: Floats, step: Floats, weights: Labels, least: float, few: int
) -> bool:
    end = centre == centre.max()
    block = end & (step > 0)
    if block.any():
        own = values[block]
        edge, usual = float(own.min()), usual_excess(values[~end], own)
    else:  # a value of many: who is beyond it is drawn as it
        own, edge, usual = values[end], float(centre.max()), 0.0
    excess = own - edge
    farthest = np.argsort(-excess, kind="stable")
    held = np.cumsum(weights[block if block.any() else end][farthest])
    at = int(np.searchsorted(held, few * ONE))
    if at >= len(own):
        return False
    reached = float(excess[farthest[at]])
    return bool(reached > 0 and reached >= max(FAR * usual, least))


def far_out_together(found: Mapping[str, Ends], relations: Relations) -> dict[str, Ends]:
    """Return it of columns put together again: of an end as of its start, of a sum as of parts."""
    out = dict(found)
    ends_of = {name: (start, name) for name, start in relations.after.items()}
    made_of: dict[str, tuple[str, ...]] = {**ends_of, **relations.sums}
    for _ in made_of:  # of one that is made of another that is made, as often as there are some
        for name, of in made_of.items():
            ends = [out.get(it, (False, False)) for it in of]
            out[name] = any(low for low, _ in ends), any(high for _, high in ends)
    return out


def words_of_ends(found: Mapping[str, Ends]) -> dict[str, str]:
    """Say how the means of columns are off in a copy, of those that hang on persons far out.

    Examples
    --------
    >>> words_of_ends({"age": (False, False), "wage": (False, True), "gain": (True, True)})
    {'gain': 'off', 'wage': 'too low'}
    """
    words = {(True, False): "too high", (False, True): "too low", (True, True): "off"}
    return {name: words[ends] for name, ends in sorted(found.items()) if ends in words}
