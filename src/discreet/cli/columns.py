"""`discreet columns`: what columns a file has, with figures of the protected copy."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Option

from discreet.cli.common import (
    DerivedOptions,
    FileOrStudy,
    JsonOption,
    StudyOptions,
    print_words,
    progress_shown,
    with_options,
)


@with_options
def columns(
    file: FileOrStudy,
    study: StudyOptions,
    derived: DerivedOptions,
    k: Annotated[
        int | None,
        Option("-k", "--k", help="The least number of persons behind a value of the copy."),
    ] = None,
    m: Annotated[
        int | None, Option("-m", "--m", help="The least persons in a leaf; 4 k by default.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the columns of a file: kind, missing values, a small histogram, levels or range.

    discreet columns cohort.csv
    discreet columns cohort.csv --assign "band=cut(age, 40, 60)"
    """
    with progress_shown():
        found = derived.of(study.open(file, k=k, m=m)).columns
        text = found.to_json() if as_json else found.to_text()
    if as_json:
        typer.echo(text)
    else:
        print_words(text)
