"""A cohort with a canary in every column, the rules it is served under, and who asks of it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
from pyarrow import Table, table

from discreet.serve.studies import Studies
from tests.serve.cohort import SECRET, studies_of
from tests.serve.searching import Canaries

__all__ = ["CANARIES", "CLIENTS", "COHORT", "SACRO", "SECRET", "cohort", "planted"]

PERSONS = 360
#: Of one person each: at either end, in the middle, as a whole number.
ALONE = {
    "age": (31.415926535897, 118.0339887498, 0.57721566490153),
    "bmi": (27.182818284590, 93.1471805599453),
    "glucose": (141.42135623731, 1618.03398874989),
    "income": (271828.1828459, -161803.3988749, 44907.18281828),
    "visits": (8675309, 314159265),
    "half": (1.2020569031595942,),
}
BIRDS = ("Canarybird", "Zebulon", "quuxward", "wombatism", "xylograph", "ibisvogel")
#: What the requests themselves hold: it comes back as little.
CLIENTS = ("clientcanary", "ragnaroek")

RULES = 'name = "canaries"\n'
SACRO = "k = 10\nround_to = 1\n"
ROLES = '\n[roles]\npatient = "identifier"\nillness = "sensitive"\n'


def cohort() -> Table:
    """Make a table with a canary in every column."""
    rng = np.random.default_rng(7)
    columns: dict[str, list[Any]] = {
        "patient": [f"{BIRDS[0]}{i:04}" for i in rng.permutation(PERSONS)],
        "note": [f"about {BIRDS[1]}, no. {i}" for i in rng.permutation(PERSONS)],
        "age": rng.normal(52, 11, PERSONS).tolist(),
        "bmi": rng.normal(26, 4, PERSONS).tolist(),
        "glucose": rng.normal(91, 11, PERSONS).tolist(),
        "income": rng.lognormal(10, 0.6, PERSONS).tolist(),
        "visits": rng.integers(0, 40, PERSONS).tolist(),
        "half": (rng.random(PERSONS) * 3).tolist(),
        "ward": rng.choice(["north", "east", "south"], PERSONS).tolist(),
        "sex": rng.choice(["f", "m"], PERSONS).tolist(),
        "illness": rng.choice(["none", "mild", "severe"], PERSONS).tolist(),
        "smoker": rng.choice(["yes", "no"], PERSONS).tolist(),
    }
    persons = iter(rng.permutation(PERSONS).tolist())
    for name, values in ALONE.items():
        for value in values:
            columns[name][next(persons)] = value
    for name, level in (("ward", BIRDS[2]), ("sex", BIRDS[3]), ("illness", BIRDS[4])):
        columns[name][next(persons)] = level
    for _ in range(2):
        columns["smoker"][next(persons)] = BIRDS[5]
    return table(columns)


COHORT = cohort()
#: All values of no round numbers, to many digits; the planted ones to few.
CANARIES = Canaries(
    (*BIRDS, *CLIENTS, SECRET),
    [value for values in ALONE.values() for value in values],
    [
        value
        for name in ("age", "bmi", "glucose", "income", "half")
        for value in COHORT.column(name).to_pylist()
    ],
)


def planted(folder: Path, more: str = "") -> Studies:
    """Protect the cohort under these rules and more with the known secret, and serve the file."""
    return studies_of(folder, RULES + more + ROLES, COHORT)


def shuffled(items: list[Any], seed: int) -> list[Any]:
    """Return items in another order, the same at every run."""
    return random.Random(seed).sample(items, len(items))
