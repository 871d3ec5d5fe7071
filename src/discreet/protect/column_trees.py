"""Leaves of persons who are alike in the columns before: what the next column is drawn from.

For each column a tree is grown on those that are made already, and on a linear prediction of it
from all of them, which carries the many weak relations of a wide table. Everything is whole
numbers: features are codes, sums of products are exact, coefficients are rounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels

__all__ = ["TARGETS", "Before", "Found", "flag_targets", "level_targets", "number_targets"]

MOST_CODES = 255
"""A number is known by so many codes at most, and 0 where it is missing."""
UNIT = 512
"""What an indicator is in linear predictions; ranks lie between minus and plus so much."""
INDICATED = 20
"""So many of the largest levels have an indicator of their own in linear predictions."""
TARGETS = 8
"""Levels of more than so many are drawn by as many random signs of them."""
PREDICTED = 6
"""So many targets of a column are predicted."""
RIDGE = 10.0
SHRUNK = 5
"""So many rows of the usual target stand beside those of each level, where levels are ordered."""
PRECISION = 1 << 20
WIDE = 1 << 14
"""What an indicator is as a target, and a range of ranks."""
ROWS_AT_ONCE = 1 << 14

Codes = NDArray[np.uint8]
Whole = NDArray[np.int64]


class Found(NamedTuple):
    """The leaf of each raw row, and of each drawn one."""

    raw: Labels
    drawn: Labels


class _Levels(NamedTuple):
    raw: Labels
    drawn: Labels
    kinds: int


@dataclass
class Before:
    """The columns that are made already: of raw rows, and of drawn ones.

    `numbers` are codes of both; `levels` are places from 0, which each target puts into an order
    of its own; `linear` are the columns of linear predictions.
    """

    rows: int
    drawn: int
    numbers: list[tuple[Codes, Codes, int]] = field(default_factory=list)
    levels: list[_Levels] = field(default_factory=list)
    linear: list[tuple[NDArray[np.int16], NDArray[np.int16]]] = field(default_factory=list)
    products: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    def add_number(self, raw: Floats, drawn: Floats, *, gaps: bool) -> None:
        """Add a column of numbers: the raw one, and what was drawn."""
        known = np.sort(raw[~np.isnan(raw)])
        places = (np.arange(1, MOST_CODES) * len(known)) // MOST_CODES
        edges = np.unique(known[places])
        middle = np.zeros(len(edges) + 2)
        counts = np.bincount(np.searchsorted(edges, known, side="right"), minlength=len(edges) + 1)
        ends = np.cumsum(counts)
        middle[1:] = np.rint(((ends - counts / 2) / len(known) * 2 - 1) * UNIT)
        both = []
        for column in (raw, drawn):
            codes = np.searchsorted(edges, column, side="right") + 1
            both.append(np.where(np.isnan(column), 0, codes).astype(np.uint8))
        self.numbers.append((both[0], both[1], len(edges) + 2))
        ranks = [middle[codes].astype(np.int16) for codes in both]
        self.linear.append((ranks[0], ranks[1]))
        if gaps:
            one = [(codes == 0).astype(np.int16) * UNIT for codes in both]
            self.linear.append((one[0], one[1]))

    def add_level(self, raw: Labels, drawn: Labels, count: int) -> None:
        """Add a column of levels: places below `count`."""
        self.levels.append(_Levels(raw, drawn, count))
        sizes = np.bincount(raw, minlength=count)
        largest = np.argsort(-sizes, kind="stable")[: min(INDICATED, count - 1)]
        for level in largest.tolist():
            one = [(codes == level).astype(np.int16) * UNIT for codes in (raw, drawn)]
            self.linear.append((one[0], one[1]))

    def leaves(self, targets: Whole, rows: Labels, weights: Whole, least: int) -> Found:
        """Return leaves of some raw rows that are alike in `targets`, and of all drawn rows."""
        from discreet.kernels.trees import grow, leaves_of

        if not self.linear:
            every = (len(rows), self.drawn)
            return Found(*(np.zeros(size, dtype=np.intp) for size in every))
        raw, drawn, kinds = self._features(targets, rows)
        tree = grow(raw, kinds, targets, weights, least)
        return Found(*(leaves_of(tree, codes).astype(np.intp) for codes in (raw, drawn)))

    def _features(self, targets: Whole, rows: Labels) -> tuple[Codes, Codes, Whole]:
        raw = [codes[rows] for codes, _, _ in self.numbers]
        drawn = [codes for _, codes, _ in self.numbers]
        kinds = [kind for _, _, kind in self.numbers]
        for held in self.levels:
            code = _ordered(held.raw[rows], targets[:, 0], held.kinds)
            raw.append(code[held.raw[rows]])
            drawn.append(code[held.drawn])
            kinds.append(int(code.max()) + 1)
        for own, made in self._predicted(targets[:, :PREDICTED], rows):
            edges = np.unique(np.sort(own)[np.arange(1, MOST_CODES) * len(own) // MOST_CODES])
            raw.append(np.searchsorted(edges, own, side="right").astype(np.uint8))
            drawn.append(np.searchsorted(edges, made, side="right").astype(np.uint8))
            kinds.append(len(edges) + 1)
        return np.array(raw), np.array(drawn), np.array(kinds, dtype=np.int64)

    def _predicted(self, targets: Whole, rows: Labels) -> list[tuple[Floats, Floats]]:
        self._grow_products()
        all_of = len(rows) == self.rows
        if all_of:
            products = self.products
        elif 2 * len(rows) > self.rows:
            out = np.setdiff1d(np.arange(self.rows), rows)
            products = self.products - self._of(out)
        else:
            products = self._of(rows)
        towards = np.zeros((len(self.linear) + 1, targets.shape[1]))
        for at in _chunks(rows):
            towards += self._design(at).T @ targets[_within(rows, at)].astype(np.float64)
        shrink = np.full(len(products), RIDGE * UNIT**2 / 3)
        shrink[0] = 0.0
        weights = np.linalg.solve(products + np.diag(shrink), towards)
        weights = np.rint(weights * PRECISION)
        own = np.concatenate([self._design(at) @ weights for at in _chunks(rows)])
        every = np.arange(self.drawn)
        made = np.concatenate([self._design(at, made=True) @ weights for at in _chunks(every)])
        return [(own[:, j], made[:, j]) for j in range(targets.shape[1])]

    def _design(self, rows: Labels, *, made: bool = False) -> Floats:
        out = np.empty((len(rows), len(self.linear) + 1))
        out[:, 0] = UNIT
        for j, columns in enumerate(self.linear):
            out[:, j + 1] = columns[made][rows]
        return out

    def _of(self, rows: Labels) -> Floats:
        out = np.zeros((len(self.linear) + 1, len(self.linear) + 1))
        for at in _chunks(rows):
            design = self._design(at)
            out += design.T @ design
        return out

    def _grow_products(self) -> None:
        """Add the products of what was added since: each column is multiplied once with others."""
        size = len(self.linear) + 1
        had = len(self.products)
        if had == size:
            return
        grown = np.zeros((size, size))
        grown[:had, :had] = self.products
        for at in _chunks(np.arange(self.rows)):
            design = self._design(at)
            grown[had:] += design[:, had:].T @ design
        grown[:had, had:] = grown[had:, :had].T
        self.products = grown


def _chunks(rows: Labels) -> list[Labels]:
    return [rows[i : i + ROWS_AT_ONCE] for i in range(0, len(rows), ROWS_AT_ONCE)]


def _within(rows: Labels, at: Labels) -> slice:
    start = int(np.searchsorted(rows, at[0]))
    return slice(start, start + len(at))


def _ordered(level: Labels, target: Whole, count: int) -> Codes:
    """Return the code of each level: they rise with the mean of the target."""
    size = np.bincount(level, minlength=count)
    total = np.bincount(level, target, minlength=count)
    usual = total.sum() / max(int(size.sum()), 1)
    order = np.argsort((total + SHRUNK * usual) / (size + SHRUNK), kind="stable")
    code = np.empty(count, dtype=np.int64)
    if count <= MOST_CODES + 1:
        code[order] = np.arange(count)
    else:
        before = np.cumsum(size[order]) - size[order]
        code[order] = before * (MOST_CODES + 1) // max(int(size.sum()), 1)
    return code.astype(np.uint8)


def number_targets(values: Floats, centre: Floats) -> Whole:
    """Return the targets of a column of numbers: ranks, and safe values, about equally wide."""
    different, at, rows = np.unique(values, return_inverse=True, return_counts=True)
    rank = (np.cumsum(rows) - rows / 2) / len(values)
    sd = float(np.std(np.sort(centre))) if len(different) > 1 else 0.0
    z = np.zeros(len(values)) if not sd else (centre - np.sort(centre).mean()) / sd
    out: Whole = np.rint(np.column_stack([rank[at] - 0.5, 0.29 * z]) * WIDE).astype(np.int64)
    return out


def level_targets(codes: Labels, count: int, signs: Floats) -> Whole:
    """Return the targets of a column of levels: indicators, or random signs of many levels.

    `signs` are draws of shape (count, TARGETS).
    """
    if count > TARGETS + 1:
        coded: Whole = np.where(signs < 0.5, -WIDE // 4, WIDE // 4)[codes]
        return coded
    largest = np.argsort(-np.bincount(codes, minlength=count), kind="stable")
    kept = largest[: max(count - 1, 1)]
    flags: Whole = (codes[:, None] == kept[None, :]).astype(np.int64) * WIDE
    return flags


def flag_targets(flags: NDArray[np.bool_]) -> Whole:
    """Return the targets of a yes or no."""
    return flags.astype(np.int64)[:, None] * WIDE
