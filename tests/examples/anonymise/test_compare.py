"""What the paper's text says of the passengers: utility and risk."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from examples.anonymise import titanic
from examples.anonymise.compare import Compared, Plan, anonymised, strata_of
from tests.measure.r_neighbours import released_by_r


def test_strata_are_named_by_all_levels() -> None:
    table = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [0.5, 0.7]})
    assert strata_of(table, ["b", "a"]) == ["x 1", "y 2"]


def test_three_in_a_stratum_become_one_point_and_the_rest_stays() -> None:
    table = pd.DataFrame(
        {"side": list("LLLRRR"), "x": [1.0, 2, 3, 10, 11, 12], "code": [1, 2, 3, 4, 5, 6]}
    )
    released = anonymised(table, Plan(("x",), ("side",), ""), k=3)
    assert released["x"].round(2).tolist() == [1.93, 1.93, 1.93, 11.07, 11.07, 11.07]
    assert released[["side", "code"]].equals(table[["side", "code"]])


def test_spreads_are_kept_and_other_columns_are_not_touched(passengers: Compared) -> None:
    before, after = passengers.original, passengers.released
    assert after[["Survived", "Pclass", "Sex", "Family"]].equals(
        before[["Survived", "Pclass", "Sex", "Family"]]
    )
    for column in ("Age", "Fare"):
        assert after[column].std() == pytest.approx(before[column].std(), rel=1e-12)


def test_utility_is_that_of_the_paper_to_the_printed_digits(passengers: Compared) -> None:
    assert f"{passengers.propensity.u:.6f}" == "0.000117"
    assert {name: f"{value:.4f}" for name, value in passengers.displacement.items()} == {
        "Age": "0.0114",
        "Fare": "0.0473",
    }


def test_risks_are_those_of_the_paper(passengers: Compared) -> None:
    assert (passengers.risk.risk1.count, passengers.risk.risk2.count) == (38, 8)
    assert passengers.risk.risk1.trials == 891


def test_the_rows_are_those_of_the_papers_program(passengers: Compared) -> None:
    columns = list(titanic.COLUMNS)
    x = passengers.original[columns].to_numpy()
    papers = released_by_r(x, strata_of(passengers.original, titanic.STRATA), titanic.K)
    np.testing.assert_allclose(passengers.released[columns].to_numpy(), papers, atol=1e-10)
