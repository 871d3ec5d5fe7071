"""Levels that may be drawn: those of enough persons, rare ones joined, missing ones apart."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.protect.copies import MISSING, OTHER, Levels
from discreet.protect.safe_levels import safe_levels

NONE = "no level"
CASES: dict[str, tuple[str, dict[str, str]]] = {
    "all of enough": ("aaaaabbbbb", {"a": "a", "b": "b"}),
    "rare ones together enough": ("aaaaabbbcc", {"a": "a", "b": OTHER, "c": OTHER}),
    "rare ones too few": ("aaaaabbcc", {"a": "a", "b": NONE, "c": NONE}),
    "missing of enough": ("aaaaa.....", {"a": "a", ".": MISSING}),
    "missing of few": ("aaaaa....", {"a": "a", ".": NONE}),
    "missing is not joined": ("aaaaabbbb.", {"a": "a", "b": NONE, ".": NONE}),
    "missing beside joined": ("bbbcc....", {"b": OTHER, "c": OTHER, ".": NONE}),
    "nothing of enough": ("abc.", {"a": NONE, "b": NONE, "c": NONE, ".": NONE}),
}


def safe(text: str, persons: list[int] | None = None) -> dict[str, str]:
    """Return what becomes of each letter; a dot is missing."""
    raw = Levels.of([letter.strip(".") for letter in text])
    found = safe_levels(raw, 5, None if persons is None else np.array(persons))
    assert list(found.words) == sorted(set(found.words))
    words = [found.words[code] if code >= 0 else NONE for code in found.codes.tolist()]
    pairs = {*zip(text, words, strict=True)}
    assert len(pairs) == len({*text})
    return dict(pairs)


@pytest.mark.parametrize(("text", "wanted"), CASES.values(), ids=CASES)
def test_levels(text: str, wanted: dict[str, str]) -> None:
    assert safe(text) == wanted


def test_persons_are_counted_rather_than_rows() -> None:
    text = "aaaaabbbbb"

    assert safe(text, [0, 1, 2, 3, 4, 5, 6, 7, 8, 8]) == {"a": "a", "b": NONE}
    assert safe(text, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]) == {"a": "a", "b": "b"}


def test_a_word_that_no_row_has_is_none() -> None:
    found = safe_levels(Levels(("a", "b", "c"), np.zeros(6, dtype=np.intp)), 5, None)

    assert found.words == ("a",)
