"""What a proposed policy would change, and what is wrong with one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import InputError, LeavingError
from discreet.policy import PRESETS, Policy
from discreet.study import Study
from discreet.study import open as open_study
from discreet.study.proposal import Mistake, Proposal, policy_text, propose
from tests.serve.cohort import opened

WHOLE = 'name = "clinic"\n[roles]\npatient = "identifier"\ndiagnosis = "sensitive"\n'


def release_some(study: Study) -> None:
    """Release a column, and rows of two columns."""
    study.histogram("age").ask_to_leave("svg")
    study.scatter("age", "bmi").ask_to_leave("svg")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Return a study of which something was released."""
    found = opened(tmp_path_factory.mktemp("study"), WHOLE)
    release_some(found)
    return found


def proposed(study: Study, text: str) -> Proposal:
    """Propose a policy that can be read."""
    found = propose(study.session, text)
    assert isinstance(found, Proposal), found
    return found


# What is proposed, which fields differ and what each changes; which version it needs.
CASES: dict[str, tuple[str, dict[str, str], int | None]] = {
    "the same": (WHOLE, {}, None),
    "the same, and said": ('rows = "whole"\nm = 20\n' + WHOLE, {}, None),
    "a larger group": ("k = 7\n" + WHOLE, {"k": "copy", "m": "copy"}, 2),
    "coarser counts": ("round_to = 10\n" + WHOLE, {"round_to": "copy"}, 2),
    "other bars": ("bins = 25\n" + WHOLE, {"bins": "start"}, None),
    "a table": ('tables = [["sex", "region"]]\n' + WHOLE, {"tables": "version"}, 2),
    "a role": (WHOLE.replace("sensitive", "other"), {"roles": "copy"}, 2),
    "a rate": ("requests_a_minute = 10\n" + WHOLE, {"requests_a_minute": "start"}, None),
    "a label": (WHOLE + '[labels]\nbmi = "Mass"\n', {"labels": "start"}, None),
    "another preset": (
        'preset = "opensafely"\n' + WHOLE,
        {"k": "copy", "m": "copy"},
        2,
    ),
}


@pytest.mark.parametrize(("text", "does", "version"), CASES.values(), ids=CASES)
def test_what_a_change_does(
    study: Study, text: str, does: dict[str, str], version: int | None
) -> None:
    found = proposed(study, text)

    assert {it.field: it.does for it in found.changes} == does
    assert found.version == version
    assert found.refused == ""
    commands = [line.split()[1:3] for line in found.commands]
    opens = [["version", "new"]] if version else []
    assert commands == ([*opens, ["serve", "cohort.csv"]] if does else [])
    assert (f"version {version}" in found.says[0]) == (version is not None)
    assert Policy.of_keys(tomllib.loads(found.text)).to_dict() == (
        Policy.of_keys({"name": "clinic", **tomllib.loads(text)}).to_dict()
    )


@pytest.mark.slow
def test_what_it_says_is_what_the_ledger_does(tmp_path: Path) -> None:
    """A version is needed where the ledger would release nothing more without one."""
    for name, (text, _, version) in CASES.items():
        folder = tmp_path / name.replace(" ", "-").replace(",", "")
        folder.mkdir()
        release_some(opened(folder, WHOLE))
        (folder / "discreet.toml").write_text(text, encoding="utf-8")
        after = open_study(folder / "cohort.csv", folder / "discreet.toml")
        if version is None:
            release_some(after)
            with pytest.raises(InputError, match="neither the data nor the policy"):
                after.new_version()
            continue
        with pytest.raises(LeavingError, match="release"):
            release_some(after)
        assert after.new_version() == version
        release_some(after)


def test_of_a_study_that_released_nothing_no_version_is_opened(tmp_path: Path) -> None:
    found = proposed(opened(tmp_path, WHOLE), "k = 9\n" + WHOLE)

    assert (found.version, found.commands) == (
        None,
        ("discreet serve cohort.csv --policy discreet.toml",),
    )
    assert found.says == (
        "Nothing was released yet: the policy holds from the server's next start.",
    )


