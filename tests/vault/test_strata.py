"""Strata of a copy whose persons have several rows: by hand, and on the copy that is made."""

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

from discreet.arguments import Labels
from discreet.errors import RefusedError
from discreet.policy import Policy
from discreet.table import Rows
from discreet.vault import Vault, make_copy, noised, prepared, raw_rows
from discreet.vault.rows import (
    repaired,
    rows_before,
    rows_like_others,
    size_step,
    strata_labels,
)
from tests.vault.given import SECRET, STANDARD, columns, copied, plain, table_of

BY_PERSON = STANDARD.changed(unit="who")


def visits(rows: Labels, seed: int = 1) -> dict[str, Any]:
    """Make persons of whom each has so many rows, all of one sex."""
    who = np.repeat(np.arange(len(rows)), rows)
    given = columns(len(rows), seed)
    rng = np.random.default_rng(seed)
    out = {name: given[name][who] for name in ("x", "y", "z", "sex")}
    for name in ("x", "y", "z"):
        out[name] = out[name] + 0.1 * rng.normal(size=len(who))
    return out | {"who": who}


def ready(given: dict[str, Any], policy: Policy = BY_PERSON, strata: tuple[str, ...] = ()) -> Any:
    raw = raw_rows(table_of(given, policy.unit), policy, ["x", "y"], SECRET, strata=strata)
    return prepared(raw, policy, SECRET)


def rows_of(who: list[int]) -> Rows:
    return Rows({"x": np.zeros(len(who))}, {}, 0, np.array(who), tuple(map(str, range(99))))


def test_sizes_are_multiples_of_what_counts_round_to() -> None:
    assert size_step(STANDARD) == 5
    assert size_step(STANDARD.changed(round_to=1, k=7)) == 7
    assert size_step(Policy.preset("research")) == 1


def test_labels_number_combinations_of_levels() -> None:
    assert strata_labels({"a": [*"xxyy"], "b": [*"uvuu"]}, 4).tolist() == [0, 1, 2, 2]
    assert strata_labels({}, 2).tolist() == [0, 0]


def test_rows_of_a_person_in_a_stratum_are_numbered_by_rank() -> None:
    labels, persons = np.array([0, 0, 1, 0, 1]), np.array([3, 3, 3, 4, 4])

    assert rows_before(labels, persons, np.array([1, 0, 2, 3, 4])).tolist() == [1, 0, 0, 0, 0]


def test_nobody_has_more_rows_in_a_stratum_than_k_persons_have() -> None:
    rows = [9, 4, 3, 2, 1]
    persons = np.repeat(np.arange(5), rows)
    labels = np.zeros(len(persons), dtype=np.intp)
    before = rows_before(labels, persons, np.arange(len(persons)))

    for k, most in ((1, 9), (2, 4), (3, 3), (5, 1), (6, 1)):
        stays = rows_like_others(labels, persons, before, k)
        assert [*Counter(persons[stays].tolist()).values()] == [min(n, most) for n in rows]


def test_strata_are_merged_until_they_hold_persons_enough() -> None:
    # Twenty rows of c are of four persons; a and b have twelve each.
    who = [*range(12), *range(20, 32), *[50, 51, 52, 53] * 5]
    levels = {"g": ("a",) * 12 + ("b",) * 12 + ("c",) * 20}

    found = repaired(levels, {}, BY_PERSON, rows_of(who))
    assert "c" not in found.levels["g"]
    assert found.kept.all()
    alone = repaired(levels, {}, STANDARD, Rows({"x": np.zeros(44)}, {}, 0))
    assert found.levels != alone.levels == levels


def test_who_has_several_levels_that_are_joined_is_one_person() -> None:
    # Nine persons have a row of each of two small levels: joined they hold nine, not eighteen.
    who = [*range(100), *range(200, 209), *range(200, 209)]
    levels = {"g": ("a",) * 100 + ("b",) * 9 + ("c",) * 9}

    with pytest.raises(RefusedError, match="strata hold too few persons, some of whom are in"):
        repaired(levels, {}, BY_PERSON, rows_of(who))
    found = repaired(levels, {}, BY_PERSON.changed(most_suppressed=0.2), rows_of(who))
    assert found.suppressed == 18
    assert found.kept.tolist() == [True] * 100 + [False] * 18


