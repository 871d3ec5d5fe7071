"""A group of columns of a table too large to be protected at once: random partitions.

As those of a whole table (`partitions`), but that strata are repaired for all of the table before
(`strata`). Rows are read twice: once for the version and the strata, and once to set them aside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from discreet.keys import Keys
from discreet.policy import Policy
from discreet.secret import Secret
from discreet.table import Rows, Table
from discreet.table.columns import words_of
from discreet.vault.aside import parts_of, set_aside
from discreet.vault.keyed import Columns, Keyed, Total, persons_of, unit_of
from discreet.vault.rows import STRATUM_PER_K, Noised, Raw, made_by, prepared
from discreet.vault.strata import Found, Homes, Strata, strata_of
from discreet.vault.whole_columns import LEAST_PERSONS, partitions_for

__all__ = ["LargeGroup"]

PURPOSE = "rows of a large group"
MOST_CELLS = 4_000_000
"""A group of more cells goes into partitions: to group rows takes time that grows faster."""


@dataclass(frozen=True, eq=False, repr=False)
class LargeGroup:
    """A group of several partitions: its raw rows, their strata and their version."""

    table: Table
    policy: Policy
    names: tuple[str, ...]
    keyed: Keyed
    strata: Strata
    homes: Homes
    rows: int
    version: bytes

    @classmethod
    def of(
        cls, table: Table, policy: Policy, secret: Secret, names: tuple[str, ...]
    ) -> LargeGroup | None:
        """Read all rows once, for version and strata; None where they are protected in one piece.

        So are those of few cells or persons, of methods that part columns into a number of regions,
        and where missing levels are drawn.
        """
        regions = policy.c is not None
        if regions or policy.missing_levels == "drawn" or not policy.from_copy:
            return None
        if table.size * len(names) <= MOST_CELLS:
            return None
        keyed = _keyed(table, policy, secret, names)
        total, found = Total(), Found(policy.strata)
        for part in parts_of(table, keyed):
            digests = keyed.digests(part)
            total.add(digests)
            found.add(part, len(digests), keyed.placing(part, digests) if keyed.unit else None)
        persons = found.persons_of(range(len(found.lines)))
        least = STRATUM_PER_K * policy.k
        partitions = partitions_for(total.rows * len(names), MOST_CELLS, persons, least)
        if partitions == 1:
            return None
        strata = strata_of(found, policy)
        homes = strata.homes(keyed, partitions, LEAST_PERSONS * least)
        if homes.partitions == 1:
            return None
        version = total.version(keyed.own)
        return cls(table, policy, names, keyed, strata, homes, total.rows, version)

    @property
    def partitions(self) -> int:
        """How many partitions there are."""
        return self.homes.partitions

    @property
    def left_out(self) -> int:
        """How many rows have a missing value: an exact number."""
        return self.table.size - self.rows

    @contextmanager
    def each(self, folder: Path | None) -> Iterator[Iterator[Columns]]:
        """Give the rows of each partition, which are set aside meanwhile."""
        placed = partial(self.strata.placed, self.homes)
        with set_aside(self.table, self.keyed, self.version, placed, folder) as rows:
            yield (rows(place) for place in range(self.partitions))

    def first(self) -> Columns:
        """Return the rows of the first partition."""
        with self.each(None) as partitions:
            return next(partitions)

    def noised(self, rows: Columns, place: int) -> Noised:
        """Return the rows of a partition ready to be protected; their noise is its own."""
        keys = self.keyed.keys(rows)
        secret, policy = self.keyed.own.secret, self.policy
        raw = _raw(self, rows, keys)
        repair = self.strata.repair_of(rows, len(keys))
        ready = prepared(raw, policy, secret, repair)
        noise = self.keyed.noise(self.version, place)
        normals = secret.normals(noise, ready.keys, ready.names)
        return Noised(ready, normals, self.version.hex()[:16])


def _keyed(table: Table, policy: Policy, secret: Secret, names: Sequence[str]) -> Keyed:
    """Return how the rows of a group are keyed."""
    complete = (
        *(names if policy.missing == "complete" else ()),
        *(policy.strata if policy.missing_levels == "complete" else ()),
    )
    limits = [MOST_CELLS, LEAST_PERSONS]
    unit = unit_of(table)
    own = secret.derived(PURPOSE, made_by(policy, names, policy.strata, unit, partitions=limits))
    return Keyed.of(table, own, unit, names, policy.strata, complete)


def _raw(of: LargeGroup, rows: Columns, keys: Keys) -> Raw:
    """Return the rows of a partition as those of a table are read."""
    import pyarrow as pa

    unit = of.keyed.unit
    held = Rows(
        {name: rows[name] for name in of.names},
        {name: words_of(pa.chunked_array([rows[name]])) for name in of.policy.strata},
        0,
        None if unit is None else persons_of(rows[unit]),
    )
    return Raw(of.names, of.policy.strata, (), held, keys, of.version, unit=unit)
