"""How a server is started: on an address, with or without TLS, in one process or several."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from discreet.errors import InputError, RegisterError
from discreet.serve import start
from discreet.serve.limits import CarefulProtocol, ProxiedProtocol
from discreet.serve.ready import Ready
from discreet.serve.start import (
    ENVIRONMENT,
    Serving,
    app_from_environment,
    configured,
    listening,
    opened,
    run,
)
from discreet.serve.tokens import add_token
from tests.serve.cohort import NAME, POLICY, narrow, published, record_in, written
from tests.serve.test_memory import HERE, found_in
from tests.serve.workers import client, process

Files = tuple[Path, Path]


@pytest.fixture
def pem(tmp_path: Path) -> Files:
    """Files by the names of a certificate and a key."""
    found = tmp_path / "chain.pem", tmp_path / "key.pem"
    for path in found:
        path.touch()
    return found


# --- addresses ------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
def test_this_machine_alone_needs_no_tls(host: str) -> None:
    assert Serving((), host=host).certificate is None


OPEN = ["0.0.0.0", "::", "10.0.0.1", "192.168.0.7", "example.org", "localhost.example.org", ""]


@pytest.mark.parametrize("host", [*OPEN, "127.0.0.1.example.org", "127.1"])
def test_others_reach_it_over_tls_alone(host: str, pem: Files) -> None:
    with pytest.raises(InputError, match="others could read the traffic to this address; give"):
        Serving((), host=host)
    assert Serving((), host=host, certificate=pem[0], key=pem[1]).host == host
    assert Serving((), host=host, behind_proxy=True).host == host


PORT = "the port is a whole number from 0 to 65535"
WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"port": -1}, PORT),
    ({"port": 65536}, PORT),
    ({"metrics_port": 65536}, PORT),
    ({"workers": 0}, "workers are 1 to 64"),
    ({"workers": 65}, "workers are 1 to 64"),
    ({"a_minute": 0}, "requests a minute are 1 to 100,000,000"),
    ({"a_minute": 10**9}, "requests a minute are 1 to 100,000,000"),
    ({"log_format": "xml"}, "the log is written as text or json, not otherwise"),
    ({"audience": "a"}, "OpenID Connect needs an issuer and an audience; give both"),
)


@pytest.mark.parametrize(("options", "message"), WRONG, ids=[str(it) for it, _ in WRONG])
def test_numbers_and_names_are_those_there_are(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Serving((), **options)
    assert [Serving((), port=it).port for it in (0, 65535)] == [0, 65535]


def test_a_certificate_and_its_key_go_together(pem: Files, tmp_path: Path) -> None:
    for given in ({"certificate": pem[0]}, {"key": pem[1]}):
        with pytest.raises(InputError, match="TLS needs a certificate and its key; give both"):
            Serving((), **given)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"there is no file '.*nowhere\.pem' for TLS"):
        Serving((), certificate=pem[0], key=tmp_path / "nowhere.pem")
    with pytest.raises(InputError, match=r"there is no file '.*' for TLS"):
        Serving((), certificate=tmp_path, key=pem[1])


def test_an_address_is_told_as_a_url(pem: Files) -> None:
    assert Serving(()).url(8765) == "http://127.0.0.1:8765"
    assert Serving((), host="::1").url(1) == "http://[::1]:1"
    assert (
        Serving((), host="0.0.0.0", certificate=pem[0], key=pem[1]).url(443)
        == "https://0.0.0.0:443"
    )


# --- how it is served -----------------------------------------------------------------------------


def test_nothing_is_logged_and_all_is_limited() -> None:
    config = configured(FastAPI(), Serving((), port=0))
    assert config.http is CarefulProtocol
    assert (config.access_log, config.server_header, config.proxy_headers) == (False, False, False)
    assert (config.ws, config.lifespan, config.limit_concurrency) == ("none", "on", 200)
    assert (config.timeout_keep_alive, config.timeout_graceful_shutdown) == (5, 10)
    assert not config.is_ssl
    # A proxy has one address for all, so that of one address there are as many as come.
    assert configured(FastAPI(), Serving((), port=0, behind_proxy=True)).http is ProxiedProtocol


def test_tls_is_told_to_the_server(pem: Files) -> None:
    serving = Serving((), host="0.0.0.0", port=0, workers=3, certificate=pem[0], key=pem[1])
    config = configured("discreet.serve.start:app", serving)
    assert config.is_ssl
    assert (config.ssl_certfile, config.ssl_keyfile, config.workers) == (*pem, 3)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_an_address_is_taken_and_listened_on(host: str) -> None:
    serving = Serving((), host=host, port=0)
    config = configured(FastAPI(), serving)
    try:
        taken = listening(config, serving)
    except InputError:
        pytest.skip("this machine has no such address")
    with taken:
        port = taken.getsockname()[1]
        assert port > 0
        assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert taken.get_inheritable()
        with socket.create_connection((host, port), timeout=60):
            pass
        again = Serving((), host=host, port=port)
        with pytest.raises(InputError, match=f"{host} port {port} cannot be listened on; is it in"):
            listening(configured(FastAPI(), again), again)
    listening(configured(FastAPI(), again), again).close()


def planned(folder: Path) -> Serving:
    """Protect a cohort, and plan to serve it."""
    return Serving((str(published(folder)),), str(folder / "state"), port=0)


def remembering(made: list[Any]) -> Callable[..., FastAPI]:
    """Stand in for what makes the application: remember of what it was to be made."""

    def make(*given: Any) -> FastAPI:
        made.append(given)
        app = FastAPI()
        app.state.ready = Ready(given[0])
        return app

    return make


# --- plans ----------------------------------------------------------------------------------------


def test_a_plan_is_opened(tmp_path: Path) -> None:
    first = published(tmp_path)
    second = published(tmp_path, f'study = "wards"\n{POLICY}', narrow())
    second = second.rename(tmp_path / "wards.discreet")
    published(tmp_path)
    plan = Serving((str(first), str(second)), str(tmp_path / "state"), a_minute=9)
    studies = opened(plan)
    assert studies.names == (NAME, "wards")
    assert studies.desk.rate.most == 9
    assert studies.store.path == tmp_path / "state" / "record.sqlite"


def test_a_record_that_cannot_be_read_stops_the_start(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    add_token(opened(plan).store, NAME, "alice")
    record_in(tmp_path).path.write_bytes(b"Canary" * 1000)
    with pytest.raises(RegisterError, match="is damaged or in use"):
        opened(plan)


def test_a_worker_finds_its_plan_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"files": [str(published(tmp_path))], "state": str(tmp_path / "state")}
    told |= {"origins": ["https://a.b"]}
    monkeypatch.setenv(ENVIRONMENT, json.dumps({**told, "record": None, "folder": str(tmp_path)}))
    monkeypatch.setattr(start, "warm_in_background", lambda _: None)
    made: list[Any] = []
    monkeypatch.setattr(start, "create_app", remembering(made))
    assert isinstance(app_from_environment(), FastAPI)
    ((studies, origins, issuer),) = made
    assert (studies.names, origins, issuer) == ((NAME,), ["https://a.b"], None)


def test_a_worker_takes_the_record_that_the_server_began_with_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(tmp_path)
    add_token(record_in(tmp_path), NAME, "alice")
    monkeypatch.setattr(start, "Multiprocess", Stub)
    monkeypatch.setattr(start, "warm_in_background", lambda _: None)
    monkeypatch.setenv(ENVIRONMENT, "")
    Stub.ran = []
    run(opened(plan), replace(plan, workers=2), lambda _: None)
    Stub.ran[0][1][0].close()

    async def asked() -> int:
        app = app_from_environment()
        asking = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", trust_env=False
        )
        async with app.router.lifespan_context(app), asking:
            found = await asking.get("/api/study", headers={"Authorization": "Bearer x"})
        return found.status_code

    assert asyncio.run(asked()) == 401
    path = record_in(tmp_path).path
    path.rename(tmp_path / "away")
    shutil.copy(tmp_path / "away", path)
    assert asyncio.run(asked()) == 503


def test_an_issuer_is_trusted_where_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replace(planned(tmp_path), issuer="https://login.example.org", audience="a")
    made: list[Any] = []
    monkeypatch.setattr(start, "warm_in_background", lambda _: None)
    monkeypatch.setattr(start, "create_app", remembering(made))
    start._app(opened(plan), plan)
    assert repr(made[0][2]) == "Issuer('https://login.example.org', 'a')"


class Stub:
    """Stands in for a server: says that it was run, and on which sockets."""

    ran: list[Any]

    def __init__(self, config: uvicorn.Config, **more: Any) -> None:
        self.config, self.more = config, more

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        Stub.ran.append((self.config, sockets or self.more["sockets"]))


@pytest.mark.parametrize("workers", [1, 3])
def test_one_process_or_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    plan = replace(planned(tmp_path), origins=("https://a.b",), workers=workers)
    said: list[str] = []
    Stub.ran = []
    monkeypatch.setattr(start, "warm_in_background", lambda _: None)
    monkeypatch.setattr(start, "Multiprocess", Stub)
    monkeypatch.setattr(uvicorn, "Server", Stub)
    monkeypatch.setenv(ENVIRONMENT, "")
    run(opened(plan), plan, said.append)
    ((config, sockets),) = Stub.ran
    with sockets[0]:
        assert said == [f"http://127.0.0.1:{sockets[0].getsockname()[1]}"]
    assert config.workers == workers
    if workers == 1:
        assert isinstance(config.app, FastAPI)
        return
    assert (config.app, config.factory) == ("discreet.serve.start:worker", True)
    told = json.loads(os.environ[ENVIRONMENT])
    assert told.pop("record") is None
    assert not Path(told.pop("folder")).exists()  # it went with the server
    assert Serving(**told | {name: tuple(told[name]) for name in ("files", "origins")}) == plan


def test_a_server_that_has_not_begun_is_stopped_by_a_signal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(tmp_path)
    monkeypatch.setattr(start, "warm_in_background", lambda _: None)
    before = signal.getsignal(signal.SIGTERM)
    run(opened(plan), plan, lambda _: signal.raise_signal(signal.SIGTERM))
    assert signal.getsignal(signal.SIGTERM) is before


# --- a table ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_table_is_protected_by_another_process_and_no_value_is_in_the_servers(
    tmp_path: Path,
) -> None:
    file, rules = written(tmp_path, table=narrow())
    raw = [b"Patient 0123", b"Patient 0300"]
    assert all(it in file.read_bytes() for it in raw)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary)}
    server = process(file, tmp_path / "state", "--policy", str(rules), env=environment)
    try:
        with client(server.url, server.token) as alice:
            assert alice.get("/api/study").json()["study"] == NAME
            assert alice.post("/api/views/bars", json={"columns": ["sex"]}).status_code == 200
        assert (tmp_path / ".discreet" / "register.sqlite").exists()  # of whoever protected it
        assert [it.name for it in temporary.glob("*/*.discreet")] == ["0.discreet"]
        if HERE.exists():  # it finds what the server does have
            sought = {"its name": NAME.encode(), **{str(it): it for it in raw}}
            assert found_in(server.popen.pid, sought) == {"its name"}
    finally:
        out, _ = server.stop()
    assert out == ""
    assert not [*temporary.glob("*/*.discreet")]
