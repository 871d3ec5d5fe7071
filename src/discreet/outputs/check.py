"""What a file is that may be handed in: by its provenance, its seal, and the register."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.custodian.verify import AS_MADE, SUFFIXES, Verifier, read
from discreet.errors import InputError
from discreet.explore.provenance import BOARD, FIGURES, REPORT
from discreet.outputs.folder import Check, Finding
from discreet.outputs.rules import is_in_force, judged, rang
from discreet.render.journal import FIGURES as DRAWN

__all__ = ["FORMS", "checker", "command_of"]

FORMS = SUFFIXES
"""How files end that can be handed in."""
DERIVED = "derived"
"""Of a request: new columns, each with its expression, and conditions, which have no name."""
PLAIN = re.compile(r"[\w.-]+")
"""Words that are not quoted in a call."""
WHAT = ("plot", "columns", "table", FIGURES, REPORT)
"""Of a request: what was drawn or released, and of what."""


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


def command_of(request: Mapping[str, Any]) -> str:
    """Return what was asked for as a call.

    Examples
    --------
    >>> from discreet.outputs.check import command_of
    >>> command_of({"plot": "histogram", "columns": ["bmi"], "by": "sex", "bins": 20})
    'histogram(bmi, by=sex, bins=20)'
    >>> command_of({"plot": "box", "columns": ["bmi"], "derived": [["", "age >= 50"]]})
    "box(bmi, where='age >= 50')"
    >>> command_of({"plot": "box", "columns": ["a b"], "derived": [["a b", "age * 2"]]})
    "box('a b', assign={'a b': 'age * 2'})"
    """
    rest = {name: it for name, it in request.items() if name not in (*WHAT, DERIVED)}
    given = [*map(_word, request.get("columns", ()))]
    given += [f"{name}={_word(it)}" for name, it in rest.items()]
    for name, text in request.get(DERIVED, ()):
        given.append(f"assign={{{name!r}: {text!r}}}" if name else f"where={text!r}")
    return f"{request['plot']}({', '.join(given)})"


def _word(value: object) -> str:
    """Return a value as it stands in a call; what could pass for more of the call is quoted."""
    return value if isinstance(value, str) and PLAIN.fullmatch(value) else repr(value)
