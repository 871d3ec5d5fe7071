"""`discreet version`: the next version of a study, and what has left."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import discreet as dc

Run = Callable[..., tuple[int, str, str]]


def test_version_new_opens_a_version_for_another_k(run: Run, cohort: Path) -> None:
    plot = ("plot", "histogram", str(cohort), "bmi", "--json")
    assert run(*plot)[0] == 0
    assert run(*plot, "-k", "8")[0] == dc.LeavingError.exit_code
    code, out, _ = run("version", "new", str(cohort), "-k", "8")
    assert (code, out) == (0, "version 2 is open; what leaves from now on belongs to it\n")
    assert run(*plot, "-k", "8")[0] == 0
    history = json.loads(run("version", "list", "--json")[1])
    assert [(entry["version"], entry["kind"]) for entry in history] == [
        (1, "histogram"),
        (2, "histogram"),
    ]
    assert "histogram" in run("version", "list")[1]


def test_a_version_may_have_other_bins(run: Run, cohort: Path) -> None:
    plot = ("plot", "histogram", str(cohort), "bmi", "--json")
    assert run(*plot)[0] == 0
    assert run(*plot, "--bins", "10")[0] == dc.LeavingError.exit_code
    assert run("version", "new", str(cohort), "--bins", "10")[0] == 0
    assert run(*plot, "--bins", "10")[0] == 0


def test_two_files_of_one_name_are_two_studies(run: Run, tmp_path: Path) -> None:
    files = []
    for folder, name, step in (("exams", "age", 7), ("labs", "chol", 11)):
        (tmp_path / folder).mkdir()
        files.append(tmp_path / folder / "nhanes.csv")
        rows = [f"{20 + step * n % 61 + n / 1000}" for n in range(300)]
        files[-1].write_text("\n".join([name, *rows]))
    exams, labs = (("plot", "histogram", str(file)) for file in files)

    assert run(*exams, "age", "--json")[0] == 0
    code, out, err = run(*labs, "chol", "--json")
    assert (code, out) == (dc.LeavingError.exit_code, "")
    assert "another table left before as study 'nhanes.csv'" in err
    assert run(*labs, "chol", "--study", "labs", "--json")[0] == 0
    assert run(*exams, "age", "--json")[0] == 0

    history = json.loads(run("version", "list", "--json")[1])
    assert [(it["study"], it["columns"]) for it in history] == [
        ("nhanes.csv", ["age"]),
        ("labs", ["chol"]),
        ("nhanes.csv", ["age"]),
    ]
    for command in (("version", "list"), ("log",)):
        printed = run(*command)[1]
        assert printed.count("nhanes.csv, version 1") == 2
        assert printed.count("labs, version 1") == 1


def test_nothing_has_left_yet(run: Run) -> None:
    assert run("version", "list") == (0, "nothing has left yet\n", "")
    assert json.loads(run("version", "list", "--json")[1]) == []


def test_a_version_of_what_has_not_left_is_refused(run: Run, cohort: Path) -> None:
    code, out, err = run("version", "new", str(cohort), "-k", "8")

    assert (code, out) == (dc.InputError.exit_code, "")
    assert err.count("\n") == 1


def test_a_table_that_left_needs_a_version_for_another_method(
    run: Run, cohort: Path, tmp_path: Path
) -> None:
    words = ("anonymize", str(cohort), "--columns", "age,bmi", "-o")
    other = ("--method", "microaggregation")
    assert run(*words, str(tmp_path / "a.csv"))[0] == 0
    assert run(*words, str(tmp_path / "b.csv"), *other)[0] == dc.LeavingError.exit_code
    assert run("version", "new", str(cohort), *other)[0] == 0
    assert run(*words, str(tmp_path / "b.csv"), *other)[0] == 0

    history = json.loads(run("version", "list", "--json")[1])
    assert [(entry["version"], entry["kind"]) for entry in history] == [(1, "table"), (2, "table")]
