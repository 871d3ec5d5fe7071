"""What of a study a server may tell before anything is drawn: names and rules, no value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.errors import InputError, RefusedError
from discreet.ledger import Ledger
from discreet.regression import read_formula
from discreet.study.parallel import Orders, orders
from discreet.study.study import Study
from discreet.table import KINDS

__all__ = [
    "ToldColumn",
    "axis_moves",
    "drawable",
    "formula_of",
    "ledger_of_study",
    "name_of",
    "pairs_drawn",
    "sensitive_columns",
    "settle_anew",
]


@dataclass(frozen=True)
class ToldColumn:
    """A column that may be drawn: its name, kind and role, and whether rows carry it as a level."""

    name: str
    kind: str
    role: str
    stratum: bool


def drawable(study: Study) -> tuple[ToldColumn, ...]:
    """Return the columns that a picture may be asked of: those that identify nobody."""
    table, policy = study._desk.table, study.policy
    shown = {name for kind in KINDS for name in table.shown([*table.columns], kind)}
    return tuple(
        ToldColumn(name, column.kind, column.role, name in policy.strata)
        for name, column in table.columns.items()
        if name in shown
    )


def name_of(study: Study) -> str:
    """Return the name by which the ledger knows the study."""
    if study._desk.name is None:
        raise InputError("a study that is served needs a name: open it with study=")
    return study._desk.name


def ledger_of_study(study: Study) -> Ledger:
    """Return the ledger that the study writes to."""
    return study._desk.gatekeeper.ledger


def settle_anew(study: Study) -> None:
    """Take the groups and pairs of the study from the ledger, where others may have written."""
    desk = study._desk
    desk.groups = desk.policy.groups or desk.gatekeeper.groups_that_left()
    desk.pairs = desk.gatekeeper.pairs_that_left()


def pairs_drawn(study: Study) -> tuple[tuple[str, ...], ...]:
    """Return the axes that have been drawn side by side."""
    return study._desk.pairs


def axis_moves(
    study: Study, columns: Sequence[str], sensitive: Sequence[str] | None = None
) -> Orders:
    """Say which orders of axes are allowed that are one move away from this one."""
    return orders(study._desk, columns, sensitive)


def sensitive_columns(study: Study) -> tuple[str, ...]:
    """Return the columns that the policy calls sensitive."""
    columns = study._desk.table.columns
    return tuple(name for name, column in columns.items() if column.role == "sensitive")


def formula_of(
    study: Study, formula: str, columns: Mapping[str, ToldColumn]
) -> tuple[str, tuple[str, ...]]:
    """Return a formula written out, and the columns of it that are numbers.

    Raises
    ------
    InputError
        If it cannot be read, or names what cannot be drawn.
    RefusedError
        If it names levels that rows of the protected copy do not carry.
    """
    model = read_formula(formula, {name: column.kind for name, column in columns.items()})
    strata = study.policy.strata
    if study.policy.guarded and not {*model.levels} <= {*strata}:
        raise RefusedError(
            "levels stand in a formula of a guarded study only where they are strata"
        )
    return model.formula, tuple(model.numbers)
