"""`discreet plot`: a protected plot of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option
from typer.core import TyperArgument, TyperCommand

from discreet.cli.command import command, given
from discreet.cli.common import (
    CopyOptions,
    DerivedOptions,
    DiversityOption,
    FigureOptions,
    FileOrStudy,
    JsonOption,
    NumberOptions,
    StudyOptions,
    names_of,
    print_words,
    progress_shown,
)
from discreet.cli.complete import column_names, plot_names
from discreet.errors import InputError, one_of

if TYPE_CHECKING:
    from discreet.custodian.research import Research
    from discreet.explore import Study
    from discreet.plots import View

KindArgument = Annotated[
    str, Argument(metavar="PLOT", autocompletion=plot_names, help="Which plot.")
]
ColumnsArgument = Annotated[
    list[str],
    Argument(
        help="The columns to draw; a formula for residuals, qq and leverage; for correlations all"
        " columns of numbers where none is named, for auto an overview.",
        autocompletion=column_names,
        show_default=False,
        default_factory=list,
    ),
]
AUTO = "auto"
CHOSEN = "auto for the one that fits the kinds of the columns."


@dataclass(frozen=True)
class AxesOptions:
    """What parallel coordinates take beside what every plot does."""

    sensitive: Annotated[
        list[str] | None,
        Option(
            help="Of parallel: a sensitive column, or some of its values: diagnosis=c50,c61."
            " Repeatable."
        ),
    ] = None
    diversity: DiversityOption = None
    pixels: Annotated[int | None, Option(help="Of parallel: pixels of every axis.")] = None
    gradient: Annotated[
        bool, Option("--gradient/--no-gradient", help="Of parallel: clusters with fading edges.")
    ] = True

    def named(self) -> dict[str, list[str]]:
        """Return the sensitive columns, each with those of its values that are."""
        found: dict[str, list[str]] = {}
        for each in self.sensitive or ():
            name, _, values = each.partition("=")
            more = names_of(values) if values else []
            found[name.strip()] = [*found.get(name.strip(), []), *more]
        return found

    def said(self) -> dict[str, Any]:
        """Return what is asked for beside pixels, as a Study takes it."""
        named = said(sensitive=self.named() or None, diversity=self.diversity)
        return named | {"gradient": self.gradient}


@dataclass(frozen=True)
class OwnOptions:
    """What single plots take."""

    by: Annotated[
        list[str] | None,
        Option(
            help="A categorical column: one colour, box or panel a level. Twice for two columns of"
            " the copy of the whole table.",
            autocompletion=column_names,
        ),
    ] = None
    trend: Annotated[bool, Option("--trend", help="Trend lines of a scatter plot.")] = False
    show: Annotated[
        str | None,
        Option(
            help="Of scatter: points, or density (cells coloured by how many rows lie in them);"
            " density, where it is left out, of more than 2,000 rows."
        ),
    ] = None
    percent: Annotated[
        bool, Option("--percent", help="Bars as percent, within each level of --by.")
    ] = False
    overlay: Annotated[
        bool, Option("--overlay", help="A histogram's levels of --by on one pair of axes.")
    ] = False
    weights: Annotated[
        str | None, Option(help="Of bars and histograms: a column of numbers, a survey's weights.")
    ] = None
    event_is: Annotated[
        list[str] | None,
        Option(help="Of survival: a value of the event's column that is the event. Repeatable."),
    ] = None
    every: Annotated[
        str | None, Option(help="Of over-time: day, week, month, quarter or year.")
    ] = None

    def divided(self) -> str | list[str] | None:
        """Return the column that divides the plot, or the two that do."""
        return self.by[0] if self.by and len(self.by) == 1 else self.by or None

    def said(self) -> dict[str, Any]:
        """Return what is asked for, as a Study takes it."""
        named = said(by=self.divided(), every=self.every, show=self.show, weights=self.weights)
        return named | said(event_is=self.event_is or None) | self.yes()

    def yes(self) -> dict[str, bool]:
        """Return what is asked for by its name alone."""
        flags = ("trend", "percent", "overlay")
        return {name: True for name in flags if getattr(self, name)}


class PlotCommand(TyperCommand):
    """The command as Typer has it, whose help lists the plots there are.

    They are looked up when they are asked for: importing them takes longer than parsing.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Return what the command takes, the plots named."""
        found = super().get_params(ctx)
        for it in found:
            if isinstance(it, TyperArgument) and it.name == "kind":
                it.help = self.kinds()
        return found

    def kinds(self) -> str:
        """Name the plots that there are."""
        from discreet.plots import PLOTS

        return f"{', '.join(name.replace('_', '-') for name in PLOTS)}; {CHOSEN}"


@command()
def plot(
    kind: KindArgument,
    file: FileOrStudy,
    columns: ColumnsArgument,
    study: StudyOptions,
    numbers: NumberOptions,
    axes: AxesOptions,
    made: CopyOptions,
    derived: DerivedOptions,
    own: OwnOptions,
    drawing: FigureOptions,
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            help="Where to save: .png, .svg, .pdf or .html; .json or .csv for numbers.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw a plot of the protected copy of a table.

    discreet plot scatter cohort.csv age glucose -o age-glucose.svg
    discreet plot residuals cohort.csv "glucose ~ age + bmi" -o residuals.svg
    discreet plot parallel cohort.csv age bmi glucose sex -o parallel.svg
    discreet plot heatmap cohort.csv age bmi --grid 12 -o age-bmi.svg
    discreet plot histogram cohort.csv bmi --where "age >= 50 and sex == 'F'" -o bmi.svg
    discreet plot box cohort.csv bmi --by ethnicity --by sex -o bmi-by-two.svg
    discreet plot box cohort.csv bmi --by sex --width 85 --dpi 600 --no-footnote -o bmi.png
    discreet plot survival cohort.csv days status --event-is dead --by sex -o survival.svg
    discreet plot over-time cohort.csv admitted bmi --every month -o bmi-over-time.svg
    discreet plot auto cohort.csv age bmi -o chosen.svg
    """
    from discreet.plots import PLOTS

    kind = kind.replace("-", "_")  # as commands are written
    if kind == AUTO:
        _check_auto(numbers, axes, own)
    else:
        _check_asked(kind, columns, axes, own)
        refuse_unused(kind, given(numbers) - {"k"})
    check_output(output, drawing, as_json=as_json)
    with progress_shown():
        opened = derived.of(study.open(file, **vars(made), k=numbers.k))
        if kind == AUTO:
            view: View = opened.plot(*columns, by=own.divided())
        else:
            drawn = own.said() | said(bins=numbers.bins, grid=numbers.grid, pixels=axes.pixels)
            if PLOTS[kind].axes:
                drawn |= axes.said()
            view = drawn_by(opened, kind, columns, drawn)
        text = view.to_json() if as_json else None
        if output is not None:
            view.save(output, **vars(drawing))
            print_words(f"{output}\n{view.describe()}", err=as_json)
        if text is not None:
            typer.echo(text)
    if not opened.is_file:  # whose notes name such columns
        say_codes(opened, view)


