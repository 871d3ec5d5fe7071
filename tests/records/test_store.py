"""A file of records: whole transactions or none, and every change of it is found."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import os
import shutil
import sqlite3
import stat
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError, LeavingError, RegisterError
from discreet.progress import listening
from discreet.records.store import (
    FIRST,
    Schema,
    Store,
    Verification,
    row_of,
    seal_of,
    stamp,
    verify,
)
from discreet.register.register import REGISTER
from discreet.serve.record import RECORD, log
from discreet.serve.tokens import add_token
from tests.cases import examples
from tests.records.given import (
    ANOTHER,
    NOON,
    SECRET,
    alter,
    asked,
    filled_record,
    filled_register,
    handed_in,
    question,
    record_file,
    register_file,
    register_in,
    row_at,
    rows_of,
    started,
    times,
    write_rows,
)

SCHEMAS = {schema.name: schema for schema in (REGISTER, RECORD)}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a register's file in a folder that is not there yet."""
    return register_file(tmp_path / "state")


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Make a register and a record with a row or more in every table, to be copied."""
    folder = tmp_path_factory.mktemp("full")
    return {it.schema.name: it.path for it in (filled_register(folder), filled_record(folder))}


def copy_of(full: Mapping[str, Path], folder: Path, schema: Schema) -> Store:
    """Copy the full register or record."""
    shutil.copy(full[schema.name], folder / schema.file_name)
    store = Store(folder, schema)
    store.key = SECRET
    return store


@pytest.fixture
def copied(full: Mapping[str, Path], tmp_path: Path) -> Store:
    """Copy the full record."""
    return copy_of(full, tmp_path, RECORD)


# --- transactions -----------------------------------------------------------------------------


def test_what_is_written_is_read(store: Store) -> None:
    write_rows(store, "one", "two")
    assert times(store) == times(register_file(store.path.parent)) == ["one", "two"]
    assert verify(store).rows == 2


def test_reading_makes_nothing(store: Store, tmp_path: Path) -> None:
    assert times(store) == []
    assert verify(store) == Verification(0, FIRST, ())
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_a_register_that_was_never_begun(store: Store) -> None:
    store.path.parent.mkdir()
    store.path.touch()
    assert times(store) == []
    write_rows(store, "one")
    assert verify(store).broken == ()


@pytest.mark.parametrize("error", [OSError("disk"), InputError("no"), KeyboardInterrupt("stop")])
def test_an_error_undoes_all_of_a_transaction(store: Store, error: BaseException) -> None:
    write_rows(store, "one")

    def fail() -> None:
        with store.writing() as connection:
            store.append(connection, "version", row_at("two"))
            raise error

    for _ in range(2):
        with pytest.raises(type(error), match=str(error)):
            fail()
    assert times(store) == ["one"]
    write_rows(store, "three")
    assert verify(store) == Verification(2, verify(store).head, ())


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT OR REPLACE INTO version VALUES (1, 'x', 1, '{}', '', 'x')",
        "UPDATE version SET opened = 'x'",
        "DELETE FROM version",
        "INSERT INTO choice VALUES (99, 'x', 'x')",  # of no version
        "INSERT INTO nothing VALUES (1)",
    ],
)
def test_what_the_file_refuses_cannot_leave(store: Store, statement: str) -> None:
    write_rows(store, "one")
    with pytest.raises(LeavingError, match="is damaged or in use"), store.writing() as connection:
        connection.execute(statement)
    assert times(store) == ["one"]
    assert verify(store).broken == ()


def test_nothing_is_written_while_reading(store: Store) -> None:
    write_rows(store, "one")
    with store.kept_open():
        with (
            pytest.raises(LeavingError, match="cannot be written, so nothing can be released"),
            store.reading() as connection,
        ):
            store.append(connection, "version", row_at("two"))
        assert times(store) == ["one"]
        write_rows(store, "two")  # by a connection that has read before
    assert times(store) == ["one", "two"]


def test_a_row_that_is_there_is_not_written_again(store: Store) -> None:
    values = {"at": "x", "study": "s", "version": "1", "name": "a", "digest": "1", "record": "{}"}
    with store.writing() as connection:
        assert store.append(connection, "output", values, unless_there=True) == 1
        assert store.append(connection, "output", values, unless_there=True) is None
        assert store.append(connection, "output", {**values, "name": "b"}, unless_there=True) == 2
    with pytest.raises(LeavingError, match="is damaged"), store.writing() as connection:
        store.append(connection, "output", values)
    with pytest.raises(LeavingError, match="is damaged"), store.writing() as connection:
        store.append(connection, "output", {**values, "name": "c", "at": None}, unless_there=True)
    assert verify(store) == Verification(2, verify(store).head, ())


def test_a_reader_sees_one_state(store: Store) -> None:
    write_rows(store, "one")
    with store.reading() as connection:
        before = connection.execute("SELECT count(*) FROM version").fetchone()
        write_rows(store, "two")  # who writes does not wait for who reads
        assert connection.execute("SELECT count(*) FROM version").fetchone() == before == (1,)
    assert times(store) == ["one", "two"]


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
def test_all_files_are_their_owner_s_alone(store: Store) -> None:
    with store.kept_open():
        write_rows(store, "one")
        made = {
            path.name: stat.S_IMODE(path.stat().st_mode) for path in store.path.parent.iterdir()
        }
    assert made == dict.fromkeys(
        ("register.sqlite", "register.sqlite-wal", "register.sqlite-shm"), 0o600
    )
    assert [path.name for path in store.path.parent.iterdir()] == ["register.sqlite"]


@pytest.mark.parametrize("number", [1, REGISTER.number - 1, RECORD.number])
def test_a_register_of_another_discreet_is_let_alone(store: Store, number: int) -> None:
    write_rows(store, "one")
    alter(store.path, f"PRAGMA user_version = {number}")
    for act in (lambda: write_rows(store, "two"), lambda: times(store), lambda: verify(store)):
        with pytest.raises(LeavingError, match="was written by another version of discreet"):
            act()


# --- what a check finds -----------------------------------------------------------------------


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_nothing_is_found_where_nothing_was_changed(
    full: Mapping[str, Path], tmp_path: Path, schema: Schema
) -> None:
    copied = copy_of(full, tmp_path, schema)
    found = verify(copied)
    tables = schema.tables
    counts = [rows_of(copied.path, f"SELECT count(*) FROM {table}")[0][0] for table in tables]
    assert found.broken == ()
    assert found.rows == sum(int(str(count)) for count in counts)
    assert [(found.head,)] == rows_of(
        copied.path, "SELECT seal FROM chain ORDER BY id DESC LIMIT 1"
    )
    assert verify(copied, found.head) == verify(copied, f" {found.head.upper()}\n") == found
    assert verify(copied, FIRST) == found


def changed_cells(path: Path, schema: Schema) -> list[tuple[str, str]]:
    """List every column of every table, the row's number with it."""
    return [
        (table, str(column))
        for table in schema.tables
        for (column,) in rows_of(path, f"SELECT name FROM pragma_table_info('{table}')")
    ]


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_every_changed_cell_is_found(
    full: Mapping[str, Path], tmp_path: Path, schema: Schema
) -> None:
    for table, column in changed_cells(full[schema.name], schema):
        copied = copy_of(full, tmp_path, schema)
        ((old, kind, row),) = rows_of(
            copied.path, f"SELECT {column}, typeof({column}), max(rowid) FROM {table} GROUP BY NULL"
        )
        new = {"integer": "777", "null": "'x'", "blob": "x'00'"}.get(str(kind), "'CanaryX'")
        alter(
            copied.path,
            f"PRAGMA ignore_check_constraints = 1; UPDATE {table} SET {column} = {new}"
            f" WHERE rowid = {row}",
        )

        found = verify(copied).broken
        told_of = f"{table} row {row} does not fit its seal"
        if column == "id":
            told_of = f"{table} row {row} is gone"
            assert f"{table} row 777 was added, or its link is gone" in found
        assert told_of in found, (table, column)
        assert len(found) == (2 if column == "id" else 1), "one change is told once"
        assert "Canary" not in "".join(found)
        assert old != new


