"""Protected copies: how they are made, and kept in memory and in a folder of the custodian's."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from discreet.arguments import Floats, as_strata
from discreet.errors import BrokenPromiseError, InputError, WideTableWarning
from discreet.measure.fidelity_report import Fidelity
from discreet.policy import PlotRequest, Policy
from discreet.progress import advance
from discreet.protect import outside
from discreet.protect.base import RowMethod, sd_of
from discreet.protect.counts import about
from discreet.protect.microaggregation import check_shared
from discreet.protect.values import nice_step, safe_ends, stepped, winsorised
from discreet.protect.whole import WholeCopy
from discreet.protect.wide import said_of_width
from discreet.secret import Secret
from discreet.table import Table
from discreet.table.columns import array_of, words_of
from discreet.unfinished import being_written
from discreet.vault.aside import Reader
from discreet.vault.mapped import mapped
from discreet.vault.needs import Needs, check_memory
from discreet.vault.partitions import LargeTable
from discreet.vault.protected import (
    Outcome,
    columns_of_copy,
    copy_of_whole,
    nearness_of,
    whose_of,
)
from discreet.vault.rows import (
    Done,
    Noised,
    Prepared,
    Raw,
    digest_of,
    keys_of,
    noised,
    prepared,
    raw_rows,
    rows_with_key,
)
from discreet.vault.stored import (
    Said,
    TemporaryFolder,
    columns_in,
    is_kept,
    kept_in,
    pieces_of,
    said_in,
    written,
    written_by_many,
)
from discreet.vault.whole import (
    RawWhole,
    column_remarks,
    raw_in_one,
    raw_whole,
    remarks_of,
    version_in_one,
)
from discreet.vault.whole_columns import wanted_of

__all__ = [
    "Copy",
    "Made",
    "Vault",
    "check_kept",
    "copied_whole",
    "copy_of",
    "make_copy",
    "make_table",
    "protect_view",
    "said",
]


TINY = 1e-9


CopiedRows = tuple[Mapping[str, Floats], Mapping[str, tuple[str, ...]]]
"""Columns of numbers and of levels, by name."""


@dataclass(frozen=True, repr=False)
class Copy:
    """Protected rows: their columns, the levels of their strata, and the version they are of.

    `whose` holds the column that says which rows are one drawn person's, where there is one.
    `remarks` are sentences on how the rows were prepared, `of_columns` on single columns of a copy
    of the whole table, by name.
    `path` is the Parquet file that they are read from, of a copy that is not held in memory, and
    `keep` what has to be there as long as it is read.
    """

    columns: Mapping[str, Floats]
    strata: Mapping[str, tuple[str, ...]]
    version: str
    left_out: int
    remarks: tuple[str, ...] = ()
    path: Path | None = None
    keep: object = None
    whose: Mapping[str, Floats] = field(default_factory=lambda: MappingProxyType({}))
    of_columns: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))

    def __len__(self) -> int:
        held: Mapping[str, Any] = self.columns or self.strata
        return len(next(iter(held.values()))) if held else 0

    def parts(self, names: Sequence[str]) -> Iterator[CopiedRows]:
        """Return some columns by parts of the rows, in their order; of those in memory one part."""
        if self.path is not None:
            yield from pieces_of(self.path, names)
            return
        numbers = {**self.columns, **self.whose}
        yield (
            {name: numbers[name] for name in names if name in numbers},
            {name: self.strata[name] for name in names if name in self.strata},
        )

    def first(self, rows: int) -> CopiedRows:
        """Return the first rows, whose they are among the numbers; those after are not read."""
        numbers = {name: [np.zeros(0)] for name in (*self.columns, *self.whose)}
        words: dict[str, tuple[str, ...]] = dict.fromkeys(self.strata, ())
        missing = rows
        for of_numbers, of_words in self.parts([*numbers, *self.strata]):
            for name, values in of_numbers.items():
                numbers[name].append(values[:missing])
            words |= {name: words[name] + of_words[name][:missing] for name in words}
            missing -= len(next(iter((of_numbers or of_words).values()), ()))
            if missing <= 0:
                break
        return {name: np.concatenate(it) for name, it in numbers.items()}, words


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
    said = Said(copy.left_out, copy.remarks, version.hex(), whose=whose, of_columns=of)
    numbers = {**copy.columns, **copy.whose}
    with written(path, [*numbers], [*copy.strata], lambda: said) as add:
        add(numbers, copy.strata)


def load(path: Path, group: Sequence[str] | None, version: bytes) -> Copy:
    """Read a copy that was kept; where no `group` is named, numbers are what is stored as such."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:  # read_table imports what data sets of many files need
            stored, said = file.read(), said_in(file.metadata, version.hex())
        if group is None:
            group = [it.name for it in stored.schema if pa.types.is_floating(it.type)]
        series = nw.from_native(stored, eager_only=True)
        columns = {name: array_of(series[name]).astype(np.float64) for name in group}
        strata = [name for name in stored.column_names if name not in columns]
        levels = {name: words_of(stored[name]) for name in strata}
        known: dict[str, Any] = {"whose": {name: columns.pop(name) for name in said.whose}}
        short, known["of_columns"] = version.hex()[:16], said.of_columns
        return Copy(columns, levels, short, said.left_out, said.remarks, **known)
    except Exception:
        raise InputError(
            f"the protected copy {str(path)!r} cannot be read; move it away to have it made again"
        ) from None


