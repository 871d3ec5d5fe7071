"""Write golden files anew: `python -m tests.golden.write NAME...`, or `all`, or `fixture`.

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
        connection = sqlite3.connect(folder / ".discreet" / "ledger.sqlite")
        (number,) = connection.execute("PRAGMA user_version").fetchone()
        lines = [*connection.iterdump(), f"PRAGMA user_version = {number};"]
        (cases.BEFORE / "ledger.sql").write_text("\n".join(lines) + "\n", encoding="utf-8")
        connection.close()


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    for wanted in sys.argv[1:]:
        if wanted == "fixture":
            write_fixture()
            continue
        for group in cases.GROUPS if wanted == "all" else [wanted]:
            write(group)
