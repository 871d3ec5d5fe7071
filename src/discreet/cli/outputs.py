"""`discreet outputs`: what was released goes into a folder, and is approved or rejected."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from discreet.cli.common import (
    JsonOption,
    PolicyOption,
    StateOption,
    StudyOption,
    print_table,
    print_words,
    progress_shown,
)
from discreet.errors import InputError, LeavingError

if TYPE_CHECKING:
    from discreet.custodian.outputs import StudyOutputs
    from discreet.outputs.page import Standing

NO_APPROVAL = {
    "changed": "something in the folder is not as it was handed in: no approval holds for it",
    "outdated": (
        "something in the folder was approved under another policy or version than the one in"
        " force: it waits for a new decision"
    ),
}
"""By the state of an output that was decided, and of which no decision holds any more."""


def outputs(
    folder: Annotated[Path, Argument(help="The folder for the checker; made if there is none.")],
    files: Annotated[
        list[Path] | None,
        Argument(help="Files, and folders of files, to collect from; this folder by default."),
    ] = None,
    from_server: Annotated[
        bool, Option("--from-server", help="Collect what was handed in on the server, too.")
    ] = False,
    state: StateOption = None,
    token: Annotated[
        str | None, Option(help="Of what was handed in, only that of the token of this name.")
    ] = None,
    comment: Annotated[str | None, Option(help="Say something of the outputs.")] = None,
    approve: Annotated[bool, Option("--approve", help="Approve the outputs.")] = False,
    reject: Annotated[bool, Option("--reject", help="Reject the outputs; say why.")] = False,
    reason: Annotated[str, Option(help="Why they are approved or rejected.")] = "",
    of: Annotated[
        list[str] | None,
        Option(help="The name of an output that is meant; all without. Repeatable."),
    ] = None,
    policy: PolicyOption = "standard",
    study: StudyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Collect what a study released into one folder, for an output checker to approve.

    discreet outputs request figures table.csv
    discreet outputs request --from-server
    discreet outputs request --comment "table 2 of the paper" --of table.csv
    discreet outputs request --approve
    discreet outputs request --reject --reason "bins too fine" --of bmi.svg

    The folder gets each file that was made here and not changed since, a record in ACRO's layout,
    and a page to read. What analysts handed in on a server is in the server's record, in the folder
    --state. What is said and decided is in the register. Ends with 4 where no decision holds for
    a file in the folder any more: it was changed since it was handed in, or approved under another
    policy or version than the one in force.
    """
    from discreet.custodian.outputs import outputs_in
    from discreet.serve.state import record_there

    act = _act(comment, approve=approve, reject=reject, reason=reason, of=of)
    if act is not None and (files or from_server):
        raise InputError("files are collected first; say what you decide of them in a second call")
    if token and not from_server:
        raise InputError("--token says whose outputs are collected; give --from-server with it")
    with progress_shown():
        found = outputs_in(folder, policy, study)
        wanted = files or ([] if from_server else [Path()])
        left_out = found.collect(wanted) if act is None else ()
        if from_server:
            found.collect_from_server(record_there(state), token)
        if act is not None:
            found.folder.review(*act, of or ())
        found.write()
        standing, rest = found.folder.standing(), found.not_handed_in()
    named = [str(it) for it in left_out if it in (files or ())]
    if as_json:
        typer.echo(json.dumps(_told(found, standing, named, rest), ensure_ascii=False))
    else:
        _print(found, standing, named, rest)
    _end(standing)


def _end(standing: Sequence[Standing]) -> None:
    """End otherwise where no decision holds for something in the folder any more."""
    gone = [why for state, why in NO_APPROVAL.items() if any(it.state == state for it in standing)]
    for why in gone:
        typer.echo(f"discreet: {why}", err=True)
    if gone:
        raise typer.Exit(LeavingError.exit_code)


def _act(
    comment: str | None, *, approve: bool, reject: bool, reason: str, of: Sequence[str] | None
) -> tuple[str, str] | None:
    """Return what is to be said of outputs, and its words; None where they are collected."""
    acts = [(comment is not None, "comment"), (approve, "approved"), (reject, "rejected")]
    wanted = [what for there, what in acts if there]
    if len(wanted) > 1:
        raise InputError("--comment, --approve and --reject are three acts; give one of them")
    if not wanted:
        if reason or of:
            raise InputError("--reason and --of say more of --approve, --reject or --comment")
        return None
    if comment is not None and reason:
        raise InputError("a comment needs no --reason; write it into the comment")
    return wanted[0], reason if comment is None else comment


def _told(
    found: StudyOutputs, standing: Sequence[Standing], left_out: Sequence[str], rest: Sequence[str]
) -> dict[str, Any]:
    now = found.folder.in_force
    return {
        "folder": str(found.folder.path),
        "study": found.folder.study,
        "outputs": [
            {
                "name": it.output.name,
                "state": it.state,
                "status": it.output.status(now),
                "digest": it.output.digest,
                "command": it.output.record["command"],
                "comments": [*it.output.comments],
                "reason": "" if it.output.decision is None else it.output.decision.text,
            }
            for it in standing
        ],
        "left_out": [*left_out],
        "not_handed_in": [*rest],
    }


def _print(
    found: StudyOutputs, standing: Sequence[Standing], left_out: Sequence[str], rest: Sequence[str]
) -> None:
    now = found.folder.in_force
    if standing:
        rows = [
            (it.output.name, it.output.record["command"], it.output.status(now), it.state)
            for it in standing
        ]
        print_table("", ("file", "what", "checks", "state"), rows)
    else:
        typer.echo("nothing was collected: none of the files was released by this study")
    if left_out:
        names = ", ".join(left_out)
        print_words(f"left out, for this study did not release them as they are: {names}")
    if rest:
        print_words("released, and not in the folder (name where the files are):")
        print_words("\n".join(f"  {it}" for it in rest))
