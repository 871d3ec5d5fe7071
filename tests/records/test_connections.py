"""Connections to a file of records: kept, shared by threads, and not by forked processes."""

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import LeavingError
from discreet.records.store import Store, Verification, verify
from tests.records.given import register_file, row_at, started, times, told, write_rows

LOST = (
    r"the register .* was deleted, moved or replaced while it was in use,"
    r" so nothing can be released"
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return the store of a folder that is not there yet."""
    return register_file(tmp_path / "state")


# --- connections that are kept ----------------------------------------------------------------


def test_connections_are_kept_while_somebody_wants_them(store: Store) -> None:
    def beside() -> set[str]:
        return {path.name for path in store.path.parent.iterdir()}

    with store.kept_open():
        with store.kept_open():
            write_rows(store, "one")
        assert "register.sqlite-wal" in beside()
        write_rows(store, "two")
    assert beside() == {"register.sqlite"}


def test_a_file_that_goes_while_it_is_kept_open_is_not_begun_anew(
    store: Store, tmp_path: Path
) -> None:
    write_rows(store, "one")
    shutil.copy(store.path, tmp_path / "backup")
    with store.kept_open():
        write_rows(store, "two")
        for path in [*store.path.parent.iterdir()]:
            path.unlink()
        for _ in range(2):  # gone, then put back as it was before
            with pytest.raises(LeavingError, match=LOST):
                write_rows(store, "three")
            with pytest.raises(LeavingError, match=LOST):
                times(store)
            if not store.path.exists():
                shutil.copy(tmp_path / "backup", store.path)
    with pytest.raises(LeavingError, match=LOST):
        write_rows(store, "four")
    again = register_file(store.path.parent)
    write_rows(again, "five")
    assert times(again) == ["one", "five"]


def test_a_file_that_is_made_while_it_is_kept_open_is_the_one_from_then_on(store: Store) -> None:
    with store.kept_open():
        assert times(store) == []
        write_rows(store, "one")
        assert times(store) == ["one"]
        store.path.unlink()
        with pytest.raises(LeavingError, match=LOST):
            write_rows(store, "two")
        assert not store.path.exists()


# --- what others do beside it -----------------------------------------------------------------

LOOKED = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(*[at for (at,) in connection.execute("SELECT opened FROM version ORDER BY id")])
connection.close()
"""


def test_other_programs_leave_what_is_written_ahead_to_who_keeps_it_open(store: Store) -> None:
    ahead = store.path.with_name("register.sqlite-wal")
    with store.kept_open():
        write_rows(store, "one")
        number = ahead.stat().st_ino
        with store.reading():
            write_rows(store, "two")  # by a second connection, which is opened beside the first
        assert told(started(LOOKED, store.path)) == ["one two"]
        assert ahead.stat().st_ino == number
        with store._connected():
            store.let_go()  # as before a fork
        write_rows(store, "three")
        assert told(started(LOOKED, store.path)) == ["one two three"]
        assert ahead.stat().st_ino == number
    assert not ahead.exists()


WATCHED = """
import os, sys
from pathlib import Path
from discreet.records.outputs import list_outputs
from discreet.records.store import verify
from tests.records.given import handed_in, register_file, write_rows

opened = []

def watch(event, words):
    if event in ("open", "os.link", "shutil.copyfile"):
        opened.append(str(words[0]))

sys.addaudithook(watch)
os.umask(0)
store = register_file(Path(sys.argv[1]) / "state")
write_rows(store, "one")
with store.kept_open():
    write_rows(store, "two")
    with store.reading():
        handed_in(store)
    verify(store), list_outputs(store)
print(*[path for path in opened if "register.sqlite" in path])
print(*[oct(it.stat().st_mode)[-3:] for it in (store.path.parent, store.path)])
print(*[it.name for it in store.path.parent.iterdir()])
"""


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
def test_sqlite_alone_opens_the_file_and_its_owner_alone_reads_it(tmp_path: Path) -> None:
    assert told(started(WATCHED, tmp_path)) == ["", "700 600", "register.sqlite"]


@pytest.mark.parametrize(("end", "put_back"), [("", False), ("-wal", True), ("-shm", False)])
def test_a_file_of_the_register_that_goes_ends_all_and_is_told_once(
    store: Store, caplog: pytest.LogCaptureFixture, end: str, put_back: bool
) -> None:
    path = store.path.with_name(f"register.sqlite{end}")
    write_rows(store, "one")
    with store.kept_open():
        write_rows(store, "two")
        assert times(store) == ["one", "two"]
        content = path.read_bytes()
        path.unlink()
        if put_back:
            path.write_bytes(content)
        for act in (times, write_rows, verify):
            with pytest.raises(LeavingError, match=LOST):
                act(store)
        assert path.exists() == put_back
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("discreet.records", "ERROR")
    assert "stop this program" in record.getMessage()


OTHERS = """
import sys
from pathlib import Path
from tests.records.given import register_file, write_rows

write_rows(register_file(Path(sys.argv[1])), *(f"other {n}" for n in range(40)))
"""


VERIFIED = """
import sys
from pathlib import Path
from discreet.records.store import verify
from tests.records.given import register_file, row_at

found = verify(register_file(Path(sys.argv[1])))
print(found.rows, found.broken)
"""


@pytest.mark.skipif(os.name != "posix", reason="locks are those of POSIX")
@pytest.mark.parametrize("when", ["before it is written", "while it is written"])
def test_what_others_would_not_find_was_not_written_nor_is_it_moved_there_at_the_end(
    store: Store, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    def lose() -> None:
        """Drop all locks of this process, and let another do what it does with a file nobody uses.

        What is written ahead is in the file then, and gone.
        """
        os.close(os.open(store.path, os.O_RDONLY))
        assert told(started(LOOKED, store.path)) == ["one"]
        assert not store.path.with_name("register.sqlite-wal").exists()

    def write() -> None:
        with store.writing() as connection:
            store.append(connection, "version", row_at("two"))
            if when == "before it is written":
                lose()
            else:
                armed.append(lose)

    class Late(sqlite3.Connection):
        """Loses the file when all checks before the end of a transaction are done."""

        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            if statement == "COMMIT" and armed:
                armed.pop()()
            return super().execute(statement, *values)

    armed: list[Callable[[], None]] = []
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **b: connect(*a, **b, factory=Late))
    with store.kept_open():
        write_rows(store, "one")
        with store.reading():
            times(store)  # by a second connection, which is kept to the end
        with pytest.raises(LeavingError, match=LOST):
            write()
        told(started(OTHERS, store.path.parent))
    assert armed == []
    words = ["one", *(f"other {n}" for n in range(40))]
    assert told(started(LOOKED, store.path)) == [" ".join(words)]
    assert told(started(VERIFIED, store.path.parent)) == ["41 ()"]


def test_only_the_file_that_is_expected_is_taken(store: Store, tmp_path: Path) -> None:
    assert store.place is None
    write_rows(store, "one")
    first = store.place
    assert first is not None
    other = register_file(store.path.parent)
    other.expect(first)
    with other.kept_open():
        assert times(other) == ["one"]
    other.expect((first[0], first[1] + 1))
    with other.kept_open(), pytest.raises(LeavingError, match=LOST):
        times(other)


@pytest.fixture
def quickly_tidied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is written ahead be moved after a few rows."""
    monkeypatch.setattr("discreet.records.store.MOST_AHEAD", 50_000)
    monkeypatch.setattr("discreet.records.store.TIDY_SECONDS", 0.0)
    monkeypatch.setattr("discreet.records.store.TIDY_WAIT_SECONDS", 0.01)


def ahead(store: Store) -> int:
    """Return how many bytes are written ahead."""
    return store.path.with_name("register.sqlite-wal").stat().st_size


@pytest.mark.usefixtures("quickly_tidied")
def test_what_is_written_ahead_stays_short(store: Store) -> None:
    sizes = []
    with store.kept_open():
        for row in range(60):
            write_rows(store, str(row))
            sizes.append(ahead(store))
    assert max(sizes) < 50_000
    assert sizes.count(0) > 1
    assert verify(store) == Verification(60, verify(store).head, ())


@pytest.mark.usefixtures("quickly_tidied")
def test_who_reads_for_long_holds_nobody_off(store: Store) -> None:
    with store.kept_open():
        write_rows(store, "0")
        with store.reading() as connection:
            before = connection.execute("SELECT count(*) FROM version").fetchone()
            for row in range(1, 40):
                write_rows(store, str(row))
            assert connection.execute("SELECT count(*) FROM version").fetchone() == before == (1,)
            assert ahead(store) > 50_000
        write_rows(store, "40")
        assert ahead(store) == 0
    assert len(times(store)) == 41
    assert verify(store).broken == ()


@pytest.mark.usefixtures("quickly_tidied")
def test_threads_lose_nothing_while_it_is_moved(store: Store) -> None:
    with store.kept_open(), ThreadPoolExecutor(4) as pool:
        other = register_file(store.path.parent)
        with other.kept_open():
            list(pool.map(lambda n: write_rows((store, other)[n % 2], str(n)), range(80)))
    assert sorted(map(int, times(store))) == [*range(80)]
    assert verify(store).broken == ()


def test_who_waits_too_long_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, done = threading.Event(), threading.Event()

    def hold() -> None:
        with store.writing():
            inside.set()
            done.wait(60)

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(hold)
        assert inside.wait(60)
        with monkeypatch.context() as patched:
            patched.setattr("discreet.records.store.WAIT_SECONDS", 0.05)
            for waiting in (store, register_file(store.path.parent)):  # a thread, another process
                with pytest.raises(LeavingError, match="is damaged or in use"):
                    write_rows(waiting, "one")
        done.set()
        held.result()
    write_rows(store, "two")
    assert times(store) == ["two"]


FORKED = """
import os, sys
from pathlib import Path
from discreet.records.store import verify
from tests.records.given import register_file, row_at

def write(at):
    with store.writing() as connection:
        store.append(connection, "version", row_at(at))

store = register_file(Path(sys.argv[1]))
with store.kept_open():
    write("before")
    child = os.fork()
    for n in range(20):
        write(f"{'child' if child == 0 else 'parent'} {n}")
if child == 0:
    os._exit(0)
_, status = os.waitpid(child, 0)
with store.reading() as connection:
    query = "SELECT count(*), count(DISTINCT opened) FROM version"
    print(status, *connection.execute(query).fetchone())
print(verify(store).broken)
"""


FORKED_WITHIN = """
import os, sys
from pathlib import Path
from discreet.errors import LeavingError
from discreet.records.store import verify
from tests.records.given import register_file, row_at

store = register_file(Path(sys.argv[1]))
with store.writing() as connection:
    store.append(connection, "version", row_at("parent"))
    child = os.fork()
    if child == 0:
        try:
            with store.reading():
                print("read")
        except LeavingError:
            os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(verify(store).rows)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_who_is_forked_within_a_transaction_does_not_touch_the_file(tmp_path: Path) -> None:
    assert told(started(FORKED_WITHIN, tmp_path)) == ["7", "1"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_forks_keeps_its_connections(tmp_path: Path) -> None:
    assert told(started(FORKED, tmp_path)) == ["0 41 41", "()"]
