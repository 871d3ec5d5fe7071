"""Strata that are too small: their levels are joined, or their rows suppressed, at least loss."""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Labels, check_ratio, check_whole
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.methods.counts import Bins
from discreet.methods.hierarchy import Chain, Coded, Hierarchy, Step, chains_of, coded
from discreet.progress import advance

T = TypeVar("T")

Node = tuple[int, ...]
"""How many steps each column has gone along its chain."""
Key = tuple[int, int, Node]
"""What a node costs: its loss in whole units, its steps in all, and itself to break ties."""
Mask = NDArray[np.bool_]

MOST_CODE = 1 << 62
CELLS_PER_STRATUM = 16  # above that, cells are numbered anew before rows are counted in them
TRIES_PER_WORD = 256


@dataclass(frozen=True, eq=False)
class Repair:
    """Strata that hold what is asked of them, and what was done to reach it.

    `levels` are the new ones of every row, `kept` or not, in the columns that are left; `steps`
    what was done to the columns, in their order. `suppressed` is how many rows are not kept: an
    exact count, not to be shown as it is. `loss` is from 0 (nothing was done) to 1, the mean over
    rows and columns. The search is `complete` if it came to its end, so that no other way loses
    less.
    """

    levels: Mapping[str, tuple[str, ...]]
    kept: Mask
    steps: tuple[Step, ...]
    suppressed: int
    loss: float
    complete: bool

    def __post_init__(self) -> None:
        self.kept.setflags(write=False)


def repair(
    levels: Mapping[str, Sequence[str]],
    least: int,
    *,
    hierarchies: Mapping[str, Hierarchy] = MappingProxyType({}),
    ordered: Mapping[str, Sequence[str]] | None = None,
    sensitive: Sequence[str] | None = None,
    diversity: int | None = None,
    closeness: float | None = None,
    most_suppressed: float = 0.1,
    may_drop: bool = True,
    most_tried: int = 20_000,
) -> Repair:
    """Join levels and suppress rows until every stratum holds enough rows, at the least loss.

    A stratum is a combination of levels. Each column has a chain of coarsenings: the steps of its
    hierarchy; else, if its levels are ordered, intervals of 2, 4, 8, ... neighbours; else its 2,
    3, ... smallest levels joined into "other"; at last the column is dropped. Of all ways to go
    along the chains, with the rows of strata that then still fail suppressed, the one is taken
    that loses least.

    Parameters
    ----------
    levels : mapping of str to sequence of str, each of length n
        The level of every row in each column. A missing level is a level, such as "".
    least : int
        Rows in each stratum; at least 1.
    hierarchies : mapping of str to Hierarchy, optional
        Hierarchies by column.
    ordered : mapping of str to sequence of str, optional
        All levels in their order, by column. Levels that are numbers are not taken as ordered
        unless they are named here.
    sensitive : sequence of str, of length n, optional
        The sensitive value of every row, for `diversity` and `closeness`.
    diversity : int, optional
        Different sensitive values in each stratum; at least 1 (distinct l-diversity).
    closeness : float, optional
        The largest distance between the distribution of the sensitive values in a stratum and
        that in all rows, suppressed ones included; from 0 to 1 (t-closeness). The distance is
        half the sum of the absolute differences of the shares (total variation).
    most_suppressed : float, default 0.1
        The share of rows that may be suppressed; from 0 to 1. At least one row is kept.
    may_drop : bool, default True
        Whether columns may be dropped.
    most_tried : int, default 20_000
        How many ways are tried; at least 1. It is a number, not a time, so that the outcome is
        the same on each machine.

    Raises
    ------
    InputError
        If there are no columns or rows, columns differ in length, a level is no text, a
        hierarchy or order does not fit, or a parameter is out of its range.
    RefusedError
        If no way was found.

    Notes
    -----
    The loss of a row in a column is (levels joined with its own - 1) / (levels of the column -
    1), where levels of the data count: 0 if its level is untouched, 1 if the column is dropped.
    A suppressed row loses 1 in each column. Ways of equal loss are told apart by fewer steps,
    then by fewer steps of the columns named first. Losses are compared in whole numbers, so that
    neither the order of rows nor the machine matters.

    Ways are tried in the order of their loss before suppression, which none can undercut, so the
    first one that undercuts all that are left is the best (`complete`). If `most_tried` is
    reached before, a descent follows, which at each step takes the coarsening that helps most
    rows per loss. The better of what both found is then changed in one or two columns as long as
    that helps, as many ways again being tried at most. If neither found one, the call is refused.
    There is none then, unless `closeness` is asked for: joining a stratum to another may take that
    one further from the whole.

    **What it does not protect.** Strata of k rows hide who is who in these columns alone; other
    columns of the table may still tell rows apart. Without `diversity` all rows of a stratum may
    share one sensitive value. Which levels were joined depends on the data and says which are
    rare; two repairs of one table, side by side, may undo each other.

    References
    ----------
    Sweeney, "k-anonymity", IJUFKS 10(5) (2002); Machanavajjhala et al., "l-diversity", ICDE
    (2006), section 4.2; Li et al., "t-closeness", ICDE (2007), section 4; El Emam et al., "A
    globally optimal k-anonymity method", JAMIA 16(5) (2009).

    Examples
    --------
    >>> sex = ["f", "f", "f", "m", "m", "m", "m"]
    >>> home = ["own", "own", "rent", "own", "own", "free", "rent"]
    >>> done = repair({"sex": sex, "home": home}, least=2, most_suppressed=0.2)
    >>> done.levels["home"]
    ('own', 'own', 'other', 'own', 'own', 'other', 'other')
    >>> done.steps
    (Step(column='home', what='joined', detail="the smallest levels are 'other'"),)
    >>> done.kept.tolist(), round(done.loss, 3)
    ([True, True, False, True, True, True, True], 0.214)
    """
    columns = _columns(levels)
    rows = int(columns[0].sizes.sum())
    values = None if sensitive is None else coded("sensitive", sensitive)
    demand = _demand(least, diversity, closeness, most_suppressed, values, rows)
    strata, stratum = _strata(columns, values)
    chains = chains_of(columns, hierarchies, ordered or {})
    space = _Space(columns, chains, strata, demand, may_drop)
    best, complete = _search(space, check_whole("most_tried", most_tried, least=1))
    if best is None:
        also = {"diversity": diversity, "closeness": closeness}
        asked = [name for name, given in also.items() if given is not None]
        raise RefusedError(
            f"no merging of the strata was found that reaches {' and '.join(['k rows', *asked])} in"
            " each; the custodian can choose a smaller k, fewer strata,"
            f"{'' if may_drop else ' let columns be dropped,'} or allow more suppression"
        )
    node, failing = best[2], space.failing(best[2])
    names = {}
    for column, chain, step in zip(columns, chains, node, strict=True):
        if not chain.dropped(step):
            coarse = np.array(chain.names(step), dtype=object)
            names[column.name] = tuple(coarse[column.codes].tolist())
    repaired = Repair(
        MappingProxyType(names),
        ~failing[stratum],
        tuple(chain.words(step) for chain, step in zip(chains, node, strict=True) if step),
        int(strata.counts[failing].sum()),
        float(Fraction(best[0], space.whole)),
        complete,
    )
    _check(repaired, demand, None if values is None else values.codes.tolist())
    return repaired


