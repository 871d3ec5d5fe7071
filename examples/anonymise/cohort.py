"""A stand-in for the 1958 cohort of the paper, which is not public.

What it shares with the paper is printed there: 1211 people aged 45 in four strata, and about how
glucose goes with the other columns (Table 4). The moments below are ours. They are those of a
British cohort of middle age as far as such are commonly reported: men of 176 cm and 84 kg, women of
163 cm and 70 kg; HDL of 1.4 and 1.7 mmol/l, about 0.1 lower in smokers; a fasting glucose of 5.3
with a long tail to the right, of undetected diabetes. Persons are drawn from these moments, so
nobody is among them, and no number of theirs is the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from examples.anonymise.simulate import Moments, ValeMaurelli, moments_of

__all__ = [
    "COLUMNS",
    "FORMULA",
    "PERSONS",
    "STRATA",
    "Stratum",
    "cohort",
    "drawn",
    "observed",
    "sizes",
]

COLUMNS = ("Glucose", "HDL", "Height", "Weight")
FORMULA = "Glucose ~ Sex + Smoker + HDL + Height + Weight"
PERSONS = 1211
SEED = 1958  # any would do; this is the cohort's year


@dataclass(frozen=True)
class Stratum:
    """Who is in it, how many of the 1211, and the moments of its columns."""

    female: int
    smoker: int
    persons: int
    moments: Moments


# Correlations of glucose, HDL, height and weight. Those of glucose are such that it is higher by
# 0.010 a kg, lower by 0.013 a cm and by 0.229 a mmol/l of HDL, as in the paper; the others
# are as in most cohorts: the heavy have less HDL, the tall weigh more.
MEN = (
    (1, -0.16, -0.04, 0.17),
    (-0.16, 1, -0.05, -0.35),
    (-0.04, -0.05, 1, 0.40),
    (0.17, -0.35, 0.40, 1),
)
WOMEN = (
    (1, -0.21, -0.05, 0.19),
    (-0.21, 1, 0.00, -0.35),
    (-0.05, 0.00, 1, 0.30),
    (0.19, -0.35, 0.30, 1),
)
# Skewness and excess kurtosis of glucose, HDL, height and weight.
SKEWNESS = {"male": (2.2, 0.8, 0.0, 0.7), "female": (2.2, 0.6, 0.0, 1.0)}
KURTOSIS = {"male": (9.0, 1.0, 0.1, 1.0), "female": (8.5, 0.6, 0.1, 1.5)}


def of_men(mean: tuple[float, ...]) -> Moments:
    """Return the moments of men with these means."""
    sd = (0.75, 0.35, 6.5, 13.0)
    return Moments(mean, sd, SKEWNESS["male"], KURTOSIS["male"], MEN)


def of_women(mean: tuple[float, ...]) -> Moments:
    """Return the moments of women with these means."""
    sd = (0.70, 0.42, 6.2, 13.5)
    return Moments(mean, sd, SKEWNESS["female"], KURTOSIS["female"], WOMEN)


#: In the order of the paper.
STRATA = (
    Stratum(0, 0, 492, of_men((5.38, 1.42, 176.2, 84.5))),
    Stratum(0, 1, 111, of_men((5.50, 1.32, 175.5, 82.0))),
    Stratum(1, 0, 468, of_women((5.24, 1.72, 162.9, 70.5))),
    Stratum(1, 1, 140, of_women((5.36, 1.60, 162.2, 68.5))),
)


@cache
def solved() -> tuple[ValeMaurelli, ...]:
    """Solve the equations of each stratum for the moments above."""
    return tuple(ValeMaurelli.of(stratum.moments) for stratum in STRATA)


def cohort() -> pd.DataFrame:
    """Return the 1211 people, the same each time.

    Sex and Smoker are codes as in the paper: 1 is female, and 1 smokes.
    """
    persons = [stratum.persons for stratum in STRATA]
    return drawn(solved(), persons, np.random.default_rng(SEED))


def sizes(persons: int) -> tuple[int, ...]:
    """Return how many of so many people are in each stratum, in the shares of the cohort.

    Rounded down, and the people left over go where most was cut off: 203, 46, 193 and 58 of 500,
    and 20, 5, 19 and 6 of 50, as in the paper.
    """
    whole = [stratum.persons * persons // PERSONS for stratum in STRATA]
    cut = [stratum.persons * persons % PERSONS for stratum in STRATA]
    for place in sorted(range(len(STRATA)), key=lambda i: -cut[i])[: persons - sum(whole)]:
        whole[place] += 1
    return tuple(whole)


@cache
def observed() -> tuple[ValeMaurelli, ...]:
    """Solve the equations for what is observed of the cohort, as the paper did with its own."""
    table = cohort()
    of_each = [
        table.loc[(table["Sex"] == stratum.female) & (table["Smoker"] == stratum.smoker)]
        for stratum in STRATA
    ]
    return tuple(ValeMaurelli.of(moments_of(rows[list(COLUMNS)])) for rows in of_each)


def drawn(
    shapes: tuple[ValeMaurelli, ...],
    persons: list[int] | tuple[int, ...],
    chance: np.random.Generator,
) -> pd.DataFrame:
    """Draw a table with so many people in each stratum."""
    parts = []
    for stratum, shape, rows in zip(STRATA, shapes, persons, strict=True):
        part = pd.DataFrame(shape.draw(rows, chance), columns=list(COLUMNS))
        parts.append(part.assign(Sex=stratum.female, Smoker=stratum.smoker))
    return pd.concat(parts, ignore_index=True)
