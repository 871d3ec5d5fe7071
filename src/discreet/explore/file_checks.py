"""What a file carries, and what is said of it once it was compared: a verdict, and why."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.errors import InputError, one_of, path_in_words
from discreet.explore.notes import COPY, COUNTS, FROM_FILE, MEASURED, ROWS
from discreet.lines import TABLES, WORKBOOKS, Likeness
from discreet.places import is_there
from discreet.provenance import Provenance, checksum_of, checksum_of_file
from discreet.render.csv_words import CSV
from discreet.render.figure_file import printable
from discreet.render.parquet_words import MAGIC, PARQUET, read_words
from discreet.render.sealing import CARRIERS, ending_of, without_words

JSON = ".json"
SUFFIXES = (*CARRIERS, JSON, *TABLES, *WORKBOOKS)
MOST_READ = {".html": 2**28}
"""Bytes: of a page, which may be a board with all its rows, no more are read."""
USUALLY = 2**26
"""Bytes: of any other file but a table; no figure or report is as large."""

AS_MADE, ALTERED, ELSEWHERE, UNKNOWN = "as made", "altered", "elsewhere", "unknown"
UNREADABLE, NOT_COMPARABLE = "unreadable", "not comparable"
PASSED, FAILED, NOT_CHECKED = "passed", "failed", "not checked"

SOURCES = {
    COPY: "drawn from the protected copy",
    COUNTS: "counted from the data",
    ROWS: "rows protected for this file only",
    FROM_FILE: "drawn from the protected copy in a study file",
    MEASURED: "measured by comparing the released rows with the data, and rounded",
}
"""Where numbers come from, by the source of their provenance."""


@dataclass(frozen=True)
class Carried:
    """A file as it is read: what it says of itself (`words`), and what that is compared with.

    `ending` is how its name ends, and `form` how that of a file with such a content ends; `digest`
    is SHA-256 of all bytes, and `rest` that of all beside the words, None of JSON. Of JSON there
    are its values, their checksum, and whether it is written as discreet writes them, to the byte.
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
    """Read a file: what it says of itself, and the rest; refuse a kind that is not released."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in SUFFIXES:
        raise InputError(
            f"files of this kind are not released: {path_in_words(path)}; verify takes "
            f"{one_of(SUFFIXES)}"
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
        is_parquet = file.read(len(MAGIC)) == MAGIC
    if is_parquet or (ending == PARQUET and size > most):
        said = read_words(path)
        return Carried(path, ending, PARQUET, said.digest, said.words, said.rest)
    if size > most:
        if ending in TABLES:
            return Carried(path, ending, ending, checksum_of_file(path))
        raise InputError(
            f"{path_in_words(path)} is larger than any such file made by discreet "
            f"({most // 2**20} MB), and is not read"
        )
    data = path.read_bytes()
    form, digest = ending_of(data, ending), hashlib.sha256(data).hexdigest()
    if form == PARQUET:
        raise InputError("this is not a Parquet file, or it is damaged")
    if form in CARRIERS or form == CSV:
        rest, words = without_words(data, form)
        if words is not None or (form in CARRIERS and not data.lstrip().startswith(b"{")):
            return Carried(path, ending, form, digest, words, hashlib.sha256(rest).digest())
    if form in TABLES or form in WORKBOOKS:
        return Carried(path, ending, form, digest)
    return _of_json(path, ending, data)


def _of_json(path: Path, ending: str, data: bytes) -> Carried:
    """Return what JSON carries, and whether it is written as discreet writes it.

    Written in another way it may hold more than its values: in spaces, in digits beyond those of a
    number, or in what is of files of other kinds: their seal, and how they were drawn.
    """
    try:
        numbers = json.loads(data, object_pairs_hook=_without_twins)
        again = json.dumps(numbers, allow_nan=False, ensure_ascii=False).encode()
        given = numbers.pop("provenance", None)
        checksum = checksum_of(numbers)
        words = None if given is None else _words_of(given)
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{path_in_words(path)} is not JSON written by discreet") from None
    own = again == data and not (isinstance(given, dict) and {"file_seal", "drawing"} & {*given})
    digest = hashlib.sha256(data).hexdigest()
    return Carried(path, ending, JSON, digest, words, None, numbers, checksum, own)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object with a name twice: of which the one counts here, another reader shows."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError
    return dict(pairs)


def _words_of(given: Any) -> str:
    """Return a provenance as it would stand in a figure; "" of one that discreet did not write."""
    try:
        return Provenance.from_plain(given).to_text()
    except InputError:
        return ""


@dataclass(frozen=True)
class FileCheck:
    """What was found of a file.

    Parameters
    ----------
    file : str
        Its name.
    verdict : {"as made", "altered", "elsewhere", "unknown", "unreadable", "not comparable"}
        Whether it is as it was made here; was changed since; is of another secret or study; says
        nothing of where it comes from; could not be read; or cannot be compared with what is drawn
        again.
    says : str
        Why, in a sentence.
    checks : mapping of str to str
        Whether it "passed" or "failed" each check, or was "not checked": "seal" (what it says of
        itself is sealed with this secret), "file" (the rest of the file, and its ending, are as
        they were sealed), "numbers" (those in the file are those that were sealed), "register" (it
        was released), "drawn again" (the copy gives the same numbers), "study" (it is of this
        one), "policy" (it was made under the one in force).
    provenance : Provenance or None
        What it says of itself; of a table of text, what the register says.
    released : mapping or None
        What the register says of its release: study, version, kind, columns, method, form and the
        `rules` of the version, such as k.
    beside : str or None
        Where it was drawn again, to be looked at beside it.
    """

    file: str
    verdict: str
    says: str
    checks: Mapping[str, str] = field(default_factory=dict)
    provenance: Provenance | None = None
    released: Mapping[str, Any] | None = None
    beside: str | None = None

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain values."""
        plain = {**vars(self), "checks": dict(self.checks)}
        plain["provenance"] = None if self.provenance is None else self.provenance.to_plain()
        plain["released"] = None if self.released is None else dict(self.released)
        return plain

    def to_text(self) -> str:
        """Return it as some lines of text."""
        lines = [f"{printable(self.file)}: {self.verdict}", f"  {self.says}"]
        for outcome in (PASSED, FAILED, NOT_CHECKED):
            names = [name for name, it in self.checks.items() if it == outcome]
            lines += [f"  {outcome}: {', '.join(names)}"] if names else []
        if self.provenance is not None and self.checks.get("seal") == PASSED:
            lines.append(f"  policy {self.provenance.policy}, source: {self.provenance.source}")
        if self.released is not None and self.provenance is not None:
            of = self.released
            rules = "; ".join(rules_in_words(self.provenance.source, of["rules"]))
            lines.append(
                f"  {of['kind']} of study {of['study']!r}, version {of['version']}: {rules}"
            )
        if self.beside is not None:
            lines.append(f"  drawn again: {printable(self.beside)}")
        return "\n".join(lines)


