"""Several studies as one: whose rows they are, how columns fit, and what is refused."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

import discreet as dc
from discreet.errors import InputError, RefusedError
from discreet.explore.harmony import Found, Harmony, Mapped, propose, read_map
from discreet.explore.pooled import PERSON, open_pooled
from discreet.explore.pooled_answers import combined
from discreet.render.scene import subtitle_of
from tests.ready import opened_once

SIZES = {"north": 400, "south": 600, "west": 300}
SHIFTS = {"north": 0.0, "south": 1.0, "west": 2.0}
Files = Mapping[str, Path]


def rows(site: str) -> pd.DataFrame:
    """A study: the south asks who smokes, people of the west come twice, the east has pounds."""
    n = SIZES.get(site, 250)
    draw = np.random.default_rng(n)
    age, sex = draw.integers(20, 80, n), draw.choice(["f", "m"], n)
    bmi = (22 + 0.05 * age + (sex == "m") + SHIFTS.get(site, 0) + draw.normal(0, 3, n)).round(1)
    frame = pd.DataFrame({"age": age, "bmi": bmi, "sex": sex})
    frame["died"] = np.where(draw.random(n) < 1 / (1 + np.exp(3 - 0.04 * age)), "yes", "no")
    if site == "south":
        frame["smoker"] = draw.choice(["no", "yes"], n)
    if site == "west":
        frame = pd.concat([frame, frame.assign(age=frame.age + 1)], ignore_index=True)
        frame.insert(0, "id", [*range(n), *range(n)])
    if site == "east":
        frame = frame.rename(columns={"age": "AGE", "sex": "gender"})
        frame["gender"] = np.where(frame.gender == "f", "F", "M")
    return frame


def published(site: str) -> Path:
    """Return the file of a study."""
    return saved(site, rows(site), unit="id" if site == "west" else False)


def saved(name: str, frame: pd.DataFrame, **said: Any) -> Path:
    """Return a study file of a table, of a custodian of its own; made once for all tests."""

    def make() -> Path:
        path = Path(os.environ["DISCREET_STATE"]).parent / f"{name}.discreet"
        dc.protect(frame, study=name, **{"unit": False, **said}).publish(path)
        return path

    return opened_once(("of several studies", name), make)


@pytest.fixture
def files() -> Files:
    return {site: published(site) for site in SIZES}


@pytest.fixture
def pooled(files: Files) -> dc.Study:
    return dc.open([*files.values()])


def number(value: Any) -> float:
    return float(value)


def lines(table: Any) -> dict[str, tuple[str, ...]]:
    return {it.name: it.cells for it in table.lines}


# --- rows -----------------------------------------------------------------------------------------


def test_rows_are_those_of_the_files_with_the_name_of_their_study(
    files: Files, pooled: dc.Study
) -> None:
    of_all = lines(pooled.means("bmi", "study"))
    for site, path in files.items():
        own = lines(dc.open(path).means("bmi", "sex"))["all"]
        assert of_all[site][:2] == own[:2]
    assert next(iter(pooled.columns)) == "study"
    assert pooled.columns["study"].levels == (*SIZES,)


def test_names_of_studies_are_those_of_a_mapping(files: Files) -> None:
    named = dc.open({"B": files["south"], "A": files["north"]})
    assert named.columns["study"].levels == ("B", "A")


def test_what_only_some_studies_have_is_missing_in_the_others(pooled: dc.Study) -> None:
    sizes = pooled.bars("study").tidy()
    counts = dict(zip(sizes[0][1], sizes[1][1], strict=True))
    drawn = pooled.bars("smoker")
    assert drawn.levels == ("no", "yes", "(missing)")
    assert sum(drawn.counts[:2]) == counts["south"]
    assert drawn.counts[2] == counts["north"] + counts["west"]
    assert any(it == "smoker is in 1 of 3 studies" for it in drawn.notes())


@pytest.mark.slow
def test_codes_of_one_study_are_numbers_where_another_has_numbers() -> None:
    """Two doses are levels in a study that has no third one, and numbers in another."""
    two = saved("two doses", rows("north").assign(dose=[10, 20] * 200))
    three = saved("three doses", rows("south").assign(dose=[10, 20, 30] * 200))
    study = dc.open([two, three])
    assert study.columns["dose"].kind == "whole number"
    assert lines(study.means("dose", "study"))["two doses"][1].startswith("15.")


def test_every_figure_says_how_many_studies_it_is_of(pooled: dc.Study) -> None:
    for figure in (pooled.bars("sex"), pooled.where("age > 30").histogram("bmi")):
        assert "3 studies together: north, south, west" in figure.notes()
    assert "3 studies ·" in pooled.means("bmi", "sex").to_text()


def test_people_of_two_studies_are_two(pooled: dc.Study) -> None:
    """Only the west has several rows of a person; whoever else has one row is one."""
    whole = pooled._copy.session.whole
    persons, study = whole.persons, np.array(whole.copy.strata["study"])
    assert persons is not None
    of = {site: {*persons[study == site].tolist()} for site in SIZES}
    assert sum(map(len, of.values())) == len(set.union(*of.values()))
    assert len(of["north"]) == (study == "north").sum()
    assert len(of["west"]) < (study == "west").sum()
    assert PERSON not in pooled.columns


def test_pooled_figures_have_the_own_error_of_all_copies(files: Files, pooled: dc.Study) -> None:
    """Copies of the copy of all studies stand first, in proportion to their rows."""
    session = pooled._copy.session
    first, *again = session.copies_of_copy
    shares = [
        {site: (np.array(it.copy.strata["study"]) == site).mean() for site in SIZES}
        for it in (session.whole, first, *again)
    ]
    assert len(again) == 5
    for it in shares[1:]:
        assert it == pytest.approx(shares[0], abs=0.05)


def test_a_saved_figure_is_recognised(pooled: dc.Study, tmp_path: Path) -> None:
    path = pooled.histogram("bmi", by="study").save(tmp_path / "figure.json")
    assert pooled.verify(path).verdict == "as made"


def test_files_are_closed_together(files: Files) -> None:
    study = dc.open([*files.values()])
    study.close()
    with pytest.raises(InputError, match="closed"):
        study.histogram("age")


def test_the_python_of_the_page_runs(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for site in ("north", "south"):
        shutil.copy(files[site], tmp_path / f"{site}.discreet")
    page = (Path(__file__).parents[2] / "docs" / "federated.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
    assert blocks
    for block in blocks:
        exec(block, {"dc": dc})


# --- what is refused ------------------------------------------------------------------------------


def test_versions_of_one_study_are_not_several(files: Files) -> None:
    with pytest.raises(InputError, match="several versions of one study are not several studies"):
        dc.open([files["north"], files["north"]])
    with pytest.raises(InputError, match="'a' and 'b' are files of one study, 'north'"):
        dc.open({"a": files["north"], "b": files["north"]})


def test_one_file_is_not_several(files: Files) -> None:
    with pytest.raises(InputError, match="name two study files or more"):
        open_pooled([files["north"]])


def test_settings_are_those_of_the_files(files: Files) -> None:
    with pytest.raises(InputError, match="without a policy or other settings"):
        dc.open([*files.values()], k=3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said", "message"),
    [
        (
            lambda it: it.assign(age=np.where(it.age > 50, "old", "young")),
            {},
            "column 'age' holds numbers in 'south' and levels in 'changed'; .*discreet harmonise",
        ),
        (
            lambda it: it,
            {"labels": {"bmi": "weight (lb)"}},
            "column 'bmi' is in kg in 'labelled' and lb in 'changed'; .*discreet harmonise",
        ),
    ],
)
def test_columns_of_another_kind_or_unit_do_not_fit(
    change: Callable[[pd.DataFrame], pd.DataFrame], said: dict[str, Any], message: str
) -> None:
    other = "labelled" if said else "south"
    first = saved("labelled", rows("north"), labels={"bmi": "weight (kg)"}) if said else None
    second = saved(f"changed {len(said)}", change(rows("west").drop(columns="id")[::2]), **said)
    with pytest.raises(InputError, match=message):
        dc.open({other: first or published("south"), "changed": second})


def test_a_column_study_has_another_name_first() -> None:
    frame = rows("north").assign(study=["a", "b"] * 200)
    with pytest.raises(InputError, match=r"has a column 'study'.*discreet harmonise"):
        dc.open([saved("of studies", frame), published("south")])


# --- a map of columns -----------------------------------------------------------------------------


def test_columns_are_proposed_by_names_levels_and_units() -> None:
    """Worked out by hand: what is alike is one, what is not decided is noted."""
    north = [
        Found("age", "number", unit="years"),
        Found("sex", "level", levels=("female", "male")),
        Found("weight", "number", "body weight (kg)", "kg"),
        Found("glucose", "number", unit="mmol/l"),
        Found("ward", "level", levels=("A", "B")),
        Found("visit", "date"),
        Found("exper", "number", "Years since school"),
    ]
    south = [
        Found("AGE", "number", unit="months"),
        Found("Sex", "level", levels=("F", "M")),
        Found("body weight", "number", unit="lb"),
        Found("glucosse", "number", unit="mg/dl"),
        Found("ward", "level", levels=("A", "C")),
        Found("visit", "level", levels=("first", "second")),
        Found("pulse", "number"),
        Found("exper", "number", "Years at work (of all)"),
    ]

    found = propose({"north": north, "south": south})

    assert {name: it.studies.get("south") for name, it in found.items()} == {
        "age": "AGE * 0.0833333333333",
        "sex": "case(Sex == 'F', 'female', Sex == 'M', 'male', '')",
        "weight": "`body weight` * 0.45359237",
        "glucose": "glucosse",
        "ward": "ward",
        "visit": "visit",
        "exper": "exper",
        "pulse": "pulse",
    }
    assert {name: it.notes for name, it in found.items() if it.notes} == {
        "glucose": ("south: its unit is mg/dl, that of the first study mmol/l",),
        "ward": ("south: no other study has its levels 'C'",),
        "visit": ("south: it holds levels, and the first study dates",),
        "exper": (
            "south: its label is 'Years at work', that of the first study 'Years since school'",
        ),
    }


def test_a_map_is_written_and_read_as_it_is(tmp_path: Path) -> None:
    columns = {
        "body mass": Mapped({"a b": "`body mass`", "c": "case(x == '\"', 1, 0)"}, "Größe", "kg"),
        "x": Mapped({"c": "x"}),
    }
    (tmp_path / "maps").mkdir()
    files = {"a b": tmp_path / "a.discreet", "c": tmp_path / "c.discreet"}
    path = Harmony(files, columns).save(tmp_path / "maps" / "both.toml")
    found = read_map(path)
    assert found.columns == columns
    assert {name: it.resolve() for name, it in found.files.items()} == files


@pytest.mark.slow
def test_studies_that_differ_are_one_by_a_map(tmp_path: Path) -> None:
    proposed = dc.harmonise([published("north"), published("east")])
    assert dict(proposed.columns["age"].studies) == {"north": "age", "east": "AGE"}
    path = tmp_path / "both.toml"
    proposed.save(path)
    text = path.read_text().replace('"gender"', "\"case(gender == 'F', 'f', 'm')\"")
    path.write_text(text.replace('east = "bmi"', 'east = "bmi * 10"'))

    study = dc.open(path)

    assert study.columns["sex"].levels == ("f", "m")
    of_east = lines(study.means("bmi", "study"))["east"]
    own = lines(dc.open(published("east")).assign(x="bmi * 10").means("x", "gender"))["all"]
    assert of_east[:2] == own[:2]
    assert "bmi of east is bmi * 10" in study.histogram("bmi").notes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[columns", "is not TOML"),
        ("[columns.x.studies]\na = 'x'", r"has a table \[files\], and tables"),
        ("[files]\na = 1\n[columns.x.studies]\na = 'x'", r"\[files\] has a path"),
        ("[files]\na = 'a'\n[columns.x]\nname = 'y'", "there are 'label', 'unit', 'studies'"),
        ("[files]\na = 'a'\n[columns.x.studies]\na = 1", "are texts"),
        ("[files]\na = 'a'\n[columns.x.studies]\nb = 'x'", "names the study 'b'; there are 'a'"),
    ],
)
def test_what_no_map_says_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "both.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        dc.open(path)


def test_an_expression_that_cannot_be_read_is_named_with_its_study(tmp_path: Path) -> None:
    path = tmp_path / "both.toml"
    files = {"north": published("north"), "south": published("south")}
    Harmony(files, {"y": Mapped({"north": "bmi", "south": "bmi +"})}).save(path)
    with pytest.raises(InputError, match="column 'y' of 'south' in the map: "):
        dc.open(path)


# --- meta-analysis --------------------------------------------------------------------------------


def test_studies_are_a_random_term_of_a_model(files: Files) -> None:
    study = dc.open([files["north"], files["south"], published("third")])
    frame = study.rows()
    theirs = smf.mixedlm("bmi ~ age", frame, groups=frame.study).fit(method="bfgs", gtol=1e-9)
    table = study.model("bmi ~ age + (1 | study)")

    found = {(it.column, it.figure): it.value for it in table.figures}
    assert found["age", "estimate"] == pytest.approx(theirs.fe_params["age"], rel=1e-5)
    assert number(found["age", "std. error"]) > theirs.bse_fe["age"]
    between = float(theirs.cov_re.iloc[0, 0])
    assert found["", "standard deviation between levels"] == pytest.approx(between**0.5, rel=1e-4)
    assert found["", "levels"] == 3
    assert lines(table)["intraclass correlation"] == (
        f"{between / (between + theirs.scale):.3f}",
        "",
        "",
    )
    assert table.notes[0] == "bmi ~ age + (1 | study)"
    assert any("study is a random term: the standard deviation" in it for it in table.notes)
    assert table.to_frame().levels.tolist() == [3, 3]


def test_a_random_term_stands_where_it_is_understood(pooled: dc.Study) -> None:
    with pytest.raises(InputError, match="combined by random effects already"):
        pooled.meta_analysis("bmi ~ age + (1 | study)")
    with pytest.raises(InputError, match=r"is for study\.model alone"):
        pooled.residuals("bmi ~ age + (1 | study)")
    with pytest.raises(RefusedError, match="people have several here"):  # those of the west
        pooled.model("bmi ~ age + (1 | study)")
    with pytest.raises(InputError, match="is a random term and a fixed one"):
        pooled.model("bmi ~ study + (1 | study)")


def test_studies_that_differ_are_seen_as_such(pooled: dc.Study) -> None:
    """Means were planted a unit apart; the slope of age is one."""
    means = {it.figure: it.value for it in pooled.meta_analysis("bmi").figures if not it.column}
    slopes = {
        it.figure: it.value for it in pooled.meta_analysis("bmi ~ age").figures if not it.column
    }
    assert float(str(means["p"])) < 0.001 < 0.05 < float(str(slopes["p"]))
    assert float(str(means["I²"])) > 0.8


def test_a_forest_plot_has_a_line_for_each_study(pooled: dc.Study) -> None:
    found = pooled.meta_analysis("died ~ age", family="logistic")
    scene = found.scene()
    assert scene.panels[0].y.ticks[:4] == ("north", "south", "west", "fixed effect")
    assert scene.panels[0].x.label == "odds ratio, with its 95 % interval"


def test_correlations_are_combined_as_fishers_z(pooled: dc.Study) -> None:
    """Each is that of the study's own rows; people of the west come twice, and count once."""
    found = pooled.meta_analysis("cor(age, `bmi`)")
    each = {it.column: it.value for it in found.figures if it.figure == "correlation"}
    for site in SIZES:
        own = pooled.where(f"study == '{site}'").correlations(["age", "bmi"]).pearson[0][1]
        assert each[site] == pytest.approx(own)
    assert each["fixed effect"] == pytest.approx(0.27, abs=0.03)  # .3 in words: .05 * 17.3 / 3.2
    ends = {it.figure: number(it.value) for it in found.figures if it.column == "west"}
    half = (ends["estimate, high end"] - ends["estimate, low end"]) / 2
    assert half > 1.96 / np.sqrt(SIZES["west"])
    assert found.scene().panels[0].x.label == "correlation, with its 95 % interval"


