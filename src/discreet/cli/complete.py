"""What the shell completes: plots, and the columns of the file that is named before.

The names of its columns are read, and nothing else of it: whoever has the file may know them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import typer


def plot_names(incomplete: str) -> list[str]:
    """Return the plots whose name begins so, as commands are written."""
    from discreet.cli.plots import AUTO
    from discreet.plots import PLOTS

    names = [name.replace("_", "-") for name in PLOTS]
    return [name for name in [*names, AUTO] if name.startswith(incomplete)]


def column_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the command's file whose name begins so."""
    file = ctx.params.get("file") or _file_in(os.environ)
    return [] if file is None else [it for it in _header(Path(file)) if it.startswith(incomplete)]


def listed_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the same behind the last comma of a list such as a,b,c."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in column_names(ctx, last)]


def _file_in(environment: Mapping[str, str]) -> str | None:
    """Return the file among the words that a shell hands over: behind an option nothing is read."""
    from discreet.study_file import SUFFIX
    from discreet.table.files import is_file_name

    words = environment.get("COMP_WORDS") or environment.get("_TYPER_COMPLETE_ARGS") or ""
    named = (it for it in words.split() if is_file_name(it) or it.endswith(SUFFIX))
    return next(named, None)


def _header(path: Path) -> list[str]:
    """Return the names of a file's columns; none where it cannot be read, which commands say."""
    from discreet.study_file import SUFFIX, open_study_file
    from discreet.table.files import names_in

    with suppress(Exception):
        if path.suffix == SUFFIX:
            with open_study_file(path) as file:
                return [*file.names]
        return names_in(path)
    return []
