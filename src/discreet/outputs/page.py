"""The page that an output checker reads: every output, its picture, and what was checked."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from discreet.outputs.standing import CHANGED, Standing
from discreet.records.outputs import InForce
from discreet.render.to_html import Html, heading, items, marked_up, page, paragraph, table

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
    "Each file below was made by discreet from one study. It was checked before it was taken up:"
    " that it was made here, and that nothing in it was changed since."
)
WORDS = {
    "waiting": "waits for a decision",
    "approved": "approved",
    "outdated": "approved under an earlier policy, and waits for a new decision",
    "rejected": "rejected",
    "changed": "changed since it was handed in",
}


def page_text(
    study: str, folder: Path, standing: Sequence[Standing], now: InForce, rest: Sequence[str]
) -> str:
    """Return the page of a folder, under the rules in force now.

    `rest` is what was released and is not in it.
    """
    title = f"Outputs of {study}"
    parts = [heading(title, 1), paragraph(LEAD, "lead"), _overview(standing, now)]
    parts += [_output(folder, it, now, _mark(i)) for i, it in enumerate(standing)]
    if rest:
        parts += [
            heading("Released, and not handed in"),
            paragraph("The register has these, too; their files are not in this folder.", "soft"),
            items(rest),
        ]
    return page(title, parts, STYLE)


def _overview(standing: Sequence[Standing], now: InForce) -> Html:
    head = ("file", "state", "checks", "what")
    rows = [
        (
            Html(f'<a href="#{_mark(i)}">{marked_up(it.output.name)}</a>'),
            WORDS[it.state],
            it.output.status(now),
            str(it.output.record["command"]),
        )
        for i, it in enumerate(standing)
    ]
    return table(head, rows, caption="All outputs", words=range(len(head)))


def _mark(place: int) -> str:
    return f"output-{place + 1}"


def _output(folder: Path, standing: Standing, now: InForce, mark: str) -> Html:
    """Return what there is to see of an output, and what was said of it."""
    output, state = standing.output, standing.state
    head = f'<h2>{marked_up(output.name)} <span class="state {state}">{WORDS[state]}</span></h2>'
    record, decision = output.record, output.decision
    said = [f"Comment: {text}" for text in output.comments]
    if decision is not None:
        by = f" ({decision.caller})" if decision.caller else ""
        why = f": {decision.text}" if decision.text else ""
        said.append(f"{decision.what.capitalize()} on {decision.at[:10]}{by}{why}")
    parts = [
        paragraph(str(record["command"])),
        items(output.says(now)),
        Html("") if state == CHANGED else _seen(folder / output.name),
        items(said),
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
