"""A protected table, in the kind of frame that came in, with the report on it."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arguments import Floats, check_whole
from discreet.columns import Column
from discreet.columns.dates import dates_of
from discreet.columns.native import native_frame
from discreet.errors import BrokenPromiseError, InputError
from discreet.levels import in_order
from discreet.lines import TABLES, Lines, lines_of
from discreet.measure.attack_report import AttackReport
from discreet.measure.attacks_by_copies import FEWEST_PAIRS
from discreet.measure.report import SUFFIXES as REPORT_SUFFIXES
from discreet.measure.report import Report
from discreet.provenance import Provenance, Sealer, checksum_of, checksum_of_file
from discreet.render.parquet_words import PARQUET, put_words, read_words
from discreet.render.sealing import NAME, json_of, sealed
from discreet.rounding.rounding_set import JointSet, RoundingSet, points_text
from discreet.spreadsheet import as_text, as_texts, quoting
from discreet.unfinished import path_to_save, write_whole, writing_whole

if TYPE_CHECKING:
    import pyarrow as pa

Points = JointSet | tuple[RoundingSet, ...]
Gate = Callable[[str, str | None], None]
"""Called with the form the table is to be released in, and that of its report, if it is too."""
Note = Callable[[str, Provenance, Lines | None], None]
"""Called with the form of what was written, its provenance, and what a text is recognised by."""
Attacker = Callable[[int], AttackReport]
"""Called with how many pairs of copies are made; it has the raw rows, and is the custodian's."""


