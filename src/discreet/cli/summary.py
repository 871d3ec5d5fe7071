"""`discreet summary`, `means` and `model`: tables of figures, of the copy of the whole table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from discreet.cli.common import (
    DerivedOptions,
    FigureOptions,
    FileOrStudy,
    JsonOption,
    StudyOption,
    WholeOptions,
    given,
    names_of,
    print_found,
    progress_shown,
    references_of,
    with_options,
)
from discreet.cli.complete import column_names, listed_names
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.estimates.copy_table import CopyTable

OutputOption = Annotated[
    list[Path] | None,
    Option(
        "--output", "-o", help="Where to release it: .html, .csv, .tex, .txt, .json. Repeatable."
    ),
]
DrawnOption = Annotated[
    list[Path] | None,
    Option(
        "--output",
        "-o",
        help="Where to release them: .html, .csv, .tex, .txt, .json, or .png, .svg, .pdf for"
        " the plot. Repeatable.",
    ),
]
WeightsOption = Annotated[
    str | None, Option(help="A column of numbers: a survey's weights, by which rows are weighted.")
]


@with_options
def summary(
    file: FileOrStudy,
    copy: WholeOptions,
    derived: DerivedOptions,
    study: StudyOption = None,
    columns: Annotated[
        str | None,
        Option(
            help="The columns to describe: a,b. By default all of the copy.",
            autocompletion=listed_names,
        ),
    ] = None,
    by: Annotated[
        str | None,
        Option(
            help="A column of levels: a column of the table for each.", autocompletion=column_names
        ),
    ] = None,
    weights: WeightsOption = None,
    output: OutputOption = None,
    as_json: JsonOption = False,
) -> None:
    """Describe columns in a table, as the first one of a paper does, from the protected copy.

    discreet summary cohort.csv
    discreet summary cohort.csv --columns age,bmi --by sex -o table1.html -o table1.tex
    """
    from discreet.estimates.copy_table import SUFFIXES

    def make() -> CopyTable:
        described = names_of(columns) or None
        return derived.of(copy.open(file, study)).summary(described, by=by, weights=weights)

    _show(make, SUFFIXES, output, FigureOptions(), as_json=as_json)


@with_options
def means(
    file: FileOrStudy,
    value: Annotated[
        str, Argument(help="The column of numbers to average.", autocompletion=column_names)
    ],
    by: Annotated[
        list[str], Argument(help="One or two columns of levels.", autocompletion=column_names)
    ],
    copy: WholeOptions,
    derived: DerivedOptions,
    drawing: FigureOptions,
    study: StudyOption = None,
    weights: WeightsOption = None,
    output: DrawnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Average a number by the levels of one or two columns, from the protected copy.

    discreet means cohort.csv bmi sex
    discreet means cohort.csv bmi sex smoker -o bmi.csv -o bmi.svg
    discreet means survey.csv income region --weights weight
    """
    from discreet.estimates.copy_table import SUFFIXES
    from discreet.render.journal import FIGURES

    def make() -> CopyTable:
        return derived.of(copy.open(file, study)).means(value, by, weights=weights)

    _show(make, (*SUFFIXES, *FIGURES), output, drawing, as_json=as_json)


@with_options
def model(
    file: FileOrStudy,
    formula: Annotated[
        str,
        Argument(
            help="The model: 'y ~ x1 + x2 + C(group)'; of cox 'survival(time, event) ~ x1 + x2'."
        ),
    ],
    copy: WholeOptions,
    derived: DerivedOptions,
    drawing: FigureOptions,
    study: StudyOption = None,
    family: Annotated[str, Option(help="What kind of model: linear, logistic or cox.")] = "linear",
    event_is: Annotated[
        list[str] | None, Option(help="Of logistic and cox: a value that is the event. Repeatable.")
    ] = None,
    reference: Annotated[
        list[str] | None,
        Option(
            help="The level of a column that others are compared with: sex=F. Repeatable;"
            " by default the first in order."
        ),
    ] = None,
    weights: WeightsOption = None,
    output: DrawnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Estimate a regression from the protected copy, with intervals that have its error, too.

    discreet model cohort.csv "bmi ~ age + sex" -o bmi.csv -o bmi.svg
    discreet model cohort.csv "smoker ~ age + sex" --family logistic --event-is yes
    discreet model cohort.csv "survival(days, died) ~ age + sex" --family cox
    """
    from discreet.estimates.copy_table import SUFFIXES
    from discreet.render.journal import FIGURES

    def make() -> CopyTable:
        opened = derived.of(copy.open(file, study))
        compared = references_of(reference)
        events = event_is or None
        return opened.model(formula, family, event_is=events, reference=compared, weights=weights)

    _show(make, (*SUFFIXES, *FIGURES), output, drawing, as_json=as_json)


def _show(
    make: Callable[[], CopyTable],
    suffixes: tuple[str, ...],
    output: Sequence[Path] | None,
    drawing: FigureOptions,
    *,
    as_json: bool,
) -> None:
    """Make a table, release it where it is asked for, and print it."""
    from discreet.render.figure_file import path_to_save

    paths = output or ()
    for path in paths:
        path_to_save(path, suffixes, "a table of figures")  # before the work
    settings = _drawn_by(paths, drawing)
    with progress_shown():
        found = make()
        for path in paths:
            found.save(path, **settings[path])
    print_found(found, output, as_json=as_json)


def _drawn_by(paths: Sequence[Path], drawing: FigureOptions) -> dict[Path, dict[str, Any]]:
    """Return the settings of each file that has use for them, or refuse those that none has."""
    from discreet.render.journal import FIGURES

    said = {it: getattr(drawing, it) for it in given(drawing)}
    found = {
        path: {
            name: value
            for name, value in said.items()
            if path.suffix.lower() in ((".png",) if name == "dpi" else FIGURES)
        }
        for path in paths
    }
    if unused := {*said} - {name for each in found.values() for name in each}:
        name = {"footnote": "no-footnote"}.get(min(unused), min(unused))
        kind = ".png" if name == "dpi" else "plot"
        raise InputError(f"--{name} is of a {kind}: add -o FIGURE.png, or leave it out")
    return found