def test_a_study_that_is_left_out_is_in_none_of_all_rows(pooled: dc.Study) -> None:
    """Else the rows of the west, far away, would make all rows say the opposite."""
    changed = pooled.assign(
        x="case(study == 'west', 100, age)", y="case(study == 'west', 300 + age, 0 - age - bmi)"
    )
    found = changed.meta_analysis("y ~ x")
    assert any(it.startswith("west is left out") for it in found.notes)
    assert not any("Simpson" in it for it in found.notes)
    assert lines(found)["all rows as one study"][0].startswith("-1.")
    smokers = pooled.assign(a="case(study == 'west', 0 / 0, age)").meta_analysis("a")
    assert "west is left out: of 'a' it has too few values, or none" in smokers.notes


def test_a_study_of_few_people_has_no_correlation_and_is_named(pooled: dc.Study) -> None:
    some = pooled.assign(part="case(age < 21, 'young', study)")
    found = some.meta_analysis("cor(age, bmi)", by="part")
    assert {it.name for it in found.lines if not it.section} == {*SIZES}
    assert any(it.startswith("young is left out: fewer than 50 rows") for it in found.notes)


def test_a_random_term_stands_below_the_table_in_full_and_a_linear_model_is_of_numbers(
    pooled: dc.Study,
) -> None:
    assert subtitle_of(["bmi ~ age + (1 | sex)"]).says == ("bmi ~ age + (1 | sex)",)
    with pytest.raises(InputError, match=r"sex has levels, .*family='logistic'"):
        pooled.model("sex ~ age")


