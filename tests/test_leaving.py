"""What may not leave beside what has left before, rule by rule."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from discreet.errors import LeavingError
from discreet.ledger.rules import (
    COUNT_METHOD_OF,
    ONE_ORDER,
    PAIR_OF,
    PAIRS,
    ReleaseRecord,
    Version,
    check_many_changed,
    check_names,
    check_one_order,
    check_same_table,
    check_unchanged,
    check_version,
    compare,
)
from discreet.secret import Secret
from discreet.sketch import Sketch, sketch_of

SECRET = Secret.from_bytes(bytes(range(32)))
SETTINGS = {"regime": "guarded", "k": 5, "grid": 30}
X = np.linspace(0, 1, 200)


def sketch(values: Any) -> Sketch:
    """Sketch a column of numbers."""
    return sketch_of(SECRET.marks(np.asarray(values, dtype=float)))


def leaving(**changes: Any) -> ReleaseRecord:
    """Say what is about to leave."""
    given: dict[str, Any] = {
        "study": "s",
        "settings": SETTINGS,
        "choices": {},
        "sketches": {"column x": sketch(X)},
        "k": 5,
        "kind": "histogram",
        "columns": ("x",),
        "method": "merge",
        "form": "svg",
    }
    return ReleaseRecord(**given | changes)


VERSION = Version(1, "s", 1, SETTINGS)


def test_the_same_settings_and_choices_pass() -> None:
    what = f"{COUNT_METHOD_OF}'x'"
    compare(leaving(choices={what: "merge"}), VERSION, {what: "merge", "strata": "[]"})


@pytest.mark.parametrize("changed", ["k", "grid", "regime"])
def test_another_setting_is_named(changed: str) -> None:
    with pytest.raises(LeavingError, match=f"'{changed}' is another than when something of study"):
        compare(leaving(settings=SETTINGS | {changed: 7}), VERSION, {})


def test_another_choice_is_named() -> None:
    what = f"{COUNT_METHOD_OF}'x'"
    with pytest.raises(LeavingError, match="the count method of 'x' is another") as told:
        compare(leaving(choices={what: "suppression"}), VERSION, {what: "merge"})
    assert told.value.what == "count method of 'x'"


OTHER_RULES: dict[str, Callable[[], None]] = {
    # what the rule is about is no choice of a caller's
    "another setting": lambda: compare(leaving(settings=SETTINGS | {"k": 7}), VERSION, {}),
    "another name": lambda: check_names({"column x": sketch(X)}, {"column y": sketch(X)}),
    "changed data": lambda: check_unchanged(leaving(), VERSION, {"column x": sketch(X[1:])}),
    "few changes": lambda: check_many_changed(
        VERSION, {"column x": sketch(X)}, {"column x": sketch(X[1:])}, k=5
    ),
    "a ring of axes": lambda: check_one_order(
        leaving(choices={PAIRS: ONE_ORDER}),
        {f"{PAIR_OF}{it}": json.dumps([*it]) for it in ("ab", "bc", "ac")},
    ),
}


@pytest.mark.parametrize("refuse", OTHER_RULES.values(), ids=OTHER_RULES)
def test_the_other_rules_name_no_choice(refuse: Callable[[], None]) -> None:
    with pytest.raises(LeavingError, match=r"another|left|changed|order") as told:
        refuse()
    assert told.value.what == ""


def test_a_column_keeps_its_name() -> None:
    check_names({"column x": sketch(X)}, {"column x": sketch(X)})
    with pytest.raises(LeavingError, match="left before as 'column y'"):
        check_names({"column x": sketch(X)}, {"column y": sketch(X)})
    few = sketch(X > 0.5)
    check_names({"column x": few}, {"column y": few})


TABLES = {
    "the same": ({"column x": sketch(X), "column y": sketch(-X)}, True),
    "one column as it was": ({"column x": sketch(X), "column z": sketch(-X)}, True),
    "other columns": ({"column z": sketch(X)}, False),
    "other values": ({"column x": sketch(-X)}, False),
}


@pytest.mark.parametrize(("now", "same"), TABLES.values(), ids=TABLES)
def test_a_table_is_another_where_no_column_is_as_it_left(
    now: dict[str, Sketch], same: bool
) -> None:
    check_same_table(VERSION, now, {})  # of what was recorded of no column nothing is known
    known = {"column x": sketch(X), "column y": sketch(-X)}
    if same:
        check_same_table(VERSION, now, known)
        return
    with pytest.raises(LeavingError, match=r"another table left before as study 's'.* a name of"):
        check_same_table(VERSION, now, known)


# What is said where the data of a version have changed: how many rows are now other ones.
CHANGED: dict[str, tuple[str, int, int, str]] = {
    "few rows": (
        "s",
        0,
        49,
        r"the data of study 's' have changed .* away, for they are few; draw the data that left, or"
        r" gather more changes \(at least 10 k rows of each column that changes\) and then open a"
        r" new version: `discreet version new FILE --study s`$",
    ),
    "many rows": (
        "s",
        0,
        50,
        r"the data of study 's' have changed since something left, and the difference gives the"
        r" changed rows away; open a new version: `discreet version new FILE --study s`$",
    ),
    "other persons": (
        "s",
        5000,
        200,
        r"; open a new version: `.*`, or, if these are other persons, name them so: study=$",
    ),
    "no name": ("", 0, 50, "these data have changed .*; give the changed data a name: study=$"),
}


@pytest.mark.parametrize(("name", "add", "rows", "says"), CHANGED.values(), ids=CHANGED)
def test_a_column_does_not_change_within_a_version(
    name: str, add: int, rows: int, says: str
) -> None:
    version = Version(1, name, 1, SETTINGS)
    check_unchanged(leaving(sketches={"column x": sketch(X[::-1])}), version, leaving().sketches)
    changed = np.where(np.arange(len(X)) < rows, X + add + 2, X)
    with pytest.raises(LeavingError, match=says):
        check_unchanged(
            leaving(sketches={"column x": sketch(changed)}), version, leaving().sketches
        )


def test_what_is_few_is_seen_in_all_that_is_known() -> None:
    drawn = {"column x": sketch(X + 2)}
    known = {"column x": sketch(X), "column y": sketch(X)}
    with pytest.raises(LeavingError, match="for they are few; draw the data that left"):
        check_unchanged(leaving(sketches=drawn), VERSION, known, {"column y": sketch(X[1:])})


@pytest.mark.parametrize(("rows", "enough"), [(0, True), (1, False), (49, False), (50, True)])
def test_a_version_has_many_changed_rows_or_none(rows: int, enough: bool) -> None:
    known, fresh = {"column x": sketch(X)}, {"column x": sketch(X[rows:])}
    if enough:
        check_many_changed(VERSION, known, fresh, k=5)
        return
    with pytest.raises(LeavingError, match="too few rows of 'column x' have changed since version"):
        check_many_changed(VERSION, known, fresh, k=5)


@pytest.mark.parametrize(("came", "enough"), [(0, False), (49, False), (50, True)])
def test_few_levels_change_by_few_where_many_persons_come_or_go(came: int, enough: bool) -> None:
    levels = np.arange(200.0) % 2
    known = {"column s": sketch(levels), "persons": sketch(np.arange(200.0))}
    fresh = {"column s": sketch(levels[1:]), "persons": sketch(np.arange(200.0) + came)}
    if enough:
        check_many_changed(VERSION, known, fresh, k=5)
        return
    with pytest.raises(LeavingError, match=r"too few rows of '[a-z ]*' have changed since version"):
        check_many_changed(VERSION, known, fresh, k=5)


@pytest.mark.parametrize(("wanted", "latest"), [(None, 1), (None, 3), (1, 1), (2, 2)])
def test_the_latest_version_or_any_passes(wanted: int | None, latest: int) -> None:
    check_version("s", wanted, latest)


@pytest.mark.parametrize(("wanted", "latest"), [(1, 2), (2, 1), (2, 3)])
def test_another_version_than_the_latest_is_refused(wanted: int, latest: int) -> None:
    with pytest.raises(
        LeavingError, match="a new version of study 's' was opened; start again with it"
    ) as told:
        check_version("s", wanted, latest)
    assert told.value.what == "version"
    with pytest.raises(LeavingError, match="a new version of these data was opened"):
        check_version(None, wanted, latest)
