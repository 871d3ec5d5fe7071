"""The tables of the ledger: all of them, and every one append-only."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from discreet.ledger.store import SCHEMA, TABLES, create, objects_of
from tests.ledger.given import filled, rows_of


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make one ledger with a row or more in every table; nothing here can change it."""
    return filled(tmp_path_factory.mktemp("state")).path


@pytest.fixture
def connection(full: Path) -> Iterator[sqlite3.Connection]:
    """Open the file past the ledger."""
    with closing(sqlite3.connect(full)) as opened:
        yield opened


def test_all_tables_are_named_and_have_rows(full: Path) -> None:
    found = rows_of(full, "SELECT name FROM sqlite_master WHERE type = 'table'")

    assert {name for (name,) in found} == {*TABLES, "chain"}
    for table in (*TABLES, "chain"):
        assert rows_of(full, f"SELECT * FROM {table}"), table


@pytest.mark.parametrize("table", [*TABLES, "chain"])
def test_no_row_is_deleted(connection: sqlite3.Connection, table: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="the ledger is append-only"):
        connection.execute(f"DELETE FROM {table}")
    with pytest.raises(sqlite3.IntegrityError, match="the ledger is append-only"):
        connection.execute(f"DELETE FROM {table} WHERE rowid = 1")


@pytest.mark.parametrize("table", [*TABLES, "chain"])
def test_no_column_of_a_row_is_changed(connection: sqlite3.Connection, table: str) -> None:
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    assert columns
    for column in (*columns, "rowid"):
        with pytest.raises(sqlite3.IntegrityError, match="the ledger is append-only"):
            connection.execute(f"UPDATE {table} SET {column} = {column}")


def test_what_is_there_stays_as_it_is() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as twice:
        create(twice)
        once = objects_of(twice)
        create(twice)
        assert objects_of(twice) == once
        assert twice.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
        assert len([name for name in once if name.startswith("trigger ")]) == 2 * len(TABLES) + 2
