"""Copies with differential privacy, as an outside reference: MST of McKenna and others (2021).

A table is coded, each column is counted with noise, then the pairs of a spanning tree that is
chosen with noise; a distribution on the tree is fitted to these counts, and rows are drawn from it.
PyPI's `mbi` makes the same fit by JAX, but compiles each tree anew, ten seconds a copy; here it is
numpy's, for membership takes copies by the thousand.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.makers import random_of
from discreet.arguments import Floats, Labels
from discreet.measure.attacks import Copy, Make, Records
from discreet.measure.pairs import Side
from discreet.secret import Secret

__all__ = ["mst_makers"]

EPSILONS = (1, 10)
DELTA = 1e-9
"""The default of its authors, as are 3 standard deviations below."""
BINS = 20
ENDS = (0.001, 0.999)
"""Bounds of a number are these quantiles of the whole table, and taken as known to everybody."""
USUAL = 0.05
"""A number that so many rows of the whole table have is a code of its own, as 0 hours of work."""
FEWEST_SDS = 3.0
"""Values counted as fewer than so many standard deviations of the noise are joined."""
STEPS, LOOKS, ENOUGH = 1000, 20, 1e-3
"""Steps of the fit at most, after how many it is looked at, and how little it gains at its end."""

Random = np.random.Generator
Codes = dict[str, Labels]


def mst_makers(public: Side) -> dict[str, Make]:
    """Return makers by epsilon for parts of a table.

    What is taken as known: the columns, their levels, and between which bounds numbers lie.
    """
    known = _Known.of(public)
    return {f"MST, ε = {it}": partial(_mst, known, float(it)) for it in EPSILONS}


class _Noisy(NamedTuple):
    """Counts with noise, and its standard deviation."""

    counts: Floats
    sd: float


class _Known(NamedTuple):
    """What everybody knows of a table: bounds and usual values of its numbers, and its levels."""

    bounds: Mapping[str, Floats]
    usual: Mapping[str, Floats]
    levels: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, public: Side) -> _Known:
        bounds, usual = {}, {}
        for name, column in public.numbers.items():
            values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
            low, high = map(float, np.nanquantile(column, ENDS))
            bounds[name] = np.linspace(low, high, BINS + 1)
            usual[name] = values[counts >= USUAL * len(column)]
        levels = {name: tuple(sorted(set(words))) for name, words in public.levels.items()}
        return cls(bounds, usual, levels)

    def codes(self, table: Side) -> Codes:
        """Return a code for each cell: a bin, one where it is missing, a usual value, a level."""
        out: Codes = {}
        for name, edges in self.bounds.items():
            values, usual = table.numbers[name], self.usual[name]
            found = np.searchsorted(edges[1:-1], values, side="right")
            found[np.isnan(values)] = BINS
            for place, value in enumerate(usual):
                found[values == value] = BINS + 1 + place
            out[name] = found
        for name, words in self.levels.items():
            code_of = {word: code for code, word in enumerate(words)}
            out[name] = np.array([code_of[word] for word in table.levels[name]], dtype=np.intp)
        return out

    def sizes(self) -> dict[str, int]:
        """Return how many codes each column has."""
        sizes = {name: BINS + 1 + len(usual) for name, usual in self.usual.items()}
        return sizes | {name: len(words) for name, words in self.levels.items()}

    def table(self, codes: Codes, random: Random) -> Side:
        """Return what codes stand for: a number is drawn evenly from its bin."""
        numbers = {}
        for name, edges in self.bounds.items():
            ends = [np.append(it, (np.nan, *self.usual[name])) for it in (edges[:-1], edges[1:])]
            low, high = (it[codes[name]] for it in ends)
            numbers[name] = low + random.random(len(low)) * (high - low)
        words = {it: tuple(words[c] for c in codes[it]) for it, words in self.levels.items()}
        return Side.of(numbers, words)


def _mst(known: _Known, epsilon: float, records: Records, secret: Secret) -> Copy:
    """Make a copy with (epsilon, DELTA) differential privacy: a third of it for each step."""
    random, raw = random_of(secret), known.codes(records.table)
    tree, joined, total = _counted(raw, known.sizes(), rho_of(epsilon, DELTA) / 3, random)
    drawn = _drawn(_fitted(tree, total), tree, round(total), random)
    return Copy(known.table({it: _apart(joined[it], drawn[it], random) for it in drawn}, random))


def _counted(
    raw: Codes, sizes: Mapping[str, int], rho: float, random: Random
) -> tuple[_Tree, Codes, float]:
    """Count columns and pairs, with noise: a tree, how codes were joined, and how many rows."""
    sd = math.sqrt(len(raw) / (2 * rho))
    counts = {it: _noisy(_count(raw, (it,), sizes), sd, random) for it in raw}
    total = max(1.0, float(np.mean([values.sum() for values in counts.values()])))
    joined = {it: _joined(values, FEWEST_SDS * sd) for it, values in counts.items()}
    codes = {it: joined[it][column] for it, column in raw.items()}
    few = {it: int(column.max()) + 1 for it, column in joined.items()}
    singles = {
        it: _Noisy(
            np.bincount(joined[it], values, few[it]).astype(np.float64), sd * _spread(joined[it])
        )
        for it, values in counts.items()
    }
    order, parent = _tree(codes, singles, total, rho, random)
    sd = math.sqrt(len(parent) / (2 * rho))
    pairs = {}
    for child, above in parent.items():
        counted = _noisy(_count(codes, (above, child), few), sd, random)
        pairs[child] = _Noisy(counted.reshape(few[above], few[child]), sd)
    return _Tree(order, parent, singles, pairs), joined, total


def rho_of(epsilon: float, delta: float) -> float:
    """Return the concentrated privacy that gives (epsilon, delta), after Canonne et al. (2020)."""
    orders = 1 + np.geomspace(1e-3, 1e4, 4000)
    low, high = 0.0, epsilon + 1.0
    for _ in range(60):
        rho = (low + high) / 2
        said = (orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders)
        best = float((said - np.log(orders - 1)).min())
        low, high = (rho, high) if best <= math.log(delta) else (low, rho)
    return low


def _count(codes: Codes, names: tuple[str, ...], sizes: Mapping[str, int]) -> Floats:
    shape = tuple(sizes[it] for it in names)
    cell = np.ravel_multi_index(tuple(codes[it] for it in names), shape)
    return np.bincount(cell, minlength=math.prod(shape)).astype(np.float64)


def _noisy(counts: Floats, sd: float, random: Random) -> Floats:
    return counts + random.normal(0, sd, len(counts))


def _joined(values: Floats, least: float) -> Labels:
    """Return a new code for each code: those that are counted as too few have one together."""
    keeps = values >= least
    return np.where(keeps, np.cumsum(keeps) - 1, int(keeps.sum()))


def _spread(joined: Labels) -> float:
    """Return by how much more noise the largest group of joined codes has."""
    return math.sqrt(float(np.bincount(joined).max()))


def _apart(joined: Labels, drawn: Labels, random: Random) -> Labels:
    """Return a code of those that were joined for each drawn one, evenly."""
    out = np.zeros(len(drawn), dtype=np.intp)
    for code in np.unique(drawn):
        at = np.flatnonzero(drawn == code)
        out[at] = random.choice(np.flatnonzero(joined == code), len(at))
    return out


def _tree(
    codes: Codes, singles: Mapping[str, _Noisy], total: float, rho: float, random: Random
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Choose pairs that connect all columns, by how far counts are from those of no relation.

    What comes back is an order of columns, and the parent of each but the first.
    """
    sizes = {it: len(noisy.counts) for it, noisy in singles.items()}
    shares = {it: np.maximum(noisy.counts, 0) / total for it, noisy in singles.items()}
    far = {}
    for first, second in itertools.combinations(codes, 2):
        alone = total * np.outer(shares[first], shares[second]).ravel()
        far[first, second] = np.abs(_count(codes, (first, second), sizes) - alone).sum()
    each = math.sqrt(8 * rho / (len(codes) - 1))
    within = {name: name for name in codes}
    near: dict[str, list[str]] = {name: [] for name in codes}
    for _ in range(len(codes) - 1):
        left = [pair for pair in far if within[pair[0]] != within[pair[1]]]
        # The largest of these with Gumbel's noise is the exponential mechanism.
        said = [each / 2 * far[pair] + random.gumbel() for pair in left]
        first, second = left[int(np.argmax(said))]
        near[first].append(second)
        near[second].append(first)
        old, new = within[first], within[second]
        within = {it: new if of == old else of for it, of in within.items()}
    order, parent = [next(iter(codes))], {}
    for name in order:  # it grows as it goes
        for child in near[name]:
            if child not in order:
                parent[child] = name
                order.append(child)
    return tuple(order), parent


