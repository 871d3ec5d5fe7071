"""What a rounded table is to be: of the protected copy, or by numbers of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.errors import InputError, RefusedError
from discreet.protect import ColumnRounding, Rounding
from discreet.protect.arguments import check_whole
from discreet.protect.rounding import RoundingSet, k_of_c, known_method
from discreet.release import Points
from discreet.study.session import Session
from discreet.study.wanted import Wanted, wanted
from discreet.vault import Made, strata_labels

__all__ = ["HowRounded", "check_numbers", "rounding_told", "shared_by", "wanted_rounded"]

ROUNDING = ("rounding", "microaggregation")


@dataclass(frozen=True)
class HowRounded:
    """How somebody asked a table to be rounded; None leaves it to the policy."""

    method: str | None = None
    k: int | str | None = None
    c: int | str | None = None
    per_column: bool = False
    representative: str | None = None
    encoding: str | None = None


def wanted_rounded(
    session: Session,
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
    if not how.per_column:
        check_numbers(how)
    if session.policy.guarded:
        how = dataclasses.replace(how, method=name)
        return _of_copy(session, columns, drop, sensitive, how, prepare)
    k = None if how.k is None or isinstance(how.k, str) else check_whole("k", how.k, least=1)
    want = wanted(session, columns, drop, sensitive, "rounding", {"k": k}, prepare)
    name = name or session.policy.rounding
    c = how.c
    if c is None and name == session.policy.rounding and not (how.per_column and how.k is not None):
        c = session.policy.c  # of the policy's own way to round alone
    if not how.per_column:
        joint = Rounding(name, want.asked.k, None if isinstance(c, str) else c)
        return dataclasses.replace(want, by=joint)
    usual = want.asked.k if c is None and known_method(name).parameter else None
    by = ColumnRounding(
        method=name,
        k=usual if how.k is None else how.k,
        c=c,
        representative="mean" if how.representative is None else how.representative,
        encoding="region" if how.encoding is None else how.encoding,
    )
    asked = dataclasses.replace(want.asked, method=by.name)
    return dataclasses.replace(want, asked=asked, by=by)


def check_numbers(how: HowRounded) -> None:
    """Refuse a rule that chooses numbers column by column where rows are rounded jointly.

    Raises
    ------
    InputError
        If k or c is a word.
    """
    for name, given in (("k", how.k), ("c", how.c)):
        if isinstance(given, str):
            raise InputError(
                f"{name} must be a whole number where rows are rounded jointly; a rule chooses it"
                " for columns rounded by themselves: per_column (--per-column)"
            )


def _of_copy(
    session: Session,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    sensitive: str | None,
    how: HowRounded,
    prepare: Mapping[str, Any],
) -> Wanted:
    """Say what the rounded table of a guarded study is: its protected copy."""
    policy = session.policy
    if how.per_column:
        raise RefusedError(
            "columns rounded one at a time do not hide rows: it is for arrays, and for public or"
            " simulated data under the policy 'research' (--policy research); leave per_column"
            " out to round rows jointly"
        )
    if policy.rows not in ROUNDING:
        raise RefusedError(
            f"the protected copy of this study is made by {policy.rows!r}; to round, the custodian"
            " can open a study with it: discreet.open(..., rows='rounding'), or rows ="
            ' "rounding" in its policy file'
        )
    if policy.rows == "rounding":
        policy.allowed(rounding=how.method, c=how.c)
    elif how.method not in (None, "mdav") or how.c is not None:
        raise RefusedError(
            "the protected copy of this study is made by microaggregation ('mdav'); for another"
            " rounding the custodian can open a study with it: policy.changed(rows='rounding',"
            " rounding=...)"
        )
    return wanted(session, columns, drop, sensitive, policy.rows, {"k": how.k}, prepare)


def shared_by(want: Wanted, n: int) -> int | None:
    """Return by how many a row should be shared, if nothing promises that it is."""
    if not isinstance(want.by, ColumnRounding):
        return None
    by = want.by
    if isinstance(by.k, int):
        return by.k
    return k_of_c(n, by.c) if isinstance(by.c, int) else want.asked.k


def rounding_told(want: Wanted, points: Points | None, made: Made) -> Mapping[str, Any]:
    """Say how rounding points were found, where they were."""
    by = want.policy.row_method(want.asked) if want.by is None else want.by
    if isinstance(by, ColumnRounding) and isinstance(points, tuple):
        told: dict[str, Any] = {"rounding": by.method, "k": by.k, "c": by.c, "per column": True}
        told |= {"representative": by.representative, "encoding": by.encoding}
        return told | {"points": [_set_in_words(found) for found in points]}
    if not isinstance(by, Rounding):
        return {}
    told = {"rounding": by.method, "c": by.c}
    strata = strata_labels(made.levels, len(made.trimmed))
    share = by.share_by_regions(made.trimmed, strata)
    if share is not None:
        tenths = round(10 * share)  # it is counted on raw rows
        told["rows grouped by their regions"] = f"about {10 * tenths} of 100"
        told["rows grouped by MDAV"] = f"about {100 - 10 * tenths} of 100"
    return told


def _set_in_words(found: RoundingSet) -> str:
    """Say how many points a column has, and by which numbers they were found."""
    known = {name: found.parameters.get(name) for name in ("k", "c", "b", "law")}
    by = ", ".join(f"{name} = {value}" for name, value in known.items() if value is not None)
    return f"{found.column}: {len(found.points)} points{f' ({by})' if by else ''}"
