"""Faults: servers killed in the middle of requests, full disks, records that go or are changed."""

from __future__ import annotations

import random
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import httpx
import pytest

from discreet.records.store import verify
from discreet.serve.record import entry_of_view, log
from discreet.serve.tokens import Caller, add_token, caller_of
from tests.serve.cohort import MANY, NAME, published, record_in, studies_of
from tests.serve.workers import Process, beside, client, process

COLUMNS = ("age", "bmi", "glucose", "ldl", "hdl", "tch", "ltg", "progression")
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    *(
        (kind, {"columns": [name], **by})
        for kind in ("histogram", "box")
        for name in COLUMNS
        for by in ({}, {"by": "sex"}, {"by": "region"})
    ),
    *(("heatmap", {"columns": [*pair]}) for pair in combinations(COLUMNS, 2)),
]
LANES = KILLS = 2
CLIENTS = 4


def started(folder: Path, *options: str) -> Process:
    """Start a server of the cohort, with a record in the folder."""
    return process(folder / "cohort.discreet", folder / "state", "--a-minute", str(MANY), *options)


# --- killed in the middle -----------------------------------------------------------------------


@dataclass
class Lane:
    """A study whose servers are killed one after the other, and what its clients have seen."""

    folder: Path
    workers: int
    seen: dict[str, bytes] = field(default_factory=dict)
    answered: int = 0
    cut: int = 0
    first: threading.Event = field(default_factory=threading.Event)
    refused: set[int] = field(default_factory=set)

    def prepare(self) -> None:
        """Protect the cohort and make a token."""
        self.folder.mkdir()
        published(self.folder)
        self.store = record_in(self.folder)  # which opens its file for each look
        self.token = add_token(self.store, NAME, "alice")

    def start(self) -> Process:
        return started(self.folder, "--workers", str(self.workers))

    def ask(self, url: str, seed: int, stop: threading.Event) -> None:
        """Ask whatever comes to mind until the server is gone."""
        chance = random.Random(seed)
        with client(url, self.token) as alice:
            while not stop.is_set():
                kind, body = chance.choice(QUESTIONS)
                try:
                    found = alice.post(f"/api/views/{kind}", json=body)
                except httpx.HTTPError:
                    self.cut += 1
                    return
                self.answered += 1
                self.first.set()
                if found.status_code == 200:
                    view = found.json()["id"]
                    assert self.seen.setdefault(view, found.content) == found.content
                else:
                    self.refused.add(found.status_code)

    def round(self, number: int) -> None:
        """Start a server, kill it while it is asked, and look at what it left behind."""
        server = self.start()
        stop = threading.Event()
        self.first.clear()
        with ThreadPoolExecutor(CLIENTS) as threads:
            asked = [
                threads.submit(self.ask, server.url, CLIENTS * number + i, stop)
                for i in range(CLIENTS)
            ]
            if number % 5:  # some are killed before they could say anything
                self.first.wait(60)
            time.sleep(random.Random(number).uniform(0.0, 0.6))
            server.kill()
            stop.set()
        for it in asked:
            it.result()
        self.check()

    def check(self) -> None:
        """See that the record holds, and holds all that anybody was answered."""
        assert verify(self.store).broken == ()
        asked = [it for it in log(self.store) if it["caller"] == "token alice"]
        assert self.answered <= len(asked) <= self.answered + self.cut
        for view in self.seen:
            assert entry_of_view(self.store, NAME, view, "token alice") is not None


