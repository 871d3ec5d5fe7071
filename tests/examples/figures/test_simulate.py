"""The data: the paper's own at 500 persons, and by its formulas at other sizes."""

from __future__ import annotations

import numpy as np
import pytest

import discreet as dc
from examples.figures.simulate import table


def test_at_five_hundred_it_is_the_papers_own() -> None:
    assert table("D1").equals(dc.datasets.d1())
    assert table("D2", 500).equals(dc.datasets.d2())
    assert table("D3").equals(dc.datasets.d3())


@pytest.mark.parametrize("name", ["D1", "D2", "D3"])
def test_other_sizes_are_the_same_each_time(name: str) -> None:
    assert table(name, 50).num_rows == 50
    assert table(name, 50).equals(table(name, 50))


def test_formulas_are_those_of_section_3() -> None:
    found = {name: table(name, 20_000) for name in ("D1", "D2", "D3")}
    x = {name: found[name]["X"].to_numpy() for name in found}
    y = {name: found[name]["Y"].to_numpy() for name in found}

    assert x["D1"].mean() == pytest.approx(10, abs=0.02)
    assert x["D1"].std() == pytest.approx(0.5, abs=0.01)
    assert (y["D1"] - x["D1"]).std() == pytest.approx(1, abs=0.02)
    assert np.log(x["D2"]).std() == pytest.approx(0.5, abs=0.01)
    error = y["D2"] - np.log(x["D2"])
    assert 0 <= error.min() < 0.001 < 0.999 < error.max() <= 1
    assert x["D3"].mean() == pytest.approx(5 / 7, abs=0.01)
    assert y["D3"].var() == pytest.approx(1 / 8, abs=0.005)
    assert abs(np.corrcoef(x["D3"], y["D3"])[0, 1]) < 0.03
