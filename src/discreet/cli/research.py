"""`discreet research`: a plot of the papers, as printed, of public or simulated data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument

from discreet.cli.command import command, given
from discreet.cli.common import (
    FigureOptions,
    File,
    JsonOption,
    ResearchOptions,
    print_words,
    progress_shown,
)
from discreet.cli.complete import column_names
from discreet.cli.plots import (
    AxesOptions,
    PlotCommand,
    check_columns,
    check_output,
    drawn_by,
    refuse_unused,
    said,
    say_codes,
)
from discreet.errors import InputError, one_of

if TYPE_CHECKING:
    from discreet.plots import View


def of_papers() -> list[str]:
    """Name the plots of the papers of 2021 and 2011."""
    from discreet.custodian.research import Research
    from discreet.plots import PLOTS

    return [name for name in PLOTS if hasattr(Research, name)]


class PaperCommand(PlotCommand):
    """The command as Typer has it, whose help lists the plots of the papers."""

    def kinds(self) -> str:
        """Name the plots that there are."""
        return f"{', '.join(of_papers())}."


@dataclass(frozen=True)
class PaperOptions:
    """What plots of the papers take beside their columns.

    Parameters
    ----------
    k
        The least number of records at anything drawn.
    q
        Noise as a share of the standard deviation.
    bins
        Bins of the histogram.
    grid
        Cells along each side of a grid.
    by
        A categorical column: one colour, box or panel a level.
    trend
        Trend lines of a scatter plot.
    overlay
        A histogram's levels of --by on one pair of axes.
    noise_on
        Of qq by `probabilistic`: noise on points, or on the variable.
    """

    method: str | None = None
    k: int | None = None
    q: float | None = None
    bins: int | None = None
    grid: int | None = None
    by: str | None = None
    trend: bool = False
    overlay: bool = False
    noise_on: str | None = None

    def said(self) -> dict[str, Any]:
        """Return what is asked for, as a Research takes it."""
        return {name: getattr(self, name) for name in sorted(given(self))}


@command()
def research(
    kind: Annotated[str, Argument(metavar="PLOT", help="Which plot.")],
    file: File,
    columns: Annotated[
        list[str],
        Argument(
            help="The columns to draw; a formula for residuals, qq and leverage.",
            autocompletion=column_names,
        ),
    ],
    table: ResearchOptions,
    own: PaperOptions,
    axes: AxesOptions,
    drawing: FigureOptions,
    output: Path | None = None,
    as_json: JsonOption = False,
) -> None:
    """Draw a plot as the papers print it: by any method, of public or simulated data.

    discreet research scatter d2.csv X Y --method deterministic -k 3 -o scatter.svg
    discreet research qq cohort.csv "glucose ~ age + bmi" --method probabilistic -o qq.svg
    discreet research parallel cohort.csv age bmi sex --sensitive sex -l 2 -o parallel.svg

    Parameters
    ----------
    output
        Where to save: .png, .svg, .pdf or .html; .json or .csv for numbers.
    """
    from discreet.plots import PLOTS

    _check(kind, columns, own, axes)
    check_output(output, drawing, as_json=as_json)
    drawn = own.said()
    if PLOTS[kind].axes:
        drawn |= axes.said() | said(pixels=axes.pixels)
    with progress_shown():
        opened = table.open(file, _levels(own, axes))
        view: View = drawn_by(opened, kind, columns, drawn)
        text = view.to_json() if as_json else None
        if output is not None:
            view.save(output, **vars(drawing))
            print_words(f"{output}\n{view.describe()}", err=as_json)
        if text is not None:
            typer.echo(text)
    say_codes(opened, view)


def _check(kind: str, columns: Sequence[str], own: PaperOptions, axes: AxesOptions) -> None:
    """Refuse what a plot of the papers has no place for."""
    from discreet.plots import PLOTS

    papers = of_papers()
    if kind not in papers:
        raise InputError(f"the papers have no plot {kind!r}; there are {one_of(papers)}")
    check_columns(kind, columns)
    plot = PLOTS[kind]
    if own.by and "by" not in plot.settings():
        raise InputError(f"{plot.phrase()} has no --by; leave it out")
    choices = {"trend", "overlay", "noise_on"}
    for name in sorted(given(own) & choices):
        if name not in plot.settings():
            raise InputError(f"{plot.phrase()} has no --{name.replace('_', '-')}; leave it out")
    refuse_unused(kind, given(own) - choices)
    if not plot.axes and (unused := given(axes)):
        raise InputError(f"--{min(unused)} is of parallel coordinates; leave it out")


def _levels(own: PaperOptions, axes: AxesOptions) -> list[str]:
    """Return the columns that are levels because of what is asked."""
    named = [name for name, values in axes.named().items() if values]
    return [*named, *([own.by] if own.by else [])]
