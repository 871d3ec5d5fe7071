"""Memory that is given back to the system."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pytest

from discreet.memory import give_back

STATM = Path("/proc/self/statm")


def held() -> int:
    """Return how many bytes of memory this process holds."""
    return int(STATM.read_text().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not STATM.exists(), reason="needs Linux's /proc")
def test_what_was_freed_below_what_is_held_is_given_back() -> None:
    # Arrays small enough to lie in the heap, which ends with one that stays.
    arrays = [np.ones(12_500) for _ in range(2_000)]
    size = sum(it.nbytes for it in arrays)
    full = held()
    del arrays[:-1]

    give_back()
    assert full - held() > size / 2
    assert arrays[0].sum() == 12_500


def test_where_the_system_cannot_take_it_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.memory.ctypes.CDLL", lambda _: object())
    give_back()
