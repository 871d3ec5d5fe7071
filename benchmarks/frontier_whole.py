"""Use and risk of whole copies beside other methods, on public tables: what docs/frontier.md shows.

Each method makes copies with five secrets. Use is measured beside a bootstrap resample of the raw
table (`measure.fidelity`), risk by attacks (`measure.attacks`): inference of each column from all
others and a copy, over persons held out; the nearest row, where rows correspond; whole rows. Run
it as ``python -m benchmarks.frontier_whole``, with names of tables to measure few of them; what was
measured is kept in build/frontier.json, and the page's tables and figure are written anew. R's
packages are measured where R has them. It takes ten minutes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from benchmarks.makers import MAKERS, makers_of_r
from discreet import datasets
from discreet.arguments import as_levels
from discreet.errors import DiscreetError
from discreet.measure.attacks import Copy, Make, Records, in_keyed_order
from discreet.measure.attacks_held_out import held_out, inference, verbatim
from discreet.measure.attacks_on_copy import linkage
from discreet.measure.fidelity import Mixed, fidelity
from discreet.measure.pairs import Side
from discreet.protect.whole import Levels
from discreet.render.scene import Axis, Dots, Panel, Scene
from discreet.render.to_matplotlib import figure_bytes
from discreet.secret import Secret

SECRETS = 5
STUDENT = 2.776
"""The 97.5 % quantile of Student's distribution with four degrees of freedom."""
FEWEST = 13
"""A column of numbers with fewer different ones is one of levels."""
ROOT = Path(__file__).parents[1]
KEPT, PAGE = ROOT / "build/frontier.json", ROOT / "docs/frontier.md"
FIGURE = ROOT / "docs/images/frontier.png"
FROM, TO = "<!-- measured -->", "<!-- measured so far -->"
GAUGES = (
    *("columns", "pairs", "correlations", "coefficients"),
    *("numbers", "levels", "linked", "far", "rows"),
)
FINE = ("pairs", "coefficients")
HEAD = ("columns", "pairs", "corr.", "coef.", "numbers", "levels", "linked", "far", "rows")
Found = dict[str, list[float]]


