"""Where axes end: declared, or around the means of the k extreme values, never at a record."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import RefusedError
from discreet.plots.counts import AxisRange, ends_of_table, ends_of_values, short_places
from discreet.policy import PlotRequest, Policy
from discreet.table import BinAxis, Table, open_table

Floats = NDArray[np.float64]


def asked(policy: str = "standard", **fields: Any) -> PlotRequest:
    """Settle a histogram of column x."""
    return Policy.preset(policy, **fields).settle("histogram", ["x"])


def table_of(values: Any, *, unit: Any = None) -> Table:
    """Put one column behind a table, with a person for each row if `unit` says so."""
    columns = {"x": values} | ({} if unit is None else {"person": unit})
    return open_table(
        pa.table(columns),
        kinds={},
        roles={},
        unit=None if unit is None else "person",
        key=None,
    )


# --- whole and divided axes -------------------------------------------------------------------

AXES: dict[str, tuple[AxisRange, int, BinAxis]] = {
    "as it is": (AxisRange("x", 0.0, 10.0), 4, BinAxis("x", 0.0, 10.0, 4)),
    "ten ages, ten bins": (AxisRange("x", 0.5, 10.5, True), 20, BinAxis("x", 0.5, 10.5, 10)),
    "two ages a bin": (AxisRange("x", 0.5, 10.5, True), 5, BinAxis("x", 0.5, 10.5, 5)),
    "three ages a bin, one too many on either side": (
        AxisRange("x", 0.5, 10.5, True),
        4,
        BinAxis("x", -0.5, 11.5, 4),
    ),
    "one age too many goes to the right": (
        AxisRange("x", 0.5, 5.5, True),
        3,
        BinAxis("x", 0.5, 6.5, 3),
    ),
    "fewer bins than asked for": (AxisRange("x", 0.5, 9.5, True), 7, BinAxis("x", 0.5, 10.5, 5)),
}


@pytest.mark.parametrize(("ends", "bins", "axis"), AXES.values(), ids=AXES)
def test_axis(ends: AxisRange, bins: int, axis: BinAxis) -> None:
    assert ends.axis(bins) == axis


@given(st.integers(-1000, 1000), st.integers(1, 1000), st.integers(1, 60))
def test_every_interval_of_whole_numbers_holds_as_many_of_them(
    first: int, many: int, bins: int
) -> None:
    axis = AxisRange("x", first - 0.5, first + many - 0.5, whole=True).axis(bins)

    assert axis.bins <= bins
    assert axis.width == math.ceil(many / bins)
    assert axis.low % 1 == 0.5
    assert axis.low <= first - 0.5
    assert axis.high >= first + many - 0.5
    # no interval is beyond the numbers altogether
    assert axis.bins * axis.width < many + axis.width


# --- where they end ---------------------------------------------------------------------------


def test_a_guarded_axis_ends_beyond_the_means_of_the_k_extremes() -> None:
    # smallest 1.1 to 1.5: mean 1.3; largest 8.5 to 8.9: mean 8.7; a twentieth of 7.4 is 0.37,
    # the step below it 0.2
    values = [1.1, 1.2, 1.3, 1.4, 1.5, *([5.0] * 40), 8.5, 8.6, 8.7, 8.8, 8.9]

    assert ends_of_table(table_of(values), asked(), "x") == AxisRange("x", 1.2, 8.8)


def test_protected_values_follow_the_same_rule() -> None:
    values = np.array([8.5, 8.6, 8.7, 8.8, 8.9, 1.1, 1.2, 1.3, 1.4, 1.5])

    assert ends_of_values(values, asked(), "x") == AxisRange("x", 1.2, 8.8)


def test_whole_numbers_end_at_halves() -> None:
    values = list(range(1, 101))  # means of the extremes: 3 and 98

    assert ends_of_table(table_of(values), asked(), "x") == AxisRange("x", 2.5, 98.5, whole=True)


def test_a_person_counts_once_at_each_end() -> None:
    # person 0 has the five smallest values of all, person 1 the five largest
    values = [0.51, 0.52, 0.53, 0.54, 0.55, *[2.4] * 5, *np.linspace(1, 2, 50).tolist()]
    persons = [0] * 5 + [1] * 5 + list(range(2, 52))

    ends = ends_of_table(table_of(values, unit=persons), asked(), "x")

    # means of 0.51 (once) and the four next to it, of 2.4 and the four before it
    low, high = np.mean([0.51, *values[10:14]]), np.mean([*values[-4:], 2.4])
    assert low - 0.05 < ends.low <= low
    assert high <= ends.high < high + 0.05


def test_a_far_record_says_nothing_of_where_the_axis_ends() -> None:
    values = np.linspace(0, 1, 100)
    ends = {
        far: ends_of_table(table_of([*values[:-1], far]), asked(), "x") for far in (1e3, 1e4, 1e9)
    }

    assert len(set(ends.values())) == 1
    assert ends[1e9].high < 1.1
    assert ends_of_values(np.append(values[:-1], 1e9), asked(), "x") == ends[1e9]


def test_numbers_that_are_whole_but_for_fewer_than_k_end_at_halves() -> None:
    values = [*range(1, 97), 50.1, 50.2, 50.3, 50.4]

    assert ends_of_table(table_of([float(v) for v in values]), asked(), "x").whole
    assert not ends_of_table(table_of([*map(float, values), 50.5]), asked(), "x").whole


def test_research_spans_the_observed_range() -> None:
    values = [1.25, 7.5, 3.0]

    assert ends_of_table(table_of(values), asked("research"), "x") == AxisRange("x", 1.25, 7.5)
    assert ends_of_values(np.array(values), asked("research"), "x") == AxisRange("x", 1.25, 7.5)


@pytest.mark.parametrize("policy", ["standard", "research"])
def test_declared_limits_come_first(policy: str) -> None:
    question = asked(policy, limits={"x": [0, 20]})

    assert ends_of_table(table_of([5.5] * 60), question, "x") == AxisRange("x", 0.0, 20.0)
    assert ends_of_values(np.array([5.5]), question, "x") == AxisRange("x", 0.0, 20.0)


REFUSED: dict[str, tuple[str, Any, str]] = {
    "constant": ("standard", [4.5] * 60, "'x' is constant but for fewer than k"),
    "constant, research": ("research", [4.5] * 60, "'x' is constant, so"),
    "too wide": ("standard", [-1.7e308] * 30 + [1.7e308] * 30, "'x' is too wide"),
    "too wide, research": ("research", [-1.7e308, 1.7e308], "'x' is too wide"),
    "too narrow for its size": (
        "standard",
        (1e12 + np.linspace(0, 1, 60)).tolist(),
        "'x' varies too little for the size of its numbers",
    ),
    "fewer than 10 k values": ("standard", [1.5] * 49 + [None] * 9, "'x' have too few complete"),
    "none at all": ("standard", [None, float("nan"), float("inf")], "'x' has no finite value"),
}


@pytest.mark.parametrize(("policy", "values", "message"), REFUSED.values(), ids=REFUSED)
def test_a_column_that_cannot_be_drawn_is_refused_by_name(
    policy: str, values: Any, message: str
) -> None:
    with pytest.raises(RefusedError, match=message):
        ends_of_table(table_of(values), asked(policy), "x")


def test_limits_too_narrow_for_bins_are_refused() -> None:
    question = asked(limits={"x": [1e12, 1e12 + 1]})

    with pytest.raises(RefusedError, match="'x' varies too little for the size of its numbers"):
        ends_of_table(table_of([1e12] * 60), question, "x")


def end_of(inward: list[float], k: int = 5) -> float:
    """Return the mean of k extreme values of which none makes up four fifths of their reach."""
    for start in range(k):
        reach = [abs(value - inward[start + k]) for value in inward[start : start + k]]
        if reach[0] <= 0.8 * sum(reach):
            return float(np.mean(inward[start : start + k]))
    return float(np.mean(inward[k:]))


@given(st.lists(st.floats(-1e4, 1e4).map(lambda v: v + math.pi * 1e-9), min_size=10, max_size=60))
def test_ends_lie_outside_of_the_means_by_less_than_a_step(values: list[float]) -> None:
    ordered = sorted(values)
    low, high = end_of(ordered[:10]), end_of(ordered[:-11:-1])
    if high - low < 1e-3:
        return
    ends = ends_of_values(np.array(values), asked(), "x")

    step = 0.05 * (high - low)
    assert low - step <= ends.low <= low + 1e-9
    assert high - 1e-9 <= ends.high <= high + step
    # a nice number, as a reader writes it
    assert len(f"{ends.low:.12g}".replace("-", "")) <= 12


def test_ends_say_nothing_of_the_k_minus_one_most_extreme_values() -> None:
    values = np.linspace(0, 10, 60) + 0.0123
    shifted = values.copy()
    shifted[:4] -= np.array([3.0, 1.0, -1.0, -3.0]) * 0.01  # the mean of the five stays
    question = replace(asked(), k=5)

    assert ends_of_values(values, question, "x") == ends_of_values(shifted, question, "x")


# --- digits -----------------------------------------------------------------------------------


@given(st.floats(-1e9, 1e9), st.floats(1e-2, 1e6), st.integers(1, 200))
def test_places_keep_the_digits_that_tell_bins_apart(low: float, span: float, bins: int) -> None:
    edges = np.linspace(low, low + span, bins + 1)
    if span < 1e-9 * np.abs(edges).max():
        return
    places = np.array(short_places(edges))

    half_a_digit = np.spacing(np.abs(edges).max())
    assert np.abs(places - edges).max() <= max(1e-9 * span / bins, half_a_digit)
    assert (np.diff(places) > 0).all()


def test_places_of_wide_bins_are_short() -> None:
    assert short_places(np.linspace(0.1, 0.7, 4)) == (0.1, 0.3, 0.5, 0.7)
    assert short_places(np.array([1 / 3])) == (0.333333333333,)
