"""Numbers drawn on another scale, given back quantiles of a column that k persons hold each.

A column is cut, in order, into blocks of k to 2 k - 1 persons, where the secret says; a value
held by many is a block of its own. Each block's mean is a knot, between knots the function is
linear, and how much of the column a block makes up is drawn anew: by about as much as it would
change in another sample where a few blocks are looked at, by less where many are, so that the
distribution as a whole stays near.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.protect.base import persons_in
from discreet.protect.values import nice_step

__all__ = ["JITTER", "given_back", "resized", "shortened"]

Chance = Callable[[str, int], Floats]
"""Returns so many numbers between 0 and 1 that hang on a name and on no record."""

JITTER, JITTER_NEAR, SPAN = 0.5, 1.2, 12
"""The noise of the share of a block, in sds of a sample's: of SPAN k rows together, and of one."""

GRAINS = (1000.0, 500.0, 100.0, 50.0, 10.0, 5.0, 1.0, 0.5, 0.1, 0.01)
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
    latent: Floats, ties: Floats, raw: Floats, persons: Labels | None, chance: Chance, k: int
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
        Returns draws by their name and how many there are.
    k : int
        How many persons each knot stands on, and have values at either end or beyond it.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> even = lambda name, count: np.full(count, 0.5)
    >>> raw = np.concatenate([np.zeros(30), np.arange(1.0, 31.0)])
    >>> out = given_back(np.arange(6.0), np.zeros(6), raw, None, even, k=5)
    >>> bool((out[:3] == 0).all()), bool(out.max() <= 26)
    (True, True)
    """
    if not len(latent) or not np.ptp(raw):
        return np.full(len(latent), raw[0])
    rank = np.empty(len(latent))
    rank[np.lexsort([ties, latent])] = np.arange(len(latent))
    blocks = _blocks(raw, persons, chance, k)
    share, value = _quantiles(blocks, chance, _tag(raw), k)
    out: Floats = np.interp((rank + 0.5) / len(latent), share, value)
    kept = blocks.value[blocks.alone]
    return np.where(np.isin(out, kept), out, _rounded(out, raw)) + 0.0


def resized(size: Floats, chance: Floats, noise: float) -> Floats:
    """Return other sizes than those of a sample: Gamma of that mean, `noise` of its sampling sd."""
    from scipy.special import gammaincinv

    return np.asarray(gammaincinv(size / noise**2, chance) * noise**2)


def shortened(values: Floats) -> Floats:
    """Return numbers without the last digits of a sum."""
    size = 10.0 ** (11 - np.floor(np.log10(np.maximum(np.abs(values), 1e-290))))
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(np.abs(values) < 1e-290, values, np.round(values * size) / size) + 0.0


# --- rounded --------------------------------------------------------------------------------------


def _rounded(out: Floats, raw: Floats) -> Floats:
    """Round to the grain, and never beyond what is the least and largest before rounding."""
    step = _step(raw, out)
    rounded = np.round(out / step) * step
    low, high = out.min(), out.max()
    inner = np.where(
        rounded < low, rounded + step, np.where(rounded > high, rounded - step, rounded)
    )
    return np.clip(shortened(inner), low, high)


def _step(raw: Floats, out: Floats) -> Floats:
    """Return what each number is rounded to: a fiftieth of an sd, or two digits, or its grain."""
    sd = float(np.std(np.sort(raw), ddof=1))
    step = nice_step(max(sd, 1e-6 * float(np.ptp(raw)), TINY))
    for grain in GRAINS:
        if grain >= step and np.mean(np.abs(raw / grain - np.round(raw / grain)) < 1e-6) > 0.99:
            step = grain
            break
    digits = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(out), TINY))) - 1)
    whole = 1.0 if (raw == np.round(raw)).all() else 0.0
    return np.maximum(np.maximum(np.minimum(step, digits), whole), TINY)


def _tag(raw: Floats) -> str:
    """Return a name of the values alone, so that equal columns are drawn alike."""
    return blake2b(np.sort(raw).tobytes(), digest_size=16).hexdigest()


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
    tag = _tag(raw)
    least = k + np.floor(chance(f"kept {tag}", len(value)) * k)
    alone = held >= np.minimum(least, len(x))
    new = np.concatenate([[True], alone[1:] | alone[:-1]])
    starts = first[new]
    sizes = k + np.floor(chance(f"cuts {tag}", len(x) // k + len(starts)) * k).astype(np.intp)
    kinds: list[bool] = []
    edges: list[int] = []
    at: list[int] = []
    for run in _runs(alone[new], starts, np.append(starts[1:], len(x)), whose, k):
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
    return _drawn_in(blocks, x, np.array(edges), whose)


def _drawn_in(blocks: _Blocks, x: Floats, edges: Labels, whose: Labels | None) -> _Blocks:
    """Give the farthest blocks a value that all their persons have or are beyond.

    It is where the line through the means of the two next blocks comes to them, or the next mean
    if that is beyond some of them; where the next block is the other end or one value of many,
    the middle of the gap between the two; where there is but one block, a median of persons.
    """
    value, few = blocks.value.copy(), len(blocks.size)
    if few == 1 and not blocks.alone[0]:
        value[0] = np.median(x if whose is None else x[np.unique(whose, return_index=True)[1]])
    for end, inner, edge, sign in ((0, 1, 1, 1), (few - 1, few - 2, few - 1, -1)):
        if blocks.alone[end] or few == 1:
            continue
        if few > 3 and not blocks.alone[inner]:
            first = x[edges[edge] - (sign > 0)]
            value[end] = _reached(blocks, inner, inner + sign, float(first))
        else:
            before, after = x[edges[edge] - 1], x[edges[edge]]
            value[end] = before + (after - before) / 2
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
    alone: NDArray[np.bool_], starts: Labels, ends: Labels, whose: Labels | None, k: int
) -> list[_Run]:
    """Return runs of k persons or more: fewer between two kept values go to one of them."""
    out: list[_Run] = []
    ahead = -1
    for i, (kept, a, b) in enumerate(
        zip(alone.tolist(), starts.tolist(), ends.tolist(), strict=True)
    ):
        start = a if ahead < 0 else ahead
        ahead = -1
        if kept or (b - a if whose is None else len(np.unique(whose[a:b]))) >= k:
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


def _quantiles(blocks: _Blocks, chance: Chance, tag: str, k: int) -> tuple[Floats, Floats]:
    """Return shares of rows and the values there."""
    count = len(blocks.size)
    mass = resized(blocks.size, chance(f"shares {tag}", count), JITTER_NEAR) + 1e-9
    draws = chance(f"wide shares {tag}", count + 1)
    middle_rows = np.cumsum(blocks.size) - blocks.size / 2
    at = np.floor(middle_rows / (SPAN * k) + draws[-1]).astype(np.intp)
    wide = np.cumsum(np.append(0, at[1:] > at[:-1]))
    size: Floats = np.bincount(wide, blocks.size).astype(np.float64)
    mass *= (resized(size, draws[: len(size)], JITTER) / np.bincount(wide, mass))[wide]
    edge = np.concatenate([[0.0], np.cumsum(mass)]) / mass.sum()
    before = np.concatenate([[True], blocks.alone[:-1]])
    after = np.append(blocks.alone[1:], True)
    middle = (edge[:-1] + edge[1:]) / 2
    share = np.column_stack([edge[:-1], middle, edge[1:]])
    used = np.column_stack([blocks.alone | before, ~blocks.alone, blocks.alone | after])
    return share[used], np.repeat(blocks.value, 3).reshape(-1, 3)[used]
