"""What a file is that may be handed in: by its provenance, its seal, and the register."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.custodian.verify import Verifier
from discreet.errors import InputError
from discreet.explore.file_checks import AS_MADE, SUFFIXES, read
from discreet.explore.provenance import BOARD, FIGURES, REPORT
from discreet.outputs.command import command_of
from discreet.outputs.folder import Check, Finding
from discreet.outputs.rules import judged
from discreet.policy import Policy
from discreet.register.register import Register
from discreet.register.rules import ATTACK_RINGS
from discreet.render.journal import FIGURES as DRAWN

FORMS = SUFFIXES
"""How files end that can be handed in."""


def checker(verifier: Verifier, study: str) -> Check:
    """Return what says of a file whether a study released it, and as what."""
    policy, register = verifier.policy, verifier.register

    def check(path: Path) -> Finding | None:
        try:
            held = read(path)
        except InputError:  # of another kind, broken, or larger than any figure
            return None
        found = verifier.check_read(path.name, held)
        told, row = found.provenance, found.released
        if found.verdict != AS_MADE or told is None or row is None or row["study"] != study:
            return None
        same = is_in_force(register, study, policy, row["version"])
        columns = _columns_of(told.request, row["columns"])
        status, says = judged(
            told.source, row["rules"], policy, same=same, rings=rang(register, study)
        )
        return Finding(
            status=status,
            kind=row["kind"],
            type=_type_of(path.suffix.lower(), told.request),
            columns=columns,
            method=row["method"],
            command=command_of({"plot": row["kind"], "columns": columns, **told.request}),
            digest=held.digest,
            says=("made here, and not changed since", *says),
        )

    return check


def _columns_of(request: Mapping[str, Any], kept: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of an output: what its provenance says, for that is sealed."""
    said = request.get("columns", request.get("table"))
    return tuple(said if isinstance(said, list) else kept)


def _type_of(ending: str, request: Mapping[str, Any]) -> str:
    """Say which kind of output it is: a plot, too, of a table of figures or a report."""
    if ending in DRAWN or "plot" in request:
        return "plot"
    return "report" if REPORT in request or request.get(FIGURES) == BOARD else "table"


def is_in_force(register: Register, study: str, policy: Policy, version: int) -> bool:
    """Tell whether a version of a study is the latest, and released under this policy.

    The register lets a version be released under one policy alone.
    """
    same = register.left_under(study) == policy.settings()
    return same and register.version(study) == version


def rang(register: Register, study: str) -> bool:
    """Tell whether an attack on the copy of the study's latest version found more than it may."""
    return bool(register.choices(study, ATTACK_RINGS))
