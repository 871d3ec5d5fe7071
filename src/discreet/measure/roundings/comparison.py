"""What came of rounding one table in many ways: to look at, to save, to go on with."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from pathlib import Path

from discreet.measure.roundings.grid import RoundingGrid
from discreet.measure.roundings.page import STYLE, page_parts, text_of, title_of
from discreet.render.figure_file import path_to_save, write_whole
from discreet.render.to_html import fragment, page

__all__ = ["SCHEMA", "SUFFIXES", "RoundingComparison"]

SCHEMA = 1
SUFFIXES = (".html", ".csv", ".json", ".txt")


@dataclass(frozen=True, repr=False)
class RoundingComparison:
    """What came of rounding one table in many ways: loss, risk, and what models still learn.

    It is made of the raw data, for whoever holds them, and is no release.

    Parameters
    ----------
    grid : RoundingGrid
        The trials, and which method is best by what.

    Notes
    -----
    **What it does not tell.** Which risk is small enough; what an attack finds that was not tried;
    what holds for other tables. Columns are rounded one at a time, which is not k-anonymity of the
    rows: `alone` and `below` of each trial say how far from it.

    Senavirathne and Torra (2019), sections 4 and 5: Figures 2 to 4 and Tables 1 to 8.
    """

    grid: RoundingGrid

    def __repr__(self) -> str:
        return f"RoundingComparison({self.grid.name}: {len(self.grid.trials)} settings)"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return fragment(page_parts(self.grid), STYLE)

    def to_text(self) -> str:
        """Return what was found in words, and all settings as a table of text."""
        return text_of(self.grid)

    def to_html(self) -> str:
        """Return one page that needs no other file: words, pictures, tables."""
        return page(title_of(self.grid), page_parts(self.grid), STYLE)

    def to_json(self) -> str:
        """Return all numbers as JSON; it says that it is no release."""
        grid = self.grid
        told = {
            "discreet": SCHEMA,
            "kind": "rounding comparison",
            "release": False,
            "table": grid.name,
            "columns": list(grid.columns),
            "rows": grid.rows,
            "left_out": grid.left_out,
            "target": grid.target,
            "model": grid.model,
            "representative": grid.representative,
            "folds": grid.folds,
            "notes": list(grid.notes),
            "unrounded": {k: v if math.isfinite(v) else None for k, v in grid.unrounded.items()},
            "trials": [trial.to_dict() for trial in grid.trials],
        }
        return json.dumps(told, allow_nan=False, ensure_ascii=False)

    def to_csv(self) -> str:
        """Return one row for each trial, and one for the table itself, method "none"."""
        head = ("method", "family", "rule", "k", "c", "points_least", "points_most", "fewest",
                "below", "alone", *self.grid.gauges, "refused")  # fmt: skip
        file = io.StringIO()
        writer = csv.DictWriter(file, head, restval="", lineterminator="\n")
        writer.writeheader()
        plain = {k: v for k, v in self.grid.unrounded.items() if math.isfinite(v)}
        writer.writerow({"method": "none", "rule": "not rounded", **plain})
        for trial in self.grid.trials:
            told = {k: v for k, v in trial.to_dict().items() if v is not None and k != "points"}
            if trial.points:
                ends = min(trial.points.values()), max(trial.points.values())
                told |= {"points_least": ends[0], "points_most": ends[1]}
            writer.writerow(told)
        return file.getvalue()

    def save(self, path: str | Path) -> Path:
        """Write the comparison to a file of your own.

        Parameters
        ----------
        path : str or Path
            Ends in .html for the page, .csv or .json for the numbers, .txt for text.

        Raises
        ------
        InputError
            If the ending is another one, or the folder does not exist.
        """
        written = {
            ".html": self.to_html,
            ".csv": self.to_csv,
            ".json": self.to_json,
            ".txt": self.to_text,
        }
        target = path_to_save(path, SUFFIXES, "a comparison")
        write_whole(written[target.suffix.lower()]().encode(), target)
        return target