class _Tree(NamedTuple):
    """Columns, each after its parent, and the noisy counts of pairs (parent, child) and of one."""

    order: tuple[str, ...]
    parent: Mapping[str, str]
    singles: Mapping[str, _Noisy]
    pairs: Mapping[str, _Noisy]


def _drawn(fitted: _Marginals, tree: _Tree, total: int, random: Random) -> Codes:
    """Draw rows from marginals of a tree: as near to them as whole rows can be."""
    root = tree.order[0]
    out = {root: _evenly(fitted.singles[root], total, random)}
    for child in tree.order[1:]:
        above = out[tree.parent[child]]
        out[child] = np.zeros(total, dtype=np.intp)
        for code in np.unique(above):
            at = np.flatnonzero(above == code)
            out[child][at] = _evenly(fitted.pairs[child][code], len(at), random)
    return out


def _evenly(weights: Floats, rows: int, random: Random) -> Labels:
    """Draw codes by weights, each about as often as its weight says."""
    places = (random.permutation(rows) + random.random(rows)) / rows
    shares = np.cumsum(weights) / weights.sum()
    return np.minimum(np.searchsorted(shares, places, side="right"), len(weights) - 1)


class _Marginals(NamedTuple):
    """Counts of codes: of each column, and of each child with its parent in the rows."""

    singles: Mapping[str, Floats]
    pairs: Mapping[str, Floats]