# --- what is given --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Strata:
    """The different rows: a line for each combination of levels and sensitive value."""

    codes: tuple[Labels, ...]  # of each line in each column
    values: Labels  # the sensitive value of each line; 0 throughout where there is none
    counts: Bins  # rows of each line
    totals: Bins  # rows of each sensitive value


@dataclass(frozen=True)
class _Demand:
    least: int
    diversity: int | None
    closeness: float | None
    allowed: int  # rows that may be suppressed


def _columns(levels: Mapping[str, Sequence[str]]) -> list[Coded]:
    if not levels:
        raise InputError("levels must name at least one column")
    columns = [coded(name, given) for name, given in levels.items()]
    lengths = {len(column.codes) for column in columns}
    if len(lengths) > 1 or 0 in lengths:
        raise InputError("the columns of levels must all hold as many rows, and at least one")
    return columns


def _demand(
    least: int,
    diversity: int | None,
    closeness: float | None,
    most_suppressed: float,
    values: Coded | None,
    rows: int,
) -> _Demand:
    check_whole("least", least, least=1)
    check_whole("diversity", 1 if diversity is None else diversity, least=1)
    for name, share in {"closeness": closeness, "most_suppressed": most_suppressed}.items():
        if share is not None and check_ratio(name, share, zero=True) > 1:
            raise InputError(f"{name} must be at most 1")
    if values is None and not (diversity is None and closeness is None):
        raise InputError("diversity and closeness need sensitive, the value of every row")
    if values is not None and values.sizes.sum() != rows:
        raise InputError("sensitive must have one value for each row of levels")
    # A share such as 0.29 of 100 rows is 29 rows, though the product is a little below.
    allowed = math.floor(round(most_suppressed * rows, 6))
    return _Demand(least, diversity, closeness, min(allowed, rows - 1))


