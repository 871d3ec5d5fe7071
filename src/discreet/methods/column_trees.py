"""Leaves of people who are alike in the columns before: what the next column is drawn from.

For each column a tree is grown on those that are made already, and on a linear prediction of it
from all of them, which carries the many weak relations of a wide table. Everything is whole
numbers: features are codes, sums of products are exact, coefficients are rounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from discreet.arguments import Floats, Labels
from discreet.methods.base import persons_in

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
ROWS_AT_ONCE, CELLS_AT_ONCE = 1 << 14, 1 << 22
"""So many rows of linear predictions are held at a time, and fewer where columns are many."""

ONE_THREAD = {"limits": 1, "user_api": "blas"}
"""Products here are so small that threads wait for one another longer than they multiply."""
BLAS = ThreadpoolController()

Codes = NDArray[np.uint8]
Places = NDArray[np.int32]
Whole = NDArray[np.int64]


class Fitted(NamedTuple):
    """Leaves that a column is drawn from: of each raw row, and the tree that finds a drawn one's.

    `orders` are the codes of the levels of each column before, as the target orders them;
    `weights` are those of linear predictions, and `edges` between which their codes are.
    """

    leaf: Labels
    tree: tuple[Places, Places, Places] | None
    orders: tuple[Codes, ...]
    weights: Floats
    edges: tuple[Floats, ...]


class NumberCode(NamedTuple):
    """How a number is known to trees and predictions: by codes, and by their ranks."""

    edges: Floats
    ranks: NDArray[np.int16]
    gaps: bool

    @classmethod
    def of(cls, column: Floats, *, gaps: bool) -> NumberCode:
        """Return the code of a raw column; its `gaps` may have an indicator."""
        known = np.sort(column[~np.isnan(column)])
        places = (np.arange(1, MOST_CODES) * len(known)) // MOST_CODES
        edges = np.unique(known[places])
        middle = np.zeros(len(edges) + 2)
        counts = np.bincount(np.searchsorted(edges, known, side="right"), minlength=len(edges) + 1)
        ends = np.cumsum(counts)
        middle[1:] = np.rint(((ends - counts / 2) / len(known) * 2 - 1) * UNIT)
        return cls(edges, middle.astype(np.int16), gaps)

    def codes(self, column: Floats) -> Codes:
        """Return the code of each value: 0 where it is missing."""
        codes = np.searchsorted(self.edges, column, side="right") + 1
        return np.where(np.isnan(column), 0, codes).astype(np.uint8)

    def linear(self, codes: Codes) -> list[NDArray[np.int16]]:
        """Return the columns of linear predictions."""
        flag = [(codes == 0).astype(np.int16) * UNIT] if self.gaps else []
        return [self.ranks[codes], *flag]


class LevelCode(NamedTuple):
    """How levels are known to predictions: by indicators of the largest."""

    kinds: int
    largest: tuple[int, ...]

    @classmethod
    def of(cls, column: Labels, kinds: int) -> LevelCode:
        """Return the code of a raw column, of places below `kinds`."""
        sizes = np.bincount(column, minlength=kinds)
        order = np.argsort(-sizes, kind="stable")[: min(INDICATED, kinds - 1)]
        return cls(kinds, tuple(order.tolist()))

    def linear(self, column: Labels) -> list[NDArray[np.int16]]:
        """Return the columns of linear predictions."""
        return [(column == level).astype(np.int16) * UNIT for level in self.largest]


@dataclass
class Features:
    """Columns that others are drawn by, of so many rows, raw or drawn.

    `numbers` are codes; `levels` are places from 0, which each target puts into an order of its
    own; `linear` are the columns of linear predictions.
    """

    rows: int
    numbers: list[Codes] = field(default_factory=list)
    levels: list[Labels] = field(default_factory=list)
    linear: list[NDArray[np.int16]] = field(default_factory=list)

    def add_number(self, column: Floats, code: NumberCode) -> None:
        """Add a column of numbers."""
        self.numbers.append(code.codes(column))
        self.linear += code.linear(self.numbers[-1])

    def add_level(self, column: Labels, code: LevelCode) -> None:
        """Add a column of levels: places."""
        self.levels.append(column)
        self.linear += code.linear(column)

    def leaves(self, fitted: Fitted) -> Labels:
        """Return the leaf of each row, as it was fitted to raw rows with the same columns."""
        from discreet.kernels.trees import Tree, leaves_of

        if fitted.tree is None:
            return np.zeros(self.rows, dtype=np.intp)
        codes = list(self.numbers)
        codes += [order[level] for order, level in zip(fitted.orders, self.levels, strict=True)]
        predicted = self.predicted(fitted.weights, np.arange(self.rows))
        codes += [_codes_of(own, at) for own, at in zip(predicted, fitted.edges, strict=True)]
        return leaves_of(Tree(*fitted.tree), np.array(codes)).astype(np.intp)

    def predicted(self, weights: Floats, rows: Labels) -> list[Floats]:
        """Return linear predictions of some rows, one for each column of `weights`."""
        with BLAS.limit(**ONE_THREAD):
            predictions = np.concatenate([self.design(at) @ weights for at in self.chunks(rows)])
        return [predictions[:, j] for j in range(predictions.shape[1])]

    def chunks(self, rows: Labels) -> list[Labels]:
        """Return rows in pieces: however they are cut, sums of whole numbers stay the same."""
        at_once = max(1, min(ROWS_AT_ONCE, CELLS_AT_ONCE // (len(self.linear) + 1)))
        return [rows[i : i + at_once] for i in range(0, len(rows), at_once)]

    def design(self, rows: Labels) -> Floats:
        """Return the columns of linear predictions of some rows, and a constant one."""
        out = np.empty((len(rows), len(self.linear) + 1))
        out[:, 0] = UNIT
        for j, column in enumerate(self.linear):
            out[:, j + 1] = column[rows]
        return out


@dataclass
class Before:
    """The columns of raw rows that are fitted already, and what sums there are of them."""

    features: Features
    numbers: list[NumberCode] = field(default_factory=list)
    levels: list[LevelCode] = field(default_factory=list)
    products: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    def add_number(self, column: Floats, *, gaps: bool) -> NumberCode:
        """Add a column of numbers, and return how it is coded."""
        code = NumberCode.of(column, gaps=gaps)
        self.numbers.append(code)
        self.features.add_number(column, code)
        return code

    def add_level(self, column: Labels, kinds: int) -> LevelCode:
        """Add a column of levels, places below `kinds`, and return how it is coded."""
        code = LevelCode.of(column, kinds)
        self.levels.append(code)
        self.features.add_level(column, code)
        return code

    def fit(self, targets: Whole, rows: Labels, weights: Whole, least: int) -> Fitted:
        """Return leaves of some raw rows that are alike in `targets`."""
        from discreet.kernels.trees import grow, leaves_of

        if not self.features.linear:
            return Fitted(np.zeros(len(rows), dtype=np.intp), None, (), np.zeros((0, 0)), ())
        codes = [column[rows] for column in self.features.numbers]
        kinds = [len(code.edges) + 2 for code in self.numbers]
        orders = []
        for column, code in zip(self.features.levels, self.levels, strict=True):
            order = _level_order(column[rows], targets[:, 0], code.kinds)
            orders.append(order)
            codes.append(order[column[rows]])
            kinds.append(int(order.max()) + 1)
        with BLAS.limit(**ONE_THREAD):
            solved = self._solved(targets[:, :PREDICTED], rows)
        edges = []
        for own in self.features.predicted(solved, rows):
            at = np.unique(np.sort(own)[np.arange(1, MOST_CODES) * len(own) // MOST_CODES])
            edges.append(at)
            codes.append(_codes_of(own, at))
            kinds.append(len(at) + 1)
        raw = np.array(codes)
        tree = grow(raw, np.array(kinds, dtype=np.int64), targets, weights, least)
        leaf = leaves_of(tree, raw).astype(np.intp)
        return Fitted(leaf, tree, tuple(orders), solved, tuple(edges))

    def _solved(self, targets: Whole, rows: Labels) -> Floats:
        """Return the weights of linear predictions of some targets by some rows."""
        self._grow_products()
        if len(rows) == self.features.rows:
            products = self.products
        elif 2 * len(rows) > self.features.rows:
            out = np.setdiff1d(np.arange(self.features.rows), rows)
            products = self.products - self._of(out)
        else:
            products = self._of(rows)
        towards = np.zeros((len(products), targets.shape[1]))
        for at in self.features.chunks(rows):
            design = self.features.design(at)
            start = int(np.searchsorted(rows, at[0]))
            towards += design.T @ targets[start : start + len(at)].astype(np.float64)
        shrink = np.full(len(products), RIDGE * UNIT**2 / 3)
        shrink[0] = 0.0
        weights = np.linalg.solve(products + np.diag(shrink), towards)
        return np.asarray(np.rint(weights * PRECISION))

    def _of(self, rows: Labels) -> Floats:
        size = len(self.features.linear) + 1
        out = np.zeros((size, size))
        for at in self.features.chunks(rows):
            design = self.features.design(at)
            out += design.T @ design
        return out

    def _grow_products(self) -> None:
        """Add the products of what was added since: each column is multiplied once with others."""
        size = len(self.features.linear) + 1
        had = len(self.products)
        if had == size:
            return
        grown = np.zeros((size, size))
        grown[:had, :had] = self.products
        for at in self.features.chunks(np.arange(self.features.rows)):
            design = self.features.design(at)
            grown[had:] += design[:, had:].T @ design
        grown[:had, had:] = grown[had:, :had].T
        self.products = grown


def _codes_of(values: Floats, edges: Floats) -> Codes:
    return np.searchsorted(edges, values, side="right").astype(np.uint8)


def _level_order(level: Labels, target: Whole, count: int) -> Codes:
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


# --- donors: for each drawn row a raw row of the same leaf, whose value it takes, drawn anew ------


UNEVEN = 0.2
"""Such a share of donors counts twice or not at all, where they are taken evenly."""


def donors_evenly(raw: Labels, drawn: Labels, uniform: Floats, own: Floats) -> Labels:
    """Return a raw row for each drawn row: each of a leaf about as often as its others.

    That is nearer than by chance. How often a row is taken has noise, or a copy would have the
    counts of the raw rows. `raw` (n) and `drawn` (N) are leaves, each drawn one being that of some
    raw row; `uniform` (N) are draws for drawn rows, `own` (n, 2) for raw ones.
    """
    leaves = int(max(raw.max(), drawn.max(initial=0))) + 1
    times = 1 + (own[:, 1] >= 1 - UNEVEN / 2) - (own[:, 1] < UNEVEN / 2).astype(np.intp)
    times = np.where(np.bincount(raw, times, minlength=leaves)[raw] == 0, 1, times)
    order = np.lexsort([own[:, 0], raw])
    order = np.repeat(order, times[order])
    size = np.bincount(raw[order], minlength=leaves)
    start = np.cumsum(size) - size
    wanted = np.bincount(drawn, minlength=leaves)
    rows = np.lexsort([uniform, drawn])
    place = np.arange(len(drawn)) - np.repeat(np.cumsum(wanted) - wanted, wanted)
    leaf = drawn[rows]
    out = np.empty(len(drawn), dtype=np.intp)
    out[rows] = order[start[leaf] + place % size[leaf]]
    return out


def usual_donor(donors: Sequence[Labels]) -> Labels:
    """Return the raw row that gave most columns of each drawn row, the first of several."""
    rows = np.sort(np.column_stack(donors), axis=1)
    best = rows[:, 0].copy()
    most = np.ones(len(rows), dtype=np.intp)
    run = most.copy()
    for j in range(1, rows.shape[1]):
        run = np.where(rows[:, j] == rows[:, j - 1], run + 1, 1)
        best = np.where(run > most, rows[:, j], best)
        most = np.maximum(most, run)
    return best


# --- exceptions: persons who break what all others keep ------------------------------------------
# Where two columns have hardly any row together that chance would give many, that is a rule (a
# level implies another, a column is skipped by some). One person who breaks it would be seen by a
# row of the copy that nobody else could have made. So those who are fewer than a number that the
# secret draws give no value of the later column.


EXPECTED = 3
"""Chance would give so many times as many rows as are few, where a rule is seen."""
MOST_CELLS = 100_000
"""Two columns of more cells have hardly one in which chance would give many."""


def exceptions(
    columns: Mapping[str, Labels], name: str, least: int, persons: Labels | None
) -> NDArray[np.bool_]:
    """Return which rows break a rule between the column `name` and one before it.

    `columns` are codes from 0, in the order they are drawn in; a combination of `least` people is
    no exception.
    """
    own = columns[name]
    kinds = int(own.max(initial=0)) + 1
    share = np.bincount(own, minlength=kinds) / max(len(own), 1)
    out = np.zeros(len(own), dtype=np.bool_)
    for other, codes in columns.items():
        if other == name:
            break
        size = np.bincount(codes)
        if len(size) * kinds > MOST_CELLS:
            continue
        cell = codes * kinds + own
        usual = np.outer(size, share).ravel()
        having = persons_in(cell, persons)
        out |= ((having < least) & (usual[: len(having)] >= EXPECTED * least))[cell]
    return out
