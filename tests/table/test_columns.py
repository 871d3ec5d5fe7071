"""Kind and role of a column, inferred and declared."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.columns import Column
from discreet.columns.column import FIRST, numbers_in_texts
from discreet.columns.dates import storage_of
from discreet.errors import InputError
from discreet.table import Table, levels_of_two_values, open_table
from discreet.table import columns as looked_at
from discreet.table.columns import (
    CODES,
    array_of,
    codes_among,
    columns_of,
    drop_missing_codes,
    two_valued,
)

SCHEMA = {"person": nw.Int64(), "age": nw.Float64(), "sex": nw.String(), "smokes": nw.Boolean()}


def columns(
    schema: Mapping[str, nw.dtypes.DType] = SCHEMA,
    kinds: Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    identifying: Sequence[str] = (),
) -> dict[str, Column]:
    return columns_of(schema, kinds or {}, roles or {}, identifying)


WHOLE = (nw.Int64(), nw.UInt8())
INFERRED: dict[str, tuple[nw.dtypes.DType, str, bool, bool]] = {
    "whole numbers": (nw.Int64(), "continuous", True, False),
    "numbers": (nw.Float64(), "continuous", True, True),
    "decimal numbers": (nw.Decimal(), "continuous", True, False),
    "yes or no": (nw.Boolean(), "categorical", True, False),
    "text": (nw.String(), "categorical", False, False),
    "levels": (nw.Categorical(), "categorical", False, False),
    "Python objects": (nw.Object(), "of a type that cannot be drawn (Object)", False, False),
    "what is not known": (nw.Unknown(), "of a type that cannot be drawn (Unknown)", False, False),
    "dates": (nw.Date(), "date", False, False),
    "moments": (nw.Datetime(), "date", False, False),
}


@pytest.mark.parametrize(
    ("dtype", "kind", "numeric", "floating"), INFERRED.values(), ids=list(INFERRED)
)
def test_a_kind_is_inferred_from_the_type(
    dtype: nw.dtypes.DType, kind: str, numeric: bool, floating: bool
) -> None:
    yes_no = dtype == nw.Boolean
    dates = storage_of(dtype)
    found = Column("c", kind, "other", numeric, floating, yes_no, dates, dtype in WHOLE)
    assert columns({"c": dtype}) == {"c": found}
    assert (dates is not None) is (kind == "date")
    assert yes_no is (kind == "categorical" and numeric)


def test_unit_and_key_identify() -> None:
    found = columns(identifying=["person", "age"], roles={"sex": "sensitive"})
    roles = {name: column.role for name, column in found.items()}
    assert roles["person"] == roles["age"] == "identifier"
    assert roles["sex"] == "sensitive"


ALL_COLUMNS = "there are 'person', 'age', 'sex', 'smokes'"
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a kind of no column": (
        {"kinds": {"agee": "continuous"}},
        f"^kinds or strata names column 'agee'; {ALL_COLUMNS}$",
    ),
    "a role of no column": (
        {"roles": {"height": "other"}},
        f"^roles names column 'height'; {ALL_COLUMNS}$",
    ),
    "a unit that is no column": (
        {"identifying": ["patient"]},
        f"^unit or key names column 'patient'; {ALL_COLUMNS}$",
    ),
    "no such kind": (
        {"kinds": {"age": "numeric"}},
        "^kinds or strata of column 'age' must be one of 'continuous', 'categorical'$",
    ),
    "another role of a unit": (
        {"identifying": ["person"], "roles": {"person": "other"}},
        "^column 'person' says whose a row is, or which .unit or key., .* leave it out there$",
    ),
}


@pytest.mark.parametrize(("declared", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_declared_wrongly_is_refused(declared: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        columns(**declared)


Columns = Mapping[str, Sequence[Any]]
NAN, INF = float("nan"), float("inf")
ENGINES: dict[str, Callable[[Columns], Any]] = {
    "pandas": lambda it: pd.DataFrame(dict(it)),
    "polars": lambda it: pl.DataFrame(dict(it), strict=False).lazy(),
    "pyarrow": lambda it: pa.table(dict(it)),
    "duckdb": lambda it: duckdb.from_arrow(pa.table(dict(it))),
}


def opened(columns: Columns, **how: Any) -> Table:
    given = {"kinds": {}, "roles": {}, "unit": None, "key": None} | how
    return open_table(pa.table(dict(columns)), **given)


# --- two values -------------------------------------------------------------------------------

TWO: dict[str, tuple[Sequence[Any], bool]] = {
    "0 and 1": ([0, 1, 1, 0], True),
    "far apart": ([-1e300, 1e300, -1e300], True),
    "with missing ones": ([0.0, 1.0, None, NAN, INF, -INF], True),
    "one value": ([1, 1, 1], False),
    "one value and missing ones": ([1.0, None, NAN], False),
    "a third one": ([0, 1] * 20 + [2], False),
    "nearly the same": ([0.0, 1.0, 1.0 + 1e-12], False),
}


@pytest.mark.parametrize(("values", "two"), TWO.values(), ids=TWO)
@pytest.mark.parametrize(
    ("engine", "first"), [("pandas", 2), ("polars", 5), ("pyarrow", 10_000), ("duckdb", 5)]
)
def test_a_column_of_two_values(
    monkeypatch: pytest.MonkeyPatch, engine: str, first: int, values: Sequence[Any], two: bool
) -> None:
    """However few rows are looked at before the whole column is read."""
    monkeypatch.setattr(looked_at, "FIRST", first)
    frame = nw.from_native(ENGINES[engine]({"x": values, "z": range(len(values))})).lazy()
    assert two_valued(frame, ["x"]) == ({"x"} if two else set())
    assert two_valued(frame, []) == set()


FEW: dict[str, tuple[Sequence[Any], Sequence[Any] | None, bool]] = {
    "two others": ([0, 1] * 20 + [2, 3], None, True),
    "three others": ([0, 1] * 20 + [2, 3, 2], None, False),
    "a second value of two": ([0] * 40 + [1] * 2, None, False),
    "a missing one and two others": ([0, 1] * 20 + [2, 3, None, NAN], None, True),
    "three rows of one person": ([0, 1] * 20 + [2, 2, 3], [*range(40), 9, 9, 9], True),
    "three rows of three people": ([0, 1] * 20 + [2, 2, 2], [*range(40), 7, 8, 9], False),
    "a second value of one person": ([0] * 40 + [1] * 3, [*range(40), 9, 9, 9], False),
}


@pytest.mark.parametrize(("values", "whose", "two"), FEW.values(), ids=FEW)
@pytest.mark.parametrize(("engine", "first"), [("polars", 5), ("pyarrow", 10_000)])
def test_fewer_than_three_persons_do_not_decide_whether_there_are_two_values(
    monkeypatch: pytest.MonkeyPatch,
    engine: str,
    first: int,
    values: Sequence[Any],
    whose: Sequence[Any] | None,
    two: bool,
) -> None:
    monkeypatch.setattr(looked_at, "FIRST", first)
    columns: Columns = {"x": values, "who": [*range(len(values))] if whose is None else whose}
    frame = nw.from_native(ENGINES[engine](columns)).lazy()
    found = two_valued(frame, ["x"], 3, None if whose is None else "who")
    assert found == ({"x"} if two else set())


def test_two_values_are_levels_unless_they_are_declared() -> None:
    columns: Columns = {"sex": [1, 2] * 3, "arm": [0.0, 1.0] * 3, "who": [7, 8] * 3, "x": range(6)}
    table = opened(columns, unit="who")
    found = levels_of_two_values(table, {"arm"})
    kinds = {name: column.kind for name, column in found.columns.items()}
    assert kinds == {
        "sex": "categorical",
        "arm": "continuous",
        "who": "continuous",
        "x": "continuous",
    }
    assert found.levels("sex") == {"1": 1, "2": 1}
    assert table.columns["sex"].kind == "continuous"
    two_rows = opened({"x": [1, 2]})
    assert levels_of_two_values(two_rows, ()) is two_rows


def test_a_file_of_many_rows_is_read_no_further_than_it_must(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns of more values are done with after the first rows."""
    n = FIRST + 10
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": np.arange(n), "sorted": np.arange(n) // (n - 3)}), path)
    read: list[str] = []
    counted = looked_at._counts_where_they_are

    def noted(rows: Any, name: str, *how: Any) -> list[int]:
        read.append(name)
        return counted(rows, name, *how)

    monkeypatch.setattr(looked_at, "_counts_where_they_are", noted)
    table = open_table(path, kinds={}, roles={}, unit=None, key=None)

    found = levels_of_two_values(table, ())

    assert found.columns["sorted"].kind == "categorical"
    assert read == ["1"]


