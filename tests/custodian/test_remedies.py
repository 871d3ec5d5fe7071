"""The command that cures a refusal: in full, and as a shell and the policy need it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from discreet.custodian.gate import new_version
from discreet.policy import Policy
from discreet.table import Table, open_table

COLUMNS = {name: [float(i) for i in range(9)] for name in ("a", "b c", "d")}

SAID: dict[str, tuple[str, dict[str, Any], str | None, str]] = {
    # the policy, what differs, the study, and what is to be typed
    "as it is": ("standard", {}, None, "discreet version new 'my data.csv'"),
    "another preset": (
        "sacro",
        {"k": 12, "m": 60},
        None,
        "discreet version new 'my data.csv' --policy sacro -k 12 -m 60",
    ),
    "a study": (
        "standard",
        {"kinds": {"b c": "categorical"}, "study": "it's", "unit": False},
        "t",
        "discreet version new 'my data.csv' --kinds 'b c=categorical' --no-unit --study t",
    ),
    "a file": ("f.toml", {}, None, "discreet version new 'my data.csv' --policy f.toml"),
    "a name for a file": (
        "f.toml",
        {},
        "t",
        "discreet version new 'my data.csv' --policy f.toml --study t",
    ),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file_of: Any) -> Table:
    """Open a file in a folder of its own that has a policy."""
    monkeypatch.chdir(tmp_path)
    Path("f.toml").write_text("k = 6\n")
    file_of(Path("my data.csv"), COLUMNS)
    return open_table("my data.csv", kinds={}, roles={}, unit=None, key=None)


def policy_of(name: str, fields: dict[str, Any]) -> Policy:
    """Load a policy file, or a preset with fields changed."""
    return Policy.load(name).changed(**fields) if "." in name else Policy.preset(name, **fields)


@pytest.mark.parametrize(("name", "fields", "study", "typed"), SAID.values(), ids=SAID)
def test_the_command_is_said_in_full(
    here: Table, name: str, fields: dict[str, Any], study: str | None, typed: str
) -> None:
    said = new_version(here, policy_of(name, fields), study)
    assert said == f"`{typed}`"


CALLED: dict[str, tuple[str, dict[str, Any]]] = {
    "what no option says": ("standard", {"round_to": 3}),
    "what overrules a file": ("f.toml", {"k": 8}),
    "a policy of one's own": ("standard", {"name": "ours"}),
}


@pytest.mark.parametrize(("name", "fields"), CALLED.values(), ids=CALLED)
def test_what_the_command_line_cannot_say_is_a_call(
    here: Table, name: str, fields: dict[str, Any]
) -> None:
    said = new_version(here, policy_of(name, fields), "s")
    assert said == "new_version() of a study like this one, study='s'"


def test_of_a_frame_it_is_a_call() -> None:
    frame = open_table(pa.table(COLUMNS), kinds={}, roles={}, unit=None, key=None)
    said = new_version(frame, Policy.preset("standard", study="s"), None)
    assert said == "new_version() of a study like this one, study='s'"


def test_a_file_that_is_gone_is_not_named(here: Table) -> None:
    policy = policy_of("f.toml", {})
    os.remove("f.toml")
    assert new_version(here, policy, "s").startswith("new_version() of a study like this one")