def drawn_by(opened: Study | Research, kind: str, columns: Sequence[str], how: Any) -> View:
    """Draw a plot by its name."""
    from discreet.plots import PLOTS

    plot = PLOTS[kind]
    one = plot.listed() and not plot.one_by_one()
    view: View = getattr(opened, kind)(*((columns or None,) if one else columns), **how)
    return view


def _check_auto(numbers: NumberOptions, axes: AxesOptions, own: OwnOptions) -> None:
    """Refuse what a single plot takes, where which plot it is is not said."""
    taken = (given(numbers) - {"k"}) | given(axes) | (given(own) - {"by"})
    if taken:
        option = min(taken).replace("_", "-")
        raise InputError(f"--{option} is of single plots; name the plot instead of auto")


def said(**options: Any) -> dict[str, Any]:
    """Return those of some options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def check_output(output: Path | None, drawing: FigureOptions, *, as_json: bool) -> None:
    """Refuse a plot that goes nowhere, and what is of a file where there is none."""
    if output is None and not as_json:
        raise InputError("say where the plot goes: -o FIGURE.png, .svg, .pdf or .html, or --json")
    if output is None and vars(drawing) != vars(FigureOptions()):
        raise InputError("--title, --width, --dpi and --no-footnote are of a file: add -o FIGURE")


def check_columns(kind: str, columns: Sequence[str]) -> None:
    """Refuse columns, or a formula, that a plot has no place for."""
    from discreet.plots import PLOTS

    found = PLOTS[kind]
    what, least, most = found.phrase(), found.least(), found.most()
    if not columns and found.usual().get("columns", 0) is not None:
        raise InputError(f"say what {what} is of: its columns, or a formula")
    if found.of_formula():
        if len(columns) != 1:
            raise InputError(f"{what} takes one formula, in quotes: 'y ~ x1 + C(group)'")
        return
    if least == most != len(columns):
        which = f": {' and '.join(found.places())}" if found.unlike() else ""
        raise InputError(f"{what} draws exactly {most} of the columns of the file{which}")
    if found.unlike() and not least <= len(columns) <= most:
        raise InputError(f"the columns of {what} are {found.takes()}; name no others")


def _check_asked(kind: str, columns: Sequence[str], axes: AxesOptions, own: OwnOptions) -> None:
    """Refuse what a plot has no place for."""
    from discreet.plots import PLOTS

    if kind not in PLOTS:
        raise InputError(f"there is no plot {kind!r}; there are {one_of([*PLOTS, AUTO])}")
    check_columns(kind, columns)
    found = PLOTS[kind]
    known = found.settings()
    if own.by and "by" not in known:
        raise InputError(f"{found.phrase()} has no --by; leave it out")
    if wrong := own.yes().keys() - {*known}:
        raise InputError(f"{found.phrase()} has no --{min(wrong)}; leave it out")
    if own.event_is and "event_is" not in known:
        raise InputError("--event-is is for a survival curve; leave it out")
    if own.weights and "weights" not in known:
        raise InputError("--weights is for bars and histograms; leave it out")
    if own.every and "every" not in known:
        raise InputError("--every is for a plot over time; leave it out")
    if own.show and "show" not in known:
        raise InputError("--show is for a scatter plot; leave it out")
    if not found.axes and (unused := given(axes)):
        raise InputError(f"--{min(unused)} is of parallel coordinates; leave it out")


def refuse_unused(kind: str, names: Iterable[str]) -> None:
    """Refuse a number that a plot is drawn without."""
    from discreet.plots import PLOTS

    plot = PLOTS[kind]
    for name in sorted(names):
        if name not in plot.parameters() and any(name in it.parameters() for it in PLOTS.values()):
            raise InputError(f"{plot.phrase()} has no use for --{name}; leave it out")


def say_codes(found: Study | Research, view: View) -> None:
    """Name numbers that may stand for missing values, for whoever keeps the policy."""
    raw = [name for name in view.columns if name in found.session.table.columns]
    for name, codes in found.session.missing_codes(raw).items():
        named = ", ".join(f"{code:g}" for code in codes)
        print_words(
            f"{name} may hold codes for missing values ({named}), which were drawn as numbers. In"
            f" a policy file: missing_values.{name} = [{named}], or [] if they are values",
            err=True,
        )
