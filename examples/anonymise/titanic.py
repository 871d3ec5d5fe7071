"""The passengers of the Titanic as the paper prepares them, and Table 2."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

__all__ = ["COLUMNS", "FORMULA", "NEEDS", "STRATA", "K", "passengers", "strata_counts", "survival"]

COLUMNS = ("Age", "Fare")
STRATA = ("Pclass", "Sex", "Family")
FORMULA = "Survived ~ Pclass + Sex + Age + Fare + Family"
K = 3
NAME = "titanic"
#: What is left out without the file.
NEEDS = {NAME: "Figures 1 to 4 and Tables 2 and 3 of the 2022 paper are"}


def passengers(path: Path) -> pd.DataFrame:
    """Read the 891 passengers, a missing age as the median of the others.

    Family says whether anybody of the family is aboard. It and the class are texts, so that they
    are levels to whoever reads the table.
    """
    read = pd.read_csv(path)
    age = read["Age"].astype(float)
    family = (read["SibSp"] + read["Parch"]) > 0
    return pd.DataFrame(
        {
            "Survived": read["Survived"].astype(int),
            "Pclass": read["Pclass"].astype(str),
            "Sex": read["Sex"],
            "Family": family.map({True: "yes", False: "no"}),
            "Age": age.fillna(age.median()),
            "Fare": read["Fare"].astype(float),
        }
    )


def strata_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return Table 2: how many passengers each stratum has, and how many of them survived."""
    grouped = table.groupby(list(STRATA))["Survived"]
    counted = grouped.agg(Frequency="size", Survived="sum").reset_index()
    # The paper has passengers alone first, then by sex, then by class.
    return counted.sort_values(["Family", "Sex", "Pclass"], ignore_index=True)


def survival(counted: pd.DataFrame) -> list[str]:
    """Write the survival ratios as the paper does: 33/34."""
    pairs = zip(counted["Survived"], counted["Frequency"], strict=True)
    return [f"{lived}/{all_of_them}" for lived, all_of_them in pairs]
