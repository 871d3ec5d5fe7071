"""Commands for a study with one copy of the whole table."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet.serve.studies import Served
from discreet.vault import whole_columns
from tests.cli.conftest import Run
from tests.custodian.test_whole import cohort as cohort_of
from tests.serve.cohort import written

pytestmark = pytest.mark.usefixtures("no_intervals")


def drawn(run: Run, *words: str) -> Any:
    """Return the numbers of a plot."""
    code, out, err = run("plot", *words, "--json")
    assert code == 0, err
    return json.loads(out)


REFUSED: dict[str, tuple[tuple[str, ...], int, str]] = {
    # the words, the exit code, what is said
    "a table of the papers, which have no copy": (
        ("anonymize", "FILE", "-m", "12"),
        2,
        "No such option: -m",
    ),
    "rounding of the copy": (
        ("protect", "FILE", "--method", "mdav"),
        2,
        "No such option: --method",
    ),
    "fewer than k in a group": (("protect", "FILE", "-m", "3"), 2, "m must be at least k"),
    "a version of what the file does not say": (
        ("version", "new", "FILE", "--policy", "POLICY", "-m", "12"),
        3,
        "the policy file sets m",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_one_line(run: Run, cohort: Path, tmp_path: Path, case: str) -> None:
    words, code, says = REFUSED[case]
    (tmp_path / "policy.toml").write_text("m = 25\n")
    places = {"FILE": str(cohort), "POLICY": str(tmp_path / "policy.toml")}
    found, out, err = run(*(places.get(word, word) for word in words))
    assert (found, out) == (code, "")
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_a_version_of_another_policy_is_opened_as_the_refusal_says(run: Run, cohort: Path) -> None:
    plot = ("plot", "scatter", str(cohort), "age", "bmi", "--json")
    assert run(*plot)[0] == 0
    code, _, err = run(*plot, "--left-out", "0.3")
    command = f"discreet version new {cohort} --left-out 0.3"
    assert code == 4
    assert f"`{command}`" in err
    assert run(*command.split()[1:]) == (
        0,
        "version 2 is open; everything released from now on belongs to it\n",
        "",
    )
    assert run(*plot, "--left-out", "0.3")[0] == 0
    history = json.loads(run("log", "--released", "--json")[1])
    assert [(entry["version"], entry["kind"]) for entry in history] == [
        (1, "scatter"),
        (2, "scatter"),
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("protected_by_a_fork")
def test_a_table_is_protected_as_it_is_said_before_it_is_served(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, _ = written(tmp_path, 'name = "clinic"\nroles.patient = "identifier"\n')
    served: list[Served] = []
    start = importlib.import_module("discreet.serve.start")
    monkeypatch.setattr(start, "run", lambda studies, *_: served.extend(studies.all()))
    monkeypatch.chdir(tmp_path)
    assert run("serve", str(file), "-m", "12", "--study", "s", "--no-token")[0] == 0
    assert [(it.name, it.file.policy.members) for it in served] == [("s", 12)]


NEW = ("--assign", "band=cut(age, 40, 60)", "--assign", "ratio = ldl / hdl")


def test_rows_and_new_columns_are_asked_for_as_in_python(run: Run, cohort: Path) -> None:
    part = ("--where", "ratio > 1", "--where", "band != '60 or more'")
    told = drawn(run, "histogram", str(cohort), "ratio", "--by", "band", *NEW, *part)
    study = dc.open(cohort).assign(band="cut(age, 40, 60)", ratio="ldl / hdl")
    view = study.where("ratio > 1").where("band != '60 or more'").histogram("ratio", by="band")
    assert told == json.loads(view.to_json())
    assert told["columns"] == ["ratio"]


@pytest.mark.slow
def test_a_part_is_released_with_its_new_columns(run: Run, cohort: Path, tmp_path: Path) -> None:
    to, report = tmp_path / "part.csv", tmp_path / "report.json"
    code, _, err = run(
        "protect", str(cohort), *NEW, "--where", "age >= 50", "-o", str(to), "--report", str(report)
    )
    assert code == 0, err
    made = pl.read_csv(to)
    assert made["age"].min() >= 50  # type: ignore[operator]
    assert {*made["band"].unique()} == {"40 to under 60", "60 or more"}
    assert "where age >= 50" in report.read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--assign", "band"), "--assign takes a name and an expression: 'log_bmi=log(bmi)'"),
        (("--assign", "band==3"), "--assign takes a name and an expression"),
        (("--where", "agee > 3"), "there is no column 'agee'; did you mean 'age'?"),
    ],
)
def test_what_cannot_be_derived_is_said(
    run: Run, cohort: Path, words: tuple[str, ...], says: str
) -> None:
    code, out, err = run("plot", "box", str(cohort), "age", "--json", *words)
    assert (code != 0, out) == (True, "")
    assert says in " ".join(err.split())


def forbidden(*_: object) -> None:
    raise AssertionError("rows were protected")


ROLES = 'roles = { smoker = "sensitive" }'
OTHER_ROLES, OTHER_M = (
    "another copy of the whole table was",
    "'m' must be the same as in the earlier",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "partitions", "changed", "says"),
    [
        (("protect", "o.csv"), 4, "m = 20", OTHER_M),
        (("protect", "o.discreet"), 1, ROLES, OTHER_ROLES),
    ],
    ids=["large table", "study file"],
)
def test_a_copy_that_may_not_be_released_is_refused_before_it_is_made(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    words: tuple[str, str],
    partitions: int,
    changed: str,
    says: str,
) -> None:
    command, output, rows = words[0], tmp_path / words[1], 1300
    if partitions > 1:
        monkeypatch.setattr(whole_columns, "MOST_CELLS", rows * 9 // partitions + 1)
    table, policy = tmp_path / "table.csv", tmp_path / "discreet.toml"
    cohort_of(rows).write_csv(table)
    policy.write_text("k = 3\n", encoding="utf-8")
    of = (str(table), "--policy", str(policy))
    code, _, err = run("plot", "histogram", *of, "age", "-o", str(tmp_path / "age.svg"))
    assert code == 0, err
    policy.write_text(f"k = 3\n{changed}\n", encoding="utf-8")
    for module in ("vault", "whole_columns"):
        monkeypatch.setattr(f"discreet.vault.{module}.copy_of_whole", forbidden)
    code, _, err = run(command, *of, "-o", str(output))
    assert (code, says in err) == (4, True), err
    assert not output.exists()
    with pytest.raises(AssertionError, match="rows were protected"):  # looking is free
        dc.open(table, policy).anonymize()
