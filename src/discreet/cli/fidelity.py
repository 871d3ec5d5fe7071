"""`discreet fidelity`: how near the copy of a whole table is to the raw one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from discreet.cli.common import (
    File,
    JsonOption,
    KindsOption,
    NoUnitOption,
    PolicyOption,
    StudyOption,
    StudyOptions,
    UnitOption,
    print_found,
    progress_shown,
)

__all__ = ["fidelity"]


def fidelity(
    file: File,
    k: Annotated[
        int | None, Option("-k", "--k", help="The least number of persons at anything drawn.")
    ] = None,
    m: Annotated[int | None, Option("-m", "--m", help="Rows in a group of the copy; 2 k.")] = None,
    policy: PolicyOption = "standard",
    study: StudyOption = None,
    unit: UnitOption = None,
    no_unit: NoUnitOption = False,
    kinds: KindsOption = None,
    output: Annotated[
        list[Path] | None,
        Option(
            "--output",
            "-o",
            help="Where to release it: .png, .svg, .pdf, .html, .json, .txt. Repeatable.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say how near the copy of the whole table is to the raw one, beside a resample of it.

    Figures are rounded, so that they may be released with the copy: with -o or --json they are.

    discreet fidelity cohort.csv
    discreet fidelity cohort.csv --policy clinic.toml -o near.html
    """
    from discreet.measure.fidelity_report import SUFFIXES
    from discreet.render.figure_file import path_to_save

    for path in output or ():
        path_to_save(path, SUFFIXES, "how near a copy is")  # before the work
    options = StudyOptions(policy=policy, study=study, unit=unit, no_unit=no_unit, kinds=kinds)
    with progress_shown():
        found = options.open(file, k=k, m=m, rows="whole").fidelity()
        for path in output or ():
            found.save(path)
    print_found(found, output, as_json=as_json)
