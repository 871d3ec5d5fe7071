"""Protected copies: how they are made, and kept in memory and in a folder of the custodian's."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.arguments import Floats
from discreet.columns import Rows, words_of
from discreet.columns.column import Copy
from discreet.errors import BrokenPromiseError, InputError, WideTableWarning
from discreet.estimates.fidelity_report import Fidelity
from discreet.keys import Column, Keys, code_texts, number_repeats, row_digests
from discreet.methods.copies import OTHER, Draws, Levels, LevelsInParts, Settings, WholeCopy
from discreet.methods.whole import copy_with_tables
from discreet.methods.wide import said_of_width
from discreet.policy import Policy
from discreet.progress import advance
from discreet.secret import Secret
from discreet.table import Table
from discreet.table.columns import array_of
from discreet.unfinished import being_written
from discreet.vault.keyed_rows import Columns, Reader, digest_of, keys_of, rows_with_key
from discreet.vault.partitions import LargeTable, Needs, check_memory
from discreet.vault.stored import (
    CopyNotes,
    TemporaryFolder,
    columns_in,
    is_kept,
    pieces_of,
    read_errors,
    read_notes,
    write_copy,
    write_copy_in_parts,
    write_errors,
)
from discreet.vault.whole_columns import (
    Outcome,
    RawWhole,
    Wanted,
    choose_columns,
    columns_of_copy,
    copy_of_whole,
    nearness_of,
    person_numbers,
    raw_of,
    settings_of,
    unreadable_columns,
)


def raw_whole(table: Table, policy: Policy, secret: Secret) -> RawWhole:
    """Read every column that can be drawn, and the keys that noise hangs on.

    Of a table of several partitions one is read, which is a random sample of its rows.
    """
    wanted = choose_columns(table, policy)
    if wanted.partitions > 1:
        return LargeTable.of(table, policy, secret, wanted).first()
    return raw_in_one(table, policy, secret, wanted)


def raw_in_one(table: Table, policy: Policy, secret: Secret, wanted: Wanted) -> RawWhole:
    """Read a table of one partition; otherwise as `raw_whole`."""
    rows, broken = _read(table, wanted.numbers, wanted.levels)
    wanted = wanted.without(broken)
    data = keys_of(secret, rows, None)
    keys = data if table.key is None else keys_of(secret, rows, table.key)
    made_by = wanted.made_by(table, policy, rows.persons is not None)
    version = digest_of(secret, "whole", data, made_by)
    levels = {name: Levels.of(rows.texts[name]) for name in wanted.levels}
    settings, draws = settings_of(table, policy, wanted), Draws(secret, version, keys)
    return raw_of(wanted, settings, rows.numbers, levels, rows.persons, draws, version)


def raw_in_parts(table: Table, policy: Policy, secret: Secret, wanted: Wanted) -> RawWhole:
    """Read what `raw_in_one` reads, part after part, with each row as a person of its own.

    Of a table that leaves rows out, or has a column that cannot be read, it is read at once.
    """
    if table.unit is not None or table.key is not None:
        return raw_in_one(table, policy, secret, wanted)
    numbers: dict[str, list[Floats]] = {name: [] for name in wanted.numbers}
    levels = {name: LevelsInParts() for name in wanted.levels}

    def take(part: Columns) -> None:
        for name, values in numbers.items():
            values.append(part[name])
        for name, it in levels.items():
            different, places = code_texts(part[name])
            it.add(different.to_pylist(), places)

    try:
        keys = _keys_in_parts(secret, wanted, table.in_parts, take)
    except InputError:
        return raw_in_one(table, policy, secret, wanted)
    version = digest_of(secret, "whole", keys, wanted.made_by(table, policy, False))
    whole = {
        name: np.concatenate([numbers[name].pop(0) for _ in [*numbers[name]]]) for name in numbers
    }
    of = {name: it.levels() for name, it in levels.items()}
    settings, draws = settings_of(table, policy, wanted), Draws(secret, version, keys)
    return raw_of(wanted, settings, whole, of, np.arange(len(keys)), draws, version)


def _keys_in_parts(
    secret: Secret, wanted: Wanted, read: Reader, take: Callable[[Columns], None] | None = None
) -> Keys:
    """Return the keys of rows that come part after part, each of which is `take`n, too."""
    digests, columns = [], list[Column]()
    for part in read(wanted.numbers, wanted.levels, ()):
        columns = [part[name] for name in (*wanted.numbers, *wanted.levels)]
        digests.append(row_digests(secret, columns))
        if take is not None:
            take(part)
    return number_repeats(secret, np.concatenate(digests), columns)


def version_of_whole(table: Table, policy: Policy, secret: Secret) -> bytes:
    """Return which copy a table makes, as 32 bytes."""
    wanted = choose_columns(table, policy)
    if wanted.partitions > 1:
        return LargeTable.of(table, policy, secret, wanted).version
    return version_in_one(table, policy, secret, wanted)


def version_in_one(
    table: Table, policy: Policy, secret: Secret, wanted: Wanted, read: Reader | None = None
) -> bytes:
    """Return which copy a table of one partition makes, from rows that come part after part.

    `read` reads them as `Table.in_parts` does, which it is where there is none.
    """
    if table.unit is not None or table.key is not None:  # which leave rows out
        return raw_in_one(table, policy, secret, wanted).version
    try:
        keys = _keys_in_parts(secret, wanted, read or table.in_parts)
    except InputError:  # of a column that cannot be read, here or by who reads beside
        return raw_in_one(table, policy, secret, wanted).version
    return digest_of(secret, "whole", keys, wanted.made_by(table, policy, False))


def _read(
    table: Table, numbers: Sequence[str], words: Sequence[str]
) -> tuple[Rows, frozenset[str]]:
    """Read columns, and name those that cannot be read: they do not hold up the others."""
    try:
        return rows_with_key(table, [], [], words, numbers), frozenset()
    except InputError:
        broken = unreadable_columns(table, (*numbers, *words))
        if not broken or broken == {*numbers, *words}:  # the data are gone, or their server is
            raise
        words = [name for name in words if name not in broken]
        numbers = [name for name in numbers if name not in broken]
        return rows_with_key(table, [], [], words, numbers), broken


def copy_again(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Sequence[str]],
    whose: Mapping[str, Floats],
    settings: Settings,
    secret: Secret,
    name: str,
) -> tuple[dict[str, Floats], dict[str, tuple[str, ...]], dict[str, Floats]]:
    """Make a copy of rows that are protected already, as they were made of the raw ones.

    It stands to them about as they stand to the raw rows, and nothing raw plays a part. `name`
    tells apart several such copies; the empty text is a missing level. `whose` is the column that
    says which rows are one person's, if there is one, and the last that is returned, too.
    """
    rows = max(map(len, (*numbers.values(), *levels.values())))
    keys = np.zeros((rows, 2), dtype=np.uint64)
    keys[:, 0] = np.arange(rows)
    draws = Draws(secret, secret.digest("whole again", name.encode()), keys)
    coded = {column: Levels.of(words) for column, words in levels.items()}
    persons = [np.unique(column, return_inverse=True)[1] for column in whose.values()]
    made = copy_with_tables(numbers, coded, draws, settings, *persons)
    found = {} if made.persons is None else {it: made.persons.astype(np.float64) for it in whose}
    return *columns_of_copy(made), found


def column_remarks(
    far_out: Sequence[Mapping[str, str]], joined: Sequence[Mapping[str, int]]
) -> dict[str, tuple[str, ...]]:
    """Say of columns of a copy what is to be known of each of them.

    `far_out` says of each partition how the means of columns are off that hang on few people:
    of the copy it is said where it is so in half of the partitions, or more. `joined` says of each
    of how many levels or more "(other)" stands: of the copy the most.

    Examples
    --------
    >>> found = column_remarks([{"wage": "too low"}], [{"town": 20}])
    >>> found["wage"], found["town"]
    (('the mean of wage depends on a few extreme people: in the copy it is too low',),
     ('(other) of town stands for 20 levels or more',))
    """
    counted = Counter(name for each in far_out for name in each)
    found: dict[str, tuple[str, ...]] = {}
    for name in sorted(name for name, count in counted.items() if 2 * count >= len(far_out)):
        how = {each[name] for each in far_out if name in each}
        word = how.pop() if len(how) == 1 else "off"
        remark = f"the mean of {name} depends on a few extreme people: in the copy it is {word}"
        found[name] = (remark,)
    for name in sorted({name for each in joined for name in each}):
        most = max(each.get(name, 0) for each in joined)
        found[name] = (f"{OTHER} of {name} stands for {most:,} levels or more",)
    return found


def remarks_of(left_out: Mapping[str, str]) -> tuple[str, ...]:
    """Say which columns are not in a copy, and why."""
    if not left_out:
        return ()
    listed = ", ".join(f"{name} ({why})" for name, why in sorted(left_out.items()))
    return (f"not in the protected copy: {listed}",)


# --- copies that are kept -------------------------------------------------------------------------


def check_kept(copy: Copy, again: Copy, partitions: int) -> None:
    """Refuse a copy that was kept, if it is not the one that is made of the data `again`.

    Of a copy in several partitions the first is made again alone, and compared.
    """
    rows = len(again)
    numbers, words = copy.first(rows)
    same = copy.version == again.version
    same &= {*again.columns} <= {*numbers} and {*again.strata} <= {*words}
    same &= {*copy.whose} == {*again.whose}
    if partitions == 1:
        same &= len(copy) == rows
        same &= {*copy.columns} == {*again.columns} and {*copy.strata} == {*again.strata}
    same = same and all(words[name] == of for name, of in again.strata.items())
    expected = {**again.columns, **again.whose}
    if not same or not all(
        np.array_equal(numbers[name], of, equal_nan=True) for name, of in expected.items()
    ):
        raise BrokenPromiseError(
            "the protected copy that was kept is not the one that is made of these data; please"
            " report this"
        )


def store(path: Path, copy: Copy, version: bytes) -> None:
    """Keep a copy as Parquet that its owner alone may read."""
    of, whose = copy.of_columns, (*copy.whose,)
    notes = CopyNotes(copy.left_out, copy.remarks, version.hex(), whose=whose, of_columns=of)
    numbers = {**copy.columns, **copy.whose}
    with write_copy(path, [*numbers], [*copy.strata], lambda: notes) as add:
        add(numbers, copy.strata)


def load(path: Path, version: bytes) -> Copy:
    """Read a copy that was kept."""
    with read_errors(path):
        with pq.ParquetFile(path) as file:  # read_table imports what data sets of many files need
            stored, notes = file.read(), read_notes(file.metadata, version.hex())
        numbers = [it.name for it in stored.schema if pa.types.is_floating(it.type)]
        series = nw.from_native(stored, eager_only=True)
        columns = {name: array_of(series[name]).astype(np.float64) for name in numbers}
        strata = [name for name in stored.column_names if name not in columns]
        levels = {name: words_of(stored[name]) for name in strata}
        known: dict[str, Any] = {"whose": {name: columns.pop(name) for name in notes.whose}}
        short, known["of_columns"] = version.hex()[:16], notes.of_columns
        return Copy(columns, levels, short, notes.left_out, notes.remarks, **known)


class Vault:
    """Makes protected copies and keeps them: in memory, and as Parquet where there is a folder."""

    def __init__(self, secret: Secret, folder: Path | None) -> None:
        self._secret, self._folder = secret, folder
        self._whole: Copy | None = None
        self._large: LargeTable | None = None
        self._nearness: Fidelity | None = None

    def whole(self, table: Table, policy: Policy) -> Copy:
        """Return the protected copy of the whole table, made on the first call."""
        if self._whole is None:
            raw = self._read(table, policy)
            if isinstance(raw, LargeTable):
                self._whole = self._in_partitions(raw)
            else:
                self._whole = self._in_one_piece(raw)
        return self._whole

    def _in_one_piece(self, raw: RawWhole) -> Copy:
        path = None if self._folder is None else self._folder / _whole_name(raw.version)
        if path is not None and is_kept(path):
            return load(path, raw.version)
        sizes = [len(it.words) for it in raw.levels.values()]
        check_memory(Needs(len(raw.draws.keys), len(raw.numbers), sizes), self._secret)
        _warn_of_width(raw)
        made = copy_of_whole(raw)
        copy = as_copy(raw, made)
        self._nearness = nearness_of(raw, made)
        if path is not None:
            _keep_nearness(self._nearness, path)
            store(path, copy, raw.version)
        return copy

    def _read(self, table: Table, policy: Policy) -> LargeTable | RawWhole:
        """Read a table for the version of its copy; a large one once, whoever asks again.

        Its rows are compared with that version when they are read to be protected.
        """
        if self._large is not None:
            return self._large
        wanted = choose_columns(table, policy)
        if wanted.partitions == 1:
            return raw_in_one(table, policy, self._secret, wanted)
        self._large = LargeTable.of(table, policy, self._secret, wanted)
        return self._large

    def _in_partitions(self, large: LargeTable) -> Copy:
        return self._in_a_file(
            _whole_name(large.version), large.version, partial(self._write_whole, large)
        )

    def _in_a_file(self, name: str, version: bytes, write: Callable[[Path], None]) -> Copy:
        """Return a copy whose columns are read when they are asked for; written where it is not."""
        folder, keep = self._folder, None
        if folder is None:
            keep = TemporaryFolder()
            folder = keep.path
        path = folder / name
        if not is_kept(path):
            write(path)
        columns, strata, whose, notes = columns_in(path, version.hex())
        known: dict[str, Any] = {"path": path, "keep": keep, "of_columns": notes.of_columns}
        known["pieces"] = None if path is None else partial(pieces_of, path)
        short = notes.version[:16]
        return Copy(columns, strata, short, notes.left_out, notes.remarks, whose=whose, **known)

    def _write_whole(self, large: LargeTable, path: Path) -> None:
        """Write the copies of all partitions of a table, and note how near that of the first is."""
        wanted, done = large.work.wanted, list[Outcome]()
        target = (path, *large.work.columns, partial(_notes_of, large, done))
        if large.table.on_spark:
            with write_copy_in_parts(*target) as folder:
                done += large.done_on_spark(folder)
                _keep_nearness(_near(done), path)
        else:
            needs = large.needs
            check_memory(needs._replace(rows=needs.rows * large.at_once), self._secret)
            with write_copy(*target) as add, large.each(path.parent) as partitions:
                advance("protecting the table", 0, wanted.partitions)
                for made in large.protected(partitions):
                    add({**made.numbers, **made.whose}, made.levels)
                    done.append(made.outcome)
                    advance("protecting the table", len(done), wanted.partitions)
                _keep_nearness(_near(done), path)
        self._nearness = _near(done)

    def version_of_whole(self, table: Table, policy: Policy, read: Reader | None = None) -> str:
        """Return which copy of the whole table it is, without making it.

        `read` reads rows as `Table.in_parts` does, which it is where there is none.
        """
        if self._whole is not None:
            return self._whole.version
        if self._large is None:
            wanted = choose_columns(table, policy)
            if wanted.partitions == 1:
                return version_in_one(table, policy, self._secret, wanted, read).hex()[:16]
            self._large = LargeTable.of(table, policy, self._secret, wanted, read)
        return self._large.version.hex()[:16]

    def nearness(self, table: Table, policy: Policy) -> Fidelity:
        """Return how near the copy of the whole table is, in rounded figures kept beside it."""
        copy = self.whole(table, policy)
        if self._nearness is None and self._folder is not None:
            path = self._folder / f"whole-{copy.version}.json"
            if is_kept(path):
                self._nearness = Fidelity.from_json(path.read_text(encoding="utf-8"))
        if self._nearness is None:
            self._nearness = nearness_of(*self.made_whole(table, policy))
        return self._nearness

    def made_whole(self, table: Table, policy: Policy) -> tuple[RawWhole, WholeCopy]:
        """Return the raw columns and the copy made of them, to measure it by."""
        raw = raw_whole(table, policy, self._secret)
        return raw, copy_of_whole(raw)


def _warn_of_width(raw: RawWhole) -> None:
    k, draws = raw.settings.k, raw.draws
    warning = said_of_width(raw.numbers, raw.levels, draws, k, raw.persons)
    if warning:
        warnings.warn(warning, WideTableWarning, stacklevel=2)


def _notes_of(large: LargeTable, done: Sequence[Outcome]) -> CopyNotes:
    left_out = [it.left_out for it in done]
    everywhere = {
        name: why for name, why in left_out[0].items() if all(name in other for other in left_out)
    }
    remarks = remarks_of({**large.work.wanted.left_out, **everywhere})
    of_columns = column_remarks([it.far_out for it in done], [it.joined for it in done])
    whose = large.work.whose
    return CopyNotes(0, remarks, large.version.hex(), tuple(everywhere), whose, of_columns)


def _near(done: Sequence[Outcome]) -> Fidelity:
    return next(it.near for it in done if it.near is not None)


def _keep_nearness(near: Fidelity, path: Path) -> None:
    """Keep how near a copy is beside it, and before it: who finds the copy finds both."""
    with write_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with being_written(path.with_suffix(".json")) as file:
            file.write(near.to_json().encode())


def _whole_name(version: bytes) -> str:
    return f"whole-{version.hex()[:16]}.parquet"


def as_copy(raw: RawWhole, made: WholeCopy) -> Copy:
    """Return the rows of a copy of the whole table, in the order that their draws gave them."""
    numbers, levels = columns_of_copy(made)
    remarks, version = remarks_of({**raw.left_out, **made.left_out}), raw.version.hex()[:16]
    known: dict[str, Any] = {"of_columns": column_remarks([made.far_out], [made.joined])}
    return Copy(numbers, levels, version, 0, remarks, whose=person_numbers(raw, made), **known)
