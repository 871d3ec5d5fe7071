"""A server that runs while others read, write and copy its record beside it, and is killed."""

from __future__ import annotations

import json
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from discreet.records.store import Store, verify
from discreet.serve.record import entry_of_view, log
from discreet.serve.tokens import add_token, list_tokens
from tests.forked import Forked
from tests.serve.cohort import MANY, NAME, published, record_in
from tests.serve.workers import client, process

CLIENTS = 4
ROUNDS = 8
BESIDE = "import sys; from tests.serve.rounds import main; main(*sys.argv[1:])"
COLUMNS = ("age", "bmi", "glucose", "ldl", "hdl", "tch", "ltg", "progression")
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    (kind, {"columns": [name], **by})
    for kind in ("histogram", "box")
    for name in COLUMNS
    for by in ({}, {"by": "sex"})
]


@dataclass
class Client:
    """Somebody with a token, who counts along what was asked and answered."""

    name: str
    token: str
    replies: int = 0
    spent: set[int] = field(default_factory=set)
    seen: dict[str, bytes] = field(default_factory=dict)

    def ask(self, url: str, turns: threading.Semaphore) -> None:
        """Ask one thing after the other, when it is somebody's turn, until the server is gone."""
        chance = random.Random(self.name)
        with client(url, self.token) as asking:
            while turns.acquire():
                which = chance.randrange(len(QUESTIONS))
                kind, body = QUESTIONS[which]
                try:
                    found = asking.post(f"/api/views/{kind}", json=body)
                except httpx.HTTPError:
                    return
                self.replies += 1
                self.count(which, found)

    def count(self, which: int, found: httpx.Response) -> None:
        """See that the server counts as this client does."""
        assert found.status_code == 200, found.text
        self.spent.add(which)
        assert self.seen.setdefault(found.json()["id"], found.content) == found.content

    def check(self, store: Store) -> None:
        """See that the record holds all that was answered, and counts as this client does."""
        caller = f"token {self.name}"
        rows = [it for it in log(store) if it["caller"] == caller]
        assert 0 <= len(rows) - self.replies <= 1  # the one that was cut off
        assert len(self.seen) == len(self.spent)
        for view in self.seen:
            assert entry_of_view(store, NAME, view, caller) is not None

    def look_again(self, url: str) -> None:
        """See that another server gives the same again."""
        with client(url, self.token) as asking:
            for view, body in self.seen.items():
                assert asking.get(f"/api/views/{view}").content == body


@pytest.mark.slow
def test_what_is_done_beside_a_server_loses_nothing(tmp_path: Path) -> None:
    file, state = published(tmp_path), tmp_path / "state"
    store, many = record_in(tmp_path), ("--a-minute", str(MANY))
    names = [f"client{i}" for i in range(CLIENTS)]
    clients = [Client(name, add_token(store, NAME, name)) for name in names]
    server = process(file, state, "--workers", "2", *many)
    turns = threading.Semaphore(CLIENTS)
    with ThreadPoolExecutor(CLIENTS) as threads:
        asking = [threads.submit(it.ask, server.url, turns) for it in clients]
        beside = Forked(BESIDE, (str(state), server.url, str(ROUNDS)))
        try:
            lines = []
            for line in beside.stdout:
                turns.release(CLIENTS // 2)  # so many a round, however slow the machine is
                lines.append(line)
            assert (beside.wait(), beside.communicate()) == (0, ("", ""))
            seen = json.loads(lines[-1])
            turns.release(1000)
            time.sleep(0.2)
        finally:
            said = server.kill()
            turns.release(1000)
    for it in asking:
        it.result()
    assert said == ""
    assert verify(store, seen["head"]).broken == ()
    next_run = process(file, state, *many)
    try:
        for each in clients:
            assert each.replies > 0
            each.check(store)
            each.look_again(next_run.url)
    finally:
        next_run.stop()
    states = {it.name: it.state() for it in list_tokens(store)}
    assert [states[f"r{i}"] for i in range(ROUNDS)] == ["revoked"] * ROUNDS
