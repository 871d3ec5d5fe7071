"""The log of a server: a line for each event, and in none anything of the data or of a request."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from discreet.errors import InputError
from discreet.serve import start
from discreet.serve.limits import place_of
from discreet.serve.logs import LOG_FORMATS, log_written
from discreet.serve.start import ENVIRONMENT, worker
from tests.serve.cohort import published
from tests.serve.raw import talk
from tests.serve.workers import process

CANARY = "Quuxward"
FACTS = {"time", "level", "logger", "process", "message", "place", "exception"}


def lines(said: str) -> list[dict[str, Any]]:
    """Read a log of JSON: each line by itself, with no other keys than there are."""
    found = [json.loads(line) for line in said.splitlines()]
    assert all({*it} <= FACTS for it in found)
    return found


def failing() -> Exception:
    """Return an exception whose text quotes a cell."""
    try:
        raise ValueError(f"could not convert {CANARY}")
    except ValueError as error:
        return error


WHERE = place_of(failing())
RECORDS: dict[str, tuple[str, str, Exception | None, str, dict[str, str]]] = {
    "ours": (
        "discreet.serve",
        "too many clients at once",
        None,
        "too many clients at once",
        {"message": "too many clients at once"},
    ),
    "ours, of several lines": (
        "discreet.records",
        "discreet: one\ntwo",
        None,
        "discreet: one two",
        {"message": "one\ntwo"},
    ),
    "ours, with an exception": (
        "discreet.serve",
        "unexpected",
        failing(),
        f"unexpected; {WHERE}",
        {"message": "unexpected", "exception": WHERE},
    ),
    "another's": (
        "asyncio",
        f"Task exception was never retrieved: {CANARY}",
        None,
        "discreet: error of asyncio in there.py, line 7",
        {"place": "there.py, line 7"},
    ),
    "another's, with an exception": (
        "uvicorn.error",
        f"Traceback: {CANARY}",
        failing(),
        f"discreet: error of uvicorn.error in there.py, line 7; {WHERE}",
        {"place": "there.py, line 7", "exception": WHERE},
    ),
    "one that only begins like ours": (
        "discreetly",
        CANARY,
        None,
        "discreet: error of discreetly in there.py, line 7",
        {"place": "there.py, line 7"},
    ),
}


@pytest.mark.parametrize("case", RECORDS)
def test_what_is_written_of_a_record(case: str) -> None:
    name, message, error, text, facts = RECORDS[case]
    raised = None if error is None else (type(error), error, error.__traceback__)
    record = logging.LogRecord(name, logging.ERROR, "a/there.py", 7, message, (), raised)
    assert LOG_FORMATS["text"].line(record) == text
    found = json.loads(LOG_FORMATS["json"].line(record))
    assert found.pop("time").endswith("+00:00")
    about = {"level": "error", "logger": name, "process": os.getpid()}
    assert found == {**about, **facts}


def test_values_that_a_library_logs_are_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    with log_written("json"):
        logging.getLogger("uvicorn.error").warning("%s of %s", CANARY, 3)
        logging.getLogger("discreet.serve").info("ready")
    assert [it.get("message") for it in lines(capsys.readouterr().err)] == [None, "ready"]


@pytest.fixture
def threads_fail_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test see what becomes of a thread that fails: pytest has a hook of its own."""
    monkeypatch.setattr(threading, "excepthook", lambda _: None)


