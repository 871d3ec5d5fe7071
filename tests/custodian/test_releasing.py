"""From a study to a protected table: what is in it, what is said of it, and what is refused."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.custodian import register_of
from discreet.errors import InputError, RefusedError
from discreet.policy import Policy
from discreet.release import Release

N = 160
SECRET = bytes(range(32)).hex()


@pytest.fixture(autouse=True)
def known_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one secret in every test, so that results can be compared."""
    monkeypatch.setenv("DISCREET_SECRET", SECRET)


def cohort(n: int = N) -> dict[str, list[Any]]:
    """Make persons: who they are, levels of three types between numbers, and rare levels."""
    rng = np.random.default_rng(1)
    x = rng.normal(50, 10, size=n)
    return {
        "id": [f"P{i:04}" for i in rng.permutation(n)],
        "code": rng.integers(1, 3, size=n).tolist(),
        "x": x.tolist(),
        "sex": rng.choice(["f", "m"], size=n).tolist(),
        "y": (x + rng.normal(0, 5, size=n)).tolist(),
        "smokes": (rng.random(n) < 0.4).tolist(),
        "z": rng.lognormal(size=n).tolist(),
    }


COHORT = cohort()


def research(source: Any = None, **fields: Any) -> dc.Research:
    """Open the cohort, or another source, for the papers' methods."""
    return dc.research(pa.table(COHORT) if source is None else source, **fields)


def plain(frame: Any) -> dict[str, list[Any]]:
    """Return a frame of any kind as a dict of lists."""
    if isinstance(frame, pd.DataFrame):
        return dict(frame.to_dict("list"))
    if isinstance(frame, pl.DataFrame):
        return frame.to_dict(as_series=False)
    table = frame.to_arrow_table() if isinstance(frame, duckdb.DuckDBPyRelation) else frame
    return dict(table.to_pydict())


