"""State that cannot be read is never reported as empty: each command says so, and ends so."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.hidden import FILES, FOLDERS, folder_for_file

pytestmark = pytest.mark.usefixtures("no_intervals")

NOBODY = 65534

Run = Callable[..., tuple[int, str, str]]

COMMANDS: dict[str, tuple[str, ...]] = {
    "log": ("log",),
    "log --released": ("log", "--released"),
    "log --verify": ("log", "--verify"),
    "doctor": ("doctor",),
    "plot": ("plot", "histogram", "FILE", "age", "--json"),
    "columns": ("columns", "FILE"),
    "board": ("board", "FILE", "-o", "BOARD"),
    "outputs": ("outputs", "FOLDER"),
    "forget": ("forget",),
}
OF_REGISTER = [name for name in COMMANDS if name not in ("forget", "columns")]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Write a table and a policy: its state lies in a folder .discreet beside it."""
    names = {"FILE": "t.csv", "POLICY": "ours.toml", "BOARD": "b.html", "FOLDER": "request"}
    found = {word: str(tmp_path / name) for word, name in names.items()}
    rows = [f"{20 + i * 7 % 61},{i % 3}" for i in range(120)]
    Path(found["FILE"]).write_text("\n".join(["age,group", *rows]))
    Path(found["POLICY"]).write_text('study = "ours"\n')
    return found


def called(run: Run, files: dict[str, str], command: str) -> tuple[int, str, str]:
    words = (files.get(word, word) for word in COMMANDS[command])
    return run(*words, "--policy", files["POLICY"])


def begun(run: Run, files: dict[str, str]) -> Path:
    """Release something, so that there is a register, a secret and a copy; return their folder."""
    assert called(run, files, "plot")[0] == 0
    return Path(files["POLICY"]).with_name(".discreet")


def test_each_command_works_where_its_state_can_be_read(run: Run, files: dict[str, str]) -> None:
    begun(run, files)
    for command in COMMANDS:
        code, _, err = called(run, files, command)
        assert code == 0, err


@pytest.mark.parametrize("change", [*FILES, *FOLDERS], ids=lambda it: it.__name__)
def test_what_hides_a_register_is_said(
    run: Run, files: dict[str, str], change: Callable[[Path], None]
) -> None:
    change(begun(run, files) / "register.sqlite")
    for command in COMMANDS if change in FOLDERS else OF_REGISTER:
        code, out, err = called(run, files, command)
        assert code in (1, 2, 3, 4), (command, out, err)
        assert "register" in out + err or "cannot be" in out + err, command
        assert "nothing was asked" not in out
        assert "discreet can work" not in out
        assert "unexpected" not in err


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Refuse to look at what lies in some folders, as a system does to whoever is not root."""
    folders: list[Path] = []
    honest_stat, honest_list = os.stat, os.listdir

    def check(path: object) -> None:
        if any(Path(os.fspath(path)).is_relative_to(it) for it in folders):  # type: ignore[call-overload]
            raise PermissionError(13, "Permission denied", str(path))

    def stat(path: object, **how: object) -> os.stat_result:
        if isinstance(path, str | os.PathLike):
            check(path)
        return honest_stat(path, **how)  # type: ignore[arg-type]

    def listdir(path: object = ".") -> list[str]:
        check(path)
        return honest_list(path)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(os, "stat", stat)
    monkeypatch.setattr(os, "listdir", listdir)
    return folders


def test_state_that_may_not_be_read_is_said(
    run: Run, files: dict[str, str], refused: list[Path]
) -> None:
    refused.append(begun(run, files))
    for command in COMMANDS:
        code, out, err = called(run, files, command)
        assert code in (1, 2, 3, 4), (command, out, err)
        assert "PermissionError" in out + err, command


def test_a_secret_that_may_not_be_read_is_said_and_no_other_is_made(
    run: Run, files: dict[str, str], refused: list[Path], own_home: Path
) -> None:
    state = begun(run, files)
    before = {it.name: it.stat().st_mtime_ns for it in state.iterdir()}
    refused.append(own_home / ".config/discreet")
    for command in COMMANDS:
        if command == "forget":  # needs none
            continue
        code, out, err = called(run, files, command)
        assert code in (1, 2), (command, out, err)
        assert "there is a secret" in out + err
        assert "PermissionError" in out + err
    assert {it.name: it.stat().st_mtime_ns for it in state.iterdir()} == before


def test_a_policy_file_that_cannot_be_read_is_said(run: Run, files: dict[str, str]) -> None:
    folder_for_file(Path(files["POLICY"]))
    code, out, err = called(run, files, "log")
    assert (code, out) == (2, "")
    assert "ours.toml' cannot be read (IsADirectoryError)" in err


@pytest.fixture
def stranger() -> Iterator[Callable[[Path], None]]:
    """Make a folder one that this process may not enter: root does so by being somebody else."""
    closed: list[Path] = []

    def close(folder: Path) -> None:
        folder.chmod(0)
        closed.append(folder)
        if os.geteuid() == 0:
            os.seteuid(NOBODY)

    root = os.geteuid() == 0
    yield close
    if root:
        os.seteuid(0)
    for folder in closed:
        folder.chmod(0o700)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such rights")
@pytest.mark.parametrize("command", ["log", "doctor"])
def test_another_user_is_told_that_state_is_not_theirs(
    run: Run,
    files: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    stranger: Callable[[Path], None],
    command: str,
) -> None:
    state = begun(run, files)
    monkeypatch.setenv("DISCREET_STATE", str(state))
    monkeypatch.setenv("DISCREET_SECRET", "0123456789abcdef" * 4)
    run(*COMMANDS[command])  # whatever it imports, the other user may not
    stranger(state)
    code, out, err = run(*COMMANDS[command])
    assert code in (1, 2, 4), (out, err)
    assert "PermissionError" in out + err