def test_a_row_holds_where_it_fits_its_seal(copied: Store) -> None:
    alter(
        copied.path,
        "UPDATE asked SET caller = 'x' WHERE id = 2; DELETE FROM asked WHERE id = 3;"
        " DELETE FROM chain WHERE source = 'asked' AND row = 4",
    )
    with copied.reading() as connection:
        held = [row for row in range(6) if copied.holds(connection, "asked", row)]
        assert held == [1]
        assert copied.holds(connection, "token", 1), "the first of the chain"
        assert not copied.holds(connection, "nothing", 1)


# What somebody does to the file, and what is said of it.
FIRST_VIEW, SECOND_VIEW = f"'{1:032x}'", f"'{2:032x}'"
SWAPPED = f"""
UPDATE asked SET view = {SECOND_VIEW} WHERE id = 1;
UPDATE asked SET view = {FIRST_VIEW} WHERE id = 2;
"""
RENUMBERED = (
    "UPDATE asked SET id = -id WHERE id IN (1, 2); UPDATE asked SET id = 3 + id WHERE id < 0"
)
LINKS_SWAPPED = """
CREATE TEMP TABLE kept AS SELECT * FROM chain WHERE source = 'asked' AND row IN (1, 2);
DELETE FROM chain WHERE id IN (SELECT id FROM kept);
INSERT INTO chain SELECT (SELECT max(id) + min(id) FROM kept) - id, source, row, seal FROM kept;
DROP TABLE kept;
"""
TAMPERED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "a row is gone": ("DELETE FROM asked WHERE id = 1", ("asked row 1 is gone",)),
    "a row and its link are gone": (
        "DELETE FROM asked WHERE id = 1; DELETE FROM chain WHERE source = 'asked' AND row = 1",
        ("chain: links before", "asked row 2 does not fit its seal"),
    ),
    "a link is gone": (
        "DELETE FROM chain WHERE source = 'token' AND row = 2",
        ("chain: links before", "token row 2 was added, or its link is gone"),
    ),
    "a row is added": (
        "INSERT INTO revocation (at, token) VALUES ('x', 1)",
        ("revocation row 2 was added, or its link is gone",),
    ),
    "a row is added in a gap": (
        "INSERT INTO asked SELECT -5, at, caller, study, version, what, request, view, outcome"
        " FROM asked WHERE id = 1",
        ("asked row -5 was added, or its link is gone",),
    ),
    "a row is added with a link": (
        "INSERT INTO revocation VALUES (9, 'x', 1);"
        f" INSERT INTO chain (source, row, seal) VALUES ('revocation', 9, '{'a' * 64}')",
        ("revocation row 9 does not fit its seal",),
    ),
    "a link of nothing is added": (
        "INSERT INTO chain (source, row, seal)"
        " VALUES ('sqlite_master; DROP TABLE CanaryX', 1, 'x')",
        ("chain: an unknown table's row 1 is gone",),
    ),
    "two rows are swapped": (
        SWAPPED,
        ("asked row 1 does not fit its seal", "asked row 2 does not fit its seal"),
    ),
    "two rows have each other's number": (
        RENUMBERED,
        ("asked row 1 does not fit its seal", "asked row 2 does not fit its seal"),
    ),
    "two links are swapped": (
        LINKS_SWAPPED,
        ("asked row 1 does not fit its seal", "asked row 2 does not fit its seal"),
    ),
    "a seal is changed": (
        "UPDATE chain SET seal = 'x' WHERE id = 3",
        ("token row 2 does not fit its seal", "terms row 2 does not fit its seal"),
    ),
    "a link has another number": (
        "UPDATE chain SET id = 1000 WHERE id = (SELECT max(id) FROM chain)",
        ("chain: links before 1000 are gone",),
    ),
    "a text is no text": (
        "UPDATE asked SET request = CAST(x'ff' AS TEXT) WHERE id = 1",
        ("asked row 1 does not fit its seal",),
    ),
    "a number is text": (
        "UPDATE token SET name = CAST(name AS BLOB) WHERE id = 1",
        ("token row 1 does not fit its seal",),
    ),
    "an index is gone": ("DROP INDEX asked_view", ("index asked_view is gone",)),
    "a table is gone": ("DROP TABLE terms", ("table terms is gone",)),
    "the chain is gone": ("DROP TABLE chain", ("table chain is gone",)),
    "a table is another": (
        "CREATE TABLE other (id INTEGER PRIMARY KEY, at TEXT); DROP TABLE revocation;"
        " ALTER TABLE other RENAME TO revocation",
        ("table revocation is another",),
    ),
    "a table more": ("CREATE TABLE CanaryX (a)", ("file: 1 tables, indexes, triggers or views",)),
    "a trigger more": (
        "CREATE TRIGGER more BEFORE INSERT ON asked BEGIN SELECT RAISE(IGNORE); END",
        ("file: 1 tables, indexes, triggers or views",),
    ),
}


