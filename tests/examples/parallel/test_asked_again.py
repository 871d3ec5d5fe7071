"""Asking again narrows records."""

from examples.parallel.asked_again import ALL, CHAIN, ONE, PAIRS, THREE, left_to
from examples.parallel.data import Credit


def test_whoever_asks_more_learns_no_less(made_up: Credit) -> None:
    one = left_to(made_up, CHAIN, 5, ONE)
    assert 0 < one <= left_to(made_up, CHAIN, 5, THREE) <= left_to(made_up, CHAIN, 5, ALL) <= 1
    assert one <= left_to(made_up, PAIRS, 5, ONE)
