"""The custodian's secret and the noise keyed by it.

The only place that draws random numbers for protection. A record's key is a keyed digest of its
values in one canonical encoding (or of a declared key column); AES under a key of the version, of
the record's key xor the column's tag, is turned into a normal number by the inverse distribution
function. There is no generator whose stream could be replayed or shifted by one row.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BrokenPromiseError, InputError
from discreet.places import is_there

WORD = np.dtype("<u8")
"""Eight bytes as one whole number, the same on every machine."""
BLOCK = 16

ENVIRONMENT = "DISCREET_SECRET"
FILE_NAME = "discreet.secret"
MINIMUM_BYTES = 16
PLACES = (
    f"looked for in the environment variable {ENVIRONMENT}, in the file {FILE_NAME} beside the"
    " policy, and in the user's configuration folder"
)

Column = NDArray[np.float64] | Sequence[str]


class Secret:
    """At least 128 bits that only the custodian knows; prints, pickles and copies as nothing."""

    __slots__ = ("_bytes",)

    def __init__(self, material: bytes) -> None:
        self._bytes = material

    @classmethod
    def from_bytes(cls, material: bytes) -> Secret:
        """Take `material` as the secret; refuse fewer than 16 bytes or hardly varied ones."""
        if len(material) < MINIMUM_BYTES or len(set(material)) < MINIMUM_BYTES // 2:
            raise InputError(
                "the secret is too weak: at least 128 random bits are needed; make one with"
                " python -c 'import secrets; print(secrets.token_hex(32))'"
            )
        return cls(material)

    @classmethod
    def from_text(cls, text: str, *, allow_small: bool = False) -> Secret:
        """Read a secret written in hexadecimal digits.

        `allow_small` takes a small whole number as well: for simulated or public data, where a
        result shall be repeatable by others.
        """
        text = text.strip()
        if allow_small and text.isdecimal() and len(text) < 2 * MINIMUM_BYTES:
            return cls(b"small:" + text.encode())
        try:
            material = bytes.fromhex(text)
        except ValueError:
            raise InputError(
                "the secret must be written in hexadecimal digits, at least 32 of them"
            ) from None
        return cls.from_bytes(material)

    def digest(self, purpose: str, *parts: bytes) -> bytes:
        """Return 32 keyed bytes that stand for `parts`; another purpose gives unrelated ones."""
        message = [purpose.encode(), b"\0"]
        for part in parts:
            message += [len(part).to_bytes(8, "little"), part]
        return hmac.digest(self._bytes, b"".join(message), "sha256")

    def derived(self, purpose: str, *parts: bytes) -> DerivedKey:
        """Return a key for one purpose, which other processes may have in place of the secret."""
        return DerivedKey(self.digest(purpose, *parts))

    def normals(
        self, version: bytes, keys: NDArray[np.uint64], columns: Sequence[str]
    ) -> NDArray[np.float64]:
        """Return standard normal noise: one row for each of `keys`, one column for each name.

        An entry depends on its record's key (`keys.row_keys`), its column's name, the version and
        the secret alone, so a record keeps its noise in every view, order and filter of a version,
        and two columns never share it.
        """
        from scipy.special import ndtri

        return np.asarray(ndtri(self.uniforms(version, keys, columns)))

    def uniforms(
        self, version: bytes, keys: NDArray[np.uint64], columns: Sequence[str]
    ) -> NDArray[np.float64]:
        """Return uniform numbers between 0 and 1, neither included; otherwise as `normals`."""
        if len(set(columns)) != len(columns):
            raise InputError("columns must have different names, or they would share their noise")
        key = self.digest("noise", version)[:BLOCK]
        out = np.empty((len(keys), len(columns)))
        for j, column in enumerate(columns):
            tag = np.frombuffer(self.digest("column", column.encode())[:BLOCK], dtype=WORD)
            # 52 bits, so that adding a half is exact and the result stays off 0 and 1.
            bits = encrypt(key, keys ^ tag)[:, 0] >> np.uint64(12)
            out[:, j] = (bits.astype(np.float64) + 0.5) / 2.0**52
        return out

    def marks(self, column: Column) -> NDArray[np.uint64]:
        """Return 128 keyed bits (two words) for each value: equal values have equal marks.

        They let the register see that a column has changed without keeping a value of it.
        """
        if isinstance(column, np.ndarray):
            return self.marking()(column)
        words = {text: self.digest("text", text.encode())[:BLOCK] for text in set(column)}
        joined = b"".join(words[text] for text in column)
        return np.frombuffer(joined, dtype=WORD).reshape(-1, 2)

    def marking(self) -> Callable[[NDArray[np.float64]], NDArray[np.uint64]]:
        """Return what gives the `marks` of numbers, made ready once for many parts of columns.

        They are written over at the next call.
        """
        encryption = Encryption(self.digest("marks")[:BLOCK])
        room = np.zeros((0, 2), dtype=WORD)

        def marks(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
            nonlocal room
            if len(room) < len(numbers):
                room = np.zeros((len(numbers), 2), dtype=WORD)
            blocks = room[: len(numbers)]
            canonical(numbers, blocks.view("<f8")[:, 0])
            return encryption(blocks)

        return marks

    def __repr__(self) -> str:
        return "Secret(...)"

    def __reduce__(self) -> NoReturn:
        raise InputError("a secret is not written down: keep its file or environment variable")


@dataclass(frozen=True, repr=False)
class DerivedKey:
    """What is made of a secret for one purpose, and does not give the secret back.

    Unlike a secret it may go to another process, which draws with it as with a secret of its own.
    """

    _bytes: bytes

    @property
    def secret(self) -> Secret:
        """What draws with this key."""
        return Secret(self._bytes)


def canonical(
    values: NDArray[np.float64], out: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return `values` with one bit pattern a number: no -0.0, and one NaN for all not finite.

    They are written into `out`, if there is one.
    """
    out = np.add(np.ascontiguousarray(values, dtype="<f8"), 0.0, out=out)
    out[~np.isfinite(out)] = np.nan
    return out


