"""What every method says of itself."""

from __future__ import annotations

from typing import ClassVar, Protocol

__all__ = ["Described"]


class Described(Protocol):
    """What every method says of itself: one sentence each, shown beside every picture."""

    name: ClassVar[str]
    promises: ClassVar[str]
    leaves_open: ClassVar[str]
