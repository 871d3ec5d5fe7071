"""Counts asked for beside a copy of the whole table: which are refused for what they show alone."""

from __future__ import annotations

from discreet.errors import RefusedError, one_of
from discreet.plots.counts import count_cells
from discreet.plots.histogram import HISTOGRAM
from discreet.plots.request import COUNTS, PlotRequest
from discreet.policy import Policy
from discreet.protect import Merge
from discreet.protect.counts import bins_give_away
from discreet.table import Table

__all__ = ["check_further"]


def check_further(table: Table, policy: Policy, request: PlotRequest) -> None:
    """Refuse a histogram of unrounded counts whose hidden bins follow from those it shows.

    How many persons have a value is taken to be known.
    """
    alone = request.plot == HISTOGRAM.name and request.by is None and not request.from_rows
    if request.source != COUNTS or policy.round_to > 1 or not alone:
        return
    if request.method == Merge.name:
        return  # which hides none: who lies in a gap is counted beside it
    counted, guarded, _ = count_cells(table, request, request.bins)
    shown = guarded.shown & ((counted.counts > 0) | request.show_empty)
    if bins_give_away(counted.counts, shown, request.k, show_empty=request.show_empty):
        raise RefusedError(
            f"the bins of {one_of(request.named)} together would give one of fewer than k persons"
            " away; draw from the copy (source='copy')"
        )
