"""The record of a folder of outputs, in the layout that ACRO writes and SACRO's viewer reads.

ACRO's reader takes records of its own version alone, so `LAYOUT` stands where it looks for that;
`tool` says who wrote it. What was decided stands beside, under a name that ACRO does not read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from discreet.outputs.standing import Standing
from discreet.provenance import own_version
from discreet.records.outputs import InForce, Review

LAYOUT = "1.0.2"
"""The version of ACRO whose layout this is."""
TOOL = "discreet"


def results_text(standing: Sequence[Standing], now: InForce) -> str:
    """Return the text of `results.json`, under the rules in force now."""
    told = {
        "version": LAYOUT,
        "tool": {"@type": "SoftwareApplication", "name": TOOL, "version": own_version()},
        "results": {it.output.name: _told(it, now) for it in standing},
    }
    return json.dumps(told, indent=4, ensure_ascii=False)


def _told(standing: Standing, now: InForce) -> dict[str, Any]:
    output = standing.output
    record, status = output.record, output.status(now)
    threshold = {"threshold": 0} if status == "pass" else {}
    return {
        "uid": output.name,
        "status": status,
        "type": record["type"],
        "properties": {"method": record["kind"], "protected by": record["method"]},
        "files": [{"name": output.name, "sdc": {"summary": threshold, "cells": {}}}],
        "outcome": {},
        "command": record["command"],
        "summary": summary_of(status, output.says(now)),
        "timestamp": output.at,
        "comments": [*output.comments],
        "exception": "",
        "fair": {"analysis_name": record["kind"], "independent": [*record["columns"]]},
        "review": {"state": standing.state, **_decided(output.decision)},
    }


def _decided(decision: Review | None) -> dict[str, str]:
    return {} if decision is None else {"reason": decision.text, "at": decision.at}


def summary_of(status: str, says: Sequence[str]) -> str:
    """Return the status and what was checked, as SACRO's viewer takes it apart.

    Examples
    --------
    >>> from discreet.outputs.layout import summary_of
    >>> summary_of("pass", ["made here", "k: 5; counts: in fives"])
    'pass; made here; k: 5, counts: in fives; '
    """
    return "".join(f"{part.replace(';', ',')}; " for part in (status, *says))


def is_ours(text: str) -> bool:
    """Tell whether discreet wrote the text of a `results.json`."""
    try:
        return bool(json.loads(text)["tool"]["name"] == TOOL)
    except (ValueError, TypeError, KeyError, RecursionError):
        return False