@dataclass(frozen=True, eq=False, repr=False)
class Pieces:
    """Protected rows as tables of one schema, one after the other: a table need not be in memory.

    `read` reads them anew; there is at least one.
    """

    names: tuple[str, ...]
    read: Callable[[], Iterable[pa.Table]]

    @classmethod
    def of(cls, table: pa.Table) -> Pieces:
        """Return a table as one piece."""
        return cls(tuple(table.column_names), lambda: [table])

    def write(self, path: Path, suffix: str, words: str | None = None) -> None:
        """Write all rows into a file; one of Parquet with some words of where it comes from."""
        if suffix == PARQUET:
            self._write_parquet(path, words)
        else:
            self._write_text(path, "\t" if suffix == ".tsv" else ",")

    def _write_parquet(self, path: Path, words: str | None) -> None:
        import pyarrow.parquet as pq

        writer = None
        for table in self.read():
            writer = writer or pq.ParquetWriter(path, table.schema)
            writer.write_table(table)
        if writer is not None:
            if words is not None:
                writer.add_key_value_metadata({NAME: words})
            writer.close()

    def _write_text(self, path: Path, sign: str) -> None:
        import pandas as pd
        import pyarrow as pa

        # Or a whole number with gaps would be written as 3.0 in a piece that has one.
        whole = {pa.int64(): pd.Int64Dtype()}.get
        with path.open("w", encoding="utf-8", newline="") as file:
            pieces = iter(self.read())
            first, second = next(pieces), next(pieces, None)
            several = [] if second is None else [second]
            for place, table in enumerate(itertools.chain([first], several, pieces)):
                # Or the times of a piece that has midnights alone would be left out.
                written, texts = _as_written(table, times=bool(several))
                how = {"index": False, "header": not place, "sep": sign, "quoting": quoting(texts)}
                frame = written.to_pandas(types_mapper=whole)
                frame.to_csv(file, lineterminator="\n", **how)


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """A protected table and what is known of it; `Study.anonymize` or `round` makes it.

    Attributes
    ----------
    rows : Pieces
        The protected rows; one piece, but of a copy that is read from a file.
    report : Report
        What was done, what it risks, and what it is good for.
    framework : str
        The kind of frame that came in: "pandas", "polars", "pyarrow" or "duckdb".
    points : JointSet, tuple of RoundingSet, or None
        The rounding points, where the table was rounded; they are released by `save_points`.
    rung : callable or None
        The gate where an attack is more often right than it may be: it records that.
    """

    rows: Pieces = field(repr=False)
    report: Report
    framework: str = "pandas"
    gate: Gate | None = field(default=None, compare=False)
    points: Points | None = field(default=None, repr=False)
    attacker: Attacker | None = field(default=None, compare=False, repr=False)
    rung: Callable[..., None] | None = field(default=None, compare=False, repr=False)
    note: Note | None = field(default=None, compare=False, repr=False)
    sealer: Sealer | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return f"Release({', '.join(self.rows.names)}; {self.report.title})"

    def __reduce__(self) -> tuple[Any, ...]:
        self._ask("pickle", None)
        # The report asks for itself; the gate stays behind.
        return _released_table, (self.table, self.report, self.framework, self.points)

    @cached_property
    def table(self) -> pa.Table:
        """The protected rows as a table of pyarrow."""
        import pyarrow as pa

        return pa.concat_tables(self.rows.read())

    @cached_property
    def frame(self) -> Any:
        """The protected rows as a frame of the kind that came in (pandas for a file), to look at.

        What you write of it yourself is not recorded, so release it by `save`.
        """
        return native_frame(self.table, self.framework)

    def _repr_html_(self) -> str:
        """Show the report in a notebook; looking is free."""
        return self.report._repr_html_()

    def save(self, path: str | Path, report: str | Path | None = None) -> Path:
        """Write the protected table to a file, and the report on it to another.

        Parameters
        ----------
        path : str or Path
            Ends in .csv, .tsv or .parquet.
        report : str or Path, optional
            Ends in .html, .json or .txt; the report then names the file and its checksum.

        Raises
        ------
        LeavingError
            If it does not fit what was released before; nothing is written then.
        InputError
            If an ending is another one, or a folder does not exist.
        """
        path, report_path = check_paths(path, report)
        form = path.suffix.lower()[1:]
        self._ask(
            form, None if report_path is None else report_path.suffix.lower()[1:]
        )  # both, or neither
        with writing_whole(path) as part:
            digest = self._write(part, f".{form}")
            if report_path is not None:
                report_on = sealed(self.report.saved_as(path.name, digest))
                self._note(report_path.suffix.lower()[1:], report_on.provenance)
                dataclasses.replace(report_on, gate=None).save(report_path)
        return path

    def _write(self, part: Path, suffix: str) -> str:
        """Write and seal the table, and have it noted; return the SHA-256 of its file."""
        form, sealer = suffix[1:], self.sealer
        self.rows.write(part, suffix, None if sealer is None else sealer.placeholder())
        if sealer is not None and suffix == PARQUET:
            before = read_words(part)
            provenance = sealer.of_file(before.rest, suffix)
            put_words(part, before, provenance.to_text())
            self._note(form, provenance)
        digest = checksum_of_file(part)
        if sealer is not None and suffix != PARQUET:
            with part.open("rb") as file:
                self._note(form, sealer.of_text(digest), lines_of(sealer.key, file))
        return digest

    def _note(self, form: str, provenance: Provenance | None, lines: Lines | None = None) -> None:
        if self.note is not None and provenance is not None:
            self.note(form, provenance, lines)

    def attack(self, pairs: int = 100) -> AttackReport:
        """Try on the table what somebody could do to learn of a person from it: docs/attacks.md.

        Parameters
        ----------
        pairs : int, default 100
            How many pairs of copies are made for each attack on membership, at least 10; 0 leaves
            out what needs many copies.

        Returns
        -------
        AttackReport
            Exact figures of raw rows: the custodian's. `AttackReport.rounded` gives what may be
            released of them.

        Raises
        ------
        InputError
            If the table is not the copy of a whole table, or `pairs` is out of its range.

        Notes
        -----
        **What it does not show.** That an attack fails says nothing of others; what no column
        holds, and other releases of the same people, are not known here.
        """
        if self.attacker is None:
            raise InputError(
                "attacks need to make the copy again, which only works for the copy of a "
                "guarded study; discreet.measure.attacked takes any method"
            )
        if check_whole("pairs", pairs, least=0) and pairs < FEWEST_PAIRS:
            raise InputError(f"pairs must be 0 or at least {FEWEST_PAIRS}")
        return self.attacker(pairs)

    def with_attacks(self, pairs: int = 100) -> Release:
        """Return the release with a report that has the attacks on the table as a section.

        They take seconds to minutes, so they are made when asked for alone. Parameters and errors
        are those of `attack`.

        Returns
        -------
        Release
            The section holds what may be released: `AttackReport.rounded`, counts in multiples of
            k, or of what the report rounds to if that is more. Where an attack is more often right
            than it may be (`measure.attacks.BOUNDS`), what is saved of it is recorded so, and
            `discreet outputs` asks for a review.

        Notes
        -----
        **What it does not show.** What `attack` does not.

        Examples
        --------
        >>> import discreet as dc
        >>> release = dc.open(dc.datasets.diabetes()).anonymize()
        >>> release.with_attacks(0).report.attacks.rounded_to
        5
        """
        attacks = self.attack(pairs)
        rounded = attacks.rounded(max(int(attacks.made["k"]), self.report.measured.rounded_to or 1))
        report = dataclasses.replace(self.report, attacks=rounded)
        if not attacks.rings or self.rung is None:
            return dataclasses.replace(self, report=report)
        report = dataclasses.replace(report, gate=partial(self.rung, None))
        return dataclasses.replace(self, report=report, gate=self.rung)

    def save_points(self, path: str | Path) -> Path:
        """Write the rounding points to a file that ends in .json, to round new records alike.

        `load_points` reads it. InputError is raised if the table was not rounded, and LeavingError
        if the points do not fit what was released before; nothing is written then.
        """
        target = check_points_path(path)
        if self.points is None:
            raise InputError("this table was not rounded and has no points; make one by round()")
        self._ask("points", None)
        plain = json.loads(points_text(self.points))
        sealer = self.sealer
        provenance = None if sealer is None else sealer.provenance(checksum_of(plain))
        self._note("points", provenance)
        write_whole(json_of(plain, provenance).encode(), target)
        return target

    def report_on(self, path: str | Path) -> Report:
        """Return the report with the name and checksum of the file that `save` wrote there."""
        path = path_to_save(path, TABLES, "a released table")
        return self.report.saved_as(path.name, checksum_of_file(path))

    def _ask(self, form: str, report: str | None) -> None:
        if self.gate is not None:
            self.gate(form, report)


