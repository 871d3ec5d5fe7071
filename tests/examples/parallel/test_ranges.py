"""Figures 1, 2 and 10: clusters of pairs are smaller than those cut from all columns."""

import pytest

from discreet.render.scene import Cells, Columns, Uprights
from examples.parallel import ranges
from examples.parallel.data import Credit

JOINT = "Clusters of pairs have a much smaller range"


def test_ranges_of_both_ways_have_a_number_for_each_pair(made_up: Credit) -> None:
    found = ranges.both_ways(made_up)
    assert tuple(found) == ranges.KS
    for pairs, joint in found.values():
        assert pairs.shape == joint.shape == (len(ranges.ORDER) - 1,)
        assert pairs.sum() < joint.sum()


def test_bars_are_the_ranges(made_up: Credit) -> None:
    plate = ranges.figure_10(made_up)
    by_k, by_pair = (panel.marks[0] for panel in plate.panels)
    assert isinstance(by_k, Columns)
    assert isinstance(by_pair, Columns)
    assert by_k.series == ("axis-pairwise", "multi-dimensional")
    pairs, joint = ranges.both_ways(made_up)[ranges.K]
    assert by_pair.heights == (tuple(map(float, pairs)), tuple(map(float, joint)))
    assert by_k.heights[0][ranges.KS.index(ranges.K)] == pairs.sum()


@pytest.mark.slow
def test_the_approaches_stand_side_by_side(made_up: Credit) -> None:
    plate = ranges.figure_1(made_up)
    assert len(plate.panels) == 4
    assert [type(mark) for mark in plate.panels[1].marks] == [Uprights, Cells]
    assert len(ranges.figure_2(made_up).panels) == 2


def test_claims_have_numbers(made_up: Credit) -> None:
    told = ranges.claims(made_up)
    assert len(told) == 3
    assert all(each.numbers for each in told)


def test_pairs_have_a_much_smaller_range_on_the_papers_data(credit: Credit) -> None:
    told = {each.claim[: len(JOINT)]: each.verdict for each in ranges.claims(credit)}
    assert told[JOINT] == "HOLDS"
