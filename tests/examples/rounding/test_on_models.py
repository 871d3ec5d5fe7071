"""What the paper says of models, judged on the small data sets that come with scikit-learn."""

import pytest

from examples.rounding.data import Plan
from examples.rounding.on_models import PAPER_ACCURACY, of_trees
from examples.rounding.on_scores import INTERVALS, MICRO
from examples.rounding.run import compared


def test_the_paper_has_a_number_for_each_method() -> None:
    assert set(PAPER_ACCURACY) == {*MICRO, *INTERVALS}


@pytest.mark.slow
def test_iris() -> None:
    found = compared(Plan("iris", "class", (5, 20)))
    assert found is not None
    told = of_trees(found.micro, found.every.grid, {"mdlp": 43.0})
    assert len(told) == 7
    assert all(each.claim.startswith("iris: ") and each.numbers for each in told)
    kept = next(each for each in told if "keep the accuracy" in each.claim)
    assert kept.verdict == "HOLDS"
    assert any("mdlp 43 %" in each.numbers for each in told)