@pytest.mark.parametrize(("script", "wanted"), TAMPERED.values(), ids=TAMPERED)
def test_tampering_is_found(copied: Store, script: str, wanted: tuple[str, ...]) -> None:
    alter(copied.path, script)
    found = verify(copied).broken
    for part in wanted:
        assert any(part in line for line in found), found
    assert "Canary" not in "".join(found)


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
@pytest.mark.parametrize("verb", ["update", "delete"])
def test_a_trigger_that_is_gone_or_another_is_found(
    full: Mapping[str, Path], tmp_path: Path, schema: Schema, verb: str
) -> None:
    for table in (*schema.tables, "chain"):
        copied, name = copy_of(full, tmp_path, schema), f"{table}_no_{verb}"
        with closing(sqlite3.connect(copied.path)) as connection:
            connection.execute(f"DROP TRIGGER {name}")
        assert f"trigger {name} is gone" in verify(copied).broken
        handed_in(copied, "more.svg")  # it is not mended, so that it is seen later
        assert f"trigger {name} is gone" in verify(copied).broken
        with closing(sqlite3.connect(copied.path)) as connection:
            connection.execute(
                f"CREATE TRIGGER {name} BEFORE {verb.upper()} ON {table} WHEN 0"
                " BEGIN SELECT RAISE(ABORT, 'a record is append-only'); END"
            )
        assert verify(copied).broken == (f"trigger {name} is another",)


