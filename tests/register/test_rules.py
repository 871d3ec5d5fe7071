"""What may not leave beside what has left before, rule by rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import LeavingError
from discreet.register.rules import (
    COLUMN,
    KIND_OF,
    PERSONS,
    SHAPE_OF,
    ReleaseRecord,
    Version,
    check_many_changed,
    check_names,
    check_same_table,
    check_unchanged,
    check_version,
    compare,
    likelihood_ratio,
    nearly_the_same,
    rescaled_column,
    same_persons,
)
from discreet.secret import Secret
from discreet.sketch import SMALLEST, WHOLE_ROWS, Sketch, sketch_of, sketched

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
        "method": "whole",
        "form": "svg",
    }
    return ReleaseRecord(**given | changes)


VERSION = Version(1, "s", 1, SETTINGS)


def test_the_same_settings_and_choices_pass() -> None:
    what = f"{KIND_OF}'x'"
    compare(leaving(choices={what: "ordinal"}), VERSION, {what: "ordinal", "strata": "[]"})


@pytest.mark.parametrize("changed", ["k", "grid", "regime"])
def test_another_setting_is_named(changed: str) -> None:
    with pytest.raises(
        LeavingError, match=f"'{changed}' must be the same as in the earlier release of study"
    ):
        compare(leaving(settings=SETTINGS | {changed: 7}), VERSION, {})


def test_another_choice_is_named() -> None:
    what = f"{KIND_OF}'x'"
    with pytest.raises(LeavingError, match="the kind of 'x' must be the same as in") as told:
        compare(leaving(choices={what: "continuous"}), VERSION, {what: "ordinal"})
    assert told.value.what == "kind of 'x'"


def test_a_column_keeps_its_name() -> None:
    check_names({"column x": sketch(X)}, {"column x": sketch(X)})
    with pytest.raises(LeavingError, match="was released before as 'column y'"):
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
    with pytest.raises(
        LeavingError, match=r"another table was released before as study 's'.* a name of"
    ):
        check_same_table(VERSION, now, known)


# What is said where the data of a version have changed: how many rows are now other ones.
CHANGED: dict[str, tuple[str, int, int, str]] = {
    "few rows": (
        "s",
        0,
        49,
        r"the data of study 's' have changed .* away, because they are few; draw the data that "
        r"were released, or gather more changes \(at least 10 k rows of each column that "
        r"changes\) and then open a new version: `discreet version new FILE --study s`$",
    ),
    "many rows": (
        "s",
        0,
        50,
        r"the data of study 's' have changed since a release, and the difference would give the "
        r"changed rows away; open a new version: `discreet version new FILE --study s`$",
    ),
    "other people": (
        "s",
        5000,
        200,
        r"; open a new version: `.*`, or, if these are other people, give the study another "
        r"name: study=$",
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
    with pytest.raises(
        LeavingError, match="because they are few; draw the data that were released"
    ):
        check_unchanged(leaving(sketches=drawn), VERSION, known, {"column y": sketch(X[1:])})


def test_a_version_has_many_changed_rows_or_none() -> None:
    known = {"column x": sketch(X)}
    for rows in (0, 50):
        check_many_changed(VERSION, known, {"column x": sketch(X[rows:])}, k=5)
    for rows in (1, 49):
        with pytest.raises(LeavingError, match="too few rows of 'column x' have changed since ver"):
            check_many_changed(VERSION, known, {"column x": sketch(X[rows:])}, k=5)


def test_few_levels_change_by_few_where_many_persons_come_or_go() -> None:
    levels = np.arange(200.0) % 2
    known = {"column s": sketch(levels), "persons": sketch(np.arange(200.0))}
    few, fewer, many = (
        {"column s": sketch(levels[1:]), "persons": sketch(np.arange(200.0) + came)}
        for came in (49, 0, 50)
    )
    check_many_changed(VERSION, known, many, k=5)
    for fresh in (few, fewer):
        with pytest.raises(LeavingError, match=r"too few rows of '[a-z ]*' have changed since ver"):
            check_many_changed(VERSION, known, fresh, k=5)


@pytest.mark.parametrize(("wanted", "latest"), [(1, 2), (2, 1)])
def test_another_version_than_the_latest_is_refused(wanted: int, latest: int) -> None:
    check_version("s", latest, latest)
    with pytest.raises(
        LeavingError, match="a new version of study 's' was opened; start again with it"
    ) as told:
        check_version("s", wanted, latest)
    assert told.value.what == "version"
    with pytest.raises(LeavingError, match="a new version of these data was opened"):
        check_version(None, wanted, latest)


SEEDS = range(12)
FEWER = 50
Columns = dict[str, NDArray[Any]]


def known(columns: Mapping[str, Any], persons: str | None = None) -> dict[str, Sketch]:
    """Sketch a table as the release_gate does."""
    batch = {
        name: values if values.dtype.kind == "f" else values.tolist()
        for name, values in columns.items()
    }
    names = [] if persons is None else [persons]
    rows = [name for name in batch if name != persons]
    found = sketched(SECRET, [batch], rows=rows, persons=names)
    out = {COLUMN + name: sketch for name, sketch in found.columns.items()}
    out |= {SHAPE_OF + name: shape for name, shape in found.shapes.items()}
    if persons is not None:
        out[PERSONS] = found.columns[persons]
    return out | {WHOLE_ROWS: found.rows}


def levels(seed: int, n: int | None = None) -> Columns:
    """Draw a clinic of few levels."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(120, 600)) if n is None else n
    return {
        "sex": rng.choice(["f", "m"], size),
        "smoker": rng.choice(["y", "n"], size, p=[0.3, 0.7]),
        "stage": rng.choice(["1", "2", "3", "4"], size, p=[0.4, 0.3, 0.2, 0.1]),
    }


