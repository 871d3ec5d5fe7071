"""Tables of figures of the copy of the whole table: post-processing, with where they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from discreet.errors import InputError, RefusedError, about
from discreet.measure.copy_table import CopyTable
from discreet.measure.described import RowsToDescribe, described
from discreet.protect import Whole
from discreet.study.session import Session
from discreet.study.whole_table import columns_of_table

__all__ = ["summarise"]

SUMMARY = "summary"
NO_COPY = (
    "this study has no copy of the whole table to make tables of figures from; the custodian can"
    " open a study with one: discreet.open(..., rows='whole')"
)
FEW = 50
"""Figures of fewer rows of the copy are rough."""


def summarise(session: Session, columns: Sequence[str] | None, by: str | None) -> CopyTable:
    """Describe columns of the copy, in all and by the levels of another one."""
    if session.policy.rows_by != Whole.name:
        raise RefusedError(NO_COPY)
    with about("columns"):
        wanted = columns_of_table(session, columns, ())
        if by is not None and by in (columns or ()):
            raise InputError(f"column {by!r} cannot be described by its own levels; name others")
    levels = () if by is None else (by,)
    rows = _rows_of(session, levels)
    wanted = tuple(name for name in wanted if name != by)
    if not wanted:
        raise InputError("by= leaves no column to describe; name others in columns=")
    found = described(rows, wanted, by)
    names = (*wanted, *levels)
    return CopyTable(
        SUMMARY,
        _title("Summary", session, levels),
        ("column", "figure"),
        found.head,
        found.lines,
        (*_notes(session, names, len(rows), found.sizes), *_left_out(session, columns)),
        found.figures,
        session.gate_of_copy(SUMMARY, names),
    )


def _rows_of(session: Session, levels: Sequence[str]) -> RowsToDescribe:
    """Return the rows of the copy, with some columns as levels, or refuse that."""
    with about("by"):
        if levels:
            columns_of_table(session, levels, ())
        whole = session.whole.with_levels(levels)
        for name in levels:
            if name not in whole.copy.strata:
                raise InputError(
                    f"by={name!r} is a column of numbers or dates; by= takes one of levels, or of"
                    " codes that are few",
                )
    copy = whole.copy
    return RowsToDescribe(copy.columns, copy.strata, session.dates, session.policy.ordered)


def _title(what: str, session: Session, by: Sequence[str]) -> str:
    of = "" if session.name is None else f" of {session.name}"
    return f"{what}{of}{' by ' if by else ''}{' and '.join(by)}"


def _notes(
    session: Session, names: Sequence[str], rows: int, sizes: Mapping[str, int]
) -> tuple[str, ...]:
    """Say what a table is of, and how near it is."""
    policy, copy = session.policy, session.whole.copy
    said = [
        f"of {rows:,} rows of the protected copy {copy.version} (k = {policy.k}, m ="
        f" {policy.members}), policy {policy.name}; how many rows it has is not how many persons"
        " there are"
    ]
    said += session.remarks_of_copy(names)
    few = [name for name, size in sizes.items() if size < FEW]
    if few:
        said.append(f"rough, being of fewer than {FEW} rows: {', '.join(few)}")
    if policy.public:
        said.append("the data are declared public: what is released is not recorded")
    return tuple(said)


def _left_out(session: Session, columns: Sequence[str] | None) -> tuple[str, ...]:
    return session.whole.copy.remarks if columns is None else ()
