"""What is served: studies, each the version that its file has now."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, InputError, path_in_words
from discreet.explore.board import BoardRows, board_rows, stays_on_server
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import DrawableColumn
from discreet.explore.from_file import FileSession, open_file
from discreet.explore.lights import Lights
from discreet.explore.suggestions import suggestions
from discreet.records.store import Store
from discreet.serve.desk import Desk
from discreet.serve.files import MOST_BYTES, Kept
from discreet.study_file import SUFFIX

LOG = logging.getLogger("discreet.serve")
A_MINUTE = 120
LOOK_SECONDS = 1.0
Marks = tuple[int, int, int, int]
"""A file's device, number, size and time: another file of its name has others."""


LEVEL = 5
"""Of compression: more takes longer and saves hardly anything."""


class CopyInMemory:
    """The rows of a study's copy as bytes, made once, when they are asked for.

    `known` are callers of whom it is written down that they explore the copy, and what of it;
    `answers` are plots and tables that were made, and `lights` counts rows by the marks of plots.
    """

    def __init__(self, copy: DerivedCopy) -> None:
        self._copy, self._lock = copy, threading.RLock()
        self.known = set[tuple[str, str]]()
        self.answers, self.lights = Kept(MOST_BYTES), Lights(copy)

    @cached_property
    def rows(self) -> BoardRows | None:
        """The rows of the copy as a browser gets them; None where none may have them."""
        policy = self._copy.policy
        with self._lock:
            if stays_on_server(policy, len(self._copy.whole)):
                return None
            rows = board_rows(self._copy)
            return None if stays_on_server(policy, rows.rows, len(rows.data)) else rows

    @cached_property
    def packed(self) -> bytes:
        """The rows, compressed; nothing where there are none."""
        with self._lock:
            return b"" if self.rows is None else gzip.compress(self.rows.data, LEVEL, mtime=0)

    @cached_property
    def suggestions(self) -> list[dict[str, Any]]:
        """The pictures that are suggested on the board."""
        with self._lock:
            return suggestions(self._copy)

    def facts(self) -> dict[str, Any]:
        """Say where the copy is explored, and how large it is."""
        if not self._copy.policy.fixed:  # clusters of persons are made, and nothing is of rows
            return {"way": "none", "rows": len(self._copy.whole)}
        rows = self.rows
        if rows is None:
            return {"way": "server", "rows": len(self._copy.whole)}
        return {"way": "browser", "rows": rows.rows, "bytes": len(rows.data), "digest": rows.digest}


@dataclass(frozen=True)
class Served:
    """One version of a study, as its file has it, and what is kept of it in memory.

    `columns` are those that may be drawn, and `kept` is what is kept of the copy in memory.
    """

    file: FileSession
    store: Store
    desk: Desk
    copy: DerivedCopy
    columns: Mapping[str, DrawableColumn]
    kept: CopyInMemory

    @property
    def name(self) -> str:
        """The study's name."""
        return self.file.file.manifest.study

    @property
    def version(self) -> str:
        """Which version of the study it is."""
        return self.file.file.manifest.version

    @property
    def content(self) -> str:
        """The digest of what is in the file."""
        return self.file.file.manifest.content

    def id_of(self, *asked: str) -> str:
        """Name what is made of a question: the same question of the same file has the same name."""
        text = json.dumps([self.name, self.content, *asked])
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def open_served(path: Path, store: Store, desk: Desk) -> Served:
    """Open a study file to serve it: a copy of it, so that nobody writes over what is served."""
    handle, name = tempfile.mkstemp(prefix="discreet-", suffix=SUFFIX)
    os.close(handle)
    try:
        try:
            shutil.copyfile(path, name)
        except OSError as error:
            why = type(error).__name__
            raise InputError(f"{path_in_words(path)} cannot be read ({why})") from None
        try:
            file = open_file(name)
        except InputError as error:  # which names the copy
            message = str(error).replace(path_in_words(name), path_in_words(path))
            raise InputError(message) from None
    finally:
        with suppress(OSError):  # where what is open can be deleted, it is; it stays open
            os.unlink(name)
    copy = DerivedCopy(file, file.whole)
    return Served(file, store, desk, copy, copy.whole.drawable, CopyInMemory(copy))


class Studies:
    """The studies that a server has; a new version of one is a new file in its place.

    Parameters
    ----------
    paths : iterable of Path
        Study files, of one study each.
    store : Store
        The server's record.
    a_minute : int
        How often one caller may ask in a minute.
    clock : callable
        Says what time it is, in seconds.

    Raises
    ------
    InputError
        If a file cannot be opened, or two are of one study.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        store: Store,
        a_minute: int = A_MINUTE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store, self.desk = store, Desk(a_minute)
        self._clock, self._looking = clock, threading.Lock()
        self._paths: dict[str, Path] = {}
        self._served: dict[str, Served] = {}
        self._marks: dict[str, Marks | None] = {}
        self._looked: dict[str, float] = {}
        for path in paths:
            marks = _marks_of(path)
            served = open_served(path, store, self.desk)
            if served.name in self._served:
                other = path_in_words(self._paths[served.name])
                raise InputError(
                    f"{path_in_words(path)} and {other} belong to the same study, "
                    f"{served.name!r}; name only one of them"
                )
            self._take(path, served, marks)
        if not self._served:
            raise InputError("name a study file to serve: cohort.discreet")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the studies."""
        return tuple(self._served)

    def get(self, name: str) -> Served | None:
        """Return a study by its name, in the version that its file has now.

        While one thread opens a new version, the others are answered from the one before.
        """
        if name not in self._served:
            return None
        now = self._clock()
        if now >= self._looked[name] + LOOK_SECONDS and self._looking.acquire(blocking=False):
            try:
                self._look(name, now)
            finally:
                self._looking.release()
        return self._served[name]

    def all(self) -> tuple[Served, ...]:
        """Return all studies."""
        return tuple(it for name in self.names if (it := self.get(name)) is not None)

    def _take(self, path: Path, served: Served, marks: Marks | None) -> None:
        name = served.name
        self._paths[name], self._served[name] = path, served
        self._marks[name], self._looked[name] = marks, self._clock()

    def _look(self, name: str, now: float) -> None:
        """Take the file of a study that is another by now; where it is none, keep what there is."""
        path = self._paths[name]
        self._looked[name], marks = now, _marks_of(path)
        if marks == self._marks[name]:
            return
        self._marks[name] = marks
        try:
            served = open_served(path, self.store, self.desk)
            if served.name != name:
                raise InputError("it is of another study")
        except DiscreetError as error:
            LOG.warning(
                "the file of study %r was written, and cannot be taken (%s): the previous "
                "version is still served",
                name,
                error,
            )
            return
        if served.content != self._served[name].content:
            LOG.info("study %r is served in version %s now", name, served.version)
        self._take(path, served, marks)  # of the same content, too: its bytes may lie elsewhere


def _marks_of(path: Path) -> Marks | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