@dataclass(frozen=True, eq=False, repr=False)
class Made:
    """Protected rows beside the raw ones they stand for, row by row: for the custodian alone.

    `trimmed` are the raw ones as the method saw them: outliers drawn in, where they were.
    """

    names: tuple[str, ...]
    original: Floats
    trimmed: Floats
    released: Floats
    levels: Mapping[str, tuple[str, ...]]
    carried: Mapping[str, tuple[str, ...]]
    version: str
    done: Done
    ends: Mapping[str, Ends] = field(default_factory=lambda: MappingProxyType({}))


def make_copy(given: Noised, policy: Policy) -> Made:
    """Make the rows of the protected copy of a guarded study version."""
    rows = given.rows
    columns = [winsorised(column, policy.k, rows.persons) for column in rows.values.T]
    trimmed = np.column_stack(columns)
    ends = {
        name: _ends(rows, policy, trimmed[:, j], nice_step(sd_of(name, trimmed[:, j])), name)
        for j, name in enumerate(rows.names)
    }
    finish = partial(_finished, policy, [*ends.values()])
    made = _made(given, trimmed, policy.row_method(), finish)
    return replace(made, ends=MappingProxyType(ends))


class Ends(NamedTuple):
    """Between which numbers a column of the copy lies, and the step that it is rounded to.

    They `cut` where a declared bound lies further in than the ends of the data.
    """

    low: float
    high: float
    step: float
    cut: bool


def _ends(rows: Prepared, policy: Policy, own: Floats, step: float, name: str) -> Ends:
    """Return the ends and the step of a column."""
    whole = name in rows.whole
    low, high = safe_ends(float(own.min()), float(own.max()), whole=whole)
    least, most = policy.bounds.get(name, (-np.inf, np.inf))
    if whole:  # no fraction at a bound
        least, most, step = np.ceil(least), np.floor(most), max(step, 1.0)
    cut = least > low or most < high
    low, high = max(low, least), min(high, most)
    if not low < high:  # the data lie outside what was declared: the declared bounds stand
        low, high = policy.bounds[name]
    return Ends(float(low), float(high), float(step), bool(cut))


def _finished(policy: Policy, ends_of: Sequence[Ends], j: int, values: Floats) -> Floats:
    """Round a column, to whole numbers where its own are, within its bounds and safe ends."""
    low, high, step, _ = ends_of[j]
    inside = stepped(outside(values, low, high, policy.outside), step)
    if policy.outside == "keep":
        return inside
    # What was rounded beyond an end goes back by a step; between narrow ends there may be none.
    with np.errstate(invalid="ignore"):
        ends = np.array([np.ceil(low / step - TINY), np.floor(high / step + TINY)]) * step
    first, last = stepped(ends, step).tolist()
    return np.clip(inside, first, last) if first <= last else np.clip(inside, low, high)


