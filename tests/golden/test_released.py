"""What a released version has left behind is read by this one, and says the same.

docs/versions.md promises it. `python -m tests.golden.write released` writes such a folder, once for
each version that is released.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import discreet as dc
from tests.golden import cases
from tests.golden.access import place

FOLDERS = sorted(cases.RELEASED.iterdir())


@pytest.fixture(params=FOLDERS, ids=lambda it: it.name)
def custodian(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder as a version left it behind, with its secret."""
    folder = tmp_path / "home"
    with place(folder):
        hidden = folder / ".discreet"
        hidden.mkdir()
        for file in request.param.iterdir():
            shutil.copy(file, hidden if file.suffix == ".parquet" else folder)
        connection = sqlite3.connect(hidden / "ledger.sqlite")
        connection.executescript((folder / "ledger.sql").read_text(encoding="utf-8"))
        connection.close()
        yield folder


ROOT = cases.RELEASED.parents[2]
SAID: dict[str, str] = {
    "pyproject.toml": r'^version = "{}"$',
    "CITATION.cff": r"^version: {}$",
    "CHANGELOG.md": r"^## {} \(\d{{4}}-\d\d-\d\d\)$",
}


@pytest.mark.parametrize("file", SAID)
def test_each_place_says_the_same_version(file: str) -> None:
    said = SAID[file].format(re.escape(dc.__version__))
    assert re.search(said, (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_there_are_files_of_this_version() -> None:
    assert (cases.RELEASED / dc.__version__).is_dir()


def test_views_are_drawn_again(custodian: Path) -> None:
    for name in cases.RELEASED_VIEWS:
        view = dc.View.load(custodian / f"{name}.json")
        assert view.scene().panels
        assert json.loads((custodian / f"{name}.json").read_text("utf-8"))["kind"] == view.kind


def test_a_policy_says_the_same(custodian: Path) -> None:
    policy = dc.Policy.load(custodian / "policy.toml")
    assert (policy.study, policy.kinds, policy.roles) == (
        "clinic",
        {"ward": "categorical"},
        {"patient": "identifier"},
    )
