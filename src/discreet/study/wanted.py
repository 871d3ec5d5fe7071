"""Which columns a released table is to have, and what each is in it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from discreet.errors import InputError, RefusedError, one_of
from discreet.policy import PlotRequest, Policy
from discreet.protect import ROW_METHODS, ColumnRounding, Rounding
from discreet.protect.arguments import check_ratio
from discreet.study.session import Session

__all__ = ["TABLE", "Wanted", "check_share", "wanted"]

TABLE = "table"
PREPARE = (
    *("metric", "missing", "missing_levels", "hierarchies", "ordered", "most_suppressed"),
    *("diversity", "closeness"),
)
"""What of a policy decides how rows are prepared."""


@dataclasses.dataclass(frozen=True)
class Wanted:
    """Which columns a table is to have, and what each is in it.

    `strata` are levels within whose combinations rows are protected; `sensitive` is a column that
    must stay unknown, and `carried` what travels along without being a stratum. `by` is the
    method where it is not one of the policy's.
    """

    asked: PlotRequest
    policy: Policy
    columns: tuple[str, ...]
    strata: tuple[str, ...]
    sensitive: str | None
    carried: tuple[str, ...]
    by: Rounding | ColumnRounding | None = None


def wanted(
    session: Session,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    sensitive: str | None,
    method: str | None,
    numbers: Mapping[str, Any],
    prepare: Mapping[str, Any],
) -> Wanted:
    """Say what a released table will be made of, or refuse it."""
    table, guarded = session.table, session.policy.guarded
    for what, names in (("columns", columns), ("drop", drop)):
        _check_names(what, names)
    if unknown := prepare.keys() - PREPARE:
        raise InputError(f"{one_of(sorted(unknown))} is unknown; there are {one_of(PREPARE)}")
    for name in drop:
        table.known(name)  # a column that identifies persons may be named to be dropped
    policy = session.policy.allowed(**prepare)
    sensitive = _sensitive(session, sensitive)
    if sensitive is None and (policy.diversity > 1 or policy.closeness < 1):
        raise InputError("diversity and closeness are of a sensitive column; name it: sensitive=")
    strata = _strata(session, drop, sensitive)
    if guarded and sensitive is not None and sensitive not in strata:
        raise RefusedError(
            f"a guarded study releases rows of its protected copy, which holds a group and the"
            f" strata, and {sensitive!r} is none; the custodian can open a study with it:"
            f" discreet.open(..., strata=[{sensitive!r}])"
        )
    taken = {*drop, *strata, *([sensitive] if sensitive else [])}
    names = tuple(columns) if columns is not None else _continuous(session, taken)
    if not names:
        raise InputError("a released table needs at least one continuous column; name some")
    if both := taken & set(names):
        raise InputError(
            f"{one_of(sorted(both))} cannot be released as numbers: it is dropped, a stratum or"
            " sensitive"
        )
    used = _method(session, method, numbers)
    # The rows of a table are those that a scatter plot would draw.
    asked = session.settle("scatter", names, method=used, **numbers)
    return Wanted(
        asked=dataclasses.replace(asked, picture=TABLE),
        policy=policy,
        columns=names,
        strata=strata,
        sensitive=sensitive,
        carried=() if guarded or sensitive is None else (sensitive,),
    )


def _method(session: Session, method: str | None, numbers: Mapping[str, Any]) -> str:
    if method is not None and method not in ROW_METHODS:
        raise InputError(
            f"a table cannot be made by method {method!r}; there are {one_of(ROW_METHODS)}"
        )
    used = method or session.policy.rows
    unused = numbers.get("q") is not None and used != "probabilistic"
    if unused and not session.policy.guarded:
        raise InputError(f"a table by {used!r} has no use for q=; leave it out")
    return used


def check_share(risk_below: object) -> None:
    """Refuse what is no share."""
    if risk_below is not None and check_ratio("risk_below", risk_below, zero=False) > 1:
        raise InputError("risk_below is a share above 0 and at most 1, such as 0.05")


def _check_names(what: str, names: object) -> None:
    """Refuse what is no list of names; a text would be read letter by letter."""
    if names is None and what == "columns":
        return
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InputError(f"{what} must be a list of column names, such as ['age', 'bmi']")


def _continuous(session: Session, taken: set[str]) -> tuple[str, ...]:
    """Return the columns that are released when none is named."""
    if session.groups:
        if len(session.groups) > 1:
            raise InputError(
                "this study has several groups, and a table holds the rows of one; name the"
                f" columns of one: columns={list(session.groups[0])!r}"
            )
        names = [name for name in session.table.columns if name in session.groups[0]]
        return tuple(name for name in names if name not in taken)
    shown = session.table.shown(
        [name for name in session.table.columns if name not in taken], "continuous"
    )
    return tuple(name for name in shown if not session.table.numbers_rows(name))


def _strata(session: Session, drop: Sequence[str], sensitive: str | None) -> tuple[str, ...]:
    """Return the strata: those declared; under `research` else every column of levels."""
    if session.policy.strata or session.policy.guarded:
        if set(drop) & set(session.policy.strata):
            raise InputError(
                "drop names a stratum; the custodian can open a study without it: strata="
            )
        return tuple(
            name for name in session.policy.strata if name != sensitive or session.policy.guarded
        )
    names = [name for name in session.table.columns if name not in drop and name != sensitive]
    return session.table.shown(names, "categorical")


def _sensitive(session: Session, named: str | None) -> str | None:
    if named is not None:
        session.table.require([named])
        return named
    roles = [name for name, column in session.table.columns.items() if column.role == "sensitive"]
    if len(roles) > 1:
        raise InputError(f"several columns are sensitive; name one of {one_of(roles)}: sensitive=")
    return roles[0] if roles else None
