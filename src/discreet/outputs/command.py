"""What was asked for, as a call that a checker reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from discreet.explore.provenance import FIGURES, REPORT

DERIVED = "derived"
"""Of a request: new columns, each with its expression, and conditions, which have no name."""
PLAIN = re.compile(r"[\w.-]+")
"""Words that are not quoted in a call."""
WHAT = ("plot", "columns", "table", FIGURES, REPORT)
"""Of a request: what was drawn or released, and of what."""


def command_of(request: Mapping[str, Any]) -> str:
    """Return what was asked for as a call.

    Examples
    --------
    >>> from discreet.outputs.command import command_of
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
