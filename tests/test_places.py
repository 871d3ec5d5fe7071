"""What is not there, and what cannot be seen: the one is never taken for the other."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from discreet.places import files_like, is_there


def loop(path: Path) -> None:
    path.symlink_to(path.with_name("other"))
    path.with_name("other").symlink_to(path)


def below_nothing(path: Path) -> None:
    path.parent.rmdir()
    path.parent.symlink_to("nowhere")


def below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.touch()


HIDDEN: dict[str, tuple[Callable[[Path], object], type[OSError]]] = {
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), FileNotFoundError),
    "links in a circle": (loop, OSError),
    "below a link to nothing": (below_nothing, FileNotFoundError),
    "below a file": (below_a_file, NotADirectoryError),
}


@pytest.mark.parametrize(("make", "kind"), HIDDEN.values(), ids=HIDDEN)
def test_what_cannot_be_seen_is_an_error(
    tmp_path: Path, make: Callable[[Path], object], kind: type[OSError]
) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    make(folder / "register.sqlite")
    with pytest.raises(kind, match=r"register\.sqlite"):
        is_there(folder / "register.sqlite")


def test_what_is_there_and_what_is_not(tmp_path: Path) -> None:
    for name in ("b-1", "a-2", "a-1"):
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to(tmp_path / "a-1")
    assert is_there(tmp_path)
    assert is_there(tmp_path / "link")
    assert not is_there(tmp_path / "c" / "d")
    assert files_like(tmp_path, "a-?") == [tmp_path / "a-1", tmp_path / "a-2"]
    assert files_like(tmp_path / "c", "*") == []


def test_a_folder_that_may_not_be_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "listdir", refuse)  # root may read any
    with pytest.raises(PermissionError, match="Permission denied"):
        files_like(tmp_path, "*")