def make_table(given: Noised, policy: Policy, method: RowMethod) -> Made:
    """Protect the rows of one table by themselves, as the papers do it: under `research`."""
    rows = given.rows
    if policy.from_copy:
        raise BrokenPromiseError("a guarded study releases rows of its protected copy alone")
    for j, name in enumerate(rows.names):
        sd_of(name, rows.values[:, j])
    if policy.ties == "tree":  # as R has it, whose tree follows the order of the file
        rows = replace(rows, order=np.arange(len(rows.order)))
        given = replace(given, rows=rows)
    return _made(
        given, rows.values, method, lambda j, values: within_bounds(policy, rows.names[j], values)
    )


def protect_view(
    table: Table,
    policy: Policy,
    asked: PlotRequest,
    secret: Secret,
    naming: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None,
) -> Copy:
    """Protect the columns of one view alone, as the papers do it: only under `research`.

    Rows are protected within the levels of `asked.by`, as `naming` joins and names them.
    """
    if policy.from_copy:
        raise BrokenPromiseError("a guarded study draws rows from its protected copy alone")
    by = () if asked.by is None or naming is None else (asked.by,)
    rows = rows_with_key(table, asked.columns, by)
    keys = keys_of(secret, rows, table.key)
    names = list(asked.columns)
    version = digest_of(secret, "view", keys)
    values = np.column_stack([rows.numbers[name] for name in names])
    for j, name in enumerate(names):
        sd_of(name, values[:, j])
    normals = secret.normals(version, keys, names)
    texts = {name: naming(rows.texts[name]) for name in by if naming is not None}
    strata = as_strata(texts[by[0]] if by else None, len(values))
    out = policy.row_method(asked)(values, normals, strata, rows.persons)
    columns = {name: within_bounds(policy, name, out[:, j]) for j, name in enumerate(names)}
    left_out = about(rows.left_out, asked.k)
    return Copy(columns, texts, version.hex()[:16], left_out)


def within_bounds(policy: Policy, name: str, values: Floats) -> Floats:
    """Do with values outside the bounds of a column what the policy says."""
    if name not in policy.bounds:
        return values
    return outside(values, *policy.bounds[name], policy.outside)


def _made(
    given: Noised, values: Floats, method: RowMethod, finish: Callable[[int, Floats], Floats]
) -> Made:
    """Protect rows in an order of their own, so that one version always has the same bytes."""
    order, rows = given.rows.order, given.rows
    persons = None if rows.persons is None else rows.persons[order]
    found = method(values[order], given.normals[order], rows.strata[order], persons)
    if found.shape != values.shape or not np.isfinite(found).all():
        raise BrokenPromiseError("a row method returned another shape, or values not finite")
    out = np.empty_like(values)
    out[order] = found
    for j in range(len(rows.names)):
        out[:, j] = finish(j, out[:, j])
    if method.shared_by_k:
        check_shared(out, rows.strata, method.k)
    return Made(
        names=rows.names,
        original=rows.values,
        trimmed=values,
        released=out,
        levels=rows.levels,
        carried=rows.carried,
        version=given.version,
        done=rows.done,
    )


