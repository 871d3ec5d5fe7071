"""What a study file says of itself: the study, its columns, how it was protected, who signed it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from discreet.arguments import LONGEST_LABEL
from discreet.errors import InputError
from discreet.study_file.signing import (
    LARGEST_WHOLE,
    Successor,
    canonical_json,
    is_hex,
    is_signed,
    read_json,
    successors_of,
)
from discreet.use import Use

SCHEMA, PRIVATE_SCHEMA = 1, 0
"""Of study files, and of the copy that is kept beside the data, which is opened as none."""
SUFFIX = ".discreet"
"""How the name of a study file ends."""
MANIFEST = "manifest.json"
KINDS = ("continuous", "categorical", "date")
DATES = ("day", "us")
"""How dates are told: days, or moments in millionths of a second."""
MOST_COLUMNS = 10_000
MOST_ENTRIES = 5_000
MOST_ROWS = 2_000_000_000
MOST_AGAIN, MOST_AGAIN_ROWS = 8, 20_000
"""So many copies of the copy there may be, each of so many rows."""
MOST_REMARKS = 1_000
LONGEST_NAME, LONGEST_LEVEL = 200, 10_000
LAYOUT = re.compile(
    r"nearness\.json|(?:rows|again)/[0-9]{5}\.parquet|answers/[a-z0-9][a-z0-9-]{0,63}\.json"
)
"""The names of what is beside the manifest; none of them leads anywhere else."""
NOT_CONTENT = ("content", "discreet", "entries", "key", "schema", "signature", "successors")
"""What may differ though the study says the same: who wrote and signed it, and with what."""
OF_LISTS = ("levels", "levels_again", "remarks")
"""What a column says in lists."""
APART = ("rows/", "again/", "answers/")
"""How the names begin of entries that are not in the digest of the content: a digest of their
values stands for rows, and answers may be added to the same copy."""


@dataclass(frozen=True)
class Column:
    """A column of the copy: what it is asked for by, and what is known of it.

    The kind is "continuous", "categorical" or "date". `label` and `unit` are what people read, and
    what numbers are counted in. Dates are counted in days ("day") or millionths of a second ("us");
    numbers are multiples of a `step`. `remarks` are what is to be known of it, such as that its
    mean hangs on few people. Levels that `are_codes` are written as numbers, and may be compared as
    such; some numbers of a column that `may_hold_codes` may stand for missing values.
    `levels_again` are those that copies of the copy alone have.

    Examples
    --------
    >>> Column("sex", "categorical", levels=("female", "male")).kind
    'categorical'
    """

    name: str
    kind: str
    label: str = ""
    unit: str = ""
    levels: tuple[str, ...] = ()
    dates: str | None = None
    step: float | None = None
    remarks: tuple[str, ...] = ()
    are_codes: bool = False
    may_hold_codes: bool = False
    levels_again: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Of any signs: headers of spreadsheets have ends of lines. What prints one shows codes.
        _check_length(self.name, "the name of a column", LONGEST_NAME)
        _check_text(self.label, f"the label of column {self.name!r}", LONGEST_LABEL, empty=True)
        _check_text(self.unit, f"the unit of column {self.name!r}", LONGEST_NAME, empty=True)
        if self.kind not in KINDS:
            raise InputError(f"the kind of column {self.name!r} is one of {', '.join(KINDS)}")
        if (self.kind == "categorical") != bool(self.levels):
            raise InputError(f"column {self.name!r} has levels if it is categorical, else none")
        if (self.kind == "date") != (self.dates in DATES):
            raise InputError(f"column {self.name!r} says day or us if it holds dates, else nothing")
        if self.step is not None and (self.kind != "continuous" or not _is_positive(self.step)):
            raise InputError(f"the step of column {self.name!r} is a number above 0")
        self._check_levels()
        _check_remarks(self.remarks, f"column {self.name!r}")

    def _check_levels(self) -> None:
        """Refuse levels that are no texts or stand twice, and what only levels or numbers say."""
        levels = (*self.levels, *self.levels_again)
        for level in levels:
            if not isinstance(level, str) or len(level) > LONGEST_LEVEL:
                raise InputError(f"a level of column {self.name!r} is a text, and not too long")
        if len(set(levels)) != len(levels):
            raise InputError(f"a level of column {self.name!r} is listed twice")
        has_levels = self.kind == "categorical"
        types = {type(self.are_codes), type(self.may_hold_codes)}
        if types != {bool} or ((self.levels_again or self.are_codes) and not has_levels):
            raise InputError(f"column {self.name!r} says of levels or codes what it has not")

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON has it, without what is empty."""
        plain = {it.name: getattr(self, it.name) for it in fields(self)}
        return {key: value for key, value in plain.items() if value not in ("", (), None, False)}