def main(names: list[str]) -> None:
    """Measure every method on every table that is there, and write what the page shows."""
    found: dict[str, dict[str, Found]] = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    of_r, skipped = makers_of_r()
    for title, frame in tables():
        if names and title not in names:
            continue
        print(f"{title}: {frame.shape}, load {os.getloadavg()[0]:.1f}", flush=True)
        records = in_keyed_order(Records.of(side_of(frame)))[0]
        for method, make in {**MAKERS, **of_r}.items():
            start = time.process_time()
            found.setdefault(title, {})[method] = measured(records, make)
            print(f"  {method}: {time.process_time() - start:.0f} s", flush=True)
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps(found))
    notes = [f"R's {name} is not in these tables: {why}." for name, why in skipped.items()]
    write_page([*(table_of(title, found[title]) for title in sorted(found)), *notes], PAGE)
    FIGURE.write_bytes(figure_bytes(scene(found), ".png", size=(11, 4.6)))


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables: those that are shipped, and those whose files are there."""
    yield "D1", datasets.d1().to_pandas()
    yield "D2", datasets.d2().to_pandas()
    yield "D3", datasets.d3().to_pandas()
    yield "diabetes", datasets.diabetes().to_pandas()
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("DISCREET_SHARED_DATA") or beside)
    for title in ("titanic", "german_credit", "casc_census"):
        if (folder / f"{title}.csv").is_file():
            yield (
                title,
                pd.read_csv(folder / f"{title}.csv").drop(columns="PassengerId", errors="ignore"),
            )
        else:
            print(f"{title} is skipped: its file is not to be had")


def side_of(frame: pd.DataFrame) -> Side:
    """Return a table with few-valued columns as levels; a missing level is the empty text."""
    numbers, levels = {}, {}
    for name, column in frame.items():
        if column.dtype.kind in "iuf" and column.nunique() >= FEWEST:
            numbers[str(name)] = column.to_numpy(np.float64)
        else:
            levels[str(name)] = tuple("" if pd.isna(it) else str(it) for it in column)
    return Side(MappingProxyType(numbers), MappingProxyType(levels))


def mixed(side: Side) -> Mixed:
    """Return a table as `fidelity` takes it."""
    levels = {}
    for name, words in side.levels.items():
        codes, known = as_levels(name, words)
        gap = known[:1] == ("",)
        levels[name] = Levels(known[1:], codes - 1) if gap else Levels(known, codes)
    return Mixed(side.numbers, levels)


def measured(records: Records, make: Make) -> Found:
    """Measure a method with five secrets; what cannot be measured is left out."""
    found: Found = {}
    for turn in range(SECRETS):
        try:
            each = measured_once(records, partial(again, make, turn))
        except DiscreetError as error:
            print(f"    {error}")
            return {}
        for name, value in each.items():
            found.setdefault(name, []).append(value)
    return found


def again(make: Make, turn: int, records: Records, secret: Secret) -> Copy:
    """Make another copy of the same records for each turn."""
    return make(records, Secret.from_bytes(secret.digest("turn", str(turn).encode())[:32]))


def measured_once(records: Records, make: Make) -> dict[str, float]:
    """Measure the use of one copy, and attacks on it and on five without a part of the persons."""
    copy = make(records, Secret.from_bytes(bytes(range(32))))
    use = fidelity(mixed(records.table), mixed(copy.table))
    out = {"columns": 100 * use.largest}
    if use.joint:
        out["pairs"] = use.joint.distance / use.joint.resample
    if use.correlations:
        out["correlations"] = 100 * use.correlations.distance
    if use.coefficients:
        out["coefficients"] = use.coefficients.distance
    if copy.source is not None:
        out["linked"] = 100 * linkage(records, [copy]).found.share
        out["far"] = 100 * linkage(records, [copy], far=5).found.share
    held = held_out(records, make)
    for attack in inference(held):
        out["numbers" if "of numbers" in attack.title else "levels"] = 100 * attack.found.gain
    out["rows"] = 100 * verbatim(held).found.gain
    return out


# --- the page -----------------------------------------------------------------------------------


def write_page(parts: list[str], page: Path) -> None:
    """Put what was measured into a page, in place of what was measured before."""
    before, rest = page.read_text(encoding="utf-8").split(FROM)
    _, after = rest.split(TO)
    measured = "\n\n".join((FROM, *parts, TO))
    page.write_text(f"{before}{measured}{after}", encoding="utf-8")


def table_of(title: str, found: dict[str, Found]) -> str:
    """Return a table of the page: a row for each method, means and their intervals."""
    rows = [f"**{title}**", "", f"| method | {' | '.join(HEAD)} |", f"|---|{'---|' * len(HEAD)}"]
    for method, each in found.items():
        cells = [_cell(each.get(name), 2 if name in FINE else 1) for name in GAUGES]
        rows.append(f"| {method} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(values: list[float] | None, digits: int) -> str:
    if not values:
        return "–"
    half = STUDENT * float(np.std(values, ddof=1)) / len(values) ** 0.5
    mean = round(float(np.mean(values)), digits) + 0.0
    return f"{mean:.{digits}f}" + (f" ± {half:.{digits}f}" if half > 1e-6 else "")


def scene(found: dict[str, dict[str, Found]]) -> Scene:
    """Draw use against inference: a dot for each method on each table."""

    def panel(risk: str, title: str) -> Panel:
        marks = []
        for method in MAKERS:
            places = [
                (min(np.mean(each[method]["pairs"]), 4.0), np.mean(each[method][risk]))
                for each in found.values()
                if {"pairs", risk} <= set(each.get(method, {}))
            ]
            if places:
                x, y = (tuple(map(float, it)) for it in zip(*places, strict=True))
                marks.append(Dots(x, y, (1,) * len(x), label="tables", series=method))
        return Panel(
            tuple(marks),
            Axis("pairs: times a resample's distance (4: or more)", (0.0, 4.1)),
            Axis("points over held-out persons"),
            title,
        )

    return Scene((panel("numbers", "Numbers inferred"), panel("levels", "Levels inferred")))


if __name__ == "__main__":
    main(sys.argv[1:])
