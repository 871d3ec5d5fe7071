"""Numbers drawn on another scale, given back quantiles of a column that k persons hold each.

A column is cut, in order, into blocks of k to 2 k - 1 persons, where the secret says; a value
held by many is a block of its own. Each block's mean is a knot, between knots the function is
linear, and how much of the column a block makes up is drawn anew: no count of neighbouring values
has less noise than it is told (`noised_parts`), and the distribution as a whole stays near.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.protect.base import persons_in
from discreet.protect.copies import threshold
from discreet.protect.grain import Chance, shortened, step_of

__all__ = ["given_back", "noised", "noised_parts"]

SPLIT = 1.5**0.5
"""The noise of the halves of a part, in sds of the noise that each count has in the end."""
TINY = 1e-290


class _Blocks(NamedTuple):
    """Neighbouring values in order: whether a block is one value of many, its size and value."""

    alone: NDArray[np.bool_]
    size: Floats
    value: Floats


class _Run(NamedTuple):
    """Places of ordered values: one value of many from `at` on, or different values."""

    alone: bool
    start: int
    at: int
    end: int


def given_back(
    latent: Floats,
    ties: Floats,
    raw: Floats,
    persons: Labels | None,
    chance: Chance,
    k: int,
    noise: float,
) -> Floats:
    """Give drawn numbers, by rank, safe quantiles of the raw ones, on the grain of these.

    Parameters
    ----------
    latent : ndarray of shape (n,)
        What was drawn; its order alone counts.
    ties : ndarray of shape (n,)
        The order of equal ones.
    raw : ndarray of shape (r,)
        A column without gaps, of 2 k persons or more.
    persons : ndarray of int of shape (r,) or None
        Whose each raw number is, where a person may have several.
    chance : callable
        Returns draws of this column by their name and how many there are.
    k : int
        How many persons each knot stands on, and have values at either end or beyond it.
    noise : float
        The sd of the noise of each count of rows.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> even = lambda name, count: np.full(count, 0.5)
    >>> raw = np.concatenate([np.zeros(30), np.arange(1.0, 31.0)])
    >>> out = given_back(np.arange(6.0), np.zeros(6), raw, None, even, k=5, noise=2.0)
    >>> bool((out[:3] == 0).all()), bool(out.max() <= 26)
    (True, True)
    """
    if not len(latent) or not np.ptp(raw):
        return np.full(len(latent), raw[0])
    rank = np.empty(len(latent))
    rank[np.lexsort([ties, latent])] = np.arange(len(latent))
    blocks = _blocks(raw, persons, chance, k)
    share, value = _quantiles(blocks, chance, noise)
    out: Floats = np.interp((rank + 0.5) / len(latent), share, value)
    kept = blocks.value[blocks.alone]
    return np.where(np.isin(out, kept), out, _rounded(out, raw, chance, k)) + 0.0


def noised(counts: Floats, chance: Floats, sd: float, least: float = 0.0) -> Floats:
    """Return counts with noise of about `sd`, none below `least`, each with its own mean.

    They are Gamma numbers. Of a count smaller than `sd` that is an exponential one, whose sd is
    the count. What lies below `least` is raised to it, and what lies above drawn in so far that
    the mean stays; a count below `least` becomes it.

    Examples
    --------
    >>> import numpy as np
    >>> chance = (np.arange(1000) + 0.5) / 1000
    >>> out = noised(np.full(1000, 10.0), chance, sd=11.0, least=5.0)
    >>> float(out.min()), float(out.mean().round(1))
    (5.0, 10.0)
    """
    from scipy.special import gammainc, gammaincinv

    mean = np.maximum(np.asarray(counts, dtype=np.float64), least)
    scale = np.minimum(sd, mean) ** 2 / np.maximum(mean, TINY)
    shape = mean / np.maximum(scale, TINY)
    drawn = np.where(scale > 0, gammaincinv(shape, chance) * scale, mean)
    if not least:
        return np.asarray(drawn)
    at = least / np.maximum(scale, TINY)
    beyond = mean * (1 - gammainc(shape + 1, at)) - least * (1 - gammainc(shape, at))
    drawn_in = (mean - least) / np.maximum(beyond, TINY)
    return np.asarray(least + np.maximum(drawn - least, 0.0) * drawn_in)


def noised_parts(sizes: Floats, chance: Floats, sd: float) -> Floats:
    """Return neighbouring counts with noise, whose sum stays.

    They are halved again and again, and the halves of each part have noise: so that each count,
    and each sum of some that follow one another, has noise of about `sd`, and the sum of many not
    much more. `chance` holds as many numbers as `drawn_for` says.

    Examples
    --------
    >>> import numpy as np
    >>> out = noised_parts(np.full(8, 10.0), np.full(drawn_for(8), 0.5), sd=3.0)
    >>> out.round(9).tolist()
    [10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0]
    """
    depth = _depth(len(sizes))
    leaves = np.zeros(1 << depth)
    leaves[: len(sizes)] = sizes
    out = leaves.sum(keepdims=True)
    for level in range(1, depth + 1):
        halves = leaves.reshape(1 << level, -1).sum(axis=1)
        at = (1 << level) - 2
        drawn = noised(halves, chance[at : at + len(halves)], SPLIT * sd).reshape(-1, 2)
        share = (drawn[:, 0] + TINY) / (drawn.sum(axis=1) + 2 * TINY)
        share = np.where(halves[1::2] > 0, share, 1.0)  # there is no second half
        out = np.column_stack([out * share, out * (1 - share)]).ravel()
    return np.asarray(out[: len(sizes)])


def drawn_for(parts: int) -> int:
    """Return how many draws so many parts are noised by."""
    return (2 << _depth(parts)) - 2


def _depth(parts: int) -> int:
    return max(parts - 1, 0).bit_length()


# --- rounded --------------------------------------------------------------------------------------


def _rounded(out: Floats, raw: Floats, chance: Chance, k: int) -> Floats:
    """Round to the grain, and never beyond what is the least and largest before rounding."""
    step = step_of(raw, out, chance, k)
    rounded = np.round(out / step) * step
    low, high = out.min(), out.max()
    inner = np.where(
        rounded < low, rounded + step, np.where(rounded > high, rounded - step, rounded)
    )
    return np.clip(shortened(inner), low, high)


# --- blocks ---------------------------------------------------------------------------------------


def _blocks(raw: Floats, persons: Labels | None, chance: Chance, k: int) -> _Blocks:
    """Cut the values, in order, into blocks of k persons or more; where is the secret's.

    A value of k to 2 k - 1 persons, the secret says how many, is a block of its own.
    """
    order = np.argsort(raw, kind="stable") if persons is None else np.lexsort([persons, raw])
    x = raw[order]
    whose = None if persons is None else persons[order]
    value, first, rows = np.unique(x, return_index=True, return_counts=True)
    held = rows if whose is None else persons_in(np.repeat(np.arange(len(value)), rows), whose)
    least = k + np.floor(chance("kept", len(value)) * k)
    alone = held >= np.minimum(least, len(x))
    new = np.concatenate([[True], alone[1:] | alone[:-1]])
    starts = first[new]
    sizes = k + np.floor(chance("cuts", len(x) // k + len(starts)) * k).astype(np.intp)
    fewest = threshold(chance("run", 1)[0], k)
    kinds: list[bool] = []
    edges: list[int] = []
    at: list[int] = []
    for run in _runs(alone[new], starts, np.append(starts[1:], len(x)), whose, fewest):
        cuts = np.zeros(0, dtype=np.intp)
        if not run.alone:
            span = run.end - run.start
            cuts = (
                _cuts(span, sizes, k)
                if whose is None
                else _cuts_of_persons(whose[run.start : run.end], sizes, k)
            )
            sizes = sizes[len(cuts) + 1 :]
        edges += [run.start, *(run.start + cuts).tolist()]
        kinds += [run.alone] * (len(cuts) + 1)
        at += [run.at] * (len(cuts) + 1)
    counts = np.diff([*edges, len(x)]).astype(np.float64)
    means = np.add.reduceat(x, edges) / counts
    blocks = _Blocks(np.array(kinds), counts, np.where(kinds, x[at], means))
    return _drawn_in(blocks, x, np.array(edges), whose, 0.25 + chance("ends", 2) / 2)


def _drawn_in(
    blocks: _Blocks, x: Floats, edges: Labels, whose: Labels | None, share: Floats
) -> _Blocks:
    """Give the farthest blocks a value that all their persons have or are beyond.

    It is where the line through the means of the two next blocks comes to them, or the next mean
    if that is beyond some of them; where the next block is the other end or one value of many,
    about the middle of the gap between the two, `share` of it; where there is but one block, a
    median of persons.
    """
    value, few = blocks.value.copy(), len(blocks.size)
    if few == 1 and not blocks.alone[0]:
        value[0] = np.median(x if whose is None else x[np.unique(whose, return_index=True)[1]])
    ends = ((0, 1, 1, 1), (few - 1, few - 2, few - 1, -1))
    for of_gap, (end, inner, edge, sign) in zip(share.tolist(), ends, strict=True):
        if blocks.alone[end] or few == 1:
            continue
        if few > 3 and not blocks.alone[inner]:
            first = x[edges[edge] - (sign > 0)]
            value[end] = _reached(blocks, inner, inner + sign, float(first))
        else:
            before, after = x[edges[edge] - 1], x[edges[edge]]
            value[end] = before + (after - before) * of_gap
    return blocks._replace(value=value)


def _reached(blocks: _Blocks, inner: int, other: int, first: float) -> float:
    """Return where a line through the means of two blocks leaves the inner one, not beyond `first`.

    `first` is the number of the end block that is nearest to the inner one. Of a block of many
    equal ones, or where the line goes beyond, it is the mean of the inner block.
    """
    mean, size = float(blocks.value[inner]), blocks.size
    if blocks.alone[other]:
        return mean
    slope = (mean - blocks.value[other]) / (size[inner] + size[other])
    edge = float(mean + slope * size[inner])
    return edge if abs(edge - mean) <= abs(first - mean) else mean


def _runs(
    alone: NDArray[np.bool_], starts: Labels, ends: Labels, whose: Labels | None, least: int
) -> list[_Run]:
    """Return runs of `least` persons or more: fewer between two kept values go to one of them."""
    out: list[_Run] = []
    ahead = -1
    for i, (kept, a, b) in enumerate(
        zip(alone.tolist(), starts.tolist(), ends.tolist(), strict=True)
    ):
        start = a if ahead < 0 else ahead
        ahead = -1
        if kept or (b - a if whose is None else len(np.unique(whose[a:b]))) >= least:
            out.append(_Run(bool(kept), start, a, b))
        elif out and (i + 1 == len(alone) or i % 2):
            out[-1] = out[-1]._replace(end=b)
        elif i + 1 < len(alone):
            ahead = a
    return out or [_Run(False, 0, 0, int(ends[-1]))]


def _cuts(count: int, sizes: Labels, k: int) -> Labels:
    """Return where to cut `count` rows into blocks of `sizes`, the last of k to 2 k - 1 rows."""
    cuts = np.cumsum(sizes)
    cuts = cuts[cuts <= count - k]
    rest = count - (int(cuts[-1]) if cuts.size else 0)
    return np.append(cuts, count - rest // 2) if rest >= 2 * k else cuts


def _cuts_of_persons(whose: Labels, sizes: Labels, k: int) -> Labels:
    """Return where to cut rows into blocks of so many persons, the last of k or more."""
    last = np.zeros(len(whose), dtype=np.intp)
    last[len(whose) - 1 - np.unique(whose[::-1], return_index=True)[1]] = 1
    ahead = np.cumsum(last[::-1])[::-1].tolist()
    targets, seen, cuts = iter(sizes.tolist()), set[int](), []
    target = next(targets)
    for i, person in enumerate(whose.tolist()):
        if len(seen) >= target and ahead[i] >= k:
            cuts.append(i)
            seen, target = set(), next(targets)
        seen.add(person)
    return np.array(cuts, dtype=np.intp)


def _quantiles(blocks: _Blocks, chance: Chance, noise: float) -> tuple[Floats, Floats]:
    """Return shares of rows and the values there."""
    count = len(blocks.size)
    mass = noised_parts(blocks.size, chance("shares", drawn_for(count)), noise) + 1e-9
    edge = np.concatenate([[0.0], np.cumsum(mass)]) / mass.sum()
    before = np.concatenate([[True], blocks.alone[:-1]])
    after = np.append(blocks.alone[1:], True)
    middle = (edge[:-1] + edge[1:]) / 2
    share = np.column_stack([edge[:-1], middle, edge[1:]])
    used = np.column_stack([blocks.alone | before, ~blocks.alone, blocks.alone | after])
    return share[used], np.repeat(blocks.value, 3).reshape(-1, 3)[used]
