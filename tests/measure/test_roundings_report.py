"""What came of rounding one table in many ways: trials, words, plots, tables and files."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from discreet.document import Picture
from discreet.errors import InputError
from discreet.measure.roundings_report import (
    BEYOND,
    RoundingComparison,
    RoundingGrid,
    Trial,
    claims,
    family_plot,
)
from discreet.render.scene import Panel

RULE = "freedman-diaconis"


def trial(
    method: str,
    rung: int,
    family: str = "k",
    alone: float = 0.125,
    fewest: int = 4,
    **values: float,
) -> Trial:
    """Return a trial at a rung: k is 20, 25 ..., and c 25, 20 ..."""
    return Trial(
        method, family, k=20 + 5 * rung, c=25 - 5 * rung, rung=rung, points={"x": 3, "y": 5},
        fewest=fewest, below=0.25, alone=alone, values=values,
    )  # fmt: skip


def by_rule(method: str, **values: float) -> Trial:
    return Trial(method, "k", RULE, points={"x": 2}, values=values)


def by_classes(method: str, **values: float) -> Trial:
    return Trial(
        method, "classes", "classes", points={"x": 2}, fewest=1, alone=0.0, values=values
    )  # fmt: skip


def refused(method: str, rung: int, family: str = "k") -> Trial:
    return Trial(method, family, k=20 + 5 * rung, c=1, rung=rung, refused="one point for all")


def grid(*trials: Trial, **more: Any) -> RoundingGrid:
    given = {"columns": ("x", "y"), "rows": 500, **more}
    return RoundingGrid("toy", trials, **given)


FITS: dict[str, Any] = {"sse": 1.5, "ddr": 50.0, "correlation": math.nan, "mse": 2.0, "r2": 0.5}
REGRESSIONS = grid(
    *(trial("mdav", 0, score=3.0, **FITS), trial("mdav", 1, score=2.0, **FITS)),
    by_rule("mdav", score=0.5),
    *(trial("optimal", 0, score=3.0, **FITS), trial("optimal", 1, score=2.5, **FITS)),
    *(refused("kmeans", 2, "c"), trial("kmeans", 0, "c", score=1.0, **FITS)),
    model="regression", target="y", left_out=7, notes=("Left out, being constant: z.",),
    unrounded={"mse": 1.25, "r2": 0.75, "entropy": 12.0, "correlation": math.nan},
)  # fmt: skip
FOUND = RoundingComparison(REGRESSIONS)


def test_json_has_every_number_and_is_no_release() -> None:
    plain = json.loads(FOUND.to_json())
    assert (plain["kind"], plain["release"]) == ("rounding comparison", False)
    assert [each["method"] for each in plain["trials"]] == [t.method for t in REGRESSIONS.trials]
    assert plain["trials"][0]["ddr"] == 50.0
    assert plain["trials"][0]["correlation"] is None
    assert plain["unrounded"] == {"mse": 1.25, "r2": 0.75, "entropy": 12.0, "correlation": None}
    assert repr(FOUND) == "RoundingComparison(toy: 7 settings)"


# --- A line a method, each through its own numbers; what would press the others flat is cut off -


def panel_of(plot: Picture | None, title: str) -> Panel:
    assert plot is not None
    return next(panel for panel in plot.scene.panels if panel.title == title)


@pytest.mark.parametrize(
    ("tops", "limits"),
    [
        ({"a": 3.0, "b": 4.0, "c": 5.0}, None),
        ({"a": 3.0, "b": 4.0, "c": 50.0}, (0.0, 5.2)),
        ({"a": 0.0, "b": 0.0, "c": 0.0}, (-0.03, 1.0)),
        ({"a": 1.0, "b": 10.0}, None),  # of two, neither is the odd one
        ({"a": 1.0, "b": 4.0, "c": 5.0}, None),  # one far below presses nothing flat
        ({"a": 50.0}, None),
    ],
)
def test_what_would_press_all_others_flat_is_cut_off(
    tops: dict[str, float], limits: tuple[float, float] | None
) -> None:
    made = [
        trial(name, i, score=it)
        for name, top in tops.items()
        for i, it in enumerate((top, top / 2))
    ]
    plot = family_plot(grid(*made), "k")
    assert panel_of(plot, "Score").y.limits == (limits and pytest.approx(limits))
    assert plot is not None
    assert (plot.scene.notes == (BEYOND,)) == (limits is not None and limits[0] == 0)


# --- Sentences say which method is best, with the numbers, and what must not be claimed ---------


def test_that_rows_stay_alone_is_said_with_the_numbers() -> None:
    first, *others = claims(
        grid(
            *(trial("a", 0, alone=0.9, sse=1.0), trial("b", 0, alone=1.0, sse=1.0)),
            *(trial("a", 2, alone=0.25, sse=1.0), trial("b", 2, alone=0.5, sse=1.0)),
        )
    )
    assert "at k = 20 from 90.0 % (a) to 100.0 % (b)" in first
    assert "at k = 30 from 25.0 % (a) to 50.0 % (b)" in first
    assert len(others) == 3
    alike, *_ = claims(grid(*(trial(m, 0, alone=1.0, sse=1.0) for m in "ab")))
    assert "at k = 20 100.0 % of the rows share" in alike


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({}, "values, or the reason"),
        ({"values": FITS, "refused": "no"}, "values, or the reason"),
        ({"values": FITS, "rule": "luck"}, "by 'luck'"),
        ({"values": FITS, "family": "z"}, "'z' by"),
    ],
)
def test_half_a_trial_is_refused(given: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        Trial(**{"method": "mdav", "family": "k", **given})


# --- Means are over the settings that all methods have; the best are found, and ties are told ---

# At rung 1, c could not be used; b and c are alike at rung 0.
TRIED = grid(
    *(trial("b", 0, score=2.0, acc_o=90.0), trial("b", 1, score=4.0, acc_o=80.0)),
    *(trial("a", 0, score=3.0, acc_o=95.0), trial("a", 1, score=1.0, acc_o=math.nan)),
    by_rule("a", score=9.0, acc_o=70.0),
    *(trial("c", 0, "c", score=2.0, acc_o=60.0), refused("c", 1, "c")),
    by_classes("mdlp", score=0.5, acc_o=99.0),
    model="tree", target="z", unrounded={"acc_o": 85.0},
)  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "families", "means"),
    [
        ("score", ("k",), {"a": 2.0, "b": 3.0}),  # both rungs, and not the rule's own
        ("score", (), {"b": 2.0, "c": 2.0, "a": 3.0}),  # rung 0 alone
        ("acc_o", (), {"a": 95.0, "b": 90.0, "c": 60.0}),  # high is good
        ("acc_o", ("c",), {"c": 60.0}),
        ("sse", (), {}),
    ],
)
def test_means_are_over_the_settings_that_all_have(
    measure: str, families: tuple[str, ...], means: dict[str, float]
) -> None:
    assert [*TRIED.means(measure, *families).items()] == [*means.items()]


@pytest.mark.parametrize(
    ("measure", "rung", "best"),
    [
        ("score", 0, ("b", "c")),
        ("score", 1, ("a",)),
        ("acc_o", 0, ("a",)),
        ("acc_o", 1, ("b",)),  # what is not known does not count
        ("sse", 0, ()),
    ],
)
def test_the_best_of_a_rung(measure: str, rung: int, best: tuple[str, ...]) -> None:
    assert TRIED.best_at(measure, rung) == best


@pytest.mark.parametrize(
    ("trials", "match"),
    [((), "at least one method"), ((trial("a", 0, sse=1.0),) * 2, "each method and setting once")],
)
def test_no_grid_of_nothing_or_of_doubles(trials: tuple[Trial, ...], match: str) -> None:
    with pytest.raises(InputError, match=match):
        grid(*trials)
