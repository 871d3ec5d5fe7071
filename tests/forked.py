"""Processes of their own that have imported everything: forks of one that does nothing else.

A new interpreter imports for two seconds, which is more than most tests of another process take.
What has to be tried in a new interpreter starts one itself: imports, warnings, `-m discreet`.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TextIO

__all__ = ["COMMAND", "Forked", "ran"]

COMMAND = "from discreet.cli import main; main()"
OTHERS = multiprocessing.get_context("forkserver")
OTHERS.set_forkserver_preload(["tests.preloaded"])


def _become(
    out: Connection, err: Connection, code: str, words: Sequence[str], given: Mapping[str, Any]
) -> None:
    """Do in the fork what an interpreter does that is given code and words."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    out.close()
    err.close()
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (os.fdopen(it, "w", 1, closefd=False) for it in (1, 2))
    os.environ.clear()
    os.environ.update(given["env"])
    os.chdir(given["cwd"])
    tempfile.tempdir = None
    time.tzset()
    for path in given["env"].get("PYTHONPATH", "").split(os.pathsep):
        begin = Path(path, "sitecustomize.py")
        if path and begin.is_file():  # as Python would import it
            exec(begin.read_text(encoding="utf-8"), {})
    sys.argv = ["discreet", *words]
    exec(compile(code, "<forked>", "exec"), {"__name__": "__main__"})


class Forked:
    """A process that runs some code, in a session of its own, and what it writes."""

    def __init__(
        self,
        code: str,
        words: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        given = {"env": {**os.environ, **(env or {})}, "cwd": str(cwd or Path.cwd())}
        ends = [OTHERS.Pipe(duplex=False) for _ in range(2)]
        it = OTHERS.Process(target=_become, args=(*(end for _, end in ends), code, words, given))
        it.start()
        self.process = it
        self.stdout, self.stderr = (_read(*pair) for pair in ends)

    @property
    def pid(self) -> int:
        return self.process.pid or 0

    @property
    def returncode(self) -> int | None:
        return self.process.exitcode

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self, timeout: float = 120) -> int:
        self.process.join(timeout)
        code = self.process.exitcode
        assert code is not None, "the process has not ended"
        return code

    def send_signal(self, which: signal.Signals) -> None:
        os.kill(self.pid, which)

    def communicate(self, timeout: float = 120) -> tuple[str, str]:
        """Wait until it has ended, and return what it has written and is not read."""
        said = self.stdout.read(), self.stderr.read()
        self.wait(timeout)
        self.stdout.close()
        self.stderr.close()
        return said


def _read(reader: Connection, writer: Connection) -> TextIO:
    writer.close()
    file = os.fdopen(os.dup(reader.fileno()), encoding="utf-8")
    reader.close()
    return file


def ran(code: str, *words: str, env: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Run some code in a process of its own; return its exit code and what it has written."""
    process = Forked(code, words, env)
    said = process.communicate()
    return process.wait(), *said