def _released_table(
    table: pa.Table, report: Report, framework: str, points: Points | None
) -> Release:
    return Release(Pieces.of(table), report, framework, None, points)


def check_paths(path: str | Path, report: str | Path | None) -> tuple[Path, Path | None]:
    """Refuse names that a released table and its report cannot be saved under."""
    table = path_to_save(path, TABLES, "a released table")
    if report is None:
        return table, None
    return table, path_to_save(report, REPORT_SUFFIXES, "a report")


def check_points_path(path: str | Path) -> Path:
    """Refuse names that rounding points cannot be saved under."""
    return path_to_save(path, (".json",), "a file of rounding points")


def arrow_table(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Sequence[str]],
    columns: Mapping[str, Column],
    different: Mapping[str, Collection[str]] | None = None,
    whole: Collection[str] = (),
) -> pa.Table:
    """Return protected columns in the order of the raw table, levels of the type they had.

    Levels that were merged are texts, and days are dates where the column is of dates. No index, no
    category that no row has, no metadata. `different` are all levels of each column, of rows that
    are one piece of several; `whole` are the columns of numbers that are written as integers, which
    `discreet.columns.native.integer_columns` finds.
    """
    import pyarrow as pa

    made: dict[str, Any] = {}
    for name, column in columns.items():
        if name in numbers and column.dates is not None:
            made[name] = dates_of(numbers[name], column.dates)
        elif name in numbers:
            column_of_numbers = pa.array(numbers[name], from_pandas=True)  # NaN is a gap
            made[name] = column_of_numbers.cast(pa.int64()) if name in whole else column_of_numbers
        elif name in levels:
            words = levels[name]
            typed = _typed({*words} if different is None else {*different[name]}, column)
            kind = pa.infer_type([*typed.values()])
            made[name] = pa.array([typed.get(word) for word in words], kind)
    return pa.table(made)


