"""The one check of a whole number that somebody gives, alike in every room."""

from __future__ import annotations

import numpy as np

from discreet.errors import InputError

__all__ = ["check_whole"]


def check_whole(name: str, value: object, least: int | None = None) -> int:
    """Return `value` as an int if it is a whole number, of at least `least`; a bool is none."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or (least is not None and value < least):  # type: ignore[operator]
        at_least = "" if least is None else f" of at least {least}"
        raise InputError(f"{name} must be a whole number{at_least}")
    return int(value)  # type: ignore[call-overload,no-any-return]
