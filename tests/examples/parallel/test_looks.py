"""Figures 3, 6 and 9: what is still seen."""

import numpy as np
import pytest

from discreet.render.scene import Strands, Trapezoids
from examples.parallel import looks
from examples.parallel.clustered import Gap
from examples.parallel.data import Credit

GAP = Gap(
    ("age", "duration"), 100, np.array([[0, 4, 10, 20], [8, 9, 0, 2]]), np.array([0, 0, 1, 1])
)
PLACES = {"age": np.array([0, 3, 8, 8]), "duration": np.array([10, 19, 0, 1])}


def test_a_cluster_is_seen_by_its_middle() -> None:
    left, right = looks.middles(GAP)
    assert left.tolist() == [2, 2, 8.5, 8.5]
    assert right.tolist() == [15, 15, 1, 1]
    assert looks.correlations(GAP, PLACES)[1] == pytest.approx(-1)


def test_a_relation_is_kept(made_up: Credit) -> None:
    raw, seen = looks.kept(made_up.places, 3)["duration", "credit_amount"]
    assert raw > 0.9
    assert seen == pytest.approx(raw, abs=0.05)


def test_ages_of_the_low(made_up: Credit) -> None:
    found = looks.ages_of_low(made_up, 5)
    low = looks.low_and_low(made_up)
    assert 0 < low.sum() < len(low)
    assert found.low == pytest.approx(made_up.table["age"][low].mean())
    assert found.everyone == pytest.approx(made_up.table["age"].mean())
    assert 19 <= min(found.lit, found.clusters) <= max(found.lit, found.clusters) <= 75
    assert found.clusters == pytest.approx(found.everyone, abs=2)


@pytest.mark.slow
def test_figures_have_their_panels(made_up: Credit) -> None:
    assert len(looks.figure_3(made_up).panels) == 1 + len(looks.SHOWN)
    flat, fuzzy = looks.figure_6(made_up).panels
    assert [mark.fuzzy for mark in flat.marks if isinstance(mark, Trapezoids)] == [False] * 5
    assert all(mark.fuzzy for mark in fuzzy.marks if isinstance(mark, Trapezoids))
    kinds = [type(panel.marks[1]) for panel in looks.figure_9(made_up).panels]
    assert kinds == [Strands, Trapezoids] * 2


def test_claims_have_numbers(made_up: Credit) -> None:
    told = looks.claims(made_up)
    assert len(told) == 3
    assert told[1].verdict == "HOLDS"
