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

from discreet.errors import BrokenPromiseError, InputError
from discreet.secret import DerivedKey, Secret

SCHEMA = 2
"""How a provenance is written and sealed."""
DIGITS = 16
ZEROS = "0" * 64
NOTHING = hashlib.sha256().digest()
"""What stands for a file in the seal of a provenance by itself."""


@dataclass(frozen=True)
class Provenance:
    """Where the numbers of a figure, a table or a report come from.

    The study version is that of the protected copy, or for counts the register's; it and the policy
    are keyed digests, for neither may be guessed. `request` is what was asked for, as far as the
    picture shows it, and `source` what it was drawn from: the protected "copy", "counts" of the
    data, "rows" that were protected for this picture alone, the copy in a study "file"; or
    "measured" on the data beside what was made of them. `drawing` is how a picture was drawn into
    its file, where that is not as usual: its title, its width.

    The checksum is a keyed digest of the numbers, so that nobody finds them by guessing (`keyed`);
    of a table of text, in which it does not stand, the SHA-256 of its file. `seal` is one of all
    that stands before it, and `file_seal` of all that with the rest of the file, its ending and the
    drawing.
    """

    version: str
    policy: str
    discreet: str
    request: Mapping[str, Any] = field(hash=False)
    source: str
    checksum: str = ""
    seal: str = ""
    file_seal: str = ""
    schema: int = SCHEMA
    drawing: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def id(self) -> str:
        """The same for the same numbers of the same request."""
        return checksum_of(self._said())[:DIGITS]

    def to_plain(self) -> dict[str, Any]:
        """Return it as the plain values that are written."""
        drawn = {"drawing": dict(self.drawing)} if self.drawing else {}
        seals = {"seal": self.seal, "file_seal": self.file_seal}
        plain = {"schema": self.schema, "id": self.id} | self._said() | drawn
        return plain | {name: it for name, it in seals.items() if it}

    def to_text(self) -> str:
        """Return it as a line of JSON in plain letters, none of which is markup."""
        text = json.dumps(self.to_plain(), allow_nan=False, ensure_ascii=True)
        for letter in "<>&":
            text = text.replace(letter, f"\\u{ord(letter):04x}")
        return text

    def _said(self) -> dict[str, Any]:
        return {
            "schema": self.schema,
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
        wrong = InputError("this is not provenance written by discreet")
        try:
            plain = dict(given)
            schema, id_ = plain.pop("schema"), plain.pop("id")
            request, drawing = plain.pop("request"), plain.pop("drawing", {})
        except (TypeError, ValueError, KeyError):
            raise wrong from None
        words = {it.name for it in fields(Provenance)} - {"request", "schema", "drawing"}
        seals = {"seal", "file_seal"}
        known = type(schema) is int and schema == SCHEMA
        there = known and words - seals <= set(plain) <= words
        if not there or not (isinstance(request, dict) and isinstance(drawing, dict)):
            raise wrong
        # Whoever reads them on a screen shall see them as they are, and no line that they make up.
        if not all(
            isinstance(it, str) and it.isascii() and it.isprintable() for it in plain.values()
        ):
            raise wrong
        found = Provenance(request=request, schema=schema, drawing=drawing, **plain)
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
        wrong = InputError("this is not provenance written by discreet")
        try:
            found = Provenance.from_plain(json.loads(text))
        except (ValueError, RecursionError):
            raise wrong from None
        if found.to_text() != text:
            raise wrong
        return found

    def sealed(self, key: DerivedKey) -> Provenance:
        """Return it with its seal."""
        said = canonical_text(self._said()).encode()
        return replace(self, seal=key.secret.digest("provenance", said, NOTHING).hex())

    def sealed_file(self, key: DerivedKey, rest: bytes, ending: str) -> Provenance:
        """Return it with the seal of a file too, which ends so.

        `rest` is the SHA-256 of all that the file holds beside it.
        """
        said = [canonical_text(self._said()).encode(), rest, ending.encode()]
        said += [canonical_text(dict(self.drawing)).encode()] if self.drawing else []
        return replace(self, file_seal=key.secret.digest("file", *said).hex())

    def is_genuine(self, key: DerivedKey) -> bool:
        """Tell whether the seal is of this key, and nothing of what it seals was changed."""
        return hmac.compare_digest(self.seal, self.sealed(key).seal)

    def fits_file(self, key: DerivedKey, rest: bytes, ending: str) -> bool:
        """Tell whether the seal of the file is of this key, and the rest of the file as it was."""
        again = self.sealed_file(key, rest, ending)
        return hmac.compare_digest(self.file_seal, again.file_seal)

    def holds(self, key: DerivedKey, checksum: str) -> bool:
        """Tell whether it is of the numbers that have a checksum (`checksum_of`)."""
        return hmac.compare_digest(self.checksum, keyed(key, checksum))


@dataclass(frozen=True, repr=False)
class Sealer:
    """What gives a view its provenance once it is released, and seals it with a key.

    `begun` returns the provenance without a checksum, late, for it may ask the register; None where
    files alone are sealed, of what has its provenance.
    """

    key: DerivedKey
    begun: Callable[[], Provenance] | None = None

    def provenance(self, checksum: str) -> Provenance | None:
        """Return the sealed provenance of numbers with a checksum."""
        if self.begun is None:
            return None
        return replace(self.begun(), checksum=keyed(self.key, checksum)).sealed(self.key)

    def of_text(self, digest: str) -> Provenance:
        """Return the sealed provenance of a table of text, by the SHA-256 of its file.

        It stands in the register alone, which is asked for that digest.
        """
        return replace(self._begin(), checksum=digest).sealed(self.key)

    def of_file(self, rest: bytes, ending: str) -> Provenance:
        """Return the sealed provenance of a file, by the SHA-256 of all that it holds beside."""
        found = replace(self._begin(), checksum=keyed(self.key, rest.hex())).sealed(self.key)
        return found.sealed_file(self.key, rest, ending)

    def placeholder(self) -> str:
        """Return a text that is as long as that of `of_file`."""
        return replace(self._begin(), checksum=ZEROS, seal=ZEROS, file_seal=ZEROS).to_text()

    def _begin(self) -> Provenance:
        if self.begun is None:
            raise BrokenPromiseError("a file was to be sealed, and nothing says where it is from")
        return self.begun()


def key_of(secret: Secret) -> DerivedKey:
    """Return the key that seals all that is released under a secret."""
    return secret.derived("provenance")


def keyed(key: DerivedKey, checksum: str) -> str:
    """Return what stands for a checksum in a file: guessed numbers are not confirmed by it."""
    return key.secret.digest("checksum", checksum.encode()).hex()


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
