"""`discreet plot`, of the protected copy of a table, and `discreet research`, as the papers print.

The words of options are those of the plots' own docstrings, and which plot takes which is known
from its fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option
from typer.core import TyperArgument, TyperCommand, TyperOption

from discreet.cli.command import command, documented_by, given
from discreet.cli.common import (
    CopyOptions,
    DerivedOptions,
    DiversityOption,
    FigureOptions,
    File,
    FileOrStudy,
    JsonOption,
    ResearchOptions,
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
    from discreet.plots import Plot, View

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
ByOption = Annotated[
    list[str] | None,
    Option(
        help="A categorical column: one colour, box or panel a level. Twice for two columns of the"
        " copy. Repeatable.",
        autocompletion=column_names,
    ),
]
AUTO = "auto"
CHOSEN = "auto for the one that fits the kinds of the columns."
FEW = 3
"""An option that so few plots take says of which it is."""


@documented_by(
    "plots.histogram:HistogramPlot",
    "plots.heatmap:HeatMap",
    "plots.scatter:ScatterPlot",
    "plots.diagnostics:QQPlot",
    "plots.parallel:ParallelPlot",
)
@dataclass(frozen=True)
class SharedOptions:
    """What plots of a copy and of the papers take beside their columns.

    Parameters
    ----------
    sensitive
        A sensitive column, or some of its values: diagnosis=c50,c61.
    """

    by: ByOption = None
    bins: int | None = None
    grid: int | None = None
    trend: bool = False
    overlay: bool = False
    sensitive: list[str] | None = None
    diversity: DiversityOption = None
    pixels: int | None = None
    gradient: bool = True

    def settings(self) -> dict[str, Any]:
        """Return the settings that were given, as a plot has them."""
        values = {name: getattr(self, name) for name in sorted(given(self))}
        if self.by:
            values["by"] = self.by[0] if len(self.by) == 1 else self.by
        if self.sensitive:
            values["sensitive"] = dict(self._sensitive())
        return values

    def _sensitive(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the sensitive columns, each with those of its values that are."""
        values: dict[str, list[str]] = {}
        for each in self.sensitive or ():
            name, _, some = each.partition("=")
            values.setdefault(name.strip(), []).extend(names_of(some) if some else [])
        yield from values.items()


@documented_by(
    "plots.bars:BarChart",
    "plots.scatter:ScatterPlot",
    "plots.survival:SurvivalPlot",
    "plots.over_time:OverTimePlot",
)
@dataclass(frozen=True)
class CopyPlotOptions:
    """What plots of a copy alone take.

    Parameters
    ----------
    weights
        A column of numbers: the weights of a survey.
    """

    show: str | None = None
    percent: bool = False
    weights: str | None = None
    event_is: list[str] | None = None
    every: str | None = None

    def settings(self) -> dict[str, Any]:
        """Return the settings that were given, as a plot has them."""
        return {name: getattr(self, name) for name in sorted(given(self))}


OF_PLOTS = {it.name for kind in (SharedOptions, CopyPlotOptions) for it in fields(kind)}


class PlotCommand(TyperCommand):
    """The command as Typer has it, whose help lists the plots there are, and what each takes.

    They are looked up when they are asked for: importing them takes longer than parsing.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Return what the command takes, the plots named."""
        parameters = super().get_params(ctx)
        for it in parameters:
            if isinstance(it, TyperArgument) and it.name == "kind":
                it.help = self.kinds()
            elif isinstance(it, TyperOption) and it.name in OF_PLOTS:
                of = [plot for plot in self.plots().values() if it.name in plot.settings()]
                words = str(it.help or "")
                if 0 < len(of) <= FEW and not words.startswith("Of "):
                    named = ", ".join(plot.name.replace("_", "-") for plot in of)
                    it.help = f"Of {named}: {words[:1].lower()}{words[1:]}"
        return parameters

    def plots(self) -> Mapping[str, type[Plot[Any]]]:
        """Return the plots that there are."""
        from discreet.plots import PLOTS

        return PLOTS

    def kinds(self) -> str:
        """Name the plots that there are."""
        return f"{', '.join(name.replace('_', '-') for name in self.plots())}; {CHOSEN}"


class PaperCommand(PlotCommand):
    """The command as Typer has it, whose help lists the plots of the papers."""

    def plots(self) -> Mapping[str, type[Plot[Any]]]:
        """Return the plots of the papers of 2021 and 2011."""
        from discreet.custodian.research import Research

        return {name: it for name, it in super().plots().items() if hasattr(Research, name)}

    def kinds(self) -> str:
        """Name the plots that there are."""
        return f"{', '.join(self.plots())}."


