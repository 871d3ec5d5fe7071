"""Write golden files anew: `python -m tests.golden.write NAME...`, or `all`, or `fixture`.

`released` writes what a version leaves behind, for later ones to read: once, when it is released.

Only where a name or sentence changed that was meant to: a number that changed is a mistake. Read
the difference (`git diff`) before it is committed, and say in the message why it is right.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

from pyarrow.csv import write_csv

import discreet as dc
from tests.golden import cases
from tests.golden.access import HERE, place


def write(group: str) -> None:
    """Write one golden file."""
    with tempfile.TemporaryDirectory() as folder:
        found = cases.made(group, Path(folder))
    path = HERE / f"{group}.json"
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_fixture() -> None:
    """Write the folder of a custodian, as the code of today leaves it behind."""
    cases.BEFORE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        with place(folder):
            cases.session(folder)
            write_csv(cases.second(), folder / "cohort.csv")
        for name in cases.KEPT:
            shutil.copy(folder / name, cases.BEFORE)
        for copy in (folder / ".discreet").glob("[!r]*.parquet"):
            shutil.copy(copy, cases.BEFORE)
        write_ledger(folder, cases.BEFORE)


def write_ledger(folder: Path, to: Path) -> None:
    """Write a ledger as the statements that make it."""
    connection = sqlite3.connect(folder / ".discreet" / "ledger.sqlite")
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    lines = [*connection.iterdump(), f"PRAGMA user_version = {number};"]
    (to / "ledger.sql").write_text("\n".join(lines) + "\n", encoding="utf-8")
    connection.close()


def write_released() -> None:
    """Write what this version leaves behind, for later ones to read."""
    to = cases.RELEASED / dc.__version__
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        with place(folder):
            cases.released_files(folder)
        for file in (*folder.glob("*.*"), *(folder / ".discreet").glob("[!r]*.parquet")):
            if file.is_file():
                shutil.copy(file, to)
        write_ledger(folder, to)


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    for wanted in sys.argv[1:]:
        if wanted == "fixture":
            write_fixture()
            continue
        if wanted == "released":
            write_released()
            continue
        for group in cases.GROUPS if wanted == "all" else [wanted]:
            write(group)
