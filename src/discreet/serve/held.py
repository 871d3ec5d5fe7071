"""What a server holds of a study's copy in memory, and how often it may be asked for."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

from discreet.serve.files import MOST_BYTES, Kept
from discreet.study.board import BoardRows, board_rows, stays_on_server
from discreet.study.lights import Lights
from discreet.study.session import Session

__all__ = ["HeldCopy", "Rate"]

MINUTE = 60.0
LEVEL = 5
"""Of compression: more takes longer and saves hardly anything."""


class Rate:
    """How often each caller may ask within a minute; told by this process alone.

    Examples
    --------
    >>> rate = Rate(2, lambda: 0.0)
    >>> [rate.lets("alice"), rate.lets("alice"), rate.lets("alice"), rate.lets("bob")]
    [True, True, False, True]
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._lock = threading.Lock()
        self._minute, self._asked = 0, dict[str, int]()

    def lets(self, caller: str) -> bool:
        """Count a request of a caller, and say whether it is not one too many."""
        minute = int(self._clock() // MINUTE)
        with self._lock:
            if minute != self._minute:
                self._minute, self._asked = minute, {}
            self._asked[caller] = self._asked.get(caller, 0) + 1
            return self._asked[caller] <= self._most


class HeldCopy:
    """The rows of a study's copy as bytes, made once, when they are asked for.

    Whoever hands them out asks the gate first. `known` are callers that have explored the copy, and
    what of it, as the ledger says; `pictures` are answers with plots of it, and `lights` counts its
    rows by the marks of plots.
    """

    def __init__(self, session: Session, a_minute: int) -> None:
        self._session, self._lock = session, threading.RLock()
        self.rate, self.known = Rate(a_minute), set[tuple[str, str]]()
        self.pictures, self.lights = Kept(MOST_BYTES), Lights(session)

    @cached_property
    def rows(self) -> BoardRows | None:
        """The rows of the copy as a browser gets them; None where none may have them."""
        session, policy = self._session, self._session.policy
        with self._lock:
            if not self.there or stays_on_server(policy, len(session.whole)):
                return None
            found = board_rows(session)
            return None if stays_on_server(policy, found.rows, len(found.data)) else found

    @cached_property
    def packed(self) -> bytes:
        """The rows, compressed; nothing where there are none."""
        with self._lock:
            return b"" if self.rows is None else gzip.compress(self.rows.data, LEVEL, mtime=0)

    @property
    def there(self) -> bool:
        """Whether there is a copy of the whole table."""
        return self._session.policy.fixed

    def facts(self) -> dict[str, Any]:
        """Say where the copy is explored, and how large it is."""
        rows = self.rows
        if not self.there:
            return {"way": "none"}
        if rows is None:
            return {"way": "server", "rows": len(self._session.whole)}
        return {
            "way": "browser",
            "rows": rows.rows,
            "bytes": len(rows.data),
            "digest": rows.digest,
        }
