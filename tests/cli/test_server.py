"""`discreet serve` and `discreet token`: what they print, make and refuse."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import signal
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx
import pytest

import discreet as dc
from discreet.errors import RegisterError
from discreet.serve.record import open_record
from discreet.serve.tokens import Caller, add_token, caller_of, list_tokens
from tests.cli.hidden import FILES, FOLDERS
from tests.forked import COMMAND, Forked, ran
from tests.serve.cohort import NAME, narrow, published
from tests.serve.workers import COLD

Run = Callable[..., tuple[int, str, str]]


# --- token ----------------------------------------------------------------------------------------


def test_a_token_is_printed_once_and_alone(run: Run, own_home: Path) -> None:
    code, out, err = run("token", "add", "alice", "--study", "cohort.csv")
    assert code == 0
    assert out.count("\n") == 1
    text = out.strip()
    found = caller_of(open_record(), text)
    assert found == (Caller("token alice", "analyst"), "cohort.csv")
    assert text not in err
    assert "a token of study cohort.csv for alice, analyst, for 30 days" in err
    digest = hashlib.sha256(text.encode()).hexdigest()
    for words in (["list"], ["list", "--json"]):
        listed = run("token", *words)[1]
        assert "alice" in listed
        assert text not in listed
        assert digest not in listed
    for path in own_home.rglob("*"):
        assert not path.is_file() or text.encode() not in path.read_bytes()


def test_tokens_are_listed_with_their_state(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "server"
    at = ("--state", str(state))
    of = ("--study", "clinic", *at)
    assert run("token", "add", "alice", "--role", "custodian", "--days", "2.5", *of)[0] == 0
    assert run("token", "add", "bob", *of)[0] == 0
    assert run("token", "add", "bob", "--study", "ward", *at)[0] == 0
    assert run("token", "revoke", "bob", *of) == (
        0,
        "the token of bob for study clinic is revoked\n",
        "",
    )
    told = json.loads(run("token", "list", "--json", *at)[1])
    assert [(it["study"], it["name"], it["role"], it["state"]) for it in told] == [
        ("clinic", "alice", "custodian", "valid"),
        ("clinic", "bob", "analyst", "revoked"),
        ("ward", "bob", "analyst", "valid"),
    ]
    assert {*told[0]} == {"study", "name", "role", "made", "expires", "revoked", "state"}
    assert json.loads(run("token", "list", "--json", "--study", "ward", *at)[1]) == told[2:]
    monkeypatch.setenv("COLUMNS", "120")
    listed = run("token", "list", *at)[1]
    assert all(
        word in listed for word in ("clinic", "alice", "custodian", "valid", "bob", "revoked")
    )
    assert sorted(it.name for it in state.iterdir()) == ["record.key", "record.sqlite"]
    code, _, err = run("token", "list")  # of another server, which has none
    assert (code, "there is no server's record in" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "alice"), "there is or was a token named 'alice'"),
        (("add", "bob", "--role", "admin"), "must be one of 'analyst', 'custodian'"),
        (("add", "bob", "--study", ""), "a token opens one study; name it"),
        (("revoke", "bob"), "the study has no token of that name"),
    ],
)
def test_bad_words_end_with_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    assert run("token", "add", "alice", "--study", "cohort.csv")[0] == 0
    named = () if "--study" in words else ("--study", "cohort.csv")
    code, out, err = run("token", *words, *named)
    assert (code, out) == (dc.InputError.exit_code, "")
    assert said in err
    assert err.count("\n") == 1
    assert len(json.loads(run("token", "list", "--json")[1])) == 1


def key_gone(path: Path) -> None:
    path.with_suffix(".key").unlink()


@pytest.mark.parametrize("change", [*FILES, *FOLDERS, key_gone], ids=lambda it: it.__name__)
def test_what_hides_a_record_is_said(
    run: Run, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    state = tmp_path / "server"
    words = ("--study", "s", "--state", str(state))
    assert run("token", "add", "alice", *words)[0] == 0
    change(state / "record.sqlite")
    for act in (("list",), ("add", "bob"), ("revoke", "alice")):
        code, out, err = run("token", *act, *words)
        assert (code in (1, 2, 4), out) == (True, ""), (act, out, err)
        assert err.startswith("discreet: ")
        assert err.count("\n") == 1
        assert "record" in err or "cannot be" in err or "key" in err


# --- serve --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A study file, and the folder of a record that was begun before."""

    file: Path
    state: Path

    @property
    def words(self) -> tuple[str, ...]:
        """What is said of them to the command."""
        return str(self.file), "--state", str(self.state)

    def states(self) -> dict[str, str]:
        """Return what state each token of the record is in."""
        return {it.name: it.state() for it in list_tokens(open_record(self.state))}


