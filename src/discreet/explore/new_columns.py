"""New columns of a copy of the whole table: expressions of its rows, by an analyst or the policy.

What the policy derives is there from the opening of the study, as columns of the copy are. It is
computed of the rows of the copy as well, so that a band and the age it was cut from agree in every
row, and no raw value plays a part in it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from discreet.arguments import Floats
from discreet.columns import KINDS, Column
from discreet.columns.column import drop_columns, merge_columns
from discreet.columns.countable import NamedColumns
from discreet.columns.dates import DATE, Dates
from discreet.columns.words import counts_of, each_as
from discreet.errors import DiscreetError, InputError, RefusedError, about
from discreet.explore.from_copy import WholeTable
from discreet.expressions import (
    Days,
    Expression,
    Levels,
    Numbers,
    Truth,
    Values,
    parse_expression,
    yes_of,
)
from discreet.policy import Policy

KIND_OF = {KINDS[0]: "number", KINDS[1]: "level", DATE: "date"}
"""What an expression calls the kinds of columns."""


def with_column(whole: WholeTable, name: str, text: str) -> WholeTable:
    """Return rows with a new column that an expression says, or refuse it."""
    expression = parsed(whole, name, text)
    new, copy = expression.evaluate(values_of(whole, expression)), whole.copy
    if isinstance(new, Truth):
        new = new.as_levels()
    if isinstance(new, Levels):
        rows = whole.holding(copy.columns, merge_columns(copy.strata, {name: new.words}))
    else:
        values = np.where(np.isfinite(new.values), new.values, np.nan)
        if np.isnan(values).all():
            raise RefusedError(
                f"{text!r} has no value in any row of the copy; check the columns that it is "
                "made from",
                rule="empty",
            )
        rows = whole.holding(merge_columns(copy.columns, {name: values}), copy.strata)
    return dataclasses.replace(
        rows,
        raw={**whole.raw, name: _column(name, expression, whole.raw)},
        made_from={**whole.made_from, name: expression.names},
    )


def parsed(whole: WholeTable, what: str, text: str) -> Expression:
    """Read an expression of the columns that a copy has."""
    if not isinstance(text, str):
        raise InputError(f"{what} takes an expression, which is text: 'age >= 50'")
    copy = whole.copy
    there = {*copy.columns, *copy.strata}
    kinds = {name: _kind(whole, name) for name in whole.raw if name in there}
    coded = [name for name, kind in kinds.items() if kind == "level" and _coded(whole, name)]
    named = [name for name in copy.strata if name in text]
    yes = {name: yes_of({*counts_of(copy.strata[name])} - {""}) for name in named}
    return _read(text, kinds, coded, yes)


def values_of(whole: WholeTable, of: Expression) -> dict[str, Values]:
    """Return the columns that an expression rests on, each as it is read there."""
    return {name: _value(whole, name, kind) for name, kind in zip(of.names, of.kinds, strict=True)}


def _read(
    text: str, kinds: Mapping[str, str], coded: list[str], yes: Mapping[str, str]
) -> Expression:
    """Read an expression; `coded` are levels that are stored as numbers, and either is right."""
    try:
        return parse_expression(text, {**kinds, **dict.fromkeys(coded, "number")}, yes)
    except InputError:
        if coded:  # which a plot shows as levels, so that they may be written as these, too
            with suppress(InputError):
                return parse_expression(text, kinds, yes)
        raise


def _kind(whole: WholeTable, name: str) -> str:
    if name in whole.copy.strata:
        return "level"
    return "number" if whole.raw[name].dates is None else "date"


def _coded(whole: WholeTable, name: str) -> bool:
    """Tell whether levels are stored as numbers, such as 0 and 1, and all of them are kept."""
    column = whole.raw[name]
    if not holds_codes(column):
        return False
    try:
        return bool([float(word) for word in {*counts_of(whole.copy.strata[name])} - {""}])
    except ValueError:  # levels were joined into "other"
        return False


def _value(whole: WholeTable, name: str, kind: str) -> Values:
    copy = whole.copy
    if kind == "level":
        return Levels(copy.strata[name])
    if name in copy.strata:
        known = {it: float(it or "nan") for it in counts_of(copy.strata[name])}
        return Numbers(each_as(copy.strata[name], known, math.nan, np.float64))
    values: Floats = copy.columns[name]
    return Days(values) if kind == "date" else Numbers(values)


def _column(name: str, expression: Expression, raw: Mapping[str, Column]) -> Column:
    """Return what is known of a new column."""
    if expression.kind in ("truth", "level"):
        return Column(name, KINDS[1])
    dates = next((raw[it].dates for it in expression.names if raw[it].dates is not None), None)
    if expression.kind == "date":
        return Column(name, DATE, dates=dates or Dates("day"))
    return Column(name, KINDS[0], numeric=True, floating=True)


# --- what the policy derives ----------------------------------------------------------------------


def with_derived(whole: WholeTable, policy: Policy) -> WholeTable:
    """Return a copy with the columns that the policy derives, without those that it withholds.

    One that cannot be made of this copy holds up no other: it is left out, and why is kept.
    """
    for name, text in (policy.derive or {}).items():
        try:
            made = with_column(whole, name, text)
            column = dataclasses.replace(made.raw[name], order=policy.ordered.get(name, ()))
            whole = dataclasses.replace(made, raw={**made.raw, name: column})
        except DiscreetError as error:
            why = str(error).splitlines()[0]
            whole = dataclasses.replace(whole, left_out={**whole.left_out, name: why})
    there = {*whole.copy.columns, *whole.copy.strata}
    off = {*(policy.withhold or ())} & there
    off |= {name for name in whole.made_from if off & {*whole.beneath([name])}}
    if not off:
        return whole
    if there <= off:
        raise InputError(
            "withhold of the policy leaves the copy no column; withhold fewer", parameter="withhold"
        )
    kept = whole.holding(
        drop_columns(whole.copy.columns, off), drop_columns(whole.copy.strata, off)
    )
    made_from = {name: it for name, it in whole.made_from.items() if name not in off}
    return dataclasses.replace(kept, made_from=made_from, withheld=tuple(sorted(off)))


def check_derive(table: NamedColumns, policy: Policy) -> None:
    """Refuse columns that the policy derives, if they cannot be those of any copy of a table."""
    if not policy.derive:
        return
    if not policy.fixed:
        raise InputError(
            "derive makes columns of a copy of the whole table, and this policy has none; leave "
            "derive out, or use a guarded policy"
        )
    kinds = {
        name: it for kind, it in KIND_OF.items() for name in table.shown([*table.columns], kind)
    }
    columns = table.columns
    coded = [n for n, kind in kinds.items() if kind == "level" and holds_codes(columns[n])]
    # Which columns say yes or no is for the copy to say, when a column is made of it.
    yes = {name: "1" for name, kind in kinds.items() if kind == "level"}
    for name, text in policy.derive.items():
        with about("derive"):
            if name in columns:
                raise InputError(
                    f"derive of the policy has a column {name!r}, as the table has; choose another"
                    " name for the new one"
                )
            try:
                expression = _read(text, kinds, coded, yes)
            except InputError as error:
                raise InputError(f"derive of the policy, {name!r}: {error}") from None
        kinds[name] = "level" if expression.kind == "truth" else expression.kind
        if kinds[name] == "level":
            yes[name] = "1"
    for name in policy.limits:
        if name in policy.derive and kinds[name] == "level":
            raise InputError(f"column {name!r} of the policy's derive has levels, and so no limits")


def holds_codes(column: Column) -> bool:
    """Tell whether the levels of a column are stored as numbers, and mean neither yes nor no."""
    return column.numeric and not column.yes_no