@pytest.mark.parametrize(
    ("formula", "asked", "says"),
    [
        ("cor(age)", {}, "a correlation is of two columns: 'cor(age, bmi)'"),
        (3, {}, "formula is a text: a model"),
        ("cor(age, sex)", {}, "column 'sex' has levels, and no correlation; name numbers"),
        ("cor(age, age)", {}, "a column is named twice"),
        ("cor(age, bmi)", {"weights": "bmi"}, "a correlation of each study takes no weights="),
        ("bmi", {"term": "age"}, "a mean of each study takes no term="),
        ("bmi", {"family": "logistic"}, "a mean of each study takes no family="),
    ],
)
def test_what_means_and_correlations_do_not_take_is_refused(
    pooled: dc.Study, formula: Any, asked: dict[str, Any], says: str
) -> None:
    with pytest.raises(InputError, match=re.escape(says)):
        pooled.meta_analysis(formula, **asked)


def test_a_study_without_the_column_is_left_out_and_named(pooled: dc.Study) -> None:
    with pytest.raises(RefusedError, match="fewer than two levels of 'study' have an estimate"):
        pooled.meta_analysis("bmi ~ smoker")
    part = pooled.where("study != 'north' or age > 1000")
    assert {it.name for it in part.meta_analysis("bmi").lines if not it.section} == {
        "south",
        "west",
    }


