"""A study that is a file: what is made of it is what the custodian makes of the same copy."""

from __future__ import annotations

import pickle
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.explore.board import board_rows
from discreet.plots import View
from discreet.render.scene import scene_to_plain
from discreet.study_file import Draft, StudyFile, open_study_file, write_study_file
from discreet.study_file.signing import draw_key
from tests.cases import slow
from tests.custodian.test_dates_of_whole import stays
from tests.custodian.test_whole import cohort
from tests.custodian.test_whose_rows import visits
from tests.ready import opened_once

OLD = "age >= 45 and sex == 'f'"
CALLS: dict[str, Callable[[dc.Study], Any]] = {
    "histogram": lambda s: s.histogram("bmi"),
    "histogram by": lambda s: s.histogram("bmi", by="smoker", bins=7),
    "correlations": lambda s: s.correlations(),
    "ecdf by two": lambda s: s.ecdf("bmi", by=("smoker", "sex")),
    "scatter": lambda s: s.scatter("age", "glucose", by="sex", trend=True),
    "contour": lambda s: s.contour("age", "bmi"),
    "box by two": lambda s: s.box("bmi", by=("sex", "smoker")),
    "bars by": lambda s: s.bars("smoker", by="sex", percent=True),
    "cross-table": lambda s: s.crosstab("smoker", "sex"),
    "survival": lambda s: s.survival("age", "smoker", event_is="yes", by="sex"),
    "parallel coordinates": lambda s: s.parallel(["bmi", "sex", "age", "glucose"]),
    "residuals": lambda s: s.residuals("glucose ~ age + bmi + smoker"),
    "an overview": lambda s: s.plot(),
    "a part": lambda s: s.where(OLD).histogram("bmi", by="smoker"),
    "a part with a new column": lambda s: (
        s.assign(r="glucose / bmi").where(OLD).scatter("r", "age")
    ),
    "a column that the policy derives": lambda s: s.histogram("log_bmi", by="sex"),
    "a moment": lambda s: s.histogram("seen"),
    "days between": lambda s: s.assign(days="end - start").box("days", by="ward"),
    "yes and no": lambda s: s.where("smoker == 'True'").bars("ward"),
    "summary": lambda s: s.summary(),
    "summary by": lambda s: s.summary(["age", "bmi"], by="sex", weights="glucose"),
    "means": lambda s: s.means("bmi", ["sex", "smoker"]),
    "linear model": lambda s: s.model("glucose ~ age + bmi + C(sex)"),
    "logistic model": lambda s: s.model("smoker ~ age + sex", family="logistic"),
    "Cox model": lambda s: s.model("survival(age, smoker) ~ sex", family="cox"),
    "columns": lambda s: [it for it in s.columns.figures if it.in_copy],
    "persons": lambda s: s.summary(by="sex"),
    "model by people": lambda s: s.model("weight ~ year + sex"),
}
OF = dict.fromkeys(("a moment", "days between", "yes and no"), "stays") | dict.fromkeys(
    ("persons", "model by people"), "visits"
)
WARNS = re.compile(r"not reliable|rough|not drawn(?=, with fewer)")
FAST = (
    *("histogram by", "scatter", "survival", "a part with a new column", "a moment", "yes and no"),
    *("summary", "means", "linear model", "columns", "persons"),
)


def opened(name: str) -> dc.Study:
    """Open one of the tables as its custodian does."""
    if name == "stays":
        return dc.open(pl.DataFrame(stays()), study="stays", unit=False)
    if name == "visits":
        return dc.open(pa.table(visits("texts")), study="visits", unit="patient_id")
    policy = dc.Policy.preset(
        "standard",
        derive={"log_bmi": "log(bmi)", "g": "glucose * 2", "of_lab": "lab * 2"},
        labels={"bmi": "Body mass index (kg/m²)", "log_bmi": "Logarithm"},
        ordered={"smoker": ["yes", "no", "unknown"]},
        tables=[["sex", "smoker"]],
        withhold=["lab"],
        limits={"age": [20, 90]},
    )
    lab = (pl.col("age") + pl.col("glucose").fill_null(5)).alias("lab")
    return dc.open(cohort().with_columns(lab), policy, study="cohort")