@dataclass(frozen=True)
class Again:
    """A copy of the first rows of the copy, by which it is seen how far figures are off.

    `values` is a digest of its values, and `without` are the columns of the copy that it has not.
    """

    rows: int
    values: str
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not _is_whole(self.rows, 1) or self.rows > MOST_AGAIN_ROWS:
            raise InputError(f"a copy of the copy has 1 to {MOST_AGAIN_ROWS} rows")
        if not is_hex(self.values, 64):
            raise InputError("the digest of a copy of the copy has 64 hexadecimal digits")
        if not all(isinstance(it, str) for it in self.without):
            raise InputError("the columns that a copy of the copy has not are names")

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"rows": self.rows, "values": self.values, "without": list(self.without)}


@dataclass(frozen=True)
class Entry:
    """What the file holds beside the manifest: a name, how many bytes, and their digest."""

    name: str
    size: int
    sha256: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not LAYOUT.fullmatch(self.name):
            raise InputError(
                "an entry has a name that no study file has; there are nearness.json,"
                " rows/*.parquet, again/*.parquet and answers/*.json"
            )
        if not _is_whole(self.size, 0) or not is_hex(self.sha256, 64):
            raise InputError(f"the entry {self.name!r} has no valid size or digest")


@dataclass(frozen=True)
class Manifest:
    """What stands in `manifest.json`.

    Behind each value are `k` persons, and in each leaf `m`: 1 where the rows are a public table's
    own. The copy has `persons` who were drawn, rounded, in so many `rows`. `policy` is what may be
    told of the custodian's, and `entries` all that lies beside the manifest. `values` is a digest
    of the values of all rows, whatever Parquet makes of them; `content` one of all that the study
    says of its copy: equal where two files say the same. `discreet` is the version that wrote it,
    `key` the custodian's public key, and `successors` the keys that were before it. `again` are
    copies of the first `again_of` rows of the copy. `person_column` says which rows are one drawn
    person's, where people have several. `remarks` are what is to be known of the rows, such as
    which columns are not among them.
    """

    study: str
    version: str
    columns: tuple[Column, ...]
    k: int
    m: int
    persons: int
    rows: int
    policy: Mapping[str, Any]
    entries: tuple[Entry, ...]
    values: str
    content: str
    discreet: str
    key: str
    signature: str = ""
    successors: tuple[Successor, ...] = ()
    again: tuple[Again, ...] = ()
    again_of: int = 0
    person_column: str | None = None
    remarks: tuple[str, ...] = ()
    schema: int = SCHEMA

    def __post_init__(self) -> None:
        _check_text(self.study, "the study's name", LONGEST_NAME)
        _check_text(self.version, "the version", LONGEST_NAME)
        _check_text(self.discreet, "the version of discreet", LONGEST_NAME)
        if not (_is_whole(self.k, 1) and _is_whole(self.m, self.k) and _is_whole(self.persons, 0)):
            raise InputError("k, m and people are whole numbers from 1 on, and m is at least k")
        if not _is_whole(self.rows, 1) or self.rows > MOST_ROWS:
            raise InputError(f"a study file has 1 to {MOST_ROWS} rows")
        if not 0 < len(self.columns) <= MOST_COLUMNS:
            raise InputError(f"a study file has 1 to {MOST_COLUMNS} columns")
        if len({it.name for it in self.columns}) != len(self.columns):
            raise InputError("two columns have the same name")
        names = [it.name for it in self.entries]
        if names != sorted(set(names)) or len(names) > MOST_ENTRIES:
            raise InputError(f"the entries are at most {MOST_ENTRIES}, by name, and each once")
        if not isinstance(self.policy, dict):
            raise InputError("the policy is a mapping")
        _ = self.use  # refuses what says it in another way
        if not (is_hex(self.values, 64) and is_hex(self.content, 64)):
            raise InputError("the digests of values and content have 64 hexadecimal digits")
        _check_remarks(self.remarks, "the rows")
        self._check_again()

    def _check_again(self) -> None:
        """Refuse copies of the copy, and whose rows are, that do not fit the columns."""
        if len(self.again) > MOST_AGAIN or not _is_whole(self.again_of, 1 if self.again else 0):
            raise InputError(f"there are at most {MOST_AGAIN} copies of the copy, of some rows")
        if self.again_of > self.rows:
            raise InputError("the copies of the copy are of more rows than there are")
        names = [it.name for it in self.columns]
        for it in self.again:
            if [*it.without] != [name for name in names if name in it.without] or len(
                it.without
            ) == len(names):
                raise InputError("a copy of the copy is without columns that there are, not all")
        numbers = [it.name for it in self.columns if it.kind == "continuous"]
        if self.person_column is not None and self.person_column not in numbers:
            raise InputError("the column of people is one of numbers that there is")

    @property
    def use(self) -> Use:
        """For whom the file is, until when, and whether it may be combined with others."""
        return Use.of(self.policy)

    @property
    def is_public(self) -> bool:
        """Whether the rows are those of a public table itself: each stands on one person."""
        return self.m == 1

    @property
    def again_entries(self) -> tuple[Entry, ...]:
        """The entries that hold copies of the copy, in their order."""
        return tuple(it for it in self.entries if it.name.startswith("again/"))

    @property
    def row_entries(self) -> tuple[Entry, ...]:
        """The entries that hold rows, in the order of the rows."""
        return tuple(it for it in self.entries if it.name.startswith("rows/"))

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        plain = {it.name: getattr(self, it.name) for it in fields(self)}
        plain["columns"] = [it.to_plain() for it in self.columns]
        plain["entries"] = [
            {"name": it.name, "sha256": it.sha256, "size": it.size} for it in self.entries
        ]
        plain["successors"] = [it.to_plain() for it in self.successors]
        plain["again"] = [it.to_plain() for it in self.again]
        return plain

    def unsigned(self) -> bytes:
        """Return what is signed: the manifest without its signature."""
        return _without(self.to_plain(), "signature")


