"""Faults: servers killed in the middle of requests, full disks, ledgers that go or are changed."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import httpx
import pytest

from discreet.errors import LedgerError
from discreet.ledger.ledger import Ledger
from discreet.serve.log import Caller, add_token, kept, log
from discreet.records.store import verify
from discreet.serve import answers
from discreet.study import open as open_study
from discreet.study.session import ledger_of
from tests.serve.cohort import COUNTED, narrow, written
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
LANES = 2
CLIENTS = 4


@pytest.fixture(scope="module", autouse=True)
def plain_environment() -> Iterator[None]:
    """Let processes find what is beside their policy alone."""
    kept_aside = {name: os.environ.pop(name, None) for name in ("DISCREET_SECRET",)}
    yield
    os.environ.update({name: value for name, value in kept_aside.items() if value is not None})


# --- killed in the middle -----------------------------------------------------------------------


@dataclass
class Lane:
    """A study whose servers are killed one after the other, and what its clients have seen."""

    folder: Path
    seen: dict[str, bytes] = field(default_factory=dict)
    answered: int = 0
    cut: int = 0
    first: threading.Event = field(default_factory=threading.Event)
    refused: set[int] = field(default_factory=set)

    def prepare(self) -> None:
        """Write the cohort and make a token."""
        self.folder.mkdir()
        self.files = written(self.folder)
        self.ledger: Ledger = open_study(*self.files).session.ledger
        self.token = add_token(self.ledger.store, "cohort.csv", "alice")

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
        server = process(*self.files)
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
        """See that the ledger holds, and holds all that anybody has seen."""
        ledger = self.ledger  # opens its file for each look
        assert verify(ledger.store).broken == ()
        for view, body in self.seen.items():
            answer = kept(ledger.store, "cohort.csv", 1, view, "token alice")
            assert answer is not None
            assert answer.body == body
        left = {it["kind"] for it in ledger.history()}
        assert not self.seen or left


@pytest.mark.slow
@pytest.mark.parametrize("kills", [pytest.param(2, marks=pytest.mark.promise), 5])
def test_a_killed_server_has_recorded_all_that_it_answered(tmp_path: Path, kills: int) -> None:
    lanes = [Lane(tmp_path / f"lane{i}") for i in range(LANES)]

    def run(lane: Lane) -> None:
        lane.prepare()
        for number in range(kills):
            lane.round(number)
        server = process(*lane.files)
        with client(server.url, lane.token) as alice:
            for view, body in lane.seen.items():
                assert alice.get(f"/api/views/{view}").content == body
        server.stop()

    with ThreadPoolExecutor(LANES) as threads:
        for it in [threads.submit(run, lane) for lane in lanes]:
            it.result()
    for lane in lanes:
        assert lane.cut > kills  # most were in the middle of a request
        assert lane.seen
        assert lane.refused <= {403, 409, 503}


@pytest.mark.promise
@pytest.mark.slow
def test_workers_keep_one_answer(tmp_path: Path) -> None:
    files = written(tmp_path, COUNTED)
    store = open_study(*files).session.ledger.store
    token = add_token(store, "cohort.csv", "alice")
    server = process(*files, "--workers", "2")
    try:

        def ask(i: int) -> tuple[str, int, bytes]:
            name = COLUMNS[i % len(COLUMNS)]
            with client(server.url, token) as alice:
                found = alice.post("/api/views/histogram", json={"columns": [name]})
            return name, found.status_code, found.content

        with ThreadPoolExecutor(8) as threads:
            became = [*threads.map(ask, range(4 * len(COLUMNS)))]
    finally:
        said = server.stop()
    assert {status for _, status, _ in became} <= {200, 503}
    drawn = {(name, body) for name, status, body in became if status == 200}
    assert len(drawn) == len({name for name, _ in drawn})
    assert verify(store).broken == ()
    assert said[1] == ""


def test_a_stopped_server_lets_its_token_go(tmp_path: Path) -> None:
    files = written(tmp_path)
    server = process(*files)
    with client(server.url, server.token) as alice:
        assert alice.get("/api/study").status_code == 200
    out, said = server.stop()
    assert server.token not in out + said
    again = process(*files)
    with client(again.url, server.token) as alice:
        assert alice.get("/api/study").status_code == 401
    again.stop()


# --- a full disk --------------------------------------------------------------------------------


def codes(url: str, token: str, questions: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Ask some questions; return what became of each."""
    became = []
    with client(url, token) as alice:
        for kind, body in questions:
            found = alice.post(f"/api/views/{kind}", json=body)
            became.append("" if found.status_code == 200 else found.json()["error"]["code"])
    return became


