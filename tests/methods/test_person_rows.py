"""Rows that belong together: who comes after whom, and what a person keeps."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.arguments import Floats, Labels
from discreet.keys import row_keys
from discreet.methods.copies import Draws, Levels, Rows, Settings
from discreet.methods.person_rows import DrawnRows, histories_of, rows_of_persons
from discreet.secret import Secret

SECRET = Secret.from_bytes(bytes(range(32)))
SETTINGS = Settings(5, 10)


def rows_of(
    numbers: dict[str, Floats], levels: dict[str, Levels], persons: Labels, version: bytes = b""
) -> Rows:
    columns = [*numbers.values(), *(it.texts() for it in levels.values()), persons.astype(float)]
    draws = Draws(SECRET, version, row_keys(SECRET, columns))
    return Rows(numbers, levels, draws, persons, np.arange(len(persons)))


def panel(persons: int = 300, years: int = 6, seed: int = 0) -> Rows:
    """Make a panel: who is ill stays so, weights go on from year to year, some leave early."""
    random = np.random.default_rng(seed)
    whose = np.repeat(np.arange(persons), years)
    year = np.tile(2000.0 + np.arange(years), persons)
    weight = np.empty((persons, years))
    weight[:, 0] = random.normal(70, 12, persons)
    for t in range(1, years):
        weight[:, t] = weight[:, t - 1] + random.normal(0.5, 3, persons)
    sex = random.integers(0, 2, persons)
    ill = np.maximum.accumulate(random.uniform(size=(persons, years)) < 0.15, axis=1)
    known = (year - 2000 <= random.integers(2, max(years, 3), persons)[whose]) | (whose % 3 == 0)
    order = random.permutation(np.flatnonzero(known))
    numbers = {"year": year, "weight": np.round(weight.ravel(), 1)}
    levels = {
        "sex": Levels(("f", "m"), sex[whose]),
        "ill": Levels(("no", "yes"), ill.ravel().astype(np.intp)),
    }
    return rows_of(
        {name: it[order] for name, it in numbers.items()},
        {name: Levels(it.words, it.codes[order]) for name, it in levels.items()},
        whose[order],
    )


def in_years(rows: DrawnRows) -> tuple[Labels, Labels]:
    """Return each row of a person but the first, and the one before."""
    whose = np.asarray(rows.persons)
    later = np.flatnonzero(whose[1:] == whose[:-1]) + 1
    return later, later - 1


def test_rows_are_put_in_order_by_hand() -> None:
    numbers = {
        "x": np.array([5.0, 1, 3, 7, 7, np.nan]),
        "year": np.array([3.0, 1, 2, 1, 2, 1]),
        "born": np.array([60.0, 60, 60, 70, 70, np.nan]),
    }
    levels = {"sex": Levels(("f", "m"), np.array([0, 0, 0, 1, 1, -1]))}
    persons = np.array([4, 4, 4, 2, 2, 9])
    # Of so few persons none is one of few: each exception counts.
    found = histories_of(rows_of(numbers, levels, persons), Settings(1, 1))
    assert found.first.tolist() == [3, 1, 5]
    assert found.rows.tolist() == [2, 3, 1]
    assert found.later.tolist() == [4, 2, 0]
    assert found.before.tolist() == [3, 1, 2]
    assert found.place.tolist() == [1, 1, 2]
    assert found.constant == {"born", "sex"}


def test_a_few_persons_decide_neither_the_order_nor_what_is_constant() -> None:
    rows = panel()
    year, sex = rows.numbers["year"].copy(), rows.levels["sex"].codes.copy()
    for person in (0, 3):
        of = np.flatnonzero(rows.persons == person)
        year[of[:2]] = 2000
        sex[of[0]] = 1 - sex[of[1]]
    some = rows._replace(
        numbers={**rows.numbers, "year": year},
        levels={**rows.levels, "sex": Levels(("f", "m"), sex)},
    )
    found = histories_of(some, SETTINGS)
    assert found.constant == {"sex"}
    assert (year[found.later] >= year[found.before]).all()


@pytest.fixture(scope="module")
def drawn() -> DrawnRows:
    return rows_of_persons(panel(), 300, SETTINGS)


def test_what_is_constant_stays_and_what_goes_on_goes_on(drawn: DrawnRows) -> None:
    raw = panel()
    later, before = in_years(drawn)
    assert drawn.left_out == {}
    assert (drawn.levels["sex"].codes[later] == drawn.levels["sex"].codes[before]).all()
    assert (drawn.levels["ill"].codes[later] >= drawn.levels["ill"].codes[before]).all()
    assert (np.diff(drawn.numbers["year"])[before] == 1).all()
    moved = drawn.numbers["weight"][later] - drawn.numbers["weight"][before]
    assert moved.mean() == pytest.approx(0.5, abs=0.4)
    assert moved.std() == pytest.approx(3, abs=1.5)
    assert len(drawn.source) == pytest.approx(len(raw.at), rel=0.1)
    assert drawn.numbers["weight"].std() == pytest.approx(raw.numbers["weight"].std(), rel=0.1)


def test_a_row_by_itself_keeps_none_of_it() -> None:
    """The control: rows in any order have no year before."""
    raw = panel()
    turned = np.random.default_rng(1).permutation(len(raw.at))
    mixed = raw._replace(persons=(np.asarray(raw.persons)[turned]))
    found = rows_of_persons(mixed, 300, SETTINGS)
    later, before = in_years(found)
    assert (found.levels["sex"].codes[later] == found.levels["sex"].codes[before]).mean() < 0.7


def test_how_many_rows_a_person_has_is_about_as_in_the_data(drawn: DrawnRows) -> None:
    made = np.bincount(np.unique(np.asarray(drawn.persons), return_counts=True)[1], minlength=7)
    raw = np.bincount(np.unique(np.asarray(panel().persons), return_counts=True)[1], minlength=7)
    assert np.abs(made / made.sum() - raw / raw.sum()).max() < 0.08


def test_neither_the_order_of_rows_nor_the_numbers_of_persons_change_it() -> None:
    raw = panel(80)
    order = np.random.default_rng(2).permutation(len(raw.at))
    turned = raw.taken(order)
    keyed = np.lexsort(raw.draws.keys.T), np.lexsort(turned.draws.keys.T)
    one, other = (
        rows_of_persons(of.taken(by), 80, SETTINGS)
        for of, by in zip((raw, turned), keyed, strict=True)
    )
    for name, column in one.numbers.items():
        np.testing.assert_array_equal(column, other.numbers[name])
    np.testing.assert_array_equal(np.asarray(one.persons), np.asarray(other.persons))
    np.testing.assert_array_equal(one.source, other.source)


def test_rows_of_a_person_may_be_equal_in_all_columns() -> None:
    random, whose = np.random.default_rng(3), np.repeat(np.arange(90), 3)
    age = {"age": random.normal(50, 9, 90)[whose]}
    sex = {"sex": Levels(("f", "m"), random.integers(0, 2, 90)[whose])}
    drawn = rows_of_persons(rows_of(age, sex, whose), 90, SETTINGS)
    later, before = in_years(drawn)
    assert len(later) == 2 * len(np.unique(np.asarray(drawn.persons)))
    for column in (drawn.numbers["age"], drawn.levels["sex"].codes, drawn.source):
        np.testing.assert_array_equal(column[later], column[before])
