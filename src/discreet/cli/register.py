"""What the custodian declares of what was released."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Argument, Option

from discreet.cli.common import PolicyOption, progress_shown


def register_begin(
    lost: Annotated[
        str, Option("--lost", help="Why it is lost, in some words; discreet log shows them.")
    ],
    policy: PolicyOption = "standard",
) -> None:
    """Begin a new register of what was released, in place of one that is lost.

    Restore the old one from a backup if there is any: the new one does not know what was released.
    """
    from discreet.custodian import begin_register

    begin_register(lost, policy)
    typer.echo("a new register begins; it knows nothing of what was released before")


def register_withdraw(
    study: Annotated[str, Argument(help="Its name, as in discreet log.")],
    reason: Annotated[str, Option("--reason", help="Why; discreet log shows it.")],
    policy: PolicyOption = "standard",
    version: Annotated[
        int | None, Option("--version", min=1, help="Its number, if it is not the one in force.")
    ] = None,
) -> None:
    """Declare that nothing of a version of a study was given away: twice for a study at most.

    Its copy counts no more, and the next one may have another k, m or secret. Delete what was saved
    of it. A version that was published as a study file cannot be withdrawn.
    """
    from discreet.custodian import withdraw

    with progress_shown():
        number = withdraw(study, reason, policy, version=version)
    typer.echo(f"version {number} of {study} is withdrawn; delete what was saved of it")
