"""Draw the figures of the paper on parallel coordinates again, and try its conclusions.

Dasgupta and Kosara, "Adaptive privacy-preserving visualization using parallel coordinates"
(2011). Run with `python -m examples.parallel.run`; a page with all figures lands in
build/figures2011, and the conclusions beside it as a text. The German credit data are the
paper's; where their file is missing, that is said, and nothing is made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from examples.parallel import asked_again, data, looks, order, ranges, seeds, split
from examples.parallel.data import Credit
from examples.parallel.drawing import Plate, draw_plate
from examples.parallel.page import write_page
from examples.public import asked, find, missing
from examples.rounding.judged import Judged

__all__ = ["FIGURES", "main"]

FIGURES: tuple[Callable[[Credit], Plate], ...] = (
    ranges.figure_1,
    ranges.figure_2,
    looks.figure_3,
    seeds.figure_5,
    looks.figure_6,
    split.figure_7,
    split.figure_8,
    looks.figure_9,
    ranges.figure_10,
    order.figure_11,
    order.figure_12,
    asked_again.beside,
)
CLAIMS: tuple[Callable[[Credit], list[Judged]], ...] = (
    ranges.claims,
    seeds.claims,
    looks.claims,
    split.claims,
    order.claims,
    asked_again.claims,
)


def main(folder: Path) -> list[Judged]:
    """Draw, judge, print and save everything; return the conclusions and how they fared."""
    path = find(data.NAME)
    if path is None:
        print(missing(data.NAME, data.NEEDS[data.NAME]))
        return []
    folder.mkdir(parents=True, exist_ok=True)
    start = perf_counter()
    credit = Credit(data.read(path))
    plates = []
    for figure in FIGURES:
        plate = figure(credit)
        draw_plate(plate, folder)
        plates.append(plate)
        print(f"{plate.name}  {plate.title}  ({perf_counter() - start:.0f} s)", flush=True)
    found = [each for claims in CLAIMS for each in claims(credit)]
    told = told_of(found)
    print(f"\n{told}\n")
    (folder / "conclusions.txt").write_text(f"{told}\n", encoding="utf-8")
    print(
        f"{write_page(plates, found, folder)}  <- open this one  ({perf_counter() - start:.0f} s)"
    )
    return found


def told_of(found: list[Judged]) -> str:
    """Write the conclusions, and how many of them hold."""
    held = [sum(each.verdict == v for each in found) for v in ("HOLDS", "IN PART", "DOES NOT HOLD")]
    title = "What the paper says, and what became of it"
    return "\n".join(
        [
            title,
            "=" * len(title),
            *map(str, found),
            "",
            f"Of {len(found)} statements {held[0]} hold, {held[1]} hold in part, {held[2]} do not"
            " hold.",
        ]
    )


if __name__ == "__main__":
    said = asked("build/figures2011")
    if not main(said.folder) and said.everything:
        sys.exit(1)
