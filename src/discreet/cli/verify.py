"""`discreet verify`: whether files were made here, and are as they were made."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from discreet.cli.common import (
    JsonOption,
    StudyOptions,
    given,
    print_words,
    progress_shown,
    with_options,
)
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.custodian.verify import Verifier
    from discreet.explore.verify_file import FileVerifier

EXIT_CODES = {
    "as made": 0,
    "altered": 10,
    "elsewhere": 11,
    "unknown": 12,
    "unreadable": 13,
    "not comparable": 14,
}
"""What the command ends with by the verdict; of several files by the first of these from 10 on."""


@dataclass(frozen=True)
class VerifyOptions(StudyOptions):
    """What files are compared with: a study as it is opened, or a study file."""

    study: Annotated[
        str | None,
        Option(
            help="A study file (.discreet), from which figures are drawn again and compared; or the"
            " study's name, by default the policy's, or the file's name."
        ),
    ] = None


@with_options
def verify(
    files: Annotated[
        list[Path], Argument(help="Figures, JSON, pages, tables and reports that were saved.")
    ],
    study: VerifyOptions,
    data: Annotated[
        str | None,
        Option(help="The study's table: what was drawn from its copy is then drawn again."),
    ] = None,
    beside: Annotated[
        Path | None,
        Option(
            help="With a study file: a folder into which what is not as made is drawn again, to be"
            " looked at."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether files were made here, and are as they were made.

    discreet verify age.png
    discreet verify *.svg report.html --data cohort.csv --json
    discreet verify *.svg --study cohort.discreet

    With a study file as --study, figures are drawn again from it and compared: no secret is needed.

    Ends with 0 if all are as they were made, else with 10 (one was changed), 11 (one is of another
    secret or study), 12 (one says nothing of where it comes from), 13 (one cannot be read) or 14
    (one is a .png or .pdf, or of a kind that is not drawn again, and there is a study file alone).
    """
    with progress_shown():
        verifier = _verifier(study, data, beside)
        found = verifier.check_all(files)
    if as_json:
        typer.echo(json.dumps([it.to_plain() for it in found]))
    else:
        print_words("\n".join(it.to_text() for it in found))
    codes = {EXIT_CODES[it.verdict] for it in found} - {0}
    if codes:
        raise typer.Exit(min(codes))


def _verifier(
    options: VerifyOptions, data: str | None, beside: Path | None
) -> Verifier | FileVerifier:
    """Return what files are compared with: a study file, the data, or secret and register alone."""
    from discreet.custodian.verify import verifier_of, verifier_of_policy
    from discreet.explore.from_file import is_study_file
    from discreet.explore.verify_file import file_verifier_of

    if is_study_file(options.study):
        if data is not None or given(options) != {"study"}:
            raise InputError(
                "a study file says itself how it was protected; give figures and --study FILE, and"
                " leave --data, --policy and options of the table out"
            )
        return file_verifier_of(options.study, beside)
    if is_study_file(data):
        raise InputError(f"a study file holds no data; give it as --study {data}")
    if beside is not None:
        raise InputError("--beside is of figures of a study file; add --study FILE.discreet")
    if data is None:
        return verifier_of_policy(options.policy)
    return verifier_of(options.open(data).session)
