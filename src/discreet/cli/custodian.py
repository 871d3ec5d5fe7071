"""What the custodian does: reads the log, opens versions, begins a policy or a register."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from discreet.cli.command import command
from discreet.cli.common import (
    CopyOptions,
    File,
    JsonOption,
    StudyOptions,
    dates_of,
    moment,
    print_table,
    print_words,
    progress_shown,
)
from discreet.errors import BrokenPromiseError, InputError, path_in_words

if TYPE_CHECKING:
    from discreet.records.store import Store
    from discreet.register.register import Register

# --- log ----------------------------------------------------------------------------------------

SHOWN_BROKEN = 20
SHOWN_OF_VIEW = 8  # letters of its id, as in the names of its files
CHANGED = (
    "it was changed by something other than discreet, or its rows were sealed with another key; "
    "restore it and the key beside it from one backup"
)
UNCHANGED = (
    "no row that is here was changed; only --head can tell whether the last rows were cut off: "
    "keep the head elsewhere"
)
WHOLE = "nothing was changed, and everything up to the head is there"
ASKED = ("when (UTC)", "who", "what", "outcome")
RELEASED = ("when (UTC)", "what", "columns", "method", "as")


@command()
def show_log(
    policy: str = "standard",
    state: Path | None = None,
    as_json: JsonOption = False,
    released: bool = False,
    last: Annotated[int | None, Option(min=1, help="Only the newest so many.")] = None,
    verify: bool = False,
    head: str | None = None,
) -> None:
    """List what was released, withdrawn and asked on the web, or check that no row was changed.

    Parameters
    ----------
    released
        What has been released alone, never a value.
    verify
        Check that nothing of the register was changed; with --state, of the server's record.
    head
        The head that an earlier --verify printed: is it there yet?
    """
    from discreet.custodian import register_of
    from discreet.serve.record import existing_record

    register, record = register_of(policy), existing_record(state)
    if verify or head is not None:
        if released or last is not None:
            raise InputError("--verify checks the whole record; leave out --released and --last")
        if state is not None and record is None:
            raise InputError("the folder of --state has no server record")
        _check(register.store if state is None or record is None else record, head, as_json=as_json)
        return
    register.store.check_begun()
    entries = register.history() if released else _entries(register, record)
    entries = entries if last is None else entries[-last:]
    if as_json:
        typer.echo(json.dumps(entries))
        return
    if not entries:
        typer.echo(f"{'' if released else 'nothing was asked, and '}nothing was released yet")
    for version, of_version in groupby(entries, _title):
        rows = [_row(entry, released=released) for entry in of_version]
        print_table(version, RELEASED if released else ASKED, rows)


def _title(entry: Mapping[str, Any]) -> str:
    """Name the version that an entry is of; a beginning is of none."""
    if entry["version"] == 0:
        return "(all studies)"
    return f"{entry['study'] or '(unnamed)'}, version {entry['version']}"


def _check(store: Store, head: str | None, *, as_json: bool) -> None:
    from discreet.records.store import verify

    with progress_shown():
        chain = verify(store, head)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(chain)))
    else:
        typer.echo(f"rows: {chain.rows}\nhead: {chain.head}")
        for what in chain.broken[:SHOWN_BROKEN]:
            typer.echo(f"broken: {what}")
        if len(chain.broken) > SHOWN_BROKEN:
            typer.echo("broken: and more (--json lists all)")
        verdict = UNCHANGED if head is None else WHOLE
        typer.echo(CHANGED if chain.broken else verdict)
    if chain.broken:
        raise typer.Exit(BrokenPromiseError.exit_code)


def _entries(register: Register, record: Store | None) -> list[dict[str, Any]]:
    """Return what was released and declared, and what was asked on the web, by time."""
    from discreet.serve.record import log

    entries = [_register_entry(it, "", it["reason"]) for it in register.declared()]
    entries += [] if record is None else log(record)
    for it in register.history():
        request = json.dumps({"columns": it["columns"], "method": it["method"]})
        entries.append(_register_entry(it, request, f"released as {it['form']}"))
    return sorted(entries, key=lambda entry: str(entry["at"]))


def _register_entry(entry: Mapping[str, Any], request: str, outcome: str) -> dict[str, Any]:
    """Return an entry of the register as one of a server's record."""
    same = {name: entry[name] for name in ("at", "study", "version")}
    more = {"what": entry["kind"], "request": request, "outcome": outcome}
    return {"id": None, "caller": "", **same, **more}


