"""What attacks on a copy of a whole table come to, as the rows of docs/attacks.md.

    python benchmarks/attacks.py                      # the tables that come with the package
    python benchmarks/attacks.py titanic.csv --drop PassengerId,Name,Ticket --pairs 400

Prints how often each attack is right, with the interval of 95 % and the baseline, in %.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from discreet import datasets
from discreet.measure.attack_report import AttackReport, attacked
from discreet.measure.attacks import Success, whole_maker
from discreet.measure.pairs import Side, as_side

SHIPPED = ("diabetes", "d1", "d2", "d3")


def main() -> None:
    """Attack each table, and print its figures."""
    parser = argparse.ArgumentParser(description="Attack copies of whole tables.")
    parser.add_argument("tables", nargs="*", help="Files; without any, the tables shipped.")
    parser.add_argument("--drop", default="", help="Columns to leave out: a,b.")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--m", type=int, default=None)
    parser.add_argument("--pairs", type=int, default=100)
    asked = parser.parse_args()
    drop = [name for name in asked.drop.split(",") if name]
    rows: dict[str, dict[str, str]] = {}
    names = [Path(name).stem for name in asked.tables or SHIPPED]
    for name, title in zip(asked.tables or SHIPPED, names, strict=True):
        start = time.perf_counter()
        make = whole_maker(asked.k, asked.m)
        report = attacked(side(name, drop), make, k=asked.k, pairs=asked.pairs)
        for attack, cell in cells(report):
            rows.setdefault(attack, {})[title] = cell
        print(f"{title}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    print(f"| attack | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    for attack, found in rows.items():
        print(f"| {attack} | {' | '.join(found.get(name, '–') for name in names)} |")


def side(name: str, drop: list[str]) -> Side:
    """Read a table that is shipped, or a file."""
    if name in SHIPPED:
        return as_side(getattr(datasets, name)(), drop=drop)
    return as_side(Path(name), drop=drop)


def cells(report: AttackReport) -> Iterator[tuple[str, str]]:
    """Write each attack, and the part of who left that says how many are found."""
    for attack in report.attacks:
        yield attack.title, figures(attack.found)
        if attack.name == "versions":
            yield "precision, of as many suspects as left", figures(attack.parts[0])


def figures(found: Success) -> str:
    """Write a share, its interval and its baseline; bold where the baseline is beaten."""
    share = f"{100 * found.share:.1f}"
    ends = f"{100 * found.low:.0f}–{100 * found.high:.0f}"
    share = f"**{share}**" if found.beats else share
    return f"{share} ({ends}; {100 * found.baseline:.1f})"


if __name__ == "__main__":
    main()
