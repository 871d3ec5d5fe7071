"""Cross-tables: what is hidden so that none of it can be worked out, and what an attacker can."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels, check_parameters, whole
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.protect.counts import Bins

__all__ = ["MOST_CELLS", "CellSuppression", "GuardedTable", "check_table"]

Entry = tuple[int, int]
Mask = NDArray[np.bool_]

MOST_CELLS = 1000
MOST_K = 10**6  # so that the flows of a thousand cells fit 32 bits
MOST_PERSONS = 1 << 40
# What a path costs: persons first, then cells that are newly hidden, then its length. A path has
# fewer than 2 ** 8 entries, and all prices together stay below NO_WAY.
PERSON, CELL, HOP = 1 << 16, 1 << 8, 1
NO_WAY = np.int64(1 << 61)


@dataclass(frozen=True, eq=False)
class GuardedTable:
    """What of a cross-table may be shown.

    `counts` (r + 1, c + 1) are persons in each cell, the margins last and the grand total in the
    corner; 0 where they are not `shown`.
    """

    counts: Bins
    shown: Mask

    def __post_init__(self) -> None:
        self.counts.setflags(write=False)
        self.shown.setflags(write=False)

    @property
    def hidden(self) -> int:
        """How many cells and margins are not shown."""
        return int((~self.shown).sum())


@dataclass(frozen=True)
class CellSuppression:
    """Small cells of a cross-table are hidden, and others so that no sum gives them back.

    Cells and margins of 1 to k - 1 persons are hidden, and empty ones, so that nobody is known
    to be absent. With them go cells of 100 %, which hold all persons of a line of two levels or
    more: shown beside its sum, such a cell would say that the others are empty. Then further ones
    are hidden until the shown ones leave each hidden count at least k possible values: cells of
    few persons first, then margins, the grand total last.

    Parameters
    ----------
    k : int, default 5
        The least number of persons in a cell that is shown; from 1 to a million.
    show_empty : bool, default False
        Show empty cells, and with them those of 100 %.

    Raises
    ------
    RefusedError
        If the table has more than 1000 cells, or is too small to show anything: if it holds fewer
        than k persons in all.
    BrokenPromiseError
        If, checked on the output, a hidden count can be worked out too closely (`check_table`).

    Notes
    -----
    Which further cells are hidden is searched for cell by cell: the cheapest rectangle of cells
    whose counts can go up and down in turn, or else the cheapest longer way round, and at the end
    whatever turned out not to be needed is shown again. The result is safe and small, but not
    always the smallest. The order of lines does not matter, nor which are rows: lines are told
    apart by what they hold. Between lines that hold the same, or are alike by symmetry, the choice
    follows the order given: show a pair of columns in one order, for two answers would give cells
    back.

    **What it does not protect.** Anything, if k is 1. A column of one level, all of whose cells
    are of 100 %. Another table of the same persons, a total known from elsewhere, or persons who
    know in which cell they are themselves. Whoever knows that certain cells must
    be empty (pregnancy by sex) may narrow others: in 3 x 3 tables of 200 persons one known empty
    cell gave 19 of 59 small ones exactly. Whoever knows the method can rule out some of the
    numbers that add up, for it would have hidden other cells then.

    References
    ----------
    Avraam et al. (2021), section 2.1 (a threshold for cells that are not empty; a second cell must
    go where one alone follows from the margins; cells of 0 and of 100 %). The search by paths:
    Kelly, Golden and Assad, "Cell suppression: disclosure protection for sensitive tabular data",
    Networks 22(4), 1992.

    Examples
    --------
    >>> import numpy as np
    >>> table = CellSuppression(k=5)(np.array([[20, 3, 9], [12, 30, 7], [8, 25, 40]]))
    >>> np.where(table.shown, table.counts, -1).tolist()
    [[20, -1, -1, 32], [12, -1, -1, 49], [8, 25, 40, 73], [40, 58, 56, 154]]
    """

    name: ClassVar[str] = "cell-suppression"
    promises: ClassVar[str] = (
        "Every cell and sum that is shown stands on at least k persons, and all that are shown"
        " leave each hidden one at least k possible values."
    )
    leaves_open: ClassVar[str] = (
        "Another table of the same persons, a total known from elsewhere, or knowing which cells"
        " must be empty, may give a hidden count back."
    )

    k: int = whole(1, default=5)
    show_empty: bool = False

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.k > MOST_K:
            raise InputError(f"k must be at most {MOST_K}")
        if not isinstance(self.show_empty, bool):
            raise InputError("show_empty must be True or False")

    def __call__(self, counts: Bins, also: Mask | None = None) -> GuardedTable:
        """Guard the table of `counts` (r rows, c columns), to which the margins are added.

        `also` (r + 1, c + 1) are cells and margins that are hidden for another reason; they are
        given the same width as small ones.
        """
        given = np.asarray(counts)
        if given.ndim != 2 or given.size == 0 or not np.issubdtype(given.dtype, np.integer):
            raise InputError(
                "counts must be a table of whole numbers, of a row and column at least"
            )
        if given.size > MOST_CELLS:
            raise RefusedError(f"the table has more than {MOST_CELLS} cells; merge levels")
        if (given < 0).any() or given.sum(dtype=np.float64) >= MOST_PERSONS:
            raise InputError("counts must be at least 0, and together below 2 ** 40")
        cells = np.array(given, dtype=np.int64)
        full = _with_margins(cells)
        hidden = np.zeros_like(full, np.bool_)
        small = self._small(full) | (hidden if also is None else also)
        if small.any():
            # Searched in an order of lines that does not depend on the one they came in.
            flip, rows, columns = line_order(cells)
            ordered = _with_margins((cells.T if flip else cells)[np.ix_(rows, columns)])
            at = np.ix_([*rows, len(rows)], [*columns, len(columns)])
            (hidden.T if flip else hidden)[at] = _search(
                ordered, (small.T if flip else small)[at], self.k - 1
            )
        kept = np.where(hidden, 0, full)
        if hidden.all() or (cells.any() and not kept.any()):
            raise RefusedError(
                "the table is too small to show any of it; merge levels or widen the selection"
            )
        check_table(kept, ~hidden, self.k)
        return GuardedTable(kept, ~hidden)

    def _small(self, full: Bins) -> Mask:
        return (full < self.k) & ((full > 0) | (not self.show_empty))


def _with_margins(cells: Bins) -> Bins:
    rows = np.vstack([cells, cells.sum(axis=0)])
    return np.column_stack([rows, rows.sum(axis=1)])


def _search(full: Bins, small: Mask, width: int) -> Mask:
    """Return what is hidden: `small`, and what else leaves every hidden entry `width`."""
    if width == 0:
        return small
    network = _Network.of(full, width)
    hidden = small.copy()
    pending = network.narrow(hidden)
    while pending:
        entry = pending.pop(0)
        more = network.widened(hidden, entry)
        pending += _entries(more & ~hidden)
        hidden |= more
    # Show again what need not be hidden: the grand total first, margins, then large cells.
    cells = _tiers(hidden.shape)[0]
    extra = _entries(hidden & ~small)
    for entry in sorted(extra, key=lambda e: (bool(cells[e]), -int(network.full[e]))):
        fewer = hidden.copy()
        fewer[entry] = False
        if not network.narrow(fewer, near=entry):
            hidden = fewer
    return hidden


def _tiers(shape: tuple[int, ...]) -> tuple[Mask, Mask, Mask]:
    """Return what may be hidden for an entry's sake: cells, margins too, the grand total too."""
    everything = np.ones(shape, dtype=np.bool_)
    cells, all_but_total = ~everything, everything.copy()
    cells[:-1, :-1] = True
    all_but_total[-1, -1] = False
    return cells, all_but_total, everything


