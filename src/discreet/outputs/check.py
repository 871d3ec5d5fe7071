"""What a file is that may be handed in: by its provenance, its seal, and the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.errors import InputError
from discreet.ledger.ledger import Ledger
from discreet.outputs.folder import Check, Finding
from discreet.plots import View
from discreet.plots.request import COPY, COUNTS
from discreet.policy import Policy
from discreet.protect import Whole
from discreet.provenance import Provenance, key_of
from discreet.render.metadata import CARRIERS, without_words
from discreet.secret import DerivedKey, Secret
from discreet.study.table_kinds import TABLES

__all__ = ["FORMS", "checker", "command_of"]

JSON = ".json"
FORMS = (*CARRIERS, JSON)
"""How files end that carry their provenance."""
MOST_READ = 64 * 2**20
"""No figure is as large; what is larger is not read."""
SOURCES = {
    COPY: "drawn from the protected copy",
    COUNTS: "counted from the data",
    "rows": "protected for this picture alone",
}


def checker(policy: Policy, ledger: Ledger, secret: Secret, study: str) -> Check:
    """Return what says of a file whether a study released it, and as what."""
    key = key_of(secret)
    released = {told.id: row for row, told in ledger.released() if row["study"] == study}
    # The ledger lets a version be released under one policy alone.
    in_force = ledger.version(study), ledger.left_under(study)[1] == policy.settings()

    def check(path: Path) -> Finding | None:
        told = _sealed_in(path, key)
        row = None if told is None else released.get(told.id)
        if told is None or row is None:
            return None
        same = (row["version"], True) == in_force
        passed = policy.fixed and not policy.public and same
        return Finding(
            status="pass" if passed else "review",
            kind=row["kind"],
            type="table" if row["kind"] in TABLES else "plot",
            columns=tuple(row["columns"]),
            method=row["method"],
            command=command_of(told.request),
            says=("made here, and not changed since", *_rules(told, policy, same=same)),
        )

    return check


def _rules(told: Provenance, policy: Policy, *, same: bool) -> tuple[str, ...]:
    """Say which rules the numbers of a file were made by."""
    source = SOURCES[told.source]
    if not same:
        return source, "made under another policy than the one in force"
    if not policy.fixed:
        return source, f"policy {policy.name}, of public or simulated data"
    public = ("the data are declared public",) if policy.public else ()
    if told.source == COPY:
        group = policy.members if policy.rows_by == Whole.name else policy.k
        return source, f"each row made anew from a group of at least {group} persons", *public
    rounded = (f"counts rounded to {policy.round_to}",) if policy.round_to > 1 else ()
    return source, f"at least {policy.k} persons behind each mark", *rounded, *public


def _sealed_in(path: Path, key: DerivedKey) -> Provenance | None:
    """Return the provenance of a file that was sealed with a key and not changed since."""
    suffix = path.suffix.lower()
    if suffix not in FORMS or path.stat().st_size > MOST_READ:
        return None
    file = path.read_bytes()
    try:
        if suffix == JSON:
            return _sealed_view(file.decode(), key)
        rest, words = without_words(file, suffix)
        told = None if words is None else Provenance.from_text(words)
    except (InputError, UnicodeDecodeError):
        return None
    return told if told is not None and told.fits_file(key, rest) else None


def _sealed_view(text: str, key: DerivedKey) -> Provenance | None:
    """Return the provenance of a view's JSON, where that is as it was written."""
    view: View = View.from_json(text)
    told = view.provenance
    if told is None or view.to_json() != text:
        return None
    return told if told.is_genuine(key) and told.checksum == view.checksum() else None


def command_of(request: Mapping[str, Any]) -> str:
    """Return what was asked for as a call.

    Examples
    --------
    >>> from discreet.outputs.check import command_of
    >>> command_of({"plot": "histogram", "columns": ["bmi"], "by": "sex", "bins": 20})
    'histogram(bmi, by=sex, bins=20)'
    """
    rest = {name: it for name, it in request.items() if name not in ("plot", "columns")}
    given = [*map(str, request.get("columns", ()))]
    given += [f"{name}={it}" for name, it in rest.items()]
    return f"{request['plot']}({', '.join(given)})"
