"""Private files: for their owner alone, whole or not there, and forgotten when asked."""

from __future__ import annotations

import gc
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

import pytest

import discreet as dc
from discreet.custodian import forget_private_files
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.table import Table, files, open_table, private
from discreet.table.engine import connect
from discreet.table.private import forget, own_folder, private_file

CSV = "age,sex\n" + "".join(f"{20 + i % 30}.5,{'fm'[i % 2]}\n" for i in range(200))
ON_POSIX = pytest.mark.skipif(os.name != "posix", reason="files have modes and locks on POSIX")


def opened(path: Path, folder: Path | None) -> Table:
    return open_table(path, kinds={}, roles={}, unit=None, key=None, private=folder)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "cohort.csv"
    path.write_text(CSV)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".discreet"


def names(folder: Path) -> list[str]:
    return sorted(it.name for it in folder.iterdir())


def test_text_is_read_once_a_version(
    text: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opened(text, folder)
    (name,) = names(folder)
    monkeypatch.setattr(files, "write_parquet", None)  # nothing is written again
    again = opened(text, folder)
    text.rename(text.with_name("moved.csv"))  # and no count reads the text
    assert (first.size, again.size) == (200, 200)
    assert first.levels("sex", ()) == again.levels("sex", ())
    assert names(folder) == [name]


def test_changed_text_is_read_anew_and_the_old_file_is_gone(text: Path, folder: Path) -> None:
    opened(text, folder)
    (old,) = names(folder)
    before = text.stat()
    text.write_text(CSV.replace("20.5", "99.5"))
    os.utime(text, ns=(before.st_atime_ns, before.st_mtime_ns))  # as some tools copy
    assert opened(text, folder).extremes("age", 1)[1].tolist() == [99.5]
    assert len(names(folder)) == 1
    assert names(folder) != [old]


@ON_POSIX
def test_it_is_its_owners_alone_from_the_first_moment(
    text: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    write = private.write_parquet

    def look(file: IO[bytes], *rest: object) -> None:
        (partial,) = folder.iterdir()
        seen.append(stat.S_IMODE(partial.stat().st_mode))
        write(file, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "write_parquet", look)
    old = os.umask(0)
    try:
        opened(text, folder)
    finally:
        os.umask(old)

    assert seen == [0o600]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(it.stat().st_mode) for it in folder.iterdir()] == [0o600]


def test_it_is_on_the_disk_before_it_has_its_name(
    text: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda it: done.append("fsync") or fsync(it))  # type: ignore[func-returns-value]
    monkeypatch.setattr(os, "replace", lambda *it: done.append("replace") or replace(*it))  # type: ignore[func-returns-value]
    opened(text, folder)
    assert done[:2] == ["fsync", "replace"]


@pytest.mark.parametrize("damage", [b"PAR1 and no more", None])
def test_one_that_is_no_table_is_made_again(text: Path, folder: Path, damage: bytes | None) -> None:
    opened(text, folder)
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-9] if damage is None else damage)
    assert opened(text, folder).size == 200