def _entries(mask: Mask) -> list[Entry]:
    return [(int(i), int(j)) for i, j in np.argwhere(mask)]


@dataclass(frozen=True, eq=False)
class _Network:
    """A table as a network: rows and columns are places, entries are ways between them.

    Rows and columns add up if the counts, those of the margins negative, are a flow without
    sources. A hidden count may grow without end and shrink to 0; `ahead` is by how much the flow
    from row to column can grow, `back` by how much it can shrink, neither more than `width`.
    """

    full: Bins
    width: int
    ahead: Bins
    back: Bins

    @classmethod
    def of(cls, full: Bins, width: int) -> _Network:
        margin = np.zeros(full.shape, dtype=np.bool_)
        margin[-1, :-1] = margin[:-1, -1] = True
        less = np.minimum(full, width)
        ahead, back = np.where(margin, less, width), np.where(margin, width, less)
        return cls(full, width, ahead, back)

    def narrow(self, hidden: Mask, near: Entry | None = None) -> list[Entry]:
        """Return the hidden entries that are left less than the width; with `near`, the first.

        Rectangles of hidden entries prove it for most; the others take two flows each.
        """
        ahead, back = np.where(hidden, self.ahead, 0), np.where(hidden, self.back, 0)
        wide = np.empty_like(hidden)
        for i in range(len(hidden)):
            up = np.minimum(ahead[i], _best_turn(back[i], np.delete(ahead, i, 0), back, i))
            down = np.minimum(back[i], _best_turn(ahead[i], np.delete(back, i, 0), ahead, i))
            wide[i] = up + down >= self.width
        doubtful = _entries(hidden & ~wide)
        if near is not None:  # its row and column are the first to suffer
            doubtful.sort(key=lambda entry: entry[0] != near[0] and entry[1] != near[1])
        graph = self._graph(hidden)
        found = (entry for entry in doubtful if not self._is_wide(graph, entry))
        return list(found if near is None else islice(found, 1))

    def widened(self, hidden: Mask, entry: Entry) -> Mask:
        """Return `hidden` and what else leaves `entry` the width, of the first tier that can."""
        price = np.where(hidden, 0, PERSON * self.full + CELL)
        if self._is_wide(self._graph(hidden), entry):
            return hidden
        for tier in _tiers(hidden.shape):
            usable = hidden | tier
            ahead, back = np.where(usable, self.ahead, 0), np.where(usable, self.back, 0)
            more = self._by_rectangle(ahead, back, price, entry)
            if more is None and self._is_wide(self._graph(usable), entry):
                more = self._by_paths(ahead, back, price, entry)
            if more is not None:
                return hidden | more
        raise BrokenPromiseError("a cell could not be hidden although all others may be")

    def _graph(self, hidden: Mask) -> Any:
        """Return the ways between rows (numbered first) and columns, and how wide they are."""
        from scipy.sparse import csr_array

        rows, columns = np.nonzero(hidden)
        columns = columns + len(hidden)
        wide = np.concatenate([self.ahead[hidden], self.back[hidden]]).astype(np.int32)
        ends = (np.concatenate([rows, columns]), np.concatenate([columns, rows]))
        graph = csr_array((wide, ends), shape=(sum(hidden.shape),) * 2)
        graph.sort_indices()
        return graph

    def _is_wide(self, graph: Any, entry: Entry) -> bool:
        """Tell whether the count of a hidden `entry` can go up and down by the width in all."""
        from scipy.sparse.csgraph import maximum_flow

        row, column = entry[0], len(self.full) + entry[1]
        ahead, back = int(self.ahead[entry]), int(self.back[entry])
        # The way over the entry itself, there and back, is no change of its count.
        up = min(ahead, int(maximum_flow(graph, column, row).flow_value) - back)
        if up >= self.width:
            return True
        down = min(back, int(maximum_flow(graph, row, column).flow_value) - ahead)
        return up + down >= self.width

    def _by_rectangle(self, ahead: Bins, back: Bins, price: Bins, entry: Entry) -> Mask | None:
        """Return the cheapest rectangle around `entry` that leaves it the width."""
        i, j = entry
        up = np.minimum(np.minimum(back[i], back[:, j, None]), np.minimum(ahead, ahead[i, j]))
        down = np.minimum(np.minimum(ahead[i], ahead[:, j, None]), np.minimum(back, back[i, j]))
        wide = up + down >= self.width
        wide[i] = wide[:, j] = False
        if not wide.any():
            return None
        costs = np.where(wide, price + price[i] + price[:, j, None], NO_WAY)
        m, n = np.unravel_index(int(costs.argmin()), costs.shape)
        more = np.zeros(ahead.shape, dtype=np.bool_)
        more[np.ix_(np.array([i, m]), np.array([j, n]))] = True
        return more

    def _by_paths(self, ahead: Bins, back: Bins, price: Bins, entry: Entry) -> Mask:
        """Return the ways round by which the count of `entry` can go up and down by the width.

        Both directions are flows; the cheaper next path of the two is taken until they suffice.
        """
        i, j = entry
        left = {"up": int(ahead[entry]), "down": int(back[entry])}
        free = {"up": (back.T.copy(), ahead.T.copy()), "down": (ahead.copy(), back.copy())}
        used = np.zeros(ahead.shape, dtype=np.bool_)
        used[entry] = True
        ends = {"up": (j, i), "down": (i, j)}
        for way, (there, home) in free.items():
            there[ends[way]] = home[ends[way]] = 0
        missing = self.width
        while missing > 0:
            cost = HOP + np.where(used, 0, price)
            paths = {
                way: _cheapest(*free[way], cost.T if way == "up" else cost, *ends[way])
                for way, rest in left.items()
                if rest > 0
            }
            found = {way: path for way, path in paths.items() if path is not None}
            if not found:
                raise BrokenPromiseError("a cell that can be hidden could not be")
            way = min(found, key=lambda way: (found[way][0], way))
            there, home = free[way]
            steps = found[way][1]
            room = (int((there if ahead else home)[a, b]) for a, b, ahead in steps)
            amount = min(missing, left[way], *room)
            for a, b, forward in steps:
                there[a, b] += -amount if forward else amount
                home[a, b] += amount if forward else -amount
                used[(b, a) if way == "up" else (a, b)] = True
            left[way] -= amount
            missing -= amount
        return used


