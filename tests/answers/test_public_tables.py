"""The numbers of a usual analysis of three public tables: asked, answered, near the true ones."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.estimates.figures import Group
from discreet.explore import Study
from discreet.explore.answered import Answer

Asks = Callable[[Study], None]


def titanic(study: Study) -> None:
    study.ask(study.bars("Sex", by="Survived"))
    study.ask(study.bars("Pclass"))
    study.ask(study.means("Fare", "Survived"))


def credit(study: Study) -> None:
    study.ask(study.bars("housing", by="credit_class"))
    study.ask(study.means("duration", "credit_class"))


def census(study: Study) -> None:
    part = study.assign(band="cut(AGI, 30000, 60000)")
    for name in ("FEDTAX", "FICA", "STATETAX"):
        part.ask(part.means(name, "band"))


TABLES: dict[str, tuple[str, list[str], dict[str, str], Asks]] = {
    "titanic": (
        "titanic.csv",
        ["Survived", "Pclass", "Sex", "Age", "Fare"],
        {"Survived": "categorical", "Pclass": "categorical"},
        titanic,
    ),
    "german credit": (
        "german_credit.csv",
        ["duration", "credit_amount", "age", "housing", "credit_class"],
        {"housing": "categorical", "credit_class": "categorical"},
        credit,
    ),
    "census": ("casc_census.csv", ["AGI", "FEDTAX", "FICA", "STATETAX"], {}, census),
}


BANDS = ("under 30000", "30000 to under 60000", "60000 or more")


def true_numbers(table: pd.DataFrame, answer: Answer) -> dict[Group, float]:
    """Return the number of people, or the mean, of each group of an answer."""
    words = table.astype(str)
    if "AGI" in table:
        words["band"] = [BANDS[place] for place in np.digitize(table["AGI"], [30000, 60000])]
    assert answer.table is not None
    (value, *_), found = answer.question.columns, dict[Group, float]()
    for group in dict.fromkeys(it.group for it in answer.table.figures):
        kept = np.ones(len(table), dtype=bool)
        for name, level in group:
            kept &= (words[name] == level).to_numpy()
        mean = answer.question.kind == "means"
        found[group] = float(table[value][kept].mean()) if mean else float(kept.sum())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_fifteen_numbers_are_answered_within_their_noise(
    name: str, shared_data: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, columns, kinds, asks = TABLES[name]
    table, off = pd.read_csv(shared_data(file))[columns], list[float]()
    declared: dict[str, Any] = {"unit": False, "kinds": kinds}
    for number in range(2):
        home = tmp_path / str(number)
        monkeypatch.setenv("DISCREET_SECRET", sha256(b"%d" % number).hexdigest())
        for variable in ("DISCREET_STATE", "DISCREET_CONFIG"):
            monkeypatch.setenv(variable, str(home / variable))
        home.mkdir()
        path = dc.protect(table, study=name, **declared).publish(home / "study.discreet")
        study = dc.open(path)
        asks(study)
        made = dc.answer(table, study.questions, study=path, **declared)
        assert {it.says for it in made.outcomes} == {"answered"}
        off += off_by_noise(table, dc.open(path))
    assert len(off) >= 24
    assert np.mean(np.abs(off) < 1.96) >= 0.85


def off_by_noise(table: pd.DataFrame, study: Study) -> list[float]:
    """Return how far the answers of a study are off, in their noise."""
    off = []
    for answer in study.answers.values():
        true = true_numbers(table, answer)
        assert answer.table is not None
        for it in answer.table.figures:
            if it.figure == "noise" and it.value is not None:
                (mean,) = [
                    other.value
                    for other in answer.table.figures
                    if other.group == it.group and other.figure == "mean"
                ]
                off.append((float(mean or 0) - true[it.group]) / float(it.value))
            elif it.figure == "count" and it.value is not None:
                off.append((float(it.value) - true[it.group]) / 20)
    return off
