"""What is served: studies, each the version that its file has now, and several as one.

A map is served as a study of its own, of the rows of its files as they are served: what is not
served of one of them is not served of any study that it is part of.
"""

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
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, InputError, path_in_words
from discreet.explore.board import BoardRows, board_rows, stays_on_server
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import DrawableColumn
from discreet.explore.from_file import FileSession, open_file
from discreet.explore.harmony import Harmony, is_map, read_map
from discreet.explore.lights import Lights
from discreet.explore.pooled import PooledFile, Site, pool
from discreet.explore.suggestions import suggestions
from discreet.records.store import Store
from discreet.serve.desk import Desk
from discreet.serve.files import MOST_BYTES, Kept
from discreet.study_file import SUFFIX
from discreet.use import today

LOG = logging.getLogger("discreet.serve")
A_MINUTE = 120
LOOK_SECONDS = 1.0
WITHDRAWN = "its file was withdrawn"
PAST = "it was to be used until {}, which is past"
ALONE = "the study {!r}, of which it is made, is not to be combined with others"
PART = "the study {!r}, of which it is made, is not served: {}"
UNFIT = "the studies of which it is made do not fit together any more, by its map"
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

    @property
    def sites(self) -> tuple[Site, ...]:
        """The studies of which it is made; none where it has a file of its own."""
        file = self.file.file
        return file.sites if isinstance(file, PooledFile) else ()

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
    return _served(file, store, desk)


def _served(file: FileSession, store: Store, desk: Desk) -> Served:
    copy = DerivedCopy(file, file.whole)
    return Served(file, store, desk, copy, copy.whole.drawable, CopyInMemory(copy))


@dataclass(eq=False)
class _Place:
    """A study by where its file lies: what is served of it, or why nothing is."""

    name: str
    path: Path
    marks: Marks | None
    served: Served | None = None
    why: str = WITHDRAWN
    looked: float = 0.0

    def close(self, why: str) -> None:
        """Serve it no longer; what was in memory of it goes."""
        if why != self.why or self.served is not None:
            LOG.warning("study %r is not served now: %s", self.name, why)
        self.served, self.why = None, why

    def take(self, served: Served) -> None:
        """Serve a version."""
        had, self.served, self.why = self.served, served, ""
        if had is None or served.content != had.content:
            LOG.info("study %r is served in version %s now", self.name, served.version)


@dataclass(eq=False)
class _Together(_Place):
    """Several studies as one by where its map lies, and what was last tried to make it of."""

    of: Harmony | None = None
    tried: tuple[object, ...] = ()

    def close(self, why: str) -> None:
        """Serve it no longer, until its files are served again."""
        super().close(why)
        self.tried = ()