def test_a_tail_that_was_cut_off_is_found_by_an_earlier_head(copied: Store) -> None:
    before = verify(copied).head
    row = asked(copied, 9)
    head = verify(copied).head
    assert verify(copied, before).broken == verify(copied, head).broken == ()
    alter(
        copied.path,
        f"DELETE FROM asked WHERE id = {row};"
        " DELETE FROM chain WHERE id = (SELECT max(id) FROM chain)",
    )
    gone = ("chain: the head that was given is not in it, so rows are gone or another's",)
    assert verify(copied).broken == ()
    assert verify(copied, before).broken == ()
    assert verify(copied, head).broken == gone
    asked(copied, 10)
    assert verify(copied, head).broken == gone
    assert verify(copied).broken == ()


def test_a_head_that_was_written_in_is_none(copied: Store) -> None:
    head = verify(copied).head
    alter(
        copied.path,
        "DELETE FROM decision WHERE id = 1;"
        " DELETE FROM chain WHERE id = (SELECT max(id) FROM chain);"
        f" INSERT INTO chain (source, row, seal) VALUES ('token', 1, '{head}')"
        " ON CONFLICT DO UPDATE SET seal = excluded.seal",
    )
    assert "token row 1 does not fit its seal" in verify(copied, head).broken


def test_what_is_no_head_is_refused(copied: Store) -> None:
    for head in ("", "x" * 64, "a" * 63, "CanaryX"):
        with pytest.raises(InputError, match="a head is 64 hexadecimal digits") as refused:
            verify(copied, head)
        assert "Canary" not in str(refused.value)


def test_a_chain_that_was_made_again_without_the_key_is_found(copied: Store) -> None:
    with closing(sqlite3.connect(copied.path)) as connection:
        links = connection.execute("SELECT id, source, row FROM chain ORDER BY id").fetchall()
        previous, forged = FIRST, []
        for id_, table, row in links:
            values = row_of(connection, RECORD.tables, table, row)
            assert values is not None
            previous = seal_of(ANOTHER.digest("chain"), previous, table, row, values)
            forged.append(f"UPDATE chain SET seal = '{previous}' WHERE id = {id_};")
    alter(copied.path, "\n".join(forged))
    assert len(verify(copied).broken) == len(links)
    assert verify(record_file(copied.path.parent, ANOTHER)).broken == ()


def test_a_file_that_cannot_be_read_is_damaged(copied: Store) -> None:
    content = copied.path.read_bytes()
    copied.path.write_bytes(content[:4096] + b"rubbish!" * 512 + content[8192:])
    with pytest.raises(LeavingError, match="is damaged or in use"):
        verify(copied)


