"""Private files: raw values that are kept on a disk, for their owner alone.

A private file lies beside the protected copies, in a folder that its owner alone may enter. It is
written under another name, brought to the disk, and renamed: nobody ever finds half of one. What a
process that was killed has left behind is deleted at the next start: each process holds a lock on
what it writes, and what nobody holds a lock on is in nobody's use.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

from discreet.errors import InputError
from discreet.secret import unguessable

if TYPE_CHECKING:
    import pyarrow as pa

if sys.platform != "win32":
    import fcntl

__all__ = ["forget", "labels_in", "own_folder", "private_file", "write_parquet"]

OWN = "discreet-"
LOCK = "lock"
RAW = "raw-"
PARQUET = ".parquet"
PART = ".part"
LABELS = b"discreet: labels of columns"


# --- a folder for as long as a process needs it -------------------------------------------------


def own_folder(owner: object) -> Path:
    """Make a folder that its owner alone may enter, to be deleted with an object.

    Those that nobody uses any more are deleted now.
    """
    _sweep_folders(tempfile.gettempdir())
    folder = Path(tempfile.mkdtemp(prefix=OWN))
    # Locked before it has its name, so that nobody takes it for one that is in nobody's use.
    ahead = folder / f"{LOCK}{PART}"
    lock = os.open(ahead, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    _locked(lock)
    ahead.rename(folder / LOCK)
    weakref.finalize(owner, _delete, folder, lock)
    return folder


def _delete(folder: Path, lock: int) -> None:
    os.close(lock)
    shutil.rmtree(folder, ignore_errors=True)


@cache
def _sweep_folders(where: str) -> None:
    """Delete the folders of processes that were killed; once a process."""
    for lock in Path(where).glob(f"{OWN}*/{LOCK}"):
        with _unused(lock) as unused:
            if unused:
                shutil.rmtree(lock.parent, ignore_errors=True)


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
def _unused(path: Path) -> Iterator[bool]:
    """Say whether a file is in nobody's use, and see that it stays so."""
    try:
        file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        yield False
        return
    try:
        own = sys.platform == "win32" or os.fstat(file).st_uid == os.getuid()
        yield own and _locked(file)
    finally:
        os.close(file)


# --- files that stay until they are forgotten ----------------------------------------------------


def private_file(
    folder: Path, named: Path, digest: bytes, write: Callable[[IO[bytes]], None]
) -> Path:
    """Return the private file of some data, written on the first call.

    `digest` says which data they are, and `named` where they lie: an earlier private file of data
    there is deleted. Raises OSError where it cannot be written.
    """
    of = f"{RAW}{hashlib.sha256(os.fsencode(named.resolve())).hexdigest()[:16]}-"
    path = folder / f"{of}{digest.hex()[:32]}{PARQUET}"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for stray in folder.glob(f"{RAW}*{PART}"):
        with _unused(stray) as unused:
            if unused:
                stray.unlink(missing_ok=True)
    if not _is_whole(path):
        _write(path, write)
    for other in folder.glob(f"{of}*{PARQUET}"):
        if other != path:
            other.unlink(missing_ok=True)
    return path


def _is_whole(path: Path) -> bool:
    """Whether there is a private file, and it can be read to its end."""
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import read_metadata

    try:
        read_metadata(path)
    except (OSError, ArrowInvalid):
        return False
    return True


def _write(path: Path, write: Callable[[IO[bytes]], None]) -> None:
    """Write a file that its owner alone may read: all of it is on the disk before it has a name."""
    partial = path.with_name(f"{path.name}.{unguessable()}{PART}")
    try:
        file = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w+b") as written:
            _locked(written.fileno())
            write(written)
            written.flush()
            os.fsync(written.fileno())
        os.replace(partial, path)
        _sync_folder(path.parent)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where a system can."""
    if sys.platform == "win32":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def write_parquet(
    file: IO[bytes], schema: pa.Schema, batches: Iterable[pa.RecordBatch], labels: Mapping[str, str]
) -> None:
    """Write batches of rows as Parquet, with the labels of their columns."""
    import pyarrow.parquet as pq

    told = schema.with_metadata({LABELS: json.dumps(dict(labels))})
    with pq.ParquetWriter(file, told) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(told))


def labels_in(schema: pa.Schema) -> dict[str, str]:
    """Return the labels of the columns of a private file."""
    return dict(json.loads((schema.metadata or {}).get(LABELS, b"{}")))


def forget(folder: Path) -> int:
    """Delete all private files of a folder, and say how many there were."""
    found = [*folder.glob(f"{RAW}*{PARQUET}"), *folder.glob(f"{RAW}*{PART}")]
    try:
        for path in found:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"a private file in {str(folder)!r} cannot be deleted ({type(error).__name__});"
            " end what uses it, and make the folder writable"
        ) from None
    return len(found)
