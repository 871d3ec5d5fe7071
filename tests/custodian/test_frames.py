"""What a view, a table and a model are as a frame: tidy, typed, of the kind that came in."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import cache
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.plots import View

N = 400
MAKERS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


@cache
def study(kind: str = "pandas") -> dc.Study:
    random = np.random.default_rng(11)
    frame = pd.DataFrame(
        {
            "age": random.integers(20, 90, N),
            "bmi": random.normal(26, 4, N).round(1),
            "sex": random.choice(["f", "m"], N),
            "ward": random.choice(["a", "b", "c"], N),
            "ill": random.choice([0, 1], N),
            "visit": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(random.integers(0, 700, N), unit="D"),
        }
    )
    return dc.open(MAKERS[kind](frame), study="frames", unit=False)


INTEGER, NUMBER, TEXT = "iu", "f", "OU"
ASKED: dict[str, tuple[Callable[[dc.Study], Any], dict[str, str]]] = {
    "histogram": (
        lambda it: it.histogram("bmi"),
        {"low": NUMBER, "high": NUMBER, "count": INTEGER, "density": NUMBER},
    ),
    "histograms": (lambda it: it.histogram("bmi", by="sex"), {"sex": TEXT, "count": INTEGER}),
    "panels": (
        lambda it: it.histogram("bmi", by=("sex", "ward")),
        {"sex": TEXT, "ward": TEXT, "count": INTEGER},
    ),
    "density": (lambda it: it.density("bmi", by="sex"), {"sex": TEXT, "density": NUMBER}),
    "ecdf": (lambda it: it.ecdf("age"), {"age": INTEGER, "share": NUMBER}),
    "violin": (lambda it: it.violin("bmi"), {"bmi": NUMBER, "density": NUMBER}),
    "box": (lambda it: it.box("bmi", by="ward"), {"ward": TEXT, "median": NUMBER}),
    "bars": (lambda it: it.bars("ward", by="sex"), {"ward": TEXT, "sex": TEXT, "count": INTEGER}),
    "crosstab": (lambda it: it.crosstab("ward", "sex"), {"ward": TEXT, "count": INTEGER}),
    "scatter": (
        lambda it: it.scatter("age", "bmi", by="sex"),
        {"age": INTEGER, "bmi": NUMBER, "sex": TEXT, "count": INTEGER},
    ),
    "cells": (
        lambda it: it.scatter("age", "bmi", show="density", by="sex"),
        {"sex": TEXT, "bmi low": NUMBER, "count": INTEGER},
    ),
    "heatmap": (lambda it: it.heatmap("age", "bmi"), {"bmi low": NUMBER, "count": INTEGER}),
    "contour": (lambda it: it.contour("age", "bmi"), {"bmi high": NUMBER, "count": INTEGER}),
    "correlations": (
        lambda it: it.correlations(["age", "bmi"]),
        {"column": TEXT, "pearson": NUMBER},
    ),
    "survival": (lambda it: it.survival("age", "ill"), {"share": NUMBER, "low": NUMBER}),
    "over time": (
        lambda it: it.over_time("visit", "bmi", every="quarter"),
        {"visit": "M", "count": INTEGER, "mean": NUMBER},
    ),
    "parallel": (lambda it: it.parallel(["age", "bmi"]), {"left": TEXT, "right high": NUMBER}),
    "residuals": (lambda it: it.residuals("bmi ~ age"), {"residuals": NUMBER, "count": INTEGER}),
    "summary": (
        lambda it: it.summary(["age", "visit", "ward"]),
        {"column": TEXT, "figure": TEXT, "number": NUMBER},
    ),
    "means": (lambda it: it.means("bmi", "sex"), {"sex": TEXT, "n": INTEGER, "mean": NUMBER}),
    "model": (
        lambda it: it.model("ill ~ age + sex", family="logistic"),
        {"term": TEXT, "estimate": NUMBER, "rows": INTEGER},
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_numbers_are_numbers_dates_dates_and_counts_whole(name: str) -> None:
    ask, types = ASKED[name]
    frame = ask(study()).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) > 0
    for column, kinds in types.items():
        of = frame[column].dtype
        assert of.kind in kinds or (kinds is TEXT and not pd.api.types.is_numeric_dtype(of)), column


@pytest.mark.parametrize("kind", MAKERS)
def test_it_is_of_the_kind_that_came_in(kind: str) -> None:
    for name in ("histograms", "over time", "means"):
        frame = ASKED[name][0](study(kind)).to_frame()
        assert type(frame).__module__.split(".")[0] == kind


def test_a_view_that_was_read_back_has_the_same_frame() -> None:
    view = study().bars("ward", by="sex")
    pd.testing.assert_frame_equal(View.from_json(view.to_json()).to_frame(), view.to_frame())


def test_the_rows_of_a_frame_are_what_is_drawn() -> None:
    view = study().histogram("bmi")
    frame = view.to_frame()
    assert frame["count"].tolist() == [*view.counts]
    assert frame["high"].iloc[-1] == view.edges[-1]
    table = study().means("bmi", "sex")
    found = table.to_frame().set_index("sex")["mean"]
    values = {it.group: it.value for it in table.figures if it.figure == "mean"}
    assert found["f"] == values[("sex", "f"),]
    times = study().over_time("visit", every="year").to_frame()
    assert times["visit"].iloc[0] == pd.Timestamp(datetime.date(2020, 1, 1))


def test_axes_that_are_given_come_back() -> None:
    for name in ("histogram", "box", "means"):
        figure, axes = plt.subplots()
        assert ASKED[name][0](study()).plot(ax=axes) is axes
        assert axes.has_data()
        plt.close(figure)


def test_several_axes_that_are_given_come_back() -> None:
    figure, axes = plt.subplots(1, 2)
    assert study().histogram("bmi", by="sex").plot(ax=axes) is axes
    plt.close(figure)
