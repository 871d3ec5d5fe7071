"""Means of the raw table by levels: by the rules of output checking, one set of cells a version."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from discreet.errors import DiscreetError, LeavingError, RefusedError, one_of
from discreet.lines import Lines
from discreet.measure.copy_table import CopyTable, Line
from discreet.measure.described import UNKNOWN, number_words
from discreet.measure.figures import Figure, Group
from discreet.plots.bars import BARS
from discreet.plots.by_level import Levels, check_few, levels_of
from discreet.plots.counts import ends_of_table, too_few
from discreet.plots.crosstab import CROSSTAB, HIDDEN
from discreet.plots.histogram import HISTOGRAM
from discreet.plots.request import COUNTS, PlotRequest
from discreet.policy import Policy
from discreet.protect.cell_means import (
    DOMINANCE,
    MOST_MEANS,
    P_PERCENT,
    CellMeans,
    GuardedMeans,
)
from discreet.provenance import Provenance
from discreet.study.derived import DerivedCopy, OfCopy
from discreet.study.gate import with_provenance
from discreet.study.provenance import FIGURES
from discreet.study.session import Session, remarks_of

__all__ = ["COUNTED_MEANS", "MEANS_OF", "check_cells", "count_means", "settle_means"]

COUNTED_MEANS = "counted means"
MEANS_OF = "means of "
"""How the choice of a column's cells is named in the ledger."""
HEAD = ("n", "mean", "rounded to", "sum")
ALL = "all"
DIGITS_OF_SUM = 3
COARSEST = 0.25
"""Of the width of the axis: a mean that is rounded to more says nothing."""
OR_ELSE = "take means of the copy (source='copy')"


@dataclass(frozen=True)
class _Cells:
    """The cells of a table of means: what they are of, and what of them may be shown.

    A mean that is rounded to more than the `coarsest` says nothing, and so it is not shown.
    """

    value: str
    by: tuple[str, ...]
    levels: Mapping[str, Levels]
    means: GuardedMeans
    coarsest: float


def settle_means(session: OfCopy, value: str, by: tuple[str, ...]) -> tuple[Session, PlotRequest]:
    """Say how means will be counted and of which study, or refuse it, whatever the records are."""
    if isinstance(session, DerivedCopy):
        raise RefusedError(
            "means of counts are of the whole study, for the difference of two parts would give"
            " persons away; of a part, or with new columns, they are of the copy: leave source out"
            " (or source='copy'), or ask the whole study by the levels you want",
            parameter="source",
            rule="part",
        )
    if not session.policy.fixed:
        raise RefusedError(
            "means of counts are by the rules of a guarded policy; open the study with one"
            " (policy='standard')",
            parameter="source",
            rule="policy",
        )
    _settled(session, BARS.name if len(by) == 1 else CROSSTAB.name, by, "by")
    settled = _settled(session, HISTOGRAM.name, (value,), "value")
    return session, replace(
        settled, plot=COUNTED_MEANS, columns=(value, *by), method=CellMeans.name, source=COUNTS
    )


def _settled(session: Session, plot: str, columns: tuple[str, ...], parameter: str) -> PlotRequest:
    """Settle counts of columns, which were named as a parameter."""
    try:
        return session.settle(plot, columns, source=COUNTS)
    except DiscreetError as error:
        if error.parameter in (None, "columns"):
            error.parameter = parameter
        raise


def count_means(session: Session, request: PlotRequest) -> CopyTable:
    """Count the means that were settled."""
    cells = _counted(session, request)
    value, by = cells.value, cells.by
    lines, figures = _lines(cells)
    name = "" if session.name is None else f" in {session.name}"
    return CopyTable(
        COUNTED_MEANS,
        f"Means of {session.labels.get(value, value)}{name}"
        f" by {' and '.join(session.labels.get(it, it) for it in by)}",
        (by[0], by[-1]),
        HEAD,
        lines,
        _notes(session, request, cells),
        figures,
        partial(_release, session, request),
        sealer=session.sealer({FIGURES: COUNTED_MEANS, "columns": [value], "by": [*by]}, COUNTS),
        framework=session.table.framework,
    )


