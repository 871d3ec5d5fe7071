"""By which rules of a study version numbers were made, in words: the same wherever it is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.explore.provenance import COPY, COUNTS, FROM_FILE, MEASURED, ROWS

SOURCES = {
    COPY: "drawn from the protected copy",
    COUNTS: "counted from the data",
    ROWS: "rows that were protected for this alone",
    FROM_FILE: "drawn from the protected copy in a study file",
    MEASURED: "measured on the data beside the released rows, and rounded",
}


def rules_in_words(source: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Say where numbers come from, and which of a version's settings they keep.

    `source` is the one of their provenance, and `settings` are those that the register has of the
    version.

    Examples
    --------
    >>> from discreet.explore.rules import rules_in_words
    >>> rules_in_words("counts", {"regime": "guarded", "k": 6, "round_to": 5})
    ('counted from the data', 'at least 6 persons behind each mark', 'counts rounded to 5')
    """
    return SOURCES[source], *_rules(source, settings)


def _rules(source: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
    if "k" not in settings:
        return (f"regime {settings['regime']}, for public or simulated data",)
    if source == MEASURED:
        return ()
    if source != COUNTS:
        least = settings.get("m", settings["k"])
        return (f"each value drawn anew from at least {least} persons",)
    behind = f"at least {settings['k']} persons behind each mark"
    if settings.get("round_to", 1) > 1:
        return behind, f"counts rounded to {settings['round_to']}"
    return (behind,)
