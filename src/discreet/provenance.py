"""Where something that was released comes from: what is written into it, and sealed.

Every figure, table and report carries it in its file, and `discreet verify` reads it there. It
names no day, no user and no path. Two keyed digests make it a receipt, which is checked with the
secret alone: the `seal` is of the provenance itself, the `file_seal` of it and of all else that
the file holds.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.metadata import version as version_of_package
from pathlib import Path
from typing import Any

from discreet.errors import InputError
from discreet.secret import DerivedKey, Secret

__all__ = [
    "Provenance",
    "Sealer",
    "canonical_text",
    "checksum_of",
    "checksum_of_file",
    "key_of",
    "own_version",
]

SCHEMA = 1
DIGITS = 16


@dataclass(frozen=True)
class Provenance:
    """Where the numbers of a figure, a table or a report come from.

    Parameters
    ----------
    version : str
        The study version: the protected copy, or for counts the version in the ledger. A keyed
        digest, as `policy` is, for neither may be guessed from it.
    policy : str
        The policy that it was made under.
    discreet : str
        The version of discreet.
    request : mapping
        What was asked for, as far as the picture shows it.
    source : {"copy", "counts", "rows"}
        What it was drawn from: the protected copy, counts of the data, or rows that were protected
        for this picture alone.
    checksum : str
        SHA-256 of the numbers, see `checksum_of`; of a table, of its file (`checksum_of_file`).
    seal : str
        A keyed digest of all that stands before it.
    file_seal : str
        A keyed digest of all that, and of the rest of the file that this is written in.
    """

    version: str
    policy: str
    discreet: str
    request: Mapping[str, Any] = field(hash=False)
    source: str
    checksum: str = ""
    seal: str = ""
    file_seal: str = ""

    @property
    def id(self) -> str:
        """The same for the same numbers of the same request."""
        return checksum_of(self._told())[:DIGITS]

    def to_plain(self) -> dict[str, Any]:
        """Return it as the plain values that are written."""
        seals = {"seal": self.seal, "file_seal": self.file_seal}
        told = {"schema": SCHEMA, "id": self.id, **self._told()}
        return told | {name: it for name, it in seals.items() if it}

    def to_text(self) -> str:
        """Return it as a line of JSON in plain letters, none of which is markup."""
        text = json.dumps(self.to_plain(), allow_nan=False, ensure_ascii=True)
        for letter in "<>&":
            text = text.replace(letter, f"\\u{ord(letter):04x}")
        return text

    def _told(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "policy": self.policy,
            "discreet": self.discreet,
            "request": dict(self.request),
            "source": self.source,
            "checksum": self.checksum,
        }

    @staticmethod
    def from_plain(given: Any) -> Provenance:
        """Read what `to_plain` wrote; refuse what has other fields, or another id."""
        wrong = InputError("this is no provenance that discreet wrote")
        try:
            told = dict(given)
            schema, id_ = told.pop("schema"), told.pop("id")
            request = told.pop("request")
        except (TypeError, ValueError, KeyError):
            raise wrong from None
        words = {it.name for it in fields(Provenance)} - {"request"}
        seals = {"seal", "file_seal"}
        there = schema == SCHEMA and words - seals <= set(told) <= words
        if not there or not isinstance(request, dict):
            raise wrong
        # Whoever reads them on a screen shall see them as they are, and no line that they make up.
        if not all(
            isinstance(it, str) and it.isascii() and it.isprintable() for it in told.values()
        ):
            raise wrong
        found = Provenance(request=request, **told)
        try:
            same = found.id == id_
        except (TypeError, ValueError, RecursionError):  # no number, or too deep
            raise wrong from None
        if not same:
            raise wrong
        return found

    @staticmethod
    def from_text(text: str) -> Provenance:
        """Read the line that `to_text` wrote, to the letter.

        JSON lets a name stand twice, of which the last counts: the first could be a page, that
        whoever opens the file sees.
        """
        wrong = InputError("this is no provenance that discreet wrote")
        try:
            found = Provenance.from_plain(json.loads(text))
        except (ValueError, RecursionError):
            raise wrong from None
        if found.to_text() != text:
            raise wrong
        return found

    def sealed(self, key: DerivedKey) -> Provenance:
        """Return it with its seal."""
        return replace(self, seal=self._digest(key, "provenance", b""))

    def sealed_file(self, key: DerivedKey, file: bytes) -> Provenance:
        """Return it with the seal of a file too, given all that the file holds beside it."""
        return replace(self, file_seal=self._digest(key, "file", file))

    def is_genuine(self, key: DerivedKey) -> bool:
        """Tell whether the seal is of this key, and nothing of what it seals was changed."""
        return hmac.compare_digest(self.seal, self.sealed(key).seal)

    def fits_file(self, key: DerivedKey, file: bytes) -> bool:
        """Tell whether the seal of the file is of this key, and the rest of the file as it was."""
        return hmac.compare_digest(self.file_seal, self.sealed_file(key, file).file_seal)

    def _digest(self, key: DerivedKey, purpose: str, file: bytes) -> str:
        told = canonical_text(self._told()).encode()
        return key.secret.digest(purpose, told, hashlib.sha256(file).digest()).hex()


@dataclass(frozen=True, repr=False)
class Sealer:
    """What gives a view its provenance once it is released.

    Parameters
    ----------
    key : DerivedKey
        Seals it.
    begun : callable or None
        Returns the provenance without a checksum. Called late, for it may ask the ledger. None
        where files alone are sealed, of what has its provenance.
    """

    key: DerivedKey
    begun: Callable[[], Provenance] | None = None

    def provenance(self, checksum: str) -> Provenance | None:
        """Return the sealed provenance of numbers with a checksum."""
        if self.begun is None:
            return None
        return replace(self.begun(), checksum=checksum).sealed(self.key)


def key_of(secret: Secret) -> DerivedKey:
    """Return the key that seals all that is released under a secret."""
    return secret.derived("provenance")


def checksum_of(plain: object) -> str:
    """Return the SHA-256 of plain values in one canonical text: sorted names, no spaces."""
    return hashlib.sha256(canonical_text(plain).encode()).hexdigest()


def checksum_of_file(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def canonical_text(plain: object) -> str:
    """Return plain values as the one text that JSON has for them here."""
    return json.dumps(
        plain, allow_nan=False, ensure_ascii=True, sort_keys=True, separators=(",", ":")
    )


@cache
def own_version() -> str:
    """Return the version of discreet that runs."""
    return version_of_package("discreet")
