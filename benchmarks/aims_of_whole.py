"""What was aimed at with whole copies, measured on public tables: what docs/measured.md shows.

    python -m benchmarks.aims_of_whole near TABLE ...     # how near copies are, and how risky
    python -m benchmarks.aims_of_whole members TABLE ...  # membership and versions, of some rows
    python -m benchmarks.aims_of_whole write              # the tables of the page

With k = 5 and defaults. Nearness is the mean over five secrets, inference too, linkage over five
copies; membership is by pairs of copies of each person. Without names of tables all are measured.
What was found is kept in benchmarks/measured, by the number of the recipe, a file for each table,
so that several processes may measure at a time. All of it takes some two hours of one core.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import frontier_whole as frontier
from benchmarks.nearness import nearness
from benchmarks.tables import TABLES, records_of, tables
from discreet.errors import DiscreetError
from discreet.measure.attacks import Copy, Records, attack_secret, drawn_of, first_of, whole_maker
from discreet.measure.attacks_by_copies import membership, versions
from discreet.measure.attacks_held_out import held_out, inference
from discreet.measure.attacks_on_copy import linkage
from discreet.measure.pairs import Side
from discreet.methods.copies import Settings
from discreet.methods.wide import PERSONS_PER_LEVEL, levels_of, width_of
from discreet.vault.whole_columns import HOW

K, SECRETS = 5, 5
MOST_FOR_ATTACKS, CELLS_FOR_ATTACKS = 30_000, 30_000_000
"""Linkage and inference are of so many rows at most; and of so many numbers and levels of rows."""
ROOT = Path(__file__).parents[1]
PAGE, KEPT = ROOT / "docs/measured.md", ROOT / f"benchmarks/measured/recipe {HOW}"

MEMBERS = {
    500: ("Hdma", "uis", "OFP", "SLID", "Housing", "nwtco", "Benefits", "bfi"),
    2000: ("Hdma", "OFP", "Males"),
    5000: ("SLID",),
}
"""Of which tables, and of how many rows, membership is measured."""
PAIRS = {500: 300, 2000: 100, 5000: 100}
PAIRS_OF_OTHERS = {500: 200, 2000: 100, 5000: 50}
"""Pairs of copies for each typical person, and for each other one, by rows."""


Within = Callable[[int], tuple[float, float]]


class Aim(NamedTuple):
    """What is measured, in how many digits, and what it should be, by the number of rows."""

    title: str
    digits: int
    within: Within


def at_most(
    few: float, some: float, many: float | None = None
) -> Callable[[int], tuple[float, float]]:
    """Return an aim below 2,000 rows, above, and from 30,000 on."""

    def within(rows: int) -> tuple[float, float]:
        return -np.inf, few if rows < 2000 else some if rows < 30_000 or many is None else many

    return within


NONE = np.inf
NEAR = {
    "means": Aim("means", 2, at_most(1.2, 1.2)),
    "worst": Aim("worst mean, %", 1, at_most(NONE, 5)),
    "groups": Aim("groups", 2, at_most(1.4, 1.3, 2.0)),
    "beyond": Aim("beyond 4, %", 1, at_most(NONE, 1, 6)),
    "slope": Aim("slope", 3, lambda rows: (-NONE, NONE) if rows < 2000 else (0.95, 1.05)),
    "pairs": Aim("pairs", 2, at_most(1.3, 1.1, 1.6)),
    "columns": Aim("columns", 1, at_most(6, NONE)),
    "gaps": Aim("gaps", 1, at_most(NONE, 2)),
}
RISK = {
    "linked": Aim("linked, %", 1, at_most(100 / K + 3, 100 / K + 3)),
    "far": Aim("far, %", 1, at_most(NONE, NONE)),
    "numbers": Aim("numbers", 1, at_most(5, 5)),
    "levels": Aim("levels", 1, at_most(8, 8)),
    "sensitive": Aim("sensitive", 1, at_most(5, 5)),
}
MEMBER = {
    "typical": Aim("typical", 2, at_most(0.70, 0.70)),
    "at 5 %": Aim("TPR at 5 %", 2, at_most(NONE, NONE)),
    "marginal": Aim("marginal", 2, at_most(0.80, 0.80)),
    "joint": Aim("joint", 2, at_most(0.72, 0.72)),
    "level": Aim("small level", 2, at_most(0.66, 0.66)),
    "rows": Aim("many rows", 2, at_most(0.72, 0.72)),
    "left": Aim("left", 2, at_most(0.62, 0.62)),
}
Found = dict[str, list[float]]
"""What was measured: the figures of places, copies or secrets."""


def main() -> None:
    """Measure tables that are there, or write what the page shows."""
    parser = argparse.ArgumentParser(description="Measure what was aimed at with whole copies.")
    parser.add_argument("what", choices=("near", "members", "write"))
    parser.add_argument("tables", nargs="*", help="Which; without any, all.")
    parser.add_argument("--rows", type=int, choices=MEMBERS, help="Of how many rows; else of all.")
    asked = parser.parse_args()
    if asked.what == "write":
        frontier.write_page([*pages()], PAGE)
        return
    names = asked.tables or [*TABLES]
    for name, frame in tables(names):
        records = records_of(name, frame)
        if asked.what == "near":
            keep(name, "near", partial(near, name, records))
            continue
        for rows in [asked.rows] if asked.rows else MEMBERS:
            if name in MEMBERS[rows]:
                keep(name, str(rows), partial(members, name, records, rows))


def keep(name: str, part: str, measure: Callable[[], Found]) -> None:
    """Measure a part of what is asked of a table, and keep it beside what was found before."""
    start = time.process_time()
    figures = measure()
    path = KEPT / f"{name}.json"
    before = json.loads(path.read_text()) if path.is_file() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**before, part: figures}, indent=1))
    took, load = time.process_time() - start, os.getloadavg()[0]
    means = {it: round(float(np.mean(values)), 3) for it, values in figures.items() if values}
    print(f"{name}, {part}: {took:.0f} s, load {load:.1f}: {means}", flush=True)


# --- how near copies are ------------------------------------------------------------------------


def near(name: str, records: Records) -> Found:
    """Measure copies by several secrets, and attacks on a copy."""
    known = TABLES[name]
    settings, unit = Settings(K, 4 * K), known.unit is not None
    found: Found = {"n": [len(records)], "wide": [persons_per_level(records)]}
    found["of"] = [len(records.table.numbers) + len(records.table.levels)]
    for turn in range(SECRETS):
        secret, start = attack_secret("near", turn), time.process_time()
        made = drawn_of(records, secret, settings, unit)
        took = time.process_time() - start
        side = Side.of(made.numbers, {it: of.texts() for it, of in made.levels.items()})
        whose = records.persons if unit else None
        figures = nearness(records.table, side, made.far_out, whose)
        for figure, value in {**figures, "seconds": took}.items():
            found.setdefault(figure, []).append(value)
    levels = sum(len({*words}) for words in records.table.levels.values())
    rows = CELLS_FOR_ATTACKS // (levels + len(records.table.numbers))
    return {**found, **_attacked(name, first_of(records, min(MOST_FOR_ATTACKS, rows)), unit)}


def persons_per_level(records: Records) -> float:
    """Return how many people there are for each level: a table with fewer than ten is wide."""
    levels = {
        name: levels_of(np.unique([it for it in words if it], return_counts=True)[1].tolist(), K)
        for name, words in records.table.levels.items()
    }
    width = sum(width_of([*records.table.numbers], levels).values())
    return len(np.unique(records.persons)) / width


def _attacked(name: str, records: Records, unit: bool) -> Found:
    make = whole_maker(K, unit=unit)
    copies = [make(records, attack_secret("aims", turn)) for turn in range(SECRETS)]
    out: Found = {
        "linked": [100 * linkage(records, copies).found.share],
        "far": [100 * linkage(records, copies, far=5).found.share],
    }
    for turn in range(SECRETS):
        for attack in inference(held_out(records, partial(frontier.again, make, turn))):
            of = "numbers" if "of numbers" in attack.title else "levels"
            out.setdefault(of, []).append(100 * attack.found.gain)
    sensitive = TABLES[name].sensitive
    if sensitive is not None and sensitive in records.table.levels:
        careful = whole_maker(K, sensitive=(sensitive,), unit=unit)
        out["sensitive"] = [
            gain_on(sensitive, records, partial(frontier.again, careful, turn))
            for turn in range(SECRETS)
        ]
    return out


def gain_on(name: str, records: Records, make: Callable[..., Copy]) -> float:
    """Return how much oftener a column is said rightly than of people held out, in points."""
    parts = [part for attack in inference(held_out(records, make)) for part in attack.parts]
    return 100 * next(part.gain for part in parts if part.what.startswith(f"{name} "))


# --- who is in it -------------------------------------------------------------------------------


def members(name: str, records: Records, rows: int) -> Found:
    """Measure how well people are recognised, and who left between versions."""
    make = whole_maker(K, unit=TABLES[name].unit is not None)
    some = first_of(records, rows)
    found: Found = {"n": [len(some)], "wide": [persons_per_level(some)]}
    for who in ("typical", "marginal", "joint", "level", "rows"):
        pairs = PAIRS[rows] if who == "typical" else PAIRS_OF_OTHERS[rows]
        try:
            attack = membership(records, make, who=who, pairs=pairs, rows=rows, k=K)
        except DiscreetError as error:
            print(f"    {name}: {who}: {error}")
            continue
        of_places = attack.parts[1:] or (attack.found,)
        found[who] = [it.share for it in of_places]
        found[f"{who} low"] = [it.low for it in of_places]
        if who == "typical":
            found["at 5 %"] = [attack.at[-1].share]  # of 5 % of others
    if rows == min(MEMBERS):
        left = versions(records, make, rows=rows)
        found["left"], found["left low"] = [left.found.share], [left.found.low]
    return found


# --- the page -----------------------------------------------------------------------------------


def pages() -> Iterator[str]:
    """Yield the tables of the page."""
    kept = {name: KEPT / f"{name}.json" for name in TABLES}
    found = {name: json.loads(it.read_text()) for name, it in kept.items() if it.is_file()}
    of = {name: it["near"] for name, it in found.items() if "near" in it}
    yield "**How near copies are**\n\n" + table_of(of, NEAR)
    yield "**Records linked, values inferred**\n\n" + table_of(of, RISK)
    for rows in MEMBERS:
        these = {name: it[str(rows)] for name, it in found.items() if str(rows) in it}
        if these:
            yield f"**Who is in it, {rows:,} rows**\n\n" + table_of(these, MEMBER)


def table_of(found: dict[str, Found], aims: dict[str, Aim]) -> str:
    """Return a table of the page: a row for each table, a column for each figure."""
    rows = [f"| | rows | people a level | {' | '.join(it.title for it in aims.values())} |"]
    rows.append(f"|---|--:|--:|{'--:|' * len(aims)}")
    for name, figures in found.items():
        many = int(figures["n"][0])
        cells = [cell_of(figures, it, aim, many) for it, aim in aims.items()]
        wide = figures["wide"][0]
        width = f"**{wide:.0f}**" if wide < PERSONS_PER_LEVEL else f"{wide:.0f}"
        title = f"*{name}*" if TABLES[name].new else name
        rows.append(f"| {title} | {many:,} | {width} | {' | '.join(cells)} |")
    return "\n".join(rows)


def cell_of(figures: Found, name: str, aim: Aim, rows: int) -> str:
    """Write the mean of a figure, bold where it is beyond what was aimed at.

    Of AUCs it is the mean of the lower ends of their intervals that decides.
    """
    values = figures.get(name)
    if not values:
        return "–"
    if name == "worst":
        values = [max(values)]
    deciding = round(float(np.mean(figures.get(f"{name} low", values))), aim.digits)
    low, high = aim.within(rows)
    text = f"{float(np.mean(values)) + 0.0:.{aim.digits}f}"
    return text if low <= deciding <= high else f"**{text}**"


if __name__ == "__main__":
    main()
