"""What a server tells of its study before anything is drawn: what the page's form is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.policy import Policy
from discreet.protect import METHODS, ROW_METHODS
from discreet.serve.checking import (
    NUMBERS,
    allowed_methods,
    has_use,
    usual_method,
    usual_number,
)
from discreet.serve.pictures import PARAMETERS, PICTURES, Picture
from discreet.study import Study
from discreet.study.session import DrawableColumn

__all__ = ["pictures_told", "study_told"]


def study_told(study: Study, columns: Mapping[str, DrawableColumn]) -> dict[str, Any]:
    """Return what of the study, its columns and its policy a form is made of: no value.

    Parameters
    ----------
    study : Study
        The study that is served.
    columns : mapping of str to DrawableColumn
        The columns that may be drawn.

    Returns
    -------
    dict
    """
    policy = study.policy
    return {
        "policy": {
            "name": policy.name,
            "regime": policy.regime,
            "k": policy.k,
            "public": policy.public,
        },
        "columns": [
            {"name": it.name, "kind": it.kind, "role": it.role, "stratum": it.stratum}
            for it in columns.values()
        ],
        "groups": [[*group] for group in study.session.groups_settled()],
        "pairs": {
            "declared": [[*pair] for pair in policy.pairs],
            "drawn": [[*pair] for pair in study.session.release_gate.pairs_that_left()],
        },
        "pictures": pictures_told(policy, [*columns.values()]),
    }


def pictures_told(policy: Policy, columns: Sequence[DrawableColumn]) -> list[dict[str, Any]]:
    """Return every picture that can be drawn of some columns, and what it may be asked for with."""
    of_kind = {kind: [it for it in columns if it.kind == kind] for kind in _KINDS}
    of_kind["any"], of_kind["formula"] = [*columns], of_kind["continuous"]
    enough = [it for it in PICTURES.values() if len(of_kind[it.columns]) >= max(it.least, 1)]
    return [_told(policy, picture, of_kind["categorical"]) for picture in enough]


_KINDS = ("continuous", "categorical")


def _told(policy: Policy, picture: Picture, levels: Sequence[DrawableColumn]) -> dict[str, Any]:
    methods, usual = allowed_methods(policy, picture.kind), usual_method(policy, picture.kind)
    rows_by = [it.name for it in levels if it.stratum or not policy.guarded]
    counts_by = [] if picture.kind == "scatter" else [it.name for it in levels]
    by = {"columns": counts_by, "rows": rows_by} if picture.by else None
    takes = None
    if not picture.of_formula:
        takes = {"least": picture.least, "most": picture.most, "kind": picture.columns}
    return {
        "kind": picture.kind,
        "title": picture.title,
        "says": picture.says,
        "takes": "formula" if picture.of_formula else "columns",
        "columns": takes,
        "by": by,
        "methods": [
            {
                "name": name,
                "usual": name == usual,
                "rows": name in ROW_METHODS,
                "promises": METHODS[name].promises,
                "leaves_open": METHODS[name].leaves_open,
            }
            for name in methods
        ],
        "parameters": _parameters_told(policy, picture, methods),
    }


def _parameters_told(
    policy: Policy, picture: Picture, methods: Sequence[str]
) -> list[dict[str, Any]]:
    told = []
    for it in (PARAMETERS[name] for name in picture.parameters):
        uses = [name for name in methods if has_use(policy, picture.kind, name, it.name)]
        if not uses:
            continue
        number = it.name in NUMBERS
        told.append(
            {
                "name": it.name,
                "type": it.type,
                "says": it.says,
                "least": it.least_of(uses),
                "most": it.most,
                "step": it.step,
                "usual": usual_number(policy, uses[0], it.name) if number else it.usual,
                "fixed": number and policy.guarded,
                "choices": [*it.choices],
                "methods": None if len(uses) == len(methods) else uses,
            }
        )
    return told
