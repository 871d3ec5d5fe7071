"""Counts and times of requests for Prometheus: what they say, to whom, and nothing of the data."""

from __future__ import annotations

import json
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
import pytest
import uvicorn

from discreet.errors import InputError
from discreet.serve import start
from discreet.serve.metrics import HOST, offered, shared_registry
from discreet.serve.start import Serving, opened, run
from discreet.serve.tokens import add_token
from tests.serve.cohort import NAME, published, record_in
from tests.serve.workers import client, first_asked, process

prometheus = pytest.importorskip("prometheus_client", reason="needs discreet[server]")
parsed = pytest.importorskip("prometheus_client.parser").text_string_to_metric_families

CANARY = "Quuxward"
NAMES = {
    "discreet_request_seconds",
    "discreet_requests_open",
    "discreet_pictures_in_turn",
    "discreet_workers",
    "discreet_workers_ready",
}

Samples = dict[tuple[str, ...], float]


def samples(url: str) -> Samples:
    """Return what is offered, by name and the values of labels; no buckets."""
    text = httpx.get(url, trust_env=False, timeout=300).text
    found: Samples = {}
    for family in parsed(text):
        assert family.name in NAMES
        for it in family.samples:
            assert {*it.labels} <= {"route", "status", "le"}
            if "le" not in it.labels:
                found[(it.name, *(it.labels[key] for key in sorted(it.labels)))] = it.value
    return found


def counts(found: Samples) -> dict[tuple[str, str], float]:
    """Return how many requests there were of each route and status."""
    return {(key[1], key[2]): n for key, n in found.items() if key[0].endswith("_seconds_count")}


def planned(folder: Path, **options: Any) -> Serving:
    return Serving((str(published(folder)),), str(folder / "state"), port=0, **options)


@contextmanager
def counting(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Serve a cohort with metrics in this process; give its address, a token, and theirs."""
    plan = planned(folder, metrics_port=0)
    studies = opened(plan)
    token = add_token(studies.store, NAME, "alice")
    app = start._app(studies, plan)
    config = start.configured(app, plan)
    taken = start.listening(config, plan)
    server = uvicorn.Server(config)
    with closing(taken), offered(app.state.metrics.registry, 0) as metrics:
        thread = Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
        thread.start()
        url = f"http://{HOST}:{taken.getsockname()[1]}"
        try:
            first_asked(url)
            yield url, token, metrics
        finally:
            server.should_exit = True
            thread.join(60)


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a server not warm up."""
    monkeypatch.setattr(start, "warm_in_background", lambda _: None)


@pytest.mark.usefixtures("cold")
def test_requests_are_counted_by_route_and_status(tmp_path: Path) -> None:
    with counting(tmp_path) as (url, token, metrics):
        with client(url, token) as alice:
            view = alice.post("/api/views/histogram", json={"columns": ["age"]}).json()["id"]
            assert alice.get(f"/api/views/{view}").status_code == 200
            assert alice.post("/api/views/histogram", json={"columns": [CANARY]}).is_error
            for path in (f"/{CANARY}", f"/api/{CANARY}?{CANARY}={CANARY}", "/", "/custodian"):
                alice.get(path, headers={CANARY: CANARY})
            alice.request(CANARY.upper(), f"/api/views/{CANARY}")
            alice.request("PUT", "/api/study")
        found = samples(metrics)
        text = httpx.get(metrics, trust_env=False, timeout=300).text
    assert counts(found) == {
        ("/api/study", "401"): 1,  # what `first_asked` asks
        ("/api/views/histogram", "200"): 1,
        ("/api/views/histogram", "422"): 1,
        ("/api/views/{view}", "200"): 1,
        ("/api/views/{view}", "405"): 1,
        ("/api/study", "405"): 1,
        ("other", "404"): 2,
        ("other", "200"): 2,
    }
    assert found["discreet_requests_open",] == found["discreet_pictures_in_turn",] == 0
    assert found["discreet_workers",] == 1
    for word in (CANARY, CANARY.lower(), CANARY.upper(), "cohort", "age", "alice", view, token):
        assert not re.search(rf"\b{word}\b", text)


@pytest.mark.slow
def test_a_process_is_ready_once_it_is_warm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warming: list[Any] = []
    monkeypatch.setattr(start, "warm_in_background", warming.append)
    monkeypatch.setattr("discreet.serve.metrics.LOOK_SECONDS", 0.01)
    monkeypatch.setattr("discreet.serve.ready.warm", lambda *_: None)
    with counting(tmp_path) as (_, __, metrics):
        assert samples(metrics)["discreet_workers_ready",] == 0
        warming[0]()
        assert comes(metrics, "discreet_workers_ready", 1)


def comes(metrics: str, name: str, value: float) -> bool:
    """Wait until a metric has a value."""
    waits = Event()
    return any(samples(metrics)[name,] == value or waits.wait(0.05) for _ in range(600))


@pytest.mark.usefixtures("cold")
def test_they_are_offered_to_this_machine_alone_and_not_on_the_server(tmp_path: Path) -> None:
    with counting(tmp_path) as (url, token, metrics):
        assert metrics.startswith("http://127.0.0.1:")
        with client(url, token) as alice:
            assert alice.get("/metrics").status_code == 404
            assert alice.get("/api/metrics").status_code == 404
    with pytest.raises(httpx.ConnectError, match="refused"):
        httpx.get(metrics, trust_env=False)


@pytest.mark.usefixtures("cold")
def test_a_port_that_is_taken_ends_the_start(tmp_path: Path) -> None:
    with socket.create_server((HOST, 0)) as taken:
        plan = planned(tmp_path, metrics_port=taken.getsockname()[1])
        with pytest.raises(InputError, match="cannot be listened on for metrics; is it in use"):
            run(opened(plan), plan, lambda _: None)


def test_without_its_package_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(InputError, match=r"not installed: pip install 'discreet\[server\]'"):
        shared_registry(tmp_path)


def offered_by(said: Iterator[str]) -> str:
    """Return the address of metrics, as the log has it."""
    for line in said:
        words = json.loads(line)["message"].split()
        if words[0] == "metrics":
            return str(words[-1])
    raise AssertionError("no metrics are offered")


@pytest.mark.slow
def test_the_counts_of_workers_are_added_up(tmp_path: Path) -> None:
    add_token(record_in(tmp_path), NAME, "before")
    options = ("--log-format", "json", "--metrics-port", "0", "--workers", "2")
    server = process(published(tmp_path), tmp_path / "state", *options)
    try:
        metrics = offered_by(iter(server.popen.stderr.readline, ""))
        for _ in range(20):  # each by a connection of its own, so that both workers get some
            found = httpx.get(f"{server.url}/api/health", trust_env=False, timeout=300)
            assert found.status_code == 200
        assert comes(metrics, "discreet_workers", 2)
        assert counts(samples(metrics))["/api/health", "200"] == 20
        assert comes(metrics, "discreet_workers_ready", 2)
    finally:
        server.stop()
