"""What no line can be below; and what a tree makes of the numbers of intervals."""

import numpy as np
import pandas as pd
import pytest

from discreet.measure.models import regression_on
from examples.rounding.apart import accuracy_of_codes, least_mse
from examples.rounding.data import read


def test_a_line_through_all_points_has_no_error() -> None:
    table = pd.DataFrame({"x": [0.0, 1.0, 2.0], "y": [1.0, 3.0, 5.0]})
    assert least_mse(table, "y") == pytest.approx(0.0, abs=1e-20)
    table.loc[1, "y"] = 6.0  # the middle one 3 too high: residuals -1, 2, -1
    assert least_mse(table, "y") == pytest.approx(2.0)


def test_a_line_that_learned_from_other_rows_is_not_below_it() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 2))
    y = x[:, 0] + rng.normal(size=40)
    table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": y})
    assert least_mse(table, "y") < regression_on(x, y, x, y, 5).mse


def test_a_tree_of_codes_is_lost_on_values() -> None:
    iris = read("iris")
    assert iris is not None
    assert accuracy_of_codes(iris, "class", "mdlp") < 60