@pytest.mark.slow
def test_a_killed_server_has_recorded_all_that_it_answered(tmp_path: Path) -> None:
    lanes = [Lane(tmp_path / f"lane{i}", workers=1 + i) for i in range(LANES)]

    def run(lane: Lane) -> None:
        lane.prepare()
        for number in range(lane.workers - 1, KILLS):  # the first of one process alone
            lane.round(number)
        server = started(lane.folder)
        with client(server.url, lane.token) as alice:
            for view, body in lane.seen.items():
                assert alice.get(f"/api/views/{view}").content == body
        server.stop()

    with ThreadPoolExecutor(LANES) as threads:
        for it in [threads.submit(run, lane) for lane in lanes]:
            it.result()
    for lane in lanes:
        assert lane.cut > 1  # most were in the middle of a request
        assert lane.seen
        assert lane.refused <= {503}


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started; Linux tells."""
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    if not tasks.is_file():
        pytest.skip("this system does not tell which processes one has started")
    return [int(it) for it in tasks.read_text().split()]


@pytest.mark.slow
def test_workers_answer_alike_and_record_all(tmp_path: Path) -> None:
    published(tmp_path)
    store = record_in(tmp_path)
    token = add_token(store, NAME, "alice")
    server = started(tmp_path, "--workers", "2")
    try:

        def ask(i: int) -> tuple[str, int, bytes]:
            name = COLUMNS[i % len(COLUMNS)]
            with client(server.url, token) as alice:
                found = alice.post("/api/views/histogram", json={"columns": [name]})
            return name, found.status_code, found.content

        with ThreadPoolExecutor(8) as threads:
            became = [*threads.map(ask, range(4 * len(COLUMNS)))]
        workers = children_of(server.popen.pid)
        assert len(workers) >= 2
    finally:
        said = server.stop()
    until = time.monotonic() + 60
    while any(Path(f"/proc/{it}").exists() for it in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{it}").exists() for it in workers), "they end with the command"
    assert caller_of(store, server.token) is None
    assert {status for _, status, _ in became} == {200}
    assert len({body for _, _, body in became}) == len(COLUMNS)
    assert [it["outcome"] for it in log(store)] == ["answered"] * len(became)
    assert verify(store).broken == ()
    assert said[1] == ""


# --- a full disk --------------------------------------------------------------------------------


def codes(url: str, token: str, questions: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Ask some questions; return what became of each."""
    became = []
    with client(url, token) as alice:
        for kind, body in questions:
            found = alice.post(f"/api/views/{kind}", json=body)
            became.append("" if found.status_code == 200 else found.json()["error"]["code"])
    return became


