"""The image and its service: what Dockerfile and compose.yaml say is done here by a script.

No container engine is needed. Each step of the Dockerfile runs with its absolute paths below a
folder, into a virtual environment of its own that borrows what it depends on from this one; then
the service starts as compose.yaml has it, where it may write into volumes and /tmp alone.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import yaml

from tests.serve.cohort import NAME, published

ROOT = Path(__file__).parents[1]
PLACES = ("opt", "src", "study", "state", "tmp")  # below / in the image
PORT = "8765"
PLOT = {"columns": ["age"]}


class Step(NamedTuple):
    """An instruction of a Dockerfile."""

    name: str
    words: str


def steps(text: str) -> list[Step]:
    """Read a Dockerfile."""
    lines = [it for it in text.splitlines() if it.strip() and not it.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [Step(*line.split(maxsplit=1)) for line in joined.splitlines()]


IMAGE = steps((ROOT / "Dockerfile").read_text(encoding="utf-8"))
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICE: Mapping[str, Any] = COMPOSE["services"]["discreet"]
IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")


# --- what is written ------------------------------------------------------------------------------


def last(name: str) -> str:
    return [it.words for it in IMAGE if it.name == name][-1]


def test_nobody_of_rights_serves() -> None:
    assert last("USER") == "10001:10001"
    assert SERVICE["read_only"] is True
    assert SERVICE["cap_drop"] == ["ALL"]
    assert SERVICE["security_opt"] == ["no-new-privileges:true"]
    assert "user" not in SERVICE
    assert "privileged" not in SERVICE


def test_others_reach_it_by_the_proxy_of_this_machine_alone() -> None:
    assert SERVICE["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    assert "--behind-proxy" in SERVICE["command"]
    assert "--no-token" in SERVICE["command"]  # what it prints is kept


def test_what_is_kept_lies_in_volumes_and_the_study_is_only_read() -> None:
    mounted = dict(it.split(":", 2)[1::-1] for it in SERVICE["volumes"])
    assert {at: name for at, name in mounted.items() if name in COMPOSE["volumes"]} == {
        "/state": "state"
    }
    bound = [it for it in SERVICE["volumes"] if it.startswith(".")]
    assert all(it.endswith(":ro") for it in bound)
    made = next(it.words for it in IMAGE if it.words.startswith("install"))
    assert "/state" in shlex.split(made)
    assert shlex.split(made)[1:8] == ["-d", "-m", "700", "-o", "10001", "-g", "10001"]


def kept_out(path: str) -> bool:
    """Whether .dockerignore keeps a path from the image: the last line that fits says it."""
    out = False
    for line in IGNORED:
        rule = line.strip()
        if rule and not rule.startswith("#"):
            name = rule.removeprefix("!")
            within = [path, *(str(it) for it in Path(path).parents)]
            deep = name.removeprefix("**/")
            fits = any(fnmatch.fnmatch(it, name) for it in within) or (
                deep != name and any(fnmatch.fnmatch(part, deep) for part in Path(path).parts)
            )
            out = not rule.startswith("!") if fits else out
    return out


OURS = """cohort.parquet study/cohort.csv discreet.secret src/discreet/a.secret .git/config
    src/.discreet/register.sqlite src/a/__pycache__/a.pyc tests/a.py .venv/bin/python"""


def test_no_data_and_no_secret_gets_into_the_image_and_what_is_copied_does() -> None:
    assert [path for path in OURS.split() if not kept_out(path)] == []
    for sources, _ in copied():
        assert [it for it in sources if kept_out(it) or not (ROOT / it).exists()] == []


def copied() -> Iterator[tuple[list[str], str]]:
    """Give what the Dockerfile copies out of the checkout, and where to."""
    for step in IMAGE:
        if step.name == "COPY" and not step.words.startswith("--from"):
            *sources, target = shlex.split(step.words)
            yield sources, target


# --- what it does ---------------------------------------------------------------------------------


#: A container has no capabilities: not even who is root there writes where it may not be written.
WITHOUT_RIGHTS = (
    ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    if os.geteuid() == 0
    else []
)
WRITABLE = ("tmp", "state")


@dataclass
class Image:
    """A folder in which the steps of a Dockerfile have run."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    at: Path = Path("/")

    def here(self, text: str) -> str:
        """Return a text in which the image's paths are those below the folder."""
        return re.sub(rf"(?<![\w./}}-])/(?={'|'.join(PLACES)}\b)", f"{self.root}/", text)

    def take(self, step: Step) -> None:
        """Do what an instruction says."""
        match step.name:
            case "FROM":
                self.env = {"PATH": f"{self.root}/bin:{os.environ['PATH']}"}
            case "ENV":
                name, _, value = step.words.partition("=")
                self.env[name] = self.here(value).replace("$PATH", self.env["PATH"])
            case "WORKDIR":
                self.at = Path(self.here(step.words))
                self.at.mkdir(parents=True, exist_ok=True)
            case "COPY":
                self._copy(step.words)
            case "RUN":
                self._run(step.words)
            case "USER" | "EXPOSE" | "ENTRYPOINT" | "CMD":
                pass
            case _:
                raise AssertionError(f"the test does not know how to {step.name}")

    def _copy(self, words: str) -> None:
        if words.startswith("--from"):  # both stages have run in one folder
            _, source, target = words.split()
            assert source == target
            return
        *sources, target = shlex.split(words)
        for source in sources:
            if (ROOT / source).is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / source, self.at / target, ignore=ignored)
            else:
                shutil.copy(ROOT / source, self.at / target)

    def _run(self, words: str) -> None:
        own = {name: it for name, it in os.environ.items() if not name.startswith("DISCREET_")}
        env = {**own, **self.env}
        done = subprocess.run(
            ["sh", "-ec", self.here(words)],
            cwd=self.at,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{words}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"

    def start(self, words: Sequence[str]) -> subprocess.Popen[str]:
        """Start a program as a container of the image does."""
        return subprocess.Popen(
            [
                *WITHOUT_RIGHTS,
                shutil.which(words[0], path=self.env["PATH"]) or words[0],
                *words[1:],
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.at,
            env={"PATH": os.environ["PATH"], **self.env},
        )

    @contextmanager
    def only_read(self) -> Iterator[None]:
        """Let nothing be written for a while but volumes and /tmp."""
        folders = [it for it in (self.root, *self.root.rglob("*")) if it.is_dir()]
        kept = [self.root / it for it in WRITABLE]
        closed = [it for it in folders if not {it, *it.parents} & {*kept}]
        for folder in closed:
            folder.chmod(0o555)
        try:
            yield
        finally:
            for folder in closed:
                folder.chmod(0o755)

    def written(self) -> set[tuple[str, int]]:
        """Return all files but those of volumes and of /tmp, with when each was written."""
        kept = {self.root / it for it in WRITABLE}
        files = (it for it in self.root.rglob("*") if it.is_file() and not kept & {*it.parents})
        return {(str(it), it.stat().st_mtime_ns) for it in files}


@pytest.fixture
def image() -> Iterator[Image]:
    """The image, built below a folder; that volumes are another user's is passed over."""
    with tempfile.TemporaryDirectory(prefix="discreet-image-") as name:
        root = Path(name).resolve()
        program(root / "bin/python", f'{shlex.quote(f"{sys.base_prefix}/bin/python3")} "$@"')
        program(root / "bin/install", 'mkdir -p -m 700 "$8"')
        built = Image(root)
        for step in IMAGE:
            built.take(step)
        (root / "tmp").mkdir(exist_ok=True)
        (root / "tmp").chmod(0o1777)
        yield built


def program(path: Path, line: str) -> None:
    """Write a program that takes the place of one of the image."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\nexec {line}\n")
    path.chmod(0o755)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@pytest.mark.slow
def test_the_image_is_built_and_serves(image: Image, tmp_path: Path) -> None:
    shutil.copy(published(tmp_path), image.root / "study/cohort.discreet")
    port, before, entry = free_port(), image.written(), json.loads(last("ENTRYPOINT"))
    command = [*entry, *map(image.here, SERVICE["command"]), "--port", str(port)]
    add = ["token", "add", "alice", "--study", NAME]
    with image.only_read():
        served = image.start(command)
        try:
            wait_until_healthy(image, served, port)
            token, _ = image.start([*entry, *map(image.here, add)]).communicate(timeout=300)
            draw(f"http://127.0.0.1:{port}", token.strip())
        finally:
            served.send_signal(signal.SIGTERM)
            out, log = served.communicate(timeout=120)

    assert served.returncode in (0, -signal.SIGTERM), log
    assert "#token" not in out
    messages = [json.loads(line)["message"] for line in log.splitlines()]
    assert messages[0].startswith("a new record was begun")
    assert messages[1:] == [f"listening at http://0.0.0.0:{port}", "ready", "stopped"]
    assert image.written() == before
    assert (image.root / "state/server/record.sqlite").is_file()
    assert (image.root / "state/server/record.key").stat().st_mode & 0o077 == 0


def wait_until_healthy(image: Image, served: subprocess.Popen[str], port: int) -> None:
    """Ask as the health check asks, until it is content."""
    kind, *asks = SERVICE["healthcheck"]["test"]
    assert kind == "CMD"
    asks = [it.replace(PORT, str(port)) for it in asks]
    for _ in range(300):
        if served.poll() is not None:
            pytest.fail(f"the server has ended: {served.communicate()[1]}")
        asking = image.start(asks)
        asking.communicate(timeout=60)
        if asking.returncode == 0:
            return
        time.sleep(2)
    pytest.fail("the server did not get ready")


def draw(url: str, token: str) -> None:
    """Draw a plot, and take it along as a picture."""
    bearer = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, headers=bearer, trust_env=False, timeout=300) as client:
        view = client.post("/api/views/histogram", json=PLOT).json()["id"]
        picture = client.get(f"/api/views/{view}/figure.png")
    assert picture.content.startswith(b"\x89PNG")
