"""Runs a job in a child process that is killed, or finds the disk full, at a moment that is named.

A program of its own, so that each job is a fork of one process that has imported all: what it finds
it writes as JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

import discreet as dc
from discreet.custodian import register_of
from discreet.records.store import verify
from discreet.register.register import MARK

JOBS = ("anonymize", "save")
CANARY = b"canary"
"""In the identifiers of the data, which no file has but raw ones."""
CALLS = ("open", "os.rename", "sqlite3.connect")
REGISTER = {f"register.sqlite{end}" for end in ("", "-wal", "-shm")} | {"register.key", MARK}
"""What is another in each run, of which is asked whether it is whole."""


class Moment(NamedTuple):
    """When something happens: in which job, at what first call on a path that a pattern finds.

    "os.rename" is of the path that has been, "name" of what it is renamed to.
    """

    job: str
    call: str
    path: str


MOMENTS = {
    "a private file is begun": Moment("anonymize", "open", r"\.raw-.*part$"),
    "a private file is half written": Moment("anonymize", "write", r"raw-.*part$"),
    "the copy is half written": Moment("anonymize", "write", r"whole-.*parquet.*part$"),
    "the copy is written and has no name": Moment("anonymize", "sync", r"whole-.*parquet.*part$"),
    "the copy gets its name": Moment("anonymize", "os.rename", r"/whole-.*parquet.*part$"),
    "how near the copy is gets its name": Moment("anonymize", "name", r"whole-.*json$"),
    "the register is made": Moment("anonymize", "sqlite3.connect", "mode=rwc"),
    "the release is recorded": Moment("anonymize", "sqlite3.connect", "mode=rw$"),
    "the register's key is begun": Moment("anonymize", "open", r"/register\.key\.[0-9a-f]+$"),
    "the mark of the register is begun": Moment(
        "anonymize", "open", r"/\.discreet\.register\..*part$"
    ),
    "the report gets its name": Moment("anonymize", "name", r"out\.html$"),
    "the table gets its name": Moment("anonymize", "name", r"out\.parquet$"),
    "a first plot gets its name": Moment("save", "name", r"age\.svg$"),
    "a first plot is recorded": Moment("save", "sqlite3.connect", "mode=rw$"),
}


def do(job: str, folder: Path) -> None:
    """Open a study anew and do something with it that is written."""
    study = dc.open(folder / "cohort.csv", folder / "discreet.toml")
    if job == "anonymize":
        study.anonymize().save(folder / "out.parquet", report=folder / "out.html")
    else:
        study.histogram("age").save(folder / "age.svg")


def at(moment: Moment, act: Callable[[], None]) -> None:
    """Do something at a moment from here on, once."""
    done: list[bool] = []

    def look(call: str, path: object) -> None:
        named = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
        if call == moment.call and re.search(moment.path, named) and not done:
            done.append(True)
            act()

    def hook(call: str, given: tuple[Any, ...]) -> None:
        if call in CALLS:
            look(call, given[0])
        if call == "os.rename":
            look("name", given[1])

    sync = os.fsync

    def synced(file: int) -> None:
        look("sync", os.readlink(f"/proc/self/fd/{file}"))
        sync(file)

    def halved(write: Callable[..., Any]) -> Callable[..., Any]:
        """Let something be written, and then look where it went."""

        def call(*given: Any, **named: Any) -> Any:
            found = write(*given, **named)
            for part in Path(f"/proc/{os.getpid()}/fd").iterdir():
                look("write", os.readlink(part) if part.is_symlink() else "")
            return found

        return call

    sys.addaudithook(hook)
    setattr(os, "fsync", synced)  # noqa: B010 (mypy has another type for it)
    for of, name in ((pq.ParquetWriter, "write_table"), (pq.ParquetWriter, "write_batch")):
        setattr(of, name, halved(getattr(of, name)))


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def no_room() -> None:
    raise OSError(28, "No space left on device")


def forked(work: Callable[[], None]) -> tuple[int, str]:
    """Do some work in a child; return how it ended, and what was wrong."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        told = ""
        try:
            work()
        except BaseException as error:
            told = f"{type(error).__module__}.{type(error).__name__}: {error}"
        os.write(write, told.encode())
        sys.stdout.flush()
        os._exit(bool(told))
    os.close(write)
    with os.fdopen(read) as file:
        told = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), told


def files(folder: Path) -> dict[str, tuple[str, bool, str]]:
    """Return what lies in a folder: of each file its mode, whether it is raw, and a digest."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in REGISTER:
            data = path.read_bytes()
            # Where it lies is in the name of a private file.
            name = re.sub("raw-[0-9a-f]{16}", "raw", str(path.relative_to(folder)))
            mode = f"{path.stat().st_mode & 0o777:o}"
            found[name] = mode, CANARY in data, hashlib.sha256(data).hexdigest()
    return found


def tried(start: Path, name: str, act: Callable[[], None] | int) -> dict[str, Any]:
    """Do a job that goes wrong at a moment, then again, and say what was found after each.

    A number in place of an act is how large files may be.
    """
    moment = MOMENTS.get(name) or Moment(name, "", "")
    with tempfile.TemporaryDirectory() as root:
        folder, temporary = Path(root) / "study", Path(root) / "temporary"
        shutil.copytree(start, folder)
        temporary.mkdir()

        def first() -> None:
            if isinstance(act, int):
                import resource

                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (act, resource.RLIM_INFINITY))
            else:
                at(moment, act)
            again()

        def again() -> None:
            tempfile.tempdir = str(temporary)
            do(moment.job, folder)

        ended, said = forked(first)
        left, beside = files(folder), files(temporary)
        then, wrong = forked(again)
        return {
            "ended": ended,
            "said": said,
            "left": left,
            "beside": beside,
            "then": then,
            "wrong": wrong,
            "found": files(folder),
            "broken": verify(register_of(folder / "discreet.toml").store).broken,
            "temporary": [it.name for it in temporary.iterdir()],
        }


def import_all(start: Path) -> None:
    """Import what the jobs import as they go, or each child would: it is most of their time."""
    with tempfile.TemporaryDirectory() as root:
        folder, names = Path(root) / "study", Path(root) / "names"
        shutil.copytree(start, folder)

        def work() -> None:
            for job in JOBS:
                do(job, folder)
            names.write_text("\n".join(sys.modules), encoding="utf-8")

        assert forked(work) == (0, "")
        for name in names.read_text(encoding="utf-8").split():
            with suppress(ImportError):
                import_module(name)


def main() -> None:
    """Try what is named, and each job as it is when all is well; write what was found."""
    start, asked = Path(sys.argv[1]), json.loads(sys.argv[2])
    import_all(start)
    acts: dict[str, Callable[[], None]] = {"killed": kill, "full": no_room}
    found = {name: tried(start, name, lambda: None) for name in JOBS}
    for name, act in asked:
        found[f"{name} {act}"] = tried(start, name, acts.get(act, act))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
