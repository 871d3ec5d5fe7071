"""From a request to a View, to what is sent of it, and to files, of which one is made at a time."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import replace
from functools import partial

from discreet.errors import DiscreetError
from discreet.explore.derived import DerivedCopy
from discreet.outputs.of_answers import file_of
from discreet.plots import PLOTS, View
from discreet.provenance import Sealer
from discreet.render.scene import scene_to_plain
from discreet.secret import DerivedKey
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import Accepted


def drawn(accepted: Accepted) -> View:
    """Draw the plot of a request that was accepted."""
    return accepted.drawn_by.view(accepted.plot)


def picture_json(view: View, name: str) -> bytes:
    """Return what is sent of a picture: its numbers, its marks, and how it was made.

    Whoever sends it asks the view's gate first.
    """
    answer = {
        "id": name,
        "kind": view.kind,
        "view": json.loads(replace(view, gate=None).to_json()),
        "scene": scene_to_plain(view.scene()),
        "says": view.describe(),
        "alt": view.note(),
    }
    return json.dumps(answer, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()


MOST_WAITING = 8  # files that wait while one is made
MOST_BYTES = 32 * 2**20


class Kept:
    """Files by name, of so many bytes together at most; those not asked for longest go first.

    A file that is larger is not kept.

    Examples
    --------
    >>> kept = Kept(5)
    >>> for name in ("a", "b", "c"):
    ...     kept.put((name,), b"12")
    >>> kept.get(("a",)), kept.get(("c",)), kept.size
    (None, b'12', 4)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._files: OrderedDict[tuple[str, ...], bytes] = OrderedDict()
        self.size = 0

    def get(self, name: tuple[str, ...]) -> bytes | None:
        """Return a file that is kept, or nothing."""
        with self._lock:
            file = self._files.get(name)
            if file is not None:
                self._files.move_to_end(name)
            return file

    def put(self, name: tuple[str, ...], file: bytes) -> None:
        """Keep a file, and let go of as many as it takes the room of."""
        if len(file) > self._most:
            return
        with self._lock:
            self.size += len(file) - len(self._files.pop(name, b""))
            self._files[name] = file
            while self.size > self._most:
                _, gone = self._files.popitem(last=False)
                self.size -= len(gone)


Make = Callable[[bytes, str, Sealer], bytes]


class Files:
    """Where files are made of plots and tables, one at a time, of whatever threads ask for them.

    Who waits holds a thread. So few wait, and the others are told to ask again: however many
    files are asked for at once, threads are left for those who ask for something else.
    """

    def __init__(self, make: Make = file_of, most: int = MOST_BYTES) -> None:
        self._make = make
        self._kept = Kept(most)
        self._turn = threading.Lock()
        self._seats = threading.BoundedSemaphore(1 + MOST_WAITING)

    def made(self, view: str, picture: bytes, form: str, key: DerivedKey) -> bytes | Refusal:
        """Return a file of what was sent of a view, sealed by a key; busy where too many wait."""
        name = (view, form, hashlib.sha256(picture).hexdigest())
        file = self._kept.get(name)
        if file is not None:
            return file
        if not self._seats.acquire(blocking=False):
            return refusal("busy")
        try:
            with self._turn:
                file = self._kept.get(name)  # whose turn it was before may have wanted the same
                if file is None:
                    file = self._make(picture, form, Sealer(key))
                    self._kept.put(name, file)
                return file
        finally:
            self._seats.release()


LOG = logging.getLogger("discreet.serve")


def warm_in_background(work: Callable[[], object]) -> threading.Thread:
    """Start some work that makes later requests quick, and return the thread that does it."""
    # Not a daemon: to end while compiled code runs would end in a crash. Who listens how far work
    # is listens to this, too.
    target = partial(copy_context().run, work)
    thread = threading.Thread(target=target, name="discreet-warming")
    thread.start()
    return thread


MOST_WARMED = 3
"""So many columns are drawn together of a plot that takes many."""


def warm(copy: DerivedCopy, step: Callable[[], object] = lambda: None) -> None:
    """Draw a plot of each kind of a copy's first columns: what is imported and compiled stays.

    `step` is called after each.
    """
    numbers, levels = [*copy.whole.copy.columns], [*copy.whole.copy.strata]
    for plot in WARMED:
        columns = (numbers if plot.kind() != "categorical" else levels)[:MOST_WARMED]
        try:
            if len(columns) >= plot.least():
                most = max(plot.least(), min(plot.most(), MOST_WARMED))
                view = copy.draw(plot.of_columns(columns[:most]))
                file_of(picture_json(view, ""), "figure.png")
        except DiscreetError as error:  # these columns have no such plot
            LOG.debug("not drawn to warm up: %s", type(error).__name__)
        step()
        if not threading.main_thread().is_alive():
            return  # the server has ended, and waits for this thread


WARMED = tuple(it for it in PLOTS.values() if not (it.kind() == "formula" or it.unlike()))
"""The plots that are drawn by `warm`."""
