"""The paper's data under the policy `research`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as dc
from examples.figures import simulate


@pytest.fixture(autouse=True)
def known_noise(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw with the noise of `make figures`, whatever else draws in this process."""
    monkeypatch.setenv("DISCREET_SECRET", "1234")


@pytest.fixture
def study_of(known_noise: None) -> Callable[..., dc.Research]:
    """Open D1, D2 or D3, of 500 persons or of another number."""
    policy = dc.Policy.preset("research", public=True)
    return lambda name, persons=500: dc.research(simulate.table(name, persons), policy)


@pytest.fixture
def d1(study_of: Callable[..., dc.Research]) -> dc.Research:
    """Open D1 itself."""
    return study_of("D1")


@pytest.fixture
def d2(study_of: Callable[..., dc.Research]) -> dc.Research:
    """Open D2 itself."""
    return study_of("D2")


@pytest.fixture
def d3(study_of: Callable[..., dc.Research]) -> dc.Research:
    """Open D3 itself."""
    return study_of("D3")
