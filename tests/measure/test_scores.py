"""Propensity scores are drawn as two boxes: plain ones, or of means of neighbours."""

import numpy as np
import pytest

from discreet.errors import RefusedError
from discreet.measure.evaluate import Scores, boxes_of
from discreet.measure.propensity import Propensity
from discreet.protect import OrderMeans

# sorted: 0 .4 .45 .5 .55 .58 .6 .62 .9; quartiles .45 and .6, so whiskers within .225 of them
FEW = np.array([0.0, 0.4, 0.45, 0.5, 0.55, 0.6, 0.62, 0.9, 0.58])
SCORES = Propensity(FEW, np.full(9, 0.5), 0.01, 1.0, 1)


def test_quartiles_and_whiskers_by_hand() -> None:
    found = boxes_of(SCORES)
    assert found.original == pytest.approx((0.4, 0.45, 0.55, 0.6, 0.62))
    assert found.released == (0.5,) * 5
    assert found.k is None


def test_guarded_numbers_are_means_of_neighbours() -> None:
    assert boxes_of(SCORES, 3) == Scores(OrderMeans(3)(FEW), (0.5,) * 5, 3)


def test_fewer_scores_than_a_mean_rests_on_are_refused() -> None:
    with pytest.raises(RefusedError, match="k is larger than the number of values"):
        boxes_of(SCORES, 10)


def test_the_order_of_rows_does_not_matter() -> None:
    turned = Propensity(FEW[::-1].copy(), SCORES.released, 0.01, 1.0, 1)
    assert boxes_of(turned) == boxes_of(SCORES)


def test_rounded_boxes_keep_what_they_rest_on() -> None:
    coarse = boxes_of(SCORES, 3).rounded()
    assert coarse.k == 3
    assert all(round(value, 2) == value for value in coarse.original)
