"""Words in the footer of a Parquet file: put there, read by all, and found at one place alone."""

from __future__ import annotations

import hashlib
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BrokenPromiseError, InputError
from discreet.render import parquet_words
from discreet.render.parquet_words import put_words, read_words
from discreet.render.sealing import NAME

BEFORE, AFTER = '{"schema": 0}', '{"schema": 2}'
TABLE = pa.table({"age": [40.5, 51.0], "sex": ["f", "m"]})


def written(path: Path, words: str | None = BEFORE, table: pa.Table = TABLE) -> Path:
    """Write a table with words in its footer."""
    with pq.ParquetWriter(path, table.schema) as writer:
        writer.write_table(table)
        if words is not None:
            writer.add_key_value_metadata({NAME: words})
    return path


def test_words_take_the_place_of_others_and_all_read_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet")
    before = read_words(path)
    put_words(path, before, AFTER)
    after = read_words(path)
    file = path.read_bytes()
    assert (before.words, after.words) == (BEFORE, AFTER)
    assert (before.at, before.rest) == (after.at, after.rest)
    rest = file[: after.at] + file[after.at + len(AFTER) :]
    assert after.rest == hashlib.sha256(rest).digest()
    assert after.digest == hashlib.sha256(file).hexdigest()
    assert pq.read_metadata(path).metadata[NAME.encode()] == AFTER.encode()
    assert pq.read_table(path).equals(TABLE)
    assert pl.read_parquet(path).to_dict(as_series=False) == TABLE.to_pydict()
    rows = duckdb.execute("SELECT * FROM read_parquet($1)", [str(path)]).fetchall()
    assert rows == [(40.5, "f"), (51.0, "m")]
    asked = "SELECT value FROM parquet_kv_metadata($1) WHERE decode(key) = 'provenance'"
    (said,) = duckdb.execute(asked, [str(path)]).fetchall()
    assert said == (AFTER.encode(),)


@given(length=st.integers(0, 20_000))
def test_words_of_any_length_are_found(
    tmp_path_factory: pytest.TempPathFactory, length: int
) -> None:
    words = BEFORE + "x" * length
    path = written(tmp_path_factory.mktemp("words") / "a.parquet", words)
    assert read_words(path).words == words


def test_a_table_whose_names_and_levels_read_like_the_key_has_none(tmp_path: Path) -> None:
    endless = f"\x18\x0a{NAME}\x18{'é' * 9}"
    like = pa.table({NAME: [NAME, NAME], "x": [f"{NAME}\x18\x0d{BEFORE}", endless]})
    assert read_words(written(tmp_path / "a.parquet", None, like)).words is None
    path = written(tmp_path / "b.parquet", BEFORE, like)
    assert read_words(path).words == BEFORE


def test_a_file_without_words_has_none_and_takes_none(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", None)
    found = read_words(path)
    assert (found.words, found.digest) == (None, hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(BrokenPromiseError, match="another footer than is known"):
        put_words(path, found, AFTER)
    path = written(tmp_path / "b.parquet")
    with pytest.raises(BrokenPromiseError, match="another footer than is known"):
        put_words(path, read_words(path), AFTER + "x")


def test_words_that_stand_twice_are_words_that_nobody_wrote(tmp_path: Path) -> None:
    """Readers differ on which of two they show."""
    path = tmp_path / "a.parquet"
    with pq.ParquetWriter(path, TABLE.schema) as writer:
        writer.write_table(TABLE)
        writer.add_key_value_metadata({NAME: BEFORE, "Provenance": AFTER})
    assert read_words(path).words == BEFORE
    path.write_bytes(path.read_bytes().replace(b"Provenance", NAME.encode()))
    assert read_words(path).words == ""


BROKEN = {
    "empty": b"",
    "its beginning alone": b"PAR1",
    "no footer": b"PAR1PAR1PAR1",
    "a footer longer than the file": b"PAR1" + b"x" * 20 + b"\xff\xff\xff\x7fPAR1",
    "another end": b"PAR1" + b"x" * 20 + b"\x04\0\0\0PARE",
}


@pytest.mark.parametrize("what", [*BROKEN])
def test_what_is_no_parquet_file_is_refused(tmp_path: Path, what: str) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(BROKEN[what])
    with pytest.raises(InputError, match="not a Parquet file, or it is damaged"):
        read_words(path)


@pytest.mark.slow
def test_a_footer_full_of_keys_is_read_in_no_time_that_counts(tmp_path: Path) -> None:
    """Each names a text as long as the footer: all of them together would fill the memory."""
    key = parquet_words.KEY + b"\xff\xff\xff\x7f" + parquet_words.FIRST
    footer = key * 300_000
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    assert read_words(path).words is None
    footer = (parquet_words.KEY + b"\x7f" + parquet_words.FIRST) * 300_000
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    assert read_words(path).words == ""


def test_a_large_file_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_words, "CHUNK", 7)
    path = written(tmp_path / "a.parquet")
    found = read_words(path)
    assert found.digest == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_words_of_a_footer_too_long_to_be_read_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.parquet")
    monkeypatch.setattr(parquet_words, "LONGEST_FOOTER", 20)
    with pytest.raises(InputError, match="not a Parquet file, or it is damaged"):
        read_words(path)