def pair(name: str, folder: Path) -> tuple[dc.Study, dc.Study]:
    """Return the custodian's study of a table, and the one that is a file; made once for all."""

    def made() -> tuple[dc.Study, dc.Study]:
        study = opened(name)
        return study, dc.open(dc.Protected(study).publish(folder / f"{name}.discreet"))

    return opened_once(f"pair {name}", made)


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    return lambda name: pair(name, tmp_path_factory.mktemp(name))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=slow(name not in FAST)) for name in CALLS]
)
def test_file_answers_as_the_custodian_does(studies: Callable[[str], Any], name: str) -> None:
    call, (study, of_file) = CALLS[name], studies(OF.get(name, "cohort"))
    expected, found = call(study), call(of_file)
    assert type(found) is type(expected)
    assert found == expected
    if isinstance(expected, View):
        assert found.describe() == expected.describe()
        assert scene_to_plain(found.scene()) == scene_to_plain(expected.scene())


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=slow(name not in FAST)) for name in CALLS if name != "columns"],
)
def test_below_a_figure_are_two_lines_and_what_warns_is_first(
    studies: Callable[[str], Any], name: str
) -> None:
    made = CALLS[name](studies(OF.get(name, "cohort"))[1])
    if isinstance(made, View):
        notes, figure = made.scene().notes, made.plot()
        texts = [it for it in figure.texts if it.get_text().strip()]
        lines = [it.get_text().strip() for it in texts]
        assert all(it.get_window_extent().x1 <= figure.bbox.x1 for it in texts)
    else:
        notes = tuple(it for it in made.notes if not it.startswith("not reliable"))  # it is above
        lines = [it for it in made.to_text().splitlines() if it.startswith("- ")]
        assert made.to_text().splitlines()[-len(lines) :] == lines
    assert len(lines) <= 2
    assert not any("\n" in it or "…" in it for it in lines)
    assert "(k = 5, m = 20" in lines[-1]
    warned = [it for it in notes if WARNS.match(it)]
    found = re.findall("not reliable|rough|not drawn", lines[0])
    assert found == [it[0] for it in map(WARNS.match, warned) if it]
    assert lines[0].removeprefix("- ").startswith((*found, "")[0])


def test_rest_of_a_study_is_that_of_the_custodian(studies: Callable[[str], Any]) -> None:
    study, of_file = studies("cohort")
    assert of_file.is_file
    assert not study.is_file
    assert of_file.fidelity() == study.fidelity()
    assert of_file.axis_order(["bmi", "age", "sex"]) == study.axis_order(["bmi", "age", "sex"])
    assert (of_file.policy.k, of_file.policy.members) == (study.policy.k, study.policy.members)
    assert repr(of_file).startswith("Study('cohort', policy 'standard', k = 5; ")
    assert "5 columns of the copy" in repr(of_file)
    part = of_file.where(OLD)
    assert part.is_file
    assert repr(part).endswith(f"; where {OLD})")


def test_board_of_a_file_has_the_same_rows(studies: Callable[[str], Any], tmp_path: Path) -> None:
    study, of_file = studies("cohort")
    board, expected = of_file.board(), study.board()
    assert (board.rows, board.columns, board.title) == (
        expected.rows,
        expected.columns,
        expected.title,
    )
    of = board_rows(of_file._copy), board_rows(study._copy)
    assert of[0].data == of[1].data
    assert board.save(tmp_path / "board.html").stat().st_size > len(of[0].data)


def test_figure_of_a_file_is_not_one_that_was_made_beside_the_data(
    studies: Callable[[str], Any], tmp_path: Path
) -> None:
    """Whoever has the file could have made it, and changed it before they sealed it."""
    study, of_file = studies("cohort")
    path = of_file.histogram("bmi", by="sex").save(tmp_path / "a.svg")
    found = study.verify(path)
    assert (found.verdict, dict(found.checks)) == ("elsewhere", {"seal": "failed"})
    assert "made from a study file, which anybody who has one can do" in found.says
    own = study.histogram("bmi", by="sex").save(tmp_path / "b.svg")
    assert study.verify(own).verdict == "as made"


