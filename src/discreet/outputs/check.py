"""What a file is that may be handed in: by its provenance, its seal, and the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.errors import InputError
from discreet.outputs.folder import Check, Finding
from discreet.plots.request import COPY, COUNTS
from discreet.policy import Policy
from discreet.protect import Whole
from discreet.provenance import Provenance
from discreet.render.journal import FIGURES as DRAWN
from discreet.study.provenance import BOARD, FIGURES, MEASURED, REPORT, ROWS
from discreet.study.verify import AS_MADE, SUFFIXES, Verifier, read

__all__ = ["FORMS", "checker", "command_of"]

FORMS = SUFFIXES
"""How files end that can be handed in."""
WHAT = ("plot", "columns", "table", FIGURES, REPORT)
"""Of a request: what was drawn or released, and of what."""
SOURCES = {
    COPY: "drawn from the protected copy",
    COUNTS: "counted from the data",
    ROWS: "rows that were protected for this alone",
    MEASURED: "measured on the data beside the released rows, and rounded",
}


def checker(verifier: Verifier, study: str) -> Check:
    """Return what says of a file whether a study released it, and as what."""
    policy, ledger = verifier.policy, verifier.ledger
    # The ledger lets a version be released under one policy alone.
    in_force = ledger.version(study), ledger.left_under(study)[1] == policy.settings()

    def check(path: Path) -> Finding | None:
        try:
            held = read(path)
        except InputError:  # of another kind, broken, or larger than any figure
            return None
        found = verifier.check_read(path.name, held)
        told, row = found.provenance, found.released
        if found.verdict != AS_MADE or told is None or row is None or row["study"] != study:
            return None
        same = (row["version"], True) == in_force
        passed = policy.fixed and not policy.public and same
        return Finding(
            status="pass" if passed else "review",
            kind=row["kind"],
            type=_type_of(path.suffix.lower(), told.request),
            columns=tuple(row["columns"]),
            method=row["method"],
            command=command_of({"plot": row["kind"], "columns": row["columns"], **told.request}),
            digest=held.digest,
            says=("made here, and not changed since", *_rules(told, policy, same=same)),
        )

    return check


def _type_of(ending: str, request: Mapping[str, Any]) -> str:
    """Say which kind of output it is: a plot, too, of a table of figures or a report."""
    if ending in DRAWN or "plot" in request:
        return "plot"
    return "report" if REPORT in request or request.get(FIGURES) == BOARD else "table"


def _rules(told: Provenance, policy: Policy, *, same: bool) -> tuple[str, ...]:
    """Say which rules the numbers of a file were made by."""
    source = SOURCES[told.source]
    if not same:
        return source, "made under another policy than the one in force"
    if not policy.fixed:
        return source, f"policy {policy.name}, of public or simulated data"
    public = ("the data are declared public",) if policy.public else ()
    if told.source == MEASURED:
        return source, *public
    if told.source != COUNTS:
        group = policy.members if policy.rows_by == Whole.name else policy.k
        return source, f"each row made anew from a group of at least {group} persons", *public
    rounded = (f"counts rounded to {policy.round_to}",) if policy.round_to > 1 else ()
    return source, f"at least {policy.k} persons behind each mark", *rounded, *public


def command_of(request: Mapping[str, Any]) -> str:
    """Return what was asked for as a call.

    Examples
    --------
    >>> from discreet.outputs.check import command_of
    >>> command_of({"plot": "histogram", "columns": ["bmi"], "by": "sex", "bins": 20})
    'histogram(bmi, by=sex, bins=20)'
    """
    rest = {name: it for name, it in request.items() if name not in WHAT}
    given = [*map(str, request.get("columns", ()))]
    given += [f"{name}={it}" for name, it in rest.items()]
    return f"{request['plot']}({', '.join(given)})"
