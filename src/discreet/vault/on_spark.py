"""A large table on Spark: its workers read, key, protect and write, and no row comes to the driver.

Rows are those of `partitions`, and so is the copy, to the last bit. One pass gives the version:
of each part of the rows comes back how many they are, and the sum of their digests. Another puts
the rows, shuffled, into partitions; each is protected by one worker, and written by it into a
file of its own. A task that fails is begun again, and writes the same.

Equal rows are told apart within a first shuffle, in which they are neighbours.

What is sent to workers is a `Work`, which holds a derived key and no secret.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arguments import Labels
from discreet.errors import BrokenPromiseError, DiscreetError, InputError, RefusedError
from discreet.estimates.fidelity_report import Fidelity
from discreet.keys import Keys
from discreet.secret import WORD
from discreet.table import Reading
from discreet.table.engine import quiet
from discreet.vault.keyed import Columns, Keyed, Total
from discreet.vault.protected import Outcome, Work, protected
from discreet.vault.stored import part_of, write_part

if TYPE_CHECKING:
    import pyarrow as pa

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
        yield _batch(rows=[found.rows], added=[found.summed])

    with quiet(FAILED):
        parts = rows.mapInArrow(counted, "rows long, added binary").collect()
    return _together(parts)


def first_on_spark(rows: Frame, reading: Reading, work: Work) -> Columns:
    """Return the rows of the first partition."""
    with quiet(FAILED):
        first = _placed(rows, reading, work).where(f"{PLACE} = 0").toArrow()
    return _columns(first, work.keyed)


def done_on_spark(
    rows: Frame, reading: Reading, work: Work, version: bytes, folder: Path
) -> list[Outcome]:
    """Protect each partition where its rows are; it is written into a file of `folder`.

    Refused where the rows are not those that the version is of, or `folder` is not that of this
    machine.
    """

    def made(table: Any) -> Any:  # Spark looks at what is written of types here
        import pyarrow as pa

        place, found = table[PLACE][0].as_py(), Total()
        found.add(_digests(table))
        told: list[Any] = [{}, None, {}, {}, None]
        try:
            if not folder.is_dir():
                raise InputError(ELSEWHERE.format(str(folder.parent)))
            with quiet(FAILED):
                of = protected(work, _columns(table, work.keyed), place, version)
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
        raise InputError("the data have changed while they were read; open them again")
    if len(parts) < work.wanted.partitions:
        raise RefusedError("a partition of the table has too few persons; choose a smaller k")
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
            yield batch.append_column(PLACE, _int32(at))

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
    import pyarrow as pa

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
    return batch if at is None else batch.append_column(PLACE, _int32(at))


def _int32(at: Labels) -> pa.Array:
    import pyarrow as pa

    return pa.array(at, pa.int32())


def _digests(rows: pa.Table | pa.RecordBatch) -> Keys:
    words = [np.asarray(rows[word]).view(WORD) for word in DIGEST]
    return np.ascontiguousarray(np.column_stack(words))


def _columns(table: pa.Table, keyed: Keyed) -> Columns:
    """Return the rows of a partition as columns."""
    table = table.combine_chunks()
    numbers = {name: np.asarray(table[f"c{i}"]) for i, name in enumerate(keyed.numbers)}
    texts = {
        name: table[f"t{i}"].dictionary_encode().combine_chunks()
        for i, name in enumerate(keyed.texts)
    }
    return {**numbers, **texts}


def _batch(**columns: list[Any]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_pydict(columns)


def _together(parts: Sequence[Any]) -> Total:
    out = Total()
    for part in parts:
        out.rows += int(part["rows"])
        out.added += int.from_bytes(part["added"], "little")
    return out