def place_in(folder: Path) -> Place:
    """Protect the cohort, and make a record."""
    place = Place(published(folder, table=narrow()), folder / "state")
    add_token(open_record(place.state), NAME, "before")
    return place


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A study to be served, one for all tests of this module."""
    return place_in(tmp_path_factory.mktemp("study"))


@dataclass
class Started:
    """A server that runs: its process, where it is, and what it printed."""

    process: Forked
    address: str
    token: str
    printed: list[str] = field(default_factory=list)

    def end(self, by: signal.Signals) -> int:
        """Ask it to end; return how it did."""
        self.process.send_signal(by)
        return self.process.wait(120)

    def get(self, path: str, token: str | None = None, verify: Any = True) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token or self.token}"}
        with httpx.Client(trust_env=False, verify=verify, timeout=300) as client:
            return client.get(self.address + path, headers=headers)


@contextmanager
def started(study: Place, *words: str, as_json: bool = True) -> Iterator[Started]:
    """Run the command until its address is printed, and kill it at the end if it still runs."""
    words = ("serve", *study.words, "--port", "0", *words, *(["--json"] if as_json else []))
    process = Forked(COMMAND, words, COLD, study.file.parent)
    try:
        lines = [process.stdout.readline()]
        if not lines[0]:
            pytest.fail(f"the server has not started: {process.communicate()[1]}")
        if as_json:
            told = json.loads(lines[0])
            token = next(iter(told["tokens"].values()), "")
            yield Started(process, told["address"], token, lines)
        else:
            lines += [process.stdout.readline() for _ in range(6)]
            link = next(line for line in lines if "#token=" in line).split()[-1]
            address, _, token = link.partition("/#token=")
            yield Started(process, address, token, lines)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


# --- what it prints -------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_prints_a_link_with_a_token_and_takes_it_back_at_the_end(study: Place) -> None:
    with started(study, as_json=False) as server:
        text = "".join(server.printed)
        assert text.startswith(f"discreet serves {NAME} at {server.address}\n\n")
        assert f"  An analyst of {NAME} opens   {server.address}/#token={server.token}\n" in text
        options = f"--study {NAME} --state {study.state}"
        assert f"Others: discreet token add NAME {options}; with\n" in text
        assert f"--role custodian for {server.address}/custodian. Stop with Ctrl-C.\n" in text
        assert server.address.startswith("http://127.0.0.1:")
        assert server.token.startswith("discreet_")
        told = server.get("/api/study").json()
        assert (told["study"], told["caller"]["role"]) == (NAME, "analyst")
        name = told["caller"]["name"].removeprefix("token ")
        assert name.startswith("start-")
        assert study.states()[name] == "valid"
        assert server.end(signal.SIGINT) == 130
        assert server.process.stderr.read() == ""
    assert study.states()[name] == "revoked"


# --- TLS ---------------------------------------------------------------------------------------


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


@pytest.mark.slow
def test_over_tls(study: Place, certificate: tuple[Path, Path]) -> None:
    chain, key = certificate
    words = ["--host", "0.0.0.0", "--certificate", str(chain), "--key", str(key)]
    with started(study, *words, "--workers", "2") as server:
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

NO_TLS = "others could read the traffic to this address; give --certificate and --key, or"
REFUSED: dict[str, tuple[list[str], int, str]] = {
    "all addresses without TLS": (["--host", "0.0.0.0"], 2, NO_TLS),
    "how it was protected": (["-k", "9"], 2, "a study file already says how it was protected"),
    "a table by standard input": (["-"], 2, "a table is protected each time the server starts"),
    "half of an issuer": (
        ["--issuer", "https://login.example.org"],
        2,
        "OpenID Connect needs an issuer and an audience; give both",
    ),
}


@pytest.mark.parametrize(("words", "code", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_one_line(
    run: Run, study: Place, words: list[str], code: int, says: str
) -> None:
    before = study.states()
    found, out, err = run("serve", *study.words, *words)
    assert (found, out) == (code, "")
    assert err.splitlines()[-1].startswith(f"discreet: {says}")
    new = {name: it for name, it in study.states().items() if name not in before}
    assert {*new.values()} <= {"revoked"}


def test_a_port_that_is_in_use(run: Run, tmp_path: Path) -> None:
    study = place_in(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = run("serve", *study.words, "--port", str(port))
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == (
        f"discreet: 127.0.0.1 port {port} cannot be listened on; is it in use? Try --port 0"
    )
    assert [*study.states().values()] == ["valid", "revoked"]


@pytest.fixture
def serve(run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """Call the command with a server that ends as soon as it has begun."""
    told = "http://127.0.0.1:1"
    start = importlib.import_module("discreet.serve.start")
    monkeypatch.setattr(start, "run", lambda found, serving, said: said(told))
    return lambda *words: run("serve", *words)


Serve = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("protected_by_a_fork")
def test_a_table_that_cannot_be_protected_is_not_served(serve: Serve, tmp_path: Path) -> None:
    words = (str(tmp_path / "no.csv"), "--state", str(tmp_path / "state"))
    code, out, err = serve(*words)
    assert (code, out) == (2, "")
    assert err.startswith("discreet: there is no file")  # which its process says
    assert not (tmp_path / "state").exists()


@pytest.mark.slow
def test_each_study_has_a_token_and_a_service_has_none(
    serve: Serve, study: Place, tmp_path: Path
) -> None:
    ward = published(tmp_path, 'study = "ward"\n', narrow().select(["age", "bmi"]))
    code, out, err = serve(*study.words, str(ward), "--json")
    assert (code, err) == (0, "")
    assert [*json.loads(out)["tokens"]] == [NAME, "ward"]
    before = study.states()
    code, out, _ = serve(*study.words, "--no-token", "--json")
    assert (code, json.loads(out)["tokens"]) == (0, {})
    assert study.states() == before


def test_a_token_that_cannot_be_taken_back_is_said(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(store: object, study: str, name: str) -> None:
        raise RegisterError("the record is damaged")

    monkeypatch.setattr("discreet.serve.tokens.revoke_token", fails)
    code, _, err = serve(*place_in(tmp_path).words)
    assert code == 0
    assert err.endswith("the start's token stays valid for a day: the record is damaged\n")


@pytest.mark.parametrize("behind", [True, False])
def test_behind_a_proxy_the_link_is_said_to_be_another(
    serve: Serve, study: Place, behind: bool
) -> None:
    code, out, _ = serve(*study.words, *["--behind-proxy"] * behind)
    assert code == 0
    assert ("https:// and your proxy's name, not as http://127.0.0.1:1." in out) is behind


def test_a_record_that_is_new_is_said(serve: Serve, study: Place, tmp_path: Path) -> None:
    words = (str(study.file), "--state", str(tmp_path / "new"), "--json")
    assert "a new record was begun" in serve(*words)[2]
    assert serve(*words)[2] == ""


WITHOUT = """
import sys
gone = sys.argv.pop(1)
for name in [it for it in sys.modules if it.startswith(("fastapi", "discreet.serve"))]:
    del sys.modules[name]
sys.modules[gone] = None
"""


def without(module: str, study: Place) -> tuple[int, str, str]:
    """Serve in a process in which a module cannot be imported."""
    return ran(WITHOUT + COMMAND, module, "serve", *study.words)


def test_without_the_packages_of_a_server_it_says_how_to_get_them(study: Place) -> None:
    code, out, err = without("fastapi", study)
    assert (code, out) == (2, "")
    assert "pip install 'discreet[server]'" in err


def test_a_module_of_discreet_that_is_missing_is_a_bug(study: Place) -> None:
    code, _, err = without("discreet.serve.answers", study)
    assert code == 70
    assert "unexpected ModuleNotFoundError" in err
