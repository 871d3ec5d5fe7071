"""Checks of a method's parameters, alike for every method."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from discreet.arguments import check_whole
from discreet.errors import InputError, one_of

__all__ = ["check_ratio", "check_whole", "check_word"]


def check_ratio(name: str, value: object, *, zero: bool) -> float:
    """Return `value` as a float if it is finite and above 0 (or 0 itself, where `zero`)."""
    number = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, bool) or not number or not math.isfinite(value):  # type: ignore[arg-type]
        raise InputError(f"{name} must be a finite number")
    ratio = float(value)  # type: ignore[arg-type]
    if ratio < 0 or (ratio == 0 and not zero):
        raise InputError(f"{name} must be {'at least' if zero else 'above'} 0")
    return ratio


def check_word(name: str, value: object, allowed: Iterable[str]) -> None:
    """Refuse a word that is none of those allowed."""
    words = tuple(allowed)
    if value not in words:
        raise InputError(f"{name} is unknown; choose one of {one_of(words)}")
