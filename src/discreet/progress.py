"""Long work says how far it is; whoever shows it listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("discreet_progress", default=None)


def advance(task: str, done: int, total: int) -> None:
    """Tell the listener, if there is one, that `done` of `total` steps of `task` are behind us.

    The numbers are of work, not of people; a listener shows a share of them at most.
    """
    listener = _listener.get()
    if listener is not None:
        listener(task, done, total)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send what `advance` is told within the block to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
