"""Columns that are in memory, or that are read from a file when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")

HELD = 4
"""So many columns stay in memory once they were read."""


class Unread(Mapping[str, T]):
    """Columns each of which is read when it is asked for; the last few are held.

    Parameters
    ----------
    names : sequence of str
        The columns.
    read : callable
        Returns the column of a name.
    held : int, default 4
        How many stay in memory once they were read.
    """

    def __init__(self, names: Sequence[str], read: Callable[[str], T], held: int = HELD) -> None:
        self._names, self._read = dict.fromkeys(names), lru_cache(held)(read)

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise KeyError(name)
        return self._read(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def beside(columns: Mapping[str, T], more: Mapping[str, T]) -> Mapping[str, T]:
    """Return columns and further ones; where a name is in both, the further one's."""
    if not isinstance(columns, Unread):
        return {**columns, **more}
    names = [*columns, *(name for name in more if name not in columns)]
    return Unread(names, lambda name: more[name] if name in more else columns[name], 1)


def without(columns: Mapping[str, T], names: Collection[str]) -> Mapping[str, T]:
    """Return columns but for some."""
    kept = [name for name in columns if name not in names]
    if not isinstance(columns, Unread):
        return {name: columns[name] for name in kept}
    return Unread(kept, columns.__getitem__, 1)


def changed(columns: Mapping[str, T], change: Callable[[T], T]) -> Mapping[str, T]:
    """Return each column as `change` makes it."""
    if not isinstance(columns, Unread):
        return {name: change(column) for name, column in columns.items()}
    return Unread([*columns], lambda name: change(columns[name]))
