"""`discreet serve` as a process: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx
import pytest

from discreet.ledger import add_token, list_tokens
from discreet.study.session import ledger_of
from tests.serve.cohort import written

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A cohort, its policy file, and a ledger beside it that was begun before."""
    files = written(tmp_path_factory.mktemp("study"))
    add_token(ledger_of(files[1]).store, "cohort.csv", "before")
    return files


@dataclass
class Started:
    """A server that runs: its process, where it is, and what it printed."""

    process: subprocess.Popen[str]
    address: str
    token: str
    printed: list[str] = field(default_factory=list)

    def end(self, by: signal.Signals) -> int:
        """Ask it to end; return how it did."""
        self.process.send_signal(by)
        return self.process.wait(30)

    def get(self, path: str, token: str | None = None, verify: Any = True) -> httpx.Response:
        """Ask it for something."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        with httpx.Client(trust_env=False, verify=verify, timeout=60) as client:
            return client.get(self.address + path, headers=headers)


@contextmanager
def started(study: tuple[Path, Path], *words: str, as_json: bool = True) -> Iterator[Started]:
    """Run the command until its address is printed, and kill it at the end if it still runs."""
    file, policy = study
    command = [sys.executable, "-m", "discreet", "serve", str(file), "--policy", str(policy)]
    command += ["--port", "0", *words, *(["--json"] if as_json else [])]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=file.parent,
    )
    assert process.stdout is not None
    try:
        lines = [process.stdout.readline()]
        if not lines[0]:
            pytest.fail(f"the server has not started: {process.communicate(timeout=30)[1]}")
        if as_json:
            told = json.loads(lines[0])
            yield Started(process, told["address"], told["token"], lines)
        else:
            lines += [process.stdout.readline() for _ in range(6)]
            link = next(line for line in lines if "#token=" in line).split()[-1]
            address, _, token = link.partition("/#token=")
            yield Started(process, address, token, lines)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=30)


def states(study: tuple[Path, Path]) -> dict[str, str]:
    """Return what state each token of the ledger is in."""
    return {it.name: it.state() for it in list_tokens(ledger_of(study[1]).store)}


# --- what it prints -------------------------------------------------------------------------------


def test_it_prints_a_link_with_a_token(study: tuple[Path, Path]) -> None:
    with started(study, as_json=False) as server:
        text = "".join(server.printed)
        first = f"discreet serves cohort.csv under policy 'clinic' at {server.address}\n\n"
        assert text.startswith(first)
        assert f"  An analyst opens   {server.address}/#token={server.token}\n" in text
        assert f"for {server.address}/custodian. Stop with Ctrl-C.\n" in text
        options = f"--study cohort.csv --policy {study[1]}"
        assert f"discreet token add NAME {options}; with --role custodian\n" in text
        assert server.address.startswith("http://127.0.0.1:")
        assert server.token.startswith("discreet_")
        told = server.get("/api/study").json()
    assert (told["study"], told["caller"]["role"]) == ("cohort.csv", "analyst")
    assert told["caller"]["name"].startswith("token start-")


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly_and_takes_its_token_back(
    study: tuple[Path, Path], by: signal.Signals
) -> None:
    with started(study) as server:
        assert server.get("/api/health").json() == {"ok": True}
        name = server.get("/api/study").json()["caller"]["name"].removeprefix("token ")
        assert states(study)[name] == "valid"
        assert server.end(by) == (130 if by is signal.SIGINT else 0)
        assert server.process.stderr is not None
        assert server.process.stderr.read() == ""
        assert {*json.loads(server.printed[0])} == {"address", "token"}
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""  # one line of JSON was all
    assert states(study)[name] == "revoked"


def test_a_preset_serves_too(study: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    state = study[0].parent / "state"
    for name in ("DISCREET_STATE", "DISCREET_CONFIG"):
        monkeypatch.setenv(name, str(state))
    with started((study[0], Path("sacro")), "--study", "wards") as server:
        told = server.get("/api/study").json()
        assert (told["study"], told["policy"]["k"]) == ("wards", 10)
        assert server.end(signal.SIGTERM) == 0
    assert (state / "ledger.sqlite").is_file()


# --- workers and TLS ------------------------------------------------------------------------------


def test_two_workers_agree_and_end_with_the_command(study: tuple[Path, Path]) -> None:
    body = {"columns": ["age", "bmi"]}
    with started(study, "--workers", "2") as server:
        bearer = {"Authorization": f"Bearer {server.token}"}
        found = []
        for _ in range(6):
            with httpx.Client(trust_env=False, timeout=60, headers=bearer) as client:
                found.append(client.post(f"{server.address}/api/views/heatmap", json=body))
        assert [it.status_code for it in found] == [200] * 6
        assert len({it.content for it in found}) == 1
        study_told = server.get("/api/study").json()
        assert study_told["allowance"]["used"] == 1
        name = study_told["caller"]["name"].removeprefix("token ")
        children = _children(server.process.pid)
        assert len(children) >= 2
        assert server.end(signal.SIGTERM) == 0
        until = time.monotonic() + 60
        while any(Path(f"/proc/{it}").exists() for it in children) and time.monotonic() < until:
            time.sleep(0.05)
        assert not any(Path(f"/proc/{it}").exists() for it in children)
    assert states(study)[name] == "revoked"


def _children(pid: int) -> list[int]:
    """Return the processes that a process has started; Linux tells."""
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    if not tasks.is_file():
        pytest.skip("this system does not tell which processes one has started")
    return [int(it) for it in tasks.read_text().split()]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of this machine, signed by itself, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    chain, secret = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return chain, secret


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.slow), "2"])
def test_over_tls(study: tuple[Path, Path], certificate: tuple[Path, Path], workers: str) -> None:
    chain, key = certificate
    words = ["--host", "0.0.0.0", "--certificate", str(chain), "--key", str(key)]
    with started(study, *words, "--workers", workers) as server:
        assert server.address.startswith("https://0.0.0.0:")
        server.address = server.address.replace("0.0.0.0", "127.0.0.1")
        trusted = ssl.create_default_context(cafile=str(chain))
        assert server.get("/api/study", verify=trusted).status_code == 200
        with pytest.raises(httpx.ConnectError, match=r"(?i)certificate"):
            server.get("/api/health")
        with pytest.raises(httpx.RemoteProtocolError, match=r".*"):
            httpx.get(server.address.replace("https", "http") + "/api/health", trust_env=False)
        assert server.end(signal.SIGTERM) == 0


# --- what it refuses ------------------------------------------------------------------------------

NO_TLS = "others could read what goes over this address; give --certificate and --key, or say"
REFUSED: dict[str, tuple[list[str], int, str]] = {
    "all addresses without TLS": (["--host", "0.0.0.0"], 2, NO_TLS),
    "an address of others without TLS": (["--host", "192.0.2.1"], 2, NO_TLS),
    "all addresses of IPv6": (["--host", "::"], 2, NO_TLS),
    "a name without TLS": (["--host", "example.org"], 2, NO_TLS),
    "no such port": (["--port", "65536"], 2, "the port is a whole number from 0 to 65535"),
    "half of TLS": (["--key", "key.pem"], 2, "TLS needs a certificate and its key; give both"),
    "no certificate": (
        ["--certificate", "nowhere.pem", "--key", "nowhere.pem"],
        2,
        "there is no file 'nowhere.pem' for TLS",
    ),
    "no workers": (["--workers", "0"], 2, "workers are 1 to 64"),
    "too many workers": (["--workers", "65"], 2, "workers are 1 to 64"),
    "half of an issuer": (
        ["--issuer", "https://login.example.org"],
        2,
        "OpenID Connect needs an issuer and an audience; give both",
    ),
    "half of another": (["--audience", "discreet"], 2, "OpenID Connect needs an issuer"),
    "an issuer in the clear": (
        ["--issuer", "http://login.example.org", "--audience", "discreet"],
        2,
        "the address of an issuer must be https://",
    ),
    "an address of nobody here": (
        ["--host", "192.0.2.1", "--behind-proxy"],
        2,
        "192.0.2.1 port 8765 cannot be listened on; is it in use? Try --port 0",
    ),
}


@pytest.mark.parametrize(("words", "code", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_one_line(
    run: Run, tmp_path: Path, words: list[str], code: int, says: str
) -> None:
    study = written(tmp_path)
    found, out, err = run("serve", str(study[0]), "--policy", str(study[1]), *words)

    assert (found, out) == (code, "")
    assert err.splitlines()[-1].startswith(f"discreet: {says}")
    assert "valid" not in states(study).values()


def test_a_port_that_is_in_use(run: Run, tmp_path: Path) -> None:
    study = written(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = run("serve", str(study[0]), "--policy", str(study[1]), "--port", str(port))

    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == (
        f"discreet: 127.0.0.1 port {port} cannot be listened on; is it in use? Try --port 0"
    )
    assert [*states(study).values()] == ["revoked"]


def test_no_file_and_no_policy(run: Run, tmp_path: Path) -> None:
    study = written(tmp_path)
    assert run("serve", str(tmp_path / "no.csv"), "--policy", str(study[1]))[0] == 2
    assert run("serve", str(study[0]), "--policy", str(tmp_path / "no.toml"))[0] == 2
    assert run("serve", str(study[0]), "--policy", "strict")[0] == 2


def without(module: str, study: tuple[Path, Path]) -> tuple[int, str, str]:
    """Serve in a process in which a module cannot be imported."""
    code = f"import sys; sys.modules[{module!r}] = None; from discreet.cli import main; main()"
    command = [sys.executable, "-c", code, "serve", str(study[0]), "--policy", str(study[1])]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn"])
def test_without_the_packages_of_a_server_it_says_how_to_get_them(
    study: tuple[Path, Path], missing: str
) -> None:
    assert without(missing, study) == (
        2,
        "",
        "discreet: serving needs packages that are not installed: pip install 'discreet[server]'\n",
    )


def test_a_module_of_discreet_that_is_missing_is_a_bug(study: tuple[Path, Path]) -> None:
    code, _, err = without("discreet.serve.asking", study)

    assert code == 70
    assert "unexpected ModuleNotFoundError" in err


def test_a_token_that_cannot_be_taken_back_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.errors import LedgerError

    def fails(store: object, study: str, name: str) -> None:
        raise LedgerError("the ledger is damaged")

    study = written(tmp_path)
    monkeypatch.setattr("discreet.ledger.revoke_token", fails)
    monkeypatch.setattr(importlib.import_module("discreet.serve.running"), "run", lambda *_: None)
    code, out, err = run("serve", str(study[0]), "--policy", str(study[1]))

    assert (code, out) == (0, "")
    assert err.splitlines()[1:] == [
        "discreet: the start's token stays valid for a day: the ledger is damaged"
    ]


@pytest.mark.parametrize("behind", [True, False])
def test_behind_a_proxy_the_link_is_said_to_be_another(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behind: bool
) -> None:
    def told(_: object, __: object, ___: object, ____: int, said: Callable[[str], None]) -> None:
        said("http://127.0.0.1:1")

    study = written(tmp_path)
    monkeypatch.setattr(importlib.import_module("discreet.serve.running"), "run", told)
    options = ["--behind-proxy"] if behind else []
    code, out, _ = run("serve", str(study[0]), "--policy", str(study[1]), *options)

    assert code == 0
    assert ("https:// and your proxy's name, not as http://127.0.0.1:1." in out) is behind


def test_a_ledger_that_is_new_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = written(tmp_path)
    monkeypatch.setattr(importlib.import_module("discreet.serve.running"), "run", lambda *_: None)
    words = ("serve", str(study[0]), "--policy", str(study[1]))

    assert run(*words) == (
        0,
        "",
        "discreet: a new ledger begins: nothing is known to have left of this study. If something"
        " has, stop, and restore the ledger from a backup\n",
    )
    assert run(*words) == (0, "", "")


def test_a_service_prints_and_makes_no_token(study: tuple[Path, Path]) -> None:
    before = states(study)
    with started(study, "--no-token") as server:
        assert json.loads(server.printed[0]) == {"address": server.address, "token": None}
        assert httpx.get(f"{server.address}/api/health").json() == {"ok": True}
    assert states(study) == before
