"""What the commands share: options that override a policy, and the progress bar."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as dc
from discreet.cli.common import ResearchOptions, StudyOptions, kinds_of, names_of
from discreet.errors import InputError

pytestmark = pytest.mark.usefixtures("no_intervals")

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.slow
def test_a_policy_file_is_used(run: Run, cohort: Path, tmp_path: Path) -> None:
    policy = tmp_path / "rules.toml"
    policy.write_text("k = 7\n[limits]\nbmi = [15, 45]\n")
    words = ("plot", "histogram", str(cohort), "bmi", "--json", "--policy", str(policy))
    view = dc.View.from_json(run(*words)[1])
    assert isinstance(view, dc.HistogramView)
    assert (view.edges[0], view.edges[-1], view.origin.policy) == (15, 45, "rules")
    assert (tmp_path / ".discreet" / "register.sqlite").exists()


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_shown_to_a_terminal_alone(
    run: Run, cohort: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1" if terminal else "0")
    code, out, err = run("plot", "scatter", str(cohort), "age", "bmi", "--json")
    assert code == 0
    assert out.startswith("{")
    assert ("reading and drawing" in err) is terminal
    assert bool(err) is terminal


LISTS: dict[str, tuple[str | None, list[str]]] = {
    "names": ("a, b,c d", ["a", "b", "c d"]),
    "a comma in a name": ('"weight, kg",age', ["weight, kg", "age"]),
    "after a space": ('age, "weight, kg"', ["age", "weight, kg"]),
    "a quote in a name": ('"say ""a"" or b",c', ['say "a" or b', "c"]),
    "a quote within a name": ('5" pipes,c', ['5" pipes', "c"]),
    "a name alone": ("age", ["age"]),
    "nothing": ("", [""]),
    "no list": (None, []),
}


@pytest.mark.parametrize(("text", "names"), LISTS.values(), ids=LISTS)
def test_a_name_with_a_comma_stands_in_quotes(text: str | None, names: list[str]) -> None:
    assert names_of(text) == names


@pytest.mark.slow
def test_codes_that_may_stand_for_missing_values_are_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age\n" + "\n".join(str(20 + i % 60) for i in range(120)) + "\n99" * 30)
    words = ("plot", "histogram", str(path), "age", "--json")
    code, printed, said = run(*words)
    assert code == 0
    assert "missing_values.age = [99], or [] if they are values" in said
    remarks = dc.View.from_json(printed).origin.remarks
    assert remarks[0].startswith("age may hold codes for missing values")
    assert not any("99" in remark for remark in remarks)
    policy = tmp_path / "rules.toml"
    policy.write_text("missing_values.age = [99]\n")
    code, printed, said = run(*words, "--policy", str(policy), "--study", "another")
    assert said == ""
    remarks = dc.View.from_json(printed).origin.remarks
    assert not any("codes for missing values" in remark for remark in remarks)
    assert any(re.fullmatch(r"rows without a value: \d+ of age", it) for it in remarks)


def test_a_study_is_opened_with_fields_and_kinds(cohort: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('k = 7\n[kinds]\nsex = "categorical"\n')
    study = StudyOptions(str(rules), kinds=["age_group=categorical"]).open(str(cohort), k=7, m=None)
    assert (study.policy.k, study.policy.members) == (7, 28)
    assert dict(study.policy.kinds) == {"sex": "categorical", "age_group": "categorical"}


def test_a_table_of_the_papers_is_opened_with_fields_and_kinds(
    cohort: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('papers.method = "deterministic"\nk = 7\n[kinds]\nsex = "categorical"\n')
    said = ResearchOptions(str(rules), strata="sex", kinds=["age_group=categorical"], public=True)
    policy = said.open(str(cohort), ["ldl"], k=6, q=None).policy
    assert (policy.k, policy.of_papers.strata, policy.public) == (6, ("sex",), True)
    assert {*policy.kinds} == {"sex", "age_group", "ldl"}
    assert {*policy.kinds.values()} == {"categorical"}


def test_kinds_are_named_by_column() -> None:
    assert kinds_of(None) == {}
    assert kinds_of(["a = categorical, b=continuous", '"c, d=e"=categorical']) == {
        "a": "categorical",
        "b": "continuous",
        "c, d=e": "categorical",
    }
    with pytest.raises(InputError, match="--kinds takes a column and its kind: a=categorical"):
        kinds_of(["a"])


@pytest.mark.slow
def test_a_guarded_policy_file_says_which_columns_hold_numbers(
    run: Run, cohort: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.toml"
    words = ("plot", "histogram", str(cohort), "sex", "--json", "--kinds", "sex=continuous")
    for held, expected in (('categorical"', 3), ('continuous"', 0)):
        rules.write_text(f'[kinds]\nsex = "{held}\n')
        code, _, err = run(*words, "--policy", str(rules))
        assert code == expected, err
        assert ("the policy file sets kinds" in err) is (expected == 3)
    rules.write_text("k = 6\n")
    assert run(*words, "--policy", str(rules))[0] == 3
    assert run(*words, "--study", "a preset says nothing of it")[0] == 0


@pytest.mark.slow
def test_a_column_with_control_codes_is_drawn_and_they_are_told_as_codes(
    run: Run, tmp_path: Path
) -> None:
    name = "a\x1b]0;PWN\x07ge"
    lines = [f"{name},b", *(f"{i % 50},{i % 40}" for i in range(200))]
    (tmp_path / "c.csv").write_text("\n".join(lines), encoding="utf-8")
    output = tmp_path / "c.svg"
    words = ["plot", "histogram", str(tmp_path / "c.csv"), name, "-o", str(output), "--json"]
    code, out, err = run(*words)
    assert code == 0, err
    assert "PWN" in out
    assert not {"\x1b", "\x07"} & {*out, *err}


def visits(folder: Path, rows: int = 3) -> Path:
    """Write a table of patients of some visits; of another number of them other patients."""
    path = folder / f"visits {rows}.csv"
    lines = [f"P{rows}{i // rows},{i % 40 * rows},{i % 7}" for i in range(120 * rows)]
    path.write_text("\n".join(["patient_id,age,visits", *lines]) + "\n")
    return path


@pytest.mark.slow
def test_a_table_of_several_rows_a_person_asks_whose_they_are(run: Run, tmp_path: Path) -> None:
    file = str(visits(tmp_path))
    for words in (
        ("plot", "histogram", file, "age", "--json"),
        ("protect", file, "-o", str(tmp_path / "out.csv"), "--columns", "age"),
        ("protect", file, "-o", str(tmp_path / "out.discreet")),
        ("version", "new", file),
    ):
        code, out, err = run(*words)
        assert (code, out) == (3, "")
        assert "--unit patient_id" in err
        assert "--no-unit" in err
    plot = ("plot", "histogram", file, "age", "--json")
    others = ("plot", "histogram", str(visits(tmp_path, 2)), "age", "--json")
    for words, way in ((plot, ("--unit", "patient_id")), (others, ("--no-unit",))):
        code, out, err = run(*words, *way)
        assert (code, err) == (0, "")
        assert dc.View.from_json(out).origin.counted == "protected rows"
    code, _, err = run(*plot, "--unit", "patient_id", "--no-unit")
    assert (code, err.startswith("discreet: --unit and --no-unit contradict")) == (2, True)


@pytest.mark.slow
def test_the_command_line_does_not_overrule_what_a_file_says_of_persons(
    run: Run, tmp_path: Path
) -> None:
    policy = tmp_path / "rules.toml"
    for rows, line, other in (
        (2, "unit = false", ("--unit", "patient_id")),
        (3, 'unit = "patient_id"', ("--no-unit",)),
    ):
        file = str(visits(tmp_path, rows))
        plot = ("plot", "histogram", file, "age", "--json", "--policy", str(policy))
        policy.write_text(f"{line}\n")
        assert run(*plot)[0] == 0
        code, out, err = run(*plot, *other)
        assert (code, out) == (3, "")
        assert "the policy file sets unit" in err