class Studies:
    """The studies that a server has; a new version of one is a new file in its place.

    The paths are of study files, of one study each, and of maps, each of which is a study made of
    several; the files that a map names are served as well. It is an input error if one cannot be
    opened, or two are of one study.

    A study whose file is gone or past its last day is not served, nor is what is made of it; the
    others are. So is a study made of one that is not to be combined. Of several files one that is
    gone when the server starts is left out: only the file says which study it is of.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        store: Store,
        a_minute: int = A_MINUTE,
        clock: Callable[[], float] = time.monotonic,
        day: Callable[[], date] = today,
    ) -> None:
        self.store, self.desk = store, Desk(a_minute)
        self._clock, self._day, self._looking = clock, day, threading.Lock()
        self._places: dict[str, _Place] = {}
        self._by_path: dict[Path, _Place] = {}
        named = [*dict.fromkeys(paths)]
        maps = {path: (_marks_of(path), read_map(path)) for path in named if is_map(path)}
        files = [path for path in named if path not in maps]
        files += [path for _, of in maps.values() for path in of.files.values()]
        different = [*{path.resolve(): path for path in files}.values()]
        for path in different:
            self._add_file(path, alone=len(different) == 1)
        for path, (marks, of) in maps.items():
            place = _Together(of.title, path, marks, why="", of=of)
            self._add(place)
            self._put_together(place)
        if not self._places:
            raise InputError("name a study file to serve: cohort.discreet")

    def _add_file(self, path: Path, *, alone: bool) -> None:
        marks = _marks_of(path)
        if marks is None and not alone:
            LOG.warning("%s is not there, and is not served", path_in_words(path))
            return
        served = open_served(path, self.store, self.desk)
        self._add(_Place(served.name, path, marks, served, ""))
        self._by_path[path.resolve()] = self._places[served.name]

    def _add(self, place: _Place) -> None:
        if place.name in self._places:
            other = path_in_words(self._places[place.name].path)
            raise InputError(
                f"{path_in_words(place.path)} and {other} belong to the same study, "
                f"{place.name!r}; name only one of them, or give a map another name"
            )
        self._places[place.name], place.looked = place, self._clock()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the studies."""
        return tuple(self._places)

    def get(self, name: str) -> Served | None:
        """Return a study by its name, in the version that its file has now; None if not served.

        While one thread opens a new version, the others are answered from the one before.
        """
        place = self._places.get(name)
        if place is None:
            return None
        now = self._clock()
        if now >= place.looked + LOOK_SECONDS and self._looking.acquire(blocking=False):
            try:
                place.looked = now
                self._look(place)
            finally:
                self._looking.release()
        served = place.served
        return None if served is None or self._past(served) else served

    def why_not(self, name: str) -> str:
        """Say why a study that there is, is not served; the end of a sentence."""
        place = self._places[name]
        return self._past(place.served) if place.served is not None else place.why

    def all(self) -> tuple[Served, ...]:
        """Return all studies that are served."""
        return tuple(it for name in self.names if (it := self.get(name)) is not None)

    def _past(self, served: Served) -> str:
        """Say that the last day of a study is past; nothing where it is not."""
        use = served.file.file.manifest.use
        return PAST.format(use.until) if use.is_past(self._day()) else ""

    def _look(self, place: _Place) -> None:
        """Take what another file says by now; where it cannot be read, keep what there is."""
        if isinstance(place, _Together):
            self._look_at_map(place)
            self._put_together(place)
            return
        marks = _marks_of(place.path)
        if marks == place.marks:
            return
        place.marks = marks
        if marks is None:
            place.close(WITHDRAWN)
            return
        try:
            served = open_served(place.path, self.store, self.desk)
            if served.name != place.name:
                raise InputError("it is of another study")
        except DiscreetError as error:
            _not_taken(place, error)
            return
        place.take(served)  # of the same content, too: its bytes may lie elsewhere

    def _look_at_map(self, place: _Together) -> None:
        marks = _marks_of(place.path)
        if marks == place.marks:
            return
        place.marks = marks
        if marks is None:
            place.of = None
            return
        try:
            of = read_map(place.path)
            if of.title != place.name:
                raise InputError("it is of another name")
            if not {it.resolve() for it in of.files.values()} <= {*self._by_path}:
                raise InputError("it names a file that is not served; start the server again")
        except DiscreetError as error:
            _not_taken(place, error)
            return
        place.of = of

    def _put_together(self, place: _Together) -> None:
        """Make a study of several as they are served now, or say why none is made."""
        parts: dict[str, Served] = {}
        for name, path in (place.of.files if place.of is not None else {}).items():
            part = self._by_path.get(path.resolve())
            if part is not None:
                self._look(part)
            if part is None or part.served is None:
                place.close(PART.format(name, WITHDRAWN if part is None else part.why))
                return
            if why := self._past(part.served):
                place.close(PART.format(name, why))
                return
            if not part.served.file.file.manifest.use.combine:
                place.close(ALONE.format(name))
                return
            parts[name] = part.served
        if place.of is None:
            place.close(WITHDRAWN)
            return
        tried = (place.of, *(it.file for it in parts.values()))
        if [*map(id, tried)] == [*map(id, place.tried)]:
            return
        try:
            file = pool({name: it.file for name, it in parts.items()}, place.of, closes=False)
        except DiscreetError as error:
            if place.served is None and not place.why:  # at the start
                raise
            LOG.warning("study %r cannot be put together: %s", place.name, error)
            place.close(UNFIT)
        else:
            place.take(_served(file, self.store, self.desk))
        place.tried = tried


def _not_taken(place: _Place, error: DiscreetError) -> None:
    LOG.warning(
        "the file of study %r was written, and cannot be taken (%s): the previous "
        "version is still served",
        place.name,
        error,
    )


def _marks_of(path: Path) -> Marks | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