class Vault:
    """Makes protected copies and keeps them: in memory, and as Parquet where there is a folder."""

    def __init__(self, secret: Secret, folder: Path | None) -> None:
        self._secret, self._folder = secret, folder
        self._copies: dict[tuple[str, ...], Copy] = {}
        self._whole: Copy | None = None
        self._large: LargeTable | None = None
        self._nearness: Fidelity | None = None

    def copy(self, table: Table, policy: Policy, group: Sequence[str]) -> Copy:
        """Return the protected copy of `group`, made on the first call."""
        names = tuple(sorted(group))
        if names not in self._copies:
            raw = self._raw(table, policy, names)
            self._hold(raw, lambda: copy_of(self._make(raw, policy), policy.k))
        return self._copies[names]

    def made(self, table: Table, policy: Policy, group: Sequence[str]) -> Made:
        """Return the rows of the copy beside the raw ones, to measure it by."""
        names = tuple(sorted(group))
        raw = self._raw(table, policy, names)
        made = self._make(raw, policy)
        if names not in self._copies:
            self._hold(raw, lambda: copy_of(made, policy.k))
        return made

    def whole(self, table: Table, policy: Policy) -> Copy:
        """Return the protected copy of the whole table, made on the first call."""
        if self._whole is None:
            raw = self._read(table, policy)
            if isinstance(raw, LargeTable):
                self._whole = self._in_partitions(raw)
            else:
                self._whole = self._in_one_piece(raw)
        return self._whole

    def shared(self, table: Table, policy: Policy, folder: Path | None = None) -> Copy:
        """Return the protected copy of the whole table, in a file that several processes map.

        Where the vault has no folder, copies are kept in `folder` from here on; where there is
        none at all, each process has a copy of its own.
        """
        if self._folder is None and folder is not None:
            self._folder, self._whole = folder, None
        copy = self.whole(table, policy)
        if self._folder is not None:
            path = self._folder / f"whole-{copy.version}.parquet"
            columns, strata = mapped(path, [*copy.columns], [*copy.strata])
            self._whole = replace(copy, columns=columns, strata=strata, path=path)
        return self.whole(table, policy)

    def _in_one_piece(self, raw: RawWhole) -> Copy:
        path = None if self._folder is None else self._folder / _whole_name(raw.version)
        if path is not None and is_kept(path):
            return load(path, None, raw.version)
        sizes = [len(it.words) for it in raw.levels.values()]
        check_memory(Needs(len(raw.draws.keys), len(raw.numbers), sizes), self._secret)
        _warn_of_width(raw)
        made = copy_of_whole(raw)
        copy = copied_whole(raw, made)
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
        wanted = wanted_of(table, policy)
        if wanted.partitions == 1:
            return raw_in_one(table, policy, self._secret, wanted)
        self._large = LargeTable.of(table, policy, self._secret, wanted)
        return self._large

    def _in_partitions(self, large: LargeTable) -> Copy:
        """Return the copy of a large table."""
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
        columns, strata, whose, said = columns_in(path, version.hex())
        known: dict[str, Any] = {"path": path, "keep": keep, "of_columns": said.of_columns}
        short = said.version[:16]
        return Copy(columns, strata, short, said.left_out, said.remarks, whose=whose, **known)

    def _write_whole(self, large: LargeTable, path: Path) -> None:
        """Write the copies of all partitions of a table, and note how near that of the first is."""
        wanted, done = large.work.wanted, list[Outcome]()
        target = (path, *large.work.columns, partial(_said_of, large, done))
        if large.table.on_spark:
            with written_by_many(*target) as folder:
                done += large.done_on_spark(folder)
                _keep_nearness(_near(done), path)
        else:
            needs = large.needs
            check_memory(needs._replace(rows=needs.rows * large.at_once), self._secret)
            with written(*target) as add, large.each(path.parent) as partitions:
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
            wanted = wanted_of(table, policy)
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

    def _hold(self, raw: Raw, make: Callable[[], Copy]) -> None:
        """Hold the copy that was kept in the folder, or make one and keep it."""
        path = None
        if self._folder is not None:
            path = self._folder / _file_name(raw.version.hex()[:16])
        if path is not None and is_kept(path):
            copy = load(path, raw.names, raw.version)
        else:
            copy = make()
            if path is not None:
                store(path, copy, raw.version)
        self._copies[raw.names] = copy

    def _raw(self, table: Table, policy: Policy, group: tuple[str, ...]) -> Raw:
        return raw_rows(table, policy, group, self._secret, strata=policy.strata)

    def _make(self, raw: Raw, policy: Policy) -> Made:
        rows = prepared(raw, policy, self._secret)
        return make_copy(noised(rows, self._secret, raw.version), policy)


