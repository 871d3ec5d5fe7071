"""Round numbers beside an axis: few, round, strictly within."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.render.marks import round_numbers


@pytest.mark.parametrize(
    ("scale", "least", "names"),
    [
        ((20.0, 90.0), 0.05, ["40", "60", "80"]),
        ((15.0, 90.0), 0.05, ["20", "40", "60", "80"]),
        ((19.5, 90.0), 0.05, ["40", "60", "80"]),  # 20 would touch what stands at the foot
        ((0.0, 1.0), 0.05, ["0.2", "0.4", "0.6", "0.8"]),
        ((0.0, 1.0), 0.3, ["0.5"]),
        ((0.0, 1.0), 0.9, []),
        ((-1.0, 1.0), 0.05, ["-0.5", "0", "0.5"]),
        ((0.0, 3e8), 0.05, ["1e+08", "2e+08"]),
        ((5.0, 5.0), 0.05, []),
        ((-1.7e308, 1.7e308), 0.05, []),  # as wide as no number is
        ((0.0, 5e-324), 0.05, []),
        ((1e17, 1e17 + 100), 0.05, []),  # all would have the same name
        ((12345670.0, 12345681.0), 0.4, []),  # 12345675 would be called 1.234568e+07
    ],
)
def test_round_numbers(scale: tuple[float, float], least: float, names: list[str]) -> None:
    assert [name for _, name in round_numbers(scale, least)] == names


@given(
    st.floats(-1e9, 1e9),
    st.floats(1e-3, 1e9),
    st.floats(0.01, 0.5),
)
def test_numbers_lie_apart_within_and_where_they_belong(
    low: float, span: float, least: float
) -> None:
    high = low + span
    found = round_numbers((low, high), least)

    assert len(found) <= 6
    for place, name in found:
        assert least <= place <= 1 - least
        assert float(name) == pytest.approx(low + place * span, rel=1e-9, abs=span / 100)
    assert all(b[0] - a[0] >= 0.99 * least for a, b in pairwise(found))
    for one, other in pairwise(found):
        step = float(Fraction(other[1]) - Fraction(one[1]))
        assert f"{step:.0e}"[0] in "125"
