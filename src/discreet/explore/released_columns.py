"""Which columns of the copy a table is made of, or why they cannot be."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.errors import InputError, RefusedError, one_of
from discreet.explore.derived import DerivedCopy
from discreet.policy.resolve import check_columns


def columns_of_table(
    of: DerivedCopy, columns: Sequence[str] | None, drop: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns of the copy that are released, or refuse those that are not in it."""
    copy = of.whole.copy
    held = [name for name in of.whole.raw if name in {*copy.columns, *copy.strata}]
    made = (*held, *of.whole.left_out, *of.whole.withheld)
    new = {name for name in made if name not in of.table.columns}
    dropped = drop if isinstance(drop, str) else [name for name in drop if name not in new]
    check_columns(of.table, columns, dropped)
    wanted = held if columns is None else list(columns)
    if columns is not None:
        of.table.require([name for name in wanted if name not in new])
        of.whole.check_made(wanted)
    if both := set(drop) & set(columns or ()):
        raise InputError(f"{one_of(sorted(both))} cannot be released and dropped")
    for name in wanted:
        if name not in held:
            raise RefusedError(
                f"column {name!r} is {'; '.join(copy.remarks) or 'not in the protected copy'};"
                " leave it out"
            )
    found = tuple(name for name in wanted if name not in drop)
    if not found:
        raise InputError("a released table needs at least one column; drop fewer")
    return found


def columns_released(
    of: DerivedCopy, columns: Sequence[str] | None, drop: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns of a released table, whose its rows are among them, or refuse them."""
    whose = [name for name in of.whole.copy.whose if columns is None or name in columns]
    others = None if columns is None else [name for name in columns if name not in whose]
    found = columns_of_table(of, others, drop)
    wanted = {*found, *whose} - {*drop}
    return tuple(name for name in (columns or of.whole.raw) if name in wanted)