def in_declared_order(
    table: pa.Table,
    columns: Mapping[str, Column],
    different: Mapping[str, Collection[str]] | None = None,
) -> pa.Table:
    """Return a table whose texts are ordered categories where an order of levels is declared.

    They are those levels alone that rows have; `different` as of `arrow_table`.
    """
    import pyarrow as pa

    for place, name in enumerate(table.column_names):
        column = table[name]
        if not columns[name].order or not pa.types.is_string(column.type):
            continue
        there = column.unique().to_pylist() if different is None else different[name]
        levels = in_order((it for it in there if it), columns[name].order)
        kind = pa.dictionary(pa.int32(), pa.string(), ordered=True)
        codes = {level: code for code, level in enumerate(levels)}
        chunks = [
            pa.DictionaryArray.from_arrays(
                pa.array([codes.get(word) for word in chunk.to_pylist()], pa.int32()),
                pa.array(levels, pa.string()),
                ordered=True,
            )
            for chunk in column.chunks
        ]
        table = table.set_column(place, name, pa.chunked_array(chunks, kind))
    return table


def check_counts_again(columns: pa.Table, least: int) -> None:
    """Count on finished columns that every combination of their values has enough rows.

    Raises
    ------
    BrokenPromiseError
        If one has fewer rows than `least`.
    """
    counted = columns.group_by(columns.column_names).aggregate([([], "count_all")])
    if min(counted["count_all"].to_pylist()) < least:
        raise BrokenPromiseError(
            "a stratum or shared row of the released table was counted again and has too few rows;"
            " please report this"
        )


def _typed(words: Set[str], column: Column) -> dict[str, Any]:
    """Return levels as numbers or yes/no where they were, and none was merged; gaps are none."""
    words = words - {""}
    as_they_are: dict[str, Any] = {word: word for word in words}
    if column.yes_no and words <= {"True", "False"}:
        return {word: word == "True" for word in words}
    if not column.numeric or column.yes_no:
        return as_they_are
    numbers: dict[str, float] = {}
    for word in words:
        try:
            value = float(word)
        except ValueError:
            return as_they_are
        if not np.isfinite(value) or word not in (str(value), str(int(value))):
            return as_they_are
        numbers[word] = value
    # Whole where those of the copy are: one raw fraction would tell otherwise.
    whole = all(word == str(int(value)) for word, value in numbers.items())
    return {word: int(value) if whole else value for word, value in numbers.items()}


def _as_written(table: pa.Table, *, times: bool) -> tuple[pa.Table, list[str]]:
    """Return a table whose texts, and names, a spreadsheet takes for texts; and all its texts.

    `times` says that moments are texts, too, all with their time of day.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = as_texts(table.column_names)
    for place, it in enumerate(table.schema):
        column = table.column(place)
        if times and pa.types.is_timestamp(it.type):
            written = pc.strftime(column, "%Y-%m-%d %H:%M:%S")
        elif pa.types.is_string(it.type) or pa.types.is_large_string(it.type):
            codes = column.combine_chunks().dictionary_encode()
            words = [as_text(word) for word in codes.dictionary.to_pylist()]
            written = pa.array(words, it.type).take(codes.indices)
            texts += words
        else:
            continue
        table = table.set_column(place, it.name, written)
    return table.rename_columns(texts[: table.num_columns]), texts
