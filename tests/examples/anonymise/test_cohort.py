"""The stand-in cohort: the paper's strata, and moments that a cohort may have."""

from __future__ import annotations

import numpy as np
import pytest

from examples.anonymise.cohort import COLUMNS, PERSONS, STRATA, cohort, drawn, observed, sizes
from examples.anonymise.cohort import solved as shapes


def test_strata_are_those_of_the_paper() -> None:
    counted = cohort().groupby(["Sex", "Smoker"]).size()
    assert counted.to_dict() == {(0, 0): 492, (0, 1): 111, (1, 0): 468, (1, 1): 140}
    shares = [round(100 * stratum.persons / PERSONS, 1) for stratum in STRATA]
    assert shares == [40.6, 9.2, 38.6, 11.6]


@pytest.mark.parametrize(
    ("persons", "expected"), [(500, (203, 46, 193, 58)), (50, (20, 5, 19, 6)), (1211, None)]
)
def test_smaller_tables_have_the_sizes_of_the_paper(
    persons: int, expected: tuple[int, ...] | None
) -> None:
    assert sizes(persons) == (expected or (492, 111, 468, 140))


@pytest.mark.parametrize("persons", [100, 200, 1000, 1500, 2000, 2500, 3000])
def test_nobody_is_lost_by_rounding(persons: int) -> None:
    assert sum(sizes(persons)) == persons


def test_it_is_the_same_each_time() -> None:
    assert cohort().equals(cohort())


def test_values_are_those_of_living_people() -> None:
    table = cohort()
    between = {"Glucose": (3, 16), "HDL": (0.4, 4), "Height": (135, 210), "Weight": (35, 170)}
    for column, (low, high) in between.items():
        assert low < table[column].min() < table[column].max() < high


def test_moments_are_those_stated() -> None:
    table = drawn(shapes(), [100_000] * 4, np.random.default_rng(0))
    for stratum in STRATA:
        rows = (table["Sex"] == stratum.female) & (table["Smoker"] == stratum.smoker)
        part = table.loc[rows, list(COLUMNS)]
        error = np.asarray(stratum.moments.sd) / 100_000**0.5
        assert (np.abs(part.mean().to_numpy() - stratum.moments.mean) < 5 * error).all()
        assert part.std().to_numpy() == pytest.approx(stratum.moments.sd, rel=0.03)


def test_what_is_observed_can_be_simulated() -> None:
    assert len(observed()) == 4
    assert not any(shape.repaired for shape in (*observed(), *shapes()))
