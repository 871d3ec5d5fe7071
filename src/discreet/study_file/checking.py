"""What a file is, said in words: `discreet check`, and opening what one was given.

A file says which key signed it, and whoever changes it can sign it with a key of their own. What
tells them apart is that the custodian's files were seen before: who signed a study the first time
is remembered, and another key later is not taken in silence.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from discreet.errors import InputError, path_in_words
from discreet.places import is_there
from discreet.study_file.manifest import Column, Manifest
from discreet.study_file.reading import StudyFile, check_values_of, open_study_file
from discreet.study_file.signing import canonical_json, fingerprint, follows, is_hex, read_json
from discreet.unfinished import being_written, write_once
from discreet.use import Use

FOLDER = "signers"
SCHEMA = 1
MOST_BYTES = 10_000


@dataclass(frozen=True)
class Signer:
    """Who signed a study file, beside who signed that study first: fingerprints of the two keys.

    The state is "first" (never seen before), "same", "successor" (the key before signed this one),
    "trusted" (another key, taken because its fingerprint was given) or "changed".
    """

    fingerprint: str
    before: str
    state: Literal["first", "same", "successor", "trusted", "changed"]

    def to_text(self) -> str:
        """Return what it means, in a sentence."""
        meaning = {
            "first": "seen for the first time, and remembered; ask the custodian through another "
            "channel whether this is their key",
            "same": "the key that signed this study before",
            "successor": f"a new key, which the one before ({self.before}) signed",
            "trusted": f"accepted in place of {self.before}, as requested",
            "changed": f"ANOTHER KEY than before ({self.before}). Do not use the file until the "
            "custodian confirms the new key through another channel; then check it with "
            f"--trust '{self.fingerprint}'",
        }
        return f"{self.fingerprint}: {meaning[self.state]}"


def state_folder() -> Path:
    """Return where is kept what was seen here: DISCREET_STATE, or the user's state folder."""
    from platformdirs import user_state_path

    return Path(os.environ.get("DISCREET_STATE") or user_state_path("discreet"))


def remember_signer(manifest: Manifest, state: Path, trust: str | None = None) -> Signer:
    """Compare who signed a file with who signed the study before, and remember it if all is well.

    `state` is the folder in which keys are remembered, and `trust` the fingerprint of a key that is
    taken though another signed before; a `trust` of any other key is refused.
    """
    own = fingerprint(manifest.key)
    if trust is not None and "".join(trust.split()).lower() != own.replace(" ", ""):
        raise InputError(
            "the fingerprint given is not that of the key that signed this file; ask the "
            "custodian for it through another channel"
        )
    path = state / FOLDER / f"{hashlib.sha256(manifest.study.encode()).hexdigest()[:32]}.json"
    try:
        if not is_there(path):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_once(path, _to_text(manifest))
            seen = _seen(path)
            return Signer(own, "", "first") if seen == manifest.key else _compared(manifest, seen)
        signer = _compared(manifest, _seen(path))
        if signer.state == "changed" and trust is not None:
            signer = Signer(own, signer.before, "trusted")
        if signer.state in ("successor", "trusted"):
            with being_written(path) as file:
                file.write(_to_text(manifest))
    except OSError as error:
        raise InputError(
            f"the keys that were seen in {path_in_words(path.parent)} cannot be read or kept"
            f" ({type(error).__name__}); set DISCREET_STATE to a folder that you may write to"
        ) from None
    return signer


def _compared(manifest: Manifest, seen: str) -> Signer:
    """Say how the key of a file stands to the one that was seen before."""
    own, before = fingerprint(manifest.key), fingerprint(seen)
    if seen == manifest.key:
        return Signer(own, before, "same")
    after = follows(seen, manifest.key, manifest.successors)
    return Signer(own, before, "successor" if after else "changed")


def _to_text(manifest: Manifest) -> bytes:
    return canonical_json({"key": manifest.key, "schema": SCHEMA, "study": manifest.study})


def _seen(path: Path) -> str:
    with path.open("rb") as file:
        plain = read_json(file.read(MOST_BYTES), path.name)
    fields = {"key", "schema", "study"}
    if not isinstance(plain, dict) or set(plain) != fields or not is_hex(plain["key"], 64):
        raise InputError(
            f"the file {path_in_words(path)} does not contain a key; delete it to start again, "
            "and ask the custodian for their fingerprint"
        )
    return str(plain["key"])


# --- what a file is, said in words: `discreet check`, and opening what one was given --------------


MOST_LISTED = 40
"""Of more columns than this the first are listed."""


