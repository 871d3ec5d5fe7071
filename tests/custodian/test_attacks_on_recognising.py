"""Attacks by a second table of the same persons, which once succeeded and must fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.custodian import register_of
from discreet.errors import LeavingError

pytestmark = pytest.mark.usefixtures("no_intervals")

NEARLY = "nearly the same data were released before"
COPIES = "another copy of the whole table was released of study 'a', and copies add up"


def clinic(seed: int, n: int | None = None) -> pd.DataFrame:
    """Draw a table of few levels."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(100, 400)) if n is None else n
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], size),
            "smoker": rng.choice(["yes", "no"], size, p=[0.3, 0.7]),
        }
    )


def cohort(seed: int, n: int = 400) -> pd.DataFrame:
    """Draw a table of numbers and levels."""
    rng = np.random.default_rng(seed)
    glucose = rng.normal(95, 12, n).round()
    return clinic(seed, n).assign(glucose=glucose, bmi=rng.normal(26, 4, n).round(1))


@pytest.mark.parametrize("seed", range(2))
def test_one_person_less_is_never_seen_by_bars_and_tables(seed: int) -> None:
    """Of 24 such pairs of bars 17 told the person's status, and all without rounding."""
    frame = clinic(seed)
    less = frame.drop(index=seed).sample(frac=1, random_state=seed)
    sex = ["sex"]
    dc.open(frame, study="a").bars("sex").to_json()
    with pytest.raises(LeavingError, match=NEARLY):
        dc.open(less).bars("sex").to_json()
    with pytest.raises(LeavingError, match=NEARLY):
        dc.open(less.rename(columns=str.upper), study="b").crosstab("SEX", "SMOKER").to_json()
    with pytest.raises(LeavingError, match=NEARLY):
        dc.open(less[sex], study="c").bars("sex").to_json()
    dc.open(clinic(seed + 1000, len(frame)), study="d").bars("sex").to_json()


def test_levels_that_are_exchanged_between_two_persons_are_seen_in_a_table_of_both() -> None:
    frame = clinic(1, 300).assign(ward=np.random.default_rng(2).choice([*"abcde"], 300))
    other = frame.copy()
    levels = (("yes", "f"), ("no", "m"))
    pair = [frame.index[(frame["smoker"] == it) & (frame["sex"] == sex)][0] for it, sex in levels]
    other.loc[pair, "smoker"] = ["no", "yes"]
    assert sorted(other["smoker"]) == sorted(frame["smoker"])
    dc.open(frame, study="a").crosstab("sex", "smoker").to_json()
    with pytest.raises(LeavingError, match=COPIES):
        dc.open(other, study="b").crosstab("sex", "smoker").to_json()


def sex_of(frame: pd.DataFrame, preset: str, **fields: Any) -> str:
    """Draw bars that leave."""
    return dc.open(frame, dc.Policy.preset(preset, **fields)).bars("sex").to_json()


@pytest.mark.slow
@pytest.mark.parametrize("persons", [None, "person"])
def test_without_rounding_no_second_table_of_the_same_persons_leaves(persons: str | None) -> None:
    frame = cohort(1).assign(person=[f"P{i}" for i in range(400)])
    sex_of(frame, "sacro", unit=persons, study="all")
    some = [frame.iloc[120:], frame[frame["sex"] == "f"], frame.sample(200, random_state=1)]
    for part in some:
        with pytest.raises(
            LeavingError, match="more than half of these people are in data released before, as"
        ):
            sex_of(part, "sacro", unit=persons)
    half = pd.concat([frame.iloc[:100], cohort(2).assign(person=[f"Q{i}" for i in range(400)])])
    sex_of(half, "sacro", unit=persons, study="mostly others")


def test_of_research_alone_several_tables_leave_that_promise_nothing_together() -> None:
    frame = cohort(1)
    for i in range(6):
        dc.research(frame.iloc[60 * i :], study=f"part {i}").histogram("bmi").to_json()
    with pytest.raises(
        LeavingError, match=r"a protected copy, and what the papers' .* study 'part 0'"
    ):
        sex_of(frame.sample(200, random_state=1), "sacro")


@pytest.mark.slow
def test_the_same_table_under_another_name_is_no_further_version() -> None:
    for name in ("a", "b", None, "c", "e"):
        dc.open(cohort(1), study=name).bars("sex").to_json()
    part = cohort(1).sample(300, random_state=1)
    dc.open(part, study="part").bars("sex").to_json()
    assert {entry["study"] for entry in register_of("standard").history()} > {"a", "e", "part"}


UNITS: tuple[Callable[[Any], Any], ...] = (
    lambda x: x / 18.0182,
    lambda x: (x - x.mean()) / x.std(),
    lambda x: -x,
)


@pytest.mark.slow
def test_a_table_in_other_units_is_the_same_table() -> None:
    frame = cohort(1)
    dc.open(frame, study="a").histogram("glucose").to_json()
    numbers = ["glucose", "bmi"]
    for study, change in zip([None, "b", "b"], UNITS, strict=True):
        other = frame.assign(**{name: change(frame[name]) for name in numbers})
        with pytest.raises(LeavingError, match=COPIES):
            dc.open(other[numbers], study=study).histogram("glucose").to_json()
    dc.open(cohort(2).assign(glucose=lambda it: it["glucose"] / 18), study="c").bars(
        "sex"
    ).to_json()
