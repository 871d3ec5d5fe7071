"""Each place that says the version of discreet says the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import discreet as dc

ROOT = Path(__file__).parents[1]
SAID: dict[str, str] = {
    "pyproject.toml": r'^version = "{}"$',
    "CITATION.cff": r"^version: {}$",
    "CHANGELOG.md": r"^## {} \(\d{{4}}-\d\d-\d\d\)$",
}


@pytest.mark.parametrize("file", SAID)
def test_each_place_says_the_same_version(file: str) -> None:
    said = SAID[file].format(re.escape(dc.__version__))
    assert re.search(said, (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE)