def some(columns: Columns, rows: Any) -> Columns:
    """Return some rows."""
    return {name: values[rows] for name, values in columns.items()}


def only(columns: Columns, *names: str) -> Columns:
    """Return some columns."""
    return {name: columns[name] for name in names}


def shuffled(columns: Columns, seed: int) -> Columns:
    """Return the rows in another order."""
    size = len(next(iter(columns.values())))
    return some(columns, np.random.default_rng(seed).permutation(size))


def renamed(columns: Columns) -> Columns:
    """Return the columns under other names, in another order."""
    return {name[::-1]: values for name, values in reversed(columns.items())}


FEW: dict[str, Callable[[Columns, int], tuple[Columns, Columns]]] = {
    "one row less": lambda it, s: (it, some(it, slice(1, None))),
    "the last row less, shuffled": lambda it, s: (it, shuffled(some(it, slice(-1)), s)),
    "one row more": lambda it, s: (some(it, slice(1, None)), it),
    "five rows less": lambda it, s: (it, shuffled(some(it, slice(5, None)), s)),
    "renamed": lambda it, s: (it, renamed(some(it, slice(2, None)))),
    "sex alone": lambda it, s: (only(it, "sex"), some(only(it, "sex"), slice(1, None))),
    "some of the columns": lambda it, s: (it, some(only(it, "sex", "stage"), slice(1, None))),
    "more columns": lambda it, s: (only(it, "smoker"), some(it, slice(1, None))),
    "a column of one value": lambda it, s: (
        only(it, "sex"),
        some(only(it, "sex"), slice(1, None)) | {"land": np.full(len(it["sex"]) - 1, "x")},
    ),
}


@pytest.mark.parametrize("change", FEW.values(), ids=FEW)
def test_few_changed_rows_are_seen_though_there_are_few_levels(
    change: Callable[[Columns, int], tuple[Columns, Columns]],
) -> None:
    for seed in SEEDS:
        old, new = change(levels(seed), seed)
        assert nearly_the_same(known(old), known(new), FEWER), seed


@pytest.mark.parametrize("rows", [1, 10, 40])
def test_up_to_forty_rows_less_are_seen_where_levels_cross(rows: int) -> None:
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        table = levels(seed, 500) | {"region": rng.choice(["a", "b", "c", "d", "e"], 500)}
        fewer = some(table, rng.permutation(500)[rows:])
        assert nearly_the_same(known(table), known(fewer), FEWER), seed


UNRELATED: dict[str, Callable[[int], tuple[Columns, Columns]]] = {
    "clinics of any size": lambda s: (levels(s), levels(s + 1000)),
    "clinics of one size": lambda s: (levels(s, 200), levels(s + 1000, 200)),
    "small clinics of one size": lambda s: (levels(s, 100), levels(s + 1000, 100)),
    "sex and smoker": lambda s: (
        only(levels(s, 200), "sex", "smoker"),
        only(levels(s + 1000, 200), "sex", "smoker"),
    ),
    "nearly one size": lambda s: (levels(s, 200), levels(s + 1000, 193)),
    "sex alone": lambda s: (only(levels(s, 300), "sex"), only(levels(s + 1000, 300), "sex")),
    "other columns of other people": lambda s: (
        only(levels(s), "sex", "smoker"),
        only(levels(s + 1000), "smoker", "stage"),
    ),
}


@pytest.mark.parametrize("draw", UNRELATED.values(), ids=UNRELATED)
def test_two_samples_of_one_population_are_not_taken_for_one_table(
    draw: Callable[[int], tuple[Columns, Columns]],
) -> None:
    for seed in range(20):
        one, two = draw(seed)
        assert not nearly_the_same(known(one), known(two), FEWER), seed


def test_the_ratio_is_that_of_the_two_chances() -> None:
    """Counts (3, 2) of the old table and (2, 2) of the new one, by hand."""
    old, new = (sketch_of(SECRET.marks(list(text))) for text in ("aaabb", "aabb"))
    by_chance = comb(5, 3) * comb(4, 2) / comb(9, 5)
    gone = 3 / 5
    sizes = 2 * 4 / (1 * 2)
    assert likelihood_ratio(old, new) == pytest.approx(sizes * gone / by_chance / 2)
    swapped = sketch_of(SECRET.marks(list("aaaab")))
    chance = comb(7, 3) * comb(3, 2) / comb(10, 5)
    assert likelihood_ratio(old, swapped) == pytest.approx((2 / 5) * (4 / 5) / chance / 4)


