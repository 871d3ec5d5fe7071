"""A study whose rows are one copy of the whole table: every plot of any columns, in any order."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet as dc
from discreet.custodian.session import Session
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.explore.from_copy import usual_grid
from tests.ready import opened_once

pytestmark = pytest.mark.usefixtures("no_intervals")

N = 400


def cohort(n: int = N, seed: int = 0) -> pl.DataFrame:
    """Make a table with numbers, levels, gaps, an identifier and a number of the rows."""
    random = np.random.default_rng(seed)
    age = np.round(random.normal(50, 12, n))
    bmi = np.round(18 + age / 8 + random.normal(0, 3, n), 1)
    bmi[random.uniform(size=n) < 0.15] = np.nan
    smoker = np.where(random.uniform(size=n) < 0.3, "yes", "no").astype(object)
    smoker[random.uniform(size=n) < 0.1] = None
    return pl.DataFrame(
        {
            "visit": range(1, n + 1),
            "patient": [f"P{i:05}" for i in random.permutation(n)],
            "age": age,
            "bmi": bmi,
            "glucose": np.round(4 + bmi / 10 + random.exponential(1, n), 2),
            "sex": np.where(random.uniform(size=n) < 0.5, "f", "m"),
            "smoker": smoker.tolist(),
        },
        strict=False,
    ).with_columns(pl.col("bmi", "glucose").fill_nan(None))


def whole(frame: pl.DataFrame | None = None, **how: Any) -> dc.Study:
    """Open a study with a copy of the whole table."""
    return dc.open(cohort() if frame is None else frame, **{"study": "s"} | how)


PLOTS: dict[str, Callable[[dc.Study], Any]] = {
    "histogram": lambda s: s.histogram("bmi"),
    "histogram by": lambda s: s.histogram("bmi", by="smoker", bins=7),
    "histogram between limits": lambda s: s.histogram("age", limits={"age": (40, 60)}),
    "correlations": lambda s: s.correlations(),
    "density by": lambda s: s.density("glucose", by="sex"),
    "violin by": lambda s: s.violin("glucose", by="sex"),
    "ecdf by": lambda s: s.ecdf("bmi", by="smoker"),
    "scatter": lambda s: s.scatter("age", "glucose", by="sex", trend=True),
    "heat map": lambda s: s.heatmap("age", "bmi", grid=9),
    "heat map by": lambda s: s.heatmap("glucose", "bmi", by="smoker"),
    "contour": lambda s: s.contour("age", "bmi"),
    "box": lambda s: s.box("age", "bmi", "glucose"),
    "box by": lambda s: s.box("bmi", by="sex"),
    "bars": lambda s: s.bars("smoker"),
    "bars by": lambda s: s.bars("smoker", by="sex"),
    "cross-table": lambda s: s.crosstab("smoker", "sex"),
    "parallel coordinates": lambda s: s.parallel(["bmi", "sex", "age", "glucose"]),
    "another order": lambda s: s.parallel(["glucose", "bmi", "sex"], pixels=200),
    "residuals": lambda s: s.residuals("glucose ~ age + bmi + smoker"),
    "qq": lambda s: s.qq("bmi ~ sex"),
    "leverage": lambda s: s.leverage("bmi ~ age"),
}


@pytest.fixture(scope="module")
def study() -> dc.Study:
    return opened_once("a copy of the whole table", whole)


@pytest.mark.parametrize("name", PLOTS)
def test_every_plot_is_drawn_and_released_beside_all_others(study: dc.Study, name: str) -> None:
    view = PLOTS[name](study)
    assert view.method == "whole"
    assert view.parameters["k"] == 5
    assert view.parameters["m"] == 20
    assert view.origin.version == study.session.whole.copy.version
    assert "from the protected copy" in view.describe()
    assert type(view).from_json(view.to_json()) == view
    view.scene()


@pytest.mark.slow
def test_what_was_drawn_is_recorded_with_all_columns_it_rests_on(tmp_path: Path) -> None:
    study = whole(study="recorded")
    study.residuals("glucose ~ age + sex").save(tmp_path / "a.svg")
    (entry,) = study.session.register.history("recorded")
    assert set(entry["columns"]) == {"glucose", "age", "sex"}
    assert entry["method"] == "whole"


def test_a_plot_says_how_it_was_made_and_in_full_where_it_is_described(study: dc.Study) -> None:
    for view in (study.histogram("bmi"), study.bars("smoker"), study.bars("smoker", by="sex")):
        assert any(it.endswith(view.note()) for it in view.scene().notes)
        assert "protected rows are drawn anew; with few distinct" in view.describe()


def test_the_copy_leaves_out_what_identifies_and_says_so(study: dc.Study) -> None:
    copy = study.session.whole.copy
    assert set(copy.columns) == {"age", "bmi", "glucose"}
    assert set(copy.strata) == {"sex", "smoker"}
    (said,) = copy.remarks
    assert said == ("not in the protected copy: patient (nearly unique), visit (numbers the rows)")


REFUSED: dict[str, tuple[Callable[[dc.Study], Any], type[Exception], str]] = {
    "a column that numbers the rows": (
        lambda s: s.scatter("visit", "age"),
        RefusedError,
        r"column 'visit' is not in the protected copy: .*visit \(numbers the rows\)",
    ),
    "a name": (lambda s: s.bars("patient"), RefusedError, "column 'patient' identifies people"),
    "another k": (
        lambda s: s.histogram("age", k=7),  # type: ignore[call-arg]
        InputError,
        "unknown setting 'k' here",
    ),
    "levels as numbers": (lambda s: s.histogram("sex"), InputError, "'sex' is categorical"),
    "ends of points": (
        lambda s: s.scatter("age", "bmi", limits={"age": (0, 99)}),
        InputError,
        "a scatter plot of the copy does not use limits=",
    ),
    "limits and edges": (
        lambda s: s.histogram("age", limits={"age": (0, 99)}, edges={"age": [0, 50]}),
        InputError,
        "a column has limits or edges, not both",
    ),
    "one correlation": (lambda s: s.correlations(["age"]), InputError, "a list of 2 to 20 columns"),
}


def test_what_cannot_be_drawn_is_refused_in_words(study: dc.Study) -> None:
    for call, error, says in REFUSED.values():
        with pytest.raises(error, match=says):
            call(study)


def test_m_is_at_least_k() -> None:
    with pytest.raises(InputError, match="m must be at least k"):
        dc.Policy.preset("standard", k=5, m=4)
    assert dc.Policy.preset("standard", k=5, m=5).members == 5


def test_the_order_of_rows_and_columns_changes_no_copy() -> None:
    raw = cohort()
    turned = raw.sample(fraction=1.0, shuffle=True, seed=3).select(sorted(raw.columns))
    one, other = (whole(frame).session.whole.copy for frame in (raw, turned))
    assert one.version == other.version
    for name in one.columns:
        np.testing.assert_array_equal(one.columns[name], other.columns[name])
    assert one.strata == other.strata


@pytest.mark.parametrize(
    ("m", "versions", "most"), [(None, 4, 4), (20, 9, 4), (19, 4, 1), (5, 4, 1), (40, 2, 2)]
)
def test_copies_add_up_so_versions_are_few(m: int | None, versions: int, most: int) -> None:
    policy = dc.Policy.preset("standard", m=m, versions=versions)
    assert whole(policy=policy).session.release_gate.most_copies == most


def test_a_second_version_is_refused_where_groups_are_of_k_alone() -> None:
    policy = dc.Policy.preset("standard", m=5)
    whole(policy=policy, study="once").histogram("age").to_json()
    other = cohort().with_columns(age=pl.col("age") + 1 + (pl.col("visit") % 2) * 3)
    with pytest.raises(LeavingError, match="no more copies of these people may be released"):
        dc.Protected(whole(other, policy=policy, study="once")).new_version()


def test_all_rows_of_a_person_take_part_or_none() -> None:
    raw = cohort().with_columns(person=pl.Series([f"N{i // 2}" for i in range(N)]))
    study = whole(raw, unit="person")
    session: Session = study.session
    read, made = session.made_whole()
    assert read.persons is not None
    assert not {*read.persons[made.takes_part]} & {*read.persons[~made.takes_part]}
    assert 0.1 * N < (~made.takes_part).sum() < 0.2 * N
    study.scatter("age", "bmi").to_json()


def test_the_whole_copy_is_released_with_its_report(tmp_path: Path) -> None:
    study = whole(study="released")
    release = study.anonymize(formula="glucose ~ age + sex")
    release.save(tmp_path / "a.csv", tmp_path / "a.json")
    copy = study.session.whole.copy
    frame = release.frame
    assert frame.columns == ["age", "bmi", "glucose", "sex", "smoker"]
    assert frame["bmi"].null_count() == np.isnan(copy.columns["bmi"]).sum()
    assert frame["smoker"].null_count() == copy.strata["smoker"].count("")
    linked = release.report.measured.risks["linkage"]
    assert linked.share < 1 / 5
    assert release.report.made["m"] == 20
    kinds = [entry["kind"] for entry in study.session.register.history("released")]
    assert kinds == ["table", "report"]


def test_some_columns_of_the_copy_are_those_of_all(study: dc.Study) -> None:
    few, every = study.anonymize(["age", "sex"]).frame, study.anonymize(drop=["bmi"]).frame
    assert few.columns == ["age", "sex"]
    assert every.columns == ["age", "glucose", "sex", "smoker"]
    assert few.equals(every.select("age", "sex"))


def test_a_released_table_is_refused_in_words(study: dc.Study) -> None:
    asked: tuple[tuple[dict[str, Any], type[Exception], str], ...] = (
        ({"columns": ["visit"]}, RefusedError, "not in the protected copy"),
        ({"columns": "age"}, InputError, "columns must be a list"),
        ({"drop": ["bmx"]}, InputError, "no column 'bmx'"),
        ({"k": 9}, InputError, "unknown setting 'k' here"),
        ({"risk_below": 0.0001}, RefusedError, "not below risk_below"),
        ({"drop": ["age", "bmi", "glucose", "sex", "smoker"]}, InputError, "at least one column"),
    )
    for given, error, says in asked:
        with pytest.raises(error, match=says):
            study.anonymize(**given)


def test_how_near_the_copy_is_stands_in_every_note_and_is_kept_with_it(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('preset = "standard"\n')
    raw = cohort()
    study = dc.open(raw, policy=tmp_path / "p.toml", study="s")
    found = study.fidelity()
    found.save(tmp_path / "near.json")
    assert f"the copy: {found.said}" in study.scatter("age", "bmi").notes()
    assert not found.exact
    (kept,) = (tmp_path / ".discreet").glob("whole-*.json")
    assert kept.stem.endswith(study.session.whole.copy.version)
    again = dc.open(raw, policy=tmp_path / "p.toml", study="s").fidelity()
    assert again == found
    (entry,) = study.session.register.history("s")
    assert (entry["kind"], entry["form"]) == ("fidelity", "json")


@pytest.mark.slow
def test_exact_figures_name_what_is_farthest_and_are_never_released(tmp_path: Path) -> None:
    raw = cohort()
    study = dc.open(raw, study="s")
    found = study.fidelity(exact=True)

    assert found.exact
    (age,) = [it for it in found.moments if it.name == "age"]
    assert age.mean == pytest.approx(raw["age"].to_numpy().mean())
    assert age.of_copy == pytest.approx(study.session.whole.copy.columns["age"].mean())
    said = [it for it in str(found).splitlines() if it.startswith("- ")]
    assert said[0].startswith("- farthest numbers: ")
    assert {it.name for it in found.beside} <= {it.name for it in found.columns}
    assert "Raw beside copy" in found._repr_html_()
    for leave in (
        found.to_json,
        found.to_html,
        lambda: found.save(tmp_path / "near.svg"),
        lambda: found.plot().savefig(tmp_path / "near.png"),
    ):
        with pytest.raises(LeavingError, match=r"exact figures.* never released"):
            leave()
    with pytest.raises(LeavingError, match="never released"):
        pickle.dumps(found)
    assert not [*tmp_path.iterdir()]
    assert not study.fidelity().beside


@pytest.mark.parametrize("how", [{"sensitive": "sex"}, {"diversity": 3}])
def test_rows_of_the_copy_are_nobodys_so_no_cluster_needs_diversity(
    study: dc.Study, how: dict[str, Any]
) -> None:
    with pytest.raises(InputError, match="is for clusters of people, and rows of the copy belong"):
        study.parallel(["age", "sex"], **how)


@pytest.mark.slow
def test_a_frame_that_is_changed_under_an_open_study_is_counted_as_it_was() -> None:
    frame = cohort().to_pandas()
    study = whole(frame, study="changing")
    before = [study.histogram("age").to_json(), study.scatter("age", "bmi").to_json()]
    frame.loc[0, "age"] = 20.0
    assert [study.histogram("age").to_json(), study.scatter("age", "bmi").to_json()] == before
    with pytest.raises(LeavingError, match="have changed since a release"):
        whole(frame, study="changing").histogram("age").to_json()


# --- the default ----------------------------------------------------------------------------------


def test_columns_that_cannot_be_read_do_not_hold_up_the_others() -> None:
    mixed = pd.DataFrame({"x": np.arange(200) % 50, "w": [1.5, b"bird"] * 100})
    study = dc.open(mixed, study="mixed")
    study.histogram("x").to_json()
    assert study.anonymize().frame.columns.tolist() == ["x"]
    with pytest.raises(RefusedError, match=r"not in the protected copy: w \(cannot be read\)"):
        study.bars("w")


def test_a_table_of_which_nothing_can_be_shown_is_refused_in_words() -> None:
    study = dc.open(pd.DataFrame({"a": range(200), "b": range(200)}), study="counters")
    with pytest.raises(RefusedError, match="no column of this table can be in a protected copy"):
        study.scatter("a", "b")
    with pytest.raises(RefusedError, match=r"say what they are \(roles=, kinds=\)"):
        study.histogram("a")


def test_cells_are_as_many_as_rows_allow_and_no_more_than_usual() -> None:
    cells = {40: 5, 130: 5, 180: 6, 440: 9, 4_499: 29, 4_500: 30, 9_999: 30}
    assert {rows: usual_grid(rows) for rows in cells} == cells


CODED = {"ward": [1, 2, 3], "one of many": list(range(1, 31))}


@pytest.mark.parametrize("codes", CODED.values(), ids=CODED)
def test_codes_are_levels_where_a_plot_takes_levels(codes: list[int]) -> None:
    random = np.random.default_rng(3)
    raw = cohort().with_columns(code=pl.Series(random.choice(codes, len(cohort()))))
    study = dc.open(raw, study="codes")
    by = study.scatter("age", "bmi", by="code")
    names = {str(it) for it in codes}
    assert set(by.level) <= names
    assert set(study.bars("code").levels) <= names
    assert study.crosstab("code", "sex").method == "whole"
    before = study.histogram("code")  # a column of numbers it stays
    for view in (by, before, study.box("age", by="code")):
        view.to_json()  # none is refused because of another


@pytest.mark.slow
def test_other_kinds_of_columns_are_another_copy() -> None:
    raw = cohort()
    dc.open(raw, study="kinds").scatter("age", "bmi").to_json()
    other = dc.open(raw, study="kinds", kinds={"smoker": "categorical", "age": "categorical"})
    says = (
        r"the kind of 'age' must be the same as in .*use what that release used: kinds=\{'age': "
        r"'cont"
    )
    with pytest.raises(LeavingError, match=says):
        other.bars("sex").to_json()
