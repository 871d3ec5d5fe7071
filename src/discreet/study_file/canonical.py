"""JSON with one way to write each value, and reading of JSON that comes from others.

Keys are in order, there is no space, numbers are finite and whole ones below 2^53: whoever reads a
text and writes it again has the same bytes, so that a digest of it is one of what it says.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from discreet.errors import InputError

LARGEST_WHOLE = 2**53 - 1
"""Up to here every reader of JSON has the same whole number."""
DEEPEST = 16
"""Lists and mappings may lie so deep in one another."""
MOST_BYTES = 4 * 2**20
MOST_ITEMS = 200_000
"""So many values may be in one text: read, each takes many times the memory of its bytes."""


def canonical_json(value: object) -> bytes:
    """Return the one way in which a value is written as JSON.

    Parameters
    ----------
    value : object
        Mappings with texts as keys, lists, tuples, texts, numbers, True, False and None.

    Raises
    ------
    InputError
        A number is not finite or a whole one not below 2^53, or something is no value of JSON.

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
    """Refuse what has no one way to be written."""
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
    """Read JSON that `canonical_json` wrote; `what` is its name in a message.

    Size and number of values are looked at before it is read, depth by who reads it.

    Raises
    ------
    InputError
        It is too large, or is not what `canonical_json` writes.

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
            object_pairs_hook=_without_twice,
            parse_constant=_no_number,
            parse_int=_whole,
        )
        same = canonical_json(value) == text
    except (ValueError, RecursionError):  # InputError among them; none of it is repeated
        same = False
    if not same:
        raise InputError(
            f"{what} is not written as discreet writes JSON (keys in order and once, no spaces,"
            " finite numbers); it was changed, or made by something else: ask for the file anew"
        )
    return value


def _check_size(text: bytes, what: str) -> None:
    """Refuse a text that would take much memory, before it is read."""
    if len(text) > MOST_BYTES:
        raise InputError(f"{what} is larger than the {MOST_BYTES} bytes that are allowed")
    if sum(map(text.count, (b",", b"[", b"{"))) > MOST_ITEMS:
        raise InputError(f"{what} holds more than the {MOST_ITEMS} values that are allowed")


def _without_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
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