def test_by_chance_the_ratio_is_large_as_seldom_as_it_says() -> None:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(300):
        drawn = [rng.choice(list("abcdef"), 200, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.05]) for _ in "12"]
        one, two = (sketch_of(SECRET.marks(it.tolist())) for it in drawn)
        found.append(likelihood_ratio(one, two))
    for most in (1.0, 10.0, 100.0):
        assert np.mean(np.array(found) > most) <= 1 / most


# --- who the persons are ----------------------------------------------------------------------


def persons(first: int, last: int) -> NDArray[np.str_]:
    """Number persons."""
    return np.array([f"P{i:05}" for i in range(first, last)])


def test_who_the_persons_are_comes_before_what_chance_does() -> None:
    table = levels(1, 300) | {"id": persons(0, 300)}
    others = levels(1, 300) | {"id": persons(300, 600)}
    swapped = some(table, slice(20, None))
    assert nearly_the_same(known(table, "id"), known(swapped, "id"), FEWER)
    assert not nearly_the_same(known(table, "id"), known(some(others, slice(1, None)), "id"), FEWER)
    exchanged = {**table, "id": persons(100, 400)}
    exchanged["sex"] = np.where(np.arange(300) < 3, "f", exchanged["sex"])
    assert not nearly_the_same(known(table, "id"), known(exchanged, "id"), FEWER)


@pytest.mark.parametrize("share", [0.45, 0.55])
@pytest.mark.parametrize(("n", "smaller"), [(400, 1), (400, 2), (6000, 2)])
def test_tables_that_share_more_than_half_of_their_persons_are_of_the_same(
    n: int, share: float, smaller: int
) -> None:
    shift = round((1 - share) * n / smaller)
    old, new = persons(0, n), persons(n - n // smaller + shift, n + shift)
    of_old = {"id": old, "x": np.arange(float(n))}
    of_new = {"id": new, "x": np.arange(float(len(new))) / 3}
    assert same_persons(known(of_old, "id"), known(of_new, "id")) is (share > 0.5)


@pytest.mark.parametrize("n", [300, 2047, 9000])
def test_the_share_is_exact_for_small_tables_and_near_for_large_ones(n: int) -> None:
    values = np.arange(2.0 * n)
    one, two = (sketch_of(SECRET.marks(values[a : a + n]), SMALLEST) for a in (0, n // 3))
    exact = (n - n // 3) / n
    if n < SMALLEST:
        assert one.shared(two) == pytest.approx(exact)
        assert one.different == n
    else:
        assert one.shared(two) == pytest.approx(exact, abs=3 * (exact * (1 - exact) / 2048) ** 0.5)
        assert one.different == pytest.approx(n, rel=0.07)


def numbers(seed: int, n: int = 400) -> Columns:
    """Draw a table of numbers whose rows tell persons apart."""
    rng = np.random.default_rng(seed)
    return levels(seed, n) | {"x": rng.normal(50, 10, n).round(1), "y": rng.normal(size=n)}


def test_without_persons_whole_rows_tell_where_they_are_told_apart() -> None:
    table = numbers(1)
    assert same_persons(known(table), known(some(table, slice(150, None))))
    assert same_persons(known(table), known(shuffled(renamed(table), 3)))
    assert not same_persons(known(table), known(numbers(2)))
    half = {name: np.concatenate([table[name][:150], numbers(2)[name][:250]]) for name in table}
    assert not same_persons(known(table), known(half))
    # what coincides by chance tells nothing
    assert not same_persons(known(levels(1, 400)), known(levels(2, 400)))
    assert not same_persons(known(levels(1, 400)), known(some(levels(1, 400), slice(90, None))))


# --- another unit -----------------------------------------------------------------------------


def test_a_column_in_another_unit_is_found() -> None:
    table = numbers(1)
    x = table["x"]
    for changed in (x / 18, -x, (x - x.mean()) / x.std()):
        other = {"glucose": changed, "sex": table["sex"]}
        assert rescaled_column(known(table), known(other)) == ("column glucose", "column x")


def test_the_same_column_and_others_are_not_in_another_unit() -> None:
    table = numbers(1)
    both = table | {"twice": 2 * table["x"]}
    ages = {"age": np.random.default_rng(1).integers(18, 90, 400) * 1.0}
    assert rescaled_column(known(table), known(table)) is None
    assert rescaled_column(known(both), known(both)) is None
    assert rescaled_column(known(both), known(some(both, slice(60, None)))) is None
    for seed in range(2, 12):
        assert rescaled_column(known(table), known(numbers(seed))) is None
        other = {"age": np.random.default_rng(seed).integers(18, 90, 400) * 1.0}
        assert rescaled_column(known(ages), known(other)) is None
