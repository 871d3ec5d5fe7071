"""Make the figures and tables of Avraam et al. (2022) again, and a page that shows them.

Run with `make figures`; everything lands in build/figures, beside those of the 2021 paper. What
needs the passengers of the Titanic is left out, and said, where their file is missing; with `--all`
nothing is drawn then. The cohort of the paper is not public; a simulated one stands in for it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

from examples.anonymise import cohort_figures, sensitivity, sensitivity_figures, titanic
from examples.anonymise import titanic_figures as passengers
from examples.anonymise.cohort import cohort
from examples.anonymise.compare import Compared
from examples.anonymise.drawing import Plate, draw_plate
from examples.anonymise.page import write_page, write_table
from examples.anonymise.tables import (
    PAPER_3,
    PAPER_4,
    PAPER_DIFFERENCES_3,
    PAPER_DIFFERENCES_4,
    TextTable,
    table_2,
    table_of_coefficients,
)
from examples.public import asked, complete, find, missing

__all__ = ["main"]


def main(folder: Path, sets: int = sensitivity.SETS) -> None:
    """Make all figures and tables, and say how far it is; `sets` is for Figures 7 and 8."""
    folder.mkdir(parents=True, exist_ok=True)
    start = perf_counter()
    plates: list[Plate] = []
    tables: list[TextTable] = []

    def tell(what: str) -> None:
        print(f"{what}  ({perf_counter() - start:.0f} s)", flush=True)

    def draw(*made: Plate) -> None:
        for plate in made:
            draw_plate(plate, folder)
            plates.append(plate)
            tell(f"{plate.name}  {plate.title}")

    path = find(titanic.NAME)
    if path is None:
        tell(missing(titanic.NAME, titanic.NEEDS[titanic.NAME]))
    else:
        table = titanic.passengers(path)
        found = passengers.of_titanic(table)
        draw(
            passengers.figure_1(found),
            passengers.figure_2(found),
            passengers.figure_3(found),
            passengers.figure_4(found),
        )
        tables += [table_2(table), table_3(found)]
    found = cohort_figures.of_cohort(cohort())
    draw(cohort_figures.figure_5(found), cohort_figures.figure_6(found))
    tables.append(table_4(found))
    settings = (*sensitivity_figures.SETTINGS_7, *sensitivity_figures.SETTINGS_8)
    spreads = sensitivity.spreads(settings, sets, tell=tell)
    draw(sensitivity_figures.figure_7(spreads, sets), sensitivity_figures.figure_8(spreads, sets))
    for text in tables:
        write_table(text, folder)
    print(f"{write_page(plates, tables, folder)}  <- open this one")


def table_3(found: Compared) -> TextTable:
    """Return the model of survival."""
    moved = found.displacement
    caption = (
        "Logistic regression of survival on the original and the anonymised passengers, and the"
        f" paper's original model. δ of age is {moved['Age']:.4f} and of fare {moved['Fare']:.4f},"
        f" U is {found.propensity.u:.6f} (paper: 0.0114, 0.0473 and 0.000117)."
    )
    return table_of_coefficients(
        3,
        "Survival of the passengers",
        caption,
        found.coefficients,
        passengers.TERMS,
        PAPER_3,
        PAPER_DIFFERENCES_3,
    )


def table_4(found: Compared) -> TextTable:
    """Return the model of glucose."""
    moved = ", ".join(f"{name} {value:.4f}" for name, value in found.displacement.items())
    caption = (
        "Linear regression of fasting glucose on the original and the anonymised stand-in cohort,"
        " and what the paper has of the 1958 cohort, which is not public. On average of many draws,"
        " but not in one, the slopes of the stand-in are about the paper's; its intercept is its"
        " own. δ:"
        f" {moved} (paper: 0.0466, 0.0229, 0.0296, 0.0247); U: {found.propensity.u:.6f} (paper:"
        " 0.00005)."
    )
    return table_of_coefficients(
        4,
        "Fasting glucose of the stand-in cohort",
        caption,
        found.coefficients,
        cohort_figures.TERMS,
        PAPER_4,
        PAPER_DIFFERENCES_4,
    )


if __name__ == "__main__":
    said = asked("build/figures")
    if said.everything and not complete(titanic.NEEDS, everything=True):
        sys.exit(1)
    main(said.folder)
