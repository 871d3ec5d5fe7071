"""The command line: parses, calls one public function, prints."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option
from typer.exceptions import TyperException

from discreet.cli.answers import answer, answers, ask
from discreet.cli.command import command
from discreet.cli.common import JsonOption, print_words, progress_shown, show, together
from discreet.cli.custodian import (
    forget,
    policy_init,
    register_begin,
    register_withdraw,
    show_log,
    version_new,
)
from discreet.cli.figures import (
    board,
    columns,
    fidelity,
    harmonise,
    means,
    meta_analysis,
    model,
    rows,
    summary,
)
from discreet.cli.files import check, outputs, protect, verify
from discreet.cli.plots import PaperCommand, PlotCommand, plot, research
from discreet.cli.server import serve, token_add, token_list, token_revoke
from discreet.cli.tables import anonymize, attack, evaluate, rounding, tune
from discreet.errors import DiscreetError, InputError, path_in_words, without_urls

UNEXPECTED = 70


# --- about discreet itself ------------------------------------------------------------------------


@command()
def doctor(policy: str = "standard", as_json: JsonOption = False) -> None:
    """Say what is installed, where state lies, and what keeps discreet from working.

    No data are opened and nothing is made. Ends with 1 where something keeps discreet from working.
    """
    from discreet.doctor import checkup

    result = checkup(policy)
    show(result.to_json() if as_json else result.to_text(), as_json=as_json)
    if result.problems:
        raise typer.Exit(1)


def warm() -> None:
    """Compile all kernels now, so that nobody waits for them later; it takes a minute.

    They are kept beside the package, where all its users find them, or in the user's cache folder.
    """
    from discreet.kernels.compiled import kept_kernels
    from discreet.warm import warm as compile_all

    with progress_shown():
        made = compile_all()
    kept = kept_kernels()
    print_words(f"{made} compiled; {len(kept.compiled)} kernels are kept in {kept.folder}")


def man(ctx: typer.Context) -> None:
    """Print the manual page, which `discreet man | man -l -` shows."""
    from discreet.cli.manual import manual

    typer.echo(manual(ctx.find_root()))


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


# --- all of them ----------------------------------------------------------------------------------

GROUPS = {
    "version": "Versions of a study.",
    "policy": "What the custodian allows.",
    "register": "Declare that the register is lost, or that nothing of a version was given away.",
    "token": "Who may ask a study on the web.",
}
COMMANDS: dict[str, Callable[..., None]] = {
    "columns": columns,
    "plot": plot,
    "board": board,
    "rows": rows,
    "summary": summary,
    "means": means,
    "model": model,
    "meta-analysis": meta_analysis,
    "harmonise": harmonise,
    "research": research,
    "anonymize": anonymize,
    "round": rounding,
    "evaluate": evaluate,
    "attack": attack,
    "fidelity": fidelity,
    "tune": tune,
    "outputs": outputs,
    "protect": protect,
    "ask": ask,
    "answer": answer,
    "answers": answers,
    "check": check,
    "verify": verify,
    "serve": serve,
    "forget": forget,
    "doctor": doctor,
    "warm": warm,
    "man": man,
    "log": show_log,
    "version new": version_new,
    "policy init": policy_init,
    "register begin": register_begin,
    "register withdraw": register_withdraw,
    "token add": token_add,
    "token revoke": token_revoke,
    "token list": token_list,
    "example": example,
    "methods": methods,
}
CLASSES = {"plot": PlotCommand, "research": PaperCommand}

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
groups = {name: typer.Typer(help=text, no_args_is_help=True) for name, text in GROUPS.items()}
for name, group in groups.items():
    app.add_typer(group, name=name)
for words, function in COMMANDS.items():
    *group_name, name = words.split()
    into = groups[group_name[0]] if group_name else app
    into.command(name, cls=CLASSES.get(words))(function)


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
        sys.exit(app(together(sys.argv[1:]), standalone_mode=False) or 0)
    except TyperException as error:  # a word of the command is wrong, or there is none
        message = without_urls(str(getattr(error, "format_message", error.__str__)()))
        if message:  # without any word the help was printed
            end = "" if message[-1] in ".?!" else "."
            typer.echo(f"discreet: {message}{end} See {_command_of(error)} --help.", err=True)
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
            f"discreet: unexpected {type(error).__name__} in {Path(place.filename).name}, line "
            f"{place.lineno}; please report it (DISCREET_DEBUG=1 shows more, possibly with data)",
            err=True,
        )
        sys.exit(UNEXPECTED)
