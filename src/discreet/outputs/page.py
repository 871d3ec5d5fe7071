"""How each file of a folder of outputs stands: its record in ACRO's layout, and the page.

ACRO writes that layout and SACRO's viewer reads it. Its reader takes records of its own version
alone, so `LAYOUT` stands where it looks for that; `tool` says who wrote it. What was decided stands
beside, under a name that ACRO does not read. The page is what an output checker reads: every
output, its picture, and what was checked.
"""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from discreet.provenance import checksum_of_file, own_version
from discreet.records.outputs import InForce, Output
from discreet.render.to_html import Html, heading, items, marked_up, page, paragraph, table

CHANGED = "changed"


LAYOUT = "1.0.2"
"""The version of ACRO whose layout this is."""
TOOL = "discreet"
PICTURES = (".png", ".svg")
"""What pages show as a picture; other files are opened elsewhere."""
TABLES = {".csv": ",", ".tsv": "\t"}
ROWS_SHOWN = 10
STYLE = """
.discreet .output{border:1px solid var(--line);border-radius:6px;padding:.25rem 1rem .75rem;
margin:1rem 0}
.discreet .output h2{border:0;margin:.5rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.6rem;
align-items:baseline}
.discreet .state{font-size:.8rem;font-weight:600;border:1px solid currentColor;border-radius:99px;
padding:.05rem .6rem;color:var(--soft)}
.discreet .approved{color:var(--accent)}
.discreet .rejected,.discreet .changed,.discreet .outdated{color:var(--second)}
"""
LEAD = (
    "Each file below was made by discreet from one study. Before it was accepted it was checked "
    "that it was made here and has not been changed since."
)
WORDS = {
    "waiting": "awaits a decision",
    "approved": "approved",
    "outdated": "approved under an earlier policy, and awaits a new decision",
    "rejected": "rejected",
    "changed": "changed since it was handed in",
}


@dataclass(frozen=True)
class Standing:
    """A file of a folder: what of it was handed in last, and how it stands.

    `state` is that of the output under the rules in force ("waiting", "approved", "outdated",
    "rejected"), or "changed" where the file is another than was handed in.
    """

    output: Output
    state: str


def standing_of(
    files: Sequence[Path], outputs: Sequence[Output], now: InForce
) -> tuple[Standing, ...]:
    """Return how files stand that were handed in under their names.

    What was decided holds for the very bytes that it was decided of, and an approval for the rules
    that it was given under, while they are in force. A file that is again as it was when it was
    approved, is approved.
    """
    standing = []
    for file in files:
        handed = [it for it in outputs if it.name == file.name]
        if not handed:
            continue
        digest = checksum_of_file(file) if file.is_file() else ""
        same = [it for it in handed if it.digest == digest]
        if same:
            standing.append(Standing(same[-1], same[-1].state(now)))
        else:
            standing.append(Standing(handed[-1], CHANGED))
    return tuple(standing)


# --- the record ---------------------------------------------------------------------------------


def results_text(standing: Sequence[Standing], now: InForce) -> str:
    """Return the text of `results.json`, under the rules in force now."""
    record = {
        "version": LAYOUT,
        "tool": {"@type": "SoftwareApplication", "name": TOOL, "version": own_version()},
        "results": {it.output.name: _recorded(it, now) for it in standing},
    }
    return json.dumps(record, indent=4, ensure_ascii=False)


def _recorded(standing: Standing, now: InForce) -> dict[str, Any]:
    output = standing.output
    record, status = output.record, output.status(now)
    threshold = {"threshold": 0} if status == "pass" else {}
    decision = output.decision
    decided = {} if decision is None else {"reason": decision.text, "at": decision.at}
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
        "review": {"state": standing.state, **decided},
    }


def summary_of(status: str, says: Sequence[str]) -> str:
    """Return the status and what was checked, as SACRO's viewer takes it apart.

    Examples
    --------
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


# --- the page -----------------------------------------------------------------------------------


def page_text(
    study: str, folder: Path, standing: Sequence[Standing], now: InForce, rest: Sequence[str]
) -> str:
    """Return the page of a folder, under the rules in force now.

    `rest` is what was released and is not in it.
    """
    title = f"Outputs of {study}"
    parts = [heading(title, 1), paragraph(LEAD, "lead"), _overview(standing, now)]
    parts += [_output(folder, it, now, f"output-{i}") for i, it in enumerate(standing, 1)]
    if rest:
        parts += [
            heading("Released, but not handed in"),
            paragraph("The register lists these too; their files are not in this folder.", "soft"),
            items(rest),
        ]
    return page(title, parts, STYLE)


def _overview(standing: Sequence[Standing], now: InForce) -> Html:
    head = ("file", "state", "checks", "what")
    rows = [
        (
            Html(f'<a href="#output-{i}">{marked_up(it.output.name)}</a>'),
            WORDS[it.state],
            it.output.status(now),
            str(it.output.record["command"]),
        )
        for i, it in enumerate(standing, 1)
    ]
    return table(head, rows, caption="All outputs", words=range(len(head)))


def _output(folder: Path, standing: Standing, now: InForce, mark: str) -> Html:
    """Return what there is to see of an output, and what was said of it."""
    output, state = standing.output, standing.state
    head = f'<h2>{marked_up(output.name)} <span class="state {state}">{WORDS[state]}</span></h2>'
    record, decision = output.record, output.decision
    remarks = [f"Comment: {text}" for text in output.comments]
    if decision is not None:
        by = f" ({decision.caller})" if decision.caller else ""
        why = f": {decision.text}" if decision.text else ""
        remarks.append(f"{decision.what.capitalize()} on {decision.at[:10]}{by}{why}")
    parts = [
        paragraph(str(record["command"])),
        items(output.says(now)),
        Html("") if state == CHANGED else _seen(folder / output.name),
        items(remarks),
        paragraph(f"SHA-256 when it was handed in: {output.digest}", "soft"),
    ]
    return Html(f'<section class="output" id="{mark}">{head}{"".join(parts)}</section>')


def _seen(path: Path) -> Html:
    """Show a file as far as a page can."""
    suffix = path.suffix.lower()
    if not path.is_file():
        return Html("")
    link = quote(path.name)
    if suffix in PICTURES:
        return Html(
            f'<figure><div class="plates"><img src="{link}" alt="{marked_up(path.name)}"></div>'
            "</figure>"
        )
    shown = _first_rows(path, TABLES[suffix]) if suffix in TABLES else Html("")
    return Html(f'{shown}<p><a href="{link}">Open the file</a></p>')


def _first_rows(path: Path, sign: str) -> Html:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        head, *rows = itertools.islice(csv.reader(file, delimiter=sign), ROWS_SHOWN + 1)
    even = [row for row in rows if len(row) == len(head)]
    return table(head, even, caption=f"Its first {len(even)} rows", words=range(len(head)))
