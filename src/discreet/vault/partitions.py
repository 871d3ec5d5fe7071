"""Tables too large to be protected at once: random partitions, each a table of its own.

Which partition a row, or a person, is in is a keyed digest of its values: a random sample that
nobody can foresee, and the same one whatever engine read the rows, in whatever order. Each is
protected by itself, so all that a copy promises holds of each of them, and the copy of the table
is theirs, one after the other. Nothing of one is looked at to protect another.

All rows are read twice: once for the version, and once to write them, by partition, into a file
that has no name, so that it is gone with the process, however that ends.

**On Spark** workers read, key, protect and write, and no row comes to the driver; the copy is the
same to the last bit. One pass gives the version: of each part of the rows comes back how many they
are, and the sum of their digests. Another puts the rows, shuffled, into partitions; each is
protected by one worker, and written by it into a file of its own. A task that fails is begun again,
and writes the same. Equal rows are told apart within a first shuffle, in which they are neighbours.
What is sent to workers is a `Work`, which holds a derived key and no secret.

**Memory** was measured on tables of 100,000 and 300,000 rows and ten columns: one of numbers takes
117 bytes a row at the peak, one of eight levels 280 and one of forty 352. Wide tables have matrices
of the products of all columns of linear predictions as well.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from discreet.arguments import Labels
from discreet.errors import BrokenPromiseError, DiscreetError, InputError, RefusedError
from discreet.estimates.fidelity_report import Fidelity
from discreet.keys import Keys
from discreet.memory import about_bytes, there_is
from discreet.methods.column_trees import INDICATED
from discreet.methods.copies import Draws
from discreet.policy import Policy
from discreet.progress import advance
from discreet.secret import WORD, Secret
from discreet.table import Reading, Table
from discreet.table.engine import quiet
from discreet.vault.keyed_rows import (
    AT_ONCE,
    Columns,
    Keyed,
    Reader,
    Total,
    parts_of,
    protect_in_order,
    set_aside,
    unit_of,
)
from discreet.vault.stored import part_of, write_part
from discreet.vault.whole_columns import (
    Outcome,
    Protected,
    RawWhole,
    Wanted,
    Work,
    protect_partition,
    settings_of,
    unreadable_columns,
)

LOG = logging.getLogger("discreet.vault")

OF_NUMBER, OF_LEVELS, OF_INDICATOR = 120, 270, 4
"""Bytes a row of a column of numbers, of one of levels, and of each of its indicators."""
MATRICES, BYTES = 4, 8
"""So many square matrices of linear predictions are held at a time, and bytes of a number."""
SAID = 1e9
"""From so many bytes on it is said what making a copy takes."""
SHARE = 0.9
"""So much of what there is may be taken."""
UNSURE = 0.1
"""By up to this share more is said, by the secret, so that no row decides what is."""


class Needs(NamedTuple):
    """A table of which a copy is made: its rows, columns of numbers, and levels of each other one.

    Of a table in partitions these are the rows of as many as are protected at a time.
    """

    rows: float
    numbers: int
    levels: Sequence[int]

    @classmethod
    def of_partitions(cls, rows: float, numbers: int, levels: int) -> Needs:
        """Return what so many rows need whose levels are not known yet: as of many."""
        return cls(rows, numbers, [INDICATED + 1] * levels)

    @property
    def bytes(self) -> float:
        """About how many bytes making the copy takes at its peak."""
        indicators = [max(min(INDICATED, it - 1), 0) for it in self.levels]
        row = OF_NUMBER * self.numbers + OF_LEVELS * len(self.levels)
        design = 2 * self.numbers + sum(indicators) + 1
        matrices = MATRICES * BYTES * design**2
        return self.rows * (row + OF_INDICATOR * sum(indicators)) + matrices


def check_memory(needs: Needs, secret: Secret) -> None:
    """Say what making a copy takes where that is much; refuse what is more than there is.

    By how much more is said than is estimated, the secret draws.
    """
    more = 1 + UNSURE * float(Draws.before_version(secret).of_table("memory", 1)[0])
    wanted, most = needs.bytes * more, there_is()
    if most is not None and wanted > SHARE * most:
        raise RefusedError(
            f"the copy of this table takes about {about_bytes(wanted)} of memory to make, and"
            f" {about_bytes(most)} is what this machine, or the container, has; open a table of"
            " fewer columns (those of levels take most), or make the copy where there is more"
        )
    if wanted >= SAID:
        LOG.info("making the copy takes about %s of memory", about_bytes(wanted))
        advance(f"protecting the table, in about {about_bytes(wanted)} of memory", 0, 1)


# --- on Spark -------------------------------------------------------------------------------------


Frame = Any
"""A DataFrame of PySpark."""
Batches = Iterator[Any]

READ = "the data could not be read"
FAILED = "Spark could not protect the table"
ELSEWHERE = (
    "Spark's workers find another folder, or none, where the copy is to be kept, {!r}: put the"
    " policy into a folder that this machine and all workers share"
)
DIGEST, PLACE = ("low", "high"), "place"
"""Columns beside those of a row, which are called by their numbers: no two names are alike."""
REFUSALS = {it.__name__: it for it in (BrokenPromiseError, InputError, RefusedError)}


def total_on_spark(rows: Frame, reading: Reading, work: Work) -> Total:
    """Let workers count the rows, and add their digests."""

    def counted(batches: Batches) -> Batches:
        found = Total()
        with quiet(READ):
            for batch in batches:
                found.add(work.keyed.digests(reading.columns(batch)))
        yield pa.RecordBatch.from_pydict({"rows": [found.rows], "added": [found.summed]})

    with quiet(FAILED):
        parts = rows.mapInArrow(counted, "rows long, added binary").collect()
    return _together(parts)


def first_on_spark(rows: Frame, reading: Reading, work: Work) -> Columns:
    """Return the rows of the first partition."""
    with quiet(FAILED):
        first = _placed(rows, reading, work).where(f"{PLACE} = 0").toArrow()
    return _columns(first, work.keyed)


def protect_on_spark(
    rows: Frame, reading: Reading, work: Work, version: bytes, folder: Path
) -> list[Outcome]:
    """Protect each partition where its rows are; it is written into a file of `folder`.

    Refused where the rows are not those that the version is of, or `folder` is not that of this
    machine.
    """

    def made(table: Any) -> Any:  # Spark looks at what is written of types here
        place, found = table[PLACE][0].as_py(), Total()
        found.add(_digests(table))
        told: list[Any] = [{}, None, {}, {}, None]
        try:
            if not folder.is_dir():
                raise InputError(ELSEWHERE.format(str(folder.parent)))
            with quiet(FAILED):
                of = protect_partition(work, _columns(table, work.keyed), place, version)
            write_part(folder, place, work.columns, {**of.numbers, **of.whose}, of.levels)
            near = of.outcome.near
            told[:4] = [
                {**of.outcome.left_out},
                near and near.to_json(),
                {**of.outcome.far_out},
                {**of.outcome.joined},
            ]
        except DiscreetError as error:  # its sentence is ours, and quotes no cell
            told[4] = [type(error).__name__, str(error)]
        back = {"rows": [found.rows], "added": [found.summed], "told": [json.dumps(told)]}
        return pa.table({"place": [place], **back})

    with quiet(FAILED):
        placed = _placed(rows, reading, work).groupBy(PLACE)
        parts = placed.applyInArrow(
            made, "place long, rows long, added binary, told string"
        ).collect()
    parts.sort(key=lambda part: int(part[PLACE]))
    told = [json.loads(part["told"]) for part in parts]
    for *_, refused in told:
        if refused is not None:
            raise REFUSALS.get(refused[0], RefusedError)(refused[1])
    _check(parts, work, version, folder)
    return [
        Outcome(left_out, near and Fidelity.from_json(near), far_out, joined)
        for left_out, near, far_out, joined, _ in told
    ]


def _check(parts: Sequence[Any], work: Work, version: bytes, folder: Path) -> None:
    if _together(parts).version(work.keyed.own) != version:
        raise InputError("the data changed while they were being read; open them again")
    if len(parts) < work.wanted.partitions:
        raise RefusedError("a partition of the table has too few people; choose a smaller k")
    if not all((folder / part_of(int(part[PLACE]))).exists() for part in parts):
        raise InputError(ELSEWHERE.format(str(folder.parent)))


# --- rows on their way --------------------------------------------------------------------------


def _placed(rows: Frame, reading: Reading, work: Work) -> Frame:
    """Return the rows as `partitions` has them set aside, each with its digest and its place."""
    by = work.keyed
    shape = ", ".join(
        [
            *(f"c{i} double" for i in range(len(by.numbers))),
            *(f"t{i} string" for i in range(len(by.texts))),
            *(f"{word} long" for word in DIGEST),
        ]
    )

    def keyed(batches: Batches) -> Batches:
        with quiet(READ):
            for batch in batches:
                columns = reading.columns(batch)
                digests = by.digests(columns)
                at = None if by.placed_by is None else work.places(by.placing(columns, digests))
                yield _row_batch(columns, by, digests, at)

    def spread(batches: Batches) -> Batches:
        runs = Runs()
        for batch in batches:
            digests = _digests(batch)
            at = work.places(by.placing_of_repeats(digests, runs.repeats(digests)))
            yield batch.append_column(PLACE, pa.array(at, pa.int32()))

    if by.placed_by is not None:
        return rows.mapInArrow(keyed, f"{shape}, {PLACE} int")
    neighbours = rows.mapInArrow(keyed, shape).repartition(*DIGEST).sortWithinPartitions(*DIGEST)
    return neighbours.mapInArrow(spread, f"{shape}, {PLACE} int")


class Runs:
    """Counts equal digests that follow one another, batch after batch."""

    def __init__(self) -> None:
        self._last: bytes | None = None
        self._seen = 0

    def repeats(self, digests: Keys) -> Labels:
        """Return how many rows of the same digest came before each one."""
        n = len(digests)
        if not n:
            return np.zeros(0, dtype=np.intp)
        new = np.ones(n, dtype=np.bool_)
        new[1:] = (digests[1:] != digests[:-1]).any(axis=1)
        at = np.arange(n)
        out = at - np.maximum.accumulate(np.where(new, at, 0))
        if digests[0].tobytes() == self._last:
            run = int(np.argmax(new[1:])) + 1 if new[1:].any() else n
            out[:run] += self._seen
        self._last, self._seen = digests[-1].tobytes(), int(out[-1]) + 1
        return out.astype(np.intp)


def _row_batch(columns: Columns, keyed: Keyed, digests: Keys, at: Labels | None) -> pa.RecordBatch:
    """Return rows with their digests: texts as they are, for a dictionary may be longer."""
    texts = [columns[name].dictionary_decode().cast(pa.string()) for name in keyed.texts]
    arrays = [
        *(pa.array(columns[name]) for name in keyed.numbers),
        *texts,
        *(pa.array(word.view(np.int64)) for word in digests.T.copy()),
    ]
    names = [f"c{i}" for i in range(len(keyed.numbers))] + [
        f"t{i}" for i in range(len(keyed.texts))
    ]
    batch = pa.RecordBatch.from_arrays(arrays, [*names, *DIGEST])
    return batch if at is None else batch.append_column(PLACE, pa.array(at, pa.int32()))


def _digests(rows: pa.Table | pa.RecordBatch) -> Keys:
    words = [np.asarray(rows[word]).view(WORD) for word in DIGEST]
    return np.ascontiguousarray(np.column_stack(words))


def _columns(table: pa.Table, keyed: Keyed) -> Columns:
    table = table.combine_chunks()
    numbers = {name: np.asarray(table[f"c{i}"]) for i, name in enumerate(keyed.numbers)}
    texts = {
        name: table[f"t{i}"].dictionary_encode().combine_chunks()
        for i, name in enumerate(keyed.texts)
    }
    return {**numbers, **texts}


def _together(parts: Sequence[Any]) -> Total:
    out = Total()
    for part in parts:
        out.rows += int(part["rows"])
        out.added += int.from_bytes(part["added"], "little")
    return out


# --- tables too large to be protected at once: random partitions, each a table of its own ---------


PURPOSE = "rows of a large table"
TOGETHER = 1.5e9
"""Partitions that are protected at a time take so many bytes together, unless one takes more."""


def _lying(table: Table, keyed: Keyed) -> tuple[Any, Reading]:
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
            broken = unreadable_columns(table, (*wanted.numbers, *wanted.levels))
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
        return protect_on_spark(
            *_lying(self.table, self.work.keyed), self.work, self.version, folder
        )

    @contextmanager
    def each(self, folder: Path | None) -> Iterator[Iterator[Columns]]:
        """Give the rows of each partition, which are set aside meanwhile."""
        work = self.work
        with set_aside(self.table, work.keyed, self.version, work.places, folder) as rows:
            yield (rows(place) for place in range(work.wanted.partitions))

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
        return protect_in_order(
            lambda rows, place: protect_partition(self.work, rows, place, self.version),
            partitions,
            self.at_once,
        )