def test_another_name_is_another_study(study: Study) -> None:
    found = proposed(study, 'study = "other"\n' + WHOLE)

    assert (found.version, [it.field for it in found.changes]) == (None, ["study"])
    assert found.says[0].startswith("Another name is another study: tokens of this one do not")


def test_past_the_last_version_it_is_refused(study: Study) -> None:
    found = proposed(study, "k = 9\nversions = 1\n" + WHOLE)

    assert found.refused.startswith("Version 1 is the last that this policy allows")
    assert found.commands == ()


def test_lines_and_words_stand_side_by_side(study: Study) -> None:
    (k, m) = proposed(study, "k = 7\n" + WHOLE).changes

    assert (k.before, k.after) == ("k = 5", "k = 7")
    assert k.said.startswith("At least 5 persons")
    assert k.says.startswith("At least 7 persons")
    assert (m.before, m.after) == ("m = 20", "m = 28")


WRONG: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "no TOML": ("k = ", [("", "The text is not TOML: at its end.")]),
    "a number of many digits": (f"k = {'9' * 5000}", [("", "The text is not TOML: at its end.")]),
    "deep brackets": (f"k = {'[' * 30000}", [("", "The text is not TOML: at its end.")]),
    "an unknown field": ("kk = 5", [("kk", "the policy has no key 'kk'; did you mean 'k'?")]),
    "a wrong value": ("k = 0", [("k", "k of the policy must be a whole number from 1 to 1000000")]),
    "two wrong values": (
        'k = "Canary"\nbins = 1',
        [
            ("k", "k of the policy must be a whole number from 1 to 1000000"),
            ("bins", "bins of the policy must be a whole number from 2 to 1000"),
        ],
    ),
    "an unknown field, and a wrong value": (
        "kk = 5\nbins = 1",
        [
            ("kk", "the policy has no key 'kk'"),
            ("bins", "bins of the policy must be a whole number"),
        ],
    ),
    "too small": ("k = 2", [("k", "k of a guarded policy must be at least 3")]),
    "another preset": ('preset = "Canary"', [("", "there is no preset 'Canary'; there are ")]),
    "what does not fit together": (
        "k = 5\nround_to = 11",
        [("round_to", "round_to of a guarded policy must be at most 2 k, or k becomes 0")],
    ),
    "a file": ('[hierarchies]\nward = "/etc/passwd"', [("hierarchies", "hierarchies of a prop")]),
    "no table": ("hierarchies = 3", [("hierarchies", "hierarchies of the policy must be a table")]),
    "no lines": ("[hierarchies]\nward = 3", [("hierarchies", "hierarchies of the policy must")]),
}


@pytest.mark.parametrize(("text", "wrong"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_by_field(
    study: Study, text: str, wrong: list[tuple[str, str]]
) -> None:
    found = propose(study.session, text)

    assert isinstance(found, list)
    assert all(isinstance(it, Mistake) for it in found)
    assert [it.field for it in found] == [field for field, _ in wrong]
    for it, (_, says) in zip(found, wrong, strict=True):
        assert it.says.startswith(says)


CHANGED: dict[str, dict[str, Any]] = {
    **{preset: {"preset": preset} for preset in PRESETS},
    "lists": {"tables": [["a]", "[b"], ["c, d", 'e"']], "withhold": ["a long name " * 6, "b"]},
    "tables": {"bounds": {"age": [0, float("inf")]}, "roles": {"a.b": "sensitive"}},
    "lines": {"regime": "research", "hierarchies": {"w": [["a", "b"], ["c", "b"]]}},
}


@pytest.mark.parametrize("given", CHANGED.values(), ids=CHANGED)
def test_a_policy_s_text_is_read_back_as_it_was(given: dict[str, Any]) -> None:
    policy = Policy.of_keys(given)
    text = policy_text(policy)

    assert Policy.of_keys(tomllib.loads(text)) == policy
    assert "missing" not in text, "what is usual, and protects nobody, is left out"
