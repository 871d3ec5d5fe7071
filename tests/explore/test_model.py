"""Models of a study: of the very copy that `anonymize` gives, with wider intervals."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from statsmodels.genmod.families import Binomial

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.measure import CopyTable

N = 500


@cache
def study() -> dc.Study:
    random = np.random.default_rng(8)
    age, sex = random.normal(50, 12, N).round(), random.choice(["f", "m"], N)
    bmi = np.round(18 + age / 8 + random.normal(0, 3, N), 1)
    risk = 0.05 * (age - 50) + (sex == "m")
    return dc.open(
        pd.DataFrame(
            {
                "patient": [f"P{i:05}" for i in random.permutation(N)],
                "age": age,
                "bmi": np.where(random.uniform(size=N) < 0.1, np.nan, bmi),
                "sex": sex,
                "grade": random.choice([1.0, 2.0, 3.0], N),
                "smoker": random.choice(["never", "now"], N),
                "days": np.ceil(random.exponential(900 * np.exp(-risk))),
                "died": (random.uniform(size=N) < 0.7).astype(int),
                "start": pd.Timestamp("2020-01-01")
                + pd.to_timedelta(random.integers(0, 700, N), unit="D"),
            }
        ),
        study="trial",
    )


def terms(table: CopyTable, figure: str) -> dict[str, Any]:
    return {it.column: it.value for it in table.figures if it.figure == figure}


def test_it_is_the_model_of_the_released_rows_with_wider_intervals() -> None:
    frame = study().anonymize().frame
    theirs = smf.ols("bmi ~ age * sex", frame).fit()

    table = study().model("bmi ~ age * sex")

    found, errors = terms(table, "estimate"), terms(table, "std. error")
    assert [*found.values()] == pytest.approx(
        [theirs.params[it] for it in ("Intercept", "age", "sex[T.m]", "age:sex[T.m]")]
    )
    alone = np.array([*terms(table, "std. error from the rows alone").values()])
    assert sorted(alone) == pytest.approx(sorted(theirs.bse))
    assert (np.array([*errors.values()]) > np.sqrt(2) * alone).all()
    low, high = terms(table, "estimate, low end"), terms(table, "estimate, high end")
    assert high["age"] - low["age"] == pytest.approx(2 * 1.959964 * errors["age"])
    (rows,) = [it.value for it in table.figures if it.figure == "rows"]
    assert rows == theirs.nobs
    assert table == study().model("bmi ~ age * sex")


def test_a_part_with_new_columns_has_a_model_of_its_rows() -> None:
    part = study().assign(old="age >= 50").where("sex == 'm'")
    frame = part.anonymize().frame
    events = (frame.smoker == "now").astype(int)
    old = (frame.age >= 50).astype(int)
    theirs = smf.logit("events ~ old + age", frame.assign(events=events, old=old)).fit(disp=False)
    table = part.model("smoker ~ C(old) + age", family="logistic", event_is="now")
    assert [*terms(table, "estimate").values()] == pytest.approx([*theirs.params], rel=1e-4)
    (rows,) = [it.value for it in table.figures if it.figure == "rows"]
    assert rows == len(frame[["smoker", "old", "age"]].dropna())
    assert any("where sex == 'm'" in note for note in table.notes)
    assert "Logistic model of smoker = now in trial" in str(table)


@pytest.mark.parametrize(
    ("formula", "theirs", "how", "where"),
    [
        ("smoker ~ sex + C(grade)", "event ~ sex + C(grade)", {}, "age > 40"),
        ("smoker ~ sex * C(grade)", "event ~ sex * C(grade)", {}, None),
        ("smoker ~ sex:C(grade)", "event ~ sex:C(grade)", {"weights": "days"}, None),
        ("died ~ sex", "event ~ sex", {}, None),
    ],
)
def test_a_logistic_model_of_levels_alone_is_that_of_the_rows(
    formula: str, theirs: str, how: dict[str, Any], where: str | None
) -> None:
    of = study() if where is None else study().where(where)
    frame = of.anonymize().frame
    event = frame.smoker == "now" if formula.startswith("smoker") else frame.died == 1
    needed = ["sex", *(["grade"] if "grade" in formula else []), *(["days"] if how else [])]
    frame = frame.assign(event=event.astype(int)).dropna(subset=needed)
    weights = frame.days[frame.days > 0] if how else np.ones(len(frame))
    frame = frame[frame.days > 0] if how else frame
    fitted = smf.glm(theirs, frame, family=Binomial(), var_weights=np.asarray(weights)).fit()
    event_is = "now" if formula.startswith("smoker") else None
    table = of.model(formula, family="logistic", event_is=event_is, **how)
    assert sorted(terms(table, "estimate").values()) == pytest.approx(
        sorted(fitted.params), rel=1e-3, abs=1e-4
    )


@pytest.mark.parametrize(
    ("formula", "weights"),
    [
        ("bmi ~ age", None),
        ("bmi ~ 0 + age + days", "days"),
        ("bmi ~ 0 + C(sex)", None),  # its levels add up to a constant
    ],
)
def test_r_squared_is_that_of_statsmodels(formula: str, weights: str | None) -> None:
    of = study().where("bmi > 0") if weights is None else study().where("bmi > 0 and days > 0")
    frame = of.anonymize().frame
    theirs = smf.wls(formula, frame, weights=frame[weights] if weights else 1.0).fit()
    table = of.model(formula, weights=weights)
    (found,) = [it.value for it in table.figures if it.figure == "R²"]
    assert found == pytest.approx(theirs.rsquared)
    says = any("R² is computed about 0" in note for note in table.notes)
    assert says == (theirs.model.k_constant == 0)


@pytest.mark.slow
def test_a_cox_model_is_a_plot_of_ratios(tmp_path: Path) -> None:
    table = study().model("survival(days, died) ~ age + C(grade) + sex", family="cox")
    ratio, low = terms(table, "hazard ratio"), terms(table, "estimate, low end")
    assert ratio["age"] > 1 > np.exp(low["age"]) * 0.5
    assert ratio["C(sex)[T.m]"] == pytest.approx(np.exp(terms(table, "estimate")["C(sex)[T.m]"]))
    (panel,) = table.scene().panels
    levels = ("grade: 2 (against 1)", "grade: 3 (against 1)", "sex: m (against f)")
    assert panel.y.ticks == ("age", *levels)
    assert (0.0, "1") in panel.x.dates
    assert CopyTable.from_json(table.to_json()) == table
    assert "hazard ratio" in table.save(tmp_path / "cox.svg").read_text()
    kinds = [entry["kind"] for entry in study().session.register.history("trial")]
    assert "model" in str(kinds)


@pytest.mark.parametrize(
    ("formula", "how", "says"),
    [
        ("bmi ~ weight", {}, "no column 'weight'"),
        ("bmi ~ age", {"family": "probit"}, "choose one of 'linear', 'logistic', 'poisson', 'cox'"),
        ("bmi ~ age", {"event_is": "now"}, "leave it out"),
        ("smoker ~ age", {"family": "logistic", "event_is": "once"}, "'once' is not a level"),
        ("survival(start, died) ~ age", {"family": "cox"}, "holds dates"),
        ("bmi ~ age + I(2 * age)", {}, "follows from the others"),
    ],
)
def test_what_cannot_be_asked_is_refused(formula: str, how: dict[str, Any], says: str) -> None:
    with pytest.raises((InputError, RefusedError), match=says):
        study().model(formula, **how)
