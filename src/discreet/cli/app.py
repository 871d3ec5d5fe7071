"""The command line: parses, calls one public function, prints."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from io import BytesIO
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option
from typer.exceptions import TyperException

from discreet.cli.attack import attack
from discreet.cli.board import board
from discreet.cli.check import check
from discreet.cli.columns import columns
from discreet.cli.custodian import forget, policy_init, show_log, version_new
from discreet.cli.fidelity import fidelity
from discreet.cli.outputs import outputs
from discreet.cli.plots import PlotCommand, plot
from discreet.cli.protect import protect
from discreet.cli.register import register_begin, register_withdraw
from discreet.cli.research import PaperCommand, research
from discreet.cli.server import serve, token_add, token_list, token_revoke
from discreet.cli.summary import means, model, summary
from discreet.cli.tables import anonymize, evaluate, rounding, tune
from discreet.cli.upkeep import doctor, man, warm
from discreet.cli.verify import verify
from discreet.errors import DiscreetError, InputError, path_in_words, without_urls

NAMED = {rounding: "round"}
CLASSES = {plot: PlotCommand, research: PaperCommand}

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
version = typer.Typer(help="Versions of a study.", no_args_is_help=True)
app.add_typer(version, name="version")
policy = typer.Typer(help="What the custodian allows.", no_args_is_help=True)
app.add_typer(policy, name="policy")
register = typer.Typer(
    help="Declare that the register is lost, or that nothing of a version was given away.",
    no_args_is_help=True,
)
app.add_typer(register, name="register")
token = typer.Typer(help="Who may ask a study on the web.", no_args_is_help=True)
app.add_typer(token, name="token")
for command in (
    columns,
    plot,
    board,
    summary,
    means,
    model,
    research,
    anonymize,
    rounding,
    evaluate,
    attack,
    fidelity,
    tune,
    outputs,
    protect,
    check,
    verify,
    serve,
    forget,
    doctor,
    warm,
    man,
):
    app.command(NAMED.get(command), cls=CLASSES.get(command))(command)
app.command("log")(show_log)
version.command("new")(version_new)
policy.command("init")(policy_init)
register.command("begin")(register_begin)
register.command("withdraw")(register_withdraw)
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
        Option(
            "--version", callback=_say_version, is_eager=True, help="Say which version this is."
        ),
    ] = False,
) -> None:
    """Draw sensitive data without giving anyone away."""


@app.command()
def example(
    output: Annotated[Path, Argument(help="Where to write the CSV file.")] = Path("cohort.csv"),
) -> None:
    """Write a public cohort to try things on: 442 patients of a diabetes study."""
    from pyarrow.csv import write_csv

    from discreet.datasets import diabetes

    write_csv(diabetes(), made := BytesIO())
    if not output.exists():
        output.write_bytes(made.getvalue())
    elif not output.is_file() or output.read_bytes() != made.getvalue():
        raise InputError(f"there is a file {path_in_words(output)} already; name another one")
    typer.echo(output)


@app.command()
def methods() -> None:
    """List the methods: what each promises, and what it does not protect."""
    from rich.console import Console
    from rich.table import Table as Listing

    from discreet.methods import COPY_METHODS, METHODS, ColumnRounding

    listing = Listing("method", "works on", "promises", "does not protect", show_lines=True)
    for name, method in METHODS.items():
        works_on = "rows" if name in COPY_METHODS else "counts"
        if name == ColumnRounding.name:
            works_on = "columns"
        listing.add_row(name, works_on, method.promises, method.leaves_open)
    Console().print(listing)


def _as_line(message: Warning | str, *_: object) -> str:
    """Return a warning as the command line says it: without the place in the program."""
    return f"discreet: {message}\n"


def _command_of(error: TyperException) -> str:
    """Return the command in which a word is wrong, as it is typed."""
    names: list[str] = []
    context = getattr(error, "ctx", None)
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    return " ".join(["discreet", *names])


def main() -> None:
    """Run the command line; end with the error's exit code and one line on standard error."""
    warnings.formatwarning = _as_line  # type: ignore[assignment]
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except TyperException as error:  # a word of the command is wrong, or there is none
        said = without_urls(str(getattr(error, "format_message", error.__str__)()))
        if said:  # without any word the help was printed
            end = "" if said[-1] in ".?!" else "."
            typer.echo(f"discreet: {said}{end} See {_command_of(error)} --help.", err=True)
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
