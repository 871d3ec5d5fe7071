from __future__ import annotations

import random

import pytest

from discreet.levels import as_given, in_order, place_of_number

# Levels as they are to stand, without a declared order.
NATURAL: dict[str, list[str]] = {
    "whole numbers": ["1", "2", "10", "11"],
    "numbers of several ways to write": ["-3", "0.5", "2", "1e1", "20.0"],
    "a minus sign": ["\u221210", "\u22122", "0", "2"],
    "signs": ["<9", "9-11", "12", ">12"],
    "signs beside the number itself": ["<5", "<=5", "5", ">=5", ">5"],
    "other signs": ["≤5", "6", "≥7", ">8"],
    "bands": ["0-9", "10-19", "20-29", "100+"],
    "bands of long dashes": ["<40", "40–59", "60–79", "≥80"],
    "a band beside what is open": ["0", "1-4", "5-9", "5+"],
    "words for signs": ["under 40", "40 to under 60", "60 or more"],
    "other words for signs": ["Less than 5", "at most 5", "5", "at least 5", "More than 5"],
    "or less": ["10 or less", "10", "10 and over"],
    "thousands": ["Under $500", "$500-999", "$1,000-4,999", "$5,000 or more"],
    "thousands by blanks": ["0-999", "1 000-4 999", "5 000-9 999"],
    "decimal commas": ["0,5-1,0", "1,5-2,0", "10,5-11,0"],
    "intervals": ["(-inf, 0]", "(0, 5]", "(5, 10]", "(10, 20]"],
    "intervals below zero": ["[-10, -5)", "[-5, 0)", "[0, 5)"],
    "numbers within words": ["Grade 2", "Grade 9", "Grade 10", "Grade 100"],
    "several numbers within words": ["Q2 2019", "Q2 2020", "Q10 2018"],
    "codes of letters and numbers": ["A1", "A2", "A10", "B1", "B10a", "B10b"],
    "equal numbers by what follows": ["9-11", "9-100", "9-1000"],
    "labels with their codes": ["1: never", "2: seldom", "10: always"],
    "numbers before words": ["1", "10", "100", "don't know", "none"],
    "words by their letters": ["F", "M", "f"],
    "words that begin as signs": ["belowground", "info", "inf", "overt"],
    "rare and missing ones last": ["a", "z", "(other)", "(missing)"],
    "digits of any length": ["1" * 400, "2" * 400, "1" * 401],
    "an empty text": ["7", "", "a"],
}
NATURAL["words that begin as signs"].sort()

DECLARED: dict[str, tuple[list[str], list[str], list[str]]] = {
    "as declared": (["high", "low", "mid"], ["low", "mid", "high"], ["low", "mid", "high"]),
    "against numbers": (["1", "2", "10"], ["10", "2", "1"], ["10", "2", "1"]),
    "others after them": (["b", "10", "9", "a"], ["b"], ["b", "9", "10", "a"]),
    "none that is not there": (["b"], ["a", "b", "c"], ["b"]),
    "the first place of two": (["a", "b"], ["a", "b", "a"], ["a", "b"]),
    "rare ones last all the same": (["(other)", "b"], ["(other)", "b"], ["b", "(other)"]),
    "missing ones last all the same": (["(missing)", "z"], ["(missing)"], ["z", "(missing)"]),
}


@pytest.mark.parametrize("levels", NATURAL.values(), ids=NATURAL)
def test_levels_are_in_the_order_of_their_numbers(levels: list[str]) -> None:
    mixed = random.Random(1)
    for _ in range(5):
        assert in_order(mixed.sample(levels, len(levels))) == tuple(levels)


@pytest.mark.parametrize(("levels", "declared", "order"), DECLARED.values(), ids=DECLARED)
def test_a_declared_order_comes_first(
    levels: list[str], declared: list[str], order: list[str]
) -> None:
    assert in_order(levels, declared) == tuple(order)
    assert in_order(levels[::-1], declared) == tuple(order)


def test_the_order_of_two_levels_hangs_on_no_third() -> None:
    levels = [*dict.fromkeys(level for group in NATURAL.values() for level in group)]
    everything = in_order(levels)
    mixed = random.Random(2)
    for _ in range(50):
        some = mixed.sample(levels, 5)
        assert in_order(some) == tuple(level for level in everything if level in some)


def test_equal_levels_are_one() -> None:
    assert in_order(["b", "a", "b"]) == ("a", "b")


@pytest.mark.parametrize(
    ("level", "place"),
    [
        ("12", (12.0, 0)),
        (" 12.50 ", (12.5, 0)),
        ("<12", (12.0, -2)),
        ("<= 12", (12.0, -1)),
        ("OVER 12", (12.0, 2)),
        ("12 years or older", (12.0, 1)),
        ("12 and younger", (12.0, -1)),
        ("12,5", (12.5, 0)),
        ("12,500", (12500.0, 0)),
        ("1e999", (1.0, 0)),
        ("nan", None),
        ("inf", None),
        ("overweight 3", None),
        ("", None),
    ],
)
def test_the_number_that_a_level_begins_with(level: str, place: tuple[float, int] | None) -> None:
    assert place_of_number(level) == place


# --- levels that have our name ------------------------------------------------------------------

NAMES = {
    "(other)": "(other) as given",
    "(missing)": "(missing)",
    "(other) as given": "(other) as given as given",
    "other": "other",
    "as given": "as given",
    "(other) x": "(other) x",
}


@pytest.mark.parametrize(("word", "wanted"), NAMES.items())
def test_a_level_that_has_our_name_gets_another(word: str, wanted: str) -> None:
    assert as_given(word) == wanted


def test_no_two_levels_have_one_name_then() -> None:
    names = [*NAMES, *NAMES.values(), "(other) as given as given as given", "(oth as givener)"]
    assert len({*map(as_given, {*names})}) == len({*names})
