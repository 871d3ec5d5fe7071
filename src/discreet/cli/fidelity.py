"""`discreet fidelity`: how near the copy of a whole table is to the raw one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from discreet.cli.common import (
    FileOrStudy,
    JsonOption,
    StudyOption,
    WholeOptions,
    print_found,
    print_words,
    progress_shown,
    with_options,
)


@with_options
def fidelity(
    file: FileOrStudy,
    copy: WholeOptions,
    study: StudyOption = None,
    output: Annotated[
        list[Path] | None,
        Option(
            "--output",
            "-o",
            help="Where to release it: .png, .svg, .pdf, .html, .json, .txt. Repeatable.",
        ),
    ] = None,
    exact: Annotated[
        bool,
        Option("--exact", help="Exact figures, in the units of the columns: to look at alone."),
    ] = False,
    show: Annotated[
        bool, Option("--show", help="With --exact: raw beside copy, column by column, as bars.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Say how near the copy of the whole table is to the raw one, beside a resample of it.

    Figures are rounded, so that they may be released with the copy: with -o or --json they are. The
    first lines name what is farthest off: with --exact in the units of the columns, for whoever
    holds the original, and never released; --show beside it has bars of raw and copy.

    discreet fidelity cohort.csv
    discreet fidelity cohort.csv --exact
    discreet fidelity cohort.csv --exact --show
    discreet fidelity cohort.csv --policy clinic.toml -o near.html
    """
    from discreet.errors import InputError
    from discreet.estimates.fidelity_report import SUFFIXES
    from discreet.render.figure_file import path_to_save

    if show and (as_json or not exact):
        raise InputError(
            "--show is of exact figures, to look at: add --exact, and leave out --json"
        )
    for path in output or ():
        path_to_save(path, SUFFIXES, "how near a copy is")  # before the work
    with progress_shown():
        found = copy.open(file, study).fidelity(exact=exact)
        for path in output or ():
            found.save(path)
    print_found(found, output, as_json=as_json)
    if show:
        print_words(f"\n{found.beside_text()}")
