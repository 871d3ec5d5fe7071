"""The levels of a categorical column as they may be shown: small ones joined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.plots.request import PlotRequest
from discreet.table import Table

__all__ = ["Levels", "check_few", "joined", "levels_of", "panels_of"]

MISSING, OTHER = "(missing)", "other"
MOST_PANELS = 60


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


def levels_of(table: Table, name: str, request: PlotRequest) -> Levels:
    """Return the levels of a column of a table or bar chart.

    Under a guarded policy levels of fewer than k persons are joined, because the name of a level
    says that somebody has it; under `research` all are named.
    """
    return joined(table.levels(name), *([] if request.shows_exact else [request.k]))


def panels_of(table: Table, request: PlotRequest) -> Levels:
    """Return the levels of the column that divides a plot which have a panel of their own.

    Each is as large as any picture must be: k persons who have what is drawn, and 10 k under a
    guarded policy. Those are joined from the levels that a bar chart shows, so that no difference
    is of fewer than k.
    """
    if (name := request.by) is None:
        raise BrokenPromiseError("small multiples were asked for without by=")
    drawn = table.levels(name, complete=request.columns)
    levels = joined(table.levels(name), request.k, request.least_persons, drawn=drawn)
    check_few([levels], MOST_PANELS, name)
    return levels


def check_few(found: Iterable[Levels], most: int, *names: str) -> None:
    """Refuse more levels, or pairs of levels, than can be told apart in a picture."""
    if math.prod(len(levels.names) for levels in found) > most:
        what = "levels" if len(names) == 1 else "pairs of levels"
        raise RefusedError(
            f"{' by '.join(map(repr, names))} has more than {most} {what}, too many to be told"
            " apart; join levels (codes by their first letters, places by region), or name another"
            " column"
        )


def joined(
    counts: Mapping[str, int], *leasts: int, drawn: Mapping[str, int] | None = None
) -> Levels:
    """Join the levels of fewer than so many persons, first those below the first of `leasts`.

    Where all of them together are still fewer, the smallest other level joins them. A missing
    value is a level. The last of `leasts` is of those counted in `drawn`, where it is given.

    Examples
    --------
    >>> joined({"a": 9, "b": 7, "c": 2, "": 1}, 3).names
    ('a', 'b', 'other')
    >>> joined({"a": 9, "b": 7, "c": 2}, 3).names
    ('a', 'b + other')
    """
    missing = "(no value)" if MISSING in counts else MISSING
    groups = [_Group(level or missing, (level,), count) for level, count in counts.items()]
    for place, least in enumerate(leasts, start=1):
        if drawn is not None and place == len(leasts):
            groups = [replace(group, count=_held(group, drawn)) for group in groups]
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


def _held(group: _Group, counts: Mapping[str, int]) -> int:
    return sum(counts.get(level, 0) for level in group.members)


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