def columns_again(columns: Sequence[Column], without: Collection[str]) -> tuple[Column, ...]:
    """Return the columns of a copy of the copy, with all levels that such copies have."""
    return tuple(
        replace(it, levels=(*it.levels, *it.levels_again), levels_again=())
        for it in columns
        if it.name not in without
    )


def content_digest(plain: Mapping[str, Any]) -> str:
    """Return the digest of what a study says, of the plain form of its manifest.

    It is the same whatever version of discreet and of Parquet wrote it, and whoever signed it.
    """
    others = [
        {"name": it["name"], "sha256": it["sha256"]}
        for it in plain["entries"]
        if not it["name"].startswith(APART)
    ]
    content = {key: value for key, value in plain.items() if key not in NOT_CONTENT}
    return hashlib.sha256(canonical_json({**content, "others": others})).hexdigest()


def _without(plain: Mapping[str, Any], *names: str) -> bytes:
    return canonical_json({key: value for key, value in plain.items() if key not in names})


def read_manifest(text: bytes, schema: int = SCHEMA) -> Manifest:
    """Read `manifest.json`; refuse another schema, fields or values, and what is not signed."""
    plain = read_json(text, MANIFEST)
    if not isinstance(plain, dict) or type(plain.get("schema")) is not int:
        raise InputError(f"{MANIFEST} says no schema; this is not a study file of discreet")
    if plain["schema"] == PRIVATE_SCHEMA != schema:
        raise InputError(
            "this is the copy that discreet keeps beside the data, and no study file; the custodian"
            " publishes one: discreet protect"
        )
    if plain["schema"] != schema:
        raise InputError(
            f"the study file has schema {plain['schema']}, and this discreet reads {SCHEMA};"
            " install the version of discreet that wrote it, or a later one"
        )
    _check_fields(plain, Manifest, MANIFEST, required=True)
    if not is_signed(_without(plain, "signature"), plain["signature"], plain["key"]):
        raise InputError(
            "the signature of the study file does not match: it was changed after it was "
            "signed; ask the custodian for a new copy of the file"
        )
    try:
        made = _read_fields(plain)
        if content_digest(plain) != made.content:
            raise InputError("the digest of the content is not that of what it says")
    except InputError as error:
        raise InputError(
            f"{MANIFEST} says what cannot be: {error}; ask the custodian for a new copy of the file"
        ) from None
    return made


