"""Who signed a study the first time it was seen here: another key later is not taken in silence.

A file says which key signed it, and whoever changes it can sign it with a key of their own. What
tells them apart is that the custodian's files were seen before.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from discreet.errors import InputError, path_in_words
from discreet.places import is_there
from discreet.study_file.canonical import canonical_json, read_json
from discreet.study_file.manifest import Manifest
from discreet.study_file.signing import fingerprint, follows, is_hex
from discreet.unfinished import being_written, write_once

FOLDER = "signers"
SCHEMA = 1
MOST_BYTES = 10_000


@dataclass(frozen=True)
class Signer:
    """Who signed a study file, beside who signed that study first.

    Parameters
    ----------
    fingerprint : str
        Of the key that signed this file.
    before : str
        Of the key that signed the study when it was seen before; empty if it was not.
    state : str
        "first" (never seen before), "same", "successor" (the key before signed this one), "trusted"
        (another key, taken because its fingerprint was given) or "changed".
    """

    fingerprint: str
    before: str
    state: Literal["first", "same", "successor", "trusted", "changed"]

    def to_text(self) -> str:
        """Return what it means, in a sentence."""
        meaning = {
            "first": "seen for the first time, and remembered; ask the custodian by another way"
            " whether this is their key",
            "same": "the key that signed this study before",
            "successor": f"a new key, which the one before ({self.before}) signed",
            "trusted": f"taken in place of {self.before}, as was asked for",
            "changed": f"ANOTHER KEY than before ({self.before}). Do not use the file until the"
            " custodian confirms the new key by another way; then check it with --trust"
            f" '{self.fingerprint}'",
        }
        return f"{self.fingerprint}: {meaning[self.state]}"


def state_folder() -> Path:
    """Return where is kept what was seen here: DISCREET_STATE, or the user's state folder."""
    from platformdirs import user_state_path

    return Path(os.environ.get("DISCREET_STATE") or user_state_path("discreet"))


def remember_signer(manifest: Manifest, state: Path, trust: str | None = None) -> Signer:
    """Compare who signed a file with who signed the study before, and remember it if all is well.

    Parameters
    ----------
    manifest : Manifest
    state : Path
        The folder in which keys are remembered; made if there is none.
    trust : str, optional
        The fingerprint of a key that is taken though another signed before.

    Raises
    ------
    InputError
        `trust` is the fingerprint of another key, or what was seen before cannot be read.
    """
    own = fingerprint(manifest.key)
    if trust is not None and "".join(trust.split()).lower() != own.replace(" ", ""):
        raise InputError(
            "the fingerprint to be trusted is not that of the key which signed this file; ask the"
            " custodian for it by another way, and give it as it is"
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
    """Return the key that a file remembers."""
    with path.open("rb") as file:
        plain = read_json(file.read(MOST_BYTES), path.name)
    fields = {"key", "schema", "study"}
    if not isinstance(plain, dict) or set(plain) != fields or not is_hex(plain["key"], 64):
        raise InputError(
            f"the file {path_in_words(path)} does not say a key; delete it to begin anew, and ask"
            " the custodian for the fingerprint of theirs"
        )
    return str(plain["key"])
