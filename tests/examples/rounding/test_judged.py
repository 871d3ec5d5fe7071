"""A conclusion holds, holds in part or does not, and its numbers stand beside it."""

import pytest

from examples.rounding.judged import judged, listed


@pytest.mark.parametrize(
    ("checks", "verdict"),
    [([True, True], "HOLDS"), ([True, False], "IN PART"), ([False], "DOES NOT HOLD")],
)
def test_verdicts(checks: list[bool], verdict: str) -> None:
    assert judged("4.4", "It is so.", checks, "1 and 2.").verdict == verdict


def test_the_numbers_stand_below() -> None:
    lines = str(judged("4.4", "It is so.", [True], listed({"mdav": 1 / 3}, " %"))).splitlines()
    assert lines == ["[HOLDS] It is so. (4.4)", "    mdav 0.3333 %"]
