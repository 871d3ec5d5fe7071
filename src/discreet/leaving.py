"""What is about to leave, and what may not leave beside what has left before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.errors import LeavingError
from discreet.parallel.ordering import one_order
from discreet.sketch import Sketch

__all__ = [
    "CHANGED_PER_K",
    "COUNT_METHOD_OF",
    "DIVERSITY_OF",
    "FORMAT_OF_ROWS",
    "GROUP_OF",
    "KIND_OF",
    "ONE_ORDER",
    "PAIRS",
    "PAIR_OF",
    "UNNAMED",
    "Leaving",
    "Version",
    "check_many_changed",
    "check_names",
    "check_one_order",
    "check_same_table",
    "check_unchanged",
    "check_version",
    "compare",
    "format_of",
]

CHANGED_PER_K = 10
UNNAMED = ""
# How the choices of a column's group, of its count method and of its kind are named,
GROUP_OF, COUNT_METHOD_OF, KIND_OF = "group of ", "count method of ", "kind of "
# and as an axis of parallel coordinates its l-diversity, each pair that left, and which may.
DIVERSITY_OF, PAIR_OF, PAIRS = "diversity of ", "pair ", "list of pairs"
# How the rows of all copies are keyed; a version without it was opened before formats were counted.
FORMAT_OF_ROWS = "format"
ONE_ORDER = "those of one order"
ANOTHER = "declare another in the policy and open a new version (discreet version new)"


@dataclass(frozen=True)
class Leaving:
    """What is about to leave, and what must have stayed the same for it to go.

    Parameters
    ----------
    study : str or None
        The study's name; a study without one is recognised by its columns.
    settings : mapping
        `Policy.settings`: what is one for the whole version.
    choices : mapping of str to str
        What is one for some columns: the count method of a column, the group of a column.
    sketches : mapping of str to Sketch
        Of what is drawn.
    k : int
        Of the policy: fewer than 10 k changed rows must not leave beside the old ones.
    kind, columns, method, form
        What the record says.
    version : int or None
        The version that it was drawn from, where that is to be the latest still.
    format : int or None
        How the copy is keyed that it was drawn from, where it shows rows.
    """

    study: str | None
    settings: Mapping[str, Any]
    choices: Mapping[str, str]
    sketches: Mapping[str, Sketch]
    k: int
    kind: str
    columns: tuple[str, ...]
    method: str
    form: str
    version: int | None = None
    format: int | None = None


@dataclass(frozen=True)
class Version:
    """One version of a study, as the ledger keeps it."""

    id: int
    study: str
    number: int
    settings: Mapping[str, Any]


def check_version(study: str | None, wanted: int | None, latest: int) -> None:
    """Refuse what rests on another version than the latest, where it rests on one."""
    if wanted is not None and wanted != latest:
        name = f"study {study!r}" if study else "these data"
        raise LeavingError(
            f"a new version of {name} was opened; start again with it, for what is at hand rests"
            " on an earlier one",
            "version",
        )


def compare(leaving: Leaving, version: Version, choices: Mapping[str, str]) -> None:
    """Refuse other settings and choices than something of the same data left with."""
    name = f"study {version.study!r}" if version.study else "the same data"
    for what in sorted({*leaving.settings, *version.settings}, key=lambda w: (w != "regime", w)):
        if leaving.settings.get(what) != version.settings.get(what):
            was = _settings_before(leaving, version)
            raise LeavingError(
                f"{what!r} is another than when something of {name} left before, and two values"
                f" of it give records away; use the policy it left under{was}, or open a new"
                " version (discreet version new)"
            )
    if leaving.format not in (None, format_of(choices)):
        raise LeavingError(
            f"rows of {name} left before from another copy, and the two together give records"
            " away; open the study again, or open a new version of what left (discreet version new)"
        )
    for what, value in leaving.choices.items():
        if choices.get(what, value) != value:
            raise LeavingError(
                f"the {what} is another than when something of {name} left before, and the two"
                " together give records away; use the one it left with"
                + _kind_declared(what, choices[what])
                + ("" if what.startswith((COUNT_METHOD_OF, KIND_OF)) else f", or {ANOTHER}"),
                what,
            )


def format_of(choices: Mapping[str, str]) -> int:
    """Return how the rows of a version are keyed, of which these are the choices."""
    return int(choices.get(FORMAT_OF_ROWS, "1"))


def _settings_before(leaving: Leaving, version: Version) -> str:
    """Name the settings that were others, as far as each is a word or a number."""
    before = {
        what: value
        for what, value in version.settings.items()
        if isinstance(value, str | int | float) and leaving.settings.get(what) != value
    }
    named = ", ".join(f"{what} = {value!r}" for what, value in before.items())
    return f" ({named})" if named else ""


def _kind_declared(what: str, kind: str) -> str:
    """Say how the kind is declared that a column left with: what is inferred may have changed."""
    if not what.startswith(KIND_OF):
        return ""
    column = what.removeprefix(KIND_OF)
    return f": kinds={{{column}: {kind!r}}}, or in the policy's file under [kinds]"


def check_one_order(choices: Mapping[str, str]) -> None:
    """Refuse axes that do not fit into one order with what left before, where none is declared."""
    if choices.get(PAIRS) != ONE_ORDER:
        return
    pairs = [json.loads(value) for what, value in choices.items() if what.startswith(PAIR_OF)]
    names = {name for pair in pairs for name in pair}
    sensitive = {name for name in names if choices.get(f"{DIVERSITY_OF}{name!r}", "1") != "1"}
    if not one_order(pairs, sensitive):
        raise LeavingError(
            "these axes do not fit into one order with those that left before, and all orders"
            " together tell far more than one; draw them as they stood beside each other, or"
            " declare pairs in the policy and open a new version (discreet version new)"
        )


def check_names(sketches: Mapping[str, Sketch], known: Mapping[str, Sketch]) -> None:
    """Refuse a column that has left under another name, for it would be protected anew."""
    for what, sketch in sketches.items():
        before = [other for other, old in known.items() if old.mark == sketch.mark]
        if sketch.distinctive and before and what not in before:
            raise LeavingError(
                f"{what!r} left before as {before[0]!r}, and the two together give records away;"
                " give it its old name back"
            )


def check_unchanged(
    version: Version, sketches: Mapping[str, Sketch], known: Mapping[str, Sketch]
) -> None:
    """Refuse columns that have changed within a version."""
    for what, sketch in sketches.items():
        if what in known and known[what].mark != sketch.mark:
            name = f"the data of study {version.study!r}" if version.study else "these data"
            raise LeavingError(
                f"{name} have changed since something left, and the difference gives the changed"
                " rows away; open a new version (discreet version new). If these are other persons"
                " altogether, give the study a name of its own: study="
            )


def check_same_table(
    version: Version, sketches: Mapping[str, Sketch], known: Mapping[str, Sketch]
) -> None:
    """Refuse a table of which no column is as it left under the table's name: it is another.

    Two files of one name, in two folders, are two studies; in one version neither is known again.
    """
    marks = {what: sketch.mark for what, sketch in sketches.items()}
    if known and not any(marks.get(what) == old.mark for what, old in known.items()):
        raise LeavingError(
            f"another table left before as study {version.study!r}: no column of it is in this one"
            " as it left; give this one a name of its own: study= (--study on the command line)"
        )


def check_many_changed(
    version: Version, known: Mapping[str, Sketch], fresh: Mapping[str, Sketch], k: int
) -> None:
    """Refuse data that differ from an earlier version in few rows."""
    for what, new in fresh.items():
        old = known.get(what, new)
        if new.mark != old.mark and old.changed_rows(new) < CHANGED_PER_K * k:
            raise LeavingError(
                f"too few rows of {what!r} have changed since version {version.number}: at least"
                f" {CHANGED_PER_K} k are needed, or the difference of the two versions gives them"
                " away; gather more changes first"
            )
