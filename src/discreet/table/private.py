"""Private files: raw values that are kept on a disk, for their owner alone.

A private file lies beside the protected copies, in a folder that its owner alone may enter. It is
written whole or not at all (`unfinished`). What a process that was killed has put aside in a folder
of temporary files is deleted at the next start.
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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.errors import InputError
from discreet.places import files_like
from discreet.unfinished import PART, being_written, delete_unfinished, is_own, make_locked, unused

OWN = "discreet-private-"
LOCK = ".discreet-lock"
MAGIC = b"discreet: this folder is deleted with all that DuckDB put aside in it\n"
INPUT = "input"
HELD = re.compile(rf"duckdb_temp_.*|whole-[0-9a-f]+\.(parquet|columns|json).*|{INPUT}")
"""What lies in such a folder: nothing else is deleted of a process that was killed."""
RAW = "raw-"
PARQUET = ".parquet"
LABELS = b"discreet: labels of columns"
ORDERS = b"discreet: orders of levels"
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
        lock = make_locked(folder / LOCK, MAGIC)
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
        with unused(lock, MAGIC) as nobodys, suppress(OSError):
            if nobodys and is_own(lock.parent.lstat(), stat.S_ISDIR):
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
    for other in files_like(folder, f"{of}*{PARQUET}"):
        if other != path:
            other.unlink(missing_ok=True)
    return path


def _name_of(named: Path) -> str:
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
    try:
        schema = pq.read_schema(path) if is_own(path.lstat(), stat.S_ISREG) else None
    except (OSError, pa.ArrowInvalid):
        return False
    return schema is not None and (schema.metadata or {}).get(DIGEST) == digest.hex().encode()


def write_parquet(
    file: IO[bytes],
    batches: pa.RecordBatchReader,
    labels: Mapping[str, str],
    orders: Mapping[str, Sequence[str]],
    zones: Mapping[str, str],
    digest: bytes,
) -> None:
    """Write rows as Parquet, with what is known of the columns and a digest of the data."""
    schema = batches.schema.with_metadata(
        {
            LABELS: json.dumps(dict(labels)),
            ORDERS: json.dumps(dict(orders)),
            DIGEST: digest.hex().encode(),
        }
    )
    for i, it in enumerate(schema):
        if it.name in zones and pa.types.is_timestamp(it.type):
            schema = schema.set(i, it.with_type(pa.timestamp(it.type.unit, zones[it.name])))
    with pq.ParquetWriter(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(schema))


def labels_in(schema: pa.Schema) -> dict[str, str]:
    """Return the labels of the columns of a private file."""
    return dict(json.loads((schema.metadata or {}).get(LABELS, b"{}")))


def orders_in(schema: pa.Schema) -> dict[str, tuple[str, ...]]:
    """Return the declared orders of levels of the columns of a private file."""
    orders = json.loads((schema.metadata or {}).get(ORDERS, b"{}"))
    return {name: tuple(order) for name, order in orders.items()}


def forget(folder: Path, named: Path | None = None) -> int:
    """Delete all private files of a folder, or those of some data; say how many there were."""
    of = RAW if named is None else _name_of(named)
    try:
        found = [it for end in (PARQUET, PART) for it in files_like(folder, f"{of}*{end}")]
        for path in found:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"private files in {str(folder)!r} cannot be deleted ({type(error).__name__}); end what"
            " uses them, and let whoever runs discreet read and write the folder"
        ) from None
    return len(found)