@pytest.mark.slow
def test_nothing_goes_out_while_the_disk_is_full(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("the size of files of a running process cannot be limited here")
    published(tmp_path)
    store = record_in(tmp_path)
    token = add_token(store, NAME, "alice")
    server = started(tmp_path)
    try:
        assert codes(server.url, token, QUESTIONS[:2]) == ["", ""]
        _, most = resource.prlimit(server.popen.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.popen.pid, resource.RLIMIT_FSIZE, (1024, most))
        before = log(store)
        with client(server.url, token) as alice:
            for kind, body in [*QUESTIONS[:4], ("box", {"columns": ["nobody"]})]:
                found = alice.post(f"/api/views/{kind}", json=body)
                assert (found.status_code, found.json()["error"]["code"]) == (503, "record")
            assert alice.get("/api/health").status_code == 200
        assert log(store) == before
        resource.prlimit(server.popen.pid, resource.RLIMIT_FSIZE, (most, most))
        assert codes(server.url, token, QUESTIONS[:4]) == [""] * 4
    finally:
        said = server.stop()
    assert verify(store).broken == ()
    assert [it["outcome"] for it in log(store)].count("answered") == 6
    assert "Traceback" not in said[1]


# --- a record that goes, or is changed ----------------------------------------------------------


class Issuer:
    """Trusts one token, which the record knows nothing of."""

    def caller(self, token: str, studies: Sequence[str]) -> tuple[Caller, str] | None:
        return (Caller("oidc dora", "analyst"), studies[0]) if token == "a.b.c" else None


def remove(path: Path) -> None:
    for it in path.parent.glob("record.sqlite*"):
        it.unlink()


def remove_what_is_ahead(path: Path) -> None:
    path.with_name("record.sqlite-wal").unlink()


def put_garbage(path: Path) -> None:
    remove(path)
    path.write_bytes(bytes(range(256)) * 200)


def put_an_old_one(path: Path) -> None:
    old = path.parent.parent / "backup"
    remove(path)
    shutil.copy(old, path)


ACTS: dict[str, Callable[[Path], None]] = {
    it.__name__: it for it in (*(remove, remove_what_is_ahead, put_garbage, put_an_old_one),)
}


@pytest.mark.parametrize("act", ACTS.values(), ids=[*ACTS])
def test_a_record_that_goes_is_not_begun_anew(act: Callable[[Path], None], tmp_path: Path) -> None:
    studies = studies_of(tmp_path)
    path, token = studies.store.path, add_token(studies.store, NAME, "alice")
    shutil.copy(path, tmp_path / "backup")
    with beside(studies, issuer=Issuer()) as url:
        assert codes(url, token, QUESTIONS[:1]) == [""]
        assert codes(url, "a.b.c", QUESTIONS[:1]) == [""]
        act(path)
        there = {it.name: it.read_bytes() for it in tmp_path.rglob("record.sqlite")}
        for text in (token, "a.b.c"):  # a token of an issuer is good whatever the record holds
            assert codes(url, text, QUESTIONS[:2]) == ["record", "record"]
            with client(url, text) as caller:
                assert caller.get("/api/study").status_code == 503
        assert {it.name: it.read_bytes() for it in tmp_path.rglob("record.sqlite")} == there


def test_a_stopped_server_has_said_nothing_and_lets_its_token_go(tmp_path: Path) -> None:
    published(tmp_path)
    store = record_in(tmp_path)
    add_token(store, NAME, "before")  # else the start says that the record is new
    server = started(tmp_path)
    with client(server.url, server.token) as alice:
        alice.get("/clientcanary", headers={"X-Clientcanary": "clientcanary"})
        alice.post("/api/views/box", json={"columns": ["clientcanary"]})
        assert alice.post("/api/views/box", json={"columns": ["age"]}).status_code == 200
    assert server.popen.poll() is None
    assert server.stop() == ("", "")
    assert caller_of(store, server.token) is None


def test_a_server_that_loses_its_record_says_so_once(tmp_path: Path) -> None:
    published(tmp_path)
    store = record_in(tmp_path)
    token = add_token(store, NAME, "alice")
    server = started(tmp_path)
    try:
        assert codes(server.url, token, QUESTIONS[:1]) == [""]
        remove_what_is_ahead(store.path)
        assert codes(server.url, token, QUESTIONS[:2]) == ["record", "record"]
    finally:
        out, said = server.stop()
    lost, kept_token = said.splitlines()
    assert out == ""
    assert lost.startswith(f"discreet: the record {str(store.path)!r}, or what SQLite keeps beside")
    assert "stop this program, look with discreet log --state" in lost
    assert kept_token.startswith("discreet: the start's token stays valid for a day: the record")


@pytest.mark.slow
def test_what_was_changed_in_the_record_is_not_given_again(tmp_path: Path) -> None:
    studies = studies_of(tmp_path)
    token = add_token(studies.store, NAME, "alice")
    with beside(studies) as url:
        assert codes(url, token, QUESTIONS[:1]) == [""]
    view = log(studies.store)[0]["view"]
    connection = sqlite3.connect(studies.store.path, isolation_level=None)
    connection.execute("DROP TRIGGER asked_no_update")
    connection.execute("UPDATE asked SET what = 'box'")
    connection.close()
    again = studies_of(tmp_path)
    with beside(again) as url, client(url, token) as alice:
        for path in ("", "/figure.svg"):
            found = alice.get(f"/api/views/{view}{path}")
            assert (found.status_code, found.json()["error"]["code"]) == (503, "record")
    assert "asked row 1" in " ".join(verify(again.store).broken)