def _best_turn(own: Bins, others: Bins, across: Bins, i: int) -> Bins:
    """Return for each entry of row `i` the widest way over another column and another row."""
    rows = np.delete(across, i, 0)
    turn = np.minimum(rows[:, :, None], others[:, None, :]).max(axis=0, initial=0)
    np.fill_diagonal(turn, 0)
    widest: Bins = np.minimum(turn, own).max(axis=1)
    return widest


Step = tuple[int, int, bool]
"""One entry of a path, and whether it is taken from row to column."""


def _cheapest(
    there: Bins, home: Bins, cost: Bins, start: int, end: int
) -> tuple[int, list[Step]] | None:
    """Return the cheapest path from row `start` to column `end`, what it costs and its steps."""
    onward = np.where(there > 0, cost, NO_WAY)
    return_ = np.where(home > 0, cost, NO_WAY)
    to_row = np.full(len(there), NO_WAY)
    to_row[start] = 0
    while True:
        to_column = np.minimum((to_row[:, None] + onward).min(axis=0), NO_WAY)
        nearer = np.minimum(to_row, (to_column + return_).min(axis=1))
        if (nearer == to_row).all():
            break
        to_row = nearer
    if to_column[end] >= NO_WAY:
        return None
    steps: list[Step] = []
    column = end
    while True:
        row = int((to_row + onward[:, column]).argmin())
        steps.append((row, column, True))
        if row == start:
            return int(to_column[end]), steps
        column = int((to_column + return_[row]).argmin())
        steps.append((row, column, False))