def test_rows_without_a_study_are_of_none(pooled: dc.Study) -> None:
    found = pooled.assign(clinic="case(age < 50, study, '')").meta_analysis("bmi", by="clinic")
    assert {it.name for it in found.lines if not it.section} == {*SIZES}


def test_a_term_is_one_that_each_study_has(pooled: dc.Study) -> None:
    with pytest.raises(InputError, match="no term 'height' in every study; there are 'Intercept'"):
        pooled.meta_analysis("bmi ~ age", "height")
    with pytest.raises(InputError, match="column 'bmi' has numbers; name a column of levels"):
        pooled.meta_analysis("bmi ~ age", by="bmi")


@pytest.mark.slow
def test_the_opposite_within_studies_is_the_first_note() -> None:
    """Simpson's paradox: within each study y falls with x, over all it rises."""

    def site(name: str, at: float) -> Path:
        draw = np.random.default_rng(int(at))
        x = at + draw.normal(0, 1, 400)
        return saved(name, pd.DataFrame({"x": x, "y": 3 * at - x + draw.normal(0, 1, 400)}))

    study = dc.open([site("low", 1), site("middle", 6), site("high", 11)])
    found = study.meta_analysis("y ~ x")
    assert "Simpson's paradox" in found.notes[0]
    assert "Simpson" in found.to_text()
    assert not any("Simpson" in it for it in study.meta_analysis("y").notes)


