"""What is known of a column, what to do where another is needed, and columns that are copied."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from discreet.arguments import Floats
from discreet.columns.dates import Dates, declare_hint
from discreet.columns.words import Coded, CodedWords, words_at
from discreet.errors import InputError, near

if TYPE_CHECKING:
    import pyarrow as pa


FIRST = 10_000
"""How many rows are looked at before a column is read to its end."""
PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
COMMAS = re.compile(r"[+-]?\d[\d.,' ]*,\d[\d.,' ]*")

KINDS = ("continuous", "categorical")
ROLES = ("identifier", "quasi-identifier", "sensitive", "other")


@dataclass(frozen=True)
class Column:
    """A column's name, kind and role, and how its values are stored."""

    name: str
    kind: str
    role: str = "other"
    #: Stored as numbers or yes/no, so that it can be continuous.
    numeric: bool = False
    #: Stored as floating-point numbers, among which NaN may be.
    floating: bool = False
    #: Stored as yes/no.
    yes_no: bool = False
    #: How a column of kind "date" stores its dates.
    dates: Dates | None = None
    #: Stored as whole numbers, none of which is infinite.
    whole: bool = False
    #: Its levels from first to last, as the data or the policy declare them: also such as no row
    #: has, so that a list of levels is never this one.
    order: tuple[str, ...] = field(default=(), repr=False)
    #: The forms in which its texts may be dates, where its rows do not say which it is.
    readings: tuple[str, ...] = ()


def find_column(columns: Mapping[str, Column], name: str) -> Column:
    """Return what is known of a column, or say which there are."""
    if name in columns:
        return columns[name]
    raise InputError(f"there is no column {name!r}; {near(name, [*columns])}")


def check_names(names: Sequence[str]) -> None:
    """Refuse what is no name, and names that are there twice."""
    if not all(isinstance(name, str) for name in names):
        raise InputError("name a column by its name, as text")
    if len(set(names)) != len(names):
        raise InputError("a column is named twice; name each column once")


def way_out(texts: Iterable[str | None], column: Column, kind: str) -> str:
    """Say what a column is where another kind is needed, and what to do.

    `texts` are the first of a column of text, which are looked at only where they matter.
    """
    if column.readings and kind != "categorical":
        return f"is text, and {declare_hint(column.name, column.readings)}"
    declare = (
        f"or declare it: kinds={{{column.name!r}: {kind!r}}}"
        f" (on the command line --kinds {shlex.quote(f'{column.name}={kind}')})"
    )
    if kind == "categorical":
        what = f"is {column.kind}" if column.dates is None else "holds dates"
        return f"{what}; levels are needed here; {declare}"
    if column.numeric:
        return f"is categorical; numbers are needed here; {declare}"
    if column.dates is not None:
        return (
            "holds dates; numbers are needed here: draw it from a copy of the whole table "
            "(under a guarded policy), or compute numbers from it first, such as days since a "
            "date"
        )
    if column.kind != "categorical":
        return (
            f"is {column.kind}; numbers are needed here: compute some from it first, such as "
            "years, or days since a date"
        )
    why = numbers_in_texts(texts) or "draw bars of it, or name another column"
    if why == OF_LEVELS:
        return f"is categorical; numbers are needed here: {why}; {declare}"
    return f"is categorical; numbers are needed here: {why}"


OF_LEVELS = "its numbers are codes of levels: draw bars of it"


def numbers_in_texts(some: Iterable[str | None]) -> str:
    """Say why the texts of a column may be no numbers, and what to do; nothing where they are not.

    What is said names ways of writing, and no cell.
    """
    texts = {text.strip() for text in some if text and text.strip()}
    plain = {text for text in texts if PLAIN.fullmatch(text)}
    commas = {text for text in texts - plain if COMMAS.fullmatch(text)}
    others = texts - plain - commas
    if commas and len(others) <= len(commas):
        return "its numbers contain commas: use decimal points, and no separators between thousands"
    if not plain or len(others) > len(plain):
        return ""
    if not others:
        return OF_LEVELS
    if others == {"."}:
        return "a single point stands for a missing value, as in SAS: leave such cells empty"
    return (
        "it contains words as well as numbers: leave such cells empty, or use a number for them "
        "(listed under missing_values in a policy)"
    )


def words_of(values: pa.ChunkedArray) -> CodedWords:
    """Return the text of each cell of a column of pyarrow: one text a level, however often."""
    return CodedWords(*codes_of(values))


def codes_of(values: pa.ChunkedArray) -> Coded:
    """Return the texts of a column of pyarrow, and of each cell the place of its own."""
    import pyarrow as pa

    coded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    place: dict[str, int] = {}
    codes = [np.zeros(0, np.int32)]
    for chunk in coded.chunks:
        texts = (*texts_of(chunk.dictionary.to_pylist()), "")
        table = np.array([place.setdefault(it, len(place)) for it in texts], np.int32)
        missing = len(texts) - 1
        indices = chunk.indices.fill_null(missing) if chunk.indices.null_count else chunk.indices
        codes.append(table[indices.to_numpy()])
    return Coded((*place,), np.concatenate(codes))


def texts_of(values: Sequence[object]) -> tuple[str, ...]:
    """Return the one text of each level."""
    return tuple(text_of(value) for value in values)