def line_order(cells: Bins) -> tuple[bool, Labels, Labels]:
    """Order the lines of a table so that the order they came in does not matter.

    With what is returned, ``(cells.T if flip else cells)[np.ix_(rows, columns)]`` is the same table
    for `cells` with lines permuted or exchanged. Lines are told apart by the counts they hold, then
    by where these lie among the lines told apart before (colour refinement). Of lines that are
    still alike but not equal, the one that then tells most is named first; where these are not
    alike by symmetry either (in a very regular table of 5 by 5 or more), the order may matter.
    """
    r, c = cells.shape
    if r > c:
        return (True, *_arranged(cells.T))
    upright = _arranged(cells)
    if r < c:
        return (False, *upright)
    flipped = _arranged(cells.T)
    one, other = cells[np.ix_(*upright)], cells.T[np.ix_(*flipped)]
    return (True, *flipped) if other.tolist() < one.tolist() else (False, *upright)


def _arranged(cells: Bins) -> tuple[Labels, Labels]:
    """Return an order of rows and columns that depends on what they hold alone."""
    codes = np.unique(cells, return_inverse=True)[1].reshape(cells.shape)

    def content(found: tuple[Labels, Labels]) -> tuple[list[int], list[int], bytes]:
        rows, columns = found
        held = _held(codes, columns)[np.argsort(rows, kind="stable")]
        return np.sort(rows).tolist(), np.sort(columns).tolist(), held.tobytes()

    colours = _refined(codes, *(np.zeros(lines, dtype=np.intp) for lines in cells.shape))
    while True:
        alike = _alike(codes, colours)
        if alike is None:
            rows, columns = (np.argsort(colour, kind="stable") for colour in colours)
            return rows, columns
        axis, members = alike
        tried = []
        for line in members:
            named = [2 * colour for colour in colours]
            named[axis][line] -= 1
            tried.append(_refined(codes, *named))
        colours = min(tried, key=content)