REFUSED: dict[str, Callable[[dc.Study], Any]] = {
    "the session": lambda s: s.session,
    "a table with its report": lambda s: s.anonymize(),
    "a file of it": lambda s: dc.Protected(s).publish("again.discreet"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_the_data_is_refused_in_words(
    studies: Callable[[str], Any], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RefusedError, match="is a file, which contains protected rows but no data"):
        REFUSED[name](studies("cohort")[1])
    assert not [*tmp_path.iterdir()]


def test_part_of_a_file_is_not_published(studies: Callable[[str], Any]) -> None:
    with pytest.raises(RefusedError, match="where and assign apply to the copy; protect"):
        dc.Protected(studies("cohort")[1].where(OLD))


def test_exact_figures_and_columns_that_are_not_there_are_refused(
    studies: Callable[[str], Any],
) -> None:
    _, of_file = studies("cohort")
    with pytest.raises(RefusedError, match="a study file has none"):
        of_file.fidelity(exact=True)
    with pytest.raises(InputError, match="no column 'patient'"):
        of_file.bars("patient")
    with pytest.raises(InputError, match="did you mean 'glucose'"):
        of_file.histogram("glucos")
    for name in ("lab", "of_lab"):
        with pytest.raises(RefusedError, match=f"'{name}' is withheld"):
            of_file.histogram(name)
    assert "lab" not in of_file._session.file.names
    with pytest.raises(InputError, match="there is a column 'sex'"):
        of_file.assign(sex="age")
    with pytest.raises(RefusedError, match="cannot be pickled"):
        pickle.dumps(of_file)
    with pytest.raises(InputError, match="already says what its study is"):
        dc.open(of_file._session.file.path, study="other")
    with pytest.raises(InputError, match=r"a study file holds protected rows.* discreet\.open"):
        dc.research(of_file._session.file.path)


def test_file_that_was_closed_says_so(studies: Callable[[str], Any]) -> None:
    path = studies("cohort")[1]._session.file.path
    again = dc.open(path)
    again.close()
    with pytest.raises(InputError, match="was closed; open it again"):
        again.histogram("age")
    dc.open(cohort(), study="cohort").close()


@pytest.mark.slow
def test_nothing_but_the_file_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Source, policy, secret, state and copy are gone before the file is opened."""
    home = tmp_path / "custodian"
    home.mkdir()
    for name in ("DISCREET_STATE", "DISCREET_CONFIG"):
        monkeypatch.setenv(name, str(home / name))
    cohort().write_csv(home / "cohort.csv")
    (home / "policy.toml").write_text('study = "cohort"\nk = 4\n')
    study = dc.open(home / "cohort.csv", home / "policy.toml")
    sent = tmp_path / "sent"
    sent.mkdir()
    dc.Protected(study).publish(home / "cohort.discreet").rename(sent / "cohort.discreet")
    expected = study.scatter("age", "bmi", by="sex"), study.summary(by="smoker")
    del study
    shutil.rmtree(home)
    for name in ("DISCREET_STATE", "DISCREET_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path / "analyst" / name))
    of_file = dc.open(sent / "cohort.discreet")

    assert (of_file.scatter("age", "bmi", by="sex"), of_file.summary(by="smoker")) == expected
    of_file.scatter("age", "bmi").save(sent / "a.svg")
    of_file.board().save(sent / "board.html")
    seen = {it.relative_to(tmp_path).parts[:2] for it in tmp_path.rglob("*") if it.is_file()}
    assert seen == {
        ("analyst", "DISCREET_STATE"),  # who signed it
        *(("sent", name) for name in ("cohort.discreet", "a.svg", "board.html")),
    }
    assert not [*tmp_path.rglob("*.secret"), *tmp_path.rglob("*.sqlite")]


def test_file_of_another_signer_is_refused(tmp_path: Path) -> None:
    study = dc.open(cohort(), study="signed")
    dc.open(dc.Protected(study).publish(tmp_path / "a.discreet")).close()
    draft_key = draw_key()
    with open_study_file(tmp_path / "a.discreet") as file:
        manifest, rows = file.manifest, file.columns(file.names)
    draft = Draft(
        *("signed", "2"), manifest.columns, k=5, m=20, persons=400, policy=manifest.policy
    )
    write_study_file(tmp_path / "b.discreet", draft, [rows], draft_key)
    with pytest.raises(InputError, match="was signed by"):
        dc.open(tmp_path / "b.discreet")


def policies() -> dict[str, Any]:
    return {
        "a field of no policy": {"home": 1},
        "a field that no file has": {"roles": {"age": "sensitive"}},
        "another k": {"k": 4},
        "limits the wrong way": {"limits": {"age": [2, 1]}},
        "derive of a mapping": {"derive": {"x": "age + 1"}},
        "ordered of a number": {"ordered": {"sex": 1}},
        "a regime": {"regime": "research"},
    }


@pytest.mark.parametrize("name", policies())
def test_policy_that_no_custodian_writes_is_refused(
    studies: Callable[[str], Any], tmp_path: Path, name: str
) -> None:
    file = studies("cohort")[1]._session.file
    changed = replace(draft_of(file), study=name, policy=policies()[name])
    write_study_file(tmp_path / "a.discreet", changed, file.batches(), draw_key())
    with pytest.raises(InputError, match="the policy in the study file is not valid"):
        dc.open(tmp_path / "a.discreet")


NEARNESS: dict[str, Any] = {
    "a number": {"discreet": 1, "kind": "fidelity", "word": "near", "rows": 3},
    "texts for numbers": {
        **{"discreet": 1, "kind": "fidelity", "word": "near", "rows": "x", "largest": "y"},
        **{"columns": [], "pairs": [], "correlations": None, "coefficients": None, "subsets": []},
        "exact": False,
    },
}


@pytest.mark.parametrize("name", NEARNESS)
def test_nearness_that_cannot_be_read_is_refused(
    studies: Callable[[str], Any], tmp_path: Path, name: str
) -> None:
    file = studies("cohort")[1]._session.file
    changed = replace(draft_of(file), study=f"near {name}", nearness=NEARNESS[name])
    write_study_file(tmp_path / "a.discreet", changed, file.batches(), draw_key())
    with pytest.raises(InputError, match="how near its copy is cannot be read"):
        dc.open(tmp_path / "a.discreet").histogram("age")


def test_file_without_nearness_and_copies_says_what_it_does_not_know(
    studies: Callable[[str], Any], tmp_path: Path
) -> None:
    file = studies("cohort")[1]._session.file
    changed = replace(draft_of(file), study="bare", nearness=None, again=(), again_of=0)
    write_study_file(tmp_path / "a.discreet", changed, file.batches(), draw_key())
    of_file = dc.open(tmp_path / "a.discreet")
    means = of_file.means("bmi", "sex")
    assert any("with so few rows the copy's own error is not known" in it for it in means.notes)
    assert "intervals: for sampling error alone" in means.to_text()
    with pytest.raises(RefusedError, match="does not say how near its copy is"):
        of_file.fidelity()
    of_file.histogram("age", by="sex").describe()


MARKUP = "<script>alert('x')</script><img src=x onerror=alert(1)>"


def test_words_of_a_stranger_are_no_markup(studies: Callable[[str], Any], tmp_path: Path) -> None:
    file = studies("cohort")[1]._session.file
    rows = file.columns(file.names).to_pydict()
    rows["sex"] = [MARKUP if it == "f" else it for it in rows["sex"]]
    columns = [
        replace(it, label=f"{it.name} {MARKUP}", unit=MARKUP, remarks=(MARKUP,))
        if it.kind == "continuous"
        else replace(it, levels=(*it.levels, MARKUP))
        for it in file.manifest.columns
    ]
    policy = {"name": MARKUP, "derive": [["new", "age + 1"]], "labels": {"new": MARKUP}}
    draft = replace(draft_of(file), study=MARKUP, columns=tuple(columns), remarks=(MARKUP,))
    draft = replace(draft, policy=policy, again=(), again_of=0)
    write_study_file(tmp_path / "a.discreet", draft, [pa.table(rows)], draw_key())
    of_file = dc.open(tmp_path / "a.discreet")
    for made in (
        of_file.histogram("new", by="sex").save(tmp_path / "a.html"),
        of_file.bars("sex").save(tmp_path / "b.html"),
        of_file.scatter("age", "bmi", by="sex").save(tmp_path / "c.svg"),
        of_file.summary(by="sex").save(tmp_path / "d.html"),
        of_file.fidelity().save(tmp_path / "e.html"),
        of_file.board().save(tmp_path / "f.html"),
    ):
        text = made.read_text()
        assert "alert" in text or made.name == "e.html"
        assert "<script>alert" not in text
        assert "<img src=x" not in text
    assert "<script>alert" not in of_file.columns._repr_html_()


def draft_of(file: StudyFile) -> Draft:
    it = file.manifest
    return Draft(
        study=it.study,
        version=it.version,
        columns=it.columns,
        k=it.k,
        m=it.m,
        persons=it.persons,
        policy=it.policy,
        nearness=file.nearness(),
        again=file.again(),
        again_of=it.again_of,
        person_column=it.person_column,
        remarks=it.remarks,
    )


def test_rows_are_a_frame_and_a_file(studies: Callable[[str], Any], tmp_path: Path) -> None:
    """Numbers are numbers, dates dates, levels texts; a spreadsheet runs none of them."""
    study, of_file = studies("stays")
    frame = of_file.rows()
    assert [*frame.columns] == [*of_file.columns]
    written = {it: pl.read_csv if it == "csv" else pl.read_parquet for it in ("csv", "parquet")}
    for suffix, read in written.items():
        path = of_file.where("smoker == 'True'").rows(tmp_path / f"rows.{suffix}")
        assert len(read(path)) == len(of_file.where("smoker == 'True'")._copy.whole)
    assert pl.read_parquet(path)["start"].dtype == pl.Date
    with pytest.raises(InputError, match="a table of rows is saved as one of"):
        of_file.rows(tmp_path / "rows.xlsx")
    with pytest.raises(RefusedError, match=r"of data, study\.anonymize"):
        study.rows()


def test_rows_that_stay_on_a_server_are_not_written(tmp_path: Path) -> None:
    policy = dc.Policy.preset("standard", copy="served")
    protected = dc.protect(dc.datasets.diabetes(), policy, study="served", unit=False)
    with pytest.raises(RefusedError, match="the policy keeps the copy on a server"):
        dc.open(protected.publish(tmp_path / "served.discreet")).rows(tmp_path / "rows.csv")
    assert not (tmp_path / "rows.csv").exists()
