"""Files of pictures: one is made at a time, few wait, and those asked for again are kept."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

from discreet.serve.refusals import Refusal, refusal

__all__ = ["Files", "Kept"]

MOST_WAITING = 8  # files that wait while one is made
MOST_BYTES = 32 * 2**20


class Kept:
    """Files by name, of so many bytes together at most; those not asked for longest go first.

    Parameters
    ----------
    most : int
        Bytes. A file that is larger is not kept.

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
        self._size = 0

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return self._size

    def get(self, name: tuple[str, ...]) -> bytes | None:
        """Return a file that is kept, or nothing."""
        with self._lock:
            found = self._files.get(name)
            if found is not None:
                self._files.move_to_end(name)
            return found

    def put(self, name: tuple[str, ...], file: bytes) -> None:
        """Keep a file, and let go of as many as it takes the room of."""
        if len(file) > self._most:
            return
        with self._lock:
            self._size += len(file) - len(self._files.pop(name, b""))
            self._files[name] = file
            while self._size > self._most:
                _, gone = self._files.popitem(last=False)
                self._size -= len(gone)


class Files:
    """Where files are made, of whatever threads ask for them.

    Parameters
    ----------
    make : callable
        Makes a file of a picture and a form; called by one thread at a time.
    most : int, default 32 MB
        Bytes that are kept.

    Notes
    -----
    Who waits holds a thread. So few wait, and the others are told to ask again: however many
    files are asked for at once, threads are left for those who ask for something else.
    """

    def __init__(self, make: Callable[[bytes, str], bytes], most: int = MOST_BYTES) -> None:
        self._make = make
        self._kept = Kept(most)
        self._turn = threading.Lock()
        self._seats = threading.BoundedSemaphore(1 + MOST_WAITING)

    def made(self, view: str, picture: bytes, form: str) -> bytes | Refusal:
        """Return a file of a picture; busy where too many wait.

        Parameters
        ----------
        view : str
            The name of the picture.
        picture : bytes
            What was sent of it.
        form : str
            Which file.

        Returns
        -------
        bytes or Refusal
        """
        name = (view, form, hashlib.sha256(picture).hexdigest())
        found = self._kept.get(name)
        if found is not None:
            return found
        if not self._seats.acquire(blocking=False):
            return refusal("busy")
        try:
            with self._turn:
                return self._once(name, picture, form)
        finally:
            self._seats.release()

    def _once(self, name: tuple[str, str, str], picture: bytes, form: str) -> bytes:
        """Make a file, unless whose turn it was before wanted the same."""
        found = self._kept.get(name)
        if found is None:
            found = self._make(picture, form)
            self._kept.put(name, found)
        return found
