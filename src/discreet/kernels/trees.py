"""Kernels of regression trees on integer codes: whole sums alone decide where they split.

Sums of whole numbers are the same in any order, so the same rows make the same tree, however they
come. A row weighs its `weight`: a leaf has rows of so much weight at the least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

__all__ = ["Tree", "grow", "leaves_of"]

Codes = NDArray[np.uint8]
Whole = NDArray[np.int64]
Places = NDArray[np.int32]

SMALL = 48
"""A node of so few rows sorts them by a feature of many codes, rather than count these."""


class Tree(NamedTuple):
    """The nodes of a tree: by which feature each splits, -1 for a leaf; rows up to `cut` go left.

    The right node comes after the left one.
    """

    feature: Places
    cut: Places
    left: Places


@kernel
def _split(
    codes: Codes,
    kinds: Whole,
    targets: Whole,
    weights: Whole,
    rows: Whole,
    least: int,
    count: Whole,
    sums: Whole,
    order: Whole,
    whole: Whole,
    low: Whole,
) -> tuple[int, int]:
    """Return the feature and the code after which rows are split best; -1 where none is better."""
    n, t = len(rows), targets.shape[1]
    weight = 0
    whole[:] = 0
    pure = True
    for row in rows:
        weight += weights[row]
        for j in range(t):
            whole[j] += weights[row] * targets[row, j]
            pure = pure and targets[row, j] == targets[rows[0], j]
    if pure or weight < 2 * least:
        return -1, 0
    best = 0.0
    for j in range(t):
        best += float(whole[j]) * float(whole[j]) / float(weight)
    best = best * (1 + 1e-9) + 1e-9
    found, cut = -1, 0
    for feature in range(len(codes)):
        of = codes[feature]
        below = 0
        low[:] = 0
        if n <= SMALL and kinds[feature] > n:
            for i in range(n):
                row, j = rows[i], i
                while j > 0 and of[order[j - 1]] > of[row]:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = row
            for i in range(n - 1):
                row = order[i]
                below += weights[row]
                for j in range(t):
                    low[j] += weights[row] * targets[row, j]
                if of[row] == of[order[i + 1]] or below < least:
                    continue
                if weight - below < least:
                    break
                gain = 0.0
                for j in range(t):
                    high = float(whole[j] - low[j])
                    gain += float(low[j]) * float(low[j]) / float(below)
                    gain += high * high / float(weight - below)
                if gain > best:
                    best, found, cut = gain, feature, int(of[row])
            continue
        for code in range(kinds[feature]):
            count[code] = 0
            for j in range(t):
                sums[code, j] = 0
        for row in rows:
            code = of[row]
            count[code] += weights[row]
            for j in range(t):
                sums[code, j] += weights[row] * targets[row, j]
        for code in range(kinds[feature] - 1):
            if count[code] == 0:
                continue
            below += count[code]
            for j in range(t):
                low[j] += sums[code, j]
            if below < least:
                continue
            if weight - below < least:
                break
            gain = 0.0
            for j in range(t):
                high = float(whole[j] - low[j])
                gain += float(low[j]) * float(low[j]) / float(below)
                gain += high * high / float(weight - below)
            if gain > best:
                best, found, cut = gain, feature, code
    return found, cut


@kernel
def _grown(
    codes: Codes, kinds: Whole, targets: Whole, weights: Whole, least: int
) -> tuple[Places, Places, Places]:
    n, t = targets.shape
    most = 2 * max(1, int(weights.sum() // least)) + 1
    feature = np.full(most, -1, dtype=np.int32)
    cut = np.zeros(most, dtype=np.int32)
    left = np.full(most, -1, dtype=np.int32)
    start = np.zeros(most, dtype=np.int64)
    end = np.zeros(most, dtype=np.int64)
    rows = np.arange(n)
    aside = np.empty(n, dtype=np.int64)
    count = np.zeros(256, dtype=np.int64)
    sums = np.zeros((256, t), dtype=np.int64)
    order = np.empty(SMALL, dtype=np.int64)
    whole = np.zeros(t, dtype=np.int64)
    low = np.zeros(t, dtype=np.int64)
    end[0] = n
    node, nodes = 0, 1
    while node < nodes:
        a, b = start[node], end[node]
        by, at = _split(
            codes, kinds, targets, weights, rows[a:b], least, count, sums, order, whole, low
        )
        if by >= 0:
            few, many = a, 0
            for i in range(a, b):
                if codes[by, rows[i]] <= at:
                    rows[few] = rows[i]
                    few += 1
                else:
                    aside[many] = rows[i]
                    many += 1
            rows[few:b] = aside[:many]
            feature[node], cut[node], left[node] = by, at, nodes
            start[nodes], end[nodes] = a, few
            start[nodes + 1], end[nodes + 1] = few, b
            nodes += 2
        node += 1
    return feature[:nodes], cut[:nodes], left[:nodes]


def grow(codes: Codes, kinds: Whole, targets: Whole, weights: Whole, least: int) -> Tree:
    """Grow a tree whose leaves hold rows of a weight of `least` or more.

    Parameters
    ----------
    codes : ndarray of uint8 of shape (f, n)
        Features of the rows.
    kinds : ndarray of int of shape (f,)
        How many codes each feature has: they are 0 to `kinds` - 1.
    targets : ndarray of int of shape (n, t)
        What is alike within leaves: their squared distance to a leaf's means is least.
    weights : ndarray of int of shape (n,)
        What each row weighs.
    least : int
        What the rows of a leaf weigh together, at the least.
    """
    return Tree(*_grown(codes, kinds, targets, weights, least))


@kernel
def _places(codes: Codes, feature: Places, cut: Places, left: Places) -> Places:
    out = np.empty(codes.shape[1], dtype=np.int32)
    for i in range(len(out)):
        node = 0
        while feature[node] >= 0:
            node = left[node] + (codes[feature[node], i] > cut[node])
        out[i] = node
    return out


def leaves_of(tree: Tree, codes: Codes) -> Places:
    """Return the leaf, as the number of its node, of each row whose features are given."""
    return _places(codes, *tree)
