"""The promises of a copy of a whole table, counted again: each break is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from discreet.arguments import Labels
from discreet.errors import BrokenPromiseError
from discreet.keys import row_keys, total
from discreet.methods.copies import Draws, Levels, Settings, WholeCopy
from discreet.methods.recount import check_whole
from discreet.methods.relations import relations_of
from discreet.methods.whole import whole_copy
from discreet.secret import Secret

SECRET = Secret.from_bytes(bytes(range(32)))
RANDOM = np.random.default_rng(3)
X = RANDOM.normal(50, 10, 300)
NUMBERS = {
    "gaps": np.where(RANDOM.uniform(size=300) < 0.2, np.nan, 2 - X + RANDOM.normal(size=300)),
    "part": X,
    "rest": X[::-1] / 2,
    "start": X,
    "total": X + X[::-1] / 2,
    "end": X + RANDOM.exponential(9, 300),
}
LEVELS = {"sex": Levels(("f", "m"), (X > 50).astype(np.intp))}
SETTINGS = Settings(5, 10, bounds={"rest": (0.0, 60.0)})
KEYS = row_keys(SECRET, list(NUMBERS.values()))
DRAWS = Draws(SECRET, SECRET.digest("version", total(KEYS)), KEYS)
RELATIONS = relations_of(NUMBERS, 5, DRAWS.of_table)


@cache
def made() -> WholeCopy:
    """Return a copy that keeps every promise."""
    return whole_copy(NUMBERS, LEVELS, DRAWS, SETTINGS)


def changed(name: str, at: int, value: float) -> WholeCopy:
    """Change one number of the copy."""
    column = made().numbers[name].copy()
    column[at] = value
    return replace(made(), numbers={**made().numbers, name: column})


def level_of_few() -> WholeCopy:
    words = (*made().levels["sex"].words, "nobody")
    return replace(made(), levels={"sex": Levels(words, made().levels["sex"].codes)})


def passed_on(rows: Labels) -> WholeCopy:
    """Return a copy that holds raw rows as they are."""
    codes = LEVELS["sex"].codes[rows]
    numbers = {name: NUMBERS[name][rows] for name in ("end", "gaps", "part")}
    levels = {"sex": Levels(("f", "m"), codes)}
    return replace(
        made(), numbers=numbers, levels=levels, source=np.resize(made().source, len(rows))
    )


BROKEN: dict[str, tuple[Callable[[], WholeCopy], str]] = {
    "a row drawn of one that takes no part": (
        lambda: replace(made(), takes_part=np.arange(300) != made().source[0]),
        "takes no part",
    ),
    "a level of nobody": (level_of_few, "level of column 'sex'"),
    "out of bounds": (lambda: changed("rest", 0, 61.0), "outside of its bounds"),
    "an end before its start": (lambda: changed("end", 0, -1.0), "was above 'end'"),
    "no sum": (lambda: changed("total", 0, 1000.0), "'total' was not the sum"),
    "rows passed on": (
        lambda: passed_on(np.flatnonzero(made().takes_part)),
        "more often than by chance",
    ),
}


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_a_broken_promise_is_seen(case: tuple[Callable[[], WholeCopy], str]) -> None:
    make, words = case
    found = make()
    relations = RELATIONS.within(found.numbers)
    with pytest.raises(BrokenPromiseError, match=words):
        check_whole(NUMBERS, LEVELS, relations, found, SETTINGS, None)


def test_a_copy_keeps_what_it_promises() -> None:
    relations = RELATIONS.within(made().numbers)
    check_whole(NUMBERS, LEVELS, relations, made(), SETTINGS, None)
    assert relations.sums == {"total": ("part", "rest")} or "total" in relations.sums


def test_rows_that_are_equal_to_those_of_anyone_are_not_passed_on() -> None:
    """Who was left out is found as often: so these are not rows of who takes part."""
    found = passed_on(np.arange(300))
    check_whole(NUMBERS, LEVELS, RELATIONS.within(found.numbers), found, SETTINGS, None)


def test_persons_are_counted_not_rows() -> None:
    persons: Labels = np.arange(300) // 2
    relations = RELATIONS.within(made().numbers)

    def check(rows: int, persons: Labels | None) -> None:
        levels = {"sex": Levels(("f", "m"), (np.arange(300) >= rows).astype(np.intp))}
        check_whole(NUMBERS, levels, relations, made(), SETTINGS, persons)

    check(8, None)
    check(10, persons)  # of k = 5
    with pytest.raises(BrokenPromiseError, match="a level of column 'sex'"):
        check(8, persons)


def test_gaps_of_few_are_seen() -> None:
    numbers: dict[str, Any] = {**NUMBERS, "gaps": np.nan_to_num(NUMBERS["gaps"], nan=50.0)}
    with pytest.raises(BrokenPromiseError, match="gaps of column 'gaps'"):
        check_whole(numbers, LEVELS, RELATIONS.within(made().numbers), made(), SETTINGS, None)


def test_a_level_that_has_the_name_of_those_that_are_joined_is_one_with_them() -> None:
    words = ["(other)"] * 100 + ["a"] * 100 + [f"rare {i // 2}" for i in range(100)]
    draws = Draws(SECRET, b"", row_keys(SECRET, [X, words]))
    found = whole_copy({"x": X}, {"l": Levels.of(words)}, draws, SETTINGS).levels["l"]
    assert {*found.words} == {"(other)", "a"}
