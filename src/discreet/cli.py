"""The command line: parses, calls one public function, prints."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.exceptions import TyperException

from discreet.errors import DiscreetError, InputError, one_of

if TYPE_CHECKING:
    from discreet.study import Study
    from discreet.views import View

app = typer.Typer(
    help="Draw sensitive data without giving anyone away.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
version = typer.Typer(help="Versions of a study, and what has left.", no_args_is_help=True)
app.add_typer(version, name="version")

UNEXPECTED = 70

File = Annotated[Path, typer.Argument(help="A .csv, .tsv or .parquet file.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Where to save: .png, .svg, .pdf, or .json for numbers."),
]
PolicyOption = Annotated[
    str,
    typer.Option(
        "--policy",
        help="A preset (standard, datashield, sacro, opensafely, research) or a .toml file.",
    ),
]
KOption = Annotated[
    int | None, typer.Option("-k", help="The least number of persons anything stands on.")
]
MethodOption = Annotated[
    str | None, typer.Option("--method", help="How values are protected; see `discreet methods`.")
]
QOption = Annotated[
    float | None, typer.Option("-q", help="Noise as a share of the standard deviation.")
]
BinsOption = Annotated[int | None, typer.Option("--bins", help="Bins of the histogram.")]
GridOption = Annotated[int | None, typer.Option("--grid", help="Cells along each side of a grid.")]
StudyOption = Annotated[
    str | None, typer.Option("--study", help="The study's name; by default the file's name.")
]
GroupOption = Annotated[
    list[str] | None,
    typer.Option("--group", help="Columns whose rows may be seen together: a,b,c. Repeatable."),
]
StrataOption = Annotated[
    str | None, typer.Option("--strata", help="Categorical columns that travel with rows: a,b.")
]
UnitOption = Annotated[
    str | None, typer.Option("--unit", help="The column that says whose a row is.")
]
CategoricalOption = Annotated[
    str | None, typer.Option("--categorical", help="Columns of codes that are levels: a,b.")
]
ByOption = Annotated[
    str | None, typer.Option("--by", help="A categorical column: one colour, box or panel a level.")
]
TrendOption = Annotated[bool, typer.Option("--trend", help="Trend lines of a scatter plot.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the view as JSON.")]


@app.command()
def plot(
    picture: Annotated[
        str,
        typer.Argument(
            help="histogram, scatter, heatmap, contour, box, bars, crosstab, residuals, qq or"
            " leverage."
        ),
    ],
    file: File,
    columns: Annotated[
        list[str],
        typer.Argument(help="The columns to draw; a formula for residuals, qq and leverage."),
    ],
    output: Output = None,
    policy: PolicyOption = "standard",
    k: KOption = None,
    method: MethodOption = None,
    q: QOption = None,
    bins: BinsOption = None,
    grid: GridOption = None,
    study: StudyOption = None,
    group: GroupOption = None,
    strata: StrataOption = None,
    unit: UnitOption = None,
    categorical: CategoricalOption = None,
    by: ByOption = None,
    trend: TrendOption = False,
    as_json: JsonOption = False,
) -> None:
    """Draw a protected picture of a table.

    discreet plot scatter cohort.csv age glucose -o age-glucose.svg
    discreet plot residuals cohort.csv "glucose ~ age + bmi" -o residuals.svg
    """
    from discreet.policy import PICTURES, load_policy
    from discreet.protect import ROW_METHODS

    if picture not in PICTURES:
        raise InputError(f"there is no picture {picture!r}; there are {one_of(PICTURES)}")
    _check_asked(picture, columns, by=by, trend=trend)
    if output is None and not as_json:
        raise InputError("say where the picture goes: -o FIGURE.png, .svg or .pdf, or --json")
    with _progress():
        numbers = _fields(k=k, q=q, bins=bins, grid=grid)
        guarded = load_policy(policy).guarded
        # A row method makes the study's copy; a count method is the picture's alone.
        rows = method if guarded and method in ROW_METHODS else None
        fields = _fields(rows=rows, study=study, unit=unit) | (numbers if guarded else {})
        as_levels = columns if picture in ("bars", "crosstab") else []
        levels = [*(_names(categorical) if categorical else ()), *([by] if by else ()), *as_levels]
        opened = _opened(file, policy, fields, group, strata, levels)
        drawn = _fields(method=method, by=by, trend=trend or None)
        drawn |= {} if guarded else _used(picture, numbers)
        view = getattr(opened, picture)(*columns, **drawn)
        _deliver(view, output, as_json)


@version.command("new")
def version_new(
    file: File,
    policy: PolicyOption = "standard",
    k: KOption = None,
    rows: Annotated[
        str | None, typer.Option("--method", help="The row method from now on.")
    ] = None,
    q: QOption = None,
    bins: BinsOption = None,
    grid: GridOption = None,
    study: StudyOption = None,
    group: GroupOption = None,
    strata: StrataOption = None,
    unit: UnitOption = None,
) -> None:
    """Open the next version of a study, for changed data or a changed policy."""
    with _progress():
        fields = _fields(k=k, rows=rows, q=q, bins=bins, grid=grid, study=study, unit=unit)
        number = _opened(file, policy, fields, group, strata).new_version()
    typer.echo(f"version {number} is open; what leaves from now on belongs to it")


@version.command("list")
def version_list(
    policy: PolicyOption = "standard",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List what has left: study, version, time and picture, never a value."""
    from rich.console import Console
    from rich.table import Table as Listing

    from discreet.study import ledger_of

    history = ledger_of(policy).history()
    if as_json:
        typer.echo(json.dumps(history))
        return
    listing = Listing()
    for name in ("study", "version", "when", "picture", "columns", "method", "as"):
        listing.add_column(name, overflow="fold")
    for entry in history:
        names = ", ".join(entry["columns"])
        row = (entry["study"] or "(unnamed)", str(entry["version"]), entry["at"], entry["kind"])
        listing.add_row(*row, names, entry["method"], entry["form"])
    Console().print(listing if history else "nothing has left yet")


