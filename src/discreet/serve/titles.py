"""What a plot or table that was asked for is called, as a person would say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.explore.questions import BY_STEPS
from discreet.explore.table_kinds import TABLES
from discreet.plots import PLOTS
from discreet.policy.words import listed

MOST_NAMES = 6
"""So many columns are named; of more the rest is counted."""


def title_of(kind: str, asked: Mapping[str, Any]) -> str:
    """Return what is asked for in words, from a kind and the body that asked for it; "" of others.

    Examples
    --------
    >>> title_of("histogram", {"columns": ["bmi"], "by": "sex", "where": ["age >= 50"]})
    'Histogram of bmi by sex, where age >= 50'
    >>> title_of("survival", {"columns": ["months", "died"], "event_is": ["yes"]})
    'Survival over months until died (yes)'
    >>> title_of("means", {"value": "bmi", "by": ["sex"]})
    'Means of bmi by sex'
    >>> title_of("rows", {})
    ''
    """
    if kind not in PLOTS and kind not in TABLES:
        return ""
    names = [*_texts(asked.get("columns")), *_texts(asked.get("value"))]
    by, where = _texts(asked.get("by")), _texts(asked.get("where"))
    if kind in PLOTS and PLOTS[kind].answered == BY_STEPS and len(names) == 2:
        event = _texts(asked.get("event_is"))
        said = f"Survival over {names[0]} until {names[1]}"
        said += f" ({' or '.join(event)})" if event else ""
    else:
        title = PLOTS[kind].title if kind in PLOTS else TABLES[kind].title
        of = asked.get("formula") or _few(names)
        per = f" per {asked['per']}" if asked.get("per") else ""
        said = f"{title} of {of}{per}" if of else title
    said += f" by {_few(by)}" if by else ""
    return said + (f", where {' and '.join(where)}" if where else "")


def _texts(given: object) -> list[str]:
    """Return what is one text, several, or none as a list."""
    if isinstance(given, str):
        return [given]
    return [str(it) for it in given] if isinstance(given, Sequence) else []


def _few(names: Sequence[str]) -> str:
    """Return names as they are read: "a, b and c"."""
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} more"]
    return listed(names)
