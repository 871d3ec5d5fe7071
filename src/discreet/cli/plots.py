"""`discreet plot`: a protected plot of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from discreet.cli.common import (
    DiversityOption,
    File,
    JsonOption,
    MethodOption,
    NumberOptions,
    StudyOptions,
    given,
    names_of,
    print_words,
    progress_shown,
    with_options,
)
from discreet.errors import InputError, one_of

if TYPE_CHECKING:
    from discreet.plots import View
    from discreet.study import Study

__all__ = ["plot"]

KindArgument = Annotated[
    str,
    Argument(
        metavar="PLOT",
        help="histogram, scatter, heatmap, contour, box, bars, crosstab, residuals, qq,"
        " leverage or parallel.",
    ),
]
ColumnsArgument = Annotated[
    list[str], Argument(help="The columns to draw; a formula for residuals, qq and leverage.")
]


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
    pairs: Annotated[
        list[str] | None,
        Option(help="Of parallel: columns that may be neighbours: a,b. Repeatable."),
    ] = None
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

    def fields(self) -> dict[str, Any]:
        """Return what a guarded study is opened with."""
        return {
            "roles": dict.fromkeys(self.named(), "sensitive") or None,
            "pairs": [names_of(pair) for pair in self.pairs or ()] or None,
            "diversity": self.diversity,
            "pixels": self.pixels,
        }


@with_options
def plot(
    kind: KindArgument,
    file: File,
    columns: ColumnsArgument,
    study: StudyOptions,
    numbers: NumberOptions,
    axes: AxesOptions,
    output: Annotated[
        Path | None,
        Option(
            "--output", "-o", help="Where to save: .png, .svg, .pdf, .html, or .json for numbers."
        ),
    ] = None,
    method: MethodOption = None,
    by: Annotated[
        str | None, Option(help="A categorical column: one colour, box or panel a level.")
    ] = None,
    trend: Annotated[bool, Option("--trend", help="Trend lines of a scatter plot.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Draw a protected plot of a table.

    discreet plot scatter cohort.csv age glucose -o age-glucose.svg
    discreet plot residuals cohort.csv "glucose ~ age + bmi" -o residuals.svg
    discreet plot parallel cohort.csv age bmi glucose sex --sensitive sex -o parallel.svg
    """
    from discreet.plots import PLOTS
    from discreet.protect import ROW_METHODS, named

    _check_asked(kind, columns, axes, by=by, trend=trend)
    if output is None and not as_json:
        raise InputError("say where the plot goes: -o FIGURE.png, .svg, .pdf or .html, or --json")
    with progress_shown():
        guarded = study.rules().fixed
        drawn, fields = _said(method=method, by=by, trend=trend or None), {}
        if guarded:
            # A row method makes the study's copy; a count method is the plot's alone.
            rows = method if named(method or "")[0] in ROW_METHODS else None
            fields = {"rows": rows, **vars(numbers), **axes.fields()}
        else:
            drawn |= _own_numbers(kind, numbers, axes)
        if PLOTS[kind].axes:
            drawn |= _said(sensitive=axes.named() or None) | {"gradient": axes.gradient}
        counted = columns if PLOTS[kind].columns == "categorical" else ()
        # Columns whose sensitive values are named are levels.
        levels = [name for name, values in axes.named().items() if values]
        levels += [*([by] if by else ()), *counted]
        opened = study.open(file, levels, **fields)
        of = (columns,) if PLOTS[kind].axes else columns
        view = getattr(opened, kind)(*of, **drawn)
        text = view.to_json() if as_json else None
        if output is not None:
            view.save(output)
            print_words(f"{output}\n{view.describe()}", err=as_json)
        if text is not None:
            typer.echo(text)
    _say_codes(opened, view)


def _said(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _check_asked(
    kind: str, columns: Sequence[str], axes: AxesOptions, *, by: str | None, trend: bool
) -> None:
    """Refuse what a plot has no place for."""
    from discreet.plots import PLOTS

    if kind not in PLOTS:
        raise InputError(f"there is no plot {kind!r}; there are {one_of(PLOTS)}")
    found = PLOTS[kind]
    if found.of_formula and len(columns) != 1:
        raise InputError(f"a {kind} plot takes one formula, in quotes: 'y ~ x1 + C(group)'")
    if not found.of_formula and found.least == found.most != len(columns):
        raise InputError(f"a {kind} draws exactly {found.most} of the columns of the file")
    if by is not None and not found.by:
        raise InputError(f"a {kind} has no --by; leave it out")
    if trend and "trend" not in found.parameters:
        raise InputError("--trend is for a scatter plot; leave it out")
    if not found.axes and (unused := given(axes)):
        raise InputError(f"--{min(unused)} is of parallel coordinates; leave it out")


def _own_numbers(kind: str, numbers: NumberOptions, axes: AxesOptions) -> dict[str, Any]:
    """Return the numbers of a plot that are its alone; refuse one that it is drawn without."""
    from discreet.plots import PARAMETERS, PLOTS

    if axes.pairs:
        raise InputError("--pairs is of guarded policies; under 'research' any order is drawn")
    for name in sorted(given(numbers)):
        if name in PARAMETERS and name not in PLOTS[kind].parameters:
            raise InputError(f"a {kind} has no use for --{name}; leave it out")
    return _said(**vars(numbers), diversity=axes.diversity, pixels=axes.pixels)


def _say_codes(found: Study, view: View) -> None:
    """Name numbers that may stand for missing values, for whoever keeps the policy."""
    for name, codes in found.missing_codes(view.columns).items():
        named = ", ".join(f"{code:g}" for code in codes)
        print_words(
            f"{name} may hold codes for missing values ({named}), which were drawn as numbers. In"
            f" a policy file: missing_values.{name} = [{named}], or [] if they are values",
            err=True,
        )
