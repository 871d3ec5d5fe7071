"""What a server keeps in a folder of its own: its record, whose key lies beside it.

In the record are tokens, what was asked, and outputs that were handed in. Nothing of it is of the
data: a server has the study files, and no secret but the key of its record.
"""

from __future__ import annotations

import os
from pathlib import Path

from discreet.errors import InputError, path_in_words
from discreet.records.outputs import TABLES, TABLES_MADE
from discreet.records.store import Schema, Store
from discreet.secret import key_there

RECORD = Schema(
    name="record",
    number=101,
    elsewhere="name another one (--state)",
    verify="discreet log --state FOLDER --verify",
    tables=("token", "terms", "revocation", "asked", *TABLES),
    made=(
        """CREATE TABLE IF NOT EXISTS token (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, study TEXT NOT NULL, name TEXT NOT NULL,
        role TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, expires TEXT NOT NULL,
        UNIQUE (study, name))""",
        # What holds for a token from then on, in place of what it was made with: the last stands.
        """CREATE TABLE IF NOT EXISTS terms (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, token INTEGER NOT NULL REFERENCES token,
        expires TEXT NOT NULL)""",
        "CREATE INDEX IF NOT EXISTS terms_token ON terms (token)",
        """CREATE TABLE IF NOT EXISTS revocation (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL,
        token INTEGER NOT NULL UNIQUE REFERENCES token)""",
        """CREATE TABLE IF NOT EXISTS asked (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, caller TEXT NOT NULL, study TEXT NOT NULL,
        version TEXT NOT NULL, what TEXT NOT NULL, request TEXT NOT NULL, view TEXT,
        outcome TEXT NOT NULL)""",
        "CREATE INDEX IF NOT EXISTS asked_caller ON asked (caller, study, what)",
        "CREATE INDEX IF NOT EXISTS asked_view ON asked (view, study, caller)",
        *TABLES_MADE,
    ),
)


def state_folder(folder: Path | None = None) -> Path:
    """Return where a server keeps its record: in a folder that is named, or in the user's own."""
    from platformdirs import user_state_path

    own = Path(os.environ.get("DISCREET_STATE") or user_state_path("discreet")) / "server"
    return own if folder is None else folder


def opened_record(folder: Path | None = None) -> Store:
    """Return the record of a server; its key is made on the first call, for its owner alone.

    Raises
    ------
    InputError
        If the folder cannot be read, or the key is readable by others.
    RegisterError
        If there is a record without its key.
    """
    found = Store(state_folder(folder), RECORD)
    _ = found.key  # so that it is there, or is refused, before anything is asked
    return found


def existing_record(folder: Path | None = None) -> Store | None:
    """Return the record of a server where there is one; nothing is made."""
    place = state_folder(folder)
    there = key_there(place / RECORD.key_name) or Store(place, RECORD).place is not None
    return opened_record(folder) if there else None


def record_there(folder: Path | None = None) -> Store:
    """Return the record of a server, and refuse a folder that has none."""
    found = existing_record(folder)
    if found is None:
        raise InputError(
            f"there is no server's record in {path_in_words(state_folder(folder))}; name its folder"
            " by --state"
        )
    return found
