"""What a rounded table is to be: of the protected copy, or by numbers of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.errors import InputError, RefusedError
from discreet.protect import ColumnRounding, Rounding
from discreet.protect.rounding import known_method
from discreet.study.desk import Desk
from discreet.study.wanted import Wanted, wanted

__all__ = ["HowRounded", "wanted_rounded"]

ROUNDING = ("rounding", "microaggregation")


@dataclass(frozen=True)
class HowRounded:
    """How somebody asked a table to be rounded; None leaves it to the policy."""

    method: str | None = None
    k: int | str | None = None
    c: int | None = None
    per_column: bool = False
    representative: str | None = None
    encoding: str | None = None


def wanted_rounded(
    desk: Desk,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    sensitive: str | None,
    how: HowRounded,
    prepare: Mapping[str, Any],
) -> Wanted:
    """Say what a rounded table will be made of, or refuse it."""
    name = None if how.method is None else known_method(how.method).name
    if not how.per_column and (how.representative, how.encoding) != (None, None):
        raise InputError(
            "representative and encoding are of columns rounded by themselves; rows rounded"
            " jointly become the mean of their group: leave them out, or ask per column"
        )
    if desk.policy.guarded:
        how = dataclasses.replace(how, method=name)
        return _of_copy(desk, columns, drop, sensitive, how, prepare)
    k = how.k if isinstance(how.k, int) else None
    want = wanted(desk, columns, drop, sensitive, "rounding", {"k": k}, prepare)
    name = name or desk.policy.rounding
    if not how.per_column:
        if how.k is not None and k is None:
            raise InputError("k must be a whole number where rows are rounded jointly")
        by: Rounding | ColumnRounding = Rounding(name, want.asked.k, how.c or desk.policy.c)
        return dataclasses.replace(want, by=by)
    usual = want.asked.k if how.c is None and known_method(name).parameter else None
    by = ColumnRounding(
        method=name,
        k=usual if how.k is None else how.k,
        c=how.c,
        representative=how.representative or "mean",
        encoding=how.encoding or "region",
    )
    asked = dataclasses.replace(want.asked, method=by.name)
    return dataclasses.replace(want, asked=asked, by=by)


def _of_copy(
    desk: Desk,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    sensitive: str | None,
    how: HowRounded,
    prepare: Mapping[str, Any],
) -> Wanted:
    """Say what the rounded table of a guarded study is: its protected copy."""
    policy = desk.policy
    if how.per_column:
        raise RefusedError(
            "columns rounded one at a time do not hide rows: it is for arrays, and for public or"
            " simulated data under the policy 'research' (--policy research); leave per_column"
            " out to round rows jointly"
        )
    if policy.rows not in ROUNDING:
        raise RefusedError(
            f"the protected copy of this study is made by {policy.rows!r}; to round, open a study"
            " with it: discreet.open(..., rows='rounding')"
        )
    if policy.rows == "rounding":
        policy.allowed(rounding=how.method, c=how.c)
    elif how.method not in (None, "mdav") or how.c is not None:
        raise RefusedError(
            "the protected copy of this study is made by microaggregation ('mdav'); for another"
            " rounding open a study with it: policy.changed(rows='rounding', rounding=...)"
        )
    return wanted(desk, columns, drop, sensitive, policy.rows, {"k": how.k}, prepare)
