"""Settings tried on one table: which are refused, which are efficient, and that nothing leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.custodian import register_of, tables
from discreet.custodian.papers import Papers
from discreet.custodian.session import Session
from discreet.custodian.tables import LOSSES, RISKS, SWEPT, settings_of
from discreet.errors import InputError, RefusedError
from discreet.measure import Estimate, record_linkage
from discreet.measure.frontier import RiskUtilityMap, Setting
from discreet.methods import ROW_METHODS
from discreet.policy import Policy
from discreet.table import open_table

N = 120


@pytest.fixture(autouse=True)
def known_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one secret in every test, so that results can be compared."""
    monkeypatch.setenv("DISCREET_SECRET", bytes(range(32)).hex())


def cohort() -> dict[str, Any]:
    """Make persons of two arms."""
    rng = np.random.default_rng(1)
    x = rng.normal(50, 10, size=N)
    return {
        "x": x,
        "y": x + rng.normal(0, 5, size=N),
        "arm": rng.choice(["a", "b"], size=N),
        "ill": rng.choice(["no", "yes"], size=N),
    }


COHORT = cohort()


def research(given: Any = COHORT, **fields: Any) -> dc.Research:
    """Open the cohort for the papers' methods."""
    return dc.research(pa.table(given), **fields)


def papers() -> Papers:
    """Put the cohort before the papers' methods, behind no door."""
    table = open_table(pa.table(COHORT), kinds={}, roles={}, unit=None, key=None)
    return Papers(Session(table, Policy.preset("research")))


# --- which settings -------------------------------------------------------------------------------

SETTINGS: dict[str, tuple[Any, Any, Any, list[str]]] = {
    "k of methods that have one": (
        ["deterministic", "microaggregation"],
        [3, 5],
        [0.1],
        ["deterministic k=3", "deterministic k=5", "microaggregation k=3", "microaggregation k=5"],
    ),
    "q of the other": (
        ["probabilistic"],
        [3],
        [0.1, 1],
        ["probabilistic q=0.1", "probabilistic q=1.0"],
    ),
    "roundings that are asked for": (["rounding"], [3, 5], None, ["rounding k=3", "rounding k=5"]),
    "each once": (["condensation"], [5, 3, 5], None, ["condensation k=5", "condensation k=3"]),
    "whole and broken numbers": (["probabilistic"], None, [1, 1.0], ["probabilistic q=1.0"]),
}


@pytest.mark.parametrize(("methods", "k", "q", "names"), SETTINGS.values(), ids=SETTINGS)
def test_every_setting_is_tried_once(methods: Any, k: Any, q: Any, names: list[str]) -> None:
    assert [setting.name for setting in settings_of(methods, k, q)] == names


def test_by_default_all_methods_but_two_are_tried() -> None:
    found = settings_of(None, None, None)
    assert [name for name in ROW_METHODS if name not in SWEPT] == ["multiplicative", "rounding"]
    assert {setting.method for setting in found} == set(SWEPT)
    assert {setting.k for setting in found if setting.method == "condensation"} == {3, 5, 10, 20}
    assert len(set(found)) == len(found) == 16


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no such method": ({"methods": ["magic"]}, "no row method 'magic'; there are 'determin"),
    "no methods": ({"methods": []}, "at least one method, one k and one q"),
    "a text for k": ({"k": "35"}, "k of a sweep must be a list of numbers"),
    "k below 1": ({"k": [3, 0]}, "k must be"),
    "no noise": ({"q": [0]}, "q must be"),
    "no such risk": ({"risk": "luck"}, "risk is unknown; choose one of 'linkage'"),
    "another word for gaps": ({"missing": "mode"}, "missing of the policy must be one of"),
}


def test_what_cannot_be_tried() -> None:
    study, error = research(), (InputError, TypeError)
    for asked, text in BAD.values():
        with pytest.raises(error, match=text):
            study.tune(**asked)


# --- what comes of it -----------------------------------------------------------------------------


