"""What is signed, as bytes that can be written in one way, and the custodian's key pair that signs.

Keys of JSON are in order, there is no space, numbers are finite and whole ones below 2^53: whoever
reads a text and writes it again has the same bytes, so that a digest of it is one of what it says.

The private half of the key has nothing to do with the secret that keys the noise: whoever learns
the one knows nothing of the other. A key that is followed by another signs who follows it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from discreet.errors import InputError, path_in_words
from discreet.places import is_there
from discreet.unfinished import being_written, write_once

LARGEST_WHOLE = 2**53 - 1
"""Up to here every reader of JSON has the same whole number."""
DEEPEST = 16
"""Lists and mappings may lie so deep in one another."""
MOST_BYTES = 4 * 2**20
MOST_ITEMS = 200_000
"""So many values may be in one text: read, each takes many times the memory of its bytes."""


def canonical_json(value: object) -> bytes:
    """Return the one way in which a value is written as JSON.

    Refuses numbers that are not finite, or whole and not below 2^53, and what is no value of JSON.

    Examples
    --------
    >>> canonical_json({"m": 20, "k": 5, "levels": ("no", "yes")})
    b'{"k":5,"levels":["no","yes"],"m":20}'
    """
    _check(value, DEEPEST)
    text = json.dumps(
        value,
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
        default=lambda it: dict(it) if isinstance(it, Mapping) else list(it),
    )
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InputError("a text holds half a character, which cannot be written as JSON") from None


def _check(value: object, deep: int) -> None:
    if value is None or isinstance(value, bool | str):
        return
    if isinstance(value, int):
        if abs(value) > LARGEST_WHOLE:
            raise InputError("a whole number is not below 2^53; write it as text")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise InputError("a number is not finite; write null where there is none")
    elif deep == 0:
        raise InputError(f"lists lie deeper in one another than {DEEPEST}")
    elif isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise InputError("a key of a mapping is no text")
        for it in value.values():
            _check(it, deep - 1)
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        for it in value:
            _check(it, deep - 1)
    else:
        raise InputError(f"a {type(value).__name__} is no value of JSON")


def read_json(text: bytes, what: str) -> Any:
    """Read JSON that `canonical_json` wrote, and refuse any other; `what` is its name in a message.

    Size and number of values are looked at before it is read, depth by who reads it.

    Examples
    --------
    >>> read_json(b'{"k":5,"m":20}', "manifest.json")
    {'k': 5, 'm': 20}
    >>> read_json(b'{"k": 5}', "manifest.json")
    Traceback (most recent call last):
    discreet.errors.InputError: manifest.json is not written as discreet writes JSON...
    """
    _check_size(text, what)
    try:
        value = json.loads(
            text.decode(),
            object_pairs_hook=_mapping_of_pairs,
            parse_constant=_no_number,
            parse_int=_whole,
        )
        same = canonical_json(value) == text
    except (ValueError, RecursionError):  # InputError among them; none of it is repeated
        same = False
    if not same:
        raise InputError(
            f"{what} is not written as discreet writes JSON (keys in order and once, no spaces, "
            "finite numbers); it was changed, or made by something else: ask for a new copy of "
            "the file"
        )
    return value


def _check_size(text: bytes, what: str) -> None:
    if len(text) > MOST_BYTES:
        raise InputError(f"{what} is larger than the {MOST_BYTES} bytes that are allowed")
    if sum(map(text.count, (b",", b"[", b"{"))) > MOST_ITEMS:
        raise InputError(f"{what} holds more than the {MOST_ITEMS} values that are allowed")


def _mapping_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a mapping; refuse a key that stands twice in it."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError
    return made


def _no_number(_: str) -> NoReturn:
    raise ValueError


def _whole(digits: str) -> int:
    """Return a whole number; refuse one of so many digits that reading it takes long."""
    if len(digits) > len(str(LARGEST_WHOLE)) + 1:
        raise ValueError
    return int(digits)


# --- the custodian's key pair: made at random, kept in a file, followed by another, and used ------


FILE_NAME = "discreet.signing-key"
KEY_DIGITS, SIGNATURE_DIGITS = 64, 128
MOST_SUCCESSORS = 100
SCHEMA = 1
FIELDS = {"schema", "private", "successors"}
PURPOSE = {"file": b"discreet study file\0", "successor": b"discreet successor\0"}
"""What stands before what is signed: a signature for one purpose does not fit another."""


@dataclass(frozen=True)
class Successor:
    """What a key signed of the one that follows it: both public halves, and the signature."""

    before: str
    after: str
    signature: str

    def to_plain(self) -> dict[str, str]:
        """Return it as JSON has it."""
        return {"after": self.after, "before": self.before, "signature": self.signature}

    @classmethod
    def from_plain(cls, plain: object) -> Successor:
        """Read what `to_plain` wrote; refuse what has other fields, or is not signed."""
        if not isinstance(plain, dict) or set(plain) != {"before", "after", "signature"}:
            raise InputError("a successor of a key has the fields after, before, signature")
        made = cls(**plain)
        if not (is_hex(made.before, KEY_DIGITS) and is_hex(made.after, KEY_DIGITS)):
            raise InputError("the keys of a successor are not written in hexadecimal digits")
        if not is_signed(bytes.fromhex(made.after), made.signature, made.before, "successor"):
            raise InputError("the successor of a key is not signed by that key")
        return made


@dataclass(frozen=True, repr=False)
class SigningKey:
    """The private half of a key pair, and which keys were before it; prints as nothing."""

    _private: bytes
    successors: tuple[Successor, ...] = ()

    @property
    def public(self) -> str:
        """The public half, in hexadecimal digits."""
        return self._key().public_key().public_bytes_raw().hex()

    def sign(self, message: bytes, purpose: str = "file") -> str:
        """Return the signature of a message, in hexadecimal digits."""
        return self._key().sign(PURPOSE[purpose] + message).hex()

    def followed(self) -> SigningKey:
        """Return a new key, drawn at random, which this one signed as the one that follows it."""
        if len(self.successors) == MOST_SUCCESSORS:
            raise InputError(f"a key follows at most {MOST_SUCCESSORS} others; begin a new study")
        new = draw_key()
        signature = self.sign(bytes.fromhex(new.public), "successor")
        return SigningKey(
            new._private, (*self.successors, Successor(self.public, new.public, signature))
        )

    def _key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self._private)

    def _to_text(self) -> bytes:
        return canonical_json(
            {
                "private": self._private.hex(),
                "schema": SCHEMA,
                "successors": [it.to_plain() for it in self.successors],
            }
        )

    def __repr__(self) -> str:
        return "SigningKey(...)"

    def __reduce__(self) -> NoReturn:
        raise InputError("a signing key is not written down: keep its file")


def draw_key() -> SigningKey:
    """Return a new key, drawn at random."""
    return SigningKey(Ed25519PrivateKey.generate().private_bytes_raw())


# --- its file -----------------------------------------------------------------------------------


def load_signing_key(folder: Path) -> SigningKey:
    """Return the key that is kept in a folder, beside the secret; make one if there is none.

    It lies in `discreet.signing-key` there, for its owner alone: one that others may read, or that
    is no key, is refused.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     load_signing_key(Path(folder)).public == load_signing_key(Path(folder)).public
    True
    """
    path = folder / FILE_NAME
    try:
        if not is_there(path):
            write_once(path, draw_key()._to_text())
        return _read(path)
    except OSError as error:
        raise _unusable(path, error) from None


def replace_signing_key(folder: Path) -> SigningKey:
    """Draw a new key, let the one in a folder sign it, and keep it in place of that one.

    Whoever has pinned the key before takes the new one without a question.
    """
    path = folder / FILE_NAME
    try:
        new = _read(path).followed()
        with being_written(path) as file:
            file.write(new._to_text())
    except OSError as error:
        raise _unusable(path, error) from None
    return new


def _read(path: Path) -> SigningKey:
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise InputError(
            f"the signing key in {path_in_words(path)} can be read by others; give it owner-only"
            " rights (chmod 600), or replace it if others may have read it"
        )
    plain = read_json(path.read_bytes(), FILE_NAME)
    if (
        not isinstance(plain, dict)
        or set(plain) != FIELDS
        or plain["schema"] != SCHEMA
        or not is_hex(plain["private"], KEY_DIGITS)
        or not isinstance(plain["successors"], list)
    ):
        raise InputError(
            f"the file {path_in_words(path)} is not a signing key of discreet; move it away, or"
            " restore the one that was there"
        )
    successors = tuple(map(Successor.from_plain, plain["successors"]))
    return SigningKey(bytes.fromhex(plain["private"]), successors)


def _unusable(path: Path, error: OSError) -> InputError:
    return InputError(
        f"the signing key {path_in_words(path)} cannot be read or made "
        f"({type(error).__name__}); whoever runs discreet must be allowed to read and write its "
        "folder"
    )


# --- what a signature says ----------------------------------------------------------------------


def is_signed(message: bytes, signature: str, public: str, purpose: str = "file") -> bool:
    """Tell whether a message was signed by the private half of a public key."""
    if not (is_hex(signature, SIGNATURE_DIGITS) and is_hex(public, KEY_DIGITS)):
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), PURPOSE[purpose] + message)
    except (InvalidSignature, ValueError):
        return False
    return True


def is_hex(text: object, digits: int) -> bool:
    """Tell whether something is a text of so many hexadecimal digits."""
    if not isinstance(text, str) or len(text) != digits:
        return False
    return all(it in "0123456789abcdef" for it in text)


def fingerprint(public: str) -> str:
    """Return what people compare of a public key: a digest of it in groups of four digits.

    Examples
    --------
    >>> fingerprint("00" * 32)
    '6668 7aad f862 bd77 6c8f c18b 8e9f 8e20'
    """
    digits = hashlib.sha256(bytes.fromhex(public)).hexdigest()[:32]
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))


def follows(before: str, after: str, successors: Sequence[Successor]) -> bool:
    """Tell whether a key follows another by what each of the keys between them signed."""
    following: Mapping[str, str] = {it.before: it.after for it in successors}
    for _ in successors:
        before = following.get(before, before)
        if before == after:
            return True
    return False


def successors_of(plain: Any) -> tuple[Successor, ...]:
    """Read the successors that a manifest lists; refuse what is not signed."""
    if not isinstance(plain, list) or len(plain) > MOST_SUCCESSORS:
        raise InputError(f"successors is a list of at most {MOST_SUCCESSORS}")
    return tuple(map(Successor.from_plain, plain))
