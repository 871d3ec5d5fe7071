"""Whether a server says that it answers at once, and what it says where data or policy changed."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from discreet.progress import listening
from discreet.serve import ready as of_ready
from discreet.serve.facts import Served
from discreet.serve.files import WARMED
from discreet.serve.ready import Ready, Workers
from discreet.study import open as open_study
from tests.serve.cohort import WHOLE, written
from tests.serve.conftest import running
from tests.serve.test_whole import serving


def test_a_server_that_waits_for_nothing_is_ready(tmp_path: Path) -> None:
    file, policy = written(tmp_path, WHOLE)
    with running(open_study(file, policy), tmp_path) as server:
        answer = httpx.get(f"{server.url}/api/ready")
        assert answer.status_code == 200
        assert answer.json() == {"ready": True, "waits": None, "done": 0, "of": 0, "says": None}
        assert answer.headers["cache-control"] == "no-store"

        policy.write_text(f"# another one\n{policy.read_text()}", encoding="utf-8")
        changed = httpx.get(f"{server.url}/api/ready")
        assert changed.status_code == 503
        assert changed.json()["says"].startswith("the policy file is not as when")


def test_it_says_what_it_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = Ready(serving(tmp_path))
    told, seen = [], []

    def warm(step: Callable[[], object]) -> None:
        for _ in range(WARMED):
            seen.append(ready.facts())
            step()

    monkeypatch.setattr(of_ready, "warm", warm)
    ready.expect()
    first = ready.facts()
    with listening(lambda *it: told.append(it)):
        ready.warm()

    many = WARMED + 1
    assert (first["ready"], first["waits"], first["done"]) == (False, "the rows of the copy", 0)
    assert [it["done"] for it in seen] == [*range(1, many)]
    assert {it["waits"] for it in seen} == {"plots to be compiled"}
    assert ready.facts()["ready"]
    assert told[0] == ("warming up", 1, many)
    assert told[-1] == ("warming up", many, many)


def test_warming_draws_and_releases_nothing(tmp_path: Path) -> None:
    served = serving(tmp_path)
    ready = Ready(served)
    ready.warm()

    assert "packed" in vars(served.held)
    assert served.ledger.history() == []


def test_where_warming_fails_the_server_answers_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_: object) -> None:
        raise ValueError("Canary")

    monkeypatch.setattr(of_ready, "warm", fails)
    ready = Ready(serving(tmp_path))
    ready.expect()
    with caplog.at_level(logging.WARNING, "discreet"):
        ready.warm()

    assert ready.facts()["ready"]
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("warming up ended early: ValueError")
    assert "Canary" not in said


def new_version(served: Served) -> None:
    served.study.histogram("age").ask_to_leave("svg")
    served.study.session.ledger.open_version(
        "cohort.csv", {"other": 1}, {}, lambda _: None, k=5, most=4
    )


CHANGES: dict[str, Callable[[Served, Path], object]] = {
    "data": lambda _, folder: os.utime(folder / "cohort.csv", (1, 1)),
    "version": lambda served, _: new_version(served),
}


@pytest.mark.parametrize("what", CHANGES)
def test_changed_data_are_told_once_in_the_log(
    tmp_path: Path, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    served = serving(tmp_path)
    ready = Ready(served)
    assert ready.facts()["ready"]
    CHANGES[what](served, tmp_path)
    with caplog.at_level(logging.WARNING, "discreet"):
        found = [ready.facts() for _ in range(3)]

    assert {it["ready"] for it in found} == {False}
    assert all(it["says"].startswith("the data or the version of the study") for it in found)
    assert [record.getMessage() for record in caplog.records] == [f"discreet: {found[0]['says']}"]


# --- several workers ------------------------------------------------------------------------------


def test_of_several_workers_all_have_to_be_warm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_ready, "warm", lambda step: None)
    ready, folder = Ready(serving(tmp_path)), tmp_path / "workers"
    folder.mkdir()
    ready.expect(Workers(folder, 2))
    assert ready.facts()["waits"] == "the rows of the copy"
    ready.warm()

    told = ready.facts()
    assert (told["ready"], told["waits"]) == (False, "the other workers")
    (folder / str(ended_process())).touch()  # it was killed, and another takes its place
    assert not ready.facts()["ready"]
    (folder / str(os.getppid())).touch()
    assert ready.facts()["ready"]


def ended_process() -> int:
    """Return the number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid
