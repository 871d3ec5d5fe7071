"""Clusters with their records are those that the package draws."""

import numpy as np
import pytest

from discreet.parallel.pixels import Seeding
from examples.parallel.clustered import bins_of, chain, gap_of, joint_chain, range_of
from examples.parallel.data import Credit

ORDER = ("duration", "savings", "age")


@pytest.mark.parametrize("method", ["k-member", "k-member-joint"])
def test_boxes_are_those_of_the_view(made_up: Credit, method: str) -> None:
    made = chain if method == "k-member" else joint_chain
    gaps = made({name: made_up.places[name] for name in ORDER}, ORDER, 4)
    view = made_up.study.parallel(ORDER, method=method, k=4)
    for gap, boxes in zip(gaps, view.clusters, strict=True):
        assert sorted(map(tuple, gap.boxes.tolist())) == list(boxes)


def test_each_record_is_within_its_cluster(made_up: Credit) -> None:
    gap = gap_of(made_up.places, ("duration", "age"), 5)
    assert np.bincount(gap.labels).min() >= 5
    for name in gap.pair:
        ends = gap.side(name)
        assert (ends[:, 0] <= made_up.places[name]).all()
        assert (made_up.places[name] < ends[:, 1]).all()


def test_four_records_by_hand() -> None:
    places = {"age": np.array([0, 1, 8, 9]), "duration": np.array([0, 0, 9, 9])}
    gap = gap_of(places, ("age", "duration"), 2, 10)
    assert sorted(gap.boxes.tolist()) == [[0, 2, 0, 1], [8, 10, 9, 10]]
    assert gap.ranges.tolist() == [3, 3]
    assert gap.side("duration").tolist() in ([[0, 1]] * 2 + [[9, 10]] * 2,)
    (joint,) = joint_chain(places, ("age", "duration"), 2, 10)
    assert sorted(joint.boxes.tolist()) == sorted(gap.boxes.tolist())
    bins = bins_of(places, ("age", "duration"), 10)
    assert range_of(bins, ("age", "duration"), 2, Seeding("over-plotting")) == 6