# --- codes for missing values -----------------------------------------------------------------

AGES = [*range(18, 88)]
CODED: dict[str, tuple[Sequence[float], tuple[float, ...]]] = {
    "ages with 99": ([*AGES, *[99] * 6], (99,)),
    "ages with 99, too few": ([*AGES, *[99] * 4], ()),
    "ages up to 98, and 99": ([*range(20, 99), *[99] * 6], ()),
    "a few who are older than the code": ([*AGES, 97, 104, *[99] * 6], (99,)),
    "ages with 77 and 88": ([*AGES, *[77] * 9, *[88] * 9], ()),
    "999 in a range of 0 to 2000": ([*range(0, 2000, 10), *[999] * 9], ()),
    "-9 among 1 to 5": ([*[1, 2, 3, 4, 5] * 9, *[-9] * 5], (-9,)),
    "9 among 1 to 5": ([*[1, 2, 3, 4, 5] * 9, *[9] * 5], ()),
    "-999 among incomes": ([*range(900, 90_000, 900), *[-999] * 5], (-999,)),
    "-999 among small numbers": ([0.1 * i for i in range(80)] + [-999] * 5, (-999,)),
    "too few others": ([1, 2, 3] + [999] * 40, ()),
    "others that are all one": ([1] * 30 + [999] * 40, ()),
    "missing and infinite ones": ([*AGES, NAN, INF, *[99] * 6], (99,)),
}


