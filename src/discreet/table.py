"""Any frame or file becomes a Table: the only place that knows what the data lie in.

Inside there is one kind of frame (narwhals, lazily; DuckDB for files). Columns are read on
demand and by name, counts are made where the data are, and the only values that count are finite
ones: engines disagree about NaN, null and infinity, `is_finite` means the same on all of them.
"""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.errors import DiscreetError, InputError, RefusedError, one_of

__all__ = ["KINDS", "ROLES", "BinAxis", "Column", "Counted", "Rows", "Table", "open_table"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

KINDS = ("continuous", "categorical")
ROLES = ("identifier", "quasi-identifier", "sensitive", "other")
READERS = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet"}
MISSING_WORDS = ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"]
# A value this share of a bin's width below an edge counts as on it: 0.3 in bins of 0.1 is
# stored as a hair less than three widths.
EDGE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Column:
    """What is known of a column before its values are looked at."""

    name: str
    kind: str
    role: str = "other"


@dataclass(frozen=True)
class BinAxis:
    """`bins` intervals of one column from `low` to `high`, all of one width.

    Each holds its left edge and not its right one; the two end bins are open and take what lies
    beyond them.
    """

    column: str
    low: float
    high: float
    bins: int

    @property
    def width(self) -> float:
        """How wide each interval is."""
        return (self.high - self.low) / self.bins

    @property
    def edges(self) -> Floats:
        """The `bins + 1` ends of the intervals, from left to right."""
        return np.linspace(self.low, self.high, self.bins + 1)


@dataclass(frozen=True)
class Counted:
    """For each cell of a grid, which persons are in it: pairs, or plain counts of records."""

    shape: tuple[int, ...]
    cells: Whole
    weights: Whole
    persons: NDArray[np.intp] | None
    left_out: int

    @property
    def counts(self) -> Whole:
        """How many persons are in each cell."""
        counts = np.bincount(self.cells, weights=self.weights, minlength=int(np.prod(self.shape)))
        return counts.astype(np.int64).reshape(self.shape)

    @property
    def people(self) -> int:
        """How many persons are in the whole grid, each counted once."""
        if self.persons is None:
            return int(self.weights.sum())
        return len(np.unique(self.persons))

    def joined(self, groups: NDArray[np.intp]) -> Whole:
        """Count again with bin i of a one-dimensional grid joined into bin `groups[i]`."""
        cells, size = groups[self.cells], int(groups.max()) + 1
        if self.persons is None:
            return np.bincount(cells, weights=self.weights, minlength=size).astype(np.int64)
        pairs = np.unique(np.stack([cells, self.persons]), axis=1)
        return np.bincount(pairs[0], minlength=size).astype(np.int64)


@dataclass(frozen=True)
class Rows:
    """The complete cases of some columns: numbers, texts, keys; and how many rows were left."""

    numbers: Mapping[str, Floats]
    texts: Mapping[str, tuple[str, ...]]
    left_out: int

    def __repr__(self) -> str:
        return f"Rows({', '.join([*self.numbers, *self.texts])})"

    def __len__(self) -> int:
        columns = [*self.numbers.values(), *self.texts.values()]
        return len(columns[0])


class Table:
    """Raw columns behind names: prints no value, and refuses to be pickled.

    Parameters
    ----------
    frame : narwhals.LazyFrame
        The data, wherever they lie.
    columns : mapping of str to Column
        Kind and role of each column.
    name : str or None
        What the study is called when nobody says: the file's name; None for a frame.
    unit : str or None
        The column that says which person a row belongs to; None where a row is a person.
    key : str or None
        The column that tells rows apart; None where a row's values do.
    keep : object
        What must stay alive as long as the frame (a connection, a folder for spilled data).
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
    ) -> None:
        self._frame, self._keep = frame, keep
        self.columns, self.name, self.unit, self.key = columns, name, unit, key
        self._rows: int | None = None
        self._whole: dict[str, bool] = {}

    def __repr__(self) -> str:
        size = "100 rows or more" if self.size >= 100 else "fewer than 100 rows"
        return f"Table({', '.join(self.columns)}; {size})"

    def __reduce__(self) -> NoReturn:
        raise RefusedError("a Table holds raw data and cannot be pickled or copied")

    @property
    def size(self) -> int:
        """How many rows there are: for rules, never for showing."""
        if self._rows is None:
            self._rows = int(self._collect(self._frame.select(n=nw.len()))["n"][0])
        return self._rows

    def require(self, names: Sequence[str], kind: str | None = None) -> None:
        """Refuse names that are unknown, named twice, identifiers, or of another kind."""
        if len(set(names)) != len(names):
            raise InputError("a column is named twice; name each column once")
        for name in names:
            column = self._known(name)
            if column.role == "identifier" or self._is_unique_text(column):
                raise RefusedError(
                    f"column {name!r} identifies persons and is never shown;"
                    " if it does not, declare it: roles={" + repr(name) + ": 'other'}"
                )
            if kind is not None and column.kind != kind:
                raise InputError(
                    f"column {name!r} is {column.kind}; {_needed(kind)}"
                    f" or declare it: kinds={{{name!r}: {kind!r}}}"
                )

    def count(self, axes: Sequence[BinAxis]) -> Counted:
        """Count the persons in each cell of the grid that `axes` span, where the data are."""
        shape = tuple(axis.bins for axis in axes)
        names = [axis.column for axis in axes]
        cells = nw.lit(0, nw.Int32)
        for axis in axes:
            cells = cells * axis.bins + _bin(axis)
        complete = self._complete(names)
        if self.unit is None:
            out = self._collect(
                complete.select(cell=cells).group_by("cell").agg(weight=nw.len()),
            )
            weights = out["weight"].to_numpy().astype(np.int64)
            persons, used = None, int(weights.sum())
        else:
            pairs = complete.select(cells.alias("cell"), nw.col(self.unit).alias("unit")).unique()
            out = self._collect(pairs)
            weights = np.ones(len(out), dtype=np.int64)
            persons = np.unique(out["unit"].to_numpy(), return_inverse=True)[1]
            used = int(self._collect(complete.select(n=nw.len()))["n"][0])
        cell = out["cell"].to_numpy().astype(np.int64)
        return Counted(shape, cell, weights, persons, self.size - used)

    def extremes(self, name: str, k: int) -> tuple[Floats, Floats]:
        """Return the `k` smallest and the `k` largest values of a column, one a person."""
        finite = self._complete([name])
        low = high = finite.select(value=_number(name))
        if self.unit is not None:
            grouped = finite.select(_number(name).alias("value"), nw.col(self.unit).alias("unit"))
            low = grouped.group_by("unit").agg(nw.col("value").min()).select("value")
            high = grouped.group_by("unit").agg(nw.col("value").max()).select("value")
        lows = self._collect(low.sort("value").head(k))["value"].to_numpy()
        highs = self._collect(high.sort("value", descending=True).head(k))["value"].to_numpy()
        if len(lows) == 0:
            raise RefusedError(f"column {name!r} has no finite value, so there is nothing to show")
        return lows.astype(np.float64), highs.astype(np.float64)

    def is_whole(self, name: str) -> bool:
        """Whether every finite value of a column is a whole number."""
        if name not in self._whole:
            value = _number(name)
            broken = self._complete([name]).filter(value != value.floor())
            self._whole[name] = int(self._collect(broken.select(n=nw.len()))["n"][0]) == 0
        return self._whole[name]

    def rows(self, names: Sequence[str], texts: Sequence[str] = ()) -> Rows:
        """Return the complete cases of `names` (as numbers) and `texts` (as text)."""
        wanted = [_number(name).alias(name) for name in names] + [nw.col(name) for name in texts]
        frame = self._collect(self._complete(names, texts).select(*wanted))
        if len(frame) == 0:
            raise RefusedError(
                f"no row has values in all of {one_of([*names, *texts])}; leave a column out"
            )
        numbers = {name: frame[name].to_numpy().astype(np.float64) for name in names}
        words = {name: _texts(frame[name].to_list()) for name in texts}
        return Rows(numbers, words, self.size - len(frame))

    def column(self, name: str) -> Floats | tuple[str, ...]:
        """Return a whole column, missing values too (as NaN or as the empty text)."""
        if self._known(name).kind == "continuous":
            return self._collect(self._frame.select(value=_number(name)))["value"].to_numpy()
        return _texts(self._collect(self._frame.select(nw.col(name)))[name].to_list())

    def persons_repeat(self) -> bool:
        """Whether some person has several rows."""
        if self.unit is None:
            return False
        unit = nw.col(self.unit)
        known = self._frame.filter(~unit.is_null())
        out = self._collect(known.select(n=nw.len(), persons=unit.n_unique()))
        return bool(out["n"][0] != out["persons"][0])

    def _known(self, name: str) -> Column:
        if name in self.columns:
            return self.columns[name]
        close = difflib.get_close_matches(name, self.columns, n=3)
        hint = f"did you mean {one_of(close)}?" if close else f"there are {one_of(self.columns)}"
        raise InputError(f"there is no column {name!r}; {hint}")

    def _is_unique_text(self, column: Column) -> bool:
        if column.kind != "categorical" or column.role != "other":
            return False
        known = self._frame.filter(~nw.col(column.name).is_null())
        out = self._collect(known.select(n=nw.len(), levels=nw.col(column.name).n_unique()))
        return bool(out["n"][0] > 0 and out["n"][0] == out["levels"][0])

    def _complete(self, names: Sequence[str], texts: Sequence[str] = ()) -> nw.LazyFrame[Any]:
        keep = [_number(name).is_finite() for name in names]
        keep += [~nw.col(name).is_null() for name in texts]
        if self.unit is not None:
            keep.append(~nw.col(self.unit).is_null())
        return self._frame.filter(*keep)

    def _collect(self, frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
        with _quiet("the data could not be read"):
            # Named columns only: some engines add their hidden index otherwise.
            names = frame.collect_schema().names()
            return frame.collect("pyarrow").select(names)


def open_table(
    source: object,
    *,
    kinds: Mapping[str, str],
    roles: Mapping[str, str],
    unit: str | None,
    key: str | None,
) -> Table:
    """Make a Table of a path to a CSV or Parquet file, or of a frame that narwhals knows.

    Parameters
    ----------
    source : str, path, or frame
        A `.csv`, `.tsv` or `.parquet` file, or a pandas, polars or pyarrow frame, a polars
        LazyFrame, or a DuckDB relation.
    kinds, roles : mapping of str to str
        What to override of what is inferred: numbers are continuous, texts and yes/no
        categorical; every role is "other" but that of `unit` and `key`, which identify.
    unit, key : str or None
        See `Table`.

    Returns
    -------
    Table
    """
    keep: object = None
    name = None
    if isinstance(source, str | Path):
        path = Path(source)
        frame, keep = _read_file(path)
        name = path.name
    else:
        frame = _lazy(source)
    with _quiet("the columns could not be read"):
        schema = dict(frame.collect_schema())
    _check_declared(schema, kinds, KINDS, "kinds")
    _check_declared(schema, roles, ROLES, "roles")
    identifying = {column for column in (unit, key) if column is not None}
    _check_declared(schema, dict.fromkeys(identifying, "identifier"), ROLES, "unit or key")
    columns = {}
    for column, dtype in schema.items():
        role = roles.get(column, "identifier" if column in identifying else "other")
        kind = kinds.get(column, _kind(dtype))
        if kind == "continuous" and not (dtype.is_numeric() or dtype == nw.Boolean):
            raise InputError(
                f"column {column!r} holds text where numbers are needed; mend the column,"
                " or declare it 'categorical'"
            )
        columns[column] = Column(column, kind, role)
    table = Table(frame, columns, name=name, unit=unit, key=key, keep=keep)
    if table.size == 0:
        raise InputError("the table has no rows; check the file or the filter before it")
    return table


def _read_file(path: Path) -> tuple[nw.LazyFrame[Any], object]:
    import duckdb

    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"file {path.name!r} must end in one of {one_of(READERS)}")
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}")
    with path.open("rb") as file:
        start = file.read(1 << 16)
    if not start.strip() or (reader == "csv" and b"\0" in start):
        raise InputError(f"file {path.name!r} is empty or no {reader.upper()} file")
    # Data that do not fit into memory must not be spilled into the user's folder.
    spill = tempfile.TemporaryDirectory(prefix="discreet-", ignore_cleanup_errors=True)
    options: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": spill.name,
    }
    with _quiet(f"file {path.name!r} could not be read as {reader.upper()}"):
        connection = duckdb.connect(config=options)
        connection.execute("SET enable_progress_bar = false")
        if reader == "parquet":
            relation = connection.read_parquet(str(path))
        else:
            # The whole file decides on types: with a sample a later row would fail, or differ.
            relation = connection.read_csv(
                str(path), header=True, sample_size=-1, na_values=MISSING_WORDS
            )
    return _lazy(relation), (spill, connection)


def _lazy(source: object) -> nw.LazyFrame[Any]:
    try:
        frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(source)  # type: ignore[call-overload]
        names = frame.collect_schema().names()
    except Exception:
        raise InputError(
            "source must be a path to a CSV or Parquet file, or a pandas, polars, pyarrow or"
            " DuckDB table whose columns have different names"
        ) from None
    if any(not isinstance(name, str) or not name for name in names):
        raise InputError("every column of the table must have a name that is text")
    return frame.lazy()


def _check_declared(
    schema: Mapping[str, object], given: Mapping[str, str], allowed: Sequence[str], what: str
) -> None:
    for column, word in given.items():
        if column not in schema:
            raise InputError(f"{what} names column {column!r}; there are {one_of(schema)}")
        if word not in allowed:
            raise InputError(f"{what} of column {column!r} must be one of {one_of(allowed)}")


def _kind(dtype: nw.dtypes.DType) -> str:
    if dtype.is_numeric():
        return "continuous"
    if dtype in (nw.String, nw.Categorical, nw.Boolean, nw.Enum, nw.Object, nw.Unknown):
        return "categorical"
    return f"of a type that is not drawn ({type(dtype).__name__})"


def _needed(kind: str) -> str:
    return "numbers are needed here;" if kind == "continuous" else "levels are needed here;"


def _number(name: str) -> nw.Expr:
    return nw.col(name).cast(nw.Float64)


def _bin(axis: BinAxis) -> nw.Expr:
    place = ((_number(axis.column) - axis.low) / axis.width + EDGE_TOLERANCE).floor()
    # min and max of literals instead of clip, which engines write out twice over
    low, high = nw.lit(0.0), nw.lit(float(axis.bins - 1))
    return nw.min_horizontal(nw.max_horizontal(place, low), high).cast(nw.Int32)


def _texts(values: Sequence[object]) -> tuple[str, ...]:
    words: dict[object, str] = {None: ""}
    for value in set(values) - {None}:
        whole = isinstance(value, float) and value.is_integer()
        words[value] = str(int(value)) if whole else str(value)  # type: ignore[call-overload]
    return tuple(words[value] for value in values)


@contextmanager
def _quiet(what: str) -> Iterator[None]:
    """Turn an engine's error, which may quote cells, into one of ours that does not."""
    try:
        yield
    except DiscreetError:
        raise
    except Exception as error:
        raise InputError(
            f"{what} ({type(error).__name__}); check that it is complete, and that every column"
            " holds one type"
        ) from None
