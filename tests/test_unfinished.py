"""Files are written whole or not at all, and what a killed process has begun is deleted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from discreet import unfinished
from discreet.unfinished import (
    being_released,
    being_written,
    delete_unfinished,
    partial_folder,
    write_once,
)

ON_POSIX = pytest.mark.skipif(os.name != "posix", reason="locks and rights as POSIX has them")


def names(folder: Path) -> list[str]:
    return sorted(it.name for it in folder.iterdir())


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_file_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "raw-1.parquet"
    with being_written(path) as file:
        file.write(b"rows")
        assert not path.exists()
    assert path.read_bytes() == b"rows"
    assert names(tmp_path) == ["raw-1.parquet"]


def test_what_is_written_once_is_what_came_first(tmp_path: Path) -> None:
    path = tmp_path / "key"
    for text in (b"first", b"second"):
        write_once(path, text)
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["key"]
    assert os.name != "posix" or mode_of(path) == 0o600


@ON_POSIX
def test_rights_are_those_of_its_owner_and_of_what_is_released_the_usual(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    with being_written(tmp_path / "private"):
        assert {mode_of(it) for it in tmp_path.glob("private*")} == {0o600}
    with being_released(tmp_path / "released") as part:
        part.write_bytes(b"rows")
        assert mode_of(part) == 0o600
    assert mode_of(tmp_path / "private") == 0o600
    assert mode_of(tmp_path / "released") == mode_of(tmp_path / "usual")


@ON_POSIX
def test_a_disk_that_knows_no_rights_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "chmod", refused)
    monkeypatch.setattr(os, "fchmod", refused)
    with being_released(tmp_path / "a.csv") as part:
        part.write_bytes(b"rows")
    assert (tmp_path / "a.csv").read_bytes() == b"rows"


@pytest.mark.parametrize("begin", [being_written, being_released, partial_folder])
def test_what_fails_is_not_there(
    tmp_path: Path, begin: Callable[[Path], AbstractContextManager[object]]
) -> None:
    with pytest.raises(ZeroDivisionError, match="zero"), begin(tmp_path / "a.csv"):
        1 / len(())
    assert names(tmp_path) == []


@ON_POSIX
def test_half_a_file_is_locked_before_anybody_can_find_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[Path]] = []
    locked = unfinished._locked

    def look(file: int) -> bool:
        seen.append([*tmp_path.glob("raw-*")])
        return locked(file)

    monkeypatch.setattr(unfinished, "_locked", look)
    with being_written(tmp_path / "raw-1.parquet"):
        pass
    assert seen == [[]]


def test_a_folder_is_kept_where_it_is_renamed(tmp_path: Path) -> None:
    path = tmp_path / "whole-1.parquet"
    with partial_folder(path) as folder:
        (folder / "part-1.parquet").touch()
        folder.rename(path)
    assert names(tmp_path) == ["whole-1.parquet"]
    assert names(path) == ["part-1.parquet"]


KILLED = """
import os, signal, sys
from pathlib import Path
from discreet import unfinished
with getattr(unfinished, sys.argv[1])(Path(sys.argv[2])) as given:
    if sys.argv[1] == "partial_folder":
        (given / "part-1.parquet").touch()
    if sys.argv[3] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    print("begun", flush=True)
    sys.stdin.readline()
"""
BEGUN = {"being_written": 1, "being_released": 1, "partial_folder": 2}
"""How many names there are of what is begun."""


def begun(how: str, path: Path, end: str) -> subprocess.Popen[str]:
    """Begin to write in another process, which is killed or waits."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", KILLED, how, str(path), end], **pipes)


@ON_POSIX
@pytest.mark.parametrize("how", BEGUN)
def test_what_a_killed_process_has_begun_is_deleted(tmp_path: Path, how: str) -> None:
    kept = [".discreet-note.txt", "whole-thesis.part.txt"]
    for name in kept:
        (tmp_path / name).touch(mode=0o600)
    foreign = tmp_path / ".discreet-of-another.part"
    foreign.touch()
    foreign.chmod(0o644)
    with begun(how, tmp_path / "whole-1.parquet", "killed") as other:
        assert other.wait() == -signal.SIGKILL
    assert len(names(tmp_path)) == 3 + BEGUN[how]
    delete_unfinished(tmp_path, "whole-")
    with being_released(tmp_path / "a.csv"):
        pass
    assert names(tmp_path) == sorted([*kept, foreign.name, "a.csv"])


@ON_POSIX
@pytest.mark.parametrize("how", BEGUN)
def test_what_another_process_is_writing_stays(tmp_path: Path, how: str) -> None:
    with begun(how, tmp_path / "whole-1.parquet", "waits") as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == "begun\n"
        before = names(tmp_path)
        delete_unfinished(tmp_path, "whole-")
        with being_released(tmp_path / "a.csv"):
            pass
        assert names(tmp_path) == sorted([*before, "a.csv"])
        assert len(before) == BEGUN[how]
        other.communicate("go on\n")
    assert other.returncode == 0
