"""The empirical distribution: which share of the rows lies at or below each value."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError, RefusedError
from discreet.plots import Curve, EcdfView, View
from discreet.plots.ecdf import EcdfPlot, steps_of
from discreet.render.scene import Axis, Lines
from tests.plots.cases import OF_ROWS, ROWS, rows_of


def drawn(values: Any, levels: Any = None) -> EcdfView:
    plot = EcdfPlot("age", by=None if levels is None else "sex")
    return plot.from_rows(rows_of(age=values), levels or (), ROWS, OF_ROWS)


TWELVE = [3, 1, 2, 2, 1, 1, 1, 5, 5, 5, 5, 5]


def test_the_curve_rises_at_each_value_by_the_share_of_its_rows() -> None:
    view = drawn(TWELVE)
    assert view.curves == (Curve("", (1, 2, 3, 5), (0.333333, 0.5, 0.583333, 1.0)),)
    assert (view.by, view.few, view.others) == (None, (), ())
    assert View.from_json(view.to_json()) == view


def test_the_scene_is_a_line_in_steps_from_0_to_1() -> None:
    view = dataclasses.replace(drawn(TWELVE), curves=(Curve("", (1, 3), (0.25, 1.0)),))
    (panel,) = view.scene().panels
    assert panel.marks == (Lines(((1, 1, 3, 3),), ((0, 0.25, 0.25, 1),), "curve"),)
    assert (panel.x, panel.y.label) == (Axis("age"), "share at or below")


def test_curves_of_levels_go_on_to_common_ends() -> None:
    view = drawn([*range(10), *range(5, 15)], ["f"] * 10 + ["m"] * 10)
    women, men = view.scene().panels[0].marks
    assert isinstance(women, Lines)
    assert isinstance(men, Lines)
    assert (women.label, men.label) == ("f", "m")
    assert {line.x[0][0] for line in (women, men)} == {0}
    assert {line.x[0][-1] for line in (women, men)} == {14}
    assert {line.y[0][0] for line in (women, men)} == {0}
    assert {line.y[0][-1] for line in (women, men)} == {1}
    assert view.scene().panels[0].legend == "sex"


def test_levels_of_few_rows_have_no_curve_and_are_named() -> None:
    view = drawn([1] * 10 + [2] * 9 + [3], ["f"] * 10 + ["m"] * 9 + ["x"])
    assert [curve.label for curve in view.curves] == ["f"]
    assert view.few == ("m", "x")
    assert view.scene().notes[-1] == "not drawn, with fewer than 10 rows: m, x"


def test_the_twelve_largest_of_many_levels_are_drawn() -> None:
    names = [f"{i:02}" for i in range(24)]
    view = drawn(range(270), names * 11 + ["03", "05"] + ["23"] * 4)
    assert len(view.curves) == 12
    assert {"03", "05", "23"} < {curve.label for curve in view.curves}
    assert view.others == tuple(name for name in names if name > "10" and name != "23")[-12:]
    assert view.scene().notes[-1].endswith("13, 14, 15, 16, 17, 18 and 4 more")


@pytest.mark.parametrize(
    ("levels", "says"),
    [
        (None, "no column has 10 rows with a value.*choose another column$"),
        (["f", "m", "m"] * 3, "no level of 'sex' has 10 rows.*or leave by out$"),
    ],
)
def test_too_few_rows_are_refused(levels: Any, says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        drawn(range(9), levels)


@pytest.mark.parametrize(
    "curve",
    [
        Curve("", (1, 2), (0.5, 0.9)),
        Curve("", (2, 1), (0.5, 1.0)),
        Curve("", (1, 2), (1.1, 1.0)),
        Curve("", (1, 2, 3), (0.5, 1.0)),
    ],
    ids=["not to 1", "x falls", "y falls", "too few shares"],
)
def test_a_curve_that_is_no_distribution_is_refused(curve: Curve) -> None:
    with pytest.raises(InputError, match="rises from value to value, up to 1"):
        dataclasses.replace(drawn(TWELVE), curves=(curve,))


@given(
    st.lists(st.floats(-1e9, 1e9) | st.integers(0, 5).map(float), min_size=1, max_size=80),
    st.sampled_from([4, 7, 1000]),
)
def test_the_curve_is_nowhere_further_than_a_step_from_that_of_all(
    given: list[float], most: int
) -> None:
    values = np.sort(np.array(given))
    curve = steps_of("", values, most)
    for at in [*values, *(values[1:] + values[:-1]) / 2, values[0] - 1]:
        place = np.searchsorted(curve.x, at, side="right")
        share = curve.y[place - 1] if place else 0.0
        off = abs(share - (values <= at).mean())
        assert off <= 1e-6 + (1 / most if len(set(given)) > most else 0)
    assert len(curve.x) <= most + 1
