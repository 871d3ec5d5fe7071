"""`discreet summary` and `discreet means`: tables on the screen and in files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from discreet.measure import CopyTable
from tests.cli.conftest import Run


def test_it_describes_columns_and_releases_nothing(run: Run, cohort: Path) -> None:
    words = ["--columns", "age,sex", "--by", "age_group", "--no-unit"]
    code, out, err = run("summary", str(cohort), *words)
    assert (code, err) == (0, "")
    assert out.startswith("Summary of cohort.csv by age_group\n")
    assert "  mean (sd)" in out
    assert "summary" not in run("log", "--released")[1]


def test_it_is_released_as_files_and_as_json(run: Run, cohort: Path, tmp_path: Path) -> None:
    page, tex = tmp_path / "table1.html", tmp_path / "table1.tex"
    files = ["-o", str(page), "-o", str(tex), "--json"]
    code, out, err = run("summary", str(cohort), "--no-unit", "--by", "sex", *files)
    assert (code, err) == (0, f"{page}, {tex}\n")
    assert CopyTable.from_json(out).head == ("1", "2", "all")
    assert "<h1>Summary of cohort.csv by sex</h1>" in page.read_text()
    assert tex.read_text().startswith(r"\begin{table}")
    assert "summary" in run("log", "--released")[1]


def test_another_ending_is_refused_before_the_work(run: Run, study_file: Path) -> None:
    code, _, err = run("summary", str(study_file), "-o", "table.docx")
    assert code == 2
    assert "a table of figures is saved as one of" in err


@pytest.mark.slow
def test_means_are_printed_and_drawn(run: Run, cohort: Path, tmp_path: Path) -> None:
    table, plot = tmp_path / "bmi.csv", tmp_path / "bmi.svg"
    files = ["-o", str(table), "-o", str(plot)]
    code, out, err = run("means", str(cohort), "bmi", "sex", "age_group", "--no-unit", *files)
    assert (code, err) == (0, "")
    assert "Means of bmi in cohort.csv by sex and age_group\n" in out
    assert table.read_text().startswith("sex,age_group,")
    assert "sex" in plot.read_text()
    assert "means" in run("log", "--released")[1]


def test_means_are_weighted(run: Run, study_file: Path) -> None:
    code, out, err = run("means", str(study_file), "bmi", "sex", "--weights", "ldl")
    assert (code, err) == (0, "")
    assert "Means of bmi in cohort.csv by sex, weighted by ldl\n" in out
    code, out, err = run("summary", str(study_file), "--weights", "ldl")
    assert (code, err) == (0, "")
    assert "Summary of cohort.csv, weighted by ldl\n" in out
    code, out, err = run("model", str(study_file), "bmi ~ age", "--weights", "ldl")
    assert (code, err) == (0, "")
    assert "Linear model of bmi in cohort.csv, weighted by ldl\n" in out


def test_a_model_is_printed_and_drawn(run: Run, cohort: Path, tmp_path: Path) -> None:
    table, plot = tmp_path / "model.csv", tmp_path / "model.svg"
    how = ["--family", "logistic", "--event-is", "2", "--where", "age >= 40", "--no-unit"]
    code, out, err = run(
        "model", str(cohort), "sex ~ age + bmi", *how, "-o", str(table), "-o", str(plot)
    )
    assert (code, err) == (0, "")
    assert "Logistic model of sex = 2 in cohort.csv\n" in out
    assert table.read_text().startswith("part,term,odds ratio,")
    assert "odds ratio" in plot.read_text()
    assert "model" in run("log", "--released")[1]


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        ("sex=2", 0, "levels are compared with sex 2"),
        ("sex", 2, "--reference takes a column and one of its levels: sex=F"),
        ("sex=7", 2, "reference: '7' is not a level of 'sex' in these rows; there are '1', '2'"),
        ("ward=7", 2, "reference names column 'ward', which is not one of the model's columns"),
    ],
)
def test_a_model_is_told_what_levels_are_compared_with(
    run: Run, study_file: Path, said: str, code: int, words: str
) -> None:
    found, out, err = run("model", str(study_file), "bmi ~ C(sex)", "--reference", said)
    assert found == code
    assert words in (err if code else out)
    assert ("C(sex)[T.1]" in out) == (code == 0)


def test_it_lists_columns(run: Run, study_file: Path) -> None:
    code, out, err = run("columns", str(study_file), "--assign", "old=age >= 60")
    assert (code, err) == (0, "")
    assert out.startswith("Columns of cohort.csv\n")
    assert "\nold " in out
    code, out, err = run("columns", str(study_file), "--json")
    assert '"kind": "columns"' in out


@pytest.mark.slow
def test_a_plot_is_drawn_for_a_journal(run: Run, study_file: Path, tmp_path: Path) -> None:
    table, plot, pixels = (tmp_path / f"bmi.{it}" for it in ("csv", "svg", "png"))
    asked = ("means", str(study_file), "bmi", "sex")
    how = ("--title", "Fig. 1", "--width", "85", "--dpi", "100", "--no-footnote")
    code, _, err = run(*asked, *how, "-o", str(table), "-o", str(plot), "-o", str(pixels))
    assert (code, err) == (0, "")
    assert ">Fig. 1<" in plot.read_text("utf-8")
    assert 'width="240.94' in plot.read_text("utf-8")
    with Image.open(pixels) as image:
        assert image.width == pytest.approx(85 / 25.4 * 100, abs=1)
    code, _, err = run(*asked, "--width", "85", "-o", str(table))
    assert (code, "--width is for a plot: add -o FIGURE.png" in err) == (2, True)
    code, _, err = run(*asked, "--dpi", "100", "-o", str(plot))
    assert (code, "--dpi is for a .png" in err) == (2, True)
    code, _, err = run(*asked, "--no-footnote")
    assert (code, "--no-footnote is for a plot" in err) == (2, True)
