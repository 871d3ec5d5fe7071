"""Kernels of regression trees on integer codes: whole sums alone decide where they split.

Sums of whole numbers are the same in any order, so the same rows make the same tree, however they
come. A row weighs its `weight`: a leaf has rows of so much weight at the least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compiled import kernel

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
def _gain(whole: Whole, low: Whole, weight: int, below: int) -> float:
    """Return how much is explained where rows of `weight` are parted, `below` of it to the left."""
    gain = 0.0
    for j in range(len(whole)):
        high = float(whole[j] - low[j])
        gain += float(low[j]) * float(low[j]) / float(below) + high * high / float(weight - below)
    return gain


@kernel
def _best_of_few(
    of: Codes, targets: Whole, weights: Whole, rows: Whole, least: int, order: Whole, whole: Whole
) -> tuple[float, int]:
    """Return the best gain of a feature, and the code it is after: rows are sorted by it."""
    weight = 0
    for i in range(len(rows)):
        row, j = rows[i], i
        weight += weights[row]
        while j > 0 and of[order[j - 1]] > of[row]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = row
    low = np.zeros(len(whole), dtype=np.int64)
    best, cut, below = 0.0, 0, 0
    for i in range(len(rows) - 1):
        row = order[i]
        below += weights[row]
        for j in range(len(low)):
            low[j] += weights[row] * targets[row, j]
        if weight - below < least:
            break
        if of[row] != of[order[i + 1]] and below >= least:
            gain = _gain(whole, low, weight, below)
            if gain > best:
                best, cut = gain, int(of[row])
    return best, cut


@kernel
def _best_of_many(
    of: Codes, targets: Whole, weights: Whole, rows: Whole, least: int, sums: Whole, whole: Whole
) -> tuple[float, int]:
    """Return the best gain of a feature, and the code it is after: rows of each code are summed.

    The last column of `sums` is the weight of a code.
    """
    t, weight = len(whole), 0
    sums[:] = 0
    for row in rows:
        code = of[row]
        weight += weights[row]
        sums[code, t] += weights[row]
        for j in range(t):
            sums[code, j] += weights[row] * targets[row, j]
    low = np.zeros(t, dtype=np.int64)
    best, cut, below = 0.0, 0, 0
    for code in range(len(sums) - 1):
        if sums[code, t] == 0:
            continue
        below += sums[code, t]
        for j in range(t):
            low[j] += sums[code, j]
        if weight - below < least:
            break
        if below >= least:
            gain = _gain(whole, low, weight, below)
            if gain > best:
                best, cut = gain, code
    return best, cut


@kernel
def _split(
    codes: Codes,
    kinds: Whole,
    targets: Whole,
    weights: Whole,
    rows: Whole,
    least: int,
    sums: Whole,
    order: Whole,
) -> tuple[int, int]:
    """Return the feature and the code after which rows are split best; -1 where none is better."""
    t, weight = targets.shape[1], 0
    whole = np.zeros(t, dtype=np.int64)
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
        if len(rows) <= SMALL and kinds[feature] > len(rows):
            gain, at = _best_of_few(of, targets, weights, rows, least, order, whole)
        else:
            part = sums[: kinds[feature]]
            gain, at = _best_of_many(of, targets, weights, rows, least, part, whole)
        if gain > best:
            best, found, cut = gain, feature, at
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
    sums = np.zeros((256, t + 1), dtype=np.int64)
    order = np.empty(SMALL, dtype=np.int64)
    end[0] = n
    node, nodes = 0, 1
    while node < nodes:
        a, b = start[node], end[node]
        by, at = _split(codes, kinds, targets, weights, rows[a:b], least, sums, order)
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

    `codes` (f, n) are features, from 0 to `kinds` (f) - 1; `targets` (n, t) are alike within
    leaves: their squared distance to a leaf's means is least.
    """
    # For codes that lie another way in memory it would be compiled once more, which takes seconds.
    return Tree(*_grown(np.ascontiguousarray(codes), kinds, targets, weights, least))


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
