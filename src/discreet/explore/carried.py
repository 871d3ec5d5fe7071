"""What a file carries: what it says of where it comes from, and what that is compared with."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import InputError, one_of, path_in_words
from discreet.lines import TABLES
from discreet.places import is_there
from discreet.provenance import Provenance, checksum_of, checksum_of_file
from discreet.render.csv_words import CSV
from discreet.render.metadata import CARRIERS, ending_of, without_words
from discreet.render.parquet_words import MAGIC, PARQUET, read_words

JSON = ".json"
SUFFIXES = (*CARRIERS, JSON, *TABLES)
MOST_READ = {".html": 2**28}
"""Bytes: of a page, which may be a board with all its rows, no more are read."""
USUALLY = 2**26
"""Bytes: of any other file but a table; no figure or report is as large."""


@dataclass(frozen=True)
class Carried:
    """A file as it is read: what it says of itself, and what that is compared with.

    Parameters
    ----------
    path : Path
        Where it is.
    ending, form : str
        How its name ends, and how that of a file with such a content ends.
    digest : str
        SHA-256 of all bytes, in hexadecimal digits.
    words : str or None
        What it says of itself; None where it says nothing.
    rest : bytes or None
        SHA-256 of all bytes beside that; None of JSON.
    numbers : dict or None
        The values of JSON.
    checksum : str
        That of these values.
    own : bool
        Of JSON, whether it is written as discreet writes these values, to the byte.
    """

    path: Path
    ending: str
    form: str
    digest: str
    words: str | None = None
    rest: bytes | None = None
    numbers: dict[str, Any] | None = None
    checksum: str = ""
    own: bool = True


def read(path: str | Path) -> Carried:
    """Read a file: what it says of itself, and the rest.

    Raises
    ------
    InputError
        If there is no such file, or it is of a kind that is not released, or broken.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in SUFFIXES:
        raise InputError(
            f"a file of this kind is not released: {path_in_words(path)}; verify takes"
            f" {one_of(SUFFIXES)}"
        )
    try:
        if not (is_there(path) and path.is_file()):  # what is none may never end
            raise FileNotFoundError
        return _carried(path, ending)
    except FileNotFoundError:
        raise InputError(f"there is no file to read at {path_in_words(path)}") from None
    except OSError as error:
        why = type(error).__name__
        raise InputError(f"the file {path_in_words(path)} cannot be read ({why})") from None


def _carried(path: Path, ending: str) -> Carried:
    size, most = path.stat().st_size, MOST_READ.get(ending, USUALLY)
    with path.open("rb") as file:
        begins = file.read(len(MAGIC))
    if begins == MAGIC or (ending == PARQUET and size > most):
        found = read_words(path)
        return Carried(path, ending, PARQUET, found.digest, found.words, found.rest)
    if size > most:
        if ending in TABLES:
            return Carried(path, ending, ending, checksum_of_file(path))
        raise InputError(
            f"{path_in_words(path)} is larger than any such file that discreet makes"
            f" ({most // 2**20} MB), and is not read"
        )
    data = path.read_bytes()
    form, digest = ending_of(data, ending), hashlib.sha256(data).hexdigest()
    if form in CARRIERS:
        rest, words = without_words(data, form)
        if words is not None or not data.lstrip().startswith(b"{"):
            return Carried(path, ending, form, digest, words, hashlib.sha256(rest).digest())
    if form in TABLES:
        if form == PARQUET:
            raise InputError("this is no parquet file, or a broken one")
        rest, words = without_words(data, CSV) if form == CSV else (data, None)
        if words is not None:
            return Carried(path, ending, form, digest, words, hashlib.sha256(rest).digest())
        return Carried(path, ending, form, digest)
    return _of_json(path, ending, data)


def _of_json(path: Path, ending: str, data: bytes) -> Carried:
    """Return what JSON carries, and whether it is written as discreet writes it.

    Written in another way it may hold more than its values: in spaces, in digits beyond those of a
    number, or in what is of files of other kinds: their seal, and how they were drawn.
    """
    digest = hashlib.sha256(data).hexdigest()
    try:
        numbers = json.loads(data, object_pairs_hook=_once)
        again = json.dumps(numbers, allow_nan=False, ensure_ascii=False).encode()
        given = numbers.pop("provenance", None)
        checksum = checksum_of(numbers)
        # As it would stand in a figure.
        words = None if given is None else _words_of(given)
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{path_in_words(path)} is no JSON that discreet wrote") from None
    of_file = {"file_seal", "drawing"}
    own = again == data and not (isinstance(given, dict) and of_file & {*given})
    return Carried(path, ending, JSON, digest, words, None, numbers, checksum, own)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object with a name twice: of which the one counts here, another reader shows."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError
    return dict(pairs)


def _words_of(given: Any) -> str:
    try:
        return Provenance.from_plain(given).to_text()
    except InputError:
        return ""  # which is none that discreet wrote
