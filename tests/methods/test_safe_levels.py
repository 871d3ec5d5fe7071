"""Levels that may be drawn: those of enough persons, rare ones joined, missing ones apart."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.methods.copies import MISSING, OTHER, Levels
from discreet.methods.safe_values import joined_levels, safe_levels

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


# --- how many were joined -----------------------------------------------------------------------

K = 5
CHANCES = (np.arange(20) + 0.5) / 20


def said(levels: int, chance: float, each: int = 2) -> int:
    """Return what is said of so many rare levels of `each` rows, beside one of many."""
    raw = Levels.of(["a"] * 30 + [f"r{i}" for i in range(levels) for _ in range(each)])
    return joined_levels(raw, safe_levels(raw, K, None), K, chance, None)


# Of k, 2 k, 4 k, … levels it is said where there are as many, to twice, by the draw.
@pytest.mark.parametrize(
    ("levels", "least", "most"),
    [(4, 0, 0), (8, 0, 5), (10, 5, 5), (15, 5, 10), (20, 10, 10), (70, 20, 40), (4000, 1280, 2560)],
)
def test_how_many_levels_were_joined_is_said_roughly(levels: int, least: int, most: int) -> None:
    found = [said(levels, chance) for chance in CHANCES]

    assert (min(found), max(found)) == (least, most)
    assert all(it <= levels for it in found)


def test_one_person_turns_it_for_one_draw_in_k_at_the_most() -> None:
    for levels in range(3, 90):
        turned = [said(levels, it) != said(levels + 1, it) for it in CHANCES]
        assert np.mean(turned) <= 1 / K + 0.05


def test_nothing_is_said_where_nothing_was_joined() -> None:
    assert {said(levels, 0.0) for levels in range(5)} == {0}
    assert said(40, 0.0, each=5) == 0


def test_a_person_of_many_levels_counts_once() -> None:
    def of(rows: list[int]) -> int:
        """Return what is said of sixty levels of a row each, which are of some persons."""
        raw = Levels.of([f"r{i}" for i in range(60)])
        who = np.array(rows)
        return joined_levels(raw, safe_levels(raw, K, who), K, 0.0, who)

    assert of([i % 9 for i in range(60)]) == 5
    assert of([*range(9), *[9] * 51]) == 10
    assert of([*range(60)]) == 40
