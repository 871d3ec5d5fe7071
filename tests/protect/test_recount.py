"""The promises of a copy of a whole table, counted again: each break is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from discreet.arguments import Labels
from discreet.errors import BrokenPromiseError
from discreet.keys import row_keys, total
from discreet.protect.copies import Draws, Levels, Settings, WholeCopy
from discreet.protect.recount import check_whole
from discreet.protect.relations import relations_of
from discreet.protect.whole import whole_copy
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
RELATIONS = relations_of(NUMBERS, 5, lambda name, count: np.zeros(count))


def made() -> WholeCopy:
    """Make a copy that keeps every promise."""
    keys = row_keys(SECRET, list(NUMBERS.values()))
    draws = Draws(SECRET, SECRET.digest("version", total(keys)), keys)
    return whole_copy(NUMBERS, LEVELS, draws, SETTINGS)


MADE = made()


def changed(name: str, at: int, value: float) -> WholeCopy:
    """Change one number of the copy."""
    column = MADE.numbers[name].copy()
    column[at] = value
    return replace(MADE, numbers={**MADE.numbers, name: column})


def small_group() -> WholeCopy:
    groups = MADE.groups.copy()
    groups[np.flatnonzero(groups == 0)[8:]] = 1
    return replace(MADE, groups=groups)


def level_of_few() -> WholeCopy:
    words = (*MADE.levels["sex"].words, "nobody")
    return replace(MADE, levels={"sex": Levels(words, MADE.levels["sex"].codes)})


def passed_on() -> WholeCopy:
    numbers = {name: NUMBERS[name][MADE.source] for name in MADE.numbers}
    inner = {n: np.clip(c, *np.sort(NUMBERS[n])[[20, 200]]) for n, c in numbers.items()}
    codes = LEVELS["sex"].codes[MADE.source]
    numbers = {"gaps": inner["gaps"]}
    return replace(MADE, numbers=numbers, levels={"sex": Levels(("f", "m"), codes)})


BROKEN: dict[str, tuple[Callable[[], WholeCopy], str]] = {
    "a group of fewer than m": (small_group, "a group was too small"),
    "a row of nobody's group": (
        lambda: replace(MADE, groups=np.where(MADE.groups == 0, -1, MADE.groups)),
        "takes no part",
    ),
    "a level of nobody": (level_of_few, "level of column 'sex'"),
    "the largest raw value": (
        lambda: changed("gaps", 0, float(np.nanmax(NUMBERS["gaps"]))),
        "an end of column 'gaps'",
    ),
    "the least raw value": (
        lambda: changed("gaps", 0, float(np.nanmin(NUMBERS["gaps"]))),
        "an end of column 'gaps'",
    ),
    "the largest raw end": (
        lambda: changed("end", 0, float(NUMBERS["end"].max())),
        "an end of column 'end'",
    ),
    "out of bounds": (lambda: changed("rest", 0, 61.0), "outside of its bounds"),
    "an end before its start": (lambda: changed("end", 0, -1.0), "was above 'end'"),
    "no sum": (lambda: changed("total", 0, 1000.0), "'total' was not the sum"),
    "rows passed on": (passed_on, "more often than by chance"),
}


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_a_broken_promise_is_seen(case: tuple[Callable[[], WholeCopy], str]) -> None:
    make, words = case
    found = make()
    relations = RELATIONS.within(found.numbers)

    with pytest.raises(BrokenPromiseError, match=words):
        check_whole(NUMBERS, LEVELS, relations, found, SETTINGS, None)


def test_a_copy_keeps_what_it_promises() -> None:
    relations = RELATIONS.within(MADE.numbers)
    check_whole(NUMBERS, LEVELS, relations, MADE, SETTINGS, None)

    assert relations.sums == {"total": ("part", "rest")} or "total" in relations.sums


def test_persons_are_counted_not_rows() -> None:
    persons: Labels = np.arange(300) // 2
    relations = RELATIONS.within(MADE.numbers)

    with pytest.raises(BrokenPromiseError, match="a group was too small"):
        check_whole(NUMBERS, LEVELS, relations, MADE, replace(SETTINGS, m=13), persons)


def test_gaps_of_few_are_seen() -> None:
    numbers: dict[str, Any] = {**NUMBERS, "gaps": np.nan_to_num(NUMBERS["gaps"], nan=50.0)}

    with pytest.raises(BrokenPromiseError, match="gaps of column 'gaps'"):
        check_whole(numbers, LEVELS, RELATIONS.within(MADE.numbers), MADE, SETTINGS, None)


def test_a_level_that_has_the_name_of_those_that_are_joined_is_one_with_them() -> None:
    words = ["(other)"] * 100 + ["a"] * 100 + [f"rare {i // 2}" for i in range(100)]
    draws = Draws(SECRET, b"", row_keys(SECRET, [X, words]))
    found = whole_copy({"x": X}, {"l": Levels.of(words)}, draws, SETTINGS).levels["l"]

    assert {*found.words} == {"(other)", "a"}
