"""The command line: parses, calls one public function, prints."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from discreet.cli.comparing import compare
from discreet.cli.ledger import show_log
from discreet.cli.pictures import plot
from discreet.cli.policies import policy_init
from discreet.cli.rounding import round_table
from discreet.cli.serving import serve
from discreet.cli.tables import anonymize, risk, sweep
from discreet.cli.tokens import token_add, token_list, token_revoke
from discreet.cli.versions import version_list, version_new
from discreet.errors import DiscreetError, InputError

__all__ = ["main"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
version = typer.Typer(help="Versions of a study, and what has left.", no_args_is_help=True)
app.add_typer(version, name="version")
policy = typer.Typer(help="What the custodian allows.", no_args_is_help=True)
app.add_typer(policy, name="policy")
token = typer.Typer(help="Who may ask a study on the web.", no_args_is_help=True)
app.add_typer(token, name="token")
for command in (plot, anonymize, risk, sweep, compare, serve):
    app.command()(command)
app.command("round")(round_table)
app.command("log")(show_log)
version.command("new")(version_new)
version.command("list")(version_list)
policy.command("init")(policy_init)
token.command("add")(token_add)
token.command("revoke")(token_revoke)
token.command("list")(token_list)

UNEXPECTED = 70


def _say_version(wanted: bool) -> None:
    from importlib.metadata import version as version_of

    if wanted:
        typer.echo(f"discreet {version_of('discreet')}")
        raise typer.Exit


@app.callback()
def discreet(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="Say which version this is."
        ),
    ] = False,
) -> None:
    """Draw sensitive data without giving anyone away."""


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
def methods() -> None:
    """List the methods: what each promises, and what it leaves open."""
    from rich.console import Console
    from rich.table import Table as Listing

    from discreet.protect import METHODS, ROW_METHODS, ColumnRounding

    listing = Listing("method", "works on", "promises", "leaves open", show_lines=True)
    for name, method in METHODS.items():
        works_on = "rows" if name in ROW_METHODS else "counts"
        if name == ColumnRounding.name:
            works_on = "columns"
        listing.add_row(name, works_on, method.promises, method.leaves_open)
    Console().print(listing)


def main() -> None:
    """Run the command line; end with the error's exit code and one line on standard error."""
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except TyperException as error:  # a word of the command is wrong, or there is none
        said = str(getattr(error, "format_message", error.__str__)())
        if said:  # without any word the help was printed
            typer.echo(f"discreet: {said} See discreet --help.", err=True)
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
