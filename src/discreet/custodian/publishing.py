"""A study published as a file: the rows of its copy and what is known of them, signed.

Only the copy goes in, its notes, and copies of it. How many people there are is said as the copy
has it, whose number is drawn, and rounded. Of data that are public the rows are the table's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.arguments import Floats
from discreet.columns.column import Copy
from discreet.columns.dates import Dates, dates_of
from discreet.custodian.session import Session, folder_of
from discreet.errors import InputError, RefusedError
from discreet.estimates.units import unit_in
from discreet.explore.from_copy import WholeTable
from discreet.explore.from_file import FileSession, policy_told
from discreet.explore.new_columns import holds_codes
from discreet.explore.notes import NO_COPY, check_copied, column_notes
from discreet.methods.counts import rounded
from discreet.policy import Policy
from discreet.register.rules import STUDY_FILE
from discreet.secret import is_secret, secret_files
from discreet.study_file import (
    SUFFIX,
    Column,
    Draft,
    Manifest,
    SigningKey,
    StudyFile,
    load_signing_key,
    open_study_file,
    write_study_file,
)
from discreet.study_file.rows import most_rows_again
from discreet.unfinished import path_to_save
from discreet.vault.stored import TemporaryFolder, is_kept, read_errors, write_errors
from discreet.vault.vault import raw_in_one, remarks_of
from discreet.vault.whole_columns import choose_columns

FORM = "discreet"
"""What the register calls the form of a published file."""
VERSION_DIGITS = 16
NAMELESS, PRIVATE = "a frame without a name", "copy beside the data"
NO_NAME = "a study file needs the study's name: open the study with study='cohort'"


@dataclass(frozen=True)
class _Rows:
    """What a file is made of: rows, those of them that plots are drawn of, and copies of them."""

    kept: WholeTable
    whole: WholeTable
    again: tuple[WholeTable, ...]


def publish(session: Session, path: str | Path) -> Manifest:
    """Write the copy of a study to a file that others explore, and record that it left.

    Of data that are public, under the policy `research`, the rows are those of the table itself,
    and the file is marked PUBLIC. Errors are those of `Protected.publish`; where a LeavingError is
    raised nothing is written.
    """
    target = path_to_save(path, (SUFFIX,), "a study file")
    if not (session.policy.fixed or session.policy.public):
        raise RefusedError(NO_COPY)
    if session.name is None:
        raise InputError(NO_NAME)
    if session.policy.fixed:
        look = session.check_copy()  # before the work
        rows = _Rows(session.kept, session.whole, session.copies_of_copy)
    else:
        public = _public_rows(session)
        rows = _Rows(public, public, (public,))
    draft, key = _draft(session, session.name, rows), key_of_policy(session.policy)
    if session.policy.fixed:
        names = [it.name for it in draft.columns if it.name != draft.person_column]
        gate = session.release_gate
        record = gate.record_from_copy(
            STUDY_FILE, rows.whole.sources(names), FORM, rows.kept.copy.version
        )
        gate.release([record], look)
    return write_study_file(target, draft, _batches(rows.kept, draft.columns), key)


def private_copy(session: Session) -> FileSession:
    """Return the copy of a study as it is kept beside the data, made where it is not.

    Its file is for its owner alone, signed by a key of the secret, so that nobody else's is taken
    for it, and opened by no path of a user. Without a folder beside a policy it lies in a folder
    of its own while the study is open.
    """
    check_copied(session.policy)
    folder, keep = folder_of(session.policy), None
    if folder is None:
        keep = TemporaryFolder()
        folder = keep.path
    version, key = session.version_of_whole(), SigningKey(session.secret.digest(PRIVATE))
    path = folder / f"whole-{version}-{_digest_of_words(session)}.copy"
    if not is_kept(path):
        with write_errors(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            rows = _Rows(session.kept, session.whole, session.copies_of_copy)
            draft = replace(_draft(session, session.name or NAMELESS, rows), private=True)
            write_study_file(path, draft, _batches(rows.kept, draft.columns), key)
    found = FileSession(_opened(path, key), session)
    found.keep = keep
    return found


def _opened(path: Path, key: SigningKey) -> StudyFile:
    with read_errors(path):
        found = open_study_file(path, private=True)
        if found.manifest.key != key.public:
            found.close()
            raise InputError("it is signed by another key")
    return found


def _digest_of_words(session: Session) -> str:
    """Return what tells apart files of one copy that say other things of it."""
    words = [session.policy.to_dict(), dict(session.labels)]
    return hashlib.sha256(json.dumps(words, sort_keys=True, default=str).encode()).hexdigest()[:8]


def _public_rows(session: Session) -> WholeTable:
    table, policy = session.table, session.policy
    raw = raw_in_one(table, policy, session.secret, choose_columns(table, policy))
    words = {name: it.texts() for name, it in raw.levels.items()}
    version = raw.version.hex()[:VERSION_DIGITS]
    copy = Copy(dict(raw.numbers), words, version, 0, remarks_of(raw.left_out))
    return WholeTable(copy, table.columns)


def key_of_policy(policy: Policy) -> SigningKey:
    """Return the key that signs, which lies beside the secret."""
    places = secret_files(policy.folder)
    folder = next(filter(is_secret, places), places[0]).parent
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InputError(
            f"no folder can be made for the signing key ({type(error).__name__}); name another one"
            " by the environment variable DISCREET_CONFIG"
        ) from None
    return load_signing_key(folder)


def _draft(session: Session, name: str, rows: _Rows) -> Draft:
    copy, policy, again = rows.whole.copy, session.policy, rows.again
    columns = _columns(session, rows)
    tables = [_table(it, columns) for it in again[1:]]
    if any(it.num_rows > most_rows_again(len(columns)) for it in tables):
        tables = []  # so that intervals say that they are of chance alone
    near: Mapping[str, Any] | None = None
    if policy.fixed:
        near = json.loads(session.nearness().to_json())
    return Draft(
        study=name,
        version=copy.version,
        columns=columns,
        k=policy.k if policy.fixed else 1,
        m=policy.members if policy.fixed else 1,
        persons=_persons(session, rows.kept),
        policy=policy_told(policy, rows.whole),
        nearness=near,
        again=tuple(tables),
        again_of=len(again[0]),
        person_column=next(iter(copy.whose), None),
        remarks=copy.remarks,
    )


def _persons(session: Session, whole: WholeTable) -> int:
    persons = whole.persons
    count = len(whole) if persons is None else len(np.unique(persons))
    return int(rounded(np.array([count]), session.policy.count_step)[0])


# --- columns --------------------------------------------------------------------------------------


def _columns(session: Session, rows: _Rows) -> tuple[Column, ...]:
    whole = rows.whole
    copy = whole.copy
    made = [name for name in whole.raw if name not in whole.made_from]
    found = [_levels(session, rows, name) for name in made if name in copy.strata]
    found += [_numbers(session, rows, name) for name in made if name in copy.columns]
    place = {name: at for at, name in enumerate(made)}
    found.sort(key=lambda it: place[it.name])
    return (*found, *(Column(name, "continuous") for name in copy.whose))


def _said(session: Session, rows: _Rows, name: str) -> dict[str, Any]:
    label = session.labels.get(name, "")
    unit = unit_in(label, declared=name in (session.policy.labels or {})) or unit_in(name)
    return {
        "name": name,
        "label": label,
        "unit": unit or "",
        "remarks": column_notes(rows.kept, [name]),
        "may_hold_codes": session.may_hold_codes(name),
    }


def _levels(session: Session, rows: _Rows, name: str) -> Column:
    whole = rows.whole
    levels = whole.levels_of(name)
    more = {word for it in rows.again for word in it.copy.strata.get(name, ())}
    return Column(
        kind="categorical",
        levels=levels,
        levels_again=tuple(sorted(more - {"", *levels})),
        are_codes=holds_codes(whole.raw[name]),
        **_said(session, rows, name),
    )


def _numbers(session: Session, rows: _Rows, name: str) -> Column:
    whole = rows.whole
    if whole.raw[name].dates is None:
        return Column(kind="continuous", **_said(session, rows, name))
    tables = (whole, *rows.again[1:])
    days = all(_is_whole(it.copy.columns[name]) for it in tables if name in it.copy.columns)
    return Column(kind="date", dates="day" if days else "us", **_said(session, rows, name))


def _is_whole(values: Floats) -> bool:
    known = values[np.isfinite(values)]
    return bool((known == np.round(known)).all())


# --- rows -----------------------------------------------------------------------------------------


def _batches(whole: WholeTable, columns: Sequence[Column]) -> Iterator[pa.Table]:
    """Give the rows of the copy as the file has them, a part at a time."""
    names = [it.name for it in columns]
    for numbers, levels in whole.copy.parts(names):
        yield pa.table({it.name: _stored(it, numbers, levels) for it in columns})


def _table(whole: WholeTable, columns: Sequence[Column]) -> pa.Table:
    """Return a copy of the copy as the file has it, without the columns that it has lost."""
    copy = whole.copy
    numbers, levels = {**copy.columns, **copy.whose}, copy.strata
    there = [it for it in columns if it.name in numbers or it.name in levels]
    return pa.table({it.name: _stored(it, numbers, levels) for it in there})


def _stored(
    column: Column, numbers: Mapping[str, Floats], levels: Mapping[str, Sequence[str]]
) -> pa.Array:
    if column.kind == "categorical":
        return pa.array([word or None for word in levels[column.name]], pa.string())
    values = numbers[column.name]
    if column.kind == "date":
        return dates_of(values, Dates(column.dates or "day"))
    return pa.array(np.where(np.isfinite(values), values, np.nan), from_pandas=True)
