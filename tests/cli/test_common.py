"""What the commands share: options that override a policy, and the progress bar."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as dc
from discreet.cli.common import fields_given, listed, names_of, opened

Run = Callable[..., tuple[int, str, str]]


def test_single_fields_override_the_policy(run: Run, cohort: Path) -> None:
    words = ("plot", "histogram", str(cohort), "bmi", "--json", "-k", "8", "--bins", "10")
    view = dc.View.from_json(run(*words)[1])
    assert (view.parameters["k"], view.parameters["bins"]) == (8, 10)


def test_a_policy_file_is_used(run: Run, cohort: Path, tmp_path: Path) -> None:
    policy = tmp_path / "rules.toml"
    policy.write_text("k = 7\n[limits]\nbmi = [15, 45]\n")
    words = ("plot", "histogram", str(cohort), "bmi", "--json", "--policy", str(policy))
    view = dc.View.from_json(run(*words)[1])
    assert isinstance(view, dc.HistogramView)
    assert (view.edges[0], view.edges[-1], view.origin.policy) == (15, 45, "rules")
    assert (tmp_path / ".discreet" / "ledger.sqlite").exists()


@pytest.mark.parametrize("preset", ["datashield", "sacro", "opensafely", "research"])
def test_every_preset_is_known(run: Run, cohort: Path, preset: str) -> None:
    code, out, err = run("plot", "bars", str(cohort), "sex", "--policy", preset, "--json")
    assert (code, err) == (0, "")
    assert dc.View.from_json(out).origin.policy == preset


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


def test_names_are_told_apart_by_commas() -> None:
    assert names_of("a, b,c d") == listed("a, b,c d") == ["a", "b", "c d"]
    assert listed("a") == ["a"]
    assert listed(None) == [], "a list that was not given names nothing"
    assert fields_given(k=None, q=0, name="", strata=[]) == {"q": 0, "name": "", "strata": []}


def test_a_study_is_opened_with_fields_groups_and_strata(cohort: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('k = 7\n[kinds]\nsex = "categorical"\n')

    study = opened(
        cohort, str(rules), {"k": 7}, ["age, bmi", "glucose"], "sex", ["sex", "age_group"]
    )

    policy = study.policy
    assert (policy.k, policy.groups, policy.strata) == (7, (("age", "bmi"), ("glucose",)), ("sex",))
    assert dict(policy.kinds) == {"sex": "categorical", "age_group": "categorical"}
