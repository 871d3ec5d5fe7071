"""What a board suggests to look at first: strengths by hand, sentences, and nothing of noise."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
import discreet.explore.suggestions as module
from discreet.explore import Study
from discreet.explore.suggestions import FEWEST_SUGGESTED, MOST, Strength, strength, suggestions
from discreet.policy import Policy

RISING = np.arange(60.0)
HALVES = np.repeat([0.0, 1.0], 30)
CROSSED = np.tile([0.0, 1.0], 30)
GAP = np.where(RISING < 5, math.nan, RISING)


def opened(folder: Path, table: pa.Table, preset: str = "standard", **more: Any) -> Study:
    secret = folder / "discreet.secret"
    secret.touch(mode=0o600)
    secret.write_text(bytes(range(32)).hex(), encoding="ascii")
    policy = Policy.preset(preset, study="trial", roles={"id": "identifier"}, **more)
    return dc.open(table, replace(policy, folder=folder))


def cohort(rows: int = 700) -> pa.Table:
    """People whose bmi is 5 higher with diabetes, who die sooner when older, and noise."""
    rng = np.random.default_rng(5)
    age = rng.normal(56, 12, rows).round()
    diabetes = rng.random(rows) < 0.3
    months = rng.exponential(80, rows)
    return pa.table(
        {
            "id": [f"P{i}" for i in range(rows)],
            "age": age,
            "pressure": (100 + age + rng.normal(0, 8, rows)).round(),
            "bmi": (26 + 5 * diabetes + rng.normal(0, 3, rows)).round(1),
            "diabetes": np.where(diabetes, "yes", "no"),
            "followed": np.minimum(months, 60).round(1),
            "died": (months < 60).astype(int),
            "visit": np.datetime64("2020-01-01") + rng.integers(0, 900, rows),
            "noise": rng.choice(["a", "b", "c"], rows),
        }
    )


def noise(seed: int, rows: int = 300) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "id": [f"P{i}" for i in range(rows)],
            **{f"n{i}": rng.normal(50, 9, rows).round(1) for i in range(4)},
            "skew": rng.lognormal(3, 1, rows).round(1),
            **{f"l{i}": rng.choice([*"abcdef"[: 2 + 2 * i]], rows) for i in range(3)},
            "yes": rng.choice(["no", "yes"], rows, p=[0.8, 0.2]),
            "when": np.datetime64("2020-01-01") + rng.integers(0, 900, rows),
        }
    )


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the sentences about the cohort, by the picture as its address has it."""
    study = opened(tmp_path_factory.mktemp("cohort"), cohort(), labels={"bmi": "BMI (kg/m²)"})
    made = suggestions(study._copy)
    assert FEWEST_SUGGESTED <= len(made) <= MOST
    assert made == suggestions(study._copy)
    return {words(it["spec"]): it["says"] for it in made}


def words(spec: dict[str, Any]) -> str:
    return " ".join([spec["kind"], *spec["columns"], *(f"by {it}" for it in spec.get("by", ()))])


@pytest.mark.parametrize(
    ("x", "y", "levels", "size", "freedom", "rows"),
    [
        pytest.param(RISING, RISING, (0, 0), 1, 1, 60, id="two numbers that rise together"),
        pytest.param(RISING, -RISING, (0, 0), 1, 1, 60, id="one that falls"),
        # 60 ranks vary by (60² − 1) / 12 about their mean, the means of the halves by 15².
        pytest.param(RISING, HALVES, (0, 2), 15 / math.sqrt(3599 / 12), 1, 60, id="by levels"),
        pytest.param(HALVES, RISING, (2, 0), 15 / math.sqrt(3599 / 12), 1, 60, id="turned round"),
        pytest.param(HALVES, CROSSED, (2, 2), 0, 1, 60, id="levels that have nothing in common"),
        pytest.param(HALVES, HALVES, (2, 2), 1, 1, 60, id="the same levels"),
        pytest.param(CROSSED + 2 * HALVES, HALVES, (4, 2), 1, 3, 60, id="of four levels, and two"),
        pytest.param(GAP, RISING, (0, 0), 1, 1, 55, id="rows with both"),
    ],
)
def test_three_strengths_have_one_scale(
    x: Any, y: Any, levels: tuple[int, int], size: float, freedom: int, rows: int
) -> None:
    it = strength(x, y, levels)
    assert it is not None
    assert it.size == pytest.approx(size)
    assert (it.freedom, it.rows) == (freedom, rows)


@pytest.mark.parametrize(
    ("x", "y", "levels"),
    [
        pytest.param(RISING[:49], RISING[:49], (0, 0), id="too few rows"),
        pytest.param(RISING, np.ones(60), (0, 0), id="a number that does not vary"),
        pytest.param(RISING, np.zeros(60), (0, 1), id="one level"),
        pytest.param(HALVES, np.zeros(60), (2, 1), id="levels by one level"),
    ],
)
def test_there_is_no_strength_of(x: Any, y: Any, levels: tuple[int, int]) -> None:
    assert strength(x, y, levels) is None


