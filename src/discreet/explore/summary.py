"""Tables of figures of the copy of the whole table: post-processing, with where they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from discreet.errors import InputError, about
from discreet.estimates.copy_table import CopyTable, Line
from discreet.estimates.figures import OF_INTERVAL, OF_SHARE
from discreet.estimates.intervals import OwnErrors
from discreet.estimates.tables import (
    MOST_LEVELS,
    RowsToDescribe,
    TableBody,
    means_by_group,
    means_of,
    ratios_by_group,
    ratios_of,
    shares_by_group,
    shares_of,
    summary_of,
)
from discreet.explore.columns import check_divisor, columns_of_table
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import WholeTable
from discreet.explore.notes import FIGURES, check_copied
from discreet.explore.own_errors import columns_of_copy, differences, own_errors, said_of_own
from discreet.explore.weights import weighed
from discreet.expressions.tree import quoted
from discreet.plots.survival import event_of
from discreet.plots.view import PUBLIC

SUMMARY, MEANS = "summary", "means"
MOST_BY = 2
MOST_NAMED = 3
"""So many groups of few rows are named; of more it is said how many they are."""
SUMS_ARE, WEIGHTED_SUMS_ARE = "sums are of these rows", "sums are weighted totals"
BY_T, BY_T_OF_WEIGHTED = "of the mean, by t", "of the weighted mean, by linearisation and t"
OF_RATIOS = "of the ratio, by linearisation and t"
WILSONS, OF_BOTH = "Wilson's, widened", "of the mean by t, of shares (in to_frame()) Wilson's"
BY_PERSONS = ", clustered by person"
COUNTED = (
    "numbers of rows, of missing values and their share are unweighted; all other figures are "
    "weighted, except ranges"
)
FEW = 50
"""Figures of fewer rows of the copy are rough."""


class Value(NamedTuple):
    """What is averaged: a column of numbers, or a level of one of levels, which is counted.

    Of a ratio its sum is divided by that of `per`.
    """

    column: str
    level: str | None
    per: str | None = None

    @property
    def figures(self) -> tuple[Callable[..., TableBody], Callable[..., dict[object, float]]]:
        """What makes the table, and the same figures of a copy of the copy."""
        if self.per is not None:
            return ratios_of, ratios_by_group
        return (means_of, means_by_group) if self.level is None else (shares_of, shares_by_group)

    @property
    def named(self) -> tuple[str | None, ...]:
        """What both of these are given of it."""
        if self.per is not None:
            return tuple(self)
        return (self.column,) if self.level is None else (self.column, self.level)


def summarise(
    session: DerivedCopy,
    columns: Sequence[str] | None = None,
    by: str | None = None,
    weights: str | None = None,
) -> CopyTable:
    """Describe columns of the copy, in all and by the levels of another one."""
    check_copied(session.policy)
    with about("columns"):
        wanted = columns_of_table(session, columns)
        if by is not None and by in (columns or ()):
            raise InputError(f"column {by!r} cannot be described by its own levels; name others")
    levels = () if by is None else (by,)
    rows, said = _rows_of(session, levels, weights)
    unasked = {by, weights} if columns is None else {by}
    wanted = tuple(name for name in wanted if name not in unasked)
    if not wanted:
        raise InputError("by= leaves no column to describe; name others in columns=")
    own = own_errors(session, lambda it: _described_again(session, it, wanted, by, weights))
    table = summary_of(rows, wanted, by, own)
    said = (*differences(session, wanted, levels), *said)
    names = (*wanted, *levels, *([] if weights is None else [weights]))
    notes = [*said, *_notes(session, names, len(rows), table.sizes)]
    notes += [] if weights is None else [COUNTED]
    notes.append(_intervals_are(OF_BOTH, own, rows))
    shown = session.labels
    return CopyTable(
        SUMMARY,
        _title("Summary of", "Summary", session, levels, weights),
        ("column", "figure"),
        table.head,
        tuple(it._replace(section=shown.get(it.section, it.section)) for it in table.lines),
        (*notes, *_left_out(session, columns)),
        table.figures,
        gate=session.gate_of_copy(SUMMARY, tuple(dict.fromkeys(names))),
        sealer=session.sealer_of_copy(
            {FIGURES: SUMMARY, "columns": [*wanted], "by": by, "weights": weights}
        ),
        framework=session.table.framework,
    )


def average(
    session: DerivedCopy,
    value: str,
    by: str | Sequence[str],
    weights: str | None = None,
    per: str | None = None,
) -> CopyTable:
    """Average a column of the copy by the levels of one or two others, or divide its sums."""
    levels = _levels_of_means(value, by)
    check_copied(session.policy)
    of = Value(value, _check_averaged(session, value), per)
    if per is not None:
        _check_per(session, per, (value, *levels))
    rows, said = _rows_of(session, levels, weights)
    own = own_errors(session, lambda it: _means_again(session, it, of, levels, weights))
    table = of.figures[0](rows, *of.named, levels, own)
    compared = differences(session, [value], levels) if per is None else ()
    optional = [it for it in (per, weights) if it is not None]
    names = tuple(dict.fromkeys((value, *levels, *optional)))
    intervals = _intervals_are(_kind_of_interval(of, weights), own, rows)
    if of.level is None or per is not None:
        intervals += f"; {SUMS_ARE if weights is None else WEIGHTED_SUMS_ARE}"
    what = _averages_of(session, of)
    return CopyTable(
        MEANS,
        _title(f"{what} in", what, session, levels, weights),
        (levels[0], levels[-1]),
        table.head,
        tuple(_in_section_of(levels[0], it, session.labels) for it in table.lines),
        (*compared, *said, *_notes(session, names, len(rows), table.sizes), intervals),
        table.figures,
        gate=session.gate_of_copy(MEANS, names),
        labels={it: session.labels[it] for it in names if it in session.labels},
        sealer=session.sealer_of_copy(
            {FIGURES: MEANS, "columns": [value], "by": [*levels], "weights": weights, "per": per}
        ),
        framework=session.table.framework,
        orders={it: session.whole.with_levels([it]).levels_of(it) for it in levels[1:]},
    )


def _averages_of(session: DerivedCopy, of: Value) -> str:
    shown = session.labels.get(of.column, of.column)
    level = "" if of.level is None else f" = {of.level}"
    if of.per is not None:
        return f"{shown}{level} per {session.labels.get(of.per, of.per)}"
    return f"Share of {shown}{level}" if level else f"Means of {shown}"


def _kind_of_interval(of: Value, weights: str | None) -> str:
    if of.per is not None:
        return OF_RATIOS
    if of.level is not None:
        return WILSONS
    return BY_T if weights is None else BY_T_OF_WEIGHTED


def _levels_of_means(value: str, by: str | Sequence[str]) -> tuple[str, ...]:
    levels = (by,) if isinstance(by, str) else tuple(by)
    if not 1 <= len(set(levels)) == len(levels) <= MOST_BY or value in levels:
        raise InputError(
            "means are of one column by the levels of one or two others; name those:"
            " study.means('bmi', ['sex', 'smoker'])",
            parameter="by",
        )
    return levels


def _check_averaged(session: DerivedCopy, value: str) -> str | None:
    """Refuse a column that has no mean, and name what there is of it.

    Of a column of yes and no, or of 0 and 1, it is the level whose share is its mean.
    """
    with about("value"):
        columns_of_table(session, [value])
        if value in session.dates:
            raise InputError(
                f"column {value!r} holds dates and cannot be averaged; study.summary() has its "
                "median and range"
            )
        whole = session.whole
        if value in whole.copy.columns:
            return None
        try:
            return event_of(whole.levels_of(value), None, value)[0]
        except InputError:
            raise InputError(
                f"column {value!r} holds levels and cannot be averaged; study.summary() has the "
                "share of each level, and a column of yes and no has one by other columns: "
                f"study.assign(new=\"{quoted(value)} == '...'\") makes it"
            ) from None


def _check_per(session: DerivedCopy, per: str, others: Sequence[str]) -> None:
    """Refuse a column whose sum nothing can be divided by."""
    with about("per"):
        columns_of_table(session, [per])
        if per in others:
            raise InputError(f"column {per!r} is named twice; per= takes another one of numbers")
        if per not in session.whole.copy.columns or per in session.dates:
            raise InputError(
                f"column {per!r} is not one of numbers; per= takes one by whose sum another is"
                " divided, such as years at risk"
            )
        check_divisor(per, float(np.nanmin(session.whole.copy.columns[per], initial=0.0)))


def _rows_of(
    session: DerivedCopy, levels: Sequence[str], weights: str | None
) -> tuple[RowsToDescribe, tuple[str, ...]]:
    """Return the rows of the copy, with some columns as levels, and what is said of weights.

    Where there are weights, they are the rows that have one.
    """
    with about("by"):
        if levels:
            columns_of_table(session, levels)
        whole = session.whole.with_levels(levels)
        for name in levels:
            # A column of numbers of many values would mostly stand together as others.
            coded, words = name in session.whole.copy.columns, whole.copy.strata
            if name not in words or (coded and len(whole.levels_of(name)) > MOST_LEVELS):
                raise InputError(_how_to_group(session, name))
    if weights is not None:
        _check_weights(session, levels, weights)
    return _rows_in(session, whole, weights)


def _rows_in(
    session: DerivedCopy, whole: WholeTable, weights: str | None
) -> tuple[RowsToDescribe, tuple[str, ...]]:
    values, said = None, tuple[str, ...]()
    if weights is not None:
        weighted = weighed(whole.copy, whole.raw, weights)
        whole, values, said = whole.rows(weighted.places), weighted.weights, (weighted.said,)
    copy, ordered = whole.copy, whole.orders
    return (
        RowsToDescribe(copy.columns, copy.strata, session.dates, ordered, values, whole.persons),
        said,
    )


def _means_again(
    session: DerivedCopy,
    table: WholeTable,
    value: Value,
    levels: Sequence[str],
    weights: str | None,
) -> dict[object, float]:
    """Return the means, shares or ratios of a copy of the copy."""
    numbers = [it for it in (value.per, weights) if it is not None]
    numbers += [value.column] if value.level is None else []
    words = [*levels, *([] if value.level is None else [value.column])]
    rows, _ = _rows_in(session, columns_of_copy(table, numbers, words), weights)
    return value.figures[1](rows, *value.named, levels)


def _described_again(
    session: DerivedCopy,
    table: WholeTable,
    columns: Sequence[str],
    by: str | None,
    weights: str | None,
) -> dict[object, float]:
    """Return the means and shares of a copy of the copy, of the columns that it has."""
    of = columns_of_copy(table, [] if weights is None else [weights], [by])
    there = {*of.copy.columns, *of.copy.strata}
    rows = _rows_in(session, of, weights)[0]
    figures = summary_of(rows, [name for name in columns if name in there], by).figures
    return {
        (it.column, it.level, it.group): it.value
        for it in figures
        if it.figure in (OF_INTERVAL[1], OF_SHARE[1]) and isinstance(it.value, float)
    }


def _intervals_are(what: str, own: OwnErrors, rows: RowsToDescribe) -> str:
    """Say what intervals are, and that they hold the copy's own error, where it is known."""
    by_persons = "" if rows.persons is None else BY_PERSONS
    return f"intervals: {said_of_own(own)}; {what}{by_persons}"


