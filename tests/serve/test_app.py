"""The server as one application: what is open, what is not, and how errors come out."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from discreet.errors import InputError, LeavingError
from discreet.explore.table_kinds import TABLES
from discreet.outputs.of_answers import PLOT_FORMS, TABLE_FORMS
from discreet.plots import PLOTS, View
from discreet.serve import answers, counter, desk, routes
from discreet.serve import files as files_of
from discreet.serve.app import PAGES, TYPES, files
from discreet.serve.refusals import CODES, ErrorBody, refusal
from discreet.serve.studies import Served
from discreet.serve.tokens import Caller, add_token
from discreet.web import FILES, page_files
from tests.serve.cohort import NAME, studies_of
from tests.serve.conftest import Running, running


def get(served: Running, path: str, **headers: str) -> httpx.Response:
    return httpx.get(served.url + path, headers=headers, trust_env=False, verify=False)


class Issuer:
    """Trusts one token."""

    def caller(self, token: str, studies: Sequence[str]) -> tuple[Caller, str] | None:
        return (Caller("oidc f3a1", "analyst"), studies[0]) if token == "head.body.seal" else None


def test_tokens_of_an_issuer_are_taken_too(tmp_path: Path) -> None:
    with running(studies_of(tmp_path), tmp_path, issuer=Issuer()) as served:
        with served.client("head.body.seal") as client:
            assert client.get("/api/study").json()["caller"]["name"] == "oidc f3a1"
            assert client.post("/api/views/bars", json={"columns": ["sex"]}).status_code == 200
        with served.client("head.body.Canary") as client:
            assert client.get("/api/study").status_code == 401
        with served.client() as client:
            assert client.get("/api/study").json()["caller"]["name"] == "token alice"


# --- errors ---------------------------------------------------------------------------------------

FAULTS: dict[str, tuple[Exception, str, str]] = {
    "a record that cannot be written": (LeavingError("Canary"), "record", "check"),
    "an error nobody expects": (KeyError("Canary"), "broken", "answer_again"),
    "an error of ours": (InputError("Canary"), "broken", "study_json"),
}


@pytest.mark.parametrize(("error", "code", "where"), FAULTS.values(), ids=FAULTS)
def test_what_goes_wrong_is_told_with_fixed_words(
    served: Running,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    code: str,
    where: str,
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(answers if where == "check" else routes, where, fails)
    ask: dict[str, Callable[[httpx.Client], httpx.Response]] = {
        "study_json": lambda client: client.get("/api/study"),
        "check": lambda client: client.post("/api/views/bars", json={"columns": ["sex"]}),
        "answer_again": lambda client: client.get(f"/api/views/{'0' * 32}"),
    }
    with served.client() as client:
        found = ask[where](client)
    assert (found.status_code, found.content) == (refusal(code).status, refusal(code).body)
    ErrorBody.model_validate(found.json())
    assert "Canary" not in caplog.text


def test_the_record_is_kept_open_while_it_runs_and_let_go_at_the_end(tmp_path: Path) -> None:
    studies = studies_of(tmp_path)
    ahead = studies.store.path.with_name("record.sqlite-wal")
    with running(studies, tmp_path) as served, served.client() as client:
        for _ in range(3):
            assert client.get("/api/study").status_code == 200
        assert ahead.exists()
    assert studies.store.path.exists()
    assert not ahead.exists()


AGE = {"columns": ["age"]}
NOBODY = "0" * 32


@pytest.fixture
def alice(served: Running) -> Iterator[httpx.Client]:
    with served.client() as client:
        yield client


@pytest.fixture
def carol(served: Running) -> Iterator[httpx.Client]:
    with served.client(served.custodian) as client:
        yield client


def error(found: httpx.Response) -> dict[str, Any]:
    """Return what an answer says that is none."""
    assert found.headers["content-type"] == "application/json"
    assert found.headers["cache-control"] == "no-store"
    told = found.json()
    assert {*told} == {"error"}
    assert {*told["error"]} == {"code", "says", "rule", "nearest", "place"}
    return dict(told["error"])


# --- who may ask ----------------------------------------------------------------------------------

ADDRESSES = [
    ("GET", "/api/study"),
    ("GET", "/api/rows"),
    ("POST", "/api/copy/light"),
    ("POST", "/api/copy/part"),
    *(("POST", f"/api/{way}/{kind}") for way in ("copy", "views") for kind in PLOTS),
    ("GET", f"/api/views/{NOBODY}"),
    *(("GET", f"/api/views/{NOBODY}/{form}") for form in PLOT_FORMS),
    *(("POST", f"/api/tables/{kind}") for kind in TABLES),
    *(("GET", f"/api/tables/{NOBODY}/{form}") for form in TABLE_FORMS),
    ("POST", "/api/drawn/alice"),
    ("GET", "/api/outputs"),
    ("POST", "/api/outputs"),
    ("POST", "/api/outputs/1"),
    ("GET", "/api/questions"),
    ("POST", "/api/questions"),
    ("GET", "/api/answers"),
    ("GET", "/api/boards"),
    ("POST", "/api/boards"),
    ("GET", "/api/custodian"),
    ("GET", "/api/custodian/log"),
    ("GET", "/api/custodian/log.csv"),
    ("GET", "/api/custodian/log.json"),
    ("POST", "/api/custodian/verify"),
    ("POST", "/api/custodian/tokens"),
    ("POST", "/api/custodian/tokens/alice"),
    ("DELETE", "/api/custodian/tokens/alice"),
    ("GET", "/api/custodian/questions"),
    ("GET", "/api/custodian/question-list"),
    ("POST", "/api/custodian/questions/alice"),
    ("GET", "/api/custodian/outputs"),
    ("POST", "/api/custodian/outputs"),
    ("GET", "/api/custodian/outputs/1/file"),
    ("POST", "/api/custodian/outputs/1"),
]
OPEN = ("/api/health", "/api/ready")
CREDENTIALS: tuple[dict[str, str], ...] = ({}, {"Authorization": "Bearer discreet_Canary"})
"""Of nobody; `test_security` tries many more."""


def test_nothing_without_a_token_and_nobody_unknown_is_recorded(
    served: Running, carol: httpx.Client
) -> None:
    before = carol.get("/api/custodian/log").json()["log"]
    with httpx.Client(base_url=served.url, trust_env=False) as client:
        for (method, path), headers in itertools.product(ADDRESSES, CREDENTIALS):
            found = client.request(method, path, headers=headers, content=b"{Canary")
            assert (found.status_code, error(found)["code"]) == (401, "token"), path
            assert found.headers["www-authenticate"] == "Bearer"
            assert b"Canary" not in found.content
            assert error(found)["says"] == refusal("token").says
    assert carol.get("/api/custodian/log").json()["log"] == before


@pytest.mark.parametrize(
    ("method", "path"), [it for it in ADDRESSES if "/custodian" in it[1]], ids=lambda it: it
)
def test_an_analyst_is_no_custodian(
    alice: httpx.Client, carol: httpx.Client, method: str, path: str
) -> None:
    before = carol.get("/api/custodian/log").json()["log"][:1]
    found = alice.request(method, path)
    assert (found.status_code, error(found)["code"]) == (403, "role")
    log = carol.get("/api/custodian/log").json()["log"]
    assert log[1:2] == before  # a page of it has an end
    assert [log[0][it] for it in ("caller", "what", "request", "outcome")] == [
        "token alice",
        "custodian",
        "",
        "role",
    ]


# --- what is answered -----------------------------------------------------------------------------


STARTS = {
    "figure.svg": ("image/svg+xml", b"<?xml"),
    "figure.pdf": ("application/pdf", b"%PDF"),
    "view.json": ("application/json", b"{"),
}


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_the_commands_of_the_guide_work(served: Running, tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```sh\n(curl .*?)^```", guide, flags=re.DOTALL | re.MULTILINE)
    script = "set -e\n" + block.replace("http://127.0.0.1:8765", served.url)
    environment = {**os.environ, "TOKEN": served.token}
    subprocess.run(["sh", "-c", script], check=True, cwd=tmp_path, env=environment)
    assert json.loads((tmp_path / "age.json").read_text())["says"]
    assert (tmp_path / "age.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("form", STARTS)
def test_a_file_is_downloaded(alice: httpx.Client, form: str) -> None:
    sent = alice.post("/api/views/histogram", json=AGE)
    view = sent.json()["id"]
    found = alice.get(f"/api/views/{view}/{form}")
    kind, start = STARTS[form]
    assert found.status_code == 200
    assert found.headers["content-type"] == kind
    assert found.headers["content-disposition"] == (
        f'attachment; filename="discreet-{view[:12]}.{form.rpartition(".")[2]}"'
    )
    assert found.headers["cache-control"] == "no-store"
    assert found.content.startswith(start)
    assert alice.get(f"/api/views/{view}/{form}").content == found.content
    if form == "view.json":
        assert View.from_json(found.text).columns == ("age",)


# --- what is refused ------------------------------------------------------------------------------

NOT_AS = "{}: not as /api/openapi.json describes it"
NO_JSON = "the body: JSON as /api/openapi.json describes it, no more keys"
BODIES: dict[str, tuple[str, bytes, str]] = {
    # path, body, what is said; `test_security` and `test_requests` try many more
    "no JSON": ("/api/views/histogram", b"{Canary", NO_JSON),
    "another key": ("/api/views/histogram", b'{"columns": ["age"], "Canary": 1}', NO_JSON),
    "wrong columns": (
        "/api/views/scatter",
        b'{"columns": "Canary", "k": -1}',
        NOT_AS.format("columns"),
    ),
    "no formula": ("/api/views/qq", b"{}", NOT_AS.format("formula")),
}


@pytest.mark.parametrize(("path", "body", "says"), BODIES.values(), ids=BODIES)
def test_a_body_that_is_wrong(
    alice: httpx.Client, carol: httpx.Client, path: str, body: bytes, says: str
) -> None:
    found = alice.post(path, content=body, headers={"Content-Type": "text/plain"})
    assert (found.status_code, error(found)["code"]) == (422, "request")
    assert error(found)["says"] == says
    assert b"Canary" not in found.content
    (newest, *_) = carol.get("/api/custodian/log").json()["log"]
    assert (newest["caller"], newest["what"], newest["outcome"], newest["request"]) == (
        "token alice",
        path.rpartition("/")[2],
        "request",
        "",
    )


OTHERS: dict[str, tuple[str, str, int, str]] = {
    "an unknown picture": ("POST", "/api/views/pie", 405, "method"),
    "no such address": ("GET", "/api/Canary", 404, "unknown"),
    "taking away": ("DELETE", f"/api/views/{NOBODY}", 405, "method"),
    "an unknown file": ("GET", f"/api/views/{NOBODY}/figure.exe", 404, "unknown"),
    "a page that is no number": ("GET", "/api/custodian/log?before=Canary", 422, "request"),
    "a page before the first": ("GET", "/api/custodian/log?before=0", 422, "request"),
}


@pytest.mark.parametrize(("method", "path", "status", "code"), OTHERS.values(), ids=OTHERS)
def test_an_address_that_is_wrong(
    carol: httpx.Client, method: str, path: str, status: int, code: str
) -> None:
    found = carol.request(method, path)
    assert (found.status_code, error(found)["code"]) == (status, code)
    assert b"Canary" not in found.content


def test_what_takes_long_is_finished_and_found_when_asked_again(
    alice: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def drawing(*args: Any) -> View:
        begun.set()
        assert go_on.wait(60)
        return files_of.drawn(*args)

    monkeypatch.setattr(answers, "drawn", drawing)
    monkeypatch.setattr(counter, "SECONDS", 0.5)
    found = alice.post("/api/views/histogram", json={"columns": ["ltg"]})
    assert (found.status_code, error(found)["code"]) == (503, "slow")
    assert found.headers["retry-after"] == "5"
    assert begun.wait(60)
    go_on.set()
    monkeypatch.setattr(counter, "SECONDS", 30)
    again = alice.post("/api/views/histogram", json={"columns": ["ltg"]})
    assert again.status_code == 200
    assert again.json()["view"]["columns"] == ["ltg"]


@pytest.mark.slow
def test_downloads_leave_threads_for_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, making = threading.Event(), threading.Event()
    before = {it.ident for it in threading.enumerate()}  # some of other servers

    def figure(picture: bytes, form: str, sealer: object) -> bytes:
        making.set()
        assert go_on.wait(60)
        return b"%PDF"

    monkeypatch.setattr(desk, "Files", lambda: files_of.Files(figure))
    monkeypatch.setattr(routes, "AT_ONCE", 12)
    with running(studies_of(tmp_path), tmp_path) as own, own.client() as client:
        texts = [add_token(own.studies.store, NAME, f"caller-{i}") for i in range(4)]

        def download(i: int) -> int:
            with own.client(texts[i % 4]) as another:
                return another.get(f"/api/views/{view}/figure.pdf").status_code

        for it in texts:
            with own.client(it) as another:
                view = another.post("/api/views/histogram", json=AGE).json()["id"]
        monkeypatch.setattr(counter, "SECONDS", 3.0)
        for _ in range(3):  # those that nobody waits for any longer keep their threads
            with ThreadPoolExecutor(16) as threads:
                codes = [threads.submit(download, i) for i in range(16)]
                assert making.wait(60)
                for _ in range(5):  # 503 if downloads had all threads
                    assert client.get("/api/study").status_code == 200
                assert {it.result(60) for it in codes} == {503}
        names = [it.name for it in threading.enumerate() if it.ident not in before]
        assert sum(name.startswith("discreet-request") for name in names) <= 12
        go_on.set()
        monkeypatch.setattr(counter, "SECONDS", 30)
        assert download(0) == 200


def test_of_one_caller_some_are_worked_on_and_others_are_not_kept_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, many = threading.Event(), threading.Event()
    working: list[str] = []

    def told(_: Served, caller: Caller) -> dict[str, Any]:
        if caller.role == "custodian":
            return {}
        working.append(caller.name)
        if len(working) == counter.OF_ONE:
            many.set()
        assert go_on.wait(60)
        return {}

    monkeypatch.setattr(routes, "study_json", told)
    monkeypatch.setattr(routes, "AT_ONCE", 10)
    with running(studies_of(tmp_path), tmp_path) as own, ThreadPoolExecutor(15) as threads:

        def ask(token: str) -> int:
            with own.client(token) as client:
                return client.get("/api/study").status_code

        asked = [threads.submit(ask, own.token) for _ in range(15)]
        assert many.wait(60)
        assert {ask(own.custodian) for _ in range(5)} == {200}
        assert len(working) == counter.OF_ONE
        go_on.set()
        assert {it.result(60) for it in asked} == {200}


@pytest.mark.slow
def test_a_request_that_found_no_thread_in_time_is_not_worked_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    worked: list[str] = []

    def told(*_: Any) -> dict[str, Any]:
        worked.append("told")
        assert go_on.wait(60)
        return {}

    monkeypatch.setattr(routes, "study_json", told)
    monkeypatch.setattr(routes, "AT_ONCE", 2)
    monkeypatch.setattr(counter, "SECONDS", 1.0)
    with running(studies_of(tmp_path), tmp_path) as own:

        def ask(_: int) -> int:
            with own.client() as client:
                return client.get("/api/study").status_code

        with ThreadPoolExecutor(6) as threads:
            assert [*threads.map(ask, range(6))] == [503] * 6
        assert worked == ["told", "told"]  # of which each keeps its thread
        with own.client() as client:
            assert client.get("/api/study").json()["error"]["code"] == "slow"
            go_on.set()
            monkeypatch.setattr(counter, "SECONDS", 30)
            assert client.get("/api/study").json() == {}
        assert worked == ["told"] * 3


# --- what is described ----------------------------------------------------------------------------


def test_every_address_is_described(served: Running) -> None:
    told = httpx.get(f"{served.url}/api/openapi.json", trust_env=False).json()
    described = {
        (method.upper(), path) for path, methods in told["paths"].items() for method in methods
    }
    expected = {
        (method, path.replace(NOBODY, "{table}" if "/tables/" in path else "{view}"))
        if not any(it in path for it in ("/tokens/", "/outputs/", "/drawn/", "/questions/"))
        else (method, path.replace("alice", "{name}").replace("outputs/1", "outputs/{name}"))
        for method, path in ADDRESSES
    }
    assert described == expected | {("GET", path) for path in OPEN}
    for path, methods in told["paths"].items():
        for how in methods.values():
            assert how["summary"]
            assert path in OPEN or how["security"] == [{"token": []}]
            if path.startswith("/api/views/") and "requestBody" in how:
                assert how["requestBody"]["required"]


@pytest.fixture(scope="module")
def client(served: Running) -> Iterator[httpx.Client]:
    """A client that has no token."""
    with httpx.Client(base_url=served.url, trust_env=False, timeout=300) as found:
        yield found


def test_there_are_the_pages_and_the_drawing_scripts_and_they_ask_for_no_others() -> None:
    found = files()
    assert {"board.html", "custodian.html"} <= set(found)
    assert {name: found[name].decode() for name in FILES} == page_files()
    assert {name.rpartition(".")[2] for name in found} <= set(TYPES)
    for name in (it for it in found if it.endswith((".html", ".js"))):
        text = found[name].decode()
        wanted = re.findall(r"""(?:\bfrom|^import)\s*["']([^"']+)["'];""", text, re.M)
        wanted += re.findall(r"""\b(?:src|href)="([^"]+)\"""", text)
        for path in (it for it in wanted if not it.startswith("${")):  # a picture as data:
            assert path.startswith(("./", "/static/")) or path in PAGES or path[0] == "#", path
            assert path.rpartition("/")[2] in found or path in PAGES or path[0] == "#", path


def test_each_file_is_sent_with_its_type_and_tag(client: httpx.Client) -> None:
    tags = set()
    for path, name in [*PAGES.items(), *((f"/static/{it}", it) for it in files())]:
        found = client.get(path)
        assert (found.status_code, found.content) == (200, files()[name])
        assert found.headers["content-type"] == TYPES[name.rpartition(".")[2]]
        assert found.headers["cache-control"] == "no-cache"
        again = client.get(path, headers={"If-None-Match": found.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == found.headers["etag"]
        tags.add(found.headers["etag"])
    assert client.get(path, headers={"If-None-Match": '"Canary"'}).status_code == 200
    assert len(tags) == len({*files().values()})


STATUS = {
    "token": 401,
    "role": 403,
    "own": 403,
    "unknown": 404,
    "method": 405,
    "request": 422,
    "policy": 403,
    "data": 403,
    "version": 409,
    "closed": 410,
    "rate": 429,
    "busy": 503,
    "slow": 503,
    "record": 503,
    "broken": 500,
}


def test_every_code_has_its_status_a_sentence_and_a_rule() -> None:
    assert {code: refusal(code).status for code in CODES} == STATUS
    assert len({refusal(code).says for code in CODES}) == len(CODES)
    for code in CODES:
        found = refusal(code)
        told = json.loads(found.body)
        nothing = {"nearest": None, "place": None}
        assert told == {"error": {"code": code, "says": found.says, "rule": found.rule, **nothing}}
        assert ErrorBody.model_validate(told).model_dump() == told
        for sentence in (found.says, found.rule):
            assert sentence[0].isupper()
            assert sentence.endswith(".")
            assert "'" not in sentence.replace("custodian's", "").replace("server's", "")
            # What the custodian alone can do.
            assert not any(way in sentence for way in ("smaller k", "fewer bins", "publish"))