# --- answers from the data ------------------------------------------------------------------------


def answered() -> dict[str, Path]:
    """Three studies that were asked the same, and answered it; the east was asked by no map."""

    def make() -> dict[str, Path]:
        home = Path(os.environ["DISCREET_STATE"]).parent
        tables = {site: rows(site).drop(columns="id", errors="ignore") for site in SIZES}
        files = {site: home / f"{site}.discreet" for site in SIZES}
        for site, table in tables.items():
            dc.protect(table, study=f"{site} asked", unit=False).publish(files[site])
        study = dc.open(files)
        for figure in (
            study.bars("sex"),
            study.means("bmi", "sex"),
            study.means("died", "sex"),
            study.model("bmi ~ age + sex"),
            study.where("age >= 50").bars("sex"),
        ):
            study.ask(figure)
        study.ask(study.means("bmi", "sex"), holds="f < m")
        study.questions.save(home / "questions.json")
        for site, table in tables.items():
            asked = home / f"questions-{site}.json"
            dc.answer(table, asked, study=files[site], unit=False)
        return files

    made: dict[str, Path] = opened_once("answers of several studies", make)
    return made


def test_answers_of_all_studies_add_up() -> None:
    """The numbers of all rows of the data are no further off than noise takes them."""
    study = dc.open(answered())
    raw = pd.concat([rows(site) for site in SIZES])
    older = raw[raw.age >= 50]
    says = {it.question.says: it for it in study.answers.values()}
    assert "does" not in " ".join(says)  # a statement without numbers adds up to nothing
    expected: dict[str, dict[Any, tuple[str, Any]]] = {
        "the bars of sex": {(("sex", "f"),): ("", (raw.sex == "f").sum())},
        "the bars of sex; where age >= 50": {(("sex", "m"),): ("", (older.sex == "m").sum())},
        "the means of bmi by sex": {(("sex", "f"),): ("mean, ", raw[raw.sex == "f"].bmi.mean())},
        "the means of died by sex": {(): ("share, ", (raw.died == "yes").mean())},
    }
    for question, of in expected.items():
        for group, (name, value) in of.items():
            table = says[question].table
            assert table is not None
            figures = {it.figure: it.value for it in table.figures if it.group == group}
            low, high = (number(figures[f"{name}{end}"]) for end in ("low end", "high end"))
            assert abs(value - (low + high) / 2) < 0.75 * (high - low)  # three times the noise


