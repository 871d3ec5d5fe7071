"""Asking again narrows records."""

import pytest

from discreet.render.scene import Lines
from examples.parallel import asked_again
from examples.parallel.asked_again import ALL, CHAIN, ONE, PAIRS, THREE, left_to
from examples.parallel.data import Credit


def test_resolutions_are_what_the_package_allows() -> None:
    assert THREE == (500, 450, 400)
    assert ALL == (50, 100, 150, 200, 250, 300, 350, 400, 450, 500)
    assert len(CHAIN) == 4
    assert len(PAIRS) == 10


def test_whoever_asks_more_learns_no_less(made_up: Credit) -> None:
    one = left_to(made_up, CHAIN, 5, ONE)
    assert 0 < one <= left_to(made_up, CHAIN, 5, THREE) <= left_to(made_up, CHAIN, 5, ALL) <= 1
    assert one <= left_to(made_up, PAIRS, 5, ONE)


@pytest.mark.slow
def test_the_figure_beside_has_a_line_for_each_way_to_ask(made_up: Credit) -> None:
    plate = asked_again.beside(made_up)
    assert plate.name == "2011_beside.png"
    lines = plate.panels[0].marks
    assert len(lines) == 4
    first = lines[0]
    assert isinstance(first, Lines)
    at = asked_again.DRAWN_KS.index(5)
    assert first.y[0][at] == left_to(made_up, CHAIN, 5, ONE)


def test_claims_have_numbers(made_up: Credit) -> None:
    told = asked_again.claims(made_up)
    assert len(told) == 3