@pytest.mark.parametrize(("values", "codes"), CODED.values(), ids=CODED)
def test_codes_are_far_from_the_rest_and_repeated(
    values: Sequence[float], codes: tuple[float, ...]
) -> None:
    table = opened({"x": [float(value) for value in values]})
    assert table.codes("x", 5) == codes


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*CODES[:20], *range(5), 30.0, -40.0, 2000.0]), st.integers(1, 40)
        ),
        min_size=1,
        max_size=40,
    )
)
def test_codes_are_found_as_by_looking_at_all_values(runs: list[tuple[float, int]]) -> None:
    """Where none is among the smallest or largest values, not all are looked at."""
    values = [float(value) for value, times in runs for _ in range(times)]
    others = sorted(value for value in values if value not in CODES)
    counts = {code: values.count(code) for code in CODES if code in values}
    by_hand = codes_among(counts, others[1], others[-2], 2) if len(others) > 1 else ()
    assert opened({"x": values}).codes("x", 2) == by_hand


def test_codes_are_those_that_k_persons_share() -> None:
    ages, who = [*AGES, *[99] * 6], [*range(70), *[70, 71, 72, 73, 74, 74]]
    assert opened({"age": ages, "who": who}, unit="who").codes("age", 5) == (99,)
    assert opened({"age": ages, "who": who}, unit="who").codes("age", 6) == ()


# --- what stands for a missing value ----------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_values_that_stand_for_missing_ones_are_missing(engine: str) -> None:
    columns: Columns = {
        "x": [1, -9, 3, 4, -9],
        "y": [0.5, NAN, 99.0, 2.5, 99.5],
        "name": list("abcde"),
    }
    table = open_table(
        ENGINES[engine](columns),
        kinds={},
        roles={},
        unit=None,
        key=None,
        missing_values={"x": [-9], "y": [99, 99.5]},
    )

    assert table.rows(["x"]).numbers["x"].tolist() == [1, 3, 4]
    assert table.rows(["x", "y"]).left_out == 3
    assert [end.tolist() for end in table.extremes("y", 5)] == [[0.5, 2.5], [2.5, 0.5]]
    # The register knows the data whatever is declared.
    batches = [batch["x"] for batch in table.batches(["x"])]
    assert np.concatenate(batches).tolist() == [1, -9, 3, 4, -9]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_level_that_stands_for_a_missing_one_is_none(engine: str) -> None:
    table = open_table(
        ENGINES[engine]({"sex": [1, 2, 9, 2], "x": range(4)}),
        kinds={"sex": "categorical"},
        roles={},
        unit=None,
        key=None,
        missing_values={"sex": [9]},
    )
    assert table.levels("sex") == {"1": 1, "2": 2, "": 1}


