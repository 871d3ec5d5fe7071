"""Whose turn it is: how often each caller may ask, and one heavy piece of work at a time.

Of those who wait, each caller comes in turn, however much any of them has asked for: forty requests
of one hold another up by no more than the one that is being worked on.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from discreet.serve.files import Files

MINUTE = 60.0
MOST_WAITING = 24
"""So many requests wait for their turn or are worked on, of all callers together: each of them
holds a thread, and some are left for what takes no time."""


class Rate:
    """How often each caller may ask within a minute; counted by this process alone.

    Examples
    --------
    >>> rate = Rate(2, lambda: 0.0)
    >>> [rate.count("alice"), rate.count("alice"), rate.count("alice"), rate.count("bob")]
    [1, 2, 3, 1]
    >>> rate.most
    2
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most, self._clock = most, clock
        self._lock = threading.Lock()
        self._minute, self._asked = 0, dict[str, int]()

    def count(self, caller: str) -> int:
        """Count a request of a caller, and say which of this minute it is."""
        minute = int(self._clock() // MINUTE)
        with self._lock:
            if minute != self._minute:
                self._minute, self._asked = minute, {}
            self._asked[caller] = self._asked.get(caller, 0) + 1
            return self._asked[caller]

    def lets(self, caller: str) -> bool:
        """Count a request of a caller, and say whether it is not one too many."""
        return self.count(caller) <= self.most


class Turns:
    """Lets one piece of work be done at a time; callers who wait take turns.

    Examples
    --------
    >>> turns = Turns(most=1)
    >>> with turns.of("alice") as first, turns.of("alice") as second:
    ...     first, second, turns.taken
    (True, False, 1)
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most, self._free = most, threading.Condition()
        self._waiting: OrderedDict[str, deque[object]] = OrderedDict()
        self._working: str | None = None

    @property
    def taken(self) -> int:
        """How many pieces of work are done or wait."""
        with self._free:
            return self._count()

    @contextmanager
    def of(self, caller: str) -> Iterator[bool]:
        """Wait for a caller's turn, and keep it; False at once where too much waits already."""
        ticket = object()
        with self._free:
            if self._count() >= self._most:
                took = False
            else:
                self._wait(caller, ticket)
                self._free.wait_for(lambda: self._is_next(ticket))
                self._begin(caller)
                took = True
        try:
            yield took
        finally:
            if took:
                with self._free:
                    self._working = None
                    self._free.notify_all()

    def _wait(self, caller: str, ticket: object) -> None:
        """Take a ticket into the line, in which who is worked for comes last."""
        self._waiting.setdefault(caller, deque()).append(ticket)
        if self._working is not None and self._working in self._waiting:
            self._waiting.move_to_end(self._working)

    def _is_next(self, ticket: object) -> bool:
        return self._working is None and next(iter(self._waiting.values()))[0] is ticket

    def _begin(self, caller: str) -> None:
        """Take the first ticket of a caller, who comes last from now on."""
        self._working = caller
        self._waiting[caller].popleft()
        self._waiting.move_to_end(caller)
        if not self._waiting[caller]:
            del self._waiting[caller]

    def _count(self) -> int:
        return sum(map(len, self._waiting.values())) + (self._working is not None)


class Desk:
    """What requests of all studies share: how often a caller may ask, whose turn it is, files."""

    def __init__(self, a_minute: int) -> None:
        self.rate, self.turns, self.files = Rate(a_minute), Turns(), Files()
        # So much more often may the copy be asked for: each pointing at a mark is a request.
        self.rate_of_copy = Rate(10 * a_minute)
