"""Which of many like cases are for `make test`, and which for `make test-all` as well."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

from discreet.policy import PAPER_FIELDS, Policy

__all__ = ["examples", "few", "policy_of", "slow"]


def examples(thorough: int) -> int:
    """Return how many examples a law is tried on that needs more than others: a fifth, here."""
    fast = os.environ.get("HYPOTHESIS_PROFILE", "fast") == "fast"
    return max(thorough // 5, 15) if fast else thorough


def few(cases: Iterable[Any], fast: int = 1, *, every: int = 1) -> list[Any]:
    """Return all cases, those slow that are not among the first of every so many.

    Parameters
    ----------
    cases : iterable
        A value, or a tuple of them where a case has several.
    fast : int, default 1
        How many of the cases stay in `make test`; of many in a row they are far apart.
    every : int, default 1
        How far apart those are.
    """
    kept = range(0, fast * every, every)
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=slow(place not in kept))
        for place, case in enumerate(cases)
    ]


def slow(yes: bool) -> list[pytest.MarkDecorator]:
    """Return the mark of a case that is for `make test-all` alone, or none."""
    return [pytest.mark.slow] * yes


def policy_of(preset: str = "research", **fields: Any) -> Policy:
    """Return a preset with fields changed, those of the papers beside the others."""
    own = {name: fields.pop(name) for name in PAPER_FIELDS if name in fields}
    return Policy.preset(preset, **fields, **({"papers": own} if own else {}))
