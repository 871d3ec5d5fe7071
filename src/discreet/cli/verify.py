"""`discreet verify`: whether files were made here, and are as they were made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from discreet.cli.common import (
    JsonOption,
    StudyOptions,
    print_words,
    progress_shown,
    with_options,
)

if TYPE_CHECKING:
    from discreet.study.verify import Verifier

__all__ = ["EXIT_CODES", "verify"]

EXIT_CODES = {"as made": 0, "altered": 10, "elsewhere": 11, "unknown": 12, "unreadable": 13}
"""What the command ends with by the verdict; of several files by the first of these from 10 on."""


@with_options
def verify(
    files: Annotated[
        list[Path], Argument(help="Figures, JSON, pages, tables and reports that were saved.")
    ],
    study: StudyOptions,
    data: Annotated[
        str | None,
        Option(help="The study's table: what was drawn from its copy is then drawn again."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether files were made here, and are as they were made.

    discreet verify age.png
    discreet verify *.svg report.html --data cohort.csv --json

    Ends with 0 if all are as they were made, else with 10 (one was changed), 11 (one is of another
    secret or study), 12 (one says nothing of where it comes from) or 13 (one cannot be read).
    """
    with progress_shown():
        verifier = _verifier(study, data)
        found = verifier.check_all(files)
    if as_json:
        typer.echo(json.dumps([it.to_plain() for it in found]))
    else:
        print_words("\n".join(it.to_text() for it in found))
    codes = {EXIT_CODES[it.verdict] for it in found} - {0}
    if codes:
        raise typer.Exit(min(codes))


def _verifier(options: StudyOptions, data: str | None) -> Verifier:
    """Return what files are compared with: the study, or its secret and ledger alone."""
    from discreet.study.verify import verifier_of, verifier_of_policy

    if data is None:
        return verifier_of_policy(options.rules())
    return verifier_of(options.open(data).session)