def test_a_point_is_what_the_release_would_be() -> None:
    study = research()
    for point in study.tune(["x", "y"], methods=[*ROW_METHODS], k=[4], q=[0.3]).points:
        method = point.setting.method
        number: dict[str, Any] = {"q": 0.3} if ROW_METHODS[method].by_noise else {"k": 4}
        told = study.anonymize(["x", "y"], method=method, **number).report.measured
        assert point.setting == Setting(method, **number)
        assert point.risk == told.risks["linkage"]
        assert point.loss == pytest.approx(sum(told.displacement.values()) / 2, rel=1e-12)


def test_every_risk_and_loss_may_stand() -> None:
    study = research()
    for risk, loss in zip(RISKS, cycle(LOSSES), strict=False):
        tried = study.tune(["x", "y"], methods=["deterministic"], k=[3, 30], risk=risk, loss=loss)
        assert [point.refused for point in tried.points] == [None, None]
        assert (tried.risk_name, tried.loss_name) == (RISKS[risk], LOSSES[loss])
        assert "columns: x, y; strata: arm, ill" in tried.note


def test_settings_that_cannot_be_are_points_too() -> None:
    tried = research().tune(
        ["x", "y"], methods=["deterministic", "microaggregation"], k=[2, 3, 119]
    )

    refused = {point.setting.name: point.refused for point in tried.points}
    assert list(refused) == [
        "deterministic k=2",
        "deterministic k=3",
        "deterministic k=119",
        "microaggregation k=2",
        "microaggregation k=3",
        "microaggregation k=119",
    ], "in the order they were asked for"
    assert {name for name, why in refused.items() if why is None} == {
        "deterministic k=3",
        "microaggregation k=2",
        "microaggregation k=3",
        "microaggregation k=119",
    }
    assert "k must be at least 3" in str(refused["deterministic k=2"])
    with pytest.raises(RefusedError, match="deterministic k=2 was refused: k must be"):
        tried.choose("deterministic k=2")


@pytest.mark.parametrize(
    ("rounding", "c"), [("mdav", None), ("kmeans", None), ("kmeans", 4), ("optimal", None)]
)
def test_a_rounding_is_tried_as_the_policy_rounds(rounding: str, c: int | None) -> None:
    study = research(method=rounding, c=c)
    (point,) = study.tune(["x", "y"], methods=[rounding], k=[6]).points
    told = study.round(["x", "y"], method=rounding, k=6, c=c).report.measured
    assert point.refused is None
    assert point.risk == told.risks["linkage"]


def test_the_efficient_ones_are_those_that_none_undercuts() -> None:
    tried = research().tune(["x", "y"], k=[3, 10, 30], q=[0.1, 1.0])
    places = [(p, p.place) for p in tried.points if p.refused is None]
    best = {
        p.setting
        for p, (risk, loss) in places
        if not any(a <= risk and b <= loss and (a, b) != (risk, loss) for _, (a, b) in places)
    }
    assert {point.setting for point in tried.frontier} == best
    assert 1 < len(best) < len(places)


def test_a_map_does_not_depend_on_the_order_of_rows_or_settings() -> None:
    order = np.random.default_rng(2).permutation(N)
    shuffled = {name: values[order] for name, values in COHORT.items()}
    asked: dict[str, Any] = {"columns": ["x", "y"], "k": [3, 7], "q": [0.3]}
    one, other = (research(given, strata=["arm"]).tune(**asked) for given in (COHORT, shuffled))
    methods = [*reversed(SWEPT)]
    backwards = research(strata=["arm"]).tune(**asked, methods=methods)
    assert one == other
    assert backwards.points != one.points
    assert set(backwards.points) == set(one.points)


def test_no_two_settings_share_their_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def keep(jobs: Any) -> Any:
        seen.extend(jobs)
        return map(tables._point, jobs)

    monkeypatch.setattr(tables, "_tried", keep)
    research().tune(["x", "y"], methods=["probabilistic", "condensation"], k=[3, 4], q=[0.1, 0.2])
    firsts = {float(job.rows.normals[0, 0]) for job in seen}
    assert len(firsts) == len(seen) == 4
    assert not any("secret" in repr(vars(job)).lower() for job in seen)


