"""Hold the conclusions of the rounding paper against its data sets, and say which hold.

Senavirathne and Torra, "Rounding based continuous data discretization for statistical disclosure
control" (2019). Run with `python -m examples.rounding.run`; a page for each data set and all that
is printed land in build/rounding. The paper gives no seed, so its digits cannot be had again;
simulated columns are drawn twenty times, and their means are judged. Scores are judged on both
scales of IL1s, as a mean and as a sum.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import pandas as pd

from discreet.measure.roundings import compare_roundings
from discreet.measure.roundings_report import RoundingComparison, RoundingGrid
from examples.public import asked, complete, missing
from examples.rounding import data, tables
from examples.rounding.apart import accuracy_of_codes, least_mse
from examples.rounding.averages import Draws
from examples.rounding.data import CS, DRAWS, KINDS, KS, MODEL_KS, NEEDS, Plan
from examples.rounding.judged import Judged
from examples.rounding.on_models import of_regressions, of_trees
from examples.rounding.on_scores import INTERVALS, MICRO, of_simulated, of_tarragona

__all__ = ["PLANS", "Compared", "compared", "main"]

PLANS = (
    Plan("tarragona", None, KS),
    Plan("boston", "medv", MODEL_KS),
    Plan("faithful", "eruptions", MODEL_KS),
    Plan("wine", "class", MODEL_KS),
    Plan("iris", "class", MODEL_KS),
)
SUPERVISED = ("mdlp", "chimerge")
SUMMED = "score_by_sum"
NUMBERS = {"boston": "Table 7", "faithful": "As Table 7", "wine": "Table 8", "iris": "As Table 8"}


class Compared(NamedTuple):
    """A data set with microaggregations at the paper's k, and all methods at the paper's c."""

    table: pd.DataFrame
    micro: RoundingGrid
    every: RoundingComparison


def compared(plan: Plan) -> Compared | None:
    """Round a data set in all ways; None where it is not to be had."""
    table = data.read(plan.name)
    if table is None:
        return None
    methods = [*MICRO, *INTERVALS, *(SUPERVISED if plan.target == "class" else ())]
    ladder = sorted({round(len(table) / c) for c in CS})

    def run(names: list[str], k: tuple[int, ...]) -> RoundingComparison:
        return compare_roundings(table, names, k=k, target=plan.target, name=plan.name)

    return Compared(table, run(list(MICRO), plan.ks).grid, run(methods, tuple(ladder)))


def main(folder: Path, draws: int = DRAWS) -> list[Judged]:
    """Compare, print and save everything; return the conclusions and how they fared."""
    folder.mkdir(parents=True, exist_ok=True)
    start = perf_counter()
    told: list[str] = []

    def tell(text: str) -> None:
        print(f"{text}\n", flush=True)
        told.append(text)

    drawn = _drawn(folder, draws, tell)
    found, by_sum = of_simulated(drawn), of_simulated(drawn, SUMMED)
    for plan in PLANS:
        result = compared(plan)
        if result is None:
            tell(missing(plan.name, NEEDS[plan.name]))
            continue
        result.every.save(folder / f"{plan.name}.html")
        found += _of_plan(plan, result, tell, "score")
        by_sum += _of_plan(plan, result, lambda _: None, SUMMED) if plan.target is None else []
    for title, judged in (
        ("The paper's conclusions", found),
        ("Those of scores, IL1s as a sum", [each for each in by_sum if each not in found]),
    ):
        tell("\n".join([title, "=" * len(title), *map(str, judged)]) + f"\n\n{_counted(judged)}")
    (folder / "conclusions.txt").write_text("\n\n".join(told) + "\n", encoding="utf-8")
    print(f"{folder / 'conclusions.txt'} and a page for each data set beside it"
          f"  ({perf_counter() - start:.0f} s)")  # fmt: skip
    return found


def _counted(judged: list[Judged]) -> str:
    verdicts = ("HOLDS", "IN PART", "DOES NOT HOLD")
    held = [sum(each.verdict == verdict for each in judged) for verdict in verdicts]
    return (
        f"Of {len(judged)} conclusions {held[0]} hold, {held[1]} hold in part, {held[2]} do not"
        " hold."
    )


def _drawn(folder: Path, draws: int, tell: Callable[[str], None]) -> dict[str, Draws]:
    methods = [*MICRO, *INTERVALS]
    drawn = {}
    for kind in KINDS:
        found = tuple(
            compare_roundings(
                data.simulated(kind, seed), methods, k=KS, name=f"{kind}, draw {seed + 1}"
            )
            for seed in range(draws)
        )
        drawn[kind] = Draws(kind, tuple(each.grid for each in found))
        found[0].save(folder / f"{kind}.html")
    for family, first in (("k", 1), ("c", 4)):
        for order, kind in enumerate(KINDS):
            tell(tables.loss_and_risk(f"Table {first + order}", drawn[kind], family))
    for score in ("score", SUMMED):
        tell(tables.figure_4(drawn, score))
    return drawn


def _of_plan(plan: Plan, result: Compared, tell: Callable[[str], None], by: str) -> list[Judged]:
    table, micro, every = result.table, result.micro, result.every.grid
    pair = Draws(plan.name, (micro,)), Draws(plan.name, (every,))
    if plan.target is None:
        tell(tables.loss_and_risk("Figure 2", pair[0], "k"))
        tell(tables.loss_and_risk("Figure 3", pair[1], "c"))
        return of_tarragona(*pair, by)
    tell(tables.models(NUMBERS[plan.name], micro, every))
    if every.model == "tree":
        coded = {method: accuracy_of_codes(table, plan.target, method) for method in SUPERVISED}
        return of_trees(micro, every, coded)
    return of_regressions(micro, every, least_mse(table, plan.target))


if __name__ == "__main__":
    said = asked("build/rounding")
    if said.everything and not complete(NEEDS, everything=True):
        sys.exit(1)
    main(said.folder)