# --- what may be shown ---------------------------------------------------------------------------


def _counted(session: Session, request: PlotRequest) -> _Cells:
    table, policy = session.table, session.policy
    value, *by = request.columns
    if table.persons_repeat():
        raise RefusedError(
            "some person has several rows, of which a mean would be made; make one row a person"
            f" first, or {OR_ELSE}"
        )
    # One order of the two for both ways to ask: two answers would give cells back.
    ordered = sorted(by)
    levels = {name: levels_of(table, name, request) for name in ordered}
    check_few(levels.values(), MOST_MEANS, *ordered)
    if not request.shows_exact and not table.has_numbers(value, request.least_persons):
        raise too_few(request)
    axis = ends_of_table(table, request, value)
    ends, method = (axis.low, axis.high), CellMeans(request.k, _step(policy), *_rules(policy))
    places = {name: levels[name].places for name in ordered}
    found = table.magnitudes(value, places, ends, method.most)
    least, most = policy.bounds.get(value, (-math.inf, math.inf))
    if all(
        it.size == 0 or it.lows[0] >= 0 for it in found.cells
    ):  # as everybody knows of weights, counts and incomes
        least = max(least, 0.0)
    try:
        means = method.guarded(found, ends, (least, most))
    except RefusedError:
        raise RefusedError(
            f"the means of {value!r} by {one_of(by)} are of too few persons, or of such as would"
            f" be given away, to show any of them; name another column to part them by, or"
            f" {OR_ELSE}"
        ) from None
    if ordered != by:
        means = GuardedMeans(means.counts.T, means.means.T, means.units.T, means.shown.T)
    return _Cells(value, tuple(by), levels, means, COARSEST * (axis.high - axis.low))


