"""A study file as it is written: whole or not at all, and never all rows in memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zipfile import ZipFile

import pyarrow as pa

from discreet.errors import InputError, path_in_words
from discreet.provenance import own_version
from discreet.study_file.archive import add_bytes, add_stream, new_archive
from discreet.study_file.manifest import (
    MANIFEST,
    PRIVATE_SCHEMA,
    SCHEMA,
    Again,
    Column,
    Entry,
    Manifest,
    columns_again,
    content_digest,
)
from discreet.study_file.reading import NEARNESS, StudyFile, check_values_of, open_study_file
from discreet.study_file.rows import (
    Frame,
    ValueDigest,
    again_name,
    group_rows,
    most_rows_again,
    part_name,
    write_part,
)
from discreet.study_file.signing import SigningKey, canonical_json, read_json
from discreet.unfinished import being_released

NO_DIGEST = "0" * 64
SHARED = (
    *("study", "version", "columns", "k", "m", "persons"),
    *("again_of", "person_column", "remarks"),
)
"""What a draft says as the manifest does."""


@dataclass(frozen=True)
class Draft:
    """What a study file says beside its rows, as `Manifest` has it.

    `nearness` is how near the copy is; `answers` are those from the data by name (small letters,
    digits and hyphens). `again` are copies of the first `again_of` rows of the copy, each of
    columns of it in their order. A `private` one is the copy that is kept beside the data: readable
    only by its owner, and no study file.
    """

    study: str
    version: str
    columns: tuple[Column, ...]
    k: int
    m: int
    persons: int
    policy: Mapping[str, Any]
    nearness: Mapping[str, Any] | None = None
    answers: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    again: tuple[pa.Table, ...] = ()
    again_of: int = 0
    person_column: str | None = None
    remarks: tuple[str, ...] = ()
    private: bool = False


def write_study_file(
    path: str | Path, draft: Draft, batches: Iterable[Frame], key: SigningKey
) -> Manifest:
    """Write a study file and sign it. What is written is read again before it has its name.

    `batches` are the rows of the copy, a few at a time. Other files in its folder stay as they are;
    one of its name is replaced. Refuses rows that are not as the columns say, and none.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from discreet.study_file import load_signing_key
    >>> columns = (Column("age", "continuous"), Column("sex", "categorical", levels=("f", "m")))
    >>> draft = Draft("clinic", "1", columns, k=5, m=20, persons=100, policy={})
    >>> rows = pa.table({"age": [41.0, 38.0], "sex": ["f", "m"]})
    >>> with TemporaryDirectory() as folder:
    ...     key = load_signing_key(Path(folder))
    ...     made = write_study_file(Path(folder) / "clinic.discreet", draft, [rows], key)
    ...     made.rows
    2
    """
    target = Path(path)
    try:
        with being_released(target, own=draft.private) as part:
            manifest = _write(part, draft, batches, key)
            with open_study_file(part, private=draft.private) as written:
                check_values_of(written)
    except OSError as error:
        raise InputError(
            f"the study file {path_in_words(target)} cannot be written ({type(error).__name__});"
            " name a folder that is there, has room, and may be written to"
        ) from None
    return manifest


def draft_of(file: StudyFile, answers: Mapping[str, Any]) -> Draft:
    """Return what a study file says, with answers in place of those that it has."""
    manifest = file.manifest
    return Draft(
        **{name: getattr(manifest, name) for name in SHARED},
        policy=manifest.policy,
        again=file.again(),
        answers=dict(answers),
        nearness=file.nearness(),
    )


def _write(path: Path, draft: Draft, batches: Iterable[Frame], key: SigningKey) -> Manifest:
    values, count = ValueDigest(draft.columns), 0

    def seen(group: pa.Table) -> None:
        nonlocal count
        values.add(group)
        count += group.num_rows

    with new_archive(path) as archive:
        entries = []
        for name, text in _texts(draft):
            entries.append(Entry(name, *add_bytes(archive, name, text)))
        groups = group_rows(batches, draft.columns)
        for number, part in enumerate(_parts(groups)):
            name = part_name(number)
            found = add_stream(archive, name, partial(write_part, part, seen))
            entries.append(Entry(name, *found))
        if not count:
            raise InputError("a study file has at least one row; there are none to write")
        again = []
        for number, table in enumerate(draft.again):
            entry, said = _write_again(archive, draft, number, table)
            entries.append(entry)
            again.append(said)
        of_rows = (values.hexdigest(), count)
        manifest = _manifest(draft, entries, of_rows, tuple(again), key)
        add_bytes(archive, MANIFEST, canonical_json(manifest.to_plain()))
    return manifest


def _write_again(
    archive: ZipFile, draft: Draft, number: int, table: pa.Table
) -> tuple[Entry, Again]:
    """Write a copy of the copy; return what the manifest says of it."""
    if not 0 < table.num_rows <= most_rows_again(len(draft.columns)):
        raise InputError("a copy of the copy has no rows, or more than so many columns leave it")
    without = tuple(it.name for it in draft.columns if it.name not in table.column_names)
    columns = columns_again(draft.columns, without)
    if not columns:
        raise InputError("a copy of the copy has other columns than the copy")
    values, name = ValueDigest(columns), again_name(number)
    write = partial(write_part, group_rows([table], columns), values.add)
    entry = Entry(name, *add_stream(archive, name, write))
    return entry, Again(table.num_rows, values.hexdigest(), without)


def _parts(groups: Iterator[pa.Table]) -> Iterator[Iterator[pa.Table]]:
    """Give the groups that are left again and again, as long as there are any."""
    for first in groups:
        yield itertools.chain((first,), groups)


def _texts(draft: Draft) -> Iterator[tuple[str, bytes]]:
    """Give the entries that are JSON; refuse what nobody could read."""
    plain = {f"answers/{name}.json": answer for name, answer in sorted(draft.answers.items())}
    if draft.nearness is not None:
        plain[NEARNESS] = draft.nearness
    for name, value in plain.items():
        Entry(name, 0, NO_DIGEST)  # refuses a name that no entry may have
        text = canonical_json(value)
        read_json(text, name)
        yield name, text


def _manifest(
    draft: Draft,
    entries: Iterable[Entry],
    of_rows: tuple[str, int],
    again: tuple[Again, ...],
    key: SigningKey,
) -> Manifest:
    values, rows = of_rows
    made = Manifest(
        **{name: getattr(draft, name) for name in SHARED},
        rows=rows,
        policy=dict(draft.policy),
        entries=tuple(sorted(entries, key=lambda it: it.name)),
        values=values,
        content=NO_DIGEST,
        discreet=own_version(),
        key=key.public,
        successors=key.successors,
        again=again,
        schema=PRIVATE_SCHEMA if draft.private else SCHEMA,
    )
    made = replace(made, content=content_digest(made.to_plain()))
    return replace(made, signature=key.sign(made.unsigned()))
