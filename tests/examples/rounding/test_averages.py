"""Means are over draws and rungs; the best is counted by draw."""

import math

import pytest

from discreet.measure.roundings_report import RoundingGrid, Trial
from examples.rounding.averages import Draws


def found(**scores: tuple[float, float]) -> RoundingGrid:
    trials = tuple(
        Trial(name, "k", k=20 + rung, c=9, rung=rung, values={"score": value})
        for name, values in scores.items()
        for rung, value in enumerate(values)
    )
    return RoundingGrid("toy", trials, ("x",), 500)


DRAWS = Draws("toy", (found(a=(1.0, 3.0), b=(2.0, 1.0)), found(a=(1.0, 9.0), b=(2.0, 20.0))))


def test_means() -> None:
    assert DRAWS.mean("score", "a") == 3.5
    assert DRAWS.mean("score", "a", (0,)) == 1.0
    assert math.isnan(DRAWS.mean("sse", "a"))
    assert math.isnan(DRAWS.mean("score", "a", (7,)))


@pytest.mark.parametrize(("high", "order"), [(False, ["a", "b"]), (True, ["b", "a"])])
def test_the_best_is_first(high: bool, order: list[str]) -> None:
    assert list(DRAWS.ranked("score", ("b", "a"), high=high)) == order


def test_in_how_many_draws_one_is_the_lowest() -> None:
    assert DRAWS.times("a", "score", ("a", "b")) == 1
    assert DRAWS.times("a", "score", ("a", "b"), (0,)) == 2
    assert DRAWS.methods() == ("a", "b")
