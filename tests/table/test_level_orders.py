"""Which orders of levels frames and files declare; tests/explore/test_levels.py has their use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.columns.column import orders_in_arrow
from discreet.table import open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEVELS = ["low", "mid", "high", "none has it"]
ROWS = ["mid", "high", "low", "mid", None]


def order_of(source: object, name: str = "x", **how: Any) -> tuple[str, ...]:
    """Return the order that is known of a column."""
    given: dict[str, Any] = {"kinds": {}, "roles": {}, "unit": None, "key": None, **how}
    return open_table(source, **given).columns[name].order


def in_pandas(rows: Sequence[Any] = ROWS, levels: Sequence[Any] = LEVELS) -> pd.DataFrame:
    """Return an ordered categorical of pandas beside a column without an order."""
    ordered = pd.Categorical(rows, levels, ordered=True)
    return pd.DataFrame({"x": ordered, "plain": pd.Categorical(rows, levels)})


def in_polars() -> pl.DataFrame:
    """Return an Enum of polars beside a Categorical, which has no order."""
    plain = pl.Series("plain", ROWS, dtype=pl.Categorical)
    return pl.DataFrame([pl.Series("x", ROWS, dtype=pl.Enum(LEVELS)), plain])


def in_arrow() -> pa.Table:
    """Return dictionaries of pyarrow, of which one is marked as ordered."""
    return pa.Table.from_pandas(in_pandas(), preserve_index=False)


def in_duckdb() -> duckdb.DuckDBPyRelation:
    """Return an enum of DuckDB beside a text."""
    connection = duckdb.connect()
    connection.execute(f"CREATE TYPE level AS ENUM ({', '.join(map(repr, LEVELS))})")
    connection.execute("CREATE TABLE t (x level, plain VARCHAR)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [[it, it] for it in ROWS])
    return connection.table("t")


FRAMES: dict[str, Callable[[], object]] = {
    "pandas": in_pandas,
    "polars": in_polars,
    "pyarrow": in_arrow,
    "DuckDB": in_duckdb,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_declare_an_order(make: Callable[[], object]) -> None:
    frame = make()
    assert order_of(frame) == tuple(LEVELS)
    assert order_of(frame, "plain") == ()


def write_several(path: Path) -> None:
    """Write a folder of Parquet, whose second file has a level more."""
    path.mkdir()
    for i, levels in enumerate((["low", "high"], ["low", "mid", "high"])):
        in_pandas(["low", "high"], levels).to_parquet(path / f"{i}.parquet")


FILES: dict[str, tuple[str, Callable[[Path], object], tuple[str, ...]]] = {
    "Parquet of pandas": ("t.parquet", lambda it: in_pandas().to_parquet(it), tuple(LEVELS)),
    "Parquet of polars": ("t.parquet", lambda it: in_polars().write_parquet(it), tuple(LEVELS)),
    "several files of Parquet": ("t", write_several, ("low", "mid", "high")),
    "Feather of pandas": ("t.feather", lambda it: in_pandas().to_feather(it), tuple(LEVELS)),
    "text, which declares none": ("t.csv", lambda it: in_pandas().to_csv(it, index=False), ()),
}


@pytest.mark.parametrize(("name", "write", "order"), FILES.values(), ids=FILES)
def test_files_keep_it(
    name: str, write: Callable[[Path], object], order: tuple[str, ...], tmp_path: Path
) -> None:
    write(tmp_path / name)
    assert order_of(tmp_path / name) == order
    assert order_of(tmp_path / name, "plain") == ()


LABELLED = {3.0: "severe", 1.0: "mild", 10.0: "dead", 2.0: "moderate", 99.0: "no row has it"}


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_labels_are_in_the_order_of_their_codes(ending: str, tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"x": [3.0, 1.0, 2.0, 10.0, 2.0], "plain": [1.0, 2.0, 3.0, 4.0, 5.0]})
    path, private = tmp_path / f"t{ending}", tmp_path / "private"
    if ending == ".dta":
        labels = {int(code): label for code, label in LABELLED.items()}
        pyreadstat.write_dta(frame, path, variable_value_labels={"x": labels})
    else:
        compress = ending == ".zsav"
        pyreadstat.write_sav(frame, path, variable_value_labels={"x": LABELLED}, compress=compress)
    wanted = ("mild", "moderate", "severe", "dead")
    assert order_of(path) == wanted
    assert order_of(path, private=private) == wanted
    assert order_of(path, private=private) == wanted  # of the private file that was written
    assert order_of(path, "plain") == ()


CODES: dict[str, tuple[list[Any], tuple[str, ...]]] = {
    "numbers": ([10, 2, 1], ("10", "2", "1")),
    "yes and no": ([True, False], ("True", "False")),
}


@pytest.mark.parametrize(("levels", "order"), CODES.values(), ids=CODES)
def test_levels_are_known_by_their_texts(levels: list[Any], order: tuple[str, ...]) -> None:
    assert order_of(in_pandas(levels, levels)) == order


def test_what_is_said_counts_in_place_of_it() -> None:
    assert order_of(in_pandas(), ordered={"x": ["high", "low"]}) == ("high", "low")
    assert order_of(in_pandas(), "plain", ordered={"plain": ["b"]}) == ("b",)


CHUNKS: dict[str, tuple[list[list[str]], tuple[str, ...]]] = {
    "the same": ([["a", "b"], ["a", "b"]], ("a", "b")),
    "one has more": ([["a", "c"], ["a", "b", "c"]], ("a", "b", "c")),
    "each has others": ([["a", "b"], ["b", "c"]], ("a", "b", "c")),
    "they contradict each other": ([["a", "b"], ["b", "a"]], ()),
}


@pytest.mark.parametrize(("chunks", "order"), CHUNKS.values(), ids=CHUNKS)
def test_dictionaries_of_several_chunks_are_one(
    chunks: list[list[str]], order: tuple[str, ...]
) -> None:
    arrays = [
        pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array(levels), ordered=True)
        for levels in chunks
    ]
    assert orders_in_arrow(pa.table({"x": pa.chunked_array(arrays)})) == {"x": order}


def test_no_order_is_printed() -> None:
    given: dict[str, Any] = {"kinds": {}, "roles": {}, "unit": None, "key": None}
    assert "none has it" not in repr(open_table(in_pandas(), **given).columns["x"])