def encrypt(key: bytes, blocks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return AES of each 16-byte block on its own: a pseudo-random function of the block.

    The key is of sixteen bytes, and each block is two words, the lower one first.
    """
    return Encryption(key)(blocks)


class Encryption:
    """`encrypt` under one key, made ready once for many calls of one thread.

    What it returns is written over at the next call: to ask for memory anew takes longer than AES.
    """

    def __init__(self, key: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        self._encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        self._room = np.empty(0, dtype=np.uint8)

    def __call__(self, blocks: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return AES of each block."""
        given = np.ascontiguousarray(blocks, dtype=WORD)
        # The cipher wants room for almost a block more than it fills.
        if len(self._room) < given.nbytes + BLOCK - 1:
            self._room = np.empty(given.nbytes + BLOCK - 1, dtype=np.uint8)
        out = self._room
        done = self._encryptor.update_into(given.reshape(-1).view(np.uint8).data, out.data)
        if done != given.nbytes:
            raise BrokenPromiseError("the cipher returned another length than it was given")
        return out[:done].view(WORD).reshape(given.shape)


def generator(*words: str | int) -> np.random.Generator:
    """Return random numbers that depend on `words` alone, for draws that protect nothing.

    Such as the bootstrap samples of a method that is private as a whole. Whoever knows the words
    can draw them again.
    """
    text = "\0".join(map(str, words)).encode()
    seed = int.from_bytes(hmac.digest(b"discreet", text, "sha256")[:16], "little")
    return np.random.Generator(np.random.PCG64DXSM(seed))


def unguessable() -> str:
    """Return 256 random bits of the operating system as a word: it keys no noise."""
    return secrets.token_urlsafe(32)


def secret_files(folder: Path | None) -> tuple[Path, ...]:
    """Return where a file of a secret is looked for, in this order.

    Beside the policy, if it has a `folder`, and in the user's configuration folder.
    """
    from platformdirs import user_config_path

    own = Path(os.environ.get("DISCREET_CONFIG") or user_config_path("discreet")) / FILE_NAME
    return (own,) if folder is None else (folder / FILE_NAME, own)


def load_secret(folder: Path | None, *, allow_small: bool = False) -> Secret:
    """Find the custodian's secret, or make one.

    Looked for in the environment variable DISCREET_SECRET (where a small whole number is one too,
    if `allow_small`), then in the file `discreet.secret` in `folder` (beside the policy), then in
    the user's configuration folder. If there is none, one is made once, for its owner alone: beside
    the policy, so that it goes where the study goes; in the configuration folder where there is no
    `folder`, or nobody may write there. A file that others may read is refused.
    """
    found = existing_secret(folder, allow_small=allow_small)
    if found is not None:
        return found
    *beside, own = secret_files(folder)
    for path in beside:
        try:
            _make(path)
        except OSError:  # nobody may write there
            pass
        else:
            return _read(path)
    return _made(own, f"set the environment variable {ENVIRONMENT}")


def secret_at(path: Path) -> Secret:
    """Return the secret in a file, which is made on the first call, for its owner alone."""
    return _read(path) if key_there(path) else _made(path, "name another one")


def existing_secret(folder: Path | None, *, allow_small: bool = False) -> Secret | None:
    """Return the secret as `load_secret` finds it, and None where it would make one."""
    text = os.environ.get(ENVIRONMENT)
    if text is not None:
        return Secret.from_text(text, allow_small=allow_small)
    path = next(filter(is_secret, secret_files(folder)), None)
    return None if path is None else _read(path)


def is_secret(path: Path) -> bool:
    """Tell whether there is a file of a secret; refuse to guess where that cannot be seen.

    Another secret would be made in place of one that is hidden, and copies and seals with it.
    """
    return key_there(path, f", or set the environment variable {ENVIRONMENT}")


def key_there(path: Path, instead: str = "") -> bool:
    """Tell the same of a key that lies nowhere else; `instead` is what else would help."""
    try:
        return is_there(path)
    except OSError as error:
        raise InputError(
            f"it cannot be seen whether there is a secret {str(path)!r} ({type(error).__name__});"
            f" give whoever runs discreet the right to read its folder{instead}"
        ) from None


def _made(path: Path, instead: str) -> Secret:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make(path)
    except OSError as error:
        raise InputError(
            f"no secret can be made in {str(path.parent)!r} ({type(error).__name__}); make the"
            f" folder writable, or {instead}"
        ) from None
    return _read(path)


def _make(path: Path) -> None:
    """Make a secret that its owner alone may read, unless another process has made it meanwhile."""
    partial = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            if _others_may(os.fstat(file.fileno())):
                raise PermissionError("this disk keeps no rights")
            file.write(secrets.token_hex(32) + "\n")
        with suppress(FileExistsError):
            os.link(partial, path)  # unlike a rename, never replaces the one another process made
    finally:
        with suppress(OSError):
            partial.unlink()


def _others_may(found: os.stat_result) -> bool:
    return os.name == "posix" and stat.S_IMODE(found.st_mode) & 0o077 != 0


def _read(path: Path) -> Secret:
    try:
        shared = _others_may(path.stat())
        text = "" if shared else path.read_text(encoding="ascii")
    except OSError as error:
        raise InputError(
            f"the secret in {path} cannot be read ({type(error).__name__}); whoever runs "
            "discreet must own it and be allowed to read it"
        ) from None
    except UnicodeDecodeError:
        raise InputError(
            f"the secret in {path} cannot be read; the file must hold hexadecimal digits alone"
        ) from None
    if shared:
        raise InputError(
            f"the secret in {path} can be read by others; give it owner-only rights (chmod 600)"
        )
    return Secret.from_text(text)
