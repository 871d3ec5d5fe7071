"""Files that are written whole or not at all, and what is begun and not finished.

What is being written has another name, and is locked by the process that writes it. Once all of it
is on the disk it gets its own name: nobody ever finds half of one. What a process that was killed
has begun nobody holds a lock on: it is deleted when the next such file is written there.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from discreet.errors import InputError, one_of
from discreet.secret import unguessable

if sys.platform != "win32":
    import fcntl

AHEAD = "."
"""How the name of a file begins that is not locked yet."""
PART, FOLDER = ".part", ".folder"
"""How the name ends of a file that is being written, and of a folder; the lock of a folder is a
file whose name ends as both."""
RELEASED = ".discreet-"
"""How the name begins of what is being written where a user wants it."""
OWN, USUAL = 0o600, 0o666
"""Rights of a file of readable only by its owner, and of one as the user's others are."""


@contextmanager
def being_written(path: Path) -> Iterator[IO[bytes]]:
    """Give a file that its owner alone may read: all of it is on the disk before it has its name.

    What a process that is killed has begun of it is for `delete_unfinished`. Raises OSError where
    it cannot be written.
    """
    with partial_file(path, f"{path.name}.", OWN) as (file, partial):
        yield file
        _finish(file, partial, path, OWN)


@contextmanager
def being_released(path: Path, *, own: bool = False) -> Iterator[Path]:
    """Give where to write what is released: it has its name once all of it is on the disk.

    Others may then read it as they may the user's other files, unless it is its owner's `own`.
    What a process that was killed has begun to write into this folder is deleted first. Raises
    OSError where it cannot be written.
    """
    delete_unfinished(path.parent, RELEASED)
    with partial_file(path, RELEASED, USUAL) as (file, partial):
        mode = OWN if own else stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        with suppress(OSError):  # a disk may know no rights
            partial.chmod(OWN)
        yield partial
        _finish(file, partial, path, mode)


def path_to_save(path: str | os.PathLike[str], suffixes: Sequence[str], what: str) -> Path:
    """Give `path` back as a Path that `what` can be saved to, as one of `suffixes`."""
    target = Path(path)
    if target.suffix.lower() not in suffixes:
        raise InputError(f"{what} is saved as one of {one_of(suffixes)}")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {str(target.parent)!r} to save into; make it first")
    if target.is_dir():
        raise InputError(f"{str(target)!r} is a folder; name a file to save into")
    return target


def write_whole(data: bytes, path: Path) -> None:
    """Write a file whole or not at all."""
    with writing_whole(path) as part:
        part.write_bytes(data)


@contextmanager
def writing_whole(path: Path) -> Iterator[Path]:
    """Give the path of a file that has its name once it is written whole, or is gone."""
    try:
        with being_released(path) as part:
            yield part
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be written ({type(error).__name__}); choose another place"
        ) from None


@contextmanager
def partial_file(path: Path, begins: str, mode: int = OWN) -> Iterator[tuple[IO[bytes], Path]]:
    """Give a locked file beside another, whose name begins so; it is deleted at the end."""
    partial = path.with_name(f"{begins}{unguessable()}{PART}")
    try:
        with os.fdopen(make_locked(partial, mode=mode), "w+b") as file:
            yield file, partial
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def write_once(path: Path, text: bytes) -> None:
    """Write a file for its owner alone, unless another process has written one meanwhile.

    Raises OSError where it cannot be written.
    """
    with partial_file(path, f"{path.name}.") as (file, partial):
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(partial, path)  # unlike a rename, never replaces the one another process made


@contextmanager
def partial_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder beside a path, for its owner alone; it is deleted at the end.

    Renamed, it stays. What a process that is killed has begun is for `delete_unfinished`.
    """
    folder = path.with_name(f"{path.name}.{unguessable()}{FOLDER}")
    lock = folder.with_name(f"{folder.name}{PART}")
    with os.fdopen(make_locked(lock), "w+b"):
        try:
            folder.mkdir(mode=0o700)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            if sys.platform != "win32":
                lock.unlink(missing_ok=True)
    lock.unlink(missing_ok=True)


def _finish(file: IO[bytes], partial: Path, path: Path, mode: int) -> None:
    """Bring a file to the disk, and give it its name while it is locked, and its rights."""
    file.flush()
    os.fsync(file.fileno())
    if sys.platform == "win32":  # there a file that is open cannot be renamed
        file.close()
    os.replace(partial, path)
    with suppress(OSError):  # the file is whole, and has its name
        if sys.platform != "win32":  # with these rights before, nobody would know it for ours
            os.fchmod(file.fileno(), mode)
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def delete_unfinished(folder: Path, begins: str) -> None:
    """Delete what processes which were killed had begun to write; so its names begin."""
    for stray in folder.glob(f"{begins}*{PART}"):
        with unused(stray) as nobodys, suppress(OSError):
            if nobodys and stray.stem.endswith(FOLDER):
                shutil.rmtree(stray.with_suffix(""), ignore_errors=True)
            if nobodys:
                stray.unlink(missing_ok=True)


# --- locks --------------------------------------------------------------------------------------


def make_locked(path: Path, text: bytes = b"", mode: int = OWN) -> int:
    """Make a file that has its name only once it is locked: nobody takes it for unused."""
    ahead = path.with_name(f"{AHEAD}{path.name}")
    if sys.platform == "win32":  # there a file that is open cannot be renamed, nor deleted
        ahead = path
    file = os.open(ahead, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
    _locked(file)
    os.write(file, text)
    if ahead != path:
        ahead.rename(path)
    return file


def _locked(file: int) -> bool:
    """Lock an open file, if nobody else has; whether it is."""
    if sys.platform == "win32":  # there a file that is open cannot be deleted
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def unused(path: Path, begins: bytes = b"") -> Iterator[bool]:
    """Say whether a file of ours is in nobody's use, and see that it stays so."""
    try:
        file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        yield False
        return
    try:
        own = is_own(os.fstat(file), stat.S_ISREG) and os.read(file, len(begins)) == begins
        yield own and _locked(file)
    finally:
        os.close(file)


def is_own(found: os.stat_result, kind: Callable[[int], bool]) -> bool:
    """Whether a file or folder is readable only by its owner, and that is who runs this process."""
    if sys.platform == "win32":
        return kind(found.st_mode)
    return kind(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
