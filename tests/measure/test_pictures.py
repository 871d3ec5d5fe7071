"""The pictures of a report hold the numbers they were given, and words beside them."""

from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.measure.coefficients import Coefficients
from discreet.measure.estimate import Estimate
from discreet.measure.evaluate import Measured, Scores
from discreet.measure.report import (
    grid_picture,
    histogram_picture,
    model_picture,
    pictures_of,
    scores_picture,
)
from discreet.measure.rmd import RmdGrid
from discreet.render.scene import Bars, Box, Boxes, Intervals, Lines
from discreet.render.to_matplotlib import draw

SCORES = Scores((0.1, 0.4, 0.5, 0.6, 0.9), (0.2, 0.45, 0.51, 0.6, 0.8), 5)
MODEL = Coefficients(
    "y ~ x", "logistic", ("Intercept", "x"), np.array([1.0, -2.0]), np.array([0.5, 0.2]), np.inf,
    np.array([1.5, -2.1]), np.array([0.4, 0.3]), np.inf,
)  # fmt: skip


def share(count: int) -> Estimate:
    return Estimate("risky", count, 100)


GRID = RmdGrid(
    (0.01, 0.1), (0.05, 0.5, 1.0), (share(2), share(30)),
    ((share(2), share(1), share(0)), (share(20), share(9), share(1))), (),
)  # fmt: skip


def test_scores_are_boxes_side_by_side() -> None:
    shown = scores_picture(SCORES)
    (mark,) = shown.scene.panels[0].marks
    assert mark == Boxes((Box("original", *SCORES.original), Box("released", *SCORES.released)))
    assert "the mean of 5 rows' scores" in shown.scene.notes[0]
    assert "original 0.5 and released 0.51" in shown.words


def test_single_rows_scores_are_not_said_to_be_means() -> None:
    assert "mean" not in scores_picture(SCORES._replace(k=None)).scene.notes[0]


def test_coefficients_are_in_original_standard_errors() -> None:
    shown = model_picture(MODEL)
    (panel,) = shown.scene.panels
    (mark,) = [mark for mark in panel.marks if isinstance(mark, Intervals)]
    assert mark.series == ("original", "released")
    # 1 / 0.5 = 2 and -2 / 0.2 = -10, half an interval 1.96 either way; 1.5 / 0.5 = 3 with
    # 1.96 * 0.4 / 0.5, and -2.1 / 0.2 = -10.5 with 1.96 * 0.3 / 0.2
    expected: list[list[tuple[float, float, float]]] = [
        [(2 - 1.96, 2, 2 + 1.96), (-10 - 1.96, -10, -10 + 1.96)],
        [(3 - 1.568, 3, 3 + 1.568), (-10.5 - 2.94, -10.5, -10.5 + 2.94)],
    ]
    assert np.allclose(np.array(mark.ends), np.array(expected), atol=1e-4)
    assert panel.y.ticks == ("Intercept", "x")
    assert panel.y.limits == (1.6, -0.6)
    assert "standard error in the original" in shown.scene.notes[1]
    assert "none of them is more than one standard error apart" in shown.words


def test_terms_that_moved_far_are_named() -> None:
    moved = Coefficients(**{**vars(MODEL), "released": np.array([1.6, -2.1])})
    assert "more than one standard error apart: Intercept." in model_picture(moved).words


def test_an_interval_that_is_not_known_is_left_out() -> None:
    unknown = Coefficients(**{**vars(MODEL), "released_se": np.array([np.nan, 0.3])})
    mark = model_picture(unknown).scene.panels[0].marks[0]
    assert isinstance(mark, Intervals)
    assert mark.ends[1][0] is None
    assert mark.ends[1][1] is not None


def test_the_grid_is_two_panels() -> None:
    shown = grid_picture(GRID)
    left, right = shown.scene.panels
    assert left.marks == (Lines(((0.01, 0.1),), ((2.0, 30.0),), "trend"),)
    (mark,) = right.marks
    assert isinstance(mark, Lines)
    assert mark.x == ((0.05, 0.5, 1.0),) * 2
    assert mark.y == ((2.0, 1.0, 0.0), (20.0, 9.0, 1.0))
    assert (mark.look, mark.label, mark.levels) == ("level", "w1", (0.01, 0.1))
    assert "from 2.0 % at the narrowest to 30.0 % at the widest" in shown.words


class TestHistograms:
    EDGES = (0.0, 10.0, 20.0, 30.0, 40.0)

    def test_bars_are_the_original_and_the_line_the_released(self) -> None:
        shown = histogram_picture("age", self.EDGES, (5, None, 7, 9), (6, 5, None, 8))
        bars, line = shown.scene.panels[0].marks
        assert bars == Bars(self.EDGES, (5, None, 7, 9))
        assert isinstance(line, Lines)
        assert line.x == ((0.0, 10.0, 10.0, 20.0), (30.0, 40.0))
        assert line.y == ((6, 6, 5, 5), (8, 8))
        assert shown.scene.notes == (
            "bars: original; line: released",
            "hatched below the axis: nobody, or too few to show",
        )

    def test_without_gaps_none_is_explained(self) -> None:
        shown = histogram_picture("age", self.EDGES, (5, 6, 7, 9), (6, 5, 5, 8))
        assert len(shown.scene.notes) == 1

    @pytest.mark.parametrize("counts", [((1, 2), (1, 2, 3, 4)), ((1, 2, 3), (1, 2, 3))])
    def test_bins_must_fit(self, counts: Any) -> None:
        with pytest.raises(InputError, match="one bin fewer than there are edges"):
            histogram_picture("age", self.EDGES, *counts)

    def test_hidden_bins_alone_can_be_drawn(self) -> None:
        shown = histogram_picture("age", self.EDGES, (None,) * 4, (None,) * 4)
        draw(shown.scene).draw_without_rendering()


def test_what_was_measured_is_drawn_and_nothing_else() -> None:
    assert pictures_of(Measured(columns=("x",), risks={})) == ()
    every = pictures_of(Measured(columns=("x",), risks={}, scores=SCORES, model=MODEL, grid=GRID))
    assert len(every) == 3
    for shown in every:
        draw(shown.scene).draw_without_rendering()
        assert shown.words
