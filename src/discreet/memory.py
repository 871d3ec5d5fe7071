"""Memory that is not needed any more, given back to the system."""

from __future__ import annotations

import ctypes
from contextlib import suppress

__all__ = ["give_back"]


def give_back() -> None:
    """Give freed memory back to the system, where the C library can.

    glibc keeps what was freed for what comes next. A server that made a copy once would hold the
    memory of that for as long as it serves.
    """
    with suppress(OSError, AttributeError, TypeError):  # another C library: it has no such call
        ctypes.CDLL(None).malloc_trim(0)
