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
import re
import shutil
import stat
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
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

__all__ = [
    "INPUT",
    "at_end",
    "being_written",
    "delete_unfinished",
    "forget",
    "labels_in",
    "own_folder",
    "private_file",
    "write_parquet",
]

OWN = "discreet-private-"
LOCK = ".discreet-lock"
MAGIC = b"discreet: this folder is deleted with all that DuckDB put aside in it\n"
INPUT = "input"
HELD = re.compile(rf"duckdb_temp_.*|whole-[0-9a-f]+\.(parquet|columns|json).*|{INPUT}")
"""What lies in such a folder: nothing else is deleted of a process that was killed."""
AHEAD = "."
"""How the name of a file begins that is not locked yet."""
RAW = "raw-"
PARQUET = ".parquet"
PART = ".part"
LABELS = b"discreet: labels of columns"
DIGEST = b"discreet: digest of the source"


# --- a folder for as long as a process needs it -------------------------------------------------


def own_folder(owner: object) -> Path:
    """Make a folder that its owner alone may enter, to be deleted with an object.

    Those that nobody uses any more are deleted now.
    """
    folder = None
    try:  # which folder is that of temporary files is found out by writing into some
        _sweep_folders(tempfile.gettempdir())
        folder = Path(tempfile.mkdtemp(prefix=OWN))
        lock = _make_locked(folder / LOCK, MAGIC)
    except OSError as error:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        raise InputError(
            f"temporary files cannot be written ({type(error).__name__}); make room on their disk,"
            " or name a folder for them that can be written (TMPDIR)"
        ) from None
    at_end(owner, _delete, folder, lock)
    return folder


def at_end(owner: object, call: Callable[..., object], *given: object) -> None:
    """Call something when an object is gone; in this process alone, and no child forked from it."""
    weakref.finalize(owner, _if_here, os.getpid(), call, given)


def _if_here(process: int, call: Callable[..., object], given: tuple[object, ...]) -> None:
    if os.getpid() == process:
        call(*given)


def _delete(folder: Path, lock: int) -> None:
    os.close(lock)
    shutil.rmtree(folder, ignore_errors=True)


@cache
def _sweep_folders(where: str) -> None:
    """Delete the folders of processes that were killed; once a process."""
    for lock in Path(where).glob(f"{OWN}*/{LOCK}"):
        with _unused(lock, MAGIC) as unused, suppress(OSError):
            if unused and _is_own(lock.parent.lstat(), stat.S_ISDIR):
                _sweep(lock)


def _sweep(lock: Path) -> None:
    """Delete a folder that nobody uses, but for files that are none of ours."""
    for path in lock.parent.iterdir():
        if HELD.fullmatch(path.name) and stat.S_ISREG(path.lstat().st_mode):
            path.unlink()
        elif HELD.fullmatch(path.name) and stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path)
    if [*lock.parent.iterdir()] == [lock]:
        lock.unlink()
        lock.parent.rmdir()


def _is_own(found: os.stat_result, kind: Callable[[int], bool]) -> bool:
    """Whether a file or folder is its owner's alone, and that is who runs this process."""
    if sys.platform == "win32":
        return kind(found.st_mode)
    return kind(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _make_locked(path: Path, text: bytes = b"") -> int:
    """Make a file that has its name only once it is locked: nobody takes it for unused."""
    ahead = path.with_name(f"{AHEAD}{path.name}")
    file = os.open(ahead, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    _locked(file)
    os.write(file, text)
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
def _unused(path: Path, begins: bytes = b"") -> Iterator[bool]:
    """Say whether a file of ours is in nobody's use, and see that it stays so."""
    try:
        file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        yield False
        return
    try:
        own = _is_own(os.fstat(file), stat.S_ISREG) and os.read(file, len(begins)) == begins
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
    of = _name_of(named)
    path = folder / f"{of}{digest.hex()[:32]}{PARQUET}"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _check_owner(folder)
    delete_unfinished(folder, RAW)
    if not _is_whole(path, digest):
        with being_written(path) as file:
            write(file)
    for other in folder.glob(f"{of}*{PARQUET}"):
        if other != path:
            other.unlink(missing_ok=True)
    return path


def _name_of(named: Path) -> str:
    """Return how the name begins of private files of data that lie somewhere."""
    return f"{RAW}{hashlib.sha256(os.fsencode(named.resolve())).hexdigest()[:16]}-"


def _check_owner(folder: Path) -> None:
    """Refuse a folder of another user, and let nobody but its owner enter it."""
    if sys.platform == "win32":
        return
    found = folder.stat()
    if found.st_uid != os.getuid():
        raise InputError(
            f"the folder {str(folder)!r} belongs to another user, who could read and change private"
            " files in it; make it your own, or write private_files = false into the policy"
        )
    if found.st_mode & 0o077:
        folder.chmod(0o700)


def _is_whole(path: Path, digest: bytes) -> bool:
    """Whether there is a private file of ours, of this data, and it can be read to its end."""
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import read_schema

    try:
        schema = read_schema(path) if _is_own(path.lstat(), stat.S_ISREG) else None
    except (OSError, ArrowInvalid):
        return False
    return schema is not None and (schema.metadata or {}).get(DIGEST) == digest.hex().encode()


@contextmanager
def being_written(path: Path) -> Iterator[IO[bytes]]:
    """Give a file that its owner alone may read: all of it is on the disk before it has its name.

    What a process that is killed leaves of it is for `delete_unfinished`. Raises OSError where it
    cannot be written.
    """
    partial = path.with_name(f"{path.name}.{unguessable()}{PART}")
    try:
        with os.fdopen(_make_locked(partial), "w+b") as written:
            yield written
            written.flush()
            os.fsync(written.fileno())
            if sys.platform != "win32":  # there a file that is open cannot be renamed
                os.replace(partial, path)  # while it is locked
        if sys.platform == "win32":
            os.replace(partial, path)
        _sync_folder(path.parent)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def delete_unfinished(folder: Path, begins: str) -> None:
    """Delete files that processes which were killed had begun to write; so their names begin."""
    for stray in folder.glob(f"{begins}*{PART}"):
        with _unused(stray) as unused:
            if unused:
                stray.unlink(missing_ok=True)


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
    file: IO[bytes],
    batches: pa.RecordBatchReader,
    labels: Mapping[str, str],
    zones: Mapping[str, str],
    digest: bytes,
) -> None:
    """Write rows as Parquet, with the labels and time zones of columns and a digest of the data."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    told = batches.schema.with_metadata(
        {LABELS: json.dumps(dict(labels)), DIGEST: digest.hex().encode()}
    )
    for i, it in enumerate(told):
        if it.name in zones and pa.types.is_timestamp(it.type):
            told = told.set(i, it.with_type(pa.timestamp(it.type.unit, zones[it.name])))
    with pq.ParquetWriter(file, told) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(told))


def labels_in(schema: pa.Schema) -> dict[str, str]:
    """Return the labels of the columns of a private file."""
    return dict(json.loads((schema.metadata or {}).get(LABELS, b"{}")))


def forget(folder: Path, named: Path | None = None) -> int:
    """Delete all private files of a folder, or those of some data; say how many there were."""
    of = RAW if named is None else _name_of(named)
    found = [it for end in (PARQUET, PART) for it in folder.glob(f"{of}*{end}")]
    try:
        for path in found:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"a private file in {str(folder)!r} cannot be deleted ({type(error).__name__});"
            " end what uses it, and make the folder writable"
        ) from None
    return len(found)