def test_text_that_changes_while_it_is_read_is_refused(
    text: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = private.write_parquet

    def meanwhile(*given: object) -> None:
        write(*given)  # type: ignore[arg-type]
        text.write_text(CSV + "1,f\n")

    monkeypatch.setattr(files, "write_parquet", meanwhile)

    with pytest.raises(
        InputError, match=r"^file 'cohort.csv' was changed while it was being read; open"
    ):
        opened(text, folder)
    assert names(folder) == []


@pytest.mark.parametrize("after", ["digest", "writing"])
def test_a_file_that_is_replaced_with_its_time_and_size_is_refused(
    text: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    """As `cp -p` does: else the private file would hold other data than its name says."""
    digest, write = files.digest_of, private.write_parquet
    table = opened(text, None)

    def replaced() -> None:
        before = text.stat()
        other = text.with_name("other")
        other.write_text(CSV.replace("20.5", "99.5"))
        os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
        other.replace(text)

    def digested(path: Path) -> bytes:
        out = digest(path)
        replaced()
        return out

    def written(*given: object) -> None:
        write(*given)  # type: ignore[arg-type]
        replaced()

    if after == "digest":
        monkeypatch.setattr(files, "digest_of", digested)
    else:
        monkeypatch.setattr(files, "write_parquet", written)

    with pytest.raises(
        InputError, match=r"^file 'cohort.csv' was changed while it was being read; open"
    ):
        opened(text, folder)
    assert names(folder) == []
    assert table.source_changed()


def no_room(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_nothing(
    text: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    folder.mkdir()
    monkeypatch.setattr(os, step, no_room)
    with pytest.raises(
        InputError, match=r"^the private file of 'cohort.csv' cannot be kept .* private_files = "
    ):
        private_text(text, folder)
    monkeypatch.undo()
    assert names(folder) == []
    assert opened(text, folder).size == 200


def private_text(text: Path, folder: Path) -> None:
    """Take text into a private file as `read_file` does, without a new DuckDB folder."""
    format, source = files._find_files(text)
    files._parsed_once(connect_before, format, source, text, folder)


connect_before = connect()


@pytest.mark.slow
@ON_POSIX
@pytest.mark.parametrize("where", ["writing", "between"])
def test_what_a_killed_process_left_is_gone_at_the_next_start(
    text: Path, folder: Path, tmp_path: Path, where: str
) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    program = f"""
import os, signal
from pathlib import Path
from discreet.table import files
def killed(file, *rest):
    file.write(b"Canary"); file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
if {where!r} == "writing":
    files.write_parquet = killed
else:
    os.replace = lambda *given: os.kill(os.getpid(), signal.SIGKILL)
files.read_file(Path({str(text)!r}), Path({str(folder)!r}))
"""
    environment = {**os.environ, "TMPDIR": str(spill)}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert [it.endswith(".part") for it in names(folder)] == [True]
    assert names(spill)

    old = tempfile.tempdir
    tempfile.tempdir = str(spill)
    private._sweep_folders.cache_clear()
    try:
        table = opened(text, folder)
        assert table.size == 200
        assert len(names(folder)) == len(names(spill)) == 1
        del table
        gc.collect()
        assert names(spill) == []
    finally:
        tempfile.tempdir = old
        private._sweep_folders.cache_clear()
    assert [it.endswith(".parquet") for it in names(folder)] == [True]


@ON_POSIX
def test_what_another_process_is_writing_stays(
    text: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
import sys, time
from pathlib import Path
from discreet.table.private import own_folder, private_file
def slowly(file):
    owner = type("Owner", (), {{}})()
    print(own_folder(owner), flush=True)
    sys.stdin.readline()
    file.write(b"PAR1")
private_file(Path({str(folder)!r}), Path("other.csv"), b"other", slowly)
"""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        theirs = Path(other.stdout.readline().strip())
        private._sweep_folders.cache_clear()
        opened(text, folder)
        assert theirs.is_dir()
        assert sum(it.endswith(".part") for it in names(folder)) == 1
        other.communicate("go on\n")
    private._sweep_folders.cache_clear()
    assert other.returncode == 0
    assert len(names(folder)) == 2


def swept(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the folders of killed processes be deleted."""
    monkeypatch.setattr(tempfile, "tempdir", str(where))
    private._sweep_folders.cache_clear()
    owner = connect()
    own_folder(owner)
    private._sweep_folders.cache_clear()


def left_behind(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(mode=0o700)
    for name, content in files.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)
    return folder


def test_folders_of_others_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not certainly ours is never deleted, whatever it is called."""
    locked = {private.LOCK: private.MAGIC}
    spilled = {"duckdb_temp_storage_DEFAULT-0.tmp": b"1", "input": b"1"}
    gone = left_behind(tmp_path / f"{private.OWN}gone", {**locked, **spilled})
    foreign = {
        "discreet-project": {"lock": b"", "thesis.txt": b"1"},
        f"{private.OWN}other": {private.LOCK: b"", "input": b"1"},
        f"{private.OWN}open": {**locked, "input": b"1"},
        f"{private.OWN}mixed": {**locked, "thesis.txt": b"1"},
    }
    for name, held in foreign.items():
        left_behind(tmp_path / name, held)
    (tmp_path / f"{private.OWN}open").chmod(0o755)
    whole = left_behind(tmp_path / "whole", {**locked, "input": b"1"})
    (tmp_path / f"{private.OWN}link").symlink_to(whole)

    swept(tmp_path, monkeypatch)

    if os.name == "posix":
        assert not gone.exists()
        assert (whole / "input").exists()
        assert (tmp_path / f"{private.OWN}open" / "input").exists()
    for name in ("discreet-project", f"{private.OWN}other", f"{private.OWN}mixed"):
        assert {it.name for it in (tmp_path / name).iterdir()} == {*foreign[name]}


@ON_POSIX
def test_a_forked_child_deletes_nothing_of_its_parent(tmp_path: Path) -> None:
    program = """
import os, sys
from discreet.table.private import own_folder
class Owner: pass
owner = Owner()
folder = own_folder(owner)
child = os.fork()
if not child:
    sys.exit()
os.waitpid(child, 0)
print(folder.is_dir())
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    told = subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
    )

    assert told.stdout == "True\n"
    assert names(tmp_path) == []


# --- what a policy says, and forgetting ----------------------------------------------------------


def policy_in(folder: Path, more: str = "") -> Path:
    path = folder / "clinic.toml"
    path.write_text(f'name = "clinic"\nunit = false\npublic = true\n{more}')
    return path


def test_the_policy_says_whether_there_is_one(text: Path, folder: Path) -> None:
    without = policy_in(text.parent, "private_files = false\n")
    pictures = [dc.open(text, without).histogram("age").to_json()]
    assert not [*folder.glob("raw-*")]
    policy = policy_in(text.parent)
    pictures += [dc.open(text, policy).histogram("age").to_json()]
    assert len([*folder.glob("raw-*")]) == 1
    assert pictures[0] == pictures[1]
    dc.open(text, "standard", unit=False)  # no policy file, no folder of its own
    assert Policy().private_files
    assert not [*text.parent.glob("*.parquet")]


def test_a_policy_that_will_have_none_deletes_those_of_the_source(text: Path, folder: Path) -> None:
    other = text.with_name("other.csv")
    other.write_text(CSV)
    for path in (text, other):
        dc.open(path, policy_in(text.parent))
    before = {it.name for it in folder.glob("raw-*")}
    text.write_text(CSV.replace("20.5", "99.5"))
    dc.open(text, policy_in(text.parent, "private_files = false\n"))
    assert len({it.name for it in folder.glob("raw-*")} & before) == len(before) - 1 == 1
    assert forget(folder, other) == 1


def test_private_files_are_forgotten_and_nothing_else(text: Path, folder: Path) -> None:
    policy = policy_in(text.parent)
    study = dc.open(text, policy)
    study.histogram("age").to_json()
    kept = {it for it in names(folder) if not it.startswith("raw-")}
    assert forget_private_files(policy) == 1
    assert {*names(folder)} >= kept
    assert not [*folder.glob("raw-*")]
    assert forget_private_files(policy) == 0
    assert forget_private_files("standard") == 0
    with pytest.raises(InputError, match=r"its private file is gone or damaged; open the study"):
        study.session.table.levels("sex", ("age",))
    assert dc.open(text, policy).session.table.size == 200


def parquet_of(digest: bytes, value: int) -> Callable[[IO[bytes]], None]:
    import pyarrow as pa

    made = pa.table({"x": [value]})
    return lambda file: private.write_parquet(file, made.to_reader(), {}, {}, {}, digest)


def test_a_private_file_is_written_on_the_first_call_alone(folder: Path) -> None:
    first = private_file(folder, Path("a.csv"), b"a", parquet_of(b"a", 1))
    written = first.read_bytes()
    assert private_file(folder, Path("a.csv"), b"a", parquet_of(b"a", 2)) == first
    assert first.read_bytes() == written


@ON_POSIX
@pytest.mark.parametrize("how", ["link", "others may write", "another digest"])
def test_a_private_file_that_another_put_there_is_not_read(
    folder: Path, tmp_path: Path, how: str
) -> None:
    path = private_file(folder, Path("a.csv"), b"a", parquet_of(b"a", 1))
    whole = path.read_bytes()
    foreign = tmp_path / "foreign.parquet"
    with foreign.open("wb") as file:
        parquet_of(b"b" if how == "another digest" else b"a", 2)(file)
    before = foreign.read_bytes()
    foreign.chmod(0o666 if how == "others may write" else 0o600)
    path.unlink()
    path.symlink_to(foreign) if how == "link" else foreign.rename(path)
    assert private_file(folder, Path("a.csv"), b"a", parquet_of(b"a", 1)) == path
    assert path.read_bytes() == whole
    assert stat.S_IMODE(path.lstat().st_mode) == 0o600
    assert how != "link" or foreign.read_bytes() == before


@ON_POSIX
def test_the_folder_is_its_owners_alone(
    folder: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir(mode=0o755)
    opened(text, folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    monkeypatch.setattr(private, "_check_owner", partial(as_another, private._check_owner))
    with pytest.raises(InputError, match=r"belongs to another user.* private_files = false"):
        opened(text, folder)


def as_another(call: Callable[[Path], None], folder: Path) -> None:
    """Call something as a user that the folder does not belong to."""
    own = os.getuid()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "getuid", lambda: own + 1)
        call(folder)