def _row(entry: Mapping[str, Any], *, released: bool) -> tuple[str, ...]:
    """Say of an entry what was asked for as a person would: histogram of age; by sex."""
    at = moment(entry["at"])
    if released:
        return at, entry["kind"], ", ".join(entry["columns"]), entry["method"], entry["form"]
    request = json.loads(entry["request"] or "{}")
    columns, view = request.pop("columns", None), request.pop("view", None)
    request_in_words = entry["what"] + (f" of {', '.join(columns)}" if columns else "")
    if view:
        request_in_words += f" of view {view[:SHOWN_OF_VIEW]}"
    for name, value in request.items():
        request_in_words += f"; {name} {value if isinstance(value, str) else json.dumps(value)}"
    return at, entry["caller"], request_in_words, entry["outcome"]


# --- private files ------------------------------------------------------------------------------


@command()
def forget(policy: str = "standard") -> None:
    """Delete the private files beside a policy, into which files of text were read.

    Protected copies and the record stay. Text is read into a private file again when it is opened,
    unless the policy says private_files = false.
    """
    from discreet.custodian import forget_private_files

    count = forget_private_files(policy)
    typer.echo(f"deleted: {count} private file{'s' * (count != 1)}")


# --- version, policy ----------------------------------------------------------------------------


@command()
def version_new(
    file: File, study: StudyOptions, made: CopyOptions, k: int | None = None, measure: bool = False
) -> None:
    """Open the next version of a study, for changed data or a changed policy.

    Versions of a copy of the whole table together give away who left; --measure says how well.

    Parameters
    ----------
    measure
        Open nothing: measure how well it would be seen who left. Exact.
    """
    from discreet.custodian.protect import Protected

    with progress_shown():
        opened = Protected(study.open(file, **vars(made), k=k))
        report = opened.attack_versions() if measure else None
        number = opened.new_version() if report is None else 0
    if report is not None:
        print_words(report.to_text())
        return
    typer.echo(f"version {number} is open; everything released from now on belongs to it")


@command()
def policy_init(
    file: File, output: Path = Path("discreet.toml"), dates: list[str] | None = None
) -> None:
    """Write a policy with a role, a kind and a safe range guessed for each column, to be edited.

    discreet policy init cohort.parquet -o discreet.toml

    Parameters
    ----------
    output
        Where to write the policy: a .toml file.
    """
    from discreet.custodian.guesses import propose_policy
    from discreet.table import shown

    if output.suffix != ".toml":
        raise InputError("a policy is a .toml file; give it that ending: -o discreet.toml")
    if os.path.lexists(output):
        raise InputError(f"there is a file {path_in_words(output)} already; name another one")
    if not os.path.isdir(output.parent):
        raise InputError(
            f"there is no folder {path_in_words(output.parent)}; make it, or name another one"
        )
    with progress_shown():
        text = propose_policy(file, dates_of(dates))
        try:
            with output.open("x", encoding="utf-8", newline="\n") as written:
                written.write(text)
        except OSError as error:
            raise InputError(
                f"the policy could not be written to {path_in_words(output)}"
                f": {type(error).__name__}"
            ) from None
    typer.echo(output)
    typer.echo(
        "Read every line and correct wrong guesses, roles first. Then try it\n    discreet "
        f"plot histogram {shown(file)} COLUMN --policy {output} -o try.png\nand serve it:\n    "
        f"discreet serve {shown(file)} --policy {output}",
        err=True,
    )


# --- register -------------------------------------------------------------------------------------


@command()
def register_begin(*, lost: str, policy: str = "standard") -> None:
    """Begin a new register of what was released, in place of one that is lost.

    Restore the old one from a backup if there is any: the new one does not know what was released.

    Parameters
    ----------
    lost
        Why it is lost, in some words; discreet log shows them.
    """
    from discreet.custodian import begin_register

    begin_register(lost, policy)
    typer.echo("a new register was begun; it knows nothing about earlier releases")


@command()
def register_withdraw(
    study: str,
    *,
    reason: str,
    policy: str = "standard",
    version: Annotated[
        int | None, Option("--version", min=1, help="Its number, if it is not the current one.")
    ] = None,
) -> None:
    """Declare that nothing of a version of a study was given away: twice for a study at most.

    Its copy counts no more, and the next one may have another k, m or secret. Delete what was saved
    of it. A version that was published as a study file cannot be withdrawn.

    Parameters
    ----------
    study
        Its name, as in discreet log.
    reason
        Why; discreet log shows it.
    """
    from discreet.custodian import withdraw

    with progress_shown():
        number = withdraw(study, reason, policy, version=version)
    typer.echo(f"version {number} of {study} is withdrawn; delete what was saved from it")
