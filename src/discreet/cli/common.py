"""What the commands share: their options, how a study is opened, and the progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from discreet.errors import InputError, RefusedError

if TYPE_CHECKING:
    from discreet.policy import Policy
    from discreet.study import Study

__all__ = [
    "BinsOption",
    "ByOption",
    "CategoricalOption",
    "File",
    "GridOption",
    "GroupOption",
    "HierarchyOption",
    "ImputeOption",
    "JsonOption",
    "KOption",
    "LevelsOption",
    "MethodOption",
    "NoUnitOption",
    "Output",
    "PolicyOption",
    "QOption",
    "StrataOption",
    "StudyOption",
    "TrendOption",
    "UnitOption",
    "fields_given",
    "listed",
    "moment",
    "names_of",
    "opened",
    "preparation",
    "print_by_version",
    "print_found",
    "print_table",
    "print_words",
    "progress_shown",
    "unit_given",
]

NAMES = ("study", "unit", "groups", "strata", "hierarchies", "pairs", "roles")
"""What the command line may name where a policy file leaves it empty."""

File = Annotated[Path, typer.Argument(help="A .csv, .tsv or .parquet file.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="Where to save: .png, .svg, .pdf, .html, or .json for numbers."
    ),
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
    typer.Option(
        "--group",
        help="Columns whose rows may be seen together: a,b,c. Repeatable. In this and every list"
        " a name with a comma in it stands in double quotes: '\"weight, kg\",age'.",
    ),
]
StrataOption = Annotated[
    str | None, typer.Option("--strata", help="Categorical columns that travel with rows: a,b.")
]
UnitOption = Annotated[
    str | None, typer.Option("--unit", help="The column that says whose a row is.")
]
NoUnitOption = Annotated[
    bool, typer.Option("--no-unit", help="Each row is a person of its own, whatever it looks like.")
]
CategoricalOption = Annotated[
    str | None, typer.Option("--categorical", help="Columns of codes that are levels: a,b.")
]
ByOption = Annotated[
    str | None, typer.Option("--by", help="A categorical column: one colour, box or panel a level.")
]
TrendOption = Annotated[bool, typer.Option("--trend", help="Trend lines of a scatter plot.")]
ImputeOption = Annotated[
    str | None,
    typer.Option("--impute", help="Missing numbers: complete (rows left out), median or mean."),
]
LevelsOption = Annotated[
    str | None,
    typer.Option(
        "--impute-levels", help="Missing levels: complete (rows left out), level or drawn."
    ),
]
HierarchyOption = Annotated[
    list[str] | None,
    typer.Option("--hierarchy", help="Coarser names of a stratum: column=file.csv. Repeatable."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the view as JSON.")]


def fields_given(**given: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in given.items() if value is not None}


def unit_given(unit: str | None, no_unit: bool) -> str | bool | None:
    """Return what the command line says of persons: a column, that a row is one, or nothing."""
    if unit is not None and no_unit:
        raise InputError("--unit and --no-unit say different things; give one of them")
    return False if no_unit else unit


def opened(
    file: Path,
    policy: str,
    fields: dict[str, Any],
    group: Sequence[str] | None,
    strata: str | None,
    levels: Sequence[str] = (),
) -> Study:
    """Open the study, with single fields of its policy overridden."""
    from discreet.policy import PRESETS, load_policy
    from discreet.study import open as open_study

    chosen = load_policy(policy)
    if group:
        fields["groups"] = [names_of(names) for names in group]
    if strata:
        fields["strata"] = names_of(strata)
    if policy not in PRESETS:
        _check_file_stands(chosen, fields)
    if levels:
        # What the custodian's file declares stays.
        fields["kinds"] = dict.fromkeys(levels, "categorical") | dict(chosen.kinds)
    return open_study(file, chosen.changed(**fields))


def _check_file_stands(policy: Policy, fields: Mapping[str, Any]) -> None:
    """Refuse options that overrule a guarded policy file; what it leaves empty may be named."""
    from discreet.policy.fields import frozen

    for name, given in fields.items() if policy.guarded else ():
        held = getattr(policy, name)
        empty = name in NAMES and not held and held is not False
        if not empty and frozen(name, given) != held:
            raise RefusedError(
                f"the policy file says what {name} is; leave the option out, or have the custodian"
                " change the file"
            )


def names_of(text: str) -> list[str]:
    """Return the names of a list such as a,b,c; one with a comma in it stands in double quotes."""
    import csv

    try:
        parted = next(csv.reader([text], skipinitialspace=True)) or [""]
    except csv.Error:
        raise InputError(f"the list {text!r} cannot be read; write it as a,b,c") from None
    return [name.strip() for name in parted]


def listed(text: str | None) -> list[str]:
    """Return the names of a list that may not have been given."""
    return [] if text is None else names_of(text)


@contextmanager
def progress_shown() -> Iterator[None]:
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


def preparation(
    impute: str | None,
    impute_levels: str | None,
    hierarchy: Sequence[str] | None,
) -> dict[str, Any]:
    """Return what options say of the preparation of rows."""
    trees: dict[str, Path] = {}
    for each in hierarchy or ():
        column, equals, path = each.partition("=")
        if not equals:
            raise InputError("--hierarchy takes a column and a file: region=region.csv")
        trees[column.strip()] = Path(path)
    return fields_given(
        missing=impute,
        missing_levels=impute_levels,
        hierarchies=trees or None,
    )


def print_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print texts as a table for the eye, as `print_words` prints words."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table as Listing

    listing = Listing(box=SIMPLE, title=_harmless(title), title_justify="left", pad_edge=False)
    for heading in headings:
        listing.add_column(heading, overflow="fold")
    for row in rows:
        listing.add_row(*map(_harmless, row))
    # Names are printed as they are: what stands in [ ] is no colour.
    Console(markup=False, highlight=False).print(listing)


def print_words(words: str, *, err: bool = False) -> None:
    """Print words for the eye: what is no letter or sign, such as a colour, stands as its code."""
    typer.echo("\n".join(map(_harmless, words.split("\n"))), err=err)


def _harmless(line: str) -> str:
    signs = (it if it.isprintable() else it.encode("unicode_escape").decode() for it in line)
    return "".join(signs)


def moment(at: str) -> str:
    """Return a time of the ledger to the second, for the eye."""
    return at[:19].replace("T", " ")


def print_by_version(
    entries: Sequence[Mapping[str, Any]],
    headings: Sequence[str],
    row: Callable[[Mapping[str, Any]], Sequence[str]],
) -> None:
    """Print entries of the ledger, a table for as long as study and version stay the same."""
    for title, found in groupby(entries, _version_of):
        print_table(title, headings, [row(entry) for entry in found])


def _version_of(entry: Mapping[str, Any]) -> str:
    return f"{entry['study'] or '(unnamed)'}, version {entry['version']}"


class Found(Protocol):
    """What is told of work that was done."""

    def to_json(self) -> str:
        """Return it for programs."""

    def to_text(self) -> str:
        """Return it for people."""


def print_found(found: Found, *, as_json: bool) -> None:
    """Print what was found, for programs or for the eye."""
    if as_json:
        typer.echo(found.to_json())
    else:
        print_words(found.to_text())