def test_noise_of_several_studies_adds_up_by_its_variance() -> None:
    files = answered()
    each = [_first_count(dc.open(path)) for path in files.values()]
    count, low, high = _first_count(dc.open(files))
    assert count == sum(it[0] for it in each)
    assert (high - low) ** 2 == pytest.approx(sum((it[2] - it[1]) ** 2 for it in each))


def _first_count(study: dc.Study) -> tuple[float, float, float]:
    answer = next(it for it in study.answers.values() if it.question.says == "the bars of sex")
    of = {it.figure: it.value for it in answer.table.figures if it.group == (("sex", "f"),)}
    return number(of["count"]), number(of["low end"]), number(of["high end"])


@pytest.mark.slow
def test_a_table_of_all_studies_takes_their_answers() -> None:
    table = dc.open(answered()).means("bmi", "sex")
    assert table.head[-1] == "of the copy"


def test_a_model_of_all_studies_is_weighed_by_inverse_variance() -> None:
    files = answered()
    of = [_age(dc.open(path)) for path in files.values()]
    weights = [1 / error**2 for _, error in of]
    expected = sum(w * value for w, (value, _) in zip(weights, of, strict=True)) / sum(weights)
    value, error = _age(dc.open(files))
    assert value == pytest.approx(expected)
    assert error == pytest.approx(sum(weights) ** -0.5)


def _age(study: dc.Study) -> tuple[float, float]:
    answer = next(it for it in study.answers.values() if it.question.kind == "model")
    of = {it.figure: it.value for it in answer.table.figures if it.column == "age"}
    return number(of["estimate"]), number(of["std. error"])


@pytest.mark.slow
def test_what_a_study_does_not_have_cannot_be_asked(pooled: dc.Study, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'north' cannot be asked this: there is no column 'stud"):
        pooled.ask(pooled.bars("study"))
    with pytest.raises(InputError, match="'north' cannot be asked this: there is no column 'smok"):
        pooled.ask(pooled.bars("smoker"))


def test_an_answer_that_lacks_a_figure_cannot_be_combined() -> None:
    answers = dc.open(answered()["north"]).answers.values()
    answer = next(it for it in answers if it.question.says == "the bars of sex")
    assert answer.table is not None
    kept = tuple(it for it in answer.table.figures if it.figure != "high end")
    broken = replace(answer, table=replace(answer.table, figures=kept))
    with pytest.raises(InputError, match="an answer in the study file cannot be read"):
        combined([broken, broken])


def test_lists_of_two_studies_do_not_overwrite_each_other(files: Files, tmp_path: Path) -> None:
    study = dc.open({"a b": files["north"], "a/b": files["south"]})
    study.ask(study.bars("sex"))
    with pytest.raises(InputError, match="names that are one as the name of a file"):
        study.questions.save(tmp_path / "questions.json")
    assert not [*tmp_path.iterdir()]
