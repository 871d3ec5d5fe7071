"""Draw Figures 1 to 21 of Avraam et al. (2021) again, and a page that shows them side by side.

Run with `make figures`; everything lands in build/figures. The data are simulated and come with the
package, so nothing is left out. The policy is `research`: each method as the paper prints it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from examples.figures import diagnostics, exploratory, parameters, sizes
from examples.figures.contact_sheet import Shown, write_page, write_sheet
from examples.figures.panels import Plate, draw_plate
from examples.figures.told import told
from examples.public import asked

NUMBERS = range(1, 22)
EXPLORATORY = {
    1: exploratory.figure_1,
    2: exploratory.figure_2,
    3: exploratory.figure_3,
    4: exploratory.figure_4,
}
SECRET = "1234"  # no secret: whoever draws the figures again shall see the same noise


def main(folder: Path, numbers: Sequence[int] = NUMBERS) -> None:
    """Draw figures into `folder`, and say how far it is."""
    os.environ.setdefault("DISCREET_SECRET", SECRET)
    folder.mkdir(parents=True, exist_ok=True)
    start = perf_counter()
    shown = []
    # A process of its own for each half of the work; "spawn" works on every system.
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as workers:
        futures = [workers.submit(drawn, number, folder) for number in numbers]
        for done, future in enumerate(futures, start=1):
            figure = future.result()
            shown.append(figure)
            print(
                f"{done:2} of {len(futures)}  {figure.file}  {figure.title}"
                f"  ({perf_counter() - start:.0f} s)",
                flush=True,
            )
    write_sheet(shown, folder)
    print(f"{write_page(shown, folder)}  <- open this one")


def plate_of(number: int) -> Plate:
    """Ask for all pictures of a figure."""
    if number in EXPLORATORY:
        return EXPLORATORY[number]()
    if number <= 7:
        return diagnostics.diagnostic_figure(number)
    if number <= 15:
        return parameters.parameter_figure(number)
    return sizes.size_figure(number)


def drawn(number: int, folder: Path) -> Shown:
    """Draw one figure, and return what is said of it."""
    plate = plate_of(number)
    path = draw_plate(plate, folder)
    numbers = tuple(tuple(map(told, row.views)) for row in plate.rows)
    names = tuple(row_name(row.views) for row in plate.rows)
    return Shown(number, path.name, plate.title, plate.caption, plate.heads, names, numbers)


def row_name(views: Sequence[object]) -> str:
    """Name a row by what its first view shows."""
    first = next(view for view in views if view is not None)
    return str(getattr(first, "kind", "")) + " of " + " and ".join(getattr(first, "columns", ()))


if __name__ == "__main__":
    main(asked("build/figures").folder)
