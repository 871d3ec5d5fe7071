"""The study file: what leaves the custodian's machine, signed, and all that others look at.

A ZIP whose entries are stored as they are: `manifest.json` (`manifest`), `rows/*.parquet` (`rows`),
`nearness.json` and `answers/*.json`. `writing` makes one, `signing` keeps the key, `reading` opens
one that may come from a stranger (`archive` and `parquet` look before anything is unpacked), and
`checking` says in words what a file is, and whether somebody else signed the study before.
"""

from discreet.study_file.checking import Check, check, open_signed
from discreet.study_file.manifest import SUFFIX, Column, Manifest
from discreet.study_file.reading import StudyFile, open_study_file
from discreet.study_file.signing import (
    SigningKey,
    fingerprint,
    load_signing_key,
    replace_signing_key,
)
from discreet.study_file.writing import Draft, draft_of, write_study_file

__all__ = [
    "SUFFIX",
    "Check",
    "Column",
    "Draft",
    "Manifest",
    "SigningKey",
    "StudyFile",
    "check",
    "draft_of",
    "fingerprint",
    "load_signing_key",
    "open_signed",
    "open_study_file",
    "replace_signing_key",
    "write_study_file",
]
