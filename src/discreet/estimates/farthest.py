"""What of a copy is farthest from the raw table, in the units of its columns: for the custodian.

Means and standard deviations of numbers, shares of levels, and means of the groups that levels
make. They are exact figures of raw data, and none of them is released.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.estimates.words import number_words
from discreet.render.dates import date_words

FEWEST_OF_GROUP = 20
"""Means of fewer rows, of either table, are not compared."""
MOST_GROUPS = 30
MOST_NAMED = 3
"""So many of each kind are named."""


class MomentFit(NamedTuple):
    """The mean and standard deviation of a number: of the raw table, and of the copy."""

    name: str
    mean: float
    of_copy: float
    sd: float
    sd_of_copy: float

    @property
    def off(self) -> float:
        """How far the farther of both is, in raw standard deviations."""
        far = max(abs(self.mean - self.of_copy), abs(self.sd - self.sd_of_copy))
        return far / self.sd if self.sd else (math.inf if far else 0.0)


class LevelFit(NamedTuple):
    """The level of a column whose share of the rows is farthest off."""

    name: str
    level: str
    share: float
    of_copy: float

    @property
    def off(self) -> float:
        """How far it is."""
        return abs(self.share - self.of_copy)


class GroupFit(NamedTuple):
    """The group of rows by a column of levels in which the mean of a number is farthest off.

    `error` is the standard error of the raw mean.
    """

    name: str
    by: str
    level: str
    mean: float
    of_copy: float
    error: float

    @property
    def off(self) -> float:
        """How far it is, in its standard errors."""
        far = abs(self.mean - self.of_copy)
        return far / self.error if self.error else (math.inf if far else 0.0)


class NamedCodes(NamedTuple):
    """A column of levels of both tables: the names of classes, and which each row has."""

    names: Sequence[str]
    raw: Labels
    copy: Labels


T = TypeVar("T", MomentFit, LevelFit, GroupFit)
Numbers = Mapping[str, tuple[Floats, Floats]]


def moment_fits(numbers: Numbers) -> Iterator[MomentFit]:
    """Yield the mean and standard deviation of each number, where both tables have two values.

    Examples
    --------
    >>> next(moment_fits({"x": (np.array([1.0, 3.0]), np.array([2.0, 2.0, np.nan]))}))
    MomentFit(name='x', mean=2.0, of_copy=2.0, sd=1.4142135623730951, sd_of_copy=0.0)
    """
    for name, both in numbers.items():
        raw, copy = (values[~np.isnan(values)] for values in both)
        if min(len(raw), len(copy)) >= 2:
            found = (raw.mean(), copy.mean(), raw.std(ddof=1), copy.std(ddof=1))
            if np.isfinite(found).all():
                yield MomentFit(name, *map(float, found))


def level_fits(levels: Mapping[str, NamedCodes]) -> Iterator[LevelFit]:
    """Yield of each column of levels the one whose share is farthest off.

    Examples
    --------
    >>> codes = NamedCodes(("f", "m"), np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    >>> [*level_fits({"sex": codes})]
    [LevelFit(name='sex', level='f', share=0.5, of_copy=0.25)]
    """
    for name, it in levels.items():
        size = len(it.names)
        raw, copy = (np.bincount(codes, minlength=size) / len(codes) for codes in it[1:])
        at = int(np.argmax(np.round(np.abs(raw - copy), 12)))
        yield LevelFit(name, it.names[at], float(raw[at]), float(copy[at]))


def group_fits(numbers: Numbers, levels: Mapping[str, NamedCodes]) -> Iterator[GroupFit]:
    """Yield of each number by each column of levels the group whose mean is farthest off.

    Compared are groups of twenty values or more in both tables, of columns of thirty levels or
    fewer.
    """
    for by, codes in levels.items():
        if len(codes.names) > MOST_GROUPS:
            continue
        for name, values in numbers.items():
            found = [*_groups(name, by, codes, *values)]
            if found:
                yield max(found, key=lambda it: it.off)


def _groups(name: str, by: str, codes: NamedCodes, raw: Floats, copy: Floats) -> Iterator[GroupFit]:
    means, errors, counts = _means(raw, codes.raw, len(codes.names))
    of_copy, _, counts_of_copy = _means(copy, codes.copy, len(codes.names))
    for at in np.flatnonzero(np.minimum(counts, counts_of_copy) >= FEWEST_OF_GROUP).tolist():
        found = (means[at], of_copy[at], errors[at])
        if np.isfinite(found).all():
            yield GroupFit(name, by, codes.names[at], *map(float, found))


def _means(values: Floats, codes: Labels, size: int) -> tuple[Floats, Floats, Floats]:
    """Return the mean of each class, its standard error, and how many values it is of."""
    known = ~np.isnan(values)
    some, of = values[known], codes[known]
    counts = np.bincount(of, minlength=size).astype(float)
    with np.errstate(all="ignore"):
        means = np.bincount(of, some, size) / counts
        squares = np.bincount(of, (some - means[of]) ** 2, size)
        return means, np.sqrt(squares / (counts - 1) / counts), counts


def farthest_words(
    moments: Sequence[MomentFit],
    shares: Sequence[LevelFit],
    groups: Sequence[GroupFit],
    dates: Collection[str] = (),
) -> tuple[str, ...]:
    """Name what is farthest, in the units of the columns; numbers that are as they were, not.

    Examples
    --------
    >>> moments = [MomentFit("bmi", 26.38, 26.11, 4.42, 4.13), MomentFit("age", 48.0, 48.0, 13, 13)]
    >>> for line in farthest_words(moments, [LevelFit("sex", "f", 0.5, 0.488)], []):
    ...     print(line)
    farthest numbers: bmi mean 26.38, in the copy 26.11, sd 4.42, in the copy 4.13
    farthest levels: sex = f 50.0 % of the rows, in the copy 48.8 %
    """
    of_numbers = [
        f"{it.name} mean {_both(it.mean, it.of_copy, it.sd, it.name in dates)}, sd"
        f" {_both(it.sd, it.sd_of_copy, it.sd)}{' days' if it.name in dates else ''}"
        for it in _worst(moments)
    ]
    of_levels = [
        f"{it.name} = {it.level} {100 * it.share:.1f} % of the rows, in the copy"
        f" {100 * it.of_copy:.1f} %"
        for it in _worst(shares)
    ]
    of_groups = [
        f"{it.name} where {it.by} = {it.level}"
        f" {_both(it.mean, it.of_copy, it.error, it.name in dates)}"
        for it in _worst(groups)
    ]
    said = (("numbers", of_numbers), ("levels", of_levels), ("means of groups", of_groups))
    return tuple(f"farthest {what}: {'; '.join(found)}" for what, found in said if found)


def _worst(found: Sequence[T]) -> list[T]:
    return [it for it in sorted(found, key=lambda it: -it.off) if it.off > 0][:MOST_NAMED]


def _both(raw: float, copy: float, spread: float, dated: bool = False) -> str:
    """Write a figure of both tables, to two digits of what it is known to."""
    if dated:
        return f"{date_words(math.floor(raw))}, in the copy {date_words(math.floor(copy))}"
    step = max(abs(raw - copy), spread / 100)
    decimals = max(0, 1 - math.floor(math.log10(step))) if step > 0 else 0
    words = [number_words(it, min(decimals, 9)) for it in (raw, copy)]
    return f"{words[0]}, in the copy {words[1]}"
