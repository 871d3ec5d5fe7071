"""`discreet compare`: many ways to round one table, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.common import File, listed, names_of, print_found, progress_shown
from discreet.cli.tables import DropOption, ladder
from discreet.errors import InputError

__all__ = ["compare"]

ALL = "all"
USUAL = "20,25,34,50,100,167"


WaysOption = Annotated[str, typer.Option("--rounding", help="Ways to round: mdav,kmeans; or all.")]
KsOption = Annotated[
    str, typer.Option("--k", "-k", help="Least rows at a point; others take c = rows / k points.")
]
TargetOption = Annotated[
    str | None,
    typer.Option("--target", help="A column to predict: classes (trees) or numbers (lines)."),
]


def compare(
    file: File,
    rounding: WaysOption = ALL,
    k: KsOption = USUAL,
    target: TargetOption = None,
    drop: DropOption = None,
    representative: Annotated[
        str,
        typer.Option("--representative", help="What a point is: mean, median, midpoint."),
    ] = "mean",
    folds: Annotated[
        int, typer.Option("--folds", help="In how many parts rows are held out from models.")
    ] = 10,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="Where to save: .html, .csv, .json, .txt. Repeatable."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Round a table in many ways: what each loses, gives away, and what models still learn.

    For whoever holds the original: the numbers are exact, and nothing of it is a release.

    discreet compare wine.csv --rounding all -k 20,50,100 --target class -o compare.html
    """
    from discreet.measure.roundings import compare_roundings
    from discreet.measure.roundings_report import SUFFIXES
    from discreet.render.figure_file import path_to_save

    for path in output or ():
        path_to_save(path, SUFFIXES, "a comparison")  # before the work
    methods = names_of(rounding)
    if ALL in methods and len(methods) > 1:
        raise InputError("--rounding is all, or a list of methods; see `discreet methods`")
    with progress_shown():
        found = compare_roundings(
            file,
            None if methods == [ALL] else methods,
            k=ladder(k),
            target=target,
            drop=listed(drop),
            representative=representative,
            folds=folds,
        )
        for path in output or ():
            found.save(path)
    if output:
        typer.echo(", ".join(map(str, output)), err=as_json)
    print_found(found, as_json=as_json)
