"""`discreet check`: what a study file is, and who signed it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from discreet.cli.common import JsonOption, print_words

ANOTHER_KEY = 10
"""What the command ends with where another key signed the study before."""


def check(
    file: Annotated[Path, Argument(help="A study file.")],
    trust: Annotated[
        str | None,
        Option(help="The fingerprint of a key to take, though another signed the study before."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a study file is and who signed it, once all of it was read.

    discreet check cohort.discreet
    discreet check cohort.discreet --json

    Ends with 0 if all of it is as it was signed, with 10 if another key signed the study before,
    and with 2 if it is not a study file, or was changed.
    """
    from discreet.study_file.checking import check as check_file

    found = check_file(file, trust=trust)
    if as_json:
        typer.echo(json.dumps(found.to_plain()))
    else:
        print_words(found.to_text())
    if not found.is_trusted:
        raise typer.Exit(ANOTHER_KEY)
