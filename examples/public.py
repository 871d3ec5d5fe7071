"""The public tables that the papers use: where they lie, and what is said where one is missing.

They lie in examples/data, each under a licence of its own (NOTICE.md there). The variable
DISCREET_SHARED_DATA names a folder to read them from instead.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["FOLDERS", "Asked", "asked", "complete", "find", "missing"]

HERE = Path(__file__).parent / "data"
FOLDERS = (HERE, HERE / "gpl")
NOTICE = "examples/data/NOTICE.md"


class Asked(NamedTuple):
    """Where figures are drawn to, and whether nothing may be left out."""

    folder: Path
    everything: bool


def find(name: str) -> Path | None:
    """Find the file of a table; None where it is not to be had."""
    instead = os.environ.get("DISCREET_SHARED_DATA")
    for folder in [Path(instead)] if instead else FOLDERS:
        if (folder / f"{name}.csv").is_file():
            return folder / f"{name}.csv"
    return None


def missing(name: str, left_out: str) -> str:
    """Say what is left out without a table, and how to have it."""
    return (
        f"{left_out} left out, because {name}.csv was not found. {NOTICE} says how to make it; the"
        " variable DISCREET_SHARED_DATA names the folder that it lies in."
    )


def complete(needs: Mapping[str, str], *, everything: bool) -> bool:
    """Say what is left out for want of a table; return whether to go on.

    `needs` are the tables, each with what is left out without it. Where `everything` is asked for
    nothing is drawn unless all of it can be.
    """
    absent = [name for name in needs if find(name) is None]
    for name in absent:
        print(missing(name, needs[name]))
    if absent and everything:
        print("Nothing is drawn: --all asks for everything.")
    return not (absent and everything)


def asked(usual: str, given: Sequence[str] | None = None) -> Asked:
    """Read the command line of a module that draws: a folder, and --all."""
    parser = argparse.ArgumentParser(description="Draw figures and tables of a paper again.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(usual))
    parser.add_argument(
        "--all",
        action="store_true",
        dest="everything",
        help="end with exit code 1, and draw nothing, where a public table is missing",
    )
    return Asked(**vars(parser.parse_args(given)))
