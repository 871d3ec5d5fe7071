"""Dates beside the axes of figures: round years, months and days."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.plots import ParallelAxis
from discreet.render.dates import date_ticks, date_words
from discreet.render.scene import Axis, Bars, Box, Boxes, Cells, Dots, Panel, Scene, scene_to_plain
from discreet.render.to_matplotlib import draw as figure_of

NEW_YEAR = 18262.0
YEARS = st.floats(-719_162, 2_932_896)

TICKS: dict[str, tuple[float, float, list[str]]] = {
    "years": (NEW_YEAR, NEW_YEAR + 2000, ["2020", "2021", "2022", "2023", "2024", "2025"]),
    "decades": (0, 18262, ["1970", "1980", "1990", "2000", "2010", "2020"]),
    "months": (NEW_YEAR, NEW_YEAR + 100, ["2020-01", "2020-02", "2020-03", "2020-04"]),
    "days": (NEW_YEAR, NEW_YEAR + 3, ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"]),
    "hours": (NEW_YEAR, NEW_YEAR + 0.125, [f"2020-01-01T0{hour}:00" for hour in range(4)]),
    "seconds": (NEW_YEAR, NEW_YEAR + 3 / 86_400, [f"2020-01-01T00:00:0{s}" for s in range(4)]),
    "nothing round": (NEW_YEAR + 0.3, NEW_YEAR + 0.3 + 1e-7, ["2020-01-01T07:12"] * 2),
    "one day": (NEW_YEAR, NEW_YEAR, ["2020-01-01"]),
    "no year": (1e9, 2e9, ["1e+09 days", "2e+09 days"]),
}


@pytest.mark.parametrize("name", TICKS)
def test_ticks_of_dates(name: str) -> None:
    low, high, words = TICKS[name]
    assert [word for _, word in date_ticks(low, high)] == words


@given(YEARS, YEARS, st.integers(2, 10))
def test_ticks_rise_between_the_ends_and_tell_where_they_stand(
    low: float, high: float, most: int
) -> None:
    assume(abs(high - low) > 1e-3)
    low, high = sorted((low, high))
    found = date_ticks(low, high, most)
    assert 2 <= len(found) <= most
    second = 1 / 86_400
    assert all(low - second <= at <= high + second for at, _ in found)
    assert all(one < other for (one, _), (other, _) in pairwise(found))
    for at, word in found:
        whole = word + "0001-01-01"[len(word) :] if len(word) < 10 else word
        told = (datetime.fromisoformat(whole) - datetime(1970, 1, 1)).total_seconds() / 86_400
        assert abs(told - at) < 1e-5


@given(st.integers(-719_162 * 86_400, 2_932_896 * 86_400))
def test_words_of_dates_are_read_as_what_they_are(second: int) -> None:
    told = datetime.fromisoformat(date_words(second / 86_400)) - datetime(1970, 1, 1)
    assert told.total_seconds() == second


def dated(label: str, low: float, high: float) -> Axis:
    return Axis(label, (low, high), dates=date_ticks(low, high))


START = dated("start", NEW_YEAR, NEW_YEAR + 366)
EDGES = (NEW_YEAR, NEW_YEAR + 100.5, NEW_YEAR + 366)
BOX = Box("start", NEW_YEAR, NEW_YEAR + 1, NEW_YEAR + 2, NEW_YEAR + 3, NEW_YEAR + 4)
PANELS: dict[str, Panel] = {
    "bars": Panel((Bars(EDGES, (1.0, 2.0)),), START, Axis("density")),
    "dots": Panel((Dots(EDGES[:1], (3.0,), (1,)),), START, Axis("y")),
    "dots upward": Panel((Dots((3.0,), EDGES[1:2], (1,)),), Axis("x"), START),
    "cells": Panel((Cells(EDGES, (0.0, 1.0), ((4,), (None,)), "persons"),), START, Axis("y")),
    "boxes": Panel((Boxes((BOX,)),), Axis(""), START),
}


@pytest.mark.parametrize("name", PANELS)
def test_a_scene_of_dates_has_their_words(name: str) -> None:
    plain = scene_to_plain(Scene((PANELS[name],)))
    assert "2020-10" in str(plain)


@pytest.mark.parametrize("name", PANELS)
def test_a_figure_has_dates_beside_its_axes(name: str) -> None:
    panel = PANELS[name]
    (ax, *_) = figure_of(Scene((panel,))).axes
    axis = ax.xaxis if panel.x.dates else ax.yaxis
    assert tuple(axis.get_view_interval()) == (NEW_YEAR, NEW_YEAR + 366)
    labels = [it.get_text() for it in axis.get_ticklabels()]
    assert labels == [word for _, word in START.dates][:: 1 if len(labels) > 4 else 2]
    assert axis.get_ticklocs().tolist()[0] == NEW_YEAR


def test_dates_of_a_narrow_figure_do_not_touch() -> None:
    figure = figure_of(Scene((PANELS["bars"],)), size=(2.0, 2.0))
    labels = figure.axes[0].get_xticklabels()
    figure.draw_without_rendering()
    boxes = [it.get_window_extent() for it in labels]
    assert 1 <= len(boxes) < len(START.dates)
    assert all(one.x1 <= other.x0 for one, other in pairwise(boxes))


def test_axes_of_parallel_coordinates_have_dates() -> None:
    axis = ParallelAxis("start", "continuous", NEW_YEAR, NEW_YEAR + 366)
    drawn = axis.upright(100, dates=True)
    assert drawn.ends == ("2020-01-01", "2021-01-01")
    assert drawn.dates[0] == (0.0, "2020-01")
    assert axis.upright(100).dates == ()
