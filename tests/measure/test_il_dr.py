"""The IL-DR score: worked by hand, its limits, and what it is made of."""

import json
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.measure.information_loss import il1s, il_dr_score, il_metrics
from discreet.measure.intervals import idr
from discreet.measure.linkage import ddr
from discreet.measure.pairs import as_pair
from discreet.rounding.rounding_set import column_sets, encoded
from examples.rounding.data import simulated

Floats = NDArray[np.float64]

X, Y = [1, 2, 5, 8], [1.5, 1.5, 6.5, 6.5]


def test_by_hand() -> None:
    found = il_dr_score(X, Y)

    # values .309375, means 0, V and S (10 to 25/3) 1/6; |x - y| is 1 on average, the sd sqrt 10
    assert found.il_metrics == pytest.approx(100 * (0.309375 + 0 + 1 / 6 + 1 / 6) / 4)
    assert found.il1s == pytest.approx(100 / math.sqrt(20))
    assert found.ddr == 50  # 1.5 lies between its own two, 6.5 as well
    assert found.idr == 0
    assert found.score == pytest.approx((16.0677083333 + 22.360679775 + 50 + 0) / 4)
    # four values, each 1 away on average
    assert found.il1s_sum == pytest.approx(4 / math.sqrt(20))
    assert found.score_by_sum == pytest.approx((16.0677083333 + 0.894427191 + 50 + 0) / 4)


def test_wide_intervals_count_all() -> None:
    # the released sd is sqrt(25 / 3) = 2.89, and no value lies further off than 1.5
    assert il_dr_score(X, Y, share=0.55).idr == 100


def test_the_original_scores_50_and_the_mean_of_all_about_its_losses() -> None:
    x = np.random.default_rng(1).uniform(size=(400, 2))
    kept, lost = il_dr_score(x, x), il_dr_score(x, np.full_like(x, 0.5))

    assert (kept.il_metrics, kept.il1s, kept.ddr, kept.idr, kept.score) == (0, 0, 100, 100, 50)
    assert lost.ddr == pytest.approx(100 / 400)
    assert lost.idr == 0
    assert lost.score == pytest.approx((lost.il_metrics + lost.il1s + 0.25) / 4)


def test_printed_and_as_plain_values() -> None:
    found = il_dr_score(X, Y)

    assert str(found) == ("IL-DR score 22.11 (IL metrics 16.07, IL1s 22.36, DDR 50.00, IDR 0.00)")
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    for name in ("score", "score_by_sum", "il_metrics", "il1s", "il1s_sum", "ddr", "idr"):
        assert plain[name] == getattr(found, name)
    assert plain["loss"]["values"] == 0.309375
    assert plain["linked"]["baseline"] == 0.25
    assert plain["inside"]["trials"] == 4


#: A kind of columns, how they are rounded, and the score that section 4.5 prints for c = 3.
PAPER = {
    "normal, equal width": ("normal", "equal_width", 84.27),
    "exponential, equal frequency": ("exponential", "equal_frequency", 71.31),
    "exponential, resampling": ("exponential", "resampling", 69.73),
}


@pytest.mark.parametrize(("kind", "method", "paper"), PAPER.values(), ids=PAPER)
def test_the_papers_scores_are_of_il1s_as_a_sum(kind: str, method: str, paper: float) -> None:
    scores = []
    for seed in range(7):
        x = simulated(kind, seed).to_numpy()
        sets = column_sets(x, method, k=None, c=3, representative="mean", classes=None)
        scores.append(il_dr_score(x, encoded(sets, x, "region", None)))

    assert np.median([each.score_by_sum for each in scores]) == pytest.approx(paper, rel=0.1)
    assert np.median([each.score for each in scores]) < paper / 2


def test_levels_count_in_the_linkage_alone() -> None:
    sex = ["f", "m", "f", "m"]
    before, after = (pa.table({"x": list(map(float, x)), "sex": sex}) for x in (X, Y))
    found = il_dr_score(before, after)

    # of each level, 1.5 and 6.5 lie nearest to their own record
    assert found.ddr == 100
    assert (found.il_metrics, found.il1s) == (il_dr_score(X, Y).il_metrics, il_dr_score(X, Y).il1s)


@given(
    hnp.arrays(np.float64, (7, 2), elements=st.integers(-4, 4).map(float)),
    hnp.arrays(np.float64, (7, 2), elements=st.integers(-4, 4).map(float)),
    st.permutations(range(7)),
)
def test_laws(x: Floats, y: Floats, order: list[int]) -> None:
    assume((x != x[0]).any())
    found = il_dr_score(x, y)

    assert il_dr_score(x[order], y[order]) == found
    parts = [il_metrics(x, y).total, 100 * il1s(x, y), 100 * ddr(x, y).share, 100 * idr(x, y).share]
    assert [found.il_metrics, found.il1s, found.ddr, found.idr] == parts
    varying = int((x != x[0]).any(axis=0).sum())
    assert found.il1s_sum == pytest.approx(7 * varying * il1s(x, y))
    assert found.score == pytest.approx(sum(parts) * 0.25)


def test_what_is_refused() -> None:
    with pytest.raises(RefusedError, match="every column is constant in the original"):
        il_dr_score([5, 5, 5], [5, 6, 5])
    with pytest.raises(InputError, match="share must be above 0"):
        il_dr_score(X, Y, share=0)
    with pytest.raises(InputError, match="do not correspond"):
        il_dr_score(as_pair([1, 2, 3], [1, 2], same_rows=False))
