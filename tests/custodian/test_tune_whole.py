"""Copies of a whole table tried by attack: what a map holds, what it refuses, what stays unsaid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.custodian.tune_whole import LOSSES, settings_of_whole
from discreet.errors import InputError, RefusedError
from discreet.measure.attack_report import attacked
from discreet.measure.attacks import Records, attack_secret, in_keyed_order, rows_maker, whole_maker
from discreet.measure.fidelity import Mixed, fidelity
from discreet.measure.frontier import Point, RiskUtilityMap, Setting
from discreet.measure.pairs import Side, as_side
from discreet.methods import Deterministic, Microaggregation
from discreet.policy import Policy
from tests.custodian.test_whole import whole


def numbers(n: int = 200) -> pl.DataFrame:
    """Make a table of three numbers, as the row methods protect them."""
    random = np.random.default_rng(4)
    age = random.normal(50, 12, n)
    bmi = age / 8 + random.normal(20, 3, n)
    return pl.DataFrame({"age": age, "bmi": bmi, "pulse": random.normal(70, 9, n)})


def tried(frame: pl.DataFrame | None = None, **how: Any) -> RiskUtilityMap:
    """Try copies of k = 5 or of what is said."""
    return dc.Protected(whole(frame)).tune(**{"k": [5]} | how)


def places(found: RiskUtilityMap) -> dict[str, Point]:
    return {point.setting.name: point for point in found.points}


# --- settings ------------------------------------------------------------------------------------

SETTINGS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "by default in leaves of 2 k, 4 k and 6 k": (
        {"k": [3, 5]},
        [*(f"whole k=3 m={m}" for m in (6, 12, 18)), *(f"whole k=5 m={m}" for m in (10, 20, 30))],
    ),
    "m of at least k": (
        {"k": [3, 10], "m": [6, 12]},
        ["whole k=3 m=6", "whole k=3 m=12", "whole k=10 m=12"],
    ),
    "beside a row method": (
        {"methods": ["mdav", "whole"], "k": [4], "m": [8]},
        ["mdav k=4", "whole k=4 m=8"],
    ),
    "shares left out": (
        {"k": [5], "m": [10], "left_out": [0.2, 0.4]},
        ["whole k=5 m=10 left_out=0.2", "whole k=5 m=10 left_out=0.4"],
    ),
    "each once": ({"methods": ["whole", "whole"], "k": [5, 5], "m": [5, 5]}, ["whole k=5 m=5"]),
}  # fmt: skip


@pytest.mark.parametrize(("given", "names"), SETTINGS.values(), ids=SETTINGS)
def test_which_settings_are_tried(given: dict[str, Any], names: list[str]) -> None:
    every = dict.fromkeys(("methods", "k", "m", "q", "left_out")) | given
    assert [setting.name for setting in settings_of_whole(**every)] == names


# --- what a point is ------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_risk_is_that_of_the_attacks_report() -> None:
    frame = numbers()
    (point,) = tried(frame, m=[10]).points
    report = attacked(as_side(frame), whole_maker(5, 10), k=5, pairs=0)
    assert point.risk == report["linkage"].found


@pytest.mark.slow
def test_the_loss_is_the_mean_of_fidelity_over_copies() -> None:
    frame = numbers()
    records, _ = in_keyed_order(Records.of(as_side(frame)))
    copies = [whole_maker(5, 10)(records, attack_secret("copy", turn)) for turn in range(5)]
    near = [fidelity(Mixed(records.table.numbers, {}), Mixed(c.table.numbers, {})) for c in copies]
    found = [tried(frame, m=[10], loss=loss).points[0].loss for loss in LOSSES]
    assert found == [
        pytest.approx(np.mean([it.joint.distance / it.joint.resample for it in near if it.joint])),
        pytest.approx(np.mean([it.largest for it in near])),
        pytest.approx(np.mean([it.coefficients.distance for it in near if it.coefficients])),
    ]


@pytest.mark.slow
def test_a_method_that_gives_records_away_is_seen() -> None:
    found = places(tried(numbers(), methods=["whole", "probabilistic"], q=[0.1], m=[10]))
    weak, copy = (found[name] for name in ("probabilistic q=0.1", "whole k=5 m=10"))
    assert weak.place[0] > 0.8
    assert copy.place[0] < 0.2


@pytest.mark.slow
def test_a_method_whose_rows_say_much_is_seen_by_inference() -> None:
    how: dict[str, Any] = {"methods": ["whole", "probabilistic"], "q": [0.1], "m": [10]}
    found = places(tried(numbers(), risk="numbers", **how))
    weak, copy = (found[name] for name in ("probabilistic q=0.1", "whole k=5 m=10"))
    assert weak.place[0] > copy.place[0] + 0.02
    assert copy.place[0] < 0.05


@pytest.mark.slow
def test_larger_groups_link_fewer_of_the_levels_too() -> None:
    few, many = (tried(m=[m]).points[0].place[0] for m in (5, 15))
    assert many < few
    (point,) = tried(risk="levels", m=[10]).points
    assert point.risk is not None
    assert 0 <= point.risk.share < 0.2
    assert point.risk.baseline == 0


@pytest.mark.slow
def test_a_share_left_out_is_tried_as_the_policy_would_have_it() -> None:
    frame = numbers()
    found = places(tried(frame, m=[10], left_out=[0.2, 0.5]))
    for share in (0.2, 0.5):
        point = found[f"whole k=5 m=10 left_out={share}"]
        report = attacked(as_side(frame), whole_maker(5, 10, left_out=share), k=5, pairs=0)
        assert point.risk == report["linkage"].found
    assert found["whole k=5 m=10 left_out=0.2"].place != found["whole k=5 m=10 left_out=0.5"].place


@pytest.mark.slow
def test_the_risk_may_be_that_of_membership(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.custodian.tune_whole.PAIRS", 10)
    how: dict[str, Any] = {"methods": ["whole", "probabilistic"], "q": [0.1], "m": [10]}
    found = places(tried(numbers(), risk="membership", **how))
    weak, copy = (found[name] for name in ("probabilistic q=0.1", "whole k=5 m=10"))
    assert weak.place[0] > 0.9
    assert copy.place[0] < 0.8
    assert copy.risk is not None
    assert copy.risk.baseline == 0.5


@pytest.mark.slow
def test_the_order_of_the_file_changes_nothing() -> None:
    frame = numbers()
    turned = frame.select(pl.all().gather(np.random.default_rng(0).permutation(len(frame))))
    how: dict[str, Any] = {"m": [10], "methods": ["whole", "mdav"]}
    assert [p.place[0] for p in tried(frame, **how).points] == [
        p.place[0] for p in tried(turned, **how).points
    ]


# --- what is left out and refused -----------------------------------------------------------------


@pytest.mark.slow
def test_some_columns_are_copied() -> None:
    found = tried(
        columns=["age", "glucose", "sex"], drop=["sex"], m=[10], methods=["whole", "mdav"]
    )
    assert found.note == "copies of: age, glucose"
    assert found.options == " --columns age,glucose"
    mdav = places(found)["mdav k=5"]  # glucose has gaps: of complete rows
    assert mdav.refused is None


@pytest.mark.slow
def test_row_methods_are_for_numbers_alone() -> None:
    found = places(tried(methods=["mdav", "whole"], m=[10]))
    assert found["mdav k=5"].refused == (
        "it protects only numbers, and this table has columns of levels"
    )
    assert found["whole k=5 m=10"].refused is None


def test_a_setting_that_the_policy_cannot_have_is_refused_in_words() -> None:
    assert "at least 3" in str(tried(numbers(), k=[2], m=[4]).points[0].refused)


@pytest.mark.slow
def test_one_column_has_no_pairs() -> None:
    (point,) = tried(columns=["age"], m=[10]).points
    assert "one column has no pairs" in str(point.refused)
    assert tried(columns=["age"], m=[10], loss="columns").points[0].refused is None
    (point,) = tried(columns=["age"], m=[10], loss="coefficients").points
    assert "no two columns" in str(point.refused)
    (point,) = tried(columns=["age"], m=[10], loss="columns", risk="levels").points
    assert "no column of levels" in str(point.refused)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a risk of row methods": ({"risk": "within 5 %"}, "risk is unknown; choose one of 'linkage'"),
    "a loss of row methods": ({"loss": "displacement"}, "loss is unknown; choose one of 'pairs'"),
    "a column that is left out": ({"columns": ["age", "patient"]}, "a copy has no column"),
    "a sensitive column": ({"sensitive": "sex"}, "unknown setting 'sensitive' here"),
    "m below every k": ({"m": [4]}, "one m that is at least k"),
    "m of no whole copy": ({"m": [10], "methods": ["mdav"]}, "m is for copies of the whole table"),
    "a share left out of no whole copy": (
        {"left_out": [0.2], "methods": ["mdav"]},
        "left_out is for copies of the whole table",
    ),
}


def test_what_cannot_be_tried() -> None:
    for asked, says in REFUSED.values():
        with pytest.raises((InputError, RefusedError), match=says):
            tried(**asked)


def test_nothing_is_kept_or_recorded(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(Policy.preset("standard").to_toml())
    study = whole(policy=rules)
    dc.Protected(study).tune(k=[5], m=[10])
    assert study.session.register.history("s") == []
    assert not [*tmp_path.rglob("*.parquet")]


@pytest.mark.slow
def test_the_map_says_how_a_copy_is_made() -> None:
    found = tried(numbers(), m=[10])
    (told,) = json.loads(found.to_json())["points"]
    assert (told["k"], told["m"], told["risk"]["allowed"]) == (5, 10, 0.2)
    assert "discreet protect TABLE -k 5 -m 10 -o RELEASED.csv" in found.to_html()
    opened = "dc.open(TABLE, study.policy.changed(k=5, m=10)).anonymize()"
    assert Setting("whole", k=5, m=10).opened == opened


# --- row methods as makers ------------------------------------------------------------------------


def test_rows_with_gaps_take_no_part_in_a_row_method() -> None:
    table = Side.of({"a": np.array([1.0, np.nan, 3, 4, 9]), "b": np.array([2.0, 1, np.nan, 5, 7])})
    copy = rows_maker(Microaggregation(k=3))(Records.of(table), attack_secret("x"))
    assert copy.source is not None
    assert copy.source.tolist() == [0, 3, 4]
    assert copy.table.numbers["a"] == pytest.approx([14 / 3] * 3)
    assert copy.table.numbers["b"] == pytest.approx([14 / 3] * 3)


def test_a_row_method_needs_a_complete_row() -> None:
    table = Side.of({"a": np.array([1.0, np.nan]), "b": np.array([np.nan, 1.0])})
    with pytest.raises(RefusedError, match="no row has a number in every column"):
        rows_maker(Deterministic(k=1))(Records.of(table), attack_secret("x"))