def _how_to_group(session: DerivedCopy, name: str) -> str:
    """Say why a column of numbers or dates makes no groups, and how they are made of it."""
    named = quoted(name)
    if name in session.dates:
        made = f"year({named})"
    else:
        values = session.whole.copy.columns[name]
        known = values[np.isfinite(values)]
        cuts = dict.fromkeys(f"{it:.2g}" for it in np.quantile(known, (1 / 3, 2 / 3)))
        made = f"cut({named}, {', '.join(cuts)})"
    return (
        f"by={name!r} is a column of numbers or dates, and by= takes one of levels, or of codes of"
        f' at most {MOST_LEVELS} values; make groups of it: study.assign(group="{made}"), then'
        " by='group'"
    )


def _check_weights(session: DerivedCopy, levels: Sequence[str], weights: str) -> None:
    with about("weights"):
        columns_of_table(session, [weights])
        if weights in levels:
            raise InputError(f"column {weights!r} cannot be both by= and weights=; leave one out")


def _title(
    of_study: str, without: str, session: DerivedCopy, by: Sequence[str], weights: str | None = None
) -> str:
    what = without if session.name is None else f"{of_study} {session.name}"
    names = [session.labels.get(name, name) for name in by]
    parted = " by ".join([what, *([" and ".join(names)] if by else [])])
    weighted = session.labels.get(weights or "", weights)
    return parted if weights is None else f"{parted}, weighted by {weighted}"