def rows_of(frame: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a frame of any kind."""
    return list(zip(*plain(frame).values(), strict=True))


# --- the paper's table ----------------------------------------------------------------------------

# Class, sex, family aboard: how many, and how many of them survived (Table 2 of the 2022 paper).
TABLE_2 = {
    (1, "female", "no"): (34, 33),
    (2, "female", "no"): (32, 29),
    (3, "female", "no"): (60, 37),
    (1, "male", "no"): (75, 25),
    (2, "male", "no"): (72, 7),
    (3, "male", "no"): (264, 32),
    (1, "female", "yes"): (60, 58),
    (2, "female", "yes"): (44, 41),
    (3, "female", "yes"): (84, 35),
    (1, "male", "yes"): (47, 20),
    (2, "male", "yes"): (36, 10),
    (3, "male", "yes"): (83, 15),
}


@pytest.fixture(scope="module")
def titanic(
    shared_data: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Release]:
    """The passengers as the paper prepares them; skipped where the file is absent."""
    table = pd.read_csv(shared_data("titanic.csv"))
    table["Family"] = np.where(table["SibSp"] + table["Parch"] > 0, "yes", "no")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISCREET_SECRET", SECRET)
        patch.setenv("DISCREET_STATE", str(tmp_path_factory.mktemp("state")))
        study = dc.research(table, strata=["Pclass", "Sex", "Family"])
        yield study.anonymize(
            drop=["PassengerId", "SibSp", "Parch"],
            sensitive="Survived",
            missing="median",
            method="deterministic",
            k=3,
            ties="tree",
            formula="Survived ~ Pclass + Sex + Age + Fare + Family",
        )


def test_the_strata_are_those_of_the_paper(titanic: Release) -> None:
    assert list(titanic.frame.columns) == ["Survived", "Pclass", "Sex", "Age", "Fare", "Family"]
    counted = titanic.frame.groupby(["Pclass", "Sex", "Family"])["Survived"].agg(["size", "sum"])
    found = {key: (int(row["size"]), int(row["sum"])) for key, row in counted.iterrows()}
    assert found == TABLE_2
    assert titanic.report.measured.k == 32
    assert f"{titanic.report.measured.u:.6f}" == "0.000117"
    assert titanic.frame["Sex"].tolist()[:4] == ["male", "female", "female", "female"]
    assert "about 175 missing values of Age are filled" in titanic.report.made["prepared"]


# --- what comes back ------------------------------------------------------------------------------

STRATA = ["sex", "code", "smokes"]
COLUMNS = ["code", "x", "sex", "y", "smokes", "z"]
KINDS = {
    "polars": pl.DataFrame,
    "polars-lazy": pl.DataFrame,
    "pyarrow": pa.Table,
    "duckdb": duckdb.DuckDBPyRelation,
}


def expected_rows() -> list[tuple[Any, ...]]:
    """Return the rows that are released of a pyarrow table."""
    return rows_of(research(strata=STRATA, k=3).anonymize().frame)


def test_every_frame_and_file_gives_one_release_in_its_own_kind(
    source: Callable[[Any], Any], request: pytest.FixtureRequest
) -> None:
    kind = KINDS.get(request.node.callspec.params["source"], pd.DataFrame)

    frame = research(source(COHORT), strata=STRATA, k=3).anonymize().frame

    assert isinstance(frame, kind)
    assert list(plain(frame)) == COLUMNS, "in the order of the table"
    assert rows_of(frame) == expected_rows()
    if isinstance(frame, pd.DataFrame):
        assert isinstance(frame.index, pd.RangeIndex)
        assert not any(isinstance(dtype, pd.CategoricalDtype) for dtype in frame.dtypes)
    types = {name: {type(value) for value in values} for name, values in plain(frame).items()}
    assert types == {
        "code": {int},
        "x": {float},
        "sex": {str},
        "y": {float},
        "smokes": {bool},
        "z": {float},
    }


@pytest.mark.parametrize("preset", ["standard", "research"])
def test_no_index_and_no_category_of_nobody_comes_back(preset: str) -> None:
    frame = pd.DataFrame(COHORT).set_index(pd.Index([f"Canary{i}" for i in range(N)], name="who"))
    frame["sex"] = pd.Categorical(frame["sex"], categories=["f", "m", "Canary"])
    if preset == "research":
        out = research(frame, strata=["sex"]).anonymize(["x", "y"]).frame
    else:
        out = dc.open(frame).anonymize(["x", "sex", "y"]).frame
    assert "Canary" not in out.to_csv()
    assert out.index.equals(pd.RangeIndex(len(out)))
    assert out.index.name is None
    assert set(out["sex"].unique()) == {"f", "m"}
    assert not isinstance(out["sex"].dtype, pd.CategoricalDtype)
    assert list(out.columns) == ["x", "sex", "y"]
    if preset == "research":
        assert out["sex"].tolist() == COHORT["sex"]


# --- what a release holds -------------------------------------------------------------------------


def test_another_secret_gives_another_release(monkeypatch: pytest.MonkeyPatch) -> None:
    how: dict[str, Any] = {"columns": ["x", "y"], "method": "probabilistic"}
    one = rows_of(research(strata=["sex"]).anonymize(**how).frame)
    monkeypatch.setenv("DISCREET_SECRET", bytes(range(3, 35)).hex())
    other = rows_of(research(strata=["sex"]).anonymize(**how).frame)
    assert len(set(one) & set(other)) < N / 10


# --- what is asked for ----------------------------------------------------------------------------

# How the study is opened, what is asked, and which columns come back.
ASKED: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "all but other levels": ({"strata": ["sex"]}, {}, ["x", "sex", "y", "z"]),
    "some are dropped": ({"strata": ["sex"]}, {"drop": ["code", "z"]}, ["x", "sex", "y"]),
    "levels and all": ({}, {"sensitive": "smokes"}, ["code", "x", "sex", "y", "smokes", "z"]),
    "a sensitive number": (
        {},
        {"columns": ["x", "y"], "drop": ["sex", "smokes"], "sensitive": "code"},
        ["code", "x", "y"],
    ),
    "another method and k": (
        {"strata": ["sex"]},
        {"columns": ["x", "y"], "method": "microaggregation", "k": 7},
        ["x", "sex", "y"],
    ),
}


@pytest.mark.parametrize(("fields", "asked", "columns"), ASKED.values(), ids=ASKED)
def test_columns_that_come_back(
    fields: dict[str, Any], asked: dict[str, Any], columns: list[str]
) -> None:
    study = research(**fields)
    release = study.anonymize(**asked)
    found = plain(release.frame)
    assert list(found) == columns
    (rows,) = set(map(len, found.values()))
    assert rows == N
    if "k" in asked and asked.get("method") == "microaggregation":
        assert min(Counter(rows_of(release.frame)).values()) >= asked["k"]


REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], type[Exception], str]] = {
    "a column twice": ({}, {"columns": ["x", "x"]}, InputError, "name each column once"),
    "levels as numbers": (
        {},
        {"columns": ["x", "sex"]},
        InputError,
        "'sex' cannot be released as numbers",
    ),
    "an identifier": ({}, {"columns": ["x", "id"]}, RefusedError, "identifies people"),
    "k above the rows": (
        {"strata": ["sex"]},
        {"columns": ["x"], "k": N + 1, "method": "microaggregation"},
        RefusedError,
        "no merging of the strata was found that reaches k rows",
    ),
    "k near the number of rows": (
        {"strata": ["sex"]},
        {"columns": ["x"], "k": N - 2, "method": "deterministic"},
        RefusedError,
        "k must be at least 3 and at most the number of rows less 3",
    ),
    "a stratum of another level in every row": (
        {"strata": ["id"]},
        {"columns": ["x"]},
        RefusedError,
        "column 'id' identifies people",
    ),
    "a formula of nobody": ({}, {"columns": ["x"], "formula": "x ~ w"}, InputError, "column 'w'"),
    "a formula of what is not released": (
        {},
        {"columns": ["x", "y"], "formula": "x ~ z"},
        InputError,
        "no column 'z'",
    ),
    "a risk that is no share": (
        {},
        {"columns": ["x"], "risk_below": 5},
        InputError,
        "risk_below is a share above 0 and at most 1",
    ),
}


def test_what_is_refused() -> None:
    for fields, asked, error, text in REFUSED.values():
        with pytest.raises(error, match=text):
            research(**fields).anonymize(**asked)


def test_the_least_loss_below_a_risk_is_looked_for() -> None:
    study = research()
    table = {"drop": ["code", "z", "sex", "smokes"]}
    tried = study.tune(**table, k=[3, 10])  # type: ignore[arg-type]
    release = study.anonymize(**table, risk_below=0.2, k=None)  # type: ignore[arg-type]
    assert release.report.measured.risks["linkage"].share < 0.2
    best = study.tune(**table).least_loss(0.2)  # type: ignore[arg-type]
    assert release.report.made["method"] == best.method
    assert release.report.made.get("k") == best.k
    assert tried.points
    with pytest.raises(RefusedError, match="no setting of the map meets this risk"):
        study.anonymize(**table, risk_below=1e-9, k=3)  # type: ignore[arg-type]


# --- strata, gaps and what must stay unknown ------------------------------------------------------

RARE = COHORT | {"arm": ["a"] * 100 + ["b"] * 50 + ["c"] * 5 + ["d"] * 5}


def test_merged_strata_are_said_in_report_and_pictures() -> None:
    study = research(pa.table(RARE), strata=["arm"], most_suppressed=0.0, k=10)
    said = "small strata are merged: the smallest levels are 'other' (arm)"
    release = study.anonymize(["x", "y"])
    assert said in release.report.made["prepared"]
    assert said in " ".join(release.report.to_text().split())
    assert Counter(plain(release.frame)["arm"]) == {"a": 100, "b": 50, "other": 10}


@pytest.mark.parametrize("form", ["csv", "toml", "asked"])
def test_a_hierarchy_comes_as_a_file_or_as_tables(form: str, tmp_path: Path) -> None:
    (tmp_path / "arm.csv").write_text("a;most;common\nb;most;common\nc;few;rare\nd;few;rare\n")
    policy = tmp_path / "ours.toml"
    written = {
        "csv": '[papers.hierarchies]\narm = "arm.csv"\n',
        "toml": '[papers.hierarchies.arm.common]\nmost = ["a", "b"]\n'
        '[papers.hierarchies.arm.rare]\nfew = ["c", "d"]\n',
    }
    rules = 'preset = "research"\nk = 6\n[papers]\nstrata = ["arm"]\nmost_suppressed = 0.0\n'
    policy.write_text(rules + written.get(form, ""))
    if form == "asked":
        study = research(pa.table(RARE), strata=["arm"], most_suppressed=0.0)
        release = study.anonymize(["x", "y"], k=6, hierarchies={"arm": tmp_path / "arm.csv"})
    else:
        release = dc.research(pa.table(RARE), Policy.load(policy)).anonymize(["x", "y"])

    assert Counter(plain(release.frame)["arm"]) == {"most": 150, "few": 10}
    assert release.report.made["prepared"] == [
        "small strata are merged: step 1 of its hierarchy (arm)"
    ]


GAPS = COHORT | {
    "x": [None if i % 8 == 0 else x for i, x in enumerate(COHORT["x"])],
    "sex": [None if i % 16 == 1 else word for i, word in enumerate(COHORT["sex"])],
}
FILLED_X = "about 20 missing values of x are filled"
FILLED_SEX = "about 10 missing values of sex are filled"
# What is asked, how many rows are released, their sexes, and what is said.
GAPPY: dict[str, tuple[dict[str, str], int, set[str], list[str], int | None]] = {
    "complete": ({}, 130, {"f", "m"}, [], 30),
    "drawn": (
        {"missing": "mean", "missing_levels": "drawn"},
        160,
        {"f", "m"},
        [FILLED_X, FILLED_SEX],
        None,
    ),
}


@pytest.mark.parametrize(("how", "rows", "levels", "said", "left_out"), GAPPY.values(), ids=GAPPY)
def test_missing_values_are_never_passed_over_in_silence(
    how: dict[str, str], rows: int, levels: set[str], said: list[str], left_out: int | None
) -> None:
    release = research(pa.table(GAPS), strata=["sex"], k=5, **how).anonymize(["x", "y"])
    found = plain(release.frame)
    assert (len(found["x"]), set(found["sex"])) == (rows, levels)
    assert release.report.made["prepared"] == said
    assert release.report.made.get("rows left out for missing values") == left_out
    text = release.report.to_text()
    assert all(line in " ".join(text.split()) for line in said)


# All of arm b smoke.
SMOKING = COHORT | {
    "arm": ["a"] * 60 + ["b"] * 50 + ["c"] * 50,
    "smokes": [True, False] * 30 + [True] * 50 + [True, False] * 25,
}


def test_diversity_is_measured_required_and_reached() -> None:
    study = research(pa.table(SMOKING), most_suppressed=0.0)
    asked: dict[str, Any] = {"columns": ["x", "y"], "drop": ["sex"], "sensitive": "smokes"}
    plainly = study.anonymize(**asked)
    diverse = study.anonymize(**asked, diversity=2)
    close = study.anonymize(**asked, closeness=0.25)
    assert plainly.report.measured.l == 1
    assert plainly.report.measured.risks["attribute_disclosure"].count == 50
    assert diverse.report.measured.l == 2
    assert "arm" in plain(diverse.frame)
    assert close.report.measured.t is None or close.report.measured.t <= 0.25


# --- leaving --------------------------------------------------------------------------------------


def history(policy: Any = "standard") -> list[tuple[str, str]]:
    """Say what has left, and as what."""
    return [(entry["kind"], entry["form"]) for entry in register_of(policy).history()]


@pytest.mark.slow
def test_a_table_and_its_report_are_recorded(tmp_path: Path) -> None:
    study = research(study="s", strata=["sex"])
    release = study.anonymize(["x", "y"])
    assert history() == [], "looking is free"
    release.save(tmp_path / "a.csv", tmp_path / "r.html")
    assert ("table", "csv") in history()
    assert ("report", "html") in history()
    assert history().count(("histogram", "html")) == 2
    (table,) = (entry for entry in register_of("standard").history() if entry["kind"] == "table")
    assert table["columns"] == ["x", "y", "sex"]
    assert pd.read_csv(tmp_path / "a.csv").to_dict("list") == plain(release.frame)


def test_a_pickle_is_a_way_out() -> None:
    release = research(study="s").anonymize(["x", "y"])
    pickle.dumps(release)
    assert ("table", "pickle") in history()
    assert ("report", "pickle") in history()


def test_what_was_done_is_told_in_order() -> None:
    made = research(study="s", strata=["sex"]).anonymize(["x", "y"]).report.made
    assert list(made)[:4] == ["method", "promises", "does not protect", "k"]
    assert list(made)[4:8] == ["metric", "ties", "columns", "strata"]
    assert (made["method"], made["k"], made["policy"]) == ("deterministic", 3, "research")
    assert (made["columns"], made["strata"], made["study"]) == (["x", "y"], ["sex"], "s")
    noisy = research().anonymize(["x"], method="probabilistic", q=0.5).report.made
    assert "k" not in noisy
    assert noisy["q"] == 0.5