def test_ten_k_persons_are_needed_however_many_rows_there_are() -> None:
    assert copied(visits(np.full(50, 4)), policy=BY_PERSON)
    with pytest.raises(RefusedError, match="the table has too few complete rows: at least 10 k"):
        copied(visits(np.full(49, 4)), policy=BY_PERSON)


def test_all_rows_but_those_of_who_has_very_many_are_released_in_multiples() -> None:
    rows = np.full(60, 3)
    rows[:4] = [50, 40, 30, 1]

    found = ready(visits(rows))

    held = Counter(Counter(found.persons.tolist()).values())
    assert max(held) == 3
    assert len(found.persons) == 175, "178 rows of at most three, rounded down"
    assert len(set(found.persons.tolist())) == 60
    said = copied(visits(rows), policy=BY_PERSON).remarks
    assert (
        "groups are of at least 5 persons (who): all rows of a person in a stratum are in one, and"
        " who has more rows than k persons have keeps as many as they"
    ) in said
    # It is said whether somebody has or not: else that would tell of one person.
    assert copied(visits(np.full(60, 3)), policy=BY_PERSON).remarks == said


def test_every_stratum_of_a_copy_holds_two_k_persons() -> None:
    rows = np.random.default_rng(2).integers(1, 4, 90)
    given = visits(rows) | {"ward": np.array(list("abcdefghi"))[np.repeat(np.arange(90) % 9, rows)]}

    found = ready(given, BY_PERSON.changed(strata=["ward"]), ("ward",))

    persons = defaultdict(set)
    for ward, person in zip(found.levels["ward"], found.persons.tolist(), strict=True):
        persons[ward].add(person)
    assert min(map(len, persons.values())) >= 10
    assert {n % 5 for n in Counter(found.levels["ward"]).values()} == {0}


def test_the_k_farthest_persons_are_drawn_in_and_not_the_k_farthest_rows() -> None:
    given = visits(np.full(60, 6))
    far = given["who"] == 0
    given["x"] = np.where(far, 1e6, given["x"])  # six rows of one person, k = 5

    raw = raw_rows(table_of(given, "who"), BY_PERSON, ["x", "y"], SECRET, strata=())
    made = make_copy(noised(prepared(raw, BY_PERSON, SECRET), SECRET, raw.version), BY_PERSON)

    assert made.trimmed[:, 0].max() < 100
    assert made.released[:, 0].max() < 200


def test_a_gap_is_filled_by_persons_and_not_by_who_has_most_rows() -> None:
    rows = np.full(60, 2)
    rows[0] = 400
    given = visits(rows)
    given["x"] = np.where(given["who"] == 0, 70.0, given["x"])
    given["x"][np.flatnonzero(given["who"] == 59)] = np.nan
    policy = BY_PERSON.changed(missing="median")

    raw = raw_rows(table_of(given, "who"), policy, ["x", "y"], SECRET, strata=())
    found = prepared(raw, policy, SECRET)

    stood_in = found.values[found.persons == 59, 0]
    middle = np.median([given["x"][given["who"] == i].mean() for i in range(59)])
    assert abs(stood_in - middle).max() < 1


def test_the_copy_depends_on_whose_rows_are_and_not_on_their_order() -> None:
    given = visits(np.full(60, 2))
    order = np.random.default_rng(3).permutation(120)
    shuffled = {name: values[order] for name, values in given.items()}
    others = given | {"who": np.roll(given["who"], 1)}
    words = given | {"who": np.array([f"P{i}" for i in given["who"]])}

    copy = copied(given, policy=BY_PERSON)
    assert plain(copied(shuffled, policy=BY_PERSON)) == plain(copy)
    versions = {copied(each, policy=BY_PERSON).version for each in (given, others, words)} | {
        copied(given, policy=STANDARD.changed(unit=False)).version
    }
    assert len(versions) == 4, "copies that are kept in one folder are told apart"


def test_persons_in_several_strata_are_in_a_group_of_k_persons_in_each() -> None:
    given = visits(np.full(60, 2)) | {"visit": np.tile(["first", "second"], 60)}
    policy = BY_PERSON.changed(strata=["visit"], rows="microaggregation")

    made = Vault(SECRET, None).made(table_of(given, "who"), policy, ("x", "y"))

    shared = Counter(zip(map(tuple, made.released.tolist()), made.levels["visit"], strict=True))
    assert min(shared.values()) >= 5, "each person has one row in each stratum"