@pytest.mark.promise
@pytest.mark.slow
def test_nothing_goes_out_while_the_disk_is_full(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("the size of files of a running process cannot be limited here")
    files = written(tmp_path)
    store = open_study(*files).session.ledger.store
    token = add_token(store, "cohort.csv", "alice")
    server = process(*files)
    try:
        assert codes(server.url, token, QUESTIONS[:2]) == ["", ""]
        _, most = resource.prlimit(server.popen.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.popen.pid, resource.RLIMIT_FSIZE, (1024, most))
        before = log(store)
        with client(server.url, token) as alice:
            for kind, body in [*QUESTIONS[:4], ("box", {"columns": ["nobody"]})]:
                found = alice.post(f"/api/views/{kind}", json=body)
                assert (found.status_code, found.json()["error"]["code"]) == (503, "ledger")
            assert alice.get("/api/health").status_code == 200
        assert log(store) == before
        resource.prlimit(server.popen.pid, resource.RLIMIT_FSIZE, (most, most))
        assert codes(server.url, token, QUESTIONS[:4]) == [""] * 4
    finally:
        said = server.stop()
    assert verify(store).broken == ()
    assert [it["outcome"] for it in log(store)].count("answered") == 4
    assert "Traceback" not in said[1]


def test_an_answer_that_cannot_be_kept_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = open_study(*written(tmp_path))
    store = study.session.ledger.store
    token = add_token(store, "cohort.csv", "alice")

    def full(*_: Any, **__: Any) -> None:
        raise LedgerError("no room")

    with beside(study) as url:
        with monkeypatch.context() as patched:
            patched.setattr(answers, "keep", full)
            assert codes(url, token, QUESTIONS[:1]) == ["ledger"]
        assert [it["outcome"] for it in log(store)] == ["begun"]
        assert codes(url, token, QUESTIONS[:1]) == [""]


# --- data that cannot be had for a while --------------------------------------------------------


def test_what_cannot_be_read_for_a_while_is_not_held_back_for_ever(tmp_path: Path) -> None:
    file, rules = written(tmp_path, COUNTED)
    study = open_study(file, rules)
    token = add_token(study.session.ledger.store, "cohort.csv", "alice")
    asked: list[tuple[str, dict[str, Any]]] = [
        ("histogram", {"columns": ["bmi"]}),
        ("scatter", {"columns": ["age", "bmi"]}),
    ]
    with beside(study) as url:
        file.rename(tmp_path / "away")
        assert codes(url, token, asked) == ["leaving", "leaving"]
        (tmp_path / "away").rename(file)
        assert codes(url, token, asked) == ["", ""]


# --- a ledger that goes, or is changed ----------------------------------------------------------


class Issuer:
    """Trusts one token, which the ledger knows nothing of."""

    def caller(self, token: str) -> Caller | None:
        return Caller("oidc dora", "analyst") if token == "a.b.c" else None


def remove(path: Path) -> None:
    for it in path.parent.glob("ledger.sqlite*"):
        it.unlink()


def move(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def remove_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def remove_what_is_ahead(path: Path) -> None:
    path.with_name("ledger.sqlite-wal").unlink()


def put_garbage(path: Path) -> None:
    remove(path)
    path.write_bytes(bytes(range(256)) * 200)


def put_nothing(path: Path) -> None:
    remove(path)
    path.touch(mode=0o600)


def put_an_old_one(path: Path) -> None:
    old = path.parent.parent / "backup"
    remove(path)
    shutil.copy(old, path)


ACTS: dict[str, Callable[[Path], None]] = {
    it.__name__: it
    for it in (
        *(remove, move, remove_folder, remove_what_is_ahead),
        *(put_garbage, put_nothing, put_an_old_one),
    )
}


@pytest.mark.parametrize("act", ACTS.values(), ids=[*ACTS])
def test_a_ledger_that_goes_is_not_begun_anew(act: Callable[[Path], None], tmp_path: Path) -> None:
    study = open_study(*written(tmp_path))
    store = study.session.ledger.store
    token = add_token(store, "cohort.csv", "alice")
    shutil.copy(store.path, tmp_path / "backup")
    with beside(study, issuer=Issuer().caller) as url:
        assert codes(url, token, QUESTIONS[:1]) == [""]
        assert codes(url, "a.b.c", QUESTIONS[:1]) == [""]
        act(store.path)
        there = {it.name: it.read_bytes() for it in tmp_path.rglob("ledger.sqlite")}
        for text in (token, "a.b.c"):  # a token of an issuer is good whatever the ledger holds
            assert codes(url, text, QUESTIONS[:2]) == ["ledger", "ledger"]
            with client(url, text) as caller:
                assert caller.get("/api/study").status_code == 503
        assert {it.name: it.read_bytes() for it in tmp_path.rglob("ledger.sqlite")} == there


def test_a_server_that_loses_its_ledger_says_so_once(tmp_path: Path) -> None:
    data, policy = written(tmp_path, table=narrow())
    store = ledger_of(policy).store
    token = add_token(store, "cohort.csv", "alice")
    server = process(data, policy)
    try:
        assert codes(server.url, token, QUESTIONS[:1]) == [""]
        remove_what_is_ahead(store.path)
        assert codes(server.url, token, QUESTIONS[:2]) == ["ledger", "ledger"]
    finally:
        out, said = server.stop()
    lost, kept_token = said.splitlines()
    assert out == ""
    assert lost.startswith(f"discreet: the ledger {str(store.path)!r}, or what SQLite keeps beside")
    assert "stop this program, look with discreet log --verify" in lost
    assert kept_token.startswith("discreet: the start's token stays valid for a day: the ledger")


def test_an_answer_that_was_changed_in_the_ledger_is_not_given(tmp_path: Path) -> None:
    study = open_study(*written(tmp_path))
    store = study.session.ledger.store
    token = add_token(store, "cohort.csv", "alice")
    with beside(study) as url:
        assert codes(url, token, QUESTIONS[:1]) == [""]
    connection = sqlite3.connect(store.path, isolation_level=None)
    connection.execute("DROP TRIGGER answer_no_update")
    connection.execute("UPDATE answer SET body = ?", (zlib.compress(b'{"id": "x"}'),))
    connection.close()
    with beside(open_study(tmp_path / "cohort.csv", tmp_path / "discreet.toml")) as url:
        assert codes(url, token, QUESTIONS[:1]) == ["ledger"]
    assert "answer row 1" in " ".join(verify(store).broken)


# --- how a process ends -------------------------------------------------------------------------


def ended(server: Process) -> bool:
    with suppress(Exception):
        server.popen.wait(0)
    return server.popen.poll() is not None


def test_a_process_serves_until_it_is_asked_to_end_and_says_nothing(tmp_path: Path) -> None:
    data, policy = written(tmp_path, table=narrow())
    add_token(ledger_of(policy).store, "cohort.csv", "before")  # else the start says it is new
    server = process(data, policy)
    with client(server.url, server.token) as alice:
        for path in ("/", "/api/study", "/api/views/clientcanary", "/clientcanary"):
            alice.get(path, headers={"X-Clientcanary": "clientcanary"})
        alice.post("/api/views/box", json={"columns": ["clientcanary"]})
        assert alice.post("/api/views/box", json={"columns": ["age"]}).status_code == 200
    assert not ended(server)
    out, said = server.stop()
    assert (out, said) == ("", "")
    assert ended(server)
