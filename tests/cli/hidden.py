"""What may hide a file of records from a command: what is in its place, or where its folder is."""

from __future__ import annotations

import shutil
from pathlib import Path


def folder_for_file(path: Path) -> None:
    path.unlink()
    path.mkdir()


def circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def moved_away(path: Path) -> None:
    shutil.move(path, path.parent.parent / "elsewhere.sqlite")
    path.symlink_to("gone.sqlite")


def file_for_folder(path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.touch()


def missing_disk(path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.symlink_to(path.parent.parent / "not mounted")


FILES = (folder_for_file, circle, moved_away)
FOLDERS = (file_for_folder, missing_disk)
