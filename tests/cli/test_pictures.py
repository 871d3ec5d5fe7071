"""`discreet plot`: what it draws, prints and writes, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as dc
from discreet.policy import PICTURES

Run = Callable[..., tuple[int, str, str]]


PLOTS = {
    "histogram": ["glucose"],
    "scatter": ["age", "glucose"],
    "heatmap": ["age", "glucose"],
    "box": ["age", "bmi", "glucose"],
    "contour": ["age", "glucose"],
    "bars": ["sex"],
    "crosstab": ["sex", "age_group"],
    "residuals": ["glucose ~ age + bmi"],
    "qq": ["glucose ~ age + bmi"],
    "leverage": ["glucose ~ age + bmi"],
    "parallel": ["age", "bmi", "sex"],
}


NOTES = {
    "parallel": "parallel coordinates of age, bmi and sex: ",
    "residuals": "residuals of glucose ~ age + bmi: ",
    "qq": "normal QQ plot of glucose ~ age + bmi: ",
    "leverage": "residuals against leverage of glucose ~ age + bmi: ",
}


def test_every_picture_is_plotted() -> None:
    assert set(PLOTS) == set(PICTURES)


@pytest.mark.parametrize("picture", PLOTS)
def test_plot_writes_the_picture_and_says_how_it_was_made(
    run: Run, cohort: Path, tmp_path: Path, picture: str
) -> None:
    out_file = tmp_path / f"{picture}.svg"
    code, out, err = run("plot", picture, str(cohort), *PLOTS[picture], "-o", str(out_file))
    assert (code, err) == (0, "")
    assert out_file.read_text().startswith("<?xml")
    assert out.startswith(f"{out_file}\n{NOTES.get(picture, f'{picture} of ')}")
    assert "promises: " in out


def test_json_goes_to_standard_output_alone(run: Run, cohort: Path, tmp_path: Path) -> None:
    picture = tmp_path / "h.png"
    code, out, err = run("plot", "histogram", str(cohort), "bmi", "--json", "-o", str(picture))
    assert code == 0
    view = dc.View.from_json(out)
    assert isinstance(view, dc.HistogramView)
    assert view.columns == ("bmi",)
    assert str(picture) in err


def test_a_row_method_makes_the_copy_and_a_count_method_the_picture(run: Run, cohort: Path) -> None:
    words = ("plot", "scatter", str(cohort), "age", "bmi", "--json", "--study")
    rows = dc.View.from_json(run(*words, "a", "--method", "condensation")[1])
    cells = dc.View.from_json(run(*words, "a", "--method", "suppression")[1])
    assert (rows.method, rows.origin.counted) == ("condensation", "protected rows")
    assert (cells.method, cells.origin.counted) == (
        "suppression",
        "rows, each taken as a person",
    )


ERRORS = {
    "unknown picture": (["plot", "pie", "F", "bmi", "--json"], 2, "there is no picture 'pie'"),
    "unknown column": (["plot", "histogram", "F", "bmx", "--json"], 2, "did you mean 'bmi'"),
    "unknown method": (
        ["plot", "histogram", "F", "bmi", "--json", "--method", "magic"],
        2,
        "cannot be made by method 'magic'",
    ),
    "too many columns": (["plot", "histogram", "F", "bmi", "age", "--json"], 2, "exactly 1"),
    "no output": (["plot", "histogram", "F", "bmi"], 2, "say where the picture goes"),
    "no such file": (["plot", "histogram", "nowhere.csv", "bmi", "--json"], 2, "no file"),
    "raw data": (
        ["plot", "scatter", "F", "bmi", "age", "--json", "--method", "none"],
        3,
        "exists under the policy 'research' alone",
    ),
    "k too large": (["plot", "scatter", "F", "bmi", "age", "--json", "-k", "60"], 3, "10 k"),
    "k too small": (["plot", "scatter", "F", "bmi", "age", "--json", "-k", "2"], 2, "at least 3"),
    "text column": (["plot", "histogram", "F", "sex", "--json"], 2, "numbers are needed"),
    "no such option": (["plot", "histogram", "F", "bmi", "--nope"], 2, "No such option: --nope"),
    "no such command": (["draw"], 2, "No such command 'draw'"),
    "not a number": (["plot", "histogram", "F", "bmi", "-k", "five"], 2, "Invalid value for '-k'"),
    "no columns": (["plot", "histogram", "F"], 2, "Missing argument 'columns'"),
    "wrong suffix": (["plot", "histogram", "F", "bmi", "-o", "x.gif"], 2, "saved as one of"),
    "a formula for a scatter plot": (
        ["plot", "scatter", "F", "glucose ~ age", "--json"],
        2,
        "exactly 2 of the columns",
    ),
    "two formulas": (
        ["plot", "qq", "F", "glucose ~ age", "bmi", "--json"],
        2,
        "takes one formula, in quotes: 'y ~ x1 + C(group)'",
    ),
    "a formula without quotes": (
        ["plot", "residuals", "F", "glucose", "~", "age", "--json"],
        2,
        "takes one formula, in quotes",
    ),
    "no formula": (["plot", "leverage", "F", "glucose", "--json"], 2, "a formula needs one ~"),
    "a formula of nobody": (
        ["plot", "residuals", "F", "glucose ~ agee", "--json"],
        2,
        "there is no column 'agee'; did you mean 'age'",
    ),
    "a formula that calls": (
        ["plot", "residuals", "F", "glucose ~ open(age)", "--json"],
        2,
        "there is no function 'open'",
    ),
    "a formula of terms that depend": (
        ["plot", "residuals", "F", "glucose ~ age + I(2 * age)", "--json"],
        3,
        "follows from the others",
    ),
    "a term that is no stratum": (
        ["plot", "qq", "F", "glucose ~ age + age_group", "--json"],
        3,
        "only where it is a stratum",
    ),
    "a model by cells": (
        ["plot", "qq", "F", "glucose ~ age", "--json", "--method", "suppression"],
        3,
        "a guarded study fits a regression to its protected copy",
    ),
    "three in a table": (
        ["plot", "crosstab", "F", "sex", "age_group", "age", "--json"],
        2,
        "a crosstab draws exactly 2",
    ),
    "two for bars": (["plot", "bars", "F", "sex", "age_group", "--json"], 2, "exactly 1"),
    "one for a contour": (["plot", "contour", "F", "age", "--json"], 2, "exactly 2"),
    "a table by": (
        ["plot", "crosstab", "F", "sex", "age_group", "--by", "sex", "--json"],
        2,
        "a crosstab has no --by",
    ),
    "a model by a level": (
        ["plot", "qq", "F", "glucose ~ age", "--by", "sex", "--json"],
        2,
        "a qq has no --by",
    ),
    "a trend of a heat map": (
        ["plot", "heatmap", "F", "age", "bmi", "--trend", "--json"],
        2,
        "--trend is for a scatter plot",
    ),
    "by nobody": (["plot", "histogram", "F", "bmi", "--by", "sexx", "--json"], 2, "'sexx'"),
    "points by no stratum": (
        ["plot", "scatter", "F", "age", "bmi", "--by", "sex", "--json"],
        3,
        "rows carry the levels of strata alone",
    ),
    "boxes of two by": (
        ["plot", "box", "F", "age", "bmi", "--by", "sex", "--json"],
        2,
        "by= draws one column",
    ),
    "raw bars": (["plot", "bars", "F", "sex", "--json", "--method", "none"], 3, "'research' alone"),
    "policy missing": (
        ["plot", "histogram", "F", "bmi", "--json", "--policy", "no.toml"],
        2,
        "no policy file",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_are_one_line_on_standard_error(run: Run, cohort: Path, case: str) -> None:
    words, code, message = ERRORS[case]
    kinds = {"F": str(cohort)}
    if case == "text column":
        cohort.write_text(cohort.read_text().replace('"1"', '"a"').replace('"2"', '"b"'))
    got, out, err = run(*(kinds.get(word, word) for word in words))
    assert got == code
    assert out == ""
    assert err.startswith("discreet: ")
    assert err.count("\n") == 1
    assert message in err


def test_a_second_k_is_refused_in_a_new_process_and_nothing_is_written(
    cohort: Path, tmp_path: Path
) -> None:
    def draw(k: str, figure: str) -> subprocess.CompletedProcess[str]:
        words = ["plot", "histogram", str(cohort), "bmi", "-k", k, "-o", str(tmp_path / figure)]
        command = [sys.executable, "-m", "discreet", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert draw("5", "first.png").returncode == 0
    again = draw("6", "second.png")
    assert again.returncode == dc.LeavingError.exit_code
    assert "'k' is another" in again.stderr
    assert not (tmp_path / "second.png").exists()


@pytest.mark.parametrize("target", ["folder.svg", "no/such/folder/a.svg"])
def test_a_place_that_cannot_be_written_is_no_bug(
    run: Run, cohort: Path, tmp_path: Path, target: str
) -> None:
    (tmp_path / "folder.svg").mkdir()
    words = ("plot", "histogram", str(cohort), "bmi", "-o", str(tmp_path / target))
    code, _, err = run(*words)
    assert code == 2
    assert "folder" in err
    assert json.loads(run("version", "list", "--json")[1]) == []


BY = {
    "histogram": (["bmi"], dc.MultiplesView),
    "heatmap": (["age", "bmi"], dc.MultiplesView),
    "contour": (["age", "bmi"], dc.MultiplesView),
    "bars": (["age_group"], dc.BarView),
    "box": (["bmi"], dc.BoxView),
    "scatter": (["age", "bmi"], dc.PointsView),
}


@pytest.mark.parametrize("picture", BY)
def test_by_divides_a_picture_by_levels(run: Run, cohort: Path, picture: str) -> None:
    columns, kind = BY[picture]
    strata = ["--strata", "sex"] if picture == "scatter" else []
    words = ("plot", picture, str(cohort), *columns, "--by", "sex", *strata, "--json")
    code, out, err = run(*words)

    assert (code, err) == (0, "")
    view = dc.View.from_json(out)
    assert isinstance(view, kind)
    assert vars(view)["by"] == "sex"
    assert '"1"' in out, "a level's name"
    (entry,) = json.loads(run("version", "list", "--json")[1])
    assert (entry["kind"], entry["columns"]) == (picture, [*columns, "sex"])


def test_a_trend_is_drawn_where_it_is_asked_for(run: Run, cohort: Path) -> None:
    words = ("plot", "scatter", str(cohort), "age", "bmi", "--json")
    for more, lines in (((), 0), (("--trend",), 1)):
        view = dc.View.from_json(run(*words, *more)[1])
        assert isinstance(view, dc.PointsView)
        assert len(view.trends) == lines


def test_a_model_goes_to_standard_output_as_json(run: Run, cohort: Path) -> None:
    formula = "glucose ~ age + log(bmi)"
    for picture in ("residuals", "qq", "leverage"):
        code, out, _ = run("plot", picture, str(cohort), formula, "--json")
        assert code == 0
        view = dc.View.from_json(out)
        assert view.kind == picture
        assert vars(view)["formula"] == formula
        assert [*vars(view)["coefficients"]] == ["Intercept", "age", "log(bmi)"]


def test_codes_are_levels_where_they_are_asked_for_as_such(run: Run, cohort: Path) -> None:
    words = ("--json", "--strata", "sex", "--categorical", "sex")
    code, out, _ = run("plot", "residuals", str(cohort), "glucose ~ age + sex", *words)
    assert code == 0
    assert [*vars(dc.View.from_json(out))["coefficients"]] == ["Intercept", "age", "C(sex)[T.2]"]
    bars = dc.View.from_json(run("plot", "bars", str(cohort), "sex", "--json")[1])
    assert vars(bars)["levels"] == ("1", "2")


def test_a_column_leaves_as_levels_or_as_numbers(run: Run, cohort: Path) -> None:
    assert run("plot", "histogram", str(cohort), "tch", "--json")[0] == 0
    code, out, err = run("plot", "bars", str(cohort), "tch", "--json")
    assert (code, out) == (dc.LeavingError.exit_code, "")
    assert "the kind of 'tch' is another" in err
