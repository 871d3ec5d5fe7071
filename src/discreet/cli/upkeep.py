"""Commands about discreet itself: what is installed, kernels compiled ahead, the manual."""

from __future__ import annotations

import typer

from discreet.cli.common import JsonOption, PolicyOption, print_words, progress_shown


def doctor(policy: PolicyOption = "standard", as_json: JsonOption = False) -> None:
    """Say what is installed, where state lies, and what keeps discreet from working.

    No data are opened and nothing is made. Ends with 1 where something keeps discreet from working.
    """
    from discreet.doctor import checkup

    found = checkup(policy)
    if as_json:
        typer.echo(found.to_json())
    else:
        print_words(found.to_text())
    if found.problems:
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
