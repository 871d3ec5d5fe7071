"""The register: what may leave beside what has left, with no value in its file."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError, LeavingError
from discreet.lines import Lines
from discreet.provenance import Provenance
from discreet.records.store import verify
from discreet.register.register import (
    Register,
    all_versions,
    choices_of,
    insert,
    remember,
    same_data,
    sketches_of,
)
from discreet.register.rules import KIND_OF, ReleaseRecord
from discreet.sketch import SMALLEST, Sketch, sketch_of
from tests.records.given import SECRET, register_in, row_at

SETTINGS: Mapping[str, Any] = {"regime": "guarded", "k": 5, "grid": 30, "limits": {"x": [0, 1]}}

X = np.random.default_rng(1).normal(size=200)
Y = np.random.default_rng(2).normal(size=200)
LEVELS = np.arange(200.0) % 7


def sketch(values: Any) -> Sketch:
    """Sketch a column."""
    return sketch_of(SECRET.marks(np.asarray(values, dtype=float)))


def sketches(columns: Mapping[str, Any]) -> dict[str, Sketch]:
    """Sketch columns by name."""
    return {f"column {name}": sketch(values) for name, values in columns.items()}


TABLE: Mapping[str, Any] = {"x": X, "y": Y, "levels": LEVELS}


def leave(
    register: Register,
    drawn: str = "x",
    table: Mapping[str, Any] = TABLE,
    study: str | None = "s",
    settings: Mapping[str, Any] = SETTINGS,
    choices: Mapping[str, str] | None = None,
) -> None:
    """Let a histogram of one column of a table leave."""
    leaving = ReleaseRecord(
        study=study,
        settings=settings,
        choices=choices or {},
        sketches=sketches({drawn: table[drawn]}),
        k=settings.get("k", 5),
        kind="histogram",
        columns=(drawn,),
        method="whole",
        form="svg",
    )
    register.release([leaving], lambda: sketches(table))


@pytest.fixture
def register(tmp_path: Path) -> Register:
    """Return the register of a folder that is not there yet."""
    return register_in(tmp_path / "state")


# --- sketches ---------------------------------------------------------------------------------


# --- the same again, and another --------------------------------------------------------------


@pytest.mark.parametrize("study", ["s", None])
def test_the_same_leaves_as_often_as_one_likes(register: Register, study: str | None) -> None:
    for drawn in ("x", "y", "levels", "x"):
        leave(register, drawn, study=study)
    assert [entry["columns"] for entry in register.history()] == [["x"], ["y"], ["levels"], ["x"]]
    assert {entry["version"] for entry in register.history()} == {1}


OTHER_SETTINGS: dict[str, Mapping[str, Any]] = {
    "k": {**SETTINGS, "k": 6},
    "grid": {**SETTINGS, "grid": 15},
    "limits": {**SETTINGS, "limits": {}},
    "bins": {**SETTINGS, "bins": 20},
    "regime": {"regime": "research"},
}


@pytest.mark.parametrize("study", ["s", None], ids=["named", "unnamed"])
def test_nothing_leaves_under_other_settings(
    register: Register, tmp_path: Path, study: str | None
) -> None:
    leave(register, study=study)
    for place in (register, register_in(tmp_path / "state")):
        for drawn, (what, settings) in product("xy", OTHER_SETTINGS.items()):
            with pytest.raises(
                LeavingError, match=f"^'{what}' must be the same as in the earlier release"
            ):
                leave(place, drawn, study=study, settings=settings)
        assert len(place.history()) == 1


SAME_DATA: dict[str, tuple[str | None, str | None]] = {
    "renamed": ("s", "t"),
    "a file, then a frame": ("s", None),
    "a frame, then a file": (None, "t"),
    "two frames": (None, None),
}


@pytest.mark.parametrize(("first", "second"), SAME_DATA.values(), ids=SAME_DATA)
def test_the_same_data_are_recognised_under_another_name(
    register: Register, first: str | None, second: str | None
) -> None:
    leave(register, study=first)
    shuffled = {name: values[::-1] for name, values in reversed([*TABLE.items()])}
    leave(register, "y", shuffled, study=second)
    with pytest.raises(LeavingError, match="'k' must be the same as in"):
        leave(register, "y", shuffled, study=second, settings={**SETTINGS, "k": 6})
    part = {"y": Y}
    with pytest.raises(LeavingError, match="'k' must be the same as in"):
        leave(register, "y", part, study=second, settings={**SETTINGS, "k": 6})


def test_another_column_of_the_same_table_is_the_same_data(register: Register) -> None:
    leave(register, "x", study=None)
    with pytest.raises(
        LeavingError, match="'k' must be the same as in the earlier release of the same data"
    ):
        leave(register, "levels", study=None, settings={**SETTINGS, "k": 6})


def test_other_data_are_free(register: Register) -> None:
    leave(register, study="s")
    other = {"x": X + 1, "y": Y + 1, "levels": LEVELS}
    # a column of few levels may well be the same
    leave(register, table=other, study="t", settings={**SETTINGS, "k": 6})
    leave(register, table={"x": X + 2}, study=None, settings={**SETTINGS, "k": 7})
    leave(register, table={"x": X + 3}, study=None, settings={**SETTINGS, "k": 8})
    assert len(register.history()) == 4


def test_a_table_of_few_levels_alone_is_recognised_by_all_its_columns(register: Register) -> None:
    levels = {"a": LEVELS, "b": np.arange(200.0) % 3}
    leave(register, "a", levels, study=None)
    with pytest.raises(LeavingError, match="'k' must be the same as in"):
        leave(register, "a", levels, study=None, settings={**SETTINGS, "k": 6})
    # one of its columns may well be in another table
    other = {"a": LEVELS, "b": np.arange(200.0) % 4}
    leave(register, "a", other, study=None, settings={**SETTINGS, "k": 6})


def test_few_changed_rows_of_few_levels_are_recognised_in_a_register_of_before(
    register: Register,
) -> None:
    """Of columns alone was known then, not of whole rows."""
    levels = {"a": LEVELS, "b": np.arange(200.0) % 3}
    leave(register, "a", levels, study="s")
    fewer = {name: values[1:] for name, values in levels.items()}
    for study in (None, "t"):
        with pytest.raises(
            LeavingError,
            match="nearly the same data were released before, as study 's', .* gather more changes"
            r" .*: `discreet version new FILE --study s`$",
        ):
            leave(register, "b", fewer, study=study)


def test_a_column_under_another_name_is_refused(register: Register) -> None:
    leave(register, "x", study=None)
    for study in (None, "t"):
        with pytest.raises(LeavingError, match="'column age' was released before as 'column x'"):
            leave(register, "age", {"age": X, "y": Y}, study=study)
    leave(register, "y", {"age": X, "y": Y}, study=None)


def test_a_column_twice_in_a_table_has_two_names(register: Register) -> None:
    twice = {"x": X, "again": X}
    for drawn in ("x", "again", "x"):
        leave(register, drawn, twice)


def test_settings_are_compared_with_every_study_of_the_same_data(register: Register) -> None:
    leave(register, study="s")
    leave(register, table={"x": X + 1, "y": Y + 1}, study="t", settings={**SETTINGS, "k": 6})
    both = {"x": X, "y": Y + 1}
    for k in (5, 6):
        with pytest.raises(LeavingError, match="'k' must be the same as in"):
            leave(register, table=both, study=None, settings={**SETTINGS, "k": k})


# --- choices ----------------------------------------------------------------------------------


@pytest.mark.parametrize("second", ["s", "t", None])
def test_a_choice_is_kept_for_its_columns(register: Register, second: str | None) -> None:
    number, other = ({f"{KIND_OF}'x'": kind} for kind in ("continuous", "categorical"))
    leave(register, choices=number)
    with pytest.raises(
        LeavingError, match=r"the kind of 'x' must be the same as in .* under \[kinds\]$"
    ):
        leave(register, study=second, choices=other)
    leave(register, study=second, choices=number)
    leave(register, "y", study=second, choices={f"{KIND_OF}'y'": "categorical"})


def test_choices_that_were_refused_are_not_kept(register: Register) -> None:
    leave(register)
    with pytest.raises(LeavingError, match="'k' must be the same as in"):
        leave(register, settings={**SETTINGS, "k": 6}, choices={"strata": '["sex"]'})
    leave(register, choices={"strata": "[]"})


# --- changed data, and versions ---------------------------------------------------------------


def changed(rows: int) -> Mapping[str, Any]:
    """Change so many rows of x."""
    values = X.copy()
    values[:rows] += 1
    return {**TABLE, "x": values}


def open_version(
    register: Register,
    table: Mapping[str, Any],
    settings: Mapping[str, Any] = SETTINGS,
    choices: Mapping[str, str] | None = None,
) -> int:
    """Open the next version of study s."""
    return register.open_version(next_of(settings, choices), sketches(table).get)


def next_of(
    settings: Mapping[str, Any] = SETTINGS, choices: Mapping[str, str] | None = None
) -> ReleaseRecord:
    """Say what the next version of study s is to be."""
    return ReleaseRecord("s", settings, choices or {}, {}, 5)


def test_changed_data_leave_with_a_new_version_alone(register: Register) -> None:
    leave(register)
    with pytest.raises(
        LeavingError, match=r"the data of study 's' have changed since .*: `discreet version"
    ):
        leave(register, table=changed(60))
    leave(register, "y", table=changed(60))  # y has not changed
    assert open_version(register, changed(60)) == 2
    leave(register, table=changed(60))
    with pytest.raises(LeavingError, match="the data of study 's' have changed"):
        leave(register)


def test_changed_data_without_a_name_are_refused_where_they_are_recognised(
    register: Register,
) -> None:
    leave(register, study=None)
    with pytest.raises(
        LeavingError, match="nearly the same data were released before, without a name"
    ):
        leave(register, table=changed(1), study=None)


def test_a_new_version_has_ten_k_changed_rows(register: Register) -> None:
    leave(register)
    with pytest.raises(LeavingError, match=r"too few rows of 'column x' have changed.* 10 k"):
        open_version(register, changed(45))
    leave(register)
    assert open_version(register, changed(60)) == 2


def test_rows_that_are_added_or_gone_have_changed(register: Register) -> None:
    leave(register)
    assert open_version(register, {name: values[:140] for name, values in TABLE.items()}) == 2
    with pytest.raises(LeavingError, match="too few rows"):
        open_version(register, {name: values[:141] for name, values in TABLE.items()})
    assert open_version(register, TABLE) == 3


def test_a_new_version_of_a_changed_policy(register: Register) -> None:
    leave(register)
    assert open_version(register, TABLE, {**SETTINGS, "k": 6}) == 2
    with pytest.raises(LeavingError, match="'k' must be the same as in"):
        leave(register)
    leave(register, settings={**SETTINGS, "k": 6})
    # the same data are compared with the latest version of a study
    leave(register, study=None, settings={**SETTINGS, "k": 6})
    with pytest.raises(LeavingError, match="'k' must be the same as in"):
        leave(register, study="t")


def test_a_new_version_of_nothing_new_is_refused(register: Register) -> None:
    with pytest.raises(InputError, match="nothing of study 's' was released yet"):
        open_version(register, TABLE)
    leave(register)
    with pytest.raises(InputError, match="neither the data nor the policy of study 's' has"):
        open_version(register, TABLE)


def test_of_several_things_none_leaves_where_one_may_not(register: Register) -> None:
    leave(register)
    parts = [
        ReleaseRecord("s", settings, {}, sketches({"y": Y}), 5, "bars", ("y",), "whole", "svg")
        for settings in (SETTINGS, {**SETTINGS, "k": 8})
    ]
    with pytest.raises(LeavingError, match="'k' must be the same as in"):
        register.release(parts, lambda: sketches(TABLE))
    assert len(register.history()) == 1


def test_others_write_while_a_version_is_sketched(register: Register) -> None:
    leave(register)
    found = sketches(changed(60))

    def slow(what: str) -> Sketch | None:
        with register.store.writing() as connection:  # else it would wait for itself
            register.store.append(connection, "version", row_at(what))
        return found.get(what)

    assert register.open_version(next_of(), slow) == 2


def test_of_two_that_open_a_version_at_once_one_does(register: Register) -> None:
    leave(register)
    found = sketches(changed(60))

    def meanwhile(what: str) -> Sketch | None:
        if register.version("s") == 1:
            assert open_version(register, changed(60)) == 2
        return found.get(what)

    with pytest.raises(LeavingError, match="a new version of study 's' was opened") as refused:
        register.open_version(next_of(), meanwhile)
    assert refused.value.what == "version"
    assert register.version("s") == 2


def test_what_left_while_a_version_was_sketched_is_sketched_too(register: Register) -> None:
    leave(register, table={"x": X})
    found = sketches(changed(60))

    def meanwhile(what: str) -> Sketch | None:
        leave(register, "y")
        return found.get(what)

    def again() -> int:
        return register.open_version(next_of(), meanwhile)

    with pytest.raises(LeavingError, match="was released while its new version was being opened"):
        again()
    assert register.version("s") == 1
    assert again() == 2


# --- the file ---------------------------------------------------------------------------------


def test_nothing_is_made_before_something_leaves(register: Register, tmp_path: Path) -> None:
    assert not register.knows("s")
    assert register.choices("s", "") == {}
    assert register.history() == []
    assert list(tmp_path.iterdir()) == []


def test_the_history_says_what_left_and_no_value(register: Register) -> None:
    leave(register, study=None)
    leave(register, "y", study="t")
    first, second = register.history()
    assert first.pop("at") <= second.pop("at")
    assert first == {
        "study": "",
        "version": 1,
        "kind": "histogram",
        "columns": ["x"],
        "method": "whole",
        "form": "svg",
    }
    assert (second["study"], second["columns"]) == ("t", ["y"])
    assert [entry["columns"] for entry in register.history("t")] == [["y"]]
    assert [entry["columns"] for entry in register.history("")] == [["x"]]
    assert register.history("u") == []


def test_no_value_and_no_word_is_in_the_file(register: Register, tmp_path: Path) -> None:
    words = SECRET.marks(["CanaryAlice", "CanaryBob"] * 50)
    numbers = np.array([12345.678901, *X])
    table = {"x": numbers}
    leaving = ReleaseRecord(
        "s", SETTINGS, {}, {"column w": sketch_of(words)}, 5, "k", ("w",), "m", "svg"
    )
    register.release([leaving], lambda: sketches(table))
    content = (tmp_path / "state" / "register.sqlite").read_bytes()
    assert b"Canary" not in content
    assert b"12345.67" not in content
    assert all(value.tobytes() not in content for value in numbers)
    unpacked = b"".join(found.buckets.tobytes() for found in (sketch(numbers), sketch_of(words)))
    assert all(value.tobytes() not in unpacked for value in numbers)


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "rubbish": lambda path: path.write_bytes(b"rubbish" * 1000),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "a table is gone": lambda path: alter(path, "DROP TABLE choice; CREATE TABLE choice (a)"),
    "settings": lambda path: alter(path, "UPDATE version SET settings = 'x'"),
    "sketches": lambda path: alter(path, "UPDATE sketch SET buckets = x'00'"),
    "choices": lambda path: alter(path, "UPDATE choice SET value = '{'"),
}


def alter(path: Path, script: str) -> None:
    """Change the register behind its back."""
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for (trigger,) in found:
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.executescript(script)
    connection.close()


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_nothing_leaves_past_a_damaged_register(
    register: Register, tmp_path: Path, damage: Callable[[Path], Any]
) -> None:
    group = {f"{KIND_OF}'x'": "continuous"}
    leave(register, choices=group)
    damage(tmp_path / "state" / "register.sqlite")
    for study in ("s", "t", None):
        with pytest.raises(
            LeavingError, match=r"is damaged or in use, so nothing|must be the same as in"
        ):
            leave(register, study=study, choices=group)


def test_no_version_opens_past_a_sketch_that_is_damaged(register: Register, tmp_path: Path) -> None:
    leave(register)
    alter(tmp_path / "state" / "register.sqlite", "UPDATE sketch SET buckets = x'789c030000000001'")
    with pytest.raises(LeavingError, match="is damaged or in use"):
        open_version(register, changed(60))


def test_nothing_leaves_where_there_can_be_no_register(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file, not a folder")
    with pytest.raises(LeavingError, match=r"whether there is a file .*NotADirectoryError"):
        leave(register_in(tmp_path / "state"))
    (tmp_path / "other" / "register.sqlite").mkdir(parents=True)
    with pytest.raises(LeavingError, match="cannot be opened, so nothing can"):
        leave(register_in(tmp_path / "other"))


def test_a_leaving_that_fails_halfway_is_not_recorded(register: Register) -> None:
    leave(register)

    def fail() -> Mapping[str, Sketch]:
        raise OSError("no data")

    leaving = ReleaseRecord("t", SETTINGS, {}, {}, 5, "histogram", ("x",), "whole", "svg")
    with pytest.raises(OSError, match="no data"):
        register.release([leaving], fail)
    with pytest.raises(LeavingError, match="damaged or in use"):
        register.release(
            [leaving, dataclasses.replace(leaving, kind=None)],  # type: ignore[arg-type]
            lambda: sketches(TABLE),
        )
    assert len(register.history()) == 1
    assert not register.knows("t")


def leaving_of(*columns: str, **fields: Any) -> ReleaseRecord:
    """Say what a picture of some columns that is about to leave rests on."""
    held = sketches({name: TABLE[name] for name in columns})
    plain = ReleaseRecord("s", SETTINGS, {}, held, 5, "scatter", columns, "whole", "csv")
    return dataclasses.replace(plain, **fields)


def test_what_leaves_together_is_of_one_version_and_in_its_order(register: Register) -> None:
    register.release(
        [leaving_of("x", "y"), leaving_of("y", kind="report", form="html")], lambda: sketches(TABLE)
    )
    told = [(entry["version"], entry["kind"], entry["form"]) for entry in register.history()]
    assert told == [(1, "scatter", "csv"), (1, "report", "html")]


# What is refused beside a scatter of x and y that may leave, and what is said of it.
UNFIT: dict[str, tuple[dict[str, Any], str]] = {
    "other settings": ({"settings": {**SETTINGS, "k": 6}}, "'k' must be the same as in"),
    "another choice than its neighbour's": ({"choices": {"formula": "y ~ z"}}, "formula"),
    "other data": ({"sketches": sketches({"x": X + 1})}, "the data of study 's' have changed"),
}


def test_of_what_leaves_together_one_refusal_stops_all(register: Register) -> None:
    good = leaving_of("x", "y", choices={"formula": "y ~ x"})
    for fields, text in UNFIT.values():
        bad = leaving_of("x", **fields)
        for together in ([bad, good], [good, bad]):
            with pytest.raises(LeavingError, match=text):
                register.release(together, lambda: sketches(TABLE))
            assert register.history() == []
            assert not register.knows("s")
    # nor has what was refused pinned anything
    register.release(
        [dataclasses.replace(good, choices={"formula": "y ~ z"})], lambda: sketches(TABLE)
    )
    assert len(register.history()) == 1


def test_of_many_that_leave_at_once_one_policy_wins(tmp_path: Path) -> None:
    def try_to_leave(k: int) -> int | None:
        try:
            leave(register_in(tmp_path / "state"), study=None, settings={**SETTINGS, "k": k})
        except LeavingError:
            return None
        return k

    with ThreadPoolExecutor(8) as pool:
        won = set(pool.map(try_to_leave, [3, 4, 5, 6] * 4)) - {None}
    history = register_in(tmp_path / "state").history()
    assert len(won) == 1
    assert len(history) == 4
    assert {entry["version"] for entry in history} == {1}


@pytest.mark.parametrize("smallest", [0, SMALLEST])
def test_what_is_remembered_is_found_again(tmp_path: Path, smallest: int) -> None:
    store = register_in(tmp_path).store
    sketch = sketch_of(SECRET.marks(np.arange(3000.0)), smallest)
    with store.writing() as connection:
        version = insert(store, connection, ReleaseRecord("s", {"k": 5}, {}, {}, 5, secret="a"))
        remember(store, connection, version, {"strata": "[]"}, {"column x": sketch})
        remember(store, connection, version, {"strata": "[1]"}, {})  # the first stays
    with store.reading() as connection:
        assert all_versions(connection) == [version]
        assert choices_of(connection, version) == {"strata": "[]"}
        (found,) = sketches_of(connection, version).values()
        assert all_versions(connection, but_for="s") == []
        assert same_data(connection, {"column x": sketch}, "t", whole=True) == [version]
    assert found.mark == sketch.mark
    assert np.array_equal(found.buckets, sketch.buckets)
    assert np.array_equal(found.smallest, sketch.smallest)


# --- what files carry ---------------------------------------------------------------------------

MADE = Provenance("v", "p", "0.1.0", {"plot": "histogram"}, "counts", "c", "s")


def test_what_files_carry_is_found_by_its_id_or_checksum(tmp_path: Path) -> None:
    register, other = register_in(tmp_path), dataclasses.replace(MADE, checksum="d")
    told = ReleaseRecord("s", SETTINGS, {}, {}, 5, "histogram", ("x",), "whole", "svg")
    assert register.released() == []
    register.release([told], lambda: sketches({"x": X}))
    register.release([dataclasses.replace(told, provenance=(MADE.to_text(),))], dict)
    register.release([dataclasses.replace(told, provenance=(other.to_text(),), form="png")], dict)
    assert [it.checksum for _, it in register.released()] == ["c", "d"]
    for asked in ({"id_": other.id}, {"checksum": "d"}, {"id_": other.id, "checksum": "d"}):
        ((left, found),) = register.released(**asked)
        assert found == other
        assert left == register.history()[2]
    assert register.released(id_="0" * 16) == []
    assert register.released(id_=other.id, checksum="c") == []


LINES = Lines(7, 2, (8, 9))


def released_text(form: str = "csv") -> ReleaseRecord:
    """Say that a table of text is released."""
    record = ReleaseRecord("s", SETTINGS, {}, {}, 5, "table", ("x",), "whole", form)
    return dataclasses.replace(record, provenance=(MADE.to_text(),), lines=LINES)


def test_lines_are_kept_with_the_release_that_they_are_of(tmp_path: Path) -> None:
    register, other = register_in(tmp_path), dataclasses.replace(MADE, checksum="d")
    register.release([released_text()], lambda: sketches({"x": X}))
    register.release([dataclasses.replace(released_text("tsv"), provenance=(), lines=None)], dict)
    more = Lines(1, 0, ())
    register.note("s", "tsv", other, more)
    first, second = register.history()
    assert register.lines() == [(first, MADE, LINES), (second, other, more)]
    assert [it for _, it in register.released()] == [MADE, other]
    assert verify(register.store).broken == ()
