"""`discreet board`: a page in one file, to explore the copy of a whole table in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from discreet.cli.common import (
    CopyOptions,
    DerivedOptions,
    FileOrStudy,
    JsonOption,
    StudyOptions,
    print_words,
    progress_shown,
    with_options,
)
from discreet.errors import InputError, path_in_words


@with_options
def board(
    file: FileOrStudy,
    study: StudyOptions,
    made: CopyOptions,
    derived: DerivedOptions,
    output: Annotated[
        Path | None, Option("--output", "-o", help="Where to release it: a file .html.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make the board of a study: one HTML file in which its protected copy is explored.

    It holds every row of the copy, so it is a release, and recorded. It opens in any browser and
    asks nobody for anything.

    discreet board cohort.csv -o board.html
    discreet board cohort.csv --policy clinic.toml --where "age >= 50" -o older.html
    """
    from discreet.render.figure_file import path_to_save

    if output is None:
        raise InputError("say where the board goes: -o BOARD.html")
    path_to_save(output, (".html",), "a board")  # before the work
    if output.exists():
        raise InputError(f"there is a file {path_in_words(output)} already; name another one")
    with progress_shown():
        opened = study.open(file, **vars(made))
        if not opened.is_file:
            opened.session.check_copy()  # before the work
        found = derived.of(opened).board()
        found.save(output)
    size = output.stat().st_size
    if as_json:
        told = {
            "path": str(output),
            "rows": found.rows,
            "columns": len(found.columns),
            "bytes": size,
        }
        typer.echo(json.dumps(told))
        return
    print_words(
        f"{output}: {found.rows:,} rows of the copy, {len(found.columns)} columns,"
        f" {size / 1e6:.1f} MB"
    )