def test_many_rows_of_less_come_before_few_of_more() -> None:
    strong, weak = Strength(0.36, 1, 1, 60), Strength(0.16, 1, 1, 5000)
    assert strong.size > weak.size
    assert strong.low(60, 0.001) < weak.low(5000, 0.001) < weak.size


@given(
    st.floats(0.01, 0.9), st.integers(1, 20), st.floats(50, 1e5), st.floats(0, 0.3), st.floats(0, 1)
)
def test_a_lower_end_is_below_and_falls_with_error_and_pairs(
    square: float, freedom: int, rows: float, own: float, people: float
) -> None:
    it = Strength(square, freedom, 1, int(rows))
    alone, worth = it.worth(1.0, 0.0), it.worth(people, own)
    assert worth <= alone * (1 + 1e-9)
    assert 0 <= it.low(worth, 0.01) <= it.low(alone, 0.01) + 1e-6
    assert it.low(alone, 0.0001) <= it.low(alone, 0.01) + 1e-6
    assert it.low(alone, 0.01) <= it.size + 1e-6


def test_pictures_are_those_of_what_is_related(found: dict[str, str]) -> None:
    assert [*found] == [
        "survival followed died",
        "scatter age pressure",
        "box bmi by diabetes",
        "over_time visit",
    ]
    assert found["scatter age pressure"].startswith("Where age is higher, pressure is higher (rank")


@pytest.mark.slow
def test_a_sentence_has_the_difference_with_its_interval(found: dict[str, str]) -> None:
    says = found["box bmi by diabetes"]
    assert says.startswith("Where diabetes is yes, BMI is higher: ")
    assert " kg/m² more on average than where it is no (95 % interval " in says
    low, high = (float(it) for it in says.split("interval ")[1].rstrip(").").split(" to "))
    assert 0 < low < 5 < high
    dead = found["survival followed died"]
    assert dead.startswith("At followed ")
    assert "died is 1 for an estimated " in dead


def test_levels_are_compared_by_shares_and_few_whole_numbers_are_levels(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    ward = rng.choice(["east", "north", "west"], 900)
    fell = rng.random(900) < np.where(ward == "north", 0.6, 0.1)
    grade = rng.integers(1, 4, 900)
    table = pa.table(
        {
            "id": [f"P{i}" for i in range(900)],
            "ward": ward,
            "fell": np.where(fell, "yes", "no"),
            "grade": grade,
            "cost": (90 - 20 * grade + rng.normal(0, 20, 900)).round(),
        }
    )
    graded, it, *_ = suggestions(opened(tmp_path, table)._copy)
    assert graded["spec"] == {"kind": "box", "columns": ["cost"], "by": ["grade"]}
    assert graded["says"].startswith("Where grade is 1, cost is higher: ")
    assert it["spec"] == {"kind": "bars", "columns": ["fell"], "by": ["ward"], "percent": True}
    assert it["says"].startswith("Where ward is north, fell is more often yes: ")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the table is wide")
def test_noise_suggests_no_relation_as_the_copys_own_error_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = []
    for seed in range(12):
        folder = tmp_path / str(seed)
        folder.mkdir()
        copies.append(opened(folder, noise(seed))._copy)

    def related() -> int:
        made = [suggestions(it) for it in copies]
        assert all(len(it) >= FEWEST_SUGGESTED for it in made)
        return sum(any("interval" in it["says"] for it in of) for of in made)

    assert related() <= 1
    monkeypatch.setattr(module, "LOST", 0.0)  # the control: chance of the rows alone
    assert related() > 1


def test_what_is_made_of_a_column_is_not_related_to_it(tmp_path: Path) -> None:
    table = cohort().select(["id", "age", "bmi"])
    made = suggestions(opened(tmp_path, table, derive={"older": "age + bmi / 100"})._copy)
    assert not any("interval" in it["says"] for it in made)


@pytest.mark.slow
def test_so_few_rows_that_the_copys_own_error_is_not_known_suggest_no_relation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = opened(tmp_path, cohort())._copy
    assert any("correlation" in it["says"] for it in suggestions(copy))
    first = copy.copies_again()[0][:3]
    monkeypatch.setattr(type(copy), "copies_again", lambda _: (first, 1.0))
    assert not any("correlation" in it["says"] for it in suggestions(copy))


@pytest.mark.slow
def test_a_board_in_a_file_has_them(tmp_path: Path) -> None:
    study = opened(tmp_path, cohort())
    text = study.board().to_html()
    start = text.index('id="facts"')
    facts = json.loads(text[text.index(">", start) + 1 : text.index("</script>", start)])
    assert facts["suggestions"] == suggestions(study._copy)
