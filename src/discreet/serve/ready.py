"""Whether a server answers at once: what it does before, and whether it still fits its data."""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import LeavingError, LedgerError
from discreet.progress import advance
from discreet.serve.facts import Served
from discreet.serve.files import WARMED, warm
from discreet.serve.limits import place_of

__all__ = ["Ready", "Workers", "runs"]

LOG = logging.getLogger("discreet.serve")
TASK = "warming up"
BEGUN_AGAIN = "stop the server and start it again"
OTHERS = "the other workers"
CHANGED = (
    "the data or the version of the study are not as when the server was started, so nothing new of"
    f" them is given out; {BEGUN_AGAIN}, or open a new version first (discreet version new)"
)
OTHER_POLICY = (
    "the policy file is not as when the server was started, and what it says now does not hold yet;"
    f" {BEGUN_AGAIN}"
)
NO_LEDGER = "the ledger cannot be read, so nothing is given out; see the server's terminal"


@dataclass(frozen=True)
class Workers:
    """The processes of a server, each of which says in a folder that it is warm.

    Parameters
    ----------
    folder : Path
        Where each that is warm has a file that is called by its number.
    count : int
        How many there are.
    """

    folder: Path
    count: int

    def add(self) -> None:
        """Say that this process is warm."""
        (self.folder / str(os.getpid())).touch()

    @property
    def cold(self) -> int:
        """How many are not warm: also one that was started in place of another."""
        return max(0, self.count - sum(runs(int(it.name)) for it in self.folder.iterdir()))


def runs(process: int) -> bool:
    """Whether there is a process of ours of this number."""
    if sys.platform == "win32":  # there it would end what it asks
        return True
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True


class Ready:
    """What a server waits for before it answers at once, and what is wrong, if anything is.

    Nothing is waited for until `expect` says so; where others serve the same study beside this
    process, for them, too.
    """

    def __init__(self, served: Served) -> None:
        self._served, self._lock = served, threading.Lock()
        self._workers: Workers | None = None
        self._policy, self._said = self._digest(), ""
        self._waits, self._done, self._of = "", 0, 0

    def expect(self, workers: Workers | None = None) -> None:
        """Say that `warm` will be called, and of which workers this process is one."""
        self._workers = workers
        self._waits, self._done, self._of = "the rows of the copy", 0, WARMED + 1

    def warm(self) -> None:
        """Make what the first requests need: the rows, and what is compiled."""
        try:
            with self._served.turn:
                _ = self._served.held.packed
            self._step("plots to be compiled")
            warm(lambda: self._step("plots to be compiled"))
        except Exception as error:  # whoever asks is told what is wrong
            LOG.warning("warming up ended early: %s", place_of(error))
        finally:
            self._waits, self._done = "", self._of
            if self._workers is not None:
                self._workers.add()
            LOG.info("ready")
            advance(TASK, self._done, self._of)

    def _step(self, then: str) -> None:
        self._waits, self._done = then, self._done + 1
        advance(TASK, self._done, self._of)

    @property
    def warm_now(self) -> bool:
        """Whether this process waits for nothing, and nothing is wrong."""
        return not (self._waits or self.wrong())

    @property
    def pictures(self) -> int:
        """How many pictures are made in this process or wait for their turn."""
        return self._served.places.taken

    def facts(self) -> dict[str, Any]:
        """Say whether the server answers at once, and if not, why: without a value or a name."""
        wrong, waits = self.wrong(), self._waits
        if not waits and self._workers is not None and self._workers.cold:
            waits = OTHERS
        return {
            "ready": not (wrong or waits),
            "waits": waits or None,
            "done": self._done,
            "of": self._of,
            "says": wrong or None,
        }

    def wrong(self) -> str:
        """Say what no longer fits, in the log too where it is new; nothing where all fits."""
        found = self._wrong()
        with self._lock:
            new, self._said = found != self._said, found
        if found and new:
            LOG.warning("discreet: %s", found)
        return found

    def _wrong(self) -> str:
        try:
            self._served.study.session.release_gate.check_unchanged()
        except LedgerError:
            return NO_LEDGER
        except LeavingError:
            return CHANGED
        return "" if self._digest() == self._policy else OTHER_POLICY

    def _digest(self) -> bytes:
        """Return a digest of the policy file, where there is one that can be read."""
        file = self._served.study.policy.file
        try:
            return b"" if file is None else hashlib.sha256(file.read_bytes()).digest()
        except OSError:
            return b"gone"
