"""Numbers at the ends of what a float holds are drawn, or refused in words."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.errors import WideTableWarning

N = 120


@cache
def table() -> pd.DataFrame:
    random = np.random.default_rng(7)
    spread = random.random(N)
    return pd.DataFrame(
        {
            "age": random.integers(20, 90, N),
            "sex": random.choice(["f", "m"], N),
            "ill": random.choice([0, 1], N),
            "subnormal": spread * 1e-310,
            "steps of the smallest": np.round(9 * spread) * 5e-324,
            "narrow": (spread - 0.5) * 1e-300,
            "huge": spread * 1.5e308,
            "both ends": (spread - 0.5) * 3.4e308,
            "far for its width": 1e5 + spread * 1e-9,
        }
    )


@cache
def study() -> dc.Study:
    return dc.open(table(), study="extremes", unit=False)


@cache
def papers() -> dc.Research:
    return dc.research(table(), study="extremes", unit=False)


COLUMNS = ("subnormal", "steps of the smallest", "narrow", "huge", "both ends", "far for its width")
ASKED: dict[str, Callable[[str], Any]] = {
    "histogram": lambda name: study().histogram(name),
    "histogram of counts": lambda name: papers().histogram(name),
    "histograms by": lambda name: study().histogram(name, by="sex"),
    "overlaid": lambda name: study().histogram(name, by="sex", overlay=True),
    "density": lambda name: study().density(name, by="sex"),
    "ecdf": lambda name: study().ecdf(name),
    "box": lambda name: study().box(name, by="sex"),
    "box of counts": lambda name: papers().box(name),
    "violin": lambda name: study().violin(name),
    "scatter": lambda name: study().scatter("age", name, by="sex", trend=True),
    "cells": lambda name: study().scatter(name, "age", show="density"),
    "heatmap": lambda name: study().heatmap(name, "age"),
    "contour": lambda name: study().contour("age", name),
    "correlations": lambda name: study().correlations(["age", name]),
    "survival": lambda name: study().survival(name, "ill"),
    "parallel": lambda name: study().parallel(["age", name]),
}


@pytest.mark.parametrize("asked", ASKED)
def test_numbers_at_the_ends_are_drawn_or_refused_in_words(asked: str) -> None:
    said = {name: _asked(asked, name) for name in COLUMNS}
    assert all(
        it is None or name in it or "a column is constant" in it for name, it in said.items()
    )


def _asked(asked: str, name: str) -> str | None:
    """Draw it, and return in which words it was refused, if it was."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", WideTableWarning)
        try:
            view = ASKED[asked](name)
        except (dc.InputError, dc.RefusedError) as error:
            return str(error)
        view.plot().canvas.draw()
        view.to_json()
    return None
