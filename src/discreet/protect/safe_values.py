"""Values of a column that may be drawn: of many persons as they are, of others around block means.

A value that many persons have stays itself. Others go, in order, into blocks of k to 2 k - 1
persons that the secret cuts, and are drawn evenly around their block's mean, no farther than the
middle of the gaps to its neighbours: so **sums stay true**. At either end
is a block of m persons or more (of k, where no more are beyond a value of many), whose excess
beyond its inner edge is capped, so that nobody makes it up, and has noise. How far the cap and how
large the noise is the blocks inside say: the width of an end block would tell of who is in it.
Where few persons have a number below 0, none is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.protect.copies import threshold
from discreet.protect.grain import Chance, shortened, step_of
from discreet.protect.participants import ONE

__all__ = ["BUNCHED", "SafeColumn", "normal", "safe_column"]

EXCESS, SHARE = 6.0, 0.4
"""An excess is capped at so many times the usual one inside, and at this share of its block's."""
END_NOISE = 2.0
"""The noise of an end block in standard errors of a block of so many, as those inside spread."""
REACH, LEAST_END = 0.9, 0.2
"""How far around its mean an end is drawn, in shares of the way to its edge; and how much of that
way noise leaves at the least."""
BUNCHED = 0.95
"""The k-th farthest is at the end of a scale where it is so far out as part of the farthest."""


@dataclass(frozen=True, eq=False, repr=False)
class SafeColumn:
    """Where the value of each row of a column may be drawn: around `centre`, `half` to each side.

    `step` is what a drawn value is rounded to, and 0 where the row's value is kept; `order` are the
    rows from the least value to the largest.
    """

    centre: Floats
    half: Floats
    step: Floats
    order: Labels

    def drawn(self, rows: Labels, place: Floats, rounding: Floats, noise: Floats) -> Floats:
        """Return a safe value for each of some rows: a `place` in its span, rounded by chance.

        Where the row's value is not kept there is `noise`, but none that leaves the column's ends.
        """
        step = self.step[rows]
        off = np.where(step > 0, noise, 0.0) + (2 * place - 1) * self.half[rows]
        lowest, highest = (self.centre - self.half).min(), (self.centre + self.half).max()
        out = np.clip(self.centre[rows] + off, lowest, highest)
        grain = np.where(step > 0, step, 1.0)
        rounded = shortened(np.floor(out / grain + rounding) * grain)
        return np.where(step > 0, rounded, out) + 0.0

    def by_ranks(self, latent: Floats) -> Floats:
        """Return a safe value for each of some numbers, by its rank among them."""
        rank = np.empty(len(latent))
        rank[np.argsort(latent, kind="stable")] = np.arange(len(latent))
        at = (rank + 0.5) / max(len(latent), 1) * len(self.order)
        row = np.minimum(at.astype(np.intp), len(self.order) - 1)
        even = np.full(len(latent), 0.5)
        return self.drawn(self.order[row], at - row, even, np.zeros(len(latent)))

    def spread_in(self, leaf: Labels) -> Floats:
        """Return the sd of values that are not kept in each leaf, given that of each row."""
        free = self.step > 0
        leaves = int(leaf.max(initial=0)) + 1
        count = np.maximum(np.bincount(leaf[free], minlength=leaves), 1)
        mean = np.bincount(leaf[free], self.centre[free], minlength=leaves) / count
        squares = (self.centre - mean[leaf])[free] ** 2
        sd: Floats = np.sqrt(np.bincount(leaf[free], squares, minlength=leaves) / count)
        return sd


