"""The columns of a study: figures of the copy of the whole table, else what kind each is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from discreet.columns import KINDS, Column
from discreet.columns.dates import DATE, declare_hint
from discreet.estimates.column_list import ColumnFacts, ColumnList, facts_of
from discreet.estimates.described import RowsToDescribe
from discreet.estimates.units import unit_in
from discreet.explore.derived import DerivedCopy
from discreet.explore.provenance import FIGURES

COLUMNS = "columns"
KIND_OF: Mapping[str, str] = {KINDS[0]: "number", KINDS[1]: "level", DATE: "date"}


def columns_of(session: DerivedCopy) -> ColumnList:
    """Return what is known of each column, new ones last."""
    whole = session.whole
    copy = whole.copy
    rows = RowsToDescribe(copy.columns, copy.strata, session.dates, whole.orders)
    held = {*copy.columns, *copy.strata}
    figures = tuple(
        facts_of(rows, name) if name in held else _kind_of(column)
        for name, column in whole.raw.items()
    )
    notes = (
        f"of {len(rows):,} rows of the protected copy {copy.version}, policy"
        f" {session.policy.name}; how many rows it has is not how many persons there are",
        *session.remarks_of_copy(sorted(held)),
        *copy.remarks,
        *_readings(whole.raw),
    )
    names = [it.name for it in figures if it.in_copy]
    figures = _labelled(figures, session)
    gate, sealer = session.gate_of_copy(COLUMNS, names), session.sealer_of_copy({FIGURES: COLUMNS})
    return ColumnList(_title(session), figures, notes, gate, sealer)


def _readings(columns: Mapping[str, Column]) -> Iterator[str]:
    """Say which columns of text may be dates, and how to say which they are."""
    for name, column in columns.items():
        if column.readings:
            yield f"{name} is text, and {declare_hint(name, column.readings)}"


def _labelled(figures: Sequence[ColumnFacts], session: DerivedCopy) -> tuple[ColumnFacts, ...]:
    declared = session.policy.labels or {}
    return tuple(
        it.labelled(session.labels.get(it.name), declared=it.name in declared) for it in figures
    )


def _title(session: DerivedCopy) -> str:
    return "Columns" if session.name is None else f"Columns of {session.name}"


def _kind_of(column: Column) -> ColumnFacts:
    """Return what the table itself says of a column: what it is called, and of what kind it is."""
    kind = "identifier" if column.role == "identifier" else KIND_OF.get(column.kind, column.kind)
    return ColumnFacts(column.name, kind, unit_in(column.name))
