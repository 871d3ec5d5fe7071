"""The record of a folder of outputs, in the layout that ACRO writes and SACRO's viewer reads.

ACRO's reader takes records of its own version alone, so `LAYOUT` stands where it looks for that;
`tool` says who wrote it. What was decided stands beside, under a name that ACRO does not read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from discreet.ledger.outputs import Output, Review
from discreet.provenance import own_version

__all__ = ["LAYOUT", "is_ours", "results_text", "summary_of"]

LAYOUT = "1.0.2"
"""The version of ACRO whose layout this is."""
TOOL = "discreet"


def results_text(outputs: Sequence[Output]) -> str:
    """Return the text of `results.json`."""
    told = {
        "version": LAYOUT,
        "tool": {"@type": "SoftwareApplication", "name": TOOL, "version": own_version()},
        "results": {it.name: _told(it) for it in outputs},
    }
    return json.dumps(told, indent=4, ensure_ascii=False)


def _told(output: Output) -> dict[str, Any]:
    record = output.record
    threshold = {"threshold": 0} if record["status"] == "pass" else {}
    return {
        "uid": output.name,
        "status": record["status"],
        "type": record["type"],
        "properties": {"method": record["kind"], "protected by": record["method"]},
        "files": [{"name": output.name, "sdc": {"summary": threshold, "cells": {}}}],
        "outcome": {},
        "command": record["command"],
        "summary": summary_of(record),
        "timestamp": output.at,
        "comments": [*output.comments],
        "exception": "",
        "fair": {"analysis_name": record["kind"], "independent": [*record["columns"]]},
        "review": {"state": output.state, **_decided(output.decision)},
    }


def _decided(decision: Review | None) -> dict[str, str]:
    return {} if decision is None else {"reason": decision.text, "at": decision.at}


def summary_of(record: Mapping[str, Any]) -> str:
    """Return the status and what was checked, as SACRO's viewer takes it apart.

    Examples
    --------
    >>> from discreet.outputs.layout import summary_of
    >>> summary_of({"status": "pass", "says": ["made here", "k: 5; counts: in fives"]})
    'pass; made here; k: 5, counts: in fives; '
    """
    parts = (record["status"], *record["says"])
    return "".join(f"{part.replace(';', ',')}; " for part in parts)


def is_ours(text: str) -> bool:
    """Tell whether discreet wrote the text of a `results.json`."""
    try:
        return bool(json.loads(text)["tool"]["name"] == TOOL)
    except (ValueError, TypeError, KeyError, RecursionError):
        return False