def safe_column(
    values: Floats,
    weights: Labels,
    chance: Chance,
    at_rows: Callable[[str], Floats],
    k: int,
    m: int,
    bunched: float = BUNCHED,
) -> SafeColumn:
    """Return where each of the known values of a column may be drawn.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Values, none missing.
    weights : ndarray of int of shape (n,)
        What each row weighs: those of a person `ONE` together, at the most.
    chance : callable
        Returns draws of this column by their name and how many there are.
    at_rows : callable
        Returns a draw for each row by its name.
    k, m : int
        How many persons a block has at the least: m; of k hangs what is decided by few.
    bunched : float, default .95
        Nothing is drawn beyond the k-th farthest if it is so far out as part of the farthest; with
        0, as of dates, in any case.
    """
    from discreet.kernels.blocks import blocks_of

    order = np.argsort(values, kind="stable")
    x, w = values[order], weights[order]
    different, value = np.unique(x, return_inverse=True)
    held = np.bincount(value, w)
    least = m + np.floor(chance("kept", len(different)) * m)
    alone = (held >= least * ONE)[value]
    sizes = m + np.floor(chance("cuts", int(w.sum()) // (m * ONE) + 2 + len(different)) * m)
    low, high = (int(end) * ONE for end in m + np.floor(chance("ends", 2) * k))
    block = blocks_of(value, alone, w, sizes.astype(np.int64) * ONE, m * ONE, (low, high))
    centre, half = _spread(x, block, alone, chance, k, bunched)
    centre, half = _between(x, block, centre, half, at_rows("between")[order])
    if int(w[x < 0].sum()) < threshold(chance("below zero", 1)[0], k) * ONE:
        centre = np.maximum(centre, 0.0)
        half = np.minimum(half, centre)
    kept = alone | (block < 0)
    step = np.where(kept, 0.0, step_of(values, centre, chance, k))
    back = np.empty(len(order), dtype=np.intp)
    back[order] = np.arange(len(order))
    return SafeColumn(centre[back], half[back], step[back], order)


def _spread(
    x: Floats, block: Labels, alone: NDArray[np.bool_], chance: Chance, k: int, bunched: float
) -> tuple[Floats, Floats]:
    """Return centre and half the width of each row's block."""
    inside = np.flatnonzero(block >= 0)
    centre, half = x.copy(), np.zeros(len(x))
    if not inside.size:  # so few rows that no block has enough: one of all
        return np.full(len(x), _middle(x, k)), half
    xs, bs = x[inside], block[inside]
    starts = np.flatnonzero(np.concatenate([[True], bs[1:] != bs[:-1]]))
    stops = np.append(starts[1:], len(bs))
    mean = np.add.reduceat(xs, starts) / (stops - starts)
    first, last = xs[starts], xs[stops - 1]
    before = np.append(first[0], (last[:-1] + first[1:]) / 2)
    after = np.append((last[:-1] + first[1:]) / 2, last[-1])
    wide = np.maximum(np.minimum(mean - before, after - mean), 0.0)
    single = alone[inside][starts]
    noise = normal(chance("end noise", 2))
    for end, sign in ((0, -1), (len(starts) - 1, 1)):
        if single[end] or len(starts) == 1:
            continue
        own = float(noise[max(sign, 0)])
        mean[end], wide[end] = _end(xs, starts[end], stops[end], sign, own, k, bunched)
    if len(starts) == 1 and not single[0]:
        mean[0], wide[0] = _middle(xs, k), 0.0
    mean = np.where(single, first, mean)
    wide = np.where(single, 0.0, wide)
    sizes = stops - starts
    centre[inside], half[inside] = np.repeat(mean, sizes), np.repeat(wide, sizes)
    return centre, half


def _middle(x: Floats, k: int) -> float:
    """Return the mean of k in the middle: a median would be one person's value."""
    start = max(len(x) - k, 0) // 2
    return float(x[start : start + k].mean())


def _end(
    x: Floats, start: int, stop: int, sign: int, noise: float, k: int, bunched: float
) -> tuple[float, float]:
    """Return centre and half the width of the block at an end, whose excess is capped.

    Where the k farthest are at the end of a scale, nothing is drawn beyond it.
    """
    own = x[start:stop] * sign
    edge, size = float(own.min()), stop - start
    rest = np.sort((x[:start] if sign > 0 else x[stop:]) * sign)[::-1]
    near, next_to = rest[:size], rest[size : 3 * size]
    usual = 0.0
    if len(next_to) >= size:
        # Of an exponential tail both are its mean excess; of an even one the second is smaller.
        usual = float(near.mean() - next_to.mean()) / np.log(2)
        usual = min(usual, float(near.mean() - near.min()) / (1 - np.log(2)))
    if usual <= 0:  # few inside, or all beside it of one value
        usual = float(np.median(own) - edge) / np.log(2)
    excess = own - edge
    capped = np.minimum(excess, EXCESS * usual)
    ordered = np.sort(capped)
    most = float(ordered[:-1].sum()) * SHARE / (1 - SHARE)
    capped = np.minimum(capped, max(most, float(ordered[-2]) if size > 1 else 0.0))
    own_mean, kth = float(capped.mean()), float(ordered[-min(k, size)])
    # At the edge all would be drawn as the one who is there.
    mean = max(own_mean + END_NOISE * noise * usual / np.sqrt(size), LEAST_END * own_mean)
    half = REACH * mean
    if kth >= bunched * float(excess.max()):
        mean = min(mean, kth)
        half = min(half, kth - mean)
    return sign * (edge + mean), half


def _between(
    x: Floats, block: Labels, centre: Floats, half: Floats, chance: Floats
) -> tuple[Floats, Floats]:
    """Give rows between two blocks that are too few the value of either, so that sums stay."""
    lost = np.flatnonzero(block < 0)
    inside = np.flatnonzero(block >= 0)
    if not lost.size or not inside.size:
        return centre, half
    at = np.searchsorted(inside, lost)
    low = centre[inside[np.maximum(at - 1, 0)]]
    high = centre[inside[np.minimum(at, len(inside) - 1)]]
    low, high = np.where(at == 0, high, low), np.where(at == len(inside), low, high)
    span = high - low
    share = np.divide(x[lost] - low, span, out=np.zeros(len(lost)), where=span > 0)
    centre[lost] = np.where(chance[lost] < share, high, low)
    half[lost] = 0.0
    return centre, half


def normal(uniform: Floats) -> Floats:
    """Return normal numbers for even ones, none beyond 2.5 standard deviations."""
    from scipy.special import ndtri

    return np.asarray(np.clip(ndtri(uniform), -2.5, 2.5))
