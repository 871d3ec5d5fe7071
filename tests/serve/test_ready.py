"""Whether a server says that it answers at once, and what it says where its record is gone."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from discreet.explore.derived import DerivedCopy
from discreet.progress import listening
from discreet.serve import ready as of_ready
from discreet.serve.files import WARMED
from discreet.serve.ready import NO_RECORD, Ready, Workers
from discreet.serve.record import log
from discreet.serve.tokens import add_token
from tests.serve.cohort import NAME, narrow, published, studies_of
from tests.serve.conftest import running


def test_a_server_that_waits_for_nothing_is_ready(tmp_path: Path) -> None:
    with running(studies_of(tmp_path), tmp_path) as server:
        answer = httpx.get(f"{server.url}/api/ready")
        assert answer.status_code == 200
        assert answer.json() == {"ready": True, "waits": None, "done": 0, "of": 0, "says": None}
        assert answer.headers["cache-control"] == "no-store"
        server.studies.store.path.unlink()
        lost = httpx.get(f"{server.url}/api/ready")
        assert (lost.status_code, lost.json()["says"]) == (503, NO_RECORD)


def test_it_says_what_it_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = Ready(studies_of(tmp_path))
    told, seen = [], []

    def warm(_: DerivedCopy, step: Callable[[], object]) -> None:
        for _plot in WARMED:
            seen.append(ready.facts())
            step()

    monkeypatch.setattr(of_ready, "warm", warm)
    ready.expect()
    first = ready.facts()
    with listening(lambda *it: told.append(it)):
        ready.warm()
    many = len(WARMED) + 1
    assert (first["ready"], first["waits"], first["done"]) == (False, "the rows of the copy", 0)
    assert [it["done"] for it in seen] == [*range(1, many)]
    assert {it["waits"] for it in seen} == {"plots to be compiled"}
    assert ready.facts()["ready"]
    assert told[0] == ("warming up", 1, many)
    assert told[-1] == ("warming up", many, many)


@pytest.mark.slow
def test_warming_makes_the_rows_and_writes_down_nothing(tmp_path: Path) -> None:
    studies = studies_of(tmp_path)
    Ready(studies).warm()
    assert "packed" in vars(studies.all()[0].kept)
    assert log(studies.store) == []


@pytest.mark.slow
def test_a_new_version_is_taken_before_anybody_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.serve.studies.LOOK_SECONDS", 0.0)
    studies = studies_of(tmp_path)
    ready, before = Ready(studies), studies.all()[0].version
    published(tmp_path, table=narrow())
    opened: list[str] = []
    monkeypatch.setattr("discreet.serve.studies.LOG.info", lambda *it: opened.append(it[2]))
    assert ready.facts()["ready"]
    monkeypatch.setattr("discreet.serve.studies.LOOK_SECONDS", 1e9)
    assert [studies.all()[0].version] == opened != [before]


def test_where_warming_fails_the_server_answers_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> None:
        raise ValueError("Canary")

    monkeypatch.setattr(of_ready, "warm", fails)
    ready = Ready(studies_of(tmp_path))
    ready.expect()
    with caplog.at_level(logging.WARNING, "discreet"):
        ready.warm()
    assert ready.facts()["ready"]
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("warming up ended early: ValueError")
    assert "Canary" not in said


def test_a_record_that_is_gone_is_told_once_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    studies = studies_of(tmp_path)
    add_token(studies.store, NAME, "alice")
    ready = Ready(studies)
    with studies.store.kept_open():
        assert ready.facts()["ready"]
        studies.store.path.unlink()
        with caplog.at_level(logging.WARNING, "discreet.serve"):
            found = [ready.facts() for _ in range(3)]
    assert {(it["ready"], it["says"]) for it in found} == {(False, NO_RECORD)}
    said = [it.getMessage() for it in caplog.records if it.name == "discreet.serve"]
    assert said == [f"discreet: {NO_RECORD}"]


def test_of_several_workers_all_have_to_be_warm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_ready, "warm", lambda *_: None)
    ready, folder = Ready(studies_of(tmp_path)), tmp_path / "workers"
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
