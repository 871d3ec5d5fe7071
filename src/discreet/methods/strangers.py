"""Drawn rows that come into a branch of a tree in which raw rows like them are not.

Columns of a copy go together a little less well than those of the data: so a drawn row may have a
level that nobody in its leaf has, nor hardly anybody in the branch around it, where chance would
give more. Such a stranger takes its value from those who have the level, and were together with
that branch before it parted: a pool of as many persons as a leaf has, or more. Where a branch
parts by a number, or by what says nearly all, a drawn row stays in it, whatever its levels are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels

__all__ = ["Branches", "branches_of"]

EXPECTED = 3
"""Chance would give a branch so many times as many persons of a level as are few, to see that."""

Codes = NDArray[np.uint8]
Places = NDArray[np.int32]
Rows = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Branches:
    """Where levels are strange in a tree, and the raw rows that have them.

    For each column of levels, `first` is for each node and level the first node on the way to it
    in which the level is strange, -1 where there is none; it is empty where none is anywhere.
    `codes` are the levels of raw rows, and `leaf` their leaves. The leaves of a branch stand
    together: `place` says where those of each node begin, and `leaves` how many they are. A pool
    weighs `least` at the least.
    """

    parent: Labels
    place: Labels
    leaves: Labels
    first: tuple[Places, ...]
    codes: tuple[Codes, ...]
    leaf: Labels
    least: int

    def strangers(self, leaf: Labels, levels: Sequence[Codes]) -> Labels:
        """Return the pool of each drawn row that is a stranger in its leaf, -1 of others.

        A pool is a number for a column, a node and a level. Of several the first on the way counts.
        """
        out = np.full(len(leaf), -1, dtype=np.int64)
        nearest, base = np.full(len(leaf), len(self.parent)), 0
        for first, codes in zip(self.first, levels, strict=True):
            if first.size:
                found = first[leaf, codes].astype(np.int64)
                sooner = (found >= 0) & (found < nearest)  # a node comes after those above it
                pool = base + self.parent[found] * first.shape[1] + codes
                out, nearest = np.where(sooner, pool, out), np.where(sooner, found, nearest)
            base += first.size
        return out

    def rows_of(self, pools: Labels) -> tuple[Labels, Labels]:
        """Return the raw rows of different pools, and the place of the pool of each among these."""
        rows, of, base = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)], 0
        nodes = len(self.parent)
        for first, codes in zip(self.first, self.codes, strict=True):
            mine = np.flatnonzero((pools >= base) & (pools < base + first.size))
            if mine.size:
                node, level = np.divmod(pools[mine] - base, first.shape[1])
                key = codes.astype(np.int64) * nodes + self.place[self.leaf]
                order = np.argsort(key, kind="stable")
                start = level * nodes + self.place[node]
                low, high = np.searchsorted(key[order], [start, start + self.leaves[node]])
                held = high - low
                at = np.arange(int(held.sum())) - np.repeat(np.cumsum(held) - held, held)
                rows.append(order[at + np.repeat(low, held)])
                of.append(np.repeat(mine, held))
            base += first.size
        return np.concatenate(rows), np.concatenate(of)


def branches_of(
    tree: tuple[Places, Places, Places],
    parting: Rows,
    leaf: Labels,
    levels: Sequence[tuple[Codes, int]],
    weights: Labels,
    least: int,
    few: int,
) -> Branches | None:
    """Return in which branches of a tree levels are strange; None where they are in none.

    A level is strange in a branch in which less than `few` is of it, where chance would give three
    times as much, and of which `least` or more was there before the branch parted.

    Parameters
    ----------
    tree : tuple of ndarray
        Features, cuts and left nodes, as of `kernels.trees.Tree`.
    parting : ndarray of bool of shape (f,)
        Features by which a branch must have parted for a level to be strange there.
    leaf : ndarray of int of shape (n,)
        The leaf of each raw row.
    levels : sequence of pairs of ndarray of shape (n,) and int
        Columns of levels, as codes, and how many codes there are; 0 of one that is not looked at.
    weights : ndarray of int of shape (n,)
        What each raw row weighs.
    least, few : int
        What rows weigh together: of `least` are leaves, of `few` is what no single person decides.
    """
    feature, _, left = tree
    nodes, inner = len(feature), np.flatnonzero(feature >= 0)
    parent = np.zeros(nodes, dtype=np.intp)
    parent[left[inner]] = parent[left[inner] + 1] = inner
    depths = _depths(parent, inner)
    weigh = _upwards(np.bincount(leaf, weights, nodes).astype(np.float64), depths, left)
    leaves = _upwards((feature < 0).astype(np.float64), depths, left).astype(np.intp)
    may = parting[feature[parent]]
    may[0] = False
    share = np.divide(weigh, weigh[parent])[:, None]
    first = []
    for codes, kinds in levels:
        counted = np.bincount(leaf * kinds + codes, weights, nodes * kinds).astype(np.float64)
        held = _upwards(counted[: nodes * kinds].reshape(nodes, kinds), depths, left)
        above = held[parent]
        strange = (held < few) & (above >= least) & (above * share >= EXPECTED * few)
        first.append(_first(strange & may[:, None], depths, left))
    if not any(it.size for it in first):
        return None
    own = tuple(
        codes if it.size else codes[:0] for (codes, _), it in zip(levels, first, strict=True)
    )
    return Branches(parent, _places(leaves, depths, left), leaves, tuple(first), own, leaf, least)


def _depths(parent: Labels, inner: Labels) -> list[Labels]:
    """Return the nodes that part, those that are as far from the first one together."""
    depth = [0] * len(parent)
    for node, above in enumerate(parent.tolist()):
        depth[node] = depth[above] + (node > 0)
    of_inner = np.array(depth, dtype=np.intp)[inner]
    return [inner[of_inner == it] for it in np.unique(of_inner)]


def _upwards(own: Floats, depths: list[Labels], left: Places) -> Floats:
    """Return the sums of the leaves below each node, given what the leaves have."""
    out = own.copy()
    for at in reversed(depths):
        out[at] = out[left[at]] + out[left[at] + 1]
    return out


def _places(leaves: Labels, depths: list[Labels], left: Places) -> Labels:
    """Return where the leaves of each node begin, in an order in which they stand together."""
    out = np.zeros(len(leaves), dtype=np.intp)
    for at in depths:
        out[left[at]] = out[at]
        out[left[at] + 1] = out[at] + leaves[left[at]]
    return out


def _first(strange: Rows, depths: list[Labels], left: Places) -> Places:
    """Return for each node and level the first node on the way in which it is strange."""
    if not strange.any():
        return np.zeros((0, 0), dtype=np.int32)
    own = np.arange(len(strange), dtype=np.int32)[:, None]
    out = np.where(strange, own, np.int32(-1))
    for at in depths:
        for side in (left[at], left[at] + 1):
            out[side] = np.where(out[at] >= 0, out[at], out[side])
    return out
