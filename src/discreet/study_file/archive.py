"""The ZIP that a study file is: what lies in it, where, and nothing else.

Everything is stored as it is, so that an entry is a stretch of the file. All bytes of the file are
accounted for: entries follow one another without a gap, then comes the list of them, then the end.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import struct
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from discreet.errors import InputError, path_in_words

HEAD = struct.Struct("<4s5H3L2H")
"""What stands before an entry, by the ZIP format; so in the list; so at the end."""
LISTED = struct.Struct("<4s6H3L5H2L")
END = struct.Struct("<4s4H2LH")
END64 = struct.Struct("<4sQ2H2L4Q4sLQL")
"""The two records that stand before the end of a large file."""
EXTRA = struct.Struct("<2H2Q")
"""The one extra field of an entry: its size, twice, in eight bytes each."""
NO_SIZE = 0xFFFFFFFF
"""What stands where a number is too large for four bytes, and is told elsewhere."""
VERSION = 45
"""The version of the format that knows numbers of eight bytes."""
MOST_LISTED = 6_000
MOST_LIST_BYTES = 2**20
TIME, DAY = (1980, 1, 1, 0, 0, 0), 33
"""The one time that every entry has, and how it is written: no day is in the file."""
RIGHTS = (stat.S_IFREG | 0o644) << 16
UNIX = 3
AS_LISTED = [b"PK\1\2", UNIX << 8 | VERSION, VERSION, 0, 0, 0, DAY]
"""How each entry begins in the list: stored as it is, of no time, not encrypted."""
BUFFER = 2**20


# --- writing --------------------------------------------------------------------------------------


@contextmanager
def new_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Give a ZIP to write entries into."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        yield archive


class _Counted(io.RawIOBase):
    """Takes what is written on to a file, and keeps its size and digest."""

    def __init__(self, to: IO[bytes]) -> None:
        self._to, self.size, self._digest = to, 0, hashlib.sha256()

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.size

    def write(self, data: bytes | bytearray | memoryview) -> int:  # type: ignore[override]
        self._to.write(data)
        self._digest.update(data)
        self.size += len(data)
        return len(data)

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def add_stream(
    archive: zipfile.ZipFile, name: str, write: Callable[[IO[bytes]], None]
) -> tuple[int, str]:
    """Add an entry that is written bit by bit; return its size and digest."""
    info = zipfile.ZipInfo(name, TIME)
    info.external_attr, info.create_system = RIGHTS, UNIX
    with archive.open(info, "w", force_zip64=True) as to:
        counted = _Counted(to)
        write(counted)  # type: ignore[arg-type]
    return counted.size, counted.hexdigest()


def add_bytes(archive: zipfile.ZipFile, name: str, text: bytes) -> tuple[int, str]:
    """Add an entry; return its size and digest."""

    def write(to: IO[bytes]) -> None:
        to.write(text)

    return add_stream(archive, name, write)


# --- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stretch:
    """Where the bytes of an entry lie in the file; `crc` is a check sum of them."""

    name: str
    start: int
    size: int
    crc: int = 0


@dataclass(frozen=True)
class Archive:
    """An open file whose entries are known; it is read by place, from any thread."""

    path: Path
    stretches: dict[str, Stretch]
    _file: IO[bytes] = field(repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes:
        """Return bytes of an entry: all, or some from a place on."""
        self._check_open()
        of = self.stretches[name]
        least = max(0, of.size - start)
        size = least if size is None else min(size, least)
        with self._lock:
            self._file.seek(of.start + start)
            found = self._file.read(size)
        if len(found) != size:
            raise InputError(f"the file {path_in_words(self.path)} was cut off while it was read")
        return found

    def digest(self, name: str) -> str:
        """Return the digest of the bytes of an entry; refuse it if its check sum is another."""
        digest, crc = hashlib.sha256(), 0
        for start in range(0, self.stretches[name].size, BUFFER):
            part = self.read(name, start, BUFFER)
            digest.update(part)
            crc = zlib.crc32(part, crc)
        if crc != self.stretches[name].crc:
            raise _no_study_file(self.path, f"the checksum of {name} does not match")
        return digest.hexdigest()

    def state(self) -> tuple[int, int]:
        """Return what changes when somebody writes into the file."""
        self._check_open()
        found = os.fstat(self._file.fileno())
        return found.st_size, found.st_mtime_ns

    def _check_open(self) -> None:
        if self._file.closed:
            raise InputError(f"the file {path_in_words(self.path)} was closed; open it again")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Slice(io.RawIOBase):
    """The bytes of an entry as a file of their own."""

    def __init__(self, archive: Archive, name: str) -> None:
        self._archive, self._name, self._at = archive, name, 0
        self._size = archive.stretches[name].size

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def seekable(self) -> bool:
        """Tell that any place can be gone to."""
        return True

    def tell(self) -> int:
        """Return the place that is read next."""
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place."""
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes; by default all that are left."""
        found = self._archive.read(self._name, self._at, None if size is None or size < 0 else size)
        self._at += len(found)
        return found

    def size(self) -> int:
        """Return how many bytes there are."""
        return self._size


def open_archive(path: Path, allowed: Callable[[str], bool]) -> Archive:
    """Open a ZIP that `new_archive` wrote; refuse any other.

    That is one with a name that is not `allowed` or stands twice, with something packed or
    encrypted in it, or with bytes that belong to nothing.
    """
    try:
        # Without waiting: what has the name may be a pipe.
        opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        file = os.fdopen(opened, "rb", buffering=0)
    except OSError as error:
        raise InputError(
            f"the file {path_in_words(path)} cannot be read ({type(error).__name__}); name a study"
            " file that is there, and that you may read"
        ) from None
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise _no_study_file(path, "it is not a file")
        return Archive(path, {it.name: it for it in _stretches(path, file, allowed)}, file)
    except OSError as error:
        file.close()
        raise _no_study_file(path, f"it cannot be read ({type(error).__name__})") from None
    except InputError:
        file.close()
        raise


def _no_study_file(path: Path, why: str) -> InputError:
    return InputError(
        f"the file {path_in_words(path)} is not a study file, or was changed: {why}; ask for a "
        "new copy of the file, and use it unchanged"
    )


def _stretches(path: Path, file: IO[bytes], allowed: Callable[[str], bool]) -> list[Stretch]:
    listed_from, listed = _read_list(path, file)
    found: list[Stretch] = []
    names: set[str] = set()
    at = 0
    for it in _entries(path, listed):
        if not allowed(it.name):
            raise _no_study_file(path, "an entry has a name that no study file has")
        if it.name in names:
            raise _no_study_file(path, "a name stands twice in it")
        file.seek(at)
        head = _head(it)
        if it.start != at or file.read(len(head)) != head:
            raise _no_study_file(path, "the entries do not follow one another as listed")
        names.add(it.name)
        found.append(Stretch(it.name, at + len(head), it.size, it.crc))
        at += len(head) + it.size
    if at != listed_from:
        raise _no_study_file(path, "there are bytes in it that belong to nothing")
    return found


def _read_list(path: Path, file: IO[bytes]) -> tuple[int, bytes]:
    """Return where the list of entries begins, and the list; refuse a long one before it is read.

    Of a file above 2 GB a record of larger numbers stands before the end.
    """
    whole = file.seek(0, os.SEEK_END)
    file.seek(max(0, whole - END.size - END64.size))
    tail = file.read(END.size + END64.size)
    if len(tail) < END.size or tail[-END.size :][:4] != b"PK\5\6":
        raise _no_study_file(path, "it does not end like one")
    _, _, _, _, count, size, start, _ = END.unpack(tail[-END.size :])
    large = len(tail) > END64.size and tail[:4] == b"PK\6\6"
    if large:
        count, size, start = struct.unpack("<3Q", tail[32:56])
    ends_at = whole - END.size - large * END64.size
    if count > MOST_LISTED or size > MOST_LIST_BYTES:
        raise _no_study_file(path, "it lists too many entries")
    if start + size != ends_at or not tail.endswith(_end(count, size, start, large=large)):
        raise _no_study_file(
            path, "it does not end like one, or contains bytes that belong to nothing"
        )
    file.seek(start)
    return start, file.read(size)


def _end(count: int, size: int, start: int, *, large: bool) -> bytes:
    short = END.pack(b"PK\5\6", 0, 0, count, count, size, min(start, NO_SIZE), 0)
    if not large:
        return short
    at, own = start + size, END64.size - 20 - 12
    long = (b"PK\6\6", own, VERSION, VERSION, 0, 0, count, count, size, start)
    return END64.pack(*long, b"PK\6\7", 0, at, 1) + short


def _entries(path: Path, listed: bytes) -> Iterator[Stretch]:
    at = 0
    while at < len(listed):
        fields = listed[at : at + LISTED.size]
        if len(fields) < LISTED.size:
            raise _no_study_file(path, "the list of entries is cut off")
        *begin, crc, packed, size, name, extra, comment, disk, inner, rights, start = LISTED.unpack(
            fields
        )
        if (begin, comment, disk, inner, rights) != (AS_LISTED, 0, 0, 0, RIGHTS):
            raise _no_study_file(path, "an entry is packed, encrypted, dated or not a plain file")
        at += LISTED.size
        text, more = listed[at : at + name], listed[at + name : at + name + extra]
        at += name + extra
        numbers = _large_numbers(more, [size, packed, start])
        if at > len(listed) or numbers is None or numbers[0] != numbers[1]:
            raise _no_study_file(path, "the list of entries does not say how large they are")
        yield Stretch(text.decode("latin-1"), numbers[2], numbers[0], crc)


def _large_numbers(extra: bytes, numbers: list[int]) -> list[int] | None:
    """Return numbers of which those that fill four bytes stand in eight bytes in an extra field."""
    large = numbers.count(NO_SIZE)
    if len(extra) != large * 8 + (4 if large else 0):
        return None
    if large and extra[:4] != struct.pack("<2H", 1, large * 8):
        return None
    values = iter(struct.unpack(f"<{large}Q", extra[4:]) if large else ())
    return [next(values) if it == NO_SIZE else it for it in numbers]


def _head(entry: Stretch) -> bytes:
    name = entry.name.encode("latin-1")
    begin = (b"PK\3\4", VERSION, 0, 0, 0, DAY, entry.crc, NO_SIZE, NO_SIZE, len(name), EXTRA.size)
    return HEAD.pack(*begin) + name + EXTRA.pack(1, 16, entry.size, entry.size)
