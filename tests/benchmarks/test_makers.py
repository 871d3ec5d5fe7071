"""Methods of others, as benchmarks make them: cases worked out by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from benchmarks.makers import MAKERS
from benchmarks.marginals import mst_makers, rho_of
from discreet.measure.attacks import Records, attack_secret
from discreet.measure.pairs import Side


def table_of(rows: int) -> Side:
    """Return a number that a level decides, and a level that is as often one as the other."""
    words = ["a", "b", "b", "c"] * (rows // 4)
    x = np.array([{"a": 1.0, "b": 5.0, "c": 9.0}[word] for word in words])
    return Side.of({"x": x}, {"word": tuple(words), "coin": ("0", "1", "1", "0") * (rows // 4)})


@pytest.mark.parametrize(
    ("epsilon", "delta", "simpler"),
    # The simpler bound is rho + 2 sqrt(rho log(1 / delta)) = epsilon, solved for rho.
    [(1.0, 1e-9, 0.0118), (10.0, 1e-9, 0.981), (4.0, 1e-5, 0.298)],
)
def test_concentrated_privacy_is_a_little_more_than_by_the_simpler_bound(
    epsilon: float, delta: float, simpler: float
) -> None:
    by_hand = (np.sqrt(np.log(1 / delta) + epsilon) - np.sqrt(np.log(1 / delta))) ** 2
    assert by_hand == pytest.approx(simpler, rel=0.01)
    assert simpler < rho_of(epsilon, delta) < 1.4 * simpler


def test_with_hardly_any_noise_pairs_that_decide_each_other_stay() -> None:
    table = table_of(400)
    (make, wide) = mst_makers(table).values()
    # Of 400 rows 100 are a, 200 b and 100 c; with epsilon = 10 noise is about 3 rows a count.
    copy = wide(Records.of(table), attack_secret("mst")).table
    found = Counter(zip(copy.levels["word"], copy.numbers["x"].tolist(), strict=True))
    wanted = {("a", 1.0): 100, ("b", 5.0): 200, ("c", 9.0): 100}
    assert all(abs(found[cell] - count) < 15 for cell, count in wanted.items())
    # With epsilon = 1 noise is about 15 rows a count, and the number of rows has noise as well.
    assert len(make(Records.of(table), attack_secret("mst")).table) != 400


def test_a_row_of_cart_counts_as_that_of_who_gave_most_of_it() -> None:
    table = table_of(400)
    copy = MAKERS["CART, leaves of 5"](Records.of(table), attack_secret("cart"))
    assert copy.source is not None
    # A word decides the coin here, so that all who gave a part of a row have the coin of the row.
    raw = [table.levels["coin"][row] for row in copy.source]
    assert list(copy.table.levels["coin"]) == raw