def _alike(codes: Labels, colours: tuple[Labels, Labels]) -> tuple[int, list[int]] | None:
    """Return the axis and lines of the first colour whose lines are not all equal, or None."""
    for axis, table in enumerate((codes, codes.T)):
        for colour in np.flatnonzero(np.bincount(colours[axis]) > 1):
            members = np.flatnonzero(colours[axis] == colour)
            first = np.unique(table[members], axis=0, return_index=True)[1]
            if len(first) > 1:
                return axis, members[first].tolist()
    return None


def _refined(codes: Labels, rows: Labels, columns: Labels) -> tuple[Labels, Labels]:
    """Return the colours of lines, split until none can be split by what its lines hold."""
    while True:
        kinds = len(np.unique(rows)) + len(np.unique(columns))
        rows = _ranked(rows, codes, columns)
        columns = _ranked(columns, codes.T, rows)
        if len(np.unique(rows)) + len(np.unique(columns)) == kinds:
            return rows, columns


def _held(codes: Labels, across: Labels) -> Labels:
    return np.sort(codes * (across.max() + 1) + across, axis=1)


def _ranked(own: Labels, codes: Labels, across: Labels) -> Labels:
    lines = np.column_stack([own, _held(codes, across)])
    return np.unique(lines, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)


SLACK = 1e-6


def check_table(counts: Bins, shown: Mask, k: int) -> None:
    """Work out again, as an attacker would, what is about to be shown of a cross-table.

    `counts` (r + 1, c + 1) are persons in each cell, margins last; those not `shown` are not looked
    at. BrokenPromiseError is raised if a count of 1 to k - 1 is shown, the shown counts do not add
    up, or they leave a hidden one a range narrower than k - 1.

    Solves linear programs over all tables of counts from 0 on that have the shown counts and add
    up; a table of counts is a flow in a network, so bounds of real numbers are those of whole
    numbers. One solution serves all cells; a cell's own two programs are left out where the
    solutions so far lie far enough apart.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[0, 0, 32], [0, 0, 49], [40, 41, 81]])
    >>> shown = np.array([[False, False, True], [False, False, True], [True, True, True]])
    >>> check_table(counts, shown, k=5)
    """
    if np.shape(counts) != np.shape(shown) or np.ndim(counts) != 2:
        raise BrokenPromiseError("counts and what is shown of them are no table, or of two shapes")
    seen = np.asarray(counts)[np.asarray(shown, dtype=np.bool_)]
    if ((seen != 0) & (seen < k)).any():
        raise BrokenPromiseError("a cell that stands on fewer than k persons is about to be shown")
    attack = _Attack.of(counts, shown)
    try:
        lows, highs = attack.ranges(enough=k - 1 - SLACK)
    except InputError:
        raise BrokenPromiseError("the counts about to be shown do not add up") from None
    if (highs - lows < k - 1 - SLACK).any():
        raise BrokenPromiseError("a hidden cell can be worked out from what is about to be shown")


def bounds(counts: Bins, shown: Mask) -> tuple[Floats, Floats]:
    """Return the least and the largest count (or inf) that each cell can have for an attacker.

    That one knows the shown counts and margins exactly and no more: that counts are at least 0 and
    add up. `counts` and `shown` are as in `check_table`; InputError is raised if they are no table,
    or no table of counts from 0 on has the shown ones.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[0, 0, 6], [0, 8, 20], [14, 12, 26]])
    >>> lows, highs = bounds(counts, np.array([[0, 0, 1], [0, 1, 1], [1, 1, 1]], dtype=bool))
    >>> lows[0].tolist(), highs[0].tolist()
    ([2.0, 4.0, 6.0], [2.0, 4.0, 6.0])
    """
    if np.shape(counts) != np.shape(shown) or np.ndim(counts) != 2 or min(np.shape(counts)) < 2:
        raise InputError("counts and shown must be tables with margins, of one shape")
    attack = _Attack.of(counts, shown)
    low, high = attack.ranges(enough=np.inf)
    lows = np.array(counts, dtype=np.float64)
    highs = lows.copy()
    lows[~attack.shown], highs[~attack.shown] = low, high
    return lows, highs