def _strata(columns: Sequence[Coded], values: Coded | None) -> tuple[_Strata, Labels]:
    """Return the different rows, and which of them each row is."""
    none = np.zeros_like(columns[0].codes)
    every = [*columns, values or Coded("", ("",), none)]
    line = none
    for column in every:
        line = np.unique(line * len(column.levels) + column.codes, return_inverse=True)[1]
    first = np.unique(line, return_index=True)[1]
    counts = np.bincount(line).astype(np.int64)
    *codes, of_value = (column.codes[first] for column in every)
    return _Strata(tuple(codes), of_value, counts, every[-1].sizes), line


# --- what a node costs ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Space:
    """All ways to go along the chains, and what each costs."""

    columns: Sequence[Coded]
    chains: tuple[Chain, ...]
    strata: _Strata
    demand: _Demand
    may_drop: bool
    priced: dict[tuple[int, int], int] = field(default_factory=dict)  # what was worked out

    @cached_property
    def unit(self) -> int:
        """What a row loses in a column at most: a number that each column's levels divide."""
        return math.lcm(*(max(len(chain.levels) - 1, 1) for chain in self.chains))

    @cached_property
    def whole(self) -> int:
        """The loss if all columns were dropped."""
        return self.unit * len(self.chains) * int(self.strata.counts.sum())

    @cached_property
    def last(self) -> Node:
        """How many steps each column can go; dropping it is the last."""
        return tuple(
            0 if len(chain.levels) == 1 else chain.last + self.may_drop for chain in self.chains
        )

    def joined(self, column: int, step: int) -> tuple[Bins, int]:
        """Return how many levels each level is joined with, and what each of these costs."""
        groups = self.chains[column].groups(step)
        with_others = np.bincount(groups)[groups] - 1
        return with_others, self.unit // max(len(groups) - 1, 1)

    def price(self, column: int, step: int) -> int:
        """Return what all rows lose in a column if none is suppressed."""
        if (column, step) not in self.priced:
            joined, each = self.joined(column, step)
            self.priced[column, step] = int(self.columns[column].sizes @ joined) * each
        return self.priced[column, step]

    def bound(self, node: Node) -> int:
        """Return what all rows lose if none is suppressed."""
        return sum(self.price(column, step) for column, step in enumerate(node))

    def failing(self, node: Node) -> Mask:
        """Return which lines belong to strata that do not hold what is asked."""
        return _failing(self.strata, self.demand, *self._cells(node))

    def suppressed(self, node: Node) -> int:
        """Return how many rows belong to strata that do not hold what is asked."""
        return int(self.strata.counts[self.failing(node)].sum())

    def key(self, node: Node) -> Key | None:
        """Return what a node costs, or None if it would suppress more rows than allowed."""
        failing = self.failing(node)
        counts = self.strata.counts[failing]
        suppressed = int(counts.sum())
        if suppressed > self.demand.allowed:
            return None
        loss = self.bound(node) + suppressed * self.unit * len(node)
        for column, step in enumerate(node if suppressed else ()):
            joined, each = self.joined(column, step)
            loss -= int(counts @ joined[self.strata.codes[column][failing]]) * each
        return loss, sum(node), node

    def _cells(self, node: Node) -> tuple[Labels, int]:
        """Return the stratum of each line, and how many numbers of strata there are."""
        cells, most = np.zeros(len(self.strata.counts), dtype=np.int64), 1
        for column, step in enumerate(node):
            groups = self.chains[column].groups(step)
            different = int(groups.max()) + 1
            if most * different > MOST_CODE:
                cells, most = _renumber(cells)
            cells = cells * different + groups[self.strata.codes[column]]
            most *= different
        sparse = most > CELLS_PER_STRATUM * len(cells)
        return _renumber(cells) if sparse else (cells, most)


def _renumber(cells: Labels) -> tuple[Labels, int]:
    import pandas as pd

    numbers, different = pd.factorize(cells)
    return numbers, len(different)


def _failing(strata: _Strata, demand: _Demand, cells: Labels, most: int) -> Mask:
    sizes = np.bincount(cells, strata.counts, most)  # exact: whole numbers below 2 ** 53
    good = sizes >= demand.least
    if demand.diversity is not None or demand.closeness is not None:
        # Pairs of a stratum and a sensitive value that are there.
        values = len(strata.totals)
        pairs, pair = np.unique(cells * values + strata.values, return_inverse=True)
        cell, value = pairs // values, pairs % values
        if demand.diversity is not None:
            good &= np.bincount(cell, minlength=most) >= demand.diversity
        if demand.closeness is not None:
            # Half the absolute differences is the sum of the positive ones.
            rows, totals = int(strata.totals.sum()), strata.totals[value]
            more = np.maximum(np.bincount(pair, strata.counts) * rows - totals * sizes[cell], 0)
            distance = np.bincount(cell, more, most) / np.maximum(sizes * rows, 1)
            good &= distance <= demand.closeness
    failing: Mask = ~good[cells]
    return failing


