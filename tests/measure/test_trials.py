"""Trials of ways to round, and questions to all of them."""

import json
import math

import pytest

from discreet.errors import InputError
from discreet.measure.roundings_report import MEASURES, MODELS, RoundingGrid, Trial, in_short

VALUES = {"sse": 2.5, "correlation": math.nan}


@pytest.mark.parametrize(
    ("trial", "name"),
    [
        (Trial("mdav", "k", k=20, c=25, rung=0, values=VALUES), "mdav (k = 20)"),
        (Trial("kmeans", "c", k=20, c=25, rung=0, values=VALUES), "kmeans (c = 25)"),
        (Trial("kmeans", "c", "freedman-diaconis", values=VALUES), "kmeans (Freedman-Diaconis)"),
        (Trial("mdlp", "classes", "classes", refused="no"), "mdlp (by classes)"),
    ],
)
def test_a_trial_is_called_by_its_method_and_setting(trial: Trial, name: str) -> None:
    assert trial.name == name


def test_what_was_not_measured_is_no_number() -> None:
    trial = Trial("mdav", "k", k=20, values=VALUES)
    assert trial.value("sse") == 2.5
    assert math.isnan(trial.value("ddr"))


def test_plain_values_are_json() -> None:
    told = Trial("mdav", "k", k=20, points={"x": 3}, values=VALUES).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == {
        "method": "mdav", "family": "k", "rule": "number", "k": 20, "c": None, "points": {"x": 3},
        "fewest": None, "below": None, "alone": None, "sse": 2.5, "correlation": None,
        "refused": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({}, "values, or the reason"),
        ({"values": VALUES, "refused": "no"}, "values, or the reason"),
        ({"values": VALUES, "rule": "luck"}, "by 'luck'"),
        ({"values": VALUES, "family": "z"}, "'z' by"),
    ],
)
def test_half_a_trial_is_refused(given: dict[str, object], match: str) -> None:
    with pytest.raises(InputError, match=match):
        Trial(**{"method": "mdav", "family": "k", **given})  # type: ignore[arg-type]


def test_every_measure_is_explained() -> None:
    gauges = [*MEASURES.values(), *(g for of in MODELS.values() for g in of.values())]
    assert all(gauge.name and gauge.words and not gauge.words.endswith(".") for gauge in gauges)


# --- Means are over the settings that all methods have; the best are found, and ties are told ---


def trial(method: str, rung: int | None, family: str = "k", **values: float) -> Trial:
    if rung is None:
        return Trial(method, family, "freedman-diaconis", values=values)
    return Trial(method, family, k=10 * (rung + 1), c=9 - rung, rung=rung, values=values)


def refused(method: str, rung: int, family: str = "k") -> Trial:
    return Trial(method, family, k=10 * (rung + 1), rung=rung, refused="too few rows")


# At rung 1, c could not be used; b and c are alike at rung 0.
GRID = RoundingGrid(
    "toy",
    (
        trial("b", 0, score=2.0, acc_o=90.0), trial("b", 1, score=4.0, acc_o=80.0),
        trial("a", 0, score=3.0, acc_o=95.0), trial("a", 1, score=1.0, acc_o=math.nan),
        trial("a", None, score=9.0, acc_o=70.0),
        trial("c", 0, "c", score=2.0, acc_o=60.0), refused("c", 1, "c"),
        Trial("mdlp", "classes", "classes", values={"score": 0.5, "acc_o": 99.0}),
    ),
    columns=("x", "y"), rows=60, target="z", model="tree", unrounded={"acc_o": 85.0},
)  # fmt: skip


def test_methods_stand_in_their_order() -> None:
    assert GRID.methods() == ("b", "a", "c", "mdlp")
    assert GRID.methods("k") == ("b", "a")
    assert GRID.methods("c", "classes") == ("c", "mdlp")


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
    found = GRID.means(measure, *families)
    assert found == means
    assert list(found) == list(means)


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
    assert GRID.best_at(measure, rung) == best


def test_a_line_goes_by_the_rungs() -> None:
    assert [t.rung for t in GRID.line("a")] == [0, 1]
    assert [t.rung for t in GRID.line("c")] == [0]
    assert [t.name for t in GRID.by_rule("freedman-diaconis")] == ["a (Freedman-Diaconis)"]
    assert GRID.by_rule("freedman-diaconis", "c") == ()
    assert [t.method for t in GRID.by_rule("classes")] == ["mdlp"]


def test_a_regression_is_as_good_as_unrounded_where_its_error_is_no_larger() -> None:
    low = RoundingGrid("toy", (trial("a", 0, mse=2.0), trial("b", 0, mse=4.0)), ("x",), 9,
                       model="regression", target="y", unrounded={"mse": 2.0})  # fmt: skip
    assert "at least as well in 1 of 2 settings (a 1, b 0)" in in_short(low)[-1]


@pytest.mark.parametrize(
    ("trials", "match"),
    [((), "at least one method"), ((trial("a", 0, sse=1.0),) * 2, "each method and setting once")],
)
def test_no_grid_of_nothing_or_of_doubles(trials: tuple[Trial, ...], match: str) -> None:
    with pytest.raises(InputError, match=match):
        RoundingGrid("toy", trials, ("x",), 9)


def test_it_shows_its_name_alone() -> None:
    assert repr(GRID) == "RoundingGrid(toy: 8 settings)"
