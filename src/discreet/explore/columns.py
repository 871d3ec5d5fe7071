"""The columns of a study: what is known of each, and which of them a table is made of."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.columns import Column
from discreet.columns.dates import declare_hint
from discreet.errors import InputError, RefusedError, one_of
from discreet.estimates.column_list import ColumnFacts, ColumnList, facts_of
from discreet.estimates.tables import RowsToDescribe
from discreet.estimates.units import unit_in
from discreet.explore.derived import DerivedCopy
from discreet.explore.new_columns import KIND_OF
from discreet.explore.notes import FIGURES
from discreet.policy.resolve import check_columns

COLUMNS = "columns"


def columns_of(session: DerivedCopy) -> ColumnList:
    """Return what is known of each column, new ones last."""
    whole, declared = session.whole, session.policy.labels or {}
    copy = whole.copy
    rows = RowsToDescribe(copy.columns, copy.strata, session.dates, whole.orders)
    there = {*copy.columns, *copy.strata}
    figures = tuple(
        (facts_of(rows, name) if name in there else _facts_of(column)).labelled(
            session.labels.get(name), declared=name in declared
        )
        for name, column in whole.raw.items()
    )
    texts_of_dates = [it for it in whole.raw.values() if it.readings]
    notes = (
        f"of {len(rows):,} rows of the protected copy {copy.version}, policy "
        f"{session.policy.name}; its number of rows is not the number of people",
        *session.remarks_of_copy(sorted(there)),
        *copy.remarks,
        *(f"{it.name} is text, and {declare_hint(it.name, it.readings)}" for it in texts_of_dates),
    )
    title = "Columns" if session.name is None else f"Columns of {session.name}"
    gate = session.gate_of_copy(COLUMNS, [it.name for it in figures if it.in_copy])
    sealer = session.sealer_of_copy({FIGURES: COLUMNS})
    return ColumnList(title, figures, notes, gate=gate, sealer=sealer)


def _facts_of(column: Column) -> ColumnFacts:
    """Return what the table itself says of a column: what it is called, and of what kind it is."""
    kind = "identifier" if column.role == "identifier" else KIND_OF.get(column.kind, column.kind)
    return ColumnFacts(column.name, kind, unit_in(column.name))


def columns_of_table(
    of: DerivedCopy, columns: Sequence[str] | None, drop: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the columns of the copy that a table is made of, or refuse those not in it.

    None are all; those in `drop` are left out.
    """
    whole, copy = of.whole, of.whole.copy
    there = [*whole.drawable]
    made = (*there, *whole.left_out, *whole.withheld)
    new = {name for name in made if name not in of.table.columns}
    dropped = drop if isinstance(drop, str) else [name for name in drop if name not in new]
    check_columns(of.table, columns, dropped)
    wanted = there if columns is None else list(columns)
    if columns is not None:
        of.table.require([name for name in wanted if name not in new])
        whole.check_made(wanted)
    if both := set(drop) & set(columns or ()):
        raise InputError(f"{one_of(sorted(both))} cannot be both released and dropped")
    for name in wanted:
        if name not in there:
            raise RefusedError(
                f"column {name!r} is {'; '.join(copy.remarks) or 'not in the protected copy'};"
                " leave it out"
            )
    kept = tuple(name for name in wanted if name not in drop)
    if not kept:
        raise InputError("a released table needs at least one column; drop fewer")
    return kept


def columns_released(
    of: DerivedCopy, columns: Sequence[str] | None, drop: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns of a released table, whose its rows are among them, or refuse them."""
    whose = [name for name in of.whole.copy.whose if columns is None or name in columns]
    others = None if columns is None else [name for name in columns if name not in whose]
    wanted = {*columns_of_table(of, others, drop), *whose} - {*drop}
    return tuple(name for name in (columns or of.whole.raw) if name in wanted)


def check_divisor(name: str, least: float) -> None:
    """Refuse a column whose sum nothing is divided by, as its least value is below 0."""
    if least < 0:
        raise InputError(
            f"column {name!r} has values below 0, and per= takes one of 0 or more that adds up,"
            " such as years at risk",
            parameter="per",
        )