@command()
def plot(
    kind: KindArgument,
    file: FileOrStudy,
    columns: ColumnsArgument,
    study: StudyOptions,
    made: CopyOptions,
    derived: DerivedOptions,
    shared: SharedOptions,
    own: CopyPlotOptions,
    drawing: FigureOptions,
    k: int | None = None,
    output: Path | None = None,
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

    Parameters
    ----------
    output
        Where to save: .png, .svg, .pdf or .html; .json or .csv for numbers.
    """
    from discreet.plots import PLOTS

    kind = kind.replace("-", "_")  # as commands are written
    settings = shared.settings() | own.settings()
    if kind == AUTO:
        if taken := settings.keys() - {"by"}:
            option = min(taken).replace("_", "-")
            raise InputError(f"--{option} is for single plots; name the plot instead of auto")
    elif kind not in PLOTS:
        raise InputError(f"unknown plot {kind!r}; there are {one_of([*PLOTS, AUTO])}")
    else:
        _check(PLOTS[kind], columns, settings)
    _check_output(output, drawing, as_json=as_json)
    with progress_shown():
        opened = derived.of(study.open(file, **vars(made), k=k))
        if kind == AUTO:
            view: View = opened.plot(*columns, by=settings.get("by"))
        else:
            view = _drawn(opened, PLOTS[kind], columns, settings)
        _write(view, output, drawing, as_json=as_json)
    if not opened.is_file:  # whose notes name such columns
        _print_codes(opened, view)


@command("custodian.research:Research.histogram")
def research(
    kind: Annotated[str, Argument(metavar="PLOT", help="Which plot.")],
    file: File,
    columns: ColumnsArgument,
    table: ResearchOptions,
    shared: SharedOptions,
    drawing: FigureOptions,
    method: str | None = None,
    k: int | None = None,
    q: float | None = None,
    noise_on: str | None = None,
    output: Path | None = None,
    as_json: JsonOption = False,
) -> None:
    """Draw a plot as the papers print it: by any method, of public or simulated data.

    discreet research scatter d2.csv X Y --method deterministic -k 3 -o scatter.svg
    discreet research qq cohort.csv "glucose ~ age + bmi" --method probabilistic -o qq.svg
    discreet research parallel cohort.csv age bmi sex --sensitive sex -l 2 -o parallel.svg

    Parameters
    ----------
    k
        The least number of records at anything drawn.
    q
        Noise as a share of the standard deviation.
    noise_on
        Of qq by `probabilistic`: noise on points, or on the variable.
    output
        Where to save: .png, .svg, .pdf or .html; .json or .csv for numbers.
    """
    from discreet.custodian.research import Research
    from discreet.plots import PLOTS

    papers = [name for name in PLOTS if hasattr(Research, name)]
    if kind not in papers:
        raise InputError(f"the papers have no plot {kind!r}; there are {one_of(papers)}")
    settings = shared.settings() | ({} if noise_on is None else {"noise_on": noise_on})
    way = {"method": method, "k": k, "q": q}
    way = {name: value for name, value in way.items() if value is not None}
    _check(PLOTS[kind], columns, settings)
    for name in way.keys() & {"k", "q"} - {*PLOTS[kind].numbers}:
        raise InputError(f"{PLOTS[kind].phrase()} does not use --{name}; leave it out")
    _check_output(output, drawing, as_json=as_json)
    coded = [name for name, values in settings.get("sensitive", {}).items() if values]
    with progress_shown():
        opened = table.open(file, [*coded, *(shared.by or [])])
        view = _drawn(opened, PLOTS[kind], columns, settings | way)
        _write(view, output, drawing, as_json=as_json)
    _print_codes(opened, view)


def _drawn(
    opened: Study | Research, plot: type[Plot[Any]], columns: Sequence[str], how: Mapping[str, Any]
) -> View:
    """Draw a plot by its method."""
    listed = plot.listed() and not plot.one_by_one()
    places = (columns or None,) if listed else columns
    view: View = getattr(opened, plot.name)(*places, **how)
    return view


def _write(view: View, output: Path | None, drawing: FigureOptions, *, as_json: bool) -> None:
    """Save a view and say what stands below it, print it, or both."""
    from discreet.render.scene import subtitle_of

    text = view.to_json() if as_json else None
    if output is not None:
        view.save(output, **vars(drawing))
        print_words("\n".join([str(output), *subtitle_of(view.scene().notes).lines()]), err=as_json)
    if text is not None:
        typer.echo(text)


def _check_output(output: Path | None, drawing: FigureOptions, *, as_json: bool) -> None:
    """Refuse a plot that goes nowhere, and what is of a file where there is none."""
    if output is None and not as_json:
        raise InputError(
            "say where to write the plot: -o FIGURE.png, .svg, .pdf or .html, or --json"
        )
    if output is None and vars(drawing) != vars(FigureOptions()):
        raise InputError("--title, --width, --dpi and --no-footnote need a file: add -o FIGURE")


def _check(plot: type[Plot[Any]], columns: Sequence[str], settings: Mapping[str, Any]) -> None:
    """Refuse columns, or a formula, that a plot has no place for, and settings that it has not."""
    from discreet.plots import PLOTS

    what, least, most = plot.phrase(), plot.least(), plot.most()
    if not columns and plot.usual().get("columns", 0) is not None:
        raise InputError(f"say what {what} is of: its columns, or a formula")
    if plot.kind() == "formula":
        if len(columns) != 1:
            raise InputError(f"{what} takes one formula, in quotes: 'y ~ x1 + C(group)'")
    elif least == most != len(columns):
        which = f": {' and '.join(plot.places())}" if plot.unlike() else ""
        raise InputError(f"{what} draws exactly {most} of the columns of the file{which}")
    elif plot.unlike() and not least <= len(columns) <= most:
        raise InputError(f"the columns of {what} are {plot.takes()}; name no others")
    for name in settings:
        if name not in plot.settings():
            of = [it.phrase() for it in PLOTS.values() if name in it.settings()]
            whose = f", which is for {' and '.join(of)}" if len(of) <= FEW else ""
            raise InputError(f"{what} has no --{name.replace('_', '-')}{whose}; leave it out")


def _print_codes(opened: Study | Research, view: View) -> None:
    """Name numbers that may stand for missing values, for whoever keeps the policy."""
    raw = [name for name in view.columns if name in opened.session.table.columns]
    for name, codes in opened.session.missing_codes(raw).items():
        named = ", ".join(f"{code:g}" for code in codes)
        print_words(
            f"{name} may hold codes for missing values ({named}), which were drawn as numbers. "
            f"Declare them in a policy file: missing_values.{name} = [{named}], or [] if they "
            "are values",
            err=True,
        )
