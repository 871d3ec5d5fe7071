"""A table of raw columns: counted, and read, where the data are."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.columns import (
    NO_LEVELS,
    BinAxis,
    Column,
    Counted,
    Levels,
    Rows,
    text_of,
    texts_of,
    words_of,
)
from discreet.columns.column import FIRST, check_names, find_column, orders_in_arrow, way_out
from discreet.columns.dates import Dates, days_of, declare_hint, spans_as_numbers
from discreet.columns.grids import EDGE_TOLERANCE
from discreet.errors import InputError, RefusedError, one_of
from discreet.table.arrow import ends_of_groups, orders_in_schema
from discreet.table.columns import (
    CODES,
    array_of,
    codes_among,
    columns_of,
    drop_missing_codes,
    floats_of,
    levels_of,
    normalize_blanks,
    two_valued,
)
from discreet.table.databases import Opened, is_database, open_database
from discreet.table.engine import Kept, failure, quiet, quietly
from discreet.table.extremes import Extremes, Outer, ends_of, extremes_of, outer_of
from discreet.table.files import STANDARD_INPUT, digest_of, name_of, read_file, stamp_of
from discreet.table.frames import Zones, no_more_of_dask, parts, take_frame, yes_no_as_numbers
from discreet.table.text_dates import find_dates, least_rows, numbers_as_text

T = TypeVar("T")
Floats = NDArray[np.float64]

SPARK = ("pyspark", "pyspark[connect]")
"""What narwhals calls frames whose rows workers of Spark read."""


@dataclass(frozen=True)
class Reading:
    """How batches of pyarrow are read, in whatever process: numbers as such, texts as levels.

    `numbers` says of those that are dates how they are stored.
    """

    numbers: Mapping[str, Dates | None]
    texts: tuple[str, ...]

    def columns(self, batch: Any) -> dict[str, Any]:
        """Return the columns of a batch as `Table.in_parts` gives them."""
        found = {name: _numbers(batch[name], dates) for name, dates in self.numbers.items()}
        return {
            **{name: np.where(np.isfinite(it), it, np.nan) for name, it in found.items()},
            **{name: levels_of(batch[name]) for name in self.texts},
        }


def _numbers(values: Any, dates: Dates | None) -> Floats:
    return floats_of(values) if dates is None else days_of(values, dates)


def number(name: str) -> nw.Expr:
    """Return a column as a 64-bit float, whatever it is stored as."""
    return nw.col(name).cast(nw.Float64)


def _may_follow(values: Floats, few: int = 1) -> bool:
    """Whether some numbers of a column may be among ones that follow one another, each once.

    Differences of those are whole but for what rounding loses of them, which is far less than
    `NEARLY` as long as there are fewer than 10^12 rows. Fewer than `few` may be others.
    """
    found = np.sort(values[np.isfinite(values)].astype(np.float64))
    if not len(found) or len(values) - len(found) >= few:
        return False
    if (found[1:] == found[:-1]).sum() >= few:
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # too far apart to follow one another
        apart = found - found[len(found) // 2]
        return bool((~(np.abs(apart - np.rint(apart)) <= NEARLY)).sum() < few)


def is_known(value: object) -> bool:
    """Whether a level is known: NaN is none."""
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))


NEARLY = 1e-3
MOST_LEVELS = 10_000
"""So many levels of a column are counted once, and kept."""
EXTREMES = 150
"""So many values at either end of a column are asked for at once, or more."""
FEW_EXTREMES = 10
"""So many where files say where they are: asking for more reads more."""
INTERVALS = 1024
"""In so many intervals numbers are counted, to see whether two of them are more than half."""
LEVELS = "categorical"
WIDE = 200
"""A table of more columns is read into memory, if it has at most so many values:"""
MOST_IN_MEMORY = 50_000_000


class Table:
    """Raw columns behind names: prints no value, and refuses to be pickled.

    `name` is what the study is called when nobody says: the file's; None for a frame. `unit` is
    the column that says which person a row belongs to (None where a row is a person), `key` the
    one that tells rows apart (None where a row's values do). `missing_values` are the numbers of a
    column that stand for a missing value. `keep` must stay alive as long as the frame. `path` is
    the file it lies in, and `source` what a command takes to open it again, without a password.
    Rows of fewer people than `few` do not decide of what kind a column is, nor whether it tells
    rows apart: 1 where all rows do, else a number that the secret draws.
    """

    def __init__(
        self,
        frame: nw.LazyFrame[Any],
        columns: Mapping[str, Column],
        *,
        name: str | None = None,
        unit: str | None = None,
        key: str | None = None,
        keep: object = None,
        path: Path | None = None,
        source: str | None = None,
        missing_values: Mapping[str, Sequence[float]] = MappingProxyType({}),
        few: int = 1,
    ) -> None:
        self.columns, self.name, self.unit, self.key = columns, name, unit, key
        self.path, self.source, self.few = path, source, few
        self._frame, self._whole = drop_missing_codes(frame, missing_values), frame
        self._made_by, self._keep, self._missing = frame.implementation, keep, missing_values
        #: A wide table in memory, of which each question takes the columns that it is about.
        self._in_memory: pa.Table | None = None
        self._opened = None if path is None else stamp_of(path)
        self._digest: bytes | None = None
        self._rows: int | None = None
        #: What was asked of the data, by what it is and the column that it is of.
        self._answers: dict[tuple[str, str], Any] = {}

    def __repr__(self) -> str:
        size = "100 rows or more" if self.size >= 100 else "fewer than 100 rows"
        return f"Table({', '.join(self.columns)}; {size})"

    def __reduce__(self) -> NoReturn:
        raise RefusedError("a Table contains raw data and cannot be pickled or copied")

    @property
    def size(self) -> int:
        """How many rows there are: for rules, never for showing."""
        if self._rows is None:
            self._rows = self._length(self._frame)
        return self._rows

    @property
    def labels(self) -> Mapping[str, str]:
        """What the data's file says that columns are: of Stata, SPSS and SAS."""
        return self._keep.labels if isinstance(self._keep, Kept) else {}

    @property
    def framework(self) -> str:
        """Which library's frame the data came in; pandas for a file, and for what is not known."""
        library = str(self._made_by.value)
        known = library in ("polars", "pyarrow", "duckdb") and not isinstance(self._keep, Kept)
        return library if known else "pandas"

    # --- how rows are reached ---------------------------------------------------------------------

    def load_if_wide(self) -> None:
        """Read a table of very many columns, and not too many values, into memory.

        Engines look at all columns for each question, of which there are some a column.
        """
        wide = len(self.columns) > WIDE and len(self.columns) * self.size <= MOST_IN_MEMORY
        if not wide or self.on_spark or self._frame.implementation.is_dask():
            return
        columns = [nw.col(name) for name in self.columns]
        self._use(nw.to_native(self._collect(self._whole.select(*columns))))

    def _use(self, rows: pa.Table) -> None:
        self._in_memory, self._whole = rows, nw.from_native(rows).lazy()
        self._frame = drop_missing_codes(self._whole, self._missing)

    def _of(self, names: Collection[str], *, whole: bool = False) -> nw.LazyFrame[Any]:
        """Return a frame that has some columns; in a `whole` one codes for missing values stay."""
        if self._in_memory is None:
            return self._whole if whole else self._frame
        narrow = nw.from_native(self._in_memory.select([*dict.fromkeys(names)])).lazy()
        missing = {name: self._missing[name] for name in names if name in self._missing}
        return narrow if whole else drop_missing_codes(narrow, missing)

    def _complete(
        self, names: Sequence[str], texts: Sequence[str] = (), also: Collection[str] = ()
    ) -> nw.LazyFrame[Any]:
        """Return the rows with a value in some columns; `also` are others that are looked at."""
        keep = [
            ~nw.col(name).is_null() if self.columns[name].whole else number(name).is_finite()
            for name in names
        ]
        keep += [self._known_value(name) for name in texts]
        if self.unit is not None:
            keep.append(self._known_value(self.unit))
        of = self._of([*names, *texts, *also, *([] if self.unit is None else [self.unit])])
        return of.filter(*keep) if keep else of

    def _known_value(self, name: str) -> nw.Expr:
        """Whether a level, or a person, is known: among numbers NaN is neither, on any engine."""
        column = nw.col(name)
        return column.is_finite() if self.columns[name].floating else ~column.is_null()

    def _finite(self, name: str) -> nw.LazyFrame[Any]:
        """Return the numbers of a column as `value`, those that stand for missing ones too."""
        values = self._of([name], whole=True).select(value=number(name))
        return values.filter(nw.col("value").is_finite())

    def _collect(self, frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
        with quiet(*failure(self._keep), self.unreadable), no_more_of_dask(frame):
            # Named columns only: some engines add their hidden index otherwise.
            names = frame.collect_schema().names()
            return frame.collect("pyarrow").select(names)

    def _length(self, frame: nw.LazyFrame[Any]) -> int:
        return int(self._collect(frame.select(n=nw.len()))["n"][0])

    def _parts(self, rows: nw.LazyFrame[Any], wanted: Sequence[nw.Expr]) -> Iterator[Any]:
        """Read columns of some rows as pyarrow batches."""
        return parts(rows, wanted, self._keep if self._in_memory is None else None)

    def _once(self, what: str, name: str, ask: Callable[[], T]) -> T:
        """Return what is known of a column, or ask the data for it."""
        if (what, name) not in self._answers:
            self._answers[what, name] = ask()
        found: T = self._answers[what, name]
        return found

    def changed(
        self, columns: Mapping[str, Column], missing_values: Mapping[str, Sequence[float]]
    ) -> Table:
        """Return the table with other kinds of columns, and other numbers missing."""
        out = Table(self._whole, columns, missing_values=missing_values, few=self.few)
        out.name, out.unit, out.key, out._keep = self.name, self.unit, self.key, self._keep
        out.path, out.source = self.path, self.source
        out._opened, out._rows, out._made_by = self._opened, self._rows, self._made_by
        if self._in_memory is not None:
            out._use(self._in_memory)
        same = [
            {n: tuple(it) for n, it in of.items() if it} for of in (missing_values, self._missing)
        ]
        if same[0] == same[1]:
            out._answers = {**self._answers}
        return out

    # --- columns ----------------------------------------------------------------------------------

    def known(self, name: str) -> Column:
        """Return what is known of a column, or say which there are."""
        return find_column(self.columns, name)

    def is_number(self, name: str) -> bool:
        """Whether a column is read as numbers, be it drawn as such or as levels."""
        column = self.known(name)
        return column.kind == "continuous" or (column.numeric and not column.yes_no)

    def shown(self, names: Sequence[str], kind: str) -> tuple[str, ...]:
        """Return those of the names that are of a kind, can be read, and identify nobody."""
        return tuple(
            name
            for name in names
            if self.columns[name].kind == kind
            and self.columns[name].role != "identifier"
            and self._identifies_nobody(self.columns[name])
        )

    def _identifies_nobody(self, column: Column) -> bool:
        try:
            return not self._is_unique_text(column)
        except InputError:  # a column that cannot be read does not hold up the others
            return False

    @quietly
    def _is_unique_text(self, column: Column) -> bool:
        if column.kind != LEVELS or column.role != "other":
            return False
        counted = None if self.unit is not None else self._few_levels(column.name)
        if counted is not None:
            counts = [count for level, count in counted.items() if is_known(level)]
            rows, levels = sum(counts), len(counts)
        else:
            known = self._complete([], [column.name])
            if self.unit is not None:  # a name that all rows of a person share is a name
                known = known.select(*{self.unit, column.name}).unique()
            rows, levels = self._different(known, column.name)
        return levels >= self.few > rows - levels

    def require(self, names: Sequence[str], kind: str | None = None) -> None:
        """Refuse names that are unknown, named twice, identifiers, or of another kind."""
        check_names(names)
        for name in names:
            column = self.known(name)
            if column.role == "identifier" or self._is_unique_text(column):
                raise RefusedError(
                    f"column {name!r} identifies people and is never shown;"
                    f" if it does not, declare it: roles={{{name!r}: 'quasi-identifier'}}"
                    + (f"; it {declare_hint(name, column.readings)}" if column.readings else "")
                )
            if kind is not None and column.kind != kind:
                raise InputError(
                    f"column {name!r} {way_out(self._first_texts(name), column, kind)}"
                )

    def _first_texts(self, name: str) -> Iterator[str | None]:
        """Yield the first texts of a column, which are read when the first is asked for."""
        first = self._whole.select(nw.col(name).cast(nw.String)).head(FIRST).collect("pyarrow")
        yield from first[name].to_list()

    def unreadable(self) -> str:
        """Name a column that cannot be read, where reading some failed; nothing where all can."""
        for name in [*self.columns][:WIDE]:
            try:
                self._of([name], whole=True).select(nw.col(name)).collect("pyarrow")
            except Exception:  # whatever the engine calls it
                return name
        return ""

    def can_read(self, name: str) -> bool:
        """Whether all of a column can be read: that of mixed types cannot."""
        if self.on_spark:  # whose columns have a type each
            return True
        try:
            for _ in self.batches([name]):
                pass
        except InputError:
            return False
        return True

    # --- counts -----------------------------------------------------------------------------------

    @quietly
    def count(self, axes: Sequence[BinAxis], levels: Levels = NO_LEVELS) -> Counted:
        """Count the people in each cell of the grid that `axes` span, where the data are.

        `levels` says of categorical columns which place each level has (a missing one is the
        empty text); they are the first dimensions of the grid.
        """
        shape = (
            *(max(places.values()) + 1 for places in levels.values()),
            *(axis.bins for axis in axes),
        )
        wanted = {f"level {i}": nw.col(name) for i, name in enumerate(levels)}
        wanted |= {f"place {i}": self._place(axis) for i, axis in enumerate(axes)}
        named = [axis.column for axis in axes]
        # Leaving rows out takes longer than counting those without a number beside the others.
        beside = self._frame.implementation.is_duckdb() and all(map(self._is_near, axes))
        complete = (
            self._of({*named, *levels})
            if self.unit is None and beside
            else self._complete(named, also=levels)
        )
        if self.unit is None:
            cells = complete.select(**wanted).group_by(*wanted).agg(weight=nw.len())
            out = self._with_numbers(self._collect(cells), named)
        else:
            out = self._collect(complete.select(**wanted, unit=nw.col(self.unit)).unique())
        cell = np.zeros(len(out), dtype=np.int64)
        for i, places in enumerate(levels.values()):
            here = [places[text_of(level)] for level in out[f"level {i}"].to_list()]
            cell = cell * (max(places.values()) + 1) + np.array(here, dtype=np.int64)
        for i, axis in enumerate(axes):
            place = np.clip(array_of(out[f"place {i}"]), 0, axis.bins - 1)
            cell = cell * axis.bins + place.astype(np.int64)
        if self.unit is None:
            weights = array_of(out["weight"]).astype(np.int64)
            return Counted(shape, cell, weights, None, self.size - int(weights.sum()))
        names_of, persons = np.unique(array_of(out["unit"]), return_inverse=True)
        # Several levels may have one place, and a person be at it once.
        pairs = np.unique(np.stack([cell, persons]), axis=1)
        ones = np.ones(pairs.shape[1], dtype=np.int64)
        left_out = self.persons() - len(names_of)
        return Counted(shape, pairs[0], ones, pairs[1].astype(np.intp), left_out)

    def _with_numbers(self, out: nw.DataFrame[Any], named: Sequence[str]) -> nw.DataFrame[Any]:
        """Leave out cells without a number; remember how many rows have one, of each column.

        That is known where all rows were counted, or of a column alone.
        """
        weights = array_of(out["weight"])
        known = [np.isfinite(array_of(out[f"place {i}"])) for i in range(len(named))]
        if len({*named}) == 1 or weights.sum() == self.size:
            for name, here in zip(named, known, strict=True):
                self._answers["numbers", name] = int(weights[here].sum())
        whole = np.all(known, axis=0) if known else np.ones(len(out), dtype=np.bool_)
        return out if whole.all() else out.filter(whole.tolist())

    def _place(self, axis: BinAxis) -> nw.Expr:
        """Return which interval of an axis each value is in; beyond its ends it may be another.

        That is asked where few intervals lie beyond: drawing values in takes longer than counting.
        """
        value = number(axis.column)
        if axis.breaks or axis.bins == 1:
            # No value is beyond infinity: of one bin too a column is left, and no mere literal.
            inner = (*axis.breaks[1:-1], math.inf)
            return nw.sum_horizontal(*((value >= edge).cast(nw.Int32) for edge in inner))
        place = ((value - axis.low) / axis.width + EDGE_TOLERANCE).floor()
        if self._is_near(axis):
            return place
        # min and max of literals instead of clip, which engines write out twice over
        low, high = nw.lit(0.0), nw.lit(float(axis.bins - 1))
        # As whole numbers: PostgreSQL has decimals where such literals stand beside them.
        return nw.min_horizontal(nw.max_horizontal(place, low), high).cast(nw.Int32)

    def _is_near(self, axis: BinAxis) -> bool:
        """Whether each number is in an interval of an axis, or of few more beyond its ends."""
        ends, reach = self._answers.get(("ends", axis.column)), axis.high - axis.low
        if axis.breaks or axis.bins == 1 or ends is None or not len(ends.lows):
            return False
        if not (axis.width > 0 and math.isfinite(4 * reach)):  # a place may be no number then
            return False
        least, most = axis.low - reach, axis.high + reach
        return bool(ends.lows[0] >= least and ends.highs[0] <= most)

    @quietly
    def gaps(self, name: str) -> int:
        """Count the people who have no number in a column."""
        if self.unit is None:
            return self.size - self.known_numbers(name)
        return self.count((BinAxis(name, 0.0, 1.0, 1),)).left_out

    @quietly
    def known_numbers(self, name: str) -> int:
        """Count the rows that have a number in a column, and a person: for rules, not to show."""

        def ask() -> int:
            known = self._extremes(name).size
            return self._length(self._complete([name])) if known is None else known

        return self._once("numbers", name, ask)

    @quietly
    def levels(self, name: str, complete: Sequence[str] = ()) -> dict[str, int]:
        """Count the people of each level of a column; the empty text stands for none.

        Those alone who have a number in all of the columns `complete`.
        """
        counted = None if complete or self.unit is not None else self._few_levels(name)
        if counted is None:
            known = self._complete(complete, also=[name])
            if self.unit is None:
                known = known.select(level=nw.col(name))
            else:
                known = known.select(level=nw.col(name), unit=nw.col(self.unit)).unique()
            counted = self._counted(known.group_by("level").agg(weight=nw.len()))
        out: dict[str, int] = {}
        for level, count in counted.items():  # those that are none, such as NaN, are one
            out[text_of(level)] = out.get(text_of(level), 0) + count
        return out

    def _few_levels(self, name: str) -> dict[Any, int] | None:
        """Count the rows of each value of a column, once; None where there are very many.

        Nor are those counted of a column of mixed types, which has no values that can be read.
        """

        def ask() -> dict[Any, int] | None:
            rows = self._of([name]).select(level=nw.col(name))
            counts = rows.group_by("level").agg(weight=nw.len())
            try:
                found = self._counted(counts.head(MOST_LEVELS + 1))
            except InputError:
                return None
            return found if len(found) <= MOST_LEVELS else None

        return self._once("levels", name, ask)

    def _counted(self, counts: nw.LazyFrame[Any]) -> dict[Any, int]:
        """Return the `weight` of each `level`."""
        out = self._collect(counts)
        return dict(zip(out["level"].to_list(), map(int, out["weight"].to_list()), strict=True))

    def persons(self) -> int:
        """Count the people that have a row."""
        return self.size if self.unit is None else self.repeats(self.unit)[1]

    def persons_repeat(self) -> bool:
        """Whether some person has several rows."""
        known, different = (0, 0) if self.unit is None else self.repeats(self.unit)
        return known != different

    @quietly
    def repeats(self, name: str) -> tuple[int, int]:
        """Return how many values of a column are known, and how many of them are different."""
        return self._different(self._of([name]).filter(self._known_value(name)), name)

    def _different(self, known: nw.LazyFrame[Any], name: str) -> tuple[int, int]:
        """Count rows and different values of a column; `n_unique` is not had from every engine."""
        counts = known.select(level=nw.col(name)).group_by("level").agg(weight=nw.len())
        out = self._collect(counts.select(n=nw.col("weight").sum(), different=nw.len()))
        return int(out["n"][0] or 0), int(out["different"][0])

    # --- numbers ----------------------------------------------------------------------------------

    @quietly
    def extremes(self, name: str, k: int, but_for: Sequence[float] = ()) -> tuple[Floats, Floats]:
        """Return the `k` smallest and the `k` largest values of a column, one a person."""
        if but_for:
            lows, highs = self._extremes_by_sorting(name, k, but_for)
        elif self.unit is None:
            found = self._extremes(name, k)
            lows, highs = found.lows[:k], found.highs[:k]
        else:
            lows, highs = (end[:k] for end in self._extremes_of_persons(name, k))
        if len(lows) == 0:
            raise RefusedError(f"column {name!r} has no finite value, so there is nothing to show")
        return lows.astype(np.float64), highs.astype(np.float64)

    def _extremes(self, name: str, k: int = 1) -> Extremes:
        """Return `k` values or more at either end of a column, asked for once."""
        found: Extremes | None = self._answers.get(("ends", name))
        if found is None or not found.holds(k):
            values = self._complete([name]).select(value=number(name))
            outer = self._outer(name, max(k, FEW_EXTREMES))
            found = extremes_of(values, self._collect, max(k, EXTREMES), outer)
            self._answers["ends", name] = found
        return found

    def _outer(self, name: str, k: int) -> Outer | None:
        """Return where `k` values at either end of a column are, if the table's files say it."""
        if not isinstance(self._keep, Kept) or self._missing.get(name):
            return None
        if self._in_memory is not None:
            return None
        groups = ends_of_groups(self._keep.files, name)
        return outer_of(self._complete([name]), name, k, groups)

    def _extremes_of_persons(self, name: str, k: int) -> tuple[Floats, Floats]:
        """Return `k` values or more at either end of a column, one a person, asked for once."""
        found = self._answers.get(("ends of persons", name))
        if found is None or EXTREMES <= len(found[0]) < k:  # fewer are all
            found = self._extremes_by_sorting(name, max(k, EXTREMES), ())
            self._answers["ends of persons", name] = found
        return found[0], found[1]

    def _extremes_by_sorting(
        self, name: str, k: int, but_for: Sequence[float]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return values as `extremes` does: some left out, or one a person."""
        finite = self._complete([name])
        if but_for:
            finite = finite.filter(~number(name).is_in(but_for))
        low = high = finite.select(value=number(name))
        if self.unit is not None:
            grouped = finite.select(number(name).alias("value"), nw.col(self.unit).alias("unit"))
            low = grouped.group_by("unit").agg(nw.col("value").min()).select("value")
            high = grouped.group_by("unit").agg(nw.col("value").max()).select("value")
        lows = array_of(self._collect(low.sort("value").head(k))["value"])
        highs = array_of(self._collect(high.sort("value", descending=True).head(k))["value"])
        return lows, highs

    @quietly
    def codes(self, name: str, k: int) -> tuple[float, ...]:
        """Return numbers of a column that k people share and that may stand for missing values.

        None where the column holds no numbers, or what stands for missing ones is declared. See
        `codes_among`.
        """
        column = self.columns[name]
        if name in self._missing or not column.numeric or column.yes_no:
            return ()
        return self._once(f"codes of {k}", name, lambda: self._codes(name, max(k, 2)))

    def _codes(self, name: str, least: int) -> tuple[float, ...]:
        # Beyond one that stands for a missing value lie fewer than `least` others, and codes: so a
        # code is among the `least` outermost.
        if self.unit is None:
            ends = self._extremes(name, least)
            if not np.isin([*ends.lows[:least], *ends.highs[:least]], CODES).any():
                return ()
        who = {} if self.unit is None else {"unit": nw.col(self.unit)}
        coded = self._complete([name]).filter(number(name).is_in(CODES))
        coded = coded.select(level=number(name), **who)
        coded = coded.unique() if who else coded
        counts = self._counted(coded.group_by("level").agg(weight=nw.len()))
        if max(counts.values(), default=0) >= least:
            with suppress(RefusedError):  # there is nothing but codes
                lows, highs = self.extremes(name, least, but_for=CODES)
                if len(lows) == least:
                    return codes_among(counts, float(lows[-1]), float(highs[-1]), least)
        return ()

    @quietly
    def is_whole(self, name: str, but_for: int = 1) -> bool:
        """Whether the finite values of a column are whole numbers, but for fewer than some."""
        if self.columns[name].whole:
            return True
        ends = self._answers.get(("ends", name)) if self.unit is None else None
        if ends is not None and ends.broken >= but_for:
            return False
        value = number(name)
        broken = self._complete([name]).filter(value != value.floor())
        return self._once("broken", name, lambda: self._length(broken)) < but_for

    @quietly
    def numbering(self, names: Sequence[str]) -> frozenset[str]:
        """Return which columns hold whole numbers that follow one another, each once.

        But for `few` rows: so many less one may have none, or one that does not. The first rows of
        all columns are asked for at once.
        """
        unknown = [it for it in names if self.is_number(it) and ("rows", it) not in self._answers]
        if unknown:
            wanted = [number(name).alias(name) for name in unknown]
            first = self._collect(self._of(unknown, whole=True).select(*wanted).head(FIRST))
            for name in unknown:
                may = _may_follow(array_of(first[name]), self.few)
                self._answers["rows", name] = may and self._numbered(name)
        return frozenset(name for name in names if self._answers.get(("rows", name)))

    def _numbered(self, name: str) -> bool:
        values = self._finite(name)
        size, low, high = ends_of(values, self._collect)
        if size < 2 * self.few or self.size - size >= self.few:
            return False
        if self.few > 1:
            found = [values.sort("value", descending=it).head(self.few) for it in (False, True)]
            low, high = (float(array_of(self._collect(it)["value"])[-1]) for it in found)
        # Of most columns the ends tell; different values are counted of the others alone.
        if abs(high - low - (size - 1 - 2 * (self.few - 1))) >= self.few:
            return False
        place = nw.col("value") - low
        broken = self._length(values.filter(place != place.floor()))
        return broken < self.few and self._repeated(name) < self.few

    @quietly
    def all_different(self, name: str) -> bool:
        """Whether a column of numbers holds several, none of them twice."""
        return self._repeated(name) == 0

    def _repeated(self, name: str) -> float:
        """Return how many numbers of a column another row has, too; infinity where it has one."""
        value = nw.col("value")
        value = nw.when(value == 0).then(nw.lit(0.0)).otherwise(value)  # -0.0 is no other number
        rows, different = self._different(self._finite(name).select(value=value), "value")
        return rows - different if rows > 1 else math.inf

    # --- rows -------------------------------------------------------------------------------------

    @quietly
    def rows(
        self,
        names: Sequence[str],
        texts: Sequence[str] = (),
        levels: Sequence[str] = (),
        gaps: Sequence[str] = (),
    ) -> Rows:
        """Return the complete cases of `names` (as numbers) and `texts` (as text).

        `levels` are read as text too, and may be missing: the empty text. `gaps` are numbers that
        may be missing: NaN; of dates they are days.
        """
        dated = [name for name in gaps if self.columns[name].dates is not None]
        wanted = [number(name).alias(name) for name in (*names, *gaps) if name not in dated]
        wanted += [nw.col(name) for name in (*texts, *levels, *dated)]
        # A name longer than those of the columns is none of them.
        whose = "_" * (1 + max(map(len, (*names, *gaps, *texts, *levels)), default=0))
        if self.unit is not None:
            wanted.append(nw.col(self.unit).alias(whose))
        frame = self._collect(self._complete(names, texts, (*gaps, *levels)).select(*wanted))
        if len(frame) == 0:
            raise RefusedError(
                f"no row has values in all of {one_of([*names, *texts])}; leave a column out"
            )
        numbers = {name: array_of(frame[name]).astype(np.float64) for name in names}
        for name in gaps:  # one sign, NaN, for all that are missing or infinite
            dates = self.columns[name].dates
            found = (
                array_of(frame[name]) if dates is None else days_of(frame[name].to_native(), dates)
            )
            numbers[name] = np.array(found, dtype=np.float64)
            numbers[name][~np.isfinite(numbers[name])] = np.nan
        words = {name: words_of(frame[name].to_native()) for name in (*texts, *levels)}
        left_out = self.size - len(frame)
        if self.unit is not None:
            known, persons = np.unique(array_of(frame[whose]), return_inverse=True)
            if len(known) < len(frame):
                return Rows(numbers, words, left_out, persons, texts_of(known.tolist()))
        return Rows(numbers, words, left_out)

    def batches(self, names: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Read whole columns by parts, with no more than a few parts in memory at once.

        Numbers are numbers whether they are drawn as such or as levels, NaN where one is missing,
        and codes for missing values are among them: the register is to know the data whatever is
        declared. Text comes as pyarrow DictionaryArrays, the empty text for a missing one.
        Of a lazy frame that is no file all columns are in memory.
        """
        for batch, _ in self.both_ways(names, (), ()):
            yield batch

    def both_ways(
        self, names: Sequence[str], numbers: Sequence[str], texts: Sequence[str]
    ) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Read every row once: what `batches` gives of `names`, and `in_parts` of the others.

        These are some of `names`; only where `alike` says that both read the same rows. A number
        that is not finite may be an infinite one in both.
        """
        if not names:
            return
        counted = {name for name in names if self.is_number(name)}
        wanted = [number(name).alias(name) if name in counted else nw.col(name) for name in names]
        # Levels that are numbers are read as both. No column has a name as long as these.
        longest = "_" * max(map(len, names))
        also = {name: f"{longest}{i}" for i, name in enumerate(texts) if name in counted}
        wanted += [nw.col(name).alias(second) for name, second in also.items()]
        seen = 0
        # What is made of a part is watched, too: pyarrow's errors may quote cells.
        with quiet(*failure(self._keep), self.unreadable):
            for batch in self._parts(self._of(names, whole=True), wanted):
                seen += batch.num_rows
                found = {}
                for name in names:
                    dates, cells = self.columns[name].dates, batch[name]
                    is_level = name not in counted and dates is None
                    found[name] = levels_of(cells) if is_level else _numbers(cells, dates)
                in_part = found | {name: levels_of(batch[second]) for name, second in also.items()}
                yield found, {name: in_part[name] for name in (*numbers, *texts)}
        if seen != self.size:
            raise InputError("the data changed while they were being read; open them again")

    @property
    def alike(self) -> bool:
        """Whether `batches` and `in_parts` read the same rows, and miss the same values."""
        return self._whole is self._frame and self.unit is None and self.key is None

    def in_parts(
        self, numbers: Sequence[str], texts: Sequence[str], known: Sequence[str] = ()
    ) -> Iterator[dict[str, Any]]:
        """Read the rows that `rows` reads by parts: for tables that memory does not hold.

        Numbers are NaN where one is missing, and of dates they are days; texts come as pyarrow
        DictionaryArrays, with the empty text for a missing one. Rows that have nothing in one of
        the columns `known` are left out.
        """
        rows, wanted, reading = self._unread(numbers, texts, known)
        with quiet(*failure(self._keep), self.unreadable):
            for batch in self._parts(rows, wanted):
                yield reading.columns(batch)

    @quietly
    def first_rows(self, numbers: Sequence[str], texts: Sequence[str], most: int) -> dict[str, Any]:
        """Return so many rows at most, whichever the engine gives first, as `in_parts` does."""
        rows, wanted, reading = self._unread(numbers, texts, ())
        found = self._collect(rows.select(*wanted).head(most)).to_native()
        return reading.columns(found.combine_chunks().to_batches()[0])

    @property
    def on_spark(self) -> bool:
        """Whether workers of Spark read the rows."""
        return self._frame.implementation.value in SPARK

    def where_it_lies(
        self, numbers: Sequence[str], texts: Sequence[str], known: Sequence[str] = ()
    ) -> tuple[Any, Reading]:
        """Return what `in_parts` reads as a frame of its library, and how batches of it are read.

        For workers of Spark, which read the rows where they are.
        """
        rows, wanted, reading = self._unread(numbers, texts, known)
        return nw.to_native(rows.select(*wanted)), reading

    def _unread(
        self, numbers: Sequence[str], texts: Sequence[str], known: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], list[nw.Expr], Reading]:
        """Return rows, which columns are wanted of them, and how these are read."""
        known_numbers = [name for name in known if name in numbers]
        known_texts = [name for name in known if name not in numbers]
        rows = self._complete(known_numbers, known_texts, (*numbers, *texts))
        dates = {name: self.columns[name].dates for name in numbers}
        wanted = [
            number(name).alias(name) if dates[name] is None else nw.col(name) for name in numbers
        ]
        wanted += [nw.col(name) for name in texts]
        return rows, wanted, Reading(dates, tuple(texts))

    # --- which data these are ---------------------------------------------------------------------

    def source_digest(self) -> bytes | None:
        """Return a digest of the file that the table was read from; None of a frame."""
        if self.path is None:
            return None
        try:
            found = digest_of(self.path)
        except OSError:
            raise InputError("the file of the study cannot be read; is it still there?") from None
        if stamp_of(self.path) == self._opened:
            self._digest = found
        return found

    def source_changed(self) -> bool:
        """Whether the file has been written since the table was opened.

        One that was moved away and back, or given other rights, is read again, if it is known what
        it held: it may be the same to the last byte.
        """
        if self.path is None:
            return False
        now, then = stamp_of(self.path), self._opened
        if now == then:
            return False
        if now is None or then is None or now.files != then.files or self._digest is None:
            return True
        if self.source_digest() != self._digest or stamp_of(self.path) != now:
            return True
        self._opened = now
        return False


def _open_source(source: object, private: Path | None) -> tuple[Opened, Mapping[str, str]]:
    if isinstance(source, str | Path) and is_database(source):
        return open_database(source), {}
    if not isinstance(source, str | Path):
        frame, keep = take_frame(source)
        return Opened(frame, keep, None, None, None), keep.zones if isinstance(keep, Zones) else {}
    path = Path(source)
    if isinstance(source, str) and str(path) == STANDARD_INPUT != source:
        path = path.absolute()  # ./- is a file
    frame, kept = read_file(path, private)
    if str(path) == STANDARD_INPUT:  # which comes once, and has no name
        return Opened(frame, kept, None, None, None), kept.zones
    return Opened(frame, kept, name_of(path), path, str(path)), kept.zones


def open_table(
    source: object,
    *,
    kinds: Mapping[str, str],
    roles: Mapping[str, str],
    unit: str | bool | None,
    key: str | None,
    missing_values: Mapping[str, Sequence[float]] = MappingProxyType({}),
    ordered: Mapping[str, Sequence[str]] = MappingProxyType({}),
    private: Path | None = None,
    dates: Mapping[str, str] = MappingProxyType({}),
    levels: Collection[str] = (),
    least: Callable[[str], int] | None = least_rows,
) -> Table:
    """Make a Table of a file, of the URL of a database's table, or of a frame.

    docs/sources.md says which there are. `kinds` and `roles` override what is inferred: numbers are
    continuous, texts and yes/no categorical; every role is "other" but that of `unit` and `key`,
    which identify. For these and `missing_values` see `Table`; a `unit` of False is None that was
    said, and people whose names differ in blanks alone are one. `ordered` are the levels of
    columns from first to last, in place of an order that the data declare. `private` is a folder
    where a private file of text may be kept. `dates` are the forms of columns of text that hold
    dates; others are dates where they say so themselves (see `written`), but for those whose kind
    is declared and for `levels`. `least` says how many rows of a column must fit one order of day
    and month alone; where None, no text is a date by itself.
    """
    found, zones = _open_source(source, private)
    frame, keep = found.frame, found.keep
    with quiet(*failure(keep)):
        frame = numbers_as_text(spans_as_numbers(frame), dates)
        schema = dict(drop_missing_codes(frame, missing_values).collect_schema())
    whose = unit if isinstance(unit, str) else None
    if whose in schema:
        frame = normalize_blanks(frame, whose, schema[whose])
        schema = dict(drop_missing_codes(frame, missing_values).collect_schema())
    identifying = [column for column in (whose, key) if column is not None]
    of_file = keep.orders if isinstance(keep, Kept) else {}
    of_table = orders_in_arrow(source) if nw.dependencies.is_pyarrow_table(source) else {}
    orders = {**of_file, **of_table, **orders_in_schema(schema), **ordered}
    columns = columns_of(schema, kinds, roles, identifying, zones, orders)
    with quiet(*failure(keep)):
        said_levels = {*kinds, *levels, *identifying}
        if least is None:
            said_levels = {*columns}
        columns = find_dates(frame, keep, columns, dates, said_levels, whose, least or least_rows)
    table = Table(
        yes_no_as_numbers(frame, columns),
        columns,
        name=found.name,
        unit=whose,
        key=key,
        keep=keep,
        path=found.path,
        source=found.url,
        missing_values=missing_values,
    )
    if table.size == 0:
        raise InputError("the table has no rows; check the file or the filter before it")
    table.load_if_wide()
    return table


def levels_of_two_values(table: Table, declared: Collection[str], few: int = 1) -> Table:
    """Return a table in which numbers of two different values are levels.

    Columns whose kind is `declared`, and those that identify, stay as they are. As numbers they
    would be drawn between the two values, where a protected row tells which of them it was. Of
    this, and of what else its columns are, rows of fewer than `few` people do not decide.
    """
    if table.size <= 2:  # two rows differ in every column
        return table
    keep = {*declared, table.unit, table.key}
    numbers = [it for it in table.columns.values() if it.numeric and it.kind == "continuous"]
    names = [it.name for it in numbers if it.name not in keep]
    with quiet(*failure(table._keep)):
        found = two_valued(table._frame, names, few, table.unit)
    levels = {name: replace(table.columns[name], kind="categorical") for name in found}
    out = table.changed({**table.columns, **levels}, table._missing)
    out.few = few
    return out