def check_each(check: Callable[[Path], FileCheck], paths: Iterable[str | Path]) -> list[FileCheck]:
    """Return what `check` says of each of several files; of one that cannot be read, why."""
    checked = []
    for path in map(Path, paths):
        try:
            checked.append(check(path))
        except InputError as error:
            checked.append(FileCheck(path.name, UNREADABLE, str(error)))
    return checked


def result(passed: bool) -> str:
    """Return the word for a check that passed, or did not."""
    return PASSED if passed else FAILED


def verdict_of(
    checks: Mapping[str, str], provenance: Provenance, renamed: str = ""
) -> tuple[str, str]:
    """Return the verdict on a file whose provenance is genuine, and why.

    `renamed` is the ending that it was made with, where it has another one now.
    """
    drawn = "plot" in provenance.request
    if renamed:
        return (
            ALTERED,
            f"it was made here as a {renamed} file, and its name now has a different ending",
        )
    if checks.get("numbers") == FAILED:
        return ALTERED, "its numbers were changed"
    if checks.get("file") == FAILED:
        if "numbers" in checks:
            return ALTERED, (
                "its numbers are unchanged, but the file was rewritten and may contain more "
                "than them"
            )
        if not provenance.file_seal:
            return ALTERED, (
                "its numbers were made here, but the file was not: it was drawn elsewhere from a"
                " released view"
            )
        return ALTERED, f"the {'drawing' if drawn else 'content'} in it was changed"
    if checks.get("study") == FAILED:
        return ELSEWHERE, "made with this secret, but from another study or from other data"
    if checks.get("drawn again") == FAILED:
        return ALTERED, "drawn again from the protected copy its numbers are different"
    if checks.get("policy") == FAILED:
        return AS_MADE, (
            "made here and unchanged, but under a different policy from the current one"
        )
    return AS_MADE, "made here, and unchanged"


def lines_in_words(alike: Likeness) -> str:
    """Say how a table of text differs from the release that most of its lines are of."""
    said = [] if alike.header else ["its header is different"]
    if alike.more:
        said.append(f"it has {'more' if alike.more > 0 else 'fewer'} rows")
    if alike.found < alike.of:
        said.append("some rows were changed")
    if not said:
        said.append("its rows are in a different order, or a few were changed")
    return f"most of its rows are those of a table that was released here; {', '.join(said)}"


def rules_in_words(source: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Say where numbers come from, and which of a version's settings they keep.

    `source` is the one of their provenance, and `settings` are those that the register has of the
    version.

    Examples
    --------
    >>> from discreet.explore.file_checks import rules_in_words
    >>> rules_in_words("counts", {"regime": "guarded", "k": 6, "round_to": 5})
    ('counted from the data', 'at least 6 people behind each mark', 'counts rounded to 5')
    """
    said = [SOURCES[source]]
    if "k" not in settings:
        said.append(f"regime {settings['regime']}, for public or simulated data")
    elif source == COUNTS:
        said.append(f"at least {settings['k']} people behind each mark")
        if settings.get("round_to", 1) > 1:
            said.append(f"counts rounded to {settings['round_to']}")
    elif source != MEASURED:
        least = settings.get("m", settings["k"])
        said.append(f"each value drawn anew from at least {least} people")
    return tuple(said)
