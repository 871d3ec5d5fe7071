"""The command that cures a refusal: in full, and as a shell and the policy need it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from discreet.policy import Policy
from discreet.study.gate import new_version
from discreet.table import Table, open_table

COLUMNS = {name: [float(i) for i in range(9)] for name in ("a", "b c", "d")}

SAID: dict[str, tuple[str, dict[str, Any], list[list[str]], str | None, str]] = {
    # the policy, what differs, the groups, the study, and what is to be typed
    "as it is": ("standard", {}, [], None, "discreet version new 'my data.csv'"),
    "groups": (
        "standard",
        {},
        [["a", "b c"], ["d"]],
        None,
        "discreet version new 'my data.csv' --groups 'a,b c' --groups d",
    ),
    "a name with a comma": (
        "standard",
        {},
        [["a", "e,f"]],
        None,
        """discreet version new 'my data.csv' --groups 'a,"e,f"'""",
    ),
    "another preset": (
        "sacro",
        {"k": 12, "strata": ["d"]},
        [],
        None,
        "discreet version new 'my data.csv' --policy sacro -k 12 --strata d",
    ),
    "a study": (
        "standard",
        {"kinds": {"d": "categorical"}, "study": "it's", "unit": False},
        [],
        "t",
        "discreet version new 'my data.csv' --kinds d=categorical --no-unit --study t",
    ),
    "a file": (
        "f.toml",
        {},
        [["a", "d"]],
        None,
        "discreet version new 'my data.csv' --policy f.toml --groups a,d",
    ),
    "a file of groups": (
        "g.toml",
        {},
        [["a", "d"]],
        None,
        "write groups = [['a', 'd']] into g.toml, then"
        " `discreet version new 'my data.csv' --policy g.toml`",
    ),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file_of: Any) -> Table:
    """Open a file in a folder of its own that has two policies."""
    monkeypatch.chdir(tmp_path)
    Path("f.toml").write_text("k = 6\n")
    Path("g.toml").write_text("groups = [['a', 'b c']]\n")
    file_of(Path("my data.csv"), COLUMNS)
    return open_table("my data.csv", kinds={}, roles={}, unit=None, key=None)


def policy_of(name: str, fields: dict[str, Any]) -> Policy:
    """Load a policy file, or a preset with fields changed."""
    return Policy.load(name).changed(**fields) if "." in name else Policy.preset(name, **fields)


@pytest.mark.parametrize(("name", "fields", "groups", "study", "typed"), SAID.values(), ids=SAID)
def test_the_command_is_said_in_full(
    here: Table,
    name: str,
    fields: dict[str, Any],
    groups: list[list[str]],
    study: str | None,
    typed: str,
) -> None:
    said = new_version(here, policy_of(name, fields), groups, study)

    assert said == (typed if "`" in typed else f"`{typed}`")


CALLED: dict[str, tuple[str, dict[str, Any]]] = {
    "what no option says": ("standard", {"round_to": 3}),
    "what overrules a file": ("f.toml", {"k": 8}),
    "a policy of one's own": ("standard", {"name": "ours"}),
}


@pytest.mark.parametrize(("name", "fields"), CALLED.values(), ids=CALLED)
def test_what_the_command_line_cannot_say_is_a_call(
    here: Table, name: str, fields: dict[str, Any]
) -> None:
    said = new_version(here, policy_of(name, fields), [["a", "d"]], "s")

    assert said == "new_version() of a study like this one, study='s', with groups=[['a', 'd']]"


def test_of_a_frame_it_is_a_call() -> None:
    frame = open_table(pa.table(COLUMNS), kinds={}, roles={}, unit=None, key=None)

    said = new_version(frame, Policy.preset("standard", study="s"), [], None)

    assert said == "new_version() of a study like this one, study='s'"


def test_a_file_that_is_gone_is_not_named(here: Table) -> None:
    policy = policy_of("f.toml", {})
    os.remove("f.toml")

    assert new_version(here, policy, [], "s").startswith("new_version() of a study like this one")
