"""Whether a server answers at once: what it does before, and what is wrong with what it needs."""

from __future__ import annotations

import logging
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import RegisterError
from discreet.progress import advance
from discreet.serve.files import WARMED, warm
from discreet.serve.limits import place_of
from discreet.serve.studies import Studies

LOG = logging.getLogger("discreet.serve")
TASK = "warming up"
OTHERS = "the other workers"
NO_RECORD = "the server's record cannot be read, so nothing is given out; see its terminal"


@dataclass(frozen=True)
class Workers:
    """The processes of a server: each that is warm has a file in a folder, called by its number."""

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

    Nothing is waited for until `expect` says so; where others serve the same studies beside this
    process, for them, too.
    """

    def __init__(self, studies: Studies) -> None:
        self._studies, self._lock = studies, threading.Lock()
        self._workers: Workers | None = None
        self._said, self._waits, self._done, self._of = "", "", 0, 0

    def expect(self, workers: Workers | None = None) -> None:
        """Say that `warm` will be called, and of which workers this process is one."""
        self._workers, self._done = workers, 0
        self._waits, self._of = "the rows of the copy", len(self._studies.names) + len(WARMED)

    def warm(self) -> None:
        """Make what the first requests need: the rows, and what is compiled."""
        try:
            studies = self._studies.all()
            for served in studies:
                _ = served.kept.packed, served.kept.suggestions
                self._step("plots to be compiled")
            warm(studies[0].copy, lambda: self._step("plots to be compiled"))
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
        return self._studies.desk.turns.taken

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
        """Say what is wrong, in the log too where it is new; nothing where all is well."""
        wrong = self._wrong()
        with self._lock:
            new, self._said = wrong != self._said, wrong
        if wrong and new:
            LOG.warning("discreet: %s", wrong)
        return wrong

    def _wrong(self) -> str:
        self._studies.all()  # a new version is taken before anybody asks for it
        try:
            with self._studies.store.reading():
                return ""
        except RegisterError:
            return NO_RECORD
