"""The levels of a categorical column as they may be shown: small ones joined."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType

from discreet.errors import InputError
from discreet.policy import ROWS_PER_K, Asked
from discreet.table import Table

__all__ = ["Levels", "joined", "levels_of", "panels_of"]

MISSING, OTHER = "(missing)", "other"


@dataclass(frozen=True)
class Levels:
    """The names that levels are shown under, and the place of each stored level among them."""

    names: tuple[str, ...]
    places: Mapping[str, int] = field(repr=False)  # names levels that are joined for being small

    def at(self, stored: Sequence[str]) -> tuple[int, ...]:
        """Return the place of each stored level."""
        try:
            return tuple(self.places[level] for level in stored)
        except KeyError:
            raise InputError(
                "the data changed while they were read; open the study again"
            ) from None

    def named(self, stored: tuple[str, ...]) -> tuple[str, ...]:
        """Return the shown name of each stored level."""
        return tuple(self.names[place] for place in self.at(stored))


def levels_of(table: Table, name: str, asked: Asked) -> Levels:
    """Return the levels of a column of a table or bar chart.

    Under a guarded policy levels of fewer than k persons are joined, because the name of a level
    says that somebody has it; under `research` all are named.
    """
    return joined(table.levels(name), *([asked.k] if asked.guarded else []))


def panels_of(table: Table, name: str, asked: Asked) -> Levels:
    """Return the levels that have a picture of their own.

    Each is as large as any picture must be: k persons, and 10 k under a guarded policy. Those
    are joined from the levels that a bar chart shows, so that no difference is of fewer than k.
    """
    leasts = [asked.k, ROWS_PER_K * asked.k] if asked.guarded else [asked.k]
    return joined(table.levels(name), *leasts)


def joined(counts: Mapping[str, int], *leasts: int) -> Levels:
    """Join the levels of fewer than so many persons, first those below the first of `leasts`.

    Where all of them together are still fewer, the smallest other level joins them. A missing
    value is a level.

    Examples
    --------
    >>> joined({"a": 9, "b": 7, "c": 2, "": 1}, 3).names
    ('a', 'b', 'other')
    >>> joined({"a": 9, "b": 7, "c": 2}, 3).names
    ('a', 'b + other')
    """
    missing = "(no value)" if MISSING in counts else MISSING
    groups = [_Group(level or missing, (level,), count) for level, count in counts.items()]
    for least in leasts:
        groups = _joined(groups, least)
    groups.sort(key=lambda group: (group.rest, group.members == ("",), _order(group.name)))
    places = {level: i for i, group in enumerate(groups) for level in group.members}
    return Levels(tuple(group.name for group in groups), MappingProxyType(places))


@dataclass(frozen=True)
class _Group:
    """Levels that are shown as one; `rest` if they were joined for being small."""

    name: str
    members: tuple[str, ...]
    count: int
    rest: bool = False


def _joined(groups: list[_Group], least: int) -> list[_Group]:
    large = [group for group in groups if group.count >= least and not group.rest]
    small = [group for group in groups if group.count < least or group.rest]
    if all(group.count >= least for group in small):
        return groups
    name = OTHER if all(group.name != OTHER for group in large) else "other levels"
    if large and sum(group.count for group in small) < least:
        smallest = min(large, key=lambda group: (group.count, group.name))
        large.remove(smallest)
        small.append(smallest)
        name = f"{smallest.name} + {name}"
    members = tuple(level for group in small for level in group.members)
    return [*large, _Group(name, members, sum(group.count for group in small), rest=True)]


def _order(name: str) -> tuple[bool, float, str]:
    """Sort numbers as numbers, before words."""
    with suppress(ValueError):
        if math.isfinite(number := float(name)):
            return (False, number, name)
    return (True, 0.0, name)
