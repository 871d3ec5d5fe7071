"""Linear rules that vote together: by hand, beside what they are to equal, and that they learn."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.arguments import Floats
from discreet.measure.attacks_by_copies import (
    cross_validated,
    discriminant,
    figures_of,
    look_of,
    ridge_logistic,
    standard,
)
from discreet.measure.pairs import Side


def two_kinds(n: int, figures: int, apart: float, seed: int = 0) -> tuple[Floats, Floats]:
    """Make rows of two kinds whose first figure is so many sds apart."""
    random = np.random.default_rng(seed)
    first, second = random.normal(size=(2, n, figures))
    second[:, 0] += apart
    return first, second


def share_above(inside: Floats, outside: Floats) -> float:
    return float((inside[:, None] > outside[None]).mean())


def test_figures_that_do_not_vary_are_left_out() -> None:
    rows = np.array([[1.0, 5.0, 0.0], [3.0, 5.0, 4.0]])
    of = standard(rows)
    assert of.of(np.array([[5.0, 9.0, 2.0]])).tolist() == [[3.0, 0.0]]
    assert of.of(np.array([[99.0, 9.0, 2.0]])).tolist() == [[6.0, 0.0]]  # as if 6 sds off


def test_the_logistic_regression_is_at_its_least_loss() -> None:
    random = np.random.default_rng(2)
    x = random.normal(size=(80, 3))
    y = np.repeat([0.0, 1.0], 40)
    x[40:, 0] += 1
    weights = ridge_logistic(x, y, 2.0)
    slope = x.T @ (y - 1 / (1 + np.exp(-x @ weights))) - 2.0 * weights
    assert np.abs(slope).max() < 1e-9
    assert weights[0] > 0.3


def test_the_discriminant_of_many_rows_is_fishers() -> None:
    first, second = two_kinds(4000, 2, 1.0)
    second[:, 1] += second[:, 0]
    first[:, 1] += first[:, 0]  # so that the second figure says nothing but of the first
    weights = discriminant(np.vstack([first, second]), np.repeat([0.0, 1.0], 4000))
    assert weights == pytest.approx([1.0, 0.0], abs=0.1)


def test_the_covariance_of_few_rows_is_shrunk_to_a_ball() -> None:
    rows = np.array([[0.0, 1.0], [0.0, -1.0], [2.0, 1.0], [2.0, -1.0]])
    weights = discriminant(rows, np.array([0.0, 0.0, 1.0, 1.0]))
    # The spread is diag(0, 1): squared 1; fourth powers 1 too, so its noise is 0 and it stays;
    # what is added to it is a billionth of its mean.
    assert weights[0] > 1e8
    assert weights[1] == pytest.approx(0.0)


def test_a_discriminant_in_the_space_of_the_rows_is_the_same() -> None:
    first, second = two_kinds(12, 40, 2.0)
    rows, kinds = np.vstack([first, second]), np.repeat([0.0, 1.0], 12)
    _, _, axes = np.linalg.svd(rows, full_matrices=False)
    whole = discriminant(rows, kinds)
    within = axes.T @ discriminant(rows @ axes.T, kinds, figures=40)
    assert within == pytest.approx(whole, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("pairs", "figures"), [(60, 5), (40, 300)])
def test_two_kinds_that_differ_are_told_apart(pairs: int, figures: int) -> None:
    first, second = two_kinds(pairs, figures, 4.0)
    without, beside = cross_validated(first, second, 5)
    assert share_above(beside, without) > (0.95 if figures < pairs else 0.6)


def test_two_kinds_that_do_not_differ_are_not_told_apart() -> None:
    shares = [share_above(*cross_validated(*two_kinds(40, 30, 0.0, seed), 5)) for seed in range(20)]
    assert 0.4 < np.mean(shares) < 0.6


# --- what is looked at in a copy for a person: soft counts worked out by hand ---------------------


ROOT = float(np.exp(-0.5))
"""What a row counts that is .4 sd off."""


def side(x: list[float], ward: list[str]) -> Side:
    return Side.of({"x": np.array(x)}, {"ward": tuple(ward)})


TABLE = side([-1.0, 1.0, -1.0, 1.0, 0.0], ["A", "B", "A", "B", "A"])  # the sd of x is 1
PERSON = side([0.0], ["A"])
COPY = side([0.0, 0.4, 50.0, -0.4], ["A", "A", "B", "B"])


def test_soft_counts_by_hand() -> None:
    figures = figures_of(look_of(TABLE, COPY, PERSON), COPY).tolist()
    in_x = (1 + 2 * ROOT) / 4
    in_both = (1 + ROOT) / 4
    after_moments = figures[13:]  # 3 distances, 5 of x, 5 along the way; no pair of numbers
    assert after_moments[:2] == pytest.approx([in_x, 0.5])
    assert after_moments[2:5] == pytest.approx([0.0, 0.25, 0.5], abs=1e-9)  # gaps, very near, above
    assert after_moments[5] == 1.0  # the copy names the person's ward
    assert after_moments[6] == pytest.approx(in_both)
    assert figures[-1] == 4.0


COPIES = {
    "a gap": side([np.nan, 0.4, 2.0, 1.0], ["A", "A", "B", "B"]),
    "a level less": side([0.0, 0.4, 2.0, 1.0], ["B", "B", "B", "B"]),
    "joined levels": side([0.0, 0.4, 2.0, 1.0], ["(other)", "B", "B", "B"]),
    "fewer rows": side([0.0], ["A"]),
}


@pytest.mark.parametrize("other", COPIES.values(), ids=COPIES)
def test_every_copy_has_as_many_figures(other: Side) -> None:
    look = look_of(TABLE, COPY, PERSON)
    found = figures_of(look, other)
    assert found.shape == figures_of(look, COPY).shape
    assert np.isfinite(found).all()


def test_a_level_that_the_copy_joins_is_looked_for_among_the_others() -> None:
    look = look_of(TABLE, COPIES["joined levels"], PERSON)
    figures = figures_of(look, COPIES["joined levels"])
    assert figures[14] == 0.25  # the share of "(other)"
    assert figures[18] == 0.0  # and it is not named


def test_a_person_without_a_number_is_like_the_gaps() -> None:
    person = side([np.nan], ["A"])
    copy = COPIES["a gap"]
    figures = figures_of(look_of(TABLE, copy, person), copy)
    assert figures[13] == 0.25
