"""`discreet log`: what was asked, by whom, and what left; and whether the record was changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.common import PolicyOption, moment, print_by_version, progress_shown
from discreet.errors import BrokenPromiseError

if TYPE_CHECKING:
    from discreet.ledger import Ledger, Verification

__all__ = ["show_log"]

WEB = "web"  # as what the server lets a picture leave, which is asked for in a row of its own
SHOWN_BROKEN = 20
SHOWN_OF_VIEW = 8  # letters of its id, as in the names of its files
HEADINGS = ("when (UTC)", "who", "what", "became of it")


def show_log(
    policy: PolicyOption = "standard",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    last: Annotated[
        int | None, typer.Option("--last", min=1, help="The newest so many alone.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check that nothing of the record was changed.")
    ] = False,
    head: Annotated[
        str | None,
        typer.Option("--head", help="The head that an earlier --verify printed: is it there yet?"),
    ] = None,
) -> None:
    """List what was asked and what left, oldest first, or check that no row was changed."""
    from discreet.study import ledger_of

    ledger = ledger_of(policy)
    if verify or head is not None:
        _check(ledger, head, as_json=as_json)
        return
    entries = _entries(ledger)
    entries = entries if last is None else entries[-last:]
    if as_json:
        typer.echo(json.dumps(entries))
        return
    _print(entries)


def _check(ledger: Ledger, head: str | None, *, as_json: bool) -> None:
    from dataclasses import asdict

    from discreet.ledger import verify

    with progress_shown():
        found = verify(ledger.store, head)
    if as_json:
        typer.echo(json.dumps(asdict(found)))
    else:
        for line in _said(found, asked_for=head is not None):
            typer.echo(line)
    if found.broken:
        raise typer.Exit(BrokenPromiseError.exit_code)


def _said(found: Verification, *, asked_for: bool) -> list[str]:
    lines = [f"rows: {found.rows}", f"head: {found.head}"]
    if found.adopted is not None:
        lines.append(f"rows from before {found.adopted} are checked as they were then")
    if found.broken:
        lines += [f"broken: {what}" for what in found.broken[:SHOWN_BROKEN]]
        if len(found.broken) > SHOWN_BROKEN:
            lines.append("broken: and more (--json lists all)")
        lines.append(
            "the ledger was changed behind discreet's back, or its rows were sealed with another"
            " secret; restore it and its secret from a backup"
        )
    elif asked_for:
        lines.append("nothing was changed, and what the head stands for is all there")
    else:
        lines.append(
            "no row that is here was changed; whether the last ones were cut off is seen with"
            " --head alone: keep the head elsewhere"
        )
    return lines


def _entries(ledger: Ledger) -> list[dict[str, Any]]:
    """Return what was asked, and what left without being asked for on the web, by time."""
    from discreet.ledger import log

    left = [
        {
            "id": None,
            "at": entry["at"],
            "caller": "",
            "study": entry["study"],
            "version": entry["version"],
            "what": entry["kind"],
            "request": json.dumps({"columns": entry["columns"], "method": entry["method"]}),
            "outcome": f"left as {entry['form']}",
        }
        for entry in ledger.history()
        if entry["form"] != WEB
    ]
    return sorted([*log(ledger.store), *left], key=lambda entry: str(entry["at"]))


def _print(entries: list[dict[str, Any]]) -> None:
    if not entries:
        typer.echo("nothing was asked, and nothing has left yet")
    print_by_version(
        entries,
        HEADINGS,
        lambda entry: (
            moment(entry["at"]),
            entry["caller"],
            _asked(entry["what"], json.loads(entry["request"] or "{}")),
            entry["outcome"],
        ),
    )


def _asked(what: str, request: dict[str, Any]) -> str:
    """Say what was asked for as a person would: histogram of age; by sex."""
    columns, view = request.pop("columns", None), request.pop("view", None)
    said = f"{what} of {', '.join(columns)}" if columns else what
    if view:
        said += f" of view {view[:SHOWN_OF_VIEW]}"
    return "; ".join([said, *(f"{name} {_text(value)}" for name, value in request.items())])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
