"""How much memory a copy takes: by hand, said where it is much, and refused where there is less."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.errors import RefusedError
from discreet.progress import listening
from discreet.secret import Secret
from discreet.vault import partitions as needs
from discreet.vault.partitions import Needs, check_memory

SECRET = Secret.from_bytes(bytes(range(32)))


# 120 bytes a number, 270 and 4 for each indicator a level: 1, 20 and 20; 32 for each product.
@pytest.mark.parametrize(
    ("given", "size"),
    [
        (Needs(1000, 10, []), 1000 * 1200 + 32 * 21**2),
        (Needs(1000, 0, [2]), 1000 * 274 + 32 * 2**2),
        (Needs(1000, 1, [21, 5000]), 1000 * (120 + 2 * 350) + 32 * 43**2),
        (Needs.of_partitions(10, 1, 1), 10 * 470 + 32 * 23**2),
    ],
)
def test_what_is_needed_by_hand(given: Needs, size: float) -> None:
    assert given.bytes == size


def test_levels_beyond_those_that_have_indicators_need_no_more() -> None:
    assert Needs(10, 0, [5000]).bytes == Needs(10, 0, [21]).bytes


def test_what_is_much_is_said_in_the_log_and_to_who_looks(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(needs, "there_is", lambda: 64e9)
    heard: list[str] = []
    with listening(lambda task, *_: heard.append(task)), caplog.at_level(logging.INFO):
        check_memory(Needs(1_000_000, 5, []), SECRET)
        assert not heard
        check_memory(Needs(10_000_000, 10, []), SECRET)
    assert len(heard) == len(caplog.messages) == 1
    assert "GB of memory" in heard[0]
    assert "GB of memory" in caplog.messages[0]


def test_more_than_there_is_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "there_is", lambda: 8e9)
    with pytest.raises(RefusedError, match=r"8\.0 GB is what .* open a table of fewer columns"):
        check_memory(Needs(10_000_000, 10, []), SECRET)


def test_where_the_system_says_none_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "there_is", lambda: None)
    check_memory(Needs(1e12, 10, []), SECRET)


def test_how_much_is_said_hangs_on_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one row decided whether a table is refused."""
    monkeypatch.setattr(needs, "there_is", lambda: 10.5e9 / needs.SHARE)

    def refused(seed: int) -> bool:
        secret = Secret.from_bytes(np.random.default_rng(seed).bytes(32))
        try:
            check_memory(Needs(10_000_000, 0, [2] * 4)._replace(rows=1e10 / 1096), secret)
        except RefusedError:
            return True
        return False

    assert {refused(seed) for seed in range(12)} == {False, True}


@pytest.mark.parametrize("partitioned", [False, True])
def test_a_copy_is_refused_before_anything_is_drawn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, partitioned: bool
) -> None:
    monkeypatch.setenv("DISCREET_STATE", str(tmp_path))
    monkeypatch.setenv("DISCREET_SECRET", np.random.default_rng(1).bytes(32).hex())
    monkeypatch.setattr(needs, "there_is", lambda: 1000.0)
    drawing = "LargeTable.each" if partitioned else "copy_of_whole"
    monkeypatch.setattr(f"discreet.vault.vault.{drawing}", None)
    if partitioned:
        monkeypatch.setattr("discreet.vault.whole_columns.MOST_CELLS", 4000)
        monkeypatch.setattr("discreet.vault.whole_columns.LEAST_PERSONS", 2)
    frame = pd.DataFrame({n: np.random.default_rng(2).normal(size=3000) for n in "xy"})
    with pytest.raises(RefusedError, match=r"takes about .* of memory to make"):
        dc.open(frame, study="s", unit=False).scatter("x", "y")
