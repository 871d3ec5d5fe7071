"""Files are read as they are written, or refused; nothing is guessed away."""

from __future__ import annotations

import math
import os
import struct
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.table import Table, open_table
from discreet.table.columns import lazy_frame
from discreet.table.engine import quiet

Columns = Mapping[str, list[Any]]
Write = Callable[[Path, Columns], Path]

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01" + b"Canary-Alice" * 20
ZIP = b"PK\x03\x04\x14\0\x06\0" + b"Canary-Alice" * 20


def opened(source: object) -> Table:
    return open_table(source, kinds={}, roles={}, unit=None, key=None)


def no_canary_in(error: BaseException) -> None:
    told = str(error) + repr(error) + "".join(traceback.format_exception(error))
    assert "Canary" not in told
    assert "987654" not in told


def column_of(table: Table, name: str) -> list[Any]:
    """Return a whole column; the empty text for a level that is missing."""
    parts = [part[name] for part in table.batches([name])]
    return [value for part in parts for value in part.tolist()]


def columns_of(table: Table) -> dict[str, list[Any]]:
    """Return every column as plain values, with None for what is missing."""
    out: dict[str, list[Any]] = {}
    for name in table.columns:
        out[name] = [
            None
            if value == "" or (isinstance(value, float) and not math.isfinite(value))
            else value
            for value in column_of(table, name)
        ]
    return out


