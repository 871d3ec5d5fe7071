"""Values of a column that may be drawn: of many people as they are, of others around block means.

A value that many people have, at least a number of m to 2 m - 1 that the secret draws, stays
itself. Others go, in order, into blocks of m to 2 m - 1 people that the secret cuts, and are drawn
evenly around their block's mean, no farther than the middle of the gaps to its neighbours: so
**sums stay true**. At either end is a block of m people or more (too few for a block, beyond a
value of many, are drawn as that value), whose excess beyond its inner edge is capped, so that
nobody makes it up, and has noise. How far the cap and how large the noise is the blocks inside
say: the width of an end block would tell of who is in it. How far out it is drawn lies on a grid
that the secret places, so that the farthest drawn value is nobody's place.
Where few people have a number below 0, none is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.methods.base import persons_in
from discreet.methods.copies import (
    MISSING,
    ONE,
    OTHER,
    Chance,
    Levels,
    persons_of,
    shortened,
    step_of,
    threshold,
)
from discreet.methods.relations import Relations

EXCESS, SHARE = 6.0, 0.4
"""An excess is capped at so many times the usual one inside, and at this share of its block's."""
END_NOISE = 2.0
"""The noise of an end block in standard errors of a block of so many, as those inside spread."""
REACH, LEAST_END = 0.9, 0.2
"""How far around its mean an end is drawn, in shares of the way to its edge; and how much of that
way noise leaves at the least."""
BEYOND = 1.4
"""An end is drawn up to so many times as far out as k to 2 k - 1 people are, the secret says."""
BUNCHED = 0.95
"""Where k to 2 k - 1 people are so near to the last of as many, in shares of how far out that one
is, they are at the end of a scale: nothing is beyond."""
LONE, FROM_END, LEAST_IN_LEAF = 2.0, 3, 9
"""Nobody's value is farther from the middle of a leaf than so many times what the third person's
from its end is; in leaves of at least nine people, to k - 1 more: in smaller ones that is near."""
PERSONS_LONE = 600
"""Of more people that is farther, by the root of their number: each weighs less among many."""
GRID = 0.3
"""How far out an end is drawn lies on a grid so wide, in usual excesses, that the secret places:
several people are nearer to each other, so that nobody is there."""


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
        places = np.floor(out / grain + rounding)
        if highest - lowest >= 2 * grain.max():  # one step inwards is within the ends
            places += (places * grain < lowest).astype(np.float64) - (places * grain > highest)
        rounded = shortened(places * grain)
        return np.where(step > 0, rounded, out) + 0.0

    def by_ranks(self, latent: Floats) -> Floats:
        """Return a safe value for each of some numbers, by its rank among them."""
        rank = np.empty(len(latent))
        rank[np.argsort(latent, kind="stable")] = np.arange(len(latent))
        at = (rank + 0.5) / max(len(latent), 1) * len(self.order)
        row = np.minimum(at.astype(np.intp), len(self.order) - 1)
        centre = self.centre[self.order]
        first = np.flatnonzero(np.diff(centre, prepend=-np.inf))
        rows = np.diff(first, append=len(centre))
        block = np.searchsorted(first, row, side="right") - 1
        place = (at - first[block]) / rows[block]
        even = np.full(len(latent), 0.5)
        return self.drawn(self.order[row], place, even, np.zeros(len(latent)))

    def taken(self, rows: Labels) -> SafeColumn:
        """Return the safe values of some rows."""
        order = np.argsort(np.argsort(self.order, kind="stable")[rows], kind="stable")
        return SafeColumn(self.centre[rows], self.half[rows], self.step[rows], order)

    def without_lone(self, leaf: Labels, weights: Labels, least: int) -> SafeColumn:
        """Return it without values that are far from all others of their leaf.

        In each leaf such a value becomes the third person's from its end. All values of the column
        that lie on the same side of the middles of their leaves move outwards in proportion, so
        that the sum stays. Values that are kept because many have them stay, and those of leaves of
        fewer people than `least`. `weights` says how much of a person each row is.
        """
        free = np.flatnonzero(self.step > 0)
        if not len(free):
            return self
        order = free[np.lexsort([self.centre[free], leaf[free]])]
        x = self.centre[order]
        middle, low, high = _middle_and_ends(x, weights[order], leaf[order], least)
        far = LONE * max(1.0, float(weights.sum()) / ONE / PERSONS_LONE) ** 0.5
        inside = np.where(x > middle + far * (high - middle), high, x)
        inside = np.where(x < middle - far * (middle - low), low, inside)
        off = _outwards(inside - middle, x - inside)
        lowest, highest = (self.centre - self.half).min(), (self.centre + self.half).max()
        centre, half = self.centre.copy(), self.half.copy()
        centre[order] = np.where(
            off == inside - middle, inside, np.clip(middle + off, lowest, highest)
        )
        half[order[inside != x]] = 0.0
        half = np.minimum(half, np.minimum(centre - lowest, highest - centre))
        return replace(self, centre=centre, half=half)

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
    beyond: float = BEYOND,
    persons: Labels | None = None,
) -> SafeColumn:
    """Return where each of the known values of a column may be drawn.

    Each row has a weight: those of a person `ONE` together, at the most; with `persons` a value
    stays itself if so many people have it in some row of theirs. By their name, `chance` draws so
    many and `at_rows` one for each row. A block has at the least m people; of k hangs what is
    decided by few. An end is drawn up to `beyond` times as far beyond its inner edge as k to 2 k -
    1 people are: 1 for dates, whose end is that of what was looked at.
    """
    from discreet.kernels.blocks import blocks_of

    order = np.argsort(values, kind="stable")
    x, w = values[order], weights[order]
    different, value = np.unique(x, return_inverse=True)
    least = m + np.floor(chance("kept", len(different)) * m)
    alone = (_persons_with(value, None if persons is None else persons[order]) >= least)[value]
    sizes = m + np.floor(chance("cuts", int(w.sum()) // (m * ONE) + 2 + len(different)) * m)
    low, high = (int(end) * ONE for end in m + np.floor(chance("ends", 2) * k))
    block = blocks_of(value, alone, w, sizes.astype(np.int64) * ONE, m * ONE, (low, high))
    centre, half = _spread(x, w, block, alone, _ends(chance, k, beyond))
    centre, half = _share_out_lost(x, block, centre, half, at_rows("between")[order])
    if int(w[x < 0].sum()) < threshold(chance("below zero", 1)[0], k) * ONE:
        centre = np.maximum(centre, 0.0)
        half = np.minimum(half, centre)
    kept = alone | ((block < 0) & (block >= 0).any())
    step = np.where(kept, 0.0, step_of(values, centre, chance, k))
    back = np.empty(len(order), dtype=np.intp)
    back[order] = np.arange(len(order))
    return SafeColumn(centre[back], half[back], step[back], order)


def _persons_with(value: Labels, persons: Labels | None) -> Labels:
    """Return how many people have each value, which are whole numbers from 0, in order."""
    if persons is None:
        return np.bincount(value)
    _, whose = np.unique(persons, return_inverse=True)
    places = np.unique(value * (int(whose.max(initial=0)) + 1) + whose)
    return np.bincount(places // (int(whose.max(initial=0)) + 1))


class _End(NamedTuple):
    """How an end is drawn: its noise, and how far out as the row at which `far` people are.

    `place` is where the grid lies on which that is put.
    """

    noise: float
    far: int
    beyond: float
    place: float


def _ends(chance: Chance, k: int, beyond: float) -> tuple[_End, _End]:
    noise = normal(chance("end noise", 2))
    far = k + np.floor(chance("far", 2) * k)
    place = chance("end grid", 2)
    low, high = (_End(float(noise[i]), int(far[i]) * ONE, beyond, float(place[i])) for i in (0, 1))
    return low, high


def _spread(
    x: Floats, w: Labels, block: Labels, alone: NDArray[np.bool_], ends: tuple[_End, _End]
) -> tuple[Floats, Floats]:
    """Return centre and half the width of each row's block."""
    inside = np.flatnonzero(block >= 0)
    centre, half = x.copy(), np.zeros(len(x))
    if not inside.size:  # so few rows that no block has enough: one of all
        return np.full(len(x), _middle(x)), half
    xs, bs = x[inside], block[inside]
    starts = np.flatnonzero(np.concatenate([[True], bs[1:] != bs[:-1]]))
    stops = np.append(starts[1:], len(bs))
    mean = np.add.reduceat(xs, starts) / (stops - starts)
    first, last = xs[starts], xs[stops - 1]
    before = np.append(first[0], (last[:-1] + first[1:]) / 2)
    after = np.append((last[:-1] + first[1:]) / 2, last[-1])
    wide = np.maximum(np.minimum(mean - before, after - mean), 0.0)
    single = alone[inside][starts]
    for at, sign, end in ((0, -1, ends[0]), (len(starts) - 1, 1, ends[1])):
        if not single[at] and len(starts) > 1:
            rows = slice(starts[at], stops[at])
            mean[at], wide[at] = _end(xs, w[inside], rows, sign, end)
    if len(starts) == 1 and not single[0]:
        mean[0], wide[0] = _middle(xs), 0.0
    mean = np.where(single, first, mean)
    wide = np.where(single, 0.0, wide)
    sizes = stops - starts
    centre[inside], half[inside] = np.repeat(mean, sizes), np.repeat(wide, sizes)
    return centre, half


def _middle(x: Floats) -> float:
    """Return the mean of the middle half: a median would be one person's value."""
    return float(x[len(x) // 4 : len(x) - len(x) // 4].mean())


def _end(x: Floats, w: Labels, rows: slice, sign: int, end: _End) -> tuple[float, float]:
    """Return centre and half the width of the block at an end, whose excess is capped.

    The block is of some `rows`, and the upper end if `sign` is 1, the lower if it is -1.
    """
    own = x[rows] * sign
    edge, size = float(own.min()), len(own)
    usual = usual_excess((x[: rows.start] if sign > 0 else x[rows.stop :]) * sign, own)
    excess = own - edge
    capped = np.minimum(excess, EXCESS * usual)
    ordered = np.sort(capped)
    most = float(ordered[:-1].sum()) * SHARE / (1 - SHARE)
    capped = np.minimum(capped, max(most, float(ordered[-2]) if size > 1 else 0.0))
    own_mean = float(capped.mean())
    # At the edge all would be drawn as the one who is there.
    mean = max(own_mean + END_NOISE * end.noise * usual / np.sqrt(size), LEAST_END * own_mean)
    farthest = np.argsort(-excess, kind="stable")
    at = int(np.searchsorted(np.cumsum(w[rows][farthest]), end.far))
    last = farthest[min(at, size - 1)]
    reached, far = float(capped[last]), float(excess[last])
    near = (excess >= BUNCHED * far) & (BUNCHED * excess <= far)
    bunched = int(w[rows][near].sum()) >= end.far
    limit = reached if bunched else _grid_place(reached * end.beyond, GRID * usual, end)
    if end.beyond > 1 and limit < own_mean:  # of numbers the sum stays true
        limit = _grid_place(own_mean, GRID * usual, end, np.ceil)
    limit = max(limit, min(reached, LEAST_END * own_mean))
    mean = min(mean, limit)
    return sign * (edge + mean), min(REACH * mean, limit - mean)


def _grid_place(
    limit: float, width: float, end: _End, to: Callable[[float], float] | None = None
) -> float:
    """Return a limit on a grid: the nearest place, or for dates the next one not beyond it."""
    if width <= 0:
        return limit
    to = to or (np.rint if end.beyond > 1 else np.floor)
    return (float(to(limit / width - end.place)) + end.place) * width


def usual_excess(inside: Floats, own: Floats) -> float:
    """Return the mean excess of the rows at an upper end, as those inside let expect it."""
    usual = _expected_excess(np.sort(inside)[::-1], len(own))
    if usual <= 0:  # few inside, or all beside it of one value
        usual = float(np.median(own) - own.min()) / np.log(2)
    return usual


def _expected_excess(inside: Floats, size: int) -> float:
    near, next_to = inside[:size], inside[size : 3 * size]
    if len(next_to) < size:
        return 0.0
    # Of an exponential tail both are its mean excess; of an even one the second is smaller.
    fall = float((near.mean() - next_to.mean()) / np.log(2))
    return min(fall, float((near.mean() - near.min()) / (1 - np.log(2))))


def _share_out_lost(
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


def _middle_and_ends(
    x: Floats, w: Labels, leaf: Labels, least: int
) -> tuple[Floats, Floats, Floats]:
    """Return the middle value of each row's leaf, and that of the third person from each end.

    Rows stand by leaf and value. Of leaves of few people each row's are its own value: it stays.
    """
    starts = np.flatnonzero(np.diff(leaf, prepend=-1))
    sizes = np.diff(starts, append=len(leaf))
    total = np.repeat(np.add.reduceat(w, starts), sizes)
    upto = np.cumsum(w)
    upto -= np.repeat(upto[starts] - w[starts], sizes)

    def passed(rows: NDArray[np.bool_]) -> Labels:
        return np.asarray(np.minimum(np.add.reduceat(rows.astype(np.intp), starts), sizes - 1))

    places = (
        passed(2 * upto < total),
        passed(upto < FROM_END * ONE),
        sizes - 1 - passed(total - upto + w < FROM_END * ONE),
    )
    few = total < least * ONE
    middle, low, high = (np.where(few, x, np.repeat(x[starts + it], sizes)) for it in places)
    return middle, low, high


def _outwards(off: Floats, lost: Floats) -> Floats:
    """Return how far rows are off the middles of their leaves, when what was `lost` is shared out.

    On each side by all rows of the column, in proportion to how far they are off: who is alone
    in a leaf would else be seen in the others of it.
    """
    out = off
    for sign in (1, -1):
        beyond, whole = (np.maximum(sign * it, 0.0) for it in (lost, off))
        if whole.any():
            out = out + sign * whole * (beyond.sum() / whole.sum())
        else:
            out = out + sign * beyond.sum() / len(off)
    return out


def normal(uniform: Floats) -> Floats:
    """Return normal numbers for even ones, none beyond 2.5 standard deviations."""
    from scipy.special import ndtri

    return np.asarray(np.clip(ndtri(uniform), -2.5, 2.5))


# --- levels of a column that may be drawn: those of enough persons, and the others joined ---------


def safe_levels(column: Levels, least: int, persons: Labels | None) -> Levels:
    """Return levels of `least` people or more, rarer ones joined; -1 for rows that give none.

    A missing level is one of its own, never joined with others. Where all that are rare together
    are of too few people, their rows give no level: they are drawn like the others of a leaf.
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

    It is the largest of these of which there are between as many and twice as many, by `chance`, a
    number between 0 and 1 that hangs on no record: so one person, who brings a level or takes one
    away, turns it for one draw in k at the most. Of the levels of a person one is counted.
    """
    if OTHER not in made.words:
        return 0
    joined = np.flatnonzero((made.codes == made.words.index(OTHER)) & (column.codes >= 0))
    if persons is not None:
        joined = joined[np.unique(persons[joined], return_index=True)[1]]
    levels = len(np.unique(column.codes[joined]))
    least = 0
    while levels >= max(2 * least, k) * (1 + chance):
        least = max(2 * least, k)
    return least


# --- columns whose mean hangs on few persons far out: what they give up of it in a copy is said ---
# Capped values at an end make the mean of a column with a heavy tail lower in a copy, and of no
# noise that would show how much. That is said where it hangs on a number of persons that the secret
# draws, and not on how far out the farthest of them are: one person more moves what is looked at by
# one place.


Ends = tuple[bool, bool]
"""Whether something is so at the lower, and at the upper end of a column."""

FAR = 3.0
"""So many times the usual excess of an end is far out: half of where it is capped."""
MATTERS = 0.5
"""So many standard errors of a mean are moved by k people who are as far out, or more."""


def far_out(values: Floats, weights: Labels, safe: SafeColumn, k: int, few: int) -> Ends:
    """Return at which ends of a column its mean hangs on people far out, whose values are capped.

    It does where `few` people or more (the secret draws them from k to 2 k - 1) lie beyond the
    inner edge of the end by three times what those inside let expect, and k people as far out as
    the last of them would move the mean by half a standard error. Those who lie beyond a value of
    many, and are too few for an end of their own, are drawn as that value: of them the second alone
    is asked. One person more, however far out, takes the place of another: so the answer changes
    for one of the k numbers that may be drawn, at each end, but for what moves the edge and the
    spread. Of fewer than k people nothing is said, whatever hangs on them.
    """
    persons = float(weights.sum()) / ONE
    least = MATTERS * float(safe.centre.std()) * np.sqrt(persons) / k
    lower = _is_far_at_upper(-values, -safe.centre, safe.step, weights, least, few)
    return lower, _is_far_at_upper(values, safe.centre, safe.step, weights, least, few)


def _is_far_at_upper(
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
    weight = np.cumsum(weights[block if block.any() else end][farthest])
    at = int(np.searchsorted(weight, few * ONE))
    if at >= len(own):
        return False
    reached = float(excess[farthest[at]])
    return bool(reached > 0 and reached >= max(FAR * usual, least))


def far_out_together(found: Mapping[str, Ends], relations: Relations) -> dict[str, Ends]:
    """Return the same of columns put together again: an end is as its start, a sum as its parts."""
    out = dict(found)
    ends_of = {name: (start, name) for name, start in relations.after.items()}
    made_of: dict[str, tuple[str, ...]] = {**ends_of, **relations.sums}
    for _ in made_of:  # of one that is made of another that is made, as often as there are some
        for name, of in made_of.items():
            ends = [out.get(it, (False, False)) for it in of]
            out[name] = any(low for low, _ in ends), any(high for _, high in ends)
    return out


def words_of_ends(found: Mapping[str, Ends]) -> dict[str, str]:
    """Return how the means of columns are off in a copy, of those that hang on people far out."""
    words = {(True, False): "too high", (False, True): "too low", (True, True): "off"}
    return {name: words[ends] for name, ends in sorted(found.items()) if ends in words}
