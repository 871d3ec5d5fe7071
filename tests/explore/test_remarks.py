"""What a picture says of codes and of ends."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from discreet.columns.column import Copy
from discreet.custodian.papers import remarks_of
from discreet.plots.histogram import HistogramPlot
from discreet.policy import Policy, settle
from discreet.table import open_table
from tests.cases import policy_of

TABLE = open_table(
    pd.DataFrame({"age": np.arange(100.0), "income": [*np.arange(80.0), *[-999.0] * 20]}),
    kinds={},
    roles={},
    unit=None,
    key=None,
)


def copy_of(*values: float) -> Copy:
    return Copy({"age": np.array(values)}, {}, "0" * 16, 0, ("some rows are left out",))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param(
            {"bounds": {"age": [0, 80]}},
            ["values outside the bounds of age are reflected at them"],
            id="reflected",
        ),
        pytest.param(
            {"bounds": {"age": [0, 80]}, "outside": "clip"},
            ["values outside the bounds of age are put on them"],
            id="clipped",
        ),
        pytest.param(
            {"bounds": {"age": [0, 80]}, "outside": "keep"},
            ["some values lie outside the bounds of age, and are kept"],
            id="kept",
        ),
        pytest.param(
            {"bounds": {"age": [-5, 99]}, "outside": "keep"}, [], id="nothing lies outside"
        ),
    ],
)
def test_rows_of_a_copy(changes: dict[str, Any], said: list[str]) -> None:
    policy = policy_of(**changes)
    copy = copy_of(-1.0, 90.0)
    found = remarks_of(TABLE, policy, copy, settle(policy, HistogramPlot("age"), method="rows"))
    assert found == ("some rows are left out", *said)


def test_codes_are_said_of_the_columns_that_are_drawn() -> None:
    policy = Policy.preset("standard")
    of_age, of_income = (
        remarks_of(TABLE, policy, None, settle(policy, HistogramPlot(name)))
        for name in ("age", "income")
    )
    assert of_age == ()
    assert len(of_income) == 1
    assert of_income[0].startswith("income may hold codes for missing values")
    assert "999" not in of_income[0]