def _fitted(tree: _Tree, total: float) -> _Marginals:
    """Fit a distribution on a tree to noisy counts, by least squares.

    It is the mirror descent of Private-PGM (McKenna, Sheldon and Miklau 2019), which moves the
    logarithms of factors against the slope of the loss.
    """
    logs = _Marginals(
        {name: np.zeros_like(it.counts) for name, it in tree.singles.items()},
        {name: np.zeros_like(it.counts) for name, it in tree.pairs.items()},
    )
    found = _marginals(logs, tree, total)
    loss, slope = _loss(found, tree)
    sizes = [it.sd for it in (*tree.singles.values(), *tree.pairs.values())]
    step, before = min(sizes) ** 2 / total, math.inf
    for turn in range(STEPS):
        moved = _Marginals(
            {name: it - step * slope.singles[name] for name, it in logs.singles.items()},
            {name: it - step * slope.pairs[name] for name, it in logs.pairs.items()},
        )
        other = _marginals(moved, tree, total)
        now, its = _loss(other, tree)
        if loss - now >= 0.5 * step * _along(slope, found, other):
            logs, found, loss, slope, step = moved, other, now, its, 1.1 * step
        else:
            step /= 2
        if turn % LOOKS == LOOKS - 1:
            if before - loss <= ENOUGH * loss:
                break
            before = loss
    return found


def _along(slope: _Marginals, found: _Marginals, other: _Marginals) -> float:
    pairs = zip(slope, found, other, strict=True)
    return sum(float((a[it] * (b[it] - c[it])).sum()) for a, b, c in pairs for it in a)


def _loss(found: _Marginals, tree: _Tree) -> tuple[float, _Marginals]:
    """Return how far marginals are from what was counted, and the slope of that."""
    loss, slopes = 0.0, []
    for marginals, counted in ((found.singles, tree.singles), (found.pairs, tree.pairs)):
        off = {name: (marginals[name] - it.counts) / it.sd for name, it in counted.items()}
        loss += sum(float(np.square(it).sum()) for it in off.values()) / 2
        slopes.append({name: it / counted[name].sd for name, it in off.items()})
    return loss, _Marginals(*slopes)


def _marginals(logs: _Marginals, tree: _Tree, total: float) -> _Marginals:
    """Return the marginals of a product of factors on a tree, by their logarithms."""
    up = {name: values.copy() for name, values in logs.singles.items()}
    said: dict[str, Floats] = {}
    for child in reversed(tree.order[1:]):
        both = logs.pairs[child] + up[child]
        top = both.max(axis=1)
        said[child] = top + np.log(np.exp(both - top[:, None]).sum(axis=1))
        up[tree.parent[child]] += said[child]
    root = tree.order[0]
    weights = np.exp(up[root] - up[root].max())
    singles, pairs = {root: total * weights / weights.sum()}, {}
    for child in tree.order[1:]:
        given = np.exp(logs.pairs[child] + up[child] - said[child][:, None])
        pairs[child] = singles[tree.parent[child]][:, None] * given
        singles[child] = pairs[child].sum(axis=0)
    return _Marginals(singles, pairs)
