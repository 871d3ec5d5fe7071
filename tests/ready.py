"""Studies that are opened once for all tests of a process, as their copies take long to make."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from hashlib import sha256
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest

__all__ = ["opened_once"]

T = TypeVar("T")
SECRET = sha256(b"tests").hexdigest()
"""As the tests' own homes have it."""
KEPT: dict[Hashable, object] = {}
HOMES: list[TemporaryDirectory[str]] = []


def opened_once(name: Hashable, make: Callable[[], T], secret: str = SECRET) -> T:
    """Return what was made under a name, or make it in a home of its own.

    Its register is there, too: what a test lets leave of a study pins no other study.
    """
    if name not in KEPT:
        home = TemporaryDirectory(dir=os.environ.get("PYTEST_DEBUG_TEMPROOT"), prefix="ready ")
        HOMES.append(home)
        with pytest.MonkeyPatch.context() as patch:
            for variable in ("DISCREET_CONFIG", "DISCREET_STATE"):
                patch.setenv(variable, os.path.join(home.name, variable))
            patch.setenv("DISCREET_SECRET", secret)
            KEPT[name] = make()
    kept: T = KEPT[name]  # type: ignore[assignment]
    return kept