@dataclass(frozen=True, eq=False)
class _Attack:
    """All tables that agree with what is shown: ``matrix @ hidden == total``, from 0 on."""

    shown: Mask
    sign: Floats
    rows: Labels
    columns: Labels
    total: Floats
    ceiling: float

    @classmethod
    def of(cls, counts: Bins, shown: Mask) -> _Attack:
        known = np.asarray(shown, dtype=np.bool_)
        sign = np.ones(known.shape)
        sign[-1, :-1] = sign[:-1, -1] = -1.0
        seen = np.where(known, sign * counts, 0.0)
        rows, columns = np.nonzero(~known)
        total = -np.concatenate([seen.sum(axis=1), seen.sum(axis=0)])
        # No corner of what is possible lies beyond the sum of all totals, half of this: a count
        # that can be larger has no end.
        ceiling = 2.0 * float(np.abs(total).sum()) + 2.0
        return cls(known, sign[rows, columns], rows, columns, total, ceiling)

    def ranges(self, enough: float) -> tuple[Floats, Floats]:
        """Return bounds of each hidden count: exact, or at least `enough` apart."""
        n = len(self.sign)
        solution = self._extreme(np.zeros(n))
        low, high = solution.copy(), solution.copy()

        def solve(weights: Floats, most: Floats | None = None) -> None:
            solution = self._extreme(weights, most)
            np.minimum(low, solution, out=low)
            np.maximum(high, solution, out=high)

        narrow = high - low < enough
        before = n + 1
        while np.isfinite(enough) and 0 < narrow.sum() < before:
            before = int(narrow.sum())
            # Many at once: each as far up as is enough, and what holds more than that down.
            rising = narrow & (low < enough)
            # Weights differ, for a sum of all would be a total, and the same whatever they are.
            weights = np.where(rising, -1.0 - np.arange(n) / n, 1.0)
            solve(weights, np.where(rising, np.ceil(low + enough), self.ceiling))
            narrow = high - low < enough
        most = self._most()
        for entry in np.flatnonzero(narrow):
            weights = np.zeros(n)
            for sign, done in ((-1.0, high >= most - SLACK), (1.0, low <= SLACK)):
                if high[entry] - low[entry] < enough and not done[entry]:
                    weights[entry] = sign
                    solve(weights)
        high[high > self.ceiling / 2] = np.inf
        return np.round(low), np.round(high)

    def _extreme(self, weights: Floats, most: Floats | None = None) -> Floats:
        """Return the hidden counts, none above `most`, whose weighted sum is least."""
        from scipy.optimize import linprog

        n = len(weights)
        matrix, held = self._sums
        if self.total[~held].any():
            raise InputError("the shown counts do not add up")
        if n == 0:
            return np.zeros(0)
        upper = np.full(n, self.ceiling) if most is None else most
        found = linprog(
            weights,
            A_eq=matrix,
            b_eq=self.total[held],
            bounds=np.column_stack([np.zeros(n), upper]),
            method="highs-ds",
        )
        if found.status == 2:
            raise InputError("the shown counts do not add up to those of any table")
        if found.status != 0:
            raise BrokenPromiseError("the bounds of the hidden counts could not be worked out")
        return np.asarray(found.x, dtype=np.float64)

    @cached_property
    def _sums(self) -> tuple[Any, Mask]:
        """The matrix of what adds up to the totals, and which lines hold a hidden count."""
        from scipy.sparse import csr_array

        n, (r, c) = len(self.sign), self.shown.shape
        lines = np.concatenate([self.rows, r + self.columns])
        places = np.concatenate([np.arange(n), np.arange(n)])
        matrix = csr_array((np.tile(self.sign, 2), (lines, places)), shape=(r + c, n))
        held = np.bincount(lines, minlength=r + c) > 0
        return matrix[np.flatnonzero(held)], held

    def _most(self) -> Floats:
        """Return a bound from above of each hidden count, from its row and column alone."""
        most = np.full(len(self.sign), self.ceiling)
        r = len(self.shown)
        for lines, totals in ((self.rows, self.total[:r]), (self.columns, self.total[r:])):
            ups = np.bincount(lines, self.sign > 0, minlength=len(totals))
            all_alike = (ups == 0) | (ups == np.bincount(lines, minlength=len(totals)))
            most = np.where(all_alike[lines], np.minimum(most, np.abs(totals)[lines]), most)
        return most
