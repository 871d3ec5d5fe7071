"""Tables too large to be protected at once: random partitions, each a table of its own.

Which partition a row, or a person, is in is a keyed digest of its values: a random sample that
nobody can foresee, and the same one whatever engine read the rows, in whatever order. Each is
protected by itself, so all that a copy promises holds of each of them, and the copy of the table
is theirs, one after the other. Nothing of one is looked at to protect another.

All rows are read twice: once for the version, and once to write them, by partition, into a file
that has no name, so that it is gone with the process, however that ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.arguments import Labels
from discreet.errors import InputError
from discreet.keys import Keys
from discreet.policy import Policy
from discreet.secret import Secret
from discreet.table import Reading, Table
from discreet.vault.aside import AT_ONCE, Reader, in_turn, parts_of, set_aside
from discreet.vault.keyed import Columns, Keyed, Total, unit_of
from discreet.vault.needs import Needs
from discreet.vault.on_spark import done_on_spark, first_on_spark, total_on_spark
from discreet.vault.protected import Outcome, Protected, Work, protected
from discreet.vault.whole_columns import RawWhole, Wanted, settings_of, unreadable

PURPOSE = "rows of a large table"
TOGETHER = 1.5e9
"""Partitions that are protected at a time take so many bytes together, unless one takes more."""


def _lying(table: Table, keyed: Keyed) -> tuple[Any, Reading]:
    """Return the rows where they lie, and how they are read there."""
    return table.where_it_lies(keyed.numbers, keyed.texts, keyed.known)


@dataclass(frozen=True, eq=False, repr=False)
class LargeTable:
    """A table of several partitions: how each is protected, its version, and the raw rows."""

    table: Table
    work: Work
    version: bytes

    @classmethod
    def of(
        cls,
        table: Table,
        policy: Policy,
        secret: Secret,
        wanted: Wanted,
        read: Reader | None = None,
    ) -> LargeTable:
        """Read all rows once, for the version: by `read`, if there is one.

        Where that fails, which may read other columns beside these, the table itself is read.
        """
        try:
            return cls._read(table, policy, secret, wanted, read)
        except InputError:
            broken = unreadable(table, (*wanted.numbers, *wanted.levels))
            if (not broken and read is None) or broken == {*wanted.numbers, *wanted.levels}:
                raise
            return cls._read(table, policy, secret, wanted.without(broken), None)

    @classmethod
    def _read(
        cls, table: Table, policy: Policy, secret: Secret, wanted: Wanted, read: Reader | None
    ) -> LargeTable:
        unit = unit_of(table)
        own = secret.derived(PURPOSE, wanted.made_by(table, policy, unit is not None))
        keyed = Keyed.of(table, own, unit, wanted.numbers, wanted.levels)
        work = Work(keyed, wanted, settings_of(table, policy, wanted))
        found = Total()
        if table.on_spark:
            found = total_on_spark(*_lying(table, keyed), work)
        else:
            for part in parts_of(table, keyed, read):
                found.add(keyed.digests(part))
        return cls(table, work, found.version(keyed.own))

    def first(self) -> RawWhole:
        """Return the rows of the first partition."""
        if self.table.on_spark:
            rows = first_on_spark(*_lying(self.table, self.work.keyed), self.work)
            return self.work.raw(rows, 0, self.version)
        with self.each(None) as partitions:
            return self.work.raw(next(partitions), 0, self.version)

    def done_on_spark(self, folder: Path) -> list[Outcome]:
        """Let workers of Spark write the copy of each partition into a folder."""
        return done_on_spark(*_lying(self.table, self.work.keyed), self.work, self.version, folder)

    @contextmanager
    def each(self, folder: Path | None) -> Iterator[Iterator[Columns]]:
        """Give the rows of each partition, which are set aside meanwhile."""

        def placed(_: Mapping[str, Any], placing: Keys) -> Labels:
            return self.work.places(placing)

        with set_aside(self.table, self.work.keyed, self.version, placed, folder) as rows:
            yield (rows(place) for place in range(self.work.wanted.partitions))

    @property
    def needs(self) -> Needs:
        """What one partition takes."""
        wanted = self.work.wanted
        rows = self.table.size / wanted.partitions
        return Needs.of_partitions(rows, len(wanted.numbers), len(wanted.levels))

    @property
    def at_once(self) -> int:
        """How many partitions are protected at a time."""
        fit = int(TOGETHER / self.needs.bytes)
        return max(1, min(AT_ONCE, self.work.wanted.partitions, fit))

    def protected(self, partitions: Iterator[Columns]) -> Iterator[Protected]:
        """Protect partitions; give them in their order."""
        return in_turn(
            lambda rows, place: protected(self.work, rows, place, self.version),
            partitions,
            self.at_once,
        )