@pytest.mark.usefixtures("threads_fail_quietly")
@pytest.mark.parametrize("name", LOG_FORMATS)
def test_of_threads_that_fail_and_of_warnings_the_place_is_written(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    def fails() -> None:
        raise ValueError(CANARY)

    with log_written(name):
        thread = threading.Thread(target=fails)
        thread.start()
        thread.join()
        warnings.showwarning(UserWarning(CANARY), UserWarning, "a/there.py", 7)
    said = capsys.readouterr().err
    assert CANARY not in said
    assert "unexpected ValueError in test_logs.py, line" in said
    assert "UserWarning in there.py, line 7" in said


def state() -> tuple[Any, ...]:
    """Return what of this process keeping a log changes."""
    ours = logging.getLogger("discreet")
    return (logging.getLogger().handlers[:], ours.level, threading.excepthook, warnings.showwarning)


def test_afterwards_all_is_as_before() -> None:
    before = state()
    with log_written("json"):
        assert state() != before
    assert state() == before


def test_a_log_that_cannot_be_written_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = open(os.devnull, "w")  # noqa: SIM115
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    with log_written("text"):
        logging.getLogger("discreet.serve").warning("nobody hears it")


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The environment of a worker, and its log for a while."""
    monkeypatch.setenv(ENVIRONMENT, json.dumps({"log_format": "json", "metrics_port": None}))
    with log_written("json"):
        monkeypatch.setattr(start, "keep_log", lambda name: None)
        yield


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("there is no file"), "there is no file"),
        (failing(), "unexpected ValueError in test_logs.py, line"),
    ],
)
def test_a_worker_that_cannot_start_says_why_without_a_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception, said: str
) -> None:
    def fails() -> None:
        raise error

    monkeypatch.setattr(start, "app_from_environment", fails)
    with pytest.raises(SystemExit, match="1"):
        worker()
    (line,) = lines(capsys.readouterr().err)
    assert line["message"].startswith(f"a worker could not start: {said}")
    assert CANARY not in line["message"]


def attack(url: str, token: str) -> None:
    """Send what could end in a log: in paths, queries, headers, tokens, bodies, and no HTTP."""
    host, _, port = url.removeprefix("http://").partition(":")
    address = host, int(port)
    for start_of in (
        f"{CANARY} / HTTP/1.1\r\nHost: x\r\n\r\n",
        f"GET /{CANARY}?{CANARY}={token} HTTP/1.1\r\nHost: {CANARY}\r\nConnection: close\r\n\r\n",
        f"GET / HTTP/1.1\r\n{CANARY}\r\n\r\n",
        f"GET / HTTP/1.1\r\n {CANARY}: \x01\r\n\r\n",
        f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {CANARY}\r\n\r\n",
        f"GET /%0a{{%22level%22:%22{CANARY}%22}} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ):
        talk(address, start_of.encode())
    with httpx.Client(base_url=url, trust_env=False, timeout=300) as client:
        for sent in (token, f"discreet_{CANARY}", f"{CANARY}.e30.x"):
            bearer = {"Authorization": f"Bearer {sent}", "X-Forwarded-For": CANARY}
            client.get(f"/api/views/{CANARY}", params={"q": CANARY}, headers=bearer)
            for body in ({"columns": [CANARY]}, {"columns": ["age"], "where": f"age > '{CANARY}'"}):
                client.post("/api/views/histogram", json=body, headers=bearer)
            client.post("/api/copy/part", content=CANARY.encode(), headers=bearer)
            client.request(CANARY.upper(), "/api/study", headers=bearer)


@pytest.mark.parametrize(
    "workers", [1, pytest.param(2, marks=pytest.mark.slow)], ids=["one", "two"]
)
def test_of_hostile_requests_nothing_is_in_the_log(tmp_path: Path, workers: int) -> None:
    options = ("--log-format", "json", "--workers", str(workers))
    server = process(published(tmp_path), tmp_path / "state", *options)
    try:
        attack(server.url, server.token)
    finally:
        out, said = server.stop()
    assert out == ""
    found = lines(said)
    assert found[0]["level"] == "warning"
    assert found[0]["message"].startswith("a new record was begun")
    messages = [it["message"] for it in found[1:]]
    assert messages[0] == f"listening at {server.url}"
    assert messages[-1] == "stopped"
    assert {*messages} <= {messages[0], "ready", "stopped"}
    for word in (CANARY, CANARY.upper(), server.token):
        assert word not in said
