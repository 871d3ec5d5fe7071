"""The strata of a large table: counted as rows pass by, repaired once, and put into partitions.

Strata are repaired by how many persons hold each combination of levels, as those of a table in one
piece are. One of many persons is in several partitions, a random part in each; one of fewer is
whole, in one of them. So strata are as they would be in one piece, and each part of one is of
persons enough.

Where persons have several rows they are told apart by 64 bits of a keyed digest. Two that are
alike would count as one: never are there fewer persons than were counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Labels
from discreet.keys import Keys
from discreet.policy import Policy
from discreet.protect.kanonymity import Repair
from discreet.vault.keyed import Keyed, places
from discreet.vault.rows import (
    check_left_out,
    least_in_stratum,
    named,
    repaired_levels,
    strata_labels,
)

__all__ = ["Found", "Homes", "Strata", "strata_of"]

Words = tuple[str, ...]
"""A combination of levels, one of each column."""
Marks = NDArray[np.uint64]


class Homes(NamedTuple):
    """Into how many partitions rows go; the first of each combination, and over how many it goes.

    Those of a combination that is left out go over none.
    """

    partitions: int
    first: Labels
    over: Labels


class Found:
    """Which combinations of levels there are, and of how many rows and persons.

    Parameters
    ----------
    names : sequence of str
        The columns of levels.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._index: dict[Words, int] = {}
        self._rows: list[int] = []
        self._persons: list[list[Marks]] = []

    def add(self, part: Mapping[str, Any], size: int, persons: Keys | None) -> None:
        """Add rows, with the digests of whose they are where persons have several."""
        different, at = _combinations(part, self.names, size)
        order = np.argsort(at, kind="stable")
        ends = np.cumsum(np.bincount(at, minlength=len(different)))
        for words, of in zip(different, np.split(order, ends[:-1]), strict=True):
            place = self._index.setdefault(words, len(self._index))
            if place == len(self._rows):
                self._rows.append(0)
                self._persons.append([])
            self._rows[place] += len(of)
            if persons is not None:
                self._persons[place].append(np.unique(persons[of, 0]))
                self._merge(self._persons[place])

    def _merge(self, held: list[Marks]) -> None:
        """Hold each person once, but for fewer than there are."""
        if sum(map(len, held[1:])) > len(held[0]):
            held[:] = [np.unique(np.concatenate(held))]

    @property
    def lines(self) -> tuple[Words, ...]:
        """The combinations."""
        return tuple(self._index)

    @property
    def rows(self) -> Labels:
        """How many rows each combination has."""
        return np.array(self._rows, dtype=np.intp)

    def persons_of(self, lines: Sequence[int]) -> int:
        """Return how many persons have rows of any of some combinations."""
        marks = [mark for line in lines for mark in self._persons[line]]
        if not marks:
            return int(self.rows[lines].sum())
        return len(np.unique(np.concatenate(marks)))


@dataclass(frozen=True, eq=False, repr=False)
class Strata:
    """What becomes of each combination of levels of a table.

    `repair` is how they were repaired, with a line for each combination, and `persons` how many
    persons have rows of the stratum that it became. `suppressed` is how many rows are left out.
    """

    names: tuple[str, ...]
    index: Mapping[Words, int]
    repair: Repair
    persons: Labels
    suppressed: int

    def homes(self, keyed: Keyed, most: int, least: int) -> Homes:
        """Return where rows go: into `most` partitions, or fewer if one would be too small.

        A stratum is in as many as hold `least` persons of it each, and in one where it has fewer.
        """
        new = [*zip(*self.repair.levels.values(), strict=True)] or [()] * len(self.index)
        texts = [json.dumps(levels).encode() for levels in new]
        chance = [keyed.own.secret.digest("stratum", text)[:8] for text in texts]
        starts = np.array([int.from_bytes(it, "little") for it in chance], dtype=np.uint64)
        strata = {text: line for line, text in enumerate(texts) if self.repair.kept[line]}
        # In an order of their own: that of the rows must not show in the last digits of a sum.
        lines = [strata[text] for text in sorted(strata)]
        for partitions in range(most, 1, -1):
            first = (starts % np.uint64(partitions)).astype(np.intp)
            over = np.clip(self.persons // least, 1, partitions)
            persons = np.zeros(partitions)
            for line in lines:
                at = (first[line] + np.arange(over[line])) % partitions
                persons[at] += self.persons[line] / over[line]
            if persons.min() >= least:
                return Homes(partitions, first, np.where(self.repair.kept, over, 0))
        return Homes(1, np.zeros_like(self.persons), self.repair.kept.astype(np.intp))

    def placed(self, homes: Homes, rows: Mapping[str, Any], placing: Keys) -> Labels:
        """Return the partition of each row; -1 where its stratum is left out."""
        lines = self.lines_of(rows, len(placing))
        over = np.append(homes.over, 0)[lines]
        at = (np.append(homes.first, 0)[lines] + places(placing, over)) % homes.partitions
        return np.where(over > 0, at, -1)

    def lines_of(self, rows: Mapping[str, Any], size: int) -> Labels:
        """Return which combination each row has; -1 where none is known, in data that changed."""
        different, at = _combinations(rows, self.names, size)
        return np.array([self.index.get(words, -1) for words in different], dtype=np.intp)[at]

    def repair_of(self, rows: Mapping[str, Any], size: int) -> Repair:
        """Return how the strata of rows in a partition were repaired; none of them is left out."""
        lines = self.lines_of(rows, size)
        levels = {
            name: tuple(np.array(words, dtype=object)[lines].tolist())
            for name, words in self.repair.levels.items()
        }
        return replace(self.repair, levels=levels, kept=self.repair.kept[lines], suppressed=0)


def strata_of(found: Found, policy: Policy) -> Strata:
    """Repair the strata of a table, as `rows.prepared` repairs those of one in one piece."""
    lines, rows = found.lines, found.rows
    columns = zip(*lines, strict=True)
    levels = {name: named(words) for name, words in zip(found.names, columns, strict=True)}
    everyone = np.array([found.persons_of([line]) for line in range(len(lines))])
    repair = Repair({}, np.ones(len(lines), dtype=np.bool_), (), 0, 0.0, complete=True)
    if levels:
        repair = repaired_levels(levels, {}, policy, everyone)
    of, kept = strata_labels(repair.levels, len(lines)), repair.kept.copy()
    persons = np.zeros(len(lines), dtype=np.intp)
    for stratum in np.unique(of[kept]).tolist():
        held = np.flatnonzero(kept & (of == stratum))
        persons[held] = found.persons_of(held.tolist())
        # Where levels were joined, one who had several of them had been counted as several.
        if levels and persons[held[0]] < least_in_stratum(policy):
            kept[held] = False
    if (kept != repair.kept).any():
        check_left_out(int(everyone[~kept].sum()), int(everyone.sum()), policy)
    index = {words: line for line, words in enumerate(lines)}
    suppressed = int(rows[~kept].sum())
    return Strata(found.names, index, replace(repair, kept=kept), persons, suppressed)


def _combinations(
    rows: Mapping[str, Any], names: Sequence[str], size: int
) -> tuple[list[Words], Labels]:
    """Return the different combinations of levels of rows, and which of them each has."""
    at = np.zeros(size, dtype=np.int64)
    for name in names:
        at = at * len(rows[name].dictionary) + np.asarray(rows[name].indices)
        at = np.unique(at, return_inverse=True)[1]
    firsts = np.unique(at, return_index=True)[1]
    words = [rows[name].take(firsts).to_pylist() for name in names]
    return [*zip(*words, strict=True)] if names else [()] * len(firsts), at.astype(np.intp)