READ: dict[str, tuple[str, bytes, Columns]] = {
    "commas": ("t.csv", b"a,b\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}),
    "semicolons": ("t.csv", b"a;b\n1;x,y\n2;z\n", {"a": [1, 2], "b": ["x,y", "z"]}),
    "bars": ("t.csv", b"a|b\n1|x\n2|y\n", {"a": [1, 2], "b": ["x", "y"]}),
    "tabs by its ending": (
        "t.tsv",
        b"a\tb\n1,5\tx\n2,5\ty\n",
        {"a": ["1,5", "2,5"], "b": ["x", "y"]},
    ),
    "lines of Windows": ("t.csv", b"a,b\r\n1,2\r\n3,4\r\n", {"a": [1, 3], "b": [2, 4]}),
    "a byte-order mark": ("t.csv", b"\xef\xbb\xbfa,b\n1,2\n", {"a": [1], "b": [2]}),
    "capitals in the ending": ("T.CSV", b"a,b\n1,2\n", {"a": [1], "b": [2]}),
    "quotes": (
        "t.csv",
        b'"a, cm";"b"\n1;"x; ""y"""\n2;"two\nlines"\n',
        {"a, cm": [1, 2], "b": ['x; "y"', "two\nlines"]},
    ),
    "spaces about numbers": ("t.csv", b"a, b\n1, 2\n3, 4\n", {"a": [1, 3], "b": [2, 4]}),
    "signs that begin a remark elsewhere": (
        "t.csv",
        b"a,b\n#1,2\n3,4\n",
        {"a": ["#1", "3"], "b": [2, 4]},
    ),
    "leading noughts are no numbers": (
        "t.csv",
        b"a,b\n007,1\n008,2\n",
        {"a": ["007", "008"], "b": [1, 2]},
    ),
    "numbers of a text column are text": (
        "t.csv",
        b"a,b\n1,1\n" + b"2,2\n" * 30_000 + b"x,3\n",
        {"a": ["1"] + ["2"] * 30_000 + ["x"], "b": [1] + [2] * 30_000 + [3]},
    ),
    "an index without a name": ("t.csv", b",a\n0,5\n1,6\n", {"column0": [0, 1], "a": [5, 6]}),
    "a name in quotes of two lines": ("t.csv", b'"a\nb",c\n1,2\n', {"a\nb": [1], "c": [2]}),
    "true and false": (
        "t.csv",
        b"a,b,c\ntrue,True,1\nfalse,FALSE,2\n,True,3\n",
        {"a": ["True", "False", None], "b": ["True", "False", "True"], "c": [1, 2, 3]},
    ),
    "yes, no, T and F are words": (
        "t.csv",
        b"a,b,c,d\nyes,T,true,t\nno,F,no,f\nyes,F,false,t\n",
        {
            "a": ["yes", "no", "yes"],
            "b": ["T", "F", "F"],
            "c": ["true", "no", "false"],
            "d": ["t", "f", "t"],
        },
    ),
    "missing numbers": (
        "t.csv",
        b"a,b\n1,x\n,x\nNA,x\nN/A,x\nNaN,x\nnan,x\nNULL,x\nnull,x\nNone,x\n2,x\n",
        {"a": [1, *[None] * 8, 2], "b": ["x"] * 10},
    ),
    "missing words": (
        "t.csv",
        b'a,b\nx,1\n,2\nNA,3\n"",4\n',
        {"a": ["x", None, None, None], "b": [1, 2, 3, 4]},
    ),
    "infinite numbers": (
        "t.csv",
        b"a,b\n1,x\ninf,x\n-inf,x\nInf,x\n-Inf,x\nInfinity,x\n-Infinity,x\n+inf,x\n",
        {"a": [1, *[None] * 7], "b": ["x"] * 8},
    ),
    "a column of nothing": ("t.csv", b"a,b\n,1\nNA,2\n", {"a": [None, None], "b": [1, 2]}),
    "a comma for the point is text": (
        "t.csv",
        b"a;b\n1,5;2\n2,5;3\n",
        {"a": ["1,5", "2,5"], "b": [2, 3]},
    ),
}


@pytest.mark.parametrize(("name", "content", "columns"), READ.values(), ids=READ)
def test_what_is_written_is_read(
    tmp_path: Path, name: str, content: bytes, columns: Columns
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert columns_of(opened(path)) == columns


UNREADABLE = "^file '{name}' could not be read as {kind}"
UNNAMED = "^file '{name}' must name its columns in its first line$"
NOT_ONE = "^file '{name}' is empty or no {kind} file$"
REFUSED: dict[str, tuple[str, bytes, str]] = {
    "nothing": ("t.csv", b"", NOT_ONE),
    "a picture": ("t.csv", PNG, NOT_ONE),
    "a spreadsheet": (
        "t.csv",
        ZIP,
        "^file 't.csv' is no CSV file: it begins like those of Excel; .* extension: '.xlsx'$",
    ),
    "text of sixteen bits": (
        "t.csv",
        "Canary-Alice,b\n1,2\n".encode("utf-16"),
        r"^file 't\.csv' is UTF-16; save it as UTF-8 \(in a spreadsheet: 'CSV UTF-8'\)$",
    ),
    "text, as Parquet": ("t.pq", b"Canary-Alice,b\n1,2\n", UNREADABLE),
    "half of a Parquet file": ("t.parquet", b"PAR1" + b"Canary-Alice" * 9, UNREADABLE),
    "letters in another encoding": (
        "t.csv",
        "Canary-Alice,b\né,2\n".encode("latin-1"),
        UNREADABLE + r".*; it is not UTF-8 .*; save it as UTF-8",
    ),
    "names parted by another sign": (
        "t.csv",
        b"a,b\n1;2\nCanary-Alice;3\n",
        UNREADABLE + ".*; its names are parted by ',' and its rows by another sign; use one",
    ),
    "letters in another encoding, later on": (
        "t.csv",
        b"a,b\n" + b"1,2\n" * 50_000 + b"Canary-Alice\xe9,2\n",
        UNREADABLE + ".*; it is not UTF-8",
    ),
    "a row that is too long": (
        "t.csv",
        b"a,b\n1,2\n3,4,987654.321\n5,6\n",
        UNREADABLE + ".*; row 3 has more or fewer cells than the first row, which is parted by ','",
    ),
    "a row that is too short": ("t.csv", b"a,b\n1,2\n987654.321\n5,6\n", UNREADABLE),
    "a row that is too long, later on": (
        "t.csv",
        b"a,b\n" + b"1,2\n" * 50_000 + b"Canary-Alice,2,3\n",
        r"could not be read as CSV \(OSError\); row 50002 has more or fewer cells",
    ),
    "a quote that does not end": ("t.csv", b'a,b\n"Canary-Alice,2\n3,4\n5,6\n', UNREADABLE),
    "a title above the names": ("t.csv", b"Patients of Canary-Alice\n\na,b\n1,2\n", UNREADABLE),
    "an empty line above the names": ("t.csv", b"\na,b\nx,y\nCanary-Alice,w\n", UNNAMED),
    "commas alone above the names": ("t.csv", b",,\na,b\nx,y\nCanary-Alice,w\n", UNNAMED),
    "names alone": ("t.csv", b"a,b\n", "^the table has no rows; check the file"),
    "a name that one without gets": (
        "t.csv",
        b",column0,x\n1,2,3\n",
        "^file 't.csv' must name each of its columns in its first line; one has no name",
    ),
    "a name that is a word for what is missing": (
        "t.csv",
        b"x,NA\n1,2\n",
        "^file 't.csv' must name each of its columns in its first line; one has no name",
    ),
    "names that differ in capitals": (
        "t.csv",
        b"age,sex,Age\n1,2,3\n",
        "^two columns of the table have the same name, or names that differ only in case",
    ),
    "an ending of another kind": (
        "t.docx",
        ZIP,
        r"^file 't\.docx' must end in one of '\.csv', '\.tsv', '\.parquet', '\.pq', '\.feather', ",
    ),
}


@pytest.mark.parametrize(("name", "content", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_table_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    kind = "CSV" if path.suffix == ".csv" else "Parquet"
    with pytest.raises(InputError, match=message.format(name=name, kind=kind)) as told:
        opened(path)
    no_canary_in(told.value)
    assert told.value.__cause__ is None


@pytest.mark.parametrize("name", ["none.csv", "none.parquet", "folder.csv", "folder.parquet"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.parquet").mkdir()
    what = "file" if "none" in name else "Parquet file in folder"
    with pytest.raises(InputError, match=f"^there is no {what} '.*{name}'$"):
        opened(tmp_path / name)


PATTERNS = ["data[1].csv", "data{1,2}.csv", "**.parquet"]


@pytest.mark.parametrize("name", PATTERNS)
def test_a_file_whose_name_is_a_pattern_is_read_and_no_other(
    tmp_path: Path, file_of: Write, name: str
) -> None:
    for other in ("data1.csv", "data2.csv", "data.csv", "data1.parquet", "other.parquet"):
        file_of(tmp_path / other, {"x": [987654]})
    path = file_of(tmp_path / name, {"y": [1.5, 2.5]})
    assert columns_of(opened(path)) == {"y": [1.5, 2.5]}


@pytest.mark.parametrize("names", [["age", "age"], ["age", "Age"]], ids=["equal", "capitals"])
def test_parquet_with_two_columns_of_one_name_is_refused(tmp_path: Path, names: list[str]) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table([[1], [2]], names=names), path)
    with pytest.raises(InputError, match="two columns of the table have the same name"):
        opened(path)


def two_of_one_name() -> pd.DataFrame:
    return pd.DataFrame([[1, 2], [3, 4]], columns=["age", "age"])


DIFFERENT = "columns have different names"
NAMED = "every column of the table must have a name that is text"
NO_TABLES: dict[str, tuple[Callable[[], Any], str]] = {
    "nothing": (lambda: None, "source must be a path to a CSV or Parquet file, or a pandas"),
    "a number": (lambda: 3, "source must be a path"),
    "a list": (lambda: [987654.321], "source must be a path"),
    "a pandas series": (lambda: pd.Series([987654.321]), "source must be a path"),
    "pandas, two of one name": (two_of_one_name, DIFFERENT),
    "pyarrow, two of one name": (lambda: pa.table([[1], [2]], names=["age", "age"]), DIFFERENT),
    "duckdb, names that differ in capitals": (
        lambda: duckdb.connect().sql("SELECT 1 AS age, 2 AS Age"),
        "two columns of the table have the same name, or names that differ only in case",
    ),
    "pandas, a number for a name": (lambda: pd.DataFrame({1: [1], "b": [2]}), NAMED),
    "pandas, no name": (lambda: pd.DataFrame({"": [1], "b": [2]}), NAMED),
    "pyarrow, no columns": (lambda: pa.table({}), NAMED),
}


@pytest.mark.parametrize(("make", "message"), NO_TABLES.values(), ids=NO_TABLES)
def test_what_is_no_frame_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as told:
        opened(make())
    no_canary_in(told.value)


def test_a_frame_is_taken_as_it_is(constructor: Callable[[Columns], Any]) -> None:
    assert lazy_frame(constructor({"age": [1.0], "sex": ["f"]})).collect_schema().names() == [
        "age",
        "sex",
    ]


finite = st.floats(allow_nan=False, allow_infinity=False)


def bits(value: float) -> str:
    return struct.pack("<d", value + 0.0).hex()  # one nought


@pytest.mark.slow
@given(values=st.lists(finite, min_size=1, max_size=12))
def test_text_and_parquet_give_the_same_bits(values: list[float]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        text, binary = Path(folder) / "t.csv", Path(folder) / "t.parquet"
        text.write_text("x,i\n" + "".join(f"{value!r},1\n" for value in values))
        pq.write_table(pa.table({"x": values}), binary)
        read = [column_of(opened(path), "x") for path in (text, binary)]
    assert [bits(float(value)) for value in read[0]] == [bits(value) for value in values]
    assert [bits(float(value)) for value in read[1]] == [bits(value) for value in values]


def test_nothing_is_spilled_beside_the_data_or_left_behind(
    tmp_path: Path, file_of: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, spill = tmp_path / "work", tmp_path / "spill"
    work.mkdir()
    spill.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    path = file_of(tmp_path / "t.csv", {"x": [1.0, 2.0]})

    table = opened(path)
    assert table.extremes("x", 1)[0].tolist() == [1.0]
    made = [entry for entry in spill.iterdir() if entry.name.startswith("discreet-")]
    kept: Any = table._keep
    used = kept.connection.execute("SELECT current_setting('temp_directory')").fetchall()
    assert used == [(str(entry),) for entry in made]
    if os.name == "posix":
        assert [entry.stat().st_mode & 0o077 for entry in made] == [0]
    del table, kept

    assert list(work.iterdir()) == []
    assert list(spill.iterdir()) == []


def test_an_error_of_an_engine_becomes_ours() -> None:
    message = r"^column 'x' could not be read \(KeyError\); check"
    with pytest.raises(InputError, match=message) as told, quiet("column 'x' could not be read"):
        raise KeyError("Canary-Alice")
    no_canary_in(told.value)
    assert told.value.__suppress_context__


@pytest.mark.skipif(pd.__version__ < "3", reason="pandas copies what is written to from 3 on")
def test_what_is_changed_in_a_frame_afterwards_is_not_seen() -> None:
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0], "sex": ["f", "m", "f"]})
    table = open_table(frame, kinds={}, roles={}, unit=None, key=None)
    frame.loc[0, "age"] = 9.0
    frame["sex"] = "m"
    (found,) = table.batches(["age", "sex"])
    assert found["age"].tolist() == [1.0, 2.0, 3.0]
    assert found["sex"].to_pylist() == ["f", "m", "f"]
