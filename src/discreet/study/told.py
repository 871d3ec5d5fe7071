"""What of a study a server may tell before anything is drawn: names and rules, no value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from discreet.errors import InputError, RefusedError
from discreet.ledger import Ledger
from discreet.plots.view import SCHEMA
from discreet.regression import read_formula
from discreet.render.scene_json import SCHEMA as SCENE_SCHEMA
from discreet.study.parallel import Orders, orders
from discreet.study.study import Study
from discreet.table import KINDS

__all__ = [
    "ToldColumn",
    "axis_moves",
    "check_unchanged",
    "count_method_that_left",
    "drawable",
    "edition_of",
    "formula_of",
    "groups_settled",
    "hold_version",
    "ledger_of_study",
    "name_of",
    "pairs_drawn",
    "sensitive_columns",
    "settle_anew",
]

ALLOWANCE = ("budget", "requests_a_minute")


@dataclass(frozen=True)
class ToldColumn:
    """A column that may be drawn: its name, kind and role, and whether rows carry it as a level."""

    name: str
    kind: str
    role: str
    stratum: bool


def drawable(study: Study) -> tuple[ToldColumn, ...]:
    """Return the columns that a picture may be asked of: those that identify nobody."""
    table, policy = study._session.table, study.policy
    shown = {name for kind in KINDS for name in table.shown([*table.columns], kind)}
    return tuple(
        ToldColumn(name, column.kind, column.role, name in policy.strata)
        for name, column in table.columns.items()
        if name in shown
    )


def name_of(study: Study) -> str:
    """Return the name by which the ledger knows the study."""
    if study._session.name is None:
        raise InputError("a study that is served needs a name: open it with study=")
    return study._session.name


def ledger_of_study(study: Study) -> Ledger:
    """Return the ledger that the study writes to."""
    return study._session.release_gate.ledger


def hold_version(study: Study) -> int:
    """Return the study version that is the latest now; of another nothing of the study leaves."""
    session = study._session
    version = session.release_gate.ledger.version(name_of(study))
    session.release_gate = replace(session.release_gate, version=version)
    return version


def edition_of(study: Study) -> str:
    """Return a keyed digest that stands for the data, the policy and how views are written.

    What decides only how often somebody may ask is left out.
    """
    session = study._session
    said = {name: it for name, it in study.policy.to_dict().items() if name not in ALLOWANCE}
    told = json.dumps([SCHEMA, SCENE_SCHEMA, said], sort_keys=True)
    return session.secret.digest("edition", told.encode(), *session.data_marks()).hex()


def groups_settled(study: Study) -> tuple[tuple[str, ...], ...]:
    """Return the groups of columns whose rows may be seen together: of the policy, or that left."""
    session = study._session
    return session.policy.groups or session.release_gate.groups_that_left()


def check_unchanged(study: Study) -> None:
    """Refuse where the data or the version is not the one that is served any more.

    Raises
    ------
    LeavingError
        If the file was written since, or a new version was opened.
    """
    study._session.release_gate.check_unchanged()


def count_method_that_left(
    study: Study, picture: str, columns: Sequence[str], by: str | None, method: str | None
) -> tuple[str, str] | None:
    """Say what of a picture's counts has left by another method, and by which; None if nothing.

    Known before anything is counted, it keeps what would have come of it to itself.
    """
    asked = study.policy.settle(picture, tuple(columns), by=by, method=method)
    return study._session.release_gate.count_method_that_left(asked)


def settle_anew(study: Study) -> None:
    """Take the groups and pairs of the study from the ledger, where others may have written."""
    study._session.groups = groups_settled(study)
    study._session.pairs = pairs_drawn(study)


def pairs_drawn(study: Study) -> tuple[tuple[str, ...], ...]:
    """Return the axes that have left side by side."""
    return study._session.release_gate.pairs_that_left()


def axis_moves(
    study: Study, columns: Sequence[str], sensitive: Sequence[str] | None = None
) -> Orders:
    """Say which orders of axes are allowed that are one move away from this one."""
    return orders(study._session, columns, sensitive)


def sensitive_columns(study: Study) -> tuple[str, ...]:
    """Return the columns that the policy calls sensitive."""
    columns = study._session.table.columns
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
