"""The passengers, and Table 2 to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from examples.anonymise import titanic
from examples.anonymise.compare import Compared
from examples.anonymise.tables import PAPER_2
from examples.anonymise.titanic import strata_counts, survival

ROWS = """PassengerId,Survived,Pclass,Sex,Age,SibSp,Parch,Fare
1,0,3,male,22,1,0,7.25
2,1,1,female,38,1,0,71.2833
3,1,3,female,,0,0,7.925
4,1,1,female,35,0,2,53.1
"""


def test_four_passengers_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "titanic.csv"
    file.write_text(ROWS)

    table = titanic.passengers(file)

    assert table["Age"].tolist() == [22, 38, 35, 35]
    assert table["Family"].tolist() == ["yes", "yes", "no", "yes"]
    assert table["Pclass"].tolist() == ["3", "1", "3", "1"]
    counted = strata_counts(table)
    assert counted["Frequency"].tolist() == [1, 2, 1]
    assert survival(counted) == ["1/1", "2/2", "0/1"]


def test_the_strata_are_those_of_table_2(passengers: Compared) -> None:
    counted = strata_counts(passengers.original)
    rows = zip(
        counted["Pclass"],
        counted["Sex"],
        counted["Family"],
        counted["Frequency"],
        survival(counted),
        strict=True,
    )
    assert tuple(rows) == PAPER_2


def test_177_ages_are_the_median(shared_data: Callable[[str], Path]) -> None:
    table = titanic.passengers(shared_data("titanic.csv"))
    assert len(table) == 891
    assert table["Age"].median() == 28
    assert not table.isna().any().any()
