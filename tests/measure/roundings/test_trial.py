"""A trial has values or a reason, and is called by its method and setting."""

import json
import math

import pytest

from discreet.errors import InputError
from discreet.measure.trials import MEASURES, MODELS, Trial

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
