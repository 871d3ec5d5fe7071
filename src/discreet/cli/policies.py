"""`discreet policy`: a policy to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.common import File, progress_shown
from discreet.errors import InputError

__all__ = ["policy_init"]


def policy_init(
    file: File,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the policy: a .toml file.")
    ] = Path("discreet.toml"),
) -> None:
    """Write a policy with a role, a kind and a safe range guessed for each column, to be edited.

    discreet policy init cohort.parquet -o discreet.toml
    """
    from discreet.study.guesses import proposed_policy

    if output.suffix != ".toml":
        raise InputError("a policy is a .toml file; name it so: -o discreet.toml")
    if output.exists():
        raise InputError(f"there is a file {str(output)!r} already; name another one")
    if not output.parent.is_dir():
        raise InputError(f"there is no folder {str(output.parent)!r}; make it, or name another one")
    with progress_shown():
        text = proposed_policy(file)
        try:
            with output.open("x", encoding="utf-8", newline="\n") as written:
                written.write(text)
        except OSError as error:
            raise InputError(
                f"the policy could not be written to {str(output)!r}: {type(error).__name__}"
            ) from None
    typer.echo(output)
    typer.echo(
        "Read every line of it, and mend what is guessed wrongly, roles first. Then try it\n"
        f"    discreet plot histogram {file} COLUMN --policy {output} -o try.png\n"
        f"and let others ask, each with a token (discreet token add NAME --policy {output}):\n"
        f"    discreet serve {file} --policy {output}",
        err=True,
    )