def _read_fields(plain: Mapping[str, Any]) -> Manifest:
    read = {
        "columns": _all(plain["columns"], _read_column),
        "entries": _all(plain["entries"], _read_entry),
        "successors": successors_of(plain["successors"]),
        "again": _all(plain["again"], _read_again),
        "remarks": _texts(plain["remarks"]),
    }
    return Manifest(**{**plain, **read})


def _all(plain: object, read: Callable[[object], Any]) -> tuple[Any, ...]:
    if not isinstance(plain, list):
        raise InputError(f"the columns, entries and copies in {MANIFEST} are lists")
    return tuple(map(read, plain))


def _texts(plain: object) -> tuple[str, ...]:
    """Return a list as a tuple; what is in it is looked at where it belongs."""
    if not isinstance(plain, list):
        raise InputError(f"levels, remarks and names of columns in {MANIFEST} are lists")
    return tuple(plain)


def _read_column(plain: object) -> Column:
    _check_fields(plain, Column, "a column")
    given: dict[str, Any] = dict(plain)  # type: ignore[call-overload]
    lists = {name: _texts(given[name]) for name in OF_LISTS if name in given}
    made = Column(**{**given, **lists})
    if made.to_plain() != {**given, **lists}:
        raise InputError(f"column {made.name!r} says something that is left out where it is empty")
    return made


def _read_again(plain: object) -> Again:
    _check_fields(plain, Again, "a copy of the copy", required=True)
    given: dict[str, Any] = dict(plain)  # type: ignore[call-overload]
    return Again(**{**given, "without": _texts(given["without"])})


def _read_entry(plain: object) -> Entry:
    _check_fields(plain, Entry, "an entry", required=True)
    return Entry(**plain)  # type: ignore[arg-type]


def _check_fields(plain: object, of: Any, what: str, *, required: bool = False) -> None:
    names = {it.name for it in fields(of)}
    given = set(plain) if isinstance(plain, dict) else set()
    least = names if required else {"name", "kind"}
    if not least <= given <= names:
        raise InputError(
            f"{what} has the fields {', '.join(sorted(names))}; one is missing, or there is another"
        )


# --- values ---------------------------------------------------------------------------------------


def _check_length(text: object, what: str, most: int, least: int = 1) -> None:
    if not isinstance(text, str) or not least <= len(text) <= most:
        raise InputError(f"{what} is a text of {least} to {most} letters")


def _check_text(text: object, what: str, most: int, *, empty: bool = False) -> None:
    _check_length(text, what, most, 0 if empty else 1)
    if any(it < " " or it == "\x7f" for it in str(text)):
        raise InputError(f"{what} contains an invisible character, such as a line break")


def _check_remarks(remarks: tuple[str, ...], what: str) -> None:
    if len(remarks) > MOST_REMARKS:
        raise InputError(f"there are at most {MOST_REMARKS} remarks on {what}")
    for it in remarks:
        _check_text(it, f"a remark on {what}", LONGEST_LEVEL)


def _is_whole(value: object, least: int) -> bool:
    return type(value) is int and least <= value <= LARGEST_WHOLE


def _is_positive(value: object) -> bool:
    return type(value) in (int, float) and value > 0  # type: ignore[operator]