def test_what_must_stay_unknown_is_unknown_to_the_attacker() -> None:
    """With the sensitive value known, too, more records would be linked."""
    study = research()
    asked: dict[str, Any] = {"columns": ["x", "y"], "drop": ["arm"], "sensitive": "ill"}
    (point,) = study.tune(**asked, methods=["microaggregation"], k=[6]).points
    frame = study.anonymize(**asked, method="microaggregation", k=6).frame
    before, after = (
        np.column_stack([np.asarray(table[name], dtype=float) for name in ("x", "y")])
        for table in (COHORT, frame)
    )
    assert isinstance(point.risk, Estimate)
    assert point.risk.count == record_linkage(before, after).count


@pytest.mark.parametrize("method", [None, "microaggregation", "probabilistic", "rounding"])
def test_the_setting_that_was_chosen_is_never_refused(method: str | None) -> None:
    study = research()
    asked: dict[str, Any] = {"columns": ["x", "y"], "sensitive": "ill"}
    tried = study.tune(**asked, methods=None if method is None else [method])
    shares = sorted({point.place[0] for point in tried.usable})
    for share in {shares[0], shares[-1]}:
        below = min(1.0, share + 1e-9)
        best = tried.least_loss(below)
        release = study.anonymize(**asked, method=method, risk_below=below)
        assert release.report.measured.risks["linkage"].share < below
        made = Setting(release.report.made["method"], k=release.report.made.get("k"))
        assert (made.method, made.k) == (best.method, best.k)
        assert release.report.made.get("q") == best.q


def test_processes_of_their_own_give_the_same_map(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = research().tune(["x", "y"], methods=["condensation"], k=[3, 5])
    jobs: list[int] = []

    class Pool:
        def __init__(self, **how: Any) -> None:
            assert how["return_as"] == "generator_unordered"

        def __call__(self, tasks: Any) -> Any:
            done = [task() for task in tasks]
            jobs.append(len(done))
            return reversed(done)

    monkeypatch.setattr(tables, "WORTH_PROCESSES", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr("joblib.Parallel", Pool)
    monkeypatch.setattr("joblib.delayed", lambda of: lambda *given: lambda: of(*given))
    assert research().tune(["x", "y"], methods=["condensation"], k=[3, 5]) == alone
    assert jobs == [2]


@pytest.mark.slow
def test_real_processes_give_the_same_map(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = research().tune(["x", "y"], methods=["microaggregation"], k=[3, 5])
    monkeypatch.setattr(tables, "WORTH_PROCESSES", 0)
    assert research().tune(["x", "y"], methods=["microaggregation"], k=[3, 5]) == alone


def test_the_least_loss_below_a_risk_is_picked() -> None:
    study = research()
    tried = study.tune(["x", "y"], methods=["microaggregation"], k=[2, 6, 20])
    risks = [point.place[0] for point in tried.points]
    assert tried.least_loss(1.0).k == 2
    assert tried.least_loss((risks[0] + risks[1]) / 2).k == 6
    assert tried.least_loss((risks[1] + risks[2]) / 2).k == 20
    with pytest.raises(RefusedError, match="no setting of the map meets this risk; the lowest"):
        tried.least_loss(risks[2])


SAVED: dict[str, Callable[[str], bool]] = {
    "map.html": lambda text: (
        text.lower().startswith("<!doctype html") and "not for release" in text
    ),
    "map.json": lambda text: json.loads(text)["release"] is False,
    "map.txt": lambda text: "not for release" in text,
    "map.svg": lambda text: "<svg" in text,
}


@pytest.mark.parametrize("whose", ["a study's", "the papers'"])
def test_what_is_tried_is_recorded_nowhere_and_settles_nothing(whose: str, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"methods": ["microaggregation"], "k": [3, 5]}
    if whose == "a study's":
        tried = dc.protect(pa.table(COHORT), study="s").tune(["x", "y"], **asked)
    else:
        tried = research(study="s").tune(["x", "y"], **asked)
    assert isinstance(tried, RiskUtilityMap)
    for name, right in SAVED.items():
        tried.save(tmp_path / name)
        assert right((tmp_path / name).read_text())
    assert register_of("standard").history() == []
