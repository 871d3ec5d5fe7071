"""What was tried of the recipe: variants of a whole copy, their nearness and their risk.

    python -m benchmarks.variants           # writes the table of docs/whole.md

Of four tables of 500 rows, and three of 3,000: each variant changes one setting and leaves all
others as they are. Nearness is the mean of five secrets, "typical" that of three people a table
(an AUC, of 50 pairs of copies each), "far" that of one who is 8 sd off in a column, and "joint"
that of one who is usual in each column and far from all alike. It takes half
an hour of one core.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.nearness import nearness
from benchmarks.tables import records_of, tables
from discreet.measure.attacks import Make, Records, attack_secret, first_of, whole_maker
from discreet.measure.attacks_by_copies import membership
from discreet.methods.copies import LEFT_OUT

PAGE = Path(__file__).parents[1] / "docs" / "whole.md"
K, SECRETS, PAIRS = 5, 5, 50
OF = {500: ("uis", "OFP", "nwtco", "Housing"), 3000: ("OFP", "nwtco", "SLID")}


class Variant(NamedTuple):
    """What is changed: m, the largest share left out, and constants of `discreet.methods`."""

    m: int = 4 * K
    left_out: float = LEFT_OUT
    constants: Mapping[str, float] = MappingProxyType({})


VARIANTS = {
    "as it is (m = 4k)": Variant(),
    "m = 2k": Variant(2 * K),
    "m = 3k": Variant(3 * K),
    "m = 8k": Variant(8 * K),
    "nobody left out": Variant(left_out=0.0),
    "20 to 40 % left out": Variant(left_out=0.4),
    "donors all alike often": Variant(constants={"donors.UNEVEN": 0.0}),
    "donors twice as uneven": Variant(constants={"donors.UNEVEN": 0.4}),
    "no noise beside donors": Variant(constants={"fitted_columns.SMOOTHED": 0.0}),
    "twice the noise": Variant(constants={"fitted_columns.SMOOTHED": 0.4}),
    "lone values as they are": Variant(constants={"safe_values.LONE": 1e9}),
    "lone values half as far": Variant(constants={"safe_values.LONE": 1.0}),
    "half the noise of ends": Variant(constants={"safe_values.END_NOISE": 1.0}),
    "twice the noise of ends": Variant(constants={"safe_values.END_NOISE": 4.0}),
}
HEAD = """\
| variant | means | groups | pairs | typical | far | joint | 3,000 rows: means | groups | pairs |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
"""
FROM, TO = "<!-- variants -->", "<!-- variants so far -->"


def main() -> None:
    """Measure all variants, and write the table."""
    found = {rows: [*_records(rows, names)] for rows, names in OF.items()}
    lines = []
    for name, variant in VARIANTS.items():
        make = whole_maker(K, variant.m, left_out=variant.left_out)
        with ExitStack() as changed:
            for place, value in variant.constants.items():
                changed.enter_context(patch(f"discreet.methods.{place}", value))
            few, many = near(found[500], make), near(found[3000], make)
            risk = members(found[500], make)
        cells = [few["means"], few["groups"], few["pairs"], *risk.values()]
        cells += [many["means"], many["groups"], many["pairs"]]
        lines.append(f"| {name} | {' | '.join(f'{it:.2f}' for it in cells)} |")
        print(f"{lines[-1]} load {os.getloadavg()[0]:.1f}", flush=True)
        before, rest = PAGE.read_text(encoding="utf-8").split(FROM)
        table = HEAD + "\n".join(lines)
        text = f"{before}{FROM}\n{table}\n{TO}{rest.split(TO)[1]}"
        PAGE.write_text(text, encoding="utf-8")


def _records(rows: int, names: tuple[str, ...]) -> Iterator[Records]:
    for name, frame in tables(names):
        yield first_of(records_of(name, frame), rows)


def near(every: list[Records], make: Make) -> dict[str, float]:
    """Return how near copies of tables are, on average."""
    found: dict[str, list[float]] = {}
    for records in every:
        for turn in range(SECRETS):
            copy = make(records, attack_secret("variants", turn))
            for figure, value in nearness(records.table, copy.table).items():
                found.setdefault(figure, []).append(value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def members(every: list[Records], make: Make) -> dict[str, float]:
    """Return how well people are recognised, on average over tables."""
    return {
        who: float(np.mean([_auc(records, make, who) for records in every]))
        for who in ("typical", "marginal", "joint")
    }


def _auc(records: Records, make: Make, who: str) -> float:
    return membership(records, make, who=who, pairs=PAIRS, rows=len(records), k=K).found.share


if __name__ == "__main__":
    main()