def _in_section_of(name: str, line: Line, labels: Mapping[str, str]) -> Line:
    """Return a line of a section that begins with the name of a column, with its label."""
    before = f"{name}: "
    if name not in labels or not line.section.startswith(before):
        return line
    return line._replace(section=f"{labels[name]}: {line.section.removeprefix(before)}")


def _notes(
    session: DerivedCopy, names: Sequence[str], rows: int, sizes: Sequence[tuple[str, int]]
) -> tuple[str, ...]:
    """Say what a table is of, and how near it is."""
    policy, copy = session.policy, session.whole.copy
    said = [
        f"of {rows:,} rows of the protected copy {copy.version} (k = {policy.k}, m = "
        f"{policy.members}), policy {policy.name}; its number of rows is not the number of "
        "people"
    ]
    said += session.remarks_of_copy(names)
    few = [name for name, size in sizes if 0 < size < FEW]
    if few:
        which = (
            " and ".join(few) if len(few) <= MOST_NAMED else f"{len(few)} of {len(sizes)} groups"
        )
        said.append(f"rough, with fewer than {FEW} rows: {which}")
    if policy.public:
        said.append(PUBLIC)
    return tuple(said)


def _left_out(session: DerivedCopy, columns: Sequence[str] | None) -> tuple[str, ...]:
    whole = session.whole
    if columns is not None:
        return ()
    withheld = f"withheld, as the copy is too far off in them: {', '.join(whole.withheld)}"
    return (*whole.copy.remarks, *([withheld] if whole.withheld else []))