@app.command()
def example(
    output: Annotated[Path, typer.Argument(help="Where to write the CSV file.")] = Path(
        "cohort.csv"
    ),
) -> None:
    """Write a public cohort to try things on: 442 patients of a diabetes study."""
    from pyarrow.csv import write_csv

    from discreet.datasets import diabetes

    if output.exists():
        raise InputError(f"there is a file {str(output)!r} already; name another one")
    write_csv(diabetes(), output)
    typer.echo(output)


@app.command()
def about() -> None:
    """Say which version of discreet this is."""
    from importlib.metadata import version as version_of

    typer.echo(f"discreet {version_of('discreet')}")


@app.command()
def methods() -> None:
    """List the methods: what each promises, and what it leaves open."""
    from rich.console import Console
    from rich.table import Table as Listing

    from discreet.protect import METHODS, ROW_METHODS

    listing = Listing("method", "works on", "promises", "leaves open", show_lines=True)
    for name, method in METHODS.items():
        works_on = "rows" if name in ROW_METHODS else "counts"
        listing.add_row(name, works_on, method.promises, method.leaves_open)
    Console().print(listing)


def main() -> None:
    """Run the command line; end with the error's exit code and one line on standard error."""
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except TyperException as error:  # a word of the command is wrong, or there is none
        said = str(getattr(error, "format_message", error.__str__)())
        asks_for_help = "\n" in said
        typer.echo(said if asks_for_help else f"discreet: {said} See discreet --help.", err=True)
        sys.exit(InputError.exit_code)
    except DiscreetError as error:
        typer.echo(f"discreet: {error}", err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        # A message or traceback of somebody else's error may quote cells: tell where, not what.
        if os.environ.get("DISCREET_DEBUG"):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        typer.echo(
            f"discreet: unexpected {type(error).__name__} in {Path(place.filename).name}, line"
            f" {place.lineno}; please report it (DISCREET_DEBUG=1 shows more, data perhaps)",
            err=True,
        )
        sys.exit(UNEXPECTED)


def _fields(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _opened(
    file: Path,
    policy: str,
    fields: dict[str, Any],
    group: Sequence[str] | None,
    strata: str | None,
    levels: Sequence[str] = (),
) -> Study:
    """Open the study, with single fields of its policy overridden."""
    from discreet.policy import load_policy
    from discreet.study import open as open_study

    chosen = load_policy(policy)
    if levels:
        # What the custodian's file declares stays.
        fields["kinds"] = dict.fromkeys(levels, "categorical") | dict(chosen.kinds)
    if group:
        fields["groups"] = [_names(names) for names in group]
    if strata:
        fields["strata"] = _names(strata)
    return open_study(file, chosen.changed(**fields))


def _check_asked(picture: str, columns: Sequence[str], *, by: str | None, trend: bool) -> None:
    """Refuse what a picture has no place for."""
    from discreet.policy import DIAGNOSTICS

    wanted = dict.fromkeys(("histogram", "bars"), 1) | dict.fromkeys(
        ("scatter", "heatmap", "contour", "crosstab"), 2
    )
    if picture in DIAGNOSTICS and len(columns) != 1:
        raise InputError(f"a {picture} plot takes one formula, in quotes: 'y ~ x1 + C(group)'")
    if len(columns) != wanted.get(picture, len(columns)):
        raise InputError(f"a {picture} draws exactly {wanted[picture]} of the columns of the file")
    if by is not None and picture in (*DIAGNOSTICS, "crosstab"):
        raise InputError(f"a {picture} has no --by; leave it out")
    if trend and picture != "scatter":
        raise InputError("--trend is for a scatter plot; leave it out")


def _used(picture: str, numbers: dict[str, Any]) -> dict[str, Any]:
    """Refuse a number that a picture is drawn without, where it is the picture's alone."""
    for name in numbers:
        if (
            (name == "bins" and picture != "histogram")
            or (name == "grid" and picture in ("histogram", "bars", "crosstab"))
            or (name == "q" and picture in ("bars", "crosstab"))
        ):
            raise InputError(f"a {picture} has no use for --{name}; leave it out")
    return numbers


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _deliver(view: View, output: Path | None, as_json: bool) -> None:
    """Let the view leave in the forms asked for, and say so."""
    text = view.to_json() if as_json else None
    if output is not None:
        view.save(output)
        typer.echo(f"{output}\n{view.describe()}", err=as_json)
    if text is not None:
        typer.echo(text)


@contextmanager
def _progress() -> Iterator[None]:
    """Show how far the work is, where somebody is looking."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from discreet.progress import listening

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("reading and drawing", total=None)

        def show(name: str, done: int, total: int) -> None:
            bars.update(task, description=name, completed=done, total=total)

        with listening(show):
            yield
