"""Connections to the ledger's file: kept, shared by threads, and not by forked processes."""

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from discreet.errors import LeavingError
from discreet.ledger import Store, Verification, verify
from tests.ledger.given import SECRET, adopt, started, times, told


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return the store of a folder that is not there yet."""
    return Store(tmp_path / "state", SECRET)


# --- connections that are kept ----------------------------------------------------------------


def test_connections_are_kept_while_somebody_wants_them(store: Store) -> None:
    def beside() -> set[str]:
        return {path.name for path in store.path.parent.iterdir()}

    with store.kept_open():
        with store.kept_open():
            adopt(store, "one")
        assert "ledger.sqlite-wal" in beside()
        adopt(store, "two")
    assert beside() == {"ledger.sqlite"}


def test_a_file_that_goes_while_it_is_kept_open_is_not_begun_anew(
    store: Store, tmp_path: Path
) -> None:
    adopt(store, "one")
    shutil.copy(store.path, tmp_path / "backup")
    with store.kept_open():
        adopt(store, "two")
        for path in [*store.path.parent.iterdir()]:
            path.unlink()
        for _ in range(2):  # gone, then put back as it was before
            with pytest.raises(LeavingError, match="damaged or in use"):
                adopt(store, "three")
            with pytest.raises(LeavingError, match="damaged or in use"):
                times(store)
            if not store.path.exists():
                shutil.copy(tmp_path / "backup", store.path)
    adopt(store, "four")
    assert times(store) == ["one", "four"]


def test_a_file_that_is_made_while_it_is_kept_open_is_the_one_from_then_on(store: Store) -> None:
    with store.kept_open():
        assert times(store) == []
        adopt(store, "one")
        assert times(store) == ["one"]
        store.path.unlink()
        with pytest.raises(LeavingError, match="damaged or in use"):
            adopt(store, "two")
        assert not store.path.exists()


@pytest.fixture
def quickly_tidied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is written ahead be moved after a few rows."""
    monkeypatch.setattr("discreet.ledger.connections.MOST_AHEAD", 50_000)
    monkeypatch.setattr("discreet.ledger.connections.TIDY_SECONDS", 0.0)
    monkeypatch.setattr("discreet.ledger.connections.TIDY_WAIT_SECONDS", 0.01)


def ahead(store: Store) -> int:
    """Return how many bytes are written ahead."""
    return store.path.with_name("ledger.sqlite-wal").stat().st_size


@pytest.mark.usefixtures("quickly_tidied")
def test_what_is_written_ahead_stays_short(store: Store) -> None:
    sizes = []
    with store.kept_open():
        for row in range(60):
            adopt(store, str(row))
            sizes.append(ahead(store))
    assert max(sizes) < 50_000
    assert sizes.count(0) > 1
    assert verify(store) == Verification(60, verify(store).head, (), "0")


@pytest.mark.usefixtures("quickly_tidied")
def test_who_reads_for_long_holds_nobody_off(store: Store) -> None:
    with store.kept_open():
        adopt(store, "0")
        with store.reading() as connection:
            before = connection.execute("SELECT count(*) FROM adoption").fetchone()
            for row in range(1, 40):
                adopt(store, str(row))
            assert connection.execute("SELECT count(*) FROM adoption").fetchone() == before == (1,)
            assert ahead(store) > 50_000
        adopt(store, "40")
        assert ahead(store) == 0
    assert len(times(store)) == 41
    assert verify(store).broken == ()


@pytest.mark.usefixtures("quickly_tidied")
def test_threads_lose_nothing_while_it_is_moved(store: Store) -> None:
    with store.kept_open(), ThreadPoolExecutor(4) as pool:
        other = Store(store.path.parent, SECRET)
        with other.kept_open():
            list(pool.map(lambda n: adopt((store, other)[n % 2], str(n)), range(200)))
    assert sorted(map(int, times(store))) == [*range(200)]
    assert verify(store).broken == ()


def test_threads_write_one_after_the_other(store: Store) -> None:
    wanted = [str(n) for n in range(80)]

    with store.kept_open(), ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda at: adopt(store, at), wanted))
    with ThreadPoolExecutor(8) as pool:  # each with a store, and so a queue, of its own
        list(pool.map(lambda at: adopt(Store(store.path.parent, SECRET), at), wanted))

    assert sorted(times(store)) == sorted(wanted * 2)
    assert verify(store).broken == ()


def test_who_waits_too_long_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.ledger.connections.WAIT_SECONDS", 0.05)
    inside, done = threading.Event(), threading.Event()

    def hold() -> None:
        with store.writing():
            inside.set()
            done.wait(10)

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(hold)
        inside.wait(10)
        for waiting in (store, Store(store.path.parent, SECRET)):  # one thread, another process
            with pytest.raises(LeavingError, match="is damaged or in use"):
                adopt(waiting, "one")
        done.set()
        held.result()
    adopt(store, "two")
    assert times(store) == ["two"]


FORKED = """
import os, sys
from pathlib import Path
from discreet.ledger import Store, verify
from tests.ledger.given import SECRET

def write(at):
    with store.writing() as connection:
        store.append(connection, "adoption", {"at": at})

store = Store(Path(sys.argv[1]), SECRET)
with store.kept_open():
    write("before")
    child = os.fork()
    for n in range(20):
        write(f"{'child' if child == 0 else 'parent'} {n}")
if child == 0:
    os._exit(0)
_, status = os.waitpid(child, 0)
with store.reading() as connection:
    query = "SELECT count(*), count(DISTINCT at) FROM adoption"
    print(status, *connection.execute(query).fetchone())
print(verify(store).broken)
"""


FORKED_WITHIN = """
import os, sys
from pathlib import Path
from discreet.errors import LeavingError
from discreet.ledger import Store, verify
from tests.ledger.given import SECRET

store = Store(Path(sys.argv[1]), SECRET)
with store.writing() as connection:
    store.append(connection, "adoption", {"at": "parent"})
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