WRONG: dict[str, tuple[Any, str]] = {
    "no column": ({"z": [1]}, r"^missing_values names column 'z'; there are 'x', 'name'$"),
    "texts": ({"name": [1]}, "^missing_values of column 'name' are numbers, and the column holds"),
}


@pytest.mark.parametrize(("given", "message"), WRONG.values(), ids=WRONG)
def test_what_cannot_stand_for_a_missing_value(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        drop_missing_codes(nw.from_native(pa.table({"x": [1], "name": ["a"]})).lazy(), given)


# --- numbers that are no numbers --------------------------------------------------------------

COMMAS = "its numbers contain commas: use decimal points, and no separators between thousands"
POINT = "a single point stands for a missing value, as in SAS: leave such cells empty"
WORDS = "it contains words as well as numbers: leave such cells empty, or use a number for them"
OF_LEVELS = "its numbers are codes of levels: draw bars of it"
TEXTS: dict[str, tuple[Sequence[str | None], str]] = {
    "decimal commas": (["1,5", "2,25", "-3,0"], COMMAS),
    "thousands": (["1,234", "12,345.5", "999"], COMMAS),
    "SAS": (["1.5", ".", "2", ".", "-.5e3"], POINT),
    "words for missing ones": (["1.5", "2", "unknown", "refused", "3"], WORDS),
    "two codes": (["0", "1", "1"], OF_LEVELS),
    "words": (["mild", "severe", "mild"], ""),
    "names with commas": (["Smith, Ann", "Jones, Bob"], ""),
    "more words than numbers": (["1", "mild", "severe"], ""),
    "nothing": (["", None], ""),
}


@pytest.mark.parametrize(("texts", "says"), TEXTS.values(), ids=TEXTS)
def test_why_texts_are_no_numbers(texts: Sequence[str | None], says: str) -> None:
    found = numbers_in_texts(texts)
    assert found.startswith(says)
    assert bool(found) == bool(says)


SERIES_OF: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": lambda values: pd.Series(values, dtype="float64"),
    "polars": lambda values: pl.Series(values, dtype=pl.Float64),
    "pyarrow": lambda values: pa.chunked_array([values[:1], values[1:]], pa.float64()),
}
FLOATS = st.lists(st.none() | st.floats(), max_size=6)


def series(native: Any) -> nw.Series[Any]:
    return nw.from_native(native, series_only=True)


@pytest.mark.parametrize("engine", SERIES_OF)
@given(values=FLOATS)
def test_a_missing_float_is_nan(engine: str, values: list[float | None]) -> None:
    found = array_of(series(SERIES_OF[engine](values)))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [math.nan if it is None else it for it in values])


@pytest.mark.parametrize("name", ["*", "^doc.*$"])
def test_a_name_that_stands_for_several_columns_is_refused(name: str) -> None:
    frame = pl.DataFrame({"doctor": ["A", "B"], name: ["x", "y"]})
    with pytest.raises(InputError, match="has a name that engines read as several columns"):
        open_table(frame, kinds={}, roles={"doctor": "identifier"}, unit=None, key=None)


# --- persons whose names differ in blanks alone ---------------------------------------------------

BLANKS = {
    "one after": ["P1", "P1 "],
    "one before": [" P1", "P1"],
    "of another kind": ["P 1", "P\xa01", "P\u20031", "P\t1"],
    "several": ["P 1", "P  1", " P   1  "],
    "of no width": ["P1", "\ufeffP1", "P1\u200b"],
    "ends of lines": ["P1", "P1\n", "P1\r\n"],
}


@pytest.mark.parametrize(
    ("names", "kind"),
    [*((it, "pandas") for it in BLANKS.values())]
    + [(BLANKS["several"], it) for it in ("categories", "polars", "pyarrow", "csv")],
)
def test_persons_whose_names_differ_in_blanks_are_one(
    names: list[str], kind: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"person": [*names, "P2", "P2", " "], "x": range(len(names) + 3)})
    sources: dict[str, Any] = {
        "pandas": frame,
        "categories": frame.astype({"person": "category"}),
        "polars": pl.from_pandas(frame),
        "pyarrow": pa.Table.from_pandas(frame),
        "csv": tmp_path / "t.csv",
    }
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = open_table(sources[kind], kinds={}, roles={}, unit="person", key=None)
    assert table.persons() == 2, "and a blank alone is nobody"
    persons = table.rows(["x"]).persons
    assert persons is not None
    assert len(np.unique(persons[: len(names)])) == 1