def text_of(value: object) -> str:
    """Return the one text of a level, whatever it is stored as; nothing for a missing one."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


# --- the order of levels that dictionaries of pyarrow declare -------------------------------------


Orders = Mapping[str, tuple[str, ...]]
"""Levels from first to last, of each column that declares them."""


def orders_in_arrow(table: pa.Table) -> Orders:
    """Return the orders of dictionaries of pyarrow that are marked as ordered."""
    return {
        name: merge_orders(chunk.dictionary.to_pylist() for chunk in table[name].chunks)
        for name in ordered_columns(table.schema)
    }


def ordered_columns(schema: pa.Schema) -> list[str]:
    """Name the columns that are ordered dictionaries."""
    import pyarrow as pa

    return [it.name for it in schema if pa.types.is_dictionary(it.type) and it.type.ordered]


def merge_orders(orders: Iterable[Sequence[object]]) -> tuple[str, ...]:
    """Return one order of several; none where they contradict each other."""
    out: list[str] = []
    for order in map(texts_of, orders):
        known = [level for level in order if level in out]
        if known != [level for level in out if level in known]:
            return ()
        at = 0
        for level in order:
            if level not in out:
                out.insert(at, level)
            at = out.index(level) + 1
    return tuple(out)


# --- columns that are in memory, or that are read from a file when somebody asks for them ---------


T = TypeVar("T")

HELD = 4
"""So many columns stay in memory once they were read."""


class Unread(Mapping[str, T]):
    """Columns each of which is read when it is asked for; the last few (`held`) stay in memory."""

    def __init__(self, names: Sequence[str], read: Callable[[str], T], held: int = HELD) -> None:
        self._names, self._read = dict.fromkeys(names), lru_cache(held)(read)

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise KeyError(name)
        return self._read(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def merge_columns(columns: Mapping[str, T], more: Mapping[str, T]) -> Mapping[str, T]:
    """Return columns and further ones; where a name is in both, the further one's."""
    if not isinstance(columns, Unread):
        return {**columns, **more}
    names = [*columns, *(name for name in more if name not in columns)]
    return Unread(names, lambda name: more[name] if name in more else columns[name], 1)


def drop_columns(columns: Mapping[str, T], names: Collection[str]) -> Mapping[str, T]:
    """Return columns but for some."""
    kept = [name for name in columns if name not in names]
    if not isinstance(columns, Unread):
        return {name: columns[name] for name in kept}
    return Unread(kept, columns.__getitem__, 1)


def map_columns(columns: Mapping[str, T], change: Callable[[T], T]) -> Mapping[str, T]:
    """Return each column as `change` makes it."""
    if not isinstance(columns, Unread):
        return {name: change(column) for name, column in columns.items()}
    return Unread([*columns], lambda name: change(columns[name]))


# --- protected rows -----------------------------------------------------------------------------


CopiedRows = tuple[Mapping[str, Floats], Mapping[str, tuple[str, ...]]]
"""Columns of numbers and of levels, by name."""
Pieces = Callable[[Sequence[str]], Iterator[CopiedRows]]


@dataclass(frozen=True, repr=False)
class Copy:
    """Protected rows: their columns, the levels of their strata, and the version they are of.

    `whose` holds the column that says which rows are one drawn person's, where there is one.
    `remarks` are sentences on how the rows were prepared, `of_columns` on single columns of a copy
    of the whole table, by name.
    Of a copy that is not in memory `path` is its Parquet file, `pieces` reads some columns of it by
    parts of the rows, and `keep` is what has to be there as long as it is read.
    """

    columns: Mapping[str, Floats]
    strata: Mapping[str, tuple[str, ...]]
    version: str
    left_out: int
    remarks: tuple[str, ...] = ()
    path: Path | None = None
    pieces: Pieces | None = None
    keep: object = None
    whose: Mapping[str, Floats] = field(default_factory=lambda: MappingProxyType({}))
    of_columns: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))

    def __len__(self) -> int:
        held: tuple[Mapping[str, Any], ...] = (self.columns, self.strata)
        return next((len(of[name]) for of in held for name in of), 0)

    def parts(self, names: Sequence[str]) -> Iterator[CopiedRows]:
        """Return some columns by parts of the rows, in their order; of those in memory one part."""
        if self.pieces is not None:
            yield from self.pieces(names)
            return
        numbers = {**self.columns, **self.whose}
        yield (
            {name: numbers[name] for name in names if name in numbers},
            {name: self.strata[name] for name in names if name in self.strata},
        )

    def head(self, rows: int) -> Copy:
        """Return the copy of the first rows, of which one column is read when it is asked for."""

        def of_numbers(columns: Mapping[str, Floats]) -> Mapping[str, Floats]:
            return Unread([*columns], lambda name: columns[name][:rows].copy(), len(columns))

        def of_words(name: str) -> tuple[str, ...]:
            words = self.strata[name]
            return words_at(words, np.arange(min(rows, len(words))))

        return replace(
            self,
            columns=of_numbers(self.columns),
            strata=Unread([*self.strata], of_words, len(self.strata)),
            whose=of_numbers(self.whose),
            path=None,
            pieces=None,
        )

    def first(self, rows: int) -> CopiedRows:
        """Return the first rows of all columns, in one pass; those after are not read.

        Whose they are is among the numbers.
        """
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