# --- the search -----------------------------------------------------------------------------


def _search(space: _Space, most_tried: int) -> tuple[Key | None, bool]:
    """Return the cheapest node, and whether it is known to be."""
    if space.demand.closeness is None and space.key(space.last) is None:
        return None, True  # what was joined mends more than what was not
    start: Node = (0,) * len(space.chains)
    heap: list[Key] = [(space.bound(start), 0, start)]
    best: Key | None = None
    tried = 0
    while heap and (best is None or heap[0] < best):
        if tried == most_tried:
            cheapest = min(filter(None, (best, _descent(space))), default=None)
            return cheapest and _improve(space, cheapest, most_tried), False
        bound, steps, node = heapq.heappop(heap)
        key = space.key(node)
        if key is not None and (best is None or key < best):
            best = key
        # Each node is come to once: from that whose last column to go any steps has gone one less.
        moved = [column for column, step in enumerate(node) if step]
        for column in range(moved[-1] if moved else 0, len(node)):
            if node[column] == space.last[column]:
                continue
            more = space.price(column, node[column] + 1) - space.price(column, node[column])
            heapq.heappush(heap, (bound + more, steps + 1, _move(node, column, node[column] + 1)))
        tried += 1
        if tried % TRIES_PER_WORD == 0:
            advance("merging levels", tried, most_tried)
    return best, True


def _descent(space: _Space) -> Key | None:
    """Return the key of a node that suppresses no more than allowed, or None if none was met."""
    node: Node = (0,) * len(space.chains)
    key = space.key(node)
    while key is None:
        bound, failing = space.bound(node), space.suppressed(node)
        ways = []
        for column in range(len(node)):
            if node[column] < space.last[column]:
                way = _move(node, column, node[column] + 1)
                price, mended = space.bound(way) - bound, failing - space.suppressed(way)
                ways.append((-Fraction(mended, max(price, 1)), price, column, way))
        if not ways:
            return None
        node = min(ways)[-1]
        key = space.key(node)
    return key


def _improve(space: _Space, best: Key, most_tried: int) -> Key:
    """Go to the cheapest node that differs in one or two columns, again and again."""
    tried = 0
    while True:
        cheapest = best
        nodes = itertools.islice(_neighbours(best[2], space.last), most_tried)
        for bound in sorted((space.bound(node), sum(node), node) for node in nodes):
            if bound >= cheapest or tried == most_tried:
                break
            tried += 1
            cheapest = min(cheapest, space.key(bound[2]) or cheapest)
        if cheapest == best:
            return best
        best = cheapest


def _neighbours(node: Node, last: Node) -> Iterator[Node]:
    """Give the nodes that differ in one column, then those that differ in two."""
    for one in range(len(node)):
        for step in range(last[one] + 1):
            if step != node[one]:
                yield _move(node, one, step)
    for one, other in itertools.combinations(range(len(node)), 2):
        for step in range(last[one] + 1):
            for to in range(last[other] + 1):
                if step != node[one] and to != node[other]:
                    yield _move(_move(node, one, step), other, to)


def _move(node: Node, column: int, step: int) -> Node:
    return (*node[:column], step, *node[column + 1 :])


# --- what is returned -----------------------------------------------------------------------


def _check(repaired: Repair, demand: _Demand, sensitive: Sequence[int] | None) -> None:
    """Count again, row by row and by the definitions, what the strata hold."""
    kept = repaired.kept.tolist()
    values = [0] * len(kept) if sensitive is None else sensitive
    names = zip(*repaired.levels.values(), strict=True) if repaired.levels else [()] * len(kept)
    of_stratum: defaultdict[tuple[str, ...], Counter[int]] = defaultdict(Counter)
    rows_with = Counter(zip(names, values, kept, strict=True))
    for (stratum, value, is_kept), rows in rows_with.items():
        if is_kept:
            of_stratum[stratum][value] += rows
    suppressed = sum(rows for (*_, is_kept), rows in rows_with.items() if not is_kept)
    broken = suppressed != repaired.suppressed or suppressed > demand.allowed
    totals = Counter(values)
    for counts in of_stratum.values():
        size = counts.total()
        broken |= size < demand.least
        broken |= demand.diversity is not None and len(counts) < demand.diversity
        if demand.closeness is not None:
            shares = (
                abs(Fraction(counts[value], size) - Fraction(total, totals.total()))
                for value, total in totals.items()
            )
            broken |= float(sum(shares) / 2) > demand.closeness
    if broken or not of_stratum:
        raise BrokenPromiseError("a stratum that was repaired does not hold what was asked")
