"""Copies of the same persons: at most four of each, by one secret, k and m."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from discreet.errors import LeavingError
from discreet.register.copies import CopyThatLeft, check_copies, share_persons
from discreet.register.rules import COPY_OF_TABLE, PERSONS, Known, ReleaseRecord, Version
from discreet.secret import Secret
from discreet.sketch import SMALLEST, WHOLE_ROWS, Sketch, sketch_of

SECRET = Secret.from_bytes(bytes(range(32)))
GUARDED: Mapping[str, Any] = {"regime": "guarded", "k": 5, "m": 20}
NO_MORE = r"^no more copies of these people may be released: .* at most 4, counted over all parts"


def of(*ranges: range) -> Sketch:
    """Sketch persons, each a number."""
    numbers = np.concatenate([np.arange(it.start, it.stop, dtype=float) for it in ranges])
    return sketch_of(SECRET.marks(numbers), SMALLEST)


def rows(*ranges: range) -> Known:
    """Know a table by its rows."""
    return {WHOLE_ROWS: of(*ranges)}


def named(*ranges: range, other_rows: bool = False) -> Known:
    """Know a table by who is who, and by rows, which are all others if `other_rows`."""
    far = tuple(range(it.start + 10**7, it.stop + 10**7) for it in ranges)
    return {PERSONS: of(*ranges), WHOLE_ROWS: of(*(far if other_rows else ranges))}


def left(*tables: Known, study: str = "", settings: Mapping[str, Any] = GUARDED) -> list[Any]:
    """Say that a copy of each table left, of studies a, b and so on or versions of one."""
    return [
        CopyThatLeft(Version(id_, study or "abcdefgh"[id_], id_, settings, "ours"), f"{id_}", known)
        for id_, known in enumerate(tables)
    ]


def asked(study: str = "new", copies: int = 4, **settings: Any) -> ReleaseRecord:
    """Ask for another copy."""
    choices = {COPY_OF_TABLE: "new"}
    return ReleaseRecord(
        study, {**GUARDED, **settings}, choices, {}, 5, copies=copies, secret="ours"
    )


ALL, FEW, SOME = range(1000), range(981, 1981), range(979, 1979)
"""A thousand persons, and others of whom 19 and 21 are among them: 1.9 and 2.1 %."""

# What left, what is to leave, and whether it may.
COUNTED: dict[str, tuple[list[Any], Known, bool]] = {
    "the fourth": (left(*[rows(ALL)] * 3), rows(ALL), True),
    "the fifth": (left(*[rows(ALL)] * 4), rows(ALL), False),
    "the fifth, of named people": (left(*[named(ALL)] * 4), named(ALL, other_rows=True), False),
    "named anew, as they were": (left(*[named(ALL)] * 4), rows(ALL), False),
    "a fifth of few": (left(*[rows(ALL)] * 4), rows(FEW), True),
    "a fifth of more than few": (left(*[rows(ALL)] * 4), rows(SOME), False),
    "parts of which none has anybody again": (
        left(*(rows(range(250 * i, 250 * i + 250)) for i in range(4))),
        rows(ALL),
        True,
    ),
    "parts that overlap in a few": (
        left(rows(ALL), rows(range(500)), rows(range(481, 1000)), rows(range(600))),
        rows(ALL),
        True,
    ),
    "parts that overlap in more": (
        left(rows(ALL), rows(range(500)), rows(range(479, 1000)), rows(range(600))),
        rows(ALL),
        False,
    ),
    "a part of what left four times": (left(*[rows(ALL)] * 4), rows(range(100, 400)), False),
    "all of which a twentieth left four times": (left(*[rows(range(50))] * 4), rows(ALL), False),
    "versions of a study, all rows of which have changed": (
        left(*(rows(range(i * 1000, i * 1000 + 1000)) for i in range(4)), study="s"),
        rows(range(3000, 3500)),
        False,
    ),
    "versions of a study that names who is who": (
        left(*(named(range(i * 1000, i * 1000 + 1000)) for i in range(4)), study="s"),
        named(range(3000, 3500)),
        True,
    ),
    "two studies of one copy": (
        [replace(it, copy="0" if it.version.id < 2 else it.copy) for it in left(*[rows(ALL)] * 4)],
        rows(ALL),
        True,
    ),
    "large tables": (left(*[rows(range(20_000))] * 4), rows(range(5_000, 25_000)), False),
    "large tables of others": (left(*[rows(range(20_000))] * 4), rows(range(19_900, 40_000)), True),
    "rows of few levels, which tell nobody apart": (
        left(*[{WHOLE_ROWS: sketch_of(SECRET.marks(np.arange(1000.0) % 300), SMALLEST)}] * 4),
        {WHOLE_ROWS: sketch_of(SECRET.marks(np.arange(1000.0) % 300), SMALLEST)},
        True,
    ),
    "nothing that is known of the people": (left({}, {}, {}, {}), {}, True),
}


@pytest.mark.parametrize(("before", "new", "may"), COUNTED.values(), ids=COUNTED)
def test_of_each_person_four_copies_leave(before: list[Any], new: Known, may: bool) -> None:
    if may:
        check_copies(asked(), new, before)
        return
    with pytest.raises(LeavingError, match=NO_MORE):
        check_copies(asked(), new, before)


# Versions of study s that left, the next one, and whether it may.
OF_ONE_STUDY: dict[str, tuple[list[Any], Known, bool]] = {
    "the fourth version": (left(*[rows(ALL)] * 3, study="s"), rows(ALL), True),
    "the fifth version": (left(*[rows(ALL)] * 4, study="s"), rows(ALL), False),
    "the fifth, all rows of which have changed": (
        left(*(rows(range(i * 1000, i * 1000 + 1000)) for i in range(4)), study="s"),
        rows(range(9000, 9999)),
        False,
    ),
    "the fifth, of which nothing is known": (left(*[{}] * 4, study="s"), {}, False),
    "the fifth, of others by name": (left(*[named(ALL)] * 4, study="s"), named(SOME), False),
    "the fifth, of other people by name": (left(*[named(ALL)] * 4, study="s"), named(FEW), True),
    "the second, whose first is in three parts": (
        [*left(rows(ALL), study="s"), *left({}, rows(ALL), rows(ALL), rows(ALL))[1:]],
        rows(range(9000, 9999)),
        False,
    ),
}


@pytest.mark.parametrize(("before", "new", "may"), OF_ONE_STUDY.values(), ids=OF_ONE_STUDY)
def test_versions_of_a_study_are_of_the_same_persons(
    before: list[Any], new: Known, may: bool
) -> None:
    if may:
        check_copies(asked("s"), new, before)
        return
    with pytest.raises(LeavingError, match=NO_MORE):
        check_copies(asked("s"), new, before)


@pytest.mark.parametrize(("shared", "may"), [(FEW, True), (SOME, False)])
def test_of_leaves_of_k_there_is_one_copy(shared: range, may: bool) -> None:
    if may:
        check_copies(asked(copies=1), rows(shared), left(rows(ALL)))
        return
    with pytest.raises(LeavingError, match="there may be at most 1, counted over all parts"):
        check_copies(asked(copies=1), rows(shared), left(rows(ALL)))


# How the second copy is made otherwise, and what is said.
OTHERWISE: dict[str, tuple[dict[str, Any], str]] = {
    "k": (
        {"k": 6},
        r"^'k' must be the same as in the earlier copy of these people, as study 'a' \(k = 5\)",
    ),
    "m": (
        {"m": 40},
        r"^'m' must be .* \(m = 20\).* `discreet register withdraw a --reason REASON`$",
    ),
    "secret": ({}, r"^another secret: that of the earlier release of these people, as study 'a'"),
}


@pytest.mark.parametrize(
    ("known", "settings", "says"),
    [(rows, *OTHERWISE["k"]), (named, *OTHERWISE["m"]), (rows, *OTHERWISE["secret"])],
)
def test_copies_of_the_same_persons_are_made_alike(
    known: Any, settings: dict[str, Any], says: str
) -> None:
    other = asked(**settings)
    other = replace(other, secret="ours" if settings else "another")
    with pytest.raises(LeavingError, match=says):
        check_copies(other, known(SOME), left(known(ALL)))
    with pytest.raises(LeavingError, match=says.replace("'a'", "'s'").replace(" a ", " s ")):
        check_copies(replace(other, study="s"), {}, left({}, study="s"))
    check_copies(other, known(FEW), left(known(ALL)))  # nearly all are others
    check_copies(asked(), known(SOME), left(known(ALL)))


def test_other_settings_make_other_copies_that_count() -> None:
    other = {**GUARDED, "left_out": 0.3}
    check_copies(asked(), rows(ALL), left(*[rows(ALL)] * 3, settings=other))
    with pytest.raises(LeavingError, match=NO_MORE):
        check_copies(asked(), rows(ALL), left(*[rows(ALL)] * 4, settings=other))


def test_what_chance_does_is_nobody_again() -> None:
    """Rows of two samples of one population, of which a tenth is alike in each."""
    rng = np.random.default_rng(2)

    def drawn() -> Known:
        values = rng.integers(0, 5000, 1000).astype(float)
        return {WHOLE_ROWS: sketch_of(SECRET.marks(values), SMALLEST)}

    samples = [drawn() for _ in range(12)]
    for new in samples:
        others = [it for it in samples if it is not new]
        check_copies(asked(k=6), new, left(*others[:8]))
        assert not any(share_persons(new, it) for it in others)


def test_the_persons_of_a_part_are_those_of_the_whole() -> None:
    part = rows(range(100))
    assert share_persons(rows(ALL), part)
    assert share_persons(part, rows(ALL))
    assert not share_persons(rows(ALL), rows(range(1000, 2000)))


@pytest.mark.parametrize("persons", [300, 100_000])
def test_what_is_kept_of_a_copy_is_small_and_all_of_a_small_table(persons: int) -> None:
    kept = of(range(persons)).smallest
    assert kept.nbytes <= 100_000
    assert len(kept) == min(persons, SMALLEST)