@dataclass(frozen=True)
class Check:
    """What a study file is, once all of it was read and found as it was signed.

    `signer` says who signed it, beside who signed the study before; `use` for whom it is, until
    when, and whether it may be combined with others; the rest is as `Manifest` has it.
    """

    path: str
    study: str
    version: str
    rows: int
    persons: int
    columns: tuple[Column, ...]
    k: int
    m: int
    answers: tuple[str, ...]
    content: str
    values: str
    discreet: str
    signer: Signer
    use: Use

    @property
    def is_public(self) -> bool:
        """Whether the rows are those of a public table itself."""
        return self.m == 1

    @property
    def is_trusted(self) -> bool:
        """Whether no other key signed the study before."""
        return self.signer.state != "changed"

    def to_text(self) -> str:
        """Return it in words."""
        listed = ", ".join(map(_column_in_words, self.columns[:MOST_LISTED]))
        more = len(self.columns) - MOST_LISTED
        return "\n".join(
            (
                f"{self.path} is a study file of discreet, unchanged since it was signed.",
                f"study      {self.study}, version {self.version}",
                self._rows(),
                f"columns    {len(self.columns)}: {listed}{f', and {more} more' * (more > 0)}",
                self._protected(),
                *self._use(),
                f"answers    {', '.join(self.answers) or 'none'}, from the data",
                f"signed by  {self.signer.to_text()}",
                f"content    {self.content}",
                f"written    by discreet {self.discreet}",
            )
        )

    def _rows(self) -> str:
        if self.is_public:
            return f"rows       {self.rows}, PUBLIC: those of the table itself, as it was declared"
        return f"rows       {self.rows}, of a protected copy; people: about {self.persons}"

    def _use(self) -> Iterator[str]:
        """Say for whom the file is, and until when, where it says so."""
        if said := self.use.to_text():
            past = ", which is past: ask the custodian for another one" * self.use.is_past()
            yield f"use        {said}{past}"

    def _protected(self) -> str:
        if self.is_public:
            return "protected  not at all"
        return (
            f"protected  k = {self.k}, m = {self.m}: each value has at least k people behind "
            "it, and is drawn from at least m who are alike"
        )

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        signer = self.signer
        return {
            **{name: getattr(self, name) for name in PLAIN},
            "answers": list(self.answers),
            **vars(self.use),
            "columns": [it.to_plain() for it in self.columns],
            "fingerprint": signer.fingerprint,
            "fingerprint_before": signer.before or None,
            "key": signer.state,
        }

    def __str__(self) -> str:
        return self.to_text()


PLAIN = (
    *("path", "study", "version", "rows", "persons", "k", "m"),
    *("content", "values", "discreet", "is_trusted", "is_public"),
)
"""What is told in JSON as it is."""


def _column_in_words(column: Column) -> str:
    if column.kind == "categorical":
        return f"{column.name} ({len(column.levels)} levels)"
    if column.kind == "date":
        return f"{column.name} (dates)"
    return f"{column.name} ({column.unit})" if column.unit else column.name


def check(path: str | Path, *, trust: str | None = None, state: str | Path | None = None) -> Check:
    """Read all of a study file, and say what it is and who signed it.

    Parameters
    ----------
    path : str or Path
    trust : str, optional
        The fingerprint of a key that is taken though another signed the study before.
    state : str or Path, optional
        Where the keys that were seen are remembered; by default DISCREET_STATE, or the user's
        state folder.

    Returns
    -------
    Check
        Prints as text. `is_trusted` is False where another key signed the study before.

    Raises
    ------
    InputError
        The file cannot be read, is not a study file, was changed, or was made to do harm.

    Examples
    --------
    >>> import discreet as dc
    >>> print(dc.check("cohort.discreet"))  # doctest: +SKIP
    cohort.discreet is a study file of discreet, unchanged since it was signed.
    study      cohort, version 1
    ...
    """
    with open_study_file(path) as file:
        check_values_of(file)
        manifest, answers = file.manifest, file.answers
    return _check_of(Path(path), manifest, answers, _signer(manifest, state, trust))


def open_signed(path: str | Path) -> StudyFile:
    """Open a study file, unless another key signed the study before (see `check`)."""
    file = open_study_file(path)
    try:
        signer = _signer(file.manifest, None, None)
        if signer.state == "changed":
            raise InputError(
                f"the file {path_in_words(path)} was signed by {signer.to_text()}".replace(
                    "check it with", "run discreet check with"
                )
            )
    except BaseException:
        file.close()
        raise
    return file


def _signer(manifest: Manifest, state: str | Path | None, trust: str | None) -> Signer:
    return remember_signer(manifest, state_folder() if state is None else Path(state), trust)


def _check_of(path: Path, manifest: Manifest, answers: tuple[str, ...], signer: Signer) -> Check:
    own = ("path", "answers", "signer")
    said = {it.name: getattr(manifest, it.name) for it in fields(Check) if it.name not in own}
    return Check(path=str(path), answers=answers, signer=signer, **said)