def test_a_torn_index_is_found(copied: Store) -> None:
    with closing(sqlite3.connect(copied.path)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'asked_view'"
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    content = bytearray(copied.path.read_bytes())
    start = (page - 1) * size
    content[start + 3 : start + 5] = b"\0\0"  # how many entries it has
    copied.path.write_bytes(content)
    assert "file: its pages do not fit together" in verify(copied).broken


def test_a_long_check_says_how_far_it_is(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.records.store.ROWS_A_STEP", 2)
    write_rows(store, *"abcde")
    heard: list[tuple[str, int, int]] = []
    with listening(lambda *step: heard.append(step)):
        verify(store)
    assert heard == [("checking the register", done, 5) for done in (2, 4, 5)]


ROWS = st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=8)


@settings(max_examples=examples(40))
@given(ROWS, st.data())
def test_any_change_of_any_row_is_found(rows: list[str], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        store = register_file(Path(folder))
        write_rows(store, *rows)
        assert times(store) == rows
        assert verify(store).broken == ()
        which = data.draw(st.integers(1, len(rows)))
        other = data.draw(st.text(st.characters(exclude_categories=["Cs"])))
        with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
            (trigger,) = connection.execute(
                "SELECT sql FROM sqlite_master WHERE name = 'version_no_update'"
            ).fetchone()
            connection.execute("DROP TRIGGER version_no_update")
            connection.execute("UPDATE version SET opened = ? WHERE id = ?", (other, which))
            connection.execute(trigger)
        wanted = (f"version row {which} does not fit its seal",)
        assert verify(store).broken == (() if other == rows[which - 1] else wanted)


def test_a_file_that_is_made_to_look_new_is_damaged(copied: Store) -> None:
    alter(copied.path, "UPDATE asked SET what = 'x'; DROP TABLE chain; PRAGMA user_version = 0")
    for _ in range(2):
        with pytest.raises(LeavingError, match="is damaged or in use"):
            verify(copied)
        with pytest.raises(LeavingError, match="is damaged or in use"):
            asked(copied, 9)


@pytest.mark.parametrize("table", ["chain", "version", "sketch"])
def test_a_table_that_is_gone_is_not_made_again(
    full: Mapping[str, Path], tmp_path: Path, table: str
) -> None:
    copied = copy_of(full, tmp_path, REGISTER)
    alter(copied.path, f"DROP TABLE {table}")

    def write() -> None:
        register_in(copied.path.parent).knows("t")
        write_rows(copied, "x")

    for _ in range(2):
        with pytest.raises(LeavingError, match="is damaged or in use"):
            write()
    assert any(f"table {table} is gone" in found for found in verify(copied).broken)


# --- a full disk, and a process that is killed ------------------------------------------------


def test_of_two_keys_the_second_writes_nothing(copied: Store) -> None:
    other, before = record_file(copied.path.parent, ANOTHER), copied.path.read_bytes()
    for _ in range(2):
        with (
            pytest.raises(
                RegisterError,
                match=r"sealed with another key.* nothing was written; .* record.key beside it",
            ),
            other.writing(),
        ):
            raise AssertionError("it was opened")
    with pytest.raises(RegisterError, match="sealed with another key"):
        add_token(other, "s", "eve")
    assert copied.path.read_bytes() == before
    assert verify(copied).broken == ()
    assert len(verify(other).broken) == verify(other).rows, "it says so row by row, as before"
    add_token(copied, "s", "dave")


def test_a_key_that_comes_second_is_found_out_whenever_it_writes(store: Store) -> None:
    other = register_file(store.path.parent, ANOTHER)
    with store.kept_open(), other.kept_open():
        with other.writing():
            pass  # it makes the file, and no row
        write_rows(store, "first")
        with pytest.raises(RegisterError, match="sealed with another key"):
            write_rows(other, "second")
        write_rows(store, "third")
    assert times(store) == ["first", "third"]
    assert verify(store).broken == ()


def test_on_a_full_disk_nothing_is_half_written(tmp_path: Path) -> None:
    store = record_file(tmp_path)
    asked(store, 0)

    def fill() -> None:
        while True:
            asked(store, len(log(store)))

    with store.kept_open():
        with store.reading() as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages + 4}")
        with pytest.raises(
            LeavingError, match="cannot be written, so nothing can be released; make room"
        ):
            fill()
        count = len(log(store))
        assert count > 1
        assert verify(store) == Verification(count, verify(store).head, ())
        # the connection that met the full disk is gone, and with it the limit of this test
        asked(store, count)
    assert len(log(store)) == count + 1


KILLED = """
import sys
from pathlib import Path
from tests.records.given import asked, record_file

store, first = record_file(Path(sys.argv[1])), int(sys.argv[2])
with store.kept_open():
    for number in range(first, first + 10**6):
        asked(store, number)
        print(number, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("kept_rows", [1, 40])
def test_a_process_that_is_killed_loses_nothing_it_has_told(tmp_path: Path, kept_rows: int) -> None:
    heard: set[int] = set()
    for start in (0, 10**6):
        process = started(KILLED, tmp_path, start)
        assert process.stdout is not None
        for line in itertools.islice(process.stdout, kept_rows):
            heard.add(int(line))
        process.kill()
        # Read on, where lines may wait that were read ahead; `communicate` would not know of them.
        heard |= {int(line) for line in process.stdout}
        process.communicate()
        store = record_file(tmp_path)
        assert verify(store).broken == ()
        written = {entry["request"] for entry in log(store)}
        assert {question(number).request for number in heard} <= written
        assert len(written) <= len(heard) + (2 if start else 1)


# --- times ------------------------------------------------------------------------------------


@given(st.datetimes(), st.datetimes(), st.integers(-12, 12))
def test_times_sort_as_texts(one: datetime, other: datetime, hours: int) -> None:
    here = timezone(timedelta(hours=hours))
    one, other = one.replace(year=2020), other.replace(year=2020)
    first, second = (at.replace(tzinfo=UTC) for at in (one, other))
    known = stamp(first), stamp(second.astimezone(here))
    assert len(known[0]) == len(known[1]) == len("2026-03-01T12:00:00.000+00:00")
    if abs(first - second) >= timedelta(milliseconds=1):
        assert (first < second) == (known[0] < known[1])


def test_a_time_is_of_utc_and_has_milliseconds() -> None:
    assert stamp(NOON) == "2026-03-01T12:00:00.000+00:00"
    assert stamp(NOON.astimezone(timezone(timedelta(hours=5)))) == stamp(NOON)
    before, now, after = datetime.now(UTC), stamp(), datetime.now(UTC)
    assert stamp(before) <= now <= stamp(after)


KEY = b"k" * 32
VALUES = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.text(), st.binary())
SEALED_ROWS = st.dictionaries(st.sampled_from("abcd"), VALUES, min_size=1)


def test_a_seal_is_of_the_one_before_and_the_row() -> None:
    digest = hashlib.sha256(b"\x00\xff").hexdigest()
    text = f'{FIRST}\n["asked",7,{{"a":"\\u00e4","b":{{"sha256":"{digest}"}},"c":null}}]'
    wanted = hmac.new(KEY, text.encode(), "sha256").hexdigest()
    assert seal_of(KEY, FIRST, "asked", 7, {"c": None, "b": b"\x00\xff", "a": "ä"}) == wanted


@given(SEALED_ROWS, SEALED_ROWS)
def test_other_rows_have_other_seals(
    one: Mapping[str, object], other: Mapping[str, object]
) -> None:
    same = seal_of(KEY, FIRST, "t", 1, one) == seal_of(KEY, FIRST, "t", 1, other)
    assert same == (one == other)


def test_bytes_are_no_text_that_reads_like_their_digest() -> None:
    digest = hashlib.sha256(b"x").hexdigest()
    texts = (digest, f'{{"sha256":"{digest}"}}')
    for text in texts:
        plain = seal_of(KEY, FIRST, "t", 1, {"a": text})
        assert seal_of(KEY, FIRST, "t", 1, {"a": b"x"}) != plain


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_all_tables_are_named_and_have_rows_that_stay_as_they_are(
    full: Mapping[str, Path], schema: Schema
) -> None:
    path = full[schema.name]
    found = rows_of(path, "SELECT name FROM sqlite_master WHERE type = 'table'")
    assert {name for (name,) in found} == {*schema.tables, "chain"}
    with closing(sqlite3.connect(path)) as connection:
        for table in (*schema.tables, "chain"):
            assert connection.execute(f"SELECT * FROM {table}").fetchall(), table
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for script in (
                f"DELETE FROM {table}",
                f"DELETE FROM {table} WHERE rowid = 1",
                *(f"UPDATE {table} SET {it} = {it}" for it in (*columns, "rowid")),
            ):
                with pytest.raises(sqlite3.IntegrityError, match="a record is append-only"):
                    connection.execute(script)


def test_a_register_is_no_record_whatever_its_name(
    full: Mapping[str, Path], tmp_path: Path
) -> None:
    shutil.copy(full["register"], tmp_path / RECORD.file_name)
    with pytest.raises(RegisterError, match=r"the record .* was written by another version"):
        log(record_file(tmp_path))
