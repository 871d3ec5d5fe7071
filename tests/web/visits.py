"""Visits that are made up: times until an event, dates, gaps, far values and levels."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np
from pyarrow import Table, array

from tests.serve.cohort import opened

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.explore import Study

__all__ = ["visits"]

RULES = '[roles]\npatient = "identifier"\n'
ARMS = (
    "usual care",
    "<img src=x onerror=alert(1)>",
    "שיחה וייעוץ",
    "运动与饮食 🏃 with a very long name that goes on",
)


def visits(folder: Path, rows: int = 700) -> Study:
    """Open a study of such visits in a folder."""
    drawn = np.random.default_rng(19)
    age = drawn.integers(18, 90, rows)
    band = np.where(age < 40, "under 40", np.where(age < 60, "40 to under 60", "60 or more"))
    arm = np.array(ARMS)[drawn.choice(4, rows, p=[0.5, 0.3, 0.18, 0.02])]
    months = np.round(drawn.exponential(40, rows) * (1 + (arm == ARMS[1])), 1)
    marker = np.round(drawn.lognormal(1, 0.8, rows), 2)
    change = np.round(drawn.normal(-2, 6, rows) + (band == "under 40") * 4, 1)
    first = date(2019, 2, 11)
    visit = [first + timedelta(days=int(it)) for it in drawn.integers(0, 1400, rows)]
    columns = {
        "patient": array([f"Patient {i:04d}" for i in range(rows)]),
        "age": array(age),
        "band": array(band),
        "arm": array(arm),
        "months": array(np.minimum(months, 60)),
        "died": array((months < 60).astype(int) * drawn.integers(0, 2, rows)),
        "marker": array(marker, mask=drawn.random(rows) < 0.1),
        "change": array(change),
        "visit": array(visit),
        "year": array([it.year for it in visit]),
        "site": array([f"site {i % 30 + 1}" for i in range(rows)]),
    }
    return opened(folder, RULES, Table.from_pydict(columns))
