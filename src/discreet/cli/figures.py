"""`discreet columns`, `board`, `summary`, `means`, `model` and `fidelity`: looking at the copy."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from discreet.cli.command import command, given
from discreet.cli.common import (
    CopyOptions,
    DerivedOptions,
    FigureOptions,
    FileOrStudy,
    JsonOption,
    StudyOptions,
    WholeOptions,
    check_new,
    deliver,
    files_in,
    names_of,
    print_words,
    progress_shown,
    show,
)
from discreet.cli.complete import column_names, listed_names
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.estimates.copy_table import CopyTable


@command()
def columns(
    file: FileOrStudy,
    study: StudyOptions,
    derived: DerivedOptions,
    k: int | None = None,
    m: int | None = None,
    as_json: JsonOption = False,
) -> None:
    """List the columns of a file: kind, missing values, a small histogram, levels or range.

    discreet columns cohort.csv
    discreet columns cohort.csv --assign "band=cut(age, 40, 60)"
    """
    with progress_shown():
        listed = derived.of(study.open(file, k=k, m=m)).columns
        text = listed.to_json() if as_json else listed.to_text()
    show(text, as_json=as_json)


@command()
def board(
    file: FileOrStudy,
    study: StudyOptions,
    made: CopyOptions,
    derived: DerivedOptions,
    output: Path | None = None,
    as_json: JsonOption = False,
) -> None:
    """Make the board of a study: one HTML file in which its protected copy is explored.

    It holds every row of the copy, so it is a release, and recorded. It opens in any browser and
    asks nobody for anything.

    discreet board cohort.csv -o board.html
    discreet board cohort.csv --policy clinic.toml --where "age >= 50" -o older.html

    Parameters
    ----------
    output
        Where to release it: a file .html.
    """
    from discreet.unfinished import path_to_save

    if output is None:
        raise InputError("say where to write the board: -o BOARD.html")
    path_to_save(output, (".html",), "a board")  # before the work
    check_new(output)
    with progress_shown():
        opened = study.open(file, **vars(made))
        if not opened.is_file:
            opened.session.check_copy()  # before the work
        page = derived.of(opened).board()
        page.save(output)
    count, size = len(page.columns), output.stat().st_size
    facts = {"path": str(output), "rows": page.rows, "columns": count, "bytes": size}
    words = f"{output}: {page.rows:,} rows of the copy, {count} columns, {size / 1e6:.1f} MB"
    show(json.dumps(facts) if as_json else words, as_json=as_json)


@command()
def rows(file: FileOrStudy, derived: DerivedOptions, output: Path | None = None) -> None:
    """Write the protected rows of a study file as a table for other programs.

    discreet rows cohort.discreet -o rows.csv
    discreet rows cohort.discreet --where "age >= 50" -o older.parquet

    Parameters
    ----------
    output
        Where to write them: .csv or .parquet.
    """
    if output is None:
        raise InputError("say where to write the rows: -o ROWS.csv")
    check_new(output)
    with progress_shown():
        print_words(str(derived.of(StudyOptions().open(file)).rows(output)))


@command("explore.study:Study.summary")
def summary(
    file: FileOrStudy,
    copy: WholeOptions,
    derived: DerivedOptions,
    study: str | None = None,
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
    weights: str | None = None,
    output: list[Path] | None = None,
    as_json: JsonOption = False,
) -> None:
    """Describe columns in a table, as the first one of a paper does, from the protected copy.

    discreet summary cohort.csv
    discreet summary cohort.csv --columns age,bmi --by sex -o table1.html -o table1.tex

    Parameters
    ----------
    output
        Where to release it: .html, .csv, .tex, .xlsx, .dta, .sav, .txt, .json.
    """
    from discreet.estimates.copy_table import SUFFIXES

    deliver(
        lambda: derived.of(copy.open(file, study)).summary(
            names_of(columns) or None, by=by, weights=weights
        ),
        output,
        SUFFIXES,
        OF_FIGURES,
        as_json=as_json,
    )


@command("explore.study:Study.means")
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
    study: str | None = None,
    weights: str | None = None,
    per: str | None = None,
    output: list[Path] | None = None,
    as_json: JsonOption = False,
) -> None:
    """Average a number by the levels of one or two columns, from the protected copy.

    discreet means cohort.csv bmi sex
    discreet means cohort.csv bmi sex smoker -o bmi.csv -o bmi.svg
    discreet means survey.csv income region --weights weight
    discreet means cohort.csv died sex --per years

    Parameters
    ----------
    output
        Where to release it: .html, .csv, .tex, .xlsx, .dta, .sav, .txt, .json, or .png, .svg, .pdf
        for the plot.
    """
    _deliver(
        lambda: derived.of(copy.open(file, study)).means(value, by, weights=weights, per=per),
        output,
        drawing,
        as_json=as_json,
    )


@command("explore.study:Study.model")
def model(
    file: FileOrStudy,
    formula: str,
    copy: WholeOptions,
    derived: DerivedOptions,
    drawing: FigureOptions,
    study: str | None = None,
    family: str = "linear",
    event_is: list[str] | None = None,
    reference: list[str] | None = None,
    weights: str | None = None,
    output: list[Path] | None = None,
    as_json: JsonOption = False,
) -> None:
    """Estimate a regression from the protected copy, with intervals that have its error, too.

    discreet model cohort.csv "bmi ~ age + sex" -o bmi.csv -o bmi.svg
    discreet model cohort.csv "smoker ~ age + sex" --family logistic --event-is yes
    discreet model cohort.csv "survival(days, died) ~ age + sex" --family cox

    Parameters
    ----------
    formula
        The model: 'y ~ x1 + x2 + C(group)'; of cox 'survival(time, event) ~ x1 + x2'; of others one
        term may be random: 'y ~ x1 + (1 | study)'.
    family
        What kind of model: linear, logistic, poisson or cox.
    event_is
        Of logistic and cox: a value that is the event.
    reference
        The level of a column that others are compared with: sex=F. Repeatable; by default the first
        in order.
    output
        Where to release it: .html, .csv, .tex, .xlsx, .dta, .sav, .txt, .json, or .png, .svg, .pdf
        for the plot.
    """
    _deliver(
        lambda: derived.of(copy.open(file, study)).model(
            formula,
            family,
            event_is=event_is or None,
            reference=_references(reference),
            weights=weights,
        ),
        output,
        drawing,
        as_json=as_json,
    )


@command("explore.study:Study.meta_analysis")
def meta_analysis(
    file: FileOrStudy,
    formula: str,
    copy: WholeOptions,
    derived: DerivedOptions,
    drawing: FigureOptions,
    study: str | None = None,
    term: str | None = None,
    by: Annotated[
        str, Option(help="The column of studies.", autocompletion=column_names)
    ] = "study",
    family: str = "linear",
    event_is: list[str] | None = None,
    reference: list[str] | None = None,
    weights: str | None = None,
    output: list[Path] | None = None,
    as_json: JsonOption = False,
) -> None:
    """Combine what several studies say of a mean, a correlation or a term of a model.

    discreet meta-analysis north.discreet south.discreet "bmi ~ age + sex" -o forest.svg
    discreet meta-analysis all.toml bmi
    discreet meta-analysis all.toml "cor(age, bmi)"
    discreet meta-analysis all.toml "survival(days, died) ~ age" --family cox

    Parameters
    ----------
    formula
        The model, 'y ~ x1 + x2 + C(group)'; a column, of whose means it is; or cor(x, y).
    family
        What kind of model: linear, logistic, poisson or cox.
    event_is
        Of logistic and cox: a value that is the event.
    reference
        The level of a column that others are compared with: sex=F. Repeatable; by default the first
        in order.
    output
        Where to release it: .html, .csv, .tex, .xlsx, .dta, .sav, .txt, .json, or .png, .svg, .pdf
        for the plot.
    """
    _deliver(
        lambda: derived.of(copy.open(file, study)).meta_analysis(
            formula,
            term,
            by=by,
            family=family,
            event_is=event_is or None,
            reference=_references(reference),
            weights=weights,
        ),
        output,
        drawing,
        as_json=as_json,
    )


@command()
def harmonise(
    files: Annotated[str, Argument(metavar="FILES", help="Study files, each of another study.")],
    output: Path | None = None,
    as_json: JsonOption = False,
) -> None:
    """Propose how the columns of several studies fit together: a map, to be read and edited.

    discreet harmonise north.discreet south.discreet -o both.toml
    discreet plot histogram both.toml bmi --by study -o bmi.svg

    Parameters
    ----------
    output
        Where to write the map: .toml.
    """
    from discreet.explore.pooled import harmonise as propose

    if output is not None:
        check_new(output)
    with progress_shown():
        found = propose(files_in(files))
    if output is not None:
        found.save(output)
    words = found.to_text() if output is None else str(output)
    show(found.to_json() if as_json else words, as_json=as_json)


OF_FIGURES = "a table of figures"


def _references(texts: Sequence[str] | None) -> dict[str, str] | None:
    """Return the level of each column that was named with one.

    Examples
    --------
    >>> _references(["sex=F", "income=1,000=2,000"])
    {'sex': 'F', 'income': '1,000=2,000'}
    """
    levels = {}
    for each in texts or ():
        column, _, level = each.partition("=")
        if not (column and level):
            raise InputError("--reference takes a column and one of its levels: sex=F")
        levels[column] = level
    return levels or None


def _deliver(
    figures: Callable[[], CopyTable],
    output: Sequence[Path] | None,
    drawing: FigureOptions,
    *,
    as_json: bool,
) -> None:
    """Deliver figures, which may be saved as a plot, too."""
    from discreet.estimates.copy_table import SUFFIXES
    from discreet.render.to_matplotlib import FIGURES

    settings = _settings(output or (), drawing)
    deliver(figures, output, (*SUFFIXES, *FIGURES), OF_FIGURES, settings, as_json=as_json)


def _settings(paths: Sequence[Path], drawing: FigureOptions) -> Mapping[Path, dict[str, Any]]:
    """Return the settings of each file that has use for them, or refuse those that none has."""
    from discreet.render.to_matplotlib import FIGURES

    wanted = {name: getattr(drawing, name) for name in given(drawing)}
    forms = {name: (".png",) if name == "dpi" else FIGURES for name in wanted}
    settings = {
        path: {name: it for name, it in wanted.items() if path.suffix.lower() in forms[name]}
        for path in paths
    }
    unused = [name for name in sorted(wanted) if not any(name in it for it in settings.values())]
    if unused:
        name = {"footnote": "no-footnote"}.get(unused[0], unused[0])
        kind = ".png" if name == "dpi" else "plot"
        raise InputError(f"--{name} is for a {kind}: add -o FIGURE.png, or leave it out")
    return settings


@command()
def fidelity(
    file: FileOrStudy,
    copy: WholeOptions,
    study: str | None = None,
    output: list[Path] | None = None,
    exact: bool = False,
    show: bool = False,
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

    Parameters
    ----------
    output
        Where to release it: .png, .svg, .pdf, .html, .json, .txt.
    exact
        Exact figures, in the units of the columns: to look at alone.
    show
        With --exact: raw beside copy, column by column, as bars.
    """
    from discreet.estimates.fidelity_report import SUFFIXES

    if show and (as_json or not exact):
        raise InputError(
            "--show is of exact figures, to look at: add --exact, and leave out --json"
        )
    report = deliver(
        lambda: copy.open(file, study).fidelity(exact=exact),
        output,
        SUFFIXES,
        "how near a copy is",
        as_json=as_json,
    )
    if show:
        print_words(f"\n{report.beside_text()}")
