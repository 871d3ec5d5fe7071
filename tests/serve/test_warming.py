"""Drawing once before anybody asks."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from discreet.serve import drawing as warming
from discreet.serve.drawing import warm, warm_in_background


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the user's folders another place; return where the ledger would be."""
    monkeypatch.setenv("DISCREET_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("DISCREET_CONFIG", str(tmp_path / "config"))
    return tmp_path / "state"


def test_warming_up_leaves_no_trace(
    nowhere: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def figure(picture: bytes, form: str) -> bytes:
        made.append(form)
        return b""

    monkeypatch.setattr(warming, "figure", figure)
    with caplog.at_level(logging.DEBUG, "discreet"):
        warm()

    assert len(made) >= 7
    assert caplog.records == []
    assert [*nowhere.parent.iterdir()] == []


def test_a_server_serves_all_the_same_where_it_fails(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> bytes:
        raise ValueError("Canary")

    monkeypatch.setattr(warming, "picture_told", fails)
    with caplog.at_level(logging.DEBUG, "discreet"):
        thread = warm_in_background()
        thread.join(60)

    assert not thread.is_alive()
    assert not thread.daemon  # it ends before the interpreter does
    assert [record.getMessage() for record in caplog.records] == [
        "warming up ended early: ValueError"
    ]


def test_a_server_that_ends_meanwhile_does_not_wait_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []

    def figure(picture: bytes, form: str) -> bytes:
        made.append(form)
        return b""

    class Ended:
        def is_alive(self) -> bool:
            return False

    monkeypatch.setattr(warming, "figure", figure)
    monkeypatch.setattr(threading, "main_thread", Ended)
    warm()

    assert made == ["figure.png"]
