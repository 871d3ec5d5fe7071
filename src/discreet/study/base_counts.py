"""The counts that belong to a copy of the whole table: which there are, and which are held back.

Where the policy rounds them, all of them are given. Where it does not, they are checked together,
from the data and the policy alone: which of them are given hangs on nothing that was asked before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from discreet.errors import InputError, RefusedError, one_of
from discreet.plots.bars import BARS
from discreet.plots.counts import count_cells
from discreet.plots.crosstab import CROSSTAB, guarded_pairs, levels_of_pair
from discreet.plots.histogram import HISTOGRAM
from discreet.plots.request import COUNTS, PlotRequest
from discreet.policy import Policy, resolve
from discreet.protect import Merge, Whole
from discreet.protect.linked import LinkedTable, bins_give_away, in_circles, tables_give_away
from discreet.table import Table

__all__ = ["BASE_PLOTS", "BASE_TABLE", "BaseCounts", "check_further", "check_listed", "is_listed"]

BASE_PLOTS = (HISTOGRAM.name, BARS.name)
"""Plots of one column that are counted with a copy of the whole table, of every column of it."""
BASE_TABLE = CROSSTAB.name
"""The plot of two columns that is counted with it where the policy lists them."""

Pair = tuple[str, str]


def is_listed(policy: Policy, columns: Sequence[str]) -> bool:
    """Whether two columns are a table that the policy lists, in either order."""
    return any({*columns} == {*pair} for pair in policy.tables or ())


def check_listed(policy: Policy) -> None:
    """Refuse listed tables where there is no copy that they could be counted with."""
    if policy.tables and policy.rows_by != Whole.name:
        raise InputError(
            "tables of the policy are counted with a copy of the whole table; leave them out, or"
            " make one (rows = 'whole', without groups and strata)"
        )


@dataclass(frozen=True, repr=False)
class BaseCounts:
    """Those counts of a table under a policy that give a hidden cell away beside the others."""

    table: Table
    policy: Policy

    def held_back(self, request: PlotRequest) -> bool:
        """Whether counts are held back: a histogram, or a listed table or its cells as bars.

        How many persons there are is taken to be known, and how many of them have a value in each
        column: so two histograms tell nothing of each other, and nothing of tables.
        """
        if self.policy.round_to > 1 or request.from_rows:
            return False
        if request.plot == HISTOGRAM.name and request.by is None:
            return self._shows_a_bin(request)
        pair = request.named
        if request.plot not in (*BASE_PLOTS, BASE_TABLE) or not is_listed(self.policy, pair):
            return False
        return frozenset(pair) in self.tables_held_back

    def _shows_a_bin(self, request: PlotRequest) -> bool:
        """Whether the hidden bins of a histogram follow from those it shows."""
        if request.method == Merge.name:
            return False  # which hides none: who lies in a gap is counted beside it
        counted, guarded, _ = count_cells(self.table, request, request.bins)
        shown = guarded.shown & ((counted.counts > 0) | request.show_empty)
        return bins_give_away(counted.counts, shown, request.k, show_empty=request.show_empty)

    @cached_property
    def tables_held_back(self) -> frozenset[frozenset[str]]:
        """The listed tables that give a hidden cell away beside those listed before them.

        Of a column all levels are known from its bar chart, and so all sums of lines.
        """
        given: dict[Pair, LinkedTable] = {}
        held: set[frozenset[str]] = set()
        listed = [tuple(sorted(pair)) for pair in self.policy.tables or ()]
        for a, b in dict.fromkeys(listed):
            found = self._counted((a, b))
            if found is None:
                continue
            beside = {**given, (a, b): found}
            if tables_give_away(
                [beside[it] for it in in_circles([*beside], (a, b))], self.policy.k
            ):
                held.add(frozenset((a, b)))
            else:
                given = beside
        return frozenset(held)

    def _counted(self, pair: Pair) -> LinkedTable | None:
        """Return a listed table as it would be shown; None where it is refused."""
        try:
            request = resolve(self.policy, self.table, BASE_TABLE, pair)
            counts, shown = guarded_pairs(self.table, request, levels_of_pair(self.table, request))
        except RefusedError:
            return None
        cells = shown[:-1, :-1] & ((counts > 0) | request.show_empty)
        return LinkedTable(pair, counts, cells)


def check_further(base: BaseCounts, request: PlotRequest) -> None:
    """Refuse further counts that are held back among the base counts."""
    if request.source == COUNTS and base.held_back(request):
        raise RefusedError(
            f"these counts of {one_of(request.named)} beside the base counts of this study would"
            " give a cell of fewer than k persons away; draw from the copy (source='copy')"
        )