def _warn_of_width(raw: RawWhole) -> None:
    """Say of a table that it is wide for its rows, before its copy is made."""
    k, draws = raw.settings.k, raw.draws
    said = said_of_width(raw.numbers, raw.levels, draws, k, raw.persons)
    if said:
        warnings.warn(said, WideTableWarning, stacklevel=2)


def _said_of(large: LargeTable, done: Sequence[Outcome]) -> Said:
    """Say what the copy of a large table is, once all partitions are done."""
    left_out = [it.left_out for it in done]
    everywhere = {
        name: why for name, why in left_out[0].items() if all(name in other for other in left_out)
    }
    remarks = remarks_of({**large.work.wanted.left_out, **everywhere})
    of_columns = column_remarks([it.far_out for it in done], [it.joined for it in done])
    whose = large.work.whose
    return Said(0, remarks, large.version.hex(), tuple(everywhere), whose, of_columns)


def _near(done: Sequence[Outcome]) -> Fidelity:
    """Return how near the copy of the one partition is of which that was measured."""
    return next(it.near for it in done if it.near is not None)


def _keep_nearness(near: Fidelity, path: Path) -> None:
    """Keep how near a copy is beside it, and before it: who finds the copy finds both."""
    with kept_in(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with being_written(path.with_suffix(".json")) as file:
            file.write(near.to_json().encode())


def _whole_name(version: bytes) -> str:
    return f"whole-{version.hex()[:16]}.parquet"


def _file_name(version: str) -> str:
    return f"copy-{version}.parquet"


def copied_whole(raw: RawWhole, made: WholeCopy) -> Copy:
    """Return the rows of a copy of the whole table, in the order that their draws gave them."""
    numbers, levels = columns_of_copy(made)
    remarks, version = remarks_of({**raw.left_out, **made.left_out}), raw.version.hex()[:16]
    known: dict[str, Any] = {"of_columns": column_remarks([made.far_out], [made.joined])}
    return Copy(numbers, levels, version, 0, remarks, whose=whose_of(raw, made), **known)


def said(done: Done, k: int) -> tuple[str, ...]:
    """Say in sentences, with rough numbers, how rows were prepared before they were protected."""
    filled = [f"{_rough(n, k)} missing values of {name} are filled" for name, n in done.filled]
    named = [
        f"{_rough(n, k)} missing levels of {name} are a level of their own"
        for name, n in done.named
    ]
    merged = [f"{detail} ({name})" for name, detail in done.repaired]
    lines = [*filled, *named]
    if merged:
        lines.append(f"small strata are merged: {'; '.join(merged)}")
    if not done.exhaustive:
        lines.append("there may be a merging of less loss: not all were tried")
    if done.suppressed:
        rows = _rough(done.suppressed, k)
        lines.append(
            f"{rows} rows of strata that stayed small are left out, so what all rows of a stratum"
            " share may not be true of all persons"
        )
    if done.persons is not None:
        lines.append(
            f"groups are of at least {k} persons ({done.persons}): all rows of a person in a"
            " stratum are in one, and who has more rows than k persons have keeps as many as they"
        )
    if done.multiples_of > 1:
        lines.append(
            f"a few rows are left out, so that the size of each stratum is a multiple of"
            f" {done.multiples_of}"
        )
    return tuple(lines)


def _rough(count: int, k: int) -> str:
    return f"about {about(count, k)}" if count >= k else f"fewer than {k}"


def in_order_of_values(made: Made) -> tuple[dict[str, Floats], dict[str, tuple[str, ...]]]:
    """Return the released numbers and levels so that nothing of the file's order is in them."""
    columns = dict(zip(made.names, made.released.T, strict=True))
    levels = {name: np.array(words) for name, words in made.levels.items()}
    by_value = np.lexsort([*reversed(columns.values()), *reversed(levels.values())])
    return (
        {name: values[by_value] for name, values in columns.items()},
        {name: tuple(words[by_value].tolist()) for name, words in levels.items()},
    )


def copy_of(made: Made, k: int) -> Copy:
    """Return the rows in the order of their values, so that the file's order is gone."""
    return Copy(
        *in_order_of_values(made),
        made.version,
        about(made.done.left_out, k),
        said(made.done, k),
    )