def _step(policy: Policy) -> int:
    """Return what persons are rounded to: no finer than k.

    Means of two columns may hide other cells of the same persons; what each shows leaves a
    hidden count k values then, too.
    """
    return -(-policy.k // policy.count_step) * policy.count_step


def _rules(policy: Policy) -> tuple[tuple[tuple[int, float], ...], float]:
    given = policy.dominance or DOMINANCE
    return tuple((n, float(it)) for n, it in given), float(policy.p_percent or P_PERCENT)


# --- what is said of them ------------------------------------------------------------------------


def _lines(cells: _Cells) -> tuple[tuple[Line, ...], tuple[Figure, ...]]:
    """Return each cell as a line, and as figures."""
    first, *others = cells.by
    lines: list[Line] = []
    figures: list[Figure] = []
    for i, outer in enumerate(_parts(cells, first)):
        inner_parts = _parts(cells, others[0]) if others else [((), "")]
        for j, (group, name) in enumerate(inner_parts):
            known = _known(cells, i, j)
            section = f"{first}: {outer[1]}" if outer[0] else outer[1]
            place = (section, name) if others else ("", outer[1])
            lines.append(Line(*place, _words(*known)))
            figures += [
                Figure(cells.value, None, outer[0] + group, figure, number)
                for figure, number in zip(("n", "mean", "rounded to", "sum"), known, strict=True)
            ]
    return tuple(lines), tuple(figures)


def _parts(cells: _Cells, name: str) -> list[tuple[Group, str]]:
    """Return each level of a column, and all of them, as a group and by name."""
    levels = cells.levels[name]
    missing = levels.places.get("")
    alone = missing is not None and [*levels.places.values()].count(missing) == 1
    groups: list[tuple[Group, str]] = [
        (((name, None if alone and i == missing else level),), level)
        for i, level in enumerate(levels.names)
    ]
    return [*groups, ((), ALL)]


def _known(cells: _Cells, i: int, j: int) -> tuple[float | None, ...]:
    """Return how many, their mean, its unit and their sum; None of what is not shown."""
    means = cells.means
    if not means.shown[i, j]:
        return None, None, None, None
    n, mean, unit = int(means.counts[i, j]), float(means.means[i, j]), float(means.units[i, j])
    if unit > cells.coarsest:
        return n, None, unit, None
    # Of what is shown alone: a sum counted by itself would give n, and the mean, more exactly.
    return n, mean, unit, n * mean


def _words(
    n: float | None, mean: float | None, unit: float | None, total: float | None
) -> tuple[str, ...]:
    if n is None or unit is None:
        return (HIDDEN,) * len(HEAD)
    decimals = max(0, -math.floor(math.log10(unit)))
    if total is not None:
        total = float(f"{total:.{DIGITS_OF_SUM}g}")
    of_sum = decimals if total is None or abs(total) < 100 else 0
    return (
        f"{n:,.0f}",
        number_words(mean, decimals),
        number_words(unit, decimals),
        number_words(total, of_sum),
    )


def _notes(session: Session, request: PlotRequest, cells: _Cells) -> tuple[str, ...]:
    """Say what the table is of, and how exact it is."""
    policy, value = session.policy, request.columns[0]
    whose = "rows, each taken as a person," if session.table.unit is None else "persons"
    said = [
        f"counts of the data, policy {policy.name} (k = {policy.k}): {whose} with a {value}, how"
        f" many rounded to {_step(policy)}; each mean is rounded to the number beside it, and"
        " sums are n times the mean, both as shown",
    ]
    if not cells.means.shown.all():
        said.append(
            f"{HIDDEN} too few persons, few who have most of it, nearly all with one value, a value"
            " far beyond the others, or hidden so that sums do not give others back"
        )
    if (cells.means.units > cells.coarsest).any():
        said.append(f"{UNKNOWN} a mean that is rounded to so much that it says nothing")
    said += remarks_of(session.table, policy, None, request)
    if policy.public:
        said.append("the data are declared public: what is released is not recorded")
    return tuple(said)


# --- what is released ----------------------------------------------------------------------------


def _release(
    session: Session,
    request: PlotRequest,
    form: str,
    provenance: Provenance | None = None,
    lines: Lines | None = None,
) -> None:
    """Record that the means are released; refuse other cells of a column than those before."""
    gate, value = session.release_gate, request.columns[0]
    pins = _pins(session, request)
    _check(session, request, pins)
    try:
        record = gate.record(request, form=form, pinned=pins)
        gate.release([with_provenance(record, provenance, lines)])
    except LeavingError as error:
        if error.what not in pins:
            raise
        raise _in_two_sets(value, "of the same data in other cells") from None


def check_cells(session: Session, request: PlotRequest) -> None:
    """Refuse other cells of a column than were released before, whatever would be counted."""
    _check(session, request, _pins(session, request))


def _check(session: Session, request: PlotRequest, pins: Mapping[str, str]) -> None:
    value, *by = request.columns
    named, *others = pins
    known = session.release_gate.ledger.choices(session.name, MEANS_OF)
    before = known.get(named, pins[named])
    if before != pins[named]:
        cells = json.loads(before)["by"]
        same = "by another rule of the policy" if cells == sorted(by) else f"by {one_of(cells)}"
        raise _in_two_sets(value, same)
    if any(known.get(what, pins[what]) != pins[what] for what in others):
        raise _in_two_sets(value, "in other cells")


def _pins(session: Session, request: PlotRequest) -> dict[str, str]:
    """Say what must be the same whenever means of a column are released: its one set of cells.

    First by the names of the columns, then by what they hold, which is the same under other names:
    which persons are in a cell no name and no count of a level says.
    """
    value, *by = request.columns
    rules = _rules(session.policy)
    pins = {_named(value): json.dumps({"by": sorted(by), "rules": rules})}
    if session.policy.public:  # nothing is recorded
        return pins
    mark, rows = session.release_gate.marks_of(value, by)
    return pins | {f"{MEANS_OF}{mark}": json.dumps({"rows": rows, "rules": rules})}


def _named(value: str) -> str:
    return f"{MEANS_OF}{value!r}"


def _in_two_sets(value: str, before: str) -> LeavingError:
    return LeavingError(
        f"the means of {value!r} were released before {before}, and two sets of cells together"
        f" give persons away; draw those, or {OR_ELSE}",
        _named(value),  # never by what it holds: that is keyed, and nobody's to see
    )
